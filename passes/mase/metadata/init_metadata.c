/* init_metadata: makes sure that every node has the three groups of metadata. Here each node has them from the start,
 * so there is nothing to make; and what passes have stored stays, unlike in MASE, where a second run erases all.
 * patch_metadata: gives the arguments and results of operators that quantization left out the precision of their
 * neighbours. Here every value has the type that the graph gives it, so there is nothing to patch. */
#include "passes/passes.h"

bool weir_pass_init_metadata(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    (void)graph;
    weir_pass_record(context);
    return true;
}

bool weir_pass_patch_metadata(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    return weir_pass_init_metadata(pass, context, graph);
}
