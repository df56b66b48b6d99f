/* Random changes to ONNX models that know the fields: what remains is often a well-formed file with a wrong content. */
#ifndef WEIR_MUTATE_ONNX_H
#define WEIR_MUTATE_ONNX_H

#include <stddef.h>
#include <stdint.h>

/* Decodes, changes one to four fields, encodes. The size of the result, at most `capacity`; 0 when the data is no
 * model or the result does not fit. */
size_t weir_mutate_onnx(uint8_t *data, size_t size, size_t capacity, uint64_t *state);

#endif
