/* The scalar contracts of quantized arithmetic (DESIGN, "Numbers"), each written once: only the kernels and the
 * staircase search use them. */
#ifndef WEIR_QUANT_ARITHMETIC_H
#define WEIR_QUANT_ARITHMETIC_H

#include "ir/graph/types.h"
#include "support/memory/instructions.h"

/* ONNX QuantizeLinear of a real number: clip(round_half_even(float32(x / scale)) + zero, low, high). */
int64_t weir_encode_onnx(float x, float scale, int64_t zero, int64_t low, int64_t high);
/* QONNX Quant's code of a number, as its executor computes it: clip(x / scale + zero), then rounded, in float32. */
int64_t weir_encode_qonnx(float x, float scale, float zero, weir_rounding rounding, int64_t low, int64_t high);
/* The same arithmetic in float64, for sums of scaled codes: clip(round(x / scale + zero)). */
int64_t weir_encode_real(double x, double scale, double zero, weir_rounding rounding, int64_t low, int64_t high);
/* ONNX Runtime's fused requantization: clip(round_half_even(float32(accumulator) * multiplier) + zero, low, high),
 * the product rounded to float32, where multiplier = float32(float32(sx * sw) / sy). */
int64_t weir_requantize_onnx(int64_t accumulator, float multiplier, int64_t zero, int64_t low, int64_t high);
/* The same of accumulator[i] - centre. */
void weir_requantize_onnx_each(const int64_t *accumulator, size_t count, int64_t centre, float multiplier, int64_t zero,
                               int64_t low, int64_t high, int64_t *code);

/* Clip bounds and zero point within WEIR_NARROW, so that many codes can be computed at once. */
typedef struct weir_narrow {
    int32_t zero, low, high;
} weir_narrow;
enum { WEIR_NARROW = 1 << 21 };
/* False: they are wider. */
bool weir_narrow_of(int64_t zero, int64_t low, int64_t high, weir_narrow *narrow);
/* weir_encode_onnx of `count` numbers, and weir_requantize_onnx of accumulator[i] - centre[i] with multiplier[i], whose
 * difference fits 32 bits. */
void weir_encode_onnx_all(const float *x, size_t count, float scale, weir_narrow to, int32_t *code);
void weir_requantize_onnx_all(const int32_t *accumulator, const int32_t *centre, const float *multiplier, size_t count,
                              weir_narrow to, int32_t *code);
/* The same for codes that are bytes, signed or not, with the instructions that may be used. */
void weir_requantize_onnx_bytes(const int32_t *accumulator, const int32_t *centre, const float *multiplier,
                                size_t count, weir_narrow to, uint8_t *code, weir_instructions level);

/* floor((x * multiplier + add) / 2^shift), clipped: what rtl/cast/weir_requantize.v computes. */
int64_t weir_requantize_scale(int64_t x, int64_t multiplier, int64_t add, int shift, int64_t low, int64_t high);
void weir_requantize_scale_each(const int64_t *x, size_t count, int64_t multiplier, int64_t add, int shift, int64_t low,
                                int64_t high, int64_t *code);
/* With t = round_to_24_bits(x + add) and v = t * multiplier / 2^shift: clip(round_half_even(round_to_24_bits(v)) +
 * zero): a float32 of x + add, one float32 product, one rounding. What rtl/cast/weir_requantize_float.v computes. Exact
 * integer arithmetic; |t| * multiplier < 2^126. */
int64_t weir_requantize_scale_float(int64_t x, int64_t multiplier, int64_t add, int shift, int64_t zero, int64_t low,
                                    int64_t high);
void weir_requantize_scale_float_each(const int64_t *x, size_t count, int64_t multiplier, int64_t add, int shift,
                                      int64_t zero, int64_t low, int64_t high, int64_t *code);
/* clip(round((x + add) * 2^left / 2^shift)): what rtl/cast/weir_cast.v computes. */
int64_t weir_cast(int64_t x, int64_t add, int left, int shift, weir_rounding rounding, int64_t low, int64_t high);

/* How many of the thresholds x reaches. */
size_t weir_count_reached(const float *threshold, size_t count, float x);
/* Bits that QONNX's Trunc removes between two scales: the logarithm of their quotient, rounded. */
int weir_trunc_exponent(float from, float to);

/* A BatchNormalization of float32 tensors as ONNX Runtime computes it: x * factor + term, rounded twice, with
 * factor = 1 / sqrt(variance + epsilon) * scale and term = shift - mean * factor, rounded after each operation. */
typedef struct weir_normalization {
    float factor, term;
} weir_normalization;
weir_normalization weir_normalization_of(float scale, float shift, float mean, float variance, float epsilon);

#endif
