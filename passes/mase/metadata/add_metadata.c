/* add_common_metadata, add_software_metadata, add_hardware_metadata. What MASE computes here follows from the graph and
 * is not stored (node_meta.h). Stored are the entries for statistics, the limits of parallelism, and the frame whose
 * values are shown. */
#include <stdlib.h>
#include <string.h>

#include "ir/trait/mase.h"
#include "passes/mase/dummy_in.h"
#include "passes/mase/metadata/node_meta.h"
#include "passes/passes.h"

/* ---- common ---- */

/* Runs the graph on the frame, so that what cannot be computed is found here. */
static bool run_on(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    weir_archive inputs;
    weir_module *module = weir_pass_module_of(context);
    uint64_t seed = (uint64_t)weir_pass_int(pass, "seed");
    if (!weir_dummy_in_make(graph, weir_pass_string(pass, "dummy_in"), seed, &inputs)) {
        weir_archive_free(&inputs);
        return false;
    }
    weir_dummy_in_keep(module, graph, &inputs);
    weir_executor *executor = weir_dummy_in_run(module, graph);
    bool fine = executor != NULL;
    weir_executor_free(executor);
    if (!fine || !weir_pass_bool(pass, "add_value")) weir_dummy_in_drop(module, graph);
    return fine;
}

bool weir_pass_add_common_metadata(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    if (weir_pass_bool(pass, "force_device_meta")) weir_dummy_in_drop(weir_pass_module_of(context), graph);
    else if (!run_on(pass, context, graph)) return false;
    weir_fx_view *view = weir_fx_view_new(graph);
    json_t *common = weir_node_meta_graph(view);
    json_object_update(weir_pass_record(context), common);
    json_decref(common);
    weir_fx_view_free(view);
    return true;
}

/* ---- software ---- */

/* software[group][name]["stat"] = {}, unless there are statistics already. */
static void add_entry(weir_metadata *metadata, const char *group, const char *name) {
    weir_node_meta_at(weir_metadata_facts(metadata, WEIR_META_SOFTWARE), (const char *[]){group, name, "stat"}, 3);
}

bool weir_pass_add_software_metadata(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    weir_pass_record(context);
    char name[WEIR_MASE_NAME_SIZE];
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        weir_metadata *metadata = weir_node_metadata(graph, node);
        for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
            weir_mase_role role = weir_mase_input(graph, node, i, name);
            if (role == WEIR_MASE_DATA || role == WEIR_MASE_PARAMETER) add_entry(metadata, "args", name);
        }
        for (size_t i = 0; i < weir_node_output_count(graph, node); i++) {
            weir_mase_output(i, name);
            add_entry(metadata, "results", name);
        }
    }
    return true;
}

/* ---- hardware ---- */

/* "4,4,4,4" as an array; NULL after a reported error. */
static json_t *read_limits(const char *text) {
    json_t *limits = json_array();
    const char *at = text;
    for (;;) {
        char *end;
        long long limit = strtoll(at, &end, 10);
        if (end == at || limit < 1) break;
        json_array_append_new(limits, json_integer(limit));
        if (*end == '\0') return limits;
        if (*end != ',') break;
        at = end + 1;
    }
    weir_error(WEIR_NOWHERE,
               "max_parallelism: expected numbers of at least 1, outermost dimension first, such as 4,4,4,4, "
               "found '%s'",
               text);
    json_decref(limits);
    return NULL;
}

bool weir_pass_add_hardware_metadata(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    json_t *limits = read_limits(weir_pass_string(pass, "max_parallelism"));
    if (limits == NULL) return false;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_node_meta_is_implicit(graph, node)) continue;
        json_object_set_new(weir_metadata_facts(weir_node_metadata(graph, node), WEIR_META_HARDWARE),
                            WEIR_NODE_META_LIMITS, json_deep_copy(limits));
    }
    json_decref(limits);
    weir_fx_view *view = weir_fx_view_new(graph);
    json_object_set_new(weir_pass_record(context), "verilog_sources", weir_node_meta_sources(view));
    weir_fx_view_free(view);
    return true;
}
