/* What MASE measures and prunes: linear layers and convolutions, the zeros in their arguments, and their masks
 * (weir.Mask). */
#ifndef WEIR_PASSES_SPARSITY_H
#define WEIR_PASSES_SPARSITY_H

#include "ir/graph/graph.h"

/* A linear layer or a convolution. */
bool weir_sparsity_applies(const weir_graph *graph, weir_node node);

/* Elements of a tensor, and how many of them stand for the real number 0. */
typedef struct weir_zeros {
    uint64_t count, zeros;
} weir_zeros;
/* Adds the array's, whose codes have the type's zero points. */
void weir_zeros_add(weir_zeros *to, const weir_type *type, const weir_array *array);
double weir_zeros_share(const weir_zeros *zeros); /* 0 of nothing */

/* The Mask that the value comes from, past what carries it on; none when there is none. */
weir_node weir_sparsity_mask(const weir_graph *graph, weir_value value);

#endif
