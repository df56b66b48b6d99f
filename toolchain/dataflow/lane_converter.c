/* Lanes: the same elements with other numbers of them a beat; a frame starts with a beat of its own. */
#include "dataflow/build.h"
#include "dataflow/component.h"
#include "dataflow/schedule.h"
#include "dataflow/stream.h"

typedef struct beats {
    int64_t elements, in_lanes, out_lanes, in, out; /* beats a frame */
} beats;

static beats beats_of(const weir_graph *graph, weir_node node) {
    const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
    weir_value value = weir_node_output(graph, node, 0);
    return (beats){weir_stream_elements(graph, value), hardware->in_lanes, hardware->out_lanes,
                   weir_stream_beats(graph, value, hardware->in_lanes),
                   weir_stream_beats(graph, value, hardware->out_lanes)};
}

/* When more elements leave a beat than enter, the last beat of a frame may complete two beats, which leave one by one. */
static weir_component_timing timing(const weir_graph *graph, weir_node node) {
    const beats b = beats_of(graph, node);
    const bool completes_two = b.in_lanes < b.out_lanes && (b.in - 1) * b.in_lanes < (b.out - 1) * b.out_lanes;
    return (weir_component_timing){b.in_lanes == b.out_lanes ? 1 : 2 + completes_two, b.in > b.out ? b.in : b.out};
}

/* Any lanes on either side. */
static void derive(const weir_graph *graph, weir_node node, weir_meta_hardware *hardware) {
    weir_value value = weir_node_output(graph, node, 0);
    const int64_t in = weir_stream_beats(graph, value, hardware->in_lanes);
    const int64_t out = weir_stream_beats(graph, value, hardware->out_lanes);
    hardware->interval = in > out ? in : out;
}

/* A beat out when its last element is in; one beat a cycle either way. */
static void schedule(weir_schedule_step *step) {
    const beats b = beats_of(step->graph, step->node);
    int64_t in_free = 0, out_free = 0, sent = 0;
    step->given = weir_times_new(b.out * step->frames);
    for (int64_t i = 0; i < step->arrive.count; i++) {
        int64_t frame = i / b.in, last = (i % b.in + 1) * b.in_lanes;
        int64_t ready = last >= b.elements ? b.out : last / b.out_lanes;
        step->taken.at[i] = weir_later(step->arrive.at[i], in_free);
        in_free = step->taken.at[i] + 1;
        for (; sent < frame * b.out + ready; sent++) {
            step->given.at[sent] = weir_later(step->taken.at[i] + 1, out_free);
            out_free = step->given.at[sent] + 1;
        }
        in_free = weir_later(in_free, out_free - 1);
    }
}

static void build(weir_builder *b, weir_node node) {
    const weir_wires *x = weir_build_input(b, node, 0), *y = weir_build_output(b, node);
    weir_rtl_instance u = weir_build_component(b, node);
    weir_build_set(b, u, "WIDTH", x->element_bits);
    weir_build_set(b, u, "IN_LANES", x->lanes);
    weir_build_set(b, u, "OUT_LANES", y->lanes);
    weir_build_set(b, u, "FRAME", weir_stream_elements(b->graph, weir_node_output(b->graph, node, 0)));
    weir_build_connect(b, u, "s", x);
    weir_build_connect(b, u, "m", y);
}

const weir_component_rules weir_lane_converter_rules = {
    .result = WEIR_RESULT_INPUT, .derive = derive, .timing = timing, .schedule = schedule, .build = build};
