/* Operators of files that become several nodes of the graph: nodes before and after the main one (the rule's).
 * Attributes have been checked, inputs have inferred types.
 *   Einsum                                  onnx_einsum.h
 *   Attention, MultiHeadAttention           onnx_attention.h
 *   RotaryEmbedding                         onnx_rotary.h
 *   GroupNormalization, LRN, SkipLayerNormalization, EmbedLayerNormalization ...    onnx_normal.h
 *   LSTM, GRU, RNN                          onnx_recurrent.h
 *   Trilu                                   Where(triangle, x, 0)
 *   CumSum                                  MatMul by a triangle of ones, between Transposes
 *   OneHot                                  Where(Equal(indices, positions), on, off)
 *   GatherElements, GatherND, ScatterElements, ScatterND of constant indices    Gather of the flat tensor, of it and
 *                                           the updates
 *   FusedGemm, FusedMatMul, FusedConv       the plain one, Transposes and products with alpha, a sum, the activation
 *   MatMulIntegerToFloat                    DequantizeLinear of each operand, MatMul, a sum with the bias; with a scale
 *                                           that is computed MatMulInteger, Cast, Mul, a sum with the bias
 *   DynamicQuantizeMatMul                   DynamicQuantizeLinear, then the latter
 *   MatMulNBits, MatMulBnb4                 MatMul by DequantizeLinear or by numbers, a sum with the bias
 *   CastLike                                Cast
 *   BiasGelu, FastGelu, QuickGelu           Add, Gelu, Swish
 *   LinearRegressor, LinearClassifier       Gemm, Softmax or Sigmoid, ArgMax
 *   Normalizer                              LpNormalization
 *   mct_quantizers' Activation- and Weights- POTQuantizer and SymmetricQuantizer    Quant */
#ifndef WEIR_ONNX_COMPOSE_H
#define WEIR_ONNX_COMPOSE_H

#include "frontend/import/onnx_form.h"

/* As weir_onnx_form_inputs, weir_onnx_form_attributes and weir_onnx_form_finish, of a composed rule. */
bool weir_onnx_compose_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count);
void weir_onnx_compose_attributes(const weir_onnx_form *form, weir_node node);
weir_value weir_onnx_compose_finish(weir_onnx_form *form, weir_node node);

#endif
