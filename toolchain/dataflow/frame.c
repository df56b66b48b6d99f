#include "dataflow/frame.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/schedule/stream.h"
#include "ir/trait/recurrence.h"
#include "support/memory/arena.h"

enum { SPARE_FRAMES = 1 };

/* --- frames inside --- */

static bool is_kept(const weir_graph *graph, weir_node node) {
    return weir_node_op(graph, node) == WEIR_OP_STATE && weir_stream_role(graph, node) == WEIR_ROLE_COMPONENT &&
           weir_recurrence_is_kept(graph, node);
}

/* When the last beat of a frame is there, counted from when the frame's interval begins. */
static int64_t end_of(const weir_signature_part *part) { return part->at + part->level->last; }

/* The soonest end of a frame at an input; 0: there is none. */
static int64_t soonest_end(const weir_graph *graph, const weir_schedule *schedule) {
    size_t count;
    weir_value *inputs = weir_stream_inputs(graph, &count);
    int64_t soonest = INT64_MAX;
    for (size_t i = 0; i < count; i++) {
        const weir_bounds *given = weir_schedule_given(schedule, inputs[i]);
        const int64_t end = given == NULL ? 0 : end_of(&given->early.first);
        if (end < soonest) soonest = end;
    }
    free(inputs);
    return count == 0 ? 0 : soonest;
}

/* A frame is inside from the cycle after its last beat came until its result's last beat leaves, which a guard may see
 * a cycle late: with one place more than frames are there at once, none waits for a place. That holds for any sources:
 * it does in the schedule, and a design with all the places that one schedule needs does nothing later than in it. */
static int64_t frames_inside(const weir_graph *graph, const weir_schedule *schedule, weir_value output) {
    const weir_bounds *given = weir_schedule_given(schedule, output);
    if (given == NULL) return WEIR_FRAME_LEAST;
    const int64_t from = soonest_end(graph, schedule), interval = weir_schedule_interval(schedule);
    const int64_t to = weir_later(end_of(&given->late.first), end_of(&given->late.steady)) + 1;
    return 1 + SPARE_FRAMES + (to > from ? (to - from) / interval : 0);
}

static int64_t noted(const weir_graph *graph, weir_value output) {
    const weir_node node = weir_value_producer(graph, output);
    return node.id == 0 ? 0 : weir_node_metadata_of(graph, node)->hardware.frames;
}

/* At a node, of its outputs that leave. */
static int64_t most_inside(const weir_graph *graph, const weir_schedule *schedule, weir_node node,
                           const weir_value *outputs, size_t count) {
    int64_t most = WEIR_FRAME_LEAST;
    for (size_t i = 0; i < count; i++) {
        if (weir_value_producer(graph, outputs[i]).id == node.id)
            most = weir_later(most, frames_inside(graph, schedule, outputs[i]));
    }
    return most;
}

/* A State ends the first row that it gives for a frame when what reads it has taken that. */
static void note_states(weir_graph *graph, const weir_schedule *schedule) {
    for (size_t i = 0; i < weir_schedule_edge_count(schedule); i++) {
        const weir_schedule_edge edge = weir_schedule_edge_at(schedule, i);
        const weir_node node = weir_value_producer(graph, weir_stream_source(graph, edge.value));
        if (node.id == 0 || !is_kept(graph, node)) continue;
        const int64_t end = weir_later(end_of(&edge.taken->late.first), end_of(&edge.taken->late.steady));
        int64_t *frames = &weir_node_metadata(graph, node)->hardware.frames;
        *frames = weir_later(*frames, 1 + SPARE_FRAMES + end / weir_schedule_interval(schedule));
    }
}

void weir_frame_note(weir_graph *graph, const weir_schedule *schedule) {
    size_t count;
    weir_value *outputs = weir_stream_outputs(graph, &count);
    for (size_t i = 0; i < count; i++) {
        const weir_node node = weir_value_producer(graph, outputs[i]);
        if (node.id == 0) continue;
        weir_node_metadata(graph, node)->hardware.frames = most_inside(graph, schedule, node, outputs, count);
    }
    free(outputs);
    note_states(graph, schedule);
}

int64_t weir_frame_depth(const weir_graph *graph, weir_value output) {
    int64_t frames = noted(graph, output);
    weir_schedule *schedule = frames > 0 ? NULL : weir_schedule_new(graph);
    if (schedule != NULL) frames = frames_inside(graph, schedule, output);
    weir_schedule_free(schedule);
    return weir_later(frames, WEIR_FRAME_LEAST);
}

/* --- what depends on what --- */

/* Updates whose State is used: what they take is used, from a step to the next. */
static bool use_updates(const weir_graph *graph, bool *used) {
    bool changed = false;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_node_op(graph, node) != WEIR_OP_UPDATE || !used[weir_node_input(graph, node, 1).id]) continue;
        changed |= !used[weir_node_input(graph, node, 0).id];
        used[weir_node_input(graph, node, 0).id] = true;
    }
    return changed;
}

bool *weir_frame_inputs(const weir_graph *graph, weir_value output, const weir_value *inputs, size_t count) {
    assert(output.id < weir_graph_value_limit(graph));
    bool *used = weir_calloc(weir_graph_value_limit(graph), sizeof *used),
         *found = weir_calloc(count + 1, sizeof *found);
    used[output.id] = true;
    do {
        /* nodes stand in topological order: users come first from the end */
        for (weir_node node = weir_graph_last(graph); node.id != 0; node = weir_node_previous(graph, node)) {
            bool needed = false;
            for (size_t o = 0; o < weir_node_output_count(graph, node); o++)
                needed |= used[weir_node_output(graph, node, o).id];
            for (size_t i = 0; needed && i < weir_node_input_count(graph, node); i++)
                used[weir_node_input(graph, node, i).id] = true;
        }
    } while (use_updates(graph, used));
    for (size_t i = 0; i < count; i++) found[i] = used[inputs[i].id];
    free(used);
    return found;
}

bool weir_frame_is_bare(const weir_graph *graph, weir_value output) {
    weir_value value = weir_stream_source(graph, output);
    while (!weir_stream_is_input(graph, value)) {
        const weir_node producer = weir_value_producer(graph, value);
        if (producer.id == 0 || weir_node_op(graph, producer) != WEIR_OP_FORK) return false;
        value = weir_stream_source(graph, weir_node_input(graph, producer, 0));
    }
    return true;
}

/* --- doors --- */

weir_frame_door weir_frame_guard(const weir_graph *graph, weir_value input) {
    assert(weir_stream_is_input(graph, input));
    const int64_t beats = weir_stream_beats(graph, input, weir_stream_lanes(graph, input));
    return (weir_frame_door){"weir_frame_guard", {{"BEATS", beats}, {"COUNT_W", WEIR_FRAME_COUNT_BITS}}};
}

weir_frame_door weir_frame_flags(int64_t inputs, int64_t depth) {
    assert(inputs >= 1 && depth >= 1);
    return (weir_frame_door){"weir_frame_flags", {{"INPUTS", inputs}, {"DEPTH", depth}}};
}

size_t weir_frame_states(const weir_graph *graph) {
    size_t count = 0;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        count += is_kept(graph, node);
    return count;
}

weir_frame_door weir_frame_sequence(const weir_graph *graph, int64_t inputs) {
    const int64_t states = (int64_t)weir_frame_states(graph);
    int64_t depth = WEIR_FRAME_LEAST;
    assert(inputs >= 1 && states >= 1);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        while (is_kept(graph, node) && depth < weir_node_metadata_of(graph, node)->hardware.frames) depth *= 2;
    return (weir_frame_door){"weir_sequence", {{"INPUTS", inputs}, {"STATES", states}, {"DEPTH", depth}}};
}

size_t weir_frame_state_index(const weir_graph *graph, weir_node state) {
    assert(is_kept(graph, state));
    size_t index = 0;
    for (weir_node node = weir_graph_first(graph); node.id != state.id; node = weir_node_next(graph, node))
        index += is_kept(graph, node);
    return index;
}

weir_frame_door weir_frame_slice(const weir_graph *graph, weir_value output) {
    bool is_signed;
    const int width = weir_stream_width(graph, output, &is_signed);
    return (weir_frame_door){"weir_register_slice", {{"WIDTH", weir_stream_lanes(graph, output) * width}}};
}

weir_frame_door *weir_frame_list(const weir_graph *graph, size_t *count) {
    size_t inputs, outputs;
    weir_value *in = weir_stream_inputs(graph, &inputs), *out = weir_stream_outputs(graph, &outputs);
    weir_frame_door *door = weir_calloc(inputs + 2 * outputs + 2, sizeof *door);
    *count = 0;
    if (weir_frame_states(graph) > 0) door[(*count)++] = weir_frame_sequence(graph, (int64_t)inputs);
    for (size_t i = 0; i < inputs; i++) door[(*count)++] = weir_frame_guard(graph, in[i]);
    for (size_t o = 0; o < outputs; o++) {
        bool *used = weir_frame_inputs(graph, out[o], in, inputs);
        int64_t uses = 0;
        for (size_t i = 0; i < inputs; i++) uses += used[i];
        door[(*count)++] = weir_frame_flags(uses, weir_later(noted(graph, out[o]), WEIR_FRAME_LEAST));
        if (weir_frame_is_bare(graph, out[o])) door[(*count)++] = weir_frame_slice(graph, out[o]);
        free(used);
    }
    free(in);
    free(out);
    return door;
}
