/* Frames that are too short or too long, among good ones: what sources send, and the expected results (rtl/README.md,
 * "Frames"). */
#ifndef WEIR_COSIM_DAMAGE_H
#define WEIR_COSIM_DAMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct weir_damage {
    size_t frames, inputs;
    uint64_t *beats; /* of frame f of input i, at [f * inputs + i] */
    bool *bad;       /* likewise: it is too short or too long */
    bool *damaged;   /* by frame: of some input */
    size_t *count;   /* by input: its damaged frames */
} weir_damage;

/* The first frame, about half of the others, and not the last of several; `whole` has the beats of a complete frame of
 * each input. */
weir_damage weir_damage_new(uint32_t seed, size_t frames, const uint64_t *whole, size_t inputs);
void weir_damage_free(weir_damage *damage);
/* What input `index` sends, of records of `size` words (sim/beats.h) that hold its complete frames of `whole` beats:
 * heap memory, *beats of them. A short frame ends early, a long one continues with beats of frame 0. */
uint32_t *weir_damage_records(const weir_damage *damage, size_t index, const uint32_t *records, size_t size,
                              uint64_t whole, size_t *beats);

/* By frame: is it damaged at one of the inputs that are `used`? Heap memory. */
bool *weir_damage_of(const weir_damage *damage, const bool *used);

#endif
