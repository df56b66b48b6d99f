/* Data that the folding stages pass to each other. */
#ifndef WEIR_DSE_STAGES_FOLDING_H
#define WEIR_DSE_STAGES_FOLDING_H

#include "dataflow/cost/cost.h"
#include "dataflow/schedule/schedule.h"
#include "dse/result/result.h"
#include "ir/graph/graph.h"
#include "support/memory/arena.h"

/* Lowers the model to hardware for a device. */
typedef struct weir_dse_source {
    /* With components assigned and the target set; `clock_mhz` 0: the device's own goal. The caller's; NULL after a
     * reported error. */
    weir_graph *(*read)(void *user, const char *device, int64_t clock_mhz);
    bool (*complete)(weir_graph *graph, int64_t limit, weir_schedule_timing *timing); /* as in a weir_folding_request */
    void *user;
} weir_dse_source;

/* Folded, with its streams. */
typedef struct weir_dse_folding {
    const weir_graph *graph;
    const weir_device *device;
    weir_cost_survey *survey;
    weir_cost_report cost; /* of all components, memories that share blocks among them */
    int64_t interval;      /* cycles */
    const weir_dse_point *point;
    weir_arena *arena; /* for what results keep of it: until the run ends */
} weir_dse_folding;

#endif
