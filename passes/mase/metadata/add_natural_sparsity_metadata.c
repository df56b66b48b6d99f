/* add_natural_sparsity_metadata: the zeros that weights and activations of linear layers and convolutions have anyway,
 * activations over all frames of `dummy_in`. Sparsity is the share of zeros, density the share of the others. With
 * add_meta both become facts: software.args.weight.natural_sparsity and .natural_density, and the same of data_in_0. */
#include <stdlib.h>

#include "cosim/frames.h"
#include "ir/trait/mase.h"
#include "passes/mase/fact.h"
#include "passes/mase/metadata/sparsity.h"
#include "passes/passes.h"
#include "support/memory/arena.h"

/* By node; a node that is not measured counts nothing. */
typedef struct tally {
    const weir_graph *graph;
    weir_zeros *weight, *data;
    bool weights_seen;
} tally;

static void add(const weir_graph *graph, weir_node node, const char *name, const weir_executor *executor,
                weir_zeros *to) {
    weir_value value = weir_mase_find(graph, node, name);
    if (value.id != 0) weir_zeros_add(to, weir_value_type(graph, value), weir_executor_value(executor, value));
}

/* Weights are the same in every frame. */
static bool see_frame(void *user, const weir_executor *executor) {
    tally *t = user;
    for (weir_node node = weir_graph_first(t->graph); node.id != 0; node = weir_node_next(t->graph, node)) {
        if (!weir_sparsity_applies(t->graph, node)) continue;
        if (!t->weights_seen) add(t->graph, node, "weight", executor, &t->weight[node.id]);
        add(t->graph, node, "data_in_0", executor, &t->data[node.id]);
    }
    t->weights_seen = true;
    return true;
}

/* Elements of one tensor; the frames of an activation count as one. */
static json_t *record_of(const weir_zeros *zeros, int64_t frames) {
    double sparsity = weir_zeros_share(zeros);
    return json_pack("{s:I, s:f, s:f}", "numel", (json_int_t)(zeros->count / (uint64_t)frames), "sparsity", sparsity,
                     "density", 1 - sparsity);
}

static void report(const char *node, const char *side, const weir_zeros *zeros, int64_t frames, json_t *record) {
    if (zeros->count == 0) return;
    char *key = weir_format("%s_%s", node, side);
    json_object_set_new(record, key, record_of(zeros, frames));
    free(key);
}

static void store(weir_graph *graph, weir_node node, const char *name, const weir_zeros *zeros) {
    if (zeros->count == 0) return;
    double sparsity = weir_zeros_share(zeros);
    weir_fact_set(graph, node, name, "natural_sparsity", json_real(sparsity));
    weir_fact_set(graph, node, name, "natural_density", json_real(1 - sparsity));
}

static void gather(weir_zeros *to, const weir_zeros *from) {
    to->count += from->count;
    to->zeros += from->zeros;
}

bool weir_pass_add_natural_sparsity_metadata(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    size_t limit = weir_graph_node_limit(graph);
    tally t = {graph, weir_calloc(limit, sizeof(weir_zeros)), weir_calloc(limit, sizeof(weir_zeros)), false};
    weir_zeros weights = {0, 0}, data = {0, 0};
    int64_t frames = weir_frames_run(graph, weir_pass_string(pass, "dummy_in"), 0, see_frame, &t);
    for (weir_node node = weir_graph_first(graph); frames > 0 && node.id != 0; node = weir_node_next(graph, node)) {
        json_t *record = weir_pass_record(context);
        const char *name = weir_node_name(graph, node);
        report(name, "weight", &t.weight[node.id], 1, record);
        report(name, "activation", &t.data[node.id], frames, record);
        gather(&weights, &t.weight[node.id]);
        gather(&data, &t.data[node.id]);
        if (!weir_pass_bool(pass, "add_meta")) continue;
        store(graph, node, "weight", &t.weight[node.id]);
        store(graph, node, "data_in_0", &t.data[node.id]);
    }
    if (frames > 0) {
        json_object_set_new(weir_pass_record(context), "avg_weight", record_of(&weights, 1));
        json_object_set_new(weir_pass_record(context), "avg_activation", record_of(&data, frames));
    }
    free(t.weight);
    free(t.data);
    return frames > 0;
}
