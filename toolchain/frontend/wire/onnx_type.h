/* Declared types of ONNX values: read, completed for graph inputs, compared with inferred ones. */
#ifndef WEIR_ONNX_TYPE_H
#define WEIR_ONNX_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/graph/types.h"
#include "onnx.pb-c.h"
#include "support/text/diag.h"

typedef struct weir_onnx_declared {
    weir_dtype dtype;
    int rank;                          /* -1: no shape given */
    int64_t dim[WEIR_MAX_RANK];        /* -1: symbolic or missing, also written so by exporters */
    const char *symbol[WEIR_MAX_RANK]; /* NULL: no symbol; lives as long as the message */
} weir_onnx_declared;

/* What a ValueInfoProto declares. `what` names the value in messages ("graph input 'x'"). False after an error. */
bool weir_onnx_type_read(const Onnx__ValueInfoProto *info, const char *what, weir_location location,
                         weir_onnx_declared *declared);

/* The type of a graph input: dimensions without a size are those of `given`; if that is NULL, the first one becomes
 * `batch`, any other one is an error. */
bool weir_onnx_type_input(const weir_onnx_declared *declared, const char *what, weir_location location, int64_t batch,
                          const weir_shape *given, weir_type *type);

/* Does an array contradict the declaration? Reports it and returns false. */
bool weir_onnx_type_agrees(const weir_onnx_declared *declared, const char *what, weir_location location,
                           weir_dtype dtype, const weir_shape *shape);
/* An element type that differs from the inferred one is an error. A shape that differs, as exporters leave it and ONNX
 * Runtime ignores it, is counted in `others`; the first one is a warning. */
void weir_onnx_type_remark(const weir_onnx_declared *declared, const char *what, weir_location location,
                           weir_dtype dtype, const weir_shape *shape, size_t *others);

#endif
