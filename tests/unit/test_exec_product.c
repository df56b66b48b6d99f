/* Products of real matrices: the order that exec/product.h defines, written here once more as plain loops, must be what
 * every instruction set gives, bit for bit; and both must be near the product in long double. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/product.h"
#include "support/memory/arena.h"

enum { SEED = 20261122, CASES = 400 };

typedef struct matrices {
    float *a, *b, *y, *expected, *found;
    size_t y_count;
} matrices;

static uint64_t state;
static uint64_t next(uint64_t limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % limit;
}
static float number(void) { return ldexpf((float)next(1u << 24) - 8388608.0f, -(int)next(30)); }

static float *numbers(size_t count) {
    float *array = weir_calloc(count + 1, sizeof *array);
    for (size_t i = 0; i < count; i++) array[i] = number();
    return array;
}

/* The definition; `wide` is the same sum without rounding. */
static float defined(const weir_product_call *call, const matrices *m, size_t r, size_t c, float before, double *wide,
                     double *size) {
    volatile float s[8] = {0}; /* each product and each sum is a float32 */
    long double sum = 0;
    *size = 0;
    for (size_t k = 0; k < call->inner; k++) {
        const float a = m->a[call->transpose_a ? k * call->rows + r : r * call->inner + k];
        const float b = m->b[call->transpose_b ? c * call->inner + k : k * call->columns + c];
        volatile float product = a * b;
        s[k % 8] += product;
        sum += (long double)a * b;
        *size += fabs((double)a * b);
    }
    volatile float low = s[0] + s[4], high = s[1] + s[5];
    low += s[2] + s[6];
    high += s[3] + s[7];
    volatile float y = low + high;
    if ((float)call->alpha != 1) y *= (float)call->alpha;
    volatile float scaled = (float)call->beta * before;
    if (call->beta != 0) y += scaled;
    *wide = (double)(sum * (float)call->alpha) + (double)(float)call->beta * before;
    *size = *size * fabs(call->alpha) + fabs(call->beta * before);
    return y;
}

static weir_product_call random_call(void) {
    static const double factors[] = {1, 1, 0.5, -1.7, 3};
    weir_product_call call = {.transpose_a = next(4) == 0,
                              .transpose_b = next(2) == 0,
                              .rows = next(3) == 0 ? 1 : next(14),
                              .inner = next(70),
                              .columns = next(70),
                              .alpha = factors[next(5)],
                              .beta = next(2) == 0 ? 0 : factors[next(5)]};
    if (next(3) == 0) call.pitch = call.columns + next(5);
    return call;
}

static size_t compare(weir_instructions level, size_t *far) {
    size_t differ = 0;
    state = SEED;
    for (int i = 0; i < CASES; i++) {
        const weir_product_call call = random_call();
        const size_t pitch = call.pitch == 0 ? call.columns : call.pitch, count = call.rows * pitch;
        matrices m = {
            .a = numbers(call.rows * call.inner), .b = numbers(call.inner * call.columns), .y = numbers(count)};
        m.found = weir_calloc(count + 1, sizeof *m.found);
        memcpy(m.found, m.y, count * sizeof *m.y);
        weir_product_float32(&call, m.a, m.b, m.found, level);
        for (size_t at = 0; at < count; at++) {
            const size_t r = at / pitch, c = at % pitch;
            double wide = m.y[at], size = 0;
            const float expected = c < call.columns ? defined(&call, &m, r, c, m.y[at], &wide, &size) : m.y[at];
            differ += memcmp(&expected, &m.found[at], sizeof expected) != 0;
            *far += fabs(m.found[at] - wide) > size * 0x1p-24 * (double)(call.inner / 8 + 8);
        }
        free(m.a);
        free(m.b);
        free(m.y);
        free(m.found);
    }
    return differ;
}

static void every_instruction_set_gives_the_defined_bits(void **unused) {
    (void)unused;
    size_t far = 0;
    printf("  seed %d, %d products, best level %d\n", SEED, CASES, (int)weir_instructions_best());
    for (int level = 0; level <= (int)weir_instructions_best(); level++) {
        assert_int_equal(compare((weir_instructions)level, &far), 0);
        assert_int_equal(far, 0);
    }
}

/* The comparison must see another order: sums from the other end differ somewhere. */
static void planted_order_is_seen(void **unused) {
    (void)unused;
    size_t differ = 0;
    state = SEED;
    for (int i = 0; i < 50; i++) {
        weir_product_call call = {.rows = 1, .inner = 40, .columns = 1, .alpha = 1};
        matrices m = {.a = numbers(40), .b = numbers(40)};
        float found = 0, reversed = 0;
        weir_product_float32(&call, m.a, m.b, &found, weir_instructions_best());
        for (size_t k = 40; k-- > 0;) reversed += m.a[k] * m.b[k];
        differ += memcmp(&found, &reversed, sizeof found) != 0;
        free(m.a);
        free(m.b);
    }
    assert_true(differ > 10);
}

/* Products of codes: their sums are exact, the largest that the kernel forms too. False: one differs. */
static bool codes_are_right(size_t rows, size_t inner, size_t columns, int limit, weir_instructions level,
                            int planted) {
    int16_t *x = weir_calloc(rows * inner + 1, sizeof *x), *w = weir_calloc(inner * columns + 1, sizeof *w);
    int32_t *sum = weir_calloc(rows * columns + 1, sizeof *sum);
    for (size_t k = 0; k < rows * inner; k++)
        x[k] = (int16_t)(limit == 0 ? 255 : (int)next(2 * (uint64_t)limit + 1) - limit);
    for (size_t k = 0; k < inner * columns; k++)
        w[k] = (int16_t)(limit == 0 ? -255 : (int)next(2 * (uint64_t)limit + 1) - limit);
    int16_t *arranged = weir_malloc((inner * columns + 1) * sizeof *w);
    memcpy(arranged, w, inner * columns * sizeof *w);
    weir_product_arrange(arranged, columns, inner, level);
    weir_product_codes(x, rows, arranged, columns, inner, sum, level);
    bool right = true;
    for (size_t i = 0; i < rows * columns; i++) {
        int64_t expected = i == 0 ? planted : 0;
        for (size_t k = 0; k < inner; k++) expected += (int64_t)x[i / columns * inner + k] * w[i % columns * inner + k];
        right &= sum[i] == expected;
    }
    free(x);
    free(w);
    free(arranged);
    free(sum);
    return right;
}

/* Sums over taps that lie anywhere, channel by channel; the largest products too. */
static bool taps_are_right(size_t taps, size_t channels, bool is_signed, weir_instructions level, int planted) {
    uint8_t *x = weir_calloc((taps + 1) * channels + 1, 1);
    int16_t *w = weir_calloc(taps * channels + 1, sizeof *w);
    const uint8_t **seen = weir_calloc(taps + 1, sizeof *seen);
    int32_t *sum = weir_calloc(channels + 1, sizeof *sum);
    const bool is_extreme = next(4) == 0;
    for (size_t i = 0; i < (taps + 1) * channels; i++) x[i] = (uint8_t)(is_extreme ? is_signed ? 128 : 255 : next(256));
    for (size_t i = 0; i < taps * channels; i++) w[i] = (int16_t)(is_extreme ? -255 : (int)next(511) - 255);
    for (size_t k = 0; k < taps; k++) seen[k] = x + next(taps + 1) * channels;
    weir_product_taps(seen, is_signed, taps, w, channels, sum, level);
    bool right = true;
    for (size_t c = 0; c < channels; c++) {
        int64_t expected = c == 0 ? planted : 0;
        for (size_t k = 0; k < taps; k++)
            expected += (int64_t)(is_signed && seen[k][c] > 127 ? seen[k][c] - 256 : seen[k][c]) * w[k * channels + c];
        right &= sum[c] == expected;
    }
    free(x);
    free(w);
    free(seen);
    free(sum);
    return right;
}

/* The same of rows that lie `step` apart, each with its own weights. */
static bool lines_are_right(size_t rows, size_t step, weir_instructions level, int planted) {
    const size_t inner = (step + WEIR_PRODUCT_STEP - 1) / WEIR_PRODUCT_STEP * WEIR_PRODUCT_STEP;
    int16_t *x = weir_calloc(rows * step + inner, sizeof *x), *w = weir_calloc(rows * inner + 1, sizeof *w);
    int32_t *sum = weir_calloc(rows + 1, sizeof *sum);
    for (size_t k = 0; k < rows * step + inner; k++) x[k] = (int16_t)((int)next(511) - 255);
    for (size_t k = 0; k < rows * inner; k++) w[k] = (int16_t)(k % inner < step ? (int)next(511) - 255 : 0);
    weir_product_lines(x, step, w, inner, rows, sum, level);
    bool right = true;
    for (size_t r = 0; r < rows; r++) {
        int64_t expected = r == 0 ? planted : 0;
        for (size_t k = 0; k < step; k++) expected += (int64_t)x[r * step + k] * w[r * inner + k];
        right &= sum[r] == expected;
    }
    free(x);
    free(w);
    free(sum);
    return right;
}

static void products_of_codes_are_exact(void **unused) {
    (void)unused;
    state = SEED;
    for (int level = 0; level <= (int)weir_instructions_best(); level++) {
        for (size_t inner = 0; inner <= 160; inner += WEIR_PRODUCT_STEP)
            for (size_t columns = 0; columns < 70; columns += columns < 12 ? 1 : 9)
                assert_true(codes_are_right(next(15), inner, columns, 1 + (int)next(255), (weir_instructions)level, 0));
        assert_true(codes_are_right(3, 33024, 21, 0, (weir_instructions)level, 0));
        assert_false(codes_are_right(1, 48, 3, 255, (weir_instructions)level, 1));
        for (size_t rows = 0; rows < 11; rows++)
            for (size_t step = 1; step < 40; step++)
                assert_true(lines_are_right(rows, step, (weir_instructions)level, 0));
        assert_false(lines_are_right(3, 9, (weir_instructions)level, 1));
        for (size_t taps = 0; taps < 12; taps++)
            for (size_t channels = 1; channels < 70; channels++)
                assert_true(taps_are_right(taps, channels, channels % 2 == 0, (weir_instructions)level, 0));
        assert_false(taps_are_right(9, 64, true, (weir_instructions)level, 1));
    }
}

/* float64: whole numbers, so that every order gives the same; transposes and factors as above. */
static void float64_products_of_whole_numbers_are_exact(void **unused) {
    (void)unused;
    state = SEED;
    for (int i = 0; i < 100; i++) {
        weir_product_call call = random_call();
        call.alpha = 2;
        call.beta = next(2) == 0 ? 0 : 1;
        double a[14 * 70], b[70 * 70], y[14 * 75];
        for (size_t k = 0; k < 14 * 70; k++) a[k] = (double)next(1000) - 500;
        for (size_t k = 0; k < 70 * 70; k++) b[k] = (double)next(1000) - 500;
        for (size_t k = 0; k < 14 * 75; k++) y[k] = 7;
        weir_product_float64(&call, a, b, y);
        const size_t pitch = call.pitch == 0 ? call.columns : call.pitch;
        for (size_t at = 0; at < call.rows * pitch; at++) {
            const size_t r = at / pitch, c = at % pitch;
            double sum = call.beta == 0 ? 0 : 7;
            for (size_t k = 0; k < call.inner; k++)
                sum += 2 * a[call.transpose_a ? k * call.rows + r : r * call.inner + k] *
                       b[call.transpose_b ? c * call.inner + k : k * call.columns + c];
            assert_true(y[at] == (c < call.columns ? sum : 7));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_set_gives_the_defined_bits), cmocka_unit_test(planted_order_is_seen),
        cmocka_unit_test(products_of_codes_are_exact), cmocka_unit_test(float64_products_of_whole_numbers_are_exact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
