/* The parts of a folding search: folding_finder.c handles one interval, folding_interval.c and folding_latency.c all of
 * them, folding_refusal.c explains why nothing fits, and folding_search.c selects among these. */
#ifndef WEIR_DSE_FOLDING_SEARCH_PRIVATE_H
#define WEIR_DSE_FOLDING_SEARCH_PRIVATE_H

#include "dse/folding/folding_search.h"
#include "dse/folding/folding_space.h"

/* A search is limited by steps of about a nanosecond each, so deep networks take no longer than others and every
 * machine finds the same: comparisons of a knapsack's choices, which may use a part of the steps left, and other work
 * converted to steps. When none are left, the remaining intervals are not searched and keep their known bounds. */
enum {
    WEIR_FOLDING_MOST_WORK = 1000000000,
    WEIR_FOLDING_SOME_PARTS = 4, /* a part of the work is one of these */
    WEIR_FOLDING_FEW = 200,      /* partial choices of a knapsack, where the value is only a bound of the latency */
    WEIR_FOLDING_FEW_ROUNDS = 4
};
#define WEIR_FOLDING_NEVER (INT64_C(1) << 60) /* more than any value (knapsack.h) */

/* Weights of bounds and of cycles are in these units, as multipliers are whole numbers. */
enum { WEIR_FOLDING_SHARE = 1 << 10, WEIR_FOLDING_CYCLE = WEIR_FOLDING_SHARE * WEIR_FOLDING_SHARES };

extern const weir_folding_weights weir_folding_least_area, weir_folding_least_energy, weir_folding_quick;

typedef struct weir_folding_finder {
    const weir_graph *graph;
    weir_target target;
    const weir_folding_request *request;
    weir_folding_space *space;
    int64_t available[WEIR_KNAPSACK_RESOURCES], margin[WEIR_KNAPSACK_RESOURCES];
    int64_t budget[WEIR_KNAPSACK_RESOURCES],
        reserve[WEIR_KNAPSACK_RESOURCES]; /* of the budget, for FIFOs that the schedule asks for */
    /* found */
    bool fits;
    size_t index;
    weir_folding_pick *pick;
    weir_knapsack_price total;
    int64_t value, bound;
    size_t capacity;           /* of knapsacks (knapsack.h) */
    bool is_again;             /* searched before with different room for FIFOs */
    int64_t work, parts;       /* steps of knapsacks that are left, and of these the part that the next one may take */
    const int64_t *mix;        /* of bounds, for a latency; NULL: the first */
    weir_folding_report built; /* the result; interval 0: not known */
    int64_t least[WEIR_KNAPSACK_RESOURCES];
} weir_folding_finder;

/* --- folding_finder.c --- */

weir_folding_finder weir_folding_start(const weir_graph *graph, const weir_folding_request *request);
void weir_folding_finish(weir_folding_finder *s);
/* Intervals that are no longer than that; 0: all. */
size_t weir_folding_count_within(const weir_folding_finder *s, int64_t longest);
/* Solves interval `index` for values below `limit` and writes `bound`, both including what every folding takes. */
bool weir_folding_solve(weir_folding_finder *s, size_t index, int64_t limit, int64_t *bound);
/* Folds and completes a copy, unless that was done, and computes its cost, without FIFOs if its latency is `limit` or
 * more. False after a reported error. */
bool weir_folding_try_out(weir_folding_finder *s, int64_t limit);
bool weir_folding_is_within(const weir_folding_finder *s);
/* Is one resource by itself short in the solved interval? If it is in the longest interval, it is in every shorter
 * one. */
bool weir_folding_is_short(const weir_folding_finder *s);

/* Room for FIFOs, and for the guards at the ports, which no item counts: the amounts known to be too small, and too
 * large to leave a fit. */
typedef struct weir_folding_spare {
    int64_t low[WEIR_KNAPSACK_RESOURCES], high[WEIR_KNAPSACK_RESOURCES];
    bool has_high;
} weir_folding_spare;

/* More room if the last folding took too much; between the known bounds of both kinds, if there are. False: nothing is
 * between. */
bool weir_folding_try_room(weir_folding_finder *s, weir_folding_spare *tried);

/* --- folding_interval.c, folding_latency.c: over the first `count` intervals, at least one --- */

/* The shortest that fits. */
void weir_folding_find_fastest(weir_folding_finder *s, size_t count);
/* The least by the weights. */
void weir_folding_find_least(weir_folding_finder *s, size_t count);
/* The least latency. */
void weir_folding_find_quickest(weir_folding_finder *s, size_t count);

/* --- folding_refusal.c --- */

/* Reports why nothing fits, what does, and where. */
void weir_folding_refuse(weir_folding_finder *s);

#endif
