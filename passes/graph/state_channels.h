/* The order in which States remember lines of convolutions. */
#ifndef WEIR_PASSES_STATE_CHANNELS_H
#define WEIR_PASSES_STATE_CHANNELS_H

#include "ir/graph/graph.h"

/* States that convolutions read and that are kept with one step a frame have their channels innermost from here on, as
 * streams do: [N, ..., C] and a Transpose on either side, which convert_layout cancels. False after a reported error.
 * O(nodes). */
bool weir_state_channels_innermost(weir_graph *graph);

#endif
