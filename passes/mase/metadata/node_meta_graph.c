/* The graph's own metadata: where data enters and leaves it, past nodes that are only another view of their input. */
#include <stdio.h>
#include <stdlib.h>

#include "ir/trait/mase.h"
#include "passes/mase/metadata/node_meta.h"
#include "support/memory/arena.h"

/* A tensor at the edge, under the next number; "node" is the one that takes or gives it. */
static void add_tensor(json_t *tensors, const char *prefix, const weir_fx_view *view, const weir_fx_node *node,
                       const char *group, const char *name) {
    char key[WEIR_MASE_NAME_SIZE];
    json_t *common = weir_node_meta(view, node, WEIR_META_COMMON, NULL);
    json_t *tensor = json_deep_copy(json_object_get(json_object_get(common, group), name));
    json_object_set_new(tensor, "node", json_string(node->name));
    snprintf(key, sizeof key, "%s_%zu", prefix, json_object_size(tensors));
    json_object_set_new(tensors, key, tensor);
    json_decref(common);
}

/* Marks what comes from graph inputs through implicit nodes only, and lists the nodes that take it. */
static void add_inputs(const weir_fx_view *view, json_t *nodes, json_t *args) {
    const weir_graph *graph = weir_fx_view_graph(view);
    bool *entered = weir_calloc(weir_graph_value_limit(graph), sizeof *entered);
    for (size_t i = 0; i < weir_graph_input_count(graph); i++) entered[weir_graph_input(graph, i).id] = true;
    for (size_t i = 0; i < weir_fx_view_count(view); i++) {
        const weir_fx_node *node = weir_fx_view_at(view, i);
        bool is_implicit = weir_node_meta_is_implicit(graph, node->node), takes = false;
        for (size_t k = 0; node->node.id != 0 && k < weir_node_input_count(graph, node->node); k++) {
            char name[WEIR_MASE_NAME_SIZE];
            weir_value value = weir_node_input(graph, node->node, k);
            if (!entered[value.id] || weir_mase_input(graph, node->node, k, name) == WEIR_MASE_NOTHING) continue;
            takes = true;
            if (!is_implicit) add_tensor(args, "data_in", view, node, "args", name);
        }
        if (takes && !is_implicit) json_array_append_new(nodes, json_string(node->name));
        for (size_t k = 0; takes && is_implicit && k < weir_node_output_count(graph, node->node); k++)
            entered[weir_node_output(graph, node->node, k).id] = true;
    }
    free(entered);
}

/* The value that a result shows, past implicit nodes. */
static weir_value computed(const weir_graph *graph, weir_value value) {
    weir_node producer = weir_value_producer(graph, value);
    while (producer.id != 0 && weir_node_meta_is_implicit(graph, producer)) {
        value = weir_node_input(graph, producer, 0);
        producer = weir_value_producer(graph, value);
    }
    return value;
}

static void add_outputs(const weir_fx_view *view, json_t *nodes, json_t *results) {
    const weir_graph *graph = weir_fx_view_graph(view);
    bool *listed = weir_calloc(weir_graph_node_limit(graph), sizeof *listed);
    for (size_t i = 0; i < weir_graph_output_count(graph); i++) {
        char name[WEIR_MASE_NAME_SIZE];
        weir_value value = computed(graph, weir_graph_output(graph, i));
        weir_node producer = weir_value_producer(graph, value);
        if (producer.id == 0) continue;
        weir_mase_output(weir_value_producer_output(graph, value), name);
        add_tensor(results, "data_out", view, weir_fx_view_of(view, producer), "results", name);
        if (!listed[producer.id]) json_array_append_new(nodes, json_string(weir_node_name(graph, producer)));
        listed[producer.id] = true;
    }
    free(listed);
}

json_t *weir_node_meta_graph(const weir_fx_view *view) {
    json_t *record = json_object(), *nodes_in = json_array(), *nodes_out = json_array();
    json_t *args = json_object(), *results = json_object();
    add_inputs(view, nodes_in, args);
    add_outputs(view, nodes_out, results);
    json_object_set_new(record, "nodes_in", nodes_in);
    json_object_set_new(record, "nodes_out", nodes_out);
    json_object_set_new(record, "args", args);
    json_object_set_new(record, "results", results);
    return record;
}
