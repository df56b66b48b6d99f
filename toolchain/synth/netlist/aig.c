#include "synth/netlist/aig.h"

#include <assert.h>
#include <stdlib.h>

#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/memory/map.h"
#include "support/memory/random.h"
#include "support/text/text.h"

typedef struct node {
    weir_literal a, b; /* a > b; of an input both are 0 */
    uint64_t values[WEIR_AIG_WORDS];
} node;

struct weir_aig {
    node *node;
    size_t count, capacity, inputs;
    weir_map by_operands;
    uint64_t random;
};

weir_aig *weir_aig_new(void) {
    weir_aig *aig = weir_calloc(1, sizeof *aig);
    aig->node = weir_grow_zeroed(aig->node, &aig->capacity, 1, sizeof *aig->node);
    aig->count = 1;
    return aig;
}

void weir_aig_free(weir_aig *aig) {
    if (aig == NULL) return;
    weir_map_free(&aig->by_operands);
    free(aig->node);
    free(aig);
}

static node *add_node(weir_aig *aig, weir_literal a, weir_literal b) {
    assert(a / 2 < aig->count && b / 2 < aig->count);
    aig->node = weir_grow_zeroed(aig->node, &aig->capacity, aig->count + 1, sizeof *aig->node);
    node *n = &aig->node[aig->count++];
    n->a = a;
    n->b = b;
    return n;
}

weir_literal weir_aig_input(weir_aig *aig) {
    node *n = add_node(aig, 0, 0);
    for (size_t w = 0; w < WEIR_AIG_WORDS; w++) n->values[w] = weir_random_next(&aig->random);
    aig->inputs++;
    return (weir_literal)(2 * (aig->count - 1));
}

uint64_t weir_aig_word(const weir_aig *aig, weir_literal literal, size_t word) {
    assert(literal / 2 < aig->count && word < WEIR_AIG_WORDS);
    return aig->node[literal / 2].values[word] ^ (literal & 1 ? UINT64_MAX : 0);
}

bool weir_aig_looks_equal(const weir_aig *aig, weir_literal a, weir_literal b) {
    assert(a / 2 < aig->count && b / 2 < aig->count);
    for (size_t w = 0; w < WEIR_AIG_WORDS; w++) {
        if (weir_aig_word(aig, a, w) != weir_aig_word(aig, b, w)) return false;
    }
    return true;
}

static void simulate_node(weir_aig *aig, node *n) {
    assert(n >= aig->node && n < aig->node + aig->count);
    for (size_t w = 0; w < WEIR_AIG_WORDS; w++)
        n->values[w] = weir_aig_word(aig, n->a, w) & weir_aig_word(aig, n->b, w);
}

void weir_aig_set_words(weir_aig *aig, weir_literal input, const uint64_t words[WEIR_AIG_WORDS]) {
    assert(weir_aig_is_input(aig, input) && (input & 1) == 0);
    for (size_t w = 0; w < WEIR_AIG_WORDS; w++) aig->node[input / 2].values[w] = words[w];
}

void weir_aig_simulate(weir_aig *aig) {
    assert(aig->count > 0);
    for (size_t i = 1; i < aig->count; i++) {
        if (aig->node[i].a != 0) simulate_node(aig, &aig->node[i]);
    }
}

void weir_aig_mark(const weir_aig *aig, bool *marked) {
    for (size_t i = 1; i < aig->count; i++) {
        if (aig->node[i].a != 0) marked[i] = marked[aig->node[i].a / 2] || marked[aig->node[i].b / 2];
    }
}

size_t weir_aig_nodes(const weir_aig *aig) { return aig->count; }

weir_literal weir_aig_and(weir_aig *aig, weir_literal a, weir_literal b) {
    assert(a / 2 < aig->count && b / 2 < aig->count);
    if (a < b) return weir_aig_and(aig, b, a);
    if (b == WEIR_LITERAL_FALSE || a == weir_literal_not(b)) return WEIR_LITERAL_FALSE;
    if (b == WEIR_LITERAL_TRUE || a == b) return a;
    uint64_t *found = weir_map_put(&aig->by_operands, (uint64_t)a << 32 | b);
    if (*found != 0) return (weir_literal)*found;
    *found = 2 * aig->count;
    const weir_literal made = (weir_literal)*found;
    simulate_node(aig, add_node(aig, a, b));
    return made;
}

weir_literal weir_aig_or(weir_aig *aig, weir_literal a, weir_literal b) {
    return weir_literal_not(weir_aig_and(aig, weir_literal_not(a), weir_literal_not(b)));
}

weir_literal weir_aig_mux(weir_aig *aig, weir_literal select, weir_literal when_1, weir_literal when_0) {
    assert(select / 2 < aig->count && when_1 / 2 < aig->count && when_0 / 2 < aig->count);
    return weir_aig_or(aig, weir_aig_and(aig, select, when_1), weir_aig_and(aig, weir_literal_not(select), when_0));
}

weir_literal weir_aig_xor(weir_aig *aig, weir_literal a, weir_literal b) {
    return weir_aig_mux(aig, a, weir_literal_not(b), b);
}

weir_literal *weir_aig_without(weir_aig *aig, const bool *marked) {
    const size_t count = aig->count;
    weir_literal *without = weir_calloc(count, sizeof *without);
    for (size_t i = 1; i < count; i++) {
        const weir_literal a = aig->node[i].a, b = aig->node[i].b;
        assert(a / 2 < i && b / 2 < i); /* operands first */
        if (a != 0) without[i] = weir_aig_and(aig, without[a / 2] ^ (a & 1), without[b / 2] ^ (b & 1));
        else if (!marked[i]) without[i] = (weir_literal)(2 * i);
    }
    return without;
}

bool weir_aig_is_input(const weir_aig *aig, weir_literal literal) {
    assert(literal / 2 < aig->count);
    return literal > WEIR_LITERAL_TRUE && aig->node[literal / 2].a == 0;
}

/* --- AIGER --- */

/* Inputs first, then gates in the order in which they were made. */
static uint32_t *number_nodes(const weir_aig *aig) {
    uint32_t *number = weir_calloc(aig->count, sizeof *number), inputs = 0, gates = (uint32_t)aig->inputs;
    for (size_t i = 1; i < aig->count; i++) number[i] = aig->node[i].a == 0 ? ++inputs : ++gates;
    return number;
}

static weir_literal numbered(const uint32_t *number, weir_literal literal) {
    return 2 * number[literal / 2] + (literal & 1);
}

static void add_difference(weir_text *text, uint32_t value) {
    for (; value >= 128; value >>= 7) weir_text_char(text, (char)(unsigned char)(value | 128));
    weir_text_char(text, (char)value);
}

bool weir_aig_write(const weir_aig *aig, const weir_literal *outputs, size_t count, const char *path) {
    uint32_t *number = number_nodes(aig);
    weir_text text = {NULL, 0, 0};
    weir_text_format(&text, "aig %zu %zu 0 %zu %zu\n", aig->count - 1, aig->inputs, count,
                     aig->count - 1 - aig->inputs);
    for (size_t i = 0; i < count; i++) weir_text_format(&text, "%u\n", (unsigned)numbered(number, outputs[i]));
    for (size_t i = 1; i < aig->count; i++) {
        const node *n = &aig->node[i];
        if (n->a == 0) continue;
        const weir_literal own = 2 * number[i], x = numbered(number, n->a), y = numbered(number, n->b);
        add_difference(&text, own - (x > y ? x : y));
        add_difference(&text, x > y ? x - y : y - x);
    }
    const bool fine = weir_file_write(path, text.data, text.size);
    weir_text_free(&text);
    free(number);
    return fine;
}
