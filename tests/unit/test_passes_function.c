/* Functions of one code between quantizers: random ones against the float engine, with the codes and the sums that they
 * start from, and which form each becomes. Scales of what is summed up are powers of two, so that every result has one
 * value. */
#include <math.h>

#include "test_passes_frames.h"

enum { NETWORKS = 60, INPUTS = 6, CHANNELS = 5 };

static weir_value constant(weir_graph *g, size_t count, double low, double high) {
    double values[INPUTS * CHANNELS];
    for (size_t i = 0; i < count; i++) values[i] = (double)(float)real(low, high);
    return add_constant(g, "c", WEIR_FLOAT32, count == 1 ? 0 : 1, (int64_t)count, 0, values);
}

static weir_value quantized(weir_graph *g, const char *name, weir_value x, double scale) {
    return add_qdq(g, name, x, scale, WEIR_INT8, (double)random_int(-20, 20));
}

/* A dense layer whose sums are exact in float32. */
static weir_value layer(weir_graph *g, weir_value x, int64_t inputs) {
    double codes[INPUTS * CHANNELS];
    for (int64_t i = 0; i < inputs * CHANNELS; i++) codes[i] = (double)random_int(-60, 60);
    weir_value w = add_constant(g, "w", WEIR_INT8, 2, inputs, CHANNELS, codes);
    w = ADD(g, WEIR_OP_DEQUANTIZE_LINEAR, "wd", w, add_scalar(g, "ws", WEIR_FLOAT32, 0.0078125),
            add_scalar(g, "wz", WEIR_INT8, 0));
    return ADD(g, WEIR_OP_MATMUL, "layer", x, w);
}

static weir_value with_float(weir_graph *g, weir_op op, weir_value x, const char *name, double value) {
    const weir_node node = put(g, op, "f", 1, &x);
    weir_node_set_float(g, node, name, value);
    assert_true(weir_infer_node(g, node));
    return weir_node_output(g, node, 0);
}

/* One that rises or falls everywhere, alone. */
static weir_value monotone(weir_graph *g, weir_value x) {
    const size_t count = chance(40) ? CHANNELS : 1;
    switch (random_int(0, 9)) {
    case 0: return ADD(g, WEIR_OP_SIGMOID, "f", x);
    case 1: return ADD(g, WEIR_OP_TANH, "f", ADD(g, WEIR_OP_MUL, "m", x, constant(g, count, -1, 1)));
    case 2: return ADD(g, WEIR_OP_SOFTPLUS, "f", x);
    case 3: return with_float(g, WEIR_OP_LEAKY_RELU, x, "alpha", 0.125);
    case 4: return with_float(g, WEIR_OP_ELU, x, "alpha", 1.5);
    case 5: return ADD(g, WEIR_OP_SOFTSIGN, "f", ADD(g, WEIR_OP_NEG, "n", x));
    case 6: return ADD(g, WEIR_OP_ERF, "f", ADD(g, WEIR_OP_ADD, "a", x, constant(g, count, -1, 1)));
    case 7: return ADD(g, WEIR_OP_HARD_SIGMOID, "f", ADD(g, WEIR_OP_SUB, "s", constant(g, count, -1, 1), x));
    case 8: return ADD(g, WEIR_OP_FLOOR, "f", ADD(g, WEIR_OP_RELU, "r", x));
    default: return ADD(g, WEIR_OP_SELU, "f", x);
    }
}

/* Any: of several operations, of operands that are functions of the same codes, through quantizers. */
static weir_value any(weir_graph *g, weir_value x, int depth) {
    switch (random_int(0, depth > 0 ? 9 : 3)) {
    case 0: return monotone(g, x);
    case 1: return ADD(g, WEIR_OP_GELU, "f", x);
    case 2: return ADD(g, WEIR_OP_DIV, "f", constant(g, chance(40) ? CHANNELS : 1, 1, 2), ADD(g, WEIR_OP_EXP, "e", x));
    case 3: return ADD(g, WEIR_OP_ABS, "f", x);
    case 4: return ADD(g, WEIR_OP_MUL, "f", x, any(g, x, depth - 1));
    case 5: return ADD(g, WEIR_OP_MUL, "f", x, quantized(g, "inner", any(g, x, depth - 1), real(0.01, 0.05)));
    case 6: return ADD(g, WEIR_OP_MAX, "f", any(g, x, depth - 1), any(g, x, depth - 1));
    case 7: return ADD(g, WEIR_OP_POW, "f", any(g, x, depth - 1), add_scalar(g, "two", WEIR_FLOAT32, 2));
    case 8: return ADD(g, WEIR_OP_ADD, "f", monotone(g, x), any(g, x, depth - 1));
    default: return any(g, monotone(g, x), depth - 1);
    }
}

/* Quantizer, dense layer, quantizer unless the function is of sums, function, quantizer, dense layer. */
static weir_graph *network(bool sums, bool simple) {
    weir_graph *g = weir_graph_new("model");
    weir_value x = layer(g, quantized(g, "q", add_real_input(g, "x", 1, INPUTS), 0.0625), INPUTS);
    if (!sums) x = quantized(g, "before", x, 0.03125);
    x = simple ? monotone(g, x) : any(g, x, 3);
    x = quantized(g, "after", x, 0.015625);
    weir_graph_add_output(g, "y", layer(g, x, CHANNELS));
    return g;
}

/* The integer graph of a network that is exactly the model, as its hardware is. */
static weir_graph *lowered(const weir_graph *model, int number) {
    weir_graph *integer = weir_lower_integer(model);
    if (integer == NULL || !weir_graph_verify(integer)) fail_msg("network %d: %s", number, test_messages.data);
    if (differing(model, integer) > 0) fail_msg("network %d: the integer graph differs", number);
    weir_graph *hardware = realized(integer);
    if (differing(model, hardware) > 0) fail_msg("network %d: the components differ", number);
    if (!verified(model, integer, hardware)) fail_msg("network %d: %s", number, test_messages.data);
    weir_graph_free(hardware);
    return integer;
}

static void functions_of_codes_are_tables(void **state) {
    (void)state;
    size_t each = 0;
    for (int i = 0; i < NETWORKS; i++) {
        weir_graph *model = network(false, chance(30)), *integer = lowered(model, i);
        assert_int_equal(count_op(integer, WEIR_OP_LOOKUP), 1);
        assert_int_equal(count_op(integer, WEIR_OP_THRESHOLD), 0);
        each +=
            weir_value_type(integer, weir_node_input(integer, find_op(integer, WEIR_OP_LOOKUP), 1))->shape.dim[0] > 1;
        weir_graph_free(integer);
        weir_graph_free(model);
    }
    assert_true(each > 5 && each < NETWORKS - 5);
}

static void functions_of_sums_are_thresholds(void **state) {
    (void)state;
    size_t pieces = 0;
    for (int i = 0; i < NETWORKS / 2; i++) {
        const bool simple = chance(60);
        weir_graph *model = network(true, simple), *integer = lowered(model, i);
        assert_int_equal(count_op(integer, WEIR_OP_THRESHOLD), 1);
        pieces += count_op(integer, WEIR_OP_LOOKUP);
        weir_graph_free(integer);
        weir_graph_free(model);
    }
    assert_true(pieces > 5 && pieces < NETWORKS / 2 - 5);
}

/* x * Quantize(Sigmoid(x)), where a layer reads the quantized factor as well. */
static void what_is_looked_through_stays(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("model");
    weir_value x = quantized(g, "q", add_real_input(g, "x", 1, INPUTS), 0.0625);
    weir_value factor = quantized(g, "inner", ADD(g, WEIR_OP_SIGMOID, "sigmoid", x), 0.0078125);
    weir_value product = quantized(g, "after", ADD(g, WEIR_OP_MUL, "product", x, factor), 0.03125);
    weir_graph_add_output(g, "y", layer(g, product, INPUTS));
    weir_graph_add_output(g, "z", layer(g, factor, INPUTS));
    weir_graph *integer = lowered(g, 0);
    assert_int_equal(count_op(integer, WEIR_OP_LOOKUP), 2);
    weir_graph_free(integer);
    weir_graph_free(g);
}

/* Behind a sum of two tensors with scales a power of two apart. */
static void functions_of_a_sum_of_tensors(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("model");
    weir_value x = quantized(g, "q", add_real_input(g, "x", 1, INPUTS), 0.0625);
    weir_value a = quantized(g, "a", layer(g, x, INPUTS), 0.125), b = quantized(g, "b", layer(g, x, INPUTS), 0.0625);
    weir_value y = ADD(g, WEIR_OP_TANH, "tanh", ADD(g, WEIR_OP_ADD, "sum", a, b));
    weir_graph_add_output(g, "y", quantized(g, "after", y, 0.0078125));
    weir_graph *integer = lowered(g, 0);
    assert_int_equal(count_op(integer, WEIR_OP_SUM), 1);
    assert_int_equal(count_op(integer, WEIR_OP_LOOKUP), 1);
    weir_graph_free(integer);
    weir_graph_free(g);
}

/* Without a quantizer behind it the function is the host's. */
static void the_last_function_is_the_hosts(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("model");
    weir_value x = quantized(g, "q", add_real_input(g, "x", 1, INPUTS), 0.0625);
    weir_value y = ADD(g, WEIR_OP_SIGMOID, "sigmoid", layer(g, x, INPUTS));
    weir_graph_add_output(g, "y", ADD(g, WEIR_OP_MUL, "product", y, y));
    weir_graph *integer = lowered(g, 0);
    assert_int_equal(count_op(integer, WEIR_OP_LOOKUP), 0);
    assert_int_equal(count_op(integer, WEIR_OP_DECODE), 1);
    weir_graph_free(integer);
    weir_graph_free(g);
}

static void what_onnx_runtime_computes(void **state) {
    (void)state;
    static const char *const names[] = {"sigmoid_qoperator", "leaky_relu_qoperator", "silu_qdq",
                                        "silu_qoperator",    "hard_swish_qdq",       "hard_swish_pytorch",
                                        "gelu_qdq",          "gelu_qoperator",       "prelu_qdq",
                                        "elu_qdq",           "tanh_qoperator",       "where_qoperator"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        weir_graph *model = import_model("functions", names[i]), *integer = weir_lower_integer(model);
        if (integer == NULL) fail_msg("%s: %s", names[i], test_messages.data);
        weir_graph *hardware = realized(integer);
        weir_array *x = read_stored("functions", names[i], "x"),
                   *expected = read_stored("functions", names[i], "expected");
        if (wrong(integer, x, expected, 0) > 0) fail_msg("%s: the integer graph differs", names[i]);
        if (wrong(hardware, x, expected, 0) > 0) fail_msg("%s: the components differ", names[i]);
        if (!verified(model, integer, hardware)) fail_msg("%s: %s", names[i], test_messages.data);
        /* A planted difference is seen. */
        weir_array_set(expected, expected->count / 2, weir_array_get(expected, expected->count / 2) + 1);
        assert_int_equal(wrong(hardware, x, expected, 0), 1);
        weir_array_free(x);
        weir_array_free(expected);
        weir_graph_free(hardware);
        weir_graph_free(integer);
        weir_graph_free(model);
    }
}

static void assert_refused(weir_graph *g, const char *text) {
    assert_null(weir_lower_integer(g));
    assert_error(text);
    weir_graph_free(g);
    test_setup(NULL);
}

static void what_is_refused(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("model");
    weir_value x = quantized(g, "q", add_real_input(g, "x", 1, INPUTS), 0.0625);
    weir_value a = quantized(g, "a", layer(g, x, INPUTS), 0.125), b = quantized(g, "b", layer(g, x, INPUTS), 0.0625);
    weir_value y = quantized(g, "after", ADD(g, WEIR_OP_POW, "power", a, b), 0.0078125);
    weir_graph_add_output(g, "y", layer(g, y, CHANNELS));
    assert_refused(g, "node 'power' (Pow): hardware computes functions of one quantized tensor, but it has several");

    g = weir_graph_new("model");
    x = quantized(g, "q", add_real_input(g, "x", 1, INPUTS), 0.0625);
    a = quantized(g, "a", layer(g, x, INPUTS), 0.125), b = quantized(g, "b", layer(g, x, INPUTS), 0.07);
    y = ADD(g, WEIR_OP_TAN, "bend", ADD(g, WEIR_OP_SUB, "difference", a, b));
    weir_graph_add_output(g, "y", layer(g, quantized(g, "after", y, 0.0625), CHANNELS));
    assert_refused(g, "its input is a function of sums of 33 bits that both rises and falls");

    g = weir_graph_new("model");
    x = add_qdq(g, "q", add_real_input(g, "x", 1, INPUTS), 0.0001, WEIR_INT16, 0);
    y = ADD(g, WEIR_OP_TAN, "shrink", layer(g, x, INPUTS));
    weir_graph_add_output(g, "y", layer(g, quantized(g, "after", y, 0.0078125), CHANNELS));
    assert_refused(g, "its input is a function of sums of 24 bits that both rises and falls");
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(functions_of_codes_are_tables),
                                       TEST(functions_of_sums_are_thresholds),
                                       TEST(what_is_looked_through_stays),
                                       TEST(functions_of_a_sum_of_tensors),
                                       TEST(the_last_function_is_the_hosts),
                                       TEST(what_onnx_runtime_computes),
                                       TEST(what_is_refused)};
    return cmocka_run_group_tests_name("passes function", tests, NULL, NULL);
}
