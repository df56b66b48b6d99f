/* Values with an exponent of their own. There are no infinities and no NaN: what is beyond the largest value gives
 * that. A fraction that rounds up to the next power of two carries into the exponent, which MASE's own quantizers
 * lose. */
#include <assert.h>
#include <math.h>

#include "quant/number_private.h"

int64_t number_float_encode(double x, int fraction, int bias, int64_t most) {
    const double size = fabs(x);
    if (!(size > 0)) return 0;
    int64_t place = most;
    const int own = isinf(size) ? 0 : number_floor_log2(size), exponent = own > 1 - bias ? own : 1 - bias;
    if (!isinf(size) && exponent + bias - 1 <= most >> fraction)
        place = ((int64_t)(exponent + bias - 1) << fraction) + (int64_t)nearbyint(ldexp(size, fraction - exponent));
    if (place > most) place = most;
    return x < 0 ? -place : place;
}

double number_float_decode(int64_t code, int fraction, int bias) {
    const int64_t place = code < 0 ? -code : code, field = place >> fraction, one = (int64_t)1 << fraction;
    const double size = field == 0 ? ldexp((double)place, 1 - bias - fraction)
                                   : ldexp((double)(one + (place & (one - 1))), (int)field - bias - fraction);
    return code < 0 ? -size : size;
}

/* No float lies on a threshold, sqrt(2) times a power of two; the double nearest to sqrt(1/2) is above it. */
int64_t number_log_encode(double x, int bias, int64_t most) {
    int exponent = -bias;
    const double size = fabs(x), mantissa = size > 0 && !isinf(size) ? frexp(size, &exponent) : 0;
    if (mantissa > 0 && mantissa < 0.70710678118654752440) exponent--;
    int64_t place = isinf(size) ? most : (int64_t)exponent + bias;
    place = place < 0 ? 0 : place > most ? most : place;
    return x < 0 ? -1 - place : place;
}

double number_log_decode(int64_t code, int bias) {
    return code < 0 ? -ldexp(1, (int)(-1 - code) - bias) : ldexp(1, (int)code - bias);
}

static int fraction_of(const weir_number *n) {
    return weir_number_get(n, WEIR_KEY_WIDTH) - weir_number_get(n, WEIR_KEY_EXPONENT_WIDTH) - 1;
}

static weir_number_shared measure_bias(const weir_number *n, const float *x, size_t count) {
    weir_number chosen = *n;
    if (weir_number_get(n, WEIR_KEY_EXPONENT_BIAS) == WEIR_NUMBER_CHOSEN)
        weir_number_choose(&chosen, number_largest(x, count), false);
    return (weir_number_shared){.exponent = weir_number_get(&chosen, WEIR_KEY_EXPONENT_BIAS)};
}

weir_number_shared weir_number_MINIFLOAT_IEEE_measure(const weir_number *n, const float *x, size_t count,
                                                      double whole) {
    (void)whole;
    return measure_bias(n, x, count);
}

number_limits weir_number_MINIFLOAT_IEEE_limits(const weir_number *n) {
    const int64_t most = ((int64_t)1 << (weir_number_get(n, WEIR_KEY_WIDTH) - 1)) - 1;
    return (number_limits){-most, most};
}

int64_t weir_number_MINIFLOAT_IEEE_encode(const weir_number *n, const weir_number_shared *shared, double x) {
    return number_float_encode(x, fraction_of(n), shared->exponent, weir_number_MINIFLOAT_IEEE_limits(n).high);
}

double weir_number_MINIFLOAT_IEEE_decode(const weir_number *n, const weir_number_shared *shared, int64_t code) {
    return number_float_decode(code, fraction_of(n), shared->exponent);
}

/* Without a hidden bit: k * 2^(E - m), k below 2^m, E from -bias. Each E but the least adds only the upper half of the
 * k, so the values are those of m - 1 bits of fraction and a bias that is higher by two. */
enum { NO_HIDDEN_BIT = 2 };

weir_number_shared weir_number_MINIFLOAT_DENORM_measure(const weir_number *n, const float *x, size_t count,
                                                        double whole) {
    (void)whole;
    return measure_bias(n, x, count);
}

number_limits weir_number_MINIFLOAT_DENORM_limits(const weir_number *n) {
    const int64_t fields = (int64_t)1 << weir_number_get(n, WEIR_KEY_EXPONENT_WIDTH);
    const int64_t most = ((fields + 1) << (fraction_of(n) - 1)) - 1;
    return (number_limits){-most, most};
}

int64_t weir_number_MINIFLOAT_DENORM_encode(const weir_number *n, const weir_number_shared *shared, double x) {
    return number_float_encode(x, fraction_of(n) - 1, shared->exponent + NO_HIDDEN_BIT,
                               weir_number_MINIFLOAT_DENORM_limits(n).high);
}

double weir_number_MINIFLOAT_DENORM_decode(const weir_number *n, const weir_number_shared *shared, int64_t code) {
    return number_float_decode(code, fraction_of(n) - 1, shared->exponent + NO_HIDDEN_BIT);
}

weir_number_shared weir_number_LOG_measure(const weir_number *n, const float *x, size_t count, double whole) {
    (void)whole;
    return measure_bias(n, x, count);
}

number_limits weir_number_LOG_limits(const weir_number *n) {
    const int64_t most = ((int64_t)1 << (weir_number_get(n, WEIR_KEY_WIDTH) - 1)) - 1;
    return (number_limits){-most - 1, most};
}

int64_t weir_number_LOG_encode(const weir_number *n, const weir_number_shared *shared, double x) {
    return number_log_encode(x, shared->exponent, weir_number_LOG_limits(n).high);
}

double weir_number_LOG_decode(const weir_number *n, const weir_number_shared *shared, int64_t code) {
    (void)n;
    return number_log_decode(code, shared->exponent);
}
