/* ROMs of one size are alike, so pairs are chosen among sizes: all pairs of sizes that save blocks, those that save
 * most first and of these the smallest, each as often as both sizes have ROMs left. */
#include "dataflow/pair.h"

#include <assert.h>
#include <stdlib.h>

#include "dataflow/component.h"
#include "dataflow/cost/target.h"
#include "dataflow/memory.h"
#include "dataflow/schedule/stream.h"
#include "support/memory/arena.h"

/* ROMs of one size. */
typedef struct size {
    int64_t width, depth, blocks; /* blocks: of one alone */
    size_t left, next;            /* ROMs that are not paired yet; where to look for the next one of them */
} size;

/* Two sizes whose ROMs save blocks together; a <= b. */
typedef struct candidate {
    size_t a, b;
    int64_t blocks, saved;
} candidate;

typedef struct search {
    const weir_device *device;
    weir_pair_rom *rom; /* in graph order */
    size_t *size_of;    /* by ROM */
    size_t roms, rom_capacity, size_capacity;
    size *size;
    size_t sizes, sizes_capacity;
    candidate *candidate;
    size_t candidates, candidate_capacity;
} search;

/* --- what a pair takes --- */

/* Lines of the array where b begins at the first multiple of its address space behind a: rtl/memory/weir_rom_pair.v. */
static int64_t lines_of(int64_t a_depth, int64_t b_depth) {
    assert(a_depth >= 1 && b_depth >= 1);
    const int64_t page = (int64_t)1 << (b_depth > 1 ? weir_clog2(b_depth) : 1);
    return weir_ceil_divide(a_depth, page) * page + b_depth;
}

static bool is_b_first(int64_t a_depth, int64_t b_depth) {
    return lines_of(b_depth, a_depth) < lines_of(a_depth, b_depth);
}

int64_t weir_pair_blocks(const weir_device *device, const weir_pair *pair) {
    const int64_t width = pair->a.width > pair->b.width ? pair->a.width : pair->b.width;
    const int64_t depth = lines_of(pair->a.depth, pair->b.depth);
    int64_t rows;
    const int64_t blocks = weir_device_dual_port_blocks(device, width, depth);
    return blocks > 0 ? blocks : 2 * weir_device_blocks(device, width, depth, &rows);
}

static weir_pair pair_of(weir_pair_rom a, weir_pair_rom b) {
    return is_b_first(a.depth, b.depth) ? (weir_pair){b, a} : (weir_pair){a, b};
}

/* --- ROMs --- */

static size_t find_size(search *s, int64_t width, int64_t depth, int64_t blocks) {
    assert(width >= 1 && depth >= 1);
    for (size_t i = 0; i < s->sizes; i++)
        if (s->size[i].width == width && s->size[i].depth == depth) return i;
    s->size = weir_grow(s->size, &s->sizes_capacity, s->sizes + 1, sizeof *s->size);
    s->size[s->sizes] = (size){width, depth, blocks, 0, 0};
    return s->sizes++;
}

/* A single word is a constant, and where words are chosen among rows of blocks these are full. */
static void add_memory(search *s, weir_node node, const weir_memory *memory) {
    const int64_t width = memory->side * memory->width, depth = weir_ceil_divide(memory->depth, memory->side);
    if (memory->storage != WEIR_STORAGE_BLOCK || memory->depth == 1) return;
    int64_t rows;
    const int64_t blocks = weir_device_blocks(s->device, width, depth, &rows);
    if (rows > 1) return;
    const size_t at = find_size(s, width, depth, blocks);
    for (int64_t copy = 0; copy < memory->copies; copy++) {
        s->rom = weir_grow(s->rom, &s->rom_capacity, s->roms + 1, sizeof *s->rom);
        s->size_of = weir_grow(s->size_of, &s->size_capacity, s->roms + 1, sizeof *s->size_of);
        s->rom[s->roms] = (weir_pair_rom){node, memory->index, copy, width, depth};
        s->size_of[s->roms++] = at;
        s->size[at].left++;
    }
}

static void add_memories(search *s, const weir_graph *graph) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_stream_role(graph, node) != WEIR_ROLE_COMPONENT) continue;
        weir_memory memory;
        for (size_t i = 0; weir_memory_get(graph, node, i, &memory); i++) add_memory(s, node, &memory);
    }
}

/* --- pairs --- */

static int64_t blocks_of(const search *s, const size *a, const size *b) {
    const weir_pair_rom first = {.width = a->width, .depth = a->depth}, second = {.width = b->width, .depth = b->depth};
    const weir_pair pair = pair_of(first, second);
    return weir_pair_blocks(s->device, &pair);
}

static int most_saved_first(const void *x, const void *y) {
    const candidate *c = x, *d = y;
    if (c->saved != d->saved) return c->saved < d->saved ? 1 : -1;
    if (c->blocks != d->blocks) return c->blocks > d->blocks ? 1 : -1;
    if (c->a != d->a) return c->a > d->a ? 1 : -1;
    return c->b > d->b ? 1 : c->b < d->b ? -1 : 0;
}

static void add_candidates(search *s) {
    for (size_t a = 0; a < s->sizes; a++) {
        for (size_t b = a; b < s->sizes; b++) {
            const int64_t blocks = blocks_of(s, &s->size[a], &s->size[b]);
            const int64_t saved = s->size[a].blocks + s->size[b].blocks - blocks;
            if (saved <= 0) continue;
            s->candidate = weir_grow(s->candidate, &s->candidate_capacity, s->candidates + 1, sizeof *s->candidate);
            s->candidate[s->candidates++] = (candidate){a, b, blocks, saved};
        }
    }
    if (s->candidates > 0) qsort(s->candidate, s->candidates, sizeof *s->candidate, most_saved_first);
}

static weir_pair_rom take(search *s, size_t at) {
    assert(s->size[at].left > 0);
    size *of = &s->size[at];
    while (s->size_of[of->next] != at) of->next++;
    of->left--;
    return s->rom[of->next++];
}

static weir_pairs choose(search *s) {
    weir_pairs pairs = {NULL, 0};
    size_t capacity = 0;
    for (size_t i = 0; i < s->candidates; i++) {
        const candidate *c = &s->candidate[i];
        while (s->size[c->a].left > (c->a == c->b) && s->size[c->b].left > 0) {
            const weir_pair_rom a = take(s, c->a), b = take(s, c->b);
            pairs.item = weir_grow(pairs.item, &capacity, pairs.count + 1, sizeof *pairs.item);
            pairs.item[pairs.count++] = pair_of(a, b);
        }
    }
    return pairs;
}

weir_pairs weir_pair_find(const weir_graph *hardware) {
    search s = {.device = weir_target_of(hardware).device};
    const weir_device_memory *block = s.device == NULL ? NULL : weir_device_block(s.device);
    /* A bitstream's memories are told apart by what each of them holds. */
    if (block == NULL || !block->dual_port || weir_graph_patchable(hardware)) return (weir_pairs){NULL, 0};
    add_memories(&s, hardware);
    add_candidates(&s);
    const weir_pairs pairs = choose(&s);
    free(s.rom);
    free(s.size_of);
    free(s.size);
    free(s.candidate);
    return pairs;
}

void weir_pair_free(weir_pairs *pairs) {
    free(pairs->item);
    *pairs = (weir_pairs){NULL, 0};
}

static bool is_rom(const weir_pair_rom *rom, weir_node node, size_t memory, int64_t copy) {
    return rom->node.id == node.id && rom->memory == memory && rom->copy == copy;
}

size_t weir_pair_of(const weir_pairs *pairs, weir_node node, size_t memory, int64_t copy, bool *is_b) {
    size_t i = 0;
    *is_b = false;
    while (i < pairs->count && !is_rom(&pairs->item[i].a, node, memory, copy)) {
        *is_b = is_rom(&pairs->item[i].b, node, memory, copy);
        if (*is_b) break;
        i++;
    }
    return i;
}
