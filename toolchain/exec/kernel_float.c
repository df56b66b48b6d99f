/* Linear algebra by ONNX's definitions: real products in the one order that product.h says, of integers modulo
 * 2^bits. */
#include "exec/kernel_common.h"

#include <assert.h>
#include <string.h>

void weir_kernel_product(const weir_product_call *call, const weir_array *a, size_t a_at, const weir_array *b,
                         size_t b_at, weir_array *y, size_t y_at) {
    assert(y->dtype == WEIR_FLOAT32 || y->dtype == WEIR_FLOAT64);
    assert(a->dtype == y->dtype && b->dtype == y->dtype && a_at <= a->count && b_at <= b->count);
    if (y->dtype == WEIR_FLOAT32)
        weir_product_float32(call, (const float *)a->data + a_at, (const float *)b->data + b_at,
                             (float *)y->data + y_at, weir_instructions_best());
    else
        weir_product_float64(call, (const double *)a->data + a_at, (const double *)b->data + b_at,
                             (double *)y->data + y_at);
}

void weir_kernel_GEMM(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                      weir_array *const *outputs) {
    const weir_array *a = inputs[0], *b = inputs[1], *c = inputs[2];
    weir_array *y = outputs[0];
    assert(a->shape.rank == 2 && b->shape.rank == 2 && y->shape.rank == 2);
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
    assert(y_at + shape->rows * shape->columns <= y->count);
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
