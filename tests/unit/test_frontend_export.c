/* The exporter: what is written and read back is the same graph and computes the same, names come through whatever they
 * are, and the opset is the one that the nodes need. ONNX Runtime's word on the files is tests/onnxruntime. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/round_trip.h"
#include "exec/exec.h"
#include "frontend/export/onnx_export.h"
#include "frontend/import/onnx.h"
#include "frontend/import/onnx_table.h"
#include "ir/graph/verify.h"
#include "ir/shape/infer.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "support/text/text.h"
#include "test_digits.h"
#include "test_frontend_reported.h"

/* --- trained networks --- */

static bool ends_with(const char *name, const char *ending) {
    size_t length = strlen(name), tail = strlen(ending);
    return length > tail && strcmp(name + length - tail, ending) == 0;
}

static bool comes_back(const weir_graph *graph) {
    weir_graph *again = read_back(graph);
    bool same = again != NULL && weir_graph_verify(again) && same_graph(graph, again);
    if (again != NULL) weir_graph_free(again);
    return same;
}

static void digits_models_come_back(void **state) {
    (void)state;
    char *folder = digits_path("");
    DIR *list = opendir(folder);
    assert_non_null(list);
    char *test_path = digits_path("digits_test.npz");
    weir_array *data = weir_array_read(test_path, "x");
    size_t models = 0;
    for (struct dirent *entry; (entry = readdir(list)) != NULL;) {
        if (!ends_with(entry->d_name, ".onnx")) continue;
        char *path = weir_path_join(folder, entry->d_name);
        weir_graph *graph = weir_onnx_import(path, NULL), *again = read_back(graph);
        assert_non_null(again);
        assert_true(weir_graph_verify(again));
        assert_true(same_graph(graph, again));
        weir_array *expected = run_all(graph, data), *found = run_all(again, data);
        assert_true(weir_array_equal(expected, found));
        weir_array_free(expected);
        weir_array_free(found);
        weir_graph_free(graph);
        weir_graph_free(again);
        free(path);
        models++;
    }
    closedir(list);
    weir_array_free(data);
    free(test_path);
    free(folder);
    assert_int_equal(models, 8);
}

/* Models of a folder that WEIR_MODELS names, and of the folders in it: those that can be imported come back. */
static void other_models_in(const char *folder, size_t *models) {
    DIR *list = opendir(folder);
    for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
        char *path = weir_path_join(folder, entry->d_name);
        if (ends_with(entry->d_name, ".onnx")) {
            weir_graph *graph = weir_onnx_import(path, NULL);
            if (graph != NULL) {
                print_message("%s\n", entry->d_name);
                assert_true(comes_back(graph));
                weir_graph_free(graph);
                ++*models;
            }
        } else if (entry->d_name[0] != '.') {
            other_models_in(path, models);
        }
        free(path);
    }
    if (list != NULL) closedir(list);
}

static void other_models_come_back(void **state) {
    size_t models = 0;
    (void)state;
    const char *folder = getenv("WEIR_MODELS");
    if (folder == NULL) {
        print_message("skipped: WEIR_MODELS names no folder of models\n");
        skip();
    }
    other_models_in(folder, &models);
    print_message("%zu models came back\n", models);
}

/* --- graphs built here --- */

static weir_value add_input(weir_graph *graph, const char *name, weir_dtype dtype) {
    weir_type type = {.dtype = dtype, .shape = {.rank = 2, .dim = {1, 4}}, .quant = {.axis = -1}};
    return weir_graph_add_input(graph, name, &type);
}

static weir_value add_node(weir_graph *graph, weir_op op, const char *name, weir_value a, weir_value b) {
    weir_value inputs[] = {a, b};
    weir_node node = weir_graph_add_node(graph, op, name, inputs, b.id == 0 ? 1 : 2, 1, WEIR_NO_NODE);
    assert_true(weir_infer_node(graph, node));
    return weir_node_output(graph, node, 0);
}

/* Names that the importer's rules would shorten stay, if they are names that the importer gives. */
static void node_names_stay(void **state) {
    static const char *const names[] = {"Relu", "Relu_3", "gemm_1", "QRelu", "Relu_quant", "output_", "_1x"};
    (void)state;
    weir_graph *graph = weir_graph_new("g");
    weir_value value = add_input(graph, "x", WEIR_FLOAT32);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        value = add_node(graph, WEIR_OP_RELU, names[i], value, WEIR_NO_VALUE);
    weir_graph_add_output(graph, weir_value_name(graph, value), value);
    assert_true(comes_back(graph));
    weir_graph_free(graph);
}

/* After passes an output may be carried by a value of another name, by an input, by a constant, or twice. The names of
 * the outputs stay, and what they are. */
static void output_names_stay(void **state) {
    (void)state;
    weir_graph *graph = weir_graph_new("g");
    weir_value x = add_input(graph, "x", WEIR_FLOAT32);
    weir_value a = add_node(graph, WEIR_OP_RELU, "a", x, WEIR_NO_VALUE);
    weir_value y = add_node(graph, WEIR_OP_ADD, "y", a, x);
    float numbers[] = {1, 2, 3, 4};
    weir_array constant = {WEIR_FLOAT32, {2, {1, 4}}, 4, numbers, NULL};
    weir_value c = weir_graph_add_constant(graph, "c", &constant);
    static const char *const names[] = {"y", "second", "of_input", "of_constant", "c"};
    const weir_value values[] = {a, a, x, c, y}; /* "y" and "c" are names of other values */
    for (size_t i = 0; i < 5; i++) weir_graph_add_output(graph, names[i], values[i]);
    weir_graph *again = read_back(graph);
    assert_non_null(again);
    assert_int_equal(weir_graph_output_count(again), 5);
    weir_executor *before = weir_executor_new(graph), *after = weir_executor_new(again);
    float data[] = {-1, 2, -3, 4};
    weir_array input = {WEIR_FLOAT32, {2, {1, 4}}, 4, data, NULL};
    const weir_array *inputs[] = {&input};
    assert_true(weir_executor_run(before, inputs) && weir_executor_run(after, inputs));
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(weir_graph_output_name(again, i), names[i]);
        assert_true(weir_array_equal(weir_executor_value(before, values[i]),
                                     weir_executor_value(after, weir_graph_output(again, i))));
    }
    weir_executor_free(before);
    weir_executor_free(after);
    weir_graph_free(graph);
    weir_graph_free(again);
}

static void output_named_as_another_input(void **state) {
    (void)state;
    weir_graph *graph = weir_graph_new("g");
    weir_value x = add_input(graph, "x", WEIR_FLOAT32);
    weir_graph_add_output(graph, "x", add_node(graph, WEIR_OP_RELU, "a", x, WEIR_NO_VALUE));
    size_t size;
    assert_null(weir_onnx_export_bytes(graph, NULL, &size));
    assert_true(was_reported("output 'x' has the name of an input"));
    weir_graph_free(graph);
}

/* --- opsets --- */

static weir_graph *quantizing_graph(weir_dtype codes) {
    weir_graph *graph = weir_graph_new("g");
    float one = 1;
    int16_t none = 0;
    weir_array scale = {WEIR_FLOAT32, {0, {0}}, 1, &one, NULL}, zero = {codes, {0, {0}}, 1, &none, NULL};
    weir_value inputs[] = {add_input(graph, "x", WEIR_FLOAT32), weir_graph_add_constant(graph, "s", &scale),
                           weir_graph_add_constant(graph, "z", &zero)};
    weir_node node = weir_graph_add_node(graph, WEIR_OP_QUANTIZE_LINEAR, "q", inputs, 3, 1, WEIR_NO_NODE);
    assert_true(weir_infer_node(graph, node));
    weir_graph_add_output(graph, "q", weir_node_output(graph, node, 0));
    return graph;
}

/* The version in the file: field 8 of the model is a message that ends with field 2, the version. */
static int opset_of(const weir_graph *graph, const weir_onnx_export_options *options) {
    static const char import[] = {0x42, 0x04, 0x0a, 0x00, 0x10}; /* domain "", version */
    size_t size = 0;
    int opset = -1;
    const char *bytes = weir_onnx_export_bytes(graph, options, &size);
    for (size_t i = 0; bytes != NULL && i + sizeof import < size; i++)
        if (memcmp(bytes + i, import, sizeof import) == 0) opset = bytes[i + sizeof import];
    free((void *)bytes);
    return opset;
}

static void opset_is_what_the_nodes_need(void **state) {
    (void)state;
    weir_graph *graph = quantizing_graph(WEIR_INT8);
    assert_int_equal(opset_of(graph, NULL), 17);
    assert_int_equal(opset_of(graph, &(weir_onnx_export_options){.opset = 13}), 13);
    weir_node_set_int(graph, weir_graph_find_node(graph, "q"), "saturate", 1);
    assert_int_equal(opset_of(graph, NULL), 19);
    assert_int_equal(opset_of(graph, &(weir_onnx_export_options){.opset = 18}), -1);
    assert_true(was_reported("node 'q' (QuantizeLinear) cannot be expressed in opset 18"));
    weir_graph_free(graph);
    graph = quantizing_graph(WEIR_INT16);
    assert_int_equal(opset_of(graph, NULL), 21);
    weir_graph_free(graph);
}

/* What no opset knows is an error that names it. */
static void unknown_attribute(void **state) {
    (void)state;
    weir_graph *graph = quantizing_graph(WEIR_INT8);
    weir_node_set_int(graph, weir_graph_find_node(graph, "q"), "data_width", 8);
    assert_int_equal(opset_of(graph, NULL), -1);
    assert_true(was_reported("node 'q' (QuantizeLinear)"));
    weir_graph_free(graph);
}

/* --- planted faults: the comparison sees them --- */

static weir_graph *small_graph(float weight, int64_t axis) {
    weir_graph *graph = weir_graph_new("g");
    float numbers[] = {1, 2, 3, weight};
    weir_array constant = {WEIR_FLOAT32, {2, {1, 4}}, 4, numbers, NULL};
    weir_value sum = add_node(graph, WEIR_OP_ADD, "a", add_input(graph, "x", WEIR_FLOAT32),
                              weir_graph_add_constant(graph, "c", &constant));
    weir_node node = weir_graph_add_node(graph, WEIR_OP_FLATTEN, "f", &sum, 1, 1, WEIR_NO_NODE);
    weir_node_set_int(graph, node, "axis", axis);
    assert_true(weir_infer_node(graph, node));
    weir_graph_add_output(graph, "f", weir_node_output(graph, node, 0));
    return graph;
}

/* A mask of any number type becomes a Where. */
static void masks_are_exported(void **state) {
    (void)state;
    static const weir_dtype types[] = {WEIR_UINT8, WEIR_FLOAT32};
    static const double values[4] = {1, -2, 3, 4}, expected[4] = {0, -2, 0, 4};
    for (int i = 0; i < 2; i++) {
        weir_graph *graph = weir_graph_new("g");
        weir_type type = {.dtype = WEIR_FLOAT32, .shape = {.rank = 2, .dim = {1, 4}}, .quant = {.axis = -1}};
        weir_array *mask = weir_array_new(types[i], &type.shape), *data = weir_array_new(WEIR_FLOAT32, &type.shape);
        weir_array_set(mask, 1, 2);
        weir_array_set(mask, 3, i == 0 ? 255 : -0.25);
        for (size_t e = 0; e < 4; e++) weir_array_set(data, e, values[e]);
        weir_value inputs[2] = {weir_graph_add_input(graph, "x", &type), weir_graph_add_constant(graph, "m", mask)};
        weir_node node = weir_graph_add_node(graph, WEIR_OP_MASK, "mask", inputs, 2, 1, WEIR_NO_NODE);
        assert_true(weir_infer_node(graph, node));
        weir_graph_add_output(graph, "y", weir_node_output(graph, node, 0));
        weir_graph *again = read_back(graph);
        assert_non_null(again);
        weir_array *result = run_all(again, data);
        for (size_t e = 0; e < 4; e++) assert_true(weir_array_get(result, e) == expected[e]);
        weir_array_free(result);
        weir_array_free(mask);
        weir_array_free(data);
        weir_graph_free(again);
        weir_graph_free(graph);
    }
}

static void planted_faults_are_seen(void **state) {
    (void)state;
    weir_graph *right = small_graph(4, 1), *same = small_graph(4, 1), *constant = small_graph(4.0000005f, 1);
    weir_graph *attribute = small_graph(4, -1);
    assert_true(same_graph(right, same));
    assert_false(same_graph(right, constant));
    assert_false(same_graph(right, attribute));
    weir_graph *graphs[] = {right, same, constant, attribute};
    for (size_t i = 0; i < 4; i++) weir_graph_free(graphs[i]);
}

/* Equal graphs give equal files, and a file that cannot be written leaves the one before it. */
static void files_are_deterministic_and_whole(void **state) {
    (void)state;
    weir_graph *graph = small_graph(4, 1), *other = small_graph(5, 1);
    size_t sizes[2];
    void *bytes[] = {weir_onnx_export_bytes(graph, NULL, &sizes[0]), weir_onnx_export_bytes(graph, NULL, &sizes[1])};
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    assert_true(weir_onnx_export(graph, "export.onnx", NULL));
    weir_node_set_int(other, weir_graph_find_node(other, "f"), "nonsense", 1);
    assert_false(weir_onnx_export(other, "export.onnx", NULL));
    char *kept = weir_file_read("export.onnx", &sizes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], kept, sizes[0]);
    free(kept);
    free(bytes[0]);
    free(bytes[1]);
    weir_graph_free(graph);
    weir_graph_free(other);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, keep_diagnostics, drop_diagnostics)

/* Files hold operators of op.def and no others, and each of those that a file may hold has a rule for reading. */
static void every_operator_can_be_imported(void **state) {
    (void)state;
    for (int op = WEIR_OP_NONE + 1; op < WEIR_OP_COUNT; op++) {
        const weir_op_info *info = weir_op_get((weir_op)op);
        bool found = strcmp(info->domain, "weir") == 0;
        for (const weir_onnx_rule *rule = NULL; !found && (rule = weir_onnx_rule_next(rule)) != NULL;)
            found = rule->op == (weir_op)op && strcmp(rule->name, info->name) == 0;
        if (!found) fail_msg("%s has no rule", info->full_name);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operator_can_be_imported),
        TEST(digits_models_come_back),
        TEST(other_models_come_back),
        TEST(node_names_stay),
        TEST(output_names_stay),
        TEST(output_named_as_another_input),
        TEST(opset_is_what_the_nodes_need),
        TEST(masks_are_exported),
        TEST(unknown_attribute),
        TEST(planted_faults_are_seen),
        TEST(files_are_deterministic_and_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
