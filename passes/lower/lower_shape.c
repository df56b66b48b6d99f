/* Lowering of Flatten, Reshape, Squeeze, Unsqueeze and Transpose: constants get another order or shape; of data, codes keep their
 * order. */
#include <assert.h>

#include "ir/shape/index_map.h"
#include "ir/shape/layout.h"
#include "passes/lower/view.h"
#include "passes/quantize/function.h"
#include "support/memory/arena.h"

/* Does the transposition leave the order of the elements alone? */
static bool keeps_order(const weir_lowering *l, weir_node node) {
    int order[WEIR_MAX_RANK];
    weir_layout_permutation(l->from, node, order);
    return weir_layout_keeps_memory(&weir_value_type(l->from, weir_node_input(l->from, node, 0))->shape, order);
}

static bool shape_constant(weir_lowering *l, weir_node node, const weir_view *x) {
    const weir_shape *shape = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    const bool transpose = weir_node_op(l->from, node) == WEIR_OP_TRANSPOSE;
    weir_view view = *x;
    if (x->kind == WEIR_VIEW_WEIGHTS && x->quant.count > 1) {
        if (!transpose || x->codes->shape.rank != 2)
            return weir_lower_fail(l, node, "weights with a scale per channel can only be transposed here");
        if (!keeps_order(l, node)) view.quant.axis = 1 - x->quant.axis;
    }
    weir_array *shaped = weir_array_in(weir_graph_arena(l->to), x->codes->dtype, shape);
    weir_index_map map;
    const bool moves = weir_index_map_of_node(weir_graph_arena(l->to), l->from, node, 0, &map);
    assert(moves);
    (void)moves;
    weir_index_map_apply(&map, x->codes, NULL, shaped);
    view.codes = shaped;
    weir_lower_set(l, node, &view);
    return true;
}

bool weir_lower_shape(weir_lowering *l, weir_node node) {
    const weir_view *x = &l->view[weir_node_input(l->from, node, 0).id];
    if (weir_lower_is_given(x)) return shape_constant(l, node, x);
    const weir_shape *shape = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    weir_type type = *weir_value_type(l->to, x->value);
    const bool comes_in = x->kind == WEIR_VIEW_CODES && weir_value_producer(l->to, x->value).id == 0;
    const bool host = x->kind == WEIR_VIEW_REAL || x->kind == WEIR_VIEW_HOST || comes_in;
    const bool moves = weir_node_op(l->from, node) == WEIR_OP_TRANSPOSE && !keeps_order(l, node);
    const int from = type.shape.rank, to = shape->rank;
    const bool last = from > 0 && to > 0 && shape->dim[to - 1] == type.shape.dim[from - 1];
    if (moves && !host) return weir_lower_fail(l, node, "the host transposes results of the hardware");
    if (x->kind == WEIR_VIEW_FUNCTION) return weir_lower_function(l, node);
    weir_view view = *x;
    if (x->reshaped || x->kind == WEIR_VIEW_SUM) { /* after the quantizer */
        view.reshaped = true;
        view.shape = *shape;
    } else if (moves) {
        type.shape = *shape;
        weir_node moved = weir_lower_add_node(l, node, WEIR_OP_TRANSPOSE, "", &x->value, 1, &type);
        const weir_attribute *perm = weir_node_attribute(l->from, node, "perm");
        if (perm != NULL) weir_node_set_ints(l->to, moved, "perm", perm->as.ints, perm->count);
        view.value = weir_node_output(l->to, moved, 0);
    } else if (weir_lower_has_channels(l, x) && !last) {
        view.reshaped = true; /* the same: there is one scale there */
        view.shape = *shape;
    } else {
        view.value = weir_lower_reshape(l, node, x->value, shape);
    }
    weir_lower_set(l, node, &view);
    return true;
}
