/* ScaleFloat: clip(zero + round((x + a) * m >> shift)) as float32 rounds it. */
#include "dataflow/component/linear/multiplier_private.h"

#include <assert.h>

#include "dataflow/memory.h"
#include "dataflow/schedule/stream.h"

static bool fits(const weir_graph *graph, weir_node node, weir_text *why) {
    static const char *const names[] = {"zero"};
    if (!weir_component_fits_numbers(graph, node, why) || !weir_component_fits_32(graph, node, names, 1, why) ||
        !weir_multiplier_fits(graph, node, why))
        return false;
    if (weir_node_int(graph, node, "shift", 0) >= 2) return true;
    weir_text_add(why, "hardware needs a shift of 2 or more");
    return false;
}

/* Bits of the sum of input and addend. */
static int64_t sum_bits(const weir_graph *graph, weir_node node) {
    assert(weir_node_op(graph, node) == WEIR_OP_SCALE_FLOAT);
    const int64_t x = weir_multiplier_element_bits(graph, node);
    const int64_t a = weir_memory_signed_bits(graph, weir_node_input(graph, node, 2));
    return (x > a ? x : a) + 1;
}

/* A wide sum is rounded before the product; one for multiplier blocks, which may be far away, is in a register. */
static weir_component_timing timing(const weir_graph *graph, weir_node node) {
    enum { EXACT_SUM = 25 }; /* bits, sign included: rtl/cast/weir_requantize_float.v */
    const int64_t sum = sum_bits(graph, node), wide = sum > EXACT_SUM;
    weir_component_timing timing = weir_multiplier_timing(graph, node, sum + wide, 0);
    timing.latency += 3 + (wide ? 3 : weir_multiplier_in_blocks(graph, node));
    return timing;
}

static void build(weir_builder *b, weir_node node) {
    assert(weir_node_int(b->graph, node, "shift", 0) >= 2);
    weir_rtl_instance u = weir_multiplier_build(b, node, weir_node_int(b->graph, node, "low", 0),
                                                weir_node_int(b->graph, node, "high", 0));
    weir_build_set(b, u, "ZERO", weir_node_int(b->graph, node, "zero", 0));
}

static void describe(const weir_graph *graph, weir_node node, weir_text *text) {
    weir_multiplier_describe(graph, node, text);
    weir_text_add(text, ", float32 rounding");
}

/* --- cost --- */

/* Bits of the largest distance from ZERO that matters. */
static int64_t gap_bits(const weir_cost_part *part) {
    const int64_t up = weir_cost_value(part, "HI") - weir_cost_value(part, "ZERO");
    const int64_t down = weir_cost_value(part, "ZERO") - weir_cost_value(part, "LO");
    return weir_cost_bits((up > down ? up : down) + 1);
}

static void cost(weir_cost_part *part) {
    enum { ROUNDED_BIT = 9 }; /* what weir_round_24 takes more for each bit of a wide sum */
    const int64_t lanes = weir_cost_value(part, "LANES"), x = weir_cost_value(part, "X_W");
    const int64_t add = weir_cost_value(part, "A_W"), m = weir_cost_value(part, "M_W");
    const int64_t shift = weir_cost_value(part, "SHIFT"), sum = (x > add ? x : add) + 1;
    const bool wide = sum > 25; /* the sum is rounded to 24 bits before the product */
    const bool blocks = weir_cost_value(part, "DIGIT") >= m && weir_cost_value(part, "MUL_W") > 0;
    const int64_t before =
        wide ? 3 : blocks; /* cycles until the product; the sum and the multiplier are in registers */
    const int64_t value = sum + wide, product = value + m, code = product > shift ? product - shift : 1;
    const int64_t gap = gap_bits(part) < code ? gap_bits(part) : code; /* above the product bits repeat the sign */
    const int64_t window = shift + gap > 24 ? shift + gap - 24 : 1;
    const int64_t out = weir_cost_value(part, "OUT_W") < code ? weir_cost_value(part, "OUT_W") : code;
    const int64_t set = window < gap + 2 ? window : gap + 2; /* bits of the window that may be 1 */
    weir_multiplier_cost(part, value, 0, out, before, 2, 0, lanes * (sum + product + 4 * gap + window + 2 * out));
    weir_cost_term(part, wide ? lanes * (sum + ROUNDED_BIT * (sum - 24)) : 0);
    weir_cost_registers(part, lanes * (2 * out + window + set + 10));
    weir_cost_registers(part, lanes * before * sum + (wide ? lanes * 2 * (sum - 25) + 3 : 0));
    const int64_t varying = lanes - weir_cost_fact(part, "CONSTANTS", 0);
    const bool shifts = before > 1 && weir_device_shifts(part->device, before);
    weir_cost_term(part, shifts ? varying * m : 0);
    weir_cost_registers(part, shifts ? 0 : varying * before * m);
}

const weir_component_rules weir_requantize_float_rules = {.asks = "multipliers of 0 or more, a shift of 2 or more",
                                                          .fits = fits,
                                                          .quantizes = true,
                                                          .pieces = weir_multiplier_pieces,
                                                          .timing = timing,
                                                          .memory = weir_multiplier_memory,
                                                          .content = weir_multiplier_content,
                                                          .cost = cost,
                                                          .facts = weir_multiplier_facts,
                                                          .build = build,
                                                          .describe = describe,
                                                          .settings = weir_multiplier_settings,
                                                          .setting_count = WEIR_MULTIPLIER_SETTINGS,
                                                          .has_active = true};
