/* Designs that change: generators that share a name, instances wired by assignments, statements and items that come and
 * go, expressions that are rewritten, copies, walks. */
#include "test_rtlir_support.h"

#include "rtlir/analysis/uses.h"
#include "rtlir/edit/mutate.h"
#include "rtlir/edit/rewrite.h"
#include "rtlir/text/text.h"

static weir_rtl_expr port(weir_rtl_design *d, weir_rtl_module m, const char *name) {
    return weir_rtl_read(d, weir_rtl_find_var(d, m, name));
}

/* name(in, out) { out = in + 1 } */
static weir_rtl_module make_child(weir_rtl_design *d, const char *name) {
    weir_rtl_module m = weir_rtl_add_generator(d, name);
    weir_rtl_expr in = weir_rtl_read(d, weir_rtl_add_input(d, m, "in", 4));
    weir_rtl_expr out = weir_rtl_read(d, weir_rtl_add_output(d, m, "out", 4));
    weir_rtl_assign(d, m, out, weir_rtl_binary(d, WEIR_RTL_ADD, in, weir_rtl_constant(d, 4, 1)));
    return m;
}

static void assert_body(weir_rtl_design *d, weir_rtl_module m, const char *expected) {
    weir_text text = {0};
    weir_rtl_print_verilog(d, m, &text);
    char *body = strstr(text.data, ");\n");
    assert_non_null(body);
    body += 3;
    *strstr(body, "\nendmodule") = 0;
    assert_string_equal(body, expected);
    weir_text_free(&text);
}

/* The lines of the design's text for the module: the first one made of its name, or the next one. */
static char *module_text(weir_rtl_design *d, bool is_next) {
    weir_text text = {0};
    weir_rtl_print_text(d, &text);
    char *from = strstr(text.data, "\nmodule top {");
    assert_non_null(from);
    if (is_next) from = strstr(from + 1, "\nmodule top {");
    assert_non_null(from);
    char *end = strstr(from + 1, "\nmodule ");
    char *copy = strndup(from, end ? (size_t)(end - from) : strlen(from) - 1);
    weir_text_free(&text);
    return copy;
}

static void generators_share_a_name_until_they_are_renamed(void **state) {
    weir_rtl_design *d = *state;
    weir_rtl_module a = make_child(d, "leaf"), b = make_child(d, "leaf"), c = make_child(d, "leaf");
    assert_int_equal(weir_rtl_find_module(d, "leaf").id, a.id);
    assert_int_equal(weir_rtl_next_namesake(d, a).id, b.id);
    assert_int_equal(weir_rtl_next_namesake(d, b).id, c.id);
    assert_int_equal(weir_rtl_next_namesake(d, c).id, 0);
    assert_true(weir_rtl_rename(d, WEIR_RTL_ITEM(a), "leaf_unq0"));
    assert_int_equal(weir_rtl_find_module(d, "leaf").id, b.id);
    weir_rtl_remove_module(d, c);
    assert_int_equal(weir_rtl_next_namesake(d, b).id, 0);
    assert_int_equal(weir_rtl_module_count(d), 2);
    assert_false(weir_rtl_rename(d, WEIR_RTL_ITEM(a), "leaf"));
    ASSERT_MESSAGES("error: module name 'leaf' in 'the design' is already the name of a module\n");
    weir_rtl_remove_module(d, b);
    assert_int_equal(weir_rtl_find_module(d, "leaf").id, 0);
    assert_int_equal(weir_rtl_first_module(d).id, a.id);
    assert_int_equal(weir_rtl_next_module(d, a).id, 0);
}

/* top(x, y) with two children that assignments wire: x -> a -> b -> y. */
static weir_rtl_module make_wired(weir_rtl_design *d, weir_rtl_instance u[2]) {
    weir_rtl_module top = weir_rtl_add_module(d, "top");
    weir_rtl_expr x = weir_rtl_read(d, weir_rtl_add_input(d, top, "x", 4));
    weir_rtl_expr y = weir_rtl_read(d, weir_rtl_add_output(d, top, "y", 4));
    u[0] = weir_rtl_add_wired_instance(d, top, make_child(d, "child"), "a");
    u[1] = weir_rtl_add_wired_instance(d, top, make_child(d, "child"), "b");
    weir_rtl_block body = weir_rtl_get_module(d, top).body;
    weir_rtl_add_assign(d, body, weir_rtl_read_port(d, u[0], "in"), x, WEIR_RTL_UNDECIDED);
    weir_rtl_add_assign(d, body, weir_rtl_read_port(d, u[1], "in"), weir_rtl_read_port(d, u[0], "out"),
                        WEIR_RTL_UNDECIDED);
    weir_rtl_add_assign(d, body, y, weir_rtl_read_port(d, u[1], "out"), WEIR_RTL_UNDECIDED);
    return top;
}

static void instances_are_wired_by_assignments(void **state) {
    weir_rtl_design *d = *state;
    weir_rtl_instance u[2];
    weir_rtl_module top = make_wired(d, u);
    assert_true(weir_rtl_verify(d, top));
    weir_rtl_expr out = weir_rtl_read_port(d, u[0], "out");
    assert_int_equal(weir_rtl_get_expr(d, out).instance.id, u[0].id);
    weir_rtl_assign(d, top, out, weir_rtl_constant(d, 4, 0));
    weir_rtl_read_port(d, u[0], "inn");
    ASSERT_MESSAGES("error: 'a.out' cannot be assigned to\n"
                    "error: module 'child' of instance 'a' has no port 'inn'\n"
                    "note: did you mean 'in'?\n");
}

static void a_wired_input_needs_a_driver_for_every_bit(void **state) {
    weir_rtl_design *d = *state;
    weir_rtl_instance u[2];
    weir_rtl_module top = make_wired(d, u);
    weir_rtl_stmt first = weir_rtl_first(d, weir_rtl_get_module(d, top).body);
    while (weir_rtl_get_stmt(d, first).kind != WEIR_RTL_STMT_ASSIGN) first = weir_rtl_next(d, first);
    weir_rtl_expr in = weir_rtl_read_port(d, u[0], "in");
    weir_rtl_assign(d, top, weir_rtl_slice(d, in, 2, 1), weir_rtl_slice(d, port(d, top, "x"), 1, 0));
    assert_false(weir_rtl_verify(d, top));
    ASSERT_MESSAGES("error: 'a.in[2:1]' in module 'top' has two drivers: an assignment and an assignment\n");
    weir_rtl_remove_stmt(d, first);
    assert_false(weir_rtl_verify(d, top));
    ASSERT_MESSAGES("error: input 'in[0]' of instance 'a' in module 'top' has no driver\n"
                    "error: input 'in[3]' of instance 'a' in module 'top' has no driver\n");
}

static void uses_list_drivers_and_readers(void **state) {
    weir_rtl_design *d = *state;
    weir_rtl_instance u[2];
    weir_rtl_module top = make_wired(d, u);
    weir_rtl_var x = weir_rtl_find_var(d, top, "x");
    weir_rtl_var clk = weir_rtl_add_clock(d, top, "clk");
    weir_rtl_expr r = weir_rtl_read(d, weir_rtl_add_register(d, top, "r", 8, false));
    weir_rtl_block always = weir_rtl_add_always(d, top, WEIR_RTL_POSEDGE, clk);
    weir_rtl_stmt s =
        weir_rtl_set_next(d, always, weir_rtl_select(d, r, weir_rtl_slice(d, weir_rtl_read(d, x), 2, 0), 1),
                          weir_rtl_bit(d, weir_rtl_read(d, x), 3));
    weir_rtl_uses *uses = weir_rtl_uses_new(d);
    weir_rtl_uses_build(uses, top);
    assert_int_equal(weir_rtl_driver_count(uses, weir_rtl_net_of(x)), 0);
    assert_int_equal(weir_rtl_reader_count(uses, weir_rtl_net_of(x)), 3);
    weir_rtl_use use = weir_rtl_reader_at(uses, weir_rtl_net_of(x), 0);
    assert_true(use.is_whole && use.width == 4);
    use = weir_rtl_reader_at(uses, weir_rtl_net_of(x), 1);
    assert_true(use.low == 0 && use.width == 3 && use.stmt.id == s.id && !use.is_whole);
    use = weir_rtl_reader_at(uses, weir_rtl_net_of(x), 2);
    assert_true(use.low == 3 && use.width == 1 && use.is_whole);
    use = weir_rtl_driver_at(uses, weir_rtl_net_of_expr(d, r), 0);
    assert_true(use.is_computed && use.width == 8 && use.stmt.id == s.id);
    assert_int_equal(weir_rtl_reader_count(uses, weir_rtl_net_of(clk)), 1);
    weir_rtl_net in = {weir_rtl_find_var(d, weir_rtl_get_instance(d, u[1]).module, "in"), u[1]};
    assert_int_equal(weir_rtl_driver_count(uses, in), 1);
    assert_int_equal(weir_rtl_reader_count(uses, in), 0);
    weir_rtl_uses_tally(uses, top);
    assert_int_equal(weir_rtl_reader_count(uses, weir_rtl_net_of(x)), 3);
    assert_int_equal(weir_rtl_driver_count(uses, weir_rtl_net_of_expr(d, r)), 1);
    assert_int_equal(weir_rtl_driver_count(uses, in), 1);
    assert_int_equal(weir_rtl_reader_count(uses, in), 0);
    weir_rtl_uses_free(uses);
}

/* A module in which input s chooses what output o is. */
typedef struct choosing {
    weir_rtl_module module;
    weir_rtl_expr s, o;
    weir_rtl_block all;
} choosing;

static choosing make_choosing(weir_rtl_design *d, uint32_t width) {
    const weir_rtl_module m = weir_rtl_add_module(d, "m");
    const weir_rtl_expr s = weir_rtl_read(d, weir_rtl_add_input(d, m, "s", 1));
    const weir_rtl_expr o = weir_rtl_read(d, weir_rtl_add_output(d, m, "o", width));
    return (choosing){m, s, o, weir_rtl_add_combinational(d, m)};
}

static void statements_move_and_go(void **state) {
    weir_rtl_design *d = *state;
    const choosing c = make_choosing(d, 2);
    const weir_rtl_module m = c.module;
    const weir_rtl_expr s = c.s, o = c.o;
    const weir_rtl_block all = c.all;
    weir_rtl_stmt one = weir_rtl_set(d, all, o, weir_rtl_constant(d, 2, 1));
    weir_rtl_stmt branch = weir_rtl_add_if(d, all, s);
    weir_rtl_stmt two = weir_rtl_set(d, weir_rtl_then(d, branch), o, weir_rtl_constant(d, 2, 2));
    assert_true(weir_rtl_move_stmt(d, one, weir_rtl_then(d, branch), two));
    assert_body(d, m, "\n  always @* begin\n    if (s) begin\n      o = 2'd1;\n      o = 2'd2;\n    end\n  end\n");
    assert_true(weir_rtl_move_stmts(d, weir_rtl_then(d, branch), weir_rtl_else(d, branch), (weir_rtl_stmt){0}));
    weir_rtl_remove_stmt(d, one);
    assert_body(d, m, "\n  always @* begin\n    if (s) begin\n    end else begin\n      o = 2'd2;\n    end\n  end\n");
    assert_true(weir_rtl_set_value(d, branch, weir_rtl_unary(d, WEIR_RTL_LOGICAL_NOT, s)));
    assert_false(weir_rtl_set_value(d, branch, o));
    ASSERT_MESSAGES("error: 'o' cannot replace '!s'\n");
    weir_rtl_remove_else(d, branch);
    assert_false(weir_rtl_move_stmt(d, branch, weir_rtl_then(d, branch), (weir_rtl_stmt){0}));
    assert_false(weir_rtl_move_stmt(d, branch, weir_rtl_get_module(d, m).body, (weir_rtl_stmt){0}));
    ASSERT_MESSAGES("error: a statement can be moved only inside its module, before a statement of the block\n"
                    "error: this statement cannot be moved into a block of another kind\n");
    weir_rtl_stmt plain =
        weir_rtl_add_assign(d, weir_rtl_get_module(d, m).body, o, weir_rtl_constant(d, 2, 3), WEIR_RTL_CONTINUOUS);
    assert_true(weir_rtl_replace_stmt(d, weir_rtl_owner(d, all), plain));
    assert_body(d, m, "\n  assign o = 2'd3;\n");
    assert_false(weir_rtl_get_var(d, weir_rtl_find_var(d, m, "o")).is_register);
}

static void items_go_and_their_names_are_free_again(void **state) {
    weir_rtl_design *d = *state;
    weir_rtl_instance u[2];
    weir_rtl_module top = make_wired(d, u);
    weir_rtl_module child = weir_rtl_get_instance(d, u[1]).module;
    weir_rtl_remove_instance(d, u[0]);
    assert_int_equal(weir_rtl_find_instance(d, top, "a").id, 0);
    assert_int_equal(weir_rtl_get_module(d, top).instance_count, 1);
    weir_rtl_var x = weir_rtl_find_var(d, top, "x");
    weir_rtl_remove_var(d, x);
    assert_int_equal(weir_rtl_find_var(d, top, "x").id, 0);
    assert_int_not_equal(weir_rtl_add_wire(d, top, "x", 1).id, 0);
    assert_string_equal(weir_rtl_get_var(d, weir_rtl_port_at(d, top, 0)).name, "y");
    assert_int_equal(weir_rtl_get_var(d, weir_rtl_port_at(d, top, 0)).port, 0);
    weir_rtl_var extra = weir_rtl_add_input(d, child, "extra", 1);
    weir_rtl_move_port(d, extra, 0);
    assert_int_equal(weir_rtl_port_at(d, child, 0).id, extra.id);
    assert_int_equal(weir_rtl_get_var(d, weir_rtl_find_var(d, child, "out")).port, 2);
    weir_rtl_connect(d, u[1], "extra", weir_rtl_constant(d, 1, 1));
    weir_rtl_remove_var(d, weir_rtl_find_var(d, child, "in"));
    assert_int_not_equal(weir_rtl_connection_of(d, u[1], extra).value.id, 0);
    assert_true(weir_rtl_rename(d, WEIR_RTL_ITEM(u[1]), "a"));
    assert_int_equal(weir_rtl_find_instance(d, top, "a").id, u[1].id);
}

/* 20,000 names of which every third goes: the others are still found. */
static void removal_keeps_the_table_of_names_sound(void **state) {
    weir_rtl_design *d = *state;
    weir_rtl_module m = weir_rtl_add_module(d, "m");
    enum { COUNT = 20000 };
    weir_rtl_var *vars = weir_malloc(COUNT * sizeof *vars);
    char name[16];
    for (int i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "v%d", i);
        vars[i] = weir_rtl_add_wire(d, m, name, 1);
    }
    for (int i = 0; i < COUNT; i += 3) weir_rtl_remove_var(d, vars[i]);
    for (int i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "v%d", i);
        assert_int_equal(weir_rtl_find_var(d, m, name).id, i % 3 ? vars[i].id : 0);
    }
    free(vars);
}

static void instances_change_their_module_by_name(void **state) {
    weir_rtl_design *d = *state;
    weir_rtl_instance u[2];
    weir_rtl_module top = make_wired(d, u);
    weir_rtl_module other = weir_rtl_add_module(d, "other");
    weir_rtl_expr out = weir_rtl_read(d, weir_rtl_add_output(d, other, "out", 4));
    assert_false(weir_rtl_set_instance_module(d, u[0], other));
    ASSERT_MESSAGES("error: module 'other' has no port like 'in', which instance 'a' has\n");
    weir_rtl_assign(d, other, out, weir_rtl_read(d, weir_rtl_add_input(d, other, "in", 4)));
    assert_true(weir_rtl_set_instance_module(d, u[0], other));
    weir_rtl_add_generator(d, "fresh");
    assert_module_at(d, top, WEIR_RTL_PARENTS_FIRST, 3, 0, top);
    assert_module_at(d, top, WEIR_RTL_PARENTS_FIRST, 3, 1, other);
}

/* An expression that read a port stays in the design when the port goes and nothing uses it any more. */
static void reads_of_removed_ports_do_not_matter(void **state) {
    weir_rtl_design *d = *state;
    weir_rtl_module top = weir_rtl_add_module(d, "top"), a = weir_rtl_add_module(d, "a"),
                    b = weir_rtl_add_module(d, "b");
    weir_rtl_instance u = weir_rtl_add_wired_instance(d, top, a, "u");
    weir_rtl_var gone = weir_rtl_add_input(d, a, "gone", 1);
    assert_true(weir_rtl_read_port(d, u, "gone").id != 0);
    weir_rtl_remove_var(d, gone);
    assert_true(weir_rtl_set_instance_module(d, u, b));
    assert_int_equal(weir_rtl_get_instance(d, u).module.id, b.id);
}

static void rewriting_puts_expressions_for_variables(void **state) {
    weir_rtl_design *d = *state;
    weir_rtl_module m = weir_rtl_add_module(d, "m");
    weir_rtl_var a = weir_rtl_add_input(d, m, "a", 4), b = weir_rtl_add_input(d, m, "b", 4);
    weir_rtl_var w = weir_rtl_add_wire(d, m, "w", 4);
    weir_rtl_expr o = weir_rtl_read(d, weir_rtl_add_output(d, m, "o", 4));
    weir_rtl_expr wr = weir_rtl_read(d, w);
    weir_rtl_stmt drive = weir_rtl_assign(d, m, wr, weir_rtl_read(d, a));
    weir_rtl_expr sum = weir_rtl_binary(d, WEIR_RTL_ADD, wr,
                                        weir_rtl_concat2(d, weir_rtl_slice(d, wr, 1, 0), weir_rtl_slice(d, wr, 3, 2)));
    weir_rtl_assign(d, m, o, weir_rtl_binary(d, WEIR_RTL_XOR, sum, sum));
    weir_rtl_rewriter *r = weir_rtl_rewriter_new(d);
    assert_false(weir_rtl_map_var(r, w, weir_rtl_bit(d, weir_rtl_read(d, b), 0)));
    ASSERT_MESSAGES("error: 'b[0]' (1 unsigned bits) cannot replace 'w' (4 unsigned bits)\n");
    assert_true(weir_rtl_map_var(r, w, weir_rtl_read(d, b)));
    weir_rtl_rewrite_reads_only(r, true);
    assert_true(weir_rtl_rewrite_module(r, m));
    weir_rtl_remove_stmt(d, drive);
    weir_rtl_remove_var(d, w);
    assert_body(d, m, "\n  assign o = (b + {b[1:0], b[3:2]}) ^ (b + {b[1:0], b[3:2]});\n");
    assert_int_equal(weir_rtl_rewrite_expr(r, sum).id, weir_rtl_rewrite_expr(r, sum).id);
    weir_rtl_rewriter_clear(r);
    assert_true(weir_rtl_map_var(r, b, weir_rtl_unary(d, WEIR_RTL_NOT, weir_rtl_read(d, a))));
    assert_false(weir_rtl_rewrite_module(r, m));
    ASSERT_MESSAGES("error: '~a' is not a variable and cannot be sliced; assign it to a wire first\n"
                    "error: '~a' is not a variable and cannot be sliced; assign it to a wire first\n");
    weir_rtl_rewriter_free(r);
}

static void clones_are_alike_and_apart(void **state) {
    weir_rtl_design *d = *state;
    weir_rtl_instance u[2];
    weir_rtl_module top = make_wired(d, u);
    weir_rtl_var clk = weir_rtl_add_clock(d, top, "clk");
    weir_rtl_parameter p = weir_rtl_add_parameter(d, top, "P", 3);
    weir_rtl_expr q = weir_rtl_read(d, weir_rtl_add_variable(d, top, "q", 32, true));
    weir_rtl_block always = weir_rtl_add_always(d, top, WEIR_RTL_POSEDGE, clk);
    weir_rtl_stmt branch = weir_rtl_add_if(d, always, weir_rtl_bit(d, port(d, top, "x"), 0));
    weir_rtl_stmt set = weir_rtl_set_next(d, weir_rtl_else(d, branch), q, weir_rtl_read_parameter(d, p));
    weir_rtl_set_comment(d, WEIR_RTL_ITEM(set), "three");
    weir_rtl_set_attribute_integer(d, WEIR_RTL_ITEM(weir_rtl_find_var(d, top, "q")), "keep", 1);
    weir_rtl_stmt choice = weir_rtl_add_case(d, weir_rtl_then(d, branch), q);
    weir_rtl_set_next(d, weir_rtl_add_case_item(d, choice, weir_rtl_constant_signed(d, 32, -1)), q,
                      weir_rtl_constant_signed(d, 32, 0));
    weir_rtl_module clone = weir_rtl_clone_module(d, top);
    assert_int_not_equal(clone.id, 0);
    char *a = module_text(d, false), *b = module_text(d, true);
    assert_string_equal(a, b);
    assert_non_null(strstr(b, "\"three\""));
    free(b);
    weir_rtl_remove_stmt(d, weir_rtl_first(d, weir_rtl_get_module(d, top).body));
    b = module_text(d, true);
    assert_true(weir_rtl_verify(d, clone));
    if (!strstr(b, " a.in = x")) fail_msg("%s", b);
    free(a);
    free(b);
}

/* ---- walks ---- */

static weir_text trace;

static void see_module(weir_rtl_design *d, weir_rtl_module m, void *user) {
    weir_text_format(user, "%s ", weir_rtl_get_module(d, m).name);
}
static void see_external(weir_rtl_design *d, weir_rtl_module m, void *user) {
    weir_text_format(user, "<%s> ", weir_rtl_get_module(d, m).name);
}
static char letter(const weir_rtl_design *d, weir_rtl_stmt s) {
    switch (weir_rtl_get_stmt(d, s).kind) {
    case WEIR_RTL_STMT_ASSIGN: return 'a';
    case WEIR_RTL_STMT_INSTANCE: return 'u';
    case WEIR_RTL_STMT_COMBINATIONAL: return 'c';
    case WEIR_RTL_STMT_IF: return 'i';
    default: return '?';
    }
}

static void see_stmt(weir_rtl_design *d, weir_rtl_stmt s, void *user) { weir_text_format(user, "+%c ", letter(d, s)); }
static void leave_stmt(weir_rtl_design *d, weir_rtl_stmt s, void *user) {
    weir_text_format(user, "/%c ", letter(d, s));
}
static void see_expr(weir_rtl_design *d, weir_rtl_expr e, weir_rtl_stmt s, void *user) {
    (void)s;
    weir_rtl_print_expr(d, e, user);
    weir_text_char(user, ' ');
}
static void see_var(weir_rtl_design *d, weir_rtl_var v, void *user) {
    weir_text_format(user, "%s ", weir_rtl_get_var(d, v).name);
}
static void see_instance(weir_rtl_design *d, weir_rtl_instance i, void *user) {
    weir_text_format(user, "u:%s ", weir_rtl_get_instance(d, i).name);
}

#define ASSERT_TRACE(expected)                                                                                         \
    do {                                                                                                               \
        assert_string_equal(trace.data ? trace.data : "", expected);                                                   \
        weir_text_free(&trace);                                                                                        \
    } while (0)

static void orders_of_the_hierarchy(void **state) {
    weir_rtl_design *d = *state;
    weir_rtl_module top = weir_rtl_add_module(d, "top"), a = weir_rtl_add_module(d, "a");
    weir_rtl_module b = weir_rtl_add_module(d, "b"), c = weir_rtl_add_module(d, "c");
    weir_rtl_module x = weir_rtl_add_module(d, "x");
    weir_rtl_set_external(d, x);
    weir_rtl_add_instance(d, top, a, "u_a");
    weir_rtl_add_instance(d, top, b, "u_b");
    weir_rtl_add_instance(d, top, c, "u_c");
    weir_rtl_add_instance(d, b, c, "u_c");
    weir_rtl_add_instance(d, c, x, "u_x");
    weir_rtl_add_instance(d, c, x, "u_y");
    const weir_rtl_visitor v = {.module = see_module, .external = see_external};
    assert_true(weir_rtl_visit(d, top, WEIR_RTL_PARENTS_FIRST, &v, &trace));
    ASSERT_TRACE("top a b c <x> ");
    assert_true(weir_rtl_visit(d, top, WEIR_RTL_CHILDREN_FIRST, &v, &trace));
    ASSERT_TRACE("a <x> c b top ");
    assert_true(weir_rtl_visit(d, top, WEIR_RTL_DEEPEST_FIRST, &v, &trace));
    ASSERT_TRACE("<x> c a b top ");
    weir_rtl_add_instance(d, c, b, "u_b");
    assert_false(weir_rtl_visit(d, top, WEIR_RTL_PARENTS_FIRST, &v, &trace));
    ASSERT_TRACE("");
    ASSERT_MESSAGES("error: module 'c' contains itself through instance 'u_c' of module 'b'\n"
                    "note: 'c' has instance 'u_b' of 'b'\n");
}

static void content_comes_in_order(void **state) {
    weir_rtl_design *d = *state;
    const choosing c = make_choosing(d, 1);
    const weir_rtl_module m = c.module;
    const weir_rtl_expr s = c.s, o = c.o;
    const weir_rtl_block all = c.all;
    weir_rtl_stmt branch = weir_rtl_add_if(d, all, s);
    weir_rtl_set(d, weir_rtl_then(d, branch), o, weir_rtl_unary(d, WEIR_RTL_NOT, s));
    weir_rtl_set(d, weir_rtl_else(d, branch), o, weir_rtl_binary(d, WEIR_RTL_AND, s, s));
    weir_rtl_add_wire(d, m, "alpha", 1);
    weir_rtl_instance u = weir_rtl_add_instance(d, m, make_child(d, "child"), "u");
    weir_rtl_connect(d, u, "in", weir_rtl_constant(d, 4, 2));
    const weir_rtl_visitor v = {
        .stmt = see_stmt, .leave = leave_stmt, .expr = see_expr, .var = see_var, .instance = see_instance};
    weir_rtl_visit_content(d, m, &v, &trace);
    ASSERT_TRACE("+c +i s +a o ~s s /a +a o s & s s /a /i /c +u u:u 4'd2 /u alpha o s ");
}

static int left_to_remove;

static void remove_some(weir_rtl_design *d, weir_rtl_stmt s, void *user) {
    see_stmt(d, s, user);
    weir_rtl_stmt_info info = weir_rtl_get_stmt(d, s);
    if (info.kind == WEIR_RTL_STMT_IF && left_to_remove-- > 0) {
        weir_rtl_stmt first = weir_rtl_first(d, weir_rtl_then(d, s));
        if (first.id) weir_rtl_replace_stmt(d, s, first);
        else weir_rtl_remove_stmt(d, s);
    }
}

static void walks_survive_removal_and_replacement(void **state) {
    weir_rtl_design *d = *state;
    weir_rtl_module m = weir_rtl_add_module(d, "m");
    weir_rtl_expr s = weir_rtl_read(d, weir_rtl_add_input(d, m, "s", 1));
    weir_rtl_expr o = weir_rtl_read(d, weir_rtl_add_output(d, m, "o", 1));
    weir_rtl_block all = weir_rtl_add_combinational(d, m);
    weir_rtl_add_if(d, all, s);
    weir_rtl_stmt outer = weir_rtl_add_if(d, all, s);
    weir_rtl_stmt inner = weir_rtl_add_if(d, weir_rtl_then(d, outer), s);
    weir_rtl_set(d, weir_rtl_then(d, inner), o, s);
    weir_rtl_set(d, all, o, s);
    left_to_remove = 3;
    const weir_rtl_visitor v = {.stmt = remove_some};
    weir_rtl_visit_content(d, m, &v, &trace);
    ASSERT_TRACE("+c +i +i +i +a +a ");
    assert_body(d, m, "\n  always @* begin\n    o = s;\n    o = s;\n  end\n");
}

/* A chain of 10,000 modules and one of 900 nested branches. */
static void depth_is_no_matter(void **state) {
    weir_rtl_design *d = *state;
    weir_rtl_module top = weir_rtl_add_module(d, "m");
    weir_rtl_module below = top;
    for (int i = 0; i < 10000; i++) {
        weir_rtl_module next = weir_rtl_add_generator(d, "m");
        weir_rtl_add_wired_instance(d, below, next, "u");
        below = next;
    }
    weir_rtl_expr s = weir_rtl_read(d, weir_rtl_add_input(d, below, "s", 1));
    weir_rtl_block block = weir_rtl_add_combinational(d, below);
    for (int i = 0; i < 900; i++) block = weir_rtl_else(d, weir_rtl_add_if(d, block, s));
    const weir_rtl_visitor v = {.module = see_module, .leave = leave_stmt};
    assert_true(weir_rtl_visit(d, top, WEIR_RTL_DEEPEST_FIRST, &v, &trace));
    assert_int_equal(trace.size, 10001 * 2 + 10901 * 3);
    weir_text_free(&trace);
    assert_int_not_equal(weir_rtl_clone_module(d, below).id, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DESIGN_TEST(generators_share_a_name_until_they_are_renamed),
        DESIGN_TEST(instances_are_wired_by_assignments),
        DESIGN_TEST(a_wired_input_needs_a_driver_for_every_bit),
        DESIGN_TEST(uses_list_drivers_and_readers),
        DESIGN_TEST(statements_move_and_go),
        DESIGN_TEST(items_go_and_their_names_are_free_again),
        DESIGN_TEST(removal_keeps_the_table_of_names_sound),
        DESIGN_TEST(instances_change_their_module_by_name),
        DESIGN_TEST(reads_of_removed_ports_do_not_matter),
        DESIGN_TEST(rewriting_puts_expressions_for_variables),
        DESIGN_TEST(clones_are_alike_and_apart),
        DESIGN_TEST(orders_of_the_hierarchy),
        DESIGN_TEST(content_comes_in_order),
        DESIGN_TEST(walks_survive_removal_and_replacement),
        DESIGN_TEST(depth_is_no_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
