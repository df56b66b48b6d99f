/* What a text may leave to its reader, each against the form that is printed: the same design written out. */
#include "test_rtlir_support.h"

#include "common/text_pair.h"
#include "rtlir/text/text.h"

/* Heap memory, NULL when the text is refused. */
static char *canonical(const char *source) {
    weir_rtl_design *design = weir_rtl_parse_text(source, strlen(source), "test.wrtl");
    if (!design) return NULL;
    weir_text text = {0};
    weir_rtl_print_text(design, &text);
    weir_rtl_design_free(design);
    return text.data;
}

/* Both texts read to the same design, and the second one is how it is printed. */
static void assert_same(const char *sugar, const char *plain) {
    char *printed = canonical(sugar);
    if (!printed) fail_msg("%s", messages.data);
    assert_string_equal(printed, plain);
    char *again = canonical(plain);
    assert_non_null(again);
    assert_string_equal(again, plain);
    free(printed);
    free(again);
}

static void assert_wrong(const char *source, const char *expected) {
    char *printed = canonical(source);
    if (printed) fail_msg("read: %s", printed);
    ASSERT_MESSAGES(expected);
}

static void else_if(void **state) {
    (void)state;
    assert_same("wrtl 1\nmodule m {\n  input a : 2\n  output y : 2\n  body {\n    combinational {\n"
                "      if a == 0 { set y = 3 }\n      else if a == 1 {\n        set y = 2\n      } else if a[1] {\n"
                "        set y = a\n      } else {\n        set y = 0\n      }\n    }\n  }\n}\n",
                "wrtl 1\nmodule m {\n  input a : 2\n  output y : 2\n  body {\n    combinational {\n"
                "      if (a == 2'd0) {\n        set y = 2'd3\n      } else {\n        if (a == 2'd1) {\n"
                "          set y = 2'd2\n        } else {\n          if a[1] {\n            set y = a\n"
                "          } else {\n            set y = 2'd0\n          }\n        }\n      }\n    }\n  }\n}\n");
    assert_wrong("wrtl 1\nmodule m {\n  input a : 1\n  output y : 1\n  body {\n    combinational {\n"
                 "      if a {\n      } else {\n      } else if a {\n      }\n    }\n  }\n}\n",
                 "test.wrtl:9: error: expected one else of an if, found 'i'\n");
}

static void labels_share_a_body(void **state) {
    (void)state;
    assert_same("wrtl 1\nmodule m {\n  input a : 2\n  output y : 2\n  iterator i\n  body {\n    combinational {\n"
                "      case a {\n        comment \"few\"\n        item 0, 2 {\n          for i = 0 to 2 step 1 {\n"
                "            set y[i] = 1\n          }\n        }\n        item 1 { set y = 0 }\n"
                "        default { set y = a }\n      }\n    }\n  }\n}\n",
                "wrtl 1\nmodule m {\n  input a : 2\n  output y : 2\n  iterator i\n  iterator i_0\n  body {\n"
                "    combinational {\n      case a {\n        comment \"few\"\n        item 2'd0 {\n"
                "          for i = 0 to 2 step 1 {\n            set y[i +: 1] = 1'd1\n          }\n        }\n"
                "        comment \"few\"\n        item 2'd2 {\n          for i_0 = 0 to 2 step 1 {\n"
                "            set y[i_0 +: 1] = 1'd1\n          }\n        }\n        item 2'd1 {\n"
                "          set y = 2'd0\n        }\n        default {\n          set y = a\n        }\n      }\n"
                "    }\n  }\n}\n");
    assert_wrong("wrtl 1\nmodule m {\n  input a : 1\n  output y : 1\n  body {\n    combinational {\n      case a {\n"
                 "        item 0, 2 {\n        }\n      }\n    }\n  }\n}\n",
                 "test.wrtl:8: error: constant 2 does not fit in 1 unsigned bit\n");
}

/* Thirty cases of two labels in each other would be a thousand million. */
static void labels_do_not_explode(void **state) {
    (void)state;
    weir_text text = {0};
    weir_text_add(&text, "wrtl 1\nmodule m {\n  input a : 1\n  output y : 1\n  body {\n    combinational {\n");
    for (int i = 0; i < 30; i++) weir_text_add(&text, "case a {\nitem 0, 1 {\n");
    weir_text_add(&text, "set y = a\n");
    for (int i = 0; i < 30; i++) weir_text_add(&text, "}\n}\n");
    weir_text_add(&text, "    }\n  }\n}\n");
    assert_null(canonical(text.data));
    assert_non_null(strstr(messages.data, "error: expected fewer labels that share a body"));
    weir_text_free(&text);
}

static void registers_have_reset_values(void **state) {
    (void)state;
    assert_same("wrtl 1\nmodule m {\n  input clk : $clock\n  input rst : $reset\n  output q : 4 = 5\n"
                "  register r : signed 8 = -1\n  register s : 8\n  body {\n    always posedge clk reset rst {\n"
                "      if q == 3 {\n        next r = 0\n      }\n      next s = s + 1\n      next q[0] = s[1]\n    }\n"
                "  }\n}\n",
                "wrtl 1\nmodule m {\n  input clk : $clock\n  input rst : $reset\n  output q : 4\n"
                "  register r : signed 8\n  register s : 8\n  body {\n    always posedge clk {\n      if rst {\n"
                "        next r = 8'shff\n        next q = 4'd5\n      } else {\n        if (q == 4'd3) {\n"
                "          next r = 8'sd0\n        }\n        next s = (s + 8'd1)\n        next q[0] = s[1]\n      }\n"
                "    }\n  }\n}\n");
    assert_same(
        "wrtl 1\nmodule m {\n  local N = 3\n  input clk : $clock\n  input rst_n : $async_reset\n"
        "  output q : N = 3\n  body {\n    always negedge clk reset low rst_n {\n      next {q[0], q[2:1]} = q\n"
        "    }\n  }\n}\n",
        "wrtl 1\nmodule m {\n  local N = 3\n  input clk : $clock\n  input rst_n : $async_reset\n"
        "  output q : 3\n  body {\n    always negedge clk, negedge rst_n {\n      if (!rst_n) {\n"
        "        next q = 3'd3\n      } else {\n        next {q[0], q[2:1]} = q\n      }\n    }\n  }\n}\n");
}

static void reset_values_are_used(void **state) {
    (void)state;
    assert_wrong("wrtl 1\nmodule m {\n  input clk : $clock\n  output q : 4 = 5\n  body {\n    always posedge clk {\n"
                 "      next q = q\n    }\n  }\n}\n",
                 "test.wrtl:4: error: 'q' is declared with a reset value, but no process with a reset assigns it\n");
    assert_wrong("wrtl 1\nmodule m {\n  input clk : $clock\n  input rst : $reset\n  output q : 4\n  body {\n"
                 "    always posedge clk reset rst {\n      next q = q\n    }\n  }\n}\n",
                 "test.wrtl:7: error: this process has a reset, but no register that it assigns is declared with a "
                 "value\n");
    assert_wrong("wrtl 1\nmodule m {\n  wire w : 4 = 3\n}\n",
                 "test.wrtl:3: error: expected no reset value: only registers and outputs have one, found '3'\n");
    assert_wrong("wrtl 1\nmodule m {\n  input a : 4\n  register w : 4 = a\n}\n",
                 "test.wrtl:4: error: expected a constant reset value before this, found the end of the line\n");
}

static const char bus[] = "wrtl 1\ninterface bus {\n  data : 8\n  ready : 1\n  modport source {\n    output data\n"
                          "    input ready\n  }\n}\nmodule leaf {\n  group in : bus.source flipped\n"
                          "  group out : bus.source\n  body {\n    assign out = in\n  }\n}\n";
static const char plain_bus[] =
    "wrtl 1\ninterface bus {\n  data : 8\n  ready : 1\n  modport source {\n    output data\n    input ready\n  }\n}\n"
    "module leaf {\n  input in_data : 8\n  output in_ready : 1\n  output out_data : 8\n  input out_ready : 1\n"
    "  group in : bus.source flipped\n  group out : bus.source\n  body {\n    assign out_data = in_data\n"
    "    assign in_ready = out_ready\n  }\n}\n";

static void groups_are_connected_whole(void **state) {
    (void)state;
    char *sugar = weir_format("%smodule top {\n  group in : bus.source flipped\n  group out : bus.source\n"
                              "  group mid : bus\n  body {\n    instance u : leaf {\n      connect in = in\n"
                              "      connect out = mid\n    }\n    instance v : leaf wired {}\n    let v.in = mid\n"
                              "    let out = v.out\n  }\n}\n",
                              bus);
    char *plain = weir_format(
        "%smodule top {\n  input in_data : 8\n  output in_ready : 1\n  output out_data : 8\n  input out_ready : 1\n"
        "  variable mid_data : 8\n  variable mid_ready : 1\n  group in : bus.source flipped\n"
        "  group out : bus.source\n  group mid : bus\n  instances {\n    u : leaf\n    v : leaf wired\n  }\n  body {\n"
        "    instance u {\n      connect in_data = in_data\n      connect in_ready = in_ready\n"
        "      connect out_data = mid_data\n      connect out_ready = mid_ready\n    }\n    instance v {\n    }\n"
        "    let v.in_data = mid_data\n    let mid_ready = v.in_ready\n    let out_data = v.out_data\n"
        "    let v.out_ready = out_ready\n  }\n}\n",
        plain_bus);
    assert_same(sugar, plain);
    free(sugar);
    free(plain);
}

static void fields_are_named_by_their_group(void **state) {
    (void)state;
    char *sugar = weir_format("%smodule top {\n  output y : 8\n  body {\n    instance u : leaf wired {}\n"
                              "    let u.in.data = 3\n    let u.out.ready = u.in.ready\n    let y = u.out.data + 1\n"
                              "  }\n}\n",
                              bus);
    char *plain = weir_format("%smodule top {\n  output y : 8\n  instances {\n    u : leaf wired\n  }\n  body {\n"
                              "    instance u {\n    }\n    let u.in_data = 8'd3\n    let u.out_ready = u.in_ready\n"
                              "    let y = (u.out_data + 8'd1)\n  }\n}\n",
                              plain_bus);
    assert_same(sugar, plain);
    free(sugar);
    free(plain);
}

static void wrong_groups_are_refused(void **state) {
    (void)state;
    static const text_pair wrong[] = {
        {"let v.in = u.in", "test.wrtl:25: error: field 'data' of both groups takes a value\n"
                            "test.wrtl:25: error: field 'ready' of both groups has a value already\n"},
        {"let v.in = 3", "test.wrtl:25: error: expected a group, as the left side is one, found '3'\n"},
        {"let v.in = other", "test.wrtl:25: error: another interface than that of group 'in'\n"},
        {"let v.in.data = v.out", "test.wrtl:25: error: expected a field after the name of group 'out'\n"},
        {"let v.in.date = 3", "test.wrtl:25: error: group 'in' of module 'leaf' has no field 'date'\n"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *source = weir_format("%sinterface rest {\n  data : 8\n}\nmodule top {\n  group other : rest\n  body {\n"
                                   "    instance v : leaf wired {}\n    instance u : leaf wired {}\n    %s\n  }\n}\n",
                                   bus, wrong[i].text);
        assert_wrong(source, wrong[i].expected);
        free(source);
    }
}

/* The example of the README, and what it is printed as: the same again. */
static void the_example_reads(void **state) {
    (void)state;
    char *source = read_data("by_hand.wrtl", &(size_t){0});
    char *printed = canonical(source);
    if (!printed) fail_msg("%s", messages.data);
    char *again = canonical(printed);
    assert_non_null(again);
    assert_string_equal(again, printed);
    free(again);
    free(printed);
    free(source);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DESIGN_TEST(else_if),
        DESIGN_TEST(labels_share_a_body),
        DESIGN_TEST(labels_do_not_explode),
        DESIGN_TEST(registers_have_reset_values),
        DESIGN_TEST(reset_values_are_used),
        DESIGN_TEST(groups_are_connected_whole),
        DESIGN_TEST(fields_are_named_by_their_group),
        DESIGN_TEST(wrong_groups_are_refused),
        DESIGN_TEST(the_example_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
