/* Operators that move elements and leave their values alone. */
#include "exec/kernel_common.h"

#include <string.h>

#include "ir/geometry.h"

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
COPY_KERNEL(DROPOUT)
COPY_KERNEL(SQUEEZE)
COPY_KERNEL(UNSQUEEZE)
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

/* Elements before and behind an axis. */
typedef struct axis_split {
    size_t outer, inner;
} axis_split;

static axis_split split_at(const weir_shape *shape, int axis) {
    axis_split split = {1, 1};
    for (int i = 0; i < axis; i++) split.outer *= (size_t)shape->dim[i];
    for (int i = axis + 1; i < shape->rank; i++) split.inner *= (size_t)shape->dim[i];
    return split;
}

static int axis_of(const weir_graph *graph, weir_node node, int rank) {
    const int64_t axis = weir_node_int(graph, node, "axis", 0);
    return (int)(axis < 0 ? axis + rank : axis);
}

/* Copies all of `part` to or from its place in `whole`, from index `first` of the axis on. */
static void copy_part(weir_array *to, const weir_array *from, int axis, size_t first) {
    const bool into = to->count >= from->count;
    const weir_array *part = into ? from : to, *whole = into ? to : from;
    const axis_split split = split_at(&whole->shape, axis);
    const size_t size = weir_dtype_size(whole->dtype), dim = (size_t)whole->shape.dim[axis];
    const size_t run = (size_t)part->shape.dim[axis] * split.inner * size;
    for (size_t i = 0; i < split.outer; i++) {
        const size_t whole_at = (i * dim + first) * split.inner * size, part_at = i * run;
        memcpy((char *)to->data + (into ? whole_at : part_at), (const char *)from->data + (into ? part_at : whole_at),
               run);
    }
}

void weir_kernel_CONCAT(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                        weir_array *const *outputs) {
    const int axis = axis_of(graph, node, outputs[0]->shape.rank);
    size_t first = 0;
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
        copy_part(outputs[0], inputs[i], axis, first);
        first += (size_t)inputs[i]->shape.dim[axis];
    }
}

void weir_kernel_SPLIT(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                       weir_array *const *outputs) {
    const int axis = axis_of(graph, node, inputs[0]->shape.rank);
    size_t first = 0;
    for (size_t i = 0; i < weir_node_output_count(graph, node); i++) {
        copy_part(outputs[i], inputs[0], axis, first);
        first += (size_t)outputs[i]->shape.dim[axis];
    }
}

void weir_kernel_SLICE(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                       weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    weir_array *y = outputs[0];
    const size_t size = weir_dtype_size(x->dtype);
    weir_slice slice;
    weir_geometry_slice(graph, node, &slice);
    for (size_t i = 0; i < y->count; i++) {
        size_t rest = i, from = 0, stride = 1;
        for (int axis = x->shape.rank - 1; axis >= 0; axis--) {
            const int64_t index = (int64_t)(rest % (size_t)slice.count[axis]);
            from += (size_t)(slice.start[axis] + index * slice.step[axis]) * stride;
            stride *= (size_t)x->shape.dim[axis];
            rest /= (size_t)slice.count[axis];
        }
        memcpy((char *)y->data + i * size, (const char *)x->data + from * size, size);
    }
}
