/* How far the float32 execution of a model's node may differ from exact arithmetic: a bound on rounding for any order
 * of summation (N. Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 3.1), and for quantizers the
 * codes on both sides of a tie that lies within that. */
#ifndef WEIR_COSIM_TOLERANCE_H
#define WEIR_COSIM_TOLERANCE_H

#include "ir/graph/graph.h"

/* A node with its kernel's arguments: `slots` inputs, NULL if omitted, and how far each of their elements may be off;
 * NULL: not at all. */
typedef struct weir_operands {
    const weir_graph *graph;
    weir_node node;
    size_t slots;
    const weir_array **input;
    const double **slack;
} weir_operands;

/* The sums of the magnitudes that a product adds up, an array like its output; free it with weir_array_free. */
weir_array *weir_tolerance_magnitude(const weir_operands *operands);
/* The float32 error for inputs that are off by their slack, for each element of output `index`. Heap array. */
double *weir_tolerance_propagate(const weir_operands *operands, size_t index, const weir_array *output);
/* Is float32's own error of the node more than roundings of its largest numbers: is it a normalization or a softmax? */
bool weir_tolerance_amplifies(const weir_graph *graph, weir_node node);
/* A monotone node of one output with its input 0 moved by `by` times `reach`; free it with weir_array_free. */
weir_array *weir_tolerance_moved(const weir_operands *operands, const double *reach, double by);

#endif
