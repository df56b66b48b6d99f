/* TVM's tests of its pass manager on the passes of this toolchain; case numbers are those of its list. Two rules of
 * this pass manager differ on purpose, so the passes that run differ from TVM's where a comment says so: type inference
 * is no part of a graph pass, and a requirement whose result holds is not run again. AlterOpLayout, which TVM's
 * pipelines end with and which does nothing there, has no counterpart. */
#include "test_passes_support.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "ir/graph/print.h"
#include "pass/run/instrument.h"
#include "test_pass_bench.h"

/* Makes every constant three times as large: TVM's CustomPipeline(multiplier). */
static bool custom_pipeline(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)context;
    uint32_t limit = weir_graph_value_limit(graph);
    weir_value factor = add_scalar(graph, "multiplier", WEIR_FLOAT32, weir_pass_real(pass, "multiplier"));
    for (uint32_t id = 1; id < limit; id++) {
        weir_value value = {id};
        if (!weir_value_exists(graph, value) || !weir_value_constant(graph, value)) continue;
        weir_node node = weir_graph_add_node(graph, WEIR_OP_MUL, "times", (weir_value[]){factor, WEIR_NO_VALUE}, 2, 1,
                                             weir_graph_first(graph));
        weir_value_replace(graph, value, weir_node_output(graph, node, 0));
        weir_node_set_input(graph, node, 1, value);
        if (!weir_infer_node(graph, node)) return false;
    }
    return true;
}

static const weir_pass_option custom_options[] = {{"multiplier", WEIR_PASS_REAL, "1", NULL, "factor of every constant"},
                                                  {.name = NULL}};
static const weir_pass_info custom = {.name = "custom_pipeline",
                                      .kind = WEIR_PASS_GRAPH,
                                      .level = 1,
                                      .promise = WEIR_PASS_CHANGES,
                                      .options = custom_options,
                                      .run = {.graph = custom_pipeline}};

/* --- running --- */
typedef struct fixture {
    pass_bench bench;
    weir_graph *graph;
    weir_text ran; /* names of passes, as the recorder saw them */
    weir_pass_instrument recorder;
} fixture;

static bool record(weir_pass_instrument *instrument, const weir_pass_site *site) {
    weir_text_format(instrument->user, "%s ", weir_pass_name(site->pass));
    return true;
}

static void start(fixture *f, weir_graph *graph) {
    *f = (fixture){.bench = pass_bench_of_weir(module_of_graph(graph)), .graph = graph};
    assert_true(weir_pass_registry_add(f->bench.registry, &custom));
    f->recorder = (weir_pass_instrument){.name = "recorder", .user = &f->ran, .before_pass = record};
    weir_pass_context_add_instrument(f->bench.context, &f->recorder);
    weir_text_add(&f->ran, "");
}

static void finish(fixture *f) {
    weir_module_free(f->bench.module);
    pass_bench_stop(&f->bench);
    weir_text_free(&f->ran);
}

static void run(fixture *f, const char *pipeline) {
    weir_text_free(&f->ran);
    weir_text_add(&f->ran, "");
    if (!pass_bench_run(&f->bench, pipeline)) fail_msg("%s", test_messages.data);
    assert_true(weir_graph_verify(f->graph));
}

/* --- graphs --- */
static weir_value add_input(weir_graph *graph, const char *name, weir_shape shape) {
    weir_type type = {.dtype = WEIR_FLOAT32, .shape = shape, .quant = {.axis = -1}};
    return weir_graph_add_input(graph, name, &type);
}

static weir_value add_ones(weir_graph *graph, const char *name, weir_shape shape) {
    weir_array *array = weir_array_new(WEIR_FLOAT32, &shape);
    for (size_t i = 0; i < array->count; i++) weir_array_set(array, i, 1);
    weir_value value = weir_graph_add_constant(graph, name, array);
    weir_array_free(array);
    return value;
}

/* y = (c + c) * 2; y = start + y; z = y + c; z1 = y + c; z + z1, the pattern of cases 7, 11 and 14. */
static void add_pattern(weir_graph *graph, weir_value first, weir_value c) {
    weir_value two = add_scalar(graph, "two", WEIR_FLOAT32, 2);
    weir_value y = ADD(graph, WEIR_OP_MUL, "twice", ADD(graph, WEIR_OP_ADD, "cc", c, c), two);
    y = ADD(graph, WEIR_OP_ADD, "y", first, y);
    weir_value z = ADD(graph, WEIR_OP_ADD, "z", y, c), z1 = ADD(graph, WEIR_OP_ADD, "z1", y, c);
    weir_graph_add_output(graph, "out", ADD(graph, WEIR_OP_ADD, "z2", z, z1));
}

static weir_graph *pattern_graph(void) {
    weir_graph *graph = weir_graph_new("main");
    weir_shape shape = {3, {1, 2, 3}};
    weir_value x = add_input(graph, "x", shape);
    add_pattern(graph, x, add_ones(graph, "c", shape));
    return graph;
}

/* The tutorial's: a convolution in front of the pattern. */
static weir_graph *tutorial_graph(void) {
    weir_graph *graph = weir_graph_new("main");
    weir_value x = add_input(graph, "x", (weir_shape){4, {1, 64, 56, 56}});
    weir_value w = add_input(graph, "weight", (weir_shape){4, {64, 64, 3, 3}});
    weir_value c = add_ones(graph, "c", (weir_shape){4, {1, 64, 54, 54}});
    add_pattern(graph, ADD(graph, WEIR_OP_CONV, "conv", x, w), c);
    return graph;
}

static weir_value operand(const weir_graph *graph, const char *node, size_t index) {
    weir_node found = weir_graph_find_node(graph, node);
    assert_true(found.id != 0);
    return weir_node_input(graph, found, index);
}

/* --- cases --- */
static void case_2_passes_are_named_after_their_functions(void **state) {
    (void)state;
    static const char *const names[][2] = {
#define WEIR_PASS(kind, id, name, ...) {#id, name},
#include "passes/pass.def"
#undef WEIR_PASS
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) assert_string_equal(names[i][0], names[i][1]);
}

static void case_7_sequence_in_a_scope(void **state) {
    (void)state;
    fixture f;
    start(&f, pattern_graph());
    assert_true(weir_pass_context_set_level(f.bench.context, 3));
    assert_true(weir_pass_context_enter(f.bench.context));
    run(&f, "infer_type,fold_constant,eliminate_common_subexpr");
    assert_true(weir_pass_context_exit(f.bench.context));
    assert_string_equal(f.ran.data, "pipeline infer_type fold_constant eliminate_common_subexpr ");
    assert_int_equal(count_op(f.graph, WEIR_OP_MUL), 0);
    assert_int_equal(count_op(f.graph, WEIR_OP_ADD), 3);
    const weir_array *folded = weir_value_constant(f.graph, operand(f.graph, "y", 1));
    assert_non_null(folded);
    for (size_t i = 0; i < 6; i++) assert_true(weir_array_get(folded, i) == 4); /* (1 + 1) * 2 */
    assert_int_equal(operand(f.graph, "z2", 0).id, operand(f.graph, "z2", 1).id);
    finish(&f);
}

/* What `run` writes to stderr; heap memory. */
static char *run_and_listen(fixture *f, const char *pipeline) {
    FILE *file = tmpfile();
    fflush(stderr);
    int kept = dup(STDERR_FILENO);
    assert_true(file && kept >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    run(f, pipeline);
    fflush(stderr);
    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    close(kept);
    long size = ftell(file) > 0 ? ftell(file) : lseek(fileno(file), 0, SEEK_END);
    rewind(file);
    char *text = calloc(1, (size_t)size + 1);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    fclose(file);
    return text;
}

static void case_9_print_ir(void **state) {
    (void)state;
    fixture f;
    start(&f, pattern_graph());
    weir_text before = {0}, after = {0}, wanted = {0};
    weir_graph_print(f.graph, &before);
    char *said = run_and_listen(&f, "print_ir{header=\"before all\"}");
    weir_graph_print(f.graph, &after);
    weir_text_format(&wanted, "print_ir(before all):\n%s", before.data);
    assert_string_equal(said, wanted.data);
    assert_non_null(strstr(said, "Mul("));
    assert_string_equal(before.data, after.data);
    free(said);
    weir_text_free(&wanted);
    weir_text_free(&before);
    weir_text_free(&after);
    finish(&f);
}

static bool count_enter(weir_pass_instrument *instrument, weir_pass_context *context) {
    (void)context;
    *(int *)instrument->user = 0;
    return true;
}

static bool count_before(weir_pass_instrument *instrument, const weir_pass_site *site) {
    (void)site;
    ++*(int *)instrument->user;
    return true;
}

/* TVM counts 6: its graph passes end with InferType, and DeadCodeElimination runs its required InferType again. */
static void case_10_counter(void **state) {
    (void)state;
    fixture f;
    int count = 7;
    weir_pass_instrument counter = {
        .name = "counter", .user = &count, .enter_context = count_enter, .exit_context = count_enter};
    counter.before_pass = count_before;
    start(&f, pattern_graph());
    weir_pass_context_add_instrument(f.bench.context, &counter);
    assert_true(weir_pass_context_enter(f.bench.context));
    assert_int_equal(count, 0);
    run(&f, "infer_type,fold_constant,dead_code_elimination");
    assert_string_equal(f.ran.data, "pipeline infer_type fold_constant dead_code_elimination ");
    assert_int_equal(count, 4);
    assert_true(weir_pass_context_exit(f.bench.context));
    assert_int_equal(count, 0);
    finish(&f);
}

/* The default level leaves eliminate_common_subexpr out, level 3 runs it, disabling it wins over the level. */
static void case_11_levels_of_the_tutorial(void **state) {
    (void)state;
    static const struct {
        int level;
        const char *disabled;
        size_t additions; /* y, z, z2, and z1 unless it is merged with z */
    } cases[] = {{2, "", 4}, {3, "", 3}, {3, "eliminate_common_subexpr", 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        start(&f, tutorial_graph());
        weir_pass_context_set_level(f.bench.context, cases[i].level);
        assert_true(weir_pass_context_disable(f.bench.context, cases[i].disabled));
        run(&f, "fold_constant,eliminate_common_subexpr");
        assert_int_equal(count_op(f.graph, WEIR_OP_ADD), cases[i].additions);
        assert_int_equal(count_op(f.graph, WEIR_OP_MUL), 0);
        assert_int_equal(count_op(f.graph, WEIR_OP_CONV), 1);
        finish(&f);
    }
}

/* As published: one function with the convolution and the three additions, or at level 0 one function a node. */
static void case_11_fusion(void **state) {
    (void)state;
    static const struct {
        const char *pipeline;
        uint32_t group[4];
    } cases[] = {{"fuse_ops{fuse_opt_level=0}", {1, 2, 3, 4}}, {"fuse_ops{fuse_opt_level=2}", {1, 1, 1, 1}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        start(&f, tutorial_graph());
        weir_pass_context_set_level(f.bench.context, 3);
        run(&f, "fold_constant,eliminate_common_subexpr");
        run(&f, cases[i].pipeline);
        static const char *const nodes[] = {"conv", "y", "z", "z2"};
        assert_int_equal(weir_graph_node_count(f.graph), 4);
        for (size_t k = 0; k < 4; k++) {
            weir_node node = weir_graph_find_node(f.graph, nodes[k]);
            assert_int_equal(weir_node_metadata_of(f.graph, node)->common.group, cases[i].group[k]);
        }
        finish(&f);
    }
}

static void case_11_a_pass_with_parameters(void **state) {
    (void)state;
    fixture f;
    start(&f, pattern_graph());
    weir_pass *pass = weir_pass_new(f.bench.registry, "custom_pipeline");
    assert_string_equal(weir_pass_name(pass), "custom_pipeline");
    weir_pass_free(pass);
    run(&f, "custom_pipeline{multiplier=3}");
    assert_int_equal(count_op(f.graph, WEIR_OP_MUL), 3); /* 3 * c, 3 * two, and the graph's own */
    for (weir_node node = weir_graph_first(f.graph); node.id != 0; node = weir_node_next(f.graph, node)) {
        bool multiplies = weir_value_constant(f.graph, weir_node_input(f.graph, node, 0)) != NULL;
        assert_int_equal(multiplies, strncmp(weir_node_name(f.graph, node), "times", 5) == 0);
        assert_true(multiplies || weir_value_constant(f.graph, weir_node_input(f.graph, node, 1)) == NULL);
        if (multiplies) {
            const weir_array *factor = weir_value_constant(f.graph, weir_node_input(f.graph, node, 0));
            assert_true(weir_array_get(factor, 0) == 3 && factor->count == 1);
        }
    }
    finish(&f);
}

/* TVM's list: sequential, FoldConstant, InferType, PrintIR, InferType, EliminateCommonSubexpr, InferType, InferType,
 * FuseOps, InferType. Here InferType runs when it is first required, and its result holds from then on. */
static void case_11_recorder(void **state) {
    (void)state;
    fixture f;
    start(&f, pattern_graph());
    weir_pass_context_set_level(f.bench.context, 3);
    free(run_and_listen(&f, "fold_constant,print_ir,eliminate_common_subexpr,fuse_ops"));
    assert_string_equal(f.ran.data, "pipeline fold_constant print_ir infer_type eliminate_common_subexpr fuse_ops ");
    finish(&f);
}

/* A dead node goes and the two equal additions become one; TVM's let binds the constant to a name that nobody uses. */
static void case_14_dead_code_and_common_subexpressions(void **state) {
    (void)state;
    weir_graph *graph = weir_graph_new("main"), *expected = weir_graph_new("main");
    weir_shape shape = {3, {1, 2, 3}};
    weir_value x = add_input(graph, "x", shape), c = add_ones(graph, "c", shape);
    ADD(graph, WEIR_OP_IDENTITY, "dead", c);
    weir_value y = ADD(graph, WEIR_OP_ADD, "y", x, ADD(graph, WEIR_OP_ADD, "cc", c, c));
    weir_value z = ADD(graph, WEIR_OP_ADD, "z", y, c), z1 = ADD(graph, WEIR_OP_ADD, "z1", y, c);
    weir_graph_add_output(graph, "out", ADD(graph, WEIR_OP_ADD, "z2", z, z1));
    x = add_input(expected, "x", shape), c = add_ones(expected, "c", shape);
    y = ADD(expected, WEIR_OP_ADD, "y", x, ADD(expected, WEIR_OP_ADD, "cc", c, c));
    z = ADD(expected, WEIR_OP_ADD, "z", y, c);
    weir_graph_add_output(expected, "out", ADD(expected, WEIR_OP_ADD, "z2", z, z));
    fixture f;
    start(&f, graph);
    weir_pass_context_set_level(f.bench.context, 3);
    run(&f, "infer_type,dead_code_elimination,eliminate_common_subexpr");
    weir_text found = {0}, wanted = {0};
    weir_graph_print(f.graph, &found);
    weir_graph_print(expected, &wanted);
    assert_string_equal(found.data, wanted.data);
    weir_text_free(&found);
    weir_text_free(&wanted);
    weir_graph_free(expected);
    finish(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(case_2_passes_are_named_after_their_functions),
        TEST(case_7_sequence_in_a_scope),
        TEST(case_9_print_ir),
        TEST(case_10_counter),
        TEST(case_11_levels_of_the_tutorial),
        TEST(case_11_fusion),
        TEST(case_11_a_pass_with_parameters),
        TEST(case_11_recorder),
        TEST(case_14_dead_code_and_common_subexpressions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
