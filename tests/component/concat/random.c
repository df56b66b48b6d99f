/* Two inputs of any ranges of one element type, joined along channels or rows. */
#include "component/case.h"
#include "ir/graph/types.h"

static void build(component_case *c) {
    const bool inner = case_chance(c, 60), is_signed = case_chance(c, 50), wide = case_chance(c, 30);
    const int64_t rows = case_range(c, 1, 5), channels = case_range(c, 1, 9);
    weir_value pair[2];
    int64_t size[2];
    for (int i = 0; i < 2; i++) {
        const int64_t own = inner ? case_range(c, 1, 12) : rows > 1 ? case_range(c, 2, 5) : 1;
        const int width = (int)(wide ? case_range(c, 9, 16) : case_range(c, 1, 8));
        size[i] = inner ? own : own * channels;
        pair[i] = inner ? case_input(c, rows, own, width, is_signed) : case_input(c, own, channels, width, is_signed);
    }
    weir_node node = case_node(c, WEIR_OP_CONCAT, "concat", pair, 2, 1);
    weir_node_set_int(c->graph, node, "axis", inner ? -1 : rows > 1 ? 1 : 0);
    const int64_t lanes = case_divisor(c, weir_common_divisor(size[0], size[1]));
    case_place(c, node, lanes, lanes, 0);
    case_finish(c, case_result(c, node));
    case_make_data(c, CASE_FRAMES);
}

const component_test component_test_concat = {"concat", build, NULL, false};
