/* MASE's words for nodes and values. Expected names are torch's and MASE's, precisions follow from the types by
 * hand. */
#include "test_passes_support.h"

#include "ir/trait/mase.h"

static const double zeros[64];

static weir_value add_matrix(weir_graph *graph, const char *name, weir_dtype dtype, int64_t rows, int64_t columns) {
    return add_constant(graph, name, dtype, 2, rows, columns, zeros);
}

static void assert_input(const weir_graph *graph, weir_node node, size_t index, weir_mase_role role, const char *name) {
    char found[WEIR_MASE_NAME_SIZE] = "";
    assert_int_equal(weir_mase_input(graph, node, index, found), role);
    assert_string_equal(found, name);
    if (role != WEIR_MASE_NOTHING)
        assert_int_equal(weir_mase_find(graph, node, name).id, weir_node_input(graph, node, index).id);
}

static void assert_precision(const weir_graph *graph, weir_value value, const char *type, size_t count,
                             const int64_t *bits) {
    weir_mase_precision precision = weir_mase_precision_of(graph, value);
    assert_string_equal(precision.type, type);
    assert_int_equal(precision.count, count);
    for (size_t i = 0; i < count; i++) assert_int_equal(precision.bits[i], bits[i]);
}
#define PRECISION(graph, value, type, ...)                                                                             \
    assert_precision(graph, value, type, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (int64_t[]){__VA_ARGS__})

static void parameters_have_torch_names(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("g");
    weir_value x = add_real_input(g, "x", 1, 4), w = add_matrix(g, "w", WEIR_FLOAT32, 4, 4);
    weir_value b = add_constant(g, "b", WEIR_FLOAT32, 1, 4, 0, zeros);
    weir_node linear = weir_value_producer(g, ADD(g, WEIR_OP_GEMM, "fc", x, w, b));
    assert_input(g, linear, 0, WEIR_MASE_DATA, "data_in_0");
    assert_input(g, linear, 1, WEIR_MASE_PARAMETER, "weight");
    assert_input(g, linear, 2, WEIR_MASE_PARAMETER, "bias");
    assert_input(g, linear, 3, WEIR_MASE_NOTHING, "");
    assert_true(weir_mase_is_module(g, linear));
    assert_string_equal(weir_mase_op(g, linear), "linear");
    assert_int_equal(weir_mase_find(g, linear, "data_out_0").id, weir_node_output(g, linear, 0).id);
    assert_int_equal(weir_mase_find(g, linear, "data_out_1").id, 0);
    assert_int_equal(weir_mase_find(g, linear, "data_in_1").id, 0);
    weir_graph_free(g);
}

static void only_data_is_numbered(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("g");
    weir_value x = add_codes_input(g, "x", WEIR_INT8, 1, 4, -8, 7), s = add_scalar(g, "s", WEIR_FLOAT32, 0.5);
    weir_value z = add_scalar(g, "z", WEIR_INT8, 0), w = add_matrix(g, "w", WEIR_INT8, 4, 4);
    weir_node node = weir_value_producer(g, ADD(g, WEIR_OP_QLINEAR_MATMUL, "product", x, s, z, w, s, z, s, z));
    static const char *const names[] = {"data_in_0", "a_scale",      "a_zero_point", "weight",
                                        "b_scale",   "b_zero_point", "y_scale",      "y_zero_point"};
    for (size_t i = 0; i < 8; i++)
        assert_input(g, node, i, i == 0 ? WEIR_MASE_DATA : i == 3 ? WEIR_MASE_PARAMETER : WEIR_MASE_SETTING, names[i]);
    weir_node sum = weir_value_producer(g, ADD(g, WEIR_OP_SUM, "sum", x, x));
    assert_input(g, sum, 0, WEIR_MASE_DATA, "data_in_0");
    char name[WEIR_MASE_NAME_SIZE];
    assert_int_equal(weir_mase_input(g, sum, 1, name), WEIR_MASE_DATA);
    assert_string_equal(name, "data_in_1");
    weir_graph_free(g);
}

/* Gemm and MatMul over computed weights are calls of functions. */
static void constant_parameters_make_a_module(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("g");
    weir_value x = add_real_input(g, "x", 4, 4), w = add_matrix(g, "w", WEIR_FLOAT32, 4, 4);
    assert_false(weir_mase_is_module(g, weir_value_producer(g, ADD(g, WEIR_OP_GEMM, "a", x, x))));
    weir_node product = weir_value_producer(g, ADD(g, WEIR_OP_MATMUL, "b", x, x));
    assert_false(weir_mase_is_module(g, product));
    assert_input(g, product, 1, WEIR_MASE_DATA, "data_in_1");
    assert_string_equal(weir_mase_op(g, product), "matmul");
    assert_int_equal(weir_mase_type_of(g, product), WEIR_MASE_BUILTIN_FUNC);
    assert_true(weir_mase_is_module(g, weir_value_producer(g, ADD(g, WEIR_OP_MATMUL, "c", x, w))));
    weir_graph_free(g);
}

/* Keras, scikit-learn and PyTorch (Linear on three axes) write dense layers as MatMul, and Add behind it. */
static void dense_layers_written_as_products(void **state) {
    (void)state;
    for (int kind = 0; kind < 6; kind++) {
        weir_graph *g = weir_graph_new("g");
        weir_type stacked = {.dtype = WEIR_FLOAT32, .shape = {3, {2, 3, 4}}, .quant = {.axis = -1}};
        weir_value x = weir_graph_add_input(g, "x", &stacked), w = add_matrix(g, "w", WEIR_FLOAT32, 4, 4);
        if (kind == 1)
            w = ADD(g, WEIR_OP_DEQUANTIZE_LINEAR, "dq", add_matrix(g, "q", WEIR_INT8, 4, 4),
                    add_scalar(g, "s", WEIR_FLOAT32, 0.5));
        weir_value b = kind == 0 ? add_constant(g, "b", WEIR_FLOAT32, 2, 1, 4, zeros)
                                 : add_constant(g, "b", WEIR_FLOAT32, 1, 4, 0, zeros),
                   y = ADD(g, WEIR_OP_MATMUL, "fc", x, w);
        weir_node fc = weir_value_producer(g, y);
        weir_value sum = kind == 2 ? ADD(g, WEIR_OP_ADD, "add", b, y) : ADD(g, WEIR_OP_ADD, "add", y, b);
        weir_graph_add_output(g, "y", sum);
        if (kind == 3) ADD(g, WEIR_OP_RELU, "other", y); /* a second user: the bias is not the layer's */
        if (kind == 4) weir_graph_add_output(g, "raw", y);
        if (kind == 5) { /* what the node's own metadata say stands */
            weir_node_metadata(g, fc)->common.mase_op = "special";
            weir_node_metadata(g, fc)->common.mase_type = WEIR_MASE_BUILTIN_FUNC;
        }
        assert_string_equal(weir_mase_op(g, fc), kind == 5 ? "special" : "linear");
        assert_int_equal(weir_mase_type_of(g, fc), kind == 5 ? WEIR_MASE_BUILTIN_FUNC : WEIR_MASE_MODULE_RELATED_FUNC);
        assert_input(g, fc, 0, WEIR_MASE_DATA, "data_in_0");
        assert_input(g, fc, 1, WEIR_MASE_PARAMETER, "weight");
        assert_true(weir_mase_is_module(g, fc));
        assert_int_equal(weir_mase_find(g, fc, "bias").id, kind == 3 || kind == 4 ? 0 : b.id);
        weir_text target = {0};
        weir_mase_target(g, fc, &target);
        assert_string_equal(target.data, kind == 5 ? "torch._C._nn.special" : "torch._C._nn.linear");
        weir_text_free(&target);
        weir_graph_free(g);
    }
}

static void assert_text(json_t *found, const char *expected) {
    char *text = json_dumps(found, JSON_COMPACT | JSON_ENCODE_ANY);
    assert_string_equal(text, expected);
    free(text);
    json_decref(found);
}

static void settings_and_targets(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("g");
    weir_value x = add_real_input(g, "x", 2, 4);
    weir_node flatten = weir_value_producer(g, ADD(g, WEIR_OP_FLATTEN, "flatten", x));
    assert_text(weir_mase_settings(g, flatten), "{\"start_dim\":1,\"end_dim\":-1}");
    weir_node_set_int(g, flatten, "axis", 0);
    assert_text(weir_mase_settings(g, flatten), "{\"start_dim\":0,\"end_dim\":-1}");
    weir_node relu = weir_value_producer(g, ADD(g, WEIR_OP_RELU, "relu", x));
    assert_text(weir_mase_settings(g, relu), "{\"inplace\":false}");
    weir_node transpose = put(g, WEIR_OP_TRANSPOSE, "t", 1, &x);
    weir_node_set_ints(g, transpose, "perm", (const int64_t[]){1, 0}, 2);
    assert_text(weir_mase_settings(g, transpose), "{\"dims\":[1,0]}");
    weir_text text = {NULL, 0, 0};
    assert_int_equal(weir_mase_target(g, flatten, &text), WEIR_MASE_BUILTIN);
    weir_text_char(&text, ' ');
    assert_int_equal(weir_mase_target(g, relu, &text), WEIR_MASE_FUNCTION);
    assert_string_equal(text.data, "torch.flatten torch.nn.functional.relu");
    weir_text_free(&text);
    weir_graph_free(g);
}

/* Windows have torch's settings: pads of both sides as one where they are equal, defaults where ONNX has them. */
static void settings_of_windows(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("g");
    weir_type type = {.dtype = WEIR_FLOAT32, .shape = {4, {1, 1, 4, 4}}, .quant = {.axis = -1}};
    weir_value x = weir_graph_add_input(g, "x", &type);
    weir_node pool = put(g, WEIR_OP_MAX_POOL, "pool", 1, &x);
    weir_node_set_ints(g, pool, "kernel_shape", (const int64_t[]){2, 3}, 2);
    weir_node_set_ints(g, pool, "pads", (const int64_t[]){1, 0, 1, 0}, 4);
    assert_text(weir_mase_settings(g, pool), "{\"kernel_size\":[2,3],\"stride\":1,\"padding\":[1,0],\"dilation\":1,"
                                             "\"ceil_mode\":false}");
    weir_node_set_ints(g, pool, "pads", (const int64_t[]){1, 0, 0, 1}, 4);
    weir_node_set_int(g, pool, "ceil_mode", 1);
    weir_node_set_ints(g, pool, "strides", (const int64_t[]){2, 1}, 2);
    assert_text(weir_mase_settings(g, pool), "{\"kernel_size\":[2,3],\"stride\":[2,1],\"padding\":[1,0,0,1],"
                                             "\"dilation\":1,\"ceil_mode\":true}");
    weir_graph_free(g);
}

/* Three axes are one-dimensional to MASE, five three-dimensional; what the metadata say otherwise stands. */
static void operators_by_rank(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("g");
    weir_type type = {.dtype = WEIR_FLOAT32, .shape = {5, {1, 1, 2, 2, 2}}, .quant = {.axis = -1}};
    static const char *const names[] = {"batch_norm1d", "batch_norm1d", "batch_norm2d", "batch_norm3d"};
    for (int rank = 2; rank <= 5; rank++) {
        type.shape.rank = rank;
        weir_value x = weir_graph_add_input(g, "x", &type);
        weir_node node = put(g, WEIR_OP_IDENTITY, "n", 1, &x);
        assert_string_equal(weir_mase_op(g, node), "identity");
        weir_node_metadata(g, node)->common.mase_op = "batch_norm2d";
        assert_string_equal(weir_mase_op(g, node), names[rank - 2]);
    }
    weir_graph_free(g);
}

static void precisions_of_types(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("g");
    weir_value x = add_real_input(g, "x", 1, 4), w = add_matrix(g, "w", WEIR_INT8, 4, 4);
    PRECISION(g, x, "float", 32);
    PRECISION(g, w, "integer", 8, 0);
    weir_type type = *weir_value_type(g, w);
    type.quant.axis = -1;
    type.quant.count = 1;
    type.quant.scale = &(double){0.125};
    weir_value_set_type(g, w, &type);
    PRECISION(g, w, "integer", 8, 3);
    type.quant.scale = &(double){0.1};
    weir_value_set_type(g, w, &type);
    PRECISION(g, w, "integer", 8);
    type.quant = (weir_quant){.format = WEIR_FORMAT_FIXED, .is_signed = true, .width = 6, .frac = 4, .axis = -1};
    weir_value_set_type(g, w, &type);
    PRECISION(g, w, "fixed", 6, 4);
    weir_graph_free(g);
}

/* A real number behind a quantizer is on the quantizer's grid, also when it has moved; what is computed from it is
 * not. */
static void precisions_behind_quantizers(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("g");
    weir_value x = add_real_input(g, "x", 1, 4);
    weir_value pow2 = ADD(g, WEIR_OP_FLATTEN, "f", add_qdq(g, "q", x, 0.25, WEIR_INT8, 0));
    PRECISION(g, pow2, "integer", 8, 2);
    PRECISION(g, add_qdq(g, "q", x, 0.25, WEIR_UINT8, 3), "integer", 8);
    PRECISION(g, add_qdq(g, "q", x, 0.3, WEIR_INT8, 0), "integer", 8);
    PRECISION(g, ADD(g, WEIR_OP_RELU, "r", pow2), "float", 32);
    weir_value s = add_scalar(g, "s", WEIR_FLOAT32, 0.0625), z = add_scalar(g, "z", WEIR_FLOAT32, 0);
    weir_value bits = add_scalar(g, "bits", WEIR_FLOAT32, 6);
    weir_value rounded = ADD(g, WEIR_OP_QUANT, "quant", x, s, z, bits);
    PRECISION(g, rounded, "integer", 6, 4);
    weir_node_set_string(g, weir_value_producer(g, rounded), "rounding_mode", "FLOOR");
    PRECISION(g, rounded, "fixed", 6, 4);
    PRECISION(g, ADD(g, WEIR_OP_BIPOLAR_QUANT, "bipolar", x, s), "binary", 1, 0, 1);
    weir_value weight = add_qdq(g, "q", add_matrix(g, "w", WEIR_FLOAT32, 4, 4), 0.5, WEIR_INT8, 0);
    assert_non_null(weir_mase_constant(g, weight));
    assert_null(weir_mase_constant(g, pow2));
    assert_true(weir_mase_is_module(g, weir_value_producer(g, ADD(g, WEIR_OP_GEMM, "fc", pow2, weight))));
    weir_graph_free(g);
}

/* A MultiThreshold's results are so many bits as number them. */
static void precisions_of_thresholds(void **state) {
    (void)state;
    static const struct {
        int64_t steps;
        double scale, bias;
        const char *type;
        size_t count;
        int64_t bits[3];
    } cases[] = {{1, 2, -1, "binary", 3, {1, 0, 1}},  {1, 0.5, 0, "binary", 3, {1, 0, 0}},
                 {2, 0.3, -0.3, "ternary", 1, {2}},   {3, 2.0 / 3, -1, "integer", 1, {2}},
                 {6, 1.0 / 3, -1, "integer", 1, {3}}, {2, 1, 0, "integer", 1, {2}},
                 {15, 0.125, 0, "integer", 1, {4}},   {16, 0.125, 0, "integer", 1, {5}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const double rising[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
        weir_graph *g = weir_graph_new("g");
        const weir_value inputs[2] = {add_real_input(g, "x", 1, 4),
                                      add_constant(g, "t", WEIR_FLOAT32, 2, 1, cases[i].steps, rising)};
        const weir_node node = put(g, WEIR_OP_MULTI_THRESHOLD, "q", 2, inputs);
        weir_node_set_float(g, node, "out_scale", cases[i].scale);
        weir_node_set_float(g, node, "out_bias", cases[i].bias);
        assert_true(weir_infer_node(g, node));
        assert_precision(g, weir_node_output(g, node, 0), cases[i].type, cases[i].count, cases[i].bits);
        weir_graph_free(g);
    }
}

/* MASE's lists, by its suffixes: the width, the exponent's width, its bias, the block. */
static void precisions_of_number_formats(void **state) {
    (void)state;
    static const struct {
        const char *format, *type;
        size_t count;
        int64_t bits[4];
    } cases[] = {{"minifloat_ieee width=8 exponent_width=4 exponent_bias=7", "minifloat_ieee", 3, {8, 4, 7}},
                 {"log width=8 exponent_bias=128", "log", 2, {8, 128}},
                 {"block_fp width=7 exponent_width=8 exponent_bias=127 block_size=16", "block_fp", 4, {7, 8, 127, 16}},
                 {"block_log width=8 exponent_bias_width=4 block_size=16", "block_log", 3, {8, 4, 16}},
                 {"binary", "binary", 3, {1, 0, 1}},
                 {"mxfp exponent_width=2 frac_width=1", "mxfp", 4, {4, 1, 2, 32}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_graph *g = weir_graph_new("g");
        weir_value x = add_real_input(g, "x", 1, 4);
        weir_node node = put(g, WEIR_OP_FAKE_QUANTIZE, "q", 1, &x);
        weir_node_set_string(g, node, "format", cases[i].format);
        assert_true(weir_infer_node(g, node));
        assert_precision(g, weir_node_output(g, node, 0), cases[i].type, cases[i].count, cases[i].bits);
        weir_graph_free(g);
    }
}

/* QONNX's FloatQuant is MASE's minifloat of its widths. */
static void precision_of_a_float(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("g");
    weir_value inputs[6] = {add_real_input(g, "x", 1, 4)};
    static const double settings[] = {1, 5, 2, 15, 57344};
    for (size_t i = 0; i < 5; i++) {
        weir_array *number = weir_array_new(WEIR_FLOAT32, &(weir_shape){0, {0}});
        weir_array_set(number, 0, settings[i]);
        inputs[i + 1] = weir_graph_add_constant(g, "setting", number);
        weir_array_free(number);
    }
    const weir_node node = put(g, WEIR_OP_FLOAT_QUANT, "q", 6, inputs);
    assert_true(weir_infer_node(g, node));
    assert_precision(g, weir_node_output(g, node, 0), "minifloat_ieee", 3, (const int64_t[]){8, 5, 15});
    weir_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(parameters_have_torch_names),
        TEST(only_data_is_numbered),
        TEST(constant_parameters_make_a_module),
        TEST(dense_layers_written_as_products),
        TEST(settings_and_targets),
        TEST(settings_of_windows),
        TEST(operators_by_rank),
        TEST(precisions_of_types),
        TEST(precisions_behind_quantizers),
        TEST(precisions_of_thresholds),
        TEST(precisions_of_number_formats),
        TEST(precision_of_a_float),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
