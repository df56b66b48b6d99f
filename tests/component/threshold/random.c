/* Sorted steps inside the range and beyond it. */
#include "component/case.h"

static void build(component_case *c) {
    const case_thresholds t = case_threshold(c, 16);
    case_place(c, t.node, t.lanes, t.lanes, case_range(c, 1, t.count));
    case_finish(c, case_result(c, t.node));
    case_make_data(c, CASE_FRAMES);
}

const component_test component_test_threshold = {"threshold", build, "threshold_thresholds", false};
