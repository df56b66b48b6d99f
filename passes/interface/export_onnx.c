/* export_onnx: a graph of the module as an ONNX file, in a form of the user's choice. */
#include <stdlib.h>

#include "frontend/onnx_export.h"
#include "ir/graph.h"
#include "passes/interface/form.h"
#include "passes/interface/interface.h"

bool weir_pass_export_onnx(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    const weir_graph *graph = weir_interface_graph(module, pass);
    char *path = graph == NULL ? NULL : weir_interface_path(module, pass, "file", ".onnx");
    weir_onnx_export_options options = {.opset = weir_pass_int(pass, "opset"), .name = weir_module_name(module)};
    weir_graph *formed = path == NULL ? NULL : weir_form_convert(graph, (weir_form)weir_pass_choice(pass, "form"));
    bool fine = formed != NULL && weir_onnx_export(formed, path, &options);
    if (fine) json_object_set_new(weir_pass_record(context), "onnx_path", json_string(path));
    weir_graph_free(formed);
    free(path);
    return fine;
}
