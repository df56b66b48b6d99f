/* Operators that slide a window: convolution as a matrix product over gathered inputs, pooling as a plain loop. */
#include "exec/kernel_common.h"
#include "quant/arithmetic.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/shape/geometry.h"
#include "ir/shape/layout.h"
#include "support/memory/arena.h"

/* Output positions gathered at a time: bounds the scratch memory of a convolution. */
enum { POSITIONS = 512 };

static size_t product_of(const int64_t *dims, int count) {
    size_t product = 1;
    for (int i = 0; i < count; i++) product *= (size_t)dims[i];
    return product;
}

/* Coordinates of number n, the last spatial dimension fastest. */
static void unravel(const int64_t *size, int rank, size_t n, int64_t *to) {
    assert(rank >= 0 && rank <= WEIR_MAX_RANK);
    for (int i = rank - 1; i >= 0; i--) {
        to[i] = (int64_t)(n % (size_t)size[i]);
        n /= (size_t)size[i];
    }
}

/* To the first output position of the next row along the last spatial dimension. */
static void next_row(const weir_window *w, int64_t *position) {
    position[w->rank - 1] = 0;
    for (int i = w->rank - 2; i >= 0 && ++position[i] == w->out[i]; i--) position[i] = 0;
}

/* Offset in a channel of the input that the window element with coordinates k reads at those of output position p;
 * false: padding. */
static bool find_source(const weir_window *w, const int64_t *p, const int64_t *k, size_t *offset) {
    *offset = 0;
    for (int i = 0; i < w->rank; i++) {
        const int64_t at = p[i] * w->stride[i] + k[i] * w->dilation[i] - w->begin[i];
        if (at < 0 || at >= w->in[i]) return false;
        *offset = *offset * (size_t)w->in[i] + (size_t)at;
    }
    return true;
}

/* The same of their numbers. */
static bool window_source(const weir_window *w, size_t p, size_t k, size_t *offset) {
    int64_t position[WEIR_MAX_RANK], element[WEIR_MAX_RANK];
    unravel(w->out, w->rank, p, position);
    unravel(w->kernel, w->rank, k, element);
    return find_source(w, position, element, offset);
}

/* An image of a convolution with its padding, as far as windows reach: every element of a window is somewhere in it. */
typedef struct padded {
    size_t channels, plane, size; /* bytes an element */
    weir_window window;           /* over it: without padding */
    char *data;
} padded;

static padded new_padded(const weir_window *w, size_t channels, size_t size) {
    assert(w->rank > 0 && w->rank <= WEIR_MAX_RANK && size > 0);
    padded image = {.channels = channels, .size = size, .window = *w};
    for (int i = 0; i < w->rank; i++) {
        image.window.in[i] = (w->out[i] - 1) * w->stride[i] + (w->kernel[i] - 1) * w->dilation[i] + 1;
        image.window.begin[i] = image.window.end[i] = 0;
    }
    image.plane = product_of(image.window.in, w->rank);
    image.data = weir_calloc(channels * image.plane, size);
    return image;
}

/* Takes in the image at element `at` of x, whose window is w. The padding stays zero. */
static void fill_padded(padded *image, const weir_window *w, const weir_array *x, size_t at) {
    const int last = w->rank - 1;
    const size_t plane = product_of(w->in, w->rank), rows = product_of(w->in, last), size = image->size;
    assert(at + image->channels * plane <= x->count);
    const int64_t width = w->in[last], room = image->window.in[last] - w->begin[last];
    const size_t length = (size_t)(room < width ? room : width) * size;
    for (size_t row = 0; row < rows && room > 0; row++) {
        int64_t from[WEIR_MAX_RANK];
        size_t offset = 0;
        bool inside = true;
        unravel(w->in, last, row, from);
        for (int i = 0; i < last; i++) {
            inside = inside && from[i] + w->begin[i] < image->window.in[i];
            offset = offset * (size_t)image->window.in[i] + (size_t)(from[i] + w->begin[i]);
        }
        if (!inside) continue;
        offset = offset * (size_t)image->window.in[last] + (size_t)w->begin[last];
        for (size_t c = 0; c < image->channels; c++)
            memcpy(image->data + (c * image->plane + offset) * size,
                   (const char *)x->data + (at + c * plane + row * (size_t)width) * size, length);
    }
}

#define COPY_STRIDED(c_type)                                                                                           \
    for (size_t p = 0; p < count; p++) ((c_type *)to)[p] = ((const c_type *)from)[p * stride]

/* `count` elements of float32 or float64, `stride` apart. */
static void copy_strided(void *to, const void *from, size_t count, size_t stride, size_t size) {
    assert(size == sizeof(float) || size == sizeof(double) || stride == 1);
    if (stride == 1) memcpy(to, from, count * size);
    else if (size == sizeof(float)) COPY_STRIDED(uint32_t);
    else COPY_STRIDED(uint64_t);
}

/* Rows (channel, window element), columns (`count` output positions from `first` on). */
static void gather(const padded *image, size_t first, size_t count, char *columns) {
    const weir_window *w = &image->window;
    const int last = w->rank - 1;
    const size_t window = product_of(w->kernel, w->rank), stride = (size_t)w->stride[last], size = image->size;
    for (size_t k = 0; k < window; k++) {
        int64_t element[WEIR_MAX_RANK], position[WEIR_MAX_RANK];
        unravel(w->kernel, w->rank, k, element);
        unravel(w->out, w->rank, first, position);
        for (size_t p = 0, run; p < count; p += run) {
            size_t offset;
            run = (size_t)(w->out[last] - position[last]);
            run = run < count - p ? run : count - p;
            find_source(w, position, element, &offset);
            for (size_t c = 0; c < image->channels; c++)
                copy_strided(columns + ((c * window + k) * count + p) * size,
                             image->data + (c * image->plane + offset) * size, run, stride, size);
            next_row(w, position);
        }
    }
}

void weir_kernel_convolve(const weir_graph *graph, weir_node node, const weir_array *x, const weir_array *weights,
                          weir_array *y) {
    assert(x->shape.rank == weights->shape.rank && x->shape.rank == y->shape.rank && x->shape.rank > 2);
    weir_window w;
    weir_geometry_window(graph, node, &x->shape, weights->shape.dim + 2, &w);
    const size_t groups = (size_t)weir_node_int(graph, node, "group", 1);
    const size_t channels = (size_t)weights->shape.dim[1], outputs = (size_t)weights->shape.dim[0] / groups;
    const size_t inner = channels * product_of(w.kernel, w.rank), plane = product_of(w.in, w.rank);
    const size_t positions = product_of(w.out, w.rank), blocks = (size_t)x->shape.dim[0] * groups;
    padded image = new_padded(&w, channels, weir_dtype_size(x->dtype));
    weir_array *columns = weir_array_new(x->dtype, &(weir_shape){2, {(int64_t)inner, POSITIONS}});
    for (size_t block = 0; block < blocks; block++) {
        fill_padded(&image, &w, x, block * channels * plane);
        for (size_t first = 0; first < positions; first += POSITIONS) {
            const size_t count = positions - first < POSITIONS ? positions - first : POSITIONS;
            const weir_product_call call = {
                .rows = outputs, .inner = inner, .columns = count, .pitch = positions, .alpha = 1};
            gather(&image, first, count, columns->data);
            weir_kernel_product(&call, weights, block % groups * outputs * inner, columns, 0, y,
                                block * outputs * positions + first);
        }
    }
    weir_array_free(columns);
    free(image.data);
}

static void add_to(weir_array *y, size_t first, size_t count, double bias) {
    assert(first <= y->count && count <= y->count - first);
    if (y->dtype == WEIR_FLOAT32) {
        for (size_t i = first; i < first + count; i++) ((float *)y->data)[i] += (float)bias;
    } else {
        for (size_t i = first; i < first + count; i++) weir_array_set(y, i, weir_array_get(y, i) + bias);
    }
}

void weir_kernel_CONV(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                      weir_array *const *outputs) {
    const weir_array *bias = inputs[2];
    weir_array *y = outputs[0];
    weir_kernel_convolve(graph, node, inputs[0], inputs[1], y);
    if (bias == NULL) return;
    const size_t plane = product_of(y->shape.dim + 2, y->shape.rank - 2);
    for (size_t first = 0; first < y->count; first += plane)
        add_to(y, first, plane, weir_array_get(bias, first / plane % bias->count));
}

/* Each result is the sum, in float64, of what the window's elements bring from the positions that reach it. */
void weir_kernel_CONV_TRANSPOSE(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                weir_array *const *outputs) {
    const weir_array *x = inputs[0], *weights = inputs[1], *bias = inputs[2];
    weir_array *y = outputs[0];
    weir_window w;
    weir_geometry_transposed(graph, node, &x->shape, weights->shape.dim + 2, &w);
    const size_t group = (size_t)weir_node_int(graph, node, "group", 1), of_group = (size_t)weights->shape.dim[1];
    const size_t channels = (size_t)x->shape.dim[1] / group, results = of_group * group;
    const size_t positions = product_of(w.out, w.rank), plane = product_of(w.in, w.rank);
    const size_t window = product_of(w.kernel, w.rank);
    double *sum = weir_malloc(plane * sizeof *sum);
    for (size_t block = 0; block < (size_t)x->shape.dim[0] * results; block++) {
        const size_t m = block % results, g = m / of_group;
        for (size_t i = 0; i < plane; i++) sum[i] = 0;
        for (size_t c = g * channels; c < (g + 1) * channels; c++) {
            const size_t image = (block / results * (size_t)x->shape.dim[1] + c) * positions;
            const size_t kernel = (c * of_group + m % of_group) * window;
            for (size_t k = 0; k < window; k++) {
                const double weight = weir_array_get(weights, kernel + k);
                for (size_t p = 0; p < positions; p++) {
                    size_t to;
                    if (window_source(&w, p, k, &to)) sum[to] += weir_array_get(x, image + p) * weight;
                }
            }
        }
        const double start = bias == NULL ? 0 : weir_array_get(bias, m);
        for (size_t i = 0; i < plane; i++) weir_array_set(y, block * plane + i, sum[i] + start);
    }
    free(sum);
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

typedef uint8_t row_bytes __attribute__((vector_size(16)));
typedef uint64_t row_halves __attribute__((vector_size(16)));

/* Bytes, or what two or four of them are, of both in turn: of the lower halves, or of the upper ones. */
#define LOWER_1(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define LOWER_2(a, b) __builtin_shufflevector(a, b, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23)
#define UPPER_2(a, b) __builtin_shufflevector(a, b, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31)
#define LOWER_4(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23)
#define UPPER_4(a, b) __builtin_shufflevector(a, b, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31)

static row_bytes load_row(const char *from) {
    uint64_t row;
    memcpy(&row, from, sizeof row);
    return (row_bytes)(row_halves){row, 0};
}

/* Eight bytes of two rows in turn. */
static row_bytes two_rows(const char *const *from, size_t at) {
    const row_bytes one = load_row(from[0] + at), two = load_row(from[1] + at);
    return LOWER_1(one, two);
}

static void store_two(row_bytes rows, char *to, size_t pitch) {
    const uint64_t one = ((row_halves)rows)[0], two = ((row_halves)rows)[1];
    memcpy(to, &one, sizeof one);
    memcpy(to + pitch, &two, sizeof two);
}

/* Eight bytes of each of eight rows become eight rows, `pitch` apart, of eight bytes. */
static void transpose_bytes(const char *const *from, size_t at, char *to, size_t pitch) {
    const row_bytes a = two_rows(from, at), b = two_rows(from + 2, at), c = two_rows(from + 4, at);
    const row_bytes d = two_rows(from + 6, at);
    const row_bytes lower[2] = {LOWER_2(a, b), LOWER_2(c, d)}, upper[2] = {UPPER_2(a, b), UPPER_2(c, d)};
    store_two(LOWER_4(lower[0], lower[1]), to, pitch);
    store_two(UPPER_4(lower[0], lower[1]), to + 2 * pitch, pitch);
    store_two(LOWER_4(upper[0], upper[1]), to + 4 * pitch, pitch);
    store_two(UPPER_4(upper[0], upper[1]), to + 6 * pitch, pitch);
}

/* A window's elements in memory, for the group's channels in runs of `run` bytes: `seen` has where each element's
 * channels are. */
static void copy_window(const char *const *seen, size_t window, size_t group, size_t run, char *to) {
    if (run > 1) {
        for (size_t g = 0; g < group; g++)
            for (size_t k = 0; k < window; k++, to += run) memcpy(to, seen[k] + g * run, run);
        return;
    }
    /* Eight elements of eight groups at a time, the last ones again where fewer are left; then the rest. */
    const size_t groups = window < 8 ? 0 : group / 8 * 8;
    for (size_t k = 0; groups > 0 && k < window; k += 8) {
        const size_t first = k + 8 <= window ? k : window - 8;
        for (size_t g = 0; g < groups; g += 8) transpose_bytes(seen + first, g, to + g * window + first, window);
    }
    for (size_t g = groups; g < group; g++) {
        for (size_t k = 0; k < window; k++) to[g * window + k] = seen[k][g];
    }
}

/* Where element k reads along a dimension at position p: [p * kernel + k], in steps of the elements of an image. In
 * padding it is so far below 0 that its sum with those of other dimensions is. */
static int64_t *sources_along(const weir_window *w, int dimension) {
    assert(dimension >= 0 && dimension < w->rank);
    const int64_t out = w->out[dimension], kernel = w->kernel[dimension];
    const int64_t pitch = (int64_t)product_of(w->in + dimension + 1, w->rank - dimension - 1);
    int64_t *source = weir_malloc((size_t)(out * kernel) * sizeof *source);
    for (int64_t i = 0; i < out * kernel; i++) {
        const int64_t at =
            i / kernel * w->stride[dimension] + i % kernel * w->dilation[dimension] - w->begin[dimension];
        source[i] = at < 0 || at >= w->in[dimension] ? INT64_MIN / WEIR_MAX_RANK : at * pitch;
    }
    return source;
}

/* The windows of a node, one position after the other. */
typedef struct view {
    weir_window window;
    const weir_array *x;
    weir_array *fill;              /* a position's channels in padding */
    size_t positions, plane, taps; /* of a frame; of a window */
    size_t bytes;                  /* of a position's channels */
    int64_t *source[WEIR_MAX_RANK];
    int64_t (*element)[WEIR_MAX_RANK]; /* coordinates of tap k */
    int64_t *last, *row; /* of tap k: its coordinate along the last dimension; where it reads, but for that one */
    const char **seen;   /* where the channels of each tap are */
} view;

static view new_view(const weir_graph *graph, weir_node node, const weir_array *x) {
    assert(x->shape.rank > 0);
    view v = {.x = x};
    weir_geometry_window_innermost(graph, node, &v.window);
    const weir_window *w = &v.window;
    const size_t channels = (size_t)x->shape.dim[x->shape.rank - 1];
    v.bytes = channels * weir_dtype_size(x->dtype);
    v.positions = product_of(w->out, w->rank);
    v.plane = product_of(w->in, w->rank);
    v.taps = product_of(w->kernel, w->rank);
    v.fill = weir_array_new(x->dtype, &(weir_shape){1, {(int64_t)channels}});
    for (size_t c = 0; c < channels; c++) weir_array_set_int(v.fill, c, weir_node_int(graph, node, "fill", 0));
    for (int d = 0; d < w->rank; d++) v.source[d] = sources_along(w, d);
    v.element = weir_malloc(v.taps * sizeof *v.element);
    v.last = weir_malloc(v.taps * sizeof *v.last);
    v.row = weir_malloc(v.taps * sizeof *v.row);
    v.seen = weir_malloc(v.taps * sizeof *v.seen);
    for (size_t k = 0; k < v.taps; k++) {
        unravel(w->kernel, w->rank, transposed(w, k), v.element[k]);
        v.last[k] = v.element[k][w->rank - 1];
    }
    return v;
}

static void free_view(view *v) {
    for (int d = 0; d < v->window.rank; d++) free(v->source[d]);
    free(v->seen);
    free(v->row);
    free(v->last);
    free(v->element);
    weir_array_free(v->fill);
}

/* To the row of positions along the last dimension in which position p of a frame is. */
static void look_at_row(view *v, size_t p) {
    const weir_window *w = &v->window;
    int64_t position[WEIR_MAX_RANK];
    unravel(w->out, w->rank, p, position);
    for (size_t k = 0; k < v->taps; k++) {
        v->row[k] = 0;
        for (int d = 0; d < w->rank - 1; d++) v->row[k] += v->source[d][position[d] * w->kernel[d] + v->element[k][d]];
    }
}

/* At position p, counted over all frames; those of a row are looked at one after the other. */
static void look(view *v, size_t p) {
    const int last = v->window.rank - 1;
    const size_t out = (size_t)v->window.out[last], along = p % out, taps = v->taps;
    const int64_t *source = v->source[last] + along * (size_t)v->window.kernel[last];
    const char *frame = (const char *)v->x->data + p / v->positions * v->plane * v->bytes, *fill = v->fill->data;
    if (along == 0) look_at_row(v, p % v->positions);
    for (size_t k = 0; k < taps; k++) {
        const int64_t offset = v->row[k] + source[v->last[k]];
        v->seen[k] = offset < 0 ? fill : frame + (size_t)offset * v->bytes;
    }
}

/* Each position's window along the last spatial dimension first, in runs of a group's channels. */
void weir_kernel_WINDOW(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                        weir_array *const *outputs) {
    const size_t group = (size_t)weir_node_int(graph, node, "group", 1), frames = (size_t)inputs[0]->shape.dim[0];
    view v = new_view(graph, node, inputs[0]);
    char *to = outputs[0]->data;
    for (size_t p = 0; p < frames * v.positions; p++, to += v.taps * v.bytes) {
        look(&v, p);
        copy_window(v.seen, v.taps, group, v.bytes / group, to);
    }
    free_view(&v);
}

static bool is_byte(weir_dtype dtype) { return dtype == WEIR_INT8 || dtype == WEIR_UINT8; }

bool weir_kernel_is_depthwise(const weir_graph *graph, weir_node window, weir_node linear) {
    if (weir_node_op(graph, window) != WEIR_OP_WINDOW || weir_node_op(graph, linear) != WEIR_OP_LINEAR) return false;
    const weir_type *x = weir_kernel_input_type(graph, window, 0), *w = weir_kernel_input_type(graph, linear, 1);
    const int64_t channels = x->shape.dim[x->shape.rank - 1];
    return weir_node_int(graph, window, "group", 1) == channels &&
           weir_node_int(graph, linear, "group", 1) == channels && weir_node_int(graph, linear, "interleave", 1) == 1 &&
           w->shape.dim[0] == channels && is_byte(x->dtype) && is_byte(w->dtype) &&
           weir_kernel_is_narrow(w->shape.dim[1]);
}

void weir_kernel_depthwise(const weir_graph *graph, weir_node window, const weir_array *x, const weir_array *weights,
                           weir_array *y) {
    assert(weir_node_op(graph, window) == WEIR_OP_WINDOW && is_byte(x->dtype));
    view v = new_view(graph, window, x);
    const size_t channels = v.bytes, frames = (size_t)x->shape.dim[0];
    int16_t *w = weir_malloc(v.taps * channels * sizeof *w);
    int32_t *sum = weir_malloc(channels * sizeof *sum);
    for (size_t c = 0; c < channels; c++) {
        for (size_t k = 0; k < v.taps; k++) w[k * channels + c] = (int16_t)weir_array_get_int(weights, c * v.taps + k);
    }
    const weir_instructions level = weir_instructions_best();
    for (size_t p = 0; p < frames * v.positions; p++) {
        int32_t *to = y->dtype == WEIR_INT32 ? (int32_t *)y->data + p * channels : sum;
        look(&v, p);
        weir_product_taps((const uint8_t *const *)(const void *)v.seen, x->dtype == WEIR_INT8, v.taps, w, channels, to,
                          level);
        if (to == sum) weir_kernel_store_narrow(y, p * channels, channels, sum);
    }
    free(sum);
    free(w);
    free_view(&v);
}

/* Offsets in a channel of what the window sees at position p, not padding; returns how many. */
static size_t find_sources(const weir_window *w, size_t p, size_t *offset) {
    int64_t position[WEIR_MAX_RANK], element[WEIR_MAX_RANK] = {0};
    const size_t window = product_of(w->kernel, w->rank);
    size_t seen = 0;
    unravel(w->out, w->rank, p, position);
    for (size_t k = 0; k < window; k++) {
        seen += find_source(w, position, element, &offset[seen]);
        for (int i = w->rank - 1; i >= 0 && ++element[i] == w->kernel[i]; i--) element[i] = 0;
    }
    return seen;
}

/* A pool of planes: the offsets of what the window sees at a position are found once for all channels. */
typedef struct pool {
    weir_window window;
    size_t positions, plane, channels; /* plane: elements of a channel of the input */
    size_t *offset;                    /* heap */
} pool;

static pool pool_of(const weir_graph *graph, weir_node node, const weir_array *x, const weir_array *y) {
    pool p;
    weir_geometry_window(graph, node, &x->shape, NULL, &p.window);
    p.positions = product_of(p.window.out, p.window.rank);
    p.plane = product_of(p.window.in, p.window.rank);
    p.channels = y->count / p.positions;
    p.offset = weir_malloc((product_of(p.window.kernel, p.window.rank) + 1) * sizeof *p.offset);
    return p;
}

/* Does every window see an element of the image? */
static bool sees_always(const weir_window *w) {
    bool sees = true;
    for (int i = 0; i < w->rank; i++) {
        for (int64_t o = 0; o < w->out[i]; o++) sees = sees && weir_geometry_seen(w, i, o) > 0;
    }
    return sees;
}

static bool is_innermost(const weir_graph *graph, weir_node node, int rank) {
    assert(rank > 0 && rank <= WEIR_MAX_RANK);
    int order[WEIR_MAX_RANK], last[WEIR_MAX_RANK];
    if (!weir_layout_is_changed(graph, node) || !weir_layout_order(graph, node, order)) return false;
    weir_layout_channels_last(rank, last);
    return memcmp(order, last, (size_t)rank * sizeof *order) == 0;
}

#define LARGEST(c_type)                                                                                                \
    for (size_t k = 1; k < v->taps; k++) {                                                                             \
        const c_type *restrict code = (const c_type *)v->seen[k];                                                      \
        for (size_t c = 0; c < channels; c++)                                                                          \
            ((c_type *)to)[c] = code[c] > ((c_type *)to)[c] ? code[c] : ((c_type *)to)[c];                             \
    }

static void take_largest(const view *v, bool is_signed, size_t channels, char *restrict to) {
    memcpy(to, v->seen[0], channels);
    if (is_signed) LARGEST(int8_t)
    else LARGEST(uint8_t)
}

bool weir_kernel_max_codes(const weir_graph *graph, weir_node node, const weir_array *x, weir_array *y) {
    if (!is_byte(x->dtype) || !is_innermost(graph, node, x->shape.rank)) return false;
    view v = new_view(graph, node, x);
    const bool sees = sees_always(&v.window);
    const size_t channels = v.bytes, count = sees ? y->count / channels : 0;
    int64_t lowest, highest;
    weir_dtype_limits(x->dtype, &lowest, &highest);
    for (size_t c = 0; c < channels; c++) weir_array_set_int(v.fill, c, lowest);
    for (size_t p = 0; p < count; p++) {
        look(&v, p);
        take_largest(&v, x->dtype == WEIR_INT8, channels, (char *)y->data + p * channels);
    }
    free_view(&v);
    return sees;
}

void weir_kernel_MAX_POOL(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                          weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    weir_array *y = outputs[0];
    const size_t size = weir_dtype_size(x->dtype);
    const pool of = pool_of(graph, node, x, y);
    for (size_t p = 0; p < of.positions; p++) {
        const size_t seen = find_sources(&of.window, p, of.offset);
        for (size_t c = 0; c < of.channels; c++) {
            const size_t first = c * of.plane, to = c * of.positions + p;
            size_t best = first + (seen > 0 ? of.offset[0] : 0);
            for (size_t k = 1; k < seen; k++)
                if (weir_kernel_compare(x, first + of.offset[k], x, best) > 0) best = first + of.offset[k];
            if (seen > 0) memcpy((char *)y->data + to * size, (const char *)x->data + best * size, size);
            else if (weir_dtype_is_float(y->dtype)) weir_array_set(y, to, -HUGE_VAL); /* dilated past the input */
        }
    }
    free(of.offset);
}

void weir_kernel_GLOBAL_MAX_POOL(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                 weir_array *const *outputs) {
    (void)graph;
    (void)node;
    const weir_array *x = inputs[0];
    weir_array *y = outputs[0];
    const size_t plane = product_of(x->shape.dim + 2, x->shape.rank - 2), size = weir_dtype_size(x->dtype);
    for (size_t i = 0; i < y->count; i++) {
        size_t best = i * plane;
        for (size_t k = best + 1; k < (i + 1) * plane; k++)
            if (weir_kernel_compare(x, k, x, best) > 0) best = k;
        memcpy((char *)y->data + i * size, (const char *)x->data + best * size, size);
    }
}

/* Sums modulo 2^64. */
void weir_kernel_SUM_POOL(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                          weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    weir_array *y = outputs[0];
    const uint64_t zero = (uint64_t)weir_node_int(graph, node, "zero", 0);
    const uint64_t common = (uint64_t)weir_node_int(graph, node, "common", 0);
    const pool of = pool_of(graph, node, x, y);
    int64_t *code = weir_malloc((x->count + 1) * sizeof *code);
    weir_kernel_load(x, 0, x->count, code);
    for (size_t p = 0; p < of.positions; p++) {
        const size_t seen = find_sources(&of.window, p, of.offset);
        for (size_t c = 0; c < of.channels; c++) {
            uint64_t sum = 0;
            for (size_t k = 0; k < seen; k++) sum += (uint64_t)code[c * of.plane + of.offset[k]] - zero;
            weir_array_set_int(y, c * of.positions + p, (int64_t)(common == 0 ? sum : sum * (common / seen)));
        }
    }
    free(code);
    free(of.offset);
}

/* What a window covers at a position, padding included. */
static size_t covered(const weir_window *w, size_t position) {
    assert(w->rank > 0 && w->rank <= WEIR_MAX_RANK);
    int64_t at[WEIR_MAX_RANK];
    size_t count = 1;
    unravel(w->out, w->rank, position, at);
    for (int i = 0; i < w->rank; i++) count *= (size_t)weir_geometry_covered(w, i, at[i]);
    return count;
}

void weir_kernel_AVERAGE_POOL(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                              weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    weir_array *y = outputs[0];
    const bool with_padding = weir_node_int(graph, node, "count_include_pad", 0) != 0;
    const pool of = pool_of(graph, node, x, y);
    for (size_t p = 0; p < of.positions; p++) {
        const size_t seen = find_sources(&of.window, p, of.offset),
                     count = with_padding ? covered(&of.window, p) : seen;
        for (size_t c = 0; c < of.channels; c++) {
            double sum = 0;
            for (size_t k = 0; k < seen; k++) sum += weir_array_get(x, c * of.plane + of.offset[k]);
            weir_array_set(y, c * of.positions + p, count == 0 ? 0 : sum / (double)count);
        }
    }
    free(of.offset);
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

/* ---- of codes ---- */

typedef struct mean_parameters {
    float scale, scale_y; /* scale_y 0: real numbers are wanted */
    int64_t zero, zero_y, low, high;
} mean_parameters;

static mean_parameters read_parameters(const weir_array *const *inputs, const weir_array *y) {
    assert(inputs[1]->dtype == WEIR_FLOAT32);
    mean_parameters p = {.scale = ((const float *)inputs[1]->data)[0],
                         .zero = inputs[2] == NULL ? 0 : weir_array_get_int(inputs[2], 0),
                         .zero_y = inputs[4] == NULL ? 0 : weir_array_get_int(inputs[4], 0)};
    if (inputs[3] != NULL) p.scale_y = ((const float *)inputs[3]->data)[0];
    weir_dtype_limits(weir_dtype_is_float(y->dtype) ? WEIR_INT8 : y->dtype, &p.low, &p.high);
    return p;
}

/* The mean of `count` elements from the sum of their codes, or that as a real number. */
static void store_mean(const mean_parameters *p, int64_t sum, size_t count, weir_array *y, size_t at) {
    assert(count > 0 && at < y->count);
    if (p->scale_y == 0) {
        weir_array_set(y, at, (double)sum * (double)p->scale / (double)count);
        return;
    }
    const float multiplier = p->scale / (p->scale_y * (float)count);
    weir_array_set_int(y, at, weir_requantize_onnx(sum, multiplier, p->zero_y, p->low, p->high));
}

void weir_kernel_QLINEAR_GLOBAL_AVERAGE_POOL(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                             weir_array *const *outputs) {
    (void)graph;
    (void)node;
    const weir_array *x = inputs[0];
    weir_array *y = outputs[0];
    const mean_parameters p = read_parameters(inputs, y);
    const size_t plane = product_of(x->shape.dim + 2, x->shape.rank - 2);
    for (size_t i = 0; i < y->count; i++) {
        int64_t sum = 0;
        for (size_t k = 0; k < plane; k++) sum += weir_array_get_int(x, i * plane + k) - p.zero;
        store_mean(&p, sum, plane, y, i);
    }
}

/* ONNX Runtime adds float32 numbers one after the other; where a window covers all of the image, it has the kernel for
 * that. */
void weir_kernel_QLINEAR_AVERAGE_POOL(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                      weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    weir_array *y = outputs[0];
    const mean_parameters p = read_parameters(inputs, y);
    weir_window w;
    weir_geometry_window(graph, node, &x->shape, NULL, &w);
    const bool with_padding = weir_node_int(graph, node, "count_include_pad", 0) != 0;
    const bool whole = p.scale_y == 0 || weir_geometry_is_all_whole(&w);
    const size_t positions = product_of(w.out, w.rank), plane = product_of(w.in, w.rank);
    const size_t window = product_of(w.kernel, w.rank);
    for (size_t i = 0; i < y->count; i++) {
        size_t seen = 0, offset;
        int64_t sum = 0;
        float real = 0;
        for (size_t k = 0; k < window; k++) {
            if (!window_source(&w, i % positions, k, &offset)) continue;
            const int64_t code = weir_array_get_int(x, i / positions * plane + offset) - p.zero;
            sum += code;
            real += p.scale * (float)code;
            seen++;
        }
        const size_t count = with_padding || seen == 0 ? window : seen;
        if (whole) store_mean(&p, sum, count, y, i);
        else
            weir_array_set_int(y, i,
                               weir_encode_qonnx(real / (float)count, p.scale_y, (float)p.zero_y, WEIR_ROUND_HALF_EVEN,
                                                 p.low, p.high));
    }
}
