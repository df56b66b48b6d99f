/* Latches: bits that processes do not assign on every path. */
#include "rtlir/analysis/latches.h"

#include <stdlib.h>
#include <string.h>

#include "rtlir/analysis/branch.h"
#include "rtlir/analysis/cells_private.h"
#include "rtlir/analysis/definite_assignment_private.h"

/* What is known of a cell in one process. */
typedef struct assigned {
    uint32_t unit;    /* the process that the rest is about */
    uint32_t stmt;    /* first assignment */
    uint32_t under;   /* N: assigned where reset N - 1 is active, none later being; 0: where none is */
    uint32_t outside; /* N: assigned elsewhere, after the tests of resets 0 to N - 1 */
} assigned;

struct weir_rtl_latches {
    const weir_rtl_design *design;
    rtl_numbering numbering;
    rtl_cells cells;
    rtl_unroll walk;
    rtl_assignments assignments;
    assigned *assigned; /* by cell */
    size_t assigned_capacity;
    struct {
        uint32_t reset, test;
    } * reset; /* of a clocked process: its resets and the ifs that test them, each in the else of the one before */
    size_t resets, reset_capacity;
    uint32_t *touched; /* cells that a clocked process assigns */
    size_t touched_count, touched_capacity;
    weir_rtl_latch *latch;
    size_t latch_count, latch_capacity;
};

static bool waits_for(const weir_rtl_design *design, uint32_t always, uint32_t var) {
    assert(always < design->stmt_count);
    uint32_t e = design->stmt[always].a;
    while (e && design->event[e].var != var) e = design->event[e].next;
    return e != 0;
}

/* The ifs that a clocked process begins with, each in the else of the one before, and the resets that they test. */
static void find_resets(weir_rtl_latches *f, uint32_t always) {
    const weir_rtl_design *design = f->design;
    uint32_t block = design->stmt[always].body;
    for (f->resets = 0; block; f->resets++) {
        uint32_t branch = weir_rtl_first_effect(design, (weir_rtl_block){block}).id;
        if (!branch || design->stmt[branch].kind != WEIR_RTL_STMT_IF) return;
        uint32_t reset = weir_rtl_tested_reset(design, (weir_rtl_expr){design->stmt[branch].a}).reset.id;
        if (!reset || !waits_for(design, always, reset)) return;
        f->reset = weir_grow(f->reset, &f->reset_capacity, f->resets + 1, sizeof *f->reset);
        f->reset[f->resets].reset = reset;
        f->reset[f->resets].test = branch;
        block = design->stmt[branch].other;
    }
}

/* Can the process make latches? */
static bool is_looked_at(const weir_rtl_design *design, uint32_t part) {
    assert(part < design->stmt_count);
    const rtl_stmt *stmt = &design->stmt[part];
    if (stmt->kind == WEIR_RTL_STMT_ALWAYS) return stmt->a && design->event[stmt->a].next;
    return stmt->kind == WEIR_RTL_STMT_COMBINATIONAL;
}

/* The next statement of a process that is looked at. */
static void to_process(weir_rtl_latches *f) {
    while (f->walk.stmt && f->design->stmt[f->walk.part].kind != WEIR_RTL_STMT_FOR &&
           !is_looked_at(f->design, f->walk.part))
        rtl_unroll_skip(&f->walk);
}

static void cut_target(const rtl_target *target, void *user) {
    weir_rtl_latches *f = user;
    if (!target->bits.is_computed)
        rtl_cut_cells(&f->cells, &f->numbering, target->net, target->bits.low, target->bits.width);
}

/* ---- combinational blocks ---- */

static uint32_t any_condition(void *user, uint32_t stmt) {
    (void)user, (void)stmt;
    return 0;
}
static uint32_t any_join(void *user, uint32_t condition) {
    (void)user, (void)condition;
    return 1;
}
static void any_add(void *user, uint32_t join, uint32_t node) { (void)user, (void)join, (void)node; }

/* A computed index leaves bits as they are, so it assigns nothing on every path. */
static void set_target(const rtl_target *target, void *user) {
    weir_rtl_latches *f = user;
    uint32_t end = target->bits.low + target->bits.width;
    if (target->bits.width == 0) return;
    for (uint32_t c = rtl_cell_at(&f->cells, target->net, target->bits.low);
         c < f->cells.first[target->net + 1] && f->cells.cell[c].low < end; c++) {
        assigned *a = &f->assigned[c];
        if (a->unit != f->walk.unit) *a = (assigned){.unit = f->walk.unit, .stmt = f->walk.stmt};
        rtl_held before = f->assignments.held[c];
        rtl_assignment state = rtl_assign(before.state, target->bits.is_computed);
        if (before.state != state) rtl_assignments_set(&f->assignments, c, (rtl_held){1, state});
    }
}

static void add_latch(weir_rtl_latches *f, uint32_t process, uint32_t cell, uint32_t reset) {
    const rtl_cell *c = &f->cells.cell[cell];
    const rtl_net *net = &f->numbering.net[c->net];
    weir_rtl_latch latch = {{{net->var}, {net->instance}}, c->low, c->width, {process},
                            {f->assigned[cell].stmt},      {reset}};
    weir_rtl_latch *last = f->latch_count ? &f->latch[f->latch_count - 1] : NULL;
    bool continues = last && last->net.var.id == net->var && last->net.instance.id == net->instance &&
                     last->low + last->width == c->low && last->process.id == process &&
                     last->stmt.id == latch.stmt.id && last->reset.id == reset;
    if (continues) {
        last->width += c->width;
        return;
    }
    f->latch = weir_grow(f->latch, &f->latch_capacity, f->latch_count + 1, sizeof *f->latch);
    f->latch[f->latch_count++] = latch;
}

/* Takes the walk through the process that it is at. */
static void walk_combinational(weir_rtl_latches *f) {
    uint32_t process = f->walk.part, unit = f->walk.unit;
    size_t count = 0;
    rtl_assignments_start(&f->assignments, f->design, process, f->cells.count);
    for (rtl_unroll_next(&f->walk); f->walk.stmt && f->walk.unit == unit; rtl_unroll_next(&f->walk)) {
        const rtl_stmt *stmt = &f->design->stmt[f->walk.stmt];
        if (rtl_assignments_arrive(&f->assignments, f->walk.stmt) && stmt->kind == WEIR_RTL_STMT_ASSIGN)
            rtl_visit_targets(&f->walk, &f->numbering, stmt->a, set_target, f);
    }
    const uint32_t *cells = rtl_assignments_end(&f->assignments, &count);
    for (size_t i = 0; i < count; i++)
        if (f->assignments.held[cells[i]].state == RTL_PARTLY_ASSIGNED) add_latch(f, process, cells[i], 0);
    rtl_assignments_forget(&f->assignments);
}

/* ---- clocked blocks ---- */

/* The place of the statement, as in `assigned`: the innermost test around it decides, being in the else of all earlier
 * ones. */
static void place_under(const weir_rtl_latches *f, uint32_t stmt, uint32_t *under, uint32_t *outside) {
    const weir_rtl_design *design = f->design;
    for (uint32_t block = design->stmt[stmt].block, owner; (owner = design->block[block].owner) != 0;
         block = design->stmt[owner].block)
        for (uint32_t r = 0; r < f->resets; r++) {
            if (f->reset[r].test != owner) continue;
            const bool is_active = design->stmt[owner].body == block;
            *under = is_active ? r + 1 : 0;
            *outside = is_active ? r : r + 1;
            return;
        }
    *under = 0;
    *outside = UINT32_MAX; /* outside the tests */
}

static void mark_target(const rtl_target *target, void *user) {
    weir_rtl_latches *f = user;
    uint32_t end = target->bits.low + target->bits.width, under, outside;
    if (target->bits.width == 0) return;
    place_under(f, f->walk.stmt, &under, &outside);
    for (uint32_t c = rtl_cell_at(&f->cells, target->net, target->bits.low);
         c < f->cells.first[target->net + 1] && f->cells.cell[c].low < end; c++) {
        assigned *a = &f->assigned[c];
        if (a->unit != f->walk.unit) {
            *a = (assigned){.unit = f->walk.unit, .stmt = f->walk.stmt};
            f->touched = weir_grow(f->touched, &f->touched_capacity, f->touched_count + 1, sizeof *f->touched);
            f->touched[f->touched_count++] = c;
        }
        if (under > a->under) a->under = under;
        if (outside > a->outside) a->outside = outside;
    }
}

static void walk_clocked(weir_rtl_latches *f) {
    uint32_t process = f->walk.part, unit = f->walk.unit;
    find_resets(f, process);
    f->touched_count = 0;
    for (rtl_unroll_next(&f->walk); f->walk.stmt && f->walk.unit == unit; rtl_unroll_next(&f->walk)) {
        const rtl_stmt *stmt = &f->design->stmt[f->walk.stmt];
        if (stmt->kind == WEIR_RTL_STMT_ASSIGN && f->resets)
            rtl_visit_targets(&f->walk, &f->numbering, stmt->a, mark_target, f);
    }
    if (f->touched_count > 1) qsort(f->touched, f->touched_count, sizeof *f->touched, rtl_by_number);
    for (uint32_t r = 0; r < f->resets; r++)
        for (size_t i = 0; i < f->touched_count; i++) {
            const assigned *a = &f->assigned[f->touched[i]];
            if (a->under == r + 1 && a->outside <= r) add_latch(f, process, f->touched[i], f->reset[r].reset);
        }
}

/* ---- modules ---- */

static bool has_processes(const weir_rtl_design *design, uint32_t module) {
    assert(module < design->module_count);
    uint32_t s = design->block[design->module[module].body].first;
    while (s && !is_looked_at(design, s) && design->stmt[s].kind != WEIR_RTL_STMT_FOR) s = design->stmt[s].next;
    return s != 0;
}

static void make_cells(weir_rtl_latches *f, uint32_t module) {
    rtl_number_nets(&f->numbering, f->design, module);
    rtl_unroll_start(&f->walk, f->design, module);
    for (to_process(f); f->walk.stmt; rtl_unroll_next(&f->walk), to_process(f)) {
        const rtl_stmt *stmt = &f->design->stmt[f->walk.stmt];
        if (stmt->kind == WEIR_RTL_STMT_ASSIGN) rtl_visit_targets(&f->walk, &f->numbering, stmt->a, cut_target, f);
    }
    rtl_make_cells(&f->cells, &f->numbering, false);
    f->assigned = weir_grow(f->assigned, &f->assigned_capacity, f->cells.count, sizeof *f->assigned);
    memset(f->assigned, 0, f->cells.count * sizeof *f->assigned);
}

const weir_rtl_latch *weir_rtl_find_latches(weir_rtl_latches *f, weir_rtl_module module, size_t *count) {
    *count = f->latch_count = 0;
    if (!has_processes(f->design, module.id)) return f->latch;
    make_cells(f, module.id);
    rtl_unroll_start(&f->walk, f->design, module.id);
    to_process(f);
    while (f->walk.stmt) {
        if (f->design->stmt[f->walk.part].kind == WEIR_RTL_STMT_FOR) rtl_unroll_next(&f->walk);
        else if (f->design->stmt[f->walk.part].kind == WEIR_RTL_STMT_ALWAYS) walk_clocked(f);
        else walk_combinational(f);
        to_process(f);
    }
    *count = f->latch_count;
    return f->latch;
}

weir_rtl_latches *weir_rtl_latches_new(const weir_rtl_design *design) {
    weir_rtl_latches *f = weir_calloc(1, sizeof *f);
    f->design = design;
    f->assignments.condition = any_condition;
    f->assignments.join = any_join;
    f->assignments.add = any_add;
    f->assignments.user = f;
    return f;
}

void weir_rtl_latches_free(weir_rtl_latches *f) {
    if (!f) return;
    rtl_numbering_end(&f->numbering);
    rtl_cells_end(&f->cells);
    rtl_unroll_end(&f->walk);
    rtl_assignments_free(&f->assignments);
    free(f->assigned);
    free(f->reset);
    free(f->touched);
    free(f->latch);
    free(f);
}
