/* What bounds the numbers of an IntegerNormalize: of each element of a row, (x - mean) * gain / deviation, with mean
 * and quotient toward 0 and the deviation the root, rounded down, of floor(sum of (x - mean)^2 / length) + 1. */
#ifndef WEIR_IR_NORMALIZE_INTEGER_H
#define WEIR_IR_NORMALIZE_INTEGER_H

#include "ir/graph/graph.h"

typedef struct weir_normalize_integer {
    int64_t length;                                /* of a row, the innermost dimension */
    bool centred;                                  /* else the mean is 0 */
    int64_t mean, away, deviation, gain, quotient; /* the largest magnitudes */
} weir_normalize_integer;

/* Of codes in [low, high]. A distance from the mean is below 2 sqrt(length) deviations: its square is at most the sum
 * of all, below length * v for the v whose root the deviation is, and a root rounded down to 1 or more is above half of
 * the root. */
weir_normalize_integer weir_normalize_integer_of(int64_t length, bool centred, int64_t low, int64_t high, int64_t gain);
/* The root, rounded down. */
int64_t weir_normalize_integer_root(int64_t square);

#endif
