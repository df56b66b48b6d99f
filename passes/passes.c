#include "passes/passes.h"

#include "passes/requirement.h"
#include "passes/rtl/forms.h"
#include "passes/rtl/hierarchy/module_hash.h"

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
    {"fuse_ops.max_depth", WEIR_PASS_INT, "256", "1..", "largest number of nodes in a group"}};

/* Pipelines by name. Those of hardware passes lead from a design as elaborated to Verilog. */
static const struct {
    weir_pass_kind kind;
    const char *name, *text, *help;
} pipelines[] = {
    {WEIR_PASS_MODULE, "compile",
     "lower_integer,set_target,realize_requantize,partition,choose_folding,insert_streams,size_fifos,verify_lowering,emit_verilog_top,"
     "emit_bram,emit_internal_rtl,emit_verilog_tb,emit_host",
     "compiles an imported, quantized model into a folder of hardware"},
    {WEIR_PASS_GRAPH, "fold_scale_axis", "backward_fold_scale_axis,forward_fold_scale_axis,fold_constant",
     "folds per-channel scales into weights"},
    {WEIR_PASS_GRAPH, "default",
     "infer_type,simplify_inference,eliminate_common_subexpr,combine_parallel_conv2d,fold_constant,fold_scale_axis,"
     "simplify_expr,canonicalize_ops,dead_code_elimination,fuse_ops",
     "optimizes any tensor graph, in the order of TVM's build"},
    {WEIR_PASS_HARDWARE, "elaborate",
     "realize_fsm,infer_property_clocking,decouple_generator_ports,fix_assignment_type,hash_generators,uniquify_generators,"
     "create_module_instantiation",
     "turns a design under construction into one that can be emitted"},
    {WEIR_PASS_HARDWARE, "check",
     "verify_generator_connectivity,verify_assignments,check_combinational_loop,check_mixed_assignment,"
     "check_always_sensitivity,check_inferred_latch,check_active_high,check_function_return,check_multiple_driver,"
     "check_flip_flop_always_ff{resets_only=true}",
     "runs the checks that every hardware design should pass"},
    {WEIR_PASS_HARDWARE, "clean",
     "merge_if_block,transform_if_to_case,remove_fanout_one_wires,merge_wire_assignments,remove_unused_vars,"
     "remove_unused_stmts,remove_empty_block{invert=false}",
     "shortens hardware designs without changing what they compute"},
    {WEIR_PASS_HARDWARE, "verilog",
     "check_unreachable,realize_fsm,infer_property_clocking,zero_out_stubs,zero_generator_inputs,verify_generator_connectivity,remove_pass_through_modules,"
     "inline_instance,change_port_bundle_struct,fix_assignment_type,clean,merge_const_port_assignment,elaborate,"
     "insert_verilator_public,check",
     "brings any hardware design to Verilog: clean-up, elaboration and checks"},
};

bool weir_passes_register(weir_pass_registry *registry) {
    bool fine = weir_pass_registry_add_all(registry, infos, sizeof infos / sizeof *infos);
    fine = fine && weir_pass_registry_add_analysis(registry, &weir_module_hashes_analysis);
    fine = fine && weir_hardware_register_forms(registry) && weir_requirement_register(registry);
    for (size_t i = 0; fine && i < sizeof configuration / sizeof *configuration; i++)
        fine = weir_pass_registry_add_config(registry, &configuration[i]);
    for (size_t i = 0; fine && i < sizeof pipelines / sizeof *pipelines; i++)
        fine = weir_pass_registry_add_pipeline(registry, pipelines[i].kind, pipelines[i].name, pipelines[i].text,
                                               pipelines[i].help);
    return fine;
}
