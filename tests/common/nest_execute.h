/* A loop nest executed literally, as nested loops with the accesses that it states: what the nest says of an operator
 * against what a kernel or an outsider computes. */
#ifndef WEIR_TEST_NEST_EXECUTE_H
#define WEIR_TEST_NEST_EXECUTE_H

#include <stdbool.h>

#include "ir/shape/loop.h"

/* `data` by input, `result` by output of the node. Moves copy, Add and the like sum what they read, reductions take the
 * maximum where the operator does, else the sum. */
void execute_nest(const weir_loop_nest *nest, weir_op op, const weir_array *const *data, weir_array *const *result);
/* Does `execute_nest` compute the operator, not only visit its elements? */
bool nest_is_definition(const weir_graph *graph, weir_node node, const weir_loop_nest *nest);

#endif
