#include "dataflow/cost/contents.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/component.h"
#include "dataflow/cost/contents_tables.h"
#include "dataflow/cost/target.h"
#include "dataflow/memory.h"
#include "dataflow/schedule/stream.h"
#include "support/memory/arena.h"
#include "support/memory/hash.h"

/* Larger memories in logic are not searched for equal columns: of so many words few are. */
enum { SEARCHED_BITS = 1 << 16 };

/* Lines that are read before it is first asked whether more are needed: random columns mostly differ by then. After
 * these, so many more each time as a word has bits. */
enum { FIRST_LINES = 32, WORD_BITS = WEIR_CONTENTS_WORD };

/* --- columns --- */

/* Columns of one part of a field of the lines, at one of their places for words. */
typedef struct part {
    int64_t place, field;
    bool upper;
    int bits;             /* of which those above the 63rd repeat it */
    uint64_t ones, zeros; /* bits that are somewhere one, zero */
    uint64_t *hash;       /* of each column, where equal ones are searched for */
    uint64_t *words;      /* of each column all lines, where these are kept */
} part;

/* The memory whose columns are counted. */
typedef struct reading {
    const weir_graph *graph;
    weir_node node;
    const weir_memory *memory;
    weir_memory_content *content; /* of the component's rules */
    int64_t lines;
    bool searched;          /* for equal columns */
    bool kept;              /* all lines, as words */
    int64_t *lower, *upper; /* of the fields of a word */
    int64_t stride;         /* the most lines at hand */
    uint64_t *value;        /* where it is searched, of the lines at hand, `stride` for each part */
} reading;

static int64_t words_of(const reading *r) { return weir_ceil_divide(r->lines, WORD_BITS); }

static bool is_small(const weir_memory *memory) { return memory->depth * memory->width <= (int64_t)SEARCHED_BITS; }

static uint64_t mask_of(const part *p) {
    assert(p->bits >= 1);
    return p->bits < WORD_BITS ? (UINT64_C(1) << p->bits) - 1 : UINT64_MAX;
}

static bool all_vary(const part *p) { return (p->ones & p->zeros & mask_of(p)) == mask_of(p); }

/* Adds the stored bits of all parts, which lie in the order of places, on some lines; where the last line has no word
 * at a place, zeros. */
static void read_lines(const reading *r, part *parts, int64_t count, int64_t line, int64_t end) {
    assert(line >= 0 && line <= end && end <= r->lines);
    const int odd = r->memory->is_odd;
    for (int64_t i = 0; line < end; line++, i++) {
        int64_t place = -1;
        if (r->memory->side == 1 && count == r->memory->fields && !parts[0].upper) { /* a lower part each */
            r->content(r->graph, r->node, r->memory, line % r->memory->period, r->lower, r->upper);
            for (int64_t k = 0; k < count; k++) {
                const uint64_t stored = (uint64_t)(r->lower[k] >> odd);
                parts[k].ones |= stored;
                parts[k].zeros |= ~stored;
                if (r->searched) r->value[k * r->stride + i] = stored;
            }
            continue;
        }
        for (int64_t k = 0; k < count; k++) {
            part *p = &parts[k];
            const int64_t word = line * r->memory->side + p->place;
            const bool exists = word < r->memory->depth;
            if (exists && p->place != place)
                r->content(r->graph, r->node, r->memory, word % r->memory->period, r->lower, r->upper);
            place = p->place;
            const int64_t field = p->upper ? r->upper[p->field] : r->lower[p->field] >> odd;
            const uint64_t stored = exists ? (uint64_t)field : 0;
            p->ones |= stored;
            p->zeros |= ~stored;
            if (r->searched) r->value[k * r->stride + i] = stored;
        }
    }
}

/* Bit i of byte k becomes bit k of byte i (Warren, Hacker's Delight, 7-3). */
static uint64_t transpose(uint64_t bytes) {
    uint64_t t = (bytes ^ bytes >> 7) & UINT64_C(0x00aa00aa00aa00aa);
    bytes ^= t ^ t << 7;
    t = (bytes ^ bytes >> 14) & UINT64_C(0x0000cccc0000cccc);
    bytes ^= t ^ t << 14;
    t = (bytes ^ bytes >> 28) & UINT64_C(0x00000000f0f0f0f0);
    return bytes ^ t ^ t << 28;
}

/* Eight columns on eight lines or fewer, a byte each, from bit `first` of the values on. */
static uint64_t columns_at(const uint64_t *value, int64_t lines, int first) {
    uint64_t bytes = 0;
    for (int k = 0; k < 8 && k < lines; k++) bytes |= (value[k] >> first & 0xff) << 8 * k;
    return transpose(bytes);
}

/* Adds eight columns of a part, from bit `first` of its values on, to their hashes; those of word `word` are kept. */
static void hash_columns(const reading *r, part *p, const uint64_t *value, int64_t lines, int first, int64_t word) {
    assert(first >= 0 && first < p->bits && first < WORD_BITS && lines >= 1 && lines <= WORD_BITS);
    uint64_t column[8] = {0};
    for (int64_t i = 0; i < lines; i += 8) {
        const uint64_t bytes = columns_at(value + i, lines - i, first);
        for (int k = 0; k < 8; k++) column[k] |= (bytes >> 8 * k & 0xff) << i;
    }
    for (int k = 0; k < 8 && first + k < p->bits; k++) {
        p->hash[first + k] = weir_hash_mix(p->hash[first + k], column[k]);
        if (r->kept) p->words[(first + k) * words_of(r) + word] = column[k];
    }
}

static void hash_lines(const reading *r, part *p, const uint64_t *value, int64_t line, int64_t end) {
    assert(line >= 0 && line < end);
    for (int first = 0; first < p->bits && first < WORD_BITS; first += 8)
        hash_columns(r, p, value, end - line, first, line / WORD_BITS);
}

/* Of columns of so many lines, which are not more than there are words of as many bits. */
static int64_t count_distinct(const uint64_t *hash, size_t count, int64_t lines) {
    assert(lines >= 0);
    size_t size = 2;
    while (size < 2 * count && lines-- > 0) size *= 2;
    uint64_t *slot = weir_calloc(size, sizeof *slot); /* 0: none, so that hash is counted apart */
    int64_t distinct = 0;
    bool zero = false;
    for (size_t i = 0; i < count; i++) {
        size_t at = hash[i] & (size - 1);
        while (slot[at] != 0 && slot[at] != hash[i]) at = (at + 1) & (size - 1);
        distinct += hash[i] != 0 && slot[at] == 0;
        slot[at] = hash[i];
        zero |= hash[i] == 0;
    }
    free(slot);
    return distinct + zero;
}

typedef struct counting {
    uint8_t *bit;   /* NULL, or of the next column */
    uint64_t *hash; /* NULL, or of the columns that vary */
    int64_t varying;
} counting;

/* Where states are asked for column by column, and of parts that are wider than a word. */
static void count_columns(counting *c, const part *p) {
    for (int k = 0; k < p->bits; k++) {
        const int column = k < WORD_BITS ? k : WORD_BITS - 1;
        const bool one = (p->ones >> column & 1) != 0, varies = one && (p->zeros >> column & 1) != 0;
        if (c->bit != NULL) *c->bit++ = (uint8_t)(varies ? WEIR_CONTENTS_VARIES : one);
        if (varies && c->hash != NULL) c->hash[c->varying] = p->hash[column];
        c->varying += varies;
    }
}

static void count_part(counting *c, const part *p) {
    if (c->bit != NULL || p->bits > WORD_BITS) {
        count_columns(c, p);
        return;
    }
    for (uint64_t varying = p->ones & p->zeros & mask_of(p); varying != 0; varying &= varying - 1) {
        if (c->hash != NULL) c->hash[c->varying] = p->hash[__builtin_ctzll(varying)];
        c->varying++;
    }
}

static int64_t count_parts(const part *parts, int64_t count, uint8_t *bit, uint64_t *hash) {
    counting c = {bit, hash, 0};
    for (int64_t i = 0; i < count; i++) count_part(&c, &parts[i]);
    return c.varying;
}

/* Do all columns vary, and all differ where that is asked, by the lines that were read? No other line changes that. */
static bool is_settled(const reading *r, const part *parts, int64_t count, int64_t columns, int64_t lines,
                       uint64_t *hash) {
    for (int64_t i = 0; i < count; i++)
        if (parts[i].bits > WORD_BITS || !all_vary(&parts[i])) return false;
    if (!r->searched) return true;
    count_parts(parts, count, NULL, hash);
    return count_distinct(hash, (size_t)columns, lines) == columns;
}

/* Reads lines of all parts until more of them cannot matter: true where that is before the end, since all columns vary
 * and differ. */
static bool read_parts(const reading *r, part *parts, int64_t count, int64_t columns, uint64_t *hash) {
    for (int64_t line = 0, end; line < r->lines; line = end) {
        end = line == 0 && !r->kept ? FIRST_LINES : line + WORD_BITS;
        if (end > r->lines) end = r->lines;
        read_lines(r, parts, count, line, end);
        for (int64_t i = 0; r->searched && i < count; i++)
            hash_lines(r, &parts[i], &r->value[i * r->stride], line, end);
        if (end < r->lines && !r->kept && is_settled(r, parts, count, columns, end, hash)) return true;
    }
    return false;
}

/* The parts of a line, in the order of places; `*columns`: of all. */
static part *parts_of(const weir_memory *memory, int64_t *count, int64_t *columns) {
    assert(memory->side >= 1 && memory->fields >= 1);
    part *parts = weir_malloc((size_t)(2 * memory->side * memory->fields) * sizeof *parts);
    *count = *columns = 0;
    for (int64_t i = 0; i < memory->side * memory->fields; i++) {
        for (int upper = 0; upper < 2; upper++) {
            part p = {.place = i / memory->fields, .field = i % memory->fields, .upper = upper == 1};
            p.bits = p.upper ? memory->field_bits - memory->low_bits : memory->low_bits - memory->is_odd;
            if (p.bits > 0) parts[(*count)++] = p;
            *columns += p.bits;
        }
    }
    return parts;
}

/* Room for all lines of the columns that are not known to repeat another, which are `*columns`: heap memory. */
static uint64_t *keep_words(const reading *r, part *parts, int64_t count, int64_t *columns) {
    *columns = 0;
    for (int64_t i = 0; i < count; i++) *columns += parts[i].bits < WORD_BITS ? parts[i].bits : WORD_BITS;
    uint64_t *words = weir_calloc((size_t)(*columns * words_of(r)), sizeof *words), *at = words;
    for (int64_t i = 0; i < count; i++) {
        parts[i].words = at;
        at += words_of(r) * (parts[i].bits < WORD_BITS ? parts[i].bits : WORD_BITS);
    }
    return words;
}

enum { FEW_LINES = 8 };

/* All columns of a memory of so few lines that each is a number below 256; no part is wider than a word. */
static weir_contents_columns count_few(const reading *r, part *parts, int64_t count) {
    assert(r->lines >= 1 && r->lines < WORD_BITS);
    const uint64_t all = (UINT64_C(1) << r->lines) - 1;
    uint64_t known[4] = {0};
    weir_contents_columns columns = {0, 0};
    read_lines(r, parts, count, 0, r->lines);
    for (int64_t i = 0; i < count; i++) {
        for (int first = 0; first < parts[i].bits; first += 8) {
            uint64_t bytes = columns_at(&r->value[i * r->stride], r->lines, first);
            for (int k = first; k < first + 8 && k < parts[i].bits; k++, bytes >>= 8) {
                const uint64_t column = bytes & 0xff;
                if (column == 0 || column == all) continue;
                known[column / 64] |= UINT64_C(1) << column % 64;
                columns.varying++;
            }
        }
    }
    for (int i = 0; i < 4; i++) columns.distinct += __builtin_popcountll(known[i]);
    return columns;
}

static bool are_words(const part *parts, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (parts[i].bits > WORD_BITS) return false;
    return true;
}

/* Counts the columns; where `tables` is not NULL, of a searched memory, also their lookup tables with so many
 * inputs. */
static weir_contents_columns count_all(const weir_graph *graph, weir_node node, const weir_memory *memory,
                                       bool searched, uint8_t *bit, int64_t inputs, weir_contents_tables *tables) {
    reading r = {.graph = graph,
                 .node = node,
                 .memory = memory,
                 .content = weir_component_of(graph, node)->rules->content,
                 .lines = weir_ceil_divide(memory->depth, memory->side),
                 .kept = tables != NULL};
    if (r.lines == 1 && bit == NULL && !r.kept) return (weir_contents_columns){0, 0}; /* no column varies */
    r.searched = searched && r.lines > 1;
    int64_t count, columns;
    part *parts = parts_of(memory, &count, &columns);
    r.lower = weir_calloc(2 * (size_t)memory->fields, sizeof *r.lower);
    r.upper = r.lower + memory->fields;
    r.stride = r.lines < WORD_BITS ? r.lines : WORD_BITS;
    r.value = r.searched ? weir_malloc((size_t)(count * r.stride) * sizeof *r.value) : NULL;
    if (r.searched && r.lines <= FEW_LINES && bit == NULL && !r.kept && are_words(parts, count)) {
        const weir_contents_columns few = count_few(&r, parts, count);
        free(r.lower);
        free(r.value);
        free(parts);
        return few;
    }
    uint64_t *hash = r.searched ? weir_malloc((size_t)columns * sizeof *hash) : NULL;
    uint64_t *hashes = r.searched ? weir_calloc((size_t)columns, sizeof *hashes) : NULL, *of_part = hashes;
    for (int64_t i = 0; r.searched && i < count; of_part += parts[i++].bits) parts[i].hash = of_part;
    int64_t kept = 0;
    uint64_t *words = r.kept ? keep_words(&r, parts, count, &kept) : NULL;
    const bool all = read_parts(&r, parts, count, columns, hash);
    const int64_t varying = all && bit == NULL ? columns : count_parts(parts, count, bit, hash);
    const int64_t distinct = all || !r.searched ? varying : count_distinct(hash, (size_t)varying, r.lines);
    if (r.kept) *tables = weir_contents_tables_count(words, (size_t)kept, r.lines, inputs);
    free(r.lower);
    free(r.value);
    free(parts);
    free(words);
    free(hashes);
    free(hash);
    return (weir_contents_columns){varying, distinct};
}

weir_contents_columns weir_contents_count(const weir_graph *graph, weir_node node, const weir_memory *memory,
                                          uint8_t *bit) {
    const bool searched = memory->storage != WEIR_STORAGE_BLOCK && is_small(memory);
    return count_all(graph, node, memory, searched, bit, 0, NULL);
}

/* --- counted once --- */

void weir_contents_forget(weir_contents_counted *counted) {
    weir_map_free(&counted->number);
    free(counted->facts);
    *counted = (weir_contents_counted){.facts = NULL};
}

/* What contents depend on (component.h), where `values` stands for what is in them, beside the numbers of memories. */
static uint64_t folding_of(const weir_graph *graph, weir_node node, uint64_t values) {
    const weir_component *component = weir_component_of(graph, node);
    weir_meta_hardware h = weir_node_metadata_of(graph, node)->hardware;
    weir_component_setting_set_as(component->rules, &h, WEIR_SETTING_PRODUCTS, 0);
    weir_component_setting_set_as(component->rules, &h, WEIR_SETTING_PIECES, 0);
    values = weir_hash_mix(weir_hash_mix(values, (uint64_t)h.in_lanes), (uint64_t)h.out_lanes);
    return weir_hash_mix_text(weir_settings_hash(&h.settings, values), component->module);
}

/* And the columns of one of them. */
static uint64_t layout_of(uint64_t folding, const weir_memory *memory) {
    const int64_t number[] = {(int64_t)memory->index,
                              memory->depth,
                              memory->fields,
                              memory->field_bits,
                              memory->low_bits,
                              memory->side,
                              memory->is_odd + 2 * memory->in_pairs};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) folding = weir_hash_mix(folding, (uint64_t)number[i]);
    return folding;
}

/* `folding`: of the node where `known` is not NULL. */
static weir_contents_columns columns_of(const weir_graph *graph, weir_node node, const weir_memory *memory,
                                        const weir_contents_known *known, uint64_t folding) {
    enum { HALF = 32 };
    if (weir_graph_patchable(graph)) return (weir_contents_columns){memory->width, memory->width};
    if (known == NULL) return weir_contents_count(graph, node, memory, NULL);
    uint64_t *columns = weir_map_put(&known->counted->number, layout_of(folding, memory));
    if (*columns == 0) {
        const weir_contents_columns counted = count_all(graph, node, memory, is_small(memory), NULL, 0, NULL);
        assert(counted.varying < INT64_C(1) << (HALF - 1));
        *columns = (uint64_t)counted.varying << HALF | (uint64_t)(counted.distinct + 1);
    }
    const int64_t varying = (int64_t)(*columns >> HALF), distinct = (int64_t)(*columns & UINT32_MAX) - 1;
    return (weir_contents_columns){varying, memory->storage == WEIR_STORAGE_BLOCK ? varying : distinct};
}

/* Inputs of the target's lookup tables where a column of the memory takes several of these and it is worth counting
 * them, else 0. */
static int64_t inputs_for(const weir_graph *graph, const weir_memory *memory) {
    const weir_device *device = weir_target_of(graph).device;
    if (device == NULL || memory->storage == WEIR_STORAGE_BLOCK || !is_small(memory)) return 0;
    return weir_ceil_divide(memory->depth, memory->side) > (int64_t)1 << device->luts.inputs ? device->luts.inputs : 0;
}

static weir_contents_tables count_tables(const weir_graph *graph, weir_node node, const weir_memory *memory,
                                         int64_t inputs, const weir_contents_known *known, uint64_t folding) {
    enum { HALF = 32, TABLES = 1 };
    weir_contents_tables tables;
    uint64_t *counted = NULL;
    if (known != NULL)
        counted = weir_map_put(&known->counted->number, weir_hash_mix(layout_of(folding, memory), TABLES));
    if (counted == NULL || *counted == 0) count_all(graph, node, memory, true, NULL, inputs, &tables);
    else tables = (weir_contents_tables){(int64_t)(*counted >> HALF) - 1, (int64_t)(*counted & UINT32_MAX)};
    if (counted != NULL) *counted = (uint64_t)(tables.leaves + 1) << HALF | (uint64_t)tables.choices;
    return tables;
}

/* --- facts --- */

/* Are all pieces of a beat done in one cycle? */
static bool is_whole(const weir_component_rules *rules, const weir_graph *graph, weir_node node) {
    const weir_meta_hardware *h = &weir_node_metadata_of(graph, node)->hardware;
    const int64_t pieces = rules->pieces == NULL ? 1 : rules->pieces(graph, node);
    return weir_component_setting_value_as(rules, h, WEIR_SETTING_PIECES) >= pieces;
}

/* `folding`: of the node where `known` is not NULL. */
static size_t facts_of(const weir_graph *graph, weir_node node, const weir_contents_known *known, uint64_t folding,
                       weir_cost_parameter *fact) {
    enum { FACTS = 3 };
    const weir_component_rules *rules = weir_component_of(graph, node)->rules;
    if (rules->facts == NULL) return 0;
    if (known == NULL) return rules->facts(graph, node, fact);
    const uint64_t storage = weir_node_metadata_of(graph, node)->hardware.storage;
    const uint64_t key = weir_hash_mix(weir_hash_mix(folding, 2 * storage + is_whole(rules, graph, node)), FACTS);
    weir_contents_counted *counted = known->counted;
    uint64_t *place = weir_map_put(&counted->number, key);
    if (*place == 0) {
        counted->facts =
            weir_grow(counted->facts, &counted->facts_capacity, counted->facts_count + 1, sizeof *counted->facts);
        weir_contents_facts *made = &counted->facts[counted->facts_count++];
        made->count = rules->facts(graph, node, made->fact);
        *place = counted->facts_count;
    }
    const weir_contents_facts *facts = &counted->facts[*place - 1];
    memcpy(fact, facts->fact, facts->count * sizeof *fact);
    return facts->count;
}

/* Is that the file of the memory (memory.h)? */
static bool is_file_of(const char *file, const weir_memory *memory) {
    static const char ending[] = ".hex";
    const size_t size = strlen(file), suffix = strlen(memory->suffix), end = sizeof ending - 1;
    return size > suffix + end && file[size - end - suffix - 1] == '_' &&
           strncmp(file + size - end - suffix, memory->suffix, suffix) == 0;
}

/* The memory of the file; false: it is of none. Of many memories most have their number at the end of the name. */
static bool find_memory(const weir_graph *graph, weir_node node, const char *file, weir_memory *memory) {
    const char *digits = strrchr(file, '_');
    const size_t number = digits != NULL ? strtoul(digits + 1, NULL, 10) : 0;
    if (number > 0 && weir_memory_get(graph, node, number, memory) && is_file_of(file, memory)) return true;
    for (size_t i = 0; weir_memory_get(graph, node, i, memory); i++)
        if (is_file_of(file, memory)) return true;
    return false;
}

size_t weir_contents_add(const weir_graph *graph, weir_node node, const char *file, const weir_contents_known *known,
                         weir_cost_parameter *parameter, size_t count) {
    const uint64_t folding = known == NULL ? 0 : folding_of(graph, node, known->values);
    count += facts_of(graph, node, known, folding, parameter + count);
    weir_memory memory;
    if (file == NULL || !find_memory(graph, node, file, &memory)) return count;
    const weir_contents_columns columns = columns_of(graph, node, &memory, known, folding);
    parameter[count++] = (weir_cost_parameter){"VARYING", columns.varying};
    parameter[count++] = (weir_cost_parameter){"DISTINCT", columns.distinct};
    const int64_t inputs = inputs_for(graph, &memory);
    if (inputs == 0) return count;
    const weir_contents_tables tables = count_tables(graph, node, &memory, inputs, known, folding);
    parameter[count++] = (weir_cost_parameter){"LEAVES", tables.leaves};
    parameter[count++] = (weir_cost_parameter){"CHOICES", tables.choices};
    return count;
}

/* The same, each time anew. */
static uint64_t hash_all(const weir_graph *graph, weir_node node, const weir_contents_known *known, uint64_t folding) {
    weir_cost_parameter fact[WEIR_CONTENTS_FACTS];
    const size_t count = facts_of(graph, node, known, folding, fact);
    uint64_t hash = 0;
    for (size_t i = 0; i < count; i++) hash = weir_hash_mix(hash, (uint64_t)fact[i].value);
    weir_memory memory;
    for (size_t i = 0; weir_memory_get(graph, node, i, &memory); i++) {
        const weir_contents_columns columns = columns_of(graph, node, &memory, known, folding);
        hash = weir_hash_mix(weir_hash_mix(hash, (uint64_t)columns.varying), (uint64_t)columns.distinct);
        const int64_t inputs = inputs_for(graph, &memory);
        if (inputs == 0) continue;
        const weir_contents_tables tables = count_tables(graph, node, &memory, inputs, known, folding);
        hash = weir_hash_mix(weir_hash_mix(hash, (uint64_t)tables.leaves), (uint64_t)tables.choices);
    }
    return hash;
}

/* Once wherever products are formed. */
uint64_t weir_contents_hash(const weir_graph *graph, weir_node node, const weir_contents_known *known) {
    enum { ALL = 2 };
    const weir_meta_hardware *h = &weir_node_metadata_of(graph, node)->hardware;
    const weir_component_rules *rules = weir_component_of(graph, node)->rules;
    const int64_t pieces = weir_component_setting_value_as(rules, h, WEIR_SETTING_PIECES);
    const uint64_t folding = folding_of(graph, node, known->values);
    const bool is_asked_again = weir_component_setting_as(rules, WEIR_SETTING_PRODUCTS, 0) != NULL;
    if (!is_asked_again) return hash_all(graph, node, known, folding);
    const uint64_t key = weir_hash_mix(weir_hash_mix(weir_hash_mix(folding, h->storage), (uint64_t)pieces), ALL);
    const uint64_t *found = weir_map_find(&known->counted->number, key);
    if (found != NULL) return *found;
    const uint64_t hash = hash_all(graph, node, known, folding);
    *weir_map_put(&known->counted->number, key) = hash;
    return hash;
}
