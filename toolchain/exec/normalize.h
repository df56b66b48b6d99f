/* Normalization of rows of codes, the contract `exact-norm`: one integer program, which weir_kernel_NORMALIZE_CODES and
 * rtl/norm/weir_normalize.v both compute. Of a row of N codes q_i, x_i = q_i - zero:
 *   S = sum x_i,  Q = sum x_i^2                                       exact
 *   mean:      a_i = N x_i - S,  D = N Q - S^2                        LayerNormalization and its like
 *   square:    a_i = x_i,        D = Q                                RMSNormalization, LpNormalization of p = 2
 *   magnitude: a_i = x_i,        D = (sum |x_i|)^2                    LpNormalization of p = 1
 *   V = D 2^fraction + epsilon
 *   V 2^(2n) has `bits` bits or one fewer; of V = 0 all a_i are 0
 *   P = root(V 2^(2n)), 30 bits: a constant by 1 / sqrt, wrong by less than 2^-26 of itself (k = 26)
 *   y_i = a_i P 2^n gain_i + offset_i 2^(shift - point)               exact
 *   code_i = y_i / 2^shift, rounded half to even once, clipped
 * P of a number with the leading bits 1iiiiiiiidddddddddddddddddd, 8 and 18, the first of them the top bit (p = 1) or
 * the next (p = 0); d with its top bit inverted as a signed number; c, b, a: row 256 p + i of the table:
 *   P = c - floor((b - floor(a d / 2^18)) d / 2^18) */
#ifndef WEIR_EXEC_NORMALIZE_H
#define WEIR_EXEC_NORMALIZE_H

#include "ir/graph/graph.h"
#include "ir/shape/normalize.h"

enum {
    WEIR_NORMALIZE_INDEX_BITS = 8, /* with the parity, the row */
    WEIR_NORMALIZE_REST_BITS = 18, /* d */
    WEIR_NORMALIZE_ROOT_BITS = 30, /* P, c */
    WEIR_NORMALIZE_SLOPE_BITS = 22,
    WEIR_NORMALIZE_CURVE_BITS = 13,
    WEIR_NORMALIZE_EXACT = 26 /* k */
};

typedef struct weir_normalize {
    weir_normalize_mode mode;
    int64_t length, zero, epsilon;
    int fraction, bits, shift, point; /* fraction and bits are even, point <= shift */
    const int64_t *root;              /* [3][512]: c, b, a */
} weir_normalize;

/* Of a node WEIR_OP_NORMALIZE_CODES with its table. */
weir_normalize weir_normalize_of(const weir_graph *graph, weir_node node);

/* The table of `constant` / sqrt: P is constant 2^(*exponent) / sqrt(m), where m is V 2^(2n) in units of 2^(bits - 2),
 * from 1 to below 4. The constant is positive and finite. */
void weir_normalize_table(double constant, int *exponent, int64_t root[3 * WEIR_NORMALIZE_ROWS]);
/* P of V 2^(2n), whose highest `bits` are given from the top of the 28 on: 2^26 <= high < 2^28. */
int64_t weir_normalize_root(const int64_t *root, int64_t high);
/* The least V of a row in which an a_i is not 0. */
double weir_normalize_least(const weir_normalize *n);

/* `count` codes of x from `first` on into those of y; gain and offset have `parameters` elements each, of which each
 * serves `hold` elements of the frame, over and over. */
typedef struct weir_normalize_parameters {
    const weir_array *gain, *offset;
    size_t hold;
    int64_t low, high;
} weir_normalize_parameters;
void weir_normalize_row(const weir_normalize *n, const weir_normalize_parameters *p, const weir_array *x, weir_array *y,
                        size_t first);

#endif
