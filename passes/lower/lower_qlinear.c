/* Operators on codes: QLinearMatMul, QLinearConv, QGemm, MatMulInteger, ConvInteger, QLinearAdd, QLinearMul and the
 * pools. Scales and zero points are inputs of the node itself, and what it computes is quantized at once. */
#include <assert.h>

#include "ir/trait/trait.h"
#include "passes/lower/lower.h"
#include "support/memory/arena.h"

static weir_dtype input_dtype(const weir_lowering *l, weir_node node, size_t index) {
    return weir_value_type(l->from, weir_node_input(l->from, node, index))->dtype;
}

/* Operands of products and convolutions of codes, which get their quantization from other inputs of the same node;
 * `computed`: the second one may be computed, too. */
static bool qualify_operands(weir_lowering *l, weir_node node, const weir_quant *xq, const weir_quant *wq, size_t wi,
                             bool computed, const weir_expression **x, const weir_expression **w) {
    weir_arena *arena = weir_graph_arena(l->to);
    const weir_expression *a = weir_lower_input(l, node, 0), *b = weir_lower_input(l, node, wi);
    const bool two = computed && weir_expression_source(b) == WEIR_EXPRESSION_CODES;
    if (weir_expression_source(a) != WEIR_EXPRESSION_CODES)
        return weir_lower_fail_unquantized(l, node, 0, "its first input is not quantized");
    if (!two && !weir_expression_has_data(b))
        return weir_lower_fail(l, node, "input %zu, the weights, must be a constant", wi);
    if (xq->count != 1 || (two && wq->count != 1))
        return weir_lower_fail(l, node, "activations need one scale per tensor");
    *x = weir_expression_codes(arena, weir_lower_requalify(l, node, weir_expression_codes_of(a), xq));
    *w = two ? weir_expression_codes(arena, weir_lower_requalify(l, node, weir_expression_codes_of(b), wq))
             : weir_expression_weights(arena, weir_expression_data(b), wq);
    return true;
}

/* The node's result is quantized by parameters among its own inputs. */
static bool requantize_result(weir_lowering *l, weir_node node, size_t scale_index, size_t zero_index) {
    weir_quant quant;
    const weir_value output = weir_node_output(l->from, node, 0);
    const weir_expression *sums = weir_lower_expression(l, output);
    if (!weir_lower_read_quant(l, node, scale_index, zero_index, weir_value_type(l->from, output)->dtype, 0, &quant) ||
        !weir_lower_quantize(l, node, sums, &quant))
        return false;
    const weir_index_map *map = weir_expression_leaf(sums)->map;
    if (map == NULL || weir_index_map_is_kept(map)) l->of[output.id].sums = weir_expression_codes_of(sums);
    return true;
}

/* The codes of the quantizer in the node itself are its result, not ahead of it; false: there are none yet. */
static bool take_codes(weir_lowering *l, weir_node node) {
    const weir_expression *x = weir_lower_expression(l, weir_node_output(l->from, node, 0));
    weir_leaf leaf = *weir_expression_leaf(x);
    if (!leaf.ahead) return false;
    leaf.ahead = false;
    weir_lower_set(l, node, weir_expression_with_leaf(weir_graph_arena(l->to), x, &leaf));
    return true;
}

bool weir_lower_qlinear_matmul(weir_lowering *l, weir_node node) {
    weir_quant xq, wq, yq;
    const weir_expression *x, *w;
    const weir_type *type = weir_value_type(l->from, weir_node_output(l->from, node, 0));
    const int columns = weir_value_type(l->from, weir_node_input(l->from, node, 3))->shape.rank - 1;
    if (!weir_lower_read_quant(l, node, 1, 2, input_dtype(l, node, 0), 0, &xq) ||
        !weir_lower_read_quant(l, node, 4, 5, input_dtype(l, node, 3), columns, &wq) ||
        !weir_lower_read_quant(l, node, 6, 7, type->dtype, 0, &yq) ||
        !qualify_operands(l, node, &xq, &wq, 3, true, &x, &w) || !weir_lower_matrices(l, node, x, w, &yq))
        return false;
    return take_codes(l, node) || requantize_result(l, node, 6, 7);
}

/* A bias in accumulator codes by definition: no scale of its own. NULL where it is left out; false after a reported
 * error. */
static bool read_code_bias(weir_lowering *l, weir_node node, size_t index, const weir_expression **bias) {
    *bias = NULL;
    if (weir_node_input(l->from, node, index).id == 0) return true;
    const weir_array *codes = weir_lower_input_constant(l, node, index);
    if (codes == NULL) return weir_lower_fail(l, node, "the bias must be a constant");
    *bias = weir_expression_weights(weir_graph_arena(l->to), codes,
                                    &(weir_quant){.format = WEIR_FORMAT_INTEGER, .axis = -1});
    return true;
}

bool weir_lower_qlinear_conv(weir_lowering *l, weir_node node) {
    weir_quant xq, wq;
    const weir_expression *x, *w, *bias;
    return weir_lower_read_quant(l, node, 1, 2, input_dtype(l, node, 0), 0, &xq) &&
           weir_lower_read_quant(l, node, 4, 5, input_dtype(l, node, 3), 0, &wq) &&
           qualify_operands(l, node, &xq, &wq, 3, false, &x, &w) && read_code_bias(l, node, 8, &bias) &&
           weir_lower_conv(l, node, x, w, bias) && requantize_result(l, node, 6, 7);
}

bool weir_lower_qgemm(weir_lowering *l, weir_node node) {
    weir_quant xq, wq;
    const weir_expression *x, *w, *bias;
    bool output_major = weir_node_int(l->from, node, "transB", 0) != 0;
    assert(weir_node_int(l->from, node, "transA", 0) == 0); /* lower_forms.c */
    if (!weir_lower_read_quant(l, node, 1, 2, input_dtype(l, node, 0), 0, &xq) ||
        !weir_lower_read_quant(l, node, 4, 5, input_dtype(l, node, 3), output_major ? 0 : 1, &wq))
        return false;
    double *scale = weir_arena_array(weir_graph_arena(l->to), 1, sizeof *scale);
    *scale = (float)weir_node_float(l->from, node, "alpha", 1) * (float)weir_quant_scale(&xq, 0);
    if (xq.count == 1) xq.scale = scale;
    if (!qualify_operands(l, node, &xq, &wq, 3, false, &x, &w)) return false;
    if (!read_code_bias(l, node, 6, &bias)) return false;
    if (!weir_lower_linear(l, node, x, w, output_major, bias)) return false;
    return weir_node_input(l->from, node, 7).id == 0 || requantize_result(l, node, 7, 8);
}

/* MatMulInteger and ConvInteger: zero points only; weights have theirs along `axis`. */
static bool lower_integer_product(weir_lowering *l, weir_node node, int axis, bool computed, const weir_expression **x,
                                  const weir_expression **w) {
    static const double one = 1;
    weir_quant quant[2];
    for (size_t i = 0; i < 2; i++) {
        const weir_array *zero = weir_lower_input_constant(l, node, 2 + i);
        bool given = weir_node_input(l->from, node, 2 + i).id != 0;
        if (given && (zero == NULL || (i == 0 && zero->count != 1)))
            return weir_lower_fail(l, node, "zero points must be constants, one for the activations");
        size_t count = given ? zero->count : 1;
        double *scales = weir_arena_array(weir_graph_arena(l->to), count, sizeof *scales);
        int64_t *zeros = weir_arena_array(weir_graph_arena(l->to), count, sizeof *zeros);
        for (size_t c = 0; c < count; c++) {
            scales[c] = one;
            zeros[c] = given ? weir_array_get_int(zero, c) : 0;
        }
        quant[i] = weir_lower_quant_of(input_dtype(l, node, i), scales, zeros, (uint32_t)count, i == 0 ? 0 : axis);
    }
    return qualify_operands(l, node, &quant[0], &quant[1], 1, computed, x, w);
}

/* The result, of an integer tensor, has the zero points subtracted. */
static bool center(weir_lowering *l, weir_node node) {
    const weir_expression *x = weir_lower_expression(l, weir_node_output(l->from, node, 0));
    weir_leaf leaf = *weir_expression_leaf(x);
    leaf.centered = true;
    weir_lower_set(l, node, weir_expression_with_leaf(weir_graph_arena(l->to), x, &leaf));
    return true;
}

bool weir_lower_matmul_integer(weir_lowering *l, weir_node node) {
    const weir_expression *x, *w;
    const int columns = weir_value_type(l->from, weir_node_input(l->from, node, 1))->shape.rank - 1;
    return lower_integer_product(l, node, columns, true, &x, &w) && weir_lower_matrices(l, node, x, w, NULL) &&
           center(l, node);
}

bool weir_lower_conv_integer(weir_lowering *l, weir_node node) {
    const weir_expression *x, *w;
    return lower_integer_product(l, node, 0, false, &x, &w) && weir_lower_conv(l, node, x, w, NULL) && center(l, node);
}

/* The codes of a QLinear operator's operand, with its scale and zero point; NULL after a reported error. */
static const weir_expression *read_codes(weir_lowering *l, weir_node node, size_t index) {
    const weir_expression *x = weir_lower_input(l, node, index);
    weir_quant quant;
    if (!weir_lower_read_quant(l, node, index + 1, index + 2, input_dtype(l, node, index), 0, &quant)) return NULL;
    if (quant.count != 1) {
        weir_lower_fail(l, node, "expected one scale per tensor, found %u", quant.count);
        return NULL;
    }
    if (weir_expression_source(x) != WEIR_EXPRESSION_CODES) {
        weir_lower_fail(l, node, "input %zu is not quantized", index);
        return NULL;
    }
    return weir_expression_codes(weir_graph_arena(l->to),
                                 weir_lower_requalify(l, node, weir_expression_codes_of(x), &quant));
}

/* QLinearAdd and QLinearMul: both operands are computed and do not come from the same codes. */
static bool has_two_streams(weir_lowering *l, weir_node node) {
    return weir_expression_source(weir_lower_input(l, node, 0)) == WEIR_EXPRESSION_CODES &&
           weir_expression_source(weir_lower_input(l, node, 3)) == WEIR_EXPRESSION_CODES &&
           !weir_lower_is_function(l, node);
}

/* Of these both operands and the quantization of the result. */
static bool read_two_streams(weir_lowering *l, weir_node node, const weir_expression **a, const weir_expression **b,
                             weir_quant *quant) {
    const weir_dtype dtype = weir_value_type(l->from, weir_node_output(l->from, node, 0))->dtype;
    *a = read_codes(l, node, 0);
    *b = *a == NULL ? NULL : read_codes(l, node, 3);
    return *b != NULL && weir_lower_read_quant(l, node, 6, 7, dtype, 0, quant);
}

bool weir_lower_qlinear_add(weir_lowering *l, weir_node node) {
    const weir_expression *a, *b;
    weir_quant quant;
    if (!has_two_streams(l, node)) return weir_lower_quantized_function(l, node);
    return read_two_streams(l, node, &a, &b, &quant) && weir_lower_add(l, node, a, b) &&
           weir_lower_quantize(l, node, weir_lower_expression(l, weir_node_output(l->from, node, 0)), &quant);
}

bool weir_lower_qlinear_mul(weir_lowering *l, weir_node node) {
    const weir_expression *a, *b;
    weir_quant quant;
    if (!has_two_streams(l, node)) return weir_lower_quantized_function(l, node);
    return read_two_streams(l, node, &a, &b, &quant) && weir_lower_multiply(l, node, a, b) &&
           weir_lower_round_product(l, node, &quant);
}

bool weir_lower_qlinear_mean_pool(weir_lowering *l, weir_node node) {
    const weir_expression *x = read_codes(l, node, 0);
    return x != NULL && weir_lower_mean_pool(l, node, x) && requantize_result(l, node, 3, 4);
}
