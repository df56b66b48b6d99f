/* Forms of operators that lowering does not know, written in those that it knows. Sums are exact in integers, so that
 * all keep the results.
 *   A quantizer of data with a scale a channel   a quotient by the scales, the quantizer with a scale of 1, a product
 *                                                with them
 *   DequantizeLinear behind such a quantizer     with a scale of 1, and a product with the scales
 *   Depthwise Conv of such a product             of what is multiplied, the scales in those of the weights
 *   Gemm with transA, alpha, beta or a computed  Transposes of its operands, the product, that times alpha, and the sum
 *   B or C                                       of it and beta times C
 *   QGemm with transA                            the Transpose of its operand first
 *   MatMul of constant matrices by data          the Transpose of the product of the transposed operands
 *   Layers of codes that are looked up           of what the host makes of them: DequantizeLinear, then QuantizeLinear
 *   QLinearMatMul of a constant by codes         the Transpose of that of the transposed operands
 *   MatMul of data by a constant vector          by a matrix of one column
 *   Normalizations with several quantizers       one for each
 *   Softmax of rows of one element               a constant
 *   Convolutions over many dimensions            over those along which windows slide (lower_spatial.c)
 *   Round and a Clip to all codes of some bits   a quantizer of scale 1, in a model that has no quantizers
 * O(size). */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "exec/evaluate.h"
#include "exec/kernel.h"
#include "ir/shape/index_map.h"
#include "ir/shape/layout.h"
#include "ir/trait/trait.h"
#include "passes/graph/rewrite.h"
#include "passes/lower/lower.h"
#include "passes/passes.h"
#include "passes/quantize/remedy.h"
#include "support/memory/arena.h"

#define NODE(op, suffix, ...) WEIR_REWRITE_NODE(r, WEIR_OP_##op, suffix, __VA_ARGS__)

static weir_value input_of(const weir_rewrite *r, size_t index) { return weir_node_input(r->graph, r->at, index); }

static const weir_shape *shape_of(const weir_rewrite *r, weir_value value) {
    return &weir_value_type(r->graph, value)->shape;
}

/* Is it a constant, also behind quantizers and in another shape? All else that depends on constants only is folded. */
static bool is_fixed(const weir_graph *graph, weir_value value) {
    weir_node maker = weir_value_producer(graph, value);
    for (; maker.id != 0; maker = weir_value_producer(graph, value)) {
        const weir_op op = weir_node_op(graph, maker), kind = weir_trait_of(op)->kind;
        if (!weir_trait_is_quantizer(op) && kind != WEIR_OP_TRANSPOSE && kind != WEIR_OP_RESHAPE) return false;
        value = weir_node_input(graph, maker, 0);
    }
    return weir_value_constant(graph, value) != NULL;
}

/* --- quantizers --- */

static const weir_array *scales_of(const weir_rewrite *r) {
    const weir_op kind = weir_trait_kind(r->graph, r->at);
    const bool quantizes = kind == WEIR_OP_QUANT || kind == WEIR_OP_BIPOLAR_QUANT;
    return quantizes ? weir_value_constant(r->graph, input_of(r, 1)) : NULL;
}

static bool has_scales(const weir_rewrite *r) {
    const weir_array *scale = scales_of(r);
    return scale != NULL && scale->count > 1 && !is_fixed(r->graph, input_of(r, 0));
}

static void part_scales(weir_rewrite *r) {
    const weir_op op = weir_node_op(r->graph, r->at), kind = weir_trait_of(op)->kind;
    const weir_value scales = input_of(r, 1), one = weir_rewrite_number(r, "one", WEIR_FLOAT32, 1);
    const weir_value x = kind == WEIR_OP_QUANT ? NODE(DIV, "scaled", input_of(r, 0), scales) : input_of(r, 0);
    const weir_value inputs[4] = {x, one, input_of(r, 2), input_of(r, 3)};
    const weir_value codes = weir_rewrite_start(r, op, "codes", inputs, weir_node_input_count(r->graph, r->at));
    weir_rewrite_copy_attributes(r, codes, r->at);
    weir_rewrite_become(r, NODE(MUL, "real", weir_rewrite_infer(r, codes), scales));
}

/* The one zero point of a QuantizeLinear or DequantizeLinear that has a scale a channel; false: it has several, or one
 * scale, or is of constants. */
static bool has_linear_scales(const weir_rewrite *r, weir_op kind) {
    const weir_value last = weir_node_input_count(r->graph, r->at) > 2 ? input_of(r, 2) : WEIR_NO_VALUE;
    if (weir_trait_kind(r->graph, r->at) != kind || is_fixed(r->graph, input_of(r, 0))) return false;
    const weir_array *scale = weir_value_constant(r->graph, input_of(r, 1)),
                     *zero = last.id == 0 ? NULL : weir_value_constant(r->graph, last);
    bool one = scale != NULL && scale->count > 1 && (last.id == 0 || zero != NULL);
    for (size_t i = 1; one && zero != NULL && i < zero->count; i++)
        one = weir_array_get_int(zero, i) == weir_array_get_int(zero, 0);
    return one;
}

/* The scales, along their axis of x. */
static weir_value scales_along(weir_rewrite *r) {
    const weir_array *scale = weir_value_constant(r->graph, input_of(r, 1));
    const int rank = shape_of(r, input_of(r, 0))->rank;
    const int64_t axis = weir_node_int(r->graph, r->at, "axis", 1);
    weir_array *wide = weir_array_copy(scale);
    wide->shape = (weir_shape){.rank = rank};
    for (int d = 0; d < rank; d++) wide->shape.dim[d] = 1;
    wide->shape.dim[axis < 0 ? axis + rank : axis] = (int64_t)scale->count;
    return weir_rewrite_constant(r, "scales", wide);
}

/* The node of x with a scale of 1. */
static weir_value with_one(weir_rewrite *r, weir_value x) {
    const size_t count = weir_node_input_count(r->graph, r->at);
    weir_value inputs[3] = {x, weir_rewrite_number(r, "one", WEIR_FLOAT32, 1)};
    if (count > 2 && input_of(r, 2).id != 0) {
        const weir_array *zero = weir_value_constant(r->graph, input_of(r, 2));
        inputs[2] = weir_rewrite_number(r, "zero", zero->dtype, (double)weir_array_get_int(zero, 0));
    }
    const weir_value made = weir_rewrite_start(r, weir_node_op(r->graph, r->at), "codes", inputs, count);
    weir_rewrite_copy_attributes(r, made, r->at);
    return weir_rewrite_infer(r, made);
}

static bool is_quantized_input(const weir_rewrite *r) {
    const weir_node maker = weir_value_producer(r->graph, input_of(r, 0));
    return maker.id != 0 && weir_trait_kind(r->graph, maker) == WEIR_OP_QUANTIZE_LINEAR;
}

static void part_quantize(weir_rewrite *r) {
    const weir_value x = NODE(DIV, "scaled", input_of(r, 0), scales_along(r));
    weir_rewrite_become(r, with_one(r, x));
}

static void part_dequantize(weir_rewrite *r) {
    const weir_value scales = scales_along(r), numbers = with_one(r, input_of(r, 0));
    weir_rewrite_become(r, NODE(MUL, "real", numbers, scales));
}

/* --- depthwise convolutions of scaled channels --- */

/* Of a constant that is one number a channel of x: count. */
static bool is_by_channel(const weir_rewrite *r, weir_value constant, weir_value x) {
    const weir_array *data = weir_value_constant(r->graph, constant);
    const weir_shape *shape = shape_of(r, x);
    if (data == NULL || data->shape.rank > shape->rank || (int64_t)data->count != shape->dim[1]) return false;
    const int ahead = shape->rank - data->shape.rank;
    return ahead <= 1 && data->shape.dim[1 - ahead] == shape->dim[1];
}

static bool is_scaled_depthwise(const weir_rewrite *r) {
    if (weir_trait_kind(r->graph, r->at) != WEIR_OP_CONV) return false;
    const weir_node maker = weir_value_producer(r->graph, input_of(r, 0)),
                    weights = weir_value_producer(r->graph, input_of(r, 1));
    if (maker.id == 0 || weights.id == 0 || weir_trait_kind(r->graph, maker) != WEIR_OP_MUL ||
        weir_trait_kind(r->graph, weights) != WEIR_OP_DEQUANTIZE_LINEAR)
        return false;
    const weir_node codes = weir_value_producer(r->graph, weir_node_input(r->graph, maker, 0));
    const weir_array *scale = weir_value_constant(r->graph, weir_node_input(r->graph, weights, 1));
    const int rank = shape_of(r, input_of(r, 1))->rank;
    const int64_t axis = weir_node_int(r->graph, weights, "axis", 1);
    return codes.id != 0 && weir_trait_kind(r->graph, codes) == WEIR_OP_DEQUANTIZE_LINEAR && scale != NULL &&
           (scale->count == 1 || axis == 0 || axis + rank == 0) &&
           weir_value_constant(r->graph, weir_node_input(r->graph, weights, 0)) != NULL &&
           (weir_node_input_count(r->graph, weights) < 3 || weir_node_input(r->graph, weights, 2).id == 0 ||
            weir_value_constant(r->graph, weir_node_input(r->graph, weights, 2)) != NULL) &&
           is_by_channel(r, weir_node_input(r->graph, maker, 1), input_of(r, 0)) &&
           weir_node_int(r->graph, r->at, "group", 1) == shape_of(r, input_of(r, 0))->dim[1];
}

static void part_depthwise(weir_rewrite *r) {
    const weir_node maker = weir_value_producer(r->graph, input_of(r, 0)),
                    weights = weir_value_producer(r->graph, input_of(r, 1));
    const weir_array *by = weir_value_constant(r->graph, weir_node_input(r->graph, maker, 1)),
                     *own = weir_value_constant(r->graph, weir_node_input(r->graph, weights, 1));
    const bool has_zero = weir_node_input_count(r->graph, weights) > 2 && weir_node_input(r->graph, weights, 2).id != 0;
    const weir_array *zero = has_zero ? weir_value_constant(r->graph, weir_node_input(r->graph, weights, 2)) : NULL;
    const size_t outputs = (size_t)shape_of(r, input_of(r, 1))->dim[0], each = outputs / by->count;
    const weir_shape vector = {1, {(int64_t)outputs}};
    weir_array *scale = weir_array_new(WEIR_FLOAT32, &vector),
               *zeros = has_zero ? weir_array_new(zero->dtype, &vector) : NULL;
    for (size_t o = 0; o < outputs; o++) {
        weir_array_set(scale, o, weir_array_get(own, own->count == 1 ? 0 : o) * weir_array_get(by, o / each));
        if (has_zero) weir_array_set_int(zeros, o, weir_array_get_int(zero, zero->count == 1 ? 0 : o));
    }
    weir_value inputs[3] = {weir_node_input(r->graph, weights, 0), weir_rewrite_constant(r, "scales", scale)};
    if (has_zero) inputs[2] = weir_rewrite_constant(r, "zeros", zeros);
    const weir_value made = weir_rewrite_start(r, WEIR_OP_DEQUANTIZE_LINEAR, "weights", inputs, has_zero ? 3 : 2);
    weir_rewrite_set_int(r, made, "axis", 0);
    weir_node_set_input(r->graph, r->at, 1, weir_rewrite_infer(r, made));
    weir_node_set_input(r->graph, r->at, 0, weir_node_input(r->graph, maker, 0));
}

/* --- products --- */

/* The last two dimensions change places. */
static void turn_matrices(int rank, int *order) {
    for (int i = 0; i < rank; i++) order[i] = i < rank - 2 ? i : 2 * rank - 3 - i;
}

static weir_value transposed(weir_rewrite *r, const char *suffix, weir_value value) {
    const int rank = shape_of(r, value)->rank;
    int64_t perm[WEIR_MAX_RANK];
    int order[WEIR_MAX_RANK];
    turn_matrices(rank, order);
    for (int i = 0; i < rank; i++) perm[i] = order[i];
    return weir_rewrite_transpose(r, suffix, value, perm);
}

/* The same of a constant, also of one behind a quantizer, whose scales are along the axis where that is then. */
static weir_value transposed_constant(weir_rewrite *r, const char *suffix, weir_value value) {
    const weir_node maker = weir_value_producer(r->graph, value);
    const weir_array *codes = maker.id != 0 && weir_trait_kind(r->graph, maker) == WEIR_OP_DEQUANTIZE_LINEAR
                                  ? weir_value_constant(r->graph, weir_node_input(r->graph, maker, 0))
                                  : NULL;
    if (codes == NULL || weir_node_int(r->graph, maker, "block_size", 0) != 0) return transposed(r, suffix, value);
    const int rank = codes->shape.rank;
    const int64_t given = weir_node_int(r->graph, maker, "axis", 1), axis = given < 0 ? given + rank : given;
    int order[WEIR_MAX_RANK];
    turn_matrices(rank, order);
    weir_value inputs[3] = {weir_rewrite_constant(r, suffix, weir_layout_transpose(codes, order))};
    const size_t count = weir_node_input_count(r->graph, maker);
    for (size_t i = 1; i < count; i++) inputs[i] = weir_node_input(r->graph, maker, i);
    const weir_value made = weir_rewrite_start(r, WEIR_OP_DEQUANTIZE_LINEAR, "numbers", inputs, count);
    weir_rewrite_copy_attributes(r, made, maker);
    weir_rewrite_set_int(r, made, "axis", axis >= 0 && axis < rank ? order[axis] : axis);
    return weir_rewrite_infer(r, made);
}

/* Of two matrices; weights are the second operand, so that one that is the first is turned. */
static weir_value product_of(weir_rewrite *r, weir_value a, weir_value b) {
    if (!is_fixed(r->graph, a)) return NODE(MATMUL, "product", a, b);
    const weir_value x = transposed(r, "columns", b), w = transposed_constant(r, "weights", a);
    return transposed(r, "turned", NODE(MATMUL, "product", x, w));
}

/* Are the codes, input 0 of a layer of codes, elements of a constant that the host looks up, as they are or moved? */
static bool are_looked_up(const weir_rewrite *r) {
    if (weir_trait_of(weir_node_op(r->graph, r->at))->task != WEIR_TASK_CODE_LAYER ||
        !weir_dtype_is_float(weir_value_type(r->graph, input_of(r, 1))->dtype)) /* no scale, but a second operand */
        return false;
    weir_node maker = weir_value_producer(r->graph, input_of(r, 0));
    while (maker.id != 0 && weir_index_map_reshapes(weir_node_op(r->graph, maker)))
        maker = weir_value_producer(r->graph, weir_node_input(r->graph, maker, 0));
    return maker.id != 0 && weir_trait_kind(r->graph, maker) == WEIR_OP_GATHER &&
           weir_value_constant(r->graph, weir_node_input(r->graph, maker, 0)) != NULL &&
           weir_value_constant(r->graph, input_of(r, 1)) != NULL &&
           weir_value_constant(r->graph, input_of(r, 2)) != NULL;
}

/* Codes of up to 16 bits are themselves again. */
static void quantize_again(weir_rewrite *r) {
    const weir_value real = NODE(DEQUANTIZE_LINEAR, "real", input_of(r, 0), input_of(r, 1), input_of(r, 2));
    weir_node_set_input(r->graph, r->at, 0, NODE(QUANTIZE_LINEAR, "codes", real, input_of(r, 1), input_of(r, 2)));
}

/* Without the dimensions of one batch in front. */
static weir_shape matrix_shape(const weir_shape *shape) {
    weir_shape matrix = *shape;
    int ones = 0;
    while (ones < shape->rank - 2 && shape->dim[ones] == 1) ones++;
    matrix.rank -= ones;
    for (int d = 0; d < matrix.rank; d++) matrix.dim[d] = shape->dim[d + ones];
    return matrix;
}

/* Operands of a QLinearMatMul are codes with their scale and zero point. */
static bool is_left_codes(const weir_rewrite *r) {
    if (weir_trait_kind(r->graph, r->at) != WEIR_OP_QLINEAR_MATMUL ||
        weir_value_constant(r->graph, input_of(r, 0)) == NULL || weir_value_constant(r->graph, input_of(r, 3)) != NULL)
        return false;
    const weir_shape left = matrix_shape(shape_of(r, input_of(r, 0))), *right = shape_of(r, input_of(r, 3));
    const bool one_scale = weir_value_type(r->graph, input_of(r, 1))->shape.rank == 0;
    return left.rank >= 2 && (left.rank == 2 || one_scale) && shape_of(r, input_of(r, 0))->rank <= right->rank;
}

/* Scales or zero points of rows, which are a column or a vector, as a vector. */
static weir_value of_columns(weir_rewrite *r, const char *suffix, size_t index) {
    const weir_array *constant = weir_value_constant(r->graph, input_of(r, index));
    if (constant == NULL || constant->count <= 1) return input_of(r, index);
    return weir_rewrite_reshape(r, suffix, input_of(r, index), &(weir_shape){1, {(int64_t)constant->count}});
}

static void turn_codes(weir_rewrite *r) {
    weir_array *left = weir_array_copy(weir_value_constant(r->graph, input_of(r, 0)));
    left->shape = matrix_shape(&left->shape);
    int order[WEIR_MAX_RANK];
    turn_matrices(left->shape.rank, order);
    weir_array *turned = weir_layout_transpose(left, order);
    weir_array_free(left);
    const weir_value inputs[8] = {transposed(r, "columns", input_of(r, 3)),
                                  input_of(r, 4),
                                  input_of(r, 5),
                                  weir_rewrite_constant(r, "weights", turned),
                                  of_columns(r, "scales", 1),
                                  of_columns(r, "zeros", 2),
                                  input_of(r, 6),
                                  input_of(r, 7)};
    const weir_value product = weir_rewrite_start(r, weir_node_op(r->graph, r->at), "product", inputs, 8);
    weir_rewrite_copy_attributes(r, product, r->at);
    weir_rewrite_become(r, transposed(r, "turned", weir_rewrite_infer(r, product)));
}

/* Of a Gemm that is more than a product with constants and a bias, lowering knows the parts. */
static bool has_parts(const weir_rewrite *r) {
    const weir_graph *graph = r->graph;
    if (weir_trait_kind(graph, r->at) != WEIR_OP_GEMM) return false;
    const weir_value c = input_of(r, 2);
    return weir_node_int(graph, r->at, "transA", 0) != 0 || weir_node_float(graph, r->at, "alpha", 1) != 1 ||
           !is_fixed(graph, input_of(r, 1)) ||
           (c.id != 0 && (weir_node_float(graph, r->at, "beta", 1) != 1 || !is_fixed(graph, c)));
}

static weir_value times(weir_rewrite *r, const char *suffix, const char *factor, weir_value value) {
    const double by = weir_node_float(r->graph, r->at, factor, 1);
    return by == 1 ? value : NODE(MUL, suffix, value, weir_rewrite_number(r, factor, WEIR_FLOAT32, by));
}

/* The numbers of what is fixed; a new array. */
static weir_array *numbers_of(const weir_graph *graph, weir_value value) {
    const weir_array *constant = weir_value_constant(graph, value);
    if (constant != NULL) return weir_array_copy(constant);
    const weir_node maker = weir_value_producer(graph, value);
    const size_t count = weir_node_input_count(graph, maker);
    weir_array **inputs = weir_calloc(count, sizeof *inputs);
    for (size_t i = 0; i < count; i++) {
        const weir_value input = weir_node_input(graph, maker, i);
        if (input.id != 0) inputs[i] = numbers_of(graph, input);
    }
    weir_array **results = weir_evaluate_node(graph, maker, (const weir_array *const *)inputs), *result = results[0];
    for (size_t i = 0; i < count; i++) weir_array_free(inputs[i]);
    free(inputs);
    free(results);
    return result;
}

/* beta times C, in float32. */
static weir_value addend_of(weir_rewrite *r) {
    const weir_value c = input_of(r, 2);
    if (!is_fixed(r->graph, c)) return times(r, "addend", "beta", c);
    const float beta = (float)weir_node_float(r->graph, r->at, "beta", 1);
    weir_array *numbers = numbers_of(r->graph, c);
    for (size_t i = 0; i < numbers->count; i++)
        weir_array_set(numbers, i, (double)(beta * (float)weir_array_get(numbers, i)));
    return weir_rewrite_constant(r, "addend", numbers);
}

/* The product of a Gemm alone: of constants one, which keeps their order. */
static weir_value product_of_gemm(weir_rewrite *r) {
    const bool turns_a = weir_node_int(r->graph, r->at, "transA", 0) != 0,
               turns_b = weir_node_int(r->graph, r->at, "transB", 0) != 0;
    const weir_value a = turns_a ? transposed(r, "a", input_of(r, 0)) : input_of(r, 0), b = input_of(r, 1);
    if (!is_fixed(r->graph, b) || is_fixed(r->graph, a)) return product_of(r, a, turns_b ? transposed(r, "b", b) : b);
    const weir_value product = weir_rewrite_start(r, WEIR_OP_GEMM, "product", (weir_value[]){a, b}, 2);
    weir_rewrite_set_int(r, product, "transB", turns_b);
    return weir_rewrite_infer(r, product);
}

static void part_gemm(weir_rewrite *r) {
    const weir_value product = times(r, "scaled", "alpha", product_of_gemm(r));
    weir_rewrite_become(r, input_of(r, 2).id == 0 ? product : NODE(ADD, "sum", product, addend_of(r)));
}

/* Inputs of QGemm: A, its scale and zero point, the same of B, the bias, the scale and zero point of the result. */
enum { QGEMM_INPUTS = 9 };

static bool turns_codes(const weir_rewrite *r) {
    return weir_trait_kind(r->graph, r->at) == WEIR_OP_QGEMM && weir_node_int(r->graph, r->at, "transA", 0) != 0;
}

static void turn_left(weir_rewrite *r) {
    const size_t count = weir_node_input_count(r->graph, r->at);
    weir_value inputs[QGEMM_INPUTS];
    assert(count <= QGEMM_INPUTS);
    for (size_t i = 0; i < count; i++) inputs[i] = i == 0 ? transposed(r, "a", input_of(r, 0)) : input_of(r, i);
    const weir_value made = weir_rewrite_start(r, WEIR_OP_QGEMM, "product", inputs, count);
    weir_rewrite_copy_attributes(r, made, r->at);
    weir_rewrite_set_int(r, made, "transA", 0);
    weir_rewrite_become(r, weir_rewrite_infer(r, made));
}

static bool is_by_constant(const weir_rewrite *r, size_t index) {
    return weir_trait_kind(r->graph, r->at) == WEIR_OP_MATMUL && is_fixed(r->graph, input_of(r, index)) &&
           !is_fixed(r->graph, input_of(r, 1 - index));
}

static bool are_matrices(const weir_rewrite *r) {
    return shape_of(r, input_of(r, 0))->rank >= 2 && shape_of(r, input_of(r, 1))->rank >= 2;
}

/* --- quantizers written out --- */

/* The constant whole number at the Clip's input `index`; NAN: it has none. */
static double bound_of(const weir_rewrite *r, size_t index) {
    const weir_value value = input_of(r, index);
    const weir_array *number = value.id == 0 ? NULL : weir_value_constant(r->graph, value);
    const double bound = number == NULL || number->count != 1 ? NAN : weir_array_get(number, 0);
    return bound == floor(bound) ? bound : NAN;
}

/* Bits of codes in [low, high], which are all of them; 0: they are not. */
static int bits_of(double low, double high) {
    enum { MOST_BITS = 16 };
    for (int bits = 2; bits <= MOST_BITS; bits++)
        if (high - low == ldexp(1, bits) - 1 && (low == 0 || low == -ldexp(1, bits - 1))) return bits;
    return 0;
}

static bool is_written_quantizer(const weir_rewrite *r) {
    if (weir_trait_kind(r->graph, r->at) != WEIR_OP_CLIP) return false;
    const weir_node round = weir_value_producer(r->graph, input_of(r, 0));
    return round.id != 0 && weir_trait_kind(r->graph, round) == WEIR_OP_ROUND &&
           weir_value_type(r->graph, input_of(r, 0))->dtype == WEIR_FLOAT32 && !is_fixed(r->graph, input_of(r, 0)) &&
           bits_of(bound_of(r, 1), bound_of(r, 2)) > 0;
}

static void become_quantizer(weir_rewrite *r) {
    const double low = bound_of(r, 1), high = bound_of(r, 2);
    const weir_value x = weir_node_input(r->graph, weir_value_producer(r->graph, input_of(r, 0)), 0);
    weir_rewrite_become(
        r, weir_rewrite_quant(r, x, weir_rewrite_number(r, "scale", WEIR_FLOAT32, 1), 0, bits_of(low, high), low < 0));
}

/* Do several quantizers take the result of a normalization? */
static bool is_quantized_twice(const weir_rewrite *r) {
    const weir_value result = weir_node_output(r->graph, r->at, 0);
    const size_t count = weir_value_use_count(r->graph, result);
    bool all = count > 1 && !weir_value_is_output(r->graph, result) &&
               weir_trait_of(weir_node_op(r->graph, r->at))->task == WEIR_TASK_NORMALIZATION;
    for (size_t i = 0; all && i < count; i++)
        all = weir_trait_is_quantizer(weir_node_op(r->graph, weir_value_use(r->graph, result, i).node));
    return all;
}

/* Each but the first gets one of its own. */
static void part_normalization(weir_rewrite *r) {
    const weir_value result = weir_node_output(r->graph, r->at, 0);
    const size_t count = weir_node_input_count(r->graph, r->at);
    for (size_t use = weir_value_use_count(r->graph, result); use-- > 1;) {
        const weir_use reader = weir_value_use(r->graph, result, use);
        weir_value inputs[3] = {WEIR_NO_VALUE};
        for (size_t i = 0; i < count && i < 3; i++) inputs[i] = input_of(r, i);
        const weir_value made = weir_rewrite_start(r, weir_node_op(r->graph, r->at), "again", inputs, count);
        weir_rewrite_copy_attributes(r, made, r->at);
        weir_node_set_input(r->graph, reader.node, reader.index, weir_rewrite_infer(r, made));
    }
}

/* --- rows of one element --- */

/* Whatever the codes are, each has all of its row, before another node. */
static bool is_whole_share(const weir_rewrite *r) {
    const weir_op kind = weir_trait_kind(r->graph, r->at);
    if (kind != WEIR_OP_SOFTMAX && kind != WEIR_OP_QLINEAR_SOFTMAX) return false;
    const weir_value share = weir_node_output(r->graph, r->at, 0);
    const weir_shape *shape = shape_of(r, share);
    const int64_t axis = weir_node_int(r->graph, r->at, "axis", -1);
    int64_t elements = 1;
    for (int64_t d = axis < 0 ? axis + shape->rank : axis; d < shape->rank; d++) elements *= shape->dim[d];
    return elements == 1 && weir_value_use_count(r->graph, share) > 0 && !weir_value_is_output(r->graph, share) &&
           weir_kernel_supports(r->graph, r->at);
}

static void become_share(weir_rewrite *r) {
    const size_t count = weir_node_input_count(r->graph, r->at);
    const weir_array **inputs = weir_calloc(count, sizeof *inputs);
    const weir_type *type = weir_value_type(r->graph, input_of(r, 0));
    weir_array *zeros = weir_array_new(type->dtype, &type->shape);
    for (size_t i = 0; i < count; i++) inputs[i] = i == 0 ? zeros : weir_value_constant(r->graph, input_of(r, i));
    weir_array **results = weir_evaluate_node(r->graph, r->at, inputs);
    if (results != NULL) {
        weir_rewrite_replace(r, weir_node_output(r->graph, r->at, 0), weir_rewrite_constant(r, "share", results[0]));
        weir_rewrite_remove(r, r->at);
    }
    free(results);
    weir_array_free(zeros);
    free(inputs);
}

bool weir_lower_forms(weir_graph *graph) {
    weir_rewrite r = {.graph = graph};
    const bool writes_quantizers = !weir_remedy_has_quantizers(graph);
    for (weir_node node = weir_graph_first(graph), next; node.id != 0; node = next) {
        next = weir_node_next(graph, node);
        r.at = node;
        if (are_looked_up(&r)) quantize_again(&r);
        if (writes_quantizers && is_written_quantizer(&r)) {
            become_quantizer(&r);
            continue;
        }
        if (has_scales(&r)) part_scales(&r);
        else if (has_linear_scales(&r, WEIR_OP_QUANTIZE_LINEAR)) part_quantize(&r);
        else if (has_linear_scales(&r, WEIR_OP_DEQUANTIZE_LINEAR) && is_quantized_input(&r)) part_dequantize(&r);
        else if (is_scaled_depthwise(&r)) part_depthwise(&r);
        else if (is_quantized_twice(&r)) part_normalization(&r);
        else if (is_whole_share(&r)) become_share(&r);
        else if (weir_lower_spatial(&r)) continue;
        else if (has_parts(&r)) part_gemm(&r);
        else if (turns_codes(&r)) turn_left(&r);
        else if (is_left_codes(&r)) turn_codes(&r);
        else if (is_by_constant(&r, 0) && are_matrices(&r))
            weir_rewrite_become(&r, product_of(&r, input_of(&r, 0), input_of(&r, 1)));
    }
    weir_eliminate_dead_code(graph);
    return weir_rewrite_finish(&r);
}
