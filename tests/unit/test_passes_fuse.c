/* fuse_ops: sizes of groups under its limits. tests/pass/fuse_ops has the shapes of groups. */
#include "test_passes_support.h"

#include "passes/graph/dominator.h"
#include "test_pass_bench.h"

/* Runs fuse_ops with these options; `configuration` is "key=value" or NULL. */
static void fuse(weir_module *module, const char *pipeline, const char *configuration) {
    pass_bench b = pass_bench_of_weir(module);
    if (configuration != NULL) assert_true(weir_pass_config_set(b.context, "fuse_ops.max_depth", configuration));
    assert_true(pass_bench_run(&b, pipeline));
    pass_bench_stop(&b);
}

enum { GROUPS = 400 };

/* Nodes of each group, by number; the graph is freed. */
static void sizes_of(weir_graph *graph, const char *pipeline, const char *configuration, size_t sizes[GROUPS]) {
    weir_module *module = weir_module_new("m");
    weir_module_add_graph(module, graph);
    fuse(module, pipeline, configuration);
    memset(sizes, 0, GROUPS * sizeof *sizes);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        const uint32_t group = weir_node_metadata_of(graph, node)->common.group;
        assert_in_range(group, 1, GROUPS - 1);
        sizes[group]++;
    }
    weir_module_free(module);
}

static weir_graph *chain(size_t length) {
    weir_graph *graph = weir_graph_new("chain");
    weir_value x = add_real_input(graph, "x", 10, 20);
    for (size_t i = 0; i < length; i++) x = ADD(graph, WEIR_OP_RELU, "n", x);
    weir_graph_add_output(graph, "y", x);
    return graph;
}

static void depth_is_limited(void **state) {
    (void)state;
    size_t sizes[GROUPS];
    sizes_of(chain(300), "fuse_ops", NULL, sizes);
    assert_int_equal(sizes[1], 256);
    assert_int_equal(sizes[2], 44);
    sizes_of(chain(20), "fuse_ops", "10", sizes);
    assert_int_equal(sizes[1], 10);
    assert_int_equal(sizes[2], 10);
    sizes_of(chain(20), "fuse_ops{max_depth=19}", "10", sizes); /* the option beats the configuration */
    assert_int_equal(sizes[1], 19);
    assert_int_equal(sizes[2], 1);
    sizes_of(chain(256), "fuse_ops", NULL, sizes);
    assert_int_equal(sizes[1], 256);
}

static void level_0_fuses_nothing(void **state) {
    (void)state;
    size_t sizes[GROUPS];
    sizes_of(chain(300), "fuse_ops{fuse_opt_level=0}", NULL, sizes);
    for (size_t i = 1; i <= 300; i++) assert_int_equal(sizes[i], 1);
    sizes_of(chain(5), "fuse_ops{fuse_opt_level=1}", NULL, sizes);
    assert_int_equal(sizes[1], 5);
}

/* Two branches of `length` and a sum, one diamond behind the other. */
static weir_graph *diamonds(size_t count, size_t length) {
    weir_graph *graph = weir_graph_new("diamonds");
    weir_value x = add_real_input(graph, "x", 10, 20);
    for (size_t i = 0; i < count; i++) {
        weir_value a = x, b = x;
        for (size_t k = 0; k < length; k++) {
            a = ADD(graph, WEIR_OP_RELU, "a", a);
            b = ADD(graph, WEIR_OP_RELU, "b", b);
        }
        x = ADD(graph, WEIR_OP_ADD, "sum", a, b);
    }
    weir_graph_add_output(graph, "y", x);
    return graph;
}

static void depth_counts_all_branches(void **state) {
    (void)state;
    size_t sizes[GROUPS];
    sizes_of(diamonds(3, 5), "fuse_ops", "11", sizes);
    for (size_t i = 1; i <= 3; i++) assert_int_equal(sizes[i], 11);
    assert_int_equal(sizes[4], 0);
    sizes_of(diamonds(3, 5), "fuse_ops", NULL, sizes);
    assert_int_equal(sizes[1], 33);
    sizes_of(diamonds(1, 5), "fuse_ops", "10", sizes); /* one branch and not the other */
    assert_int_equal(sizes[1] + sizes[2], 11);
    assert_int_equal(sizes[3], 0);
}

/* x0 + x1 + ... + xn, each a tensor of its own; with scalars between that do not count. */
static weir_graph *sum_of(size_t inputs, bool scalars) {
    weir_graph *graph = weir_graph_new("sum");
    weir_value x = add_real_input(graph, "x", 10, 20);
    for (size_t i = 1; i < inputs; i++) {
        x = ADD(graph, WEIR_OP_ADD, "n", x, add_real_input(graph, "x", 10, 20));
        if (scalars) x = ADD(graph, WEIR_OP_ADD, "m", x, add_scalar(graph, "c", WEIR_FLOAT32, 1));
    }
    weir_graph_add_output(graph, "y", x);
    return graph;
}

static void arguments_are_limited(void **state) {
    (void)state;
    size_t sizes[GROUPS];
    /* 5 tensors: 4 enter, 1 leaves, so 3 sums of 10 and then 3 more (the result before enters). */
    sizes_of(sum_of(10, false), "fuse_ops{max_args=5}", NULL, sizes);
    for (size_t i = 1; i <= 3; i++) assert_int_equal(sizes[i], 3);
    assert_int_equal(sizes[4], 0);
    sizes_of(sum_of(10, true), "fuse_ops{max_args=5}", NULL, sizes);
    for (size_t i = 1; i <= 3; i++) assert_int_equal(sizes[i], 6);
    sizes_of(sum_of(10, false), "fuse_ops{max_args=11}", NULL, sizes);
    assert_int_equal(sizes[1], 9);
    sizes_of(sum_of(10, false), "fuse_ops{max_args=10}", NULL, sizes);
    assert_int_equal(sizes[1], 8);
    sizes_of(sum_of(10, false), "fuse_ops", NULL, sizes);
    assert_int_equal(sizes[1], 9);
    /* What all sums take enters once. */
    weir_graph *graph = weir_graph_new("same");
    weir_value x = add_real_input(graph, "x", 10, 20), y = x;
    for (size_t i = 0; i < 50; i++) y = ADD(graph, WEIR_OP_ADD, "n", y, x);
    weir_graph_add_output(graph, "y", y);
    sizes_of(graph, "fuse_ops{max_args=2}", NULL, sizes);
    assert_int_equal(sizes[1], 50);
}

/* Every node takes the one before and one far back: paths to common ancestors are long. */
static void ancestors_are_found_fast(void **state) {
    (void)state;
    enum { NODES = 20000 };
    weir_graph *graph = weir_graph_new("far");
    weir_value x = add_real_input(graph, "x", 2, 2), *made = weir_calloc(NODES, sizeof *made);
    for (size_t i = 0; i < NODES; i++) {
        x = made[i] = ADD(graph, WEIR_OP_ADD, "n", x, i < 2 ? x : made[(size_t)random_int(0, (int64_t)i / 2)]);
    }
    weir_graph_add_output(graph, "y", x);
    weir_module *module = weir_module_new("m");
    weir_module_add_graph(module, graph);
    fuse(module, "fuse_ops", NULL);
    assert_int_not_equal(weir_node_metadata_of(graph, weir_graph_last(graph))->common.group, 0);
    weir_module_free(module);
    free(made);
}

/* Sums and transposes of earlier values; some results are outputs, some are dead. */
static weir_graph *random_graph(size_t nodes) {
    weir_graph *graph = weir_graph_new("random");
    weir_value made[64] = {add_real_input(graph, "x", 2, 2)};
    for (size_t i = 1; i <= nodes; i++) {
        const weir_value a = made[random_int(i < 4 ? 0 : (int64_t)i - 4, (int64_t)i - 1)];
        const weir_value b = made[random_int(0, (int64_t)i - 1)];
        const int64_t kind = random_int(0, 3);
        if (kind == 0) made[i] = ADD(graph, WEIR_OP_TRANSPOSE, "n", a);
        else if (kind == 1) made[i] = ADD(graph, WEIR_OP_MATMUL, "n", a, b);
        else made[i] = ADD(graph, WEIR_OP_ADD, "n", a, b);
        if (random_int(0, 7) == 0) weir_graph_add_output(graph, "y", made[i]);
    }
    weir_graph_add_output(graph, "y", made[nodes]);
    return graph;
}

/* Can a path out, or into a dead end, be found from `v` without passing `without`? */
static bool escapes(const weir_fusion_graph *fusion, uint32_t v, uint32_t without) {
    if (v == without) return false;
    const weir_fusion_vertex *vertex = &fusion->vertex[v];
    if (vertex->is_leaving || vertex->first_edge == vertex[1].first_edge) return true;
    for (uint32_t i = vertex->first_edge; i < vertex[1].first_edge; i++)
        if (escapes(fusion, fusion->edge[i].to, without)) return true;
    return false;
}

/* The strictest pattern of an edge on any path from `v` to `to`. */
static weir_fusion_pattern strictest(const weir_fusion_graph *fusion, uint32_t v, uint32_t to) {
    weir_fusion_pattern found = WEIR_PATTERN_ELEMWISE;
    for (uint32_t i = fusion->vertex[v].first_edge; v != to && i < fusion->vertex[v + 1].first_edge; i++) {
        const weir_fusion_pattern rest = strictest(fusion, fusion->edge[i].to, to);
        if (fusion->edge[i].pattern > found) found = fusion->edge[i].pattern;
        if (rest > found) found = rest;
    }
    return found;
}

/* Post-dominators by their definition: the nearest vertex that every path out passes. */
static void tree_is_that_of_the_definition(void **state) {
    (void)state;
    for (int round = 0; round < 200; round++) {
        weir_graph *graph = random_graph(14);
        bool *is_stopped = weir_calloc(weir_graph_node_limit(graph), sizeof *is_stopped);
        weir_fusion_graph fusion;
        weir_fusion_graph_init(&fusion, graph, is_stopped);
        for (uint32_t v = 0; v < fusion.count; v++) {
            uint32_t parent = v + 1;
            while (parent < fusion.count && escapes(&fusion, v, parent)) parent++;
            if (parent == fusion.count || fusion.vertex[v].is_leaving) parent = WEIR_NO_VERTEX;
            assert_int_equal(fusion.vertex[v].parent, parent);
            if (parent != WEIR_NO_VERTEX)
                assert_int_equal(fusion.vertex[v].parent_pattern, strictest(&fusion, v, parent));
        }
        weir_fusion_graph_free(&fusion);
        free(is_stopped);
        weir_graph_free(graph);
    }
}

/* A group has one node whose results are used outside, at most `most` nodes and at most one product. */
static void check_groups(const weir_graph *graph, size_t most) {
    size_t exits[GROUPS] = {0}, nodes[GROUPS] = {0}, products[GROUPS] = {0};
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        const weir_value value = weir_node_output(graph, node, 0);
        const uint32_t group = weir_node_metadata_of(graph, node)->common.group;
        bool leaves = weir_value_is_output(graph, value) || weir_value_use_count(graph, value) == 0;
        for (size_t i = 0; i < weir_value_use_count(graph, value); i++) {
            const weir_node user = weir_value_use(graph, value, i).node;
            leaves = leaves || weir_node_metadata_of(graph, user)->common.group != group;
        }
        assert_in_range(group, 1, GROUPS - 1);
        exits[group] += leaves;
        nodes[group]++;
        products[group] += weir_node_op(graph, node) == WEIR_OP_MATMUL;
    }
    for (size_t group = 1; group < GROUPS; group++) {
        if (nodes[group] > 0) assert_int_equal(exits[group], 1);
        assert_in_range(nodes[group], 0, most);
        assert_in_range(products[group], 0, 1);
    }
}

static void groups_are_groups(void **state) {
    (void)state;
    for (int round = 0; round < 200; round++) {
        weir_graph *graph = random_graph(60);
        weir_module *module = weir_module_new("m");
        weir_module_add_graph(module, graph);
        fuse(module, "fuse_ops", round % 2 == 0 ? "6" : NULL);
        check_groups(graph, round % 2 == 0 ? 6 : 256);
        weir_module_free(module);
    }
}

/* TVM's classes of the same operators (the TOpPattern of its registrations). */
static void operators_have_tvms_patterns(void **state) {
    (void)state;
    assert_int_equal(weir_fusion_pattern_of(WEIR_OP_RELU), WEIR_PATTERN_ELEMWISE);
    assert_int_equal(weir_fusion_pattern_of(WEIR_OP_ADD), WEIR_PATTERN_BROADCAST);
    assert_int_equal(weir_fusion_pattern_of(WEIR_OP_TRANSPOSE), WEIR_PATTERN_INJECTIVE);
    assert_int_equal(weir_fusion_pattern_of(WEIR_OP_REDUCE_SUM), WEIR_PATTERN_REDUCE);
    assert_int_equal(weir_fusion_pattern_of(WEIR_OP_GEMM), WEIR_PATTERN_OUT_ELEMWISE);
    for (int op = WEIR_OP_NONE + 1; op < WEIR_OP_COUNT; op++) {
        if (weir_op_get((weir_op)op)->class == WEIR_CLASS_STREAM)
            assert_int_equal(weir_fusion_pattern_of((weir_op)op), WEIR_PATTERN_OPAQUE);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(depth_is_limited),          TEST(level_0_fuses_nothing),
                                       TEST(depth_counts_all_branches), TEST(arguments_are_limited),
                                       TEST(ancestors_are_found_fast),  TEST(tree_is_that_of_the_definition),
                                       TEST(groups_are_groups),         TEST(operators_have_tvms_patterns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
