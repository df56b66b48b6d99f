#include "passes/prune/channels.h"

#include <string.h>

#include "ir/shape/geometry.h"
#include "ir/shape/index_map.h"
#include "ir/trait/trait.h"
#include "passes/graph/rewrite.h"
#include "support/text/unreachable.h"

static const weir_shape *shape_of(const weir_graph *graph, weir_value value) {
    return &weir_value_type(graph, value)->shape;
}

static weir_channel_axis *axis_of(weir_channel_classes *c, weir_value value) {
    return weir_side_at(&c->axis, value.id);
}

static bool is_fixed(const weir_channel_classes *c, weir_value value) {
    const bool *fixed = weir_side_at(&c->fixed, value.id);
    return *fixed;
}

/* Is it there, and computed of the graph's inputs? */
static bool is_data(const weir_channel_classes *c, weir_value value) { return value.id != 0 && !is_fixed(c, value); }

/* --- classes --- */

uint32_t weir_channels_class(const weir_channel_classes *c, uint32_t channel) {
    while (c->channel[channel].parent != channel) channel = c->channel[channel].parent;
    return channel;
}

/* The same, and later searches are shorter. */
static uint32_t find_class(weir_channel_classes *c, uint32_t channel) {
    while (c->channel[channel].parent != channel) {
        const uint32_t above = c->channel[channel].parent;
        c->channel[channel].parent = c->channel[above].parent;
        channel = above;
    }
    return channel;
}

static void unite(weir_channel_classes *c, uint32_t a, uint32_t b) {
    a = find_class(c, a);
    b = find_class(c, b);
    if (a == b) return;
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    c->channel[high].parent = low;
    if (c->channel[low].is_pinned || !c->channel[high].is_pinned) return;
    c->channel[low].is_pinned = true;
    c->channel[low].pin = c->channel[high].pin;
}

/* The value gets channels along the axis. */
static const weir_channel_axis *add_channels(weir_channel_classes *c, weir_value value, int axis) {
    weir_channel_axis *to = axis_of(c, value);
    *to = (weir_channel_axis){axis, (uint32_t)c->count, shape_of(c->graph, value)->dim[axis]};
    c->channel = weir_grow(c->channel, &c->capacity, c->count + (size_t)to->count, sizeof *c->channel);
    for (int64_t i = 0; i < to->count; i++, c->count++)
        c->channel[c->count] = (weir_channel_node){.parent = (uint32_t)c->count};
    return to;
}

static void pin_channel(weir_channel_classes *c, uint32_t channel, weir_node by) {
    weir_channel_node *class = &c->channel[find_class(c, channel)];
    if (!class->is_pinned) class->pin = by;
    class->is_pinned = true;
}

static void pin(weir_channel_classes *c, weir_value value, weir_node by) {
    const weir_channel_axis *of = axis_of(c, value);
    for (uint32_t i = 0; i < (uint32_t)of->count; i++) pin_channel(c, of->first + i, by);
}

static void depend(weir_channel_classes *c, weir_node node, uint32_t result, uint32_t source) {
    if (c->tie_count > 0) {
        const weir_channel_tie *last = &c->tie[c->tie_count - 1];
        if (last->node.id == node.id && last->result == result && last->source == source) return;
    }
    c->tie = weir_grow(c->tie, &c->tie_capacity, c->tie_count + 1, sizeof *c->tie);
    c->tie[c->tie_count++] = (weir_channel_tie){node, result, source};
    if (source != 0) unite(c, result, source);
}

/* `count` channels in a row. */
static void depend_row(weir_channel_classes *c, weir_node node, uint32_t result, uint32_t source, int64_t count) {
    for (uint32_t i = 0; i < (uint32_t)count; i++) depend(c, node, result + i, source + i);
}

/* Output 0 has the channels of input 0, along an axis. */
static bool pass_on(weir_channel_classes *c, weir_node node, int axis) {
    const weir_channel_axis from = *axis_of(c, weir_node_input(c->graph, node, 0));
    const weir_value result = weir_node_output(c->graph, node, 0);
    if (from.count == 0 || shape_of(c->graph, result)->dim[axis] != from.count) return false;
    depend_row(c, node, add_channels(c, result, axis)->first, from.first, from.count);
    return true;
}

/* Are all inputs from `first` on fixed, and may be cut? */
static bool takes_parameters(const weir_channel_classes *c, weir_node node, size_t first) {
    for (size_t i = first; i < weir_node_input_count(c->graph, node); i++) {
        const weir_value input = weir_node_input(c->graph, node, i);
        if (input.id != 0 && (!is_fixed(c, input) || !weir_channel_can_cut(c->graph, input))) return false;
    }
    return true;
}

/* --- layers --- */

static void describe_conv(const weir_graph *graph, weir_node node, const weir_shape *w, weir_channel_layer *layer) {
    const int64_t groups = weir_node_int(graph, node, "group", 1);
    *layer = (weir_channel_layer){1, 1, 1, 0, groups, groups > 1 && w->dim[1] == 1};
}

bool weir_channels_layer(const weir_channel_classes *c, weir_node node, weir_channel_layer *layer) {
    const weir_graph *graph = c->graph;
    const weir_op kind = weir_trait_kind(graph, node);
    if (kind != WEIR_OP_CONV && kind != WEIR_OP_CONV_TRANSPOSE && kind != WEIR_OP_GEMM && kind != WEIR_OP_MATMUL)
        return false;
    const weir_value x = weir_node_input(graph, node, 0), weights = weir_node_input(graph, node, 1);
    if (is_fixed(c, x) || !is_fixed(c, weights) || !weir_channel_can_cut(graph, weights) ||
        !takes_parameters(c, node, 2) || !weir_rewrite_may(graph, node))
        return false;
    const weir_shape *w = shape_of(graph, weights);
    const int rank = shape_of(graph, x)->rank;
    *layer = (weir_channel_layer){.groups = 1};
    if (kind == WEIR_OP_CONV) {
        describe_conv(graph, node, w, layer);
        /* rows of the weights differ in what they lose */
        return layer->groups == 1 || layer->is_depthwise || weir_value_constant(graph, weights) != NULL;
    }
    if (kind == WEIR_OP_CONV_TRANSPOSE) {
        *layer = (weir_channel_layer){1, 1, 0, 1, 1, false};
        return weir_node_int(graph, node, "group", 1) == 1;
    }
    if (kind == WEIR_OP_GEMM) {
        const int transposed = weir_node_int(graph, node, "transB", 0) != 0;
        *layer = (weir_channel_layer){1, 1, transposed, 1 - transposed, 1, false};
        return weir_node_int(graph, node, "transA", 0) == 0;
    }
    *layer = (weir_channel_layer){rank - 1, rank - 1, 0, 1, 1, false};
    return rank >= 2 && w->rank == 2;
}

static bool visit_layer(weir_channel_classes *c, weir_node node, const weir_channel_layer *layer) {
    const weir_value x = weir_node_input(c->graph, node, 0);
    const weir_channel_axis from = *axis_of(c, x);
    const weir_channel_axis *to = add_channels(c, weir_node_output(c->graph, node, 0), layer->out_axis);
    if (layer->is_depthwise && from.count > 0 && from.axis == 1) {
        const int64_t each = to->count / from.count;
        for (int64_t i = 0; i < to->count; i++)
            depend(c, node, to->first + (uint32_t)i, from.first + (uint32_t)(i / each));
    } else if (layer->is_depthwise) pin(c, weir_node_output(c->graph, node, 0), node);
    return from.count == 0 || from.axis == layer->in_axis;
}

/* --- element-wise operators and quantizers --- */

/* One number for each channel along axis `at` of the result? */
static bool is_full(const weir_channel_classes *c, weir_value value, weir_value result, int at) {
    const weir_shape *shape = shape_of(c->graph, value), *to = shape_of(c->graph, result);
    const int own = at - (to->rank - shape->rank);
    return own >= 0 && shape->dim[own] == to->dim[at] && to->dim[at] != 1;
}

static bool visit_elementwise(weir_channel_classes *c, weir_node node) {
    const weir_value result = weir_node_output(c->graph, node, 0);
    const weir_shape *to = shape_of(c->graph, result);
    const size_t count = weir_node_input_count(c->graph, node);
    int at = -1;
    for (size_t i = 0; i < count; i++) {
        const weir_value input = weir_node_input(c->graph, node, i);
        if (input.id == 0 || axis_of(c, input)->count == 0) continue;
        const int here = axis_of(c, input)->axis + to->rank - shape_of(c->graph, input)->rank;
        if ((at >= 0 && here != at) || to->dim[here] != axis_of(c, input)->count) return false;
        at = here;
    }
    for (size_t i = 0; i < count; i++) {
        const weir_value input = weir_node_input(c->graph, node, i);
        if (input.id == 0 || axis_of(c, input)->count > 0 || !is_full(c, input, result, at)) continue;
        if (!is_fixed(c, input) || !weir_channel_can_cut(c->graph, input)) return false;
    }
    const weir_channel_axis made = *add_channels(c, result, at);
    for (size_t i = 0; i < count; i++) {
        const weir_value input = weir_node_input(c->graph, node, i);
        if (!is_data(c, input)) continue;
        const weir_channel_axis from = *axis_of(c, input);
        if (from.count > 0) depend_row(c, node, made.first, from.first, made.count);
        for (uint32_t k = 0; from.count == 0 && k < (uint32_t)made.count; k++) depend(c, node, made.first + k, 0);
    }
    return true;
}

static bool visit_quantizer(weir_channel_classes *c, weir_node node) {
    return takes_parameters(c, node, 1) && weir_node_int(c->graph, node, "block_size", 0) == 0 &&
           pass_on(c, node, axis_of(c, weir_node_input(c->graph, node, 0))->axis);
}

/* --- moves --- */

static int axis_attribute(const weir_graph *graph, weir_node node, int rank, int64_t otherwise) {
    const int64_t axis = weir_node_int(graph, node, "axis", otherwise);
    return (int)(axis < 0 ? axis + rank : axis);
}

static bool visit_concat(weir_channel_classes *c, weir_node node) {
    const weir_value result = weir_node_output(c->graph, node, 0);
    const int joined = axis_attribute(c->graph, node, shape_of(c->graph, result)->rank, 0);
    int axis = -1;
    for (size_t i = 0; i < weir_node_input_count(c->graph, node); i++) {
        const weir_channel_axis *from = axis_of(c, weir_node_input(c->graph, node, i));
        if (from->count > 0 && axis >= 0 && from->axis != axis) return false;
        if (from->count > 0) axis = from->axis;
    }
    const weir_channel_axis made = *add_channels(c, result, axis);
    uint32_t at = made.first;
    bool fine = true;
    for (size_t i = 0; i < weir_node_input_count(c->graph, node); i++) {
        const weir_value input = weir_node_input(c->graph, node, i);
        const weir_channel_axis from = *axis_of(c, input);
        fine &= from.count > 0 || axis == joined;
        if (from.count > 0) depend_row(c, node, axis == joined ? at : made.first, from.first, from.count);
        const uint32_t count = (uint32_t)shape_of(c->graph, input)->dim[axis];
        for (uint32_t k = 0; from.count == 0 && axis == joined && k < count; k++) {
            depend(c, node, at + k, 0);
            pin_channel(c, at + k, node);
        }
        if (axis == joined) at += count;
    }
    return fine;
}

static bool visit_split(weir_channel_classes *c, weir_node node) {
    const weir_value x = weir_node_input(c->graph, node, 0);
    const weir_channel_axis from = *axis_of(c, x);
    const int split = axis_attribute(c->graph, node, shape_of(c->graph, x)->rank, 0);
    uint32_t at = from.first;
    for (size_t i = 0; i < weir_node_output_count(c->graph, node); i++) {
        const weir_channel_axis *made = add_channels(c, weir_node_output(c->graph, node, i), from.axis);
        depend_row(c, node, made->first, at, made->count);
        if (split == from.axis) at += (uint32_t)made->count;
    }
    return true;
}

static bool visit_slice(weir_channel_classes *c, weir_node node) {
    const weir_channel_axis from = *axis_of(c, weir_node_input(c->graph, node, 0));
    weir_slice slice;
    if (!weir_geometry_slice(c->graph, node, &slice) || slice.step[from.axis] != 1 || slice.count[from.axis] == 0)
        return false;
    const weir_channel_axis *made = add_channels(c, weir_node_output(c->graph, node, 0), from.axis);
    depend_row(c, node, made->first, from.first + (uint32_t)slice.start[from.axis], made->count);
    return true;
}

static bool visit_transpose(weir_channel_classes *c, weir_node node) {
    const int axis = axis_of(c, weir_node_input(c->graph, node, 0))->axis;
    const int rank = shape_of(c->graph, weir_node_output(c->graph, node, 0))->rank;
    const weir_attribute *order = weir_node_attribute(c->graph, node, "perm");
    for (int i = 0; i < rank; i++) {
        const int64_t source = order == NULL ? rank - 1 - i : order->as.ints[i];
        if ((source < 0 ? source + rank : source) == axis) return pass_on(c, node, i);
    }
    return false;
}

/* The dimensions of both shapes that hold the same elements, `axis` of the first among them; false: there are none. */
static bool find_block(const weir_shape *from, const weir_shape *to, int axis, int first[2], int end[2]) {
    end[0] = end[1] = 0;
    while (end[0] < from->rank && end[1] < to->rank) {
        first[0] = end[0];
        first[1] = end[1];
        int64_t size[2] = {from->dim[end[0]++], to->dim[end[1]++]};
        while (size[0] != size[1]) {
            const int shorter = size[0] > size[1];
            const weir_shape *shape = shorter == 0 ? from : to;
            if (end[shorter] == shape->rank) return false;
            size[shorter] *= shape->dim[end[shorter]++];
        }
        if (axis < end[0]) return true;
    }
    return false;
}

/* Axis `to` of a view has channels where all elements of each of its indices are of one class. */
static bool visit_view_axis(weir_channel_classes *c, weir_node node, const weir_channel_axis *from, int to,
                            int64_t inner, int64_t to_inner, int64_t size) {
    const weir_value result = weir_node_output(c->graph, node, 0);
    const int64_t count = shape_of(c->graph, result)->dim[to];
    uint32_t *class = weir_calloc((size_t)count, sizeof *class);
    bool fine = true;
    for (int64_t k = 0; fine && k < size; k++) {
        uint32_t *own = &class[k / to_inner % count];
        const uint32_t here = weir_channels_class(c, from->first + (uint32_t)(k / inner % from->count));
        if (*own == 0) *own = here;
        fine = *own == here;
    }
    free(class);
    if (!fine) return false;
    const uint32_t made = add_channels(c, result, to)->first;
    for (int64_t k = 0; k < size; k++)
        depend(c, node, made + (uint32_t)(k / to_inner % count), from->first + (uint32_t)(k / inner % from->count));
    return true;
}

static bool visit_view(weir_channel_classes *c, weir_node node) {
    const weir_value x = weir_node_input(c->graph, node, 0), result = weir_node_output(c->graph, node, 0);
    const weir_shape *from = shape_of(c->graph, x), *to = shape_of(c->graph, result);
    const weir_channel_axis channels = *axis_of(c, x);
    int first[2], end[2];
    if (!find_block(from, to, channels.axis, first, end) ||
        (weir_trait_kind(c->graph, node) == WEIR_OP_RESHAPE &&
         weir_value_constant(c->graph, weir_node_input(c->graph, node, 1)) == NULL))
        return false;
    int64_t size = 1, inner = 1;
    for (int i = first[0]; i < end[0]; i++) size *= from->dim[i];
    for (int i = channels.axis + 1; i < end[0]; i++) inner *= from->dim[i];
    int64_t to_inner = size;
    for (int i = first[1]; i < end[1]; i++) {
        to_inner /= to->dim[i];
        if ((to->dim[i] != 1 || size == 1) && visit_view_axis(c, node, &channels, i, inner, to_inner, size))
            return true;
    }
    return false;
}

/* --- the others --- */

static bool visit_reduction(weir_channel_classes *c, weir_node node) {
    const int axis = axis_of(c, weir_node_input(c->graph, node, 0))->axis;
    bool reduced[WEIR_MAX_RANK];
    if (!weir_geometry_reduced(c->graph, node, reduced) || reduced[axis]) return false;
    int to = axis;
    for (int i = 0; i < axis && weir_node_int(c->graph, node, "keepdims", 1) == 0; i++) to -= reduced[i];
    return pass_on(c, node, to);
}

static bool visit_pad(weir_channel_classes *c, weir_node node) {
    const int axis = axis_of(c, weir_node_input(c->graph, node, 0))->axis;
    weir_padding padding;
    return weir_geometry_padding(c->graph, node, &padding) && padding.begin[axis] == 0 && pass_on(c, node, axis);
}

/* Sizes are stated for all axes, or scales, of which that of the channels is 1. */
static bool visit_resize(weir_channel_classes *c, weir_node node) {
    const weir_value x = weir_node_input(c->graph, node, 0), sizes = weir_node_input(c->graph, node, 3);
    const weir_array *stated = sizes.id == 0 ? NULL : weir_value_constant(c->graph, sizes);
    return (sizes.id == 0 || (stated != NULL && stated->count == (size_t)shape_of(c->graph, x)->rank)) &&
           pass_on(c, node, axis_of(c, x)->axis);
}

/* Fixed positions along another axis. */
static bool visit_gather(weir_channel_classes *c, weir_node node) {
    const weir_value x = weir_node_input(c->graph, node, 0), positions = weir_node_input(c->graph, node, 1);
    const int axis = axis_of(c, x)->axis, along = axis_attribute(c->graph, node, shape_of(c->graph, x)->rank, 0);
    if (axis == along || !is_fixed(c, positions)) return false;
    return pass_on(c, node, axis < along ? axis : axis - 1 + shape_of(c->graph, positions)->rank);
}

/* Softmax and the like, along another axis. */
static bool visit_along_axis(weir_channel_classes *c, weir_node node) {
    const weir_value x = weir_node_input(c->graph, node, 0);
    const int axis = axis_of(c, x)->axis;
    return axis_attribute(c->graph, node, shape_of(c->graph, x)->rank, -1) != axis && pass_on(c, node, axis);
}

/* What the node does with channels; false: it takes all of them as they are. */
static bool visit(weir_channel_classes *c, weir_node node) {
    const int axis = axis_of(c, weir_node_input(c->graph, node, 0))->axis;
    const weir_op kind = weir_trait_kind(c->graph, node), op = weir_node_op(c->graph, node);
    if (!weir_rewrite_may(c->graph, node)) return false;
    if (kind == WEIR_OP_CONCAT) return visit_concat(c, node);
    if (weir_trait_of(op)->order == WEIR_ORDER_ELEMENTWISE)
        return weir_node_output_count(c->graph, node) == 1 && visit_elementwise(c, node);
    if (axis_of(c, weir_node_input(c->graph, node, 0))->count == 0) return false;
    if (kind == WEIR_OP_SPLIT) return visit_split(c, node);
    if (kind == WEIR_OP_RESIZE) return visit_resize(c, node);
    if (kind == WEIR_OP_GATHER) return visit_gather(c, node);
    if (weir_node_output_count(c->graph, node) != 1) return false;
    switch (weir_trait_of(op)->order) {
    case WEIR_ORDER_QUANTIZE: return visit_quantizer(c, node);
    case WEIR_ORDER_CHANNELS: /* pools; a layer's weights may be computed */
        return axis == 1 && weir_node_input_count(c->graph, node) == 1 && !weir_index_map_exists(op) &&
               pass_on(c, node, 1);
    case WEIR_ORDER_NORMALIZE: return axis == 1 && takes_parameters(c, node, 1) && pass_on(c, node, 1);
    case WEIR_ORDER_AXIS: return visit_along_axis(c, node);
    case WEIR_ORDER_REDUCE: return visit_reduction(c, node);
    case WEIR_ORDER_PAD: return visit_pad(c, node);
    case WEIR_ORDER_SLICE: return visit_slice(c, node);
    case WEIR_ORDER_TRANSPOSE: return visit_transpose(c, node);
    case WEIR_ORDER_RESHAPE: return visit_view(c, node);
    case WEIR_ORDER_OTHER:
    case WEIR_ORDER_FREE:
    case WEIR_ORDER_SHAPE:
    case WEIR_ORDER_ELEMENTWISE:
    case WEIR_ORDER_THRESHOLDS:
    case WEIR_ORDER_POSITION:
    case WEIR_ORDER_PRODUCT: return false;
    }
    weir_unreachable("an order of no kind");
}

static void visit_node(weir_channel_classes *c, weir_node node) {
    const size_t inputs = weir_node_input_count(c->graph, node), outputs = weir_node_output_count(c->graph, node);
    bool fixed = inputs > 0, any = false, fine;
    for (size_t i = 0; i < inputs; i++) {
        const weir_value input = weir_node_input(c->graph, node, i);
        fixed &= !is_data(c, input);
        any |= input.id != 0 && axis_of(c, input)->count > 0;
    }
    for (size_t i = 0; i < outputs; i++)
        memcpy(weir_side_at(&c->fixed, weir_node_output(c->graph, node, i).id), &fixed, sizeof fixed);
    if (fixed) return;
    weir_channel_layer layer;
    if (weir_channels_layer(c, node, &layer)) fine = visit_layer(c, node, &layer);
    else fine = !any || visit(c, node);
    for (size_t i = 0; !fine && i < inputs; i++) {
        const weir_value input = weir_node_input(c->graph, node, i);
        if (input.id != 0) pin(c, input, node);
    }
}

weir_channel_classes *weir_channels_new(const weir_graph *graph) {
    weir_channel_classes *c = weir_calloc(1, sizeof *c);
    const uint32_t limit = weir_graph_value_limit(graph);
    c->graph = graph;
    c->axis = weir_side_new(sizeof(weir_channel_axis), limit);
    c->fixed = weir_side_new(sizeof(bool), limit);
    c->channel = weir_grow(c->channel, &c->capacity, 1, sizeof *c->channel);
    c->channel[c->count++] = (weir_channel_node){.parent = 0};
    for (uint32_t id = 1; id < limit; id++) {
        const bool fixed =
            weir_value_exists(graph, (weir_value){id}) && weir_value_constant(graph, (weir_value){id}) != NULL;
        memcpy(weir_side_at(&c->fixed, id), &fixed, sizeof fixed);
    }
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        visit_node(c, node);
    for (size_t i = 0; i < weir_graph_output_count(graph); i++) pin(c, weir_graph_output(graph, i), WEIR_NO_NODE);
    return c;
}

void weir_channels_free(weir_channel_classes *c) {
    weir_side_free(&c->axis);
    weir_side_free(&c->fixed);
    free(c->channel);
    free(c->tie);
    free(c);
}
