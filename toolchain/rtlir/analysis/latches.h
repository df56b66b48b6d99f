/* Inferred latches. */
#ifndef WEIR_RTLIR_LATCHES_H
#define WEIR_RTLIR_LATCHES_H

#include "rtlir/analysis/uses.h"

/* Bits that a combinational block assigns, but not on every path through it; or that a clocked block assigns only where
 * an asynchronous reset, one of its events, is active. Loops take their iterations. */
typedef struct weir_rtl_latch {
    weir_rtl_net net;
    uint32_t low, width;
    weir_rtl_stmt process, stmt; /* the first assignment to it */
    weir_rtl_var reset;          /* none: in a combinational block */
} weir_rtl_latch;
typedef struct weir_rtl_latches weir_rtl_latches;
weir_rtl_latches *weir_rtl_latches_new(const weir_rtl_design *design);
void weir_rtl_latches_free(weir_rtl_latches *latches);
/* Those of a module, by process and net; until the next module is asked for. Linear in its statements, iterations and
 * bits that are named apart, times the depth of branches. */
const weir_rtl_latch *weir_rtl_find_latches(weir_rtl_latches *latches, weir_rtl_module module, size_t *count);

#endif
