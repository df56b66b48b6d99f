/* make_models FOLDER: writes the small quantized networks that the mutants run on, as text IR with their constants, and
 * the frames they take. All numbers come from one seeded generator, so the files never change.
 *   chain     three layers, scales of any value: requantizers
 *   shift     the same with powers of two: casts, with and without an addition
 *   residual  a branch around the second layer: fork, FIFO of registers, add, threshold
 *   wide      the same, wide enough for a FIFO in memory
 *   deep      more weights, one a word, than a memory block is deep
 *   sixteen   16-bit codes: sums of more than 24 bits
 *   relu      Relu on codes whose zero point lies above the lowest code */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ir/graph/graph.h"
#include "ir/graph/print.h"
#include "ir/shape/infer.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/memory/array.h"

typedef struct builder {
    weir_graph *graph;
    uint64_t state;
    bool powers; /* scales are powers of two */
} builder;

/* Uniform in [low, high]. */
static int64_t draw(builder *b, int64_t low, int64_t high) {
    b->state = b->state * 6364136223846793005u + 1442695040888963407u;
    return low + (int64_t)((b->state >> 33) % (uint64_t)(high - low + 1));
}

static double scale_near(builder *b, double scale) {
    return b->powers ? exp2(nearbyint(log2(scale))) : scale * (0.7 + (double)draw(b, 0, 600) / 1000);
}

static weir_value constant(builder *b, const char *name, const char *suffix, weir_array *array) {
    char *full = weir_format("%s%s", name, suffix);
    weir_value value = weir_graph_add_constant(b->graph, full, array);
    free(full);
    weir_array_free(array);
    return value;
}

static weir_value scalar(builder *b, const char *name, const char *suffix, weir_dtype dtype, double number) {
    weir_array *array = weir_array_new(dtype, &(weir_shape){0});
    weir_array_set(array, 0, number);
    return constant(b, name, suffix, array);
}

static weir_value node(builder *b, weir_op op, const char *name, const char *suffix, const weir_value *inputs,
                       size_t count) {
    char *full = weir_format("%s%s", name, suffix);
    weir_node made = weir_graph_add_node(b->graph, op, full, inputs, count, 1, WEIR_NO_NODE);
    free(full);
    if (op == WEIR_OP_GEMM) weir_node_set_int(b->graph, made, "transB", 1);
    if (op == WEIR_OP_DEQUANTIZE_LINEAR) weir_node_set_int(b->graph, made, "axis", 0);
    if (!weir_infer_node(b->graph, made)) exit(1);
    return weir_node_output(b->graph, made, 0);
}

/* QuantizeLinear and DequantizeLinear; *scale is what the codes count in. */
static weir_value quantize(builder *b, const char *name, weir_value x, weir_dtype dtype, double scale, int zero) {
    weir_value inputs[3] = {x, scalar(b, name, "_scale", WEIR_FLOAT32, scale), scalar(b, name, "_zero", dtype, zero)};
    inputs[0] = node(b, WEIR_OP_QUANTIZE_LINEAR, name, "", inputs, 3);
    return node(b, WEIR_OP_DEQUANTIZE_LINEAR, name, "_real", inputs, 3);
}

/* Gemm of x, in codes of `scale`, with int8 weights, a scale an output, and int32 biases up to `bias`. With powers of
 * two, sums are multiples of 32, so that roundings meet ties. */
static weir_value linear(builder *b, const char *name, weir_value x, double scale, int64_t bias, int64_t inputs,
                         int64_t outputs) {
    weir_array *weights = weir_array_new(WEIR_INT8, &(weir_shape){2, {outputs, inputs}});
    weir_array *scales = weir_array_new(WEIR_FLOAT32, &(weir_shape){1, {outputs}});
    weir_array *products = weir_array_new(WEIR_FLOAT32, &(weir_shape){1, {outputs}});
    weir_array *biases = weir_array_new(WEIR_INT32, &(weir_shape){1, {outputs}});
    for (size_t i = 0; i < weights->count; i++)
        weir_array_set_int(weights, i, b->powers ? 32 * draw(b, -3, 3) : draw(b, -127, 127));
    for (size_t n = 0; n < (size_t)outputs; n++) {
        weir_array_set(scales, n, b->powers ? 1.0 / 128 : scale_near(b, 1.0 / 128));
        weir_array_set(products, n, (double)(float)((float)scale * (float)weir_array_get(scales, n)));
        weir_array_set_int(biases, n, draw(b, -bias, bias) & (b->powers ? -32 : -1));
    }
    weir_value w[2] = {constant(b, name, "_weights", weights), constant(b, name, "_weights_scale", scales)};
    weir_value v[2] = {constant(b, name, "_bias", biases), constant(b, name, "_bias_scale", products)};
    weir_value operands[3] = {x, node(b, WEIR_OP_DEQUANTIZE_LINEAR, name, "_weights_real", w, 2),
                              node(b, WEIR_OP_DEQUANTIZE_LINEAR, name, "_bias_real", v, 2)};
    return node(b, WEIR_OP_GEMM, name, "", operands, 3);
}

static weir_value begin(builder *b, const char *name, uint64_t seed, bool powers, int64_t inputs) {
    *b = (builder){weir_graph_new(name), seed, powers};
    weir_type type = {
        .dtype = WEIR_FLOAT32, .shape = {2, {1, inputs}}, .quant = {.format = WEIR_FORMAT_FLOAT, .axis = -1}};
    return weir_graph_add_input(b->graph, "input", &type);
}

static void end(builder *b, weir_value result, const char *folder) {
    weir_graph_add_output(b->graph, "result", result);
    char *path = weir_format("%s/%s.weir", folder, weir_graph_name(b->graph));
    if (!weir_graph_save(b->graph, path)) exit(1);
    free(path);
    weir_graph_free(b->graph);
}

static void chain(const char *folder, const char *name, bool powers) {
    builder b;
    weir_value x = begin(&b, name, 1, powers, 10);
    double s0 = 1.0 / 16, s1 = scale_near(&b, 1.0 / 16), s2 = scale_near(&b, 1.0 / 8);
    x = quantize(&b, "in", x, WEIR_UINT8, s0, powers ? 0 : 3);
    x = quantize(&b, "q1", linear(&b, "fc1", x, s0, 2000, 10, 8), WEIR_UINT8, s1, 0);
    x = quantize(&b, "q2", linear(&b, "fc2", x, s1, powers ? 0 : 2000, 8, 6), WEIR_INT8, s2, powers ? 0 : -5);
    x = quantize(&b, "q3", linear(&b, "fc3", x, s2, 3000, 6, 4), WEIR_UINT8, scale_near(&b, 1.0 / 8), powers ? 0 : 120);
    end(&b, x, folder);
}

static void sixteen(const char *folder) {
    builder b;
    weir_value x = begin(&b, "sixteen", 5, false, 10);
    double s0 = 1.0 / 4096, s1 = 1.0 / 2048;
    x = quantize(&b, "in", x, WEIR_UINT16, s0, 20000);
    x = quantize(&b, "q1", linear(&b, "fc1", x, s0, 2000000, 10, 6), WEIR_INT16, s1, 0);
    x = quantize(&b, "q2", linear(&b, "fc2", x, s1, 2000000, 6, 4), WEIR_UINT16, 1.0 / 512, 30000);
    end(&b, x, folder);
}

static void residual(const char *folder, const char *name, int64_t width) {
    builder b;
    weir_value x = begin(&b, name, 2, false, width);
    double s0 = 1.0 / 16, s1 = scale_near(&b, 1.0 / 8), s2 = scale_near(&b, 1.0 / 4), s3 = scale_near(&b, 1.0 / 4);
    x = quantize(&b, "in", x, WEIR_UINT8, s0, 0);
    weir_value branch[2];
    branch[0] = quantize(&b, "q1", linear(&b, "fc1", x, s0, 2000, width, width), WEIR_UINT8, s1, 0);
    branch[1] = quantize(&b, "q2", linear(&b, "fc2", branch[0], s1, 2000, width, width), WEIR_INT8, s2, 9);
    x = quantize(&b, "q3", node(&b, WEIR_OP_ADD, "add", "", branch, 2), WEIR_UINT8, s3, 30);
    x = quantize(&b, "q4", linear(&b, "fc3", x, s3, 2000, width, 3), WEIR_UINT8, scale_near(&b, 1), 120);
    end(&b, x, folder);
}

static void deep(const char *folder) {
    builder b;
    weir_value x = begin(&b, "deep", 6, false, 64);
    x = quantize(&b, "in", x, WEIR_UINT8, 1.0 / 16, 0);
    x = quantize(&b, "q1", linear(&b, "fc1", x, 1.0 / 16, 2000, 64, 67), WEIR_UINT8, scale_near(&b, 1.0 / 4), 0);
    end(&b, x, folder);
}

static void relu(const char *folder) {
    builder b;
    weir_value x = begin(&b, "relu", 3, false, 10);
    double s0 = 1.0 / 16;
    x = quantize(&b, "in", x, WEIR_UINT8, s0, 100);
    x = node(&b, WEIR_OP_RELU, "positive", "", &x, 1);
    x = quantize(&b, "q1", linear(&b, "fc1", x, s0, 2000, 10, 6), WEIR_INT8, 0.3, 0);
    x = node(&b, WEIR_OP_RELU, "positive_2", "", &x, 1);
    x = quantize(&b, "q2", linear(&b, "fc2", x, 0.3, 2000, 6, 4), WEIR_UINT8, 0.4, 120);
    end(&b, x, folder);
}

static void frames(const char *folder, int64_t count, int64_t width) {
    builder b = {.state = 4};
    weir_array *data = weir_array_new(WEIR_FLOAT32, &(weir_shape){2, {count, width}});
    for (size_t i = 0; i < data->count; i++) weir_array_set(data, i, (double)draw(&b, -60, 200) / 16);
    char *path = weir_format("%s/frames_%d.npy", folder, (int)width);
    if (!weir_npy_write(path, data)) exit(1);
    free(path);
    weir_array_free(data);
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    chain(argv[1], "chain", false);
    chain(argv[1], "shift", true);
    sixteen(argv[1]);
    residual(argv[1], "residual", 6);
    residual(argv[1], "wide", 40);
    deep(argv[1]);
    relu(argv[1]);
    frames(argv[1], 16, 10);
    frames(argv[1], 16, 6);
    frames(argv[1], 16, 40);
    frames(argv[1], 4, 64);
    return 0;
}
