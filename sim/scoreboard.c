/* One pass over the beats in order, so the first divergence found is the first in time. */
#include "sim/scoreboard.h"

#include <inttypes.h>
#include <string.h>

static void diverge(weir_comparison *c, weir_divergence kind, uint64_t frame, uint64_t element, uint64_t beat,
                    uint32_t cycle, int64_t expected, int64_t found) {
    if (c->first != WEIR_SAME) return;
    c->first = kind;
    c->frame = frame;
    c->element = element;
    c->beat = beat;
    c->cycle = cycle;
    c->expected = expected;
    c->found = found;
}

static int64_t canonical(const weir_beats_layout *layout, int64_t value) {
    uint32_t data[2] = {(uint32_t)((uint64_t)value & UINT32_MAX), (uint32_t)((uint64_t)value >> 32)};
    return weir_beat_element(layout, data, 0);
}

/* Are any bits of the lane unknown? */
static bool lane_unknown(const weir_beats_layout *layout, const uint32_t *unknown, uint32_t lane) {
    weir_beats_layout bits = *layout;
    bits.is_signed = false;
    return unknown && weir_beat_element(&bits, unknown, lane) != 0;
}

static void compare_beat(const weir_beats_layout *layout, const int64_t *elements, bool damaged,
                         const weir_beats *beats, uint64_t beat, uint64_t frame, uint64_t first_element,
                         weir_comparison *c) {
    const uint32_t *data = weir_beat_data(beats, beat);
    uint32_t flags = weir_beat_flags(beats, beat), cycle = weir_beat_cycle(beats, beat);
    const uint32_t *unknown = flags & WEIR_BEAT_UNKNOWN ? weir_beat_unknown(beats, beat) : NULL;
    uint64_t left = layout->frame_elements - first_element;
    uint32_t lanes = left < layout->lanes ? (uint32_t)left : layout->lanes;
    int expected_last = left <= layout->lanes, last = (flags & WEIR_BEAT_LAST) != 0;
    for (uint32_t lane = 0; lane < lanes && !damaged; lane++) {
        int64_t expected = canonical(layout, elements[lane]);
        int64_t found = weir_beat_element(layout, data, lane);
        c->compared++;
        if (lane_unknown(layout, unknown, lane)) {
            c->unknown_values++;
            diverge(c, WEIR_UNKNOWN_VALUE, frame, first_element + lane, beat, cycle, expected, found);
        } else if (expected != found) {
            c->wrong_values++;
            diverge(c, WEIR_WRONG_VALUE, frame, first_element + lane, beat, cycle, expected, found);
        }
    }
    if (flags & WEIR_BEAT_UNKNOWN_LAST) last = !expected_last;
    if (last != expected_last) {
        c->wrong_lasts++;
        diverge(c, WEIR_WRONG_LAST, frame, first_element, beat, cycle, expected_last, last);
    }
    if (expected_last && damaged != ((flags & WEIR_BEAT_ERROR) != 0)) {
        c->wrong_errors++;
        diverge(c, WEIR_WRONG_ERROR, frame, first_element, beat, cycle, damaged, !damaged);
    }
}

bool weir_scoreboard_compare_beat(const weir_beats_layout *layout, const int64_t *elements, const weir_beats *beats,
                                  uint64_t beat, weir_comparison *c) {
    const uint64_t frame_beats = weir_beats_per_frame(layout), frame = beat / frame_beats,
                   first = beat % frame_beats * layout->lanes;
    memset(c, 0, sizeof *c);
    compare_beat(layout, elements + frame * layout->frame_elements + first, false, beats, beat, frame, first, c);
    return c->first == WEIR_SAME;
}

bool weir_scoreboard_compare(const weir_beats_layout *layout, const int64_t *elements, size_t frames,
                             const bool *damaged, const weir_beats *beats, weir_comparison *c) {
    uint64_t frame_beats = weir_beats_per_frame(layout);
    uint64_t expected = frames * frame_beats;
    memset(c, 0, sizeof *c);
    for (uint64_t beat = 0; beat < expected && beat < beats->count; beat++) {
        uint64_t frame = beat / frame_beats, first = beat % frame_beats * layout->lanes;
        compare_beat(layout, elements + frame * layout->frame_elements + first, damaged != NULL && damaged[frame],
                     beats, beat, frame, first, c);
    }
    if (beats->count < expected) {
        uint64_t beat = beats->count;
        c->missing_beats = expected - beat;
        diverge(c, WEIR_MISSING_BEATS, beat / frame_beats, beat % frame_beats * layout->lanes, beat, 0, 0, 0);
    } else if (beats->count > expected) {
        c->extra_beats = beats->count - expected;
        diverge(c, WEIR_EXTRA_BEATS, frames, 0, expected, weir_beat_cycle(beats, expected), 0, 0);
    }
    return c->first == WEIR_SAME;
}

void weir_scoreboard_print(const weir_comparison *c, weir_text *text) {
    static const char *const kinds[] = {[WEIR_SAME] = "",
                                        [WEIR_WRONG_VALUE] = "wrong value",
                                        [WEIR_UNKNOWN_VALUE] = "unknown value",
                                        [WEIR_WRONG_LAST] = "wrong last",
                                        [WEIR_WRONG_ERROR] = "wrong error",
                                        [WEIR_MISSING_BEATS] = "missing beats",
                                        [WEIR_EXTRA_BEATS] = "extra beats"};
    if (c->first == WEIR_SAME) {
        weir_text_format(text, "same, %" PRIu64 " values compared", c->compared);
        return;
    }
    weir_text_format(text, "%s at frame %" PRIu64 ", element %" PRIu64 ", beat %" PRIu64, kinds[c->first], c->frame,
                     c->element, c->beat);
    if (c->first != WEIR_MISSING_BEATS) weir_text_format(text, ", cycle %" PRIu32, c->cycle);
    if (c->first == WEIR_UNKNOWN_VALUE)
        weir_text_format(text, ": expected %" PRId64 ", found unknown bits", c->expected);
    else if (c->first == WEIR_WRONG_VALUE || c->first == WEIR_WRONG_LAST || c->first == WEIR_WRONG_ERROR)
        weir_text_format(text, ": expected %" PRId64 ", found %" PRId64, c->expected, c->found);
    weir_text_format(text,
                     "; of %" PRIu64 " values %" PRIu64 " wrong, %" PRIu64 " unknown; %" PRIu64 " wrong lasts, %" PRIu64
                     " missing and %" PRIu64 " extra beats",
                     c->compared, c->wrong_values, c->unknown_values, c->wrong_lasts, c->missing_beats, c->extra_beats);
    if (c->wrong_errors > 0)
        weir_text_format(text, "; %" PRIu64 " frames wrongly flagged or not flagged", c->wrong_errors);
}
