/* The graph: names, uses, replacing, removing, moving, copies; the operator table; planted breakage for the
 * verifier. */
#include "test_passes_support.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ir/graph/print.h"
#include "ir/graph/side.h"

static weir_value codes(weir_graph *g, const char *name) { return add_codes_input(g, name, WEIR_INT8, 1, 4, -8, 7); }

static weir_value maximum(weir_graph *g, const char *name, weir_value x) { return ADD(g, WEIR_OP_MAXIMUM, name, x); }

static void taken_names_get_suffixes(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("g");
    weir_value a = codes(g, "x"), b = codes(g, "x"), c = codes(g, "x_1"), d = codes(g, "x");
    assert_string_equal(weir_value_name(g, a), "x");
    assert_string_equal(weir_value_name(g, b), "x_1");
    assert_string_equal(weir_value_name(g, c), "x_1_1");
    assert_string_equal(weir_value_name(g, d), "x_2");
    /* nodes have a space of their own; their outputs do not */
    weir_value y = maximum(g, "x", a);
    weir_node node = weir_value_producer(g, y);
    assert_string_equal(weir_node_name(g, node), "x");
    assert_string_equal(weir_value_name(g, y), "x_3");
    weir_node twin = weir_value_producer(g, maximum(g, "x", a));
    assert_string_equal(weir_node_name(g, twin), "x_1");
    weir_node_rename(g, twin, "fresh", "_part");
    assert_string_equal(weir_node_name(g, twin), "fresh_part");
    assert_string_equal(weir_value_name(g, weir_node_output(g, twin, 0)), "fresh_part");
    weir_node_rename(g, node, "fresh", "_part");
    assert_string_equal(weir_node_name(g, node), "fresh_part_1");
    assert_int_equal(weir_graph_find_node(g, "x").id, 0);
    assert_int_equal(weir_graph_find_node(g, "fresh_part").id, twin.id);
    weir_value_set_name(g, b, "x"); /* taken by a */
    assert_string_equal(weir_value_name(g, a), "x");
    assert_int_equal(weir_graph_find_value(g, weir_value_name(g, b)).id, b.id);
    weir_value_set_name(g, b, weir_value_name(g, b));
    assert_int_equal(weir_graph_find_value(g, "nobody").id, 0);
    assert_true(weir_graph_verify(g));
    weir_graph_free(g);
}

static void names_are_free_again(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("g");
    weir_value x = codes(g, "x");
    for (int i = 0; i < 1000; i++) {
        weir_node node = weir_value_producer(g, maximum(g, "n", x));
        assert_string_equal(weir_node_name(g, node), "n");
        weir_graph_remove_node(g, node);
    }
    assert_int_equal(weir_graph_node_count(g), 0);
    assert_int_equal(weir_value_use_count(g, x), 0);
    weir_graph_free(g);
}

static void uses_follow_inputs(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("g");
    weir_value x = codes(g, "x"), y = codes(g, "y");
    weir_value sum = ADD(g, WEIR_OP_SUM, "sum", x, x), other = ADD(g, WEIR_OP_SUM, "other", x, y);
    assert_int_equal(weir_value_use_count(g, x), 3);
    weir_node node = weir_value_producer(g, sum);
    weir_node_set_input(g, node, 1, y);
    assert_int_equal(weir_value_use_count(g, x), 2);
    assert_int_equal(weir_value_use_count(g, y), 2);
    weir_node_set_input(g, node, 1, x);
    weir_graph_add_output(g, "out", x);
    weir_graph_add_output(g, "sum", sum);
    weir_value_replace(g, x, y);
    assert_int_equal(weir_value_use_count(g, x), 0);
    assert_int_equal(weir_value_use_count(g, y), 4);
    assert_int_equal(weir_graph_output(g, 0).id, y.id);
    assert_string_equal(weir_graph_output_name(g, 0), "out");
    assert_true(weir_value_is_output(g, y));
    assert_false(weir_value_is_output(g, x));
    for (size_t i = 0; i < 4; i++) {
        weir_use use = weir_value_use(g, y, i);
        assert_int_equal(weir_node_input(g, use.node, use.index).id, y.id);
    }
    assert_true(weir_graph_verify(g));
    weir_graph_remove_node(g, weir_value_producer(g, other));
    assert_false(weir_value_exists(g, other));
    assert_int_equal(weir_value_use_count(g, y), 2);
    assert_int_equal(weir_node_input(g, node, 7).id, 0);
    weir_graph_free(g);
}

static void nodes_are_a_list(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("g");
    weir_value x = codes(g, "x");
    weir_node n[5];
    for (int i = 0; i < 5; i++) n[i] = weir_value_producer(g, maximum(g, "n", x));
    weir_graph_move_before(g, n[4], n[0]);
    weir_graph_move_before(g, n[1], WEIR_NO_NODE);
    weir_graph_move_before(g, n[2], n[3]); /* where it is */
    static const int order[] = {4, 0, 2, 3, 1};
    weir_node at = weir_graph_first(g);
    for (int i = 0; i < 5; i++, at = weir_node_next(g, at)) assert_int_equal(at.id, n[order[i]].id);
    assert_int_equal(at.id, 0);
    at = weir_graph_last(g);
    for (int i = 4; i >= 0; i--, at = weir_node_previous(g, at)) assert_int_equal(at.id, n[order[i]].id);
    weir_graph_remove_node(g, n[4]);
    weir_graph_remove_node(g, n[1]);
    assert_int_equal(weir_graph_first(g).id, n[0].id);
    assert_int_equal(weir_graph_last(g).id, n[3].id);
    assert_int_equal(weir_graph_node_count(g), 3);
    assert_false(weir_node_exists(g, n[4]));
    assert_true(weir_graph_verify(g));
    weir_graph_free(g);
}

/* Types and metadata may be held while values and nodes are added. */
static void records_stay_where_they_are(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("g");
    const weir_type type = {.shape = {1, {3}}, .quant.axis = -1};
    const weir_value x = weir_graph_add_input(g, "x", &type);
    const weir_node first = weir_graph_add_node(g, WEIR_OP_RELU, "first", &x, 1, 1, (weir_node){0});
    const weir_type *held = weir_value_type(g, x);
    const weir_metadata *metadata = weir_node_metadata(g, first);
    for (int i = 0; i < 1000; i++) weir_graph_add_node(g, WEIR_OP_RELU, "more", &x, 1, 1, (weir_node){0});
    assert_ptr_equal(held, weir_value_type(g, x));
    assert_ptr_equal(metadata, weir_node_metadata(g, first));
    weir_graph_free(g);
}

static void attributes_are_typed_and_sorted(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("g");
    weir_node n = weir_value_producer(g, maximum(g, "n", codes(g, "x")));
    static const int64_t ints[3] = {3, INT64_MIN, INT64_MAX};
    static const double floats[2] = {0.1, -1e300};
    weir_node_set_string(g, n, "s", "text");
    weir_node_set_ints(g, n, "list", ints, 3);
    weir_node_set_floats(g, n, "a", floats, 2);
    weir_node_set_float(g, n, "f", 0.5);
    weir_node_set_int(g, n, "zero", -4);
    weir_node_set_int(g, n, "zero", -5);
    assert_int_equal(weir_node_attribute_count(g, n), 5);
    static const char *const names[] = {"a", "f", "list", "s", "zero"};
    for (size_t i = 0; i < 5; i++) assert_string_equal(weir_node_attribute_at(g, n, i)->name, names[i]);
    assert_int_equal(weir_node_int(g, n, "zero", 9), -5);
    assert_int_equal(weir_node_int(g, n, "f", 9), 9); /* another kind */
    assert_int_equal(weir_node_int(g, n, "none", 9), 9);
    assert_true(weir_node_float(g, n, "f", 0) == 0.5);
    assert_string_equal(weir_node_string(g, n, "s", ""), "text");
    assert_int_equal(weir_node_attribute(g, n, "list")->as.ints[2], INT64_MAX);
    weir_node_remove_attribute(g, n, "f");
    weir_node_remove_attribute(g, n, "f");
    assert_null(weir_node_attribute(g, n, "f"));
    assert_int_equal(weir_node_attribute_count(g, n), 4);
    weir_graph_free(g);
}

static void constants_have_the_range_of_their_data(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("g");
    static const double values[4] = {-3, 5, 0, 5};
    weir_value c = add_constant(g, "c", WEIR_INT16, 1, 4, 0, values);
    const weir_type *type = weir_value_type(g, c);
    assert_true(type->has_range);
    assert_int_equal(type->low, -3);
    assert_int_equal(type->high, 5);
    assert_int_equal(type->dtype, WEIR_INT16);
    weir_value input = codes(g, "x");
    assert_int_equal(weir_graph_input_count(g), 1);
    weir_array *data = weir_array_new(WEIR_INT8, &(weir_shape){2, {1, 4}});
    weir_value_bind(g, input, data);
    weir_array_free(data);
    assert_int_equal(weir_graph_input_count(g), 0);
    assert_non_null(weir_value_constant(g, input));
    weir_graph_remove_value(g, c);
    assert_false(weir_value_exists(g, c));
    assert_int_equal(weir_graph_find_value(g, "c").id, 0);
    assert_true(weir_graph_verify(g));
    weir_graph_free(g);
}

static void copies_print_the_same(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("g");
    weir_graph_set_source(g, "file.onnx");
    weir_value x = codes(g, "x"), gone = maximum(g, "gone", x), y = maximum(g, "y", x);
    weir_graph_remove_node(g, weir_value_producer(g, gone));
    static const double values[2] = {1, 2};
    static const double scale[4] = {1, 2, 3, 4};
    static const int64_t zero[4] = {0, -1, 2, 5};
    add_constant(g, "c", WEIR_FLOAT32, 1, 2, 0, values);
    weir_type type = *weir_value_type(g, y);
    type.quant.axis = 1;
    type.quant.count = 4;
    type.quant.scale = scale;
    type.quant.zero_point = zero;
    weir_value_set_type(g, y, &type);
    weir_node_set_location(g, weir_value_producer(g, y), weir_at("file.onnx", 3));
    weir_graph_add_output(g, "out", y);
    weir_graph *copy = weir_graph_copy(g);
    char *a = graph_text(g), *b = graph_text(copy);
    assert_string_equal(a, b);
    free(b);
    /* the copy stands alone */
    weir_node_set_int(copy, weir_value_producer(copy, y), "zero", 1);
    maximum(copy, "more", y);
    b = graph_text(g);
    assert_string_equal(a, b);
    free(a);
    free(b);
    a = graph_text(copy);
    weir_graph_free(g);
    b = graph_text(copy);
    assert_string_equal(a, b);
    assert_true(weir_graph_verify(copy));
    free(a);
    free(b);
    weir_graph_free(copy);
}

static void operators_are_found_by_name(void **state) {
    (void)state;
    for (int op = WEIR_OP_NONE + 1; op < WEIR_OP_COUNT; op++) {
        const weir_op_info *info = weir_op_get((weir_op)op);
        assert_int_equal(weir_op_find(info->domain, info->name), op);
        assert_int_equal(weir_op_find_full(info->full_name), op);
        assert_true(info->inputs_max < 0 || info->inputs_min <= info->inputs_max);
    }
    assert_int_equal(weir_op_find("ai.onnx", "Gemm"), WEIR_OP_GEMM);
    assert_int_equal(weir_op_find("", "gemm"), WEIR_OP_NONE);
    assert_int_equal(weir_op_find("weir", "Gemm"), WEIR_OP_NONE);
    assert_int_equal(weir_op_find_full("weir.Linear"), WEIR_OP_LINEAR);
    assert_int_equal(weir_op_find_full("Linear"), WEIR_OP_NONE);
    assert_int_equal(weir_op_find_full(""), WEIR_OP_NONE);
    assert_string_equal(weir_op_get(WEIR_OP_QGEMM)->full_name, "com.microsoft.QGemm");
}

/* --- the verifier --- */
static void broken(weir_graph *g, const char *text) {
    test_setup(NULL);
    assert_false(weir_graph_verify(g));
    assert_error(text);
    weir_graph_free(g);
}

static weir_type type_of(const weir_graph *g, weir_value value) { return *weir_value_type(g, value); }

static void broken_types(void **state) {
    (void)state;
    static const double scales[3] = {1, 1, 1};
    for (int kind = 0; kind < 5; kind++) {
        static const char *const texts[] = {
            "value 'x': the shape has no valid size", "value 'x': the range is empty: low 3, high 2",
            "value 'x': the width is 65 bits, expected 1 to 64",
            "value 'x': codes need an integer element type, found float32", "value 'x': 3 scales do not fit axis 1"};
        weir_graph *g = weir_graph_new("g");
        weir_value x = codes(g, "x");
        weir_type type = type_of(g, x);
        if (kind == 0) type.shape.dim[1] = -1;
        if (kind == 1) type.low = 3, type.high = 2;
        if (kind == 2) type.quant.width = 65;
        if (kind == 3) type.dtype = WEIR_FLOAT32;
        if (kind == 4) type.quant.axis = 1, type.quant.count = 3, type.quant.scale = scales;
        weir_value_set_type(g, x, &type);
        broken(g, texts[kind]);
    }
}

static void broken_nodes(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("g");
    weir_value x = codes(g, "x"), y = maximum(g, "a", x), z = maximum(g, "b", y);
    weir_graph_add_output(g, "z", z);
    assert_true(weir_graph_verify(g));
    weir_graph_move_before(g, weir_value_producer(g, z), weir_value_producer(g, y));
    broken(g, "node 'b': input 'a' is used before it is made");
    g = weir_graph_new("g");
    x = codes(g, "x");
    y = ADD(g, WEIR_OP_SUM, "sum", x, x);
    weir_node_set_input(g, weir_value_producer(g, y), 1, WEIR_NO_VALUE);
    broken(g, "node 'sum': input 1 is required but left out");
    g = weir_graph_new("g");
    x = codes(g, "x");
    weir_value three[3] = {x, x, x};
    put(g, WEIR_OP_SUM, "sum", 3, three);
    broken(g, "node 'sum': weir.Sum takes 2 inputs, found 3");
    g = weir_graph_new("g");
    x = codes(g, "x");
    weir_graph_add_node(g, WEIR_OP_MAXIMUM, "max", &x, 1, 2, WEIR_NO_NODE);
    broken(g, "node 'max': weir.Maximum gives 1 outputs, found 2");
    g = weir_graph_new("g");
    x = codes(g, "x");
    weir_graph_add_node(g, WEIR_OP_FORK, "fork", &x, 1, 0, WEIR_NO_NODE);
    broken(g, "node 'fork': weir.Fork gives one output or more, found none");
}

/* The planted fault: a pass asks its table about a value that it made. */
static void side_tables_end_with_their_graph(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("g");
    const weir_value x = codes(g, "x");
    weir_side side = weir_side_new(sizeof(int), weir_graph_value_limit(g));
    *(int *)weir_side_at(&side, x.id) = 7;
    const weir_value y = maximum(g, "y", x);
    assert_int_equal(*(int *)weir_side_at(&side, 0), 0);
    assert_int_equal(*(int *)weir_side_at(&side, x.id), 7);
    assert_true(weir_side_has(&side, x.id));
    assert_false(weir_side_has(&side, y.id));
    const pid_t child = fork();
    if (child == 0) {
        fclose(stderr);
        signal(SIGABRT, SIG_DFL);
        _exit(*(int *)weir_side_at(&side, y.id));
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    weir_side_free(&side);
    weir_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(taken_names_get_suffixes),
        TEST(names_are_free_again),
        TEST(uses_follow_inputs),
        TEST(nodes_are_a_list),
        TEST(records_stay_where_they_are),
        TEST(attributes_are_typed_and_sorted),
        TEST(constants_have_the_range_of_their_data),
        TEST(copies_print_the_same),
        TEST(operators_are_found_by_name),
        TEST(side_tables_end_with_their_graph),
        TEST(broken_types),
        TEST(broken_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
