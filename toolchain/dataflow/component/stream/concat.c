/* Concat: two streams one after the other along a dimension, so that runs of beats of either follow each other:
 * weir_concat. A run is whole beats. */
#include "dataflow/build.h"

#include <assert.h>

#include "dataflow/component.h"
#include "dataflow/cost/cost.h"
#include "dataflow/schedule/stream.h"

typedef struct runs {
    int64_t count, size[2]; /* a frame; elements of a's and of b's */
} runs;

static runs runs_of(const weir_graph *graph, weir_node node) {
    const weir_shape *y = &weir_value_type(graph, weir_node_output(graph, node, 0))->shape;
    const int64_t given = weir_node_int(graph, node, "axis", 0);
    const int axis = (int)(given < 0 ? given + y->rank : given);
    assert(weir_node_input_count(graph, node) == 2 && axis >= 0 && axis < y->rank);
    runs r = {1, {1, 1}};
    for (int i = 0; i < axis; i++) r.count *= y->dim[i];
    for (size_t i = 0; i < 2; i++) {
        const weir_shape *x = &weir_value_type(graph, weir_node_input(graph, node, i))->shape;
        for (int d = axis; d < x->rank; d++) r.size[i] *= x->dim[d];
    }
    return r;
}

static bool fits(const weir_graph *graph, weir_node node, weir_text *why) {
    if (weir_node_input_count(graph, node) == 2) return true;
    weir_text_add(why, "hardware joins two streams at a time");
    return false;
}

/* Of lanes that share both runs, the fewest that are enough. */
static void derive(const weir_graph *graph, weir_node node, weir_meta_hardware *hardware) {
    const runs r = runs_of(graph, node);
    const int64_t most = weir_common_divisor(r.size[0], r.size[1]);
    int64_t lanes = hardware->out_lanes < most ? hardware->out_lanes : most;
    while (most % lanes != 0) lanes++;
    hardware->in_lanes = hardware->out_lanes = lanes;
    hardware->interval = weir_stream_beats(graph, weir_node_output(graph, node, 0), lanes);
}

/* --- time --- */

typedef struct turns {
    int64_t beats[2];
} turns;

/* Register 0: when the next beat can be taken. */
static void serve_beat(weir_service *s, size_t input) {
    assert(input < 2);
    const int64_t at = weir_service_take(s, input, s->time[0]);
    weir_service_give(s, 0, at + 1);
    s->time[0] = at + 1;
}

static void serve_a(weir_service *s, const void *user) {
    (void)user;
    serve_beat(s, 0);
}

static void serve_b(weir_service *s, const void *user) {
    (void)user;
    serve_beat(s, 1);
}

static void serve_turn(weir_service *s, const void *user) {
    const turns *t = user;
    weir_service_repeat(s, t->beats[0], serve_a, NULL);
    weir_service_repeat(s, t->beats[1], serve_b, NULL);
}

static turns turns_of(const weir_graph *graph, weir_node node) {
    const runs r = runs_of(graph, node);
    const int64_t lanes = weir_node_metadata_of(graph, node)->hardware.out_lanes;
    assert(r.size[0] % lanes == 0 && r.size[1] % lanes == 0);
    return (turns){{r.size[0] / lanes, r.size[1] / lanes}};
}

static void service(weir_service *s, const weir_graph *graph, weir_node node) {
    const turns t = turns_of(graph, node);
    weir_service_repeat(s, runs_of(graph, node).count, serve_turn, &t);
}

static void build(weir_builder *b, weir_node node) {
    const weir_wires *x = weir_build_input(b, node, 0), *other = weir_build_input(b, node, 1);
    const weir_wires *y = weir_build_output(b, node);
    assert(x->lanes == other->lanes && x->lanes == y->lanes);
    const turns t = turns_of(b->graph, node);
    weir_rtl_instance u = weir_build_component(b, node);
    weir_build_set_element(b, u, "A", x);
    weir_build_set_element(b, u, "B", other);
    weir_build_set(b, u, "OUT_W", y->element_bits);
    weir_build_set(b, u, "LANES", y->lanes);
    weir_build_set(b, u, "A_BEATS", t.beats[0]);
    weir_build_set(b, u, "B_BEATS", t.beats[1]);
    weir_build_connect(b, u, "s_a", x);
    weir_build_connect(b, u, "s_b", other);
    weir_build_connect(b, u, "m", y);
}

static void cost(weir_cost_part *part) {
    const int64_t a = weir_cost_value(part, "A_BEATS"), b = weir_cost_value(part, "B_BEATS");
    const int64_t bits = weir_cost_value(part, "LANES") * weir_cost_value(part, "OUT_W");
    const int64_t count = weir_cost_bits(a > b ? a : b);
    /* A choice for the queue, and one of its two registers. Yosys maps to the fewest levels: with a short counter all
     * to one. */
    enum { COUNTED = 4, CHOSEN = 5 }; /* what else a bit of the counter depends on, and all that a register takes */
    const bool one_level = count + COUNTED <= weir_cost_widest(part);
    weir_cost_term(part, bits * (1 + (one_level ? weir_cost_joined(part, CHOSEN) : 1)));
    weir_cost_term(part, count);
    weir_cost_registers(part, count + 1);
    weir_cost_path(part, WEIR_COST_REGISTER, 2 + weir_cost_levels(part, count), 0, bits);
    weir_cost_slice(part, bits);
}

const weir_component_rules weir_concat_rules = {.asks = "two streams at a time",
                                                .result = WEIR_RESULT_INPUTS,
                                                .fits = fits,
                                                .streams = 2,
                                                .derive = derive,
                                                .timing = weir_stream_registered,
                                                .service = service,
                                                .cost = cost,
                                                .build = build,
                                                .has_active = true};
