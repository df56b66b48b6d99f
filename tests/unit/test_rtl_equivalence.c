/* Equivalence of hardware designs: right rewrites are proved and pass the test, planted wrong ones are found by the
 * proof and by the test, each with its cycle, its port and both values. Needs yosys and iverilog; skipped without. */
#include "test_rtlir_support.h"

#include "passes/equivalence/equivalence.h"
#include "rtlir/edit/mutate.h"
#include "rtlir/text/text.h"
#include "support/process/process.h"
#include "test_pass_bench.h"

/* Registers with and without reset, an initial value, a memory, a latch, a subtraction, an if with an else. */
static const char design_text[] = "wrtl 1\n"
                                  "module leaf {\n"
                                  "  input clk : $clock\n"
                                  "  input a : 4\n"
                                  "  input b : 4\n"
                                  "  output difference : 4\n"
                                  "  variable r : 4\n"
                                  "  body {\n"
                                  "    always posedge clk {\n"
                                  "      next r = (a - b)\n"
                                  "    }\n"
                                  "    assign difference = r\n"
                                  "  }\n"
                                  "}\n"
                                  "module top {\n"
                                  "  input clk : $clock\n"
                                  "  input rst_n : $async_reset\n"
                                  "  input a : 4\n"
                                  "  input b : 4\n"
                                  "  input en : 1\n"
                                  "  output y : 4\n"
                                  "  output z : 8\n"
                                  "  output held : 4\n"
                                  "  output early : 4\n"
                                  "  variable count : 4\n"
                                  "  variable free : 4\n"
                                  "  variable m : memory[4] 4\n"
                                  "  instances {\n"
                                  "    u_leaf : leaf\n"
                                  "  }\n"
                                  "  body {\n"
                                  "    instance u_leaf {\n"
                                  "      connect clk = clk\n"
                                  "      connect a = a\n"
                                  "      connect b = b\n"
                                  "      connect difference = y\n"
                                  "    }\n"
                                  "    initial {\n"
                                  "      set free = 4'h0\n"
                                  "    }\n"
                                  "    always posedge clk, negedge rst_n {\n"
                                  "      if (!$data(rst_n)) {\n"
                                  "        next count = 4'h9\n"
                                  "      } else {\n"
                                  "        next count = (count + {3'h0, en})\n"
                                  "      }\n"
                                  "    }\n"
                                  "    always posedge clk {\n"
                                  "      next free = (free + 4'h1)\n"
                                  "      if en {\n"
                                  "        next m[a[1:0]] = b\n"
                                  "      }\n"
                                  "    }\n"
                                  "    latch {\n"
                                  "      if en {\n"
                                  "        set held = a\n"
                                  "      }\n"
                                  "    }\n"
                                  "    combinational {\n"
                                  "      if en {\n"
                                  "        set early = (a ^ free)\n"
                                  "      } else {\n"
                                  "        set early = b\n"
                                  "      }\n"
                                  "    }\n"
                                  "    assign z = {count, m[b[1:0]]}\n"
                                  "  }\n"
                                  "}\n";

/* --- the text with one line in place of another --- */
static char *replaced(const char *text, const char *old, const char *other) {
    const char *at = strstr(text, old);
    assert_non_null(at);
    return weir_format("%.*s%s%s", (int)(at - text), text, other, at + strlen(old));
}

static weir_rtl_verdict compare(const char *before, const char *after, weir_rtl_method method, weir_text *text) {
    weir_rtl_equivalence how = WEIR_RTL_EQUIVALENCE_DEFAULTS;
    how.method = method;
    const weir_rtl_version versions[] = {{before, strlen(before), "top"}, {after, strlen(after), "top"}};
    return weir_rtl_compare(&versions[0], &versions[1], &how, text);
}

static bool has_tools(void) { return weir_process_found("yosys") && weir_simulator_found(WEIR_SIM_ICARUS); }

/* One change of the design, and what its proof and its test must say: the start of the text. */
typedef struct change {
    const char *what, *old, *other;
    weir_rtl_verdict proof, test;
    const char *port;
} change;

static const change changes[] = {
    {"the same", "a - b", "a - b", WEIR_RTL_PROVED, WEIR_RTL_TESTED, NULL},
    {"a subtraction as a sum", "(a - b)", "((a + (~b)) + 4'h1)", WEIR_RTL_PROVED, WEIR_RTL_TESTED, NULL},
    {"an if the other way round",
     "if en {\n        set early = (a ^ free)\n      } else {\n        set early = b\n      }",
     "if (!en) {\n        set early = b\n      } else {\n        set early = (free ^ a)\n      }", WEIR_RTL_PROVED,
     WEIR_RTL_TESTED, NULL},
    {"operands swapped", "(a - b)", "(b - a)", WEIR_RTL_DIFFERENT, WEIR_RTL_DIFFERENT, "y"},
    {"bits reversed", "assign difference = r", "assign difference = {r[0], r[1], r[2], r[3]}", WEIR_RTL_DIFFERENT,
     WEIR_RTL_DIFFERENT, "y"},
    {"another reset value", "4'h9", "4'h8", WEIR_RTL_DIFFERENT, WEIR_RTL_DIFFERENT, "z"},
    {"no initial value", "    initial {\n      set free = 4'h0\n    }\n", "", WEIR_RTL_DIFFERENT, WEIR_RTL_DIFFERENT,
     "early"},
    {"an enable ignored", "      if en {\n        next m[a[1:0]] = b\n      }", "      next m[a[1:0]] = b",
     WEIR_RTL_DIFFERENT, WEIR_RTL_DIFFERENT, "z"},
    {"a latch that is open", "      if en {\n        set held = a\n      }", "      set held = a", WEIR_RTL_DIFFERENT,
     WEIR_RTL_DIFFERENT, "held"},
    {"another address", "m[b[1:0]]", "m[b[2:1]]", WEIR_RTL_DIFFERENT, WEIR_RTL_DIFFERENT, "z"},
    {"another port", "output held : 4", "output held_ : 4", WEIR_RTL_NOT_COMPARED, WEIR_RTL_NOT_COMPARED, NULL},
};

static void check_change(const change *c, weir_rtl_method method) {
    weir_text text = {0};
    char *after = replaced(design_text, c->old, c->other);
    if (strstr(c->other, "held_") != NULL) {
        char *renamed = replaced(after, "set held =", "set held_ =");
        free(after);
        after = renamed;
    }
    const weir_rtl_verdict verdict = compare(design_text, after, method, &text);
    const weir_rtl_verdict expected = method == WEIR_RTL_PROOF ? c->proof : c->test;
    char *port = weir_format("'%s' is ", c->port == NULL ? "" : c->port);
    if (verdict != expected || (c->port != NULL && (strncmp(text.data, "cycle ", 6) != 0 || !strstr(text.data, port))))
        fail_msg("%s, %s: verdict %d\n%s", c->what, method == WEIR_RTL_PROOF ? "proof" : "test", (int)verdict,
                 text.data);
    free(port);
    free(after);
    weir_text_free(&text);
}

static void proofs_and_tests_find_changes(void **state) {
    (void)state;
    if (!has_tools()) skip();
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        check_change(&changes[i], WEIR_RTL_PROOF);
        check_change(&changes[i], WEIR_RTL_TEST);
    }
}

/* --- what stands in the way of a proof, or of any comparison --- */
#define HEAD "wrtl 1\nmodule top {\n  input clk : $clock\n  input clk_b : $clock\n"
static const char two_clocks[] = HEAD "  input a : 4\n  output y : 4\n  output z : 4\n  body {\n"
                                      "    always posedge clk {\n      next y = a\n    }\n"
                                      "    always posedge clk_b {\n      next z = y\n    }\n  }\n}\n";
static const char undriven[] = "wrtl 1\nmodule top {\n  output y : 4\n  body {\n  }\n}\n";
static const char external[] = "wrtl 1\nmodule away external \"nowhere/away.v\" {\n  output y : 4\n}\n"
                               "module top {\n  output y : 4\n  instances {\n    u : away\n  }\n  body {\n"
                               "    instance u {\n      connect y = y\n    }\n  }\n}\n";
static const char driven[] = "wrtl 1\nmodule top {\n  output y : 4\n  body {\n    assign y = 4'h0\n  }\n}\n";

static void designs_of_several_clocks_are_tested(void **state) {
    (void)state;
    if (!has_tools()) skip();
    weir_text text = {0};
    char *same = replaced(two_clocks, "next z = y", "next z = (y + 4'h0)");
    char *other = replaced(two_clocks, "always posedge clk_b", "always posedge clk");
    assert_int_equal(compare(two_clocks, same, WEIR_RTL_PROOF_OR_TEST, &text), WEIR_RTL_TESTED);
    assert_string_equal(text.data, "tested, 256 cycles, seed 1 (not proved: 'before_top' has several clocks)");
    assert_int_equal(compare(two_clocks, other, WEIR_RTL_PROOF_OR_TEST, &text), WEIR_RTL_DIFFERENT);
    assert_int_equal(compare(two_clocks, same, WEIR_RTL_PROOF, &text), WEIR_RTL_NOT_COMPARED);
    free(same);
    free(other);
    weir_text_free(&text);
}

static void large_designs_are_tested(void **state) {
    (void)state;
    if (!has_tools()) skip();
    weir_text text = {0};
    const weir_rtl_equivalence how = {.cycles = 16, .seed = 7, .simulator = WEIR_SIM_ICARUS, .cells = 3, .seconds = 1};
    const weir_rtl_version version = {design_text, strlen(design_text), "top"};
    assert_int_equal(weir_rtl_compare(&version, &version, &how, &text), WEIR_RTL_TESTED);
    assert_string_equal(text.data, "tested, 16 cycles, seed 7 (not proved: the designs are too large)");
    weir_text_free(&text);
}

/* Verilator takes unknown bits for zeros, so it finds a little less; what it finds is the same. */
static void verilator_tests_too(void **state) {
    (void)state;
    if (!weir_simulator_found(WEIR_SIM_VERILATOR)) skip();
    weir_text text = {0}, icarus = {0};
    char *after = replaced(design_text, "(a - b)", "(b - a)");
    weir_rtl_equivalence how = WEIR_RTL_EQUIVALENCE_DEFAULTS;
    how.method = WEIR_RTL_TEST;
    how.simulator = WEIR_SIM_VERILATOR;
    const weir_rtl_version versions[] = {{design_text, strlen(design_text), "top"}, {after, strlen(after), "top"}};
    assert_int_equal(weir_rtl_compare(&versions[0], &versions[1], &how, &text), WEIR_RTL_DIFFERENT);
    assert_int_equal(compare(design_text, after, WEIR_RTL_TEST, &icarus), WEIR_RTL_DIFFERENT);
    const size_t head = strcspn(icarus.data, "(");
    assert_memory_equal(text.data, icarus.data, head);
    assert_non_null(strstr(text.data, "after (verilator, seed 1)"));
    free(after);
    weir_text_free(&text);
    weir_text_free(&icarus);
}

static void unsound_designs_are_told(void **state) {
    (void)state;
    weir_text text = {0};
    assert_int_equal(compare(undriven, driven, WEIR_RTL_PROOF, &text), WEIR_RTL_NOT_COMPARED);
    assert_non_null(strstr(text.data, "before: "));
    if (has_tools()) assert_int_equal(compare(undriven, driven, WEIR_RTL_PROOF_OR_TEST, &text), WEIR_RTL_TESTED);
    assert_int_equal(compare(external, external, WEIR_RTL_PROOF_OR_TEST, &text), WEIR_RTL_NOT_COMPARED);
    assert_string_equal(text.data, "external module 'away' has no file");
    assert_int_equal(compare(driven, undriven, WEIR_RTL_PROOF_OR_TEST, &text), WEIR_RTL_DIFFERENT);
    assert_non_null(strstr(text.data, "after: "));
    assert_int_equal(compare(driven, "wrtl 1\n", WEIR_RTL_PROOF_OR_TEST, &text), WEIR_RTL_NOT_COMPARED);
    assert_string_equal(text.data, "no module 'top' after");
    weir_text_free(&text);
}

/* --- designs as elaborated --- */
#define LEAF(operands)                                                                                                 \
    "module leaf {\n  input a : 4\n  input b : 4\n  output y : 4\n  body {\n    let y = (" operands ")\n  }\n}\n"
static const char elaborated[] = "wrtl 1\n" LEAF("a - b") LEAF("b - a") //
    "module top {\n  input a : 4\n  input b : 4\n  output y : 8\n"
    "  instances {\n    u : leaf wired\n    v : leaf#2 wired\n  }\n  body {\n"
    "    instance u {\n    }\n    instance v {\n    }\n"
    "    let u.a = a\n    let u.b[3:2] = b[3:2]\n    let u.b[1:0] = b[1:0]\n    let v.a = u.y\n    let v.b = b\n"
    "    let y = {u.y, v.y}\n  }\n}\n";
static const char emitted[] = "wrtl 1\n"
                              "module top {\n  input a : 4\n  input b : 4\n  output y : 8\n  wire d : 4\n  body {\n"
                              "    assign d = (a - b)\n    assign y = {d, (b - d)}\n  }\n}\n";

static void designs_as_elaborated_are_lowered(void **state) {
    (void)state;
    if (!has_tools()) skip();
    weir_text text = {0};
    char *merged = replaced(elaborated, "v : leaf#2", "v : leaf");
    assert_int_equal(compare(elaborated, emitted, WEIR_RTL_PROOF, &text), WEIR_RTL_PROVED);
    assert_int_equal(compare(elaborated, emitted, WEIR_RTL_TEST, &text), WEIR_RTL_TESTED);
    assert_int_equal(compare(elaborated, merged, WEIR_RTL_PROOF, &text), WEIR_RTL_DIFFERENT);
    assert_int_equal(compare(elaborated, merged, WEIR_RTL_TEST, &text), WEIR_RTL_DIFFERENT);
    free(merged);
    weir_text_free(&text);
}

/* --- the instrument: planted passes --- */
enum { SWAP, REVERSE, DROP_ELSE, DELAY };

typedef struct planting {
    int what; /* SWAP, ... */
    bool done;
} planting;

static weir_rtl_expr reversed(weir_rtl_design *design, weir_rtl_expr value) {
    weir_rtl_expr bit[4];
    for (uint32_t i = 0; i < 4; i++) bit[i] = weir_rtl_bit(design, value, i);
    return weir_rtl_concat(design, 4, bit);
}

static weir_rtl_expr delayed(weir_rtl_design *design, weir_rtl_stmt stmt, weir_rtl_expr value) {
    const weir_rtl_module module = weir_rtl_block_module(design, weir_rtl_get_stmt(design, stmt).block);
    const weir_rtl_var r = weir_rtl_add_register(design, module, "late", weir_rtl_width(design, value), false);
    const weir_rtl_block body =
        weir_rtl_add_always(design, module, WEIR_RTL_POSEDGE, weir_rtl_find_var(design, module, "clk"));
    weir_rtl_set_next(design, body, weir_rtl_read(design, r), value);
    return weir_rtl_read(design, r);
}

static void plant(weir_rtl_design *design, weir_rtl_stmt stmt, void *user) {
    planting *p = user;
    const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, stmt);
    if (p->done || (info.kind != WEIR_RTL_STMT_IF && info.kind != WEIR_RTL_STMT_ASSIGN)) return;
    const weir_rtl_expr_info value = weir_rtl_get_expr(design, info.value);
    const bool is_output = info.kind == WEIR_RTL_STMT_ASSIGN && info.timing == WEIR_RTL_CONTINUOUS;
    p->done = true;
    if (p->what == SWAP && value.kind == WEIR_RTL_EXPR_BINARY && value.op == WEIR_RTL_SUBTRACT)
        weir_rtl_set_value(design, stmt,
                           weir_rtl_binary(design, WEIR_RTL_SUBTRACT, weir_rtl_operand(design, info.value, 1),
                                           weir_rtl_operand(design, info.value, 0)));
    else if (p->what == REVERSE && is_output && value.kind == WEIR_RTL_EXPR_VAR)
        weir_rtl_set_value(design, stmt, reversed(design, info.value));
    else if (p->what == DROP_ELSE && info.kind == WEIR_RTL_STMT_IF && info.other.id != 0)
        weir_rtl_remove_else(design, stmt);
    else if (p->what == DELAY && is_output) weir_rtl_set_value(design, stmt, delayed(design, stmt, info.value));
    else p->done = false;
}

static bool run_planted(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    static const weir_rtl_visitor visitor = {.stmt = plant};
    planting p = {.what = weir_pass_choice(pass, "what")};
    (void)context;
    weir_rtl_visit(design, weir_rtl_find_module(design, "top"), WEIR_RTL_CHILDREN_FIRST, &visitor, &p);
    assert_true(p.done);
    return true;
}

static bool add_comment(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    (void)context;
    weir_rtl_set_comment(design, WEIR_RTL_ITEM(weir_rtl_find_module(design, "top")), "All of it.");
    return true;
}

/* It says that it changed nothing. */
static bool lie(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    weir_pass_unchanged(context);
    return run_planted(pass, context, design);
}

static bool change_nothing(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    (void)design;
    weir_pass_unchanged(context);
    return true;
}

static const weir_pass_option what_options[] = {
    {"what", WEIR_PASS_ENUM, "swap", "swap|reverse|drop_else|delay", "the fault"}, {.name = NULL}};
#define HARDWARE(name_, promise_, function)                                                                            \
    {                                                                                                                  \
        .name = name_, .kind = WEIR_PASS_HARDWARE, .promise = WEIR_PASS_##promise_, .options = what_options, .run = {  \
            .hardware = function                                                                                       \
        }                                                                                                              \
    }
static const weir_pass_info passes[] = {
    HARDWARE("planted", EXACT, run_planted),
    HARDWARE("planted-on-purpose", CHANGES, run_planted),
    HARDWARE("comment", EXACT, add_comment),
    HARDWARE("nothing", EXACT, change_nothing),
    HARDWARE("lie", EXACT, lie),
};

/* Runs the pipeline on the design under the instrument; statistics go to `text`. */
static bool run(const char *pipeline, const char *design, weir_rtl_method method, weir_text *text) {
    weir_rtl_equivalence how = WEIR_RTL_EQUIVALENCE_DEFAULTS;
    how.method = method;
    weir_module *module = weir_module_new("top");
    weir_module_set_rtl(module, weir_rtl_parse_text(design, strlen(design), "design"), "top");
    weir_pass_instrument *instrument = weir_rtl_equivalence_new(&how);
    pass_bench b = pass_bench_of_weir(module);
    assert_true(weir_pass_registry_add_all(b.registry, passes, sizeof passes / sizeof *passes));
    weir_pass_context_add_instrument(b.context, instrument);
    const bool ok = pass_bench_run(&b, pipeline);
    weir_pass_print_statistics(b.context, text);
    weir_pass_instrument_free(instrument);
    weir_module_free(module);
    pass_bench_stop(&b);
    return ok;
}

static void planted_passes_are_found(void **state) {
    static const char *const faults[][2] = {
        {"swap", "'y' is "}, {"reverse", "'y' is "}, {"drop_else", "is "}, {"delay", "'y' is "}};
    (void)state;
    if (!has_tools()) skip();
    weir_text text = {0};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char *pipeline = weir_format("comment,planted{what=%s}", faults[i][0]);
        for (weir_rtl_method method = WEIR_RTL_PROOF; method <= WEIR_RTL_TEST; method++) {
            messages.size = 0;
            if (run(pipeline, design_text, method, &text)) fail_msg("%s is not found", faults[i][0]);
            if (!strstr(messages.data, "pass 'planted' changed what the design computes: cycle ") ||
                !strstr(messages.data, faults[i][1]) || !strstr(messages.data, "note: inputs in cycle "))
                fail_msg("%s", messages.data);
        }
        free(pipeline);
    }
    weir_text_free(&text);
}

static void passes_that_keep_results_pass(void **state) {
    (void)state;
    if (!has_tools()) skip();
    weir_text text = {0};
    assert_true(run("comment,nothing,planted-on-purpose", design_text, WEIR_RTL_PROOF_OR_TEST, &text));
    assert_true(run("comment", two_clocks, WEIR_RTL_PROOF_OR_TEST, &text));
    assert_string_equal(text.data, "comment: 1 designs proved equal\ncomment: 1 designs tested equal\n");
    ASSERT_MESSAGES(
        "note: after pass 'comment': proved for bits that are 0 or 1; unknown ones may matter: register 'held' has "
        "neither a reset nor an initial value in module 'top'\n"
        "note: after pass 'nothing': unchanged\n"
        "note: after pass 'planted-on-purpose': not compared: the pass changes ports or cycles on purpose\n"
        "note: after pass 'comment': tested, 256 cycles, seed 1 (not proved: 'before_top' has several clocks)\n");
    assert_true(run("comment", external, WEIR_RTL_PROOF_OR_TEST, &text));
    assert_non_null(strstr(messages.data, "warning: the design is not compared after pass 'comment': "));
    weir_text_free(&text);
}

/* Registers that are reset or start with a value, and no division: nothing is unknown. */
static const char known[] = "wrtl 1\n"
                            "module top {\n"
                            "  input clk : $clock\n"
                            "  input rst : $reset\n"
                            "  input a : 4\n"
                            "  output y : 4\n"
                            "  output z : 4\n"
                            "  body {\n"
                            "    initial {\n"
                            "      set z = 4'h0\n"
                            "    }\n"
                            "    always posedge clk {\n"
                            "      if $data(rst) {\n"
                            "        next y = 4'h0\n"
                            "      } else {\n"
                            "        next y = (y + a)\n"
                            "      }\n"
                            "      next z = REPLACED\n"
                            "    }\n"
                            "  }\n"
                            "}\n";

static void proofs_say_when_unknown_bits_may_matter(void **state) {
    static const char *const values[][2] = {
        {"y", "proved\n"},
        {"(a / y)", "proved for bits that are 0 or 1; unknown ones may matter: a division whose divisor may be zero"},
        {"{3'h0, a[y +: 1]}",
         "proved for bits that are 0 or 1; unknown ones may matter: an index that may be out of range"}};
    (void)state;
    if (!has_tools()) skip();
    weir_text text = {0};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const char *rest = strstr(known, "REPLACED");
        char *design = weir_format("%.*s%s%s", (int)(rest - known), known, values[i][0], rest + strlen("REPLACED"));
        messages.size = 0;
        assert_true(run("comment", design, WEIR_RTL_PROOF, &text));
        if (!strstr(messages.data, values[i][1])) fail_msg("%s", messages.data);
        free(design);
    }
    weir_text_free(&text);
}

/* --- before the first edge of a clock --- */
#define MACHINE(level)                                                                                                  \
    "wrtl 1\nmodule top {\n  input clk : $clock\n  input rst : $reset\n  input a : 1\n  output y : 4\n  output z : 2\n" \
    "  body {\n    fsm m posedge clk reset rst {\n      set z = 2'h1\n"                                                 \
    "      state Off start {\n        set y = 4'h5\n        goto On when a\n      }\n"                                  \
    "      state On {\n        set y = " level                                                                          \
    "\n        set z = 2'h2\n        goto Off when (!a)\n      }\n    }\n  }\n}\n"

/* A machine says nothing in an unknown state, and all that it says in a known one. */
static void machines_say_nothing_before_their_reset(void **state) {
    (void)state;
    if (!has_tools()) skip();
    weir_text text = {0};
    assert_true(run("realize_fsm", MACHINE("4'ha"), WEIR_RTL_TEST, &text));
    assert_true(run("realize_fsm", MACHINE("4'ha"), WEIR_RTL_PROOF, &text));
    for (weir_rtl_method method = WEIR_RTL_PROOF; method <= WEIR_RTL_TEST; method++) {
        assert_int_equal(compare(MACHINE("4'ha"), MACHINE("4'hb"), method, &text), WEIR_RTL_DIFFERENT);
        if (!strstr(text.data, "'y' is 4'ha before and 4'hb after")) fail_msg("%s", text.data);
    }
    weir_text_free(&text);
}

/* `always @*` waits for a change of what it reads; always_comb, and hardware, do not. */
static void processes_that_read_less_are_the_same(void **state) {
    static const char more[] =
        "wrtl 1\nmodule top {\n  input clk : $clock\n  input a : 1\n  output y : 1\n  variable r : 1\n"
        "  body {\n    always posedge clk {\n      next r = a\n    }\n    combinational {\n"
        "      set y = 1'h0\n      if a {\n      }\n      if r {\n        set y = 1'h1\n      }\n"
        "    }\n  }\n}\n";
    (void)state;
    if (!has_tools()) skip();
    weir_text text = {0};
    char *less = replaced(more, "      if a {\n      }\n", "");
    if (compare(more, less, WEIR_RTL_TEST, &text) != WEIR_RTL_TESTED) fail_msg("%s", text.data);
    free(less);
    weir_text_free(&text);
}

static void passes_that_claim_no_change_are_compared(void **state) {
    (void)state;
    if (!has_tools()) skip();
    weir_text text = {0};
    assert_false(run("lie{what=swap}", design_text, WEIR_RTL_TEST, &text));
    if (!strstr(messages.data, "pass 'lie' changed what the design computes: ")) fail_msg("%s", messages.data);
    weir_text_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DESIGN_TEST(proofs_and_tests_find_changes),
        DESIGN_TEST(designs_of_several_clocks_are_tested),
        DESIGN_TEST(large_designs_are_tested),
        DESIGN_TEST(verilator_tests_too),
        DESIGN_TEST(unsound_designs_are_told),
        DESIGN_TEST(designs_as_elaborated_are_lowered),
        DESIGN_TEST(planted_passes_are_found),
        DESIGN_TEST(passes_that_keep_results_pass),
        DESIGN_TEST(proofs_say_when_unknown_bits_may_matter),
        DESIGN_TEST(machines_say_nothing_before_their_reset),
        DESIGN_TEST(processes_that_read_less_are_the_same),
        DESIGN_TEST(passes_that_claim_no_change_are_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
