/* Arithmetic on quantized operands. Products (QLinearMatMul, MatMulInteger, QGemm, ConvInteger, QLinearConv): exact
 * integer accumulation of (a - zero_a) * (b - zero_b), then ONNX Runtime's fused requantization. */
#include "exec/kernel_common.h"

#include <assert.h>

#include "quant/arithmetic.h"
#include "quant/contract.h"

/* A matrix of 8-bit codes: element (i, j) is data[i * row + j * column]. */
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
    assert(array->dtype == WEIR_INT8 || array->dtype == WEIR_UINT8);
    assert(at <= array->count && columns > 0);
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
    assert(count <= BLOCK);
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
    assert(array->dtype == WEIR_FLOAT32);
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
    if (to.y_scale != NULL) weir_dtype_limits(outputs[0]->dtype, &to.low, &to.high);
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

/* ---- convolution ---- */

/* Codes less their zero points, one for all or one for each index of the first axis, as float64; heap memory. */
static weir_array *centred(const weir_array *codes, const weir_array *zero) {
    weir_array *array = weir_array_new(WEIR_FLOAT64, &codes->shape);
    const weir_channels channels = weir_channels_of(&codes->shape, 0, zero == NULL ? 1 : zero->count);
    for (size_t i = 0; i < codes->count; i++) {
        const int64_t shift = zero == NULL ? 0 : weir_array_get_int(zero, weir_channel(&channels, i));
        ((double *)array->data)[i] = (double)(weir_array_get_int(codes, i) - shift);
    }
    return array;
}

/* Sums of products of 9-bit integers are exact in float64, in any order: they stay far below 2^53. */
static void convolve_codes(const weir_graph *graph, weir_node node, const weir_array *x, const weir_array *x_zero,
                           const weir_array *w, const weir_array *w_zero, finish *to, weir_array *y) {
    weir_array *left = centred(x, x_zero), *right = centred(w, w_zero);
    assert(y->shape.rank >= 2 && left->count == x->count);
    weir_array *sums = weir_array_new(WEIR_FLOAT64, &y->shape);
    const weir_channels channels = weir_channels_of(&y->shape, 1, (size_t)y->shape.dim[1]);
    weir_shape bias = {.rank = y->shape.rank - 1, .dim = {y->shape.dim[1]}};
    for (int i = 1; i < bias.rank; i++) bias.dim[i] = 1;
    to->from_bias = weir_broadcast_of(&bias, &y->shape);
    weir_kernel_convolve(graph, node, left, right, sums);
    for (size_t i = 0; i < y->count; i++)
        store(to, y, i, weir_channel(&channels, i), (int64_t)((const double *)sums->data)[i]);
    weir_array_free(left);
    weir_array_free(right);
    weir_array_free(sums);
}

void weir_kernel_CONV_INTEGER(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                              weir_array *const *outputs) {
    finish to = {.a_scale = NULL};
    convolve_codes(graph, node, inputs[0], inputs[2], inputs[1], inputs[3], &to, outputs[0]);
}

void weir_kernel_QLINEAR_CONV(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                              weir_array *const *outputs) {
    finish to = {.alpha = 1,
                 .a_scale = inputs[1],
                 .b_scale = inputs[4],
                 .y_scale = inputs[6],
                 .y_zero = inputs[7],
                 .bias = inputs[8]};
    if (to.y_scale != NULL) weir_dtype_limits(outputs[0]->dtype, &to.low, &to.high);
    convolve_codes(graph, node, inputs[0], inputs[2], inputs[3], inputs[5], &to, outputs[0]);
}

/* ---- functions ---- */

/* What the operator on real numbers gives for those that the codes stand for, quantized. */
static void through_real(const weir_graph *graph, weir_node node, const weir_array *const *inputs, weir_array *y,
                         weir_kernel *kernel) {
    const weir_array *x = inputs[0];
    const float scale = real_at(inputs[1], 0), scale_y = real_at(inputs[3], 0);
    const int64_t zero = parameter(inputs[2], 0), zero_y = parameter(inputs[4], 0);
    weir_array *from = weir_array_new(WEIR_FLOAT32, &x->shape), *to = weir_array_new(WEIR_FLOAT32, &x->shape);
    float *real = from->data;
    for (size_t i = 0; i < x->count; i++) real[i] = (float)(weir_array_get_int(x, i) - zero) * scale;
    const weir_array *operand = from;
    kernel(graph, node, &operand, &to);
    const float *result = to->data;
    int64_t low, high;
    weir_dtype_limits(y->dtype, &low, &high);
    for (size_t i = 0; i < y->count; i++)
        weir_array_set_int(y, i, weir_encode_onnx(result[i], scale_y, zero_y, low, high));
    weir_array_free(from);
    weir_array_free(to);
}

void weir_kernel_QLINEAR_SIGMOID(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                 weir_array *const *outputs) {
    through_real(graph, node, inputs, outputs[0], weir_kernel_SIGMOID);
}

void weir_kernel_QLINEAR_LEAKY_RELU(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                    weir_array *const *outputs) {
    through_real(graph, node, inputs, outputs[0], weir_kernel_LEAKY_RELU);
}

/* ---- addition ---- */

void weir_kernel_QLINEAR_ADD(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                             weir_array *const *outputs) {
    (void)graph;
    (void)node;
    const size_t first = inputs[0]->count == 1 && inputs[3]->count > 1 ? 3 : 0; /* one number for all is the second */
    const weir_array *a = inputs[first], *b = inputs[3 - first];
    weir_array *y = outputs[0];
    weir_quant quant[3];
    double scale[3];
    int64_t zero[3], low, high;
    for (int i = 0; i < 3; i++) {
        const size_t scale_input[] = {first + 1, 3 - first + 1, 6};
        scale[i] = (double)real_at(inputs[scale_input[i]], 0);
        zero[i] = parameter(inputs[scale_input[i] + 1], 0);
        quant[i] = (weir_quant){
            .format = WEIR_FORMAT_INTEGER, .axis = -1, .count = 1, .scale = &scale[i], .zero_point = &zero[i]};
    }
    weir_dtype_limits(y->dtype, &low, &high);
    const weir_qlinear_sum sum = weir_qlinear_sum_of(&quant[0], &quant[1], &quant[2], low, high);
    const weir_broadcast from_a = weir_broadcast_of(&a->shape, &y->shape);
    const weir_broadcast from_b = weir_broadcast_of(&b->shape, &y->shape);
    for (size_t i = 0; i < y->count; i++) {
        const int64_t left = weir_array_get_int(a, weir_broadcast_index(&from_a, i));
        const int64_t right = weir_array_get_int(b, weir_broadcast_index(&from_b, i));
        weir_array_set_int(y, i, weir_qlinear_sum_apply(&sum, left, right));
    }
}

/* ---- multiplication ---- */

/* As ONNX Runtime computes it: the exact product, one factor of float32, the zero point added before rounding. */
void weir_kernel_QLINEAR_MUL(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                             weir_array *const *outputs) {
    (void)graph;
    (void)node;
    const weir_array *a = inputs[0], *b = inputs[3];
    weir_array *y = outputs[0];
    assert(y->count >= a->count && y->count >= b->count);
    const int64_t zero_a = parameter(inputs[2], 0), zero_b = parameter(inputs[5], 0);
    const float zero = (float)parameter(inputs[7], 0), scales = real_at(inputs[1], 0) * real_at(inputs[4], 0);
    const float factor = scales / real_at(inputs[6], 0);
    const weir_broadcast from_a = weir_broadcast_of(&a->shape, &y->shape);
    const weir_broadcast from_b = weir_broadcast_of(&b->shape, &y->shape);
    int64_t low, high;
    weir_dtype_limits(y->dtype, &low, &high);
    for (size_t i = 0; i < y->count; i++) {
        const int64_t left = weir_array_get_int(a, weir_broadcast_index(&from_a, i)) - zero_a;
        const int64_t right = weir_array_get_int(b, weir_broadcast_index(&from_b, i)) - zero_b;
        const float product = (float)(left * right) * factor;
        weir_array_set_int(y, i, weir_encode_onnx(product + zero, 1, 0, low, high));
    }
}
