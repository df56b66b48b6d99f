#include "dataflow/memory.h"

#include <stdlib.h>
#include <string.h>

#include "dataflow/stream.h"
#include "support/arena.h"
#include "support/hash.h"

/* Memories with fewer words or bits than these are cheaper in logic cells than in a block RAM. */
enum { BLOCK_WORDS = 128, BLOCK_BITS = 1024 };

static weir_storage choose_storage(weir_storage wanted, int64_t width, int64_t depth) {
    if (wanted != WEIR_STORAGE_AUTO) return wanted;
    return depth >= BLOCK_WORDS && depth * width >= BLOCK_BITS ? WEIR_STORAGE_BLOCK : WEIR_STORAGE_LOGIC;
}

static int signed_bits(const weir_graph *graph, weir_value constant) {
    const weir_type *type = weir_value_type(graph, constant);
    return weir_bits_for(type->low < 0 ? type->low : -1, type->high);
}

/* Parameter words a frame's row: one for all when the parameter does not depend on the channel. */
static int64_t groups_of(const weir_graph *graph, weir_value constant, int64_t lanes) {
    return weir_ceil_divide(weir_value_type(graph, constant)->shape.dim[0], lanes);
}

weir_memory weir_memory_of(const weir_graph *graph, weir_node node) {
    const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
    weir_memory rom = {WEIR_MEMORY_NONE, "", 0, 0, 0, 0, 0, WEIR_STORAGE_LOGIC};
    weir_value constant = weir_node_input(graph, node, 1), second = weir_node_input(graph, node, 2);
    int64_t rows, k, n;
    switch (weir_node_op(graph, node)) {
    case WEIR_OP_LINEAR:
        weir_stream_linear(graph, node, &rows, &k, &n);
        rom = (weir_memory){.kind = WEIR_MEMORY_WEIGHTS, .suffix = "weights"};
        rom.fields = hardware->simd * hardware->pe;
        rom.field_bits = signed_bits(graph, constant);
        rom.depth = weir_ceil_divide(k, hardware->simd) * weir_ceil_divide(n, hardware->pe);
        break;
    case WEIR_OP_SCALE:
    case WEIR_OP_SCALE_FLOAT:
        rom = (weir_memory){.kind = WEIR_MEMORY_SCALE, .suffix = "scale", .fields = hardware->out_lanes};
        rom.low_bits = weir_bits_for(0, weir_value_type(graph, constant)->high);
        rom.field_bits = rom.low_bits + signed_bits(graph, second);
        rom.depth = groups_of(graph, constant, hardware->out_lanes);
        break;
    case WEIR_OP_CAST:
        if (constant.id == 0) return rom;
        rom = (weir_memory){.kind = WEIR_MEMORY_ADD, .suffix = "add", .fields = hardware->out_lanes};
        rom.field_bits = signed_bits(graph, constant);
        rom.depth = groups_of(graph, constant, hardware->out_lanes);
        break;
    case WEIR_OP_THRESHOLD: {
        rom = (weir_memory){.kind = WEIR_MEMORY_THRESHOLDS, .suffix = "thresholds"};
        bool is_signed;
        int x_bits = weir_stream_width(graph, weir_node_input(graph, node, 0), &is_signed) + !is_signed;
        int t_bits = signed_bits(graph, constant);
        rom.field_bits = (x_bits > t_bits ? x_bits : t_bits) + 1;
        rom.fields = hardware->out_lanes * hardware->digit;
        rom.depth = groups_of(graph, constant, hardware->out_lanes) *
                    weir_ceil_divide(weir_value_type(graph, constant)->shape.dim[1], hardware->digit);
        break;
    }
    default: return rom;
    }
    rom.width = rom.fields * rom.field_bits;
    rom.storage = choose_storage(hardware->storage, rom.width, rom.depth);
    return rom;
}

/* --- content --- */

/* Puts the low `bits` of the value at bit `at` of a word held as nibbles, least significant first. */
static void put_bits(char *nibbles, int64_t at, int bits, uint64_t value) {
    for (int i = 0; i < bits; i++) {
        if ((value >> (i < 63 ? i : 63) & 1) != 0) nibbles[(at + i) / 4] |= (char)(1 << (at + i) % 4);
    }
}

static void print_word(weir_text *text, const char *nibbles, int64_t width) {
    for (int64_t i = (width + 3) / 4 - 1; i >= 0; i--) weir_text_char(text, "0123456789abcdef"[(int)nibbles[i]]);
    weir_text_char(text, '\n');
}

/* Element [row, column] of a parameter, `outside` beyond its end; a single row serves every channel. */
static int64_t element(const weir_array *array, int64_t row, int64_t column, int64_t columns, int64_t outside) {
    int64_t rows = array->shape.dim[0];
    if (rows == 1) row = 0;
    return row < rows && column < columns ? weir_array_get_int(array, (size_t)(row * columns + column)) : outside;
}

typedef struct rom_source {
    const weir_array *first, *second;
    const weir_meta_hardware *hardware;
    const weir_memory *rom;
} rom_source;

/* Field `field` of word `word`; scale words also give their upper part. */
static int64_t field_value(const rom_source *s, int64_t word, int64_t field, int64_t *upper) {
    const weir_meta_hardware *hardware = s->hardware;
    int64_t lanes = hardware->out_lanes, columns = s->first->shape.rank == 2 ? s->first->shape.dim[1] : 1;
    *upper = 0;
    if (s->rom->kind == WEIR_MEMORY_WEIGHTS) {
        int64_t beats = weir_ceil_divide(columns, hardware->simd);
        int64_t row = word / beats * hardware->pe + field / hardware->simd;
        if (row >= s->first->shape.dim[0]) return 0;
        return element(s->first, row, word % beats * hardware->simd + field % hardware->simd, columns, 0);
    }
    if (s->rom->kind == WEIR_MEMORY_THRESHOLDS) {
        int64_t words = weir_ceil_divide(columns, hardware->digit);
        int64_t never = ((int64_t)1 << (s->rom->field_bits - 1)) - 1;
        return element(s->first, word / words * lanes + field / hardware->digit,
                       word % words * hardware->digit + field % hardware->digit, columns, never);
    }
    if (s->second != NULL) *upper = element(s->second, word * lanes + field, 0, 1, 0);
    return element(s->first, word * lanes + field, 0, 1, 0);
}

void weir_memory_print(const weir_graph *graph, weir_node node, const weir_memory *rom, weir_text *text) {
    weir_value second = weir_node_input(graph, node, 2);
    rom_source source = {weir_value_constant(graph, weir_node_input(graph, node, 1)),
                         second.id == 0 ? NULL : weir_value_constant(graph, second),
                         &weir_node_metadata_of(graph, node)->hardware, rom};
    int low_bits = rom->kind == WEIR_MEMORY_SCALE ? rom->low_bits : rom->field_bits;
    size_t digits = (size_t)(rom->width + 3) / 4;
    char *nibbles = weir_malloc(digits + 1);
    for (int64_t word = 0; word < rom->depth; word++) {
        memset(nibbles, 0, digits + 1);
        for (int64_t field = 0; field < rom->fields; field++) {
            int64_t upper, lower = field_value(&source, word, field, &upper), at = field * rom->field_bits;
            put_bits(nibbles, at, low_bits, (uint64_t)lower);
            put_bits(nibbles, at + low_bits, rom->field_bits - low_bits, (uint64_t)upper);
        }
        print_word(text, nibbles, rom->width);
    }
    free(nibbles);
}

/* Of a node's name in a file's, so that the whole stays below the 255 bytes that file systems take; what is longer is
 * told apart by its hash. */
enum { FILE_NAME_LIMIT = 180 };

char *weir_memory_file(const weir_graph *graph, weir_node node, const weir_memory *rom) {
    const char *name = weir_node_name(graph, node);
    if (strlen(name) <= FILE_NAME_LIMIT) return weir_format("%s_%s.hex", name, rom->suffix);
    char digits[33];
    weir_hash hash = weir_hash_start();
    weir_hash_add_string(&hash, name);
    weir_hash_print(&hash, digits);
    return weir_format("%.*s_%s_%s.hex", FILE_NAME_LIMIT - 33, name, digits, rom->suffix);
}
