/* Waits for memory ports: while the array computes, before it begins and after it ends. */
#ifndef WEIR_DSE_STALL_H
#define WEIR_DSE_STALL_H

#include "dse/mapping/flow.h"

/* Fills stall, onloading and offloading of the cost. `flow` is of the fractional spatial mapping (what memories have
 * room for), `whole` of the other (what moves). `stalls`, by channel, may be NULL. */
void weir_dse_stall_count(const weir_dse_temporal *temporal, const weir_dse_rules *rules,
                          const weir_dse_periods *periods, const weir_dse_flow *flow, const weir_dse_flow *whole,
                          weir_dse_cost *cost, double *stalls);

#endif
