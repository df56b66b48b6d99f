#include "board/exchange.h"

#include <stdlib.h>

#include "board/codec.h"
#include "support/memory/arena.h"
#include "support/process/progress.h"
#include "support/process/seconds.h"

/* --- codes and bytes --- */

typedef struct side {
    const weir_codes *codes;
    weir_remote_stream *stream;
    size_t count;
    size_t bytes; /* of a frame */
} side;

static side side_of(const weir_graph *graph, const weir_codes *codes, size_t count) {
    side s = {codes, weir_calloc(count + 1, sizeof *s.stream), count, 0};
    for (size_t i = 0; i < count; i++) {
        s.stream[i] = weir_codec_stream(graph, codes[i].value);
        s.bytes += weir_remote_stream_bytes(&s.stream[i]);
    }
    return s;
}

static void pack_frame(const side *s, int64_t frame, uint8_t *to) {
    for (size_t i = 0; i < s->count; i++) {
        weir_remote_pack(&s->stream[i], s->codes[i].code + frame * s->codes[i].elements, to);
        to += weir_remote_stream_bytes(&s->stream[i]);
    }
}

static void compare(weir_board_exchange *e, size_t output, int64_t element, int64_t expected, int64_t found) {
    e->compared++;
    if (expected == found) return;
    e->mismatches++;
    if (e->diverged) return;
    e->diverged = true;
    e->output = output;
    e->frame = e->frames;
    e->element = element;
    e->expected = expected;
    e->found = found;
}

static void take_frame(weir_board_exchange *e, const side *s, const uint8_t *from) {
    const uint64_t before = e->mismatches;
    for (size_t i = 0; i < s->count; i++) {
        const int64_t first = e->frames * s->codes[i].elements;
        weir_remote_unpack(&s->stream[i], from, e->code[i] + first);
        for (int64_t element = 0; element < s->codes[i].elements; element++)
            compare(e, i, element, s->codes[i].code[first + element], e->code[i][first + element]);
        from += weir_remote_stream_bytes(&s->stream[i]);
    }
    e->wrong_frames += e->mismatches > before;
    e->frames++;
}

/* --- running --- */

static weir_wire_error run(weir_wire *wire, const side *in, const side *out, int64_t frames, uint64_t limit,
                           weir_board_exchange *e, weir_failure *why) {
    uint8_t *frame = weir_malloc(in->bytes + 1), *result = weir_malloc(out->bytes + 1);
    weir_wire_error error = WEIR_WIRE_OK;
    const double begun = weir_seconds();
    for (int64_t submitted = 0; error == WEIR_WIRE_OK && e->frames < frames;) {
        if (submitted < frames) {
            pack_frame(in, submitted, frame);
            error = weir_wire_submit(wire, frame, 0, why);
            if (error == WEIR_WIRE_OK && ++submitted < frames) continue;
            if (error != WEIR_WIRE_OK && error != WEIR_WIRE_FULL) break;
        }
        error = weir_wire_receive(wire, result, limit, why);
        if (error != WEIR_WIRE_OK) break;
        take_frame(e, out, result);
        weir_progress("frames", (double)e->frames, (double)frames, begun);
    }
    weir_progress_end();
    free(frame);
    free(result);
    return error;
}

weir_wire_error weir_board_exchange_run(weir_wire *wire, const weir_transport *clock, const weir_graph *hardware,
                                        const weir_reference *reference, int64_t frames, size_t in_flight,
                                        uint64_t limit, weir_board_exchange *e, weir_failure *why) {
    side in = side_of(hardware, reference->inputs, reference->input_count);
    side out = side_of(hardware, reference->outputs, reference->output_count);
    *e = (weir_board_exchange){.bytes_in = (int64_t)in.bytes, .bytes_out = (int64_t)out.bytes, .outputs = out.count};
    e->code = weir_calloc(out.count + 1, sizeof *e->code);
    for (size_t i = 0; i < out.count; i++)
        e->code[i] = weir_calloc((size_t)(frames * out.codes[i].elements) + 1, sizeof **e->code);
    const uint64_t start = clock->now(clock->user);
    const weir_wire_frames shape = {in.bytes, out.bytes, in_flight};
    weir_wire_error error = weir_wire_begin(wire, WEIR_MODE_ACCELERATOR, &shape, why);
    if (error == WEIR_WIRE_OK) error = run(wire, &in, &out, frames, limit, e, why);
    e->seconds = (double)(clock->now(clock->user) - start) / 1e6;
    free(in.stream);
    free(out.stream);
    return error;
}

void weir_board_exchange_free(weir_board_exchange *e) {
    for (size_t i = 0; i < e->outputs; i++) free(e->code[i]);
    free(e->code);
    *e = (weir_board_exchange){0};
}
