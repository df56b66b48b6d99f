/* This IR's own operators (classes INTEGER, HOST and STREAM, and Mask) as standard ONNX operators of opset 13 that
 * compute the same bits on every input: int64 arithmetic, and float32 or float64 where the contract says so.
 * */
#ifndef WEIR_ONNX_STANDARD_H
#define WEIR_ONNX_STANDARD_H

#include "frontend/export/onnx_build.h"

/* Adds nodes that compute the node's outputs; `names` has the name of every value by handle. Outputs keep their element
 * types. False after an error that names the node and what has no exact form. */
bool weir_onnx_standard_add(weir_onnx_builder *builder, const char *const *names, weir_node node);

#endif
