#include "generator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/graph/verify.h"
#include "ir/shape/infer.h"
#include "support/memory/random.h"

enum { MAX_VALUES = 64, MAX_ELEMENTS = 4096, MAX_STEPS = 22 };

random_source random_from(uint64_t seed) { return (random_source){seed * 0x9E3779B97F4A7C15u + 0x1234567}; }

uint64_t random_bits(random_source *r) { return weir_random_next(&r->state); }

int64_t random_range(random_source *r, int64_t low, int64_t high) {
    return low + (int64_t)(random_bits(r) % ((uint64_t)(high - low) + 1));
}

bool random_chance(random_source *r, int percent) { return random_range(r, 0, 99) < percent; }

typedef struct builder {
    random_source *r;
    weir_graph *graph;
    weir_value value[MAX_VALUES]; /* to build on */
    size_t count;
} builder;

static void must(bool fine, const builder *b, const char *what) {
    if (fine) return;
    fprintf(stderr, "the generator fails at %s, node %zu: %s\n", what, weir_graph_node_count(b->graph),
            weir_diag_last_error());
    abort();
}

static const weir_shape *shape_of(const builder *b, weir_value value) {
    return &weir_value_type(b->graph, value)->shape;
}

static int64_t elements(const weir_shape *shape) {
    int64_t count = 1;
    for (int i = 0; i < shape->rank; i++) count *= shape->dim[i];
    return count;
}

static weir_value pick(builder *b) {
    size_t recent = b->count > 6 && random_chance(b->r, 70) ? b->count - 6 : 0;
    return b->value[random_range(b->r, (int64_t)recent, (int64_t)b->count - 1)];
}

/* A value with this rank, or none. */
static weir_value pick_rank(builder *b, int rank) {
    for (int tries = 0; tries < 12; tries++) {
        weir_value value = pick(b);
        if (shape_of(b, value)->rank == rank) return value;
    }
    return WEIR_NO_VALUE;
}

static weir_value keep(builder *b, weir_value value) {
    if (b->count < MAX_VALUES && elements(shape_of(b, value)) <= MAX_ELEMENTS) b->value[b->count++] = value;
    return value;
}

/* Multiples of 1/8 from -2 to 2: products and sums of a few are exact in float32. */
static double small_real(random_source *r) { return (double)random_range(r, -16, 16) / 8; }

static weir_value constant(builder *b, const weir_shape *shape) {
    weir_array *array = weir_array_new(WEIR_FLOAT32, shape);
    double same = small_real(b->r);
    bool repeated = random_chance(b->r, 20);
    for (size_t i = 0; i < array->count; i++) weir_array_set(array, i, repeated ? same : small_real(b->r));
    weir_value value = weir_graph_add_constant(b->graph, "c", array);
    weir_array_free(array);
    return value;
}

static weir_value positive(builder *b, int64_t count) {
    weir_array *array = weir_array_new(WEIR_FLOAT32, &(weir_shape){1, {count}});
    for (size_t i = 0; i < array->count; i++) weir_array_set(array, i, (double)random_range(b->r, 1, 16) / 4);
    weir_value value = weir_graph_add_constant(b->graph, "p", array);
    weir_array_free(array);
    return value;
}

static weir_value scalar(builder *b, double value) {
    weir_array *array = weir_array_new(WEIR_FLOAT32, &(weir_shape){0, {0}});
    weir_array_set(array, 0, value);
    weir_value result = weir_graph_add_constant(b->graph, "s", array);
    weir_array_free(array);
    return result;
}

static weir_value ints(builder *b, const int64_t *values, int64_t count) {
    weir_array *array = weir_array_new(WEIR_INT64, &(weir_shape){1, {count}});
    for (size_t i = 0; i < array->count; i++) weir_array_set_int(array, i, values[i]);
    weir_value value = weir_graph_add_constant(b->graph, "i", array);
    weir_array_free(array);
    return value;
}

static weir_node node_of(builder *b, weir_op op, const weir_value *inputs, size_t count, size_t outputs) {
    return weir_graph_add_node(b->graph, op, weir_op_get(op)->name, inputs, count, outputs, WEIR_NO_NODE);
}

static weir_value done(builder *b, weir_node node) {
    must(weir_infer_node(b->graph, node), b, weir_node_info(b->graph, node)->full_name);
    return keep(b, weir_node_output(b->graph, node, 0));
}

static weir_value add(builder *b, weir_op op, const weir_value *inputs, size_t count) {
    return done(b, node_of(b, op, inputs, count, 1));
}

/* --- steps of float graphs: each adds nodes, or nothing where no value fits --- */

static void unary(builder *b) {
    static const weir_op ops[] = {WEIR_OP_RELU, WEIR_OP_RELU,       WEIR_OP_NEG,      WEIR_OP_ABS,    WEIR_OP_SIGMOID,
                                  WEIR_OP_TANH, WEIR_OP_LEAKY_RELU, WEIR_OP_IDENTITY, WEIR_OP_DROPOUT};
    weir_op op = ops[random_range(b->r, 0, sizeof ops / sizeof *ops - 1)];
    weir_value x = pick(b);
    weir_node node = node_of(b, op, &x, 1, 1);
    if (op == WEIR_OP_LEAKY_RELU) weir_node_set_float(b->graph, node, "alpha", 0.125);
    done(b, node);
}

/* The square root and the exponential of what they can take. */
static void bounded(builder *b) {
    weir_value x = pick(b);
    if (random_chance(b->r, 50)) {
        weir_value root = add(b, WEIR_OP_ABS, &x, 1);
        add(b, WEIR_OP_SQRT, &root, 1);
    } else {
        weir_value clip[3] = {x, scalar(b, -4), scalar(b, 4)};
        weir_value low = add(b, WEIR_OP_CLIP, clip, 3);
        add(b, WEIR_OP_EXP, &low, 1);
    }
}

/* A constant that broadcasts against the shape; often one of those that simplify. */
static weir_value operand(builder *b, const weir_shape *shape) {
    if (random_chance(b->r, 15)) return scalar(b, random_chance(b->r, 50) ? 1 : 0);
    if (random_chance(b->r, 30)) return scalar(b, small_real(b->r));
    weir_shape part = *shape;
    if (part.rank > 1 && random_chance(b->r, 50)) {
        memmove(part.dim, part.dim + 1, (size_t)(part.rank - 1) * sizeof *part.dim);
        part.rank--;
    }
    for (int i = 0; i < part.rank; i++) {
        if (random_chance(b->r, 40)) part.dim[i] = 1;
    }
    return constant(b, &part);
}

static void binary(builder *b) {
    static const weir_op ops[] = {WEIR_OP_ADD, WEIR_OP_ADD, WEIR_OP_MUL, WEIR_OP_MUL, WEIR_OP_SUB};
    weir_value x = pick(b), y = WEIR_NO_VALUE;
    const weir_shape shape = *shape_of(b, x);
    for (int tries = 0; tries < 6 && y.id == 0 && random_chance(b->r, 80); tries++) {
        weir_value other = pick(b);
        if (weir_shape_equal(shape_of(b, other), &shape)) y = other;
    }
    if (y.id == 0) y = operand(b, &shape);
    weir_value inputs[2] = {x, y};
    weir_op op = ops[random_range(b->r, 0, sizeof ops / sizeof *ops - 1)];
    if (random_chance(b->r, 25)) inputs[0] = y, inputs[1] = x;
    weir_value result = add(b, op, inputs, 2);
    if (random_chance(b->r, 25)) add(b, op, inputs, 2); /* a common subexpression */
    if (op == WEIR_OP_MUL && random_chance(b->r, 60)) add(b, WEIR_OP_TANH, &result, 1);
}

static void divide(builder *b) {
    weir_value x = pick(b);
    weir_value inputs[2] = {x, scalar(b, random_chance(b->r, 30) ? 1 : 4)};
    add(b, WEIR_OP_DIV, inputs, 2);
}

/* Arithmetic on constants alone. */
static void folds(builder *b) {
    weir_shape shape = *shape_of(b, pick(b));
    weir_value inputs[2] = {constant(b, &shape), constant(b, &shape)};
    weir_value sum = add(b, WEIR_OP_ADD, inputs, 2);
    weir_value twice[2] = {sum, scalar(b, 2)};
    add(b, WEIR_OP_MUL, twice, 2);
}

static void reshape(builder *b) {
    weir_value x = pick(b);
    int64_t count = elements(shape_of(b, x)), first = random_range(b->r, 1, 4);
    int64_t wanted[2] = {count % first == 0 ? first : 1, -1};
    weir_value inputs[2] = {x, ints(b, wanted, 2)};
    weir_value y = add(b, WEIR_OP_RESHAPE, inputs, 2);
    if (!random_chance(b->r, 30)) return;
    const weir_shape *shape = shape_of(b, x);
    weir_value back[2] = {y, ints(b, shape->dim, shape->rank)};
    add(b, WEIR_OP_RESHAPE, back, 2);
}

static void flatten(builder *b) {
    weir_value x = pick(b);
    if (shape_of(b, x)->rank > 0) add(b, WEIR_OP_FLATTEN, &x, 1);
}

static void transpose(builder *b) {
    weir_value x = pick(b);
    int rank = shape_of(b, x)->rank;
    int64_t order[WEIR_MAX_RANK], inverse[WEIR_MAX_RANK];
    for (int i = 0; i < rank; i++) order[i] = i;
    for (int i = rank - 1; i > 0; i--) {
        int64_t j = random_range(b->r, 0, i), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    weir_node node = node_of(b, WEIR_OP_TRANSPOSE, &x, 1, 1);
    weir_node_set_ints(b->graph, node, "perm", order, (size_t)rank);
    weir_value y = done(b, node);
    if (!random_chance(b->r, 40)) return;
    for (int i = 0; i < rank; i++) inverse[order[i]] = i;
    node = node_of(b, WEIR_OP_TRANSPOSE, &y, 1, 1);
    weir_node_set_ints(b->graph, node, "perm", inverse, (size_t)rank);
    done(b, node);
}

static void squeeze(builder *b) {
    weir_value x = pick(b);
    int rank = shape_of(b, x)->rank;
    if (rank >= 5) return;
    int64_t axis = random_range(b->r, 0, rank);
    weir_value up[2] = {x, ints(b, &axis, 1)};
    weir_value y = add(b, WEIR_OP_UNSQUEEZE, up, 2);
    weir_value down[2] = {y, ints(b, &axis, 1)};
    if (random_chance(b->r, 60)) add(b, WEIR_OP_SQUEEZE, down, 2);
}

static void concat(builder *b) {
    weir_value x = pick(b), y = WEIR_NO_VALUE;
    for (int tries = 0; tries < 6 && y.id == 0; tries++) {
        weir_value other = pick(b);
        if (weir_shape_equal(shape_of(b, other), shape_of(b, x))) y = other;
    }
    if (y.id == 0 || shape_of(b, x)->rank == 0) return;
    weir_value inputs[2] = {x, y};
    weir_node node = node_of(b, WEIR_OP_CONCAT, inputs, 2, 1);
    weir_node_set_int(b->graph, node, "axis", random_range(b->r, 0, shape_of(b, x)->rank - 1));
    done(b, node);
}

static void slice(builder *b) {
    weir_value x = pick(b);
    const weir_shape shape = *shape_of(b, x);
    if (shape.rank == 0) return;
    int64_t axis = random_range(b->r, 0, shape.rank - 1);
    if (shape.dim[axis] < 2) return;
    int64_t start = random_range(b->r, 0, shape.dim[axis] - 1), end = random_range(b->r, start + 1, shape.dim[axis]);
    weir_value inputs[4] = {x, ints(b, &start, 1), ints(b, &end, 1), ints(b, &axis, 1)};
    add(b, WEIR_OP_SLICE, inputs, 4);
}

static void gemm(builder *b) {
    weir_value x = pick_rank(b, 2);
    if (x.id == 0) return;
    int64_t k = shape_of(b, x)->dim[1], n = random_range(b->r, 1, 8);
    bool transposed = random_chance(b->r, 50);
    weir_value inputs[3] = {x, constant(b, &(weir_shape){2, {transposed ? n : k, transposed ? k : n}}),
                            constant(b, &(weir_shape){1, {n}})};
    weir_node node = node_of(b, WEIR_OP_GEMM, inputs, random_chance(b->r, 70) ? 3 : 2, 1);
    weir_node_set_int(b->graph, node, "transB", transposed);
    weir_value y = done(b, node);
    if (random_chance(b->r, 50)) add(b, WEIR_OP_TANH, &y, 1);
}

typedef struct convolution {
    int64_t out, kernel, pad, stride, groups;
} convolution;

static weir_value convolve(builder *b, weir_value x, const convolution *c) {
    int64_t channels = shape_of(b, x)->dim[1];
    weir_value inputs[3] = {x, constant(b, &(weir_shape){4, {c->out, channels / c->groups, c->kernel, c->kernel}}),
                            constant(b, &(weir_shape){1, {c->out}})};
    weir_node node = node_of(b, WEIR_OP_CONV, inputs, random_chance(b->r, 50) ? 3 : 2, 1);
    int64_t pads[4] = {c->pad, c->pad, c->pad, c->pad}, strides[2] = {c->stride, c->stride};
    weir_node_set_ints(b->graph, node, "pads", pads, 4);
    weir_node_set_ints(b->graph, node, "strides", strides, 2);
    weir_node_set_int(b->graph, node, "group", c->groups);
    return done(b, node);
}

static void normalize(builder *b, weir_value x) {
    int64_t channels = shape_of(b, x)->dim[1];
    weir_shape vector = {1, {channels}};
    weir_value inputs[5] = {x, constant(b, &vector), constant(b, &vector), constant(b, &vector), positive(b, channels)};
    add(b, WEIR_OP_BATCH_NORMALIZATION, inputs, 5);
}

static void convolutions(builder *b) {
    weir_value x = pick_rank(b, 4);
    if (x.id == 0) return;
    const weir_shape shape = *shape_of(b, x);
    int64_t small = shape.dim[2] < shape.dim[3] ? shape.dim[2] : shape.dim[3];
    convolution c = {.out = random_range(b->r, 1, 6), .kernel = small >= 3 && random_chance(b->r, 60) ? 3 : 1};
    c.pad = c.kernel / 2 * random_range(b->r, 0, 1);
    c.stride = random_range(b->r, 1, 2);
    c.groups = shape.dim[1] % 2 == 0 && random_chance(b->r, 20) ? 2 : 1;
    if (c.groups == 2) c.out *= 2;
    /* A scale in front, and several convolutions of the same input: what fold_scale_axis and combine_parallel_conv2d
     * look for. */
    if (random_chance(b->r, 25)) {
        weir_value scaled[2] = {x, constant(b, &(weir_shape){4, {1, shape.dim[1], 1, 1}})};
        x = add(b, WEIR_OP_MUL, scaled, 2);
    }
    int64_t branches = random_chance(b->r, 25) ? random_range(b->r, 2, 4) : 1;
    for (int64_t i = 0; i < branches; i++) {
        weir_value y = convolve(b, x, &c);
        if (random_chance(b->r, 30)) normalize(b, y);
        else if (random_chance(b->r, 30)) {
            weir_value scaled[2] = {y, constant(b, &(weir_shape){4, {1, c.out, 1, 1}})};
            add(b, WEIR_OP_MUL, scaled, 2);
        }
        if (random_chance(b->r, 40)) add(b, WEIR_OP_RELU, &y, 1);
    }
}

static void pool(builder *b) {
    weir_value x = pick_rank(b, 4);
    if (x.id == 0 || shape_of(b, x)->dim[2] < 2 || shape_of(b, x)->dim[3] < 2) return;
    int64_t kernel[2] = {2, 2};
    weir_op op = random_chance(b->r, 50) ? WEIR_OP_MAX_POOL : WEIR_OP_AVERAGE_POOL;
    weir_node node = node_of(b, op, &x, 1, 1);
    weir_node_set_ints(b->graph, node, "kernel_shape", kernel, 2);
    weir_node_set_ints(b->graph, node, "strides", kernel, 2);
    done(b, node);
}

/* Sums over an axis and what is made of them. */
static void statistics(builder *b) {
    static const weir_op ops[] = {WEIR_OP_REDUCE_MEAN, WEIR_OP_REDUCE_SUM, WEIR_OP_REDUCE_MAX, WEIR_OP_REDUCE_MIN};
    weir_value x = pick(b);
    int rank = shape_of(b, x)->rank;
    if (rank == 0) return;
    int64_t axis = random_range(b->r, 0, rank - 1);
    weir_value inputs[2] = {x, ints(b, &axis, 1)};
    weir_node node = node_of(b, ops[random_range(b->r, 0, 3)], inputs, 2, 1);
    weir_node_set_int(b->graph, node, "keepdims", random_range(b->r, 0, 1));
    done(b, node);
    if (random_chance(b->r, 40)) add(b, WEIR_OP_SOFTMAX, &x, 1);
}

/* Over the last axis, over each channel, or to length 1. */
static void norms(builder *b) {
    weir_value x = pick(b);
    const weir_shape shape = *shape_of(b, x);
    if (shape.rank < 2) return;
    weir_shape last = {1, {shape.dim[shape.rank - 1]}}, channels = {1, {shape.dim[1]}};
    if (shape.rank >= 3 && random_chance(b->r, 40)) {
        weir_value inputs[3] = {x, constant(b, &channels), constant(b, &channels)};
        add(b, WEIR_OP_INSTANCE_NORMALIZATION, inputs, 3);
    } else if (random_chance(b->r, 60)) {
        weir_value inputs[3] = {x, constant(b, &last), constant(b, &last)};
        add(b, WEIR_OP_LAYER_NORMALIZATION, inputs, random_chance(b->r, 70) ? 3 : 2);
    } else {
        weir_value away[2] = {x, scalar(b, 5)}; /* not of length zero */
        weir_value far = add(b, WEIR_OP_ADD, away, 2);
        add(b, WEIR_OP_LP_NORMALIZATION, &far, 1);
    }
}

static void quantizers(builder *b) {
    weir_array *zero = weir_array_new(WEIR_INT8, &(weir_shape){0, {0}});
    weir_array_set_int(zero, 0, random_range(b->r, -20, 20));
    weir_value x = pick(b), s = scalar(b, 1.0 / 16), z = weir_graph_add_constant(b->graph, "z", zero);
    weir_array_free(zero);
    weir_value quantize[3] = {x, s, z};
    weir_node node = node_of(b, WEIR_OP_QUANTIZE_LINEAR, quantize, 3, 1);
    must(weir_infer_node(b->graph, node), b, "QuantizeLinear");
    weir_value dequantize[3] = {weir_node_output(b->graph, node, 0), s, z};
    add(b, WEIR_OP_DEQUANTIZE_LINEAR, dequantize, 3);
}

static weir_graph *finish(builder *b) {
    int64_t outputs = random_range(b->r, 1, 3);
    for (int64_t i = 0; i < outputs; i++) {
        weir_value value = i == 0 ? b->value[b->count - 1] : pick(b);
        char name[32];
        snprintf(name, sizeof name, "out%zu", weir_graph_output_count(b->graph));
        weir_graph_add_output(b->graph, name, value);
    }
    must(weir_graph_verify(b->graph), b, "the verifier");
    return b->graph;
}

weir_graph *random_float_graph(random_source *r) {
    typedef void step(builder *);
    static step *const steps[] = {unary,        unary,        binary,    binary,     binary,     bounded, divide, folds,
                                  reshape,      flatten,      transpose, squeeze,    concat,     slice,   gemm,   gemm,
                                  convolutions, convolutions, pool,      quantizers, statistics, norms};
    builder b = {.r = r, .graph = weir_graph_new("g")};
    int64_t inputs = random_range(r, 1, 2);
    for (int64_t i = 0; i < inputs; i++) {
        weir_type type = {.dtype = WEIR_FLOAT32, .quant = {.axis = -1}};
        bool image = random_chance(r, 60);
        type.shape = image ? (weir_shape){4, {1, random_range(r, 1, 4), random_range(r, 1, 6), random_range(r, 1, 6)}}
                           : (weir_shape){2, {random_range(r, 1, 3), random_range(r, 1, 12)}};
        keep(&b, weir_graph_add_input(b.graph, "x", &type));
    }
    int64_t count = random_range(r, 1, MAX_STEPS);
    for (int64_t i = 0; i < count; i++) steps[random_range(r, 0, sizeof steps / sizeof *steps - 1)](&b);
    return finish(&b);
}

/* --- integer graphs --- */

static void clip_codes(builder *b) {
    weir_value x = pick(b);
    const weir_type type = *weir_value_type(b->graph, x);
    if (!type.has_range) return;
    weir_node node = node_of(b, WEIR_OP_MAXIMUM, &x, 1, 1);
    weir_node_set_int(b->graph, node, "zero", random_range(b->r, type.low / 2, type.high / 2));
    done(b, node);
}

static void linear(builder *b) {
    weir_value x = pick(b);
    const weir_type *type = weir_value_type(b->graph, x);
    int64_t k = type->shape.dim[1], n = random_range(b->r, 1, 8);
    if (type->high - type->low > INT64_C(1) << 24) return;
    weir_array *weights = weir_array_new(WEIR_INT8, &(weir_shape){2, {n, k}});
    for (size_t i = 0; i < weights->count; i++) weir_array_set_int(weights, i, random_range(b->r, -128, 127));
    weir_value inputs[2] = {x, weir_graph_add_constant(b->graph, "w", weights)};
    weir_array_free(weights);
    add(b, WEIR_OP_LINEAR, inputs, 2);
}

static void sum(builder *b) {
    weir_value x = pick(b), y = WEIR_NO_VALUE;
    for (int tries = 0; tries < 8 && y.id == 0; tries++) {
        weir_value other = pick(b);
        if (weir_shape_equal(shape_of(b, other), shape_of(b, x))) y = other;
    }
    const weir_type *type = weir_value_type(b->graph, x);
    if (y.id == 0 || type->high - type->low > INT64_C(1) << 40) return;
    weir_value inputs[2] = {x, y};
    weir_node node = node_of(b, WEIR_OP_SUM, inputs, 2, 1);
    weir_node_set_int(b->graph, node, "ca", random_range(b->r, 1, 9));
    weir_node_set_int(b->graph, node, "cb", random_range(b->r, 1, 9));
    done(b, node);
}

weir_graph *random_integer_graph(random_source *r) {
    typedef void step(builder *);
    static step *const steps[] = {linear, sum, clip_codes};
    builder b = {.r = r, .graph = weir_graph_new("g")};
    weir_type type = {.dtype = WEIR_INT8, .shape = {2, {1, random_range(r, 1, 12)}}, .has_range = true};
    type.low = random_range(r, -128, 0);
    type.high = random_range(r, 0, 127);
    type.quant = (weir_quant){.format = WEIR_FORMAT_INTEGER, .is_signed = true, .width = 8, .axis = -1};
    keep(&b, weir_graph_add_input(b.graph, "x", &type));
    int64_t count = random_range(r, 1, 10);
    for (int64_t i = 0; i < count; i++) steps[random_range(r, 0, sizeof steps / sizeof *steps - 1)](&b);
    return finish(&b);
}

weir_array *random_input(random_source *r, const weir_graph *graph, size_t index) {
    const weir_type *type = weir_value_type(graph, weir_graph_input(graph, index));
    weir_array *array = weir_array_new(type->dtype, &type->shape);
    for (size_t i = 0; i < array->count; i++)
        weir_array_set(array, i, type->has_range ? (double)random_range(r, type->low, type->high) : small_real(r));
    return array;
}
