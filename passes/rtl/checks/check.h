/* What the checks of hardware designs share. A check looks at one module after the other, reports every violation at
 * the location of its item, and changes nothing. */
#ifndef WEIR_PASSES_RTL_CHECK_H
#define WEIR_PASSES_RTL_CHECK_H

#include "passes/rtl/rtl.h"
#include "rtlir/analysis/uses.h"
#include "rtlir/core/function.h"

/* Reports what is wrong in one module; returns how many violations there are. */
typedef size_t weir_check_module(weir_rtl_design *design, weir_rtl_module module, void *user);
/* Runs the check on every module with content, children first; false when it found something. */
bool weir_check_modules(weir_pass_context *context, weir_rtl_design *design, weir_check_module *check, void *user);

weir_location weir_location_of_stmt(const weir_rtl_design *design, weir_rtl_stmt stmt);
weir_location weir_location_of_var(const weir_rtl_design *design, weir_rtl_var var);
const char *weir_module_name_of(const weir_rtl_design *design, weir_rtl_module module);

/* Numbers of the nets of a design, for tables: variables come first, then ports of instances. */
typedef struct weir_net_numbers {
    const weir_rtl_design *design;
    uint32_t *base; /* by instance */
    size_t count;
} weir_net_numbers;
weir_net_numbers weir_number_nets(const weir_rtl_design *design);
void weir_free_numbers(weir_net_numbers *numbers);
size_t weir_net_number(const weir_net_numbers *numbers, weir_rtl_net net);
/* 'x' or 'u.x', for messages; appended. */
void weir_name_net(const weir_rtl_design *design, weir_rtl_net net, weir_text *text);
/* The same with the bits, unless they are all of them: 'x[3:0]'. */
void weir_name_bits(const weir_rtl_design *design, weir_rtl_net net, uint32_t low, uint32_t width, weir_text *text);

/* Calls back for every net that a target names, which may be a concatenation; `stmt` is handed on. */
typedef void weir_target_visitor(weir_rtl_net net, weir_rtl_stmt stmt, void *user);
void weir_visit_parts(const weir_rtl_design *design, weir_rtl_expr target, weir_rtl_stmt stmt,
                      weir_target_visitor *visit, void *user);

#endif
