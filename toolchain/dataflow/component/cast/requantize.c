/* Scale: clip((x * m + a) >> shift). */
#include "dataflow/component/linear/multiplier_private.h"

static weir_component_timing timing(const weir_graph *graph, weir_node node) {
    weir_component_timing timing = weir_multiplier_timing(graph, node, weir_multiplier_element_bits(graph, node), 1);
    timing.latency += 1;
    return timing;
}

static void build(weir_builder *b, weir_node node) { weir_multiplier_build(b, node); }

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
