/* make_image resnet18|mobilenetv2 SIZE OUT.weir: the two networks on images of SIZE x SIZE x 3 for 1,000 classes, in
 * int8 as exporters write them (NCHW, QuantizeLinear and DequantizeLinear around every layer), with random weights: for
 * what large networks cost, not for what they see. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/graph/print.h"
#include "ir/shape/infer.h"
#include "support/memory/arena.h"
#include "support/memory/random.h"

static weir_graph *graph;
static uint64_t random_state = 1;

static weir_value constant(const weir_array *array) { return weir_graph_add_constant(graph, "c", array); }

static weir_value scalar(weir_dtype dtype, double number) {
    weir_array *array = weir_array_new(dtype, &(weir_shape){0, {0}});
    weir_array_set(array, 0, number);
    const weir_value value = constant(array);
    weir_array_free(array);
    return value;
}

static weir_node add_node(weir_op op, size_t count, const weir_value *inputs) {
    return weir_graph_add_node(graph, op, weir_op_get(op)->name, inputs, count, 1, WEIR_NO_NODE);
}

static weir_value finish(weir_node node) {
    if (!weir_infer_node(graph, node)) exit(1);
    return weir_node_output(graph, node, 0);
}

static weir_value add(weir_op op, size_t count, const weir_value *inputs) {
    return finish(add_node(op, count, inputs));
}

enum { STEPS_OF_ONE = 20 }; /* of activations */

static weir_value quantized(weir_value x) {
    const weir_value scale = scalar(WEIR_FLOAT32, 1.0 / STEPS_OF_ONE), zero = scalar(WEIR_INT8, 0);
    const weir_value codes = add(WEIR_OP_QUANTIZE_LINEAR, 3, (weir_value[]){x, scale, zero});
    return add(WEIR_OP_DEQUANTIZE_LINEAR, 3, (weir_value[]){codes, scale, zero});
}

/* Codes of a normal-like distribution and what they stand for: sums of `terms` products have the size of the inputs. */
static weir_value weights(weir_shape shape, int64_t terms) {
    weir_array *codes = weir_array_new(WEIR_INT8, &shape);
    for (size_t i = 0; i < codes->count; i++) {
        int64_t code = 0;
        for (int k = 0; k < 4; k++) code += (int64_t)(weir_random_next(&random_state) >> 32) % 63 - 31;
        weir_array_set_int(codes, i, code);
    }
    const weir_value w = constant(codes);
    weir_array_free(codes);
    const double spread = 36.4; /* of four numbers in [-31, 31] */
    return add(WEIR_OP_DEQUANTIZE_LINEAR, 3,
               (weir_value[]){w, scalar(WEIR_FLOAT32, sqrt(2.0 / (double)terms) / spread), scalar(WEIR_INT8, 0)});
}

typedef struct layer {
    int64_t in, out, kernel, stride, group;
    bool relu;
} layer;

static weir_value conv(weir_value x, layer l) {
    const int64_t terms = l.in / l.group * l.kernel * l.kernel, pad = (l.kernel - 1) / 2;
    const weir_value w = weights((weir_shape){4, {l.out, l.in / l.group, l.kernel, l.kernel}}, terms);
    const weir_node node = add_node(WEIR_OP_CONV, 2, (weir_value[]){x, w});
    weir_node_set_ints(graph, node, "kernel_shape", (int64_t[]){l.kernel, l.kernel}, 2);
    weir_node_set_ints(graph, node, "strides", (int64_t[]){l.stride, l.stride}, 2);
    weir_node_set_ints(graph, node, "pads", (int64_t[]){pad, pad, pad, pad}, 4);
    weir_node_set_int(graph, node, "group", l.group);
    weir_value y = finish(node);
    if (l.relu) y = add(WEIR_OP_RELU, 1, &y);
    return quantized(y);
}

static weir_value join(weir_value x, weir_value y, bool relu) {
    weir_value sum = add(WEIR_OP_ADD, 2, (weir_value[]){x, y});
    if (relu) sum = add(WEIR_OP_RELU, 1, &sum);
    return quantized(sum);
}

static weir_value classes(weir_value x, int64_t channels) {
    x = quantized(add(WEIR_OP_GLOBAL_AVERAGE_POOL, 1, &x));
    x = add(WEIR_OP_FLATTEN, 1, &x);
    const weir_value w = weights((weir_shape){2, {channels, 1000}}, channels);
    return quantized(add(WEIR_OP_MATMUL, 2, (weir_value[]){x, w}));
}

static weir_value resnet18(weir_value x) {
    static const int64_t width[] = {64, 128, 256, 512};
    x = conv(x, (layer){3, 64, 7, 2, 1, true});
    const weir_node pool = add_node(WEIR_OP_MAX_POOL, 1, &x);
    weir_node_set_ints(graph, pool, "kernel_shape", (int64_t[]){3, 3}, 2);
    weir_node_set_ints(graph, pool, "strides", (int64_t[]){2, 2}, 2);
    weir_node_set_ints(graph, pool, "pads", (int64_t[]){1, 1, 1, 1}, 4);
    x = finish(pool);
    int64_t in = 64;
    for (int block = 0; block < 8; block++) {
        const int64_t out = width[block / 2], stride = out == in ? 1 : 2;
        const weir_value first = conv(x, (layer){in, out, 3, stride, 1, true});
        const weir_value second = conv(first, (layer){out, out, 3, 1, 1, false});
        if (out != in) x = conv(x, (layer){in, out, 1, stride, 1, false});
        x = join(x, second, true);
        in = out;
    }
    return classes(x, in);
}

static weir_value mobilenetv2(weir_value x) {
    static const struct {
        int64_t expansion, out, count, stride;
    } stage[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                 {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
    x = conv(x, (layer){3, 32, 3, 2, 1, true});
    int64_t in = 32;
    for (size_t s = 0; s < sizeof stage / sizeof *stage; s++) {
        for (int64_t i = 0; i < stage[s].count; i++) {
            const int64_t wide = in * stage[s].expansion, out = stage[s].out, stride = i == 0 ? stage[s].stride : 1;
            weir_value y = x;
            if (wide != in) y = conv(y, (layer){in, wide, 1, 1, 1, true});
            y = conv(y, (layer){wide, wide, 3, stride, wide, true});
            y = conv(y, (layer){wide, out, 1, 1, 1, false});
            x = stride == 1 && in == out ? join(x, y, false) : y;
            in = out;
        }
    }
    return classes(conv(x, (layer){in, 1280, 1, 1, 1, true}), 1280);
}

int main(int argc, char **argv) {
    const int64_t size = argc == 4 ? strtol(argv[2], NULL, 10) : 0;
    const bool residual = argc == 4 && strcmp(argv[1], "resnet18") == 0;
    if (size < 32 || size > 1024 || (!residual && strcmp(argv[1], "mobilenetv2") != 0)) {
        fprintf(stderr, "usage: %s resnet18|mobilenetv2 SIZE OUT.weir, SIZE from 32 to 1024\n", argv[0]);
        return 2;
    }
    graph = weir_graph_new(argv[1]);
    const weir_type type = {.dtype = WEIR_FLOAT32, .shape = {4, {1, 3, size, size}}, .quant = {.axis = -1}};
    const weir_value x = quantized(weir_graph_add_input(graph, "image", &type));
    weir_graph_add_output(graph, "scores", residual ? resnet18(x) : mobilenetv2(x));
    const bool fine = weir_graph_save(graph, argv[3]);
    weir_graph_free(graph);
    return !fine;
}
