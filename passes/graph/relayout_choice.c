/* Which operators take which order: ir/trait/trait.h. */
#include "ir/shape/layout.h"
#include "ir/trait/trait.h"
#include "passes/graph/relayout.h"

bool weir_relayout_is_ordered(weir_trait_order order) {
    return order != WEIR_ORDER_OTHER && order != WEIR_ORDER_FREE && order != WEIR_ORDER_SHAPE;
}

bool weir_relayout_is_data(const weir_relayout *c, weir_value value) {
    return value.id != 0 && !weir_known(c, value)->is_fixed;
}

bool weir_relayout_shares(const weir_relayout *c, weir_node node) {
    const int rank = weir_known(c, weir_node_output(c->graph, node, 0))->shape.rank;
    for (size_t i = 0; i < weir_node_input_count(c->graph, node); i++) {
        const weir_value input = weir_node_input(c->graph, node, i);
        if (weir_relayout_is_data(c, input) && weir_known(c, input)->shape.rank != rank) return false;
    }
    return true;
}

/* Does the node keep whatever order its inputs share? */
static bool follows_inputs(const weir_relayout *c, weir_node node) {
    const weir_trait_order which = weir_trait_of(weir_node_op(c->graph, node))->order;
    return which != WEIR_ORDER_CHANNELS && which != WEIR_ORDER_TRANSPOSE && weir_relayout_is_ordered(which) &&
           which != WEIR_ORDER_RESHAPE && which != WEIR_ORDER_PRODUCT && weir_relayout_shares(c, node);
}

/* The order that the node's result will have behind nodes that put channels last, so that other inputs of its users
 * come in that order, too: only the host can transpose them, before the hardware. */
void weir_relayout_expect(weir_relayout *c, weir_node node) {
    if (weir_node_output_count(c->graph, node) == 0) return;
    const weir_value output = weir_node_output(c->graph, node, 0);
    const int rank = weir_known(c, output)->shape.rank;
    if (weir_trait_of(weir_node_op(c->graph, node))->order == WEIR_ORDER_CHANNELS && rank >= 3)
        weir_known(c, output)->wanted = weir_order_channels_last(rank);
    for (size_t i = 0; i < weir_node_input_count(c->graph, node) && follows_inputs(c, node); i++) {
        const weir_value input = weir_node_input(c->graph, node, i);
        if (weir_relayout_is_data(c, input) && weir_known(c, input)->wanted.rank == rank)
            weir_known(c, output)->wanted = weir_known(c, input)->wanted;
    }
}

/* Sums that a quantizer takes stay in their order: fewer bits move behind it, and codes have one scale. The host moves
 * what comes in before its quantizer. */
static bool quantizes_sums(const weir_relayout *c, weir_node node) {
    const weir_op op = weir_node_op(c->graph, node), kind = weir_trait_of(op)->kind;
    return weir_trait_is_quantizer(op) && kind != WEIR_OP_DEQUANTIZE_LINEAR &&
           !weir_known(c, weir_node_input(c->graph, node, 0))->comes_in;
}

void weir_relayout_want(weir_relayout *c, weir_node node) {
    const weir_graph *graph = c->graph;
    const weir_trait_order which = weir_trait_of(weir_node_op(graph, node))->order;
    const weir_value x = weir_node_input(graph, node, 0);
    if (x.id == 0 || weir_node_output_count(graph, node) == 0 || quantizes_sums(c, node)) return;
    const weir_order *preferred = &weir_known(c, weir_node_output(graph, node, 0))->wanted;
    if (which == WEIR_ORDER_CHANNELS) {
        if (weir_known(c, x)->shape.rank >= 3)
            weir_known(c, x)->wanted = weir_order_channels_last(weir_known(c, x)->shape.rank);
    } else if (which == WEIR_ORDER_TRANSPOSE && preferred->rank > 0) {
        int perm[WEIR_MAX_RANK];
        weir_layout_permutation(graph, node, perm);
        weir_known(c, x)->wanted.rank = preferred->rank;
        for (int i = 0; i < preferred->rank; i++) weir_known(c, x)->wanted.at[i] = perm[preferred->at[i]];
    } else if (preferred->rank > 0 && follows_inputs(c, node)) {
        for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
            const weir_value input = weir_node_input(graph, node, i);
            if (weir_relayout_is_data(c, input)) weir_known(c, input)->wanted = *preferred;
        }
    }
}

/* Transpositions that the order would cost at the node's inputs and at its output. */
static int cost_of(const weir_relayout *c, weir_node node, const weir_order *want) {
    const weir_order *preferred = &weir_known(c, weir_node_output(c->graph, node, 0))->wanted;
    int cost = preferred->rank == want->rank && !weir_order_equal(preferred, want);
    for (size_t i = 0; i < weir_node_input_count(c->graph, node); i++) {
        const weir_value input = weir_node_input(c->graph, node, i);
        if (!weir_relayout_is_data(c, input) || weir_order_equal(&weir_known(c, input)->carrier.order, want)) continue;
        const weir_order perm = weir_order_permutation(&weir_known(c, input)->carrier.order, want);
        const weir_shape held =
            weir_layout_from_onnx(&weir_known(c, input)->shape, weir_known(c, input)->carrier.order.at);
        cost += weir_carrier_find(c, input.id, want) == NULL && !weir_layout_keeps_memory(&held, perm.at);
    }
    return cost;
}

static void prefer(const weir_relayout *c, weir_node node, const weir_order *candidate, weir_order *best, int *least) {
    if (weir_known(c, weir_node_output(c->graph, node, 0))->is_row && candidate->at[0] != 0) return;
    const int cost = candidate->rank == best->rank ? cost_of(c, node, candidate) : *least;
    if (cost >= *least) return;
    *least = cost;
    *best = *candidate;
}

weir_order weir_relayout_choose(const weir_relayout *c, weir_node node) {
    const weir_value output = weir_node_output(c->graph, node, 0);
    const bool by_element = weir_trait_of(weir_node_op(c->graph, node))->order == WEIR_ORDER_ELEMENTWISE;
    const weir_order model =
        weir_order_plain(weir_known(c, by_element ? output : weir_node_input(c->graph, node, 0))->shape.rank);
    weir_order best = model;
    int least = INT32_MAX;
    if (quantizes_sums(c, node)) return weir_known(c, weir_node_input(c->graph, node, 0))->carrier.order;
    prefer(c, node, &weir_known(c, output)->wanted, &best, &least);
    for (size_t i = 0; i < weir_node_input_count(c->graph, node); i++) {
        const weir_value input = weir_node_input(c->graph, node, i);
        if (weir_relayout_is_data(c, input) && !weir_order_is_plain(&weir_known(c, input)->carrier.order))
            prefer(c, node, &weir_known(c, input)->carrier.order, &best, &least);
    }
    prefer(c, node, &model, &best, &least);
    return best;
}
