/* load_graph: reads the graphs that save_graph wrote: one with the name of a graph of the module replaces it, others
 * are added in order. */
#include <stdlib.h>
#include <string.h>

#include "ir/graph/print.h"
#include "ir/graph/verify.h"
#include "passes/interface/interface.h"
#include "passes/interface/saved.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/yaml.h"

static void put(weir_module *module, weir_graph *graph) {
    for (size_t i = 0; i < weir_module_graph_count(module); i++) {
        if (strcmp(weir_graph_name(weir_module_graph(module, i)), weir_graph_name(graph)) != 0) continue;
        weir_module_replace_graph(module, i, graph);
        return;
    }
    weir_module_add_graph(module, graph);
}

static bool load_one(weir_module *module, const char *folder, const char *name) {
    char *path = weir_format("%s/%s.weir", folder, name);
    weir_graph *graph = weir_graph_load(path);
    if (graph != NULL && !weir_graph_verify(graph)) {
        weir_graph_free(graph);
        graph = NULL;
    }
    if (graph != NULL) {
        weir_graph_set_name(graph, name);
        put(module, graph);
    }
    free(path);
    return graph != NULL;
}

/* The names in the folder's list; NULL after an error. */
static weir_yaml *read_list(const char *folder, const weir_yaml **names) {
    char *path = weir_path_join(folder, WEIR_SAVED_LIST);
    weir_yaml *root = weir_yaml_read(path);
    *names = root == NULL ? NULL : weir_yaml_find(root, "graphs");
    bool fine = *names != NULL && (*names)->kind == WEIR_YAML_SEQUENCE && (*names)->count > 0;
    for (size_t i = 0; fine && i < (*names)->count; i++) {
        const weir_yaml *item = (*names)->item[i];
        fine = item->kind == WEIR_YAML_SCALAR && *item->text != '\0' && strchr(item->text, '/') == NULL;
    }
    if (root != NULL && !fine) {
        weir_error(weir_at(path, 0), "expected 'graphs', a list of names of graphs in this folder");
        weir_yaml_free(root);
        root = NULL;
    }
    free(path);
    return root;
}

bool weir_pass_load_graph(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    const char *option = weir_pass_string(pass, "load_dir"), *name = weir_pass_string(pass, "graph");
    const char *folder = *option != '\0' ? option : weir_module_folder(module);
    if (*name != '\0') {
        weir_pass_count(context, "graphs loaded", 1);
        return load_one(module, folder, name);
    }
    const weir_yaml *names;
    weir_yaml *list = read_list(folder, &names);
    bool fine = list != NULL;
    for (size_t i = 0; fine && i < names->count; i++) {
        fine = load_one(module, folder, names->item[i]->text);
        weir_pass_count(context, "graphs loaded", 1);
    }
    weir_yaml_free(list);
    return fine;
}
