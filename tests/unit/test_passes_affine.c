/* Affine constants between quantizers: random chains of them against the float engine, and the networks of
 * tests/models/affine against what qonnx and ONNX Runtime made of them. Scales are powers of two where products are
 * summed up, so that every result has one value: integer graph and components must give it, bit for bit. */
#include <math.h>
#include <stdio.h>

#include "support/file/file.h"
#include "test_passes_frames.h"

enum { NETWORKS = 250, INPUTS = 6, CHANNELS = 5 };

/* --- random networks --- */

static weir_value constant(weir_graph *g, size_t count, double low, double high) {
    double values[INPUTS * CHANNELS];
    for (size_t i = 0; i < count; i++) values[i] = chance(4) ? 0 : (double)(float)real(low, high);
    return add_constant(g, "c", WEIR_FLOAT32, count == 1 ? 0 : 1, (int64_t)count, 0, values);
}

static weir_value add_quant(weir_graph *g, weir_value x, double scale, double bits, bool is_signed, bool narrow) {
    static const char *const modes[] = {"ROUND", "FLOOR", "CEIL", "DOWN", "UP", "HALF_UP", "HALF_DOWN"};
    weir_value in[4] = {x, add_scalar(g, "s", WEIR_FLOAT32, scale), add_scalar(g, "z", WEIR_FLOAT32, 0),
                        add_scalar(g, "b", WEIR_FLOAT32, bits)};
    weir_node node = put(g, WEIR_OP_QUANT, "quant", 4, in);
    weir_node_set_int(g, node, "signed", is_signed);
    weir_node_set_int(g, node, "narrow", narrow);
    weir_node_set_string(g, node, "rounding_mode", modes[random_int(0, 6)]);
    assert_true(weir_infer_node(g, node));
    return weir_node_output(g, node, 0);
}

/* Thresholds for all channels or each, in any order, some of them met exactly; results on a grid of powers of two. */
static weir_value add_thresholds(weir_graph *g, weir_value x, size_t channels) {
    enum { STEPS = 5 };
    double values[INPUTS * STEPS];
    const size_t rows = chance(50) ? channels : 1, steps = (size_t)random_int(1, STEPS);
    for (size_t i = 0; i < rows * steps; i++) values[i] = chance(50) ? (double)random_int(-24, 24) / 4 : real(-6, 6);
    const weir_value in[2] = {x, add_constant(g, "t", WEIR_FLOAT32, 2, (int64_t)rows, (int64_t)steps, values)};
    const weir_node node = put(g, WEIR_OP_MULTI_THRESHOLD, "mt", 2, in);
    const double scale = chance(50) ? 1 : 0.5;
    if (scale < 1) weir_node_set_float(g, node, "out_scale", scale);
    if (chance(70)) weir_node_set_float(g, node, "out_bias", scale * (double)random_int(-4, 1) / 2);
    assert_true(weir_infer_node(g, node));
    return weir_node_output(g, node, 0);
}

/* Fewer bits of sums that are whole numbers of the scale. */
static weir_value add_trunc(weir_graph *g, weir_value x, double scale) {
    static const char *const modes[] = {"ROUND", "FLOOR", "CEIL", "DOWN", "UP", "HALF_UP", "HALF_DOWN"};
    const int64_t less = random_int(0, 3), bits = random_int(3, 6);
    const bool to_scale = chance(50);
    const weir_value width = add_scalar(g, "b", WEIR_FLOAT32, (double)bits);
    weir_value in[6] = {x, add_scalar(g, "s", WEIR_FLOAT32, scale),
                        add_scalar(g, "z", WEIR_FLOAT32, chance(30) ? 8 : 0),
                        add_scalar(g, "w", WEIR_FLOAT32, (double)(bits + less)), width};
    if (to_scale) {
        in[4] = add_scalar(g, "o", WEIR_FLOAT32, scale * (double)(1 << less));
        in[5] = width;
    }
    const weir_node node = put(g, WEIR_OP_TRUNC, "trunc", to_scale ? 6 : 5, in);
    weir_node_set_string(g, node, "rounding_mode", modes[random_int(0, 6)]);
    if (to_scale) weir_node_set_int(g, node, "signed", chance(70));
    assert_true(weir_infer_node(g, node));
    return weir_node_output(g, node, 0);
}

static weir_value add_normalization(weir_graph *g, weir_value x, size_t channels, bool mixed) {
    weir_value scale = constant(g, channels, mixed ? -2 : 0.1, 2), shift = constant(g, channels, -2, 2);
    weir_value mean = constant(g, channels, -4, 4), variance = constant(g, channels, 0.5, 9);
    return ADD(g, WEIR_OP_BATCH_NORMALIZATION, "bn", x, scale, shift, mean, variance);
}

/* One operation of a chain on `channels` channels; signs may differ by channel where `mixed`. */
static weir_value add_operation(weir_graph *g, weir_value x, size_t channels, bool mixed) {
    const size_t count = mixed && chance(60) ? channels : 1;
    const double low = count > 1 || chance(30) ? -2 : 0.05;
    switch (random_int(0, 8)) {
    case 0: return ADD(g, WEIR_OP_MUL, "mul", x, constant(g, count, low, 2));
    case 1: return ADD(g, WEIR_OP_MUL, "mul", constant(g, count, low, 2), x);
    case 2: { /* never by zero */
        double by[CHANNELS];
        for (size_t c = 0; c < count; c++) by[c] = (double)(float)real(0.2, 3) * (mixed && chance(40) ? -1 : 1);
        return ADD(g, WEIR_OP_DIV, "div", x, add_constant(g, "d", WEIR_FLOAT32, 1, (int64_t)count, 0, by));
    }
    case 3: return ADD(g, WEIR_OP_ADD, "add", x, constant(g, count, -3, 3));
    case 4: return ADD(g, WEIR_OP_SUB, "sub", x, constant(g, count, -3, 3));
    case 5: return ADD(g, WEIR_OP_SUB, "sub", constant(g, count, -3, 3), x);
    case 6: return ADD(g, WEIR_OP_RELU, "relu", x);
    case 7: return ADD(g, WEIR_OP_MAX, "max", x, constant(g, 1, -2, 0));
    default: return add_normalization(g, x, channels, mixed);
    }
}

static weir_value add_weights(weir_graph *g, size_t inputs, size_t outputs) {
    double values[INPUTS * CHANNELS];
    const bool whole = chance(20); /* codes of scale 1, which have no quantizer */
    for (size_t i = 0; i < inputs * outputs; i++) values[i] = whole ? (double)random_int(-4, 4) : real(-4, 4);
    weir_value w = add_constant(g, "w", WEIR_FLOAT32, 2, (int64_t)inputs, (int64_t)outputs, values);
    if (whole) return w;
    if (chance(40)) return ADD(g, WEIR_OP_BIPOLAR_QUANT, "wq", w, add_scalar(g, "one", WEIR_FLOAT32, 1));
    return add_quant(g, w, 0.5, (double)random_int(2, 5), true, chance(50));
}

/* Quantizer, dense layer, chain, quantizer, a chain on activations, quantizer, dense layer, chain on the host. */
static weir_graph *random_network(void) {
    weir_graph *g = weir_graph_new("model");
    weir_value x = add_real_input(g, "x", 1, INPUTS);
    if (chance(50)) x = add_normalization(g, x, INPUTS, true);
    if (chance(20)) x = add_thresholds(g, x, INPUTS);
    else x = add_quant(g, x, 0.25, (double)random_int(2, 6), true, chance(50));
    x = ADD(g, WEIR_OP_MATMUL, "mm", x, add_weights(g, INPUTS, CHANNELS));
    const int64_t operations = random_int(0, 4);
    for (int64_t i = operations; i > 0; i--) x = add_operation(g, x, CHANNELS, true);
    if (operations == 0 && chance(60)) x = add_trunc(g, x, 0.125);
    else if (chance(30)) x = add_thresholds(g, x, CHANNELS);
    else x = add_quant(g, x, chance(60) ? 0.25 : real(0.1, 0.6), (double)random_int(2, 8), chance(70), chance(30));
    if (chance(40)) {
        for (int64_t i = random_int(1, 3); i > 0; i--) x = add_operation(g, x, CHANNELS, chance(50));
        x = chance(30) ? ADD(g, WEIR_OP_BIPOLAR_QUANT, "bq", x, add_scalar(g, "one", WEIR_FLOAT32, 1))
                       : add_quant(g, x, 0.25, (double)random_int(2, 6), true, false);
        x = ADD(g, WEIR_OP_MATMUL, "mm", x, add_weights(g, CHANNELS, CHANNELS));
        for (int64_t i = random_int(0, 3); i > 0; i--) x = add_operation(g, x, CHANNELS, true);
    }
    weir_graph_add_output(g, "y", x);
    return g;
}

static void random_chains(void **state) {
    (void)state;
    size_t mirrored = 0, thresholds = 0, scales = 0;
    for (int i = 0; i < NETWORKS; i++) {
        weir_graph *model = random_network(), *integer = weir_lower_integer(model);
        if (integer == NULL) fail_msg("network %d: %s", i, test_messages.data);
        if (!weir_graph_verify(integer)) fail_msg("network %d: %s", i, test_messages.data);
        if (differing(model, integer) > 0) fail_msg("network %d: the integer graph differs", i);
        weir_graph *hardware = weir_graph_copy(integer);
        if (!weir_realize_requantize(hardware, WEIR_REQUANTIZE_AUTO)) fail_msg("network %d: %s", i, test_messages.data);
        if (differing(model, hardware) > 0) fail_msg("network %d: the components differ", i);
        for (weir_node n = weir_graph_first(hardware); n.id != 0; n = weir_node_next(hardware, n))
            mirrored += strstr(weir_node_name(hardware, n), "_mirrored") != NULL;
        thresholds += count_op(hardware, WEIR_OP_THRESHOLD);
        scales += count_op(hardware, WEIR_OP_SCALE) + count_op(hardware, WEIR_OP_CAST_CODES);
        weir_graph_free(hardware);
        weir_graph_free(integer);
        weir_graph_free(model);
    }
    assert_true(mirrored > 20 && thresholds > 20 && scales > 20);
}

/* --- what others make of networks --- */

static const struct {
    const char *name;
    double tolerance; /* of sums whose order decides, where scales are no powers of two */
} stored[] = {{"gemm_bn_relu", 0},
              {"mul_add", 0},
              {"bipolar_falling", 0},
              {"ternary_falling", 0},
              {"zero_and_falling", 0},
              {"sub_div", 0},
              {"head_and_tail", 0},
              {"falling_activations", 0},
              {"residual", 0},
              {"residual_falling", 0},
              {"shapes", 0},
              {"clip_between", 0},
              {"roundings", 0},
              {"wide", 0},
              {"layer_scales", 0},
              {"zero_points", 0},
              {"uneven_scales", 2e-6},
              {"qdq_bn_relu", 0},
              {"softmax_tail", 0},
              {"integer_product", 0},
              {"thresholds", 0},
              {"truncations", 0},
              {"truncations_to_scale", 0}};

static void what_qonnx_and_onnx_runtime_compute(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof stored / sizeof *stored; i++) {
        weir_graph *model = import_model("affine", stored[i].name), *integer = weir_lower_integer(model);
        if (integer == NULL) fail_msg("%s: %s", stored[i].name, test_messages.data);
        weir_graph *hardware = realized(integer);
        weir_array *x = read_stored("affine", stored[i].name, "x"),
                   *expected = read_stored("affine", stored[i].name, "expected");
        const weir_graph *graphs[] = {model, integer, hardware};
        for (size_t k = 0; k < 3; k++) {
            const size_t count = wrong(graphs[k], x, expected, stored[i].tolerance);
            if (count > 0) fail_msg("%s: %zu elements of graph %zu differ", stored[i].name, count, k);
        }
        /* A planted difference is seen. */
        weir_array_set(expected, expected->count / 2, weir_array_get(expected, expected->count / 2) + 1);
        assert_int_equal(wrong(hardware, x, expected, stored[i].tolerance), 1);
        weir_array_free(x);
        weir_array_free(expected);
        weir_graph_free(hardware);
        weir_graph_free(integer);
        weir_graph_free(model);
    }
}

/* --- verify_lowering sees them --- */

/* One number of the node's constant `index`, of the largest magnitude, moves by half of itself. */
static void plant(weir_graph *graph, weir_node node, size_t index) {
    weir_array *numbers =
        weir_array_convert(weir_value_constant(graph, weir_node_input(graph, node, index)), WEIR_FLOAT32);
    size_t most = 0;
    for (size_t i = 0; i < numbers->count; i++)
        most = fabs(weir_array_get(numbers, i)) > fabs(weir_array_get(numbers, most)) ? i : most;
    weir_array_set(numbers, most, weir_array_get(numbers, most) * 1.5);
    weir_node_set_input(graph, node, index, weir_graph_add_constant(graph, "planted", numbers));
    weir_array_free(numbers);
    assert_true(weir_infer_node(graph, node));
}

/* A step of the lowering with another constant, or in another order, and one that only hardware has. */
static void faults_of_steps_are_found(void **state) {
    (void)state;
    static const char *const names[] = {"gemm_bn_relu", "mul_add",         "sub_div",    "residual",
                                        "qdq_bn_relu",  "ternary_falling", "thresholds", "truncations"};
    size_t planted = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        weir_graph *model = import_model("affine", names[i]), *integer = weir_lower_integer(model),
                   *hardware = realized(integer);
        if (!verified(model, integer, hardware)) fail_msg("%s: %s", names[i], test_messages.data);
        const size_t constants = weir_node_input_count(integer, find_op(integer, WEIR_OP_REQUANTIZE));
        for (size_t k = 2; k < constants; k++, planted++) {
            weir_graph *wrong = weir_graph_copy(integer);
            plant(wrong, find_op(wrong, WEIR_OP_REQUANTIZE), k);
            weir_graph *made = realized(wrong);
            if (verified(model, wrong, made)) fail_msg("%s: constant %zu is not looked at", names[i], k);
            if (verified(model, integer, made)) fail_msg("%s: constant %zu in hardware is not looked at", names[i], k);
            weir_graph_free(made);
            weir_graph_free(wrong);
        }
        weir_graph *wrong = weir_graph_copy(integer);
        weir_node node = find_op(wrong, WEIR_OP_REQUANTIZE);
        const char *steps = weir_node_string(wrong, node, "steps", "");
        if (strncmp(steps, "Mul Add", 7) == 0) { /* turned around */
            char *turned = weir_format("Add Mul%s", steps + 7);
            weir_node_set_string(wrong, node, "steps", turned);
            free(turned);
            weir_graph *made = realized(wrong);
            if (verified(model, wrong, made)) fail_msg("%s: the order is not looked at", names[i]);
            weir_graph_free(made);
        }
        weir_graph_free(wrong);
        weir_graph_free(hardware);
        weir_graph_free(integer);
        weir_graph_free(model);
    }
    assert_true(planted >= 8);
}

/* --- signs without a dense layer in front --- */

static void functions_that_fall(void **state) {
    (void)state;
    static const double both[CHANNELS] = {1, -1, 1, -1, 0.5}, down[1] = {-0.7};
    for (int mixed = 0; mixed < 2; mixed++) {
        weir_graph *g = weir_graph_new("model");
        weir_value x = add_quant(g, add_real_input(g, "x", 1, CHANNELS), 0.25, 6, true, false);
        weir_value by = mixed ? add_constant(g, "c", WEIR_FLOAT32, 1, CHANNELS, 0, both)
                              : add_constant(g, "c", WEIR_FLOAT32, 1, 1, 0, down);
        x = add_quant(g, ADD(g, WEIR_OP_MUL, "mul", x, by), 0.5, 4, true, false);
        weir_graph_add_output(g, "y", ADD(g, WEIR_OP_MATMUL, "mm", x, add_weights(g, CHANNELS, CHANNELS)));
        weir_graph *integer = weir_lower_integer(g);
        assert_non_null(integer);
        assert_int_equal(differing(g, integer), 0);
        assert_true(weir_realize_requantize(integer, WEIR_REQUANTIZE_AUTO));
        assert_int_equal(differing(g, integer), 0);
        assert_int_equal(count_op(integer, WEIR_OP_LINEAR), 1 + mixed); /* one for the signs */
        weir_graph_free(integer);
        weir_graph_free(g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(random_chains), TEST(what_qonnx_and_onnx_runtime_compute),
                                       TEST(faults_of_steps_are_found), TEST(functions_that_fall)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
