/* QLinearMatMul against its formula, written out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/operands.h"

static void qlinear_matmul_scales_by_column(void **state) {
    (void)state;
    for (int which = 0; which < 4; which++) {
        const bool per_column = which & 1;
        const weir_dtype type = which & 2 ? WEIR_INT8 : WEIR_UINT8;
        operands from = {.count = 0};
        add_codes(&from, type, 3, 2, 4, 90);
        add_scales(&from, 0, 0.01);
        add_codes(&from, type, 1, 0, 0, 1);
        add_codes(&from, type, 2, 0, 90, 5);
        add_scales(&from, per_column ? 5 : 1, 0.02);
        add_codes(&from, type, 1, 0, 0, per_column ? 5 : 1);
        add_scales(&from, 1, 0.9);
        add_codes(&from, type, 1, 0, 0, 1);
        weir_executor *executor;
        const weir_array *y = compute(&from, build(&from, WEIR_OP_QLINEAR_MATMUL), &executor);
        for (size_t i = 0; i < y->count; i++) {
            int64_t sum = 0;
            for (size_t k = 0; k < 90; k++)
                sum += (weir_array_get_int(from.array[0], i / 5 * 90 + k) - at(from.array[2], 0)) *
                       (weir_array_get_int(from.array[3], k * 5 + i % 5) - at(from.array[5], i % 5));
            const float scale = real_at(from.array[1], 0) * real_at(from.array[4], i % 5);
            assert_int_equal(weir_array_get_int(y, i),
                             requantized(sum, scale / real_at(from.array[6], 0), at(from.array[7], 0), type));
        }
        release(&from, executor);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(qlinear_matmul_scales_by_column)};
    return cmocka_run_group_tests_name("op qlinear_matmul", tests, NULL, NULL);
}
