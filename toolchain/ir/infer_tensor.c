/* Type inference of ONNX's operators, ONNX Runtime's and QONNX's: ranks and sizes by ONNX's rules, quantized outputs
 * recorded with their scale and zero point where those are constants. */
#include "ir/infer_rule.h"

#include <string.h>

#include "support/arena.h"

/* ---- ONNX: linear algebra and elementwise ---- */

static bool is_code8(const weir_type *type) { return type->dtype == WEIR_INT8 || type->dtype == WEIR_UINT8; }

static bool normal_axis(int64_t axis, int rank, int *normal) {
    if (axis < -rank || axis >= rank) return false;
    *normal = (int)(axis < 0 ? axis + rank : axis);
    return true;
}

static bool same_arithmetic_types(const weir_graph *graph, weir_node node, size_t count) {
    const weir_type *first = weir_rule_input(graph, node, 0);
    if (first->dtype == WEIR_BOOL) return weir_rule_fail_dtype(graph, node, 0, "a number");
    for (size_t i = 1; i < count; i++) {
        const weir_type *type = weir_rule_input(graph, node, i);
        if (type != NULL && type->dtype != first->dtype) {
            return weir_rule_fail_dtype(graph, node, i, weir_dtype_name(first->dtype));
        }
    }
    return true;
}

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

/* Does input `index` (when given) broadcast to `shape` without changing it? */
static bool broadcasts_to(const weir_graph *graph, weir_node node, size_t index, const weir_shape *shape) {
    const weir_type *type = weir_rule_input(graph, node, index);
    weir_shape result;
    if (type == NULL || (weir_rule_broadcast(&type->shape, shape, &result) && weir_shape_equal(&result, shape)))
        return true;
    return weir_rule_fail_shapes(graph, node, "broadcast to the output", &type->shape, shape);
}

bool weir_infer_GEMM(weir_graph *graph, weir_node node) {
    weir_shape shape;
    return same_arithmetic_types(graph, node, 3) && gemm_shape(graph, node, 0, 1, &shape) &&
           broadcasts_to(graph, node, 2, &shape) &&
           weir_rule_set_plain(graph, node, weir_rule_input(graph, node, 0)->dtype, &shape);
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

bool weir_infer_MATMUL(weir_graph *graph, weir_node node) {
    const weir_type *a = weir_rule_input(graph, node, 0), *b = weir_rule_input(graph, node, 1);
    weir_shape shape;
    return same_arithmetic_types(graph, node, 2) && matmul_shape(graph, node, &a->shape, &b->shape, &shape) &&
           weir_rule_set_plain(graph, node, a->dtype, &shape);
}

bool weir_infer_ADD(weir_graph *graph, weir_node node) {
    const weir_type *a = weir_rule_input(graph, node, 0), *b = weir_rule_input(graph, node, 1);
    weir_shape shape;
    if (!same_arithmetic_types(graph, node, 2)) return false;
    if (!weir_rule_broadcast(&a->shape, &b->shape, &shape))
        return weir_rule_fail_shapes(graph, node, "broadcast", &a->shape, &b->shape);
    return weir_rule_set_plain(graph, node, a->dtype, &shape);
}

bool weir_infer_RELU(weir_graph *graph, weir_node node) {
    weir_type type = *weir_rule_input(graph, node, 0);
    if (type.dtype == WEIR_BOOL) return weir_rule_fail_dtype(graph, node, 0, "a number");
    type.low = type.low < 0 ? 0 : type.low;
    type.high = type.high < 0 ? 0 : type.high;
    return weir_rule_set(graph, node, &type);
}

/* ---- ONNX: shape ---- */

/* The input's type with another shape. Per-axis quantization follows its axis when the new shape still has it with
 * the same elements before and behind, and is dropped (plain codes) when it has not. */
static bool set_reshaped(weir_graph *graph, weir_node node, const weir_shape *shape) {
    weir_type type = *weir_rule_input(graph, node, 0);
    const weir_shape from = type.shape;
    type.shape = *shape;
    if (type.quant.count > 1 && type.quant.axis >= 0 && type.quant.axis < from.rank) {
        int64_t before = 1, reached = 1;
        for (int i = 0; i < type.quant.axis; i++) before *= from.dim[i];
        int axis = 0;
        while (axis < shape->rank && (reached != before || shape->dim[axis] != from.dim[type.quant.axis])) {
            reached *= shape->dim[axis++];
        }
        if (axis == shape->rank) {
            type.quant = weir_rule_plain_type(type.dtype, shape).quant;
        } else {
            type.quant.axis = axis;
        }
    }
    return weir_rule_set(graph, node, &type);
}

bool weir_infer_FLATTEN(weir_graph *graph, weir_node node) {
    const weir_shape *from = &weir_rule_input(graph, node, 0)->shape;
    const int64_t axis = weir_node_int(graph, node, "axis", 1);
    if (axis < -from->rank || axis > from->rank) {
        return weir_rule_fail(graph, node, "axis %lld is outside [-%d, %d]", (long long)axis, from->rank, from->rank);
    }
    weir_shape shape = {.rank = 2, .dim = {1, 1}};
    for (int i = 0; i < from->rank; i++) shape.dim[i < (axis < 0 ? axis + from->rank : axis) ? 0 : 1] *= from->dim[i];
    return set_reshaped(graph, node, &shape);
}

/* Replaces the one -1 of `shape`; the counts must agree. */
static bool complete_shape(const weir_graph *graph, weir_node node, weir_shape *shape) {
    const weir_shape *from = &weir_rule_input(graph, node, 0)->shape;
    const size_t total = weir_rule_count(weir_rule_input(graph, node, 0));
    int open = -1;
    for (int i = 0; i < shape->rank; i++) {
        if (shape->dim[i] < -1 || (shape->dim[i] == -1 && open >= 0)) {
            return weir_rule_fail(graph, node, "the new shape may hold one -1 and no other negative number");
        }
        if (shape->dim[i] == -1) {
            open = i;
            shape->dim[i] = 1;
        }
    }
    size_t count;
    if (!weir_shape_count(shape, &count)) return weir_rule_fail(graph, node, "the new shape is too large");
    if (open >= 0 && count > 0 && total % count == 0) {
        shape->dim[open] = (int64_t)(total / count);
        count = total;
    }
    return count == total || weir_rule_fail_shapes(graph, node, "reshape", from, shape);
}

bool weir_infer_RESHAPE(weir_graph *graph, weir_node node) {
    const weir_shape *from = &weir_rule_input(graph, node, 0)->shape;
    const weir_array *wanted = weir_rule_constant(graph, node, 1);
    if (wanted == NULL || wanted->dtype != WEIR_INT64 || wanted->shape.rank != 1) {
        return weir_rule_fail(graph, node, "the new shape (input 1) must be a constant int64 vector");
    }
    if (wanted->count > WEIR_MAX_RANK) {
        return weir_rule_fail(graph, node, "the new shape has %zu dimensions, at most %d are supported", wanted->count,
                              WEIR_MAX_RANK);
    }
    const bool keep_zero = weir_node_int(graph, node, "allowzero", 0) != 0;
    weir_shape shape = {.rank = (int)wanted->count};
    for (int i = 0; i < shape.rank; i++) {
        shape.dim[i] = weir_array_get_int(wanted, (size_t)i);
        if (shape.dim[i] == 0 && !keep_zero) {
            if (i >= from->rank)
                return weir_rule_fail(graph, node, "0 at position %d of the new shape copies no dimension", i);
            shape.dim[i] = from->dim[i];
        }
    }
    return complete_shape(graph, node, &shape) && set_reshaped(graph, node, &shape);
}

bool weir_infer_TRANSPOSE(weir_graph *graph, weir_node node) {
    weir_type type = *weir_rule_input(graph, node, 0);
    const weir_shape from = type.shape;
    const int quant_axis = type.quant.axis;
    const weir_attribute *perm = weir_node_attribute(graph, node, "perm");
    if (perm != NULL && (perm->kind != WEIR_ATTRIBUTE_INTS || perm->count != (size_t)from.rank)) {
        return weir_rule_fail(graph, node, "'perm' must hold %d numbers", from.rank);
    }
    bool seen[WEIR_MAX_RANK] = {false};
    for (int i = 0; i < from.rank; i++) {
        int source = from.rank - 1 - i;
        if (perm != NULL && !normal_axis(perm->as.ints[i], from.rank, &source)) {
            return weir_rule_fail(graph, node, "'perm' names axis %lld of a tensor with %d",
                                  (long long)perm->as.ints[i], from.rank);
        }
        if (seen[source]) return weir_rule_fail(graph, node, "'perm' names axis %d twice", source);
        seen[source] = true;
        type.shape.dim[i] = from.dim[source];
        if (source == quant_axis) type.quant.axis = i;
    }
    return weir_rule_set(graph, node, &type);
}

bool weir_infer_IDENTITY(weir_graph *graph, weir_node node) {
    return weir_rule_set(graph, node, weir_rule_input(graph, node, 0));
}

/* ---- ONNX: quantization ---- */

/* A quantized tensor's type; scale and zero point are recorded when they are constants. */
static bool set_quantized(weir_graph *graph, weir_node node, weir_dtype dtype, const weir_shape *shape, int axis,
                          size_t scale_index, size_t zero_index) {
    weir_type type = weir_rule_plain_type(dtype, shape);
    const weir_array *scale = weir_rule_constant(graph, node, scale_index);
    const weir_array *zero = weir_rule_constant(graph, node, zero_index);
    type.quant.rounding = WEIR_ROUND_HALF_EVEN;
    type.has_range = true;
    weir_dtype_limits(dtype, &type.low, &type.high);
    if (scale != NULL && (zero != NULL || weir_rule_input(graph, node, zero_index) == NULL)) {
        weir_arena *arena = weir_graph_arena(graph);
        double *scales = weir_arena_array(arena, scale->count, sizeof *scales);
        int64_t *zeros = weir_arena_array(arena, scale->count, sizeof *zeros);
        for (size_t i = 0; i < scale->count; i++) {
            scales[i] = weir_array_get(scale, i);
            zeros[i] = zero == NULL ? 0 : weir_array_get_int(zero, zero->count == 1 ? 0 : i);
        }
        type.quant.axis = scale->count == 1 ? -1 : axis;
        type.quant.count = (uint32_t)scale->count;
        type.quant.scale = scales;
        type.quant.zero_point = zeros;
    }
    return weir_rule_set(graph, node, &type);
}

/* Scale (input 1) and zero point (input 2) of Quantize- and DequantizeLinear: one, or one for each index of the axis.
 */
static bool check_axis_parameters(const weir_graph *graph, weir_node node, int *axis) {
    const weir_shape *shape = &weir_rule_input(graph, node, 0)->shape;
    const weir_type *scale = weir_rule_input(graph, node, 1), *zero = weir_rule_input(graph, node, 2);
    const size_t count = weir_rule_count(scale);
    const int64_t wanted = weir_node_int(graph, node, "axis", 1);
    *axis = -1;
    if (scale->dtype != WEIR_FLOAT32) return weir_rule_fail_dtype(graph, node, 1, "float32");
    if (weir_node_int(graph, node, "block_size", 0) != 0) {
        return weir_rule_fail(graph, node, "blocked quantization is not supported");
    }
    if (zero != NULL && weir_rule_count(zero) != count) {
        return weir_rule_fail_shapes(graph, node, "scale and zero point", &scale->shape, &zero->shape);
    }
    if (count == 1) return true;
    if (!normal_axis(wanted, shape->rank, axis)) {
        return weir_rule_fail(graph, node, "axis %lld of a tensor with %d", (long long)wanted, shape->rank);
    }
    return (scale->shape.rank == 1 && scale->shape.dim[0] == shape->dim[*axis]) ||
           weir_rule_fail(graph, node, "axis %d has %lld elements, but there are %zu scales", *axis,
                          (long long)shape->dim[*axis], count);
}

bool weir_infer_QUANTIZE_LINEAR(weir_graph *graph, weir_node node) {
    const weir_type *x = weir_rule_input(graph, node, 0), *zero = weir_rule_input(graph, node, 2);
    int axis;
    if (x->dtype != WEIR_FLOAT32 && x->dtype != WEIR_INT32)
        return weir_rule_fail_dtype(graph, node, 0, "float32 or int32");
    if (zero != NULL && (!weir_rule_is_integer(zero) || weir_dtype_size(zero->dtype) > 2)) {
        return weir_rule_fail_dtype(graph, node, 2, "an 8 or 16 bit integer");
    }
    return check_axis_parameters(graph, node, &axis) &&
           set_quantized(graph, node, zero == NULL ? WEIR_UINT8 : zero->dtype, &x->shape, axis, 1, 2);
}

bool weir_infer_DEQUANTIZE_LINEAR(weir_graph *graph, weir_node node) {
    const weir_type *x = weir_rule_input(graph, node, 0), *zero = weir_rule_input(graph, node, 2);
    int axis;
    if (!weir_rule_is_integer(x) || weir_dtype_size(x->dtype) > 4) {
        return weir_rule_fail_dtype(graph, node, 0, "an integer of at most 32 bits");
    }
    if (zero != NULL && zero->dtype != x->dtype) return weir_rule_fail_dtype(graph, node, 2, weir_dtype_name(x->dtype));
    return check_axis_parameters(graph, node, &axis) && weir_rule_set_plain(graph, node, WEIR_FLOAT32, &x->shape);
}

/* Input `index` is an 8-bit tensor, its scale and zero point stand at the given inputs (0: has none). */
static bool check_operand(const weir_graph *graph, weir_node node, size_t index, size_t scale, size_t zero) {
    const weir_type *type = weir_rule_input(graph, node, index);
    if (!is_code8(type)) return weir_rule_fail_dtype(graph, node, index, "int8 or uint8");
    if (scale != 0 && weir_rule_input(graph, node, scale)->dtype != WEIR_FLOAT32) {
        return weir_rule_fail_dtype(graph, node, scale, "float32");
    }
    const weir_type *zero_type = weir_rule_input(graph, node, zero);
    return zero_type == NULL || zero_type->dtype == type->dtype ||
           weir_rule_fail_dtype(graph, node, zero, weir_dtype_name(type->dtype));
}

/* The output's scale and zero point of QLinearMatMul and QGemm. */
static bool check_result(const weir_graph *graph, weir_node node, size_t scale, size_t zero) {
    if (weir_rule_input(graph, node, scale)->dtype != WEIR_FLOAT32)
        return weir_rule_fail_dtype(graph, node, scale, "float32");
    if (weir_rule_input(graph, node, zero) != NULL && !is_code8(weir_rule_input(graph, node, zero))) {
        return weir_rule_fail_dtype(graph, node, zero, "int8 or uint8");
    }
    return weir_rule_check_parameter(graph, node, scale, 1) && weir_rule_check_parameter(graph, node, zero, 1);
}

bool weir_infer_QLINEAR_MATMUL(weir_graph *graph, weir_node node) {
    const weir_shape *a = &weir_rule_input(graph, node, 0)->shape, *b = &weir_rule_input(graph, node, 3)->shape;
    const int64_t columns = b->rank < 2 ? 1 : b->dim[b->rank - 1];
    weir_shape shape;
    return check_operand(graph, node, 0, 1, 2) && check_operand(graph, node, 3, 4, 5) &&
           check_result(graph, node, 6, 7) && matmul_shape(graph, node, a, b, &shape) &&
           weir_rule_check_parameter(graph, node, 1, 1) && weir_rule_check_parameter(graph, node, 2, 1) &&
           weir_rule_check_parameter(graph, node, 4, columns) && weir_rule_check_parameter(graph, node, 5, columns) &&
           set_quantized(graph, node, weir_rule_input(graph, node, 7)->dtype, &shape, -1, 6, 7);
}

bool weir_infer_MATMUL_INTEGER(weir_graph *graph, weir_node node) {
    const weir_shape *a = &weir_rule_input(graph, node, 0)->shape, *b = &weir_rule_input(graph, node, 1)->shape;
    weir_shape shape;
    return check_operand(graph, node, 0, 0, 2) && check_operand(graph, node, 1, 0, 3) &&
           matmul_shape(graph, node, a, b, &shape) &&
           weir_rule_check_parameter(graph, node, 2, a->rank < 2 ? 1 : a->dim[a->rank - 2]) &&
           weir_rule_check_parameter(graph, node, 3, b->rank < 2 ? 1 : b->dim[b->rank - 1]) &&
           weir_rule_set_plain(graph, node, WEIR_INT32, &shape);
}

bool weir_infer_QGEMM(weir_graph *graph, weir_node node) {
    const weir_type *bias = weir_rule_input(graph, node, 6), *zero = weir_rule_input(graph, node, 8);
    weir_shape shape;
    if (!check_operand(graph, node, 0, 1, 2) || !check_operand(graph, node, 3, 4, 5) ||
        !gemm_shape(graph, node, 0, 3, &shape) || !broadcasts_to(graph, node, 6, &shape)) {
        return false;
    }
    if (bias != NULL && bias->dtype != WEIR_INT32) return weir_rule_fail_dtype(graph, node, 6, "int32");
    if (!weir_rule_check_parameter(graph, node, 1, 1) || !weir_rule_check_parameter(graph, node, 2, 1) ||
        !weir_rule_check_parameter(graph, node, 4, shape.dim[1]) ||
        !weir_rule_check_parameter(graph, node, 5, shape.dim[1])) {
        return false;
    }
    if (weir_rule_input(graph, node, 7) == NULL) return weir_rule_set_plain(graph, node, WEIR_FLOAT32, &shape);
    const weir_dtype dtype = zero != NULL ? zero->dtype : weir_rule_input(graph, node, 0)->dtype;
    return check_result(graph, node, 7, 8) && set_quantized(graph, node, dtype, &shape, -1, 7, 8);
}

static bool all_float32(const weir_graph *graph, weir_node node, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (weir_rule_input(graph, node, i)->dtype != WEIR_FLOAT32)
            return weir_rule_fail_dtype(graph, node, i, "float32");
    return true;
}

bool weir_infer_QUANT(weir_graph *graph, weir_node node) {
    const weir_type *x = weir_rule_input(graph, node, 0);
    const char *mode = weir_node_string(graph, node, "rounding_mode", "ROUND");
    static const char *const modes[] = {"ROUND", "CEIL", "FLOOR", "UP", "DOWN", "HALF_UP", "HALF_DOWN"};
    bool known = false;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) known = known || strcmp(mode, modes[i]) == 0;
    if (!known) return weir_rule_fail(graph, node, "unknown rounding mode '%s'", mode);
    if (!all_float32(graph, node, 4)) return false;
    if (weir_rule_count(weir_rule_input(graph, node, 3)) != 1) {
        return weir_rule_fail(graph, node, "the bit width (input 3) must be one number");
    }
    return broadcasts_to(graph, node, 1, &x->shape) && broadcasts_to(graph, node, 2, &x->shape) &&
           weir_rule_set_plain(graph, node, WEIR_FLOAT32, &x->shape);
}

bool weir_infer_BIPOLAR_QUANT(weir_graph *graph, weir_node node) {
    const weir_type *x = weir_rule_input(graph, node, 0);
    return all_float32(graph, node, 2) && broadcasts_to(graph, node, 1, &x->shape) &&
           weir_rule_set_plain(graph, node, WEIR_FLOAT32, &x->shape);
}
