/* Threshold search: the same number by bisection, a comparison a bit of it and a beat a cycle. Each lane and level
 * reads a ROM of its own beside the module. Thresholds: memory level * LANES + lane; word (group g, upper bits i of the
 * number) at g * 2^level + i is the threshold in the middle of those that are left. Where all channels have the same
 * ones, the memories of a level are one. */
#include <assert.h>
#include <stdio.h>

#include "dataflow/component/activation/threshold_private.h"
#include "dataflow/cost/cost.h"
#include "dataflow/cost/target.h"
#include "dataflow/memory.h"
#include "dataflow/schedule/stream.h"

/* weir_pipeline has places for results that come no later (rtl/activation/weir_threshold_search.v). */
enum { MOST_CYCLES = 30 };

static int64_t bits_of(int64_t count) {
    assert(count >= 1);
    return weir_bits_for(0, count);
}

static int64_t levels_of(const weir_graph *graph, weir_node node) { return bits_of(weir_threshold_count(graph, node)); }

static int64_t lanes_of(const weir_graph *graph, weir_node node) {
    return weir_node_metadata_of(graph, node)->hardware.out_lanes;
}

static int64_t groups_of(const weir_graph *graph, weir_node node) {
    return weir_memory_words(graph, weir_node_input(graph, node, 1), lanes_of(graph, node));
}

/* Memories of a level. */
static int64_t different_of(const weir_graph *graph, weir_node node) {
    return weir_memory_words(graph, weir_node_input(graph, node, 1), 1) == 1 ? 1 : lanes_of(graph, node);
}

static bool memory(const weir_graph *graph, weir_node node, size_t index, weir_memory *memory) {
    assert(lanes_of(graph, node) % different_of(graph, node) == 0);
    const int64_t level = (int64_t)index / different_of(graph, node);
    if (level >= levels_of(graph, node)) return false;
    *memory = (weir_memory){.suffix = "thresholds",
                            .depth = groups_of(graph, node) << level,
                            .fields = 1,
                            .field_bits = weir_threshold_width(graph, node),
                            .copies = lanes_of(graph, node) / different_of(graph, node)};
    if (index > 0) snprintf(memory->suffix, sizeof memory->suffix, "thresholds_%zu", index);
    return true;
}

static void content(const weir_graph *graph, weir_node node, const weir_memory *memory, int64_t word, int64_t *lower,
                    int64_t *upper) {
    assert(word >= 0 && word < memory->depth && memory->fields == 1);
    (void)upper;
    const int64_t different = different_of(graph, node), level = (int64_t)memory->index / different;
    assert(level < levels_of(graph, node));
    const int64_t half = (int64_t)1 << (levels_of(graph, node) - 1 - level), i = word & (((int64_t)1 << level) - 1);
    lower[0] =
        weir_memory_element(graph, weir_node_input(graph, node, 1),
                            (word >> level) * lanes_of(graph, node) + (int64_t)memory->index % different,
                            (2 * i + 1) * half - 1, weir_threshold_count(graph, node), weir_threshold_never(memory));
}

/* A memory block with an output register passes it, for the clock; so does a word that is chosen among those of
 * several. */
static int64_t read_cycles(const weir_graph *graph, weir_node node) {
    weir_memory largest;
    weir_memory_get(graph, node, (size_t)(different_of(graph, node) * levels_of(graph, node) - 1), &largest);
    const weir_target target = weir_target_of(graph);
    if (largest.storage != WEIR_STORAGE_BLOCK || target.device == NULL) return 1;
    int64_t rows;
    weir_device_blocks(target.device, largest.width, largest.depth, &rows);
    return rows > 1 || weir_target_memory_has_output(&target) ? 2 : 1;
}

/* From the beat to its result. */
static int64_t cycles_of(const weir_graph *graph, weir_node node) {
    const int64_t read = read_cycles(graph, node);
    return levels_of(graph, node) * (read + 1) - (groups_of(graph, node) > 1 ? 0 : read);
}

static bool legal(const weir_graph *graph, weir_node node, const weir_meta_hardware *hardware, weir_text *why) {
    (void)hardware;
    if (weir_graph_patchable(graph)) {
        weir_text_add(why, "has memories too small to be patched");
        return false;
    }
    if (cycles_of(graph, node) <= MOST_CYCLES) return true;
    weir_text_format(why, "has too many thresholds for a search of %d cycles", MOST_CYCLES);
    return false;
}

static weir_component_timing timing(const weir_graph *graph, weir_node node) {
    return (weir_component_timing){cycles_of(graph, node) + 1, weir_stream_beats_of(graph, node)};
}

/* --- hardware --- */

/* `bits` of a bus from `at` on; a bus of that many is the part. */
static weir_rtl_expr part_of(weir_builder *b, weir_rtl_expr bus, int64_t whole, int64_t at, int64_t bits) {
    assert(at >= 0 && bits >= 1 && at + bits <= whole);
    if (whole == bits) return bus;
    return weir_rtl_slice(b->design, bus, (uint32_t)(at + bits - 1), (uint32_t)at);
}

static void build(weir_builder *b, weir_node node) {
    const int64_t lanes = lanes_of(b->graph, node), levels = levels_of(b->graph, node), parts = lanes * levels;
    const int64_t groups = groups_of(b->graph, node), read = read_cycles(b->graph, node), group = weir_clog2(groups);
    const int64_t different = different_of(b->graph, node), width = weir_threshold_width(b->graph, node);
    const int64_t address = lanes * (levels * (2 * group + levels - 1) / 2 + (groups == 1));
    const weir_rtl_expr addr = weir_build_wire(b, node, "thresholds_addr", address);
    const weir_rtl_expr data = weir_build_wire(b, node, "thresholds_data", parts * width);
    weir_rtl_instance u = weir_build_component(b, node);
    weir_threshold_connect(b, node, u);
    weir_build_set(b, u, "GROUPS", groups);
    weir_build_set(b, u, "READ", read);
    weir_rtl_connect(b->design, u, "t_addr", addr);
    weir_rtl_connect(b->design, u, "t_data", data);
    for (int64_t part = 0, at = 0; part < parts; part++) {
        const int64_t level = part / lanes, bits = group + level > 0 ? group + level : 1;
        weir_memory thresholds;
        weir_memory_get(b->graph, node, (size_t)(level * different + part % lanes % different), &thresholds);
        if (thresholds.depth == 1) thresholds.storage = WEIR_STORAGE_LOGIC; /* a constant */
        const weir_rom_wires wires = {weir_rtl_constant(b->design, 1, 1), part_of(b, addr, address, at, bits),
                                      part_of(b, data, parts * width, part * width, width)};
        weir_build_rom(b, node, &thresholds, part % lanes / different, read - 1, &wires);
        at += bits;
    }
}

static void describe(const weir_graph *graph, weir_node node, weir_text *text) {
    weir_text_format(text, "%lld thresholds, searched", (long long)weir_threshold_count(graph, node));
}

/* --- cost --- */

/* A comparison in each level, and x until the next one; the thresholds are the cost of their ROMs:
 * rtl/activation/weir_threshold_search.v. */
static void cost(weir_cost_part *part) {
    const int64_t lanes = weir_cost_value(part, "LANES"), in = weir_cost_value(part, "IN_W");
    const int64_t t = weir_cost_value(part, "T_W"), count = weir_cost_value(part, "COUNT"), bits = bits_of(count);
    const int64_t out = lanes * (count == 1 ? 1 : weir_cost_value(part, "OUT_W")); /* of two results one bit differs */
    const int64_t groups = weir_cost_value(part, "GROUPS"), group = groups > 1 ? weir_cost_bits(groups) : 0;
    const int64_t read = weir_cost_value(part, "READ"), early = lanes * in * (groups > 1 ? read : 0);
    const int64_t waiting = (lanes * in + group) * (bits - 1) + lanes * bits * (bits - 1) / 2;
    const bool shifts = weir_device_shifts(part->device, read + 1);
    const int64_t latency = bits * (read + 1) - (groups > 1 ? 0 : read), used = weir_cost_bits(latency + 3);
    const int64_t slots = (latency + 2) * (out + 1);
    weir_cost_term(part, lanes * bits * (t + 1));
    weir_cost_term(part, shifts ? waiting : waiting * (read + 1) + early);
    weir_cost_term(part, group);
    weir_cost_term(part, slots);
    weir_cost_term(part, latency + 2);
    weir_cost_registers(part, (shifts ? 0 : waiting * (read + 1)) + early + group + lanes * bits);
    /* weir_pipeline, with weir_fifo of registers */
    weir_cost_registers(part, slots + latency + 2 + used + 1 + 2 * latency);
    weir_cost_path(part, WEIR_COST_REGISTER, 2, 0, slots);
    const bool block = read == 1 && weir_memory_wants_blocks(t, groups << (bits - 1));
    weir_cost_path(part, block ? WEIR_COST_MEMORY : WEIR_COST_REGISTER, 1, t + 1, 1);
    weir_cost_path(part, WEIR_COST_REGISTER, 2, group, lanes * bits);
}

const weir_component_rules weir_threshold_search_rules = {.asks = "a device where it is smaller",
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
