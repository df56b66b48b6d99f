#include "passes/transform/rewrite.h"

#include "ir/infer.h"

bool weir_rewrite_may(const weir_graph *graph, weir_node node) {
    return weir_node_info(graph, node)->class != WEIR_CLASS_STREAM &&
           !weir_node_metadata_of(graph, node)->hardware.placed;
}

void weir_rewrite_replace(weir_rewrite *rewrite, weir_value old, weir_value with) {
    weir_graph *graph = rewrite->graph;
    if (!weir_type_equal(weir_value_type(graph, old), weir_value_type(graph, with))) rewrite->is_stale = true;
    weir_value_replace(graph, old, with);
}

void weir_rewrite_remove(weir_rewrite *rewrite, weir_node node) {
    weir_graph *graph = rewrite->graph;
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
        const weir_value input = weir_node_input(graph, node, i);
        if (input.id == 0) continue;
        weir_node_set_input(graph, node, i, WEIR_NO_VALUE);
        if (weir_value_constant(graph, input) != NULL && weir_value_use_count(graph, input) == 0 &&
            !weir_value_is_output(graph, input))
            weir_graph_remove_value(graph, input);
    }
    weir_graph_remove_node(graph, node);
    rewrite->count++;
}

bool weir_rewrite_finish(weir_rewrite *rewrite) {
    if (!rewrite->is_stale) return true;
    rewrite->is_stale = false;
    return weir_infer_graph(rewrite->graph);
}
