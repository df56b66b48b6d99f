/* Masks before a Softmax: what they leave out has a share of 0, so no range or code of its own. A sum with a constant
 * of numbers that are 0 or far below every score, or a Where between the scores and such a number. */
#ifndef WEIR_PASSES_MASK_H
#define WEIR_PASSES_MASK_H

#include "ir/graph/graph.h"

typedef struct weir_mask {
    uint32_t data;             /* the input with the scores */
    const weir_array *pattern; /* a constant that broadcasts to them: numbers of a sum, or conditions of a Where */
    bool sum;                  /* it is a sum: what is below 0 is left out */
    bool leaves_true;          /* of a Where: elements whose condition is true are left out */
    double least;              /* the smallest distance below 0 of what is left out */
} weir_mask;

/* A constant that is both, numbers for what it keeps and a mask for the rest, as of attention in which nearer steps
 * count more, is added in two steps. False after a reported error. */
bool weir_mask_split(weir_graph *graph);

/* Is the node such a mask, which only Softmaxes read? */
bool weir_mask_of(const weir_graph *graph, weir_node node, weir_mask *mask);
/* Is element i of the pattern one that is left out? */
bool weir_mask_leaves_out(const weir_mask *mask, size_t i);

/* Is the node a sum or a Where of scores and of what is computed, a possible mask: which only Softmaxes read? The input
 * `data` may have the scores, `other` what leaves some of them out: numbers, or conditions of a Where, whose constant
 * then is far below. */
typedef struct weir_computed_mask {
    uint32_t data, other;
    bool sum;
} weir_computed_mask;
bool weir_mask_may_be(const weir_graph *graph, weir_node node, uint32_t data, weir_computed_mask *mask);
/* Are all numbers 0 or far below? */
bool weir_mask_is_far(const weir_array *numbers);
/* Are its elements those of constants and of States that are kept from frame to frame, moved alone, with quantizers or
 * without? Such a mask says which steps there are. */
bool weir_mask_is_kept(const weir_graph *graph, weir_value value);

#endif
