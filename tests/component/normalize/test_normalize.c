/* nightly: 100 */
/* The arithmetic of exact-norm against others: the root against real numbers, codes against rational ones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "exec/normalize.h"
#include "support/memory/arena.h"

__extension__ typedef __int128 wide;

/* More by night. */
static int64_t effort(void) {
    const char *times = getenv("WEIR_RANDOM");
    return times == NULL ? 1 : atoi(times);
}

static uint64_t random_bits(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 24;
}

/* The largest relative error of P, of all 2^27.6 arguments or each `step`th of them and its ends. */
static double worst(const int64_t *root, double constant, int64_t step) {
    enum { LEAST = 1 << 26, MOST = 1 << 28 };
    double most = 0;
    for (int64_t high = LEAST; high < MOST; high += step) {
        const double p = (double)weir_normalize_root(root, high);
        for (int end = 0; end < 2; end++) {
            const double exact = constant / sqrt(ldexp((double)(high + end), -26));
            most = fmax(most, fabs(p / exact - 1));
        }
    }
    return most;
}

static void root_has_26_bits(void **state) {
    (void)state;
    static const double constants[] = {1, 1.9999999, 0.70710678, 3.3, 7e-9, 1e12};
    static int64_t root[WEIR_NORMALIZE_COLUMNS * WEIR_NORMALIZE_ROWS];
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        int exponent;
        weir_normalize_table(constants[i], &exponent, root);
        const double error = worst(root, ldexp(constants[i], exponent), effort() > 1 && i == 0 ? 1 : 97 + (int64_t)i);
        if (error >= ldexp(1, -WEIR_NORMALIZE_EXACT)) fail_msg("%g: wrong by 2^%.2f", constants[i], log2(error));
    }
    int exponent;
    weir_normalize_table(1, &exponent, root);
    root[100] += 16; /* planted */
    assert_true(worst(root, ldexp(1, exponent), 97) >= ldexp(1, -WEIR_NORMALIZE_EXACT));
}

enum { LENGTH = 64, UP = 37, DOWN = 256, FRACTION = 8 };

static bool is_rounded(wide twice, wide code, wide v) {
    const wide low = code > 0 ? (2 * code - 1) * DOWN : 0, high = (2 * code + 1) * DOWN;
    return low * low * v <= twice * twice && twice * twice <= high * high * v;
}

/* Codes of |x gain| UP / DOWN / sqrt(V 2^-FRACTION): how many of them are not the rational number, rounded. Each of
 * these is its neighbour. */
static int64_t count_wrong(int64_t rows, int64_t epsilon, int64_t coarseness) {
    static int64_t root[WEIR_NORMALIZE_COLUMNS * WEIR_NORMALIZE_ROWS];
    int exponent;
    weir_normalize_table((double)UP / DOWN, &exponent, root);
    for (int i = 0; i < WEIR_NORMALIZE_ROWS; i++) root[i] -= root[i] % coarseness;
    const int bits = weir_normalize_bits(WEIR_NORMALIZE_MEAN, LENGTH, -128, 127, FRACTION, epsilon);
    const weir_normalize n = {.mode = WEIR_NORMALIZE_MEAN,
                              .length = LENGTH,
                              .epsilon = epsilon,
                              .fraction = FRACTION,
                              .bits = bits,
                              .shift = bits / 2 + exponent - 1 - FRACTION / 2,
                              .point = 1,
                              .root = root};
    const weir_shape shape = {1, {LENGTH}};
    weir_array *x = weir_array_new(WEIR_INT64, &shape), *y = weir_array_new(WEIR_INT64, &shape),
               *gain = weir_array_new(WEIR_INT64, &shape), *offset = weir_array_new(WEIR_INT64, &(weir_shape){1, {1}});
    const weir_normalize_parameters p = {gain, offset, 1, INT32_MIN, INT32_MAX};
    uint64_t random = 1;
    int64_t wrong = 0;
    for (int64_t row = 0; row < rows; row++) {
        wide sum = 0, squares = 0;
        for (size_t i = 0; i < LENGTH; i++) {
            const int64_t code = (int64_t)(random_bits(&random) % 256) - 128;
            weir_array_set_int(x, i, code);
            weir_array_set_int(gain, i, (int64_t)(random_bits(&random) % 256) - 128);
            sum += code;
            squares += code * code;
        }
        weir_normalize_row(&n, &p, x, y, 0);
        const wide v = (LENGTH * squares - sum * sum) * (1 << FRACTION) + epsilon;
        for (size_t i = 0; i < LENGTH; i++) {
            const wide a = LENGTH * weir_array_get_int(x, i) - sum, product = a * weir_array_get_int(gain, i);
            const wide twice = 2 * (product < 0 ? -product : product) * UP * (1 << (FRACTION / 2));
            const wide code = product < 0 ? -weir_array_get_int(y, i) : weir_array_get_int(y, i);
            if (is_rounded(twice, code, v)) continue;
            assert_true(coarseness > 1 || is_rounded(twice, code + 1, v) || is_rounded(twice, code - 1, v));
            wrong++;
        }
    }
    weir_array_free(x);
    weir_array_free(y);
    weir_array_free(gain);
    weir_array_free(offset);
    return wrong;
}

/* At most one code in 10^6, printed. */
static void codes_are_the_rational_ones(void **state) {
    (void)state;
    const int64_t rows = 8000 * effort();
    const int64_t wrong = count_wrong(rows, 0, 1) + count_wrong(rows, 1000003, 1);
    printf("%lld of %lld codes are not the rational number, rounded\n", (long long)wrong,
           (long long)(2 * LENGTH * rows));
    assert_true(wrong <= 2 * LENGTH * rows / 1000000);
    assert_true(count_wrong(200, 0, 1 << 16) > 0); /* planted: 13 bits fewer */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(root_has_26_bits),
                                       cmocka_unit_test(codes_are_the_rational_ones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
