/* Types of the whole graph from those of its inputs and constants: element type, shape, quantization and proven range.
 * Every other pass keeps them up to date; this one is for graphs from other sources, and reports where the types of one
 * do not fit. O(size), and O(constant) where a range depends on one. */
#include "ir/shape/infer.h"
#include "passes/passes.h"

#include <stdlib.h>

#include "support/memory/arena.h"

bool weir_pass_infer_type(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    const uint32_t limit = weir_graph_value_limit(graph);
    weir_type *before = weir_calloc(limit, sizeof *before);
    for (uint32_t id = 1; id < limit; id++) {
        const weir_value value = {id};
        if (weir_value_exists(graph, value)) before[id] = *weir_value_type(graph, value);
    }
    const bool fine = weir_infer_graph(graph);
    int64_t changed = 0;
    for (uint32_t id = 1; id < limit; id++) {
        const weir_value value = {id};
        changed += weir_value_exists(graph, value) && !weir_type_equal(&before[id], weir_value_type(graph, value));
    }
    free(before);
    weir_pass_count(context, "types changed", changed);
    if (changed == 0) weir_pass_unchanged(context);
    return fine;
}
