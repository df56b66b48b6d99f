/* What a network remembers from one step of time to the next. Time is the first axis: row t of a State is its initial
 * value for t = 0, and from then on row t - 1 of what its Update takes. A recurrence is a set of States and the nodes
 * between them and their Updates, whose rows can only be computed one after another. */
#ifndef WEIR_IR_RECURRENCE_H
#define WEIR_IR_RECURRENCE_H

#include "ir/graph/graph.h"

typedef struct weir_recurrence {
    size_t state_count, node_count;
    weir_node *state, *update; /* pairs */
    weir_node *node;           /* States, Updates and all that is between, in execution order */
    int64_t steps;             /* rows of all of their values */
} weir_recurrence;

/* Has the graph States? The first that is kept from frame to frame; none: no State is. */
bool weir_recurrence_any(const weir_graph *graph);
weir_node weir_recurrence_first_kept(const weir_graph *graph);
/* Frames of the data after which States that are kept begin a sequence; 0: the data are one. */
int64_t weir_recurrence_sequence(const weir_graph *graph);
/* Does the State continue where the frame before ended? Without one, and with a new sequence: its initial value. */
bool weir_recurrence_is_kept(const weir_graph *graph, weir_node state);
/* Is it kept, with one step a frame? Then it is the frames that are its steps, and no loop inside of one has it. */
bool weir_recurrence_spans(const weir_graph *graph, weir_node state);
/* Does the data's frame of this number begin a sequence, for a State that is kept? Frame 0 does. */
bool weir_recurrence_begins(const weir_graph *graph, weir_node state, int64_t frame);
/* Does an Update name its State by that input? It takes nothing of what the State gives. */
bool weir_recurrence_names_state(const weir_graph *graph, weir_node node, size_t index);
/* The Update of a State; none: it has none, or several. */
weir_node weir_recurrence_update(const weir_graph *graph, weir_node state);
/* The recurrences of a verified graph, in the arena; those of which one reads another's values apart. O(nodes * States)
 * and, for the States alone, their third power. */
size_t weir_recurrences_find(const weir_graph *graph, weir_arena *arena, weir_recurrence **found);
/* The same of States whose steps are the frames, with all that is between these and their Updates, loops too. */
size_t weir_recurrences_find_spanning(const weir_graph *graph, weir_arena *arena, weir_recurrence **found);

/* One step of a recurrence as a graph for rows alone: its first inputs are the States. */
typedef struct weir_recurrence_step {
    weir_graph *graph;
    size_t input_count; /* behind the States */
    weir_value *input;  /* what they are outside; in the arena */
    bool *is_row;       /* by input: a row of it; else all of it in each step */
    weir_value *inside; /* by value of the outer graph: the value of the step; none: it is not in it */
} weir_recurrence_step;

/* False after an error that names the node that reads other steps than its own. The step's graph is the caller's. */
bool weir_recurrence_step_of(const weir_graph *graph, const weir_recurrence *recurrence, weir_arena *arena,
                             weir_recurrence_step *step);

#endif
