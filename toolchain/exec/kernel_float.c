/* Real linear algebra by ONNX's definitions: products of float32 and float64 through BLAS, of integers modulo 2^bits. */
#include "exec/kernel_common.h"

#include <cblas.h>
#include <pthread.h>
#include <string.h>

/* A leading dimension of 0 is an error to BLAS, even when there is nothing to read. */
static int leading(size_t columns) { return columns == 0 ? 1 : (int)columns; }

/* A BLAS built for one thread hands out its work memory without a lock: two calls at a time give wrong products. */
static pthread_mutex_t blas = PTHREAD_MUTEX_INITIALIZER;

void weir_kernel_product(const weir_product_call *call, const weir_array *a, size_t a_at, const weir_array *b,
                         size_t b_at, weir_array *y, size_t y_at) {
    const CBLAS_TRANSPOSE ta = call->transpose_a ? CblasTrans : CblasNoTrans;
    const CBLAS_TRANSPOSE tb = call->transpose_b ? CblasTrans : CblasNoTrans;
    const int rows = (int)call->rows, inner = (int)call->inner, columns = (int)call->columns;
    const int lda = leading(call->transpose_a ? call->rows : call->inner);
    const int ldb = leading(call->transpose_b ? call->inner : call->columns);
    const int ldy = leading(call->pitch == 0 ? call->columns : call->pitch);
    if (rows == 0 || columns == 0) return;
    pthread_mutex_lock(&blas);
    if (y->dtype == WEIR_FLOAT32) {
        cblas_sgemm(CblasRowMajor, ta, tb, rows, columns, inner, (float)call->alpha, (const float *)a->data + a_at, lda,
                    (const float *)b->data + b_at, ldb, (float)call->beta, (float *)y->data + y_at, ldy);
    } else {
        cblas_dgemm(CblasRowMajor, ta, tb, rows, columns, inner, call->alpha, (const double *)a->data + a_at, lda,
                    (const double *)b->data + b_at, ldb, call->beta, (double *)y->data + y_at, ldy);
    }
    pthread_mutex_unlock(&blas);
}

void weir_kernel_GEMM(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                      weir_array *const *outputs) {
    const weir_array *a = inputs[0], *b = inputs[1], *c = inputs[2];
    weir_array *y = outputs[0];
    weir_product_call call = {.transpose_a = weir_node_int(graph, node, "transA", 0) != 0,
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
    weir_kernel_product(&call, a, 0, b, 0, y, 0);
}

static void integer_product(const weir_product *shape, const weir_array *a, size_t a_at, const weir_array *b,
                            size_t b_at, weir_array *y, size_t y_at) {
    for (size_t r = 0; r < shape->rows; r++) {
        for (size_t c = 0; c < shape->columns; c++) {
            uint64_t sum = 0;
            for (size_t k = 0; k < shape->inner; k++)
                sum += weir_kernel_bits(a, a_at + r * shape->inner + k) *
                       weir_kernel_bits(b, b_at + k * shape->columns + c);
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
    const weir_product_call call = {.rows = shape.rows, .inner = shape.inner, .columns = shape.columns, .alpha = 1};
    for (size_t i = 0; i < shape.batch; i++) {
        const size_t a_at = weir_broadcast_index(&shape.a, i) * shape.rows * shape.inner;
        const size_t b_at = weir_broadcast_index(&shape.b, i) * shape.inner * shape.columns;
        const size_t y_at = i * shape.rows * shape.columns;
        if (weir_dtype_is_float(y->dtype)) {
            weir_kernel_product(&call, a, a_at, b, b_at, y, y_at);
        } else {
            integer_product(&shape, a, a_at, b, b_at, y, y_at);
        }
    }
}
