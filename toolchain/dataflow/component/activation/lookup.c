/* Lookup: the entry of a table at x. Each lane reads a ROM of its own beside the module.
 * Tables: word (group g, code with the bits on the wire b) at g * 2^bits + b is the result for that code; with a table
 * a channel, lane l's memory holds the rows l, l + LANES, ... of it, else one memory is that of all lanes. Codes that
 * the input never has repeat their neighbour. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "dataflow/build.h"
#include "dataflow/component.h"
#include "dataflow/cost/cost.h"
#include "dataflow/cost/target.h"
#include "dataflow/memory.h"
#include "dataflow/schedule/stream.h"
#include "support/memory/arena.h"

enum { MOST_BITS = 16 };

static int bits_of(const weir_graph *graph, weir_node node, bool *is_signed) {
    return weir_stream_width(graph, weir_stream_source(graph, weir_node_input(graph, node, 0)), is_signed);
}

static bool fits(const weir_graph *graph, weir_node node, weir_text *why) {
    bool is_signed;
    const int bits = bits_of(graph, node, &is_signed);
    if (bits <= MOST_BITS) return true;
    weir_text_format(why, "hardware looks up codes of %d bits or fewer, found %d", MOST_BITS, bits);
    return false;
}

static int64_t rows_of(const weir_graph *graph, weir_node node) {
    assert(weir_node_op(graph, node) == WEIR_OP_LOOKUP);
    return weir_value_type(graph, weir_node_input(graph, node, 1))->shape.dim[0];
}

static int64_t lanes_of(const weir_graph *graph, weir_node node) {
    return weir_node_metadata_of(graph, node)->hardware.out_lanes;
}

static int64_t groups_of(const weir_graph *graph, weir_node node) {
    return weir_ceil_divide(rows_of(graph, node), lanes_of(graph, node));
}

/* --- tables --- */

static int64_t entry(const weir_graph *graph, weir_node node, int64_t row, int64_t code) {
    assert(row >= 0);
    const weir_type *x = weir_value_type(graph, weir_node_input(graph, node, 0));
    const weir_value table = weir_node_input(graph, node, 1);
    code = code < x->low ? x->low : code > x->high ? x->high : code;
    return weir_memory_element(graph, table, row, code - weir_node_int(graph, node, "low", 0),
                               weir_value_type(graph, table)->shape.dim[1], 0);
}

/* The code whose bits on the wire are these. */
static int64_t code_of(int64_t raw, int bits, bool is_signed) {
    assert(bits >= 1 && bits < 63 && raw >> bits == 0);
    const int64_t sign = is_signed ? (int64_t)1 << (bits - 1) : 0;
    return (raw ^ sign) - sign;
}

static bool memory(const weir_graph *graph, weir_node node, size_t index, weir_memory *memory) {
    const int64_t rows = rows_of(graph, node);
    if ((int64_t)index >= (rows == 1 ? 1 : lanes_of(graph, node))) return false;
    bool is_signed, y_signed;
    const int bits = bits_of(graph, node, &is_signed);
    const int64_t words = (int64_t)1 << bits; /* what only moves may be of a wider range than its stream */
    const int64_t largest = weir_value_type(graph, weir_node_input(graph, node, 0))->high;
    const int64_t codes = is_signed || largest >= words ? words : largest + 1;
    *memory = (weir_memory){.suffix = "table",
                            .depth = ((groups_of(graph, node) - 1) << bits) + codes,
                            .fields = 1,
                            .is_table = true,
                            .field_bits = weir_stream_width(graph, weir_node_output(graph, node, 0), &y_signed),
                            .copies = rows == 1 ? lanes_of(graph, node) : 1};
    if (index > 0) snprintf(memory->suffix, sizeof memory->suffix, "table_%zu", index);
    return true;
}

static void content(const weir_graph *graph, weir_node node, const weir_memory *memory, int64_t word, int64_t *lower,
                    int64_t *upper) {
    assert(word >= 0 && word < memory->depth && memory->fields == 1);
    (void)upper;
    bool is_signed;
    const int bits = bits_of(graph, node, &is_signed);
    const int64_t row = (word >> bits) * lanes_of(graph, node) + (int64_t)memory->index;
    lower[0] = entry(graph, node, row, code_of(word & (((int64_t)1 << bits) - 1), bits, is_signed));
}

/* --- hardware --- */

/* A memory block with an output register passes it, for the clock. */
static int64_t read_cycles(const weir_graph *graph, weir_node node) {
    weir_memory table;
    weir_memory_get(graph, node, 0, &table);
    const weir_target target = weir_target_of(graph);
    return table.storage == WEIR_STORAGE_BLOCK && weir_target_memory_has_output(&target) ? 2 : 1;
}

static weir_component_timing timing(const weir_graph *graph, weir_node node) {
    return (weir_component_timing){read_cycles(graph, node) + 1, weir_stream_beats_of(graph, node)};
}

/* The part of a bus that belongs to a lane; a bus of one lane is the part. */
static weir_rtl_expr lane_of(weir_builder *b, weir_rtl_expr bus, int64_t lanes, int64_t lane, int64_t bits) {
    assert(lane >= 0 && lane < lanes && bits >= 1);
    if (lanes == 1) return bus;
    return weir_rtl_slice(b->design, bus, (uint32_t)((lane + 1) * bits - 1), (uint32_t)(lane * bits));
}

static void build(weir_builder *b, weir_node node) {
    const weir_wires *x = weir_build_input(b, node, 0), *y = weir_build_output(b, node);
    assert(x->lanes == y->lanes);
    const int64_t groups = groups_of(b->graph, node), address = x->element_bits + weir_clog2(groups);
    const bool each = rows_of(b->graph, node) > 1;
    const weir_rtl_expr en = weir_build_wire(b, node, "table_en", 1);
    const weir_rtl_expr addr = weir_build_wire(b, node, "table_addr", x->lanes * address);
    const weir_rtl_expr data = weir_build_wire(b, node, "table_data", y->lanes * y->element_bits);
    const int64_t read = read_cycles(b->graph, node);
    weir_rtl_instance u = weir_build_component(b, node);
    weir_build_set(b, u, "LANES", x->lanes);
    weir_build_set(b, u, "IN_W", x->element_bits);
    weir_build_set(b, u, "OUT_W", y->element_bits);
    weir_build_set(b, u, "GROUPS", groups);
    weir_build_set(b, u, "READ", read);
    weir_build_connect(b, u, "s", x);
    weir_rtl_connect(b->design, u, "t_en", en);
    weir_rtl_connect(b->design, u, "t_addr", addr);
    weir_rtl_connect(b->design, u, "t_data", data);
    weir_build_connect(b, u, "m", y);
    for (int64_t lane = 0; lane < x->lanes; lane++) {
        weir_memory table;
        weir_memory_get(b->graph, node, each ? (size_t)lane : 0, &table);
        const weir_rom_wires wires = {en, lane_of(b, addr, x->lanes, lane, address),
                                      lane_of(b, data, x->lanes, lane, y->element_bits)};
        weir_build_rom(b, node, &table, each ? 0 : lane, read - 1, &wires);
    }
}

static void describe(const weir_graph *graph, weir_node node, weir_text *text) {
    const weir_shape *table = &weir_value_type(graph, weir_node_input(graph, node, 1))->shape;
    weir_text_format(text, "%lld codes%s", (long long)table->dim[1], table->dim[0] > 1 ? ", a table a channel" : "");
}

/* --- cost --- */

/* The tables are the cost of their ROMs. */
static void cost(weir_cost_part *part) {
    const int64_t groups = weir_cost_value(part, "GROUPS"), read = weir_cost_value(part, "READ");
    const int64_t lanes = weir_cost_value(part, "LANES"), out = weir_cost_value(part, "OUT_W");
    const int64_t counter = groups > 1 ? weir_cost_bits(groups) : 0;
    weir_cost_term(part, counter);
    /* it returns to 0 before its end */
    weir_cost_term(part, (int64_t)1 << counter != groups ? weir_cost_counter(part, groups) - counter : 0);
    weir_cost_term(part, lanes * out);
    weir_cost_registers(part, 2 * read + counter);
    weir_cost_slice(part, lanes * out);
    weir_cost_path(part, WEIR_COST_REGISTER, counter > 0 ? 2 : 1, counter, lanes * out + 2 * read + counter);
}

const weir_component_rules weir_lookup_rules = {.asks = "codes of 16 bits or fewer",
                                                .fits = fits,
                                                .quantizes = true,
                                                .timing = timing,
                                                .memory = memory,
                                                .content = content,
                                                .cost = cost,
                                                .build = build,
                                                .describe = describe,
                                                .has_active = true};
