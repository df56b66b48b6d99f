/* A quantizer's parameters, and the codes that a node reads, which a quantizer behind it may make. */
#include <math.h>

#include "ir/shape/infer.h"
#include "passes/lower/lower.h"
#include "support/memory/arena.h"

bool weir_lower_read_quant(weir_lowering *l, weir_node node, size_t scale_index, size_t zero_index, weir_dtype dtype,
                           int axis, weir_quant *quant) {
    const weir_array *scale = weir_lower_input_constant(l, node, scale_index),
                     *zero = weir_lower_input_constant(l, node, zero_index);
    if (scale == NULL) return weir_lower_fail(l, node, "input %zu, a scale, must be a constant", scale_index);
    if (weir_node_input(l->from, node, zero_index).id != 0 && zero == NULL)
        return weir_lower_fail(l, node, "input %zu, a zero point, must be a constant", zero_index);
    if (zero != NULL && zero->count != scale->count && zero->count != 1)
        return weir_lower_fail(l, node, "%zu scales and %zu zero points", scale->count, zero->count);
    weir_arena *arena = weir_graph_arena(l->to);
    double *scales = weir_arena_array(arena, scale->count, sizeof *scales);
    int64_t *zeros = weir_arena_array(arena, scale->count, sizeof *zeros);
    for (size_t i = 0; i < scale->count; i++) {
        scales[i] = weir_array_get(scale, i);
        zeros[i] = zero == NULL ? 0 : weir_array_get_int(zero, zero->count == 1 ? 0 : i);
        if (!(scales[i] > 0) || !isfinite(scales[i]))
            return weir_lower_fail(l, node, "scale %zu is not a positive number", i);
    }
    *quant = weir_lower_quant(dtype, scales, zeros, (uint32_t)scale->count, axis);
    return true;
}

/* Gives the codes that quantization, unless inference gives them another: that of what they are made of. */
static bool qualify(weir_lowering *l, weir_value codes, const weir_type *type) {
    const weir_type before = *weir_value_type(l->to, codes);
    const weir_node producer = weir_value_producer(l->to, codes);
    weir_value_set_type(l->to, codes, type);
    if (producer.id == 0) return true;
    const bool fine =
        weir_infer_node(l->to, producer) && weir_quant_equal(&weir_value_type(l->to, codes)->quant, &type->quant);
    weir_value_set_type(l->to, codes, fine ? type : &before);
    return fine;
}

weir_value weir_lower_requalify(weir_lowering *l, weir_node node, weir_value codes, const weir_quant *quant) {
    weir_type type = *weir_value_type(l->to, codes);
    bool plain = type.quant.count == 0;
    weir_quant wanted = *quant;
    wanted.width = type.quant.width;
    wanted.is_signed = type.quant.is_signed;
    wanted.rounding = type.quant.rounding;
    wanted.saturation = type.quant.saturation;
    if (!plain && weir_quant_equal(&wanted, &type.quant)) return codes;
    type.quant = wanted;
    const weir_node producer = weir_value_producer(l->to, codes);
    const bool open = producer.id == 0 || weir_node_info(l->to, producer)->class == WEIR_CLASS_INTEGER;
    if (plain && open && weir_value_use_count(l->to, codes) == 0 && qualify(l, codes, &type)) return codes;
    weir_node relabel = weir_lower_add_node(l, node, WEIR_OP_RELABEL, "", &codes, 1, &type);
    return weir_node_output(l->to, relabel, 0);
}

/* Does the node join what the host computes first with what hardware does? */
static bool joins(const weir_lowering *l, weir_node node) {
    bool any = false;
    for (size_t i = 0; i < weir_node_input_count(l->from, node); i++)
        any |= weir_expression_is_hardware(weir_lower_input(l, node, i));
    return any;
}

weir_value weir_lower_read_codes(weir_lowering *l, weir_node node, size_t index, const weir_quant *quant) {
    const weir_expression *x = weir_lower_input(l, node, index);
    const bool becomes_codes =
        weir_expression_is_hardware(x) || (weir_expression_kind_of(x) == WEIR_EXPRESSION_REAL && joins(l, node));
    if (!weir_expression_has_codes(x) && (quant == NULL || !becomes_codes)) {
        weir_lower_fail_unquantized(l, node, index, "its input is not quantized");
        return WEIR_NO_VALUE;
    }
    if (quant != NULL) {
        if (!weir_lower_quantize(l, node, x, quant)) return WEIR_NO_VALUE;
        x = weir_lower_expression(l, weir_node_output(l->from, node, 0));
    }
    return weir_lower_codes(l, node, x);
}
