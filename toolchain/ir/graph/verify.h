/* The graph verifier. Structure: handles, order of definitions and uses, use lists, arity. Values: shapes, number
 * formats, scales, ranges, data of constants. Meaning: attributes, metadata, and every type, which is inferred again: a
 * stored range must contain the inferred one, all else must be equal. */
#ifndef WEIR_IR_VERIFY_H
#define WEIR_IR_VERIFY_H

#include "ir/graph/graph.h"

/* Reports every violation (up to the diagnostic limit); true if there is none. Meaning is checked only if the rest is
 * right. O(size), plus the data of constants if a range depends on them. */
bool weir_graph_verify(const weir_graph *graph);

/* The lines of a text that declare the values without a node, by handle; 0: none. */
typedef struct weir_verify_lines {
    const char *file;
    const int *line;
} weir_verify_lines;

/* The same for a graph that was read from a text, whose nodes have their locations there. */
bool weir_graph_verify_text(const weir_graph *graph, const weir_verify_lines *lines);

#endif
