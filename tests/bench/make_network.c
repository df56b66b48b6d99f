/* make_network LAYERS SEED OUT.weir: a quantized network (QDQ) of these layers with random weights, for
 * scripts/estimates. make_network frames SHAPE COUNT OUT.npy [integer LOW HIGH]: random frames of such an input, such
 * as 3x8x8.
 *
 * LAYERS are words joined by commas, the input's shape first: 3x12x12 or 16.
 *   c8k3s2   convolution of 8 channels, kernel 3, stride 2 (1), padded so that the size stays, then Relu; C8k3: without
 *            Relu
 *   d3s2     depthwise convolution, kernel 3, stride 2 (1), then Relu
 *   m2s2     MaxPool, kernel 2, stride 2 (as the kernel), padded where the stride is 1
 *   a        GlobalAveragePool
 *   f10      Gemm, flattened before; F10: then Relu
 *   w4       weights of 4 bits (8) from there on
 *   q2       codes of 2 bits (8) behind layers from there on, by Quant; first of all words: of the input, too
 *   x9(...)  the layers in brackets, so many times
 *   r(...)   the layers in brackets, and what they start from added, then Relu; p(..|..|..) branches side by side,
 *            concatenated
 * The seed also chooses the codes of activations (signed or not) and whether weights have a scale a channel. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/graph/graph.h"
#include "ir/graph/print.h"
#include "ir/shape/infer.h"
#include "support/memory/arena.h"
#include "support/memory/array.h"
#include "support/memory/random.h"

typedef struct stream {
    weir_value real;
    double scale;
} stream;

static weir_graph *graph;
static uint64_t state;
static bool is_signed, per_channel;
static int weight_bits = 8, code_bits = 8, number;

static int64_t random_int(int64_t low, int64_t high) {
    return low + (int64_t)(weir_random_next(&state) % ((uint64_t)(high - low) + 1));
}

static const weir_shape *shape_of(weir_value value) { return &weir_value_type(graph, value)->shape; }

static weir_value constant(weir_array *array) {
    char name[32];
    snprintf(name, sizeof name, "k%d", number++);
    const weir_value value = weir_graph_add_constant(graph, name, array);
    weir_array_free(array);
    return value;
}

static weir_value scalar(weir_dtype dtype, double value) {
    weir_array *array = weir_array_new(dtype, &(weir_shape){0, {0}});
    weir_array_set(array, 0, value);
    return constant(array);
}

static weir_node node_of(weir_op op, const char *kind, size_t count, const weir_value *inputs) {
    char name[32];
    snprintf(name, sizeof name, "%s%d", kind, number++);
    return weir_graph_add_node(graph, op, name, inputs, count, 1, WEIR_NO_NODE);
}

static weir_value result(weir_node node) {
    if (!weir_infer_node(graph, node)) exit(1);
    return weir_node_output(graph, node, 0);
}

static weir_value add(weir_op op, const char *kind, size_t count, const weir_value *inputs) {
    return result(node_of(op, kind, count, inputs));
}

/* To codes of few bits and back, unsigned behind a Relu. */
static stream quantized_by_quant(weir_value x, bool positive, double reach) {
    const double scale = (double)(float)(reach / (double)(((int64_t)1 << (code_bits - !positive)) - positive));
    const weir_value parts[] = {x, scalar(WEIR_FLOAT32, scale), scalar(WEIR_FLOAT32, 0),
                                scalar(WEIR_FLOAT32, code_bits)};
    const weir_node node = node_of(WEIR_OP_QUANT, "quant", 4, parts);
    weir_node_set_int(graph, node, "signed", !positive);
    weir_node_set_int(graph, node, "narrow", 0);
    weir_node_set_string(graph, node, "rounding_mode", "ROUND");
    return (stream){result(node), scale};
}

/* To codes and back, of real numbers in [-1, 1] or, behind a Relu, [0, 1], times `reach`. */
static stream quantized(weir_value x, bool positive, double reach) {
    if (code_bits < 8) return quantized_by_quant(x, positive, reach);
    const double scale = (double)(float)(reach * (positive ? 1 : 2) / 255);
    const double zero = (positive ? 0 : 128) - (is_signed ? 128 : 0);
    const weir_value s = scalar(WEIR_FLOAT32, scale), z = scalar(is_signed ? WEIR_INT8 : WEIR_UINT8, zero);
    const weir_value codes = add(WEIR_OP_QUANTIZE_LINEAR, "q", 3, (weir_value[]){x, s, z});
    return (stream){add(WEIR_OP_DEQUANTIZE_LINEAR, "dq", 3, (weir_value[]){codes, s, z}), scale};
}

static double scale_at(size_t i) { return per_channel ? 1 + (double)(i % 5) / 8 : 1; }

/* Codes in [-limit, limit] with scales a channel, their first dimension. */
static weir_value parameters(weir_dtype dtype, const weir_shape *shape, int64_t limit, double scale) {
    const size_t channels = (size_t)shape->dim[0], scales = per_channel ? channels : 1;
    weir_array *codes = weir_array_new(dtype, shape);
    for (size_t i = 0; i < codes->count; i++) weir_array_set_int(codes, i, random_int(-limit, limit));
    const weir_shape all = {per_channel ? 1 : 0, {(int64_t)channels}};
    weir_array *s = weir_array_new(WEIR_FLOAT32, &all), *z = weir_array_new(dtype, &all);
    for (size_t i = 0; i < scales; i++) weir_array_set(s, i, scale * scale_at(i));
    for (size_t i = 0; i < scales; i++) weir_array_set_int(z, i, 0);
    const weir_value parts[] = {constant(codes), constant(s), constant(z)};
    const weir_node node = node_of(WEIR_OP_DEQUANTIZE_LINEAR, "w", 3, parts);
    if (per_channel) weir_node_set_int(graph, node, "axis", 0);
    return result(node);
}

static weir_node product(weir_op op, const char *kind, stream x, const weir_shape *kernel) {
    double inputs = 1;
    for (int i = 1; i < kernel->rank; i++) inputs *= (double)kernel->dim[i];
    const int64_t limit = weight_bits == 1 ? 1 : ((int64_t)1 << (weight_bits - 1)) - 1;
    const double scale = (double)(float)(2 / sqrt(inputs) / (double)limit), sum = (double)(float)(scale * x.scale);
    const weir_value w = parameters(WEIR_INT8, kernel, limit, scale);
    const weir_value bias = parameters(WEIR_INT32, &(weir_shape){1, {kernel->dim[0]}}, (int64_t)(0.2 / sum) + 1, sum);
    return node_of(op, kind, 3, (weir_value[]){x.real, w, bias});
}

static stream activated(weir_value y, bool relu) {
    if (relu) y = add(WEIR_OP_RELU, "relu", 1, &y);
    return quantized(y, relu, 2);
}

static void set_window(weir_node node, int spatial, int64_t kernel, int64_t stride, bool padded) {
    int64_t kernels[2] = {kernel, kernel}, strides[2] = {stride, stride}, pads[4] = {0};
    for (int i = 0; padded && i < 2 * spatial; i++) pads[i] = i < spatial ? (kernel - 1) / 2 : kernel / 2;
    weir_node_set_ints(graph, node, "kernel_shape", kernels, (size_t)spatial);
    weir_node_set_ints(graph, node, "strides", strides, (size_t)spatial);
    weir_node_set_ints(graph, node, "pads", pads, 2 * (size_t)spatial);
}

/* --- words --- */

static int64_t take_number(const char **at, char letter, int64_t otherwise) {
    if (**at != letter) return otherwise;
    char *end;
    const int64_t value = strtoll(*at + 1, &end, 10);
    *at = end;
    return value;
}

static stream convolve(const char **at, stream x) {
    const char kind = **at;
    const weir_shape *shape = shape_of(x.real);
    const int64_t inputs = shape->dim[1];
    const int64_t size = take_number(at, kind, 1);
    const int64_t channels = kind == 'd' ? inputs : size;
    const int64_t side = kind == 'd' ? size : take_number(at, 'k', 1), stride = take_number(at, 's', 1);
    weir_shape kernel = {shape->rank, {channels, kind == 'd' ? 1 : inputs, side, side}};
    const int spatial = shape->rank - 2;
    const weir_node node = product(WEIR_OP_CONV, "conv", x, &kernel);
    set_window(node, spatial, side, stride, true);
    if (kind == 'd') weir_node_set_int(graph, node, "group", inputs);
    return activated(result(node), kind != 'C');
}

static stream pool(const char **at, stream x) {
    const int64_t kernel = take_number(at, 'm', 2), stride = take_number(at, 's', kernel);
    const weir_node node = node_of(WEIR_OP_MAX_POOL, "max", 1, &x.real);
    set_window(node, shape_of(x.real)->rank - 2, kernel, stride, stride == 1);
    return (stream){result(node), x.scale};
}

static stream dense(const char **at, stream x) {
    const char kind = **at;
    const int64_t outputs = take_number(at, kind, 1);
    if (shape_of(x.real)->rank > 2) x.real = add(WEIR_OP_FLATTEN, "flat", 1, &x.real);
    const weir_node node = product(WEIR_OP_GEMM, "gemm", x, &(weir_shape){2, {outputs, shape_of(x.real)->dim[1]}});
    weir_node_set_int(graph, node, "transB", 1);
    return activated(result(node), kind == 'F');
}

static stream layers(const char **at, stream x);

/* r(...) and p(...|...): *at is behind the letter. */
static stream branches(const char **at, stream x, bool adds) {
    enum { MOST = 8 };
    weir_value all[MOST];
    size_t count = 0;
    do {
        ++*at;
        all[count++] = layers(at, x).real;
    } while (**at == '|' && count < MOST);
    ++*at;
    if (adds) return activated(add(WEIR_OP_ADD, "add", 2, (weir_value[]){all[0], x.real}), true);
    const weir_node node = node_of(WEIR_OP_CONCAT, "concat", count, all);
    weir_node_set_int(graph, node, "axis", 1);
    return quantized(result(node), true, 2);
}

static stream repeat(const char **at, stream x) {
    const int64_t times = take_number(at, 'x', 1);
    const char *first = *at + 1;
    for (int64_t i = 0; i < times; i++) {
        *at = first;
        x = layers(at, x);
    }
    ++*at;
    return x;
}

static stream layer(const char **at, stream x) {
    switch (**at) {
    case 'c':
    case 'C':
    case 'd': return convolve(at, x);
    case 'm': return pool(at, x);
    case 'f':
    case 'F': return dense(at, x);
    case 'a': ++*at; return quantized(add(WEIR_OP_GLOBAL_AVERAGE_POOL, "mean", 1, &x.real), true, 2);
    case 'w': weight_bits = (int)take_number(at, 'w', 8); return x;
    case 'q': code_bits = (int)take_number(at, 'q', 8); return x;
    case 'x': return repeat(at, x);
    case 'r': ++*at; return branches(at, x, true);
    case 'p': ++*at; return branches(at, x, false);
    }
    fprintf(stderr, "make_network: error: no layer '%s'\n", *at);
    exit(2);
}

static stream layers(const char **at, stream x) {
    while (**at != '\0' && **at != ')' && **at != '|') {
        x = layer(at, x);
        if (**at == ',') ++*at;
    }
    return x;
}

static weir_shape take_shape(const char **at, int64_t first) {
    weir_shape shape = {1, {first}};
    for (;; ++*at) {
        char *end;
        shape.dim[shape.rank++] = strtoll(*at, &end, 10);
        *at = end;
        if (*end != 'x' || shape.rank == WEIR_MAX_RANK) return shape;
    }
}

static bool make(const char *text, uint64_t seed, const char *file) {
    state = seed;
    is_signed = seed % 2 == 1;
    per_channel = seed / 2 % 2 == 1;
    graph = weir_graph_new("made");
    const weir_type type = {.dtype = WEIR_FLOAT32, .shape = take_shape(&text, 1), .quant = {.axis = -1}};
    if (*text == ',') text++;
    if (*text == 'q') code_bits = (int)take_number(&text, 'q', 8);
    stream x = quantized(weir_graph_add_input(graph, "x", &type), false, 1);
    if (*text == ',') text++;
    x = layers(&text, x);
    weir_graph_add_output(graph, "y", x.real);
    const bool fine = weir_graph_save(graph, file);
    weir_graph_free(graph);
    return fine;
}

static bool make_frames(int count, char **words) {
    const char *text = words[0];
    const weir_shape shape = take_shape(&text, strtoll(words[1], NULL, 10));
    const bool whole = count == 6;
    const int64_t low = whole ? strtoll(words[4], NULL, 10) : -1000, high = whole ? strtoll(words[5], NULL, 10) : 1000;
    weir_array *array = weir_array_new(WEIR_FLOAT32, &shape);
    for (size_t i = 0; i < array->count; i++)
        weir_array_set(array, i, (double)random_int(low, high) / (whole ? 1 : 1000));
    const bool fine = weir_npy_write(words[2], array);
    weir_array_free(array);
    return fine;
}

int main(int argc, char **argv) {
    if (argc >= 5 && strcmp(argv[1], "frames") == 0) return !make_frames(argc - 2, argv + 2);
    if (argc == 4) return !make(argv[1], strtoull(argv[2], NULL, 10), argv[3]);
    fprintf(stderr, "usage: %s LAYERS SEED OUT.weir | frames SHAPE COUNT OUT.npy [integer LOW HIGH]\n", argv[0]);
    return 2;
}
