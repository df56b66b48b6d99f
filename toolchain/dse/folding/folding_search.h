/* The best folding of a hardware graph on its device: solves the knapsack of folding_space.h exactly for every possible
 * interval, and builds the best solution. The report has the bound that no folding beats. */
#ifndef WEIR_DSE_FOLDING_SEARCH_H
#define WEIR_DSE_FOLDING_SEARCH_H

#include "dataflow/cost/cost.h"
#include "dataflow/cost/target.h"
#include "dataflow/schedule/schedule.h"
#include "dse/folding/folding_report.h"
#include "ir/graph/graph.h"

typedef struct weir_folding_request {
    weir_folding_objective objective;
    int64_t budget[WEIR_KNAPSACK_RESOURCES]; /* in the order of weir_cost_uses, as weir_folding_budget_parse gives it */
    bool whole;       /* no margin is left free (folding_budget.h): something else decides what fits */
    int64_t interval; /* cycles that a frame may take, 0: any */
    /* Inserts converters, forks and FIFOs into a folded graph and computes its latency. FIFOs may be omitted if that is
     * `limit` or more without them: they only add to it. */
    bool (*complete)(weir_graph *graph, int64_t limit, weir_schedule_timing *timing);
} weir_folding_request;

/* What a cost uses of the device's resources, in the order of weir_cost_uses. */
void weir_folding_use(const weir_cost *cost, const weir_device *device, int64_t *use);
/* Energy per frame of hardware that works `busy` cycles of the interval, and of the device itself, in fJ: README.md has
 * the model. */
int64_t weir_folding_energy(const int64_t *use, int64_t busy, int64_t interval);
int64_t weir_folding_static_energy(const weir_target *target, int64_t interval);

/* Gives the graph, which has components assigned and a device, the settings of the best folding: weir_folding_choose
 * with report->interval folds it. False if nothing fits (report->fits), without an error, or after a reported error. */
bool weir_folding_find(weir_graph *graph, const weir_folding_request *request, weir_folding_report *report);
/* The same, and folds the graph. False after a reported error, which says what is missing if nothing fits, and a device
 * that has it. */
bool weir_folding_search(weir_graph *graph, const weir_folding_request *request, weir_folding_report *report);

#endif
