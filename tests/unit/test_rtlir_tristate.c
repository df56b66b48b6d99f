/* Tri-state drivers: where `'z` may stand, which nets it may drive, which drivers may share a net over levels of the
 * hierarchy, and that whatever is wrong is said at its line. */
#include "test_rtlir_support.h"

#include "common/text_pair.h"
#include "rtlir/edit/specialize.h"
#include "rtlir/text/text.h"

/* Reads and verifies; the messages are kept. */
static bool is_sound(const char *text) {
    messages.size = 0;
    weir_text_add(&messages, "");
    weir_rtl_design *design = weir_rtl_parse_text(text, strlen(text), "t");
    const bool sound = design != NULL && weir_rtl_verify(design, weir_rtl_find_module(design, "top"));
    weir_rtl_design_free(design);
    return sound;
}

/* What follows the lines of the head is line 20. */
static const char head[] = "wrtl 1\nmodule top {\n  input clk : $clock\n  input c : 1\n  input d : 1\n  input a : 4\n"
                           "  input i : 2\n  inout pad : 4\n  inout bits : [2] 4\n  output y : 4\n  variable w : 4\n"
                           "  register r : 4\n  variable m : memory[2] 4\n\n\n\n\n\n  body {\n";

/* Lines of the body, and the error; none where the design is right. */
static const text_pair bodies[] = {
    {"assign y = pad\nassign pad = c ? a : 'z\nassign pad = d ? 'z : ~a", ""},
    {"assign w = c ? a : 'Z\nassign w = c ? 'z : d ? 1 : 'z\nassign y = w", ""},
    {"assign y = a\nassign pad = 'z", ""},
    {"assign y = a\nassign {pad[3:2], bits[1][1:0]} = c ? a : 'z\nassign pad[1:0] = a[1:0]", ""},
    {"assign y = a\nassign pad = c ? a : 'z\nassign pad[1] = a[1]",
     "t:22: error: 'pad[1]' in module 'top' has two drivers: an assignment and an assignment\n"
     "t:21: note: the other driver is here\n"
     "t:22: note: one of them is a tri-state driver, which only others like it may share a net with: 'CONDITION ? "
     "VALUE "
     ": 'z'\n"},
    {"assign y = a\nassign pad = a\nassign pad = 'z",
     "t:22: error: 'pad[3:0]' in module 'top' has two drivers: an assignment and an assignment\n"
     "t:21: note: the other driver is here\n"
     "t:22: note: one of them is a tri-state driver, which only others like it may share a net with: 'CONDITION ? "
     "VALUE "
     ": 'z'\n"},
    {"assign y = a\nassign pad = a\nassign pad = ~a",
     "t:22: error: 'pad[3:0]' in module 'top' has two drivers: an assignment and an assignment\n"
     "t:21: note: the other driver is here\n"},
    {"assign y = c ? a : 'z",
     "t:20: error: 'y' cannot take 'c ? a : 'z', which may be high impedance: declare it as 'inout' or, inside of the "
     "module, as 'wire'\n"},
    {"assign y = a\nassign m[0] = c ? a : 'z",
     "t:21: error: 'm[0]' cannot take 'c ? a : 'z', which may be high impedance: declare it as 'inout' or, inside of "
     "the "
     "module, as 'wire'\n"},
    {"assign y = r\nalways posedge clk { next r = c ? a : 'z }",
     "t:21: error: a process cannot assign 'c ? a : 'z' to 'r': a tri-state driver is a continuous assignment; compute "
     "condition and value in the process, and 'assign r = CONDITION ? VALUE : 'z' outside of it\n"},
    {"assign y = a\ncombinational { set pad = c ? a : 'z }",
     "t:21: error: a process cannot assign 'c ? a : 'z' to 'pad': a tri-state driver is a continuous assignment; "
     "compute "
     "condition and value in the process, and 'assign pad = CONDITION ? VALUE : 'z' outside of it\n"},
    {"assign y = a\nalways posedge clk { if c ? d : 'z { next r = a } }",
     "t:21: error: 'c ? d : 'z' in module 'top' may be high impedance, which only an assignment to an inout port or "
     "a wire "
     "accepts: assign it to one and use that here\n"},
    {"assign y = (c ? a : 'z) & a",
     "t:20: error: 'c ? a : 'z' cannot be part of this expression, because no operator accepts 'z: expected it as a "
     "branch of 'CONDITION ? VALUE : 'z', assigned as a whole to an inout port or a wire\n"},
    {"assign y = pad == 'z ? a : 0",
     "t:20: error: ''z' cannot be part of this expression, because no operator accepts 'z: expected it as a branch of "
     "'CONDITION ? VALUE : 'z', assigned as a whole to an inout port or a wire\n"},
    {"assign pad = 'z ? a : a",
     "t:20: error: ''z' cannot be part of this expression, because no operator accepts 'z: expected it as a branch of "
     "'CONDITION ? VALUE : 'z', assigned as a whole to an inout port or a wire\n"},
    {"assign pad = {a[3:1], 'z}",
     "t:20: error: 'z is not allowed here: expected it as a branch of 'CONDITION ? VALUE : 'z', assigned as a whole "
     "to an "
     "inout port or a wire\n"},
    {"assign pad = c ? a >> 'z : 'z",
     "t:20: error: 'z is not allowed here: expected it as a branch of 'CONDITION ? VALUE : 'z', assigned as a whole "
     "to an "
     "inout port or a wire\n"},
    {"assign pad = c ? a : 4'bz",
     "t:20: error: expected digits (high impedance is 'z, without a width and a base), found 'z'\n"},
    {"assign pad = c ? a : 'zz", "t:20: error: expected nothing right after 'z, found 'z'\n"},
    {"assign pad = c ? a : 'x", "t:20: error: expected an expression, or 'z, found '''\n"},
    {"assign pad = c ? a : 4'z",
     "t:20: error: expected the base of a constant ('h', 'd', 'o' or 'b', as in 8'hff); high "
     "impedance is 'z, without a width, found 'z'\n"},
};

/* Each text behind this one is sound where nothing is expected to be said of it. */
static void check_all(const char *before, const text_pair *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char *text = weir_format("%s%s\n  }\n}\n", before, cases[i].text);
        const bool sound = is_sound(text);
        ASSERT_MESSAGES(cases[i].expected);
        assert_int_equal(sound, *cases[i].expected == '\0');
        free(text);
    }
}

static void drivers_of_a_module(void **state) {
    (void)state;
    check_all(head, bodies, sizeof bodies / sizeof *bodies);
}

/* A module that drives bits 1 and 0 at times, bit 2 always and reads bit 3; what is around it is line 20. */
static const char leaf[] = "wrtl 1\nmodule leaf {\n  input c : 1\n  inout p : 4\n  output s : 1\n  body {\n"
                           "    assign p[1:0] = c ? 2'd1 : 'z\n    assign p[2] = c\n    assign s = p[3]\n  }\n}\n"
                           "module top {\n  input c : 1\n  inout pad : 8\n  output s : 1\n  wire w : 4\n"
                           "  register r : 4\n\n  body {\n";
#define LEAF(connection) "instance u : leaf { connect c = c\n connect p = " connection "\n connect s = s }\n"

static const text_pair arounds[] = {
    {LEAF("pad[5:2]") "assign pad[2] = c ? c : 'z\nassign pad[5] = c\nassign pad[1:0] = {c, c}", ""},
    {LEAF("{pad[7], w[2:0]}") "assign w[0] = c ? c : 'z\nassign w[3] = c", ""},
    {LEAF("pad[5:2]") "assign pad[4] = c ? c : 'z",
     "t:23: error: 'pad[4]' in module 'top' has two drivers: instance 'u' and an assignment\n"
     "t:20: note: the other driver is here\n"
     "t:23: note: one of them is a tri-state driver, which only others like it may share a net with: 'CONDITION ? "
     "VALUE "
     ": 'z'\n"},
    {LEAF("pad[5:2]") "assign pad[3] = c",
     "t:23: error: 'pad[3]' in module 'top' has two drivers: instance 'u' and an assignment\n"
     "t:20: note: the other driver is here\n"
     "t:23: note: one of them is a tri-state driver, which only others like it may share a net with: 'CONDITION ? "
     "VALUE "
     ": 'z'\n"},
    {LEAF("pad[5:2]") "instance v : leaf { connect c = c\n connect p = pad[6:3]\n open s }",
     "t:23: error: 'pad[4]' in module 'top' has two drivers: instance 'u' and instance 'v'\n"
     "t:20: note: the other driver is here\n"
     "t:23: note: one of them is a tri-state driver, which only others like it may share a net with: 'CONDITION ? "
     "VALUE "
     ": 'z'\n"},
    {"instance u : leaf { connect p = c ? 1 : 'z }",
     "t:20: error: inout 'p' of instance 'u' cannot be connected to 'c ? 4'd1 : 'z': connect a wire, and assign it "
     "what is "
     "to be on it\n"},
    {"instance u : leaf wired {}\nlet u.c = c ? 1 : 'z",
     "t:21: error: 'u.c' cannot take 'c ? 1'b1 : 'z', which may be high impedance: assign that to a wire, and the "
     "wire to "
     "the port\n"},
    {LEAF("w"), "t:16: error: 'w[3]' in module 'top' has no driver and is read by instance 'u'\n"
                "t:20: note: it is read here\n"},
    {LEAF("r") "combinational { set r = 0 }",
     "t:20: error: inout 'p' of instance 'u' in module 'top' is connected to 'r', which a process assigns: expected a "
     "wire; 'assign WIRE = CONDITION ? r : 'z' drives one\n"},
};

static void drivers_below(void **state) {
    (void)state;
    check_all(leaf, arounds, sizeof arounds / sizeof *arounds);
}

/* Two levels up, and of a module whose widths depend on parameters: the ports between carry what is below them. */
static void drivers_two_levels_below(void **state) {
    static const text_pair drivers[] = {
        {"pad[W - 1] ? 1 : 'z", ""},
        {"pad[W - 1]", "t:22: error: 'bus[0]' in module 'top' has two drivers: instance 'u' and an assignment\n"
                       "t:19: note: the other driver is here\n"
                       "t:22: note: one of them is a tri-state driver, which only others like it may share a net with: "
                       "'CONDITION ? VALUE : 'z'\n"}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char *text =
            weir_format("wrtl 1\nmodule low {\n  parameter W = 2\n  inout pad : W\n  body {\n"
                        "    assign pad[0] = %s\n  }\n}\nmodule middle {\n  parameter W = 2\n  inout p : W\n"
                        "  body { instance u : low(W = W) { connect pad = p } }\n}\nmodule top {\n  input c : 1\n"
                        "  inout bus : 6\n\n  body {\n    instance u : middle(W = 6) {\n      connect p = bus\n"
                        "    }\n    assign bus[0] = c ? c : 'z\n  }\n}\n",
                        drivers[i].text);
        assert_int_equal(is_sound(text), i == 0);
        ASSERT_MESSAGES(drivers[i].expected);
        free(text);
    }
}

/* What is printed is read as what it was, and means the same after parameters got values. */
static void high_impedance_is_written(void **state) {
    static const char text[] =
        "wrtl 1\nmodule top {\n  parameter W = 3\n  input c : 1\n  input a : W\n  inout pad : W\n"
        "  inout plain : signed 3\n  body {\n    assign pad = (c ? a : 'z)\n"
        "    assign plain = (c ? 'z : 3'sh5)\n  }\n}\n";
    weir_text again = {0}, verilog = {0};
    (void)state;
    weir_rtl_design *design = weir_rtl_parse_text(text, strlen(text), "t");
    assert_non_null(design);
    weir_rtl_print_text(design, &again);
    assert_string_equal(again.data, text);
    const weir_rtl_module top = weir_rtl_find_module(design, "top");
    weir_rtl_print_verilog(design, top, &verilog);
    assert_non_null(strstr(verilog.data, "assign pad = c ? a : {W{1'bz}};\n"));
    assert_non_null(strstr(verilog.data, "assign plain = c ? 3'bz : 3'sh5;\n"));
    verilog.size = 0;
    weir_rtl_print_verilog(design, weir_rtl_specialize(design, top), &verilog);
    assert_non_null(strstr(verilog.data, "assign pad = c ? a : 3'bz;\n"));
    weir_text_free(&again);
    weir_text_free(&verilog);
    weir_rtl_design_free(design);
}

int main(void) {
    const struct CMUnitTest tests[] = {DESIGN_TEST(drivers_of_a_module), DESIGN_TEST(drivers_below),
                                       DESIGN_TEST(drivers_two_levels_below), DESIGN_TEST(high_impedance_is_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
