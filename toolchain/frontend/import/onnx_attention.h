/* Attention of ai.onnx and com.microsoft, and MultiHeadAttention, as exporters without these operators write it: MatMul
 * of queries and keys, a product with the scale, a sum with the mask, Softmax, MatMul with the values. Heads are a
 * dimension; those that share keys and values (grouped queries) are rows of one product. What may be attended is a
 * constant where the file says it; where a mask of -infinity may hide all keys of a query, its row of shares is 0. */
#ifndef WEIR_ONNX_ATTENTION_H
#define WEIR_ONNX_ATTENTION_H

#include "frontend/import/onnx_form.h"

/* Rows of the table of onnx_compose.c. */
bool weir_onnx_attention_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count);
bool weir_onnx_attention_of_projection(weir_onnx_form *form, weir_value *inputs, size_t *count);
bool weir_onnx_attention_multi_head(weir_onnx_form *form, weir_value *inputs, size_t *count);
weir_value weir_onnx_attention_finish(weir_onnx_form *form, weir_value value);

#endif
