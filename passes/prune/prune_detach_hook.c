/* prune_detach_hook: constants behind masks become constants with zeros, and masks of what is computed go. O(size). */
#include "passes/passes.h"
#include "support/memory/array.h"

static void bake(weir_graph *graph, weir_node mask) {
    const weir_value data = weir_node_input(graph, mask, 0), result = weir_node_output(graph, mask, 0);
    const weir_array *old = weir_value_constant(graph, data);
    const weir_array *keep = weir_value_constant(graph, weir_node_input(graph, mask, 1));
    if (old == NULL || keep == NULL || keep->count != old->count) {
        weir_value_replace(graph, result, data);
        return;
    }
    weir_array *baked = weir_array_copy(old);
    for (size_t i = 0; i < baked->count; i++)
        if (weir_array_get(keep, i) == 0) weir_array_set(baked, i, 0);
    weir_value_replace(graph, result, weir_graph_add_constant(graph, weir_value_name(graph, data), baked));
    weir_array_free(baked);
}

bool weir_pass_prune_detach_hook(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    for (weir_node node = weir_graph_first(graph), next; node.id != 0; node = next) {
        next = weir_node_next(graph, node);
        if (weir_node_op(graph, node) != WEIR_OP_MASK) continue;
        bake(graph, node);
        weir_pass_count(context, "masks removed", 1);
    }
    weir_eliminate_dead_code(graph);
    return true;
}
