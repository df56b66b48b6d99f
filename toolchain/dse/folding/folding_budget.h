/* What a folding may take of its device: the user's budget, and the margin that is left free for errors of
 * estimates. */
#ifndef WEIR_DSE_FOLDING_BUDGET_H
#define WEIR_DSE_FOLDING_BUDGET_H

#include "dataflow/cost/device.h"
#include "dse/folding/knapsack.h"

/* "lut=20000,dsp=50%,bram=-2": numbers; shares of the device's resource, "50%" alone of each resource; or amounts left
 * to others: -3 for all but 2; all of a resource that is not named: -1. False after a reported error. */
bool weir_folding_budget_parse(const char *text, const weir_device *device, int64_t *budget);
/* The amount of such a budget if `available` exist. */
int64_t weir_folding_budget_of(int64_t budget, int64_t available);
/* How much of each resource, in the order of weir_cost_uses, is left free (margin.def). */
void weir_folding_margin(const weir_device *device, int64_t *margin);

#endif
