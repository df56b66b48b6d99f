/* Tensors that hold several states side by side (h and c of an LSTM, of each layer). */
#ifndef WEIR_PASSES_STATE_PARTS_H
#define WEIR_PASSES_STATE_PARTS_H

#include "ir/graph/graph.h"

/* Makes a State of each part, where the next value is joined of values that are computed apart and every reader of the
 * State takes one of them whole. Returns the number of States, 1 where it is unchanged; 0 after an error.
 * O(elements * nodes between). */
size_t weir_state_take_apart(weir_graph *graph, weir_node state);

#endif
