/* How far apart lines can be in weir_pool, on all small ones: a search of every order in which slots that are fixed may
 * take steps and give windows, in which the fewest cycles a line are those of the header's Bound, as the component has
 * them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "common/line.h"
#include "dataflow/component.h"

enum { LINES = 5, MOST_KERNEL = 4, MOST_SIZE = 6, MOST_STRIDE = 3, MOST_DILATION = 2, MOST_WINDOWS = 12 };
enum { MOST_TAKEN = LINES * MOST_SIZE + 1, MOST_GIVEN = LINES * MOST_WINDOWS + 1 };

/* May the next window be given in a cycle before which so many steps are taken, and in which one is taken or not? */
static bool may_give(const line *w, int taken, int given, bool takes) {
    const int start = given / w->out * w->in, end = line_end(w, given % w->out);
    return end < w->in ? takes && taken == start + end : taken >= start + w->in;
}

/* Are the slots' windows those of the last line from which a step is taken? What ends on the line was given with that
 * step, and what is beyond it before the next line's first step or with that. */
static bool keeps_all(const line *w, int taken, int given) {
    if (taken == 0) return true;
    const int number = (taken - 1) / w->in, step = (taken - 1) % w->in;
    int ended = number * w->out;
    for (int o = 0; o < w->out; o++) ended += line_end(w, o) < w->in && line_end(w, o) <= step;
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
    weir_node node;
    weir_graph *graph = line_graph(WEIR_OP_MAX_POOL, w, &node);
    weir_meta_hardware *hardware = &weir_node_metadata(graph, node)->hardware;
    hardware->in_lanes = hardware->out_lanes = 1;
    weir_graph_set_interval(graph, 1);
    const int64_t ideal = weir_component_of(graph, node)->rules->ideal(graph, node);
    weir_graph_free(graph);
    return ideal;
}

static void no_order_is_faster(void **state) {
    (void)state;
    int lines = 0, joined = 0;
    const line_limits most = {MOST_SIZE, MOST_WINDOWS, MOST_KERNEL, MOST_STRIDE, MOST_DILATION};
    for (line w = LINE_BEFORE_FIRST; line_next(&w, &most);) {
        if (w.kernel == 1 && w.in == w.out) continue; /* nothing moves */
        lines++;
        const int found = fewest_cycles(&w, LINES) - fewest_cycles(&w, LINES - 1);
        const int64_t ideal = ideal_of(&w);
        int beyond = 0;
        for (int o = 0; o < w.out; o++) beyond += line_end(&w, o) >= w.in;
        joined += beyond > 0 && ideal < w.in + beyond;
        line_takes(&w, found, ideal);
    }
    print_message("%d lines, of which %d have a joined step\n", lines, joined);
    assert_true(lines > 500 && joined > 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_order_is_faster)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
