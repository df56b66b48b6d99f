/* Windows down the columns or along the rows of a frame, and of a frame of one dimension: any size, stride, dilation
 * and padding, all channels of a group in a beat, of one group and pixel or several. */
#include "component/case.h"
#include "dataflow/component.h"

static void build(component_case *c) {
    const int rank = (int)case_range(c, 1, 2), along = (int)case_range(c, 0, rank - 1);
    const int64_t group = case_chance(c, 60) ? 1 : case_range(c, 2, 4);
    const int64_t channels = case_range(c, 1, group > 1 ? 2 : 4), taps = case_range(c, 1, case_chance(c, 80) ? 3 : 5);
    const int64_t stride = taps > 1 && case_chance(c, 60) ? 1 : case_range(c, 2, 3),
                  dilation = case_chance(c, 75) ? 1 : case_range(c, 2, 3);
    const int64_t reach = (taps - 1) * dilation;
    const int64_t begin = case_chance(c, 40) ? 0 : case_range(c, 0, reach),
                  end = case_chance(c, 40) ? 0 : case_range(c, 0, reach);
    int64_t kernel[2] = {1, 1}, strides[2] = {1, 1}, dilations[2] = {1, 1}, pads[4] = {0, 0, 0, 0};
    weir_value x = case_codes(c, 1, group * channels, 1, 10, 50);
    weir_type type = *weir_value_type(c->graph, x);
    type.shape = (weir_shape){rank + 2, {case_chance(c, 15) ? 2 : 1}};
    for (int i = 0; i < rank; i++) type.shape.dim[i + 1] = case_range(c, 1, 8);
    int64_t *in = &type.shape.dim[along + 1];
    if (*in + begin + end <= reach) *in = reach + 1;
    if (taps == 1 && *in == 1) *in = stride; /* else nothing moves */
    type.shape.dim[rank + 1] = group * channels;
    int64_t low, high;
    weir_quant_limits(&type.quant, &low, &high);
    const bool narrow = case_chance(c, 40);
    if (narrow) { /* what fills may need more bits than what is there */
        type.low = case_range(c, low, 0);
        type.high = case_range(c, type.low, type.low + 3 < high ? type.low + 3 : high);
    }
    weir_value_set_type(c->graph, x, &type);
    kernel[along] = taps;
    strides[along] = stride;
    dilations[along] = dilation;
    pads[along] = begin;
    pads[along + rank] = end;
    weir_node node = case_node(c, WEIR_OP_WINDOW, "taps", &x, 1, 1);
    case_set_window(c, node, rank, kernel, strides, dilations, pads);
    weir_node_set_int(c->graph, node, "group", group);
    weir_node_set_int(c->graph, node, "fill", !narrow && case_chance(c, 60) ? type.low : case_range(c, low, high));
    case_place(c, node, channels, channels * taps, 0);
    case_place(c, node, channels, channels * taps, 0);
    weir_node_metadata(c->graph, node)->hardware.module = "weir_taps";
    case_take_time(c, node);
    if (case_chance(c, 60)) case_hurry(c, node);
    case_finish(c, case_result(c, node));
    case_make_data(c, CASE_FRAMES);
}

const component_test component_test_taps = {"taps", build, NULL, false};
