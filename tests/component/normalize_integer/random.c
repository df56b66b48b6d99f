/* Rows of few and many elements, with a mean and without, of codes that are far from 0 or around it, gains of one
 * number or one an element, of both signs and 0. */
#include <stdlib.h>

#include "component/case.h"
#include "support/memory/arena.h"

static void build(component_case *c) {
    const int64_t rows = case_rows(c), length = case_range(c, 2, case_chance(c, 60) ? 12 : 70);
    const bool centred = case_chance(c, 60);
    weir_value x = case_codes(c, rows, length, 1, case_chance(c, 70) ? 8 : 12, 50);
    const int bits = (int)case_range(c, 1, case_chance(c, 60) ? 8 : 15);
    const int64_t count = case_chance(c, 30) ? 1 : length;
    int64_t *gains = case_numbers(c, count, bits, true);
    if (case_chance(c, 20))
        for (int64_t i = 0; i < count; i++) gains[i] = gains[0];
    weir_value inputs[2] = {x, case_ints(c, "gains", count, 0, gains)};
    free(gains);
    weir_node node = case_node(c, WEIR_OP_NORMALIZE_INTEGER, "normalize", inputs, 2, 1);
    weir_node_set_int(c->graph, node, "centred", centred);
    case_place(c, node, 1, 1, 1);
    if (case_chance(c, 80)) case_hurry(c, node);
    case_finish(c, case_result(c, node));
    case_make_data(c, CASE_FRAMES);
}

const component_test component_test_normalize_integer = {"normalize_integer", build, "normalize_gains", false};
