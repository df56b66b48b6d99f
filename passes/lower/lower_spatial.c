/* Convolutions over more spatial dimensions than hardware slides windows along: what windows see along the first of
 * those becomes channels, a copy of each element for each window that sees it. A dimension along which each window sees
 * the one element at its own position is none of them. With one other dimension all such become one, with a kernel of
 * 1; with two they become groups of channels, which have the kernels again: of one channel (a pool that an exporter
 * wrote as a Conv) a depthwise convolution. The order of the dimensions is turned before and behind it. Exact: each
 * result adds the same products. O(size). */
#include <string.h>

#include "ir/shape/geometry.h"
#include "ir/trait/trait.h"
#include "passes/lower/lower.h"

enum { MOST_WINDOWS = 2, MOST_INPUTS = 9 };

/* The convolution of `at` with fewer dimensions. */
typedef struct spatial {
    weir_rewrite *r;
    weir_window window;         /* as it is */
    int64_t tap[WEIR_MAX_RANK]; /* of the kernel, along dimensions that go */
    int slides[MOST_WINDOWS];   /* those that stay */
    int slide_count;
    int64_t outputs, group, times; /* `times`: as often there are the kernels */
    int rank, kept[MOST_WINDOWS];  /* spatial dimensions of the result; what they were, -1: several that go */
    int unrolled;                  /* from 1 on: the spatial dimension that becomes channels, 0: none */
} spatial;

/* Which input of the operator the weights are. */
static size_t weights_of(weir_op kind) { return kind == WEIR_OP_QLINEAR_CONV ? 3 : 1; }

static const weir_shape *shape_of(const weir_rewrite *r, weir_value value) {
    return &weir_value_type(r->graph, value)->shape;
}

/* Does a window see the element at its position alone, times `*tap` of the kernel? */
static bool is_pointwise(const weir_window *window, int i, int64_t *tap) {
    weir_window w = *window;
    *tap = weir_geometry_trim(&w, i);
    return w.kernel[i] == 1 && w.begin[i] == 0 && w.in[i] == w.out[i] && (w.stride[i] == 1 || w.out[i] == 1);
}

static bool read_dimensions(spatial *s, size_t weights) {
    const weir_graph *graph = s->r->graph;
    const weir_shape *x = shape_of(s->r, weir_node_input(graph, s->r->at, 0)),
                     *w = shape_of(s->r, weir_node_input(graph, s->r->at, weights));
    if (x->rank <= 2 + MOST_WINDOWS || !weir_geometry_window(graph, s->r->at, x, w->dim + 2, &s->window)) return false;
    s->outputs = w->dim[0];
    s->group = weir_node_int(graph, s->r->at, "group", 1);
    int64_t positions = 1;
    for (int i = 0; i < s->window.rank; i++) {
        if (is_pointwise(&s->window, i, &s->tap[i])) positions *= s->window.in[i];
        else if (s->slide_count == MOST_WINDOWS) s->unrolled = s->slides[0] + 1;
        else s->slides[s->slide_count++] = i;
    }
    s->times = s->slide_count == MOST_WINDOWS ? positions : 1;
    return true;
}

static bool slides_along(const spatial *s, int i) {
    return (s->slide_count > 0 && s->slides[0] == i) || (s->slide_count > 1 && s->slides[1] == i);
}

/* --- constants --- */

/* [outputs, of a group, ...] or fewer dimensions, of which some are 1: the elements at the taps, all outputs once for
 * each group of channels. */
static weir_array *reduced(const spatial *s, const weir_array *given) {
    weir_shape shape = {.rank = given->shape.rank <= 2 ? given->shape.rank : s->rank + 2};
    int64_t stride[WEIR_MAX_RANK] = {0}, size[WEIR_MAX_RANK], from = 0, inner = (int64_t)given->count;
    for (int d = 0; d < shape.rank; d++) size[d] = 1;
    for (int d = 0; d < given->shape.rank; d++) {
        const int64_t dim = given->shape.dim[d];
        int to = d < 2 ? d : -1;
        inner /= dim;
        for (int k = 0; d >= 2 && k < s->rank; k++)
            if (s->kept[k] == d - 2) to = k + 2;
        if (to < 0) {
            from += dim > 1 ? s->tap[d - 2] * inner : 0;
            continue;
        }
        size[to] = dim;
        stride[to] = inner;
    }
    for (int d = 0; d < shape.rank; d++) shape.dim[d] = size[d];
    if (shape.rank > 0 && size[0] == s->outputs) shape.dim[0] *= s->times;
    weir_array *made = weir_array_new(given->dtype, &shape);
    const size_t bytes = weir_dtype_size(given->dtype);
    for (size_t i = 0; i < made->count; i++) {
        int64_t rest = (int64_t)i, at = from;
        for (int d = shape.rank - 1; d >= 0; d--) {
            at += rest % size[d] * stride[d];
            rest /= size[d];
        }
        memcpy((char *)made->data + i * bytes, (const char *)given->data + (size_t)at * bytes, bytes);
    }
    return made;
}

/* [outputs, of a group, ...]: the kernel's elements along the dimension become channels, those of one channel side by
 * side. */
static weir_array *unrolled(const spatial *s, const weir_array *given) {
    const int axis = s->unrolled + 1;
    if (given->shape.rank <= axis) return weir_array_copy(given);
    weir_shape shape = given->shape;
    const int64_t taps = shape.dim[axis];
    shape.dim[1] *= taps;
    shape.dim[axis] = 1;
    int64_t inner = 1, between = 1; /* elements of one tap, and taps of one channel, which the file has apart */
    for (int d = axis + 1; d < shape.rank; d++) inner *= shape.dim[d];
    for (int d = 2; d < axis; d++) between *= shape.dim[d];
    weir_array *made = weir_array_new(given->dtype, &shape);
    const size_t bytes = weir_dtype_size(given->dtype);
    for (int64_t i = 0; i < (int64_t)made->count; i++) {
        const int64_t at = i % inner, middle = i / inner % between, tap = i / inner / between % taps,
                      channel = i / inner / between / taps;
        const int64_t from = ((channel * between + middle) * taps + tap) * inner + at;
        memcpy((char *)made->data + (size_t)i * bytes, (const char *)given->data + (size_t)from * bytes, bytes);
    }
    return made;
}

/* Scales are a vector along an axis, else they are broadcast. */
static bool takes_vectors(const weir_graph *graph, weir_node quantizer) {
    const weir_op kind = weir_trait_kind(graph, quantizer);
    return kind == WEIR_OP_QUANTIZE_LINEAR || kind == WEIR_OP_DEQUANTIZE_LINEAR;
}

/* Is input `index` of the quantizer of [outputs, of a group, ...] several numbers, not along channels alone? */
static bool is_by_output(const weir_graph *graph, weir_node quantizer, size_t index) {
    const int64_t axis = weir_node_int(graph, quantizer, "axis", 1);
    if (weir_value_constant(graph, weir_node_input(graph, quantizer, index))->count == 1) return false;
    return !takes_vectors(graph, quantizer) || axis == 0 ||
           axis + weir_value_type(graph, weir_node_input(graph, quantizer, 0))->shape.rank == 0;
}

/* Weights or a bias that `rebuilt` takes: a constant, also behind quantizers, with a scale for all of it, or some along
 * outputs. */
static bool is_known(const weir_graph *graph, weir_value value) {
    weir_node maker;
    for (; weir_value_constant(graph, value) == NULL; value = weir_node_input(graph, maker, 0)) {
        maker = weir_value_producer(graph, value);
        if (maker.id == 0 || !weir_trait_is_quantizer(weir_node_op(graph, maker))) return false;
        const int rank = weir_value_type(graph, value)->shape.rank;
        for (size_t i = 1; i < weir_node_input_count(graph, maker); i++) {
            const weir_value input = weir_node_input(graph, maker, i);
            const weir_array *given = input.id == 0 ? NULL : weir_value_constant(graph, input);
            if (input.id == 0 || (given != NULL && given->count == 1)) continue;
            const bool vector = takes_vectors(graph, maker);
            if (given == NULL || !is_by_output(graph, maker, i) || given->shape.rank != (vector ? 1 : rank))
                return false;
        }
    }
    return true;
}

static weir_value rebuilt(const spatial *s, weir_value value) {
    const weir_graph *graph = s->r->graph;
    const weir_array *array = weir_value_constant(graph, value);
    if (array != NULL)
        return weir_rewrite_constant(s->r, "kernels", s->unrolled > 0 ? unrolled(s, array) : reduced(s, array));
    const weir_node maker = weir_value_producer(graph, value);
    const size_t count = weir_node_input_count(graph, maker);
    weir_value inputs[MOST_INPUTS] = {rebuilt(s, weir_node_input(graph, maker, 0))};
    for (size_t i = 1; i < count; i++) {
        inputs[i] = weir_node_input(graph, maker, i);
        if (inputs[i].id != 0 && is_by_output(graph, maker, i)) inputs[i] = rebuilt(s, inputs[i]);
    }
    const weir_value made = weir_rewrite_start(s->r, weir_node_op(graph, maker), "quantized", inputs, count);
    weir_rewrite_copy_attributes(s->r, made, maker);
    if (weir_node_attribute(graph, maker, "axis") != NULL) weir_rewrite_set_int(s->r, made, "axis", 0);
    return weir_rewrite_infer(s->r, made);
}

/* Is the input of the convolution weights, or numbers for each output: a bias, and what a QLinearConv has beside the
 * weights? */
static bool is_kernels(const spatial *s, weir_op kind, size_t index) {
    const weir_value input = weir_node_input(s->r->graph, s->r->at, index);
    if (input.id == 0) return false;
    if (kind == WEIR_OP_CONV) return index > 0;
    const bool beside = index == 4 || index == 5;
    return index == 3 || index == 8 ||
           (beside && shape_of(s->r, input)->rank == 1 && shape_of(s->r, input)->dim[0] > 1);
}

/* --- the dimensions --- */

/* The order of x's dimensions, before they are joined, and how many become each of the result's. */
typedef struct order {
    int64_t perm[WEIR_MAX_RANK];
    int joined[WEIR_MAX_RANK], rank, place;
} order;

static void add_dimension(order *o, int64_t dimension, bool joins) {
    o->perm[o->place++] = dimension;
    if (joins) o->joined[o->rank - 1]++;
    else o->joined[o->rank++] = 1;
}

static void add_slides(order *o, const spatial *s) {
    for (int k = 0; k < s->slide_count; k++) add_dimension(o, s->slides[k] + 2, false);
}

/* With two dimensions that stay the others are before the channels; else one, behind the dimension that stays where
 * some were. */
static order order_of(const spatial *s) {
    order o = {.rank = 0};
    const bool two = s->slide_count == MOST_WINDOWS;
    int64_t inner = 1;
    for (int i = s->window.rank - 1; i >= 0 && !slides_along(s, i); i--) inner *= s->window.in[i];
    add_dimension(&o, 0, false);
    if (!two) add_dimension(&o, 1, false);
    if (!two && inner > 1) add_slides(&o, s);
    bool joins = false;
    for (int i = 0; i < s->window.rank; i++) {
        if (slides_along(s, i)) continue;
        add_dimension(&o, i + 2, joins);
        joins = true;
    }
    if (two) add_dimension(&o, 1, joins);
    if (two || inner == 1) add_slides(&o, s);
    return o;
}

/* The dimensions of the shape in the order, joined. */
static weir_shape joined_shape(const order *o, const weir_shape *x) {
    weir_shape shape = {.rank = o->rank};
    int place = 0;
    for (int d = 0; d < o->rank; d++) {
        shape.dim[d] = 1;
        for (int i = 0; i < o->joined[d]; i++) shape.dim[d] *= x->dim[o->perm[place++]];
    }
    return shape;
}

static weir_value forth(const spatial *s, const order *o, weir_value x) {
    const weir_shape shape = joined_shape(o, shape_of(s->r, x));
    return weir_rewrite_reshape(s->r, "joined", weir_rewrite_transpose(s->r, "turned", x, o->perm), &shape);
}

static weir_value back(const spatial *s, const order *o, weir_value y, const weir_shape *own) {
    weir_shape apart = {.rank = own->rank};
    int64_t perm[WEIR_MAX_RANK];
    for (int i = 0; i < own->rank; i++) {
        apart.dim[i] = own->dim[o->perm[i]];
        perm[o->perm[i]] = i;
    }
    return weir_rewrite_transpose(s->r, "turned_back", weir_rewrite_reshape(s->r, "apart", y, &apart), perm);
}

/* Which of the dimensions the result's spatial ones are. */
static void find_kept(spatial *s, const order *o) {
    s->rank = o->rank - 2;
    for (int d = 0, place = 0; d < o->rank; place += o->joined[d++]) {
        const int i = (int)o->perm[place] - 2;
        if (d >= 2) s->kept[d - 2] = slides_along(s, i) ? i : -1;
    }
}

static void set_window(const spatial *s, weir_node made) {
    int64_t kernel[MOST_WINDOWS] = {1, 1}, stride[MOST_WINDOWS] = {1, 1}, dilation[MOST_WINDOWS] = {1, 1},
            pads[2 * MOST_WINDOWS] = {0};
    const size_t rank = (size_t)s->rank;
    for (size_t k = 0; k < rank; k++) {
        const int i = s->kept[k];
        if (i < 0) continue;
        kernel[k] = s->window.kernel[i];
        stride[k] = s->window.stride[i];
        dilation[k] = s->window.dilation[i];
        pads[k] = s->window.begin[i];
        pads[k + rank] = s->window.end[i];
    }
    weir_node_set_ints(s->r->graph, made, "kernel_shape", kernel, rank);
    weir_node_set_ints(s->r->graph, made, "strides", stride, rank);
    weir_node_set_ints(s->r->graph, made, "dilations", dilation, rank);
    weir_node_set_ints(s->r->graph, made, "pads", pads, 2 * rank);
    weir_node_set_int(s->r->graph, made, "group", s->group * s->times);
}

/* --- a dimension as channels --- */

/* With padding along the dimension, of zeros or, of codes, zero points. */
static weir_value padded(const spatial *s, weir_op kind, weir_value x) {
    const int axis = s->unrolled + 1, rank = shape_of(s->r, x)->rank;
    int64_t pads[2 * WEIR_MAX_RANK] = {0};
    pads[axis] = s->window.begin[axis - 2];
    pads[rank + axis] = s->window.end[axis - 2];
    if (pads[axis] == 0 && pads[rank + axis] == 0) return x;
    const weir_value zero =
        kind == WEIR_OP_QLINEAR_CONV
            ? weir_rewrite_reshape(s->r, "zero", weir_node_input(s->r->graph, s->r->at, 2), &(weir_shape){.rank = 0})
            : weir_rewrite_number(s->r, "zero", weir_value_type(s->r->graph, x)->dtype, 0);
    return WEIR_REWRITE_NODE(s->r, WEIR_OP_PAD, "padded", x,
                             weir_rewrite_integers(s->r, "pads", pads, 2 * (size_t)rank), zero);
}

/* Channels that are what each window sees of a channel along the dimension. */
static weir_value seen(const spatial *s, weir_op kind, weir_value x) {
    const int axis = s->unrolled + 1;
    const int64_t out = s->window.out[axis - 2], taps = s->window.kernel[axis - 2];
    weir_array *index = weir_array_new(WEIR_INT64, &(weir_shape){2, {out, taps}});
    for (size_t i = 0; i < index->count; i++)
        weir_array_set_int(index, i,
                           (int64_t)i / taps * s->window.stride[axis - 2] +
                               (int64_t)i % taps * s->window.dilation[axis - 2]);
    const weir_value inputs[2] = {padded(s, kind, x), weir_rewrite_constant(s->r, "seen_at", index)};
    weir_value made = weir_rewrite_start(s->r, WEIR_OP_GATHER, "seen", inputs, 2);
    weir_rewrite_set_int(s->r, made, "axis", axis);
    made = weir_rewrite_infer(s->r, made);
    weir_shape shape = *shape_of(s->r, made);
    int64_t perm[WEIR_MAX_RANK] = {0, 1, axis + 1};
    for (int d = 3; d < shape.rank; d++) perm[d] = d <= axis + 1 ? d - 1 : d;
    made = weir_rewrite_transpose(s->r, "beside", made, perm);
    shape = *shape_of(s->r, made);
    shape.dim[1] *= taps;
    for (int d = 2; d + 1 < shape.rank; d++) shape.dim[d] = shape.dim[d + 1];
    shape.rank--;
    return weir_rewrite_reshape(s->r, "channels", made, &shape);
}

static void set_element(const spatial *s, weir_node made, const char *name, const int64_t *values, int64_t one) {
    int64_t numbers[WEIR_MAX_RANK];
    memcpy(numbers, values, sizeof numbers);
    numbers[s->unrolled - 1] = one;
    weir_node_set_ints(s->r->graph, made, name, numbers, (size_t)s->window.rank);
}

/* The convolution that sees one element along the dimension, which `at` becomes. */
static void unroll(spatial *s, weir_op kind, weir_value *inputs, size_t count) {
    weir_rewrite *r = s->r;
    int64_t pads[2 * WEIR_MAX_RANK];
    for (size_t i = 0; i < count; i++)
        if (i == weights_of(kind)) inputs[i] = rebuilt(s, inputs[i]);
    inputs[0] = seen(s, kind, inputs[0]);
    const weir_value value = weir_rewrite_start(r, weir_node_op(r->graph, r->at), "unrolled", inputs, count);
    const weir_node made = weir_value_producer(r->graph, value);
    for (int i = 0; i < s->window.rank; i++) {
        pads[i] = i == s->unrolled - 1 ? 0 : s->window.begin[i];
        pads[i + s->window.rank] = i == s->unrolled - 1 ? 0 : s->window.end[i];
    }
    set_element(s, made, "kernel_shape", s->window.kernel, 1);
    set_element(s, made, "strides", s->window.stride, 1);
    set_element(s, made, "dilations", s->window.dilation, 1);
    weir_node_set_ints(r->graph, made, "pads", pads, 2 * (size_t)s->window.rank);
    weir_node_set_int(r->graph, made, "group", s->group);
    weir_rewrite_become(r, weir_rewrite_infer(r, value));
    r->at = made;
}

bool weir_lower_spatial(weir_rewrite *r) {
    const weir_op kind = weir_trait_kind(r->graph, r->at);
    spatial s = {.r = r};
    if (kind != WEIR_OP_CONV && kind != WEIR_OP_QLINEAR_CONV) return false;
    const size_t count = weir_node_input_count(r->graph, r->at);
    weir_value inputs[MOST_INPUTS];
    bool known = read_dimensions(&s, weights_of(kind));
    for (size_t i = 0; known && i < count; i++) {
        inputs[i] = weir_node_input(r->graph, r->at, i);
        known = !is_kernels(&s, kind, i) || is_known(r->graph, inputs[i]);
    }
    if (!known) return false;
    if (s.unrolled > 0) {
        if (shape_of(r, inputs[0])->rank == WEIR_MAX_RANK) return false;
        unroll(&s, kind, inputs, count);
        return weir_lower_spatial(r);
    }
    const order o = order_of(&s);
    find_kept(&s, &o);
    for (size_t i = 0; i < count; i++)
        if (is_kernels(&s, kind, i)) inputs[i] = rebuilt(&s, inputs[i]);
    inputs[0] = forth(&s, &o, inputs[0]);
    const weir_value made = weir_rewrite_start(r, weir_node_op(r->graph, r->at), "windows", inputs, count);
    set_window(&s, weir_value_producer(r->graph, made));
    const weir_shape own = *shape_of(r, weir_node_output(r->graph, r->at, 0));
    weir_rewrite_become(r, back(&s, &o, weir_rewrite_infer(r, made), &own));
    return true;
}
