/* Fork: copies of a stream; an output that has taken a beat waits for the others. */
#include "dataflow/build.h"

#include <assert.h>

#include "dataflow/component.h"
#include "dataflow/cost/cost.h"
#include "dataflow/schedule/stream.h"

static weir_component_timing timing(const weir_graph *graph, weir_node node) {
    return (weir_component_timing){0, weir_stream_beats_of(graph, node)};
}

static void build(weir_builder *b, weir_node node) {
    const weir_wires *x = weir_build_input(b, node, 0);
    const size_t outputs = weir_node_output_count(b->graph, node);
    assert(outputs >= 2);
    weir_wires all = {.lanes = x->lanes, .element_bits = x->element_bits, .is_signed = x->is_signed};
    all.valid = weir_build_wire(b, node, "valid", (int64_t)outputs);
    all.ready = weir_build_wire(b, node, "ready", (int64_t)outputs);
    all.data = weir_build_wire(b, node, "data", x->lanes * x->element_bits);
    all.last = weir_build_wire(b, node, "last", 1);
    weir_rtl_instance u = weir_build_component(b, node);
    weir_build_set(b, u, "WIDTH", x->lanes * x->element_bits);
    weir_build_set(b, u, "OUTPUTS", (int64_t)outputs);
    weir_build_connect_through(b, u, x, &all);
    for (size_t i = 0; i < outputs; i++) {
        weir_wires *branch = &b->wires[weir_node_output(b->graph, node, i).id];
        *branch = all;
        branch->valid = weir_rtl_bit(b->design, all.valid, (uint32_t)i);
        branch->ready = weir_rtl_bit(b->design, all.ready, (uint32_t)i);
    }
}

/* --- cost --- */

static void cost(weir_cost_part *part) {
    const int64_t outputs = weir_cost_value(part, "OUTPUTS");
    weir_cost_registers(part, outputs);
    /* A flag's next value depends on all flags and readies: what that takes jumps where it outgrows a lookup table. */
    for (int64_t few = 2; few < 5; few++) weir_cost_term(part, outputs == few);
    weir_cost_path(part, WEIR_COST_REGISTER, weir_cost_levels(part, 2 * outputs + 1), 0, outputs);
    weir_cost_term(part, outputs > 4 ? outputs * outputs : 0);
}

const weir_component_rules weir_fork_rules = {
    .result = WEIR_RESULT_INPUT, .timing = timing, .cost = cost, .build = build};
