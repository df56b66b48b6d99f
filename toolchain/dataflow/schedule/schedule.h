/* The schedule of the hardware graph: when each component accepts and emits its beats, with unbounded queues on every
 * edge and frames entering at an interval that all keep up with. It is periodic: signatures (signature.h) of the first
 * frame and of all later ones, found by the components' service rules (service.h).
 *
 * Queues as deep as the beats that wait here cannot slow the hardware down: a component's timing is monotone in when
 * its beats arrive and leave, so with room for all beats that wait in some valid schedule nothing happens later than in
 * it. (As all frames but the first are scheduled alike, some of the second, third, ... are later than necessary, which
 * is valid.)
 *
 * If signatures would have too many parts, they are replaced by bounds (bounds.h), and so are the waiting beats. */
#ifndef WEIR_DATAFLOW_SCHEDULE_H
#define WEIR_DATAFLOW_SCHEDULE_H

#include "dataflow/schedule/bounds.h"
#include "ir/graph/graph.h"

typedef struct weir_schedule weir_schedule;

/* An edge on which this many beats wait needs a Fifo; also its least depth. */
enum { WEIR_SCHEDULE_SLACK = 2 };

typedef struct weir_schedule_edge {
    weir_value value; /* as the user names it */
    weir_node user;
    size_t input;
    const weir_bounds *given, *taken; /* owned by the schedule */
    bool exact;                       /* the waiting beats are exact, not an upper bound */
} weir_schedule_edge;

/* NULL after a reported error. */
weir_schedule *weir_schedule_new(const weir_graph *graph);
/* Sets how far apart the rows of each State are: what the longest way from a State to an Update takes. False after a
 * reported error. */
bool weir_schedule_set_steps(weir_graph *graph);
/* Again, after Fifos were inserted or deepened; a node whose beats all arrive as before, only later, is not served
 * again. False after a reported error. */
bool weir_schedule_update(weir_schedule *schedule);
void weir_schedule_free(weir_schedule *schedule);
size_t weir_schedule_edge_count(const weir_schedule *schedule);
weir_schedule_edge weir_schedule_edge_at(const weir_schedule *schedule, size_t index);
weir_waiting weir_schedule_waiting(weir_schedule *schedule, const weir_schedule_edge *edge);
/* Most beats between `cycles` before they are produced and the cycle in which the edge's user accepts them, both
 * included. */
int64_t weir_schedule_under_way(weir_schedule *schedule, const weir_schedule_edge *edge, int64_t cycles);
/* In a Fifo, which holds each beat from the cycle in which it accepts it to that in which the user of its output does,
 * both included. */
weir_waiting weir_schedule_held(weir_schedule *schedule, const weir_schedule_edge *into, const weir_schedule_edge *out);
/* When the beats of the value appear; NULL: it is not a stream of a component or a hardware input. */
const weir_bounds *weir_schedule_given(const weir_schedule *schedule, weir_value value);
/* Cycles from the first beat of a frame to the last beat of its result, of the first frame; and between frames. */
int64_t weir_schedule_latency(const weir_schedule *schedule);
/* The same if sources emit beats as soon as they can, also in a graph that holds rows: what a simulation counts.
 * False after a reported error. */
bool weir_schedule_first_latency(const weir_graph *graph, int64_t *latency);
int64_t weir_schedule_interval(const weir_schedule *schedule);
/* Does a component hold rows of a frame (may_wait), so that streams are in bursts? Then inputs are scheduled evenly
 * over the interval. */
bool weir_schedule_holds_rows(const weir_schedule *schedule);
/* Iterations of service rules and of comparisons of streams that were executed one by one: the cost of the schedule so
 * far. */
int64_t weir_schedule_steps(const weir_schedule *schedule);
/* Of a completed graph: weir_schedule_latency, and the cost of all its schedules. */
typedef struct weir_schedule_timing {
    int64_t latency, steps;
} weir_schedule_timing;

/* --- parts of a frame, for bounds --- */

/* As weir_schedule_holds_rows. */
bool weir_schedule_paces_inputs(const weir_graph *graph);

/* The earliest cycle in which an element of an input can be emitted, with any lanes, if frames are `interval` cycles
 * apart; `paces_inputs` as above. */
int64_t weir_schedule_entry(const weir_graph *graph, weir_value input, int64_t element, int64_t interval,
                            bool paces_inputs);

/* The beats of an input's first frame at those lanes. */
weir_signature_part weir_schedule_input(weir_arena *arena, const weir_graph *graph, weir_value input, int64_t lanes,
                                        int64_t interval);
/* When a folded node emits the beats of its first frame if those of its inputs arrive as stated; levels in the arena.
 * Adds the cost to *steps (weir_schedule_steps). False: they are not the beats of its lanes. */
bool weir_schedule_first_frame(weir_arena *arena, const weir_graph *graph, weir_node node,
                               const weir_signature_part *arrive, weir_signature_part *gives, int64_t *steps);

typedef struct weir_schedule_tail {
    int64_t first,
        last;         /* cycles from the first of the elements to the first and last beat that had to wait for them */
    int64_t elements; /* in these beats */
} weir_schedule_tail;

/* What a folded node emits after the last `elements` of an input if all else arrived long before: earlier than in any
 * schedule, as service rules are monotone. False: its streams do not follow its lanes. */
bool weir_schedule_tail_of(const weir_graph *graph, weir_node node, size_t input, int64_t elements,
                           weir_schedule_tail *tail);

typedef struct weir_schedule_span {
    int64_t first, last; /* beats that the node emits */
} weir_schedule_span;

/* What a folded node emits, in cycles from the input's first `elements`, of which all but those of the last beat
 * arrived long before and after which a beat arrives in each cycle: earlier than in any schedule. False: its streams do
 * not follow its lanes. */
bool weir_schedule_span_of(const weir_graph *graph, weir_node node, size_t input, int64_t elements,
                           weir_schedule_span *span);
/* An element of the input without which the folded node does not emit `element`: the last one, apart from others in its
 * beat. False: its streams do not follow its lanes. */
bool weir_schedule_needed(const weir_graph *graph, weir_node node, size_t input, int64_t element, int64_t *needed);

#endif
