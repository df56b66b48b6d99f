/* The modes in which onnx_runtime quantizes a float graph, written with QuantizeLinear and DequantizeLinear.
 *   static   what the pass quantize makes with calibration data; precision says the element type of codes
 *   dynamic  what onnxruntime.quantization.quantize_dynamic means: each Conv, MatMul and Gemm reads its data through
 *            a DynamicQuantizeLinear, its weights are codes by ONNX Runtime's rule; so are the tables of Gathers,
 *            whose elements layers read as they are
 *   auto     layers with static quantizers, but those that must stay in float so that no result leaves the tolerance
 * Biases stay real numbers in the last two. */
#ifndef WEIR_PASSES_ONNX_RUNTIME_MODES_H
#define WEIR_PASSES_ONNX_RUNTIME_MODES_H

#include "pass/core/context.h"
#include "passes/interface/onnx_runtime_config.h"

/* A new graph; NULL after a reported error. static and auto need calibration data; auto reports which layers stay in
 * float. */
weir_graph *weir_onnx_runtime_quantize(weir_onnx_runtime_mode mode, const weir_graph *graph,
                                       const weir_onnx_runtime_config *config, const char *calibration,
                                       weir_pass_context *context);

#endif
