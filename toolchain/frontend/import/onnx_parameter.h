/* Scales and other parameters of a node that is about to enter the graph. */
#ifndef WEIR_ONNX_PARAMETER_H
#define WEIR_ONNX_PARAMETER_H

#include <stdbool.h>
#include <stddef.h>

#include "frontend/import/onnx_form.h"

enum { WEIR_ONNX_PARAMETER_SCALES = 1 << 24 }; /* the most that the nodes of a model may use: each gets its own copy */

/* Are there as many scales among the inputs as the opset allows and, if constant, are they positive and finite? Reduces
 * *left, the number that nodes may still use. False after a reported error. */
bool weir_onnx_parameter_check(const weir_onnx_form *form, const weir_value *inputs, size_t count, size_t *left);

/* Exporters disagree about the type of QONNX's parameters: constants that are not float32 are converted. */
void weir_onnx_parameter_convert(const weir_onnx_form *form, weir_value *inputs, size_t count);

#endif
