#include "common/channel_graph.h"

#include <assert.h>
#include <stdlib.h>

#include "ir/shape/infer.h"
#include "support/memory/arena.h"
#include "support/memory/random.h"

enum { MOST = 12 };

typedef struct network {
    weir_graph *graph;
    uint64_t state;
    bool is_zeroed; /* masked channels have no bias either, mostly */
    weir_value value[64];
    size_t count;
} network;

static int64_t below(network *n, int64_t limit) { return (int64_t)(weir_random_next(&n->state) % (uint64_t)limit); }
static bool chance(network *n, int64_t percent) { return below(n, 100) < percent; }
static double real(network *n) { return (double)(below(n, 2001) - 1000) / 1000; }

static const weir_shape *shape_of(const network *n, weir_value value) {
    return &weir_value_type(n->graph, value)->shape;
}

static weir_value infer(network *n, weir_node node) {
    const bool fine = weir_infer_node(n->graph, node);
    assert(fine);
    (void)fine;
    return weir_node_output(n->graph, node, 0);
}

static weir_node put(network *n, weir_op op, const weir_value *inputs, size_t count, size_t outputs) {
    return weir_graph_add_node(n->graph, op, weir_op_get(op)->name, inputs, count, outputs, WEIR_NO_NODE);
}

static weir_value add(network *n, weir_op op, weir_value a, weir_value b) {
    return infer(n, put(n, op, (weir_value[]){a, b}, b.id == 0 ? 1 : 2, 1));
}

static weir_value add_array(network *n, weir_array *array) {
    const weir_value value = weir_graph_add_constant(n->graph, "c", array);
    weir_array_free(array);
    return value;
}

/* Random numbers from `low` on, in a range of 1. */
static weir_value reals(network *n, weir_shape shape, double low) {
    weir_array *array = weir_array_new(WEIR_FLOAT32, &shape);
    for (size_t i = 0; i < array->count; i++) weir_array_set(array, i, low + (double)below(n, 1001) / 1000);
    return add_array(n, array);
}

static weir_value integers(network *n, const int64_t *values, int64_t count) {
    weir_array *array = weir_array_new(WEIR_INT64, &(weir_shape){1, {count}});
    for (int64_t i = 0; i < count; i++) weir_array_set_int(array, (size_t)i, values[i]);
    return add_array(n, array);
}

/* Codes of 8 bits with a scale a channel, and their numbers. */
static weir_value quantized(network *n, weir_value x, int axis) {
    const weir_shape vector = {1, {shape_of(n, x)->dim[axis]}};
    weir_array *zeros = weir_array_new(WEIR_INT8, &vector), *scales = weir_array_new(WEIR_FLOAT32, &vector);
    for (size_t i = 0; i < scales->count; i++) weir_array_set(scales, i, (double)(1 + below(n, 100)) / 2000);
    const weir_value scale = add_array(n, scales), zero = add_array(n, zeros);
    weir_value value = x;
    for (int back = 0; back < 2; back++) {
        const weir_op op = back ? WEIR_OP_DEQUANTIZE_LINEAR : WEIR_OP_QUANTIZE_LINEAR;
        const weir_node node = put(n, op, (weir_value[]){value, scale, zero}, 3, 1);
        weir_node_set_int(n->graph, node, "axis", chance(n, 50) ? axis : axis - shape_of(n, x)->rank);
        value = infer(n, node);
    }
    return value;
}

/* Which of so many channels are masked: the same ones in most layers, each with its own chance in some. */
static void choose(network *n, bool *masked, int64_t count) {
    const bool alike = chance(n, 75);
    for (int64_t k = 0; k < count; k++) masked[k] = alike ? (k * 7 + count) % 5 < 2 : chance(n, 40);
}

/* Weights [outputs, ...] or, transposed, [..., outputs], without what is masked, as constants or behind a Mask. */
static weir_value weights(network *n, weir_shape shape, int axis, const bool *masked) {
    weir_array *w = weir_array_new(WEIR_FLOAT32, &shape), *mask = weir_array_new(WEIR_UINT8, &shape);
    const bool has_mask = chance(n, 60);
    size_t inner = 1;
    for (int i = axis + 1; i < shape.rank; i++) inner *= (size_t)shape.dim[i];
    for (size_t i = 0; i < w->count; i++) {
        const bool stays = !masked[i / inner % (size_t)shape.dim[axis]];
        weir_array_set(w, i, stays || has_mask ? real(n) : 0);
        weir_array_set_int(mask, i, stays);
    }
    const weir_value value = add_array(n, w), keep = add_array(n, mask);
    const weir_value result = has_mask ? add(n, WEIR_OP_MASK, value, keep) : value;
    return chance(n, 20) ? quantized(n, result, axis) : result;
}

static weir_value bias(network *n, int64_t count, const bool *masked) {
    weir_array *b = weir_array_new(WEIR_FLOAT32, &(weir_shape){1, {count}});
    const bool zeroed = n->is_zeroed && chance(n, 80);
    for (int64_t k = 0; k < count; k++) weir_array_set(b, (size_t)k, masked[k] && zeroed ? 0 : real(n));
    return add_array(n, b);
}

static weir_value conv(network *n, weir_value x, int64_t outputs, int64_t groups) {
    const weir_shape *from = shape_of(n, x);
    const int64_t size = from->dim[2] >= 3 && from->dim[3] >= 3 && chance(n, 60) ? 3 : 1,
                  pad = chance(n, 65) ? size / 2 : 0;
    bool masked[64];
    choose(n, masked, outputs);
    const weir_value w = weights(n, (weir_shape){4, {outputs, from->dim[1] / groups, size, size}}, 0, masked);
    weir_value inputs[3] = {x, w, WEIR_NO_VALUE};
    size_t count = 2;
    if (chance(n, 70)) inputs[count++] = bias(n, outputs, masked);
    const weir_node node = put(n, WEIR_OP_CONV, inputs, count, 1);
    weir_node_set_ints(n->graph, node, "kernel_shape", (int64_t[]){size, size}, 2);
    weir_node_set_ints(n->graph, node, "pads", (int64_t[]){pad, pad, pad, pad}, 4);
    weir_node_set_int(n->graph, node, "group", groups);
    return infer(n, node);
}

static weir_value conv_transpose(network *n, weir_value x, int64_t outputs) {
    bool masked[64];
    choose(n, masked, outputs);
    const weir_value w = weights(n, (weir_shape){4, {shape_of(n, x)->dim[1], outputs, 2, 2}}, 1, masked);
    const weir_node node = put(n, WEIR_OP_CONV_TRANSPOSE, (weir_value[]){x, w, bias(n, outputs, masked)}, 3, 1);
    weir_node_set_ints(n->graph, node, "kernel_shape", (int64_t[]){2, 2}, 2);
    return infer(n, node);
}

/* What computes by channel. */
static weir_value elementwise(network *n, weir_value x) {
    const int64_t count = shape_of(n, x)->dim[1];
    const weir_shape vector = {1, {count}}, column = {3, {count, 1, 1}};
    const weir_value none = WEIR_NO_VALUE;
    switch (below(n, 9)) {
    case 0: return add(n, WEIR_OP_RELU, x, none);
    case 1: return add(n, WEIR_OP_SIGMOID, x, none);
    case 2: return add(n, WEIR_OP_PRELU, x, reals(n, column, -0.5));
    case 3: return add(n, WEIR_OP_MUL, reals(n, column, 0.5), x);
    case 4: return add(n, WEIR_OP_ADD, x, reals(n, chance(n, 50) ? column : (weir_shape){0, {0}}, -0.5));
    case 5: {
        const weir_value inputs[5] = {x, reals(n, vector, 0.5), reals(n, vector, -0.5), reals(n, vector, -0.5),
                                      reals(n, vector, 0.5)};
        return infer(n, put(n, WEIR_OP_BATCH_NORMALIZATION, inputs, 5, 1));
    }
    case 6: return add(n, WEIR_OP_ABS, x, none);
    case 7: return quantized(n, x, 1);
    default: return add(n, WEIR_OP_MAX, x, reals(n, column, -0.5));
    }
}

static weir_value pool(network *n, weir_value x) {
    const bool average = chance(n, 50);
    if (shape_of(n, x)->dim[2] < 4 || shape_of(n, x)->dim[3] < 4) return add(n, WEIR_OP_RELU, x, WEIR_NO_VALUE);
    const weir_node node = put(n, average ? WEIR_OP_AVERAGE_POOL : WEIR_OP_MAX_POOL, &x, 1, 1);
    weir_node_set_ints(n->graph, node, "kernel_shape", (int64_t[]){2, 2}, 2);
    if (chance(n, 50)) weir_node_set_ints(n->graph, node, "strides", (int64_t[]){2, 2}, 2);
    if (chance(n, 40)) weir_node_set_ints(n->graph, node, "pads", (int64_t[]){1, 1, 1, 1}, 4);
    if (average && chance(n, 50)) weir_node_set_int(n->graph, node, "count_include_pad", 1);
    return infer(n, node);
}

/* The parts of a value, changed, together again; or a Slice. */
static weir_value parts(network *n, weir_value x) {
    const int64_t count = shape_of(n, x)->dim[1], at = count / 3 + 1;
    if (count < 4) return add(n, WEIR_OP_RELU, x, WEIR_NO_VALUE);
    if (chance(n, 40)) {
        const weir_value inputs[4] = {x, integers(n, (int64_t[]){1}, 1),
                                      integers(n, (int64_t[]){chance(n, 50) ? -1 : INT64_MAX}, 1),
                                      integers(n, (int64_t[]){chance(n, 50) ? 1 : -3}, 1)};
        return infer(n, put(n, WEIR_OP_SLICE, inputs, 4, 1));
    }
    const bool even = count % 2 == 0 && chance(n, 50);
    const weir_value sizes = integers(n, (int64_t[]){at, count - at}, 2);
    const weir_node split = put(n, WEIR_OP_SPLIT, (weir_value[]){x, sizes}, even ? 1 : 2, 2);
    weir_node_set_int(n->graph, split, "axis", 1);
    infer(n, split);
    const weir_value both[2] = {elementwise(n, weir_node_output(n->graph, split, 1)),
                                weir_node_output(n->graph, split, 0)};
    const weir_node joined = put(n, WEIR_OP_CONCAT, both, 2, 1);
    weir_node_set_int(n->graph, joined, "axis", 1);
    return infer(n, joined);
}

/* Channels last and back, with something in between. */
static weir_value transposed(network *n, weir_value x) {
    weir_node node = put(n, WEIR_OP_TRANSPOSE, &x, 1, 1);
    weir_node_set_ints(n->graph, node, "perm", (int64_t[]){0, 2, 3, 1}, 4);
    weir_value y = add(n, WEIR_OP_ADD, infer(n, node), reals(n, (weir_shape){1, {shape_of(n, x)->dim[1]}}, -0.5));
    if (chance(n, 50)) { /* a product by position */
        const int64_t outputs = 3 + below(n, MOST - 3);
        bool masked[64];
        choose(n, masked, outputs);
        y = add(n, WEIR_OP_MATMUL, y, weights(n, (weir_shape){2, {shape_of(n, y)->dim[3], outputs}}, 1, masked));
    }
    node = put(n, WEIR_OP_TRANSPOSE, &y, 1, 1);
    weir_node_set_ints(n->graph, node, "perm", (int64_t[]){0, 3, 1, 2}, 4);
    return infer(n, node);
}

/* Each channel times a number from 0 to 1 that follows from all. */
static weir_value gate(network *n, weir_value x) {
    const int64_t count = shape_of(n, x)->dim[1];
    const weir_value mean = add(n, WEIR_OP_GLOBAL_AVERAGE_POOL, x, WEIR_NO_VALUE);
    bool none[64] = {false};
    const weir_value w = weights(n, (weir_shape){4, {count, count, 1, 1}}, 0, none);
    const weir_value factor = add(n, WEIR_OP_SIGMOID, add(n, WEIR_OP_CONV, mean, w), WEIR_NO_VALUE);
    return add(n, WEIR_OP_MUL, x, factor);
}

static weir_value moved(network *n, weir_value x) {
    const weir_shape shape = *shape_of(n, x);
    if (chance(n, 50)) {
        const int64_t pads[8] = {0, 0, below(n, 2), 1, 0, 0, below(n, 2), 0};
        return infer(n, put(n, WEIR_OP_PAD, (weir_value[]){x, integers(n, pads, 8)}, 2, 1));
    }
    if (shape.dim[2] > 8) return x;
    const int64_t sizes[4] = {1, shape.dim[1], shape.dim[2] * 2, shape.dim[3]};
    const weir_value inputs[4] = {x, WEIR_NO_VALUE, WEIR_NO_VALUE, integers(n, sizes, 4)};
    const weir_node node = put(n, WEIR_OP_RESIZE, inputs, 4, 1);
    weir_node_set_string(n->graph, node, "mode", "nearest");
    weir_node_set_string(n->graph, node, "coordinate_transformation_mode", "asymmetric");
    return infer(n, node);
}

/* With an earlier value of the same shape, or beside one of the same size. */
static weir_value join(network *n, weir_value x) {
    const bool beside = chance(n, 40);
    for (size_t i = (size_t)below(n, (int64_t)n->count), left = n->count; left-- > 0; i = (i + 1) % n->count) {
        const weir_shape *a = shape_of(n, x), *b = shape_of(n, n->value[i]);
        if (n->value[i].id == x.id || a->dim[2] != b->dim[2] || a->dim[3] != b->dim[3]) continue;
        if (!beside && a->dim[1] == b->dim[1]) return add(n, WEIR_OP_ADD, x, n->value[i]);
        if (!beside || a->dim[1] + b->dim[1] > 2 * MOST) continue;
        const weir_node node = put(n, WEIR_OP_CONCAT, (weir_value[]){x, n->value[i]}, 2, 1);
        weir_node_set_int(n->graph, node, "axis", 1);
        return infer(n, node);
    }
    return add(n, WEIR_OP_RELU, x, WEIR_NO_VALUE);
}

static weir_value step(network *n, weir_value x) {
    static const int64_t often[4] = {4, 6, 8, 12};
    const int64_t count = shape_of(n, x)->dim[1];
    switch (below(n, 13)) {
    case 0: return chance(n, 60) || count < 2 ? conv_transpose(n, x, often[below(n, 4)]) : conv(n, x, count, count);
    case 1: return count % 2 == 0 ? conv(n, x, often[below(n, 4)], 2) : conv(n, x, 2 * count, count);
    case 2: return pool(n, x);
    case 3: return parts(n, x);
    case 4: return transposed(n, x);
    case 5: return chance(n, 50) ? gate(n, x) : moved(n, x);
    case 6:
    case 7: return elementwise(n, x);
    case 8:
    case 9: return join(n, x);
    default: return conv(n, x, often[below(n, 4)], 1);
    }
}

/* A vector of the value: the means of its channels, or all elements; then one or two layers. */
static weir_value classify(network *n, weir_value x) {
    weir_value y = x;
    if (chance(n, 50)) {
        const weir_node mean = put(n, WEIR_OP_REDUCE_MEAN, (weir_value[]){x, integers(n, (int64_t[]){2, 3}, 2)}, 2, 1);
        weir_node_set_int(n->graph, mean, "keepdims", below(n, 2));
        y = infer(n, mean);
    }
    const int64_t all[2] = {chance(n, 50) ? 1 : 0, -1};
    y = chance(n, 50) ? add(n, WEIR_OP_FLATTEN, y, WEIR_NO_VALUE) : add(n, WEIR_OP_RESHAPE, y, integers(n, all, 2));
    bool masked[64], none[64] = {false};
    choose(n, masked, 10);
    const bool transposed_weights = chance(n, 50);
    const weir_shape from = {2, {shape_of(n, y)->dim[1], 10}}, to = {2, {10, shape_of(n, y)->dim[1]}};
    const weir_node gemm = put(
        n, WEIR_OP_GEMM,
        (weir_value[]){y, weights(n, transposed_weights ? to : from, !transposed_weights, masked), bias(n, 10, masked)},
        2 + (size_t)below(n, 2), 1);
    weir_node_set_int(n->graph, gemm, "transB", transposed_weights);
    if (chance(n, 30)) weir_node_set_float(n->graph, gemm, "alpha", 0.5);
    if (chance(n, 30)) weir_node_set_float(n->graph, gemm, "beta", 2);
    y = infer(n, gemm);
    if (chance(n, 50)) y = add(n, WEIR_OP_TANH, y, WEIR_NO_VALUE);
    return add(n, WEIR_OP_MATMUL, y, weights(n, (weir_shape){2, {10, 5}}, 1, none));
}

weir_graph *channel_graph(uint64_t seed) {
    const weir_type type = {.dtype = WEIR_FLOAT32, .shape = {4, {1, 3, 8, 8}}, .quant = {.axis = -1}};
    network n = {.graph = weir_graph_new("model"), .state = seed};
    n.is_zeroed = chance(&n, 70);
    weir_value x = conv(&n, weir_graph_add_input(n.graph, "x", &type), 8, 1);
    n.value[n.count++] = x;
    for (int64_t left = 3 + below(&n, 10); left > 0; left--) {
        x = step(&n, chance(&n, 80) ? x : n.value[below(&n, (int64_t)n.count)]);
        n.value[n.count++] = x;
    }
    weir_graph_add_output(n.graph, "y", classify(&n, x));
    if (chance(&n, 15)) weir_graph_add_output(n.graph, "z", n.value[below(&n, (int64_t)n.count)]);
    return n.graph;
}
