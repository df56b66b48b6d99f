/* quantize: the parameters that ONNX's rules and MASE's grid give by hand on a tiny model. */
#include "test_passes_support.h"

#include <math.h>

#include "support/file/file.h"
#include "test_pass_bench.h"

static const char calibration[] = "test_passes_quantize.csv";

/* x [1, 2] -> Gemm (2 -> 2, bias) -> Relu -> MatMul (2 -> 2) -> Add constant. */
static weir_graph *model(void) {
    static const double w[4] = {0.5, -1.0, 0.25, 0.125}, b[2] = {0.3, -0.2}, v[4] = {2, 0, 0, -4}, c[2] = {0.1, 0};
    weir_graph *g = weir_graph_new("model");
    weir_value in[3] = {add_real_input(g, "x", 1, 2), add_constant(g, "w", WEIR_FLOAT32, 2, 2, 2, w),
                        add_constant(g, "b", WEIR_FLOAT32, 1, 2, 0, b)};
    weir_node gemm = put(g, WEIR_OP_GEMM, "gemm", 3, in);
    weir_node_set_int(g, gemm, "transB", 1);
    assert_true(weir_infer_node(g, gemm));
    weir_value h = ADD(g, WEIR_OP_RELU, "relu", weir_node_output(g, gemm, 0));
    h = ADD(g, WEIR_OP_MATMUL, "mm", h, add_constant(g, "v", WEIR_FLOAT32, 2, 2, 2, v));
    weir_graph_add_output(g, "y", ADD(g, WEIR_OP_ADD, "add", h, add_constant(g, "c", WEIR_FLOAT32, 1, 2, 0, c)));
    return g;
}

/* Runs the pass; NULL when it fails. The module owns the graph. */
static weir_graph *run_on(weir_graph *graph, weir_module *module, const char *pipeline) {
    weir_module_add_graph(module, graph);
    return run_pipeline(module, pipeline) ? weir_module_find_graph(module, "quantized") : NULL;
}

static weir_graph *run(weir_module *module, const char *pipeline) { return run_on(model(), module, pipeline); }

static void write_calibration(const char *text) { assert_true(weir_file_write(calibration, text, strlen(text))); }

/* Constant behind input `index` of the node that makes input `of` of `user`. */
static double parameter(const weir_graph *g, const char *user, size_t of, size_t index, size_t element) {
    weir_node node = weir_value_producer(g, weir_node_input(g, weir_graph_find_node(g, user), of));
    const weir_array *array = weir_value_constant(g, weir_node_input(g, node, index));
    assert_non_null(array);
    assert_true(element < array->count);
    return weir_array_get(array, element);
}

static void assert_lowers(const weir_graph *g) {
    weir_graph *integer = weir_lower_integer(g);
    assert_non_null(integer);
    weir_graph_free(integer);
}

static void int8_parameters(void **state) {
    (void)state;
    write_calibration("-1,0.5\n2,1.5\n0.25,1\n");
    weir_module *module = weir_module_new("m");
    weir_graph *g = run(module, "quantize{calibration=test_passes_quantize.csv}");
    assert_non_null(g);
    assert_true(weir_graph_verify(g));
    /* activations: uint8, scale (max - min) / 255 with zero inside, zero point round(-min / scale) */
    float x_scale = (float)(3.0 / 255);
    assert_true(parameter(g, "gemm", 0, 1, 0) == (double)x_scale);
    assert_true(parameter(g, "gemm", 0, 2, 0) == nearbyint(1 / (double)x_scale));
    /* weights: int8, a scale an output (row, because of transB), largest magnitude on 127 */
    float w_scale[2] = {(float)(1.0 / 127), (float)(0.25 / 127)};
    static const double codes[4] = {64, -127, 127, 64}; /* 63.5 goes to even */
    for (size_t i = 0; i < 4; i++) assert_true(parameter(g, "gemm", 1, 0, i) == codes[i]);
    for (size_t i = 0; i < 2; i++) {
        assert_true(parameter(g, "gemm", 1, 1, i) == (double)w_scale[i]);
        assert_true(parameter(g, "gemm", 1, 2, i) == 0);
        /* bias: int32 on the scale of the accumulator */
        double scale = (double)(x_scale * w_scale[i]), b = i == 0 ? (double)0.3f : (double)-0.2f;
        assert_true(parameter(g, "gemm", 2, 1, i) == scale);
        assert_true(parameter(g, "gemm", 2, 0, i) == nearbyint(b / scale));
    }
    /* what the Relu gives: [0, h], h the largest of -x0.5.. over the frames: gemm(-1, .5) = (-.7, -.3875) ... */
    double largest = fmax((double)(0.5f * 2 - 1.5f + 0.3f), (double)(0.25f * 2 + 0.125f * 1.5f - 0.2f));
    float h_scale = (float)(largest / 255);
    assert_true(fabs(parameter(g, "mm", 0, 1, 0) - (double)h_scale) < 1e-9);
    assert_true(parameter(g, "mm", 0, 2, 0) == 0);
    /* MatMul's weights have their outputs on axis 1; the addend behind it is its bias */
    assert_true(parameter(g, "mm", 1, 1, 0) == (double)(float)(2.0 / 127));
    assert_true(parameter(g, "mm", 1, 1, 1) == (double)(float)(4.0 / 127));
    assert_true(parameter(g, "mm", 1, 0, 3) == -127);
    assert_true(parameter(g, "add", 1, 1, 0) ==
                (double)((float)parameter(g, "mm", 0, 1, 0) * (float)parameter(g, "mm", 1, 1, 0)));
    assert_int_equal(weir_node_metadata_of(g, weir_graph_find_node(g, "gemm"))->software.count, 6);
    assert_lowers(g);
    weir_module_free(module);
}

/* ConvTranspose's weights are [inputs, outputs of a group, 1]: a scale for each output of a group, which all groups
 * share. */
static void transposed_groups(void **state) {
    static const double w[4] = {0.5, -2, 0.25, 1}, b[4] = {0.25, -0.5, 0.125, 1};
    (void)state;
    write_calibration("-1,0.5\n2,1.5\n0.25,1\n");
    weir_graph *g = weir_graph_new("model");
    const weir_type type = {
        .dtype = WEIR_FLOAT32, .shape = {3, {1, 2, 1}}, .quant = {.format = WEIR_FORMAT_FLOAT, .axis = -1}};
    weir_array *weights = weir_array_new(WEIR_FLOAT32, &(weir_shape){3, {2, 2, 1}});
    for (size_t i = 0; i < weights->count; i++) weir_array_set(weights, i, w[i]);
    weir_value in[3] = {weir_graph_add_input(g, "x", &type), weir_graph_add_constant(g, "w", weights),
                        add_constant(g, "b", WEIR_FLOAT32, 1, 4, 0, b)};
    weir_array_free(weights);
    weir_node node = put(g, WEIR_OP_CONV_TRANSPOSE, "up", 3, in);
    weir_node_set_int(g, node, "group", 2);
    assert_true(weir_infer_node(g, node));
    weir_graph_add_output(g, "y", weir_node_output(g, node, 0));
    weir_module *module = weir_module_new("m");
    g = run_on(g, module, "quantize{calibration=test_passes_quantize.csv}");
    assert_non_null(g);
    static const double codes[4] = {127, -127, 64, 64}; /* 63.5 goes to even */
    const float scales[2] = {(float)(0.5 / 127), (float)(2.0 / 127)}, x_scale = (float)(3.0 / 255);
    for (size_t i = 0; i < 4; i++) {
        const double scale = (double)(x_scale * scales[i % 2]);
        assert_true(parameter(g, "up", 1, 0, i) == codes[i]);
        assert_true(parameter(g, "up", 2, 1, i) == scale);
        assert_true(parameter(g, "up", 2, 0, i) == nearbyint(b[i] / scale));
    }
    assert_true(parameter(g, "up", 1, 1, 1) == (double)scales[1]);
    assert_lowers(g);
    weir_module_free(module);
}

/* Both operands of a product of computed matrices get a quantizer. */
static void products_of_two_tensors(void **state) {
    (void)state;
    write_calibration("-1,0.5,2,1.5\n0.25,1,-2,3\n");
    weir_graph *g = weir_graph_new("model");
    static const double w[4] = {0.5, -1.0, 0.25, 0.125};
    weir_value x = add_real_input(g, "x", 2, 2);
    weir_value y = ADD(g, WEIR_OP_MATMUL, "layer", x, add_constant(g, "w", WEIR_FLOAT32, 2, 2, 2, w));
    weir_graph_add_output(g, "y", ADD(g, WEIR_OP_MATMUL, "product", x, y));
    weir_module *module = weir_module_new("m");
    g = run_on(g, module, "quantize{calibration=test_passes_quantize.csv}");
    assert_non_null(g);
    assert_true(parameter(g, "product", 0, 1, 0) == parameter(g, "layer", 0, 1, 0));
    assert_true(parameter(g, "product", 1, 1, 0) > 0);
    assert_lowers(g);
    weir_module_free(module);
}

static void fixed_grid(void **state) {
    (void)state;
    write_calibration("-1,0.5\n2,1.5\n0.25,1\n");
    weir_module *module = weir_module_new("m");
    weir_graph *g = run(module, "quantize{scheme=fixed,calibration=test_passes_quantize.csv,weight_frac_width=5,"
                                "data_in_width=6}");
    assert_non_null(g);
    /* 6 bits for [-1, 2]: a sign, 2 integer bits (2 itself needs them), 3 fraction bits */
    assert_true(parameter(g, "gemm", 0, 1, 0) == 0.125);
    assert_true(parameter(g, "gemm", 0, 3, 0) == 6);
    assert_true(parameter(g, "gemm", 1, 1, 0) == 1.0 / 32);
    assert_true(parameter(g, "gemm", 1, 3, 0) == 8);
    /* 16 bits for [-0.2, 0.3]: 0.3 * 2^16 = 19,661 fits, twice that does not */
    assert_true(parameter(g, "gemm", 2, 1, 0) == ldexp(1, -16));
    assert_true(parameter(g, "gemm", 2, 3, 0) == 16);
    weir_node quant = weir_value_producer(g, weir_node_input(g, weir_graph_find_node(g, "gemm"), 0));
    assert_int_equal(weir_node_op(g, quant), WEIR_OP_QUANT);
    assert_string_equal(weir_node_string(g, quant, "rounding_mode", ""), "FLOOR");
    quant = weir_value_producer(g, weir_node_input(g, weir_graph_find_node(g, "gemm"), 1));
    assert_string_equal(weir_node_string(g, quant, "rounding_mode", ""), "ROUND");
    assert_lowers(g);
    weir_module_free(module);
}

/* [-1000, 600] has 8 bits where 1000 is less than 2^10: steps of 8. MASE's rule has no fewer than 0 fraction bits, and
 * of magnitudes below 0.5 as many as of 0.5. */
static void fraction_bits_of_a_range(void **state) {
    (void)state;
    static const struct {
        const char *rule;
        double data, bias;
    } cases[] = {{"range", 8, 1.0 / 65536}, {"mase", 1, 1.0 / 32768}};
    write_calibration("-1000,0.5\n600,1.5\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *pipeline =
            weir_format("quantize{scheme=fixed,calibration=test_passes_quantize.csv,fraction_rule=%s}", cases[i].rule);
        weir_module *module = weir_module_new("m");
        weir_graph *g = run(module, pipeline);
        assert_non_null(g);
        assert_true(parameter(g, "gemm", 0, 1, 0) == cases[i].data);
        assert_true(parameter(g, "gemm", 2, 1, 0) == cases[i].bias);
        assert_lowers(g);
        free(pipeline);
        weir_module_free(module);
    }
}

/* y = 0.4 a + 0.4 b + c + 0.5, weights of codes -1, 0 and 1 with scale 1. Where a and b are equal, 0 and 0 change y by
 * 0.8 a, one 1 and one 0 by 0.2 a; the bias takes what that is on average, 0.2 * 2. Where they are opposite, 0 and 0
 * change nothing. */
static void weights_round_by_data(void **state) {
    (void)state;
    static const struct {
        const char *data, *rounding;
        double sum, bias; /* of the first two weights */
    } cases[] = {{"1,1,-1\n2,2,1\n3,3,1\n2,2,-1\n", "data", 1, 0.5 - 0.4},
                 {"1,1,-1\n2,2,1\n3,3,1\n2,2,-1\n", "nearest", 0, 0.5},
                 {"1,-1,-1\n-2,2,1\n3,-3,1\n-2,2,-1\n", "data", 0, 0.5}};
    static const char config[] = "default: {config: {name: affine, weight_width: 2, calibrator: max}}\n";
    assert_true(weir_file_write("test_passes_quantize.yaml", config, sizeof config - 1));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const double w[3] = {0.4, 0.4, 1}, b[1] = {0.5};
        weir_graph *g = weir_graph_new("model");
        weir_value in[3] = {add_real_input(g, "x", 1, 3), add_constant(g, "w", WEIR_FLOAT32, 2, 1, 3, w),
                            add_constant(g, "b", WEIR_FLOAT32, 1, 1, 0, b)};
        weir_node gemm = put(g, WEIR_OP_GEMM, "gemm", 3, in);
        weir_node_set_int(g, gemm, "transB", 1);
        assert_true(weir_infer_node(g, gemm));
        weir_graph_add_output(g, "y", weir_node_output(g, gemm, 0));
        write_calibration(cases[i].data);
        char *pipeline = weir_format(
            "quantize{config=test_passes_quantize.yaml,calibration=test_passes_quantize.csv,weight_rounding=%s}",
            cases[i].rounding);
        weir_module *module = weir_module_new("m");
        g = run_on(g, module, pipeline);
        assert_non_null(g);
        const double first = nearbyint(parameter(g, "gemm", 1, 0, 0)),
                     second = nearbyint(parameter(g, "gemm", 1, 0, 1));
        assert_true(first + second == cases[i].sum && first * second == 0);
        assert_true(parameter(g, "gemm", 1, 0, 2) == 1);
        assert_true(fabs(parameter(g, "gemm", 2, 0, 0) - cases[i].bias) < 1e-6);
        assert_lowers(g);
        free(pipeline);
        weir_module_free(module);
    }
}

/* Of -1, 0.25, 0.5, 1, 1.5 and 2 half are cut, a quarter of them on each side, which leaves five of six from each: bins
 * of 1/256 from 0.25 up to that of 1.5. The largest of all is 2. */
static void ranges_are_clipped(void **state) {
    (void)state;
    static const struct {
        const char *options;
        double high, low;
    } cases[] = {{"calibrator=percentile,percentile=50", 1.5 + 1.0 / 256, 0}, {"calibrator=max", 2, -1}};
    write_calibration("-1,0.5\n2,1.5\n0.25,1\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *pipeline = weir_format("quantize{calibration=test_passes_quantize.csv,%s}", cases[i].options);
        weir_module *module = weir_module_new("m");
        weir_graph *g = run(module, pipeline);
        assert_non_null(g);
        const double scale = (cases[i].high - cases[i].low) / 255;
        assert_true(parameter(g, "gemm", 0, 1, 0) == (double)(float)scale);
        assert_true(parameter(g, "gemm", 0, 2, 0) == nearbyint(-cases[i].low / scale));
        assert_lowers(g);
        free(pipeline);
        weir_module_free(module);
    }
}

/* What no calibrator would read is refused. */
static void options_of_calibrators(void **state) {
    (void)state;
    static const struct {
        const char *config, *options, *message;
    } cases[] = {{NULL, "percentile=99", "'percentile' requires calibrator=percentile, found max"},
                 {NULL, "calibrator=percentile,percentile=0", "percentile 0, expected above 0"},
                 {"name: affine", "calibrator=mse", "'config' has calibrators of its own"},
                 {"name: affine, percentile: 99", "", "'data_in_percentile' needs 'calibrator: percentile', found max"},
                 {"name: affine, calibrator: percentile, percentile: 101", "", "percentile 101, expected above 0"},
                 {"name: affine, data_in_calibrator: entrpy", "", "did you mean 'entropy'?"},
                 {"name: mxfp, calibrator: mse", "", "'calibrator' needs a format that is fitted to a range"}};
    write_calibration("-1,0.5\n2,1.5\n0.25,1\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_setup(NULL);
        char *config = weir_format("default: {config: {%s}}\n", cases[i].config == NULL ? "" : cases[i].config);
        assert_true(weir_file_write("test_passes_quantize.yaml", config, strlen(config)));
        char *pipeline = weir_format("quantize{%scalibration=test_passes_quantize.csv%s%s}",
                                     cases[i].config == NULL ? "" : "config=test_passes_quantize.yaml,",
                                     *cases[i].options == '\0' ? "" : ",", cases[i].options);
        weir_module *module = weir_module_new("m");
        assert_null(run(module, pipeline));
        if (strstr(test_messages.data, cases[i].message) == NULL) fail_msg("%s", test_messages.data);
        free(pipeline);
        free(config);
        weir_module_free(module);
    }
}

/* Weights have no zero point: 0.5 and -1 have the scale 1 / 127, 0.25 and 0.125 have 0.25 / 127, also where the data's
 * quantizers are asymmetric. */
static void affine_weights_are_symmetric(void **state) {
    (void)state;
    static const char config[] = "default: {config: {name: affine, symmetric: 0, calibrator: max}}\n";
    assert_true(weir_file_write("test_passes_quantize.yaml", config, sizeof config - 1));
    write_calibration("-1,0.5\n2,1.5\n0.25,1\n");
    weir_module *module = weir_module_new("m");
    weir_graph *g = run(module, "quantize{config=test_passes_quantize.yaml,calibration=test_passes_quantize.csv}");
    assert_non_null(g);
    assert_true(parameter(g, "gemm", 1, 1, 0) == (double)(float)(1.0 / 127));
    assert_true(parameter(g, "gemm", 1, 1, 1) == (double)(float)(0.25 / 127));
    assert_true(parameter(g, "gemm", 0, 1, 0) == (double)(float)(3.0 / 255));
    assert_lowers(g);
    weir_module_free(module);
}

/* The node that makes an input of another one. */
static weir_node maker_of(const weir_graph *g, const char *user, size_t index) {
    return weir_value_producer(g, weir_node_input(g, weir_graph_find_node(g, user), index));
}

static void assert_thresholds(const weir_graph *g, const char *user, size_t count, const double *threshold,
                              double scale, double bias) {
    const weir_node node = maker_of(g, user, 0);
    assert_int_equal(weir_node_op(g, node), WEIR_OP_MULTI_THRESHOLD);
    const weir_array *found = weir_value_constant(g, weir_node_input(g, node, 1));
    assert_int_equal(found->count, count);
    for (size_t i = 0; i < count; i++) assert_true(fabs(weir_array_get(found, i) - threshold[i]) < 1e-6);
    assert_true(fabs(weir_node_float(g, node, "out_scale", 0) - scale) < 1e-6);
    assert_true(fabs(weir_node_float(g, node, "out_bias", 0) - bias) < 1e-6);
}

/* Magnitudes 1, 0.5, 2, 1.5, 0.25, 1 of the input: a mean of 6.25 / 6, 0.05 of the largest is 0.1. Of the weights 0.5
 * and -1 the mean is 0.75, of 0.25 and 0.125 0.1875: thresholds 0.5625 and 0.140625, above which are -1 and 0.25.
 * Levels of 2/3 and 1/3 make 0.5 and 0.25 one third, -1 minus one. */
static void signs_of_data_and_weights(void **state) {
    (void)state;
    static const struct {
        const char *config;
        size_t count;
        double threshold[6], scale, bias; /* of the data */
        double weight_scale, zero, width; /* of the first weight, a Quant */
    } cases[] = {{"name: ternary, data_in_name: ternary", 2, {-0.78125, 0.78125}, 1, -1, 1, 0, 2},
                 {"name: ternary, scaling_factor: true, data_in_name: ternary, data_in_scaling_factor: false, "
                  "data_in_threshold: 1",
                  2,
                  {-0.1, 0.1},
                  1,
                  -1,
                  1,
                  0,
                  2},
                 {"name: binary, bipolar: 0, data_in_name: binary", 1, {0}, 6.25 / 6, 0, 0.75, 0, 1},
                 {"name: binary_residual", 3, {-2.0 / 3, 0, 2.0 / 3}, 2.0 / 3, -1, 2.0 / 3, 1.5, 2},
                 {"name: binary_residual, levels: 3",
                  6,
                  {-5.0 / 6, -0.5, -1.0 / 6, 1.0 / 6, 0.5, 5.0 / 6},
                  1.0 / 3,
                  -1,
                  1.0 / 3,
                  0,
                  3}};
    write_calibration("-1,0.5\n2,1.5\n0.25,1\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *config = weir_format("default: {config: {%s, bias_name: integer}}\n", cases[i].config);
        assert_true(weir_file_write("test_passes_quantize.yaml", config, strlen(config)));
        free(config);
        weir_module *module = weir_module_new("m");
        weir_graph *g = run(module, "quantize{config=test_passes_quantize.yaml,calibration=test_passes_quantize.csv}");
        if (g == NULL) fail_msg("%s: %s", cases[i].config, test_messages.data);
        assert_thresholds(g, "gemm", cases[i].count, cases[i].threshold, cases[i].scale, cases[i].bias);
        assert_true(fabs(parameter(g, "gemm", 1, 1, 0) - cases[i].weight_scale) < 1e-6);
        assert_true(parameter(g, "gemm", 1, 2, 0) == cases[i].zero && parameter(g, "gemm", 1, 3, 0) == cases[i].width);
        assert_lowers(g);
        weir_module_free(module);
    }
}

/* Of a MatMul, too, each output has its own scale: of 2 and 0 the mean above 0.75, of 0 and -4 that above 1.5. */
static void signs_are_measured_by_output(void **state) {
    (void)state;
    static const char config[] = "default: {config: {name: ternary, scaling_factor: true, data_in_name: affine}}\n";
    assert_true(weir_file_write("test_passes_quantize.yaml", config, sizeof config - 1));
    write_calibration("-1,0.5\n2,1.5\n0.25,1\n");
    weir_module *module = weir_module_new("m");
    weir_graph *g = run(module, "quantize{config=test_passes_quantize.yaml,calibration=test_passes_quantize.csv}");
    assert_non_null(g);
    const weir_array *scales = weir_value_constant(g, weir_node_input(g, maker_of(g, "mm", 1), 1));
    assert_int_equal(scales->count, 2);
    assert_true(weir_array_get(scales, 0) == 2 && weir_array_get(scales, 1) == 4);
    assert_int_equal(scales->shape.dim[1], 2);
    assert_lowers(g);
    weir_module_free(module);
}

/* What data shares is measured on calibration data; what weights share is not. */
static void signs_need_calibration(void **state) {
    (void)state;
    static const struct {
        const char *config;
        bool needs;
    } cases[] = {{"name: ternary, data_in_name: ternary", true},
                 {"name: binary, bipolar: 0, data_in_name: binary", true},
                 {"name: ternary, scaling_factor: true", false},
                 {"name: binary, data_in_name: binary", false},
                 {"name: binary_residual, bias_name: NA", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_setup(NULL);
        char *config = weir_format("default: {config: {%s}}\n", cases[i].config);
        assert_true(weir_file_write("test_passes_quantize.yaml", config, strlen(config)));
        free(config);
        weir_module *module = weir_module_new("m");
        const bool fine = run(module, "quantize{config=test_passes_quantize.yaml}") != NULL;
        if (fine == cases[i].needs) fail_msg("%s: %s", cases[i].config, test_messages.data);
        if (cases[i].needs) assert_error("quantizing a float model needs calibration data");
        weir_module_free(module);
    }
}

/* Weights 0.5, -1, 0.25, 0.125 on the grid of 1/4 are 2, -4, 1 and 0.5, which goes to even 0; biases 0.3 and -0.2 are
 * 1.2 and -0.8: nearest 1 and -1, down 1 and -1. On the grid of 1/2: 1, -2, 0.5 (to even 0), 0.25; 0.6 (1, down 0),
 * -0.4 (0, down -1). */
static void constants_round_to_nearest(void **state) {
    (void)state;
    static const struct {
        const char *rounding;
        int64_t frac;
        double bias[2]; /* of the codes */
    } cases[] = {
        {"", 2, {1, -1}}, {",constant_rounding=half-even", 1, {1, 0}}, {",constant_rounding=floor", 1, {0, -1}}};
    write_calibration("-1,0.5\n2,1.5\n0.25,1\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *pipeline = weir_format("quantize{scheme=fixed,calibration=test_passes_quantize.csv,bias_frac_width=%d%s},"
                                     "fold_constant{fold_qnn=true}",
                                     (int)cases[i].frac, cases[i].rounding);
        weir_module *module = weir_module_new("m");
        weir_graph *g = run(module, pipeline);
        assert_non_null(g);
        const weir_array *bias = weir_value_constant(g, weir_node_input(g, weir_graph_find_node(g, "gemm"), 2));
        assert_non_null(bias);
        for (size_t c = 0; c < 2; c++)
            assert_true(weir_array_get(bias, c) == ldexp(cases[i].bias[c], -(int)cases[i].frac));
        free(pipeline);
        weir_module_free(module);
    }
}

/* int8 has a width of its own: what would choose another one is refused. */
static void options_of_the_other_scheme(void **state) {
    (void)state;
    static const char *const options[] = {"data_in_width=6",     "data_in_frac_width=2",   "weight_width=4",
                                          "weight_frac_width=2", "bias_width=20",          "bias_frac_width=3",
                                          "fraction_rule=mase",  "constant_rounding=floor"};
    write_calibration("-1,0.5\n");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        test_setup(NULL);
        char *pipeline = weir_format("quantize{scheme=int8,calibration=test_passes_quantize.csv,%s}", options[i]);
        char *message = weir_format("'%.*s' requires scheme=fixed", (int)strcspn(options[i], "="), options[i]);
        weir_module *module = weir_module_new("m");
        assert_null(run(module, pipeline));
        if (strstr(test_messages.data, message) == NULL) fail_msg("%s", test_messages.data);
        free(message);
        free(pipeline);
        weir_module_free(module);
    }
}

/* Finite data, but 3e38 * 2 + 3e38 * 0 is beyond float32, and a mask of attention is -infinity: told of at its node. */
static void what_overflows_is_named(void **state) {
    (void)state;
    write_calibration("1,1\n3e38,1\n");
    weir_module *module = weir_module_new("m");
    static const double w[2] = {2, 0};
    weir_graph *g = weir_graph_new("model");
    weir_graph_add_output(
        g, "y",
        ADD(g, WEIR_OP_MATMUL, "mm", add_real_input(g, "x", 1, 2), add_constant(g, "w", WEIR_FLOAT32, 2, 2, 1, w)));
    assert_null(run_on(g, module, "quantize{calibration=test_passes_quantize.csv}"));
    if (strstr(test_messages.data, "calibration: frame 1 makes element 0 of 'mm' inf") == NULL)
        fail_msg("%s", test_messages.data);
    static const double mask[2] = {0, -HUGE_VAL};
    weir_module_free(module);
    module = weir_module_new("m");
    g = weir_graph_new("model");
    weir_graph_add_output(
        g, "y",
        ADD(g, WEIR_OP_ADD, "m", add_real_input(g, "x", 1, 2), add_constant(g, "b", WEIR_FLOAT32, 1, 2, 1, mask)));
    assert_null(run_on(g, module, "quantize{calibration=test_passes_quantize.csv}"));
    if (strstr(test_messages.data, "node 'm' (Add): calibration: frame 0 makes element 1 of 'm' -inf") == NULL)
        fail_msg("%s", test_messages.data);
    weir_module_free(module);
}

static void calibration_is_needed(void **state) {
    (void)state;
    weir_module *module = weir_module_new("m");
    assert_null(run(module, "quantize"));
    assert_error("quantizing a float model needs calibration data");
    weir_module_free(module);
}

/* --- functions between layers --- */

typedef weir_value make_function(weir_graph *g, weir_value x);

static weir_value number(weir_graph *g, double value) { return add_scalar(g, "c", WEIR_FLOAT32, value); }

static weir_value tanh_of(weir_graph *g, weir_value x) { return ADD(g, WEIR_OP_TANH, "f", x); }
static weir_value silu(weir_graph *g, weir_value x) {
    return ADD(g, WEIR_OP_MUL, "f", x, ADD(g, WEIR_OP_SIGMOID, "s", x));
}
static weir_value gelu(weir_graph *g, weir_value x) {
    weir_value e = ADD(g, WEIR_OP_ERF, "e", ADD(g, WEIR_OP_MUL, "m", x, number(g, 0.7)));
    return ADD(g, WEIR_OP_MUL, "f", x, ADD(g, WEIR_OP_ADD, "a", e, number(g, 1)));
}
/* Operations that a quantizer absorbs stand in front of the product, and read the tensor before it does. */
static weir_value hard_swish(weir_graph *g, weir_value x) {
    weir_value low = ADD(g, WEIR_OP_MAX, "low", ADD(g, WEIR_OP_ADD, "a", x, number(g, 3)), number(g, 0));
    return ADD(g, WEIR_OP_MUL, "f", x, ADD(g, WEIR_OP_MIN, "high", low, number(g, 6)));
}
static weir_value reciprocal(weir_graph *g, weir_value x) {
    weir_value e = ADD(g, WEIR_OP_ADD, "a", ADD(g, WEIR_OP_EXP, "e", x), number(g, 1));
    return ADD(g, WEIR_OP_DIV, "f", number(g, 1), e);
}

/* Dense layer, function, dense layer, and the function again, which the host computes. */
static weir_graph *with_function(make_function *function) {
    static const double w[4] = {0.5, -1.0, 0.25, 0.125}, v[4] = {2, 0, 0, -4};
    weir_graph *g = weir_graph_new("model");
    weir_value x = add_real_input(g, "x", 1, 2);
    x = ADD(g, WEIR_OP_MATMUL, "first", x, add_constant(g, "w", WEIR_FLOAT32, 2, 2, 2, w));
    x = ADD(g, WEIR_OP_MATMUL, "second", function(g, x), add_constant(g, "v", WEIR_FLOAT32, 2, 2, 2, v));
    weir_graph_add_output(g, "y", function(g, x));
    return g;
}

static void functions_start_from_codes(void **state) {
    (void)state;
    static make_function *const functions[] = {tanh_of, silu, gelu, hard_swish, reciprocal};
    write_calibration("-1,0.5\n2,1.5\n");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        weir_module *module = weir_module_new("m");
        const weir_graph *made =
            run_on(with_function(functions[i]), module, "quantize{calibration=test_passes_quantize.csv}");
        if (made == NULL) fail_msg("function %zu: %s", i, test_messages.data);
        assert_true(weir_graph_verify(made));
        assert_int_equal(count_op(made, WEIR_OP_QUANTIZE_LINEAR), 3); /* the input, before the function, after it */
        weir_graph *integer = weir_lower_integer(made);
        if (integer == NULL) fail_msg("function %zu: %s", i, test_messages.data);
        assert_int_equal(count_op(integer, WEIR_OP_LOOKUP), 1);
        assert_int_equal(count_op(integer, WEIR_OP_THRESHOLD), 0);
        weir_graph_free(integer);
        weir_module_free(module);
    }
}

/* Of operands that start from two tensors each gets its own. */
static void functions_of_two_tensors(void **state) {
    (void)state;
    static const double w[4] = {0.5, -1.0, 0.25, 0.125};
    write_calibration("-1,0.5\n2,1.5\n");
    weir_graph *g = weir_graph_new("model");
    weir_value x = add_real_input(g, "x", 1, 2), weights = add_constant(g, "w", WEIR_FLOAT32, 2, 2, 2, w);
    weir_value a = ADD(g, WEIR_OP_MATMUL, "a", x, weights), b = ADD(g, WEIR_OP_MATMUL, "b", x, weights);
    weir_value y = ADD(g, WEIR_OP_MUL, "product", tanh_of(g, a), b);
    weir_graph_add_output(g, "y", ADD(g, WEIR_OP_MATMUL, "last", y, weights));
    weir_module *module = weir_module_new("m");
    const weir_graph *made = run_on(g, module, "quantize{calibration=test_passes_quantize.csv}");
    assert_non_null(made);
    for (size_t i = 0; i < 2; i++) {
        const weir_value operand = weir_node_input(made, weir_graph_find_node(made, "product"), i);
        assert_int_equal(weir_node_op(made, weir_value_producer(made, operand)), WEIR_OP_DEQUANTIZE_LINEAR);
    }
    weir_module_free(module);
}

static weir_value reversed(weir_graph *g, weir_value a, weir_value b) {
    static const double last[1] = {-1}, end[1] = {-3}, axis[1] = {1};
    (void)b;
    const weir_value from = add_constant(g, "from", WEIR_INT64, 1, 1, 0, last);
    return ADD(g, WEIR_OP_SLICE, "f", a, from, add_constant(g, "end", WEIR_INT64, 1, 1, 0, end),
               add_constant(g, "axis", WEIR_INT64, 1, 1, 0, axis), from);
}
static weir_value difference(weir_graph *g, weir_value a, weir_value b) { return ADD(g, WEIR_OP_SUB, "f", a, b); }
static weir_value scaled_sum(weir_graph *g, weir_value a, weir_value b) {
    static const double factor[2] = {2, -3};
    const weir_value sum = ADD(g, WEIR_OP_RELU, "relu", ADD(g, WEIR_OP_ADD, "sum", a, b));
    return ADD(g, WEIR_OP_MUL, "f", sum, add_constant(g, "factor", WEIR_FLOAT32, 1, 2, 0, factor));
}

/* Sums have scales by channel, or none: what moves them, subtracts them or goes on from two of them starts from
 * codes. */
static void sums_become_codes(void **state) {
    static const struct {
        weir_value (*make)(weir_graph *g, weir_value a, weir_value b);
        size_t quantizers;
    } functions[] = {
        {reversed, 3}, {difference, 4}, {scaled_sum, 5}}; /* x, operands, their sum, the last layer's input */
    static const double w[4] = {0.5, -1.0, 0.25, 0.125}, v[4] = {2, 0, 0, -4};
    (void)state;
    write_calibration("-1,0.5\n2,1.5\n");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        weir_graph *g = weir_graph_new("model");
        const weir_value x = add_real_input(g, "x", 1, 2);
        const weir_value first = add_constant(g, "w", WEIR_FLOAT32, 2, 2, 2, w);
        const weir_value second = add_constant(g, "v", WEIR_FLOAT32, 2, 2, 2, v);
        const weir_value a = ADD(g, WEIR_OP_MATMUL, "a", x, first), b = ADD(g, WEIR_OP_MATMUL, "b", x, second);
        weir_graph_add_output(g, "y", ADD(g, WEIR_OP_MATMUL, "last", functions[i].make(g, a, b), first));
        weir_module *module = weir_module_new("m");
        const weir_graph *made = run_on(g, module, "quantize{calibration=test_passes_quantize.csv}");
        if (made == NULL) fail_msg("function %zu: %s", i, test_messages.data);
        assert_true(weir_graph_verify(made));
        assert_int_equal(count_op(made, WEIR_OP_QUANTIZE_LINEAR), functions[i].quantizers);
        weir_graph *integer = weir_lower_integer(made);
        if (integer == NULL) fail_msg("function %zu: %s", i, test_messages.data);
        weir_graph_free(integer);
        weir_module_free(module);
    }
}

/* Layers that read what all before them gave, as in a DenseNet: a Concat is read by a Concat and by a function; one has
 * a constant, which the quantizer behind it rounds. */
static void concats_have_a_quantizer(void **state) {
    (void)state;
    static const double w[4] = {0.5, -1.0, 0.25, 0.125}, v[8] = {1, 0, 0.5, -4, 2, 1, -1, 3},
                        u[8] = {1, 2, -3, 4, 5, -6, 7, 8};
    write_calibration("-1,0.5\n2,1.5\n");
    weir_graph *g = weir_graph_new("model");
    const weir_value x = add_real_input(g, "x", 1, 2);
    const weir_value a = ADD(g, WEIR_OP_MATMUL, "a", x, add_constant(g, "w", WEIR_FLOAT32, 2, 2, 2, w));
    const weir_value first[2] = {x, a};
    weir_node joined = put(g, WEIR_OP_CONCAT, "joined", 2, first);
    weir_node_set_int(g, joined, "axis", 1);
    assert_true(weir_infer_node(g, joined));
    const weir_value both = weir_node_output(g, joined, 0), relu = ADD(g, WEIR_OP_RELU, "relu", both);
    const weir_value b = ADD(g, WEIR_OP_MATMUL, "b", relu, add_constant(g, "v", WEIR_FLOAT32, 2, 4, 2, v));
    const weir_value second[3] = {both, b, add_constant(g, "k", WEIR_FLOAT32, 2, 1, 2, w)};
    joined = put(g, WEIR_OP_CONCAT, "all", 3, second);
    weir_node_set_int(g, joined, "axis", 1);
    assert_true(weir_infer_node(g, joined));
    const weir_value all = ADD(g, WEIR_OP_RELU, "relu_of_all", weir_node_output(g, joined, 0));
    weir_graph_add_output(g, "y", ADD(g, WEIR_OP_MATMUL, "c", all, add_constant(g, "u", WEIR_FLOAT32, 2, 8, 1, u)));
    weir_module *module = weir_module_new("m");
    const weir_graph *made = run_on(g, module, "quantize{calibration=test_passes_quantize.csv}");
    assert_non_null(made);
    assert_true(weir_graph_verify(made));
    assert_int_equal(count_op(made, WEIR_OP_QUANTIZE_LINEAR), 5); /* x, what each Concat and each Relu gives */
    weir_graph *integer = weir_lower_integer(made);
    if (integer == NULL) fail_msg("%s", test_messages.data);
    assert_int_equal(count_op(integer, WEIR_OP_CONCAT), 3); /* two at a time */
    weir_graph_free(integer);
    weir_module_free(module);
}

/* What is neither hardware nor before or behind it is named. */
static void other_operators_are_refused(void **state) {
    (void)state;
    static const double w[4] = {0, 2, 3, 4};
    write_calibration("-1,0.5\n2,1.5\n");
    weir_graph *g = weir_graph_new("model");
    const weir_value weight = add_constant(g, "w", WEIR_FLOAT32, 2, 2, 2, w),
                     h = ADD(g, WEIR_OP_MATMUL, "mm", add_real_input(g, "x", 1, 2), weight),
                     scaled = ADD(g, WEIR_OP_REDUCE_PROD, "product", h, add_constant(g, "a", WEIR_INT64, 1, 1, 1, w));
    weir_graph_add_output(g, "y", ADD(g, WEIR_OP_MATMUL, "last", scaled, weight));
    weir_module *module = weir_module_new("m");
    assert_null(run_on(g, module, "quantize{calibration=test_passes_quantize.csv}"));
    assert_error("node 'product' (ReduceProd): quantize does not support this operator");
    weir_module_free(module);
}

/* Masks of weights go into the weights first. A mask of data is a function of it where it is constant, or follows from
 * each element alone: one table. */
static void masks_are_functions(void **state) {
    (void)state;
    static const double w[4] = {1, 2, 3, 4}, mask[4] = {1, 0, 1, 1};
    write_calibration("-1,0.5\n2,1.5\n");
    for (int form = 0; form < 3; form++) {
        weir_graph *g = weir_graph_new("model");
        weir_value weight = add_constant(g, "w", WEIR_FLOAT32, 2, 2, 2, w), x = add_real_input(g, "x", 1, 2);
        weir_value h = ADD(g, WEIR_OP_MATMUL, "first", x, weight);
        weir_value keep = add_constant(g, "m", WEIR_FLOAT32, form == 0 ? 2 : 1, 2, form == 0 ? 2 : 0, mask);
        if (form == 2)
            keep = ADD(g, WEIR_OP_GREATER_OR_EQUAL, "stays", ADD(g, WEIR_OP_ABS, "size", h),
                       add_scalar(g, "t", WEIR_FLOAT32, 1.5));
        if (form == 0) weight = ADD(g, WEIR_OP_MASK, "prune", weight, keep);
        else h = ADD(g, WEIR_OP_MASK, "prune", h, keep);
        weir_graph_add_output(g, "y", ADD(g, WEIR_OP_MATMUL, "mm", h, weight));
        weir_module *module = weir_module_new("m");
        weir_graph *made = run_on(g, module, "quantize{calibration=test_passes_quantize.csv}");
        if (made == NULL) fail_msg("form %d: %s", form, test_messages.data);
        if (form == 0) assert_true(parameter(made, "mm", 1, 0, 1) == 0);
        weir_graph *integer = weir_lower_integer(made); /* which compares it with the model */
        if (integer == NULL) fail_msg("form %d: %s", form, test_messages.data);
        assert_int_equal(count_op(integer, WEIR_OP_LOOKUP), form == 0 ? 0 : 1);
        weir_graph_free(integer);
        weir_module_free(module);
    }
}

/* Data that is all zero still gives positive scales. */
static void zeros_have_a_scale(void **state) {
    (void)state;
    write_calibration("0,0\n");
    weir_module *module = weir_module_new("m");
    weir_graph *g = run(module, "quantize{calibration=test_passes_quantize.csv}");
    assert_non_null(g);
    assert_true(parameter(g, "gemm", 0, 1, 0) == 1);
    assert_true(parameter(g, "gemm", 0, 2, 0) == 0);
    weir_module_free(module);
}

/* x [1, 2] -> Gemm (2 -> 2) with these weights, output by output, and that bias; then, unless NULL, times `factor` plus
 * `term`. */
static weir_graph *layer(const double *w, const double *b, const double *factor, const double *term) {
    weir_graph *g = weir_graph_new("model");
    const weir_value in[3] = {add_real_input(g, "x", 1, 2), add_constant(g, "w", WEIR_FLOAT32, 2, 2, 2, w),
                              add_constant(g, "b", WEIR_FLOAT32, 1, 2, 0, b)};
    weir_node gemm = put(g, WEIR_OP_GEMM, "gemm", 3, in);
    weir_node_set_int(g, gemm, "transB", 1);
    assert_true(weir_infer_node(g, gemm));
    weir_value y = weir_node_output(g, gemm, 0);
    if (factor != NULL) y = ADD(g, WEIR_OP_MUL, "mul", y, add_constant(g, "f", WEIR_FLOAT32, 1, 2, 0, factor));
    if (factor != NULL) y = ADD(g, WEIR_OP_ADD, "add", y, add_constant(g, "t", WEIR_FLOAT32, 1, 2, 0, term));
    weir_graph_add_output(g, "y", y);
    return g;
}

/* A channel whose weights have died and whose bias has not: the bias must keep its value. What is left of weights where
 * nothing else is left is zero, and no scale is so small that products of scales are no normal numbers. */
static void dead_channels(void **state) {
    (void)state;
    const double w[4] = {1e-12, -1e-13, 1e-36, 2e-37}, b[2] = {0.5, 0};
    write_calibration("-1,0.5\n2,1.5\n");
    weir_module *module = weir_module_new("m");
    weir_graph *g = run_on(layer(w, b, NULL, NULL), module, "quantize{calibration=test_passes_quantize.csv}");
    assert_non_null(g);
    const double bias = parameter(g, "gemm", 2, 0, 0) * parameter(g, "gemm", 2, 1, 0);
    if (!(fabs(bias - 0.5) < 1e-6)) fail_msg("the bias 0.5 became %g", bias);
    assert_true(fabs(parameter(g, "gemm", 2, 0, 0)) <= 8388608);
    assert_true(parameter(g, "gemm", 1, 0, 0) == 0);
    assert_true(parameter(g, "gemm", 1, 0, 2) == 0 && parameter(g, "gemm", 1, 1, 1) == parameter(g, "gemm", 1, 1, 0));
    weir_module_free(module);
}

/* Weights and bias take what follows: row 0 times 2 plus 1, row 1 times -0.5 plus 0. */
static void layers_take_what_follows(void **state) {
    (void)state;
    const double w[4] = {0.5, -1.0, 0.25, 0.125}, b[2] = {0.3, -0.2}, factor[2] = {2, -0.5}, term[2] = {1, 0};
    write_calibration("-1,0.5\n2,1.5\n");
    weir_module *module = weir_module_new("m");
    weir_graph *g = run_on(layer(w, b, factor, term), module, "quantize{calibration=test_passes_quantize.csv}");
    assert_non_null(g);
    assert_int_equal(weir_graph_find_node(g, "mul").id, 0);
    assert_int_equal(weir_graph_find_node(g, "add").id, 0);
    assert_true(parameter(g, "gemm", 1, 1, 0) == (double)(float)(2.0 / 127));
    assert_true(parameter(g, "gemm", 1, 0, 1) == -127 && parameter(g, "gemm", 1, 0, 2) == -127);
    const double expected[2] = {0.3 * 2 + 1, 0.2 * 0.5};
    for (size_t c = 0; c < 2; c++) {
        const double unit = parameter(g, "gemm", 2, 1, c);
        assert_true(fabs(parameter(g, "gemm", 2, 0, c) * unit - expected[c]) <= unit / 2 + 1e-7);
    }
    weir_module_free(module);
}

/* What a product adds by rows is no bias: it stays a real number, for the lowering to judge. */
static void addends_of_rows(void **state) {
    (void)state;
    const double w[8] = {1, 2, 3, 4, -1, -2, -3, -4}, rows[3] = {1, 2, 3};
    write_calibration("-1,0.5,2,1.5,0,1\n");
    for (int gemm = 0; gemm < 2; gemm++) {
        weir_module *module = weir_module_new("m");
        weir_graph *g = weir_graph_new("model");
        const weir_value in[3] = {add_real_input(g, "x", 3, 2), add_constant(g, "w", WEIR_FLOAT32, 2, 2, 4, w),
                                  add_constant(g, "c", WEIR_FLOAT32, 2, 3, 1, rows)};
        weir_value y =
            gemm ? ADD(g, WEIR_OP_GEMM, "layer", in[0], in[1], in[2]) : ADD(g, WEIR_OP_MATMUL, "layer", in[0], in[1]);
        if (!gemm) y = ADD(g, WEIR_OP_ADD, "sum", y, in[2]);
        weir_graph_add_output(g, "y", y);
        const weir_graph *q = run_on(g, module, "quantize{calibration=test_passes_quantize.csv}");
        assert_non_null(q);
        const weir_node user = weir_graph_find_node(q, gemm ? "layer" : "sum");
        const weir_value kept = weir_node_input(q, user, gemm ? 2 : 1);
        assert_non_null(weir_value_constant(q, kept));
        assert_true(weir_array_get(weir_value_constant(q, kept), 2) == 3);
        weir_module_free(module);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(int8_parameters),
        TEST(dead_channels),
        TEST(layers_take_what_follows),
        TEST(addends_of_rows),
        TEST(transposed_groups),
        TEST(products_of_two_tensors),
        TEST(fixed_grid),
        TEST(weights_round_by_data),
        TEST(ranges_are_clipped),
        TEST(options_of_calibrators),
        TEST(affine_weights_are_symmetric),
        TEST(fraction_bits_of_a_range),
        TEST(calibration_is_needed),
        TEST(other_operators_are_refused),
        TEST(masks_are_functions),
        TEST(zeros_have_a_scale),
        TEST(functions_start_from_codes),
        TEST(functions_of_two_tensors),
        TEST(concats_have_a_quantizer),
        TEST(sums_become_codes),
        TEST(signs_of_data_and_weights),
        TEST(signs_are_measured_by_output),
        TEST(signs_need_calibration),
        TEST(constants_round_to_nearest),
        TEST(options_of_the_other_scheme),
        TEST(what_overflows_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
