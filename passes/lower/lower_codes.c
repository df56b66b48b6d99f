/* What consumers of codes read: of an expression with all that is pending computed, which no quantizer rounds. */
#include <stdio.h>

#include "ir/shape/infer.h"
#include "passes/lower/lower.h"
#include "support/memory/arena.h"

/* Is it a product with positive numbers, or a quotient by such? */
static bool is_scaling(const weir_step *step) {
    bool fine = step->op == WEIR_OP_MUL || step->op == WEIR_OP_DIV;
    for (size_t c = 0; fine && c < step->constant->count; c++) fine = weir_array_get(step->constant, c) > 0;
    return fine;
}

/* The most scales that the codes have or get. */
static uint32_t count_scales(const weir_quant *quant, const weir_expression *x) {
    uint32_t count = quant->count > 1 ? quant->count : 1;
    for (; weir_expression_kind_of(x) == WEIR_EXPRESSION_STEP; x = weir_expression_operand(x)) {
        const weir_array *constant = weir_expression_step_of(x)->constant;
        if (constant != NULL && constant->count > count) count = (uint32_t)constant->count;
    }
    return count;
}

/* The scales of the leaf after the steps of x, the first of which is the innermost; false: one of them is no product with positive
 * numbers. `relu`: there is a Relu among them. */
static bool scale_by_steps(const weir_lowering *l, const weir_expression *x, double *scale, uint32_t count,
                           bool *relu) {
    if (weir_expression_kind_of(x) != WEIR_EXPRESSION_STEP) return true;
    const weir_step *step = weir_expression_step_of(x);
    if (!scale_by_steps(l, weir_expression_operand(x), scale, count, relu)) return false;
    if (step->op == WEIR_OP_RELU) return *relu = true;
    if (!is_scaling(step)) return false;
    for (uint32_t c = 0; c < count; c++) {
        const double by = weir_array_get(step->constant, step->constant->count == 1 ? 0 : c);
        if (step->op == WEIR_OP_MUL) scale[c] = weir_contract_product(l->contract, scale[c], by);
        else scale[c] = l->contract == WEIR_CONTRACT_REAL ? scale[c] / by : (double)((float)scale[c] / (float)by);
    }
    return true;
}

/* Products with positive numbers, one a tensor or one a channel, are other scales of the same codes: x, of a leaf, with its steps as
 * scales, or as it is where they are more than that. */
static const weir_expression *rescaled(weir_lowering *l, weir_node node, const weir_expression *x) {
    uint32_t offsets;
    if (weir_expression_kind_of(x) != WEIR_EXPRESSION_STEP || weir_expression_numbers(x, &offsets) != NULL) return x;
    weir_arena *arena = weir_graph_arena(l->to);
    weir_leaf leaf = *weir_expression_leaf(x);
    weir_type type = *weir_value_type(l->to, leaf.codes);
    const uint32_t count = count_scales(&type.quant, x);
    if (count > 1 && leaf.map != NULL) return x;
    double *scale = weir_arena_array(arena, count, sizeof *scale);
    int64_t *zero = weir_arena_array(arena, count, sizeof *zero);
    for (uint32_t c = 0; c < count; c++) {
        scale[c] = weir_quant_scale(&type.quant, c);
        zero[c] = weir_quant_zero(&type.quant, c);
    }
    bool relu = false;
    if (!scale_by_steps(l, x, scale, count, &relu)) return x;
    if (type.quant.format == WEIR_FORMAT_FIXED) type.quant.format = WEIR_FORMAT_INTEGER;
    type.quant.count = count;
    type.quant.axis = count > 1 ? type.shape.rank - 1 : -1;
    type.quant.scale = scale;
    type.quant.zero_point = zero;
    const weir_node relabel = weir_lower_add_node(l, node, WEIR_OP_RELABEL, "_input", &leaf.codes, 1, &type);
    leaf.codes = weir_node_output(l->to, relabel, 0);
    const weir_expression *made = weir_expression_of_leaf(arena, &leaf);
    return relu ? weir_expression_relu(arena, made) : made;
}

weir_value weir_lower_codes(weir_lowering *l, weir_node node, const weir_expression *given) {
    const weir_expression *x = given;
    if (weir_expression_source(x) == WEIR_EXPRESSION_SUM) x = weir_lower_sum_single(l, node, "_input", given);
    if (x == NULL && given != NULL) {
        weir_lower_fail_sum(l, node, given);
        return WEIR_NO_VALUE;
    }
    x = rescaled(l, node, x);
    const bool relu = weir_expression_kind_of(x) == WEIR_EXPRESSION_RELU;
    const weir_expression *codes = relu ? weir_expression_operand(x) : x;
    if (weir_expression_kind_of(codes) != WEIR_EXPRESSION_CODES) {
        weir_lower_fail(l, node, "its input has no quantizer after the operators before it");
        weir_note("put one between them and the node");
        return WEIR_NO_VALUE;
    }
    const weir_leaf *leaf = weir_expression_leaf(codes);
    if (leaf->map != NULL) {
        weir_lower_fail(l, node,
                        "its input has per-channel scales split up by a reshape: quantize it again, per tensor");
        return WEIR_NO_VALUE;
    }
    if (!relu) return leaf->codes;
    const weir_type *type = weir_value_type(l->to, leaf->codes);
    if (type->quant.count > 1) {
        weir_lower_fail(l, node, "a Relu on accumulators needs a quantizer after it");
        return WEIR_NO_VALUE;
    }
    return weir_lower_at_least(l, node, leaf->codes, weir_quant_zero(&type->quant, 0));
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

/* --- codes of one scale and zero point that differ in width or sign, as those of several quantizers, get what holds all of them --- */

static bool is_of_one_grid(const weir_quant *a, const weir_quant *b) {
    return a->count <= 1 && b->count <= 1 && weir_quant_scale(a, 0) == weir_quant_scale(b, 0) &&
           weir_quant_zero(a, 0) == weir_quant_zero(b, 0);
}

static weir_quant quantization_of_both(const weir_quant *a, const weir_quant *b) {
    weir_quant both = *a;
    int64_t low, high, least, most;
    weir_quant_limits(a, &low, &high);
    weir_quant_limits(b, &least, &most);
    low = least < low ? least : low;
    high = most > high ? most : high;
    if (both.format == WEIR_FORMAT_BINARY) both.format = WEIR_FORMAT_INTEGER;
    both.is_signed = low < 0;
    both.width = weir_bits_for(low, high);
    both.saturation = WEIR_SATURATE;
    return both;
}

static weir_value widen(weir_lowering *l, weir_node node, const char *suffix, weir_value codes,
                        const weir_quant *quant) {
    const weir_type *from = weir_value_type(l->to, codes);
    const weir_type type = weir_lower_codes_type(quant, &from->shape, from->low, from->high);
    if (from->dtype == type.dtype && weir_quant_equal(&from->quant, quant)) return codes;
    return weir_lower_clip(l, node, suffix, codes, &type);
}

bool weir_lower_unite(weir_lowering *l, weir_node node, size_t index, weir_value *before, weir_value *next) {
    const weir_quant a = weir_value_type(l->to, *before)->quant, b = weir_value_type(l->to, *next)->quant;
    char suffix[2][32];
    if (!is_of_one_grid(&a, &b))
        return weir_lower_fail(l, node, "its inputs have different scales, and no quantizer takes its result alone");
    if (weir_quant_equal(&a, &b)) return true;
    const weir_quant both = quantization_of_both(&a, &b);
    snprintf(suffix[0], sizeof suffix[0], "_before_%zu", index);
    snprintf(suffix[1], sizeof suffix[1], "_input_%zu", index);
    *before = widen(l, node, suffix[0], *before, &both);
    *next = widen(l, node, suffix[1], *next, &both);
    return before->id != 0 && next->id != 0;
}

/* --- the other sign --- */

/* x - 2 x: no component turns signs alone. */
static weir_value negated(weir_lowering *l, weir_node node, const char *suffix, weir_value codes) {
    weir_arena *arena = weir_graph_arena(l->to);
    const weir_value inputs[2] = {codes, codes};
    weir_type type = *weir_value_type(l->to, codes);
    const uint32_t count = type.quant.count > 1 ? type.quant.count : 1;
    double *scale = weir_arena_array(arena, count, sizeof *scale);
    int64_t *zero = weir_arena_array(arena, count, sizeof *zero);
    for (uint32_t c = 0; c < count; c++) {
        scale[c] = weir_quant_scale(&type.quant, c);
        zero[c] = -weir_quant_zero(&type.quant, c);
    }
    type.dtype = WEIR_INT64;
    type.has_range = false;
    type.quant = (weir_quant){.format = WEIR_FORMAT_INTEGER,
                              .axis = count > 1 ? type.quant.axis : -1,
                              .count = count,
                              .scale = scale,
                              .zero_point = zero};
    const weir_node made = weir_lower_add_node(l, node, WEIR_OP_SUM, suffix, inputs, 2, &type);
    weir_node_set_int(l->to, made, "cb", -2);
    return weir_infer_node(l->to, made) ? weir_node_output(l->to, made, 0) : WEIR_NO_VALUE;
}

weir_value weir_lower_negated(weir_lowering *l, weir_node node, weir_value codes) {
    return negated(l, node, "_negated", codes);
}

weir_value weir_lower_negated_back(weir_lowering *l, weir_node node, weir_value codes, const weir_type *type) {
    codes = negated(l, node, "_back", codes);
    if (codes.id == 0) return codes;
    const weir_shape *shape = &weir_value_type(l->to, codes)->shape;
    weir_type same = weir_lower_codes_type(&type->quant, shape, type->low, type->high);
    if (same.quant.count > 1) same.quant.axis = shape->rank - 1;
    same.dtype = type->dtype;
    return weir_lower_clip(l, node, "_codes", codes, &same);
}
