/* Multiply: (a - za) * (b - zb) of two streams. Where a is one row for all rows of b, as a gate by channel, weir_replay
 * repeats it. */
#include "dataflow/build.h"

#include <assert.h>

#include "dataflow/component.h"
#include "dataflow/cost/cost.h"
#include "dataflow/cost/target.h"
#include "dataflow/schedule/stream.h"

static bool becomes(const weir_graph *graph, weir_node node) {
    return weir_component_takes_two(graph, node, WEIR_OP_MUL, WEIR_OP_QLINEAR_MUL);
}

static const weir_type *operand(const weir_graph *graph, weir_node node, size_t index) {
    assert(index < 2);
    return weir_value_type(graph, weir_node_input(graph, node, index));
}

/* Rows of b that a row of a meets. */
static int64_t times_of(const weir_graph *graph, weir_node node) {
    assert(weir_node_op(graph, node) == WEIR_OP_MULTIPLY);
    return weir_stream_elements(graph, weir_node_input(graph, node, 1)) /
           weir_stream_elements(graph, weir_node_input(graph, node, 0));
}

static bool fits(const weir_graph *graph, weir_node node, weir_text *why) {
    static const char *const names[] = {"za", "zb"};
    const weir_shape *a = &operand(graph, node, 0)->shape, *b = &operand(graph, node, 1)->shape;
    int d = 0;
    while (d < a->rank && a->dim[d] == 1) d++;
    if (d == a->rank && a->rank > 0) d--; /* one element a row */
    bool repeats =
        a->rank == b->rank && weir_shape_equal(b, &weir_value_type(graph, weir_node_output(graph, node, 0))->shape);
    for (; repeats && d < a->rank; d++) repeats = a->dim[d] == b->dim[d];
    if (repeats) return weir_component_fits_32(graph, node, names, 2, why);
    weir_text_add(why, "hardware multiplies tensors of one shape, or each position of one with a row of channels");
    return false;
}

/* A row that is repeated has all lanes of a beat. */
static void derive(const weir_graph *graph, weir_node node, weir_meta_hardware *hardware) {
    const weir_shape *shape = &operand(graph, node, 0)->shape;
    if (times_of(graph, node) > 1 &&
        weir_stream_elements(graph, weir_node_input(graph, node, 0)) % hardware->out_lanes != 0)
        hardware->out_lanes = shape->dim[shape->rank - 1];
    hardware->in_lanes = hardware->out_lanes;
    hardware->interval = weir_stream_beats(graph, weir_node_output(graph, node, 0), hardware->out_lanes);
}

/* --- time --- */

/* Signed bits of a code less the zero. */
static int64_t difference_bits(const weir_type *type, int64_t zero) {
    assert(type->low <= type->high);
    const int64_t low = type->low - zero, high = type->high - zero;
    return weir_bits_for(low < 0 ? low : -1, high);
}

static int64_t a_bits(const weir_graph *graph, weir_node node) {
    return difference_bits(operand(graph, node, 0), weir_node_int(graph, node, "za", 0));
}

static int64_t b_bits(const weir_graph *graph, weir_node node) {
    return difference_bits(operand(graph, node, 1), weir_node_int(graph, node, "zb", 0));
}

static int64_t parts_of(const weir_graph *graph, weir_node node) {
    return weir_cost_product_parts(weir_target_of(graph).device, a_bits(graph, node), b_bits(graph, node));
}

enum { REPLAY = 2 }; /* cycles of rtl/memory/weir_replay.v */

/* Cycles of rtl/linear/weir_multiply.v. */
static int64_t depth_of(const weir_graph *graph, weir_node node) { return 3 + weir_clog2(parts_of(graph, node)); }

static int64_t is_registered(const weir_graph *graph, weir_node node) {
    const weir_target target = weir_target_of(graph);
    const weir_value a = weir_node_input(graph, node, 0);
    const int64_t lanes = weir_node_metadata_of(graph, node)->hardware.in_lanes;
    bool is_signed;
    const int64_t bits = weir_stream_width(graph, weir_stream_source(graph, a), &is_signed);
    return times_of(graph, node) > 1 && weir_target_memory_has_output(&target) &&
           weir_cost_replay_in_blocks(weir_stream_beats(graph, a, lanes), lanes * bits);
}

static int64_t wait_of(const weir_graph *graph, weir_node node) {
    return times_of(graph, node) == 1 ? 0 : REPLAY + is_registered(graph, node);
}

static weir_component_timing timing(const weir_graph *graph, weir_node node) {
    return (weir_component_timing){wait_of(graph, node) + depth_of(graph, node), weir_stream_beats_of(graph, node)};
}

/* Registers: when the next beats of a and of b can be taken, when the half of the replay buffer is that the next row
 * goes to, and the other. */
enum { NEXT, MULTIPLY, HALF, OTHER_HALF };

typedef struct service_rule {
    int64_t wait, depth;
} service_rule;

static void serve_product(weir_service *s, const void *user) {
    const service_rule *rule = user;
    const int64_t at = weir_service_take(s, 1, s->time[MULTIPLY]);
    weir_service_give(s, 0, at + rule->depth);
    s->time[MULTIPLY] = at + 1;
}

static void serve_first(weir_service *s, const void *user) {
    const service_rule *rule = user;
    const int64_t at = weir_service_take(s, 0, s->time[NEXT]);
    s->time[NEXT] = at + 1;
    s->time[MULTIPLY] = weir_later(s->time[MULTIPLY], at + rule->wait);
    serve_product(s, rule);
}

static void serve_pair(weir_service *s, const void *user) {
    const service_rule *rule = user;
    const int64_t at = weir_service_take_all(s, s->time[MULTIPLY]);
    weir_service_give(s, 0, at + rule->depth);
    s->time[MULTIPLY] = at + 1;
}

/* The replay buffer holds two rows: the next one is taken while this one is repeated. */
static void service(weir_service *s, const weir_graph *graph, weir_node node) {
    const int64_t all = weir_stream_beats_of(graph, node), row = all / times_of(graph, node);
    assert(row * times_of(graph, node) == all);
    const service_rule rule = {wait_of(graph, node), depth_of(graph, node)};
    if (row == all) {
        weir_service_repeat(s, all, serve_pair, &rule);
        return;
    }
    s->time[NEXT] = weir_later(s->time[NEXT], s->time[HALF]);
    weir_service_repeat(s, row, serve_first, &rule);
    weir_service_repeat(s, all - row, serve_product, &rule);
    s->time[HALF] = s->time[OTHER_HALF];
    s->time[OTHER_HALF] = s->time[MULTIPLY];
}

/* --- hardware --- */

static weir_wires repeat(weir_builder *b, weir_node node, const weir_wires *x) {
    assert(times_of(b->graph, node) > 1);
    const weir_wires repeated = weir_build_stream(b, node, "replay_", x->lanes, x->element_bits, x->is_signed);
    weir_rtl_instance u = weir_build_part(b, node, "weir_replay", "replay");
    weir_build_set(b, u, "WIDTH", x->lanes * x->element_bits);
    weir_build_set(b, u, "BEATS", weir_stream_beats(b->graph, weir_node_input(b->graph, node, 0), x->lanes));
    weir_build_set(b, u, "TIMES", times_of(b->graph, node));
    weir_build_set(b, u, "REGISTERED", is_registered(b->graph, node));
    weir_build_connect_through(b, u, x, &repeated);
    return repeated;
}

static void build(weir_builder *b, weir_node node) {
    weir_wires x = *weir_build_input(b, node, 0);
    const weir_wires *other = weir_build_input(b, node, 1), *y = weir_build_output(b, node);
    assert(other->lanes == y->lanes && x.lanes == y->lanes);
    if (times_of(b->graph, node) > 1) x = repeat(b, node, &x);
    weir_rtl_instance u = weir_build_component(b, node);
    weir_build_set_element(b, u, "A", &x);
    weir_build_set(b, u, "A_ZERO", weir_node_int(b->graph, node, "za", 0));
    weir_build_set(b, u, "A_BITS", a_bits(b->graph, node));
    weir_build_set_element(b, u, "B", other);
    weir_build_set(b, u, "B_ZERO", weir_node_int(b->graph, node, "zb", 0));
    weir_build_set(b, u, "B_BITS", b_bits(b->graph, node));
    weir_build_set(b, u, "OUT_W", y->element_bits);
    weir_build_set(b, u, "LANES", y->lanes);
    if (parts_of(b->graph, node) > 1) weir_build_set(b, u, "PARTS", parts_of(b->graph, node));
    weir_build_connect(b, u, "s_a", &x);
    weir_build_connect(b, u, "s_b", other);
    weir_build_connect(b, u, "m", y);
}

/* The sign of an operand that has none, 1 or 0 bits. */
static int64_t sign_bits(weir_cost_part *part, const char *is_signed, const char *zero) {
    return weir_cost_value(part, is_signed) == 0 && weir_cost_value(part, zero) == 0;
}

/* Bits of partial products that are known: the sign of those of an a without one, and of a top part of one bit and no
 * sign the two that repeat the sign of a. */
static int64_t known_of_parts(int64_t parts, int64_t top, int64_t a_sign, int64_t b_sign) {
    assert(parts >= 1);
    return a_sign * (parts - 1) + (b_sign != 0 && top == 2 ? 2 : 0);
}

static void cost(weir_cost_part *part) {
    const int64_t a = weir_cost_value(part, "A_BITS"), b = weir_cost_value(part, "B_BITS");
    const int64_t lanes = weir_cost_value(part, "LANES"), out = weir_cost_value(part, "OUT_W");
    const int64_t blocks = weir_cost_product_blocks(part->device, a, b), parts = weir_cost_value(part, "PARTS");
    const int64_t each = weir_ceil_divide(b, parts);
    /* what takes the operands' registers knows the signs of products without any */
    const bool inside = blocks > 0 && weir_device_multiplier_takes_operands(part->device);
    const int64_t a_sign = sign_bits(part, "A_SIGNED", "A_ZERO"), b_sign = sign_bits(part, "B_SIGNED", "B_ZERO");
    const int64_t signs = a_sign + b_sign;
    const int64_t known = signs == 2 && parts == 1 && (inside || blocks == 0) ? 2 : 0;
    weir_cost_products(part, parts > 1 ? 0 : lanes, a, b, out - known);
    if (parts > 1) {
        weir_cost_parts(part, lanes, a, b, parts);
        weir_cost_registers(part, -lanes * known_of_parts(parts, b - (parts - 1) * each, a_sign, b_sign));
    }
    const int64_t moved =
        (weir_cost_value(part, "A_ZERO") != 0 ? a : 0) + (weir_cost_value(part, "B_ZERO") != 0 ? b : 0);
    weir_cost_term(part, lanes * moved);
    weir_cost_term(part, lanes * out);
    weir_cost_term(part, parts > 1 ? lanes * (a - 1) * (b - 1) : 0);
    weir_cost_registers(part, (inside ? 0 : lanes * (a + b - signs)) + 4 + 2 * weir_clog2(parts));
    if (blocks == 0)
        weir_cost_path(part, WEIR_COST_REGISTER, 1 + weir_clog2(a < each ? a : each), a + each, lanes * (a + b));
    weir_cost_path(part, WEIR_COST_REGISTER, 2, a > b ? a : b, lanes * (a + b));
    weir_cost_slice(part, lanes * (out - known));
}

const weir_component_rules weir_multiply_rules = {.asks = "one shape, or a row of channels for each position",
                                                  .fits = fits,
                                                  .becomes = becomes,
                                                  .streams = 2,
                                                  .derive = derive,
                                                  .result = WEIR_RESULT_SIGNED,
                                                  .timing = timing,
                                                  .service = service,
                                                  .cost = cost,
                                                  .build = build,
                                                  .has_active = true};
