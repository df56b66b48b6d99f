#include "dataflow/component/linear/multiplier_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/cost/target.h"
#include "dataflow/memory.h"
#include "dataflow/schedule/stream.h"
#include "support/memory/arena.h"

bool weir_multiplier_fits(const weir_graph *graph, weir_node node, weir_text *why) {
    int64_t least = weir_value_type(graph, weir_node_input(graph, node, 1))->low;
    if (least >= 0) return true;
    weir_text_format(why, "hardware needs multipliers of 0 or more, found %lld", (long long)least);
    return false;
}

int64_t weir_multiplier_pieces(const weir_graph *graph, weir_node node) {
    assert(weir_value_type(graph, weir_node_input(graph, node, 1))->low >= 0);
    return weir_bits_for(0, weir_value_type(graph, weir_node_input(graph, node, 1))->high);
}

int64_t weir_multiplier_element_bits(const weir_graph *graph, weir_node node) {
    bool is_signed;
    const int bits = weir_stream_width(graph, weir_node_input(graph, node, 0), &is_signed);
    return bits + !is_signed;
}

enum { DIGIT, PRODUCTS };
const weir_component_setting weir_multiplier_settings[WEIR_MULTIPLIER_SETTINGS] = {
    [DIGIT] = {"digit", WEIR_SETTING_PIECES, NULL}, [PRODUCTS] = {"products", WEIR_SETTING_PRODUCTS, NULL}};

static int64_t cycles_a_beat(const weir_graph *graph, weir_node node) {
    assert(weir_component_setting_digit_of(graph, node) >= 1);
    return weir_ceil_divide(weir_multiplier_pieces(graph, node), weir_component_setting_digit_of(graph, node));
}

/* Signed operands of a multiplier block, MUL_W; 0: products are formed in logic. Wider shapes take several blocks. */
static int64_t block_bits(const weir_graph *graph, weir_node node) {
    enum { PORTABLE = 18 };
    const int64_t products =
        weir_component_setting_of(&weir_node_metadata_of(graph, node)->hardware, &weir_multiplier_settings[PRODUCTS]);
    const bool each_cycle = weir_component_setting_digit_of(graph, node) >= weir_multiplier_pieces(graph, node);
    if (products == WEIR_STORAGE_LOGIC || (products == WEIR_STORAGE_AUTO && !each_cycle)) return 0;
    const weir_device *device = weir_target_of(graph).device;
    if (device == NULL) return PORTABLE;
    if (device->multipliers.not_inferred) return 0;
    int64_t bits = 0;
    for (size_t i = 0; device->multipliers.count > 0 && i < device->multipliers.shapes.count; i++) {
        const weir_device_shape shape = device->multipliers.shapes.item[i];
        const int64_t both = shape.x < shape.y ? shape.x : shape.y;
        if (both > bits) bits = both;
    }
    return bits < PORTABLE ? bits : PORTABLE;
}

/* How weir_scale_multiply forms a product: a product a cycle out of blocks, or a digit a cycle, out of blocks or of
 * rows of two bits, which a tree adds. */
typedef struct product {
    int64_t pieces; /* products of blocks, of all or of a digit; 0: rows */
    int64_t digit;  /* multiplier bits a cycle, at most all of them */
    int64_t steps;  /* digits */
    bool whole;     /* a product a cycle, out of blocks */
    int64_t wait;   /* cycles from a digit to where it is collected */
    int64_t cycles; /* to the product and its addend */
} product;

/* Of elements of `x` bits, multipliers of `m`, `addends` 0 or 1. */
static product product_of(int64_t x, int64_t m, int64_t digit, int64_t block, int64_t addends) {
    assert(x >= 1 && m >= 1 && digit >= 1 && addends >= 0);
    product p = {.digit = digit < m ? digit : m};
    p.steps = weir_ceil_divide(m, p.digit);
    p.whole = digit >= m && block > 0;
    if (block > 0 && (p.whole || p.digit > 2))
        p.pieces = weir_ceil_divide(x > 2 ? x - 1 : 1, block - 1) * weir_ceil_divide(p.digit, block - 1);
    if (p.whole) {
        p.cycles = 2 + weir_clog2(p.pieces + addends);
        return p;
    }
    const int64_t addends_of_digit = p.pieces > 0 ? p.pieces : weir_ceil_divide(p.digit, 2);
    const int64_t ahead = p.digit < 3 ? p.digit - 1 : 2 + weir_clog2(addends_of_digit);
    p.wait = ahead + (p.digit > 3 && p.steps > 1);
    p.cycles = 1 + p.steps + p.wait + addends;
    return p;
}

bool weir_multiplier_in_blocks(const weir_graph *graph, weir_node node) {
    return weir_component_setting_digit_of(graph, node) >= weir_multiplier_pieces(graph, node) &&
           block_bits(graph, node) > 0;
}

weir_component_timing weir_multiplier_timing(const weir_graph *graph, weir_node node, int64_t x, int64_t addends) {
    const product p = product_of(x, weir_multiplier_pieces(graph, node), weir_component_setting_digit_of(graph, node),
                                 block_bits(graph, node), addends);
    return (weir_component_timing){p.cycles, cycles_a_beat(graph, node) * weir_stream_beats_of(graph, node)};
}

bool weir_multiplier_memory(const weir_graph *graph, weir_node node, size_t index, weir_memory *memory) {
    if (index > 0) return false;
    const int bits = (int)weir_multiplier_pieces(graph, node);
    const int64_t lanes = weir_node_metadata_of(graph, node)->hardware.out_lanes;
    *memory = (weir_memory){.suffix = "scale",
                            .depth = weir_memory_words(graph, weir_node_input(graph, node, 1), lanes),
                            .fields = lanes,
                            .interval = cycles_a_beat(graph, node),
                            .field_bits = bits + weir_memory_signed_bits(graph, weir_node_input(graph, node, 2)),
                            .low_bits = bits};
    return true;
}

void weir_multiplier_content(const weir_graph *graph, weir_node node, const weir_memory *memory, int64_t word,
                             int64_t *lower, int64_t *upper) {
    assert(word >= 0 && word < memory->depth);
    const weir_value multiplier = weir_node_input(graph, node, 1), addend = weir_node_input(graph, node, 2);
    for (int64_t field = 0; field < memory->fields; field++) {
        const int64_t channel = word * memory->fields + field;
        lower[field] = weir_memory_element(graph, multiplier, channel, 0, 1, 0);
        upper[field] = weir_memory_element(graph, addend, channel, 0, 1, 0);
    }
}

weir_rtl_instance weir_multiplier_build(weir_builder *b, weir_node node, int64_t low, int64_t high) {
    weir_wires x = weir_build_signed(b, weir_build_input(b, node, 0));
    const weir_wires *y = weir_build_output(b, node);
    assert(x.lanes == y->lanes && x.is_signed);
    weir_memory memory;
    weir_memory_get(b->graph, node, 0, &memory);
    weir_wires parameters = weir_build_memory(b, node, &memory);
    weir_rtl_instance u = weir_build_component(b, node);
    weir_build_set(b, u, "LANES", x.lanes);
    weir_build_set(b, u, "X_W", x.element_bits);
    weir_build_set(b, u, "OUT_W", y->element_bits);
    weir_build_set(b, u, "M_W", memory.low_bits);
    weir_build_set(b, u, "A_W", memory.field_bits - memory.low_bits);
    weir_build_set(b, u, "SHIFT", weir_node_int(b->graph, node, "shift", 0));
    weir_build_set(b, u, "DIGIT", weir_component_setting_digit_of(b->graph, node));
    weir_build_set(b, u, "MUL_W", block_bits(b->graph, node));
    weir_build_set(b, u, "LO", low);
    weir_build_set(b, u, "HI", high);
    weir_build_connect(b, u, "s", &x);
    weir_build_connect(b, u, "p", &parameters);
    weir_build_connect(b, u, "m", y);
    return u;
}

void weir_multiplier_describe(const weir_graph *graph, weir_node node, weir_text *text) {
    const int64_t digit = weir_component_setting_digit_of(graph, node);
    weir_text_format(text, "%lld-bit multiplier, %lld of them a cycle%s, shift %lld",
                     (long long)weir_multiplier_pieces(graph, node), (long long)digit,
                     block_bits(graph, node) > 0 && digit > 2 ? " in blocks" : " in logic",
                     (long long)weir_node_int(graph, node, "shift", 0));
}

/* --- cost --- */

/* A lane's multipliers and addends, word after word. */
typedef struct lane_contents {
    uint64_t hash; /* of the multipliers */
    bool constant; /* all are `multiplier` */
    int64_t multiplier;
    uint64_t ones, zeros; /* bits of addends that are somewhere one, zero */
    int64_t least, most;  /* of the addends and 0 */
} lane_contents;

static void add_word(lane_contents *c, bool is_first, int64_t multiplier, int64_t add) {
    if (is_first) *c = (lane_contents){.constant = true, .multiplier = multiplier};
    c->constant &= multiplier == c->multiplier;
    c->hash = (c->hash ^ (uint64_t)multiplier) * UINT64_C(0x9e3779b97f4a7c15);
    c->hash ^= c->hash >> 29;
    c->ones |= (uint64_t)add;
    c->zeros |= ~(uint64_t)add;
    if (add < c->least) c->least = add;
    if (add > c->most) c->most = add;
}

/* Of all lanes. The caller frees them. */
static lane_contents *contents_of(const weir_graph *graph, weir_node node, const weir_memory *memory) {
    assert(memory->depth >= 1 && memory->fields >= 1);
    lane_contents *lane = weir_calloc((size_t)memory->fields, sizeof *lane);
    int64_t *multiplier = weir_calloc(2 * (size_t)memory->fields, sizeof *multiplier);
    int64_t *add = multiplier + memory->fields;
    for (int64_t word = 0; word < memory->depth; word++) {
        weir_multiplier_content(graph, node, memory, word, multiplier, add);
        for (int64_t i = 0; i < memory->fields; i++) add_word(&lane[i], word == 0, multiplier[i], add[i]);
    }
    free(multiplier);
    return lane;
}

/* Rows of a constant multiplier: a digit of two bits is nothing, x or three times x, and what holds the same is one
 * register. */
typedef struct constant_rows {
    int64_t of_x, bits;     /* registers: so many times those of x, and so many more */
    int64_t sums, sum_bits; /* adders likewise */
} constant_rows;

/* Without the pairs of zeros at the end, which other registers have, or none. */
static uint64_t odd_part(uint64_t digits) {
    while (digits != 0 && digits % 4 == 0) digits /= 4;
    return digits == 2 ? 1 : digits;
}

/* Of the digits by their odd parts. */
static bool is_new(const uint64_t *odd, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (odd[i] == odd[at]) return false;
    return odd[at] != 0;
}

/* Registers of the rows or sums at one level of the tree. */
static void add_level(constant_rows *r, const uint64_t *odd, size_t count) {
    assert(count > 0);
    for (size_t i = 0; i < count; i++) {
        if (!is_new(odd, i)) continue;
        r->of_x++;
        r->bits += weir_bits_for(0, (int64_t)odd[i]) - (odd[i] == 1);
    }
}

/* As weir_scale_rows forms the product of x with `k` bits at once. */
static constant_rows rows_of(uint64_t multiplier, int64_t k) {
    assert(k >= 1);
    enum { PAIRS = 32 };
    constant_rows r = {1, 0, 0, 0};
    uint64_t digits[PAIRS], odd[PAIRS];
    size_t count = (size_t)weir_ceil_divide(k, 2);
    assert(count <= PAIRS);
    bool three = false;
    for (size_t i = 0; i < count; i++) {
        digits[i] = multiplier >> 2 * i & 3;
        odd[i] = odd_part(digits[i]);
        three |= digits[i] == 3;
    }
    if (three) r = (constant_rows){2, 2, 1, 2};
    add_level(&r, odd, count);
    for (size_t step = 2; count > 1; step *= 2) {
        const size_t from = count;
        count = (from + 1) / 2;
        for (size_t i = 0; i < count; i++) {
            const uint64_t low = digits[2 * i], high = 2 * i + 1 < from ? digits[2 * i + 1] : 0;
            digits[i] = low | high << step;
            odd[i] = odd_part(digits[i]);
            if (low == 0 || high == 0 || !is_new(odd, i)) continue;
            r.sums++;
            r.sum_bits += weir_bits_for(0, (int64_t)high);
        }
        add_level(&r, odd, count);
    }
    return r;
}

/* Bits of the lane's addends that registers keep. Those that repeat the sign are one, but not in a block, whose columns
 * are apart. */
static int64_t addend_bits(const lane_contents *c, int64_t width, bool block) {
    assert(width >= 1 && width <= 64 && c->least <= c->most);
    if (!block) return weir_bits_for(c->least < 0 ? c->least : -1, c->most);
    while (width > 1 && (c->ones >> (width - 1) & c->zeros >> (width - 1) & 1) == 0) width--;
    return width;
}

/* Sums over lanes. */
size_t weir_multiplier_facts(const weir_graph *graph, weir_node node, weir_cost_parameter *fact) {
    weir_memory memory;
    weir_memory_get(graph, node, 0, &memory);
    const bool block = memory.storage == WEIR_STORAGE_BLOCK;
    const int64_t k = weir_component_setting_digit_of(graph, node);
    int64_t constants = 0, kinds = 0, addends = 0;
    constant_rows all = {0, 0, 0, 0};
    uint64_t *hash = weir_calloc((size_t)memory.fields, sizeof *hash);
    lane_contents *lanes = contents_of(graph, node, &memory);
    for (int64_t lane = 0; lane < memory.fields; lane++) {
        const lane_contents c = lanes[lane];
        bool known = false;
        for (int64_t i = 0; i < kinds && (!block || c.constant); i++) known |= hash[i] == c.hash;
        if (!known) hash[kinds++] = c.hash;
        addends += addend_bits(&c, memory.field_bits - memory.low_bits, block);
        constants += c.constant;
        if (!c.constant || k < memory.low_bits) continue;
        const constant_rows rows = rows_of((uint64_t)c.multiplier, memory.low_bits);
        all = (constant_rows){all.of_x + rows.of_x, all.bits + rows.bits, all.sums + rows.sums,
                              all.sum_bits + rows.sum_bits};
    }
    free(hash);
    free(lanes);
    const weir_cost_parameter facts[] = {{"CONSTANTS", constants},  {"KINDS", kinds},       {"ADDEND_BITS", addends},
                                         {"ROWS_OF_X", all.of_x},   {"ROW_BITS", all.bits}, {"ROW_SUMS", all.sums},
                                         {"SUM_BITS", all.sum_bits}};
    memcpy(fact, facts, sizeof facts);
    return sizeof facts / sizeof *facts;
}

typedef struct amount {
    int64_t registers, cells; /* flip-flops; adders and selectors, by bits */
} amount;

/* weir_scale_rows, a lane: the rows of two bits and the tree that adds them. */
static amount rows_amount(int64_t x, int64_t k) {
    assert(x >= 1 && k >= 1);
    if (k < 3) return (amount){k == 2 ? x + 2 : 0, k == 2 ? x + 2 : 0};
    int64_t from = weir_ceil_divide(k, 2), step = 2;
    amount a = {x + x + 2 + k + from * (x + 2), (from + 1) * (x + 2)};
    for (; from > 1; from = weir_ceil_divide(from, 2), step *= 2) {
        a.registers += weir_ceil_divide(from, 2) * (x + 2 * step);
        a.cells += from / 2 * (x + step);
    }
    return a;
}

/* weir_scale_rows, a lane: what collects the digits' products, and the addend that meets them `wait` cycles later, of
 * whose `add` bits `effective` differ. Bits of the sum that are shifted out are not kept. */
static amount collected_amount(int64_t x, int64_t low, int64_t k, int64_t add, int64_t effective, int64_t wait,
                               int64_t shift) {
    const bool split = k > 3 && low > k;
    amount a = {2 * x + low + (split ? x + k + 2 : 0), x + low + k + (split ? x : 0)};
    if (add == 0) {
        a.registers += low;
        return a;
    }
    const int64_t above = add > low ? add - low : 1, top = add > low + x ? add - low : x;
    const int64_t kept = low > shift ? 2 * (low - shift) : low - shift;
    const int64_t line = k + above < effective ? k + above : effective;
    const int64_t after = above < effective - k ? above : effective > k ? effective - k : 1;
    a.registers += effective + wait * line + after + top + 2 + (kept > -top ? kept : -top);
    a.cells += add + k + top + 2;
    return a;
}

/* weir_scale_blocks, a lane: operands, and the tree that adds the pieces' products and a, which passes levels as it is.
 * Bits of the sum that are shifted out are not kept. */
static amount blocks_amount(int64_t x, int64_t m, int64_t add, int64_t pieces, int64_t shift) {
    assert(pieces >= 1);
    const int64_t sum = add == 0 ? x + m : (add > x + m ? add : x + m) + 1;
    int64_t odd = add > 0 ? add : sum;
    amount a = {x + m + 2 * add, 0};
    for (int64_t terms = pieces + (add > 0); terms > 1; terms = weir_ceil_divide(terms, 2)) {
        a.registers += terms / 2 * sum + terms % 2 * odd;
        a.cells += terms / 2 * sum;
        if (terms % 2 == 0) odd = sum;
    }
    if (add > 0) a.registers -= shift < sum ? shift : sum;
    return a;
}

/* Levels of the tree that its last term passes alone. */
static int64_t levels_passed(int64_t terms) {
    int64_t levels = 0;
    for (; terms > 1 && terms % 2 != 0; terms = weir_ceil_divide(terms, 2)) levels++;
    return levels;
}

/* All lanes, of `lane` each where their multipliers vary and differ: equal ones are shifted once, and the rows of a
 * constant one, all of whose bits are there at once, are fewer. */
static amount constant_amount(const weir_cost_part *part, const product *p, int64_t x, const amount *lane) {
    const int64_t lanes = weir_cost_value(part, "LANES"), kinds = weir_cost_fact(part, "KINDS", lanes);
    assert(kinds >= 0 && kinds <= lanes);
    const int64_t low = p->steps * p->digit, m = low + (p->digit > 2 && p->pieces == 0 ? p->digit : 0);
    amount all = {lanes * lane->registers - (lanes - kinds) * m, lanes * lane->cells - (lanes - kinds) * low};
    const int64_t constants =
        p->steps == 1 && p->pieces == 0 && p->digit > 2 ? weir_cost_fact(part, "CONSTANTS", 0) : 0;
    if (constants == 0) return all;
    const amount rows = rows_amount(x, p->digit);
    const int64_t shifted = constants < kinds ? constants : kinds;
    all.registers += weir_cost_value(part, "ROWS_OF_X") * x + weir_cost_value(part, "ROW_BITS") + 2 -
                     constants * (rows.registers - p->digit) - shifted * m;
    all.cells += weir_cost_value(part, "ROW_SUMS") * x + weir_cost_value(part, "SUM_BITS") - constants * rows.cells -
                 shifted * low;
    return all;
}

void weir_multiplier_cost(weir_cost_part *part, int64_t x, int64_t add, int64_t out, int64_t before, int64_t after,
                          int64_t rest, int64_t cells) {
    const int64_t lanes = weir_cost_value(part, "LANES"), m = weir_cost_value(part, "M_W");
    const int64_t block = weir_cost_value(part, "MUL_W");
    const product p = product_of(x, m, weir_cost_value(part, "DIGIT"), block, add > 0);
    const int64_t shift = weir_cost_value(part, "SHIFT");
    amount lane;
    if (p.pieces > 0) {
        const int64_t a = x < block ? x : block, b = p.digit + 1 < block ? p.digit + 1 : block;
        const int64_t of_x = weir_ceil_divide(x > 2 ? x - 1 : 1, block - 1), of_m = p.pieces / of_x;
        const int64_t kept = of_m * (x + of_x) + of_x * (p.digit + of_m) - p.pieces; /* bits of all products */
        weir_cost_products(part, lanes * p.pieces, a, b, weir_ceil_divide(kept, p.pieces));
        lane = blocks_amount(x, p.digit, p.whole ? add : 0, p.pieces, p.whole ? shift : 0);
        if (weir_device_multiplier_takes_operands(part->device)) lane.registers -= x + p.digit;
        const int64_t passed = p.whole && add > 0 ? levels_passed(p.pieces + 1) : 0;
        if (passed > 0 && weir_device_shifts(part->device, 2 + passed)) {
            lane.registers -= (2 + passed) * add;
            lane.cells += add;
        }
    } else {
        weir_cost_term(part, 0);
        weir_cost_term(part, 0);
        lane = rows_amount(x, p.digit);
    }
    amount all = {lanes * lane.registers, lanes * lane.cells};
    enum {
        HANDSHAKE = 4
    }; /* signals that say that a beat is taken: in one level with what counts its cycles, or not */
    const bool at_once = rest > 0 && weir_cost_clips_at_once(part, rest, out) &&
                         weir_clog2(p.steps) + HANDSHAKE <= weir_cost_widest(part);
    if (!p.whole) {
        const int64_t low = p.steps * p.digit,
                      effective = (weir_cost_fact(part, "ADDEND_BITS", lanes * add) + lanes / 2) / lanes;
        const amount collected = collected_amount(x, low, p.digit, add, effective, p.wait, shift);
        weir_cost_registers(part, p.wait + 1);
        lane = (amount){lane.registers + collected.registers, lane.cells + collected.cells};
        all = constant_amount(part, &p, x, &lane);
    }
    weir_cost_registers(part, all.registers);
    weir_cost_term(part, all.cells);
    /* weir_pipeline, with weir_fifo of registers */
    const int64_t latency = before + p.cycles + after, places = (latency + 1) / p.steps + 1;
    const int64_t slots = places * (lanes * out + 1), used = weir_cost_bits(places + 1);
    weir_cost_registers(part, slots + places + used + 1 + 2 * (latency - p.steps + 1) +
                                  (p.steps > 1 ? weir_cost_bits(p.steps) + 2 : 0));
    /* What is loaded or shifted chooses between two bits. */
    const int64_t loads =
        at_once && !p.whole ? lanes * (add + (p.steps - 1) * p.digit) * (weir_cost_joined(part, HANDSHAKE + 2) - 1) : 0;
    weir_cost_term(part, rest > 0 ? weir_cost_clipped(part, lanes, rest, out, places, at_once) + places + loads
                                  : slots + cells);
    weir_cost_path(part, WEIR_COST_REGISTER, 2, 0, slots);
    weir_cost_path(part, WEIR_COST_REGISTER, 1, x + (p.whole ? m : p.digit), p.whole ? 1 : lanes * x);
}
