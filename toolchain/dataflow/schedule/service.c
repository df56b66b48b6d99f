#include "dataflow/schedule/service.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"

enum {
    LISTS = 2 * WEIR_SERVICE_PORTS,
    HISTORY = 48,  /* iterations of a loop that later ones are compared with */
    PATIENCE = 32, /* iterations until copies count that begin inside those of the arrivals */
    MOST_FRAMES = 64,
    MOST_DEPTH = 8, /* loops that are open */
    MARKS = 24,
    BEFORE_ALL = 1 << 16 /* cycles, more than the latencies of a component */
};

/* What a rule works on, before an iteration. */
typedef struct snapshot {
    int64_t done; /* iterations */
    int64_t time[WEIR_SERVICE_REGISTERS];
    int64_t position[WEIR_SERVICE_PORTS], next[WEIR_SERVICE_PORTS]; /* beats taken, arrival of the next */
    size_t fence[LISTS];                                            /* parts of each list */
} snapshot;

/* Where a rule is: the loops that are open, each the how manieth of its body, and their iterations. */
typedef struct place {
    size_t depth, loop[MOST_DEPTH];
    int64_t done[MOST_DEPTH];
} place;

/* A place in the first frame and all that had come of it by then. */
typedef struct mark {
    place at;
    int64_t time[WEIR_SERVICE_REGISTERS], position[WEIR_SERVICE_PORTS];
    weir_signature_part *part[LISTS];
    size_t count[LISTS];
} mark;

struct weir_service_state {
    const weir_service_ports *ports;
    int64_t start;                                               /* initial value of registers */
    const weir_signature_part *arrive[WEIR_SERVICE_PORTS];       /* of this frame */
    int64_t position[WEIR_SERVICE_PORTS];                        /* beats of this frame that were taken */
    int64_t next[WEIR_SERVICE_PORTS], known[WEIR_SERVICE_PORTS]; /* arrival of the beat at position `known` - 1 */
    weir_signature_list list[LISTS];                             /* taken by input, then given by output */
    weir_map levels;                                             /* of all lists */
    snapshot *history;                                           /* of all loops that are open, the innermost last */
    size_t entries, capacity;
    size_t registers; /* all after them have never been set */
    int64_t steps;
    /* Of a second frame that may be like the first. */
    place at;
    size_t loops; /* of the body so far */
    mark mark[MARKS];
    size_t marks, trials;
    int64_t looks;
    bool marking, comparing;
    bool settled; /* the rest of the frame is that of the first */
};

typedef struct loop {
    weir_service_body *body;
    const void *user;
    int64_t left;   /* iterations */
    size_t base;    /* entry of the history where its own begin */
    int64_t resume; /* iterations until a line is tried again, once one went nowhere */
} loop;

static int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }

/* --- beats --- */

static int64_t arrival(weir_service_state *s, size_t input) {
    const weir_signature_part *part = s->arrive[input];
    const int64_t at = s->position[input];
    if (s->known[input] == at + 1) return s->next[input];
    s->known[input] = at + 1;
    s->next[input] = at < part->level->beats ? weir_signature_at(part, at) : s->start;
    return s->next[input];
}

static void record_taken(weir_service_state *s, size_t input, int64_t at) {
    s->position[input]++;
    weir_signature_add(&s->list[input], at);
}

int64_t weir_service_take(weir_service *service, size_t input, int64_t earliest) {
    weir_service_state *s = service->state;
    assert(input < s->ports->inputs);
    if (s->settled) return earliest;
    int64_t at = weir_later(earliest, arrival(s, input));
    record_taken(s, input, at);
    return at;
}

void weir_service_take_beat(weir_service *service, const void *user) {
    (void)user;
    service->time[0] = weir_service_take(service, 0, service->time[0]) + 1;
}

int64_t weir_service_take_all(weir_service *service, int64_t earliest) {
    weir_service_state *s = service->state;
    int64_t at = earliest;
    if (s->settled) return at;
    for (size_t i = 0; i < s->ports->inputs; i++) at = weir_later(at, arrival(s, i));
    for (size_t i = 0; i < s->ports->inputs; i++) record_taken(s, i, at);
    return at;
}

void weir_service_give(weir_service *service, size_t output, int64_t at) {
    weir_service_state *s = service->state;
    assert(output < s->ports->outputs);
    if (!s->settled) weir_signature_add(&s->list[s->ports->inputs + output], at);
}

/* --- loops --- */

static size_t list_count(const weir_service_state *s) { return s->ports->inputs + s->ports->outputs; }

static void look(const weir_service *service, int64_t done, snapshot *now) {
    weir_service_state *s = service->state;
    size_t set = WEIR_SERVICE_REGISTERS;
    while (set > s->registers && service->time[set - 1] == s->start) set--;
    s->registers = set;
    now->done = done;
    memcpy(now->time, service->time, sizeof now->time);
    for (size_t i = 0; i < s->ports->inputs; i++) {
        now->position[i] = s->position[i];
        now->next[i] = arrival(s, i);
    }
    for (size_t i = 0; i < list_count(s); i++) now->fence[i] = s->list[i].count;
}

static bool is_set(const weir_service_state *s, const snapshot *now, size_t r) { return now->time[r] != s->start; }

/* Copies of the beats since `then` that the arrivals go on with, at most `most`; *stride: cycles from one to the next
 * if they are all alike, else *even is false. *aligned: they are whole copies of levels of the arrivals. */
static int64_t arrivals_alike(const weir_service_state *s, const snapshot *then, const snapshot *now, int64_t most,
                              int64_t stride, bool *even, bool *aligned) {
    for (size_t i = 0; i < s->ports->inputs && most > 0; i++) {
        int64_t lag = now->position[i] - then->position[i], moved = 0;
        bool whole = true;
        if (lag == 0) continue;
        most = lesser(most, weir_signature_alike(s->arrive[i], then->position[i], lag, &moved, &whole) / lag);
        *even = *even && moved == stride;
        *aligned = *aligned && whole;
    }
    return most;
}

/* Have all registers, and the arrivals that are waited for, moved by one stride? */
static bool moved_evenly(const weir_service_state *s, const snapshot *then, const snapshot *now, int64_t *stride) {
    *stride = INT64_MIN;
    for (size_t r = 0; r < s->registers; r++) {
        if (is_set(s, then, r) != is_set(s, now, r)) return false;
        if (!is_set(s, now, r)) continue;
        if (*stride != INT64_MIN && now->time[r] - then->time[r] != *stride) return false;
        *stride = now->time[r] - then->time[r];
    }
    for (size_t i = 0; i < s->ports->inputs; i++)
        if (now->position[i] > then->position[i] && now->next[i] - then->next[i] != *stride) return false;
    return *stride != INT64_MIN;
}

typedef struct shortcut {
    size_t from;   /* entry of the history: the first copy goes from there to `from + window` iterations */
    int64_t times; /* further copies */
    int64_t window;
    int64_t stride; /* one for all */
} shortcut;

/* Everything since an earlier iteration happens again and again, by one stride. */
static bool find_copies(const weir_service_state *s, const loop *l, shortcut *found) {
    assert(s->entries > l->base);
    const snapshot *now = &s->history[s->entries - 1];
    *found = (shortcut){0, 0, 0, 0};
    for (size_t entry = s->entries - 1; entry-- > l->base;) {
        const snapshot *then = &s->history[entry];
        int64_t window = now->done - then->done, stride;
        bool even = true, aligned = true;
        if (window > l->left) break;
        if (!moved_evenly(s, then, now, &stride) || l->left / window * window <= found->times * found->window) continue;
        int64_t times = arrivals_alike(s, then, now, l->left / window, stride, &even, &aligned);
        if (times == 0 || !even || times * window <= found->times * found->window) continue;
        if (!aligned && s->entries - l->base < PATIENCE) continue;
        *found = (shortcut){entry, times, window, stride};
    }
    return found->times > 0;
}

/* Moves registers and positions by `times` copies of what lies between two snapshots. */
static void move_on(weir_service *service, const snapshot *from, const snapshot *to, int64_t times) {
    assert(times >= 0);
    const weir_service_state *s = service->state;
    for (size_t r = 0; r < WEIR_SERVICE_REGISTERS; r++) {
        if (is_set(s, to, r)) service->time[r] = to->time[r] + times * (to->time[r] - from->time[r]);
    }
    for (size_t i = 0; i < service->state->ports->inputs; i++)
        service->state->position[i] = to->position[i] + times * (to->position[i] - from->position[i]);
}

static int64_t apply_copies(weir_service *service, const shortcut *found) {
    weir_service_state *s = service->state;
    assert(found->from + 1 < s->entries && found->times > 0);
    const snapshot then = s->history[found->from], now = s->history[s->entries - 1];
    move_on(service, &then, &now, found->times);
    for (size_t i = 0; i < list_count(s); i++)
        weir_signature_repeat(&s->list[i], then.fence[i], found->times, found->stride);
    s->entries = found->from + 1;
    return found->window * found->times;
}

/* --- lines --- */

/* Three snapshots a window apart: what happened from the first to the second and from there to the third. */
typedef struct line {
    snapshot at[3];
    size_t from;           /* entry of the first */
    int64_t window, most;  /* copies of the first window that the arrivals go on with */
    int64_t stride[LISTS]; /* from the first window to the second, by list */
} line;

/* Are parts [first, end) of the list those of [from, ...) later by *stride? Empty ones are. */
static bool is_later(const weir_signature_list *list, size_t from, size_t first, size_t end, int64_t *stride) {
    if (end == first) return true;
    *stride = list->part[first].at - list->part[from].at;
    for (size_t i = 0; first + i < end; i++) {
        const weir_signature_part *a = &list->part[from + i], *b = &list->part[first + i];
        weir_signature_part moved = {0, b->at - *stride, b->level};
        if (!weir_signature_equal(a, &moved)) return false;
    }
    return true;
}

/* Have registers, positions and arrivals moved by the same twice? */
static bool is_straight(const weir_service_state *s, const snapshot *a, const snapshot *b, const snapshot *c) {
    for (size_t r = 0; r < s->registers; r++) {
        if (is_set(s, a, r) != is_set(s, b, r) || is_set(s, b, r) != is_set(s, c, r)) return false;
        if (is_set(s, a, r) && c->time[r] - b->time[r] != b->time[r] - a->time[r]) return false;
    }
    for (size_t i = 0; i < s->ports->inputs; i++) {
        if (c->position[i] - b->position[i] != b->position[i] - a->position[i]) return false;
        if (c->next[i] - b->next[i] != b->next[i] - a->next[i]) return false;
    }
    return true;
}

/* Do the beats of the second window come as those of the first? */
static bool is_line(const weir_service_state *s, line *l) {
    const snapshot *a = &l->at[0], *b = &l->at[1], *c = &l->at[2];
    for (size_t i = 0; i < list_count(s); i++) {
        if (c->fence[i] - b->fence[i] != b->fence[i] - a->fence[i]) return false;
        l->stride[i] = 0;
        if (!is_later(&s->list[i], a->fence[i], b->fence[i], c->fence[i], &l->stride[i])) return false;
    }
    return true;
}

static bool find_line(const weir_service_state *s, const loop *l, line *found) {
    const snapshot *now = &s->history[s->entries - 1];
    found->most = found->window = 0;
    for (size_t entry = s->entries - 1, first = entry; entry-- > l->base;) {
        const snapshot *then = &s->history[entry];
        int64_t window = now->done - then->done;
        if (window > l->left) break;
        while (first > l->base && s->history[first].done > then->done - window) first--;
        if (s->history[first].done != then->done - window || !is_straight(s, &s->history[first], then, now)) continue;
        if ((l->left / window + 1) * window <= found->most * found->window) continue;
        line next = {.at = {s->history[first], *then, *now}, .from = first, .window = window};
        bool even = true, aligned = true;
        next.most = arrivals_alike(s, &next.at[0], then, l->left / window + 1, 0, &even, &aligned);
        if (next.most < 3 || next.most * window <= found->most * found->window || !is_line(s, &next)) continue;
        if (!aligned && s->entries - l->base < PATIENCE) continue;
        *found = next;
    }
    return found->most > 0;
}

/* Executes window `copy` of the line, counted from 0, and compares it; leaves everything as it was. */
static bool is_on_line(weir_service *service, const loop *l, const line *x, int64_t copy) {
    weir_service_state *s = service->state;
    snapshot saved, before;
    bool same = true;
    look(service, 0, &saved);
    move_on(service, &x->at[0], &x->at[1], copy - 1);
    look(service, 0, &before);
    s->trials++;
    for (int64_t i = 0; i < x->window; i++) l->body(service, l->user);
    s->trials--;
    s->steps += x->window;
    for (size_t r = 0; r < WEIR_SERVICE_REGISTERS && same; r++) {
        same = !is_set(s, &x->at[0], r) || service->time[r] - before.time[r] == x->at[1].time[r] - x->at[0].time[r];
    }
    for (size_t i = 0; i < s->ports->inputs && same; i++)
        same = s->position[i] - before.position[i] == x->at[1].position[i] - x->at[0].position[i];
    for (size_t i = 0; i < list_count(s) && same; i++) {
        int64_t stride = 0;
        same = s->list[i].count - before.fence[i] == x->at[1].fence[i] - x->at[0].fence[i] &&
               is_later(&s->list[i], x->at[0].fence[i], before.fence[i], s->list[i].count, &stride) &&
               stride == x->stride[i] * copy;
    }
    for (size_t i = 0; i < list_count(s); i++) s->list[i].count = saved.fence[i];
    memcpy(service->time, saved.time, sizeof saved.time);
    for (size_t i = 0; i < s->ports->inputs; i++) s->position[i] = saved.position[i];
    return same;
}

/* How far the line goes: its last window by bisection, for what is off the line once is off it for good. */
static int64_t line_end(weir_service *service, const loop *l, const line *x) {
    int64_t on = 1, off = x->most + 1;
    if (is_on_line(service, l, x, x->most)) return x->most;
    for (off--; off - on > 1;) {
        int64_t middle = on + (off - on) / 2;
        if (is_on_line(service, l, x, middle)) on = middle;
        else off = middle;
    }
    return on;
}

static int64_t apply_line(weir_service *service, const line *x, int64_t end) {
    weir_service_state *s = service->state;
    move_on(service, &x->at[0], &x->at[1], end);
    for (size_t i = 0; i < list_count(s); i++) {
        s->list[i].count = x->at[1].fence[i];
        weir_signature_repeat(&s->list[i], x->at[0].fence[i], end, x->stride[i]);
    }
    s->entries = x->from + 1;
    return (end - 1) * x->window;
}

/* Iterations that a shortcut did; 0: there is none. */
static int64_t take_shortcut(weir_service *service, loop *l, int64_t done) {
    weir_service_state *s = service->state;
    shortcut copies;
    line straight;
    if (s->entries - l->base < 2) return 0;
    if (find_copies(s, l, &copies)) return apply_copies(service, &copies);
    if (done < l->resume || !find_line(s, l, &straight)) return 0;
    int64_t end = line_end(service, l, &straight);
    l->resume = done + (end > 1 ? 0 : 2 * straight.window);
    return end > 1 ? apply_line(service, &straight, end) : 0;
}

/* --- frames like the first --- */

static bool is_at(const place *a, const place *b) {
    if (a->depth != b->depth) return false;
    for (size_t i = a->depth; i-- > 0;)
        if (a->done[i] != b->done[i] || a->loop[i] != b->loop[i]) return false;
    return true;
}

static void put_mark(const weir_service *service) {
    weir_service_state *s = service->state;
    assert(s->marks < MARKS);
    mark *m = &s->mark[s->marks++];
    m->at = s->at;
    memcpy(m->time, service->time, sizeof m->time);
    memcpy(m->position, s->position, sizeof m->position);
    for (size_t i = 0; i < list_count(s); i++) {
        m->count[i] = s->list[i].count;
        m->part[i] = weir_malloc((m->count[i] + 1) * sizeof *m->part[i]);
        for (size_t k = 0; k < m->count[i]; k++) m->part[i][k] = s->list[i].part[k];
    }
}

static bool is_like(const weir_service *service, const mark *m) {
    const weir_service_state *s = service->state;
    if (!is_at(&s->at, &m->at) || memcmp(service->time, m->time, sizeof m->time) != 0) return false;
    for (size_t i = 0; i < s->ports->inputs; i++)
        if (s->position[i] != m->position[i]) return false;
    for (size_t i = 0; i < list_count(s); i++) {
        if (s->list[i].count != m->count[i]) return false;
        for (size_t k = 0; k < m->count[i]; k++)
            if (!weir_signature_equal(&s->list[i].part[k], &m->part[i][k])) return false;
    }
    return true;
}

/* Before an iteration, not one of a trial: the first frame leaves marks, ever further apart. Where a second frame with
 * the same arrivals has come to a mark with the same registers and the same beats behind it, what remains of it is what
 * remained of the first. */
static void mark_or_compare(const weir_service *service) {
    weir_service_state *s = service->state;
    if (s->trials > 0 || s->at.depth > MOST_DEPTH) return;
    if (s->marking && s->marks < MARKS && s->looks++ % (1 + (int64_t)s->marks * (int64_t)s->marks / 8) == 0)
        put_mark(service);
    for (size_t i = 0; s->comparing && !s->settled && i < s->marks; i++) s->settled = is_like(service, &s->mark[i]);
}

/* Loops that are not periodic look for a shortcut ever less often. */
static bool is_worth_a_try(int64_t steps) {
    assert(steps >= 0);
    return steps <= 32 || steps % (steps / 16) == 0;
}

void weir_service_repeat(weir_service *service, int64_t count, weir_service_body *body, const void *user) {
    assert(count >= 0);
    weir_service_state *s = service->state;
    const size_t first = s->entries, depth = s->at.depth++, loops = s->loops;
    loop l = {.body = body, .user = user, .base = first};
    size_t floor[LISTS];
    for (size_t i = 0; i < list_count(s); i++) floor[i] = s->list[i].count;
    for (int64_t done = 0, tries = 0; done < count && !s->settled; tries++) {
        l.left = count - done;
        if (depth < MOST_DEPTH) {
            s->at.loop[depth] = loops;
            s->at.done[depth] = done;
        }
        mark_or_compare(service);
        if (s->settled) break;
        s->loops = 0;
        s->history = weir_grow(s->history, &s->capacity, s->entries + 1, sizeof *s->history);
        look(service, done, &s->history[s->entries++]);
        int64_t skipped = is_worth_a_try(tries) ? take_shortcut(service, &l, done) : 0;
        done += skipped;
        if (skipped > 0) tries = 0;
        if (skipped > 0) continue;
        body(service, user);
        s->steps++;
        done++;
        if (s->entries - l.base < HISTORY || ++l.base < first + HISTORY) continue;
        memcpy(&s->history[first], &s->history[l.base], (HISTORY - 1) * sizeof *s->history);
        s->entries = first + HISTORY - 1;
        l.base = first;
    }
    s->entries = first;
    s->at.depth = depth;
    s->loops = loops + 1;
    for (size_t i = 0; i < list_count(s); i++) weir_signature_merge(&s->list[i], floor[i]);
}

/* --- frames --- */

/* So long before the first beat arrives that it binds nothing: what a rule does before its first take is less than a
 * few intervals. Moves with the arrivals. */
static int64_t start_of(const weir_service_ports *ports) {
    int64_t first = ports->inputs == 0 ? 0 : INT64_MAX;
    for (size_t i = 0; i < ports->inputs; i++) first = lesser(first, ports->arrive[i]->first.at);
    return first - 4 * ports->interval - BEFORE_ALL;
}

/* The registers as the next frame sees them. */
static void next_frame(weir_service *service, int64_t interval) {
    assert(interval > 0);
    for (size_t r = 0; r < WEIR_SERVICE_REGISTERS; r++)
        if (service->time[r] != service->state->start) service->time[r] -= interval;
}

/* One frame; the list of each port is closed into `part`. */
static void run_frame(weir_service *service, weir_service_body *rule, const void *user, weir_signature_part *part) {
    weir_service_state *s = service->state;
    memset(s->position, 0, sizeof s->position);
    memset(s->known, 0, sizeof s->known);
    s->loops = 0;
    rule(service, user);
    assert(s->entries == 0);
    for (size_t i = 0; i < list_count(s); i++) part[i] = weir_signature_close(&s->list[i]);
    next_frame(service, s->ports->interval);
}

static bool arrives_alike(const weir_service_ports *ports) {
    for (size_t i = 0; i < ports->inputs; i++)
        if (!weir_signature_equal(&ports->arrive[i]->first, &ports->arrive[i]->steady)) return false;
    return true;
}

static bool check_beats(const weir_service_state *s, const weir_signature_part *part, size_t *port) {
    for (*port = 0; *port < list_count(s); ++*port) {
        if (part[*port].level == NULL) return false;
        if (*port < s->ports->inputs && s->position[*port] != s->arrive[*port]->level->beats) return false;
    }
    return true;
}

/* A frame that is the one before it shares its levels. */
static weir_signature join_frames(weir_signature_part first, weir_signature_part steady) {
    if (weir_signature_equal(&first, &steady)) steady = first;
    return (weir_signature){first, steady};
}

weir_service_result weir_service_run(weir_arena *arena, const weir_service_ports *ports, weir_service_body *rule,
                                     const void *user, weir_signature *taken, weir_signature *given) {
    assert(ports->interval > 0 && ports->inputs <= WEIR_SERVICE_PORTS && ports->outputs <= WEIR_SERVICE_PORTS);
    weir_service_state state = {.ports = ports, .start = start_of(ports)};
    weir_service service = {.state = &state};
    weir_service_result result = {.status = WEIR_SERVICE_SLOW};
    weir_signature_part first[LISTS] = {{0}}, steady[LISTS] = {{0}};
    int64_t before[WEIR_SERVICE_REGISTERS];
    const bool alike = arrives_alike(ports);
    for (size_t r = 0; r < WEIR_SERVICE_REGISTERS; r++) service.time[r] = state.start;
    for (size_t i = 0; i < list_count(&state); i++)
        state.list[i] = (weir_signature_list){.arena = arena, .known = &state.levels};
    for (int frame = 0; frame < MOST_FRAMES && result.status == WEIR_SERVICE_SLOW; frame++) {
        for (size_t i = 0; i < ports->inputs; i++)
            state.arrive[i] = frame == 0 ? &ports->arrive[i]->first : &ports->arrive[i]->steady;
        memcpy(before, service.time, sizeof before);
        state.marking = frame == 0 && alike;
        state.comparing = frame == 1 && alike;
        run_frame(&service, rule, user, frame == 0 ? first : steady);
        if (state.settled) {
            memcpy(steady, first, sizeof steady);
            memcpy(service.time, before, sizeof before);
            result.status = WEIR_SERVICE_FINE;
        } else if (!check_beats(&state, frame == 0 ? first : steady, &result.port)) result.status = WEIR_SERVICE_WRONG;
        else if (frame > 0 && memcmp(before, service.time, sizeof before) == 0) result.status = WEIR_SERVICE_FINE;
    }
    for (size_t r = 0; r < WEIR_SERVICE_REGISTERS; r++)
        result.late = weir_later(result.late, service.time[r] - before[r]);
    result.steps = state.steps;
    for (size_t i = 0; i < list_count(&state) && result.status == WEIR_SERVICE_FINE; i++)
        *(i < ports->inputs ? &taken[i] : &given[i - ports->inputs]) = join_frames(first[i], steady[i]);
    for (size_t m = 0; m < state.marks; m++)
        for (size_t i = 0; i < list_count(&state); i++) free(state.mark[m].part[i]);
    free(state.history);
    weir_map_free(&state.levels);
    return result;
}
