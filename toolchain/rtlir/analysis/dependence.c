/* The graph of what depends on what in a module without a register between: assignments, combinational blocks, and
 * paths through instances. In a block, a read of what was assigned above depends on that assignment and not on the
 * variable, so the graph of a block has no loops but through variables that it reads before it assigns them. */
#include <stdlib.h>
#include <string.h>

#include "rtlir/analysis/dependence_private.h"

enum { SMALL = 64 }; /* expressions of fewer parts are walked as trees */

static uint32_t new_node(rtl_graph *g) { return g->nodes++; }

static void add_edge(rtl_graph *g, uint32_t from, uint32_t to, uint32_t stmt) {
    g->edge = weir_grow(g->edge, &g->edge_capacity, g->edge_count + 1, sizeof *g->edge);
    g->edge[g->edge_count++] = (rtl_edge){from, to, stmt};
}

static void demand(rtl_graph *g, uint32_t expr, uint32_t low, uint32_t width, uint32_t sink) {
    g->demand = weir_grow(g->demand, &g->demand_capacity, g->demand_count + 1, sizeof *g->demand);
    g->demand[g->demand_count++] = (rtl_demand){expr, low, width, sink};
}

static void demand_all(rtl_graph *g, uint32_t expr, uint32_t sink) {
    assert(expr < g->design->expr_count);
    demand(g, expr, 0, g->design->expr[expr].width, sink);
}

/* ---- reads ---- */

static void read_cells(rtl_graph *g, uint32_t net, uint32_t low, uint32_t width, uint32_t sink) {
    if (width == 0 || low >= g->numbering.net[net].width) return;
    for (uint32_t c = rtl_cell_at(&g->cells, net, low), end = g->cells.first[net + 1];
         c < end && g->cells.cell[c].low < low + width; c++) {
        rtl_held held = {0, RTL_UNASSIGNED};
        if (g->in_process) held = g->assignments.held[c];
        if (held.node) add_edge(g, held.node, sink, g->walk.stmt);
        if (held.state != RTL_ASSIGNED) add_edge(g, c + 1, sink, g->walk.stmt);
    }
}

/* The computed indices of a part. */
static void demand_indices(rtl_graph *g, uint32_t expr, uint32_t sink) {
    assert(expr < g->design->expr_count);
    for (const rtl_expr *e = &g->design->expr[expr]; rtl_is_part(e->kind); e = &g->design->expr[e->a])
        if (e->kind == WEIR_RTL_EXPR_SELECT || e->kind == WEIR_RTL_EXPR_ELEMENT) demand_all(g, e->b, sink);
}

static void read_part(rtl_graph *g, const rtl_demand *d) {
    const weir_rtl_design *design = g->design;
    rtl_bit_range bits = rtl_locate_now(&g->walk, d->expr);
    const rtl_expr *base = &design->expr[bits.base];
    demand_indices(g, d->expr, d->sink);
    if (base->kind == WEIR_RTL_EXPR_VAR && (rtl_var_of(design, base)->is_iterator || rtl_var_of(design, base)->is_path))
        return;
    bool is_exact = !bits.is_computed && bits.width == design->expr[d->expr].width;
    uint32_t low = is_exact ? bits.low + d->low : bits.low;
    read_cells(g, rtl_net_number(&g->numbering, bits.base), low, is_exact ? d->width : bits.width, d->sink);
}

/* ---- operators ---- */

/* Bits [0, upto) of the operands. What was asked before for this statement is a node that is used again. */
static void demand_below(rtl_graph *g, const rtl_demand *d, uint32_t upto) {
    const rtl_expr *e = &g->design->expr[d->expr];
    uint32_t operands = e->kind == WEIR_RTL_EXPR_BINARY ? 2 : 1;
    const uint32_t operand[2] = {e->a, e->b};
    rtl_memo *memo = &g->memo[d->expr];
    uint32_t sink = d->sink, from = 0;
    if (memo->stamp != g->stamp) *memo = (rtl_memo){.stamp = g->stamp};
    if ((g->by_bit || e->size > SMALL) && upto >= memo->upto) {
        from = memo->upto;
        if (upto > from) {
            sink = new_node(g);
            if (memo->node) add_edge(g, memo->node, sink, g->walk.stmt);
            *memo = (rtl_memo){g->stamp, upto, sink};
        }
        add_edge(g, memo->node, d->sink, g->walk.stmt);
    }
    for (uint32_t i = 0; i < operands; i++) {
        uint32_t width = g->design->expr[operand[i]].width;
        uint32_t end = upto < width ? upto : width;
        if (from < end) demand(g, operand[i], from, end - from, sink);
    }
}

/* Bits of the first operand of a shift, all of the second one unless it is a constant. */
static void demand_shift(rtl_graph *g, const rtl_demand *d) {
    const weir_rtl_design *design = g->design;
    const rtl_expr *e = &design->expr[d->expr];
    const rtl_expr *by = &design->expr[e->b];
    uint32_t width = e->width, end = d->low + d->width;
    bool is_left = e->op == WEIR_RTL_SHIFT_LEFT;
    if (by->kind != WEIR_RTL_EXPR_CONSTANT) {
        demand_all(g, e->b, d->sink);
        demand(g, e->a, is_left ? 0 : d->low, is_left ? end : width - d->low, d->sink);
        return;
    }
    uint64_t amount = by->width > 64 || rtl_words_of(design, by)[0] > width ? width : rtl_words_of(design, by)[0];
    uint32_t shift = (uint32_t)amount;
    if (is_left) {
        uint32_t from = d->low > shift ? d->low - shift : 0;
        if (end > shift) demand(g, e->a, from, end - shift - from, d->sink);
        return;
    }
    bool is_signed = e->op == WEIR_RTL_SHIFT_RIGHT_ARITHMETIC && end + shift > width;
    uint32_t from = d->low + shift < width ? d->low + shift : width;
    uint32_t to = end + shift < width ? end + shift : width;
    if (from < to) demand(g, e->a, from, to - from, d->sink);
    if (is_signed) demand(g, e->a, width - 1, 1, d->sink);
}

static void demand_operator(rtl_graph *g, const rtl_demand *d) {
    const rtl_expr *e = &g->design->expr[d->expr];
    switch (e->op) {
    case WEIR_RTL_NOT:
    case WEIR_RTL_PLUS: demand(g, e->a, d->low, d->width, d->sink); break;
    case WEIR_RTL_AND:
    case WEIR_RTL_OR:
    case WEIR_RTL_XOR:
        demand(g, e->a, d->low, d->width, d->sink);
        demand(g, e->b, d->low, d->width, d->sink);
        break;
    case WEIR_RTL_NEGATE:
    case WEIR_RTL_ADD:
    case WEIR_RTL_SUBTRACT:
    case WEIR_RTL_MULTIPLY: demand_below(g, d, d->low + d->width); break;
    case WEIR_RTL_SHIFT_LEFT:
    case WEIR_RTL_SHIFT_RIGHT:
    case WEIR_RTL_SHIFT_RIGHT_ARITHMETIC: demand_shift(g, d); break;
    default: demand_below(g, d, UINT32_MAX); break;
    }
}

static void demand_list(rtl_graph *g, const rtl_demand *d) {
    const rtl_expr *e = &g->design->expr[d->expr];
    uint32_t low = 0, end = d->low + d->width;
    for (uint32_t i = e->b; i-- > 0;) {
        uint32_t part = g->design->operand[e->a + i];
        uint32_t width = g->design->expr[part].width;
        if (e->kind == WEIR_RTL_EXPR_CALL) {
            demand_all(g, part, d->sink);
            continue;
        }
        uint32_t from = d->low > low ? d->low - low : 0;
        uint32_t to = end < low + width ? end - (end < low ? end : low) : width;
        if (from < to) demand(g, part, from, to - from, d->sink);
        low += width;
        if (low >= end) break;
    }
}

static void demand_repeat(rtl_graph *g, const rtl_demand *d) {
    uint32_t part = g->design->expr[d->expr].a;
    uint32_t width = g->design->expr[part].width;
    bool is_within = d->low / width == (d->low + d->width - 1) / width;
    if (is_within) demand(g, part, d->low % width, d->width, d->sink);
    else demand_all(g, part, d->sink);
}

/* A constant condition selects one operand. */
static void demand_choice(rtl_graph *g, const rtl_demand *d) {
    const rtl_expr *e = &g->design->expr[d->expr];
    const rtl_expr *condition = &g->design->expr[e->a];
    bool is_fixed = condition->kind == WEIR_RTL_EXPR_CONSTANT;
    bool is_yes = is_fixed && rtl_words_of(g->design, condition)[0];
    demand_all(g, e->a, d->sink);
    if (!is_fixed || is_yes) demand(g, e->b, d->low, d->width, d->sink);
    if (!is_yes) demand(g, e->c, d->low, d->width, d->sink);
}

/* Adds edges to the sinks from all that is demanded. */
static void trace_demands(rtl_graph *g) {
    while (g->demand_count > 0) {
        const rtl_demand d = g->demand[--g->demand_count];
        const rtl_expr *e = &g->design->expr[d.expr];
        switch (e->kind) {
        case WEIR_RTL_EXPR_NONE:
        case WEIR_RTL_EXPR_CONSTANT:
        case WEIR_RTL_EXPR_HIGH_Z:
        case WEIR_RTL_EXPR_PARAMETER: break;
        case WEIR_RTL_EXPR_CALL:
        case WEIR_RTL_EXPR_CONCAT: demand_list(g, &d); break;
        case WEIR_RTL_EXPR_REPEAT: demand_repeat(g, &d); break;
        case WEIR_RTL_EXPR_CAST: demand(g, e->a, d.low, d.width, d.sink); break;
        case WEIR_RTL_EXPR_UNARY:
        case WEIR_RTL_EXPR_BINARY: demand_operator(g, &d); break;
        case WEIR_RTL_EXPR_CONDITIONAL: demand_choice(g, &d); break;
        default: read_part(g, &d); break;
        }
    }
}

/* ---- assignments ---- */

/* Takes the value of an assignment; the parts of a concatenation are found by their offsets. */
static void take_value(rtl_graph *g, uint32_t value) {
    assert(value < g->design->expr_count);
    const rtl_expr *e = &g->design->expr[value];
    uint32_t low = 0;
    g->value = value;
    g->stamp++;
    if (!g->by_bit || e->kind != WEIR_RTL_EXPR_CONCAT) return;
    g->offset = weir_grow(g->offset, &g->offset_capacity, e->b, sizeof *g->offset);
    for (uint32_t i = 0; i < e->b; i++) {
        g->offset[i] = low;
        low += g->design->expr[g->design->operand[e->a + e->b - 1 - i]].width;
    }
}

static void demand_value(rtl_graph *g, uint32_t low, uint32_t width, uint32_t sink) {
    const rtl_expr *e = &g->design->expr[g->value];
    if (g->by_bit && width == 1 && e->kind == WEIR_RTL_EXPR_CONCAT) {
        uint32_t from = 0, end = e->b;
        while (end - from > 1) {
            uint32_t middle = from + (end - from) / 2;
            if (g->offset[middle] <= low) from = middle;
            else end = middle;
        }
        demand(g, g->design->operand[e->a + e->b - 1 - from], low - g->offset[from], 1, sink);
    } else demand(g, g->value, low, width, sink);
    trace_demands(g);
}

/* The cells of a target depend on the bits of the value that go there; inside a process, new nodes do, which the cells
 * hold from then on. */
static void assign_target(const rtl_target *t, void *user) {
    rtl_graph *g = user;
    uint32_t end = t->bits.low + t->bits.width;
    bool is_exact = !t->bits.is_computed && t->bits.width == t->width;
    if (t->bits.width == 0) return;
    for (uint32_t c = rtl_cell_at(&g->cells, t->net, t->bits.low), last = g->cells.first[t->net + 1];
         c < last && g->cells.cell[c].low < end; c++) {
        const rtl_cell *cell = &g->cells.cell[c];
        uint32_t low = cell->low > t->bits.low ? cell->low - t->bits.low : 0;
        uint32_t to = cell->low + cell->width < end ? cell->low + cell->width - t->bits.low : t->bits.width;
        uint32_t sink = g->in_process ? new_node(g) : c + 1;
        if (is_exact) demand_value(g, t->offset + low, to - low, sink);
        else demand_value(g, t->offset, t->width, sink);
        demand_indices(g, t->expr, sink);
        trace_demands(g);
        if (!g->in_process) continue;
        rtl_held before = g->assignments.held[c];
        if (t->bits.is_computed && before.node) add_edge(g, before.node, sink, g->walk.stmt);
        g->pending.at = weir_grow(g->pending.at, &g->pending.capacity, g->pending.count + 1, sizeof *g->pending.at);
        g->pending.at[g->pending.count++] = (rtl_change){c, {sink, rtl_assign(before.state, t->bits.is_computed)}};
    }
}

static void visit_assign(rtl_graph *g, const rtl_stmt *stmt) {
    take_value(g, stmt->b);
    g->pending.count = 0;
    rtl_visit_targets(&g->walk, &g->numbering, stmt->a, assign_target, g);
    for (size_t i = 0; i < g->pending.count; i++) {
        rtl_assignments_set(&g->assignments, g->pending.at[i].cell, g->pending.at[i].held);
        g->setter[g->pending.at[i].cell] = g->walk.stmt;
    }
}

/* ---- processes ---- */

static uint32_t condition_node(void *user, uint32_t stmt) {
    rtl_graph *g = user;
    uint32_t node = new_node(g);
    g->stamp++;
    demand_all(g, g->design->stmt[stmt].a, node);
    trace_demands(g);
    return node;
}

static uint32_t join_node(void *user, uint32_t condition) {
    rtl_graph *g = user;
    uint32_t node = new_node(g);
    if (condition) add_edge(g, condition, node, g->walk.stmt);
    return node;
}

static void add_to_join(void *user, uint32_t join, uint32_t node) {
    rtl_graph *g = user;
    add_edge(g, node, join, g->walk.stmt);
}

static void visit_process(rtl_graph *g) {
    uint32_t unit = g->walk.unit;
    size_t count = 0;
    g->in_process = true;
    rtl_assignments_start(&g->assignments, g->design, g->walk.part, g->cells.count);
    for (rtl_unroll_next(&g->walk); g->walk.stmt && g->walk.unit == unit; rtl_unroll_next(&g->walk)) {
        const rtl_stmt *stmt = &g->design->stmt[g->walk.stmt];
        if (rtl_assignments_arrive(&g->assignments, g->walk.stmt) && stmt->kind == WEIR_RTL_STMT_ASSIGN)
            visit_assign(g, stmt);
    }
    const uint32_t *cell = rtl_assignments_end(&g->assignments, &count);
    for (size_t i = 0; i < count; i++) add_edge(g, g->assignments.held[cell[i]].node, cell[i] + 1, g->setter[cell[i]]);
    rtl_assignments_forget(&g->assignments);
    g->in_process = false;
}

/* ---- instances ---- */

static void spread_cells(rtl_graph *g, uint32_t net, uint32_t low, uint32_t width) {
    if (width == 0 || low >= g->numbering.net[net].width) return;
    for (uint32_t c = rtl_cell_at(&g->cells, net, low), end = g->cells.first[net + 1];
         c < end && g->cells.cell[c].low < low + width; c++)
        add_edge(g, g->range_node, c + 1, g->walk.stmt);
}

static void spread_target(const rtl_target *t, void *user) {
    rtl_graph *g = user;
    uint32_t end = g->range_low + g->range_width;
    if (t->offset >= end || t->offset + t->width <= g->range_low) return;
    uint32_t low = g->range_low > t->offset ? g->range_low - t->offset : 0;
    uint32_t to = end < t->offset + t->width ? end - t->offset : t->width;
    bool is_exact = !t->bits.is_computed && t->bits.width == t->width;
    if (is_exact) spread_cells(g, t->net, t->bits.low + low, to - low);
    else spread_cells(g, t->net, t->bits.low, t->bits.width);
}

static void visit_path(rtl_graph *g, const rtl_instance *instance, const rtl_path *path, uint32_t node) {
    uint32_t slot = g->design->var[path->port].slot;
    uint32_t expr = slot < instance->connection_count ? instance->connection[slot] : 0;
    uint32_t net = rtl_has_nets(instance) ? g->numbering.base[g->design->stmt[instance->stmt].a] + slot : 0;
    if (expr == RTL_OPEN) expr = 0;
    if (!expr && !rtl_has_nets(instance)) return;
    if (!path->is_output) {
        if (!expr) read_cells(g, net, path->low, path->width, node);
        else demand(g, expr, path->low, path->width, node);
        trace_demands(g);
        return;
    }
    g->range_low = path->low;
    g->range_width = path->width;
    g->range_node = node;
    if (expr) rtl_visit_targets(&g->walk, &g->numbering, expr, spread_target, g);
    if (rtl_has_nets(instance)) spread_cells(g, net, path->low, path->width);
}

/* Inputs and inout ports that expressions name are what they are connected to. */
static void visit_inputs(rtl_graph *g, const rtl_instance *instance) {
    const rtl_ids *ports = &g->design->module[instance->module].ports;
    for (size_t i = 0; rtl_has_nets(instance) && i < ports->count; i++) {
        const rtl_var *port = &g->design->var[ports->id[i]];
        uint32_t expr = port->slot < instance->connection_count ? instance->connection[port->slot] : 0;
        uint32_t net = g->numbering.base[g->design->stmt[instance->stmt].a] + port->slot;
        if (port->direction == WEIR_RTL_OUTPUT || !expr || expr == RTL_OPEN) continue;
        g->stamp++;
        for (uint32_t c = g->cells.first[net]; c < g->cells.first[net + 1]; c++) {
            demand(g, expr, g->cells.cell[c].low, g->cells.cell[c].width, c + 1);
            trace_demands(g);
        }
    }
}

static void visit_instance(rtl_graph *g, const rtl_instance *instance) {
    const rtl_paths *paths = g->paths;
    uint32_t node = 0, group = UINT32_MAX;
    visit_inputs(g, instance);
    for (uint32_t i = paths->first[instance->module]; i < paths->end[instance->module]; i++) {
        const rtl_path *path = &paths->path[i];
        if (path->group != group) node = new_node(g);
        group = path->group;
        g->stamp++;
        visit_path(g, instance, path, node);
    }
}

/* ---- modules ---- */

static void cut_target(const rtl_target *t, void *user) {
    rtl_graph *g = user;
    if (!t->bits.is_computed) rtl_cut_cells(&g->cells, &g->numbering, t->net, t->bits.low, t->bits.width);
}

static void cut_outputs(rtl_graph *g, const rtl_instance *instance) {
    const rtl_ids *ports = &g->design->module[instance->module].ports;
    for (size_t i = 0; i < ports->count; i++) {
        const rtl_var *port = &g->design->var[ports->id[i]];
        uint32_t expr = port->slot < instance->connection_count ? instance->connection[port->slot] : 0;
        if (port->direction == WEIR_RTL_INPUT || !expr || expr == RTL_OPEN) continue;
        if (g->design->expr[expr].kind != WEIR_RTL_EXPR_VAR)
            rtl_visit_targets(&g->walk, &g->numbering, expr, cut_target, g);
    }
}

/* Statements that neither are combinational nor hold such are passed over. */
static void to_combinational(rtl_graph *g) {
    while (g->walk.stmt) {
        weir_rtl_stmt_kind kind = g->design->stmt[g->walk.part].kind;
        if (kind == WEIR_RTL_STMT_ASSIGN || kind == WEIR_RTL_STMT_COMBINATIONAL || kind == WEIR_RTL_STMT_FOR ||
            kind == WEIR_RTL_STMT_INSTANCE)
            return;
        rtl_unroll_skip(&g->walk);
    }
}

/* Cells end where targets end: for a start, what is assigned together is one. */
static void make_cells(rtl_graph *g, uint32_t module) {
    rtl_unroll_start(&g->walk, g->design, module);
    to_combinational(g);
    for (; g->walk.stmt && !g->by_bit; rtl_unroll_next(&g->walk), to_combinational(g)) {
        const rtl_stmt *stmt = &g->design->stmt[g->walk.stmt];
        if (stmt->kind == WEIR_RTL_STMT_INSTANCE) cut_outputs(g, &g->design->instance[stmt->a]);
        else if (stmt->kind == WEIR_RTL_STMT_ASSIGN && g->design->expr[stmt->a].kind != WEIR_RTL_EXPR_VAR)
            rtl_visit_targets(&g->walk, &g->numbering, stmt->a, cut_target, g);
    }
    rtl_make_cells(&g->cells, &g->numbering, g->by_bit);
}

static void grow_memo(rtl_graph *g) {
    g->memo = weir_grow_zeroed(g->memo, &g->memo_capacity, g->design->expr_count, sizeof *g->memo);
}

void rtl_build_graph(rtl_graph *g, uint32_t module, bool by_bit) {
    g->by_bit = by_bit;
    g->assignments.condition = condition_node;
    g->assignments.join = join_node;
    g->assignments.add = add_to_join;
    g->assignments.user = g;
    grow_memo(g);
    rtl_number_nets(&g->numbering, g->design, module);
    make_cells(g, module);
    g->setter = weir_grow(g->setter, &g->setter_capacity, g->cells.count, sizeof *g->setter);
    g->nodes = (uint32_t)g->cells.count + 1;
    g->edge_count = 0;
    rtl_unroll_start(&g->walk, g->design, module);
    to_combinational(g);
    while (g->walk.stmt) {
        const rtl_stmt *stmt = &g->design->stmt[g->walk.stmt];
        if (stmt->kind == WEIR_RTL_STMT_COMBINATIONAL) {
            visit_process(g);
        } else {
            if (stmt->kind == WEIR_RTL_STMT_ASSIGN) visit_assign(g, stmt);
            else if (stmt->kind == WEIR_RTL_STMT_INSTANCE) visit_instance(g, &g->design->instance[stmt->a]);
            rtl_unroll_next(&g->walk);
        }
        to_combinational(g);
    }
}

void rtl_graph_end(rtl_graph *g) {
    rtl_numbering_end(&g->numbering);
    rtl_cells_end(&g->cells);
    rtl_unroll_end(&g->walk);
    rtl_assignments_free(&g->assignments);
    free(g->edge);
    free(g->offset);
    free(g->demand);
    free(g->memo);
    free(g->pending.at);
    free(g->setter);
}
