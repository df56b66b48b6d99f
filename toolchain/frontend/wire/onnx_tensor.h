/* TensorProto to array: raw, typed and external data. */
#ifndef WEIR_ONNX_TENSOR_H
#define WEIR_ONNX_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "onnx.pb-c.h"
#include "support/memory/array.h"
#include "support/text/diag.h"

/* The source of a model's tensors, and how many bytes they may still take in all. */
typedef struct weir_onnx_tensor_source {
    const char *folder; /* of external files; NULL: none allowed */
    size_t left;        /* bytes */
    bool to_float32;    /* floating-point elements of other types are converted */
} weir_onnx_tensor_source;

enum { WEIR_ONNX_TENSOR_BYTES = 1 << 30 }; /* for all tensors of a model */

/* ONNX's TensorProto.DataType: its name ("bfloat16", "unknown" for a number it has no name for), and the element type
 * when this importer supports it. */
const char *weir_onnx_tensor_type_name(int32_t type);
bool weir_onnx_tensor_type(int32_t type, weir_dtype *dtype);
/* The inverse; every element type of this IR has a number. */
int32_t weir_onnx_tensor_number(weir_dtype dtype);

/* The tensor's elements on the heap (weir_array_free), or NULL after an error at `location` that calls it `name`. Never
 * allocates more than the data that is present. */
weir_array *weir_onnx_tensor_read(const Onnx__TensorProto *tensor, const char *name, weir_location location,
                                  weir_onnx_tensor_source *source);

/* The type that replaces `dtype` where floating-point types are converted: float32 for those of 16 bits and more. */
weir_dtype weir_onnx_tensor_narrowed(weir_dtype dtype);
/* The elements as raw data: the array's own memory or, packed, the arena's. */
uint8_t *weir_onnx_tensor_bytes(weir_arena *arena, const weir_array *array, size_t *size);

#endif
