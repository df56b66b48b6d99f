/* FINN's annotations: the element type of a float tensor whose elements are whole numbers. Only those of inputs are
 * needed; the rest can be derived. */
#ifndef WEIR_ONNX_FINN_H
#define WEIR_ONNX_FINN_H

#include "frontend/import/onnx_scope.h"

/* If an annotation says that the graph input holds integers, the result of a Quant of scale 1 after it; else the input
 * itself. */
weir_value weir_onnx_finn_input(weir_graph *graph, const Onnx__GraphProto *proto, const weir_onnx_scope *scope,
                                weir_value input, weir_location location);

#endif
