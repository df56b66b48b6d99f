/* What a folding may take of its device: a budget of the user's, and the margin that is left free because estimates are
 * off. */
#ifndef WEIR_DSE_FOLDING_BUDGET_H
#define WEIR_DSE_FOLDING_BUDGET_H

#include "dataflow/cost/device.h"
#include "dse/folding/knapsack.h"

/* "lut=20000,dsp=50%,bram=-2": numbers, or shares of what the device has, of which "50%" alone is that of everything,
 * or how much of any device is left to others: -3 for all but 2; of what is not named, all: -1. False after a reported
 * error. */
bool weir_folding_budget_parse(const char *text, const weir_device *device, int64_t *budget);
/* How much that is where `available` are. */
int64_t weir_folding_budget_of(int64_t budget, int64_t available);
/* Of each resource, in the order of weir_cost_uses, how much is left free (margin.def). */
void weir_folding_margin(const weir_device *device, int64_t *margin);

#endif
