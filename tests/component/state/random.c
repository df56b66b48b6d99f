/* Sums over time, clipped: a State, what adds a row of the input to it, its Update. Half of them are kept from frame to
 * frame, in sequences of a few frames; some of the others begin each frame with what comes in. */
#include "component/case.h"

/* What it starts from, of the input's type. */
static weir_value initial(component_case *c, int64_t channels, const weir_type *type, bool comes) {
    if (comes) {
        weir_type own = *type;
        own.shape = (weir_shape){2, {1, channels}};
        return weir_graph_add_input(c->graph, "initial", &own);
    }
    int64_t *codes = case_numbers(c, channels, 1, false);
    for (int64_t i = 0; i < channels; i++) codes[i] = case_range(c, type->low, type->high);
    weir_array *row = weir_array_new(type->dtype, &(weir_shape){2, {1, channels}});
    for (int64_t i = 0; i < channels; i++) weir_array_set_int(row, (size_t)i, codes[i]);
    const weir_value value = weir_graph_add_constant(c->graph, "initial", row);
    weir_type own = *type;
    own.shape = row->shape;
    weir_value_set_type(c->graph, value, &own);
    weir_array_free(row);
    free(codes);
    return value;
}

static void build(component_case *c) {
    const int64_t channels = case_range(c, 1, 12), steps = case_range(c, 1, 6), lanes = case_divisor(c, channels);
    const int64_t width = case_range(c, 2, 9);
    weir_type type = {.dtype = WEIR_INT16,
                      .shape = {2, {steps, channels}},
                      .quant = {WEIR_FORMAT_INTEGER, .is_signed = true, .width = (int)width, .axis = -1},
                      .has_range = true,
                      .low = -((int64_t)1 << (width - 1)),
                      .high = ((int64_t)1 << (width - 1)) - 1};
    type.dtype = weir_dtype_for(type.low, type.high);
    const int64_t kept = case_range(c, -3, 3);
    const weir_value x = weir_graph_add_input(c->graph, "x", &type), start = initial(c, channels, &type, kept < 0);
    c->low = type.low;
    c->high = type.high;
    const weir_node state = case_node(c, WEIR_OP_STATE, "state", &start, 1, 1);
    weir_node_set_int(c->graph, state, "steps", steps);
    if (kept > 0) weir_node_set_int(c->graph, state, "kept", 1);
    if (kept > 1) weir_node_set_int(c->graph, state, "sequence", kept);
    case_place(c, state, lanes, lanes, 0);
    const weir_value pair[2] = {x, case_result(c, state)};
    const weir_node sum = case_node(c, WEIR_OP_SUM, "sum", pair, 2, 1);
    weir_node_set_int(c->graph, sum, "cb", case_chance(c, 50) ? 1 : -1);
    case_place(c, sum, lanes, lanes, 0);
    const weir_value sums = case_result(c, sum);
    const weir_node cast = case_node(c, WEIR_OP_CAST_CODES, "cast", &sums, 1, 1);
    weir_value_set_type(c->graph, weir_node_output(c->graph, cast, 0), &type);
    weir_node_set_int(c->graph, cast, "low", type.low);
    weir_node_set_int(c->graph, cast, "high", type.high);
    case_place(c, cast, lanes, lanes, 0);
    const weir_value next[2] = {case_result(c, cast), case_result(c, state)};
    const weir_node update = case_node(c, WEIR_OP_UPDATE, "update", next, 2, 1);
    case_place(c, update, lanes, lanes, 0);
    case_finish(c, case_result(c, update));
    case_make_data(c, CASE_FRAMES);
}

const component_test component_test_state = {"state", build, "state_initial", false};
