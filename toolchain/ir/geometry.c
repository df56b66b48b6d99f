#include "ir/geometry.h"

#include <string.h>

#include "ir/infer_rule.h"

/* Sizes, strides and paddings above this are refused, so that no product of two overflows. */
static const int64_t size_limit = INT32_MAX;

/* Attribute `name`: `count` integers of at least `least`; absent: `otherwise` everywhere. */
static bool read_sizes(const weir_graph *graph, weir_node node, const char *name, int count, int64_t least,
                       int64_t otherwise, int64_t *to) {
    const weir_attribute *attribute = weir_node_attribute(graph, node, name);
    for (int i = 0; i < count; i++) to[i] = otherwise;
    if (attribute == NULL) return true;
    if (attribute->kind != WEIR_ATTRIBUTE_INTS || attribute->count != (size_t)count) {
        return weir_rule_fail(graph, node, "'%s' must hold %d numbers", name, count);
    }
    for (int i = 0; i < count; i++) {
        to[i] = attribute->as.ints[i];
        if (to[i] >= least && to[i] <= size_limit) continue;
        return weir_rule_fail(graph, node, "'%s' holds %lld, expected %lld to %lld", name, (long long)to[i],
                              (long long)least, (long long)size_limit);
    }
    return true;
}

static bool read_kernel(const weir_graph *graph, weir_node node, const int64_t *kernel, weir_window *w) {
    if (kernel == NULL && weir_node_attribute(graph, node, "kernel_shape") == NULL) {
        return weir_rule_fail(graph, node, "'kernel_shape' is missing");
    }
    if (!read_sizes(graph, node, "kernel_shape", w->rank, 1, 0, w->kernel)) return false;
    for (int i = 0; kernel != NULL && i < w->rank; i++) {
        if (w->kernel[i] != 0 && w->kernel[i] != kernel[i]) {
            return weir_rule_fail(graph, node, "'kernel_shape' holds %lld, the weights have %lld",
                                  (long long)w->kernel[i], (long long)kernel[i]);
        }
        w->kernel[i] = kernel[i];
        if (kernel[i] < 1 || kernel[i] > size_limit)
            return weir_rule_fail(graph, node, "the kernel has size %lld", (long long)kernel[i]);
    }
    return true;
}

/* Elements that a window spans. */
static int64_t span(const weir_window *w, int i) { return (w->kernel[i] - 1) * w->dilation[i] + 1; }

/* auto_pad SAME_*: as many positions as strides fit into the input. */
static void pad_same(weir_window *w, int i, bool lower) {
    w->out[i] = (w->in[i] + w->stride[i] - 1) / w->stride[i];
    const int64_t need = (w->out[i] - 1) * w->stride[i] + span(w, i) - w->in[i];
    const int64_t total = need < 0 ? 0 : need;
    w->begin[i] = lower ? total - total / 2 : total / 2;
    w->end[i] = total - w->begin[i];
}

static bool count_positions(const weir_graph *graph, weir_node node, weir_window *w, int i, bool ceil) {
    const int64_t padded = w->in[i] + w->begin[i] + w->end[i], slack = padded - span(w, i);
    if (slack < 0) {
        return weir_rule_fail(graph, node, "a window of %lld does not fit into the padded input of %lld",
                              (long long)span(w, i), (long long)padded);
    }
    w->out[i] = (slack + (ceil ? w->stride[i] - 1 : 0)) / w->stride[i] + 1;
    if (ceil && (w->out[i] - 1) * w->stride[i] >= w->in[i] + w->begin[i]) w->out[i]--; /* only padding left */
    return true;
}

bool weir_geometry_window(const weir_graph *graph, weir_node node, const weir_shape *x, const int64_t *kernel,
                          weir_window *window) {
    const char *mode = weir_node_string(graph, node, "auto_pad", "NOTSET");
    const bool explicit = strcmp(mode, "NOTSET") == 0, valid = strcmp(mode, "VALID") == 0;
    const bool lower = strcmp(mode, "SAME_LOWER") == 0;
    int64_t pads[2 * WEIR_MAX_RANK];
    weir_window *w = window;
    if (x->rank < 3) return weir_rule_fail(graph, node, "input 0 must have 3 dimensions or more, has %d", x->rank);
    w->rank = x->rank - 2;
    if (!read_kernel(graph, node, kernel, w) || !read_sizes(graph, node, "strides", w->rank, 1, 1, w->stride) ||
        !read_sizes(graph, node, "dilations", w->rank, 1, 1, w->dilation) ||
        !read_sizes(graph, node, "pads", 2 * w->rank, 0, 0, pads)) {
        return false;
    }
    if (!explicit && !valid && !lower && strcmp(mode, "SAME_UPPER") != 0)
        return weir_rule_fail(graph, node, "unknown 'auto_pad' %s", mode);
    for (int i = 0; i < w->rank; i++) {
        w->in[i] = x->dim[i + 2];
        w->begin[i] = pads[i];
        w->end[i] = pads[i + w->rank];
        if (!explicit && (w->begin[i] != 0 || w->end[i] != 0))
            return weir_rule_fail(graph, node, "'pads' and 'auto_pad' %s exclude each other", mode);
        if (w->in[i] > size_limit) return weir_rule_fail(graph, node, "the input is too large");
        if (!explicit && !valid) pad_same(w, i, lower);
        else if (!count_positions(graph, node, w, i, weir_node_int(graph, node, "ceil_mode", 0) != 0)) return false;
    }
    return true;
}

/* Start and end of an axis as numpy takes them: negative ones count from the back, then both are clipped. */
static void slice_axis(weir_slice *slice, int axis, int64_t dim, int64_t start, int64_t end, int64_t step) {
    const int64_t first = step > 0 ? 0 : -1, last = step > 0 ? dim : dim - 1;
    start += start < 0 ? dim : 0;
    end += end < 0 ? dim : 0;
    start = start < 0 ? 0 : start > last ? last : start;
    end = end < first ? first : end > last ? last : end;
    const int64_t distance = step > 0 ? end - start : start - end;
    const int64_t stride = step > 0 ? step : step < -INT64_MAX ? INT64_MAX : -step;
    slice->start[axis] = start;
    slice->step[axis] = step > 0 ? stride : -stride;
    slice->count[axis] = distance <= 0 ? 0 : (distance - 1) / stride + 1;
}

bool weir_geometry_slice(const weir_graph *graph, weir_node node, weir_slice *slice) {
    const weir_shape *shape = &weir_rule_input(graph, node, 0)->shape;
    int64_t starts[WEIR_MAX_RANK], ends[WEIR_MAX_RANK], axes[WEIR_MAX_RANK], steps[WEIR_MAX_RANK];
    int count, end_count, axis_count, step_count;
    if (!weir_rule_integers(graph, node, 1, "the starts", shape->rank, starts, &count) ||
        !weir_rule_integers(graph, node, 2, "the ends", shape->rank, ends, &end_count) ||
        !weir_rule_integers(graph, node, 3, "the axes", shape->rank, axes, &axis_count) ||
        !weir_rule_integers(graph, node, 4, "the steps", shape->rank, steps, &step_count)) {
        return false;
    }
    if (end_count != count || (axis_count >= 0 && axis_count != count) || (step_count >= 0 && step_count != count)) {
        return weir_rule_fail(graph, node, "starts, ends, axes and steps must be equally many");
    }
    bool named[WEIR_MAX_RANK] = {false};
    for (int i = 0; i < shape->rank; i++) slice_axis(slice, i, shape->dim[i], 0, shape->dim[i], 1);
    for (int i = 0; i < count; i++) {
        const int64_t wanted = axis_count < 0 ? i : axes[i], step = step_count < 0 ? 1 : steps[i];
        int axis;
        if (!weir_rule_axis(wanted, shape->rank, &axis))
            return weir_rule_fail(graph, node, "axis %lld of a tensor with %d", (long long)wanted, shape->rank);
        if (named[axis]) return weir_rule_fail(graph, node, "axis %d is named twice", axis);
        if (step == 0) return weir_rule_fail(graph, node, "the step of axis %d is 0", axis);
        named[axis] = true;
        slice_axis(slice, axis, shape->dim[axis], starts[i], ends[i], step);
    }
    return true;
}
