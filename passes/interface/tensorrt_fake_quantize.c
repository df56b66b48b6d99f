/* tensorrt_fake_quantize: the float model ("model") gets a twin ("quantized") whose layers and pools read data through
 * symmetric int8 quantizers without a range, which take that of each frame, and whose layers have quantized weights.
 * tensorrt_calibrate gives them ranges. */
#include <stdlib.h>

#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "passes/graph/fold_affine.h"
#include "passes/interface/tensorrt_config.h"
#include "passes/interface/tensorrt_quantizers.h"
#include "passes/passes.h"
#include "passes/quantize/remedy.h"
#include "support/memory/arena.h"

static bool is_pool(const weir_graph *graph, weir_node node) {
    const weir_trait_task task = weir_trait_of(weir_node_op(graph, node))->task;
    return task == WEIR_TASK_EXTREME || task == WEIR_TASK_MEAN;
}

/* The value through a quantizer of its own, or through that which an earlier node has. */
static weir_value put_fake(weir_graph *graph, weir_value value, weir_node before, const char *calibrator) {
    char *name = weir_format("%s_quant", weir_value_name(graph, value));
    const weir_node node = weir_graph_add_node(graph, WEIR_OP_FAKE_QUANTIZE, name, &value, 1, 1, before);
    free(name);
    weir_node_set_string(graph, node, "format", "affine width=8 symmetric=1");
    weir_node_set_string(graph, node, "calibrator", calibrator);
    weir_node_set_location(graph, node, weir_node_location(graph, before));
    return weir_infer_node(graph, node) ? weir_node_output(graph, node, 0) : WEIR_NO_VALUE;
}

static bool quantize_node(weir_graph *graph, weir_node node, const weir_tensorrt_entry *e, weir_value *done) {
    const weir_calibrator weights = {e->weight_histogram ? WEIR_CALIBRATOR_MSE : WEIR_CALIBRATOR_MAX, 0};
    const weir_value x = weir_node_input(graph, node, 0);
    const bool is_real = weir_dtype_is_float(weir_value_type(graph, x)->dtype);
    if (weir_layer_has_weights(graph, node) && !weir_tensorrt_put_weights(graph, node, &weights, e->by_channel))
        return false;
    if (!is_real || weir_value_constant(graph, x) != NULL) return true;
    if (done[x.id].id == 0) done[x.id] = put_fake(graph, x, node, e->input_histogram ? "histogram" : "max");
    if (done[x.id].id == 0) return false;
    weir_node_set_input(graph, node, 0, done[x.id]);
    return true;
}

static bool quantize_graph(weir_graph *graph, weir_tensorrt_config *config) {
    weir_value *done = weir_calloc(weir_graph_value_limit(graph), sizeof *done);
    bool fine = true;
    for (weir_node node = weir_graph_first(graph), next; fine && node.id != 0; node = next) {
        next = weir_node_next(graph, node);
        if (!weir_layer_has_weights(graph, node) && !is_pool(graph, node)) continue;
        const weir_tensorrt_entry *e = weir_tensorrt_config_find(config, graph, node);
        fine = !e->quantizes || quantize_node(graph, node, e, done);
    }
    free(done);
    return fine && weir_tensorrt_config_check(config, graph);
}

bool weir_pass_tensorrt_fake_quantize(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    (void)context;
    weir_tensorrt_config *config = weir_tensorrt_config_read(weir_pass_string(pass, "config"));
    if (config == NULL) return false;
    weir_graph *graph = weir_tidy(weir_module_find_graph(module, "model"));
    bool fine = graph != NULL;
    if (fine && weir_remedy_has_quantizers(graph)) {
        weir_error(weir_at(weir_graph_source(graph), 0), "the model already has quantizers");
        fine = false;
    }
    if (fine) {
        weir_rewrite rewrite = {.graph = graph};
        weir_fold_affine(&rewrite);
        fine = weir_rewrite_finish(&rewrite) && quantize_graph(graph, config);
    }
    weir_tensorrt_config_free(config);
    if (fine) {
        weir_eliminate_dead_code(graph);
        weir_graph_set_name(graph, "quantized");
        weir_module_add_graph(module, graph);
    } else if (graph != NULL) {
        weir_graph_free(graph);
    }
    return fine;
}
