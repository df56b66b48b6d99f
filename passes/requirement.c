#include "passes/requirement.h"

#include "dataflow/cost/target.h"
#include "dataflow/folding.h"
#include "passes/passes.h"
#include "passes/verilog/emit.h"
#include "rtlir/core/rtl.h"

static bool has_model(weir_module *module) { return weir_module_find_graph(module, "model") != NULL; }
static bool has_source(weir_module *module) { return weir_lower_source(module) != NULL; }
static bool has_integer(weir_module *module) { return weir_module_find_graph(module, "integer") != NULL; }
static bool has_hardware(weir_module *module) {
    const weir_graph *graph = weir_module_find_graph(module, "hardware");
    return graph != NULL && weir_target_check(graph);
}
/* A graph that choose_folding has not seen has no components at all, which is no folding to rely on. */
static bool is_folded(weir_module *module) {
    const weir_graph *graph = weir_module_find_graph(module, "hardware");
    if (graph == NULL) return false;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        if (!weir_node_metadata_of(graph, node)->hardware.assigned) return false;
    return weir_folding_verify(graph);
}
static bool has_graph(weir_module *module) { return weir_module_graph_count(module) > 0; }

static bool has_top(weir_module *module) {
    const weir_rtl_design *design = weir_module_design(module);
    return design != NULL && weir_rtl_find_module(design, weir_module_string(module, "top", "")).id != 0;
}

static bool has_streams(weir_module *module) {
    return has_top(module) && weir_module_data(module, WEIR_EMIT_STREAMS) != NULL;
}

/* The rows: name, what holds, the pass that makes it so, the check. */
#define REQUIREMENTS                                                                                                   \
    REQUIREMENT(any_graph, "the module has a graph", NULL, has_graph)                                                  \
    REQUIREMENT(model_graph, "the module has the imported graph 'model'", NULL, has_model)                             \
    REQUIREMENT(source_graph, "the module has a graph to lower: 'quantized', else 'model'", NULL, has_source)          \
    REQUIREMENT(integer_graph, "the module has the lowered graph 'integer'", "lower_integer", has_integer)             \
    REQUIREMENT(hardware_graph, "the module has the graph 'hardware' with its components", "realize_requantize",       \
                has_hardware)                                                                                          \
    REQUIREMENT(folded_graph, "every component of the graph 'hardware' has a legal folding", "choose_folding",         \
                is_folded)                                                                                             \
    REQUIREMENT(top_module, "the module has a design with a top module", "emit_verilog_top", has_top)                  \
    REQUIREMENT(top_streams, "the streams of the top module are known", "emit_verilog_top", has_streams)

#define REQUIREMENT(id, help_, remedy_, check)                                                                         \
    static bool holds_##id(weir_pass_context *context, weir_module *module) {                                          \
        (void)context;                                                                                                 \
        return check(module);                                                                                          \
    }
REQUIREMENTS
#undef REQUIREMENT

bool weir_requirement_register(weir_pass_registry *registry) {
#define REQUIREMENT(id, help_, remedy_, check)                                                                         \
    {.name = #id, .kind = WEIR_PASS_MODULE, .help = (help_), .remedy = (remedy_), .holds = {.module = holds_##id}},
    static const weir_pass_form forms[] = {REQUIREMENTS};
#undef REQUIREMENT
    return weir_pass_registry_add_forms(registry, forms, sizeof forms / sizeof *forms);
}
