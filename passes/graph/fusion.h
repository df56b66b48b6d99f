/* How operators fuse with their neighbours: a fact of their rows in op.def. */
#ifndef WEIR_TRANSFORM_FUSION_H
#define WEIR_TRANSFORM_FUSION_H

#include "ir/graph/op.h"

/* TVM's classes in TVM's order, from the freest to the strictest. */
typedef enum weir_fusion_pattern {
    WEIR_PATTERN_ELEMWISE,     /* an output element depends on the input elements of the same index */
    WEIR_PATTERN_BROADCAST,    /* the same, once the inputs are broadcast */
    WEIR_PATTERN_INJECTIVE,    /* an output element is one input element from elsewhere */
    WEIR_PATTERN_REDUCE,       /* an output element gathers many input elements, in any order */
    WEIR_PATTERN_OUT_ELEMWISE, /* elementwise operators can be computed into its output: convolution, product */
    WEIR_PATTERN_OPAQUE        /* fuses with nothing */
} weir_fusion_pattern;

weir_fusion_pattern weir_fusion_pattern_of(weir_op op);

#endif
