/* Sum: ca * a + cb * b of two streams with the same beats. */
#include "dataflow/build.h"
#include "dataflow/component.h"
#include "dataflow/cost.h"
#include "dataflow/stream.h"

static bool becomes(const weir_graph *graph, weir_node node) {
    switch (weir_node_op(graph, node)) {
    case WEIR_OP_QLINEAR_ADD:
        return weir_component_stream_operand(graph, node, 0) && weir_component_stream_operand(graph, node, 3);
    case WEIR_OP_ADD: /* of a constant: part of the requantizer */
        return !weir_component_takes_constant(graph, node, "data_in_0") &&
               !weir_component_takes_constant(graph, node, "data_in_1");
    default: return false;
    }
}

static void build(weir_builder *b, weir_node node) {
    const weir_wires *x = weir_build_input(b, node, 0), *other = weir_build_input(b, node, 1);
    const weir_wires *y = weir_build_output(b, node);
    weir_rtl_instance u = weir_build_component(b, node);
    weir_build_set(b, u, "A_W", x->element_bits);
    weir_build_set(b, u, "A_SIGNED", x->is_signed);
    weir_build_set(b, u, "B_W", other->element_bits);
    weir_build_set(b, u, "B_SIGNED", other->is_signed);
    weir_build_set(b, u, "CA", weir_node_int(b->graph, node, "ca", 1));
    weir_build_set(b, u, "CB", weir_node_int(b->graph, node, "cb", 1));
    weir_build_set(b, u, "OUT_W", y->element_bits);
    weir_build_set(b, u, "LANES", y->lanes);
    weir_build_connect(b, u, "s_a", x);
    weir_build_connect(b, u, "s_b", other);
    weir_build_connect(b, u, "m", y);
}

/* --- cost --- */

/* Digits other than 0 of a factor in canonical signed form: rtl/linear/weir_add.v adds or subtracts one shifted operand
 * for each. */
static int64_t digits_of(int64_t factor) {
    int64_t digits = 0;
    for (uint64_t left = (uint64_t)(factor < 0 ? -factor : factor); left != 0; left >>= 1) {
        if ((left & 1) == 0) continue;
        digits++;
        if ((left & 3) == 3) left += 2; /* 11 is 10(-1) */
    }
    return digits;
}

static void cost(weir_cost_part *part) {
    const int64_t digits = digits_of(weir_cost_value(part, "CA")) + digits_of(weir_cost_value(part, "CB"));
    const int64_t bits = weir_cost_value(part, "LANES") * weir_cost_value(part, "OUT_W");
    weir_cost_term(part, bits);
    weir_cost_term(part, bits * (digits - 1));
    weir_cost_slice(part, bits);
}

const weir_component_rules weir_add_rules = {.becomes = becomes,
                                             .streams = 2,
                                             .result = WEIR_RESULT_SIGNED,
                                             .timing = weir_stream_registered,
                                             .cost = cost,
                                             .build = build,
                                             .has_active = true};
