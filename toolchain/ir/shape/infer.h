/* Types of a node's outputs from those of its inputs: shape, element type, and for integer operators the width and the
 * proven range. Every operator of op.def has a rule. */
#ifndef WEIR_IR_INFER_H
#define WEIR_IR_INFER_H

#include "ir/graph/graph.h"

/* What a node's outputs are: `type` has one entry an output, which holds the value's present type before the rule runs
 * (a rule keeps what passes write on an operator's output) and the inferred one after it. */
typedef struct weir_inferred {
    weir_type *type;
    weir_arena *arena; /* for scales and zero points that are made by inference */
} weir_inferred;

/* Computes the types of the node's outputs without touching the graph; reports an error at the node's location and
 * returns false when the inputs do not fit the operator (ONNX's rules, with numpy broadcasting). Quantization that a
 * lowering pass wrote on an INTEGER operator's output (scale, zero point, rounding) is kept; its range is
 * recomputed. */
bool weir_infer_types(const weir_graph *graph, weir_node node, weir_inferred *to);
/* The same, and sets them. */
bool weir_infer_node(weir_graph *graph, weir_node node);
/* All nodes in order. */
bool weir_infer_graph(weir_graph *graph);
/* Range of Linear's accumulator for output channel `channel`: the sum over inputs of the smaller (larger) of
 * w * low and w * high. w is [N, K]. */
void weir_infer_linear_range(const weir_array *weights, size_t channel, int64_t low, int64_t high, int64_t *sum_low,
                             int64_t *sum_high);

#endif
