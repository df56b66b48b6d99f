#include "graph/manifest.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "support/file/file.h"
#include "support/file/json.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "wire/memory.h"

static char *copy_of(const json_t *value) {
    return json_is_string(value) ? weir_copy_string(json_string_value(value)) : NULL;
}

/* "0x1234abcd"; false: it is no such text. */
static bool read_id(const json_t *value, uint32_t *id) {
    const char *text = json_string_value(value);
    char *end = NULL;
    if (text == NULL || !isxdigit((unsigned char)text[0])) return false; /* nor a sign, nor blanks */
    const unsigned long long number = strtoull(text, &end, 16);
    *id = (uint32_t)number;
    return end != text && *end == '\0' && number <= UINT32_MAX;
}

/* A number from 1 to `most`. */
static bool read_count(const json_t *value, int64_t most, int64_t *count) {
    *count = json_integer_value(value);
    return *count >= 1 && *count <= most;
}

static bool read_memory(const json_t *item, weir_board_manifest_memory *memory) {
    memory->file = copy_of(json_object_get(item, "file"));
    memory->layer = copy_of(json_object_get(item, "layer"));
    return memory->file != NULL && memory->layer != NULL &&
           read_count(json_object_get(item, "width"), WEIR_BOARD_MOST_WIDTH, &memory->width) &&
           read_count(json_object_get(item, "words"), WEIR_WIRE_MOST_WORDS, &memory->words) &&
           read_id(json_object_get(item, "crc"), &memory->crc);
}

/* A board without them has no such list. */
static bool read_memories(const json_t *root, weir_board_manifest *m) {
    const json_t *list = json_object_get(root, "memories");
    m->loadable = json_is_true(json_object_get(root, "loadable"));
    m->memories = json_array_size(list);
    m->memory = weir_calloc(m->memories + 1, sizeof *m->memory);
    bool fine = (list == NULL || json_is_array(list)) && m->memories <= WEIR_WIRE_MOST_MEMORIES;
    for (size_t i = 0; fine && i < m->memories; i++) fine = read_memory(json_array_get(list, i), &m->memory[i]);
    return fine;
}

static bool read(const json_t *root, weir_board_manifest *m) {
    m->board = copy_of(json_object_get(root, "board"));
    m->bitstream = copy_of(json_object_get(root, "bitstream"));
    m->clock_hz = json_integer_value(json_object_get(root, "clock_hz"));
    m->baud = json_integer_value(json_object_get(root, "baud"));
    return m->board != NULL && m->clock_hz > 0 && m->clock_hz <= UINT32_MAX && m->baud > 0 && m->baud <= UINT32_MAX &&
           read_id(json_object_get(root, "build"), &m->build) && read_id(json_object_get(root, "model"), &m->model) &&
           read_memories(root, m);
}

bool weir_board_manifest_write(const char *folder, const json_t *report) {
    char *path = weir_path_join(folder, WEIR_BOARD_MANIFEST);
    const bool fine = weir_json_write(path, report, JSON_INDENT(2));
    free(path);
    return fine;
}

bool weir_board_manifest_read(const char *folder, weir_board_manifest *manifest) {
    char *path = weir_path_join(folder, WEIR_BOARD_MANIFEST);
    size_t size = 0;
    char *text = weir_file_read(path, &size);
    json_error_t error = {.line = 0};
    *manifest = (weir_board_manifest){.board = NULL};
    manifest->report = text == NULL ? NULL : json_loadb(text, size, 0, &error);
    const bool fine = manifest->report != NULL && read(manifest->report, manifest);
    if (!fine && text != NULL)
        weir_error(weir_at(path, error.line > 0 ? error.line : 1),
                   "expected board, clock_hz, baud, build and model of a board's design, and its memories%s%s",
                   manifest->report == NULL ? ": " : "", manifest->report == NULL ? error.text : "");
    if (!fine) weir_note("expected '%s' to be a folder that 'weir board build' wrote", folder);
    free(text);
    free(path);
    return fine;
}

void weir_board_manifest_free(weir_board_manifest *manifest) {
    free(manifest->board);
    free(manifest->bitstream);
    for (size_t i = 0; manifest->memory != NULL && i < manifest->memories; i++) {
        free(manifest->memory[i].file);
        free(manifest->memory[i].layer);
    }
    free(manifest->memory);
    json_decref(manifest->report);
    *manifest = (weir_board_manifest){.board = NULL};
}
