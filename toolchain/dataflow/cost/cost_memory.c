#include "dataflow/cost/cost_memory.h"

#include <assert.h>

#include "dataflow/pair.h"
#include "dataflow/schedule/stream.h"

/* From the address, or from a block, to a word. */
static void rom_path(weir_cost_part *part, bool block, int64_t address, int64_t rows, int64_t width) {
    if (block) weir_cost_path(part, WEIR_COST_MEMORY, weir_cost_levels(part, rows), 0, 1);
    else weir_cost_path(part, WEIR_COST_REGISTER, 1 + (address > 4 ? weir_ceil_divide(address - 4, 2) : 0), 0, width);
    weir_cost_path(part, WEIR_COST_REGISTER, weir_cost_levels(part, address), address, address);
}

/* Columns of a ROM in logic that differ from each other and from a constant. Where nothing is known of its words these
 * are random: of a few there are not many. */
static int64_t columns_of(const weir_cost_part *part, int64_t width, int64_t depth) {
    const int64_t known = weir_cost_fact(part, "DISTINCT", -1);
    if (known >= 0) return known;
    if (depth > 12) return width;
    const double all = (double)((int64_t)1 << depth);
    double missed = all, power = 1 - 1 / all;
    for (int64_t left = width; left > 0; left /= 2, power *= power)
        if (left % 2 == 1) missed *= power;
    const int64_t columns = (int64_t)((all - missed) * (1 - 2 / all) + 0.5);
    return columns < width ? columns : width;
}

/* Columns of a ROM that tools keep: in blocks Yosys finds those that are constant, not those that are equal. A single
 * word is constant. */
static int64_t kept_columns(const weir_cost_part *part, bool block, int64_t width, int64_t depth) {
    if (depth == 1) return 0;
    return block ? weir_cost_fact(part, "VARYING", width) : columns_of(part, width, depth);
}

/* Lookup tables that choose one of so many signals: a joined one, or a tree of choices among four. */
static int64_t choosing(const weir_cost_part *part, int64_t signals) {
    enum { FOUR = 4 };
    if (signals <= 1) return 0;
    const int64_t joined = weir_cost_joined(part, signals + weir_clog2(signals)),
                  groups = weir_ceil_divide(signals, FOUR);
    if (signals <= FOUR) return joined > 0 ? joined : 2;
    return signals / FOUR * choosing(part, FOUR) + choosing(part, signals % FOUR) + choosing(part, groups);
}

/* A ROM in logic, by what is known of its tables (contents.h), or a column: tables of the address, whole where Yosys
 * joins them, and what chooses among them. Of the words after the last whole table a few are a function that the choice
 * has room for. */
static void column_terms(weir_cost_part *part, int64_t columns, int64_t depth) {
    enum { FEW = 8 };
    const int64_t leaves = weir_cost_fact(part, "LEAVES", -1);
    if (leaves >= 0) {
        weir_cost_term(part, leaves);
        weir_cost_term(part, weir_cost_fact(part, "CHOICES", 0));
        return;
    }
    const int64_t own = (int64_t)1 << part->device->luts.inputs, joined = weir_cost_widest(part);
    const int64_t widest = joined > 0 ? (int64_t)1 << joined : own, left = depth % widest;
    if (joined > 0) {
        const int64_t of_left = left > 0 ? weir_cost_joined(part, weir_clog2(left)) : 0;
        weir_cost_term(part, columns * (depth / widest * (widest / own) + of_left));
    } else {
        weir_cost_term(part, columns * (depth < own ? own : depth) / own);
    }
    const int64_t chosen = choosing(part, (int64_t)1 << weir_clog2(weir_ceil_divide(depth, widest)));
    weir_cost_term(part, columns * chosen * (chosen == 1 && left > 0 && left < FEW ? left : FEW) / FEW);
}

/* Registers after a memory, a bit, that have no lookup table before them, of `stages` in a row outside blocks: Yosys
 * makes a lookup table of several, or they take logic cells of their own. */
static int64_t lone_registers(const weir_cost_part *part, int64_t stages, bool follows_table) {
    if (weir_device_shifts(part->device, stages)) return 1;
    return part->device->logic_cell == WEIR_DEVICE_SHARED && stages > 0 ? stages - follows_table : 0;
}

/* A ROM: in logic, or as rows of blocks and what chooses among those; with the registers after it. */
static void rom_terms(weir_cost_part *part, bool block, int64_t columns, int64_t depth, int64_t rows, int64_t stages) {
    column_terms(part, block ? 0 : columns, depth);
    weir_cost_term(part, block ? columns * choosing(part, rows) : 0);
    weir_cost_term(part, columns * lone_registers(part, stages, !block || rows > 1));
}

/* Bits of the register of `width` bits after a block's own, of REGISTERED, that stay outside. */
static int64_t output_bits(const weir_cost_part *part, bool block, int64_t rows, int64_t width) {
    const bool inside = block && rows == 1 && weir_device_memory_takes_output(part->device);
    return inside ? 0 : weir_cost_value(part, "REGISTERED") * width;
}

static weir_cost_start read_from(const weir_cost_part *part) {
    return weir_cost_value(part, "REGISTERED") != 0 ? WEIR_COST_REGISTER : WEIR_COST_MEMORY;
}

void weir_cost_memory_source(weir_cost_part *part) {
    const int64_t width = weir_cost_value(part, "WIDTH"), depth = weir_cost_value(part, "DEPTH");
    const bool block = weir_cost_value(part, "STYLE") == WEIR_STORAGE_BLOCK;
    const int64_t address = weir_cost_bits(depth);
    const bool slow = weir_cost_value(part, "INTERVAL") > 1;
    const int64_t columns = kept_columns(part, block, width, depth);
    int64_t rows;
    weir_device_blocks(part->device, columns, depth, &rows);
    weir_cost_registers(part, address + (slow ? 3 : block ? 5 : 2));
    const bool inside = slow && rows == 1 && weir_device_memory_takes_output(part->device);
    weir_cost_registers(part, block ? (slow ? !inside : 2) * columns + weir_clog2(rows) : columns);
    weir_cost_registers(part, output_bits(part, block, rows, columns) + weir_cost_value(part, "REGISTERED"));
    enum { PAIR = 8, SINGLE = 2 }; /* lookup tables of the handshake */
    weir_cost_term(part, weir_cost_counter(part, depth) + (block && !slow ? PAIR : SINGLE));
    weir_cost_term(part, block && !slow ? columns : 0);
    rom_terms(part, block, columns, depth, rows, !block ? 1 : slow ? !inside : 2);
    weir_cost_path(part, WEIR_COST_REGISTER, 2 + weir_cost_levels(part, address), 0, width);
    if (read_from(part) == WEIR_COST_MEMORY || !block) rom_path(part, block, address, rows, width);
    if (block) weir_cost_blocks(part, columns, depth);
}

/* The same with registers that move in every cycle; a memory block has the first of them. A single word is constant. */
void weir_cost_memory_sequence(weir_cost_part *part) {
    const int64_t depth = weir_cost_value(part, "DEPTH"), odd = weir_cost_value(part, "ODD");
    const int64_t word = weir_cost_value(part, "WIDTH"), width = word - (odd > 0 ? word / odd : 0);
    const int64_t read = weir_cost_value(part, "READ"), words = weir_cost_value(part, "WORDS");
    const bool block = weir_cost_value(part, "STYLE") == WEIR_STORAGE_BLOCK && depth > 1;
    const int64_t lines = weir_ceil_divide(depth, words), place = words > 1 ? weir_cost_bits(words) : 0;
    const int64_t address = depth > 1 ? weir_cost_bits(lines) : 0;
    const int64_t line = kept_columns(part, block, words * width, lines);
    int64_t rows;
    weir_device_blocks(part->device, line, lines, &rows);
    const bool inside = block && rows == 1 && weir_device_memory_takes_output(part->device) && read > 1;
    const int64_t all = depth > 1 ? read - block - inside : 0, columns = weir_ceil_divide(line, words);
    const int64_t after = all - (all > 0 && weir_cost_fact(part, "INTO_BLOCKS", 0) != 0);
    const bool shifts = weir_device_shifts(part->device, after);
    weir_cost_registers(part, address + 3 * place + (shifts ? 0 : after * columns) + (block ? weir_clog2(rows) : 0));
    weir_cost_term(part, (depth > 1 ? weir_cost_counter(part, lines) : 0) + 3 * place);
    rom_terms(part, block, columns, depth, rows > words ? rows : words, after);
    if (depth > 1) rom_path(part, block && !inside, address + place, rows, width);
    if (words > 1) weir_cost_path(part, WEIR_COST_REGISTER, weir_cost_levels(part, 2 * words), 0, width);
    if (block) weir_cost_blocks(part, line, lines);
}

/* A single word is constant. What takes the word of a block without a register after it counts that path. */
void weir_cost_memory_rom(weir_cost_part *part) {
    const int64_t width = weir_cost_value(part, "WIDTH"), depth = weir_cost_value(part, "DEPTH");
    const bool block = weir_cost_value(part, "STYLE") == WEIR_STORAGE_BLOCK && depth > 1;
    const int64_t columns = kept_columns(part, block, width, depth);
    int64_t rows;
    weir_device_blocks(part->device, columns, depth, &rows);
    rom_terms(part, block, columns, depth, rows, !block + (output_bits(part, block, rows, columns) > 0));
    if (depth == 1) return;
    weir_cost_registers(part, block ? weir_clog2(rows) + output_bits(part, block, rows, columns)
                                    : columns * (1 + weir_cost_value(part, "REGISTERED")));
    if (!block || read_from(part) == WEIR_COST_MEMORY) rom_path(part, block, weir_cost_bits(depth), rows, width);
    if (block) weir_cost_blocks(part, columns, depth);
}

/* A side of a pair: what takes its word, and the register after it that stays outside of the blocks. The wires to a
 * block's address take about as long as a lookup table. */
static void rom_side(weir_cost_part *part, const weir_pair_rom *side, bool registered, int64_t blocks) {
    weir_cost_path(part, WEIR_COST_REGISTER, 1, 0, blocks);
    if (!registered) rom_path(part, true, weir_cost_bits(side->depth), 1, side->width);
    if (registered && !weir_device_memory_takes_output(part->device)) weir_cost_registers(part, side->width);
}

void weir_cost_memory_pair(weir_cost_part *part) {
    const weir_pair pair = {
        .a = {.width = weir_cost_value(part, "A_WIDTH"), .depth = weir_cost_value(part, "A_DEPTH")},
        .b = {.width = weir_cost_value(part, "B_WIDTH"), .depth = weir_cost_value(part, "B_DEPTH")}};
    const int64_t blocks = weir_pair_blocks(part->device, &pair);
    rom_side(part, &pair.a, weir_cost_value(part, "A_REGISTERED") != 0, blocks);
    rom_side(part, &pair.b, weir_cost_value(part, "B_REGISTERED") != 0, blocks);
    part->cost.memory_blocks += blocks;
}

/* Cells of distributed RAM, in lookup tables, with what chooses among rows of them. */
static int64_t distributed_luts(const weir_device *device, int64_t width, int64_t words) {
    const int64_t depth = device->distributed_ram.shape.x, bits = device->distributed_ram.shape.y;
    if (depth == 0 || bits == 0) return 0;
    const int64_t rows = weir_ceil_divide(words, depth);
    return rows * weir_ceil_divide(width, bits) * device->distributed_ram.luts + width * (rows - 1);
}

void weir_cost_distributed(weir_cost_part *part, bool used, int64_t width, int64_t words) {
    weir_cost_term(part, used ? distributed_luts(part->device, width, words) : 0);
}

/* Up to that many bits the tool chooses, distributed RAM where there is any, else flip-flops or blocks, of which one
 * counts for as many as a few flip-flops: rtl/memory/weir_replay.v. */
enum { REPLAY_SMALL = 512, REPLAY_BLOCK = 64 };

bool weir_cost_replay_in_blocks(int64_t beats, int64_t width) {
    assert(beats >= 1 && width >= 1);
    return beats > 1 && ((int64_t)2 << weir_cost_bits(beats)) * width > REPLAY_SMALL;
}

void weir_cost_memory_replay(weir_cost_part *part) {
    const int64_t width = weir_cost_value(part, "WIDTH"), beats = weir_cost_value(part, "BEATS");
    const int64_t times = weir_cost_value(part, "TIMES");
    const int64_t beat = weir_cost_bits(beats), words = beats > 1 ? (int64_t)2 << beat : 2;
    int64_t rows;
    const int64_t blocks = weir_device_blocks(part->device, width, words, &rows);
    const bool buffer = times > 1, small = buffer && beats > 1 && !weir_cost_replay_in_blocks(beats, width);
    const bool spread = small && part->device->distributed_ram.kbits == 0 && words * width <= blocks * REPLAY_BLOCK;
    const bool block = buffer && beats > 1 && (!small || (!spread && part->device->distributed_ram.kbits == 0));
    weir_cost_term(part, buffer ? 2 * beat + weir_cost_bits(times) : beat);
    /* Yosys maps to the fewest levels: with short counters all to one, in wider tables. */
    enum { COUNTED = 4 }; /* what else a bit of a counter depends on */
    weir_cost_term(part, buffer && beats > 1 && beat + COUNTED <= weir_cost_widest(part) ? 2 * beat : 0);
    weir_cost_term(part, buffer && beats == 1 ? width : 0);
    weir_cost_term(part, spread ? words * width : 0);
    weir_cost_distributed(part, small && !spread && !block, width, words);
    weir_cost_registers(part, buffer ? 2 * beat + weir_cost_bits(times) + 8 : beat);
    if (!buffer) return;
    weir_cost_registers(part, output_bits(part, block, 1, width) + 2 * weir_cost_value(part, "REGISTERED"));
    weir_cost_path(part, WEIR_COST_REGISTER, 3 + weir_cost_levels(part, 2 * beat), 0, block ? beat : width);
    if (block) weir_cost_path(part, read_from(part), 0, 0, 1);
    if (beats == 1) weir_cost_registers(part, 3 * width);
    else if (!block) weir_cost_registers(part, width + (spread ? words * width : 0));
    else weir_cost_blocks(part, width, words);
}
