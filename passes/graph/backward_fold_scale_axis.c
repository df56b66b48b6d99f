/* A product with a scale by channel goes into the weights of the convolution or matrix product before it, through sums
 * (whose other operand is scaled too) and, when it is a positive constant, through Relu and LeakyRelu.
 *
 * First, in execution order, each value says whether what makes it can take a scale, and along which axis: only when
 * the value has one user, so that no other user gets the scaled one. Then, from the last node to the first, products
 * give up their scales and the others pass them on to their inputs or fold them into their weights. O(size), and one
 * more node for each array that is scaled, which fold_constant computes. */

#include "ir/graph/side.h"
#include "ir/trait/trait.h"
#include "passes/graph/scale_axis.h"
#include "passes/passes.h"

typedef struct about {
    weir_scale_offer offer;
    weir_value pending; /* the scale that it is to be multiplied with; none */
} about;

typedef struct folder {
    weir_rewrite rewrite;
    weir_side values;   /* about */
    weir_side absorbed; /* bool, of nodes: products whose scale was moved */
} folder;

static about *known(const folder *f, weir_value value) { return weir_side_at(&f->values, value.id); }
static bool *absorbed(const folder *f, weir_node node) { return weir_side_at(&f->absorbed, node.id); }

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
    const weir_scale_offer x = known(f, a)->offer, z = known(f, b)->offer;
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
        weir_scale_offer offer = known(f, input_of(f, node, 0))->offer;
        offer.is_positive = true;
        return offer;
    }
    if (!weir_scale_product_of(graph, node, &product) || (bias.id != 0 && !weir_rewrite_is_parameter(graph, bias)))
        return WEIR_NO_OFFER;
    return (weir_scale_offer){.axis = product.out_axis};
}

/* --- scaling --- */

/* A product whose one operand is a scale that the other can take: that one will be. The scale comes before all
 * nodes. */
static void give_away(folder *f, weir_node node) {
    const weir_graph *graph = f->rewrite.graph;
    const weir_value y = weir_node_output(graph, node, 0);
    for (size_t i = 0; i < 2; i++) {
        const weir_value data = input_of(f, node, i), scale = input_of(f, node, 1 - i);
        const weir_scale_offer offer = known(f, data)->offer;
        if (offer.axis < 0 || weir_value_producer(graph, scale).id != 0 || !has_shape(graph, data, y) ||
            !weir_scale_fits(graph, data, scale, offer.axis) || !weir_scale_accepts(graph, offer, scale))
            continue;
        known(f, data)->pending = scale;
        *absorbed(f, node) = true;
        return;
    }
}

/* Both operands take the scale: those that can pass it on, a parameter at once. */
static void scale_sum(folder *f, weir_node node, weir_value scale) {
    const int axis = known(f, weir_node_output(f->rewrite.graph, node, 0))->offer.axis;
    const int rank = weir_value_type(f->rewrite.graph, weir_node_output(f->rewrite.graph, node, 0))->shape.rank;
    for (size_t i = 0; i < 2; i++) {
        const weir_value operand = input_of(f, node, i);
        if (known(f, operand)->offer.axis >= 0) known(f, operand)->pending = scale;
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
    const weir_value scale = known(f, weir_node_output(f->rewrite.graph, node, 0))->pending;
    if (scale.id == 0) return;
    f->rewrite.at = node;
    if (weir_scale_is_sum(f->rewrite.graph, node)) scale_sum(f, node, scale);
    else if (weir_scale_is_relu(f->rewrite.graph, node)) known(f, input_of(f, node, 0))->pending = scale;
    else scale_product(f, node, scale);
}

/* Products without their scales are their data. */
static void remove_absorbed(folder *f) {
    weir_graph *graph = f->rewrite.graph;
    for (weir_node node = weir_graph_first(graph), next; node.id != 0; node = next) {
        next = weir_node_next(graph, node);
        if (!weir_side_has(&f->absorbed, node.id) || !*absorbed(f, node)) continue;
        const size_t data = known(f, input_of(f, node, 0))->pending.id != 0 ? 0 : 1;
        weir_rewrite_replace(&f->rewrite, weir_node_output(graph, node, 0), input_of(f, node, data));
        weir_rewrite_remove(&f->rewrite, node);
    }
}

static void run(folder *f) {
    const weir_graph *graph = f->rewrite.graph;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        known(f, weir_node_output(graph, node, 0))->offer = offer_of(f, node);
    for (weir_node node = weir_graph_last(graph), previous; node.id != 0; node = previous) {
        previous = weir_node_previous(graph, node);
        if (weir_trait_kind(graph, node) == WEIR_OP_MUL && weir_rewrite_may(graph, node)) give_away(f, node);
        else take(f, node);
    }
    remove_absorbed(f);
}

bool weir_pass_backward_fold_scale_axis(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    const uint32_t limit = weir_graph_value_limit(graph);
    (void)pass;
    folder f = {.rewrite = {.graph = graph},
                .values = weir_side_new(sizeof(about), limit),
                .absorbed = weir_side_new(sizeof(bool), weir_graph_node_limit(graph))};
    for (uint32_t id = 0; id < limit; id++) known(&f, (weir_value){id})->offer = WEIR_NO_OFFER;
    run(&f);
    const bool fine = weir_scale_finish(&f.rewrite, context);
    weir_side_free(&f.values);
    weir_side_free(&f.absorbed);
    return fine;
}
