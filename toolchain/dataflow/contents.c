#include "dataflow/contents.h"

#include <stdlib.h>
#include <string.h>

#include "dataflow/component.h"
#include "dataflow/memory.h"
#include "dataflow/stream.h"
#include "support/arena.h"

/* Larger memories in logic are not searched for equal columns: of so many words few are. */
enum { SEARCHED_BITS = 1 << 16 };

/* Of a line's part in the hash of a column: never 0. */
#define SEED UINT64_C(0x2545f4914f6cdd1d)

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* --- columns --- */

/* Columns of one part of a field of the lines, at one of their places for words. */
typedef struct part {
    int64_t place, field;
    bool upper;
    int bits;             /* of which those above the 63rd repeat it */
    uint64_t ones, zeros; /* bits that are somewhere one, zero */
    uint64_t hash[64];    /* of each column */
} part;

enum { WORD_BITS = 64 };

/* The part's stored bits in a word, from the lowest. */
static uint64_t stored(const weir_graph *graph, weir_node node, const weir_memory *memory, int64_t word,
                       const part *p) {
    int64_t upper = 0;
    const int64_t lower = weir_component_of(graph, node)->rules->content(graph, node, memory, word, p->field, &upper);
    return (uint64_t)(p->upper ? upper : lower >> memory->is_odd);
}

/* Its words line after line; where the last line has no word at the place, it holds zeros. */
static void visit_words(const weir_graph *graph, weir_node node, const weir_memory *memory, bool searched, part *p) {
    const int bits = p->bits < WORD_BITS ? p->bits : WORD_BITS;
    const uint64_t mask = bits < WORD_BITS ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    const int64_t lines = weir_ceil_divide(memory->depth, memory->side);
    for (int64_t line = 0; line < lines; line++) {
        const int64_t word = line * memory->side + p->place;
        const uint64_t value = word < memory->depth ? stored(graph, node, memory, word, p) : 0;
        p->ones |= value;
        p->zeros |= ~value;
        for (int i = 0; searched && i < bits; i++)
            if ((value >> i & 1) != 0) p->hash[i] += mix(mix(SEED, (uint64_t)line), SEED);
        if (!searched && (p->ones & p->zeros & mask) == mask) break;
    }
}

static int by_value(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static int64_t count_distinct(uint64_t *hash, size_t count) {
    int64_t distinct = 0;
    if (count > 0) qsort(hash, count, sizeof *hash, by_value);
    for (size_t i = 0; i < count; i++) distinct += i == 0 || hash[i] != hash[i - 1];
    return distinct;
}

typedef struct counting {
    uint8_t *bit;   /* NULL, or of the next column */
    uint64_t *hash; /* NULL, or of the columns that vary */
    int64_t varying;
} counting;

static void count_part(counting *c, const part *p) {
    for (int k = 0; k < p->bits; k++) {
        const int column = k < WORD_BITS ? k : WORD_BITS - 1;
        const bool one = (p->ones >> column & 1) != 0, varies = one && (p->zeros >> column & 1) != 0;
        if (c->bit != NULL) *c->bit++ = (uint8_t)(varies ? WEIR_CONTENTS_VARIES : one);
        if (varies && c->hash != NULL) c->hash[c->varying] = p->hash[column];
        c->varying += varies;
    }
}

weir_contents_columns weir_contents_count(const weir_graph *graph, weir_node node, const weir_memory *memory,
                                          uint8_t *bit) {
    const bool searched =
        memory->storage != WEIR_STORAGE_BLOCK && memory->depth * memory->width <= (int64_t)SEARCHED_BITS;
    counting c = {bit, searched ? weir_calloc((size_t)(memory->side * memory->width), sizeof *c.hash) : NULL, 0};
    for (int64_t i = 0; i < memory->side * memory->fields; i++) {
        for (int upper = 0; upper < 2; upper++) {
            part p = {.place = i / memory->fields, .field = i % memory->fields, .upper = upper == 1};
            p.bits = p.upper ? memory->field_bits - memory->low_bits : memory->low_bits - memory->is_odd;
            if (p.bits > 0) visit_words(graph, node, memory, searched, &p);
            count_part(&c, &p);
        }
    }
    const int64_t distinct = searched ? count_distinct(c.hash, (size_t)c.varying) : c.varying;
    free(c.hash);
    return (weir_contents_columns){c.varying, distinct};
}

/* --- facts --- */

/* Is that the file of the memory (memory.h)? */
static bool is_file_of(const char *file, const weir_memory *memory) {
    static const char ending[] = ".hex";
    const size_t size = strlen(file), suffix = strlen(memory->suffix), end = sizeof ending - 1;
    return size > suffix + end && file[size - end - suffix - 1] == '_' &&
           strncmp(file + size - end - suffix, memory->suffix, suffix) == 0;
}

size_t weir_contents_add(const weir_graph *graph, weir_node node, const char *file, weir_cost_parameter *parameter,
                         size_t count) {
    const weir_component_rules *rules = weir_component_of(graph, node)->rules;
    if (rules->facts != NULL) count += rules->facts(graph, node, parameter + count);
    weir_memory memory;
    for (size_t i = 0; file != NULL && weir_memory_get(graph, node, i, &memory); i++) {
        if (!is_file_of(file, &memory)) continue;
        const weir_contents_columns columns = weir_contents_count(graph, node, &memory, NULL);
        parameter[count++] = (weir_cost_parameter){"VARYING", columns.varying};
        parameter[count++] = (weir_cost_parameter){"DISTINCT", columns.distinct};
        break;
    }
    return count;
}

uint64_t weir_contents_hash(const weir_graph *graph, weir_node node) {
    const weir_component_rules *rules = weir_component_of(graph, node)->rules;
    weir_cost_parameter fact[WEIR_CONTENTS_FACTS];
    const size_t count = rules->facts == NULL ? 0 : rules->facts(graph, node, fact);
    uint64_t hash = 0;
    for (size_t i = 0; i < count; i++) hash = mix(hash, (uint64_t)fact[i].value);
    weir_memory memory;
    for (size_t i = 0; weir_memory_get(graph, node, i, &memory); i++) {
        const weir_contents_columns columns = weir_contents_count(graph, node, &memory, NULL);
        hash = mix(mix(hash, (uint64_t)columns.varying), (uint64_t)columns.distinct);
    }
    return hash;
}
