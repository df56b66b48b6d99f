/* Values of the model that are element-wise functions of codes: any operators that compute an element from one element
 * of each operand, quantizers among them, between one value that has codes and this one. Evaluated by the float
 * engine's kernels, on the model's own nodes. */
#ifndef WEIR_PASSES_FUNCTION_H
#define WEIR_PASSES_FUNCTION_H

#include "passes/lower/lower.h"

typedef struct weir_function weir_function;

/* Does the operator compute an element from one element of each operand, or give the same elements in another shape? */
bool weir_function_takes(weir_op op);

/* The value of the model, with codes, of which `value` is a function; none: there is not one, or none alone. */
weir_value weir_function_root(const weir_lowering *l, weir_value value);

/* The function of such a value, by channel of the root's codes, which become rows where a constant changes along other
 * axes than the channels. Channels with the same function share a row. NULL after a reported error. */
weir_function *weir_function_new(weir_lowering *l, weir_value value, weir_value root);
void weir_function_free(weir_function *function);

/* The root's codes, which may be rows for this function alone. */
weir_value weir_function_codes(const weir_function *function);
/* Channels of the codes, or 1 when all have one function and one zero point. */
size_t weir_function_channels(const weir_function *function);
size_t weir_function_rows(const weir_function *function);
size_t weir_function_row(const weir_function *function, size_t channel);
/* What the function takes is codes less this: the zero point of the channel. */
int64_t weir_function_zero(const weir_function *function, size_t channel);
/* Is each of its operations monotone, whatever the number? Then so is the function, in one direction or the other. */
bool weir_function_is_monotone(const weir_function *function);
/* How often the root is read, where each operation rises or falls in each of its operands, whatever the other is; 0:
 * one does neither, or it is read more than WEIR_FUNCTION_LEAVES times. Read apart, the least and the most results for
 * numbers in a range are at its ends, as near as float32 is: HardSwish, Swish and Gelu are products with a gate
 * then. */
enum { WEIR_FUNCTION_LEAVES = 4 };
size_t weir_function_leaves(const weir_function *function);
/* As weir_function_run, each read of the root at points of its own: points[leaf][row][count]. */
void weir_function_run_apart(weir_function *function, const int64_t *points, size_t count, double *results);
/* Row r's results for points[r * count ...], codes less the zero point: real numbers, or codes where the value is an
 * integer tensor. */
void weir_function_run(weir_function *function, const int64_t *points, size_t count, double *results);

#endif
