/* remove_channels: by hand on small layers, and on random networks, whose results stay. */
#include "test_passes_support.h"

#include <math.h>

#include "common/channel_graph.h"
#include "cosim/random_input.h"
#include "test_pass_bench.h"

/* nightly: 3000 */

static weir_graph *graph_of(weir_module *module) { return weir_module_find_graph(module, "model"); }

/* remove_channels on the graph, which the module takes over; the record is the caller's. */
static weir_module *removed(weir_graph *graph, json_t **records) {
    weir_module *module = module_of_graph(graph);
    if (!run_recorded(module, "graph(remove_channels)", records)) fail_msg("%s", test_messages.data);
    assert_true(weir_graph_verify(graph_of(module)));
    return module;
}

static void assert_parameter(const weir_graph *g, const char *name, size_t input, const double *expected,
                             size_t count) {
    const weir_array *array = weir_value_constant(g, weir_node_input(g, weir_graph_find_node(g, name), input));
    assert_non_null(array);
    assert_int_equal(array->count, count);
    for (size_t i = 0; i < count; i++)
        if (fabs(weir_array_get(array, i) - expected[i]) > 1e-6)
            fail_msg("%s: input %zu has %g at %zu, expected %g", name, input, weir_array_get(array, i), i, expected[i]);
}

static int64_t count_of(const json_t *records, const char *node, const char *key) {
    const json_t *info = json_object_get(json_array_get(records, 0), "info");
    return json_integer_value(json_object_get(json_object_get(info, node), key));
}

static weir_value layer(weir_graph *g, const char *name, weir_value x, weir_value w, weir_value b) {
    const weir_node gemm = put(g, WEIR_OP_GEMM, name, b.id == 0 ? 2 : 3, (weir_value[]){x, w, b});
    weir_node_set_int(g, gemm, "transB", 1);
    assert_true(weir_infer_node(g, gemm));
    return weir_node_output(g, gemm, 0);
}

/* Output 1 of three is masked and has the bias 0.5, output 2 the bias -0.5, which the Relu takes. What is left of 0.5
 * times the weights 4 and -2 goes into the bias of fc2: 1 + 2, 2 - 1. */
static void constants_move_into_the_bias(void **state) {
    (void)state;
    static const double w[6] = {1, 2, 9, 9, 8, 8}, b[3] = {0.25, 0.5, -0.5}, mask[6] = {1, 1},
                        v[6] = {3, 4, 7, -1, -2, 6}, c[2] = {1, 2}, left[2] = {3, -1};
    for (int with_bias = 0; with_bias < 2; with_bias++) {
        weir_graph *g = weir_graph_new("model");
        const weir_value x = add_real_input(g, "x", 1, 2),
                         masked = ADD(g, WEIR_OP_MASK, "mask", add_constant(g, "w", WEIR_FLOAT32, 2, 3, 2, w),
                                      add_constant(g, "m", WEIR_UINT8, 2, 3, 2, mask)),
                         h = layer(g, "fc1", x, masked, add_constant(g, "b", WEIR_FLOAT32, 1, 3, 0, b)),
                         r = ADD(g, WEIR_OP_RELU, "relu", h), u = add_constant(g, "v", WEIR_FLOAT32, 2, 2, 3, v),
                         d = add_constant(g, "c", WEIR_FLOAT32, 1, 2, 0, c);
        weir_graph_add_output(g, "y", layer(g, "fc2", r, u, with_bias ? d : WEIR_NO_VALUE));
        json_t *records;
        weir_module *module = removed(g, &records);
        g = graph_of(module);
        const double sum[2] = {with_bias ? 3 : 2, with_bias ? 1 : -1};
        assert_int_equal(count_of(records, "fc1", "removed"), 2);
        assert_int_equal(count_of(records, "fc1", "channels"), 3);
        assert_int_equal(count_of(records, "fc2", "removed"), 0);
        assert_parameter(g, "mask", 0, w, 2);
        assert_parameter(g, "mask", 1, mask, 2);
        assert_parameter(g, "fc1", 2, b, 1);
        assert_parameter(g, "fc2", 1, left, 2);
        assert_parameter(g, "fc2", 2, sum, 2);
        assert_int_equal(weir_value_type(g, weir_node_output(g, weir_graph_find_node(g, "relu"), 0))->shape.dim[1], 1);
        json_decref(records);
        weir_module_free(module);
    }
}

/* A MatMul has no bias: an Add behind it takes what is left. */
static void a_product_without_bias_gets_a_sum(void **state) {
    (void)state;
    static const double w[4] = {1, 0, 2, 0}, b[2] = {0.25, 0.5}, v[4] = {3, 4, 5, 6}, left[2] = {3, 4},
                        sum[2] = {2.5, 3};
    weir_graph *g = weir_graph_new("model");
    weir_value x =
        ADD(g, WEIR_OP_MATMUL, "mm1", add_real_input(g, "x", 1, 2), add_constant(g, "w", WEIR_FLOAT32, 2, 2, 2, w));
    x = ADD(g, WEIR_OP_ADD, "bias", x, add_constant(g, "b", WEIR_FLOAT32, 1, 2, 0, b));
    weir_graph_add_output(g, "y", ADD(g, WEIR_OP_MATMUL, "mm2", x, add_constant(g, "v", WEIR_FLOAT32, 2, 2, 2, v)));
    weir_module *module = removed(g, NULL);
    g = graph_of(module);
    assert_parameter(g, "bias", 1, b, 1);
    assert_parameter(g, "mm2", 1, left, 2);
    const weir_value y = weir_graph_output(g, 0);
    assert_int_equal(weir_node_op(g, weir_value_producer(g, y)), WEIR_OP_ADD);
    assert_parameter(g, weir_node_name(g, weir_value_producer(g, y)), 1, sum, 2);
    weir_module_free(module);
}

/* A sum loses what all of its operands lose: of {0, 1} and {1, 2} only 1. */
static void sums_lose_what_all_operands_lose(void **state) {
    (void)state;
    static const double a[6] = {0, 0, 0, 0, 1, 2}, b[6] = {3, 4, 0, 0, 0, 0}, v[3] = {5, 6, 7}, left[2] = {5, 7};
    weir_graph *g = weir_graph_new("model");
    const weir_value x = add_real_input(g, "x", 1, 2),
                     p = layer(g, "a", x, add_constant(g, "wa", WEIR_FLOAT32, 2, 3, 2, a), WEIR_NO_VALUE),
                     q = layer(g, "b", x, add_constant(g, "wb", WEIR_FLOAT32, 2, 3, 2, b), WEIR_NO_VALUE);
    weir_graph_add_output(g, "y",
                          layer(g, "last", ADD(g, WEIR_OP_ADD, "sum", p, q),
                                add_constant(g, "v", WEIR_FLOAT32, 2, 1, 3, v), WEIR_NO_VALUE));
    json_t *records;
    weir_module *module = removed(g, &records);
    g = graph_of(module);
    assert_parameter(g, "a", 1, (double[]){0, 0, 1, 2}, 4);
    assert_parameter(g, "b", 1, (double[]){3, 4, 0, 0}, 4);
    assert_parameter(g, "last", 1, left, 2);
    assert_int_equal(count_of(records, "a", "masked"), 1);
    assert_non_null(
        strstr(test_messages.data, "node 'a' keeps 1 masked channel: it is not constant behind 'sum' (Add)"));
    json_decref(records);
    weir_module_free(module);
}

static weir_value conv(weir_graph *g, const char *name, weir_value x, weir_value b, int64_t outputs, int64_t groups,
                       int64_t pad, unsigned masked) {
    const int64_t inputs = weir_value_type(g, x)->shape.dim[1], size = pad > 0 ? 3 : 1;
    weir_array *w = weir_array_new(WEIR_FLOAT32, &(weir_shape){4, {outputs, inputs / groups, size, size}});
    for (size_t i = 0; i < w->count; i++)
        weir_array_set(w, i, (masked >> (i / (w->count / (size_t)outputs)) & 1) != 0 ? 0 : (double)(i % 5) + 1);
    const weir_node node =
        put(g, WEIR_OP_CONV, name, b.id == 0 ? 2 : 3, (weir_value[]){x, weir_graph_add_constant(g, "w", w), b});
    weir_array_free(w);
    weir_node_set_ints(g, node, "pads", (int64_t[]){pad, pad, pad, pad}, 4);
    weir_node_set_int(g, node, "group", groups);
    assert_true(weir_infer_node(g, node));
    return weir_node_output(g, node, 0);
}

static weir_value image(weir_graph *g, int64_t channels) {
    const weir_type type = {.dtype = WEIR_FLOAT32, .shape = {4, {1, channels, 4, 4}}, .quant = {.axis = -1}};
    return weir_graph_add_input(g, "x", &type);
}

/* Beside zeros a constant is an edge, unless it is zero itself. */
static void padding_keeps_constants(void **state) {
    (void)state;
    static const double zero[2] = {1, 0}, bias[2] = {1, 0.5};
    static const struct {
        const double *bias;
        int64_t pad, left;
    } cases[] = {{zero, 1, 1}, {bias, 1, 2}, {bias, 0, 1}};
    for (size_t i = 0; i < 3; i++) {
        test_setup(NULL);
        weir_graph *g = weir_graph_new("model");
        const weir_value h =
            conv(g, "a", image(g, 1), add_constant(g, "b", WEIR_FLOAT32, 1, 2, 0, cases[i].bias), 2, 1, 1, 2);
        weir_graph_add_output(g, "y", conv(g, "b", h, WEIR_NO_VALUE, 3, 1, cases[i].pad, 0));
        weir_module *module = removed(g, NULL);
        g = graph_of(module);
        assert_int_equal(weir_value_type(g, weir_node_output(g, weir_graph_find_node(g, "a"), 0))->shape.dim[1],
                         cases[i].left);
        assert_int_equal(strstr(test_messages.data, "node 'a' keeps 1 masked channel: its constant is not zero, and "
                                                    "'b' (Conv) has padding beside it") != NULL,
                         cases[i].left == 2);
        weir_module_free(module);
    }
}

/* Two groups of two: 0 and 1 go of the first, 2 of the second; so one of each goes, and 'group' stays 2. A depthwise
 * convolution goes along. */
static void groups_stay_even(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("model");
    const weir_value h = conv(g, "a", image(g, 1), WEIR_NO_VALUE, 4, 1, 1, 0x7),
                     d = conv(g, "depthwise", h, WEIR_NO_VALUE, 4, 4, 1, 0),
                     p = conv(g, "grouped", d, WEIR_NO_VALUE, 4, 2, 1, 0xa);
    weir_graph_add_output(g, "y", conv(g, "last", p, WEIR_NO_VALUE, 2, 1, 0, 0));
    json_t *records;
    weir_module *module = removed(g, &records);
    g = graph_of(module);
    assert_int_equal(count_of(records, "a", "removed"), 2);
    assert_int_equal(count_of(records, "a", "masked"), 1);
    assert_int_equal(count_of(records, "grouped", "removed"), 2);
    assert_int_equal(weir_node_int(g, weir_graph_find_node(g, "depthwise"), "group", 0), 2);
    assert_int_equal(weir_node_int(g, weir_graph_find_node(g, "grouped"), "group", 0), 2);
    assert_non_null(strstr(test_messages.data, "the groups of 'grouped' (Conv) would differ"));
    json_decref(records);
    weir_module_free(module);
}

/* One channel stays where all are masked, all of what leaves the graph, and all of what is read as a whole. */
static void some_channels_stay(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("model");
    const weir_value h = conv(g, "a", image(g, 1), WEIR_NO_VALUE, 3, 1, 1, 0x7),
                     p = conv(g, "b", h, WEIR_NO_VALUE, 3, 1, 1, 0x1);
    weir_node softmax = put(g, WEIR_OP_SOFTMAX, "softmax", 1, &p);
    weir_node_set_int(g, softmax, "axis", 1);
    assert_true(weir_infer_node(g, softmax));
    weir_graph_add_output(g, "y", conv(g, "c", weir_node_output(g, softmax, 0), WEIR_NO_VALUE, 3, 1, 0, 0x2));
    json_t *records;
    weir_module *module = removed(g, &records);
    assert_int_equal(count_of(records, "a", "removed"), 2);
    assert_int_equal(count_of(records, "b", "removed"), 0);
    assert_int_equal(count_of(records, "c", "removed"), 0);
    assert_non_null(strstr(test_messages.data, "node 'a' keeps 1 masked channel: it is the last one"));
    assert_non_null(
        strstr(test_messages.data, "node 'b' keeps 1 masked channel: 'softmax' (Softmax) takes all channels"));
    assert_non_null(strstr(test_messages.data, "node 'c' keeps 1 masked channel: it leaves the graph"));
    json_decref(records);
    weir_module_free(module);
}

/* --- random networks --- */

/* The largest difference of the graphs' results, relative to 1 or the result. */
static double difference(const weir_graph *a, const weir_graph *b, uint64_t seed) {
    weir_executor *first = weir_executor_new(a), *second = weir_executor_new(b);
    weir_array *x = weir_random_input(a, weir_graph_input(a, 0), seed, 0);
    double most = 0;
    assert_true(first != NULL && second != NULL);
    assert_true(weir_executor_run(first, (const weir_array *const *)&x));
    assert_true(weir_executor_run(second, (const weir_array *const *)&x));
    for (size_t i = 0; i < weir_graph_output_count(a); i++) {
        const weir_array *p = weir_executor_value(first, weir_graph_output(a, i)),
                         *q = weir_executor_value(second, weir_graph_output(b, i));
        assert_true(weir_shape_equal(&p->shape, &q->shape));
        for (size_t k = 0; k < p->count; k++) {
            const double own = weir_array_get(p, k), size = fabs(own) > 1 ? fabs(own) : 1;
            most = fmax(most, fabs(own - weir_array_get(q, k)) / size);
        }
    }
    weir_executor_free(first);
    weir_executor_free(second);
    weir_array_free(x);
    return most;
}

static int64_t parameters(const weir_graph *g) {
    int64_t count = 0;
    for (uint32_t id = 1; id < weir_graph_value_limit(g); id++) {
        const weir_array *c = weir_value_exists(g, (weir_value){id}) ? weir_value_constant(g, (weir_value){id}) : NULL;
        if (c != NULL && c->dtype == WEIR_FLOAT32) count += (int64_t)c->count;
    }
    return count;
}

static bool has_groups(const weir_graph *g) {
    for (weir_node node = weir_graph_first(g); node.id != 0; node = weir_node_next(g, node))
        if (weir_node_int(g, node, "group", 1) > 1) return true;
    return false;
}

/* The same results, and a good part of the parameters gone. A second run finds nothing, unless groups that were
 * uneven are now single channels. */
static void results_stay(void **state) {
    (void)state;
    const char *more = getenv("WEIR_RANDOM");
    const int count = more == NULL ? 400 : atoi(more);
    int64_t before = 0, after = 0;
    int changed = 0;
    for (int seed = 1; seed <= count; seed++) {
        weir_graph *g = channel_graph((uint64_t)seed), *copy = weir_graph_copy(g);
        assert_true(weir_graph_verify(g));
        weir_module *module = removed(g, NULL);
        g = graph_of(module);
        before += parameters(copy);
        after += parameters(g);
        changed += parameters(g) != parameters(copy);
        const double d = difference(copy, g, (uint64_t)seed);
        if (!(d < 1e-4)) fail_msg("seed %d: the results differ by %g", seed, d);
        char *once = graph_text(g);
        assert_true(run_pipeline(module, "graph(remove_channels)"));
        char *twice = graph_text(graph_of(module));
        if (strcmp(once, twice) != 0 && !has_groups(copy)) fail_msg("seed %d: a second run removes more", seed);
        free(once);
        free(twice);
        weir_module_free(module);
        weir_graph_free(copy);
    }
    printf("%d of %d networks lose channels, %lld of %lld parameters\n", changed, count, (long long)(before - after),
           (long long)before);
    assert_true(changed > count / 2 && before - after > before / 10);
}

/* A parameter that is not what it was must be seen. */
static void a_fault_is_seen(void **state) {
    (void)state;
    weir_graph *g = channel_graph(1), *copy = weir_graph_copy(g);
    weir_module *module = removed(g, NULL);
    g = graph_of(module);
    assert_true(difference(copy, g, 1) < 1e-4);
    for (uint32_t id = 1, limit = weir_graph_value_limit(g); id < limit; id++) {
        const weir_value value = {id};
        const weir_array *old = weir_value_exists(g, value) ? weir_value_constant(g, value) : NULL;
        if (old == NULL || old->dtype != WEIR_FLOAT32 || old->shape.rank < 2) continue;
        weir_array *w = weir_array_copy(old);
        for (size_t i = 0; i < w->count; i++) weir_array_set(w, i, weir_array_get(w, i) + 0.1);
        weir_value_replace(g, value, weir_graph_add_constant(g, "planted", w));
        weir_array_free(w);
    }
    assert_true(difference(copy, g, 1) > 1e-3);
    weir_module_free(module);
    weir_graph_free(copy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(constants_move_into_the_bias),
        TEST(a_product_without_bias_gets_a_sum),
        TEST(sums_lose_what_all_operands_lose),
        TEST(padding_keeps_constants),
        TEST(groups_stay_even),
        TEST(some_channels_stay),
        TEST(results_stay),
        TEST(a_fault_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
