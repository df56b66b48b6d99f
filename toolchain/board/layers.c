#include "board/layers.h"

#include <assert.h>
#include <stdlib.h>

#include "board/codec.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "wire/packet.h"

typedef struct looking {
    weir_wire *wire;
    const weir_transport *clock;
    uint64_t limit;
    uint8_t *frame; /* what goes in */
    weir_wire_frames shape;
    weir_failure *why;
} looking;

/* The frame goes in, and the byte's CRC is complete when all beats have come, or when the time is over. */
static weir_wire_error look(const looking *l, uint32_t tap, int64_t beats, uint32_t *came, uint32_t *crc) {
    weir_wire_error error = weir_wire_write(l->wire, WEIR_REGISTER_TAP, tap, l->why);
    if (error == WEIR_WIRE_OK) error = weir_wire_begin(l->wire, WEIR_MODE_ACCELERATOR, &l->shape, l->why);
    if (error == WEIR_WIRE_OK) error = weir_wire_submit(l->wire, l->frame, 0, l->why);
    const uint64_t start = l->clock->now(l->clock->user);
    *came = 0;
    while (error == WEIR_WIRE_OK && *came < (uint32_t)beats && l->clock->now(l->clock->user) - start < l->limit)
        error = weir_wire_read(l->wire, WEIR_REGISTER_TAP_BEATS, came, l->why);
    return error == WEIR_WIRE_OK ? weir_wire_read(l->wire, WEIR_REGISTER_TAP_CRC, crc, l->why) : error;
}

/* Of the first `beats` beats. */
static uint32_t sum_of(const uint8_t *bytes, size_t byte, uint64_t beats, const weir_remote_stream *stream) {
    const size_t size = weir_remote_beat_bytes(stream);
    uint32_t crc = 0;
    for (uint64_t beat = 0; beat < beats; beat++) crc = weir_packet_crc(crc, bytes + beat * size + byte, 1);
    return crc;
}

static char *name_of(const weir_graph *hardware, weir_value value, bool is_input) {
    return is_input ? weir_format("input '%s'", weir_value_name(hardware, value))
                    : weir_format("layer '%s'", weir_node_name(hardware, weir_value_producer(hardware, value)));
}

/* A stream of the value's codes, whose first byte is the `first` of all. */
static weir_wire_error compare(const looking *l, const weir_graph *hardware, const weir_codes *codes, size_t first,
                               bool is_input, weir_layers *layers) {
    const weir_remote_stream stream = weir_codec_stream(hardware, codes->value);
    const int64_t beats = (int64_t)weir_remote_stream_beats(&stream);
    uint8_t *bytes = weir_malloc(weir_remote_stream_bytes(&stream) + 1);
    weir_wire_error error = WEIR_WIRE_OK;
    weir_remote_pack(&stream, codes->code, bytes);
    for (size_t byte = 0; error == WEIR_WIRE_OK && !layers->diverged && byte < weir_remote_beat_bytes(&stream);
         byte++) {
        uint32_t came = 0, found = 0;
        error = look(l, (uint32_t)(layers->streams << 16 | (first + byte)), beats, &came, &found);
        if (error != WEIR_WIRE_OK) break;
        const bool stops = came < (uint32_t)beats;
        const uint32_t expected = sum_of(bytes, byte, stops ? came : (uint64_t)beats, &stream);
        layers->sums++;
        layers->diverged = came > (uint32_t)beats || found != expected;
        /* A stream that only stops is held up by one behind it, unless that is right. */
        if (!layers->diverged && (!stops || layers->name != NULL)) continue;
        if (layers->name != NULL) free(layers->name);
        layers->name = name_of(hardware, codes->value, is_input);
        layers->byte = byte;
        layers->beats = beats;
        layers->came = came;
        layers->expected = expected;
        layers->found = found;
    }
    free(bytes);
    return error;
}

weir_wire_error weir_layers_run(weir_wire *wire, const weir_transport *clock, const weir_graph *hardware,
                                const weir_reference *reference, uint64_t limit, weir_layers *layers,
                                weir_failure *why) {
    assert(reference->debug_frames > 0);
    looking l = {.wire = wire, .clock = clock, .limit = limit, .shape = {.in_flight = 1}, .why = why};
    *layers = (weir_layers){.name = NULL};
    for (size_t i = 0; i < reference->output_count; i++) {
        const weir_remote_stream stream = weir_codec_stream(hardware, reference->outputs[i].value);
        l.shape.bytes_out += weir_remote_stream_bytes(&stream);
    }
    for (size_t i = 0; i < reference->input_count; i++) {
        const weir_remote_stream stream = weir_codec_stream(hardware, reference->inputs[i].value);
        const size_t size = weir_remote_stream_bytes(&stream);
        l.frame = weir_realloc(l.frame, l.shape.bytes_in + size);
        weir_remote_pack(&stream, reference->inputs[i].code, l.frame + l.shape.bytes_in);
        l.shape.bytes_in += size;
    }
    weir_wire_error error = WEIR_WIRE_OK;
    size_t first = 0;
    const size_t streams = reference->input_count + reference->tap_count;
    for (size_t i = 0; error == WEIR_WIRE_OK && !layers->diverged && i < streams; i++) {
        const bool is_input = i < reference->input_count;
        const weir_codes *codes = is_input ? &reference->inputs[i] : &reference->taps[i - reference->input_count];
        const weir_remote_stream stream = weir_codec_stream(hardware, codes->value);
        error = compare(&l, hardware, codes, first, is_input, layers);
        first += weir_remote_beat_bytes(&stream);
        layers->streams++;
    }
    if (layers->name != NULL) layers->diverged = true;
    free(l.frame);
    return error;
}

void weir_layers_free(weir_layers *layers) { free(layers->name); }
