/* Lowering of a Concat of quantized tensors: codes follow each other as they are where all have one scale and zero point. Else
 * the quantizer after the Concat, which computes element by element, becomes one of each input. */
#include <stdio.h>

#include "ir/infer.h"
#include "passes/transform/view.h"

weir_value weir_lower_join(weir_lowering *l, weir_node node, const char *suffix, const weir_value *pair, int axis) {
    const weir_quant quant = weir_value_type(l->to, pair[0])->quant;
    const weir_node made = weir_lower_add_node(l, node, WEIR_OP_CONCAT, suffix, pair, 2, NULL);
    weir_node_set_int(l->to, made, "axis", axis);
    if (!weir_infer_node(l->to, made)) return WEIR_NO_VALUE;
    const weir_value result = weir_node_output(l->to, made, 0);
    weir_type type = *weir_value_type(l->to, result);
    type.quant = quant;
    weir_value_set_type(l->to, result, &type);
    return result;
}

bool weir_lower_concat(weir_lowering *l, weir_node node, const weir_quant *behind) {
    const weir_type *type = weir_value_type(l->from, weir_node_output(l->from, node, 0));
    const size_t inputs = weir_node_input_count(l->from, node);
    const int axis = (int)weir_node_int(l->from, node, "axis", 0);
    weir_view view = {.kind = WEIR_VIEW_CODES, .is_inside = behind != NULL};
    if (!weir_dtype_is_float(type->dtype)) return weir_lower_fail(l, node, "hardware takes it on real numbers only");
    for (size_t i = 0; i < inputs; i++) {
        char suffix[24] = "";
        if (i + 1 < inputs) snprintf(suffix, sizeof suffix, "_%zu", i);
        weir_value next = weir_lower_read_codes(l, node, i, behind);
        if (next.id == 0) return false;
        if (i > 0 && !weir_lower_unite(l, node, i, &view.value, &next)) return false;
        view.value = i == 0 ? next : weir_lower_join(l, node, suffix, (weir_value[]){view.value, next}, axis);
        if (view.value.id == 0) return false;
    }
    weir_lower_set(l, node, &view);
    return true;
}
