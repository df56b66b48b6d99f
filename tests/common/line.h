/* A line of pixels over which a kernel of one dimension slides, for searches of how far apart lines can be. */
#ifndef WEIR_TESTS_COMMON_LINE_H
#define WEIR_TESTS_COMMON_LINE_H

#include "ir/graph/graph.h"

typedef struct line {
    int in, out, kernel, stride, dilation, begin; /* pixels, positions of the kernel, ..., of padding before */
} line;

/* Pixels from the first tap to the last. */
int line_reach(const line *w);
/* The pixel under the last tap at position `o`; the line's are 0 to in - 1. */
int line_end(const line *w, int o);
/* The first line before the first one that line_next makes. */
#define LINE_BEFORE_FIRST ((line){1, 0, 1, 1, 1, 0})
/* Of a search: the largest of each, all from 1 on. */
typedef struct line_limits {
    int in, out, kernel, stride, dilation;
} line_limits;
/* The next line in the order of its fields, of which each position begins on the line or on its padding, and none could
 * be left out behind it; false after the last one. */
bool line_next(line *w, const line_limits *most);
/* Fails with the line's numbers unless it takes as many cycles as the component calls ideal. */
void line_takes(const line *w, int64_t cycles, int64_t ideal);

/* Codes of 4 bits. */
weir_type line_type(weir_shape shape);
/* A graph of one node, an operator over a frame of one such line of one channel of 4 bits, with its component
 * assigned. */
weir_graph *line_graph(weir_op op, const line *w, weir_node *node);

#endif
