/* make_layers SEED OUT.weir DATA.npy [far]: a random quantized network over a small image or sequence, for what its
 * schedule keeps: convolutions of any kernel (as wide as the rows too), stride, dilation, padding and group, pools,
 * residual sums, branches, Pad, Slice, Resize, Transpose; and frames for it. far: padding and dilations so large that
 * windows, or elements of them, see nothing else. A seed gives the same network on every machine. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/graph/print.h"
#include "ir/shape/geometry.h"
#include "ir/shape/infer.h"
#include "support/memory/random.h"

enum { FRAMES = 6, MOST_ELEMENTS = 700, MOST_LAYERS = 5 };

typedef struct network {
    weir_graph *graph;
    uint64_t random;
    weir_value x; /* [1, channels, size...], dequantized */
    double scale;
    int names;
    bool is_far;
} network;

static int64_t pick(network *n, int64_t low, int64_t high) {
    return low + (int64_t)(weir_random_next(&n->random) >> 33) % (high - low + 1);
}

static bool chance(network *n, int percent) { return pick(n, 0, 99) < percent; }

static const weir_shape *shape_of(const network *n) { return &weir_value_type(n->graph, n->x)->shape; }
static int64_t channels_of(const network *n) { return shape_of(n)->dim[1]; }
static int64_t elements_of(const network *n) {
    size_t count = 0;
    weir_shape_count(shape_of(n), &count);
    return (int64_t)count;
}
static int sizes_of(const network *n) { return shape_of(n)->rank - 2; }

static weir_value constant(network *n, weir_dtype dtype, const weir_shape *shape, const double *numbers) {
    weir_array *array = weir_array_new(dtype, shape);
    for (size_t i = 0; i < array->count; i++) weir_array_set(array, i, numbers[i]);
    const weir_value value = weir_graph_add_constant(n->graph, "c", array);
    weir_array_free(array);
    return value;
}

static weir_value scalar(network *n, weir_dtype dtype, double number) {
    return constant(n, dtype, &(weir_shape){0, {0}}, &number);
}

static weir_value list(network *n, const int64_t *numbers, int count) {
    double copy[2 * WEIR_MAX_RANK];
    for (int i = 0; i < count; i++) copy[i] = (double)numbers[i];
    return constant(n, WEIR_INT64, &(weir_shape){1, {count}}, copy);
}

static weir_node put(network *n, weir_op op, size_t count, const weir_value *inputs) {
    char name[32];
    snprintf(name, sizeof name, "n%d", n->names++);
    return weir_graph_add_node(n->graph, op, name, inputs, count, 1, WEIR_NO_NODE);
}

static weir_value result(network *n, weir_node node) {
    if (!weir_infer_node(n->graph, node)) exit(1);
    return weir_node_output(n->graph, node, 0);
}

static weir_value add(network *n, weir_op op, size_t count, const weir_value *inputs) {
    return result(n, put(n, op, count, inputs));
}

/* To codes and back. */
static weir_value quantized(network *n, weir_value x, double scale) {
    const weir_value s = scalar(n, WEIR_FLOAT32, scale), z = scalar(n, WEIR_INT8, 0);
    const weir_value codes = add(n, WEIR_OP_QUANTIZE_LINEAR, 3, (weir_value[]){x, s, z});
    return add(n, WEIR_OP_DEQUANTIZE_LINEAR, 3, (weir_value[]){codes, s, z});
}

static weir_value weights(network *n, const weir_shape *shape) {
    weir_array *codes = weir_array_new(WEIR_INT8, shape);
    for (size_t i = 0; i < codes->count; i++) weir_array_set_int(codes, i, pick(n, -127, 127));
    const weir_value w = weir_graph_add_constant(n->graph, "w", codes);
    weir_array_free(codes);
    return add(n, WEIR_OP_DEQUANTIZE_LINEAR, 3,
               (weir_value[]){w, scalar(n, WEIR_FLOAT32, 0x1p-7), scalar(n, WEIR_INT8, 0)});
}

/* --- windows --- */

typedef struct window {
    int64_t kernel[2], stride[2], dilation[2], pads[4];
} window;

/* Along an axis of so many: some element of the window sees it, and with `is_pool` at each position. */
static void pick_far(network *n, int64_t size, bool is_pool, window *w, int i, int sizes) {
    enum { MOST_POSITIONS = 12 };
    bool fine = false;
    while (!fine) {
        const int64_t kernel = pick(n, 1, 5), dilation = is_pool ? 1 : pick(n, 1, 4), stride = pick(n, 1, 3);
        const int64_t reach = (kernel - 1) * dilation, most = is_pool ? reach : reach + 2;
        weir_window g = {1, {size}, {0}, {kernel}, {stride}, {dilation}, {pick(n, 0, most)}, {pick(n, 0, most)}};
        const int64_t slack = size + g.begin[0] + g.end[0] - reach - 1;
        int64_t sum = 0, empty = 0;
        g.out[0] = slack < 0 ? 0 : slack / stride + 1;
        for (int64_t o = 0; o < g.out[0]; o++) {
            const int64_t seen = weir_geometry_seen(&g, 0, o);
            sum += seen;
            empty += seen == 0;
        }
        fine = sum > 0 && g.out[0] <= MOST_POSITIONS && !(is_pool && empty > 0);
        w->kernel[i] = kernel;
        w->dilation[i] = dilation;
        w->stride[i] = stride;
        w->pads[i] = g.begin[0];
        w->pads[i + sizes] = g.end[0];
    }
}

/* One that fits the tensor. */
static window random_window(network *n, bool dilates) {
    window w;
    for (int i = 0; n->is_far && i < sizes_of(n); i++)
        pick_far(n, shape_of(n)->dim[i + 2], !dilates, &w, i, sizes_of(n));
    if (n->is_far) return w;
    const int sizes = sizes_of(n);
    for (int i = 0; i < sizes; i++) {
        const int64_t size = shape_of(n)->dim[i + 2], wide = size < 7 ? size : 7;
        w.kernel[i] = chance(n, 20) ? wide : pick(n, 1, wide < 3 ? wide : 3);
        w.dilation[i] = dilates && chance(n, 15) && 2 * (w.kernel[i] - 1) < size ? 2 : 1;
        w.stride[i] = chance(n, 65) ? 1 : 2;
        const int64_t pad = chance(n, 40) ? 0 : (w.kernel[i] - 1) * w.dilation[i] / 2;
        w.pads[i] = pad;
        w.pads[i + sizes] = chance(n, 85) ? pad : pick(n, 0, pad);
    }
    return w;
}

static void set_window(network *n, weir_node node, const window *w, bool dilates) {
    const size_t sizes = (size_t)sizes_of(n);
    weir_node_set_ints(n->graph, node, "kernel_shape", w->kernel, sizes);
    weir_node_set_ints(n->graph, node, "strides", w->stride, sizes);
    weir_node_set_ints(n->graph, node, "pads", w->pads, 2 * sizes);
    if (dilates) weir_node_set_ints(n->graph, node, "dilations", w->dilation, sizes);
}

/* --- layers --- */

/* The sum of so many products of codes of 73 each on average is about 73 * 73 * sqrt(terms). */
static void convolve_by(network *n, const window *w, int64_t outputs, int64_t group) {
    weir_shape shape = {shape_of(n)->rank, {outputs, channels_of(n) / group}};
    double terms = (double)shape.dim[1];
    for (int i = 0; i < sizes_of(n); i++) terms *= (double)(shape.dim[i + 2] = w->kernel[i]);
    const weir_node node = put(n, WEIR_OP_CONV, 2, (weir_value[]){n->x, weights(n, &shape)});
    set_window(n, node, w, true);
    weir_node_set_int(n->graph, node, "group", group);
    n->scale *= 0x1p-7 * 73 * sqrt(terms);
    n->x = quantized(n, result(n, node), n->scale);
    if (chance(n, 50)) n->x = add(n, WEIR_OP_RELU, 1, &n->x);
}

static void convolve(network *n) {
    const window w = random_window(n, true);
    const int64_t channels = channels_of(n);
    if (chance(n, 20)) convolve_by(n, &w, channels, channels);
    else if (channels % 2 == 0 && chance(n, 15)) convolve_by(n, &w, 2 * pick(n, 1, 3), 2);
    else convolve_by(n, &w, pick(n, 1, 6), 1);
}

static void convolve_points(network *n, int64_t outputs) {
    const window w = {{1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}};
    convolve_by(n, &w, outputs, 1);
}

static void pool(network *n) {
    const window w = random_window(n, false);
    const bool average = chance(n, 50);
    const weir_node node = put(n, average ? WEIR_OP_AVERAGE_POOL : WEIR_OP_MAX_POOL, 1, &n->x);
    set_window(n, node, &w, false);
    n->x = quantized(n, result(n, node), n->scale);
}

/* x + f(x), or f(x) beside g(x). */
static void branch(network *n) {
    const weir_value x = n->x;
    const double scale = n->scale;
    const bool joins = chance(n, 50);
    convolve_points(n, joins ? channels_of(n) : pick(n, 1, 3));
    const weir_value left = n->x;
    if (joins) {
        n->scale += scale;
        n->x = quantized(n, add(n, WEIR_OP_ADD, 2, (weir_value[]){left, x}), n->scale);
        return;
    }
    const double beside = n->scale;
    n->x = x;
    n->scale = scale;
    if (chance(n, 50)) convolve_points(n, pick(n, 1, 3));
    n->scale = n->scale > beside ? n->scale : beside;
    const weir_node node = put(n, WEIR_OP_CONCAT, 2, (weir_value[]){left, n->x});
    weir_node_set_int(n->graph, node, "axis", 1);
    n->x = quantized(n, result(n, node), n->scale);
}

static void pad(network *n) {
    const int rank = shape_of(n)->rank;
    int64_t pads[2 * WEIR_MAX_RANK] = {0};
    for (int i = 2; i < rank; i++) {
        pads[i] = pick(n, 0, 1);
        pads[i + rank] = pick(n, 0, 1);
    }
    const weir_value zero = scalar(n, WEIR_FLOAT32, 0);
    n->x = add(n, WEIR_OP_PAD, 3, (weir_value[]){n->x, list(n, pads, 2 * rank), zero});
    n->x = quantized(n, n->x, n->scale);
}

static void slice(network *n) {
    const int64_t axis = shape_of(n)->rank - 1, size = shape_of(n)->dim[axis];
    if (size < 4) return;
    const int64_t start = pick(n, 0, 1), end = size - pick(n, 0, 1), step = chance(n, 70) ? 1 : 2;
    n->x = add(n, WEIR_OP_SLICE, 5,
               (weir_value[]){n->x, list(n, &start, 1), list(n, &end, 1), list(n, &axis, 1), list(n, &step, 1)});
    n->x = quantized(n, n->x, n->scale);
}

static void resize(network *n) {
    const int rank = shape_of(n)->rank;
    double scales[] = {1, 1, 2, 2};
    if (rank != 4 || elements_of(n) > MOST_ELEMENTS / 4) return;
    const weir_value by = constant(n, WEIR_FLOAT32, &(weir_shape){1, {rank}}, scales);
    const weir_node node = put(n, WEIR_OP_RESIZE, 3, (weir_value[]){n->x, WEIR_NO_VALUE, by});
    weir_node_set_string(n->graph, node, "coordinate_transformation_mode", "asymmetric");
    weir_node_set_string(n->graph, node, "nearest_mode", "floor");
    n->x = quantized(n, result(n, node), n->scale);
}

static void transpose(network *n) {
    if (shape_of(n)->rank != 3) return;
    const weir_node node = put(n, WEIR_OP_TRANSPOSE, 1, &n->x);
    weir_node_set_ints(n->graph, node, "perm", (const int64_t[]){0, 2, 1}, 3);
    n->x = quantized(n, result(n, node), n->scale);
}

static void add_layer(network *n) {
    static void (*const layers[])(network *) = {convolve, convolve, convolve, convolve, pool,   pool,
                                                branch,   branch,   pad,      slice,    resize, transpose};
    layers[pick(n, 0, (int64_t)(sizeof layers / sizeof *layers) - 1)](n);
}

/* A classifier of two to nine classes, or none. */
static void finish(network *n) {
    if (chance(n, 40)) return;
    n->x = add(n, WEIR_OP_FLATTEN, 1, &n->x);
    const int64_t features = weir_value_type(n->graph, n->x)->shape.dim[1];
    const weir_value w = weights(n, &(weir_shape){2, {features, pick(n, 2, 9)}});
    n->scale *= 0x1p-7 * 73 * sqrt((double)features);
    n->x = quantized(n, add(n, WEIR_OP_MATMUL, 2, (weir_value[]){n->x, w}), n->scale);
}

static bool write_frames(network *n, const weir_shape *shape, const char *path) {
    weir_shape all = *shape;
    all.dim[0] = FRAMES;
    weir_array *data = weir_array_new(WEIR_FLOAT32, &all);
    for (size_t i = 0; i < data->count; i++) weir_array_set(data, i, (double)pick(n, -128, 127) / 128);
    const bool fine = weir_npy_write(path, data);
    weir_array_free(data);
    return fine;
}

int main(int argc, char **argv) {
    if (argc != 4 && (argc != 5 || strcmp(argv[4], "far") != 0)) {
        fprintf(stderr, "usage: make_layers SEED OUT.weir DATA.npy [far]\n");
        return 2;
    }
    network n = {.graph = weir_graph_new("network"),
                 .random = strtoull(argv[1], NULL, 10),
                 .scale = 1.0 / 128,
                 .is_far = argc == 5};
    const bool is_image = chance(&n, 65);
    const weir_shape shape = {is_image ? 4 : 3, {1, pick(&n, 1, 5), pick(&n, is_image ? 3 : 6, 12), pick(&n, 4, 12)}};
    const weir_type type = {.dtype = WEIR_FLOAT32, .shape = shape, .quant = {.axis = -1}};
    n.x = quantized(&n, weir_graph_add_input(n.graph, "x", &type), n.scale);
    for (int64_t i = pick(&n, 2, MOST_LAYERS); i > 0; i--) {
        if (elements_of(&n) > MOST_ELEMENTS) pool(&n);
        else add_layer(&n);
    }
    finish(&n);
    weir_graph_add_output(n.graph, "y", n.x);
    const bool fine = weir_graph_save(n.graph, argv[2]) && write_frames(&n, &shape, argv[3]);
    weir_graph_free(n.graph);
    return !fine;
}
