/* init_metadata: makes sure that every node has the three groups of metadata. Here each node has them from the start,
 * so there is nothing to make; and what passes have stored stays, unlike in MASE, where a second run erases all. */
#include "passes/passes.h"

bool weir_pass_init_metadata(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    (void)graph;
    weir_pass_record(context);
    return true;
}
