/* Two States that feed each other: a is what b was, b is the sum of both and a row of the input, clipped. */
#include "component/case.h"

static weir_value add_state(component_case *c, const char *name, const weir_type *type, int64_t lanes) {
    const int64_t channels = type->shape.dim[1];
    weir_array *row = weir_array_new(type->dtype, &(weir_shape){2, {1, channels}});
    for (int64_t i = 0; i < channels; i++) weir_array_set_int(row, (size_t)i, case_range(c, type->low, type->high));
    const weir_value start = weir_graph_add_constant(c->graph, "initial", row);
    weir_type own = *type;
    own.shape = row->shape;
    weir_value_set_type(c->graph, start, &own);
    weir_array_free(row);
    const weir_node node = case_node(c, WEIR_OP_STATE, name, &start, 1, 1);
    weir_node_set_int(c->graph, node, "steps", type->shape.dim[0]);
    case_place(c, node, lanes, lanes, 0);
    return case_result(c, node);
}

static weir_value add(component_case *c, weir_op op, const char *name, weir_value a, weir_value b, int64_t lanes) {
    const weir_value inputs[2] = {a, b};
    const weir_node node = case_node(c, op, name, inputs, 2, 1);
    case_place(c, node, lanes, lanes, 0);
    return case_result(c, node);
}

static void build(component_case *c) {
    const int64_t channels = case_range(c, 1, 10), steps = case_range(c, 2, 5), lanes = case_divisor(c, channels);
    const weir_type type = {.dtype = WEIR_INT8,
                            .shape = {2, {steps, channels}},
                            .quant = {WEIR_FORMAT_INTEGER, .is_signed = true, .width = 6, .axis = -1},
                            .has_range = true,
                            .low = -32,
                            .high = 31};
    const weir_value x = weir_graph_add_input(c->graph, "x", &type);
    c->low = type.low;
    c->high = type.high;
    const weir_value a = add_state(c, "a", &type, lanes), b = add_state(c, "b", &type, lanes);
    const weir_node fork = case_node(c, WEIR_OP_FORK, "fork", &b, 1, 2);
    case_place(c, fork, lanes, lanes, 0);
    const weir_value held = add(c, WEIR_OP_UPDATE, "next_a", weir_node_output(c->graph, fork, 0), a, lanes);
    const weir_value both = add(c, WEIR_OP_SUM, "both", a, weir_node_output(c->graph, fork, 1), lanes);
    const weir_value sum = add(c, WEIR_OP_SUM, "sum", both, x, lanes);
    const weir_node cast = case_node(c, WEIR_OP_CAST_CODES, "cast", &sum, 1, 1);
    weir_value_set_type(c->graph, weir_node_output(c->graph, cast, 0), &type);
    weir_node_set_int(c->graph, cast, "low", type.low);
    weir_node_set_int(c->graph, cast, "high", type.high);
    case_place(c, cast, lanes, lanes, 0);
    const weir_value next = add(c, WEIR_OP_UPDATE, "next_b", case_result(c, cast), b, lanes);
    case_finish(c, add(c, WEIR_OP_SUM, "given", held, next, lanes));
    case_make_data(c, CASE_FRAMES);
}

const component_test component_test_update = {"update", build, "a_initial", false};
