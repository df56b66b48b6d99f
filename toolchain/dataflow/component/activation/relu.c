/* Maximum: the larger of x and the code of zero. */
#include "dataflow/build.h"

#include <assert.h>

#include "dataflow/component.h"
#include "dataflow/cost/cost.h"
#include "dataflow/schedule/stream.h"
#include "ir/trait/trait.h"

static bool fits(const weir_graph *graph, weir_node node, weir_text *why) {
    static const char *const names[] = {"zero"};
    return weir_component_fits_32(graph, node, names, 1, why);
}

static bool becomes(const weir_graph *graph, weir_node node) { return weir_trait_kind(graph, node) == WEIR_OP_RELU; }

static void build(weir_builder *b, weir_node node) {
    const weir_wires *x, *y;
    weir_rtl_instance u = weir_build_lanes(b, node, &x, &y);
    weir_build_set(b, u, "WIDTH", x->element_bits);
    weir_build_set(b, u, "SIGNED", x->is_signed);
    weir_build_set(b, u, "ZERO", weir_node_int(b->graph, node, "zero", 0));
    weir_build_connect_through(b, u, x, y);
}

/* --- cost --- */

static void cost(weir_cost_part *part) {
    const int64_t lanes = weir_cost_value(part, "LANES"), width = weir_cost_value(part, "WIDTH");
    const bool clears =
        weir_cost_value(part, "ZERO") == 0 && weir_cost_value(part, "SIGNED") != 0; /* the sign is gone */
    const int64_t compared = weir_cost_value(part, "ZERO") == 0 ? 0 : width;        /* rather than the sign */
    const bool chained = compared > 0 && weir_cost_chains(part, compared + 1);
    weir_cost_term(part, lanes * width);
    weir_cost_term(part,
                   compared > 0 ? (1 + chained) * lanes * (compared - 1) : 0); /* a choice a bit, and the chain's */
    weir_cost_term(part, chained ? lanes : 0);
    weir_cost_path(part, WEIR_COST_REGISTER, compared > 0 ? 2 : 1, compared, width);
    weir_cost_term(part, clears ? lanes * width : 0);
    weir_cost_slice(part, lanes * (width - clears));
}

const weir_component_rules weir_relu_rules = {.fits = fits,
                                              .becomes = becomes,
                                              .result = WEIR_RESULT_INPUT,
                                              .timing = weir_stream_registered,
                                              .cost = cost,
                                              .build = build,
                                              .has_active = true};
