/* Depthwise products: a Linear of which every group is one output of one channel. Its groups can be computed side by
 * side where their elements come in turn, which the windows before it see to if they are read by no other node. Whoever
 * folds, divides or orders these asks here. */
#ifndef WEIR_DATAFLOW_DEPTHWISE_H
#define WEIR_DATAFLOW_DEPTHWISE_H

#include "ir/graph/graph.h"

/* Groups of a Linear, each of which has one output; 0: there is one group, or they have more outputs. */
int64_t weir_depthwise_groups(const weir_graph *graph, weir_node linear);
/* The windows that give such a node the elements of its channels, and no other node any: the last one, and that before
 * it where it was divided. How many there are. */
size_t weir_depthwise_windows(const weir_graph *graph, weir_node linear, weir_node windows[2]);
/* Can the elements of neighbouring groups alternate? Those of one element do. */
bool weir_depthwise_interleaves(const weir_graph *graph, weir_node linear);
/* Is a window one of those? */
bool weir_depthwise_has_window(const weir_graph *graph, weir_node window);

#endif
