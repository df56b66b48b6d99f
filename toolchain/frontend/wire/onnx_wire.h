/* Bytes to protobuf messages. The wire format is checked before protobuf-c sees it: protobuf-c recurses as deep as the
 * file nests and merges repeated messages in quadratic time. */
#ifndef WEIR_ONNX_WIRE_H
#define WEIR_ONNX_WIRE_H

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>

#include "support/memory/types.h"

/* The message in `data`, owned by the arena, or NULL after a reported error at `file`. Arena memory is bounded by a
 * multiple of `size`; time is linear in it. */
const ProtobufCMessage *weir_onnx_wire_decode(weir_arena *arena, const ProtobufCMessageDescriptor *type,
                                              const void *data, size_t size, const char *file);

#endif
