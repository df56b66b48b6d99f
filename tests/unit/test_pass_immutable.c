/* The instrument that holds passes to weir_pass_unchanged: spec B3, pass manager, case 13. */
#include "test_passes_support.h"

#include "pass/run/instrument.h"
#include "test_pass_bench.h"

/* Takes the second Relu out of input -> Relu -> Relu -> output. */
static void take_out(weir_graph *graph) {
    weir_node last = weir_graph_last(graph);
    weir_value_replace(graph, weir_node_output(graph, last, 0), weir_node_input(graph, last, 0));
    weir_graph_remove_node(graph, last);
}

static bool honest(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    (void)context;
    take_out(graph);
    return true;
}

static bool lie(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    weir_pass_unchanged(context);
    return honest(pass, context, graph);
}

static bool lie_about_data(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    weir_value value = weir_graph_find_value(graph, "c");
    weir_array *data = weir_array_copy(weir_value_constant(graph, value));
    weir_array_set(data, 1, 1 + weir_array_get(data, 1));
    weir_value_bind(graph, value, data);
    weir_array_free(data);
    weir_pass_unchanged(context);
    return true;
}

static bool build_anew(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    weir_graph *copy = weir_graph_copy(graph);
    take_out(copy);
    weir_pass_replace_graph(context, copy);
    return true;
}

static bool lie_and_build_anew(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    weir_pass_unchanged(context);
    return build_anew(pass, context, graph);
}

static bool remove_graph(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    (void)pass;
    weir_graph_free(weir_module_remove_graph(module, 1));
    weir_pass_unchanged(context);
    return true;
}

/* Says the truth itself, but the pass that it runs does not. */
static bool run_liar(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    (void)graph;
    return run_pass_here(context, "lie");
}

static const weir_pass_info passes[] = {
    {.name = "nothing", .kind = WEIR_PASS_GRAPH, .run = {.graph = keep_graph}},
    {.name = "honest", .kind = WEIR_PASS_GRAPH, .run = {.graph = honest}},
    {.name = "lie", .kind = WEIR_PASS_GRAPH, .run = {.graph = lie}},
    {.name = "lie-data", .kind = WEIR_PASS_GRAPH, .run = {.graph = lie_about_data}},
    {.name = "anew", .kind = WEIR_PASS_GRAPH, .run = {.graph = build_anew}},
    {.name = "lie-anew", .kind = WEIR_PASS_GRAPH, .run = {.graph = lie_and_build_anew}},
    {.name = "remove-graph", .kind = WEIR_PASS_MODULE, .run = {.module = remove_graph}},
    {.name = "run-liar", .kind = WEIR_PASS_GRAPH, .run = {.graph = run_liar}},
};

static weir_graph *make_graph(const char *name) {
    weir_graph *graph = weir_graph_new(name);
    weir_value c = add_constant(graph, "c", WEIR_FLOAT32, 2, 1, 2, (const double[]){3, 4});
    weir_value sum = ADD(graph, WEIR_OP_ADD, "sum", add_real_input(graph, "x", 1, 2), c);
    weir_value y = ADD(graph, WEIR_OP_RELU, "relu", sum);
    weir_graph_add_output(graph, "y", ADD(graph, WEIR_OP_RELU, "relu", y));
    return graph;
}

/* Runs the pipeline under the instrument on two graphs; how many nodes are left. */
static size_t run(const char *pipeline, bool expected) {
    weir_module *module = module_of_graph(make_graph("main"));
    weir_module_add_graph(module, make_graph("other"));
    pass_bench b = pass_bench_of(passes, sizeof passes / sizeof *passes, module);
    weir_pass_instrument *immutable = weir_pass_immutable_new();
    weir_pass_context_add_instrument(b.context, immutable);
    assert_int_equal(pass_bench_run(&b, pipeline), expected);
    size_t nodes = 0;
    for (size_t i = 0; i < weir_module_graph_count(module); i++) {
        nodes += weir_graph_node_count(weir_module_graph(module, i));
    }
    weir_pass_instrument_free(immutable);
    weir_module_free(module);
    pass_bench_stop(&b);
    return nodes;
}

/* TVM: a pass that removes a function in place is an error. */
static void case_13_a_change_in_place_that_was_denied(void **state) {
    (void)state;
    run("nothing,graph(nothing,lie),nothing", false);
    assert_error("pass 'lie' reported no change, but it changed graph 'main'");
    assert_non_null(strstr(test_messages.data, "note: -"));
    assert_non_null(strstr(test_messages.data, "Relu"));
}

static void case_13_a_graph_removed(void **state) {
    (void)state;
    run("remove-graph", false);
    assert_error("pass 'remove-graph' reported no change, but it changed module 'm'");
}

/* TVM: a pass that builds a new module is fine. */
static void case_13_a_new_graph(void **state) {
    (void)state;
    assert_int_equal(run("nothing,anew", true), 4);
    assert_int_equal(run("honest,nothing", true), 4);
    assert_string_equal(test_messages.data, "");
}

static void a_denied_replacement(void **state) {
    (void)state;
    run("lie-anew", false);
    assert_error("pass 'lie-anew' reported no change, but it changed graph 'main'");
}

static void data_counts(void **state) {
    (void)state;
    run("lie-data", false);
    assert_error("pass 'lie-data' reported");
}

static void the_inner_pass_is_named(void **state) {
    (void)state;
    run("nothing,run-liar", false);
    assert_error("pass 'lie' reported no change, but it changed graph 'main'");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(case_13_a_change_in_place_that_was_denied),
        TEST(case_13_a_graph_removed),
        TEST(case_13_a_new_graph),
        TEST(a_denied_replacement),
        TEST(data_counts),
        TEST(the_inner_pass_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
