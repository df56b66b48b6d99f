/* The best folding of a hardware graph on its device: for every interval that a frame can take the knapsack of folding_space.h is
 * solved, exactly, and the best of the solutions is built. The report says what no folding can be better than. */
#ifndef WEIR_DSE_FOLDING_SEARCH_H
#define WEIR_DSE_FOLDING_SEARCH_H

#include <jansson.h>

#include "dse/knapsack.h"
#include "ir/graph.h"
#include "support/text.h"

typedef enum weir_folding_objective {
    WEIR_FOLDING_THROUGHPUT, /* the shortest interval, then the least area */
    WEIR_FOLDING_LATENCY,    /* the fewest cycles from the first beat of a frame to the last of its result */
    WEIR_FOLDING_AREA,       /* the fewest lookup tables, then the least of the rest */
    WEIR_FOLDING_ENERGY      /* the least energy a frame: weir_folding_energy */
} weir_folding_objective;

typedef struct weir_folding_request {
    weir_folding_objective objective;
    int64_t budget[WEIR_KNAPSACK_RESOURCES]; /* in the order of weir_cost_uses; -1: what the device has */
    int64_t interval;                        /* cycles that a frame may take, 0: any */
    bool (*complete)(weir_graph *graph);     /* inserts converters, forks and FIFOs into a folded graph */
} weir_folding_request;

typedef struct weir_folding_report {
    weir_folding_objective objective;
    int64_t interval, latency;              /* cycles */
    int64_t used[WEIR_KNAPSACK_RESOURCES];  /* all of it */
    int64_t fifos[WEIR_KNAPSACK_RESOURCES]; /* of that, what the schedule asks for */
    int64_t budget[WEIR_KNAPSACK_RESOURCES];
    int64_t value, bound; /* of the objective: no folding is below the bound */
    size_t intervals;     /* that a frame can take */
} weir_folding_report;

bool weir_folding_objective_parse(const char *text, weir_folding_objective *objective);

/* Folds the graph, which has components assigned and a device. False after a reported error: what is missing when nothing fits,
 * and a device that has it. */
bool weir_folding_search(weir_graph *graph, const weir_folding_request *request, weir_folding_report *report);

/* {"objective", "interval", "latency", "value", "bound", "unit", "gap", "optimal", "intervals", "resources": {"luts": {"used", "fifos",
 * "budget"}, ...}}: value and bound are those of the objective; a new reference. */
json_t *weir_folding_report_json(const weir_folding_report *report);
/* Such an object in two lines. */
void weir_folding_report_print(const json_t *report, weir_text *text);

#endif
