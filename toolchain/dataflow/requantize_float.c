/* ScaleFloat: clip(zero + round((x + a) * m >> shift)) as float32 rounds it. */
#include "dataflow/memory.h"
#include "dataflow/multiplier.h"
#include "dataflow/stream.h"

static bool fits(const weir_graph *graph, weir_node node, weir_text *why) {
    if (!weir_multiplier_fits(graph, node, why)) return false;
    if (weir_node_int(graph, node, "shift", 0) >= 2) return true;
    weir_text_add(why, "hardware needs a shift of 2 or more");
    return false;
}

/* Is the sum of input and addend so wide that it is rounded before the product? */
static bool rounds_sum(const weir_graph *graph, weir_node node) {
    enum { EXACT_SUM = 25 }; /* bits, sign included: rtl/cast/weir_requantize_float.v */
    bool is_signed;
    int x = weir_stream_width(graph, weir_node_input(graph, node, 0), &is_signed) + !is_signed;
    int a = weir_memory_signed_bits(graph, weir_node_input(graph, node, 2));
    return (x > a ? x : a) + 1 > EXACT_SUM;
}

static weir_component_timing timing(const weir_graph *graph, weir_node node) {
    weir_component_timing timing = weir_multiplier_timing(graph, node);
    if (rounds_sum(graph, node)) timing.latency += 2;
    return timing;
}

static int64_t wait(const weir_graph *graph, weir_node node) {
    return weir_multiplier_wait(graph, node) + (rounds_sum(graph, node) ? 2 : 0);
}

static void build(weir_builder *b, weir_node node) {
    weir_rtl_instance u = weir_multiplier_build(b, node);
    weir_build_set(b, u, "ZERO", weir_node_int(b->graph, node, "zero", 0));
}

static void describe(const weir_graph *graph, weir_node node, weir_text *text) {
    weir_multiplier_describe(graph, node, text);
    weir_text_add(text, ", float32 rounding");
}

const weir_component_rules weir_requantize_float_rules = {.asks = "multipliers of 0 or more, a shift of 2 or more",
                                                          .fits = fits,
                                                          .quantizes = true,
                                                          .pieces = weir_multiplier_pieces,
                                                          .timing = timing,
                                                          .wait = wait,
                                                          .memory = weir_multiplier_memory,
                                                          .content = weir_multiplier_content,
                                                          .build = build,
                                                          .describe = describe,
                                                          .has_active = true};
