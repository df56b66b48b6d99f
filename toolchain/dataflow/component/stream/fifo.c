/* Fifo: holds up to `depth` beats that wait. */
#include "dataflow/fifo.h"

#include <assert.h>

#include "dataflow/build.h"
#include "dataflow/component.h"
#include "dataflow/cost/cost.h"
#include "dataflow/cost/target.h"
#include "dataflow/schedule/stream.h"

/* From here on the beats lie in a memory: rtl/stream/weir_fifo.v. */
enum { MEMORY_DEPTH = 33 };

static int64_t most_stall(const weir_graph *graph, weir_node node) {
    (void)graph;
    (void)node;
    return INT64_MAX;
}

static int64_t most_bound(const weir_graph *graph, weir_node node) {
    (void)graph;
    (void)node;
    return WEIR_FIFO_ESTIMATED;
}

enum { DEPTH, STALL, BOUND };
static const weir_component_setting settings[] = {[DEPTH] = {"depth", WEIR_SETTING_FOUND, NULL},
                                                  [STALL] = {"stall", WEIR_SETTING_FOUND, most_stall},
                                                  [BOUND] = {"bound", WEIR_SETTING_FOUND, most_bound}};

weir_fifo weir_fifo_of(const weir_graph *graph, weir_node node) {
    if (weir_node_op(graph, node) != WEIR_OP_FIFO) return (weir_fifo){.depth = 0};
    const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
    return (weir_fifo){weir_component_setting_of(hardware, &settings[DEPTH]),
                       weir_component_setting_of(hardware, &settings[STALL]),
                       (weir_fifo_bound)weir_component_setting_of(hardware, &settings[BOUND])};
}

void weir_fifo_set(weir_graph *graph, weir_node node, const weir_fifo *fifo) {
    assert(weir_node_op(graph, node) == WEIR_OP_FIFO);
    assert(fifo->depth >= 0 && fifo->stall >= 0 && fifo->bound <= WEIR_FIFO_ESTIMATED);
    weir_meta_hardware *hardware = &weir_node_metadata(graph, node)->hardware;
    weir_component_setting_set(hardware, &settings[DEPTH], fifo->depth);
    weir_component_setting_set(hardware, &settings[STALL], fifo->stall);
    weir_component_setting_set(hardware, &settings[BOUND], fifo->bound);
}

static int64_t depth_of(const weir_graph *graph, weir_node node) { return weir_fifo_of(graph, node).depth; }

/* With the output register that the device's memory blocks have. */
static int64_t is_registered(const weir_graph *graph, weir_node node) {
    const weir_target target = weir_target_of(graph);
    return depth_of(graph, node) >= MEMORY_DEPTH && weir_target_memory_has_output(&target);
}

static weir_component_timing timing(const weir_graph *graph, weir_node node) {
    return (weir_component_timing){depth_of(graph, node) < MEMORY_DEPTH ? 1 : 2 + is_registered(graph, node),
                                   weir_stream_beats_of(graph, node)};
}

static void build(weir_builder *b, weir_node node) {
    const weir_wires *x = weir_build_input(b, node, 0), *y = weir_build_output(b, node);
    assert(x->lanes == y->lanes && depth_of(b->graph, node) >= 1);
    weir_rtl_instance u = weir_build_component(b, node);
    weir_build_set(b, u, "WIDTH", x->lanes * x->element_bits);
    weir_build_set(b, u, "DEPTH", depth_of(b->graph, node));
    const weir_target target = weir_target_of(b->graph);
    weir_build_set(b, u, "SPREAD", weir_target_has_distributed_ram(&target));
    weir_build_set(b, u, "REGISTERED", is_registered(b->graph, node));
    weir_build_connect_through(b, u, x, y);
}

/* Exact: it fills to that depth when nothing outside stalls, and a beat waits that long. */
static const char *const bounds[] = {
    [WEIR_FIFO_EXACT] = "exact", [WEIR_FIFO_UPPER] = "upper bounds", [WEIR_FIFO_ESTIMATED] = "estimated"};

static void describe(const weir_graph *graph, weir_node node, weir_text *text) {
    const weir_fifo fifo = weir_fifo_of(graph, node);
    assert(fifo.bound <= WEIR_FIFO_ESTIMATED);
    weir_text_format(text, "%lld beats", (long long)fifo.depth);
    if (fifo.stall > 0)
        weir_text_format(text, ", waiting up to %lld cycles (%s)", (long long)fifo.stall, bounds[fifo.bound]);
}

/* --- cost --- */

void weir_fifo_cost(weir_cost_part *part, int64_t width, int64_t depth, int64_t registered) {
    const bool memory = depth >= MEMORY_DEPTH, spread = depth > 2 && !memory && weir_cost_value(part, "SPREAD") != 0;
    const bool shifts = !memory && !spread;
    const int64_t after = 1 + registered; /* words after the memory */
    const int64_t level = weir_cost_bits(depth + 1), address = weir_cost_bits(depth - after);
    weir_cost_term(part, shifts ? width * (depth - 1) : 0); /* the top slot takes what comes */
    weir_cost_term(part, shifts ? depth : 0);
    weir_cost_distributed(part, spread, width, depth);
    weir_cost_term(part, spread ? level : 0);
    weir_cost_term(part, memory ? level + 2 * address : 0);
    /* A beat is taken: the level, the pointers or the slots that move. */
    weir_cost_path(part, WEIR_COST_REGISTER, 2 + (shifts ? 0 : weir_cost_levels(part, level)), memory ? address : 0,
                   shifts ? width * depth : 2 * width);
    if (shifts) weir_cost_registers(part, (width + 1) * depth);
    else weir_cost_registers(part, level);
    if (spread) weir_cost_registers(part, 3 * weir_cost_bits(depth)); /* Yosys doubles one address */
    if (!memory) return;
    const bool inside = weir_device_memory_takes_output(part->device); /* the second word after the memory */
    weir_cost_registers(part, after + (inside ? 0 : (after - 1) * width) + 2 * address);
    if (after == 1) weir_cost_path(part, WEIR_COST_MEMORY, 0, 0, 1);
    weir_cost_blocks(part, width, depth - after);
}

static void cost(weir_cost_part *part) {
    weir_fifo_cost(part, weir_cost_value(part, "WIDTH") + 1, weir_cost_value(part, "DEPTH"),
                   weir_cost_value(part, "REGISTERED"));
}

const weir_component_rules weir_fifo_rules = {.result = WEIR_RESULT_INPUT,
                                              .settings = settings,
                                              .setting_count = sizeof settings / sizeof *settings,
                                              .timing = timing,
                                              .cost = cost,
                                              .build = build,
                                              .describe = describe,
                                              .has_level = true};
