/* Type inference of operators that slide a window over tensors [batch, channels, spatial...]. */
#include "ir/shape/geometry.h"
#include "ir/shape/infer_rule.h"
#include "ir/shape/layout.h"

/* Input 0 in ONNX's order, and the positions of its dimensions; false after a reported error. */
static bool channels_first(const weir_graph *graph, weir_node node, weir_shape *x, int *order) {
    if (!weir_layout_order(graph, node, order)) return false;
    *x = weir_layout_to_onnx(&weir_rule_input(graph, node, 0)->shape, order);
    return true;
}

/* [batch, channels, positions...] */
static weir_shape windowed_shape(const weir_shape *x, int64_t channels, const weir_window *window) {
    weir_shape shape = {.rank = window->rank + 2, .dim = {x->dim[0], channels}};
    for (int i = 0; i < window->rank; i++) shape.dim[i + 2] = window->out[i];
    return shape;
}

bool weir_rule_conv_shape(const weir_graph *graph, weir_node node, size_t weights, weir_shape *shape) {
    const weir_shape *w = &weir_rule_input(graph, node, weights)->shape;
    const int64_t group = weir_node_int(graph, node, "group", 1);
    weir_window window;
    weir_shape data, *x = &data;
    int order[WEIR_MAX_RANK];
    if (!channels_first(graph, node, &data, order)) return false;
    if (x->rank < 3 || x->rank != w->rank) return weir_rule_fail_shapes(graph, node, "convolution", x, w);
    if (group < 1)
        return weir_rule_fail(graph, node, "attribute 'group' is %lld, expected 1 or more", (long long)group);
    if (w->dim[0] % group != 0 || x->dim[1] % group != 0) {
        return weir_rule_fail(graph, node, "%lld groups do not divide %lld input and %lld output channels",
                              (long long)group, (long long)x->dim[1], (long long)w->dim[0]);
    }
    if (w->dim[1] != x->dim[1] / group) {
        return weir_rule_fail(graph, node, "the weights have %lld channels per group, the input has %lld",
                              (long long)w->dim[1], (long long)(x->dim[1] / group));
    }
    if (!weir_geometry_window(graph, node, x, w->dim + 2, &window)) return false;
    *shape = windowed_shape(x, w->dim[0], &window);
    *shape = weir_layout_from_onnx(shape, order);
    return true;
}

bool weir_infer_conv(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *x = weir_rule_input(graph, node, 0), *bias = weir_rule_input(graph, node, 2);
    const weir_shape *w = &weir_rule_input(graph, node, 1)->shape;
    weir_shape shape;
    if (!weir_rule_float_input(graph, node) || !weir_rule_same_numbers(graph, node, 3) ||
        !weir_rule_conv_shape(graph, node, 1, &shape)) {
        return false;
    }
    if (bias != NULL && (bias->shape.rank != 1 || bias->shape.dim[0] != w->dim[0]))
        return weir_rule_fail(graph, node, "the bias must be a vector of %lld", (long long)w->dim[0]);
    return weir_rule_set_plain(graph, node, to, x->dtype, &shape);
}

/* A window must see more than padding. */
bool weir_rule_pool_shape(const weir_graph *graph, weir_node node, weir_shape *shape, weir_window *window) {
    weir_shape data, *x = &data;
    int order[WEIR_MAX_RANK];
    weir_window *w = window;
    if (!channels_first(graph, node, &data, order) || !weir_geometry_window(graph, node, x, NULL, w)) return false;
    for (int i = 0; i < w->rank; i++) {
        const int64_t reach = (w->kernel[i] - 1) * w->dilation[i];
        if (w->begin[i] > reach || w->end[i] > reach) {
            return weir_rule_fail(graph, node, "padding of %lld is not smaller than the window of %lld",
                                  (long long)(w->begin[i] > reach ? w->begin[i] : w->end[i]), (long long)(reach + 1));
        }
    }
    *shape = windowed_shape(x, x->dim[1], w);
    *shape = weir_layout_from_onnx(shape, order);
    return true;
}

/* Elements of each channel, so that scales by channel stay. */
static bool set_largest(const weir_graph *graph, weir_node node, weir_inferred *to, const weir_shape *shape) {
    const weir_type *x = weir_rule_input(graph, node, 0);
    weir_type type = weir_rule_moved_type(graph, node, shape);
    if (x->quant.axis == weir_layout_channel_axis(graph, node)) type.quant = x->quant;
    return weir_rule_set(graph, node, to, &type);
}

bool weir_infer_max_pool(const weir_graph *graph, weir_node node, weir_inferred *to) {
    weir_shape shape;
    weir_window window;
    return weir_rule_same_numbers(graph, node, 1) && weir_rule_pool_shape(graph, node, &shape, &window) &&
           set_largest(graph, node, to, &shape);
}

bool weir_infer_average_pool(const weir_graph *graph, weir_node node, weir_inferred *to) {
    weir_shape shape;
    weir_window window;
    return weir_rule_float_input(graph, node) && weir_rule_pool_shape(graph, node, &shape, &window) &&
           weir_rule_set_plain(graph, node, to, weir_rule_input(graph, node, 0)->dtype, &shape);
}

bool weir_rule_global_shape(const weir_graph *graph, weir_node node, weir_shape *shape) {
    int order[WEIR_MAX_RANK];
    if (!channels_first(graph, node, shape, order)) return false;
    if (shape->rank < 3)
        return weir_rule_fail(graph, node, "input 0 must have 3 dimensions or more, has %d", shape->rank);
    for (int i = 2; i < shape->rank; i++) shape->dim[i] = 1;
    *shape = weir_layout_from_onnx(shape, order);
    return true;
}

bool weir_infer_global_average_pool(const weir_graph *graph, weir_node node, weir_inferred *to) {
    weir_shape shape;
    return weir_rule_float_input(graph, node) && weir_rule_global_shape(graph, node, &shape) &&
           weir_rule_set_plain(graph, node, to, weir_rule_input(graph, node, 0)->dtype, &shape);
}

bool weir_infer_global_max_pool(const weir_graph *graph, weir_node node, weir_inferred *to) {
    weir_shape shape;
    return weir_rule_same_numbers(graph, node, 1) && weir_rule_global_shape(graph, node, &shape) &&
           set_largest(graph, node, to, &shape);
}

/* The weights are [channels in, channels out of a group, kernel...]. */
bool weir_infer_conv_transpose(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *type = weir_rule_input(graph, node, 0), *bias = weir_rule_input(graph, node, 2);
    const weir_shape *w = &weir_rule_input(graph, node, 1)->shape;
    const int64_t group = weir_node_int(graph, node, "group", 1);
    weir_shape x;
    weir_window window;
    int order[WEIR_MAX_RANK];
    if (!weir_rule_float_input(graph, node) || !weir_rule_same_numbers(graph, node, 3) ||
        !channels_first(graph, node, &x, order))
        return false;
    if (x.rank < 3 || x.rank != w->rank || x.dim[1] != w->dim[0])
        return weir_rule_fail_shapes(graph, node, "transposed convolution", &x, w);
    if (group < 1 || x.dim[1] % group != 0)
        return weir_rule_fail(graph, node, "%lld groups do not divide %lld input channels", (long long)group,
                              (long long)x.dim[1]);
    if (w->dim[1] > INT32_MAX / group)
        return weir_rule_fail(graph, node, "%lld groups of %lld output channels are too many", (long long)group,
                              (long long)w->dim[1]);
    const int64_t outputs = w->dim[1] * group;
    if (bias != NULL && (bias->shape.rank != 1 || bias->shape.dim[0] != outputs))
        return weir_rule_fail(graph, node, "the bias must be a vector of %lld", (long long)outputs);
    if (!weir_geometry_transposed(graph, node, &x, w->dim + 2, &window)) return false;
    x.dim[1] = outputs;
    for (int i = 0; i < window.rank; i++) x.dim[i + 2] = window.in[i];
    const weir_shape shape = weir_layout_from_onnx(&x, order);
    return weir_rule_set_plain(graph, node, to, type->dtype, &shape);
}

static bool blocks(const weir_graph *graph, weir_node node, bool to_space, weir_inferred *to) {
    weir_shape x;
    weir_blocks b;
    int order[WEIR_MAX_RANK];
    if (!channels_first(graph, node, &x, order) || !weir_geometry_blocks(graph, node, &x, to_space, &b)) return false;
    x.dim[1] = to_space ? b.channels : b.channels * b.size * b.size;
    x.dim[2] = to_space ? b.height * b.size : b.height;
    x.dim[3] = to_space ? b.width * b.size : b.width;
    const weir_shape shape = weir_layout_from_onnx(&x, order);
    const weir_type type = weir_rule_moved_type(graph, node, &shape);
    return weir_rule_set(graph, node, to, &type);
}

bool weir_infer_depth_to_space(const weir_graph *graph, weir_node node, weir_inferred *to) {
    return blocks(graph, node, true, to);
}

bool weir_infer_space_to_depth(const weir_graph *graph, weir_node node, weir_inferred *to) {
    return blocks(graph, node, false, to);
}
