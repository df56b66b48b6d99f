/* Where the boxes of a graph's nodes lie: by Graphviz' answer, or in rows; long graphs are folded into columns side by
 * side. */
#ifndef WEIR_REPORT_LAYOUT_H
#define WEIR_REPORT_LAYOUT_H

#include "ir/graph/graph.h"
#include "support/text/text.h"

/* Pixels of a box, and between rows. */
enum { WEIR_LAYOUT_BOX_WIDTH = 216, WEIR_LAYOUT_BOX_HEIGHT = 52, WEIR_LAYOUT_ROW = 92, WEIR_LAYOUT_COLUMN = 244 };

typedef struct weir_layout_edge {
    weir_node from, to;
    weir_value value; /* what flows */
    char *path;       /* `d` of an SVG path; heap */
} weir_layout_edge;

typedef struct weir_graph_layout {
    double width, height;
    double *x, *y; /* the middle of a box, by node id; heap */
    weir_layout_edge *edge;
    size_t edge_count;
} weir_graph_layout;

/* The edges between nodes, in the graph's order: what Graphviz is asked about. */
void weir_layout_dot(const weir_graph *graph, weir_text *dot);
/* `plain` is the output of `dot -Tplain` for that; NULL, or another text: rows. */
weir_graph_layout weir_layout_of(const weir_graph *graph, const char *plain);
void weir_layout_free(weir_graph_layout *layout);

#endif
