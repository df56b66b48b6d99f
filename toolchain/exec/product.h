/* The product of real matrices, and of codes: the same bits from every compiler, on every processor. Used by
 * kernel*.c. */
#ifndef WEIR_EXEC_PRODUCT_H
#define WEIR_EXEC_PRODUCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/memory/instructions.h"

/* y = alpha * op(a) * op(b) + beta * y on row-major matrices, op(a) of rows x inner, op(b) of inner x columns. The sum
 * over k has one order, whatever computes it: partial sum j of eight starts with 0 and adds the products of k = j, j +
 * 8, j + 16, ... in order, each product and each sum rounded; then
 *   ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7)),
 * times alpha unless alpha is 1; unless beta is 0, beta * y is added (y, when beta is 1). y is not read when beta is
 * 0. */
typedef struct weir_product_call {
    bool transpose_a, transpose_b;
    size_t rows, inner, columns;
    size_t pitch; /* elements from one row of y to the next; 0: `columns` */
    double alpha, beta;
} weir_product_call;

void weir_product_float32(const weir_product_call *call, const float *a, const float *b, float *y,
                          weir_instructions level);

/* Codes of products are padded with zeros to a multiple of this. */
enum { WEIR_PRODUCT_STEP = 16 };
/* Arranges the weights in the order in which weir_product_codes reads them at this level. */
void weir_product_arrange(int16_t *w, size_t columns, size_t inner, weir_instructions level);
/* sum[r * columns + n] = sum over k < inner of x[r * inner + k] * w[n * inner + k], r < rows, n < columns; inner is a
 * multiple of WEIR_PRODUCT_STEP, w arranged. Exact: no code is -32768, and the sum of all magnitudes is below 2^31. */
void weir_product_codes(const int16_t *x, size_t rows, const int16_t *w, size_t columns, size_t inner, int32_t *sum,
                        weir_instructions level);
/* Row r of x, which begins at x[r * step], with row r of w: sum[r] = sum over k < inner of x[r * step + k] * w[r *
 * inner + k]. What w has beyond `step` is 0, x has `inner` codes from its last row on. inner, exact: as above. */
void weir_product_lines(const int16_t *x, size_t step, const int16_t *w, size_t inner, size_t rows, int32_t *sum,
                        weir_instructions level);
/* sum[c] = sum over k < taps of x[k][c] * w[k * channels + c], c < channels; x has bytes, signed or not. Exact: as
 * above. */
void weir_product_taps(const uint8_t *const *x, bool is_signed, size_t taps, const int16_t *w, size_t channels,
                       int32_t *sum, weir_instructions level);
void weir_product_float64(const weir_product_call *call, const double *a, const double *b, double *y);

#endif
