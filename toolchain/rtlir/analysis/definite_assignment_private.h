/* Which cells the paths through a process assign, and what they hold at its end. */
#ifndef WEIR_RTLIR_DEFINITE_ASSIGNMENT_PRIVATE_H
#define WEIR_RTLIR_DEFINITE_ASSIGNMENT_PRIVATE_H

#include "rtlir/core/private.h"

/* The lattice of definite assignment: what the paths from the start of a process to a point of it do to a cell. The
 * join of two states that differ is RTL_PARTLY_ASSIGNED. */
typedef enum rtl_assignment {
    RTL_UNASSIGNED,      /* no path assigns it */
    RTL_PARTLY_ASSIGNED, /* some do: a latch */
    RTL_ASSIGNED         /* all do */
} rtl_assignment;

/* The state after an assignment, which may leave the cell as it is. */
static inline rtl_assignment rtl_assign(rtl_assignment before, bool is_maybe) {
    return is_maybe && before != RTL_ASSIGNED ? RTL_PARTLY_ASSIGNED : RTL_ASSIGNED;
}

/* What a cell holds at a point of a process: a node of the user's, 0 while unassigned. */
typedef struct rtl_held {
    uint32_t node;
    rtl_assignment state;
} rtl_held;

/* One entry of the journal: what a cell held before; an outcome: what it holds at the end of a branch. */
typedef struct rtl_change {
    uint32_t cell;
    rtl_held held;
} rtl_change;
typedef struct rtl_changes {
    rtl_change *at;
    size_t count, capacity;
} rtl_changes;

/* A statement whose blocks the walk is in. */
typedef struct rtl_branching {
    uint32_t owner, block;
    uint32_t never;           /* the block of an if that a constant condition rules out */
    uint32_t condition;       /* node of what chooses among its branches, or breaks it off; 0: none */
    size_t mark;              /* journal where the current branch, or the loop, began */
    size_t outcomes, breaks;  /* where its own begin */
    uint32_t entered, broken; /* branches that were walked; paths out of a loop by break */
    uint32_t alive;           /* branches whose end is reached */
    bool is_dead;             /* the current branch was left by a break */
} rtl_branching;

typedef struct rtl_joined {
    uint32_t cell, node, count;
    rtl_assignment state;
    bool is_join;
} rtl_joined;

/* The paths through one process. The user moves a walk (rtl_unroll) and says where it is; branches are entered, left
 * and joined accordingly, without recursion. What was changed is put down, so a branch costs what it assigns. */
typedef struct rtl_assignments {
    const weir_rtl_design *design;
    rtl_held *held; /* by cell */
    uint32_t *seen, *group_of;
    size_t held_capacity, seen_capacity, group_of_capacity;
    uint32_t stamp;
    uint32_t previous; /* statement that the walk was at */
    rtl_changes journal, outcome, brk;
    rtl_branching *frame;
    size_t depth, frame_capacity;
    rtl_joined *group;
    size_t group_capacity;
    uint32_t *touched;
    size_t touched_capacity;
    /* The user's nodes: that of the condition of an if or a case; one that may be any of several, under a condition (0:
     * none), and one more that it may be. */
    uint32_t (*condition)(void *user, uint32_t stmt);
    uint32_t (*join)(void *user, uint32_t condition);
    void (*add)(void *user, uint32_t join, uint32_t node);
    void *user;
} rtl_assignments;
void rtl_assignments_start(rtl_assignments *assignments, const weir_rtl_design *design, uint32_t process, size_t cells);
/* The walk arrived at this statement of the process; false: no path leads there. */
bool rtl_assignments_arrive(rtl_assignments *assignments, uint32_t stmt);
void rtl_assignments_set(rtl_assignments *assignments, uint32_t cell, rtl_held held);
/* The process ends. The cells that it assigns, in their order; what they hold is in `held`, which
 * rtl_assignments_forget makes empty again. */
const uint32_t *rtl_assignments_end(rtl_assignments *assignments, size_t *count);
void rtl_assignments_forget(rtl_assignments *assignments);
void rtl_assignments_free(rtl_assignments *assignments);

#endif
