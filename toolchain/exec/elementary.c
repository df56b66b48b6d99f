/* Reduction to a small argument, then a series that is long enough for float64; no tables, no fused operations. Cost:
 * tens of nanoseconds, of erf up to 120 terms. */
#include "exec/elementary.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

_Static_assert(FLT_EVAL_METHOD == 0, "float64 must be computed in float64");

/* log 2 in two parts: the product of the first and a whole number up to 2^20 is exact. */
static const double log2_high = 0x1.62e42feep-1, log2_low = 0x1.a39ef35793c76p-33;
static const double log_e_of_10 = 0x1.26bb1bbb55516p+1;

/* e^x - 1 for |x| <= log(2) / 2: Taylor's series to x^14 / 14!. */
static double small_expm1(double x) {
    double sum = 0;
    for (int n = 14; n >= 3; n--) sum = (sum + 1) * x / n;
    return x + x * (sum + 1) * x / 2;
}

/* x = k * log(2) + *rest. */
static double reduce(double x, double *rest) {
    const double k = rint(x * 0x1.71547652b82fep+0); /* 1 / log(2) */
    *rest = (x - k * log2_high) - k * log2_low;
    return k;
}

double weir_elementary_exp(double x) {
    if (isnan(x)) return x;
    if (x > 710) return HUGE_VAL;
    if (x < -746) return 0;
    double rest;
    const double k = reduce(x, &rest);
    return ldexp(1 + small_expm1(rest), (int)k);
}

double weir_elementary_exp2(double x) {
    if (isnan(x) || fabs(x) > 2000) return weir_elementary_exp(x);
    const double k = rint(x);
    return ldexp(1 + small_expm1((x - k) * 0x1.62e42fefa39efp-1), (int)k); /* log(2) */
}

double weir_elementary_expm1(double x) {
    if (isnan(x) || x == 0) return x;
    if (x > 40) return weir_elementary_exp(x) - 1;
    if (x < -40) return -1;
    double rest;
    const double k = reduce(x, &rest), scale = ldexp(1, (int)k);
    return k == 0 ? small_expm1(rest) : scale * small_expm1(rest) + (scale - 1);
}

/* With x = 2^e * (1 + f), 1 + f next to 1, and s = f / (2 + f): log(1 + f) = 2 atanh(s) = f - (f^2/2 - s (f^2/2 + r)),
 * r = 2 s^2/3 + 2 s^4/5 + ... */
double weir_elementary_log(double x) {
    if (isnan(x) || (isinf(x) && x > 0)) return x;
    if (x < 0) return NAN;
    if (x == 0) return -HUGE_VAL;
    int e;
    double mantissa = frexp(x, &e);
    if (mantissa < 0x1.6a09e667f3bcdp-1) { /* sqrt(1/2) */
        mantissa *= 2;
        e--;
    }
    const double f = mantissa - 1, s = f / (2 + f), square = s * s, half = f * f / 2;
    double series = 0;
    for (int n = 23; n >= 3; n -= 2) series = (series + 2.0 / n) * square;
    return e * log2_high - ((half - (s * (half + series) + e * log2_low)) - f);
}

double weir_elementary_log10(double x) { return weir_elementary_log(x) / log_e_of_10; }

/* What rounding 1 + x loses is made good by the derivative of the logarithm. */
double weir_elementary_log1p(double x) {
    const double sum = 1 + x;
    if (isnan(x) || sum == 1 || (isinf(x) && x > 0)) return x;
    return x <= -1 ? weir_elementary_log(sum) : weir_elementary_log(sum) + (x - (sum - 1)) / sum;
}

double weir_elementary_tanh(double x) {
    const double size = fabs(x);
    if (isnan(x)) return x;
    if (size > 22) return copysign(1, x);
    const double t = weir_elementary_expm1(2 * size);
    return copysign(t / (t + 2), x);
}

/* 2 / sqrt(pi) * e^(-x^2) * (x + 2 x^3 / 3 + 4 x^5 / 15 + ...): no term is negative (Abramowitz and Stegun, 7.1.6). */
double weir_elementary_erf(double x) {
    const double size = fabs(x), square = x * x;
    if (isnan(x)) return x;
    if (size > 6) return copysign(1, x);
    double term = size, sum = size;
    for (int n = 1; term > sum * 0x1p-56; n++) {
        term *= 2 * square / (2 * n + 1);
        sum += term;
    }
    return copysign(0x1.20dd750429b6dp+0 * weir_elementary_exp(-square) * sum, x);
}

double weir_elementary_sinh(double x) {
    const double size = fabs(x);
    if (size > 40) { /* e^x / 2, by halves, which do not overflow before it */
        const double half = weir_elementary_exp(size / 2);
        return copysign(half / 2 * half, x);
    }
    const double t = weir_elementary_expm1(size);
    return copysign((t + t / (t + 1)) / 2, x);
}

double weir_elementary_cosh(double x) {
    const double half = weir_elementary_exp(fabs(x) / 2), power = half * half;
    return fabs(x) > 40 ? half / 2 * half : (power + 1 / power) / 2;
}

double weir_elementary_asinh(double x) {
    const double size = fabs(x), square = size * size;
    if (size > 0x1p28) return copysign(weir_elementary_log(size) + log2_high + log2_low, x);
    return copysign(weir_elementary_log1p(size + square / (1 + sqrt(1 + square))), x);
}

double weir_elementary_acosh(double x) {
    const double above = x - 1;
    if (x < 1) return NAN;
    if (x > 0x1p28) return weir_elementary_log(x) + log2_high + log2_low;
    return weir_elementary_log1p(above + sqrt(2 * above + above * above));
}

double weir_elementary_atanh(double x) {
    const double size = fabs(x), twice = 2 * size;
    if (size > 1) return NAN;
    if (size == 1) return copysign(HUGE_VAL, x);
    return copysign(weir_elementary_log1p(twice + twice * size / (1 - size)) / 2, x);
}

static double whole_power(double x, double y) {
    double power = 1;
    for (unsigned n = (unsigned)fabs(y); n != 0; n >>= 1) {
        if ((n & 1) != 0) power *= x;
        x *= x;
    }
    return y < 0 ? 1 / power : power;
}

double weir_elementary_power(double x, double y) {
    if (y == 0 || x == 1) return 1;
    if (isnan(x) || isnan(y)) return NAN;
    const bool whole = y == rint(y), odd = whole && fabs(y) < 0x1p53 && fmod(y, 2) != 0;
    const double size = fabs(x);
    if (size == 0 || isinf(x) || isinf(y)) {
        /* 0, 1 or infinity, by which side of 1 the base is on and the sign of the exponent. */
        const double result = size == 1 ? 1 : (size < 1) == (y > 0) ? 0 : HUGE_VAL;
        return odd && signbit(x) ? -result : result;
    }
    if (x < 0 && !whole) return NAN;
    if (whole && fabs(y) <= 1024) return whole_power(x, y);
    if (y == 0.5) return sqrt(x);
    const double result = weir_elementary_exp(y * weir_elementary_log(size));
    return odd && x < 0 ? -result : result;
}
