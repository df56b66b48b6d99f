/* What is said of the best folding for an objective: choose_folding leaves it with the module, size_fifos adds what the
 * whole schedule says. */
#include <stdlib.h>

#include "dataflow/schedule/schedule.h"
#include "passes/passes.h"

void weir_keep_folding_report(weir_module *module, json_t *report) {
    char *text = json_dumps(report, JSON_COMPACT);
    weir_module_set_string(module, WEIR_FOLDING_REPORT, text);
    free(text);
    json_decref(report);
}

bool weir_promise_latency(weir_module *module, const weir_graph *graph) {
    json_t *report = json_loads(weir_module_string(module, WEIR_FOLDING_REPORT, ""), 0, NULL);
    int64_t latency = 0;
    if (report == NULL) return true;
    const bool fine = weir_schedule_first_latency(graph, &latency);
    json_object_set(report, "paced_latency", json_object_get(report, "latency"));
    json_object_set_new(report, "latency", json_integer((json_int_t)latency));
    weir_keep_folding_report(module, report);
    return fine;
}
