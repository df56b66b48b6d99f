/* Instruments: order of hooks and what a failing hook leads to (instrument cases 1-15 of spec B3), and the built-in
 * ones, each with a planted fault that it must catch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pass/run/instrument.h"
#include "rtlir/edit/mutate.h"
#include "support/file/file.h"
#include "test_pass_bench.h"

static weir_text messages;

/* --- passes --- */
static bool log_and_fail(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    return log_graph(pass, context, graph) && false;
}

/* The graph is input -> Relu -> Relu -> output. */
static bool rename_node(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    (void)context;
    weir_value_set_name(graph, weir_node_output(graph, weir_graph_first(graph), 0), "renamed");
    return true;
}

static bool break_order_of_all(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    return break_order(pass, context, weir_module_graph(module, 0));
}

/* Changes the data of a constant, which the text form does not show. */
static bool change_data(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    (void)context;
    weir_value old = weir_graph_find_value(graph, "c");
    weir_array *data = weir_array_copy(weir_value_constant(graph, old));
    weir_array_set(data, 0, 42.0);
    weir_value_bind(graph, old, data);
    weir_array_free(data);
    return true;
}

static bool count_run(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    (void)context;
    ++*(int *)design;
    return true;
}

static const weir_pass_info passes[] = {
    {.name = "a", .kind = WEIR_PASS_GRAPH, .preserves = "*", .run = {.graph = log_graph}},
    {.name = "b", .kind = WEIR_PASS_GRAPH, .preserves = "*", .run = {.graph = log_graph}},
    {.name = "needs-a", .kind = WEIR_PASS_GRAPH, .requires = "a", .run = {.graph = log_graph}},
    {.name = "fail", .kind = WEIR_PASS_GRAPH, .run = {.graph = log_and_fail}},
    {.name = "rename", .kind = WEIR_PASS_GRAPH, .run = {.graph = rename_node}},
    {.name = "break", .kind = WEIR_PASS_GRAPH, .run = {.graph = break_order}},
    {.name = "break-all", .kind = WEIR_PASS_MODULE, .run = {.module = break_order_of_all}},
    {.name = "data", .kind = WEIR_PASS_GRAPH, .run = {.graph = change_data}},
    {.name = "touch", .kind = WEIR_PASS_HARDWARE, .run = {.hardware = count_run}},
};

/* --- an instrument that records its calls and fails, skips or passes as told --- */
typedef enum trouble { TROUBLE_NONE, TROUBLE_ENTER, TROUBLE_EXIT, TROUBLE_ASK, TROUBLE_BEFORE, TROUBLE_AFTER } trouble;

typedef struct recorder {
    weir_pass_instrument instrument;
    trouble trouble;
    const char *only; /* the one pass not skipped; NULL: any */
    int before, after;
} recorder;

static bool note_scope(weir_pass_instrument *instrument, const char *what, trouble bad) {
    const recorder *r = instrument->user;
    weir_text_format(&passes_that_ran, "%s %s;", instrument->name, what);
    return r->trouble != bad;
}

static bool on_enter(weir_pass_instrument *instrument, weir_pass_context *context) {
    (void)context;
    return note_scope(instrument, "enter", TROUBLE_ENTER);
}

static bool on_exit_(weir_pass_instrument *instrument, weir_pass_context *context) {
    (void)context;
    return note_scope(instrument, "exit", TROUBLE_EXIT);
}

static weir_pass_decision on_ask(weir_pass_instrument *instrument, const weir_pass_site *site) {
    const recorder *r = instrument->user;
    weir_text_format(&passes_that_ran, "%s ask %s;", instrument->name, weir_pass_name(site->pass));
    if (r->trouble == TROUBLE_ASK) {
        return WEIR_PASS_STOP;
    }
    return r->only && strcmp(r->only, weir_pass_name(site->pass)) != 0 ? WEIR_PASS_SKIP : WEIR_PASS_GO;
}

static bool on_before(weir_pass_instrument *instrument, const weir_pass_site *site) {
    recorder *r = instrument->user;
    r->before++;
    weir_text_format(&passes_that_ran, "%s before %s;", instrument->name, weir_pass_name(site->pass));
    return r->trouble != TROUBLE_BEFORE;
}

static bool on_after(weir_pass_instrument *instrument, const weir_pass_site *site) {
    recorder *r = instrument->user;
    r->after++;
    weir_text_format(&passes_that_ran, "%s after %s;", instrument->name, weir_pass_name(site->pass));
    return r->trouble != TROUBLE_AFTER;
}

static void on_failed(weir_pass_instrument *instrument, const weir_pass_site *site) {
    weir_text_format(&passes_that_ran, "%s failed %s;", instrument->name, weir_pass_name(site->pass));
}

static void init_recorder(recorder *r, const char *name, trouble t) {
    *r = (recorder){.trouble = t};
    r->instrument = (weir_pass_instrument){.name = name,
                                           .user = r,
                                           .enter_context = on_enter,
                                           .exit_context = on_exit_,
                                           .should_run = on_ask,
                                           .before_pass = on_before,
                                           .after_pass = on_after,
                                           .pass_failed = on_failed};
}

/* --- fixture --- */
typedef struct fixture {
    pass_bench bench;
    recorder one, two;
} fixture;

static weir_graph *make_graph(const char *name) {
    weir_graph *graph = weir_graph_new(name);
    const int64_t dims[] = {1, 4};
    weir_type type = {.dtype = WEIR_FLOAT32, .shape = weir_shape_of(2, dims)};
    type.quant.format = WEIR_FORMAT_FLOAT;
    type.quant.axis = -1;
    weir_array *data = weir_array_new(WEIR_FLOAT32, &type.shape);
    weir_value c = weir_graph_add_constant(graph, "c", data);
    weir_array_free(data);
    weir_value inputs[] = {weir_graph_add_input(graph, "x", &type), c};
    weir_node sum = weir_graph_add_node(graph, WEIR_OP_ADD, "sum", inputs, 2, 1, WEIR_NO_NODE);
    weir_value_set_type(graph, weir_node_output(graph, sum, 0), &type);
    weir_value y = weir_node_output(graph, sum, 0);
    weir_node relu = weir_graph_add_node(graph, WEIR_OP_RELU, "relu", &y, 1, 1, WEIR_NO_NODE);
    weir_value_set_type(graph, weir_node_output(graph, relu, 0), &type);
    weir_graph_add_output(graph, "y", weir_node_output(graph, relu, 0));
    return graph;
}

static int setup(void **state) {
    fixture *f = calloc(1, sizeof *f);
    f->bench = pass_bench_open(passes, sizeof passes / sizeof *passes, make_graph("main"), &messages);
    *state = f;
    return 0;
}

static int teardown(void **state) {
    fixture *f = *state;
    pass_bench_close(&f->bench, &messages);
    free(f);
    return 0;
}

static bool run(fixture *f, const char *text) {
    weir_pass *open = weir_pass_parse(f->bench.registry, text, WEIR_NOWHERE);
    assert_non_null(open);
    bool ok = true;
    /* Without the sequence around, so that the events are those of the passes alone. */
    for (size_t i = 0; ok && i < weir_pass_sequence_count(open); i++) {
        ok = weir_pass_run(f->bench.context, weir_pass_sequence_at(open, i), f->bench.module);
    }
    weir_pass_free(open);
    return ok;
}

static void two_recorders(fixture *f, trouble first, trouble second) {
    init_recorder(&f->one, "1", first);
    init_recorder(&f->two, "2", second);
    weir_pass_context_add_instrument(f->bench.context, &f->one.instrument);
    weir_pass_context_add_instrument(f->bench.context, &f->two.instrument);
}

#define assert_events(expected) assert_string_equal(passes_that_ran.data, expected)

static void case_1_timing_names_each_pass(void **state) {
    fixture *f = *state;
    weir_pass_instrument *timing = weir_pass_timing_new();
    weir_pass_context_add_instrument(f->bench.context, timing);
    weir_pass *pass = weir_pass_parse(f->bench.registry, "graph(a,graph(b,b)),needs-a", WEIR_NOWHERE);
    assert_true(weir_pass_run(f->bench.context, pass, f->bench.module));
    weir_pass_free(pass);
    weir_text text = {0};
    weir_pass_timing_print(timing, &text);
    assert_non_null(strstr(text.data, "100.0%"));
    assert_non_null(strstr(text.data, "     1  pipeline\n"));
    assert_non_null(strstr(text.data, "     1    graph\n"));
    assert_non_null(strstr(text.data, "     1      a\n"));
    assert_non_null(strstr(text.data, "     1      graph\n"));
    assert_non_null(strstr(text.data, "     2        b\n"));
    assert_non_null(strstr(text.data, "     1    needs-a\n"));
    weir_text_free(&text);
    weir_pass_context_override(f->bench.context, NULL, 0);
    weir_pass_instrument_free(timing);
}

/* TVM's timing loses its balance when a pass fails; this one does not. */
static void timing_survives_failures(void **state) {
    fixture *f = *state;
    weir_pass_instrument *timing = weir_pass_timing_new();
    weir_pass_context_add_instrument(f->bench.context, timing);
    init_recorder(&f->one, "1", TROUBLE_BEFORE);
    assert_false(run(f, "fail"));
    weir_pass_context_add_instrument(f->bench.context, &f->one.instrument);
    assert_false(run(f, "a"));
    f->one.trouble = TROUBLE_NONE;
    assert_true(run(f, "b"));
    weir_text text = {0};
    weir_pass_timing_print(timing, &text);
    assert_non_null(strstr(text.data, "     1  fail\n"));
    assert_non_null(strstr(text.data, "     1  a\n"));
    assert_non_null(strstr(text.data, "     1  b\n"));
    weir_text_free(&text);
    weir_pass_instrument_free(timing);
}

static void case_2_custom_instrument(void **state) {
    fixture *f = *state;
    init_recorder(&f->one, "1", TROUBLE_NONE);
    f->one.instrument.should_run = NULL; /* hooks may be left out */
    weir_pass_context_add_instrument(f->bench.context, &f->one.instrument);
    assert_true(run(f, "a"));
    assert_events("1 enter;1 before a;a 1 after a;1 exit;");
}

static void case_3_should_run_filters(void **state) {
    fixture *f = *state;
    init_recorder(&f->one, "1", TROUBLE_NONE);
    f->one.only = "a";
    weir_pass_context_add_instrument(f->bench.context, &f->one.instrument);
    assert_true(run(f, "b,a,b"));
    assert_null(strstr(passes_that_ran.data, "before b"));
    assert_non_null(strstr(passes_that_ran.data, "1 before a;a 1 after a;"));
    assert_int_equal(f->one.before, 1);
}

/* Every instrument is asked; one skip is enough; nobody is asked about required passes. */
static void case_4_two_skippers(void **state) {
    fixture *f = *state;
    two_recorders(f, TROUBLE_NONE, TROUBLE_NONE);
    f->one.only = "nothing";
    assert_true(run(f, "a"));
    assert_events("1 enter;2 enter;1 ask a;2 ask a;1 exit;2 exit;");
    weir_text_free(&passes_that_ran);
    weir_pass_context_require(f->bench.context, "a");
    assert_true(run(f, "a"));
    assert_events("1 enter;2 enter;1 before a;2 before a;a 1 after a;2 after a;1 exit;2 exit;");
}

/* A required pass that an instrument skips counts as done. */
static void skipped_requirements(void **state) {
    fixture *f = *state;
    init_recorder(&f->one, "1", TROUBLE_NONE);
    f->one.only = "needs-a";
    weir_pass_context_add_instrument(f->bench.context, &f->one.instrument);
    assert_true(run(f, "needs-a"));
    assert_events("1 enter;1 ask a;1 ask needs-a;1 before needs-a;needs-a 1 after needs-a;1 exit;");
}

static void case_5_counts_agree(void **state) {
    fixture *f = *state;
    two_recorders(f, TROUBLE_NONE, TROUBLE_NONE);
    weir_pass *pass = weir_pass_parse(f->bench.registry, "graph(a,b,needs-a),module(b),rename,needs-a", WEIR_NOWHERE);
    assert_true(weir_pass_run(f->bench.context, pass, f->bench.module));
    weir_pass_free(pass);
    /* pipeline, graph, a, b, needs-a, module, b, rename, a again as needs-a and rename preserve nothing, needs-a */
    assert_int_equal(f->one.before, 10);
    assert_int_equal(f->one.after, 10);
    assert_int_equal(f->two.after, 10);
}

static void case_6_enter_fails(void **state) {
    fixture *f = *state;
    two_recorders(f, TROUBLE_NONE, TROUBLE_ENTER);
    assert_false(run(f, "a"));
    assert_events("1 enter;2 enter;1 exit;");
    assert_int_equal(weir_pass_context_instrument_count(f->bench.context), 0);
    assert_false(weir_pass_context_is_entered(f->bench.context));
    assert_string_equal(messages.data, "error: instrument '2' failed on entering the context\n");
}

static void case_7_enter_fails_in_an_entered_context(void **state) {
    fixture *f = *state;
    init_recorder(&f->one, "1", TROUBLE_NONE);
    init_recorder(&f->two, "2", TROUBLE_ENTER);
    weir_pass_instrument *const both[] = {&f->one.instrument, &f->two.instrument};
    assert_true(weir_pass_context_enter(f->bench.context));
    assert_false(weir_pass_context_override(f->bench.context, both, 2));
    assert_events("1 enter;2 enter;1 exit;");
    assert_int_equal(weir_pass_context_instrument_count(f->bench.context), 0);
    assert_true(run(f, "a"));
    assert_true(weir_pass_context_exit(f->bench.context));
    assert_events("1 enter;2 enter;1 exit;a ");
}

static void case_8_exit_fails(void **state) {
    fixture *f = *state;
    two_recorders(f, TROUBLE_NONE, TROUBLE_EXIT);
    recorder three;
    init_recorder(&three, "3", TROUBLE_NONE);
    weir_pass_context_add_instrument(f->bench.context, &three.instrument);
    assert_true(weir_pass_context_enter(f->bench.context));
    assert_false(weir_pass_context_exit(f->bench.context));
    assert_events("1 enter;2 enter;3 enter;1 exit;2 exit;");
    assert_int_equal(weir_pass_context_instrument_count(f->bench.context), 0);
    assert_false(weir_pass_context_is_entered(f->bench.context));
}

static void case_9_exit_fails_on_override(void **state) {
    fixture *f = *state;
    two_recorders(f, TROUBLE_EXIT, TROUBLE_NONE);
    assert_true(weir_pass_context_enter(f->bench.context));
    assert_false(weir_pass_context_override(f->bench.context, NULL, 0));
    assert_events("1 enter;2 enter;1 exit;");
    assert_int_equal(weir_pass_context_instrument_count(f->bench.context), 0);
    assert_true(weir_pass_context_exit(f->bench.context));
}

static void case_10_pass_fails(void **state) {
    fixture *f = *state;
    init_recorder(&f->one, "1", TROUBLE_NONE);
    weir_pass_context_add_instrument(f->bench.context, &f->one.instrument);
    assert_false(run(f, "fail,a"));
    assert_events("1 enter;1 ask fail;1 before fail;fail 1 failed fail;1 exit;");
}

/* The sequence around fails with its pass. */
static void failing_in_a_sequence(void **state) {
    fixture *f = *state;
    init_recorder(&f->one, "1", TROUBLE_NONE);
    f->one.instrument.should_run = NULL;
    weir_pass_context_add_instrument(f->bench.context, &f->one.instrument);
    assert_false(run(f, "graph(fail,a)"));
    assert_events("1 enter;1 before graph;1 before fail;fail 1 failed fail;1 failed graph;1 exit;");
}

static void case_11_should_run_fails(void **state) {
    fixture *f = *state;
    two_recorders(f, TROUBLE_ASK, TROUBLE_NONE);
    assert_false(run(f, "a"));
    assert_events("1 enter;2 enter;1 ask a;1 exit;2 exit;");
    assert_string_equal(weir_pass_failed_name(f->bench.context), "a");
}

/* 2 got no before, so it gets no failed either; nor does 1, whose before failed. */
static void case_12_before_fails(void **state) {
    fixture *f = *state;
    two_recorders(f, TROUBLE_BEFORE, TROUBLE_NONE);
    assert_false(run(f, "a"));
    assert_events("1 enter;2 enter;1 ask a;2 ask a;1 before a;1 exit;2 exit;");
    assert_string_equal(messages.data, "error: instrument '1' failed before pass 'a'\n");
    assert_int_equal(weir_pass_context_instrument_count(f->bench.context), 2);
}

/* 2 loses its after and is told. */
static void case_13_after_fails(void **state) {
    fixture *f = *state;
    two_recorders(f, TROUBLE_AFTER, TROUBLE_NONE);
    assert_false(run(f, "a"));
    assert_events("1 enter;2 enter;1 ask a;2 ask a;1 before a;2 before a;a 1 after a;2 failed a;1 exit;2 exit;");
}

static void case_14_call_sequence(void **state) {
    fixture *f = *state;
    two_recorders(f, TROUBLE_NONE, TROUBLE_NONE);
    assert_true(weir_pass_context_enter(f->bench.context));
    assert_true(run(f, "a,b"));
    assert_true(weir_pass_context_exit(f->bench.context));
    assert_events("1 enter;2 enter;"
                  "1 ask a;2 ask a;1 before a;2 before a;a 1 after a;2 after a;"
                  "1 ask b;2 ask b;1 before b;2 before b;b 1 after b;2 after b;"
                  "1 exit;2 exit;");
}

static void scope_misuse(void **state) {
    fixture *f = *state;
    assert_false(weir_pass_context_exit(f->bench.context));
    assert_true(weir_pass_context_enter(f->bench.context));
    assert_false(weir_pass_context_enter(f->bench.context));
    assert_true(weir_pass_context_exit(f->bench.context));
}

/* --- built in --- */
static void verifier_names_the_pass(void **state) {
    fixture *f = *state;
    weir_pass_instrument *verifier = weir_pass_verifier_new();
    assert_true(run(f, "break,a,break")); /* nobody looks, and the second break repairs */
    weir_pass_context_add_instrument(f->bench.context, verifier);
    assert_true(run(f, "a,rename,data"));
    assert_string_equal(messages.data, "");
    assert_false(run(f, "a,break,b"));
    assert_non_null(strstr(messages.data, "error: "));
    assert_non_null(strstr(messages.data, "note: pass 'break' left graph 'main' invalid\n"));
    assert_string_equal(weir_pass_failed_name(f->bench.context), "break");
    weir_text_free(&messages);
    assert_false(run(f, "a")); /* broken before the first pass */
    assert_non_null(strstr(messages.data, "note: module 'm' is invalid as it was read, before any pass\n"));
    weir_pass_context_override(f->bench.context, NULL, 0);
    assert_true(run(f, "break"));
    weir_pass_context_override(f->bench.context, &verifier, 1);
    assert_false(run(f, "break-all"));
    assert_non_null(strstr(messages.data, "note: pass 'break-all' left module 'm' invalid\n"));
    weir_pass_instrument_free(verifier);
}

static void print_design(const weir_module *module, weir_text *text) {
    weir_text_format(text, "design %d\n", *(const int *)weir_module_design(module));
}

static bool verify_design(const weir_module *module) {
    if (*(const int *)weir_module_design(module) > 1) {
        weir_error(WEIR_NOWHERE, "the design is worn out");
        return false;
    }
    return true;
}

static void verifier_and_changes_know_designs(void **state) {
    fixture *f = *state;
    static const weir_module_design_calls calls = {.print = print_design, .verify = verify_design};
    int design = 0;
    weir_module_set_design(f->bench.module, (weir_rtl_design *)&design, &calls);
    FILE *file = tmpfile();
    weir_pass_instrument *verifier = weir_pass_verifier_new();
    weir_pass_instrument *changes = weir_pass_changes_new(file, WEIR_PASS_CHANGE_DIFF);
    weir_pass_context_add_instrument(f->bench.context, changes);
    weir_pass_context_add_instrument(f->bench.context, verifier);
    assert_true(run(f, "hardware(touch)"));
    assert_false(run(f, "touch"));
    assert_string_equal(messages.data,
                        "error: the design is worn out\nnote: pass 'touch' left the design of module 'm' invalid\n");
    char text[200] = "";
    rewind(file);
    assert_int_not_equal(fread(text, 1, sizeof text - 1, file), 0);
    assert_string_equal(text, "*** touch on the design of module 'm'\n-design 0\n+design 1\n"
                              "*** touch on the design of module 'm'\n-design 1\n+design 2\n");
    fclose(file);
    weir_pass_instrument_free(verifier);
    weir_pass_instrument_free(changes);
}

/* Removes an input that is read. */
static bool lose_input(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    weir_rtl_module top = weir_rtl_find_module(design, "top");
    weir_rtl_var loose = weir_rtl_add_input(design, top, "loose", 1);
    weir_rtl_assign(design, top, weir_rtl_read(design, weir_rtl_add_output(design, top, "out", 1)),
                    weir_rtl_read(design, loose));
    weir_rtl_remove_var(design, loose);
    (void)context;
    return true;
}

static void designs_of_the_hardware_ir(void **state) {
    fixture *f = *state;
    static const weir_pass_info loosen = {
        .name = "loosen", .kind = WEIR_PASS_HARDWARE, .run = {.hardware = lose_input}};
    assert_true(weir_pass_registry_add(f->bench.registry, &loosen));
    weir_rtl_design *design = weir_rtl_design_new();
    weir_rtl_module top = weir_rtl_add_module(design, "top");
    weir_rtl_add_clock(design, top, "clk");
    weir_module_set_rtl(f->bench.module, design, "top");
    weir_pass_instrument *verifier = weir_pass_verifier_new();
    weir_pass_context_add_instrument(f->bench.context, verifier);
    assert_true(run(f, "module(a)"));
    assert_string_equal(messages.data, "");
    weir_pass_site site = {.context = f->bench.context, .pass = NULL, .module = f->bench.module};
    weir_text text = {0};
    weir_pass *pass = weir_pass_new(f->bench.registry, "touch");
    site.pass = pass;
    weir_pass_site_text(&site, &text);
    assert_non_null(strstr(text.data, "module top"));
    weir_text_free(&text);
    weir_pass_free(pass);
    assert_false(run(f, "loosen"));
    assert_non_null(strstr(messages.data, "loose"));
    assert_non_null(strstr(messages.data, "note: pass 'loosen' left the design of module 'm' invalid\n"));
    weir_module_set_string(f->bench.module, "hardware.top", "tap");
    assert_false(run(f, "a"));
    assert_non_null(strstr(messages.data, "error: the design of module 'm' has no top module 'tap'\n"));
    weir_pass_instrument_free(verifier);
}

/* What the instrument writes while the pipeline runs; heap memory. */
static char *changes_of(fixture *f, const char *pipeline, weir_pass_change_style style) {
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    weir_pass_instrument *changes = weir_pass_changes_new(file, style);
    weir_pass_context_override(f->bench.context, &changes, 1);
    run(f, pipeline);
    weir_pass_context_override(f->bench.context, NULL, 0);
    weir_pass_instrument_free(changes);
    fclose(file);
    return text;
}

static void case_15_print_after_change(void **state) {
    fixture *f = *state;
    char *text = changes_of(f, "a,b,graph(a),fail", WEIR_PASS_CHANGE_DIFF);
    assert_string_equal(text, "");
    free(text);
    text = changes_of(f, "a,rename,a", WEIR_PASS_CHANGE_DIFF);
    assert_memory_equal(text, "*** rename on graph 'main'\n", 27);
    assert_non_null(strstr(text, "\n-"));
    assert_non_null(strstr(text, "\n+"));
    assert_non_null(strstr(text, "renamed"));
    assert_null(strstr(text, "*** a"));
    free(text);
    text = changes_of(f, "data", WEIR_PASS_CHANGE_DIFF); /* only a constant's data differs */
    assert_non_null(strstr(text, "\n-# data of c: "));
    assert_non_null(strstr(text, "\n+# data of c: "));
    free(text);
    text = changes_of(f, "break", WEIR_PASS_CHANGE_TEXT);
    assert_memory_equal(text, "*** break on graph 'main'\n", 26);
    assert_null(strstr(text, "\n+"));
    assert_non_null(strstr(text, "Relu"));
    free(text);
}

static void dump_writes_one_file_a_pass(void **state) {
    fixture *f = *state;
    char folder[] = "weir-dump-XXXXXX";
    assert_non_null(mkdtemp(folder));
    weir_pass_instrument *dump = weir_pass_dump_new(folder);
    weir_graph_set_name(weir_module_graph(f->bench.module, 0), "../ma in");
    weir_pass_context_add_instrument(f->bench.context, dump);
    assert_true(run(f, "graph(a,rename),module(break-all)"));
    static const char *const names[] = {"001_a..._ma_in.txt", "002_rename..._ma_in.txt", "003_break-all.txt"};
    for (int i = 0; i < 3; i++) {
        char *path = weir_path_join(folder, names[i]);
        char *text = weir_file_read(path, &(size_t){0});
        assert_non_null(text);
        assert_non_null(strstr(text, "Relu"));
        assert_int_equal(strstr(text, "renamed") != NULL, i > 0);
        free(text);
        free(path);
    }
    weir_pass_instrument_free(dump);
    weir_remove_tree(folder);
}

static void diff(void **state) {
    (void)state;
    static const struct {
        const char *before, *after, *shown;
    } rows[] = {
        {"", "", ""},
        {"a\n", "a\n", ""},
        {"", "a\nb\n", "+a\n+b\n"},
        {"a\nb\n", "", "-a\n-b\n"},
        {"a\nb\nc\n", "a\nx\nc\n", " a\n-b\n+x\n c\n"},
        {"1\n2\n3\n4\n5\n6\n7\n", "1\n2\nx\n4\n5\n6\ny\n", "@@\n 2\n-3\n+x\n 4\n@@\n 6\n-7\n+y\n"},
        {"a\na\na\n", "a\na\n", "@@\n a\n-a\n"},
        {"a\nb\nc\nd\n", "b\nc\nd\ne\n", "-a\n b\n@@\n d\n+e\n"},
        {"a", "a\n", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        weir_text text = {0};
        weir_text_add(&text, "");
        weir_pass_diff(rows[i].before, rows[i].after, 1, &text);
        assert_string_equal(text.data, rows[i].shown);
        weir_text_free(&text);
    }
}

static void diff_of_large_texts(void **state) {
    (void)state;
    weir_text before = {0}, after = {0}, shown = {0};
    for (int i = 0; i < 5000; i++) {
        weir_text_format(&before, "a%d\n", i);
        weir_text_format(&after, "b%d\n", i);
    }
    weir_pass_diff(before.data, after.data, 3, &shown);
    assert_memory_equal(shown.data, "-a0\n-a1\n", 8);
    assert_string_equal(shown.data + shown.size - 14, "+b4998\n+b4999\n");
    weir_text_free(&before);
    weir_text_free(&after);
    weir_text_free(&shown);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(case_1_timing_names_each_pass),
        CASE(timing_survives_failures),
        CASE(case_2_custom_instrument),
        CASE(case_3_should_run_filters),
        CASE(case_4_two_skippers),
        CASE(skipped_requirements),
        CASE(case_5_counts_agree),
        CASE(case_6_enter_fails),
        CASE(case_7_enter_fails_in_an_entered_context),
        CASE(case_8_exit_fails),
        CASE(case_9_exit_fails_on_override),
        CASE(case_10_pass_fails),
        CASE(failing_in_a_sequence),
        CASE(case_11_should_run_fails),
        CASE(case_12_before_fails),
        CASE(case_13_after_fails),
        CASE(case_14_call_sequence),
        CASE(scope_misuse),
        CASE(verifier_names_the_pass),
        CASE(verifier_and_changes_know_designs),
        CASE(designs_of_the_hardware_ir),
        CASE(case_15_print_after_change),
        CASE(dump_writes_one_file_a_pass),
        CASE(diff),
        CASE(diff_of_large_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
