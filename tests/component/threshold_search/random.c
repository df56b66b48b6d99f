/* Sorted steps inside the range and beyond it, for all channels or for each, which come in turn. */
#include "component/case.h"

static void build(component_case *c) {
    const case_thresholds t = case_threshold(c, 12);
    case_place(c, t.node, t.lanes, t.lanes, t.count);
    weir_node_metadata(c->graph, t.node)->hardware.module = "weir_threshold_search";
    case_finish(c, case_result(c, t.node));
    case_make_data(c, CASE_FRAMES);
}

const component_test component_test_threshold_search = {"threshold_search", build, "threshold_thresholds", false};
