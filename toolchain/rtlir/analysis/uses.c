/* Uses are collected in the order of the statements and then sorted by net by counting, drivers first; a tally only
 * counts. */
#include "rtlir/analysis/uses.h"

#include <stdlib.h>
#include <string.h>

#include "rtlir/analysis/bit_range_private.h"
#include "rtlir/core/private.h"

/* A use, and two times the net's number, plus one for readers. */
typedef struct entry {
    uint32_t key, stmt, expr, low, width;
    uint32_t flags;
} entry;

enum { COMPUTED = 1, WHOLE = 2, CONNECTION = 4 };

struct weir_rtl_uses {
    weir_rtl_design *design;
    uint32_t *number;    /* by variable id: its net in the module that was built last */
    uint32_t *port_base; /* by instance id: number of the net of slot 0 */
    uint32_t *seen;      /* by expression id: the last statement that was seen to read it, counted from the start */
    size_t number_capacity, base_capacity, seen_capacity;
    uint32_t stamp;
    uint32_t module;
    bool is_tally;
    entry *found, *sorted;
    size_t count, capacity, sorted_capacity;
    uint32_t *first; /* by key: its first entry in `sorted` */
    size_t first_capacity, keys;
    uint32_t *stack;
    size_t stack_capacity;
};

weir_rtl_uses *weir_rtl_uses_new(weir_rtl_design *design) {
    weir_rtl_uses *uses = weir_calloc(1, sizeof *uses);
    uses->design = design;
    return uses;
}

void weir_rtl_uses_free(weir_rtl_uses *uses) {
    if (!uses) return;
    free(uses->number);
    free(uses->port_base);
    free(uses->seen);
    free(uses->found);
    free(uses->sorted);
    free(uses->first);
    free(uses->stack);
    free(uses);
}

static void add(weir_rtl_uses *u, uint32_t key, uint32_t stmt, uint32_t expr, uint32_t low, uint32_t width,
                uint32_t flags) {
    if (u->is_tally) {
        u->first[key + 1]++;
        return;
    }
    u->found = weir_grow(u->found, &u->capacity, u->count + 1, sizeof *u->found);
    u->found[u->count++] = (entry){key, stmt, expr, low, width, flags};
}

static uint32_t net_number(const weir_rtl_uses *u, const rtl_expr *base) {
    if (base->kind == WEIR_RTL_EXPR_VAR) return u->number[base->a];
    return u->port_base[base->a] + u->design->var[base->b].slot;
}

static void add_part_count(weir_rtl_uses *u, uint32_t id, bool reads) {
    assert(id < u->design->expr_count);
    const rtl_expr *e = &u->design->expr[id];
    while (rtl_is_part(e->kind)) e = &u->design->expr[e->a];
    if (e->kind == WEIR_RTL_EXPR_VAR && rtl_var_of(u->design, e)->function) return;
    u->first[2 * net_number(u, e) + reads + 1]++;
}

/* Records an expression that is a variable or a part of one. A function's own are not the module's. */
static void add_part(weir_rtl_uses *u, uint32_t id, uint32_t stmt, bool reads, uint32_t flags) {
    if (u->is_tally) {
        add_part_count(u, id, reads);
        return;
    }
    rtl_bit_range bits = rtl_locate(u->design, id);
    const rtl_expr *base = &u->design->expr[bits.base];
    if (base->kind == WEIR_RTL_EXPR_VAR && rtl_var_of(u->design, base)->function) return;
    add(u, 2 * net_number(u, base) + reads, stmt, id, bits.low, bits.width, flags | (bits.is_computed ? COMPUTED : 0));
}

static void push(weir_rtl_uses *u, size_t *depth, uint32_t expr) {
    u->stack = weir_grow(u->stack, &u->stack_capacity, *depth + 1, sizeof *u->stack);
    u->stack[(*depth)++] = expr;
}

/* The computed indices of a part, which are read. */
static void push_indices(weir_rtl_uses *u, size_t *depth, uint32_t id) {
    assert(id < u->design->expr_count);
    for (const rtl_expr *e = &u->design->expr[id]; rtl_is_part(e->kind); e = &u->design->expr[e->a])
        if (e->kind == WEIR_RTL_EXPR_SELECT || e->kind == WEIR_RTL_EXPR_ELEMENT) push(u, depth, e->b);
}

/* Shared parts of an expression count once a statement. Operands are taken from left to right. */
static void read_expr(weir_rtl_uses *u, size_t depth, uint32_t expr, uint32_t stmt, uint32_t flags) {
    const weir_rtl_design *design = u->design;
    size_t floor = depth;
    push(u, &depth, expr);
    while (depth > floor) {
        uint32_t id = u->stack[--depth];
        const rtl_expr *e = &design->expr[id];
        if (u->seen[id] == u->stamp) continue;
        u->seen[id] = u->stamp;
        switch (e->kind) {
        case WEIR_RTL_EXPR_ELEMENT:
        case WEIR_RTL_EXPR_FIELD:
        case WEIR_RTL_EXPR_SELECT:
        case WEIR_RTL_EXPR_SLICE: push_indices(u, &depth, id); /* fall through */
        case WEIR_RTL_EXPR_VAR:
        case WEIR_RTL_EXPR_PORT: add_part(u, id, stmt, true, id == expr ? flags : flags & ~(uint32_t)WHOLE); break;
        default:
            for (size_t i = rtl_operand_count(e); i-- > 0;) push(u, &depth, rtl_operand_at(design, e, i));
        }
    }
}

static void drive_expr(weir_rtl_uses *u, uint32_t expr, uint32_t stmt, uint32_t flags) {
    const weir_rtl_design *design = u->design;
    size_t depth = 0;
    push(u, &depth, expr);
    while (depth > 0) {
        uint32_t id = u->stack[--depth];
        const rtl_expr *e = &design->expr[id];
        if (e->kind == WEIR_RTL_EXPR_CONCAT) {
            for (uint32_t i = e->b; i-- > 0;) push(u, &depth, design->operand[e->a + i]);
            continue;
        }
        add_part(u, id, stmt, false, id == expr ? flags : flags & ~(uint32_t)WHOLE);
        for (; rtl_is_part(e->kind); e = &design->expr[e->a])
            if (e->kind == WEIR_RTL_EXPR_SELECT || e->kind == WEIR_RTL_EXPR_ELEMENT)
                read_expr(u, depth, e->b, stmt, flags & ~(uint32_t)WHOLE);
    }
}

static void visit_instance(weir_rtl_uses *u, uint32_t stmt) {
    const weir_rtl_design *design = u->design;
    const rtl_instance *instance = &design->instance[design->stmt[stmt].a];
    const rtl_ids *ports = &design->module[instance->module].ports;
    for (size_t i = 0; i < ports->count; i++) {
        const rtl_var *port = &design->var[ports->id[i]];
        uint32_t expr = port->slot < instance->connection_count ? instance->connection[port->slot] : 0;
        if (expr == 0 || expr == RTL_OPEN) continue;
        u->stamp++; /* each connection counts */
        if (port->direction != WEIR_RTL_INPUT) drive_expr(u, expr, stmt, WHOLE | CONNECTION);
        if (port->direction != WEIR_RTL_OUTPUT) read_expr(u, 0, expr, stmt, WHOLE | CONNECTION);
    }
}

/* An outermost machine waits for its clock and its reset and drives the variable that holds its state. */
static void visit_machine(weir_rtl_uses *u, const rtl_fsm *fsm, uint32_t id) {
    if (fsm->parent) return;
    add(u, 2 * u->number[fsm->clock] + 1, id, 0, 0, 1, 0);
    add(u, 2 * u->number[fsm->reset] + 1, id, 0, 0, 1, 0);
    if (fsm->current) add(u, 2 * u->number[fsm->current], id, 0, 0, u->design->var[fsm->current].width, 0);
}

static void visit_stmt(weir_rtl_uses *u, uint32_t id) {
    const weir_rtl_design *design = u->design;
    const rtl_stmt *stmt = &design->stmt[id];
    u->stamp++;
    switch (stmt->kind) {
    case WEIR_RTL_STMT_ASSIGN:
        drive_expr(u, stmt->a, id, WHOLE);
        read_expr(u, 0, stmt->b, id, WHOLE);
        break;
    case WEIR_RTL_STMT_INSTANCE: visit_instance(u, id); break;
    case WEIR_RTL_STMT_ALWAYS:
        for (uint32_t e = stmt->a; e; e = design->event[e].next)
            add(u, 2 * u->number[design->event[e].var] + 1, id, 0, 0, 1, 0);
        break;
    case WEIR_RTL_STMT_FSM: visit_machine(u, rtl_fsm_of(design, stmt), id); break;
    case WEIR_RTL_STMT_FOR: add(u, 2 * u->number[rtl_loop_of(design, stmt)->iterator], id, 0, 0, 32, 0); break;
    default:
        if (stmt->kind == WEIR_RTL_STMT_ASSERT && rtl_assertion_of(design, stmt)->clock)
            add(u, 2 * u->number[rtl_assertion_of(design, stmt)->clock] + 1, id, 0, 0, 1, 0);
        for (size_t i = 0; rtl_stmt_slot(design, id, i); i++)
            if (*rtl_stmt_slot(design, id, i)) read_expr(u, 0, *rtl_stmt_slot(design, id, i), id, 0);
        break;
    }
}

static void sort(weir_rtl_uses *u) {
    for (size_t i = 0; i < u->count; i++) u->first[u->found[i].key + 1]++;
    for (size_t k = 0; k < u->keys; k++) u->first[k + 1] += u->first[k];
    u->sorted = weir_grow(u->sorted, &u->sorted_capacity, u->count + 1, sizeof *u->sorted);
    for (size_t i = 0; i < u->count; i++) u->sorted[u->first[u->found[i].key]++] = u->found[i];
    /* Each first[key] has moved to the next key's. */
    memmove(u->first + 1, u->first, (u->keys + 1) * sizeof *u->first);
    u->first[0] = 0;
}

/* Numbers the nets of the module and walks over its statements. */
static void collect(weir_rtl_uses *u, weir_rtl_module module) {
    const weir_rtl_design *design = u->design;
    const rtl_module *record = &design->module[module.id];
    u->number = weir_grow_zeroed(u->number, &u->number_capacity, design->var_count, sizeof *u->number);
    u->port_base = weir_grow_zeroed(u->port_base, &u->base_capacity, design->instance_count, sizeof *u->port_base);
    u->seen = weir_grow_zeroed(u->seen, &u->seen_capacity, design->expr_count, sizeof *u->seen);
    u->module = module.id;
    u->count = 0;
    uint32_t nets = 0;
    for (uint32_t v = record->first_var; v; v = design->var[v].next) u->number[v] = nets++;
    for (size_t i = 0; i < record->instances.count; i++) {
        u->port_base[record->instances.id[i]] = nets;
        nets += design->module[design->instance[record->instances.id[i]].module].port_slots;
    }
    u->keys = 2 * (size_t)nets;
    u->first = weir_grow(u->first, &u->first_capacity, u->keys + 2, sizeof *u->first);
    memset(u->first, 0, (u->keys + 2) * sizeof *u->first);
    for (uint32_t s = design->block[record->body].first; s; s = design->stmt[s].next)
        for (uint32_t inner = s; inner; inner = rtl_walk_next(design, inner, s)) visit_stmt(u, inner);
}

void weir_rtl_uses_build(weir_rtl_uses *u, weir_rtl_module module) {
    u->is_tally = false;
    collect(u, module);
    sort(u);
}

void weir_rtl_uses_tally(weir_rtl_uses *u, weir_rtl_module module) {
    u->is_tally = true;
    collect(u, module);
    for (size_t k = 0; k < u->keys; k++) u->first[k + 1] += u->first[k];
}

/* ---- asking ---- */

weir_rtl_bits weir_rtl_bits_of(const weir_rtl_design *design, weir_rtl_expr part) {
    rtl_bit_range range = rtl_locate(design, part.id);
    return (weir_rtl_bits){{range.base}, range.low, range.width, range.is_computed};
}

weir_rtl_net weir_rtl_net_of_expr(const weir_rtl_design *design, weir_rtl_expr expr) {
    weir_rtl_expr_info info = weir_rtl_get_expr(design, expr);
    weir_rtl_net net = {info.var, info.instance};
    return net;
}

static size_t key_of(const weir_rtl_uses *u, weir_rtl_net net, bool reads) {
    uint32_t number =
        net.instance.id ? u->port_base[net.instance.id] + u->design->var[net.var.id].slot : u->number[net.var.id];
    return 2 * (size_t)number + reads;
}

static weir_rtl_use use_at(const weir_rtl_uses *u, size_t index) {
    const entry *e = &u->sorted[index];
    return (weir_rtl_use){.stmt = {e->stmt},
                          .expr = {e->expr},
                          .low = e->low,
                          .width = e->width,
                          .is_computed = (e->flags & COMPUTED) != 0,
                          .is_whole = (e->flags & WHOLE) != 0,
                          .is_connection = (e->flags & CONNECTION) != 0};
}

size_t weir_rtl_driver_count(const weir_rtl_uses *u, weir_rtl_net net) {
    size_t key = key_of(u, net, false);
    return u->first[key + 1] - u->first[key];
}

weir_rtl_use weir_rtl_driver_at(const weir_rtl_uses *u, weir_rtl_net net, size_t index) {
    return use_at(u, u->first[key_of(u, net, false)] + index);
}

size_t weir_rtl_reader_count(const weir_rtl_uses *u, weir_rtl_net net) {
    size_t key = key_of(u, net, true);
    return u->first[key + 1] - u->first[key];
}

weir_rtl_use weir_rtl_reader_at(const weir_rtl_uses *u, weir_rtl_net net, size_t index) {
    return use_at(u, u->first[key_of(u, net, true)] + index);
}
