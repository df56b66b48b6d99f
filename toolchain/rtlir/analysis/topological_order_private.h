/* Modules whose statements are in topological order. */
#ifndef WEIR_RTLIR_TOPOLOGICAL_ORDER_PRIVATE_H
#define WEIR_RTLIR_TOPOLOGICAL_ORDER_PRIVATE_H

#include "rtlir/analysis/dependence_private.h"

/* Linear, by whole variables: are the statements of a module in topological order? */
typedef struct rtl_order {
    const weir_rtl_design *design;
    uint64_t *depends; /* by variable: inputs of its module, by their number */
    bool *is_read;     /* by variable */
    uint64_t inputs;   /* that what is looked at depends on */
    bool failed;
    uint32_t *stack;
    size_t depth, stack_capacity;
} rtl_order;
void rtl_order_start(rtl_order *order, const weir_rtl_design *design);
/* True when nothing in the module is read before it is driven: it has no loops, and its paths are appended. Once a
 * module. */
bool rtl_is_topological(rtl_order *order, uint32_t module, rtl_paths *paths);
void rtl_order_end(rtl_order *order);

#endif
