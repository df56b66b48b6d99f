/* Type inference: what lowering passes wrote stays, ranges, errors. Each operator's rules are tested in tests/op. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/shape/infer.h"

typedef struct caught {
    size_t count;
    char text[512];
} caught;

static caught errors;

static void catch_diagnostic(void *user, const weir_diagnostic *diagnostic) {
    caught *to = user;
    if (diagnostic->severity != WEIR_SEVERITY_ERROR) return;
    to->count++;
    snprintf(to->text, sizeof to->text, "%s", diagnostic->text);
}

static int start(void **state) {
    (void)state;
    errors = (caught){0};
    weir_diag_reset();
    weir_diag_set_handler(catch_diagnostic, &errors);
    return 0;
}

static int stop(void **state) {
    (void)state;
    weir_diag_set_handler(NULL, NULL);
    return 0;
}

/* "2,3" as a shape; "" is a scalar. */
static weir_shape parse_shape(const char *text) {
    weir_shape shape = {.rank = 0};
    while (*text != 0) {
        char *end;
        shape.dim[shape.rank++] = strtoll(text, &end, 10);
        text = *end == ',' ? end + 1 : end;
    }
    return shape;
}

static weir_type plain(weir_dtype dtype, const char *shape) {
    weir_type type = {.dtype = dtype, .shape = parse_shape(shape), .quant = {.axis = -1}};
    if (!weir_dtype_is_float(dtype)) {
        type.quant.format = WEIR_FORMAT_INTEGER;
        type.quant.is_signed = weir_dtype_is_signed(dtype);
        type.quant.width = (int)weir_dtype_size(dtype) * 8;
    }
    return type;
}

static weir_value input(weir_graph *graph, weir_dtype dtype, const char *shape) {
    const weir_type type = plain(dtype, shape);
    return weir_graph_add_input(graph, "x", &type);
}

/* A constant whose elements are 1, or those given. */
static weir_value constant(weir_graph *graph, weir_dtype dtype, const char *shape, const double *values) {
    const weir_shape parsed = parse_shape(shape);
    weir_array *array = weir_array_new(dtype, &parsed);
    for (size_t i = 0; i < array->count; i++) weir_array_set(array, i, values == NULL ? 1 : values[i]);
    const weir_value value = weir_graph_add_constant(graph, "c", array);
    weir_array_free(array);
    return value;
}

static weir_node node_of(weir_graph *graph, weir_op op, const weir_value *inputs, size_t count) {
    return weir_graph_add_node(graph, op, "n", inputs, count, 1, WEIR_NO_NODE);
}

static const weir_type *type_of(const weir_graph *graph, weir_node node) {
    return weir_value_type(graph, weir_node_output(graph, node, 0));
}

static void expect_shape(const weir_graph *graph, weir_node node, weir_dtype dtype, const char *shape) {
    char found[96], expected[96];
    const weir_shape wanted = parse_shape(shape);
    assert_string_equal(weir_shape_print(&type_of(graph, node)->shape, found, sizeof found),
                        weir_shape_print(&wanted, expected, sizeof expected));
    assert_int_equal(type_of(graph, node)->dtype, dtype);
}

/* What a lowering pass writes stays; width, sign, container and range are computed. */
static void integer_operators_keep_what_passes_wrote(void **state) {
    (void)state;
    static const double weights[] = {1, -2, 3, 0, 0, 100};
    static const double scale[] = {0.5, 0.25};
    static const int64_t zero[] = {7, -9};
    weir_graph *graph = weir_graph_new("g");
    weir_type codes = plain(WEIR_UINT8, "1,3");
    codes.has_range = true;
    codes.high = 15;
    const weir_value inputs[] = {weir_graph_add_input(graph, "x", &codes), constant(graph, WEIR_INT8, "2,3", weights)};
    const weir_node node = node_of(graph, WEIR_OP_LINEAR, inputs, 2);
    const weir_type written = {.quant = {.format = WEIR_FORMAT_INTEGER,
                                         .axis = 1,
                                         .count = 2,
                                         .scale = scale,
                                         .zero_point = zero,
                                         .rounding = WEIR_ROUND_CEIL}};
    weir_value_set_type(graph, weir_node_output(graph, node, 0), &written);
    assert_true(weir_infer_node(graph, node));
    expect_shape(graph, node, WEIR_INT16, "1,2");
    const weir_type *type = type_of(graph, node);
    assert_int_equal(type->low, -30);
    assert_int_equal(type->high, 1500);
    assert_int_equal(type->quant.width, 12);
    assert_true(type->quant.is_signed);
    assert_int_equal(type->quant.count, 2);
    assert_int_equal(weir_quant_zero(&type->quant, 1), -9);
    assert_int_equal(type->quant.rounding, WEIR_ROUND_CEIL);
    assert_true(weir_infer_node(graph, node)); /* and again */
    assert_int_equal(type_of(graph, node)->quant.width, 12);

    const weir_value acc = weir_node_output(graph, node, 0);
    const weir_node cast = node_of(graph, WEIR_OP_CAST_CODES, &acc, 1);
    assert_false(weir_infer_node(graph, cast)); /* no bounds from anywhere */
    weir_node_set_int(graph, cast, "low", 0);
    weir_node_set_int(graph, cast, "high", 12);
    weir_node_set_int(graph, cast, "shift", 3);
    assert_true(weir_infer_node(graph, cast));
    assert_int_equal(type_of(graph, cast)->quant.width, 4);
    assert_int_equal(type_of(graph, cast)->dtype, WEIR_UINT8);
    weir_graph_free(graph);
}

/* A node whose inputs are unknown is passed over: one mistake, one error. */
static void one_mistake_is_one_error(void **state) {
    (void)state;
    weir_graph *graph = weir_graph_new("g");
    weir_value inputs[] = {input(graph, WEIR_FLOAT32, "2,3"), input(graph, WEIR_FLOAT32, "2,3")};
    const weir_node product = node_of(graph, WEIR_OP_MATMUL, inputs, 2);
    inputs[0] = weir_node_output(graph, product, 0);
    const weir_node sum = node_of(graph, WEIR_OP_ADD, inputs, 2);
    weir_node_set_location(graph, product, weir_at("model.onnx", 3));
    const weir_value last = weir_node_output(graph, sum, 0);
    node_of(graph, WEIR_OP_RELU, &last, 1);
    assert_false(weir_infer_graph(graph));
    assert_int_equal(errors.count, 1);
    weir_graph_free(graph);
}

/* Every operator refuses to work without its inputs, and each integer operator refuses real numbers. */
static void missing_and_real_inputs_are_refused(void **state) {
    (void)state;
    for (int op = 1; op < WEIR_OP_COUNT; op++) {
        const weir_op_info *info = weir_op_get((weir_op)op);
        weir_graph *graph = weir_graph_new("g");
        weir_value inputs[16] = {{0}};
        assert_false(weir_infer_node(graph, node_of(graph, (weir_op)op, inputs, (size_t)info->inputs_min)));
        for (int i = 0; i < info->inputs_min; i++) inputs[i] = input(graph, WEIR_FLOAT32, "1,4");
        const weir_node node = node_of(graph, (weir_op)op, inputs, (size_t)info->inputs_min);
        if (info->class == WEIR_CLASS_INTEGER) assert_false(weir_infer_node(graph, node));
        weir_graph_free(graph);
    }
}

static void parameters_out_of_bounds_are_refused(void **state) {
    (void)state;
    static const double descending[] = {3, 2}, big[] = {4e18, 4e18, 4e18};
    weir_graph *graph = weir_graph_new("g");
    const weir_value x = input(graph, WEIR_INT32, "1,3");
    weir_value inputs[] = {x, constant(graph, WEIR_INT64, "1,2", descending), WEIR_NO_VALUE};
    assert_false(weir_infer_node(graph, node_of(graph, WEIR_OP_THRESHOLD, inputs, 2)));
    weir_value few = constant(graph, WEIR_INT64, "1,255", NULL), codes[] = {input(graph, WEIR_UINT8, "1,3"), few};
    const weir_node lookup = node_of(graph, WEIR_OP_LOOKUP, codes, 2);
    assert_false(weir_infer_node(graph, lookup));
    assert_non_null(strstr(errors.text, "the table is for codes [0, 254], the input has [0, 255]"));
    weir_node_set_input(graph, lookup, 1, constant(graph, WEIR_INT64, "2,256", NULL)); /* 2 for 3 channels */
    assert_false(weir_infer_node(graph, lookup));
    weir_node_set_input(graph, lookup, 1, constant(graph, WEIR_INT64, "3,256", NULL));
    assert_true(weir_infer_node(graph, lookup));
    inputs[1] = constant(graph, WEIR_INT64, "2", NULL); /* 2 for 3 channels */
    const weir_node cast = node_of(graph, WEIR_OP_CAST_CODES, inputs, 2);
    weir_node_set_int(graph, cast, "low", 0);
    weir_node_set_int(graph, cast, "high", 1);
    assert_false(weir_infer_node(graph, cast));
    inputs[1] = constant(graph, WEIR_INT64, "3", NULL);
    weir_node_set_input(graph, cast, 1, inputs[1]);
    assert_true(weir_infer_node(graph, cast));
    weir_node_set_int(graph, cast, "shift", 63);
    assert_false(weir_infer_node(graph, cast));
    weir_node_set_int(graph, cast, "shift", -1);
    assert_false(weir_infer_node(graph, cast));
    weir_node_set_int(graph, cast, "shift", 0);
    weir_node_set_string(graph, cast, "rounding", "sideways");
    assert_false(weir_infer_node(graph, cast));
    weir_node_set_string(graph, cast, "rounding", "ceil");
    weir_node_set_int(graph, cast, "low", 2);
    assert_false(weir_infer_node(graph, cast));

    inputs[1] = constant(graph, WEIR_INT64, "1", big);
    inputs[2] = constant(graph, WEIR_INT64, "1", big);
    const weir_node scale = node_of(graph, WEIR_OP_SCALE_FLOAT, inputs, 3);
    weir_node_set_int(graph, scale, "low", 0);
    weir_node_set_int(graph, scale, "high", 1);
    assert_false(weir_infer_node(graph, scale)); /* the product needs more than 120 bits */
    assert_non_null(strstr(errors.text, "120 bits"));
    weir_node_set_input(graph, scale, 2, constant(graph, WEIR_INT64, "1", NULL));
    assert_true(weir_infer_node(graph, scale));
    inputs[1] = constant(graph, WEIR_INT64, "1,3", big);
    const weir_node linear = node_of(graph, WEIR_OP_LINEAR, inputs, 2);
    assert_false(weir_infer_node(graph, linear));
    assert_non_null(strstr(errors.text, "62 bits"));
    weir_graph_free(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(integer_operators_keep_what_passes_wrote, start, stop),
        cmocka_unit_test_setup_teardown(one_mistake_is_one_error, start, stop),
        cmocka_unit_test_setup_teardown(missing_and_real_inputs_are_refused, start, stop),
        cmocka_unit_test_setup_teardown(parameters_out_of_bounds_are_refused, start, stop),
    };
    return cmocka_run_group_tests_name("infer", tests, NULL, NULL);
}
