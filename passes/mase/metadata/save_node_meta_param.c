/* save_node_meta_param: the metadata of each node as YAML. */
#include <stdlib.h>

#include "passes/interface/interface.h"
#include "passes/mase/metadata/node_meta.h"
#include "passes/mase/metadata/node_meta_param.h"
#include "support/file/file.h"
#include "support/text/yaml.h"

bool weir_node_meta_param_save(const weir_graph *graph, const char *path) {
    json_t *root = json_object();
    weir_fx_view *view = weir_fx_view_new(graph);
    for (size_t i = 0; i < weir_fx_view_count(view); i++) {
        const weir_fx_node *node = weir_fx_view_at(view, i);
        json_t *groups = json_object();
        for (int k = 0; k < WEIR_META_GROUPS; k++) {
            weir_meta_group group = (weir_meta_group)k;
            json_object_set_new(groups, weir_meta_group_name(group), weir_node_meta(view, node, group, NULL));
        }
        json_object_set_new(root, node->name, groups);
    }
    weir_fx_view_free(view);
    weir_text text = {NULL, 0, 0};
    weir_yaml_print(root, &text);
    json_decref(root);
    bool fine = weir_file_write(path, text.data, text.size);
    weir_text_free(&text);
    return fine;
}

bool weir_pass_save_node_meta_param(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    const weir_graph *graph = weir_interface_graph(module, pass);
    weir_interface_file file;
    (void)context;
    if (graph == NULL || !weir_interface_open(module, pass, "path", WEIR_NODE_META_PARAM_ENDING, &file)) return false;
    return weir_interface_close(&file, weir_node_meta_param_save(graph, file.path));
}
