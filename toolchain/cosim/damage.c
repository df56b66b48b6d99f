#include "cosim/damage.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sim/beats.h"
#include "support/memory/arena.h"

static uint64_t draw(uint64_t *state, uint64_t below) {
    assert(below > 0);
    *state = *state * 0x5851f42d4c957f2d + 0x14057b7ef767814f;
    return (*state >> 33) % below;
}

/* Beats of a damaged frame: one, one too few, one too many, a whole frame too many (its `last` is missing), any
 * number. */
static uint64_t damaged_beats(uint64_t *state, uint64_t whole) {
    assert(whole >= 1);
    uint64_t beats = whole;
    while (beats == whole) {
        switch (draw(state, 6)) {
        case 0: beats = 1; break;
        case 1: beats = whole > 1 ? whole - 1 : whole; break;
        case 2: beats = whole + 1; break;
        case 3: beats = 2 * whole; break;
        case 4: beats = 1 + draw(state, whole); break;
        default: beats = whole + 1 + draw(state, 2 * whole); break;
        }
    }
    return beats;
}

weir_damage weir_damage_new(uint32_t seed, size_t frames, const uint64_t *whole, size_t inputs) {
    weir_damage d = {.frames = frames, .inputs = inputs};
    uint64_t state = seed;
    d.beats = weir_calloc(frames * inputs + 1, sizeof *d.beats);
    d.bad = weir_calloc(frames * inputs + 1, sizeof *d.bad);
    d.damaged = weir_calloc(frames + 1, sizeof *d.damaged);
    d.count = weir_calloc(inputs + 1, sizeof *d.count);
    draw(&state, 1);
    for (size_t f = 0; f < frames; f++) {
        d.damaged[f] = inputs > 0 && (f == 0 || (f + 1 < frames && draw(&state, 2) == 0));
        const uint64_t always = inputs > 0 ? draw(&state, inputs) : 0;
        for (size_t i = 0; i < inputs; i++) {
            const bool bad = d.damaged[f] && (i == always || draw(&state, 2) == 0);
            d.beats[f * inputs + i] = bad ? damaged_beats(&state, whole[i]) : whole[i];
            d.bad[f * inputs + i] = bad;
            d.count[i] += bad;
        }
    }
    return d;
}

void weir_damage_free(weir_damage *d) {
    free(d->beats);
    free(d->bad);
    free(d->damaged);
    free(d->count);
    *d = (weir_damage){0};
}

uint32_t *weir_damage_records(const weir_damage *d, size_t index, const uint32_t *records, size_t size, uint64_t whole,
                              size_t *beats) {
    assert(index < d->inputs);
    *beats = 0;
    for (size_t f = 0; f < d->frames; f++) *beats += (size_t)d->beats[f * d->inputs + index];
    uint32_t *sent = weir_calloc(*beats + 1, size * sizeof *sent), *record = sent;
    for (size_t f = 0; f < d->frames; f++) {
        const uint64_t count = d->beats[f * d->inputs + index];
        for (uint64_t beat = 0; beat < count; beat++, record += size) {
            const uint64_t from = beat < whole ? f * whole + beat : beat % whole;
            memcpy(record, records + from * size, size * sizeof *record);
            record[size - 1] = (beat + 1 == count ? WEIR_BEAT_LAST : 0) | (record[size - 1] & WEIR_BEAT_RESET);
        }
    }
    return sent;
}

bool *weir_damage_of(const weir_damage *d, const bool *used) {
    bool *damaged = weir_calloc(d->frames + 1, sizeof *damaged);
    for (size_t f = 0; f < d->frames; f++)
        for (size_t i = 0; i < d->inputs; i++) damaged[f] |= used[i] && d->bad[f * d->inputs + i];
    return damaged;
}
