/* convert_layout: on random graphs the results are those of the model, bit for bit; what exporters write around their
 * convolutions and pools cancels to the fewest transpositions; what it writes down is read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"
#include "ir/graph/print.h"
#include "ir/graph/verify.h"
#include "ir/shape/infer.h"
#include "ir/shape/layout.h"
#include "passes/passes.h"
#include "support/text/text.h"

enum { GRAPHS = 1500 };

static uint32_t seed;

static int64_t pick(int64_t low, int64_t high) {
    seed = seed * 1664525u + 1013904223u;
    return low + (int64_t)(seed >> 8) % (high - low + 1);
}

/* ---- building ---- */

static weir_graph *graph;

static const weir_shape *shape_of(weir_value value) { return &weir_value_type(graph, value)->shape; }

static weir_value input(weir_shape shape) {
    const weir_type type = {.dtype = WEIR_FLOAT32, .shape = shape, .quant = {.axis = -1}};
    return weir_graph_add_input(graph, "x", &type);
}

/* Small whole numbers: sums of products stay exact in float32. */
static weir_value numbers(weir_shape shape, int64_t low, int64_t high) {
    weir_array *array = weir_array_new(WEIR_FLOAT32, &shape);
    for (size_t i = 0; i < array->count; i++) weir_array_set(array, i, (double)pick(low, high));
    const weir_value value = weir_graph_add_constant(graph, "c", array);
    weir_array_free(array);
    return value;
}

static weir_value integers(const int64_t *values, int64_t count) {
    weir_array *array = weir_array_new(WEIR_INT64, &(weir_shape){1, {count}});
    for (int64_t i = 0; i < count; i++) weir_array_set_int(array, (size_t)i, values[i]);
    const weir_value value = weir_graph_add_constant(graph, "i", array);
    weir_array_free(array);
    return value;
}

static weir_node add(weir_op op, const weir_value *inputs, size_t count) {
    return weir_graph_add_node(graph, op, "n", inputs, count, 1, WEIR_NO_NODE);
}

static weir_value done(weir_node node) {
    assert_true(weir_infer_node(graph, node));
    return weir_node_output(graph, node, 0);
}

static weir_value unary(weir_op op, weir_value x) { return done(add(op, &x, 1)); }

static weir_value binary(weir_op op, weir_value a, weir_value b) { return done(add(op, (weir_value[]){a, b}, 2)); }

static weir_value transpose(weir_value x, const int64_t *perm) {
    const weir_node node = add(WEIR_OP_TRANSPOSE, &x, 1);
    weir_node_set_ints(graph, node, "perm", perm, (size_t)shape_of(x)->rank);
    return done(node);
}

static const int64_t to_last[] = {0, 2, 3, 1}, to_first[] = {0, 3, 1, 2};

static weir_value conv(weir_value x, int64_t outputs, int64_t size) {
    const int64_t channels = shape_of(x)->dim[1], half = size / 2;
    const weir_value w = numbers((weir_shape){4, {outputs, channels, size, size}}, -1, 1);
    const weir_value b = numbers((weir_shape){1, {outputs}}, -3, 3);
    const weir_node node = add(WEIR_OP_CONV, (weir_value[]){x, w, b}, 3);
    weir_node_set_ints(graph, node, "pads", (int64_t[]){half, half, half, half}, 4);
    return done(node);
}

static weir_value pool(weir_op op, weir_value x) {
    const weir_node node = add(op, &x, 1);
    weir_node_set_ints(graph, node, "kernel_shape", (int64_t[]){2, 2}, 2);
    weir_node_set_ints(graph, node, "strides", (int64_t[]){pick(1, 2), 1}, 2);
    return done(node);
}

static weir_value flatten(weir_value x) {
    if (pick(0, 1)) return unary(WEIR_OP_FLATTEN, x);
    return binary(WEIR_OP_RESHAPE, x, integers((int64_t[]){shape_of(x)->dim[0], -1}, 2));
}

static weir_value dense(weir_value x, int64_t outputs) {
    const int64_t inner = shape_of(x)->dim[1];
    if (pick(0, 1)) return binary(WEIR_OP_MATMUL, x, numbers((weir_shape){2, {inner, outputs}}, -1, 1));
    const bool flip = pick(0, 1);
    const weir_shape shape = flip ? (weir_shape){2, {outputs, inner}} : (weir_shape){2, {inner, outputs}};
    const weir_node node = add(WEIR_OP_GEMM, (weir_value[]){x, numbers(shape, -1, 1)}, 2);
    weir_node_set_int(graph, node, "transB", flip);
    return done(node);
}

/* ---- comparing ---- */

static weir_array **run(const weir_graph *of, weir_array *const *data) {
    weir_executor *executor = weir_executor_new(of);
    assert_true(weir_executor_run(executor, (const weir_array *const *)data));
    weir_array **results = calloc(weir_graph_output_count(of), sizeof *results);
    for (size_t i = 0; i < weir_graph_output_count(of); i++)
        results[i] = weir_array_copy(weir_executor_value(executor, weir_graph_output(of, i)));
    weir_executor_free(executor);
    return results;
}

/* Converts a copy of `graph` and compares all outputs; returns the copy. */
static weir_graph *check(void) {
    weir_array *data[2] = {NULL, NULL};
    for (size_t i = 0; i < weir_graph_input_count(graph); i++) {
        data[i] = weir_array_new(WEIR_FLOAT32, shape_of(weir_graph_input(graph, i)));
        for (size_t k = 0; k < data[i]->count; k++) weir_array_set(data[i], k, (double)pick(-4, 4));
    }
    weir_array **wanted = run(graph, data);
    weir_graph *converted = weir_graph_copy(graph);
    bool changed;
    assert_true(weir_convert_layout(converted, &changed));
    assert_true(weir_graph_verify(converted));
    weir_array **found = run(converted, data);
    for (size_t i = 0; i < weir_graph_output_count(graph); i++) {
        assert_true(weir_shape_equal(&wanted[i]->shape, &found[i]->shape));
        assert_memory_equal(wanted[i]->data, found[i]->data, wanted[i]->count * weir_dtype_size(wanted[i]->dtype));
        weir_array_free(wanted[i]);
        weir_array_free(found[i]);
    }
    free(wanted);
    free(found);
    for (size_t i = 0; i < 2; i++) weir_array_free(data[i]);
    return converted;
}

static size_t moves_of(weir_graph *converted) {
    const size_t count = weir_count_transpositions(converted);
    weir_graph_free(converted);
    weir_graph_free(graph);
    return count;
}

/* ---- random graphs ---- */

static weir_value elementwise_with_constant(weir_value x) {
    const weir_shape *s = shape_of(x);
    const int64_t form = pick(0, 3);
    weir_shape shape = {3, {s->dim[1], 1, 1}};
    if (form == 1) shape = (weir_shape){4, {1, 1, s->dim[2], s->dim[3]}};
    if (form == 2) shape = (weir_shape){1, {s->dim[3]}};
    if (form == 3) shape = (weir_shape){0, {0}};
    const weir_value c = numbers(shape, -2, 2);
    return pick(0, 1) ? binary(WEIR_OP_ADD, x, c) : binary(WEIR_OP_ADD, c, x);
}

static weir_value shuffle_and_back(weir_value x) {
    static const int64_t turned[] = {0, 1, 3, 2};
    const int64_t form = pick(0, 2);
    if (form == 2) return transpose(x, turned);
    weir_value y = unary(WEIR_OP_RELU, transpose(x, to_last));
    if (form == 1) y = binary(WEIR_OP_ADD, y, numbers((weir_shape){1, {shape_of(x)->dim[1]}}, -2, 2));
    return transpose(y, to_first);
}

static weir_value with_axis(weir_value x, bool exact) {
    const weir_shape s = *shape_of(x);
    weir_node node;
    switch (pick(0, exact ? 2 : 3)) {
    case 0:
        node = add(WEIR_OP_CONCAT, (weir_value[]){x, pick(0, 1) ? x : unary(WEIR_OP_NEG, x)}, 2);
        weir_node_set_int(graph, node, "axis", s.dim[1] < 5 ? pick(0, 1) ? 1 : -3 : 2);
        return done(node);
    case 1: return done(add(WEIR_OP_PAD, (weir_value[]){x, integers((int64_t[]){0, 0, 1, 0, 0, 1, 0, 2}, 8)}, 2));
    case 2:
        return done(add(WEIR_OP_SLICE,
                        (weir_value[]){x, integers((int64_t[]){0, 0}, 2), integers((int64_t[]){99, s.dim[3] - 1}, 2),
                                       integers((int64_t[]){1, -1}, 2)},
                        4));
    default:
        node = add(WEIR_OP_SOFTMAX, &x, 1);
        weir_node_set_int(graph, node, "axis", pick(0, 1) ? 1 : -1);
        return done(node);
    }
}

static weir_value normalize(weir_value x) {
    const weir_shape shape = {1, {shape_of(x)->dim[1]}};
    const weir_value inputs[] = {x, numbers(shape, 1, 2), numbers(shape, -2, 2), numbers(shape, -2, 2),
                                 numbers(shape, 1, 1)};
    const weir_node node = add(WEIR_OP_BATCH_NORMALIZATION, inputs, 5);
    weir_node_set_float(graph, node, "epsilon", 0);
    return done(node);
}

static weir_value step(weir_value x, weir_value *skip, bool exact) {
    const weir_shape *s = shape_of(x);
    const bool small = s->dim[2] < 3 || s->dim[3] < 3;
    switch (pick(0, 9)) {
    case 0: return conv(x, pick(1, 4), pick(0, 1) ? 1 : 3);
    case 1: return small ? x : pool(WEIR_OP_MAX_POOL, x);
    case 2: return small || exact ? unary(WEIR_OP_RELU, x) : pool(WEIR_OP_AVERAGE_POOL, x);
    case 3: return elementwise_with_constant(x);
    case 4: return shuffle_and_back(x);
    case 5: return small ? x : with_axis(x, exact);
    case 6: return normalize(x);
    case 7: *skip = x; return unary(WEIR_OP_NEG, x);
    case 8: return weir_shape_equal(shape_of(*skip), s) ? binary(WEIR_OP_ADD, *skip, x) : unary(WEIR_OP_ABS, x);
    default: return unary(WEIR_OP_RELU, x);
    }
}

static weir_value head(weir_value x, bool exact) {
    const weir_shape *s = shape_of(x);
    weir_node node;
    switch (pick(0, 5)) {
    case 0: return unary(WEIR_OP_RELU, flatten(x));
    case 1: return exact ? dense(unary(WEIR_OP_RELU, flatten(x)), 3) : flatten(x);
    case 2: return exact ? dense(flatten(unary(WEIR_OP_GLOBAL_AVERAGE_POOL, x)), 2) : unary(WEIR_OP_SIGMOID, x);
    case 3:
        node = add(pick(0, 1) ? WEIR_OP_REDUCE_MAX : WEIR_OP_REDUCE_MEAN,
                   (weir_value[]){x, integers((int64_t[]){2, -1}, 2)}, 2);
        weir_node_set_int(graph, node, "keepdims", pick(0, 1));
        return done(node);
    case 4:
        node = add(WEIR_OP_ARG_MAX, &x, 1);
        weir_node_set_int(graph, node, "axis", pick(-4, 3));
        weir_node_set_int(graph, node, "keepdims", pick(0, 1));
        return done(node);
    default: return binary(WEIR_OP_RESHAPE, x, integers((int64_t[]){s->dim[0], s->dim[1], -1}, 3));
    }
}

/* A dense layer adds in another order once its rows are permuted, so in front of it numbers are whole. */
static void random_graphs(void **state) {
    (void)state;
    for (uint32_t i = 0; i < GRAPHS; i++) {
        seed = 1000 + i;
        graph = weir_graph_new("g");
        const bool exact = pick(0, 1);
        weir_value x = input((weir_shape){4, {pick(1, 2), pick(1, 4), pick(2, 6), pick(2, 6)}});
        if (pick(0, 2) == 0) x = transpose(x, to_first);
        weir_value skip = x;
        for (int64_t n = pick(1, 7); n > 0; n--) x = step(x, &skip, exact);
        if (pick(0, 1)) weir_graph_add_output(graph, "middle", x);
        weir_graph_add_output(graph, "y", head(x, exact));
        if (pick(0, 3) == 0) weir_graph_add_output(graph, "skip", skip);
        weir_graph *converted = check();
        weir_graph_free(converted);
        weir_graph_free(graph);
    }
}

/* ---- what exporters write ---- */

/* PyTorch: NCHW throughout, a dense layer behind a Flatten: only the image is transposed on its way in. */
static void torch_cnn(void **state) {
    (void)state;
    seed = 1;
    graph = weir_graph_new("g");
    weir_value x = input((weir_shape){4, {1, 3, 8, 8}});
    x = pool(WEIR_OP_MAX_POOL, unary(WEIR_OP_RELU, conv(x, 4, 3)));
    x = pool(WEIR_OP_MAX_POOL, unary(WEIR_OP_RELU, conv(x, 5, 3)));
    weir_graph_add_output(graph, "y", dense(unary(WEIR_OP_RELU, dense(flatten(x), 6)), 3));
    assert_int_equal(moves_of(check()), 1);
}

/* TensorFlow by tf2onnx: NHWC outside, Transposes around every convolution, a Reshape of the NHWC tensor: none
 * stays. */
static void tensorflow_cnn(void **state) {
    (void)state;
    seed = 2;
    graph = weir_graph_new("g");
    weir_value x = input((weir_shape){4, {1, 8, 8, 3}});
    for (int i = 0; i < 3; i++) {
        x = transpose(conv(transpose(x, to_first), 4, 3), to_last);
        x = unary(WEIR_OP_RELU, binary(WEIR_OP_ADD, x, numbers((weir_shape){1, {4}}, -2, 2)));
        x = transpose(pool(WEIR_OP_MAX_POOL, transpose(x, to_first)), to_last);
    }
    x = binary(WEIR_OP_RESHAPE, x, integers((int64_t[]){1, -1}, 2));
    weir_graph_add_output(graph, "y", dense(x, 3));
    assert_int_equal(weir_count_transpositions(graph), 12);
    assert_int_equal(moves_of(check()), 0);
}

/* A residual block: both branches and the sum keep the stream's order. */
static void residual(void **state) {
    (void)state;
    seed = 3;
    graph = weir_graph_new("g");
    weir_value x = conv(input((weir_shape){4, {1, 3, 6, 6}}), 4, 3);
    for (int i = 0; i < 3; i++) {
        const weir_value y = conv(unary(WEIR_OP_RELU, conv(x, 4, 3)), 4, 3);
        x = unary(WEIR_OP_RELU, binary(WEIR_OP_ADD, y, x));
    }
    x = unary(WEIR_OP_GLOBAL_AVERAGE_POOL, x);
    weir_graph_add_output(graph, "y", flatten(x));
    assert_int_equal(moves_of(check()), 1);
}

/* Two branches from the image, one elementwise: it is transposed once. */
static void shared_input(void **state) {
    (void)state;
    seed = 4;
    graph = weir_graph_new("g");
    const weir_value x = input((weir_shape){4, {1, 3, 6, 6}});
    const weir_value y = binary(WEIR_OP_MUL, unary(WEIR_OP_NEG, x), conv(x, 3, 3));
    weir_graph_add_output(graph, "y", flatten(conv(y, 2, 1)));
    assert_int_equal(moves_of(check()), 2); /* the image, and the flattened result for the user */
}

/* One channel, or one pixel: nothing moves in memory, and no Transpose is made. */
static void moves_of_one(void **state) {
    (void)state;
    seed = 5;
    graph = weir_graph_new("g");
    const weir_value x = pool(WEIR_OP_MAX_POOL, input((weir_shape){4, {1, 1, 6, 6}}));
    weir_graph_add_output(graph, "y", dense(flatten(x), 2));
    assert_int_equal(moves_of(check()), 0);
}

/* Real numbers of codes: scale 1/4, zero point `zero`. */
static weir_value dequantize(weir_value codes, int64_t zero) {
    weir_array *scale = weir_array_new(WEIR_FLOAT32, &(weir_shape){0, {0}});
    weir_array *point = weir_array_new(weir_value_type(graph, codes)->dtype, &(weir_shape){0, {0}});
    weir_array_set(scale, 0, 0.25);
    weir_array_set_int(point, 0, zero);
    const weir_value inputs[] = {codes, weir_graph_add_constant(graph, "s", scale),
                                 weir_graph_add_constant(graph, "z", point)};
    weir_array_free(scale);
    weir_array_free(point);
    return done(add(WEIR_OP_DEQUANTIZE_LINEAR, inputs, 3));
}

/* A transposition in front of a dense layer goes into the layer's weights: hardware computes what it refused before. */
static void lowered_dense(void **state) {
    (void)state;
    seed = 8;
    graph = weir_graph_new("g");
    const weir_type codes = {
        .dtype = WEIR_UINT8, .shape = {3, {1, 3, 4}}, .quant = {.format = WEIR_FORMAT_INTEGER, .width = 8, .axis = -1}};
    const weir_value x = weir_graph_add_input(graph, "x", &codes);
    weir_array *w = weir_array_new(WEIR_INT8, &(weir_shape){2, {12, 5}});
    for (size_t i = 0; i < w->count; i++) weir_array_set_int(w, i, pick(-9, 9));
    weir_value y = transpose(dequantize(x, 3), (int64_t[]){0, 2, 1});
    y = binary(WEIR_OP_RESHAPE, y, integers((int64_t[]){1, 12}, 2));
    y = binary(WEIR_OP_MATMUL, y, dequantize(weir_graph_add_constant(graph, "w", w), 0));
    weir_graph_add_output(graph, "y", y);
    weir_array_free(w);
    weir_graph *integer = weir_lower_integer(graph);
    assert_non_null(integer);
    assert_int_equal(weir_count_transpositions(integer), 0);
    weir_array *data = weir_array_new(WEIR_UINT8, &codes.shape);
    for (size_t i = 0; i < data->count; i++) weir_array_set_int(data, i, pick(0, 255));
    weir_array **wanted = run(graph, &data), **found = run(integer, &data);
    for (size_t i = 0; i < 5; i++) assert_true(weir_array_get(*wanted, i) == weir_array_get(*found, i));
    weir_array_free(*wanted);
    weir_array_free(*found);
    free(wanted);
    free(found);
    weir_array_free(data);
    weir_graph_free(integer);
    weir_graph_free(graph);
}

/* What the host computes behind the hardware has the layouts that follow from its operators. */
static void lowered_tail(void **state) {
    (void)state;
    seed = 9;
    graph = weir_graph_new("g");
    const weir_value x = input((weir_shape){4, {1, 2, 4, 4}});
    weir_array *scale = weir_array_new(WEIR_FLOAT32, &(weir_shape){0, {0}});
    weir_array_set(scale, 0, 0.25);
    const weir_value inputs[] = {x, weir_graph_add_constant(graph, "s", scale)};
    weir_array_free(scale);
    const weir_value codes = done(add(WEIR_OP_QUANTIZE_LINEAR, inputs, 2));
    const weir_value y = pool(WEIR_OP_AVERAGE_POOL, dequantize(codes, 0));
    weir_graph_add_output(graph, "y", y);
    weir_graph *integer = weir_lower_integer(graph);
    assert_non_null(integer);
    assert_true(weir_graph_verify(integer));
    weir_graph_free(integer);
    weir_graph_free(graph);
}

/* What has no channels and no transpositions stays as it is, to the byte. */
static void matrix_products(void **state) {
    (void)state;
    seed = 6;
    graph = weir_graph_new("g");
    weir_value x = input((weir_shape){2, {1, 8}});
    for (int i = 0; i < 3; i++) x = unary(WEIR_OP_RELU, dense(x, 8));
    weir_graph_add_output(graph, "y", x);
    weir_text before = {NULL, 0, 0}, after = {NULL, 0, 0};
    weir_graph *converted = check();
    weir_graph_print(graph, &before);
    weir_graph_print(converted, &after);
    assert_string_equal(before.data, after.data);
    weir_text_free(&before);
    weir_text_free(&after);
    weir_graph_free(converted);
    weir_graph_free(graph);
}

/* Layouts are in the text and are read back; a second conversion changes nothing. */
static void text_form(void **state) {
    (void)state;
    seed = 7;
    graph = weir_graph_new("g");
    weir_value x = conv(input((weir_shape){4, {1, 3, 6, 6}}), 4, 3);
    weir_graph_add_output(graph, "y", unary(WEIR_OP_RELU, x));
    weir_graph *converted = check();
    weir_text text = {NULL, 0, 0};
    weir_graph_print(converted, &text);
    assert_non_null(strstr(text.data, "float32[1,6,6,3] layout=NHWC"));
    assert_non_null(strstr(text.data, "layout = \"NHWC\""));
    assert_true(weir_graph_save(converted, "layout_test.weir"));
    weir_graph *read = weir_graph_load("layout_test.weir");
    assert_non_null(read);
    weir_text again = {NULL, 0, 0};
    bool changed;
    assert_true(weir_convert_layout(read, &changed));
    weir_graph_print(read, &again);
    assert_string_equal(text.data, again.data);
    remove("layout_test.weir");
    remove("layout_test.npz");
    weir_text_free(&text);
    weir_text_free(&again);
    weir_graph_free(read);
    weir_graph_free(converted);
    weir_graph_free(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs),   cmocka_unit_test(torch_cnn),    cmocka_unit_test(tensorflow_cnn),
        cmocka_unit_test(residual),        cmocka_unit_test(shared_input), cmocka_unit_test(moves_of_one),
        cmocka_unit_test(lowered_dense),   cmocka_unit_test(lowered_tail), cmocka_unit_test(text_form),
        cmocka_unit_test(matrix_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
