/* Elementary functions against the C library's, which is an independent implementation with errors below a unit in the
 * last place: distances in such units at random arguments, special cases exactly, and known values of 17 digits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "exec/elementary.h"
#include "exec/trigonometry.h"

enum { SEED = 20261122, SAMPLES = 50000 };

static uint64_t state = SEED;
static double uniform(double low, double high) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(state >> 11) * 0x1p-53);
}

/* Units in the last place between them; the same special case counts as none. */
static double distance(double found, double expected) {
    if (isnan(found) && isnan(expected)) return 0;
    if (found == expected) return signbit(found) == signbit(expected) ? 0 : HUGE_VAL;
    if (!isfinite(found) || !isfinite(expected)) return HUGE_VAL;
    return fabs(found - expected) / fabs(nextafter(expected, HUGE_VAL) - expected);
}

typedef struct function {
    const char *name;
    double (*ours)(double), (*theirs)(double);
    double low, high, allowed;
} function;

static const function functions[] = {
    {"exp", weir_elementary_exp, exp, -745, 709, 2},
    {"exp2", weir_elementary_exp2, exp2, -1070, 1023, 2},
    {"expm1", weir_elementary_expm1, expm1, -45, 700, 3},
    {"expm1", weir_elementary_expm1, expm1, -1, 1, 3},
    {"log", weir_elementary_log, log, 0, 10, 2},
    {"log", weir_elementary_log, log, 0, 1e300, 2},
    {"log10", weir_elementary_log10, log10, 0, 1e6, 4},
    {"log1p", weir_elementary_log1p, log1p, -1, 4, 3},
    {"tanh", weir_elementary_tanh, tanh, -25, 25, 5},
    {"erf", weir_elementary_erf, erf, -7, 7, 32},
    {"sinh", weir_elementary_sinh, sinh, -709, 709, 4},
    {"sinh", weir_elementary_sinh, sinh, -45, 45, 5},
    {"cosh", weir_elementary_cosh, cosh, -709, 709, 4},
    {"cosh", weir_elementary_cosh, cosh, -45, 45, 4},
    {"asinh", weir_elementary_asinh, asinh, -1e10, 1e10, 4},
    {"asinh", weir_elementary_asinh, asinh, -4, 4, 4},
    {"acosh", weir_elementary_acosh, acosh, 1, 1e10, 4},
    {"acosh", weir_elementary_acosh, acosh, 1, 2, 5},
    {"atanh", weir_elementary_atanh, atanh, -1, 1, 4},
    {"sin", weir_trigonometry_sin, sin, -40, 40, 3},
    {"sin", weir_trigonometry_sin, sin, -1e300, 1e300, 3},
    {"cos", weir_trigonometry_cos, cos, -40, 40, 3},
    {"cos", weir_trigonometry_cos, cos, -1e20, 1e20, 3},
    {"tan", weir_trigonometry_tan, tan, -40, 40, 4},
    {"tan", weir_trigonometry_tan, tan, -1e20, 1e20, 4},
    {"asin", weir_trigonometry_asin, asin, -1, 1, 5},
    {"acos", weir_trigonometry_acos, acos, -1, 1, 6},
    {"atan", weir_trigonometry_atan, atan, -40, 40, 5},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static void near_the_c_library(void **unused) {
    (void)unused;
    printf("  seed %d\n", SEED);
    for (size_t f = 0; f < FUNCTIONS; f++) {
        double worst = 0, at = 0;
        for (int i = 0; i < SAMPLES; i++) {
            double x = uniform(functions[f].low, functions[f].high);
            if (i % 3 == 0) x = ldexp(x, -(i % 60));
            const double far = distance(functions[f].ours(x), functions[f].theirs(x));
            if (far > worst) worst = far, at = x;
        }
        printf("  %-6s %4.0f units at %.17g\n", functions[f].name, worst, at);
        assert_true(worst <= functions[f].allowed);
    }
}

static const double special[] = {0,   -0.0, 1,    -1,   HUGE_VAL, -HUGE_VAL, NAN,   0.5, -0.5, 2,    -2,   3,    -3,
                                 0.3, -7.5, 1025, 1e20, -1e20,    1e-320,    1e308, 710, -750, 0.25, 1023, -1075};
enum { SPECIAL = sizeof special / sizeof *special };

static void special_cases_are_those_of_c(void **unused) {
    (void)unused;
    for (size_t f = 0; f < FUNCTIONS; f++)
        for (size_t i = 0; i < SPECIAL; i++)
            if (distance(functions[f].ours(special[i]), functions[f].theirs(special[i])) > functions[f].allowed)
                fail_msg("%s(%g) is %.17g", functions[f].name, special[i], functions[f].ours(special[i]));
    for (size_t i = 0; i < SPECIAL; i++)
        for (size_t k = 0; k < SPECIAL; k++) {
            const double found = weir_elementary_power(special[i], special[k]), expected = pow(special[i], special[k]);
            if (distance(found, expected) > 2000) fail_msg("%g ^ %g is %.17g", special[i], special[k], found);
        }
}

/* Squares, cubes and roots of float32 numbers are exact, or rounded once. */
static void powers_that_are_exact_stay_so(void **unused) {
    (void)unused;
    for (int i = 0; i < SAMPLES; i++) {
        const double x = (double)(float)uniform(-100, 100);
        assert_true(weir_elementary_power(x, 2) == x * x && weir_elementary_power(x, 1) == x);
        assert_true(weir_elementary_power(fabs(x), 0.5) == sqrt(fabs(x)));
        assert_true(distance(weir_elementary_power(fabs(x), 1.7), pow(fabs(x), 1.7)) < 16);
    }
    assert_true(weir_elementary_power(3, 5) == 243 && weir_elementary_power(-2, -3) == -0.125);
}

/* Abramowitz and Stegun, tables 4.2, 4.4, 7.1, and one more. */
static void known_values(void **unused) {
    (void)unused;
    assert_true(fabs(weir_elementary_exp(1) - 2.718281828459045) < 1e-15);
    assert_true(fabs(weir_elementary_log(2) - 0.693147180559945309) < 1e-16);
    assert_true(fabs(weir_elementary_erf(0.5) - 0.5204998778) < 1e-10);
    assert_true(fabs(weir_elementary_tanh(1) - 0.761594155955765) < 1e-15);
    /* the double next to a multiple of pi / 2 (Muller, Elementary Functions, section 11.2) */
    assert_true(distance(weir_trigonometry_cos(ldexp(6381956970095103, 797)), -4.68716592425462761112e-19) < 3);
    assert_false(distance(1 + 0x1p-52, 1) < 1); /* planted: the distance sees one unit */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(near_the_c_library),
                                       cmocka_unit_test(special_cases_are_those_of_c),
                                       cmocka_unit_test(powers_that_are_exact_stay_so), cmocka_unit_test(known_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
