#include "dataflow/memory.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/component.h"
#include "dataflow/cost/target.h"
#include "dataflow/schedule/stream.h"
#include "rtlir/core/rtl.h"
#include "support/memory/arena.h"
#include "support/memory/hash.h"

/* Fewer words do not tell a memory from others in a bitstream. */
enum { PATCHABLE_WORDS = 64 };
/* Memories with fewer words or bits than these are cheaper in logic cells than in a block RAM. */
enum { BLOCK_WORDS = 128, BLOCK_BITS = 1024 };

bool weir_memory_wants_blocks(int64_t width, int64_t depth) {
    return depth >= BLOCK_WORDS && depth * width >= BLOCK_BITS;
}

static weir_storage choose_storage(const weir_graph *graph, weir_storage wanted, int64_t width, int64_t depth) {
    assert(width > 0 && depth > 0);
    if (weir_graph_patchable(graph)) return WEIR_STORAGE_BLOCK;
    if (wanted != WEIR_STORAGE_AUTO) return wanted;
    return weir_memory_wants_blocks(width, depth) ? WEIR_STORAGE_BLOCK : WEIR_STORAGE_LOGIC;
}

/* Blocks with an output register are best chosen among behind it. */
static int64_t side_of(const weir_graph *graph, const weir_memory *memory) {
    assert(memory->width >= 1 && memory->depth >= 1);
    const weir_target target = weir_target_of(graph);
    if (!memory->in_turn || memory->storage != WEIR_STORAGE_BLOCK || !weir_target_memory_has_output(&target)) return 1;
    return weir_device_words_a_line(target.device, memory->width, memory->depth);
}

bool weir_memory_get(const weir_graph *graph, weir_node node, size_t index, weir_memory *memory) {
    const weir_component *component = weir_component_of(graph, node);
    *memory = (weir_memory){.suffix = ""};
    if (component == NULL || component->rules->memory == NULL || !component->rules->memory(graph, node, index, memory))
        return false;
    memory->index = index;
    if (memory->interval == 0) memory->interval = 1;
    if (memory->copies == 0) memory->copies = 1;
    if (memory->low_bits == 0) memory->low_bits = memory->field_bits;
    memory->period = memory->depth;
    if (weir_graph_patchable(graph) && !memory->is_table && memory->depth < PATCHABLE_WORDS)
        memory->depth *= weir_ceil_divide(PATCHABLE_WORDS, memory->depth);
    memory->width = memory->fields * (memory->field_bits - memory->is_odd);
    memory->storage =
        choose_storage(graph, weir_node_metadata_of(graph, node)->hardware.storage, memory->width, memory->depth);
    memory->side = side_of(graph, memory);
    return true;
}

int64_t weir_memory_bits(const weir_graph *graph, weir_node node) {
    int64_t bits = 0;
    weir_memory memory;
    for (size_t i = 0; weir_memory_get(graph, node, i, &memory); i++) bits += memory.width * memory.depth;
    return bits;
}

bool weir_memory_fits_vectors(const weir_graph *graph, weir_node node) {
    weir_memory memory;
    for (size_t i = 0; weir_memory_get(graph, node, i, &memory); i++) {
        if (memory.width > WEIR_RTL_MAX_WIDTH) return false;
    }
    return true;
}

int weir_memory_signed_bits(const weir_graph *graph, weir_value constant) {
    assert(weir_value_type(graph, constant)->has_range);
    const weir_type *type = weir_value_type(graph, constant);
    return weir_bits_for(type->low < 0 ? type->low : -1, type->high);
}

int64_t weir_memory_words(const weir_graph *graph, weir_value constant, int64_t lanes) {
    assert(lanes > 0 && weir_value_type(graph, constant)->shape.rank > 0);
    return weir_ceil_divide(weir_value_type(graph, constant)->shape.dim[0], lanes);
}

int64_t weir_memory_element(const weir_graph *graph, weir_value constant, int64_t row, int64_t column, int64_t columns,
                            int64_t outside) {
    const weir_array *array = weir_value_constant(graph, constant);
    assert(array != NULL && row >= 0 && column >= 0 && columns > 0 && (int64_t)array->count % columns == 0);
    row %= array->shape.dim[0];
    return column < columns ? weir_array_get_int(array, (size_t)(row * columns + column)) : outside;
}

/* --- content --- */

/* Puts the low `bits` of the value at bit `at` of a line held as nibbles, least significant first. */
static void put_bits(char *nibbles, int64_t at, int bits, uint64_t value) {
    assert(at >= 0 && bits >= 0);
    for (int i = 0; i < bits; i++) {
        if ((value >> (i < 63 ? i : 63) & 1) != 0) nibbles[(at + i) / 4] |= (char)(1 << (at + i) % 4);
    }
}

static void print_line(weir_text *text, const char *nibbles, int64_t width) {
    assert(width >= 1);
    for (int64_t i = (width + 3) / 4 - 1; i >= 0; i--) weir_text_char(text, "0123456789abcdef"[(int)nibbles[i]]);
    weir_text_char(text, '\n');
}

void weir_memory_print(const weir_graph *graph, weir_node node, const weir_memory *memory, weir_text *text) {
    weir_memory_content *content = weir_component_of(graph, node)->rules->content;
    assert(memory->fields > 0 && memory->side > 0 && memory->low_bits <= memory->field_bits);
    const int64_t bits = memory->field_bits - memory->is_odd;
    const int64_t line = memory->side * memory->width;
    size_t digits = (size_t)(line + 3) / 4;
    char *nibbles = weir_calloc(digits + 1, 1);
    int64_t *lower = weir_calloc(2 * (size_t)memory->fields, sizeof *lower), *upper = lower + memory->fields;
    for (int64_t word = 0; word < memory->depth; word++) {
        const int64_t place = word % memory->side, at = place * memory->width;
        content(graph, node, memory, word % memory->period, lower, upper);
        for (int64_t field = 0; field < memory->fields; field++) {
            assert(!memory->is_odd || lower[field] % 2 != 0);
            put_bits(nibbles, at + field * bits, memory->low_bits - memory->is_odd,
                     (uint64_t)(lower[field] >> memory->is_odd));
            put_bits(nibbles, at + field * bits + memory->low_bits, memory->field_bits - memory->low_bits,
                     (uint64_t)upper[field]);
        }
        if (place < memory->side - 1 && word < memory->depth - 1) continue;
        print_line(text, nibbles, line);
        memset(nibbles, 0, digits + 1);
    }
    free(lower);
    free(nibbles);
}

/* Of a node's name in a file's, so that the whole stays below the 255 bytes that file systems take. */
enum { FILE_NAME_LIMIT = 180 };

/* Nodes that passes name after values may have any characters. */
static bool is_file_name(const char *name) {
    bool legal = strlen(name) <= FILE_NAME_LIMIT;
    for (const char *c = name; *c != '\0'; c++) legal &= isalnum((unsigned char)*c) || *c == '_';
    return legal;
}

/* What is no file name becomes one, told apart by its hash. */
char *weir_memory_file(const weir_graph *graph, weir_node node, const weir_memory *memory) {
    const char *name = weir_node_name(graph, node);
    if (is_file_name(name)) return weir_format("%s_%s.hex", name, memory->suffix);
    char digits[33];
    weir_hash hash = weir_hash_start();
    weir_hash_add_string(&hash, name);
    weir_hash_print(&hash, digits);
    char *file = weir_format("%.*s_%s_%s.hex", FILE_NAME_LIMIT - 33, name, digits, memory->suffix);
    for (char *c = file; c < file + strlen(file) - strlen(".hex"); c++) {
        if (!isalnum((unsigned char)*c)) *c = '_';
    }
    return file;
}
