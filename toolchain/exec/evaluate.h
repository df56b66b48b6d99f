/* One node on given data, by the reference kernels. */
#ifndef WEIR_EXEC_EVALUATE_H
#define WEIR_EXEC_EVALUATE_H

#include "ir/graph/graph.h"

/* The node's results, one for each output, all on the heap; NULL if there is no kernel for its types or the data of a
 * present input is missing. Entry i of `inputs` is the data of input i, or NULL. Shape and Size need none: they read
 * types. */
weir_array **weir_evaluate_node(const weir_graph *graph, weir_node node, const weir_array *const *inputs);

#endif
