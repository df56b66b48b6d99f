/* Softmax of codes: QLinearSoftmax as in ONNX Runtime's CPU kernel, in float32, each operation rounded, elements in
 * order; and as a share of integers from tables, in any order. */
#ifndef WEIR_EXEC_SOFTMAX_H
#define WEIR_EXEC_SOFTMAX_H

#include "ir/graph/graph.h"

/* Of rows of `length` codes with a scale: power[d] = float32(exp((b / scale - d) * scale)) of a code that is d below
 * the largest of its row, where b = max(0, log(largest float32 / length) - 5) makes the powers large and has no other
 * meaning (onnxruntime contrib_ops/cpu/quantization/qlinear_softmax.cc). */
void weir_softmax_powers(float scale, size_t length, float *power, size_t count);
/* Steps of the result in one: floor(1 / scale) in float32. */
float weir_softmax_steps(float scale);

typedef struct weir_softmax {
    const float *power; /* by distance from the largest code of a row */
    float steps;
    int64_t zero, high; /* of the result */
} weir_softmax;

/* `count` codes of x from `first` on, `stride` apart, into those of y: min(half_even(power * steps / sum) + zero,
 * high), the sum that of the row's powers, in order. A product beyond float32, for which ONNX Runtime computes
 * meaningless codes, is exact. */
void weir_softmax_row(const weir_softmax *softmax, const weir_array *x, weir_array *y, size_t first, size_t count,
                      size_t stride);

/* --- of integers --- */

/* The real softmax of codes with a scale, as shares of tables of `count` entries by distance from the largest code of a
 * row: with k = WEIR_SOFTMAX_BITS
 *   term[d]      = half_even(exp(-d * scale) * 2^k)
 *   numerator[d] = max(0, 2 * half_even(exp(-d * scale) / step * 2^k) - 1)
 * so that floor((floor(numerator / sum of terms) + 1) / 2) is the share by `step`, rounded to the nearest, ties down. A
 * real share lies on a tie only where all codes of a row are equal and the tie is 1/2 (Lindemann-Weierstrass): half to
 * even is the same. */
enum { WEIR_SOFTMAX_BITS = 30 };
void weir_softmax_tables(double scale, double step, int64_t *term, int64_t *numerator, size_t count);
/* Entries of these tables up to the first where both are 0, or `most`. */
size_t weir_softmax_entries(double scale, double step, size_t most);

/* Terms of RequantShift's domain. iSoftmax: a parabola of what is left of a distance after whole halvings, at most 31,
 * halved as often (I-BERT); sums and products stop at the ends of 64 bits. ITAMax: WEIR_SOFTMAX_ONE, halved every 32
 * codes. */
typedef struct weir_softmax_parabola {
    int64_t a, b, c, halving;
} weir_softmax_parabola;
int64_t weir_softmax_parabola_at(const weir_softmax_parabola *parabola, int64_t distance);
enum { WEIR_SOFTMAX_ONE = 256 };
int64_t weir_softmax_halvings(int64_t distance);

typedef struct weir_softmax_integer {
    const int64_t *term, *numerator; /* by distance from the largest code of a row; the last is that of larger ones */
    size_t terms, numerators;
    int half;           /* 1: shares are computed in halves, and rounded up from one half on */
    int64_t zero, high; /* of the result */
} weir_softmax_integer;

/* `count` codes of x from `first` on into those of y: min(share + zero, high); the share is floor(numerator / sum), or
 * with half floor((floor(numerator / sum) + 1) / 2), the sum that of the row's terms. */
void weir_softmax_integer_row(const weir_softmax_integer *softmax, const weir_array *x, weir_array *y, size_t first,
                              size_t count);

#endif
