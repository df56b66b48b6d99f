/* Removes nodes that compute nothing, and replaces nodes by fewer that compute the same; no rewriting changes a bit of
 * the results. One walk in execution order: a rule looks at a node and at what makes its input, which is simple
 * already. O(size).
 *
 * x + 0 is x but for one value: -0.0 + 0.0 is 0.0. So real additions of 0.0 stay unless `signed_zeros` is off; x - 0.0
 * and x + -0.0 keep the sign and are removed. For the same reason x - -0.0 stays. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "passes/graph/rewrite.h"
#include "passes/passes.h"
#include "support/memory/arena.h"

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
        if (found != number || (signbit(found) != 0) != (signbit(number) != 0)) return false;
    }
    return constant->count > 0;
}

/* Operands that leave the other one as it is: every bit of it, or, of real numbers, all but the sign of zeros. */
typedef struct neutral {
    weir_op op;
    bool either; /* not only on the right */
    double exact, nearly;
} neutral;

static const neutral neutrals[] = {{WEIR_OP_ADD, true, -0.0, 0.0},
                                   {WEIR_OP_SUB, false, 0.0, -0.0},
                                   {WEIR_OP_MUL, true, 1, 1},
                                   {WEIR_OP_DIV, false, 1, 1}};

static bool is_neutral(const simplifier *s, const neutral *row, weir_value operand) {
    if (!weir_dtype_is_float(weir_value_type(s->rewrite.graph, operand)->dtype))
        return is_filled(s, operand, fabs(row->exact));
    return is_filled(s, operand, row->exact) || (!s->signed_zeros && is_filled(s, operand, row->nearly));
}

/* The other operand alone, when one is neutral and does not widen the other's shape. */
static bool simplify_neutral(simplifier *s, weir_node node) {
    const neutral *row = neutrals;
    while (row->op != weir_trait_kind(s->rewrite.graph, node)) row++;
    for (size_t i = row->either ? 0 : 1; i < 2; i++) {
        const weir_value other = input_of(s, node, 1 - i);
        if (is_neutral(s, row, input_of(s, node, i)) &&
            weir_shape_equal(shape_of(s, other), shape_of(s, weir_node_output(s->rewrite.graph, node, 0))))
            return become(s, node, other);
    }
    return false;
}

/* --- element types --- */

/* Bits that an integer type has without the sign, or that a real one holds exactly; 0: bool and floats of 8 bits. */
static int precision(weir_dtype dtype) {
    if (dtype == WEIR_BOOL) return 0;
    if (dtype == WEIR_FLOAT16) return 11;
    if (dtype == WEIR_BFLOAT16) return 8;
    if (dtype == WEIR_FLOAT32) return 24;
    if (dtype == WEIR_FLOAT64) return 53;
    if (weir_dtype_is_small_float(dtype)) return 0;
    return weir_dtype_bits(dtype) - weir_dtype_is_signed(dtype);
}

/* Can type `to` represent every value of type `from`? */
static bool holds(weir_dtype to, weir_dtype from) {
    if (to == from) return true;
    if (to == WEIR_BOOL || (weir_dtype_is_float(from) && !weir_dtype_is_float(to))) return false;
    if (!weir_dtype_is_float(to) && weir_dtype_is_signed(from) && !weir_dtype_is_signed(to)) return false;
    return precision(to) >= precision(from);
}

/* A conversion to the type that its input has is removed. One after another that lost nothing takes the first one's
 * input, unless the target would be reached from real numbers instead of integers, or the reverse, and cannot hold all
 * of them: what does not fit is saturated from one and wrapped from the other. */
static bool simplify_cast(simplifier *s, weir_node node) {
    const weir_graph *graph = s->rewrite.graph;
    const weir_value input = input_of(s, node, 0);
    const weir_dtype to = weir_value_type(graph, weir_node_output(graph, node, 0))->dtype;
    const weir_dtype between = weir_value_type(graph, input)->dtype;
    if (to == between) return become(s, node, input);
    if (weir_dtype_is_small_float(between)) return false; /* which numbers it has is not a matter of bits alone */
    const weir_node first = producer_with(s, node, WEIR_OP_CAST);
    if (first.id == 0) return false;
    const weir_value root = input_of(s, first, 0);
    const weir_dtype from = weir_value_type(graph, root)->dtype;
    if (!holds(between, from) || (weir_dtype_is_float(from) != weir_dtype_is_float(between) && !holds(to, from)))
        return false;
    return to == from ? become(s, node, root) : take_from(s, node, root);
}

/* --- shape --- */

/* Only another shape of the same elements in the same order. */
static bool is_view(weir_op op) { return weir_trait_of(op)->order == WEIR_ORDER_RESHAPE; }

/* A Reshape of `from` to the output's shape, spelled out, in the node's place. */
static bool reshape(simplifier *s, weir_node node, weir_value from) {
    const weir_value between = input_of(s, node, 0), output = weir_node_output(s->rewrite.graph, node, 0);
    const weir_shape shape = *shape_of(s, output);
    s->rewrite.at = node;
    weir_rewrite_become(&s->rewrite, weir_rewrite_reshape(&s->rewrite, "view", from, &shape));
    drop_unused(s, between);
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
    if (weir_trait_kind(graph, node) == WEIR_OP_RESHAPE && is_absolute(s, node)) return take_from(s, node, root);
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

/* --- copies --- */

/* Operators that give their first input when the shape stays: all of a Slice, an Expand to the same shape. */
static bool simplify_same_shape(simplifier *s, weir_node node) {
    const weir_value input = input_of(s, node, 0);
    return weir_shape_equal(shape_of(s, input), shape_of(s, weir_node_output(s->rewrite.graph, node, 0))) &&
           become(s, node, input);
}

/* A Slice backwards keeps the shape too. */
static bool simplify_slice(simplifier *s, weir_node node) {
    const weir_value steps = input_of(s, node, 4);
    const weir_array *known = steps.id == 0 ? NULL : weir_value_constant(s->rewrite.graph, steps);
    for (size_t i = 0; known != NULL && i < known->count; i++)
        if (weir_array_get_int(known, i) < 0) return false;
    return simplify_same_shape(s, node);
}

static bool simplify_concat(simplifier *s, weir_node node) {
    return weir_node_input_count(s->rewrite.graph, node) == 1 && become(s, node, input_of(s, node, 0));
}

/* Returns whether it changed something. */
typedef struct rule {
    weir_op op;
    bool (*simplify)(simplifier *s, weir_node node);
} rule;

static const rule rules[] = {
    {WEIR_OP_IDENTITY, simplify_identity}, {WEIR_OP_RELU, simplify_relu},           {WEIR_OP_ADD, simplify_neutral},
    {WEIR_OP_SUB, simplify_neutral},       {WEIR_OP_MUL, simplify_neutral},         {WEIR_OP_DIV, simplify_neutral},
    {WEIR_OP_CAST, simplify_cast},         {WEIR_OP_TRANSPOSE, simplify_transpose}, {WEIR_OP_RESHAPE, simplify_view},
    {WEIR_OP_FLATTEN, simplify_view},      {WEIR_OP_SQUEEZE, simplify_view},        {WEIR_OP_UNSQUEEZE, simplify_view},
    {WEIR_OP_EXPAND, simplify_same_shape}, {WEIR_OP_SLICE, simplify_slice},         {WEIR_OP_CONCAT, simplify_concat},
    {WEIR_OP_DROPOUT, simplify_identity},
};

static const rule *rule_of(weir_op op) {
    return weir_op_row(rules, sizeof rules / sizeof *rules, sizeof *rules, weir_trait_of(op)->kind);
}

bool weir_simplify_expressions_removes(weir_op op) {
    const rule *own = rule_of(op);
    return own != NULL && own->simplify == simplify_identity;
}

bool weir_simplify_expressions(weir_graph *graph, bool signed_zeros, size_t *count) {
    simplifier s = {.rewrite = {.graph = graph}, .signed_zeros = signed_zeros};
    *count = 0;
    for (weir_node node = weir_graph_first(graph), next; node.id != 0; node = next) {
        next = weir_node_next(graph, node);
        const rule *own = rule_of(weir_node_op(graph, node));
        if (own != NULL && weir_rewrite_may(graph, node) && own->simplify(&s, node)) ++*count;
    }
    return weir_rewrite_finish(&s.rewrite);
}

bool weir_pass_simplify_expr(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    size_t count;
    const bool fine = weir_simplify_expressions(graph, weir_pass_bool(pass, "signed_zeros"), &count);
    weir_pass_count(context, "nodes simplified", (int64_t)count);
    if (count == 0) weir_pass_unchanged(context);
    return fine;
}
