/* State machines as passes see them: what is realized behaves as the machine is described, what is extracted is what a
 * person would draw. */
#include "test_passes_hardware.h"

#include <unistd.h>

#include "support/process.h"

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
                               "  \"None\" [label=\"None\\nseen = 2'd0\", peripheries=2];\n"
                               "  \"One\" [label=\"One\"];\n"
                               "  \"Two\" [label=\"Two\\nseen = 2'd2\"];\n"
                               "  \"None\" -> \"One\" [label=\"x\"];\n"
                               "  \"One\" -> \"Two\" [label=\"x / seen = 2'd1\"];\n"
                               "  \"One\" -> \"None\" [label=\"/ seen = 2'd3\"];\n"
                               "  \"Two\" -> \"Two\" [label=\"x / hit = 1'b1\"];\n"
                               "  \"Two\" -> \"None\";\n"
                               "}\n";
static const char main_dot[] = "digraph \"main\" {\n"
                               "  \"Idle\" [label=\"Idle\\nout = 2'd0\", peripheries=2];\n"
                               "  subgraph \"cluster_main.load\" {\n"
                               "    label=\"load\";\n"
                               "    \"load.First\" [label=\"First\\nout = 2'd1\"];\n"
                               "    subgraph \"cluster_main.load.pause\" {\n"
                               "      label=\"pause\";\n"
                               "      \"load.pause.Long\" [label=\"Long\"];\n"
                               "    }\n"
                               "    \"load.Last\" [label=\"Last\\nout = 2'd2\"];\n"
                               "  }\n"
                               "  \"Idle\" -> \"load.First\" [label=\"x\"];\n"
                               "  \"load.First\" -> \"load.pause.Long\" [label=\"x\"];\n"
                               "  \"load.First\" -> \"load.Last\";\n"
                               "  \"load.pause.Long\" -> \"load.Last\";\n"
                               "  \"load.Last\" -> \"Idle\";\n"
                               "}\n";
static const char color_csv[] = "state,shown\n"
                                "Red,2'd2\n"
                                "Blue,2'd1\n";
static const char find_csv[] = "state,condition,next,hit,seen\n"
                               "None,x,One,1'b0,2'd0\n"
                               "None,,None,1'b0,2'd0\n"
                               "One,x,Two,1'b0,2'd1\n"
                               "One,,None,1'b0,2'd3\n"
                               "Two,x,Two,1'b1,2'd2\n"
                               "Two,,None,1'b0,2'd2\n";
static const char main_csv[] = "state,busy,out\n"
                               "Idle,1'b0,2'd0\n"
                               "load.First,1'b1,2'd1\n"
                               "load.pause.Long,1'b1,2'd3\n"
                               "load.Last,1'b1,2'd2\n";

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

int main(void) {
    const struct CMUnitTest tests[] = {
        DESIGN_TEST(realized_machines_behave_as_described),
        DESIGN_TEST(machines_are_drawn_and_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
