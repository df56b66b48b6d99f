/* The objective of a search for the best folding, and the report on its result. */
#ifndef WEIR_DSE_FOLDING_REPORT_H
#define WEIR_DSE_FOLDING_REPORT_H

#include <jansson.h>

#include "dse/folding/knapsack.h"
#include "support/text/text.h"

typedef enum weir_folding_objective {
    WEIR_FOLDING_THROUGHPUT, /* the shortest interval, then the least area */
    WEIR_FOLDING_LATENCY,    /* the fewest cycles from the first beat of a frame to the last of its result */
    WEIR_FOLDING_AREA,       /* the fewest lookup tables, then the least of the rest */
    WEIR_FOLDING_ENERGY      /* the least energy a frame: weir_folding_energy and that of the device itself */
} weir_folding_objective;

bool weir_folding_objective_parse(const char *text, weir_folding_objective *objective);

typedef struct weir_folding_report {
    weir_folding_objective objective;
    bool fits;
    int64_t interval, latency;               /* cycles */
    int64_t used[WEIR_KNAPSACK_RESOURCES];   /* all of it */
    int64_t fifos[WEIR_KNAPSACK_RESOURCES];  /* of that, for FIFOs that the schedule asks for */
    int64_t doors[WEIR_KNAPSACK_RESOURCES];  /* and at the ports: dataflow/frame.h */
    int64_t budget[WEIR_KNAPSACK_RESOURCES]; /* what it may take of the device */
    int64_t margin[WEIR_KNAPSACK_RESOURCES]; /* of the device, left free for errors of estimates */
    int64_t available[WEIR_KNAPSACK_RESOURCES];
    int64_t value, bound; /* of the objective: no folding is below the bound */
    size_t intervals;     /* that a frame can take */
    int64_t steps;        /* of the search: folding_search.c */
} weir_folding_report;

/* `folding` of report/schema/estimate.schema.json: value and bound are those of the objective. A new reference. */
json_t *weir_folding_report_json(const weir_folding_report *report);
/* Such an object in a few lines. */
void weir_folding_report_print(const json_t *report, weir_text *text);

#endif
