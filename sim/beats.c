/* Elements to records and back. Padding is a fixed pattern that changes from beat to beat, so that hardware which
 * looks at it is found out, reproducibly. */
#include "sim/beats.h"

#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"

static uint64_t element_mask(const weir_beats_layout *layout) {
    return layout->element_bits >= 64 ? UINT64_MAX : (UINT64_C(1) << layout->element_bits) - 1;
}

static void set_bits(uint32_t *data, uint64_t at, uint32_t bits, uint64_t value) {
    while (bits) {
        uint32_t shift = (uint32_t)(at % 32);
        uint32_t some = 32 - shift < bits ? 32 - shift : bits;
        uint32_t mask = some == 32 ? UINT32_MAX : (1u << some) - 1;
        uint32_t *word = &data[at / 32];
        *word = (*word & ~(mask << shift)) | ((uint32_t)value & mask) << shift;
        value = some == 64 ? 0 : value >> some;
        at += some;
        bits -= some;
    }
}

static uint64_t get_bits(const uint32_t *data, uint64_t at, uint32_t bits) {
    uint64_t value = 0;
    for (uint32_t have = 0; have < bits;) {
        uint32_t shift = (uint32_t)(at % 32);
        uint32_t some = 32 - shift < bits - have ? 32 - shift : bits - have;
        uint32_t mask = some == 32 ? UINT32_MAX : (1u << some) - 1;
        value |= (uint64_t)(data[at / 32] >> shift & mask) << have;
        at += some;
        have += some;
    }
    return value;
}

int64_t weir_beat_element(const weir_beats_layout *layout, const uint32_t *data, uint32_t lane) {
    uint64_t value = get_bits(data, (uint64_t)lane * layout->element_bits, layout->element_bits);
    if (layout->is_signed && (value >> (layout->element_bits - 1) & 1)) value |= ~element_mask(layout);
    return (int64_t)value;
}

const uint32_t *weir_beat_unknown(const weir_beats *beats, size_t index) {
    size_t low = 0, high = beats->unknown_count, size = (size_t)beats->words + 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (beats->unknown[middle * size] < index) low = middle + 1;
        else high = middle;
    }
    if (low == beats->unknown_count || beats->unknown[low * size] != index) return NULL;
    return &beats->unknown[low * size + 1];
}

uint32_t *weir_beats_pack(const weir_beats_layout *layout, const int64_t *elements, size_t frames, size_t *beats) {
    size_t words = weir_words(weir_beats_width(layout));
    size_t frame_beats = (size_t)weir_beats_per_frame(layout);
    uint32_t *records = weir_calloc(frames * frame_beats + 1, (words + 1) * sizeof *records);
    uint32_t *record = records;
    uint64_t garbage = 0x9e3779b97f4a7c15;
    for (size_t frame = 0; frame < frames; frame++) {
        uint64_t left = layout->frame_elements;
        for (size_t beat = 0; beat < frame_beats; beat++, record += words + 1) {
            for (uint32_t lane = 0; lane < layout->lanes; lane++) {
                uint64_t value = left ? (uint64_t)*elements++ : garbage;
                left -= left != 0;
                set_bits(record, (uint64_t)lane * layout->element_bits, layout->element_bits, value);
                garbage = garbage * 0x5851f42d4c957f2d + 0x14057b7ef767814f;
            }
            record[words] = beat + 1 == frame_beats ? WEIR_BEAT_LAST : 0;
        }
    }
    *beats = frames * frame_beats;
    return records;
}

void weir_beats_free(weir_beats *beats) {
    free(beats->records);
    free(beats->unknown);
    memset(beats, 0, sizeof *beats);
}
