/* The foldings of one interval with the least latency, by branch and bound over the items in graph order: the timing of
 * a frame's beats in the items so far is exact (the schedule's service rules, without FIFOs, which only add latency);
 * the rest is bounded by folding_tail.c from there, with resources priced by the multipliers of the Lagrangian
 * relaxation. A prefix is dropped if another one leaves as much of every resource and delivers no beat later. */
#ifndef WEIR_DSE_FOLDING_EXACT_H
#define WEIR_DSE_FOLDING_EXACT_H

#include "dse/folding/folding_space.h"

typedef struct weir_folding_exact {
    const int64_t *budget;
    const int64_t *mix; /* shares of bounds, as weir_folding_space_share has them, that are good for all items */
    int64_t limit;      /* latencies from here on are of no interest */
    size_t room;        /* prefixes kept for an item: if there are more, the best by their bounds */
    int64_t *work;      /* steps of service rules that are left: at 0 it ends early */
    /* Called with a folding, what it takes and its latency without FIFOs, the fastest first; returns the new limit. */
    int64_t (*found)(void *user, const weir_folding_pick *pick, const int64_t *use, int64_t latency);
    void *user;
} weir_folding_exact;

/* About the options of all items times how often each is relaxed, for the interval of the last weir_folding_space_at:
 * the cost of a search besides its steps of service rules. */
int64_t weir_folding_exact_options(const weir_folding_space *space);
/* For the interval of the last weir_folding_space_at. Returns a lower bound of all foldings' latencies; the limit if
 * none is below it. */
int64_t weir_folding_exact_search(weir_folding_space *space, const weir_folding_exact *exact);

#endif
