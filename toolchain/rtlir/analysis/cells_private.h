/* The nets of one module, cut into cells: ranges of bits that are driven and read together. */
#ifndef WEIR_RTLIR_CELLS_PRIVATE_H
#define WEIR_RTLIR_CELLS_PRIVATE_H

#include "rtlir/analysis/bit_range_private.h"

/* The nets of one module after the other: its variables, then ports of instances that are wired by assignments, or
 * whose ports expressions name although they are connected. */
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
/* Bits of a net that something names: cells are cut at their ends. */
void rtl_cut_cells(rtl_cells *cells, const rtl_numbering *numbering, uint32_t net, uint32_t low, uint32_t width);
/* Makes the cells of all nets, a bit each when `by_bit`, and forgets the cuts. O(n log n) in the cuts. */
void rtl_make_cells(rtl_cells *cells, const rtl_numbering *numbering, bool by_bit);
void rtl_cells_end(rtl_cells *cells);
int rtl_by_number(const void *a, const void *b); /* of uint32_t, for qsort */
/* The first cell that reaches bit `low` of the net, by binary search. */
uint32_t rtl_cell_at(const rtl_cells *cells, uint32_t net, uint32_t low);

/* Calls back for every variable or port that a target names, from its lowest bits on: its bits, its net, and the bits
 * of the value that go there, those from `offset` on. */
typedef struct rtl_target {
    rtl_bit_range bits;
    uint32_t net, expr;
    uint32_t offset, width;
} rtl_target;
typedef void rtl_target_visitor(const rtl_target *target, void *user);
void rtl_visit_targets(const rtl_unroll *walk, const rtl_numbering *numbering, uint32_t expr, rtl_target_visitor *visit,
                       void *user);

#endif
