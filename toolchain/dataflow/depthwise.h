/* Depthwise products: a Linear in which every group is one output of one channel. Its groups can be computed in
 * parallel if their elements alternate, which the windows before it ensure if no other node reads them. Code that
 * folds, divides or orders these asks here. */
#ifndef WEIR_DATAFLOW_DEPTHWISE_H
#define WEIR_DATAFLOW_DEPTHWISE_H

#include "ir/graph/graph.h"

/* Number of groups of a Linear with one output each; 0: there is one group, or groups have more outputs. */
int64_t weir_depthwise_groups(const weir_graph *graph, weir_node linear);
/* The windows that give such a node the elements of its channels, and no other node any: the last one, and that before
 * it where it was divided. How many there are. */
size_t weir_depthwise_windows(const weir_graph *graph, weir_node linear, weir_node windows[2]);
/* Can the elements of neighbouring groups alternate? Those of one element do. */
bool weir_depthwise_interleaves(const weir_graph *graph, weir_node linear);
/* Is a window one of those? */
bool weir_depthwise_has_window(const weir_graph *graph, weir_node window);

#endif
