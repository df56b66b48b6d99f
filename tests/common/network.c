/* Times are computed beat by beat in node order. Cost: O(beats of the followed frames). */
#include "common/network.h"

#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"
#include "support/memory/random.h"

enum { LONG_AGO = -1000000000, MOST_KERNEL = 3 };

static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t ceil_divide(int64_t a, int64_t b) { return (a + b - 1) / b; }

static network_times new_times(int64_t count) {
    return (network_times){weir_malloc((size_t)count * sizeof(int64_t)), count};
}

int64_t network_beats_in(const network *net, size_t node) { return net->node[net->node[node].input[0]].beats; }

int64_t network_busy(const network_node *node, int64_t beats_in) {
    switch (node->kind) {
    case NETWORK_SOURCE: return node->beats;
    case NETWORK_WORK: return node->beats * node->cycles;
    case NETWORK_LANES: return later(beats_in, node->beats);
    case NETWORK_LINEAR: return node->rows * node->in_beats * node->groups;
    case NETWORK_WINDOW: return later(beats_in, node->beats * node->cycles);
    }
    return 0;
}

static void follow_work(const network_node *node, const network_times *arrive, network_times *taken,
                        network_times *given) {
    int64_t free_at = 0;
    for (int64_t i = 0; i < arrive->count; i++) {
        taken->at[i] = later(arrive->at[i], free_at);
        given->at[i] = taken->at[i] + node->latency;
        free_at = taken->at[i] + node->cycles;
    }
}

/* A beat out when its last element is in; one beat a cycle either way. A widening converter holds two
 * (weir_lane_converter: ROOM of 2 * OUT units). */
static void follow_lanes(const network_node *node, const network_times *arrive, network_times *taken,
                         network_times *given) {
    int64_t in = ceil_divide(node->elements, node->in_lanes), out = node->beats;
    int64_t in_free = 0, out_free = 0, sent = 0;
    for (int64_t i = 0; i < arrive->count; i++) {
        int64_t frame = i / in, last = (i % in + 1) * node->in_lanes;
        int64_t ready = last >= node->elements ? out : last / node->out_lanes;
        taken->at[i] = later(arrive->at[i], in_free);
        in_free = taken->at[i] + 1;
        for (; sent < frame * out + ready; sent++) {
            int64_t leaves = later(taken->at[i] + 1, out_free);
            given->at[sent] = leaves + node->latency;
            out_free = leaves + 1;
        }
        in_free = later(in_free, out_free - (node->in_lanes < node->out_lanes ? 2 : 1));
    }
}

/* Replay and multiply: two rows are buffered, so a row is taken while the one before it is computed; the first group of
 * outputs follows the row's arrival, the others come every in_beats cycles. With one group there is no buffer. */
static void follow_linear(const network_node *node, const network_times *arrive, network_times *taken,
                          network_times *given) {
    int64_t half_free[2] = {0, 0}, in_free = 0, compute_free = 0, beats = node->in_beats, groups = node->groups;
    for (int64_t row = 0; row < arrive->count / beats; row++) {
        for (int64_t i = 0; i < beats; i++) {
            int64_t at = later(arrive->at[row * beats + i], in_free);
            at = later(at, groups == 1 ? compute_free : half_free[row % 2]);
            taken->at[row * beats + i] = at;
            in_free = at + 1;
            compute_free = later(compute_free, at + (groups == 1 ? 0 : 2)) + 1;
        }
        for (int64_t g = 0; g < groups; g++) given->at[row * groups + g] = compute_free + g * beats + node->latency;
        compute_free += (groups - 1) * beats;
        half_free[row % 2] = compute_free;
    }
}

/* The line buffer holds kernel + 1 rows: a row is taken once the row in its place has been used for the last time. */
static void follow_window(const network_node *node, const network_times *arrive, network_times *taken,
                          network_times *given) {
    const int64_t held = node->kernel + 1, rows = node->rows, columns = node->columns;
    int64_t used[MOST_KERNEL + 1], in_free = 0, out_free = 0, sent = 0;
    for (int64_t i = 0; i < held; i++) used[i] = LONG_AGO;
    for (int64_t i = 0; i < arrive->count; i++) {
        int64_t row = i / columns % rows, column = i % columns, place = i / columns % held;
        taken->at[i] = later(later(arrive->at[i], in_free), column == 0 ? used[place] : LONG_AGO);
        in_free = taken->at[i] + 1;
        if (row >= node->kernel - 1 && column >= node->kernel - 1) {
            int64_t start = later(taken->at[i] + 1, out_free);
            given->at[sent++] = start + node->latency;
            out_free = start + node->cycles;
        }
        /* Output row y has used input row y; the last one has used all that are left. */
        int64_t first = row - node->kernel + 1;
        if (column != columns - 1 || first < 0) continue;
        for (int64_t r = first; r <= (row == rows - 1 ? row : first); r++)
            used[(i / columns - row + r) % held] = out_free;
    }
}

static void follow_source(const network *net, network_times *given, int64_t beats) {
    for (int64_t b = 0; b < given->count; b++) given->at[b] = b / beats * net->interval + b % beats;
}

int64_t network_waiting(const network_times *given, const network_times *taken) {
    int64_t waiting = 0;
    for (int64_t i = 0, first = 0; i < taken->count; i++) {
        while (first <= i && taken->at[first] <= given->at[i]) first++;
        waiting = later(waiting, i - first + 1);
    }
    return waiting;
}

static void follow_node(const network *net, network_run *run, size_t index) {
    const network_node *node = &net->node[index];
    network_times *given = &run->given[index], *taken = &run->taken[index];
    *given = new_times(node->beats * run->frames);
    if (node->kind == NETWORK_SOURCE) {
        follow_source(net, given, node->beats);
        return;
    }
    network_times arrive = new_times(run->given[node->input[0]].count);
    memcpy(arrive.at, run->given[node->input[0]].at, (size_t)arrive.count * sizeof(int64_t));
    for (size_t k = 1; k < node->inputs; k++) {
        for (int64_t i = 0; i < arrive.count; i++) arrive.at[i] = later(arrive.at[i], run->given[node->input[k]].at[i]);
    }
    *taken = new_times(arrive.count);
    switch (node->kind) {
    case NETWORK_SOURCE: break;
    case NETWORK_WORK: follow_work(node, &arrive, taken, given); break;
    case NETWORK_LANES: follow_lanes(node, &arrive, taken, given); break;
    case NETWORK_LINEAR: follow_linear(node, &arrive, taken, given); break;
    case NETWORK_WINDOW: follow_window(node, &arrive, taken, given); break;
    }
    free(arrive.at);
    for (size_t k = 0; k < node->inputs; k++)
        run->waiting[index][k] = network_waiting(&run->given[node->input[k]], taken);
}

network_run network_follow(const network *net, int64_t frames) {
    network_run run = {.frames = frames,
                       .given = weir_calloc(net->count, sizeof *run.given),
                       .taken = weir_calloc(net->count, sizeof *run.taken),
                       .waiting = weir_calloc(net->count, sizeof *run.waiting)};
    for (size_t i = 0; i < net->count; i++) follow_node(net, &run, i);
    return run;
}

void network_run_free(const network *net, network_run *run) {
    for (size_t i = 0; i < net->count; i++) {
        free(run->given[i].at);
        free(run->taken[i].at);
    }
    free(run->given);
    free(run->taken);
    free(run->waiting);
}

void network_free(network *net) { free(net->node); }

/* --- random networks --- */

typedef struct maker {
    network net;
    size_t capacity;
    uint64_t state;
} maker;

static int64_t draw(maker *m, int64_t low, int64_t high) {
    return low + (int64_t)(weir_random_next(&m->state) % ((uint64_t)(high - low) + 1));
}

static size_t add(maker *m, network_node node) {
    m->net.node = weir_grow(m->net.node, &m->capacity, m->net.count + 1, sizeof *m->net.node);
    m->net.node[m->net.count] = node;
    return m->net.count++;
}

static size_t add_work(maker *m, size_t from) {
    int64_t cycles = draw(m, 0, 2) > 0 ? 1 : draw(m, 2, 14);
    return add(m, (network_node){.kind = NETWORK_WORK,
                                 .input = {from},
                                 .inputs = 1,
                                 .beats = m->net.node[from].beats,
                                 .cycles = cycles,
                                 .latency = draw(m, 0, 3) == 0 ? cycles + 3 : draw(m, 0, 5)});
}

static size_t add_lanes(maker *m, size_t from, int64_t elements, int64_t in_lanes, int64_t out_lanes) {
    return add(m, (network_node){.kind = NETWORK_LANES,
                                 .input = {from},
                                 .inputs = 1,
                                 .beats = ceil_divide(elements, out_lanes),
                                 .elements = elements,
                                 .in_lanes = in_lanes,
                                 .out_lanes = out_lanes});
}

static int64_t divisor(maker *m, int64_t of) {
    int64_t d = draw(m, 1, of);
    while (of % d != 0) d--;
    return d;
}

static size_t add_linear(maker *m, size_t from, int64_t groups) {
    int64_t beats = m->net.node[from].beats, in = groups > 0 ? groups : divisor(m, beats);
    if (groups == 0) groups = draw(m, 1, 3) == 1 ? 1 : draw(m, 1, 24);
    return add(m, (network_node){.kind = NETWORK_LINEAR,
                                 .input = {from},
                                 .inputs = 1,
                                 .beats = beats / in * groups,
                                 .latency = draw(m, 2, 8),
                                 .rows = beats / in,
                                 .in_beats = in,
                                 .groups = groups});
}

static size_t add_window(maker *m, size_t from) {
    int64_t beats = m->net.node[from].beats, rows = divisor(m, beats), columns = beats / rows;
    int64_t kernel = draw(m, 1, MOST_KERNEL);
    if (rows < kernel || columns < kernel) return add_work(m, from);
    return add(m, (network_node){.kind = NETWORK_WINDOW,
                                 .input = {from},
                                 .inputs = 1,
                                 .beats = (rows - kernel + 1) * (columns - kernel + 1),
                                 .cycles = draw(m, 1, 6),
                                 .latency = draw(m, 1, 6),
                                 .rows = rows,
                                 .columns = columns,
                                 .kernel = kernel});
}

enum { MOST_BEATS = 700 };

static size_t add_any(maker *m, size_t from) {
    int64_t beats = m->net.node[from].beats;
    switch (draw(m, 0, 5)) {
    case 0:
        if (beats < MOST_BEATS) return add_linear(m, from, 0);
        return add_window(m, from);
    case 1: return add_window(m, from);
    case 2: {
        int64_t in = draw(m, 1, 9), out = draw(m, 1, 9);
        if (beats * in / out < MOST_BEATS) return add_lanes(m, from, beats * in - draw(m, 0, in - 1), in, out);
        return add_work(m, from);
    }
    default: return add_work(m, from);
    }
}

/* A node with as many beats as before. */
static size_t add_even(maker *m, size_t from) {
    int64_t beats = m->net.node[from].beats;
    switch (draw(m, 0, 4)) {
    case 0: return add_linear(m, from, divisor(m, beats));
    case 1: {
        int64_t in = draw(m, 1, 9), out = draw(m, 1, 9), elements = beats * in;
        return add_lanes(m, add_lanes(m, from, elements, in, out), elements, out, in);
    }
    default: return add_work(m, from);
    }
}

/* Two or three branches from a node that meet again. */
static size_t add_branches(maker *m, size_t from) {
    network_node join = {.kind = NETWORK_WORK,
                         .inputs = (size_t)draw(m, 2, NETWORK_INPUTS),
                         .beats = m->net.node[from].beats,
                         .cycles = draw(m, 1, 3) == 1 ? draw(m, 1, 6) : 1,
                         .latency = draw(m, 1, 4)};
    for (size_t k = 0; k < join.inputs; k++) {
        join.input[k] = from;
        for (int64_t i = draw(m, k == 0 ? 0 : 1, 4); i > 0; i--) join.input[k] = add_even(m, join.input[k]);
    }
    return add(m, join);
}

network network_random(uint32_t seed, size_t size) {
    maker m = {.state = seed};
    add(&m, (network_node){.kind = NETWORK_SOURCE, .beats = draw(&m, 1, 3) == 1 ? draw(&m, 1, 8) : draw(&m, 1, 300)});
    while (m.net.count < size) {
        size_t from = draw(&m, 0, 3) == 0 ? (size_t)draw(&m, 0, (int64_t)m.net.count - 1) : m.net.count - 1;
        if (draw(&m, 0, 2) == 0) add_branches(&m, from);
        else add_any(&m, from);
    }
    for (size_t i = 0; i < m.net.count; i++) {
        int64_t busy = network_busy(&m.net.node[i], i == 0 ? 0 : network_beats_in(&m.net, i));
        m.net.interval = later(m.net.interval, busy);
    }
    if (draw(&m, 0, 3) == 0) m.net.interval += draw(&m, 0, m.net.interval / 2);
    return m.net;
}
