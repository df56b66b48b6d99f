/* The loop nest of a node as text. */
#ifndef WEIR_TEST_OP_NEST_H
#define WEIR_TEST_OP_NEST_H

#include "ir/shape/loop.h"
#include "support/text/text.h"

/* "NODE: BODY LOOP=SIZE ..., REDUCED=SIZE* ...", then a line an operand: " I[B, C, 2*OX + FX - 1]", "?" where data or a
 * rule says which element, braces around elements in order. */
void print_nest(const weir_graph *graph, weir_node node, weir_text *text);

#endif
