/* Nested loops over the beats of a frame: what the modules that realise weir.Reorder have in common. */
#ifndef WEIR_DATAFLOW_COMPONENT_NEST_PRIVATE_H
#define WEIR_DATAFLOW_COMPONENT_NEST_PRIVATE_H

#include "dataflow/build.h"
#include "dataflow/component.h"
#include "dataflow/cost/cost.h"

enum { WEIR_NEST_LOOPS = 6 }; /* of a module */

/* Of the divisors of `most` the smallest that is as large as the lanes before it, or most, and no slower than what sets
 * the pace; `cycles`: a frame's at one lane. */
void weir_nest_set_lanes(const weir_graph *graph, int64_t most, int64_t cycles, weir_meta_hardware *hardware);
bool weir_nest_legal(int64_t most, const weir_meta_hardware *hardware, weir_text *why);
/* Parameters NAME_0 to NAME_5: the loops' values, outermost first, are those of the innermost loops, the others
 * `otherwise`. */
void weir_nest_build(weir_builder *b, weir_rtl_instance u, const char *name, const int64_t *value, int loops,
                     int64_t otherwise);
/* The parameter NAME_loop. */
int64_t weir_nest_value(weir_cost_part *part, const char *name, int loop);
/* Of the parameters SIZE_0 to SIZE_5: bits of all counters, of the largest; loops that have one. */
int64_t weir_nest_count_bits(weir_cost_part *part);
int64_t weir_nest_most_bits(weir_cost_part *part);
int64_t weir_nest_count_loops(weir_cost_part *part);

#endif
