/* Beats of any size to beats of any size. */
#include "component/case.h"

static void build(component_case *c) {
    static const int64_t pairs[][2] = {{5, 2}, {3, 7}, {1, 64}, {64, 1}, {4, 6}, {6, 4}, {8, 2}, {2, 8}, {7, 7}};
    int64_t choice = case_range(c, 0, 17), in, out;
    bool listed = choice < (int64_t)(sizeof pairs / sizeof *pairs);
    in = listed ? pairs[choice][0] : case_range(c, 1, 20);
    out = listed ? pairs[choice][1] : case_range(c, 1, 20);
    int64_t channels = case_range(c, 1, 100);
    weir_value x = case_codes(c, 1, channels, 1, 12, 50);
    weir_node node = case_node(c, WEIR_OP_LANES, "lanes", &x, 1, 1);
    case_place(c, node, in, out, 0);
    case_finish(c, case_result(c, node));
    case_make_data(c, CASE_FRAMES);
}

const component_test component_test_lane_converter = {"lane_converter", build, NULL, false};
