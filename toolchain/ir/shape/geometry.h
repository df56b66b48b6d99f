/* Which input elements an output element depends on, for operators whose attributes and constant inputs decide that:
 * sliding windows, slices, padding, reductions. Type inference checks with these functions, kernels compute with
 * them. */
#ifndef WEIR_IR_GEOMETRY_H
#define WEIR_IR_GEOMETRY_H

#include "ir/graph/graph.h"

/* Window positions along each spatial axis (those after batch and channels): output o reads the inputs o * stride + k *
 * dilation - begin for k in [0, kernel). All in elements. */
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
/* How many elements, without padding, the window sees at position `o` along spatial axis `i`. */
int64_t weir_geometry_seen(const weir_window *window, int i, int64_t o);
/* The same with padding, but not what a last position of ceil_mode sees beyond that. */
int64_t weir_geometry_covered(const weir_window *window, int i, int64_t o);
/* The fewest and the most that it sees at any position. */
void weir_geometry_count_seen(const weir_window *window, int64_t *least, int64_t *most);
/* Drops the elements of the kernel at both ends of axis `i` that see padding at every position: how many before the
 * first that stays. Where all do, the first stays, and is before the input, then behind it, by steps of its own.
 * `begin` is then where that one starts, negative where no position sees the first elements of the input; `end` is what
 * the last one reaches, negative likewise. */
int64_t weir_geometry_trim(weir_window *window, int i);
/* The smallest number that all it sees along axis `i` divide; 0: a position sees nothing, or it is above `limit`. */
int64_t weir_geometry_common(const weir_window *window, int i, int64_t limit);

/* The window of a ConvTranspose, which slides over the result: `in` is what the result has along each axis, `out` what
 * the input x has. */
bool weir_geometry_transposed(const weir_graph *graph, weir_node node, const weir_shape *x, const int64_t *kernel,
                              weir_window *window);

/* Is the window trivial along spatial axis `i`: one element with stride one? */
bool weir_geometry_is_trivial(const weir_window *window, int i);
/* Does the window see all of spatial axis `i`, and of every axis, without padding? */
bool weir_geometry_is_whole(const weir_window *window, int i);
bool weir_geometry_is_all_whole(const weir_window *window);
/* The same of a node whose input 0 is [batch, ..., channels] (weir.Window). */
bool weir_geometry_window_innermost(const weir_graph *graph, weir_node node, weir_window *window);

/* DepthToSpace and SpaceToDepth: a deep tensor [batch, channels * size * size, height, width] and a wide one
 * [batch, channels, height * size, width * size]. */
typedef struct weir_blocks {
    int64_t size, batch, channels, height, width;
    int64_t row_stride, column_stride, channel_stride; /* of the deep tensor's channels */
} weir_blocks;

/* Of a node whose input is x, in ONNX's order; `to_space`: the channels become blocks, else blocks become channels. */
bool weir_geometry_blocks(const weir_graph *graph, weir_node node, const weir_shape *x, bool to_space,
                          weir_blocks *blocks);

/* A Slice: output index i of an axis is input index start + i * step, for i in [0, count). */
typedef struct weir_slice {
    int64_t start[WEIR_MAX_RANK], step[WEIR_MAX_RANK], count[WEIR_MAX_RANK];
} weir_slice;

bool weir_geometry_slice(const weir_graph *graph, weir_node node, weir_slice *slice);

typedef enum weir_padding_mode { WEIR_PAD_CONSTANT, WEIR_PAD_REFLECT, WEIR_PAD_EDGE, WEIR_PAD_WRAP } weir_padding_mode;

/* A Pad: output index o of an axis stands for input index o - begin; the mode gives those outside. */
typedef struct weir_padding {
    weir_padding_mode mode;
    int64_t begin[WEIR_MAX_RANK], out[WEIR_MAX_RANK];
} weir_padding;

bool weir_geometry_padding(const weir_graph *graph, weir_node node, weir_padding *padding);
/* The input index of an axis with `dim` elements for output index `o`; -1: the fill value. */
int64_t weir_geometry_padded(const weir_padding *padding, int axis, int64_t dim, int64_t o);

/* A Resize: scales by axis (1 where nothing changes), and ONNX's words for how an output index becomes a coordinate in
 * the input, and that an index, to the nearest element; else the two elements around it are weighed. */
typedef struct weir_resizing {
    bool is_linear;
    const char *coordinates, *nearest;
    int64_t out[WEIR_MAX_RANK];
    double scale[WEIR_MAX_RANK];
} weir_resizing;

bool weir_geometry_resizing(const weir_graph *graph, weir_node node, weir_resizing *resizing);
int64_t weir_geometry_resized(const weir_resizing *resizing, int axis, int64_t dim, int64_t o);
/* The elements that are weighed, and the weight of the second; 0 where there is only one. */
double weir_geometry_interpolated(const weir_resizing *resizing, int axis, int64_t dim, int64_t o, int64_t at[2]);

/* A weir.Reorder: element k of the output, of the k-th iteration of nested loops (outermost first), is element start +
 * sum of stride * iteration of the input, both in row-major order; the fill value where an iteration is outside [begin,
 * end) of its loop. */
typedef struct weir_reordering {
    weir_shape shape; /* of the output */
    int loops;
    int64_t size[WEIR_MAX_RANK], stride[WEIR_MAX_RANK], begin[WEIR_MAX_RANK], end[WEIR_MAX_RANK];
    int64_t start;
    bool fills; /* is an iteration outside? */
} weir_reordering;

bool weir_geometry_reordering(const weir_graph *graph, weir_node node, weir_reordering *reordering);
/* The input element of output element k; -1: the fill value. */
int64_t weir_geometry_reordered(const weir_reordering *reordering, int64_t k);

/* A weir.Product: each row of input 0, `inner` elements, times one of the matrices that input 1 brings. Both come in
 * pages, which are products of their own. The k-th row of a page, of the k-th iteration of nested loops (outermost
 * first), meets matrix sum of row_stride * iteration; the k-th element of a page of input 1 is likewise element sum of
 * stride * iteration of its matrices as [matrices, columns, inner]. The result has a row of `columns` sums for each
 * row. No loop is for two of these dimensions at once. */
enum { WEIR_MATRICES_ROW_LOOPS = 4, WEIR_MATRICES_LOOPS = 5 };
typedef struct weir_matrices {
    weir_shape shape; /* of the result */
    int64_t pages, rows, matrices, columns, inner;
    int row_loops, loops;
    int64_t row_size[WEIR_MATRICES_ROW_LOOPS], row_stride[WEIR_MATRICES_ROW_LOOPS];
    int64_t size[WEIR_MATRICES_LOOPS], stride[WEIR_MATRICES_LOOPS];
} weir_matrices;

bool weir_geometry_matrices(const weir_graph *graph, weir_node node, weir_matrices *matrices);
/* The iterations of nested loops in order: adds up their strides, as many as the product of their sizes. */
void weir_geometry_walk(int loops, const int64_t *size, const int64_t *stride, int64_t *position);

/* Which axes of input 0 a reduction reduces: those that input 1 names, or all. */
bool weir_geometry_reduced(const weir_graph *graph, weir_node node, bool *reduced);
/* The dimensions [first, last) that a Shape gives; none when last <= first. */
void weir_geometry_shape_part(const weir_graph *graph, weir_node node, int *first, int *last);

#endif
