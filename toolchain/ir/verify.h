/* The graph verifier: structure (names, handles, order, use lists), arity, attributes, types. */
#ifndef WEIR_IR_VERIFY_H
#define WEIR_IR_VERIFY_H

#include "ir/graph.h"

/* Reports every violation (up to the diagnostic limit); true when there is none. O(size). */
bool weir_graph_verify(const weir_graph *graph);

#endif
