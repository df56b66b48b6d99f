/* How the import evaluates what a file computes from constants. */
#ifndef WEIR_ONNX_EVALUATE_H
#define WEIR_ONNX_EVALUATE_H

#include "ir/graph/graph.h"
#include "support/memory/array.h"

/* The results of a node on the data of its inputs, as weir_evaluate_node (exec/evaluate.h) gives them. */
typedef weir_array **weir_onnx_evaluate(const weir_graph *graph, weir_node node, const weir_array *const *inputs);

#endif
