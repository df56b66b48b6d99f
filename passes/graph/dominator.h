/* The graph for operator fusion: nodes in execution order, edges that say how a user reads a value, and the
 * post-dominator tree over both. */
#ifndef WEIR_TRANSFORM_DOMINATOR_H
#define WEIR_TRANSFORM_DOMINATOR_H

#include "ir/graph/graph.h"
#include "passes/graph/fusion.h"

#define WEIR_NO_VERTEX UINT32_MAX

typedef struct weir_fusion_edge {
    uint32_t to;
    weir_fusion_pattern pattern; /* of the user, ELEMWISE where a broadcast changes no shape */
} weir_fusion_edge;

typedef struct weir_fusion_vertex {
    weir_node node;
    weir_fusion_pattern pattern;
    bool is_leaving;     /* a result is used outside the graph: nothing can be fused after it */
    uint32_t first_edge; /* its edges end where those of the next vertex begin */
    /* Post-dominator tree. `parent`, which all paths out pass, or WEIR_NO_VERTEX; the strictest pattern on any path
     * there. `jump` is an ancestor far above, so that climbing the tree takes O(log n) steps. */
    uint32_t parent, depth, jump;
    weir_fusion_pattern parent_pattern, jump_pattern;
} weir_fusion_vertex;

typedef struct weir_fusion_graph {
    weir_fusion_vertex *vertex; /* count + 1 of them, the last for the end of the edges */
    uint32_t count;
    weir_fusion_edge *edge;
} weir_fusion_graph;

/* `is_stopped`, by node, marks nodes to treat as leaving. O((nodes + edges) * log nodes). */
void weir_fusion_graph_init(weir_fusion_graph *fusion, const weir_graph *graph, const bool *is_stopped);
void weir_fusion_graph_free(weir_fusion_graph *fusion);

#endif
