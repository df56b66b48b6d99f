/* Which channels of a graph stay or go together. A channel is an index of a value along one axis: layers make channels
 * of their outputs, and everything behind them up to the next layer ties its results' channels to those it reads. Tied
 * channels are of one class: a sum's operands and its result, the elements that a Flatten makes of a channel, a part of
 * a Concat, a depthwise convolution's input and output. A class that something reads as a whole is pinned. */
#ifndef WEIR_PASSES_CHANNELS_H
#define WEIR_PASSES_CHANNELS_H

#include "ir/graph/graph.h"
#include "ir/graph/side.h"

/* A value's channels are first, first + 1, ... along the axis; count 0: it has none. Channel 0 is nobody's. */
typedef struct weir_channel_axis {
    int axis;
    uint32_t first;
    int64_t count;
} weir_channel_axis;

/* Channel `result` of a node's result depends on channel `source` of what it reads; 0: on all of something computed. */
typedef struct weir_channel_tie {
    weir_node node;
    uint32_t result, source;
} weir_channel_tie;

typedef struct weir_channel_node {
    uint32_t parent; /* of its class; its own number: it stands for the class */
    bool is_pinned;  /* of what stands for a class */
    weir_node pin;   /* by which node; none: it leaves the graph */
} weir_channel_node;

typedef struct weir_channel_classes {
    const weir_graph *graph;
    weir_side axis;  /* by value: weir_channel_axis */
    weir_side fixed; /* by value: bool, it depends on constants alone */
    weir_channel_node *channel;
    size_t count, capacity;
    weir_channel_tie *tie; /* in the order of the nodes */
    size_t tie_count, tie_capacity;
} weir_channel_classes;

/* A layer with fixed weights: axes of the data and of the result, and of the weights that belong to them. Of a
 * depthwise convolution each channel of the result is tied to one of the data. */
typedef struct weir_channel_layer {
    int in_axis, out_axis, weight_in, weight_out;
    int64_t groups;
    bool is_depthwise;
} weir_channel_layer;

/* Of a graph with inferred types. O(size + ties). */
weir_channel_classes *weir_channels_new(const weir_graph *graph);
void weir_channels_free(weir_channel_classes *channels);
static inline const weir_channel_axis *weir_channels_axis(const weir_channel_classes *channels, weir_value value) {
    return weir_side_at(&channels->axis, value.id);
}
/* The channel that stands for its class. */
uint32_t weir_channels_class(const weir_channel_classes *channels, uint32_t channel);
bool weir_channels_layer(const weir_channel_classes *channels, weir_node node, weir_channel_layer *layer);

/* Elements of a parameter that stay, along one of its axes: the entries of `keep`, `count` of them. With `lead_size`,
 * there is a list for each so many indices of axis `lead`, one after the other. */
typedef struct weir_channel_part {
    int axis, lead;
    int64_t lead_size, count;
    const int64_t *keep;
} weir_channel_part;

/* Can the value be cut so: a constant, or made of constants by element-wise operators and quantizers for one reader? */
bool weir_channel_can_cut(const weir_graph *graph, weir_value value);
/* Input `index` of the node becomes that part of itself. What makes it is changed in place, and has stale types. */
void weir_channel_cut(weir_graph *graph, weir_node node, size_t index, weir_channel_part part);
/* The same for inputs of an element-wise operator or a quantizer that go with that axis of its result, where `fixed`
 * says that they are parameters; NULL: all are. */
void weir_channel_cut_inputs(weir_graph *graph, weir_node node, weir_channel_part part, const weir_side *fixed);
/* Input `index` becomes another constant, which has its name. The array is taken over. */
void weir_channel_set_constant(weir_graph *graph, weir_node node, size_t index, weir_array *array);

#endif
