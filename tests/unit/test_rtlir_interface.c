/* Interfaces and groups: what they make, what connects, what is left of them by copies, renames and removals. */
#include "test_rtlir_support.h"

#include "common/text_pair.h"
#include "rtlir/core/interface.h"
#include "rtlir/edit/mutate.h"
#include "rtlir/edit/rewrite.h"
#include "rtlir/text/text.h"

typedef struct bus {
    weir_rtl_interface interface;
    weir_rtl_modport source, sink;
} bus;

/* clk, data (8 signed), ready; the source drives data. */
static bus make_bus(weir_rtl_design *d) {
    bus b = {.interface = weir_rtl_add_interface(d, "bus")};
    const weir_rtl_shape data = {.width = 8, .is_signed = true}, bit = {.width = 1};
    weir_rtl_add_interface_field(d, b.interface, "clk", bit, WEIR_RTL_CLOCK);
    weir_rtl_add_interface_field(d, b.interface, "data", data, WEIR_RTL_DATA);
    weir_rtl_add_interface_field(d, b.interface, "ready", bit, WEIR_RTL_DATA);
    b.source = weir_rtl_add_modport(d, b.interface, "source");
    b.sink = weir_rtl_add_modport(d, b.interface, "sink");
    weir_rtl_set_modport(d, b.source, "data", WEIR_RTL_OUTPUT);
    weir_rtl_set_modport(d, b.source, "ready", WEIR_RTL_INPUT);
    weir_rtl_set_modport(d, b.sink, "clk", WEIR_RTL_INPUT);
    weir_rtl_set_modport(d, b.sink, "data", WEIR_RTL_INPUT);
    weir_rtl_set_modport(d, b.sink, "ready", WEIR_RTL_OUTPUT);
    return b;
}

#define INTERFACE                                                                                                      \
    "wrtl 1\ninterface bus {\n  clk : $clock\n  data : signed 8\n  ready : 1\n  modport source {\n    output data\n"   \
    "    input ready\n  }\n  modport sink {\n    input clk\n    input data\n    output ready\n  }\n}\n"

static void assert_text(const weir_rtl_design *d, const char *expected) {
    weir_text text = {0}, again = {0};
    weir_rtl_print_text(d, &text);
    assert_string_equal(text.data, expected);
    weir_rtl_design *read = weir_rtl_parse_text(text.data, text.size, "again");
    if (!read) fail_msg("%s", messages.data);
    weir_rtl_print_text(read, &again);
    assert_string_equal(again.data, expected);
    weir_rtl_design_free(read);
    weir_text_free(&text);
    weir_text_free(&again);
}

static void groups_are_ports_and_variables(void **state) {
    weir_rtl_design *d = *state;
    bus b = make_bus(d);
    weir_rtl_module m = weir_rtl_add_module(d, "m");
    weir_rtl_group out = weir_rtl_add_port_group(d, m, "out", b.source, false);
    weir_rtl_group in = weir_rtl_add_port_group(d, m, "in", b.source, true);
    weir_rtl_group all = weir_rtl_add_variable_group(d, m, "all", b.interface);
    assert_text(d, INTERFACE "module m {\n"
                             "  output out_data : signed 8\n"
                             "  input out_ready : 1\n"
                             "  input in_data : signed 8\n"
                             "  output in_ready : 1\n"
                             "  variable all_clk : $clock\n"
                             "  variable all_data : signed 8\n"
                             "  variable all_ready : 1\n"
                             "  group out : bus.source\n"
                             "  group in : bus.source flipped\n"
                             "  group all : bus\n"
                             "  body {\n"
                             "  }\n"
                             "}\n");
    assert_int_equal(weir_rtl_group_count(d, m), 3);
    assert_int_equal(weir_rtl_group_at(d, m, 1).id, in.id);
    assert_int_equal(weir_rtl_find_group(d, m, "out").id, out.id);
    assert_true(weir_rtl_get_group(d, in).is_flipped);
    assert_int_equal(weir_rtl_get_group(d, all).modport.id, 0);
    assert_int_equal(weir_rtl_group_var(d, out, "data").id, weir_rtl_find_var(d, m, "out_data").id);
    assert_int_equal(weir_rtl_group_var(d, out, "clk").id, 0);
    ASSERT_MESSAGES("error: group 'out' of module 'm' has no field 'clk'\n");
    assert_int_equal(weir_rtl_add_port_group(d, m, "out", b.sink, false).id, 0);
    ASSERT_MESSAGES("error: group name 'out' in 'm' is already the name of a group\n");
}

/* Copies have them, renames are followed, removals leave gaps and in the end nothing. */
static void groups_follow_changes(void **state) {
    weir_rtl_design *d = *state;
    bus b = make_bus(d);
    weir_rtl_module m = weir_rtl_add_module(d, "m");
    weir_rtl_group in = weir_rtl_add_port_group(d, m, "in", b.sink, false);
    weir_rtl_group gone = weir_rtl_add_port_group(d, m, "gone", b.source, false);
    assert_true(weir_rtl_rename(d, WEIR_RTL_ITEM(weir_rtl_group_var(d, in, "clk")), "clock"));
    weir_rtl_remove_var(d, weir_rtl_group_var(d, in, "ready"));
    weir_rtl_remove_var(d, weir_rtl_group_var(d, gone, "ready"));
    weir_rtl_remove_var(d, weir_rtl_group_var(d, gone, "data"));
    weir_rtl_module copy = weir_rtl_clone_module(d, m);
    weir_rtl_remove_module(d, m);
    assert_text(d, INTERFACE "module m {\n"
                             "  input clock : $clock\n"
                             "  input in_data : signed 8\n"
                             "  group in : bus.sink (clk = clock, no ready)\n"
                             "  body {\n"
                             "  }\n"
                             "}\n");
    weir_rtl_remove_group(d, weir_rtl_find_group(d, copy, "in"));
    assert_int_equal(weir_rtl_group_count(d, copy), 0);
    assert_int_not_equal(weir_rtl_find_var(d, copy, "in_data").id, 0);
    assert_int_not_equal(weir_rtl_add_input(d, copy, "in", 1).id, 0);
}

static void instances_are_connected_group_by_group(void **state) {
    weir_rtl_design *d = *state;
    bus b = make_bus(d);
    weir_rtl_module source = weir_rtl_add_generator(d, "source"), sink = weir_rtl_add_generator(d, "sink");
    weir_rtl_group out = weir_rtl_add_port_group(d, source, "out", b.source, false);
    weir_rtl_add_port_group(d, sink, "in", b.sink, false);
    weir_rtl_module top = weir_rtl_add_module(d, "top");
    weir_rtl_group up = weir_rtl_add_port_group(d, top, "up", b.sink, false);
    weir_rtl_group down = weir_rtl_add_port_group(d, top, "down", b.source, false);
    weir_rtl_group link = weir_rtl_add_variable_group(d, top, "link", b.interface);
    weir_rtl_instance u = weir_rtl_add_instance(d, top, source, "u"), v = weir_rtl_add_instance(d, top, sink, "v");
    assert_true(weir_rtl_connect_group(d, u, "out", down));
    assert_true(weir_rtl_connect_group(d, v, "in", up));
    assert_int_equal(weir_rtl_connection_of(d, u, weir_rtl_group_var(d, out, "data")).value.id,
                     weir_rtl_read(d, weir_rtl_group_var(d, down, "data")).id);
    weir_rtl_instance w = weir_rtl_add_instance(d, top, source, "w"), x = weir_rtl_add_instance(d, top, sink, "x");
    assert_true(weir_rtl_connect_group(d, w, "out", link));
    assert_true(weir_rtl_connect_group(d, x, "in", link));
    ASSERT_MESSAGES("");
    weir_rtl_instance wrong = weir_rtl_add_instance(d, top, source, "wrong");
    assert_false(weir_rtl_connect_group(d, wrong, "out", up));
    ASSERT_MESSAGES(
        "error: output 'out_data' of instance 'wrong' cannot be connected to 'up_data', which is an input of "
        "'top'\n"
        "error: input 'out_ready' of instance 'wrong' cannot be connected to 'up_ready', which is an output "
        "of 'top'\n");
    weir_rtl_instance less = weir_rtl_add_instance(d, top, sink, "less");
    assert_false(weir_rtl_connect_group(d, less, "in", down));
    assert_non_null(
        strstr(messages.data, "group 'down' of module 'top' has no 'clk' for port 'in_clk' of instance 'less'"));
    messages.size = 0;
    weir_text_add(&messages, "");
    assert_false(weir_rtl_connect_group(d, less, "out", link));
    ASSERT_MESSAGES(
        "error: instance 'less' (module 'sink') has no group 'out' of interface 'bus' to connect to 'link'\n");
}

static void wrong_interfaces_are_refused(void **state) {
    weir_rtl_design *d = *state;
    bus b = make_bus(d);
    const weir_rtl_shape bit = {.width = 1}, none = {.width = 0}, wide = {.width = 2};
    weir_rtl_add_interface_field(d, b.interface, "late", bit, WEIR_RTL_DATA);
    ASSERT_MESSAGES("error: 'late' cannot be a field of interface 'bus', which is complete\n");
    weir_rtl_set_modport(d, b.source, "nothing", WEIR_RTL_INPUT);
    ASSERT_MESSAGES(
        "error: modport 'source' of interface 'bus' cannot give a direction to 'nothing': there is no such field\n");
    weir_rtl_set_modport(d, b.source, "data", WEIR_RTL_INPUT);
    ASSERT_MESSAGES("error: modport 'source' of interface 'bus' cannot give a direction to 'data' twice\n");
    assert_int_equal(weir_rtl_add_interface(d, "bus").id, 0);
    ASSERT_MESSAGES("error: interface name 'bus' is already the name of an interface\n");
    assert_int_equal(weir_rtl_add_modport(d, b.interface, "sink").id, 0);
    ASSERT_MESSAGES("error: interface 'bus' has two modports 'sink'\n");
    weir_rtl_interface other = weir_rtl_add_interface(d, "other");
    weir_rtl_add_interface_field(d, other, "a", none, WEIR_RTL_DATA);
    ASSERT_MESSAGES("error: 'a' cannot be a field of interface 'other': its type does not fit\n");
    weir_rtl_add_interface_field(d, other, "a", wide, WEIR_RTL_CLOCK);
    ASSERT_MESSAGES("error: 'a' cannot be a field of interface 'other': its type does not fit\n");
}

static const text_pair wrong[] = {
    {"group g : buss.sink", "t:18: error: unknown interface 'buss'\n"},
    {"group g : bus.zink", "t:18: error: unknown modport 'zink'\n"},
    {"group g : bus.sink (no x)", "t:18: error: unknown field 'x'\n"},
    {"group g : bus.sink (data = d)", "t:18: error: 'd' cannot be field 'data' of group 'g' of interface 'bus'\n"},
    {"group g : bus.sink (data = e)", "t:18: error: unknown variable 'e'\n"},
};

static void wrong_groups_in_a_text_are_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        weir_text text = {0};
        weir_text_format(&text, INTERFACE "module m {\n  input d : 8\n  %s\n  body {\n  }\n}\n", wrong[i].text);
        assert_null(weir_rtl_parse_text(text.data, text.size, "t"));
        ASSERT_MESSAGES(wrong[i].expected);
        weir_text_free(&text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DESIGN_TEST(groups_are_ports_and_variables),         DESIGN_TEST(groups_follow_changes),
        DESIGN_TEST(instances_are_connected_group_by_group), DESIGN_TEST(wrong_interfaces_are_refused),
        DESIGN_TEST(wrong_groups_in_a_text_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
