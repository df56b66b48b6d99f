/* Latency and interval of components: the formulas in their modules' headers, the table of components, the
 * simulation. */
#ifndef WEIR_TESTS_COMPONENT_TIMING_H
#define WEIR_TESTS_COMPONENT_TIMING_H

#include "cosim/cosim.h"
#include "ir/graph/graph.h"

/* Do the headers of the modules that each node becomes say what the table says? False after a message. */
bool timing_agrees(const weir_graph *graph);
/* A graph of one component, never stalled: did it take as long as its headers say, with `more` cycles of latency? */
bool timing_is(const weir_graph *graph, const weir_cosim *result, int64_t more);
/* Does the graph have one component, so that its time can be told from outside? */
bool timing_is_visible(const weir_graph *graph);

#endif
