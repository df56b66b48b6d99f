/* Requantizers whose parameters may change while the hardware stays. Two forms are general enough: all thresholds of
 * all codes, for outputs of few codes, and float32 arithmetic with a table of multipliers and addends, one shift for
 * all, and room for others: MARGIN more bits at both ends of the multipliers, addends as wide as the sums. An output's
 * zero point is a parameter too: where it is not 0, it is added behind. With r->like, what these leave open is as
 * there; what does not fit into its tables is an error. */
#include <stdlib.h>

#include "ir/shape/infer.h"
#include "passes/quantize/realizer.h"
#include "support/memory/arena.h"

enum { MARGIN = 2, FEW_STEPS = 15 };

/* --- tables --- */

typedef struct tables {
    int64_t shift, most, low, high; /* multipliers 0 to most, addends low to high */
    bool moves;                     /* the zero point is added behind */
} tables;

static char *steps_name(const weir_realizer *r) { return weir_format("%s_unmoved", weir_node_name(r->graph, r->node)); }

/* Of the node of that name in r->like; false: it is none of float32 arithmetic. */
static bool tables_like(const weir_realizer *r, tables *t) {
    char *unmoved = steps_name(r);
    weir_node node = weir_graph_find_node(r->like, unmoved);
    t->moves = node.id != 0;
    if (node.id == 0) node = weir_graph_find_node(r->like, weir_node_name(r->graph, r->node));
    free(unmoved);
    if (node.id == 0 || weir_node_op(r->like, node) != WEIR_OP_SCALE_FLOAT) return false;
    const weir_type *add = weir_value_type(r->like, weir_node_input(r->like, node, 2));
    t->shift = weir_node_int(r->like, node, "shift", 0);
    t->most = weir_value_type(r->like, weir_node_input(r->like, node, 1))->high;
    t->low = add->low;
    t->high = add->high;
    return true;
}

static int64_t largest(const int64_t *values, size_t count) {
    int64_t most = 0;
    for (size_t i = 0; i < count; i++) most = values[i] > most ? values[i] : most;
    return most;
}

/* Bits that all addends have in two's complement. */
static int addend_bits(const weir_realizer *r, const weir_candidate *k) {
    int bits = 1;
    for (size_t c = 0; c < r->channels; c++) {
        const int own = weir_bits_for(k->add[c] < 0 ? k->add[c] : -1, k->add[c] < 0 ? 0 : k->add[c]);
        bits = own > bits ? own : bits;
    }
    return bits;
}

static tables tables_of(const weir_realizer *r, const weir_candidate *k) {
    const weir_type *in = weir_value_type(r->graph, weir_node_input(r->graph, r->node, 0));
    const int own = addend_bits(r, k) + 1, sum = weir_bits_for(in->low < 0 ? in->low : -1, in->high);
    const int64_t reach = (int64_t)1 << ((own > sum ? own : sum) - 1);
    const int bits = weir_realizer_bits(largest(k->multiplier, r->channels));
    return (tables){k->shift + MARGIN, ((int64_t)1 << (bits + 2 * MARGIN)) - 1, -reach, reach - 1, k->zero != 0};
}

/* The candidate with the shift of the tables, if its numbers fit into them. */
static bool fit(const weir_realizer *r, weir_candidate *k, const tables *t) {
    if (t->shift < k->shift) {
        weir_realizer_fail(r, "its multipliers do not fit the design's");
        weir_note("they need a shift of %d, the design has %lld", k->shift, (long long)t->shift);
        return false;
    }
    const int more = (int)t->shift - k->shift;
    for (size_t c = 0; c < r->channels; c++) {
        if (k->multiplier[c] > t->most >> more || k->add[c] < t->low || k->add[c] > t->high) {
            weir_realizer_fail(r, "its parameters do not fit the design's tables");
            weir_note("channel %zu has multiplier %lld and addend %lld; up to %lld and %lld fit", c,
                      (long long)k->multiplier[c], (long long)k->add[c], (long long)(t->most >> more),
                      (long long)t->high);
            return false;
        }
        k->multiplier[c] <<= more;
    }
    k->shift = (int)t->shift;
    return true;
}

/* --- nodes --- */

static weir_value ranged(weir_realizer *r, const char *suffix, const int64_t *values, size_t count, int64_t low,
                         int64_t high) {
    const weir_value value = weir_realizer_parameter(r, suffix, values, count, 0);
    weir_type type = *weir_value_type(r->graph, value);
    type.low = low;
    type.high = high;
    weir_value_set_type(r->graph, value, &type);
    return value;
}

static void set_arithmetic(weir_realizer *r, weir_node node, const weir_candidate *k) {
    weir_node_set_int(r->graph, node, "low", k->low);
    weir_node_set_int(r->graph, node, "high", k->high);
    weir_node_set_int(r->graph, node, "shift", k->shift);
    weir_node_set_int(r->graph, node, "zero", k->zero);
}

/* The type of codes that lie around 0. */
static weir_type unmoved_type(const weir_realizer *r, const weir_candidate *k) {
    weir_type type = *weir_value_type(r->graph, weir_node_output(r->graph, r->node, 0));
    int64_t *zero = weir_arena_array(weir_graph_arena(r->graph), 1, sizeof *zero);
    *zero = 0;
    type.low = k->low;
    type.high = k->high;
    type.dtype = weir_dtype_for(type.low, type.high);
    type.quant.is_signed = true;
    type.quant.width = weir_bits_for(type.low, type.high);
    type.quant.zero_point = zero;
    return type;
}

/* Codes less the zero point, clipped where no zero point matters, and then the zero point: the same as at once. */
static bool use_moved(weir_realizer *r, const weir_candidate *k, const weir_value *inputs) {
    const int64_t width = k->high - k->low;
    weir_candidate around = *k;
    around.zero = 0;
    around.low = -width;
    around.high = width;
    char *name = steps_name(r);
    const weir_node unmoved = weir_graph_add_node(r->graph, WEIR_OP_SCALE_FLOAT, name, inputs, 3, 1, r->node);
    free(name);
    const weir_type type = unmoved_type(r, &around);
    weir_node_set_location(r->graph, unmoved, weir_node_location(r->graph, r->node));
    set_arithmetic(r, unmoved, &around);
    weir_value_set_type(r->graph, weir_node_output(r->graph, unmoved, 0), &type);
    if (!weir_infer_node(r->graph, unmoved)) return false;
    const weir_value moved[2] = {weir_node_output(r->graph, unmoved, 0),
                                 ranged(r, "zero", &k->zero, 1, r->low < 0 ? r->low : 0, r->high)};
    const weir_node made = weir_realizer_replace(r, WEIR_OP_CAST_CODES, moved, 2);
    weir_node_set_int(r->graph, made, "low", k->low);
    weir_node_set_int(r->graph, made, "high", k->high);
    weir_node_set_int(r->graph, made, "shift", 0);
    weir_node_set_int(r->graph, made, "left", 0);
    weir_node_set_string(r->graph, made, "rounding", weir_rounding_name(WEIR_ROUND_FLOOR));
    return weir_infer_node(r->graph, made);
}

static bool use_float(weir_realizer *r, weir_candidate *k) {
    tables t;
    if (r->like == NULL) t = tables_of(r, k);
    else if (!tables_like(r, &t)) return weir_realizer_fail(r, "the design requantizes differently");
    if (!fit(r, k, &t)) return false;
    for (size_t c = 0; c < r->channels; c++) {
        const weir_channel_candidate function = {k, c};
        int64_t where;
        if (!weir_staircase_proves(&r->staircase[c], weir_candidate_computed, &function, &where))
            return weir_realizer_fail(r, "float32 arithmetic is not exact here");
    }
    const weir_value inputs[3] = {weir_node_input(r->graph, r->node, 0),
                                  ranged(r, "multiplier", k->multiplier, r->channels, 0, t.most),
                                  ranged(r, "add", k->add, r->channels, t.low, t.high)};
    if (t.moves) return use_moved(r, k, inputs);
    const weir_node made = weir_realizer_replace(r, WEIR_OP_SCALE_FLOAT, inputs, 3);
    set_arithmetic(r, made, k);
    return weir_infer_node(r->graph, made);
}

bool weir_realizer_use_patchable(weir_realizer *r, weir_candidate *k) {
    if (weir_realizer_is_wide(r))
        return weir_realizer_fail(r, "has too many codes for parameters that may change later");
    if (r->high - r->low > FEW_STEPS && weir_candidate_float_of(r, k)) return use_float(r, k);
    return weir_realizer_use_thresholds(r);
}
