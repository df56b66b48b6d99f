/* Elements of a block share an exponent, the bias of one, or a scale. A block of zeros is zeros. */
#include <assert.h>
#include <math.h>

#include "ir/number/number_private.h"
#include "support/memory/small_float.h"

enum { E8M0 = 127 }; /* largest exponent of a scale in OCP's 8 bits, and minus the smallest */

static int clamp(int v, int low, int high) { return v < low ? low : v > high ? high : v; }

/* Two's complement of `bits` bits. */
static int clamp_signed(int v, int bits) { return clamp(v, -(1 << (bits - 1)), (1 << (bits - 1)) - 1); }

static number_limits symmetric(int bits) {
    const int64_t most = ((int64_t)1 << (bits - 1)) - 1;
    return (number_limits){-most, most};
}

/* The least exponent e for which the magnitude in steps of 2^(e - bits) rounds to at most 2^bits - 1. */
static int exponent_above(double largest, int bits) {
    const int e = number_ceil_log2(largest);
    return nearbyint(ldexp(largest, bits - e)) > ldexp(1, bits) - 1 ? e + 1 : e;
}

/* --- MSFP: sign, magnitude, an exponent a block --- */

weir_number_shared weir_number_BLOCK_FP_measure(const weir_number *n, const float *x, size_t count, double whole) {
    (void)whole;
    const int width = weir_number_get(n, WEIR_KEY_EXPONENT_WIDTH), given = weir_number_get(n, WEIR_KEY_EXPONENT_BIAS);
    const int bias = given == WEIR_NUMBER_CHOSEN ? (1 << (width - 1)) - 1 : given;
    const double largest = number_largest(x, count);
    const int least = -bias, most = (1 << width) - 1 - bias;
    if (!(largest > 0)) return (weir_number_shared){.exponent = least};
    if (isinf(largest)) return (weir_number_shared){.exponent = most};
    return (weir_number_shared){
        .exponent = clamp(exponent_above(largest, weir_number_get(n, WEIR_KEY_WIDTH) - 1), least, most)};
}

number_limits weir_number_BLOCK_FP_limits(const weir_number *n) {
    return symmetric(weir_number_get(n, WEIR_KEY_WIDTH));
}

static int block_fp_shift(const weir_number *n, const weir_number_shared *shared) {
    return weir_number_get(n, WEIR_KEY_WIDTH) - 1 - shared->exponent;
}

int64_t weir_number_BLOCK_FP_encode(const weir_number *n, const weir_number_shared *shared, double x) {
    return number_clip(nearbyint(ldexp(x, block_fp_shift(n, shared))), weir_number_BLOCK_FP_limits(n));
}

double weir_number_BLOCK_FP_decode(const weir_number *n, const weir_number_shared *shared, int64_t code) {
    return ldexp((double)code, -block_fp_shift(n, shared));
}

/* --- minifloats whose block shares a bias, so that its largest exponent is that of the largest magnitude --- */

weir_number_shared weir_number_BLOCK_MINIFLOAT_measure(const weir_number *n, const float *x, size_t count,
                                                       double whole) {
    (void)whole;
    const int top = (1 << weir_number_get(n, WEIR_KEY_EXPONENT_WIDTH)) - 1;
    const double largest = number_largest(x, count);
    const int own = largest > 0 && !isinf(largest) ? number_floor_log2(largest) : 0;
    return (weir_number_shared){.exponent = clamp_signed(top - own, weir_number_get(n, WEIR_KEY_EXPONENT_BIAS_WIDTH))};
}

number_limits weir_number_BLOCK_MINIFLOAT_limits(const weir_number *n) {
    return symmetric(weir_number_get(n, WEIR_KEY_WIDTH));
}

static int block_fraction(const weir_number *n) {
    return weir_number_get(n, WEIR_KEY_WIDTH) - weir_number_get(n, WEIR_KEY_EXPONENT_WIDTH) - 1;
}

int64_t weir_number_BLOCK_MINIFLOAT_encode(const weir_number *n, const weir_number_shared *shared, double x) {
    return weir_small_float_place(x, block_fraction(n), shared->exponent, weir_number_BLOCK_MINIFLOAT_limits(n).high);
}

double weir_number_BLOCK_MINIFLOAT_decode(const weir_number *n, const weir_number_shared *shared, int64_t code) {
    return weir_small_float_number(code, block_fraction(n), shared->exponent);
}

/* --- powers of two whose block shares a bias --- */

weir_number_shared weir_number_BLOCK_LOG_measure(const weir_number *n, const float *x, size_t count, double whole) {
    (void)whole;
    const int top = (1 << (weir_number_get(n, WEIR_KEY_WIDTH) - 1)) - 1;
    const double largest = number_largest(x, count);
    const int own = largest > 0 && !isinf(largest) ? number_ceil_log2(largest) : 0;
    return (weir_number_shared){.exponent = clamp_signed(top - own, weir_number_get(n, WEIR_KEY_EXPONENT_BIAS_WIDTH))};
}

number_limits weir_number_BLOCK_LOG_limits(const weir_number *n) {
    const int64_t most = ((int64_t)1 << (weir_number_get(n, WEIR_KEY_WIDTH) - 1)) - 1;
    return (number_limits){-most - 1, most};
}

int64_t weir_number_BLOCK_LOG_encode(const weir_number *n, const weir_number_shared *shared, double x) {
    return number_log_encode(x, shared->exponent, weir_number_BLOCK_LOG_limits(n).high);
}

double weir_number_BLOCK_LOG_decode(const weir_number *n, const weir_number_shared *shared, int64_t code) {
    (void)n;
    return number_log_decode(code, shared->exponent);
}

/* --- MASE's mxint: two's complement, the block's exponent that of its largest magnitude, rounded up --- */

weir_number_shared weir_number_MXINT_measure(const weir_number *n, const float *x, size_t count, double whole) {
    (void)n;
    (void)whole;
    const double largest = number_largest(x, count);
    if (!(largest > 0)) return (weir_number_shared){.exponent = -E8M0};
    return (weir_number_shared){.exponent = isinf(largest) ? E8M0 : clamp(number_ceil_log2(largest), -E8M0, E8M0)};
}

number_limits weir_number_MXINT_limits(const weir_number *n) {
    return number_integers(weir_number_get(n, WEIR_KEY_WIDTH), true);
}

int64_t weir_number_MXINT_encode(const weir_number *n, const weir_number_shared *shared, double x) {
    const int shift = weir_number_get(n, WEIR_KEY_WIDTH) - 1 - shared->exponent;
    return number_clip(nearbyint(ldexp(x, shift)), weir_number_MXINT_limits(n));
}

double weir_number_MXINT_decode(const weir_number *n, const weir_number_shared *shared, int64_t code) {
    return ldexp((double)code, shared->exponent - weir_number_get(n, WEIR_KEY_WIDTH) + 1);
}

/* The same with an exponent of few bits, that of the last place: MASE's own is right only where
 * 2^(exponent_width - 1) is width - 1. */
weir_number_shared weir_number_MXINT_HARDWARE_measure(const weir_number *n, const float *x, size_t count,
                                                      double whole) {
    (void)whole;
    const int bits = weir_number_get(n, WEIR_KEY_EXPONENT_WIDTH), width = weir_number_get(n, WEIR_KEY_WIDTH);
    const double largest = number_largest(x, count);
    const int lowest = -(1 << (bits - 1));
    if (!(largest > 0)) return (weir_number_shared){.exponent = lowest};
    return (weir_number_shared){
        .exponent = isinf(largest) ? -1 - lowest : clamp_signed(number_ceil_log2(largest) - (width - 1), bits)};
}

number_limits weir_number_MXINT_HARDWARE_limits(const weir_number *n) {
    return number_integers(weir_number_get(n, WEIR_KEY_WIDTH), true);
}

int64_t weir_number_MXINT_HARDWARE_encode(const weir_number *n, const weir_number_shared *shared, double x) {
    return number_clip(nearbyint(ldexp(x, -shared->exponent)), weir_number_MXINT_HARDWARE_limits(n));
}

double weir_number_MXINT_HARDWARE_decode(const weir_number *n, const weir_number_shared *shared, int64_t code) {
    (void)n;
    return ldexp((double)code, shared->exponent);
}

/* --- OCP Microscaling Formats 1.0: E8M0 scales; the exponents of an element's largest normal number by format --- */

static const number_mx_element *element_of(const weir_number *n) {
    const number_mx_element *e =
        number_mx_element_of(weir_number_get(n, WEIR_KEY_EXPONENT_WIDTH), weir_number_get(n, WEIR_KEY_FRAC_WIDTH));
    assert(e != NULL);
    return e;
}

weir_number_shared weir_number_MXFP_measure(const weir_number *n, const float *x, size_t count, double whole) {
    (void)whole;
    const double largest = number_largest(x, count);
    if (!(largest > 0)) return (weir_number_shared){.exponent = -E8M0};
    const int own = isinf(largest) ? E8M0 : number_floor_log2(largest) - element_of(n)->top;
    return (weir_number_shared){.exponent = clamp(own, -E8M0, E8M0)};
}

number_limits weir_number_MXFP_limits(const weir_number *n) {
    const number_mx_element *e = element_of(n);
    return (number_limits){-e->most, e->most};
}

int64_t weir_number_MXFP_encode(const weir_number *n, const weir_number_shared *shared, double x) {
    const number_mx_element *e = element_of(n);
    const double v = ldexp(x, -shared->exponent);
    if (e->exponent == 0) return number_clip(nearbyint(ldexp(v, e->fraction)), weir_number_MXFP_limits(n));
    return weir_small_float_place(v, e->fraction, (1 << (e->exponent - 1)) - 1, e->most);
}

double weir_number_MXFP_decode(const weir_number *n, const weir_number_shared *shared, int64_t code) {
    const number_mx_element *e = element_of(n);
    const double v = e->exponent == 0 ? ldexp((double)code, -e->fraction)
                                      : weir_small_float_number(code, e->fraction, (1 << (e->exponent - 1)) - 1);
    return ldexp(v, shared->exponent);
}

/* --- two levels of scales: E2M1 elements, an E4M3 scale a block, a float32 scale the tensor --- */

enum { E4M3_FRACTION = 3, E4M3_BIAS = 7, E4M3_MOST = 126, E2M1_FRACTION = 1, E2M1_BIAS = 1, E2M1_MOST = 7 };
static const double E4M3_LARGEST = 448, E2M1_LARGEST = 6;

weir_number_shared weir_number_NVFP4_measure(const weir_number *n, const float *x, size_t count, double whole) {
    (void)n;
    const double tensor = (double)(float)(whole / (E2M1_LARGEST * E4M3_LARGEST));
    if (!(tensor > 0) || isinf(tensor)) return (weir_number_shared){.scale = 0};
    const double wanted = number_largest(x, count) / E2M1_LARGEST / tensor;
    const int64_t code = weir_small_float_place(wanted, E4M3_FRACTION, E4M3_BIAS, E4M3_MOST);
    return (weir_number_shared){.scale = weir_small_float_number(code, E4M3_FRACTION, E4M3_BIAS) * tensor,
                                .tensor = tensor};
}

number_limits weir_number_NVFP4_limits(const weir_number *n) {
    (void)n;
    return (number_limits){-E2M1_MOST, E2M1_MOST};
}

int64_t weir_number_NVFP4_encode(const weir_number *n, const weir_number_shared *shared, double x) {
    (void)n;
    return shared->scale > 0 ? weir_small_float_place(x / shared->scale, E2M1_FRACTION, E2M1_BIAS, E2M1_MOST) : 0;
}

double weir_number_NVFP4_decode(const weir_number *n, const weir_number_shared *shared, int64_t code) {
    (void)n;
    return weir_small_float_number(code, E2M1_FRACTION, E2M1_BIAS) * shared->scale;
}
