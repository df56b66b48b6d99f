/* Einsum as products of matrices: operands are joined from left to right, each two by MatMul, or Mul where nothing is
 * summed, between Transposes and Reshapes; what one operand alone has and nothing needs is summed first. */
#ifndef WEIR_ONNX_EINSUM_H
#define WEIR_ONNX_EINSUM_H

#include "frontend/import/onnx_form.h"

/* Rows of the table of onnx_compose.c. */
bool weir_onnx_einsum_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count);
void weir_onnx_einsum_attributes(const weir_onnx_form *form, weir_node node);

#endif
