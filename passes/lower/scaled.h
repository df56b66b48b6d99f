/* Codes as numbers, code * factor + term by channel, and such numbers as codes of one scale: exact ones where the
 * factors and terms allow it, else fixed point numbers, whole numbers of a unit that is a power of two. How far these
 * may be from the model's is noted in the lowering's `rounding`. No value: an error has been reported. */
#ifndef WEIR_PASSES_SCALED_H
#define WEIR_PASSES_SCALED_H

#include "passes/lower/lower.h"

typedef struct weir_scaled {
    weir_value codes;
    const weir_index_map *map;
    uint32_t count; /* of factors and terms: 1, or one a channel */
    double *factor, *term;
    bool rounds; /* float32 rounds more than once in the model */
    weir_interval needed;
} weir_scaled;

/* The power of two of which numbers up to `reach` have 2^bits. */
double weir_scaled_unit(double reach, int bits);
/* The node's value is at most this far from the model's, of each of its inputs; than two units. */
void weir_scaled_note(weir_lowering *l, double rounding);
void weir_scaled_note_unit(weir_lowering *l, double unit);
/* A per-tensor quantization of codes in [low, high] in units. */
weir_quant weir_scaled_quant(weir_lowering *l, double unit, int64_t low, int64_t high);

/* The code of infinite results, next to numbers of up to so many units, of which so many are needed; its codes are
 * noted. */
double weir_scaled_infinite(double most, double needed);
void weir_scaled_note_infinite(weir_lowering *l, weir_value codes, int64_t code);

/* A constant named as the node with the suffix. */
weir_value weir_scaled_constant(weir_lowering *l, weir_node node, const char *suffix, const weir_array *data);

/* All that the codes stand for is needed. */
weir_scaled weir_scaled_of(weir_lowering *l, const weir_leaf *leaf);
/* The numbers that it can be. */
weir_interval weir_scaled_range(const weir_lowering *l, const weir_scaled *a);
/* Add, Sub, Mul, Div with numbers, one or one a channel; Neg and Identity with NULL. */
void weir_scaled_apply(weir_lowering *l, weir_scaled *a, weir_op kind, const double *number, uint32_t count);
/* max or min with a constant, NULL for 0, of what becomes codes of one scale; false after a reported error. */
bool weir_scaled_clip(weir_lowering *l, weir_node node, weir_scaled *a, weir_op kind, const weir_array *constant);

/* Whole numbers of the unit, or, where it is 0, of that for numbers of their size; what is beyond those that are needed
 * is cut off. */
weir_value weir_scaled_emit(weir_lowering *l, weir_node node, const weir_scaled *given, double unit);
/* Codes of one scale, exact where they can be, also of the other sign. */
weir_value weir_scaled_settle(weir_lowering *l, weir_node node, const weir_scaled *given);
/* Codes as fixed point numbers with digits behind those of what they are made of; in no more bits than these have. */
weir_value weir_scaled_wide(weir_lowering *l, weir_node node, weir_value codes);
weir_value weir_scaled_narrow(weir_lowering *l, weir_node node, weir_value codes);
/* The sum or the difference of two with one scale and one shape, exactly; the product, of which that is
 * needed, in fixed point. */
weir_value weir_scaled_add(weir_lowering *l, weir_node node, const char *suffix, const weir_value *pair, bool minus);
weir_value weir_scaled_multiply(weir_lowering *l, weir_node node, weir_value a, weir_value b, weir_interval needed);

#endif
