/* Lowering of the operators between codes and the next quantizer: products, sums, normalizations with constants become
 * steps, which the quantizer absorbs. A step is the model's operation, in the model's order, on one float32
 * constant or one a channel, so nothing is rounded otherwise than in the model. */
#include <math.h>

#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "passes/lower/lower.h"
#include "support/memory/arena.h"

/* A constant for a step, by channel. */
static const weir_array *step_constant(weir_lowering *l, weir_node node, const weir_expression *x,
                                       const weir_array *constant, const weir_shape *shape) {
    const weir_array *result = weir_lower_by_channel(l, node, weir_expression_codes_of(x), constant, shape);
    return result != NULL && weir_lower_check_finite(l, node, result) ? result : NULL;
}

static bool no_quantizer(weir_lowering *l, weir_node node, size_t index) {
    return weir_lower_fail_unquantized(l, node, index, "its input is not quantized");
}

bool weir_lower_as_codes(weir_lowering *l, weir_node node, size_t index) {
    const weir_value input = weir_node_input(l->from, node, index);
    const weir_expression *x = weir_lower_expression(l, input);
    if (weir_expression_source(x) == WEIR_EXPRESSION_SUM) {
        const weir_expression *exact = weir_lower_sum_single(l, node, "_input", x, weir_lower_needed(l, input));
        if (exact == NULL) return weir_lower_fail_sum(l, node, x);
        weir_lower_become(l, input, exact);
        x = exact;
    }
    if (weir_expression_source(x) != WEIR_EXPRESSION_CODES) return no_quantizer(l, node, index);
    if (weir_expression_count_steps(x) + 4 > WEIR_STEPS)
        return weir_lower_fail(l, node, "more than %d operations before a quantizer", WEIR_STEPS - 4);
    return true;
}

static bool is_real(const weir_lowering *l, weir_node node) {
    return weir_value_type(l->from, weir_node_output(l->from, node, 0))->dtype == WEIR_FLOAT32;
}

static bool lower_normalization(weir_lowering *l, weir_node node) {
    const weir_shape *shape = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    const weir_expression *x = weir_lower_input(l, node, 0);
    const weir_array *numbers[2];
    if (!weir_lower_normalization(l, node, &numbers[0], &numbers[1])) return false;
    for (size_t i = 0; i < 2; i++) x = weir_lower_spread(l, node, x, numbers[i], shape);
    for (size_t i = 0; i < 2; i++) {
        const weir_array *constant = step_constant(l, node, x, numbers[i], shape);
        if (constant == NULL) return false;
        x = weir_lower_step(l, x, i == 0 ? WEIR_OP_MUL : WEIR_OP_ADD, constant);
    }
    weir_lower_set(l, node, x);
    return true;
}

/* Max and Min with one number; either bound may be left out. */
static bool lower_clip(weir_lowering *l, weir_node node) {
    const weir_expression *x = weir_lower_input(l, node, 0);
    for (size_t i = 1; i < 3; i++) {
        const weir_array *number = weir_lower_clip_bound(l, node, i);
        if (number == NULL && weir_node_input(l->from, node, i).id != 0)
            return weir_lower_fail(l, node, "input %zu must be one constant number", i);
        if (number == NULL || weir_array_get(number, 0) == (i == 1 ? -HUGE_VAL : HUGE_VAL)) continue;
        if (!weir_lower_check_finite(l, node, number)) return false;
        x = weir_lower_step(l, x, i == 1 ? WEIR_OP_MAX : WEIR_OP_MIN, number);
    }
    weir_lower_set(l, node, x);
    return true;
}

/* x op constant, or constant op x where that can be turned around. */
static bool lower_binary(weir_lowering *l, weir_node node, size_t data, const weir_array *constant) {
    const weir_op kind = weir_trait_kind(l->from, node);
    if (kind == WEIR_OP_DIV && data == 1) return weir_lower_function(l, node);
    const weir_shape *shape = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    const weir_expression *x = weir_lower_spread(l, node, weir_lower_input(l, node, data), constant, shape);
    const weir_array *numbers = step_constant(l, node, x, constant, shape);
    if (numbers == NULL) return false;
    for (size_t c = 0; kind == WEIR_OP_DIV && c < numbers->count; c++) {
        if (weir_array_get(numbers, c) == 0) return weir_lower_fail(l, node, "it divides by zero");
    }
    const bool is_leaf = weir_expression_kind_of(x) == WEIR_EXPRESSION_CODES;
    if (kind == WEIR_OP_ADD && is_leaf && !(weir_expression_leaf(x)->map != NULL && numbers->count > 1))
        return weir_lower_add_constant(l, node, x, weir_lower_input(l, node, 1 - data));
    if (kind == WEIR_OP_SUB && data == 1) { /* c - x is -x + c, bit for bit */
        x = weir_lower_step(l, weir_lower_step(l, x, WEIR_OP_NEG, NULL), WEIR_OP_ADD, numbers);
    } else {
        x = weir_lower_step(l, x, kind, numbers);
    }
    weir_lower_set(l, node, x);
    return true;
}

/* The bound at input `index` of a Clip of integers; left out: none. False after a reported error. */
static bool read_bound(weir_lowering *l, weir_node node, size_t index, int64_t *bound) {
    const weir_value value = weir_node_input(l->from, node, index);
    const weir_array *number = weir_lower_constant(l, value);
    if (value.id != 0 && (number == NULL || number->count != 1))
        return weir_lower_fail(l, node, "input %zu must be one constant number", index);
    if (number != NULL) *bound = weir_array_get_int(number, 0);
    return true;
}

static int64_t clip(int64_t code, int64_t low, int64_t high) {
    const int64_t raised = code < low ? low : code;
    return raised > high ? high : raised;
}

/* Codes of which fewer are used than their type has, as PyTorch's exporter says it between two quantizers. */
static bool clip_codes(weir_lowering *l, weir_node node) {
    weir_arena *arena = weir_graph_arena(l->to);
    const weir_expression *x = weir_lower_input(l, node, 0);
    int64_t low = INT64_MIN, high = INT64_MAX;
    if (!read_bound(l, node, 1, &low) || !read_bound(l, node, 2, &high)) return false;
    if (weir_expression_has_data(x)) {
        weir_array *codes = weir_array_copy_in(arena, weir_expression_data(x));
        for (size_t i = 0; i < codes->count; i++)
            weir_array_set_int(codes, i, clip(weir_array_get_int(codes, i), low, high));
        weir_lower_set(l, node,
                       weir_expression_kind_of(x) == WEIR_EXPRESSION_CONSTANT
                           ? weir_expression_constant(arena, codes)
                           : weir_expression_weights(arena, codes, weir_expression_quant(x)));
        return true;
    }
    if (weir_expression_source(x) != WEIR_EXPRESSION_CODES || weir_expression_leaf(x)->centered ||
        weir_expression_leaf(x)->map != NULL)
        return no_quantizer(l, node, 0);
    const weir_type *from = weir_value_type(l->to, weir_expression_codes_of(x));
    const weir_type type =
        weir_lower_codes_type(&from->quant, &from->shape, clip(from->low, low, high), clip(from->high, low, high));
    return weir_lower_set_with_codes(l, node, x, weir_lower_clip(l, node, "", weir_expression_codes_of(x), &type));
}

/* Why two computed operands are none that hardware combines. */
static bool fail_operands(weir_lowering *l, weir_node node) {
    for (size_t i = 0; i < weir_node_input_count(l->from, node); i++)
        if (weir_expression_source(weir_lower_input(l, node, i)) == WEIR_EXPRESSION_REAL)
            return weir_lower_fail_unquantized(l, node, i, "its input is not quantized");
    return weir_lower_fail(l, node, "hardware supports it only with a constant");
}

bool weir_lower_affine(weir_lowering *l, weir_node node) {
    const weir_op kind = weir_trait_kind(l->from, node);
    if (kind == WEIR_OP_CLIP &&
        !weir_dtype_is_float(weir_value_type(l->from, weir_node_input(l->from, node, 0))->dtype))
        return clip_codes(l, node);
    if (!is_real(l, node)) return weir_lower_fail(l, node, "hardware supports it only on float32 numbers");
    const bool subtracts = kind == WEIR_OP_SUB && weir_lower_joins_carried(l, node);
    if (weir_lower_is_function(l, node) && !subtracts) return weir_lower_function(l, node);
    const size_t inputs = weir_node_input_count(l->from, node);
    const bool unary = kind == WEIR_OP_NEG || kind == WEIR_OP_CLIP || kind == WEIR_OP_BATCH_NORMALIZATION;
    const weir_array *first = unary ? NULL : weir_lower_constant(l, weir_node_input(l->from, node, 0));
    const weir_array *second = unary || inputs != 2 ? NULL : weir_lower_constant(l, weir_node_input(l->from, node, 1));
    if (kind == WEIR_OP_SUB && first == NULL && second == NULL)
        return weir_lower_subtract(l, node, weir_lower_input(l, node, 0), weir_lower_input(l, node, 1));
    if (!unary && (inputs != 2 || (first == NULL) == (second == NULL))) return fail_operands(l, node);
    const size_t data = first != NULL;
    if (!weir_lower_as_codes(l, node, data)) return false;
    if (kind == WEIR_OP_BATCH_NORMALIZATION) return lower_normalization(l, node);
    if (kind == WEIR_OP_CLIP) return lower_clip(l, node);
    if (!unary) return lower_binary(l, node, data, first != NULL ? first : second);
    weir_lower_set(l, node, weir_lower_step(l, weir_lower_input(l, node, 0), kind, NULL));
    return true;
}
