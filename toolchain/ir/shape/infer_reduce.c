/* Type inference of reductions, and of normalizations, which reduce and broadcast the result again. */
#include "ir/shape/geometry.h"
#include "ir/shape/infer_rule.h"
#include "ir/shape/layout.h"

/* Input `index` is a vector with one element for each of `count` channels. */
static bool channel_vector(const weir_graph *graph, weir_node node, size_t index, int64_t count) {
    const weir_type *type = weir_rule_input(graph, node, index);
    char text[96];
    return (type->shape.rank == 1 && type->shape.dim[0] == count) ||
           weir_rule_fail(graph, node, "input %zu must be a vector of %lld, has shape %s", index, (long long)count,
                          weir_shape_print(&type->shape, text, sizeof text));
}

bool weir_infer_batch_normalization(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *x = weir_rule_input(graph, node, 0);
    int order[WEIR_MAX_RANK];
    if (!weir_rule_float_input(graph, node) || !weir_rule_same_numbers(graph, node, 5)) return false;
    if (x->shape.rank < 2)
        return weir_rule_fail(graph, node, "input 0 must have 2 dimensions or more, has %d", x->shape.rank);
    if (!weir_layout_order(graph, node, order)) return false;
    const int64_t channels = x->shape.dim[weir_layout_channel_axis(graph, node)];
    for (size_t i = 1; i < 5; i++)
        if (!channel_vector(graph, node, i, channels)) return false;
    return weir_rule_set_plain(graph, node, to, x->dtype, &x->shape);
}

bool weir_infer_instance_normalization(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *x = weir_rule_input(graph, node, 0);
    int order[WEIR_MAX_RANK];
    if (!weir_rule_float_input(graph, node) || !weir_rule_same_numbers(graph, node, 3)) return false;
    if (x->shape.rank < 3)
        return weir_rule_fail(graph, node, "input 0 must have 3 dimensions or more, has %d", x->shape.rank);
    if (!weir_layout_order(graph, node, order)) return false;
    const int64_t channels = x->shape.dim[weir_layout_channel_axis(graph, node)];
    return channel_vector(graph, node, 1, channels) && channel_vector(graph, node, 2, channels) &&
           weir_rule_set_plain(graph, node, to, x->dtype, &x->shape);
}

/* The result, and where asked for the means and the reciprocal deviations, which are float32. */
bool weir_infer_layer_normalization(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *x = weir_rule_input(graph, node, 0);
    weir_shape reduced = x->shape;
    int axis;
    if (!weir_rule_float_input(graph, node) || !weir_rule_same_numbers(graph, node, 3) ||
        !weir_rule_axis_attribute(graph, node, -1, &axis)) {
        return false;
    }
    if (weir_node_output_count(graph, node) > 3)
        return weir_rule_fail(graph, node, "has %zu outputs, expected at most 3", weir_node_output_count(graph, node));
    for (int i = axis; i < x->shape.rank; i++) reduced.dim[i] = 1;
    if (!weir_rule_broadcasts_to(graph, node, 1, &x->shape) || !weir_rule_broadcasts_to(graph, node, 2, &x->shape))
        return false;
    const weir_type statistics = weir_rule_plain_type(WEIR_FLOAT32, &reduced);
    for (size_t i = 1; i < weir_node_output_count(graph, node); i++)
        if (!weir_rule_set_output(graph, node, to, i, &statistics)) return false;
    return weir_rule_set_plain(graph, node, to, x->dtype, &x->shape);
}

bool weir_infer_rms_normalization(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *x = weir_rule_input(graph, node, 0);
    int axis;
    return weir_rule_float_input(graph, node) && weir_rule_same_numbers(graph, node, 2) &&
           weir_rule_axis_attribute(graph, node, -1, &axis) && weir_rule_broadcasts_to(graph, node, 1, &x->shape) &&
           weir_rule_set_plain(graph, node, to, x->dtype, &x->shape);
}

bool weir_infer_lp_normalization(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *x = weir_rule_input(graph, node, 0);
    const int64_t p = weir_node_int(graph, node, "p", 2);
    int axis;
    if (p != 1 && p != 2) return weir_rule_fail(graph, node, "attribute 'p' is %lld, expected 1 or 2", (long long)p);
    return weir_rule_float_input(graph, node) && weir_rule_axis_attribute(graph, node, -1, &axis) &&
           weir_rule_set_plain(graph, node, to, x->dtype, &x->shape);
}

bool weir_infer_softmax(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *x = weir_rule_input(graph, node, 0);
    int axis;
    return weir_rule_float_input(graph, node) && weir_rule_axis_attribute(graph, node, -1, &axis) &&
           weir_rule_set_plain(graph, node, to, x->dtype, &x->shape);
}

/* Reduced axes become 1 or disappear. */
static weir_shape reduced_shape(const weir_shape *from, const bool *reduced, bool keep) {
    weir_shape shape = {.rank = 0};
    for (int i = 0; i < from->rank; i++) {
        if (reduced[i] && !keep) continue;
        shape.dim[shape.rank++] = reduced[i] ? 1 : from->dim[i];
    }
    return shape;
}

/* Of any type. */
bool weir_infer_reduction(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *x = weir_rule_input(graph, node, 0);
    bool reduced[WEIR_MAX_RANK];
    if (!weir_geometry_reduced(graph, node, reduced)) return false;
    const weir_shape shape = reduced_shape(&x->shape, reduced, weir_node_int(graph, node, "keepdims", 1) != 0);
    return weir_rule_set_plain(graph, node, to, x->dtype, &shape);
}

bool weir_infer_number_reduction(const weir_graph *graph, weir_node node, weir_inferred *to) {
    return weir_rule_same_numbers(graph, node, 1) && weir_infer_reduction(graph, node, to);
}

bool weir_infer_position(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *x = weir_rule_input(graph, node, 0);
    bool reduced[WEIR_MAX_RANK] = {false};
    int axis;
    if (!weir_rule_same_numbers(graph, node, 1) || !weir_rule_axis_attribute(graph, node, 0, &axis)) return false;
    reduced[axis] = true;
    const weir_shape shape = reduced_shape(&x->shape, reduced, weir_node_int(graph, node, "keepdims", 1) != 0);
    weir_type type = weir_rule_plain_type(WEIR_INT64, &shape);
    type.has_range = x->shape.dim[axis] > 0;
    type.high = type.has_range ? x->shape.dim[axis] - 1 : 0;
    return weir_rule_set(graph, node, to, &type);
}

bool weir_infer_top_k(const weir_graph *graph, weir_node node, weir_inferred *to) {
    weir_shape shape = weir_rule_input(graph, node, 0)->shape;
    int64_t wanted = 0;
    int axis, count;
    if (!weir_rule_same_numbers(graph, node, 1) || !weir_rule_axis_attribute(graph, node, -1, &axis) ||
        !weir_rule_integers(graph, node, 1, "the number of elements", 1, &wanted, &count))
        return false;
    if (count != 1 || wanted < 1 || wanted > shape.dim[axis])
        return weir_rule_fail(graph, node, "it takes %lld elements along axis %d, expected 1 to %lld",
                              (long long)wanted, axis, (long long)shape.dim[axis]);
    if (weir_node_output_count(graph, node) > 2)
        return weir_rule_fail(graph, node, "%zu outputs, expected 1 or 2", weir_node_output_count(graph, node));
    const int64_t last = shape.dim[axis] - 1;
    shape.dim[axis] = wanted;
    const weir_type values = weir_rule_moved_type(graph, node, &shape);
    weir_type positions = weir_rule_plain_type(WEIR_INT64, &shape);
    positions.has_range = true;
    positions.high = last;
    return weir_rule_set_output(graph, node, to, 0, &values) &&
           (weir_node_output_count(graph, node) < 2 || weir_rule_set_output(graph, node, to, 1, &positions));
}
