/* Temporal mappings: an order of loops, and for each operand which of its memories holds the data of which of them. */
#ifndef WEIR_DSE_TEMPORAL_H
#define WEIR_DSE_TEMPORAL_H

#include "dse/mapping/problem.h"

typedef struct weir_dse_loops {
    int count;
    uint8_t dim[WEIR_DSE_LOOPS];
    double size[WEIR_DSE_LOOPS]; /* whole numbers */
} weir_dse_loops;

typedef struct weir_dse_temporal {
    const weir_dse_problem *problem;
    weir_dse_loops loops;              /* the innermost first */
    uint8_t start[3][WEIR_DSE_LEVELS]; /* loops of the operand's memory m: from start[m] to start[m + 1] */
} weir_dse_temporal;

/* Why an order does not fit: the first memory that is too small, for which operand (3: for several together). */
typedef struct weir_dse_misfit {
    const weir_dse_memory *memory;
    int operand;
    double bits; /* needed */
} weir_dse_misfit;

/* Gives each memory as many of the loops as saves the most accesses to the one above; with `is_even`, operands that
 * share a memory get the same loops of it. The loops are in `temporal`. False: they do not fit; then *misfit says why,
 * unless it is NULL. */
bool weir_dse_temporal_allocate(weir_dse_temporal *temporal, bool is_even, weir_dse_misfit *misfit);
/* The room that data of that size (elements or bits) needs in the memory: a double-buffered one also holds the next
 * part, unless a part is all of the operand. */
double weir_dse_temporal_room(const weir_dse_memory *memory, double data, double all);
/* The layer's loops without the spatial ones, in the order of the layer; at least one. */
void weir_dse_temporal_sizes(const weir_dse_problem *problem, weir_dse_loops *loops);

#endif
