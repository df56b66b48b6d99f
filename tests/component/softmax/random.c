/* Rows of few and many elements, powers as a scale gives them, at random, or such that shares of two largest elements
 * lie next to ties and the small ones decide how the sum is rounded; steps from none to more than codes, zero points
 * that clip. */
#include <math.h>

#include "component/case.h"
#include "exec/softmax.h"
#include "support/memory/arena.h"

enum { EXPONENT = 80, BITS = 24 };

static double fraction(component_case *c) {
    return ldexp((double)(1 << (BITS - 1)) + (double)case_range(c, 0, (1 << (BITS - 1)) - 1), EXPONENT - BITS + 1);
}

static double next_power(component_case *c, bool ties, double first) {
    if (case_chance(c, 20)) return 0;
    if (ties && case_chance(c, 20)) return ldexp(1, EXPONENT - (int)case_range(c, 30, 70));
    if (ties) return ldexp((double)case_range(c, 1, 7), EXPONENT - BITS - (int)case_range(c, 0, 2));
    const double number = ldexp(fraction(c), -(int)case_range(c, 0, 6));
    return number < first ? number : first;
}

static weir_value powers(component_case *c, int64_t length, int64_t count, bool ties) {
    weir_array *power = weir_array_in(weir_graph_arena(c->graph), WEIR_FLOAT32, &(weir_shape){1, {count}});
    if (!ties && case_chance(c, 60)) {
        const float scale = (float)case_range(c, 1, 300) / 1000;
        weir_softmax_powers(scale, (size_t)length, (float *)power->data, (size_t)count);
        return weir_graph_add_constant(c->graph, "powers", power);
    }
    const double first = case_chance(c, 50) ? ldexp(1, EXPONENT) : fraction(c);
    weir_array_set(power, 0, first);
    for (int64_t i = 1; i < count; i++) weir_array_set(power, (size_t)i, next_power(c, ties, first));
    return weir_graph_add_constant(c->graph, "powers", power);
}

static void build(component_case *c) {
    const bool ties = case_chance(c, 60);
    const int64_t rows = ties ? case_range(c, 2, 9) : case_rows(c);
    const int64_t length = case_range(c, 2, ties || case_chance(c, 60) ? 6 : 40);
    weir_value x = case_codes(c, rows, length, 1, ties ? 3 : 8, 50);
    weir_value inputs[2] = {x, powers(c, length, c->high - c->low + 1, ties)};
    int64_t steps = case_chance(c, 50) ? 256 : case_range(c, 0, case_chance(c, 70) ? 140 * length : 20);
    if (ties && case_chance(c, 50)) steps = case_range(c, 0, 15);
    if (ties) steps |= 3; /* half of them is a tie, which rounds up */
    weir_node node = case_node(c, WEIR_OP_SOFTMAX_CODES, "softmax", inputs, 2, 1);
    const int64_t zero = case_chance(c, 50) ? 0 : case_number(c, 8, true);
    weir_node_set_int(c->graph, node, "steps", steps);
    weir_node_set_int(c->graph, node, "zero", zero);
    if (case_chance(c, 30)) weir_node_set_int(c->graph, node, "high", zero + case_range(c, 0, steps));
    const int bits = 1 + (steps < 4 ? 3 : weir_bits_for(0, steps));
    int64_t units = (bits + 3) / 4;
    while (units > 1 && ((bits + units - 1) / units < 4 || case_chance(c, 50))) units--;
    case_place(c, node, 1, 1, units);
    case_finish(c, case_result(c, node));
    case_make_data(c, CASE_FRAMES);
}

const component_test component_test_softmax = {"softmax", build, "softmax_powers", false};
