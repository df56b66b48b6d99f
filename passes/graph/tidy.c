/* The model as compilations start from it. Exporters write down how they got at a shape, keep dropouts and copies, and
 * convert types back and forth; none of that becomes hardware, and removing it needs no flag. The imported graph stays
 * as it is, for reports. Each step keeps every bit of the results. O(size + work of the folded nodes). */
#include "ir/graph/graph.h"
#include "ir/trait/trait.h"
#include "passes/graph/rewrite.h"
#include "passes/passes.h"

/* A vector on the left is a row, on the right a column. */
static weir_value as_matrix(weir_rewrite *r, weir_value value, bool left) {
    const weir_shape *shape = &weir_value_type(r->graph, value)->shape;
    if (shape->rank != 1) return value;
    const weir_shape row = {2, {1, shape->dim[0]}}, column = {2, {shape->dim[0], 1}};
    return weir_rewrite_reshape(r, left ? "row" : "column", value, left ? &row : &column);
}

static bool multiplies_vector(const weir_graph *graph, weir_node node) {
    if (weir_trait_kind(graph, node) != WEIR_OP_MATMUL || !weir_rewrite_may(graph, node)) return false;
    return weir_value_type(graph, weir_node_input(graph, node, 0))->shape.rank == 1 ||
           weir_value_type(graph, weir_node_input(graph, node, 1))->shape.rank == 1;
}

/* A MatMul with a vector becomes one of matrices, whose result has the dimensions of the file's. */
static bool widen_vectors(weir_graph *graph) {
    weir_rewrite r = {.graph = graph};
    for (weir_node node = weir_graph_first(graph), next; node.id != 0; node = next) {
        next = weir_node_next(graph, node);
        if (!multiplies_vector(graph, node)) continue;
        r.at = node;
        const weir_shape shape = weir_value_type(graph, weir_node_output(graph, node, 0))->shape;
        const weir_value left = as_matrix(&r, weir_node_input(graph, node, 0), true),
                         right = as_matrix(&r, weir_node_input(graph, node, 1), false),
                         product = WEIR_REWRITE_NODE(&r, WEIR_OP_MATMUL, "product", left, right);
        weir_rewrite_become(&r, weir_rewrite_reshape(&r, "vector", product, &shape));
    }
    return weir_rewrite_finish(&r);
}

weir_graph *weir_tidy(const weir_graph *model) {
    weir_graph *graph = weir_graph_copy(model);
    size_t folded, simplified;
    if (widen_vectors(graph) && weir_fold_constants(graph, WEIR_FOLD_FILLED, &folded) &&
        weir_simplify_expressions(graph, true, &simplified)) {
        weir_eliminate_dead_code(graph);
        return graph;
    }
    weir_graph_free(graph);
    return NULL;
}
