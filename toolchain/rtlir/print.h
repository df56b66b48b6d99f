/* Verilog-2005 text of modules and expressions: the only place where Weir writes Verilog. The same module gives the
 * same bytes. Lines are at most 120 columns wide unless one name, string or number is longer. */
#ifndef WEIR_RTLIR_PRINT_H
#define WEIR_RTLIR_PRINT_H

#include "rtlir/rtl.h"
#include "support/text.h"

/* Appends the module's text, with a header comment and `default_nettype none. The design should verify. */
void weir_rtl_print_verilog(weir_rtl_design *design, weir_rtl_module module, weir_text *text);
/* Appends an expression on one line. */
void weir_rtl_print_expr(const weir_rtl_design *design, weir_rtl_expr expr, weir_text *text);

/* folder/<name>.v, left alone when its content is already right; the folder is made. False after a reported error. */
bool weir_rtl_write_module(weir_rtl_design *design, weir_rtl_module module, const char *folder);
/* Every module below top that is not external. */
bool weir_rtl_write_design(weir_rtl_design *design, weir_rtl_module top, const char *folder);

#endif
