/* Passes that write graphs to files and read them back, run as a pipeline would run them. */
#include <unistd.h>

#include "ir/graph/print.h"
#include "support/file/file.h"
#include "test_passes_support.h"

#include "test_pass_bench.h"

/* y = relu(x + c), two outputs; or with `codes`, two inputs of codes and their sum. */
static weir_graph *make_graph(const char *name, bool codes) {
    weir_graph *graph = weir_graph_new(name);
    weir_type type = {.dtype = codes ? WEIR_INT8 : WEIR_FLOAT32, .shape = {2, {1, 3}}, .quant = {.axis = -1}};
    if (codes) {
        type.quant = (weir_quant){.format = WEIR_FORMAT_INTEGER, .is_signed = true, .width = 8, .axis = -1};
        type.has_range = true;
        type.low = -128;
        type.high = 127;
    }
    float numbers[] = {1, -2, 0.5f};
    weir_array constant = {WEIR_FLOAT32, {2, {1, 3}}, 3, numbers, NULL};
    weir_value inputs[] = {weir_graph_add_input(graph, "x", &type), WEIR_NO_VALUE};
    inputs[1] = codes ? weir_graph_add_input(graph, "w", &type) : weir_graph_add_constant(graph, "c", &constant);
    weir_node sum = weir_graph_add_node(graph, codes ? WEIR_OP_SUM : WEIR_OP_ADD, "sum", inputs, 2, 1, WEIR_NO_NODE);
    assert_true(weir_infer_node(graph, sum));
    weir_value last = weir_node_output(graph, sum, 0);
    weir_node maximum =
        weir_graph_add_node(graph, codes ? WEIR_OP_MAXIMUM : WEIR_OP_RELU, "y", &last, 1, 1, WEIR_NO_NODE);
    assert_true(weir_infer_node(graph, maximum));
    weir_graph_add_output(graph, "y", weir_node_output(graph, maximum, 0));
    weir_graph_add_output(graph, "sum", last);
    return graph;
}

static weir_module *make_module(void) {
    weir_module *module = weir_module_new("net");
    weir_module_add_graph(module, make_graph("model", false));
    weir_module_add_graph(module, make_graph("another", true));
    weir_module_set_folder(module, "interface");
    return module;
}

/* MASE's load pass gave the caller a tuple where a graph belongs. Here the module has the graphs, in their order, each
 * as it was. */
static void loading_gives_graphs(void **state) {
    (void)state;
    weir_module *module = make_module(), *empty = weir_module_new("empty");
    json_t *records;
    assert_true(run_recorded(module, "save_graph", &records));
    const json_t *info = json_object_get(json_array_get(records, 0), "info");
    assert_string_equal(json_string_value(json_array_get(json_object_get(info, "graphs"), 1)), "another");
    assert_true(run_pipeline(empty, "load_graph{load_dir=interface}"));
    assert_int_equal(weir_module_graph_count(empty), 2);
    for (size_t i = 0; i < 2; i++) {
        char *before = graph_text(weir_module_graph(module, i)), *after = graph_text(weir_module_graph(empty, i));
        assert_string_equal(before, after);
        assert_true(weir_graph_verify(weir_module_graph(empty, i)));
        free(before);
        free(after);
    }
    json_decref(records);
    weir_module_free(module);
    weir_module_free(empty);
}

/* A graph of a name that the module has takes its place; the others stay. */
static void loading_replaces_by_name(void **state) {
    (void)state;
    weir_module *module = make_module();
    assert_true(run_pipeline(module, "save_graph"));
    const weir_graph *kept = weir_module_graph(module, 1), *old = weir_module_graph(module, 0);
    weir_graph_set_source(weir_module_graph(module, 0), "changed");
    assert_true(run_pipeline(module, "load_graph{graph=model}"));
    assert_int_equal(weir_module_graph_count(module), 2);
    assert_ptr_equal(weir_module_graph(module, 1), kept);
    assert_ptr_not_equal(weir_module_graph(module, 0), old);
    assert_string_equal(weir_graph_source(weir_module_graph(module, 0)), "");
    assert_false(run_pipeline(module, "load_graph{graph=modle}"));
    assert_int_equal(weir_module_graph_count(module), 2);
    weir_module_free(module);
}

static void export_has_a_default_place(void **state) {
    (void)state;
    weir_module *module = make_module();
    json_t *records;
    assert_true(run_recorded(module, "export_onnx{graph=model}", &records));
    assert_true(weir_file_exists("interface/net.onnx"));
    const json_t *info = json_object_get(json_array_get(records, 0), "info");
    assert_string_equal(json_string_value(json_object_get(info, "onnx_path")), "interface/net.onnx");
    assert_false(run_pipeline(module, "export_onnx{graph=mode}"));
    assert_non_null(strstr(test_messages.data, "the module has no graph 'mode'"));
    assert_non_null(strstr(test_messages.data, "did you mean 'model'?"));
    json_decref(records);
    weir_module_free(module);
}

static weir_array *read_array(const char *path) {
    weir_array *array = weir_array_read(path, NULL);
    assert_non_null(array);
    return array;
}

/* Every input and every output of every frame: [frames, ...] each. The expected numbers follow from the inputs. */
static void comparison_folder_is_complete(void **state) {
    (void)state;
    static const char *const files[] = {"model.onnx", "compare.py", "compare.json"};
    weir_module *module = make_module();
    assert_true(run_pipeline(module, "onnx_runtime{frames=5 rtol=0.1 atol=0.01}")); /* of the last graph */
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *path = weir_path_join("interface/onnx_runtime", files[i]);
        assert_true(weir_file_exists(path));
        free(path);
    }
    weir_array *x = read_array("interface/onnx_runtime/input_0.npy"),
               *w = read_array("interface/onnx_runtime/input_1.npy");
    weir_array *y = read_array("interface/onnx_runtime/output_0.npy"),
               *s = read_array("interface/onnx_runtime/output_1.npy");
    assert_int_equal(x->shape.dim[0], 5);
    assert_int_equal(y->count, 15);
    size_t different = 0;
    for (size_t i = 0; i < s->count; i++) {
        int64_t sum = weir_array_get_int(x, i) + weir_array_get_int(w, i);
        assert_int_equal(weir_array_get_int(s, i), sum);
        assert_int_equal(weir_array_get_int(y, i), sum < 0 ? 0 : sum);
        different += weir_array_get_int(x, i) != weir_array_get_int(x, 0);
    }
    assert_true(different > 10);
    json_t *what = json_load_file("interface/onnx_runtime/compare.json", 0, NULL);
    assert_true(json_real_value(json_object_get(what, "rtol")) == 0.1);
    assert_true(json_real_value(json_object_get(what, "atol")) == 0.01);
    json_decref(what);
    weir_array *arrays[] = {x, w, y, s};
    for (size_t i = 0; i < 4; i++) weir_array_free(arrays[i]);
    weir_module_free(module);
}

/* Data of several inputs is an archive with their names; what does not fit is named. */
static void data_comes_from_files(void **state) {
    (void)state;
    weir_module *module = make_module();
    weir_archive archive;
    weir_archive_init(&archive);
    for (int i = 0; i < 2; i++) {
        weir_array *array = weir_array_new(WEIR_INT64, &(weir_shape){2, {4, 3}});
        for (size_t j = 0; j < array->count; j++) weir_array_set_int(array, j, i == 0 ? (int64_t)j : -3);
        weir_archive_add(&archive, i == 0 ? "x" : "w", array);
    }
    assert_true(weir_npz_write("interface.npz", &archive));
    assert_true(run_pipeline(module, "onnx_runtime{data=\"interface.npz\" frames=3}"));
    weir_array *y = read_array("interface/onnx_runtime/output_0.npy");
    assert_int_equal(y->shape.dim[0], 3);
    for (size_t i = 0; i < y->count; i++) assert_int_equal(weir_array_get_int(y, i), i < 3 ? 0 : i - 3);
    weir_array_set_int(archive.array[1], 0, 128);
    assert_true(weir_npz_write("interface.npz", &archive));
    assert_false(run_pipeline(module, "onnx_runtime{data=\"interface.npz\"}"));
    assert_non_null(strstr(test_messages.data, "input 'w' takes int8 codes, but element 0 of frame 0 is 128"));
    assert_false(run_pipeline(module, "onnx_runtime{reference=model}"));
    assert_non_null(strstr(test_messages.data, "no graph 'model' with the inputs and outputs of 'another'"));
    weir_array_free(y);
    weir_archive_free(&archive);
    weir_module_free(module);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(loading_gives_graphs),          TEST(loading_replaces_by_name), TEST(export_has_a_default_place),
        TEST(comparison_folder_is_complete), TEST(data_comes_from_files),
    };
    return cmocka_run_group_tests_name("interface passes", tests, NULL, NULL);
}
