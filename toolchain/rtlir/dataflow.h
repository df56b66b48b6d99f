/* What flow.c (latches) and loops.c (combinational loops) share: the nets of one module cut into cells, ranges of bits
 * that are driven and read together, and the state of cells along the ways through a process. Included by those files. */
#ifndef WEIR_RTLIR_DATAFLOW_H
#define WEIR_RTLIR_DATAFLOW_H

#include "rtlir/internal.h"

/* The nets of one module after the other: its variables, then ports of instances that are wired by assignments. */
typedef struct rtl_net {
    uint32_t var, instance, width;
} rtl_net;
typedef struct rtl_numbering {
    const weir_rtl_design *design;
    uint32_t *position; /* by variable id; only entries of this module count */
    uint32_t *base;     /* by instance id: the net of slot 0 */
    rtl_net *net;
    size_t count, capacity, position_capacity, base_capacity;
} rtl_numbering;
void rtl_number_nets(rtl_numbering *numbering, const weir_rtl_design *design, uint32_t module);
void rtl_numbering_end(rtl_numbering *numbering);
/* The net of a variable or a port, by its expression. */
uint32_t rtl_net_number(const rtl_numbering *numbering, uint32_t base);

/* Bits [low, low + width) of a net. */
typedef struct rtl_cell {
    uint32_t net, low, width;
} rtl_cell;
typedef struct rtl_cut {
    uint32_t net, at;
} rtl_cut;
typedef struct rtl_cells {
    rtl_cut *cut; /* collected first */
    size_t cut_count, cut_capacity;
    rtl_cell *cell;
    size_t count, capacity;
    uint32_t *first; /* by net: its first cell; one more at the end */
    size_t first_capacity;
} rtl_cells;
/* Bits of a net that something names: its cells end there. */
void rtl_cut_cells(rtl_cells *cells, const rtl_numbering *numbering, uint32_t net, uint32_t low, uint32_t width);
/* Makes the cells of all nets, a bit each when `by_bit`, and forgets the cuts. O(n log n) in the cuts. */
void rtl_make_cells(rtl_cells *cells, const rtl_numbering *numbering, bool by_bit);
void rtl_cells_end(rtl_cells *cells);
/* The first cell that reaches bit `low` of the net, by binary search. */
uint32_t rtl_cell_at(const rtl_cells *cells, uint32_t net, uint32_t low);

/* Calls back for every variable or port that a target names, from its lowest bits on: the place, its net, and the bits
 * of the value that go there, those behind `offset`. */
typedef struct rtl_target {
    rtl_place place;
    uint32_t net, expr;
    uint32_t offset, width;
} rtl_target;
typedef void rtl_target_visitor(const rtl_target *target, void *user);
void rtl_visit_targets(const rtl_unroll *walk, const rtl_numbering *numbering, uint32_t expr, rtl_target_visitor *visit,
                       void *user);

/* What a cell holds at a point of a process: a node of the user's (0: not assigned so far), and whether there is also a
 * way on which it was not assigned. */
typedef struct rtl_held {
    uint32_t node;
    bool maybe;
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
    uint32_t condition;       /* node of what chooses among its branches, or breaks it off; 0: none */
    size_t mark;              /* journal where the current branch, or the loop, began */
    size_t outcomes, breaks;  /* where its own begin */
    uint32_t entered, broken; /* branches that were walked; ways out of a loop by break */
    uint32_t alive;           /* branches whose end is reached */
    bool is_dead;             /* the current branch was left by a break */
} rtl_branching;

typedef struct rtl_joined {
    uint32_t cell, node, count;
    bool maybe, is_join;
} rtl_joined;

/* The ways through one process. The user moves a walk (rtl_unroll) and says where it is; branches are entered, left and
 * joined accordingly, without recursion. What was changed is put down, so a branch costs what it assigns. */
typedef struct rtl_ways {
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
} rtl_ways;
void rtl_ways_start(rtl_ways *ways, const weir_rtl_design *design, uint32_t process, size_t cells);
/* The walk arrived at this statement of the process; false: no way leads there. */
bool rtl_ways_arrive(rtl_ways *ways, uint32_t stmt);
void rtl_ways_set(rtl_ways *ways, uint32_t cell, rtl_held held);
/* The process ends. The cells that it assigns, in their order; what they hold is in `held`, which rtl_ways_forget makes
 * empty again. */
const uint32_t *rtl_ways_end(rtl_ways *ways, size_t *count);
void rtl_ways_forget(rtl_ways *ways);
void rtl_ways_free(rtl_ways *ways);

#endif
