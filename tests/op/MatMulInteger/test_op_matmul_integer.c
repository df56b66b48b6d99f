/* MatMulInteger against its formula, written out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/operands.h"

static void matmul_integer_takes_zero_points_by_row_and_column(void **state) {
    (void)state;
    for (int which = 0; which < 8; which++) {
        const bool per_row = which & 1, per_column = which & 2, batched = which & 4;
        operands from = {.count = 0};
        add_codes(&from, WEIR_UINT8, 3, 2, 4, 9);
        add_codes(&from, WEIR_INT8, batched ? 3 : 2, 2, 9, 5);
        add_codes(&from, WEIR_UINT8, 1, 0, 0, per_row ? 4 : 1);
        add_codes(&from, WEIR_INT8, 1, 0, 0, per_column ? 5 : 1);
        weir_executor *executor;
        const weir_array *y = compute(&from, build(&from, WEIR_OP_MATMUL_INTEGER), &executor);
        assert_int_equal(y->count, 40);
        for (size_t i = 0; i < y->count; i++) {
            const size_t batch = i / 20, row = i / 5 % 4, column = i % 5;
            int64_t sum = 0;
            for (size_t k = 0; k < 9; k++)
                sum += (weir_array_get_int(from.array[0], batch * 36 + row * 9 + k) - at(from.array[2], row)) *
                       (weir_array_get_int(from.array[1], (batched ? batch * 45 : 0) + k * 5 + column) -
                        at(from.array[3], column));
            assert_int_equal(weir_array_get_int(y, i), sum);
        }
        release(&from, executor);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(matmul_integer_takes_zero_points_by_row_and_column)};
    return cmocka_run_group_tests_name("op matmul_integer", tests, NULL, NULL);
}
