#include "passes/interface/interface.h"

#include <stdlib.h>
#include <string.h>

#include "exec/evaluate.h"
#include "frontend/onnx.h"
#include "ir/print.h"
#include "support/arena.h"
#include "support/file.h"
#include "support/suggest.h"

/* Reports that the module has no such graph. */
static weir_graph *missing(const weir_module *module, const weir_pass *pass, const char *name) {
    size_t count = weir_module_graph_count(module);
    if (count == 0) {
        weir_error(WEIR_NOWHERE, "%s needs a graph, the module has none", weir_pass_name(pass));
        return NULL;
    }
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
    weir_graph *graph = *name != '\0' ? weir_module_find_graph(module, name)
                        : count == 0  ? NULL
                                      : weir_module_graph(module, count - 1);
    return graph != NULL ? graph : missing(module, pass, name);
}

weir_graph *weir_interface_read(const char *path, int64_t batch) {
    const char *dot = strrchr(weir_path_name(path), '.');
    weir_onnx_options options = {.batch = batch, .evaluate = weir_evaluate_node, .to_float32 = true};
    return dot != NULL && strcmp(dot, ".weir") == 0 ? weir_graph_load(path) : weir_onnx_import(path, &options);
}

weir_graph *weir_interface_find(const weir_module *module, const weir_pass *pass, const char *name, bool *own) {
    weir_graph *graph = weir_module_find_graph(module, name);
    *own = graph == NULL && strpbrk(name, "./") != NULL;
    if (*own) return weir_interface_read(name, 1);
    return graph != NULL ? graph : missing(module, pass, name);
}

char *weir_interface_path(const weir_module *module, const weir_pass *pass, const char *option, const char *ending) {
    const char *given = weir_pass_string(pass, option);
    char *path = *given != '\0' ? weir_copy_string(given)
                                : weir_format("%s/%s%s", weir_module_folder(module), weir_module_name(module), ending);
    char *folder = weir_path_folder(path);
    bool fine = weir_make_folder(folder);
    free(folder);
    if (fine) return path;
    free(path);
    return NULL;
}
