/* State machines in the IR: building, reading back, rules, copies, rewriting, uses, removal. */
#include "test_rtlir_support.h"

#include "rtlir/analysis/uses.h"
#include "rtlir/core/fsm.h"
#include "rtlir/core/type.h"
#include "rtlir/edit/mutate.h"
#include "rtlir/edit/rewrite.h"
#include "rtlir/text/text.h"

typedef struct lamp {
    weir_rtl_module module;
    weir_rtl_var clk, rst, in, out;
    weir_rtl_fsm fsm;
    weir_rtl_state red, blue;
} lamp;

/* Red (2) and Blue (1): red after a one. */
static lamp make_lamp(weir_rtl_design *d) {
    lamp l = {.module = weir_rtl_add_generator(d, "lamp")};
    l.clk = weir_rtl_add_clock(d, l.module, "clk");
    l.rst = weir_rtl_add_reset(d, l.module, "rst");
    l.in = weir_rtl_add_input(d, l.module, "in", 1);
    l.out = weir_rtl_add_output(d, l.module, "out", 2);
    weir_rtl_expr in = weir_rtl_read(d, l.in), out = weir_rtl_read(d, l.out);
    l.fsm = weir_rtl_add_fsm(d, l.module, "color", WEIR_RTL_POSEDGE, l.clk, l.rst);
    l.red = weir_rtl_add_state(d, l.fsm, "Red");
    l.blue = weir_rtl_add_state(d, l.fsm, "Blue");
    weir_rtl_set(d, weir_rtl_state_body(d, l.red), out, weir_rtl_constant(d, 2, 2));
    weir_rtl_set(d, weir_rtl_state_body(d, l.blue), out, weir_rtl_constant(d, 2, 1));
    weir_rtl_add_transition(d, l.red, weir_rtl_unary(d, WEIR_RTL_LOGICAL_NOT, in), l.blue);
    weir_rtl_add_transition(d, l.blue, in, l.red);
    return l;
}

static void assert_text(const weir_rtl_design *d, const char *expected) {
    weir_text text = {0};
    weir_rtl_print_text(d, &text);
    assert_string_equal(text.data, expected);
    weir_text_free(&text);
}

#define HEADER "  input clk : $clock\n  input rst : $reset\n  input in : 1\n  output out : 2\n"

static void machines_are_built_and_read_back(void **state) {
    weir_rtl_design *d = *state;
    lamp l = make_lamp(d);
    weir_rtl_fsm more = weir_rtl_add_child_fsm(d, l.fsm, "more");
    weir_rtl_state off = weir_rtl_add_state(d, more, "Off");
    weir_rtl_stmt back = weir_rtl_add_default_transition(d, off, l.red);
    weir_rtl_add_default_transition(d, l.blue, off);
    weir_rtl_set(d, weir_rtl_transition_body(d, back), weir_rtl_read(d, l.out), weir_rtl_constant(d, 2, 3));
    weir_rtl_set(d, weir_rtl_fsm_body(d, more), weir_rtl_read(d, l.out), weir_rtl_constant(d, 2, 0));
    weir_rtl_set_start(d, off);
    weir_rtl_set_mealy(d, more, true);
    weir_rtl_set_reset_low(d, more, true);
    assert_true(weir_rtl_verify(d, l.module));
    assert_text(d, "wrtl 1\nmodule lamp {\n" HEADER "  body {\n"
                   "    fsm color posedge clk reset low rst mealy {\n"
                   "      state Red {\n"
                   "        set out = 2'h2\n"
                   "        goto Blue when (!in)\n"
                   "      }\n"
                   "      state Blue {\n"
                   "        set out = 2'h1\n"
                   "        goto Red when in\n"
                   "        goto more.Off\n"
                   "      }\n"
                   "      fsm more {\n"
                   "        state Off start {\n"
                   "          goto Red {\n"
                   "            set out = 2'h3\n"
                   "          }\n"
                   "        }\n"
                   "        set out = 2'h0\n"
                   "      }\n"
                   "    }\n"
                   "  }\n"
                   "}\n");
    weir_rtl_fsm_info info = weir_rtl_get_fsm(d, more);
    assert_string_equal(info.name, "more");
    assert_int_equal(info.parent.id, l.fsm.id);
    assert_int_equal(info.outermost.id, l.fsm.id);
    assert_int_equal(info.clock.id, l.clk.id);
    assert_int_equal(info.start.id, off.id);
    assert_true(info.is_low && info.is_mealy);
    assert_int_equal(weir_rtl_find_fsm(d, l.module, "color").id, l.fsm.id);
    assert_int_equal(weir_rtl_find_fsm(d, l.module, "more").id, 0);
    assert_int_equal(weir_rtl_find_child_fsm(d, l.fsm, "more").id, more.id);
    assert_int_equal(weir_rtl_find_state(d, more, "Off").id, off.id);
    assert_string_equal(weir_rtl_state_name(d, off, '_'), "more_Off");
    weir_rtl_state s = weir_rtl_first_state(d, l.fsm);
    assert_int_equal(s.id, l.red.id);
    s = weir_rtl_next_state(d, l.fsm, weir_rtl_next_state(d, l.fsm, s));
    assert_int_equal(s.id, off.id);
    assert_int_equal(weir_rtl_next_state(d, l.fsm, s).id, 0);
    assert_int_equal(weir_rtl_get_stmt(d, back).state.id, l.red.id);
}

static void the_state_is_there_for_other_logic(void **state) {
    weir_rtl_design *d = *state;
    lamp l = make_lamp(d);
    weir_rtl_var is_red = weir_rtl_add_output(d, l.module, "is_red", 1);
    weir_rtl_assign(d, l.module, weir_rtl_read(d, is_red), weir_rtl_in_state(d, l.red));
    assert_int_equal(weir_rtl_add_state(d, l.fsm, "Green").id, 0);
    ASSERT_MESSAGES(
        "error: state machine 'color' cannot get a state 'Green' after 'color_current' was made for its states\n");
    weir_rtl_type type = weir_rtl_find_type(d, "color_state");
    assert_int_equal(weir_rtl_get_type(d, type).count, 2);
    weir_rtl_var current = weir_rtl_current_state(d, l.fsm);
    assert_string_equal(weir_rtl_get_var(d, current).name, "color_current");
    weir_rtl_uses *uses = weir_rtl_uses_new(d);
    weir_rtl_uses_build(uses, l.module);
    assert_int_equal(weir_rtl_driver_count(uses, weir_rtl_net_of(current)), 1);
    assert_int_equal(weir_rtl_driver_at(uses, weir_rtl_net_of(current), 0).stmt.id, weir_rtl_get_fsm(d, l.fsm).stmt.id);
    assert_int_equal(weir_rtl_reader_count(uses, weir_rtl_net_of(current)), 1);
    assert_int_equal(weir_rtl_reader_count(uses, weir_rtl_net_of(l.clk)), 1);
    assert_int_equal(weir_rtl_reader_count(uses, weir_rtl_net_of(l.rst)), 1);
    assert_int_equal(weir_rtl_reader_count(uses, weir_rtl_net_of(l.in)), 2);
    assert_int_equal(weir_rtl_driver_count(uses, weir_rtl_net_of(l.out)), 2);
    weir_rtl_uses_free(uses);
}

/* A machine of the same name with other states in another module gets a type of its own. */
static void types_are_shared_by_machines_alike(void **state) {
    weir_rtl_design *d = *state;
    lamp a = make_lamp(d), b = make_lamp(d), c = make_lamp(d);
    weir_rtl_add_state(d, c.fsm, "Green");
    weir_rtl_type type[3];
    const lamp *lamps[3] = {&a, &b, &c};
    for (int i = 0; i < 3; i++) type[i] = weir_rtl_get_var(d, weir_rtl_current_state(d, lamps[i]->fsm)).type;
    assert_int_equal(type[0].id, type[1].id);
    assert_string_equal(weir_rtl_get_type(d, type[0]).name, "color_state");
    assert_string_equal(weir_rtl_get_type(d, type[2]).name, "lamp_color_state");
}

static void copies_are_machines_of_their_own(void **state) {
    weir_rtl_design *d = *state;
    lamp l = make_lamp(d);
    weir_rtl_set_start(d, l.blue);
    weir_rtl_current_state(d, l.fsm);
    weir_rtl_module copy = weir_rtl_clone_module(d, l.module);
    weir_rtl_fsm fsm = weir_rtl_find_fsm(d, copy, "color");
    weir_rtl_fsm_info info = weir_rtl_get_fsm(d, fsm);
    assert_int_equal(info.module.id, copy.id);
    assert_int_equal(weir_rtl_get_var(d, info.clock).module.id, copy.id);
    assert_int_equal(weir_rtl_get_var(d, info.current).module.id, copy.id);
    assert_int_equal(info.start.id, weir_rtl_find_state(d, fsm, "Blue").id);
    assert_int_not_equal(info.start.id, l.blue.id);
    weir_rtl_remove_stmt(d, weir_rtl_get_fsm(d, l.fsm).stmt);
    assert_int_equal(weir_rtl_find_fsm(d, l.module, "color").id, 0);
    if (!weir_rtl_verify(d, copy)) fail_msg("%s", messages.data);
    weir_rtl_remove_module(d, l.module);
    assert_text(d, "wrtl 1\nenum color_state : 1 {\n  Red = 0\n  Blue = 1\n}\nmodule lamp {\n" HEADER
                   "  variable color_current : color_state\n"
                   "  body {\n"
                   "    fsm color posedge clk reset rst current color_current {\n"
                   "      state Red {\n"
                   "        set out = 2'h2\n"
                   "        goto Blue when (!in)\n"
                   "      }\n"
                   "      state Blue start {\n"
                   "        set out = 2'h1\n"
                   "        goto Red when in\n"
                   "      }\n"
                   "    }\n"
                   "  }\n"
                   "}\n");
}

static void conditions_outputs_and_resets_are_rewritten(void **state) {
    weir_rtl_design *d = *state;
    lamp l = make_lamp(d);
    weir_rtl_var other = weir_rtl_add_input(d, l.module, "other", 1);
    weir_rtl_var clear = weir_rtl_add_reset(d, l.module, "clear");
    weir_rtl_rewriter *r = weir_rtl_rewriter_new(d);
    assert_true(weir_rtl_map_var(r, l.in, weir_rtl_read(d, other)));
    assert_true(weir_rtl_map_var(r, l.rst, weir_rtl_read(d, clear)));
    assert_true(weir_rtl_rewrite_module(r, l.module));
    weir_rtl_rewriter_free(r);
    weir_rtl_remove_var(d, l.in);
    weir_rtl_remove_var(d, l.rst);
    assert_true(weir_rtl_verify(d, l.module));
    assert_int_equal(weir_rtl_get_fsm(d, l.fsm).reset.id, clear.id);
}

static void removed_states_are_missed(void **state) {
    weir_rtl_design *d = *state;
    lamp l = make_lamp(d);
    weir_rtl_var current = weir_rtl_current_state(d, l.fsm);
    weir_rtl_remove_stmt(d, weir_rtl_get_state(d, l.blue).stmt);
    assert_false(weir_rtl_verify(d, l.module));
    ASSERT_MESSAGES("error: the states of state machine 'color' are not those of 'color_current'\n"
                    "error: state 'Red' of state machine 'color' leads to 'Blue', which is removed\n");
    weir_rtl_remove_var(d, current);
    assert_false(weir_rtl_verify(d, l.module));
    ASSERT_MESSAGES("error: a statement of module 'lamp' waits for the removed variable 'color_current'\n");
}

/* What does not belong into a machine, and states of other machines. */
static void misplaced_parts_are_refused(void **state) {
    weir_rtl_design *d = *state;
    lamp l = make_lamp(d);
    weir_rtl_expr in = weir_rtl_read(d, l.in);
    weir_rtl_fsm other = weir_rtl_add_fsm(d, l.module, "other", WEIR_RTL_POSEDGE, l.clk, l.rst);
    weir_rtl_state away = weir_rtl_add_state(d, other, "Away");
    assert_int_equal(weir_rtl_add_default_transition(d, l.red, away).id, 0);
    ASSERT_MESSAGES("error: state 'Red' of state machine 'color' leads to 'Away', which is in another machine\n");
    assert_int_equal(weir_rtl_add_if(d, weir_rtl_state_body(d, l.red), in).id, 0);
    ASSERT_MESSAGES("error: this statement belongs in a process or a branch of one\n");
    assert_false(
        weir_rtl_move_stmt(d, weir_rtl_get_state(d, away).stmt, weir_rtl_fsm_body(d, l.fsm), (weir_rtl_stmt){0}));
    ASSERT_MESSAGES("error: this statement cannot be moved into a block of another kind\n");
    assert_int_equal(weir_rtl_add_transition(d, l.red, weir_rtl_read(d, l.out), l.blue).id, 0);
    ASSERT_MESSAGES("error: condition 'out' has 2 bits, expected 1 of module 'lamp'\n");
    assert_int_equal(weir_rtl_add_fsm(d, l.module, "third", WEIR_RTL_POSEDGE, l.in, l.rst).id, 0);
    ASSERT_MESSAGES("error: state machine 'third' needs a clock and a reset of module 'lamp', not 'in' and 'rst'\n");
    assert_int_equal(weir_rtl_add_state(d, l.fsm, "Red").id, 0);
    ASSERT_MESSAGES("error: state name 'Red' in 'color' is already the name of a state\n");
    assert_int_equal(weir_rtl_add_fsm(d, l.module, "color", WEIR_RTL_POSEDGE, l.clk, l.rst).id, 0);
    ASSERT_MESSAGES("error: state machine name 'color' in 'lamp' is already the name of a state machine\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DESIGN_TEST(machines_are_built_and_read_back),
        DESIGN_TEST(the_state_is_there_for_other_logic),
        DESIGN_TEST(types_are_shared_by_machines_alike),
        DESIGN_TEST(copies_are_machines_of_their_own),
        DESIGN_TEST(conditions_outputs_and_resets_are_rewritten),
        DESIGN_TEST(removed_states_are_missed),
        DESIGN_TEST(misplaced_parts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
