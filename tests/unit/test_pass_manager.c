/* The pass manager: enabling, sequences, requirements, what holds, failure. Cases named after TVM's pass manager tests
 * carry their number in spec B3. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pass/run/instrument.h"
#include "rtlir/core/rtl.h"
#include "support/process/process.h"
#include "support/process/seconds.h"
#include "test_pass_bench.h"

static weir_text messages;

/* --- passes --- */
static bool log_unchanged(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    weir_pass_unchanged(context);
    return log_graph(pass, context, graph);
}

static bool fail_loudly(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    (void)context;
    weir_error(WEIR_NOWHERE, "graph '%s' is no good", weir_graph_name(graph));
    return false;
}

/* The module pass of case 1: adds a graph and leaves the others alone. */
static bool add_abs(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    (void)pass;
    (void)context;
    weir_module_add_graph(module, weir_graph_new("my_abs"));
    return true;
}

static bool replace(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    weir_graph *made = weir_graph_new(weir_graph_name(graph));
    weir_graph_set_source(made, "made.onnx");
    weir_pass_replace_graph(context, made);
    return true;
}

static bool replace_and_fail(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    return replace(pass, context, graph) && false;
}

static bool count_nodes(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    (void)graph;
    weir_pass_count(context, "nodes folded", 3);
    return true;
}

/* Builds and runs a pipeline of its own. */
static bool run_inner(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    (void)module;
    log_module(pass, context, module);
    weir_pass *inner = weir_pass_parse(weir_pass_context_registry(context), "g2,graph(g0,infer)", WEIR_NOWHERE);
    bool ok = inner && weir_pass_run_here(context, inner);
    weir_pass_free(inner);
    return ok;
}

/* Runs its own pipeline at level 4, without g0 and with another setting, in a context inside the one around it. */
static bool run_nested(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    log_module(pass, context, module);
    weir_pass_context *nested = weir_pass_context_nest(context);
    weir_text_format(&passes_that_ran, "(%d %d) ", weir_pass_context_level(nested),
                     (int)weir_pass_config_int(nested, "depth"));
    weir_pass_context_set_level(nested, 4);
    weir_pass_context_disable(nested, "g0");
    weir_pass_config_set(nested, "depth", "9");
    weir_pass *inner = weir_pass_parse(weir_pass_context_registry(context), "g0,g4,loud", WEIR_NOWHERE);
    bool failed = !weir_pass_run(nested, inner, module);
    weir_pass_free(inner);
    weir_pass_context_free(nested);
    weir_text_format(&passes_that_ran, "(%d %d) ", weir_pass_context_level(context),
                     (int)weir_pass_config_int(context, "depth"));
    return failed;
}

static bool run_wrong(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    (void)graph;
    return run_pass_here(context, "m0");
}

#define GRAPH(name_, level_, function, ...)                                                                            \
    { .name = name_, .kind = WEIR_PASS_GRAPH, .level = level_, .run = {.graph = function}, __VA_ARGS__.help = "h" }
#define MODULE(name_, level_, function, ...)                                                                           \
    { .name = name_, .kind = WEIR_PASS_MODULE, .level = level_, .run = {.module = function}, __VA_ARGS__.help = "h" }

static const weir_pass_info passes[] = {
    GRAPH("g0", 0, log_graph, .preserves = "*", ),
    GRAPH("g1", 1, log_graph, .preserves = "*", ),
    GRAPH("g2", 2, log_graph, .preserves = "*", ),
    GRAPH("g3", 3, log_graph, .preserves = "*", ),
    GRAPH("g4", 4, log_graph, .preserves = "*", ),
    MODULE("m0", 0, log_module, .preserves = "*", ),
    GRAPH("infer", 0, log_graph, .preserves = "*", ),
    GRAPH("fold", 2, log_graph, .requires = "infer", ),
    GRAPH("cse", 3, log_graph, .requires = "infer", .preserves = "*", ),
    GRAPH("dce", 1, log_graph, .requires = "infer", .invalidates = "fold", ),
    GRAPH("fuse", 0, log_graph, .requires = "cse,dce", .preserves = "infer cse dce", ),
    GRAPH("quiet", 0, log_unchanged, .requires = "infer", ),
    GRAPH("tower", 0, log_graph, .requires = "fuse", ),
    MODULE("calibrate", 2, log_module, .requires = "infer", .preserves = "*", ),
    GRAPH("quantize", 2, log_graph, .requires = "calibrate", .preserves = "*", ),
    MODULE("emit", 0, log_module, .requires = "quantize", ),
    GRAPH("forget", 2, log_graph, .invalidates = "calibrate", ),
    {.name = "lint", .kind = WEIR_PASS_HARDWARE, .requires = "infer", .run = {.hardware = log_design}, .help = "h"},
    GRAPH("quarrel-a", 0, log_graph, .invalidates = "quarrel-b", ),
    GRAPH("quarrel-b", 0, log_graph, .invalidates = "quarrel-a", ),
    GRAPH("quarrel", 0, log_graph, .requires = "quarrel-a,quarrel-b", ),
    GRAPH("order", 0, log_graph, .requires = "weak,strong", .preserves = "*", ),
    GRAPH("weak", 0, log_graph, .preserves = "*", ),
    GRAPH("strong", 0, log_graph, .preserves = "strong", ),
    GRAPH("silent", 0, fail_on_graph, .preserves = "*", ),
    GRAPH("loud", 0, fail_loudly, .preserves = "*", ),
    GRAPH("needs-loud", 0, log_graph, .requires = "loud", ),
    MODULE("add-abs", 0, add_abs, .preserves = "*", ),
    GRAPH("replace", 0, replace, .preserves = "*", ),
    GRAPH("replace-and-fail", 0, replace_and_fail, .preserves = "*", ),
    GRAPH("count", 0, count_nodes, .preserves = "*", ),
    MODULE("inner", 0, run_inner, .preserves = "*", ),
    GRAPH("wrong", 0, run_wrong, .preserves = "*", ),
    GRAPH("empty", 0, touch_graph, .preserves = "*", ),
};

typedef struct fixture {
    pass_bench bench;
} fixture;

static int setup(void **state) {
    static fixture f;
    f.bench = pass_bench_open(passes, sizeof passes / sizeof *passes, weir_graph_new("main"), &messages);
    *state = &f;
    return 0;
}

static int teardown(void **state) {
    fixture *f = *state;
    pass_bench_close(&f->bench, &messages);
    return 0;
}

/* Runs a pipeline and compares the passes that ran. */
static bool run(fixture *f, const char *text) {
    weir_text_free(&passes_that_ran);
    weir_text_add(&passes_that_ran, "");
    weir_text_free(&messages);
    weir_text_add(&messages, "");
    return pass_bench_run(&f->bench, text);
}

static void expect_run(fixture *f, const char *text, const char *ran) {
    assert_true(run(f, text));
    assert_string_equal(messages.data, "");
    assert_string_equal(passes_that_ran.data, ran);
}

static void expect_failure(fixture *f, const char *text, const char *said) {
    assert_false(run(f, text));
    assert_string_equal(messages.data, said);
}

static void enabling_rule(void **state) {
    fixture *f = *state;
    const char *all = "g0,g1,g2,g3,g4";
    static const char *const ran[] = {"g0 ", "g0 g1 ", "g0 g1 g2 ", "g0 g1 g2 g3 ", "g0 g1 g2 g3 g4 "};
    assert_int_equal(weir_pass_context_level(f->bench.context), 2);
    for (int level = 0; level <= 4; level++) {
        assert_true(weir_pass_context_set_level(f->bench.context, level));
        expect_run(f, all, ran[level]);
    }
    weir_pass_context_set_level(f->bench.context, 1);
    assert_true(weir_pass_context_require(f->bench.context, "g4, g1"));
    expect_run(f, all, "g0 g1 g4 ");
    assert_true(weir_pass_context_disable(f->bench.context, "g0"));
    expect_run(f, all, "g1 g4 ");
    /* disabled beats required, and the conflict is reported, once */
    assert_true(weir_pass_context_disable(f->bench.context, "g4"));
    assert_true(run(f, all));
    assert_string_equal(passes_that_ran.data, "g1 ");
    assert_string_equal(messages.data, "warning: pass 'g4' is both required and disabled: it does not run\n");
    expect_run(f, all, "g1 ");
}

static void explain_as(fixture *f, const char *text, const char *said) {
    weir_text explained = {0};
    weir_pass *pass = weir_pass_parse(f->bench.registry, text, WEIR_NOWHERE);
    weir_text_add(&explained, "");
    assert_true(weir_pass_explain(f->bench.context, pass, &explained));
    assert_string_equal(explained.data, said);
    weir_text_free(&explained);
    weir_pass_free(pass);
}

/* TVM: a pass called directly is gated by instruments alone, a Sequential gates what is in it. */
static void direct_application(void **state) {
    fixture *f = *state;
    expect_run(f, "g4", "g4 ");
    expect_run(f, "cse", "infer cse ");
    expect_run(f, "graph(g4)", "");
    expect_run(f, "g0,g4", "g0 ");
    explain_as(f, "g4", "run g4: asked for by itself\n");
    explain_as(f, "g0", "run g0: level 0 <= 2\n");
    weir_pass *pass = weir_pass_new(f->bench.registry, "g3");
    weir_text_free(&passes_that_ran);
    assert_true(weir_pass_run(f->bench.context, pass, f->bench.module));
    assert_string_equal(passes_that_ran.data, "g3 ");
    weir_pass_free(pass);
    weir_text skipped = {0};
    pass = weir_pass_parse(f->bench.registry, "g0,graph(g3,g1),g4,g2", WEIR_NOWHERE);
    weir_pass_context_disable(f->bench.context, "g1");
    weir_pass_list_skipped(f->bench.context, pass, &skipped);
    assert_string_equal(skipped.data, "g3 (3), g4 (4)");
    weir_text_free(&skipped);
    weir_pass_free(pass);
    assert_true(run(f, "g1"));
    assert_string_equal(passes_that_ran.data, "g1 ");
    assert_string_equal(messages.data, "warning: pass 'g1' is disabled, but named by itself: it runs\n");
}

static void unknown_names_and_levels_are_errors(void **state) {
    fixture *f = *state;
    assert_false(weir_pass_context_disable(f->bench.context, "g0, quantise"));
    assert_false(weir_pass_context_require(f->bench.context, " fold,xyzzy"));
    assert_false(weir_pass_context_set_level(f->bench.context, 5));
    assert_false(weir_pass_context_set_level(f->bench.context, -1));
    assert_string_equal(messages.data, "error: unknown pass 'quantise'\nnote: did you mean 'quantize'?\n"
                                       "error: unknown pass 'xyzzy'\n"
                                       "error: optimization level must be from 0 to 4, found 5\n"
                                       "error: optimization level must be from 0 to 4, found -1\n");
}

static void explain(void **state) {
    fixture *f = *state;
    weir_text text = {0};
    weir_pass *pass = weir_pass_parse(f->bench.registry, "g0,graph(g3,g1),g4", WEIR_NOWHERE);
    weir_pass_context_disable(f->bench.context, "g1");
    weir_pass_context_require(f->bench.context, "g4");
    assert_true(weir_pass_explain(f->bench.context, pass, &text));
    assert_string_equal(text.data, "run g0: level 0 <= 2\nskip g3: level 3 > 2\nskip g1: disabled\n"
                                   "run g4: required by the context\n");
    weir_text_free(&text);
    weir_pass_free(pass);
}

static void explain_says_why(void **state) {
    fixture *f = *state;
    explain_as(
        f, "dce,dce,cse",
        "run infer: required by 'dce'\nrun dce: level 1 <= 2\nkeep infer: required by 'dce', and its result holds\n"
        "run dce: level 1 <= 2\nskip cse: level 3 > 2\n");
    explain_as(f, "order",
               "run weak: required by 'order'\nrun strong: required by 'order'\nrun weak: required by 'order'\n"
               "run order: level 0 <= 2\n");
    weir_pass_context_disable(f->bench.context, "infer");
    explain_as(f, "g0,dce,g1", "run g0: level 0 <= 2\nfail dce: requires 'infer', which is disabled\n");
}

/* What it says is what happens: the passes that run, in order, and whether the run stops. */
static void explain_agrees_with_the_run(void **state) {
    fixture *f = *state;
    static const char *const pipelines[] = {"",
                                            "g0,graph(g1,g3),m0",
                                            "cse,infer,dce,dce",
                                            "infer,fold,dce",
                                            "tower,tower",
                                            "module(module(dce),dce)",
                                            "order",
                                            "quarrel,g0",
                                            "calibrate,graph(dce,fold)",
                                            "graph(g0,quantize),fold,emit",
                                            "emit,emit,quantize",
                                            "graph(quantize,forget,quantize),g0",
                                            "graph(quantize,forget),quantize",
                                            "fold,fuse,dce,tower"};
    for (int level = 0; level <= 4; level++) {
        weir_pass_context_set_level(f->bench.context, level);
        for (size_t i = 0; i < sizeof pipelines / sizeof *pipelines; i++) {
            weir_text explained = {0}, ran = {0};
            bool ok = run(f, pipelines[i]);
            weir_pass *pass = weir_pass_parse(f->bench.registry, pipelines[i], WEIR_NOWHERE);
            assert_true(weir_pass_explain(f->bench.context, pass, &explained));
            weir_text_add(&ran, "");
            weir_text_add(&explained, "");
            for (char *line = strtok(explained.data, "\n"); line; line = strtok(NULL, "\n")) {
                if (strncmp(line, "run ", 4) == 0) {
                    weir_text_format(&ran, "%.*s ", (int)strcspn(line + 4, ":"), line + 4);
                }
                assert_false(ok && strncmp(line, "fail ", 5) == 0);
                ok |= strncmp(line, "fail ", 5) == 0;
            }
            assert_true(ok);
            assert_string_equal(ran.data, passes_that_ran.data);
            weir_text_free(&ran);
            weir_text_free(&explained);
            weir_pass_free(pass);
        }
    }
}

static void case_1_module_pass_adds_a_graph(void **state) {
    fixture *f = *state;
    weir_graph *main_graph = weir_module_graph(f->bench.module, 0);
    weir_pass *pass = weir_pass_new(f->bench.registry, "add-abs");
    assert_string_equal(weir_pass_name(pass), "add-abs");
    assert_int_equal(weir_pass_level(pass), 0);
    assert_int_equal(weir_pass_kind_of(pass), WEIR_PASS_MODULE);
    weir_text text = {0};
    weir_pass_print(pass, &text);
    assert_string_equal(text.data, "add-abs");
    weir_text_free(&text);
    assert_true(weir_pass_run(f->bench.context, pass, f->bench.module));
    weir_pass_free(pass);
    assert_int_equal(weir_module_graph_count(f->bench.module), 2);
    assert_ptr_equal(weir_module_graph(f->bench.module, 0), main_graph);
    assert_non_null(weir_module_find_graph(f->bench.module, "my_abs"));
}

static void case_3_graph_pass_runs_on_every_graph(void **state) {
    fixture *f = *state;
    expect_run(f, "add-abs,g0", "g0[main] g0[my_abs] ");
}

static void case_4_replacing_a_graph(void **state) {
    fixture *f = *state;
    uint32_t id = weir_module_graph_id(f->bench.module, 0);
    expect_run(f, "graph(infer,replace,fold)", "infer fold ");
    assert_string_equal(weir_graph_source(weir_module_graph(f->bench.module, 0)), "made.onnx");
    assert_int_not_equal(weir_module_graph_id(f->bench.module, 0), id);
    weir_graph *graph = weir_module_graph(f->bench.module, 0);
    assert_false(run(f, "replace-and-fail"));
    assert_ptr_equal(weir_module_graph(f->bench.module, 0), graph);
}

static void case_5_info(void **state) {
    fixture *f = *state;
    const weir_pass_info *info = weir_pass_registry_find(f->bench.registry, "fuse");
    assert_string_equal(info->name, "fuse");
    assert_int_equal(info->level, 0);
    assert_string_equal(info->requires, "cse,dce");
    assert_null(weir_pass_registry_find(f->bench.registry, "nothing"));
    assert_int_equal(weir_pass_registry_count(f->bench.registry), sizeof passes / sizeof *passes);
    assert_string_equal(weir_pass_registry_at(f->bench.registry, 1)->name, "g1");
    assert_null(weir_pass_registry_at(f->bench.registry, 1000));
}

static void case_6_sequences(void **state) {
    fixture *f = *state;
    weir_pass *sequence = weir_pass_sequence_new(WEIR_PASS_MODULE, "sequential", 2);
    assert_string_equal(weir_pass_name(sequence), "sequential");
    assert_int_equal(weir_pass_level(sequence), 2);
    assert_true(weir_pass_is_sequence(sequence));
    assert_null(weir_pass_info_of(sequence));
    weir_text_add(&passes_that_ran, "");
    assert_true(weir_pass_run(f->bench.context, sequence, f->bench.module)); /* empty: identity */
    assert_string_equal(passes_that_ran.data, "");
    assert_true(weir_pass_sequence_add(sequence, weir_pass_new(f->bench.registry, "m0")));
    assert_true(weir_pass_sequence_add(sequence, weir_pass_new(f->bench.registry, "g0")));
    assert_int_equal(weir_pass_sequence_count(sequence), 2);
    assert_string_equal(weir_pass_name(weir_pass_sequence_at(sequence, 1)), "g0");
    assert_true(weir_pass_run(f->bench.context, sequence, f->bench.module));
    assert_string_equal(passes_that_ran.data, "m0 g0 ");
    weir_pass_context_set_level(f->bench.context, 1); /* the sequence's own level counts */
    assert_true(weir_pass_run(f->bench.context, sequence, f->bench.module));
    assert_string_equal(passes_that_ran.data, "m0 g0 ");
    weir_pass_free(sequence);
    sequence = weir_pass_sequence_new(WEIR_PASS_GRAPH, NULL, 0);
    assert_false(weir_pass_sequence_add(sequence, NULL));
    assert_false(weir_pass_sequence_add(sequence, weir_pass_new(f->bench.registry, "m0")));
    assert_string_equal(messages.data, "error: module 'm0' does not fit into a sequence of graph passes\n");
    weir_pass_free(sequence);
}

static void case_8_nested_sequences(void **state) {
    fixture *f = *state;
    weir_pass_context_set_level(f->bench.context, 1);
    expect_run(f, "module(g1,module(g0,graph(g1,graph(g0))),g2)", "g1 g0 g1 g0 ");
}

static void graph_sequence_finishes_one_graph_first(void **state) {
    fixture *f = *state;
    weir_module_add_graph(f->bench.module, weir_graph_new("b"));
    expect_run(f, "graph(g0,g1)", "g0[main] g1[main] g0[b] g1[b] ");
    expect_run(f, "g0,g1", "g0[main] g0[b] g1[main] g1[b] ");
}

static void case_11_levels_and_disabling(void **state) {
    fixture *f = *state;
    expect_run(f, "fold,cse,fuse", "infer fold infer cse dce fuse ");
    expect_run(f, "fold,cse", "infer fold ");
    weir_pass_context_set_level(f->bench.context, 3);
    expect_run(f, "fold,cse", "infer fold infer cse ");
    weir_pass_context_disable(f->bench.context, "cse");
    expect_run(f, "fold,cse", "infer fold ");
}

/* A required pass runs whatever its level, before its dependents, once while its result holds. */
static void requirements(void **state) {
    fixture *f = *state;
    expect_run(f, "graph(cse)", "");
    expect_run(f, "cse,infer,dce,dce", "infer dce dce ");
    expect_run(f, "infer,fold,dce", "infer fold infer dce ");   /* fold preserves nothing */
    expect_run(f, "quiet,quiet,dce", "infer quiet quiet dce "); /* it changed nothing */
    expect_run(f, "tower", "infer cse dce fuse tower ");        /* transitive, in order */
    expect_run(f, "infer,infer", "infer infer ");               /* what is listed runs */
    expect_run(f, "module(module(dce),dce)", "infer dce dce "); /* nested sequences share what holds */
}

static void assumed_results_hold_for_one_run(void **state) {
    fixture *f = *state;
    assert_true(weir_pass_context_assume(f->bench.context, "infer, calibrate"));
    expect_run(f, "dce,quantize,fold", "dce quantize fold ");
    expect_run(f, "dce,quantize", "infer dce calibrate quantize ");
    weir_module_add_graph(f->bench.module, weir_graph_new("b"));
    assert_true(weir_pass_context_assume(f->bench.context, "infer"));
    expect_run(f, "add-abs,dce", "dce[main] dce[b] infer[my_abs] dce[my_abs] ");
    assert_false(weir_pass_context_assume(f->bench.context, "inferr"));
    assert_string_equal(messages.data, "error: unknown pass 'inferr'\nnote: did you mean 'infer'?\n");
}

static void requirements_that_undo_each_other(void **state) {
    fixture *f = *state;
    expect_run(f, "order", "weak strong weak order "); /* strong loses weak: once more */
    expect_failure(f, "quarrel",
                   "error: the requirements of pass 'quarrel' undo each other: the result of 'quarrel-b' is always "
                   "lost\n");
    assert_string_equal(weir_pass_failed_name(f->bench.context), "quarrel");
}

static void requirements_are_kept_for_each_graph(void **state) {
    fixture *f = *state;
    weir_module_add_graph(f->bench.module, weir_graph_new("b"));
    expect_run(f, "graph(dce,dce)", "infer[main] dce[main] dce[main] infer[b] dce[b] dce[b] ");
    expect_run(f, "calibrate", "infer[main] infer[b] calibrate ");
    expect_run(f, "infer,add-abs,dce", "infer[main] infer[b] dce[main] dce[b] infer[my_abs] dce[my_abs] ");
}

static void module_requirements_come_before_the_first_graph(void **state) {
    fixture *f = *state;
    weir_module_add_graph(f->bench.module, weir_graph_new("b"));
    expect_run(f, "graph(g0,quantize)", "infer[main] infer[b] calibrate g0[main] quantize[main] g0[b] quantize[b] ");
    expect_run(f, "emit", "infer[main] infer[b] calibrate quantize[main] quantize[b] emit ");
    expect_failure(f, "graph(quantize,forget,quantize)",
                   "error: pass 'quantize' requires module pass 'calibrate', whose result was lost within graph(...)\n"
                   "note: end the graph(...) before 'quantize'\n");
    weir_graph_free(weir_module_remove_graph(f->bench.module, 1));
    expect_run(f, "graph(quantize,forget),quantize", "infer calibrate quantize forget calibrate quantize ");
}

static void required_but_disabled_is_an_error(void **state) {
    fixture *f = *state;
    weir_pass_context_disable(f->bench.context, "infer");
    expect_failure(f, "dce", "error: pass 'dce' requires 'infer', which is disabled\n");
    assert_string_equal(weir_pass_failed_name(f->bench.context), "dce");
}

static void cycles_are_errors(void **state) {
    (void)state;
    static const weir_pass_info cyclic[] = {
        GRAPH("start", 0, touch_graph, .requires = "a", ), GRAPH("a", 0, touch_graph, .requires = "b", ),
        GRAPH("b", 0, touch_graph, .requires = "c,d", ),   GRAPH("c", 0, touch_graph, .requires = "a", ),
        GRAPH("d", 0, touch_graph, .requires = "d", ),
    };
    weir_pass_registry *registry = weir_pass_registry_new();
    assert_true(weir_pass_registry_add_all(registry, cyclic, 5));
    assert_false(weir_pass_registry_check(registry));
    assert_string_equal(messages.data, "error: passes require each other in a cycle: a -> b -> c -> a\n"
                                       "error: passes require each other in a cycle: d -> d\n");
    weir_pass_context *context = weir_pass_context_new(registry);
    weir_pass *pass = weir_pass_new(registry, "start");
    weir_module *module = weir_module_new("m");
    assert_false(weir_pass_run(context, pass, module));
    weir_module_free(module);
    weir_pass_free(pass);
    weir_pass_context_free(context);
    weir_pass_registry_free(registry);
}

static void bad_lists_are_errors(void **state) {
    (void)state;
    static const weir_pass_info bad[] = {
        GRAPH("ghost", 0, touch_graph, .requires = "ghots", .preserves = "a-result", .invalidates = "host", ),
        GRAPH("upwards", 0, touch_graph, .requires = "wires", ),
        {.name = "wires", .kind = WEIR_PASS_HARDWARE, .run = {.hardware = log_design}},
    };
    weir_pass_registry *registry = weir_pass_registry_new();
    assert_true(weir_pass_registry_add_all(registry, bad, 3));
    assert_false(weir_pass_registry_check(registry));
    assert_string_equal(messages.data, "error: pass 'ghost' requires 'ghots', which is not a pass or form\n"
                                       "note: did you mean 'ghost'?\n"
                                       "error: pass 'ghost' preserves 'a-result', which is not a pass or analysis\n"
                                       "error: pass 'ghost' invalidates 'host', which is not a pass or analysis\n"
                                       "note: did you mean 'ghost'?\n"
                                       "error: graph pass 'upwards' cannot require hardware pass 'wires'\n");
    weir_pass_registry_free(registry);
}

/* A form that holds while no pass has changed the design since `tidy`. */
static bool is_tidy;
static size_t looks;

static bool holds_tidy(weir_pass_context *context, weir_rtl_design *design) {
    (void)context;
    (void)design;
    looks++;
    if (!is_tidy) weir_error(WEIR_NOWHERE, "a wire lies about");
    return is_tidy;
}

static bool run_tidy(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    is_tidy = true;
    return log_design(pass, context, design);
}

static bool run_untidy(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    is_tidy = false;
    return log_design(pass, context, design);
}

static bool run_look(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    weir_pass_unchanged(context);
    return log_design(pass, context, design);
}

static const weir_pass_form tidy_form = {.name = "tidy_design",
                                         .kind = WEIR_PASS_HARDWARE,
                                         .help = "nothing lies about",
                                         .remedy = "tidy",
                                         .holds = {.hardware = holds_tidy}};

/* One that says that it preserves everything does not preserve a form. */
static const weir_pass_info tidy_passes[] = {
    {.name = "tidy", .kind = WEIR_PASS_HARDWARE, .run = {.hardware = run_tidy}},
    {.name = "untidy", .kind = WEIR_PASS_HARDWARE, .preserves = "*", .run = {.hardware = run_untidy}},
    {.name = "print", .kind = WEIR_PASS_HARDWARE, .requires = "tidy_design", .run = {.hardware = run_look}},
    {.name = "print_twice",
     .kind = WEIR_PASS_HARDWARE,
     .requires = "print, tidy_design",
     .run = {.hardware = run_look}},
};

static void forms_are_looked_at_before_passes_that_require_them(void **test) {
    static const char *const pipelines[] = {"tidy,print,print", "tidy,print,untidy,print", "print", "tidy,print_twice"};
    static const char *const logs[] = {"tidy print print ", "tidy print untidy ", "", "tidy print print_twice "};
    static const size_t looked[] = {1, 2, 1, 1};
    const char *const refusal = "error: a wire lies about\n"
                                "note: pass 'print' requires the form 'tidy_design': nothing lies about\n"
                                "note: run 'tidy' first\n";
    (void)test;
    weir_pass_registry *registry = weir_pass_registry_new();
    assert_true(weir_pass_registry_add_all(registry, tidy_passes, 4));
    assert_true(weir_pass_registry_add_form(registry, &tidy_form));
    for (size_t i = 0; i < 4; i++) {
        weir_module *module = weir_module_new("m");
        weir_rtl_design *design = weir_rtl_design_new();
        weir_module_set_rtl(module, design, "");
        weir_pass_context *context = weir_pass_context_new(registry);
        weir_pass *pass = weir_pass_parse(registry, pipelines[i], WEIR_NOWHERE);
        passes_that_ran.size = messages.size = looks = 0;
        weir_text_add(&passes_that_ran, "");
        weir_text_add(&messages, "");
        is_tidy = false;
        assert_int_equal(weir_pass_run(context, pass, module), i == 0 || i == 3);
        assert_string_equal(passes_that_ran.data, logs[i]);
        assert_string_equal(messages.data, i == 0 || i == 3 ? "" : refusal);
        assert_int_equal(looks, looked[i]);
        weir_pass_free(pass);
        weir_pass_context_free(context);
        weir_module_free(module);
    }
    assert_null(weir_pass_new(registry, "tidy_design"));
    weir_pass_registry_free(registry);
}

static void failure_stops_the_pipeline_and_is_named(void **state) {
    fixture *f = *state;
    expect_failure(f, "g0,silent,g1", "error: pass 'silent' failed on graph 'main'\n");
    assert_string_equal(passes_that_ran.data, "g0 ");
    assert_string_equal(weir_pass_failed_name(f->bench.context), "silent");
    expect_failure(f, "graph(loud,g1)", "error: graph 'main' is no good\nnote: pass 'loud' failed on graph 'main'\n");
    expect_failure(f, "needs-loud",
                   "error: graph 'main' is no good\nnote: pass 'loud' failed on graph 'main'\n"
                   "note: 'loud' is required by pass 'needs-loud'\n");
    assert_string_equal(weir_pass_failed_name(f->bench.context), "loud");
    expect_failure(f, "lint",
                   "error: module 'm' has no hardware design yet\n"
                   "note: pass 'lint' failed on the design of module 'm'\n");
    expect_run(f, "g0", "g0 ");
    assert_null(weir_pass_failed_name(f->bench.context));
}

static void hardware_passes(void **state) {
    fixture *f = *state;
    int design;
    weir_module_set_design(f->bench.module, (weir_rtl_design *)&design, NULL);
    expect_run(f, "hardware(lint,lint)", "infer lint lint ");
}

static void pipelines_built_by_passes(void **state) {
    fixture *f = *state;
    expect_run(f, "infer,inner,dce", "infer inner g2 g0 infer dce ");
    expect_run(f, "inner,fold,dce", "inner g2 g0 infer fold infer dce "); /* the inner instance is gone by then */
    expect_failure(f, "wrong",
                   "error: graph pass 'wrong' cannot run module 'm0'\n"
                   "note: pass 'wrong' failed on graph 'main'\n");
    weir_pass *pass = weir_pass_new(f->bench.registry, "g0");
    assert_false(weir_pass_run_here(f->bench.context, pass));
    weir_pass_free(pass);
}

static void statistics(void **state) {
    fixture *f = *state;
    expect_run(f, "count,count", "");
    weir_text text = {0};
    weir_pass_print_statistics(f->bench.context, &text);
    assert_string_equal(text.data, "count: 6 nodes folded\n");
    weir_text_free(&text);
    assert_int_equal(weir_pass_statistic(f->bench.context, "count", "nodes folded"), 6);
    assert_int_equal(weir_pass_statistic(f->bench.context, "count", "nodes"), 0);
}

static void contexts_nest_and_restore(void **state) {
    fixture *f = *state;
    static const weir_pass_info nested = {.name = "nested", .kind = WEIR_PASS_MODULE, .run = {.module = run_nested}};
    static const weir_pass_option depth = {"depth", WEIR_PASS_INT, "3", "0..", "of nothing"};
    assert_true(weir_pass_registry_add(f->bench.registry, &nested));
    assert_true(weir_pass_registry_add_config(f->bench.registry, &depth));
    assert_true(weir_pass_context_set_level(f->bench.context, 1));
    assert_true(weir_pass_config_set(f->bench.context, "depth", "5"));
    assert_true(run(f, "g0,g4,nested,g0,g4"));
    assert_string_equal(passes_that_ran.data, "g0 nested (1 5) g4 (1 5) g0 ");
    assert_null(weir_pass_failed_name(f->bench.context)); /* the failure was the nested context's */
}

static bool note_name(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)graph;
    json_object_set_new(weir_pass_record(context), "name", json_string(weir_pass_name(pass)));
    json_object_set_new(weir_pass_record(context), "again", json_true());
    return true;
}

static void records_are_kept_in_order(void **state) {
    fixture *f = *state;
    static const weir_pass_info info = {.name = "note-name", .kind = WEIR_PASS_GRAPH, .run = {.graph = note_name}};
    assert_true(weir_pass_registry_add(f->bench.registry, &info));
    weir_module_add_graph(f->bench.module, weir_graph_new("second"));
    expect_run(f, "note-name,count", "");
    char *text = json_dumps(weir_pass_records(f->bench.context), JSON_COMPACT);
    assert_string_equal(
        text, "[{\"pass\":\"note-name\",\"graph\":\"main\",\"info\":{\"name\":\"note-name\",\"again\":true}},"
              "{\"pass\":\"note-name\",\"graph\":\"second\",\"info\":{\"name\":\"note-name\",\"again\":true}}]");
    free(text);
}

static void passes_of_another_registry_are_refused(void **state) {
    fixture *f = *state;
    weir_pass_registry *other = weir_pass_registry_new();
    weir_pass_registry_add(other, &passes[0]);
    weir_pass *pass = weir_pass_new(other, "g0");
    assert_false(weir_pass_run(f->bench.context, pass, f->bench.module));
    assert_string_equal(messages.data, "error: pass 'g0' belongs to another registry than the context\n");
    weir_pass_free(pass);
    weir_pass_registry_free(other);
}

/* The target is under 1 us; the bound leaves room for sanitizers and busy machines. */
static void overhead_of_an_empty_pass(void **state) {
    fixture *f = *state;
    enum { COUNT = 100000 };
    weir_pass *sequence = weir_pass_sequence_new(WEIR_PASS_GRAPH, NULL, 0);
    for (int i = 0; i < COUNT; i++) {
        weir_pass_sequence_add(sequence, weir_pass_new(f->bench.registry, "empty"));
    }
    double start = weir_seconds();
    assert_true(weir_pass_run(f->bench.context, sequence, f->bench.module));
    double each = (weir_seconds() - start) / COUNT;
    print_message("overhead: %.0f ns a pass\n", each * 1e9);
    assert_true(each < 10e-6);
    weir_pass_free(sequence);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(enabling_rule),
        CASE(direct_application),
        CASE(unknown_names_and_levels_are_errors),
        CASE(explain),
        CASE(explain_says_why),
        CASE(explain_agrees_with_the_run),
        CASE(case_1_module_pass_adds_a_graph),
        CASE(case_3_graph_pass_runs_on_every_graph),
        CASE(case_4_replacing_a_graph),
        CASE(case_5_info),
        CASE(case_6_sequences),
        CASE(case_8_nested_sequences),
        CASE(graph_sequence_finishes_one_graph_first),
        CASE(case_11_levels_and_disabling),
        CASE(requirements),
        CASE(assumed_results_hold_for_one_run),
        CASE(requirements_that_undo_each_other),
        CASE(requirements_are_kept_for_each_graph),
        CASE(module_requirements_come_before_the_first_graph),
        CASE(required_but_disabled_is_an_error),
        CASE(cycles_are_errors),
        CASE(bad_lists_are_errors),
        CASE(forms_are_looked_at_before_passes_that_require_them),
        CASE(failure_stops_the_pipeline_and_is_named),
        CASE(hardware_passes),
        CASE(pipelines_built_by_passes),
        CASE(contexts_nest_and_restore),
        CASE(records_are_kept_in_order),
        CASE(statistics),
        CASE(passes_of_another_registry_are_refused),
        CASE(overhead_of_an_empty_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
