/* Integer multiply, add, shift and clip, a parameter for all channels or one a channel. */
#include <stdlib.h>

#include "component/case.h"

/* A shift with which most results lie between the clip bounds. */
static int64_t useful_shift(component_case *c, int product_bits, int result_bits) {
    int64_t shift = product_bits - result_bits + case_range(c, -2, 2);
    return case_chance(c, 25) || shift < 0 ? case_range(c, 0, 30) : shift;
}

/* The exact product, or so much of it that 64 bits hold: nothing is shifted out, and bounds have more than 32 bits. */
static void keep_all(component_case *c, weir_node node, int bits) {
    weir_node_set_int(c->graph, node, "shift", 0);
    const int64_t all = ((int64_t)1 << bits) - 1;
    const bool is_plain = case_chance(c, 50);
    weir_node_set_int(c->graph, node, "low", is_plain ? -all - 1 : -case_number(c, bits, false));
    weir_node_set_int(c->graph, node, "high", is_plain ? all : case_number(c, bits, false));
}

static void build(component_case *c) {
    int64_t rows = case_rows(c), channels = case_range(c, 1, 20), parameters = case_chance(c, 50) ? channels : 1;
    const bool keeps = case_chance(c, 20);
    int bits = (int)case_range(c, keeps ? 12 : 1, 24), x_bits = (int)case_range(c, keeps ? 12 : 1, 24),
        out_bits = (int)case_range(c, 1, 16);
    weir_value x = case_input(c, rows, channels, x_bits, case_chance(c, 60));
    int64_t *multiplier = case_numbers(c, parameters, bits, false);
    int64_t *add = case_numbers(c, parameters, (int)case_range(c, 1, x_bits + bits), true);
    if (case_chance(c, 80)) multiplier[0] |= (int64_t)1 << (bits - 1);
    weir_value inputs[3] = {x, case_ints(c, "m", parameters, 0, multiplier), case_ints(c, "a", parameters, 0, add)};
    free(multiplier);
    free(add);
    weir_node node = case_node(c, WEIR_OP_SCALE, "scale", inputs, 3, 1);
    weir_node_set_int(c->graph, node, "shift", useful_shift(c, x_bits + bits, out_bits));
    if (keeps) keep_all(c, node, x_bits + bits);
    else case_clip(c, node, out_bits);
    int64_t lanes = case_lanes(c, rows, channels, parameters);
    case_place(c, node, lanes, lanes, case_range(c, 1, bits + 1));
    case_finish(c, case_result(c, node));
    case_make_data(c, CASE_FRAMES);
}

const component_test component_test_requantize = {"requantize", build, "scale_scale", false};
