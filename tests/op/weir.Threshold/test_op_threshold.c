/* Threshold against its definition on 4,000 codes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/integer_graph.h"

static void thresholds_count(void **state) {
    (void)state;
    weir_array *x = ramp();
    weir_array *t = random_codes(WEIR_INT64, 4, 15, -2100, 2100);
    for (size_t i = 0; i < t->count; i++) /* ascending by insertion */
        for (size_t j = i; j % 15 != 0 && weir_array_get_int(t, j) < weir_array_get_int(t, j - 1); j--) {
            const int64_t swap = weir_array_get_int(t, j);
            weir_array_set_int(t, j, weir_array_get_int(t, j - 1));
            weir_array_set_int(t, j - 1, swap);
        }
    weir_array_set_int(t, 7, weir_array_get_int(t, 6)); /* a double step */
    for (int direction = -1; direction <= 1; direction += 2) {
        weir_graph *graph = weir_graph_new("g");
        const weir_value vx = add_codes_input(graph, "x", x, -2000, 1999);
        const weir_node node = add(graph, WEIR_OP_THRESHOLD, vx, weir_graph_add_constant(graph, "t", t), WEIR_NO_VALUE);
        weir_node_set_int(graph, node, "base", -4);
        weir_node_set_int(graph, node, "step", direction);
        weir_executor *executor;
        const weir_array *y = run(graph, node, x, &executor);
        for (size_t i = 0; i < y->count; i++) {
            int64_t count = 0;
            for (size_t j = 0; j < 15; j++) count += weir_array_get_int(t, i % 4 * 15 + j) <= weir_array_get_int(x, i);
            assert_int_equal(weir_array_get_int(y, i), -4 + direction * count);
        }
        free_run(graph, executor);
    }
    weir_array_free(t);
    weir_array_free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(thresholds_count)};
    return cmocka_run_group_tests_name("op threshold", tests, NULL, NULL);
}
