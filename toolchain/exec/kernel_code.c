/* Products of quantized operands (QLinearMatMul, MatMulInteger, QGemm): exact integer accumulation of
 * (a - zero_a) * (b - zero_b), then ONNX Runtime's fused requantization. */
#include "exec/arithmetic.h"
#include "exec/kernel_common.h"

/* A matrix of 8-bit codes: element (i, j) stands at data[i * row + j * column]. */
typedef struct code_matrix {
    const uint8_t *data;
    int flip; /* 128 for int8, 0 for uint8: (byte ^ flip) - flip is the code */
    size_t row, column;
    const weir_array *zero; /* one, or one for each row of a or column of b; NULL: 0 */
} code_matrix;

/* Columns accumulated at once. */
enum { BLOCK = 64 };

static code_matrix matrix_of(const weir_array *array, size_t at, size_t columns, bool transposed,
                             const weir_array *zero) {
    code_matrix matrix = {.data = (const uint8_t *)array->data + at, .zero = zero};
    matrix.flip = array->dtype == WEIR_INT8 ? 128 : 0;
    matrix.row = transposed ? 1 : columns;
    matrix.column = transposed ? columns : 1;
    return matrix;
}

static int64_t code_at(const code_matrix *matrix, size_t row, size_t column) {
    return (matrix->data[row * matrix->row + column * matrix->column] ^ matrix->flip) - matrix->flip;
}

static int64_t parameter(const weir_array *array, size_t index) {
    return array == NULL ? 0 : weir_array_get_int(array, array->count == 1 ? 0 : index);
}

/* sum[j] = product of row `row` of a with column first + j of b. */
static void accumulate(const code_matrix *a, const code_matrix *b, size_t row, size_t inner, size_t first, size_t count,
                       int64_t *sum) {
    int64_t zero[BLOCK];
    const int64_t zero_a = parameter(a->zero, row);
    for (size_t j = 0; j < count; j++) {
        sum[j] = 0;
        zero[j] = parameter(b->zero, first + j);
    }
    for (size_t k = 0; k < inner; k++) {
        const int64_t left = code_at(a, row, k) - zero_a;
        for (size_t j = 0; j < count; j++) sum[j] += left * (code_at(b, k, first + j) - zero[j]);
    }
}

/* What becomes of an accumulator: requantized when y_scale is given, scaled when only a_scale is, itself otherwise. */
typedef struct finish {
    float alpha;
    const weir_array *a_scale, *b_scale, *y_scale, *y_zero, *bias;
    weir_broadcast from_bias;
    int64_t low, high;
} finish;

static float real_at(const weir_array *array, size_t index) {
    return ((const float *)array->data)[array->count == 1 ? 0 : index];
}

static void store(const finish *to, weir_array *y, size_t at, size_t column, int64_t sum) {
    if (to->bias != NULL) sum += weir_array_get_int(to->bias, weir_broadcast_index(&to->from_bias, at));
    if (to->a_scale == NULL) {
        weir_array_set_int(y, at, sum);
        return;
    }
    const float left = to->alpha * real_at(to->a_scale, 0);
    const float scale = left * real_at(to->b_scale, column);
    if (to->y_scale == NULL) {
        weir_array_set(y, at, (double)((float)sum * scale));
        return;
    }
    const float multiplier = scale / real_at(to->y_scale, 0);
    weir_array_set_int(y, at, weir_requantize_onnx(sum, multiplier, parameter(to->y_zero, 0), to->low, to->high));
}

static void multiply(const code_matrix *a, const code_matrix *b, const weir_product *shape, const finish *to,
                     weir_array *y, size_t y_at) {
    int64_t sum[BLOCK];
    for (size_t row = 0; row < shape->rows; row++) {
        for (size_t first = 0; first < shape->columns; first += BLOCK) {
            const size_t count = shape->columns - first < BLOCK ? shape->columns - first : BLOCK;
            accumulate(a, b, row, shape->inner, first, count, sum);
            for (size_t j = 0; j < count; j++) store(to, y, y_at + row * shape->columns + first + j, first + j, sum[j]);
        }
    }
}

static void multiply_batch(const weir_array *a, const weir_array *a_zero, const weir_array *b, const weir_array *b_zero,
                           const finish *to, weir_array *y) {
    const weir_product shape = weir_product_of(&a->shape, &b->shape);
    for (size_t i = 0; i < shape.batch; i++) {
        const size_t a_at = weir_broadcast_index(&shape.a, i) * shape.rows * shape.inner;
        const size_t b_at = weir_broadcast_index(&shape.b, i) * shape.inner * shape.columns;
        const code_matrix left = matrix_of(a, a_at, shape.inner, false, a_zero);
        const code_matrix right = matrix_of(b, b_at, shape.columns, false, b_zero);
        multiply(&left, &right, &shape, to, y, i * shape.rows * shape.columns);
    }
}

void weir_kernel_QLINEAR_MATMUL(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                weir_array *const *outputs) {
    (void)graph;
    (void)node;
    finish to = {.alpha = 1, .a_scale = inputs[1], .b_scale = inputs[4], .y_scale = inputs[6], .y_zero = inputs[7]};
    weir_dtype_limits(outputs[0]->dtype, &to.low, &to.high);
    multiply_batch(inputs[0], inputs[2], inputs[3], inputs[5], &to, outputs[0]);
}

void weir_kernel_MATMUL_INTEGER(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                weir_array *const *outputs) {
    (void)graph;
    (void)node;
    const finish to = {.a_scale = NULL};
    multiply_batch(inputs[0], inputs[2], inputs[1], inputs[3], &to, outputs[0]);
}

void weir_kernel_QGEMM(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                       weir_array *const *outputs) {
    const weir_array *a = inputs[0], *b = inputs[3], *bias = inputs[6];
    weir_array *y = outputs[0];
    const bool ta = weir_node_int(graph, node, "transA", 0) != 0, tb = weir_node_int(graph, node, "transB", 0) != 0;
    const weir_product shape = {
        .rows = (size_t)y->shape.dim[0], .inner = (size_t)a->shape.dim[ta ? 0 : 1], .columns = (size_t)y->shape.dim[1]};
    finish to = {.alpha = (float)weir_node_float(graph, node, "alpha", 1),
                 .a_scale = inputs[1],
                 .b_scale = inputs[4],
                 .y_scale = inputs[7],
                 .y_zero = inputs[8],
                 .bias = bias};
    if (bias != NULL) to.from_bias = weir_broadcast_of(&bias->shape, &y->shape);
    if (!weir_dtype_is_float(y->dtype)) weir_dtype_limits(y->dtype, &to.low, &to.high);
    const code_matrix left = matrix_of(a, 0, (size_t)a->shape.dim[1], ta, inputs[2]);
    const code_matrix right = matrix_of(b, 0, (size_t)b->shape.dim[1], tb, inputs[5]);
    multiply(&left, &right, &shape, &to, y, 0);
}
