/* Writing a graph, as ONNX or as text, and reading it back, for tests: is it the same? */
#ifndef WEIR_TEST_ROUND_TRIP_H
#define WEIR_TEST_ROUND_TRIP_H

#include <stdbool.h>

#include "ir/graph/graph.h"

/* Equal text forms and equal constants, but for what a file cannot keep: the graph's name and source, the places of
 * nodes, the order in which constants were made, and constants that nothing uses. Prints the first difference. */
bool same_graph(const weir_graph *a, const weir_graph *b);

/* Does the text form with its constants read back to the same text? */
bool text_round_trips(const weir_graph *graph);

/* What importing the exported graph gives; NULL after a reported error. Free with weir_graph_free. */
weir_graph *read_back(const weir_graph *graph);

#endif
