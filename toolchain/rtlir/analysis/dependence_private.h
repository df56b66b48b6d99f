/* What depends on what in a module without a register between. */
#ifndef WEIR_RTLIR_DEPENDENCE_PRIVATE_H
#define WEIR_RTLIR_DEPENDENCE_PRIVATE_H

#include "rtlir/analysis/cells_private.h"
#include "rtlir/analysis/definite_assignment_private.h"

/* Node `to` depends on node `from`; cells come first, cell c being node c + 1, then what is between them. */
typedef struct rtl_edge {
    uint32_t from, to, stmt;
} rtl_edge;

/* What a module does from its inputs to its outputs without a register: a list of groups, in each of which every output
 * range depends on every input range. */
typedef struct rtl_path {
    uint32_t group; /* counted within the module */
    uint32_t port, low, width;
    bool is_output; /* those of a group come after its inputs */
} rtl_path;
typedef struct rtl_paths {
    rtl_path *path;
    size_t count, capacity;
    uint32_t *first, *end; /* by module id: where its paths begin and end */
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
    rtl_assignments assignments;
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
/* Paths of the modules below must be known. Linear in statements and iterations, times the bits of what is assigned
 * when `by_bit`. */
void rtl_build_graph(rtl_graph *graph, uint32_t module, bool by_bit);
void rtl_graph_end(rtl_graph *graph);

#endif
