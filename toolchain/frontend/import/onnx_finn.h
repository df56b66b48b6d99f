/* FINN's annotations: the element type of a float tensor, where its elements are whole numbers. Of those only inputs
 * need to be said; what else is whole can be seen. */
#ifndef WEIR_ONNX_FINN_H
#define WEIR_ONNX_FINN_H

#include "frontend/import/onnx_scope.h"

/* The graph input behind a Quant of scale 1, where an annotation says that it holds integers: its result. The input
 * itself where none does. */
weir_value weir_onnx_finn_input(weir_graph *graph, const Onnx__GraphProto *proto, const weir_onnx_scope *scope,
                                weir_value input, weir_location location);

#endif
