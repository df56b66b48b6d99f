/* A block of a tensor of up to four dimensions, or a tensor as a block among fill values. */
#include "component/case.h"
#include "ir/graph/types.h"

static void build(component_case *c) {
    const bool fills = case_chance(c, 50);
    const int rank = (int)case_range(c, 1, 4);
    int64_t size[4], begin[4], end[4], part[4], stride[4], start = 0, among = 1, count = 1, lanes;
    weir_shape large = {.rank = rank}, small = {.rank = rank};
    for (int i = 0; i < rank; i++) {
        const int64_t unit = i == rank - 1 ? case_range(c, 1, 4) : 1;
        size[i] = unit * case_range(c, 1, case_chance(c, 70) ? 4 : 9);
        part[i] = case_chance(c, 30) ? size[i] : unit * case_range(c, 1, size[i] / unit);
        begin[i] = unit * case_range(c, 0, (size[i] - part[i]) / unit);
        end[i] = begin[i] + part[i];
        large.dim[i] = size[i];
        small.dim[i] = part[i];
    }
    for (int i = rank - 1; i >= 0; i--) {
        stride[i] = fills ? count : among;
        start += (fills ? -begin[i] : begin[i]) * stride[i];
        among *= size[i];
        count *= part[i];
    }
    lanes = weir_common_divisor(weir_common_divisor(size[rank - 1], part[rank - 1]), begin[rank - 1]);
    weir_value x = case_chance(c, 80) ? case_codes(c, 1, 1, 1, 10, 50) : case_codes(c, 1, 1, 33, 40, 80);
    weir_type type = *weir_value_type(c->graph, x);
    type.shape = fills ? small : large;
    if (case_chance(c, 80)) { /* the fill value needs more bits */
        c->low = type.low /= 2;
        c->high = type.high /= 2;
    }
    weir_value_set_type(c->graph, x, &type);
    weir_node node = case_node(c, WEIR_OP_REORDER, "select", &x, 1, 1);
    const weir_shape *result = fills ? &large : &small;
    weir_node_set_ints(c->graph, node, "shape", result->dim, (size_t)rank);
    weir_node_set_ints(c->graph, node, "sizes", result->dim, (size_t)rank);
    weir_node_set_ints(c->graph, node, "strides", stride, (size_t)rank);
    weir_node_set_int(c->graph, node, "start", start);
    if (fills) {
        int64_t low, high;
        weir_quant_limits(&type.quant, &low, &high);
        weir_node_set_ints(c->graph, node, "begins", begin, (size_t)rank);
        weir_node_set_ints(c->graph, node, "ends", end, (size_t)rank);
        weir_node_set_int(c->graph, node, "fill",
                          case_range(c, low < INT32_MIN ? INT32_MIN : low, high > INT32_MAX ? INT32_MAX : high));
    }
    lanes = case_divisor(c, lanes);
    case_place(c, node, lanes, lanes, 0);
    case_finish(c, case_result(c, node));
    case_make_data(c, CASE_FRAMES);
}

const component_test component_test_select = {"select", build, NULL, false};
