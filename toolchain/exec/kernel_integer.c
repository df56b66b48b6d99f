/* Exact integer operators: the definition of what the hardware computes. Sums are taken modulo 2^64; the inferred
 * ranges keep every true value far inside it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "exec/kernel_common.h"
#include "exec/normalize.h"
#include "exec/product.h"
#include "exec/softmax.h"
#include "ir/shape/geometry.h"
#include "ir/shape/normalize_integer.h"
#include "quant/arithmetic.h"
#include "quant/contract.h"
#include "support/memory/arena.h"

/* Linear: outputs accumulated at once, inputs widened at once, and codes of a byte. */
enum { OUTPUT_BLOCK = 64, INPUT_BLOCK = 512, LINEAR_BLOCK = 8192 };

#define DOT(c_type)                                                                                                    \
    do {                                                                                                               \
        const c_type *weight = (const c_type *)w->data + first;                                                        \
        for (size_t k = 0; k < count; k++) sum += (uint64_t)weight[k] * (uint64_t)x[k];                                \
    } while (0)

/* Product of `count` weights from element `first` on with x. */
static uint64_t dot(const weir_array *w, size_t first, size_t count, const int64_t *x) {
    assert(first <= w->count && count <= w->count - first);
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

/* The shape of a Linear: row r of x, of `inner` codes, gives `columns` sums with matrix r % group of w. */
typedef struct linear {
    const weir_array *x, *w;
    weir_array *y;
    size_t group, columns, inner, rows;
} linear;

/* Any codes. */
static void multiply(const linear *l) {
    int64_t wide[INPUT_BLOCK];
    uint64_t sum[OUTPUT_BLOCK];
    for (size_t row = 0; row < l->rows; row++) {
        const size_t matrix = row % l->group * l->columns;
        for (size_t first = 0; first < l->columns; first += OUTPUT_BLOCK) {
            const size_t count = l->columns - first < OUTPUT_BLOCK ? l->columns - first : OUTPUT_BLOCK;
            for (size_t n = 0; n < count; n++) sum[n] = 0;
            for (size_t from = 0; from < l->inner; from += INPUT_BLOCK) {
                const size_t taken = l->inner - from < INPUT_BLOCK ? l->inner - from : INPUT_BLOCK;
                weir_kernel_load(l->x, row * l->inner + from, taken, wide);
                for (size_t n = 0; n < count; n++)
                    sum[n] += dot(l->w, (matrix + first + n) * l->inner + from, taken, wide);
            }
            for (size_t n = 0; n < count; n++) weir_array_set_int(l->y, row * l->columns + first + n, (int64_t)sum[n]);
        }
    }
}

static bool is_byte(const weir_array *array) { return array->dtype == WEIR_INT8 || array->dtype == WEIR_UINT8; }

/* Where sums of 32 bits can be written as they are; NULL: nowhere. */
static int32_t *sums_of(weir_array *array) { return array->dtype == WEIR_INT32 ? array->data : NULL; }

/* Rows of `inner` bytes from row `first` on, each padded to `pitch` codes. */
static void widen(const weir_array *array, size_t first, size_t rows, size_t inner, size_t pitch, int16_t *to) {
    assert(is_byte(array) && inner <= pitch && (first + rows) * inner <= array->count);
    for (size_t row = 0; row < rows; row++, to += pitch) {
        const size_t at = (first + row) * inner;
        if (array->dtype == WEIR_INT8) {
            const int8_t *from = (const int8_t *)array->data + at;
            for (size_t k = 0; k < inner; k++) to[k] = from[k];
        } else {
            const uint8_t *from = (const uint8_t *)array->data + at;
            for (size_t k = 0; k < inner; k++) to[k] = from[k];
        }
        memset(to + inner, 0, (pitch - inner) * sizeof *to);
    }
}

/* Codes of a padded row. */
static size_t pitch_of(size_t inner) { return (inner + WEIR_PRODUCT_STEP - 1) / WEIR_PRODUCT_STEP * WEIR_PRODUCT_STEP; }

/* Matrix g of w as weir_product_codes reads it. */
static void arrange(const weir_array *w, size_t g, size_t columns, size_t inner, int16_t *to) {
    widen(w, g * columns, columns, inner, pitch_of(inner), to);
    weir_product_arrange(to, columns, pitch_of(inner), weir_instructions_best());
}

/* Codes of a byte, whose sums fit 32 bits, with matrix g, arranged: the rows in blocks that stay near the processor. */
static void multiply_group(const linear *l, size_t g, const int16_t *w) {
    assert(g < l->group && l->rows % l->group == 0);
    const size_t pitch = pitch_of(l->inner), lines = l->rows / l->group;
    const size_t most = pitch < LINEAR_BLOCK / 2 ? LINEAR_BLOCK / (pitch + 1) : 2, block = lines < most ? lines : most;
    const weir_instructions level = weir_instructions_best();
    int32_t *direct = l->group == 1 ? sums_of(l->y) : NULL;
    int32_t *sum = direct != NULL ? NULL : weir_malloc((block + 1) * l->columns * sizeof *sum);
    int16_t *x = weir_malloc((block + 1) * pitch * sizeof *x);
    for (size_t first = 0; first < lines; first += block) {
        const size_t count = lines - first < block ? lines - first : block;
        for (size_t i = 0; i < count; i++) widen(l->x, (first + i) * l->group + g, 1, l->inner, pitch, x + i * pitch);
        int32_t *to = direct == NULL ? sum : direct + first * l->columns;
        weir_product_codes(x, count, w, l->columns, pitch, to, level);
        for (size_t i = 0; direct == NULL && i < count; i++)
            weir_kernel_store_narrow(l->y, ((first + i) * l->group + g) * l->columns, l->columns, sum + i * l->columns);
    }
    free(x);
    free(sum);
}

static void multiply_bytes(const linear *l) {
    int16_t *w = weir_malloc(l->columns * pitch_of(l->inner) * sizeof *w);
    for (size_t g = 0; g < l->group; g++) {
        arrange(l->w, g, l->columns, l->inner, w);
        multiply_group(l, g, w);
    }
    free(w);
}

/* The same with one column a matrix, as in depthwise convolutions: rows of x with rows of w, one by one. */
static void multiply_lines(const linear *l) {
    const size_t pitch = pitch_of(l->inner), size = l->group * l->inner;
    const weir_instructions level = weir_instructions_best();
    int16_t *w = weir_malloc(l->group * pitch * sizeof *w), *x = weir_malloc((size + pitch) * sizeof *x);
    int32_t *sum = weir_malloc(l->group * sizeof *sum), *direct = sums_of(l->y);
    widen(l->w, 0, l->group, l->inner, pitch, w);
    for (size_t first = 0; first < l->rows; first += l->group) {
        widen(l->x, first / l->group, 1, size, size + pitch, x);
        weir_product_lines(x, l->inner, w, pitch, l->group, direct == NULL ? sum : direct + first, level);
        if (direct == NULL) weir_kernel_store_narrow(l->y, first, l->group, sum);
    }
    free(sum);
    free(x);
    free(w);
}

/* The rows of x where those of `count` neighbouring groups come element by element. */
static weir_array *separate(const weir_array *x, size_t inner, size_t count) {
    assert(inner > 0 && count > 0 && x->count % (count * inner) == 0);
    weir_array *rows = weir_array_new(x->dtype, &x->shape);
    for (size_t first = 0; first < x->count; first += count * inner) {
        for (size_t i = 0; i < count * inner; i++)
            weir_array_set_int(rows, first + i % count * inner + i / count, weir_array_get_int(x, first + i));
    }
    return rows;
}

static linear linear_of(const weir_graph *graph, weir_node node, const weir_array *x, const weir_array *w,
                        weir_array *y) {
    assert(w->shape.rank == 2 && weir_node_op(graph, node) == WEIR_OP_LINEAR);
    linear l = {.x = x, .w = w, .y = y};
    l.group = (size_t)weir_node_int(graph, node, "group", 1);
    assert(l.group > 0 && (size_t)w->shape.dim[0] % l.group == 0);
    l.columns = (size_t)w->shape.dim[0] / l.group;
    l.inner = (size_t)w->shape.dim[1];
    l.rows = l.columns == 0 ? 0 : y->count / l.columns;
    return l;
}

void weir_kernel_LINEAR(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                        weir_array *const *outputs) {
    linear l = linear_of(graph, node, inputs[0], inputs[1], outputs[0]);
    const size_t interleave = (size_t)weir_node_int(graph, node, "interleave", 1);
    weir_array *rows = interleave > 1 ? separate(l.x, l.inner, interleave) : NULL;
    if (rows != NULL) l.x = rows;
    const bool narrow = is_byte(l.x) && is_byte(l.w) && weir_kernel_is_narrow((int64_t)l.inner);
    if (!narrow) multiply(&l);
    else if (l.columns == 1 && l.group > 1) multiply_lines(&l);
    else multiply_bytes(&l);
    weir_array_free(rows);
}

/* ca * a + cb * b of tensors of one shape. */
static void add_same(const weir_array *a, uint64_t ca, const weir_array *b, uint64_t cb, weir_array *y) {
    assert(a->count == y->count && b->count == y->count);
    int64_t left[INPUT_BLOCK], right[INPUT_BLOCK];
    for (size_t first = 0, count; first < y->count; first += count) {
        count = y->count - first < INPUT_BLOCK ? y->count - first : INPUT_BLOCK;
        weir_kernel_load(a, first, count, left);
        weir_kernel_load(b, first, count, right);
        for (size_t k = 0; k < count; k++) left[k] = (int64_t)(ca * (uint64_t)left[k] + cb * (uint64_t)right[k]);
        weir_kernel_store(y, first, count, left);
    }
}

void weir_kernel_SUM(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                     weir_array *const *outputs) {
    const weir_array *a = inputs[0], *b = inputs[1];
    weir_array *y = outputs[0];
    const uint64_t ca = (uint64_t)weir_node_int(graph, node, "ca", 1);
    const uint64_t cb = (uint64_t)weir_node_int(graph, node, "cb", 1);
    if (weir_shape_equal(&a->shape, &y->shape) && weir_shape_equal(&b->shape, &y->shape)) {
        add_same(a, ca, b, cb, y);
        return;
    }
    const weir_broadcast from_a = weir_broadcast_of(&a->shape, &y->shape);
    const weir_broadcast from_b = weir_broadcast_of(&b->shape, &y->shape);
    for (size_t i = 0; i < y->count; i++) {
        const uint64_t va = (uint64_t)weir_array_get_int(a, weir_broadcast_index(&from_a, i));
        const uint64_t vb = (uint64_t)weir_array_get_int(b, weir_broadcast_index(&from_b, i));
        weir_array_set_int(y, i, (int64_t)(ca * va + cb * vb));
    }
}

void weir_kernel_MULTIPLY(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                          weir_array *const *outputs) {
    const weir_array *a = inputs[0], *b = inputs[1];
    weir_array *y = outputs[0];
    const int64_t za = weir_node_int(graph, node, "za", 0), zb = weir_node_int(graph, node, "zb", 0);
    const weir_broadcast from_a = weir_broadcast_of(&a->shape, &y->shape);
    const weir_broadcast from_b = weir_broadcast_of(&b->shape, &y->shape);
    for (size_t i = 0; i < y->count; i++) {
        const int64_t va = weir_array_get_int(a, weir_broadcast_index(&from_a, i)) - za;
        const int64_t vb = weir_array_get_int(b, weir_broadcast_index(&from_b, i)) - zb;
        weir_array_set_int(y, i, va * vb);
    }
}

/* The matrices of a page as [matrices, columns, inner], from the elements in the order in which they come. */
static void place_matrices(const weir_array *b, size_t first, size_t count, const int64_t *position, int64_t *matrix) {
    int64_t block[INPUT_BLOCK];
    for (size_t i = 0, now; i < count; i += now) {
        now = count - i < INPUT_BLOCK ? count - i : INPUT_BLOCK;
        weir_kernel_load(b, first + i, now, block);
        for (size_t k = 0; k < now; k++) matrix[position[i + k]] = block[k];
    }
}

void weir_kernel_PRODUCT(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                         weir_array *const *outputs) {
    weir_matrices p;
    weir_geometry_matrices(graph, node, &p);
    const size_t elements = (size_t)(p.matrices * p.columns * p.inner), inner = (size_t)p.inner,
                 columns = (size_t)p.columns, rows = (size_t)p.rows;
    int64_t *position = weir_malloc((elements + rows) * sizeof *position), *own = position + elements;
    int64_t *matrix = weir_malloc((elements + inner + columns) * sizeof *matrix), *x = matrix + elements;
    int64_t *y = x + inner;
    weir_geometry_walk(p.loops, p.size, p.stride, position);
    weir_geometry_walk(p.row_loops, p.row_size, p.row_stride, own);
    for (size_t page = 0; page < (size_t)p.pages; page++) {
        place_matrices(inputs[1], page * elements, elements, position, matrix);
        for (size_t row = 0; row < rows; row++) {
            const int64_t *w = matrix + (size_t)own[row] * columns * inner;
            weir_kernel_load(inputs[0], (page * rows + row) * inner, inner, x);
            for (size_t n = 0; n < columns; n++, w += inner) {
                y[n] = 0;
                for (size_t k = 0; k < inner; k++) y[n] += x[k] * w[k];
            }
            weir_kernel_store(outputs[0], (page * rows + row) * columns, columns, y);
        }
    }
    free(position);
    free(matrix);
}

static size_t last_size(const weir_shape *shape) { return shape->rank == 0 ? 1 : (size_t)shape->dim[shape->rank - 1]; }

/* Index of channel c's parameter among `count` of them, one of which serves all. */
static inline size_t own(size_t c, size_t count) { return count == 1 ? 0 : c; }

/* Each code of y is the expression of the `code` of x there, and of its channel c. */
#define EACH(x, y, expression)                                                                                         \
    do {                                                                                                               \
        const size_t channels = last_size(&(x)->shape);                                                                \
        int64_t block[INPUT_BLOCK];                                                                                    \
        size_t c = 0;                                                                                                  \
        for (size_t first = 0, count; first < (x)->count; first += count) {                                            \
            count = (x)->count - first < INPUT_BLOCK ? (x)->count - first : INPUT_BLOCK;                               \
            weir_kernel_load(x, first, count, block);                                                                  \
            for (size_t k = 0; k < count; k++) {                                                                       \
                const int64_t code = block[k];                                                                         \
                block[k] = expression;                                                                                 \
                c = c + 1 == channels ? 0 : c + 1;                                                                     \
            }                                                                                                          \
            weir_kernel_store(y, first, count, block);                                                                 \
        }                                                                                                              \
    } while (0)

/* Clip bounds of a cast: attributes low and high, by default all codes of the output. */
static void clip_bounds(const weir_graph *graph, weir_node node, int64_t *low, int64_t *high) {
    weir_quant_limits(&weir_kernel_output_type(graph, node)->quant, low, high);
    *low = weir_node_int(graph, node, "low", *low);
    *high = weir_node_int(graph, node, "high", *high);
    assert(*low <= *high);
}

/* What weir_requantize_onnx_all takes of a Requantize that is a product: by channel. */
typedef struct products {
    float *factor;
    int32_t *centre;
    weir_narrow to;
} products;

/* False: its codes are too wide, or the results' zero points differ. */
static bool are_narrow(const weir_type *x, const weir_requantizer *r, size_t channels, products *p) {
    const int64_t zero = weir_quant_zero(r->to, 0);
    bool narrow =
        x->has_range && x->low >= INT32_MIN && x->high <= INT32_MAX && weir_narrow_of(zero, r->low, r->high, &p->to);
    for (size_t n = 0; n < channels && narrow; n++) {
        const int64_t centre = weir_quant_zero(r->from, (int64_t)n);
        narrow = weir_quant_zero(r->to, (int64_t)n) == zero && centre >= x->high - INT32_MAX &&
                 centre <= x->low - INT32_MIN && centre >= INT32_MIN && centre <= INT32_MAX;
        p->centre[n] = (int32_t)centre;
    }
    return narrow;
}

/* A position's channels at once. */
static void requantize_narrow(const weir_array *x, const products *p, size_t channels, weir_array *y) {
    assert(channels > 0 && x->count % channels == 0);
    const weir_instructions level = weir_instructions_best();
    int32_t *from = weir_malloc(2 * channels * sizeof *from), *to = from + channels;
    for (size_t first = 0; first < x->count; first += channels) {
        const int32_t *sums = x->dtype == WEIR_INT32 ? (const int32_t *)x->data + first : from;
        if (sums == from) weir_kernel_load_narrow(x, first, channels, from);
        if (is_byte(y)) {
            weir_requantize_onnx_bytes(sums, p->centre, p->factor, channels, p->to, (uint8_t *)y->data + first, level);
        } else {
            weir_requantize_onnx_all(sums, p->centre, p->factor, channels, p->to, to);
            weir_kernel_store_narrow(y, first, channels, to);
        }
    }
    free(from);
}

static void requantize_wide(const weir_array *x, const weir_requantizer *r, size_t factors, weir_array *y) {
    assert(factors > 0 && x->count == y->count);
    weir_channel_product *product = weir_malloc((factors + 1) * sizeof *product);
    for (size_t n = 0; n < factors; n++) product[n] = weir_requantizer_product(r, (int64_t)n);
    EACH(x, y, weir_channel_product_apply(&product[c], code));
    free(product);
}

void weir_kernel_REQUANTIZE(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                            weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    weir_requantizer requantizer;
    weir_requantizer_of(graph, node, &requantizer);
    const weir_requantizer *r = &requantizer;
    if (!weir_requantizer_is_product(r)) {
        EACH(x, outputs[0], weir_requantizer_apply(r, (int64_t)c, code));
        return;
    }
    const size_t factors = last_size(&x->shape);
    products p = {.factor = weir_malloc(factors * sizeof *p.factor), .centre = weir_malloc(factors * sizeof *p.centre)};
    for (size_t n = 0; n < factors; n++) p.factor[n] = weir_requantizer_multiplier(r, (int64_t)n);
    if (are_narrow(weir_kernel_input_type(graph, node, 0), r, factors, &p))
        requantize_narrow(x, &p, factors, outputs[0]);
    else requantize_wide(x, r, factors, outputs[0]);
    free(p.centre);
    free(p.factor);
}

/* --- what depends on constants only, once --- */

struct weir_kernel_plan {
    linear linear;    /* without rows, x and y */
    const int16_t *w; /* its matrices, arranged; NULL: it is a Requantize */
    products products;
    size_t channels;
};

static weir_kernel_plan *plan_linear(weir_arena *arena, const weir_graph *graph, weir_node node,
                                     const weir_array *const *inputs, weir_array *const *outputs) {
    const linear l = linear_of(graph, node, inputs[0], inputs[1], outputs[0]);
    const bool narrow = is_byte(l.x) && is_byte(l.w) && weir_kernel_is_narrow((int64_t)l.inner);
    if (!narrow || l.columns == 0 || (l.columns == 1 && l.group > 1) || weir_node_int(graph, node, "interleave", 1) > 1)
        return NULL;
    weir_kernel_plan *plan = weir_arena_alloc(arena, sizeof *plan);
    const size_t matrix = l.columns * pitch_of(l.inner);
    int16_t *w = weir_arena_array(arena, l.group * matrix, sizeof *w);
    for (size_t g = 0; g < l.group; g++) arrange(l.w, g, l.columns, l.inner, w + g * matrix);
    *plan = (weir_kernel_plan){.linear = l, .w = w};
    return plan;
}

static weir_kernel_plan *plan_requantize(weir_arena *arena, const weir_graph *graph, weir_node node,
                                         const weir_array *const *inputs) {
    weir_requantizer r;
    weir_requantizer_of(graph, node, &r);
    if (!weir_requantizer_is_product(&r)) return NULL;
    const size_t channels = last_size(&inputs[0]->shape);
    weir_kernel_plan *plan = weir_arena_alloc(arena, sizeof *plan);
    *plan = (weir_kernel_plan){.channels = channels};
    plan->products.factor = weir_arena_array(arena, channels, sizeof *plan->products.factor);
    plan->products.centre = weir_arena_array(arena, channels, sizeof *plan->products.centre);
    for (size_t n = 0; n < channels; n++) plan->products.factor[n] = weir_requantizer_multiplier(&r, (int64_t)n);
    return are_narrow(weir_kernel_input_type(graph, node, 0), &r, channels, &plan->products) ? plan : NULL;
}

weir_kernel_plan *weir_kernel_plan_new(weir_arena *arena, const weir_graph *graph, weir_node node,
                                       const weir_array *const *inputs, weir_array *const *outputs) {
    const weir_op op = weir_node_op(graph, node);
    if (op == WEIR_OP_LINEAR) return plan_linear(arena, graph, node, inputs, outputs);
    return op == WEIR_OP_REQUANTIZE ? plan_requantize(arena, graph, node, inputs) : NULL;
}

void weir_kernel_run_plan(const weir_kernel_plan *plan, const weir_array *x, weir_array *y) {
    if (plan->w == NULL) {
        requantize_narrow(x, &plan->products, plan->channels, y);
        return;
    }
    linear l = plan->linear;
    l.x = x;
    l.y = y;
    l.rows = y->count / l.columns;
    for (size_t g = 0; g < l.group; g++) multiply_group(&l, g, plan->w + g * l.columns * pitch_of(l.inner));
}

void weir_kernel_CAST_CODES(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                            weir_array *const *outputs) {
    const weir_array *x = inputs[0], *add = inputs[1];
    const int left = (int)weir_node_int(graph, node, "left", 0), shift = (int)weir_node_int(graph, node, "shift", 0);
    weir_rounding rounding = WEIR_ROUND_FLOOR;
    weir_rounding_parse(weir_node_string(graph, node, "rounding", "floor"), &rounding);
    int64_t low, high;
    clip_bounds(graph, node, &low, &high);
    if (add == NULL) EACH(x, outputs[0], weir_cast(code, 0, left, shift, rounding, low, high));
    else
        EACH(x, outputs[0],
             weir_cast(code, weir_array_get_int(add, own(c, add->count)), left, shift, rounding, low, high));
}

void weir_kernel_SCALE(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                       weir_array *const *outputs) {
    const weir_array *x = inputs[0], *m = inputs[1], *a = inputs[2];
    const int shift = (int)weir_node_int(graph, node, "shift", 0);
    int64_t low, high;
    clip_bounds(graph, node, &low, &high);
    EACH(x, outputs[0],
         weir_requantize_scale(code, weir_array_get_int(m, own(c, m->count)), weir_array_get_int(a, own(c, a->count)),
                               shift, low, high));
}

void weir_kernel_SCALE_FLOAT(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                             weir_array *const *outputs) {
    const weir_array *x = inputs[0], *m = inputs[1], *a = inputs[2];
    const int shift = (int)weir_node_int(graph, node, "shift", 0);
    const int64_t zero = weir_node_int(graph, node, "zero", 0);
    int64_t low, high;
    clip_bounds(graph, node, &low, &high);
    EACH(x, outputs[0],
         weir_requantize_scale_float(code, weir_array_get_int(m, own(c, m->count)),
                                     weir_array_get_int(a, own(c, a->count)), shift, zero, low, high));
}

/* How many of the ascending thresholds are <= x: binary search whose steps are no branches. */
static int64_t passed(const int64_t *thresholds, int64_t count, int64_t x) {
    const int64_t *from = thresholds;
    while (count > 1) {
        const int64_t half = count / 2;
        from += half & -(int64_t)(from[half - 1] <= x);
        count -= half;
    }
    return from - thresholds + (count == 1 && *from <= x ? 1 : 0);
}

/* Ascending thresholds in buckets of 2^shift from the first one on: before bucket b there are start[b]. */
enum { BUCKETS = 2048 };
typedef struct bucketed {
    const int64_t *thresholds;
    int64_t count;
    int shift;
    int64_t start[BUCKETS + 1];
} bucketed;

static uint64_t distance(const bucketed *b, int64_t x) { return (uint64_t)x - (uint64_t)b->thresholds[0]; }

static void fill_buckets(bucketed *b, const int64_t *thresholds, int64_t count) {
    assert(count > 0 && thresholds[0] <= thresholds[count - 1]);
    *b = (bucketed){.thresholds = thresholds, .count = count};
    while (distance(b, thresholds[count - 1]) >> b->shift >= BUCKETS) b->shift++;
    for (int64_t i = 0; i < count; i++) b->start[(distance(b, thresholds[i]) >> b->shift) + 1]++;
    for (size_t k = 0; k < BUCKETS; k++) b->start[k + 1] += b->start[k];
}

static int64_t passed_in_bucket(const bucketed *b, int64_t x) {
    if (x < b->thresholds[0]) return 0;
    const uint64_t at = distance(b, x) >> b->shift;
    if (at >= BUCKETS) return b->count;
    return b->start[at] + passed(b->thresholds + b->start[at], b->start[at + 1] - b->start[at], x);
}

void weir_kernel_THRESHOLD(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                           weir_array *const *outputs) {
    const weir_array *x = inputs[0], *t = inputs[1];
    const int64_t base = weir_node_int(graph, node, "base", 0), step = weir_node_int(graph, node, "step", 1);
    const size_t rows = (size_t)t->shape.dim[0], steps = (size_t)t->shape.dim[1];
    assert(t->dtype == WEIR_INT64 && rows > 0);
    const int64_t *row = (const int64_t *)t->data;
    if (rows == 1 && steps > 0 && x->count > 2 * BUCKETS) {
        bucketed b;
        fill_buckets(&b, row, (int64_t)steps);
        EACH(x, outputs[0], base + step * passed_in_bucket(&b, code));
        return;
    }
    EACH(x, outputs[0], base + step * passed(row + own(c, rows) * steps, (int64_t)steps, code));
}

void weir_kernel_LOOKUP(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                        weir_array *const *outputs) {
    const weir_array *x = inputs[0], *table = inputs[1];
    const int64_t low = weir_node_int(graph, node, "low", 0);
    const size_t rows = (size_t)table->shape.dim[0], codes = (size_t)table->shape.dim[1];
    assert(table->dtype == WEIR_INT64 && rows > 0 && codes > 0);
    const int64_t *row = (const int64_t *)table->data;
    EACH(x, outputs[0], row[own(c, rows) * codes + (size_t)(code - low)]);
}

void weir_kernel_SOFTMAX_CODES(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                               weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    assert(x->shape.rank > 0 && inputs[1]->dtype == WEIR_FLOAT32);
    const size_t length = (size_t)x->shape.dim[x->shape.rank - 1];
    int64_t low, high;
    clip_bounds(graph, node, &low, &high);
    const weir_softmax softmax = {.power = (const float *)inputs[1]->data,
                                  .steps = (float)weir_node_int(graph, node, "steps", 0),
                                  .zero = weir_node_int(graph, node, "zero", 0),
                                  .high = high};
    for (size_t first = 0; first < x->count; first += length)
        weir_softmax_row(&softmax, x, outputs[0], first, length, 1);
}

void weir_kernel_SOFTMAX_INTEGER(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                 weir_array *const *outputs) {
    const weir_array *x = inputs[0], *term = inputs[1], *numerator = inputs[2];
    assert(x->shape.rank > 0 && term->dtype == WEIR_INT64 && numerator->dtype == WEIR_INT64);
    const size_t length = (size_t)x->shape.dim[x->shape.rank - 1];
    int64_t low, high;
    clip_bounds(graph, node, &low, &high);
    const weir_softmax_integer softmax = {.term = (const int64_t *)term->data,
                                          .numerator = (const int64_t *)numerator->data,
                                          .terms = term->count,
                                          .numerators = numerator->count,
                                          .half = (int)weir_node_int(graph, node, "half", 0),
                                          .zero = weir_node_int(graph, node, "zero", 0),
                                          .high = high};
    for (size_t first = 0; first < x->count; first += length)
        weir_softmax_integer_row(&softmax, x, outputs[0], first, length);
}

/* A row from `first` on; quotients are those of C, toward 0. */
static void normalize_row(const weir_array *x, const weir_array *gain, size_t first, size_t length, bool centred,
                          weir_array *y) {
    const int64_t count = (int64_t)length;
    int64_t sum = 0, squares = 0;
    for (size_t i = first; centred && i < first + length; i++) sum += weir_array_get_int(x, i);
    const int64_t mean = sum / count;
    for (size_t i = first; i < first + length; i++) {
        const int64_t away = weir_array_get_int(x, i) - mean;
        squares += away * away;
    }
    const int64_t deviation = weir_normalize_integer_root(squares / count + 1);
    for (size_t i = 0; i < length; i++) {
        const int64_t by = weir_array_get_int(gain, gain->count == 1 ? 0 : i);
        weir_array_set_int(y, first + i, (weir_array_get_int(x, first + i) - mean) * by / deviation);
    }
}

void weir_kernel_NORMALIZE_INTEGER(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                   weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    assert(x->shape.rank > 0 && inputs[1]->dtype == WEIR_INT64);
    const size_t length = (size_t)x->shape.dim[x->shape.rank - 1];
    const bool centred = weir_node_int(graph, node, "centred", 0) != 0;
    for (size_t first = 0; first < x->count; first += length)
        normalize_row(x, inputs[1], first, length, centred, outputs[0]);
}

void weir_kernel_NORMALIZE_CODES(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                 weir_array *const *outputs) {
    weir_normalize n = weir_normalize_of(graph, node);
    n.root = (const int64_t *)inputs[1]->data;
    weir_normalize_parameters p = {
        .gain = inputs[2], .offset = inputs[3], .hold = (size_t)weir_node_int(graph, node, "hold", 1)};
    clip_bounds(graph, node, &p.low, &p.high);
    for (size_t first = 0; first < inputs[0]->count; first += (size_t)n.length)
        weir_normalize_row(&n, &p, inputs[0], outputs[0], first);
}

void weir_kernel_MAXIMUM(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                         weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    assert(x->count == outputs[0]->count);
    const int64_t zero = weir_node_int(graph, node, "zero", 0);
    EACH(x, outputs[0], code > zero ? code : zero);
}
