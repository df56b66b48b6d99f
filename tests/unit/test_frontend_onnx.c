/* The importer on models made here, on the repository's trained networks, and on a folder of other models when
 * WEIR_MODELS names one. What it refuses is the affair of tests/err. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "frontend/import/onnx.h"
#include "ir/graph/graph.h"
#include "ir/graph/verify.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "test_frontend_model.h"
#include "test_frontend_reported.h"

static const int64_t vector4[] = {4};

/* --- helpers --- */

static weir_graph *import_graph(weir_text graph, const weir_onnx_options *options) {
    weir_text model = make_model(graph);
    weir_graph *imported = weir_onnx_import_bytes(model.data, model.size, "some/folder/test.onnx", NULL, options);
    weir_text_free(&model);
    if (imported != NULL) assert_true(weir_graph_verify(imported));
    return imported;
}

/* x [N,4] and y around the nodes to come. */
static weir_text start_graph(void) {
    weir_text graph = {0};
    put_message(&graph, GRAPH_INPUT, make_value("x", ONNX_FLOAT, 2, (const int64_t[]){-1, 4}));
    put_message(&graph, GRAPH_OUTPUT, make_value("y", ONNX_FLOAT, 2, (const int64_t[]){-1, 4}));
    return graph;
}

static weir_array *read_tensor(weir_text tensor) {
    assert_true(weir_file_write("tensor.pb", tensor.data, tensor.size));
    weir_text_free(&tensor);
    return weir_onnx_read_tensor("tensor.pb");
}

/* --- tensors --- */

/* Numbers that fit every integer type, through the typed field and as raw data. */
static void integers_of_every_type(void **state) {
    static const struct {
        int onnx;
        weir_dtype dtype;
        unsigned field;
    } types[] = {
        {ONNX_UINT8, WEIR_UINT8, TENSOR_INT32S},    {ONNX_INT8, WEIR_INT8, TENSOR_INT32S},
        {ONNX_UINT16, WEIR_UINT16, TENSOR_INT32S},  {ONNX_INT16, WEIR_INT16, TENSOR_INT32S},
        {ONNX_INT32, WEIR_INT32, TENSOR_INT32S},    {ONNX_INT64, WEIR_INT64, TENSOR_INT64S},
        {ONNX_UINT32, WEIR_UINT32, TENSOR_UINT64S}, {ONNX_UINT64, WEIR_UINT64, TENSOR_UINT64S},
    };
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        int64_t low, high;
        weir_dtype_limits(types[i].dtype, &low, &high);
        const int64_t numbers[] = {low, 0, 1, high};
        weir_text typed = make_tensor("t", types[i].onnx, 1, vector4), packed = {0};
        for (int j = 0; j < 4; j++) put_varint(&packed, (uint64_t)numbers[j]);
        put_message(&typed, types[i].field, packed);
        weir_array *array = read_tensor(typed);
        assert_non_null(array);
        assert_int_equal(array->dtype, types[i].dtype);
        assert_int_equal(array->shape.rank, 1);
        for (size_t j = 0; j < 4; j++) assert_true(weir_array_get_int(array, j) == numbers[j]);
        weir_text raw = make_tensor("t", types[i].onnx, 1, vector4);
        put_bytes(&raw, TENSOR_RAW, array->data, 4 * weir_dtype_size(types[i].dtype));
        weir_array *again = read_tensor(raw);
        assert_non_null(again);
        assert_true(weir_array_equal(array, again));
        weir_array_free(array);
        weir_array_free(again);
    }
}

static void real_numbers(void **state) {
    static const float floats[] = {1.5f, -0.0f, 3e38f, 1e-40f};
    static const double doubles[] = {1.5, -2.25, 1e300, 5e-324};
    static const int halves[] = {0x3c00, 0xc000, 0x7bff, 0x0001}; /* 1, -2, the largest, the smallest */
    (void)state;
    weir_array *array = read_tensor(make_floats("f", 1, vector4, floats, 4));
    assert_memory_equal(array->data, floats, sizeof floats);
    weir_array_free(array);
    weir_text tensor = make_tensor("d", ONNX_DOUBLE, 1, vector4);
    put_bytes(&tensor, TENSOR_DOUBLES, doubles, sizeof doubles);
    array = read_tensor(tensor);
    assert_memory_equal(array->data, doubles, sizeof doubles);
    weir_array_free(array);
    tensor = make_tensor("h", ONNX_FLOAT16, 1, vector4);
    for (int i = 0; i < 4; i++) put_int(&tensor, TENSOR_INT32S, halves[i]); /* unpacked, as older writers do */
    array = read_tensor(tensor);
    assert_int_equal(array->dtype, WEIR_FLOAT16);
    assert_true(weir_array_get(array, 0) == 1.0 && weir_array_get(array, 1) == -2.0);
    assert_true(weir_array_get(array, 2) == 65504.0 && weir_array_get(array, 3) == 0x1p-24);
    weir_array_free(array);
}

static void bools_and_scalars(void **state) {
    (void)state;
    weir_text tensor = make_tensor("b", ONNX_BOOL, 1, (const int64_t[]){2});
    put_bytes(&tensor, TENSOR_RAW, "\1\0", 2);
    weir_array *array = read_tensor(tensor);
    assert_int_equal(array->dtype, WEIR_BOOL);
    assert_true(weir_array_get_int(array, 0) == 1 && weir_array_get_int(array, 1) == 0);
    weir_array_free(array);
    tensor = make_tensor("s", ONNX_FLOAT, 0, NULL);
    put_float(&tensor, TENSOR_FLOATS, 0.5f);
    array = read_tensor(tensor);
    assert_int_equal(array->shape.rank, 0);
    assert_true(array->count == 1 && weir_array_get(array, 0) == 0.5);
    weir_array_free(array);
    assert_null(weir_onnx_read_tensor("no_such_file.pb"));
}

/* Two tensors in one external file in a folder below, one of them reached through a link that stays inside. */
static void external_data(void **state) {
    static const float data[] = {9, 1, 2, 3, 4, 5, 6, 7, 8};
    (void)state;
    assert_true(weir_remove_tree("external") && weir_make_folder("external/data"));
    assert_true(weir_file_write("external/data/w.bin", data, sizeof data));
    assert_int_equal(symlink("data/w.bin", "external/link.bin"), 0);
    weir_text graph = start_graph(), a = make_tensor("a", ONNX_FLOAT, 1, vector4),
              b = make_tensor("b", ONNX_FLOAT, 1, vector4);
    put_message(&a, TENSOR_EXTERNAL, make_entry("location", "data/w.bin"));
    put_message(&a, TENSOR_EXTERNAL, make_entry("offset", "4"));
    put_message(&a, TENSOR_EXTERNAL, make_entry("length", "16"));
    put_int(&a, TENSOR_LOCATION, 1);
    put_message(&b, TENSOR_EXTERNAL, make_entry("location", "./link.bin"));
    put_message(&b, TENSOR_EXTERNAL, make_entry("offset", "20"));
    put_int(&b, TENSOR_LOCATION, 1);
    put_message(&graph, GRAPH_INITIALIZER, a);
    put_message(&graph, GRAPH_INITIALIZER, b);
    put_message(&graph, GRAPH_NODE, make_node("Add", "p", "x", "a", "h"));
    put_message(&graph, GRAPH_NODE, make_node("Add", "q", "h", "b", "y"));
    weir_text model = make_model(graph);
    assert_true(weir_file_write("external/model.onnx", model.data, model.size));
    weir_graph *imported = weir_onnx_import("external/model.onnx", NULL);
    assert_non_null(imported);
    const weir_array *first = weir_value_constant(imported, weir_graph_find_value(imported, "a"));
    const weir_array *second = weir_value_constant(imported, weir_graph_find_value(imported, "b"));
    assert_memory_equal(first->data, data + 1, 16);
    assert_memory_equal(second->data, data + 5, 16);
    weir_graph_free(imported);
    assert_null(weir_onnx_import_bytes(model.data, model.size, "model.onnx", NULL, NULL));
    assert_true(was_reported("the model has no folder"));
    weir_text_free(&model);
}

/* --- graphs --- */

static void nodes_are_sorted_and_named(void **state) {
    (void)state;
    weir_text graph = start_graph();
    put_message(&graph, GRAPH_NODE, make_node("Relu", "/act/Relu", "c", NULL, "y"));
    put_message(&graph, GRAPH_NODE, make_node("Add", NULL, "a", "b", "c"));
    put_message(&graph, GRAPH_NODE, make_node("Relu", "/act/Relu", "x", NULL, "a"));
    put_message(&graph, GRAPH_NODE, make_node("Relu", "/act/Relu_1", "x", NULL, "b"));
    weir_graph *imported = import_graph(graph, NULL);
    static const char *const names[] = {"act", "act_1", "add", "act_2"}, *const values[] = {"a", "b", "c", "y"};
    static const int lines[] = {3, 4, 2, 1};
    assert_non_null(imported);
    assert_string_equal(weir_graph_name(imported), "test");
    assert_string_equal(weir_graph_source(imported), "test.onnx");
    weir_node node = weir_graph_first(imported);
    for (size_t i = 0; i < 4; i++, node = weir_node_next(imported, node)) {
        assert_string_equal(weir_node_name(imported, node), names[i]);
        assert_string_equal(weir_value_name(imported, weir_node_output(imported, node, 0)), values[i]);
        assert_int_equal(weir_node_location(imported, node).line, lines[i]);
        assert_string_equal(weir_node_location(imported, node).file, "test.onnx");
    }
    weir_graph_free(imported);
}

/* Values keep their names even when node names and converted parameters would like the same ones. */
static void value_names_are_kept(void **state) {
    static const int64_t one[] = {1}, zero[] = {0};
    (void)state;
    weir_text graph = start_graph(), bits = make_tensor("z", ONNX_INT64, 1, one), quant;
    put_bytes(&bits, TENSOR_RAW, "\4\0\0\0\0\0\0\0", 8);
    put_message(&graph, GRAPH_INITIALIZER, bits);
    put_message(&graph, GRAPH_INITIALIZER, make_floats("s", 0, zero, (const float[]){0.5f}, 1));
    put_message(&graph, GRAPH_NODE, make_node("Relu", "r", "x", NULL, "z.float32"));
    quant = make_node("Quant", "z", "z.float32", "s", "y");
    put_text(&quant, NODE_INPUT, "z");
    put_text(&quant, NODE_INPUT, "z");
    put_text(&quant, NODE_DOMAIN, "finn.custom_op.general");
    for (int i = 0; i < 2; i++) {
        weir_text attribute = {0};
        put_text(&attribute, 1, i == 0 ? "signed" : "narrow");
        put_int(&attribute, 3, 1);
        put_int(&attribute, 20, 2);
        put_message(&quant, NODE_ATTRIBUTE, attribute);
    }
    put_message(&graph, GRAPH_NODE, quant);
    weir_graph *imported = import_graph(graph, NULL);
    assert_non_null(imported);
    weir_node last = weir_graph_last(imported), first = weir_graph_first(imported);
    assert_string_equal(weir_value_name(imported, weir_node_output(imported, first, 0)), "z.float32");
    weir_value width = weir_node_input(imported, last, 3);
    assert_string_equal(weir_value_name(imported, width), "z.float32_");
    assert_int_equal(weir_value_type(imported, width)->dtype, WEIR_FLOAT32);
    assert_true(weir_array_get(weir_value_constant(imported, width), 0) == 4.0);
    assert_true(width.id == weir_node_input(imported, last, 2).id);
    assert_int_equal(weir_node_int(imported, last, "signed", 0), 1);
    weir_graph_free(imported);
}

/* QONNX's operators under every name of their domain, and without one. */
static void domains_of_qonnx(void **state) {
    static const char *const domains[] = {"", "ai.onnx", "qonnx.custom_op.general", "finn.custom_op.general",
                                          "onnx.brevitas"};
    static const int64_t one[] = {1, 1};
    (void)state;
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++) {
        weir_text graph = start_graph(), node = make_node("MultiThreshold", "t", "x", "steps", "y"), attribute = {0};
        put_message(&graph, GRAPH_INITIALIZER, make_floats("steps", 2, one, (const float[]){0.5f}, 1));
        put_text(&attribute, 1, "out_dtype");
        put_text(&attribute, 4, "BIPOLAR");
        put_int(&attribute, 20, 3);
        put_message(&node, NODE_ATTRIBUTE, attribute);
        put_text(&node, NODE_DOMAIN, domains[i]);
        put_message(&graph, GRAPH_NODE, node);
        weir_graph *imported = import_graph(graph, NULL);
        assert_non_null(imported);
        weir_node first = weir_graph_first(imported);
        assert_int_equal(weir_node_op(imported, first), WEIR_OP_MULTI_THRESHOLD);
        assert_string_equal(weir_node_string(imported, first, "out_dtype", ""), "BIPOLAR");
        weir_graph_free(imported);
    }
}

/* ONNX Runtime's quantizers have 16 bits in every opset, those of ai.onnx from 21 on. */
static void sixteen_bits(void **state) {
    static const int64_t zero[] = {0};
    (void)state;
    for (int contributed = 1; contributed >= 0; contributed--) {
        weir_text graph = start_graph(), point = make_tensor("z", ONNX_INT16, 0, zero);
        put_bytes(&point, TENSOR_RAW, "\1\0", 2);
        put_message(&graph, GRAPH_INITIALIZER, point);
        put_message(&graph, GRAPH_INITIALIZER, make_floats("s", 0, zero, (const float[]){0.5f}, 1));
        for (int i = 0; i < 2; i++) {
            weir_text node = i == 0 ? make_node("QuantizeLinear", "q", "x", "s", "h")
                                    : make_node("DequantizeLinear", "d", "h", "s", "y");
            put_text(&node, NODE_INPUT, "z");
            if (contributed) put_text(&node, NODE_DOMAIN, "com.microsoft");
            put_message(&graph, GRAPH_NODE, node);
        }
        weir_graph *imported = import_graph(graph, NULL);
        assert_int_equal(imported != NULL, contributed);
        if (imported == NULL) continue;
        const weir_node first = weir_graph_first(imported);
        assert_int_equal(weir_node_op(imported, first), WEIR_OP_QUANTIZE_LINEAR);
        assert_int_equal(weir_value_type(imported, weir_node_output(imported, first, 0))->dtype, WEIR_INT16);
        weir_graph_free(imported);
    }
    assert_true(was_reported("element type int16 needs opset 21, the model imports opset 17"));
}

static void put_number(weir_text *node, const char *name, int64_t number) {
    weir_text attribute = {0};
    put_text(&attribute, 1, name);
    put_int(&attribute, 3, number);
    put_int(&attribute, 20, 2);
    put_message(node, NODE_ATTRIBUTE, attribute);
}

/* Made of a Softmax before opset 13 it normalizes all from the axis on; ONNX Runtime's default is the last one all the
 * same. */
static void old_quantized_softmax(void **state) {
    static const int64_t shape[] = {2, 3, 4};
    (void)state;
    for (int64_t axis = 0; axis < 3; axis++) {
        weir_text graph = {0}, zero = make_tensor("z", ONNX_UINT8, 0, NULL);
        weir_text node = make_node("QLinearSoftmax", "share", "x", "s", "y");
        put_message(&graph, GRAPH_INPUT, make_value("x", ONNX_UINT8, 3, shape));
        put_message(&graph, GRAPH_OUTPUT, make_value("y", ONNX_UINT8, 3, shape));
        put_bytes(&zero, TENSOR_RAW, "\0", 1);
        put_message(&graph, GRAPH_INITIALIZER, zero);
        put_message(&graph, GRAPH_INITIALIZER, make_floats("s", 0, NULL, (const float[]){0.5f}, 1));
        for (int i = 0; i < 3; i++) put_text(&node, NODE_INPUT, i == 1 ? "s" : "z");
        put_text(&node, NODE_DOMAIN, "com.microsoft");
        put_number(&node, "opset", 12);
        if (axis > 0) put_number(&node, "axis", axis);
        put_message(&graph, GRAPH_NODE, node);
        weir_graph *imported = import_graph(graph, NULL);
        assert_non_null(imported);
        assert_int_equal(weir_graph_node_count(imported), axis == 1 ? 3 : 1);
        weir_graph_free(imported);
    }
}

static void put_numbers(weir_text *node, const char *name, const int64_t *numbers, size_t count) {
    weir_text attribute = {0};
    put_text(&attribute, 1, name);
    for (size_t i = 0; i < count; i++) put_int(&attribute, 8, numbers[i]);
    put_int(&attribute, 20, 7);
    put_message(node, NODE_ATTRIBUTE, attribute);
}

/* `auto_pad` of a pool on codes: its input 1 is a scale, and no kernel; its positions are where the channels are
 * not. */
static void quantized_pool_is_padded(void **state) {
    static const int64_t shape[] = {1, 5, 4, 3}, square[] = {2, 2};
    static const int64_t pads[2][4] = {{0, 0, 0, 1}, {0, 0, 1, 0}}, result[2][4] = {{1, 5, 2, 2}, {1, 3, 2, 3}};
    (void)state;
    for (int last = 0; last < 2; last++) {
        weir_text graph = {0}, zero = make_tensor("z", ONNX_UINT8, 0, NULL), mode = {0};
        weir_text node = make_node("QLinearAveragePool", "mean", "x", "s", "y");
        put_message(&graph, GRAPH_INPUT, make_value("x", ONNX_UINT8, 4, shape));
        put_message(&graph, GRAPH_OUTPUT, make_value("y", ONNX_UINT8, 4, result[last]));
        put_bytes(&zero, TENSOR_RAW, "\0", 1);
        put_message(&graph, GRAPH_INITIALIZER, zero);
        put_message(&graph, GRAPH_INITIALIZER, make_floats("s", 0, NULL, (const float[]){0.5f}, 1));
        for (int i = 0; i < 3; i++) put_text(&node, NODE_INPUT, i == 1 ? "s" : "z");
        put_text(&node, NODE_DOMAIN, "com.microsoft");
        put_text(&mode, 1, "auto_pad");
        put_text(&mode, 4, "SAME_UPPER");
        put_int(&mode, 20, 3);
        put_message(&node, NODE_ATTRIBUTE, mode);
        put_number(&node, "channels_last", last);
        put_numbers(&node, "kernel_shape", square, 2);
        put_numbers(&node, "strides", square, 2);
        put_message(&graph, GRAPH_NODE, node);
        weir_graph *imported = import_graph(graph, NULL);
        assert_non_null(imported);
        const weir_attribute *made = weir_node_attribute(imported, weir_graph_first(imported), "pads");
        assert_non_null(made);
        assert_memory_equal(made->as.ints, pads[last], sizeof pads[last]);
        weir_graph_free(imported);
    }
}

static void batch_and_bindings(void **state) {
    (void)state;
    weir_archive bindings;
    weir_shape shape = {.rank = 2, .dim = {5, 4}};
    weir_archive_init(&bindings);
    weir_archive_add(&bindings, "w", weir_array_new(WEIR_FLOAT32, &shape));
    const weir_onnx_options options = {.bindings = &bindings, .sizes.batch = 5};
    for (int wrong = 0; wrong < 3; wrong++) {
        weir_text graph = start_graph();
        put_message(
            &graph, GRAPH_INPUT,
            make_value(wrong == 1 ? "v" : "w", wrong == 2 ? ONNX_INT8 : ONNX_FLOAT, 2, (const int64_t[]){-1, 4}));
        put_message(&graph, GRAPH_NODE, make_node("Add", NULL, "x", wrong == 1 ? "v" : "w", "y"));
        weir_graph *imported = import_graph(graph, &options);
        assert_int_equal(imported != NULL, wrong == 0);
        if (imported == NULL) continue;
        assert_int_equal(weir_graph_input_count(imported), 1);
        assert_int_equal(weir_value_type(imported, weir_graph_input(imported, 0))->shape.dim[0], 5);
        assert_non_null(weir_value_constant(imported, weir_graph_find_value(imported, "w")));
        weir_graph_free(imported);
    }
    assert_true(was_reported("'w' cannot be bound: the model has no such input"));
    assert_true(was_reported("graph input 'w' is declared as int8, found float32"));
    weir_archive_free(&bindings);
}

/* An initializer that is also an input is a constant; one that nothing uses is not even read. */
static void initializers(void **state) {
    static const float data[] = {1, 2, 3, 4};
    (void)state;
    weir_text graph = start_graph();
    put_message(&graph, GRAPH_INPUT, make_value("w", ONNX_FLOAT, 1, vector4));
    put_message(&graph, GRAPH_INITIALIZER, make_tensor("unused", 16, 1, vector4));
    put_message(&graph, GRAPH_INITIALIZER, make_floats("w", 1, vector4, data, 4));
    put_message(&graph, GRAPH_NODE, make_node("Add", NULL, "x", "w", "y"));
    weir_graph *imported = import_graph(graph, NULL);
    assert_non_null(imported);
    assert_int_equal(weir_graph_input_count(imported), 1);
    assert_memory_equal(weir_value_constant(imported, weir_graph_find_value(imported, "w"))->data, data, sizeof data);
    assert_int_equal(weir_graph_find_value(imported, "unused").id, 0);
    weir_graph_free(imported);
}

/* Graph outputs may be inputs and constants. */
static void outputs_without_nodes(void **state) {
    (void)state;
    weir_text graph = {0};
    put_message(&graph, GRAPH_INPUT, make_value("x", ONNX_INT8, 1, vector4));
    put_message(&graph, GRAPH_OUTPUT, make_value("x", ONNX_INT8, 1, vector4));
    put_message(&graph, GRAPH_OUTPUT, make_value("w", ONNX_FLOAT, 1, vector4));
    put_message(&graph, GRAPH_INITIALIZER, make_floats("w", 1, vector4, (const float[]){1, 2, 3, 4}, 4));
    weir_graph *imported = import_graph(graph, NULL);
    assert_non_null(imported);
    assert_int_equal(weir_graph_output_count(imported), 2);
    assert_string_equal(weir_graph_output_name(imported, 1), "w");
    weir_graph_free(imported);
}

/* A file may name fewer outputs than the operator always has. */
static void last_outputs_are_left_out(void **state) {
    (void)state;
    weir_text graph = {0};
    put_message(&graph, GRAPH_INPUT, make_value("x", ONNX_FLOAT, 1, vector4));
    put_message(&graph, GRAPH_OUTPUT, make_value("y", ONNX_UINT8, 1, vector4));
    put_message(&graph, GRAPH_NODE, make_node("DynamicQuantizeLinear", "codes", "x", NULL, "y"));
    weir_graph *imported = import_graph(graph, NULL);
    assert_non_null(imported);
    const weir_node node = weir_graph_find_node(imported, "codes");
    assert_int_equal(weir_node_output_count(imported, node), 3);
    assert_string_equal(weir_value_name(imported, weir_node_output(imported, node, 0)), "y");
    weir_graph_free(imported);
}

/* Every row of op.def that ONNX files may hold has a rule in the schema. */
static void every_operator_has_a_rule(void **state) {
    (void)state;
    for (int op = 1; op < WEIR_OP_COUNT; op++) {
        const weir_op_info *info = weir_op_get((weir_op)op);
        if (info->class != WEIR_CLASS_TENSOR || strcmp(info->domain, "weir") == 0) continue;
        weir_text graph = start_graph(), node = make_node(info->name, "n", NULL, NULL, "y");
        put_text(&node, NODE_DOMAIN, info->domain);
        put_message(&graph, GRAPH_NODE, node);
        assert_null(import_graph(graph, NULL));
        if (was_reported("is not supported")) fail_msg("no rule for %s", info->full_name);
    }
}

/* A long chain in reverse order: linear time and no recursion. */
static void long_reversed_chain(void **state) {
    enum { LENGTH = 20000 };
    char from[16], to[16];
    (void)state;
    weir_text graph = start_graph();
    for (int i = LENGTH; i-- > 0;) {
        snprintf(from, sizeof from, i == 0 ? "x" : "v%d", i);
        snprintf(to, sizeof to, i == LENGTH - 1 ? "y" : "v%d", i + 1);
        put_message(&graph, GRAPH_NODE, make_node("Relu", NULL, from, NULL, to));
    }
    weir_graph *imported = import_graph(graph, NULL);
    assert_non_null(imported);
    assert_int_equal(weir_graph_node_count(imported), LENGTH);
    weir_graph_free(imported);
}

/* One large vector of scales used by many small nodes: refused before the copies fill the memory. */
static void many_uses_of_scales(void **state) {
    enum { COUNT = 1 << 16, NODES = 300 };
    static const int64_t dims[] = {1, COUNT}, vector[] = {COUNT};
    static float scales[COUNT];
    char output[16];
    (void)state;
    for (size_t i = 0; i < COUNT; i++) scales[i] = 0.5f;
    weir_text graph = {0};
    put_message(&graph, GRAPH_INPUT, make_value("x", ONNX_FLOAT, 2, dims));
    put_message(&graph, GRAPH_OUTPUT, make_value("y0", ONNX_UINT8, 2, dims));
    put_message(&graph, GRAPH_INITIALIZER, make_floats("s", 1, vector, scales, COUNT));
    for (int i = 0; i < NODES; i++) {
        snprintf(output, sizeof output, "y%d", i);
        put_message(&graph, GRAPH_NODE, make_node("QuantizeLinear", NULL, "x", "s", output));
    }
    assert_null(import_graph(graph, NULL));
    assert_true(was_reported("test.onnx:257: error: unnamed node (QuantizeLinear): the nodes of the model use more"));
}

/* --- models --- */

static void digits_models(void **state) {
    static const char *const names[] = {"mlp_float",         "mlp_qdq",          "mlp_qoperator",
                                        "mlp_qlinearmatmul", "mlp_residual_qdq", "mlp_residual_qdq_relu",
                                        "mlp_qonnx_w4a4",    "mlp_bipolar"};
    (void)state;
    const char *source = getenv("WEIR_SOURCE");
    if (source == NULL) skip();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = weir_format("%s/tests/models/digits/%s.onnx", source, names[i]);
        weir_graph *graph = weir_onnx_import(path, NULL);
        if (graph == NULL) fail_msg("%s: %s", path, reported.data);
        assert_true(weir_graph_verify(graph));
        assert_string_equal(weir_graph_name(graph), names[i]);
        assert_int_equal(weir_graph_input_count(graph), 1);
        assert_int_equal(weir_graph_output_count(graph), 1);
        const weir_shape in = {.rank = 2, .dim = {1, 64}}, out = {.rank = 2, .dim = {1, 10}};
        assert_true(weir_shape_equal(&weir_value_type(graph, weir_graph_input(graph, 0))->shape, &in));
        assert_true(weir_shape_equal(&weir_value_type(graph, weir_graph_output(graph, 0))->shape, &out));
        weir_graph_free(graph);
        free(path);
    }
}

/* A graph or an error, for every .onnx file in the folder and those below it. */
static void import_folder(const char *path, size_t *imported, size_t *refused) {
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (*entry->d_name == '.') continue;
        char *name = weir_path_join(path, entry->d_name);
        size_t length = strlen(name);
        if (length > 5 && strcmp(name + length - 5, ".onnx") == 0) {
            size_t before = weir_diag_errors();
            weir_graph *graph = weir_onnx_import(name, NULL);
            assert_true((graph == NULL) == (weir_diag_errors() > before));
            if (graph != NULL) assert_true(weir_graph_verify(graph));
            *(graph == NULL ? refused : imported) += 1;
            weir_graph_free(graph);
        } else {
            import_folder(name, imported, refused);
        }
        free(name);
    }
    if (folder != NULL) closedir(folder);
}

static void other_models(void **state) {
    size_t imported = 0, refused = 0;
    (void)state;
    const char *folder = getenv("WEIR_MODELS");
    if (folder == NULL) skip();
    import_folder(folder, &imported, &refused);
    print_message("%zu models imported, %zu refused\n", imported, refused);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, keep_diagnostics, drop_diagnostics)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(integers_of_every_type),
        TEST(real_numbers),
        TEST(bools_and_scalars),
        TEST(external_data),
        TEST(nodes_are_sorted_and_named),
        TEST(value_names_are_kept),
        TEST(domains_of_qonnx),
        TEST(sixteen_bits),
        TEST(old_quantized_softmax),
        TEST(quantized_pool_is_padded),
        TEST(batch_and_bindings),
        TEST(initializers),
        TEST(outputs_without_nodes),
        TEST(last_outputs_are_left_out),
        TEST(every_operator_has_a_rule),
        TEST(long_reversed_chain),
        TEST(many_uses_of_scales),
        TEST(digits_models),
        TEST(other_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
