/* The hardware graph as streams: which nodes have a component, which only rename a stream, how many elements a beat
 * carries. Shared by folding, stream insertion, scheduling and emission. */
#ifndef WEIR_DATAFLOW_STREAM_H
#define WEIR_DATAFLOW_STREAM_H

#include "dataflow/component.h"
#include "ir/graph/graph.h"

typedef enum weir_role {
    WEIR_ROLE_HOST,      /* runs on the host: before Encode, after Decode, and these two */
    WEIR_ROLE_IMPLICIT,  /* the same stream under another name: Reshape, Flatten, Identity, Relabel */
    WEIR_ROLE_COMPONENT, /* a module of rtl/ */
} weir_role;

weir_role weir_stream_role(const weir_graph *graph, weir_node node);

/* The stream of a value: the value that a component or an input really produces, past implicit nodes. */
weir_value weir_stream_source(const weir_graph *graph, weir_value value);
/* How many inputs of the node are streams (the others are constants). */
size_t weir_stream_count(const weir_graph *graph, weir_node node);
/* A value that enters the hardware: an Encode's result, or a graph input that is already codes, in its order or
 * another. */
bool weir_stream_is_input(const weir_graph *graph, weir_value value);
/* Elements a frame, and beats a frame at a number of lanes. */
int64_t weir_stream_elements(const weir_graph *graph, weir_value value);
int64_t weir_stream_beats(const weir_graph *graph, weir_value value, int64_t lanes);
/* Positions of a row: the size of the innermost dimension above 1 except the channels. Lanes are a part of the
 * channels, or all channels of several neighbouring positions. */
int64_t weir_stream_row(const weir_graph *graph, weir_value value);
/* The next larger number of lanes that divides the channels, or is all channels of a number of positions that divides a
 * row; 0: there is none. */
int64_t weir_stream_more_lanes(const weir_graph *graph, weir_value value, int64_t lanes);
/* Beats a frame of the node's output 0, at its lanes. */
int64_t weir_stream_beats_of(const weir_graph *graph, weir_node node);
/* The timing of a component that accepts a beat per cycle and emits each from a register. */
weir_component_timing weir_stream_registered(const weir_graph *graph, weir_node node);
/* Elements per beat of the stream: its producer's lanes, or for a hardware input those of its user. */
int64_t weir_stream_lanes(const weir_graph *graph, weir_value value);
/* Elements per beat of an input of a component that is folded so. */
int64_t weir_stream_lanes_taken(const weir_graph *graph, weir_node node, const weir_meta_hardware *hardware,
                                size_t input);
/* Width of an element on the wires and whether it is signed: from the proven range of the value that was computed,
 * as its component's row says. */
int weir_stream_width(const weir_graph *graph, weir_value value, bool *is_signed);

/* Hardware inputs and outputs in graph order, as many as there are: heap memory. Outputs are the stream sources of
 * values that leave the hardware, each once. */
weir_value *weir_stream_inputs(const weir_graph *graph, size_t *count);
weir_value *weir_stream_outputs(const weir_graph *graph, size_t *count);
/* Values that the host has before the hardware and needs after it, and outputs that it computes alone: they bypass the
 * hardware. Heap memory. */
weir_value *weir_stream_carried(const weir_graph *graph, size_t *count);
bool weir_stream_is_carried(const weir_graph *graph, weir_value value);

/* Does a node or the graph's output read it? What an Update gives may be for its State alone. */
bool weir_stream_is_read(const weir_graph *graph, weir_value value);
/* Every output of every component that is read, in graph order: what a debug bench taps. Heap memory. */
typedef struct weir_tap {
    weir_node node;
    uint32_t output;
} weir_tap;
/* In a compiled folder: the names of their signals in the top module, [{"node", "valid", "ready", "data", "width"}]. */
#define WEIR_TAPS_FILE "tb_debug/taps.json"
weir_tap *weir_stream_taps(const weir_graph *graph, size_t *count);
/* The largest interval of any node: what the folding promises. */
int64_t weir_stream_interval(const weir_graph *graph);
/* Cycles that each node has for a frame: the interval that the graph is folded for, or if it is not, the largest of its
 * nodes. */
int64_t weir_stream_pace(const weir_graph *graph);

static inline int64_t weir_ceil_divide(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* ceil(log2(count)), 0 for 1: levels of a tree with `count` leaves, as Verilog's $clog2. */
static inline int64_t weir_clog2(int64_t count) {
    int64_t levels = 0;
    while (levels < 62 && (int64_t)1 << levels < count) levels++;
    return levels;
}

/* Where a factor has digits other than 0 in canonical signed form: bit n for +-2^n. A product is one shifted operand
 * for each digit, added or subtracted. Reitwiesner, Binary Arithmetic, 1960: where n and 3 n differ, one place up. */
static inline uint64_t weir_digits(int64_t factor) {
    const uint64_t magnitude = factor < 0 ? 0 - (uint64_t)factor : (uint64_t)factor, half = magnitude >> 1;
    return half ^ (magnitude + half);
}

/* Those of them that are positive. */
static inline uint64_t weir_positive_digits(int64_t factor) {
    const uint64_t magnitude = factor < 0 ? 0 - (uint64_t)factor : (uint64_t)factor, half = magnitude >> 1;
    return factor < 0 ? half & ~(magnitude + half) : (magnitude + half) & ~half;
}

/* How many there are. */
static inline int64_t weir_digit_count(int64_t factor) {
    int64_t count = 0;
    for (uint64_t left = weir_digits(factor); left != 0; left &= left - 1) count++;
    return count;
}

#endif
