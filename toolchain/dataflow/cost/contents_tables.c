#include "dataflow/cost/contents_tables.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#include "dataflow/schedule/stream.h"
#include "support/memory/arena.h"
#include "support/memory/hash.h"

enum { INPUTS_OF_WORD = 6 };

/* Of a function of so many bits of the address as a word has lines: where the bit is 0. */
static const uint64_t where_zero[INPUTS_OF_WORD] = {UINT64_C(0x5555555555555555), UINT64_C(0x3333333333333333),
                                                    UINT64_C(0x0f0f0f0f0f0f0f0f), UINT64_C(0x00ff00ff00ff00ff),
                                                    UINT64_C(0x0000ffff0000ffff), UINT64_C(0x00000000ffffffff)};

/* A function that is 0 on the first line, or its inverse. */
typedef struct signal {
    uint64_t function; /* 0: constant */
    bool inverted;
} signal;

/* What there is of a function, in the low bits of its place; 0: nothing yet. */
enum { BUILT = 1, COLUMN = 2, INVERTED_COLUMN = 4, STATES = 7 };

typedef struct building {
    uint64_t *place; /* of functions, twice as many as there may be of these; 0: free */
    size_t last;     /* place */
    weir_contents_tables tables;
    int64_t inputs;
} building;

static uint64_t *place_of(const building *b, uint64_t function) {
    size_t at = (function >> 3) & b->last;
    while (b->place[at] != 0 && ((b->place[at] ^ function) & ~(uint64_t)STATES) != 0) at = (at + 1) & b->last;
    if (b->place[at] == 0) b->place[at] = function & ~(uint64_t)STATES;
    return &b->place[at];
}

/* Is the function new? Then `*amount` takes the tables of it. */
static bool build(building *b, uint64_t function, int64_t *amount, int64_t tables) {
    assert(tables >= 0);
    uint64_t *place = place_of(b, function);
    const bool is_new = (*place & STATES) == 0;
    *place |= BUILT;
    if (is_new) *amount += tables;
    return is_new;
}

/* `size` lines, of which the first `exists` do and the others are 0: where one half of some lines does not exist, the
 * address bit that chooses is not asked. */
static uint64_t fill(uint64_t lines, int size, int64_t exists) {
    assert(size >= 1 && exists >= 1);
    if (exists >= size) return lines;
    const int half = size / 2;
    if (exists <= half) {
        const uint64_t low = fill(lines, half, exists);
        return low | low << half;
    }
    return (lines & ((UINT64_C(1) << half) - 1)) | fill(lines >> half, half, exists - half) << half;
}

static bool depends_on(uint64_t lines, int bit) {
    assert(bit >= 0 && bit < INPUTS_OF_WORD);
    return (lines >> (1 << bit) & where_zero[bit]) != (lines & where_zero[bit]);
}

/* Of how many bits, up to one more than `most`. */
static int64_t support_of(uint64_t lines, int64_t most) {
    int64_t support = 0;
    for (int i = 0; i < INPUTS_OF_WORD && support <= most; i++) support += depends_on(lines, i);
    return support;
}

/* The half of the lines where the bit is 0, or 1, in both halves. */
static uint64_t half_of(uint64_t lines, int bit, bool one) {
    assert(bit >= 0 && bit < INPUTS_OF_WORD);
    const uint64_t half = (one ? lines >> (1 << bit) : lines) & where_zero[bit];
    return half | half << (1 << bit);
}

/* A function of the bits that choose a line of a word; one of these bits is there. */
static signal build_lines(building *b, uint64_t lines) {
    enum { LEAF = 1 };
    const bool inverted = (lines & 1) != 0;
    if (inverted) lines = ~lines;
    if (lines == 0) return (signal){0, inverted};
    const signal found = {weir_hash_mix(LEAF, lines), inverted};
    const int64_t support = support_of(lines, b->inputs);
    if (support <= b->inputs) {
        build(b, found.function, &b->tables.leaves, support > 1);
        return found;
    }
    if (!build(b, found.function, &b->tables.choices, 1)) return found;
    int top = INPUTS_OF_WORD - 1;
    while (!depends_on(lines, top)) top--;
    build_lines(b, half_of(lines, top, false));
    build_lines(b, half_of(lines, top, true));
    return found;
}

/* One of `count` signals. */
static signal choose(building *b, const signal *among, size_t count) {
    assert(count > 0);
    enum { CHOICE = 2 };
    uint64_t function = CHOICE;
    bool same = true;
    for (size_t i = 0; i < count; i++) {
        const bool inverted = among[i].inverted != among[0].inverted;
        same &= among[i].function == among[0].function && !inverted;
        function = weir_hash_mix(weir_hash_mix(function, among[i].function), inverted);
    }
    if (same) return among[0];
    build(b, function, &b->tables.choices, 1);
    return (signal){function, among[0].inverted};
}

/* The column's own table has its register after it: of a function and its inverse there are two. */
static void finish(building *b, signal column) {
    if (column.function == 0) return;
    uint64_t *place = place_of(b, column.function);
    const uint64_t form = column.inverted ? INVERTED_COLUMN : COLUMN;
    if ((*place & (COLUMN | INVERTED_COLUMN)) != 0 && (*place & form) == 0) b->tables.leaves++;
    *place |= form;
}

weir_contents_tables weir_contents_tables_count(const uint64_t *word, size_t columns, int64_t lines, int64_t inputs) {
    assert(lines >= 1 && inputs >= 2);
    enum {
        OF_WORD = 8
    }; /* functions, at most: its own, and those in it of half and of a quarter of the lines, and a choice */
    building b = {.inputs = inputs, .last = 1};
    const size_t words = (size_t)weir_ceil_divide(lines, WEIR_CONTENTS_WORD), group = inputs < INPUTS_OF_WORD ? 2 : 4;
    const int64_t last = lines - WEIR_CONTENTS_WORD * ((int64_t)words - 1);
    while (b.last < 2 * OF_WORD * columns * words) b.last *= 2;
    b.place = weir_calloc(b.last--, sizeof *b.place);
    signal *level = weir_malloc((words + 1) * sizeof *level);
    for (size_t k = 0; k < columns; k++) {
        for (size_t i = 0; i < words; i++) {
            const uint64_t held = word[k * words + i];
            level[i] = build_lines(&b, i + 1 < words ? held : fill(held, WEIR_CONTENTS_WORD, last));
        }
        for (size_t count = words; count > 1; count = (count + group - 1) / group) {
            for (size_t i = 0; i < count; i += group)
                level[i / group] = choose(&b, &level[i], count - i < group ? count - i : group);
        }
        finish(&b, level[0]);
    }
    free(level);
    free(b.place);
    return b.tables;
}
