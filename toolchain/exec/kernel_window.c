/* Operators that slide a window: convolution as a matrix product over gathered inputs, pooling as a plain loop. */
#include "exec/kernel_common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/geometry.h"
#include "support/arena.h"

/* Output positions gathered at a time: bounds the scratch memory of a convolution. */
enum { POSITIONS = 512 };

static size_t product_of(const int64_t *dims, int count) {
    size_t product = 1;
    for (int i = 0; i < count; i++) product *= (size_t)dims[i];
    return product;
}

/* Offset in a channel of the input that window element `k` reads at output position `p`; false: padding. */
static bool window_source(const weir_window *w, size_t p, size_t k, size_t *offset) {
    size_t stride = 1;
    *offset = 0;
    for (int i = w->rank - 1; i >= 0; i--) {
        const int64_t o = (int64_t)(p % (size_t)w->out[i]), inner = (int64_t)(k % (size_t)w->kernel[i]);
        const int64_t at = o * w->stride[i] + inner * w->dilation[i] - w->begin[i];
        if (at < 0 || at >= w->in[i]) return false;
        *offset += (size_t)at * stride;
        stride *= (size_t)w->in[i];
        p /= (size_t)w->out[i];
        k /= (size_t)w->kernel[i];
    }
    return true;
}

/* Rows (channel, window element), columns (output positions from `first` on); padding gives zeros. */
static void gather(const weir_window *w, const weir_array *x, size_t x_at, size_t channels, size_t first, size_t count,
                   weir_array *columns) {
    const size_t size = weir_dtype_size(x->dtype), window = product_of(w->kernel, w->rank);
    const size_t plane = product_of(w->in, w->rank);
    for (size_t k = 0; k < window; k++) {
        for (size_t p = 0; p < count; p++) {
            size_t offset;
            const bool inside = window_source(w, first + p, k, &offset);
            for (size_t c = 0; c < channels; c++) {
                char *to = (char *)columns->data + ((c * window + k) * count + p) * size;
                if (inside) memcpy(to, (const char *)x->data + (x_at + c * plane + offset) * size, size);
                else memset(to, 0, size);
            }
        }
    }
}

void weir_kernel_convolve(const weir_graph *graph, weir_node node, const weir_array *x, const weir_array *weights,
                          weir_array *y) {
    weir_window w;
    weir_geometry_window(graph, node, &x->shape, weights->shape.dim + 2, &w);
    const size_t groups = (size_t)weir_node_int(graph, node, "group", 1);
    const size_t channels = (size_t)weights->shape.dim[1], outputs = (size_t)weights->shape.dim[0] / groups;
    const size_t inner = channels * product_of(w.kernel, w.rank), plane = product_of(w.in, w.rank);
    const size_t positions = product_of(w.out, w.rank), blocks = (size_t)x->shape.dim[0] * groups;
    const weir_shape shape = {.rank = 2, .dim = {(int64_t)inner, POSITIONS}};
    weir_array *columns = weir_array_new(x->dtype, &shape);
    for (size_t block = 0; block < blocks; block++) {
        for (size_t first = 0; first < positions; first += POSITIONS) {
            const size_t count = positions - first < POSITIONS ? positions - first : POSITIONS;
            const weir_product_call call = {
                .rows = outputs, .inner = inner, .columns = count, .pitch = positions, .alpha = 1};
            gather(&w, x, block * channels * plane, channels, first, count, columns);
            weir_kernel_product(&call, weights, block % groups * outputs * inner, columns, 0, y,
                                block * outputs * positions + first);
        }
    }
    weir_array_free(columns);
}

void weir_kernel_CONV(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                      weir_array *const *outputs) {
    const weir_array *bias = inputs[2];
    weir_array *y = outputs[0];
    weir_kernel_convolve(graph, node, inputs[0], inputs[1], y);
    if (bias == NULL) return;
    const weir_channels channels = weir_channels_of(&y->shape, 1, bias->count);
    for (size_t i = 0; i < y->count; i++)
        weir_array_set(y, i, weir_array_get(y, i) + weir_array_get(bias, weir_channel(&channels, i)));
}

/* The window element at position k of the order in which the first spatial dimension changes fastest. */
static size_t transposed(const weir_window *w, size_t k) {
    size_t element = 0, stride = product_of(w->kernel, w->rank);
    for (int i = 0; i < w->rank; i++) {
        stride /= (size_t)w->kernel[i];
        element += k % (size_t)w->kernel[i] * stride;
        k /= (size_t)w->kernel[i];
    }
    return element;
}

/* Position p's window along the last spatial dimension first, in runs of a group's channels. */
void weir_kernel_WINDOW(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                        weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    weir_array *y = outputs[0];
    weir_window w;
    weir_geometry_window_innermost(graph, node, &w);
    const size_t group = (size_t)weir_node_int(graph, node, "group", 1), size = weir_dtype_size(x->dtype);
    const size_t channels = (size_t)x->shape.dim[x->shape.rank - 1], run = channels / group;
    const size_t positions = product_of(w.out, w.rank), plane = product_of(w.in, w.rank);
    const size_t window = product_of(w.kernel, w.rank), frames = (size_t)x->shape.dim[0];
    weir_array *fill = weir_array_new(x->dtype, &(weir_shape){1, {(int64_t)run}});
    for (size_t c = 0; c < run; c++) weir_array_set_int(fill, c, weir_node_int(graph, node, "fill", 0));
    char *to = y->data;
    for (size_t p = 0; p < frames * positions; p++) {
        const char *frame = (const char *)x->data + p / positions * plane * channels * size;
        for (size_t g = 0; g < group; g++) {
            for (size_t k = 0; k < window; k++, to += run * size) {
                size_t offset;
                const bool inside = window_source(&w, p % positions, transposed(&w, k), &offset);
                memcpy(to, inside ? frame + (offset * channels + g * run) * size : fill->data, run * size);
            }
        }
    }
    weir_array_free(fill);
}

void weir_kernel_MAX_POOL(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                          weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    weir_array *y = outputs[0];
    weir_window w;
    weir_geometry_window(graph, node, &x->shape, NULL, &w);
    const size_t positions = product_of(w.out, w.rank), plane = product_of(w.in, w.rank);
    const size_t window = product_of(w.kernel, w.rank), size = weir_dtype_size(x->dtype);
    for (size_t i = 0; i < y->count; i++) {
        size_t best = SIZE_MAX, offset;
        for (size_t k = 0; k < window; k++) {
            if (!window_source(&w, i % positions, k, &offset)) continue;
            const size_t at = i / positions * plane + offset;
            if (best == SIZE_MAX || weir_kernel_compare(x, at, x, best) > 0) best = at;
        }
        if (best != SIZE_MAX) memcpy((char *)y->data + i * size, (const char *)x->data + best * size, size);
        else if (weir_dtype_is_float(y->dtype)) weir_array_set(y, i, -HUGE_VAL); /* dilated past the input */
    }
}

/* Sums modulo 2^64. */
void weir_kernel_SUM_POOL(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                          weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    weir_array *y = outputs[0];
    weir_window w;
    weir_geometry_window(graph, node, &x->shape, NULL, &w);
    const uint64_t zero = (uint64_t)weir_node_int(graph, node, "zero", 0);
    const size_t positions = product_of(w.out, w.rank), plane = product_of(w.in, w.rank);
    const size_t window = product_of(w.kernel, w.rank);
    for (size_t i = 0; i < y->count; i++) {
        uint64_t sum = 0;
        size_t offset;
        for (size_t k = 0; k < window; k++) {
            if (window_source(&w, i % positions, k, &offset))
                sum += (uint64_t)weir_array_get_int(x, i / positions * plane + offset) - zero;
        }
        weir_array_set_int(y, i, (int64_t)sum);
    }
}

void weir_kernel_AVERAGE_POOL(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                              weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    weir_array *y = outputs[0];
    weir_window w;
    weir_geometry_window(graph, node, &x->shape, NULL, &w);
    const bool with_padding = weir_node_int(graph, node, "count_include_pad", 0) != 0;
    const size_t positions = product_of(w.out, w.rank), plane = product_of(w.in, w.rank);
    const size_t window = product_of(w.kernel, w.rank);
    for (size_t i = 0; i < y->count; i++) {
        size_t seen = 0, offset;
        double sum = 0;
        for (size_t k = 0; k < window; k++) {
            if (!window_source(&w, i % positions, k, &offset)) continue;
            sum += weir_array_get(x, i / positions * plane + offset);
            seen++;
        }
        const size_t count = with_padding ? window : seen;
        weir_array_set(y, i, count == 0 ? 0 : sum / (double)count);
    }
}

void weir_kernel_GLOBAL_AVERAGE_POOL(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                     weir_array *const *outputs) {
    (void)graph;
    (void)node;
    const weir_array *x = inputs[0];
    weir_array *y = outputs[0];
    const size_t plane = product_of(x->shape.dim + 2, x->shape.rank - 2);
    for (size_t i = 0; i < y->count; i++) {
        double sum = 0;
        for (size_t k = 0; k < plane; k++) sum += weir_array_get(x, i * plane + k);
        weir_array_set(y, i, sum / (double)plane);
    }
}
