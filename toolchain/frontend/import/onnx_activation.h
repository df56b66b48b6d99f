/* The function that ONNX Runtime's fused operators (FusedGemm, FusedConv) end with. */
#ifndef WEIR_ONNX_ACTIVATION_H
#define WEIR_ONNX_ACTIVATION_H

#include "frontend/import/onnx_form.h"

/* The function of `value` that the attribute `activation` names, with its parameters. No value after a reported error.
 */
weir_value weir_onnx_activation(const weir_onnx_form *form, weir_value value);

#endif
