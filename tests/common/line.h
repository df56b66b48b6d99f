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
/* A graph of one node, an operator over a frame of one such line of one channel of 4 bits, with its component assigned. */
weir_graph *line_graph(weir_op op, const line *w, weir_node *node);

#endif
