#include "passes/passes.h"

#include "passes/rtl/module_hash.h"

#define WEIR_PASS WEIR_PASS_OPTIONS
#include "passes/pass.def"
#include "passes/rtl/rtl.def"
#undef WEIR_PASS

static const weir_pass_info infos[] = {
#define WEIR_PASS WEIR_PASS_RECORD
#include "passes/pass.def"
#include "passes/rtl/rtl.def"
#undef WEIR_PASS
};

static const weir_pass_option configuration[] = {
    {"fuse_ops.max_depth", WEIR_PASS_INT, "256", "1..", "most nodes of a group"}};

bool weir_passes_register(weir_pass_registry *registry) {
    for (size_t i = 0; i < sizeof configuration / sizeof *configuration; i++)
        if (!weir_pass_registry_add_config(registry, &configuration[i])) return false;
    return weir_pass_registry_add_all(registry, infos, sizeof infos / sizeof *infos) &&
           weir_pass_registry_add_analysis(registry, &weir_module_hashes_analysis) &&
           weir_pass_registry_add_pipeline(
               registry, WEIR_PASS_MODULE, "compile",
               "lower_integer,realize_requantize,choose_folding,insert_streams,size_fifos,emit_verilog_top,emit_bram,"
               "emit_internal_rtl,emit_verilog_tb",
               "from an imported, quantized model to a folder of hardware") &&
           weir_pass_registry_add_pipeline(registry, WEIR_PASS_GRAPH, "fold_scale_axis",
                                           "backward_fold_scale_axis,forward_fold_scale_axis,fold_constant",
                                           "scales by channel go into weights") &&
           weir_pass_registry_add_pipeline(
               registry, WEIR_PASS_HARDWARE, "elaborate",
               "decouple_generator_ports,hash_generators,uniquify_generators,create_module_instantiation",
               "from a hardware design as elaborated to one as emitted") &&
           weir_pass_registry_add_pipeline(
               registry, WEIR_PASS_GRAPH, "default",
               "infer_type,simplify_inference,eliminate_common_subexpr,combine_parallel_conv2d,fold_constant,"
               "fold_scale_axis,simplify_expr,canonicalize_ops,dead_code_elimination,fuse_ops",
               "what any tensor graph gains from, in the order of TVM's build");
}
