/* Sum: ca * a + cb * b of two streams with the same beats. */
#include <assert.h>
#include <math.h>

#include "dataflow/build.h"
#include "dataflow/component.h"
#include "dataflow/cost/cost.h"
#include "dataflow/schedule/stream.h"

static bool becomes(const weir_graph *graph, weir_node node) {
    return weir_component_takes_two(graph, node, WEIR_OP_ADD, WEIR_OP_QLINEAR_ADD);
}

static void build(weir_builder *b, weir_node node) {
    const weir_wires *x = weir_build_input(b, node, 0), *other = weir_build_input(b, node, 1);
    const weir_wires *y = weir_build_output(b, node);
    assert(x->lanes == other->lanes && x->lanes == y->lanes);
    weir_rtl_instance u = weir_build_component(b, node);
    weir_build_set_element(b, u, "A", x);
    weir_build_set_element(b, u, "B", other);
    weir_build_set(b, u, "CA", weir_node_int(b->graph, node, "ca", 1));
    weir_build_set(b, u, "CB", weir_node_int(b->graph, node, "cb", 1));
    weir_build_set(b, u, "OUT_W", y->element_bits);
    weir_build_set(b, u, "LANES", y->lanes);
    weir_build_connect(b, u, "s_a", x);
    weir_build_connect(b, u, "s_b", other);
    weir_build_connect(b, u, "m", y);
}

/* Terms of the sum, one a digit of a factor; 0 is one more where no factor is positive. */
static int64_t terms_of(int64_t ca, int64_t cb) {
    return weir_digit_count(ca) + weir_digit_count(cb) + (ca <= 0 && cb <= 0);
}

/* A tree of adders, a level a cycle, the last one before the output slice. */
static weir_component_timing timing(const weir_graph *graph, weir_node node) {
    assert(weir_node_op(graph, node) == WEIR_OP_SUM);
    const int64_t levels =
        weir_clog2(terms_of(weir_node_int(graph, node, "ca", 1), weir_node_int(graph, node, "cb", 1)));
    return (weir_component_timing){levels > 1 ? levels : 1, weir_stream_beats_of(graph, node)};
}

/* --- cost --- */

enum { TERMS_MAX = 2 * 34 + 1 };

typedef struct term {
    int64_t shift;
    double low, high; /* its range */
    bool plus;        /* it is added */
    bool is_signed;   /* what it is a digit's multiple of */
} term;

static size_t add_terms(term *terms, size_t count, int64_t factor, int64_t width, bool is_signed) {
    assert(width >= 1 && width <= 64);
    const uint64_t digits = weir_digits(factor), positive = weir_positive_digits(factor);
    for (int shift = 0; digits >> shift != 0; shift++) {
        if ((digits >> shift & 1) == 0) continue;
        assert(count < TERMS_MAX);
        const double low = is_signed ? -ldexp(1, (int)width - 1) : 0, high = ldexp(1, (int)(width - is_signed)) - 1;
        const bool plus = (positive >> shift & 1) != 0;
        terms[count++] =
            (term){shift, ldexp(plus ? low : -high, shift), ldexp(plus ? high : -low, shift), plus, is_signed};
    }
    return count;
}

static int64_t lowest(const term *terms, size_t count) {
    assert(count > 0);
    int64_t shift = terms[0].shift;
    for (size_t i = 1; i < count; i++) shift = terms[i].shift < shift ? terms[i].shift : shift;
    return shift;
}

/* Bits of the sum of the terms that are not always the same; one of negative terms only is kept negated. */
static int64_t bits_of(const term *terms, size_t count, int64_t out) {
    assert(count > 0 && out >= 1);
    double low = 0, high = 0;
    const int64_t shift = lowest(terms, count);
    int64_t width = 0;
    bool negated = true;
    for (size_t i = 0; i < count; i++) {
        low += terms[i].low;
        high += terms[i].high;
        negated &= terms[i].low < 0;
    }
    const double most = -low - 1 > high ? -low - 1 : high;
    if (low < 0 && (high > 0 || !negated)) width = most < 1 ? 1 : ilogb(most) + 2;
    else if (high > 0 || low < 0) width = ilogb(high > 0 ? high : -low) + 1;
    return (width < out ? width : out) - shift;
}

/* A sum of negative terms only is kept negated. */
static bool is_negated(const term *terms, size_t count) {
    bool negated = true;
    for (size_t i = 0; i < count; i++) negated &= !terms[i].plus;
    return negated;
}

/* Is the sum, as it is kept, never negative? */
static bool is_unsigned(const term *terms, size_t count) {
    assert(count > 0);
    bool all = true;
    for (size_t i = 0; i < count; i++) all &= !terms[i].is_signed && terms[i].plus == terms[0].plus;
    return all;
}

/* Bits of the adder of the first `half` terms and the others. Below the higher one's lowest bit the sum is the lower
 * one, unless that is subtracted; and where they do not meet it is both. */
static int64_t adder_bits(const term *terms, size_t half, size_t count, int64_t out) {
    assert(half > 0 && half < count);
    const term *low = terms, *high = terms + half;
    size_t of_low = half, of_high = count - half;
    if (lowest(high, of_high) < lowest(low, of_low)) {
        low = terms + half, of_low = count - half;
        high = terms, of_high = half;
    }
    const int64_t start = lowest(low, of_low), meet = lowest(high, of_high);
    const bool subtracted = is_negated(low, of_low) && !is_negated(high, of_high);
    if (!subtracted && is_unsigned(low, of_low) && start + bits_of(low, of_low, out) <= meet) return 0;
    return start + bits_of(terms, count, out) - (subtracted ? start : meet);
}

/* Node n of a level of the tree has terms n * size to (n + 1) * size - 1: rtl/linear/weir_add.v. */
static void cost(weir_cost_part *part) {
    const int64_t ca = weir_cost_value(part, "CA"), cb = weir_cost_value(part, "CB");
    const int64_t lanes = weir_cost_value(part, "LANES"), out = weir_cost_value(part, "OUT_W");
    term terms[TERMS_MAX] = {{0}};
    size_t count = add_terms(terms, 0, ca, weir_cost_value(part, "A_W"), weir_cost_value(part, "A_SIGNED") != 0);
    count = add_terms(terms, count, cb, weir_cost_value(part, "B_W"), weir_cost_value(part, "B_SIGNED") != 0);
    if (ca <= 0 && cb <= 0) terms[count++] = (term){.plus = true};
    int64_t adders = 0, moved = 0;
    for (size_t size = 2; size < 2 * count; size *= 2) {
        int64_t kept = 0, added = 0;
        for (size_t from = 0; from < count; from += size) {
            const size_t of = count - from < size ? count - from : size;
            kept += bits_of(terms + from, of, out);
            if (size / 2 < of) added += adder_bits(terms + from, size / 2, of, out);
        }
        adders += added;
        if (size >= count) continue;
        weir_cost_registers(part, lanes * kept + 2);
        moved += kept > added ? kept - added : 0; /* to the next level, without a table before the register */
    }
    weir_cost_term(part, lanes * out);
    weir_cost_term(part, lanes * adders);
    weir_cost_term(part, part->device->logic_cell == WEIR_DEVICE_SHARED ? lanes * moved : 0);
    weir_cost_path(part, WEIR_COST_REGISTER, 2, out, 2);
    weir_cost_slice(part, lanes * bits_of(terms, count, out));
}

const weir_component_rules weir_add_rules = {.becomes = becomes,
                                             .streams = 2,
                                             .result = WEIR_RESULT_SIGNED,
                                             .timing = timing,
                                             .cost = cost,
                                             .build = build,
                                             .has_active = true};
