/* The host's parts as graphs of their own. */
#ifndef WEIR_DATAFLOW_HOST_GRAPH_H
#define WEIR_DATAFLOW_HOST_GRAPH_H

#include "ir/graph/graph.h"

/* Can the marked graph be split: codes before the hardware, no host work between its parts? False after a reported
 * error. */
bool weir_host_graph_check(const weir_graph *graph);

/* The head "head" from the model's inputs to the codes that enter, the tail "tail" from those that leave to the model's
 * outputs, both in the order of weir_stream_inputs and weir_stream_outputs, then of weir_stream_carried. Free with
 * weir_graph_free. */
weir_graph *weir_host_graph_head(const weir_graph *hardware);
weir_graph *weir_host_graph_tail(const weir_graph *hardware);
/* What is between them, "between": from codes that enter to codes that leave, for an executor; without what the
 * hardware is made of. */
weir_graph *weir_host_graph_between(const weir_graph *hardware);

#endif
