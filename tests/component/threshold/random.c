/* Sorted steps inside the range and beyond it. */
#include <stdlib.h>

#include "component/case.h"
#include "support/memory/arena.h"

static void build(component_case *c) {
    int64_t rows = case_rows(c), channels = case_range(c, 1, 16), parameters = case_chance(c, 50) ? channels : 1;
    int64_t count = case_chance(c, 70) ? case_range(c, 1, 8) : case_range(c, 9, 60);
    weir_value x = case_codes(c, rows, channels, 1, 20, 60);
    int64_t *step = weir_malloc((size_t)(parameters * count) * sizeof *step);
    int64_t margin = case_chance(c, 30) ? 100000 : 1;
    for (int64_t i = 0; i < parameters * count; i++) step[i] = case_range(c, c->low - margin, c->high + margin);
    for (int64_t p = 0; p < parameters; p++) qsort(step + p * count, (size_t)count, sizeof *step, case_compare);
    weir_value inputs[2] = {x, case_ints(c, "t", parameters, count, step)};
    free(step);
    weir_node node = case_node(c, WEIR_OP_THRESHOLD, "threshold", inputs, 2, 1);
    weir_node_set_int(c->graph, node, "base", case_number(c, 10, true));
    weir_node_set_int(c->graph, node, "step", case_chance(c, 50) ? 1 : case_chance(c, 50) ? 2 : case_range(c, -5, 5));
    int64_t lanes = case_lanes(c, rows, channels, parameters);
    case_place(c, node, lanes, lanes, case_range(c, 1, count));
    case_finish(c, case_result(c, node));
    case_make_data(c, CASE_FRAMES);
}

const component_test component_test_threshold = {"threshold", build, "threshold_thresholds", false};
