/* Random groups of ports through change_port_bundle_struct: two children at the ends of a group, one of them below a
 * module that passes it on, and a third one whose outputs are partly open. The design computes the same before and
 * after. */
#include "test_passes_hardware.h"

#include <stdio.h>

#include "common/random_below.h"
#include "passes/equivalence/equivalence.h"
#include "rtlir/core/interface.h"
#include "support/process/process.h"

enum { DESIGNS = 16, MOST_FIELDS = 5 };

typedef struct setup {
    weir_rtl_design *design;
    weir_rtl_interface interface;
    weir_rtl_modport modport;
    uint32_t fields;
} setup;

static setup make_interface(weir_rtl_design *d) {
    setup s = {.design = d, .interface = weir_rtl_add_interface(d, "bus"), .fields = 1 + below(MOST_FIELDS)};
    weir_rtl_type color = weir_rtl_add_enum(d, "color", 2);
    for (uint64_t i = 0; i < 4; i++) weir_rtl_add_member(d, color, (const char *[]){"A", "B", "C", "D"}[i], i);
    for (uint32_t i = 0; i < s.fields; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%u", (unsigned)i);
        weir_rtl_shape shape = {.width = 1 + below(6), .is_signed = below(3) == 0};
        if (below(5) == 0) shape = (weir_rtl_shape){.type = color};
        if (below(6) == 0) shape = (weir_rtl_shape){.type = weir_rtl_array_of(d, 2, (weir_rtl_shape){.width = 2})};
        weir_rtl_add_interface_field(d, s.interface, name, shape, WEIR_RTL_DATA);
    }
    s.modport = weir_rtl_add_modport(d, s.interface, "one");
    for (uint32_t i = 0; i < s.fields; i++)
        weir_rtl_set_modport(d, s.modport, weir_rtl_interface_field_at(d, s.interface, i).name,
                             below(2) ? WEIR_RTL_INPUT : WEIR_RTL_OUTPUT);
    return s;
}

/* What a variable of any type is as a plain vector, and back. */
static weir_rtl_expr plain(weir_rtl_design *d, weir_rtl_var var) {
    weir_rtl_expr value = weir_rtl_read(d, var);
    weir_rtl_type type = weir_rtl_type_of(d, value);
    if (type.id && weir_rtl_get_type(d, type).kind == WEIR_RTL_TYPE_ARRAY)
        return weir_rtl_concat2(d, weir_rtl_element_at(d, value, 1), weir_rtl_element_at(d, value, 0));
    return weir_rtl_as_unsigned(d, value);
}

static void drive(weir_rtl_design *d, weir_rtl_block block, weir_rtl_var var, weir_rtl_expr bits) {
    weir_rtl_expr target = weir_rtl_read(d, var), value = bits;
    if (weir_rtl_get_var(d, var).is_signed) value = weir_rtl_as_signed(d, bits);
    weir_rtl_add_assign(d, block, target, value, WEIR_RTL_UNDECIDED);
}

/* Outputs are registers of x and of the inputs; y says whether the inputs have an odd number of ones. */
static weir_rtl_module make_leaf(const setup *s, const char *name, bool is_flipped) {
    weir_rtl_design *d = s->design;
    weir_rtl_module m = weir_rtl_add_module(d, name);
    weir_rtl_var clk = weir_rtl_add_clock(d, m, "clk");
    weir_rtl_expr x = weir_rtl_read(d, weir_rtl_add_input(d, m, "x", 8));
    weir_rtl_group g = weir_rtl_add_port_group(d, m, "g", s->modport, is_flipped);
    weir_rtl_expr y = weir_rtl_read(d, weir_rtl_add_output(d, m, "y", 1)), odd = weir_rtl_bit(d, x, 7);
    weir_rtl_block body = weir_rtl_add_always(d, m, WEIR_RTL_POSEDGE, clk);
    for (uint32_t i = 0; i < s->fields; i++) {
        weir_rtl_var var = weir_rtl_group_var_at(d, g, i);
        if (weir_rtl_get_var(d, var).direction == WEIR_RTL_INPUT)
            odd = weir_rtl_binary(d, WEIR_RTL_XOR, odd, weir_rtl_unary(d, WEIR_RTL_REDUCE_XOR, plain(d, var)));
    }
    for (uint32_t i = 0; i < s->fields; i++) {
        weir_rtl_var var = weir_rtl_group_var_at(d, g, i);
        uint32_t width = weir_rtl_get_var(d, var).width, low = below(9 - width);
        if (weir_rtl_get_var(d, var).direction != WEIR_RTL_OUTPUT) continue;
        weir_rtl_expr bits = weir_rtl_slice(d, x, low + width - 1, low);
        bits = weir_rtl_binary(d, WEIR_RTL_XOR, bits, weir_rtl_repeat(d, width, odd));
        drive(d, body, var, bits);
    }
    weir_rtl_assign(d, m, y, odd);
    return m;
}

/* An instance whose ports other than the group are those of the parent, y under another name. */
static weir_rtl_instance add_leaf(const setup *s, weir_rtl_module parent, weir_rtl_module leaf, const char *name,
                                  weir_rtl_var y) {
    weir_rtl_design *d = s->design;
    weir_rtl_instance u = weir_rtl_add_instance(d, parent, leaf, name);
    weir_rtl_connect(d, u, "clk", weir_rtl_read(d, weir_rtl_find_var(d, parent, "clk")));
    weir_rtl_connect(d, u, "x", weir_rtl_read(d, weir_rtl_find_var(d, parent, "x")));
    weir_rtl_connect(d, u, "y", weir_rtl_read(d, y));
    return u;
}

static weir_rtl_module pass_on(const setup *s, weir_rtl_module leaf, bool is_flipped) {
    weir_rtl_design *d = s->design;
    weir_rtl_module m = weir_rtl_add_module(d, "between");
    weir_rtl_add_clock(d, m, "clk");
    weir_rtl_add_input(d, m, "x", 8);
    weir_rtl_group g = weir_rtl_add_port_group(d, m, "g", s->modport, is_flipped);
    weir_rtl_instance u = add_leaf(s, m, leaf, "u", weir_rtl_add_output(d, m, "y", 1));
    weir_rtl_connect_group(d, u, "g", g);
    return m;
}

/* Inputs are constants; outputs are outputs of the top or open. */
static void add_third(const setup *s, weir_rtl_module top, weir_rtl_module leaf) {
    weir_rtl_design *d = s->design;
    weir_rtl_group g = weir_rtl_find_group(d, leaf, "g");
    weir_rtl_instance u = add_leaf(s, top, leaf, "third", weir_rtl_add_output(d, top, "y3", 1));
    for (uint32_t i = 0; i < s->fields; i++) {
        weir_rtl_var_info port = weir_rtl_get_var(d, weir_rtl_group_var_at(d, g, i));
        if (port.direction == WEIR_RTL_INPUT) {
            weir_rtl_connect(d, u, port.name, weir_rtl_constant(d, port.width, below(UINT32_C(1) << port.width)));
        } else if (below(2)) {
            weir_rtl_leave_open(d, u, port.name);
        } else {
            char name[16];
            snprintf(name, sizeof name, "third_%s", port.name);
            weir_rtl_connect(d, u, port.name, weir_rtl_read(d, weir_rtl_add_output(d, top, name, port.width)));
        }
    }
}

static weir_rtl_module make_design(weir_rtl_design *d) {
    const setup s = make_interface(d);
    const bool is_flipped = below(2);
    weir_rtl_module a = make_leaf(&s, "a", is_flipped), b = make_leaf(&s, "b", !is_flipped);
    weir_rtl_module between = pass_on(&s, a, is_flipped), top = weir_rtl_add_module(d, "top");
    weir_rtl_add_clock(d, top, "clk");
    weir_rtl_add_input(d, top, "x", 8);
    weir_rtl_group link = weir_rtl_add_variable_group(d, top, "link", s.interface);
    weir_rtl_instance u = add_leaf(&s, top, below(2) ? a : between, "u", weir_rtl_add_output(d, top, "y1", 1));
    weir_rtl_instance v = add_leaf(&s, top, b, "v", weir_rtl_add_output(d, top, "y2", 1));
    weir_rtl_connect_group(d, u, "g", link);
    weir_rtl_connect_group(d, v, "g", link);
    add_third(&s, top, below(2) ? a : b);
    return top;
}

static void random_groups_stay_connected(void **state) {
    (void)state;
    if (!weir_process_found("yosys") && !weir_process_found("iverilog")) skip();
    size_t proved = 0;
    for (int seed = 1; seed <= DESIGNS; seed++) {
        random_state = (uint64_t)seed;
        weir_rtl_design *d = weir_rtl_design_new();
        weir_rtl_module top = make_design(d);
        weir_text before = {0}, after = {0}, text = {0};
        weir_rtl_print_text(d, &before);
        if (!weir_rtl_verify(d, top)) fail_msg("seed %d: %s\n%s", seed, messages.data, before.data);
        weir_module *module = weir_module_new("m");
        weir_module_set_rtl(module, d, "top");
        run_hardware(module, "fix_assignment_type,change_port_bundle_struct");
        weir_rtl_print_text(d, &after);
        if (!weir_rtl_verify(d, top)) fail_msg("seed %d: %s\n%s\n%s", seed, messages.data, before.data, after.data);
        const weir_rtl_version versions[] = {{before.data, before.size, "top"}, {after.data, after.size, "top"}};
        const weir_rtl_equivalence how = WEIR_RTL_EQUIVALENCE_DEFAULTS;
        weir_rtl_verdict verdict = weir_rtl_compare(&versions[0], &versions[1], &how, &text);
        if (verdict != WEIR_RTL_PROVED && verdict != WEIR_RTL_TESTED)
            fail_msg("seed %d: %s\n%s\n%s", seed, text.data, before.data, after.data);
        proved += verdict == WEIR_RTL_PROVED;
        weir_module_free(module);
        weir_text_free(&before);
        weir_text_free(&after);
        weir_text_free(&text);
    }
    print_message("%zu of %d designs proved, the others tested\n", proved, DESIGNS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DESIGN_TEST(random_groups_stay_connected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
