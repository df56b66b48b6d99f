/* Orders of temporal loops: a layer's loops cut into factors, and all distinct permutations of these, one by one. */
#ifndef WEIR_DSE_ORDERING_H
#define WEIR_DSE_ORDERING_H

#include "dse/mapping/temporal.h"

/* The prime factors of the problem's loops, then merged, the two smallest of the loop with the most factors at a time,
 * until at most `limit` remain (0: no limit; fewer than loops do not go). Factors that the layer's mapping fixes stay
 * whole. */
void weir_dse_ordering_factors(const weir_dse_problem *problem, int limit, weir_dse_loops *factors);
/* Distinct permutations of the factors; a double, as there may be many. */
double weir_dse_ordering_count(const weir_dse_loops *factors);

/* Prefix shifts (Williams, "Loopless generation of multiset permutations", SODA 2009): each costs a few steps. */
typedef struct weir_dse_ordering {
    int count;
    uint8_t rank[WEIR_DSE_LOOPS]; /* of a node's factor; equal for equal factors */
    uint8_t next[WEIR_DSE_LOOPS]; /* next node; count: none */
    uint8_t dim[WEIR_DSE_LOOPS];  /* by node */
    double size[WEIR_DSE_LOOPS];
    uint8_t head, second_last, last;
} weir_dse_ordering;

void weir_dse_ordering_start(weir_dse_ordering *ordering, const weir_dse_layer *layer, const weir_dse_loops *factors);
/* The next permutation; false: that was the last. */
bool weir_dse_ordering_step(weir_dse_ordering *ordering);
void weir_dse_ordering_read(const weir_dse_ordering *ordering, weir_dse_loops *loops);

/* Does the layer's mapping state the whole order? It is then in `loops`. */
bool weir_dse_ordering_stated(const weir_dse_problem *problem, weir_dse_loops *loops);
/* Does the order respect the positions that the layer's mapping fixes? */
bool weir_dse_ordering_allowed(const weir_dse_layer *layer, const weir_dse_loops *loops);

#endif
