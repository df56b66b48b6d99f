/* Reorder: elements in any order of nested loops, from two pages in memory, one of which is read while the other is
 * written: weir_reorder. A page is the smallest part of a frame that is read before anything of the next one: a row of
 * pixels where they are repeated along two dimensions, the frame where its dimensions change places. */
#include "dataflow/build.h"

#include <assert.h>

#include "dataflow/component.h"
#include "dataflow/component/stream/nest_private.h"
#include "dataflow/cost/cost.h"
#include "dataflow/schedule/stream.h"
#include "ir/shape/geometry.h"

typedef struct paging {
    int64_t pages, page, start; /* elements */
    int loops;                  /* of a page, outermost first */
    int64_t size[WEIR_MAX_RANK], stride[WEIR_MAX_RANK];
} paging;

/* Loops of more than one iteration, where two that are one in memory are one. */
static void read_loops(const weir_reordering *r, paging *p) {
    for (int i = 0; i < r->loops; i++) {
        const int last = p->loops - 1;
        if (r->size[i] == 1) continue;
        if (p->loops > 0 && p->stride[last] == r->size[i] * r->stride[i]) {
            p->size[last] *= r->size[i];
            p->stride[last] = r->stride[i];
        } else {
            p->size[p->loops] = r->size[i];
            p->stride[p->loops++] = r->stride[i];
        }
    }
}

/* Does each iteration of the outermost loop read a part of its own, all of them the whole page in its order? */
static bool has_parts(const paging *p) {
    int64_t least = p->start, most = p->start;
    if (p->loops < 2 || p->stride[0] * p->size[0] != p->page) return false;
    for (int i = 1; i < p->loops; i++) {
        const int64_t reach = (p->size[i] - 1) * p->stride[i];
        least += reach < 0 ? reach : 0;
        most += reach > 0 ? reach : 0;
    }
    return least >= 0 && most < p->stride[0];
}

static paging paging_of(const weir_graph *graph, weir_node node) {
    assert(weir_node_op(graph, node) == WEIR_OP_REORDER);
    weir_reordering r;
    weir_geometry_reordering(graph, node, &r);
    paging p = {.pages = 1, .page = weir_stream_elements(graph, weir_node_input(graph, node, 0)), .start = r.start};
    read_loops(&r, &p);
    while (has_parts(&p)) {
        p.pages *= p.size[0];
        p.page = p.stride[0];
        p.loops--;
        for (int i = 0; i < p.loops; i++) {
            p.size[i] = p.size[i + 1];
            p.stride[i] = p.stride[i + 1];
        }
    }
    return p;
}

static bool fits(const weir_graph *graph, weir_node node, weir_text *why) {
    weir_reordering r;
    weir_geometry_reordering(graph, node, &r);
    if (r.fills) weir_text_add(why, "hardware fills only around elements that keep their order");
    else if (paging_of(graph, node).loops <= WEIR_NEST_LOOPS) return true;
    else weir_text_format(why, "hardware reorders by at most %d loops", WEIR_NEST_LOOPS);
    return false;
}

/* Most elements a beat: those of a beat stay together. */
static int64_t most_lanes(const paging *p) {
    const int last = p->loops - 1;
    if (p->loops == 0 || p->stride[last] != 1) return 1;
    int64_t most = weir_common_divisor(weir_common_divisor(p->size[last], p->start), p->page);
    for (int i = 0; i < last; i++) most = weir_common_divisor(most, p->stride[i] < 0 ? -p->stride[i] : p->stride[i]);
    return most;
}

/* Elements that are read a page. */
static int64_t count_read(const paging *p) {
    int64_t all = 1;
    for (int i = 0; i < p->loops; i++) all *= p->size[i];
    return all;
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static void derive(const weir_graph *graph, weir_node node, weir_meta_hardware *hardware) {
    const paging p = paging_of(graph, node);
    weir_nest_set_lanes(graph, most_lanes(&p), p.pages * larger(p.page, count_read(&p)), hardware);
}

static bool legal(const weir_graph *graph, weir_node node, const weir_meta_hardware *hardware, weir_text *why) {
    const paging p = paging_of(graph, node);
    return weir_nest_legal(most_lanes(&p), hardware, why);
}

/* All of it in beats. */
static paging beats_of(const weir_graph *graph, weir_node node) {
    const int64_t lanes = weir_node_metadata_of(graph, node)->hardware.in_lanes;
    paging p = paging_of(graph, node);
    assert(p.page % lanes == 0 && p.start % lanes == 0);
    p.page /= lanes;
    p.start /= lanes;
    for (int i = 0; lanes > 1 && i < p.loops - 1; i++) p.stride[i] /= lanes;
    if (p.loops > 0) p.size[p.loops - 1] /= lanes;
    return p;
}

enum { LATENCY = 3 }; /* from the address to the result */

static weir_component_timing timing(const weir_graph *graph, weir_node node) {
    const paging p = beats_of(graph, node);
    const int64_t given = count_read(&p);
    return (weir_component_timing){LATENCY + (p.page < given ? p.page : given), p.pages * larger(p.page, given)};
}

/* --- service --- */

/* Registers: when the next beat can be taken and given, and when the pages were read, the latest first. */
enum { TAKE, GIVE, READ };

static void give_beat(weir_service *s, const void *user) {
    (void)user;
    weir_service_give(s, 0, s->time[GIVE]++ + LATENCY);
}

static void serve_page(weir_service *s, const void *user) {
    const paging *p = user;
    s->time[TAKE] = weir_later(s->time[TAKE], s->time[READ + 1]);
    weir_service_repeat(s, p->page, weir_service_take_beat, p);
    s->time[GIVE] = weir_later(s->time[GIVE], s->time[TAKE]);
    weir_service_repeat(s, count_read(p), give_beat, p);
    s->time[READ + 1] = s->time[READ];
    s->time[READ] = s->time[GIVE];
}

static void service(weir_service *s, const weir_graph *graph, weir_node node) {
    const paging p = beats_of(graph, node);
    weir_service_repeat(s, p.pages, serve_page, &p);
}

/* --- emission --- */

static void build(weir_builder *b, weir_node node) {
    const weir_wires *x = weir_build_input(b, node, 0), *y = weir_build_output(b, node);
    assert(x->lanes == y->lanes);
    const paging p = beats_of(b->graph, node);
    weir_rtl_instance u = weir_build_component(b, node);
    weir_build_set(b, u, "WIDTH", x->lanes * x->element_bits);
    weir_build_set(b, u, "PAGES", p.pages);
    weir_build_set(b, u, "PAGE", p.page);
    weir_build_set(b, u, "START", p.start);
    weir_nest_build(b, u, "SIZE", p.size, p.loops, 1);
    weir_nest_build(b, u, "STRIDE", p.stride, p.loops, 0);
    weir_build_connect_through(b, u, x, y);
}

static void describe(const weir_graph *graph, weir_node node, weir_text *text) {
    const paging p = paging_of(graph, node);
    weir_text_format(text, "pages of %lld of %lld elements", (long long)p.page, (long long)(p.pages * p.page));
}

static void cost(weir_cost_part *part) {
    const int64_t width = weir_cost_value(part, "WIDTH"), page = weir_cost_value(part, "PAGE");
    const int64_t pages = weir_cost_value(part, "PAGES"), at = weir_cost_bits(2 * page);
    const int64_t counts = weir_nest_count_bits(part) + (pages > 1 ? weir_cost_bits(pages) : 0);
    const bool absorbed = weir_device_memory_takes_output(part->device);
    weir_cost_term(part, counts);
    weir_cost_term(part, at);
    weir_cost_term(part, width);
    weir_cost_registers(part, counts + weir_nest_count_loops(part) + 2 * at + 7 + (absorbed ? 0 : width));
    weir_cost_blocks(part, width, 2 * page);
    weir_cost_path(part, WEIR_COST_REGISTER, 1 + weir_cost_levels(part, weir_nest_count_loops(part)), at, 2 * at);
    weir_cost_path(part, WEIR_COST_MEMORY, 0, 0, 1);
    weir_cost_slice(part, width);
}

const weir_component_rules weir_reorder_rules = {.asks = "any order without fill values",
                                                 .fits = fits,
                                                 .result = WEIR_RESULT_INPUT,
                                                 .legal = legal,
                                                 .derive = derive,
                                                 .timing = timing,
                                                 .service = service,
                                                 .cost = cost,
                                                 .build = build,
                                                 .describe = describe,
                                                 .has_active = true};
