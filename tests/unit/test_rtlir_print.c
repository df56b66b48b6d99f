/* The Verilog printer: the text of a small design, and what three tools say about it. */
#include "test_rtlir_support.h"

#include <unistd.h>

#include "support/process/process.h"

/* A design with one of everything that is printed. */
static weir_rtl_module make_counter(weir_rtl_design *d) {
    weir_rtl_module m = weir_rtl_add_module(d, "counter");
    weir_rtl_set_comment(d, WEIR_RTL_ITEM(m), "Counts beats.\nTwo lines.");
    weir_rtl_parameter limit = weir_rtl_add_parameter(d, m, "LIMIT", 9);
    weir_rtl_set_comment(d, WEIR_RTL_ITEM(weir_rtl_add_parameter_string(d, m, "NAME", "a \"b\"\\")), "for people");
    weir_rtl_add_parameter(d, m, "SEED", -0x123456789a);
    weir_rtl_var clk = weir_rtl_add_clock(d, m, "clk");
    weir_rtl_var rst = weir_rtl_add_reset(d, m, "rst");
    weir_rtl_var step = weir_rtl_add_port(d, m, "step", 4, WEIR_RTL_INPUT, WEIR_RTL_DATA, true);
    weir_rtl_var count = weir_rtl_add_port(d, m, "count", 8, WEIR_RTL_OUTPUT, WEIR_RTL_DATA, true);
    weir_rtl_var flags = weir_rtl_add_output(d, m, "flags", 3);
    weir_rtl_set_comment(d, WEIR_RTL_ITEM(flags), "past, odd, low");
    weir_rtl_add_local(d, m, "HALF", -5);
    weir_rtl_var low = weir_rtl_add_wire(d, m, "is_low", 1);
    weir_rtl_set_attribute(d, WEIR_RTL_ITEM(low), "keep");
    weir_rtl_var state = weir_rtl_add_register(d, m, "state_q", 2, false);
    weir_rtl_expr read = weir_rtl_read(d, count);
    weir_rtl_expr sum = weir_rtl_binary(d, WEIR_RTL_ADD, read, weir_rtl_extend(d, weir_rtl_read(d, step), 8));

    weir_rtl_assign(d, m, weir_rtl_read(d, low),
                    weir_rtl_binary(d, WEIR_RTL_LESS, read, weir_rtl_constant_signed(d, 8, -12)));
    weir_rtl_expr past = weir_rtl_binary(d, WEIR_RTL_GREATER,
                                         weir_rtl_as_signed(d, weir_rtl_extend(d, weir_rtl_as_unsigned(d, read), 32)),
                                         weir_rtl_read_parameter(d, limit));
    const weir_rtl_expr parts[3] = {past, weir_rtl_bit(d, read, 0), weir_rtl_read(d, low)};
    weir_rtl_stmt flagged = weir_rtl_assign(d, m, weir_rtl_read(d, flags), weir_rtl_concat(d, 3, parts));
    weir_rtl_set_comment(d, WEIR_RTL_ITEM(flagged), "for the report");

    weir_rtl_block always = weir_rtl_add_always(d, m, WEIR_RTL_POSEDGE, clk);
    weir_rtl_stmt branch = weir_rtl_add_if(d, always, weir_rtl_read(d, rst));
    weir_rtl_set_next(d, weir_rtl_then(d, branch), read, weir_rtl_constant_signed(d, 8, -128));
    weir_rtl_set_next(d, weir_rtl_then(d, branch), weir_rtl_read(d, state), weir_rtl_constant(d, 2, 0));
    weir_rtl_stmt select = weir_rtl_add_case(d, weir_rtl_else(d, branch), weir_rtl_read(d, state));
    weir_rtl_block other = weir_rtl_add_default(d, select);
    weir_rtl_set_next(d, other, weir_rtl_read(d, state), weir_rtl_constant(d, 2, 0));
    weir_rtl_block item = weir_rtl_add_case_item(d, select, weir_rtl_constant(d, 2, 0));
    weir_rtl_stmt inner = weir_rtl_add_if(d, item, weir_rtl_read(d, low));
    weir_rtl_set_next(d, weir_rtl_then(d, inner), read, sum);
    weir_rtl_stmt chain = weir_rtl_add_if(d, weir_rtl_else(d, inner), weir_rtl_bit(d, read, 7));
    weir_rtl_set_next(d, weir_rtl_then(d, chain), weir_rtl_read(d, state), weir_rtl_constant(d, 2, 1));
    weir_rtl_set_next(d, weir_rtl_else(d, chain), read, weir_rtl_unary(d, WEIR_RTL_NEGATE, read));
    return m;
}

/* The text must be that of the golden file. */
static void assert_prints(weir_rtl_design *d, weir_rtl_module module, const char *golden) {
    weir_text text = {0};
    weir_rtl_print_verilog(d, module, &text);
    char *expected = read_data(golden, &(size_t){0});
    assert_string_equal(text.data, expected);
    free(expected);
    weir_text_free(&text);
    assert_true(weir_rtl_verify(d, module));
    ASSERT_MESSAGES("");
}

static void module_prints_as_a_person_would_write_it(void **state) {
    weir_rtl_design *d = *state;
    weir_rtl_module m = make_counter(d);
    assert_prints(d, m, "counter.v");
}

/* A bench of instances: an own module, a library stand-in, wide constants, long lines, an open port. */
static weir_rtl_module make_top(weir_rtl_design *d) {
    weir_rtl_module counter = make_counter(d);
    char *path = data_path("link.v");
    weir_rtl_module link = weir_rtl_read_module(d, path);
    free(path);
    weir_rtl_module top = weir_rtl_add_module(d, "top");
    weir_rtl_expr clk = weir_rtl_read(d, weir_rtl_add_clock(d, top, "clk"));
    weir_rtl_expr rst = weir_rtl_read(d, weir_rtl_add_reset(d, top, "rst"));
    weir_rtl_expr out = weir_rtl_read(d, weir_rtl_add_output(d, top, "m_data", 600));
    weir_rtl_expr flags = weir_rtl_read(d, weir_rtl_add_output(d, top, "flags", 3));
    weir_rtl_expr wire = weir_rtl_read(d, weir_rtl_add_wire(d, top, "count", 8));

    weir_rtl_instance u = weir_rtl_add_instance(d, top, counter, "u_counter");
    weir_rtl_set_comment(d, WEIR_RTL_ITEM(u), "counts");
    weir_rtl_set_parameter(d, u, "LIMIT", -7);
    weir_rtl_set_parameter(d, u, "SEED", INT64_MIN);
    weir_rtl_connect(d, u, "clk", clk);
    weir_rtl_connect(d, u, "rst", rst);
    weir_rtl_connect(d, u, "step", weir_rtl_constant_signed(d, 4, -8));
    weir_rtl_connect(d, u, "count", wire);
    weir_rtl_connect(d, u, "flags", flags);

    weir_rtl_instance v = weir_rtl_add_instance(d, top, link, "u_link");
    uint64_t words[10] = {0};
    for (int i = 0; i < 9; i++) words[i] = UINT64_C(0x0123456789abcdef) * (uint64_t)(i + 1);
    weir_rtl_expr seed = weir_rtl_constant_words(d, 592, false, words);
    weir_rtl_set_parameter(d, v, "WIDTH", 600);
    weir_rtl_connect(d, v, "clk", clk);
    weir_rtl_connect(d, v, "rst", rst);
    weir_rtl_connect(d, v, "s_valid", weir_rtl_constant(d, 1, 1));
    weir_rtl_connect(d, v, "s_data", weir_rtl_concat2(d, seed, wire));
    weir_rtl_leave_open(d, v, "m_valid");
    weir_rtl_connect(d, v, "m_data", out);
    return top;
}

static void instances_print_one_port_a_line(void **state) {
    weir_rtl_design *d = *state;
    weir_rtl_module top = make_top(d);
    assert_prints(d, top, "top.v");
}

static void lines_stay_within_the_margin(void **state) {
    weir_rtl_design *d = *state;
    weir_rtl_module m = weir_rtl_add_module(d, "wide");
    weir_rtl_expr parts[100];
    for (size_t i = 0; i < 100; i++)
        parts[i] = weir_rtl_read(d, weir_rtl_add_input(d, m, weir_rtl_free_name(d, m, "a_long_input_name"), 3));
    weir_rtl_stmt s =
        weir_rtl_assign(d, m, weir_rtl_read(d, weir_rtl_add_output(d, m, "all", 300)), weir_rtl_concat(d, 100, parts));
    weir_text comment = {0};
    for (int i = 0; i < 90; i++) weir_text_add(&comment, "word ");
    weir_rtl_set_comment(d, WEIR_RTL_ITEM(s), comment.data);
    weir_text text = {0};
    weir_rtl_print_verilog(d, m, &text);
    for (const char *line = text.data; *line; line += strcspn(line, "\n") + 1)
        assert_in_range(strcspn(line, "\n"), 0, 120);
    assert_null(strstr(text.data, " \n"));
    weir_text_free(&comment);
    weir_text_free(&text);
}

static void run_tool(const char *const *arguments, const char *folder) {
    if (!weir_process_found(arguments[0])) {
        print_message("%s is not installed\n", arguments[0]);
        return;
    }
    weir_text output = {0};
    int status = -1;
    weir_process process = {.arguments = arguments, .folder = folder, .seconds = 120};
    weir_process_end end = weir_process_run(&process, &output, &status);
    if (end != WEIR_PROCESS_EXITED || status != 0)
        fail_msg("%s: status %d\n%s", arguments[0], status, output.data ? output.data : "");
    bool quiet = strcmp(arguments[0], "yosys") == 0 || !output.data || !strstr(output.data, "arning");
    if (!quiet) fail_msg("%s warns:\n%s", arguments[0], output.data);
    weir_text_free(&output);
}

static void three_tools_accept_the_text(void **state) {
    weir_rtl_design *d = *state;
    weir_rtl_module top = make_top(d);
    assert_true(weir_rtl_verify(d, top));
    char *folder = weir_format("test_rtlir_print_%ld", (long)getpid());
    assert_true(weir_rtl_write_design(d, top, NULL, folder));
    char *from = data_path("link.v");
    char *to = weir_path_join(folder, "link.v");
    assert_true(weir_file_copy(from, to));
    const char *icarus[] = {"iverilog", "-g2005",  "-Wall",  "-Wno-timescale", "-s",        "top",
                            "-o",       "top.vvp", "link.v", "top.v",          "counter.v", NULL};
    const char *verilator[] = {"verilator", "--lint-only", "-Wall", "-Wno-UNUSEDPARAM", "--top-module", "top", "link.v",
                               "counter.v", "top.v",       NULL};
    const char *yosys[] = {"yosys", "-q", "-p",
                           "read_verilog link.v counter.v top.v; hierarchy -check -top top; proc; check -assert", NULL};
    run_tool(icarus, folder);
    run_tool(verilator, folder);
    run_tool(yosys, folder);
    weir_remove_tree(folder);
    free(folder);
    free(from);
    free(to);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DESIGN_TEST(module_prints_as_a_person_would_write_it),
        DESIGN_TEST(instances_print_one_port_a_line),
        DESIGN_TEST(lines_stay_within_the_margin),
        DESIGN_TEST(three_tools_accept_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
