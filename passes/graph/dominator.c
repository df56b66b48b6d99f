#include "passes/graph/dominator.h"

#include <stdlib.h>

#include "passes/graph/rewrite.h"
#include "support/memory/arena.h"

static weir_fusion_pattern stricter(weir_fusion_pattern a, weir_fusion_pattern b) { return a > b ? a : b; }

/* How the node reads one of its inputs. */
static weir_fusion_pattern edge_pattern(const weir_graph *graph, weir_use use, weir_fusion_pattern reader) {
    const weir_value value = weir_node_input(graph, use.node, use.index);
    const weir_shape *from = &weir_value_type(graph, value)->shape;
    const weir_shape *to = &weir_value_type(graph, weir_node_output(graph, use.node, 0))->shape;
    if (reader == WEIR_PATTERN_BROADCAST && weir_shape_equal(from, to)) reader = WEIR_PATTERN_ELEMWISE;
    /* One result of several is taken out of a tuple. */
    const bool is_part = weir_node_output_count(graph, weir_value_producer(graph, value)) > 1;
    return is_part ? stricter(reader, WEIR_PATTERN_INJECTIVE) : reader;
}

/* --- the tree --- */

/* The ancestor at the depth; patterns on the path are added to *pattern. */
static uint32_t climb(const weir_fusion_vertex *vertex, uint32_t v, uint32_t depth, weir_fusion_pattern *pattern) {
    while (vertex[v].depth > depth) {
        const bool far = vertex[vertex[v].jump].depth >= depth;
        *pattern = stricter(*pattern, far ? vertex[v].jump_pattern : vertex[v].parent_pattern);
        v = far ? vertex[v].jump : vertex[v].parent;
    }
    return v;
}

static uint32_t common_ancestor(const weir_fusion_vertex *vertex, uint32_t a, uint32_t b,
                                weir_fusion_pattern *pattern) {
    a = climb(vertex, a, vertex[b].depth, pattern);
    b = climb(vertex, b, vertex[a].depth, pattern);
    while (a != b) {
        if (vertex[a].parent == WEIR_NO_VERTEX) return WEIR_NO_VERTEX;
        const bool far = vertex[a].jump != vertex[b].jump;
        *pattern = stricter(*pattern, far ? vertex[a].jump_pattern : vertex[a].parent_pattern);
        *pattern = stricter(*pattern, far ? vertex[b].jump_pattern : vertex[b].parent_pattern);
        a = far ? vertex[a].jump : vertex[a].parent;
        b = far ? vertex[b].jump : vertex[b].parent;
    }
    return a;
}

/* Inserts a vertex into the tree, which holds its users already. Jumps grow as the digits of a skew binary number do
 * (Myers, "An applicative random-access stack", 1983). */
static void find_parent(weir_fusion_graph *fusion, uint32_t index) {
    weir_fusion_vertex *all = fusion->vertex, *v = &all[index];
    v->parent = WEIR_NO_VERTEX;
    v->parent_pattern = WEIR_PATTERN_ELEMWISE;
    v->jump = index;
    v->depth = 1;
    if (!v->is_leaving) {
        for (uint32_t i = v->first_edge; i < all[index + 1].first_edge; i++) {
            const weir_fusion_edge *edge = &fusion->edge[i];
            v->parent_pattern = stricter(v->parent_pattern, edge->pattern);
            v->parent = i == v->first_edge ? edge->to : common_ancestor(all, v->parent, edge->to, &v->parent_pattern);
            if (v->parent == WEIR_NO_VERTEX) break;
        }
    }
    if (v->parent == WEIR_NO_VERTEX) return;
    const weir_fusion_vertex *p = &all[v->parent], *near = &all[p->jump];
    const bool far = p->depth - near->depth == near->depth - all[near->jump].depth;
    v->depth = p->depth + 1;
    v->jump = far ? near->jump : v->parent;
    v->jump_pattern =
        far ? stricter(v->parent_pattern, stricter(p->jump_pattern, near->jump_pattern)) : v->parent_pattern;
}

/* --- vertices and edges --- */

static bool is_leaving(const weir_graph *graph, weir_node node) {
    for (size_t i = 0; i < weir_node_output_count(graph, node); i++)
        if (weir_value_is_output(graph, weir_node_output(graph, node, i))) return true;
    return false;
}

static uint32_t count_uses(const weir_graph *graph, weir_node node) {
    size_t count = 0;
    for (size_t i = 0; i < weir_node_output_count(graph, node); i++)
        count += weir_value_use_count(graph, weir_node_output(graph, node, i));
    return (uint32_t)count;
}

static void add_edges(weir_fusion_graph *fusion, const weir_graph *graph, const uint32_t *vertex_of, uint32_t index) {
    const weir_node node = fusion->vertex[index].node;
    uint32_t next = fusion->vertex[index].first_edge;
    for (size_t i = 0; i < weir_node_output_count(graph, node); i++) {
        const weir_value value = weir_node_output(graph, node, i);
        for (size_t k = 0; k < weir_value_use_count(graph, value); k++) {
            const weir_use use = weir_value_use(graph, value, k);
            const uint32_t to = vertex_of[use.node.id];
            fusion->edge[next++] = (weir_fusion_edge){to, edge_pattern(graph, use, fusion->vertex[to].pattern)};
        }
    }
}

void weir_fusion_graph_init(weir_fusion_graph *fusion, const weir_graph *graph, const bool *is_stopped) {
    uint32_t *vertex_of = weir_calloc(weir_graph_node_limit(graph), sizeof *vertex_of);
    uint32_t index = 0, edges = 0;
    fusion->count = (uint32_t)weir_graph_node_count(graph);
    fusion->vertex = weir_calloc(fusion->count + 1, sizeof *fusion->vertex);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        weir_fusion_vertex *v = &fusion->vertex[index];
        vertex_of[node.id] = index++;
        v->node = node;
        v->pattern =
            weir_rewrite_may(graph, node) ? weir_fusion_pattern_of(weir_node_op(graph, node)) : WEIR_PATTERN_OPAQUE;
        v->is_leaving = is_stopped[node.id] || is_leaving(graph, node);
        v->first_edge = edges;
        edges += count_uses(graph, node);
    }
    fusion->vertex[index].first_edge = edges;
    fusion->edge = weir_calloc(edges, sizeof *fusion->edge);
    for (uint32_t i = 0; i < index; i++) add_edges(fusion, graph, vertex_of, i);
    while (index > 0) find_parent(fusion, --index);
    free(vertex_of);
}

void weir_fusion_graph_free(weir_fusion_graph *fusion) {
    free(fusion->vertex);
    free(fusion->edge);
}
