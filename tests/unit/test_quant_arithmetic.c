/* The scalar contracts against a second formulation of each: float contracts against integer arithmetic on the float's
 * significand (or the other way round), integer contracts against their definition as inequalities, ties by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "quant/arithmetic.h"

__extension__ typedef __int128 wide;

static uint64_t seed = 0x9e3779b97f4a7c15u;

/* xorshift64*: the same sequence everywhere. */
static uint64_t random_bits(void) {
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return seed * 0x2545f4914f6cdd1du;
}

/* Uniform in [low, high]. */
static int64_t random_int(int64_t low, int64_t high) {
    return low + (int64_t)(random_bits() % ((uint64_t)(high - low) + 1));
}

/* A float32 in [2^-e, 1) with a random significand. */
static float random_scale(int e) {
    const float fraction = (float)random_int(1 << 23, (1 << 24) - 1) / (float)(1 << 24);
    return ldexpf(fraction, -(int)random_int(0, e - 1));
}

static int64_t clip(wide v, int64_t low, int64_t high) { return v < low ? low : v > high ? high : (int64_t)v; }

/* The integer nearest to v / 2^shift, ties to even, by trial of both neighbours. */
static wide nearest_even(wide v, int shift) {
    const wide unit = (wide)1 << shift;
    wide down = v / unit;
    if (down * unit > v) down--;
    const wide below = v - down * unit, above = unit - below;
    if (below != above) return below < above ? down : down + 1;
    return down % 2 == 0 ? down : down + 1;
}

/* significand * 2^-shift == value, significand below 2^24. */
static void split(float value, int64_t *significand, int *shift) {
    int exponent;
    *significand = (int64_t)ldexp((double)frexpf(value, &exponent), 24);
    *shift = 24 - exponent;
}

/* float32(v / 2^shift) as multiple of 2^-shift: 24 bits kept, ties to even. */
static wide to_24_bits(wide v) {
    const wide magnitude = v < 0 ? -v : v;
    int excess = 0;
    while (magnitude >> excess >= (wide)1 << 24) excess++;
    const wide kept = nearest_even(magnitude, excess) << excess;
    return v < 0 ? -kept : kept;
}

static void requantize_onnx_is_exact_arithmetic_with_two_roundings(void **state) {
    (void)state;
    for (int i = 0; i < 1000000; i++) {
        const float m = random_scale(20);
        const int64_t x = random_int(-(1 << 24), 1 << 24), zero = random_int(-128, 127);
        int64_t significand;
        int shift;
        split(m, &significand, &shift);
        const wide expected = nearest_even(to_24_bits((wide)x * significand), shift) + zero;
        assert_int_equal(weir_requantize_onnx(x, m, zero, -128, 127), clip(expected, -128, 127));
        assert_int_equal(weir_requantize_onnx(x, m, zero, -(1 << 30), 1 << 30), clip(expected, -(1 << 30), 1 << 30));
    }
}

static void requantize_onnx_breaks_ties_to_even(void **state) {
    (void)state;
    const int64_t expected[] = {-2, -2, -2, -1, 0, 0, 0, 1, 2, 2, 2};
    for (int64_t x = -5; x <= 5; x++) assert_int_equal(weir_requantize_onnx(x, 0.5f, 0, -128, 127), expected[x + 5]);
    assert_int_equal(weir_requantize_onnx(5, 0.5f, 3, -128, 127), 5);
    /* 16777217 is not a float32: it becomes 16777216 before the product. */
    assert_int_equal(weir_requantize_onnx(16777217, 1, 0, 0, INT32_MAX), 16777216);
    /* 25 * 0.1f rounds to the tie 2.5 and goes down to 2, where exact arithmetic goes up. */
    assert_int_equal(weir_requantize_onnx(25, 0.1f, 0, -128, 127), 2);
    assert_true(25.0 * (double)0.1f > 2.5);
}

static void requantize_onnx_saturates_whatever_comes(void **state) {
    (void)state;
    assert_int_equal(weir_requantize_onnx(INT64_MAX, 1e30f, 0, -128, 127), 127);
    assert_int_equal(weir_requantize_onnx(INT64_MIN, 1e30f, 0, -128, 127), -128);
    assert_int_equal(weir_requantize_onnx(INT64_MAX, INFINITY, 0, 0, 255), 255);
    assert_int_equal(weir_requantize_onnx(0, INFINITY, 7, 0, 255), 0);
}

/* QuantizeLinear: float32(x / scale) for x = a / 2^10 and scale = b / 2^20, rational arithmetic by long division. */
static void encode_onnx_is_a_rounded_quotient(void **state) {
    (void)state;
    for (int i = 0; i < 1000000; i++) {
        const int64_t a = random_int(-(1 << 20), 1 << 20), b = random_int(1, 1 << 20);
        const float x = (float)a / 1024, scale = (float)b / (1 << 20);
        /* x / scale = a * 2^10 / b; 2^40 times that keeps a sticky remainder in bit 0. */
        const wide numerator = ((wide)(a < 0 ? -a : a)) << 50;
        wide quotient = numerator / b * 2;
        if (numerator % b != 0) quotient |= 1;
        const wide magnitude = nearest_even(to_24_bits(quotient), 41);
        const int64_t zero = random_int(0, 255);
        const wide expected = (a < 0 ? -magnitude : magnitude) + zero;
        assert_int_equal(weir_encode_onnx(x, scale, zero, 0, 255), clip(expected, 0, 255));
        assert_int_equal(weir_encode_onnx(x, scale, zero, -(1LL << 40), 1LL << 40), (int64_t)expected);
    }
}

static void encode_onnx_handles_ties_and_special_numbers(void **state) {
    (void)state;
    const float x[] = {-2.5f, -1.5f, -0.5f, 0.5f, 1.5f, 2.5f, 254.5f, 255.5f};
    const int64_t expected[] = {-2, -2, 0, 0, 2, 2, 254, 256};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        assert_int_equal(weir_encode_onnx(x[i], 1, 0, -1000, 1000), expected[i]);
    assert_int_equal(weir_encode_onnx(INFINITY, 1, 0, -128, 127), 127);
    assert_int_equal(weir_encode_onnx(-INFINITY, 1, 0, -128, 127), -128);
    assert_int_equal(weir_encode_onnx(NAN, 1, 0, -128, 127), -128);
    assert_int_equal(weir_encode_onnx(3e38f, 1e-3f, 128, 0, 255), 255);
}

/* What each mode means, as a choice between the two neighbours of n / d (d > 0). */
static int64_t rounded(int64_t n, int64_t d, weir_rounding mode) {
    int64_t floor = n / d;
    if (floor * d > n) floor--;
    const int64_t below = n - floor * d, above = d - below;
    if (below == 0) return floor;
    const int64_t ceil = floor + 1, to_zero = n < 0 ? ceil : floor, from_zero = n < 0 ? floor : ceil;
    const int64_t near = below < above ? floor : ceil;
    switch (mode) {
    case WEIR_ROUND_FLOOR: return floor;
    case WEIR_ROUND_CEIL: return ceil;
    case WEIR_ROUND_TRUNCATE: return to_zero;
    case WEIR_ROUND_AWAY: return from_zero;
    case WEIR_ROUND_HALF_UP: return below == above ? ceil : near;
    case WEIR_ROUND_HALF_DOWN: return below == above ? floor : near;
    case WEIR_ROUND_HALF_AWAY: return below == above ? from_zero : near;
    case WEIR_ROUND_HALF_TO_ZERO: return below == above ? to_zero : near;
    default: return below != above ? near : floor % 2 == 0 ? floor : ceil;
    }
}

static void cast_rounds_every_code_by_every_mode(void **state) {
    (void)state;
    for (int mode = 0; mode < WEIR_ROUND_COUNT; mode++) {
        for (int64_t x = -256; x <= 255; x++) {
            for (int shift = 0; shift <= 10; shift++) {
                for (int left = 0; left <= 3; left++) {
                    const int64_t add = (x * 7 + shift) % 5;
                    const int64_t expected = rounded((x + add) * (1 << left), (int64_t)1 << shift, (weir_rounding)mode);
                    assert_int_equal(weir_cast(x, add, left, shift, (weir_rounding)mode, -4096, 4095), expected);
                    assert_int_equal(weir_cast(x, add, left, shift, (weir_rounding)mode, -8, 7), clip(expected, -8, 7));
                }
            }
        }
    }
}

/* The real rounding and the integer one are two implementations of the same modes. */
static void cast_agrees_with_round_and_encode_real(void **state) {
    (void)state;
    for (int mode = 0; mode < WEIR_ROUND_COUNT; mode++) {
        for (int64_t x = -512; x <= 511; x++) {
            for (int shift = 0; shift <= 8; shift++) {
                const int64_t code = weir_cast(x, 0, 0, shift, (weir_rounding)mode, -1024, 1023);
                const double real = ldexp((double)x, -shift);
                assert_true(weir_round(real, (weir_rounding)mode) == (double)code);
                assert_int_equal(weir_encode_real(real, 1, 0, (weir_rounding)mode, -1024, 1023), code);
                /* v / 0.25 + 2 == (x * 4 + 2 * 2^shift) / 2^shift */
                assert_int_equal(weir_encode_real(real, 0.25, 2, (weir_rounding)mode, -8192, 8191),
                                 rounded(x * 4 + ((int64_t)2 << shift), (int64_t)1 << shift, (weir_rounding)mode));
            }
        }
    }
}

/* Ties by hand: -2.5, -1.5, -0.5, 0.5, 1.5, 2.5. */
static void ties_go_where_the_mode_says(void **state) {
    (void)state;
    const int64_t expected[WEIR_ROUND_COUNT][6] = {
        [WEIR_ROUND_FLOOR] = {-3, -2, -1, 0, 1, 2},      [WEIR_ROUND_TRUNCATE] = {-2, -1, 0, 0, 1, 2},
        [WEIR_ROUND_HALF_UP] = {-2, -1, 0, 1, 2, 3},     [WEIR_ROUND_HALF_EVEN] = {-2, -2, 0, 0, 2, 2},
        [WEIR_ROUND_HALF_DOWN] = {-3, -2, -1, 0, 1, 2},  [WEIR_ROUND_HALF_AWAY] = {-3, -2, -1, 1, 2, 3},
        [WEIR_ROUND_CEIL] = {-2, -1, 0, 1, 2, 3},        [WEIR_ROUND_AWAY] = {-3, -2, -1, 1, 2, 3},
        [WEIR_ROUND_HALF_TO_ZERO] = {-2, -1, 0, 0, 1, 2}};
    for (int mode = 0; mode < WEIR_ROUND_COUNT; mode++) {
        for (int i = 0; i < 6; i++) {
            assert_int_equal(weir_cast(2 * i - 5, 0, 0, 1, (weir_rounding)mode, -128, 127), expected[mode][i]);
            assert_int_equal(weir_encode_real(i - 2.5, 1, 0, (weir_rounding)mode, -128, 127), expected[mode][i]);
        }
    }
}

/* QONNX's own table for its rounding modes (test of its Quant operator), as this IR names them. */
static void modes_equal_the_table_of_qonnx(void **state) {
    (void)state;
    const double x[] = {5.5, 2.5, 1.6, 1.1, 1.0, -1.0, -1.1, -1.6, -2.5, -5.5};
    const struct {
        weir_rounding mode;
        int64_t expected[10];
    } rows[] = {{WEIR_ROUND_HALF_EVEN, {6, 2, 2, 1, 1, -1, -1, -2, -2, -6}},
                {WEIR_ROUND_CEIL, {6, 3, 2, 2, 1, -1, -1, -1, -2, -5}},
                {WEIR_ROUND_FLOOR, {5, 2, 1, 1, 1, -1, -2, -2, -3, -6}},
                {WEIR_ROUND_AWAY, {6, 3, 2, 2, 1, -1, -2, -2, -3, -6}},
                {WEIR_ROUND_TRUNCATE, {5, 2, 1, 1, 1, -1, -1, -1, -2, -5}},
                {WEIR_ROUND_HALF_AWAY, {6, 3, 2, 1, 1, -1, -1, -2, -3, -6}},
                {WEIR_ROUND_HALF_TO_ZERO, {5, 2, 2, 1, 1, -1, -1, -2, -2, -5}}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t i = 0; i < 10; i++)
            assert_int_equal(weir_encode_real(x[i], 1, 0, rows[r].mode, -128, 127), rows[r].expected[i]);
}

static void round_is_right_beside_a_tie(void **state) {
    (void)state;
    const double below = nextafter(0.5, 0), above = nextafter(0.5, 1);
    for (int mode = WEIR_ROUND_HALF_UP; mode <= WEIR_ROUND_HALF_AWAY; mode++) {
        assert_true(weir_round(below, (weir_rounding)mode) == 0);
        assert_true(weir_round(-below, (weir_rounding)mode) == 0);
        assert_true(weir_round(above, (weir_rounding)mode) == 1);
        assert_true(weir_round(-above, (weir_rounding)mode) == -1);
    }
    assert_true(weir_round(-below, WEIR_ROUND_HALF_TO_ZERO) == 0);
    assert_true(weir_round(above, WEIR_ROUND_HALF_TO_ZERO) == 1);
}

/* MASE's cast from (width, frac) to (width, frac): scale by 2^frac, floor, saturate. All 8-bit codes, all fractions. */
static void cast_is_the_floor_grid_of_mase(void **state) {
    (void)state;
    for (int from = 0; from <= 8; from++) {
        for (int to = 0; to <= 8; to++) {
            for (int64_t x = -128; x <= 127; x++) {
                const double grid = floor(ldexp((double)x, to - from));
                const double code = grid < -32 ? -32 : grid > 31 ? 31 : grid;
                const int left = to > from ? to - from : 0, shift = to > from ? 0 : from - to;
                assert_true((double)weir_cast(x, 0, left, shift, WEIR_ROUND_FLOOR, -32, 31) == code);
            }
        }
    }
}

/* y = floor((x * m + a) / 2^s) is the y with y * 2^s <= x * m + a < (y + 1) * 2^s. */
static void requantize_scale_is_a_floor(void **state) {
    (void)state;
    for (int i = 0; i < 1000000; i++) {
        const int64_t x = random_int(-(1LL << 40), 1LL << 40), m = random_int(-(1LL << 30), 1LL << 30);
        const int64_t a = random_int(-(1LL << 60), 1LL << 60);
        const int shift = (int)random_int(8, 62);
        const wide value = (wide)x * m + a;
        const int64_t y = weir_requantize_scale(x, m, a, shift, INT64_MIN, INT64_MAX);
        const wide unit = (wide)1 << shift;
        assert_true(y * unit <= value && value < ((wide)y + 1) * unit);
        assert_int_equal(weir_requantize_scale(x, m, a, shift, -128, 127), clip(y, -128, 127));
    }
    assert_int_equal(weir_requantize_scale(-1, 1, 0, 62, -128, 127), -1);
    assert_int_equal(weir_requantize_scale(INT64_MIN, INT64_MAX, 0, 62, -128, 127), -128);
    assert_int_equal(weir_requantize_scale(7, 3, 0, 0, -128, 127), 21);
}

/* The hardware's integer form of ONNX Runtime's product against the float32 unit of this machine. */
static void requantize_scale_float_is_float32(void **state) {
    (void)state;
    for (int i = 0; i < 2000000; i++) {
        const float m = random_scale(16);
        const int reach = i % 2 == 0 ? 23 : 24 + i / 2 % 20; /* sums of more than 24 bits are rounded too */
        const int64_t x = random_int(-((int64_t)1 << reach), (int64_t)1 << reach);
        const int64_t add = random_int(-(1 << 20), 1 << 20), zero = random_int(-128, 127);
        int64_t significand;
        int shift;
        split(m, &significand, &shift);
        volatile float product = (float)(x + add);
        product = product * m;
        const wide expected = (wide)rintf(product) + zero;
        assert_int_equal(weir_requantize_scale_float(x, significand, add, shift, zero, -128, 127),
                         clip(expected, -128, 127));
        assert_int_equal(weir_requantize_scale_float(x, significand, add, shift, zero, -(1 << 30), 1 << 30),
                         clip(expected, -(1 << 30), 1 << 30));
    }
}

/* Every accumulator of 18 bits at multipliers that produce many ties. */
static void requantize_scale_float_is_float32_exhaustively(void **state) {
    (void)state;
    const float multipliers[] = {0.1f, 0.3f, 0.5f, 1.0f / 3, 0.0625f, 0.7f / 255, 0.01f, 0.0078125f, 0.9999999f};
    for (size_t i = 0; i < sizeof multipliers / sizeof *multipliers; i++) {
        int64_t significand;
        int shift;
        split(multipliers[i], &significand, &shift);
        for (int64_t x = -(1 << 17); x < 1 << 17; x++) {
            assert_int_equal(weir_requantize_scale_float(x, significand, 0, shift, 3, -1000000, 1000000),
                             weir_requantize_onnx(x, multipliers[i], 3, -1000000, 1000000));
        }
    }
}

/* How many of the codes made at once are not those made one by one. `moved` is added to each zero point of the
 * latter. */
static size_t count_differences(int64_t moved) {
    enum { COUNT = 1003 };
    static const float special[] = {0, -0.0f, 0.5f, 1.5f, -2.5f, 1e30f, -1e30f, INFINITY, -INFINITY, NAN};
    enum { SPECIAL = sizeof special / sizeof *special };
    size_t differ = 0;
    for (int round = 0; round < 50; round++) {
        const int64_t a = random_int(-WEIR_NARROW, WEIR_NARROW), b = random_int(-WEIR_NARROW, WEIR_NARROW);
        const int64_t low = a < b ? a : b, high = a < b ? b : a, zero = random_int(-WEIR_NARROW, WEIR_NARROW);
        weir_narrow to;
        assert_true(weir_narrow_of(zero, low, high, &to));
        const float scale = random_scale(20);
        float x[COUNT], multiplier[COUNT];
        int32_t accumulator[COUNT], centre[COUNT], code[COUNT];
        for (size_t i = 0; i < COUNT; i++) {
            x[i] = i < SPECIAL ? special[i] : (float)random_int(-(1 << 22), 1 << 22) * scale / (float)random_int(1, 4);
            multiplier[i] = i < SPECIAL ? special[i] : i % 2 == 0 ? 0.5f : random_scale(20);
            accumulator[i] = (int32_t)random_int(INT32_MIN / 2, INT32_MAX / 2) >> random_int(0, 30);
            centre[i] = (int32_t)random_int(INT32_MIN / 2, INT32_MAX / 2) >> random_int(0, 30);
        }
        weir_encode_onnx_all(x, COUNT, scale, to, code);
        for (size_t i = 0; i < COUNT; i++) differ += code[i] != weir_encode_onnx(x[i], scale, zero + moved, low, high);
        weir_requantize_onnx_all(accumulator, centre, multiplier, COUNT, to, code);
        for (size_t i = 0; i < COUNT; i++)
            differ += code[i] !=
                      weir_requantize_onnx((int64_t)accumulator[i] - centre[i], multiplier[i], zero + moved, low, high);
        for (int level = 0; level <= (int)weir_instructions_best(); level++) {
            uint8_t byte[COUNT];
            weir_requantize_onnx_bytes(accumulator, centre, multiplier, COUNT, to, byte, (weir_instructions)level);
            for (size_t i = 0; i < COUNT; i++)
                differ += byte[i] != (uint8_t)weir_requantize_onnx((int64_t)accumulator[i] - centre[i], multiplier[i],
                                                                   zero + moved, low, high);
        }
    }
    return differ;
}

static void codes_made_at_once_are_those_made_one_by_one(void **unused) {
    (void)unused;
    weir_narrow to;
    assert_int_equal(count_differences(0), 0);
    assert_true(count_differences(1) > 0);
    assert_false(weir_narrow_of(0, -WEIR_NARROW - 1, 0, &to));
    assert_false(weir_narrow_of(0, 0, WEIR_NARROW + 1, &to));
    assert_false(weir_narrow_of(WEIR_NARROW + 1, 0, 0, &to));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_made_at_once_are_those_made_one_by_one),
        cmocka_unit_test(requantize_onnx_is_exact_arithmetic_with_two_roundings),
        cmocka_unit_test(requantize_onnx_breaks_ties_to_even),
        cmocka_unit_test(requantize_onnx_saturates_whatever_comes),
        cmocka_unit_test(encode_onnx_is_a_rounded_quotient),
        cmocka_unit_test(encode_onnx_handles_ties_and_special_numbers),
        cmocka_unit_test(cast_rounds_every_code_by_every_mode),
        cmocka_unit_test(cast_agrees_with_round_and_encode_real),
        cmocka_unit_test(ties_go_where_the_mode_says),
        cmocka_unit_test(modes_equal_the_table_of_qonnx),
        cmocka_unit_test(round_is_right_beside_a_tie),
        cmocka_unit_test(cast_is_the_floor_grid_of_mase),
        cmocka_unit_test(requantize_scale_is_a_floor),
        cmocka_unit_test(requantize_scale_float_is_float32),
        cmocka_unit_test(requantize_scale_float_is_float32_exhaustively),
    };
    return cmocka_run_group_tests_name("exec arithmetic", tests, NULL, NULL);
}
