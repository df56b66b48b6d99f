/* Compares what a sink or tap recorded with the elements expected, value by value. */
#ifndef WEIR_SIM_SCOREBOARD_H
#define WEIR_SIM_SCOREBOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/beats.h"
#include "support/text/text.h"

typedef enum weir_divergence {
    WEIR_SAME,
    WEIR_WRONG_VALUE,
    WEIR_UNKNOWN_VALUE, /* unknown bits in an element, or in last */
    WEIR_WRONG_LAST,
    WEIR_WRONG_ERROR, /* a good frame is said to be damaged, or a damaged one is not */
    WEIR_MISSING_BEATS,
    WEIR_EXTRA_BEATS
} weir_divergence;

/* Counts over the whole stream, and the position of the first divergence. */
typedef struct weir_comparison {
    uint64_t compared; /* elements */
    uint64_t wrong_values;
    uint64_t unknown_values;
    uint64_t wrong_lasts;
    uint64_t wrong_errors; /* frames */
    uint64_t missing_beats;
    uint64_t extra_beats;
    weir_divergence first;
    uint64_t frame, element; /* element within the frame */
    uint64_t beat;           /* within the stream */
    uint32_t cycle;          /* when the beat was accepted; 0 for missing beats */
    int64_t expected, found; /* values, or last or error bits; 0 for missing and extra beats */
} weir_comparison;

/* `elements` holds frames * frame_elements values; the low element_bits of each are compared. Padding lanes are not,
 * nor are the values of frames that are `damaged` (NULL: none is), which must be flagged as the others must not.
 * Returns whether everything was the same. */
bool weir_scoreboard_compare(const weir_beats_layout *layout, const int64_t *elements, size_t frames,
                             const bool *damaged, const weir_beats *beats, weir_comparison *comparison);
/* The same of one beat that was recorded, of a frame that is not damaged. */
bool weir_scoreboard_compare_beat(const weir_beats_layout *layout, const int64_t *elements, const weir_beats *beats,
                                  uint64_t beat, weir_comparison *comparison);
/* One line that says what diverged first and how many values did; "same" when none. */
void weir_scoreboard_print(const weir_comparison *comparison, weir_text *text);

#endif
