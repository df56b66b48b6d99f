/* What no multiplication computes exactly, a chain of float32 roundings of 16-bit codes, is near one: floor((x * M + A)
 * / 2^S), clipped one below the highest code, and for each code one more or none. A table of that has a bit a code, not
 * all bits of the result. Each code is looked at, so that nothing is taken for granted; M is the ratio of the scales at
 * the smallest shift that comes so near. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "ir/shape/infer.h"
#include "passes/quantize/realizer.h"
#include "support/memory/arena.h"

/* Products of these fit 64 bits with a sign, and so do codes of 16 bits times 2^MOST_SHIFT. */
enum { MOST_SHIFT = 24, CODE_BITS = 24, MULTIPLIER_BITS = 31 };

/* The addends with which channel c lies so near at this shift, of which the largest: it needs the fewest ones. False:
 * there is none. */
static bool find_addend(const weir_realizer *r, size_t c, const weir_type *in, const int64_t *wanted,
                        weir_candidate *k) {
    const double ratio = weir_requantizer_slope(&r->requantizer, (int64_t)c);
    const int64_t multiplier = (int64_t)nearbyint(ldexp(ratio, k->shift)), one = (int64_t)1 << k->shift;
    int64_t least = INT64_MIN, most = INT64_MAX;
    for (int64_t i = 0; i <= in->high - in->low; i++) {
        const int64_t code = wanted[i], product = (in->low + i) * multiplier;
        const int64_t above = (code + 1) * one - 1 - product, below = (code - 1) * one - product;
        if (code < k->high && above < most) most = above;
        if (code - 1 > k->low && below > least) least = below;
    }
    if (least > most) return false;
    k->multiplier[c] = multiplier;
    k->add[c] = most < INT64_MAX ? most : least;
    return true;
}

static bool has_room(const weir_realizer *r, const weir_type *in) {
    for (size_t c = 0; c < r->channels; c++) {
        const double ratio = weir_requantizer_slope(&r->requantizer, (int64_t)c);
        if (!(ratio > 0) || ldexp(ratio, MOST_SHIFT) >= ldexp(1, MULTIPLIER_BITS)) return false;
    }
    return r->high > r->low && weir_bits_for(in->low, in->high) <= CODE_BITS;
}

/* The smallest shift at which all channels have addends; `wanted`: by channel and code. */
static bool find_scale(const weir_realizer *r, const weir_type *in, const int64_t *wanted, weir_candidate *k) {
    const size_t codes = (size_t)(in->high - in->low + 1);
    if (!has_room(r, in)) return false;
    for (k->shift = 0; k->shift <= MOST_SHIFT; k->shift++) {
        bool fine = true;
        for (size_t c = 0; fine && c < r->channels; c++) fine = find_addend(r, c, in, wanted + c * codes, k);
        if (fine) return true;
    }
    return false;
}

static weir_value put(weir_realizer *r, weir_op op, const char *suffix, const weir_value *inputs, size_t count,
                      const weir_type *type) {
    char *name = weir_format("%s_%s", weir_node_name(r->graph, r->node), suffix);
    const weir_node made = weir_graph_add_node(r->graph, op, name, inputs, count, 1, r->node);
    free(name);
    weir_node_set_location(r->graph, made, weir_node_location(r->graph, r->node));
    weir_value_set_type(r->graph, weir_node_output(r->graph, made, 0), type);
    return weir_node_output(r->graph, made, 0);
}

static weir_value put_scale(weir_realizer *r, weir_value x, const weir_candidate *k) {
    const weir_value inputs[3] = {x, weir_realizer_parameter(r, "multiplier", k->multiplier, r->channels, 0),
                                  weir_realizer_parameter(r, "add", k->add, r->channels, 0)};
    const weir_type type = *weir_value_type(r->graph, weir_node_output(r->graph, r->node, 0));
    const weir_value value = put(r, WEIR_OP_SCALE, "near", inputs, 3, &type);
    const weir_node made = weir_value_producer(r->graph, value);
    weir_node_set_int(r->graph, made, "low", k->low);
    weir_node_set_int(r->graph, made, "high", k->high);
    weir_node_set_int(r->graph, made, "shift", k->shift);
    return weir_infer_node(r->graph, made) ? value : WEIR_NO_VALUE;
}

/* The steps that remain, none or one. */
static weir_value put_steps(weir_realizer *r, weir_value x, const int64_t *steps, size_t codes) {
    const weir_value inputs[2] = {x, weir_realizer_parameter(r, "table", steps, r->channels, codes)};
    weir_type type = *weir_value_type(r->graph, weir_node_output(r->graph, r->node, 0));
    type.quant = (weir_quant){.format = WEIR_FORMAT_INTEGER, .axis = -1, .width = 1};
    type.low = 0;
    type.high = 1;
    type.dtype = weir_dtype_for(0, 1);
    const int64_t low = weir_value_type(r->graph, x)->low;
    const weir_value value = put(r, WEIR_OP_LOOKUP, "steps", inputs, 2, &type);
    const weir_node made = weir_value_producer(r->graph, value);
    weir_node_set_int(r->graph, made, "low", low);
    return weir_infer_node(r->graph, made) ? value : WEIR_NO_VALUE;
}

/* The Cast changes no code; it gives the result the type that its users know. */
static bool put_sum(weir_realizer *r, weir_value near, weir_value steps) {
    if (near.id == 0 || steps.id == 0) return false;
    const weir_value terms[2] = {near, steps};
    const weir_type type = *weir_value_type(r->graph, weir_node_output(r->graph, r->node, 0));
    const weir_value sum = put(r, WEIR_OP_SUM, "sum", terms, 2, &type);
    if (!weir_infer_node(r->graph, weir_value_producer(r->graph, sum))) return false;
    const weir_node made = weir_realizer_replace(r, WEIR_OP_CAST_CODES, &sum, 1);
    weir_node_set_int(r->graph, made, "low", r->low);
    weir_node_set_int(r->graph, made, "high", r->high);
    return weir_infer_node(r->graph, made);
}

bool weir_realizer_use_corrected(weir_realizer *r, weir_candidate *k, bool *found) {
    assert(r->thresholds == NULL && r->stride == 1);
    const weir_value x = weir_node_input(r->graph, r->node, 0);
    const weir_type in = *weir_value_type(r->graph, x);
    const size_t codes = (size_t)(in.high - in.low + 1), count = codes * r->channels;
    int64_t *entry = weir_malloc(count * sizeof *entry);
    for (size_t i = 0; i < count; i++) {
        const weir_channel_function function = weir_realizer_function(r, i / codes);
        const int64_t sum = in.low + (int64_t)(i % codes);
        weir_realizer_specified(&function, &sum, 1, &entry[i]);
    }
    *k = (weir_candidate){WEIR_OP_SCALE, 0, 0, WEIR_ROUND_FLOOR, 0, r->low, r->high - 1, k->multiplier, k->add};
    *found = find_scale(r, &in, entry, k);
    for (size_t i = 0; *found && i < count; i++) {
        const weir_channel_candidate made = {k, i / codes};
        const int64_t sum = in.low + (int64_t)(i % codes);
        int64_t code;
        weir_candidate_computed(&made, &sum, 1, &code);
        entry[i] -= code;
        *found = entry[i] == 0 || entry[i] == 1;
    }
    bool fine = true;
    if (*found) {
        const weir_value near = put_scale(r, x, k);
        fine = put_sum(r, near, put_steps(r, x, entry, codes));
    }
    free(entry);
    return fine;
}
