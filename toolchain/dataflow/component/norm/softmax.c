/* Softmax of rows along the innermost dimension: weir_softmax, an element a few cycles.
 * Tables: word d of the first is the power of a code that is d below its row's largest, that of the second the power
 * times the steps, as float32: the exponent, at least 1, the leading bit, the fraction. Distances that no two codes
 * have repeat the last one. */
#include <assert.h>
#include <string.h>

#include "dataflow/build.h"
#include "dataflow/component.h"
#include "dataflow/cost/cost.h"
#include "dataflow/cost/target.h"
#include "dataflow/memory.h"
#include "dataflow/schedule/stream.h"
#include "support/memory/arena.h"

enum { MOST_BITS = 16, FRAC_W = 23, EXP_W = 8 };
/* Bits of a quotient, and cycles an element, at least: rtl/norm/weir_softmax.v. */
enum { LEAST_STEPS = 3, LEAST_CYCLES = 4 };

static int64_t length_of(const weir_graph *graph, weir_node node) {
    assert(weir_node_op(graph, node) == WEIR_OP_SOFTMAX_CODES);
    const weir_shape *x = &weir_value_type(graph, weir_node_input(graph, node, 0))->shape;
    return x->dim[x->rank - 1];
}

static int64_t steps_bits(const weir_graph *graph, weir_node node) {
    const int bits = weir_bits_for(0, weir_node_int(graph, node, "steps", 0));
    return bits > LEAST_STEPS ? bits : LEAST_STEPS;
}

static int element_bits(const weir_graph *graph, weir_node node) {
    bool is_signed;
    return weir_stream_width(graph, weir_stream_source(graph, weir_node_input(graph, node, 0)), &is_signed);
}

static bool fits(const weir_graph *graph, weir_node node, weir_text *why) {
    static const char *const names[] = {"zero", "high"};
    const int bits = element_bits(graph, node);
    if (!weir_component_fits_32(graph, node, names, 2, why)) return false;
    if (bits > MOST_BITS) {
        weir_text_format(why, "hardware looks up powers of codes of %d bits or fewer, found %d", MOST_BITS, bits);
        return false;
    }
    if (length_of(graph, node) >= 2) return true;
    weir_text_add(why, "hardware needs rows of two elements or more");
    return false;
}

/* --- folding: units of the division --- */

static int64_t pieces(const weir_graph *graph, weir_node node) { return steps_bits(graph, node) + 1; }

static int64_t elements_of(const weir_graph *graph, weir_node node) {
    return weir_stream_elements(graph, weir_node_output(graph, node, 0));
}

/* Cycles of units that each have a share of the bits, where they have at most so many. */
static int64_t cycles_within(int64_t bits, int64_t most) {
    assert(bits >= 1 && most >= 1);
    return weir_ceil_divide(bits, weir_ceil_divide(bits, most));
}

static int64_t fastest(int64_t bits) {
    int64_t most = LEAST_CYCLES;
    while (cycles_within(bits, most) < LEAST_CYCLES) most++;
    return cycles_within(bits, most);
}

static void derive(const weir_graph *graph, weir_node node, weir_meta_hardware *hardware) {
    const int64_t elements = elements_of(graph, node), bits = pieces(graph, node), most = weir_stream_pace(graph);
    int64_t cycles = fastest(bits);
    while (cycles < bits && elements * (cycles + 1) <= most) cycles++;
    hardware->in_lanes = hardware->out_lanes = 1;
    const int64_t digit = weir_ceil_divide(bits, cycles);
    weir_component_setting_set(hardware, &weir_component_setting_digit, digit);
    hardware->interval = elements * weir_ceil_divide(bits, digit);
}

static bool legal(const weir_graph *graph, weir_node node, const weir_meta_hardware *hardware, weir_text *why) {
    const int64_t bits = pieces(graph, node),
                  digit = weir_component_setting_of(hardware, &weir_component_setting_digit);
    if (hardware->in_lanes != 1 || hardware->out_lanes != 1)
        weir_text_format(why, "takes %lld and gives %lld elements per beat, expected 1", (long long)hardware->in_lanes,
                         (long long)hardware->out_lanes);
    else if (digit < 1 || weir_ceil_divide(bits, digit) < LEAST_CYCLES ||
             weir_ceil_divide(bits, weir_ceil_divide(bits, digit)) != digit)
        weir_text_format(why, "divides by %lld units: expected a share of the %lld bits for each, of %d or more",
                         (long long)digit, (long long)bits, LEAST_CYCLES);
    else return true;
    return false;
}

static int64_t cycles_of(const weir_graph *graph, weir_node node) {
    assert(weir_component_setting_digit_of(graph, node) >= 1);
    return weir_ceil_divide(pieces(graph, node), weir_component_setting_digit_of(graph, node));
}

/* --- tables --- */

static bool memory(const weir_graph *graph, weir_node node, size_t index, weir_memory *memory) {
    if (index > 1) return false;
    *memory = (weir_memory){.depth = (int64_t)1 << element_bits(graph, node),
                            .fields = 1,
                            .is_table = true,
                            .field_bits = EXP_W + 1 + FRAC_W};
    strcpy(memory->suffix, index == 0 ? "powers" : "products");
    return true;
}

static void content(const weir_graph *graph, weir_node node, const weir_memory *memory, int64_t word, int64_t *lower,
                    int64_t *upper) {
    assert(word >= 0 && word < memory->depth && memory->index <= 1);
    (void)upper;
    const weir_array *power = weir_value_constant(graph, weir_node_input(graph, node, 1));
    const int64_t last = (int64_t)power->count - 1;
    assert(last >= 0);
    const float steps = (float)weir_node_int(graph, node, "steps", 0);
    float number = (float)weir_array_get(power, (size_t)(word < last ? word : last));
    uint32_t bits;
    if (memory->index > 0) number *= steps;
    memcpy(&bits, &number, sizeof bits);
    const int64_t exponent = bits >> FRAC_W, fraction = bits & (((uint32_t)1 << FRAC_W) - 1);
    const int64_t leading = exponent > 0;
    lower[0] = (exponent > 0 ? exponent : 1) << (FRAC_W + 1) | leading << FRAC_W | fraction;
}

/* A memory block with an output register passes it, for the clock. */
static int64_t read_cycles(const weir_graph *graph, weir_node node) {
    weir_memory powers;
    weir_memory_get(graph, node, 0, &powers);
    const weir_target target = weir_target_of(graph);
    return powers.storage == WEIR_STORAGE_BLOCK && weir_target_memory_has_output(&target) ? 2 : 1;
}

/* --- time --- */

/* Cycles from a row's first element, read to be added up, to that of the division if all others are read at once, and
 * from there to its code: rtl/norm/weir_softmax.v. */
static int64_t summed_of(const weir_graph *graph, weir_node node) { return read_cycles(graph, node) + 8; }
static int64_t divided_of(const weir_graph *graph, weir_node node) {
    const int64_t units = weir_component_setting_digit_of(graph, node);
    return read_cycles(graph, node) + steps_bits(graph, node) + units + 10;
}

static weir_component_timing timing(const weir_graph *graph, weir_node node) {
    const int64_t length = length_of(graph, node), cycles = cycles_of(graph, node);
    return (weir_component_timing){length + (length - 2) * cycles + summed_of(graph, node) + divided_of(graph, node) +
                                       1,
                                   elements_of(graph, node) * cycles};
}

/* Registers: when the next beat can be taken, the next element be added up and divided, and when the places of two rows
 * were left, the latest first. */
enum { TAKE, ADD, DIVIDE, LEFT };

typedef struct service_rule {
    int64_t length, cycles, summed, divided;
} service_rule;

static void give_beat(weir_service *s, const void *user) {
    const service_rule *rule = user;
    weir_service_give(s, 0, s->time[DIVIDE] + rule->divided);
    s->time[DIVIDE] += rule->cycles;
}

static void serve_row(weir_service *s, const void *user) {
    const service_rule *rule = user;
    const int64_t others = (rule->length - 1) * rule->cycles;
    s->time[TAKE] = weir_later(s->time[TAKE], s->time[LEFT + 1]);
    weir_service_repeat(s, rule->length, weir_service_take_beat, rule);
    s->time[ADD] = weir_later(s->time[ADD], s->time[TAKE]);
    s->time[LEFT + 1] = s->time[LEFT];
    s->time[LEFT] = s->time[ADD] + others + 1;
    s->time[DIVIDE] = weir_later(s->time[DIVIDE], s->time[ADD] + others + rule->summed);
    s->time[ADD] += others + rule->cycles;
    weir_service_repeat(s, rule->length, give_beat, rule);
}

static void service(weir_service *s, const weir_graph *graph, weir_node node) {
    const service_rule rule = {length_of(graph, node), cycles_of(graph, node), summed_of(graph, node),
                               divided_of(graph, node)};
    assert(rule.length >= 1 && elements_of(graph, node) % rule.length == 0);
    weir_service_repeat(s, elements_of(graph, node) / rule.length, serve_row, &rule);
}

/* --- hardware --- */

static void connect_table(weir_builder *b, weir_node node, weir_rtl_instance u, size_t index, int64_t bits) {
    assert(index < 2);
    static const char *const addresses[] = {"power_addr", "product_addr"}, *const words[] = {"power_data",
                                                                                             "product_data"};
    weir_memory table;
    weir_memory_get(b->graph, node, index, &table);
    const weir_rtl_expr addr = weir_build_wire(b, node, addresses[index], bits);
    const weir_rtl_expr data = weir_build_wire(b, node, words[index], table.width);
    weir_rtl_connect(b->design, u, addresses[index], addr);
    weir_rtl_connect(b->design, u, words[index], data);
    const weir_rom_wires wires = {weir_rtl_constant(b->design, 1, 1), addr, data};
    weir_build_rom(b, node, &table, 0, read_cycles(b->graph, node) - 1, &wires);
}

static void build(weir_builder *b, weir_node node) {
    const weir_wires *x = weir_build_input(b, node, 0), *y = weir_build_output(b, node);
    assert(x->lanes == 1 && y->lanes == 1);
    const weir_type *type = weir_value_type(b->graph, weir_node_output(b->graph, node, 0));
    weir_rtl_instance u = weir_build_component(b, node);
    weir_build_set(b, u, "WIDTH", x->element_bits);
    weir_build_set(b, u, "SIGNED", x->is_signed);
    weir_build_set(b, u, "LENGTH", length_of(b->graph, node));
    weir_build_set(b, u, "STEPS_W", steps_bits(b->graph, node));
    weir_build_set(b, u, "UNITS", weir_component_setting_digit_of(b->graph, node));
    weir_build_set(b, u, "OUT_W", y->element_bits);
    weir_build_set(b, u, "ZERO", weir_node_int(b->graph, node, "zero", 0));
    weir_build_set(b, u, "HIGH", type->high);
    weir_build_set(b, u, "READ", read_cycles(b->graph, node));
    weir_build_connect_through(b, u, x, y);
    for (size_t i = 0; i < 2; i++) connect_table(b, node, u, i, x->element_bits);
}

static void describe(const weir_graph *graph, weir_node node, weir_text *text) {
    weir_text_format(text, "rows of %lld, %lld cycles an element", (long long)length_of(graph, node),
                     (long long)cycles_of(graph, node));
}

/* --- cost --- */

/* The modules as rtl/norm has them; the tables are the cost of their ROMs. */
static void cost(weir_cost_part *part) {
    const int64_t width = weir_cost_value(part, "WIDTH"), length = weir_cost_value(part, "LENGTH");
    const int64_t steps = weir_cost_value(part, "STEPS_W"), units = weir_cost_value(part, "UNITS");
    const int64_t out = weir_cost_value(part, "OUT_W"), read = weir_cost_value(part, "READ");
    const int64_t mantissa = weir_cost_value(part, "FRAC_W") + 1, exponent = weir_cost_value(part, "EXP_W");
    const int64_t bits = steps + 1, cycles = weir_ceil_divide(bits, units), held = length + (read + 8) / cycles;
    const int64_t at = weir_cost_bits(2 * length), slot = weir_cost_bits(held), latency = read + steps + units + 9;
    const int64_t places = (latency + 1) / cycles + 1, number = exponent + mantissa;
    const int64_t counters = 2 * at + 2 * slot + weir_cost_bits(held + 1) + weir_cost_bits(length) +
                             2 * weir_cost_bits(cycles) + weir_cost_bits(places + 1);
    const int64_t code = (steps > out ? steps : out) + 3;
    int64_t found = 0; /* bits of quotients in the units, and handed over */
    for (int64_t u = 1; u <= units; u++) found += (u * cycles < bits ? u * cycles : bits) - 1;
    for (int64_t u = 1; u < units; u++) found += u * cycles;
    const int64_t unit = 2 * mantissa + 1 + weir_cost_bits(bits + 1);
    weir_cost_term(part, units * (mantissa + 1));
    weir_cost_term(part, width);
    weir_cost_term(part, counters);
    weir_cost_term(part, steps);
    weir_cost_term(part, code);
    weir_cost_term(part, places * (out + 1));
    weir_cost_registers(part, 6 * mantissa + 5 * exponent + 13); /* weir_softmax_sum */
    weir_cost_registers(part, 2 * (2 * mantissa + exponent + 3) + 1 + units * (unit + 1) + found);
    weir_cost_registers(part, (units - 1) * (unit + cycles + 1));                /* what units hand over */
    weir_cost_registers(part, 2 * bits + mantissa + 4 * steps + code + out + 6); /* the rounding of the quotient */
    weir_cost_registers(part, counters + 6 * width + 2 * number + 5 * read + 43);
    weir_cost_registers(part, 2 * (latency - cycles + 1) + places * (out + 2) + 4); /* weir_pipeline */
    weir_cost_registers(part, weir_device_memory_takes_output(part->device) ? 0 : 2 * width);
    weir_cost_blocks(part, width, 2 * length);
    weir_cost_blocks(part, width, held);
    weir_cost_path(part, WEIR_COST_REGISTER, 4, mantissa + 2, mantissa);
    weir_cost_path(part, WEIR_COST_REGISTER, 2, mantissa + 2, mantissa + 1);
}

const weir_component_rules weir_softmax_rules = {.asks = "rows of two elements or more, codes of 16 bits or fewer",
                                                 .fits = fits,
                                                 .quantizes = true,
                                                 .legal = legal,
                                                 .pieces = pieces,
                                                 .derive = derive,
                                                 .timing = timing,
                                                 .service = service,
                                                 .memory = memory,
                                                 .content = content,
                                                 .cost = cost,
                                                 .build = build,
                                                 .describe = describe,
                                                 .has_active = true};
