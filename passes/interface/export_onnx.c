/* export_onnx: a graph of the module as an ONNX file, in a form of the user's choice. */
#include <stdlib.h>

#include "frontend/export/onnx_export.h"
#include "ir/graph/graph.h"
#include "passes/interface/form.h"
#include "passes/interface/interface.h"
#include "passes/interface/release_states.h"

bool weir_pass_export_onnx(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    const weir_graph *graph = weir_interface_graph(module, pass);
    weir_interface_file file;
    if (graph == NULL || !weir_interface_open(module, pass, "file", ".onnx", &file)) return false;
    weir_onnx_export_options options = {.opset = weir_pass_int(pass, "opset"), .name = weir_module_name(module)};
    weir_graph *formed = weir_form_convert(graph, (weir_form)weir_pass_choice(pass, "form"), options.opset);
    if (formed != NULL) weir_release_states(formed);
    const bool fine = formed != NULL && weir_onnx_export(formed, file.path, &options);
    if (fine) json_object_set_new(weir_pass_record(context), "onnx_path", json_string(file.name));
    weir_graph_free(formed);
    return weir_interface_close(&file, fine);
}
