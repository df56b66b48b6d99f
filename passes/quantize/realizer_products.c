/* The model makes a float32 number of a code, (x - zero) * scale, and quantizes it again, a quotient: two roundings to
 * float32, which one float32 product by the ratio of the scales is not. ScaleFloat rounds twice, the sum that it
 * multiplies and the product. So with an exact product by the scale's mantissa before it, its first rounding is that of
 * the model's product, and with a reciprocal of the other scale that has bits enough, its second is that of the
 * quotient. Where the mantissa is 1, ScaleFloat does all of it. Nothing is taken for granted: each multiplier is judged
 * at every step of the function, which rises as the product does, and the one of the fewest bits that agrees is
 * taken. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "passes/quantize/realizer.h"
#include "support/memory/arena.h"

/* The largest shift, the most steps of all channels that are looked at, and what the exact product may have. */
enum { MOST_SHIFT = 90, MOST_STEPS = 1 << 20, MOST_PRODUCT_BITS = 62 };

/* What one channel must give, and what it is multiplied by first. */
typedef struct channel_codes {
    const weir_staircase *wanted;
    int64_t factor, term;
    double ratio; /* of the second product */
} channel_codes;

/* The two products. */
typedef struct chain {
    const channel_codes *c;
    const weir_candidate *k;
    int64_t multiplier;
    int shift;
} chain;

static void chained(const void *user, const int64_t *x, size_t count, int64_t *code) {
    const chain *f = user;
    for (size_t i = 0; i < count; i++) code[i] = x[i] * f->c->factor + f->c->term;
    weir_requantize_scale_float_each(code, count, f->multiplier, 0, f->shift, f->k->zero, f->k->low, f->k->high, code);
}

static bool agrees(const channel_codes *c, const weir_candidate *k, int64_t multiplier, int shift) {
    const chain both = {c, k, multiplier, shift};
    int64_t where;
    return weir_staircase_proves(c->wanted, chained, &both, &where);
}

/* The nearest multiplier of so many bits or fewer that agrees; false: there is none. */
static bool find_multiplier(const channel_codes *c, const weir_candidate *k, weir_scaling *found) {
    int exponent;
    const double mantissa = frexp(c->ratio, &exponent);
    for (int bits = 1; bits <= WEIR_CANDIDATE_FLOAT_BITS && bits - exponent <= MOST_SHIFT; bits++) {
        int64_t multiplier = (int64_t)nearbyint(ldexp(mantissa, bits));
        int shift = bits - exponent;
        if (bits > 1 && multiplier % 2 == 0) continue; /* looked at with fewer */
        while (shift < WEIR_CANDIDATE_FLOAT_SHIFT && multiplier < (int64_t)1 << WEIR_CANDIDATE_FLOAT_BITS) {
            multiplier *= 2;
            shift++;
        }
        if (shift < WEIR_CANDIDATE_FLOAT_SHIFT) return false;
        if (!agrees(c, k, multiplier, shift)) continue;
        *found = (weir_scaling){.multiplier = multiplier, .shift = shift};
        return true;
    }
    return false;
}

/* The float32 number's significant bits, without zeros at the end. */
static int64_t mantissa_of(float v) {
    int exponent;
    int64_t mantissa = (int64_t)ldexp(frexp((double)v, &exponent), FLT_MANT_DIG);
    while (mantissa != 0 && mantissa % 2 == 0) mantissa /= 2;
    return mantissa;
}

static bool find_channel(const weir_realizer *r, size_t c, const weir_products *p, weir_scaling *found) {
    const weir_type *in = weir_value_type(r->graph, weir_node_input(r->graph, r->node, 0));
    const weir_channel_function function = weir_realizer_function(r, c);
    const double ratio = weir_requantizer_slope(&r->requantizer, (int64_t)c) / (double)p->factor[c],
                 most = fmax(fabs((double)in->low), fabs((double)in->high)) * (double)p->factor[c];
    weir_staircase wanted;
    if (!(ratio > 0) || !isnormal(ratio) || most + fabs((double)p->term[c]) >= ldexp(1, MOST_PRODUCT_BITS) ||
        !weir_staircase_build(&wanted, weir_realizer_specified, &function, in->low, in->high, r->low, r->high))
        return false;
    const channel_codes channel = {&wanted, p->factor[c], p->term[c], ratio};
    const bool fine = find_multiplier(&channel, &p->last, found);
    weir_staircase_free(&wanted);
    return fine;
}

/* Times a power of two a multiplier is the same at a larger shift: that of the channel that needs the largest. */
static bool align(const weir_realizer *r, weir_products *p, const weir_scaling *found) {
    for (size_t c = 0; c < r->channels; c++)
        p->last.shift = found[c].shift > p->last.shift ? found[c].shift : p->last.shift;
    for (size_t c = 0; c < r->channels; c++) {
        const int more = p->last.shift - found[c].shift;
        if (weir_realizer_bits(found[c].multiplier) + more > WEIR_CANDIDATE_FLOAT_BITS) return false;
        p->last.multiplier[c] = found[c].multiplier << more;
        p->last.add[c] = p->has_exact ? 0 : p->term[c];
    }
    return true;
}

/* With factors of 1, or the scales' mantissas. */
static bool find(const weir_realizer *r, bool has_exact, weir_products *p) {
    p->has_exact = false;
    p->last.shift = 0;
    for (size_t c = 0; c < r->channels; c++) {
        const int64_t mantissa = mantissa_of((float)weir_quant_scale(r->requantizer.from, (int64_t)c));
        p->factor[c] = has_exact ? mantissa : 1;
        p->term[c] = -weir_quant_zero(r->requantizer.from, (int64_t)c) * p->factor[c];
        p->has_exact |= p->factor[c] != 1;
        if (p->factor[c] <= 0) return false;
    }
    weir_scaling *found = weir_calloc(r->channels, sizeof *found);
    bool fine = true;
    for (size_t c = 0; fine && c < r->channels; c++) fine = find_channel(r, c, p, &found[c]);
    fine = fine && align(r, p, found);
    free(found);
    return fine;
}

bool weir_realizer_find_products(const weir_realizer *r, weir_products *p) {
    const int64_t zero = weir_quant_zero(r->requantizer.to, 0);
    if (r->thresholds != NULL || r->stride != 1 || r->requantizer.offset != NULL ||
        r->high - zero >= WEIR_CANDIDATE_FLOAT_REACH || zero - r->low >= WEIR_CANDIDATE_FLOAT_REACH ||
        r->high - r->low >= MOST_STEPS / (int64_t)r->channels)
        return false;
    weir_arena *arena = weir_graph_arena(r->graph);
    *p = (weir_products){.factor = weir_arena_array(arena, r->channels, sizeof *p->factor),
                         .term = weir_arena_array(arena, r->channels, sizeof *p->term)};
    p->last = (weir_candidate){WEIR_OP_SCALE_FLOAT,
                               0,
                               0,
                               WEIR_ROUND_HALF_EVEN,
                               zero,
                               r->low,
                               r->high,
                               weir_arena_array(arena, r->channels, sizeof *p->last.multiplier),
                               weir_arena_array(arena, r->channels, sizeof *p->last.add)};
    return find(r, false, p) || find(r, true, p);
}

bool weir_realizer_use_products(weir_realizer *r, const weir_products *p) {
    return (!p->has_exact || weir_realizer_multiply_before(r, p->factor, p->term)) &&
           weir_realizer_use_candidate(r, &p->last);
}
