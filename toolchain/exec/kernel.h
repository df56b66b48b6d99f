/* Reference kernels, one per operator: the plain loop that defines the result of every faster or hardware version. */
#ifndef WEIR_EXEC_KERNEL_H
#define WEIR_EXEC_KERNEL_H

#include "ir/graph/graph.h"

/* Omitted inputs are NULL (the vector always has the operator's largest number of inputs). Outputs are allocated with
 * the inferred types. Never fails: types were checked before. It frees its own allocations. */
typedef void weir_kernel(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                         weir_array *const *outputs);

/* Runs the node's kernel, which must support it. An operator with channels in another order than ONNX's
 * (ir/shape/layout.h) runs on transposed copies: every sum keeps ONNX's order. */
void weir_kernel_run(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                     weir_array *const *outputs);

/* Is it a depthwise convolution of bytes: a Window, each channel in a group of its own, and the Linear of its
 * windows? */
bool weir_kernel_is_depthwise(const weir_graph *graph, weir_node window, weir_node linear);
/* The Linear's result, from the Window's input x, without materializing the windows. */
void weir_kernel_depthwise(const weir_graph *graph, weir_node window, const weir_array *x, const weir_array *weights,
                           weir_array *y);

/* Does the node's kernel run several frames at once, as one array with as many times the entries of the first axis? All
 * of its inputs but the first, and a Sum's second, must be the same in every frame. */
bool weir_kernel_is_joint(const weir_graph *graph, weir_node node);

/* The part of a node's work that depends only on its constants, done once: inputs from the second on are the same in
 * every frame. In the arena; NULL: nothing. */
typedef struct weir_kernel_plan weir_kernel_plan;
weir_kernel_plan *weir_kernel_plan_new(weir_arena *arena, const weir_graph *graph, weir_node node,
                                       const weir_array *const *inputs, weir_array *const *outputs);
/* The rest: the result of weir_kernel_run for x, of one frame or of several. */
void weir_kernel_run_plan(const weir_kernel_plan *plan, const weir_array *x, weir_array *y);

bool weir_kernel_exists(weir_op op);
/* Does the operator's kernel compute the node's (inferred) types? */
bool weir_kernel_supports(const weir_graph *graph, weir_node node);

#endif
