/* Softmax of integers along the innermost dimension: weir_softmax_integer, a beat a cycle or, with fewer units of its
 * division, a few cycles.
 * Tables: word d of the first is the term of a code that is d below its row's largest, that of the second its
 * numerator; the last word is that of all larger distances. Each lane reads both from ROMs of its own. */
#include <assert.h>
#include <string.h>

#include "dataflow/build.h"
#include "dataflow/component.h"
#include "dataflow/cost/cost.h"
#include "dataflow/cost/target.h"
#include "dataflow/memory.h"
#include "dataflow/schedule/stream.h"

enum { TERM, NUMERATOR, TABLES };
enum { MOST_BITS = 16, MOST_WIDTH = 32 }; /* of a table's address, of a code */

static int64_t length_of(const weir_graph *graph, weir_node node) {
    assert(weir_node_op(graph, node) == WEIR_OP_SOFTMAX_INTEGER);
    const weir_shape *x = &weir_value_type(graph, weir_node_input(graph, node, 0))->shape;
    return x->dim[x->rank - 1];
}

static const weir_array *table_of(const weir_graph *graph, weir_node node, size_t index) {
    assert(index < TABLES);
    return weir_value_constant(graph, weir_node_input(graph, node, index + 1));
}

static int64_t largest_of(const weir_array *table) {
    int64_t most = 0;
    for (size_t i = 0; i < table->count; i++)
        if (weir_array_get_int(table, i) > most) most = weir_array_get_int(table, i);
    return most;
}

static int element_bits(const weir_graph *graph, weir_node node) {
    bool is_signed;
    return weir_stream_width(graph, weir_stream_source(graph, weir_node_input(graph, node, 0)), &is_signed);
}

/* Of distances that the tables tell apart. */
static int64_t address_bits(const weir_graph *graph, weir_node node) {
    const size_t terms = table_of(graph, node, TERM)->count, numerators = table_of(graph, node, NUMERATOR)->count;
    const int64_t bits = weir_clog2((int64_t)(terms > numerators ? terms : numerators)),
                  all = element_bits(graph, node);
    return bits < 1 ? 1 : bits < all ? bits : all;
}

static int64_t quotient_bits(const weir_graph *graph, weir_node node) {
    const int64_t first = weir_array_get_int(table_of(graph, node, TERM), 0);
    assert(first > 0);
    return weir_bits_for(0, largest_of(table_of(graph, node, NUMERATOR)) / first);
}

static bool fits(const weir_graph *graph, weir_node node, weir_text *why) {
    static const char *const names[] = {"zero", "high"};
    if (!weir_component_fits_32(graph, node, names, 2, why)) return false;
    if (element_bits(graph, node) > MOST_WIDTH)
        weir_text_format(why, "hardware takes codes of %d bits or fewer, found %d", MOST_WIDTH,
                         element_bits(graph, node));
    else if (address_bits(graph, node) > MOST_BITS)
        weir_text_format(why, "hardware has tables of 2^%d entries or fewer, found 2^%lld", MOST_BITS,
                         (long long)address_bits(graph, node));
    else if (length_of(graph, node) < 2) weir_text_add(why, "hardware needs rows of two elements or more");
    else return true;
    return false;
}

/* --- folding: lanes, and units of the division --- */

static int64_t elements_of(const weir_graph *graph, weir_node node) {
    return weir_stream_elements(graph, weir_node_output(graph, node, 0));
}

static int64_t lanes_of(const weir_graph *graph, weir_node node) {
    assert(weir_node_metadata_of(graph, node)->hardware.in_lanes >= 1);
    return weir_node_metadata_of(graph, node)->hardware.in_lanes;
}

/* Of a row: two or more. */
static int64_t beats_of(const weir_graph *graph, weir_node node) {
    return length_of(graph, node) / lanes_of(graph, node);
}

/* A division works on each lane, so as few lanes, and then as few units, as the interval takes. */
static void derive(const weir_graph *graph, weir_node node, weir_meta_hardware *hardware) {
    const int64_t elements = elements_of(graph, node), length = length_of(graph, node),
                  bits = quotient_bits(graph, node), most = weir_stream_pace(graph);
    int64_t lanes = 1, cycles = 1, fewer;
    for (fewer = 2; elements / lanes > most && fewer <= length / 2; fewer++)
        if (length % fewer == 0) lanes = fewer;
    while (cycles < bits && elements / lanes * (cycles + 1) <= most) cycles++;
    const int64_t digit = weir_ceil_divide(bits, cycles);
    hardware->in_lanes = hardware->out_lanes = lanes;
    weir_component_setting_set(hardware, &weir_component_setting_digit, digit);
    hardware->interval = elements / lanes * weir_ceil_divide(bits, digit);
}

static bool legal(const weir_graph *graph, weir_node node, const weir_meta_hardware *hardware, weir_text *why) {
    const int64_t bits = quotient_bits(graph, node), length = length_of(graph, node), lanes = hardware->in_lanes,
                  digit = weir_component_setting_of(hardware, &weir_component_setting_digit);
    if (lanes != hardware->out_lanes || lanes < 1 || 2 * lanes > length || length % lanes != 0)
        weir_text_format(why, "takes %lld and gives %lld elements per beat: expected an equal part of a row of %lld",
                         (long long)lanes, (long long)hardware->out_lanes, (long long)length);
    else if (digit < 1 || digit > bits || weir_ceil_divide(bits, weir_ceil_divide(bits, digit)) != digit)
        weir_text_format(why, "divides by %lld units: expected a share of the %lld bits for each", (long long)digit,
                         (long long)bits);
    else return true;
    return false;
}

static int64_t cycles_of(const weir_graph *graph, weir_node node) {
    assert(weir_component_setting_digit_of(graph, node) >= 1);
    return weir_ceil_divide(quotient_bits(graph, node), weir_component_setting_digit_of(graph, node));
}

/* --- tables --- */

static bool memory(const weir_graph *graph, weir_node node, size_t index, weir_memory *memory) {
    if (index >= TABLES) return false;
    *memory = (weir_memory){.depth = (int64_t)1 << address_bits(graph, node),
                            .fields = 1,
                            .is_table = true,
                            .field_bits = weir_bits_for(0, largest_of(table_of(graph, node, index))),
                            .copies = lanes_of(graph, node)};
    strcpy(memory->suffix, index == TERM ? "terms" : "numerators");
    return true;
}

static void content(const weir_graph *graph, weir_node node, const weir_memory *memory, int64_t word, int64_t *lower,
                    int64_t *upper) {
    assert(word >= 0 && word < memory->depth && memory->index < TABLES);
    (void)upper;
    const weir_array *table = table_of(graph, node, memory->index);
    const int64_t last = (int64_t)table->count - 1;
    lower[0] = weir_array_get_int(table, (size_t)(word < last ? word : last));
}

/* A memory block with an output register passes it, for the clock; one of both does so for both. */
static int64_t read_cycles(const weir_graph *graph, weir_node node) {
    weir_memory table[TABLES];
    for (size_t i = 0; i < TABLES; i++) weir_memory_get(graph, node, i, &table[i]);
    const bool blocks = table[TERM].storage == WEIR_STORAGE_BLOCK || table[NUMERATOR].storage == WEIR_STORAGE_BLOCK;
    const weir_target target = weir_target_of(graph);
    return blocks && weir_target_memory_has_output(&target) ? 2 : 1;
}

/* --- time --- */

static int64_t levels_of(const weir_graph *graph, weir_node node) { return weir_clog2(lanes_of(graph, node)); }

/* Rows that may wait inside: rtl/norm/weir_softmax_integer.v, as the cycles below. */
static int64_t pages_of(const weir_graph *graph, weir_node node) {
    return 2 + weir_ceil_divide(levels_of(graph, node), beats_of(graph, node));
}

/* Cycles from a row's first beat, read to be added up, to that of the division if all others are read at once, and from
 * there to its codes. */
static int64_t summed_of(const weir_graph *graph, weir_node node) {
    return read_cycles(graph, node) + levels_of(graph, node) + 6;
}

static int64_t divided_of(const weir_graph *graph, weir_node node) {
    return read_cycles(graph, node) + weir_component_setting_digit_of(graph, node) * cycles_of(graph, node) + 5;
}

static weir_component_timing timing(const weir_graph *graph, weir_node node) {
    const int64_t beats = beats_of(graph, node), cycles = cycles_of(graph, node);
    return (weir_component_timing){beats + (beats - 2) * cycles + levels_of(graph, node) + summed_of(graph, node) +
                                       divided_of(graph, node) + 1,
                                   elements_of(graph, node) / lanes_of(graph, node) * cycles};
}

/* Registers: when the next beat can be taken, the next one be added up and divided, and when the places of the last
 * rows were left, the latest first. */
enum { TAKE, ADD, DIVIDE, LEFT };

typedef struct service_rule {
    int64_t beats, cycles, levels, pages, summed, divided;
} service_rule;

static void give_beat(weir_service *s, const void *user) {
    const service_rule *rule = user;
    weir_service_give(s, 0, s->time[DIVIDE] + rule->divided);
    s->time[DIVIDE] += rule->cycles;
}

static void serve_row(weir_service *s, const void *user) {
    const service_rule *rule = user;
    const int64_t others = (rule->beats - 1) * rule->cycles;
    s->time[TAKE] = weir_later(s->time[TAKE], s->time[LEFT + rule->pages - 1]);
    weir_service_repeat(s, rule->beats, weir_service_take_beat, rule);
    s->time[ADD] = weir_later(s->time[ADD], s->time[TAKE] + rule->levels);
    for (int64_t i = rule->pages - 1; i > 0; i--) s->time[LEFT + i] = s->time[LEFT + i - 1];
    s->time[LEFT] = s->time[ADD] + others + 1;
    s->time[DIVIDE] = weir_later(s->time[DIVIDE], s->time[ADD] + others + rule->summed);
    s->time[ADD] += others + rule->cycles;
    weir_service_repeat(s, rule->beats, give_beat, rule);
}

static void service(weir_service *s, const weir_graph *graph, weir_node node) {
    const service_rule rule = {beats_of(graph, node), cycles_of(graph, node), levels_of(graph, node),
                               pages_of(graph, node), summed_of(graph, node), divided_of(graph, node)};
    assert(LEFT + rule.pages <= WEIR_SERVICE_REGISTERS && elements_of(graph, node) % length_of(graph, node) == 0);
    weir_service_repeat(s, elements_of(graph, node) / length_of(graph, node), serve_row, &rule);
}

/* --- hardware --- */

/* The part of a bus that belongs to a lane; a bus of one lane is the part. */
static weir_rtl_expr lane_of(weir_builder *b, weir_rtl_expr bus, int64_t lanes, int64_t lane, int64_t bits) {
    assert(lane >= 0 && lane < lanes && bits >= 1);
    if (lanes == 1) return bus;
    return weir_rtl_slice(b->design, bus, (uint32_t)((lane + 1) * bits - 1), (uint32_t)(lane * bits));
}

static void connect_table(weir_builder *b, weir_node node, weir_rtl_instance u, size_t index) {
    assert(index < TABLES);
    static const char *const addresses[] = {"term_addr", "numerator_addr"}, *const words[] = {"term_data",
                                                                                              "numerator_data"};
    const int64_t lanes = lanes_of(b->graph, node), bits = address_bits(b->graph, node);
    weir_memory table;
    weir_memory_get(b->graph, node, index, &table);
    const weir_rtl_expr addr = weir_build_wire(b, node, addresses[index], lanes * bits);
    const weir_rtl_expr data = weir_build_wire(b, node, words[index], lanes * table.width);
    weir_rtl_connect(b->design, u, addresses[index], addr);
    weir_rtl_connect(b->design, u, words[index], data);
    for (int64_t lane = 0; lane < lanes; lane++) {
        const weir_rom_wires wires = {weir_rtl_constant(b->design, 1, 1), lane_of(b, addr, lanes, lane, bits),
                                      lane_of(b, data, lanes, lane, table.width)};
        weir_build_rom(b, node, &table, lane, read_cycles(b->graph, node) - 1, &wires);
    }
}

static void build(weir_builder *b, weir_node node) {
    const weir_wires *x = weir_build_input(b, node, 0), *y = weir_build_output(b, node);
    assert(x->lanes == y->lanes && x->lanes == lanes_of(b->graph, node));
    const weir_type *type = weir_value_type(b->graph, weir_node_output(b->graph, node, 0));
    const int64_t term = largest_of(table_of(b->graph, node, TERM)), term_bits = weir_bits_for(0, term),
                  sum_bits = weir_bits_for(0, term * length_of(b->graph, node)),
                  beat_bits = term_bits + levels_of(b->graph, node);
    weir_rtl_instance u = weir_build_component(b, node);
    weir_build_set(b, u, "LANES", x->lanes);
    weir_build_set(b, u, "WIDTH", x->element_bits);
    weir_build_set(b, u, "SIGNED", x->is_signed);
    weir_build_set(b, u, "BEATS", beats_of(b->graph, node));
    weir_build_set(b, u, "ADDR_W", address_bits(b->graph, node));
    weir_build_set(b, u, "TERM_W", term_bits);
    weir_build_set(b, u, "SUM_W", sum_bits > beat_bits ? sum_bits : beat_bits);
    weir_build_set(b, u, "NUMERATOR_W", weir_bits_for(0, largest_of(table_of(b->graph, node, NUMERATOR))));
    weir_build_set(b, u, "QUOTIENT_W", quotient_bits(b->graph, node));
    weir_build_set(b, u, "HALF", weir_node_int(b->graph, node, "half", 0));
    weir_build_set(b, u, "UNITS", weir_component_setting_digit_of(b->graph, node));
    weir_build_set(b, u, "OUT_W", y->element_bits);
    weir_build_set(b, u, "ZERO", weir_node_int(b->graph, node, "zero", 0));
    weir_build_set(b, u, "HIGH", type->high);
    weir_build_set(b, u, "READ", read_cycles(b->graph, node));
    weir_build_connect_through(b, u, x, y);
    for (size_t i = 0; i < TABLES; i++) connect_table(b, node, u, i);
}

static void describe(const weir_graph *graph, weir_node node, weir_text *text) {
    const int64_t cycles = cycles_of(graph, node), bits = weir_node_int(graph, node, "bits", 0);
    weir_text_format(text, "rows of %lld, ", (long long)length_of(graph, node));
    if (bits > 0) weir_text_format(text, "exact-softmax, k = %lld, ", (long long)bits);
    weir_text_format(text, "%lld cycle%s a beat", (long long)cycles, cycles == 1 ? "" : "s");
}

/* --- cost --- */

/* Elements of all levels of a tree after the first. */
static int64_t nodes_of(int64_t lanes) {
    int64_t nodes = 0;
    for (int64_t left = lanes; left > 1;) nodes += left = weir_ceil_divide(left, 2);
    return nodes;
}

/* The modules as rtl/norm has them; the tables are the cost of their ROMs. */
static void cost(weir_cost_part *part) {
    const int64_t lanes = weir_cost_value(part, "LANES"), width = weir_cost_value(part, "WIDTH");
    const int64_t beats = weir_cost_value(part, "BEATS"), address = weir_cost_value(part, "ADDR_W");
    const int64_t term = weir_cost_value(part, "TERM_W"), sum = weir_cost_value(part, "SUM_W");
    const int64_t quotient = weir_cost_value(part, "QUOTIENT_W"), units = weir_cost_value(part, "UNITS");
    const int64_t out = weir_cost_value(part, "OUT_W"), read = weir_cost_value(part, "READ");
    const int64_t cycles = weir_ceil_divide(quotient, units), bits = units * cycles, levels = weir_clog2(lanes);
    const int64_t pages = 2 + weir_ceil_divide(levels, beats), summed = read + levels + 5, load = read + 2;
    const int64_t held = beats + (summed + 1) / cycles, queue = (held + load) / beats + 2;
    const int64_t latency = load + bits + 2, places = (latency + 1) / cycles + 1, code = (bits > out ? bits : out) + 3;
    const int64_t counters = 2 * weir_cost_bits(pages * beats) + 3 * weir_cost_bits(beats) +
                             2 * weir_cost_bits(pages + 1) + weir_cost_bits(held + 1) + 2 * weir_cost_bits(held) +
                             (cycles > 1 ? 2 * weir_cost_bits(cycles) : 0) + weir_cost_bits(places + 1);
    weir_cost_term(part, lanes * units * (sum + 1));
    weir_cost_term(part, cycles > 1 ? lanes * units * (sum + bits + 1) : 0);
    weir_cost_term(part, (lanes - 1) * width + lanes * width + width);
    weir_cost_term(part, (lanes - 1) * term + sum);
    weir_cost_term(part, lanes * code);
    weir_cost_term(part, counters);
    weir_cost_term(part, places * (lanes * out + 1) + queue * (sum + 2) + pages * (width + 1));
    /* of the last step's remainder only the sign is used */
    weir_cost_registers(part, lanes * (units * (sum + 1 + bits) - (cycles == 1 ? sum : 0)) + (units - 1) * sum + bits);
    weir_cost_registers(part, lanes * (3 * width + 3 * address + term) + nodes_of(lanes) * (width + term + 1));
    weir_cost_registers(part, lanes * (code - 3 + out) + 2 * sum + 2 * width + counters);
    weir_cost_registers(part, places * (lanes * out + 2) + queue * (sum + 3) + pages * (width + 2));
    weir_cost_registers(part, 4 * summed + 2 * load + 2 * (latency - cycles + 1) + 4 * levels);
    weir_cost_registers(part, weir_device_memory_takes_output(part->device) ? -lanes * (width + address) : 0);
    weir_cost_blocks(part, lanes * width, pages * beats);
    weir_cost_blocks(part, lanes * address, held);
    weir_cost_path(part, WEIR_COST_REGISTER, cycles > 1 ? 3 : 2, sum + 2, sum + 1);
    weir_cost_path(part, WEIR_COST_REGISTER, 2, width + 1, width);
}

const weir_component_rules weir_softmax_integer_rules = {
    .asks = "rows of two elements or more, tables of 2^16 entries or fewer",
    .fits = fits,
    .quantizes = true,
    .legal = legal,
    .pieces = quotient_bits,
    .derive = derive,
    .timing = timing,
    .service = service,
    .memory = memory,
    .content = content,
    .cost = cost,
    .build = build,
    .describe = describe,
    .has_active = true};
