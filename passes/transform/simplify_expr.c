/* Nodes that compute nothing, or the same as fewer, go; every rewriting keeps each bit of the results. One walk in
 * execution order: a rule looks at a node and at what makes its input, which is simple already. O(size).
 *
 * x + 0 is x but for one value: -0.0 + 0.0 is 0.0. So real additions of 0.0 stay unless `signed_zeros` is off; x - 0.0,
 * and x + -0.0, keep the sign and go. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/infer.h"
#include "passes/passes.h"
#include "passes/transform/rewrite.h"
#include "support/arena.h"

typedef struct simplifier {
    weir_rewrite rewrite;
    bool signed_zeros;
} simplifier;

static weir_value input_of(const simplifier *s, weir_node node, size_t index) {
    return weir_node_input(s->rewrite.graph, node, index);
}

static const weir_shape *shape_of(const simplifier *s, weir_value value) {
    return &weir_value_type(s->rewrite.graph, value)->shape;
}

/* Removes what made `value` when nobody uses it any more. */
static void drop_unused(simplifier *s, weir_value value) {
    const weir_graph *graph = s->rewrite.graph;
    if (!weir_value_exists(graph, value)) return;
    const weir_node producer = weir_value_producer(graph, value);
    if (producer.id != 0 && weir_node_output_count(graph, producer) == 1 && weir_value_use_count(graph, value) == 0 &&
        !weir_value_is_output(graph, value))
        weir_rewrite_remove(&s->rewrite, producer);
}

/* The node's result is `with`, which is its input or that of the node before it. */
static bool become(simplifier *s, weir_node node, weir_value with) {
    const weir_value between = input_of(s, node, 0);
    weir_rewrite_replace(&s->rewrite, weir_node_output(s->rewrite.graph, node, 0), with);
    weir_rewrite_remove(&s->rewrite, node);
    drop_unused(s, between);
    return true;
}

/* The node takes its first input from `from`, past the node before it. */
static bool take_from(simplifier *s, weir_node node, weir_value from) {
    weir_graph *graph = s->rewrite.graph;
    const weir_value between = input_of(s, node, 0), output = weir_node_output(graph, node, 0);
    const weir_type before = *weir_value_type(graph, output);
    weir_node_set_input(graph, node, 0, from);
    drop_unused(s, between);
    if (!weir_infer_node(graph, node) || !weir_type_equal(&before, weir_value_type(graph, output)))
        s->rewrite.is_stale = true;
    return true;
}

/* The producer of the node's first input when it has this operator and may be passed by. */
static weir_node producer_with(const simplifier *s, weir_node node, weir_op op) {
    const weir_node producer = weir_value_producer(s->rewrite.graph, input_of(s, node, 0));
    const bool fits = producer.id != 0 && weir_node_op(s->rewrite.graph, producer) == op &&
                      weir_rewrite_may(s->rewrite.graph, producer);
    return fits ? producer : WEIR_NO_NODE;
}

/* --- elementwise --- */

static bool simplify_identity(simplifier *s, weir_node node) { return become(s, node, input_of(s, node, 0)); }

static bool simplify_relu(simplifier *s, weir_node node) {
    return producer_with(s, node, WEIR_OP_RELU).id != 0 && become(s, node, input_of(s, node, 0));
}

/* Is the operand a constant with the same bits of `number` everywhere? */
static bool is_filled(const simplifier *s, weir_value value, double number) {
    const weir_array *constant = weir_value_constant(s->rewrite.graph, value);
    if (constant == NULL) return false;
    for (size_t i = 0; i < constant->count; i++) {
        const double found = weir_array_get(constant, i);
        if (found != number || signbit(found) != signbit(number)) return false;
    }
    return constant->count > 0;
}

/* The other operand alone, when operand `index` is neutral and its shape does not widen the result. */
static bool drop_operand(simplifier *s, weir_node node, size_t index) {
    const weir_value other = input_of(s, node, 1 - index);
    return weir_shape_equal(shape_of(s, other), shape_of(s, weir_node_output(s->rewrite.graph, node, 0))) &&
           become(s, node, other);
}

static bool simplify_add(simplifier *s, weir_node node) {
    for (size_t i = 0; i < 2; i++) {
        const weir_value operand = input_of(s, node, i);
        const bool is_float = weir_dtype_is_float(weir_value_type(s->rewrite.graph, operand)->dtype);
        const bool zero = is_filled(s, operand, 0.0) && (!is_float || !s->signed_zeros);
        if ((zero || (is_float && is_filled(s, operand, -0.0))) && drop_operand(s, node, i)) return true;
    }
    return false;
}

/* --- shape --- */

/* Only another shape of the same elements in the same order. */
static bool is_view(weir_op op) { return op == WEIR_OP_RESHAPE || op == WEIR_OP_FLATTEN; }

/* A Reshape of `from` to the output's shape, spelled out, takes the node's place and names. A 0 would copy. */
static bool reshape(simplifier *s, weir_node node, weir_value from) {
    weir_graph *graph = s->rewrite.graph;
    const weir_value output = weir_node_output(graph, node, 0);
    const char *node_name = weir_node_name(graph, node), *output_name = weir_value_name(graph, output);
    const weir_shape *to = shape_of(s, output);
    weir_array *shape = weir_array_new(WEIR_INT64, &(weir_shape){1, {to->rank}});
    bool any_zero = false;
    for (int i = 0; i < to->rank; i++) {
        weir_array_set_int(shape, (size_t)i, to->dim[i]);
        any_zero = any_zero || to->dim[i] == 0;
    }
    char *name = weir_format("%s_shape", node_name);
    const weir_value inputs[] = {from, weir_graph_add_constant(graph, name, shape)};
    const weir_node made = weir_graph_add_node(graph, WEIR_OP_RESHAPE, node_name, inputs, 2, 1, node);
    free(name);
    weir_array_free(shape);
    weir_node_set_location(graph, made, weir_node_location(graph, node));
    if (any_zero) weir_node_set_int(graph, made, "allowzero", 1);
    if (!weir_infer_node(graph, made)) s->rewrite.is_stale = true;
    become(s, node, weir_node_output(graph, made, 0));
    weir_node_rename(graph, made, node_name, "");
    weir_value_set_name(graph, weir_node_output(graph, made, 0), output_name);
    return true;
}

/* Does the Reshape's new shape mean the same whatever its input's shape is? Not with a 0 that copies a dimension. */
static bool is_absolute(const simplifier *s, weir_node node) {
    const weir_array *shape = weir_value_constant(s->rewrite.graph, input_of(s, node, 1));
    for (size_t i = 0; i < shape->count; i++)
        if (weir_array_get_int(shape, i) == 0) return false;
    return true;
}

static bool simplify_view(simplifier *s, weir_node node) {
    weir_graph *graph = s->rewrite.graph;
    weir_value root = input_of(s, node, 0);
    const weir_value output = weir_node_output(graph, node, 0);
    const weir_node producer = weir_value_producer(graph, root);
    const bool chained =
        producer.id != 0 && is_view(weir_node_op(graph, producer)) && weir_rewrite_may(graph, producer);
    if (chained) root = input_of(s, producer, 0);
    if (weir_shape_equal(shape_of(s, root), shape_of(s, output))) return become(s, node, root);
    if (!chained) return false;
    if (weir_node_op(graph, node) == WEIR_OP_RESHAPE && is_absolute(s, node)) return take_from(s, node, root);
    return reshape(s, node, root);
}

/* Where axis `i` of the result comes from. */
static int source_axis(const simplifier *s, weir_node node, int rank, int i) {
    const weir_attribute *perm = weir_node_attribute(s->rewrite.graph, node, "perm");
    if (perm == NULL) return rank - 1 - i;
    return (int)(perm->as.ints[i] < 0 ? perm->as.ints[i] + rank : perm->as.ints[i]);
}

static bool keeps_order(const int64_t *perm, int rank) {
    int i = 0;
    while (i < rank && perm[i] == i) i++;
    return i == rank;
}

static bool simplify_transpose(simplifier *s, weir_node node) {
    const weir_node first = producer_with(s, node, WEIR_OP_TRANSPOSE);
    const int rank = shape_of(s, input_of(s, node, 0))->rank;
    int64_t perm[WEIR_MAX_RANK];
    for (int i = 0; i < rank; i++) perm[i] = source_axis(s, node, rank, i);
    if (keeps_order(perm, rank)) return become(s, node, input_of(s, node, 0));
    if (first.id == 0) return false;
    for (int i = 0; i < rank; i++) perm[i] = source_axis(s, first, rank, (int)perm[i]);
    const weir_value root = input_of(s, first, 0);
    if (keeps_order(perm, rank)) return become(s, node, root);
    weir_node_set_ints(s->rewrite.graph, node, "perm", perm, (size_t)rank);
    return take_from(s, node, root);
}

/* Returns whether it changed something. */
typedef bool rule(simplifier *s, weir_node node);

static rule *const rules[WEIR_OP_COUNT] = {
    [WEIR_OP_IDENTITY] = simplify_identity, [WEIR_OP_RELU] = simplify_relu,    [WEIR_OP_ADD] = simplify_add,
    [WEIR_OP_RESHAPE] = simplify_view,      [WEIR_OP_FLATTEN] = simplify_view, [WEIR_OP_TRANSPOSE] = simplify_transpose,
};

bool weir_pass_simplify_expr(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    simplifier s = {.rewrite = {.graph = graph}, .signed_zeros = weir_pass_bool(pass, "signed_zeros")};
    int64_t count = 0;
    for (weir_node node = weir_graph_first(graph), next; node.id != 0; node = next) {
        next = weir_node_next(graph, node);
        rule *simplify = rules[weir_node_op(graph, node)];
        if (simplify != NULL && weir_rewrite_may(graph, node) && simplify(&s, node)) count++;
    }
    weir_pass_count(context, "nodes simplified", count);
    if (count == 0) weir_pass_unchanged(context);
    return weir_rewrite_finish(&s.rewrite);
}
