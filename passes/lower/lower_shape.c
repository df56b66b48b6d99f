/* Lowering of Flatten, Reshape, Squeeze, Unsqueeze and Transpose: constants get another order or shape; of data, codes
 * keep their order. */
#include <assert.h>

#include "ir/shape/index_map.h"
#include "ir/shape/layout.h"
#include "passes/lower/lower.h"
#include "passes/quantize/function.h"
#include "support/memory/arena.h"

/* Does the transposition leave the order of the elements alone? */
static bool keeps_order(const weir_lowering *l, weir_node node) {
    int order[WEIR_MAX_RANK];
    weir_layout_permutation(l->from, node, order);
    return weir_layout_keeps_memory(&weir_value_type(l->from, weir_node_input(l->from, node, 0))->shape, order);
}

static bool shape_constant(weir_lowering *l, weir_node node, const weir_expression *x) {
    weir_arena *arena = weir_graph_arena(l->to);
    const weir_array *data = weir_expression_data(x);
    weir_index_map map;
    const bool moves = weir_index_map_of_node(arena, l->from, node, 0, &map);
    assert(moves);
    (void)moves;
    weir_array *shaped = weir_array_in(arena, data->dtype, &map.to);
    weir_index_map_apply(&map, data, NULL, shaped);
    if (weir_expression_kind_of(x) == WEIR_EXPRESSION_CONSTANT) {
        weir_lower_set(l, node, weir_expression_constant(arena, shaped));
        return true;
    }
    weir_quant quant = *weir_expression_quant(x);
    if (quant.count > 1) {
        if (weir_index_map_keeps(weir_node_op(l->from, node)) || data->shape.rank != 2)
            return weir_lower_fail(l, node, "weights with a scale per channel can only be transposed here");
        int order[WEIR_MAX_RANK]; /* scales turn with their axis, also where no element moves */
        weir_layout_permutation(l->from, node, order);
        quant.axis = order[quant.axis];
    }
    weir_lower_set(l, node, weir_expression_weights(arena, shaped, &quant));
    return true;
}

/* The host transposes. */
static weir_value transpose(weir_lowering *l, weir_node node, weir_value value, const weir_shape *shape) {
    weir_type type = *weir_value_type(l->to, value);
    type.shape = *shape;
    const weir_node moved = weir_lower_add_node(l, node, WEIR_OP_TRANSPOSE, "", &value, 1, &type);
    const weir_attribute *perm = weir_node_attribute(l->from, node, "perm");
    if (perm != NULL) weir_node_set_ints(l->to, moved, "perm", perm->as.ints, perm->count);
    return weir_node_output(l->to, moved, 0);
}

/* In front of the hardware or behind it. */
static bool shape_numbers(weir_lowering *l, weir_node node, const weir_expression *x, bool moves) {
    weir_arena *arena = weir_graph_arena(l->to);
    const weir_shape *shape = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    const weir_value value = weir_expression_value(x),
                     made = moves ? transpose(l, node, value, shape) : weir_lower_reshape(l, node, value, shape);
    weir_lower_set(l, node,
                   weir_expression_kind_of(x) == WEIR_EXPRESSION_REAL
                       ? weir_expression_real(arena, made, weir_expression_cause(x))
                       : weir_expression_host(arena, made, weir_expression_cause(x)));
    return true;
}

/* Is the map of elements left to the quantizer? Where parameters change by channel there is one scale behind it
 * only. */
static bool waits(const weir_lowering *l, const weir_expression *x, const weir_shape *shape) {
    if (weir_expression_source(x) == WEIR_EXPRESSION_SUM || weir_expression_leaf(x)->map != NULL) return true;
    const weir_shape *own = &weir_value_type(l->to, weir_expression_codes_of(x))->shape;
    const bool last = own->rank > 0 && shape->rank > 0 && shape->dim[shape->rank - 1] == own->dim[own->rank - 1];
    return weir_lower_has_channels(l, x) && !last;
}

bool weir_lower_shape(weir_lowering *l, weir_node node) {
    const weir_expression *x = weir_lower_input(l, node, 0);
    const weir_expression_kind kind = weir_expression_source(x);
    const weir_shape *shape = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    if (weir_expression_has_data(x)) return shape_constant(l, node, x);
    const bool moves = !weir_index_map_keeps(weir_node_op(l->from, node)) && !keeps_order(l, node);
    if (kind == WEIR_EXPRESSION_REAL || kind == WEIR_EXPRESSION_HOST) return shape_numbers(l, node, x, moves);
    const bool comes_in =
        kind == WEIR_EXPRESSION_CODES && weir_value_producer(l->to, weir_expression_codes_of(x)).id == 0;
    if (moves && !comes_in) return weir_lower_fail(l, node, "the host transposes results of the hardware");
    if (kind == WEIR_EXPRESSION_FUNCTION) return weir_lower_function(l, node);
    if (waits(l, x, shape)) {
        weir_lower_set(l, node, weir_lower_reshaped(l, x, shape));
        return true;
    }
    const weir_value codes = weir_expression_codes_of(x);
    const weir_value made = moves ? transpose(l, node, codes, shape) : weir_lower_reshape(l, node, codes, shape);
    return weir_lower_set_with_codes(l, node, x, made);
}
