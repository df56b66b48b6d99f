/* Reference kernels, one per operator: the plain loop that defines what every faster or hardware version must give. */
#ifndef WEIR_EXEC_KERNEL_H
#define WEIR_EXEC_KERNEL_H

#include "ir/graph.h"

/* Inputs left out are NULL (the vector always holds as many as the operator may take). Outputs are allocated to the
 * inferred types. Never fails: types were checked before. What it allocates for itself it frees again. */
typedef void weir_kernel(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                         weir_array *const *outputs);

/* The kernel of the operator, or NULL. */
weir_kernel *weir_kernel_find(weir_op op);
/* Does the operator's kernel compute the node's (inferred) types? */
bool weir_kernel_supports(const weir_graph *graph, weir_node node);

#endif
