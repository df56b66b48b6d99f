#include "dataflow/contents.h"

#include <stdlib.h>
#include <string.h>

#include "dataflow/component.h"
#include "dataflow/memory.h"
#include "dataflow/stream.h"
#include "support/arena.h"
#include "support/hash.h"

/* Larger memories in logic are not searched for equal columns: of so many words few are. */
enum { SEARCHED_BITS = 1 << 16 };

/* Lines that are read before it is first asked whether more are needed: random columns mostly differ by then. */
enum { FIRST_LINES = 32 };

/* Of a line's part in the hash of a column: never 0. */
#define SEED UINT64_C(0x2545f4914f6cdd1d)

/* --- columns --- */

/* Columns of one part of a field of the lines, at one of their places for words. */
typedef struct part {
    int64_t place, field;
    bool upper;
    int bits;             /* of which those above the 63rd repeat it */
    uint64_t ones, zeros; /* bits that are somewhere one, zero */
    uint64_t *hash;       /* of each column, where equal ones are searched for */
} part;

enum { WORD_BITS = 64 };

/* The memory whose columns are counted. */
typedef struct reading {
    const weir_graph *graph;
    weir_node node;
    const weir_memory *memory;
    weir_memory_content *content; /* of the component's rules */
    bool searched;                /* for equal columns */
} reading;

/* The part's stored bits in a word, from the lowest. */
static uint64_t stored(const reading *r, int64_t word, const part *p) {
    int64_t upper = 0;
    const int64_t lower = r->content(r->graph, r->node, r->memory, word, p->field, &upper);
    return (uint64_t)(p->upper ? upper : lower >> r->memory->is_odd);
}

static uint64_t mask_of(const part *p) { return p->bits < WORD_BITS ? (UINT64_C(1) << p->bits) - 1 : UINT64_MAX; }

static bool all_vary(const part *p) { return (p->ones & p->zeros & mask_of(p)) == mask_of(p); }

/* Its words of some lines, one after the other; where the last line has no word at the place, it holds zeros. */
static void visit_words(const reading *r, int64_t line, int64_t end, part *p) {
    const int bits = p->bits < WORD_BITS ? p->bits : WORD_BITS;
    for (; line < end; line++) {
        const int64_t word = line * r->memory->side + p->place;
        const uint64_t value = word < r->memory->depth ? stored(r, word, p) : 0;
        const uint64_t of_line = r->searched ? weir_hash_mix(weir_hash_mix(SEED, (uint64_t)line), SEED) : 0;
        p->ones |= value;
        p->zeros |= ~value;
        for (int i = 0; r->searched && i < bits; i++)
            if ((value >> i & 1) != 0) p->hash[i] += of_line;
        if (!r->searched && all_vary(p)) break;
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

static int64_t count_parts(const part *parts, int64_t count, uint8_t *bit, uint64_t *hash) {
    counting c = {bit, hash, 0};
    for (int64_t i = 0; i < count; i++) count_part(&c, &parts[i]);
    return c.varying;
}

/* Do all columns vary, and all differ, by the lines that were read? No other line changes that. */
static bool is_settled(const part *parts, int64_t count, int64_t columns, uint64_t *hash) {
    for (int64_t i = 0; i < count; i++)
        if (parts[i].bits > WORD_BITS || !all_vary(&parts[i])) return false;
    const int64_t varying = count_parts(parts, count, NULL, hash);
    return varying == columns && count_distinct(hash, (size_t)varying) == columns;
}

/* Reads ever more lines of all parts until more of them cannot matter. */
static void read_parts(const reading *r, part *parts, int64_t count, int64_t columns, uint64_t *hash) {
    const int64_t lines = weir_ceil_divide(r->memory->depth, r->memory->side);
    for (int64_t line = 0, end; line < lines; line = end) {
        end = line == 0 ? FIRST_LINES : 2 * line;
        if (!r->searched || end > lines) end = lines;
        for (int64_t i = 0; i < count; i++) visit_words(r, line, end, &parts[i]);
        if (end < lines && is_settled(parts, count, columns, hash)) break;
    }
}

weir_contents_columns weir_contents_count(const weir_graph *graph, weir_node node, const weir_memory *memory,
                                          uint8_t *bit) {
    const reading r = {graph, node, memory, weir_component_of(graph, node)->rules->content,
                       memory->storage != WEIR_STORAGE_BLOCK &&
                           memory->depth * memory->width <= (int64_t)SEARCHED_BITS};
    part *parts = weir_calloc((size_t)(2 * memory->side * memory->fields), sizeof *parts);
    int64_t count = 0, columns = 0;
    for (int64_t i = 0; i < memory->side * memory->fields; i++) {
        for (int upper = 0; upper < 2; upper++) {
            part p = {.place = i / memory->fields, .field = i % memory->fields, .upper = upper == 1};
            p.bits = p.upper ? memory->field_bits - memory->low_bits : memory->low_bits - memory->is_odd;
            if (p.bits > 0) parts[count++] = p;
            columns += p.bits;
        }
    }
    uint64_t *hash = r.searched ? weir_calloc((size_t)columns, sizeof *hash) : NULL;
    uint64_t *hashes = r.searched ? weir_calloc((size_t)count * WORD_BITS, sizeof *hashes) : NULL;
    for (int64_t i = 0; r.searched && i < count; i++) parts[i].hash = &hashes[i * WORD_BITS];
    read_parts(&r, parts, count, columns, hash);
    const int64_t varying = count_parts(parts, count, bit, hash);
    const int64_t distinct = r.searched ? count_distinct(hash, (size_t)varying) : varying;
    free(parts);
    free(hashes);
    free(hash);
    return (weir_contents_columns){varying, distinct};
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
    for (size_t i = 0; i < count; i++) hash = weir_hash_mix(hash, (uint64_t)fact[i].value);
    weir_memory memory;
    for (size_t i = 0; weir_memory_get(graph, node, i, &memory); i++) {
        const weir_contents_columns columns = weir_contents_count(graph, node, &memory, NULL);
        hash = weir_hash_mix(weir_hash_mix(hash, (uint64_t)columns.varying), (uint64_t)columns.distinct);
    }
    return hash;
}
