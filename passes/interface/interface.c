#include "passes/interface/interface.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "exec/evaluate.h"
#include "frontend/import/onnx.h"
#include "ir/graph/print.h"
#include "support/file/file.h"
#include "support/file/folder.h"
#include "support/memory/arena.h"
#include "support/text/suggest.h"

/* Reports that the module has no such graph. */
static weir_graph *missing(const weir_module *module, const weir_pass *pass, const char *name) {
    size_t count = weir_module_graph_count(module);
    const char **names = weir_calloc(count, sizeof *names);
    for (size_t i = 0; i < count; i++) names[i] = weir_graph_name(weir_module_graph(module, i));
    const char *near = weir_suggest(name, names, count);
    weir_error(WEIR_NOWHERE, "%s: the module has no graph '%s'", weir_pass_name(pass), name);
    weir_note(near != NULL ? "did you mean '%s'?" : "its last graph is '%s'", near != NULL ? near : names[count - 1]);
    free(names);
    return NULL;
}

weir_graph *weir_interface_graph(const weir_module *module, const weir_pass *pass) {
    const char *name = weir_pass_string(pass, "graph");
    size_t count = weir_module_graph_count(module);
    weir_graph *graph = *name != '\0' ? weir_module_find_graph(module, name) : weir_module_graph(module, count - 1);
    return graph != NULL ? graph : missing(module, pass, name);
}

/* A folder, which is reported as what it holds. */
static bool is_folder(const char *path) {
    static const struct {
        const char *file, *what, *hint;
    } kinds[] = {{"saved_model.pb", "a TensorFlow SavedModel", "convert it with tf2onnx (--saved-model FOLDER)"},
                 {"integer.weir", "a folder with a compiled model, expected a file", "'weir sim' runs it"},
                 {"", "a folder, expected a file", NULL}};
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char *inside = weir_path_join(path, kinds[i].file);
        const bool found = *kinds[i].file == '\0' || weir_file_exists(inside);
        free(inside);
        if (!found) continue;
        weir_error(weir_at(path, 0), "%s", kinds[i].what);
        if (kinds[i].hint != NULL) weir_note("%s", kinds[i].hint);
        return true;
    }
    return true;
}

typedef struct reading {
    const char *path;
    weir_graph *graph;
} reading;

static int load(void *user) {
    reading *r = user;
    weir_graph_free(r->graph);
    r->graph = weir_graph_load(r->path);
    return r->graph == NULL ? WEIR_EXIT_INPUT : WEIR_EXIT_FINE;
}

/* Text and constants of one state of the folder, which another process may be writing. */
static weir_graph *load_text(const char *path) {
    reading r = {path, NULL};
    char *folder = weir_path_folder(path);
    if (weir_folder_read(folder, load, &r) != WEIR_EXIT_FINE) {
        weir_graph_free(r.graph);
        r.graph = NULL;
    }
    free(folder);
    return r.graph;
}

weir_graph *weir_interface_read(const char *path, const weir_onnx_sizes *sizes) {
    if (is_folder(path)) return NULL;
    const char *dot = strrchr(weir_path_name(path), '.');
    const bool text = dot != NULL && strcmp(dot, ".weir") == 0;
    weir_onnx_options options = {.evaluate = weir_evaluate_node, .to_float32 = true};
    if (sizes != NULL) options.sizes = *sizes;
    if (text && options.sizes.shape_count > 0) {
        weir_error(weir_at(path, 0), "its inputs have shapes; --shape is for ONNX files that leave them open");
        return NULL;
    }
    return text ? load_text(path) : weir_onnx_import(path, &options);
}

weir_graph *weir_interface_find(const weir_module *module, const weir_pass *pass, const char *name, bool *own) {
    weir_graph *graph = weir_module_find_graph(module, name);
    *own = graph == NULL && strpbrk(name, "./") != NULL;
    if (*own) return weir_interface_read(name, NULL);
    return graph != NULL ? graph : missing(module, pass, name);
}

char *weir_interface_path(const weir_module *module, const weir_pass *pass, const char *option, const char *ending) {
    const char *given = weir_pass_string(pass, option);
    return *given != '\0' ? weir_copy_string(given)
                          : weir_format("%s/%s%s", weir_module_folder(module), weir_module_name(module), ending);
}

bool weir_interface_open(const weir_module *module, const weir_pass *pass, const char *option, const char *ending,
                         weir_interface_file *file) {
    *file = (weir_interface_file){.name = weir_interface_path(module, pass, option, ending)};
    char *name = weir_format("%s%s", weir_module_name(module), ending), *above = weir_path_folder(file->name);
    bool fine;
    if (*weir_pass_string(pass, option) != '\0') {
        file->path = weir_copy_string(file->name);
        fine = weir_make_folder(above);
    } else {
        file->folder = weir_folder_open(weir_module_folder(module), WEIR_FOLDER_SHARED);
        fine = file->folder != NULL;
        file->path = fine ? weir_path_join(weir_folder_staging(file->folder), name) : NULL;
    }
    free(above);
    free(name);
    if (!fine) weir_interface_close(file, false);
    return fine;
}

bool weir_interface_close(weir_interface_file *file, bool fine) {
    if (fine && file->folder != NULL) fine = weir_folder_commit(file->folder);
    else weir_folder_abandon(file->folder);
    free(file->name);
    free(file->path);
    *file = (weir_interface_file){NULL, NULL, NULL};
    return fine;
}
