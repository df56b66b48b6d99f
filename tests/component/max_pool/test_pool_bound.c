/* How far apart lines can be in weir_pool, on all small ones: a search of every order in which slots that are fixed may take steps and give
 * windows, in which the fewest cycles a line are those of the header's Bound, as the component has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "dataflow/component.h"
#include "ir/infer.h"

enum { LINES = 5, MOST_KERNEL = 4, MOST_SIZE = 6, MOST_STRIDE = 3, MOST_DILATION = 2, MOST_WINDOWS = 12 };
enum { MOST_TAKEN = LINES * MOST_SIZE + 1, MOST_GIVEN = LINES * MOST_WINDOWS + 1 };

typedef struct line {
    int in, out, kernel, stride, dilation, begin;
} line;

static int reach_of(const line *w) { return (w->kernel - 1) * w->dilation; }

/* The step that ends a window of the line. */
static int end_of(const line *w, int o) { return o * w->stride + reach_of(w) - w->begin; }

/* May the next window be given in a cycle before which so many steps are taken, and in which one is taken or not? */
static bool may_give(const line *w, int taken, int given, bool takes) {
    const int start = given / w->out * w->in, end = end_of(w, given % w->out);
    return end < w->in ? takes && taken == start + end : taken >= start + w->in;
}

/* Are the slots' windows those of the last line from which a step is taken? What ends on the line was given with that step, and what is
 * beyond it before the next line's first step or with that. */
static bool keeps_all(const line *w, int taken, int given) {
    if (taken == 0) return true;
    const int number = (taken - 1) / w->in, step = (taken - 1) % w->in;
    int ended = number * w->out;
    for (int o = 0; o < w->out; o++) ended += end_of(w, o) < w->in && end_of(w, o) <= step;
    return given >= ended;
}

/* The fewest cycles in which so many lines are taken and all their windows given. */
static int fewest_cycles(const line *w, int lines) {
    static bool at[MOST_TAKEN][MOST_GIVEN], next[MOST_TAKEN][MOST_GIVEN];
    memset(at, 0, sizeof at);
    at[0][0] = true;
    int cycles = 0;
    for (; !at[lines * w->in][lines * w->out]; cycles++) {
        assert_true(cycles < 2 * LINES * (MOST_SIZE + MOST_WINDOWS));
        memcpy(next, at, sizeof at);
        for (int taken = 0; taken <= lines * w->in; taken++)
            for (int given = 0; given <= lines * w->out; given++)
                for (int does = 1; does < 4 && at[taken][given]; does++) {
                    const bool takes = (does & 1) != 0, gives = (does & 2) != 0;
                    if (takes && taken == lines * w->in) continue;
                    if (gives && (given == lines * w->out || !may_give(w, taken, given, takes))) continue;
                    if (keeps_all(w, taken + takes, given + gives)) next[taken + takes][given + gives] = true;
                }
        memcpy(at, next, sizeof at);
    }
    return cycles;
}

/* What the component calls ideal for a frame of one line, a beat a step. */
static int64_t ideal_of(const line *w) {
    const int end = (w->out - 1) * w->stride + reach_of(w) + 1 - w->begin - w->in;
    const weir_type type = {.dtype = WEIR_INT8,
                            .shape = {3, {1, w->in, 1}},
                            .has_range = true,
                            .low = -8,
                            .high = 7,
                            .quant = {.format = WEIR_FORMAT_INTEGER, .is_signed = true, .width = 4, .axis = -1}};
    weir_graph *graph = weir_graph_new("pool");
    const weir_value x = weir_graph_add_input(graph, "x", &type);
    const weir_node node = weir_graph_add_node(graph, WEIR_OP_MAX_POOL, "pool", &x, 1, 1, WEIR_NO_NODE);
    weir_node_set_ints(graph, node, "kernel_shape", (const int64_t[]){w->kernel}, 1);
    weir_node_set_ints(graph, node, "strides", (const int64_t[]){w->stride}, 1);
    weir_node_set_ints(graph, node, "dilations", (const int64_t[]){w->dilation}, 1);
    weir_node_set_ints(graph, node, "pads", (const int64_t[]){w->begin, end > 0 ? end : 0}, 2);
    weir_node_set_string(graph, node, "layout", "NWC");
    assert_true(weir_infer_node(graph, node));
    assert_int_equal(weir_value_type(graph, weir_node_output(graph, node, 0))->shape.dim[1], w->out);
    assert_true(weir_component_assign(graph));
    weir_meta_hardware *hardware = &weir_node_metadata(graph, node)->hardware;
    hardware->in_lanes = hardware->out_lanes = 1;
    weir_graph_set_interval(graph, 1);
    const int64_t ideal = weir_component_of(graph, node)->rules->ideal(graph, node);
    weir_graph_free(graph);
    return ideal;
}

/* The next line in the order of its fields; false after the last one. */
static bool next_line(line *w) {
    for (;;) {
        if (w->out < w->in + w->begin + reach_of(w) && w->out < MOST_WINDOWS) w->out++;
        else if (w->out = 1, ++w->begin <= reach_of(w)) continue;
        else if (w->begin = 0, ++w->in <= MOST_SIZE) continue;
        else if (w->in = 1, ++w->dilation <= (w->kernel > 1 ? MOST_DILATION : 1)) continue;
        else if (w->dilation = 1, ++w->stride <= MOST_STRIDE) continue;
        else if (w->stride = 1, ++w->kernel > MOST_KERNEL) return false;
        const int seen = end_of(w, w->out - 1) + 1; /* pixels to the end of the last */
        const bool moves = w->kernel > 1 || w->in != w->out;
        if ((w->out - 1) * w->stride < w->in + w->begin && seen > w->in - w->stride && moves) return true;
    }
}

static void no_order_is_faster(void **state) {
    (void)state;
    int lines = 0, joined = 0;
    for (line w = {1, 0, 1, 1, 1, 0}; next_line(&w); lines++) {
        const int found = fewest_cycles(&w, LINES) - fewest_cycles(&w, LINES - 1);
        const int64_t ideal = ideal_of(&w);
        int beyond = 0;
        for (int o = 0; o < w.out; o++) beyond += end_of(&w, o) >= w.in;
        joined += beyond > 0 && ideal < w.in + beyond;
        if (found == ideal) continue;
        fail_msg("in %d out %d kernel %d stride %d dilation %d begin %d: %d cycles a line, not %lld", w.in, w.out,
                 w.kernel, w.stride, w.dilation, w.begin, found, (long long)ideal);
    }
    print_message("%d lines, of which %d have a joined step\n", lines, joined);
    assert_true(lines > 500 && joined > 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_order_is_faster)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
