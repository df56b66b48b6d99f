/* QGemm against its formula, written out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/operands.h"

/* Every combination of transposes, signs, bias shapes and outputs; per-column scales and zero points. */
static void qgemm_is_its_formula(void **state) {
    (void)state;
    for (int which = 0; which < 96; which++) {
        const bool ta = which & 1, tb = which & 2, real = which & 4;
        const int bias = which / 8 % 3;
        const weir_dtype a_type = which & 32 ? WEIR_INT8 : WEIR_UINT8, b_type = which & 64 ? WEIR_UINT8 : WEIR_INT8;
        const size_t rows = 3, inner = 70, columns = 67;
        operands from = {.count = 0};
        add_codes(&from, a_type, 2, 0, ta ? 70 : 3, ta ? 3 : 70);
        add_scales(&from, 0, 0.01);
        add_codes(&from, a_type, 1, 0, 0, 1);
        add_codes(&from, b_type, 2, 0, tb ? 67 : 70, tb ? 70 : 67);
        add_scales(&from, 67, 0.02);
        add_codes(&from, b_type, 1, 0, 0, 67);
        if (bias == 0) from.array[from.count++] = NULL;
        if (bias == 1) add_codes(&from, WEIR_INT32, 1, 0, 0, 67);
        if (bias == 2) add_codes(&from, WEIR_INT32, 2, 0, 3, 1);
        if (!real) add_scales(&from, 0, 0.7);
        if (!real) add_codes(&from, a_type, 1, 0, 0, 1);
        const weir_node node = build(&from, WEIR_OP_QGEMM);
        weir_node_set_int(from.graph, node, "transA", ta);
        weir_node_set_int(from.graph, node, "transB", tb);
        weir_node_set_float(from.graph, node, "alpha", 0.7f);
        weir_executor *executor;
        const weir_array *y = compute(&from, node, &executor);
        assert_int_equal(y->dtype, real ? WEIR_FLOAT32 : a_type);
        for (size_t r = 0; r < rows; r++) {
            for (size_t c = 0; c < columns; c++) {
                int64_t sum = bias == 0 ? 0 : at(from.array[6], bias == 1 ? c : r);
                for (size_t k = 0; k < inner; k++)
                    sum +=
                        (weir_array_get_int(from.array[0], ta ? k * rows + r : r * inner + k) - at(from.array[2], 0)) *
                        (weir_array_get_int(from.array[3], tb ? c * inner + k : k * columns + c) -
                         at(from.array[5], c));
                const float scale = 0.7f * real_at(from.array[1], 0) * real_at(from.array[4], c);
                if (real) {
                    assert_true(weir_array_get(y, r * columns + c) == (double)((float)sum * scale));
                } else {
                    assert_int_equal(weir_array_get_int(y, r * columns + c),
                                     requantized(sum, scale / real_at(from.array[7], 0), at(from.array[8], 0), a_type));
                }
            }
        }
        release(&from, executor);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(qgemm_is_its_formula)};
    return cmocka_run_group_tests_name("op qgemm", tests, NULL, NULL);
}
