#include "ir/shape/geometry.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "ir/shape/infer_rule.h"
#include "ir/trait/trait.h"

/* For assertions only. */
static inline weir_trait_order order_of(const weir_graph *graph, weir_node node) {
    return weir_trait_of(weir_node_op(graph, node))->order;
}

/* ---- windows ---- */

/* Sizes, strides and paddings above this are refused, so that no product of two overflows. */
static const int64_t size_limit = INT32_MAX;

/* Attribute `name`: `count` integers of at least `least`; absent: `otherwise` everywhere. */
static bool read_sizes(const weir_graph *graph, weir_node node, const char *name, int count, int64_t least,
                       int64_t otherwise, int64_t *to) {
    const weir_attribute *attribute = weir_node_attribute(graph, node, name);
    for (int i = 0; i < count; i++) to[i] = otherwise;
    if (attribute == NULL) return true;
    if (attribute->kind != WEIR_ATTRIBUTE_INTS || attribute->count != (size_t)count) {
        return weir_rule_fail(graph, node, "attribute '%s' must hold %d numbers", name, count);
    }
    for (int i = 0; i < count; i++) {
        to[i] = attribute->as.ints[i];
        if (to[i] >= least && to[i] <= size_limit) continue;
        return weir_rule_fail(graph, node, "attribute '%s' holds %lld, expected %lld to %lld", name, (long long)to[i],
                              (long long)least, (long long)size_limit);
    }
    return true;
}

static bool read_kernel(const weir_graph *graph, weir_node node, const int64_t *kernel, weir_window *w) {
    if (kernel == NULL && weir_node_attribute(graph, node, "kernel_shape") == NULL) {
        return weir_rule_fail(graph, node, "attribute 'kernel_shape' is missing");
    }
    if (!read_sizes(graph, node, "kernel_shape", w->rank, 1, 0, w->kernel)) return false;
    for (int i = 0; kernel != NULL && i < w->rank; i++) {
        if (w->kernel[i] != 0 && w->kernel[i] != kernel[i]) {
            return weir_rule_fail(graph, node, "attribute 'kernel_shape' holds %lld, the weights have %lld",
                                  (long long)w->kernel[i], (long long)kernel[i]);
        }
        w->kernel[i] = kernel[i];
        if (kernel[i] < 1 || kernel[i] > size_limit)
            return weir_rule_fail(graph, node, "the kernel has size %lld, expected 1 to %lld", (long long)kernel[i],
                                  (long long)size_limit);
    }
    return true;
}

/* Elements that a window spans. */
static int64_t span(const weir_window *w, int i) {
    assert(i >= 0 && i < w->rank && w->kernel[i] > 0 && w->dilation[i] > 0);
    return (w->kernel[i] - 1) * w->dilation[i] + 1;
}

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
    if (slack < 0 && (!ceil || slack <= -w->stride[i])) {
        return weir_rule_fail(graph, node, "a window of %lld does not fit into the padded input of %lld",
                              (long long)span(w, i), (long long)padded);
    }
    w->out[i] = (slack + (ceil ? w->stride[i] - 1 : 0)) / w->stride[i] + 1;
    if (ceil && (w->out[i] - 1) * w->stride[i] >= w->in[i] + w->begin[i]) w->out[i]--; /* only padding left */
    return true;
}

bool weir_geometry_window(const weir_graph *graph, weir_node node, const weir_shape *x, const int64_t *kernel,
                          weir_window *window) {
    static const char *const modes[] = {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID", NULL};
    const char *mode = weir_node_string(graph, node, "auto_pad", modes[0]);
    const bool explicit = strcmp(mode, "NOTSET") == 0, valid = strcmp(mode, "VALID") == 0;
    const bool lower = strcmp(mode, "SAME_LOWER") == 0;
    int64_t pads[2 * WEIR_MAX_RANK];
    weir_window *w = window;
    if (x->rank < 3) return weir_rule_fail(graph, node, "input 0 must have 3 dimensions or more, has %d", x->rank);
    w->rank = x->rank - 2;
    if (!weir_rule_is_word(graph, node, "auto_pad", modes) || !read_kernel(graph, node, kernel, w) ||
        !read_sizes(graph, node, "strides", w->rank, 1, 1, w->stride) ||
        !read_sizes(graph, node, "dilations", w->rank, 1, 1, w->dilation) ||
        !read_sizes(graph, node, "pads", 2 * w->rank, 0, 0, pads)) {
        return false;
    }
    for (int i = 0; i < w->rank; i++) {
        w->in[i] = x->dim[i + 2];
        w->begin[i] = pads[i];
        w->end[i] = pads[i + w->rank];
        if (!explicit && (w->begin[i] != 0 || w->end[i] != 0))
            return weir_rule_fail(graph, node, "'pads' and 'auto_pad' %s exclude each other", mode);
        if (w->in[i] > size_limit)
            return weir_rule_fail(graph, node, "axis %d of the input has %lld elements, at most %lld are supported",
                                  i + 2, (long long)w->in[i], (long long)size_limit);
        if (!explicit && !valid) pad_same(w, i, lower);
        else if (!count_positions(graph, node, w, i, weir_node_int(graph, node, "ceil_mode", 0) != 0)) return false;
    }
    return true;
}

bool weir_geometry_is_trivial(const weir_window *w, int i) {
    assert(i >= 0 && i < w->rank);
    return w->kernel[i] == 1 && w->stride[i] == 1 && w->begin[i] == 0 && w->end[i] == 0;
}

bool weir_geometry_is_whole(const weir_window *w, int i) {
    assert(i >= 0 && i < w->rank);
    return w->kernel[i] == w->in[i] && w->begin[i] == 0 && w->end[i] == 0;
}

bool weir_geometry_is_all_whole(const weir_window *w) {
    bool all = true;
    for (int i = 0; i < w->rank; i++) all &= weir_geometry_is_whole(w, i);
    return all;
}

/* Padding that gives the result a size: what is too much is cut off, half of it on either side; what is missing follows
 * at the end, as output_padding has it. */
static void pad_result(weir_window *w, int i, int64_t all, bool upper) {
    const int64_t total = all < w->in[i] ? 0 : all - w->in[i];
    w->begin[i] = upper ? total / 2 : total - total / 2;
    w->end[i] = total - w->begin[i];
}

bool weir_geometry_transposed(const weir_graph *graph, weir_node node, const weir_shape *x, const int64_t *kernel,
                              weir_window *window) {
    static const char *const modes[] = {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID", NULL};
    const char *mode = weir_node_string(graph, node, "auto_pad", modes[0]);
    const bool upper = strcmp(mode, "SAME_UPPER") == 0, same = upper || strcmp(mode, "SAME_LOWER") == 0;
    const bool given = weir_node_attribute(graph, node, "output_shape") != NULL;
    int64_t pads[2 * WEIR_MAX_RANK], more[WEIR_MAX_RANK];
    weir_window *w = window;
    w->rank = x->rank - 2;
    if (!weir_rule_is_word(graph, node, "auto_pad", modes) || !read_kernel(graph, node, kernel, w) ||
        !read_sizes(graph, node, "strides", w->rank, 1, 1, w->stride) ||
        !read_sizes(graph, node, "dilations", w->rank, 1, 1, w->dilation) ||
        !read_sizes(graph, node, "pads", 2 * w->rank, 0, 0, pads) ||
        !read_sizes(graph, node, "output_padding", w->rank, 0, 0, more) ||
        !read_sizes(graph, node, "output_shape", w->rank, 1, 0, w->in))
        return false;
    for (int i = 0; i < w->rank; i++) {
        w->out[i] = x->dim[i + 2];
        if (w->out[i] > size_limit)
            return weir_rule_fail(graph, node, "axis %d of the input has %lld elements, at most %lld are supported",
                                  i + 2, (long long)w->out[i], (long long)size_limit);
        const int64_t all = w->stride[i] * (w->out[i] - 1) + more[i] + span(w, i);
        w->begin[i] = pads[i];
        w->end[i] = pads[i + w->rank];
        if (given || same) {
            if (!given) w->in[i] = w->out[i] * w->stride[i];
            pad_result(w, i, all, upper);
        } else {
            w->in[i] = all - w->begin[i] - w->end[i];
        }
        if (w->in[i] < 1 || w->in[i] > size_limit)
            return weir_rule_fail(graph, node, "axis %d of the result would have %lld elements, expected 1 to %lld",
                                  i + 2, (long long)w->in[i], (long long)size_limit);
    }
    return true;
}

bool weir_geometry_window_innermost(const weir_graph *graph, weir_node node, weir_window *window) {
    const weir_shape *x = &weir_rule_input(graph, node, 0)->shape;
    weir_shape onnx = *x;
    for (int i = 1; i + 1 < x->rank; i++) onnx.dim[i + 1] = x->dim[i];
    if (x->rank > 1) onnx.dim[1] = x->dim[x->rank - 1];
    return weir_geometry_window(graph, node, &onnx, NULL, window);
}

int64_t weir_geometry_seen(const weir_window *w, int i, int64_t o) {
    assert(i >= 0 && i < w->rank && o >= 0 && o < w->out[i]);
    const int64_t first = o * w->stride[i] - w->begin[i],
                  left = w->in[i] - first; /* of them the elements 0, d, 2 d, ... */
    const int64_t skipped = first < 0 ? (-first + w->dilation[i] - 1) / w->dilation[i] : 0;
    const int64_t reached = left <= 0 ? 0 : (left - 1) / w->dilation[i] + 1;
    const int64_t seen = (reached < w->kernel[i] ? reached : w->kernel[i]) - skipped;
    return seen < 0 ? 0 : seen;
}

/* Is element k of the kernel over the input at any position? */
static bool sees(const weir_window *w, int i, int64_t k) {
    assert(i >= 0 && i < w->rank && k >= 0 && k < w->kernel[i]);
    const int64_t at = k * w->dilation[i] - w->begin[i], stride = w->stride[i];
    const int64_t o = at < 0 ? (-at + stride - 1) / stride : 0; /* the first position that is not before it */
    return o < w->out[i] && at + o * stride < w->in[i];
}

int64_t weir_geometry_trim(weir_window *w, int i) {
    assert(i >= 0 && i < w->rank);
    int64_t first = 0, last = w->kernel[i] - 1;
    while (first < last && !sees(w, i, first)) first++;
    while (last > first && !sees(w, i, last)) last--;
    if (!sees(w, i, first)) { /* one stays, which steps over the input */
        first = last = 0;
        w->begin[i] = 1;
        w->stride[i] = w->in[i] + 1;
    } else if (last - first == w->kernel[i] - 1) return 0;
    w->kernel[i] = last - first + 1;
    w->begin[i] -= first * w->dilation[i];
    w->end[i] = (w->out[i] - 1) * w->stride[i] + span(w, i) - w->in[i] - w->begin[i];
    return first;
}

int64_t weir_geometry_common(const weir_window *w, int i, int64_t limit) {
    assert(i >= 0 && i < w->rank && limit > 0);
    int64_t common = 1;
    for (int64_t o = 0; o < w->out[i] && common > 0; o++) {
        const int64_t seen = weir_geometry_seen(w, i, o);
        common = seen == 0 ? 0 : common / weir_common_divisor(common, seen) * seen;
        if (common > limit) common = 0;
    }
    return common;
}

int64_t weir_geometry_covered(const weir_window *w, int i, int64_t o) {
    assert(i >= 0 && i < w->rank && o >= 0 && o < w->out[i]);
    const int64_t left = w->in[i] + w->begin[i] + w->end[i] - o * w->stride[i];
    const int64_t reached = left <= 0 ? 0 : (left - 1) / w->dilation[i] + 1;
    return reached < w->kernel[i] ? reached : w->kernel[i];
}

void weir_geometry_count_seen(const weir_window *w, int64_t *least, int64_t *most) {
    *least = *most = 1;
    for (int i = 0; i < w->rank; i++) {
        int64_t low = w->kernel[i], high = 0;
        for (int64_t o = 0; o < w->out[i]; o++) {
            const int64_t seen = weir_geometry_seen(w, i, o);
            low = seen < low ? seen : low;
            high = seen > high ? seen : high;
        }
        *least *= low;
        *most *= high;
    }
}

/* ---- blocks ---- */

bool weir_geometry_blocks(const weir_graph *graph, weir_node node, const weir_shape *x, bool to_space,
                          weir_blocks *blocks) {
    static const char *const modes[] = {"DCR", "CRD", NULL};
    const int64_t size = weir_node_int(graph, node, "blocksize", 0);
    weir_blocks *b = blocks;
    if (x->rank != 4) return weir_rule_fail(graph, node, "input 0 must have 4 dimensions, has %d", x->rank);
    if (!weir_rule_is_word(graph, node, "mode", modes)) return false;
    if (size < 1 || size > size_limit || (to_space && x->dim[1] % (size * size) != 0) ||
        (!to_space && (x->dim[2] % size != 0 || x->dim[3] % size != 0)))
        return weir_rule_fail(graph, node, "blocks of %lld by %lld do not fit an input of %lld channels, %lld by %lld",
                              (long long)size, (long long)size, (long long)x->dim[1], (long long)x->dim[2],
                              (long long)x->dim[3]);
    *b = (weir_blocks){.size = size,
                       .batch = x->dim[0],
                       .channels = to_space ? x->dim[1] / (size * size) : x->dim[1],
                       .height = to_space ? x->dim[2] : x->dim[2] / size,
                       .width = to_space ? x->dim[3] : x->dim[3] / size};
    const bool channels_first = strcmp(weir_node_string(graph, node, "mode", modes[0]), "CRD") == 0;
    b->channel_stride = channels_first ? size * size : 1;
    b->column_stride = channels_first ? 1 : b->channels;
    b->row_stride = b->column_stride * size;
    return true;
}

/* ---- slices ---- */

/* Start and end of an axis as numpy takes them: negative ones count from the back, then both are clipped. */
static void slice_axis(weir_slice *slice, int axis, int64_t dim, int64_t start, int64_t end, int64_t step) {
    assert(axis >= 0 && axis < WEIR_MAX_RANK && step != 0);
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
    assert(order_of(graph, node) == WEIR_ORDER_SLICE);
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
        return weir_rule_fail(graph, node, "starts, ends, axes and steps must have the same length");
    }
    for (size_t i = 2; i < weir_node_input_count(graph, node); i++) {
        const weir_dtype expected = weir_rule_input(graph, node, 1)->dtype;
        const weir_type *type = weir_rule_input(graph, node, i);
        if (type != NULL && type->dtype != expected)
            return weir_rule_fail_dtype(graph, node, i, weir_dtype_name(expected));
    }
    bool named[WEIR_MAX_RANK] = {false};
    for (int i = 0; i < shape->rank; i++) slice_axis(slice, i, shape->dim[i], 0, shape->dim[i], 1);
    for (int i = 0; i < count; i++) {
        const int64_t wanted = axis_count < 0 ? i : axes[i], step = step_count < 0 ? 1 : steps[i];
        int axis;
        if (!weir_rule_axis(wanted, shape->rank, &axis)) return weir_rule_fail_axis(graph, node, wanted, shape->rank);
        if (named[axis]) return weir_rule_fail(graph, node, "axis %d is named twice", axis);
        if (step == 0) return weir_rule_fail(graph, node, "the step of axis %d is 0, expected any other number", axis);
        named[axis] = true;
        slice_axis(slice, axis, shape->dim[axis], starts[i], ends[i], step);
    }
    return true;
}

/* ---- padding ---- */

static bool padding_mode(const weir_graph *graph, weir_node node, weir_padding_mode *mode) {
    static const char *const names[] = {"constant", "reflect", "edge", "wrap", NULL}; /* as the enumeration has them */
    const char *name = weir_node_string(graph, node, "mode", names[0]);
    int i = 0;
    if (!weir_rule_is_word(graph, node, "mode", names)) return false;
    while (strcmp(names[i], name) != 0) i++;
    *mode = (weir_padding_mode)i;
    return true;
}

static bool pad_axis(const weir_graph *graph, weir_node node, weir_padding *padding, int axis, int64_t begin,
                     int64_t end) {
    const int64_t dim = weir_rule_input(graph, node, 0)->shape.dim[axis];
    if (begin < -size_limit || begin > size_limit || end < -size_limit || end > size_limit)
        return weir_rule_fail(graph, node, "axis %d is padded with %lld, at most %lld is supported", axis,
                              (long long)(begin < -size_limit || begin > size_limit ? begin : end),
                              (long long)size_limit);
    padding->begin[axis] = begin;
    padding->out[axis] = begin + dim + end;
    const int64_t most = padding->mode == WEIR_PAD_REFLECT ? dim - 1 : dim;
    if (padding->out[axis] < 0)
        return weir_rule_fail(graph, node, "axis %d with %lld elements is cropped by %lld", axis, (long long)dim,
                              (long long)(-begin - end));
    return padding->mode == WEIR_PAD_CONSTANT || padding->mode == WEIR_PAD_EDGE || (begin <= most && end <= most) ||
           weir_rule_fail(graph, node,
                          "axis %d with %lld elements is padded with %lld, at most %lld is possible in this mode", axis,
                          (long long)dim, (long long)(begin > end ? begin : end), (long long)most);
}

bool weir_geometry_padding(const weir_graph *graph, weir_node node, weir_padding *padding) {
    assert(order_of(graph, node) == WEIR_ORDER_PAD);
    const weir_shape *shape = &weir_rule_input(graph, node, 0)->shape;
    int64_t pads[2 * WEIR_MAX_RANK], axes[WEIR_MAX_RANK];
    bool named[WEIR_MAX_RANK] = {false};
    int count, axis_count;
    if (!padding_mode(graph, node, &padding->mode) ||
        !weir_rule_integers(graph, node, 1, "the pads", 2 * WEIR_MAX_RANK, pads, &count) ||
        !weir_rule_integers(graph, node, 3, "the axes", shape->rank, axes, &axis_count)) {
        return false;
    }
    const int padded = axis_count < 0 ? shape->rank : axis_count;
    if (count != 2 * padded) {
        return weir_rule_fail(graph, node, "there are %d pads for %d axes, expected two per axis", count, padded);
    }
    for (int i = 0; i < shape->rank; i++) {
        padding->begin[i] = 0;
        padding->out[i] = shape->dim[i];
    }
    for (int i = 0; i < padded; i++) {
        int axis = i;
        if (axis_count >= 0 && !weir_rule_axis(axes[i], shape->rank, &axis))
            return weir_rule_fail_axis(graph, node, axes[i], shape->rank);
        if (named[axis]) return weir_rule_fail(graph, node, "axis %d is named twice", axis);
        named[axis] = true;
        if (!pad_axis(graph, node, padding, axis, pads[i], pads[i + padded])) return false;
    }
    return true;
}

int64_t weir_geometry_padded(const weir_padding *padding, int axis, int64_t dim, int64_t o) {
    assert(axis >= 0 && axis < WEIR_MAX_RANK && o >= 0 && o < padding->out[axis]);
    const int64_t at = o - padding->begin[axis];
    if (at >= 0 && at < dim) return at;
    switch (padding->mode) {
    case WEIR_PAD_REFLECT: return at < 0 ? -at : 2 * (dim - 1) - at;
    case WEIR_PAD_EDGE: return at < 0 ? 0 : dim - 1;
    case WEIR_PAD_WRAP: return at < 0 ? at + dim : at - dim;
    case WEIR_PAD_CONSTANT: break;
    }
    return -1;
}

/* ---- resizing ---- */

/* The axes that scales and sizes are for: those that the attribute names, or all. */
typedef struct resized_axes {
    int axis[WEIR_MAX_RANK], count;
} resized_axes;

static bool read_axes(const weir_graph *graph, weir_node node, int rank, resized_axes *axes) {
    const weir_attribute *given = weir_node_attribute(graph, node, "axes");
    bool named[WEIR_MAX_RANK] = {false};
    axes->count = given == NULL ? rank : (int)given->count;
    if (axes->count > rank)
        return weir_rule_fail(graph, node, "attribute 'axes' has %d numbers for %d dimensions", axes->count, rank);
    for (int i = 0; i < axes->count; i++) {
        axes->axis[i] = i;
        if (given == NULL) continue;
        if (!weir_rule_axis(given->as.ints[i], rank, &axes->axis[i]))
            return weir_rule_fail_axis(graph, node, given->as.ints[i], rank);
        if (named[axes->axis[i]]) return weir_rule_fail(graph, node, "axis %d is named twice", axes->axis[i]);
        named[axes->axis[i]] = true;
    }
    return true;
}

static bool resize_by_scales(const weir_graph *graph, weir_node node, const weir_shape *shape, const resized_axes *axes,
                             weir_resizing *r) {
    const weir_array *scales = weir_rule_constant(graph, node, 2);
    if (scales == NULL || scales->dtype != WEIR_FLOAT32 || scales->count != (size_t)axes->count)
        return weir_rule_fail(graph, node, "the scales (input 2) must be a constant float32 vector of %d", axes->count);
    for (int i = 0; i < axes->count; i++) {
        const int d = axes->axis[i];
        r->scale[d] = weir_array_get(scales, (size_t)i);
        const double size = floor((double)shape->dim[d] * r->scale[d]);
        if (!(r->scale[d] > 0) || size > (double)size_limit)
            return weir_rule_fail(graph, node, "scale %d is %g, expected more than 0 and at most %lld elements", i,
                                  r->scale[d], (long long)size_limit);
        r->out[d] = (int64_t)size;
    }
    return true;
}

/* With a policy all axes get the least or the largest scale. */
static bool resize_by_sizes(const weir_graph *graph, weir_node node, const weir_shape *shape, const resized_axes *axes,
                            const int64_t *sizes, weir_resizing *r) {
    const char *policy = weir_node_string(graph, node, "keep_aspect_ratio_policy", "stretch");
    const bool larger = strcmp(policy, "not_smaller") == 0, keeps = larger || strcmp(policy, "not_larger") == 0;
    double common = 0;
    for (int i = 0; i < axes->count; i++) {
        const int d = axes->axis[i];
        if (sizes[i] < 1 || sizes[i] > size_limit)
            return weir_rule_fail(graph, node, "size %d is %lld, expected 1 to %lld", i, (long long)sizes[i],
                                  (long long)size_limit);
        r->out[d] = sizes[i];
        r->scale[d] = (double)sizes[i] / (double)shape->dim[d];
        if (i == 0 || (larger ? r->scale[d] > common : r->scale[d] < common)) common = r->scale[d];
    }
    for (int i = 0; keeps && i < axes->count; i++) {
        const int d = axes->axis[i];
        const double size = floor(common * (double)shape->dim[d] + 0.5);
        if (size > (double)size_limit || size < 1)
            return weir_rule_fail(graph, node, "axis %d would have %g elements, expected 1 to %lld", d, size,
                                  (long long)size_limit);
        r->scale[d] = common;
        r->out[d] = (int64_t)size;
    }
    return true;
}

bool weir_geometry_resizing(const weir_graph *graph, weir_node node, weir_resizing *resizing) {
    static const char *const modes[] = {"nearest", "linear", NULL}; /* of ONNX's, which also has cubic */
    static const char *const coordinates[] = {"half_pixel",
                                              "half_pixel_symmetric",
                                              "pytorch_half_pixel",
                                              "align_corners",
                                              "asymmetric",
                                              "tf_half_pixel_for_nn",
                                              NULL};
    static const char *const nearest[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil", NULL};
    static const char *const policies[] = {"stretch", "not_larger", "not_smaller", NULL};
    const weir_shape *shape = &weir_rule_input(graph, node, 0)->shape;
    const weir_type *scales = weir_rule_input(graph, node, 2);
    const bool by_scales = scales != NULL && weir_rule_count(scales) > 0;
    int64_t sizes[WEIR_MAX_RANK];
    resized_axes axes;
    int count;
    weir_resizing *r = resizing;
    r->is_linear = strcmp(weir_node_string(graph, node, "mode", "nearest"), "linear") == 0;
    r->coordinates = weir_node_string(graph, node, "coordinate_transformation_mode", "half_pixel");
    r->nearest = weir_node_string(graph, node, "nearest_mode", "round_prefer_floor");
    for (int d = 0; d < shape->rank; d++) {
        r->out[d] = shape->dim[d];
        r->scale[d] = 1;
    }
    if (!weir_rule_is_word(graph, node, "mode", modes) ||
        !weir_rule_is_word(graph, node, "coordinate_transformation_mode", coordinates) ||
        !weir_rule_is_word(graph, node, "nearest_mode", nearest) ||
        !weir_rule_is_word(graph, node, "keep_aspect_ratio_policy", policies) ||
        !read_axes(graph, node, shape->rank, &axes) ||
        !weir_rule_integers(graph, node, 3, "the sizes", WEIR_MAX_RANK, sizes, &count))
        return false;
    if (by_scales == (count >= 0))
        return weir_rule_fail(graph, node, "expected either scales (input 2) or sizes (input 3)");
    if (by_scales) return resize_by_scales(graph, node, shape, &axes, r);
    if (count != axes.count)
        return weir_rule_fail(graph, node, "there are %d sizes for %d dimensions", count, axes.count);
    return resize_by_sizes(graph, node, shape, &axes, sizes, r);
}

/* ONNX's definitions of coordinate_transformation_mode. */
static double coordinate_in_input(const weir_resizing *r, int axis, double dim, double o) {
    const double out = (double)r->out[axis], scale = r->scale[axis], middle = (o + 0.5) / scale - 0.5;
    if (strcmp(r->coordinates, "half_pixel") == 0) return middle;
    if (strcmp(r->coordinates, "half_pixel_symmetric") == 0) return middle + dim / 2 * (1 - out / (scale * dim));
    if (strcmp(r->coordinates, "pytorch_half_pixel") == 0) return out > 1 ? middle : 0;
    if (strcmp(r->coordinates, "align_corners") == 0) return out > 1 ? o * (dim - 1) / (out - 1) : 0;
    if (strcmp(r->coordinates, "asymmetric") == 0) return o / scale;
    return (o + 0.5) / scale;
}

int64_t weir_geometry_resized(const weir_resizing *resizing, int axis, int64_t dim, int64_t o) {
    assert(axis >= 0 && axis < WEIR_MAX_RANK && o >= 0 && o < resizing->out[axis]);
    if (resizing->out[axis] == dim && resizing->scale[axis] == 1) return o;
    const double coordinate = coordinate_in_input(resizing, axis, (double)dim, (double)o);
    double at = ceil(coordinate);
    if (strcmp(resizing->nearest, "round_prefer_floor") == 0) at = ceil(coordinate - 0.5);
    if (strcmp(resizing->nearest, "round_prefer_ceil") == 0) at = floor(coordinate + 0.5);
    if (strcmp(resizing->nearest, "floor") == 0) at = floor(coordinate);
    return at < 0 ? 0 : at > (double)(dim - 1) ? dim - 1 : (int64_t)at;
}

double weir_geometry_interpolated(const weir_resizing *resizing, int axis, int64_t dim, int64_t o, int64_t at[2]) {
    assert(axis >= 0 && axis < WEIR_MAX_RANK && o >= 0 && o < resizing->out[axis]);
    at[0] = at[1] = o;
    if (resizing->out[axis] == dim && resizing->scale[axis] == 1) return 0;
    const double coordinate = coordinate_in_input(resizing, axis, (double)dim, (double)o);
    const double inside = fmax(0, fmin((double)(dim - 1), coordinate));
    at[0] = (int64_t)floor(inside);
    at[1] = at[0] + 1 < dim ? at[0] + 1 : at[0];
    return inside - floor(inside);
}

/* ---- reductions, shapes as data ---- */

bool weir_geometry_reduced(const weir_graph *graph, weir_node node, bool *reduced) {
    const int rank = weir_rule_input(graph, node, 0)->shape.rank;
    int count;
    if (!weir_rule_axes(graph, node, 1, rank, reduced, &count)) return false;
    const bool all = count <= 0 && weir_node_int(graph, node, "noop_with_empty_axes", 0) == 0;
    for (int i = 0; all && i < rank; i++) reduced[i] = true;
    return true;
}

static int clipped(int64_t position, int rank) {
    position += position < 0 ? rank : 0;
    return position < 0 ? 0 : position > rank ? rank : (int)position;
}

void weir_geometry_shape_part(const weir_graph *graph, weir_node node, int *first, int *last) {
    assert(order_of(graph, node) == WEIR_ORDER_SHAPE);
    const int rank = weir_rule_input(graph, node, 0)->shape.rank;
    *first = clipped(weir_node_int(graph, node, "start", 0), rank);
    *last = clipped(weir_node_int(graph, node, "end", rank), rank);
}

/* ---- reorder ---- */

/* Attribute `name`: a number a loop; absent: `otherwise`, where that is not NULL. */
static bool read_loops(const weir_graph *graph, weir_node node, const char *name, int loops, int64_t least,
                       int64_t most, const int64_t *otherwise, int64_t *to) {
    const weir_attribute *attribute = weir_node_attribute(graph, node, name);
    if (attribute == NULL && otherwise == NULL) return weir_rule_fail(graph, node, "attribute '%s' is missing", name);
    if (attribute != NULL && attribute->count != (size_t)loops)
        return weir_rule_fail(graph, node, "attribute '%s' must hold %d numbers", name, loops);
    for (int i = 0; i < loops; i++) {
        to[i] = attribute == NULL ? otherwise[i] : attribute->as.ints[i];
        if (to[i] >= least && to[i] <= most) continue;
        return weir_rule_fail(graph, node, "attribute '%s' holds %lld, expected %lld to %lld", name, (long long)to[i],
                              (long long)least, (long long)most);
    }
    return true;
}

/* Are all elements that the loops reach those of an input with `count` elements? */
static bool check_reach(const weir_graph *graph, weir_node node, const weir_reordering *r, int64_t count) {
    int64_t least = r->start, most = r->start;
    for (int i = 0; i < r->loops; i++) {
        if (r->begin[i] >= r->end[i] || r->end[i] > r->size[i])
            return weir_rule_fail(graph, node, "loop %d has %lld iterations, none or not all from %lld to below %lld",
                                  i, (long long)r->size[i], (long long)r->begin[i], (long long)r->end[i]);
        const int64_t first = r->begin[i] * r->stride[i], last = (r->end[i] - 1) * r->stride[i];
        least += first < last ? first : last;
        most += first < last ? last : first;
    }
    return (least >= 0 && most < count) ||
           weir_rule_fail(graph, node, "it reaches elements %lld to %lld, the input has %lld", (long long)least,
                          (long long)most, (long long)count);
}

bool weir_geometry_reordering(const weir_graph *graph, weir_node node, weir_reordering *r) {
    assert(weir_node_op(graph, node) == WEIR_OP_REORDER);
    static const int64_t none[WEIR_MAX_RANK] = {0};
    const weir_attribute *shape = weir_node_attribute(graph, node, "shape");
    const weir_attribute *sizes = weir_node_attribute(graph, node, "sizes");
    const int64_t count = (int64_t)weir_rule_count(weir_rule_input(graph, node, 0));
    int64_t all = 1, looped = 1;
    const size_t rank = shape == NULL ? 0 : shape->count, loops = sizes == NULL ? 0 : sizes->count;
    if (rank > WEIR_MAX_RANK || loops > WEIR_MAX_RANK)
        return weir_rule_fail(graph, node, "has more than %d dimensions or loops", WEIR_MAX_RANK);
    *r = (weir_reordering){.shape.rank = (int)rank, .loops = (int)loops};
    if (!read_loops(graph, node, "shape", r->shape.rank, 1, size_limit, NULL, r->shape.dim) ||
        !read_loops(graph, node, "sizes", r->loops, 1, size_limit, NULL, r->size) ||
        !read_loops(graph, node, "strides", r->loops, -size_limit, size_limit, NULL, r->stride) ||
        !read_loops(graph, node, "begins", r->loops, 0, size_limit, none, r->begin) ||
        !read_loops(graph, node, "ends", r->loops, 0, size_limit, r->size, r->end))
        return false;
    r->start = weir_node_int(graph, node, "start", 0);
    if (r->start > size_limit || r->start < -size_limit)
        return weir_rule_fail(graph, node, "attribute 'start' is %lld, expected at most %lld either way",
                              (long long)r->start, (long long)size_limit);
    for (int i = 0; i < r->shape.rank && all <= size_limit; i++) all *= r->shape.dim[i];
    for (int i = 0; i < r->loops && looped <= size_limit; i++) {
        looped *= r->size[i];
        r->fills |= r->begin[i] > 0 || r->end[i] < r->size[i];
    }
    if (all > size_limit) return weir_rule_fail(graph, node, "has more than %lld elements", (long long)size_limit);
    if (looped != all)
        return weir_rule_fail(graph, node, "its loops have %lld iterations for %lld elements", (long long)looped,
                              (long long)all);
    return check_reach(graph, node, r, count);
}

/* ---- product ---- */

static int64_t product_of(const int64_t *size, int count) {
    int64_t all = 1;
    for (int i = 0; i < count && all <= size_limit; i++) all *= size[i];
    return all;
}

/* Is each element of the matrices brought once, and each loop of one dimension? */
static bool check_matrices(const weir_graph *graph, weir_node node, const weir_matrices *p) {
    int64_t next = 1;
    bool whole[2] = {p->inner == 1, p->columns == 1}, fine = true;
    for (int found = 1; found > 0 && fine;) {
        found = 0;
        for (int i = 0; i < p->loops && found == 0; i++)
            if (p->size[i] > 1 && p->stride[i] == next) found = i + 1;
        if (found > 0) next *= p->size[found - 1];
        whole[0] |= next == p->inner;
        whole[1] |= whole[0] && next == p->inner * p->columns;
    }
    fine = whole[0] && whole[1] && next == p->matrices * p->columns * p->inner && product_of(p->size, p->loops) == next;
    return fine || weir_rule_fail(graph, node,
                                  "its loops do not bring each element of %lld matrices of %lld columns of %lld "
                                  "elements once, or one is for two of these dimensions",
                                  (long long)p->matrices, (long long)p->columns, (long long)p->inner);
}

/* Does the loop of rows go through a part of one loop of matrices? */
static bool is_part(const weir_matrices *p, int row_loop) {
    const int64_t stride = p->row_stride[row_loop], reach = stride * p->row_size[row_loop];
    bool found = stride == 0 || p->row_size[row_loop] == 1;
    for (int i = 0; i < p->loops && !found; i++) {
        const int64_t own = p->stride[i] / (p->columns * p->inner);
        found = own > 0 && stride % own == 0 && reach <= own * p->size[i];
    }
    return found;
}

static bool check_rows(const weir_graph *graph, weir_node node, const weir_matrices *p, int64_t rows) {
    for (int i = 0; i < p->row_loops; i++)
        if (!is_part(p, i))
            return weir_rule_fail(graph, node, "loop %d of its rows goes through no loop of its matrices", i);
    return product_of(p->row_size, p->row_loops) * p->pages == rows ||
           weir_rule_fail(graph, node, "its loops have %lld rows a page, expected %lld / %lld",
                          (long long)product_of(p->row_size, p->row_loops), (long long)rows, (long long)p->pages);
}

/* The dimensions; false where they do not fit each other. */
static bool read_product(const weir_graph *graph, weir_node node, weir_matrices *p, int64_t *rows) {
    const weir_shape *a = &weir_rule_input(graph, node, 0)->shape;
    const int64_t count = (int64_t)weir_rule_count(weir_rule_input(graph, node, 1));
    const weir_shape *y = &p->shape;
    p->pages = weir_node_int(graph, node, "pages", 1);
    p->inner = a->rank == 0 ? 1 : a->dim[a->rank - 1];
    p->columns = y->rank == 0 ? 1 : y->dim[y->rank - 1];
    *rows = product_of(a->dim, a->rank == 0 ? 0 : a->rank - 1);
    p->rows = product_of(p->row_size, p->row_loops);
    if (product_of(y->dim, y->rank == 0 ? 0 : y->rank - 1) != *rows)
        return weir_rule_fail_shapes(graph, node, "product: a result has a row for each row of input 0", a, y);
    if (p->pages < 1 || p->pages > *rows || p->columns > size_limit / p->inner ||
        count % (p->pages * p->columns * p->inner) != 0)
        return weir_rule_fail(graph, node, "%lld elements are not %lld pages of matrices of %lld columns of %lld",
                              (long long)count, (long long)p->pages, (long long)p->columns, (long long)p->inner);
    p->matrices = count / (p->pages * p->columns * p->inner);
    return true;
}

bool weir_geometry_matrices(const weir_graph *graph, weir_node node, weir_matrices *p) {
    assert(weir_node_op(graph, node) == WEIR_OP_PRODUCT);
    const weir_attribute *shape = weir_node_attribute(graph, node, "shape");
    const weir_attribute *sizes = weir_node_attribute(graph, node, "sizes");
    const weir_attribute *row_sizes = weir_node_attribute(graph, node, "row_sizes");
    const size_t rank = shape == NULL ? 0 : shape->count, loops = sizes == NULL ? 0 : sizes->count,
                 row_loops = row_sizes == NULL ? 0 : row_sizes->count;
    int64_t rows;
    if (rank > WEIR_MAX_RANK || loops > WEIR_MATRICES_LOOPS || row_loops > WEIR_MATRICES_ROW_LOOPS)
        return weir_rule_fail(graph, node, "has more than %d dimensions, %d loops or %d loops of rows", WEIR_MAX_RANK,
                              WEIR_MATRICES_LOOPS, WEIR_MATRICES_ROW_LOOPS);
    *p = (weir_matrices){.shape.rank = (int)rank, .loops = (int)loops, .row_loops = (int)row_loops};
    return read_loops(graph, node, "shape", p->shape.rank, 1, size_limit, NULL, p->shape.dim) &&
           read_loops(graph, node, "sizes", p->loops, 1, size_limit, NULL, p->size) &&
           read_loops(graph, node, "strides", p->loops, 0, size_limit, NULL, p->stride) &&
           read_loops(graph, node, "row_sizes", p->row_loops, 1, size_limit, NULL, p->row_size) &&
           read_loops(graph, node, "row_strides", p->row_loops, 0, size_limit, NULL, p->row_stride) &&
           read_product(graph, node, p, &rows) && check_matrices(graph, node, p) && check_rows(graph, node, p, rows);
}

void weir_geometry_walk(int loops, const int64_t *size, const int64_t *stride, int64_t *position) {
    int64_t done = 1;
    position[0] = 0;
    for (int i = loops - 1; i >= 0; i--) {
        for (int64_t k = 1; k < size[i]; k++)
            for (int64_t d = 0; d < done; d++) position[k * done + d] = position[d] + k * stride[i];
        done *= size[i];
    }
}

int64_t weir_geometry_reordered(const weir_reordering *r, int64_t k) {
    assert(k >= 0 && r->loops >= 0 && r->loops <= WEIR_MAX_RANK);
    int64_t from = r->start;
    for (int i = r->loops - 1; i >= 0; i--) {
        const int64_t at = k % r->size[i];
        if (at < r->begin[i] || at >= r->end[i]) return -1;
        from += at * r->stride[i];
        k /= r->size[i];
    }
    return from;
}
