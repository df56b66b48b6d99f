/* The model as compilations start from it. Exporters write down how they got at a shape, keep dropouts and copies, and
 * convert types back and forth; none of that becomes hardware, and removing it needs no flag. The imported graph stays
 * as it is, for reports. Each step keeps every bit of the results. O(size + work of the folded nodes). */
#include "ir/graph/graph.h"
#include "passes/passes.h"

weir_graph *weir_tidy(const weir_graph *model) {
    weir_graph *graph = weir_graph_copy(model);
    size_t folded, simplified;
    if (weir_fold_constants(graph, false, &folded) && weir_simplify_expressions(graph, true, &simplified)) {
        weir_eliminate_dead_code(graph);
        return graph;
    }
    weir_graph_free(graph);
    return NULL;
}
