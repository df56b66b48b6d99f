/* Linear against its definition on random codes of every type, and its proven range, which is reached and never
 * left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/integer_graph.h"

static void linear_is_a_matrix_product(void **state) {
    (void)state;
    static const weir_dtype dtypes[] = {WEIR_INT8,  WEIR_UINT8,  WEIR_INT16, WEIR_UINT16,
                                        WEIR_INT32, WEIR_UINT32, WEIR_INT64};
    static const int64_t sizes[][3] = {{1, 1, 1}, {1, 64, 64}, {3, 65, 70}, {2, 1100, 130}};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            int64_t low, high;
            weir_dtype_limits(dtypes[d], &low, &high);
            if (low < -5000) low = -5000;
            if (high > 5000) high = 5000;
            const int64_t rows = sizes[s][0], inner = sizes[s][1], columns = sizes[s][2];
            weir_array *x = random_codes(dtypes[d], rows, inner, low, high);
            weir_array *w = random_codes(dtypes[(d + 3) % 7], columns, inner, 0, 100);
            weir_graph *graph = weir_graph_new("g");
            const weir_value vx = add_codes_input(graph, "x", x, low, high);
            const weir_node node =
                add(graph, WEIR_OP_LINEAR, vx, weir_graph_add_constant(graph, "w", w), WEIR_NO_VALUE);
            weir_executor *executor;
            const weir_array *y = run(graph, node, x, &executor);
            for (int64_t r = 0; r < rows; r++) {
                for (int64_t n = 0; n < columns; n++) {
                    int64_t sum = 0;
                    for (int64_t k = 0; k < inner; k++)
                        sum += weir_array_get_int(x, (size_t)(r * inner + k)) *
                               weir_array_get_int(w, (size_t)(n * inner + k));
                    assert_int_equal(weir_array_get_int(y, (size_t)(r * columns + n)), sum);
                }
            }
            free_run(graph, executor);
            weir_array_free(w);
            weir_array_free(x);
        }
    }
}

/* The inputs that drive one channel to an end of its range really reach it, and no other channel passes it. */
static void linear_range_is_reached(void **state) {
    (void)state;
    for (int trial = 0; trial < 50; trial++) {
        const int64_t low = random_int(-128, 20), high = random_int(low, 127);
        weir_array *w = random_codes(WEIR_INT8, 5, 9, -128, 127);
        weir_array *x = random_codes(WEIR_INT8, 10, 9, low, high);
        for (size_t i = 0; i < x->count; i++) {
            const size_t end = i / 9;
            const bool up = (weir_array_get_int(w, end / 2 * 9 + i % 9) > 0) == (end % 2 == 1);
            weir_array_set_int(x, i, up ? high : low);
        }
        weir_graph *graph = weir_graph_new("g");
        const weir_value vx = add_codes_input(graph, "x", x, low, high);
        const weir_node node = add(graph, WEIR_OP_LINEAR, vx, weir_graph_add_constant(graph, "w", w), WEIR_NO_VALUE);
        weir_executor *executor;
        const weir_array *y = run(graph, node, x, &executor);
        int64_t least = INT64_MAX, most = INT64_MIN;
        for (size_t n = 0; n < 5; n++) {
            int64_t sum_low, sum_high;
            weir_infer_linear_range(w, n, low, high, &sum_low, &sum_high);
            assert_int_equal(weir_array_get_int(y, 2 * n * 5 + n), sum_low);
            assert_int_equal(weir_array_get_int(y, (2 * n + 1) * 5 + n), sum_high);
            least = sum_low < least ? sum_low : least;
            most = sum_high > most ? sum_high : most;
        }
        const weir_type *type = weir_value_type(graph, weir_node_output(graph, node, 0));
        assert_int_equal(type->low, least);
        assert_int_equal(type->high, most);
        assert_int_equal(type->quant.width, weir_bits_for(least, most));
        assert_int_equal(type->quant.is_signed, least < 0);
        free_run(graph, executor);
        weir_array_free(x);
        weir_array_free(w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(linear_is_a_matrix_product),
                                       cmocka_unit_test(linear_range_is_reached)};
    return cmocka_run_group_tests_name("op linear", tests, NULL, NULL);
}
