/* Normalizations become arithmetic that other passes can fold and fuse, and a Dropout, which does nothing outside
 * training, is removed. Where parameters are constants, fold_constant reduces a BatchNormalization to a product and a
 * sum.
 *
 *   BatchNormalization     x * s + (bias - mean * s), s = scale / sqrt(variance + epsilon), along axis 1
 *   InstanceNormalization  (x - m) / sqrt(v + epsilon) * scale + bias; m and v: mean and variance of each plane
 *   LayerNormalization     the same with mean and variance over the last axes; unchanged when it also has them as
 *                          outputs
 *   RMSNormalization       x / sqrt(m + epsilon) * scale, m: the mean of squares over the last axes
 *   LpNormalization        x / max(norm, tiny): a line of zeros stays one. tiny is the smallest normal number, for p =
 *                          2 under the root
 * O(size). */
#include <float.h>

#include "ir/trait/trait.h"
#include "passes/graph/rewrite.h"
#include "passes/passes.h"

#define NODE(op, suffix, ...) WEIR_REWRITE_NODE(r, WEIR_OP_##op, suffix, __VA_ARGS__)

static weir_value input_of(const weir_rewrite *r, size_t index) { return weir_node_input(r->graph, r->at, index); }

static const weir_type *type_of(const weir_rewrite *r, weir_value value) { return weir_value_type(r->graph, value); }

/* sqrt(variance + epsilon) */
static weir_value deviation(weir_rewrite *r, weir_value variance) {
    const double epsilon = weir_node_float(r->graph, r->at, "epsilon", 1e-5);
    const weir_value constant = weir_rewrite_number(r, "epsilon", type_of(r, variance)->dtype, epsilon);
    return NODE(SQRT, "deviation", NODE(ADD, "stable", variance, constant));
}

/* A vector over channels in the shape that broadcasts along axis 1 of x. */
static weir_value by_channel(weir_rewrite *r, weir_value vector, const char *suffix) {
    const weir_shape *x = &type_of(r, input_of(r, 0))->shape;
    weir_shape shape = {.rank = x->rank - 1};
    for (int i = 1; i < x->rank; i++) shape.dim[i - 1] = i == 1 ? x->dim[1] : 1;
    return weir_rewrite_reshape(r, suffix, vector, &shape);
}

static weir_value expand_batch(weir_rewrite *r) {
    const weir_value scale = NODE(DIV, "scale", input_of(r, 1), deviation(r, input_of(r, 4)));
    const weir_value shift = NODE(SUB, "shift", input_of(r, 2), NODE(MUL, "offset", input_of(r, 3), scale));
    const weir_value scaled = NODE(MUL, "scaled", input_of(r, 0), by_channel(r, scale, "scales"));
    return NODE(ADD, "normal", scaled, by_channel(r, shift, "shifts"));
}

static weir_value mean_of(weir_rewrite *r, const char *suffix, weir_value x, int first) {
    int64_t axes[WEIR_MAX_RANK];
    const int rank = type_of(r, x)->shape.rank;
    for (int i = first; i < rank; i++) axes[i - first] = i;
    return NODE(REDUCE_MEAN, suffix, x, weir_rewrite_integers(r, "axes", axes, (size_t)(rank - first)));
}

/* (x - mean) / sqrt(variance + epsilon), both over the axes from `first` on. */
static weir_value standardize(weir_rewrite *r, int first) {
    const weir_value x = input_of(r, 0), centred = NODE(SUB, "centred", x, mean_of(r, "mean", x, first));
    const weir_value variance = mean_of(r, "variance", NODE(MUL, "square", centred, centred), first);
    return NODE(DIV, "standard", centred, deviation(r, variance));
}

static weir_value expand_instance(weir_rewrite *r) {
    const weir_value standard = standardize(r, 2);
    const weir_value scaled = NODE(MUL, "scaled", standard, by_channel(r, input_of(r, 1), "scales"));
    return NODE(ADD, "normal", scaled, by_channel(r, input_of(r, 2), "shifts"));
}

/* The attribute `axis` from the front. */
static int axis_of(const weir_rewrite *r) {
    const int64_t axis = weir_node_int(r->graph, r->at, "axis", -1);
    return (int)(axis < 0 ? axis + type_of(r, input_of(r, 0))->shape.rank : axis);
}

static weir_value expand_layer(weir_rewrite *r) {
    if (weir_node_output_count(r->graph, r->at) > 1) return WEIR_NO_VALUE;
    const weir_value scaled = NODE(MUL, "scaled", standardize(r, axis_of(r)), input_of(r, 1));
    return input_of(r, 2).id == 0 ? scaled : NODE(ADD, "normal", scaled, input_of(r, 2));
}

static weir_value expand_rms(weir_rewrite *r) {
    const weir_value x = input_of(r, 0), squares = NODE(MUL, "square", x, x);
    const weir_value standard = NODE(DIV, "standard", x, deviation(r, mean_of(r, "power", squares, axis_of(r))));
    return NODE(MUL, "normal", standard, input_of(r, 1));
}

static double smallest_normal(weir_dtype dtype) {
    if (dtype == WEIR_FLOAT16) return 0x1p-14;
    return dtype == WEIR_FLOAT32 ? (double)FLT_MIN : DBL_MIN;
}

static weir_value expand_lp(weir_rewrite *r) {
    const weir_value x = input_of(r, 0);
    const bool squared = weir_node_int(r->graph, r->at, "p", 2) == 2;
    const weir_value axis = weir_rewrite_integers(r, "axis", (const int64_t[]){axis_of(r)}, 1);
    const weir_value tiny = weir_rewrite_number(r, "tiny", type_of(r, x)->dtype, smallest_normal(type_of(r, x)->dtype));
    const weir_value parts = squared ? NODE(MUL, "square", x, x) : NODE(ABS, "size", x);
    const weir_value sum = NODE(MAX, "positive", NODE(REDUCE_SUM, "sum", parts, axis), tiny);
    return NODE(DIV, "normal", x, squared ? NODE(SQRT, "norm", sum) : sum);
}

typedef struct expansion {
    weir_op op;
    weir_value (*expand)(weir_rewrite *r); /* what the node computes, in other operators; none: it stays */
} expansion;

static const expansion expansions[] = {
    {WEIR_OP_BATCH_NORMALIZATION, expand_batch}, {WEIR_OP_INSTANCE_NORMALIZATION, expand_instance},
    {WEIR_OP_LAYER_NORMALIZATION, expand_layer}, {WEIR_OP_RMS_NORMALIZATION, expand_rms},
    {WEIR_OP_LP_NORMALIZATION, expand_lp},
};

bool weir_pass_simplify_inference(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    weir_rewrite r = {.graph = graph};
    (void)pass;
    for (weir_node node = weir_graph_first(graph), next; node.id != 0; node = next) {
        const weir_op kind = weir_trait_kind(graph, node);
        const expansion *own =
            weir_op_row(expansions, sizeof expansions / sizeof *expansions, sizeof *expansions, kind);
        next = weir_node_next(graph, node);
        if (!weir_rewrite_may(graph, node)) continue;
        r.at = node;
        if (kind == WEIR_OP_DROPOUT) {
            weir_rewrite_replace(&r, weir_node_output(graph, node, 0), weir_node_input(graph, node, 0));
            weir_rewrite_remove(&r, node);
        } else if (own != NULL) {
            const weir_value value = own->expand(&r);
            if (value.id != 0) weir_rewrite_become(&r, value);
        }
    }
    weir_pass_count(context, "nodes expanded", (int64_t)r.count);
    if (r.count == 0) weir_pass_unchanged(context);
    return weir_rewrite_finish(&r);
}
