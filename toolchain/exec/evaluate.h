/* One node on given data, by the reference kernels. */
#ifndef WEIR_EXEC_EVALUATE_H
#define WEIR_EXEC_EVALUATE_H

#include "ir/graph/graph.h"

/* The node's results, as many as it has outputs, all of it on the heap; NULL when there is no kernel for its types or
 * the data of an input that is given is missing. Entry i of `inputs` is the data of input i, or NULL. Shape and Size
 * need none: they read types. */
weir_array **weir_evaluate_node(const weir_graph *graph, weir_node node, const weir_array *const *inputs);

#endif
