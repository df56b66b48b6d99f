/* Threshold search: the same number by bisection, a comparison a bit of it, where all beats have the same thresholds.
 * Thresholds: one word, lane l's at index l * COUNT + i. */
#include <stdlib.h>

#include "dataflow/component/threshold_private.h"
#include "dataflow/cost.h"
#include "dataflow/memory.h"
#include "dataflow/stream.h"

static int64_t bits_of(int64_t count) { return weir_bits_for(0, count); }

static bool legal(const weir_graph *graph, weir_node node, const weir_meta_hardware *hardware, weir_text *why) {
    if (weir_memory_words(graph, weir_node_input(graph, node, 1), hardware->out_lanes) == 1) return true;
    weir_text_format(why, "has thresholds that differ between beats");
    return false;
}

static weir_component_timing timing(const weir_graph *graph, weir_node node) {
    return (weir_component_timing){2 * bits_of(weir_threshold_count(graph, node)), weir_stream_beats_of(graph, node)};
}

static bool memory(const weir_graph *graph, weir_node node, size_t index, weir_memory *memory) {
    if (index > 0) return false;
    *memory = (weir_memory){.suffix = "thresholds",
                            .depth = 1,
                            .fields = weir_node_metadata_of(graph, node)->hardware.out_lanes *
                                      weir_threshold_count(graph, node),
                            .field_bits = weir_threshold_width(graph, node)};
    return true;
}

static int64_t content(const weir_graph *graph, weir_node node, const weir_memory *memory, int64_t word, int64_t field,
                       int64_t *upper) {
    (void)upper;
    (void)word;
    const int64_t count = weir_threshold_count(graph, node);
    return weir_memory_element(graph, weir_node_input(graph, node, 1), field / count, field % count, count,
                               ((int64_t)1 << (memory->field_bits - 1)) - 1);
}

static void build(weir_builder *b, weir_node node) {
    weir_memory thresholds;
    weir_memory_get(b->graph, node, 0, &thresholds);
    weir_rtl_instance u = weir_build_component(b, node);
    weir_threshold_connect(b, node, u);
    char *file = weir_memory_file(b->graph, node, &thresholds);
    weir_rtl_set_parameter_string(b->design, u, "INIT", file);
    free(file);
}

static void describe(const weir_graph *graph, weir_node node, weir_text *text) {
    weir_text_format(text, "%lld thresholds, searched", (long long)weir_threshold_count(graph, node));
}

/* --- cost --- */

/* A comparison, a table and twice x in each stage but the first, which compares with a constant: rtl/activation/weir_threshold_search.v. */
static void cost(weir_cost_part *part) {
    const int64_t lanes = weir_cost_value(part, "LANES"), in = weir_cost_value(part, "IN_W");
    const int64_t t = weir_cost_value(part, "T_W"), out = lanes * weir_cost_value(part, "OUT_W");
    const int64_t bits = bits_of(weir_cost_value(part, "COUNT")), latency = 2 * bits - 1,
                  slots = (latency + 2) * (out + 1);
    int64_t tables = 0;
    for (int64_t k = 1; k < bits; k++)
        tables += weir_ceil_divide((int64_t)1 << k, (int64_t)1 << part->device->luts.inputs);
    weir_cost_term(part, lanes * bits * (t + 1));
    weir_cost_term(part, lanes * t * tables);
    weir_cost_term(part, lanes * in * (bits - 1) * 2);
    weir_cost_term(part, slots);
    weir_cost_registers(part, lanes * ((bits - 1) * (2 * in + t) + bits * bits));
    /* weir_pipeline, with weir_fifo of registers */
    const int64_t used = weir_cost_bits(latency + 3);
    weir_cost_registers(part, slots + 2 * used + 1 + 2 * latency);
    weir_cost_path(part, WEIR_COST_REGISTER, 2 + weir_cost_levels(part, used), 0, slots);
    weir_cost_path(part, WEIR_COST_REGISTER, 1, t + 1, 1);
    weir_cost_path(part, WEIR_COST_REGISTER, bits > 5 ? bits - 3 : 1, 0, t * tables);
}

const weir_component_rules weir_threshold_search_rules = {
    .asks = "the same thresholds for all beats, a device where it is smaller",
    .fits = weir_threshold_fits,
    .legal = legal,
    .quantizes = true,
    .replaces = &weir_threshold_rules,
    .timing = timing,
    .memory = memory,
    .content = content,
    .cost = cost,
    .build = build,
    .describe = describe,
    .has_active = true};
