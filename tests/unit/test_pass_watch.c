/* The instruments that print, number and time passes. Case numbers are those of TVM's instrument tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pass/run/instrument.h"
#include "support/text/text.h"
#include "test_pass_bench.h"

static weir_text messages;

/* Names the graph's source after the pass, so that its text changes. */
static bool mark(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    weir_graph_set_source(graph, weir_pass_name(pass));
    return log_graph(pass, context, graph);
}

static bool mark_and_fail(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    mark(pass, context, graph);
    weir_error(WEIR_NOWHERE, "no good");
    return false;
}

static const weir_pass_info passes[] = {
    {.name = "a", .kind = WEIR_PASS_GRAPH, .run.graph = mark, .preserves = "*"},
    {.name = "b", .kind = WEIR_PASS_GRAPH, .run.graph = mark, .preserves = "*"},
    {.name = "m", .kind = WEIR_PASS_MODULE, .run.module = log_module, .preserves = "*"},
    {.name = "needs-a", .kind = WEIR_PASS_GRAPH, .run.graph = mark, .requires = "a", .preserves = "a"},
    {.name = "loses", .kind = WEIR_PASS_GRAPH, .run.graph = mark},
    {.name = "fail", .kind = WEIR_PASS_GRAPH, .run.graph = mark_and_fail},
};

typedef struct fixture {
    pass_bench bench;
    FILE *file;
    char *written; /* what went to the file, from `read_back` */
} fixture;

static int setup(void **state) {
    fixture *f = calloc(1, sizeof *f);
    f->bench = pass_bench_open(passes, sizeof passes / sizeof *passes, weir_graph_new("main"), &messages);
    assert_true(weir_pass_registry_add_pipeline(f->bench.registry, WEIR_PASS_GRAPH, "both", "a,b", "two"));
    f->file = tmpfile();
    *state = f;
    return 0;
}

static int teardown(void **state) {
    fixture *f = *state;
    pass_bench_close(&f->bench, &messages);
    fclose(f->file);
    free(f->written);
    free(f);
    return 0;
}

/* Runs a pipeline under one instrument, which it frees unless `keep`. */
static bool run_under(fixture *f, weir_pass_instrument *instrument, const char *pipeline, bool keep) {
    assert_true(weir_pass_context_override(f->bench.context, &instrument, 1));
    const bool ok = pass_bench_run(&f->bench, pipeline);
    if (!keep) {
        weir_pass_context_override(f->bench.context, NULL, 0);
        weir_pass_instrument_free(instrument);
    }
    return ok;
}

static const char *read_back(fixture *f) {
    long size = ftell(f->file);
    rewind(f->file);
    free(f->written);
    f->written = calloc(1, (size_t)size + 1);
    assert_int_equal(fread(f->written, 1, (size_t)size, f->file), size);
    rewind(f->file);
    return f->written;
}

static size_t count(const char *text, const char *part) {
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part)) {
        n++;
    }
    return n;
}

#define UNIT(source) "weir 1\ngraph \"main\" from \"" source "\"\n"

static void case_15_print_before_and_after_all(void **state) {
    fixture *f = *state;
    assert_true(run_under(f, weir_pass_printer_new(f->file, "all", "all", false), "a,graph(b),m", false));
    assert_string_equal(
        read_back(f),
        "*** before a on graph 'main'\n" UNIT("") "*** after a on graph 'main'\n" UNIT("a") "*** before b on graph 'main'\n" UNIT(
            "a") "*** after b on graph 'main'\n" UNIT("b") "*** before m on module 'm'\n" UNIT("b") "*** after m on module 'm'\n" UNIT("b"));
}

static void print_around_chosen_passes(void **state) {
    fixture *f = *state;
    assert_true(run_under(f, weir_pass_printer_new(f->file, "b, both", "a", false), "m,both", false));
    assert_string_equal(read_back(f), "*** before both on graph 'main'\n" UNIT("") "*** after a on graph 'main'\n" UNIT(
                                          "a") "*** before b on graph 'main'\n" UNIT("a"));
}

static void print_after_failure(void **state) {
    fixture *f = *state;
    assert_false(run_under(f, weir_pass_printer_new(f->file, NULL, "all", true), "graph(a,fail,b)", false));
    assert_string_equal(read_back(f), "*** after a on graph 'main'\n" UNIT(
                                          "a") "*** after failing fail on graph 'main'\n" UNIT("fail"));
}

static void names_are_checked(void **state) {
    fixture *f = *state;
    assert_true(weir_pass_registry_knows(f->bench.registry, "a, both"));
    assert_false(weir_pass_registry_knows(f->bench.registry, "a, need-a, xyzzy"));
    assert_string_equal(messages.data, "error: unknown pass 'need-a'\nnote: did you mean 'needs-a'?\n"
                                       "error: unknown pass 'xyzzy'\n");
}

static void bisect_limit(void **state) {
    fixture *f = *state;
    static const struct {
        int64_t limit;
        const char *ran;
    } cases[] = {{-1, "a needs-a b m "}, {0, ""}, {1, "a "}, {2, "a needs-a "}, {4, "a needs-a b m "},
                 {9, "a needs-a b m "}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_text_free(&passes_that_ran);
        weir_text_add(&passes_that_ran, "");
        weir_pass_instrument *bisect = weir_pass_bisect_new(f->file, cases[i].limit);
        assert_true(run_under(f, bisect, "graph(needs-a,b),m", true));
        assert_string_equal(passes_that_ran.data, cases[i].ran);
        assert_int_equal(weir_pass_bisect_count(bisect), 4);
        weir_pass_context_override(f->bench.context, NULL, 0);
        weir_pass_instrument_free(bisect);
    }
    const char *log = read_back(f);
    static const char start[] = "BISECT: running pass (1) a on graph 'main'\n"
                                "BISECT: running pass (2) needs-a on graph 'main'\n"
                                "BISECT: running pass (3) b on graph 'main'\n"
                                "BISECT: running pass (4) m on module 'm'\n"
                                "BISECT: NOT running pass (1) a on graph 'main'\n";
    assert_int_equal(strncmp(log, start, strlen(start)), 0);
    assert_int_equal(count(log, ": running pass (1) a "), 5);
    assert_int_equal(count(log, "NOT running"), 4 + 3 + 2);
}

static void bisect_spares_what_the_context_requires(void **state) {
    fixture *f = *state;
    assert_true(weir_pass_context_require(f->bench.context, "b"));
    assert_true(run_under(f, weir_pass_bisect_new(f->file, 0), "a,b,m", false));
    assert_string_equal(passes_that_ran.data, "b ");
    assert_string_equal(read_back(f), "BISECT: NOT running pass (1) a on graph 'main'\n"
                                      "BISECT: NOT running pass (2) m on module 'm'\n");
}

/* Skipped requirements are asked about once, and the first executions are those of the whole run. */
static void bisect_numbers_are_stable(void **state) {
    fixture *f = *state;
    for (int64_t limit = 0; limit <= 6; limit++) {
        weir_text_free(&passes_that_ran);
        weir_text_add(&passes_that_ran, "");
        assert_true(run_under(f, weir_pass_bisect_new(NULL, limit), "needs-a,loses,needs-a,b", false));
        weir_text whole = {0};
        weir_text_add(&whole, "a needs-a loses a needs-a b ");
        assert_int_equal(strncmp(whole.data, passes_that_ran.data, strlen(passes_that_ran.data)), 0);
        assert_int_equal(count(passes_that_ran.data, " "), limit);
        weir_text_free(&whole);
    }
}

static double check_times(const json_t *list, double *self) {
    double total = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *node = json_array_get(list, i);
        double own = json_real_value(json_object_get(node, "self"));
        double seconds = json_real_value(json_object_get(node, "seconds"));
        double within = check_times(json_object_get(node, "passes"), self);
        assert_true(own >= 0 && seconds >= own);
        assert_true(within + own < seconds + 1e-9 && within + own > seconds - 1e-9);
        total += seconds;
        *self += own;
    }
    return total;
}

static void timing_as_json(void **state) {
    fixture *f = *state;
    weir_pass_instrument *timing = weir_pass_timing_new();
    assert_true(run_under(f, timing, "graph(needs-a,b,b),m", true));
    json_t *json = weir_pass_timing_json(timing);
    double self = 0, total = check_times(json, &self);
    assert_true(total > 0 && self > total - 1e-9 && self < total + 1e-9);
    const json_t *graph = json_array_get(json_object_get(json_array_get(json, 0), "passes"), 0);
    const json_t *b = json_array_get(json_object_get(graph, "passes"), 2);
    assert_string_equal(json_string_value(json_object_get(graph, "pass")), "graph");
    assert_string_equal(json_string_value(json_object_get(b, "pass")), "b");
    assert_int_equal(json_integer_value(json_object_get(b, "runs")), 2);
    json_decref(json);
    weir_pass_context_override(f->bench.context, NULL, 0);
    weir_pass_instrument_free(timing);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(case_15_print_before_and_after_all),
        CASE(print_around_chosen_passes),
        CASE(print_after_failure),
        CASE(names_are_checked),
        CASE(bisect_limit),
        CASE(bisect_spares_what_the_context_requires),
        CASE(bisect_numbers_are_stable),
        CASE(timing_as_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
