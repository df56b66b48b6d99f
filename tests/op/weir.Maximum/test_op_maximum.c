/* Maximum behind the operators that only move a stream. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/integer_graph.h"

static void maximum_and_streams_keep_values(void **state) {
    (void)state;
    weir_array *x = ramp();
    weir_graph *graph = weir_graph_new("g");
    const weir_value vx = add_codes_input(graph, "x", x, -2000, 1999);
    const weir_node fork = weir_graph_add_node(graph, WEIR_OP_FORK, "f", &vx, 1, 2, WEIR_NO_NODE);
    const weir_node fifo = add(graph, WEIR_OP_FIFO, weir_node_output(graph, fork, 1), WEIR_NO_VALUE, WEIR_NO_VALUE);
    const weir_node lanes = add(graph, WEIR_OP_LANES, weir_node_output(graph, fifo, 0), WEIR_NO_VALUE, WEIR_NO_VALUE);
    const weir_node slice =
        add(graph, WEIR_OP_REGISTER_SLICE, weir_node_output(graph, lanes, 0), WEIR_NO_VALUE, WEIR_NO_VALUE);
    const weir_node node = add(graph, WEIR_OP_MAXIMUM, weir_node_output(graph, slice, 0), WEIR_NO_VALUE, WEIR_NO_VALUE);
    weir_node_set_int(graph, node, "zero", -17);
    weir_executor *executor;
    const weir_array *y = run(graph, node, x, &executor);
    for (size_t i = 0; i < y->count; i++) {
        const int64_t code = weir_array_get_int(x, i);
        assert_int_equal(weir_array_get_int(y, i), code < -17 ? -17 : code);
    }
    assert_true(weir_array_equal(weir_executor_value(executor, weir_node_output(graph, fork, 0)), x));
    assert_int_equal(weir_value_type(graph, weir_node_output(graph, node, 0))->low, -17);
    free_run(graph, executor);
    weir_array_free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(maximum_and_streams_keep_values)};
    return cmocka_run_group_tests_name("op maximum", tests, NULL, NULL);
}
