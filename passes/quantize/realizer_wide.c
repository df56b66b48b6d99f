#include <math.h>
#include <stdlib.h>

#include "passes/quantize/realizer.h"
#include "support/memory/arena.h"

/* The most codes of a wide output whose scale is no power of two. */
enum { MOST_CODES = 65536, WIDE_SHIFT = 62, WIDE_MULTIPLIER_BITS = 44 };
static const double MOST_WHOLE = 0x1p50;
/* Codes of an input of all its channels, of which a table has each; and so few that products are no smaller. */
enum { MOST_ENTRIES = 1 << 20, FEW_ENTRIES = 1 << 12 };

bool weir_realizer_is_wide(const weir_realizer *r) { return r->high - r->low >= WEIR_STAIRCASE_CODES; }

static bool is_power(double v) {
    int exponent;
    return frexp(v, &exponent) == 0.5;
}

/* Is the specification exact in float64 (or float32), so that a shift can be the same without looking at each step? */
static bool is_exact(const weir_realizer *r) {
    const weir_type *in = weir_value_type(r->graph, weir_node_input(r->graph, r->node, 0));
    bool onnx = r->requantizer.contract == WEIR_CONTRACT_ONNXRUNTIME;
    int64_t most = onnx ? (int64_t)1 << 24 : (int64_t)1 << 50;
    const double to = weir_quant_scale(r->requantizer.to, 0);
    bool exact = true;
    for (size_t c = 0; c < r->channels; c++) {
        int64_t zero = weir_quant_zero(r->requantizer.from, (int64_t)c);
        const double from = weir_quant_scale(r->requantizer.from, (int64_t)c);
        exact &= (from == to || (is_power(from) && is_power(to))) && in->high - zero <= most && zero - in->low <= most;
    }
    return exact;
}

/* The candidate on each code of the input; on the ends of a sum of more, and on codes spread over it, where what is
 * exact by construction differs nowhere. */
static bool agrees(const weir_realizer *r, const weir_candidate *k) {
    enum { SPREAD = 64 };
    const weir_type *in = weir_value_type(r->graph, weir_node_input(r->graph, r->node, 0));
    const int64_t width = in->high - in->low, steps = width < WEIR_REALIZER_TABLE_CODES ? width : SPREAD;
    for (size_t c = 0; c < r->channels; c++) {
        const weir_channel_function wanted = weir_realizer_function(r, c);
        weir_channel_candidate made = {k, c};
        for (int64_t i = 0; i <= steps; i++) {
            const int64_t x = in->low + (steps == width ? i : (int64_t)((double)width * (double)i / SPREAD));
            int64_t code, other;
            weir_realizer_specified(&wanted, &x, 1, &code);
            weir_candidate_computed(&made, &x, 1, &other);
            if (code != other) return false;
        }
    }
    return true;
}

/* What goes before the product, so that what is added behind it is less than a few multipliers: the offset and the zero
 * point of the result in whole inputs. Without an offset, 0. */
static int64_t whole_of(const weir_realizer *r, size_t c) {
    if (r->requantizer.offset == NULL) return 0;
    const int64_t channel = (int64_t)c;
    const double offset = weir_array_get(r->requantizer.offset, r->requantizer.offset->count == 1 ? 0 : c),
                 codes = offset / weir_quant_scale(r->requantizer.to, channel) +
                         (double)weir_quant_zero(r->requantizer.to, channel);
    const double whole = nearbyint(codes / weir_requantizer_slope(&r->requantizer, channel));
    return fabs(whole) < MOST_WHOLE ? (int64_t)whole - weir_quant_zero(r->requantizer.from, channel) : 0;
}

typedef struct moved_function {
    weir_channel_function function;
    int64_t whole;
} moved_function;

static void moved(const void *user, const int64_t *x, size_t count, int64_t *code) {
    const moved_function *f = user;
    for (size_t i = 0; i < count; i++) code[i] = x[i] - f->whole;
    weir_realizer_specified(&f->function, code, count, code);
}

/* The scaling of one channel that is nearest to the ratio at the smallest shift. False: the function does not rise, or
 * none fits. */
static bool scale_channel(const weir_realizer *r, size_t c, int64_t whole, weir_scaling *scaling) {
    const weir_type *in = weir_value_type(r->graph, weir_node_input(r->graph, r->node, 0));
    const moved_function function = {weir_realizer_function(r, c), whole};
    weir_staircase s;
    if (!weir_staircase_build(&s, moved, &function, in->low + whole, in->high + whole, r->low, r->high)) return false;
    const bool fine =
        weir_staircase_scaling_near(&s, weir_requantizer_slope(&r->requantizer, (int64_t)c), WIDE_SHIFT, scaling);
    weir_staircase_free(&s);
    return fine;
}

/* The conditions on the add value are those of the steps, so a scaling that is found is proved; times a power of two it
 * is the same at a larger shift. */
static bool try_wide_scale(const weir_realizer *r, int64_t *whole, weir_candidate *k) {
    weir_scaling *scaling = weir_calloc(r->channels, sizeof *scaling);
    bool fine = true;
    int shift = 0;
    for (size_t c = 0; fine && c < r->channels; c++) {
        whole[c] = whole_of(r, c);
        fine = scale_channel(r, c, whole[c], &scaling[c]);
        if (scaling[c].shift > shift) shift = scaling[c].shift;
    }
    *k = (weir_candidate){WEIR_OP_SCALE, shift, 0, WEIR_ROUND_FLOOR, 0, r->low, r->high, k->multiplier, k->add};
    for (size_t c = 0; fine && c < r->channels; c++) {
        const int more = shift - scaling[c].shift;
        fine = weir_realizer_bits(scaling[c].multiplier) + more <= WIDE_MULTIPLIER_BITS &&
               weir_realizer_bits(scaling[c].add) + more <= WEIR_CANDIDATE_ADD_BITS;
        if (!fine) break;
        k->multiplier[c] = scaling[c].multiplier * ((int64_t)1 << more);
        k->add[c] = scaling[c].add * ((int64_t)1 << more);
    }
    free(scaling);
    return fine;
}

static bool fail_wide(const weir_realizer *r) {
    const bool many = r->high - r->low >= MOST_CODES;
    weir_node_fail(r->graph, r->node, "no component is exact for its %d-bit codes", weir_bits_for(0, r->high - r->low));
    weir_note(many ? "codes of more than 16 bits need scales that are powers of two"
                   : "codes of more than 12 bits need scales that are powers of two, or narrower sums");
    return false;
}

static int64_t codes_of(const weir_realizer *r) {
    const weir_type *in = weir_value_type(r->graph, weir_node_input(r->graph, r->node, 0));
    return in->high - in->low < WEIR_REALIZER_TABLE_CODES ? in->high - in->low + 1 : INT64_MAX;
}

static bool has_table(const weir_realizer *r, int64_t entries) {
    return r->thresholds == NULL && codes_of(r) <= entries / (int64_t)r->channels;
}

/* A table of all bits, or, of more codes, of those that a multiplication leaves. Codes of more bits than a table takes
 * are not so many: they are moved into its range. */
static bool use_table(weir_realizer *r, weir_candidate *k) {
    const weir_type *in = weir_value_type(r->graph, weir_node_input(r->graph, r->node, 0));
    bool found = false, fine = true;
    if (weir_bits_for(in->low, in->high) > WEIR_REALIZER_TABLE_BITS) {
        int64_t *whole = weir_malloc(r->channels * sizeof *whole);
        for (size_t c = 0; c < r->channels; c++) whole[c] = -in->low;
        fine = weir_realizer_add_before(r, whole);
        free(whole);
    }
    if (fine && r->stride == 1 && !has_table(r, FEW_ENTRIES)) fine = weir_realizer_use_corrected(r, k, &found);
    return fine && (found || weir_realizer_use_table(r));
}

/* Proved step by step, or code by code; else a table of few codes, or a reported error. */
static bool use_wide_scale(weir_realizer *r, weir_candidate *k) {
    int64_t *whole = weir_calloc(r->channels, sizeof *whole);
    const bool found = r->high - r->low < MOST_CODES && try_wide_scale(r, whole, k);
    bool any = false, fine;
    weir_products products;
    for (size_t c = 0; c < r->channels; c++) any |= whole[c] != 0;
    if (found) fine = (!any || weir_realizer_add_before(r, whole)) && weir_realizer_use_candidate(r, k);
    else if (has_table(r, FEW_ENTRIES)) fine = use_table(r, k);
    else if (weir_realizer_find_products(r, &products)) fine = weir_realizer_use_products(r, &products);
    else fine = has_table(r, MOST_ENTRIES) ? use_table(r, k) : fail_wide(r);
    free(whole);
    return fine;
}

/* The floor of a quotient by a power of two is a Scale as it is, with common factors of two left out. False: it has too
 * many bits. */
static bool floor_of(const weir_realizer *r, weir_candidate *k) {
    int shift;
    if (r->thresholds != NULL || r->stride != 1 || !weir_requantizer_is_floor(&r->requantizer) ||
        frexp((double)r->requantizer.divisor, &shift) != 0.5)
        return false;
    const weir_array *factor = r->requantizer.factor, *addend = r->requantizer.addend;
    *k = (weir_candidate){WEIR_OP_SCALE, shift - 1, 0, WEIR_ROUND_FLOOR, 0, r->low, r->high, k->multiplier, k->add};
    uint64_t any = 0;
    for (size_t c = 0; c < r->channels; c++) {
        k->multiplier[c] = weir_array_get_int(factor, factor->count == 1 ? 0 : c);
        any |= (uint64_t)k->multiplier[c];
    }
    for (; k->shift > 0 && (any & 1) == 0; any >>= 1, k->shift--)
        for (size_t c = 0; c < r->channels; c++) k->multiplier[c] /= 2;
    bool fits = true;
    for (size_t c = 0; c < r->channels; c++) {
        /* the digits of the addend that no product reaches are below the point of the floor */
        const int64_t add = weir_array_get_int(addend, addend->count == 1 ? 0 : c),
                      by = r->requantizer.divisor >> k->shift;
        k->add[c] = add / by - (add % by < 0);
        fits &= weir_realizer_bits(k->multiplier[c]) <= WIDE_MULTIPLIER_BITS &&
                weir_realizer_bits(k->add[c]) <= WEIR_CANDIDATE_ADD_BITS;
    }
    return fits;
}

bool weir_realizer_use_wide(weir_realizer *r, weir_candidate *k) {
    if (r->thresholds != NULL || r->stride != 1) return has_table(r, MOST_ENTRIES) ? use_table(r, k) : fail_wide(r);
    if (floor_of(r, k) && agrees(r, k)) return weir_realizer_use_candidate(r, k);
    if (is_exact(r) && weir_candidate_shift_of(r, k) && agrees(r, k)) return weir_realizer_use_candidate(r, k);
    bool onnx = r->requantizer.offset == NULL;
    if (onnx && weir_candidate_float_of(r, k) && agrees(r, k)) return weir_realizer_use_candidate(r, k);
    return use_wide_scale(r, k);
}
