/* Modules (graphs, properties, side data) and analyses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/messages.h"
#include "ir/graph/graph.h"
#include "pass/core/context.h"
#include "pass/core/registry.h"
#include "test_pass_bench.h"

static weir_text messages;

static int setup(void **state) {
    (void)state;
    weir_diag_set_handler(keep_message, &messages);
    weir_text_add(&messages, "");
    return 0;
}

static int teardown(void **state) {
    (void)state;
    weir_text_free(&messages);
    weir_diag_set_handler(NULL, NULL);
    return 0;
}

/* --- modules --- */
static void graphs(void **state) {
    (void)state;
    weir_module *module = weir_module_new("m");
    assert_string_equal(weir_module_name(module), "m");
    static const char *const names[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++) {
        weir_module_add_graph(module, weir_graph_new(names[i]));
    }
    uint32_t c = weir_module_graph_id(module, 2);
    weir_graph *b = weir_module_remove_graph(module, 1);
    assert_string_equal(weir_graph_name(b), "b");
    assert_int_equal(weir_module_graph_count(module), 2);
    assert_int_equal(weir_module_graph_id(module, 1), c);
    assert_null(weir_module_find_graph(module, "b"));
    weir_module_add_graph(module, b);
    assert_int_not_equal(weir_module_graph_id(module, 2), weir_module_graph_id(module, 0));
    assert_true(weir_module_graph_id(module, 2) > c);
    weir_module_replace_graph(module, 0, weir_graph_new("d"));
    assert_null(weir_module_find_graph(module, "a"));
    assert_ptr_equal(weir_module_find_graph(module, "d"), weir_module_graph(module, 0));
    weir_module_replace_graph(module, 0, weir_module_graph(module, 0)); /* itself: nothing happens */
    assert_string_equal(weir_module_folder(module), ".");
    weir_module_set_folder(module, "out/a");
    weir_module_set_folder(module, weir_module_folder(module));
    assert_string_equal(weir_module_folder(module), "out/a");
    weir_module_free(module);
    weir_module_free(NULL);
}

static void properties(void **state) {
    (void)state;
    weir_module *module = weir_module_new("m");
    weir_module_set_int(module, "target.interval", INT64_MIN);
    weir_module_set_real(module, "clock", 12.5);
    weir_module_set_bool(module, "debug", true);
    weir_module_set_string(module, "board", "ulx3s");
    weir_module_set_string(module, "board", weir_module_string(module, "board", ""));
    assert_true(weir_module_int(module, "target.interval", 0) == INT64_MIN);
    assert_true(weir_module_real(module, "clock", 0) == 12.5);
    assert_true(weir_module_bool(module, "debug", false));
    assert_string_equal(weir_module_string(module, "board", ""), "ulx3s");
    assert_int_equal(weir_module_int(module, "clock", 7), 7); /* another kind */
    assert_true(weir_module_real(module, "absent", 0.25) == 0.25);
    assert_null(weir_module_string(module, "debug", NULL));
    weir_module_set_int(module, "board", 3); /* replaced by another kind */
    assert_true(weir_module_real(module, "board", 0) == 3);
    weir_module_set_string(module, "note", "a \"b\"");
    weir_text text = {0};
    weir_module_print_properties(module, &text);
    assert_string_equal(text.data, "board = 3\nclock = 12.5\ndebug = true\nnote = \"a \\\"b\\\"\"\n"
                                   "target.interval = -9223372036854775808\n");
    weir_text_free(&text);
    weir_module_free(module);
}

static int released;

static void properties_as_json(void **state) {
    (void)state;
    weir_module *module = weir_module_new("m"), *other = weir_module_new("n");
    weir_module_set_bool(module, "b", true);
    weir_module_set_int(module, "i", INT64_MIN);
    weir_module_set_real(module, "r", 2.0);
    weir_module_set_string(module, "s", "text");
    json_t *json = weir_module_properties(module);
    char *text = json_dumps(json, JSON_COMPACT);
    assert_string_equal(text, "{\"b\":true,\"i\":-9223372036854775808,\"r\":2.0,\"s\":\"text\"}");
    json_object_set_new(json, "left out", json_array());
    weir_module_set_properties(other, json);
    json_t *again = weir_module_properties(other);
    json_object_del(json, "left out");
    assert_true(json_equal(json, again));
    assert_true(weir_module_is_plain(other));
    weir_module_set_data(other, "d", text, NULL);
    assert_false(weir_module_is_plain(other));
    free(text);
    json_decref(json);
    json_decref(again);
    weir_module_free(module);
    weir_module_free(other);
}

static void count_release(void *data) { released += *(int *)data; }

static void side_data(void **state) {
    (void)state;
    int one = 1, ten = 10, hundred = 100;
    released = 0;
    weir_module *module = weir_module_new("m");
    assert_null(weir_module_data(module, "schedule"));
    weir_module_set_data(module, "schedule", &one, count_release);
    weir_module_set_data(module, "kept", &hundred, NULL);
    assert_ptr_equal(weir_module_data(module, "schedule"), &one);
    weir_module_set_data(module, "schedule", &one, count_release); /* the same object stays */
    assert_int_equal(released, 0);
    weir_module_set_data(module, "schedule", &ten, count_release);
    assert_int_equal(released, 1);
    weir_module_set_data(module, "schedule", NULL, NULL);
    assert_int_equal(released, 11);
    assert_null(weir_module_data(module, "schedule"));
    weir_module_set_data(module, "schedule", NULL, NULL);
    weir_module_set_data(module, "schedule", &one, count_release);
    weir_module_free(module);
    assert_int_equal(released, 12);
}

static int designs_released;

static void release_design(weir_rtl_design *design) {
    (void)design;
    designs_released++;
}

static void design_is_owned(void **state) {
    (void)state;
    static const weir_module_design_calls calls = {.release = release_design};
    int a, b;
    designs_released = 0;
    weir_module *module = weir_module_new("m");
    assert_null(weir_module_design(module));
    assert_non_null(weir_module_design_functions(module));
    weir_module_set_design(module, (weir_rtl_design *)&a, &calls);
    weir_module_set_design(module, (weir_rtl_design *)&b, &calls);
    assert_int_equal(designs_released, 1);
    weir_module_free(module);
    assert_int_equal(designs_released, 2);
}

/* --- analyses: each compute and release is counted --- */
static int computed, freed;

static void *count_nodes(weir_pass_context *context, weir_graph *graph) {
    (void)context;
    computed++;
    size_t *count = malloc(sizeof *count);
    *count = weir_graph_node_count(graph);
    return count;
}

static void free_count(void *result) {
    freed++;
    free(result);
}

/* Asks for the analysis of every graph. */
static void *sum_nodes(weir_pass_context *context, weir_module *module) {
    computed += 100;
    size_t *sum = calloc(1, sizeof *sum);
    for (size_t i = 0; i < weir_module_graph_count(module); i++) {
        *sum += *(const size_t *)weir_pass_get_graph_analysis(context, "nodes", weir_module_graph(module, i));
    }
    return sum;
}

static void *circular(weir_pass_context *context, weir_graph *graph) {
    (void)graph;
    return (void *)(uintptr_t)weir_pass_get_analysis(context, "circular");
}

static void *wires(weir_pass_context *context, weir_rtl_design *design) {
    (void)context;
    computed += 10000;
    return design;
}

static const weir_pass_analysis analyses[] = {
    {.name = "nodes", .kind = WEIR_PASS_GRAPH, .compute = {.graph = count_nodes}, .release = free_count},
    {.name = "all-nodes", .kind = WEIR_PASS_MODULE, .compute = {.module = sum_nodes}, .release = free_count},
    {.name = "circular", .kind = WEIR_PASS_GRAPH, .compute = {.graph = circular}},
    {.name = "wires", .kind = WEIR_PASS_HARDWARE, .compute = {.hardware = wires}},
};

static bool ask(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    const size_t *count = weir_pass_get_analysis(context, "nodes");
    return count && *count == weir_graph_node_count(graph);
}

static bool ask_all(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    (void)graph;
    return weir_pass_get_analysis(context, "all-nodes") != NULL;
}

static bool ask_wires(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    (void)graph;
    return weir_pass_get_analysis(context, "wires") != NULL;
}

static bool ask_wrong(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    (void)pass;
    weir_graph *stranger = weir_graph_new("stranger");
    bool any = weir_pass_get_analysis(context, "node") || weir_pass_get_analysis(context, "nodes") ||
               weir_pass_get_graph_analysis(context, "nodes", stranger) ||
               weir_pass_get_graph_analysis(context, "all-nodes", weir_module_graph(module, 0)) ||
               weir_pass_get_analysis(context, "wires");
    weir_graph_free(stranger);
    return any;
}

static bool ask_circular(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    (void)graph;
    return weir_pass_get_analysis(context, "circular") != NULL;
}

static bool replace(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    weir_pass_replace_graph(context, weir_graph_copy(graph));
    return touch_graph(pass, context, graph);
}

#define GRAPH(name_, function, ...)                                                                                    \
    { .name = name_, .kind = WEIR_PASS_GRAPH, .run = {.graph = function}, __VA_ARGS__ }
static const weir_pass_info passes[] = {
    GRAPH("ask", ask, .preserves = "*"),
    GRAPH("ask-all", ask_all, .preserves = "*"),
    GRAPH("ask-wires", ask_wires, .preserves = "*"),
    GRAPH("ask-circular", ask_circular, .preserves = "*"),
    GRAPH("change", touch_graph, .help = "preserves nothing"),
    GRAPH("keep", touch_graph, .preserves = "nodes"),
    GRAPH("spoil", touch_graph, .invalidates = "nodes"),
    GRAPH("nothing", keep_graph, .help = "says so"),
    GRAPH("replace", replace, .preserves = "*"),
    {.name = "ask-wrong", .kind = WEIR_PASS_MODULE, .run = {.module = ask_wrong}},
    {.name = "change-module", .kind = WEIR_PASS_MODULE, .run = {.module = touch_module}},
    {.name = "change-design", .kind = WEIR_PASS_HARDWARE, .run = {.hardware = touch_design}},
};

/* Runs on a module of two graphs and a design; gives the count of computations, all of which must have been freed. */
static int computations(const char *pipeline) {
    weir_module *module = module_of_graph(weir_graph_new("a"));
    int design;
    weir_module_add_graph(module, weir_graph_new("b"));
    pass_bench b = pass_bench_of(passes, sizeof passes / sizeof *passes, module);
    for (size_t i = 0; i < sizeof analyses / sizeof *analyses; i++)
        assert_true(weir_pass_registry_add_analysis(b.registry, &analyses[i]));
    if (strstr(pipeline, "wires") || strstr(pipeline, "design")) {
        weir_module_set_design(module, (weir_rtl_design *)&design, NULL);
    }
    computed = freed = 0;
    const bool ok = pass_bench_run(&b, pipeline);
    assert_int_equal(computed % 100 + computed / 100 % 100, freed);
    weir_module_free(module);
    pass_bench_stop(&b);
    return ok ? computed : -1;
}

static void analyses_are_cached_and_invalidated(void **state) {
    (void)state;
    static const struct {
        const char *pipeline;
        int computed;
    } rows[] = {
        {"ask", 2},
        {"ask,ask,graph(ask,ask)", 2},
        {"ask,change,ask", 4},
        {"graph(ask,change,ask)", 4},
        {"ask,keep,ask", 2},
        {"ask,spoil,ask", 4},
        {"ask,nothing,ask", 2},
        {"ask,replace,ask", 4}, /* even though it preserves all: results may point into the old graph */
        {"ask,change-module,ask", 4},
        {"ask,change-design,ask", 2},
        {"ask-all", 102},
        {"ask,ask-all,ask-all", 102},
        {"ask-all,change,ask-all", 204}, /* the second run finds both graphs changed before it asks */
        {"ask-all,keep,ask-all", 202},
        {"ask-wires,change,ask-wires", 10000}, /* graphs and the design are independent */
        {"ask-wires,change-design,ask-wires", 20000},
        {"ask-wires,change-module,ask-wires", 20000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int got = computations(rows[i].pipeline);
        if (got != rows[i].computed) {
            fail_msg("%s: %d computations, expected %d", rows[i].pipeline, got, rows[i].computed);
        }
    }
    assert_string_equal(messages.data, "");
}

static void analysis_errors(void **state) {
    (void)state;
    assert_int_equal(computations("ask-wrong"), -1);
    assert_string_equal(messages.data, "error: unknown analysis 'node'\nnote: did you mean 'nodes'?\n"
                                       "error: analysis 'nodes' is about a graph, and pass 'ask-wrong' does not say "
                                       "which\n"
                                       "error: analysis 'nodes' cannot be made of graph 'stranger': the module does "
                                       "not hold it\n"
                                       "error: analysis 'all-nodes' cannot be made of graph 'a': it is not about "
                                       "graphs\n"
                                       "error: module 'm' has no hardware design yet\n"
                                       "note: analysis 'wires' failed\n"
                                       "note: pass 'ask-wrong' failed on module 'm'\n");
    weir_text_free(&messages);
    assert_int_equal(computations("ask-circular"), -1);
    assert_string_equal(messages.data, "error: analysis 'circular' depends on its own result\n"
                                       "note: analysis 'circular' failed\n"
                                       "note: pass 'ask-circular' failed on graph 'a'\n");
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(graphs),          CASE(properties),      CASE(properties_as_json),
        CASE(side_data),       CASE(design_is_owned), CASE(analyses_are_cached_and_invalidated),
        CASE(analysis_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
