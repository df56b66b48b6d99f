/* The semantic instrument: a planted change of what a graph computes is found and placed; promises are held to what
 * they promise and not to more; random inputs reach what lies behind them. */
#include "test_passes_support.h"

#include "cosim/random_input.h"
#include "cosim/semantics.h"
#include "pass/run/instrument.h"
#include "test_pass_bench.h"

/* --- passes, most of them wrong --- */
static bool drop_relu(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    (void)context;
    weir_node relu = find_op(graph, WEIR_OP_RELU);
    weir_value_replace(graph, weir_node_output(graph, relu, 0), weir_node_input(graph, relu, 0));
    weir_graph_remove_node(graph, relu);
    return true;
}

static bool double_relu(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    (void)context;
    weir_value y = weir_graph_output(graph, 0);
    weir_graph_set_output(graph, 0, ADD(graph, WEIR_OP_RELU, "again", y));
    return true;
}

/* Adds one millionth of 1 to every result. */
static bool nudge(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    (void)context;
    weir_value little = add_scalar(graph, "little", WEIR_FLOAT32, 1e-6);
    weir_graph_set_output(graph, 0, ADD(graph, WEIR_OP_ADD, "nudge", weir_graph_output(graph, 0), little));
    return true;
}

static bool run_drop(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    (void)pass;
    (void)module;
    return run_pass_here(context, "drop-relu");
}

static bool add_graph(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    weir_graph *copy = weir_graph_copy(weir_module_graph(module, 0));
    weir_graph_set_name(copy, "lowered");
    drop_relu(pass, context, copy);
    weir_module_add_graph(module, copy);
    return true;
}

static bool change_shape(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    (void)context;
    weir_value flat = ADD(graph, WEIR_OP_TRANSPOSE, "flat", weir_graph_output(graph, 0));
    weir_graph_set_output(graph, 0, flat);
    return true;
}

#define GRAPH(name_, promise_, function)                                                                               \
    {                                                                                                                  \
        .name = name_, .kind = WEIR_PASS_GRAPH, .promise = WEIR_PASS_##promise_, .run = {.graph = function }           \
    }
static const weir_pass_info passes[] = {
    GRAPH("drop-relu", EXACT, drop_relu),
    GRAPH("drop-relu-approximate", APPROXIMATE, drop_relu),
    GRAPH("drop-relu-changes", CHANGES, drop_relu),
    GRAPH("double-relu", EXACT, double_relu),
    GRAPH("nudge", EXACT, nudge),
    GRAPH("nudge-approximate", APPROXIMATE, nudge),
    GRAPH("change-shape", EXACT, change_shape),
    GRAPH("break-order", EXACT, break_order),
    GRAPH("fail", EXACT, fail_on_graph),
    {.name = "run-drop", .kind = WEIR_PASS_MODULE, .promise = WEIR_PASS_CHANGES, .run = {.module = run_drop}},
    {.name = "run-drop-exact", .kind = WEIR_PASS_MODULE, .run = {.module = run_drop}},
    {.name = "add-graph", .kind = WEIR_PASS_MODULE, .run = {.module = add_graph}},
    {.name = "add-graph-changes", .kind = WEIR_PASS_MODULE, .promise = WEIR_PASS_CHANGES, .run = {.module = add_graph}},
};

/* x -> Relu -> y, with x [2,3] */
static weir_graph *make_relu(void) {
    weir_graph *graph = weir_graph_new("main");
    weir_value x = add_real_input(graph, "x", 2, 3);
    weir_graph_add_output(graph, "y", ADD(graph, WEIR_OP_RELU, "relu", x));
    return graph;
}

static bool run(weir_graph *graph, const char *pipeline, const weir_semantics *semantics) {
    pass_bench b = pass_bench_of(passes, sizeof passes / sizeof *passes, module_of_graph(graph));
    weir_pass_instrument *instrument = weir_semantics_new(semantics);
    weir_pass_context_add_instrument(b.context, instrument);
    const bool ok = pass_bench_run(&b, pipeline);
    weir_pass_instrument_free(instrument);
    weir_module_free(b.module);
    pass_bench_stop(&b);
    return ok;
}

static const weir_semantics defaults = WEIR_SEMANTICS_DEFAULTS;

/* The first negative element of the inputs is where a dropped Relu shows: 0 before, the element after. */
static void planted_a_dropped_relu_is_placed(void **state) {
    (void)state;
    weir_graph *graph = make_relu();
    weir_array *x = weir_random_input(graph, weir_graph_input(graph, 0), defaults.seed, 0);
    size_t at = 0;
    while (at < x->count && weir_array_get(x, at) >= 0) at++;
    assert_true(at < x->count);
    weir_text expected = {0};
    weir_text_format(&expected,
                     "error: pass 'drop-relu' changed what graph 'main' computes: output 'y', element [%zu,%zu]: "
                     "before 0, after ",
                     at / 3, at % 3);
    weir_text_double(&expected, weir_array_get(x, at));
    weir_text_add(&expected, "\nnote: random inputs 1 of 4, seed 1; the pass promises 'exact' results\n");
    assert_true(run(graph, "double-relu,drop-relu", &defaults)); /* one of two is no loss */
    assert_string_equal(test_messages.data, "");
    assert_false(run(make_relu(), "double-relu,drop-relu,drop-relu", &defaults));
    assert_error(expected.data);
    weir_text_free(&expected);
    weir_array_free(x);
}

static void promises_are_held(void **state) {
    (void)state;
    assert_true(run(make_relu(), "drop-relu-changes", &defaults));
    assert_true(run(make_relu(), "nudge-approximate", &defaults));
    assert_int_equal(weir_diag_errors(), 0);
    assert_false(run(make_relu(), "drop-relu-approximate", &defaults));
    assert_error("the pass promises 'approximate' results");
    weir_diag_reset();
    assert_false(run(make_relu(), "nudge", &defaults));
    assert_error("pass 'nudge' changed what graph 'main' computes: output 'y', element [0,0]");
}

static void tolerance(void **state) {
    (void)state;
    weir_semantics some = {.samples = 3, .seed = 5, .tolerance = 1e-5};
    assert_true(run(make_relu(), "nudge", &some));
    some.tolerance = 1e-8;
    assert_false(run(make_relu(), "nudge", &some));
}

static void inner_passes_are_named(void **state) {
    (void)state;
    assert_false(run(make_relu(), "run-drop", &defaults));
    assert_error("pass 'drop-relu' changed");
    weir_diag_reset();
    assert_false(run(make_relu(), "run-drop-exact", &defaults));
    assert_error("pass 'drop-relu' changed");
}

static void new_graphs_are_compared(void **state) {
    (void)state;
    assert_true(run(make_relu(), "add-graph-changes", &defaults));
    assert_false(run(make_relu(), "add-graph", &defaults));
    assert_error("pass 'add-graph' changed what graph 'lowered' computes: output 'y'");
}

static void shapes_and_order(void **state) {
    (void)state;
    assert_false(run(make_relu(), "change-shape", &defaults));
    assert_error("pass 'change-shape' changed output 'y' of graph 'main' from float32[2,3] to float32[3,2]");
    weir_diag_reset();
    assert_false(run(make_relu(), "double-relu,break-order", &defaults));
    assert_error("after pass 'break-order' graph 'main' cannot be executed: ");
    weir_diag_reset();
    assert_false(run(make_relu(), "fail", &defaults));
    assert_error("pass 'fail' failed");
}

/* A graph that cannot be executed to begin with: one warning, and passes go on. */
static void an_invalid_graph(void **state) {
    (void)state;
    weir_graph *graph = make_relu();
    double_relu(NULL, NULL, graph);
    break_order(NULL, NULL, graph);
    assert_true(run(graph, "change-shape,change-shape", &defaults));
    assert_int_equal(weir_diag_errors(), 0);
    assert_non_null(strstr(test_messages.data, "warning: graph 'main' is not checked"));
    assert_null(strstr(strstr(test_messages.data, "warning: ") + 1, "warning: "));
}

/* --- random inputs --- */
static void inputs_repeat_and_differ(void **state) {
    (void)state;
    weir_graph *graph = make_relu(), *other = make_relu();
    weir_array *one = weir_random_input(graph, weir_graph_input(graph, 0), 7, 2);
    weir_array *two = weir_random_input(other, weir_graph_input(other, 0), 7, 2);
    weir_array *next = weir_random_input(graph, weir_graph_input(graph, 0), 7, 3);
    weir_array *seed = weir_random_input(graph, weir_graph_input(graph, 0), 8, 2);
    assert_true(weir_array_equal(one, two));
    assert_false(weir_array_equal(one, next));
    assert_false(weir_array_equal(one, seed));
    weir_array_free(one);
    weir_array_free(two);
    weir_array_free(next);
    weir_array_free(seed);
    weir_graph_free(graph);
    weir_graph_free(other);
}

static void extremes(const weir_array *array, double *low, double *high) {
    *low = *high = weir_array_get(array, 0);
    for (size_t i = 1; i < array->count; i++) {
        double value = weir_array_get(array, i);
        *low = value < *low ? value : *low;
        *high = value > *high ? value : *high;
    }
}

static void codes_fill_their_range(void **state) {
    (void)state;
    weir_graph *graph = weir_graph_new("main");
    weir_value narrow = add_codes_input(graph, "narrow", WEIR_INT8, 20, 20, -3, 9);
    weir_value wide = add_codes_input(graph, "wide", WEIR_UINT8, 20, 20, 0, 255);
    double low, high;
    weir_array *array = weir_random_input(graph, narrow, 1, 0);
    extremes(array, &low, &high);
    assert_true(low == -3 && high == 9);
    weir_array_free(array);
    array = weir_random_input(graph, wide, 1, 0);
    extremes(array, &low, &high);
    assert_true(low == 0 && high == 255);
    weir_array_free(array);
    weir_graph_free(graph);
}

/* Behind the input lies uint8 with scale 0.5 and zero point 10, through a Flatten: reals from -5 to 122.5. */
static void reals_reach_the_quantizer(void **state) {
    (void)state;
    weir_graph *graph = weir_graph_new("main");
    weir_value x = add_real_input(graph, "x", 20, 20);
    weir_value flat = ADD(graph, WEIR_OP_FLATTEN, "flat", x);
    weir_graph_add_output(graph, "y", add_qdq(graph, "q", flat, 0.5, WEIR_UINT8, 10));
    double low, high;
    weir_array *array = weir_random_input(graph, x, 1, 0);
    extremes(array, &low, &high);
    assert_true(low < -5 && low > -30);
    assert_true(high > 122.5 && high < 150);
    weir_array_free(array);
    weir_graph_free(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(planted_a_dropped_relu_is_placed),
        TEST(promises_are_held),
        TEST(tolerance),
        TEST(inner_passes_are_named),
        TEST(new_graphs_are_compared),
        TEST(shapes_and_order),
        TEST(an_invalid_graph),
        TEST(inputs_repeat_and_differ),
        TEST(codes_fill_their_range),
        TEST(reals_reach_the_quantizer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
