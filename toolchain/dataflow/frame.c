#include "dataflow/frame.h"

#include <stdlib.h>
#include <string.h>

#include "dataflow/stream.h"
#include "support/arena.h"

enum { LEAST_FRAMES = 2, SPARE_FRAMES = 1 };

/* --- frames inside --- */

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

/* A frame is inside from the cycle after its last beat came until its result's last beat leaves: with one place more than frames are
 * there at once, none waits for a place. That holds for any sources: it does in the schedule, and a design with all the places that one
 * schedule needs does nothing later than in it. */
static int64_t frames_inside(const weir_graph *graph, const weir_schedule *schedule, weir_value output) {
    const weir_bounds *given = weir_schedule_given(schedule, output);
    if (given == NULL) return LEAST_FRAMES;
    const int64_t from = soonest_end(graph, schedule), interval = weir_schedule_interval(schedule);
    const int64_t to = weir_later(end_of(&given->late.first), end_of(&given->late.steady));
    return 1 + SPARE_FRAMES + (to > from ? (to - from) / interval : 0);
}

static int64_t noted(const weir_graph *graph, weir_value output) {
    const weir_node node = weir_value_producer(graph, output);
    return node.id == 0 ? 0 : weir_node_metadata_of(graph, node)->hardware.frames;
}

void weir_frame_note(weir_graph *graph, const weir_schedule *schedule) {
    size_t count;
    weir_value *outputs = weir_stream_outputs(graph, &count);
    for (size_t i = 0; i < count; i++) {
        const weir_node node = weir_value_producer(graph, outputs[i]);
        if (node.id == 0) continue;
        int64_t *frames = &weir_node_metadata(graph, node)->hardware.frames;
        *frames = 0;
    }
    for (size_t i = 0; i < count; i++) {
        const weir_node node = weir_value_producer(graph, outputs[i]);
        if (node.id == 0) continue;
        int64_t *frames = &weir_node_metadata(graph, node)->hardware.frames;
        *frames = weir_later(*frames, frames_inside(graph, schedule, outputs[i]));
    }
    free(outputs);
}

int64_t weir_frame_depth(const weir_graph *graph, weir_value output) {
    int64_t frames = noted(graph, output);
    weir_schedule *schedule = frames > 0 ? NULL : weir_schedule_new(graph);
    if (schedule != NULL) frames = frames_inside(graph, schedule, output);
    weir_schedule_free(schedule);
    return weir_later(frames, LEAST_FRAMES);
}

/* --- what depends on what --- */

bool *weir_frame_inputs(const weir_graph *graph, weir_value output, const weir_value *inputs, size_t count) {
    bool *used = weir_calloc(weir_graph_value_limit(graph), sizeof *used),
         *found = weir_calloc(count + 1, sizeof *found);
    used[output.id] = true;
    /* nodes stand in topological order: users come first from the end */
    for (weir_node node = weir_graph_last(graph); node.id != 0; node = weir_node_previous(graph, node)) {
        bool needed = false;
        for (size_t o = 0; o < weir_node_output_count(graph, node); o++)
            needed |= used[weir_node_output(graph, node, o).id];
        for (size_t i = 0; needed && i < weir_node_input_count(graph, node); i++)
            used[weir_node_input(graph, node, i).id] = true;
    }
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

/* --- cost --- */

void weir_frame_guard_cost(weir_cost_part *part) {
    const int64_t beats = weir_cost_value(part, "BEATS"), count = weir_cost_value(part, "COUNT_W");
    const int64_t places = beats > 1 ? weir_cost_bits(beats) : 0;
    weir_cost_term(part, places + weir_ceil_divide(places, 3)); /* a counter, and whether it is at 1 */
    weir_cost_term(part, count);
    weir_cost_term(part, places > 0 ? 8 : 6);
    weir_cost_registers(part, places + (places > 0) + count + 1);
    weir_cost_path(part, WEIR_COST_REGISTER, 1, weir_later(places, count), count);
}

void weir_frame_flags_cost(weir_cost_part *part) {
    const int64_t inputs = weir_cost_value(part, "INPUTS"), depth = weir_cost_value(part, "DEPTH");
    weir_cost_term(part, inputs * weir_ceil_divide(4 * depth, 3)); /* a multiplexer */
    weir_cost_term(part, inputs * 2 * weir_cost_bits(depth));
    weir_cost_term(part, inputs * 4);
    weir_cost_registers(part, inputs * (depth + weir_cost_bits(depth) + 1));
    weir_cost_path(part, WEIR_COST_REGISTER, 2 + weir_cost_levels(part, inputs * depth), 0, inputs * depth);
}

static void add(weir_cost *total, const weir_device *device, const char *module,
                const weir_cost_parameter parameters[2]) {
    weir_cost cost;
    weir_cost_of_module(device, module, parameters, 2, &cost);
    total->luts += cost.luts;
    total->flip_flops += cost.flip_flops;
}

weir_cost weir_frame_cost(const weir_graph *graph, const weir_device *device) {
    weir_cost total = {0, 0, 0, 0, 0};
    size_t inputs, outputs;
    weir_value *in = weir_stream_inputs(graph, &inputs), *out = weir_stream_outputs(graph, &outputs);
    for (size_t i = 0; i < inputs; i++) {
        const int64_t beats = weir_stream_beats(graph, in[i], weir_stream_lanes(graph, in[i]));
        add(&total, device, "weir_frame_guard",
            (weir_cost_parameter[2]){{"BEATS", beats}, {"COUNT_W", WEIR_FRAME_COUNT_BITS}});
    }
    for (size_t o = 0; o < outputs; o++) {
        bool *used = weir_frame_inputs(graph, out[o], in, inputs);
        int64_t count = 0;
        for (size_t i = 0; i < inputs; i++) count += used[i];
        if (count > 0)
            add(&total, device, "weir_frame_flags",
                (weir_cost_parameter[2]){{"INPUTS", count}, {"DEPTH", weir_later(noted(graph, out[o]), LEAST_FRAMES)}});
        if (weir_frame_is_bare(graph, out[o])) {
            bool is_signed;
            const int width = weir_stream_width(graph, out[o], &is_signed);
            add(&total, device, "weir_register_slice",
                (weir_cost_parameter[2]){{"WIDTH", weir_stream_lanes(graph, out[o]) * width}, {"", 0}});
        }
        free(used);
    }
    free(in);
    free(out);
    return total;
}
