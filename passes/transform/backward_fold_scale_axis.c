/* A product with a scale by channel goes into the weights of the convolution or matrix product before it, through sums
 * (whose other operand is scaled too) and, when it is a positive constant, through Relu and LeakyRelu.
 *
 * First, in execution order, each value says whether what makes it can take a scale, and along which axis: only when
 * the value has one user, so that no other user gets the scaled one. Then, from the last node to the first, products
 * give up their scales and the others pass them on to their inputs or fold them into their weights. O(size), and one
 * more node for each array that is scaled, which fold_constant computes. */
#include <stdlib.h>

#include "passes/passes.h"
#include "passes/transform/scale_axis.h"
#include "support/arena.h"

typedef struct folder {
    weir_rewrite rewrite;
    weir_scale_offer *offer; /* by value */
    weir_value *pending;     /* by value: the scale that it is to be multiplied with; none */
    bool *is_absorbed;       /* by node: products whose scale was moved */
    uint32_t nodes;          /* nodes from here on are new */
} folder;

static weir_value input_of(const folder *f, weir_node node, size_t index) {
    return weir_node_input(f->rewrite.graph, node, index);
}

static bool has_shape(const weir_graph *graph, weir_value value, weir_value other) {
    return weir_shape_equal(&weir_value_type(graph, value)->shape, &weir_value_type(graph, other)->shape);
}

/* --- what can be scaled --- */

/* Both operands scaled, or one and a parameter along the axis of the other. */
static weir_scale_offer offer_of_sum(const folder *f, weir_node node) {
    const weir_graph *graph = f->rewrite.graph;
    const weir_value a = input_of(f, node, 0), b = input_of(f, node, 1), y = weir_node_output(graph, node, 0);
    const weir_scale_offer x = f->offer[a.id], z = f->offer[b.id];
    if (x.axis >= 0 && z.axis >= 0 && x.axis == z.axis && has_shape(graph, a, y) && has_shape(graph, b, y))
        return (weir_scale_offer){x.axis, x.is_positive || z.is_positive, false};
    if (x.axis >= 0 && has_shape(graph, a, y) && weir_scale_fits(graph, a, b, x.axis)) return x;
    if (z.axis >= 0 && has_shape(graph, b, y) && weir_scale_fits(graph, b, a, z.axis)) return z;
    return WEIR_NO_OFFER;
}

static weir_scale_offer offer_of(const folder *f, weir_node node) {
    const weir_graph *graph = f->rewrite.graph;
    const weir_value y = weir_node_output(graph, node, 0), bias = input_of(f, node, 2);
    weir_scale_product product;
    if (weir_value_use_count(graph, y) + weir_value_is_output(graph, y) != 1) return WEIR_NO_OFFER;
    if (weir_scale_is_sum(graph, node)) return offer_of_sum(f, node);
    if (weir_scale_is_relu(graph, node)) {
        weir_scale_offer offer = f->offer[input_of(f, node, 0).id];
        offer.is_positive = true;
        return offer;
    }
    if (!weir_scale_product_of(graph, node, &product) || (bias.id != 0 && !weir_rewrite_is_parameter(graph, bias)))
        return WEIR_NO_OFFER;
    return (weir_scale_offer){.axis = product.out_axis};
}

/* --- scaling --- */

/* A product whose one operand is a scale that the other can take: that one will be. The scale comes before all nodes. */
static void give_away(folder *f, weir_node node) {
    const weir_graph *graph = f->rewrite.graph;
    const weir_value y = weir_node_output(graph, node, 0);
    for (size_t i = 0; i < 2; i++) {
        const weir_value data = input_of(f, node, i), scale = input_of(f, node, 1 - i);
        const weir_scale_offer offer = f->offer[data.id];
        if (offer.axis < 0 || weir_value_producer(graph, scale).id != 0 || !has_shape(graph, data, y) ||
            !weir_scale_fits(graph, data, scale, offer.axis) || !weir_scale_accepts(graph, offer, scale))
            continue;
        f->pending[data.id] = scale;
        f->is_absorbed[node.id] = true;
        return;
    }
}

/* Both operands take the scale: those that can pass it on, a parameter at once. */
static void scale_sum(folder *f, weir_node node, weir_value scale) {
    const int axis = f->offer[weir_node_output(f->rewrite.graph, node, 0).id].axis;
    const int rank = weir_value_type(f->rewrite.graph, weir_node_output(f->rewrite.graph, node, 0))->shape.rank;
    for (size_t i = 0; i < 2; i++) {
        const weir_value operand = input_of(f, node, i);
        if (f->offer[operand.id].axis >= 0) f->pending[operand.id] = scale;
        else weir_scale_input(&f->rewrite, WEIR_OP_MUL, i, scale, rank, axis);
    }
}

static void scale_product(folder *f, weir_node node, weir_value scale) {
    const weir_graph *graph = f->rewrite.graph;
    weir_scale_product product;
    if (!weir_scale_product_of(graph, node, &product)) return;
    const int weight_rank = weir_value_type(graph, input_of(f, node, 1))->shape.rank;
    weir_scale_input(&f->rewrite, WEIR_OP_MUL, 1, scale, weight_rank, product.weight_out_axis);
    if (input_of(f, node, 2).id != 0) weir_scale_input(&f->rewrite, WEIR_OP_MUL, 2, scale, 1, 0);
}

/* The result of the node takes its scale. */
static void take(folder *f, weir_node node) {
    const weir_value scale = f->pending[weir_node_output(f->rewrite.graph, node, 0).id];
    if (scale.id == 0) return;
    f->rewrite.at = node;
    if (weir_scale_is_sum(f->rewrite.graph, node)) scale_sum(f, node, scale);
    else if (weir_scale_is_relu(f->rewrite.graph, node)) f->pending[input_of(f, node, 0).id] = scale;
    else scale_product(f, node, scale);
}

/* Products without their scales are their data. */
static void remove_absorbed(folder *f) {
    weir_graph *graph = f->rewrite.graph;
    for (weir_node node = weir_graph_first(graph), next; node.id != 0; node = next) {
        next = weir_node_next(graph, node);
        if (node.id >= f->nodes || !f->is_absorbed[node.id]) continue;
        const size_t data = f->pending[input_of(f, node, 0).id].id != 0 ? 0 : 1;
        weir_rewrite_replace(&f->rewrite, weir_node_output(graph, node, 0), input_of(f, node, data));
        weir_rewrite_remove(&f->rewrite, node);
    }
}

static void run(folder *f) {
    const weir_graph *graph = f->rewrite.graph;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        f->offer[weir_node_output(graph, node, 0).id] = offer_of(f, node);
    for (weir_node node = weir_graph_last(graph), previous; node.id != 0; node = previous) {
        previous = weir_node_previous(graph, node);
        if (weir_node_op(graph, node) == WEIR_OP_MUL && weir_rewrite_may(graph, node)) give_away(f, node);
        else take(f, node);
    }
    remove_absorbed(f);
}

bool weir_pass_backward_fold_scale_axis(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    const uint32_t values = weir_graph_value_limit(graph);
    (void)pass;
    folder f = {.rewrite = {.graph = graph}, .nodes = weir_graph_node_limit(graph)};
    f.offer = weir_calloc(values, sizeof *f.offer);
    f.pending = weir_calloc(values, sizeof *f.pending);
    f.is_absorbed = weir_calloc(f.nodes, sizeof *f.is_absorbed);
    for (uint32_t id = 0; id < values; id++) f.offer[id] = WEIR_NO_OFFER;
    run(&f);
    weir_pass_count(context, "scales folded", (int64_t)f.rewrite.count);
    if (f.rewrite.count == 0) weir_pass_unchanged(context);
    else weir_eliminate_dead_code(graph);
    free(f.offer);
    free(f.pending);
    free(f.is_absorbed);
    return weir_rewrite_finish(&f.rewrite);
}
