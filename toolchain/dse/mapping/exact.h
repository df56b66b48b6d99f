/* The order of all prime factors and the allocation with the least energy: exact. The energy of a mapping is a sum over
 * the boundaries between consecutive memories of an operand, and the cost of a boundary depends only on the set of
 * loops below it, not on their order. So a shortest path through the sets of loops finds the best of all orders and
 * allocations; paths to the same set are compared by energy and by the room that they leave in shared memories. */
#ifndef WEIR_DSE_EXACT_H
#define WEIR_DSE_EXACT_H

#include "dse/mapping/cost.h"

/* Fills loops and allocation of `temporal`, whose problem is set. *energy: the least there is. False: nothing fits, or
 * there are too many sets of loops (*too_many). */
bool weir_dse_exact_energy(weir_dse_temporal *temporal, const weir_dse_rules *rules, double *energy, bool *too_many);

#endif
