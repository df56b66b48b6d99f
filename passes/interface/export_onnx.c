/* export_onnx: a graph of the module as an ONNX file. */
#include <stdlib.h>

#include "frontend/onnx_export.h"
#include "passes/interface/interface.h"

bool weir_pass_export_onnx(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    const weir_graph *graph = weir_interface_graph(module, pass);
    char *path = graph == NULL ? NULL : weir_interface_path(module, pass, "file", ".onnx");
    weir_onnx_export_options options = {.opset = weir_pass_int(pass, "opset"), .name = weir_module_name(module)};
    bool fine = path != NULL && weir_onnx_export(graph, path, &options);
    if (fine) json_object_set_new(weir_pass_record(context), "onnx_path", json_string(path));
    free(path);
    return fine;
}
