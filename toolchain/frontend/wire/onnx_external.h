/* Tensor data in a file in the folder of the model. */
#ifndef WEIR_ONNX_EXTERNAL_H
#define WEIR_ONNX_EXTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "onnx.pb-c.h"
#include "support/text/diag.h"

/* Exactly `size` bytes into `data`, from the file, offset and length that the tensor names. The file must be a regular
 * one inside `folder`, symbolic links included. False after a reported error. */
bool weir_onnx_external_read(const Onnx__TensorProto *tensor, const char *name, weir_location location,
                             const char *folder, void *data, size_t size);
/* The same checks without reading: is the file there and does it hold `size` bytes at the offset? */
bool weir_onnx_external_check(const Onnx__TensorProto *tensor, const char *name, weir_location location,
                              const char *folder, size_t size);

#endif
