/* Codes as others: cut off, negated, of the grid of others. */
#include <stdio.h>

#include "ir/shape/infer.h"
#include "passes/lower/lower.h"
#include "support/memory/arena.h"

weir_value weir_lower_at_least(weir_lowering *l, weir_node node, weir_value codes, int64_t least) {
    const weir_type *type = weir_value_type(l->to, codes);
    if (type->has_range && type->low >= least) return codes;
    weir_type result = *type;
    const int64_t low = type->low, high = type->high;
    if (least != (int32_t)least) {
        weir_lower_fail(l, node, "the sum before the preceding Relu has %d bits; at most 32 can be compared",
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

/* --- codes of one scale and zero point that differ in width or sign, as those of several quantizers, get what holds
 * all of them --- */

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
        return weir_lower_fail(l, node,
                               "its inputs have different scales, so a quantizer must be the only reader of "
                               "its result");
    if (weir_quant_equal(&a, &b)) return true;
    const weir_quant both = quantization_of_both(&a, &b);
    snprintf(suffix[0], sizeof suffix[0], "_before_%zu", index);
    snprintf(suffix[1], sizeof suffix[1], "_input_%zu", index);
    *before = widen(l, node, suffix[0], *before, &both);
    *next = widen(l, node, suffix[1], *next, &both);
    return before->id != 0 && next->id != 0;
}

/* --- the other sign --- */

/* -x + 0 x: no component turns signs alone. The range of the result is that of -x even where the two become streams of
 * their own. */
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
    weir_node_set_int(l->to, made, "ca", -1);
    weir_node_set_int(l->to, made, "cb", 0);
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
