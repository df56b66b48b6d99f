/* Values without quantizers that layers read (passes/lower/lower_carry.c): exactly where their numbers are whole
 * multiples of a scale, else in fixed point. weir_lower_integer compares the model with what it makes, value by
 * value. */
#include "test_passes_lowering.h"
#include "test_passes_support.h"

static const double scales[4] = {0.013, 0.07, 0.002, 0.11}, zero_points[4] = {3, -7, 0, 20};
static const double shifts[4] = {0.5, -0.25, 0.125, 1}, ones[4] = {1, 1, 1, 1};

/* DequantizeLinear of constant int8 codes [rows, columns], with a scale for each index of the axis. */
static weir_value weights_by(weir_graph *g, int64_t rows, int64_t columns, int axis) {
    double codes[16];
    const int64_t count = axis == 0 ? rows : columns;
    for (int64_t i = 0; i < rows * columns; i++) codes[i] = (double)random_int(-128, 127);
    const weir_value in[3] = {add_constant(g, "codes", WEIR_INT8, 2, rows, columns, codes),
                              add_constant(g, "scale", WEIR_FLOAT32, 1, count, 0, scales),
                              add_constant(g, "zero", WEIR_INT8, 1, count, 0, zero_points)};
    const weir_node node = put(g, WEIR_OP_DEQUANTIZE_LINEAR, "weights", 3, in);
    weir_node_set_int(g, node, "axis", axis);
    assert_true(weir_infer_node(g, node));
    return weir_node_output(g, node, 0);
}

/* x [1, 4] as a dense layer's input, whose results are quantized again; how many values of the integer graph are in
 * fixed point. Frees it. */
static size_t through_layer(weir_graph *g, weir_value x, weir_value weights) {
    const weir_value sums = ADD(g, WEIR_OP_MATMUL, "layer", x, weights);
    weir_graph_add_output(g, "y", add_qdq(g, "after", sums, 0.25, WEIR_INT8, 0));
    weir_graph *integer = weir_lower_integer(g);
    if (integer == NULL) fail_msg("%s", test_messages.data);
    assert_int_equal(count_op(integer, WEIR_OP_LINEAR), 1);
    size_t count = count_op(integer, WEIR_OP_SCALE);
    for (weir_node node = weir_graph_first(integer); node.id != 0; node = weir_node_next(integer, node)) {
        const weir_type *type = weir_value_type(integer, weir_node_output(integer, node, 0));
        count += weir_node_op(integer, node) == WEIR_OP_LOOKUP && weir_bits_for(type->low, type->high) > 16;
    }
    weir_graph_free(integer);
    weir_graph_free(g);
    return count;
}

static weir_value quantized_input(weir_graph *g, const char *name, double scale) {
    return add_qdq(g, name, add_real_input(g, name, 1, 4), scale, WEIR_UINT8, 128);
}

static void whole_multiples_stay_codes(void **state) {
    (void)state;
    static const weir_op ops[] = {WEIR_OP_ABS, WEIR_OP_NEG, WEIR_OP_RELU, WEIR_OP_CLIP};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        weir_graph *g = weir_graph_new("model");
        const weir_value x = quantized_input(g, "x", 0.013), y = ADD(g, ops[i], "between", x);
        assert_int_equal(through_layer(g, y, weights_by(g, 4, 3, 1)), 0);
    }
    for (int smaller = 0; smaller < 2; smaller++) { /* of two scales with a common unit */
        weir_graph *g = weir_graph_new("model");
        const weir_value a = quantized_input(g, "a", 0.25), b = quantized_input(g, "b", 0.375);
        const weir_value y = ADD(g, smaller == 1 ? WEIR_OP_MIN : WEIR_OP_MAX, "between", a, b);
        assert_int_equal(through_layer(g, y, weights_by(g, 4, 3, 1)), 2); /* exact products with 2 and 3 */
    }
}

static void others_are_in_fixed_point(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("model");
    weir_value y = ADD(g, WEIR_OP_SIGMOID, "between", quantized_input(g, "x", 0.03));
    assert_int_equal(through_layer(g, y, weights_by(g, 4, 3, 1)), 1);
    g = weir_graph_new("model");
    y = ADD(g, WEIR_OP_MUL, "between", quantized_input(g, "x", 0.03),
            add_constant(g, "by", WEIR_FLOAT32, 1, 4, 0, shifts));
    y = ADD(g, WEIR_OP_ABS, "magnitudes", y); /* of numbers of both signs: a table a channel */
    assert_int_equal(through_layer(g, y, weights_by(g, 4, 3, 1)), 1);
    g = weir_graph_new("model");
    const weir_value in[5] = {quantized_input(g, "x", 0.03), add_constant(g, "factor", WEIR_FLOAT32, 1, 4, 0, scales),
                              add_constant(g, "term", WEIR_FLOAT32, 1, 4, 0, shifts),
                              add_constant(g, "mean", WEIR_FLOAT32, 1, 4, 0, shifts),
                              add_constant(g, "variance", WEIR_FLOAT32, 1, 4, 0, ones)};
    y = add_value(g, WEIR_OP_BATCH_NORMALIZATION, "between", 5, in);
    assert_int_equal(through_layer(g, y, weights_by(g, 4, 3, 1)), 1);
}

/* A layer of the function of another layer's sums, with weights of as many scales as `scales_of_it`; `before`: of a
 * function of these, or none. */
static weir_graph *function_between_layers(weir_op before, weir_op op, size_t scales_of_it) {
    weir_graph *g = weir_graph_new("model");
    const weir_value x = quantized_input(g, "x", 0.03);
    double codes[16];
    for (size_t i = 0; i < 16; i++) codes[i] = (double)random_int(-128, 127);
    const weir_value in[2] = {add_constant(g, "codes", WEIR_INT8, 2, 4, 4, codes),
                              add_constant(g, "scale", WEIR_FLOAT32, scales_of_it > 1, 4, 0, scales)};
    const weir_node node = put(g, WEIR_OP_DEQUANTIZE_LINEAR, "weights", 2, in);
    weir_node_set_int(g, node, "axis", 1);
    assert_true(weir_infer_node(g, node));
    const weir_value sums = ADD(g, WEIR_OP_MATMUL, "sums", x, weir_node_output(g, node, 0));
    const weir_value z = before == WEIR_OP_NONE ? sums : ADD(g, before, "before", sums),
                     y = ADD(g, WEIR_OP_MATMUL, "layer", ADD(g, op, "between", z), weights_by(g, 4, 3, 1));
    weir_graph_add_output(g, "y", add_qdq(g, "after", y, 0.25, WEIR_INT8, 0));
    return g;
}

static void functions_of_sums_are_segments(void **state) {
    (void)state;
    static const weir_op ops[] = {WEIR_OP_SIGMOID,      WEIR_OP_TANH,      WEIR_OP_ERF,      WEIR_OP_ELU,
                                  WEIR_OP_CELU,         WEIR_OP_GELU,      WEIR_OP_SOFTPLUS, WEIR_OP_MISH,
                                  WEIR_OP_HARD_SIGMOID, WEIR_OP_HARD_SWISH};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        for (size_t scales_of_it = 1; scales_of_it <= 4; scales_of_it += 3) {
            weir_graph *g = function_between_layers(WEIR_OP_NONE, ops[i], scales_of_it),
                       *integer = weir_lower_integer(g);
            if (integer == NULL) fail_msg("%s: %s", weir_op_get(ops[i])->name, test_messages.data);
            const bool hard = ops[i] == WEIR_OP_HARD_SIGMOID || ops[i] == WEIR_OP_HARD_SWISH;
            assert_int_equal(count_op(integer, WEIR_OP_LOOKUP), hard ? 0 : 3);
            weir_graph_free(integer);
            weir_graph_free(g);
        }
    }
    weir_graph *g = function_between_layers(WEIR_OP_NONE, WEIR_OP_FLOOR, 1), *integer = weir_lower_integer(g);
    assert_int_equal(count_op(integer, WEIR_OP_THRESHOLD), 1); /* few results */
    weir_graph_free(integer);
    weir_graph_free(g);
}

/* Functions that are straight nowhere are segments where they are finite, of all that the sums can be, and not too
 * large. */
static void bent_functions_are_segments(void **state) {
    (void)state;
    static const weir_op bounded[] = {WEIR_OP_EXP, WEIR_OP_SIN, WEIR_OP_COS, WEIR_OP_SINH, WEIR_OP_COSH},
                         refused[] = {WEIR_OP_EXP, WEIR_OP_TAN, WEIR_OP_LOG, WEIR_OP_SQRT, WEIR_OP_RECIPROCAL};
    for (size_t i = 0; i < sizeof bounded / sizeof *bounded; i++) {
        weir_graph *g = function_between_layers(WEIR_OP_TANH, bounded[i], 4), *integer = weir_lower_integer(g);
        if (integer == NULL) fail_msg("%s: %s", weir_op_get(bounded[i])->name, test_messages.data);
        assert_true(count_op(integer, WEIR_OP_LOOKUP) >= 3);
        weir_graph_free(integer);
        weir_graph_free(g);
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        weir_graph *g = function_between_layers(WEIR_OP_NONE, refused[i], 1);
        test_setup(NULL);
        assert_null(weir_lower_integer(g));
        assert_error("node 'layer' (MatMul): its input is a function of sums of");
        weir_graph_free(g);
    }
}

/* Sums of a fixed point number have a unit of which biases are whole multiples beyond 32 bits: what cuts them off is of
 * narrower codes. */
static void bounds_of_wide_sums(void **state) {
    (void)state;
    static const double halves[4] = {0.25, 0.25, 0.25, 0.25}, biases[4] = {-0.4084522, -0.11519771, 0.21353969, 7.5},
                        limits[2] = {0, 6};
    double codes[16];
    weir_graph *g = weir_graph_new("model");
    for (size_t i = 0; i < 16; i++) codes[i] = (double)random_int(-3, 3);
    const weir_value in[2] = {add_constant(g, "codes", WEIR_INT8, 2, 4, 4, codes),
                              add_constant(g, "scale", WEIR_FLOAT32, 1, 4, 0, halves)};
    const weir_node node = put(g, WEIR_OP_DEQUANTIZE_LINEAR, "weights", 2, in);
    weir_node_set_int(g, node, "axis", 1);
    assert_true(weir_infer_node(g, node));
    weir_value y = ADD(g, WEIR_OP_SIGMOID, "between", quantized_input(g, "x", 0.0267));
    y = ADD(g, WEIR_OP_MATMUL, "sums", y, weir_node_output(g, node, 0));
    y = ADD(g, WEIR_OP_ADD, "biased", y, add_constant(g, "b", WEIR_FLOAT32, 1, 4, 0, biases));
    y = ADD(g, WEIR_OP_MAX, "above", y, add_scalar(g, "low", WEIR_FLOAT32, limits[0]));
    y = ADD(g, WEIR_OP_MIN, "below", y, add_scalar(g, "high", WEIR_FLOAT32, limits[1]));
    y = ADD(g, WEIR_OP_MATMUL, "layer", y, weights_by(g, 4, 3, 1));
    weir_graph_add_output(g, "y", add_qdq(g, "after", y, 0.25, WEIR_INT8, 0));
    weir_graph *integer = weir_lower_integer(g);
    if (integer == NULL) fail_msg("%s", test_messages.data);
    for (weir_node made = weir_graph_first(integer); made.id != 0; made = weir_node_next(integer, made)) {
        if (weir_node_op(integer, made) != WEIR_OP_CAST_CODES && weir_node_op(integer, made) != WEIR_OP_MAXIMUM)
            continue;
        const weir_type *type = weir_value_type(integer, weir_node_output(integer, made, 0));
        assert_true(type->low >= INT32_MIN && type->high <= INT32_MAX);
    }
    weir_graph_free(integer);
    weir_graph_free(g);
}

static void scales_of_inputs_move_to_them(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("model");
    weir_value x = quantized_input(g, "x", 0.03);
    assert_int_equal(through_layer(g, x, weights_by(g, 4, 3, 0)), 1);
    g = weir_graph_new("model");
    const weir_value in[2] = {add_real_input(g, "x", 1, 4), add_constant(g, "s", WEIR_FLOAT32, 1, 4, 0, scales)};
    x = add_value(g, WEIR_OP_BIPOLAR_QUANT, "bipolar", 2, in); /* codes with a scale each */
    assert_int_equal(through_layer(g, x, weights_by(g, 4, 3, 1)), 1);
}

/* Sums of scales far apart and codes, added: a quantizer behind bounds reads it before a layer, or the layer itself. */
static weir_graph *sum_of_far_scales(bool bounded) {
    static const double far[4] = {0.013, 0.07, 0.002, 110}, limits[2] = {0, 6};
    weir_graph *g = weir_graph_new("model");
    double codes[16];
    for (size_t i = 0; i < 16; i++) codes[i] = (double)random_int(-128, 127);
    const weir_value in[2] = {add_constant(g, "codes", WEIR_INT8, 2, 4, 4, codes),
                              add_constant(g, "scale", WEIR_FLOAT32, 1, 4, 0, far)};
    const weir_node node = put(g, WEIR_OP_DEQUANTIZE_LINEAR, "weights", 2, in);
    weir_node_set_int(g, node, "axis", 1);
    assert_true(weir_infer_node(g, node));
    const weir_value x = quantized_input(g, "x", 0.03),
                     sums = ADD(g, WEIR_OP_MATMUL, "sums", x, weir_node_output(g, node, 0));
    weir_value y = ADD(g, WEIR_OP_ADD, "sum", sums, quantized_input(g, "b", 0.01));
    if (bounded) {
        y = ADD(g, WEIR_OP_MAX, "above", y, add_scalar(g, "low", WEIR_FLOAT32, limits[0]));
        y = ADD(g, WEIR_OP_MIN, "below", y, add_scalar(g, "high", WEIR_FLOAT32, limits[1]));
        y = add_qdq(g, "bounded", y, 0.25, WEIR_INT8, 0);
    }
    y = ADD(g, WEIR_OP_MATMUL, "layer", y, weights_by(g, 4, 3, 1));
    weir_graph_add_output(g, "y", add_qdq(g, "after", y, 0.25, WEIR_INT8, 0));
    return g;
}

/* Numbers beyond what their readers tell apart are cut off: those that are left have a unit of their size. */
static void numbers_are_as_large_as_they_are_read(void **state) {
    (void)state;
    weir_graph *g = sum_of_far_scales(true), *integer = weir_lower_integer(g);
    if (integer == NULL) fail_msg("%s", test_messages.data);
    weir_node sums = find_op(integer, WEIR_OP_SCALE);
    /* up to 6, beside a number of 1.28 at most, but of a factor of 3.3: 2^3 in 30 bits */
    assert_true(weir_quant_scale(&weir_value_type(integer, weir_node_output(integer, sums, 0))->quant, 0) == 0x1p-27);
    assert_true(verified(g, integer, NULL));
    const int64_t high = weir_node_int(integer, sums, "high", 0); /* planted: cut off where it is read */
    weir_node_set_int(integer, sums, "high", high / 2);
    assert_true(weir_infer_node(integer, sums));
    assert_false(verified(g, integer, NULL));
    assert_error("node 'sum' (Add): expected ");
    weir_graph_free(integer);
    weir_graph_free(g);
    g = sum_of_far_scales(false); /* a layer tells all of them apart: 110 * 0.03 * 4 * 128 * 128 or so */
    integer = weir_lower_integer(g);
    if (integer == NULL) fail_msg("%s", test_messages.data);
    sums = find_op(integer, WEIR_OP_SCALE);
    assert_true(weir_quant_scale(&weir_value_type(integer, weir_node_output(integer, sums, 0))->quant, 0) >= 0x1p-14);
    weir_graph_free(integer);
    weir_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(whole_multiples_stay_codes),
        TEST(others_are_in_fixed_point),
        TEST(bounds_of_wide_sums),
        TEST(scales_of_inputs_move_to_them),
        TEST(functions_of_sums_are_segments),
        TEST(numbers_are_as_large_as_they_are_read),
        TEST(bent_functions_are_segments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
