/* A frame is cut into regions, and the times t(k) of a region are compared with a straight line, k beats cost k * span
 * / beats cycles. A nest whose strides are those of the line rounded down is below the line; moved by the most that t
 * is above the line and by the most that the nest is below it, it is never earlier than t; moved by the least, never
 * later. */
#include "dataflow/schedule/bounds.h"

#include <assert.h>
#include <stdlib.h>

#include "support/memory/arena.h"

enum {
    REGIONS = 24,     /* of a frame; each has a nest of few levels */
    SMALL = 8,        /* parts of a region that is kept as it is */
    RADIX = 8,        /* copies of a level of a nest */
    CLOSE_ENOUGH = 8, /* cycles that need no further cut */
    SLOPE_BITS = 20
};

/* Cycles a beat, rounded. */
typedef struct slope {
    int64_t cycles, beats;
} slope;

typedef struct region {
    size_t first, end; /* parts of the frame's body */
    int64_t beats, at, last;
    slope along;
    int64_t low, high; /* of t(k) - at - k * slope, in cycles, rounded outwards */
} region;

typedef struct range {
    int64_t low, high;
} range;

static int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t floor_divide(int64_t a, int64_t b) {
    assert(b > 0);
    return a / b - (a % b < 0);
}

/* Of t(k) * beats - k * cycles, t counted from the level's start. */
static range range_of_level(const weir_signature_level *level, slope along) {
    range body = {0, 0};
    for (size_t i = 0; i < level->parts; i++) {
        const weir_signature_part *part = &level->part[i];
        assert(i == 0 || (part->first > level->part[i - 1].first && part->at >= level->part[i - 1].at));
        const range inner = range_of_level(part->level, along);
        const int64_t base = part->at * along.beats - part->first * along.cycles;
        body.low = lesser(body.low, base + inner.low);
        body.high = weir_later(body.high, base + inner.high);
    }
    const int64_t drift = (level->count - 1) * (level->stride * along.beats - level->body * along.cycles);
    return (range){body.low + lesser(0, drift), body.high + weir_later(0, drift)};
}

static void measure_region(region *r, const weir_signature_part *part) {
    assert(r->first < r->end);
    const weir_signature_part *last = &part[r->end - 1];
    r->at = part[r->first].at;
    r->last = last->at + last->level->last;
    r->beats = last->first + last->level->beats - part[r->first].first;
    int shift = 0;
    while ((weir_later(r->beats, r->last - r->at) >> shift) >= (int64_t)1 << SLOPE_BITS) shift++;
    r->along = (slope){(r->last - r->at) >> shift, weir_later(1, (r->beats - 1) >> shift)};
    range all = {0, 0};
    for (size_t i = r->first; i < r->end; i++) {
        const range inner = range_of_level(part[i].level, r->along);
        const int64_t base =
            (part[i].at - r->at) * r->along.beats - (part[i].first - part[r->first].first) * r->along.cycles;
        all.low = lesser(all.low, base + inner.low);
        all.high = weir_later(all.high, base + inner.high);
    }
    r->low = floor_divide(all.low, r->along.beats);
    r->high = -floor_divide(-all.high, r->along.beats);
}

/* The boundary between two parts that is next to the middle of the region's beats. */
static size_t middle_of(const region *r, const weir_signature_part *part) {
    assert(r->end - r->first >= 2);
    const int64_t half = part[r->first].first + r->beats / 2;
    size_t i = r->first + 1;
    while (i + 1 < r->end && part[i].first < half) i++;
    return i;
}

static size_t cut(region *r, const weir_signature_part *part, size_t parts) {
    assert(parts > 0);
    size_t count = 1;
    r[0] = (region){.first = 0, .end = parts};
    measure_region(&r[0], part);
    while (count < REGIONS) {
        size_t worst = count;
        int64_t most = CLOSE_ENOUGH;
        for (size_t i = 0; i < count; i++) {
            if (r[i].end - r[i].first < 2 || r[i].high - r[i].low <= most) continue;
            worst = i;
            most = r[i].high - r[i].low;
        }
        if (worst == count) break;
        for (size_t i = count; i > worst + 1; i--) r[i] = r[i - 1];
        r[worst + 1] = (region){.first = middle_of(&r[worst], part), .end = r[worst].end};
        r[worst].end = r[worst + 1].first;
        measure_region(&r[worst], part);
        measure_region(&r[worst + 1], part);
        count++;
    }
    return count;
}

/* Appends `beats` beats from cycle `at` on along the slope, never above it. */
static void add_line(weir_signature_list *list, int64_t at, int64_t beats, slope along) {
    assert(beats >= 1 && along.beats >= 1);
    int64_t block = 1;
    const size_t from = list->count;
    weir_signature_add(list, at);
    while (beats / block >= RADIX) {
        weir_signature_repeat(list, from, RADIX - 1, block * along.cycles / along.beats);
        block *= RADIX;
    }
    const int64_t copies = beats / block, done = copies * block;
    weir_signature_repeat(list, from, copies - 1, block * along.cycles / along.beats);
    if (done < beats) add_line(list, at + done * along.cycles / along.beats, beats - done, along);
}

/* A region's nest: where it begins as it is, and how far it goes below the line. */
typedef struct piece {
    weir_signature_part part;
    int64_t early, late; /* where it may begin */
} piece;

static piece piece_of(weir_arena *arena, const region *r, const weir_signature_part *part) {
    if (r->end - r->first == 1 && weir_signature_parts(&part[r->first]) <= SMALL)
        return (piece){part[r->first], part[r->first].at, part[r->first].at};
    weir_signature_list list = {.arena = arena};
    add_line(&list, 0, r->beats, r->along);
    const weir_signature_part line = weir_signature_close(&list);
    const int64_t below = -floor_divide(range_of_level(line.level, r->along).low, r->along.beats);
    return (piece){line, r->at + r->low, r->at + r->high + below};
}

/* The pieces in a row, later or earlier as need be to stay in order. */
static weir_signature_part join_pieces(weir_arena *arena, const piece *pieces, size_t count, int64_t origin,
                                       bool late) {
    assert(count > 0);
    weir_signature_list list = {.arena = arena};
    int64_t *at = weir_malloc(count * sizeof *at);
    for (size_t i = 0; i < count; i++) at[i] = late ? pieces[i].late : pieces[i].early;
    for (size_t i = 1; late && i < count; i++)
        at[i] = weir_later(at[i], at[i - 1] + pieces[i - 1].part.level->last + 1);
    for (size_t i = count - 1; !late && i-- > 0;) at[i] = lesser(at[i], at[i + 1] - pieces[i].part.level->last - 1);
    for (size_t i = 0; i < count; i++)
        weir_signature_append(&list, (weir_signature_part){0, origin + at[i], pieces[i].part.level});
    free(at);
    return weir_signature_close(&list);
}

static void bound_frame(weir_arena *arena, const weir_signature_part *frame, weir_signature_part *early,
                        weir_signature_part *late) {
    const weir_signature_part whole = {0, 0, frame->level}, *part = &whole;
    size_t parts = 1;
    if (frame->level->count == 1) {
        part = frame->level->part;
        parts = frame->level->parts;
    }
    region regions[REGIONS];
    piece pieces[REGIONS];
    const size_t count = cut(regions, part, parts);
    for (size_t i = 0; i < count; i++) pieces[i] = piece_of(arena, &regions[i], part);
    *early = join_pieces(arena, pieces, count, frame->at, false);
    *late = join_pieces(arena, pieces, count, frame->at, true);
    assert(early->level->beats == frame->level->beats && late->level->beats == frame->level->beats);
}

weir_bounds weir_bounds_of(weir_arena *arena, const weir_signature *signature, size_t most_parts) {
    weir_bounds bounds = {*signature, *signature, true};
    const bool fits =
        weir_signature_parts(&signature->first) <= most_parts && weir_signature_parts(&signature->steady) <= most_parts;
    if (fits) return bounds;
    bounds.exact = false;
    bound_frame(arena, &signature->first, &bounds.early.first, &bounds.late.first);
    bound_frame(arena, &signature->steady, &bounds.early.steady, &bounds.late.steady);
    return bounds;
}

/* --- serving --- */

static weir_bounds join_bounds(weir_arena *arena, const weir_signature *early, const weir_signature *late,
                               size_t most_parts) {
    weir_bounds bounds = {weir_bounds_of(arena, early, most_parts).early, weir_bounds_of(arena, late, most_parts).late,
                          false};
    return bounds;
}

static weir_bounds copy_bounds(weir_arena *arena, weir_map *copied, const weir_bounds *bounds) {
    return (weir_bounds){weir_signature_copy(arena, copied, &bounds->early),
                         weir_signature_copy(arena, copied, &bounds->late), bounds->exact};
}

/* In a scratch arena. */
static weir_service_result serve(weir_arena *arena, const weir_bounds_ports *ports, weir_service_body *rule,
                                 const void *user, weir_bounds *taken, weir_bounds *given) {
    assert(ports->most_parts >= 64);
    const weir_signature *early[WEIR_SERVICE_PORTS], *late[WEIR_SERVICE_PORTS];
    weir_signature t[2][WEIR_SERVICE_PORTS], g[2][WEIR_SERVICE_PORTS];
    bool exact = true;
    for (size_t i = 0; i < ports->inputs; i++) {
        early[i] = &ports->arrive[i]->early;
        late[i] = &ports->arrive[i]->late;
        exact = exact && ports->arrive[i]->exact;
    }
    weir_service_ports service = {early, ports->inputs, ports->outputs, ports->interval};
    weir_service_result result = weir_service_run(arena, &service, rule, user, t[0], g[0]);
    if (result.status != WEIR_SERVICE_FINE) return result;
    if (!exact) {
        const int64_t steps = result.steps;
        service.arrive = late;
        result = weir_service_run(arena, &service, rule, user, t[1], g[1]);
        result.steps += steps;
        if (result.status != WEIR_SERVICE_FINE) return result;
    }
    for (size_t i = 0; i < ports->inputs; i++)
        taken[i] = exact ? weir_bounds_of(arena, &t[0][i], ports->most_parts)
                         : join_bounds(arena, &t[0][i], &t[1][i], ports->most_parts);
    for (size_t i = 0; i < ports->outputs; i++)
        given[i] = exact ? weir_bounds_of(arena, &g[0][i], ports->most_parts)
                         : join_bounds(arena, &g[0][i], &g[1][i], ports->most_parts);
    return result;
}

/* What a rule's loops leave behind on the way is many times what remains of a frame in the end, which alone is kept. */
weir_service_result weir_bounds_serve(weir_arena *arena, const weir_bounds_ports *ports, weir_service_body *rule,
                                      const void *user, weir_bounds *taken, weir_bounds *given) {
    weir_arena *scratch = weir_arena_new();
    const weir_service_result result = serve(scratch, ports, rule, user, taken, given);
    weir_map copied = {0};
    for (size_t i = 0; i < ports->inputs && result.status == WEIR_SERVICE_FINE; i++)
        taken[i] = copy_bounds(arena, &copied, &taken[i]);
    for (size_t i = 0; i < ports->outputs && result.status == WEIR_SERVICE_FINE; i++)
        given[i] = copy_bounds(arena, &copied, &given[i]);
    weir_map_free(&copied);
    weir_arena_free(scratch);
    return result;
}
