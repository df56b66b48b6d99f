/* Which values of a model are multiples of powers of two, as float32 holds them to the last bit. */
#ifndef WEIR_COSIM_GRID_H
#define WEIR_COSIM_GRID_H

#include "cosim/counterpart.h"
#include "ir/graph/graph.h"
#include "support/memory/arena.h"

typedef struct weir_grid {
    const weir_graph *model, *lowered;
    const weir_value *partner; /* by value of the model: in the lowered graph */
    const weir_counterparts *counterparts;
} weir_grid;

bool weir_grid_is_power(double number);
/* Are all numbers that the value stands for multiples of powers of two? */
bool weir_grid_has(const weir_grid *grid, weir_value value);
/* And what the node computes it from? The unit of a sum of other numbers may be one, and what only moves its elements
 * leaves them as they are. */
bool weir_grid_computes(const weir_grid *grid, weir_node node);
/* Or of those whose elements these are? */
bool weir_grid_feeds(const weir_grid *grid, weir_value value);
/* Of one element of a value on the grid. */
double weir_grid_step(const weir_grid *grid, weir_value value, size_t i);
/* By value of the model: is it computed of constants alone, from codes whose scale rounds in float32? The lowered graph
 * takes the codes, which stand for other numbers. The arena's. */
bool *weir_grid_rounded_constants(const weir_graph *model, weir_arena *arena);

#endif
