#include "dataflow/schedule/signature.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ir/graph/types.h"
#include "support/memory/arena.h"
#include "support/memory/hash.h"
#include "support/memory/map.h"

static const weir_signature_level beat_level = {.count = 1, .body = 1, .beats = 1, .hash = 1};

/* --- levels --- */

static uint64_t hash_parts(const weir_signature_part *part, size_t count) {
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++)
        hash = weir_hash_mix(weir_hash_mix(hash, (uint64_t)(part[i].at - part[0].at)), part[i].level->hash);
    return hash;
}

/* Copies of parts in a row, which stay where they are; none: of a beat. */
static weir_signature_level level_of(int64_t count, int64_t stride, const weir_signature_part *part, size_t parts) {
    weir_signature_level level = {.count = count, .stride = stride, .parts = parts, .part = part};
    int64_t body_last = 0;
    for (size_t i = 0; i < parts; i++) {
        level.body += part[i].level->beats;
        body_last = part[i].at - part[0].at + part[i].level->last;
    }
    if (parts == 0) level.body = 1;
    level.beats = level.body * count;
    level.last = (count - 1) * stride + body_last;
    level.hash = weir_hash_mix(weir_hash_mix(hash_parts(part, parts), (uint64_t)count), (uint64_t)stride);
    return level;
}

/* The level with its parts, in the arena: the first at beat 0, cycle 0. */
static const weir_signature_level *keep_level(weir_arena *arena, const weir_signature_level *level) {
    weir_signature_level *kept = weir_arena_alloc(arena, sizeof *kept);
    weir_signature_part *part = level->parts == 0 ? NULL : weir_arena_array(arena, level->parts, sizeof *part);
    int64_t first = 0;
    for (size_t i = 0; i < level->parts; i++) {
        part[i] = (weir_signature_part){first, level->part[i].at - level->part[0].at, level->part[i].level};
        first += part[i].level->beats;
    }
    *kept = *level;
    kept->part = part;
    return kept;
}

static bool equal_levels(const weir_signature_level *a, const weir_signature_level *b);

/* The same levels at the same distances. */
static bool equal_parts(const weir_signature_part *a, const weir_signature_part *b, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (a[i].at - a[0].at != b[i].at - b[0].at || !equal_levels(a[i].level, b[i].level)) return false;
    }
    return true;
}

static bool equal_levels(const weir_signature_level *a, const weir_signature_level *b) {
    if (a == b) return true;
    return a->hash == b->hash && a->count == b->count && (a->count == 1 || a->stride == b->stride) &&
           a->parts == b->parts && equal_parts(a->part, b->part, a->parts);
}

bool weir_signature_equal(const weir_signature_part *a, const weir_signature_part *b) {
    return a->at == b->at && equal_levels(a->level, b->level);
}

weir_signature weir_signature_run(weir_arena *arena, int64_t at, int64_t beats, int64_t stride) {
    assert(beats > 0 && stride >= 0);
    const weir_signature_level level = level_of(beats, stride, NULL, 0);
    weir_signature_part part = {0, at, beats == 1 ? &beat_level : keep_level(arena, &level)};
    return (weir_signature){part, part};
}

static const weir_signature_level *copy_level(weir_arena *arena, weir_map *copied, const weir_signature_level *level) {
    if (level == &beat_level) return level;
    const uint64_t *known = weir_map_find(copied, (uintptr_t)level);
    if (known != NULL) return (const weir_signature_level *)(uintptr_t)*known;
    weir_signature_level *copy = weir_arena_alloc(arena, sizeof *copy);
    weir_signature_part *part = level->parts == 0 ? NULL : weir_arena_array(arena, level->parts, sizeof *part);
    *copy = *level;
    copy->part = part;
    for (size_t i = 0; i < level->parts; i++) {
        part[i] = level->part[i];
        part[i].level = copy_level(arena, copied, part[i].level);
    }
    *weir_map_put(copied, (uintptr_t)level) = (uintptr_t)copy;
    return copy;
}

static weir_signature_part copy_part(weir_arena *arena, weir_map *copied, weir_signature_part part) {
    part.level = copy_level(arena, copied, part.level);
    return part;
}

weir_signature weir_signature_copy(weir_arena *arena, weir_map *copied, const weir_signature *signature) {
    return (weir_signature){copy_part(arena, copied, signature->first), copy_part(arena, copied, signature->steady)};
}

/* --- questions --- */

/* The part of the level's body that holds beat `index` of it. */
static const weir_signature_part *part_of_beat(const weir_signature_level *level, int64_t index) {
    assert(index >= 0 && index < level->body && level->parts > 0);
    size_t low = 0, high = level->parts;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (level->part[middle].first <= index) low = middle;
        else high = middle;
    }
    return &level->part[low];
}

int64_t weir_signature_at(const weir_signature_part *part, int64_t index) {
    int64_t at = part->at;
    const weir_signature_level *level = part->level;
    assert(index >= 0 && index < level->beats);
    for (;;) {
        at += index / level->body * level->stride;
        index %= level->body;
        if (level->parts == 0) return at;
        const weir_signature_part *inner = part_of_beat(level, index);
        at += inner->at;
        index -= inner->first;
        level = inner->level;
    }
}

int64_t weir_signature_count(const weir_signature_part *part, int64_t cycle) {
    int64_t count = 0;
    const weir_signature_level *level = part->level;
    cycle -= part->at;
    for (;;) {
        if (cycle < 0) return count;
        if (cycle >= level->last) return count + level->beats;
        int64_t copy = level->stride == 0 ? 0 : cycle / level->stride;
        if (copy >= level->count) copy = level->count - 1;
        count += copy * level->body;
        cycle -= copy * level->stride;
        if (level->parts == 0) return count + 1;
        size_t low = 0, high = level->parts;
        while (high - low > 1) {
            size_t middle = (low + high) / 2;
            if (level->part[middle].at <= cycle) low = middle;
            else high = middle;
        }
        count += level->part[low].first;
        cycle -= level->part[low].at;
        level = level->part[low].level;
    }
}

int64_t weir_signature_alike(const weir_signature_part *part, int64_t from, int64_t lag, int64_t *stride,
                             bool *aligned) {
    assert(from >= 0 && lag > 0);
    const weir_signature_level *level = part->level;
    while (from + lag < level->beats) {
        if (level->count > 1 && lag % level->body == 0) {
            *stride = lag / level->body * level->stride;
            *aligned = from % level->body == 0;
            return level->beats - from - lag;
        }
        from %= level->body;
        if (level->parts == 0 || from + lag >= level->body) return 0;
        const weir_signature_part *inner = part_of_beat(level, from);
        from -= inner->first;
        level = inner->level;
    }
    return 0;
}

/* Beats from `from` on that are one run, itself included, and its stride. */
static int64_t run_at(const weir_signature_part *part, int64_t from, int64_t *stride) {
    assert(from >= 0 && from < part->level->beats);
    const weir_signature_level *level = part->level;
    for (;;) {
        if (level->parts == 0) {
            *stride = level->stride;
            return level->beats - from;
        }
        from %= level->body;
        const weir_signature_part *inner = part_of_beat(level, from);
        from -= inner->first;
        level = inner->level;
    }
}

size_t weir_signature_depth(const weir_signature_part *part) {
    size_t deepest = 0;
    for (size_t i = 0; i < part->level->parts; i++) {
        size_t depth = weir_signature_depth(&part->level->part[i]);
        if (depth > deepest) deepest = depth;
    }
    return deepest + (part->level->count > 1);
}

size_t weir_signature_parts(const weir_signature_part *part) {
    size_t count = 1;
    for (size_t i = 0; i < part->level->parts; i++) count += weir_signature_parts(&part->level->part[i]);
    return count;
}

/* --- building --- */

static void push_plain(weir_signature_list *list, weir_signature_part part) {
    list->part = weir_grow(list->part, &list->capacity, list->count + 1, sizeof *list->part);
    list->part[list->count++] = part;
}

void weir_signature_add(weir_signature_list *list, int64_t at) {
    push_plain(list, (weir_signature_part){0, at, &beat_level});
}

void weir_signature_append(weir_signature_list *list, weir_signature_part part) { push_plain(list, part); }

static bool is_level(const void *user, uint64_t key, uint64_t value) {
    (void)key;
    return equal_levels(user, (const weir_signature_level *)(uintptr_t)value);
}

/* Copies of parts in a row, none: of a beat; what the list's owner has had before is not made again. */
static const weir_signature_level *new_level(const weir_signature_list *list, int64_t count, int64_t stride,
                                             const weir_signature_part *part, size_t parts) {
    const weir_signature_level level = level_of(count, stride, part, parts);
    bool is_new;
    if (list->known == NULL) return keep_level(list->arena, &level);
    weir_map_entry *entry = weir_map_put_as(list->known, weir_map_hash(level.hash), is_level, &level, &is_new);
    if (is_new) *entry = (weir_map_entry){level.hash, (uintptr_t)keep_level(list->arena, &level)};
    return (const weir_signature_level *)(uintptr_t)entry->value;
}

/* Two runs, or a run and a beat, that go on at one stride. Two beats do not: their distance may be a gap. */
static bool join_runs(weir_signature_list *list) {
    weir_signature_part *a = &list->part[list->count - 2], *b = a + 1;
    if (a->level->parts > 0 || b->level->parts > 0 || a->level->count + b->level->count == 2) return false;
    int64_t gap = b->at - a->at - a->level->last;
    if ((a->level->count > 1 && a->level->stride != gap) || (b->level->count > 1 && b->level->stride != gap))
        return false;
    a->level = new_level(list, a->level->count + b->level->count, gap, NULL, 0);
    list->count--;
    return true;
}

static bool join_repeats(weir_signature_list *list) {
    weir_signature_part *a = &list->part[list->count - 2], *b = a + 1;
    const weir_signature_level *x = a->level, *y = b->level;
    if (x->parts == 0 || x->parts != y->parts || x->count < 2 || y->count < 2 || x->stride != y->stride) return false;
    if (b->at != a->at + x->count * x->stride || !equal_parts(x->part, y->part, x->parts)) return false;
    a->level = new_level(list, x->count + y->count, x->stride, x->part, x->parts);
    list->count--;
    return true;
}

/* Are the level's parts those of a copy of its body that begins at cycle `at`? */
static bool is_copy(const weir_signature_level *level, const weir_signature_part *part, int64_t at) {
    return part->at == at && equal_parts(part, level->part, level->parts);
}

enum { LONGEST_BODY = 16 }; /* parts that a level takes in at one time */

/* The last parts are one more copy of the level before them. */
static bool absorb_after(weir_signature_list *list, size_t floor) {
    for (size_t k = 1; k <= LONGEST_BODY && list->count - floor > k; k++) {
        weir_signature_part *a = &list->part[list->count - 1 - k];
        const weir_signature_level *x = a->level;
        if (x->count < 2 || x->parts != k || !is_copy(x, a + 1, a->at + x->count * x->stride)) continue;
        a->level = new_level(list, x->count + 1, x->stride, x->part, k);
        list->count -= k;
        return true;
    }
    return false;
}

/* The parts before the last level are one more copy of it. */
static bool absorb_before(weir_signature_list *list, size_t floor) {
    weir_signature_part last = list->part[list->count - 1];
    const weir_signature_level *x = last.level;
    if (x->count < 2 || x->parts == 0 || list->count - 1 - floor < x->parts) return false;
    weir_signature_part *a = &list->part[list->count - 1 - x->parts];
    if (!is_copy(x, a, last.at - x->stride)) return false;
    a->level = new_level(list, x->count + 1, x->stride, x->part, x->parts);
    list->count -= x->parts;
    return true;
}

static void push(weir_signature_list *list, size_t floor, weir_signature_part part);

/* The part before the last level is the end of a copy of it, B (A B)(A B): the copies begin there, (B A)(B A) B. */
static bool rotate(weir_signature_list *list, size_t floor) {
    weir_signature_part last = list->part[list->count - 1], *before = &list->part[list->count - 2];
    const weir_signature_level *x = last.level;
    if (x->count < 2 || x->parts < 2 || x->parts > LONGEST_BODY) return false;
    const weir_signature_part *end = &x->part[x->parts - 1];
    if (before->at != last.at - x->stride + end->at || !equal_levels(before->level, end->level)) return false;
    weir_signature_part body[LONGEST_BODY];
    body[0] = *before;
    for (size_t i = 0; i + 1 < x->parts; i++)
        body[i + 1] = (weir_signature_part){0, last.at + x->part[i].at, x->part[i].level};
    before->level = new_level(list, x->count, x->stride, body, x->parts);
    list->count--;
    push(list, floor, (weir_signature_part){0, last.at + (x->count - 1) * x->stride + end->at, end->level});
    return true;
}

static void push(weir_signature_list *list, size_t floor, weir_signature_part part) {
    assert(floor < list->count + 1);
    push_plain(list, part);
    while (list->count - floor >= 2 && (join_runs(list) || join_repeats(list) || absorb_after(list, floor) ||
                                        absorb_before(list, floor) || rotate(list, floor))) {
    }
}

void weir_signature_merge(weir_signature_list *list, size_t from) {
    assert(from <= list->count);
    size_t count = list->count - from;
    if (count < 2) return;
    weir_signature_part *parts = weir_malloc(count * sizeof *parts);
    memcpy(parts, list->part + from, count * sizeof *parts);
    list->count = from;
    for (size_t i = 0; i < count; i++) push(list, from, parts[i]);
    free(parts);
}

void weir_signature_repeat(weir_signature_list *list, size_t from, int64_t times, int64_t stride) {
    assert(times >= 0);
    weir_signature_merge(list, from);
    size_t parts = list->count - from;
    if (parts == 0 || times == 0) return;
    weir_signature_part *part = &list->part[from];
    const weir_signature_level *x = part->level;
    if (parts == 1 && (x->count == 1 || stride == x->count * x->stride))
        part->level = new_level(list, x->count * (times + 1), x->count == 1 ? stride : x->stride, x->part, x->parts);
    else part->level = new_level(list, times + 1, stride, part, parts);
    list->count = from + 1;
}

weir_signature_part weir_signature_close(weir_signature_list *list) {
    weir_signature_merge(list, 0);
    weir_signature_part part = {0, 0, NULL};
    if (list->count > 0) {
        part = list->part[0];
        if (list->count > 1) part.level = new_level(list, 1, 0, list->part, list->count);
    }
    free(list->part);
    *list = (weir_signature_list){.arena = list->arena, .known = list->known};
    return part;
}

/* --- waiting --- */

/* How much later beats move in b than in a, beat a_from + i against b_from + i. */
typedef struct lateness {
    int64_t most, where; /* at beat a_from + where */
} lateness;

typedef struct comparison {
    const weir_signature *given, *taken;
    int64_t interval;
    int64_t frame; /* of a: part of given; b is part of taken */
    const weir_signature_part *a, *b;
    int64_t a_from, b_from, beats;
    int64_t waiting; /* most beats found to wait */
    int64_t steps;
} comparison;

static void keep_later(lateness *best, lateness other) {
    if (other.most > best->most) *best = other;
}

static bool is_steady(const weir_signature *s) {
    return s->first.level == s->steady.level && s->first.at == s->steady.at;
}

static const weir_signature_part *frame_of(const weir_signature *signature, int64_t frame) {
    assert(frame >= 0);
    return frame == 0 ? &signature->first : &signature->steady;
}

/* Beats of all frames that have been taken by the cycle. */
static int64_t taken_by(const weir_signature *taken, int64_t interval, int64_t cycle) {
    assert(interval > 0);
    int64_t frame = cycle - taken->steady.at < 0 ? 0 : (cycle - taken->steady.at) / interval;
    return frame * weir_signature_beats(taken) + weir_signature_count(frame_of(taken, frame), cycle - frame * interval);
}

/* What waits when beat a_from + index is given. */
static void count_waiting(comparison *c, int64_t index) {
    assert(index >= 0 && index < c->beats);
    const int64_t beat = c->a_from + index;
    const int64_t at = weir_signature_at(c->a, beat) + c->frame * c->interval;
    const int64_t waiting = c->frame * weir_signature_beats(c->given) + beat + 1 - taken_by(c->taken, c->interval, at);
    if (waiting > c->waiting) c->waiting = waiting;
}

/* A level in which a beat lies: from that beat on `left` beats, of which each moves `stride` cycles after the one
 * `body` beats before. */
typedef struct surrounding {
    int64_t body, stride, left;
} surrounding;

enum { SURROUNDINGS = 24 }; /* inner ones of deeper nests are not seen */

static size_t levels_around(const weir_signature_part *part, int64_t index, surrounding *found) {
    const weir_signature_level *level = part->level;
    size_t count = 0;
    for (;;) {
        if (level->count > 1 && count < SURROUNDINGS)
            found[count++] = (surrounding){level->body, level->stride, level->beats - index};
        if (level->parts == 0) return count;
        index %= level->body;
        const weir_signature_part *inner = part_of_beat(level, index);
        index -= inner->first;
        level = inner->level;
    }
}

/* What both sides repeat: `times` windows of so many beats, each of which is `drift` cycles later in b than the one
 * before. */
typedef struct repetition {
    int64_t window, times, drift;
} repetition;

/* The longest one that begins at a beat, and of these that of the shortest window; times < 2: none. */
static repetition repetition_at(const comparison *c, int64_t done, int64_t left) {
    surrounding a[SURROUNDINGS], b[SURROUNDINGS];
    const size_t as = levels_around(c->a, c->a_from + done, a), bs = levels_around(c->b, c->b_from + done, b);
    repetition best = {1, 1, 0};
    for (size_t i = 0; i < as; i++) {
        for (size_t k = 0; k < bs; k++) {
            int64_t both = a[i].left < b[k].left ? a[i].left : b[k].left;
            if (both > left) both = left;
            if (both < 2 * a[i].body || both < 2 * b[k].body) continue;
            const int64_t of_a = b[k].body / weir_common_divisor(a[i].body, b[k].body), window = a[i].body * of_a,
                          times = both / window;
            const bool longer = times * window > best.times * best.window ||
                                (times * window == best.times * best.window && window < best.window);
            if (times >= 2 && longer)
                best = (repetition){window, times, window / b[k].body * b[k].stride - of_a * a[i].stride};
        }
    }
    return best;
}

/* Of `beats` beats from `done` on. */
static lateness compare(comparison *c, int64_t done, int64_t beats) {
    assert(done >= 0 && beats >= 1 && done + beats <= c->beats);
    lateness best = {INT64_MIN, 0};
    for (const int64_t end = done + beats; done < end;) {
        const repetition r = repetition_at(c, done, end - done);
        c->steps++;
        if (r.times > 1 && r.window > 1) {
            const lateness first = compare(c, done, r.window);
            keep_later(&best, first);
            keep_later(&best, (lateness){first.most + (r.times - 1) * r.drift, first.where + (r.times - 1) * r.window});
            done += r.times * r.window;
            count_waiting(c, done - 1);
            continue;
        }
        int64_t a_stride, b_stride, run = run_at(c->a, c->a_from + done, &a_stride);
        const int64_t b_run = run_at(c->b, c->b_from + done, &b_stride);
        if (b_run < run) run = b_run;
        if (end - done < run) run = end - done;
        const int64_t late = weir_signature_at(c->b, c->b_from + done) - weir_signature_at(c->a, c->a_from + done);
        keep_later(&best, (lateness){late, done});
        if (run > 1) keep_later(&best, (lateness){late + (run - 1) * (b_stride - a_stride), done + run - 1});
        done += run;
        count_waiting(c, done - 1);
    }
    return best;
}

/* Of all that is compared. */
static int64_t latest_of(comparison *c) {
    const lateness latest = compare(c, 0, c->beats);
    count_waiting(c, latest.where);
    return latest.most;
}

/* The latest that a beat is taken after the beat `depth` beats after it was given; *found: the most beats that wait. */
static int64_t latest(const weir_signature *given, const weir_signature *taken, int64_t interval, int64_t depth,
                      weir_waiting *found) {
    assert(depth >= 0);
    const int64_t beats = weir_signature_beats(given), back = depth / beats, rest = depth % beats;
    int64_t most = INT64_MIN;
    const bool alike = is_steady(given) && is_steady(taken); /* frame 1 is like any other */
    comparison c = {.given = given, .taken = taken, .interval = interval, .waiting = found->beats};
    for (c.frame = back; c.frame <= back + 2; c.frame++) {
        for (int part = 0; part < 2;
             part++) { /* beats before `rest`, which pair with a frame earlier, and the others */
            int64_t other = c.frame - back - (part == 0);
            if (other < 0 || other == 2) continue; /* frame 2 against itself is frame 1 against itself */
            if (alike && c.frame != back + 1) continue;
            c.a = frame_of(given, c.frame);
            c.b = frame_of(taken, other);
            c.a_from = part == 0 ? 0 : rest;
            c.b_from = part == 0 ? beats - rest : 0;
            c.beats = part == 0 ? rest : beats - rest;
            if (c.beats > 0) most = weir_later(most, latest_of(&c) + (other - c.frame) * interval);
        }
    }
    found->beats = c.waiting;
    found->steps += c.steps;
    return most;
}

weir_waiting weir_signature_waiting(const weir_signature *given, const weir_signature *taken, int64_t interval) {
    assert(weir_signature_beats(taken) == weir_signature_beats(given) && interval > 0);
    weir_waiting waiting = {0, 0, 0};
    /* With `depth` beats in the queue, beat i is given when beat i - depth has been taken. A depth for which that is
     * wrong of some beat is too small for what waits at that one. */
    for (int64_t depth = 0;;) {
        int64_t late = latest(given, taken, interval, depth, &waiting);
        if (depth == 0) waiting.cycles = late;
        if (late <= 0) break;
        depth = waiting.beats = weir_later(waiting.beats, depth + 1); /* frames of a bound may overlap */
    }
    return waiting;
}
