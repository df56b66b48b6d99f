/* lower_integer on small graphs of every dialect: the integer graph gives what the float engine gives for the model
 * (scales are powers of two, so that both are exact), and has the form that was meant; then its errors. */
#include <math.h>

#include "test_passes_support.h"

enum { ROUNDS = 40 };

/* Runs both graphs on random frames and compares every output; `reach`: real inputs lie in +-reach, on a fine grid. */
static void same_results(const weir_graph *model, const weir_graph *integer, double reach) {
    weir_executor *a = weir_executor_new(model), *b = weir_executor_new(integer);
    assert_non_null(a);
    assert_non_null(b);
    const weir_type *type = weir_value_type(model, weir_graph_input(model, 0));
    for (int round = 0; round < ROUNDS; round++) {
        weir_array *x = weir_array_new(type->dtype, &type->shape);
        for (size_t i = 0; i < x->count; i++) {
            if (weir_dtype_is_float(type->dtype)) weir_array_set(x, i, reach * (double)random_int(-1024, 1024) / 1024);
            else weir_array_set_int(x, i, random_int(type->low, type->high));
        }
        const weir_array *inputs[1] = {x};
        assert_true(weir_executor_run(a, inputs));
        assert_true(weir_executor_run(b, inputs));
        for (size_t o = 0; o < weir_graph_output_count(model); o++) {
            const weir_array *ya = weir_executor_value(a, weir_graph_output(model, o));
            const weir_array *yb = weir_executor_value(b, weir_graph_output(integer, o));
            assert_int_equal(ya->count, yb->count);
            for (size_t i = 0; i < ya->count; i++)
                if (weir_array_get(ya, i) != weir_array_get(yb, i))
                    fail_msg("output %zu, element %zu: model %.9g, integer %.9g", o, i, weir_array_get(ya, i),
                             weir_array_get(yb, i));
        }
        weir_array_free(x);
    }
    weir_executor_free(a);
    weir_executor_free(b);
}

/* Lowers, compares, then the same with components in every form. Frees the model, returns the integer graph. */
static weir_graph *lower(weir_graph *model, double reach) {
    assert_true(weir_graph_verify(model));
    weir_graph *integer = weir_lower_integer(model);
    if (integer == NULL) fail_msg("%s", test_messages.data);
    if (!weir_graph_verify(integer)) fail_msg("%s", test_messages.data);
    same_results(model, integer, reach);
    for (int form = WEIR_REQUANTIZE_AUTO; form <= WEIR_REQUANTIZE_THRESHOLD; form++) {
        weir_graph *hardware = weir_graph_copy(integer);
        assert_true(weir_realize_requantize(hardware, (weir_requantize_form)form));
        assert_int_equal(count_op(hardware, WEIR_OP_REQUANTIZE), 0);
        if (!weir_graph_verify(hardware)) fail_msg("%s", test_messages.data);
        same_results(model, hardware, reach);
        weir_graph_free(hardware);
    }
    weir_graph_free(model);
    return integer;
}

static void fails(weir_graph *model, const char *text) {
    assert_null(weir_lower_integer(model));
    assert_error(text);
    weir_graph_free(model);
}

static double *random_numbers(double *to, size_t count, int64_t low, int64_t high, double unit) {
    for (size_t i = 0; i < count; i++) to[i] = (double)random_int(low, high) * unit;
    return to;
}

/* A dequantized constant: codes [rows, columns] (rank 2) or [columns] (rank 1). */
static weir_value add_weights(weir_graph *graph, weir_dtype dtype, int rank, int64_t rows, int64_t columns, int axis,
                              size_t scales, const double *scale, const double *zero) {
    double codes[256];
    int64_t low, high;
    weir_dtype_limits(dtype, &low, &high);
    if (dtype == WEIR_INT32) low = -500, high = 500;
    size_t count = (size_t)(rank == 2 ? rows * columns : rows);
    weir_value inputs[3] = {
        add_constant(graph, "codes", dtype, rank, rows, columns, random_numbers(codes, count, low, high, 1)),
        add_constant(graph, "scale", WEIR_FLOAT32, scales > 1, (int64_t)scales, 0, scale),
        add_constant(graph, "zero", dtype, scales > 1, (int64_t)scales, 0, zero)};
    weir_node node = put(graph, WEIR_OP_DEQUANTIZE_LINEAR, "dq", 3, inputs);
    weir_node_set_int(graph, node, "axis", axis);
    assert_true(weir_infer_node(graph, node));
    return weir_node_output(graph, node, 0);
}

static weir_value gemm(weir_graph *graph, size_t count, const weir_value *inputs, bool transposed) {
    weir_node node = put(graph, WEIR_OP_GEMM, "gemm", count, inputs);
    weir_node_set_int(graph, node, "transB", transposed);
    assert_true(weir_infer_node(graph, node));
    return weir_node_output(graph, node, 0);
}

static const double quarters[4] = {0.25, 0.25, 0.25, 0.25}, mixed[4] = {0.25, 0.5, 0.125, 1}, zeros[4] = {0, 0, 0, 0};

static void qdq_gemm_with_bias(void **state) {
    (void)state;
    for (int transposed = 0; transposed < 2; transposed++) {
        weir_graph *g = weir_graph_new("model");
        weir_value x = add_qdq(g, "xq", add_real_input(g, "x", 1, 3), 0.5, WEIR_UINT8, 101);
        double bias_scale[4];
        for (size_t i = 0; i < 4; i++) bias_scale[i] = 0.5 * mixed[i];
        weir_value inputs[3] = {x,
                                transposed ? add_weights(g, WEIR_INT8, 2, 4, 3, 0, 4, mixed, zeros)
                                           : add_weights(g, WEIR_INT8, 2, 3, 4, 1, 4, mixed, zeros),
                                add_weights(g, WEIR_INT32, 1, 4, 0, 0, 4, bias_scale, zeros)};
        weir_value y = ADD(g, WEIR_OP_RELU, "relu", gemm(g, 3, inputs, transposed != 0));
        weir_graph_add_output(g, "y", add_qdq(g, "yq", y, 8, WEIR_UINT8, 7));
        weir_graph *integer = lower(g, 100);
        weir_node requantize = find_op(integer, WEIR_OP_REQUANTIZE);
        assert_int_equal(weir_node_input_count(integer, requantize), 1); /* the bias is in the zero points */
        assert_string_equal(weir_node_string(integer, requantize, "arithmetic", ""), "qlinear");
        assert_int_equal(weir_node_int(integer, requantize, "low", -1), 7); /* the Relu */
        assert_int_equal(count_op(integer, WEIR_OP_MAXIMUM), 0);
        assert_int_equal(weir_value_type(integer, weir_node_input(integer, requantize, 0))->quant.count, 4);
        weir_graph_free(integer);
    }
}

static void weight_zero_points(void **state) {
    (void)state;
    static const double zero[4] = {3, 255, 0, 128};
    for (size_t scales = 1; scales <= 4; scales += 3) {
        weir_graph *g = weir_graph_new("model");
        weir_value x = add_qdq(g, "xq", add_real_input(g, "x", 1, 5), 0.25, WEIR_INT8, -3);
        weir_value inputs[2] = {x, add_weights(g, WEIR_UINT8, 2, 5, 4, 1, scales, mixed, zero)};
        weir_value y = gemm(g, 2, inputs, false);
        weir_graph_add_output(g, "y", add_qdq(g, "yq", y, 16, WEIR_INT8, 5));
        weir_graph_free(lower(g, 40));
    }
}

static void matmul_and_bias_behind_it(void **state) {
    (void)state;
    for (int constant_first = 0; constant_first < 2; constant_first++) {
        weir_graph *g = weir_graph_new("model");
        weir_value x = add_qdq(g, "xq", add_real_input(g, "x", 1, 3), 0.5, WEIR_UINT8, 11);
        weir_value y = ADD(g, WEIR_OP_MATMUL, "mm", x, add_weights(g, WEIR_INT8, 2, 3, 4, 1, 1, quarters, zeros));
        double scale = 0.125;
        weir_value bias = add_weights(g, WEIR_INT32, 1, 4, 0, 0, 1, &scale, zeros);
        y = constant_first ? ADD(g, WEIR_OP_ADD, "add", bias, y) : ADD(g, WEIR_OP_ADD, "add", y, bias);
        weir_graph_add_output(g, "y", add_qdq(g, "yq", y, 4, WEIR_INT8, 0));
        weir_graph *integer = lower(g, 60);
        assert_int_equal(weir_node_input_count(integer, find_op(integer, WEIR_OP_REQUANTIZE)), 1);
        assert_int_equal(count_op(integer, WEIR_OP_SUM), 0);
        weir_graph_free(integer);
    }
}

/* A bias between the accumulator's steps is added in float32, as the model adds it. The output's zero point is even and
 * odd, which tells round(x / s) + z from round(x / s + z) at ties. */
static void check_real_bias(double scale, double zero) {
    weir_graph *g = weir_graph_new("model");
    weir_value x = add_qdq(g, "xq", add_real_input(g, "x", 1, 3), 0.5, WEIR_UINT8, 10);
    static const double bias[4] = {0.0625, -3.03125, 100, 0.5};
    weir_value inputs[3] = {x, add_weights(g, WEIR_INT8, 2, 3, 4, 1, 1, quarters, zeros),
                            add_constant(g, "bias", WEIR_FLOAT32, 1, 4, 0, bias)};
    weir_graph_add_output(g, "y", add_qdq(g, "yq", gemm(g, 3, inputs, false), scale, WEIR_INT8, zero));
    weir_graph *integer = lower(g, 60);
    weir_node requantize = find_op(integer, WEIR_OP_REQUANTIZE);
    assert_string_equal(weir_node_string(integer, requantize, "steps", ""), "Add");
    assert_string_equal(weir_node_string(integer, requantize, "arithmetic", ""), "qlinear");
    weir_graph_free(integer);
}

static void bias_that_is_no_multiple(void **state) {
    (void)state;
    check_real_bias(4, -20);
    check_real_bias(0.125, -21);
}

/* Accumulators leave as they are and are decoded on the host, with offset and Relu. */
static void real_outputs_are_decoded(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("model");
    weir_value x = add_qdq(g, "xq", add_real_input(g, "x", 1, 3), 0.5, WEIR_UINT8, 10);
    static const double bias[4] = {0.0625, -3.03125, 100, 0.5};
    weir_value inputs[3] = {x, add_weights(g, WEIR_INT8, 2, 3, 4, 1, 4, mixed, zeros),
                            add_constant(g, "bias", WEIR_FLOAT32, 1, 4, 0, bias)};
    weir_value y = gemm(g, 3, inputs, false);
    weir_graph_add_output(g, "y", y);
    weir_graph_add_output(g, "z", ADD(g, WEIR_OP_RELU, "relu", y));
    weir_graph_free(lower(g, 60));
}

static void qlinear_matmul_and_qgemm(void **state) {
    (void)state;
    double codes[12], bias[4];
    static const double zero = 9, x_zero = 120, y_zero = 131;
    for (int kind = 0; kind < 4; kind++) {
        weir_graph *g = weir_graph_new("model");
        weir_value in[9] = {add_codes_input(g, "x", WEIR_UINT8, 1, 3, 0, 255),
                            add_scalar(g, "xs", WEIR_FLOAT32, 0.5),
                            add_scalar(g, "xz", WEIR_UINT8, x_zero),
                            add_constant(g, "w", WEIR_INT8, 2, 3, 4, random_numbers(codes, 12, -128, 127, 1)),
                            add_scalar(g, "ws", WEIR_FLOAT32, 0.25),
                            add_scalar(g, "wz", WEIR_INT8, kind == 0 ? zero : 0)};
        weir_value b = add_constant(g, "b", WEIR_INT32, 1, 4, 0, random_numbers(bias, 4, -9000, 9000, 1));
        weir_value ys = add_scalar(g, "ys", WEIR_FLOAT32, 8), yz = add_scalar(g, "yz", WEIR_UINT8, y_zero);
        weir_node node;
        if (kind == 0) {
            in[6] = ys;
            in[7] = yz;
            node = put(g, WEIR_OP_QLINEAR_MATMUL, "qmm", 8, in);
        } else {
            in[6] = kind == 3 ? WEIR_NO_VALUE : b;
            in[7] = ys;
            in[8] = yz;
            node = put(g, WEIR_OP_QGEMM, "qgemm", kind == 2 ? 7 : 9, in);
        }
        assert_true(weir_infer_node(g, node));
        weir_graph_add_output(g, "y", weir_node_output(g, node, 0));
        weir_graph *integer = lower(g, 0);
        assert_int_equal(count_op(integer, WEIR_OP_LINEAR), 1);
        assert_int_equal(count_op(integer, WEIR_OP_REQUANTIZE), kind == 2 ? 0 : 1);
        weir_graph_free(integer);
    }
}

static void matmul_integer(void **state) {
    (void)state;
    double codes[12];
    static const double x_zero = 77, w_zero[4] = {1, -5, 0, 100};
    for (int64_t zero_points = 0; zero_points <= 4; zero_points += 4) {
        weir_graph *g = weir_graph_new("model");
        weir_value in[4] = {add_codes_input(g, "x", WEIR_UINT8, 1, 3, 0, 255),
                            add_constant(g, "w", WEIR_INT8, 2, 3, 4, random_numbers(codes, 12, -128, 127, 1)),
                            add_scalar(g, "xz", WEIR_UINT8, x_zero),
                            add_constant(g, "wz", WEIR_INT8, 1, zero_points, 0, w_zero)};
        weir_node node = put(g, WEIR_OP_MATMUL_INTEGER, "mmi", zero_points == 0 ? 2 : 4, in);
        assert_true(weir_infer_node(g, node));
        weir_graph_add_output(g, "y", weir_node_output(g, node, 0));
        weir_graph_free(lower(g, 0));
    }
}

static weir_value quant(weir_graph *g, weir_value x, double scale, double zero, double bits, const char *mode,
                        bool is_signed, bool narrow) {
    weir_value in[4] = {x, add_scalar(g, "s", WEIR_FLOAT32, scale), add_scalar(g, "z", WEIR_FLOAT32, zero),
                        add_scalar(g, "b", WEIR_FLOAT32, bits)};
    weir_node node = put(g, WEIR_OP_QUANT, "quant", 4, in);
    weir_node_set_string(g, node, "rounding_mode", mode);
    weir_node_set_int(g, node, "signed", is_signed);
    weir_node_set_int(g, node, "narrow", narrow);
    assert_true(weir_infer_node(g, node));
    return weir_node_output(g, node, 0);
}

static void qonnx_quantizers(void **state) {
    (void)state;
    static const char *const modes[] = {"ROUND", "CEIL", "FLOOR", "UP", "DOWN", "HALF_UP", "HALF_DOWN"};
    double codes[12];
    for (size_t m = 0; m < 7; m++) {
        for (int variant = 0; variant < 4; variant++) {
            weir_graph *g = weir_graph_new("model");
            weir_value x = quant(g, add_real_input(g, "x", 1, 3), variant < 2 ? 0.25 : 0.75, variant == 3 ? 3 : 0, 6,
                                 modes[m], variant != 1, variant == 0);
            weir_value w = add_constant(g, "w", WEIR_FLOAT32, 2, 3, 4, random_numbers(codes, 12, -64, 64, 0.125));
            w = quant(g, w, 0.5, 0, 4, modes[m], true, true);
            weir_value y = ADD(g, WEIR_OP_MATMUL, "mm", x, w);
            if (variant == 2) y = ADD(g, WEIR_OP_RELU, "relu", y);
            y = quant(g, y, variant == 3 ? 1.5 : 2, 0, 5, modes[m], variant != 2, variant == 1);
            weir_graph_add_output(g, "y", y);
            weir_graph_free(lower(g, 10));
        }
    }
}

/* Weights with a zero point between two codes are odd numbers of half a step; data are not. */
static void weights_between_codes(void **state) {
    (void)state;
    static const char *const modes[] = {"ROUND", "CEIL", "FLOOR", "UP", "DOWN", "HALF_UP", "HALF_DOWN"};
    static const double centers[] = {1.5, -0.5, 7.5, 0.5};
    double codes[12];
    for (size_t m = 0; m < 7; m++) {
        for (size_t z = 0; z < 4; z++) {
            weir_graph *g = weir_graph_new("model");
            weir_value x = quant(g, add_real_input(g, "x", 1, 3), 0.25, 0, 6, "ROUND", true, false);
            weir_value w = add_constant(g, "w", WEIR_FLOAT32, 2, 3, 4, random_numbers(codes, 12, -64, 64, 0.125));
            w = quant(g, w, 0.5, centers[z], z == 0 ? 2 : 4, modes[m], z == 1, z == 3);
            weir_graph_add_output(g, "y", quant(g, ADD(g, WEIR_OP_MATMUL, "mm", x, w), 2, 0, 5, "ROUND", true, false));
            weir_graph *integer = lower(g, 10);
            const weir_array *made =
                weir_value_constant(integer, weir_node_input(integer, find_op(integer, WEIR_OP_LINEAR), 1));
            for (size_t i = 0; i < made->count; i++) assert_true(weir_array_get_int(made, i) % 2 != 0);
            weir_graph_free(integer);
        }
    }
}

static void bipolar_network(void **state) {
    (void)state;
    double codes[12];
    weir_graph *g = weir_graph_new("model");
    weir_value one = add_scalar(g, "one", WEIR_FLOAT32, 1), half = add_scalar(g, "half", WEIR_FLOAT32, 0.5);
    weir_value x = ADD(g, WEIR_OP_BIPOLAR_QUANT, "xq", add_real_input(g, "x", 1, 3), one);
    weir_value w = add_constant(g, "w", WEIR_FLOAT32, 2, 3, 4, random_numbers(codes, 12, -8, 8, 0.25));
    w = ADD(g, WEIR_OP_BIPOLAR_QUANT, "wq", w, half);
    weir_value y = ADD(g, WEIR_OP_BIPOLAR_QUANT, "yq", ADD(g, WEIR_OP_MATMUL, "mm", x, w), one);
    weir_graph_add_output(g, "y", y);
    weir_graph *integer = lower(g, 2);
    weir_value output = weir_node_input(integer, find_op(integer, WEIR_OP_DECODE), 0);
    assert_int_equal(weir_value_type(integer, output)->low, -1);
    assert_int_equal(weir_value_type(integer, output)->high, 1);
    weir_graph_free(integer);
}

static weir_array *read_cases(const char *key) {
    const char *source = getenv("WEIR_SOURCE");
    char *path = weir_format("%s/tests/unit/data/qonnx_quantizers.npz", source != NULL ? source : ".");
    weir_array *array = weir_array_read(path, key);
    free(path);
    assert_non_null(array);
    return array;
}

/* Row `row` of x through the graph gives row `row` of y. */
static void gives(const weir_graph *graph, const weir_array *x, const weir_array *y, size_t row, const char *what) {
    weir_executor *executor = weir_executor_new(graph);
    assert_non_null(executor);
    size_t columns = (size_t)x->shape.dim[1];
    weir_array *in = weir_array_new(WEIR_FLOAT32, &(weir_shape){2, {1, (int64_t)columns}});
    for (size_t i = 0; i < columns; i++) weir_array_set(in, i, weir_array_get(x, row * columns + i));
    const weir_array *inputs[1] = {in};
    assert_true(weir_executor_run(executor, inputs));
    const weir_array *found = weir_executor_value(executor, weir_graph_output(graph, 0));
    for (size_t i = 0; i < columns; i++) {
        double want = weir_array_get(y, row * columns + i), have = weir_array_get(found, i);
        if (want != have)
            fail_msg("case %zu, %s, element %zu (%.9g): expected %.9g, found %.9g", row, what, i, weir_array_get(in, i),
                     want, have);
    }
    weir_array_free(in);
    weir_executor_free(executor);
}

/* Quant as the qonnx package executes it, of an input and of codes of 24 bits, which hold the same numbers. */
static void quantizers_are_what_qonnx_executes(void **state) {
    (void)state;
    static const char *const modes[] = {"ROUND", "CEIL", "FLOOR", "UP", "DOWN", "HALF_UP", "HALF_DOWN"};
    weir_array *p = read_cases("parameters"), *x = read_cases("x"), *y = read_cases("y"), *grid = read_cases("grid");
    for (size_t row = 0; row < (size_t)p->shape.dim[0]; row++) {
        double zero = weir_array_get(p, row * 6 + 5);
        for (int second = 0; second < 2 && zero == floor(zero); second++) {
            if (second && weir_array_get_int(grid, row) == 0) continue;
            weir_graph *g = weir_graph_new("model");
            weir_value v = add_real_input(g, "x", 1, x->shape.dim[1]);
            if (second) v = quant(g, v, 1.0 / 64, 0, 24, "ROUND", true, false);
            v = quant(g, v, weir_array_get(p, row * 6 + 4), zero, weir_array_get(p, row * 6 + 3),
                      modes[(size_t)weir_array_get(p, row * 6)], weir_array_get(p, row * 6 + 1) != 0,
                      weir_array_get(p, row * 6 + 2) != 0);
            weir_graph_add_output(g, "y", v);
            weir_graph *integer = weir_lower_integer(g);
            if (integer == NULL) fail_msg("case %zu: %s", row, test_messages.data);
            gives(integer, x, y, row, second ? "accumulator" : "input");
            assert_true(weir_realize_requantize(integer, WEIR_REQUANTIZE_AUTO));
            gives(integer, x, y, row, "realized");
            weir_graph_free(integer);
            weir_graph_free(g);
        }
    }
    weir_array_free(p);
    weir_array_free(x);
    weir_array_free(y);
    weir_array_free(grid);
}

/* A sign behind a Relu is +1 for everything: real zero counts as positive. */
static void relu_before_quantizers(void **state) {
    (void)state;
    double codes[12];
    for (int kind = 0; kind < 4; kind++) {
        weir_graph *g = weir_graph_new("model");
        weir_value x = quant(g, add_real_input(g, "x", 1, 3), 0.25, 0, 6, "ROUND", true, false);
        weir_value w = add_constant(g, "w", WEIR_FLOAT32, 2, 3, 4, random_numbers(codes, 12, -64, 64, 0.125));
        weir_value y = ADD(g, WEIR_OP_MATMUL, "mm", x, quant(g, w, 0.5, 0, 4, "ROUND", true, true));
        y = ADD(g, WEIR_OP_RELU, "relu", y);
        if (kind == 0) y = ADD(g, WEIR_OP_BIPOLAR_QUANT, "sign", y, add_scalar(g, "s", WEIR_FLOAT32, 0.5));
        else y = quant(g, y, 2, kind == 1 ? 40 : kind == 2 ? -40 : 15, 5, "ROUND", true, false);
        weir_graph_add_output(g, "y", y);
        weir_graph_free(lower(g, 10));
    }
}

/* What MatMulInteger leaves keeps its zero points apart; a scale behind it adds its own. */
static void scaled_integer_products(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        double codes[12], weight_zeros[4] = {3, -2, 0, 7}, scales[4] = {0.25, 0.5, 1, 2};
        weir_graph *g = weir_graph_new("model");
        weir_value x = add_codes_input(g, "x", WEIR_UINT8, 1, 3, 0, 255);
        weir_value inputs[4] = {x, add_constant(g, "w", WEIR_INT8, 2, 3, 4, random_numbers(codes, 12, -128, 127, 1)),
                                add_scalar(g, "zx", WEIR_UINT8, 77),
                                add_constant(g, "zw", WEIR_INT8, 1, 4, 0, weight_zeros)};
        weir_value y = add_value(g, WEIR_OP_MATMUL_INTEGER, "mm", 4, inputs);
        weir_value scale =
            kind == 0 ? add_scalar(g, "s", WEIR_FLOAT32, 0.5) : add_constant(g, "s", WEIR_FLOAT32, 1, 4, 0, scales);
        weir_value scaled[2] = {y, scale};
        y = add_value(g, WEIR_OP_DEQUANTIZE_LINEAR, "dq", 2, scaled);
        if (kind == 2) y = add_qdq(g, "q", y, 256, WEIR_INT8, 5);
        weir_graph_add_output(g, "y", y);
        weir_graph_free(lower(g, 0));
    }
}

static void shapes_and_transposed_weights(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("model");
    weir_value x = add_qdq(g, "xq", add_real_input(g, "x", 2, 3), 0.5, WEIR_UINT8, 101);
    static const double six[2] = {1, 6};
    x = ADD(g, WEIR_OP_RESHAPE, "reshape", x, add_constant(g, "shape", WEIR_INT64, 1, 2, 0, six));
    x = ADD(g, WEIR_OP_IDENTITY, "identity", x);
    weir_value w = add_weights(g, WEIR_INT8, 2, 4, 6, 0, 4, mixed, zeros);
    w = ADD(g, WEIR_OP_TRANSPOSE, "transpose", w);
    weir_value y = ADD(g, WEIR_OP_FLATTEN, "flatten", ADD(g, WEIR_OP_MATMUL, "mm", x, w));
    weir_graph_add_output(g, "y", add_qdq(g, "yq", y, 8, WEIR_INT8, 0));
    weir_graph_free(lower(g, 100));
}

/* Accumulators with a scale a channel in another shape: it is made behind the quantizer, or on the host. */
static void channels_that_reshapes_split(void **state) {
    (void)state;
    static const double square[2] = {2, 2}, column[2] = {4, 1};
    for (int kind = 0; kind < 6; kind++) {
        weir_graph *g = weir_graph_new("model");
        weir_value x = add_qdq(g, "xq", add_real_input(g, "x", 1, 4), 0.5, WEIR_UINT8, 101);
        weir_value y = ADD(g, WEIR_OP_MATMUL, "mm", x, add_weights(g, WEIR_INT8, 2, 4, 4, 1, 4, mixed, zeros));
        if (kind == 4) { /* behind an addition */
            y = ADD(g, WEIR_OP_ADD, "add", add_qdq(g, "mq", y, 8, WEIR_INT8, 3), x);
        }
        y = ADD(g, WEIR_OP_RESHAPE, "split", y, add_constant(g, "shape", WEIR_INT64, 1, 2, 0, square));
        if (kind == 1) y = ADD(g, WEIR_OP_RELU, "relu", y);
        if (kind == 2) y = ADD(g, WEIR_OP_RESHAPE, "again", y, add_constant(g, "s2", WEIR_INT64, 1, 2, 0, column));
        if (kind == 5) y = ADD(g, WEIR_OP_ADD, "one", y, add_scalar(g, "c", WEIR_FLOAT32, 0.75));
        weir_graph_add_output(g, "y", kind == 3 ? y : add_qdq(g, "yq", y, 8, WEIR_INT8, -5));
        weir_graph_free(lower(g, 100));
    }
}

/* Integers keep their zero points apart in any shape. */
static void integers_that_reshapes_split(void **state) {
    (void)state;
    static const double square[2] = {2, 2};
    double codes[12], weight_zeros[4] = {3, -2, 0, 7};
    weir_graph *g = weir_graph_new("model");
    weir_value inputs[4] = {add_codes_input(g, "x", WEIR_UINT8, 1, 3, 0, 255),
                            add_constant(g, "w", WEIR_INT8, 2, 3, 4, random_numbers(codes, 12, -128, 127, 1)),
                            add_scalar(g, "zx", WEIR_UINT8, 77),
                            add_constant(g, "zw", WEIR_INT8, 1, 4, 0, weight_zeros)};
    weir_value y = add_value(g, WEIR_OP_MATMUL_INTEGER, "mm", 4, inputs);
    y = ADD(g, WEIR_OP_RESHAPE, "split", y, add_constant(g, "shape", WEIR_INT64, 1, 2, 0, square));
    weir_graph_add_output(g, "y", y);
    weir_graph_free(lower(g, 0));
}

/* Two tensors of codes, or one and a constant; scales and zero points among the inputs of the node. */
static void qlinear_additions(void **state) {
    (void)state;
    static const double numbers[4] = {9, 200, 77, 0};
    for (int kind = 0; kind < 3; kind++) {
        weir_graph *g = weir_graph_new("model");
        weir_value x = add_codes_input(g, "x", WEIR_UINT8, 1, 4, 0, 255);
        weir_value s = add_scalar(g, "s", WEIR_FLOAT32, kind == 2 ? 0.0371 : 0.5);
        weir_value z = add_scalar(g, "z", WEIR_UINT8, 101), sy = add_scalar(g, "sy", WEIR_FLOAT32, 0.75);
        weir_value zy = add_scalar(g, "zy", WEIR_UINT8, 40), t = add_scalar(g, "t", WEIR_FLOAT32, 0.3);
        weir_value real = ADD(g, WEIR_OP_DEQUANTIZE_LINEAR, "dq", x, s, z);
        weir_value other =
            ADD(g, WEIR_OP_QUANTIZE_LINEAR, "q",
                ADD(g, WEIR_OP_MATMUL, "mm", real, add_weights(g, WEIR_INT8, 2, 4, 4, 1, 1, quarters, zeros)), t, zy);
        if (kind == 1) other = add_constant(g, "c", WEIR_UINT8, 2, 1, 4, numbers);
        weir_value inputs[8] = {x, s, z, other, kind == 1 ? s : t, zy, sy, zy};
        weir_graph_add_output(g, "y", add_value(g, WEIR_OP_QLINEAR_ADD, "add", 8, inputs));
        weir_graph_free(lower(g, 0));
    }
}

static void residual_addition(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("model");
    weir_value x = add_qdq(g, "xq", add_real_input(g, "x", 1, 4), 0.5, WEIR_UINT8, 101);
    weir_value y = ADD(g, WEIR_OP_MATMUL, "mm", x, add_weights(g, WEIR_INT8, 2, 4, 4, 1, 1, quarters, zeros));
    y = add_qdq(g, "yq", ADD(g, WEIR_OP_RELU, "relu", y), 4, WEIR_UINT8, 3);
    y = ADD(g, WEIR_OP_RELU, "relu2", ADD(g, WEIR_OP_ADD, "add", x, y));
    weir_graph_add_output(g, "y", add_qdq(g, "zq", y, 4, WEIR_UINT8, 1));
    weir_graph_free(lower(g, 100));
}

/* Weights of more than 16 bits keep their value. */
static void wide_weights(void **state) {
    (void)state;
    static const double codes[4] = {70000.5, -99999, 3, 131071};
    weir_graph *g = weir_graph_new("model");
    weir_value x = quant(g, add_real_input(g, "x", 1, 2), 1, 0, 4, "ROUND", true, false);
    weir_value w = add_constant(g, "w", WEIR_FLOAT32, 2, 2, 2, codes);
    weir_value y = ADD(g, WEIR_OP_MATMUL, "mm", x, quant(g, w, 1, 0, 18, "FLOOR", true, false));
    weir_graph_add_output(g, "y", y);
    weir_graph_free(lower(g, 8));
}

/* --- errors --- */
static void operands_must_be_quantized(void **state) {
    (void)state;
    double w[4] = {1, 1.41421354, 1.73205078, 2.23606801}; /* on no grid */
    weir_graph *g = weir_graph_new("model");
    weir_value x = add_real_input(g, "x", 1, 2), constant = add_constant(g, "w", WEIR_FLOAT32, 2, 2, 2, w);
    weir_graph_add_output(g, "y", ADD(g, WEIR_OP_MATMUL, "mm", x, constant));
    fails(g, "node 'mm' (MatMul): its input is real and has no quantizer");
    test_setup(NULL);
    g = weir_graph_new("model");
    x = add_qdq(g, "q", add_real_input(g, "x", 1, 2), 1, WEIR_INT8, 0);
    weir_graph_add_output(g, "y", ADD(g, WEIR_OP_MATMUL, "mm", x, add_constant(g, "w", WEIR_FLOAT32, 2, 2, 2, w)));
    fails(g, "its weights are real numbers without a quantizer");
    assert_non_null(strstr(test_messages.data, "--quantize int8"));
    test_setup(NULL);
    g = weir_graph_new("quantized"); /* by the pass: the note does not say to do it again */
    x = add_qdq(g, "q", add_real_input(g, "x", 1, 2), 1, WEIR_INT8, 0);
    weir_graph_add_output(g, "y", ADD(g, WEIR_OP_MATMUL, "mm", x, add_constant(g, "w", WEIR_FLOAT32, 2, 2, 2, w)));
    fails(g, "its weights are real numbers without a quantizer");
    assert_null(strstr(test_messages.data, "--quantize"));
    test_setup(NULL);
    g = weir_graph_new("model");
    weir_graph_add_output(g, "y", ADD(g, WEIR_OP_RELU, "relu", add_real_input(g, "x", 1, 2)));
    fails(g, "node 'relu' (Relu): its input is not quantized");
}

static void scales_must_be_fit_for_hardware(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("model");
    weir_value x = add_real_input(g, "x", 1, 4);
    const double different[4] = {1, 2, 3, 4};
    weir_value in[3] = {x, add_constant(g, "s", WEIR_FLOAT32, 1, 4, 0, mixed),
                        add_constant(g, "z", WEIR_INT8, 1, 4, 0, different)};
    weir_graph_add_output(g, "y", add_value(g, WEIR_OP_QUANTIZE_LINEAR, "q", 3, in));
    fails(g, "activations need one scale per tensor, found 4");
    test_setup(NULL);
    g = weir_graph_new("model");
    in[0] = add_real_input(g, "x", 1, 4);
    in[1] = add_scalar(g, "s", WEIR_FLOAT32, -1);
    assert_false(weir_infer_node(g, put(g, WEIR_OP_QUANTIZE_LINEAR, "q", 2, in)));
    assert_error("scale 0 (input 1) is -1, expected a finite number above 0");
    weir_graph_free(g);
    test_setup(NULL);
    g = weir_graph_new("model");
    x = quant(g, add_real_input(g, "x", 1, 4), 1, 0, 33, "ROUND", true, false);
    weir_graph_add_output(g, "y", x);
    fails(g, "the bit width is 33, expected a whole number from 1 to 32");
    test_setup(NULL);
    g = weir_graph_new("model");
    x = quant(g, add_real_input(g, "x", 1, 4), 1, 0.5, 8, "ROUND", true, false);
    weir_graph_add_output(g, "y", x);
    fails(g, "the zero point is 0.5, hardware needs an integer");
}

/* What the host computes cannot be in front of it. */
static void add_layer_behind(weir_graph *g, weir_value y) {
    y = add_qdq(g, "behind", y, 2, WEIR_INT8, 0);
    weir_value in[2] = {y, add_weights(g, WEIR_INT8, 2, 2, 4, 1, 1, quarters, zeros)};
    weir_graph_add_output(g, "y", add_value(g, WEIR_OP_MATMUL, "layer", 2, in));
}

static void slopes_by_element_are_carried(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("model");
    const weir_value x = add_qdq(g, "q", add_real_input(g, "x", 2, 2), 1, WEIR_INT8, 0);
    const weir_value y = ADD(g, WEIR_OP_PRELU, "prelu", x, add_constant(g, "a", WEIR_FLOAT32, 2, 2, 2, mixed));
    add_layer_behind(g, ADD(g, WEIR_OP_ADD, "sum", y, x));
    weir_graph_free(lower(g, 100));
}

static void constants_must_be_finite(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        weir_graph *g = weir_graph_new("model");
        weir_value x = add_qdq(g, "q", add_real_input(g, "x", 1, 2), 1, WEIR_INT8, 0);
        weir_value w = add_weights(g, WEIR_INT8, 2, 2, 2, 1, 1, quarters, zeros),
                   c = add_scalar(g, "c", WEIR_FLOAT32, INFINITY);
        weir_value y = kind == 0 ? ADD(g, WEIR_OP_GEMM, "node", x, w, c) : ADD(g, WEIR_OP_MATMUL, "mm", x, w);
        if (kind > 0) y = ADD(g, kind == 1 ? WEIR_OP_MUL : WEIR_OP_CLIP, "node", y, c); /* clipped from below */
        add_layer_behind(g, y);
        fails(g,
              kind == 0 ? "its bias is inf, expected finite numbers" : "its constant is inf, expected a finite number");
        test_setup(NULL);
    }
}

static void what_hardware_cannot_do(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("model");
    weir_graph_add_output(g, "y", add_real_input(g, "x", 1, 2));
    fails(g, "output 'y' is not computed from quantized values");
}

/* A constant whose numbers are not codes of the scale of what it is joined with. */
static void a_constant_is_carried(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("model");
    weir_value parts[2] = {add_qdq(g, "q", add_real_input(g, "a", 1, 2), 0.5, WEIR_INT8, 0),
                           add_constant(g, "c", WEIR_FLOAT32, 2, 1, 2, quarters)};
    weir_node node = put(g, WEIR_OP_CONCAT, "concat", 2, parts);
    weir_node_set_int(g, node, "axis", 0);
    assert_true(weir_infer_node(g, node));
    add_layer_behind(g, ADD(g, WEIR_OP_ABS, "abs", weir_node_output(g, node, 0)));
    weir_graph *integer = weir_lower_integer(g); /* which compares both */
    if (integer == NULL) fail_msg("%s", test_messages.data);
    weir_graph_free(integer);
    weir_graph_free(g);
}

/* No quantizer takes them, but hardware goes on: codes of one scale. */
static void values_are_carried(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("model");
    weir_value x[3] = {add_qdq(g, "q", add_real_input(g, "x", 1, 2), 1, WEIR_INT8, 0)};
    const weir_value in[3] = {x[0], add_weights(g, WEIR_INT8, 2, 2, 4, 1, 1, quarters, zeros),
                              add_qdq(g, "p", add_real_input(g, "c", 1, 4), 1, WEIR_INT8, 0)};
    weir_node node = put(g, WEIR_OP_GEMM, "gemm", 3, in);
    assert_true(weir_infer_node(g, node));
    weir_graph_add_output(g, "y", add_qdq(g, "r", weir_node_output(g, node, 0), 1, WEIR_INT8, 0));
    weir_graph *integer = weir_lower_integer(g); /* which compares both, here and below */
    if (integer == NULL) fail_msg("%s", test_messages.data);
    weir_graph_free(integer);
    weir_graph_free(g);
    g = weir_graph_new("model");
    const weir_value parts[2] = {add_qdq(g, "q", add_real_input(g, "a", 1, 2), 1, WEIR_INT8, 0),
                                 add_qdq(g, "q", add_real_input(g, "b", 1, 2), 0.5, WEIR_INT8, 0)};
    node = put(g, WEIR_OP_CONCAT, "concat", 2, parts);
    weir_node_set_int(g, node, "axis", 0);
    assert_true(weir_infer_node(g, node));
    add_layer_behind(g, ADD(g, WEIR_OP_ABS, "abs", weir_node_output(g, node, 0)));
    integer = weir_lower_integer(g);
    if (integer == NULL) fail_msg("%s", test_messages.data);
    const weir_quant *joined =
        &weir_value_type(integer, weir_node_output(integer, find_op(integer, WEIR_OP_CONCAT), 0))->quant;
    assert_true(weir_quant_scale(joined, 0) == 0.5); /* exact */
    weir_graph_free(integer);
    weir_graph_free(g);
    g = weir_graph_new("model");
    for (size_t i = 0; i < 3; i++)
        x[i] = add_qdq(g, "q", add_real_input(g, "x", 1, 2), i == 0 ? 0x1.000002p-6 : 0x1.7ffffep-6, WEIR_UINT8, 200);
    const weir_value sum = ADD(g, WEIR_OP_RELU, "relu", ADD(g, WEIR_OP_ADD, "add", x[0], x[1]));
    add_layer_behind(g, add_qdq(g, "r", ADD(g, WEIR_OP_SUB, "subtract", x[2], sum), 0.1, WEIR_UINT8, 128));
    integer = weir_lower_integer(g);
    if (integer == NULL) fail_msg("%s", test_messages.data);
    weir_graph_free(integer);
    weir_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(qdq_gemm_with_bias),
        TEST(weight_zero_points),
        TEST(matmul_and_bias_behind_it),
        TEST(bias_that_is_no_multiple),
        TEST(real_outputs_are_decoded),
        TEST(qlinear_matmul_and_qgemm),
        TEST(matmul_integer),
        TEST(qonnx_quantizers),
        TEST(weights_between_codes),
        TEST(bipolar_network),
        TEST(quantizers_are_what_qonnx_executes),
        TEST(relu_before_quantizers),
        TEST(scaled_integer_products),
        TEST(shapes_and_transposed_weights),
        TEST(channels_that_reshapes_split),
        TEST(integers_that_reshapes_split),
        TEST(qlinear_additions),
        TEST(residual_addition),
        TEST(wide_weights),
        TEST(operands_must_be_quantized),
        TEST(slopes_by_element_are_carried),
        TEST(constants_must_be_finite),
        TEST(scales_must_be_fit_for_hardware),
        TEST(what_hardware_cannot_do),
        TEST(values_are_carried),
        TEST(a_constant_is_carried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
