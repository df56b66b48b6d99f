/* Shifts, additions, every rounding, clips. */
#include "component/case.h"

static void build(component_case *c) {
    int64_t rows = case_rows(c), channels = case_range(c, 1, 24);
    weir_value x = case_codes(c, rows, channels, 1, 24, 60);
    case_finish(c, case_result(c, case_cast(c, x, "cast", rows, channels, case_lanes(c, rows, channels, 1))));
    case_make_data(c, CASE_FRAMES);
}

const component_test component_test_cast = {"cast", build, NULL, false};
