/* Operators that move elements and leave their values alone. */
#include "exec/kernel_common.h"

#include <string.h>

static void copy(const weir_array *x, weir_array *y) { memcpy(y->data, x->data, x->count * weir_dtype_size(x->dtype)); }

#define COPY_KERNEL(id)                                                                                                \
    void weir_kernel_##id(const weir_graph *graph, weir_node node, const weir_array *const *inputs,                    \
                          weir_array *const *outputs) {                                                                \
        (void)graph;                                                                                                   \
        (void)node;                                                                                                    \
        copy(inputs[0], outputs[0]);                                                                                   \
    }

COPY_KERNEL(FLATTEN)
COPY_KERNEL(RESHAPE)
COPY_KERNEL(IDENTITY)
COPY_KERNEL(FIFO)
COPY_KERNEL(LANES)
COPY_KERNEL(REGISTER_SLICE)

void weir_kernel_FORK(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                      weir_array *const *outputs) {
    for (size_t i = 0; i < weir_node_output_count(graph, node); i++) copy(inputs[0], outputs[i]);
}

void weir_kernel_TRANSPOSE(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                           weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    weir_array *y = outputs[0];
    const weir_attribute *perm = weir_node_attribute(graph, node, "perm");
    const int rank = x->shape.rank;
    const size_t size = weir_dtype_size(x->dtype);
    size_t stride[WEIR_MAX_RANK], step = 1;
    for (int i = rank - 1; i >= 0; i--) {
        stride[i] = step;
        step *= (size_t)x->shape.dim[i];
    }
    for (size_t i = 0; i < y->count; i++) {
        size_t rest = i, from = 0;
        for (int axis = rank - 1; axis >= 0; axis--) {
            const int64_t named = perm == NULL ? rank - 1 - axis : perm->as.ints[axis];
            from += rest % (size_t)y->shape.dim[axis] * stride[named < 0 ? named + rank : named];
            rest /= (size_t)y->shape.dim[axis];
        }
        memcpy((char *)y->data + i * size, (const char *)x->data + from * size, size);
    }
}
