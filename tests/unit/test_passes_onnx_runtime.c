/* onnx_runtime's modes: scales by hand, layers that stay in float, MASE's configuration, what is refused. */
#include <math.h>

#include "frontend/import/onnx.h"
#include "support/file/file.h"
#include "test_passes_support.h"

#include "test_pass_bench.h"

static const char data[] = "test_passes_onnx_runtime.csv", config[] = "test_passes_onnx_runtime.yaml";

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

static bool run(const char *settings) {
    weir_module *module = weir_module_new("m");
    weir_module_add_graph(module, model());
    char *pipeline = weir_format("onnx_runtime_interface_pass{dir=onnx_runtime_modes data=%s calibration=%s %s}", data,
                                 data, settings);
    const bool fine = run_pipeline(module, pipeline);
    free(pipeline);
    weir_module_free(module);
    return fine;
}

static void write(const char *file, const char *text) { assert_true(weir_file_write(file, text, strlen(text))); }

static void write_config(const char *settings) {
    char *text = weir_format("default: {config: {quantize: true, %s}}\n", settings);
    write(config, text);
    free(text);
}

/* The file that a mode has written. */
static weir_graph *written(const char *mode) {
    char *path = weir_format("onnx_runtime_modes/%s_quantized/model.onnx", mode);
    weir_graph *g = weir_onnx_import(path, NULL);
    free(path);
    assert_non_null(g);
    return g;
}

/* What makes the node's input; no node: the graph has it as it is. */
static weir_node maker(const weir_graph *g, const char *node, size_t index) {
    return weir_value_producer(g, weir_node_input(g, weir_graph_find_node(g, node), index));
}

/* Input `parameter` of the DequantizeLinear before input `index` of the node: 1 its scale, 2 its zero point. */
static double parameter_of(const weir_graph *g, const char *node, size_t index, size_t parameter, size_t channel) {
    const weir_node pair = maker(g, node, index);
    assert_int_equal(weir_node_op(g, pair), WEIR_OP_DEQUANTIZE_LINEAR);
    const weir_array *array = weir_value_constant(g, weir_node_input(g, pair, parameter));
    assert_true(array != NULL && channel < array->count);
    return weir_array_get(array, channel);
}

/* Of fc's weights the range is -2 to 1, and by channel -2 to 1 and 0 to 0.25. */
static void dynamic_weights_have_onnx_runtimes_scales(void **state) {
    (void)state;
    write(data, "1,-2,0,0\n0.5,1,1,1\n");
    write_config("quantize_types: dynamic");
    assert_true(run("config=test_passes_onnx_runtime.yaml"));
    weir_graph *g = written("dynamic");
    assert_true(parameter_of(g, "fc", 1, 1, 0) == (double)(float)(2.0 / 127));
    const weir_node decode = maker(g, "fc", 0);
    assert_int_equal(weir_node_op(g, decode), WEIR_OP_DEQUANTIZE_LINEAR);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(weir_node_op(g, weir_value_producer(g, weir_node_input(g, decode, i))),
                         WEIR_OP_DYNAMIC_QUANTIZE_LINEAR);
    assert_null(weir_lower_integer(g));
    assert_non_null(strstr(test_messages.data, "its scales are computed from each input, hardware needs fixed ones"));
    weir_graph_free(g);
    write_config("quantize_types: [dynamic], precision: uint8, per_channel: true");
    assert_true(run("config=test_passes_onnx_runtime.yaml"));
    g = written("dynamic");
    assert_true(parameter_of(g, "fc", 1, 1, 0) == (double)(float)(3.0 / 255) && parameter_of(g, "fc", 1, 2, 0) == 170);
    assert_true(parameter_of(g, "fc", 1, 1, 1) == (double)(float)(0.25 / 255) && parameter_of(g, "fc", 1, 2, 1) == 0);
    weir_graph_free(g);
}

/* The same numbers in both types: codes of data differ by 128. Of x the range is -2 to 1. */
static void static_codes_have_the_type_of_the_precision(void **state) {
    (void)state;
    for (int is_unsigned = 0; is_unsigned < 2; is_unsigned++) {
        write_config(is_unsigned ? "precision: uint8" : "precision: int8");
        assert_true(run("config=test_passes_onnx_runtime.yaml"));
        weir_graph *g = written("static");
        assert_true(parameter_of(g, "fc", 0, 1, 0) == (double)(float)(3.0 / 255));
        assert_true(parameter_of(g, "fc", 0, 2, 0) == (is_unsigned ? 170 : 42));
        assert_true(parameter_of(g, "fc", 1, 2, 0) == (is_unsigned ? 128 : 0));
        weir_graph *integer = weir_lower_integer(g);
        assert_non_null(integer);
        weir_graph_free(integer);
        weir_graph_free(g);
    }
}

/* With any difference allowed all layers are quantized, with next to none allowed none. */
static void auto_keeps_layers_in_float(void **state) {
    (void)state;
    write_config("rtol: 1e9, atol: 1e9");
    assert_true(run("config=test_passes_onnx_runtime.yaml quantize_types=auto"));
    weir_graph *g = written("auto");
    assert_true(parameter_of(g, "fc", 0, 1, 0) == (double)(float)(3.0 / 255) && parameter_of(g, "fc", 0, 2, 0) == 42);
    assert_int_equal(weir_node_op(g, maker(g, "out", 0)), WEIR_OP_DEQUANTIZE_LINEAR);
    weir_graph_free(g);
    write(data, "0.9,-0.7,0.3,0.2\n-0.3,0.4,0.8,1.7\n");
    write_config("rtol: 0, atol: 1e-9");
    assert_true(run("config=test_passes_onnx_runtime.yaml quantize_types=\"auto, dynamic\""));
    g = written("auto");
    assert_int_equal(maker(g, "fc", 0).id, 0);
    assert_int_equal(weir_node_op(g, maker(g, "out", 0)), WEIR_OP_RELU);
    weir_graph_free(g);
}

static void mistakes_are_named(void **state) {
    (void)state;
    static const struct {
        const char *config, *message;
    } cases[] = {
        {"default: {config: {quantize: true, quantize_types: [statc]}}\n", "'statc' is not a mode of quantize_types"},
        {"default: {config: {precision: fp16}}\n", "expected 'precision: int8' or 'precision: uint8'"},
        {"default: {config: {quantise: true}}\n", "did you mean 'quantize'?"},
        {"default: {config: {rtol: -1}}\n", "a tolerance of -1"},
        {"default: {config: {keep_io_types: false}}\n", "inputs and outputs keep their types"},
        {"default: {confg: {}}\n", "did you mean 'config'?"},
        {"num_calibration_batch: 3\n", "did you mean 'num_calibration_batches'?"},
        {"by: name\n", "expected 'by: type'"},
        {"- 1\n", "expected a mapping"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_setup(NULL);
        write(config, cases[i].config);
        assert_false(run("config=test_passes_onnx_runtime.yaml"));
        if (strstr(test_messages.data, cases[i].message) == NULL) fail_msg("%s", test_messages.data);
    }
    test_setup(NULL);
    weir_module *module = weir_module_new("m");
    weir_module_add_graph(module, model());
    assert_false(run_pipeline(module, "onnx_runtime{quantize_types=static}"));
    assert_non_null(strstr(test_messages.data, "mode 'static' needs 'calibration'"));
    assert_false(run_pipeline(
        module, "quantize{calibration=test_passes_onnx_runtime.csv},onnx_runtime{quantize_types=dynamic}"));
    assert_non_null(strstr(test_messages.data, "the model already has quantizers"));
    weir_module_free(module);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(dynamic_weights_have_onnx_runtimes_scales),
                                       TEST(static_codes_have_the_type_of_the_precision),
                                       TEST(auto_keeps_layers_in_float), TEST(mistakes_are_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
