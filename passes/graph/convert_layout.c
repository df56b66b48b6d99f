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

#include "ir/shape/geometry.h"
#include "ir/shape/infer.h"
#include "ir/shape/layout.h"
#include "ir/trait/trait.h"
#include "passes/graph/carrier.h"
#include "passes/graph/fusion.h"
#include "passes/graph/rewrite.h"
#include "passes/passes.h"
#include "support/memory/arena.h"

/* ---- which operators take which order (ir/trait/trait.h) ---- */

static bool is_ordered(weir_trait_order order) { return order != WEIR_ORDER_OTHER && order != WEIR_ORDER_FREE; }

static bool is_data(const weir_relayout *c, weir_value value) {
    return value.id != 0 && !weir_known(c, value)->is_fixed;
}

/* Do all inputs that are data have the output's rank, so that one order serves them and the output? */
static bool shares_order(const weir_relayout *c, weir_node node) {
    const int rank = weir_known(c, weir_node_output(c->graph, node, 0))->shape.rank;
    for (size_t i = 0; i < weir_node_input_count(c->graph, node); i++) {
        const weir_value input = weir_node_input(c->graph, node, i);
        if (is_data(c, input) && weir_known(c, input)->shape.rank != rank) return false;
    }
    return true;
}

/* Does the node keep whatever order its inputs share? */
static bool follows_inputs(const weir_relayout *c, weir_node node) {
    const weir_trait_order which = weir_trait_of(weir_node_op(c->graph, node))->order;
    return which != WEIR_ORDER_CHANNELS && which != WEIR_ORDER_TRANSPOSE && is_ordered(which) &&
           which != WEIR_ORDER_RESHAPE && which != WEIR_ORDER_PRODUCT && shares_order(c, node);
}

/* The order that the node's result will have behind nodes that put channels last, so that other inputs of its users come in that
 * order, too: only the host can transpose them, before the hardware. */
static void expect_order(weir_relayout *c, weir_node node) {
    if (weir_node_output_count(c->graph, node) == 0) return;
    const weir_value output = weir_node_output(c->graph, node, 0);
    const int rank = weir_known(c, output)->shape.rank;
    if (weir_trait_of(weir_node_op(c->graph, node))->order == WEIR_ORDER_CHANNELS && rank >= 3)
        weir_known(c, output)->wanted = weir_order_channels_last(rank);
    for (size_t i = 0; i < weir_node_input_count(c->graph, node) && follows_inputs(c, node); i++) {
        const weir_value input = weir_node_input(c->graph, node, i);
        if (is_data(c, input) && weir_known(c, input)->wanted.rank == rank)
            weir_known(c, output)->wanted = weir_known(c, input)->wanted;
    }
}

/* Sums that a quantizer takes stay in their order: fewer bits move behind it, and codes have one scale. The host moves what comes in
 * before its quantizer. */
static bool quantizes_sums(const weir_relayout *c, weir_node node) {
    const weir_op op = weir_node_op(c->graph, node);
    return weir_trait_is_quantizer(op) && op != WEIR_OP_DEQUANTIZE_LINEAR &&
           !weir_known(c, weir_node_input(c->graph, node, 0))->comes_in;
}

/* The order that the users of each value prefer, from the last node to the first. */
static void want_order(weir_relayout *c, weir_node node) {
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
            if (is_data(c, input)) weir_known(c, input)->wanted = *preferred;
        }
    }
}

/* Transpositions that the order would cost at the node's inputs and at its output. */
static int cost_of(const weir_relayout *c, weir_node node, const weir_order *want) {
    const weir_order *preferred = &weir_known(c, weir_node_output(c->graph, node, 0))->wanted;
    int cost = preferred->rank == want->rank && !weir_order_equal(preferred, want);
    for (size_t i = 0; i < weir_node_input_count(c->graph, node); i++) {
        const weir_value input = weir_node_input(c->graph, node, i);
        if (!is_data(c, input) || weir_order_equal(&weir_known(c, input)->carrier.order, want)) continue;
        const weir_order perm = weir_order_permutation(&weir_known(c, input)->carrier.order, want);
        const weir_shape held =
            weir_layout_from_onnx(&weir_known(c, input)->shape, weir_known(c, input)->carrier.order.at);
        cost += weir_carrier_find(c, input.id, want) == NULL && !weir_layout_keeps_memory(&held, perm.at);
    }
    return cost;
}

static void prefer(const weir_relayout *c, weir_node node, const weir_order *candidate, weir_order *best, int *least) {
    const int cost = candidate->rank == best->rank ? cost_of(c, node, candidate) : *least;
    if (cost >= *least) return;
    *least = cost;
    *best = *candidate;
}

/* The cheapest order for the node: the one its users prefer, an input's, or the model's. */
static weir_order choose(const weir_relayout *c, weir_node node) {
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
        if (is_data(c, input) && !weir_order_is_plain(&weir_known(c, input)->carrier.order))
            prefer(c, node, &weir_known(c, input)->carrier.order, &best, &least);
    }
    prefer(c, node, &model, &best, &least);
    return best;
}

/* ---- rewriting, one function a kind ---- */

/* The node works on `want`; its outputs have it. */
static void set_outputs(weir_relayout *c, weir_node node, const weir_order *want) {
    c->fine = c->fine && weir_infer_node(c->graph, node);
    for (size_t i = 0; i < weir_node_output_count(c->graph, node); i++) {
        const weir_value output = weir_node_output(c->graph, node, i);
        const bool fits = weir_known(c, output)->shape.rank == want->rank;
        weir_known(c, output)->carrier =
            (weir_carrier){output, fits ? *want : weir_order_plain(weir_known(c, output)->shape.rank), NULL};
    }
}

static void keep_model_order(weir_relayout *c, weir_node node) {
    for (size_t i = 0; i < weir_node_input_count(c->graph, node); i++) {
        const weir_value input = weir_node_input(c->graph, node, i);
        if (is_data(c, input)) weir_node_set_input(c->graph, node, i, weir_carrier_fetch_plain(c, input));
    }
    const weir_order none = {.rank = -1};
    set_outputs(c, node, &none);
}

static void set_layout(weir_relayout *c, weir_node node, const weir_order *want) {
    char text[WEIR_LAYOUT_TEXT];
    weir_layout_print(want->at, want->rank, text);
    if (text[0] != '\0') weir_node_set_string(c->graph, node, "layout", text);
}

/* What comes from a Transpose or into the graph is known to have the layout. */
static void tell_layout(weir_relayout *c, weir_value value, const char *layout) {
    const weir_node producer = weir_value_producer(c->graph, value);
    weir_type type = *weir_value_type(c->graph, value);
    if (type.layout[0] != '\0' || (int)strlen(layout) != type.shape.rank ||
        weir_value_constant(c->graph, value) != NULL)
        return;
    if (producer.id != 0 && weir_node_op(c->graph, producer) != WEIR_OP_TRANSPOSE) {
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

static void move_channels(weir_relayout *c, weir_node node, bool innermost) {
    const weir_value x = weir_node_input(c->graph, node, 0);
    const int rank = weir_known(c, x)->shape.rank;
    if (weir_layout_is_changed(c->graph, node) || rank < 3) {
        keep_model_order(c, node);
        return;
    }
    if (!innermost) weir_carrier_restore(c, x);
    const weir_order want = innermost ? weir_order_channels_last(rank) : weir_known(c, x)->carrier.order;
    weir_node_set_input(c->graph, node, 0, weir_carrier_fetch(c, x, &want));
    for (size_t i = 1; i < weir_node_input_count(c->graph, node); i++) {
        const weir_value input = weir_node_input(c->graph, node, i);
        if (is_data(c, input)) weir_node_set_input(c->graph, node, i, weir_carrier_fetch_plain(c, input));
    }
    set_layout(c, node, &want);
    set_outputs(c, node, &want);
}

/* All data in one shuffled sequence: constants follow. False: nothing was done. */
static bool move_shuffled(weir_relayout *c, weir_node node) {
    const weir_value output = weir_node_output(c->graph, node, 0);
    const weir_shuffle *s = NULL;
    for (size_t i = 0; i < weir_node_input_count(c->graph, node); i++) {
        const weir_value input = weir_node_input(c->graph, node, i);
        if (!is_data(c, input)) continue;
        const weir_carrier *from = &weir_known(c, input)->carrier;
        if (from->shuffled == NULL || !weir_shape_equal(&weir_known(c, input)->shape, &weir_known(c, output)->shape))
            return false;
        if (s != NULL && memcmp(s->map, from->shuffled->map, (size_t)s->count * sizeof *s->map) != 0) return false;
        s = from->shuffled;
    }
    if (s == NULL || weir_node_output_count(c->graph, node) != 1) return false;
    if (weir_trait_of(weir_node_op(c->graph, node))->order == WEIR_ORDER_QUANTIZE &&
        !weir_carrier_is_one(c->graph, weir_node_input(c->graph, node, 1)))
        return false;
    for (size_t i = 0; i < weir_node_input_count(c->graph, node); i++) {
        const weir_value input = weir_node_input(c->graph, node, i);
        if (input.id == 0) continue;
        const int last = weir_value_type(c->graph, input)->shape.rank - 1;
        weir_node_set_input(c->graph, node, i,
                            is_data(c, input) ? weir_known(c, input)->carrier.value
                                              : weir_carrier_taken(c, input, last, s));
    }
    const weir_order same = weir_order_plain(weir_known(c, output)->shape.rank);
    set_outputs(c, node, &same);
    weir_known(c, output)->carrier.shuffled = s;
    return true;
}

static weir_order fetch_inputs(weir_relayout *c, weir_node node, bool with_fixed) {
    for (size_t i = 0; i < weir_node_input_count(c->graph, node); i++) {
        const weir_value input = weir_node_input(c->graph, node, i);
        if (is_data(c, input)) weir_carrier_restore(c, input);
    }
    const weir_order want = choose(c, node);
    for (size_t i = 0; i < weir_node_input_count(c->graph, node); i++) {
        const weir_value input = weir_node_input(c->graph, node, i);
        if (is_data(c, input)) weir_node_set_input(c->graph, node, i, weir_carrier_fetch(c, input, &want));
        else if (with_fixed) weir_node_set_input(c->graph, node, i, weir_carrier_fixed(c, input, &want));
    }
    return want;
}

static void move_elementwise(weir_relayout *c, weir_node node) {
    if (!shares_order(c, node)) {
        keep_model_order(c, node);
    } else if (!move_shuffled(c, node)) {
        const weir_order want = fetch_inputs(c, node, true);
        set_outputs(c, node, &want);
    }
}

static void move_quantizer(weir_relayout *c, weir_node node) {
    const bool many = !weir_carrier_is_one(c->graph, weir_node_input(c->graph, node, 1));
    if (!is_data(c, weir_node_input(c->graph, node, 0)) ||
        !weir_known(c, weir_node_input(c->graph, node, 1))->is_fixed) {
        keep_model_order(c, node);
    } else if (!move_shuffled(c, node)) {
        const weir_order want = fetch_inputs(c, node, false);
        if (many && !weir_order_is_plain(&want))
            weir_node_set_int(c->graph, node, "axis",
                              weir_order_position(&want, weir_carrier_quantizer_axis(c, node, want.rank)));
        set_outputs(c, node, &want);
    }
}

/* The letters of the model's dimensions in their present order. */
static void move_thresholds(weir_relayout *c, weir_node node) {
    const weir_value x = weir_node_input(c->graph, node, 0), thresholds = weir_node_input(c->graph, node, 1),
                     y = weir_node_output(c->graph, node, 0);
    const int axis = weir_layout_channel_axis(c->graph, node);
    const weir_shuffle *s = weir_known(c, x)->carrier.shuffled;
    if (!is_data(c, x) || is_data(c, thresholds)) {
        keep_model_order(c, node);
    } else if (s != NULL &&
               (axis == weir_known(c, x)->shape.rank - 1 || weir_known(c, thresholds)->shape.dim[0] == 1)) {
        const weir_order same = weir_order_plain(weir_known(c, x)->shape.rank);
        weir_node_set_input(c->graph, node, 0, weir_known(c, x)->carrier.value);
        weir_node_set_input(c->graph, node, 1, weir_carrier_taken(c, thresholds, 0, s));
        set_outputs(c, node, &same);
        weir_known(c, y)->carrier.shuffled = s;
    } else {
        const weir_order want = fetch_inputs(c, node, false);
        const char *letters = weir_node_string(c->graph, node, "data_layout", "");
        const bool named = (int)strlen(letters) == want.rank;
        char text[WEIR_MAX_RANK + 1] = "";
        for (int i = 0; i < want.rank; i++) text[i] = named ? letters[want.at[i]] : want.at[i] == axis ? 'C' : 'N';
        if (!weir_order_is_plain(&want)) weir_node_set_string(c->graph, node, "data_layout", text);
        set_outputs(c, node, &want);
    }
}

static int64_t normal_axis(int64_t axis, int rank) { return axis < 0 ? axis + rank : axis; }

static void move_axis(weir_relayout *c, weir_node node) {
    const weir_op op = weir_node_op(c->graph, node);
    const int64_t otherwise = op == WEIR_OP_SPLIT || op == WEIR_OP_CONCAT ? 0 : -1;
    const weir_order want = fetch_inputs(c, node, op == WEIR_OP_CONCAT);
    if (!weir_order_is_plain(&want)) {
        const int64_t axis = normal_axis(weir_node_int(c->graph, node, "axis", otherwise), want.rank);
        weir_node_set_int(c->graph, node, "axis", weir_order_position(&want, axis));
    }
    set_outputs(c, node, &want);
}

/* The order of the remaining dimensions when some are removed. */
static weir_order without(const weir_order *from, const bool *gone) {
    weir_order left = {.rank = 0};
    for (int i = 0; i < from->rank; i++) {
        int position = 0;
        if (gone[from->at[i]]) continue;
        for (int d = 0; d < from->at[i]; d++) position += !gone[d];
        left.at[left.rank++] = position;
    }
    return left;
}

static void move_reduction(weir_relayout *c, weir_node node) {
    const weir_value x = weir_node_input(c->graph, node, 0);
    const bool is_position = weir_trait_of(weir_node_op(c->graph, node))->order == WEIR_ORDER_POSITION;
    const bool keep = weir_node_int(c->graph, node, "keepdims", 1) != 0;
    bool reduced[WEIR_MAX_RANK] = {false};
    int64_t positions[WEIR_MAX_RANK];
    size_t count = 0;
    weir_carrier_restore(c, x);
    const weir_order want = weir_known(c, x)->carrier.order;
    if (is_position) reduced[normal_axis(weir_node_int(c->graph, node, "axis", 0), want.rank)] = true;
    if (weir_order_is_plain(&want) || (!is_position && (!weir_geometry_reduced(c->graph, node, reduced) ||
                                                        weir_node_input(c->graph, node, 1).id == 0))) {
        keep_model_order(c, node);
        return;
    }
    for (int i = 0; i < want.rank; i++)
        if (reduced[want.at[i]]) positions[count++] = i;
    weir_node_set_input(c->graph, node, 0, weir_known(c, x)->carrier.value);
    if (is_position) weir_node_set_int(c->graph, node, "axis", positions[0]);
    else if (count > 0) weir_node_set_input(c->graph, node, 1, weir_carrier_integers(c, "axes", positions, count));
    const weir_order left = keep ? want : without(&want, reduced);
    set_outputs(c, node, &left);
}

/* The constant vector at an input as numbers; false when it is not there. */
static bool read_integers(const weir_relayout *c, weir_node node, size_t index, int64_t *to, size_t limit,
                          size_t *count) {
    const weir_value value = weir_node_input(c->graph, node, index);
    const weir_array *data = value.id == 0 ? NULL : weir_value_constant(c->graph, value);
    if (data == NULL || data->count > limit) return false;
    *count = data->count;
    for (size_t i = 0; i < data->count; i++) to[i] = weir_array_get_int(data, i);
    return true;
}

/* Input `index` names axes: they are renumbered. */
static void renumber(weir_relayout *c, weir_node node, size_t index, const int64_t *axes, size_t count,
                     const weir_order *want) {
    int64_t positions[WEIR_MAX_RANK];
    for (size_t i = 0; i < count; i++) positions[i] = weir_order_position(want, normal_axis(axes[i], want->rank));
    weir_node_set_input(c->graph, node, index, weir_carrier_integers(c, "axes", positions, count));
}

static void move_pad(weir_relayout *c, weir_node node) {
    int64_t pads[2 * WEIR_MAX_RANK], moved_pads[2 * WEIR_MAX_RANK], axes[WEIR_MAX_RANK];
    size_t pad_count = 0, axis_count = 0;
    const bool has_axes = weir_node_input(c->graph, node, 3).id != 0;
    if (!read_integers(c, node, 1, pads, 2 * WEIR_MAX_RANK, &pad_count) ||
        (has_axes && !read_integers(c, node, 3, axes, WEIR_MAX_RANK, &axis_count))) {
        keep_model_order(c, node);
        return;
    }
    const weir_order want = fetch_inputs(c, node, false);
    if (has_axes) {
        renumber(c, node, 3, axes, axis_count, &want);
    } else if (!weir_order_is_plain(&want)) {
        for (int i = 0; i < want.rank; i++) {
            moved_pads[i] = pads[want.at[i]];
            moved_pads[i + want.rank] = pads[want.at[i] + want.rank];
        }
        weir_node_set_input(c->graph, node, 1, weir_carrier_integers(c, "pads", moved_pads, pad_count));
    }
    set_outputs(c, node, &want);
}

static void move_slice(weir_relayout *c, weir_node node) {
    int64_t axes[WEIR_MAX_RANK];
    size_t count = 0;
    if (!read_integers(c, node, 3, axes, WEIR_MAX_RANK, &count)) {
        keep_model_order(c, node);
        return;
    }
    const weir_order want = fetch_inputs(c, node, false);
    if (!weir_order_is_plain(&want)) renumber(c, node, 3, axes, count, &want);
    set_outputs(c, node, &want);
}

/* Nothing moves: what carries the input carries the output, whose dimensions are counted in another order. */
static void move_transpose(weir_relayout *c, weir_node node) {
    const weir_value x = weir_node_input(c->graph, node, 0), y = weir_node_output(c->graph, node, 0);
    int perm[WEIR_MAX_RANK];
    weir_carrier_restore(c, x);
    const weir_carrier *from = &weir_known(c, x)->carrier;
    weir_layout_permutation(c->graph, node, perm);
    weir_order by = {.rank = from->order.rank}, to = by;
    memcpy(by.at, perm, (size_t)by.rank * sizeof *perm);
    for (int i = 0; i < to.rank; i++) to.at[i] = weir_order_position(&by, from->order.at[i]);
    weir_known(c, y)->carrier = (weir_carrier){from->value, to, NULL};
}

/* ---- views ---- */

enum { FACTORS = 2 * WEIR_MAX_RANK };

/* Factors of the element count that are parts of dimensions of both shapes: factor k, outermost first, belongs to
 * dimension from[k] of one and to[k] of the other. */
typedef struct factors {
    int count, from[FACTORS], to[FACTORS];
    int64_t size[FACTORS];
    int in_memory[FACTORS]; /* the factors in their sequence in memory */
} factors;

static bool split(const weir_shape *a, const weir_shape *b, factors *f) {
    int i = 0, k = 0;
    int64_t left = a->rank > 0 ? a->dim[0] : 1, right = b->rank > 0 ? b->dim[0] : 1;
    f->count = 0;
    while (i < a->rank || k < b->rank) {
        if (left == 1 && i < a->rank) {
            left = ++i < a->rank ? a->dim[i] : 1;
        } else if (right == 1 && k < b->rank) {
            right = ++k < b->rank ? b->dim[k] : 1;
        } else {
            const int64_t size = left < right ? left : right;
            if (size < 2 || left % size != 0 || right % size != 0) return false;
            f->from[f->count] = i;
            f->to[f->count] = k;
            f->size[f->count++] = size;
            left /= size;
            right /= size;
        }
    }
    return true;
}

static void order_factors(factors *f, const weir_order *order) {
    int count = 0;
    for (int i = 0; i < order->rank; i++) {
        for (int k = 0; k < f->count; k++)
            if (f->from[k] == order->at[i]) f->in_memory[count++] = k;
    }
}

/* The order of the new dimensions, when the factors of each are adjacent and in sequence. */
static bool view_order(const factors *f, int rank, weir_order *to) {
    bool used[WEIR_MAX_RANK] = {false};
    to->rank = 0;
    for (int k = 0; k < f->count; k++) {
        const int dimension = f->to[f->in_memory[k]];
        const bool goes_on = k > 0 && dimension == f->to[f->in_memory[k - 1]];
        if (goes_on ? f->in_memory[k] != f->in_memory[k - 1] + 1 : used[dimension]) return false;
        if (!goes_on) to->at[to->rank++] = dimension;
        used[dimension] = true;
    }
    for (int d = 0; d < rank; d++) { /* dimensions of 1 come before the first larger one */
        int at = 0;
        if (used[d]) continue;
        while (at < to->rank && to->at[at] < d) at++;
        memmove(&to->at[at + 1], &to->at[at], (size_t)(to->rank - at) * sizeof *to->at);
        to->at[at] = d;
        to->rank++;
    }
    return true;
}

/* The last dimension as it is in memory, when the others come before it as in the model. */
static const weir_shuffle *shuffled_last(weir_relayout *c, const factors *f, const weir_shape *to,
                                         const weir_carrier *from) {
    int first = 0;
    while (first < f->count && f->to[first] != to->rank - 1) {
        if (f->in_memory[first] != first) return NULL;
        first++;
    }
    const int64_t count = to->dim[to->rank - 1];
    int64_t *map = weir_arena_array(c->arena, (size_t)count, sizeof *map);
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i, digit[FACTORS];
        for (int k = f->count - 1; k >= first; k--) {
            digit[f->in_memory[k]] = rest % f->size[f->in_memory[k]];
            rest /= f->size[f->in_memory[k]];
        }
        for (int k = first; k < f->count; k++) map[i] = map[i] * f->size[k] + digit[k];
    }
    weir_shuffle *s = weir_arena_alloc(c->arena, sizeof *s);
    *s = (weir_shuffle){count, map, weir_value_type(c->graph, from->value)->shape, from->order};
    return s;
}

static void move_view(weir_relayout *c, weir_node node) {
    const weir_value x = weir_node_input(c->graph, node, 0), y = weir_node_output(c->graph, node, 0);
    const weir_shape *to = &weir_known(c, y)->shape;
    const weir_carrier *from = &weir_known(c, x)->carrier;
    const weir_shuffle *s = from->shuffled;
    factors f;
    weir_order order;
    if (s != NULL && to->rank > 0 && to->dim[to->rank - 1] == s->count) {
        weir_known(c, y)->carrier =
            (weir_carrier){weir_carrier_reshape(c, from->value, to), weir_order_plain(to->rank), s};
        return;
    }
    weir_carrier_restore(c, x);
    if (weir_order_is_plain(&from->order) || !split(&weir_known(c, x)->shape, to, &f)) {
        keep_model_order(c, node);
        return;
    }
    order_factors(&f, &from->order);
    if (view_order(&f, to->rank, &order)) {
        const weir_shape shape = weir_layout_from_onnx(to, order.at);
        weir_known(c, y)->carrier = (weir_carrier){weir_carrier_reshape(c, from->value, &shape), order, NULL};
        return;
    }
    s = to->rank > 0 ? shuffled_last(c, &f, to, from) : NULL;
    if (s == NULL) keep_model_order(c, node);
    else
        weir_known(c, y)->carrier =
            (weir_carrier){weir_carrier_reshape(c, from->value, to), weir_order_plain(to->rank), s};
}

/* Data times a constant matrix: the rows of the matrix take the sequence of the data in memory. */
static void move_product(weir_relayout *c, weir_node node) {
    const weir_op op = weir_node_op(c->graph, node);
    const size_t right = op == WEIR_OP_QGEMM || op == WEIR_OP_QLINEAR_MATMUL ? 3 : 1;
    const weir_value x = weir_node_input(c->graph, node, 0), w = weir_node_input(c->graph, node, right);
    const bool transposed = weir_node_int(c->graph, node, "transB", 0) != 0;
    const weir_shuffle *s = weir_known(c, x)->carrier.shuffled;
    bool rest_is_fixed = weir_known(c, w)->is_fixed;
    for (size_t i = 1; i < weir_node_input_count(c->graph, node); i++)
        rest_is_fixed = rest_is_fixed && !is_data(c, weir_node_input(c->graph, node, i));
    const weir_order *order = &weir_known(c, x)->carrier.order;
    const int rank = weir_known(c, w)->shape.rank;
    if (!rest_is_fixed || weir_node_int(c->graph, node, "transA", 0) != 0 || rank < 1 || rank > 2) {
        keep_model_order(c, node);
    } else if (s != NULL) {
        weir_node_set_input(c->graph, node, 0, weir_known(c, x)->carrier.value);
        weir_node_set_input(c->graph, node, right, weir_carrier_taken(c, w, transposed ? 1 : 0, s));
        const weir_order none = {.rank = -1};
        set_outputs(c, node, &none);
    } else if (rank == 2 && order->rank > 2 && order->at[order->rank - 1] == order->rank - 1) {
        const weir_order same = *order; /* the rows in any weir_order */
        weir_node_set_input(c->graph, node, 0, weir_known(c, x)->carrier.value);
        set_outputs(c, node, &same);
    } else {
        keep_model_order(c, node);
    }
}

/* ---- the walk ---- */

static void move_node(weir_relayout *c, weir_node node) {
    switch (weir_trait_of(weir_node_op(c->graph, node))->order) {
    case WEIR_ORDER_CHANNELS: move_channels(c, node, true); break;
    case WEIR_ORDER_NORMALIZE: move_channels(c, node, false); break;
    case WEIR_ORDER_ELEMENTWISE: move_elementwise(c, node); break;
    case WEIR_ORDER_QUANTIZE: move_quantizer(c, node); break;
    case WEIR_ORDER_THRESHOLDS: move_thresholds(c, node); break;
    case WEIR_ORDER_AXIS: move_axis(c, node); break;
    case WEIR_ORDER_REDUCE:
    case WEIR_ORDER_POSITION: move_reduction(c, node); break;
    case WEIR_ORDER_PAD: move_pad(c, node); break;
    case WEIR_ORDER_SLICE: move_slice(c, node); break;
    case WEIR_ORDER_TRANSPOSE: move_transpose(c, node); break;
    case WEIR_ORDER_RESHAPE: move_view(c, node); break;
    case WEIR_ORDER_PRODUCT: move_product(c, node); break;
    case WEIR_ORDER_FREE:
    case WEIR_ORDER_OTHER: keep_model_order(c, node); break;
    }
}

/* A node of constants alone stays as it is. */
static bool find_fixed(weir_relayout *c, weir_node node) {
    bool fixed = true;
    for (size_t i = 0; i < weir_node_input_count(c->graph, node); i++)
        fixed = fixed && !is_data(c, weir_node_input(c->graph, node, i));
    for (size_t i = 0; i < weir_node_output_count(c->graph, node); i++)
        weir_known(c, weir_node_output(c->graph, node, i))->is_fixed = fixed;
    return fixed;
}

/* After find_fixed. */
static void find_entries(weir_relayout *c, weir_node node) {
    const weir_trait_order which = weir_trait_of(weir_node_op(c->graph, node))->order;
    bool enters =
        which != WEIR_ORDER_CHANNELS && which != WEIR_ORDER_PRODUCT && which != WEIR_ORDER_REDUCE && is_ordered(which);
    for (size_t i = 0; i < weir_node_input_count(c->graph, node); i++) {
        const weir_value input = weir_node_input(c->graph, node, i);
        enters = enters && (!is_data(c, input) || weir_known(c, input)->comes_in);
    }
    for (size_t i = 0; i < weir_node_output_count(c->graph, node); i++)
        weir_known(c, weir_node_output(c->graph, node, i))->comes_in = enters;
}

static bool moves_data(const weir_graph *graph, weir_node node) {
    int perm[WEIR_MAX_RANK];
    if (weir_node_op(graph, node) != WEIR_OP_TRANSPOSE) return false;
    weir_layout_permutation(graph, node, perm);
    return !weir_layout_keeps_memory(&weir_value_type(graph, weir_node_input(graph, node, 0))->shape, perm);
}

static void convert(weir_relayout *c) {
    weir_graph *graph = c->graph;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        expect_order(c, node);
    for (weir_node node = weir_graph_last(graph); node.id != 0; node = weir_node_previous(graph, node))
        want_order(c, node);
    for (weir_node node = weir_graph_first(graph); c->fine && node.id != 0; node = weir_node_next(graph, node)) {
        c->at = node;
        if (!weir_known(c, weir_node_output(graph, node, 0))->is_fixed) move_node(c, node);
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
