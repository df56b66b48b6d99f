/* Every pass over one graph takes time linear in the graph: CPU time at 3,000 and at 48,000 nodes of chains and of wide
 * graphs. A quadratic pass would be 256 times as slow, a linear one is 16 times, with caches a little more. */
#include <time.h>

#include "test_passes_support.h"

enum { SMALL = 3000, FACTOR = 16 };

/* Relu, sum with a constant, sum with itself, Identity, Transpose, Reshape; one after the other. */
static weir_value add_link(weir_graph *graph, weir_value x, int kind, weir_value constant, weir_value shape) {
    const weir_op ops[] = {WEIR_OP_RELU,     WEIR_OP_ADD,       WEIR_OP_ADD,
                           WEIR_OP_IDENTITY, WEIR_OP_TRANSPOSE, WEIR_OP_RESHAPE};
    const weir_value inputs[][2] = {{x}, {x, constant}, {x, x}, {x}, {x}, {x, shape}};
    const size_t counts[] = {1, 2, 2, 1, 1, 2};
    return add_value(graph, ops[kind], "n", counts[kind], inputs[kind]);
}

static weir_value add_shape(weir_graph *graph) {
    return add_constant(graph, "shape", WEIR_INT64, 1, 2, 0, (const double[]){2, 2});
}

static weir_graph *chain(size_t count, bool is_fixed) {
    weir_graph *graph = weir_graph_new("chain");
    const weir_value shape = add_shape(graph);
    const weir_value c = add_constant(graph, "c", WEIR_FLOAT32, 2, 2, 2, (const double[]){1, 2, 3, 4});
    weir_value x = is_fixed ? c : add_real_input(graph, "x", 2, 2);
    for (size_t i = 0; i < count; i++) x = add_link(graph, x, (int)(i % 6), c, shape);
    weir_graph_add_output(graph, "y", x);
    return graph;
}

static weir_graph *moving_chain(size_t count) { return chain(count, false); }
static weir_graph *fixed_chain(size_t count) { return chain(count, true); }

/* All nodes take one input and constants of their own; every second result is an output. */
static weir_graph *wide(size_t count) {
    weir_graph *graph = weir_graph_new("wide");
    const weir_value x = add_real_input(graph, "x", 2, 2);
    for (size_t i = 0; i < count; i++) {
        const weir_value c = add_scalar(graph, "c", WEIR_FLOAT32, (double)(i % 100));
        const weir_value y = add_link(graph, x, (int)(i % 6), c, add_shape(graph));
        if (i % 2 == 0) weir_graph_add_output(graph, "y", y);
    }
    return graph;
}

/* A ladder: each sum takes the last two, one node in three is dead. */
static weir_graph *ladder(size_t count) {
    weir_graph *graph = weir_graph_new("ladder");
    weir_value a = add_real_input(graph, "a", 2, 2), b = add_real_input(graph, "b", 2, 2);
    for (size_t i = 0; i < count; i += 3) {
        const weir_value sum = ADD(graph, WEIR_OP_ADD, "n", a, b);
        a = b;
        b = ADD(graph, WEIR_OP_RELU, "n", sum);
        ADD(graph, WEIR_OP_IDENTITY, "n", sum);
    }
    weir_graph_add_output(graph, "y", b);
    return graph;
}

static double seconds_of(weir_pass_registry *registry, const char *name, weir_graph *graph) {
    weir_module *module = weir_module_new("m");
    weir_module_add_graph(module, graph);
    weir_pass_context *context = weir_pass_context_new(registry);
    weir_pass *pass = weir_pass_new(registry, name);
    assert_true(weir_pass_context_require(context, name));
    const clock_t start = clock();
    assert_true(weir_pass_run(context, pass, module));
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    assert_true(weir_graph_verify(weir_module_graph(module, 0)));
    weir_pass_free(pass);
    weir_pass_context_free(context);
    weir_module_free(module);
    return seconds;
}

/* Is the pass linear on all shapes? */
static bool is_linear(weir_pass_registry *registry, const char *name) {
    static weir_graph *(*const shapes[])(size_t count) = {moving_chain, fixed_chain, wide, ladder};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const double small = seconds_of(registry, name, shapes[i](SMALL));
        const double large = seconds_of(registry, name, shapes[i](SMALL * FACTOR));
        print_message("%-28s %-8s %8.2f ms %8.2f ms\n", name, (const char *[]){"chain", "fixed", "wide", "ladder"}[i],
                      small * 1e3, large * 1e3);
        if (large > 4 * FACTOR * (small + 0.001)) return false;
    }
    return true;
}

static void passes_are_linear(void **state) {
    (void)state;
    weir_pass_registry *registry = weir_pass_registry_new();
    assert_true(weir_passes_register(registry));
    for (size_t i = 0; i < weir_pass_registry_count(registry); i++) {
        const weir_pass_info *info = weir_pass_registry_at(registry, i);
        if (info->kind == WEIR_PASS_GRAPH && !is_linear(registry, info->name)) fail_msg("%s is not linear", info->name);
    }
    assert_true(is_linear(registry, "default"));
    weir_pass_registry_free(registry);
}

/* Looks from every node at every 16th other one. */
static bool run_quadratic(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    int64_t equal = 0;
    for (weir_node a = weir_graph_first(graph); a.id != 0; a = weir_node_next(graph, a))
        for (uint32_t id = 1; id < weir_graph_node_limit(graph); id += 16)
            equal += weir_node_op(graph, (weir_node){id}) == weir_node_op(graph, a);
    weir_pass_count(context, "pairs", equal);
    return true;
}

static void planted_quadratic_pass_is_found(void **state) {
    (void)state;
    static const weir_pass_info info = {
        .name = "quadratic", .kind = WEIR_PASS_GRAPH, .help = "slow", .run = {.graph = run_quadratic}};
    weir_pass_registry *registry = weir_pass_registry_new();
    assert_true(weir_pass_registry_add(registry, &info));
    assert_false(is_linear(registry, "quadratic"));
    weir_pass_registry_free(registry);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(passes_are_linear), TEST(planted_quadratic_pass_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
