/* Formulas of parameters: which of them agree, what they are by default, and modules built with them through rtl.h. */
#include "test_rtlir_support.h"

#include "rtlir/core/formula.h"
#include "rtlir/edit/rewrite.h"
#include "rtlir/edit/snapshot.h"
#include "rtlir/edit/specialize.h"
#include "rtlir/text/text.h"
#include "rtlir/verify/verify.h"

/* The call fails and says so. */
#define assert_error(design, call, text)                                                                               \
    do {                                                                                                               \
        const size_t before = weir_rtl_errors(design);                                                                 \
        messages.size = 0;                                                                                             \
        assert_int_equal((call).id, 0);                                                                                \
        assert_int_equal(weir_rtl_errors(design), before + 1);                                                         \
        assert_non_null(strstr(messages.data, text));                                                                  \
    } while (0)

typedef struct example {
    weir_rtl_design *d;
    weir_rtl_module m;
    weir_rtl_formula a, b;
} example;

static weir_rtl_formula parameter(weir_rtl_design *d, weir_rtl_module m, const char *name, int64_t value) {
    return weir_rtl_formula_of(d, weir_rtl_add_parameter(d, m, name, value));
}

static example make(weir_rtl_design *d) {
    example e = {.d = d, .m = weir_rtl_add_module(d, "m")};
    e.a = parameter(d, e.m, "A", 6);
    e.b = parameter(d, e.m, "B", 2);
    return e;
}

static weir_rtl_formula number(const example *e, int64_t value) { return weir_rtl_formula_number(e->d, value); }
static weir_rtl_formula add(const example *e, weir_rtl_formula x, weir_rtl_formula y) {
    return weir_rtl_formula_apply(e->d, WEIR_RTL_ADD, x, y);
}
static weir_rtl_formula subtract(const example *e, weir_rtl_formula x, weir_rtl_formula y) {
    return weir_rtl_formula_apply(e->d, WEIR_RTL_SUBTRACT, x, y);
}
static weir_rtl_formula times(const example *e, weir_rtl_formula x, weir_rtl_formula y) {
    return weir_rtl_formula_apply(e->d, WEIR_RTL_MULTIPLY, x, y);
}

static void assert_same(const example *e, weir_rtl_formula x, weir_rtl_formula y) {
    assert_true(x.id != 0 && y.id != 0);
    assert_true(weir_rtl_same_formula(e->d, x, y));
}

static void polynomials_agree_in_any_form(void **state) {
    const example e = make(*state);
    const weir_rtl_formula one = number(&e, 1), two = number(&e, 2);
    assert_same(&e, subtract(&e, add(&e, e.a, one), one), e.a);
    assert_same(&e, times(&e, two, e.a), add(&e, e.a, e.a));
    assert_same(&e, weir_rtl_formula_apply(e.d, WEIR_RTL_SHIFT_LEFT, e.a, two), times(&e, number(&e, 4), e.a));
    /* (A + B) (A - B) = A A - B B */
    assert_same(&e, times(&e, add(&e, e.a, e.b), subtract(&e, e.a, e.b)),
                subtract(&e, times(&e, e.a, e.a), times(&e, e.b, e.b)));
    assert_same(&e, times(&e, e.a, e.b), times(&e, e.b, e.a));
    assert_same(&e, subtract(&e, e.a, e.a), number(&e, 0));
    /* What is no polynomial agrees when its operands do. */
    assert_same(&e, weir_rtl_formula_clog2(e.d, add(&e, e.a, e.b)), weir_rtl_formula_clog2(e.d, add(&e, e.b, e.a)));
    assert_same(&e, weir_rtl_formula_apply(e.d, WEIR_RTL_DIVIDE, add(&e, e.a, e.a), two),
                weir_rtl_formula_apply(e.d, WEIR_RTL_DIVIDE, times(&e, two, e.a), two));
}

static void formulas_that_differ_somewhere_do_not_agree(void **state) {
    const example e = make(*state);
    const weir_rtl_formula two = number(&e, 2);
    assert_false(weir_rtl_same_formula(e.d, e.a, e.b));
    assert_false(weir_rtl_same_formula(e.d, e.a, number(&e, 6))); /* which it is by default */
    assert_false(weir_rtl_same_formula(e.d, times(&e, e.a, e.b), add(&e, times(&e, e.a, e.b), number(&e, 1))));
    /* A / 2 * 2 loses a bit. */
    const weir_rtl_formula half = weir_rtl_formula_apply(e.d, WEIR_RTL_DIVIDE, e.a, two);
    assert_false(weir_rtl_same_formula(e.d, times(&e, half, two), e.a));
    assert_false(weir_rtl_same_formula(e.d, weir_rtl_formula_apply(e.d, WEIR_RTL_DIVIDE, e.a, e.b),
                                       weir_rtl_formula_apply(e.d, WEIR_RTL_DIVIDE, e.b, e.a)));
}

static void local_parameters_stand_for_their_formulas(void **state) {
    const example e = make(*state);
    const weir_rtl_parameter bits =
        weir_rtl_add_local_formula(e.d, e.m, "BITS", weir_rtl_formula_clog2(e.d, times(&e, e.a, e.b)));
    const weir_rtl_parameter more =
        weir_rtl_add_local_formula(e.d, e.m, "MORE", add(&e, weir_rtl_formula_of(e.d, bits), number(&e, 1)));
    const weir_rtl_formula written = add(&e, weir_rtl_formula_clog2(e.d, times(&e, e.b, e.a)), number(&e, 1));
    assert_same(&e, weir_rtl_formula_of(e.d, more), written);
    int64_t value;
    assert_true(weir_rtl_formula_value(e.d, written, &value));
    assert_int_equal(value, 5); /* clog2(12) + 1 */
}

/* Verilog computes with 32 bits; what has no such value has none here. */
static void values_are_those_of_verilog(void **state) {
    const example e = make(*state);
    int64_t value;
    assert_true(weir_rtl_formula_value(e.d, subtract(&e, e.b, e.a), &value));
    assert_int_equal(value, -4);
    const weir_rtl_formula half =
        weir_rtl_formula_apply(e.d, WEIR_RTL_DIVIDE, subtract(&e, number(&e, -5), subtract(&e, e.a, e.a)), e.b);
    assert_true(weir_rtl_formula_value(e.d, half, &value));
    assert_int_equal(value, -2); /* towards zero */
    assert_false(weir_rtl_formula_value(e.d, times(&e, e.a, number(&e, 1 << 30)), &value));
    assert_false(weir_rtl_formula_value(
        e.d, weir_rtl_formula_apply(e.d, WEIR_RTL_DIVIDE, e.a, subtract(&e, e.b, number(&e, 2))), &value));
    assert_false(weir_rtl_formula_value(
        e.d, weir_rtl_formula_apply(e.d, WEIR_RTL_SHIFT_RIGHT, subtract(&e, e.b, e.a), number(&e, 1)), &value));
    assert_false(weir_rtl_formula_value(e.d, weir_rtl_formula_clog2(e.d, subtract(&e, e.b, e.a)), &value));
}

/* accumulate #(W = 8 from 2 to 32, N = 3): sums of N numbers of W bits. */
static weir_rtl_module build(weir_rtl_design *d) {
    const weir_rtl_module m = weir_rtl_add_module(d, "accumulate");
    const weir_rtl_formula w = weir_rtl_formula_of(d, weir_rtl_add_parameter_between(d, m, "W", 8, 2, 32));
    const weir_rtl_formula n = parameter(d, m, "N", 3), one = weir_rtl_formula_number(d, 1);
    const weir_rtl_formula zero = weir_rtl_formula_number(d, 0);
    const weir_rtl_var x = weir_rtl_add_typed(
        d, m, "x", weir_rtl_array_by(d, n, (weir_rtl_shape){.width = 8, .formula = w}), WEIR_RTL_INPUT);
    const weir_rtl_expr y = weir_rtl_read(d, weir_rtl_add_var_by(d, m, "y", w, WEIR_RTL_OUTPUT, false));
    const weir_rtl_expr top = weir_rtl_read(d, weir_rtl_add_output(d, m, "top", 1));
    const weir_rtl_var i = weir_rtl_add_iterator(d, m, "i");
    const weir_rtl_block body = weir_rtl_add_combinational(d, m);
    weir_rtl_set(d, body, y, weir_rtl_constant_by(d, w, 1));
    const weir_rtl_block loop = weir_rtl_add_for_by(d, body, i, zero, n, one);
    weir_rtl_set(d, loop, y,
                 weir_rtl_binary(d, WEIR_RTL_ADD, y, weir_rtl_element(d, weir_rtl_read(d, x), weir_rtl_read(d, i))));
    const weir_rtl_formula last = weir_rtl_formula_apply(d, WEIR_RTL_SUBTRACT, w, one);
    weir_rtl_assign(d, m, top, weir_rtl_slice_by(d, y, last, last));
    return m;
}

static void modules_are_built_with_formulas(void **state) {
    weir_rtl_design *d = *state;
    const weir_rtl_module m = build(d);
    assert_int_equal(weir_rtl_errors(d), 0);
    assert_true(weir_rtl_is_parametrised(d, m));
    assert_int_equal(weir_rtl_find_parametrised(d, m).id, m.id);
    assert_int_equal(weir_rtl_get_var(d, weir_rtl_find_var(d, m, "x")).width, 24);
    assert_true(weir_rtl_verify(d, m));
    weir_text text = {0};
    weir_rtl_print_verilog(d, m, &text);
    assert_non_null(strstr(text.data, "input  wire [W*N-1:0] x"));
    assert_non_null(strstr(text.data, "y = {{(W-1){1'b0}}, 1'b1};"));
    assert_non_null(strstr(text.data, "for (i = 0; i < N; i = i + 1)"));
    assert_non_null(strstr(text.data, "assign top = y[W-1];"));
    assert_non_null(strstr(text.data, "accumulate_W_must_be_2_to_32"));
    text.size = 0;
    weir_rtl_print_text(d, &text);
    weir_rtl_design *again = weir_rtl_parse_text(text.data, text.size, "again");
    weir_text back = {0};
    weir_rtl_print_text(again, &back);
    assert_string_equal(text.data, back.data);
    weir_text_free(&back);
    weir_text_free(&text);
    weir_rtl_design_free(again);
}

static void a_clone_has_formulas_of_its_own_parameters(void **state) {
    weir_rtl_design *d = *state;
    const weir_rtl_module m = build(d), clone = weir_rtl_clone_module(d, m);
    assert_int_not_equal(clone.id, 0);
    const weir_rtl_formula width = weir_rtl_get_var(d, weir_rtl_find_var(d, clone, "y")).formula;
    assert_true(weir_rtl_same_formula(d, width, weir_rtl_formula_of(d, weir_rtl_find_parameter(d, clone, "W"))));
    assert_false(weir_rtl_same_formula(d, width, weir_rtl_formula_of(d, weir_rtl_find_parameter(d, m, "W"))));
}

static void modules_are_made_for_values(void **state) {
    weir_rtl_design *d = *state;
    const weir_rtl_module m = build(d), top = weir_rtl_add_module(d, "top");
    const weir_rtl_expr x = weir_rtl_read(d, weir_rtl_add_input(d, top, "x", 20));
    const weir_rtl_expr y = weir_rtl_read(d, weir_rtl_add_output(d, top, "y", 5));
    const weir_rtl_instance u = weir_rtl_add_instance(d, top, m, "u");
    weir_rtl_set_parameter(d, u, "W", 5);
    weir_rtl_set_parameter(d, u, "N", 4);
    weir_rtl_connect(d, u, "x", x);
    weir_rtl_connect(d, u, "y", y);
    weir_rtl_leave_open(d, u, "top");
    weir_rtl_design *copy = weir_rtl_snapshot(d);
    assert_int_equal(weir_rtl_specialize(copy, top).id, top.id);
    const weir_rtl_module made = weir_rtl_find_module(copy, "accumulate_W_5_N_4");
    assert_int_not_equal(made.id, 0);
    assert_int_equal(weir_rtl_get_var(copy, weir_rtl_find_var(copy, made, "x")).width, 20);
    assert_int_equal(weir_rtl_get_module(copy, made).parameter_count, 0);
    assert_int_equal(weir_rtl_find_module(copy, "accumulate").id, 0);
    assert_int_equal(weir_rtl_find_parametrised(copy, top).id, 0);
    assert_true(weir_rtl_verify(copy, top));
    weir_rtl_design_free(copy);
    /* The original is what it was. */
    assert_int_equal(weir_rtl_find_module(d, "accumulate_W_5_N_4").id, 0);
    assert_int_equal(weir_rtl_find_module(d, "accumulate").id, m.id);
    assert_true(weir_rtl_verify(d, top));
}

static void formulas_of_other_modules_are_errors(void **state) {
    weir_rtl_design *d = *state;
    const example e = make(d);
    const weir_rtl_module other = weir_rtl_add_module(d, "other");
    assert_error(d, weir_rtl_add_var_by(d, other, "x", e.a, WEIR_RTL_INPUT, false),
                 "the width of 'x' in module 'other' depends on parameters of module 'm'");
    const weir_rtl_formula own = parameter(d, other, "P", 3);
    assert_error(d, add(&e, e.a, own), "a formula has parameters of the modules 'm' and 'other'");
    assert_error(d, weir_rtl_add_parameter_between(d, other, "Q", 1, 2, 3),
                 "parameter 'Q' is 1 by default, expected 2 to 3");
    assert_error(d, weir_rtl_constant_by(d, own, 8), "constant 8 does not fit in 3 unsigned bits");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DESIGN_TEST(polynomials_agree_in_any_form),
        DESIGN_TEST(formulas_that_differ_somewhere_do_not_agree),
        DESIGN_TEST(local_parameters_stand_for_their_formulas),
        DESIGN_TEST(values_are_those_of_verilog),
        DESIGN_TEST(modules_are_built_with_formulas),
        DESIGN_TEST(a_clone_has_formulas_of_its_own_parameters),
        DESIGN_TEST(modules_are_made_for_values),
        DESIGN_TEST(formulas_of_other_modules_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
