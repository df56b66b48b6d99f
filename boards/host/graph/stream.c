#include "graph/stream.h"

#include <string.h>

size_t weir_remote_beat_bytes(const weir_remote_stream *s) { return ((size_t)s->lanes * s->width + 7) / 8; }

uint64_t weir_remote_stream_beats(const weir_remote_stream *s) { return (s->elements + s->lanes - 1) / s->lanes; }

size_t weir_remote_stream_bytes(const weir_remote_stream *s) {
    return (size_t)weir_remote_stream_beats(s) * weir_remote_beat_bytes(s);
}

void weir_remote_pack(const weir_remote_stream *s, const int64_t *code, uint8_t *bytes) {
    memset(bytes, 0, weir_remote_stream_bytes(s));
    for (uint64_t i = 0; i < s->elements; i++) {
        uint8_t *beat = bytes + (size_t)(i / s->lanes) * weir_remote_beat_bytes(s);
        size_t bit = (size_t)(i % s->lanes) * s->width;
        for (uint32_t k = 0; k < s->width; k++, bit++)
            beat[bit / 8] |= (uint8_t)(((uint64_t)code[i] >> k & 1) << bit % 8);
    }
}

void weir_remote_unpack(const weir_remote_stream *s, const uint8_t *bytes, int64_t *code) {
    for (uint64_t i = 0; i < s->elements; i++) {
        const uint8_t *beat = bytes + (size_t)(i / s->lanes) * weir_remote_beat_bytes(s);
        size_t bit = (size_t)(i % s->lanes) * s->width;
        uint64_t value = 0;
        for (uint32_t k = 0; k < s->width; k++, bit++) value |= (uint64_t)(beat[bit / 8] >> bit % 8 & 1) << k;
        if (s->is_signed && s->width < 64 && value >> (s->width - 1) != 0) value |= UINT64_MAX << s->width;
        code[i] = (int64_t)value;
    }
}
