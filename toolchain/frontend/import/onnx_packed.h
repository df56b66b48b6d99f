/* ONNX Runtime's products by weights of a few bits, packed row by row with a scale per block of a row: MatMulNBits and
 * MatMulBnb4, rows of onnx_compose.c. */
#ifndef WEIR_ONNX_PACKED_H
#define WEIR_ONNX_PACKED_H

#include "frontend/import/onnx_form.h"

/* A, the packed weights, a scale per block, zero points, the group of each element of a row, a bias. The weights become
 * a DequantizeLinear where a row is one block, so that its codes stay, and numbers where it has several. False after a
 * reported error. */
bool weir_onnx_packed_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count);
/* A, the packed weights, the largest magnitude per block: a code stands for a fraction of that, from a table. */
bool weir_onnx_packed_float_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count);

#endif
