/* Copies of a stream. */
#include "component/case.h"

static void build(component_case *c) {
    int64_t channels = case_range(c, 1, 16), lanes = case_range(c, 1, channels), branches = case_range(c, 2, 4);
    weir_value x = case_codes(c, 1, channels, 1, 16, 50);
    weir_node fork = case_node(c, WEIR_OP_FORK, "fork", &x, 1, (size_t)branches);
    case_place(c, fork, lanes, lanes, 0);
    for (int64_t i = 1; i < branches; i++)
        weir_graph_add_output(c->graph, "copy", weir_node_output(c->graph, fork, (size_t)i));
    case_finish(c, case_result(c, fork));
    case_make_data(c, CASE_FRAMES);
}

const component_test component_test_fork = {"fork", build, NULL, false};
