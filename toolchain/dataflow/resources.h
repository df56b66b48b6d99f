/* What each component of the hardware graph is made of: widths, folding, memories, and how requantizers were realized. */
#ifndef WEIR_DATAFLOW_RESOURCES_H
#define WEIR_DATAFLOW_RESOURCES_H

#include "ir/graph.h"
#include "support/text.h"

typedef struct weir_resources {
    int64_t operations;      /* multiply-accumulates a frame */
    int64_t multipliers;     /* simd * pe of all nodes */
    int64_t memory_bits;     /* of all parameter memories */
    int64_t ideal_interval;  /* the slowest component's work / what it does a cycle, in cycles a frame; at least 1 */
    int64_t folded_interval; /* the same for what the folding promises: with padding and idle cycles */
} weir_resources;

/* Of all components of a folded hardware graph. */
weir_resources weir_resources_of(const weir_graph *hardware);
/* A table, one line a component, and a line of totals. */
void weir_resources_print(const weir_graph *hardware, weir_text *text);

#endif
