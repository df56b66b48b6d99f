/* Sum: ca * a + cb * b of two streams with the same beats. */
#include "dataflow/build.h"
#include "dataflow/component.h"
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

static weir_component_timing timing(const weir_graph *graph, weir_node node) {
    return (weir_component_timing){1, weir_stream_beats_of(graph, node)};
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

const weir_component_rules weir_add_rules = {.becomes = becomes,
                                             .streams = 2,
                                             .result = WEIR_RESULT_SIGNED,
                                             .timing = timing,
                                             .build = build,
                                             .has_active = true};
