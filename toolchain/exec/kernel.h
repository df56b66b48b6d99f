/* Reference kernels, one per operator: the plain loop that defines what every faster or hardware version must give. */
#ifndef WEIR_EXEC_KERNEL_H
#define WEIR_EXEC_KERNEL_H

#include "ir/graph.h"

/* Inputs left out are NULL. Outputs are allocated to the inferred types. Never fails: types were checked before. */
typedef void weir_kernel(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                         weir_array *const *outputs);

/* The kernel of the operator, or NULL. */
weir_kernel *weir_kernel_find(weir_op op);

#endif
