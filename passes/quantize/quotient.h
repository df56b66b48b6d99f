/* Quotients of two computed tensors, for which hardware has products and functions of one. */
#ifndef WEIR_PASSES_QUOTIENT_H
#define WEIR_PASSES_QUOTIENT_H

#include "ir/graph/graph.h"

/* Between layers or quantizers x / y becomes x times a Reciprocal of y, which a scheme gives a quantizer of its own;
 * where both are functions of the elements of one value it is such a function as it is. What the host divides stays.
 * In float this moves a result by two units in the last place at most. O(size). False after a reported error. */
bool weir_quotient_split(weir_graph *graph);

#endif
