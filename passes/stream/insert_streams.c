/* insert_streams: the stream nodes between components. A value with several users gets a Fork; an edge whose ends
 * differ in elements a beat gets a Lanes node. After this pass every hardware value has one user. size_fifos: Fifo
 * nodes where the schedule (schedule.h) shows that beats wait, as deep as the schedule with all of them requires. Where
 * components hold rows of a frame, streams come in bursts: before a component with one stream a Fifo then has no more
 * than a position, or a row where what comes before it cannot wait; the rest waits in the components before it, which
 * have the time. A component with several streams gets all that waits for another one. */
#include <stdlib.h>

#include "dataflow/component.h"
#include "dataflow/fifo.h"
#include "dataflow/folding.h"
#include "dataflow/frame.h"
#include "dataflow/host.h"
#include "dataflow/schedule/schedule.h"
#include "dataflow/schedule/stream.h"
#include "ir/shape/infer.h"
#include "ir/trait/recurrence.h"
#include "passes/passes.h"
#include "support/memory/arena.h"

/* A stream node between `value` and the use (node none: the graph output `index`). */
static weir_node insert_after(weir_graph *graph, weir_value value, weir_op op, const char *suffix, size_t outputs,
                              weir_node before) {
    weir_node producer = weir_value_producer(graph, value);
    const char *base = producer.id != 0 ? weir_node_name(graph, producer) : weir_value_name(graph, value);
    weir_node node = weir_graph_add_node(graph, op, "stream", &value, 1, outputs, before);
    weir_node_rename(graph, node, base, suffix);
    if (producer.id != 0) weir_node_set_location(graph, node, weir_node_location(graph, producer));
    for (size_t i = 0; i < outputs; i++)
        weir_value_set_type(graph, weir_node_output(graph, node, i), weir_value_type(graph, value));
    return node;
}

static void assign(weir_graph *graph, weir_node node, int64_t in_lanes, int64_t out_lanes) {
    weir_meta_hardware *hardware = &weir_node_metadata(graph, node)->hardware;
    weir_value value = weir_node_output(graph, node, 0);
    int64_t beats_in = weir_stream_beats(graph, value, in_lanes),
            beats_out = weir_stream_beats(graph, value, out_lanes);
    hardware->assigned = true;
    hardware->module = weir_component_for(weir_node_op(graph, node))->module;
    hardware->in_lanes = in_lanes;
    hardware->out_lanes = out_lanes;
    hardware->interval = beats_in > beats_out ? beats_in : beats_out;
}

/* Is the value on a wire, with a user in hardware or leaving it? */
static bool is_stream(const weir_graph *graph, weir_value value) {
    if (weir_stream_is_input(graph, value)) return true;
    weir_node producer = weir_value_producer(graph, value);
    return producer.id != 0 && weir_stream_role(graph, producer) != WEIR_ROLE_HOST;
}

static size_t outputs_of(const weir_graph *graph, weir_value value) {
    size_t count = 0;
    for (size_t i = 0; i < weir_graph_output_count(graph); i++) count += weir_graph_output(graph, i).id == value.id;
    return count;
}

/* Is the user in the design, and does it take the stream? */
static bool takes(const weir_graph *graph, weir_use use) {
    return weir_host_of(graph, use.node) != WEIR_HOST_HEAD && !weir_recurrence_names_state(graph, use.node, use.index);
}

/* All users of the value, but the host's before the hardware, take outputs of one Fork. Several graph outputs of one
 * value share one branch. */
static void insert_fork(weir_graph *graph, weir_value value) {
    const size_t leaves = outputs_of(graph, value) > 0;
    size_t uses = 0;
    weir_use *use = weir_malloc((weir_value_use_count(graph, value) + 1) * sizeof *use);
    for (size_t i = 0; i < weir_value_use_count(graph, value); i++) {
        use[uses] = weir_value_use(graph, value, i);
        uses += takes(graph, use[uses]);
    }
    if (uses + leaves < 2) {
        free(use);
        return;
    }
    weir_node before = WEIR_NO_NODE;
    weir_node producer = weir_value_producer(graph, value);
    before = producer.id != 0 ? weir_node_next(graph, producer) : weir_graph_first(graph);
    weir_node fork = insert_after(graph, value, WEIR_OP_FORK, "_fork", uses + leaves, before);
    for (size_t i = 0; i < uses; i++)
        weir_node_set_input(graph, use[i].node, use[i].index, weir_node_output(graph, fork, i));
    for (size_t i = 0; leaves && i < weir_graph_output_count(graph); i++) {
        if (weir_graph_output(graph, i).id == value.id)
            weir_graph_set_output(graph, i, weir_node_output(graph, fork, uses));
    }
    free(use);
}

/* A fork works at its producer's lanes; at a hardware input, at those of the first component that takes it. */
static void place_forks(weir_graph *graph) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_node_op(graph, node) != WEIR_OP_FORK) continue;
        weir_value source = weir_stream_source(graph, weir_node_input(graph, node, 0));
        int64_t lanes = weir_stream_is_input(graph, source) ? weir_stream_lanes(graph, weir_node_output(graph, node, 0))
                                                            : weir_stream_lanes(graph, source);
        assign(graph, node, lanes, lanes);
    }
}

static void insert_lanes(weir_graph *graph, weir_node node) {
    for (size_t i = 0; i < weir_stream_count(graph, node); i++) {
        const int64_t wanted = weir_stream_lanes_taken(graph, node, &weir_node_metadata_of(graph, node)->hardware, i);
        weir_value value = weir_node_input(graph, node, i);
        int64_t lanes = weir_stream_lanes(graph, value);
        if (lanes == wanted || weir_stream_is_input(graph, weir_stream_source(graph, value))) continue;
        weir_node converter = insert_after(graph, value, WEIR_OP_LANES, "_lanes", 1, node);
        assign(graph, converter, lanes, wanted);
        weir_node_set_input(graph, node, i, weir_node_output(graph, converter, 0));
    }
}

/* A stream that leaves the hardware as it enters takes a register on its way, at the pace of the rest. */
static void insert_slices(weir_graph *graph) {
    size_t count;
    weir_value *leaving = weir_stream_outputs(graph, &count);
    for (size_t i = 0; i < count; i++) {
        const weir_value value = leaving[i];
        if (!weir_stream_is_input(graph, value)) continue;
        const weir_node producer = weir_value_producer(graph, value);
        const weir_node slice =
            insert_after(graph, value, WEIR_OP_REGISTER_SLICE, "_slice", 1,
                         producer.id != 0 ? weir_node_next(graph, producer) : weir_graph_first(graph));
        weir_value_replace(graph, value, weir_node_output(graph, slice, 0));
        weir_node_set_input(graph, slice, 0, value);
        const int64_t lanes = weir_ceil_divide(weir_stream_elements(graph, value), weir_stream_pace(graph));
        assign(graph, slice, lanes, lanes);
    }
    free(leaving);
}

bool weir_insert_streams(weir_graph *graph) {
    uint32_t limit = weir_graph_value_limit(graph);
    for (uint32_t id = 1; id < limit; id++) {
        weir_value value = {id};
        if (weir_value_exists(graph, value) && is_stream(graph, value)) insert_fork(graph, value);
    }
    place_forks(graph);
    insert_slices(graph);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_stream_role(graph, node) == WEIR_ROLE_COMPONENT) insert_lanes(graph, node);
    }
    return true;
}

static bool is_fifo(const weir_graph *graph, weir_node node) {
    return node.id != 0 && weir_node_op(graph, node) == WEIR_OP_FIFO;
}

static void insert_fifo(weir_graph *graph, const weir_schedule_edge *edge, int64_t depth) {
    int64_t lanes = weir_stream_lanes(graph, edge->value);
    weir_node fifo = insert_after(graph, edge->value, WEIR_OP_FIFO, "_fifo", 1, edge->user);
    assign(graph, fifo, lanes, lanes);
    weir_fifo_set(graph, fifo, &(weir_fifo){.depth = depth});
    weir_node_set_input(graph, edge->user, edge->input, weir_node_output(graph, fifo, 0));
}

/* What gives the stream's beats, before lane converters, Fifos and forks; none: a hardware input. `is_apart` (NULL: not
 * asked): with a fork or a lane converter on its way, so that it is taken at another pace than it is given. */
static weir_node source_at_pace(const weir_graph *graph, weir_value value, bool *is_apart) {
    bool apart = false;
    weir_node producer = weir_value_producer(graph, weir_stream_source(graph, value));
    while (producer.id != 0 &&
           (weir_node_op(graph, producer) == WEIR_OP_LANES || weir_node_op(graph, producer) == WEIR_OP_FIFO ||
            weir_node_op(graph, producer) == WEIR_OP_FORK)) {
        apart |= weir_node_op(graph, producer) != WEIR_OP_FIFO;
        producer = weir_value_producer(graph, weir_stream_source(graph, weir_node_input(graph, producer, 0)));
    }
    if (is_apart != NULL) *is_apart = apart;
    return producer;
}

static weir_node source_of(const weir_graph *graph, weir_value value) { return source_at_pace(graph, value, NULL); }

/* Does it give a beat for each beat of its only stream, as it comes? */
static bool follows(const weir_graph *graph, weir_node node) {
    const weir_component *component = weir_component_of(graph, node);
    return component != NULL && component->rules->service == NULL && component->rules->foldings == NULL &&
           component->rules->pieces == NULL && !component->rules->may_wait && weir_stream_count(graph, node) == 1;
}

/* Do beats come in bursts from a component that cannot wait, as from a pool, which gives the results of a row while its
 * last one comes? */
static bool comes_in_bursts(const weir_graph *graph, weir_value value) {
    weir_node producer = source_of(graph, value);
    while (producer.id != 0 && follows(graph, producer))
        producer = source_of(graph, weir_node_input(graph, producer, 0));
    if (producer.id == 0) return false;
    const weir_component *component = weir_component_of(graph, producer);
    return component != NULL && component->rules->service != NULL && component->rules->foldings == NULL &&
           !component->rules->may_wait;
}

/* Beats that the edge's user takes at the graph's pace while the component before it begins a frame, for which beats
 * come at the pace of what is before that. */
static int64_t beats_of_start(const weir_graph *graph, const weir_schedule_edge *edge, int64_t beats,
                              int64_t interval) {
    const weir_node producer = source_of(graph, edge->value);
    const weir_component *component = producer.id == 0 ? NULL : weir_component_of(graph, producer);
    if (component == NULL || component->rules->start == NULL) return 0;
    const weir_value input = weir_node_input(graph, producer, 0);
    const weir_node before = source_of(graph, input);
    const int64_t taken = weir_stream_beats(graph, input, weir_stream_lanes(graph, input));
    const int64_t pace = before.id == 0 ? 0 : weir_node_metadata_of(graph, before)->hardware.interval;
    const int64_t cycles = component->rules->start(graph, producer) * (pace > taken ? pace : taken) / taken;
    return weir_ceil_divide(cycles * beats, interval);
}

/* Most beats that are worth holding before the edge's user: of a frame, a row or a position, and those for a frame's
 * start. A State gives nothing of the next frame before this one's row has come back, and holds it until it is
 * taken; what a recurrence begins with, which comes in, waits outside. */
static int64_t most_held(const weir_graph *graph, const weir_schedule *schedule, const weir_schedule_edge *edge,
                         int64_t interval) {
    bool is_apart;
    const weir_node source = source_at_pace(graph, edge->value, &is_apart);
    if (weir_node_op(graph, edge->user) == WEIR_OP_STATE)
        return source.id == 0 ? 0 : weir_stream_beats(graph, edge->value, weir_stream_lanes(graph, edge->value));
    if (source.id != 0 && weir_node_op(graph, source) == WEIR_OP_STATE && weir_recurrence_spans(graph, source))
        return is_apart ? weir_stream_beats(graph, edge->value, weir_stream_lanes(graph, edge->value)) : 0;
    if (!weir_schedule_holds_rows(schedule) || weir_stream_count(graph, edge->user) > 1) return INT64_MAX;
    const weir_shape *shape = &weir_value_type(graph, edge->value)->shape;
    const weir_component_rules *rules = weir_component_of(graph, edge->user)->rules;
    const int place = shape->rank > 2 && comes_in_bursts(graph, edge->value) ? 2 : 1;
    const int from = rules->may_wait || rules->pauses ? 1 : shape->rank - place;
    const int64_t lanes = weir_stream_lanes(graph, edge->value);
    int64_t elements = 1;
    for (int i = from; i < shape->rank; i++) elements *= shape->dim[i];
    return weir_ceil_divide(elements, lanes) +
           beats_of_start(graph, edge, weir_stream_beats(graph, edge->value, lanes), interval);
}

/* In a graph with windows, of a stream that meets another one or goes into what stops between rows: a row more, by
 * which either may be later than estimated; or as much again of what waits for less. */
static int64_t spare_beats(const weir_graph *graph, const weir_schedule *schedule, const weir_schedule_edge *edge,
                           int64_t beats) {
    const weir_component_rules *rules = weir_component_of(graph, edge->user)->rules;
    const bool stops = weir_stream_count(graph, edge->user) > 1 || rules->may_wait || rules->pauses;
    if (!weir_schedule_holds_rows(schedule) || !stops) return 0;
    const weir_shape *shape = &weir_value_type(graph, edge->value)->shape;
    const int64_t elements = weir_stream_row(graph, edge->value) * shape->dim[shape->rank - 1];
    const int64_t row = weir_ceil_divide(elements, weir_stream_lanes(graph, edge->value));
    return row < beats ? row : beats;
}

/* Beats that come to the edge's user before it takes them, later than it is scheduled: at most one a cycle. */
static int64_t late_beats(const weir_graph *graph, const weir_schedule_edge *edge) {
    const weir_component_rules *rules = weir_component_of(graph, edge->user)->rules;
    return rules->late == NULL ? 0 : rules->late(graph, edge->user);
}

/* The Fifo that feeds the edge gets as deep as what it holds: a full one takes nothing even in a cycle in which it
 * gives. True when it gets so much deeper that it delays its stream more. */
static bool deepen_fifo(weir_graph *graph, weir_schedule *schedule, const weir_schedule_edge *into,
                        const weir_schedule_edge *out, int64_t interval) {
    const weir_waiting held = weir_schedule_held(schedule, into, out);
    weir_fifo fifo = weir_fifo_of(graph, into->user);
    const int64_t most = most_held(graph, schedule, out, interval), waiting = held.beats < most ? held.beats : most;
    const int64_t late = late_beats(graph, out);
    const int64_t beats = waiting + spare_beats(graph, schedule, out, waiting) + late;
    fifo.stall = waiting < held.beats ? 0 : held.cycles - 1;
    fifo.bound = weir_schedule_holds_rows(schedule) || late > 0 ? WEIR_FIFO_ESTIMATED
                 : into->exact && out->exact                    ? WEIR_FIFO_EXACT
                                                                : WEIR_FIFO_UPPER;
    if (beats <= fifo.depth) {
        weir_fifo_set(graph, into->user, &fifo);
        return false;
    }
    const weir_component_rules *rules = weir_component_of(graph, into->user)->rules;
    const int64_t latency = rules->timing(graph, into->user).latency;
    fifo.depth = beats;
    weir_fifo_set(graph, into->user, &fifo);
    return rules->timing(graph, into->user).latency != latency;
}

/* Of a lane converter that joins input beats: how many an output beat has; else 0. */
static int64_t joined_beats(const weir_graph *graph, weir_node node) {
    if (weir_node_op(graph, node) != WEIR_OP_LANES) return 0;
    const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
    const bool joins = hardware->out_lanes > hardware->in_lanes && hardware->out_lanes % hardware->in_lanes == 0;
    return joins ? hardware->out_lanes / hardware->in_lanes : 0;
}

/* More is under way in the component before the edge, or waits there, than it has places for. A pipeline takes a beat
 * when one is free in the buffer behind it, other components have a register slice at the end. A fork has none: its
 * input waits until every output has given the beat. Nor has what joins beats: the next one is begun where the last one
 * was. */
static bool overflows(const weir_graph *graph, weir_schedule *schedule, const weir_schedule_edge *edge) {
    const int64_t waiting = weir_schedule_waiting(schedule, edge).beats;
    const weir_value source = weir_stream_source(graph, edge->value);
    if (late_beats(graph, edge) >= WEIR_SCHEDULE_SLACK && !weir_stream_is_input(graph, source)) return true;
    if (waiting == 0 || waiting >= WEIR_SCHEDULE_SLACK || weir_stream_is_input(graph, source))
        return waiting >= WEIR_SCHEDULE_SLACK;
    const weir_node producer = weir_value_producer(graph, source);
    const weir_component_rules *rules = weir_component_of(graph, producer)->rules;
    const int64_t joined = joined_beats(graph, producer);
    if (joined > 0) return weir_schedule_under_way(schedule, edge, joined - 1) > 1;
    int64_t cycles = weir_node_op(graph, producer) != WEIR_OP_FORK, each = 1;
    if (rules->pieces != NULL) {
        cycles = rules->timing(graph, producer).latency;
        each = weir_node_metadata_of(graph, producer)->hardware.interval / weir_stream_beats_of(graph, producer);
    }
    return weir_schedule_under_way(schedule, edge, cycles) > cycles / each + 1;
}

/* Schedules the graph with its Fifos, which delay their streams, and makes them as deep as that requires; an edge where
 * more beats wait than registers hold gets one. True when the schedule is another one then. */
static bool fit_fifos(weir_graph *graph, weir_schedule *schedule) {
    weir_schedule_edge *into = weir_calloc(weir_graph_node_limit(graph), sizeof *into); /* by Fifo */
    const size_t edges = weir_schedule_edge_count(schedule);
    const int64_t interval = weir_stream_interval(graph);
    bool changed = false;
    for (size_t i = 0; i < edges; i++) {
        const weir_schedule_edge edge = weir_schedule_edge_at(schedule, i);
        const weir_node producer = weir_value_producer(graph, edge.value);
        if (is_fifo(graph, edge.user)) into[edge.user.id] = edge;
        else if (is_fifo(graph, producer)) changed |= deepen_fifo(graph, schedule, &into[producer.id], &edge, interval);
        else if (most_held(graph, schedule, &edge, interval) >= WEIR_SCHEDULE_SLACK &&
                 overflows(graph, schedule, &edge)) {
            insert_fifo(graph, &edge, WEIR_SCHEDULE_SLACK);
            changed = true;
        }
    }
    free(into);
    return changed;
}

bool weir_size_fifos_timed(weir_graph *graph, int64_t limit, weir_schedule_timing *timing) {
    weir_schedule *schedule = weir_schedule_set_steps(graph) ? weir_schedule_new(graph) : NULL;
    bool fine = schedule != NULL;
    while (fine && (timing->latency = weir_schedule_latency(schedule)) < limit && fit_fifos(graph, schedule))
        fine = weir_schedule_update(schedule);
    if (fine) weir_frame_note(graph, schedule);
    timing->steps = schedule == NULL ? 0 : weir_schedule_steps(schedule);
    weir_schedule_free(schedule);
    return fine;
}

bool weir_size_fifos(weir_graph *graph) {
    weir_schedule_timing timing;
    return weir_size_fifos_timed(graph, INT64_MAX, &timing);
}

bool weir_pass_insert_streams(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    (void)pass;
    (void)context;
    return weir_insert_streams(weir_module_find_graph(module, "hardware"));
}

bool weir_pass_size_fifos(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    (void)pass;
    (void)context;
    weir_graph *graph = weir_module_find_graph(module, "hardware");
    return weir_size_fifos(graph) && weir_promise_latency(module, graph);
}
