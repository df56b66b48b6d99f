/* Requantize under both contracts, by channel, on 4,000 codes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "common/integer_graph.h"

static void requantize_follows_contract_and_channel(void **state) {
    (void)state;
    const double in_scales[] = {0.01f, 0.5, 0.0375f, 3e-4f}, out_scale = 0.1f;
    const int64_t in_zeros[] = {-100, 3, 0, 900}, out_zero = 5;
    const double offsets[] = {0.25, -1, 0, 7.125};
    weir_array *x = ramp();
    for (int real = 0; real < 2; real++) {
        weir_graph *graph = weir_graph_new("g");
        weir_value vx = add_codes_input(graph, "x", x, -2000, 1999);
        weir_type from = *weir_value_type(graph, vx);
        from.quant = (weir_quant){.format = WEIR_FORMAT_INTEGER,
                                  .is_signed = true,
                                  .width = 12,
                                  .axis = 1,
                                  .count = 4,
                                  .scale = in_scales,
                                  .zero_point = in_zeros};
        weir_value_set_type(graph, vx, &from);
        const int64_t four = 4;
        const weir_shape shape = weir_shape_of(1, &four);
        weir_array *offset = weir_array_new(WEIR_FLOAT64, &shape);
        memcpy(offset->data, offsets, sizeof offsets);
        const weir_value vo = weir_graph_add_constant(graph, "offset", offset);
        const weir_node node = add(graph, WEIR_OP_REQUANTIZE, vx, real ? vo : WEIR_NO_VALUE, WEIR_NO_VALUE);
        const weir_quant to = {.format = WEIR_FORMAT_INTEGER,
                               .width = 8,
                               .axis = -1,
                               .count = 1,
                               .scale = &out_scale,
                               .zero_point = &out_zero,
                               .rounding = WEIR_ROUND_HALF_UP};
        set_output_quant(graph, node, &to);
        weir_node_set_string(graph, node, "arithmetic", real ? "quant" : "qlinear");
        weir_node_set_int(graph, node, "low", 5); /* a folded Relu */
        weir_executor *executor;
        const weir_array *y = run(graph, node, x, &executor);
        assert_int_equal(y->dtype, WEIR_UINT8);
        for (size_t i = 0; i < y->count; i++) {
            const size_t c = i % 4;
            const int64_t code = weir_array_get_int(x, i) - in_zeros[c];
            const float multiplier = (float)in_scales[c] / (float)out_scale;
            double v = real ? floor(((double)code * in_scales[c] + offsets[c]) / out_scale + 5 + 0.5)
                            : (double)rintf((float)code * multiplier) + 5;
            v = v < 5 ? 5 : v > 255 ? 255 : v;
            assert_int_equal(weir_array_get_int(y, i), (int64_t)v);
        }
        free_run(graph, executor);
        weir_array_free(offset);
    }
    weir_array_free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(requantize_follows_contract_and_channel)};
    return cmocka_run_group_tests_name("op requantize", tests, NULL, NULL);
}
