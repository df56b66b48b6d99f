/* emit_bram: the content of every parameter memory as FOLDER/rtl/NODE_PARAMETER.hex. */
#include <stdlib.h>

#include "dataflow/memory.h"
#include "passes/verilog/emit.h"
#include "support/file/file.h"

static bool write_memory(const weir_graph *graph, weir_node node, const weir_memory *memory, const char *folder) {
    weir_text text = {NULL, 0, 0};
    weir_memory_print(graph, node, memory, &text);
    char *file = weir_memory_file(graph, node, memory), *path = weir_path_join(folder, file);
    bool fine = weir_file_write(path, text.data, text.size);
    free(file);
    free(path);
    weir_text_free(&text);
    return fine;
}

bool weir_pass_emit_bram(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    const weir_graph *graph = weir_module_find_graph(module, "hardware");
    weir_folder *output = weir_emit_open(pass, module);
    char *folder = output == NULL ? NULL : weir_emit_folder(output, "rtl");
    bool fine = folder != NULL;
    for (weir_node node = fine ? weir_graph_first(graph) : WEIR_NO_NODE; fine && node.id != 0;
         node = weir_node_next(graph, node)) {
        weir_memory memory;
        for (size_t i = 0; fine && weir_memory_get(graph, node, i, &memory); i++)
            fine = write_memory(graph, node, &memory, folder);
        weir_pass_count(context, "memory bits", weir_memory_bits(graph, node));
    }
    free(folder);
    return weir_emit_close(output, fine);
}
