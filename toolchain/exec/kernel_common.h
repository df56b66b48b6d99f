/* Shared by the kernels; used only in toolchain/exec/kernel*.c. */
#ifndef WEIR_EXEC_KERNEL_COMMON_H
#define WEIR_EXEC_KERNEL_COMMON_H

#include "exec/kernel.h"
#include "exec/product.h"

/* Rows of op.def name their kernel: the operator's own, with its name, or a shared one. */
#define WEIR_OP_FACTS(id, domain, name, ...) __VA_ARGS__
#define KERNEL(kernel) weir_kernel weir_kernel_##kernel;
#include "ir/graph/op.def"

/* Where element i of a broadcast result comes from in one operand. */
typedef struct weir_broadcast {
    enum { WEIR_BROADCAST_SAME, WEIR_BROADCAST_REPEAT, WEIR_BROADCAST_GENERAL } kind;
    size_t count; /* REPEAT: the operand is the innermost part of the result, of this size */
    int rank;
    size_t dim[WEIR_MAX_RANK], stride[WEIR_MAX_RANK]; /* GENERAL */
} weir_broadcast;

weir_broadcast weir_broadcast_of(const weir_shape *operand, const weir_shape *result);
size_t weir_broadcast_index(const weir_broadcast *broadcast, size_t i);

/* numpy.matmul as a batch of plain matrix products. */
typedef struct weir_product {
    size_t batch, rows, inner, columns;
    weir_broadcast a, b; /* batch index -> matrix of the operand */
} weir_product;

weir_product weir_product_of(const weir_shape *a, const weir_shape *b);

/* Of float32 or float64; the matrices start at elements `a_at`, `b_at` and `y_at`. */
void weir_kernel_product(const weir_product_call *call, const weir_array *a, size_t a_at, const weir_array *b,
                         size_t b_at, weir_array *y, size_t y_at);

/* The convolution of x with the weights by the node's window and groups, without bias; all of float32 or float64. */
void weir_kernel_convolve(const weir_graph *graph, weir_node node, const weir_array *x, const weir_array *weights,
                          weir_array *y);

/* A MaxPool of bytes whose channels are innermost, unchanged; false: it is another one, and y is as before. */
bool weir_kernel_max_codes(const weir_graph *graph, weir_node node, const weir_array *x, weir_array *y);

/* Do sums of so many products of bytes fit 32 bits? */
static inline bool weir_kernel_is_narrow(int64_t products) { return products <= INT32_MAX / (UINT8_MAX * UINT8_MAX); }

/* Elements that share one index of `axis` are in runs of `inner`: the index is (i / inner) % count. */
typedef struct weir_channels {
    size_t inner, count;
} weir_channels;

/* For parameters with `count` elements along the axis; one element serves all. */
weir_channels weir_channels_of(const weir_shape *shape, int axis, size_t count);
static inline size_t weir_channel(const weir_channels *channels, size_t i) {
    return channels->count == 1 ? 0 : i / channels->inner % channels->count;
}
/* Channel of a per-channel parameter with `count` elements: the index along the last axis, or 0 when there is one. */
static inline size_t weir_last(size_t i, size_t count) { return count == 1 ? 0 : i % count; }

const weir_type *weir_kernel_input_type(const weir_graph *graph, weir_node node, size_t index);
const weir_type *weir_kernel_output_type(const weir_graph *graph, weir_node node);
/* Bits of an integer element, widened: arithmetic modulo 2^64 on them is right modulo 2^bits. */
uint64_t weir_kernel_bits(const weir_array *array, size_t i);
/* Sign of a[i] - b[k], both of one element type; 0 when one is NaN. */
int weir_kernel_compare(const weir_array *a, size_t i, const weir_array *b, size_t k);
/* `count` integers from element `first` on, widened. */
void weir_kernel_load(const weir_array *array, size_t first, size_t count, int64_t *to);
/* The inverse, modulo 2^bits. */
void weir_kernel_store(weir_array *array, size_t first, size_t count, const int64_t *from);
/* The same of integers that fit 32 bits. */
void weir_kernel_load_narrow(const weir_array *array, size_t first, size_t count, int32_t *to);
void weir_kernel_store_narrow(weir_array *array, size_t first, size_t count, const int32_t *from);

#endif
