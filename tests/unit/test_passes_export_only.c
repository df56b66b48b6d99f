/* onnx_annotate and tensorrt: what viewers and TensorRT are given. Scales and widths are worked out by hand. */
#include "frontend/import/onnx.h"
#include "ir/graph/print.h"
#include "support/file/file.h"
#include "test_passes_support.h"

#include "test_pass_bench.h"

#define FOLDER "export_only"

/* Runs the pipeline on a module with this graph; the module takes the graph. */
static bool run_on(weir_graph *graph, const char *text, json_t **records) {
    weir_module *module = weir_module_new("net");
    weir_module_add_graph(module, graph);
    weir_module_set_folder(module, FOLDER);
    const bool fine = run_recorded(module, text, records);
    weir_module_free(module);
    return fine;
}

static bool file_has(const char *path, const char *bytes) {
    size_t size, length = strlen(bytes);
    char *data = weir_file_read(path, &size);
    assert_non_null(data);
    bool found = false;
    for (size_t i = 0; !found && i + length <= size; i++) found = memcmp(data + i, bytes, length) == 0;
    free(data);
    return found;
}

/* fc: [1,4] x weights [2,4] + bias. */
static weir_graph *make_layer(weir_value x, weir_graph *graph) {
    weir_value inputs[3] = {
        x, add_constant(graph, "w", WEIR_FLOAT32, 2, 2, 4, (const double[]){1, -2, 0.5, 0, 0.25, 0, 0, 0.125}),
        add_constant(graph, "b", WEIR_FLOAT32, 1, 2, 0, (const double[]){1, -1})};
    weir_node node = put(graph, WEIR_OP_GEMM, "fc", 3, inputs);
    weir_node_set_int(graph, node, "transB", 1);
    assert_true(weir_infer_node(graph, node));
    weir_graph_add_output(graph, "y", weir_node_output(graph, node, 0));
    return graph;
}

static weir_graph *float_layer(void) {
    weir_graph *graph = weir_graph_new("model");
    return make_layer(add_real_input(graph, "x", 1, 4), graph);
}

static weir_graph *quantized_layer(weir_dtype dtype, double zero) {
    weir_graph *graph = weir_graph_new("model");
    return make_layer(add_qdq(graph, "q", add_real_input(graph, "x", 1, 4), 0.5, dtype, zero), graph);
}

static void write_frames(const char *text) {
    assert_true(weir_make_folder(FOLDER) && weir_file_write(FOLDER "/data.csv", text, strlen(text)));
}

/* --- onnx_annotate --- */

static void annotations_of_real_layers(void **state) {
    (void)state;
    json_t *records;
    assert_true(run_on(float_layer(), "onnx_annotate", &records));
    assert_true(file_has(FOLDER "/net.onnx", "data_width: 32\nweight_width: 32\nacc_width: 32"));
    assert_true(file_has(FOLDER "/net.onnx", "fc.block_floating_point"));
    assert_false(file_has(FOLDER "/net.onnx", "input sparsity")); /* nothing has measured it */
    const json_t *info = json_object_get(json_array_get(records, 0), "info");
    assert_string_equal(json_string_value(json_object_get(info, "onnx_path")), FOLDER "/net.onnx");
    json_decref(records);
}

/* 8 bits by 32: products of 40 bits; real weights make the sum real. Sparsity: three of eight weights are 0. */
static void annotations_follow_analyses(void **state) {
    (void)state;
    write_frames("1,0,0,2\n");
    assert_true(run_on(quantized_layer(WEIR_INT8, 0),
                       "add_natural_sparsity_metadata{dummy_in=" FOLDER "/data.csv},onnx_annotate", NULL));
    assert_true(file_has(FOLDER "/net.onnx", "data_width: 8\nweight_width: 32\nacc_width: 32"));
    assert_true(file_has(FOLDER "/net.onnx", "input sparsity: 0.5\nweight sparsity: 0.375"));
}

/* int8 by int8 over four inputs: 8 + 8 + 2 bits. */
static void accumulators_hold_their_sums(void **state) {
    (void)state;
    weir_graph *graph = weir_graph_new("model");
    weir_value x = add_qdq(graph, "q", add_real_input(graph, "x", 1, 4), 0.5, WEIR_INT8, 0);
    static const double codes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    weir_value w = add_constant(graph, "w", WEIR_INT8, 2, 4, 2, codes);
    weir_value s = add_scalar(graph, "ws", WEIR_FLOAT32, 0.25), z = add_scalar(graph, "wz", WEIR_INT8, 0);
    weir_value real = ADD(graph, WEIR_OP_DEQUANTIZE_LINEAR, "dw", w, s, z);
    weir_graph_add_output(graph, "y", ADD(graph, WEIR_OP_GEMM, "fc", x, real));
    assert_true(run_on(graph, "onnx_annotate", NULL));
    assert_true(file_has(FOLDER "/net.onnx", "data_width: 8\nweight_width: 8\nacc_width: 18"));
}

static void annotated_files_are_the_same_graph(void **state) {
    (void)state;
    assert_true(run_on(float_layer(), "export_onnx,onnx_annotate{save_path=" FOLDER "/said.onnx}", NULL));
    weir_graph *plain = weir_onnx_import(FOLDER "/net.onnx", &(weir_onnx_options){.sizes.batch = 1});
    weir_graph *said = weir_onnx_import(FOLDER "/said.onnx", &(weir_onnx_options){.sizes.batch = 1});
    weir_text one = {NULL, 0, 0}, two = {NULL, 0, 0};
    weir_graph_set_source(said, weir_graph_source(plain));
    weir_graph_set_name(said, weir_graph_name(plain));
    for (weir_node node = weir_graph_first(said); node.id != 0; node = weir_node_next(said, node))
        weir_node_set_location(said, node,
                               weir_node_location(plain, weir_graph_find_node(plain, weir_node_name(said, node))));
    weir_graph_print(plain, &one);
    weir_graph_print(said, &two);
    assert_string_equal(one.data, two.data);
    weir_text_free(&one);
    weir_text_free(&two);
    weir_graph_free(plain);
    weir_graph_free(said);
}

static void more_to_say_comes_from_a_file(void **state) {
    (void)state;
    static const char more[] = "fc: {data_width: 5, board: left}\n", wrong[] = "fc: {}\nfd: {x: 1}\n";
    assert_true(weir_make_folder(FOLDER) && weir_file_write(FOLDER "/more.yaml", more, sizeof more - 1));
    assert_true(run_on(float_layer(), "onnx_annotate{data_path=" FOLDER "/more.yaml}", NULL));
    assert_true(file_has(FOLDER "/net.onnx", "data_width: 5\n"));
    assert_true(file_has(FOLDER "/net.onnx", "board: left"));
    assert_true(weir_file_write(FOLDER "/more.yaml", wrong, sizeof wrong - 1));
    assert_false(run_on(float_layer(), "onnx_annotate{data_path=" FOLDER "/more.yaml}", NULL));
    assert_non_null(strstr(test_messages.data, "more.yaml:2: error: expected a node of graph 'model'"));
}

/* --- tensorrt --- */

/* The largest magnitude of the input is 2: a scale of 2 / 127, in float32 0x3c810204. Weight rows have the largest
 * magnitudes 2 and 0.25: codes of the first are 64 (63.5), -127, 32 (31.75), 0, of the second 127, 0, 0, 64 (63.5). */
static void tensorrt_gets_symmetric_codes(void **state) {
    (void)state;
    write_frames("1,0,0,-2\n0.5,1,1,1\n");
    assert_true(run_on(float_layer(), "tensorrt{calibration=" FOLDER "/data.csv}", NULL));
    size_t size;
    char *cache = weir_file_read(FOLDER "/tensorrt/calibration.cache", &size);
    assert_string_equal(cache, "TRT-8601-MinMaxCalibration\nx: 3c810204\n");
    free(cache);
    assert_false(file_has(FOLDER "/tensorrt/trtexec.sh", "--calib"));
    assert_true(run_on(float_layer(), "tensorrt{calibration=" FOLDER "/data.csv calibrator=entropy}", NULL));
    assert_true(file_has(FOLDER "/tensorrt/calibration.cache", "TRT-8601-EntropyCalibration2\nx: 3c"));
    assert_true(file_has(FOLDER "/tensorrt/trtexec.sh", "--calib=calibration.cache"));
    assert_true(file_has(FOLDER "/tensorrt/trtexec.sh", "trtexec --onnx=model.onnx --int8"));
    weir_graph *graph = weir_onnx_import(FOLDER "/tensorrt/model.onnx", &(weir_onnx_options){.sizes.batch = 1});
    weir_executor *executor = weir_executor_new(graph);
    weir_array *frame = weir_array_new(WEIR_FLOAT32, &(weir_shape){2, {1, 4}});
    for (size_t i = 0; i < 4; i++) weir_array_set(frame, i, (double[]){1, 0, 0, -2}[i]);
    assert_true(weir_executor_run(executor, (const weir_array *const[]){frame}));
    weir_node fc = weir_graph_find_node(graph, "fc");
    weir_node weight = weir_value_producer(graph, weir_node_input(graph, fc, 1));
    const weir_array *codes = weir_executor_value(executor, weir_node_input(graph, weight, 0));
    static const int64_t expected[8] = {64, -127, 32, 0, 127, 0, 0, 64};
    for (size_t i = 0; i < 8; i++) assert_int_equal(weir_array_get_int(codes, i), expected[i]);
    weir_array_free(frame);
    weir_executor_free(executor);
    weir_graph_free(graph);
}

static void tensorrt_takes_no_zero_points(void **state) {
    (void)state;
    assert_true(run_on(quantized_layer(WEIR_INT8, 0), "tensorrt", NULL));
    assert_false(run_on(quantized_layer(WEIR_INT8, 3), "tensorrt", NULL));
    assert_non_null(
        strstr(test_messages.data, "node 'q' (QuantizeLinear): TensorRT reads int8 codes with zero point 0 only"));
    assert_false(run_on(quantized_layer(WEIR_UINT8, 0), "tensorrt", NULL));
}

static int clear(void **state) {
    if (weir_file_exists(FOLDER)) weir_remove_tree(FOLDER);
    return test_setup(state);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, clear, test_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {CASE(annotations_of_real_layers),    CASE(annotations_follow_analyses),
                                       CASE(accumulators_hold_their_sums),  CASE(annotated_files_are_the_same_graph),
                                       CASE(more_to_say_comes_from_a_file), CASE(tensorrt_gets_symmetric_codes),
                                       CASE(tensorrt_takes_no_zero_points)};
    return cmocka_run_group_tests_name("export only", tests, NULL, NULL);
}
