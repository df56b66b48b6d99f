/* Type inference of operators that gather many elements into one, and of normalizations, which do so and spread the
 * result again. */
#include "ir/infer_rule.h"

/* Input `index` is a vector with one element for each of `count` channels. */
static bool channel_vector(const weir_graph *graph, weir_node node, size_t index, int64_t count) {
    const weir_type *type = weir_rule_input(graph, node, index);
    char text[96];
    return (type->shape.rank == 1 && type->shape.dim[0] == count) ||
           weir_rule_fail(graph, node, "input %zu must be a vector of %lld, has shape %s", index, (long long)count,
                          weir_shape_print(&type->shape, text, sizeof text));
}

bool weir_infer_BATCH_NORMALIZATION(weir_graph *graph, weir_node node) {
    const weir_type *x = weir_rule_input(graph, node, 0);
    if (!weir_rule_float_input(graph, node) || !weir_rule_same_numbers(graph, node, 5)) return false;
    if (x->shape.rank < 2)
        return weir_rule_fail(graph, node, "input 0 must have 2 dimensions or more, has %d", x->shape.rank);
    for (size_t i = 1; i < 5; i++)
        if (!channel_vector(graph, node, i, x->shape.dim[1])) return false;
    return weir_rule_set_plain(graph, node, x->dtype, &x->shape);
}
