/* Rows of few and many elements, of all three kinds, with epsilons from nothing to more than the rows have, gains of
 * one number, one an element or one for a run of them, of both signs, results that are clipped or far from it. */
#include <math.h>
#include <stdlib.h>

#include "component/case.h"
#include "exec/normalize.h"
#include "support/memory/arena.h"

static weir_value vector(component_case *c, const char *name, int64_t count, int bits) {
    weir_array *numbers = weir_array_in(weir_graph_arena(c->graph), WEIR_INT64, &(weir_shape){1, {count}});
    for (int64_t i = 0; i < count; i++) weir_array_set_int(numbers, (size_t)i, case_number(c, bits, true));
    return weir_graph_add_constant(c->graph, name, numbers);
}

static void build(component_case *c) {
    static const char *const modes[] = {"mean", "square", "magnitude"};
    const int64_t mode = case_range(c, 0, 3) % 3, rows = case_rows(c);
    const int64_t length = case_range(c, 2, case_chance(c, 60) ? 12 : 70);
    weir_value x = case_codes(c, rows, length, 2, case_chance(c, 70) ? 8 : 20, 50);
    const int64_t zero = mode == 0 || case_chance(c, 50) ? 0 : case_range(c, c->low, c->high);
    const int fraction = 2 * (int)case_range(c, 0, 14);
    const int64_t epsilon = case_chance(c, 30) ? 0 : case_range(c, 0, (int64_t)1 << case_range(c, 1, 40));
    const int bits =
        weir_normalize_bits((weir_normalize_mode)mode, length, c->low - zero, c->high - zero, fraction, epsilon);
    weir_array *root = weir_array_in(weir_graph_arena(c->graph), WEIR_INT64,
                                     &(weir_shape){2, {WEIR_NORMALIZE_COLUMNS, WEIR_NORMALIZE_ROWS}});
    int exponent;
    weir_normalize_table((double)case_range(c, 1, 1 << 20), &exponent, (int64_t *)root->data);
    const bool ties = case_chance(c, 20); /* gains of 0 and halves as offsets */
    const int gain_bits = ties ? 1 : (int)case_range(c, 1, case_chance(c, 70) ? 7 : 26);
    const int64_t hold = case_chance(c, 60) ? 1 : case_divisor(c, rows * length);
    const int64_t entries = case_chance(c, 20) ? 1 : case_divisor(c, rows * length / hold);
    /* A result of some codes: a by P is up to 2^(30 + (bits - fraction) / 2). */
    const bool fine = case_chance(c, 30); /* results that show every bit of the root */
    const int shift = 30 + (bits - fraction) / 2 + gain_bits - (int)case_range(c, 2, 14) - (fine ? 14 : 0);
    const int point = ties ? 1 : (int)case_range(c, 1, shift < 26 ? shift : 26);
    weir_value inputs[4] = {x, weir_graph_add_constant(c->graph, "root", root), WEIR_NO_VALUE, WEIR_NO_VALUE};
    inputs[2] = vector(c, "gain", case_chance(c, 20) ? 1 : entries, gain_bits);
    inputs[3] = vector(c, "offset", case_chance(c, 20) ? 1 : entries, point + 8);
    weir_node node = case_node(c, WEIR_OP_NORMALIZE_CODES, "normalize", inputs, 4, 1);
    weir_node_set_string(c->graph, node, "mode", modes[mode]);
    weir_node_set_int(c->graph, node, "zero", zero);
    weir_node_set_int(c->graph, node, "fraction", fraction);
    weir_node_set_int(c->graph, node, "epsilon", epsilon);
    weir_node_set_int(c->graph, node, "bits", bits);
    weir_node_set_int(c->graph, node, "shift", shift);
    weir_node_set_int(c->graph, node, "point", point);
    weir_node_set_int(c->graph, node, "hold", hold);
    case_clip(c, node, fine ? 24 : 8);
    case_place(c, node, 1, 1, 1);
    case_hurry(c, node);
    case_finish(c, case_result(c, node));
    case_make_data(c, CASE_FRAMES);
}

const component_test component_test_normalize = {"normalize", build, "normalize_scale", false};
