/* What window and taps have in common: weir.Window over one or two dimensions, channels innermost. */
#ifndef WEIR_DATAFLOW_COMPONENT_SLIDING_PRIVATE_H
#define WEIR_DATAFLOW_COMPONENT_SLIDING_PRIVATE_H

#include "dataflow/build.h"
#include "dataflow/component.h"
#include "dataflow/cost/cost.h"

/* Along one dimension. */
typedef struct weir_sliding_axis {
    int64_t in, out, kernel, stride, dilation, begin;
} weir_sliding_axis;

typedef struct weir_sliding {
    weir_sliding_axis x, y;
    int64_t group, channels; /* channels of a group */
    int64_t frames;          /* of the model in a frame of the stream: its batch */
} weir_sliding;

weir_sliding weir_sliding_of(const weir_graph *graph, weir_node node);
/* From a window's first pixel to its last. */
int64_t weir_sliding_reach(const weir_sliding_axis *axis);
bool weir_sliding_fits(const weir_graph *graph, weir_node node, weir_text *why);
/* Bits that differ of so many elements of an instance of weir_window or weir_taps: those above an element's own repeat
 * its sign or tell, for all of them, that there is no pixel. */
int64_t weir_sliding_given_bits(const weir_cost_part *part, int64_t elements);
/* Cycles a frame in weir_taps; 0: it moves along more than one dimension, or by groups. */
int64_t weir_taps_interval(const weir_sliding *window);

#endif
