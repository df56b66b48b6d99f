/* The top is text that Weir has printed: an instance is a line with its module, lines of parameters, a line with its
 * name, lines of connections. */
#include "board/memories.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "board/extend.h"
#include "board/fill.h"
#include "dataflow/component.h"
#include "dataflow/memory.h"
#include "dataflow/schedule/stream.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "support/text/text.h"
#include "wire/memory.h"
#include "wire/packet.h"

/* Bits of a request beside numbers: serve, ask, write, and a byte. */
enum { REQUEST_BITS = 11, ANSWER_BITS = 10 };

static int bits_for(int64_t count) { return weir_bits_for(0, count < 1 ? 0 : count - 1); }

int64_t weir_board_memories_request_bits(const weir_board_memories *memories) {
    return REQUEST_BITS + memories->select_bits + memories->place_bits + memories->word_bits;
}

/* --- memories of the graph --- */

typedef struct known {
    weir_board_manifest_memory memory;
    int64_t copies, found;
} known;

typedef struct adding {
    weir_board_memories *memories;
    known *item;
    size_t count, capacity;
    const char *path;
    bool loadable;
    weir_text made;
    bool fine;
} adding;

static void list_graph(adding *a, const weir_graph *hardware) {
    for (weir_node node = weir_graph_first(hardware); node.id != 0; node = weir_node_next(hardware, node)) {
        if (weir_stream_role(hardware, node) != WEIR_ROLE_COMPONENT) continue;
        weir_memory memory;
        for (size_t i = 0; weir_memory_get(hardware, node, i, &memory); i++) {
            a->item = weir_grow(a->item, &a->capacity, a->count + 1, sizeof *a->item);
            a->item[a->count++] =
                (known){{weir_memory_file(hardware, node, &memory), weir_copy_string(weir_node_name(hardware, node)),
                         memory.side * memory.width, weir_ceil_divide(memory.depth, memory.side), 0},
                        memory.copies,
                        0};
        }
    }
}

static known *find_known(adding *a, const char *file, size_t size) {
    for (size_t i = 0; i < a->count; i++) {
        const char *name = a->item[i].memory.file;
        if (strlen(name) == size && memcmp(name, file, size) == 0) return &a->item[i];
    }
    return NULL;
}

/* --- the text --- */

static const struct {
    const char *module, *instead;
    const char *init[2]; /* parameters that name files */
} modules[] = {
    {"weir_rom", "weir_board_memory", {"INIT"}},
    {"weir_rom_source", "weir_board_memory_source", {"INIT"}},
    {"weir_rom_sequence", "weir_board_memory_sequence", {"INIT"}},
    {"weir_rom_pair", "weir_board_memory_pair", {"A_INIT", "B_INIT"}},
};
enum { MODULES = sizeof modules / sizeof *modules };

/* The module of the instance that the line begins; MODULES: none of these. */
static size_t module_of(const char *line) {
    for (size_t i = 0; i < MODULES; i++) {
        const size_t size = strlen(modules[i].module);
        if (strncmp(line, "  ", 2) == 0 && strncmp(line + 2, modules[i].module, size) == 0 &&
            strncmp(line + 2 + size, " #(\n", 4) == 0)
            return i;
    }
    return MODULES;
}

/* The file that the parameter names, before `end`; NULL: none. */
static const char *init_of(const char *parameters, const char *end, const char *name, size_t *size) {
    char *pattern = weir_format("\n    .%s", name);
    const char *at = strstr(parameters, pattern);
    const size_t skip = strlen(pattern);
    free(pattern);
    if (at == NULL || at >= end) return NULL;
    at += skip;
    at += strspn(at, " ");
    if (strncmp(at, "(\"", 2) != 0) return NULL;
    at += 2;
    *size = strcspn(at, "\"\n");
    return at[*size] == '"' ? at : NULL;
}

/* The number of the memory of this file. */
static bool number_memory(adding *a, const char *file, size_t size) {
    known *k = file == NULL ? NULL : find_known(a, file, size);
    if (k == NULL) return false;
    weir_board_memories *m = a->memories;
    m->item = weir_grow(m->item, &m->capacity, m->count + 1, sizeof *m->item);
    m->item[m->count] = k->memory;
    m->item[m->count].file = weir_copy_string(k->memory.file);
    m->item[m->count++].layer = weir_copy_string(k->memory.layer);
    k->found++;
    return true;
}

/* The instance that begins at `at`, with its ports; where it ends. */
static const char *add_instance(adding *a, const char *at, size_t module) {
    const char *parameters = strchr(at, '\n'), *name = strstr(at, "\n  ) u_"), *end = strstr(at, "\n  );\n");
    const size_t first = a->memories->count;
    const char *ports = name == NULL ? NULL : strchr(name + 1, '\n');
    bool fine = ports != NULL && end != NULL && ports <= end;
    for (size_t i = 0; fine && i < 2 && modules[module].init[i] != NULL; i++) {
        size_t size = 0;
        const char *file = init_of(parameters, name, modules[module].init[i], &size);
        fine = number_memory(a, file, size);
    }
    if (!fine) {
        a->fine = false;
        return strchr(at, '\n') + 1;
    }
    const weir_board_memories *m = a->memories;
    a->memories->modules |= 1u << module;
    weir_text_format(&a->made, "  wire [%d:0] " WEIR_BOARD_MEMORY_ANSWER "_%zu;\n\n  %s #(\n", ANSWER_BITS - 1,
                     m->count, modules[module].instead);
    if (m->count - first == 2) weir_text_format(&a->made, "    .A_INDEX(%zu),\n    .B_INDEX(%zu),\n", first, first + 1);
    else weir_text_format(&a->made, "    .LOADABLE(%d),\n    .INDEX(%zu),\n", a->loadable, first);
    weir_text_format(&a->made, "    .SELECT_W(%d),\n    .PLACE_W(%d),\n    .WORD_W(%d),\n", m->select_bits,
                     m->place_bits, m->word_bits);
    weir_text_add_n(&a->made, parameters + 1, (size_t)(ports - parameters));
    weir_text_format(&a->made,
                     "    .request(" WEIR_BOARD_MEMORY_REQUEST "),\n    .s_answer(" WEIR_BOARD_MEMORY_ANSWER
                     "_%zu),\n    .m_answer(" WEIR_BOARD_MEMORY_ANSWER "_%zu),\n",
                     first, m->count);
    weir_text_add_n(&a->made, ports + 1, (size_t)(end + strlen("\n  );\n") - ports - 1));
    return end + strlen("\n  );\n");
}

static bool rewrite(adding *a) {
    size_t size = 0;
    char *text = weir_file_read(a->path, &size);
    bool is_port_known = false;
    a->fine = text != NULL;
    for (const char *at = text; at != NULL && *at != '\0';) {
        const char *next = at + strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n');
        const size_t module = module_of(at);
        /* The chain begins before the first statement. */
        if (strncmp(at, ");\n", 3) == 0 && !is_port_known) {
            is_port_known = true;
            weir_text_format(&a->made, ");\n\n  wire [%d:0] " WEIR_BOARD_MEMORY_ANSWER "_0 = %d'd0;\n", ANSWER_BITS - 1,
                             ANSWER_BITS);
        } else if (module < MODULES) next = add_instance(a, at, module);
        else weir_text_add_n(&a->made, at, (size_t)(next - at));
        at = next;
    }
    if (text != NULL && !a->fine)
        weir_error(weir_at(a->path, 1), "expected the parameter memories as Weir printed them");
    const bool fine = a->fine && weir_file_write(a->path, a->made.data, a->made.size);
    free(text);
    return fine;
}

/* --- the whole --- */

static bool check_found(const adding *a) {
    for (size_t i = 0; i < a->count; i++) {
        const known *k = &a->item[i];
        if (k->found == k->copies) continue;
        weir_error(weir_at(a->path, 0), "memory '%s' of layer '%s' cannot be reached: it is not in the top module",
                   k->memory.file, k->memory.layer);
        return false;
    }
    return true;
}

/* The numbers' bits, before any instance is written. */
static bool count_bits(const adding *a, weir_board_memories *memories) {
    int64_t count = 0, words = 1, bytes = 1;
    for (size_t i = 0; i < a->count; i++) {
        const weir_board_manifest_memory *m = &a->item[i].memory;
        count += a->item[i].copies;
        if (m->words > words) words = m->words;
        if ((m->width + 7) / 8 > bytes) bytes = (m->width + 7) / 8;
    }
    memories->select_bits = bits_for(count);
    memories->place_bits = bits_for(bytes);
    memories->word_bits = bits_for(words);
    if (count >= 1 && count <= WEIR_WIRE_MOST_MEMORIES && words <= WEIR_WIRE_MOST_WORDS) return true;
    if (count == 0) weir_error(WEIR_NOWHERE, "the design has no parameter memories to read back");
    else
        weir_error(WEIR_NOWHERE, "%lld parameter memories of up to %lld words, expected at most %d of %d",
                   (long long)count, (long long)words, WEIR_WIRE_MOST_MEMORIES, WEIR_WIRE_MOST_WORDS);
    return false;
}

bool weir_board_memories_add(const weir_graph *hardware, const char *top, const char *sources, bool loadable,
                             weir_board_memories *memories) {
    *memories = (weir_board_memories){NULL, 0, 0, 0, 1, 1, 1};
    char *path = weir_format("%s/%s.v", sources, top);
    adding a = {.memories = memories, .path = path, .loadable = loadable};
    list_graph(&a, hardware);
    bool fine = count_bits(&a, memories) && rewrite(&a) && check_found(&a);
    if (fine) {
        char *ports = weir_format("  input  wire [%lld:0] " WEIR_BOARD_MEMORY_REQUEST ",\n"
                                  "  output wire [%d:0] " WEIR_BOARD_MEMORY_ANSWER ",\n",
                                  (long long)weir_board_memories_request_bits(memories) - 1, ANSWER_BITS - 1);
        char *statements =
            weir_format("  assign " WEIR_BOARD_MEMORY_ANSWER " = " WEIR_BOARD_MEMORY_ANSWER "_%zu;\n", memories->count);
        fine = weir_board_extend(path, top, ports, statements);
        free(ports);
        free(statements);
    }
    for (size_t i = 0; i < a.count; i++) {
        free(a.item[i].memory.file);
        free(a.item[i].memory.layer);
    }
    free(a.item);
    weir_text_free(&a.made);
    free(path);
    return fine;
}

void weir_board_memories_free(weir_board_memories *memories) {
    for (size_t i = 0; i < memories->count; i++) {
        free(memories->item[i].file);
        free(memories->item[i].layer);
    }
    free(memories->item);
    *memories = (weir_board_memories){NULL, 0, 0, 0, 1, 1, 1};
}

void weir_board_memories_modules(const weir_board_memories *memories, weir_library_files *files) {
    for (size_t i = 0; i < MODULES; i++) {
        if ((memories->modules >> i & 1) != 0) weir_library_add(files, modules[i].instead);
    }
}

/* --- what they hold --- */

size_t weir_board_memory_size(const weir_board_manifest_memory *memory) {
    assert(memory->width >= 1 && memory->words >= 1);
    return (size_t)(memory->words * ((memory->width + 7) / 8));
}

uint8_t *weir_board_memory_content(const weir_board_manifest_memory *memory, const char *folder) {
    const weir_fill_memory file = {memory->file, memory->width, memory->words, 1};
    uint8_t *bits = weir_fill_read(&file, folder);
    if (bits == NULL) return NULL;
    uint8_t *content = weir_calloc(weir_board_memory_size(memory), 1);
    const int64_t bytes = (memory->width + 7) / 8;
    for (int64_t i = 0; i < memory->words * memory->width; i++)
        content[i / memory->width * bytes + i % memory->width / 8] |= (uint8_t)(bits[i] << i % memory->width % 8);
    free(bits);
    return content;
}

bool weir_board_memories_tell(const weir_board_memories *memories, const char *folder, bool loadable, json_t *report) {
    json_t *list = json_array();
    bool fine = true;
    for (size_t i = 0; fine && i < memories->count; i++) {
        const weir_board_manifest_memory *m = &memories->item[i];
        uint8_t *content = weir_board_memory_content(m, folder);
        fine = content != NULL;
        if (fine)
            json_array_append_new(
                list, json_pack("{s:s, s:s, s:I, s:I, s:o}", "file", m->file, "layer", m->layer, "width",
                                (json_int_t)m->width, "words", (json_int_t)m->words, "crc",
                                json_sprintf("0x%08x", weir_packet_crc(0, content, weir_board_memory_size(m)))));
        free(content);
    }
    json_object_set_new(report, "memories", list);
    json_object_set_new(report, "loadable", json_boolean(loadable));
    return fine;
}
