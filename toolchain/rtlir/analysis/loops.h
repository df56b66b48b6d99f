/* Combinational loops. */
#ifndef WEIR_RTLIR_LOOPS_H
#define WEIR_RTLIR_LOOPS_H

#include "rtlir/analysis/uses.h"

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
    const weir_rtl_step *step; /* a shortest path round for the lowest bit, which is the first step */
    size_t step_count;
} weir_rtl_loop;
typedef void weir_rtl_loop_visitor(const weir_rtl_loop *loop, void *user);
/* Calls back for every loop of the modules below and including top, children first. False after a reported error when a
 * module contains itself. Linear in statements and iterations, and in bits below modules where ranges depend on
 * themselves. */
bool weir_rtl_find_loops(weir_rtl_design *design, weir_rtl_module top, weir_rtl_loop_visitor *visit, void *user);

#endif
