/* Sum against its definition on random codes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/integer_graph.h"

static void sum_weighs_and_broadcasts_constants(void **state) {
    (void)state;
    weir_array *x = random_codes(WEIR_UINT8, 6, 40, 0, 255);
    weir_array *row = random_codes(WEIR_INT8, 1, 40, -128, 127), *column = random_codes(WEIR_INT16, 6, 1, -300, 300);
    const weir_array *const constants[] = {row, column};
    for (int i = 0; i < 2; i++) {
        weir_graph *graph = weir_graph_new("g");
        const weir_value vx = add_codes_input(graph, "x", x, 0, 255);
        const weir_value c = weir_graph_add_constant(graph, "c", constants[i]);
        const weir_node node = add(graph, WEIR_OP_SUM, vx, c, WEIR_NO_VALUE);
        weir_node_set_int(graph, node, "ca", 3);
        weir_node_set_int(graph, node, "cb", -5);
        weir_executor *executor;
        const weir_array *y = run(graph, node, x, &executor);
        for (size_t at = 0; at < y->count; at++) {
            const int64_t other = weir_array_get_int(constants[i], i == 0 ? at % 40 : at / 40);
            assert_int_equal(weir_array_get_int(y, at), 3 * weir_array_get_int(x, at) - 5 * other);
        }
        free_run(graph, executor);
    }
    weir_array_free(column);
    weir_array_free(row);
    weir_array_free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sum_weighs_and_broadcasts_constants)};
    return cmocka_run_group_tests_name("op sum", tests, NULL, NULL);
}
