/* ONNX Runtime's products of codes that become real numbers: MatMulIntegerToFloat and DynamicQuantizeMatMul, rows of
 * onnx_compose.c. */
#ifndef WEIR_ONNX_CODES_H
#define WEIR_ONNX_CODES_H

#include "frontend/import/onnx_form.h"

/* A, B, the scale of each, the zero point of each, a bias: the product of the numbers that the codes stand for, or,
 * where the scale of A is computed, of the codes. False after a reported error. */
bool weir_onnx_codes_product_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count);
/* A, which is real, B, its scale, its zero point, a bias: A has codes of its own for each input. */
bool weir_onnx_codes_dynamic_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count);
/* The numbers of either's product; none after a reported error. */
weir_value weir_onnx_codes_product_finish(weir_onnx_form *form, weir_value value);

#endif
