/* RegisterSlice: two registers that cut every path of a stream. */
#include "dataflow/build.h"

#include <assert.h>

#include "dataflow/component.h"
#include "dataflow/cost/cost.h"
#include "dataflow/schedule/stream.h"

static void build(weir_builder *b, weir_node node) {
    const weir_wires *x = weir_build_input(b, node, 0), *y = weir_build_output(b, node);
    assert(x->lanes == y->lanes && x->element_bits == y->element_bits);
    weir_rtl_instance u = weir_build_component(b, node);
    weir_build_set(b, u, "WIDTH", x->lanes * x->element_bits);
    weir_build_connect_through(b, u, x, y);
}

/* --- cost --- */

static void cost(weir_cost_part *part) {
    const int64_t width = weir_cost_value(part, "WIDTH");
    weir_cost_slice(part, width);
    weir_cost_term(part, width);
}

const weir_component_rules weir_register_slice_rules = {
    .result = WEIR_RESULT_INPUT, .timing = weir_stream_registered, .cost = cost, .build = build};
