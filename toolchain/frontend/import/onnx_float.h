/* Models that compute in a floating-point type other than float32, the only one that can be quantized and compiled. */
#ifndef WEIR_ONNX_FLOAT_H
#define WEIR_ONNX_FLOAT_H

#include "frontend/import/onnx_scope.h"

/* Does the model compute in float16, bfloat16 or float64? It does if its inputs or outputs, the weights of a matrix
 * product, a convolution or a normalization, or the scales of a quantizer have that type. A float32 model that uses
 * such a type only internally, as exact arithmetic on codes does, does not. */
bool weir_onnx_float_find(const Onnx__GraphProto *graph, const weir_onnx_scope *scope, weir_dtype *dtype);

#endif
