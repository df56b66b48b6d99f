/* Scale: clip((x * m + a) >> shift). */
#include "dataflow/component/linear/multiplier_private.h"
#include "quant/arithmetic.h"

static weir_component_timing timing(const weir_graph *graph, weir_node node) {
    weir_component_timing timing = weir_multiplier_timing(graph, node, weir_multiplier_element_bits(graph, node), 1);
    timing.latency += 1;
    return timing;
}

/* Can no input have a result beyond the bounds, whatever its channel? */
static bool never_clips(const weir_graph *graph, weir_node node, int64_t low, int64_t high) {
    const weir_type *x = weir_value_type(graph, weir_node_input(graph, node, 0));
    const weir_array *multiplier = weir_value_constant(graph, weir_node_input(graph, node, 1)),
                     *add = weir_value_constant(graph, weir_node_input(graph, node, 2));
    const int shift = (int)weir_node_int(graph, node, "shift", 0);
    const size_t channels = multiplier->count > add->count ? multiplier->count : add->count;
    bool never = x->has_range && !weir_graph_patchable(graph);
    for (size_t c = 0; never && c < channels; c++) {
        const int64_t m = weir_array_get_int(multiplier, multiplier->count == 1 ? 0 : c),
                      a = weir_array_get_int(add, add->count == 1 ? 0 : c);
        never = weir_requantize_scale(x->low, m, a, shift, INT64_MIN, INT64_MAX) >= low &&
                weir_requantize_scale(x->high, m, a, shift, INT64_MIN, INT64_MAX) <= high;
    }
    return never;
}

/* Bounds that are never reached are those of the output's bits, which take no comparison of numbers. */
static void build(weir_builder *b, weir_node node) {
    enum { MOST_BITS = 62 }; /* of numbers that a parameter has with both signs */
    const weir_wires *y = weir_build_output(b, node);
    int64_t low = weir_node_int(b->graph, node, "low", 0), high = weir_node_int(b->graph, node, "high", 0);
    if (y->element_bits <= MOST_BITS && never_clips(b->graph, node, low, high)) {
        high = ((int64_t)1 << (y->element_bits - y->is_signed)) - 1;
        low = y->is_signed ? -high - 1 : 0;
    }
    weir_multiplier_build(b, node, low, high);
}

/* --- cost --- */

static void cost(weir_cost_part *part) {
    const int64_t x = weir_cost_value(part, "X_W");
    const int64_t product = x + weir_cost_value(part, "M_W"), add = weir_cost_value(part, "A_W");
    const int64_t sum = (product > add ? product : add) + 1, shift = weir_cost_value(part, "SHIFT");
    const int64_t rest = sum > shift ? sum - shift : 1;
    const int64_t code = rest - (weir_cost_value(part, "LO") >= 0), out = weir_cost_value(part, "OUT_W");
    weir_multiplier_cost(part, x, add, code < out ? code : out, 0, 0, rest, 0);
}

const weir_component_rules weir_requantize_rules = {.asks = "multipliers of 0 or more",
                                                    .fits = weir_multiplier_fits,
                                                    .quantizes = true,
                                                    .pieces = weir_multiplier_pieces,
                                                    .timing = timing,
                                                    .memory = weir_multiplier_memory,
                                                    .content = weir_multiplier_content,
                                                    .cost = cost,
                                                    .facts = weir_multiplier_facts,
                                                    .build = build,
                                                    .describe = weir_multiplier_describe,
                                                    .settings = weir_multiplier_settings,
                                                    .setting_count = WEIR_MULTIPLIER_SETTINGS,
                                                    .has_active = true};
