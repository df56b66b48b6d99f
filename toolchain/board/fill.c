/* A block RAM is physical words of some bits; as a memory of a mode, W bits wide, it has D words, and a column of it is
 * bit i of all of them. Columns are looked up by their bits; marks have at least 64 of these that are random, so that
 * one is not taken for another. */
#include "board/fill.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/component.h"
#include "dataflow/memory.h"
#include "dataflow/schedule/stream.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/memory/hash.h"
#include "support/memory/map.h"
#include "support/text/diag.h"

enum { MAX_WORDS = 2048, MAX_BITS = MAX_WORDS * 9, MAX_MODES = 6, SEEDS = 64 };

typedef struct format {
    int64_t family;      /* weir_device_family */
    const char *keyword; /* of a block's contents */
    int words, bits;     /* physical */
    int digits;          /* of a word in the text */
    int line;            /* words of a line, the lowest last where `descends` */
    bool descends;
    bool is_reversed;     /* the number of a bit in a word is */
    int modes[MAX_MODES]; /* widths; a mode narrower than a word leaves the bits above the last whole group */
} format;

static const format formats[] = {
    /* Project IceStorm, "RAM Tile Documentation": 16 lines of 256 bits. What is narrower than a word has its lowest
     * address in the lowest bits of their number, whose four digits the tile has reversed (Yosys,
     * techlibs/ice40/brams_map.v). */
    {WEIR_DEVICE_ICE40, ".ram_data ", 256, 16, 4, 16, true, true, {16, 8, 4, 2}},
    /* Project Trellis, "Textual Configuration Format": 2,048 words of 9 bits. */
    {WEIR_DEVICE_ECP5, ".bram_init ", 2048, 9, 3, 8, false, false, {36, 18, 9, 4, 2, 1}},
};

static const format *format_of(const weir_device *device) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (formats[i].family == device->family) return &formats[i];
    }
    return NULL;
}

bool weir_fill_is_known(const weir_device *device) { return format_of(device) != NULL; }

void weir_fill_report_unknown(const weir_device *device) {
    weir_error(WEIR_NOWHERE, "parameters cannot be changed in a bitstream for %s", device->title);
    weir_note("the form of memories in placed designs is known only for iCE40 and ECP5");
}

/* --- memories --- */

void weir_fill_add(weir_fill_memories *memories, const char *file, int64_t width, int64_t lines) {
    assert(width >= 1 && lines >= 1);
    memories->item = weir_grow(memories->item, &memories->capacity, memories->count + 1, sizeof *memories->item);
    memories->item[memories->count++] = (weir_fill_memory){weir_copy_string(file), width, lines, 1};
}

void weir_fill_add_graph(weir_fill_memories *memories, const weir_graph *hardware) {
    for (weir_node node = weir_graph_first(hardware); node.id != 0; node = weir_node_next(hardware, node)) {
        if (weir_stream_role(hardware, node) != WEIR_ROLE_COMPONENT) continue;
        weir_memory memory;
        for (size_t i = 0; weir_memory_get(hardware, node, i, &memory); i++) {
            char *file = weir_memory_file(hardware, node, &memory);
            weir_fill_add(memories, file, memory.side * memory.width, weir_ceil_divide(memory.depth, memory.side));
            memories->item[memories->count - 1].copies = memory.copies;
            free(file);
        }
    }
}

void weir_fill_free(weir_fill_memories *memories) {
    for (size_t i = 0; i < memories->count; i++) free(memories->item[i].file);
    free(memories->item);
    *memories = (weir_fill_memories){NULL, 0, 0};
}

static int digit_of(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

uint8_t *weir_fill_read(const weir_fill_memory *memory, const char *folder) {
    char *path = weir_path_join(folder, memory->file);
    size_t size = 0;
    char *text = weir_file_read(path, &size), *at = text;
    uint8_t *bits = weir_calloc((size_t)(memory->width * memory->lines), 1);
    bool fine = text != NULL;
    for (int64_t line = 0; fine && line < memory->lines; line++) {
        const size_t digits = strcspn(at, "\n");
        fine = (int64_t)digits == (memory->width + 3) / 4;
        for (int64_t i = 0; fine && i < memory->width; i++) {
            const int digit = digit_of(at[(int64_t)digits - 1 - i / 4]);
            fine = digit >= 0;
            bits[line * memory->width + i] = (uint8_t)(digit >> i % 4 & 1);
        }
        at += digits + (at[digits] == '\n');
    }
    if (text != NULL && (!fine || *at != '\0')) {
        weir_error(weir_at(path, 0), "expected %lld words of %lld bits", (long long)memory->lines,
                   (long long)memory->width);
        fine = false;
    }
    free(text);
    free(path);
    if (fine) return bits;
    free(bits);
    return NULL;
}

static bool write_bits(const weir_fill_memory *memory, const uint8_t *bits, const char *folder) {
    char *path = weir_path_join(folder, memory->file);
    weir_text text = {NULL, 0, 0};
    for (int64_t line = 0; line < memory->lines; line++) {
        for (int64_t digit = (memory->width + 3) / 4 - 1; digit >= 0; digit--) {
            int value = 0;
            for (int64_t i = 4 * digit; i < 4 * digit + 4 && i < memory->width; i++)
                value |= bits[line * memory->width + i] << i % 4;
            weir_text_char(&text, "0123456789abcdef"[value]);
        }
        weir_text_char(&text, '\n');
    }
    const bool fine = weir_file_write(path, text.data, text.size);
    weir_text_free(&text);
    free(path);
    return fine;
}

/* --- columns --- */

/* Where a column of a mode lies: `depth` words of a memory's column from the `chunk`-th on. */
typedef struct column {
    size_t memory;
    int64_t bit, chunk;
    int mode;
} column;

typedef struct columns {
    const format *format;
    weir_map number; /* of a column's hash: its index + 1 */
    column *item;
    size_t count, capacity;
} columns;

static int64_t depth_of(const format *f, int width) {
    return width >= f->bits ? (int64_t)f->words * f->bits / width : (int64_t)f->words * (f->bits / width);
}

static uint64_t add_bit(uint64_t hash, int64_t word, uint8_t bit) {
    return bit == 0 ? hash : weir_hash_mix(hash, (uint64_t)word + 1);
}

/* False: the column is empty, or like another one, whose number is *other. */
static bool add_column(columns *c, const weir_fill_memory *memory, const uint8_t *bits, column at, size_t *other) {
    const int64_t depth = depth_of(c->format, c->format->modes[at.mode]), first = at.chunk * depth;
    const uint64_t empty = (uint64_t)at.mode;
    uint64_t hash = empty;
    for (int64_t word = 0; word < depth && first + word < memory->lines; word++)
        hash = add_bit(hash, word, bits[(first + word) * memory->width + at.bit]);
    *other = c->count;
    if (hash == empty) return false;
    uint64_t *number = weir_map_put(&c->number, hash);
    if (*number != 0) {
        *other = (size_t)*number - 1;
        return false;
    }
    c->item = weir_grow(c->item, &c->capacity, c->count + 1, sizeof *c->item);
    c->item[c->count++] = at;
    *number = c->count;
    return true;
}

/* In all modes. False: some column is not told apart, from one of memory *other where that is not its own. */
static bool add_columns(columns *c, const weir_fill_memories *memories, size_t index, const uint8_t *bits,
                        size_t *other) {
    const weir_fill_memory *memory = &memories->item[index];
    for (int mode = 0; mode < MAX_MODES && c->format->modes[mode] != 0; mode++) {
        const int64_t depth = depth_of(c->format, c->format->modes[mode]);
        for (int64_t chunk = 0; chunk * depth < memory->lines; chunk++) {
            for (int64_t bit = 0; bit < memory->width; bit++) {
                size_t like;
                if (add_column(c, memory, bits, (column){index, bit, chunk, mode}, &like)) continue;
                *other = like < c->count ? c->item[like].memory : index;
                return false;
            }
        }
    }
    return true;
}

static void free_columns(columns *c) {
    weir_map_free(&c->number);
    free(c->item);
}

/* --- marks --- */

/* SplitMix64 (S. Vigna), a number a bit. */
static void make_marks(const weir_fill_memory *memory, uint64_t seed, uint8_t *bits) {
    uint64_t state = weir_hash_mix_text(seed, memory->file);
    for (int64_t i = 0; i < memory->width * memory->lines; i++) {
        uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        bits[i] = (uint8_t)(z >> 63);
    }
}

/* Marks of the memory that are told apart from those before it: columns of few words may need another try. */
static bool mark(columns *c, const weir_fill_memories *memories, size_t index, const char *folder) {
    const weir_fill_memory *memory = &memories->item[index];
    uint8_t *bits = weir_calloc((size_t)(memory->width * memory->lines), 1);
    size_t other = index;
    bool fine = false;
    for (uint64_t seed = 0; !fine && seed < SEEDS; seed++) {
        columns tried = {c->format, weir_map_copy(&c->number), NULL, 0, 0};
        tried.item = weir_grow(NULL, &tried.capacity, c->count + 1, sizeof *tried.item);
        if (c->count > 0) memcpy(tried.item, c->item, c->count * sizeof *tried.item);
        tried.count = c->count;
        make_marks(memory, seed, bits);
        fine = add_columns(&tried, memories, index, bits, &other);
        columns unused = fine ? *c : tried;
        if (fine) *c = tried;
        free_columns(&unused);
    }
    if (!fine) {
        weir_error(WEIR_NOWHERE, "memories '%s' and '%s' cannot be distinguished in a bitstream", memory->file,
                   memories->item[other].file);
        weir_note("the last words of '%s', which has %lld, are alone in a block: try another folding", memory->file,
                  (long long)memory->lines);
    }
    fine = fine && write_bits(memory, bits, folder);
    free(bits);
    return fine;
}

bool weir_fill_mark(const weir_device *device, const weir_fill_memories *memories, const char *folder) {
    columns c = {.format = format_of(device)};
    assert(c.format != NULL);
    bool fine = true;
    for (size_t i = 0; fine && i < memories->count; i++) fine = mark(&c, memories, i, folder);
    free_columns(&c);
    return fine;
}

/* --- blocks --- */

typedef struct filling {
    const weir_fill_memories *memories;
    columns columns;
    uint8_t **wanted, **seen; /* by memory: bits, and how often each was found */
} filling;

typedef struct block {
    const format *format;
    char *word[MAX_WORDS]; /* its first digit in the text */
    uint8_t bits[MAX_BITS];
} block;

/* Reads the lines behind a keyword; where they end; NULL: they are none. */
static char *read_block(block *b, char *at) {
    const format *f = b->format;
    for (int word = 0; word < f->words; word++) {
        at += strspn(at, " \n");
        const int place = f->descends ? word / f->line * f->line + f->line - 1 - word % f->line : word;
        b->word[place] = at;
        for (int i = 0; i < f->digits; i++) {
            const int digit = digit_of(at[i]);
            if (digit < 0) return NULL;
            for (int bit = 0; bit < 4; bit++) {
                const int above = 4 * (f->digits - 1 - i) + bit;
                if (above < f->bits) b->bits[place * f->bits + above] = (uint8_t)(digit >> bit & 1);
            }
        }
        at += f->digits;
    }
    return at;
}

/* Bit `i` of word `word` of a mode, among the block's bits. */
static int64_t place_of(const format *f, int width, int64_t word, int64_t i) {
    if (f->is_reversed) {
        const int64_t at = word * width + i;
        return at / 16 * 16 + (at >> 3 & 1) + (at >> 1 & 2) + (at << 1 & 4) + (at << 3 & 8);
    }
    if (width >= f->bits) return word * width + i;
    const int64_t each = f->bits / width;
    return word / each * f->bits + word % each * width + i;
}

static void set_bit(const block *b, int64_t place, uint8_t value) {
    const int64_t bit = place % b->format->bits;
    char *digit = &b->word[place / b->format->bits][b->format->digits - 1 - bit / 4];
    const int old = digit_of(*digit), mask = 1 << bit % 4;
    *digit = "0123456789abcdef"[value != 0 ? old | mask : old & ~mask];
}

static void fill_column(filling *f, const block *b, const column *c, int64_t i) {
    const weir_fill_memory *memory = &f->memories->item[c->memory];
    const int width = b->format->modes[c->mode];
    const int64_t depth = depth_of(b->format, width), first = c->chunk * depth;
    for (int64_t word = 0; word < depth && first + word < memory->lines; word++) {
        const int64_t at = (first + word) * memory->width + c->bit;
        if (f->seen[c->memory][at] < UINT8_MAX) f->seen[c->memory][at]++;
        set_bit(b, place_of(b->format, width, word, i), f->wanted[c->memory][at]);
    }
}

static void fill_block(filling *f, const block *b) {
    for (int mode = 0; mode < MAX_MODES && b->format->modes[mode] != 0; mode++) {
        const int width = b->format->modes[mode];
        const int64_t depth = depth_of(b->format, width);
        for (int64_t i = 0; i < width; i++) {
            uint64_t hash = (uint64_t)mode;
            for (int64_t word = 0; word < depth; word++)
                hash = add_bit(hash, word, b->bits[place_of(b->format, width, word, i)]);
            const uint64_t *number = weir_map_find(&f->columns.number, hash);
            if (number != NULL) fill_column(f, b, &f->columns.item[*number - 1], i);
        }
    }
}

static bool fill_blocks(filling *f, char *placed) {
    const format *known = f->columns.format;
    block *b = weir_calloc(1, sizeof *b);
    b->format = known;
    bool fine = true;
    for (char *at = placed; fine && at != NULL;) {
        const bool is_block = strncmp(at, known->keyword, strlen(known->keyword)) == 0;
        char *end = strchr(at, '\n');
        at = end == NULL ? NULL : end + 1;
        if (!is_block) continue;
        at = at == NULL ? NULL : read_block(b, at);
        fine = at != NULL;
        if (fine) fill_block(f, b);
    }
    free(b);
    if (!fine) weir_error(WEIR_NOWHERE, "the placed design has a memory that cannot be read");
    return fine;
}

/* Every bit as often as the design has the memory. */
static bool check_seen(const filling *f) {
    for (size_t i = 0; i < f->memories->count; i++) {
        const weir_fill_memory *memory = &f->memories->item[i];
        for (int64_t at = 0; at < memory->width * memory->lines; at++) {
            const int seen = f->seen[i][at];
            if (seen == memory->copies) continue;
            weir_error(
                WEIR_NOWHERE,
                "memory '%s': expected bit %lld of word %lld in block RAM of the placed design %lld times, found "
                "%d",
                memory->file, (long long)(at % memory->width), (long long)(at / memory->width),
                (long long)memory->copies, seen);
            return false;
        }
    }
    return true;
}

bool weir_fill(const weir_device *device, const weir_fill_memories *memories, char *placed, const char *marked,
               const char *wanted) {
    filling f = {memories, {.format = format_of(device)}, NULL, NULL};
    assert(f.columns.format != NULL);
    f.wanted = weir_calloc(memories->count + 1, sizeof *f.wanted);
    f.seen = weir_calloc(memories->count + 1, sizeof *f.seen);
    bool fine = true;
    for (size_t i = 0; fine && i < memories->count; i++) {
        const weir_fill_memory *memory = &memories->item[i];
        uint8_t *marks = weir_fill_read(memory, marked);
        size_t other;
        f.seen[i] = weir_calloc((size_t)(memory->width * memory->lines), 1);
        f.wanted[i] = marks == NULL ? NULL : weir_fill_read(memory, wanted);
        fine = f.wanted[i] != NULL;
        if (fine && !add_columns(&f.columns, memories, i, marks, &other)) {
            weir_error(WEIR_NOWHERE, "marks of memories '%s' and '%s' are alike", memory->file,
                       memories->item[other].file);
            fine = false;
        }
        free(marks);
    }
    fine = fine && fill_blocks(&f, placed) && check_seen(&f);
    for (size_t i = 0; i < memories->count; i++) {
        free(f.wanted[i]);
        free(f.seen[i]);
    }
    free(f.wanted);
    free(f.seen);
    free_columns(&f.columns);
    return fine;
}
