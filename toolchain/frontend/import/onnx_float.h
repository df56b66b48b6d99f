/* Models that compute in another floating-point type than float32, the only one that quantizes and compiles. */
#ifndef WEIR_ONNX_FLOAT_H
#define WEIR_ONNX_FLOAT_H

#include "frontend/import/onnx_scope.h"

/* Does the model compute in float16, bfloat16 or float64? It does when its inputs or outputs, the weights of a matrix
 * product, a convolution or a normalization, or the scales of a quantizer are of that type. A float32 model that uses
 * such a type between, as exact arithmetic on codes does, is none. */
bool weir_onnx_float_find(const Onnx__GraphProto *graph, const weir_onnx_scope *scope, weir_dtype *dtype);

#endif
