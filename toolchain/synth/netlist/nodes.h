/* What of a netlist belongs to which node of the hardware graph, by the names that Yosys gives cells. */
#ifndef WEIR_SYNTH_NODES_H
#define WEIR_SYNTH_NODES_H

#include <jansson.h>

#include "dataflow/cost/device.h"
#include "ir/graph/graph.h"

/* The node with the longest name that the instance, or net between instances, is of: "u_fc1_weights", "fc1_data" are of
 * fc1. No node (id 0): of none. O(nodes). */
weir_node weir_synth_node_of(const weir_graph *hardware, const char *instance);
/* For each component {"node", "luts", "flip_flops", "multipliers", "memory_blocks"}, in the graph's order, with its
 * parameter memories and FIFOs. What belongs to none (frame guards, the top module) is the rest of weir_synth_count. */
json_t *weir_synth_nodes_json(const json_t *netlist, const char *module, const weir_graph *hardware,
                              const weir_device *device);

#endif
