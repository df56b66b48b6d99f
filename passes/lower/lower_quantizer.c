/* Quantizers in any dialect: what they are of constants and codes, and the codes that a node reads, which a quantizer
 * behind it may make. What they make of everything else: lower_absorb.c. */

#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "passes/lower/lower.h"
#include "quant/arithmetic.h"
#include "support/memory/arena.h"

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
    if (quant == NULL && weir_lower_carries(l, node)) return weir_lower_carried(l, node, index);
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

/* --- the rules --- */

/* Codes of a constant: the quantizer on each element, scales along the axis. */
static weir_array *quantize_constant(const weir_lowering *l, weir_node quantizer, const weir_array *data,
                                     const weir_quant *quant) {
    const weir_contract contract = weir_lower_contract_of(l, quantizer);
    int64_t low, high;
    weir_quant_limits(quant, &low, &high);
    weir_array *codes = weir_array_in(weir_graph_arena(l->to), weir_dtype_for(low, high), &data->shape);
    size_t inner = 1, channels = quant->count > 1 ? quant->count : 1;
    for (int d = quant->axis + 1; channels > 1 && d < data->shape.rank; d++) inner *= (size_t)data->shape.dim[d];
    for (size_t i = 0; i < data->count; i++) {
        int64_t channel = (int64_t)(i / inner % channels);
        weir_array_set_int(codes, i, weir_encode(weir_array_get(data, i), quant, channel, contract));
    }
    return codes;
}

/* Quantizes real numbers, whatever they come from. */
static bool quantize_numbers(weir_lowering *l, weir_node node, const weir_quant *quant) {
    const weir_value input = weir_node_input(l->from, node, 0);
    if (weir_expression_has_data(weir_lower_expression(l, input))) { /* also weights that were quantized before */
        const weir_array *codes = quantize_constant(l, node, weir_lower_constant(l, input), quant);
        weir_lower_set(l, node, weir_expression_weights(weir_graph_arena(l->to), codes, quant));
        return true;
    }
    if (quant->count > 1)
        return weir_lower_fail(l, node, "activations need one scale per tensor, found %u", quant->count);
    return weir_lower_quantize(l, node, weir_lower_expression(l, input), quant);
}

static int axis_of(const weir_lowering *l, weir_node node, int rank) {
    int64_t axis = weir_node_int(l->from, node, "axis", 1);
    return (int)(axis < 0 ? axis + rank : axis);
}

bool weir_lower_quantize_linear(weir_lowering *l, weir_node node) {
    const weir_type *type = weir_value_type(l->from, weir_node_output(l->from, node, 0));
    weir_quant quant;
    if (!weir_lower_read_quant(l, node, 1, 2, type->dtype, axis_of(l, node, type->shape.rank), &quant)) return false;
    return quantize_numbers(l, node, &quant);
}

/* Accumulators whose zero points have been kept apart get a scale and another zero point. */
static bool rescale(weir_lowering *l, weir_node node, const weir_leaf *x, const weir_quant *quant) {
    weir_arena *arena = weir_graph_arena(l->to);
    weir_type type = *weir_value_type(l->to, x->codes);
    uint32_t count = type.quant.count > quant->count ? type.quant.count : quant->count;
    double *scale = weir_arena_array(arena, count, sizeof *scale);
    int64_t *zero = weir_arena_array(arena, count, sizeof *zero);
    if (quant->count > 1 &&
        (x->map != NULL || quant->axis != type.shape.rank - 1 || quant->count != type.shape.dim[quant->axis]))
        return weir_lower_fail(l, node, "its scales must be along the last axis");
    for (uint32_t c = 0; c < count; c++) {
        scale[c] = weir_quant_scale(quant, c);
        zero[c] = weir_quant_zero(&type.quant, c) + weir_quant_zero(quant, c);
    }
    type.quant.count = count;
    type.quant.axis = count > 1 ? type.shape.rank - 1 : -1;
    type.quant.scale = scale;
    type.quant.zero_point = zero;
    weir_node relabel = weir_lower_add_node(l, node, WEIR_OP_RELABEL, "", &x->codes, 1, &type);
    const weir_leaf made = {.codes = weir_node_output(l->to, relabel, 0), .map = x->map};
    return weir_lower_set_leaf(l, node, &made);
}

bool weir_lower_dequantize_linear(weir_lowering *l, weir_node node) {
    const weir_expression *x = weir_lower_input(l, node, 0);
    const weir_type *type = weir_value_type(l->from, weir_node_input(l->from, node, 0));
    weir_quant quant;
    if (!weir_lower_read_quant(l, node, 1, 2, type->dtype, axis_of(l, node, type->shape.rank), &quant)) return false;
    if (weir_expression_has_data(x)) {
        weir_lower_set(l, node, weir_expression_weights(weir_graph_arena(l->to), weir_expression_data(x), &quant));
        return true;
    }
    if (weir_expression_source(x) != WEIR_EXPRESSION_CODES)
        return weir_lower_fail_unquantized(l, node, 0, "its input is not quantized");
    if (weir_expression_leaf(x)->centered) return rescale(l, node, weir_expression_leaf(x), &quant);
    if (quant.count > 1)
        return weir_lower_fail(l, node, "activations need one scale per tensor, found %u", quant.count);
    const weir_leaf *leaf = weir_expression_leaf(x);
    const weir_leaf made = {.codes = weir_lower_requalify(l, node, leaf->codes, &quant), .map = leaf->map};
    return weir_lower_set_leaf(l, node, &made);
}

/* With a zero point between two codes of a constant these are odd numbers of half a step. */
static bool quantize_between(weir_lowering *l, weir_node node, double zero, weir_quant *quant) {
    weir_arena *arena = weir_graph_arena(l->to);
    const weir_array *data = weir_lower_constant(l, weir_node_input(l->from, node, 0));
    int64_t low, high;
    weir_quant_limits(quant, &low, &high);
    const int64_t least = 2 * low - (int64_t)(2 * zero), most = 2 * high - (int64_t)(2 * zero);
    weir_array *codes = weir_array_in(arena, weir_dtype_for(least, most), &data->shape);
    size_t inner = 1;
    for (int d = quant->axis + 1; quant->count > 1 && d < data->shape.rank; d++) inner *= (size_t)data->shape.dim[d];
    for (size_t i = 0; i < data->count; i++) {
        const int64_t channel = (int64_t)(i / inner % quant->count);
        const int64_t code = weir_encode_qonnx((float)weir_array_get(data, i), (float)weir_quant_scale(quant, channel),
                                               (float)zero, quant->rounding, low, high);
        weir_array_set_int(codes, i, 2 * code - (int64_t)(2 * zero));
    }
    double *scale = weir_arena_array(arena, quant->count, sizeof *scale);
    for (uint32_t c = 0; c < quant->count; c++) scale[c] = weir_quant_scale(quant, c) / 2;
    quant->scale = scale;
    quant->is_signed = least < 0;
    quant->width = weir_bits_for(least, most);
    quant->saturation = WEIR_SATURATE;
    weir_lower_set(l, node, weir_expression_weights(arena, codes, quant));
    return true;
}

bool weir_lower_quant(weir_lowering *l, weir_node node) {
    weir_quant quant;
    double zero;
    if (!weir_lower_read_quantizer(l, node, &quant)) return false;
    if (weir_lower_is_between(l, node, &zero)) return quantize_between(l, node, zero, &quant);
    weir_lower_recognize_fixed(&quant);
    return quantize_numbers(l, node, &quant);
}

bool weir_lower_bipolar_quant(weir_lowering *l, weir_node node) {
    weir_quant quant;
    const weir_array *scale = weir_lower_input_constant(l, node, 1);
    weir_array *none = weir_array_in(weir_graph_arena(l->to), WEIR_FLOAT32, &(weir_shape){.rank = 0});
    if (scale == NULL) return weir_lower_fail(l, node, "its scale must be a constant");
    if (!weir_lower_read_qonnx_scale(l, node, scale, none, &quant)) return false;
    quant.format = WEIR_FORMAT_BINARY;
    quant.width = 2;
    quant.zero_point = NULL;
    return quantize_numbers(l, node, &quant);
}

/* Integers as real numbers: the same codes with a scale of 1. */
bool weir_lower_cast(weir_lowering *l, weir_node node) {
    static const double one = 1;
    static const int64_t none = 0;
    const weir_expression *x = weir_lower_input(l, node, 0);
    const weir_type *to = weir_value_type(l->from, weir_node_output(l->from, node, 0));
    const weir_type *from = weir_value_type(l->from, weir_node_input(l->from, node, 0));
    if (weir_expression_source(x) != WEIR_EXPRESSION_CODES || from->quant.format == WEIR_FORMAT_FLOAT ||
        to->dtype != WEIR_FLOAT32)
        return weir_lower_function(l, node);
    const weir_quant quant = weir_lower_quant_of(from->dtype, &one, &none, 1, -1);
    const weir_leaf *leaf = weir_expression_leaf(x);
    if (leaf->centered) return rescale(l, node, leaf, &quant);
    const weir_leaf made = {.codes = weir_lower_requalify(l, node, leaf->codes, &quant), .map = leaf->map};
    return weir_lower_set_leaf(l, node, &made);
}
