/* What the host computes: everything real, from the model's inputs to the codes that enter the hardware (the head), and
 * from the codes that leave it to the model's outputs (the tail). weir_component_mark_host says what is whose. */
#ifndef WEIR_DATAFLOW_HOST_H
#define WEIR_DATAFLOW_HOST_H

#include "ir/graph/graph.h"

/* The part that computes the node; none: the hardware, or neither. */
weir_host weir_host_of(const weir_graph *graph, weir_node node);
/* Is the node work for the host, more than the conversions at the edge? */
bool weir_host_computes(const weir_graph *graph, weir_node node);

#endif
