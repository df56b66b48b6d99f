/* RotaryEmbedding of ai.onnx and com.microsoft: x * cosines + (x with each pair exchanged) * sines, whose signs are the
 * pairs'. Pairs are neighbours (interleaved) or elements of the two halves; elements behind the rotated ones stay. */
#ifndef WEIR_ONNX_ROTARY_H
#define WEIR_ONNX_ROTARY_H

#include "frontend/import/onnx_form.h"

/* Rows of the table of onnx_compose.c. */
bool weir_onnx_rotary_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count);
bool weir_onnx_rotary_of_runtime(weir_onnx_form *form, weir_value *inputs, size_t *count);
weir_value weir_onnx_rotary_finish(weir_onnx_form *form, weir_value value);

#endif
