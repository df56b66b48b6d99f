/* The guards of the hardware, which complete frames and flag damaged ones (rtl/README.md, "Frames"): a weir_frame_guard
 * at each input, a weir_frame_flags at each output with an entry for each frame that may be in flight, and a
 * weir_sequence before the first input's guard where States are kept from frame to frame. */
#ifndef WEIR_DATAFLOW_FRAME_H
#define WEIR_DATAFLOW_FRAME_H

#include "dataflow/schedule/schedule.h"
#include "ir/graph/graph.h"

/* The port that a State that is kept makes: with a frame's first beat at the first input, it begins a sequence. */
#define WEIR_FRAME_RESET_STATE "reset_state"
/* Bits of an input's count of damaged frames. */
enum { WEIR_FRAME_COUNT_BITS = 8 };
/* The least number of frame entries in an output's guard. */
enum { WEIR_FRAME_LEAST = 2 };

/* Records at each output how many frames are in flight in the schedule, and at each State that is kept how many begin
 * before it does: guards with that many entries never stall one. */
void weir_frame_note(weir_graph *graph, const weir_schedule *schedule);
/* Entries of an output's guard, at least 2: as recorded, else from a schedule. */
int64_t weir_frame_depth(const weir_graph *graph, weir_value output);
/* Of the inputs, those that the output depends on; heap memory. */
bool *weir_frame_inputs(const weir_graph *graph, weir_value output, const weir_value *inputs, size_t count);

/* Is an output connected to an input directly, or only through forks? Then a weir_register_slice is before its guard:
 * the last beat, which waits there until its frame has ended, must not block itself. */
bool weir_frame_is_bare(const weir_graph *graph, weir_value output);

/* An instance at a port, and what is set of it. */
enum { WEIR_FRAME_PARAMETERS = 3 };
typedef struct weir_frame_door {
    const char *module;
    struct {
        const char *name; /* NULL: no more */
        int64_t value;
    } parameter[WEIR_FRAME_PARAMETERS];
} weir_frame_door;

weir_frame_door weir_frame_guard(const weir_graph *graph, weir_value input);
/* Of an output that depends on this many inputs, with entries for `depth` frames. */
weir_frame_door weir_frame_flags(int64_t inputs, int64_t depth);
weir_frame_door weir_frame_slice(const weir_graph *graph, weir_value output);
/* Before the first input's guard, where States are kept from frame to frame: it tells them where a sequence begins, of
 * as many frames as is noted or more: a power of two. */
weir_frame_door weir_frame_sequence(const weir_graph *graph, int64_t inputs);
/* States that are kept; the index of one among them. */
size_t weir_frame_states(const weir_graph *graph);
size_t weir_frame_state_index(const weir_graph *graph, weir_node state);
/* All of a graph with its streams, as deep as is noted; heap memory. */
weir_frame_door *weir_frame_list(const weir_graph *graph, size_t *count);

#endif
