/* Values that nodes compute but that are the same in every frame: shapes, above all. Import evaluates them, so that
 * operators whose shape, axes, positions or scales a file computes read constants. The nodes stay. */
#ifndef WEIR_ONNX_KNOWN_H
#define WEIR_ONNX_KNOWN_H

#include "frontend/import/onnx_evaluate.h"
#include "frontend/import/onnx_scope.h"

typedef struct weir_onnx_known {
    weir_onnx_evaluate *evaluate; /* NULL: only constants are known */
    weir_array **array;           /* by value; NULL: not known */
    uint32_t count;
    size_t kept; /* elements so far */
} weir_onnx_known;

void weir_onnx_known_free(weir_onnx_known *known);

/* Computes the outputs of a node whose types are inferred, when its inputs are known and all of it is small. */
void weir_onnx_known_learn(weir_onnx_known *known, const weir_graph *graph, weir_node node);

/* The value in every frame; NULL: not known. */
const weir_array *weir_onnx_known_find(const weir_onnx_known *known, const weir_graph *graph, weir_value value);

/* Of the `count` inputs of a new node, those that must be constants become constants if they are known. */
void weir_onnx_known_materialize(const weir_onnx_known *known, weir_graph *graph, const weir_onnx_scope *scope,
                                 weir_op op, weir_value *inputs, size_t count);

#endif
