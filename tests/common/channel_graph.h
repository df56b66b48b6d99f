/* Random convolutional networks in which some channels of layers are masked, for tests of what removes them. */
#ifndef WEIR_TEST_CHANNEL_GRAPH_H
#define WEIR_TEST_CHANNEL_GRAPH_H

#include "ir/graph/graph.h"

/* A float network on an image [1, 3, 8, 8] with inferred types: layers with and without padding, biases and groups,
 * residual sums, Concats, Slices, Splits, Transposes, pools, normalizations, gates, quantizers, and one or two outputs.
 * Layers of equally many channels are masked alike, mostly. Follows from the seed alone. */
weir_graph *channel_graph(uint64_t seed);

#endif
