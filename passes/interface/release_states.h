/* States that are kept from frame to frame (ir/trait/recurrence.h) as a file has them: an input with the State's name,
 * and an output, its next value, with the Update's. The inverse of keep_state. */
#ifndef WEIR_PASSES_RELEASE_STATES_H
#define WEIR_PASSES_RELEASE_STATES_H

#include "ir/graph/graph.h"

/* All of a verified graph; loops inside of a frame stay. O(nodes * States). */
void weir_release_states(weir_graph *graph);

#endif
