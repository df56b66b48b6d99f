/* tensorrt_fake_quantize and tensorrt_calibrate: scales by hand, MASE's configuration, what is refused. */
#include <math.h>

#include "support/file/file.h"
#include "test_passes_support.h"

#include "test_pass_bench.h"

static const char data[] = "test_passes_tensorrt.csv", config[] = "test_passes_tensorrt.yaml";

/* x [1, 4] -> fc (2 outputs, bias) -> Relu -> out (MatMul, 1 output). */
static weir_graph *model(void) {
    static const double w[8] = {1, -2, 0.5, 0, 0.25, 0, 0, 0.125}, b[2] = {1, -1}, v[2] = {4, -0.5};
    weir_graph *g = weir_graph_new("model");
    weir_value in[3] = {add_real_input(g, "x", 1, 4), add_constant(g, "w", WEIR_FLOAT32, 2, 2, 4, w),
                        add_constant(g, "b", WEIR_FLOAT32, 1, 2, 0, b)};
    weir_node fc = put(g, WEIR_OP_GEMM, "fc", 3, in);
    weir_node_set_int(g, fc, "transB", 1);
    assert_true(weir_infer_node(g, fc));
    weir_value h = ADD(g, WEIR_OP_RELU, "relu", weir_node_output(g, fc, 0));
    weir_graph_add_output(g, "y", ADD(g, WEIR_OP_MATMUL, "out", h, add_constant(g, "v", WEIR_FLOAT32, 2, 2, 1, v)));
    return g;
}

static weir_module *run(const char *pipeline) {
    weir_module *module = weir_module_new("m");
    weir_module_add_graph(module, model());
    if (run_pipeline(module, pipeline)) return module;
    weir_module_free(module);
    return NULL;
}

static void write(const char *file, const char *text) { assert_true(weir_file_write(file, text, strlen(text))); }

/* The scale that the pair before input `index` of the node has. */
static double scale_of(const weir_module *module, const char *node, size_t index, size_t channel) {
    const weir_graph *g = weir_module_find_graph(module, "quantized");
    assert_non_null(g);
    const weir_node pair = weir_value_producer(g, weir_node_input(g, weir_graph_find_node(g, node), index));
    assert_int_equal(weir_node_op(g, pair), WEIR_OP_DEQUANTIZE_LINEAR);
    const weir_array *scale = weir_value_constant(g, weir_node_input(g, pair, 1));
    const weir_array *zero = weir_value_constant(g, weir_node_input(g, pair, 2));
    assert_true(scale != NULL && zero != NULL && zero->dtype == WEIR_INT8);
    assert_true(channel < scale->count && weir_array_get_int(zero, channel) == 0);
    return weir_array_get(scale, channel);
}

/* Of x the largest magnitude is 2, of what is behind the ReLU 1 + 1 + 4 = 6 in the first frame; of the weights 2 and
 * 0.25, and 4. */
static void scales_are_amax_by_127(void **state) {
    (void)state;
    write(data, "1,-2,0,0\n0.5,1,1,1\n");
    write(config, "default: {config: {calibrators: [max]}, input: {calibrator: max}}\n");
    weir_module *module =
        run("tensorrt_fake_quantize{config=test_passes_tensorrt.yaml},"
            "tensorrt_calibrate{calibration=test_passes_tensorrt.csv,config=test_passes_tensorrt.yaml}");
    assert_non_null(module);
    assert_true(scale_of(module, "fc", 0, 0) == (double)(float)(2.0 / 127));
    assert_true(scale_of(module, "fc", 1, 0) == (double)(float)(2.0 / 127));
    assert_true(scale_of(module, "fc", 1, 1) == (double)(float)(0.25 / 127));
    assert_true(scale_of(module, "out", 0, 0) == (double)(float)(6.0 / 127));
    assert_true(scale_of(module, "out", 1, 0) == (double)(float)(4.0 / 127));
    weir_graph *integer = weir_lower_integer(weir_module_find_graph(module, "quantized"));
    assert_non_null(integer);
    weir_graph_free(integer);
    weir_module_free(module);
}

/* Percentile 50 of the magnitudes 0, 0, 0.5, 1, 1, 1, 1, 2 is 1, the lower edge of a bin of 2 / 1024; of weights
 * without an axis 2 counts for both. */
static void histograms_clip(void **state) {
    (void)state;
    write(data, "1,-2,0,0\n0.5,1,1,1\n");
    write(config, "default: {config: {calibrators: percentile, percentiles: [50]}, weight: {quantize_axis: false}}\n");
    weir_module *module = run("tensorrt_fake_quantize_transform_pass{config=test_passes_tensorrt.yaml},"
                              "tensorrt_calibrate_transform_pass{calibration=test_passes_tensorrt.csv,"
                              "config=test_passes_tensorrt.yaml}");
    assert_non_null(module);
    assert_true(scale_of(module, "fc", 0, 0) == (double)(float)((1 + 2.0 / 1024) / 127));
    assert_true(scale_of(module, "fc", 1, 0) == (double)(float)(2.0 / 127));
    weir_module_free(module);
}

/* A layer may stay in float; without a calibration a frame's own range counts, which has no hardware. */
static void nothing_without_a_range_compiles(void **state) {
    (void)state;
    write(config, "by: name\nfc: {config: {quantize: false}}\n");
    weir_module *module = run("tensorrt_fake_quantize{config=test_passes_tensorrt.yaml}");
    assert_non_null(module);
    const weir_graph *g = weir_module_find_graph(module, "quantized");
    assert_int_equal(weir_value_producer(g, weir_node_input(g, weir_graph_find_node(g, "fc"), 0)).id, 0);
    assert_null(weir_lower_integer(g));
    assert_non_null(strstr(test_messages.data, "has no range: run tensorrt_calibrate"));
    weir_module_free(module);
}

static void mistakes_are_named(void **state) {
    (void)state;
    static const struct {
        const char *config, *message;
    } cases[] = {
        {"default: {config: {calibrators: [entrpy]}}\n", "did you mean 'entropy'?"},
        {"default: {config: {percentiles: [99]}}\n", "'percentiles' needs 'percentile' among the calibrators"},
        {"default: {config: {calibrators: [percentile], percentiles: [0]}}\n", "percentile 0, expected above 0"},
        {"default: {config: {precision: fp16}}\n", "TensorRT's quantizers have 'precision: int8'"},
        {"default: {input: {quantize_axis: true}}\n", "one scale for the input of a layer"},
        {"default: {input: {calibrator: mean}}\n", "expected 'calibrator: max' or 'calibrator: histogram'"},
        {"default: {confg: {}}\n", "did you mean 'config'?"},
        {"by: name\nfcc: {config: {quantize: false}}\n", "did you mean 'fc'?"},
        {"by: regex\n", "expected 'by: type' or 'by: name'"},
        {"linear: {config: {calibrators: [max]}}\n", "belongs to 'default'"},
        {"- 1\n", "expected a mapping"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_setup(NULL);
        write(config, cases[i].config);
        assert_null(run("tensorrt_fake_quantize{config=test_passes_tensorrt.yaml}"));
        if (strstr(test_messages.data, cases[i].message) == NULL) fail_msg("%s", test_messages.data);
    }
    test_setup(NULL);
    assert_null(run("tensorrt_calibrate{calibration=test_passes_tensorrt.csv}"));
    assert_non_null(strstr(test_messages.data, "run tensorrt_fake_quantize first"));
    assert_null(run("tensorrt_fake_quantize,tensorrt_calibrate"));
    assert_non_null(strstr(test_messages.data, "tensorrt_calibrate needs 'calibration'"));
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(scales_are_amax_by_127), TEST(histograms_clip),
                                       TEST(nothing_without_a_range_compiles), TEST(mistakes_are_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
