/* equalize: factors by hand, results bit for bit, what keeps its weights. */
#include <math.h>
#include <string.h>

#include "test_passes_support.h"

#include "exec/exec.h"
#include "test_pass_bench.h"

/* x [1, 2] -> a (Gemm, 2 outputs, bias) -> `between` -> b (Gemm, 1 output). Output 0 of a has weights up to 64, output
 * 1 up to 1; b reads both with 1: powers of two of sqrt(64) and sqrt(1). */
static weir_graph *model(weir_op between) {
    const double w[4] = {64, -3, 0.75, 1}, bias[2] = {5, -0.5}, v[2] = {1, -1}, limits[2] = {0, 6};
    weir_graph *g = weir_graph_new("model");
    weir_value in[3] = {add_real_input(g, "x", 1, 2), add_constant(g, "w", WEIR_FLOAT32, 2, 2, 2, w),
                        add_constant(g, "bias", WEIR_FLOAT32, 1, 2, 0, bias)};
    weir_node a = put(g, WEIR_OP_GEMM, "a", 3, in);
    weir_node_set_int(g, a, "transB", 1);
    assert_true(weir_infer_node(g, a));
    weir_value h = weir_node_output(g, a, 0);
    if (between == WEIR_OP_CLIP)
        h = ADD(g, between, "between", h, add_constant(g, "low", WEIR_FLOAT32, 0, 0, 0, limits),
                add_constant(g, "high", WEIR_FLOAT32, 0, 0, 0, limits + 1));
    else h = ADD(g, between, "between", h);
    weir_value next[2] = {h, add_constant(g, "v", WEIR_FLOAT32, 2, 1, 2, v)};
    weir_node b = put(g, WEIR_OP_GEMM, "b", 2, next);
    weir_node_set_int(g, b, "transB", 1);
    assert_true(weir_infer_node(g, b));
    weir_graph_add_output(g, "y", weir_node_output(g, b, 0));
    return g;
}

static double weight(const weir_graph *g, const char *node, size_t input, size_t element) {
    return weir_array_get(weir_value_constant(g, weir_node_input(g, weir_graph_find_node(g, node), input)), element);
}

static double result(const weir_graph *g, double x0, double x1) {
    weir_executor *executor = weir_executor_new(g);
    weir_array *frame = weir_array_new(WEIR_FLOAT32, &(weir_shape){2, {1, 2}});
    weir_array_set(frame, 0, x0);
    weir_array_set(frame, 1, x1);
    assert_true(weir_executor_run(executor, (const weir_array *const[]){frame}));
    const double y = weir_array_get(weir_executor_value(executor, weir_graph_output(g, 0)), 0);
    weir_array_free(frame);
    weir_executor_free(executor);
    return y;
}

static weir_module *equalized(weir_graph *g) {
    weir_module *module = weir_module_new("m");
    weir_module_add_graph(module, g);
    assert_true(run_pipeline(module, "equalize"));
    return module;
}

static void factors_are_powers_of_two(void **state) {
    (void)state;
    weir_graph *before = model(WEIR_OP_RELU);
    weir_module *module = equalized(model(WEIR_OP_RELU));
    const weir_graph *g = weir_module_graph(module, 0);
    assert_true(weight(g, "a", 1, 0) == 8 && weight(g, "a", 1, 1) == -3.0 / 8);
    assert_true(weight(g, "a", 1, 2) == 0.75 && weight(g, "a", 1, 3) == 1);
    assert_true(weight(g, "a", 2, 0) == 5.0 / 8 && weight(g, "a", 2, 1) == -0.5);
    assert_true(weight(g, "b", 1, 0) == 8 && weight(g, "b", 1, 1) == -1);
    for (int i = -8; i < 8; i++) {
        const double x0 = i * 0.3, x1 = 1.7 - i * 0.11;
        assert_true(result(g, x0, x1) == result(before, x0, x1));
    }
    weir_graph_free(before);
    weir_module_free(module);
}

/* A Sigmoid and a limit depend on the numbers themselves. */
static void others_keep_their_weights(void **state) {
    (void)state;
    static const weir_op between[] = {WEIR_OP_SIGMOID, WEIR_OP_CLIP};
    for (size_t i = 0; i < 2; i++) {
        weir_module *module = equalized(model(between[i]));
        assert_true(weight(weir_module_graph(module, 0), "a", 1, 0) == 64);
        weir_module_free(module);
    }
}

/* The largest of all channels is of none of them; that of each channel's pixels keeps factors. */
static void reductions(void **state) {
    (void)state;
    static const weir_op reduction[] = {WEIR_OP_REDUCE_MAX, WEIR_OP_GLOBAL_MAX_POOL};
    for (int64_t i = 0; i < 2; i++) {
        const int64_t left = 1 + i; /* channels */
        const weir_type type = {.dtype = WEIR_FLOAT32, .shape = {4, {1, 1, 2, 2}}};
        weir_array *a = weir_array_new(WEIR_FLOAT32, &(weir_shape){4, {2, 1, 1, 1}});
        weir_array *b = weir_array_new(WEIR_FLOAT32, &(weir_shape){4, {1, left, 1, 1}});
        weir_array_set(a, 0, 64);
        weir_array_set(a, 1, 1);
        for (size_t k = 0; k < b->count; k++) weir_array_set(b, k, 1);
        weir_graph *g = weir_graph_new("model");
        weir_value h =
            ADD(g, WEIR_OP_CONV, "a", weir_graph_add_input(g, "x", &type), weir_graph_add_constant(g, "w", a));
        h = ADD(g, WEIR_OP_CONV, "b", ADD(g, reduction[i], "most", h), weir_graph_add_constant(g, "v", b));
        weir_graph_add_output(g, "y", h);
        weir_array_free(a);
        weir_array_free(b);
        weir_module *module = equalized(g);
        assert_true(weight(weir_module_graph(module, 0), "a", 1, 0) == (i == 0 ? 64 : 8));
        weir_module_free(module);
    }
}

/* A channel whose results somebody else reads, too. */
static void other_readers(void **state) {
    (void)state;
    weir_graph *g = model(WEIR_OP_RELU);
    weir_graph_add_output(g, "z", weir_node_output(g, weir_graph_find_node(g, "between"), 0));
    weir_module *module = equalized(g);
    assert_true(weight(weir_module_graph(module, 0), "a", 1, 0) == 64);
    weir_module_free(module);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(factors_are_powers_of_two), TEST(others_keep_their_weights),
                                       TEST(reductions), TEST(other_readers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
