/* A product with a scale by channel goes into the weights of the convolutions and matrix products after it, through
 * sums (whose other operand is divided by it) and, when it is a positive constant, through Relu and LeakyRelu.
 *
 * First, from the last node to the first, each value says whether all its users can take a scale, and along which axis;
 * a graph output cannot, and neither can a value whose users disagree. Then, in execution order, products pass their
 * data on unscaled, and the scale with it, until weights take it. O(size), and one more node for each array that is
 * scaled, which fold_constant computes. */

#include "ir/graph/side.h"
#include "ir/trait/trait.h"
#include "passes/graph/scale_axis.h"
#include "passes/passes.h"

typedef struct about {
    bool is_read;           /* a user was asked */
    weir_scale_offer offer; /* what all users asked so far agree on */
    weir_value base;        /* what stands for it before the scale; none: it is not scaled */
    weir_value scale;       /* that is missing in base */
} about;

typedef struct folder {
    weir_rewrite rewrite;
    weir_side values; /* about */
} folder;

static about *known(const folder *f, weir_value value) { return weir_side_at(&f->values, value.id); }

static weir_value input_of(const folder *f, weir_node node, size_t index) {
    return weir_node_input(f->rewrite.graph, node, index);
}

static bool has_shape(const weir_graph *graph, weir_value value, weir_value other) {
    return weir_shape_equal(&weir_value_type(graph, value)->shape, &weir_value_type(graph, other)->shape);
}

/* --- what can be scaled --- */

static weir_scale_offer agreed(weir_scale_offer a, weir_scale_offer b) {
    if (a.axis != b.axis || a.axis < 0) return WEIR_NO_OFFER;
    return (weir_scale_offer){a.axis, a.is_positive || b.is_positive, a.is_divisor || b.is_divisor};
}

/* What the node offers for input `index`, given what its users offer. */
static weir_scale_offer offer_of(const folder *f, weir_node node, size_t index, weir_scale_offer after) {
    const weir_graph *graph = f->rewrite.graph;
    const weir_value data = input_of(f, node, index);
    weir_scale_product product;
    if (weir_scale_product_of(graph, node, &product)) {
        const bool can = index == 0 && product.weight_in_axis >= 0;
        return can ? (weir_scale_offer){.axis = product.in_axis} : WEIR_NO_OFFER;
    }
    if (weir_scale_is_relu(graph, node)) {
        after.is_positive = true;
        return after;
    }
    if (!weir_scale_is_sum(graph, node) || after.axis < 0) return WEIR_NO_OFFER;
    const weir_value other = input_of(f, node, 1 - index);
    if (!has_shape(graph, data, weir_node_output(graph, node, 0)) || !weir_scale_fits(graph, data, other, after.axis))
        return WEIR_NO_OFFER;
    after.is_divisor = true;
    return after;
}

static void ask(folder *f, weir_node node) {
    const weir_graph *graph = f->rewrite.graph;
    const weir_value y = weir_node_output(graph, node, 0);
    const weir_scale_offer after = weir_value_is_output(graph, y) ? WEIR_NO_OFFER : known(f, y)->offer;
    known(f, y)->offer = after;
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
        const weir_value input = input_of(f, node, i);
        if (input.id == 0) continue;
        const weir_scale_offer offer = weir_rewrite_may(graph, node) ? offer_of(f, node, i, after) : WEIR_NO_OFFER;
        known(f, input)->offer = known(f, input)->is_read ? agreed(known(f, input)->offer, offer) : offer;
        known(f, input)->is_read = true;
    }
}

/* --- scaling --- */

static void set_scaled(folder *f, weir_value value, weir_value base, weir_value scale) {
    known(f, value)->base = base;
    known(f, value)->scale = scale;
}

static void start(folder *f, weir_node node) {
    const weir_graph *graph = f->rewrite.graph;
    const weir_value y = weir_node_output(graph, node, 0);
    const weir_scale_offer offer = known(f, y)->offer;
    for (size_t i = 0; i < 2 && offer.axis >= 0; i++) {
        const weir_value data = input_of(f, node, i), scale = input_of(f, node, 1 - i);
        if (!has_shape(graph, data, y) || !weir_scale_fits(graph, data, scale, offer.axis) ||
            !weir_scale_accepts(graph, offer, scale))
            continue;
        set_scaled(f, y, data, scale);
        f->rewrite.count++;
        return;
    }
}

/* Input `index` is scaled: the node reads its base instead and compensates for the missing scale. */
static void pass_on(folder *f, weir_node node, size_t index) {
    weir_graph *graph = f->rewrite.graph;
    const weir_value input = input_of(f, node, index), y = weir_node_output(graph, node, 0);
    const weir_value scale = known(f, input)->scale;
    const int rank = weir_value_type(graph, y)->shape.rank;
    weir_scale_product product;
    f->rewrite.at = node;
    weir_node_set_input(graph, node, index, known(f, input)->base);
    if (weir_scale_product_of(graph, node, &product)) {
        const int weight_rank = weir_value_type(graph, input_of(f, node, 1))->shape.rank;
        weir_scale_input(&f->rewrite, WEIR_OP_MUL, 1, scale, weight_rank, product.weight_in_axis);
        return;
    }
    if (weir_scale_is_sum(graph, node))
        weir_scale_input(&f->rewrite, WEIR_OP_DIV, 1 - index, scale, rank, known(f, y)->offer.axis);
    set_scaled(f, y, y, scale);
}

static void run(folder *f) {
    const weir_graph *graph = f->rewrite.graph;
    for (weir_node node = weir_graph_last(graph); node.id != 0; node = weir_node_previous(graph, node)) ask(f, node);
    for (weir_node node = weir_graph_first(graph), next; node.id != 0; node = next) {
        next = weir_node_next(graph, node);
        if (weir_trait_kind(graph, node) == WEIR_OP_MUL && weir_rewrite_may(graph, node)) start(f, node);
        for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
            const weir_value input = input_of(f, node, i);
            if (input.id == 0 || known(f, input)->base.id == 0) continue;
            pass_on(f, node, i);
            break; /* one input at most is scaled */
        }
    }
}

bool weir_pass_forward_fold_scale_axis(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    const uint32_t limit = weir_graph_value_limit(graph);
    (void)pass;
    folder f = {.rewrite = {.graph = graph}, .values = weir_side_new(sizeof(about), limit)};
    for (uint32_t id = 0; id < limit; id++) known(&f, (weir_value){id})->offer = WEIR_NO_OFFER;
    run(&f);
    const bool fine = weir_scale_finish(&f.rewrite, context);
    weir_side_free(&f.values);
    return fine;
}
