/* Rows of few and many elements, often with several that are equally large. */
#include "component/case.h"

static void build(component_case *c) {
    const int64_t rows = case_rows(c), channels = case_range(c, 1, 40), lanes = case_divisor(c, channels);
    weir_value x = case_codes(c, rows, channels, 1, case_chance(c, 50) ? 2 : 12, 50);
    weir_node node = case_node(c, WEIR_OP_ARG_MAX, "arg_max", &x, 1, 1);
    weir_node_set_int(c->graph, node, "axis", -1);
    weir_node_set_int(c->graph, node, "keepdims", case_chance(c, 50));
    weir_node_set_int(c->graph, node, "select_last_index", case_chance(c, 50));
    case_place(c, node, lanes, 1, 0);
    case_finish(c, case_result(c, node));
    case_make_data(c, CASE_FRAMES);
}

const component_test component_test_arg_max = {"arg_max", build, NULL, false};
