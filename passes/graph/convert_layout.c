/* convert_layout: convolutions and pools take and give their data with the channels innermost, as streams carry it, and
 * the transpositions that exporters write are moved and cancelled.
 *
 * Every value gets an order: dimension i of what carries it is dimension order[i] of the model's value. A Transpose
 * only changes the order; Conv and pools want the channels last; elementwise operators take any order that their inputs
 * have, operators with axes too, once these are renumbered; constants are rewritten. A Transpose is made where an
 * operator needs another order than its input has, once for all that need it. Between orders that cost the same, the
 * one that the users prefer is taken. Graph inputs and outputs keep the model's order. A Flatten before a matrix
 * product leaves the elements in their order in memory: the rows of the constant matrix are permuted.
 *
 * Results: the same bits, with two exceptions in float arithmetic: a matrix product after a Flatten adds in the order
 * of the stream, and a reduction over several axes in the order of the axes. Integer sums are exact in any order.
 * Idempotent; a graph without channels and without transpositions stays as it is. O(size of graph and constants). */
#include <stdlib.h>
#include <string.h>

#include "ir/shape/infer.h"
#include "ir/shape/layout.h"
#include "ir/trait/recurrence.h"
#include "ir/trait/trait.h"
#include "passes/graph/fusion.h"
#include "passes/graph/relayout.h"
#include "passes/graph/rewrite.h"
#include "passes/passes.h"
#include "support/memory/arena.h"

/* A node of constants alone stays as it is. */
static bool find_fixed(weir_relayout *c, weir_node node) {
    bool fixed = true;
    for (size_t i = 0; i < weir_node_input_count(c->graph, node); i++)
        fixed = fixed && !weir_relayout_is_data(c, weir_node_input(c->graph, node, i));
    for (size_t i = 0; i < weir_node_output_count(c->graph, node); i++)
        weir_known(c, weir_node_output(c->graph, node, i))->is_fixed = fixed;
    return fixed;
}

/* After find_fixed. */
static void find_entries(weir_relayout *c, weir_node node) {
    const weir_trait_order which = weir_trait_of(weir_node_op(c->graph, node))->order;
    bool enters = which != WEIR_ORDER_CHANNELS && which != WEIR_ORDER_PRODUCT && which != WEIR_ORDER_REDUCE &&
                  weir_relayout_is_ordered(which);
    for (size_t i = 0; i < weir_node_input_count(c->graph, node); i++) {
        const weir_value input = weir_node_input(c->graph, node, i);
        enters = enters && (!weir_relayout_is_data(c, input) || weir_known(c, input)->comes_in);
    }
    for (size_t i = 0; i < weir_node_output_count(c->graph, node); i++)
        weir_known(c, weir_node_output(c->graph, node, i))->comes_in = enters;
}

/* Not behind an Update, which gives all steps. */
static void find_rows(weir_relayout *c, weir_node node) {
    const weir_op op = weir_node_op(c->graph, node);
    bool is_row = op == WEIR_OP_STATE && !weir_recurrence_spans(c->graph, node);
    for (size_t i = 0; i < weir_node_input_count(c->graph, node) && op != WEIR_OP_UPDATE; i++) {
        const weir_value input = weir_node_input(c->graph, node, i);
        is_row |= input.id != 0 && weir_known(c, input)->is_row;
    }
    for (size_t i = 0; i < weir_node_output_count(c->graph, node); i++)
        weir_known(c, weir_node_output(c->graph, node, i))->is_row = is_row;
}

static bool moves_data(const weir_graph *graph, weir_node node) {
    int perm[WEIR_MAX_RANK];
    if (weir_trait_kind(graph, node) != WEIR_OP_TRANSPOSE) return false;
    weir_layout_permutation(graph, node, perm);
    return !weir_layout_keeps_memory(&weir_value_type(graph, weir_node_input(graph, node, 0))->shape, perm);
}

/* What comes from a Transpose or into the graph is known to have the layout. */
static void tell_layout(weir_relayout *c, weir_value value, const char *layout) {
    const weir_node producer = weir_value_producer(c->graph, value);
    weir_type type = *weir_value_type(c->graph, value);
    if (type.layout[0] != '\0' || (int)strlen(layout) != type.shape.rank ||
        weir_value_constant(c->graph, value) != NULL)
        return;
    if (producer.id != 0 && weir_trait_kind(c->graph, producer) != WEIR_OP_TRANSPOSE) {
        const weir_trait_order which = weir_trait_of(weir_node_op(c->graph, producer))->order;
        for (size_t i = 0; which == WEIR_ORDER_ELEMENTWISE && i < weir_node_input_count(c->graph, producer); i++)
            if (weir_node_input(c->graph, producer, i).id != 0)
                tell_layout(c, weir_node_input(c->graph, producer, i), layout);
        if (which == WEIR_ORDER_QUANTIZE || which == WEIR_ORDER_THRESHOLDS)
            tell_layout(c, weir_node_input(c->graph, producer, 0), layout);
        return;
    }
    strcpy(type.layout, layout);
    weir_value_set_type(c->graph, value, &type);
}

static void convert(weir_relayout *c) {
    weir_graph *graph = c->graph;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        weir_relayout_expect(c, node);
    for (weir_node node = weir_graph_last(graph); node.id != 0; node = weir_node_previous(graph, node))
        weir_relayout_want(c, node);
    for (weir_node node = weir_graph_first(graph); c->fine && node.id != 0; node = weir_node_next(graph, node)) {
        c->at = node;
        if (!weir_known(c, weir_node_output(graph, node, 0))->is_fixed) weir_relayout_node(c, node);
    }
    c->at = WEIR_NO_NODE;
    for (size_t i = 0; c->fine && i < weir_graph_output_count(graph); i++) {
        const weir_value output = weir_graph_output(graph, i);
        if (!weir_known(c, output)->is_fixed) weir_graph_set_output(graph, i, weir_carrier_fetch_plain(c, output));
    }
    weir_eliminate_dead_code(graph);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_layout_is_changed(graph, node))
            tell_layout(c, weir_node_input(graph, node, 0), weir_node_string(graph, node, "layout", ""));
    }
    c->fine = c->fine && weir_infer_graph(graph);
}

static bool convert_graph(weir_graph *graph) {
    weir_relayout c = {.graph = graph, .arena = weir_arena_new(), .fine = true};
    const uint32_t limit = weir_graph_value_limit(graph);
    c.known = weir_side_new(sizeof(weir_model_value), limit);
    for (uint32_t id = 1; id < limit; id++) {
        const weir_value value = {id};
        if (!weir_value_exists(graph, value)) continue;
        weir_model_value *known = weir_known(&c, value);
        known->shape = weir_value_type(graph, value)->shape;
        known->carrier = (weir_carrier){value, weir_order_plain(known->shape.rank), NULL};
        known->is_fixed = weir_value_constant(graph, value) != NULL;
        known->comes_in = weir_value_producer(graph, value).id == 0;
    }
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        find_fixed(&c, node);
        find_entries(&c, node);
        find_rows(&c, node);
    }
    convert(&c);
    free(c.moved);
    weir_side_free(&c.known);
    weir_arena_free(c.arena);
    return c.fine;
}

static bool has_channels_first(const weir_graph *graph) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_trait_of(weir_node_op(graph, node))->order == WEIR_ORDER_CHANNELS &&
            !weir_layout_is_changed(graph, node))
            return true;
    }
    return false;
}

/* Where no operator has its channels first, only a smaller number of transpositions is a reason to change the graph. */
static bool is_concerned(const weir_graph *graph) {
    const size_t before = weir_count_transpositions(graph);
    if (has_channels_first(graph)) return true;
    if (before == 0) return false;
    weir_graph *trial = weir_graph_copy(graph);
    const bool fewer = convert_graph(trial) && weir_count_transpositions(trial) < before;
    weir_graph_free(trial);
    return fewer;
}

bool weir_convert_layout(weir_graph *graph, bool *changed) {
    *changed = is_concerned(graph);
    return !*changed || convert_graph(graph);
}

size_t weir_count_transpositions(const weir_graph *graph) {
    size_t count = 0;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        count += moves_data(graph, node);
    return count;
}

bool weir_pass_convert_layout(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    bool changed;
    const size_t before = weir_count_transpositions(graph);
    const bool fine = weir_convert_layout(graph, &changed);
    weir_pass_count(context, "transpositions before", (int64_t)before);
    weir_pass_count(context, "transpositions after", (int64_t)weir_count_transpositions(graph));
    if (!changed) weir_pass_unchanged(context);
    return fine;
}
