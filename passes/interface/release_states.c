#include "passes/interface/release_states.h"

#include <stdlib.h>

#include "ir/trait/recurrence.h"
#include "support/memory/arena.h"

static void release(weir_graph *graph, weir_node state) {
    const weir_node update = weir_recurrence_update(graph, state);
    const weir_value held = weir_node_output(graph, state, 0), next = weir_node_input(graph, update, 0),
                     passed = weir_node_output(graph, update, 0);
    char *in = weir_copy_string(weir_value_name(graph, held)), *out = weir_copy_string(weir_node_name(graph, update));
    const weir_type type = *weir_value_type(graph, held);
    weir_value_replace(graph, passed, next);
    weir_graph_remove_node(graph, update);
    const weir_value given = weir_graph_add_input(graph, "state", &type);
    weir_value_replace(graph, held, given);
    weir_graph_remove_node(graph, state);
    weir_value_set_name(graph, given, in);
    weir_graph_add_output(graph, out, next);
    free(in);
    free(out);
}

static bool is_kept(const weir_graph *graph, weir_node node) {
    return weir_node_op(graph, node) == WEIR_OP_STATE && weir_recurrence_spans(graph, node);
}

/* An Update goes with its State, so the walk begins again behind each. */
void weir_release_states(weir_graph *graph) {
    weir_node node = weir_graph_first(graph);
    while (node.id != 0) {
        if (!is_kept(graph, node)) {
            node = weir_node_next(graph, node);
            continue;
        }
        release(graph, node);
        node = weir_graph_first(graph);
    }
}
