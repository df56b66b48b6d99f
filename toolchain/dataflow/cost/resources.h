/* The make-up of each component of the hardware graph: widths, folding, memories, and how requantizers were
 * realized. */
#ifndef WEIR_DATAFLOW_RESOURCES_H
#define WEIR_DATAFLOW_RESOURCES_H

#include "ir/graph/graph.h"
#include "support/text/text.h"

typedef struct weir_resources {
    int64_t operations;      /* multiply-accumulates a frame */
    int64_t multipliers;     /* simd * pe of all nodes */
    int64_t memory_bits;     /* of all parameter memories */
    int64_t ideal_interval;  /* of the slowest component, in cycles a frame; at least 1 */
    int64_t folded_interval; /* the same as the folding promises it: with padding and idle cycles */
} weir_resources;

/* The fewest cycles a frame of the folded node's component, by its rule `ideal` (component.h) and the beats of its
 * streams. */
int64_t weir_resources_ideal(const weir_graph *hardware, weir_node node);
/* Of all components of a folded hardware graph. */
weir_resources weir_resources_of(const weir_graph *hardware);
/* A table, one line a component, and a line of totals. */
void weir_resources_print(const weir_graph *hardware, weir_text *text);

#endif
