/* save_graph: graphs as text IR with their constants in .npz files, and graphs.yaml, which lists them in order. */
#include <stdlib.h>

#include "ir/graph/print.h"
#include "passes/interface/interface.h"
#include "passes/interface/saved.h"
#include "support/file/file.h"
#include "support/file/folder.h"
#include "support/memory/arena.h"
#include "support/text/yaml.h"

static bool save_one(const weir_graph *graph, const char *folder, json_t *names) {
    char *path = weir_format("%s/%s.weir", folder, weir_graph_name(graph));
    bool fine = weir_graph_save(graph, path);
    json_array_append_new(names, json_string(weir_graph_name(graph)));
    free(path);
    return fine;
}

static bool save_list(const char *folder, const json_t *list) {
    weir_text text = {NULL, 0, 0};
    char *path = weir_path_join(folder, WEIR_SAVED_LIST);
    weir_yaml_print(list, &text);
    bool fine = weir_file_write(path, text.data, text.size);
    free(path);
    weir_text_free(&text);
    return fine;
}

bool weir_pass_save_graph(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    const char *option = weir_pass_string(pass, "save_dir");
    const char *folder = *option != '\0' ? option : weir_module_folder(module);
    const bool all = *weir_pass_string(pass, "graph") == '\0';
    const weir_graph *one = weir_interface_graph(module, pass);
    json_t *names = json_array(), *list = json_pack("{s:O}", "graphs", names);
    weir_folder *output = one == NULL ? NULL : weir_folder_open(folder, WEIR_FOLDER_SHARED);
    const char *to = output == NULL ? NULL : weir_folder_staging(output);
    bool fine = output != NULL;
    for (size_t i = 0; fine && all && i < weir_module_graph_count(module); i++)
        fine = save_one(weir_module_graph(module, i), to, names);
    if (fine && !all) fine = save_one(one, to, names);
    if (fine) fine = save_list(to, list);
    if (fine) fine = weir_folder_commit(output);
    else weir_folder_abandon(output);
    if (fine) json_object_update(weir_pass_record(context), list);
    json_decref(names);
    json_decref(list);
    return fine;
}
