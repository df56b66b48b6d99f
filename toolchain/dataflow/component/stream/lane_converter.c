/* Lanes: the same elements with other numbers of them a beat; a frame starts with a beat of its own. */
#include "dataflow/build.h"

#include <assert.h>

#include "dataflow/component.h"
#include "dataflow/cost/cost.h"
#include "dataflow/schedule/stream.h"

typedef struct beats {
    int64_t elements, in_lanes, out_lanes, in, out; /* beats a frame */
} beats;

static beats beats_of(const weir_graph *graph, weir_node node) {
    const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
    weir_value value = weir_node_output(graph, node, 0);
    assert(hardware->in_lanes >= 1 && hardware->out_lanes >= 1);
    return (beats){weir_stream_elements(graph, value), hardware->in_lanes, hardware->out_lanes,
                   weir_stream_beats(graph, value, hardware->in_lanes),
                   weir_stream_beats(graph, value, hardware->out_lanes)};
}

/* When more elements leave a beat than enter, the last beat of a frame may complete two beats, which leave one by
 * one. */
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

/* Registers of the service: when the next beat can be taken and given. */
enum { TAKE, GIVE };

/* A beat leaves the buffer, or its register when lanes differ, a cycle later. */
static void give_beat(weir_service *s, const void *user) {
    const beats *b = user;
    weir_service_give(s, 0, s->time[GIVE]++ + (b->in_lanes != b->out_lanes));
}

/* A beat that completes `ready` beats, one a cycle either way. The next one is taken when the last of them leaves; a
 * widening converter has room for two, and takes it when the last but one does (the end of a frame may complete two at
 * once). */
static void serve_beat(weir_service *s, const beats *b, int64_t ready) {
    assert(ready >= 0);
    s->time[TAKE] = weir_service_take(s, 0, s->time[TAKE]) + 1;
    if (ready == 0) return;
    s->time[GIVE] = weir_later(s->time[GIVE], s->time[TAKE]);
    weir_service_repeat(s, ready, give_beat, b);
    s->time[TAKE] = weir_later(s->time[TAKE], s->time[GIVE] - (b->in_lanes < b->out_lanes ? 2 : 1));
}

static void take_beat(weir_service *s, const void *user) { serve_beat(s, user, 0); }

/* Beats `first` to `end` of a frame, of which the last may complete one that is not full. */
static void serve_beats(weir_service *s, const beats *b, int64_t first, int64_t end) {
    assert(first >= 0 && first <= end && end <= b->in);
    for (int64_t i = first; i < end;) {
        const int64_t sent = i * b->in_lanes / b->out_lanes;
        int64_t next = weir_ceil_divide((sent + 1) * b->out_lanes, b->in_lanes) - 1; /* completes the next one */
        if (next >= end) next = end - 1;
        weir_service_repeat(s, next - i, take_beat, b);
        serve_beat(s, b, (next == b->in - 1 ? b->out : (next + 1) * b->in_lanes / b->out_lanes) - sent);
        i = next + 1;
    }
}

/* Until both sides are at the end of a beat again. */
static int64_t period_of(const beats *b) { return b->out_lanes / weir_common_divisor(b->in_lanes, b->out_lanes); }

static void serve_period(weir_service *s, const void *user) {
    const beats *b = user;
    serve_beats(s, b, 0, period_of(b));
}

static void service(weir_service *s, const weir_graph *graph, weir_node node) {
    const beats b = beats_of(graph, node);
    const int64_t period = period_of(&b), whole = (b.in - 1) / period; /* the last beat is by itself */
    weir_service_repeat(s, whole, serve_period, &b);
    serve_beats(s, &b, whole * period, b.in);
}

static void build(weir_builder *b, weir_node node) {
    const weir_wires *x = weir_build_input(b, node, 0), *y = weir_build_output(b, node);
    assert(x->element_bits == y->element_bits);
    weir_rtl_instance u = weir_build_component(b, node);
    weir_build_set(b, u, "WIDTH", x->element_bits);
    weir_build_set(b, u, "IN_LANES", x->lanes);
    weir_build_set(b, u, "OUT_LANES", y->lanes);
    weir_build_set(b, u, "FRAME", weir_stream_elements(b->graph, weir_node_output(b->graph, node, 0)));
    weir_build_connect_through(b, u, x, y);
}

/* --- cost --- */

/* Units of the stages of the logarithmic shifter, which a beat of `in` units spreads out in, up to `most`. A lookup
 * table of six inputs chooses among four: two stages in one. */
static int64_t shifted_units(const weir_cost_part *part, int64_t in, int64_t out, int64_t most) {
    assert(in >= 1 && out >= 1 && most >= 1);
    enum { OF_FOUR = 6 };
    const int64_t stages = weir_clog2(out), step = part->device->luts.inputs >= OF_FOUR ? 2 : 1;
    int64_t units = 0;
    for (int64_t stage = 0; stage < stages; stage += step) {
        const int64_t next = stage + step < stages ? stage + step : stages;
        const int64_t spread = in + ((int64_t)1 << next) - 1;
        units += spread < most ? spread : most;
    }
    return units;
}

/* The four forms of rtl/stream/weir_lane_converter.v. */
static void cost(weir_cost_part *part) {
    const int64_t width = weir_cost_value(part, "WIDTH");
    const int64_t in = weir_cost_value(part, "IN_LANES"), out = weir_cost_value(part, "OUT_LANES");
    const int64_t unit = weir_common_divisor(in, out), room = in < out ? 2 * out : in + out - unit;
    const int64_t places = weir_ceil_divide(room, out), size = places * out * width;
    const bool equal = in == out, widen = !equal && in == unit, narrow = !equal && out == unit;
    const bool any = !equal && !widen && !narrow;
    const int64_t steps = widen ? weir_cost_bits(out / unit) : weir_cost_bits(in / unit);
    const int64_t count = weir_cost_bits(out / unit);
    const int64_t slice = widen || (any && in < out) ? in : out;
    const int64_t frame = weir_cost_value(part, "FRAME"), taken = weir_ceil_divide(frame, in);
    const int64_t masked = taken * in - frame; /* lanes of a frame's last beat that are none of its elements */
    const bool shared = part->device->logic_cell == WEIR_DEVICE_SHARED;
    enum { SHIFTED = 5 }; /* signals to a bit that is taken or moved down, but for the steps that are left */
    /* Not those of a bit that is masked too. The highest unit is taken or cleared. */
    const int64_t joined = masked > out ? 0 : weir_cost_joined(part, SHIFTED + steps);
    const int64_t moved = (in - out) * (joined > 0 ? joined : 1) + out;
    /* A choice of two slots, whose registers have no table before them; or a choice and what enters. */
    const int64_t held = in < out ? (shared ? 3 : 1) * out : 2 * room;
    weir_cost_term(part, (slice + (narrow ? 0 : masked)) * width);
    weir_cost_term(part, widen && shared ? out * width : 0); /* registers without a table before them */
    weir_cost_term(part,
                   widen && taken % (out / unit) != 0 ? out * width : 0); /* the frame's last beat is moved down */
    weir_cost_term(part, narrow ? moved * width : 0);
    weir_cost_term(part, any ? held * width : 0);
    weir_cost_term(part,
                   any ? shifted_units(part, in / unit, out / unit, (in < out ? out : room) / unit) * unit * width : 0);
    weir_cost_term(part, equal ? 0 : any ? count : steps);
    weir_cost_slice(part, slice * width);
    if (widen) weir_cost_path(part, WEIR_COST_REGISTER, 2 + weir_cost_levels(part, steps), 0, out * width);
    if (narrow) weir_cost_path(part, WEIR_COST_REGISTER, 3 + weir_cost_levels(part, steps), 0, in * width);
    if (any) weir_cost_path(part, WEIR_COST_REGISTER, 2 + count, 2 * count, size);
    if (widen) weir_cost_registers(part, out * width + steps + 2);
    if (narrow) weir_cost_registers(part, in * width + steps + 2);
    if (any)
        weir_cost_registers(part, (in < out ? size : room * width) + count + weir_cost_bits(places + 1) + places +
                                      2 * (in < out));
}

const weir_component_rules weir_lane_converter_rules = {
    .result = WEIR_RESULT_INPUT, .derive = derive, .timing = timing, .service = service, .cost = cost, .build = build};
