/* What the files of the Verilog printer share. */
#ifndef WEIR_RTLIR_PRINTER_H
#define WEIR_RTLIR_PRINTER_H

#include "rtlir/internal.h"

enum { RTL_COLUMNS = 120, RTL_INDENT = 2 };

/* A blank where a long line may be wrapped. It occurs in no name, number or printed string. */
#define RTL_BREAK '\x01'

/* An expression with break marks. */
void rtl_print_broken(const weir_rtl_design *design, uint32_t expr, weir_text *text);
void rtl_print_string(const char *string, weir_text *text);
void rtl_print_integer(int64_t value, weir_text *text);

/* The statements of a module's body (print_stmt.c). */
void rtl_print_body(const weir_rtl_design *design, const rtl_module *module, weir_text *text);

/* Appends `line`, which has break marks, at this indentation; continuation lines stand one level deeper. */
void rtl_print_line(const weir_text *line, int indent, weir_text *text);
/* The comment (NULL: none) as `// ` lines at this indentation, wrapped. */
void rtl_print_comment(const char *comment, int indent, weir_text *text);
/* (* ... *) and a line end, when there are attributes. */
void rtl_print_attributes(const weir_rtl_design *design, const rtl_common *common, int indent, weir_text *text);

#endif
