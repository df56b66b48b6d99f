/* Construction of hardware IR: what is refused, and with which words. */
#include "test_rtlir_support.h"

static weir_rtl_expr wire(weir_rtl_design *design, weir_rtl_module module, const char *name, uint32_t width) {
    return weir_rtl_read(design, weir_rtl_add_wire(design, module, name, width));
}

static void assert_text(weir_rtl_design *design, weir_rtl_expr expr, const char *expected) {
    weir_text text = {0};
    weir_rtl_print_expr(design, expr, &text);
    assert_string_equal(text.data, expected);
    weir_text_free(&text);
}

static void names_are_unique_legal_identifiers(void **state) {
    weir_rtl_design *design = *state;
    weir_rtl_module top = weir_rtl_add_module(design, "top");
    assert_int_equal(weir_rtl_add_module(design, "top").id, 0);
    ASSERT_MESSAGES("error: module name 'top' in 'the design' is already the name of a module\n");
    weir_rtl_add_input(design, top, "x", 1);
    weir_rtl_add_wire(design, top, "x", 1);
    ASSERT_MESSAGES("error: variable name 'x' in 'top' is already the name of a variable\n");
    weir_rtl_add_input(design, top, "endcase", 1);
    ASSERT_MESSAGES("error: port name 'endcase' in 'top' is a reserved word\n");
    weir_rtl_add_output(design, top, "always_ff", 1);
    ASSERT_MESSAGES("error: port name 'always_ff' in 'top' is a reserved word\n");
    weir_rtl_add_wire(design, top, "1x", 1);
    weir_rtl_add_parameter(design, top, "a-b", 1);
    ASSERT_MESSAGES("error: variable name '1x' in 'top' is not a simple Verilog identifier\n"
                    "error: parameter name 'a-b' in 'top' is not a simple Verilog identifier\n");
    weir_rtl_add_wire(design, top, "wide", 0);
    weir_rtl_add_wire(design, top, "wide", WEIR_RTL_MAX_WIDTH + 1);
    ASSERT_MESSAGES("error: 'wide' in 'top' has 0 bits, expected 1 to 1048576\n"
                    "error: 'wide' in 'top' has 1048577 bits, expected 1 to 1048576\n");
    weir_rtl_add_port(design, top, "fast_clk", 2, WEIR_RTL_INPUT, WEIR_RTL_CLOCK, false);
    ASSERT_MESSAGES("error: 'fast_clk' in 'top' is a clock, reset or enable and has 2 bits, expected 1\n");
    assert_int_equal(weir_rtl_errors(design), 9);
}

static void free_names_are_legal_and_free(void **state) {
    weir_rtl_design *design = *state;
    weir_rtl_module top = weir_rtl_add_module(design, "top");
    assert_string_equal(weir_rtl_free_module_name(design, "top"), "top_0");
    assert_string_equal(weir_rtl_free_name(design, top, "wire"), "wire_");
    assert_string_equal(weir_rtl_free_name(design, top, "/conv/1:0"), "n__conv_1_0");
    for (int i = 0; i < 20000; i++)
        assert_int_not_equal(weir_rtl_add_wire(design, top, weir_rtl_free_name(design, top, "x"), 1).id, 0);
    assert_string_equal(weir_rtl_free_name(design, top, "x"), "x_19999");
    assert_int_equal(weir_rtl_errors(design), 0);
}

static void operators_need_agreeing_operands(void **state) {
    weir_rtl_design *design = *state;
    weir_rtl_module top = weir_rtl_add_module(design, "top");
    weir_rtl_expr a = wire(design, top, "a", 8);
    weir_rtl_expr b = wire(design, top, "b", 9);
    weir_rtl_expr s = weir_rtl_read(design, weir_rtl_add_wire_signed(design, top, "s", 8));
    assert_int_equal(weir_rtl_binary(design, WEIR_RTL_ADD, a, b).id, 0);
    ASSERT_MESSAGES("error: '+' needs operands of one width: 'a' has 8 bits, 'b' has 9\n");
    weir_rtl_binary(design, WEIR_RTL_LESS, a, s);
    ASSERT_MESSAGES("error: '<' needs operands of one sign: 'a' is unsigned, 's' is signed\n");
    weir_rtl_conditional(design, a, a, a);
    ASSERT_MESSAGES("error: '?:' needs one unsigned bit: 'a' has 8 unsigned bits\n");
    weir_rtl_binary(design, WEIR_RTL_SHIFT_LEFT, a, s);
    ASSERT_MESSAGES("error: '<<' needs an unsigned right operand: 's' is signed\n");
    weir_rtl_binary(design, WEIR_RTL_LOGICAL_AND, a, a);
    ASSERT_MESSAGES("error: '&&' needs one unsigned bit: 'a' has 8 unsigned bits\n");
    weir_rtl_unary(design, WEIR_RTL_ADD, a);
    weir_rtl_binary(design, WEIR_RTL_NOT, a, a);
    ASSERT_MESSAGES("error: '+' is not an operator with one operand\n"
                    "error: '~' is not an operator with two operands\n");
    size_t errors = weir_rtl_errors(design);
    weir_rtl_unary(design, WEIR_RTL_NOT, weir_rtl_binary(design, WEIR_RTL_ADD, (weir_rtl_expr){0}, a));
    assert_int_equal(weir_rtl_errors(design), errors);
    ASSERT_MESSAGES("");
}

static void parts_stay_inside_their_variable(void **state) {
    weir_rtl_design *design = *state;
    weir_rtl_module top = weir_rtl_add_module(design, "top");
    weir_rtl_expr a = wire(design, top, "a", 8);
    weir_rtl_slice(design, a, 8, 1);
    weir_rtl_slice(design, a, 1, 2);
    ASSERT_MESSAGES("error: slice [8:1] is outside of 'a', which has 8 bits\n"
                    "error: slice [1:2] is outside of 'a', which has 8 bits\n");
    weir_rtl_slice(design, weir_rtl_unary(design, WEIR_RTL_NOT, a), 1, 0);
    ASSERT_MESSAGES("error: '~a' is not a variable and cannot be sliced; assign it to a wire first\n");
    weir_rtl_select(design, wire(design, top, "one", 1), a, 1);
    ASSERT_MESSAGES("error: 'one' has 1 bits; a select of 1 bits needs a variable of at least 2\n");
    assert_text(design, weir_rtl_slice(design, weir_rtl_slice(design, a, 6, 2), 3, 1), "a[5:3]");
    assert_text(design, weir_rtl_slice(design, a, 7, 0), "a");
    assert_text(design, weir_rtl_select(design, a, wire(design, top, "i", 3), 2), "a[i +: 2]");
    weir_rtl_repeat(design, 0, a);
    weir_rtl_concat(design, 0, NULL);
    ASSERT_MESSAGES("error: a replication has 0 bits, expected 1 to 1048576\n"
                    "error: a concatenation has 0 bits, expected 1 to 1048576\n");
}

static void constants_fit_and_print_with_size_and_sign(void **state) {
    weir_rtl_design *design = *state;
    assert_text(design, weir_rtl_constant(design, 1, 1), "1'b1");
    assert_text(design, weir_rtl_constant(design, 8, 255), "8'd255");
    assert_text(design, weir_rtl_constant(design, 40, 0xabcd), "40'h000000abcd");
    assert_text(design, weir_rtl_constant(design, 70, 0), "70'd0");
    assert_text(design, weir_rtl_constant_signed(design, 8, -12), "-8'sd12");
    assert_text(design, weir_rtl_constant_signed(design, 8, -128), "8'sh80");
    assert_text(design, weir_rtl_constant_signed(design, 1, -1), "1'sh1");
    assert_text(design, weir_rtl_constant_signed(design, 32, INT32_MIN), "32'sh80000000");
    assert_text(design, weir_rtl_constant_signed(design, 64, INT64_MIN), "64'sh8000000000000000");
    assert_text(design, weir_rtl_constant_signed(design, 66, -1), "66'sh3ffffffffffffffff");
    assert_text(design, weir_rtl_extend(design, weir_rtl_constant_signed(design, 8, -2), 12), "-12'sd2");
    assert_text(design, weir_rtl_slice(design, weir_rtl_constant(design, 70, UINT64_MAX), 67, 60), "8'd15");
    assert_int_equal(weir_rtl_errors(design), 0);
    weir_rtl_constant(design, 8, 256);
    weir_rtl_constant_signed(design, 8, 128);
    weir_rtl_constant_signed(design, 8, -129);
    weir_rtl_constant(design, 0, 0);
    ASSERT_MESSAGES("error: constant 256 does not fit in 8 unsigned bits\n"
                    "error: constant 128 does not fit in 8 signed bits\n"
                    "error: constant -129 does not fit in 8 signed bits\n"
                    "error: a constant has 0 bits, expected 1 to 1048576\n");
}

static void expressions_print_with_the_parentheses_they_need(void **state) {
    weir_rtl_design *design = *state;
    weir_rtl_module top = weir_rtl_add_module(design, "top");
    weir_rtl_expr a = wire(design, top, "a", 8);
    weir_rtl_expr b = wire(design, top, "b", 8);
    weir_rtl_expr s = weir_rtl_read(design, weir_rtl_add_wire_signed(design, top, "s", 8));
    weir_rtl_expr sum = weir_rtl_binary(design, WEIR_RTL_ADD, a, b);
    assert_text(design, weir_rtl_binary(design, WEIR_RTL_SUBTRACT, sum, a), "a + b - a");
    assert_text(design, weir_rtl_binary(design, WEIR_RTL_SUBTRACT, a, sum), "a - (a + b)");
    assert_text(design, weir_rtl_binary(design, WEIR_RTL_AND, sum, weir_rtl_unary(design, WEIR_RTL_NOT, a)),
                "(a + b) & ~a");
    assert_text(design, weir_rtl_unary(design, WEIR_RTL_REDUCE_AND, weir_rtl_unary(design, WEIR_RTL_NOT, a)), "&(~a)");
    weir_rtl_expr less = weir_rtl_binary(design, WEIR_RTL_LESS, a, b);
    assert_text(design, weir_rtl_conditional(design, less, a, sum), "(a < b) ? a : a + b");
    assert_text(design, weir_rtl_binary(design, WEIR_RTL_ADD, s, weir_rtl_constant_signed(design, 8, -3)),
                "s + (-8'sd3)");
    assert_text(design, weir_rtl_extend(design, a, 12), "{4'd0, a}");
    assert_text(design, weir_rtl_extend(design, s, 12), "$signed({{4{s[7]}}, s})");
    assert_text(design, weir_rtl_extend(design, weir_rtl_as_signed(design, a), 9), "$signed({a[7], a})");
}

static void expressions_of_two_modules_do_not_mix(void **state) {
    weir_rtl_design *design = *state;
    weir_rtl_module top = weir_rtl_add_module(design, "top");
    weir_rtl_module other = weir_rtl_add_module(design, "other");
    weir_rtl_expr a = wire(design, top, "a", 8);
    weir_rtl_expr b = wire(design, other, "b", 8);
    weir_rtl_binary(design, WEIR_RTL_ADD, a, b);
    ASSERT_MESSAGES("error: 'b' belongs to module 'other', the rest of its expression to 'top'\n");
    weir_rtl_assign(design, top, a, b);
    ASSERT_MESSAGES("error: assignment of 'b' to 'a' in module 'top' names variables of another module\n");
}

static void huge_expressions_are_refused(void **state) {
    weir_rtl_design *design = *state;
    weir_rtl_module top = weir_rtl_add_module(design, "top");
    weir_rtl_expr a = wire(design, top, "a", 8);
    weir_rtl_expr x = a;
    for (int i = 0; i < 64 && x.id; i++) x = weir_rtl_binary(design, WEIR_RTL_ADD, x, x);
    assert_int_equal(x.id, 0);
    for (x = a; x.id;) x = weir_rtl_binary(design, WEIR_RTL_ADD, x, a);
    const char *text =
        "error: an expression has more than 65535 parts or 2000 levels; assign some of its parts to variables\n";
    weir_text twice = {0};
    weir_text_format(&twice, "%s%s", text, text);
    ASSERT_MESSAGES(twice.data);
    weir_text_free(&twice);
}

static void assignments_are_checked(void **state) {
    weir_rtl_design *design = *state;
    weir_rtl_module top = weir_rtl_add_module(design, "top");
    weir_rtl_var clk = weir_rtl_add_clock(design, top, "clk");
    weir_rtl_expr in = weir_rtl_read(design, weir_rtl_add_input(design, top, "in", 8));
    weir_rtl_expr a = wire(design, top, "a", 8);
    weir_rtl_expr b = wire(design, top, "b", 4);
    weir_rtl_expr s = weir_rtl_read(design, weir_rtl_add_wire_signed(design, top, "s", 8));
    weir_rtl_assign(design, top, in, a);
    weir_rtl_assign(design, top, a, b);
    weir_rtl_assign(design, top, s, a);
    ASSERT_MESSAGES("error: 'in' cannot be assigned to\n"
                    "error: 'a' has 8 bits and cannot take 'b', which has 4\n"
                    "error: 's' is signed and cannot take 'a', which is unsigned\n");
    weir_rtl_expr gated = weir_rtl_read(design, weir_rtl_add_wire_of(design, top, "gated", WEIR_RTL_CLOCK));
    weir_rtl_assign(design, top, gated, weir_rtl_bit(design, a, 0));
    ASSERT_MESSAGES("error: 'gated' is a clock or reset and cannot take 'a[0]', which is another kind of signal\n");
    weir_rtl_read_parameter(design, weir_rtl_add_parameter_string(design, top, "NAME", "x"));
    ASSERT_MESSAGES("error: parameter 'NAME' is not a 32-bit integer and cannot be part of an expression\n");
    weir_rtl_block always = weir_rtl_add_always(design, top, WEIR_RTL_POSEDGE, clk);
    weir_rtl_set(design, always, a, in);
    weir_rtl_set_next(design, always, a, in);
    weir_rtl_add_if(design, always, in);
    ASSERT_MESSAGES("error: assignment to 'a' is blocking, expected nonblocking in a clocked block\n"
                    "error: 'a' in module 'top' is a wire; a process assigns registers only\n"
                    "error: condition 'in' has 8 bits, expected 1\n");
    weir_rtl_add_event(design, always, WEIR_RTL_NEGEDGE, weir_rtl_find_var(design, top, "a"));
    weir_rtl_stmt branch = weir_rtl_add_case(design, always, in);
    weir_rtl_add_case_item(design, branch, weir_rtl_constant(design, 4, 1));
    weir_rtl_add_if(design, weir_rtl_get_module(design, top).body, weir_rtl_bit(design, in, 0));
    ASSERT_MESSAGES("error: an always block of module 'top' cannot wait for 'a', which is not a clock or asynchronous "
                    "reset\n"
                    "error: case label '4'd1' has 4 bits, expected a constant like 'in' with 8\n"
                    "error: this statement belongs in a process or a branch of one\n");
}

static void provenance_comments_and_attributes_are_kept(void **state) {
    weir_rtl_design *design = *state;
    weir_rtl_set_location(design, weir_at("model.onnx", 7));
    weir_rtl_set_pass(design, "emit");
    weir_rtl_module top = weir_rtl_add_module(design, "top");
    weir_rtl_var a = weir_rtl_add_wire(design, top, "a", 8);
    weir_rtl_set_pass(design, "retime");
    weir_rtl_touch(design, WEIR_RTL_ITEM(a));
    weir_rtl_touch(design, WEIR_RTL_ITEM(a));
    weir_rtl_set_comment(design, WEIR_RTL_ITEM(a), "layer 3");
    weir_rtl_set_attribute(design, WEIR_RTL_ITEM(a), "keep");
    weir_rtl_item_info info = weir_rtl_get_item(design, WEIR_RTL_ITEM(a));
    assert_string_equal(info.comment, "layer 3");
    assert_string_equal(info.location.file, "model.onnx");
    assert_int_equal(info.location.line, 7);
    assert_int_equal(info.pass_count, 2);
    assert_string_equal(weir_rtl_item_pass(design, WEIR_RTL_ITEM(a), 0), "emit");
    assert_string_equal(weir_rtl_item_pass(design, WEIR_RTL_ITEM(a), 1), "retime");
    assert_true(weir_rtl_has_attribute(design, WEIR_RTL_ITEM(a), "keep"));
    assert_false(weir_rtl_has_attribute(design, WEIR_RTL_ITEM(top), "keep"));
    weir_rtl_add_wire(design, top, "a", 1);
    ASSERT_MESSAGES("model.onnx:7: error: variable name 'a' in 'top' is already the name of a variable\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DESIGN_TEST(names_are_unique_legal_identifiers),
        DESIGN_TEST(free_names_are_legal_and_free),
        DESIGN_TEST(operators_need_agreeing_operands),
        DESIGN_TEST(parts_stay_inside_their_variable),
        DESIGN_TEST(constants_fit_and_print_with_size_and_sign),
        DESIGN_TEST(expressions_print_with_the_parentheses_they_need),
        DESIGN_TEST(expressions_of_two_modules_do_not_mix),
        DESIGN_TEST(huge_expressions_are_refused),
        DESIGN_TEST(assignments_are_checked),
        DESIGN_TEST(provenance_comments_and_attributes_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
