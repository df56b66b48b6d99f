/* Real linear algebra and elementwise operators by ONNX's definitions: matrix products through BLAS, float32 and
 * float64; elementwise operators on any number type, integers modulo 2^bits. */
#include "exec/kernel_common.h"

#include <cblas.h>
#include <string.h>

/* A leading dimension of 0 is an error to BLAS, even when there is nothing to read. */
static int leading(size_t columns) { return columns == 0 ? 1 : (int)columns; }

/* y = alpha * op(a) * op(b) + beta * y on row-major matrices at element offsets. */
typedef struct product_call {
    bool transpose_a, transpose_b;
    size_t rows, inner, columns;
    double alpha, beta;
} product_call;

static void product(const product_call *call, const weir_array *a, size_t a_at, const weir_array *b, size_t b_at,
                    weir_array *y, size_t y_at) {
    const CBLAS_TRANSPOSE ta = call->transpose_a ? CblasTrans : CblasNoTrans;
    const CBLAS_TRANSPOSE tb = call->transpose_b ? CblasTrans : CblasNoTrans;
    const int rows = (int)call->rows, inner = (int)call->inner, columns = (int)call->columns;
    const int lda = leading(call->transpose_a ? call->rows : call->inner);
    const int ldb = leading(call->transpose_b ? call->inner : call->columns);
    if (rows == 0 || columns == 0) return;
    if (y->dtype == WEIR_FLOAT32) {
        cblas_sgemm(CblasRowMajor, ta, tb, rows, columns, inner, (float)call->alpha, (const float *)a->data + a_at, lda,
                    (const float *)b->data + b_at, ldb, (float)call->beta, (float *)y->data + y_at, columns);
    } else {
        cblas_dgemm(CblasRowMajor, ta, tb, rows, columns, inner, call->alpha, (const double *)a->data + a_at, lda,
                    (const double *)b->data + b_at, ldb, call->beta, (double *)y->data + y_at, columns);
    }
}

void weir_kernel_GEMM(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                      weir_array *const *outputs) {
    const weir_array *a = inputs[0], *b = inputs[1], *c = inputs[2];
    weir_array *y = outputs[0];
    product_call call = {.transpose_a = weir_node_int(graph, node, "transA", 0) != 0,
                         .transpose_b = weir_node_int(graph, node, "transB", 0) != 0,
                         .rows = (size_t)y->shape.dim[0],
                         .columns = (size_t)y->shape.dim[1],
                         .alpha = weir_node_float(graph, node, "alpha", 1),
                         .beta = weir_node_float(graph, node, "beta", 1)};
    call.inner = (size_t)a->shape.dim[call.transpose_a ? 0 : 1];
    if (c == NULL) {
        memset(y->data, 0, y->count * weir_dtype_size(y->dtype));
    } else {
        const size_t size = weir_dtype_size(y->dtype);
        const weir_broadcast from = weir_broadcast_of(&c->shape, &y->shape);
        for (size_t i = 0; i < y->count; i++)
            memcpy((char *)y->data + i * size, (const char *)c->data + weir_broadcast_index(&from, i) * size, size);
    }
    product(&call, a, 0, b, 0, y, 0);
}

/* Bits of an integer element, widened: arithmetic modulo 2^64 on them is right modulo 2^bits. */
static uint64_t bits_at(const weir_array *array, size_t i) {
    if (array->dtype == WEIR_UINT64) return ((const uint64_t *)array->data)[i];
    return (uint64_t)weir_array_get_int(array, i);
}

static void integer_product(const weir_product *shape, const weir_array *a, size_t a_at, const weir_array *b,
                            size_t b_at, weir_array *y, size_t y_at) {
    for (size_t r = 0; r < shape->rows; r++) {
        for (size_t c = 0; c < shape->columns; c++) {
            uint64_t sum = 0;
            for (size_t k = 0; k < shape->inner; k++)
                sum += bits_at(a, a_at + r * shape->inner + k) * bits_at(b, b_at + k * shape->columns + c);
            weir_array_set_int(y, y_at + r * shape->columns + c, (int64_t)sum);
        }
    }
}

void weir_kernel_MATMUL(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                        weir_array *const *outputs) {
    (void)graph;
    (void)node;
    const weir_array *a = inputs[0], *b = inputs[1];
    weir_array *y = outputs[0];
    const weir_product shape = weir_product_of(&a->shape, &b->shape);
    const product_call call = {.rows = shape.rows, .inner = shape.inner, .columns = shape.columns, .alpha = 1};
    for (size_t i = 0; i < shape.batch; i++) {
        const size_t a_at = weir_broadcast_index(&shape.a, i) * shape.rows * shape.inner;
        const size_t b_at = weir_broadcast_index(&shape.b, i) * shape.inner * shape.columns;
        const size_t y_at = i * shape.rows * shape.columns;
        if (weir_dtype_is_float(y->dtype)) {
            product(&call, a, a_at, b, b_at, y, y_at);
        } else {
            integer_product(&shape, a, a_at, b, b_at, y, y_at);
        }
    }
}

void weir_kernel_ADD(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                     weir_array *const *outputs) {
    (void)graph;
    (void)node;
    const weir_array *a = inputs[0], *b = inputs[1];
    weir_array *y = outputs[0];
    const weir_broadcast from_a = weir_broadcast_of(&a->shape, &y->shape);
    const weir_broadcast from_b = weir_broadcast_of(&b->shape, &y->shape);
    for (size_t i = 0; i < y->count; i++) {
        const size_t ia = weir_broadcast_index(&from_a, i), ib = weir_broadcast_index(&from_b, i);
        if (y->dtype == WEIR_FLOAT32) {
            ((float *)y->data)[i] = ((const float *)a->data)[ia] + ((const float *)b->data)[ib];
        } else if (weir_dtype_is_float(y->dtype)) { /* float16: the float64 sum is exact, so it is rounded once */
            weir_array_set(y, i, weir_array_get(a, ia) + weir_array_get(b, ib));
        } else {
            weir_array_set_int(y, i, (int64_t)(bits_at(a, ia) + bits_at(b, ib)));
        }
    }
}

/* NaN stays NaN, as in numpy and ONNX Runtime. */
void weir_kernel_RELU(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                      weir_array *const *outputs) {
    (void)graph;
    (void)node;
    const weir_array *x = inputs[0];
    weir_array *y = outputs[0];
    if (x->dtype == WEIR_FLOAT32) {
        const float *from = x->data;
        float *to = y->data;
        for (size_t i = 0; i < y->count; i++) to[i] = from[i] < 0 ? 0 : from[i];
        return;
    }
    memcpy(y->data, x->data, x->count * weir_dtype_size(x->dtype));
    for (size_t i = 0; i < y->count; i++)
        if (weir_array_get(x, i) < 0) weir_array_set_int(y, i, 0);
}
