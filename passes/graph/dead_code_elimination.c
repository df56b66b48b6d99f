/* Removes what no output needs. Every operator is a pure function of its inputs, so a node is dead when no output and
 * no living node uses a result of it; one walk from the last node to the first finds all. An Update gives its State the
 * next content: it lives as long as another node reads the State. O(size). */
#include "ir/graph/graph.h"
#include "passes/passes.h"

static bool is_used(const weir_graph *graph, weir_node node) {
    for (size_t i = 0; i < weir_node_output_count(graph, node); i++) {
        weir_value value = weir_node_output(graph, node, i);
        if (weir_value_use_count(graph, value) > 0 || weir_value_is_output(graph, value)) return true;
    }
    if (weir_node_op(graph, node) != WEIR_OP_UPDATE) return false;
    const weir_value state = weir_node_input(graph, node, 1);
    return weir_value_use_count(graph, state) > 1 || weir_value_is_output(graph, state);
}

size_t weir_eliminate_dead_code(weir_graph *graph) {
    size_t removed = 0;
    for (weir_node node = weir_graph_last(graph), previous; node.id != 0; node = previous) {
        previous = weir_node_previous(graph, node);
        if (is_used(graph, node)) continue;
        weir_graph_remove_node(graph, node);
        removed++;
    }
    for (uint32_t id = 1; id < weir_graph_value_limit(graph); id++) {
        weir_value value = {id};
        if (!weir_value_exists(graph, value) || weir_value_constant(graph, value) == NULL) continue;
        if (weir_value_use_count(graph, value) > 0 || weir_value_is_output(graph, value)) continue;
        weir_graph_remove_value(graph, value);
        removed++;
    }
    return removed;
}

bool weir_pass_dead_code_elimination(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    const size_t removed = weir_eliminate_dead_code(graph);
    weir_pass_count(context, "nodes and constants removed", (int64_t)removed);
    if (removed == 0) weir_pass_unchanged(context);
    return true;
}
