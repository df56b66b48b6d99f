#include "dataflow/component/pool/pool_private.h"

#include <assert.h>

#include "dataflow/schedule/stream.h"
#include "ir/shape/geometry.h"
#include "ir/shape/layout.h"

typedef struct pool {
    int64_t in, out, kernel, stride, dilation, begin; /* along the dimension */
    int64_t inner;                                    /* elements of a step */
    int64_t lines;                                    /* a frame */
    int64_t together; /* pixels of a window that come in one beat; 1: they come one by one */
} pool;

static int64_t channels_of(const weir_graph *graph, weir_node node) {
    const weir_shape *x = &weir_value_type(graph, weir_node_input(graph, node, 0))->shape;
    return x->dim[x->rank - 1];
}

/* As the graph has it. */
static pool window_of(const weir_graph *graph, weir_node node) {
    const weir_shape *x = &weir_value_type(graph, weir_node_input(graph, node, 0))->shape;
    int order[WEIR_MAX_RANK], along = 0;
    weir_window w;
    weir_layout_order(graph, node, order);
    const weir_shape onnx = weir_layout_to_onnx(x, order);
    weir_geometry_window(graph, node, &onnx, NULL, &w);
    while (along + 1 < w.rank && weir_geometry_is_trivial(&w, along)) along++;
    pool p = {w.in[along], w.out[along], w.kernel[along], w.stride[along], w.dilation[along], w.begin[along], 1, 1, 1};
    for (int i = 0; i < x->rank; i++) {
        if (i <= along) p.lines *= x->dim[i];
        if (i > along + 1) p.inner *= x->dim[i];
    }
    return p;
}

/* Do windows meet without a gap, from the first to the last pixel of a line? */
static bool tiles(const pool *p) {
    return p->kernel == p->stride && p->dilation == 1 && p->begin == 0 && p->in == p->kernel * p->out;
}

/* With so many lanes of results. Several pixels a beat are neighbours in a row: each is of a line of its own, or
 * windows are whole; these are as a frame of one line, where a step is a window. */
static pool pool_at(const weir_graph *graph, weir_node node, int64_t lanes, int64_t together) {
    assert(lanes >= 1);
    pool p = window_of(graph, node);
    if (together == 1) return p;
    const int64_t beats = p.lines * p.out * p.inner / lanes;
    return (pool){beats, beats, 1, 1, 1, 0, lanes, 1, together};
}

static pool pool_of(const weir_graph *graph, weir_node node) {
    const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
    assert(hardware->in_lanes % hardware->out_lanes == 0);
    return pool_at(graph, node, hardware->out_lanes, hardware->in_lanes / hardware->out_lanes);
}

static int64_t reach_of(const pool *p) {
    assert(p->kernel >= 1 && p->dilation >= 1);
    return (p->kernel - 1) * p->dilation;
}

/* Windows of a line that end on it. */
static int64_t ended(const pool *p) {
    assert(p->stride >= 1);
    const int64_t last = p->in + p->begin - reach_of(p) - 1;
    return last < 0 ? 0 : last / p->stride + 1;
}

bool weir_pool_fits(const weir_graph *graph, weir_node node, weir_text *why) {
    const weir_type *type = weir_value_type(graph, weir_node_input(graph, node, 0));
    const weir_shape *x = &type->shape;
    int order[WEIR_MAX_RANK], last[WEIR_MAX_RANK], moving = 0;
    weir_window w;
    static const char *const names[] = {"zero", "common"};
    if (type->quant.format == WEIR_FORMAT_FLOAT || !weir_component_fits_32(graph, node, names, 2, why)) return false;
    weir_layout_order(graph, node, order);
    weir_layout_channels_last(x->rank, last);
    for (int i = 0; i < x->rank; i++) {
        if (order[i] == last[i]) continue;
        weir_text_add(why, "hardware needs the channels innermost");
        return false;
    }
    const weir_shape onnx = weir_layout_to_onnx(x, order);
    weir_geometry_window(graph, node, &onnx, NULL, &w);
    for (int i = 0; i < w.rank; i++) moving += !weir_geometry_is_trivial(&w, i);
    if (moving > 1) weir_text_add(why, "hardware pools along one dimension at a time");
    return moving <= 1;
}

/* Steps after a line, each for a window that ends after it. */
static int64_t tail_of(const pool *p) { return p->out - ended(p); }

/* Where nothing is joined. */
static int64_t interval_at(const weir_graph *graph, weir_node node, int64_t lanes, int64_t together) {
    const pool p = pool_at(graph, node, lanes, together);
    return p.lines * (p.in + tail_of(&p)) * weir_ceil_divide(p.inner, lanes);
}

/* Is a line's last window given with the first step of the next line (rtl/pool/weir_pool.v: JOINED)? Where a frame
 * would take longer than it may otherwise, and no window ends on that step. */
static int64_t joined_at(const weir_graph *graph, weir_node node, int64_t lanes, int64_t together, int64_t most) {
    const pool p = pool_at(graph, node, lanes, together);
    return tail_of(&p) > 0 && reach_of(&p) > p.begin && interval_at(graph, node, lanes, together) > most;
}

/* Where it is if it can be: rtl/pool/weir_pool.v, Bound. */
static int64_t least_interval(const weir_graph *graph, weir_node node, int64_t lanes, int64_t together) {
    const pool p = pool_at(graph, node, lanes, together);
    const int64_t steps = p.in + tail_of(&p) - joined_at(graph, node, lanes, together, 0);
    return p.lines * steps * weir_ceil_divide(p.inner, lanes);
}

static int64_t joined_of(const weir_graph *graph, weir_node node) {
    const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
    return joined_at(graph, node, hardware->out_lanes, hardware->in_lanes / hardware->out_lanes,
                     weir_stream_pace(graph));
}

int64_t weir_pool_ideal(const weir_graph *graph, weir_node node) { return weir_pool_timing(graph, node).interval; }

/* Pixels of a window that must come together where a beat has more than one pixel; 0: a beat has no more. */
static int64_t together_of(const weir_graph *graph, weir_node node) {
    const pool p = window_of(graph, node);
    return p.inner > channels_of(graph, node) ? 1 : p.kernel > 1 && tiles(&p) ? p.kernel : 0;
}

/* Can a beat of results have so many lanes? A part of the channels, or all of several positions, which divide a row. */
static bool can_give(const weir_graph *graph, weir_node node, int64_t lanes) {
    const int64_t channels = channels_of(graph, node);
    if (lanes <= channels) return channels % lanes == 0;
    return lanes % channels == 0 && together_of(graph, node) > 0 &&
           weir_stream_row(graph, weir_node_output(graph, node, 0)) % (lanes / channels) == 0;
}

/* Whole beats a pixel or whole pixels a beat, and as many lanes as what sets the pace needs. */
void weir_pool_derive(const weir_graph *graph, weir_node node, weir_meta_hardware *hardware) {
    const int64_t channels = channels_of(graph, node), most = weir_stream_pace(graph);
    const int64_t together = together_of(graph, node);
    const int64_t row = together == 0 ? 1 : weir_stream_row(graph, weir_node_output(graph, node, 0));
    int64_t lanes = hardware->in_lanes < channels ? hardware->in_lanes : channels, joins = 1;
    while (lanes < channels && (channels % lanes != 0 || least_interval(graph, node, lanes, 1) > most)) lanes++;
    const bool wide = hardware->in_lanes > channels || least_interval(graph, node, lanes, 1) > most;
    if (wide && together > 0) {
        int64_t positions = 1;
        joins = together;
        while (positions < row && (row % positions != 0 || positions * channels * joins < hardware->in_lanes ||
                                   least_interval(graph, node, positions * channels, joins) > most))
            positions++;
        lanes = positions * channels;
    }
    hardware->in_lanes = lanes * joins;
    hardware->out_lanes = lanes;
    const pool p = pool_at(graph, node, lanes, joins);
    const int64_t steps = p.in + tail_of(&p) - joined_at(graph, node, lanes, joins, most);
    hardware->interval = p.lines * steps * weir_ceil_divide(p.inner, lanes);
}

bool weir_pool_legal(const weir_graph *graph, weir_node node, const weir_meta_hardware *hardware, weir_text *why) {
    const int64_t in = hardware->in_lanes, out = hardware->out_lanes;
    if (can_give(graph, node, out) &&
        (in == out ? out <= channels_of(graph, node) || together_of(graph, node) == 1
                   : out % channels_of(graph, node) == 0 && in == out * together_of(graph, node)))
        return true;
    weir_text_format(why,
                     "takes %lld and gives %lld elements per beat: neither a divisor of its %lld channels nor those of "
                     "neighbouring positions",
                     (long long)in, (long long)out, (long long)channels_of(graph, node));
    return false;
}

static int64_t lanes_of(const weir_graph *graph, weir_node node) {
    return weir_node_metadata_of(graph, node)->hardware.out_lanes;
}

/* Memories from there on: rtl/pool/weir_pool.v. */
enum { MEMORY_INNER = 4 };

/* Bits of the largest factor of a sum. */
static int64_t factor_bits(const weir_graph *graph, weir_node node) {
    const int64_t common = weir_node_int(graph, node, "common", 0);
    const weir_shape *x = &weir_value_type(graph, weir_node_input(graph, node, 0))->shape;
    int order[WEIR_MAX_RANK];
    int64_t least, most;
    weir_window w;
    if (common == 0) return 0;
    weir_layout_order(graph, node, order);
    const weir_shape onnx = weir_layout_to_onnx(x, order);
    weir_geometry_window(graph, node, &onnx, NULL, &w);
    weir_geometry_count_seen(&w, &least, &most);
    return weir_bits_for(0, common / least);
}

/* From a beat to what it completes. */
static int64_t latency_of(const weir_graph *graph, weir_node node, int64_t inner) {
    return (inner < MEMORY_INNER ? 3 : 4) + factor_bits(graph, node);
}

weir_component_timing weir_pool_timing(const weir_graph *graph, weir_node node) {
    const pool p = pool_of(graph, node);
    const int64_t unseen = p.in + p.begin - reach_of(&p) - 1 - (p.out - 1) * p.stride; /* steps that no window sees */
    const int64_t inner = p.inner / lanes_of(graph, node);
    assert(inner * lanes_of(graph, node) == p.inner);
    const int64_t joined = joined_of(graph, node), after = joined - (unseen > 0 ? unseen : 0);
    return (weir_component_timing){latency_of(graph, node, inner) + after * inner,
                                   p.lines * (p.in + tail_of(&p) - joined) * inner};
}

int64_t weir_pool_start(const weir_graph *graph, weir_node node) {
    const pool p = pool_of(graph, node);
    return (reach_of(&p) - p.begin) * (p.inner / lanes_of(graph, node));
}

/* A beat that is to be joined and has not come is taken after that step. */
int64_t weir_pool_late(const weir_graph *graph, weir_node node) {
    return joined_of(graph, node) * (pool_of(graph, node).inner / lanes_of(graph, node));
}

/* --- service: registers hold when the next beat can be taken, and the next one of a joined window given --- */

typedef struct service_rule {
    pool pool;
    int64_t inner; /* beats of a step */
    int64_t latency;
    int64_t joined; /* windows after a line that delay nothing */
} service_rule;

static void take_and_give(weir_service *s, const void *user) {
    const service_rule *r = user;
    weir_service_take_beat(s, user);
    weir_service_give(s, 0, s->time[0] + r->latency - 1);
}

static void give_beat(weir_service *s, const void *user) {
    const service_rule *r = user;
    weir_service_give(s, 0, ++s->time[0] + r->latency - 1);
}

static void end_window(weir_service *s, const void *user) {
    const service_rule *r = user;
    weir_service_repeat(s, r->inner, take_and_give, r);
}

/* The same with the steps that come. */
static void give_joined(weir_service *s, const void *user) {
    const service_rule *r = user;
    weir_service_give(s, 0, ++s->time[1] + r->latency - 1);
}

/* A step that ends a window, and those up to the next one. */
static void serve_window(weir_service *s, const void *user) {
    const service_rule *r = user;
    end_window(s, r);
    weir_service_repeat(s, (r->pool.stride - 1) * r->inner, weir_service_take_beat, r);
}

static void serve_line(weir_service *s, const void *user) {
    const service_rule *r = user;
    const pool *p = &r->pool;
    const int64_t windows = ended(p), first = reach_of(p) - p->begin;
    if (windows == 0) {
        weir_service_repeat(s, p->in * r->inner, weir_service_take_beat, r);
    } else {
        weir_service_repeat(s, first * r->inner, weir_service_take_beat, r);
        weir_service_repeat(s, windows - 1, serve_window, r);
        end_window(s, r);
        weir_service_repeat(s, (p->in - first - 1 - (windows - 1) * p->stride) * r->inner, weir_service_take_beat, r);
    }
    weir_service_repeat(s, (tail_of(p) - r->joined) * r->inner, give_beat, r);
    s->time[1] = s->time[0];
    weir_service_repeat(s, r->joined * r->inner, give_joined, r);
}

void weir_pool_service(weir_service *s, const weir_graph *graph, weir_node node) {
    service_rule r = {.pool = pool_of(graph, node), .joined = joined_of(graph, node)};
    r.inner = weir_ceil_divide(r.pool.inner, lanes_of(graph, node));
    r.latency = latency_of(graph, node, r.inner);
    weir_service_repeat(s, r.pool.lines, serve_line, &r);
}

/* --- emission --- */

void weir_pool_build(weir_builder *b, weir_node node) {
    const weir_wires *x = weir_build_input(b, node, 0), *y = weir_build_output(b, node);
    const pool p = pool_of(b->graph, node);
    assert(x->lanes == y->lanes * p.together);
    weir_rtl_instance u = weir_build_component(b, node);
    weir_build_set(b, u, "LANES", y->lanes);
    if (p.together > 1) {
        weir_build_set(b, u, "TOGETHER", p.together);
        weir_build_set(b, u, "PIXEL", channels_of(b->graph, node));
    }
    weir_build_set(b, u, "WIDTH", x->element_bits);
    weir_build_set(b, u, "SIGNED", x->is_signed);
    weir_build_set(b, u, "SUM", weir_node_op(b->graph, node) == WEIR_OP_SUM_POOL);
    weir_build_set(b, u, "ZERO", weir_node_int(b->graph, node, "zero", 0));
    weir_build_set(b, u, "OUT_W", y->element_bits);
    weir_build_set(b, u, "COMMON", weir_node_int(b->graph, node, "common", 0));
    weir_build_set(b, u, "FACTOR_W", factor_bits(b->graph, node));
    weir_build_set(b, u, "INNER", weir_ceil_divide(p.inner, y->lanes));
    weir_build_set(b, u, "IN", p.in);
    weir_build_set(b, u, "OUT", p.out);
    weir_build_set(b, u, "LINES", p.lines);
    weir_build_set(b, u, "KERNEL", p.kernel);
    weir_build_set(b, u, "STRIDE", p.stride);
    weir_build_set(b, u, "DILATION", p.dilation);
    weir_build_set(b, u, "BEGIN", p.begin);
    if (joined_of(b->graph, node) > 0) weir_build_set(b, u, "JOINED", 1);
    weir_build_connect_through(b, u, x, y);
}

void weir_pool_describe(const weir_graph *graph, weir_node node, weir_text *text) {
    const pool p = window_of(graph, node);
    const bool together = pool_of(graph, node).together > 1;
    weir_text_format(text, "window %lld, stride %lld, %lld held", (long long)p.kernel, (long long)p.stride,
                     together ? 0 : (long long)weir_ceil_divide(reach_of(&p), p.stride));
}

/* --- cost --- */

static int64_t counter_bits(int64_t most) { return most < 1 ? 0 : weir_cost_bits(most + 1); }

/* Comparators or adders and what they hold a slot, counters, the beats between read and write: rtl/pool/weir_pool.v. */
void weir_pool_cost(weir_cost_part *part) {
    const int64_t inner = weir_cost_value(part, "INNER"), stride = weir_cost_value(part, "STRIDE");
    const int64_t reach = (weir_cost_value(part, "KERNEL") - 1) * weir_cost_value(part, "DILATION");
    const int64_t slots = weir_ceil_divide(reach, stride), held = slots > 0 ? slots : 1;
    const int64_t bits = weir_cost_value(part, "LANES") * weir_cost_value(part, "OUT_W");
    const int64_t wait = reach - weir_cost_value(part, "BEGIN"), steps = weir_cost_value(part, "IN");
    const int64_t place = counter_bits(inner - 1) + counter_bits(steps - 1) +
                          counter_bits(weir_cost_value(part, "LINES") - 1) +
                          counter_bits(wait > stride - 1 ? wait : stride - 1) + counter_bits(held - 1);
    const int64_t phases = slots > 0 ? held * counter_bits(held * stride - 1) : 0;
    const bool memory = inner >= MEMORY_INNER;
    const int64_t stages = memory ? 3 : 2, flags = 4 + (slots > 0 ? 2 + slots : 0) + counter_bits(held - 1);
    const bool adds = weir_cost_value(part, "SUM") != 0, centred = weir_cost_value(part, "ZERO") != 0;
    const int64_t element = weir_cost_value(part, "LANES") * weir_cost_value(part, centred ? "OUT_W" : "WIDTH");
    const int64_t together = weir_cost_value(part, "TOGETHER");
    const int64_t factor = weir_cost_value(part, "FACTOR_W"), sums = slots + (factor > 1 ? factor - 1 : 0);
    weir_cost_term(part, sums * bits);
    weir_cost_term(part, adds ? 0 : slots * bits);
    weir_cost_term(part, memory ? 0 : slots * bits);
    weir_cost_term(part, centred ? together * bits : 0);
    weir_cost_term(part, (together - 1) * (adds ? 1 : 2) * bits); /* a sum, or a difference and a choice by its sign */
    weir_cost_term(part, bits);
    weir_cost_term(part, place + phases);
    weir_cost_registers(part,
                        place + phases + (slots > 0 ? slots : 0) + (stages + together - 1) * element + stages * flags);
    if (weir_cost_value(part, "JOINED") != 0) weir_cost_registers(part, 4 + counter_bits(inner - 1));
    const bool inside = weir_device_memory_takes_output(part->device); /* the register after a memory */
    weir_cost_registers(part, memory ? slots * (2 - inside) * bits : slots * (inner + 1) * bits);
    if (memory && slots > 0) {
        weir_cost_registers(part, 3 * counter_bits(inner - 1));
        weir_cost_path(part, WEIR_COST_MEMORY, 0, 0, 1);
        for (int64_t i = 0; i < slots; i++) weir_cost_blocks(part, bits, inner);
    }
    if (factor > 0)
        weir_cost_registers(part, (2 * factor - 1) * bits + factor * (factor - 1) / 2 + 2 * factor +
                                      counter_bits(weir_cost_value(part, "OUT") - 1));
    weir_cost_path(part, WEIR_COST_REGISTER, together > 1 ? 2 * together - 1 : 3, weir_cost_value(part, "OUT_W"),
                   weir_cost_value(part, "OUT_W"));
    weir_cost_path(part, WEIR_COST_REGISTER, 3, 0, stages * element);
    weir_cost_slice(part, bits);
}
