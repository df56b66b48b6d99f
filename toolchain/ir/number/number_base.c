#include "ir/number/number_base.h"

#include <math.h>

double number_largest(const float *x, size_t count) {
    double largest = 0;
    for (size_t i = 0; i < count; i++) largest = fabs((double)x[i]) > largest ? fabs((double)x[i]) : largest;
    return largest;
}

int number_floor_log2(double v) {
    int exponent;
    frexp(v, &exponent);
    return exponent - 1;
}

int number_ceil_log2(double v) {
    int exponent;
    return frexp(v, &exponent) == 0.5 ? exponent - 1 : exponent;
}

int64_t number_clip(double v, number_limits limits) {
    if (isnan(v)) return limits.low > 0 ? limits.low : 0;
    if (v <= (double)limits.low) return limits.low;
    return v >= (double)limits.high ? limits.high : (int64_t)v;
}

number_limits number_integers(int width, bool is_signed) {
    const int64_t half = (int64_t)1 << (width - 1);
    return is_signed ? (number_limits){-half, half - 1} : (number_limits){0, 2 * half - 1};
}

int number_fraction(double largest, int width, bool is_signed) {
    if (!(largest > 0) || isinf(largest)) return 0;
    return width - (is_signed ? 1 : 0) - 1 - number_floor_log2(largest);
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

/* Without E4M3's NaN and without E5M2's infinity and NaN; INT8 has no exponent and steps of 2^-6. */
const number_mx_element *number_mx_element_of(int exponent, int fraction) {
    static const number_mx_element elements[] = {{4, 3, 8, 126}, {5, 2, 15, 123}, {2, 3, 2, 31},
                                                 {3, 2, 4, 31},  {2, 1, 2, 7},    {0, 6, 0, 127}};
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (elements[i].exponent == exponent && elements[i].fraction == fraction) return &elements[i];
    return NULL;
}
