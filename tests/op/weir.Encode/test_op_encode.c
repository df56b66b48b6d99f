/* Encode and Decode under both contracts, and binary codes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/integer_graph.h"

/* Encode and Decode by both contracts (0.35f / 0.1f is 3.5 in float32 and below it in float64), and binary codes. */
static void codes_and_reals_convert(void **state) {
    (void)state;
    const double scale = 0.1f, offset[] = {0.5, -0.25};
    const int64_t zero = 3;
    const weir_shape shape = shape_of(1, 4);
    const weir_type real = {.dtype = WEIR_FLOAT32, .shape = shape, .quant = {.axis = -1}};
    weir_array *x = weir_array_new(WEIR_FLOAT32, &shape);
    const float values[] = {-1, 0, 0.35f, 100};
    memcpy(x->data, values, sizeof values);
    for (int which = 0; which < 3; which++) {
        weir_graph *graph = weir_graph_new("g");
        const weir_value vx = weir_graph_add_input(graph, "x", &real);
        const weir_node encode = add(graph, WEIR_OP_ENCODE, vx, WEIR_NO_VALUE, WEIR_NO_VALUE);
        weir_quant quant = {.format = which == 2 ? WEIR_FORMAT_BINARY : WEIR_FORMAT_INTEGER,
                            .is_signed = true,
                            .width = which == 2 ? 1 : 8,
                            .axis = -1,
                            .count = 1,
                            .scale = &scale,
                            .zero_point = &zero,
                            .rounding = WEIR_ROUND_FLOOR};
        if (which == 2) quant.zero_point = NULL;
        set_output_quant(graph, encode, &quant);
        weir_node_set_string(graph, encode, "arithmetic", which == 1 ? "quant" : "qlinear");
        const weir_node decode =
            add(graph, WEIR_OP_DECODE, weir_node_output(graph, encode, 0), WEIR_NO_VALUE, WEIR_NO_VALUE);
        weir_node_set_string(graph, decode, "arithmetic", which == 1 ? "quant" : "qlinear");
        if (which == 1) weir_node_set_floats(graph, decode, "offset", offset, 1);
        weir_executor *executor;
        const weir_array *y = run(graph, decode, x, &executor);
        const weir_array *codes = weir_executor_value(executor, weir_node_output(graph, encode, 0));
        static const int64_t expected[3][4] = {{-7, 3, 7, 127}, {-7, 3, 6, 127}, {-1, 1, 1, 1}};
        for (size_t i = 0; i < 4; i++) {
            assert_int_equal(weir_array_get_int(codes, i), expected[which][i]);
            const int64_t code = expected[which][i] - (which == 2 ? 0 : 3);
            const float plain = (float)code * (float)scale;
            const float moved = (float)((double)code * scale + 0.5);
            assert_true(((const float *)y->data)[i] == (which == 1 ? moved : plain));
        }
        free_run(graph, executor);
    }
    weir_array_free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(codes_and_reals_convert)};
    return cmocka_run_group_tests_name("op encode", tests, NULL, NULL);
}
