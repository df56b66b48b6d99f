/* The text form of a graph. Printing and parsing round-trip byte for byte. Constants and quantization arrays are in an
 * .npz of the same name, by value name ("w", "w.scale", "w.zero_point"). */
#ifndef WEIR_IR_PRINT_H
#define WEIR_IR_PRINT_H

#include "ir/graph/graph.h"
#include "support/text/text.h"

/* "int8[64,64] integer s8 range=[-127,127]" */
void weir_type_print(const weir_type *type, weir_text *text);
void weir_graph_print(const weir_graph *graph, weir_text *text);
/* The line, from 1, on which the printed graph has each node, by node id (0: no such node). Heap memory. */
int *weir_graph_lines(const weir_graph *graph);
/* The constants that the text refers to. */
void weir_graph_collect(const weir_graph *graph, weir_archive *archive);
/* Parses text whose constants are in the archive; `file` names it in errors. NULL after a reported error. */
weir_graph *weir_graph_parse(const char *text, size_t size, const weir_archive *archive, const char *file);
/* PATH has the text; the same path with extension .npz (replaced or added) has the constants. */
bool weir_graph_save(const weir_graph *graph, const char *path);
weir_graph *weir_graph_load(const char *path);

#endif
