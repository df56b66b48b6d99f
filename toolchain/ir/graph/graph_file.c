/* Graphs in files: the text, and its constants in an .npz. */
#include <stdlib.h>
#include <string.h>

#include "ir/graph/print.h"
#include "support/file/file.h"
#include "support/file/npy.h"
#include "support/memory/arena.h"
#include "support/memory/kind.h"

static char *constants_path(const char *path) {
    const char *name = weir_path_name(path);
    const char *dot = strrchr(name, '.');
    int stem = (int)(dot == NULL || dot == name ? strlen(path) : (size_t)(dot - path));
    return weir_format("%.*s.npz", stem, path);
}

/* The name is not the user's choice, so an archive without the graph that it belongs to is not replaced. */
static bool is_free(const char *constants, const char *path) {
    if (weir_file_exists(path) || !weir_file_exists(constants)) return true;
    weir_error(weir_at(constants, 0), "exists without '%s', so it is not replaced by the constants of this graph",
               path);
    weir_note("choose another name, or move the file away");
    return false;
}

bool weir_graph_save(const weir_graph *graph, const char *path) {
    weir_text text = {NULL, 0, 0};
    weir_archive archive;
    weir_archive_init(&archive);
    weir_graph_print(graph, &text);
    weir_graph_collect(graph, &archive);
    char *constants = constants_path(path);
    weir_text packed = {NULL, 0, 0};
    bool fine = is_free(constants, path) && weir_npz_format(&packed, &archive, weir_at(constants, 0));
    const weir_file_content files[] = {{constants, packed.data, packed.size}, {path, text.data, text.size}};
    fine = fine && weir_files_write(files, 2);
    weir_text_free(&packed);
    free(constants);
    weir_archive_free(&archive);
    weir_text_free(&text);
    return fine;
}

/* Text has no control characters but blanks and line ends. */
static bool is_printable(const char *text, size_t size) {
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)text[i] < ' ' && strchr("\t\r\n", text[i]) == NULL) return false;
    return memchr(text, '\0', size) == NULL;
}

weir_graph *weir_graph_load(const char *path) {
    size_t size;
    char *text = weir_file_read(path, &size);
    if (text == NULL) return NULL;
    if (!is_printable(text, size)) {
        const weir_file_kind *kind = weir_file_kind_of(text, size);
        weir_error(weir_at(path, 0), "not text IR%s%s", kind == NULL ? "" : ": it looks like ",
                   kind == NULL ? "" : kind->what);
        weir_note("an ONNX model's name ends with .onnx, or with anything but .weir");
        free(text);
        return NULL;
    }
    weir_archive archive;
    weir_archive_init(&archive);
    char *constants = constants_path(path);
    weir_graph *graph = NULL;
    if (weir_npz_read(constants, &archive)) graph = weir_graph_parse(text, size, &archive, path);
    free(constants);
    weir_archive_free(&archive);
    free(text);
    return graph;
}
