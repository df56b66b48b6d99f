/* A linear test of a module: when every combinational variable is driven before anything reads it, in the order of the
 * statements, there is no loop, and one walk knows which inputs each variable depends on. Variables are taken as a
 * whole; modules where that is not enough are left to the graph (dependence.c). */
#include <stdlib.h>
#include <string.h>

#include "rtlir/analysis/topological_order_private.h"

enum { MAX_INPUTS = 64 };

static void push(rtl_order *o, uint32_t expr) {
    o->stack = weir_grow(o->stack, &o->stack_capacity, o->depth + 1, sizeof *o->stack);
    o->stack[o->depth++] = expr;
}

static void read_var(rtl_order *o, uint32_t var) {
    o->inputs |= o->depends[var];
    o->is_read[var] = true;
}

/* A part of a variable: its indices too. */
static void read_part(rtl_order *o, const rtl_expr *e) {
    for (; rtl_is_part(e->kind); e = &o->design->expr[e->a])
        if (e->kind == WEIR_RTL_EXPR_SELECT || e->kind == WEIR_RTL_EXPR_ELEMENT) push(o, e->b);
    if (e->kind == WEIR_RTL_EXPR_VAR) read_var(o, e->a);
    else o->failed = true;
}

/* Adds the inputs that the expression depends on. */
static void read_expr(rtl_order *o, uint32_t expr) {
    const weir_rtl_design *design = o->design;
    push(o, expr);
    while (o->depth > 0) {
        const rtl_expr *e = &design->expr[o->stack[--o->depth]];
        if (e->kind == WEIR_RTL_EXPR_VAR || e->kind == WEIR_RTL_EXPR_PORT || rtl_is_part(e->kind)) read_part(o, e);
        else
            for (size_t i = 0; i < rtl_operand_count(e); i++) push(o, rtl_operand_at(design, e, i));
    }
}

/* What was collected goes to every variable of the target, which nothing may have read so far. */
static void drive_expr(rtl_order *o, uint32_t expr) {
    const weir_rtl_design *design = o->design;
    push(o, expr);
    while (o->depth > 0) {
        const rtl_expr *e = &design->expr[o->stack[--o->depth]];
        for (uint32_t i = 0; e->kind == WEIR_RTL_EXPR_CONCAT && i < e->b; i++) push(o, design->operand[e->a + i]);
        if (e->kind == WEIR_RTL_EXPR_CONCAT) continue;
        while (rtl_is_part(e->kind)) e = &design->expr[e->a];
        if (e->kind != WEIR_RTL_EXPR_VAR || o->is_read[e->a]) o->failed = true;
        else o->depends[e->a] |= o->inputs;
    }
}

/* The computed indices of a target. */
static void read_indices(rtl_order *o, uint32_t expr) {
    const weir_rtl_design *design = o->design;
    const rtl_expr *e = &design->expr[expr];
    for (uint32_t i = 0; e->kind == WEIR_RTL_EXPR_CONCAT && i < e->b; i++)
        if (design->expr[design->operand[e->a + i]].kind != WEIR_RTL_EXPR_VAR) o->failed = true;
    for (; rtl_is_part(e->kind); e = &design->expr[e->a])
        if (e->kind == WEIR_RTL_EXPR_SELECT || e->kind == WEIR_RTL_EXPR_ELEMENT) read_expr(o, e->b);
}

/* All that a process assigns depends on all that it reads. */
static void visit_process(rtl_order *o, uint32_t process) {
    const weir_rtl_design *design = o->design;
    for (uint32_t s = process; s && !o->failed; s = rtl_walk_next(design, s, process)) {
        const rtl_stmt *stmt = &design->stmt[s];
        if (stmt->kind == WEIR_RTL_STMT_ASSIGN) {
            read_indices(o, stmt->a);
            read_expr(o, stmt->b);
        } else if ((stmt->kind == WEIR_RTL_STMT_IF || stmt->kind == WEIR_RTL_STMT_CASE) && stmt->a) {
            read_expr(o, stmt->a);
        }
    }
    for (uint32_t s = process; s && !o->failed; s = rtl_walk_next(design, s, process))
        if (design->stmt[s].kind == WEIR_RTL_STMT_ASSIGN) drive_expr(o, design->stmt[s].a);
}

static void visit_instance(rtl_order *o, const rtl_instance *instance, const rtl_paths *paths) {
    if (instance->is_wired) o->failed = true;
    for (uint32_t i = paths->first[instance->module]; i < paths->end[instance->module] && !o->failed; i++) {
        const rtl_path *path = &paths->path[i];
        bool is_new = i == paths->first[instance->module] || path->group != paths->path[i - 1].group;
        uint32_t slot = o->design->var[path->port].slot;
        uint32_t expr = slot < instance->connection_count ? instance->connection[slot] : 0;
        if (is_new) o->inputs = 0;
        if (!expr || expr == RTL_OPEN) continue;
        if (!path->is_output) read_expr(o, expr);
        else drive_expr(o, expr);
    }
}

static void visit_part(rtl_order *o, uint32_t id, const rtl_paths *paths) {
    assert(id < o->design->stmt_count);
    const rtl_stmt *stmt = &o->design->stmt[id];
    o->inputs = 0;
    switch (stmt->kind) {
    case WEIR_RTL_STMT_ASSIGN:
        if (o->design->expr[stmt->a].kind != WEIR_RTL_EXPR_VAR) read_indices(o, stmt->a);
        read_expr(o, stmt->b);
        drive_expr(o, stmt->a);
        break;
    case WEIR_RTL_STMT_COMBINATIONAL: visit_process(o, id); break;
    case WEIR_RTL_STMT_INSTANCE: visit_instance(o, &o->design->instance[stmt->a], paths); break;
    case WEIR_RTL_STMT_FOR: o->failed = true; break;
    default: break;
    }
}

static void add_path(rtl_paths *paths, uint32_t group, uint32_t port, const rtl_var *var) {
    paths->path = weir_grow(paths->path, &paths->capacity, paths->count + 1, sizeof *paths->path);
    paths->path[paths->count++] = (rtl_path){group, port, 0, var->width, var->direction == WEIR_RTL_OUTPUT};
}

/* Adjacent outputs that depend on the same inputs are a group. */
static void keep_paths(const rtl_order *o, uint32_t module, rtl_paths *paths) {
    assert(module < o->design->module_count);
    const rtl_ids *ports = &o->design->module[module].ports;
    uint32_t group = 0;
    uint64_t last = 0;
    paths->first[module] = (uint32_t)paths->count;
    for (size_t i = 0; i < ports->count; i++) {
        uint64_t set = o->depends[ports->id[i]];
        if (o->design->var[ports->id[i]].direction != WEIR_RTL_OUTPUT || !set) continue;
        if (set != last) group++;
        for (size_t k = 0, input = 0; set != last && k < ports->count; k++) {
            const rtl_var *var = &o->design->var[ports->id[k]];
            if (var->direction != WEIR_RTL_INPUT) continue;
            if (set >> input & 1) add_path(paths, group, ports->id[k], var);
            input++;
        }
        last = set;
        add_path(paths, group, ports->id[i], &o->design->var[ports->id[i]]);
    }
    paths->end[module] = (uint32_t)paths->count;
}

void rtl_order_start(rtl_order *o, const weir_rtl_design *design) {
    o->design = design;
    o->depends = weir_calloc(design->var_count, sizeof *o->depends);
    o->is_read = weir_calloc(design->var_count, sizeof *o->is_read);
}

bool rtl_is_topological(rtl_order *o, uint32_t module, rtl_paths *paths) {
    assert(module < o->design->module_count);
    const rtl_module *record = &o->design->module[module];
    size_t inputs = 0;
    o->failed = false;
    for (size_t i = 0; i < record->ports.count; i++) {
        if (o->design->var[record->ports.id[i]].direction == WEIR_RTL_INOUT) return false; /* input and output */
        if (o->design->var[record->ports.id[i]].direction != WEIR_RTL_INPUT) continue;
        if (inputs == MAX_INPUTS) return false;
        o->depends[record->ports.id[i]] = UINT64_C(1) << inputs++;
    }
    for (uint32_t s = o->design->block[record->body].first; s && !o->failed; s = o->design->stmt[s].next)
        visit_part(o, s, paths);
    o->depth = 0;
    if (!o->failed) keep_paths(o, module, paths);
    return !o->failed;
}

void rtl_order_end(rtl_order *o) {
    free(o->depends);
    free(o->is_read);
    free(o->stack);
}
