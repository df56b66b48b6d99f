/* The larger of a value and the zero point. */
#include "component/case.h"

static void build(component_case *c) {
    int64_t channels = case_range(c, 1, 24), lanes = case_range(c, 1, channels);
    weir_value x = case_codes(c, 1, channels, 1, 24, 70);
    weir_node node = case_node(c, WEIR_OP_MAXIMUM, "maximum", &x, 1, 1);
    weir_node_set_int(c->graph, node, "zero", case_chance(c, 40) ? 0 : case_range(c, c->low, c->high));
    case_place(c, node, lanes, lanes, 0);
    case_finish(c, case_result(c, node));
    case_make_data(c, CASE_FRAMES);
}

const component_test component_test_relu = {"relu", build, NULL, false};
