/* Times are computed beat by beat in node order (max-plus): a beat is taken when it has arrived and the component is
 * free, and given a fixed latency later. Cost: O(beats of the followed frames). */
#include "dataflow/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "dataflow/component.h"
#include "dataflow/stream.h"
#include "support/arena.h"

enum { FEWEST_FRAMES = 4 };

struct weir_schedule {
    const weir_graph *graph;
    uint32_t limit;    /* of value handles when the schedule was made */
    weir_times *given; /* by value id: when each beat of the followed frames appears */
    weir_times *taken; /* by edge */
    weir_schedule_edge *edge;
    size_t edge_count, edge_capacity;
    int64_t interval; /* of the folding */
    int64_t frames;   /* followed */
    int64_t latency, reached;
};

weir_times weir_times_new(int64_t count) { return (weir_times){weir_malloc((size_t)count * sizeof(int64_t)), count}; }

static weir_times copy_times(const weir_times *times) {
    weir_times copy = weir_times_new(times->count);
    memcpy(copy.at, times->at, (size_t)times->count * sizeof(int64_t));
    return copy;
}

/* When the beats on input `input` of the node arrive. */
static const weir_times *arrivals(const weir_schedule *s, weir_node node, size_t input) {
    return &s->given[weir_stream_source(s->graph, weir_node_input(s->graph, node, input)).id];
}

static void record_edge(weir_schedule *s, weir_node node, size_t input, weir_times taken) {
    s->edge = weir_grow(s->edge, &s->edge_capacity, s->edge_count + 1, sizeof *s->edge);
    s->taken = weir_realloc(s->taken, (s->edge_count + 1) * sizeof *s->taken);
    const weir_times *given = arrivals(s, node, input);
    int64_t waiting = 0;
    /* Beat i waits from its arrival to its taking; beats arrive and leave in order. */
    for (int64_t i = 0, first = 0; i < taken.count; i++) {
        while (first <= i && taken.at[first] <= given->at[i]) first++;
        waiting = weir_later(waiting, i - first + 1);
    }
    s->taken[s->edge_count] = taken;
    s->edge[s->edge_count++] = (weir_schedule_edge){weir_node_input(s->graph, node, input), node, input, waiting};
}

/* A beat for a beat: the cycles that the pieces of its work take, and the component's wait until it is given. */
static void run_elementwise(weir_schedule_step *step) {
    const weir_component_rules *rules = weir_component_of(step->graph, step->node)->rules;
    const weir_meta_hardware *hardware = &weir_node_metadata_of(step->graph, step->node)->hardware;
    int64_t beats = weir_stream_beats(step->graph, weir_node_output(step->graph, step->node, 0), hardware->out_lanes);
    int64_t cycles = rules->pieces == NULL ? 1 : hardware->interval / beats, free_at = 0;
    int64_t wait = rules->wait == NULL ? 1 : rules->wait(step->graph, step->node);
    step->given = weir_times_new(step->arrive.count);
    for (int64_t i = 0; i < step->arrive.count; i++) {
        step->taken.at[i] = weir_later(free_at, step->arrive.at[i]);
        step->given.at[i] = step->taken.at[i] + wait;
        free_at = step->taken.at[i] + cycles;
    }
}

static void run_node(weir_schedule *s, weir_node node) {
    size_t streams = weir_stream_count(s->graph, node);
    weir_schedule_step step = {
        .graph = s->graph, .node = node, .frames = s->frames, .arrive = copy_times(arrivals(s, node, 0))};
    for (size_t k = 1; k < streams; k++) {
        const weir_times *other = arrivals(s, node, k);
        for (int64_t i = 0; i < step.arrive.count; i++) step.arrive.at[i] = weir_later(step.arrive.at[i], other->at[i]);
    }
    step.taken = weir_times_new(step.arrive.count);
    weir_schedule_rule *rule = weir_component_of(s->graph, node)->rules->schedule;
    (rule == NULL ? run_elementwise : rule)(&step);
    for (size_t k = 0; k < streams; k++) record_edge(s, node, k, copy_times(&step.taken));
    for (size_t o = 0; o < weir_node_output_count(s->graph, node); o++)
        s->given[weir_node_output(s->graph, node, o).id] = copy_times(&step.given);
    free(step.arrive.at);
    free(step.taken.at);
    free(step.given.at);
}

/* Frames enter every `interval` cycles, their beats back to back. */
static void run_inputs(weir_schedule *s) {
    size_t count;
    weir_value *inputs = weir_stream_inputs(s->graph, &count);
    for (size_t i = 0; i < count; i++) {
        int64_t beats = weir_stream_beats(s->graph, inputs[i], weir_stream_lanes(s->graph, inputs[i]));
        weir_times given = weir_times_new(beats * s->frames);
        for (int64_t b = 0; b < given.count; b++) given.at[b] = b / beats * s->interval + b % beats;
        s->given[inputs[i].id] = given;
    }
    free(inputs);
}

static void measure(weir_schedule *s) {
    size_t count;
    weir_value *outputs = weir_stream_outputs(s->graph, &count);
    for (size_t i = 0; i < count; i++) {
        const weir_times *given = &s->given[outputs[i].id];
        if (given->at == NULL) continue;
        int64_t beats = given->count / s->frames;
        s->latency = weir_later(s->latency, given->at[beats - 1] + 1);
        s->reached = weir_later(s->reached, given->at[given->count - 1] - given->at[given->count - 1 - beats]);
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
        run_node(s, node);
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
