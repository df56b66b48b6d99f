/* Frames that a benchmark makes on the chip: whatever its random bits are, each code is one that the input may have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "board/benchmark.h"

enum { LIMIT = 20, BITS = 6 };

static int64_t code_of(uint64_t random, weir_benchmark_mask mask, int bits, bool is_signed) {
    const uint64_t code = (random & mask.vary) | mask.ones;
    return is_signed && (code >> (bits - 1) & 1) != 0 ? (int64_t)code - ((int64_t)1 << bits) : (int64_t)code;
}

/* Every range of codes from -20 to 20, every pattern of bits. */
static void ranges(void **state) {
    (void)state;
    for (int64_t low = -LIMIT; low <= LIMIT; low++) {
        for (int64_t high = low; high <= LIMIT; high++) {
            const weir_benchmark_mask mask = weir_benchmark_mask_of_range(low, high);
            int bits = 1;
            while (low < 0 ? -low > (int64_t)1 << (bits - 1) || high >= (int64_t)1 << (bits - 1)
                           : high >= (int64_t)1 << bits)
                bits++;
            assert_true(bits <= BITS && mask.vary >> bits == 0 && mask.ones >> bits == 0);
            for (uint64_t random = 0; random < 1u << bits; random++) {
                const int64_t code = code_of(random, mask, bits, low < 0);
                assert_true(code >= low && code <= high);
            }
        }
    }
}

/* Whole types lose nothing, narrow ones and bipolar ones half. */
static void types(void **state) {
    (void)state;
    const struct {
        int64_t low, high;
        uint64_t vary, ones;
    } rows[] = {{0, 255, 255, 0},    {-128, 127, 255, 0},
                {-127, 127, 254, 1}, {-1, 1, 2, 1},
                {0, 1, 1, 0},        {0, 200, 127, 0},
                {5, 9, 0, 5},        {-3, -2, 0, 5},
                {-8, 3, 3, 0},       {INT64_MIN, INT64_MAX, UINT64_MAX, 0},
                {INT64_MIN, 0, 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const weir_benchmark_mask mask = weir_benchmark_mask_of_range(rows[i].low, rows[i].high);
        assert_int_equal(mask.vary, rows[i].vary);
        assert_int_equal(mask.ones, rows[i].ones);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranges), cmocka_unit_test(types)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
