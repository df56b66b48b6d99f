/* set_target: the device and clock of the graphs that become hardware (dataflow/cost/target.h). 'hardware' is a copy of
 * 'integer', so the target is there before requantizers are chosen. */
#include "dataflow/cost/target.h"
#include "ir/shape/infer.h"
#include "passes/passes.h"
#include "support/text/diag.h"

/* The weights of layers may have all codes of their type. */
static bool widen_weights(weir_graph *graph) {
    weir_graph_set_patchable(graph, true);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_node_op(graph, node) != WEIR_OP_LINEAR) continue;
        const weir_value weights = weir_node_input(graph, node, 1);
        weir_type type = *weir_value_type(graph, weights);
        weir_quant_limits(&type.quant, &type.low, &type.high);
        type.has_range = true;
        weir_value_set_type(graph, weights, &type);
    }
    return weir_infer_graph(graph);
}

bool weir_pass_set_target(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    (void)context;
    static const char *const names[] = {"integer", "hardware"};
    bool fine = true, any = false;
    for (size_t i = 0; fine && i < sizeof names / sizeof *names; i++) {
        weir_graph *graph = weir_module_find_graph(module, names[i]);
        if (graph == NULL) continue;
        const char *device =
            weir_pass_is_set(pass, "device") ? weir_pass_string(pass, "device") : weir_graph_device(graph);
        const int64_t clock = weir_pass_is_set(pass, "clock") ? weir_pass_int(pass, "clock") : weir_graph_clock(graph);
        any = true;
        fine = weir_target_set(graph, device, clock);
        if (fine && i == 0 && weir_pass_bool(pass, "patchable")) fine = widen_weights(graph);
    }
    if (!any)
        weir_error(WEIR_NOWHERE,
                   "expected a graph 'integer' or 'hardware' to set a target for: lower_integer makes one");
    return fine && any;
}
