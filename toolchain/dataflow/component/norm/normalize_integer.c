/* Normalization of rows of integers along the innermost dimension by their deviation: weir_normalize_integer, a beat of
 * LANES elements a few cycles.
 * Memory: word i of "gains" has {sign, magnitude} of a row's beat i, the first element in the low bits; of gains that
 * are all the same, one word. */
#include <assert.h>
#include <string.h>

#include "dataflow/build.h"
#include "dataflow/component.h"
#include "dataflow/cost/cost.h"
#include "dataflow/cost/target.h"
#include "dataflow/memory.h"
#include "dataflow/schedule/stream.h"
#include "ir/shape/normalize_integer.h"
#include "support/memory/arena.h"

enum { MOST_WIDTH = 16, MOST_QUOTIENT = 30, BLOCK = 18 };

static const weir_array *gains_of(const weir_graph *graph, weir_node node) {
    assert(weir_node_op(graph, node) == WEIR_OP_NORMALIZE_INTEGER);
    return weir_value_constant(graph, weir_node_input(graph, node, 1));
}

static const weir_type *codes_of(const weir_graph *graph, weir_node node) {
    return weir_value_type(graph, weir_stream_source(graph, weir_node_input(graph, node, 0)));
}

/* The module's parameters and times: rtl/norm/weir_normalize_integer.v. */
typedef struct layout {
    weir_normalize_integer n;
    int64_t lanes, beats, cycles, units;
    int64_t width, is_signed, sum, squares, mean, root, away, gain, numerator, quotient;
    int64_t summed, rooted,
        divided;       /* cycles to the sums, from the root's start to its end, and of a beat's division */
    int64_t row, rows; /* cycles between two rows; rows of the ring */
} layout;

static weir_normalize_integer numbers_of(const weir_graph *graph, weir_node node) {
    const weir_type *x = codes_of(graph, node);
    const weir_shape *shape = &weir_value_type(graph, weir_node_input(graph, node, 0))->shape;
    const weir_array *gain = gains_of(graph, node);
    int64_t most = 0;
    for (size_t i = 0; i < gain->count; i++) {
        const int64_t v = weir_array_get_int(gain, i);
        most = v > most ? v : -v > most ? -v : most;
    }
    return weir_normalize_integer_of(shape->dim[shape->rank - 1], weir_node_int(graph, node, "centred", 0) != 0, x->low,
                                     x->high, most);
}

/* Bits of a magnitude, at least one. */
static int64_t bits_of(int64_t magnitude) { return weir_bits_for(0, magnitude); }

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t quotient_bits(const weir_graph *graph, weir_node node) {
    return bits_of(numbers_of(graph, node).quotient);
}

static layout layout_of(const weir_graph *graph, weir_node node, int64_t lanes, int64_t units) {
    assert(lanes >= 1 && units >= 1);
    layout l = {.n = numbers_of(graph, node), .lanes = lanes, .units = units};
    bool is_signed;
    l.width = weir_stream_width(graph, weir_stream_source(graph, weir_node_input(graph, node, 0)), &is_signed);
    l.is_signed = is_signed;
    l.beats = l.n.length / lanes;
    l.quotient = bits_of(l.n.quotient);
    l.cycles = weir_ceil_divide(l.quotient, units);
    l.sum = l.width + 1 + weir_clog2(l.n.length);
    l.squares = 2 * l.width + weir_clog2(l.n.length);
    l.mean = bits_of(l.n.mean);
    l.root = bits_of(l.n.deviation);
    l.away = bits_of(l.n.away);
    l.gain = bits_of(l.n.gain);
    l.numerator = bits_of(l.n.away * l.n.gain);
    const int64_t pieces = weir_ceil_divide(l.away, BLOCK - 1) * weir_ceil_divide(l.gain, BLOCK - 1);
    l.summed = 3 + weir_clog2(lanes);
    l.rooted = 2 * l.root + 1 + (l.n.centred ? l.mean + 2 : 0);
    l.divided = 9 + weir_clog2(pieces) + units * l.cycles;
    l.row = larger(larger(l.beats * l.cycles, l.rooted), l.summed + 2);
    l.rows = 1 + weir_ceil_divide(l.summed + l.rooted + 3, l.row);
    if (l.rows < 2) l.rows = 2;
    return l;
}

static layout own_layout(const weir_graph *graph, weir_node node) {
    return layout_of(graph, node, weir_node_metadata_of(graph, node)->hardware.out_lanes,
                     weir_component_setting_digit_of(graph, node));
}

static bool fits(const weir_graph *graph, weir_node node, weir_text *why) {
    const layout l = layout_of(graph, node, 1, 1);
    if (l.width > MOST_WIDTH)
        weir_text_format(why, "hardware normalizes codes of %d bits or fewer, found %lld", MOST_WIDTH,
                         (long long)l.width);
    else if (l.n.length < 2) weir_text_add(why, "hardware needs rows of two elements or more");
    else if (l.quotient > MOST_QUOTIENT)
        weir_text_format(why, "hardware gives quotients of %d bits or fewer, found %lld", MOST_QUOTIENT,
                         (long long)l.quotient);
    else return true;
    return false;
}

/* --- folding: lanes, and units of the division --- */

static int64_t elements_of(const weir_graph *graph, weir_node node) {
    return weir_stream_elements(graph, weir_node_output(graph, node, 0));
}

static int64_t rows_of(const weir_graph *graph, weir_node node) {
    return elements_of(graph, node) / numbers_of(graph, node).length;
}

/* A division works on each lane, so as few lanes, and then as few units, as the interval takes, or the roots of rows,
 * one after the other. */
static void derive(const weir_graph *graph, weir_node node, weir_meta_hardware *hardware) {
    const int64_t rows = rows_of(graph, node), length = numbers_of(graph, node).length,
                  bits = quotient_bits(graph, node), roots = rows * layout_of(graph, node, 1, 1).rooted,
                  most = larger(weir_stream_pace(graph), roots);
    int64_t lanes = 1, cycles = 1, more;
    for (more = 2; rows * length / lanes > most && more <= length / 2; more++)
        if (length % more == 0) lanes = more;
    while (cycles < bits && rows * (length / lanes) * (cycles + 1) <= most) cycles++;
    const int64_t digit = weir_ceil_divide(bits, cycles);
    hardware->in_lanes = hardware->out_lanes = lanes;
    weir_component_setting_set(hardware, &weir_component_setting_digit, digit);
    hardware->interval = rows * layout_of(graph, node, lanes, digit).row;
}

static bool legal(const weir_graph *graph, weir_node node, const weir_meta_hardware *hardware, weir_text *why) {
    const int64_t bits = quotient_bits(graph, node), length = numbers_of(graph, node).length,
                  lanes = hardware->in_lanes,
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

/* --- gains --- */

static bool memory(const weir_graph *graph, weir_node node, size_t index, weir_memory *memory) {
    if (index > 0) return false;
    const layout l = own_layout(graph, node);
    const weir_array *gain = gains_of(graph, node);
    bool same = true;
    for (size_t i = 1; i < gain->count; i++) same = same && weir_array_get_int(gain, i) == weir_array_get_int(gain, 0);
    /* lanes of the stream before may be more than a row, until `derive` has set them */
    *memory = (weir_memory){.depth = same || l.beats < 1 ? 1 : l.beats,
                            .fields = l.lanes,
                            .in_turn = true,
                            .field_bits = (int)l.gain + 1,
                            .low_bits = (int)l.gain,
                            .interval = l.cycles};
    strcpy(memory->suffix, "gains");
    return true;
}

static void content(const weir_graph *graph, weir_node node, const weir_memory *memory, int64_t word, int64_t *lower,
                    int64_t *upper) {
    assert(word >= 0 && word < memory->depth);
    const weir_array *gain = gains_of(graph, node);
    for (int64_t field = 0; field < memory->fields; field++) {
        const int64_t v = weir_array_get_int(gain, gain->count == 1 ? 0 : (size_t)(word * memory->fields + field));
        lower[field] = v < 0 ? -v : v;
        upper[field] = v < 0;
    }
}

/* Registers from a word to where it is used: a memory block with an output register passes it, for the clock. */
static int64_t read_cycles(const weir_graph *graph, weir_node node) {
    const weir_target target = weir_target_of(graph);
    weir_memory gains;
    weir_memory_get(graph, node, 0, &gains);
    return gains.storage == WEIR_STORAGE_BLOCK && weir_target_memory_has_output(&target) ? 3 + (gains.side > 1) : 2;
}

/* --- time --- */

static weir_component_timing timing(const weir_graph *graph, weir_node node) {
    const layout l = own_layout(graph, node);
    return (weir_component_timing){l.beats + (l.beats - 1) * l.cycles + l.summed + l.rooted + l.divided + 3 - l.row,
                                   rows_of(graph, node) * l.row};
}

/* Registers: when the next beat can be taken, the next root be begun and the next beat be divided, and when the places
 * of the ring's rows are left, the latest first. */
enum { TAKE, ROOT, DIVIDE, LEFT };

static void take_beat(weir_service *s, const void *user) {
    const layout *l = user;
    s->time[TAKE] = weir_later(s->time[TAKE], s->time[LEFT + l->rows - 1]);
    weir_service_take_beat(s, NULL);
    s->time[LEFT + l->rows - 1] += l->cycles;
}

static void give_beat(weir_service *s, const void *user) {
    const layout *l = user;
    weir_service_give(s, 0, s->time[DIVIDE] + l->divided + 1);
    s->time[DIVIDE] += l->cycles;
}

static void serve_row(weir_service *s, const void *user) {
    const layout *l = user;
    weir_service_repeat(s, l->beats - 1, take_beat, l);
    s->time[TAKE] = weir_later(s->time[TAKE], s->time[ROOT] - l->rooted + 1);
    take_beat(s, l);
    const int64_t start = weir_later(s->time[ROOT], s->time[TAKE] + l->summed);
    s->time[ROOT] = start + l->rooted;
    s->time[DIVIDE] = weir_later(s->time[DIVIDE], s->time[ROOT] + 1);
    for (int64_t i = l->rows - 1; i > 0; i--) s->time[LEFT + i] = s->time[LEFT + i - 1];
    s->time[LEFT] = s->time[DIVIDE] + 1;
    weir_service_repeat(s, l->beats, give_beat, l);
}

static void service(weir_service *s, const weir_graph *graph, weir_node node) {
    const layout l = own_layout(graph, node);
    assert(LEFT + l.rows <= WEIR_SERVICE_REGISTERS);
    weir_service_repeat(s, rows_of(graph, node), serve_row, &l);
}

/* --- hardware --- */

static void build(weir_builder *b, weir_node node) {
    const weir_wires *x = weir_build_input(b, node, 0), *y = weir_build_output(b, node);
    const layout l = own_layout(b->graph, node);
    const int64_t read = read_cycles(b->graph, node);
    assert(x->lanes == l.lanes && y->lanes == l.lanes);
    weir_memory gains;
    weir_memory_get(b->graph, node, 0, &gains);
    const weir_word_wires words = weir_build_words(b, node, &gains, read);
    weir_rtl_instance u = weir_build_component(b, node);
    const struct {
        const char *name;
        int64_t value;
    } set[] = {{"LANES", l.lanes},         {"WIDTH", x->element_bits}, {"SIGNED", x->is_signed},
               {"LENGTH", l.n.length},     {"CENTRED", l.n.centred},   {"SUM_W", l.sum},
               {"SQUARES_W", l.squares},   {"MEAN_W", l.mean},         {"ROOT_W", l.root},
               {"AWAY_W", l.away},         {"GAIN_W", l.gain},         {"NUMERATOR_W", l.numerator},
               {"QUOTIENT_W", l.quotient}, {"UNITS", l.units},         {"OUT_W", y->element_bits},
               {"ROWS", l.rows},           {"MUL_W", BLOCK},           {"READ", read}};
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) weir_build_set(b, u, set[i].name, set[i].value);
    weir_build_connect_through(b, u, x, y);
    weir_rtl_connect(b->design, u, "p_next", words.next);
    weir_rtl_connect(b->design, u, "p_data", words.data);
}

static void describe(const weir_graph *graph, weir_node node, weir_text *text) {
    const layout l = own_layout(graph, node);
    weir_text_format(text, "rows of %lld by their deviation%s, %lld-bit quotients, %lld cycle%s a beat",
                     (long long)l.n.length, l.n.centred ? " from the mean" : "", (long long)l.quotient,
                     (long long)l.cycles, l.cycles == 1 ? "" : "s");
}

/* --- cost --- */

/* A row of so many registers that only pass a bit on: shift registers in lookup tables where the device has them. */
static int64_t line_of(const weir_cost_part *part, int64_t registers) {
    return weir_device_shifts(part->device, registers) ? 1 : registers;
}

/* What holds results: more than a shift register takes are in a memory block. */
static void add_results(weir_cost_part *part, int64_t places, int64_t width) {
    enum { MOST_PLACES = 32 };
    const bool block = places > MOST_PLACES;
    weir_cost_registers(part, block ? 2 * width + 3 * weir_cost_bits(places) : places * (width + 1));
    if (block) weir_cost_blocks(part, width, places);
}

/* Products with a register each; bits of those that are built of lookup tables. */
static int64_t add_products(weir_cost_part *part, int64_t count, int64_t a, int64_t b) {
    const int64_t blocks = weir_cost_product_blocks(part->device, a, b);
    part->cost.multipliers += count * blocks;
    if (blocks != 1 || !weir_device_multiplier_takes_output(part->device))
        weir_cost_registers(part, count * (a + b - 1));
    const int64_t rows = a < b ? a : b;
    if (count > 0 && blocks == 0)
        weir_cost_path(part, WEIR_COST_REGISTER, 1 + weir_clog2(rows), a + b, count * (a + b));
    return blocks == 0 ? count * a * b : 0;
}

/* The modules as rtl/norm has them; the gains are the cost of their ROM. */
static void cost(weir_cost_part *part) {
    const int64_t lanes = weir_cost_value(part, "LANES"), width = weir_cost_value(part, "WIDTH");
    const int64_t length = weir_cost_value(part, "LENGTH"), centred = weir_cost_value(part, "CENTRED");
    const int64_t sum = weir_cost_value(part, "SUM_W"), squares = weir_cost_value(part, "SQUARES_W");
    const int64_t mean = weir_cost_value(part, "MEAN_W"), root = weir_cost_value(part, "ROOT_W");
    const int64_t away = weir_cost_value(part, "AWAY_W"), gain = weir_cost_value(part, "GAIN_W");
    const int64_t quotient = weir_cost_value(part, "QUOTIENT_W"), units = weir_cost_value(part, "UNITS");
    const int64_t out = weir_cost_value(part, "OUT_W"), rows = weir_cost_value(part, "ROWS");
    const int64_t x = width + !weir_cost_value(part, "SIGNED"), low = (gain - 1) / (BLOCK - 1);
    const int64_t beats = length / lanes, cycles = weir_ceil_divide(quotient, units), bits = units * cycles;
    const int64_t product = 2 + weir_clog2(low + 1), load = 4 + product, latency = load + bits + 3;
    const int64_t places = (latency + 1) / cycles + 1, summed = 3 + weir_clog2(lanes);
    const int64_t rooted = weir_cost_bits(length + 1) + 2 * root + 2,
                  word = rooted > squares + 2 ? rooted : squares + 2;
    const int64_t counters = 2 * weir_cost_bits(rows * beats) + weir_cost_bits(rows * beats + 1) +
                             2 * weir_cost_bits(beats) + weir_cost_bits(places + 1) +
                             (cycles > 1 ? weir_cost_bits(cycles) : 0);
    const int64_t in_tables = add_products(part, lanes, x, x) + add_products(part, lanes * low, away + 1, BLOCK) +
                              add_products(part, lanes, away + 1, gain - low * (BLOCK - 1) + 1);
    weir_cost_term(part, in_tables);
    weir_cost_term(part, 5 * word + (centred ? 2 * sum + 2 * word : 0));
    weir_cost_term(part, lanes * (squares + 2 * away + out + (centred ? sum : 0)));
    weir_cost_term(part, lanes * units * (root + 1) + (cycles > 1 ? lanes * units * (root + bits + 1) : 0));
    weir_cost_term(part, counters + rows * (mean + root + 2) + places * (lanes * out + 1));
    add_results(part, places, lanes * out + 1);
    const int64_t kept = cycles == 1 ? line_of(part, bits) : bits; /* of a unit's word: that wait or are found */
    weir_cost_registers(part, lanes * units * (root + 1 + kept) + (units - 1) * root + line_of(part, bits));
    weir_cost_registers(part, lanes * (away + 3 + away + 1 + gain + 2 * (quotient + 3) + out));
    weir_cost_registers(part, lanes * line_of(part, product + bits + 2) + 2 * (mean + 1) + root * line_of(part, load));
    weir_cost_registers(part, 5 * word + root + (centred ? 4 * sum + 2 * word + mean : 0) + squares);
    weir_cost_registers(part, lanes * (width + x + squares + (centred ? sum + 2 * width : 0)) + counters + squares);
    weir_cost_registers(part, rows * (mean + root + 3) + 4 * summed + load + 2 * line_of(part, latency - cycles + 1));
    weir_cost_blocks(part, lanes * width, rows * beats);
    weir_cost_path(part, WEIR_COST_REGISTER, 2, word + 1, word);
    weir_cost_path(part, WEIR_COST_REGISTER, cycles > 1 ? 3 : 2, root + 2, root + 1);
}

const weir_component_rules weir_normalize_integer_rules = {
    .asks = "rows of two elements or more, codes of 16 bits, quotients of 30 bits or fewer",
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
