/* choose_folding: components for all nodes and how they are folded (dataflow/folding.h). */
#include "dataflow/component.h"
#include "dataflow/folding.h"
#include "passes/passes.h"

bool weir_choose_folding(weir_graph *graph, int64_t target, int64_t budget, const char *file) {
    return weir_component_assign(graph) && weir_folding_choose(graph, target, budget, file);
}

bool weir_pass_choose_folding(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    (void)context;
    return weir_choose_folding(weir_module_find_graph(module, "hardware"), weir_pass_int(pass, "target-interval"),
                               weir_pass_int(pass, "max-macs"), weir_pass_string(pass, "file"));
}
