/* Times are computed beat by beat in node order (max-plus): a beat is taken when it has arrived and the component is
 * free, and given a fixed latency later. Cost: O(beats of the followed frames). */
#include "dataflow/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "dataflow/stream.h"
#include "support/arena.h"

enum { FEWEST_FRAMES = 4 };

typedef struct times {
    int64_t *at;
    int64_t count;
} times;

struct weir_schedule {
    const weir_graph *graph;
    uint32_t limit; /* of value handles when the schedule was made */
    times *given;   /* by value id: when each beat of the followed frames appears */
    times *taken;   /* by edge */
    weir_schedule_edge *edge;
    size_t edge_count, edge_capacity;
    int64_t interval; /* of the folding */
    int64_t frames;   /* followed */
    int64_t latency, reached;
};

static times new_times(int64_t count) { return (times){weir_malloc((size_t)count * sizeof(int64_t)), count}; }

static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }

/* When the beats on input `input` of the node arrive. */
static const times *arrivals(const weir_schedule *s, weir_node node, size_t input) {
    return &s->given[weir_stream_source(s->graph, weir_node_input(s->graph, node, input)).id];
}

static void record_edge(weir_schedule *s, weir_node node, size_t input, times taken) {
    s->edge = weir_grow(s->edge, &s->edge_capacity, s->edge_count + 1, sizeof *s->edge);
    s->taken = weir_realloc(s->taken, (s->edge_count + 1) * sizeof *s->taken);
    const times *given = arrivals(s, node, input);
    int64_t waiting = 0;
    /* Beat i waits from its arrival to its taking; beats arrive and leave in order. */
    for (int64_t i = 0, first = 0; i < taken.count; i++) {
        while (first <= i && taken.at[first] <= given->at[i]) first++;
        waiting = later(waiting, i - first + 1);
    }
    s->taken[s->edge_count] = taken;
    s->edge[s->edge_count++] = (weir_schedule_edge){weir_node_input(s->graph, node, input), node, input, waiting};
}

/* Cycles a component needs for a beat, and from taking a beat to giving it. */
static void timing_of(const weir_schedule *s, weir_node node, int64_t *cycles, int64_t *latency) {
    const weir_meta_hardware *hardware = &weir_node_metadata_of(s->graph, node)->hardware;
    int64_t beats = weir_stream_beats(s->graph, weir_node_output(s->graph, node, 0), hardware->out_lanes);
    weir_op op = weir_node_op(s->graph, node);
    bool works = op == WEIR_OP_SCALE || op == WEIR_OP_SCALE_FLOAT || op == WEIR_OP_THRESHOLD;
    *cycles = works ? hardware->interval / beats : 1;
    *latency = op == WEIR_OP_FORK ? 0 : works ? *cycles + 3 : op == WEIR_OP_FIFO ? 2 : 1;
    if (op == WEIR_OP_SCALE_FLOAT && weir_stream_rounds_sum(s->graph, node)) *latency += 2;
}

static void run_elementwise(weir_schedule *s, weir_node node) {
    size_t streams = weir_stream_count(s->graph, node);
    int64_t count = arrivals(s, node, 0)->count, cycles, latency, free_at = 0;
    times taken = new_times(count), given = new_times(count);
    timing_of(s, node, &cycles, &latency);
    for (int64_t i = 0; i < count; i++) {
        int64_t at = free_at;
        for (size_t k = 0; k < streams; k++) at = later(at, arrivals(s, node, k)->at[i]);
        taken.at[i] = at;
        given.at[i] = at + latency;
        free_at = at + cycles;
    }
    for (size_t k = 0; k < streams; k++) {
        times copy = new_times(count);
        memcpy(copy.at, taken.at, (size_t)count * sizeof(int64_t));
        record_edge(s, node, k, copy);
    }
    free(taken.at);
    for (size_t o = 0; o < weir_node_output_count(s->graph, node); o++) {
        times copy = new_times(count);
        memcpy(copy.at, given.at, (size_t)count * sizeof(int64_t));
        s->given[weir_node_output(s->graph, node, o).id] = copy;
    }
    free(given.at);
}

/* A beat out when its last element is in; one beat a cycle either way. */
static void run_lanes(weir_schedule *s, weir_node node) {
    const weir_meta_hardware *hardware = &weir_node_metadata_of(s->graph, node)->hardware;
    weir_value value = weir_node_output(s->graph, node, 0);
    int64_t elements = weir_stream_elements(s->graph, value);
    int64_t in = weir_stream_beats(s->graph, value, hardware->in_lanes);
    int64_t out = weir_stream_beats(s->graph, value, hardware->out_lanes);
    const times *arrive = arrivals(s, node, 0);
    times taken = new_times(arrive->count), given = new_times(out * s->frames);
    int64_t in_free = 0, out_free = 0, sent = 0;
    for (int64_t i = 0; i < arrive->count; i++) {
        int64_t frame = i / in, last = (i % in + 1) * hardware->in_lanes;
        int64_t ready = last >= elements ? out : last / hardware->out_lanes;
        taken.at[i] = later(arrive->at[i], in_free);
        in_free = taken.at[i] + 1;
        for (; sent < frame * out + ready; sent++) {
            given.at[sent] = later(taken.at[i] + 1, out_free);
            out_free = given.at[sent] + 1;
        }
        in_free = later(in_free, out_free - 1);
    }
    record_edge(s, node, 0, taken);
    s->given[value.id] = given;
}

/* Replay and multiply: the replay buffer holds two rows, so a row is taken while the one before it is computed; the
 * first group of PE outputs follows the row's arrival, the others run one beat a cycle. With one group there is no
 * buffer. */
static void run_linear(weir_schedule *s, weir_node node) {
    const weir_meta_hardware *hardware = &weir_node_metadata_of(s->graph, node)->hardware;
    int64_t rows = 1, k = 1, n = 1;
    weir_stream_linear(s->graph, node, &rows, &k, &n);
    int64_t beats = weir_ceil_divide(k, hardware->simd), groups = weir_ceil_divide(n, hardware->pe);
    const times *arrive = arrivals(s, node, 0);
    times taken = new_times(arrive->count), given = new_times(rows * groups * s->frames);
    int64_t half_free[2] = {0, 0}, in_free = 0, compute_free = 0;
    int64_t levels = 0; /* of the adder tree */
    while ((int64_t)1 << levels < hardware->simd) levels++;
    for (int64_t row = 0; row < rows * s->frames; row++) {
        for (int64_t i = 0; i < beats; i++) {
            int64_t at = later(arrive->at[row * beats + i], in_free);
            at = later(at, groups == 1 ? compute_free : half_free[row % 2]);
            taken.at[row * beats + i] = at;
            in_free = at + 1;
            compute_free = later(compute_free, at + (groups == 1 ? 0 : 2)) + 1;
        }
        for (int64_t g = 0; g < groups; g++) given.at[row * groups + g] = compute_free + g * beats + 2 + levels;
        compute_free += (groups - 1) * beats;
        half_free[row % 2] = compute_free;
    }
    record_edge(s, node, 0, taken);
    s->given[weir_node_output(s->graph, node, 0).id] = given;
}

/* Frames enter every `interval` cycles, their beats back to back. */
static void run_inputs(weir_schedule *s) {
    size_t count;
    weir_value *inputs = weir_stream_inputs(s->graph, &count);
    for (size_t i = 0; i < count; i++) {
        int64_t beats = weir_stream_beats(s->graph, inputs[i], weir_stream_lanes(s->graph, inputs[i]));
        times given = new_times(beats * s->frames);
        for (int64_t b = 0; b < given.count; b++) given.at[b] = b / beats * s->interval + b % beats;
        s->given[inputs[i].id] = given;
    }
    free(inputs);
}

static void measure(weir_schedule *s) {
    size_t count;
    weir_value *outputs = weir_stream_outputs(s->graph, &count);
    for (size_t i = 0; i < count; i++) {
        const times *given = &s->given[outputs[i].id];
        if (given->at == NULL) continue;
        int64_t beats = given->count / s->frames;
        s->latency = later(s->latency, given->at[beats - 1] + 1);
        s->reached = later(s->reached, given->at[given->count - 1] - given->at[given->count - 1 - beats]);
    }
    free(outputs);
}

static weir_schedule *follow(const weir_graph *graph, int64_t frames) {
    weir_schedule *s = weir_calloc(1, sizeof *s);
    s->graph = graph;
    s->limit = weir_graph_value_limit(graph);
    s->given = weir_calloc(s->limit, sizeof *s->given);
    s->interval = weir_stream_interval(graph);
    s->frames = frames;
    run_inputs(s);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_stream_role(graph, node) != WEIR_ROLE_COMPONENT) continue;
        if (weir_node_op(graph, node) == WEIR_OP_LINEAR) run_linear(s, node);
        else if (weir_node_op(graph, node) == WEIR_OP_LANES) run_lanes(s, node);
        else run_elementwise(s, node);
    }
    measure(s);
    return s;
}

void weir_schedule_free(weir_schedule *schedule) {
    if (schedule == NULL) return;
    for (uint32_t id = 0; id < schedule->limit; id++) free(schedule->given[id].at);
    for (size_t i = 0; i < schedule->edge_count; i++) free(schedule->taken[i].at);
    free(schedule->given);
    free(schedule->taken);
    free(schedule->edge);
    free(schedule);
}

/* As many frames as are in flight at once: with fewer, the beats that wait beside a long branch are too few. */
weir_schedule *weir_schedule_new(const weir_graph *graph) {
    weir_schedule *s = follow(graph, FEWEST_FRAMES);
    int64_t frames = s->latency / s->interval + FEWEST_FRAMES;
    if (frames == FEWEST_FRAMES) return s;
    weir_schedule_free(s);
    return follow(graph, frames);
}

size_t weir_schedule_edge_count(const weir_schedule *schedule) { return schedule->edge_count; }
weir_schedule_edge weir_schedule_edge_at(const weir_schedule *schedule, size_t index) { return schedule->edge[index]; }
int64_t weir_schedule_latency(const weir_schedule *schedule) { return schedule->latency; }
int64_t weir_schedule_interval(const weir_schedule *schedule) { return schedule->reached; }
