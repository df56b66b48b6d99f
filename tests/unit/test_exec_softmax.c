/* nightly: 60 */
/* The integer softmax of codes between quantizers against the real one, in long double: how many codes differ, and how
 * near a tie these are. A fault planted in a table must be found. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "exec/softmax.h"
#include "support/memory/arena.h"

enum { CODES = 256, ROWS = 400 };

static uint64_t state = 1;

static uint64_t bits(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static double uniform(void) { return (double)(bits() >> 11) * 0x1p-53; }

/* Of codes that differ: how many of how many, the largest difference, the largest distance of a share to a tie. */
typedef struct found {
    int64_t codes, differ, most;
    long double farthest;
} found;

static void compare_row(const weir_softmax_integer *softmax, double scale, double step, const weir_array *x,
                        weir_array *y, found *to) {
    int64_t largest = INT64_MIN;
    long double sum = 0;
    weir_softmax_integer_row(softmax, x, y, 0, x->count);
    for (size_t i = 0; i < x->count; i++) {
        const int64_t code = weir_array_get_int(x, i);
        largest = code > largest ? code : largest;
    }
    for (size_t i = 0; i < x->count; i++)
        sum += expl(-(long double)(largest - weir_array_get_int(x, i)) * (long double)scale);
    for (size_t i = 0; i < x->count; i++) {
        const long double share =
            expl(-(long double)(largest - weir_array_get_int(x, i)) * (long double)scale) / sum / (long double)step;
        const int64_t exact = (int64_t)rintl(share), got = weir_array_get_int(y, i),
                      away = llabs(got - (exact < softmax->high ? exact : softmax->high));
        to->codes++;
        to->differ += away != 0;
        to->most = away > to->most ? away : to->most;
        const long double tie = fabsl(share - floorl(share) - 0.5L);
        if (away != 0 && tie > to->farthest) to->farthest = tie;
    }
}

/* Rows of so many codes, near each other and spread. */
static void compare(size_t length, double step, bool planted, found *to) {
    int64_t term[CODES], numerator[CODES];
    weir_array *x = weir_array_new(WEIR_INT64, &(weir_shape){1, {(int64_t)length}}), *y = weir_array_copy(x);
    const double scale = (float)exp(uniform() * 4 - 5);
    weir_softmax_tables(scale, step, term, numerator, CODES);
    if (planted) numerator[0] += numerator[0] / 1000;
    const weir_softmax_integer softmax = {term, numerator, CODES, CODES, 1, 0, INT64_MAX};
    for (int row = 0; row < ROWS; row++) {
        const double spread = uniform() * CODES;
        for (size_t i = 0; i < length; i++) weir_array_set_int(x, i, (int64_t)(uniform() * spread));
        compare_row(&softmax, scale, step, x, y, to);
    }
    for (size_t i = 0; i < length; i++) weir_array_set_int(x, i, 7); /* each has one part in `length`: a tie perhaps */
    compare_row(&softmax, scale, step, x, y, to);
    weir_array_free(x);
    weir_array_free(y);
}

static found compare_all(int rounds, bool planted) {
    static const size_t lengths[] = {2, 16, 64, 197, 512};
    static const double steps[] = {1.0 / 256, 1.0 / 255, 1.0 / 127, 1.0 / 32768, 0.5};
    found all = {0};
    for (int round = 0; round < rounds; round++)
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
            for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
                compare(lengths[l], (float)steps[s], planted, &all);
    return all;
}

static void near_the_real_softmax(void **unused) {
    (void)unused;
    const char *more = getenv("WEIR_RANDOM");
    const found all = compare_all(more == NULL ? 1 : atoi(more), false);
    printf("%lld codes, of which %lld differ from the real softmax rounded once; the farthest is %.3Lg from a tie\n",
           (long long)all.codes, (long long)all.differ, all.farthest);
    assert_true(all.most <= 1);
    assert_true((double)all.differ <= 1 + 1e-5 * (double)all.codes);
    assert_true(all.farthest < 0x1p-9L); /* of shares of up to 2^15 steps */
}

static void a_wrong_table_is_found(void **unused) {
    (void)unused;
    const found all = compare_all(1, true);
    assert_true((double)all.differ > 1 + 1e-5 * (double)all.codes);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(near_the_real_softmax),
                                       cmocka_unit_test(a_wrong_table_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
