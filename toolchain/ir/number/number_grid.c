/* Evenly spaced values: codes are integers. */
#include <math.h>

#include "ir/number/number_private.h"

static weir_number_shared measure_fraction(const weir_number *n, const float *x, size_t count) {
    weir_number chosen = *n;
    if (weir_number_get(n, WEIR_KEY_FRAC_WIDTH) == WEIR_NUMBER_CHOSEN)
        weir_number_choose(&chosen, number_largest(x, count), false);
    return (weir_number_shared){.exponent = weir_number_get(&chosen, WEIR_KEY_FRAC_WIDTH)};
}

static double grid_decode(const weir_number_shared *shared, int64_t code) {
    return ldexp((double)code, -shared->exponent);
}

weir_number_shared weir_number_INTEGER_measure(const weir_number *n, const float *x, size_t count, double whole) {
    (void)whole;
    return measure_fraction(n, x, count);
}

number_limits weir_number_INTEGER_limits(const weir_number *n) {
    return number_integers(weir_number_get(n, WEIR_KEY_WIDTH), weir_number_get(n, WEIR_KEY_SIGNED) != 0);
}

int64_t weir_number_INTEGER_encode(const weir_number *n, const weir_number_shared *shared, double x) {
    return number_clip(nearbyint(ldexp(x, shared->exponent)), weir_number_INTEGER_limits(n));
}

double weir_number_INTEGER_decode(const weir_number *n, const weir_number_shared *shared, int64_t code) {
    (void)n;
    return grid_decode(shared, code);
}

weir_number_shared weir_number_FIXED_measure(const weir_number *n, const float *x, size_t count, double whole) {
    (void)whole;
    return measure_fraction(n, x, count);
}

number_limits weir_number_FIXED_limits(const weir_number *n) {
    return number_integers(weir_number_get(n, WEIR_KEY_WIDTH), weir_number_get(n, WEIR_KEY_SIGNED) != 0);
}

int64_t weir_number_FIXED_encode(const weir_number *n, const weir_number_shared *shared, double x) {
    const double v = ldexp(x, shared->exponent);
    return number_clip(weir_number_get(n, WEIR_KEY_FLOOR) != 0 ? floor(v) : nearbyint(v), weir_number_FIXED_limits(n));
}

double weir_number_FIXED_decode(const weir_number *n, const weir_number_shared *shared, int64_t code) {
    (void)n;
    return grid_decode(shared, code);
}

/* The largest magnitude of a row is its largest code. MASE's divisor 2^(w-1) clips it. */
weir_number_shared weir_number_SCALE_INTEGER_measure(const weir_number *n, const float *x, size_t count, double whole) {
    (void)whole;
    return (weir_number_shared){.scale = number_largest(x, count) / (double)weir_number_SCALE_INTEGER_limits(n).high};
}

number_limits weir_number_SCALE_INTEGER_limits(const weir_number *n) {
    number_limits all = number_integers(weir_number_get(n, WEIR_KEY_WIDTH), weir_number_get(n, WEIR_KEY_SIGNED) != 0);
    if (all.low < 0) all.low = -all.high;
    if (all.high == 0) all.high = 1; /* one signed bit: the two signs and zero */
    return all;
}

int64_t weir_number_SCALE_INTEGER_encode(const weir_number *n, const weir_number_shared *shared, double x) {
    return shared->scale > 0 ? number_clip(nearbyint(x / shared->scale), weir_number_SCALE_INTEGER_limits(n)) : 0;
}

double weir_number_SCALE_INTEGER_decode(const weir_number *n, const weir_number_shared *shared, int64_t code) {
    (void)n;
    return (double)code * shared->scale;
}

/* FlexRound before it is trained (arXiv 2306.00317): of 100 scales up to the one that holds the largest magnitude, that
 * with the least squared error. */
static double best_scale(const weir_number *n, const float *x, size_t count) {
    enum { TRIALS = 100 };
    const double full = number_largest(x, count) / (double)weir_number_FLEXROUND_limits(n).high;
    double best = full, least = INFINITY;
    for (int trial = 1; full > 0 && trial <= TRIALS; trial++) {
        const weir_number_shared shared = {.scale = full * trial / TRIALS};
        double error = 0;
        for (size_t i = 0; i < count; i++) {
            const double d =
                (double)x[i] - (double)weir_number_FLEXROUND_encode(n, &shared, (double)x[i]) * shared.scale;
            error += d * d;
        }
        if (error > least) continue;
        least = error;
        best = shared.scale;
    }
    return best;
}

weir_number_shared weir_number_FLEXROUND_measure(const weir_number *n, const float *x, size_t count, double whole) {
    (void)whole;
    const int frac = weir_number_get(n, WEIR_KEY_FRAC_WIDTH);
    return (weir_number_shared){.scale = frac == WEIR_NUMBER_CHOSEN ? best_scale(n, x, count) : ldexp(1, -frac)};
}

number_limits weir_number_FLEXROUND_limits(const weir_number *n) {
    return number_integers(weir_number_get(n, WEIR_KEY_WIDTH), true);
}

int64_t weir_number_FLEXROUND_encode(const weir_number *n, const weir_number_shared *shared, double x) {
    return shared->scale > 0 ? number_clip(nearbyint(x / shared->scale), weir_number_FLEXROUND_limits(n)) : 0;
}

double weir_number_FLEXROUND_decode(const weir_number *n, const weir_number_shared *shared, int64_t code) {
    (void)n;
    return (double)code * shared->scale;
}

/* --- affine --- */

static bool is_asymmetric(const weir_number *n) { return weir_number_get(n, WEIR_KEY_SYMMETRIC) == 0; }

number_limits weir_number_AFFINE_limits(const weir_number *n) {
    const int64_t half = (int64_t)1 << (weir_number_get(n, WEIR_KEY_WIDTH) - 1);
    return is_asymmetric(n) ? (number_limits){0, 2 * half - 1} : (number_limits){1 - half, half - 1};
}

weir_number_shared weir_number_affine(const weir_number *n, double least, double largest) {
    const number_limits limits = weir_number_AFFINE_limits(n);
    const double low = least < 0 ? least : 0, high = largest > 0 ? largest : 0;
    const double span = is_asymmetric(n) ? high - low : 2 * (high > -low ? high : -low);
    weir_number_shared shared = {.scale = span / (double)(limits.high - limits.low)};
    if (is_asymmetric(n) && shared.scale > 0) shared.zero = number_clip(nearbyint(-low / shared.scale), limits);
    return shared;
}

weir_number_shared weir_number_AFFINE_measure(const weir_number *n, const float *x, size_t count, double whole) {
    double low = 0, high = 0;
    (void)whole;
    for (size_t i = 0; i < count; i++) {
        low = (double)x[i] < low ? (double)x[i] : low;
        high = (double)x[i] > high ? (double)x[i] : high;
    }
    return weir_number_affine(n, low, high);
}

int64_t weir_number_AFFINE_encode(const weir_number *n, const weir_number_shared *shared, double x) {
    if (!(shared->scale > 0)) return shared->zero;
    return number_clip(nearbyint(x / shared->scale) + (double)shared->zero, weir_number_AFFINE_limits(n));
}

double weir_number_AFFINE_decode(const weir_number *n, const weir_number_shared *shared, int64_t code) {
    (void)n;
    return (double)(code - shared->zero) * shared->scale;
}
