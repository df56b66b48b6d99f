/* Values that no quantizer takes and that jump from one number to another: numbers times a condition, which is 0 or 1
 * (lower_carry.c). */
#include <math.h>

#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "passes/lower/scaled.h"
#include "support/memory/arena.h"

/* 1 where the numbers of the codes, of one scale, are larger than that one, else 0; no value after a reported error. */
static weir_value above(weir_lowering *l, weir_node node, weir_value codes, double number) {
    const weir_type *type = weir_value_type(l->to, codes);
    const double code =
        floor(number / weir_quant_scale(&type->quant, 0)) + 1 + (double)weir_quant_zero(&type->quant, 0);
    weir_array *step = weir_array_in(weir_graph_arena(l->to), WEIR_INT64, &(weir_shape){2, {1, 1}});
    weir_array_set_int(step, 0, (int64_t)fmax((double)type->low, fmin((double)type->high + 1, code)));
    const weir_value inputs[2] = {codes, weir_scaled_constant(l, node, "_step", step)};
    const weir_quant quant = weir_scaled_quant(l, 1, 0, 1);
    const weir_type to = weir_lower_codes_type(&quant, &type->shape, 0, 1);
    const weir_node made = weir_lower_add_node(l, node, WEIR_OP_THRESHOLD, "_above", inputs, 2, &to);
    weir_node_set_int(l->to, made, "base", 0);
    weir_node_set_int(l->to, made, "step", 1);
    return weir_infer_node(l->to, made) ? weir_node_output(l->to, made, 0) : WEIR_NO_VALUE;
}

weir_value weir_lower_gated(weir_lowering *l, weir_node node, weir_value condition, weir_value codes) {
    if (condition.id == 0 || codes.id == 0) return WEIR_NO_VALUE;
    const weir_value pair[2] = {condition, codes};
    const weir_type *type = weir_value_type(l->to, codes);
    weir_type to = {.dtype = WEIR_INT64,
                    .shape = type->shape,
                    .quant = weir_scaled_quant(l, weir_quant_scale(&type->quant, 0), -1, 0)};
    const weir_node made = weir_lower_add_node(l, node, WEIR_OP_MULTIPLY, "_chosen", pair, 2, &to);
    weir_node_set_int(l->to, made, "zb", weir_quant_zero(&type->quant, 0));
    return weir_infer_node(l->to, made) ? weir_node_output(l->to, made, 0) : WEIR_NO_VALUE;
}

weir_value weir_lower_thresholded(weir_lowering *l, weir_node node, weir_value codes, double alpha) {
    codes = weir_scaled_narrow(l, node, codes);
    return codes.id == 0 ? codes : weir_lower_gated(l, node, above(l, node, codes, alpha), codes);
}
