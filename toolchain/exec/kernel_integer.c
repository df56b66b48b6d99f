/* Exact integer operators: the definition of what the hardware computes. Sums are taken modulo 2^64; the inferred
 * ranges keep every true value far inside it. */
#include "exec/arithmetic.h"
#include "exec/contract.h"
#include "exec/kernel_common.h"

/* Linear: outputs accumulated at once, and inputs widened at once. */
enum { OUTPUT_BLOCK = 64, INPUT_BLOCK = 512 };

#define DOT(c_type)                                                                                                    \
    do {                                                                                                               \
        const c_type *weight = (const c_type *)w->data + first;                                                        \
        for (size_t k = 0; k < count; k++) sum += (uint64_t)weight[k] * (uint64_t)x[k];                                \
    } while (0)

/* Product of `count` weights from element `first` on with x. */
static uint64_t dot(const weir_array *w, size_t first, size_t count, const int64_t *x) {
    uint64_t sum = 0;
    switch (w->dtype) {
    case WEIR_INT8: DOT(int8_t); break;
    case WEIR_UINT8: DOT(uint8_t); break;
    case WEIR_INT16: DOT(int16_t); break;
    case WEIR_UINT16: DOT(uint16_t); break;
    case WEIR_INT32: DOT(int32_t); break;
    case WEIR_UINT32: DOT(uint32_t); break;
    case WEIR_UINT64: DOT(uint64_t); break;
    default: DOT(int64_t); break;
    }
    return sum;
}

void weir_kernel_LINEAR(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                        weir_array *const *outputs) {
    const weir_array *x = inputs[0], *w = inputs[1];
    weir_array *y = outputs[0];
    const size_t group = (size_t)weir_node_int(graph, node, "group", 1);
    const size_t columns = (size_t)w->shape.dim[0] / group, inner = (size_t)w->shape.dim[1];
    const size_t rows = columns == 0 ? 0 : y->count / columns;
    int64_t wide[INPUT_BLOCK];
    uint64_t sum[OUTPUT_BLOCK];
    for (size_t row = 0; row < rows; row++) {
        const size_t matrix = row % group * columns;
        for (size_t first = 0; first < columns; first += OUTPUT_BLOCK) {
            const size_t count = columns - first < OUTPUT_BLOCK ? columns - first : OUTPUT_BLOCK;
            for (size_t n = 0; n < count; n++) sum[n] = 0;
            for (size_t from = 0; from < inner; from += INPUT_BLOCK) {
                const size_t taken = inner - from < INPUT_BLOCK ? inner - from : INPUT_BLOCK;
                weir_kernel_load(x, row * inner + from, taken, wide);
                for (size_t n = 0; n < count; n++) sum[n] += dot(w, (matrix + first + n) * inner + from, taken, wide);
            }
            for (size_t n = 0; n < count; n++) weir_array_set_int(y, row * columns + first + n, (int64_t)sum[n]);
        }
    }
}

void weir_kernel_SUM(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                     weir_array *const *outputs) {
    const weir_array *a = inputs[0], *b = inputs[1];
    weir_array *y = outputs[0];
    const uint64_t ca = (uint64_t)weir_node_int(graph, node, "ca", 1);
    const uint64_t cb = (uint64_t)weir_node_int(graph, node, "cb", 1);
    const weir_broadcast from_a = weir_broadcast_of(&a->shape, &y->shape);
    const weir_broadcast from_b = weir_broadcast_of(&b->shape, &y->shape);
    for (size_t i = 0; i < y->count; i++) {
        const uint64_t va = (uint64_t)weir_array_get_int(a, weir_broadcast_index(&from_a, i));
        const uint64_t vb = (uint64_t)weir_array_get_int(b, weir_broadcast_index(&from_b, i));
        weir_array_set_int(y, i, (int64_t)(ca * va + cb * vb));
    }
}

static size_t last_size(const weir_shape *shape) { return shape->rank == 0 ? 1 : (size_t)shape->dim[shape->rank - 1]; }

/* Clip bounds of a cast: attributes low and high, by default all codes of the output. */
static void clip_bounds(const weir_graph *graph, weir_node node, int64_t *low, int64_t *high) {
    weir_quant_limits(&weir_kernel_output_type(graph, node)->quant, low, high);
    *low = weir_node_int(graph, node, "low", *low);
    *high = weir_node_int(graph, node, "high", *high);
}

void weir_kernel_REQUANTIZE(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                            weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    const size_t channels = last_size(&x->shape);
    weir_requantizer requantizer;
    weir_requantizer_of(graph, node, &requantizer);
    for (size_t i = 0; i < x->count; i++) {
        const int64_t channel = (int64_t)weir_last(i, channels);
        weir_array_set_int(outputs[0], i, weir_requantizer_apply(&requantizer, channel, weir_array_get_int(x, i)));
    }
}

void weir_kernel_CAST(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                      weir_array *const *outputs) {
    const weir_array *x = inputs[0], *add = inputs[1];
    const int left = (int)weir_node_int(graph, node, "left", 0), shift = (int)weir_node_int(graph, node, "shift", 0);
    weir_rounding rounding = WEIR_ROUND_FLOOR;
    weir_rounding_parse(weir_node_string(graph, node, "rounding", "floor"), &rounding);
    int64_t low, high;
    clip_bounds(graph, node, &low, &high);
    for (size_t i = 0; i < x->count; i++) {
        const int64_t term = add == NULL ? 0 : weir_array_get_int(add, weir_last(i, add->count));
        weir_array_set_int(outputs[0], i, weir_cast(weir_array_get_int(x, i), term, left, shift, rounding, low, high));
    }
}

void weir_kernel_SCALE(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                       weir_array *const *outputs) {
    const weir_array *x = inputs[0], *m = inputs[1], *a = inputs[2];
    const int shift = (int)weir_node_int(graph, node, "shift", 0);
    int64_t low, high;
    clip_bounds(graph, node, &low, &high);
    for (size_t i = 0; i < x->count; i++) {
        const int64_t multiplier = weir_array_get_int(m, weir_last(i, m->count));
        const int64_t add = weir_array_get_int(a, weir_last(i, a->count));
        weir_array_set_int(outputs[0], i,
                           weir_requantize_scale(weir_array_get_int(x, i), multiplier, add, shift, low, high));
    }
}

void weir_kernel_SCALE_FLOAT(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                             weir_array *const *outputs) {
    const weir_array *x = inputs[0], *m = inputs[1], *a = inputs[2];
    const int shift = (int)weir_node_int(graph, node, "shift", 0);
    const int64_t zero = weir_node_int(graph, node, "zero", 0);
    int64_t low, high;
    clip_bounds(graph, node, &low, &high);
    for (size_t i = 0; i < x->count; i++) {
        const int64_t multiplier = weir_array_get_int(m, weir_last(i, m->count));
        const int64_t add = weir_array_get_int(a, weir_last(i, a->count));
        const int64_t code = weir_array_get_int(x, i);
        weir_array_set_int(outputs[0], i, weir_requantize_scale_float(code, multiplier, add, shift, zero, low, high));
    }
}

/* How many of the ascending thresholds are <= x: binary search. */
static int64_t passed(const int64_t *thresholds, int64_t count, int64_t x) {
    int64_t from = 0;
    while (count > 0) {
        const int64_t half = count / 2;
        if (thresholds[from + half] <= x) {
            from += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return from;
}

void weir_kernel_THRESHOLD(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                           weir_array *const *outputs) {
    const weir_array *x = inputs[0], *t = inputs[1];
    const int64_t base = weir_node_int(graph, node, "base", 0), step = weir_node_int(graph, node, "step", 1);
    const size_t rows = (size_t)t->shape.dim[0], count = (size_t)t->shape.dim[1];
    for (size_t i = 0; i < x->count; i++) {
        const int64_t *row = (const int64_t *)t->data + weir_last(i, rows) * count;
        weir_array_set_int(outputs[0], i, base + step * passed(row, (int64_t)count, weir_array_get_int(x, i)));
    }
}

void weir_kernel_LOOKUP(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                        weir_array *const *outputs) {
    const weir_array *x = inputs[0], *table = inputs[1];
    const int64_t low = weir_node_int(graph, node, "low", 0);
    const size_t rows = (size_t)table->shape.dim[0], codes = (size_t)table->shape.dim[1];
    for (size_t i = 0; i < x->count; i++) {
        const int64_t *row = (const int64_t *)table->data + weir_last(i, rows) * codes;
        weir_array_set_int(outputs[0], i, row[weir_array_get_int(x, i) - low]);
    }
}

void weir_kernel_MAXIMUM(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                         weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    const int64_t zero = weir_node_int(graph, node, "zero", 0);
    for (size_t i = 0; i < x->count; i++) {
        const int64_t v = weir_array_get_int(x, i);
        weir_array_set_int(outputs[0], i, v > zero ? v : zero);
    }
}
