/* Scales and other parameters of a node that is about to enter the graph. */
#ifndef WEIR_ONNX_PARAMETER_H
#define WEIR_ONNX_PARAMETER_H

#include <stdbool.h>
#include <stddef.h>

#include "frontend/import/onnx_form.h"

enum { WEIR_ONNX_PARAMETER_SCALES = 1 << 24 }; /* that the nodes of a model may use: each gets its own copy of them */

/* Are the scales among the inputs as many as the opset allows, where they are constants positive and finite? *left,
 * those that nodes may still use, becomes less. False after a reported error. */
bool weir_onnx_parameter_check(const weir_onnx_form *form, const weir_value *inputs, size_t count, size_t *left);

/* Exporters disagree about the type of QONNX's parameters: constants that are not float32 are converted. */
void weir_onnx_parameter_convert(const weir_onnx_form *form, weir_value *inputs, size_t count);

#endif
