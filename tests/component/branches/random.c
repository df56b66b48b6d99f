/* Networks of 5 to 13 quantized layers and more, with branches that join again, nested ones too, further inputs and
 * outputs, in QDQ form or as operators on codes, compiled as the command does it: verify_lowering compares what they
 * compute with the model. "stem" is a convolution of the first input. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "component/case.h"
#include "ir/graph/print.h"
#include "ir/shape/infer.h"
#include "pass/core/context.h"
#include "pass/core/pass.h"
#include "passes/passes.h"
#include "support/memory/arena.h"

enum { MOST_LAYERS = 13, MOST_INPUTS = 3, MOST_CHANNELS = 6, MOST_DEPTH = 2, FRAMES = 3 };

/* Codes in the model, [1, channels] or [1, channels, positions...]. */
typedef struct tensor {
    weir_value codes, scale, zero;
    double unit, size; /* the scale; about the largest magnitude of the real numbers */
    bool is_signed;
} tensor;

typedef struct maker {
    component_case *c;
    weir_graph *model;
    int64_t layers; /* still to be made */
    int inputs;
} maker;

static void must(bool fine, const char *what) {
    if (fine) return;
    fprintf(stderr, "%s failed on a model that it should take\n", what);
    abort();
}

static int64_t pick(maker *m, int64_t low, int64_t high) { return case_range(m->c, low, high); }
static bool chance(maker *m, int percent) { return case_chance(m->c, percent); }
static double real(maker *m, double low, double high) {
    return low + (high - low) * (double)pick(m, 0, 1 << 20) / (1 << 20);
}

static const weir_shape *shape_of(const maker *m, weir_value value) { return &weir_value_type(m->model, value)->shape; }
static const weir_shape *shape_in(const maker *m, const tensor *x) { return shape_of(m, x->codes); }

/* --- nodes and constants --- */

static weir_node node(maker *m, weir_op op, const char *name, const weir_value *inputs, size_t count) {
    return weir_graph_add_node(m->model, op, name, inputs, count, 1, WEIR_NO_NODE);
}

static weir_value result(maker *m, weir_node made) {
    must(weir_infer_node(m->model, made), weir_node_name(m->model, made));
    return weir_node_output(m->model, made, 0);
}

static weir_value compute(maker *m, weir_op op, const char *name, const weir_value *inputs, size_t count) {
    return result(m, node(m, op, name, inputs, count));
}

static weir_value constant(maker *m, const char *name, weir_array *array) {
    const weir_value value = weir_graph_add_constant(m->model, name, array);
    weir_array_free(array);
    return value;
}

static weir_value number(maker *m, const char *name, weir_dtype dtype, double of) {
    weir_array *array = weir_array_new(dtype, &(weir_shape){0});
    weir_array_set(array, 0, of);
    return constant(m, name, array);
}

static weir_value list(maker *m, const char *name, const int64_t *of, int64_t count) {
    weir_array *array = weir_array_new(WEIR_INT64, &(weir_shape){1, {count}});
    for (size_t i = 0; i < array->count; i++) weir_array_set_int(array, i, of[i]);
    return constant(m, name, array);
}

/* --- quantizers --- */

/* A grid for numbers of about this size: some are clipped, and a scale may be a power of two. */
static tensor grid(maker *m, double size, bool is_signed) {
    tensor y = {.size = size, .is_signed = is_signed, .unit = (float)(size / 127 * real(m, 0.6, 1.6))};
    if (chance(m, 25)) y.unit = ldexp(1, (int)ceil(log2(y.unit)));
    const weir_dtype dtype = y.is_signed ? WEIR_INT8 : WEIR_UINT8;
    y.scale = number(m, "scale", WEIR_FLOAT32, y.unit);
    y.zero = number(m, "zero", dtype, (double)(chance(m, 30) ? 0 : y.is_signed ? pick(m, -40, 40) : pick(m, 60, 190)));
    return y;
}

static tensor any_grid(maker *m, double size) { return grid(m, size, chance(m, 50)); }

static tensor quantize(maker *m, weir_value value, const tensor *to) {
    tensor y = *to;
    y.codes = compute(m, WEIR_OP_QUANTIZE_LINEAR, "quantize", (weir_value[]){value, to->scale, to->zero}, 3);
    return y;
}

static weir_value dequantize(maker *m, const tensor *x) {
    return compute(m, WEIR_OP_DEQUANTIZE_LINEAR, "dequantize", (weir_value[]){x->codes, x->scale, x->zero}, 3);
}

/* Real numbers that a layer computes, maybe through a Relu, as codes. */
static tensor finish(maker *m, weir_value value, double size) {
    if (chance(m, 35)) value = compute(m, WEIR_OP_RELU, "relu", &value, 1);
    const tensor to = any_grid(m, size);
    return quantize(m, value, &to);
}

/* --- layers --- */

/* What a layer multiplies with: codes, a scale a channel or one, accumulators' bias. */
typedef struct weights {
    weir_value codes, scale, zero, bias;
    double size; /* of a result, where inputs are 1 */
    int64_t channels;
} weights;

/* `axis` is that of the `channels` in the shape. */
static weights make_weights(maker *m, const tensor *x, const weir_shape *shape, int axis, bool one_scale) {
    weights w = {.channels = shape->dim[axis]};
    const int64_t scales = one_scale ? 1 : w.channels, most = chance(m, 25) ? 1 : pick(m, 2, 127);
    weir_array *codes = weir_array_new(WEIR_INT8, shape);
    for (size_t i = 0; i < codes->count; i++)
        weir_array_set_int(codes, i, most == 1 ? 1 - 2 * pick(m, 0, 1) : pick(m, -most, most));
    const bool is_centered = chance(m, 80);
    const double sum = (double)most * sqrt((double)codes->count / (double)w.channels), unit = real(m, 0.3, 1) / sum;
    const weir_shape by_channel = one_scale ? (weir_shape){0} : (weir_shape){1, {scales}};
    weir_array *scale = weir_array_new(WEIR_FLOAT32, &by_channel), *zero = weir_array_new(WEIR_INT8, &by_channel);
    weir_array *bias = weir_array_new(WEIR_INT32, &(weir_shape){1, {w.channels}});
    for (size_t i = 0; i < zero->count; i++) weir_array_set_int(zero, i, is_centered ? 0 : pick(m, -9, 9));
    for (size_t i = 0; i < scale->count; i++) weir_array_set(scale, i, (float)(unit * real(m, 0.5, 1.5)));
    for (size_t i = 0; i < bias->count; i++)
        weir_array_set_int(bias, i, pick(m, -1, 1) * pick(m, 0, (int64_t)(sum * 60)));
    w.codes = constant(m, "weights", codes);
    w.scale = constant(m, "weight_scale", scale);
    w.zero = constant(m, "weight_zero", zero);
    w.bias = chance(m, 70) ? constant(m, "bias", bias) : WEIR_NO_VALUE;
    if (w.bias.id == 0) weir_array_free(bias);
    w.size = x->size * unit * sum;
    return w;
}

/* The weights and the bias as real numbers; the bias in the scale of the accumulators. */
static weir_value real_weights(maker *m, const weights *w, int axis) {
    weir_node made = node(m, WEIR_OP_DEQUANTIZE_LINEAR, "weights_real", (weir_value[]){w->codes, w->scale, w->zero}, 3);
    weir_node_set_int(m->model, made, "axis", axis);
    return result(m, made);
}

static weir_value real_bias(maker *m, const tensor *x, const weights *w) {
    const weir_array *scale = weir_value_constant(m->model, w->scale);
    weir_array *sums = weir_array_new(WEIR_FLOAT32, &scale->shape), *zero = weir_array_new(WEIR_INT32, &scale->shape);
    for (size_t i = 0; i < sums->count; i++) weir_array_set(sums, i, (float)x->unit * (float)weir_array_get(scale, i));
    const weir_value inputs[] = {w->bias, constant(m, "bias_scale", sums), constant(m, "bias_zero", zero)};
    weir_node made = node(m, WEIR_OP_DEQUANTIZE_LINEAR, "bias_real", inputs, 3);
    weir_node_set_int(m->model, made, "axis", 0);
    return result(m, made);
}

static size_t operands(const tensor *x, const weights *w, const tensor *y, weir_value *to) {
    const weir_value all[] = {x->codes, x->scale, x->zero, w->codes, w->scale, w->zero, y->scale, y->zero, w->bias};
    const size_t count = sizeof all / sizeof *all - (w->bias.id == 0);
    for (size_t i = 0; i < count; i++) to[i] = all[i];
    return count;
}

/* What of a window is set by dimension; `same`: the positions stay as they are. */
static void set_window(maker *m, weir_node made, const tensor *x, bool same, bool dilates, int64_t *kernel) {
    const weir_shape *shape = shape_in(m, x);
    const size_t rank = (size_t)shape->rank - 2;
    int64_t stride[2], pads[4], dilation[2];
    for (size_t d = 0; d < rank; d++) {
        const int64_t size = shape->dim[d + 2];
        stride[d] = same || size < 3 ? 1 : pick(m, 1, 2);
        dilation[d] = dilates && kernel[d] == 2 && size > 3 && !same ? pick(m, 1, 2) : 1;
        if (kernel[d] > size) kernel[d] = size;
        const int64_t more = (kernel[d] - 1) * dilation[d];
        pads[d] = same ? more / 2 : pick(m, 0, more / 2);
        pads[d + rank] = same ? more - more / 2 : pick(m, 0, more / 2);
    }
    weir_node_set_ints(m->model, made, "kernel_shape", kernel, rank);
    weir_node_set_ints(m->model, made, "strides", stride, rank);
    weir_node_set_ints(m->model, made, "pads", pads, 2 * rank);
    if (dilates) weir_node_set_ints(m->model, made, "dilations", dilation, rank);
}

/* With `channels` results, in groups or by channel where that can be. */
static tensor convolve(maker *m, const char *name, const tensor *x, int64_t channels, bool same) {
    const weir_shape *shape = shape_in(m, x);
    const bool on_codes = chance(m, 40);
    const int64_t common = weir_common_divisor(shape->dim[1], channels),
                  group = chance(m, 40) ? case_divisor(m->c, common) : 1;
    weir_shape kernel = {shape->rank, {channels, shape->dim[1] / group}};
    for (int d = 2; d < shape->rank; d++) kernel.dim[d] = pick(m, 1, shape->dim[d] < 3 ? shape->dim[d] : 3);
    const weights w = make_weights(m, x, &kernel, 0, on_codes && chance(m, 50));
    weir_value input[9] = {x->codes};
    size_t count = 2;
    tensor y = any_grid(m, w.size);
    if (on_codes) {
        count = operands(x, &w, &y, input);
    } else {
        input[0] = dequantize(m, x);
        input[1] = real_weights(m, &w, 0);
        if (w.bias.id != 0) input[count++] = real_bias(m, x, &w);
    }
    weir_node made = node(m, on_codes ? WEIR_OP_QLINEAR_CONV : WEIR_OP_CONV, name, input, count);
    set_window(m, made, x, same, true, kernel.dim + 2);
    weir_node_set_int(m->model, made, "group", group);
    y.codes = result(m, made);
    return on_codes ? y : finish(m, y.codes, w.size);
}

static tensor dense(maker *m, const tensor *x, int64_t channels) {
    const bool on_codes = chance(m, 40);
    const weir_shape shape = {2, {shape_in(m, x)->dim[1], channels}};
    weights w = make_weights(m, x, &shape, 1, on_codes);
    tensor y = any_grid(m, w.size);
    if (on_codes) {
        weir_value input[9];
        operands(x, &w, &y, input);
        y.codes = compute(m, WEIR_OP_QLINEAR_MATMUL, "matmul", input, 8);
        return y;
    }
    const bool bias = w.bias.id != 0;
    const weir_value input[] = {dequantize(m, x), real_weights(m, &w, 1), bias ? real_bias(m, x, &w) : WEIR_NO_VALUE};
    return finish(m, compute(m, bias ? WEIR_OP_GEMM : WEIR_OP_MATMUL, "fc", input, bias ? 3 : 2), w.size);
}

/* Every element through a function: on codes, of real numbers, or a product with one of itself. */
static tensor apply(maker *m, const tensor *x) {
    static const weir_op ops[] = {WEIR_OP_SIGMOID, WEIR_OP_TANH, WEIR_OP_LEAKY_RELU, WEIR_OP_HARD_SWISH,
                                  WEIR_OP_ELU,     WEIR_OP_ABS,  WEIR_OP_RELU};
    if (chance(m, 25)) {
        const bool leaky = chance(m, 50);
        tensor y = grid(m, leaky ? x->size : 1, x->is_signed);
        const weir_value input[] = {x->codes, x->scale, x->zero, y.scale, y.zero};
        y.codes = compute(m, leaky ? WEIR_OP_QLINEAR_LEAKY_RELU : WEIR_OP_QLINEAR_SIGMOID, "function", input, 5);
        return y;
    }
    const weir_value value = dequantize(m, x);
    const weir_op op = ops[pick(m, 0, (int64_t)(sizeof ops / sizeof *ops) - 1)];
    weir_value of = compute(m, op, "function", &value, 1);
    const bool gates = op == WEIR_OP_SIGMOID && chance(m, 50);
    if (gates) of = compute(m, WEIR_OP_MUL, "gate", (weir_value[]){value, of}, 2);
    const tensor to = any_grid(m, gates || (op != WEIR_OP_SIGMOID && op != WEIR_OP_TANH) ? x->size : 1);
    return quantize(m, of, &to);
}

static tensor pool(maker *m, const tensor *x, bool same) {
    static const weir_op whole[] = {WEIR_OP_GLOBAL_MAX_POOL, WEIR_OP_GLOBAL_AVERAGE_POOL};
    const weir_shape *shape = shape_in(m, x);
    const weir_value value = dequantize(m, x);
    const bool max = chance(m, 50);
    const tensor to = chance(m, 50) ? *x : any_grid(m, x->size); /* with the grid it had, or another one */
    if (!same && chance(m, 15)) return quantize(m, compute(m, whole[!max], "global", &value, 1), &to);
    int64_t kernel[2];
    for (int d = 2; d < shape->rank; d++) kernel[d - 2] = pick(m, 1, 3);
    weir_node made = node(m, max ? WEIR_OP_MAX_POOL : WEIR_OP_AVERAGE_POOL, "pool", &value, 1);
    set_window(m, made, x, same, false, kernel);
    if (!max) weir_node_set_int(m->model, made, "count_include_pad", chance(m, 50));
    return quantize(m, result(m, made), &to);
}

/* A dense layer of all positions: hardware keeps their order, which is not the model's. */
static tensor flatten(maker *m, const tensor *x) {
    tensor y = *x;
    const weir_shape *shape = shape_in(m, x);
    weir_value value = chance(m, 50) ? dequantize(m, x) : x->codes;
    const bool real_numbers = value.id != x->codes.id;
    int64_t to[2] = {1, 1};
    for (int d = 1; d < shape->rank; d++) to[1] *= shape->dim[d];
    if (chance(m, 50)) value = compute(m, WEIR_OP_FLATTEN, "flatten", &value, 1);
    else value = compute(m, WEIR_OP_RESHAPE, "reshape", (weir_value[]){value, list(m, "shape", to, 2)}, 2);
    if (real_numbers) y = quantize(m, value, x);
    else y.codes = value;
    return dense(m, &y, pick(m, 1, MOST_CHANNELS));
}

/* A layer; where the result has the shape of x, `same`. */
static tensor layer(maker *m, const tensor *x, bool same) {
    const weir_shape *shape = shape_in(m, x);
    const int64_t channels = same ? shape->dim[1] : pick(m, 1, MOST_CHANNELS), kind = pick(m, 0, 99);
    m->layers--;
    if (kind < 25) return apply(m, x);
    if (shape->rank == 2) return dense(m, x, channels);
    if (kind < 45) return pool(m, x, same);
    if (kind < 50 && !same) return flatten(m, x);
    return convolve(m, "conv", x, channels, same);
}

/* --- branches --- */

static tensor add(maker *m, const tensor *a, const tensor *b) {
    const double size = a->size + b->size;
    if (a->is_signed == b->is_signed && chance(m, 60)) {
        tensor y = grid(m, size, a->is_signed);
        const weir_value input[] = {a->codes, a->scale, a->zero, b->codes, b->scale, b->zero, y.scale, y.zero};
        y.codes = compute(m, WEIR_OP_QLINEAR_ADD, "add", input, 8);
        return y;
    }
    const weir_value pair[] = {dequantize(m, a), dequantize(m, b)};
    return finish(m, compute(m, WEIR_OP_ADD, "add", pair, 2), size);
}

/* The product; b may be a row of channels for each position of a. */
static tensor multiply(maker *m, const tensor *a, const tensor *b) {
    const double size = a->size * b->size;
    const bool turned = chance(m, 50);
    if (a->is_signed == b->is_signed && chance(m, 60)) {
        tensor y = grid(m, size, a->is_signed);
        const tensor *first = turned ? b : a, *second = turned ? a : b;
        const weir_value input[] = {first->codes,  first->scale, first->zero, second->codes,
                                    second->scale, second->zero, y.scale,     y.zero};
        y.codes = compute(m, WEIR_OP_QLINEAR_MUL, "multiply", input, 8);
        return y;
    }
    weir_value pair[2];
    pair[turned] = dequantize(m, a);
    pair[!turned] = dequantize(m, b);
    return finish(m, compute(m, WEIR_OP_MUL, "multiply", pair, 2), size);
}

/* Squeeze and excite: channels weighted by a function of their means. */
static tensor excite(maker *m, const tensor *x) {
    const weir_value value = dequantize(m, x);
    tensor gate = finish(m, compute(m, WEIR_OP_GLOBAL_AVERAGE_POOL, "squeeze", &value, 1), x->size);
    gate = convolve(m, "excite", &gate, shape_in(m, x)->dim[1], true);
    gate = apply(m, &gate);
    m->layers--;
    return multiply(m, x, &gate);
}

/* Two or three along the channels or, as their shapes are alike, any dimension. */
static tensor concat(maker *m, const tensor *parts, size_t count) {
    weir_value value[3];
    double size = 0;
    for (size_t i = 0; i < count; i++) {
        value[i] = dequantize(m, &parts[i]);
        size = fmax(size, parts[i].size);
    }
    weir_node made = node(m, WEIR_OP_CONCAT, "concat", value, count);
    weir_node_set_int(m->model, made, "axis", chance(m, 70) ? 1 : pick(m, 1, shape_in(m, &parts[0])->rank - 1));
    const tensor to = any_grid(m, size);
    return quantize(m, result(m, made), &to);
}

static tensor input(maker *m, const weir_shape *shape) {
    const weir_type type = {.dtype = WEIR_FLOAT32, .shape = *shape, .quant = {.axis = -1}};
    const tensor to = any_grid(m, 1);
    m->inputs++;
    return quantize(m, weir_graph_add_input(m->model, "x", &type), &to);
}

/* Branches of x that keep its shape, some of which have branches of their own, or another input, joined. */
static tensor block(maker *m, const tensor *x, int depth) {
    tensor branch[3];
    const size_t count = chance(m, 25) ? 3 : 2;
    for (size_t i = 0; i < count; i++) {
        branch[i] = *x;
        if (i > 0 && m->inputs < MOST_INPUTS && chance(m, 10)) branch[i] = input(m, shape_in(m, x));
        for (int64_t left = pick(m, i == 0, 3); left > 0; left--)
            branch[i] =
                depth < MOST_DEPTH && chance(m, 20) ? block(m, &branch[i], depth + 1) : layer(m, &branch[i], true);
        if (i > 0 && chance(m, 10)) weir_graph_add_output(m->model, "side", dequantize(m, &branch[i]));
    }
    m->layers--;
    if (depth == 0 && (int64_t)count * shape_in(m, x)->dim[1] <= 3 * MOST_CHANNELS && chance(m, 40))
        return concat(m, branch, count);
    if (count == 2 && chance(m, 30)) return multiply(m, &branch[0], &branch[1]);
    tensor sum = add(m, &branch[0], &branch[1]);
    return count == 3 ? add(m, &sum, &branch[2]) : sum;
}

/* --- the case --- */

static void make_model(maker *m) {
    const bool plane = chance(m, 60);
    const weir_shape shape = {plane ? 4 : 3, {1, pick(m, 1, 4), pick(m, 3, plane ? 6 : 24), pick(m, 3, 6)}};
    tensor x = input(m, &shape);
    x = convolve(m, "stem", &x, pick(m, 2, 6), chance(m, 50));
    while (m->layers > 0) {
        if (shape_in(m, &x)->rank > 2 && chance(m, 15)) x = excite(m, &x);
        else x = chance(m, 45) ? block(m, &x, 0) : layer(m, &x, chance(m, 60));
        if (chance(m, 5)) weir_graph_add_output(m->model, "early", dequantize(m, &x));
    }
    weir_graph_add_output(m->model, "y", dequantize(m, &x));
}

/* As the command compiles it, with a random target. */
static void compile(maker *m) {
    weir_pass_registry *registry = weir_pass_registry_new();
    must(weir_passes_register(registry), "registration");
    char *target = m->c->device == NULL ? weir_copy_string("") : weir_format("set_target{device=%s},", m->c->device);
    char *text =
        weir_format("lower_integer,realize_requantize,partition,%schoose_folding{target-interval=%lld max-macs=%lld},"
                    "insert_streams,size_fifos,verify_lowering",
                    target, (long long)(chance(m, 70) ? pick(m, 1, 600) : 0), (long long)pick(m, 16, 64));
    weir_pass *pass = weir_pass_parse(registry, text, weir_at("case", 1));
    weir_pass_context *context = weir_pass_context_new(registry);
    weir_module *module = weir_module_new("branches");
    char *path = weir_format("%s/model.weir", m->c->folder);
    must(pass != NULL && weir_graph_save(m->model, path), path);
    weir_module_add_graph(module, m->model);
    must(weir_pass_run(context, pass, module), path);
    weir_graph_free(m->c->graph);
    m->c->graph = weir_graph_copy(weir_module_find_graph(module, "hardware"));
    weir_module_free(module);
    weir_pass_context_free(context);
    weir_pass_free(pass);
    weir_pass_registry_free(registry);
    free(path);
    free(text);
    free(target);
}

static void make_frames(maker *m) {
    const weir_graph *graph = m->c->graph;
    m->c->data = weir_calloc(weir_graph_input_count(graph), sizeof *m->c->data);
    for (size_t i = 0; i < weir_graph_input_count(graph); i++) {
        weir_shape shape = weir_value_type(graph, weir_graph_input(graph, i))->shape;
        shape.dim[0] = FRAMES;
        weir_array *data = weir_array_new(WEIR_FLOAT32, &shape);
        for (size_t k = 0; k < data->count; k++) weir_array_set(data, k, (float)real(m, -1.2, 1.2));
        m->c->data[i] = data;
    }
}

static void build(component_case *c) {
    maker m = {.c = c, .model = weir_graph_new("model"), .layers = case_range(c, 5, MOST_LAYERS)};
    make_model(&m);
    compile(&m);
    make_frames(&m);
}

const component_test component_test_branches = {"branches", build, "stem_weights", true};
