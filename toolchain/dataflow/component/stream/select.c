/* Select: a Reorder that leaves the order alone and keeps a part of each frame, or makes it a part of a larger frame:
 * weir_select. Nothing is held but the beat that waits for the fill values before it. */
#include "dataflow/build.h"

#include <assert.h>

#include "dataflow/component.h"
#include "dataflow/component/stream/nest_private.h"
#include "dataflow/cost/cost.h"
#include "dataflow/schedule/stream.h"
#include "ir/shape/geometry.h"

/* Loops over all elements of the larger one, of which iterations in [begin, end) are those of the smaller one. */
typedef struct selection {
    int loops;
    int64_t size[WEIR_NEST_LOOPS], begin[WEIR_NEST_LOOPS], end[WEIR_NEST_LOOPS]; /* outermost first */
    bool fills;
} selection;

/* A loop inside those there are; false: there is no place for it. One without a choice becomes a part of the loop
 * around it. */
static bool add_loop(selection *w, int64_t size, int64_t begin, int64_t end) {
    assert(size >= 1 && begin >= 0 && begin <= end && end <= size);
    if (size == 1) return true;
    if (begin == 0 && end == size && w->loops > 0) {
        w->size[w->loops - 1] *= size;
        w->begin[w->loops - 1] *= size;
        w->end[w->loops - 1] *= size;
        return true;
    }
    if (w->loops == WEIR_NEST_LOOPS) return false;
    w->size[w->loops] = size;
    w->begin[w->loops] = begin;
    w->end[w->loops++] = end;
    return true;
}

/* All elements of the input, in their order, among fill values. */
static bool read_filled(const weir_reordering *r, int64_t count, selection *w) {
    int64_t first = r->start, next = 1;
    for (int i = r->loops - 1; i >= 0; i--) {
        const int64_t inside = r->end[i] - r->begin[i];
        if (inside > 1 && r->stride[i] != next) return false;
        first += r->begin[i] * r->stride[i];
        next *= inside;
    }
    for (int i = 0; i < r->loops; i++)
        if (!add_loop(w, r->size[i], r->begin[i], r->end[i])) return false;
    return first == 0 && next == count;
}

/* Loops over the input, whose steps are the strides of the given ones. */
static bool read_kept(const weir_reordering *r, int64_t count, selection *w) {
    int64_t around = count, start = r->start;
    for (int i = 0; i < r->loops; i++) {
        const int64_t stride = r->stride[i];
        if (r->size[i] == 1) continue;
        if (stride < 1 || around % stride != 0) return false;
        const int64_t size = around / stride, begin = start / stride;
        if (begin + r->size[i] > size || !add_loop(w, size, begin, begin + r->size[i])) return false;
        start %= stride;
        around = stride;
    }
    return add_loop(w, around, start, start + 1);
}

static bool selection_of(const weir_graph *graph, weir_node node, selection *w) {
    weir_reordering r;
    weir_geometry_reordering(graph, node, &r);
    const int64_t count = weir_stream_elements(graph, weir_node_input(graph, node, 0));
    *w = (selection){.fills = r.fills};
    return r.fills ? read_filled(&r, count, w) : read_kept(&r, count, w);
}

static bool fits(const weir_graph *graph, weir_node node, weir_text *why) {
    static const char *const names[] = {"fill"};
    selection w;
    if (!weir_component_fits_32(graph, node, names, 1, why)) return false;
    if (selection_of(graph, node, &w)) return true;
    weir_text_format(why, "hardware selects by at most %d loops that keep the order", WEIR_NEST_LOOPS);
    return false;
}

/* Most elements a beat: a beat is inside or not. */
static int64_t most_lanes(const selection *w) {
    const int last = w->loops - 1;
    return w->loops == 0 ? 1 : weir_common_divisor(weir_common_divisor(w->size[last], w->begin[last]), w->end[last]);
}

/* Iterations of the loops from `loop` on. */
static int64_t iterations(const selection *w, int loop) {
    assert(loop >= 0 && loop <= w->loops);
    int64_t all = 1;
    for (int i = loop; i < w->loops; i++) all *= w->size[i];
    return all;
}

static void derive(const weir_graph *graph, weir_node node, weir_meta_hardware *hardware) {
    selection w;
    selection_of(graph, node, &w);
    weir_nest_set_lanes(graph, most_lanes(&w), iterations(&w, 0), hardware);
}

static bool legal(const weir_graph *graph, weir_node node, const weir_meta_hardware *hardware, weir_text *why) {
    selection w;
    selection_of(graph, node, &w);
    return weir_nest_legal(most_lanes(&w), hardware, why);
}

/* The loops of beats. */
static selection beats_of(const weir_graph *graph, weir_node node) {
    const int64_t lanes = weir_node_metadata_of(graph, node)->hardware.in_lanes;
    selection w;
    selection_of(graph, node, &w);
    if (w.loops == 0) return w;
    const int last = w.loops - 1;
    assert(w.size[last] % lanes == 0 && w.begin[last] % lanes == 0 && w.end[last] % lanes == 0);
    w.size[last] /= lanes;
    w.begin[last] /= lanes;
    w.end[last] /= lanes;
    return w;
}

static int64_t count_after(const selection *w) {
    int64_t after = 0;
    for (int i = 0; i < w->loops; i++) after = after * w->size[i] + w->size[i] - w->end[i];
    return after;
}

static weir_component_timing timing(const weir_graph *graph, weir_node node) {
    const selection w = beats_of(graph, node);
    return (weir_component_timing){w.fills ? 2 : 1 - count_after(&w), iterations(&w, 0)};
}

/* --- service --- */

/* Registers: when the next beat can be taken and given, when the held one came. */
enum { TAKE, GIVE, HELD };

typedef struct service_rule {
    const selection *selection;
    int loop;     /* from which on */
    bool is_held; /* has the first beat been taken? */
} service_rule;

static void pass_over(weir_service *s, const void *user) {
    const service_rule *r = user;
    if (r->selection->fills) weir_service_give(s, 0, ++s->time[GIVE]);
    else s->time[TAKE] = weir_service_take(s, 0, s->time[TAKE]) + 1;
}

static void give_beat(weir_service *s, const service_rule *r) {
    if (!r->selection->fills) {
        const int64_t at = weir_service_take(s, 0, s->time[TAKE]);
        weir_service_give(s, 0, at + 1);
        s->time[TAKE] = at + 1;
        return;
    }
    if (!r->is_held) s->time[HELD] = weir_service_take(s, 0, s->time[TAKE]) + 1;
    s->time[TAKE] = weir_later(s->time[HELD], s->time[GIVE]);
    s->time[GIVE] = s->time[TAKE] + 1;
    weir_service_give(s, 0, s->time[GIVE]);
}

static void serve_loop(weir_service *s, const void *user) {
    const service_rule *r = user;
    const selection *w = r->selection;
    assert(r->loop <= w->loops);
    if (r->loop == w->loops) {
        give_beat(s, r);
        return;
    }
    const service_rule first = {w, r->loop + 1, r->is_held}, next = {w, r->loop + 1, false};
    const int64_t inner = iterations(w, r->loop + 1);
    const int64_t begin = w->begin[r->loop], end = w->end[r->loop];
    weir_service_repeat(s, begin * inner, pass_over, r);
    serve_loop(s, &first);
    weir_service_repeat(s, end - begin - 1, serve_loop, &next);
    weir_service_repeat(s, (w->size[r->loop] - end) * inner, pass_over, r);
}

static void service(weir_service *s, const weir_graph *graph, weir_node node) {
    const selection w = beats_of(graph, node);
    const service_rule all = {&w, 0, w.fills};
    if (w.fills) {
        s->time[HELD] = weir_service_take(s, 0, s->time[TAKE]) + 1;
        s->time[GIVE] = weir_later(s->time[GIVE], s->time[HELD]);
    }
    serve_loop(s, &all);
}

/* --- emission --- */

static void build(weir_builder *b, weir_node node) {
    const selection w = beats_of(b->graph, node);
    const weir_wires *x, *y;
    weir_rtl_instance u = weir_build_moved(b, node, &x, &y);
    weir_build_set(b, u, "FILLS", w.fills);
    weir_build_set(b, u, "FILL", weir_node_int(b->graph, node, "fill", 0));
    weir_nest_build(b, u, "SIZE", w.size, w.loops, 1);
    weir_nest_build(b, u, "BEGIN", w.begin, w.loops, 0);
    weir_nest_build(b, u, "END", w.end, w.loops, 1);
    weir_build_connect_through(b, u, x, y);
}

static void describe(const weir_graph *graph, weir_node node, weir_text *text) {
    const int64_t in = weir_stream_elements(graph, weir_node_input(graph, node, 0));
    const int64_t out = weir_stream_elements(graph, weir_node_output(graph, node, 0));
    if (in < out) weir_text_format(text, "%lld elements among %lld", (long long)in, (long long)out);
    else weir_text_format(text, "%lld of %lld elements", (long long)out, (long long)in);
}

/* A counter a loop, with flags for those of its bounds that lie within it: rtl/stream/weir_select.v. Bits that extend
 * an element are its sign or constant. */
static void cost(weir_cost_part *part) {
    const bool fills = weir_cost_value(part, "FILLS") != 0;
    const int64_t given = weir_cost_value(part, "LANES") * weir_cost_value(part, "X_W");
    const int64_t counts = weir_nest_count_bits(part);
    int64_t flags = 0, compared = 0;
    for (int loop = 0; loop < WEIR_NEST_LOOPS; loop++) {
        const int64_t size = weir_nest_value(part, "SIZE", loop), end = weir_nest_value(part, "END", loop);
        if (size == 1) continue;
        const bool inner_end = end < size, bounded = inner_end || weir_nest_value(part, "BEGIN", loop) > 0;
        flags += 1 + bounded + inner_end;
        compared += weir_cost_bits(size) * (bounded + inner_end);
    }
    weir_cost_term(part, counts);
    weir_cost_term(part, compared);
    weir_cost_term(part, given);
    /* What a register of the queue takes: the element, its own, what chooses, and the flags of the loops. Yosys maps to
     * the fewest levels: with two short counters all to one. */
    enum { CHOSEN = 5, COUNTED = 2, SHORT_LOOPS = 2 };
    const bool one_level =
        weir_nest_count_loops(part) == SHORT_LOOPS && weir_nest_most_bits(part) + COUNTED <= weir_cost_widest(part);
    weir_cost_term(part, fills ? given * (one_level ? weir_cost_joined(part, CHOSEN) : 1) : 0);
    weir_cost_registers(part, counts + flags + (fills ? given + 2 : 0));
    weir_cost_path(part, WEIR_COST_REGISTER, 3, weir_nest_most_bits(part), given);
    weir_cost_slice(part, given);
}

const weir_component_rules weir_select_rules = {.asks = "a part, or fill values, that leave the order alone",
                                                .fits = fits,
                                                .result = WEIR_RESULT_INPUTS,
                                                .legal = legal,
                                                .derive = derive,
                                                .timing = timing,
                                                .service = service,
                                                .cost = cost,
                                                .build = build,
                                                .describe = describe,
                                                .pauses = true,
                                                .has_active = true};
