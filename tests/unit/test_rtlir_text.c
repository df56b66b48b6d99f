/* The text form: what is printed reads back to the same text; what is wrong is refused with its line. */
#include "test_rtlir_support.h"

#include "common/text_pair.h"
#include "rtlir/text/text.h"

static void assert_round_trip(const char *source, size_t size) {
    weir_rtl_design *design = weir_rtl_parse_text(source, size, "test.wrtl");
    if (!design) fail_msg("%s", messages.data);
    weir_text text = {0};
    weir_rtl_print_text(design, &text);
    weir_rtl_design_free(design);
    int line = 1;
    size_t same = 0;
    for (; text.data[same] && text.data[same] == source[same]; same++) line += source[same] == '\n';
    while (same > 0 && source[same - 1] != '\n') same--;
    if (strcmp(text.data + same, source + same) != 0)
        fail_msg("line %d: printed '%.*s', read '%.*s'", line, (int)strcspn(text.data + same, "\n"), text.data + same,
                 (int)strcspn(source + same, "\n"), source + same);
    weir_text_free(&text);
}

static void every_construct_reads_back(void **state) {
    (void)state;
    size_t size = 0;
    char *source = read_data("everything.wrtl", &size);
    assert_round_trip(source, size);
    free(source);
}

/* Built in C: parameters, locations and trails set by the builder. */
static void what_was_built_reads_back(void **state) {
    weir_rtl_design *d = *state;
    weir_rtl_set_location(d, weir_at("a b.onnx", 7));
    weir_rtl_set_pass(d, "one");
    weir_rtl_module m = weir_rtl_add_module(d, "m");
    weir_rtl_expr x = weir_rtl_read(d, weir_rtl_add_input(d, m, "x", 70));
    weir_rtl_expr y = weir_rtl_read(d, weir_rtl_add_output(d, m, "y", 70));
    const uint64_t words[2] = {UINT64_C(0xfedcba9876543210), 0x3f};
    weir_rtl_stmt s =
        weir_rtl_assign(d, m, y, weir_rtl_binary(d, WEIR_RTL_XOR, x, weir_rtl_constant_words(d, 70, false, words)));
    weir_rtl_set_pass(d, "two");
    weir_rtl_touch(d, WEIR_RTL_ITEM(s));
    weir_text text = {0};
    weir_rtl_print_text(d, &text);
    assert_string_equal(text.data, "wrtl 1\n"
                                   "origin \"a b.onnx\" 7 \"one\"\n"
                                   "origin \"a b.onnx\" 7 \"one\" \"two\"\n"
                                   "module m @1 {\n"
                                   "  input x : 70 @1\n"
                                   "  output y : 70 @1\n"
                                   "  body {\n"
                                   "    assign y = (x ^ 70'h3ffedcba9876543210) @2\n"
                                   "  }\n"
                                   "}\n");
    assert_round_trip(text.data, text.size);
    weir_text_free(&text);
}

static const char by_hand[] = "wrtl 1\n"
                              "origin nowhere 0 \"one\"\n"
                              "module leaf {\n"
                              "  input x : 4\n"
                              "  output y : 4\n"
                              "  body {\n"
                              "  }\n"
                              "}\n"
                              "module top {\n"
                              "  output y : 8\n"
                              "  wire w : 4\n"
                              "  instances {\n"
                              "    u : leaf\n"
                              "  }\n"
                              "  body {\n"
                              "    instance u {\n"
                              "      connect y = w\n"
                              "    }\n"
                              "    assign y[3:0] = w @1\n"
                              "  }\n"
                              "}\n";

/* Where nothing is said the place is that in the text. */
static void places_in_the_text_are_reported(void **state) {
    (void)state;
    weir_rtl_design *d = weir_rtl_parse_text(by_hand, strlen(by_hand), "hand.wrtl");
    assert_non_null(d);
    weir_rtl_module top = weir_rtl_find_module(d, "top");
    assert_false(weir_rtl_verify(d, top));
    ASSERT_MESSAGES("hand.wrtl:5: error: output 'y[3:0]' of module 'leaf' has no driver\n"
                    "hand.wrtl:16: error: input 'x' of instance 'u' (module 'leaf') is not connected\n"
                    "hand.wrtl:10: error: output 'y[7:4]' of module 'top' has no driver\n");
    weir_rtl_stmt assign = weir_rtl_last(d, weir_rtl_get_module(d, top).body);
    weir_rtl_item_info info = weir_rtl_get_item(d, WEIR_RTL_ITEM(assign));
    assert_string_equal(info.location.file, "hand.wrtl");
    assert_int_equal(info.location.line, 19);
    assert_int_equal(info.pass_count, 1);
    weir_rtl_design_free(d);
}

/* They are not printed, even where a pass adds itself: items with the same passes and no other place share one
 * origin. */
static void places_in_the_text_are_not_printed(void **state) {
    (void)state;
    assert_round_trip(by_hand, strlen(by_hand));
    weir_rtl_design *d = weir_rtl_parse_text(by_hand, strlen(by_hand), "hand.wrtl");
    weir_rtl_module leaf = weir_rtl_find_module(d, "leaf");
    weir_rtl_set_pass(d, "one");
    for (weir_rtl_var v = weir_rtl_first_var(d, leaf); v.id; v = weir_rtl_next_var(d, v))
        weir_rtl_touch(d, WEIR_RTL_ITEM(v));
    weir_text text = {0};
    weir_rtl_print_text(d, &text);
    assert_non_null(
        strstr(text.data, "wrtl 1\norigin nowhere 0 \"one\"\nmodule leaf {\n  input x : 4 @1\n  output y : 4 @1\n"));
    assert_non_null(strstr(text.data, "    assign y[3:0] = w @1\n"));
    weir_text_free(&text);
    weir_rtl_design_free(d);
}

/* Said in the text, they last through a text, and a pass that touches an item there. */
static void places_last_where_the_text_says_them(void **state) {
    (void)state;
    weir_rtl_design *d = weir_rtl_parse_text(by_hand, strlen(by_hand), "hand.wrtl");
    weir_text text = {0}, again = {0};
    weir_rtl_print_text_locations(d, &text);
    weir_rtl_design_free(d);
    assert_non_null(strstr(text.data, "wrtl 1\nfrom \"hand.wrtl\"\norigin nowhere 0 \"one\"\nmodule leaf @:3 {\n"));
    assert_non_null(strstr(text.data, "    assign y[3:0] = w @1:19\n"));
    assert_round_trip(text.data, text.size);
    d = weir_rtl_parse_text(text.data, text.size, "copy.wrtl");
    weir_rtl_module top = weir_rtl_find_module(d, "top");
    weir_rtl_stmt assign = weir_rtl_last(d, weir_rtl_get_module(d, top).body);
    weir_rtl_set_pass(d, "two");
    weir_rtl_touch(d, WEIR_RTL_ITEM(assign));
    weir_rtl_item_info info = weir_rtl_get_item(d, WEIR_RTL_ITEM(assign));
    assert_string_equal(info.location.file, "hand.wrtl");
    assert_int_equal(info.location.line, 19);
    weir_rtl_print_text(d, &again);
    assert_non_null(strstr(again.data, "origin nowhere 0 \"one\" \"two\"\n"));
    assert_non_null(strstr(again.data, "    assign y[3:0] = w @1:19\n"));
    assert_round_trip(again.data, again.size);
    weir_rtl_design_free(d);
    weir_text_free(&text);
    weir_text_free(&again);
}

static void library_modules_read_back(void **state) {
    weir_rtl_design *d = *state;
    char *path = data_path("part.v");
    assert_int_not_equal(weir_rtl_read_module(d, path).id, 0);
    free(path);
    weir_text text = {0};
    weir_rtl_print_text(d, &text);
    assert_round_trip(text.data, text.size);
    weir_text_free(&text);
}

static const text_pair wrong[] = {
    {"", "test.wrtl:1: error: expected 'wrtl 1', found the end of the text\n"},
    {"wrtl 2\n", "test.wrtl:1: error: expected '1', found '2'\n"},
    {"wrtl 1\nmodul m {\n}\n",
     "test.wrtl:2: error: expected 'module', 'origin', 'struct', 'union', 'enum' or 'interface', found 'm'\n"},
    {"wrtl 1\nmodule m {\n  input x : 0\n}\n",
     "test.wrtl:3: error: expected a type with bits before this, and no memory for a port, found the end of the line\n"},
    {"wrtl 1\nmodule m {\n  input x : 8\n  input x : 8\n}\n",
     "test.wrtl:4: error: port name 'x' in 'm' is already the name of a variable\n"},
    {"wrtl 1\nmodule m {\n  output y : 8\n  body {\n    assign y = 9'h0\n  }\n}\n",
     "test.wrtl:5: error: 'y' has 8 bits and cannot take '9'h0', which has 9\n"},
    {"wrtl 1\nmodule m {\n  output y : 8\n  body {\n    assign y = z\n  }\n}\n",
     "test.wrtl:5: error: unknown name 'z'\n"},
    {"wrtl 1\nmodule m {\n  output y : 8\n  body {\n    assign y = 8'h0 @1\n  }\n}\n",
     "test.wrtl:5: error: expected the number of an origin before this, found the end of the line\n"},
    {"wrtl 1\nmodule m {\n  instances {\n    u : k\n  }\n  body {\n  }\n}\n",
     "test.wrtl:4: error: unknown module 'k'\n"},
    {"wrtl 1\nmodule m {\n  body {\n    comment \"x\"\n  }\n}\n",
     "test.wrtl:5: error: expected a statement under its comment, found the end of the line\n"},
    {"wrtl 1\nmodule m {\n  body {\n    break\n  }\n}\n",
     "test.wrtl:4: error: this statement belongs in a process or a branch of one\n"},
    {"wrtl 1\nenum e : 2 {\n  A = 4\n}\n", "test.wrtl:3: error: 'A' = 4 cannot be a member of type 'e' with 2 bits\n"},
    {"wrtl 1\nstruct s {\n  a : s\n}\n", "test.wrtl:3: error: a has 0 bits, expected 1 to 1048576\n"},
    {"wrtl 1\nmodule m {\n  body {\n    state a {\n    }\n  }\n}\n",
     "test.wrtl:4: error: expected states in a state machine only, found 'a'\n"},
    {"wrtl 1\nmodule m {\n  input c : $clock\n  input r : $reset\n  body {\n    fsm f posedge c reset r {\n      goto a\n"
     "    }\n  }\n}\n",
     "test.wrtl:7: error: expected transitions in a state only, found 'a'\n"},
    {"wrtl 1\nmodule m {\n  input c : $clock\n  input r : $reset\n  body {\n    combinational {\n"
     "      fsm f posedge c reset r {\n      }\n    }\n  }\n}\n",
     "test.wrtl:7: error: expected no state machine here, found '{'\n"},
    {"wrtl 1\nenum e : 1 {\n  A = 0\n}\nmodule m {\n  input c : $clock\n  input r : $reset\n  variable v : e\n  body {\n"
     "    fsm f posedge c reset r current v {\n      state B {\n      }\n    }\n  }\n}\n",
     "test.wrtl:13: error: 'v' cannot hold the state of 'f': it must be assignable and its type have the states as members\n"},
    {"wrtl 1\nmodule m {\n  body {\n", "test.wrtl:4: error: expected '}', found the end of the text\n"},
};

static void wrong_texts_are_refused_with_their_line(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_null(weir_rtl_parse_text(wrong[i].text, strlen(wrong[i].text), "test.wrtl"));
        ASSERT_MESSAGES(wrong[i].expected);
    }
}

/* 100,000 brackets around nothing, and as many blocks. */
static void deep_nesting_is_refused(void **state) {
    (void)state;
    weir_text text = {0};
    weir_text_add(&text, "wrtl 1\nmodule m {\n  output y : 8\n  body {\n    assign y = ");
    for (int i = 0; i < 100000; i++) weir_text_char(&text, '(');
    weir_text_add(&text, "\n  }\n}\n");
    assert_null(weir_rtl_parse_text(text.data, text.size, "test.wrtl"));
    ASSERT_MESSAGES("test.wrtl:6: error: expected an expression, found '}'\n");
    text.size = 0;
    weir_text_add(&text, "wrtl 1\nmodule m {\n  input c : 1\n  body {\n    combinational {\n");
    for (int i = 0; i < 100000; i++) weir_text_add(&text, "if c {\n");
    for (int i = 0; i < 100000; i++) weir_text_add(&text, "}\n");
    weir_text_add(&text, "}\n}\n}\n");
    assert_null(weir_rtl_parse_text(text.data, text.size, "test.wrtl"));
    assert_non_null(messages.data);
    weir_text_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DESIGN_TEST(every_construct_reads_back),
        DESIGN_TEST(what_was_built_reads_back),
        DESIGN_TEST(library_modules_read_back),
        DESIGN_TEST(wrong_texts_are_refused_with_their_line),
        DESIGN_TEST(deep_nesting_is_refused),
        DESIGN_TEST(places_in_the_text_are_reported),
        DESIGN_TEST(places_in_the_text_are_not_printed),
        DESIGN_TEST(places_last_where_the_text_says_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
