/* Which input elements an output element is made from, for operators whose attributes and constant inputs say so:
 * sliding windows, slices, padding. Type inference checks with these functions, kernels compute with them. */
#ifndef WEIR_IR_GEOMETRY_H
#define WEIR_IR_GEOMETRY_H

#include "ir/graph.h"

/* Window positions along each spatial axis (those behind batch and channels): output o looks at the inputs
 * o * stride + k * dilation - begin for k in [0, kernel). All in elements. */
typedef struct weir_window {
    int rank; /* spatial axes */
    int64_t in[WEIR_MAX_RANK], out[WEIR_MAX_RANK], kernel[WEIR_MAX_RANK];
    int64_t stride[WEIR_MAX_RANK], dilation[WEIR_MAX_RANK];
    int64_t begin[WEIR_MAX_RANK], end[WEIR_MAX_RANK]; /* padding */
} weir_window;

/* Reads kernel_shape, strides, dilations, pads, auto_pad and ceil_mode of a node that slides over input `x`, a tensor
 * [batch, channels, ...]. `kernel`: the weights' spatial dimensions, which kernel_shape must repeat; NULL: kernel_shape
 * says. False after a reported error. */
bool weir_geometry_window(const weir_graph *graph, weir_node node, const weir_shape *x, const int64_t *kernel,
                          weir_window *window);

/* A Slice: output index i of an axis is input index start + i * step, for i in [0, count). */
typedef struct weir_slice {
    int64_t start[WEIR_MAX_RANK], step[WEIR_MAX_RANK], count[WEIR_MAX_RANK];
} weir_slice;

bool weir_geometry_slice(const weir_graph *graph, weir_node node, weir_slice *slice);

#endif
