/* Type inference of matrix products and of the quantization operators of ONNX, ONNX Runtime and QONNX: quantized
 * outputs are recorded with their scale and zero point where those are constants. */
#include "ir/number/number.h"
#include "ir/shape/infer_rule.h"

#include <math.h>
#include <string.h>

#include "ir/shape/layout.h"
#include "support/memory/arena.h"

/* ---- ONNX: linear algebra ---- */

static bool is_code8(const weir_type *type) { return type->dtype == WEIR_INT8 || type->dtype == WEIR_UINT8; }

/* Shape of op(A) op(B) for 2-D operands. */
static bool gemm_shape(const weir_graph *graph, weir_node node, size_t a_index, size_t b_index, weir_shape *shape) {
    const weir_shape *a = &weir_rule_input(graph, node, a_index)->shape;
    const weir_shape *b = &weir_rule_input(graph, node, b_index)->shape;
    const int ta = weir_node_int(graph, node, "transA", 0) != 0;
    const int tb = weir_node_int(graph, node, "transB", 0) != 0;
    if (a->rank != 2 || b->rank != 2 || a->dim[1 - ta] != b->dim[tb]) {
        return weir_rule_fail_shapes(graph, node, "matrix product", a, b);
    }
    *shape = (weir_shape){.rank = 2, .dim = {a->dim[ta], b->dim[1 - tb]}};
    return true;
}

bool weir_infer_gemm(const weir_graph *graph, weir_node node, weir_inferred *to) {
    weir_shape shape;
    return weir_rule_same_numbers(graph, node, 3) && gemm_shape(graph, node, 0, 1, &shape) &&
           weir_rule_broadcasts_to(graph, node, 2, &shape) &&
           weir_rule_set_plain(graph, node, to, weir_rule_input(graph, node, 0)->dtype, &shape);
}

/* numpy.matmul: 1-D operands get a dimension that disappears again, leading dimensions broadcast. */
static bool matmul_shape(const weir_graph *graph, weir_node node, const weir_shape *a, const weir_shape *b,
                         weir_shape *shape) {
    weir_shape left = *a, right = *b;
    if (a->rank == 1) {
        left = (weir_shape){.rank = 2, .dim = {1, a->dim[0]}};
    }
    if (b->rank == 1) {
        right = (weir_shape){.rank = 2, .dim = {b->dim[0], 1}};
    }
    if (left.rank < 2 || right.rank < 2 || left.dim[left.rank - 1] != right.dim[right.rank - 2]) {
        return weir_rule_fail_shapes(graph, node, "matrix product", a, b);
    }
    const int64_t rows = left.dim[left.rank - 2], columns = right.dim[right.rank - 1];
    left.rank -= 2;
    right.rank -= 2;
    if (!weir_rule_broadcast(&left, &right, shape)) return weir_rule_fail_shapes(graph, node, "matrix product", a, b);
    if (a->rank != 1) shape->dim[shape->rank++] = rows;
    if (b->rank != 1) shape->dim[shape->rank++] = columns;
    return true;
}

bool weir_infer_matmul(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *a = weir_rule_input(graph, node, 0), *b = weir_rule_input(graph, node, 1);
    weir_shape shape;
    return weir_rule_same_numbers(graph, node, 2) && matmul_shape(graph, node, &a->shape, &b->shape, &shape) &&
           weir_rule_set_plain(graph, node, to, a->dtype, &shape);
}

/* ---- ONNX: quantization ---- */

/* Scales are finite numbers above 0 where they are known. */
static bool check_scale_values(const weir_graph *graph, weir_node node, size_t index) {
    const weir_array *scale = weir_rule_constant(graph, node, index);
    for (size_t i = 0; scale != NULL && i < scale->count; i++) {
        const double value = weir_array_get(scale, i);
        if (!(value > 0) || isinf(value))
            return weir_rule_fail(graph, node, "scale %zu (input %zu) is %g, expected a finite number above 0", i,
                                  index, value);
    }
    return true;
}

/* A quantized tensor's type; scale and zero point are recorded when they are constants and not of blocks. */
static bool set_quantized(const weir_graph *graph, weir_node node, weir_inferred *to, weir_dtype dtype,
                          const weir_shape *shape, int axis, size_t scale_index, size_t zero_index) {
    weir_type type = weir_rule_plain_type(dtype, shape);
    const weir_array *scale = weir_rule_constant(graph, node, scale_index);
    const weir_array *zero = weir_rule_constant(graph, node, zero_index);
    const bool has_blocks = weir_node_int(graph, node, "block_size", 0) != 0;
    type.quant.rounding = WEIR_ROUND_HALF_EVEN;
    type.has_range = true;
    weir_dtype_limits(dtype, &type.low, &type.high);
    if (scale != NULL && !has_blocks && (zero != NULL || weir_rule_input(graph, node, zero_index) == NULL)) {
        double *scales = weir_arena_array(to->arena, scale->count, sizeof *scales);
        int64_t *zeros = weir_arena_array(to->arena, scale->count, sizeof *zeros);
        for (size_t i = 0; i < scale->count; i++) {
            scales[i] = weir_array_get(scale, i);
            zeros[i] = zero == NULL ? 0 : weir_array_get_int(zero, zero->count == 1 ? 0 : i);
        }
        type.quant.axis = scale->count == 1 ? -1 : axis;
        type.quant.count = (uint32_t)scale->count;
        type.quant.scale = scales;
        type.quant.zero_point = zeros;
    }
    return weir_rule_set(graph, node, to, &type);
}

/* A scale a block of elements along the axis, and for each index of the others; the last block may be shorter. */
static bool check_blocks(const weir_graph *graph, weir_node node, int *axis) {
    const weir_shape *shape = &weir_rule_input(graph, node, 0)->shape;
    const weir_shape *scale = &weir_rule_input(graph, node, 1)->shape;
    const int64_t size = weir_node_int(graph, node, "block_size", 0), wanted = weir_node_int(graph, node, "axis", 1);
    if (size < 0)
        return weir_rule_fail(graph, node, "attribute 'block_size' is %lld, expected 0 or more", (long long)size);
    if (!weir_rule_axis(wanted, shape->rank, axis)) return weir_rule_fail_axis(graph, node, wanted, shape->rank);
    weir_shape blocks = *shape;
    blocks.dim[*axis] = (shape->dim[*axis] + size - 1) / size;
    if (weir_shape_equal(&blocks, scale)) return true;
    char expected[WEIR_SHAPE_TEXT], found[WEIR_SHAPE_TEXT];
    return weir_rule_fail(graph, node, "blocks of %lld along axis %d need scales of shape %s, found %s",
                          (long long)size, *axis, weir_shape_print(&blocks, expected, sizeof expected),
                          weir_shape_print(scale, found, sizeof found));
}

/* The element types of quantized values: integers of at most 16 bits and floats of at most 8. */
static bool is_code_dtype(weir_dtype dtype) {
    if (weir_dtype_is_float(dtype)) return weir_dtype_is_small_float(dtype) && dtype != WEIR_FLOAT8E8M0;
    return dtype != WEIR_BOOL && weir_dtype_size(dtype) <= 2;
}

/* Floats have no zero point but 0; one that is computed is taken as it is. */
static bool check_float_zero(const weir_graph *graph, weir_node node) {
    const weir_array *zero = weir_rule_constant(graph, node, 2);
    if (zero == NULL || !weir_dtype_is_float(zero->dtype)) return true;
    bool is_zero = true;
    for (size_t i = 0; i < zero->count; i++) is_zero = is_zero && fabs(weir_array_get(zero, i)) <= 0;
    return is_zero ||
           weir_rule_fail(graph, node, "a zero point (input 2) of type %s must be 0", weir_dtype_name(zero->dtype));
}

/* Scale (input 1) and zero point (input 2) of Quantize- and DequantizeLinear: one, one for each index of the axis, or
 * one a block. */
static bool check_axis_parameters(const weir_graph *graph, weir_node node, int *axis) {
    const weir_shape *shape = &weir_rule_input(graph, node, 0)->shape;
    const weir_type *scale = weir_rule_input(graph, node, 1), *zero = weir_rule_input(graph, node, 2);
    const size_t count = weir_rule_count(scale);
    const int64_t wanted = weir_node_int(graph, node, "axis", 1);
    *axis = -1;
    if (scale->dtype != WEIR_FLOAT32) return weir_rule_fail_dtype(graph, node, 1, "float32");
    if (!check_scale_values(graph, node, 1)) return false;
    const bool has_blocks = weir_node_int(graph, node, "block_size", 0) != 0;
    const bool alike = zero == NULL || (weir_rule_count(zero) == 1 && count == 1 && !has_blocks);
    if (!alike && !weir_shape_equal(&zero->shape, &scale->shape)) {
        return weir_rule_fail_shapes(graph, node, "scale and zero point", &scale->shape, &zero->shape);
    }
    if (has_blocks) return check_blocks(graph, node, axis);
    if (count == 1) return true;
    if (!weir_rule_axis(wanted, shape->rank, axis)) return weir_rule_fail_axis(graph, node, wanted, shape->rank);
    return (scale->shape.rank == 1 && scale->shape.dim[0] == shape->dim[*axis]) ||
           weir_rule_fail(graph, node, "axis %d has %lld elements, but there are %zu scales", *axis,
                          (long long)shape->dim[*axis], count);
}

/* The zero point's type, else the attribute's, else uint8. */
static bool quantized_dtype(const weir_graph *graph, weir_node node, weir_dtype *dtype) {
    const weir_type *zero = weir_rule_input(graph, node, 2);
    const char *wanted = weir_node_string(graph, node, "output_dtype", NULL);
    *dtype = zero != NULL ? zero->dtype : WEIR_UINT8;
    if (wanted == NULL) return true;
    weir_dtype named;
    if (!weir_dtype_parse(wanted, &named) || !is_code_dtype(named))
        return weir_rule_fail(
            graph, node,
            "attribute 'output_dtype' is '%s', expected an integer type of at most 16 bits or a float "
            "of at most 8",
            wanted);
    if (zero != NULL && named != *dtype)
        return weir_rule_fail(graph, node, "attribute 'output_dtype' is '%s', but the zero point is %s", wanted,
                              weir_dtype_name(*dtype));
    *dtype = named;
    return true;
}

bool weir_infer_quantize_linear(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *x = weir_rule_input(graph, node, 0), *zero = weir_rule_input(graph, node, 2);
    weir_dtype dtype;
    int axis;
    if (x->dtype != WEIR_FLOAT32 && x->dtype != WEIR_INT32)
        return weir_rule_fail_dtype(graph, node, 0, "float32 or int32");
    if (zero != NULL && !is_code_dtype(zero->dtype))
        return weir_rule_fail_dtype(graph, node, 2, "an integer of at most 16 bits or a float of at most 8");
    if (!check_axis_parameters(graph, node, &axis) || !quantized_dtype(graph, node, &dtype) ||
        !check_float_zero(graph, node))
        return false;
    if (weir_dtype_is_float(dtype)) return weir_rule_set_plain(graph, node, to, dtype, &x->shape);
    return set_quantized(graph, node, to, dtype, &x->shape, axis, 1, 2);
}

bool weir_infer_dequantize_linear(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *x = weir_rule_input(graph, node, 0), *zero = weir_rule_input(graph, node, 2);
    int axis;
    if (!is_code_dtype(x->dtype) && !(weir_rule_is_integer(x) && weir_dtype_size(x->dtype) <= 4))
        return weir_rule_fail_dtype(graph, node, 0, "an integer of at most 32 bits or a float of at most 8");
    if (zero != NULL && zero->dtype != x->dtype) return weir_rule_fail_dtype(graph, node, 2, weir_dtype_name(x->dtype));
    if (strcmp(weir_node_string(graph, node, "output_dtype", "float32"), "float32") != 0)
        return weir_rule_fail(graph, node, "attribute 'output_dtype' is '%s', expected float32",
                              weir_node_string(graph, node, "output_dtype", ""));
    return check_axis_parameters(graph, node, &axis) && check_float_zero(graph, node) &&
           weir_rule_set_plain(graph, node, to, WEIR_FLOAT32, &x->shape);
}

/* Codes of 8 bits, their scale and their zero point, which are not known before. */
bool weir_infer_dynamic_quantize_linear(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *x = weir_rule_input(graph, node, 0);
    const weir_shape one = {.rank = 0};
    if (x->dtype != WEIR_FLOAT32) return weir_rule_fail_dtype(graph, node, 0, "float32");
    weir_type codes = weir_rule_plain_type(WEIR_UINT8, &x->shape);
    codes.quant.rounding = WEIR_ROUND_HALF_EVEN;
    codes.has_range = true;
    weir_dtype_limits(WEIR_UINT8, &codes.low, &codes.high);
    const weir_type scale = weir_rule_plain_type(WEIR_FLOAT32, &one), zero = weir_rule_plain_type(WEIR_UINT8, &one);
    return weir_rule_set_output(graph, node, to, 0, &codes) && weir_rule_set_output(graph, node, to, 1, &scale) &&
           weir_rule_set_output(graph, node, to, 2, &zero);
}

/* Input `index` is an 8-bit tensor, its scale and zero point are at the given inputs (0: has none). */
static bool check_operand(const weir_graph *graph, weir_node node, size_t index, size_t scale, size_t zero) {
    const weir_type *type = weir_rule_input(graph, node, index);
    if (!is_code8(type)) return weir_rule_fail_dtype(graph, node, index, "int8 or uint8");
    if (scale != 0 && weir_rule_input(graph, node, scale)->dtype != WEIR_FLOAT32) {
        return weir_rule_fail_dtype(graph, node, scale, "float32");
    }
    if (scale != 0 && !check_scale_values(graph, node, scale)) return false;
    const weir_type *zero_type = weir_rule_input(graph, node, zero);
    return zero_type == NULL || zero_type->dtype == type->dtype ||
           weir_rule_fail_dtype(graph, node, zero, weir_dtype_name(type->dtype));
}

/* The output's scale and zero point of QLinearMatMul and QGemm. */
static bool check_result(const weir_graph *graph, weir_node node, size_t scale, size_t zero) {
    if (weir_rule_input(graph, node, scale)->dtype != WEIR_FLOAT32)
        return weir_rule_fail_dtype(graph, node, scale, "float32");
    if (!check_scale_values(graph, node, scale)) return false;
    if (weir_rule_input(graph, node, zero) != NULL && !is_code8(weir_rule_input(graph, node, zero))) {
        return weir_rule_fail_dtype(graph, node, zero, "int8 or uint8");
    }
    return weir_rule_check_parameter(graph, node, scale, 1) && weir_rule_check_parameter(graph, node, zero, 1);
}

bool weir_infer_qlinear_matmul(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_shape *a = &weir_rule_input(graph, node, 0)->shape, *b = &weir_rule_input(graph, node, 3)->shape;
    const int64_t columns = b->rank < 2 ? 1 : b->dim[b->rank - 1];
    weir_shape shape;
    return check_operand(graph, node, 0, 1, 2) && check_operand(graph, node, 3, 4, 5) &&
           check_result(graph, node, 6, 7) && matmul_shape(graph, node, a, b, &shape) &&
           weir_rule_check_parameter(graph, node, 1, 1) && weir_rule_check_parameter(graph, node, 2, 1) &&
           weir_rule_check_parameter(graph, node, 4, columns) && weir_rule_check_parameter(graph, node, 5, columns) &&
           set_quantized(graph, node, to, weir_rule_input(graph, node, 7)->dtype, &shape, -1, 6, 7);
}

bool weir_infer_matmul_integer(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_shape *a = &weir_rule_input(graph, node, 0)->shape, *b = &weir_rule_input(graph, node, 1)->shape;
    weir_shape shape;
    return check_operand(graph, node, 0, 0, 2) && check_operand(graph, node, 1, 0, 3) &&
           matmul_shape(graph, node, a, b, &shape) &&
           weir_rule_check_parameter(graph, node, 2, a->rank < 2 ? 1 : a->dim[a->rank - 2]) &&
           weir_rule_check_parameter(graph, node, 3, b->rank < 2 ? 1 : b->dim[b->rank - 1]) &&
           weir_rule_set_plain(graph, node, to, WEIR_INT32, &shape);
}

bool weir_infer_qgemm(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *bias = weir_rule_input(graph, node, 6), *zero = weir_rule_input(graph, node, 8);
    weir_shape shape;
    if (!check_operand(graph, node, 0, 1, 2) || !check_operand(graph, node, 3, 4, 5) ||
        !gemm_shape(graph, node, 0, 3, &shape) || !weir_rule_broadcasts_to(graph, node, 6, &shape)) {
        return false;
    }
    if (bias != NULL && bias->dtype != WEIR_INT32) return weir_rule_fail_dtype(graph, node, 6, "int32");
    if (!weir_rule_check_parameter(graph, node, 1, 1) || !weir_rule_check_parameter(graph, node, 2, 1) ||
        !weir_rule_check_parameter(graph, node, 4, shape.dim[1]) ||
        !weir_rule_check_parameter(graph, node, 5, shape.dim[1])) {
        return false;
    }
    if (weir_rule_input(graph, node, 7) == NULL) return weir_rule_set_plain(graph, node, to, WEIR_FLOAT32, &shape);
    const weir_dtype dtype = zero != NULL ? zero->dtype : weir_rule_input(graph, node, 0)->dtype;
    return check_result(graph, node, 7, 8) && set_quantized(graph, node, to, dtype, &shape, -1, 7, 8);
}

bool weir_infer_conv_integer(const weir_graph *graph, weir_node node, weir_inferred *to) {
    weir_shape shape;
    return check_operand(graph, node, 0, 0, 2) && check_operand(graph, node, 1, 0, 3) &&
           weir_rule_conv_shape(graph, node, 1, &shape) && weir_rule_check_parameter(graph, node, 2, 1) &&
           weir_rule_check_parameter(graph, node, 3, weir_rule_input(graph, node, 1)->shape.dim[0]) &&
           weir_rule_set_plain(graph, node, to, WEIR_INT32, &shape);
}

bool weir_infer_qlinear_conv(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *bias = weir_rule_input(graph, node, 8);
    weir_shape shape;
    if (!check_operand(graph, node, 0, 1, 2) || !check_operand(graph, node, 3, 4, 5) ||
        !check_result(graph, node, 6, 7) || !weir_rule_conv_shape(graph, node, 3, &shape)) {
        return false;
    }
    const int64_t outputs = weir_rule_input(graph, node, 3)->shape.dim[0];
    if (bias != NULL && bias->dtype != WEIR_INT32) return weir_rule_fail_dtype(graph, node, 8, "int32");
    if (bias != NULL && (bias->shape.rank != 1 || bias->shape.dim[0] != outputs))
        return weir_rule_fail(graph, node, "the bias must be a vector of %lld", (long long)outputs);
    return weir_rule_check_parameter(graph, node, 1, 1) && weir_rule_check_parameter(graph, node, 2, 1) &&
           weir_rule_check_parameter(graph, node, 4, outputs) && weir_rule_check_parameter(graph, node, 5, outputs) &&
           set_quantized(graph, node, to, weir_rule_input(graph, node, 7)->dtype, &shape, -1, 6, 7);
}

/* A sum or product of two tensors of codes. */
bool weir_infer_two_quantized(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *a = weir_rule_input(graph, node, 0), *b = weir_rule_input(graph, node, 3);
    weir_shape shape;
    if (!check_operand(graph, node, 0, 1, 2) || !check_operand(graph, node, 3, 4, 5) ||
        !check_result(graph, node, 6, 7))
        return false;
    if (b->dtype != a->dtype) return weir_rule_fail_dtype(graph, node, 3, weir_dtype_name(a->dtype));
    if (!weir_rule_same_dtype(graph, node, 7)) return false;
    for (size_t i = 1; i < 6; i++)
        if (i != 3 && !weir_rule_check_parameter(graph, node, i, 1)) return false;
    if (!weir_rule_broadcast(&a->shape, &b->shape, &shape))
        return weir_rule_fail_shapes(graph, node, "broadcast", &a->shape, &b->shape);
    return set_quantized(graph, node, to, a->dtype, &shape, -1, 6, 7);
}

/* A function of one tensor of codes, with a result of `shape`. */
static bool quantized_result(const weir_graph *graph, weir_node node, weir_inferred *to, const weir_shape *shape) {
    const weir_type *x = weir_rule_input(graph, node, 0), *zero = weir_rule_input(graph, node, 4);
    if (!check_operand(graph, node, 0, 1, 2) || !check_result(graph, node, 3, 4)) return false;
    if (zero != NULL && zero->dtype != x->dtype) return weir_rule_fail_dtype(graph, node, 4, weir_dtype_name(x->dtype));
    return weir_rule_check_parameter(graph, node, 1, 1) && weir_rule_check_parameter(graph, node, 2, 1) &&
           set_quantized(graph, node, to, x->dtype, shape, -1, 3, 4);
}

bool weir_infer_quantized_function(const weir_graph *graph, weir_node node, weir_inferred *to) {
    return quantized_result(graph, node, to, &weir_rule_input(graph, node, 0)->shape);
}

bool weir_infer_qlinear_average_pool(const weir_graph *graph, weir_node node, weir_inferred *to) {
    weir_shape shape;
    weir_window window;
    return weir_rule_pool_shape(graph, node, &shape, &window) && quantized_result(graph, node, to, &shape);
}

bool weir_infer_qlinear_global_average_pool(const weir_graph *graph, weir_node node, weir_inferred *to) {
    weir_shape shape;
    return weir_rule_global_shape(graph, node, &shape) && quantized_result(graph, node, to, &shape);
}

bool weir_infer_qlinear_softmax(const weir_graph *graph, weir_node node, weir_inferred *to) {
    int axis;
    return weir_rule_axis_attribute(graph, node, -1, &axis) && weir_infer_quantized_function(graph, node, to);
}

static bool all_float32(const weir_graph *graph, weir_node node, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (weir_rule_input(graph, node, i)->dtype != WEIR_FLOAT32)
            return weir_rule_fail_dtype(graph, node, i, "float32");
    return true;
}

static bool check_qonnx_rounding(const weir_graph *graph, weir_node node) {
    const char *mode = weir_node_string(graph, node, "rounding_mode", "ROUND");
    weir_rounding rounding;
    return weir_rounding_parse_qonnx(mode, &rounding) ||
           weir_rule_fail(graph, node,
                          "attribute 'rounding_mode' is '%s', expected one of ROUND, CEIL, FLOOR, UP, DOWN, "
                          "HALF_UP, HALF_DOWN",
                          mode);
}

bool weir_infer_quant(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *x = weir_rule_input(graph, node, 0);
    if (!check_qonnx_rounding(graph, node) || !all_float32(graph, node, 4) || !check_scale_values(graph, node, 1))
        return false;
    if (weir_rule_count(weir_rule_input(graph, node, 3)) != 1) {
        return weir_rule_fail(graph, node, "the bit width (input 3) must have one element");
    }
    return weir_rule_broadcasts_to(graph, node, 1, &x->shape) && weir_rule_broadcasts_to(graph, node, 2, &x->shape) &&
           weir_rule_set_plain(graph, node, to, WEIR_FLOAT32, &x->shape);
}

bool weir_infer_bipolar_quant(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *x = weir_rule_input(graph, node, 0);
    return all_float32(graph, node, 2) && check_scale_values(graph, node, 1) &&
           weir_rule_broadcasts_to(graph, node, 1, &x->shape) &&
           weir_rule_set_plain(graph, node, to, WEIR_FLOAT32, &x->shape);
}

/* A setting of FloatQuant: one known number in [low, high], whole where asked. */
static bool check_float_setting(const weir_graph *graph, weir_node node, size_t index, const char *what, bool is_whole,
                                double low, double high) {
    const weir_array *array = weir_rule_constant(graph, node, index);
    if (array == NULL || array->count != 1)
        return weir_rule_fail(graph, node, "%s (input %zu) must be one constant number", what, index);
    const double value = weir_array_get(array, 0);
    return (value >= low && value <= high && (!is_whole || value == floor(value))) ||
           weir_rule_fail(graph, node, "%s (input %zu) is %g, expected %s of %g to %g", what, index, value,
                          is_whole ? "a whole number" : "a number", low, high);
}

bool weir_infer_float_quant(const weir_graph *graph, weir_node node, weir_inferred *to) {
    enum { MOST_EXPONENT = 8, MOST_MANTISSA = 23, LEAST_BIAS = -128, MOST_BIAS = 255 }; /* those of float32 */
    const weir_type *x = weir_rule_input(graph, node, 0);
    if (weir_node_int(graph, node, "saturation", 1) == 0 && weir_node_int(graph, node, "has_inf", 0) == 0 &&
        weir_node_int(graph, node, "has_nan", 0) == 0)
        return weir_rule_fail(graph, node,
                              "what is too large has no value: it neither saturates nor has it inf or NaN");
    return check_qonnx_rounding(graph, node) && all_float32(graph, node, 6) && check_scale_values(graph, node, 1) &&
           check_float_setting(graph, node, 2, "the bit width of the exponent", true, 1, MOST_EXPONENT) &&
           check_float_setting(graph, node, 3, "the bit width of the mantissa", true, 0, MOST_MANTISSA) &&
           check_float_setting(graph, node, 4, "the bias of the exponent", true, LEAST_BIAS, MOST_BIAS) &&
           check_float_setting(graph, node, 5, "the largest value", false, 0, (double)INFINITY) &&
           weir_rule_broadcasts_to(graph, node, 1, &x->shape) &&
           weir_rule_set_plain(graph, node, to, WEIR_FLOAT32, &x->shape);
}

bool weir_infer_fake_quantize(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *x = weir_rule_input(graph, node, 0);
    const char *format = weir_node_string(graph, node, "format", "");
    int axis = 0;
    weir_number number;
    if (!weir_number_parse(format, &number))
        return weir_rule_fail(
            graph, node, "attribute 'format' is '%s', expected a number format such as 'mxfp block_size=32'", format);
    if (x->shape.rank > 0 && !weir_rule_axis_attribute(graph, node, 0, &axis)) return false;
    return all_float32(graph, node, 1) && weir_rule_set_plain(graph, node, to, WEIR_FLOAT32, &x->shape);
}

/* Bit widths are single numbers; of the two forms the later one has a scale for its result. */
bool weir_infer_trunc(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *x = weir_rule_input(graph, node, 0);
    const size_t inputs = weir_node_input_count(graph, node);
    if (weir_rule_input(graph, node, inputs - 1) == NULL)
        return weir_rule_fail(graph, node, "input %zu is missing", inputs - 1);
    if (!check_qonnx_rounding(graph, node) || !all_float32(graph, node, inputs) ||
        !check_scale_values(graph, node, 1) || (inputs == 6 && !check_scale_values(graph, node, 4)))
        return false;
    if (weir_rule_count(weir_rule_input(graph, node, 3)) != 1 ||
        weir_rule_count(weir_rule_input(graph, node, inputs - 1)) != 1)
        return weir_rule_fail(graph, node, "the bit widths (inputs 3 and %zu) must have one element", inputs - 1);
    return weir_rule_broadcasts_to(graph, node, 1, &x->shape) && weir_rule_broadcasts_to(graph, node, 2, &x->shape) &&
           (inputs == 5 || weir_rule_broadcasts_to(graph, node, 4, &x->shape)) &&
           weir_rule_set_plain(graph, node, to, WEIR_FLOAT32, &x->shape);
}

bool weir_infer_multi_threshold(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_shape *x = &weir_rule_input(graph, node, 0)->shape, *t = &weir_rule_input(graph, node, 1)->shape;
    if (!all_float32(graph, node, 2)) return false;
    const int axis = weir_layout_channel_axis(graph, node);
    if (axis < 0)
        return weir_rule_fail(graph, node,
                              "input 0 has %d dimensions, none of them channels: expected 2 or more, or those of "
                              "attribute 'data_layout'",
                              x->rank);
    if (t->rank != 2 || (t->dim[0] != 1 && t->dim[0] != x->dim[axis]))
        return weir_rule_fail(graph, node,
                              "the thresholds (input 1) must be a matrix with 1 row or %lld, one for each channel",
                              (long long)x->dim[axis]);
    return weir_rule_set_plain(graph, node, to, WEIR_FLOAT32, x);
}
