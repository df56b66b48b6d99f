/* Copies of statements and of whole modules. Blocks that are still to be copied wait on a list, so that nesting costs no
 * recursion. */
#include <stdlib.h>
#include <string.h>

#include "rtlir/internal.h"
#include "rtlir/mutate.h"
#include "rtlir/rewrite.h"

typedef struct pair {
    uint32_t from, to;
} pair;

typedef struct copier {
    weir_rtl_design *design;
    weir_rtl_rewriter *rewriter;
    pair *waiting; /* blocks */
    size_t count, capacity;
    rtl_ids machines; /* outermost ones that were made */
} copier;

static void wait_block(copier *c, uint32_t from, uint32_t to) {
    if (!from) return;
    c->waiting = weir_grow(c->waiting, &c->capacity, c->count + 1, sizeof *c->waiting);
    c->waiting[c->count++] = (pair){from, to};
}

static weir_rtl_expr rewritten(copier *c, uint32_t expr) {
    return weir_rtl_rewrite_expr(c->rewriter, (weir_rtl_expr){expr});
}

/* The copy of an instance, without connections; a name that is taken makes way. */
static bool make_instance(copier *c, uint32_t id, uint32_t block) {
    weir_rtl_design *design = c->design;
    weir_rtl_module parent = {design->block[block].module};
    weir_rtl_module module = {design->instance[id].module};
    const char *name = weir_rtl_free_name(design, parent, design->instance[id].name);
    weir_rtl_instance copy = weir_rtl_add_instance(design, parent, module, name);
    if (!copy.id) return false;
    weir_rtl_set_wired(design, copy, design->instance[id].is_wired);
    weir_rtl_copy_item(design, WEIR_RTL_ITEM((weir_rtl_instance){id}), WEIR_RTL_ITEM(copy));
    return weir_rtl_map_instance(c->rewriter, (weir_rtl_instance){id}, copy);
}

/* Puts the copy that was made at the end of the block, and connects it. */
static weir_rtl_stmt place_instance(copier *c, uint32_t id, uint32_t block) {
    weir_rtl_design *design = c->design;
    weir_rtl_stmt none = {0};
    const rtl_instance *from = &design->instance[id];
    rtl_instance *to = &design->instance[rtl_mapped_instance(c->rewriter, id)];
    to->connection = weir_arena_array(design->arena, from->connection_count, sizeof *to->connection);
    to->override = weir_arena_array(design->arena, from->override_count, sizeof *to->override);
    to->connection_count = from->connection_count;
    to->override_count = from->override_count;
    for (uint32_t i = 0; i < from->connection_count; i++) {
        uint32_t old = from->connection[i];
        to->connection[i] = old && old != RTL_OPEN ? rewritten(c, old).id : old;
        if (old && !to->connection[i]) return none;
    }
    for (uint32_t i = 0; i < from->override_count; i++) {
        to->override[i] = from->override[i];
        if (from->override[i].kind != RTL_VALUE_EXPR) continue;
        to->override[i].expr = rewritten(c, from->override[i].expr).id;
        if (!to->override[i].expr) return none;
    }
    weir_rtl_stmt stmt = {to->stmt};
    return weir_rtl_move_stmt(design, stmt, (weir_rtl_block){block}, none) ? stmt : none;
}

/* The copy of a function, without its body, at the end of the module's body. */
static bool make_function(copier *c, uint32_t id, uint32_t block) {
    weir_rtl_design *design = c->design;
    weir_rtl_module module = {design->block[block].module};
    weir_rtl_function old = {id};
    const rtl_function *from = &design->function[id];
    weir_rtl_function copy = weir_rtl_add_function(design, module, weir_rtl_free_name(design, module, from->name),
                                                   from->width, from->is_signed);
    if (!copy.id) return false;
    for (size_t i = 0; i < design->function[id].arguments.count; i++) {
        weir_rtl_var_info info = weir_rtl_get_var(design, weir_rtl_argument_at(design, old, i));
        weir_rtl_var var = weir_rtl_add_argument(design, copy, info.name, info.width, info.is_signed);
        weir_rtl_map_var(c->rewriter, weir_rtl_argument_at(design, old, i), weir_rtl_read(design, var));
    }
    for (size_t i = 0; i < design->function[id].locals.count; i++) {
        weir_rtl_var_info info = weir_rtl_get_var(design, weir_rtl_local_var_at(design, old, i));
        weir_rtl_var var = weir_rtl_add_local_var(design, copy, info.name, info.width, info.is_signed);
        weir_rtl_map_var(c->rewriter, weir_rtl_local_var_at(design, old, i), weir_rtl_read(design, var));
    }
    rtl_map_function(c->rewriter, id, copy.id);
    return true;
}

static weir_rtl_stmt place_function(copier *c, uint32_t id, uint32_t block) {
    weir_rtl_stmt none = {0};
    weir_rtl_stmt stmt = {c->design->function[rtl_mapped_function(c->rewriter, id)].stmt};
    if (!weir_rtl_move_stmt(c->design, stmt, (weir_rtl_block){block}, none)) return none;
    wait_block(c, c->design->stmt[c->design->function[id].stmt].body, c->design->stmt[stmt.id].body);
    return stmt;
}

/* The variable that stands for another one; 0 after an error. */
static uint32_t mapped_var(copier *c, uint32_t var) {
    weir_rtl_expr value = rewritten(c, weir_rtl_read(c->design, (weir_rtl_var){var}).id);
    if (value.id && c->design->expr[value.id].kind == WEIR_RTL_EXPR_VAR) return c->design->expr[value.id].a;
    if (value.id)
        rtl_error(c->design, c->design->place, "'%s' stands where a variable is needed",
                  rtl_describe(c->design, value.id));
    return 0;
}

/* A machine and its states get copies at once; where transitions lead is said when all are there. */
static weir_rtl_stmt copy_machine(copier *c, uint32_t id, uint32_t block) {
    weir_rtl_design *design = c->design;
    rtl_fsm model = design->fsm[id];
    weir_rtl_stmt none = {0};
    const rtl_stmt *owner = &design->stmt[design->block[block].owner];
    if (owner->kind != WEIR_RTL_STMT_NONE && owner->kind != WEIR_RTL_STMT_FSM) {
        rtl_error(design, design->place, "state machine '%s' cannot be copied into a block", model.name);
        return none;
    }
    model.module = design->block[block].module;
    model.parent = owner->kind == WEIR_RTL_STMT_FSM ? owner->a : 0;
    if (!model.parent) model.name = weir_rtl_free_name(design, (weir_rtl_module){model.module}, model.name);
    uint32_t *const var[3] = {&model.clock, &model.reset, &model.current};
    for (int i = 0; i < 3; i++)
        if (*var[i] && !(*var[i] = mapped_var(c, *var[i]))) return none;
    uint32_t copy = rtl_new_fsm(design, block, &model);
    if (copy && !model.parent) rtl_ids_add(&c->machines, copy);
    return (weir_rtl_stmt){design->fsm[copy].stmt};
}

static weir_rtl_stmt copy_state(copier *c, uint32_t id, uint32_t block) {
    weir_rtl_design *design = c->design;
    uint32_t fsm = design->stmt[design->block[block].owner].a;
    uint32_t copy = rtl_new_state(design, fsm, design->state[id].name);
    rtl_map_state(c->rewriter, id, copy);
    return (weir_rtl_stmt){design->state[copy].stmt};
}

/* The copies of the states that transitions lead to. */
static void lead_machines(copier *c) {
    for (size_t i = 0; i < c->machines.count; i++) {
        rtl_fsm *fsm = &c->design->fsm[c->machines.id[i]];
        fsm->start = rtl_mapped_state(c->rewriter, fsm->start);
        for (uint32_t s = fsm->stmt; s; s = rtl_walk_next(c->design, s, fsm->stmt)) {
            rtl_stmt *stmt = &c->design->stmt[s];
            uint32_t to = stmt->kind == WEIR_RTL_STMT_TRANSITION ? rtl_mapped_state(c->rewriter, stmt->b) : 0;
            if (to) stmt->b = to;
        }
    }
}

/* What a loop or an assertion has beside its expressions: a record of its own, with what stands for its variables. */
static bool copy_payload(copier *c, const rtl_stmt *from, uint32_t copy) {
    weir_rtl_design *design = c->design;
    if (from->kind == WEIR_RTL_STMT_FOR) {
        rtl_loop loop = design->loop[from->a];
        loop.iterator = mapped_var(c, loop.iterator);
        uint32_t id = RTL_APPEND(design, loop);
        design->loop[id] = loop;
        design->stmt[copy].a = id;
        return loop.iterator != 0;
    }
    if (from->kind != WEIR_RTL_STMT_ASSERT) return true;
    rtl_assertion assertion = design->assertion[from->a];
    if (assertion.clock && !(assertion.clock = mapped_var(c, assertion.clock))) return false;
    uint32_t id = RTL_APPEND(design, assertion);
    design->assertion[id] = assertion;
    design->stmt[copy].a = id;
    for (size_t i = 0; rtl_stmt_slot(design, copy, i); i++) {
        uint32_t old = *rtl_stmt_slot(design, copy, i);
        uint32_t value = rewritten(c, old).id;
        if (old && !value) return false;
        *rtl_stmt_slot(design, copy, i) = value;
    }
    return true;
}

static bool copy_events(copier *c, uint32_t from, uint32_t to) {
    weir_rtl_block body = {c->design->stmt[to].body};
    for (uint32_t e = c->design->stmt[from].a; e; e = c->design->event[e].next) {
        weir_rtl_event event = {c->design->event[e].edge, {mapped_var(c, c->design->event[e].var)}};
        if (!event.var.id) return false;
        weir_rtl_add_event(c->design, body, event.edge, event.var);
    }
    return true;
}

/* An assignment keeps its timing where it fits: a body's continuous ones may end up in a process or the other way. */
static weir_rtl_stmt copy_assign(copier *c, const rtl_stmt *from, uint32_t block) {
    weir_rtl_expr target = rewritten(c, from->a);
    weir_rtl_expr value = rewritten(c, from->b);
    weir_rtl_stmt copy = weir_rtl_add_assign(c->design, (weir_rtl_block){block}, target, value, WEIR_RTL_UNDECIDED);
    weir_rtl_set_timing(c->design, copy, from->timing);
    return copy;
}

static bool copy_stmt(copier *c, uint32_t id, uint32_t block) {
    weir_rtl_design *design = c->design;
    const rtl_stmt from = design->stmt[id]; /* the table grows */
    weir_rtl_stmt copy = {0};
    if (from.kind == WEIR_RTL_STMT_ASSIGN) copy = copy_assign(c, &from, block);
    else if (from.kind == WEIR_RTL_STMT_INSTANCE) copy = place_instance(c, from.a, block);
    else if (from.kind == WEIR_RTL_STMT_FUNCTION) copy = place_function(c, from.a, block);
    else if (from.kind == WEIR_RTL_STMT_FSM) copy = copy_machine(c, from.a, block);
    else if (from.kind == WEIR_RTL_STMT_STATE) copy = copy_state(c, from.a, block);
    else {
        copy.id = rtl_new_stmt(design, block, from.kind);
        bool has_value = from.kind == WEIR_RTL_STMT_IF || from.kind == WEIR_RTL_STMT_CASE ||
                         from.kind == WEIR_RTL_STMT_CASE_ITEM || from.kind == WEIR_RTL_STMT_RETURN ||
                         from.kind == WEIR_RTL_STMT_TRANSITION;
        uint32_t value = has_value && from.a ? rewritten(c, from.a).id : 0;
        if (has_value && from.a && !value) return false;
        uint32_t body = from.body ? rtl_new_block(design, design->block[block].module, copy.id) : 0;
        uint32_t other = from.other ? rtl_new_block(design, design->block[block].module, copy.id) : 0;
        design->stmt[copy.id].a = value;
        design->stmt[copy.id].b = from.kind == WEIR_RTL_STMT_TRANSITION ? from.b : 0;
        if (!copy_payload(c, &from, copy.id)) return false;
        design->stmt[copy.id].body = body;
        design->stmt[copy.id].other = other;
        if (from.kind == WEIR_RTL_STMT_ALWAYS && !copy_events(c, id, copy.id)) return false;
        wait_block(c, from.body, body);
        wait_block(c, from.other, other);
    }
    if (!copy.id) return false;
    if (from.kind == WEIR_RTL_STMT_FSM || from.kind == WEIR_RTL_STMT_STATE)
        wait_block(c, from.body, design->stmt[copy.id].body);
    weir_rtl_copy_item(design, WEIR_RTL_ITEM((weir_rtl_stmt){id}), WEIR_RTL_ITEM(copy));
    return true;
}

static bool copy_block(copier *c, uint32_t from, uint32_t to) {
    for (uint32_t s = c->design->block[from].first; s; s = c->design->stmt[s].next)
        if (!copy_stmt(c, s, to)) return false;
    return true;
}

bool weir_rtl_copy_stmts(weir_rtl_rewriter *rewriter, weir_rtl_block from, weir_rtl_block to) {
    weir_rtl_design *design = rtl_rewriter_design(rewriter);
    if (!from.id || !to.id) return false;
    copier c = {.design = design, .rewriter = rewriter};
    bool fine = true;
    /* Instances and functions exist before anything that is wired to their ports or calls them. */
    for (uint32_t s = design->block[from.id].first; fine && s; s = design->stmt[s].next) {
        for (uint32_t i = s; fine && i; i = rtl_walk_next(design, i, s)) {
            if (design->stmt[i].kind == WEIR_RTL_STMT_INSTANCE) fine = make_instance(&c, design->stmt[i].a, to.id);
            if (design->stmt[i].kind == WEIR_RTL_STMT_FUNCTION) fine = make_function(&c, design->stmt[i].a, to.id);
        }
    }
    fine = fine && copy_block(&c, from.id, to.id);
    while (fine && c.count > 0) {
        pair next = c.waiting[--c.count];
        fine = copy_block(&c, next.from, next.to);
    }
    if (fine) lead_machines(&c);
    free(c.machines.id);
    free(c.waiting);
    return fine;
}

/* ---- modules ---- */

static bool copy_declarations(weir_rtl_rewriter *rewriter, uint32_t from, uint32_t to) {
    weir_rtl_design *design = rtl_rewriter_design(rewriter);
    for (size_t i = 0; i < design->module[from].parameters.count; i++) {
        weir_rtl_parameter old = {design->module[from].parameters.id[i]};
        const rtl_parameter *p = &design->parameter[old.id];
        weir_rtl_parameter copy = {rtl_new_parameter(design, to, p->name, p->formula, p->is_local)};
        if (!copy.id) return false;
        weir_rtl_copy_item(design, WEIR_RTL_ITEM(old), WEIR_RTL_ITEM(copy));
        const rtl_value *value = &design->formula[design->parameter[copy.id].formula].value;
        bool is_read = value->kind == RTL_VALUE_INTEGER && value->integer >= INT32_MIN && value->integer <= INT32_MAX;
        if (is_read && !weir_rtl_map_parameter(rewriter, old, weir_rtl_read_parameter(design, copy))) return false;
    }
    for (uint32_t v = design->module[from].first_var; v; v = design->var[v].next) {
        rtl_var model = design->var[v];
        model.read = model.group = 0;
        weir_rtl_var copy = {rtl_new_var(design, to, &model)};
        if (!copy.id) return false;
        weir_rtl_copy_item(design, WEIR_RTL_ITEM((weir_rtl_var){v}), WEIR_RTL_ITEM(copy));
        if (!weir_rtl_map_var(rewriter, (weir_rtl_var){v}, weir_rtl_read(design, copy))) return false;
    }
    rtl_copy_groups(design, from, to);
    return true;
}

weir_rtl_module weir_rtl_clone_module(weir_rtl_design *design, weir_rtl_module module) {
    weir_rtl_module none = {0};
    if (!module.id) return none;
    if (design->module[module.id].is_external) {
        rtl_error(design, design->place, "the external module '%s' cannot be cloned", design->module[module.id].name);
        return none;
    }
    weir_rtl_module clone = weir_rtl_add_generator(design, design->module[module.id].name);
    weir_rtl_rewriter *rewriter = weir_rtl_rewriter_new(design);
    weir_rtl_block from = {design->module[module.id].body};
    weir_rtl_block to = {design->module[clone.id].body};
    design->module[clone.id].is_stub = design->module[module.id].is_stub;
    weir_rtl_copy_item(design, WEIR_RTL_ITEM(module), WEIR_RTL_ITEM(clone));
    bool fine = copy_declarations(rewriter, module.id, clone.id) && weir_rtl_copy_stmts(rewriter, from, to);
    weir_rtl_rewriter_free(rewriter);
    return fine ? clone : none;
}
