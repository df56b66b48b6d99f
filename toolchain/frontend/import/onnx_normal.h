/* Normalizations of files that are one of the graph's with sums, products or lookups around it:
 *   GroupNormalization          Reshape, InstanceNormalization, Reshape, Mul, Add
 *   LRN                         Mul, AveragePool over channels between Reshapes, Mul, Add, Pow, Div
 *   SkipLayerNormalization, SkipSimplifiedLayerNormalization    Adds, LayerNormalization or RMSNormalization
 *   EmbedLayerNormalization     Gathers, Adds, LayerNormalization */
#ifndef WEIR_ONNX_NORMAL_H
#define WEIR_ONNX_NORMAL_H

#include "frontend/import/onnx_form.h"

/* Rows of the table of onnx_compose.c. */
bool weir_onnx_normal_group_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count);
weir_value weir_onnx_normal_group_finish(weir_onnx_form *form, weir_value value);
bool weir_onnx_normal_local_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count);
void weir_onnx_normal_runtime_attributes(const weir_onnx_form *form, weir_node node);
bool weir_onnx_normal_skip_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count);
bool weir_onnx_normal_skip_rms_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count);
bool weir_onnx_normal_embed_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count);

#endif
