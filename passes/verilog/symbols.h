/* The symbol table of a compiled network for the hgdb debugger, in its JSON schema: each node of the hardware graph is
 * a line of hardware.weir, at which a simulation of the debug bench stops when the node's stream has a beat. */
#ifndef WEIR_PASSES_SYMBOLS_H
#define WEIR_PASSES_SYMBOLS_H

#include "ir/graph/graph.h"

/* Wires of the bench, of the stream at its instance u_PART_INDEX ("source" or "tap"): is a beat accepted, and the
 * element in a lane. Heap memory. */
char *weir_symbols_taken(const char *part, size_t index);
char *weir_symbols_element(const char *part, size_t index, uint32_t lane);
/* Writes FOLDER/hgdb.json. False after a reported error. */
bool weir_symbols_write(const weir_graph *graph, const char *folder);

#endif
