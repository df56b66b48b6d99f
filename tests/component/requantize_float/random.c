/* Requantizers in float32's arithmetic; values are aimed at ties. */
#include <math.h>
#include <stdlib.h>

#include "component/case.h"
#include "support/memory/arena.h"

/* Of codes that are quantized again, behind an exact product: multipliers and shifts of many bits. */
static int64_t long_multipliers(component_case *c, int64_t count, int64_t *multiplier) {
    const int64_t bits = case_range(c, 25, 44);
    for (int64_t i = 0; i < count; i++)
        multiplier[i] = case_range(c, (int64_t)1 << (bits - 1), ((int64_t)1 << bits) - 1);
    return bits + case_range(c, 20, 46);
}

/* Multipliers as the float32 numbers of a network are: a mantissa of up to 24 bits, all aligned to one shift. */
static int64_t float_multipliers(component_case *c, int64_t count, int64_t *multiplier) {
    int64_t shift = case_range(c, 20, 45), mantissa_bits = case_chance(c, 60) ? 24 : case_range(c, 1, 24);
    for (int64_t i = 0; i < count; i++) {
        int64_t mantissa = case_range(c, (int64_t)1 << (mantissa_bits - 1), ((int64_t)1 << mantissa_bits) - 1);
        multiplier[i] = mantissa << case_range(c, 0, 31 - mantissa_bits < 6 ? 31 - mantissa_bits : 6);
    }
    return shift;
}

/* Values whose product lies next to a tie. */
static void aim_at_ties(component_case *c, int64_t parameters, const int64_t *multiplier, const int64_t *add,
                        int64_t shift) {
    for (size_t i = 0; i < c->data[0]->count; i++) {
        if (case_chance(c, 30)) continue;
        size_t channel = parameters == 1 ? 0 : i % (size_t)parameters;
        double tie = (double)case_number(c, 9, true) + 0.5;
        double x = nearbyint(tie * ldexp(1, (int)shift) / (double)multiplier[channel]) - (double)add[channel];
        x += (double)case_range(c, -1, 1);
        if (x >= (double)c->low && x <= (double)c->high) weir_array_set_int(c->data[0], i, (int64_t)x);
    }
}

static void build(component_case *c) {
    int64_t rows = case_rows(c), channels = case_range(c, 1, 16), parameters = case_chance(c, 50) ? channels : 1;
    bool wide = case_chance(c, 40); /* sums of more than 24 bits are rounded themselves */
    weir_value x = case_codes(c, rows, channels, wide ? 24 : 2, wide ? 44 : 23, 70);
    int64_t *multiplier = weir_malloc((size_t)parameters * sizeof *multiplier);
    int64_t *add = case_numbers(c, parameters, (int)case_range(c, 1, wide ? 40 : 22), true);
    const int64_t shift = wide && case_chance(c, 25)
                              ? long_multipliers(c, parameters, multiplier)
                              : float_multipliers(c, parameters, multiplier) + (wide ? case_range(c, 0, 16) : 0);
    weir_value inputs[3] = {x, case_ints(c, "m", parameters, 0, multiplier), case_ints(c, "a", parameters, 0, add)};
    weir_node node = case_node(c, WEIR_OP_SCALE_FLOAT, "scale", inputs, 3, 1);
    weir_node_set_int(c->graph, node, "shift", shift);
    weir_node_set_int(c->graph, node, "zero", case_number(c, 8, true));
    case_clip(c, node, (int)case_range(c, 1, 16));
    int64_t lanes = case_lanes(c, rows, channels, parameters);
    case_place(c, node, lanes, lanes, case_range(c, 1, 32));
    case_finish(c, case_result(c, node));
    case_make_data(c, 3 * CASE_FRAMES);
    aim_at_ties(c, parameters, multiplier, add, shift);
    free(multiplier);
    free(add);
}

const component_test component_test_requantize_float = {"requantize_float", build, "scale_scale", false};
