/* One form for all opsets: what older versions of operators say in attributes arrives as the constant inputs of the
 * later ones, and paddings arrive as numbers. The expected forms are those of ONNX's operator changelog. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/round_trip.h"
#include "frontend/import/onnx.h"
#include "ir/graph/graph.h"
#include "ir/graph/verify.h"
#include "test_frontend_model.h"

enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_FLOAT = 2, ATTRIBUTE_INT = 3, ATTRIBUTE_STRING = 4, ATTRIBUTE_INTS = 8 };
enum { ATTRIBUTE_TYPE = 20, TYPE_FLOAT = 1, TYPE_INT = 2, TYPE_STRING = 3, TYPE_INTS = 7 };

typedef struct list {
    size_t count;
    int64_t at[8];
} list;

/* An attribute: `text`, or else `ints` when there are any, or else `real`. */
typedef struct given {
    const char *name, *text;
    list ints;
    float real;
} given;

typedef struct expected {
    size_t input; /* 0: none expected */
    list ints;    /* none: one real number */
    double real;
} expected;

typedef struct sample {
    const char *op;
    int opset;
    list x; /* shape of the input */
    given attributes[4];
    expected inputs[3];
    list y; /* shape of the first output */
    list pads;
    size_t outputs; /* 0: one */
} sample;

#define LIST(...)                                                                                                      \
    {                                                                                                                  \
        sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), { __VA_ARGS__ }                                            \
    }

static const sample samples[] = {
    {"Slice",
     9,
     LIST(4, 6),
     {{"starts", NULL, LIST(1), 0}, {"ends", NULL, LIST(3), 0}, {"axes", NULL, LIST(1), 0}},
     {{1, LIST(1), 0}, {2, LIST(3), 0}, {3, LIST(1), 0}},
     LIST(4, 2),
     {0},
     0},
    {"Squeeze", 12, LIST(1, 4, 1), {{"axes", NULL, LIST(-1), 0}}, {{1, LIST(-1), 0}}, LIST(1, 4), {0}, 0},
    {"Squeeze", 12, LIST(1, 4, 1), {{0}}, {{0}}, LIST(4), {0}, 0},
    {"Unsqueeze", 7, LIST(4), {{"axes", NULL, LIST(0, 2), 0}}, {{1, LIST(0, 2), 0}}, LIST(1, 4, 1), {0}, 0},
    {"Split", 12, LIST(6), {{"split", NULL, LIST(4, 2), 0}}, {{1, LIST(4, 2), 0}}, LIST(4), {0}, 2},
    {"Split", 12, LIST(6), {{0}}, {{1, LIST(2, 2, 2), 0}}, LIST(2), {0}, 3},
    {"Split", 13, LIST(6), {{0}}, {{1, LIST(3, 3), 0}}, LIST(3), {0}, 2},
    {"Split", 18, LIST(7), {{"num_outputs", "int", LIST(3), 0}}, {{1, LIST(3, 3, 1), 0}}, LIST(3), {0}, 3},
    {"Clip",
     7,
     LIST(4),
     {{"min", NULL, {0}, -1.5f}, {"max", NULL, {0}, 6}},
     {{1, {0}, -1.5}, {2, {0}, 6}},
     LIST(4),
     {0},
     0},
    {"Clip", 7, LIST(4), {{"max", NULL, {0}, 6}}, {{2, {0}, 6}}, LIST(4), {0}, 0},
    {"Dropout", 7, LIST(4), {{"ratio", NULL, {0}, 0.25f}}, {{1, {0}, 0.25}}, LIST(4), {0}, 0},
    {"MaxPool",
     11,
     LIST(1, 1, 5),
     {{"kernel_shape", NULL, LIST(2), 0}, {"auto_pad", "SAME_UPPER", {0}, 0}},
     {{0}},
     LIST(1, 1, 5),
     LIST(0, 1),
     0},
    {"MaxPool",
     11,
     LIST(1, 1, 5),
     {{"kernel_shape", NULL, LIST(2), 0}, {"auto_pad", "SAME_LOWER", {0}, 0}},
     {{0}},
     LIST(1, 1, 5),
     LIST(1, 0),
     0},
    {"MaxPool",
     11,
     LIST(1, 1, 5),
     {{"kernel_shape", NULL, LIST(4), 0}, {"strides", NULL, LIST(2), 0}, {"auto_pad", "SAME_UPPER", {0}, 0}},
     {{0}},
     LIST(1, 1, 3),
     LIST(1, 2),
     0},
    {"MaxPool",
     11,
     LIST(1, 1, 5),
     {{"kernel_shape", NULL, LIST(2), 0}, {"auto_pad", "VALID", {0}, 0}},
     {{0}},
     LIST(1, 1, 4),
     LIST(0, 0),
     0},
};

static void put_attribute(weir_text *node, const given *from) {
    weir_text attribute = {0}, packed = {0};
    put_text(&attribute, ATTRIBUTE_NAME, from->name);
    if (from->text != NULL && strcmp(from->text, "int") == 0) {
        put_int(&attribute, ATTRIBUTE_INT, from->ints.at[0]);
        put_int(&attribute, ATTRIBUTE_TYPE, TYPE_INT);
    } else if (from->text != NULL) {
        put_text(&attribute, ATTRIBUTE_STRING, from->text);
        put_int(&attribute, ATTRIBUTE_TYPE, TYPE_STRING);
    } else if (from->ints.count > 0) {
        for (size_t i = 0; i < from->ints.count; i++) put_varint(&packed, (uint64_t)from->ints.at[i]);
        put_message(&attribute, ATTRIBUTE_INTS, packed);
        put_int(&attribute, ATTRIBUTE_TYPE, TYPE_INTS);
    } else {
        put_float(&attribute, ATTRIBUTE_FLOAT, from->real);
        put_int(&attribute, ATTRIBUTE_TYPE, TYPE_FLOAT);
    }
    put_message(node, NODE_ATTRIBUTE, attribute);
}

static weir_graph *import(const sample *s) {
    static const char *const names[] = {"y", "z", "w"};
    weir_text model = {0}, opset = {0}, graph = {0}, node = {0}, output = {0};
    put_text(&node, NODE_INPUT, "x");
    for (size_t i = 0; i < (s->outputs == 0 ? 1 : s->outputs); i++) put_text(&node, NODE_OUTPUT, names[i]);
    put_text(&node, NODE_NAME, "n");
    put_text(&node, NODE_OP, s->op);
    for (size_t i = 0; i < 4 && s->attributes[i].name != NULL; i++) put_attribute(&node, &s->attributes[i]);
    put_message(&graph, GRAPH_NODE, node);
    put_message(&graph, GRAPH_INPUT, make_value("x", ONNX_FLOAT, (int)s->x.count, s->x.at));
    put_text(&output, 1, "y");
    put_message(&graph, GRAPH_OUTPUT, output);
    put_int(&model, MODEL_IR_VERSION, 8);
    put_int(&opset, 2, s->opset);
    put_message(&model, MODEL_OPSET, opset);
    put_message(&model, MODEL_GRAPH, graph);
    weir_graph *imported = weir_onnx_import_bytes(model.data, model.size, "test.onnx", NULL, NULL);
    weir_text_free(&model);
    return imported;
}

static void check_list(const list *wanted, const int64_t *found, size_t count) {
    assert_int_equal(count, wanted->count);
    for (size_t i = 0; i < count; i++) assert_int_equal(found[i], wanted->at[i]);
}

static void check_input(const weir_graph *graph, weir_node node, const expected *wanted) {
    const weir_array *array = weir_value_constant(graph, weir_node_input(graph, node, wanted->input));
    assert_non_null(array);
    if (wanted->ints.count == 0) {
        assert_int_equal(array->dtype, WEIR_FLOAT32);
        assert_int_equal(array->shape.rank, 0);
        assert_true(weir_array_get(array, 0) == wanted->real);
        return;
    }
    assert_int_equal(array->dtype, WEIR_INT64);
    assert_int_equal(array->shape.rank, 1);
    check_list(&wanted->ints, array->data, array->count);
}

static void check(const sample *s) {
    weir_graph *graph = import(s);
    assert_non_null(graph);
    assert_true(weir_graph_verify(graph));
    const weir_node node = weir_graph_first(graph);
    size_t inputs = 1;
    for (size_t i = 0; i < 3 && s->inputs[i].input != 0; i++) {
        check_input(graph, node, &s->inputs[i]);
        inputs = s->inputs[i].input + 1;
    }
    assert_int_equal(weir_node_input_count(graph, node), inputs);
    for (size_t i = 0; i < 4 && s->inputs[0].input != 0 && s->attributes[i].name != NULL; i++)
        assert_null(weir_node_attribute(graph, node, s->attributes[i].name));
    const weir_shape *shape = &weir_value_type(graph, weir_node_output(graph, node, 0))->shape;
    check_list(&s->y, shape->dim, (size_t)shape->rank);
    const weir_attribute *pads = weir_node_attribute(graph, node, "pads");
    assert_null(weir_node_attribute(graph, node, "auto_pad"));
    if (s->pads.count > 0) check_list(&s->pads, pads->as.ints, pads->count);
    weir_graph *again = read_back(graph);
    assert_non_null(again);
    assert_true(same_graph(graph, again));
    weir_graph_free(again);
    weir_graph_free(graph);
}

static void older_forms_become_the_newest(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) check(&samples[i]);
}

/* Until opset 12 Softmax normalizes all from its axis (1 by default) on, as one line. */
static void old_softmax_normalizes_the_rest(void **state) {
    static const sample along_rest = {.op = "Softmax", .opset = 12, .x = LIST(2, 3, 4)};
    static const sample along_last = {
        .op = "Softmax", .opset = 12, .x = LIST(2, 3, 4), .attributes = {{"axis", "int", LIST(2), 0}}};
    (void)state;
    weir_graph *graph = import(&along_rest);
    assert_non_null(graph);
    assert_true(weir_graph_verify(graph));
    weir_node node = weir_graph_first(graph);
    assert_int_equal(weir_node_op(graph, node), WEIR_OP_FLATTEN);
    assert_int_equal(weir_node_int(graph, node, "axis", -9), 1);
    node = weir_node_next(graph, node);
    assert_int_equal(weir_node_op(graph, node), WEIR_OP_SOFTMAX);
    assert_null(weir_node_attribute(graph, node, "axis"));
    check_list(&(list)LIST(2, 12), weir_value_type(graph, weir_node_output(graph, node, 0))->shape.dim, 2);
    node = weir_node_next(graph, node);
    assert_int_equal(weir_node_op(graph, node), WEIR_OP_RESHAPE);
    check_list(&along_rest.x, weir_value_type(graph, weir_graph_output(graph, 0))->shape.dim, 3);
    assert_string_equal(weir_value_name(graph, weir_graph_output(graph, 0)), "y");
    weir_graph_free(graph);
    graph = import(&along_last);
    assert_non_null(graph);
    assert_int_equal(weir_graph_node_count(graph), 1);
    assert_null(weir_node_attribute(graph, weir_graph_first(graph), "axis"));
    weir_graph_free(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(older_forms_become_the_newest),
                                       cmocka_unit_test(old_softmax_normalizes_the_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
