/* Two inputs added. */
#include "component/case.h"

static void build(component_case *c) {
    int64_t channels = case_range(c, 1, 16), lanes = case_range(c, 1, channels);
    weir_value pair[2];
    for (int i = 0; i < 2; i++) pair[i] = case_codes(c, 1, channels, 1, 16, 50);
    weir_node node = case_node(c, WEIR_OP_SUM, "sum", pair, 2, 1);
    weir_node_set_int(c->graph, node, "ca", case_number(c, 10, true));
    weir_node_set_int(c->graph, node, "cb", case_number(c, 10, true));
    case_place(c, node, lanes, lanes, 0);
    case_finish(c, case_result(c, node));
    case_make_data(c, CASE_FRAMES);
}

const component_test component_test_add = {"add", build, NULL, false};
