/* State machines as passes see them: what is realized behaves as the machine is described, what is extracted is what a
 * person would draw. */
/* nightly: 32 */
#include "test_passes_hardware.h"

#include <unistd.h>

#include "common/random_below.h"
#include "passes/equivalence/equivalence.h"
#include "rtlir/core/fsm.h"
#include "support/process/process.h"

/* x is set at the falling edge; what is shown stands just before the next rising one, after a reset at once. */
static const char bench[] =
    "`timescale 1ns/1ns\n"
    "module bench;\n"
    "  reg clk = 0, rst = 1, clear_n = 0, x = 0;\n"
    "  wire [1:0] shown, seen, out;\n"
    "  wire hit, busy, lit, in_two;\n"
    "  machines dut(clk, rst, clear_n, x, shown, hit, seen, out, busy, lit, in_two);\n"
    "  always #5 clk = !clk;\n"
    "  reg [8:0] bits = 9'b100010111;\n"
    "  task show;\n"
    "    #1 $display(\"%0d %0d %0d %0d %0d %0d %0d\", shown, seen, hit, out, busy, lit, in_two);\n"
    "  endtask\n"
    "  integer i;\n"
    "  initial begin\n"
    "    @(negedge clk); @(negedge clk); rst = 0; clear_n = 1;\n"
    "    for (i = 0; i < 9; i = i + 1) begin\n"
    "      x = bits[i];\n"
    "      show; @(negedge clk);\n"
    "    end\n"
    "    rst = 1;\n"
    "    show; @(negedge clk);\n"
    "    clear_n = 0;\n"
    "    show; @(negedge clk);\n"
    "    show;\n"
    "    $finish;\n"
    "  end\n"
    "endmodule\n";

/* Derived by hand: color (Red 2, Blue 1), find (seen, hit), main (out, busy), only, and whether find is in Two. */
static const char sequence[] = "1 0 0 0 0 1 0\n"  /* x=1: Blue, None, Idle */
                               "2 1 0 1 1 1 0\n"  /* x=1: Red, One, First */
                               "2 2 1 3 1 1 1\n"  /* x=1: Red, Two, Long */
                               "2 2 0 2 1 1 1\n"  /* x=0: Red, Two, Last */
                               "1 0 0 0 0 1 0\n"  /* x=1: Blue, None, Idle */
                               "2 3 0 1 1 1 0\n"  /* x=0: Red, One, First */
                               "1 0 0 2 1 1 0\n"  /* x=0: Blue, None, Last */
                               "1 0 0 0 0 1 0\n"  /* x=0: Blue, None, Idle */
                               "1 0 0 0 0 1 0\n"  /* x=1: Blue, None, Idle */
                               "2 0 0 0 0 1 0\n"  /* Red; reset at once: None, Idle */
                               "2 0 0 0 0 1 0\n"  /* the other reset waits for the edge: Red */
                               "1 0 0 0 0 1 0\n"; /* Blue */

static void assert_runs(const char *const *arguments, const char *folder, const char *expected) {
    weir_text output = {0};
    int status = -1;
    weir_process process = {.arguments = arguments, .folder = folder, .seconds = 60};
    weir_process_end end = weir_process_run(&process, &output, &status);
    if (end != WEIR_PROCESS_EXITED || status != 0) fail_msg("%s: %s", arguments[0], output.data ? output.data : "");
    assert_string_equal(output.data ? output.data : "", expected);
    weir_text_free(&output);
}

static void realized_machines_behave_as_described(void **state) {
    (void)state;
    if (!weir_process_found("iverilog")) skip();
    char *folder = weir_format("test_passes_fsm_%ld", (long)getpid());
    weir_module *module = load_hardware("constructs.wrtl", "machines", "realize_fsm,generate_verilog", folder);
    char *path = weir_path_join(folder, "bench.v");
    assert_true(weir_file_write(path, bench, strlen(bench)));
    const char *compile[] = {"iverilog", "-g2005",     "-Wall", "-Wno-timescale", "-o", "bench.vvp",
                             "bench.v",  "machines.v", NULL};
    const char *run[] = {"vvp", "-n", "bench.vvp", NULL};
    assert_runs(compile, folder, "");
    assert_runs(run, folder, sequence);
    weir_module_free(module);
    weir_remove_tree(folder);
    free(path);
    free(folder);
}

static void assert_file(const char *folder, const char *name, const char *expected) {
    char *path = weir_path_join(folder, name);
    size_t size = 0;
    char *text = weir_file_read(path, &size);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
    free(path);
}

static const char find_dot[] = "digraph \"find\" {\n"
                               "  \"None\" [label=\"None\\nseen = 2'h0\", peripheries=2];\n"
                               "  \"One\" [label=\"One\"];\n"
                               "  \"Two\" [label=\"Two\\nseen = 2'h2\"];\n"
                               "  \"None\" -> \"One\" [label=\"x\"];\n"
                               "  \"One\" -> \"Two\" [label=\"x / seen = 2'h1\"];\n"
                               "  \"One\" -> \"None\" [label=\"/ seen = 2'h3\"];\n"
                               "  \"Two\" -> \"Two\" [label=\"x / hit = 1'b1\"];\n"
                               "  \"Two\" -> \"None\";\n"
                               "}\n";
static const char main_dot[] = "digraph \"main\" {\n"
                               "  \"Idle\" [label=\"Idle\\nout = 2'h0\", peripheries=2];\n"
                               "  subgraph \"cluster_main.load\" {\n"
                               "    label=\"load\";\n"
                               "    \"load.First\" [label=\"First\\nout = 2'h1\"];\n"
                               "    subgraph \"cluster_main.load.pause\" {\n"
                               "      label=\"pause\";\n"
                               "      \"load.pause.Long\" [label=\"Long\"];\n"
                               "    }\n"
                               "    \"load.Last\" [label=\"Last\\nout = 2'h2\"];\n"
                               "  }\n"
                               "  \"Idle\" -> \"load.First\" [label=\"x\"];\n"
                               "  \"load.First\" -> \"load.pause.Long\" [label=\"x\"];\n"
                               "  \"load.First\" -> \"load.Last\";\n"
                               "  \"load.pause.Long\" -> \"load.Last\";\n"
                               "  \"load.Last\" -> \"Idle\";\n"
                               "}\n";
static const char color_csv[] = "state,shown\n"
                                "Red,2'h2\n"
                                "Blue,2'h1\n";
static const char find_csv[] = "state,condition,next,hit,seen\n"
                               "None,x,One,1'b0,2'h0\n"
                               "None,,None,1'b0,2'h0\n"
                               "One,x,Two,1'b0,2'h1\n"
                               "One,,None,1'b0,2'h3\n"
                               "Two,x,Two,1'b1,2'h2\n"
                               "Two,,None,1'b0,2'h2\n";
static const char main_csv[] = "state,busy,out\n"
                               "Idle,1'b0,2'h0\n"
                               "load.First,1'b1,2'h1\n"
                               "load.pause.Long,1'b1,2'h3\n"
                               "load.Last,1'b1,2'h2\n";

static void machines_are_drawn_and_listed(void **state) {
    (void)state;
    char *folder = weir_format("test_passes_fsm_%ld", (long)getpid());
    char *inner = weir_path_join(folder, "machines");
    weir_module *module = load_hardware("constructs.wrtl", "machines", "extract_fsm{folder=\"machines\"}", folder);
    assert_file(inner, "machines_find.dot", find_dot);
    assert_file(inner, "machines_main.dot", main_dot);
    assert_file(inner, "machines_color.csv", color_csv);
    assert_file(inner, "machines_find.csv", find_csv);
    assert_file(inner, "machines_main.csv", main_csv);
    static const char *const names[] = {"machines_color.dot", "machines_find.dot", "machines_main.dot",
                                        "machines_only.dot"};
    for (size_t i = 0; weir_process_found("dot") && i < sizeof names / sizeof *names; i++) {
        const char *draw[] = {"dot", "-Tsvg", "-o", "drawing.svg", names[i], NULL};
        assert_runs(draw, inner, "");
    }
    weir_module_free(module);
    weir_remove_tree(folder);
    free(inner);
    free(folder);
}

/* ---- random machines ---- */

enum { MACHINES = 8, MOST_STATES = 9, OUTPUTS = 3 };

typedef struct chance {
    weir_rtl_design *design;
    weir_rtl_module module;
    weir_rtl_expr in, output[OUTPUTS];
    bool has_default[OUTPUTS], is_mealy;
    weir_rtl_state state[MOST_STATES];
    size_t states;
} chance;

/* A value, of the input or not; a part of the output where the rest has a value already. */
static void give(chance *c, weir_rtl_block block, size_t output, bool may_be_part) {
    weir_rtl_design *d = c->design;
    weir_rtl_expr target = c->output[output];
    if (may_be_part && weir_rtl_width(d, target) > 1 && below(3) == 0) target = weir_rtl_bit(d, target, 0);
    uint32_t width = weir_rtl_width(d, target);
    weir_rtl_expr value = weir_rtl_constant(d, width, below(UINT32_C(1) << width));
    if (below(3) == 0) value = weir_rtl_slice(d, c->in, width - 1, 0);
    weir_rtl_set(d, block, target, value);
}

static weir_rtl_expr condition(chance *c) {
    weir_rtl_design *d = c->design;
    weir_rtl_expr bit = weir_rtl_bit(d, c->in, below(4));
    if (below(3) == 0) bit = weir_rtl_unary(d, WEIR_RTL_LOGICAL_NOT, bit);
    if (below(3) == 0) bit = weir_rtl_binary(d, WEIR_RTL_AND, bit, weir_rtl_bit(d, c->in, below(4)));
    return bit;
}

static void add_ways(chance *c, weir_rtl_state from) {
    for (uint32_t i = below(4); i > 0; i--) {
        bool is_last = below(4) == 0;
        weir_rtl_state to = c->state[below((uint32_t)c->states)];
        weir_rtl_stmt way = is_last ? weir_rtl_add_default_transition(c->design, from, to)
                                    : weir_rtl_add_transition(c->design, from, condition(c), to);
        for (size_t k = 0; c->is_mealy && k < OUTPUTS; k++)
            if (below(3) == 0) give(c, weir_rtl_transition_body(c->design, way), k, true);
        if (is_last) return;
    }
}

/* States in machines in machines, then what they give and where they lead. */
static weir_rtl_module random_machine(weir_rtl_design *d) {
    static const char *const names[OUTPUTS] = {"a", "b", "c"};
    chance c = {.design = d, .module = weir_rtl_add_module(d, "m"), .is_mealy = below(2) == 0};
    weir_rtl_var clk = weir_rtl_add_clock(d, c.module, "clk");
    weir_rtl_var rst = weir_rtl_add_port(d, c.module, "rst", 1, WEIR_RTL_INPUT,
                                         below(2) ? WEIR_RTL_ASYNC_RESET : WEIR_RTL_RESET, false);
    c.in = weir_rtl_read(d, weir_rtl_add_input(d, c.module, "x", 4));
    weir_rtl_fsm fsm[3] = {weir_rtl_add_fsm(d, c.module, "f", WEIR_RTL_POSEDGE, clk, rst)};
    size_t machines = 1 + below(3);
    for (size_t i = 1; i < machines; i++)
        fsm[i] = weir_rtl_add_child_fsm(d, fsm[below((uint32_t)i)], i == 1 ? "g" : "h");
    weir_rtl_set_mealy(d, fsm[0], c.is_mealy);
    weir_rtl_set_reset_low(d, fsm[0], below(2));
    for (size_t i = 0; i < OUTPUTS; i++) {
        c.output[i] = weir_rtl_read(d, weir_rtl_add_output(d, c.module, names[i], (uint32_t)i + 1));
        c.has_default[i] = below(2);
        if (c.has_default[i]) give(&c, weir_rtl_fsm_body(d, fsm[0]), i, false);
        if (machines > 1 && below(3) == 0) give(&c, weir_rtl_fsm_body(d, fsm[1]), i, false);
    }
    for (size_t count = 1 + below(MOST_STATES); c.states < count; c.states++) {
        char name[3] = {'S', (char)('a' + c.states), 0};
        c.state[c.states] = weir_rtl_add_state(d, fsm[below((uint32_t)machines)], name);
    }
    for (size_t i = 0; i < c.states; i++) {
        for (size_t k = 0; k < OUTPUTS; k++)
            if (!c.has_default[k] || below(3) == 0) give(&c, weir_rtl_state_body(d, c.state[i]), k, c.has_default[k]);
        add_ways(&c, c.state[i]);
    }
    if (below(2)) weir_rtl_set_start(d, c.state[below((uint32_t)c.states)]);
    if (below(2)) {
        weir_rtl_var now = weir_rtl_add_output(d, c.module, "now", 1);
        weir_rtl_assign(d, c.module, weir_rtl_read(d, now), weir_rtl_in_state(d, c.state[0]));
    }
    return c.module;
}

/* What is realized computes the same, proved by Yosys or tested in Icarus, as the plain chain of ifs. */
static void random_machines_are_realized_right(void **state) {
    (void)state;
    if (!weir_process_found("yosys") && !weir_process_found("iverilog")) skip();
    size_t proved = 0;
    const char *more = getenv("WEIR_RANDOM");
    const uint64_t machines = more == NULL ? MACHINES : strtoull(more, NULL, 10);
    for (uint64_t seed = 1; seed <= machines; seed++) {
        random_state = seed;
        weir_rtl_design *d = weir_rtl_design_new();
        weir_rtl_module m = random_machine(d);
        weir_text before = {0}, after = {0}, text = {0};
        weir_rtl_print_text(d, &before);
        if (weir_rtl_errors(d) || !weir_rtl_verify(d, m))
            fail_msg("seed %d: %s\n%s", (int)seed, messages.data, before.data);
        weir_module *module = weir_module_new("m");
        weir_module_set_rtl(module, d, "m");
        run_hardware(module, "realize_fsm");
        if (!weir_rtl_verify(d, m)) fail_msg("seed %d: %s\n%s", (int)seed, messages.data, before.data);
        weir_rtl_print_text(d, &after);
        const weir_rtl_version versions[] = {{before.data, before.size, "m"}, {after.data, after.size, "m"}};
        const weir_rtl_equivalence how = WEIR_RTL_EQUIVALENCE_DEFAULTS;
        weir_rtl_verdict verdict = weir_rtl_compare(&versions[0], &versions[1], &how, &text);
        if (verdict != WEIR_RTL_PROVED && verdict != WEIR_RTL_TESTED)
            fail_msg("seed %d: %s\n%s", (int)seed, text.data, before.data);
        proved += verdict == WEIR_RTL_PROVED;
        weir_module_free(module);
        weir_text_free(&before);
        weir_text_free(&after);
        weir_text_free(&text);
    }
    print_message("%zu of %d machines proved, the others tested\n", proved, (int)machines);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DESIGN_TEST(realized_machines_behave_as_described),
        DESIGN_TEST(machines_are_drawn_and_listed),
        DESIGN_TEST(random_machines_are_realized_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
