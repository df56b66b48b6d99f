/* Streams as files and rings hold them: records of little-endian 32-bit words, and their element view. A record is
 * ceil(width / 32) data words, a flags word, and in a result the cycle. */
#ifndef WEIR_SIM_BEATS_H
#define WEIR_SIM_BEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* RESET is of a stimulus alone, the last three are of a result. */
enum {
    WEIR_BEAT_LAST = 1,
    WEIR_BEAT_RESET = 16,
    WEIR_BEAT_UNKNOWN = 2,
    WEIR_BEAT_UNKNOWN_LAST = 4,
    WEIR_BEAT_ERROR = 8
};

/* How a tensor travels: frames of `frame_elements` elements, `lanes` elements a beat, element 0 in the low bits, the
 * last beat of a frame padded. */
typedef struct weir_beats_layout {
    uint32_t lanes;
    uint32_t element_bits; /* 1 to 64 */
    bool is_signed;
    uint64_t frame_elements;
} weir_beats_layout;

/* Accepted beats, as recorded by a sink or tap. */
typedef struct weir_beats {
    uint32_t words; /* data words a beat; a record has words + 2 */
    size_t count;
    uint32_t *records; /* heap */
    size_t unknown_count;
    uint32_t *unknown; /* heap; records of a beat index and `words` words of unknown bits, ascending; NULL: none */
} weir_beats;

static inline uint32_t weir_words(uint32_t bits) { return (bits + 31) / 32; }
static inline uint32_t weir_beats_width(const weir_beats_layout *layout) {
    return layout->lanes * layout->element_bits;
}
static inline uint64_t weir_beats_per_frame(const weir_beats_layout *layout) {
    return (layout->frame_elements + layout->lanes - 1) / layout->lanes;
}
static inline const uint32_t *weir_beat_data(const weir_beats *beats, size_t index) {
    return beats->records + index * (beats->words + 2);
}
static inline uint32_t weir_beat_flags(const weir_beats *beats, size_t index) {
    return weir_beat_data(beats, index)[beats->words];
}
static inline uint32_t weir_beat_cycle(const weir_beats *beats, size_t index) {
    return weir_beat_data(beats, index)[beats->words + 1];
}

/* Element `lane` of a beat, sign-extended when the layout is signed. */
int64_t weir_beat_element(const weir_beats_layout *layout, const uint32_t *data, uint32_t lane);
/* The words of unknown bits of a beat, or NULL when all its bits are known. */
const uint32_t *weir_beat_unknown(const weir_beats *beats, size_t index);

/* Stimulus records ((weir_words(width) + 1) words each) of `frames` frames, frame_elements values a frame, in element
 * order; each value gives its low element_bits. Padding lanes hold garbage. *beats is their number. Heap memory. */
uint32_t *weir_beats_pack(const weir_beats_layout *layout, const int64_t *elements, size_t frames, size_t *beats);
void weir_beats_free(weir_beats *beats);

#endif
