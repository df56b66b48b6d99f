/* Values with an exponent of their own. There are no infinities and no NaN: what is beyond the largest value gives
 * that. A fraction that rounds up to the next power of two carries into the exponent, which MASE's own quantizers
 * lose. */
#include <assert.h>
#include <math.h>

#include "ir/number/number_private.h"
#include "support/memory/small_float.h"

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
    return weir_small_float_place(x, fraction_of(n), shared->exponent, weir_number_MINIFLOAT_IEEE_limits(n).high);
}

double weir_number_MINIFLOAT_IEEE_decode(const weir_number *n, const weir_number_shared *shared, int64_t code) {
    return weir_small_float_number(code, fraction_of(n), shared->exponent);
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
    return weir_small_float_place(x, fraction_of(n) - 1, shared->exponent + NO_HIDDEN_BIT,
                                  weir_number_MINIFLOAT_DENORM_limits(n).high);
}

double weir_number_MINIFLOAT_DENORM_decode(const weir_number *n, const weir_number_shared *shared, int64_t code) {
    return weir_small_float_number(code, fraction_of(n) - 1, shared->exponent + NO_HIDDEN_BIT);
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
