#include <string.h>

#include "ir/shape/geometry.h"
#include "ir/shape/infer.h"
#include "ir/shape/layout.h"
#include "ir/trait/trait.h"
#include "passes/graph/relayout.h"

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

static void keep_order(weir_relayout *c, weir_node node) {
    for (size_t i = 0; i < weir_node_input_count(c->graph, node); i++) {
        const weir_value input = weir_node_input(c->graph, node, i);
        if (weir_relayout_is_data(c, input)) weir_node_set_input(c->graph, node, i, weir_carrier_fetch_plain(c, input));
    }
    const weir_order none = {.rank = -1};
    set_outputs(c, node, &none);
}

static void set_layout(weir_relayout *c, weir_node node, const weir_order *want) {
    char text[WEIR_LAYOUT_TEXT];
    weir_layout_print(want->at, want->rank, text);
    if (text[0] != '\0') weir_node_set_string(c->graph, node, "layout", text);
}

static void move_channels(weir_relayout *c, weir_node node, bool innermost) {
    const weir_value x = weir_node_input(c->graph, node, 0);
    const int rank = weir_known(c, x)->shape.rank;
    if (weir_layout_is_changed(c->graph, node) || rank < 3) {
        keep_order(c, node);
        return;
    }
    if (!innermost) weir_carrier_restore(c, x);
    const weir_order want = innermost ? weir_order_channels_last(rank) : weir_known(c, x)->carrier.order;
    weir_node_set_input(c->graph, node, 0, weir_carrier_fetch(c, x, &want));
    for (size_t i = 1; i < weir_node_input_count(c->graph, node); i++) {
        const weir_value input = weir_node_input(c->graph, node, i);
        if (weir_relayout_is_data(c, input)) weir_node_set_input(c->graph, node, i, weir_carrier_fetch_plain(c, input));
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
        if (!weir_relayout_is_data(c, input)) continue;
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
                            weir_relayout_is_data(c, input) ? weir_known(c, input)->carrier.value
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
        if (weir_relayout_is_data(c, input)) weir_carrier_restore(c, input);
    }
    const weir_order want = weir_relayout_choose(c, node);
    for (size_t i = 0; i < weir_node_input_count(c->graph, node); i++) {
        const weir_value input = weir_node_input(c->graph, node, i);
        if (weir_relayout_is_data(c, input))
            weir_node_set_input(c->graph, node, i, weir_carrier_fetch(c, input, &want));
        else if (with_fixed) weir_node_set_input(c->graph, node, i, weir_carrier_fixed(c, input, &want));
    }
    return want;
}

static void move_elementwise(weir_relayout *c, weir_node node) {
    if (!weir_relayout_shares(c, node)) {
        keep_order(c, node);
    } else if (!move_shuffled(c, node)) {
        const weir_order want = fetch_inputs(c, node, true);
        set_outputs(c, node, &want);
    }
}

static void move_quantizer(weir_relayout *c, weir_node node) {
    const bool many = !weir_carrier_is_one(c->graph, weir_node_input(c->graph, node, 1));
    if (!weir_relayout_is_data(c, weir_node_input(c->graph, node, 0)) ||
        !weir_known(c, weir_node_input(c->graph, node, 1))->is_fixed) {
        keep_order(c, node);
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
    if (!weir_relayout_is_data(c, x) || weir_relayout_is_data(c, thresholds)) {
        keep_order(c, node);
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
    const weir_op kind = weir_trait_kind(c->graph, node);
    const int64_t otherwise = kind == WEIR_OP_SPLIT || kind == WEIR_OP_CONCAT ? 0 : -1;
    const weir_order want = fetch_inputs(c, node, kind == WEIR_OP_CONCAT);
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
        keep_order(c, node);
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
        keep_order(c, node);
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
        keep_order(c, node);
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

/* Data times a constant matrix: the rows of the matrix take the sequence of the data in memory. */
static void move_product(weir_relayout *c, weir_node node) {
    const weir_op kind = weir_trait_kind(c->graph, node);
    const size_t right = kind == WEIR_OP_QGEMM || kind == WEIR_OP_QLINEAR_MATMUL ? 3 : 1;
    const weir_value x = weir_node_input(c->graph, node, 0), w = weir_node_input(c->graph, node, right);
    const bool transposed = weir_node_int(c->graph, node, "transB", 0) != 0;
    const weir_shuffle *s = weir_known(c, x)->carrier.shuffled;
    bool rest_is_fixed = weir_known(c, w)->is_fixed;
    for (size_t i = 1; i < weir_node_input_count(c->graph, node); i++)
        rest_is_fixed = rest_is_fixed && !weir_relayout_is_data(c, weir_node_input(c->graph, node, i));
    const weir_order *order = &weir_known(c, x)->carrier.order;
    const int rank = weir_known(c, w)->shape.rank;
    if (!rest_is_fixed || weir_node_int(c->graph, node, "transA", 0) != 0 || rank < 1 || rank > 2) {
        keep_order(c, node);
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
        keep_order(c, node);
    }
}

void weir_relayout_node(weir_relayout *c, weir_node node) {
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
    case WEIR_ORDER_RESHAPE:
        if (!weir_relayout_view(c, node)) keep_order(c, node);
        break;
    case WEIR_ORDER_PRODUCT: move_product(c, node); break;
    case WEIR_ORDER_FREE:
    case WEIR_ORDER_SHAPE:
    case WEIR_ORDER_OTHER: keep_order(c, node); break;
    }
}
