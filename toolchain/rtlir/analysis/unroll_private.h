/* The walk that unrolls loops. */
#ifndef WEIR_RTLIR_UNROLL_PRIVATE_H
#define WEIR_RTLIR_UNROLL_PRIVATE_H

#include "rtlir/core/private.h"

/* A walk over all statements of a module that takes loops iteration by iteration, outer statements first, without
 * recursion. A loop of many iterations is taken once, its iterator being unknown. Functions are left out. */
typedef struct rtl_turn {
    uint32_t stmt, iterator;
    int64_t value;
    bool is_known, was_first;
} rtl_turn;
typedef struct rtl_unroll {
    const weir_rtl_design *design;
    uint32_t stmt; /* where the walk is; 0 at the end */
    uint32_t part; /* the assignment, process or instance of the body that this is or is in; of a loop there, itself */
    uint32_t unit; /* number of that part, counted again in each iteration: what is built for it is one thing */
    bool is_first; /* no loop of the body around the part is in a later iteration */
    rtl_turn *turn;
    size_t depth, capacity;
    size_t body_depth; /* so many turns are those of loops of the body */
    uint64_t weight;   /* iterations of the loops around, multiplied */
} rtl_unroll;
void rtl_unroll_start(rtl_unroll *unroll, const weir_rtl_design *design, uint32_t module);
void rtl_unroll_next(rtl_unroll *unroll);
/* What is inside the statement is passed over. */
void rtl_unroll_skip(rtl_unroll *unroll);
void rtl_unroll_end(rtl_unroll *unroll);

#endif
