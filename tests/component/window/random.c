/* Windows of any size, stride, dilation and padding over one or two dimensions, by groups of channels. */
#include "component/case.h"

typedef struct axis {
    int64_t kernel, stride, dilation, begin, end, in;
} axis;

static axis random_axis(component_case *c) {
    axis a;
    a.kernel = case_range(c, 1, case_chance(c, 80) ? 3 : 5);
    a.stride = case_chance(c, 60) ? 1 : case_range(c, 2, 3);
    a.dilation = case_chance(c, 75) ? 1 : case_range(c, 2, 3);
    const int64_t reach = (a.kernel - 1) * a.dilation;
    a.begin = case_chance(c, 40) ? 0 : case_range(c, 0, reach);
    a.end = case_chance(c, 40) ? 0 : case_range(c, 0, reach);
    a.in = case_range(c, 1, 8);
    if (a.in + a.begin + a.end <= reach) a.in = reach + 1;
    return a;
}

static void build(component_case *c) {
    const int rank = (int)case_range(c, 1, 2);
    const int64_t group = case_chance(c, 70) ? 1 : case_range(c, 2, 3), channels = case_range(c, 1, 4);
    const int64_t lanes = case_divisor(c, channels);
    int64_t kernel[2], strides[2], dilations[2], pads[4];
    weir_value x = case_codes(c, 1, group * channels, 1, 10, 50);
    weir_type type = *weir_value_type(c->graph, x);
    type.shape = (weir_shape){rank + 2, {case_chance(c, 15) ? 2 : 1}};
    for (int i = 0; i < rank; i++) {
        const axis a = random_axis(c);
        kernel[i] = a.kernel;
        strides[i] = a.stride;
        dilations[i] = a.dilation;
        pads[i] = a.begin;
        pads[i + rank] = a.end;
        type.shape.dim[i + 1] = a.in;
    }
    type.shape.dim[rank + 1] = group * channels;
    weir_value_set_type(c->graph, x, &type);
    weir_node node = case_node(c, WEIR_OP_WINDOW, "window", &x, 1, 1);
    case_set_window(c, node, rank, kernel, strides, dilations, pads);
    weir_node_set_int(c->graph, node, "group", group);
    int64_t low, high;
    weir_quant_limits(&type.quant, &low, &high);
    weir_node_set_int(c->graph, node, "fill", case_chance(c, 70) ? type.low : case_range(c, low, high));
    case_place(c, node, lanes, lanes, 0);
    if (case_chance(c, 40)) case_hurry(c, node);
    case_finish(c, case_result(c, node));
    case_make_data(c, CASE_FRAMES);
}

const component_test component_test_window = {"window", build, NULL, false};
