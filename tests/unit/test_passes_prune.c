/* prune and prune_detach_hook: which weights go, by hand. */
#include "test_passes_support.h"

#include <math.h>

#include "test_pass_bench.h"

/* Gemm of weights [2, 4] (an output a row), Relu, MatMul of weights [2, 2]. */
static const double w[8] = {0.5, -0.1, 0.3, -0.7, 0.2, 0.9, -0.4, 0.05}, v[4] = {0.05, 2, -1, 0.6};

static weir_graph *model(void) {
    weir_graph *g = weir_graph_new("model");
    weir_value in[2] = {add_real_input(g, "x", 1, 4), add_constant(g, "w", WEIR_FLOAT32, 2, 2, 4, w)};
    weir_node gemm = put(g, WEIR_OP_GEMM, "fc1", 2, in);
    weir_node_set_int(g, gemm, "transB", 1);
    assert_true(weir_infer_node(g, gemm));
    weir_value h = ADD(g, WEIR_OP_RELU, "relu", weir_node_output(g, gemm, 0));
    weir_graph_add_output(g, "y", ADD(g, WEIR_OP_MATMUL, "fc2", h, add_constant(g, "v", WEIR_FLOAT32, 2, 2, 2, v)));
    return g;
}

/* The graph behind the passes, NULL when they fail; the module owns it. */
static weir_graph *run(weir_module *module, const char *pipeline) {
    weir_module_add_graph(module, model());
    return run_pipeline(module, pipeline) ? weir_module_find_graph(module, "model") : NULL;
}

/* Do exactly the weights whose bits are set in `kept`, the first one the lowest, stay? After prune_detach_hook. */
static void stay_at(const weir_graph *g, const char *name, size_t input, const double *all, size_t count,
                    unsigned kept) {
    const weir_array *array = weir_value_constant(g, weir_node_input(g, weir_graph_find_node(g, name), input));
    assert_non_null(array);
    assert_int_equal(array->count, count);
    for (size_t i = 0; i < count; i++) {
        const double expected = (kept >> i & 1) != 0 ? (double)(float)all[i] : 0;
        if (weir_array_get(array, i) != expected)
            fail_msg("%s: weight %zu is %g, expected %g", name, i, weir_array_get(array, i), expected);
    }
}

static void stay(const weir_graph *g, const char *name, const double *all, size_t count, unsigned kept) {
    stay_at(g, name, 1, all, count, kept);
}

static void least_magnitudes_go(void **state) {
    (void)state;
    static const struct {
        const char *weight;
        unsigned w, v; /* that stay */
    } cases[] = {      /* 0.05, 0.1, 0.2 and 0.3 of eight, 0.05 and 0.6 of four */
                 {"{sparsity: 0.5, method: l1-norm}", 0x69, 0x6},
                 {"{sparsity: 0, method: l1-norm}", 0xff, 0xf},
                 {"{sparsity: 1, method: l1-norm}", 0, 0},
                 /* one of eight; half of one of four, which is rounded up */
                 {"{sparsity: 0.125, method: l1-norm}", 0x7f, 0xe},
                 /* of all twelve six: 0.05, 0.05, 0.1, 0.2, 0.3, 0.4 */
                 {"{sparsity: 0.5, method: l1-norm, scope: global}", 0x29, 0xe},
                 /* row 0 has 1.6, row 1 1.55; the columns of v 1.05 and 2.6 */
                 {"{sparsity: 0.5, method: l1-norm, granularity: channel}", 0x0f, 0xa},
                 /* two of each four inputs; v has two inputs, which stay */
                 {"{method: l1-norm, granularity: '2:4'}", 0x69, 0xf},
                 {"{method: l1-norm, granularity: '1:2'}", 0x69, 0x6},
                 /* pairs: 0.6, 1.0, 1.1 and 0.45; of v a column each: 1.05 and 2.6 */
                 {"{sparsity: 0.5, method: l1-norm, granularity: 'block:2'}", 0x3c, 0xa},
                 {"{sparsity: {fc1: 0.5, default: 0.25}, method: l1-norm}", 0x69, 0xe},
                 {"{sparsity: {fc2: 0.5}, method: l1-norm}", 0xff, 0x6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_module *module = weir_module_new("m");
        char *pipeline = weir_format("graph(prune{weight=\"%s\"},prune_detach_hook)", cases[i].weight);
        const weir_graph *g = run(module, pipeline);
        if (g == NULL) fail_msg("%s: %s", cases[i].weight, test_messages.data);
        stay(g, "fc1", w, 8, cases[i].w);
        stay(g, "fc2", v, 4, cases[i].v);
        free(pipeline);
        weir_module_free(module);
    }
}

/* As many as the share says, which MASE's coins for each element do not give; another seed, others. */
static void defect_random_masks_have_the_share(void **state) {
    (void)state;
    unsigned seen[2] = {0};
    for (int seed = 1; seed <= 2; seed++) {
        weir_module *module = weir_module_new("m");
        char *pipeline = weir_format("graph(prune{weight=\"{sparsity: 0.5}\",seed=%d},prune_detach_hook)", seed);
        const weir_graph *g = run(module, pipeline);
        assert_non_null(g);
        const weir_array *array = weir_value_constant(g, weir_node_input(g, weir_graph_find_node(g, "fc1"), 1));
        size_t kept = 0;
        for (size_t i = 0; i < array->count; i++) {
            const bool stays = weir_array_get(array, i) != 0;
            kept += stays;
            seen[seed - 1] |= (unsigned)stays << i;
        }
        assert_int_equal(kept, 4);
        free(pipeline);
        weir_module_free(module);
    }
    assert_int_not_equal(seen[0], seen[1]);
}

/* Nothing is dropped at 0, where MASE's strict comparison with a quantile drops the least; 0 and 1 need not be written
 * as fractions; channels and shares by layer are no errors, nor is one argument without the other. */
static void defect_shares_and_granularities(void **state) {
    (void)state;
    static const struct {
        const char *options;
        unsigned w; /* that stay */
    } cases[] = {{"weight=\"{sparsity: 0.0, method: l1-norm}\"", 0xff},
                 {"weight=\"{sparsity: 0, method: l1-norm}\",activation=\"{sparsity: 0}\"", 0xff},
                 {"weight=\"{sparsity: 1, method: l1-norm}\"", 0},
                 {"weight=\"{sparsity: 0.5, method: l1-norm, granularity: channel}\"", 0x0f},
                 {"weight=\"{sparsity: {fc1: 0.5, fc2: 0.25}, method: l1-norm}\"", 0x69},
                 {"activation=\"{sparsity: 0.5}\"", 0xff}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_module *module = weir_module_new("m");
        char *pipeline =
            weir_format("graph(prune_transform_pass{%s},prune_detach_hook_transform_pass)", cases[i].options);
        const weir_graph *g = run(module, pipeline);
        if (g == NULL) fail_msg("%s: %s", cases[i].options, test_messages.data);
        stay(g, "fc1", w, 8, cases[i].w);
        free(pipeline);
        weir_module_free(module);
    }
}

/* Several masks at one layer all go, those of data with what made them; MASE deletes from the list that it walks. */
static void defect_all_masks_are_detached(void **state) {
    (void)state;
    weir_module *module = weir_module_new("m");
    assert_non_null(
        run(module, "graph(prune{weight=\"{sparsity: 0.5}\",activation=\"{sparsity: 0.5, method: l1-norm}\"})"));
    weir_graph *g = weir_module_find_graph(module, "model");
    assert_int_equal(count_op(g, WEIR_OP_MASK), 4);
    assert_true(run_pipeline(module, "graph(prune_detach_hook)"));
    assert_int_equal(count_op(g, WEIR_OP_MASK), 0);
    assert_int_equal(weir_graph_node_count(g), 3);
    weir_module_free(module);
}

/* Masks are nodes until they are detached; then nothing of them is left. */
static void masks_are_nodes(void **state) {
    (void)state;
    weir_module *module = weir_module_new("m");
    weir_graph *g = run(module, "graph(prune{weight=\"{sparsity: 0.5, method: l1-norm}\"})");
    assert_non_null(g);
    weir_node mask = weir_graph_find_node(g, "fc1_mask");
    assert_int_equal(weir_node_op(g, mask), WEIR_OP_MASK);
    assert_true(run_pipeline(module, "graph(prune_detach_hook)"));
    g = weir_module_find_graph(module, "model");
    for (weir_node node = weir_graph_first(g); node.id != 0; node = weir_node_next(g, node))
        assert_int_not_equal(weir_node_op(g, node), WEIR_OP_MASK);
    weir_module_free(module);
}

/* x [1, 2] -> a and b (two outputs each) -> a + b -> c (1 output), a the bias (1, 2). */
static const double wa[4] = {1, 1, 3, 3}, wb[4] = {6, 6, 2, 2}, bias[2] = {1, 2};

static weir_graph *residual(void) {
    weir_graph *g = weir_graph_new("model");
    const weir_value x = add_real_input(g, "x", 1, 2);
    weir_node a = put(g, WEIR_OP_GEMM, "a", 3,
                      (weir_value[]){x, add_constant(g, "wa", WEIR_FLOAT32, 2, 2, 2, wa),
                                     add_constant(g, "ba", WEIR_FLOAT32, 1, 2, 0, bias)});
    weir_node_set_int(g, a, "transB", 1);
    assert_true(weir_infer_node(g, a));
    const weir_value b = add_gemm(g, "b", x, add_constant(g, "wb", WEIR_FLOAT32, 2, 2, 2, wb));
    const weir_value sum = ADD(g, WEIR_OP_ADD, "sum", weir_node_output(g, a, 0), b);
    weir_graph_add_output(g, "y", add_gemm(g, "c", sum, add_constant(g, "wc", WEIR_FLOAT32, 2, 1, 2, v)));
    return g;
}

/* Alone, a loses output 0 and b output 1; together their sums are (1 + 6) / 2 and (3 + 2) / 2, and both lose 1. What
 * leaves the graph stays. With `bias` a's goes, too, and then remove_channels takes all of it. */
static void coupled_channels_go_together(void **state) {
    (void)state;
    static const struct {
        const char *weight;
        unsigned a, b, bias;
    } cases[] = {
        {"{sparsity: {default: 0.5, c: 0}, method: l1-norm, granularity: channel}", 0xc, 0x3, 0x3},
        {"{sparsity: 0.5, method: l1-norm, granularity: channel, coupled: true}", 0x3, 0x3, 0x3},
        {"{sparsity: 0.5, method: l1-norm, granularity: channel, coupled: true, scope: global}", 0x3, 0x3, 0x3},
        {"{sparsity: 0.5, method: l1-norm, granularity: channel, coupled: true, bias: true}", 0x3, 0x3, 0x1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_module *module = weir_module_new("m");
        char *pipeline = weir_format("graph(prune{weight=\"%s\"},prune_detach_hook)", cases[i].weight);
        weir_module_add_graph(module, residual());
        if (!run_pipeline(module, pipeline)) fail_msg("%s: %s", cases[i].weight, test_messages.data);
        const weir_graph *g = weir_module_find_graph(module, "model");
        stay(g, "a", wa, 4, cases[i].a);
        stay(g, "b", wb, 4, cases[i].b);
        stay(g, "c", v, 2, 0x3);
        for (size_t k = 0; k < 2; k++)
            assert_true(weir_array_get(weir_value_constant(g, weir_node_input(g, weir_graph_find_node(g, "a"), 2)),
                                       k) == ((cases[i].bias >> k & 1) != 0 ? bias[k] : 0));
        assert_true(run_pipeline(module, "graph(remove_channels)"));
        const weir_node sum = weir_graph_find_node(weir_module_find_graph(module, "model"), "sum");
        assert_int_equal(weir_value_type(g, weir_node_output(g, sum, 0))->shape.dim[1], i == 0 ? 2 : 1);
        free(pipeline);
        weir_module_free(module);
    }
}

/* What a channel's sum and normalization add behind the layer goes with it. */
static void what_follows_loses_channels(void **state) {
    (void)state;
    static const double w1[2] = {1, 5}, ones[2] = {1, 1}, shift[2] = {2, 3}, mean[2] = {4, 5};
    weir_module *module = weir_module_new("m");
    weir_graph *g = weir_graph_new("model");
    weir_value x =
        ADD(g, WEIR_OP_MATMUL, "mm", add_real_input(g, "x", 1, 1), add_constant(g, "w", WEIR_FLOAT32, 2, 1, 2, w1));
    x = ADD(g, WEIR_OP_ADD, "add", add_constant(g, "s", WEIR_FLOAT32, 1, 2, 0, shift), x);
    x = ADD(g, WEIR_OP_BATCH_NORMALIZATION, "bn", x, add_constant(g, "o", WEIR_FLOAT32, 1, 2, 0, ones),
            add_constant(g, "t", WEIR_FLOAT32, 1, 2, 0, shift), add_constant(g, "m", WEIR_FLOAT32, 1, 2, 0, mean),
            add_constant(g, "u", WEIR_FLOAT32, 1, 2, 0, ones));
    weir_graph_add_output(g, "y", x);
    weir_module_add_graph(module, g);
    assert_true(run_pipeline(module,
                             "graph(prune{weight=\"{sparsity: 0.5, method: l1-norm, granularity: channel, bias: "
                             "true}\"},prune_detach_hook)"));
    g = weir_module_find_graph(module, "model");
    stay(g, "mm", w1, 2, 0x2);
    const double added =
        weir_array_get(weir_value_constant(g, weir_node_input(g, weir_graph_find_node(g, "add"), 0)), 0);
    assert_true(added == 0);
    stay(g, "bn", ones, 2, 0x2);
    const weir_array *b = weir_value_constant(g, weir_node_input(g, weir_graph_find_node(g, "bn"), 2));
    assert_true(weir_array_get(b, 0) == 0 && weir_array_get(b, 1) == 3);
    weir_module_free(module);
}

static void layers_keep_a_channel(void **state) {
    (void)state;
    weir_module *module = weir_module_new("m");
    assert_null(run(module, "graph(prune{weight=\"{sparsity: 0.9, method: l1-norm, granularity: channel}\"})"));
    assert_error("node 'fc1' keeps none of its 2 channels, expected a smaller sparsity");
    weir_module_free(module);
    test_setup(NULL);
    module = weir_module_new("m");
    weir_module_add_graph(module, residual());
    assert_false(
        run_pipeline(module, "graph(prune{weight=\"{sparsity: {a: 0.5}, granularity: channel, coupled: true}\"})"));
    assert_non_null(
        strstr(test_messages.data, "channels of nodes 'a' and 'b' go together, expected the same sparsity"));
    weir_module_free(module);
}

/* What is masked stays so: 0.1, 0.05 of eight go first; another pass takes the two next ones, in the same mask. */
static void masks_add_up(void **state) {
    (void)state;
    weir_module *module = weir_module_new("m");
    assert_non_null(run(module, "graph(prune{weight=\"{sparsity: 0.25, method: l1-norm}\"})"));
    assert_true(run_pipeline(module, "graph(prune{weight=\"{sparsity: 0.5, method: l1-norm}\"})"));
    weir_graph *g = weir_module_find_graph(module, "model");
    assert_int_equal(count_op(g, WEIR_OP_MASK), 2);
    assert_true(weir_graph_find_node(g, "fc1_mask").id != 0);
    assert_true(run_pipeline(module, "graph(prune_detach_hook)"));
    stay(g, "fc1", w, 8, 0x69);
    weir_module_free(module);
    /* what was masked counts as 0: row 0 has more in all, but less is left of it */
    module = weir_module_new("m");
    assert_non_null(run(module, "graph(prune{weight=\"{method: l1-norm, granularity: '1:4'}\"})"));
    g = weir_module_find_graph(module, "model");
    assert_true(
        run_pipeline(module, "graph(prune{weight=\"{sparsity: {fc1: 0.5}, method: l1-norm, granularity: channel}\"})"));
    assert_true(run_pipeline(module, "graph(prune_detach_hook)"));
    stay(g, "fc1", w, 8, 0x20); /* 0.7 and 0.9 were left */
    weir_module_free(module);
    module = weir_module_new("m");
    weir_module_add_graph(module, residual());
    for (int i = 0; i < 2; i++)
        assert_true(run_pipeline(module, "graph(prune{weight=\"{sparsity: 0.5, method: l1-norm, granularity: channel, "
                                         "coupled: true, bias: true}\"})"));
    g = weir_module_find_graph(module, "model");
    assert_int_equal(count_op(g, WEIR_OP_MASK), 4);
    assert_true(run_pipeline(module, "graph(prune_detach_hook)"));
    stay(g, "a", wa, 4, 0x3);
    weir_module_free(module);
}

/* Weights that quantizers of the model round: the mask is before these, and the analyses find it there. */
static void quantized_weights_are_masked_before(void **state) {
    (void)state;
    weir_module *module = weir_module_new("m");
    weir_graph *g = weir_graph_new("model");
    const weir_value weights = add_qdq(g, "q", add_constant(g, "w", WEIR_FLOAT32, 2, 2, 4, w), 0.01, WEIR_INT8, 0);
    weir_graph_add_output(g, "y", add_gemm(g, "fc1", add_real_input(g, "x", 1, 4), weights));
    weir_module_add_graph(module, g);
    json_t *records;
    assert_true(run_recorded(module,
                             "graph(prune{weight=\"{sparsity: 0.5, method: l1-norm}\"},add_pruning_metadata,"
                             "prune_detach_hook)",
                             &records));
    g = weir_module_find_graph(module, "model");
    stay_at(g, "q", 0, w, 8, 0x69);
    const json_t *info = json_object_get(json_object_get(json_array_get(records, 1), "info"), "fc1");
    assert_true(json_real_value(json_object_get(info, "weight_sparsity")) == 0.5);
    json_decref(records);
    weir_module_free(module);
}

/* --- activations --- */

/* What the node reads of `data` in place of input 0, for each of `frames` frames. */
static void reads(const weir_graph *g, const char *name, const double *data, size_t frames, const double *expected) {
    weir_executor *executor = weir_executor_new(g);
    assert_non_null(executor);
    const weir_type *type = weir_value_type(g, weir_graph_input(g, 0));
    weir_array *x = weir_array_new(WEIR_FLOAT32, &type->shape);
    for (size_t f = 0; f < frames; f++) {
        for (size_t i = 0; i < x->count; i++) weir_array_set(x, i, data[f * x->count + i]);
        assert_true(weir_executor_run(executor, (const weir_array *const *)&x));
        const weir_array *seen = weir_executor_value(executor, weir_node_input(g, weir_graph_find_node(g, name), 0));
        for (size_t i = 0; i < seen->count; i++)
            if (weir_array_get(seen, i) != expected[f * seen->count + i])
                fail_msg("%s: element %zu of frame %zu is %g, expected %g", name, i, f, weir_array_get(seen, i),
                         expected[f * seen->count + i]);
    }
    weir_array_free(x);
    weir_executor_free(executor);
}

static weir_graph *run_activation(weir_module *module, weir_graph *g, const char *activation) {
    char *pipeline = weir_format("graph(prune{activation=\"%s\",dummy_in=test_passes_prune.csv})", activation);
    weir_module_add_graph(module, g);
    if (!run_pipeline(module, pipeline)) fail_msg("%s: %s", activation, test_messages.data);
    free(pipeline);
    g = weir_module_find_graph(module, "model");
    assert_true(weir_graph_verify(g));
    return g;
}

/* Half of four in each frame: the two largest magnitudes stay, and what is as large as the smaller of them. Weights
 * have no masks. */
static void the_largest_of_a_frame_stay(void **state) {
    (void)state;
    static const double x[12] = {0.5, -2, 1, -0.25, 3, 2.5, 2, 1, 1, -1, 1, 0.5},
                        expected[12] = {0, -2, 1, 0, 3, 2.5, 0, 0, 1, -1, 1, 0};
    weir_module *module = weir_module_new("m");
    const weir_graph *g = run_activation(module, model(), "{sparsity: {fc1: 0.5}, method: l1-norm}");
    reads(g, "fc1", x, 3, expected);
    assert_int_equal(count_op(g, WEIR_OP_MASK), 1);
    weir_module_free(module);
}

/* Means of channels: 1.5 and 2 of the first frame, 4 and 3.5 of the second. */
static void channels_of_data_go_whole(void **state) {
    (void)state;
    static const double kernel[2] = {1, 1}, x[8] = {1, -2, 3, -1, 4, 4, -7, 0}, expected[8] = {0, 0, 3, -1, 4, 4, 0, 0};
    weir_module *module = weir_module_new("m");
    weir_graph *g = weir_graph_new("model");
    const weir_type type = {.dtype = WEIR_FLOAT32, .shape = {4, {1, 2, 1, 2}}, .quant = {.axis = -1}};
    weir_array *ones = weir_array_new(WEIR_FLOAT32, &(weir_shape){4, {1, 2, 1, 1}});
    for (size_t i = 0; i < 2; i++) weir_array_set(ones, i, kernel[i]);
    const weir_value in = weir_graph_add_input(g, "x", &type), weights = weir_graph_add_constant(g, "w", ones);
    weir_array_free(ones);
    weir_graph_add_output(g, "y", ADD(g, WEIR_OP_CONV, "conv", in, weights));
    g = run_activation(module, g, "{sparsity: 0.5, method: l1-norm, granularity: channel}");
    reads(g, "conv", x, 2, expected);
    weir_module_free(module);
}

/* fc1 reads 1 to 8 in two frames; with weights as below fc2 reads 10, 20, 50, 60. The sixth of these twelve, sorted,
 * is the last to go: from 7 on they stay. */
static void one_threshold_for_all(void **state) {
    (void)state;
    static const double ten[8] = {10, 0, 0, 0, 0, 10, 0, 0}, x[8] = {1, 2, -3, 4, 5, 6, 7, -8},
                        expected[8] = {0, 0, 0, 0, 0, 0, 7, -8}, sums[4] = {0, 0, 0, 0};
    weir_module *module = weir_module_new("m");
    weir_graph *g = weir_graph_new("model");
    FILE *file = fopen("test_passes_prune.csv", "w");
    assert_non_null(file);
    fputs("1,2,-3,4\n5,6,7,-8\n", file);
    fclose(file);
    const weir_value h =
        add_gemm(g, "fc1", add_real_input(g, "x", 1, 4), add_constant(g, "w", WEIR_FLOAT32, 2, 2, 4, ten));
    weir_graph_add_output(g, "y", ADD(g, WEIR_OP_MATMUL, "fc2", h, add_constant(g, "v", WEIR_FLOAT32, 2, 2, 2, v)));
    g = run_activation(module, g, "{sparsity: 0.5, method: l1-norm, scope: global}");
    reads(g, "fc1", x, 2, expected);
    reads(g, "fc2", x, 2, sums); /* of what fc1 now reads */
    const weir_array *threshold = weir_value_constant(g, weir_node_input(g, weir_graph_find_node(g, "fc2_stays"), 1));
    assert_true(weir_array_get(threshold, 0) == 7);
    weir_module_free(module);
}

/* One draw for all frames: two of four. Nothing, and everything. */
static void random_data_masks_are_constants(void **state) {
    (void)state;
    static const double x[4] = {1, 1, 1, 1}, none[4] = {0};
    weir_module *module = weir_module_new("m");
    weir_graph *g = run_activation(module, model(), "{sparsity: {fc1: 0.5}, method: random}");
    const weir_array *mask = weir_value_constant(g, weir_node_input(g, weir_graph_find_node(g, "fc1_data_mask"), 1));
    size_t kept = 0;
    for (size_t i = 0; i < mask->count; i++) kept += weir_array_get_int(mask, i) != 0;
    assert_int_equal(mask->count, 4);
    assert_int_equal(kept, 2);
    weir_module_free(module);
    module = weir_module_new("m");
    g = run_activation(module, model(), "{sparsity: 0, method: l1-norm}");
    assert_int_equal(count_op(g, WEIR_OP_MASK), 0);
    weir_module_free(module);
    module = weir_module_new("m");
    g = run_activation(module, model(), "{sparsity: 1, method: l1-norm}");
    reads(g, "fc1", x, 1, none);
    weir_module_free(module);
}

/* MASE's record of hooks and its measure see them. */
static void masks_of_data_are_seen(void **state) {
    (void)state;
    weir_module *module = weir_module_new("m");
    json_t *records;
    weir_module_add_graph(module, model());
    assert_true(run_recorded(module,
                             "graph(prune{weight=\"{sparsity: 0.25}\",activation=\"{sparsity: {fc1: 0.25}, method: "
                             "l1-norm}\"},add_pruning_metadata,hook_inspection)",
                             &records));
    const json_t *measured = json_object_get(json_array_get(records, 1), "info"),
                 *hooks = json_object_get(json_array_get(records, 2), "info");
    assert_true(json_real_value(json_object_get(json_object_get(measured, "fc1"), "activation_sparsity")) == 0.25);
    assert_true(json_real_value(json_object_get(json_object_get(measured, "fc1"), "weight_sparsity")) == 0.25);
    assert_string_equal(json_string_value(json_object_get(json_object_get(hooks, "fc1_0"), "mask")), "computed");
    assert_string_equal(json_string_value(json_object_get(json_object_get(hooks, "fc1_1"), "mask")), "constant");
    json_decref(records);
    weir_module_free(module);
}

/* --- what it brings --- */

/* Of w and v with 8 and 4 elements one of two channels between goes: half of the parameters and products. Labels are
 * what model() answers: of x, -x, ... alone in 0, 1, 3, 2 always class 1; without row 1 the second and the last have no
 * answer but the first class. */
static void the_summary_has_both_graphs(void **state) {
    (void)state;
    static const double x[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, -1, 0, 0, -1, 0};
    weir_archive data;
    weir_archive_init(&data);
    weir_array *frames = weir_array_new(WEIR_FLOAT32, &(weir_shape){2, {4, 4}}),
               *labels = weir_array_new(WEIR_INT64, &(weir_shape){1, {4}});
    for (size_t i = 0; i < 16; i++) weir_array_set(frames, i, x[i]);
    for (size_t i = 0; i < 4; i++) weir_array_set_int(labels, i, 1);
    weir_archive_add(&data, "x", frames);
    weir_archive_add(&data, "y", labels);
    assert_true(weir_npz_write("test_passes_prune.npz", &data));
    weir_archive_free(&data);
    weir_module *module = weir_module_new("m");
    weir_graph *before = model();
    weir_graph_set_name(before, "before");
    weir_module_add_graph(module, model());
    assert_true(run_pipeline(module,
                             "graph(prune{weight=\"{sparsity: 0.5, method: l1-norm, granularity: channel, coupled: "
                             "true}\"},remove_channels)"));
    weir_module_add_graph(module, before);
    json_t *records;
    if (!run_recorded(module, "summarize_pruning{original_graph=before,graph=model,data=test_passes_prune.npz}",
                      &records))
        fail_msg("%s", test_messages.data);
    const json_t *info = json_object_get(json_array_get(records, 0), "info");
    static const struct {
        const char *column;
        double accuracy;
        int parameters, masked, products;
    } expected[2] = {{"before", 100, 12, 0, 12}, {"after", 50, 6, 0, 6}};
    for (size_t i = 0; i < 2; i++) {
        const json_t *c = json_object_get(info, expected[i].column);
        assert_int_equal(json_integer_value(json_object_get(c, "parameters")), expected[i].parameters);
        assert_int_equal(json_integer_value(json_object_get(c, "masked")), expected[i].masked);
        assert_int_equal(json_integer_value(json_object_get(c, "products")), expected[i].products);
        assert_true(fabs(json_real_value(json_object_get(c, "float_accuracy")) - expected[i].accuracy) < 1e-9);
        assert_null(json_object_get(c, "luts"));
    }
    json_decref(records);
    /* masks alone remove nothing */
    assert_true(run_pipeline(module, "graph(prune_detach_hook,prune{weight=\"{sparsity: 0.5, method: l1-norm}\"})"));
    assert_true(run_recorded(module, "summarize_pruning{original_graph=before,graph=model}", &records));
    const json_t *after = json_object_get(json_object_get(json_array_get(records, 0), "info"), "after");
    assert_int_equal(json_integer_value(json_object_get(after, "parameters")), 6);
    assert_int_equal(json_integer_value(json_object_get(after, "masked")), 3);
    json_decref(records);
    assert_false(run_pipeline(module, "summarize_pruning{original_graph=befor}"));
    assert_non_null(strstr(test_messages.data, "before"));
    weir_module_free(module);
}

static void mistakes_are_refused(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"{sparsity: 1.5}", "a share from 0 to 1"},
        {"{sparsity: -0.1}", "a share from 0 to 1"},
        {"{sparsity: half}", "a share from 0 to 1"},
        {"{sparsity: {fc1: 2}}", "a share from 0 to 1"},
        {"{sparsity: {fc3: 0.5}}", "no layer that can be masked is called 'fc3'"},
        {"{sparsitty: 0.5}", "'weight' has no key 'sparsitty'"},
        {"{method: l2}", "random or l1-norm"},
        {"{scope: all}", "local or global"},
        {"{granularity: 3:2}", "N:M such as 2:4"},
        {"{granularity: 'block:0'}", "block:N"},
        {"{granularity: '2:4', sparsity: 0.9}", "none beside N:M"},
        {"{granularity: '2:4', scope: global}", "local, as N:M is"},
        {"{sparsity: {fc1: 0.5}, scope: global}", "one share where the scope is global"},
        {"{coupled: true}", "none but with granularity: channel"},
        {"{bias: true, granularity: '2:4'}", "none but with granularity: channel"},
        {"{coupled: 1, granularity: channel}", "true or false"},
        {"[0.5]", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_setup(NULL);
        weir_module *module = weir_module_new("m");
        char *pipeline = weir_format("graph(prune{weight=\"%s\"})", cases[i][0]);
        if (run(module, pipeline) != NULL) fail_msg("%s is taken", cases[i][0]);
        if (strstr(test_messages.data, cases[i][1]) == NULL) fail_msg("%s: %s", cases[i][0], test_messages.data);
        free(pipeline);
        weir_module_free(module);
    }
}

static void mistakes_about_data_are_refused(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"{sparsity: 1.5}", "prune: 'activation' has another 'sparsity' than expected: a share from 0 to 1"},
        {"{granularity: '2:4'}", "elementwise or channel"},
        {"{coupled: true, granularity: channel}", "none, as it is about weights"},
        {"{bias: true, granularity: channel}", "none, as it is about weights"},
        {"{scopes: local}", "'activation' has no key 'scopes'"},
        {"{sparsity: {fc: 0.5}}", "called 'fc'"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_setup(NULL);
        weir_module *module = weir_module_new("m");
        char *pipeline = weir_format("graph(prune{activation=\"%s\"})", cases[i][0]);
        if (run(module, pipeline) != NULL) fail_msg("%s is taken", cases[i][0]);
        if (strstr(test_messages.data, cases[i][1]) == NULL) fail_msg("%s: %s", cases[i][0], test_messages.data);
        free(pipeline);
        weir_module_free(module);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(least_magnitudes_go),
        TEST(defect_random_masks_have_the_share),
        TEST(defect_shares_and_granularities),
        TEST(defect_all_masks_are_detached),
        TEST(masks_are_nodes),
        TEST(coupled_channels_go_together),
        TEST(what_follows_loses_channels),
        TEST(layers_keep_a_channel),
        TEST(masks_add_up),
        TEST(quantized_weights_are_masked_before),
        TEST(the_largest_of_a_frame_stay),
        TEST(channels_of_data_go_whole),
        TEST(one_threshold_for_all),
        TEST(random_data_masks_are_constants),
        TEST(masks_of_data_are_seen),
        TEST(the_summary_has_both_graphs),
        TEST(mistakes_are_refused),
        TEST(mistakes_about_data_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
