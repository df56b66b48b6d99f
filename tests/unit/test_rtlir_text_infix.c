/* Expressions as written by hand: what the text form reads, and the one form that it prints. */
#include "test_rtlir_support.h"

#include "common/text_pair.h"
#include "rtlir/text/text.h"

static const char head[] = "wrtl 1\n"
                           "struct pair {\n"
                           "  low : 8\n"
                           "  high : 8\n"
                           "}\n"
                           "module leaf {\n"
                           "  input x : 8\n"
                           "  output y : 8\n"
                           "}\n"
                           "module m {\n"
                           "  parameter P = 3\n"
                           "  local W = 4\n"
                           "  input a : 8\n"
                           "  input b : 8\n"
                           "  input c : 1\n"
                           "  input d : 1\n"
                           "  input i : 3\n"
                           "  input s : signed 8\n"
                           "  input v : [5] 8\n"
                           "  input p : pair\n"
                           "  output y : 8\n"
                           "  output z : signed 8\n"
                           "  output t : 1\n"
                           "  output w : 100\n"
                           "  function twice : 8 (x : 8)\n"
                           "  instances {\n"
                           "    u : leaf wired\n"
                           "  }\n"
                           "  body {\n"
                           "    function twice {\n"
                           "      return x + x\n"
                           "    }\n"
                           "    assign ";

/* The line that the text form prints for this assignment; heap memory, NULL when it is refused. */
static char *canonical(const char *assignment) {
    char *source = weir_format("%s%s\n  }\n}\n", head, assignment);
    weir_rtl_design *design = weir_rtl_parse_text(source, strlen(source), "test.wrtl");
    free(source);
    if (!design) return NULL;
    weir_text text = {0};
    weir_rtl_print_text(design, &text);
    weir_rtl_design_free(design);
    const char *line = strstr(text.data, "    assign ") + strlen("    assign ");
    char *result = weir_format("%.*s", (int)strcspn(line, "\n"), line);
    weir_text_free(&text);
    return result;
}

/* The expected column is Verilog's table of precedences (IEEE 1364-2005, table 5-4) by hand. */
static const text_pair forms[] = {
    {"y = ~a", "y = (~a)"},
    {"y = a + a + a", "y = ((a + a) + a)"},
    {"y = (a + a + a)", "y = ((a + a) + a)"},
    {"y = a - b - a", "y = ((a - b) - a)"},
    {"y = a & b | a", "y = ((a & b) | a)"},
    {"y = a | b & a ^ b", "y = (a | ((b & a) ^ b))"},
    {"y = a + b * a - b % a", "y = ((a + (b * a)) - (b % a))"},
    {"y = a + b << 1 + 1 == 0 ? a : b", NULL},
    {"y = a << i + i", "y = (a << (i + i))"},
    {"y = a << 3 >> 1", "y = ((a << 2'd3) >> 1'd1)"},
    {"y = a ** 2 ** i", "y = ((a ** 2'd2) ** i)"},
    {"y = -a * -b", "y = ((-a) * (-b))"},
    {"y = ~-~a", "y = (~(-(~a)))"},
    {"t = !&a", "t = (!(&a))"},
    {"t = ~|a ^ &b", "t = ((~(|a)) ^ (&b))"},
    {"t = a & &b == c", NULL},
    {"t = a < b == c", "t = ((a < b) == c)"},
    {"t = a + b < a & c", "t = (((a + b) < a) & c)"},
    {"t = c || d && c", "t = (c || (d && c))"},
    {"t = c && d || !c && !d", "t = ((c && d) || ((!c) && (!d)))"},
    {"y = c ? a : d ? b : a", "y = (c ? a : (d ? b : a))"},
    {"y = c ? d ? a : b : a", "y = (c ? (d ? a : b) : a)"},
    {"y = c && d ? a + b : a & b", "y = ((c && d) ? (a + b) : (a & b))"},
    {"y = (c ? a : b) + a", "y = ((c ? a : b) + a)"},
    {"y = ((((a))))", "y = a"},
    {"y = (a\n      + b # why\n      + a)", "y = ((a + b) + a)"},
    {"y = a + 1", "y = (a + 8'd1)"},
    {"y = 1", "y = 8'd1"},
    {"y = 0255", "y = 8'd255"},
    {"y = 2_5_5", "y = 8'd255"},
    {"y = c ? 1 : 2", "y = (c ? 8'd1 : 8'd2)"},
    {"y = a & (c ? 1 : ~0)", "y = (a & (c ? 8'd1 : (~8'd0)))"},
    {"y = (1 + 2) * a", "y = ((8'd1 + 8'd2) * a)"},
    {"z = -1", "z = 8'shff"},
    {"z = -128", "z = 8'sh80"},
    {"z = s + -3", "z = (s + 8'shfd)"},
    {"z = s -3", "z = (s - 8'sd3)"},
    {"z = - 1", "z = (-8'sd1)"},
    {"t = a == 7 && !d", "t = ((a == 8'd7) && (!d))"},
    {"t = 3 < s", "t = (8'sd3 < s)"},
    {"t = 1 && c", "t = (1'd1 && c)"},
    {"w = 1267650600228229401496703205375", "w = 100'hfffffffffffffffffffffffff"},
    {"y = 8'd200 ^ 8'b1010_0101 ^ 8'o17 ^ 8'HFF", "y = (((8'd200 ^ 8'b10100101) ^ 8'o17) ^ 8'hff)"},
    {"z = 8'sd127", "z = 8'sd127"},
    {"z = -8'sd5", "z = (-8'sd5)"},
    {"w = 100'd1267650600228229401496703205375", "w = 100'hfffffffffffffffffffffffff"},
    {"t = a[i]", "t = a[i +: 1]"},
    {"t = a[3]", "t = a[3]"},
    {"t = a[2 * 3 + 1]", "t = a[7]"},
    {"y = {a[7:4], a[W - 1 : 0]}", "y = {a[7:4], a[3:0]}"},
    {"y[W + 3 : W] = a[i +: 2 * 2]", "y[7:4] = a[i +: 4]"},
    {"t = a[i + 1]", "t = a[(i + 3'd1) +: 1]"},
    {"y = v[2 + 2]", "y = v[4]"},
    {"y = v[c ? 1 : 2]", "y = v[(c ? 3'd1 : 3'd2)]"},
    {"y = v[i] + p.low", "y = (v[i] + p.low)"},
    {"t = p.high[i]", "t = p.high[i +: 1]"},
    {"y = {2 * W{c}}", "y = {8{c}}"},
    {"y = {W{c, d}}", "y = {4{{c, d}}}"},
    {"y = twice(a + 1) + twice(3)", "y = (twice((a + 8'd1)) + twice(8'd3))"},
    {"y = u.y + 1", "y = (u.y + 8'd1)"},
    {"z = $signed(a & b) + 1", "z = ($signed((a & b)) + 8'sd1)"},
};

static void infix_reads_to_the_one_form(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char *printed = canonical(forms[i].text);
        if (!forms[i].expected) {
            assert_null(printed);
            continue;
        }
        if (!printed) fail_msg("'%s': %s", forms[i].text, messages.data);
        assert_string_equal(printed, forms[i].expected);
        char *again = canonical(printed);
        assert_string_equal(again, printed);
        free(again);
        free(printed);
    }
}

static const text_pair wrong[] = {
    {"y = a +", "expected an expression, found the end of the line"},
    {"y = a b", "expected the end of the line, found 'b'"},
    {"y = (a + b", "expected an operator or ')', found the end of the line"},
    {"y = (a + b]", "expected an operator or ')', found ']'"},
    {"y = a + b)", "expected the end of the line, found ')'"},
    {"y = c ? a", "expected an operator or ':', found the end of the line"},
    {"y = (c ? a)", "expected an operator or ':', found ')'"},
    {"y = a ? a : b", "'?:' needs one unsigned bit: 'a' has 8 unsigned bits"},
    {"y = 256", "constant 256 does not fit in 8 unsigned bits"},
    {"y = a + -1", "constant -1 does not fit in 8 unsigned bits"},
    {"z = 128", "constant 128 does not fit in 8 signed bits"},
    {"z = -129", "constant -129 does not fit in 8 signed bits"},
    {"y = 4'h1f", "constant 4'h1f does not fit in 4 bits"},
    {"y = 8'd256", "constant 8'd256 does not fit in 8 bits"},
    {"z = 8'sd128", "constant 8'sd128 does not fit in 8 signed bits"},
    {"y = 8'", "expected the base of a constant ('h', 'd', 'o' or 'b', as in 8'hff), found the end of the line"},
    {"y = 8'hg", "expected digits of a constant, found 'g'"},
    {"y = 0'h0", "expected a constant of 1 to 1048576 bits, found '0'"},
    {"y = {a[3:0], 5}", "the width of '5' is not known here; write WIDTH'd5"},
    {"t = 1 == 2", "the width of '1' is not known here; write WIDTH'd1"},
    {"t = &3", "the width of '3' is not known here; write WIDTH'd3"},
    {"z = $signed(200)", "the width of '200' is not known here; write WIDTH'd200"},
    {"y = a[P:0]", "'y' has 8 bits and cannot take 'a[P:0]', which has 4"},
    {"y = a[c:0]", "unknown parameter 'c'"},
    {"y = {4 / (W - W){c}}", "expected a number that is known here: division by zero"},
    {"y = u", "expected a part of it after the name of 'u'"},
    {"y = twice", "expected '(' and arguments after function 'twice'"},
    {"~y = a", "expected something to assign to, found '~'"},
};

static void wrong_expressions_say_what_is_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *expected = weir_format("test.wrtl:%d: error: %s\n", 33, wrong[i].expected);
        assert_null(canonical(wrong[i].text));
        ASSERT_MESSAGES(expected);
        free(expected);
    }
}

/* Formulas are printed as they are written; their old form, with operators in front, is still read. */
static const text_pair formulas[] = {
    {"1 + 2 * 3", "(1 + (2 * 3))"},
    {"(- P 1)", "(P - 1)"},
    {"(-P - 1)", "((-P) - 1)"},
    {"(- P + 1)", "((-P) + 1)"},
    {"(- P)", "(-P)"},
    {"(- 1)", "(- 1)"},
    {"-1", "-1"},
    {"P - -1", "(P - -1)"},
    {"(* 4 (clog2 P))", "(4 * clog2(P))"},
    {"clog2(P + 1) * 2", "(clog2((P + 1)) * 2)"},
    {"(? (> P 1) (clog2 P) 1)", "((P > 1) ? clog2(P) : 1)"},
    {"P > 1 && P != 3 ? P : 7", "(((P > 1) && (P != 3)) ? P : 7)"},
    {"\"text\"", "\"text\""},
    {"$opaque", "$opaque"},
};

static void formulas_are_infix(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        const char *from = formulas[i].text;
        for (int pass = 0; pass < 2; pass++) {
            char *source =
                weir_format("wrtl 1\nmodule m {\n  parameter P = 9\n  local Q = %s\n  body {\n  }\n}\n", from);
            weir_rtl_design *design = weir_rtl_parse_text(source, strlen(source), "test.wrtl");
            if (!design) fail_msg("'%s': %s", from, messages.data);
            weir_text text = {0};
            weir_rtl_print_text(design, &text);
            char *expected = weir_format("  local Q = %s\n", formulas[i].expected);
            if (!strstr(text.data, expected)) fail_msg("'%s': %s", from, text.data);
            free(expected);
            free(source);
            weir_text_free(&text);
            weir_rtl_design_free(design);
            from = formulas[i].expected;
        }
    }
}

/* Widths, bounds and counts are formulas of numbers and local parameters. */
static void numbers_are_computed(void **state) {
    (void)state;
    static const char source[] =
        "wrtl 1\nmodule m {\n  local N = 3\n  input x : N * 2\n  input y : (N + 1) * 8\n"
        "  input z : [1 << N] signed N\n  iterator k\n  output o : 8\n  body {\n"
        "    for k = N - 3 to 1 << N step 2 - 1 {\n      assign o[k +: 1] = x[0]\n    }\n  }\n}\n";
    weir_rtl_design *design = weir_rtl_parse_text(source, strlen(source), "test.wrtl");
    if (!design) fail_msg("%s", messages.data);
    weir_text text = {0};
    weir_rtl_print_text(design, &text);
    assert_non_null(strstr(text.data, "  input x : 6\n  input y : 32\n  input z : [8] signed 3\n"));
    assert_non_null(strstr(text.data, "    for k = 0 to 8 step 1 {\n"));
    weir_text_free(&text);
    weir_rtl_design_free(design);
}

/* A hundred thousand brackets that mean nothing cost nothing. */
static void brackets_nest_without_limit(void **state) {
    (void)state;
    enum { DEPTH = 100000 };
    weir_text text = {0};
    weir_text_add(&text, head);
    weir_text_add(&text, "y = ");
    for (int i = 0; i < DEPTH; i++) weir_text_char(&text, '(');
    weir_text_char(&text, 'a');
    for (int i = 0; i < DEPTH; i++) weir_text_char(&text, ')');
    weir_text_add(&text, "\n  }\n}\n");
    weir_rtl_design *design = weir_rtl_parse_text(text.data, text.size, "test.wrtl");
    assert_non_null(design);
    weir_rtl_design_free(design);
    weir_text_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DESIGN_TEST(infix_reads_to_the_one_form), DESIGN_TEST(wrong_expressions_say_what_is_wrong),
        DESIGN_TEST(formulas_are_infix),          DESIGN_TEST(numbers_are_computed),
        DESIGN_TEST(brackets_nest_without_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
