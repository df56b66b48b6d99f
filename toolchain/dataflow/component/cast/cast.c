/* Cast: shift, round and clip, after an addend for all channels or for each.
 * Addends: word g holds for lane l the addition of channel g * LANES + l. */
#include <assert.h>
#include <string.h>

#include "dataflow/build.h"
#include "dataflow/component.h"
#include "dataflow/cost/cost.h"
#include "dataflow/memory.h"
#include "dataflow/schedule/stream.h"

static bool fits(const weir_graph *graph, weir_node node, weir_text *why) {
    if (!weir_component_fits_numbers(graph, node, why)) return false;
    if (strcmp(weir_node_string(graph, node, "rounding", "floor"), "half-to-zero") != 0) return true;
    weir_text_add(why, "hardware has no rounding half-to-zero");
    return false;
}

/* A register after the addition and one after the bias, if any. */
static weir_component_timing timing(const weir_graph *graph, weir_node node) {
    assert(weir_node_op(graph, node) == WEIR_OP_CAST_CODES);
    const bool adds = weir_node_input(graph, node, 1).id != 0;
    const bool shifts = weir_node_int(graph, node, "shift", 0) > weir_node_int(graph, node, "left", 0);
    const bool rounds = strcmp(weir_node_string(graph, node, "rounding", "floor"), "floor") != 0;
    return (weir_component_timing){1 + adds + (rounds && shifts), weir_stream_beats_of(graph, node)};
}

static bool memory(const weir_graph *graph, weir_node node, size_t index, weir_memory *memory) {
    weir_value add = weir_node_input(graph, node, 1);
    if (index > 0 || add.id == 0) return false;
    int64_t lanes = weir_node_metadata_of(graph, node)->hardware.out_lanes;
    *memory = (weir_memory){.suffix = "add",
                            .depth = weir_memory_words(graph, add, lanes),
                            .fields = lanes,
                            .field_bits = weir_memory_signed_bits(graph, add)};
    return true;
}

static void content(const weir_graph *graph, weir_node node, const weir_memory *memory, int64_t word, int64_t *lower,
                    int64_t *upper) {
    assert(word >= 0 && word < memory->depth);
    (void)upper;
    const weir_value add = weir_node_input(graph, node, 1);
    for (int64_t field = 0; field < memory->fields; field++)
        lower[field] = weir_memory_element(graph, add, word * memory->fields + field, 0, 1, 0);
}

static void build(weir_builder *b, weir_node node) {
    const weir_wires *x = weir_build_input(b, node, 0), *y = weir_build_output(b, node);
    assert(x->lanes == y->lanes);
    weir_rounding rounding = WEIR_ROUND_FLOOR;
    weir_rounding_parse(weir_node_string(b->graph, node, "rounding", "floor"), &rounding);
    weir_memory add;
    bool adds = weir_memory_get(b->graph, node, 0, &add);
    weir_rtl_instance u = weir_build_component(b, node);
    weir_build_set(b, u, "LANES", x->lanes);
    weir_build_set_element(b, u, "IN", x);
    weir_build_set(b, u, "OUT_W", y->element_bits);
    weir_build_set(b, u, "SHIFT", weir_node_int(b->graph, node, "shift", 0));
    weir_build_set(b, u, "LEFT", weir_node_int(b->graph, node, "left", 0));
    weir_build_set(b, u, "ROUND", rounding); /* the enumeration is the module's */
    weir_build_set(b, u, "LO", weir_node_int(b->graph, node, "low", 0));
    weir_build_set(b, u, "HI", weir_node_int(b->graph, node, "high", 0));
    weir_build_set(b, u, "ADD_W", adds ? add.field_bits : 0);
    weir_build_connect(b, u, "s", x);
    if (adds) {
        weir_wires words = weir_build_memory(b, node, &add);
        weir_build_connect(b, u, "p", &words);
    } else {
        weir_rtl_connect(b->design, u, "p_valid", weir_rtl_constant(b->design, 1, 1));
        weir_rtl_connect(b->design, u, "p_data", weir_rtl_constant(b->design, 1, 0));
        weir_rtl_leave_open(b->design, u, "p_ready");
    }
    weir_build_connect(b, u, "m", y);
}

static void describe(const weir_graph *graph, weir_node node, weir_text *text) {
    weir_text_format(text, "shift %lld, %s", (long long)weir_node_int(graph, node, "shift", 0),
                     weir_node_string(graph, node, "rounding", "floor"));
}

/* --- cost --- */

/* Widths as in rtl/cast/weir_cast.v: the sum, the sum with the bias, what is left of it, what is kept of that. */
static void cost(weir_cost_part *part) {
    const int64_t lanes = weir_cost_value(part, "LANES"), add = weir_cost_value(part, "ADD_W");
    const int64_t x = weir_cost_value(part, "IN_W") + (weir_cost_value(part, "IN_SIGNED") == 0);
    const int64_t sum = add == 0 ? x : (x > add ? x : add) + 1;
    const int64_t shift = weir_cost_value(part, "SHIFT") - weir_cost_value(part, "LEFT"), cut = shift > 0 ? shift : 0;
    const int64_t biased = (sum > cut ? sum : cut + 1) + (shift < 0 ? -shift : 0) + (cut > 0);
    const int64_t rounding = weir_cost_value(part, "ROUND");
    const bool rounds = cut > 0 && rounding != WEIR_ROUND_FLOOR;
    const int64_t rest = biased - cut - (cut > 0 && !rounds); /* without a bias the two highest bits are one */
    const int64_t code = rest - (weir_cost_value(part, "LO") >= 0), out = weir_cost_value(part, "OUT_W");
    const int64_t kept = code < out ? (code > 0 ? code : 1) : out;
    /* Bits of the sum that nobody looks at: all below the cut, or below the one that is half of it. */
    const int64_t unused = !rounds ? cut : rounding == WEIR_ROUND_HALF_UP ? cut - 1 : 0;
    const int64_t carries = (add > 0 ? unused : 0) + (rounds ? cut - unused : 0);
    weir_cost_term(part, weir_cost_clipped(part, lanes, rest, kept, 2, weir_cost_clips_at_once(part, rest, kept)));
    weir_cost_term(part, add > 0 ? lanes * (sum - unused) : 0);
    weir_cost_term(part, rounds ? lanes * rest : 0);
    weir_cost_term(part, lanes * carries); /* of bits of adders that are not kept themselves */
    weir_cost_term(part, (add > 0) + rounds);
    const int64_t clip = rest > kept ? 1 + weir_cost_levels(part, rest - kept) : 0;
    weir_cost_path(part, WEIR_COST_REGISTER, 1 + clip, 0, lanes * rest);
    if (add > 0) weir_cost_path(part, WEIR_COST_REGISTER, 1, sum, lanes * sum);
    if (rounds) weir_cost_path(part, WEIR_COST_REGISTER, 1, biased, lanes * rest);
    if (add > 0) weir_cost_registers(part, lanes * (sum - unused) + 2);
    if (rounds) weir_cost_registers(part, lanes * rest + 2);
    weir_cost_slice(part, lanes * kept);
}

const weir_component_rules weir_cast_rules = {.asks = "a rounding other than half-to-zero",
                                              .fits = fits,
                                              .quantizes = true,
                                              .timing = timing,
                                              .memory = memory,
                                              .content = content,
                                              .cost = cost,
                                              .build = build,
                                              .describe = describe,
                                              .has_active = true};
