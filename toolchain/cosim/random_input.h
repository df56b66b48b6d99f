/* Random inputs that exercise the operators after them. */
#ifndef WEIR_COSIM_RANDOM_INPUT_H
#define WEIR_COSIM_RANDOM_INPUT_H

#include "ir/graph/graph.h"
#include "support/memory/array.h"

/* Codes are in the proven range of the input, else in that of its quantization; reals in the range of the quantizer
 * after them, and somewhat beyond, else in [-4, 4]. `seed`, `sample` and the input's position give the same values
 * everywhere. Heap array. */
weir_array *weir_random_input(const weir_graph *graph, weir_value input, uint64_t seed, size_t sample);
/* The range that those values are in. */
void weir_random_range(const weir_graph *graph, weir_value input, double *low, double *high);
/* Adds an array for each input, under its name, determined by the seed and the types alone: reals in [-1, 1), codes in
 * their range. */
void weir_random_frame(const weir_graph *graph, uint64_t seed, weir_archive *inputs);

#endif
