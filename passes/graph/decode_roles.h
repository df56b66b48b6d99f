/* What a network over whole sequences has to become to take one step of time after another: which axis of each value
 * is time, and what nodes read of other steps. */
#ifndef WEIR_PASSES_DECODE_ROLES_H
#define WEIR_PASSES_DECODE_ROLES_H

#include "ir/graph/graph.h"
#include "support/memory/arena.h"

enum { WEIR_NO_AXIS = -1 };

/* Of a value: `step`, the axis of which one entry is left; `key`, the axis over all steps that are remembered, at a row
 * of an attention's scores and at what is computed of remembered steps alone. WEIR_NO_AXIS: it has none. `masked`:
 * steps that come later count for nothing in what is computed of the scores. The step axis has `zeros` before the first
 * step, which a Pad has put there, and entries `behind` the last one, which read later ones; or `blocks` of all steps
 * after one another, as the queries of heads that share keys have. */
typedef struct weir_decode_role {
    int step, key;
    bool masked;
    int64_t zeros, behind, blocks;
} weir_decode_role;

typedef enum weir_decode_change {
    WEIR_DECODE_REMEMBER, /* the input becomes all steps of it up to this one, along its step axis */
    WEIR_DECODE_ROW,      /* a constant becomes its entry of this step, along `axis` */
    WEIR_DECODE_MASK,     /* a constant over steps by steps, which leaves later ones out: over those that there are */
    WEIR_DECODE_LINES,    /* the input becomes the last `lines` steps of it, which a convolution reads */
    WEIR_DECODE_STATE,    /* a State of a loop over all steps becomes one of a step a frame */
    WEIR_DECODE_LAST      /* the node takes the last step, as each one is, or cuts off more than steps */
} weir_decode_change;

typedef struct weir_decode_edit {
    weir_decode_change change;
    weir_node node;
    size_t input;
    int axis, key; /* of the constant, or of the steps */
    int64_t lines;
} weir_decode_edit;

typedef struct weir_decode_plan {
    int64_t steps;
    weir_decode_role *role; /* by value */
    weir_decode_edit *edit; /* in the order of the nodes */
    size_t count;
} weir_decode_plan;

/* The roles of a tidy graph whose input has time at the axis, in the arena. False after an error that names the node
 * that needs later steps, or that nobody knows a form of for one step. O(size). */
bool weir_decode_find_roles(const weir_graph *graph, weir_value input, int axis, weir_arena *arena,
                            weir_decode_plan *plan);
/* What a constant adds to scores, over steps by steps of its two axes. */
typedef struct weir_decode_mask {
    const weir_array *numbers;
    int step, key;
    bool is_choice, is_inverse; /* of Where: what it is true for stays; or goes */
} weir_decode_mask;

/* That of WEIR_DECODE_MASK; false: it does not mask. */
bool weir_decode_read_mask(const weir_graph *graph, const weir_decode_edit *edit, weir_decode_mask *mask);
/* What it adds there; -INFINITY: so little that nothing is left. */
double weir_decode_mask_at(const weir_decode_mask *mask, size_t element);
/* Is nothing left of steps later than the row's? */
bool weir_decode_leaves_later_out(const weir_decode_mask *mask, int64_t steps);

#endif
