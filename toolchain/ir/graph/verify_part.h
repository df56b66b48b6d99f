/* The parts of the verifier, each over one node or value of a graph whose handles, use lists and order are right; used
 * by verify*.c only. Each reports what it finds and returns true when that is nothing. */
#ifndef WEIR_IR_VERIFY_PART_H
#define WEIR_IR_VERIFY_PART_H

#include "ir/graph/graph.h"

/* Shape, element type, quantization and range of a value agree with each other and with its constant. */
bool weir_verify_value(const weir_graph *graph, weir_value value, weir_location location);
/* The node's attributes are its operator's (op.def). */
bool weir_verify_attributes(const weir_graph *graph, weir_node node);
/* The types of its outputs follow from its inputs, attributes and constants. All values have passed weir_verify_value,
 * the node weir_verify_attributes. */
bool weir_verify_types(const weir_graph *graph, weir_node node, weir_arena *scratch);
/* Its metadata: statistics, component, folding. */
bool weir_verify_metadata(const weir_graph *graph, weir_node node);

#endif
