/* The doors of the hardware, which make complete frames of what comes and tell what was damaged (rtl/README.md,
 * "Frames"): a weir_frame_guard at each input, a weir_frame_flags at each output with a place for each frame that may
 * be inside. */
#ifndef WEIR_DATAFLOW_FRAME_H
#define WEIR_DATAFLOW_FRAME_H

#include "dataflow/schedule/schedule.h"
#include "ir/graph/graph.h"

/* Bits of an input's count of damaged frames. */
enum { WEIR_FRAME_COUNT_BITS = 8 };
/* Places for frames inside that the door of an output has at least. */
enum { WEIR_FRAME_LEAST = 2 };

/* Notes at each output how many frames the schedule has inside, so that doors of so many never hold one up. */
void weir_frame_note(weir_graph *graph, const weir_schedule *schedule);
/* How many the door of an output has places for, at least 2: what is noted, else what a schedule says. */
int64_t weir_frame_depth(const weir_graph *graph, weir_value output);
/* Of the inputs, those that the output depends on; heap memory. */
bool *weir_frame_inputs(const weir_graph *graph, weir_value output, const weir_value *inputs, size_t count);

/* Does an output come straight from an input, or through forks alone? Then a weir_register_slice is before its door:
 * the last beat, which waits there until its frame has ended, must not hold itself up. */
bool weir_frame_is_bare(const weir_graph *graph, weir_value output);

/* An instance at a port, and what is set of it. */
typedef struct weir_frame_door {
    const char *module;
    struct {
        const char *name; /* NULL: no more */
        int64_t value;
    } parameter[2];
} weir_frame_door;

weir_frame_door weir_frame_guard(const weir_graph *graph, weir_value input);
/* Of an output that depends on so many inputs, with places for `depth` frames. */
weir_frame_door weir_frame_flags(int64_t inputs, int64_t depth);
weir_frame_door weir_frame_slice(const weir_graph *graph, weir_value output);
/* All of a graph with its streams, as deep as is noted; heap memory. */
weir_frame_door *weir_frame_list(const weir_graph *graph, size_t *count);

#endif
