/* What is wrong with a text: every error at its place, none twice, none that only follows from another. */
#include "test_rtlir_support.h"

#include "common/text_pair.h"
#include "rtlir/text/text.h"

static const char many[] =
    "many_errors.wrtl:4: error: expected ':', found '8'\n"
    "many_errors.wrtl:9: error: expected 'module', 'origin', 'struct', 'union', 'enum' or 'interface', found 'm'\n"
    "many_errors.wrtl:14: error: unknown type 'wrong'\n"
    "many_errors.wrtl:16: error: expected ':', found '8'\n"
    "many_errors.wrtl:31: error: unknown module 'nothing'\n"
    "many_errors.wrtl:36: error: constant 4'h1f does not fit in 4 bits\n"
    "many_errors.wrtl:38: error: module 'leaf' of instance 'u' has no port 'd'\n"
    "many_errors.wrtl:43: error: module 'leaf' of instance 'x' has no port 'bb'\n"
    "many_errors.wrtl:44: error: constant 300 does not fit in 8 unsigned bits\n"
    "many_errors.wrtl:46: error: unknown name 'nothere'\n"
    "many_errors.wrtl:48: error: expected an expression, found the end of the line\n"
    "many_errors.wrtl:50: error: expected an operator or '}', found 'w'\n"
    "many_errors.wrtl:52: error: unknown name 'yy'\n"
    "many_errors.wrtl:55: error: constant 2 does not fit in 1 unsigned bit\n"
    "many_errors.wrtl:58: error: unknown name 'nope'\n"
    "many_errors.wrtl:64: error: expected a statement or '}', found 'a'\n"
    "many_errors.wrtl:67: error: expected a cast, found 'b'\n"
    "many_errors.wrtl:68: error: expected an expression, found the end of the line\n";

static void each_error_is_reported_once(void **state) {
    (void)state;
    char *path = data_path("many_errors.wrtl");
    assert_null(weir_rtl_load_text(path));
    ASSERT_MESSAGES(many);
    free(path);
}

/* Reading ends with the twentieth. */
static void twenty_are_enough(void **state) {
    (void)state;
    weir_text text = {0};
    weir_text_add(&text, "wrtl 1\nmodule m {\n  output y : 1\n  body {\n");
    for (int i = 0; i < 1000; i++) weir_text_format(&text, "    assign y = n%d\n", i);
    weir_text_add(&text, "  }\n}\n");
    assert_null(weir_rtl_parse_text(text.data, text.size, "test.wrtl"));
    size_t count = 0;
    for (const char *c = messages.data; *c; c++) count += *c == '\n';
    assert_int_equal(count, 20);
    weir_text_free(&text);
}

/* A wrong line, and the errors of a right one behind it: none. */
static const text_pair lines[] = {
    {"input w : 8 8\n  body {\n    assign y = w\n  }\n", "3: error: expected the end of the line, found '8'\n"},
    {"register w : 8 = x\n  body {\n    assign y = w[3:0] + w[7:4]\n  }\n", "3: error: unknown name 'x'\n"},
    {"group g : bus\n  body {\n    assign g.data = 3\n    assign y = g_data\n  }\n",
     "3: error: unknown interface 'bus'\n"},
    {"function f : 8 a : 8\n  body {\n    function f {\n      return a\n    }\n    assign y = f(3)\n  }\n",
     "3: error: expected '(', found 'a'\n"},
    {"instances {\n    u leaf\n  }\n  body {\n    instance u {\n      connect a = y\n    }\n    let u.x = 3\n  }\n",
     "4: error: expected ':', found 'l'\n"},
    {"body {\n    if q {\n      set y = 1\n    } else if q {\n      set y = 0\n    } else {\n      set y = 1\n    }\n  }\n",
     "4: error: unknown name 'q'\n"},
    {"body {\n    case y {\n      item 3 junk {\n      }\n    }\n  }\n",
     "4: error: this statement belongs in a process or a branch of one\n"},
};

static void one_error_has_no_followers(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char *source = weir_format("wrtl 1\nmodule m { output y : 8\n  %s}\n", lines[i].text);
        assert_null(weir_rtl_parse_text(source, strlen(source), "test.wrtl"));
        weir_text expected = {0};
        for (const char *at = lines[i].expected; *at; at += strcspn(at, "\n") + 1)
            weir_text_format(&expected, "test.wrtl:%.*s\n", (int)strcspn(at, "\n"), at);
        ASSERT_MESSAGES(expected.data);
        weir_text_free(&expected);
        free(source);
    }
}

/* Casts of formulas have local parameters, which nobody wrote. */
static void casts_are_quoted_as_written(void **state) {
    static const char text[] =
        "wrtl 1\nmodule m {\n  parameter D = 8\n  parameter W = 4\n  input a : 3\n  input b : W\n"
        "  output y : W\n  body {\n"
        "    assign y = clog2(D)'(D - 1 - W) + b\n"
        "    assign y = b & {a, 2'(3 - (D - W))}\n"
        "    assign y = b | W'(D - W)[a]\n"
        "    assign y = W'(W * 2 + D)\n"
        "    assign y = a == 3'(D + W - 5) ? b : a\n"
        "    assign y = W'(1 - D)\n  }\n}\n";
    (void)state;
    assert_null(weir_rtl_parse_text(text, strlen(text), "t"));
    ASSERT_MESSAGES(
        "t:9: error: '+' needs operands of one width: 'clog2(D)'(D - 1 - W)' has 3 bits, 'b' has 4\n"
        "t:10: error: '3 - (D - W)' cannot be 2 unsigned bits, expected a value of at least 0 and at most 32 "
        "bits\n"
        "t:11: error: 'W'(D - W)' has 4 bits; a select of 1 bits needs a variable of at least 2\n"
        "t:12: error: 'W * 2 + D' is 16 and does not fit in 4 unsigned bits\n"
        "t:13: error: '?:' needs operands of one width: 'b' has 4 bits, 'a' has 3\n"
        "t:14: error: '1 - D' cannot be 4 unsigned bits, expected a value of at least 0 and at most 32 bits\n");
}

/* What is printed has values in front of what names ports, so only those that leave widths alone may stand behind
 * it. */
static void values_behind_named_ports_keep_widths(void **state) {
    static const char head[] = "wrtl 1\nmodule leaf external \"leaf.v\" {\n  parameter W = 8\n  parameter D = 2\n"
                               "  input x : $range (W - 1) 0\n  output y : $range (W - 1) 0\n}\n"
                               "module top {\n  input a : 8\n  output b : 8\n  instances {\n    u : leaf wired\n  }\n"
                               "  body {\n    let u.x = a\n    let b = u.y\n    instance u {\n      parameter ";
    static const struct {
        const char *value;
        bool fits;
    } values[] = {{"D = 12", true}, {"W = 8", true}, {"W = 12", false}};
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char *text = weir_format("%s%s\n    }\n  }\n}\n", head, values[i].value);
        weir_text printed = {0};
        messages.size = 0;
        weir_text_add(&messages, "");
        weir_rtl_design *design = weir_rtl_parse_text(text, strlen(text), "t");
        assert_int_equal(design != NULL, values[i].fits);
        if (design == NULL) assert_non_null(strstr(messages.data, "parameter 'W' of instance 'u' is set after a port"));
        else weir_rtl_print_text(design, &printed);
        weir_rtl_design *again = design == NULL ? NULL : weir_rtl_parse_text(printed.data, printed.size, "again");
        assert_int_equal(again != NULL, values[i].fits);
        weir_rtl_design_free(again);
        weir_rtl_design_free(design);
        weir_text_free(&printed);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DESIGN_TEST(each_error_is_reported_once),
        DESIGN_TEST(twenty_are_enough),
        DESIGN_TEST(one_error_has_no_followers),
        DESIGN_TEST(casts_are_quoted_as_written),
        DESIGN_TEST(values_behind_named_ports_keep_widths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
