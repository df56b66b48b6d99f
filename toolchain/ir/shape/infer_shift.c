/* Type inference of RequantShift's domain: real numbers that are whole. */
#include "ir/shape/infer_rule.h"

static bool set_like_input(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *x = weir_rule_input(graph, node, 0);
    return weir_rule_set_plain(graph, node, to, x->dtype, &x->shape);
}

bool weir_infer_whole_function(const weir_graph *graph, weir_node node, weir_inferred *to) {
    return weir_rule_float_input(graph, node) && set_like_input(graph, node, to);
}

bool weir_infer_whole_softmax(const weir_graph *graph, weir_node node, weir_inferred *to) {
    if (weir_rule_input(graph, node, 0)->shape.rank == 0)
        return weir_rule_fail(graph, node, "input 0 is a scalar, expected rows");
    return weir_infer_whole_function(graph, node, to);
}

/* Parameters of the last axis, or of all elements. */
bool weir_infer_whole_norm(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_shape *x = &weir_rule_input(graph, node, 0)->shape;
    if (!weir_rule_float_input(graph, node) || !weir_rule_same_numbers(graph, node, 3)) return false;
    if (x->rank == 0) return weir_rule_fail(graph, node, "input 0 is a scalar, expected rows");
    return weir_rule_broadcasts_to(graph, node, 1, x) && weir_rule_broadcasts_to(graph, node, 2, x) &&
           set_like_input(graph, node, to);
}

bool weir_infer_requant_shift(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_shape *x = &weir_rule_input(graph, node, 0)->shape;
    const bool old = weir_node_attribute(graph, node, "n_levels") != NULL;
    if (old == (weir_node_attribute(graph, node, "n_levels_out") != NULL))
        return weir_rule_fail(graph, node, "expected attribute 'n_levels_out', or 'n_levels'");
    return weir_rule_float_input(graph, node) && weir_rule_same_numbers(graph, node, 3) &&
           weir_rule_broadcasts_to(graph, node, 1, x) && weir_rule_broadcasts_to(graph, node, 2, x) &&
           set_like_input(graph, node, to);
}

bool weir_infer_ita_partial_max(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_shape *x = &weir_rule_input(graph, node, 0)->shape;
    const int64_t width = weir_node_int(graph, node, "group_width", 1);
    if (!weir_rule_float_input(graph, node)) return false;
    if (x->rank == 0 || x->dim[x->rank - 1] % width != 0)
        return weir_rule_fail(graph, node, "its rows are not a multiple of 'group_width', %lld", (long long)width);
    return set_like_input(graph, node, to);
}

bool weir_infer_whole_division(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *a = weir_rule_input(graph, node, 0), *b = weir_rule_input(graph, node, 1);
    weir_shape shape;
    if (!weir_rule_float_input(graph, node) || !weir_rule_same_numbers(graph, node, 2)) return false;
    if (!weir_rule_broadcast(&a->shape, &b->shape, &shape))
        return weir_rule_fail_shapes(graph, node, "broadcast", &a->shape, &b->shape);
    return weir_rule_set_plain(graph, node, to, a->dtype, &shape);
}
