/* Removes what no output needs. Every operator is a pure function of its inputs, so a node lives when an output or a
 * living node uses a result of it; an Update, which gives its State the next content, lives when its State does, so a
 * loop that only feeds itself is dead. O(size). */
#include <stdlib.h>

#include "ir/graph/graph.h"
#include "ir/trait/recurrence.h"
#include "passes/passes.h"
#include "support/memory/arena.h"

typedef struct marking {
    const weir_graph *graph;
    bool *lives;      /* by node id */
    weir_node *queue; /* living nodes whose inputs are not marked yet */
    size_t count;
} marking;

static void mark(marking *m, weir_node node) {
    if (node.id == 0 || m->lives[node.id]) return;
    m->lives[node.id] = true;
    m->queue[m->count++] = node;
}

static void mark_all(marking *m) {
    const weir_graph *graph = m->graph;
    for (size_t i = 0; i < weir_graph_output_count(graph); i++)
        mark(m, weir_value_producer(graph, weir_graph_output(graph, i)));
    while (m->count > 0) {
        const weir_node node = m->queue[--m->count];
        for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
            const weir_value input = weir_node_input(graph, node, i);
            if (input.id != 0) mark(m, weir_value_producer(graph, input));
        }
        if (weir_node_op(graph, node) == WEIR_OP_STATE) mark(m, weir_recurrence_update(graph, node));
    }
}

size_t weir_eliminate_dead_code(weir_graph *graph) {
    size_t removed = 0;
    const size_t limit = weir_graph_node_limit(graph) + 1;
    marking m = {graph, weir_calloc(limit, sizeof *m.lives), weir_calloc(limit, sizeof *m.queue), 0};
    mark_all(&m);
    for (weir_node node = weir_graph_last(graph), previous; node.id != 0; node = previous) {
        previous = weir_node_previous(graph, node);
        if (m.lives[node.id]) continue;
        weir_graph_remove_node(graph, node);
        removed++;
    }
    free(m.queue);
    free(m.lives);
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
