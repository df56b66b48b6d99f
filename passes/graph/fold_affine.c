/* What a layer's results are multiplied with, divided by and added to by constants of their channels,
 * BatchNormalization among it, goes into its weights and its bias, as frameworks deploy their models: a * (w x + b) + c
 * = (a w) x + (a b + c). A MatMul, which has no bias, keeps one Add. Views that leave the channels alone may lie
 * between. conv_bn_fusion, a pass of MASE, does so with BatchNormalization alone. The numbers are computed in float64
 * and rounded once; a chain ends where one would not be finite.
 * O(size). */
#include "passes/graph/fold_affine.h"

#include <math.h>
#include <stdlib.h>

#include "ir/trait/trait.h"
#include "passes/graph/scale_axis.h"
#include "passes/passes.h"
#include "support/memory/arena.h"

/* The operators behind a layer, as factor * result + term of each channel. */
typedef struct chain {
    weir_rewrite *rewrite;
    bool only_normalizations;
    weir_node layer;
    int axis; /* of the results: channels */
    size_t channels;
    double *factor, *term;
    weir_value end; /* what the last operator gives, or a view of it; the layer's result: there is none */
    size_t length;  /* operators, without views */
} chain;

static const weir_array *constant_of(const chain *c, weir_node node, size_t index) {
    return weir_value_constant(c->rewrite->graph, weir_node_input(c->rewrite->graph, node, index));
}

static double by_channel(const weir_array *numbers, size_t channel) {
    return weir_array_get(numbers, numbers->count == 1 ? 0 : channel);
}

/* The layer's axis of results; -1: nothing is folded into it. */
static int axis_of(const weir_graph *graph, weir_node node) {
    const weir_op op = weir_node_op(graph, node), kind = weir_trait_of(op)->kind;
    const weir_value weights = weir_node_input(graph, node, 1), bias = weir_node_input(graph, node, 2);
    if (weir_trait_of(op)->task != WEIR_TASK_LAYER || !weir_rewrite_may(graph, node)) return -1;
    if (weights.id == 0 || weir_value_constant(graph, weights) == NULL ||
        weir_value_type(graph, weights)->dtype != WEIR_FLOAT32 ||
        (bias.id != 0 && weir_value_constant(graph, bias) == NULL))
        return -1;
    if (kind == WEIR_OP_CONV_TRANSPOSE) return 1;
    if (kind == WEIR_OP_GEMM &&
        (weir_node_float(graph, node, "alpha", 1) != 1 || weir_node_float(graph, node, "beta", 1) != 1))
        return -1;
    weir_scale_product product;
    const weir_value result = weir_node_output(graph, node, 0);
    if (!weir_scale_product_of(graph, node, &product)) return -1;
    const bool rows = kind == WEIR_OP_GEMM && bias.id != 0 && !weir_scale_fits(graph, result, bias, product.out_axis);
    return rows ? -1 : product.out_axis; /* a Gemm may add a number a row */
}

/* factor and term behind one operator more; false where it is none that can be folded. */
static bool step(const chain *c, weir_node node, double *factor, double *term) {
    const weir_graph *graph = c->rewrite->graph;
    const weir_op kind = weir_trait_kind(graph, node);
    const size_t data = weir_node_input(graph, node, 0).id == c->end.id ? 0 : 1;
    if (kind == WEIR_OP_BATCH_NORMALIZATION) {
        const double epsilon = weir_node_float(graph, node, "epsilon", 1e-5);
        if (c->axis != 1 || data != 0 || weir_node_output_count(graph, node) != 1) return false;
        for (size_t i = 1; i < 5; i++)
            if (constant_of(c, node, i) == NULL) return false;
        for (size_t k = 0; k < c->channels; k++) {
            const double scale =
                by_channel(constant_of(c, node, 1), k) / sqrt(by_channel(constant_of(c, node, 4), k) + epsilon);
            factor[k] = c->factor[k] * scale;
            term[k] =
                (c->term[k] - by_channel(constant_of(c, node, 3), k)) * scale + by_channel(constant_of(c, node, 2), k);
        }
        return true;
    }
    if (c->only_normalizations) return false;
    if (kind != WEIR_OP_MUL && kind != WEIR_OP_ADD && (data != 0 || (kind != WEIR_OP_DIV && kind != WEIR_OP_SUB)))
        return false;
    const weir_value other = weir_node_input(graph, node, 1 - data);
    if (weir_value_constant(graph, other) == NULL || !weir_scale_fits(graph, c->end, other, c->axis)) return false;
    for (size_t k = 0; k < c->channels; k++) {
        const double number = by_channel(weir_value_constant(graph, other), k);
        const double by = kind == WEIR_OP_MUL ? number : kind == WEIR_OP_DIV ? 1 / number : 1;
        factor[k] = c->factor[k] * by;
        term[k] = c->term[k] * by + (kind == WEIR_OP_ADD ? number : kind == WEIR_OP_SUB ? -number : 0);
    }
    return true;
}

static bool moves(weir_op kind) {
    return kind == WEIR_OP_RESHAPE || kind == WEIR_OP_SQUEEZE || kind == WEIR_OP_UNSQUEEZE;
}

/* Other dimensions behind the channels, in front of which all stays as it is. */
static bool is_view(const chain *c, weir_node node) {
    const weir_graph *graph = c->rewrite->graph;
    if (!moves(weir_trait_kind(graph, node))) return false;
    const weir_shape *from = &weir_value_type(graph, c->end)->shape;
    const weir_shape *to = &weir_value_type(graph, weir_node_output(graph, node, 0))->shape;
    bool same = weir_node_input(graph, node, 0).id == c->end.id && to->rank > c->axis;
    for (int i = 0; same && i <= c->axis; i++) same = from->dim[i] == to->dim[i];
    return same;
}

static bool is_finite(const double *numbers, size_t count) {
    bool finite = true;
    for (size_t i = 0; i < count; i++) finite &= isfinite((float)numbers[i]);
    return finite;
}

/* Takes the next operator into the chain, if it can be. */
static bool extend(chain *c) {
    const weir_graph *graph = c->rewrite->graph;
    if (weir_value_use_count(graph, c->end) != 1 || weir_value_is_output(graph, c->end)) return false;
    const weir_node node = weir_value_use(graph, c->end, 0).node;
    if (is_view(c, node)) {
        c->end = weir_node_output(graph, node, 0);
        return true;
    }
    double *factor = weir_malloc(2 * c->channels * sizeof *factor), *term = factor + c->channels;
    const bool fits =
        weir_rewrite_may(graph, node) && step(c, node, factor, term) && is_finite(factor, 2 * c->channels);
    for (size_t k = 0; fits && k < c->channels; k++) {
        c->factor[k] = factor[k];
        c->term[k] = term[k];
    }
    free(factor);
    if (!fits) return false;
    c->end = weir_node_output(graph, node, 0);
    c->length++;
    return true;
}

/* The channel of the result that an element of the weights belongs to. */
static size_t channel_of(const chain *c, const weir_array *weights, size_t i) {
    const weir_graph *graph = c->rewrite->graph;
    const weir_op kind = weir_trait_kind(graph, c->layer);
    if (kind == WEIR_OP_CONV) return i / (weights->count / c->channels);
    if (kind == WEIR_OP_CONV_TRANSPOSE) { /* [in, out / groups, ...] */
        const size_t groups = (size_t)weir_node_int(graph, c->layer, "group", 1), of_group = c->channels / groups;
        const size_t row = weights->count / (size_t)weights->shape.dim[0];
        return i / row / ((size_t)weights->shape.dim[0] / groups) * of_group + i % row / (row / of_group);
    }
    const bool by_rows = kind == WEIR_OP_GEMM && weir_node_int(graph, c->layer, "transB", 0) != 0;
    return by_rows ? i / (size_t)weights->shape.dim[1] : i % c->channels;
}

/* The scaled weights; none where one would not be finite. */
static weir_value new_weights(const chain *c) {
    weir_array *weights = weir_array_copy(constant_of(c, c->layer, 1));
    bool finite = true;
    for (size_t i = 0; i < weights->count; i++) {
        weir_array_set(weights, i, weir_array_get(weights, i) * c->factor[channel_of(c, weights, i)]);
        finite &= isfinite(weir_array_get(weights, i));
    }
    if (finite) return weir_rewrite_constant(c->rewrite, "weights", weights);
    weir_array_free(weights);
    return WEIR_NO_VALUE;
}

/* What is added in all, the layer's own bias included, in a shape that broadcasts along axis 0 of `rank`. */
static weir_value new_bias(const chain *c, int rank) {
    const bool has_bias = weir_node_input(c->rewrite->graph, c->layer, 2).id != 0;
    const weir_array *old = has_bias ? constant_of(c, c->layer, 2) : NULL;
    weir_shape shape = {.rank = rank, .dim = {(int64_t)c->channels}};
    for (int i = 1; i < rank; i++) shape.dim[i] = 1;
    weir_array *bias = weir_array_new(WEIR_FLOAT32, &shape);
    for (size_t k = 0; k < c->channels; k++)
        weir_array_set(bias, k, (old == NULL ? 0 : by_channel(old, k)) * c->factor[k] + c->term[k]);
    return weir_rewrite_constant(c->rewrite, "bias", bias);
}

/* The layer with all operators of the chain in it, in place of them; views stay. */
static void fold(const chain *c) {
    weir_rewrite *r = c->rewrite;
    const weir_graph *graph = r->graph;
    const weir_op op = weir_node_op(graph, c->layer), kind = weir_trait_of(op)->kind;
    const weir_value result = weir_node_output(graph, c->layer, 0);
    const size_t inputs = kind == WEIR_OP_MATMUL ? 2 : 3;
    r->at = c->layer;
    weir_value operands[3] = {weir_node_input(graph, c->layer, 0), new_weights(c)};
    if (operands[1].id == 0) return;
    if (inputs == 3) operands[2] = new_bias(c, 1);
    weir_value folded = weir_rewrite_start(r, op, "folded", operands, inputs);
    weir_rewrite_copy_attributes(r, folded, c->layer);
    weir_rewrite_infer(r, folded);
    weir_value end = folded;
    if (inputs == 2)
        end = WEIR_REWRITE_NODE(r, WEIR_OP_ADD, "sum", folded,
                                new_bias(c, weir_value_type(graph, result)->shape.rank - c->axis));
    for (weir_value last = c->end; last.id != result.id;) {
        const weir_node node = weir_value_producer(graph, last);
        const weir_value a = weir_node_input(graph, node, 0);
        const weir_value data = weir_value_constant(graph, a) == NULL ? a : weir_node_input(graph, node, 1);
        if (!moves(weir_node_op(graph, node))) {
            weir_rewrite_replace(r, last, data);
            weir_rewrite_remove(r, node);
        }
        last = data;
    }
    weir_rewrite_replace(r, result, end);
    weir_rewrite_become(r, folded);
}

static void fold_after(weir_rewrite *rewrite, weir_node layer, int axis, bool only_normalizations) {
    const weir_graph *graph = rewrite->graph;
    const weir_value result = weir_node_output(graph, layer, 0);
    const weir_shape *shape = &weir_value_type(graph, result)->shape;
    chain c = {.rewrite = rewrite,
               .only_normalizations = only_normalizations,
               .layer = layer,
               .axis = axis,
               .channels = (size_t)shape->dim[axis],
               .end = result};
    c.factor = weir_malloc(2 * c.channels * sizeof *c.factor);
    c.term = c.factor + c.channels;
    for (size_t k = 0; k < c.channels; k++) {
        c.factor[k] = 1;
        c.term[k] = 0;
    }
    while (extend(&c)) continue;
    bool scales = weir_trait_kind(graph, layer) != WEIR_OP_MATMUL || c.length > 1; /* the one Add of a MatMul stays */
    for (size_t k = 0; k < c.channels; k++) scales |= c.factor[k] != 1;
    if (c.length > 0 && scales) fold(&c);
    free(c.factor);
}

static void fold_all(weir_rewrite *rewrite, bool only_normalizations) {
    for (weir_node node = weir_graph_last(rewrite->graph), before; node.id != 0; node = before) {
        before = weir_node_previous(rewrite->graph, node);
        const int axis = axis_of(rewrite->graph, node);
        if (axis >= 0) fold_after(rewrite, node, axis, only_normalizations);
    }
}

void weir_fold_affine(weir_rewrite *rewrite) { fold_all(rewrite, false); }

static bool run(weir_pass_context *context, weir_graph *graph, bool only_normalizations) {
    weir_rewrite r = {.graph = graph};
    fold_all(&r, only_normalizations);
    weir_pass_count(context, "operators folded", (int64_t)r.count);
    if (r.count == 0) weir_pass_unchanged(context);
    else weir_eliminate_dead_code(graph);
    return weir_rewrite_finish(&r);
}

bool weir_pass_fold_affine(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    return run(context, graph, false);
}

bool weir_pass_conv_bn_fusion(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    return run(context, graph, true);
}
