/* The cost of a layer with its whole mapping: energy in pJ, latency in cycles, as ZigZag's cost model counts them
 * (README.md). Nothing is allocated; a few microseconds. */
#ifndef WEIR_DSE_COST_H
#define WEIR_DSE_COST_H

#include "dse/mapping/temporal.h"

/* How to count. The first two are ZigZag's errors. */
typedef struct weir_dse_rules {
    bool negative_onloading;   /* loads that overlap computation may be counted below zero */
    bool half_shared_replaced; /* of links with one shared port only the last counts */
    bool access_same_free;     /* data that stays at a memory's output is not read again */
} weir_dse_rules;

typedef struct weir_dse_cost {
    double energy, mac_energy, memory_energy;            /* pJ; energy is the sum of the others */
    double ideal, ideal_temporal, stall;                 /* cycles: every unit busy; with the spatial mapping; waits */
    double onloading, offloading;                        /* cycles before and after */
    double latency, latency_computation, latency_loaded; /* all; without both; without off-loading */
} weir_dse_cost;

/* What the cost comes from, for reports. */
typedef struct weir_dse_detail {
    double words[3][WEIR_DSE_MEMORIES][WEIR_DSE_DIRECTIONS];
    double energy[3][WEIR_DSE_MEMORIES];              /* pJ */
    double utilization[3][WEIR_DSE_MEMORIES];         /* of the memory, by all operands in it */
    double stall[WEIR_DSE_MEMORIES * WEIR_DSE_PORTS]; /* cycles, by channel of the problem; negative: to spare */
    uint8_t start[3][WEIR_DSE_LEVELS];                /* the loops' places after stationary ones have moved down */
} weir_dse_detail;

/* `detail` may be NULL. */
void weir_dse_cost_of(const weir_dse_temporal *temporal, const weir_dse_rules *rules, weir_dse_cost *cost,
                      weir_dse_detail *detail);

#endif
