/* The kinds of a node WEIR_OP_NORMALIZE_CODES, and the bits of its numbers (exec/normalize.h). */
#ifndef WEIR_IR_NORMALIZE_H
#define WEIR_IR_NORMALIZE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum weir_normalize_mode {
    WEIR_NORMALIZE_MEAN,
    WEIR_NORMALIZE_SQUARE,
    WEIR_NORMALIZE_MAGNITUDE
} weir_normalize_mode;

/* Of V. */
enum { WEIR_NORMALIZE_LEAST_BITS = 28, WEIR_NORMALIZE_MOST_BITS = 120 };
/* The table's columns, c, b and a, and rows. */
enum { WEIR_NORMALIZE_COLUMNS = 3, WEIR_NORMALIZE_ROWS = 512 };

/* Reads "mean", "square" or "magnitude". */
bool weir_normalize_mode_of(const char *word, weir_normalize_mode *mode);
/* Bits of the largest V of x_i in [least, most]: even and at least 28; more than 120: too many. */
int weir_normalize_bits(weir_normalize_mode mode, int64_t length, int64_t least, int64_t most, int fraction,
                        int64_t epsilon);

#endif
