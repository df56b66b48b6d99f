#include "board/taps.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "board/extend.h"
#include "dataflow/schedule/stream.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "support/text/text.h"

typedef struct tapping {
    weir_text moves, data; /* members of concatenations, the last stream first */
    weir_board_taps *taps;
} tapping;

static void prepend(weir_text *list, const char *member) {
    char *text = weir_format("%s%s%s", member, list->size == 0 ? "" : ", ", list->size == 0 ? "" : list->data);
    weir_text_free(list);
    *list = (weir_text){NULL, 0, 0};
    weir_text_add(list, text);
    free(text);
}

static void add(tapping *t, const char *valid, const char *ready, const char *data, int64_t width) {
    char *moves = weir_format("%s & %s", valid, ready);
    const int64_t bytes = (width + 7) / 8, pad = 8 * bytes - width;
    char *beat = pad > 0 ? weir_format("%lld'd0, %s", (long long)pad, data) : weir_copy_string(data);
    prepend(&t->moves, moves);
    prepend(&t->data, beat);
    t->taps->count++;
    t->taps->bytes += bytes;
    free(moves);
    free(beat);
}

static void add_inputs(tapping *t, const weir_board_design *design) {
    for (size_t i = 0; i < design->inputs; i++) {
        const char *prefix = design->input[i].prefix;
        char *valid = weir_format("%s_valid", prefix), *ready = weir_format("%s_ready", prefix),
             *data = weir_format("%s_data", prefix);
        add(t, valid, ready, data, design->input[i].width);
        free(valid);
        free(ready);
        free(data);
    }
}

static bool add_components(tapping *t, const char *folder) {
    char *path = weir_path_join(folder, WEIR_TAPS_FILE);
    size_t size = 0, index;
    char *text = weir_file_read(path, &size);
    json_error_t error = {.line = 0};
    json_t *list = text == NULL ? NULL : json_loadb(text, size, 0, &error), *item;
    bool fine = json_is_array(list);
    json_array_foreach(list, index, item) {
        const char *valid = json_string_value(json_object_get(item, "valid")),
                   *ready = json_string_value(json_object_get(item, "ready")),
                   *data = json_string_value(json_object_get(item, "data"));
        const int64_t width = json_integer_value(json_object_get(item, "width"));
        fine = fine && valid != NULL && ready != NULL && data != NULL && width > 0;
        if (fine) add(t, valid, ready, data, width);
    }
    if (!fine && text != NULL)
        weir_error(weir_at(path, error.line > 0 ? error.line : 1), "expected the streams of a compiled design");
    if (!fine) weir_note("compile the model again: expected it in '%s'", folder);
    json_decref(list);
    free(text);
    free(path);
    return fine;
}

static bool write_module(const tapping *t, const char *top, const char *path) {
    char *ports = weir_format("  output wire [%zu:0] " WEIR_BOARD_TAP_MOVES ",\n"
                              "  output wire [%lld:0] " WEIR_BOARD_TAP_DATA ",\n",
                              t->taps->count - 1, 8 * (long long)t->taps->bytes - 1);
    char *statements = weir_format("  assign " WEIR_BOARD_TAP_MOVES " = {%s};\n"
                                   "  assign " WEIR_BOARD_TAP_DATA " = {%s};\n",
                                   t->moves.data, t->data.data);
    const bool fine = weir_board_extend(path, top, ports, statements);
    free(ports);
    free(statements);
    return fine;
}

bool weir_board_taps_add(const char *folder, const weir_board_design *design, const char *sources,
                         weir_board_taps *taps) {
    tapping t = {.taps = taps};
    *taps = (weir_board_taps){0, 0};
    char *path = weir_format("%s/%s.v", sources, design->top);
    add_inputs(&t, design);
    const bool fine = add_components(&t, folder) && write_module(&t, design->top, path);
    weir_text_free(&t.moves);
    weir_text_free(&t.data);
    free(path);
    return fine;
}
