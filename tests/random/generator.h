/* Random graphs for tests of passes: a seed gives the same graph on every machine. Float graphs mix convolutions,
 * products, elementwise operators with broadcasting, shape operators, constants that fold, repeated and dead parts;
 * integer graphs are what lowering makes: products, sums, casts, clips. */
#ifndef WEIR_TESTS_RANDOM_GENERATOR_H
#define WEIR_TESTS_RANDOM_GENERATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/graph/graph.h"

typedef struct random_source {
    uint64_t state;
} random_source;

random_source random_from(uint64_t seed);
uint64_t random_bits(random_source *r);
int64_t random_range(random_source *r, int64_t low, int64_t high);
bool random_chance(random_source *r, int percent);

/* A verified graph called "g" with 1 to 3 outputs. A failure to build is a bug of this generator and aborts. */
weir_graph *random_float_graph(random_source *r);
weir_graph *random_integer_graph(random_source *r);
/* Data for input `index`: small real numbers, or codes of the input's range. Heap array. */
weir_array *random_input(random_source *r, const weir_graph *graph, size_t index);

#endif
