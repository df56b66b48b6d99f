/* How far apart lines can be in weir_taps, on all small ones: a search of every order in which a delay line with a
 * fixed place for each tap may be shifted, in which the fewest cycles a line are those of the header's Bound, as the
 * component has them. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "common/line.h"
#include "dataflow/component.h"

enum { LINES = 5, MOST_KERNEL = 4, MOST_SIZE = 5, MOST_STRIDE = 2, MOST_DILATION = 2, MOST_REACH = 4 };

/* Pixels taken and positions given of all lines, and which of the last shifts took a pixel: bit 0 is the latest. */
typedef struct point {
    int taken, given, took;
} point;

/* The pixel that lies so many shifts behind what is taken now, `pixel` or none; -1: there is none. */
static int pixel_at(const point *at, int behind, int pixel) {
    if (behind == 0) return pixel;
    if ((at->took >> (behind - 1) & 1) == 0) return -1;
    int later = 0;
    for (int i = 0; i < behind - 1; i++) later += at->took >> i & 1;
    return at->taken - 1 - later;
}

/* Does each tap of the next position that sees a pixel see its own? */
static bool sees(const line *w, const point *at, int pixel) {
    const int number = at->given / w->out, first = at->given % w->out * w->stride - w->begin;
    for (int k = 0; k < w->kernel; k++) {
        const int place = first + k * w->dilation;
        if (place < 0 || place >= w->in) continue;
        if (pixel_at(at, (w->kernel - 1 - k) * w->dilation, pixel) != number * w->in + place) return false;
    }
    return true;
}

typedef struct search {
    const line *w;
    bool *seen;
    point *queue;
    size_t count;
    int lines;
} search;

static void reach_state(search *s, point to) {
    const line *w = s->w;
    to.took &= (1 << line_reach(w)) - 1;
    const size_t number = ((size_t)to.taken * (size_t)(LINES * w->out + 1) + (size_t)to.given) << MOST_REACH;
    if (s->seen[number + (size_t)to.took]) return;
    s->seen[number + (size_t)to.took] = true;
    s->queue[s->count++] = to;
}

/* What a cycle may do: take a pixel, which shifts, or shift without one, or neither; and give the next position. */
static void go_on(search *s, point from) {
    const line *w = s->w;
    for (int does = 0; does < 6; does++) {
        const bool takes = does % 3 == 2, shifts = does % 3 > 0, gives = does >= 3;
        const int pixel = takes ? from.taken : -1;
        point to = from;
        if (takes && from.taken == s->lines * w->in) continue;
        if (gives && (from.given == s->lines * w->out || !sees(w, &from, pixel))) continue;
        to.given += gives;
        to.taken += takes;
        if (shifts) to.took = to.took << 1 | takes;
        reach_state(s, to);
    }
}

/* The fewest cycles in which so many lines are taken and all their positions given. */
static int fewest_cycles(const line *w, int lines) {
    const size_t states = (size_t)(LINES * w->in + 1) * (size_t)(LINES * w->out + 1) << MOST_REACH;
    search s = {w, calloc(states, sizeof(bool)), malloc(states * sizeof(point)), 0, lines};
    assert_true(s.seen != NULL && s.queue != NULL);
    int cycles = 0;
    bool found = false;
    reach_state(&s, (point){0, 0, 0});
    for (size_t at = 0, level = s.count; !found; level = s.count, cycles++) {
        assert_true(at < level);
        for (; at < level; at++) {
            found |= s.queue[at].taken == lines * w->in && s.queue[at].given == lines * w->out;
            if (!found) go_on(&s, s.queue[at]);
        }
    }
    free(s.seen);
    free(s.queue);
    return cycles - 1;
}

/* What the component calls ideal for a frame of one line, a beat a pixel. */
static int64_t ideal_of(const line *w) {
    weir_node node;
    weir_graph *graph = line_graph(WEIR_OP_WINDOW, w, &node);
    weir_meta_hardware *hardware = &weir_node_metadata(graph, node)->hardware;
    hardware->module = "weir_taps";
    hardware->in_lanes = 1;
    hardware->out_lanes = w->kernel;
    weir_graph_set_interval(graph, 1);
    const int64_t ideal = weir_component_of(graph, node)->rules->ideal(graph, node);
    weir_graph_free(graph);
    return ideal;
}

/* Does each position see a pixel, and the last tap at some position? A position that sees none could be given at any
 * time, and without a tap that sees none the kernel is a smaller one. */
static bool all_see(const line *w) {
    bool last = false;
    for (int o = 0; o < w->out; o++) {
        bool any = false;
        for (int k = 0; k < w->kernel; k++) {
            const int place = o * w->stride + k * w->dilation - w->begin;
            const bool sees = place >= 0 && place < w->in;
            any |= sees;
            last |= sees && k == w->kernel - 1;
        }
        if (!any) return false;
    }
    return last;
}

static void no_order_is_faster(void **state) {
    (void)state;
    int lines = 0, joined = 0;
    const line_limits most = {MOST_SIZE, INT_MAX, MOST_KERNEL, MOST_STRIDE, MOST_DILATION};
    for (line w = LINE_BEFORE_FIRST; line_next(&w, &most);) {
        if (line_reach(&w) > MOST_REACH || (w.kernel == 1 && w.in == w.out) || !all_see(&w)) continue;
        lines++;
        const int found = fewest_cycles(&w, LINES) - fewest_cycles(&w, LINES - 1);
        const int64_t ideal = ideal_of(&w);
        const int alone = line_end(&w, w.out - 1) + 1;
        joined += alone > w.in && ideal < alone;
        line_takes(&w, found, ideal);
    }
    print_message("%d lines, of which %d have joined steps\n", lines, joined);
    assert_true(lines > 300 && joined > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_order_is_faster)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
