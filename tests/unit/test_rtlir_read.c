/* The reader of module headers: what it understands, what it refuses, and every file of the library. */
#include "test_rtlir_library.h"

#include <stdio.h>
#include <unistd.h>

static void assert_port(weir_rtl_design *design, weir_rtl_instance u, const char *name, uint32_t width) {
    assert_int_equal(weir_rtl_port_width(design, u, name), width);
}

static void header_is_read_and_ranges_follow_overrides(void **state) {
    weir_rtl_design *design = *state;
    char *path = data_path("part.v");
    weir_rtl_module part = weir_rtl_read_module(design, path);
    assert_int_not_equal(part.id, 0);
    assert_int_equal(weir_rtl_read_module(design, path).id, part.id);
    weir_rtl_module_info info = weir_rtl_get_module(design, part);
    assert_true(info.is_external);
    assert_string_equal(info.path, path);
    assert_int_equal(info.port_count, 8);
    weir_rtl_var_info sum = weir_rtl_get_var(design, weir_rtl_find_var(design, part, "m_sum"));
    assert_int_equal(sum.width, 10);
    assert_true(sum.is_signed);
    assert_int_equal(sum.direction, WEIR_RTL_OUTPUT);
    assert_int_equal(weir_rtl_get_var(design, weir_rtl_find_var(design, part, "rst")).kind, WEIR_RTL_RESET);

    weir_rtl_module top = weir_rtl_add_module(design, "top");
    weir_rtl_instance a = weir_rtl_add_instance(design, top, part, "u_a");
    assert_port(design, a, "s_data", 32);
    assert_port(design, a, "m_address", 3);
    assert_port(design, a, "mode", 4);
    assert_port(design, a, "s_valid", 1);
    weir_rtl_instance b = weir_rtl_add_instance(design, top, part, "u_b");
    weir_rtl_set_parameter(design, b, "LANES", 9);
    weir_rtl_set_parameter(design, b, "WIDTH", 5);
    weir_rtl_set_parameter(design, b, "DEPTH", 1);
    weir_rtl_set_parameter_string(design, b, "INIT", "fc1.hex");
    assert_port(design, b, "s_data", 45);
    assert_port(design, b, "m_sum", 9);
    assert_port(design, b, "m_address", 1);
    assert_port(design, b, "mode", 16);
    int64_t offset = 0;
    assert_true(weir_rtl_parameter_value(design, b, "OFFSET", &offset));
    assert_int_equal(offset, -3);
    assert_int_equal(weir_rtl_errors(design), 0);
    weir_rtl_instance c = weir_rtl_add_instance(design, top, part, "u_c");
    weir_rtl_set_parameter(design, c, "WIDTH", 0);
    assert_port(design, c, "s_data", 0);
    ASSERT_MESSAGES("error: port 's_data' of instance 'u_c' (module 'part') has no width: its range is empty, negative "
                    "or too large\n");
    free(path);
}

static void assert_refused(weir_rtl_design *design, const char *source, const char *message) {
    enum { TIMES = 8 };
    static int number;
    char *path = weir_format("test_rtlir_read_%d_%ld.v", number++ % TIMES, (long)getpid());
    assert_true(weir_file_write(path, source, strlen(source)));
    weir_rtl_design *fresh = weir_rtl_design_new();
    assert_int_equal(weir_rtl_read_module(fresh, path).id, 0);
    assert_int_equal(weir_rtl_errors(fresh), 1);
    weir_text expected = {0};
    weir_text_format(&expected, "%s:%s\n", path, message);
    ASSERT_MESSAGES(expected.data);
    weir_text_free(&expected);
    weir_rtl_design_free(fresh);
    unlink(path);
    free(path);
    (void)design;
}

static void what_cannot_be_read_is_reported(void **state) {
    weir_rtl_design *d = *state;
    assert_refused(d, "", "1: error: expected 'module', found the end of the file");
    assert_refused(d, "\nmodule m (a, b); endmodule\n",
                   "2: error: expected 'input', 'output' or 'inout' (ports are declared in the header), found 'a'");
    assert_refused(d, "module m (input [WIDTH-1:0] a); endmodule", "1: error: unknown parameter 'WIDTH'");
    assert_refused(d, "module m #(parameter WIDTH = 1) (\ninput [WIDHT-1:0] a); endmodule",
                   "2: error: unknown parameter 'WIDHT'\nnote: did you mean 'WIDTH'?");
    assert_refused(d, "module m #(parameter real X = 1.5) (input a); endmodule",
                   "1: error: expected an integer or string parameter, found 'real'");
    assert_refused(d, "module m #(parameter X = 1.5) (input a); endmodule",
                   "1: error: expected an integer, found '1.5'");
    assert_refused(d, "module m (input a [0:3]); endmodule",
                   "1: error: expected ',' or ')' (array ports are not supported), found '['");
    assert_refused(d, "module m (input a);", "1: error: expected 'endmodule', found the end of the file");
    assert_refused(d, "module m (input a); endmodule module n; endmodule",
                   "1: error: expected one module per file, found 'module'");
    assert_refused(d, "module m (input a, output a); endmodule",
                   "1: error: port name 'a' in 'm' is already the name of a variable");
    assert_refused(d, "module m (input [`W-1:0] a); endmodule", "1: error: expected an expression, found '`W'");
    assert_refused(d, "module m (input [X:0] a); localparam X = Y; localparam Y = X; endmodule",
                   "1: error: expected less nesting, found 'X'");
    assert_refused(d, "module m #(parameter X = \"abc\n) (input a); endmodule",
                   "1: error: expected an expression, found 'abc'");
    assert_refused(d, "module m #(parameter X = $bits(3)) (input a); endmodule",
                   "1: error: expected '$clog2' or another expression, found '$bits'");
}

/* A file with this text is read, with so many conditions; of one at the line it is told that it is not checked. */
static void assert_told(weir_rtl_design *design, const char *source, size_t conditions, int line, const char *name) {
    char *path = weir_format("test_rtlir_read_%ld.v", (long)getpid());
    assert_true(weir_file_write(path, source, strlen(source)));
    const weir_rtl_module m = weir_rtl_read_module(design, path);
    assert_int_not_equal(m.id, 0);
    assert_int_equal(weir_rtl_get_module(design, m).condition_count, conditions);
    weir_text expected = {0};
    weir_text_format(&expected,
                     "%s:%d: warning: '%s' is not checked: its expression has more than parameters and numbers\n"
                     "note: simulators and synthesis check it when they elaborate the design\n",
                     path, line, name);
    ASSERT_MESSAGES(expected.data);
    weir_text_free(&expected);
    unlink(path);
    free(path);
}

/* Of a user's module, too: a condition that is not checked is told of, and the file is read. */
static void what_cannot_be_checked_is_told(void **state) {
    assert_told(*state,
                "module m #(parameter X = 1) (input a);\n  generate\n"
                "    if (X[0] == 1) begin : g_odd\n      m_X_must_be_even u_error ();\n    end\n"
                "    if (X > (3)) begin : g_large\n      m_X_must_be_small u_error ();\n    end\n"
                "    if (X[1]) begin : g_part\n      part u_part ();\n    end\n  endgenerate\nendmodule\n",
                1, 4, "m_X_must_be_even");
}

static weir_rtl_module read_text(weir_rtl_design *design, const char *file, const char *source) {
    assert_true(weir_file_write(file, source, strlen(source)));
    const weir_rtl_module m = weir_rtl_read_module(design, file);
    assert_int_not_equal(m.id, 0);
    unlink(file);
    return m;
}

/* An instance inside whose conditions nobody can tell to hold is told of once; one whose module states none is not. */
static void an_instance_that_may_be_there_is_told(void **state) {
    weir_rtl_design *d = *state;
    read_text(d, "test_rtlir_part.v",
              "module test_rtlir_part #(parameter N = 1) ();\n"
              "  generate if (N > 4) test_rtlir_part_must_be_small u_error (); endgenerate\nendmodule\n");
    read_text(d, "test_rtlir_free.v", "module test_rtlir_free ();\nendmodule\n");
    const weir_rtl_module whole = read_text(
        d, "test_rtlir_whole.v",
        "module test_rtlir_whole #(parameter X = 1) ();\n  generate\n"
        "    if (X[1]) begin : g_bit\n      test_rtlir_part #(.N(9)) u_part ();\n      test_rtlir_free u_free ();\n    end\n"
        "    else if (X > 2) begin : g_large\n      test_rtlir_part #(.N(9)) u_large ();\n    end\n"
        "    if (X > 3) begin : g_known\n      test_rtlir_part #(.N(X)) u_known ();\n    end\n  endgenerate\nendmodule\n");
    const weir_rtl_module top = weir_rtl_add_module(d, "top");
    for (int i = 0; i < 2; i++) weir_rtl_add_instance(d, top, whole, i == 0 ? "u_a" : "u_b");
    assert_true(weir_rtl_verify(d, top));
    ASSERT_MESSAGES(
        "test_rtlir_whole.v:4: warning: instance 'u_part' of module 'test_rtlir_part' is not checked: whether it is there "
        "takes more than parameters and numbers\n"
        "note: simulators and synthesis check it when they elaborate the design\n"
        "test_rtlir_whole.v:8: warning: instance 'u_large' of module 'test_rtlir_part' is not checked: whether it is "
        "there takes more than parameters and numbers\n"
        "note: simulators and synthesis check it when they elaborate the design\n");
    weir_rtl_set_parameter(d, weir_rtl_add_instance(d, top, whole, "u_c"), "X", 5);
    assert_false(weir_rtl_verify(d, top));
    assert_non_null(
        strstr(messages.data, "'u_c.u_known' of module 'test_rtlir_part': 'test_rtlir_part_must_be_small'"));
}

/* They are no hardware; any other conditional would be. */
static void assertions_are_passed_over(void **state) {
    assert_told(*state,
                "module m (input a);\n`ifdef WEIR_CHECK\n"
                "  generate if (1) begin : g_no m_must_not_be_read u_error (); end endgenerate\n"
                "  `ifdef FORMAL\n  always @* assert (a);\n  `else\n  always @(a) $display(\"`endif\"); // `endif\n"
                "  `endif\n`endif\n"
                "  generate if (a) begin : g_yes m_must_be_read u_error (); end endgenerate\nendmodule\n",
                0, 10, "m_must_be_read");
}

static void deep_nesting_is_refused(void **state) {
    weir_text source = {0};
    weir_text_add(&source, "module m #(parameter X = ");
    for (int i = 0; i < 100000; i++) weir_text_char(&source, '(');
    weir_text_add(&source, ") (input a); endmodule");
    assert_refused(*state, source.data, "1: error: expected less nesting, found '('");
    source.size = 0;
    weir_text_add(&source, "module m #(parameter X = 0");
    for (int i = 0; i < 100000; i++) weir_text_add(&source, "+1");
    weir_text_add(&source, ") (input a); endmodule");
    assert_refused(*state, source.data, "1: error: expected a shorter expression, found '+'");
    weir_text_free(&source);
}

/* Every prefix of a good file is either read or refused with one error; nothing else may happen. */
static void cut_files_do_no_harm(void **state) {
    (void)state;
    char *path = data_path("part.v");
    size_t size = 0;
    char *source = weir_file_read(path, &size);
    assert_non_null(source);
    char *cut = weir_format("test_rtlir_cut_%ld.v", (long)getpid());
    for (size_t i = 0; i < size; i++) {
        FILE *file = fopen(cut, "wb"); /* weir_file_write syncs, which is slow so many times */
        assert_non_null(file);
        fwrite(source, 1, i, file);
        fclose(file);
        weir_rtl_design *design = weir_rtl_design_new();
        weir_rtl_module module = weir_rtl_read_module(design, cut);
        assert_int_equal(weir_rtl_errors(design), module.id ? 0 : 1);
        weir_rtl_design_free(design);
    }
    unlink(cut);
    free(cut);
    free(source);
    free(path);
}

static void every_library_file_reads(void **state) {
    char *folder = source_path("rtl");
    int files = read_folder(*state, folder);
    free(folder);
    if (files == 0) skip();
    weir_rtl_design *design = *state;
    for (weir_rtl_module module = weir_rtl_first_module(design); module.id;
         module = weir_rtl_next_module(design, module)) {
        weir_rtl_module_info info = weir_rtl_get_module(design, module);
        for (size_t p = 0; p < info.port_count; p++) {
            weir_rtl_var_info port = weir_rtl_get_var(design, weir_rtl_port_at(design, module, p));
            if (port.width == 0) fail_msg("%s: port %s has no width with default parameters", info.name, port.name);
        }
    }
}

/* A module around an instance of the part, each port of the part being a port of the module. */
static weir_rtl_module wrap(weir_rtl_design *design, weir_rtl_module part, bool wrong) {
    weir_rtl_module_info info = weir_rtl_get_module(design, part);
    weir_rtl_module top = weir_rtl_add_module(design, weir_rtl_free_module_name(design, "wrapper"));
    weir_rtl_instance u = weir_rtl_add_instance(design, top, part, "u_part");
    for (size_t p = 0; p < info.port_count; p++) {
        weir_rtl_var_info port = weir_rtl_get_var(design, weir_rtl_port_at(design, part, p));
        uint32_t width = weir_rtl_port_width(design, u, port.name) + (wrong && port.kind == WEIR_RTL_DATA);
        weir_rtl_var own = weir_rtl_add_port(design, top, port.name, width, port.direction, port.kind, port.is_signed);
        weir_rtl_connect(design, u, port.name, weir_rtl_read(design, own));
    }
    return top;
}

/* How often Icarus complains about a port's width when it elaborates the module around the part. */
static int icarus_complaints(weir_rtl_design *design, weir_rtl_module top, const char *part_path) {
    char *folder = weir_format("test_rtlir_wrap_%ld", (long)getpid());
    assert_true(weir_rtl_write_module(design, top, NULL, folder));
    char *file = weir_format("%s/%s.v", folder, weir_rtl_get_module(design, top).name);
    weir_text output = {0};
    ask_icarus("-g2012", file, part_path, &output);
    int complaints = 0;
    for (const char *at = output.data; at && (at = strstr(at, " bits, got ")); at++) complaints++;
    weir_text_free(&output);
    weir_remove_tree(folder);
    free(folder);
    free(file);
    return complaints;
}

/* The widths that the reader computes are those of a simulator; one bit too many is noticed by both. */
static void widths_agree_with_icarus(void **state) {
    weir_rtl_design *design = *state;
    char *folder = source_path("rtl");
    read_folder(design, folder);
    free(folder);
    size_t count = weir_rtl_module_count(design);
    if (count == 0 || !weir_process_found("iverilog")) skip();
    weir_rtl_module read = weir_rtl_first_module(design);
    for (size_t i = 0; i < count; i++, read = weir_rtl_next_module(design, read)) {
        weir_rtl_module top = wrap(design, read, false);
        if (!weir_rtl_verify(design, top)) fail_msg("%s", messages.data);
        if (icarus_complaints(design, top, weir_rtl_get_module(design, read).path) != 0)
            fail_msg("%s: widths differ", weir_rtl_get_module(design, read).name);
    }
    char *path = data_path("part.v");
    weir_rtl_module part = weir_rtl_read_module(design, path);
    assert_int_equal(icarus_complaints(design, wrap(design, part, false), path), 0);
    weir_rtl_module wrong = wrap(design, part, true);
    assert_int_equal(icarus_complaints(design, wrong, path), 6);
    assert_false(weir_rtl_verify(design, wrong));
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DESIGN_TEST(header_is_read_and_ranges_follow_overrides),
        DESIGN_TEST(what_cannot_be_read_is_reported),
        DESIGN_TEST(what_cannot_be_checked_is_told),
        DESIGN_TEST(an_instance_that_may_be_there_is_told),
        DESIGN_TEST(assertions_are_passed_over),
        DESIGN_TEST(deep_nesting_is_refused),
        DESIGN_TEST(cut_files_do_no_harm),
        DESIGN_TEST(every_library_file_reads),
        DESIGN_TEST(widths_agree_with_icarus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
