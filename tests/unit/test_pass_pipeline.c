/* Pipelines as text, options, configuration, registration and the table of passes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/messages.h"
#include "common/text_pair.h"
#include "ir/graph/graph.h"
#include "pass/core/record.h"

static weir_text messages;

/* A table as pass.def would hold it. */
#define TABLE                                                                                                          \
    WEIR_PASS(GRAPH, fold_constants, "fold-constants", 2, EXACT, "", "*", "", "evaluates constant nodes",              \
              WEIR_NO_OPTIONS)                                                                                         \
    WEIR_PASS(GRAPH, quantize, "quantize", 2, CHANGES, "fold-constants", "", "", "chooses integer codes",              \
              WEIR_OPTION("scheme", ENUM, "int8", "int8|int4|fixed", "the codes")                                      \
                  WEIR_OPTION("calibration", ENUM, "max", "max|percentile", "where ranges come from")                  \
                      WEIR_OPTION("percentile", REAL, "99.9", "0..100", "share of values kept")                        \
                          WEIR_OPTION("width", INT, "8", "2..16", "bits")                                              \
                              WEIR_OPTION("symmetric", BOOL, "true", NULL, "no zero points")                           \
                                  WEIR_OPTION("skip", STRING, "", NULL, "names of nodes to leave alone"))              \
    WEIR_PASS(MODULE, emit, "emit", 0, EXACT, "quantize", "*", "", "makes the design",                                 \
              WEIR_OPTION("seed", INT, "-1", NULL, "any integer"))                                                     \
    WEIR_PASS(HARDWARE, lint, "lint", 1, EXACT, "emit", "*", "", "looks for latches", WEIR_NO_OPTIONS)

#define WEIR_PASS WEIR_PASS_DECLARE
TABLE
#undef WEIR_PASS
#define WEIR_PASS WEIR_PASS_OPTIONS
TABLE
#undef WEIR_PASS
#define WEIR_PASS WEIR_PASS_RECORD
static const weir_pass_info passes[] = {TABLE};
#undef WEIR_PASS

bool weir_pass_fold_constants(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    (void)context;
    (void)graph;
    return true;
}

/* Checks the options that the test options_reach_the_pass sets. */
bool weir_pass_quantize(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)graph;
    assert_int_equal(weir_pass_choice(pass, "scheme"), 1);
    assert_string_equal(weir_pass_string(pass, "scheme"), "int4");
    assert_string_equal(weir_pass_string(pass, "calibration"), "max");
    assert_true(weir_pass_real(pass, "percentile") == 0.5);
    assert_int_equal(weir_pass_int(pass, "width"), 8);
    assert_false(weir_pass_bool(pass, "symmetric"));
    assert_string_equal(weir_pass_string(pass, "skip"), "conv 1,\"x\"");
    assert_true(weir_pass_is_set(pass, "scheme"));
    assert_false(weir_pass_is_set(pass, "calibration"));
    weir_pass_count(context, "seen", 1);
    return true;
}

bool weir_pass_emit(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    (void)pass;
    (void)context;
    (void)module;
    return true;
}

bool weir_pass_lint(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    (void)context;
    (void)design;
    return true;
}

static int setup(void **state) {
    weir_diag_set_handler(keep_message, &messages);
    weir_text_add(&messages, "");
    weir_pass_registry *registry = weir_pass_registry_new();
    assert_true(weir_pass_registry_add_all(registry, passes, sizeof passes / sizeof *passes));
    assert_true(
        weir_pass_registry_add_pipeline(registry, WEIR_PASS_GRAPH, "tidy", "fold-constants,fold-constants", ""));
    assert_true(weir_pass_registry_add_pipeline(registry, WEIR_PASS_MODULE, "default",
                                                "graph(tidy,quantize{width=4}),emit", "all of it"));
    assert_true(weir_pass_registry_check(registry));
    *state = registry;
    return 0;
}

static int teardown(void **state) {
    weir_pass_registry_free(*state);
    weir_text_free(&messages);
    weir_diag_set_handler(NULL, NULL);
    return 0;
}

static void assert_printed(weir_pass_registry *registry, const char *text, const char *printed) {
    weir_pass *pass = weir_pass_parse(registry, text, WEIR_NOWHERE);
    assert_string_equal(messages.data, "");
    assert_non_null(pass);
    weir_text out = {0};
    weir_pass_print(pass, &out);
    assert_string_equal(out.data, printed);
    weir_text_free(&out);
    weir_pass_free(pass);
}

static void round_trips(void **state) {
    static const char *const texts[] = {
        "",
        "fold-constants",
        "graph(fold-constants,quantize{scheme=int8 calibration=max}),emit,hardware(lint)",
        "module(graph(graph(),tidy),module(emit)),default",
        "quantize{percentile=0.1},quantize{percentile=1e-09 width=16 symmetric=false}",
        "quantize{skip=\"a b\"},quantize{skip=a/b.c:0},quantize{skip=\"\"},quantize{skip=\"q\\\"\\\\\\n\\u0001\"}",
        "quantize{skip=\"\xc3\xa9\"},quantize{skip=\"\\u00ff\"}",
        "emit{seed=-9223372036854775808}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_printed(*state, texts[i], texts[i]);
    }
}

static void canonical_form(void **state) {
    assert_printed(*state,
                   " # a comment\n graph ( fold-constants ,\n\tquantize { calibration = max,scheme=int8, } )\r\n",
                   "graph(fold-constants,quantize{scheme=int8 calibration=max})");
    assert_printed(*state, "emit{seed=0x1f},quantize{percentile=0.50 skip=\"plain\"}",
                   "emit{seed=31},quantize{percentile=0.5 skip=plain}");
    assert_printed(*state, "emit{}", "emit");
}

static void errors_have_a_place(void **state) {
    static const text_pair rows[] = {
        {"graph(fold-constant)",
         "p:1: error: column 7: unknown pass 'fold-constant'\nnote: did you mean 'fold-constants'?\n"},
        {"emit,\n  lind", "p:2: error: column 3: unknown pass 'lind'\nnote: did you mean 'lint'?\n"},
        {"emit,", "p:1: error: column 6: expected a pass, found the end\n"},
        {",emit", "p:1: error: column 1: expected a pass, found ','\n"},
        {"emit emit", "p:1: error: column 6: expected ',', found 'e'\n"},
        {"graph(fold-constants", "p:1: error: column 21: expected ',' or ')', found the end\n"},
        {"emit)", "p:1: error: column 5: expected ',', found ')'\n"},
        {"graph", "p:1: error: column 6: expected '(' after the kind of unit, found the end\n"},
        {"graph(emit)", "p:1: error: column 7: module 'emit' does not fit into graph(...)\n"},
        {"hardware(graph())", "p:1: error: column 10: sequence 'graph' does not fit into hardware(...)\n"},
        {"graph(default)", "p:1: error: column 7: sequence 'default' does not fit into graph(...)\n"},
        {"quantize{sceme=int8}",
         "p:1: error: column 10: pass 'quantize' has no option 'sceme'\nnote: did you mean 'scheme'?\n"},
        {"quantize{scheme=int9}", "p:1: error: column 10: option 'scheme' of pass 'quantize' must be one of 'int8', "
                                  "'int4', 'fixed', found 'int9'\nnote: did you mean 'int8'?\n"},
        {"quantize{width=17}",
         "p:1: error: column 10: option 'width' of pass 'quantize' must be an integer from 2 up to 16, found '17'\n"},
        {"quantize{width=8.0}",
         "p:1: error: column 10: option 'width' of pass 'quantize' must be an integer from 2 up to 16, found '8.0'\n"},
        {"quantize{percentile=nan}", "p:1: error: column 10: option 'percentile' of pass 'quantize' must be a number "
                                     "from 0 up to 100, found 'nan'\n"},
        {"quantize{symmetric=yes}",
         "p:1: error: column 10: option 'symmetric' of pass 'quantize' must be true or false, found 'yes'\n"},
        {"quantize{width=4 width=5}", "p:1: error: column 18: option 'width' of pass 'quantize' is given twice\n"},
        {"quantize{width 4}", "p:1: error: column 16: expected '=' and a value, found '4'\n"},
        {"quantize{width=}", "p:1: error: column 16: expected a value, found '}'\n"},
        {"quantize{width=4", "p:1: error: column 17: expected an option name or '}', found the end\n"},
        {"quantize{skip=\"abc}", "p:1: error: column 15: the string has no end on its line\n"},
        {"quantize{skip=\"a\\q\"}", "p:1: error: column 18: unknown escape in a string\n"},
        {"quantize{skip=\"a\\u00", "p:1: error: column 18: unknown escape in a string\n"},
        {"emit{seed=99999999999999999999}", "p:1: error: column 6: option 'seed' of pass 'emit' must be an integer, "
                                            "found '99999999999999999999'\n"},
        {"\x01", "p:1: error: column 1: expected a pass, found byte 0x01\n"},
        {"default{a=1}", "p:1: error: column 8: expected ',', found '{'\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        weir_text_free(&messages);
        weir_text_add(&messages, "");
        assert_null(weir_pass_parse(*state, rows[i].text, weir_at("p", 0)));
        assert_string_equal(messages.data, rows[i].expected);
    }
}

static void deep_nesting_is_refused(void **state) {
    weir_text text = {0};
    for (int i = 0; i < 1000; i++) { /* wide is fine */
        weir_text_add(&text, i ? ",graph(tidy)" : "graph(tidy)");
    }
    assert_printed(*state, text.data, text.data);
    weir_text_free(&text);
    for (int i = 0; i < 100000; i++) {
        weir_text_add(&text, "graph(");
    }
    assert_null(weir_pass_parse(*state, text.data, WEIR_NOWHERE));
    assert_string_equal(messages.data, "error: column 385: the pipeline nests deeper than 64\n");
    weir_text_free(&text);
}

/* Every prefix and every single-byte change of a valid text either parses or reports; the sanitizers watch. */
static void damaged_texts(void **state) {
    static const char text[] = "graph(tidy,quantize{scheme=int4 skip=\"a\\u0001\"}),emit{seed=3},default # c\n";
    static const char bytes[] = {'(', ')', '{', '}', '"', '\\', ',', '=', '#', '\n', 'a', '9', ' ', (char)0xff};
    char changed[sizeof text];
    for (size_t i = 0; i < sizeof text; i++) {
        for (size_t b = 0; b <= sizeof bytes; b++) {
            memcpy(changed, text, sizeof text);
            changed[i] = b < sizeof bytes ? bytes[b] : 0;
            changed[sizeof text - 1] = 0;
            size_t errors = weir_diag_errors();
            weir_pass *pass = weir_pass_parse(*state, changed, WEIR_NOWHERE);
            assert_int_equal(pass == NULL, weir_diag_errors() != errors);
            weir_pass_free(pass);
        }
    }
}

static void named_pipelines(void **state) {
    weir_pass_registry *registry = *state;
    weir_pass *pass = weir_pass_new(registry, "default");
    assert_non_null(pass);
    assert_true(weir_pass_is_sequence(pass));
    assert_string_equal(weir_pass_name(pass), "default");
    assert_int_equal(weir_pass_sequence_count(pass), 2);
    const weir_pass *group = weir_pass_sequence_at(pass, 0);
    assert_string_equal(weir_pass_name(weir_pass_sequence_at(group, 0)), "tidy");
    assert_int_equal(weir_pass_int(weir_pass_sequence_at(group, 1), "width"), 4);
    assert_false(weir_pass_set(pass, "width", "4"));
    weir_text_free(&messages);
    weir_pass_free(pass);
    weir_pass_registry_add_pipeline(registry, WEIR_PASS_MODULE, "loop", "emit,\nmodule(pool)", "");
    weir_pass_registry_add_pipeline(registry, WEIR_PASS_MODULE, "pool", "loop", "");
    assert_null(weir_pass_new(registry, "loop"));
    assert_string_equal(messages.data, "pool:1: error: column 1: pipeline 'loop' contains itself\n"
                                       "note: in the text of pipeline 'pool'\n"
                                       "note: in the text of pipeline 'loop'\n");
}

static void options_reach_the_pass(void **state) {
    weir_pass_registry *registry = *state;
    weir_pass_context *context = weir_pass_context_new(registry);
    weir_module *module = weir_module_new("m");
    weir_module_add_graph(module, weir_graph_new("main"));
    weir_pass *pass = weir_pass_parse(
        registry, "quantize{scheme=int4 percentile=.5 symmetric=false skip=\"conv 1,\\\"x\\\"\"}", WEIR_NOWHERE);
    assert_non_null(pass);
    assert_true(weir_pass_run(context, pass, module));
    weir_pass_free(pass);
    pass = weir_pass_new(registry, "quantize");
    assert_true(weir_pass_set(pass, "scheme", "int8"));
    assert_true(weir_pass_set(pass, "scheme", "int4")); /* the last one counts */
    assert_true(weir_pass_set(pass, "percentile", "5e-1"));
    assert_true(weir_pass_set(pass, "symmetric", "false"));
    assert_true(weir_pass_set(pass, "skip", "first"));
    assert_true(weir_pass_set(pass, "skip", "conv 1,\"x\""));
    assert_false(weir_pass_set(pass, "skipp", ""));
    assert_true(weir_pass_run(context, pass, module));
    assert_int_equal(weir_pass_statistic(context, "quantize", "seen"), 2);
    weir_pass_free(pass);
    weir_module_free(module);
    weir_pass_context_free(context);
}

/* A requirement that ran with options runs with the same options when its result was lost. */
static bool check_width(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)graph;
    weir_pass_count(context, "width", weir_pass_int(pass, "width"));
    return true;
}

static void requirements_keep_their_options(void **state) {
    (void)state;
    static const weir_pass_option width[] = {{"width", WEIR_PASS_INT, "1", NULL, ""}, {.name = NULL}};
    const weir_pass_info infos[] = {
        {.name = "q", .kind = WEIR_PASS_GRAPH, .options = width, .preserves = "*", .run = {.graph = check_width}},
        {.name = "spoil", .kind = WEIR_PASS_GRAPH, .run = {.graph = weir_pass_fold_constants}},
        {.name = "user", .kind = WEIR_PASS_GRAPH, .requires = "q", .run = {.graph = weir_pass_fold_constants}},
    };
    weir_pass_registry *registry = weir_pass_registry_new();
    assert_true(weir_pass_registry_add_all(registry, infos, 3));
    weir_pass_context *context = weir_pass_context_new(registry);
    weir_module *module = weir_module_new("m");
    weir_module_add_graph(module, weir_graph_new("main"));
    weir_pass *pass = weir_pass_parse(registry, "user,q{width=10},spoil,user", WEIR_NOWHERE);
    assert_true(weir_pass_run(context, pass, module));
    assert_int_equal(weir_pass_statistic(context, "q", "width"), 1 + 10 + 10);
    weir_pass_free(pass);
    weir_module_free(module);
    weir_pass_context_free(context);
    weir_pass_registry_free(registry);
}

static void case_12_configuration(void **state) {
    weir_pass_registry *registry = *state;
    static const weir_pass_option keys[] = {
        {"dse.budget", WEIR_PASS_INT, "100", "0..", "LUTs"},
        {"emit.style", WEIR_PASS_ENUM, "plain", "plain|compact", "of the Verilog"},
        {"emit.banner", WEIR_PASS_STRING, "none", NULL, "first line"},
        {"emit.check", WEIR_PASS_BOOL, "false", NULL, "parameters"},
        {"fold.limit", WEIR_PASS_REAL, "0.5", "..1", "share"},
    };
    weir_pass_context *context = weir_pass_context_new(registry);
    for (size_t i = 0; i < 5; i++) { /* keys may come after the context */
        assert_true(weir_pass_registry_add_config(registry, &keys[i]));
    }
    assert_int_equal(weir_pass_config_int(context, "dse.budget"), 100);
    assert_true(weir_pass_config_set(context, "emit.style", "compact"));
    assert_true(weir_pass_config_set(context, "emit.banner", "by hand"));
    assert_true(weir_pass_config_set(context, "emit.check", "true"));
    assert_true(weir_pass_config_set(context, "fold.limit", "-3"));
    assert_int_equal(weir_pass_config_choice(context, "emit.style"), 1);
    assert_string_equal(weir_pass_config_string(context, "emit.style"), "compact");
    assert_string_equal(weir_pass_config_string(context, "emit.banner"), "by hand");
    assert_true(weir_pass_config_bool(context, "emit.check"));
    assert_true(weir_pass_config_real(context, "fold.limit") == -3);
    assert_false(weir_pass_config_set(context, "dse.buget", "1"));
    assert_false(weir_pass_config_set(context, "dse.budget", "-1"));
    assert_false(weir_pass_config_set(context, "fold.limit", "1.5"));
    assert_false(weir_pass_registry_add_config(registry, &keys[0]));
    assert_string_equal(messages.data,
                        "error: the configuration has no option 'dse.buget'\nnote: did you mean 'dse.budget'?\n"
                        "error: option 'dse.budget' of the configuration must be an integer from 0, found '-1'\n"
                        "error: option 'fold.limit' of the configuration must be a number up to 1, found '1.5'\n"
                        "error: the configuration has two options 'dse.budget'\n");
    weir_pass_context_free(context);
}

static void registration_is_checked(void **state) {
    weir_pass_registry *registry = *state;
    static const weir_pass_option bad_default[] = {{"n", WEIR_PASS_INT, "9", "1..8", ""}, {.name = NULL}};
    static const weir_pass_option bad_domain[] = {{"n", WEIR_PASS_ENUM, "a", "a||b", ""}, {.name = NULL}};
    static const weir_pass_option twice[] = {
        {"n", WEIR_PASS_STRING, "a", NULL, ""}, {"n", WEIR_PASS_BOOL, "true", NULL, ""}, {.name = NULL}};
    const weir_pass_info infos[] = {
        {.name = "Upper", .kind = WEIR_PASS_GRAPH, .run = {.graph = weir_pass_fold_constants}},
        {.name = " lead", .kind = WEIR_PASS_GRAPH, .run = {.graph = weir_pass_fold_constants}},
        {.name = "graph", .kind = WEIR_PASS_GRAPH, .run = {.graph = weir_pass_fold_constants}},
        {.name = "tidy", .kind = WEIR_PASS_GRAPH, .run = {.graph = weir_pass_fold_constants}},
        {.name = "five", .kind = WEIR_PASS_GRAPH, .level = 5, .run = {.graph = weir_pass_fold_constants}},
        {.name = "idle", .kind = WEIR_PASS_GRAPH},
        {.name = "d", .kind = WEIR_PASS_GRAPH, .options = bad_default, .run = {.graph = weir_pass_fold_constants}},
        {.name = "e", .kind = WEIR_PASS_GRAPH, .options = bad_domain, .run = {.graph = weir_pass_fold_constants}},
        {.name = "f", .kind = WEIR_PASS_GRAPH, .options = twice, .run = {.graph = weir_pass_fold_constants}},
    };
    static const char rule[] = "is not a pass name: expected lower case letters, digits, '-', '_' and '.', other than "
                               "'module', 'graph' and 'hardware'";
    weir_text said = {0};
    weir_text_format(&said, "error: 'Upper' %s\nerror: ' lead' %s\nerror: 'graph' %s\n", rule, rule, rule);
    weir_text_add(&said, "error: 'tidy' is registered twice\n"
                         "error: pass 'five' has level 5, expected 0 to 4\n"
                         "error: pass 'idle' has no function to run\n"
                         "error: option 'n' of pass 'd' has the default '9', expected an integer from 1 up to 8\n"
                         "error: option 'n' of pass 'e' has the domain 'a||b', expected words separated by '|'\n"
                         "error: pass 'f' has two options 'n'\n");
    assert_false(weir_pass_registry_add_all(registry, infos, sizeof infos / sizeof *infos));
    assert_string_equal(messages.data, said.data);
    weir_text_free(&said);
    assert_null(weir_pass_new(registry, "quantise"));
    assert_int_equal(weir_pass_registry_count(registry), 4);
}

static void listing(void **state) {
    weir_text text = {0};
    weir_pass_registry_print(*state, &text);
    assert_string_equal(text.data,
                        "fold-constants (graph, level 2, exact): evaluates constant nodes\n"
                        "quantize (graph, level 2, changes, requires fold-constants): chooses integer codes\n"
                        "    scheme: int8|int4|fixed, default int8: the codes\n"
                        "    calibration: max|percentile, default max: where ranges come from\n"
                        "    percentile: real 0..100, default 99.9: share of values kept\n"
                        "    width: int 2..16, default 8: bits\n"
                        "    symmetric: bool, default true: no zero points\n"
                        "    skip: string, default \"\": names of nodes to leave alone\n"
                        "emit (module, level 0, exact, requires quantize): makes the design\n"
                        "    seed: int, default -1: any integer\n"
                        "lint (hardware, level 1, exact, requires emit): looks for latches\n"
                        "tidy (graph pipeline fold-constants,fold-constants): \n"
                        "default (module pipeline graph(tidy,quantize{width=4}),emit): all of it\n");
    weir_text_free(&text);
}

static void listing_as_json(void **state) {
    json_t *all = weir_pass_registry_json(*state), *one = weir_pass_registry_json_one(*state, "quantize");
    assert_int_equal(json_array_size(json_object_get(all, "entries")), 6);
    assert_true(json_equal(json_array_get(json_object_get(all, "entries"), 1), one));
    const json_t *options = json_object_get(one, "options"), *width = json_array_get(options, 3);
    json_t *wanted = json_pack("{s:s, s:s, s:s, s:s, s:s}", "name", "width", "kind", "int", "default", "8", "domain",
                               "2..16", "help", "bits");
    assert_true(json_equal(width, wanted));
    assert_string_equal(json_string_value(json_array_get(json_object_get(one, "requires"), 0)), "fold-constants");
    assert_null(weir_pass_registry_json_one(*state, "quantise"));
    assert_string_equal(messages.data, "error: unknown pass 'quantise'\nnote: did you mean 'quantize'?\n");
    json_decref(wanted);
    json_decref(one);
    json_decref(all);
}

static void listing_of_one(void **state) {
    weir_text text = {0};
    assert_true(weir_pass_registry_print_one(*state, "emit", &text));
    assert_true(weir_pass_registry_print_one(*state, "tidy", &text));
    assert_string_equal(text.data, "emit: makes the design\n    kind: module\n    level: 0\n    results: exact\n"
                                   "    requires: quantize\n    preserves: *\n    invalidates: none\n"
                                   "    options:\n        seed: int, default -1: any integer\n"
                                   "tidy (graph pipeline fold-constants,fold-constants): \n");
    assert_false(weir_pass_registry_print_one(*state, "emitt", &text));
    assert_string_equal(messages.data, "error: unknown pass 'emitt'\nnote: did you mean 'emit'?\n");
    weir_text_free(&text);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(round_trips),
        CASE(canonical_form),
        CASE(errors_have_a_place),
        CASE(deep_nesting_is_refused),
        CASE(damaged_texts),
        CASE(named_pipelines),
        CASE(options_reach_the_pass),
        CASE(requirements_keep_their_options),
        CASE(case_12_configuration),
        CASE(registration_is_checked),
        CASE(listing),
        CASE(listing_as_json),
        CASE(listing_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
