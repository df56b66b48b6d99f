/* What the passes over hardware designs share. */
#ifndef WEIR_PASSES_RTL_H
#define WEIR_PASSES_RTL_H

#include "passes/passes.h"
#include "rtlir/core/visitor.h"
#include "rtlir/edit/mutate.h"
#include "rtlir/verilog/print.h"

/* The top module of the module's design; of the design that the context works on. */
weir_rtl_module weir_hardware_top_of(const weir_module *module);
weir_rtl_module weir_hardware_top(const weir_pass_context *context);
/* The modules below and including it that have content: not the external ones. Heap memory, free() it; NULL after a
 * reported error when a module contains itself. */
weir_rtl_module *weir_hardware_modules(const weir_pass_context *context, weir_rtl_design *design, weir_rtl_order order,
                                       size_t *count);

/* The unsigned constant 0 of any width. */
weir_rtl_expr weir_hardware_zero(weir_rtl_design *design, uint32_t width);
/* As many zeros as the expression has bits, whatever parameters are. */
weir_rtl_expr weir_hardware_zero_like(weir_rtl_design *design, weir_rtl_expr like);

/* How the pass's options say that Verilog looks: dialect, line_wrap, unique_case, yosys_src (generate_verilog.c). */
weir_rtl_print_options weir_verilog_options(const weir_pass *pass);
/* Verilog of all modules below the top as one text (generate_verilog.c). False after a reported error. */
bool weir_print_hardware(weir_rtl_design *design, weir_rtl_module top, const weir_rtl_print_options *options,
                         weir_text *text);

#endif
