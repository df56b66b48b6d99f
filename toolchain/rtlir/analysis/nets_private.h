/* What drivers.c, flow.c (latches) and loops.c (combinational loops) share: the nets of one module, cut into cells (ranges
 * of bits that are driven and read together), what cells hold along the ways through a process, and what depends on what.
 * Included by those files. */
#ifndef WEIR_RTLIR_NETS_PRIVATE_H
#define WEIR_RTLIR_NETS_PRIVATE_H

#include "rtlir/core/private.h"

/* The nets of one module after the other: its variables, then ports of instances that are wired by assignments, or whose
 * ports expressions name although they are connected. */
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
static inline bool rtl_has_nets(const rtl_instance *instance) { return instance->is_wired || instance->is_named; }
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
int rtl_by_number(const void *a, const void *b); /* of uint32_t, for qsort */
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
    uint32_t never;           /* the block of an if that a constant condition rules out */
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

/* ---- combinational dependence (dependence.c) ---- */

/* Node `to` depends on node `from`; cells come first, cell c being node c + 1, then what lies between them. */
typedef struct rtl_edge {
    uint32_t from, to, stmt;
} rtl_edge;

/* What a module does from its inputs to its outputs without a register: a list of groups, in each of which every output
 * range depends on every input range. */
typedef struct rtl_path {
    uint32_t group; /* counted within the module */
    uint32_t port, low, width;
    bool is_output; /* those of a group come behind its inputs */
} rtl_path;
typedef struct rtl_paths {
    rtl_path *path;
    size_t count, capacity;
    uint32_t *first, *behind; /* by module id: where its paths begin and end */
} rtl_paths;

typedef struct rtl_demand {
    uint32_t expr, low, width, sink;
} rtl_demand;
typedef struct rtl_memo {
    uint32_t stamp, upto, node;
} rtl_memo;

/* The graph of one module after the other. */
typedef struct rtl_graph {
    const weir_rtl_design *design;
    const rtl_paths *paths;
    rtl_numbering numbering;
    rtl_cells cells;
    rtl_unroll walk;
    rtl_ways ways;
    bool by_bit, in_process;
    uint32_t nodes; /* one more than the last one */
    rtl_edge *edge;
    size_t edge_count, edge_capacity;
    uint32_t value;   /* what the current assignment puts into its target */
    uint32_t *offset; /* of the parts of the value when it is a concatenation, from the lowest one on */
    size_t offset_capacity;
    rtl_demand *demand;
    size_t demand_count, demand_capacity;
    rtl_memo *memo; /* by expression: the node of what is needed of its operands, under this stamp */
    size_t memo_capacity;
    uint32_t stamp;
    rtl_changes pending; /* cells that the current assignment sets */
    uint32_t *setter;    /* by cell: the last assignment to it in the process */
    size_t setter_capacity;
    uint32_t range_low, range_width, range_node; /* while the output of an instance is spread over its target */
} rtl_graph;
/* Paths of the modules below must be known. Linear in statements and iterations, times the bits of what is assigned when
 * `by_bit`. */
void rtl_build_graph(rtl_graph *graph, uint32_t module, bool by_bit);
void rtl_graph_end(rtl_graph *graph);

/* A quick look (inorder.c). */
typedef struct rtl_order {
    const weir_rtl_design *design;
    uint64_t *depends; /* by variable: inputs of its module, by their number */
    bool *is_read;     /* by variable */
    uint64_t inputs;   /* that what is looked at depends on */
    bool failed;
    uint32_t *stack;
    size_t depth, stack_capacity;
} rtl_order;
void rtl_order_start(rtl_order *order, const weir_rtl_design *design);
/* True when nothing in the module is read before it is driven: it has no loops, and its paths are appended. Once a
 * module. */
bool rtl_is_in_order(rtl_order *order, uint32_t module, rtl_paths *paths);
void rtl_order_end(rtl_order *order);

#endif
