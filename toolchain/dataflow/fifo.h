/* Properties of a Fifo: its depth, and how long beats wait in it. */
#ifndef WEIR_DATAFLOW_FIFO_H
#define WEIR_DATAFLOW_FIFO_H

#include "dataflow/cost/cost.h"
#include "ir/graph/graph.h"

/* The kind of depth and stall: the schedule's, more than that, or an estimate if components hold rows of a frame. */
typedef enum weir_fifo_bound { WEIR_FIFO_EXACT, WEIR_FIFO_UPPER, WEIR_FIFO_ESTIMATED } weir_fifo_bound;

typedef struct weir_fifo {
    int64_t depth; /* in beats */
    int64_t stall; /* cycles that a beat waits there, at most; 0: set manually, or less than all that waits */
    weir_fifo_bound bound;
} weir_fifo;

/* Of a node; all 0 if it is not a Fifo. */
weir_fifo weir_fifo_of(const weir_graph *graph, weir_node node);
void weir_fifo_set(weir_graph *graph, weir_node node, const weir_fifo *fifo);

/* What a weir_fifo inside a component costs; `width` in bits of a beat with its `last`. `registered`: 0, 1. */
void weir_fifo_cost(weir_cost_part *part, int64_t width, int64_t depth, int64_t registered);

#endif
