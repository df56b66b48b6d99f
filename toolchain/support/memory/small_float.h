/* Floating-point numbers of at most 8 bits: their values in order, and the formats of ONNX's element types. */
#ifndef WEIR_SMALL_FLOAT_H
#define WEIR_SMALL_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

/* Magnitudes (2^m + f) * 2^(field - bias - m), and f * 2^(1 - bias - m) in field 0: m bits of fraction, in order; the
 * place of x with its sign, rounded half to even, its magnitude at most `most`; and the number at a place. */
int64_t weir_small_float_place(double x, int fraction, int bias, int64_t most);
double weir_small_float_number(int64_t place, int fraction, int bias);

/* Bits of the fraction, the bias, the place of the largest number; the bits of infinity and NaN, 0 where there is none;
 * the sign's bit. */
typedef struct weir_small_float {
    int fraction, bias;
    uint8_t most, infinity, nan, sign;
    bool has_negative_zero; /* else these bits are NaN */
} weir_small_float;

/* The bits of the nearest number, ties to even. What is beyond the largest one becomes that where it saturates or the
 * format has nothing else, otherwise inf or NaN. Without a NaN it has -0 for it. */
uint8_t weir_small_float_encode(const weir_small_float *format, double value, bool saturates);
double weir_small_float_decode(const weir_small_float *format, uint8_t bits);

/* Powers of two (float8e8m0): that of a float32 number's magnitude, rounded as ONNX's Cast does; and the number. */
typedef enum weir_small_power { WEIR_SMALL_POWER_UP, WEIR_SMALL_POWER_DOWN, WEIR_SMALL_POWER_NEAREST } weir_small_power;
uint8_t weir_small_float_encode_power(float value, bool saturates, weir_small_power round);
double weir_small_float_decode_power(uint8_t bits);

#endif
