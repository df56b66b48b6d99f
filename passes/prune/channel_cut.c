/* Parameters without some of their channels: new constants, and the nodes that compute with them. */
#include "ir/trait/trait.h"
#include "passes/prune/channels.h"

bool weir_channel_can_cut(const weir_graph *graph, weir_value value) {
    if (weir_value_constant(graph, value) != NULL) return true;
    const weir_node node = weir_value_producer(graph, value);
    if (node.id == 0 || weir_value_use_count(graph, value) > 1 || weir_value_is_output(graph, value)) return false;
    const weir_trait_order order = weir_trait_of(weir_node_op(graph, node))->order;
    if (order != WEIR_ORDER_ELEMENTWISE && order != WEIR_ORDER_QUANTIZE) return false;
    if (weir_node_output_count(graph, node) != 1 || weir_node_int(graph, node, "block_size", 0) != 0) return false;
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
        const weir_value input = weir_node_input(graph, node, i);
        if (input.id != 0 && !weir_channel_can_cut(graph, input)) return false;
    }
    return true;
}

void weir_channel_set_constant(weir_graph *graph, weir_node node, size_t index, weir_array *array) {
    const weir_value old = weir_node_input(graph, node, index);
    const char *name = weir_graph_intern(graph, weir_value_name(graph, old));
    const weir_value made = weir_graph_add_constant(graph, name, array);
    weir_node_set_input(graph, node, index, made);
    weir_array_free(array);
    if (weir_value_use_count(graph, old) > 0 || weir_value_is_output(graph, old)) return;
    weir_graph_remove_value(graph, old);
    weir_value_set_name(graph, made, name);
}

static weir_array *cut_array(const weir_array *old, const weir_channel_part *part) {
    weir_shape shape = old->shape;
    shape.dim[part->axis] = part->count;
    weir_array *made = weir_array_new(old->dtype, &shape);
    int64_t at[WEIR_MAX_RANK] = {0};
    for (size_t k = 0; k < made->count; k++) {
        const int64_t list = part->lead_size == 0 ? 0 : at[part->lead] / part->lead_size;
        int64_t from = 0;
        for (int i = 0; i < shape.rank; i++)
            from = from * old->shape.dim[i] + (i == part->axis ? part->keep[list * part->count + at[i]] : at[i]);
        weir_array_set(made, k, weir_array_get(old, (size_t)from));
        for (int i = shape.rank - 1; i >= 0 && ++at[i] == shape.dim[i]; i--) at[i] = 0;
    }
    return made;
}

/* The axis of a quantizer's parameters that belongs to the axis of its data; -1: none. */
static int axis_of_parameter(const weir_graph *graph, weir_node node, const weir_shape *own, int rank, int axis) {
    const weir_op kind = weir_trait_kind(graph, node);
    if (kind != WEIR_OP_QUANTIZE_LINEAR && kind != WEIR_OP_DEQUANTIZE_LINEAR) return axis - (rank - own->rank);
    int64_t along = weir_node_int(graph, node, "axis", 1);
    if (along < 0) along += rank;
    return own->rank == 1 && along == axis ? 0 : -1;
}

void weir_channel_cut(weir_graph *graph, weir_node node, size_t index, weir_channel_part part) {
    const weir_value value = weir_node_input(graph, node, index);
    const weir_array *constant = weir_value_constant(graph, value);
    if (constant != NULL) weir_channel_set_constant(graph, node, index, cut_array(constant, &part));
    else weir_channel_cut_inputs(graph, weir_value_producer(graph, value), part, NULL);
}

void weir_channel_cut_inputs(weir_graph *graph, weir_node node, weir_channel_part part, const weir_side *fixed) {
    const weir_shape shape = weir_value_type(graph, weir_node_output(graph, node, 0))->shape;
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
        const weir_value input = weir_node_input(graph, node, i);
        const bool *is_fixed = fixed == NULL ? NULL : weir_side_at(fixed, input.id);
        if (input.id == 0 || (is_fixed != NULL && !*is_fixed)) continue;
        const weir_shape *own = &weir_value_type(graph, input)->shape;
        weir_channel_part own_part = part;
        own_part.axis =
            i == 0 ? part.axis - (shape.rank - own->rank) : axis_of_parameter(graph, node, own, shape.rank, part.axis);
        if (own_part.axis >= 0 && own->dim[own_part.axis] == shape.dim[part.axis] && shape.dim[part.axis] != 1)
            weir_channel_cut(graph, node, i, own_part);
    }
}
