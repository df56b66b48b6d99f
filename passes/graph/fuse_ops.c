/* Groups of nodes that can run as one unit: TVM's operator fusion. A node joins its immediate post-dominator, with
 * everything between, when the patterns of the operators on all paths there allow it. Three phases: 0 elementwise
 * operators into the convolutions and products before them, and into what follows; 1 operators that move elements; 2 is
 * TVM's for tuples, which this IR does not have: Concat takes its inputs itself, so phases 0 and 1 do its work.
 *
 * A group is a number in the nodes' metadata. It has one node whose results leave it, at most one convolution, product
 * or reduction-like anchor, at most `max_depth` nodes and, when limited, at most `max_args` tensors that enter or leave
 * it. Constants are not nodes: those of one element belong to the group, others enter it.
 *
 * Cost: O(n log n) for the tree, then O(max_depth) a node, since no search looks at more nodes than a group may have.
 */
#include <stdlib.h>
#include <string.h>

#include "passes/graph/dominator.h"
#include "passes/graph/rewrite.h"
#include "passes/passes.h"
#include "support/memory/arena.h"

/* A group while groups grow: a set of vertices in a union-find forest. The root is the vertex whose result leaves. */
typedef struct group {
    uint32_t parent; /* in the forest; itself: root */
    uint32_t nodes;
    weir_fusion_pattern pattern; /* of the root's group: the anchor's when there is one */
    bool has_anchor;
    uint32_t next, last; /* members as a list from the root on, by vertex; `last` is right for roots */
} group;

typedef struct fuser {
    const weir_graph *graph;
    weir_fusion_graph fusion;
    group *groups;        /* by vertex */
    uint32_t search;      /* number of the search in progress; what it has seen carries it */
    uint32_t *seen;       /* by vertex: reached */
    uint32_t *seen_group; /* by vertex: root of a group that was reached */
    uint32_t *seen_value; /* by value: made within, or counted */
    uint32_t *between;    /* vertices from a source to its post-dominator, both included, in the order found */
    uint32_t *joined;     /* roots of their groups */
    uint32_t between_count, joined_count;
    uint32_t max_nodes;
    uint32_t max_args; /* 0: no limit */
} fuser;

static uint32_t root_of(fuser *f, uint32_t v) {
    uint32_t root = v;
    while (f->groups[root].parent != root) root = f->groups[root].parent;
    while (f->groups[v].parent != root) {
        const uint32_t next = f->groups[v].parent;
        f->groups[v].parent = root;
        v = next;
    }
    return root;
}

static void merge(fuser *f, uint32_t vertex, uint32_t into) {
    const uint32_t child = root_of(f, vertex), root = root_of(f, into);
    group *from = &f->groups[child], *to = &f->groups[root];
    if (child == root) return;
    from->parent = root;
    to->nodes += from->nodes;
    f->groups[to->last].next = child;
    to->last = from->last;
    if (!from->has_anchor) return;
    to->has_anchor = true;
    if (from->pattern > to->pattern) to->pattern = from->pattern;
}

/* --- what is between a vertex and its post-dominator --- */

/* Adds a vertex to the search; false when the groups reached have too many nodes for one. */
static bool reach(fuser *f, uint32_t vertex, uint32_t *nodes) {
    if (f->seen[vertex] == f->search) return true;
    f->seen[vertex] = f->search;
    f->between[f->between_count++] = vertex;
    const uint32_t root = root_of(f, vertex);
    if (f->seen_group[root] == f->search) return true;
    f->seen_group[root] = f->search;
    f->joined[f->joined_count++] = root;
    *nodes += f->groups[root].nodes;
    return *nodes <= f->max_nodes;
}

/* Finds all vertices on the paths from the source to the sink, and their groups; false when they are too many. */
static bool search(fuser *f, uint32_t source, uint32_t sink) {
    const weir_fusion_vertex *vertex = f->fusion.vertex;
    uint32_t nodes = 0;
    f->search++;
    f->between_count = f->joined_count = 0;
    if (!reach(f, source, &nodes) || !reach(f, sink, &nodes)) return false;
    for (uint32_t next = 0; next < f->between_count; next++) {
        const uint32_t v = f->between[next];
        for (uint32_t i = vertex[v].first_edge; v != sink && i < vertex[v + 1].first_edge; i++)
            if (!reach(f, f->fusion.edge[i].to, &nodes)) return false;
    }
    return true;
}

/* May what the search found become one group? The patterns between go up to `inner`, the sink's up to `end`. */
static bool allows(fuser *f, uint32_t source, uint32_t sink, weir_fusion_pattern inner, weir_fusion_pattern end) {
    for (uint32_t i = 0; i < f->between_count; i++) {
        const uint32_t v = f->between[i];
        if (v != source && f->groups[root_of(f, v)].pattern > (v == sink ? end : inner)) return false;
    }
    return true;
}

static bool is_scalar(const weir_graph *graph, weir_value value) {
    const weir_array *constant = weir_value_constant(graph, value);
    return constant != NULL && constant->count == 1;
}

static weir_node member(const fuser *f, uint32_t vertex) { return f->fusion.vertex[vertex].node; }

/* Inputs of the node that no search or node counted before. */
static uint32_t count_inputs(fuser *f, weir_node node) {
    uint32_t count = 0;
    for (size_t i = 0; i < weir_node_input_count(f->graph, node); i++) {
        const weir_value input = weir_node_input(f->graph, node, i);
        if (input.id == 0 || is_scalar(f->graph, input) || f->seen_value[input.id] == f->search) continue;
        f->seen_value[input.id] = f->search;
        count++;
    }
    return count;
}

/* Tensors that enter and leave the group that the search found; the sink's results leave it. */
static uint32_t count_args(fuser *f, uint32_t sink) {
    uint32_t count = (uint32_t)weir_node_output_count(f->graph, member(f, root_of(f, sink)));
    for (uint32_t i = 0; i < f->joined_count; i++)
        for (uint32_t v = f->joined[i]; v != WEIR_NO_VERTEX; v = f->groups[v].next)
            for (size_t k = 0; k < weir_node_output_count(f->graph, member(f, v)); k++)
                f->seen_value[weir_node_output(f->graph, member(f, v), k).id] = f->search;
    for (uint32_t i = 0; i < f->joined_count; i++)
        for (uint32_t v = f->joined[i]; v != WEIR_NO_VERTEX; v = f->groups[v].next)
            count += count_inputs(f, member(f, v));
    return count;
}

/* --- phases --- */

/* Do the patterns let the vertex and all between join its post-dominator? `search` has found those. */
static bool may_join(fuser *f, uint32_t index, int phase) {
    const weir_fusion_vertex *v = &f->fusion.vertex[index];
    const weir_fusion_pattern own = f->groups[index].pattern, path = v->parent_pattern;
    if (own == WEIR_PATTERN_OUT_ELEMWISE)
        return phase == 0 && path == WEIR_PATTERN_ELEMWISE &&
               allows(f, index, v->parent, WEIR_PATTERN_BROADCAST, WEIR_PATTERN_BROADCAST);
    if (own <= WEIR_PATTERN_BROADCAST)
        return path <= WEIR_PATTERN_REDUCE &&
               allows(f, index, v->parent, WEIR_PATTERN_INJECTIVE, WEIR_PATTERN_OUT_ELEMWISE);
    return own == WEIR_PATTERN_INJECTIVE && phase == 1 &&
           allows(f, index, v->parent, WEIR_PATTERN_INJECTIVE, WEIR_PATTERN_INJECTIVE);
}

static void run_phase(fuser *f, int phase) {
    for (uint32_t index = 0; index < f->fusion.count; index++) {
        const weir_fusion_vertex *v = &f->fusion.vertex[index];
        if (f->groups[index].pattern == WEIR_PATTERN_OPAQUE || v->parent == WEIR_NO_VERTEX) continue;
        if (root_of(f, index) == root_of(f, v->parent) || !search(f, index, v->parent)) continue;
        if (!may_join(f, index, phase)) continue;
        if (f->max_args != 0 && count_args(f, v->parent) > f->max_args) continue;
        for (uint32_t i = 0; i < f->between_count; i++) merge(f, f->between[i], v->parent);
    }
}

/* --- the pass --- */

/* Numbers groups in the order of their first nodes; returns how many numbers changed. */
static int64_t number_groups(fuser *f, weir_graph *graph, uint32_t *groups) {
    uint32_t *number = weir_calloc(f->fusion.count, sizeof *number);
    int64_t changed = 0;
    *groups = 0;
    for (uint32_t v = 0; v < f->fusion.count; v++) {
        if (!weir_rewrite_may(graph, member(f, v))) continue;
        const uint32_t root = root_of(f, v);
        if (number[root] == 0) number[root] = ++*groups;
        uint32_t *to = &weir_node_metadata(graph, member(f, v))->common.group;
        changed += *to != number[root];
        *to = number[root];
    }
    free(number);
    return changed;
}

/* Marks the nodes of a list "a, b". */
static bool read_stops(const weir_graph *graph, const char *list, bool *is_stopped) {
    char *text = weir_copy_string(list), *rest = text;
    bool fine = true;
    for (char *name; fine && (name = strtok_r(rest, ", ", &rest)) != NULL;) {
        const weir_node node = weir_graph_find_node(graph, name);
        fine = node.id != 0;
        if (fine) is_stopped[node.id] = true;
        else weir_error(WEIR_NOWHERE, "option 'stop_after': graph '%s' has no node '%s'", weir_graph_name(graph), name);
    }
    free(text);
    return fine;
}

static void fuser_init(fuser *f, const weir_graph *graph) {
    const uint32_t count = f->fusion.count;
    f->graph = graph;
    f->groups = weir_calloc(count, sizeof *f->groups);
    f->seen = weir_calloc(count, sizeof *f->seen);
    f->seen_group = weir_calloc(count, sizeof *f->seen_group);
    f->seen_value = weir_calloc(weir_graph_value_limit(graph), sizeof *f->seen_value);
    f->between = weir_calloc(count, sizeof *f->between);
    f->joined = weir_calloc(count, sizeof *f->joined);
    for (uint32_t v = 0; v < count; v++) {
        const weir_fusion_pattern pattern = f->fusion.vertex[v].pattern;
        f->groups[v] = (group){v, 1, pattern, pattern == WEIR_PATTERN_OUT_ELEMWISE, WEIR_NO_VERTEX, v};
    }
}

static void fuser_free(fuser *f) {
    weir_fusion_graph_free(&f->fusion);
    free(f->groups);
    free(f->seen);
    free(f->seen_group);
    free(f->seen_value);
    free(f->between);
    free(f->joined);
}

bool weir_pass_fuse_ops(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    bool *is_stopped = weir_calloc(weir_graph_node_limit(graph), sizeof *is_stopped);
    if (!read_stops(graph, weir_pass_string(pass, "stop_after"), is_stopped)) {
        free(is_stopped);
        return false;
    }
    const int64_t level = weir_pass_int(pass, "fuse_opt_level"), depth = weir_pass_int(pass, "max_depth");
    const int64_t most = depth == 0 ? weir_pass_config_int(context, "fuse_ops.max_depth") : depth;
    const int64_t args = weir_pass_int(pass, "max_args");
    fuser f = {.max_nodes = most > UINT32_MAX ? UINT32_MAX : (uint32_t)most,
               .max_args = args > UINT32_MAX ? 0 : (uint32_t)args};
    weir_fusion_graph_init(&f.fusion, graph, is_stopped);
    fuser_init(&f, graph);
    const bool any = (level < 0 ? weir_pass_context_level(context) : level) > 0;
    for (int phase = 0; any && phase < 2; phase++) run_phase(&f, phase);
    uint32_t groups;
    if (number_groups(&f, graph, &groups) == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "groups", groups);
    fuser_free(&f);
    free(is_stopped);
    return true;
}
