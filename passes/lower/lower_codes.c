/* What consumers of codes read: of a view with all that is pending computed, which no quantizer rounds. */
#include "ir/shape/infer.h"
#include "passes/lower/view.h"
#include "support/memory/arena.h"

/* Is it a product with positive numbers, or a quotient by such? */
static bool is_scaling(const weir_step *step) {
    bool fine = step->op == WEIR_OP_MUL || step->op == WEIR_OP_DIV;
    for (size_t c = 0; fine && c < step->constant->count; c++) fine = weir_array_get(step->constant, c) > 0;
    return fine;
}

/* The most scales that the codes have or get. */
static uint32_t count_scales(const weir_quant *quant, const weir_view *view) {
    uint32_t count = quant->count > 1 ? quant->count : 1;
    for (size_t i = 0; i < view->step_count; i++)
        if (view->step[i].constant != NULL && view->step[i].constant->count > count)
            count = (uint32_t)view->step[i].constant->count;
    return count;
}

/* Products with positive numbers, one a tensor or one a channel, are other scales of the same codes. */
static bool rescaled(weir_lowering *l, weir_node node, const weir_view *view, weir_view *result) {
    weir_type type = *weir_value_type(l->to, view->value);
    *result = *view;
    if (view->step_count == 0) return true;
    if (view->kind != WEIR_VIEW_CODES || view->offset != NULL) return false;
    const uint32_t count = count_scales(&type.quant, view);
    if (count > 1 && view->reshaped) return false;
    double *scale = weir_arena_array(weir_graph_arena(l->to), count, sizeof *scale);
    int64_t *zero = weir_arena_array(weir_graph_arena(l->to), count, sizeof *zero);
    for (uint32_t c = 0; c < count; c++) {
        scale[c] = weir_quant_scale(&type.quant, c);
        zero[c] = weir_quant_zero(&type.quant, c);
    }
    bool relu = false;
    for (size_t i = 0; i < view->step_count; i++) {
        const weir_step *step = &view->step[i];
        relu |= step->op == WEIR_OP_RELU;
        if (step->op == WEIR_OP_RELU) continue;
        if (!is_scaling(step)) return false;
        for (uint32_t c = 0; c < count; c++) {
            const double by = weir_array_get(step->constant, step->constant->count == 1 ? 0 : c);
            if (step->op == WEIR_OP_MUL) scale[c] = weir_contract_product(l->contract, scale[c], by);
            else scale[c] = l->contract == WEIR_CONTRACT_REAL ? scale[c] / by : (double)((float)scale[c] / (float)by);
        }
    }
    if (type.quant.format == WEIR_FORMAT_FIXED) type.quant.format = WEIR_FORMAT_INTEGER;
    type.quant.count = count;
    type.quant.axis = count > 1 ? type.shape.rank - 1 : -1;
    type.quant.scale = scale;
    type.quant.zero_point = zero;
    weir_node relabel = weir_lower_add_node(l, node, WEIR_OP_RELABEL, "_input", &view->value, 1, &type);
    result->value = weir_node_output(l->to, relabel, 0);
    result->relu = relu;
    result->step_count = 0;
    return true;
}

weir_value weir_lower_codes(weir_lowering *l, weir_node node, const weir_view *given) {
    weir_view sum = *given, plain;
    if (sum.kind == WEIR_VIEW_SUM && !weir_lower_sum_exact(l, node, "_input", &sum)) {
        weir_lower_fail_sum(l, node, given);
        return WEIR_NO_VALUE;
    }
    const weir_view *view = rescaled(l, node, &sum, &plain) ? &plain : &sum;
    const weir_type *type = weir_value_type(l->to, view->value);
    if (view->kind != WEIR_VIEW_CODES || view->offset != NULL || view->step_count > 0) {
        weir_lower_fail(l, node, "its input has no quantizer after the operators before it");
        weir_note("put one between them and the node");
        return WEIR_NO_VALUE;
    }
    if (view->reshaped) {
        weir_lower_fail(l, node,
                        "its input has per-channel scales split up by a reshape: quantize it again, per tensor");
        return WEIR_NO_VALUE;
    }
    if (!view->relu) return view->value;
    if (type->quant.count > 1) {
        weir_lower_fail(l, node, "a Relu on accumulators needs a quantizer after it");
        return WEIR_NO_VALUE;
    }
    return weir_lower_at_least(l, node, view->value, weir_quant_zero(&type->quant, 0));
}

weir_value weir_lower_at_least(weir_lowering *l, weir_node node, weir_value codes, int64_t least) {
    const weir_type *type = weir_value_type(l->to, codes);
    if (type->has_range && type->low >= least) return codes;
    weir_type result = *type;
    const int64_t low = type->low, high = type->high;
    if (least != (int32_t)least) {
        weir_lower_fail(l, node, "the sum before the Relu in front of it has %d bits, at most 32 can be compared",
                        weir_bits_for(low, high));
        weir_note("put a quantizer between the Relu and the node");
        return WEIR_NO_VALUE;
    }
    if (type->has_range && (least < low || least > high)) /* a bound outside the codes needs more bits */
        result.quant.width = weir_bits_for(low < least ? low : least, high > least ? high : least);
    weir_node maximum = weir_lower_add_node(l, node, WEIR_OP_MAXIMUM, "_input_relu", &codes, 1, &result);
    weir_node_set_int(l->to, maximum, "zero", least);
    return weir_infer_node(l->to, maximum) ? weir_node_output(l->to, maximum, 0) : WEIR_NO_VALUE;
}
