/* FIFOs of registers, of distributed RAM and of memory, with the depths where one becomes the other. */
#include "component/case.h"

static void build(component_case *c) {
    static const int64_t depths[] = {2, 3, 31, 32, 33, 34, 64, 65};
    int64_t depth = case_chance(c, 50) ? depths[case_range(c, 0, 7)] : case_range(c, 2, 100);
    case_stream(c, WEIR_OP_FIFO, depth);
}

const component_test component_test_fifo = {"fifo", build, NULL, false};
