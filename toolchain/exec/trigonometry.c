/* Angles are reduced to a part of a quarter turn by as many bits of 2 / pi as the argument asks for (Payne and Hanek,
 * 1983), then by Taylor's series; arc tangents by halving the angle, then by their series. Cost: tens of
 * nanoseconds. */
#include "exec/trigonometry.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* pi / 2 in two parts. */
static const double quarter = 0x1.921fb54442d18p+0, quarter_rest = 0x1.1a62633145c07p-54;

/* Bits of 2 / pi behind the point, 32 a word: for any double. */
enum { WORDS = 38, WINDOW = 6 };
static const uint32_t two_over_pi[WORDS] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab,
};

/* 32 bits of 2 / pi from position `at` on, of which the first is 0. */
static uint32_t bits_at(int at) {
    const int word = at >= 0 ? at / 32 : -((31 - at) / 32), shift = at - 32 * word;
    const uint32_t high = word < 0 || word >= WORDS ? 0 : two_over_pi[word];
    const uint32_t low = word + 1 < 0 || word + 1 >= WORDS ? 0 : two_over_pi[word + 1];
    return shift == 0 ? high : high << shift | low >> (32 - shift);
}

/* |x| * 2 / pi modulo 4, in units of 2^-190: the words of the product, the lowest first. Bits of 2 / pi by which the
 * product is a multiple of 4 are left out. */
static void multiply_turns(double size, uint32_t *product) {
    assert(isfinite(size) && size > 0);
    int exponent;
    const uint64_t mantissa = (uint64_t)ldexp(frexp(size, &exponent), 53);
    const uint64_t part[2] = {mantissa & UINT32_MAX, mantissa >> 32};
    const int first = exponent - 53 - 2;
    for (int i = 0; i < WINDOW; i++) product[i] = 0;
    for (int p = 0; p < 2; p++) {
        uint64_t carry = 0;
        for (int i = 0; i + p < WINDOW; i++) {
            carry += part[p] * bits_at(first + 32 * (WINDOW - 1 - i)) + product[i + p];
            product[i + p] = (uint32_t)carry;
            carry >>= 32;
        }
    }
}

/* x is that many quarter turns (modulo 4) and the angle `rest`, at most half of one. */
static int reduce(double x, double *rest) {
    assert(isfinite(x));
    *rest = x;
    if (fabs(x) <= quarter / 2) return 0;
    uint32_t product[WINDOW];
    multiply_turns(fabs(x), product);
    int turns = (int)(product[WINDOW - 1] >> 30);
    product[WINDOW - 1] &= UINT32_MAX >> 2;
    const bool above = product[WINDOW - 1] >> 29 != 0; /* more than half: one turn more, and back */
    uint64_t borrow = 0;
    for (int i = 0; above && i < WINDOW; i++) {
        const uint64_t whole = i == WINDOW - 1 ? (uint64_t)1 << 30 : 0;
        borrow = whole - product[i] - borrow;
        product[i] = (uint32_t)borrow;
        borrow = borrow >> 63;
    }
    double part = 0;
    for (int i = 0; i < WINDOW; i++) part = part * 0x1p-32 + (double)product[i];
    part *= 0x1p-30;
    const bool negative = above != (x < 0);
    turns += above;
    *rest = negative ? -part * quarter : part * quarter;
    return (x < 0 ? 4 - turns : turns) & 3;
}

/* For |x| <= pi / 4: x - x^3 / 3! + ..., 1 - x^2 / 2! + ... to x^20. */
static double small_sin(double x) {
    const double square = x * x;
    double sum = 0;
    for (int n = 19; n >= 3; n -= 2) sum = (sum + 1) * -square / (n * (n - 1));
    return x + x * sum;
}

static double small_cos(double x) {
    const double square = x * x;
    double sum = 0;
    for (int n = 20; n >= 4; n -= 2) sum = (sum + 1) * -square / (n * (n - 1));
    return 1 - (square / 2 + square / 2 * sum);
}

/* The sine a number of quarter turns on. */
static double turned_sin(double x, int ahead) {
    double rest;
    if (!isfinite(x)) return NAN;
    const int turns = (reduce(x, &rest) + ahead) & 3;
    const double size = (turns & 1) != 0 ? small_cos(rest) : small_sin(rest);
    return turns >= 2 ? -size : size;
}

double weir_trigonometry_sin(double x) { return x == 0 ? x : turned_sin(x, 0); }

double weir_trigonometry_cos(double x) { return turned_sin(x, 1); }

double weir_trigonometry_tan(double x) {
    double rest;
    if (x == 0) return x;
    if (!isfinite(x)) return NAN;
    const bool turned = (reduce(x, &rest) & 1) != 0;
    return turned ? -small_cos(rest) / small_sin(rest) : small_sin(rest) / small_cos(rest);
}

/* Of half the angle: tan(a / 2) = tan(a) / (1 + sqrt(1 + tan(a)^2)). */
static double halved(double x) { return x / (1 + sqrt(1 + x * x)); }

double weir_trigonometry_atan(double x) {
    const double size = fabs(x);
    if (isnan(x) || size < 0x1p-30) return x;
    const bool turned = size > 1;
    const double t = halved(halved(turned ? 1 / size : size)), square = t * t; /* up to tan(pi / 16) */
    double sum = 0;
    for (int n = 27; n >= 3; n -= 2) sum = (sum + 1.0 / n) * -square;
    const double angle = 4 * (t + t * sum);
    return copysign(turned ? quarter - (angle - quarter_rest) : angle, x);
}

double weir_trigonometry_asin(double x) {
    if (isnan(x) || x == 0) return x;
    return fabs(x) > 1 ? NAN : weir_trigonometry_atan(x / sqrt((1 - x) * (1 + x)));
}

double weir_trigonometry_acos(double x) {
    if (isnan(x)) return x;
    return fabs(x) > 1 ? NAN : 2 * weir_trigonometry_atan(sqrt((1 - x) / (1 + x)));
}
