/* quantize with data_in_channel: scales of data by channel against NumPy's (scripts/models/calibrators.py), hardware of
 * them, what is refused. */
#include <math.h>

#include "passes/quantize/calibrator.h"
#include "support/file/file.h"
#include "test_passes_support.h"

#include "test_pass_bench.h"

enum { CHANNELS = 6, SIDE = 5, WINDOW = 9 };

static const char data[] = "test_passes_channel_scales.npy", config[] = "test_passes_channel_scales.yaml";

static weir_value constant(weir_graph *g, const char *name, const weir_shape *shape) {
    weir_array *array = weir_array_new(WEIR_FLOAT32, shape);
    for (size_t i = 0; i < array->count; i++) weir_array_set(array, i, (double)((int)(i * 37 % 23) - 11) / 8);
    const weir_value value = weir_graph_add_constant(g, name, array);
    weir_array_free(array);
    return value;
}

/* x [1, 6, 5, 5] -> depthwise (bias) -> mix, of all channels. */
static weir_graph *model(void) {
    weir_graph *g = weir_graph_new("model");
    const weir_type type = {.dtype = WEIR_FLOAT32, .shape = {4, {1, CHANNELS, SIDE, SIDE}}};
    const weir_value in[3] = {weir_graph_add_input(g, "x", &type),
                              constant(g, "w", &(weir_shape){4, {CHANNELS, 1, 3, 3}}),
                              constant(g, "b", &(weir_shape){1, {CHANNELS}})};
    const weir_node node = put(g, WEIR_OP_CONV, "depthwise", 3, in);
    weir_node_set_int(g, node, "group", CHANNELS);
    assert_true(weir_infer_node(g, node));
    const weir_value mixed = ADD(g, WEIR_OP_CONV, "mix", weir_node_output(g, node, 0),
                                 constant(g, "v", &(weir_shape){4, {2, CHANNELS, 1, 1}}));
    weir_graph_add_output(g, "y", mixed);
    return g;
}

/* The quantized and, with more passes, the integer graph of this one; NULL after an error. */
static weir_module *run_on(weir_graph *graph, const char *settings, const char *more) {
    weir_module *module = weir_module_new("m");
    weir_module_add_graph(module, graph);
    char *text = weir_format("by: name\n%s\n", settings);
    assert_true(weir_file_write(config, text, strlen(text)));
    char *pipeline = weir_format("quantize{config=%s calibration=%s}%s", config, data, more);
    const bool fine = run_pipeline(module, pipeline);
    free(pipeline);
    free(text);
    if (fine) return module;
    weir_module_free(module);
    return NULL;
}

static weir_module *run(const char *settings, const char *more) { return run_on(model(), settings, more); }

static weir_archive numpy(void) {
    weir_archive archive;
    char *path = weir_format("%s/tests/unit/data/calibrators.npz", getenv("WEIR_SOURCE"));
    assert_true(weir_npz_read(path, &archive));
    free(path);
    return archive;
}

/* The quantizer of depthwise's data. */
static weir_node quantizer_of(const weir_graph *g) {
    const weir_node node = weir_value_producer(g, weir_node_input(g, weir_graph_find_node(g, "depthwise"), 0));
    assert_int_equal(weir_node_op(g, node), WEIR_OP_QUANT);
    return node;
}

static const weir_array *scales_of(const weir_graph *g) {
    const weir_node node = quantizer_of(g);
    assert_true(weir_array_get(weir_value_constant(g, weir_node_input(g, node, 2)), 0) == 0);
    return weir_value_constant(g, weir_node_input(g, node, 1));
}

static void scales_are_those_of_numpy(void **state) {
    (void)state;
    static const char *const calibrators[] = {"max", "percentile, data_in_percentile: 99", "entropy", "mse"};
    weir_archive archive = numpy();
    const weir_array *wanted = weir_archive_find(&archive, "channel_scales");
    assert_true(wanted != NULL && wanted->count == 2 * 2 * 4 * CHANNELS);
    size_t at = 0, others = 0;
    for (int is_signed = 0; is_signed < 2; is_signed++) {
        assert_true(weir_npy_write(data, weir_archive_find(&archive, is_signed ? "channels1" : "channels0")));
        for (int width = 8; width >= 4; width -= 4) {
            for (size_t k = 0; k < 4; k++) {
                char *entry = weir_format("default: {config: {name: affine}}\ndepthwise: {config: {name: affine, "
                                          "data_in_channel: 1, data_in_width: %d, "
                                          "data_in_calibrator: %s}}",
                                          width, calibrators[k]);
                weir_module *module = run(entry, ",lower_integer,verify_lowering");
                assert_non_null(module);
                const weir_graph *g = weir_module_find_graph(module, "quantized");
                const weir_array *found = scales_of(g);
                assert_int_equal(found->count, CHANNELS);
                assert_int_equal(weir_node_int(g, quantizer_of(g), "signed", -1), is_signed);
                for (size_t c = 0; c < CHANNELS; c++, at++) {
                    const double own = weir_array_get(found, c), theirs = weir_array_get(wanted, at);
                    if (own != theirs) fail_msg("%s, channel %zu: expected %.9g, found %.9g", entry, c, theirs, own);
                    others += own != weir_array_get(found, 0); /* a planted fault: one scale for all is noticed */
                }
                weir_module_free(module);
                free(entry);
            }
        }
    }
    assert_true(others > at / 2);
    weir_archive_free(&archive);
}

/* Without the key, and for weights, nothing changes. */
static void data_has_one_scale_unasked(void **state) {
    (void)state;
    weir_module *module = run("default: {config: {name: affine, channel: 1}}", "");
    assert_non_null(module);
    const weir_graph *g = weir_module_find_graph(module, "quantized");
    assert_int_equal(weir_value_constant(g, weir_node_input(g, quantizer_of(g), 1))->count, 1);
    weir_module_free(module);
}

/* Of a product of two computed tensors the second has the weight's number, but it is data: one scale. */
static void a_computed_operand_has_one_scale(void **state) {
    (void)state;
    enum { SIZE = 4, FRAMES = 3 };
    weir_array *frames = weir_array_new(WEIR_FLOAT32, &(weir_shape){3, {FRAMES, SIZE, SIZE}});
    for (size_t i = 0; i < frames->count; i++) weir_array_set(frames, i, (double)((int)(i * 29 % 31) - 12) / 4);
    assert_true(weir_npy_write(data, frames));
    weir_array_free(frames);
    weir_graph *g = weir_graph_new("model");
    const weir_type type = {.dtype = WEIR_FLOAT32, .shape = {3, {1, SIZE, SIZE}}};
    const weir_value x = weir_graph_add_input(g, "x", &type);
    const weir_node bent = put(g, WEIR_OP_RELU, "bent", 1, &x);
    assert_true(weir_infer_node(g, bent));
    weir_graph_add_output(g, "y", ADD(g, WEIR_OP_MATMUL, "product", x, weir_node_output(g, bent, 0)));
    weir_module *module = run_on(g, "default: {config: {name: affine, width: 8}}", ",lower_integer,verify_lowering");
    assert_non_null(module);
    const weir_graph *made = weir_module_find_graph(module, "quantized");
    const weir_node node = weir_graph_find_node(made, "product");
    for (size_t i = 0; i < 2; i++) {
        const weir_node quant = weir_value_producer(made, weir_node_input(made, node, i));
        assert_int_equal(weir_node_op(made, quant), WEIR_OP_QUANT);
        const weir_array *scale = weir_value_constant(made, weir_node_input(made, quant, 1));
        assert_int_equal(scale->count, 1);
        /* x is from -3 to 4.5, and its positive part from 0 */
        const double width = i == 0 ? 7.5 : 4.5;
        assert_true(fabs(weir_array_get(scale, 0) * 255 - width) < width / 100);
    }
    weir_module_free(module);
}

static void others_are_refused_by_name(void **state) {
    (void)state;
    static const struct {
        const char *config, *message;
    } cases[] = {
        {"default: {config: {name: affine, data_in_channel: 1}}",
         "node 'mix' (Conv): 'data_in_channel: 1' needs a depthwise convolution"},
        {"depthwise: {config: {name: affine, data_out_channel: 1}}",
         "node 'depthwise' (Conv): 'data_out_channel: 1' needs a depthwise convolution that reads the result"},
        {"mix: {config: {name: affine, data_in_channel: 1}}", "convolutions by their names ('by: name')"},
        {"depthwise: {config: {name: affine, data_in_channel: 1, data_in_symmetric: 0}}", "the zero point is 0"},
        {"depthwise: {config: {name: affine, data_in_channel: 2}}", "'data_in_channel' of 'affine' is 2"},
        {"depthwise: {config: {name: fixed, data_in_channel: 1}}", "'data_in_channel' is not a setting of 'fixed'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_setup(NULL);
        assert_null(run(cases[i].config, ""));
        if (strstr(test_messages.data, cases[i].message) == NULL) fail_msg("%s", test_messages.data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(scales_are_those_of_numpy), TEST(data_has_one_scale_unasked),
                                       TEST(a_computed_operand_has_one_scale), TEST(others_are_refused_by_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
