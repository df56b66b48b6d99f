/* What moves between the memories under a temporal mapping: the periods of each operand's levels and the data of a
 * period. */
#ifndef WEIR_DSE_FLOW_H
#define WEIR_DSE_FLOW_H

#include "dse/mapping/cost.h"

/* By level; 0 is the array, m + 1 memory m. */
typedef struct weir_dse_periods {
    uint8_t start[3][WEIR_DSE_LEVELS]; /* stationary loops moved down: as in weir_dse_temporal */
    double cycles[3][WEIR_DSE_LEVELS]; /* of a period */
    double count[3][WEIR_DSE_LEVELS];  /* periods */
    double top_fresh[3][WEIR_DSE_LEVELS],
        top_again[3][WEIR_DSE_LEVELS]; /* outermost loops with all new, or the same data */
    double total;                      /* cycles */
    double sums_over[WEIR_DSE_LEVELS]; /* of the output: irrelevant loops from memory m on */
} weir_dse_periods;

/* The same with data, for one scope. */
typedef struct weir_dse_flow {
    double elements[3][WEIR_DSE_LEVELS], precision[3][WEIR_DSE_LEVELS];
    double amount[3][WEIR_DSE_MEMORIES][WEIR_DSE_DIRECTIONS]; /* elements a period; 0: nothing */
    double bits[3][WEIR_DSE_MEMORIES][WEIR_DSE_DIRECTIONS];   /* of an element */
    bool is_partial[WEIR_DSE_LEVELS];                         /* does the level hold sums that continue? */
} weir_dse_flow;

void weir_dse_flow_periods(const weir_dse_temporal *temporal, const weir_dse_rules *rules, weir_dse_periods *periods);
void weir_dse_flow_data(const weir_dse_temporal *temporal, const weir_dse_periods *periods, bool whole,
                        weir_dse_flow *flow);
/* The level whose period a transfer of memory m has: its own for those with the level above, else that below. */
static inline int weir_dse_flow_level(int memory, int direction) { return memory + (direction >= WEIR_DSE_READ_HIGH); }

#endif
