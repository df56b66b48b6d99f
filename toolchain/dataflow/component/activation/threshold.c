/* Threshold: base + step * (thresholds that x reaches), PARALLEL thresholds of each lane a cycle.
 * Thresholds: for group g, ceil(COUNT / PARALLEL) words; lane l's thresholds at index l * PARALLEL + i; unused ones are
 * the largest value, which no input reaches. */
#include <assert.h>

#include "dataflow/component/activation/threshold_private.h"
#include "dataflow/cost/cost.h"
#include "dataflow/memory.h"
#include "dataflow/schedule/stream.h"

bool weir_threshold_fits(const weir_graph *graph, weir_node node, weir_text *why) {
    static const char *const names[] = {"base", "step"};
    return weir_component_fits_32(graph, node, names, 2, why);
}

int64_t weir_threshold_count(const weir_graph *graph, weir_node node) {
    assert(weir_node_op(graph, node) == WEIR_OP_THRESHOLD);
    return weir_value_type(graph, weir_node_input(graph, node, 1))->shape.dim[1];
}

/* Thresholds that a lane compares with in a cycle. */
static int64_t words_of(const weir_graph *graph, weir_node node) {
    assert(weir_component_setting_digit_of(graph, node) >= 1);
    return weir_ceil_divide(weir_threshold_count(graph, node), weir_component_setting_digit_of(graph, node));
}

/* ceil(log2(parallel + 1)): of how many thresholds of a word are reached. */
static int64_t bits_of(int64_t parallel) {
    assert(parallel >= 1);
    return weir_bits_for(0, parallel);
}

/* A comparison and the output around the search of a word's comparisons, two bits a stage. */
static weir_component_timing timing(const weir_graph *graph, weir_node node) {
    const int64_t words = words_of(graph, node);
    const int64_t stages = bits_of(weir_component_setting_digit_of(graph, node)) / 2;
    return (weir_component_timing){(words == 1 ? 0 : words) + 2 + stages, words * weir_stream_beats_of(graph, node)};
}

int weir_threshold_width(const weir_graph *graph, weir_node node) {
    bool is_signed;
    const int x_bits = weir_stream_width(graph, weir_node_input(graph, node, 0), &is_signed) + !is_signed;
    const int t_bits = weir_memory_signed_bits(graph, weir_node_input(graph, node, 1));
    return (x_bits > t_bits ? x_bits : t_bits) + 1;
}

int64_t weir_threshold_never(const weir_memory *memory) {
    assert(memory->field_bits >= 1 && memory->field_bits <= 64);
    return INT64_MAX >> (64 - memory->field_bits);
}

static bool memory(const weir_graph *graph, weir_node node, size_t index, weir_memory *memory) {
    if (index > 0) return false;
    const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
    assert(hardware->out_lanes >= 1);
    weir_value thresholds = weir_node_input(graph, node, 1);
    *memory = (weir_memory){.suffix = "thresholds",
                            .depth = weir_memory_words(graph, thresholds, hardware->out_lanes) * words_of(graph, node),
                            .fields = hardware->out_lanes * weir_component_setting_digit_of(graph, node),
                            .field_bits = weir_threshold_width(graph, node)};
    return true;
}

static void content(const weir_graph *graph, weir_node node, const weir_memory *memory, int64_t word, int64_t *lower,
                    int64_t *upper) {
    assert(word >= 0 && word < memory->depth);
    (void)upper;
    const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
    const int64_t words = words_of(graph, node), never = weir_threshold_never(memory);
    const int64_t digit = weir_component_setting_digit_of(graph, node);
    const int64_t lane = word / words * hardware->out_lanes, first = word % words * digit;
    for (int64_t field = 0; field < memory->fields; field++)
        lower[field] = weir_memory_element(graph, weir_node_input(graph, node, 1), lane + field / digit,
                                           first + field % digit, weir_threshold_count(graph, node), never);
}

void weir_threshold_connect(weir_builder *b, weir_node node, weir_rtl_instance u) {
    const weir_wires *x = weir_build_input(b, node, 0), *y = weir_build_output(b, node);
    assert(x->lanes == y->lanes);
    weir_build_set(b, u, "LANES", x->lanes);
    weir_build_set_element(b, u, "IN", x);
    weir_build_set(b, u, "OUT_W", y->element_bits);
    weir_build_set(b, u, "COUNT", weir_threshold_count(b->graph, node));
    weir_build_set(b, u, "T_W", weir_threshold_width(b->graph, node));
    weir_build_set(b, u, "BASE", weir_node_int(b->graph, node, "base", 0));
    weir_build_set(b, u, "STEP", weir_node_int(b->graph, node, "step", 1));
    weir_build_connect_through(b, u, x, y);
}

static void build(weir_builder *b, weir_node node) {
    weir_memory thresholds;
    weir_memory_get(b->graph, node, 0, &thresholds);
    weir_wires words = weir_build_memory(b, node, &thresholds);
    weir_rtl_instance u = weir_build_component(b, node);
    weir_threshold_connect(b, node, u);
    weir_build_set(b, u, "PARALLEL", weir_component_setting_digit_of(b->graph, node));
    weir_build_connect(b, u, "p", &words);
}

static void describe(const weir_graph *graph, weir_node node, weir_text *text) {
    weir_text_format(text, "%lld thresholds, %lld a cycle", (long long)weir_threshold_count(graph, node),
                     (long long)weir_component_setting_digit_of(graph, node));
}

/* --- cost --- */

/* Comparisons, and what the stages of the search keep of them: rtl/activation/weir_threshold.v. */
static void cost(weir_cost_part *part) {
    const int64_t lanes = weir_cost_value(part, "LANES"), in = weir_cost_value(part, "IN_W");
    const int64_t out = weir_cost_value(part, "OUT_W"), parallel = weir_cost_value(part, "PARALLEL");
    const int64_t words = weir_ceil_divide(weir_cost_value(part, "COUNT"), parallel), bits = bits_of(parallel);
    const int64_t stages = bits / 2, flags = words > 1 ? 4 : 2;
    weir_cost_term(part, lanes * parallel * weir_cost_value(part, "T_W"));
    weir_cost_term(part, lanes * parallel);
    weir_cost_term(part, lanes * out);
    weir_cost_term(part, words > 1 ? lanes * out + weir_cost_bits(words) : 0);
    weir_cost_registers(part, lanes * parallel + (stages + 1) * flags);
    for (int64_t left = 2 * (stages - 1); left >= 0; left -= 2) {
        const int64_t kept = (((int64_t)1 << left) - 1) < parallel ? ((int64_t)1 << left) - 1 : parallel;
        weir_cost_registers(part, lanes * (kept + bits - left));
    }
    weir_cost_slice(part, lanes * (weir_cost_value(part, "COUNT") == 1 ? 1 : out)); /* of two results one bit differs */
    weir_cost_path(part, WEIR_COST_REGISTER, 1, weir_cost_value(part, "T_W") + 1, parallel);
    weir_cost_path(part, WEIR_COST_REGISTER, 2, words > 1 ? out : 0, lanes * parallel);
    if (words > 1) weir_cost_registers(part, 2 + weir_cost_bits(words) + lanes * (in + out));
}

const weir_component_rules weir_threshold_rules = {.fits = weir_threshold_fits,
                                                   .quantizes = true,
                                                   .pieces = weir_threshold_count,
                                                   .timing = timing,
                                                   .memory = memory,
                                                   .content = content,
                                                   .cost = cost,
                                                   .build = build,
                                                   .describe = describe,
                                                   .has_active = true};
