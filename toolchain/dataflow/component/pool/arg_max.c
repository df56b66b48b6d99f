/* ArgMax along the innermost dimension: weir_argmax, one index a row. */
#include "dataflow/build.h"

#include <assert.h>

#include "dataflow/component.h"
#include "dataflow/cost/cost.h"
#include "dataflow/schedule/stream.h"

static int64_t channels_of(const weir_graph *graph, weir_node node) {
    const weir_shape *x = &weir_value_type(graph, weir_node_input(graph, node, 0))->shape;
    return x->dim[x->rank - 1];
}

static int64_t rows_of(const weir_graph *graph, weir_node node) {
    return weir_stream_elements(graph, weir_node_output(graph, node, 0));
}

static int64_t beats_of(const weir_graph *graph, weir_node node) {
    assert(channels_of(graph, node) % weir_node_metadata_of(graph, node)->hardware.in_lanes == 0);
    return channels_of(graph, node) / weir_node_metadata_of(graph, node)->hardware.in_lanes;
}

static bool fits(const weir_graph *graph, weir_node node, weir_text *why) {
    const weir_type *type = weir_value_type(graph, weir_node_input(graph, node, 0));
    const int64_t axis = weir_node_int(graph, node, "axis", 0);
    if (type->quant.format == WEIR_FORMAT_FLOAT) return false;
    if (axis == -1 || axis == type->shape.rank - 1) return true;
    weir_text_add(why, "hardware finds the largest element along the innermost dimension only");
    return false;
}

/* Whole beats a row. */
static void derive(const weir_graph *graph, weir_node node, weir_meta_hardware *hardware) {
    const int64_t channels = channels_of(graph, node), most = weir_stream_pace(graph);
    int64_t lanes = hardware->in_lanes < channels ? hardware->in_lanes : channels;
    while (lanes < channels && (channels % lanes != 0 || rows_of(graph, node) * (channels / lanes) > most)) lanes++;
    hardware->in_lanes = lanes;
    hardware->out_lanes = 1;
    hardware->interval = rows_of(graph, node) * (channels / lanes);
}

/* A level of the tree a cycle, and the row. */
static int64_t latency_of(const weir_graph *graph, weir_node node) {
    return 1 + weir_cost_bits(weir_node_metadata_of(graph, node)->hardware.in_lanes);
}

static weir_component_timing timing(const weir_graph *graph, weir_node node) {
    return (weir_component_timing){latency_of(graph, node), rows_of(graph, node) * beats_of(graph, node)};
}

typedef struct service_rule {
    int64_t beats, latency;
} service_rule;

static void serve_row(weir_service *s, const void *user) {
    const service_rule *rule = user;
    weir_service_repeat(s, rule->beats, weir_service_take_beat, NULL);
    weir_service_give(s, 0, s->time[0] + rule->latency - 1);
}

static void service(weir_service *s, const weir_graph *graph, weir_node node) {
    const service_rule rule = {beats_of(graph, node), latency_of(graph, node)};
    weir_service_repeat(s, rows_of(graph, node), serve_row, &rule);
}

static void build(weir_builder *b, weir_node node) {
    const weir_wires *x = weir_build_input(b, node, 0), *y = weir_build_output(b, node);
    assert(y->lanes == 1);
    weir_rtl_instance u = weir_build_component(b, node);
    weir_build_set(b, u, "LANES", x->lanes);
    weir_build_set(b, u, "WIDTH", x->element_bits);
    weir_build_set(b, u, "SIGNED", x->is_signed);
    weir_build_set(b, u, "BEATS", beats_of(b->graph, node));
    weir_build_set(b, u, "OUT_W", y->element_bits);
    weir_build_set(b, u, "LAST", weir_node_int(b->graph, node, "select_last_index", 0) != 0);
    weir_build_connect_through(b, u, x, y);
}

/* --- cost --- */

/* Bits of the numbers of lanes after a level of the tree: a node tells apart those of its own lanes that there are. */
static int64_t number_bits(int64_t lanes, int64_t level) {
    assert(lanes >= 1 && level >= 0 && level < 62);
    int64_t bits = 0;
    for (int64_t left = lanes; left > 0; left -= (int64_t)1 << level)
        bits += weir_clog2(left < (int64_t)1 << level ? left : (int64_t)1 << level);
    return bits;
}

/* Zeros at the bottom of a number. */
static int64_t zeros(int64_t number) {
    assert(number != 0);
    int64_t count = 0;
    while ((number >> count & 1) == 0) count++;
    return count;
}

/* A comparator and a multiplexer a node of the tree and one for the row, a register after each:
 * rtl/pool/weir_argmax.v. */
static void cost(weir_cost_part *part) {
    const int64_t lanes = weir_cost_value(part, "LANES"), width = weir_cost_value(part, "WIDTH");
    const int64_t out = weir_cost_value(part, "OUT_W"), beats = weir_cost_value(part, "BEATS");
    int64_t nodes = lanes, levels = 0, numbers = 0;
    weir_cost_term(part, (lanes - 1) * width);
    for (int64_t kept = 0; nodes > 1 || levels == 0; levels++) {
        kept = weir_ceil_divide(nodes, 2);
        weir_cost_registers(part, (kept == 1 && beats == 1 ? 0 : kept * width) + 2);
        numbers += number_bits(lanes, levels + 1);
        nodes = kept;
    }
    weir_cost_term(part, numbers + out);
    weir_cost_term(part, beats > 1 ? width + 2 * out + weir_cost_bits(beats) : 0);
    /* Whether a beat wins depends on the beat's number and on a carry chain. Where no joined table sees both, each
     * table of the output sees the rest of it besides two numbers, the queue's register and what chooses that. */
    enum { WINS = 7 };
    const bool seen_at_once = weir_cost_joined(part, weir_cost_bits(beats) + 1) > 0;
    weir_cost_term(part, beats > 1 && !seen_at_once ? out * weir_cost_joined(part, WINS) : 0);
    weir_cost_registers(part, numbers);
    /* The first lane of a beat is a multiple of LANES; with one beat the result has no more bits than a lane's
     * number. */
    if (beats > 1) weir_cost_registers(part, width + 2 * out - zeros(lanes) + weir_cost_bits(beats));
    weir_cost_path(part, WEIR_COST_REGISTER, 2, width, width + out);
    weir_cost_slice(part, beats > 1 || out < weir_clog2(lanes) ? out : weir_clog2(lanes));
}

const weir_component_rules weir_arg_max_rules = {.asks = "the innermost dimension",
                                                 .fits = fits,
                                                 .result = WEIR_RESULT_RANGE,
                                                 .derive = derive,
                                                 .timing = timing,
                                                 .service = service,
                                                 .cost = cost,
                                                 .build = build,
                                                 .has_active = true};
