/* Full cases, resets in conditions, and latches: bits that processes do not assign on every way. */
#include "rtlir/analysis/flow.h"

#include <stdlib.h>
#include <string.h>

#include "rtlir/analysis/nets_private.h"

/* ---- cases ---- */

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sorts the values and takes repeated ones away; returns how many are left. */
static size_t sort_values(uint64_t *values, size_t count) {
    size_t kept = 0;
    qsort(values, count, sizeof *values, by_value);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || values[i] != values[kept - 1]) values[kept++] = values[i];
    return kept;
}

/* Is the value of every member among the sorted labels? */
static bool has_members(const weir_rtl_design *design, const rtl_type *type, const uint64_t *labels, size_t count) {
    uint64_t *values = weir_malloc((type->count + (size_t)1) * sizeof *values);
    size_t members = 0, found = 0;
    for (uint32_t f = type->first; f; f = design->field[f].next) values[members++] = design->field[f].value;
    members = sort_values(values, members);
    for (size_t i = 0; i < count && found < members; i++) found += labels[i] == values[found];
    free(values);
    return members > 0 && found == members;
}

bool weir_rtl_case_is_full(const weir_rtl_design *design, weir_rtl_stmt branch) {
    const rtl_stmt *stmt = &design->stmt[branch.id];
    const rtl_type *type = &design->type[rtl_type_of(design, stmt->a)];
    uint32_t width = design->expr[stmt->a].width;
    size_t count = 0;
    for (uint32_t i = design->block[stmt->body].first; i; i = design->stmt[i].next, count++)
        if (!design->stmt[i].a) return true;
    bool is_enum = type->kind == WEIR_RTL_TYPE_ENUM;
    if (width > 64 || (!is_enum && (width > 32 || count < UINT64_C(1) << width))) return false;
    uint64_t *labels = weir_malloc((count + 1) * sizeof *labels);
    count = 0;
    for (uint32_t i = design->block[stmt->body].first; i; i = design->stmt[i].next)
        labels[count++] = design->word[design->expr[design->stmt[i].a].a];
    count = sort_values(labels, count);
    bool full = (width <= 32 && count == UINT64_C(1) << width) || (is_enum && has_members(design, type, labels, count));
    free(labels);
    return full;
}

/* ---- resets ---- */

/* The operand of a negation, or of a comparison with a constant bit, 0 for others; *is_high says which way round. */
static uint32_t inner_test(const weir_rtl_design *design, const rtl_expr *e, bool *is_high) {
    if (e->kind == WEIR_RTL_EXPR_CAST) return e->a;
    if (e->kind == WEIR_RTL_EXPR_UNARY && (e->op == WEIR_RTL_NOT || e->op == WEIR_RTL_LOGICAL_NOT)) {
        *is_high = !*is_high;
        return e->a;
    }
    if (e->kind != WEIR_RTL_EXPR_BINARY || (e->op != WEIR_RTL_EQUAL && e->op != WEIR_RTL_NOT_EQUAL)) return 0;
    const rtl_expr *other = &design->expr[e->b];
    if (other->kind != WEIR_RTL_EXPR_CONSTANT || other->width != 1) return 0;
    if ((design->word[other->a] == 1) != (e->op == WEIR_RTL_EQUAL)) *is_high = !*is_high;
    return e->a;
}

weir_rtl_reset_test weir_rtl_tested_reset(const weir_rtl_design *design, weir_rtl_expr condition) {
    weir_rtl_reset_test test = {.is_high = true};
    uint32_t expr = condition.id;
    while (expr && design->expr[expr].kind != WEIR_RTL_EXPR_VAR)
        expr = inner_test(design, &design->expr[expr], &test.is_high);
    if (!expr) return test;
    weir_rtl_kind kind = design->var[design->expr[expr].a].kind;
    if (kind == WEIR_RTL_RESET || kind == WEIR_RTL_ASYNC_RESET) test.reset.id = design->expr[expr].a;
    return test;
}

weir_rtl_stmt weir_rtl_first_effect(const weir_rtl_design *design, weir_rtl_block block) {
    uint32_t s = design->block[block.id].first;
    while (s && (design->stmt[s].kind == WEIR_RTL_STMT_COMMENT || design->stmt[s].kind == WEIR_RTL_STMT_ASSERT))
        s = design->stmt[s].next;
    return (weir_rtl_stmt){s};
}

/* ---- latches ---- */

/* What is known of a cell in one process. */
typedef struct assigned {
    uint32_t unit;    /* the process that the rest is about */
    uint32_t stmt;    /* first assignment */
    uint32_t under;   /* N: assigned where reset N - 1 is active, none later being; 0: where none is */
    uint32_t outside; /* N: assigned elsewhere behind the tests of resets 0 to N - 1 */
} assigned;

struct weir_rtl_flow {
    const weir_rtl_design *design;
    rtl_numbering numbering;
    rtl_cells cells;
    rtl_unroll walk;
    rtl_ways ways;
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
    uint32_t e = design->stmt[always].a;
    while (e && design->event[e].var != var) e = design->event[e].next;
    return e != 0;
}

/* The ifs that a clocked process begins with, each in the else of the one before, and the resets that they test. */
static void find_resets(weir_rtl_flow *f, uint32_t always) {
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

/* Is the process one that can make latches? */
static bool is_looked_at(const weir_rtl_design *design, uint32_t part) {
    const rtl_stmt *stmt = &design->stmt[part];
    if (stmt->kind == WEIR_RTL_STMT_ALWAYS) return stmt->a && design->event[stmt->a].next;
    return stmt->kind == WEIR_RTL_STMT_COMBINATIONAL;
}

/* The next statement of a process that is looked at. */
static void to_process(weir_rtl_flow *f) {
    while (f->walk.stmt && f->design->stmt[f->walk.part].kind != WEIR_RTL_STMT_FOR &&
           !is_looked_at(f->design, f->walk.part))
        rtl_unroll_skip(&f->walk);
}

static void cut_target(const rtl_target *target, void *user) {
    weir_rtl_flow *f = user;
    if (!target->place.is_computed)
        rtl_cut_cells(&f->cells, &f->numbering, target->net, target->place.low, target->place.width);
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

/* A computed index leaves bits as they are, so it assigns nothing on every way. */
static void set_target(const rtl_target *target, void *user) {
    weir_rtl_flow *f = user;
    uint32_t end = target->place.low + target->place.width;
    if (target->place.width == 0) return;
    for (uint32_t c = rtl_cell_at(&f->cells, target->net, target->place.low);
         c < f->cells.first[target->net + 1] && f->cells.cell[c].low < end; c++) {
        assigned *a = &f->assigned[c];
        if (a->unit != f->walk.unit) *a = (assigned){.unit = f->walk.unit, .stmt = f->walk.stmt};
        rtl_held before = f->ways.held[c];
        bool maybe = target->place.is_computed && (!before.node || before.maybe);
        if (!before.node || before.maybe != maybe) rtl_ways_set(&f->ways, c, (rtl_held){1, maybe});
    }
}

static void add_latch(weir_rtl_flow *f, uint32_t process, uint32_t cell, uint32_t reset) {
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
static void walk_combinational(weir_rtl_flow *f) {
    uint32_t process = f->walk.part, unit = f->walk.unit;
    size_t count = 0;
    rtl_ways_start(&f->ways, f->design, process, f->cells.count);
    for (rtl_unroll_next(&f->walk); f->walk.stmt && f->walk.unit == unit; rtl_unroll_next(&f->walk)) {
        const rtl_stmt *stmt = &f->design->stmt[f->walk.stmt];
        if (rtl_ways_arrive(&f->ways, f->walk.stmt) && stmt->kind == WEIR_RTL_STMT_ASSIGN)
            rtl_visit_targets(&f->walk, &f->numbering, stmt->a, set_target, f);
    }
    const uint32_t *cells = rtl_ways_end(&f->ways, &count);
    for (size_t i = 0; i < count; i++)
        if (f->ways.held[cells[i]].maybe) add_latch(f, process, cells[i], 0);
    rtl_ways_forget(&f->ways);
}

/* ---- clocked blocks ---- */

/* Where the statement stands, as in `assigned`: the innermost test around it decides, being in the else of all before. */
static void place_under(const weir_rtl_flow *f, uint32_t stmt, uint32_t *under, uint32_t *outside) {
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
    *outside = UINT32_MAX; /* beside the tests */
}

static void mark_target(const rtl_target *target, void *user) {
    weir_rtl_flow *f = user;
    uint32_t end = target->place.low + target->place.width, under, outside;
    if (target->place.width == 0) return;
    place_under(f, f->walk.stmt, &under, &outside);
    for (uint32_t c = rtl_cell_at(&f->cells, target->net, target->place.low);
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

static void walk_clocked(weir_rtl_flow *f) {
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
    uint32_t s = design->block[design->module[module].body].first;
    while (s && !is_looked_at(design, s) && design->stmt[s].kind != WEIR_RTL_STMT_FOR) s = design->stmt[s].next;
    return s != 0;
}

static void make_cells(weir_rtl_flow *f, uint32_t module) {
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

const weir_rtl_latch *weir_rtl_find_latches(weir_rtl_flow *f, weir_rtl_module module, size_t *count) {
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

weir_rtl_flow *weir_rtl_flow_new(const weir_rtl_design *design) {
    weir_rtl_flow *f = weir_calloc(1, sizeof *f);
    f->design = design;
    f->ways.condition = any_condition;
    f->ways.join = any_join;
    f->ways.add = any_add;
    f->ways.user = f;
    return f;
}

void weir_rtl_flow_free(weir_rtl_flow *f) {
    if (!f) return;
    rtl_numbering_end(&f->numbering);
    rtl_cells_end(&f->cells);
    rtl_unroll_end(&f->walk);
    rtl_ways_free(&f->ways);
    free(f->assigned);
    free(f->reset);
    free(f->touched);
    free(f->latch);
    free(f);
}
