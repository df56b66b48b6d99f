/* The example of toolchain/pass/README.md: a pass with options, how it is registered and how it is run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ir/graph/graph.h"
#include "pass/core/context.h"
#include "pass/core/registry.h"
#include "support/file/file.h"

/* example */
/* Removes every Relu whose input is known to be large enough, at most `limit` of them. */
static bool remove_relu(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    int64_t left = weir_pass_int(pass, "limit"), low = weir_pass_bool(pass, "strict") ? 1 : 0;
    for (weir_node node = weir_graph_first(graph), next; node.id != 0 && left > 0; node = next) {
        next = weir_node_next(graph, node);
        const weir_type *type = weir_value_type(graph, weir_node_input(graph, node, 0));
        if (weir_node_op(graph, node) == WEIR_OP_RELU && type->has_range && type->low >= low) {
            weir_value_replace(graph, weir_node_output(graph, node, 0), weir_node_input(graph, node, 0));
            weir_graph_remove_node(graph, node);
            weir_pass_count(context, "nodes removed", 1);
            left--;
        }
    }
    return true;
}

static const weir_pass_option remove_relu_options[] = {
    {"limit", WEIR_PASS_INT, "100", "0..", "at most so many"},
    {"strict", WEIR_PASS_BOOL, "false", NULL, "only where the input is positive"},
    {.name = NULL}};

static const weir_pass_info remove_relu_info = {.name = "remove-relu",
                                                .kind = WEIR_PASS_GRAPH,
                                                .level = 1,
                                                .options = remove_relu_options,
                                                .help = "removes Relu nodes that change nothing",
                                                .run = {.graph = remove_relu}};
/* end */

/* x -> Relu -> Relu -> y, with x in [0, 9] */
static weir_graph *make_graph(void) {
    weir_graph *graph = weir_graph_new("main");
    const int64_t dims[] = {1, 4};
    weir_type type = {.dtype = WEIR_UINT8, .shape = weir_shape_of(2, dims), .has_range = true, .high = 9};
    type.quant = (weir_quant){.format = WEIR_FORMAT_INTEGER, .width = 8, .axis = -1};
    weir_value value = weir_graph_add_input(graph, "x", &type);
    for (int i = 0; i < 2; i++) {
        weir_node node = weir_graph_add_node(graph, WEIR_OP_RELU, "relu", &value, 1, 1, WEIR_NO_NODE);
        value = weir_node_output(graph, node, 0);
        weir_value_set_type(graph, value, &type);
    }
    weir_graph_add_output(graph, "y", value);
    return graph;
}

static size_t nodes_after(const char *pipeline) {
    weir_pass_registry *registry = weir_pass_registry_new();
    assert_true(weir_pass_registry_add(registry, &remove_relu_info));
    weir_pass_context *context = weir_pass_context_new(registry);
    weir_module *module = weir_module_new("example");
    weir_module_add_graph(module, make_graph());
    weir_pass *pass = weir_pass_parse(registry, pipeline, WEIR_NOWHERE);
    assert_non_null(pass);
    assert_true(weir_pass_run(context, pass, module));
    size_t count = weir_graph_node_count(weir_module_graph(module, 0));
    assert_int_equal(weir_pass_statistic(context, "remove-relu", "nodes removed"), 2 - count);
    weir_pass_free(pass);
    weir_module_free(module);
    weir_pass_context_free(context);
    weir_pass_registry_free(registry);
    return count;
}

static void example_runs(void **state) {
    (void)state;
    assert_int_equal(nodes_after(""), 2);
    assert_int_equal(nodes_after("remove-relu"), 0);
    assert_int_equal(nodes_after("graph(remove-relu{limit=1})"), 1);
    assert_int_equal(nodes_after("remove-relu{strict=true}"), 2);
}

/* The README shows exactly the code between the two marks. */
static void readme_shows_the_example(void **state) {
    (void)state;
    const char *source = getenv("WEIR_SOURCE");
    if (!source) {
        skip();
    }
    char *own_path = weir_path_join(source, "tests/unit/test_pass_example.c");
    char *readme_path = weir_path_join(source, "toolchain/pass/README.md");
    char *own = weir_file_read(own_path, &(size_t){0}), *readme = weir_file_read(readme_path, &(size_t){0});
    assert_non_null(own);
    assert_non_null(readme);
    char *start = strstr(own, "/* example */\n"), *end = strstr(own, "/* end */\n");
    assert_non_null(start);
    assert_non_null(end);
    *end = 0;
    assert_non_null(strstr(readme, start + strlen("/* example */\n")));
    free(own);
    free(readme);
    free(own_path);
    free(readme_path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(example_runs), cmocka_unit_test(readme_shows_the_example)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
