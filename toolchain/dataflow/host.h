/* What the host computes: everything real, from the model's inputs to the codes that enter the hardware (the head), and
 * from the codes that leave it to the model's outputs (the tail). */
#ifndef WEIR_DATAFLOW_HOST_H
#define WEIR_DATAFLOW_HOST_H

#include "ir/graph.h"

/* Sets metadata.hardware.host of every node. Integers are the host's where their operator is ONNX's, has no component
 * and is no name for a stream. */
void weir_host_mark(weir_graph *graph);
/* Which part computes the node; none: hardware, or nobody. */
weir_host weir_host_of(const weir_graph *graph, weir_node node);
/* Can the marked graph be parted: codes in front of the hardware, none of the host's work between parts of it, results
 * from the hardware only? False after a reported error. */
bool weir_host_check(const weir_graph *graph);
/* Is the node work for the host, more than the conversions at the edge? */
bool weir_host_computes(const weir_graph *graph, weir_node node);

/* Graphs of their own: the head "head" from the model's inputs to the codes that enter, the tail "tail" from those that
 * leave to the model's outputs, both in the order of weir_stream_inputs and weir_stream_outputs. Free with
 * weir_graph_free. */
weir_graph *weir_host_head(const weir_graph *hardware);
weir_graph *weir_host_tail(const weir_graph *hardware);

#endif
