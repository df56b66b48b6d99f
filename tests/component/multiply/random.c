/* Two inputs multiplied, the first maybe one row for all rows of the second. */
#include "component/case.h"
#include "ir/graph/types.h"

static void build(component_case *c) {
    const int64_t channels = case_range(c, 1, 12), rows = case_rows(c);
    weir_value pair[2];
    int64_t zero[2];
    for (int i = 0; i < 2; i++) {
        const int64_t own = i == 0 && case_chance(c, 50) ? 1 : rows;
        weir_value x = case_codes(c, rows > 1 ? 2 : 1, channels, 1, 12, 50);
        weir_type type = *weir_value_type(c->graph, x);
        if (rows > 1) type.shape.dim[1] = own;
        weir_value_set_type(c->graph, x, &type);
        pair[i] = x;
        zero[i] = case_chance(c, 40) ? 0 : case_range(c, type.low, type.high);
    }
    weir_node node = case_node(c, WEIR_OP_MULTIPLY, "multiply", pair, 2, 1);
    weir_node_set_int(c->graph, node, "za", zero[0]);
    weir_node_set_int(c->graph, node, "zb", zero[1]);
    const int64_t lanes = rows > 1 ? case_divisor(c, channels) : case_range(c, 1, channels);
    case_place(c, node, lanes, lanes, 0);
    case_finish(c, case_result(c, node));
    case_make_data(c, CASE_FRAMES);
}

const component_test component_test_multiply = {"multiply", build, NULL, false};
