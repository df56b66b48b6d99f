/* Reductions and normalizations. Sums are taken in float64. */
#include "exec/kernel_common.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/elementary.h"
#include "exec/softmax.h"
#include "ir/shape/geometry.h"
#include "quant/arithmetic.h"
#include "support/memory/arena.h"

/* ---- normalization ---- */

/* Elements before, after and along an axis. */
typedef struct lines {
    size_t outer, count, inner;
} lines;

static lines lines_of(const weir_shape *shape, int axis) {
    assert(axis >= 0 && axis < shape->rank);
    lines l = {1, (size_t)shape->dim[axis], 1};
    for (int i = 0; i < axis; i++) l.outer *= (size_t)shape->dim[i];
    for (int i = axis + 1; i < shape->rank; i++) l.inner *= (size_t)shape->dim[i];
    return l;
}

static int axis_of(const weir_graph *graph, weir_node node, const weir_array *x, int64_t otherwise) {
    const int64_t axis = weir_node_int(graph, node, "axis", otherwise);
    return (int)(axis < 0 ? axis + x->shape.rank : axis);
}

/* ONNX Runtime's order, each operation rounded to float32: x * factor + term, with factor = scale * (1 / deviation). */
void weir_kernel_BATCH_NORMALIZATION(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                     weir_array *const *outputs) {
    const weir_array *x = inputs[0], *scale = inputs[1], *shift = inputs[2], *mean = inputs[3], *variance = inputs[4];
    assert(shift->count == scale->count && mean->count == scale->count && variance->count == scale->count);
    const double epsilon = weir_node_float(graph, node, "epsilon", 1e-5);
    const weir_channels channels = weir_channels_of(&x->shape, 1, scale->count);
    for (size_t i = 0; i < x->count; i++) {
        const size_t c = weir_channel(&channels, i);
        if (x->dtype != WEIR_FLOAT64) {
            const weir_normalization n = weir_normalization_of(
                (float)weir_array_get(scale, c), (float)weir_array_get(shift, c), (float)weir_array_get(mean, c),
                (float)weir_array_get(variance, c), (float)epsilon);
            const float product = (float)weir_array_get(x, i) * n.factor;
            const float sum = product + n.term;
            weir_array_set(outputs[0], i, (double)sum);
            continue;
        }
        const double factor = 1 / sqrt(weir_array_get(variance, c) + epsilon) * weir_array_get(scale, c);
        const double term = weir_array_get(shift, c) - weir_array_get(mean, c) * factor;
        weir_array_set(outputs[0], i, weir_array_get(x, i) * factor + term);
    }
}

/* Mean and 1 / sqrt(variance + epsilon) of `count` elements from `first` on. */
static void statistics(const weir_array *x, size_t first, size_t count, double epsilon, double *mean, double *scale) {
    assert(first <= x->count && count <= x->count - first);
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) sum += weir_array_get(x, first + i);
    *mean = sum / (double)count;
    for (size_t i = 0; i < count; i++) {
        const double centred = weir_array_get(x, first + i) - *mean;
        squares += centred * centred;
    }
    *scale = 1 / sqrt(squares / (double)count + epsilon);
}

void weir_kernel_INSTANCE_NORMALIZATION(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                        weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    const double epsilon = weir_node_float(graph, node, "epsilon", 1e-5);
    const size_t channels = (size_t)x->shape.dim[1], planes = (size_t)x->shape.dim[0] * channels;
    const size_t count = planes == 0 ? 0 : x->count / planes;
    for (size_t plane = 0; plane < planes; plane++) {
        const double gain = weir_array_get(inputs[1], plane % channels);
        const double shift = weir_array_get(inputs[2], plane % channels);
        double mean, scale;
        statistics(x, plane * count, count, epsilon, &mean, &scale);
        for (size_t i = plane * count; i < (plane + 1) * count; i++)
            weir_array_set(outputs[0], i, (weir_array_get(x, i) - mean) * scale * gain + shift);
    }
}

void weir_kernel_LAYER_NORMALIZATION(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                     weir_array *const *outputs) {
    const weir_array *x = inputs[0], *gain = inputs[1], *shift = inputs[2];
    const double epsilon = weir_node_float(graph, node, "epsilon", 1e-5);
    const size_t results = weir_node_output_count(graph, node);
    const lines l = lines_of(&x->shape, axis_of(graph, node, x, -1));
    const size_t count = l.count * l.inner;
    const weir_broadcast from_gain = weir_broadcast_of(&gain->shape, &x->shape);
    const weir_broadcast from_shift = weir_broadcast_of(shift == NULL ? &gain->shape : &shift->shape, &x->shape);
    for (size_t r = 0; r < l.outer; r++) {
        double mean, scale;
        statistics(x, r * count, count, epsilon, &mean, &scale);
        if (results > 1) weir_array_set(outputs[1], r, mean);
        if (results > 2) weir_array_set(outputs[2], r, scale);
        for (size_t i = r * count; i < (r + 1) * count; i++) {
            double v =
                (weir_array_get(x, i) - mean) * scale * weir_array_get(gain, weir_broadcast_index(&from_gain, i));
            if (shift != NULL) v += weir_array_get(shift, weir_broadcast_index(&from_shift, i));
            weir_array_set(outputs[0], i, v);
        }
    }
}

void weir_kernel_RMS_NORMALIZATION(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                   weir_array *const *outputs) {
    const weir_array *x = inputs[0], *gain = inputs[1];
    const double epsilon = weir_node_float(graph, node, "epsilon", 1e-5);
    const lines l = lines_of(&x->shape, axis_of(graph, node, x, -1));
    const size_t count = l.count * l.inner;
    const weir_broadcast from = weir_broadcast_of(&gain->shape, &x->shape);
    for (size_t r = 0; r < l.outer; r++) {
        double squares = 0;
        for (size_t i = r * count; i < (r + 1) * count; i++) squares += weir_array_get(x, i) * weir_array_get(x, i);
        const double scale = 1 / sqrt(squares / (double)count + epsilon);
        for (size_t i = r * count; i < (r + 1) * count; i++)
            weir_array_set(outputs[0], i,
                           weir_array_get(x, i) * scale * weir_array_get(gain, weir_broadcast_index(&from, i)));
    }
}

/* A line of zeros stays one. */
void weir_kernel_LP_NORMALIZATION(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                  weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    const bool squared = weir_node_int(graph, node, "p", 2) == 2;
    const lines l = lines_of(&x->shape, axis_of(graph, node, x, -1));
    for (size_t line = 0; line < l.outer * l.inner; line++) {
        const size_t first = line / l.inner * l.count * l.inner + line % l.inner;
        double norm = 0;
        for (size_t k = 0; k < l.count; k++) {
            const double v = weir_array_get(x, first + k * l.inner);
            norm += squared ? v * v : fabs(v);
        }
        if (squared) norm = sqrt(norm);
        for (size_t k = 0; k < l.count; k++) {
            const size_t at = first + k * l.inner;
            weir_array_set(outputs[0], at, norm > 0 || isnan(norm) ? weir_array_get(x, at) / norm : 0);
        }
    }
}

/* exp(x) by its sum along the axis, or the logarithm of that. */
static void softmax(const weir_graph *graph, weir_node node, const weir_array *x, weir_array *y, bool logarithm) {
    assert(x->count == y->count);
    const lines l = lines_of(&x->shape, axis_of(graph, node, x, -1));
    for (size_t line = 0; line < l.outer * l.inner; line++) {
        const size_t first = line / l.inner * l.count * l.inner + line % l.inner;
        double largest = -HUGE_VAL, sum = 0;
        for (size_t k = 0; k < l.count; k++) largest = fmax(largest, weir_array_get(x, first + k * l.inner));
        for (size_t k = 0; k < l.count; k++)
            sum += weir_elementary_exp(weir_array_get(x, first + k * l.inner) - largest);
        const double of_sum = logarithm ? weir_elementary_log(sum) : sum;
        for (size_t k = 0; k < l.count; k++) {
            const size_t at = first + k * l.inner;
            const double v = weir_array_get(x, at) - largest;
            weir_array_set(y, at, logarithm ? v - of_sum : weir_elementary_exp(v) / of_sum);
        }
    }
}

void weir_kernel_SOFTMAX(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                         weir_array *const *outputs) {
    softmax(graph, node, inputs[0], outputs[0], false);
}

void weir_kernel_LOG_SOFTMAX(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                             weir_array *const *outputs) {
    softmax(graph, node, inputs[0], outputs[0], true);
}

void weir_kernel_QLINEAR_SOFTMAX(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                 weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    const lines l = lines_of(&x->shape, axis_of(graph, node, x, -1));
    int64_t low, high;
    float power[UINT8_MAX + 1];
    weir_dtype_limits(outputs[0]->dtype, &low, &high);
    weir_softmax_powers((float)weir_array_get(inputs[1], 0), l.count, power, UINT8_MAX + 1);
    const weir_softmax softmax = {.power = power,
                                  .steps = weir_softmax_steps((float)weir_array_get(inputs[3], 0)),
                                  .zero = inputs[4] == NULL ? 0 : weir_array_get_int(inputs[4], 0),
                                  .high = high};
    for (size_t line = 0; line < l.outer * l.inner; line++)
        weir_softmax_row(&softmax, x, outputs[0], line / l.inner * l.count * l.inner + line % l.inner, l.count,
                         l.inner);
}

/* ---- reduction ---- */

/* For each element of x the one of the result that it goes into, which has its indices without the reduced axes. */
typedef struct reduction {
    int rank;
    size_t dim[WEIR_MAX_RANK], stride[WEIR_MAX_RANK]; /* stride 0: reduced */
} reduction;

static reduction reduction_of(const weir_graph *graph, weir_node node, const weir_shape *shape) {
    reduction r = {.rank = shape->rank};
    bool reduced[WEIR_MAX_RANK] = {false};
    size_t stride = 1;
    weir_geometry_reduced(graph, node, reduced);
    for (int i = shape->rank - 1; i >= 0; i--) {
        r.dim[i] = (size_t)shape->dim[i];
        r.stride[i] = reduced[i] ? 0 : stride;
        if (!reduced[i]) stride *= r.dim[i];
    }
    return r;
}

static size_t reduced_index(const reduction *r, size_t i) {
    size_t index = 0;
    for (int axis = r->rank - 1; axis >= 0; axis--) {
        index += i % r->dim[axis] * r->stride[axis];
        i /= r->dim[axis];
    }
    return index;
}

/* Sums in float64, or modulo 2^64 for integers, divided by the number of elements for a mean. */
static void add_up(const weir_graph *graph, weir_node node, const weir_array *x, weir_array *y, bool mean) {
    assert(x->count % (y->count == 0 ? 1 : y->count) == 0);
    const reduction r = reduction_of(graph, node, &x->shape);
    const double share = mean && y->count > 0 ? (double)(x->count / y->count) : 1;
    if (weir_dtype_is_float(x->dtype)) {
        double *sums = weir_calloc(y->count, sizeof *sums);
        for (size_t i = 0; i < x->count; i++) sums[reduced_index(&r, i)] += weir_array_get(x, i);
        for (size_t i = 0; i < y->count; i++) weir_array_set(y, i, sums[i] / share);
        free(sums);
        return;
    }
    uint64_t *sums = weir_calloc(y->count, sizeof *sums);
    for (size_t i = 0; i < x->count; i++) sums[reduced_index(&r, i)] += weir_kernel_bits(x, i);
    for (size_t i = 0; i < y->count; i++) {
        const bool is_signed = weir_dtype_is_signed(x->dtype);
        const uint64_t count = (uint64_t)share;
        weir_array_set_int(y, i, is_signed ? (int64_t)sums[i] / (int64_t)count : (int64_t)(sums[i] / count));
    }
    free(sums);
}

/* Half up, of whole numbers. */
void weir_kernel_INTEGER_MEAN(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                              weir_array *const *outputs) {
    weir_array *y = outputs[0];
    add_up(graph, node, inputs[0], y, false);
    for (size_t i = 0; i < y->count; i++)
        weir_array_set(y, i, floor(weir_array_get(y, i) / (double)(inputs[0]->count / y->count) + 0.5));
}

void weir_kernel_REDUCE_MEAN(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                             weir_array *const *outputs) {
    add_up(graph, node, inputs[0], outputs[0], true);
}

void weir_kernel_REDUCE_SUM(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                            weir_array *const *outputs) {
    add_up(graph, node, inputs[0], outputs[0], false);
}

/* The extreme in the direction of `sign`. */
static void pick_extreme(const weir_graph *graph, weir_node node, const weir_array *x, weir_array *y, int sign) {
    assert(x->dtype == y->dtype && (sign == 1 || sign == -1));
    const reduction r = reduction_of(graph, node, &x->shape);
    const size_t size = weir_dtype_size(x->dtype);
    bool *seen = weir_calloc(y->count, sizeof *seen);
    for (size_t i = 0; i < x->count; i++) {
        const size_t to = reduced_index(&r, i);
        if (seen[to] && weir_kernel_compare(x, i, y, to) * sign <= 0) continue;
        memcpy((char *)y->data + to * size, (const char *)x->data + i * size, size);
        seen[to] = true;
    }
    free(seen);
}

void weir_kernel_REDUCE_MAX(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                            weir_array *const *outputs) {
    pick_extreme(graph, node, inputs[0], outputs[0], 1);
}

void weir_kernel_REDUCE_MIN(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                            weir_array *const *outputs) {
    pick_extreme(graph, node, inputs[0], outputs[0], -1);
}

/* Products in float64, or modulo 2^64 for integers. */
void weir_kernel_REDUCE_PROD(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                             weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    weir_array *y = outputs[0];
    const reduction r = reduction_of(graph, node, &x->shape);
    const bool real = weir_dtype_is_float(x->dtype);
    double *reals = weir_calloc(y->count, sizeof *reals);
    uint64_t *wholes = weir_calloc(y->count, sizeof *wholes);
    for (size_t i = 0; i < y->count; i++) {
        reals[i] = 1;
        wholes[i] = 1;
    }
    for (size_t i = 0; i < x->count; i++) {
        if (real) reals[reduced_index(&r, i)] *= weir_array_get(x, i);
        else wholes[reduced_index(&r, i)] *= weir_kernel_bits(x, i);
    }
    for (size_t i = 0; i < y->count; i++) {
        if (real) weir_array_set(y, i, reals[i]);
        else weir_array_set_int(y, i, (int64_t)wholes[i]);
    }
    free(reals);
    free(wholes);
}

/* Where the largest element of the line that begins at `first` is, or with a sign of -1 the smallest. */
static size_t find_in_line(const weir_array *x, const lines *l, size_t first, int sign, bool last) {
    assert(l->count > 0 && (sign == 1 || sign == -1));
    size_t best = 0;
    for (size_t k = 1; k < l->count; k++) {
        const int order = sign * weir_kernel_compare(x, first + k * l->inner, x, first + best * l->inner);
        if (order > 0 || (last && order == 0)) best = k;
    }
    return best;
}

static void find_extreme(const weir_graph *graph, weir_node node, const weir_array *x, weir_array *y, int sign) {
    const bool last = weir_node_int(graph, node, "select_last_index", 0) != 0;
    const lines l = lines_of(&x->shape, axis_of(graph, node, x, 0));
    for (size_t line = 0; line < l.outer * l.inner; line++) {
        const size_t first = line / l.inner * l.count * l.inner + line % l.inner;
        weir_array_set_int(y, line, (int64_t)find_in_line(x, &l, first, sign, last));
    }
}

void weir_kernel_ARG_MAX(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                         weir_array *const *outputs) {
    find_extreme(graph, node, inputs[0], outputs[0], 1);
}

void weir_kernel_ARG_MIN(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                         weir_array *const *outputs) {
    find_extreme(graph, node, inputs[0], outputs[0], -1);
}

/* 1 where the largest element of each line is, the first of several, else 0. */
void weir_kernel_HARDMAX(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                         weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    const lines l = lines_of(&x->shape, axis_of(graph, node, x, -1));
    for (size_t line = 0; line < l.outer * l.inner; line++) {
        const size_t first = line / l.inner * l.count * l.inner + line % l.inner;
        const size_t best = find_in_line(x, &l, first, 1, false);
        for (size_t k = 0; k < l.count; k++) weir_array_set(outputs[0], first + k * l.inner, k == best);
    }
}

/* Of `count` elements in one line, the best that is behind element `previous` in the order: by value, then by
 * position. */
static size_t next_best(const weir_array *x, const lines *l, size_t first, size_t previous, bool largest) {
    assert(previous <= l->count);
    size_t best = l->count;
    for (size_t k = 0; k < l->count; k++) {
        const size_t at = first + k * l->inner;
        int order = previous == l->count ? 1 : weir_kernel_compare(x, first + previous * l->inner, x, at);
        if (!largest && previous != l->count) order = -order;
        if (order < 0 || (order == 0 && k <= previous)) continue;
        order = best == l->count ? 1 : weir_kernel_compare(x, at, x, first + best * l->inner);
        if (!largest && best != l->count) order = -order;
        if (order > 0) best = k;
    }
    return best;
}

void weir_kernel_TOP_K(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                       weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    const bool largest = weir_node_int(graph, node, "largest", 1) != 0;
    const int axis = axis_of(graph, node, x, -1);
    const size_t wanted = (size_t)outputs[0]->shape.dim[axis];
    const lines l = lines_of(&x->shape, axis);
    for (size_t line = 0; line < l.outer * l.inner; line++) {
        const size_t first = line / l.inner * l.count * l.inner + line % l.inner;
        size_t at = l.count;
        for (size_t k = 0; k < wanted; k++) {
            const size_t to = (line / l.inner * wanted + k) * l.inner + line % l.inner;
            at = next_best(x, &l, first, at, largest);
            if (weir_dtype_is_float(x->dtype)) weir_array_set(outputs[0], to, weir_array_get(x, first + at * l.inner));
            else weir_array_set_int(outputs[0], to, weir_array_get_int(x, first + at * l.inner));
            if (weir_node_output_count(graph, node) > 1) weir_array_set_int(outputs[1], to, (int64_t)at);
        }
    }
}
