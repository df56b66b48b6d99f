/* How long a frame takes in weir_window, on all small windows, in a model of its ring that is followed cycle by cycle:
 * with the spare rows of its header no frame takes a pause, and with those that window.c gives it none takes a longer
 * one than 2 % of what a frame may take. The module itself is held to it in timing.c, on random windows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <limits.h>

#include "common/line.h"
#include "dataflow/component.h"
#include "ir/shape/infer.h"

enum { FRAMES = 6, MOST_KERNEL = 3, MOST_SIZE = 5, MOST_STRIDE = 2, MOST_DILATION = 2 };

typedef struct window {
    line y, x;
    int64_t group, runs; /* beats of a group's channels */
} window;

typedef struct reader {
    int64_t frame, oy, ox, g, kx, ky, run; /* of the beat to be given */
} reader;

static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* The next beat, innermost loop first. True after a position's last one. */
static bool move_on(reader *r, const window *w) {
    const int64_t end[] = {w->runs, w->y.kernel, w->x.kernel, w->group, w->x.out, w->y.out};
    int64_t *const at[] = {&r->run, &r->ky, &r->kx, &r->g, &r->ox, &r->oy};
    size_t i = 0;
    while (i < 6 && ++*at[i] == end[i]) *at[i++] = 0;
    r->frame += i == 6;
    return i >= 4;
}

/* The first beat that the reader's position or a later one sees: none above the frame or left of it. */
static int64_t first_needed(const reader *r, const window *w, int64_t pixel) {
    const int64_t row = w->x.in * pixel, y = r->oy * w->y.stride - w->y.begin, x = r->ox * w->x.stride - w->x.begin;
    return r->frame * w->y.in * row + (y < 0 ? 0 : y * row + most(x, 0) * pixel);
}

/* Cycles from the last beat of a frame to that of the next one, when beats are always there and always taken. A beat is
 * written from the cycle on after the one it replaces is left, and read from the cycle on after that. */
static int64_t follow(const window *w, int64_t spare) {
    const int64_t pixel = w->group * w->runs, row = w->x.in * pixel;
    const int64_t ring = (line_reach(&w->y) + w->y.stride + spare) * row;
    int64_t written = 0, needed = 0, last = 0, interval = 0;
    reader r = {0};
    for (int64_t cycle = 0; r.frame < FRAMES; cycle++) {
        const int64_t y = r.oy * w->y.stride + r.ky * w->y.dilation - w->y.begin;
        const int64_t x = r.ox * w->x.stride + r.kx * w->x.dilation - w->x.begin;
        const bool exists = y >= 0 && y < w->y.in && x >= 0 && x < w->x.in;
        const bool is_first = r.oy + r.ox + r.g + r.kx + r.ky + r.run == 0;
        const int64_t beat = r.frame * w->y.in * row +
                             (exists ? y * row + x * pixel + r.g * w->runs + r.run : 0); /* or a frame's first */
        const bool write = written - ring < needed, give = beat < written || (!exists && !is_first);
        if (give) {
            const int64_t frame = r.frame;
            if (move_on(&r, w)) needed = first_needed(&r, w, pixel);
            if (r.frame > frame) {
                interval = cycle - last;
                last = cycle;
            }
        }
        written += write;
    }
    return interval;
}

static void print(const window *w) {
    const line *axes[] = {&w->y, &w->x};
    for (int i = 0; i < 2; i++)
        print_message("in %d out %d kernel %d stride %d dilation %d begin %d; ", axes[i]->in, axes[i]->out,
                      axes[i]->kernel, axes[i]->stride, axes[i]->dilation, axes[i]->begin);
    print_message("groups %lld of %lld beats\n", (long long)w->group, (long long)w->runs);
}

static int64_t ideal_of(const window *w) {
    const int64_t given = w->x.out * w->y.out * w->x.kernel * w->y.kernel, taken = w->x.in * w->y.in;
    return most(given, taken) * w->group * w->runs;
}

/* Those of the header of weir_window. */
static int64_t stated_rows(const window *w) {
    const line *y = &w->y;
    const int64_t kept = y->in - most(0, (y->out - 1) * y->stride - y->begin), reach = line_reach(y);
    const int64_t needed = reach + 1 - y->begin < y->in ? reach + 1 - y->begin : y->in;
    return most(1, kept + needed - reach - y->stride);
}

/* --- the component --- */

static int64_t end_of(const line *a) { return most(0, line_end(a, a->out - 1) + 1 - a->in); }

/* The spare rows that the component has where a frame may take so many cycles. */
static int64_t chosen_rows(const window *w, int64_t interval) {
    const weir_type type = line_type((weir_shape){4, {1, w->y.in, w->x.in, w->group * w->runs}});
    weir_graph *graph = weir_graph_new("window");
    const weir_value x = weir_graph_add_input(graph, "x", &type);
    const weir_node node = weir_graph_add_node(graph, WEIR_OP_WINDOW, "window", &x, 1, 1, WEIR_NO_NODE);
    weir_node_set_ints(graph, node, "kernel_shape", (const int64_t[]){w->y.kernel, w->x.kernel}, 2);
    weir_node_set_ints(graph, node, "strides", (const int64_t[]){w->y.stride, w->x.stride}, 2);
    weir_node_set_ints(graph, node, "dilations", (const int64_t[]){w->y.dilation, w->x.dilation}, 2);
    weir_node_set_ints(graph, node, "pads", (const int64_t[]){w->y.begin, w->x.begin, end_of(&w->y), end_of(&w->x)}, 4);
    weir_node_set_int(graph, node, "group", w->group);
    weir_node_set_int(graph, node, "fill", 0);
    assert_true(weir_infer_node(graph, node) && weir_component_assign(graph));
    weir_meta_hardware *hardware = &weir_node_metadata(graph, node)->hardware;
    hardware->in_lanes = hardware->out_lanes = 1;
    hardware->interval = interval;
    weir_text text = {NULL, 0, 0};
    long long held = 0;
    weir_component_of(graph, node)->rules->describe(graph, node, &text);
    assert_int_equal(sscanf(text.data, "window %*dx%*d, stride %*dx%*d, %lld of", &held), 1);
    weir_text_free(&text);
    weir_graph_free(graph);
    return held - line_reach(&w->y) - w->y.stride;
}

/* --- all of them --- */

/* The next axis whose last position sees a pixel of it or of the padding that its first one may see; false after the
 * last one. */
static bool next_axis(line *a) {
    const line_limits all = {MOST_SIZE, INT_MAX, MOST_KERNEL, MOST_STRIDE, MOST_DILATION};
    while (line_next(a, &all))
        if (line_end(a, a->out - 1) < a->in + line_reach(a)) return true;
    return false;
}

/* Visits all windows, with groups of one beat and of two; how many there are. */
static int64_t visit_windows(void (*visit)(const window *w, int64_t number, int64_t *counted), int64_t *counted) {
    const int64_t shapes[][2] = {{1, 1}, {1, 2}, {2, 1}};
    int64_t windows = 0;
    window w = {.y = LINE_BEFORE_FIRST};
    while (next_axis(&w.y)) {
        for (w.x = LINE_BEFORE_FIRST; next_axis(&w.x); windows++) {
            w.group = shapes[windows % 3][0];
            w.runs = shapes[windows % 3][1];
            visit(&w, windows, counted);
        }
    }
    return windows;
}

static void takes_no_pause(const window *w, int64_t number, int64_t *missed) {
    (void)number;
    const int64_t ideal = ideal_of(w), rows = stated_rows(w);
    if (follow(w, rows) != ideal) {
        print(w);
        fail_msg("%lld cycles with %lld spare rows, not %lld", (long long)follow(w, rows), (long long)rows,
                 (long long)ideal);
    }
    *missed += follow(w, rows - 1) > ideal; /* one row less is noticed */
}

static void no_frame_takes_a_pause(void **state) {
    (void)state;
    int64_t missed = 0;
    const int64_t windows = visit_windows(takes_no_pause, &missed);
    print_message("%lld windows, of which %lld need every spare row\n", (long long)windows, (long long)missed);
    assert_true(windows > 50000 && missed > windows / 50);
}

static void takes_a_short_pause(const window *w, int64_t number, int64_t *spared) {
    if (number % 11 > 0) return;
    const int64_t ideal = ideal_of(w), interval = ideal + number % 4 * ideal / 20;
    const int64_t rows = chosen_rows(w, interval), found = follow(w, rows);
    *spared += rows == 0;
    if (found * 50 <= interval * 51) return;
    print(w);
    fail_msg("%lld cycles with %lld spare rows, not %lld", (long long)found, (long long)rows, (long long)interval);
}

static void pauses_are_counted(void **state) {
    (void)state;
    int64_t spared = 0;
    const int64_t windows = visit_windows(takes_a_short_pause, &spared);
    print_message("%lld windows, of which %lld need no spare row\n", (long long)(windows / 11), (long long)spared);
    assert_true(spared > windows / 22);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_frame_takes_a_pause), cmocka_unit_test(pauses_are_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
