/* Rules that a change may have broken: names of what was removed, assignments of the wrong timing, functions that reach
 * out of themselves or call themselves, instances of modules that are gone. */
#include <stdlib.h>
#include <string.h>

#include "rtlir/core/private.h"
#include "rtlir/verify/verify.h"
#include "rtlir/verify/verify_private.h"
#include "support/text/keyword.h"

typedef struct form {
    weir_rtl_design *design;
    uint32_t module;
    uint32_t stmt;     /* the one that is being looked at */
    uint32_t function; /* that contains it, or 0 */
    uint32_t *seen;    /* by expression id: the statement that last named it */
    uint32_t *stack;
    size_t stack_capacity;
    bool fine;
} form;

static void complain(form *f, const char *what, const char *name) {
    rtl_error(f->design, rtl_location_of(f->design, &f->design->stmt[f->stmt].common),
              "a statement of module '%s' %s '%s'", f->design->module[f->module].name, what, name);
    f->fine = false;
}

/* Is the statement in a loop of the iterator, or that loop? */
static bool is_in_loop(const form *f, uint32_t iterator) {
    const weir_rtl_design *design = f->design;
    for (uint32_t s = f->stmt; s; s = design->block[design->stmt[s].block].owner)
        if (design->stmt[s].kind == WEIR_RTL_STMT_FOR && rtl_loop_of(design, &design->stmt[s])->iterator == iterator)
            return true;
    return false;
}

static void check_leaf(form *f, const rtl_expr *e) {
    const weir_rtl_design *design = f->design;
    if (e->kind == WEIR_RTL_EXPR_VAR) {
        const rtl_var *var = rtl_var_of(design, e);
        if (var->is_removed) complain(f, "names the removed variable", var->name);
        else if (var->function && var->function != f->function) complain(f, "names another function's", var->name);
        else if (f->function && !var->function && !var->is_iterator)
            complain(f, "is in a function and names the module's variable", var->name);
        else if (var->is_iterator && !is_in_loop(f, e->a)) complain(f, "is in no loop of the iterator", var->name);
    } else if (e->kind == WEIR_RTL_EXPR_PORT) {
        if (design->instance[e->a].is_removed) complain(f, "names the removed instance", design->instance[e->a].name);
        else if (design->var[e->b].is_removed) complain(f, "names the removed port", design->var[e->b].name);
    } else if (e->kind == WEIR_RTL_EXPR_PARAMETER && design->parameter[e->a].is_removed) {
        complain(f, "names the removed parameter", design->parameter[e->a].name);
    } else if (e->kind == WEIR_RTL_EXPR_CALL && design->function[e->c].is_removed) {
        complain(f, "calls the removed function", design->function[e->c].name);
    }
}

/* In a function, one of its own variables would be what the name stands for. */
static void check_hidden(form *f, const rtl_expr *e) {
    if (e->kind != WEIR_RTL_EXPR_CALL) return;
    const char *name = f->design->function[e->c].name;
    if (rtl_names_find(f->design, RTL_FUNCTION_SCOPE | f->function, name).id)
        complain(f, "is in a function and calls what a variable of the function hides,", name);
}

static void check_expr(form *f, uint32_t expr) {
    size_t depth = 0;
    if (!expr || expr == RTL_OPEN) return;
    f->stack = weir_grow(f->stack, &f->stack_capacity, 1, sizeof *f->stack);
    f->stack[depth++] = expr;
    while (depth > 0) {
        weir_rtl_expr e = {f->stack[--depth]};
        if (f->seen[e.id] == f->stmt) continue;
        f->seen[e.id] = f->stmt;
        check_leaf(f, &f->design->expr[e.id]);
        if (f->function) check_hidden(f, &f->design->expr[e.id]);
        size_t count = weir_rtl_get_expr(f->design, e).operand_count;
        f->stack = weir_grow(f->stack, &f->stack_capacity, depth + count, sizeof *f->stack);
        while (count-- > 0) f->stack[depth++] = weir_rtl_operand(f->design, e, count).id;
    }
}

/* Only an assignment takes a value that may be high impedance, and only of some targets. */
static void check_floating(form *f, const rtl_stmt *stmt, uint32_t expr) {
    weir_rtl_design *design = f->design;
    const bool is_instance = stmt->kind == WEIR_RTL_STMT_INSTANCE;
    const weir_location location =
        rtl_location_of(design, is_instance ? &design->instance[stmt->a].common : &stmt->common);
    if (!expr || expr == RTL_OPEN || !design->expr[expr].floats) return;
    if (stmt->kind == WEIR_RTL_STMT_ASSIGN) {
        f->fine = rtl_check_floating(design, location, stmt->block, stmt->a, expr) && f->fine;
        return;
    }
    rtl_error(design, location,
              "'%s' in module '%s' may be high impedance, which only an assignment to an inout port or a wire accepts: "
              "assign it to one and use that here",
              rtl_describe(design, expr), design->module[f->module].name);
    f->fine = false;
}

/* A register that the expression is a part of, or 0. */
static uint32_t register_in(const weir_rtl_design *design, uint32_t expr) {
    assert(expr < design->expr_count);
    const rtl_expr *e = &design->expr[expr];
    uint32_t found = 0;
    while (rtl_is_part(e->kind)) e = &design->expr[e->a];
    for (uint32_t i = 0; e->kind == WEIR_RTL_EXPR_CONCAT && i < e->b && !found; i++)
        found = register_in(design, design->operand[e->a + i]);
    return e->kind == WEIR_RTL_EXPR_VAR && rtl_var_of(design, e)->is_register ? e->a : found;
}

/* What an inout port is connected to, the instance may drive as well as anything else that has it. */
static void check_inout(form *f, const rtl_instance *instance, const rtl_var *port, uint32_t expr) {
    const uint32_t var = expr && expr != RTL_OPEN ? register_in(f->design, expr) : 0;
    if (!var) return;
    rtl_error(
        f->design, rtl_location_of(f->design, &instance->common),
        "inout '%s' of instance '%s' in module '%s' is connected to '%s', which a process assigns: expected a wire; "
        "'assign WIRE = CONDITION ? %s : 'z' drives one",
        port->name, instance->name, f->design->module[f->module].name, f->design->var[var].name,
        f->design->var[var].name);
    f->fine = false;
}

static void check_timing(form *f, const rtl_stmt *stmt) {
    const weir_rtl_block block = {stmt->block};
    if (weir_rtl_timing_fits(f->design, block, stmt->timing)) return;
    rtl_error(f->design, rtl_location_of(f->design, &stmt->common),
              "assignment to '%s' in module '%s' is %s, expected %s here", rtl_describe(f->design, stmt->a),
              f->design->module[f->module].name, weir_rtl_timing_name(stmt->timing),
              weir_rtl_timing_name(weir_rtl_timing_in(f->design, block)));
    f->fine = false;
}

static void check_machine(form *f, const rtl_fsm *fsm) {
    const uint32_t var[3] = {fsm->clock, fsm->reset, fsm->current};
    for (int i = 0; i < 3; i++)
        if (f->design->var[var[i]].is_removed)
            complain(f, "waits for the removed variable", f->design->var[var[i]].name);
}

/* A function that an assertion calls is declared in the module, where its name must be free. */
static void check_assertion(form *f, const rtl_assertion *assertion) {
    if (!assertion->call) return;
    if (rtl_names_find(f->design, f->module, assertion->call).kind != RTL_NAME_NONE)
        complain(f, "calls a function of the simulation by the name of something else,", assertion->call);
    if (strstr(assertion->call, "__") || strchr(assertion->call, '$') || weir_is_cplusplus_word(assertion->call))
        complain(f, "calls a function of the simulation by a name that C++ does not take,", assertion->call);
}

/* Verilog looks a function's name and the module's parameters up where it looks its variables up, and Verilog-2005
 * declares the iterators of its loops beside these. */
static void check_function(form *f, uint32_t id) {
    const weir_rtl_design *design = f->design;
    const rtl_function *function = &design->function[id];
    const rtl_ids *own[] = {&function->arguments, &function->locals};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < own[k]->count; i++) {
            const char *name = design->var[own[k]->id[i]].name;
            const rtl_name outside = rtl_names_find(design, f->module, name);
            if (name == function->name) complain(f, "is a function that has a variable of its own name", name);
            else if (outside.kind == RTL_NAME_PARAMETER)
                complain(f, "is a function that has a variable by the name of the parameter", name);
        }
}

static void check_loop(form *f, const rtl_loop *loop) {
    const char *name = f->design->var[loop->iterator].name;
    if (f->function && rtl_names_find(f->design, RTL_FUNCTION_SCOPE | f->function, name).id)
        complain(f, "is a loop of a function that has a variable by the name of the iterator", name);
}

static void check_stmt(form *f, uint32_t id) {
    const weir_rtl_design *design = f->design;
    const rtl_stmt *stmt = &design->stmt[id];
    f->stmt = id;
    for (size_t i = 0; rtl_stmt_slot(design, id, i); i++) {
        check_expr(f, *rtl_stmt_slot(design, id, i));
        check_floating(f, stmt, *rtl_stmt_slot(design, id, i));
    }
    if (stmt->kind == WEIR_RTL_STMT_ASSIGN) check_timing(f, stmt);
    if (stmt->kind == WEIR_RTL_STMT_FUNCTION) check_function(f, stmt->a);
    if (stmt->kind == WEIR_RTL_STMT_FOR) check_loop(f, rtl_loop_of(design, stmt));
    if (stmt->kind == WEIR_RTL_STMT_ASSERT) check_assertion(f, rtl_assertion_of(design, stmt));
    for (uint32_t e = stmt->kind == WEIR_RTL_STMT_ALWAYS ? stmt->a : 0; e; e = design->event[e].next)
        if (design->var[design->event[e].var].is_removed)
            complain(f, "waits for the removed variable", design->var[design->event[e].var].name);
    if (stmt->kind == WEIR_RTL_STMT_ALWAYS && !stmt->a) complain(f, "waits for no event in", "always");
    if (stmt->kind == WEIR_RTL_STMT_FSM && !rtl_fsm_of(design, stmt)->parent)
        check_machine(f, rtl_fsm_of(design, stmt));
    if (stmt->kind != WEIR_RTL_STMT_INSTANCE) return;
    const rtl_instance *instance = &design->instance[stmt->a];
    if (design->module[instance->module].is_removed)
        complain(f, "is an instance of the removed module", design->module[instance->module].name);
    const rtl_ids *ports = &design->module[instance->module].ports;
    for (size_t i = 0; i < ports->count; i++) {
        const uint32_t slot = design->var[ports->id[i]].slot;
        if (slot >= instance->connection_count) continue;
        const rtl_var *port = &design->var[ports->id[i]];
        check_expr(f, instance->connection[slot]);
        check_floating(f, stmt, instance->connection[slot]);
        if (port->direction == WEIR_RTL_INOUT) check_inout(f, instance, port, instance->connection[slot]);
    }
    for (uint32_t i = 0; i < instance->override_count; i++) check_expr(f, instance->override[i].expr);
}

bool rtl_verify_form(weir_rtl_design *design, uint32_t module, uint32_t *seen) {
    assert(module < design->module_count);
    form f = {.design = design, .module = module, .seen = seen, .fine = true};
    for (uint32_t s = design->block[design->module[module].body].first; s; s = design->stmt[s].next) {
        f.function = design->stmt[s].kind == WEIR_RTL_STMT_FUNCTION ? design->stmt[s].a : 0;
        for (uint32_t i = s; i; i = rtl_walk_next(design, i, s)) check_stmt(&f, i);
    }
    free(f.stack);
    f.fine = weir_rtl_check_recursion(design, (weir_rtl_module){module}) && f.fine;
    return f.fine && rtl_verify_machines(design, module);
}
