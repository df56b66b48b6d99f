/* How values flow through the statements of a module. */
#ifndef WEIR_RTLIR_FLOW_H
#define WEIR_RTLIR_FLOW_H

#include "rtlir/analysis/uses.h"

/* Has the case a default, or a label for every value? Members of an enum are all values that it has. O(n log n). */
bool weir_rtl_case_is_full(const weir_rtl_design *design, weir_rtl_stmt branch);

/* A condition that is a reset, or the opposite of one. None when it is something else. */
typedef struct weir_rtl_reset_test {
    weir_rtl_var reset;
    bool is_high; /* the condition holds when the reset is 1 */
} weir_rtl_reset_test;
weir_rtl_reset_test weir_rtl_tested_reset(const weir_rtl_design *design, weir_rtl_expr condition);
/* The first statement of a block that is no claim and no remark; none when there is none. */
weir_rtl_stmt weir_rtl_first_effect(const weir_rtl_design *design, weir_rtl_block block);

/* Bits that a combinational block assigns, but not on every way through it; or that a clocked block assigns only where
 * an asynchronous reset, one of its events, is active. Loops take their iterations. */
typedef struct weir_rtl_latch {
    weir_rtl_net net;
    uint32_t low, width;
    weir_rtl_stmt process, stmt; /* the first assignment to it */
    weir_rtl_var reset;          /* none: in a combinational block */
} weir_rtl_latch;
typedef struct weir_rtl_flow weir_rtl_flow;
weir_rtl_flow *weir_rtl_flow_new(const weir_rtl_design *design);
void weir_rtl_flow_free(weir_rtl_flow *flow);
/* Those of a module, by process and net; until the next module is asked for. Linear in its statements, iterations and
 * bits that are named apart, times the depth of branches. */
const weir_rtl_latch *weir_rtl_find_latches(weir_rtl_flow *flow, weir_rtl_module module, size_t *count);

/* Combinational loops: ranges of bits that depend on themselves through assignments, combinational blocks and
 * instances, without a register, a latch block or an external module between. */
typedef struct weir_rtl_step {
    weir_rtl_net net;
    uint32_t low, width;
    weir_rtl_stmt stmt; /* makes it depend on the step before */
} weir_rtl_step;
typedef struct weir_rtl_loop {
    weir_rtl_module module;
    weir_rtl_net net;
    uint32_t low, width;
    const weir_rtl_step *step; /* a shortest way round for the lowest bit, which is the first step */
    size_t step_count;
} weir_rtl_loop;
typedef void weir_rtl_loop_visitor(const weir_rtl_loop *loop, void *user);
/* Calls back for every loop of the modules below and including top, children first. False after a reported error when a
 * module contains itself. Linear in statements and iterations, and in bits below modules where ranges depend on
 * themselves. */
bool weir_rtl_find_loops(weir_rtl_design *design, weir_rtl_module top, weir_rtl_loop_visitor *visit, void *user);

#endif
