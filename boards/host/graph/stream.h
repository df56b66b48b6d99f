/* Codes of a tensor as the bytes of its frame on the wire: beats of `lanes` codes, code 0 in the low bits, each beat in
 * whole bytes, low byte first. What is above a beat's bits, and lanes beyond the tensor, are 0. */
#ifndef WEIR_REMOTE_STREAM_H
#define WEIR_REMOTE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct weir_remote_stream {
    uint64_t elements;     /* of a frame, at least 1 */
    uint32_t lanes, width; /* codes a beat, at least 1; bits of a code, 1 to 64 */
    bool is_signed;        /* two's complement */
} weir_remote_stream;

/* Of a beat, and of a frame of so many beats. */
size_t weir_remote_beat_bytes(const weir_remote_stream *stream);
uint64_t weir_remote_stream_beats(const weir_remote_stream *stream);
size_t weir_remote_stream_bytes(const weir_remote_stream *stream);
/* Of each code the low `width` bits. */
void weir_remote_pack(const weir_remote_stream *stream, const int64_t *code, uint8_t *bytes);
void weir_remote_unpack(const weir_remote_stream *stream, const uint8_t *bytes, int64_t *code);

#endif
