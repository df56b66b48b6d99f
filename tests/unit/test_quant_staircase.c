/* Staircases: building, proving, the scaling search against brute force over every multiplier, and the float32
 * staircases of ONNX Runtime's requantization at every reachable accumulator. */
#include "test_passes_support.h"

#include <math.h>

#include "quant/arithmetic.h"
#include "quant/staircase.h"

enum { SPAN = 64 };

/* A monotone function given by its values. */
typedef struct table {
    int64_t low;
    int64_t value[SPAN];
} table;

static int64_t look_up(const void *user, int64_t x) {
    const table *t = user;
    return t->value[x - t->low];
}

static void look_up_all(const void *user, const int64_t *x, size_t count, int64_t *code) {
    for (size_t i = 0; i < count; i++) code[i] = look_up(user, x[i]);
}

static int64_t clip(int64_t v, int64_t low, int64_t high) { return v < low ? low : v > high ? high : v; }

/* Codes of [low, high] that rise at random places, or the rounding of a line with a disturbed point now and then. */
static void make_table(table *t, int64_t low, int64_t high) {
    t->low = random_int(-40, 10);
    double slope = (double)random_int(1, 400) / 128, offset = (double)random_int(-2000, 2000) / 128;
    bool line = random_int(0, 3) > 0;
    int64_t code = random_int(low, high);
    for (int64_t i = 0; i < SPAN; i++) {
        if (line) code = (int64_t)nearbyint(slope * (double)(t->low + i) + offset);
        else if (random_int(0, 4) == 0) code += random_int(0, 2);
        t->value[i] = clip(code, low, high);
    }
    if (!line || random_int(0, 1) == 0) return;
    int64_t at = random_int(1, SPAN - 1);
    t->value[at] = t->value[at - 1];
    for (int64_t i = at + 1; i < SPAN; i++)
        if (t->value[i] < t->value[i - 1]) t->value[i] = t->value[i - 1];
}

static int64_t evaluate(const weir_staircase *s, int64_t x) {
    int64_t code = s->base;
    for (size_t k = 0; k < s->count; k++) code += s->step[k] <= x;
    return code;
}

/* Of a random table with values from *low to *high. */
static weir_staircase random_staircase(table *t, int64_t *low, int64_t *high) {
    *low = random_int(-8, 0);
    *high = random_int(1, 8);
    make_table(t, *low, *high);
    weir_staircase s;
    assert_true(weir_staircase_build(&s, look_up_all, t, t->low, t->low + SPAN - 1, *low, *high));
    return s;
}

static void steps_describe_the_function(void **state) {
    (void)state;
    for (int round = 0; round < 500; round++) {
        table t;
        int64_t low, high;
        weir_staircase s = random_staircase(&t, &low, &high);
        for (int64_t x = t.low; x < t.low + SPAN; x++) assert_int_equal(evaluate(&s, x), look_up(&t, x));
        int64_t where;
        assert_true(weir_staircase_proves(&s, look_up_all, &t, &where));
        weir_staircase_free(&s);
    }
}

static void falling_functions_are_refused(void **state) {
    (void)state;
    table t = {.low = 0};
    for (int64_t i = 0; i < SPAN; i++) t.value[i] = SPAN - i;
    weir_staircase s = {.step = NULL};
    assert_false(weir_staircase_build(&s, look_up_all, &t, 0, SPAN - 1, 0, SPAN));
    weir_staircase_free(&s);
}

static void a_moved_step_is_refuted(void **state) {
    (void)state;
    int moved = 0;
    for (int round = 0; round < 500; round++) {
        table t;
        make_table(&t, -8, 8);
        weir_staircase s;
        assert_true(weir_staircase_build(&s, look_up_all, &t, t.low, t.low + SPAN - 1, -8, 8));
        size_t k = s.count == 0 ? 0 : (size_t)random_int(0, (int64_t)s.count - 1);
        int64_t to = s.count == 0 ? 0 : s.step[k] + (random_int(0, 1) == 0 ? -1 : 1);
        bool ascending = s.count > 0 && to > t.low && to < t.low + SPAN && (k == 0 || to >= s.step[k - 1]) &&
                         (k + 1 == s.count || to <= s.step[k + 1]);
        if (ascending) {
            s.step[k] = to;
            int64_t where;
            assert_false(weir_staircase_proves(&s, look_up_all, &t, &where));
            assert_int_not_equal(evaluate(&s, where), look_up(&t, where));
            moved++;
        }
        weir_staircase_free(&s);
    }
    assert_true(moved > 200);
}

/* Every input of a monotone candidate that differs somewhere: the proof must notice. */
static void wrong_candidates_are_refuted(void **state) {
    (void)state;
    for (int round = 0; round < 500; round++) {
        table t, other;
        make_table(&t, -8, 8);
        other = t;
        int64_t at = random_int(0, SPAN - 1), change = random_int(0, 1) == 0 ? -1 : 1;
        for (int64_t i = 0; i < SPAN; i++) {
            bool touched = change > 0 ? i >= at : i <= at;
            if (touched && (change > 0 ? other.value[i] <= other.value[at] : other.value[i] >= other.value[at]))
                other.value[i] = t.value[at] + change;
        }
        weir_staircase s;
        assert_true(weir_staircase_build(&s, look_up_all, &t, t.low, t.low + SPAN - 1, -8, 8));
        int64_t where;
        assert_false(weir_staircase_proves(&s, look_up_all, &other, &where));
        assert_int_not_equal(look_up(&other, where), look_up(&t, where));
        weir_staircase_free(&s);
    }
}

/* Is there an addition for the multiplier? Straight from the definition, at every input. */
static bool add_fits(const table *t, int64_t low, int64_t high, int64_t multiplier, int shift) {
    int64_t least = INT64_MIN / 2, most = INT64_MAX / 2, unit = (int64_t)1 << shift;
    for (int64_t x = t->low; x < t->low + SPAN; x++) {
        int64_t code = look_up(t, x);
        if (code > low && code * unit - x * multiplier > least) least = code * unit - x * multiplier;
        if (code < high && (code + 1) * unit - 1 - x * multiplier < most) most = (code + 1) * unit - 1 - x * multiplier;
    }
    return least <= most;
}

static bool any_multiplier_fits(const table *t, int64_t low, int64_t high, int shift) {
    int64_t end = (high - low + 2) << shift;
    for (int64_t multiplier = 0; multiplier <= end; multiplier++)
        if (add_fits(t, low, high, multiplier, shift)) return true;
    return false;
}

static void scaling_equals_brute_force(void **state) {
    (void)state;
    enum { SHIFTS = 9 };
    int found[SHIFTS + 1] = {0};
    for (int round = 0; round < 1500; round++) {
        table t;
        int64_t low, high;
        weir_staircase s = random_staircase(&t, &low, &high);
        int least = SHIFTS;
        weir_scaling scaling;
        for (int shift = SHIFTS - 1; shift >= 0; shift--) {
            bool fits = any_multiplier_fits(&t, low, high, shift);
            assert_int_equal(weir_staircase_scaling_at(&s, shift, &scaling), fits);
            if (!fits) continue;
            least = shift;
            for (int64_t x = t.low; x < t.low + SPAN; x++)
                assert_int_equal(weir_requantize_scale(x, scaling.multiplier, scaling.add, scaling.shift, low, high),
                                 look_up(&t, x));
        }
        assert_int_equal(weir_staircase_scaling(&s, SHIFTS - 1, &scaling), least < SHIFTS);
        if (least < SHIFTS) assert_int_equal(scaling.shift, least);
        found[least]++;
        weir_staircase_free(&s);
    }
    for (int i = 0; i < 6; i++) assert_true(found[i] > 0); /* easy ones, hard ones */
    assert_true(found[SHIFTS] > 0);                        /* and impossible ones */
}

typedef struct float_function {
    float multiplier;
    int64_t zero, low, high;
} float_function;

static void requantize(const void *user, const int64_t *x, size_t count, int64_t *code) {
    const float_function *f = user;
    weir_requantize_onnx_each(x, count, 0, f->multiplier, f->zero, f->low, f->high, code);
}

/* Rule 1 of the numerics, written out again. */
static int64_t rule_one(const float_function *f, int64_t x) {
    float product = (float)x * f->multiplier;
    double code = (double)nearbyintf(product) + (double)f->zero;
    return code < (double)f->low ? f->low : code > (double)f->high ? f->high : (int64_t)code;
}

static void float_staircases_hold_everywhere(void **state) {
    (void)state;
    int scaled = 0, ties = 0;
    for (int round = 0; round < 60; round++) {
        int bits = (int)random_int(8, 17), is_signed = (int)random_int(0, 1);
        int64_t reach = ((int64_t)1 << bits) - random_int(0, 100);
        float_function f = {.low = is_signed ? -128 : 0, .high = is_signed ? 127 : 255};
        f.zero = random_int(f.low, f.high);
        int64_t mantissa = random_int(0, 2) == 0 ? random_int(1, 64) : random_int(1 << 23, (1 << 24) - 1);
        f.multiplier = (float)ldexp((double)mantissa, (int)random_int(5, 9) - bits - (mantissa <= 64 ? 5 : 24));
        weir_staircase s;
        assert_true(weir_staircase_build(&s, requantize, &f, -reach, reach, f.low, f.high));
        weir_scaling scaling;
        bool fits = weir_staircase_scaling(&s, 46, &scaling);
        scaled += fits;
        int64_t code = s.base;
        for (int64_t x = -reach, k = 0; x <= reach; x++) {
            for (; k < (int64_t)s.count && s.step[k] <= x; k++) code++;
            assert_int_equal(code, rule_one(&f, x));
            double exact = (double)x * (double)f.multiplier;
            ties += exact - floor(exact) == 0.5;
            if (fits)
                assert_int_equal(
                    weir_requantize_scale(x, scaling.multiplier, scaling.add, scaling.shift, f.low, f.high), code);
        }
        weir_staircase_free(&s);
    }
    assert_true(scaled > 30);
    assert_true(ties > 100);
}

static void constants_need_no_multiplier(void **state) {
    (void)state;
    table t = {.low = -3};
    for (int64_t i = 0; i < SPAN; i++) t.value[i] = -5;
    weir_staircase s;
    assert_true(weir_staircase_build(&s, look_up_all, &t, -3, SPAN - 4, -8, 8));
    assert_int_equal(s.count, 0);
    weir_scaling scaling;
    assert_true(weir_staircase_scaling(&s, 20, &scaling));
    assert_int_equal(scaling.shift, 0);
    for (int64_t x = -3; x < 20; x++)
        assert_int_equal(weir_requantize_scale(x, scaling.multiplier, scaling.add, scaling.shift, -8, 8), -5);
    weir_staircase_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(steps_describe_the_function),  TEST(falling_functions_are_refused), TEST(a_moved_step_is_refuted),
        TEST(wrong_candidates_are_refuted), TEST(scaling_equals_brute_force),    TEST(float_staircases_hold_everywhere),
        TEST(constants_need_no_multiplier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
