/* ArgMax of codes with one scale: the index of the largest code. */
#include "ir/infer.h"
#include "passes/transform/view.h"

bool weir_lower_arg_max(weir_lowering *l, weir_node node) {
    const weir_view *x = &l->view[weir_node_input(l->from, node, 0).id];
    if (x->kind != WEIR_VIEW_CODES) return weir_lower_fail_unquantized(l, node, 0, "its input is not quantized");
    if (weir_value_type(l->to, x->value)->quant.count > 1)
        return weir_lower_fail(l, node,
                               "its input has a scale per channel: it needs a quantizer with one scale before it");
    const weir_value value = weir_lower_codes(l, node, x);
    if (value.id == 0) return false;
    const weir_shape *shape = &weir_value_type(l->to, value)->shape;
    const int64_t axis = weir_node_int(l->from, node, "axis", 0);
    for (int64_t i = (axis < 0 ? axis + shape->rank : axis) + 1; i < shape->rank; i++)
        if (shape->dim[i] != 1)
            return weir_lower_fail(l, node, "hardware finds the largest element along the innermost dimension only");
    const weir_node made = weir_lower_add_node(l, node, WEIR_OP_ARG_MAX, "", &value, 1, NULL);
    weir_node_copy_attributes(l->to, made, l->from, node);
    weir_view view = {.kind = WEIR_VIEW_CODES, .value = weir_node_output(l->to, made, 0)};
    weir_lower_set(l, node, &view);
    return weir_infer_node(l->to, made);
}
