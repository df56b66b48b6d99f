/* Of nodes that compute the same, the first stays. Same: the operator, its attributes, the types of its outputs, and
 * its inputs, where one-element constants are equal by content, and so are the short int64 vectors by which ONNX gives
 * shapes and axes; other constants are equal when they are one value. The order of inputs counts, even for commutative
 * operators. Nodes without inputs and the operators of `skip` stay. One walk and a map: a node whose inputs were merged
 * is seen after them. O(size). */
#include <stdlib.h>
#include <string.h>

#include "passes/graph/rewrite.h"
#include "passes/passes.h"
#include "support/memory/arena.h"
#include "support/memory/hash.h"
#include "support/memory/map.h"
#include "support/text/suggest.h"

typedef struct candidates {
    const weir_graph *graph;
    weir_map nodes; /* by what they compute */
    bool *skip;     /* by operator */
} candidates;

static void hash_attribute(weir_hash *hash, const weir_attribute *attribute) {
    weir_hash_add_string(hash, attribute->name);
    switch (attribute->kind) {
    case WEIR_ATTRIBUTE_INT: weir_hash_add(hash, &attribute->as.i, sizeof attribute->as.i); break;
    case WEIR_ATTRIBUTE_FLOAT: weir_hash_add(hash, &attribute->as.f, sizeof attribute->as.f); break;
    case WEIR_ATTRIBUTE_STRING: weir_hash_add_string(hash, attribute->as.s); break;
    case WEIR_ATTRIBUTE_INTS: weir_hash_add(hash, attribute->as.ints, attribute->count * sizeof(int64_t)); break;
    case WEIR_ATTRIBUTE_FLOATS: weir_hash_add(hash, attribute->as.floats, attribute->count * sizeof(double)); break;
    }
}

/* Of operator, inputs and attributes. */
static uint32_t hash_of(const weir_graph *graph, weir_node node) {
    weir_hash hash = weir_hash_start();
    const weir_op op = weir_node_op(graph, node);
    weir_hash_add(&hash, &op, sizeof op);
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
        const weir_value input = weir_node_input(graph, node, i);
        const weir_array *constant = weir_rewrite_small_constant(graph, input);
        if (constant == NULL) weir_hash_add(&hash, &input.id, sizeof input.id);
        else weir_hash_add(&hash, constant->data, constant->count * weir_dtype_size(constant->dtype));
    }
    for (size_t i = 0; i < weir_node_attribute_count(graph, node); i++)
        hash_attribute(&hash, weir_node_attribute_at(graph, node, i));
    return (uint32_t)hash.low;
}

typedef struct wanted {
    const weir_graph *graph;
    weir_node node;
} wanted;

static bool is_same(const void *user, uint64_t other, uint64_t value) {
    (void)value;
    const wanted *w = user;
    return weir_rewrite_same_node(w->graph, (weir_node){(uint32_t)other}, w->node);
}

/* An earlier node that computes the same; without one the node becomes a candidate itself. */
static weir_node find_same(candidates *known, weir_node node) {
    const wanted w = {known->graph, node};
    bool is_new;
    weir_map_entry *entry = weir_map_put_as(&known->nodes, hash_of(known->graph, node), is_same, &w, &is_new);
    if (!is_new) return (weir_node){(uint32_t)entry->key};
    entry->key = node.id;
    return WEIR_NO_NODE;
}

static bool is_candidate(const candidates *known, weir_node node) {
    return weir_node_input_count(known->graph, node) > 0 && !known->skip[weir_node_op(known->graph, node)] &&
           weir_rewrite_may(known->graph, node);
}

/* Marks the operators of a list "Add, Relu". */
static bool read_skip(const char *list, bool *skip) {
    const char **names = weir_calloc(weir_op_limit(), sizeof *names);
    for (weir_op op = 0; op < weir_op_limit(); op++) names[op] = weir_op_get(op)->full_name;
    char *text = weir_copy_string(list), *rest = text;
    bool fine = true;
    for (char *name; fine && (name = strtok_r(rest, ", ", &rest)) != NULL;) {
        const weir_op op = weir_op_find_full(name);
        skip[op] = true;
        fine = op != WEIR_OP_NONE;
        if (fine) continue;
        const char *near = weir_suggest(name, names + 1, weir_op_limit() - 1);
        weir_error(WEIR_NOWHERE, "option 'skip': unknown operator '%s'", name);
        if (near != NULL) weir_note("did you mean '%s'?", near);
    }
    free(text);
    free(names);
    return fine;
}

static void merge(weir_rewrite *rewrite, weir_node node, weir_node same) {
    for (size_t i = 0; i < weir_node_output_count(rewrite->graph, node); i++)
        weir_rewrite_replace(rewrite, weir_node_output(rewrite->graph, node, i),
                             weir_node_output(rewrite->graph, same, i));
    weir_rewrite_remove(rewrite, node);
}

bool weir_pass_eliminate_common_subexpr(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    candidates known = {.graph = graph, .skip = weir_calloc(weir_op_limit(), sizeof(bool))};
    if (!read_skip(weir_pass_string(pass, "skip"), known.skip)) {
        free(known.skip);
        return false;
    }
    weir_rewrite rewrite = {.graph = graph};
    for (weir_node node = weir_graph_first(graph), next; node.id != 0; node = next) {
        next = weir_node_next(graph, node);
        if (!is_candidate(&known, node)) continue;
        const weir_node same = find_same(&known, node);
        if (same.id != 0) merge(&rewrite, node, same);
    }
    free(known.skip);
    weir_map_free(&known.nodes);
    weir_pass_count(context, "nodes merged", (int64_t)rewrite.count);
    if (rewrite.count == 0) weir_pass_unchanged(context);
    return weir_rewrite_finish(&rewrite);
}
