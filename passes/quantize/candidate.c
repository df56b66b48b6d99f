#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "passes/quantize/realizer.h"
#include "support/memory/arena.h"
#include "support/text/unreachable.h"

enum { MAX_SHIFT = 46, MAX_MULTIPLIER_BITS = 31, FLAT = 16 };

void weir_candidate_computed(const void *user, const int64_t *x, size_t count, int64_t *code) {
    const weir_channel_candidate *c = user;
    const weir_candidate *k = c->k;
    const int64_t add = k->add[c->channel], multiplier = k->multiplier[c->channel];
    switch (k->op) {
    case WEIR_OP_CAST_CODES:
        for (size_t i = 0; i < count; i++)
            code[i] = weir_cast(x[i], add, k->left, k->shift, k->rounding, k->low, k->high);
        break;
    case WEIR_OP_SCALE: weir_requantize_scale_each(x, count, multiplier, add, k->shift, k->low, k->high, code); break;
    case WEIR_OP_SCALE_FLOAT:
        weir_requantize_scale_float_each(x, count, multiplier, add, k->shift, k->zero, k->low, k->high, code);
        break;
    default: weir_unreachable("no requantizer");
    }
}

static bool proved_channel(const weir_realizer *r, const weir_candidate *k, size_t c) {
    const weir_channel_candidate function = {k, c};
    int64_t where;
    return weir_staircase_proves(&r->staircase[c], weir_candidate_computed, &function, &where);
}

static bool proved(const weir_realizer *r, const weir_candidate *k) {
    for (size_t c = 0; c < r->channels; c++) {
        if (!proved_channel(r, k, c)) return false;
    }
    return true;
}

/* The scale ratio of the channel as a power of two, or false. */
static bool power_of_two(const weir_realizer *r, size_t c, int *exponent) {
    double ratio = weir_quant_scale(r->requantizer.from, (int64_t)c) / weir_quant_scale(r->requantizer.to, 0);
    return frexp(ratio, exponent) == 0.5 && (*exponent -= 1, true);
}

/* Power-of-two ratio, whole additions: y = round((x + add) * 2^e) with the zero point of y inside add. */
bool weir_candidate_shift_of(const weir_realizer *r, weir_candidate *k) {
    if (r->thresholds != NULL || r->stride != 1 || r->requantizer.step_count > 0 ||
        weir_requantizer_is_floor(&r->requantizer))
        return false;
    int exponent = 0, other;
    for (size_t c = 0; c < r->channels; c++) {
        if (!power_of_two(r, c, &other) || (c > 0 && other != exponent) || other > 16 || other < -40) return false;
        exponent = other;
    }
    if (r->requantizer.to->rounding == WEIR_ROUND_HALF_TO_ZERO) return false;
    *k = (weir_candidate){WEIR_OP_CAST_CODES,
                          exponent < 0 ? -exponent : 0,
                          exponent > 0 ? exponent : 0,
                          r->requantizer.to->rounding,
                          0,
                          r->low,
                          r->high,
                          k->multiplier,
                          k->add};
    for (size_t c = 0; c < r->channels; c++) {
        double offset = r->requantizer.offset == NULL
                            ? 0
                            : weir_array_get(r->requantizer.offset, r->requantizer.offset->count == 1 ? 0 : c) /
                                  weir_quant_scale(r->requantizer.from, (int64_t)c);
        double zero = ldexp((double)weir_quant_zero(r->requantizer.to, 0), -exponent);
        if (offset != floor(offset) || zero != floor(zero)) return false;
        k->add[c] = (int64_t)(offset + zero) - weir_quant_zero(r->requantizer.from, (int64_t)c);
    }
    return true;
}

bool weir_candidate_cast(const weir_realizer *r, weir_candidate *k) {
    return weir_candidate_shift_of(r, k) && proved(r, k);
}

/* One shift for all channels: the largest of the channels' smallest. */
bool weir_candidate_scale(const weir_realizer *r, weir_candidate *k) {
    if (r->stride != 1) return false;
    weir_scaling scaling;
    int shift = 0;
    for (size_t c = 0; c < r->channels; c++) {
        if (!weir_staircase_scaling(&r->staircase[c], MAX_SHIFT, &scaling)) return false;
        if (scaling.shift > shift) shift = scaling.shift;
    }
    *k = (weir_candidate){WEIR_OP_SCALE, shift, 0, WEIR_ROUND_FLOOR, 0, r->low, r->high, k->multiplier, k->add};
    for (size_t c = 0; c < r->channels; c++) {
        if (!weir_staircase_scaling_at(&r->staircase[c], shift, &scaling)) return false;
        if (weir_realizer_bits(scaling.multiplier) > MAX_MULTIPLIER_BITS ||
            weir_realizer_bits(scaling.add) > WEIR_CANDIDATE_ADD_BITS)
            return false;
        k->multiplier[c] = scaling.multiplier;
        k->add[c] = scaling.add;
    }
    bool shifts_only = true;
    for (size_t c = 0; c < r->channels; c++) shifts_only &= k->multiplier[c] == 1;
    if (shifts_only) k->op = WEIR_OP_CAST_CODES;
    return proved(r, k);
}

/* The exponent of the last bit of the channel's float32 multiplier. */
static int last_bit(const weir_realizer *r, size_t c) {
    int exponent;
    frexpf(weir_requantizer_multiplier(&r->requantizer, (int64_t)c), &exponent);
    return exponent - FLT_MANT_DIG;
}

/* Has the channel few codes? Those that nearly died in training have multipliers too far from the others' for one
 * shift. */
static bool is_flat(const weir_realizer *r, size_t c) { return r->staircase != NULL && r->staircase[c].count <= FLAT; }

static bool fits_channel(const weir_realizer *r, weir_candidate *k, size_t c, int64_t multiplier, int64_t add) {
    k->multiplier[c] = multiplier;
    k->add[c] = add;
    return weir_realizer_bits(add) <= WEIR_CANDIDATE_ADD_BITS && proved_channel(r, k, c);
}

/* Another multiplier for a flat channel, no larger than `most`: its own with fewer digits; or, where it has one code or
 * two, 2^shift / per, with the inputs between the rounding bounds of the one, around the bound of the two, or, where
 * the clip gives the one, beyond. */
static bool flatten_channel(const weir_realizer *r, weir_candidate *k, size_t c, int64_t most) {
    const weir_staircase *s = &r->staircase[c];
    const double own = nearbyint(ldexp((double)weir_requantizer_multiplier(&r->requantizer, (int64_t)c), k->shift));
    if (own >= 1 && fits_channel(r, k, c, (int64_t)own, -weir_quant_zero(r->requantizer.from, (int64_t)c))) return true;
    if (s->count > 1) return false;
    const int64_t code = s->base - k->zero, one = (int64_t)1 << k->shift, range = s->x_high - s->x_low + 1;
    int64_t per = 1;
    while (one / per > most) per *= 2;
    const bool flat = s->count == 0;
    if (flat && s->base == k->low && fits_channel(r, k, c, one / per, (code - 1) * per - s->x_high)) return true;
    if (flat && s->base == k->high && fits_channel(r, k, c, one / per, (code + 1) * per - s->x_low)) return true;
    while (per < 2 * range) per *= 2;
    if (one / per == 0) return false;
    if (flat) return fits_channel(r, k, c, one / per, code * per - s->x_low - range / 2);
    const int64_t tie = code * per + per / 2 - s->step[0]; /* which goes to the even code */
    return fits_channel(r, k, c, one / per, tie) || fits_channel(r, k, c, one / per, tie + 1);
}

/* The float32 multipliers' mantissas aligned to one exponent, that of the least of the channels that keep theirs. */
static bool align(const weir_realizer *r, const bool *keeps, weir_candidate *k) {
    int least = -WEIR_CANDIDATE_FLOAT_SHIFT;
    for (size_t c = 0; c < r->channels; c++) {
        if (keeps[c] && last_bit(r, c) < least) least = last_bit(r, c);
    }
    const int64_t zero = weir_quant_zero(r->requantizer.to, 0);
    if (least < -61 || r->high - zero >= WEIR_CANDIDATE_FLOAT_REACH || zero - r->low >= WEIR_CANDIDATE_FLOAT_REACH)
        return false;
    *k = (weir_candidate){WEIR_OP_SCALE_FLOAT, -least, 0, WEIR_ROUND_HALF_EVEN, zero, r->low, r->high,
                          k->multiplier,       k->add};
    int64_t common = 0;
    for (size_t c = 0; c < r->channels; c++) {
        const float m = weir_requantizer_multiplier(&r->requantizer, (int64_t)c);
        const double mantissa = ldexp((double)m, -least);
        k->multiplier[c] = 0;
        if (last_bit(r, c) < least) continue;
        if (mantissa >= (double)((int64_t)1 << WEIR_CANDIDATE_FLOAT_BITS) || !isnormal(m)) return false;
        k->multiplier[c] = (int64_t)mantissa;
        k->add[c] = -weir_quant_zero(r->requantizer.from, (int64_t)c);
        common |= k->multiplier[c];
    }
    for (; common != 0 && (common & 1) == 0 && k->shift > WEIR_CANDIDATE_FLOAT_SHIFT; common >>= 1, k->shift--) {
        for (size_t c = 0; c < r->channels; c++) k->multiplier[c] >>= 1;
    }
    return true;
}

/* The flat channels among the others get multipliers that fit; those for which there is none keep their own. */
bool weir_candidate_float_of(const weir_realizer *r, weir_candidate *k) {
    if (r->thresholds != NULL || r->requantizer.contract != WEIR_CONTRACT_ONNXRUNTIME || r->stride != 1 ||
        r->requantizer.step_count > 0)
        return false;
    bool *keeps = weir_calloc(r->channels, sizeof *keeps), again = true, fine = true;
    for (size_t c = 0; c < r->channels; c++) keeps[c] = !is_flat(r, c);
    while (again && (fine = align(r, keeps, k))) {
        int64_t most = 1;
        for (size_t c = 0; c < r->channels; c++) most = k->multiplier[c] > most ? k->multiplier[c] : most;
        again = false;
        for (size_t c = 0; !again && c < r->channels; c++) {
            if (k->multiplier[c] != 0 || flatten_channel(r, k, c, most)) continue;
            again = keeps[c] = true;
        }
    }
    free(keeps);
    return fine;
}

bool weir_candidate_float(const weir_realizer *r, weir_candidate *k) {
    return weir_candidate_float_of(r, k) && proved(r, k);
}
