/* Layouts: the order of a tensor's dimensions. Operators with channels (Conv, pools, BatchNormalization,
 * InstanceNormalization) are defined by ONNX on [batch N, channels C, spatial dimensions]; with the attribute `layout`
 * input 0 and output 0 have another order, one letter a dimension: N, C, and W, H, D, ... for the spatial ones from the
 * last: "NHWC" is the order of a stream. The attribute alone defines what such an operator computes. A value's layout
 * follows from it by inference and is for reports only; "": ONNX's order, or unknown. */
#ifndef WEIR_IR_LAYOUT_H
#define WEIR_IR_LAYOUT_H

#include "ir/graph/graph.h"

/* Does the operator have channels, and so the attribute `layout`? */
bool weir_layout_has_channels(weir_op op);
/* order[i]: which of ONNX's dimensions is at position i; false when `text` is not a permutation for a tensor with
 * `rank`.
 * */
bool weir_layout_parse(const char *text, int rank, int *order);
/* The reverse, "" for ONNX's own order; `text` has room for WEIR_LAYOUT_TEXT. */
void weir_layout_print(const int *order, int rank, char *text);
/* Is each of the dimensions in it once? */
bool weir_layout_is_permutation(const int *order, int rank);
/* The order with channels innermost. */
void weir_layout_channels_last(int rank, int *order);
bool weir_layout_is_identity(const int *order, int rank);
/* Does the node have the attribute? */
bool weir_layout_is_changed(const weir_graph *graph, weir_node node);
/* The dimension order of the node's input 0: that of its attribute, or 0, 1, 2, ... False after a reported error. */
bool weir_layout_order(const weir_graph *graph, weir_node node, int *order);
/* The position of the channels in it: 1 in ONNX's order. Of a MultiThreshold: where its attribute data_layout has a C,
 * else what QONNX takes for them, the last of three dimensions or the second. -1: in none. */
int weir_layout_channel_axis(const weir_graph *graph, weir_node node);
/* A shape in ONNX's order for one in `order`, and back. */
weir_shape weir_layout_to_onnx(const weir_shape *shape, const int *order);
weir_shape weir_layout_from_onnx(const weir_shape *shape, const int *order);
/* The permutation of a Transpose, dimension i of the result from dimension order[i] of input 0. */
void weir_layout_permutation(const weir_graph *graph, weir_node node, int *order);
/* Does a transposition leave the elements where they are, because only dimensions of 1 move? */
bool weir_layout_keeps_memory(const weir_shape *shape, const int *order);
/* The data with dimension i of the result from dimension order[i]; heap memory, or into `to`. */
weir_array *weir_layout_transpose(const weir_array *data, const int *order);
void weir_layout_transpose_into(const weir_array *data, const int *order, weir_array *to);
/* Sets the layout of each of the node's output types from its attribute and its inputs' layouts; a Transpose's is
 * what is stored, inputs that differ say nothing. False after a reported error: an attribute that is not a layout. */
bool weir_layout_infer(const weir_graph *graph, weir_node node, weir_type *outputs);
/* Does so for every node of a graph whose types were put together from others, layouts included. */
bool weir_layout_refresh(weir_graph *graph);

#endif
