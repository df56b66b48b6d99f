/* Arithmetic that several formats share. */
#ifndef WEIR_IR_NUMBER_BASE_H
#define WEIR_IR_NUMBER_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Codes from low to high. */
typedef struct number_limits {
    int64_t low, high;
} number_limits;

/* An element of OCP's formats: its widths, the exponent of its largest numbers, its largest place. */
typedef struct number_mx_element {
    int exponent, fraction, top;
    int64_t most;
} number_mx_element;
/* NULL: OCP has no such widths. */
const number_mx_element *number_mx_element_of(int exponent, int fraction);

/* The largest magnitude; NaN is none. */
double number_largest(const float *x, size_t count);
/* floor and ceil of log2 of a positive finite number, exact. */
int number_floor_log2(double v);
int number_ceil_log2(double v);
/* v within the limits, as a code. */
int64_t number_clip(double v, number_limits limits);
/* The integers of a width: two's complement, or unsigned. */
number_limits number_integers(int width, bool is_signed);
/* The most fraction bits with which `width` signed bits hold the magnitude. */
int number_fraction(double largest, int width, bool is_signed);

/* Magnitudes 2^(i - bias) for i from 0 to most, rounded in the domain of logarithms; there is no zero: code i or
 * -1 - i. */
int64_t number_log_encode(double x, int bias, int64_t most);
double number_log_decode(int64_t code, int bias);

#endif
