/* choose_folding: components for all nodes and how they are folded: by a target or a number of multipliers
 * (dataflow/folding.h), or the best for an objective on the graph's device (dse/folding/folding_search.h). */
#include <stdlib.h>
#include <string.h>

#include "dataflow/component.h"
#include "dataflow/cost/cost.h"
#include "dataflow/cost/target.h"
#include "dataflow/folding.h"
#include "dse/folding/folding_budget.h"
#include "dse/folding/folding_search.h"
#include "passes/passes.h"
#include "support/text/diag.h"

bool weir_choose_folding(weir_graph *graph, int64_t target, int64_t budget, const char *file) {
    return weir_component_assign(graph) && weir_folding_choose(graph, target, budget, file);
}

bool weir_complete_folding(weir_graph *graph, int64_t limit, weir_schedule_timing *timing) {
    return weir_insert_streams(graph) && weir_size_fifos_timed(graph, limit, timing);
}

static bool choose_best(const weir_pass *pass, weir_module *module, weir_graph *graph, const char *objective) {
    const weir_device *device = weir_target_of(graph).device;
    weir_folding_request request = {.interval = weir_pass_int(pass, "target-interval"),
                                    .whole = !weir_pass_bool(pass, "margin"),
                                    .complete = weir_complete_folding};
    weir_folding_objective_parse(objective, &request.objective);
    if (device == NULL) {
        weir_error(WEIR_NOWHERE, "an objective needs a device, whose resources are the limit");
        weir_note("'weir devices' lists them");
        return false;
    }
    weir_folding_report report;
    if (!weir_folding_budget_parse(weir_pass_string(pass, "budget"), device, request.budget) ||
        !weir_component_assign(graph) || !weir_folding_read(graph, weir_pass_string(pass, "file"), &request.interval) ||
        !weir_folding_search(graph, &request, &report))
        return false;
    weir_keep_folding_report(module, weir_folding_report_json(&report));
    return true;
}

/* Has a node a folding of its own already, as in a graph that was folded and read again? */
static bool is_folded(const weir_graph *graph) {
    bool any = false;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        const weir_component *component = weir_component_of(graph, node);
        if (component == NULL) continue;
        size_t count;
        const weir_component_setting *settings = weir_component_setting_list(component->rules, &count);
        for (size_t i = 0; i < count; i++)
            any |= settings[i].role == WEIR_SETTING_UNITS &&
                   weir_component_setting_of(&weir_node_metadata_of(graph, node)->hardware, &settings[i]) > 0;
    }
    return any;
}

/* A device named is a design that fits it, unless a folding is asked for. */
static const char *objective_of(const weir_pass *pass, const weir_graph *graph) {
    const char *objective = weir_pass_string(pass, "objective");
    if (strcmp(objective, "auto") != 0) return objective;
    const bool is_asked = weir_pass_int(pass, "target-interval") > 0 || weir_pass_is_set(pass, "max-macs") ||
                          *weir_pass_string(pass, "file") != '\0' || is_folded(graph);
    return is_asked || *weir_graph_device(graph) == '\0' ? "none" : "throughput";
}

bool weir_pass_choose_folding(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    (void)context;
    weir_graph *graph = weir_module_find_graph(module, "hardware");
    const char *objective = objective_of(pass, graph);
    if (strcmp(objective, "none") != 0) return choose_best(pass, module, graph, objective);
    return weir_choose_folding(graph, weir_pass_int(pass, "target-interval"), weir_pass_int(pass, "max-macs"),
                               weir_pass_string(pass, "file"));
}
