/* Cast, Scale and ScaleFloat apply their scalar contracts by channel, on 4,000 codes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/integer_graph.h"
#include "quant/arithmetic.h"

static void casts_apply_their_contract_by_channel(void **state) {
    (void)state;
    const int64_t adds[] = {1, -7, 100, 0}, factors[] = {3, 5000, 77, 1 << 20}, one = 9;
    weir_array *x = ramp();
    for (int which = 0; which < 4; which++) {
        static const weir_op ops[] = {WEIR_OP_CAST_CODES, WEIR_OP_CAST_CODES, WEIR_OP_SCALE, WEIR_OP_SCALE_FLOAT};
        weir_graph *graph = weir_graph_new("g");
        const weir_value vx = add_codes_input(graph, "x", x, -2000, 1999);
        const weir_value a = add_ints(graph, "a", which == 3 ? &one : adds, which == 3 ? 1 : 4);
        const weir_value m = add_ints(graph, "m", factors, 4);
        const bool cast = ops[which] == WEIR_OP_CAST_CODES;
        const weir_node node =
            add(graph, ops[which], vx, cast ? (which == 0 ? a : WEIR_NO_VALUE) : m, cast ? WEIR_NO_VALUE : a);
        weir_node_set_int(graph, node, "shift", 6);
        weir_node_set_int(graph, node, "left", 2);
        weir_node_set_int(graph, node, "zero", 11);
        weir_node_set_string(graph, node, "rounding", which == 0 ? "half-even" : "ceil");
        weir_node_set_int(graph, node, "low", -30);
        weir_node_set_int(graph, node, "high", which == 1 ? 99 : 127);
        weir_executor *executor;
        const weir_array *y = run(graph, node, x, &executor);
        assert_int_equal(y->dtype, WEIR_INT8);
        for (size_t i = 0; i < y->count; i++) {
            const int64_t code = weir_array_get_int(x, i), channel = (int64_t)i % 4;
            int64_t expected;
            switch (which) {
            case 0: expected = weir_cast(code, adds[channel], 2, 6, WEIR_ROUND_HALF_EVEN, -30, 127); break;
            case 1: expected = weir_cast(code, 0, 2, 6, WEIR_ROUND_CEIL, -30, 99); break;
            case 2: expected = weir_requantize_scale(code, factors[channel], adds[channel], 6, -30, 127); break;
            default: expected = weir_requantize_scale_float(code, factors[channel], 9, 6, 11, -30, 127); break;
            }
            assert_int_equal(weir_array_get_int(y, i), expected);
        }
        free_run(graph, executor);
    }
    weir_array_free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(casts_apply_their_contract_by_channel)};
    return cmocka_run_group_tests_name("op cast", tests, NULL, NULL);
}
