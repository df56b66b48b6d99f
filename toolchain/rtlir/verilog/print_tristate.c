/* Tri-state drivers and the nets that they share, in Verilog. Yosys makes a buffer of `condition ? value : 'z` and of
 * no other choice, so choices in the branches that may be high impedance become one condition and one value. */
#include <stdlib.h>

#include "rtlir/verilog/printer_private.h"

typedef enum presence { NEVER, SOMETIMES, ALWAYS } presence;

/* A driver of one condition: when it drives, and what. */
typedef struct driver {
    presence when;
    weir_rtl_expr condition, value; /* of SOMETIMES; of all but NEVER */
} driver;

static weir_rtl_expr negate(weir_rtl_design *design, weir_rtl_expr condition) {
    return weir_rtl_unary(design, WEIR_RTL_LOGICAL_NOT, condition);
}

/* When one of two drivers drives, which the condition chooses between; one of them at least does at times. */
static weir_rtl_expr join_conditions(weir_rtl_design *design, weir_rtl_expr choice, const driver *yes,
                                     const driver *no) {
    if (yes->when == SOMETIMES && no->when == SOMETIMES)
        return weir_rtl_conditional(design, choice, yes->condition, no->condition);
    const bool is_no = yes->when == NEVER || no->when == ALWAYS; /* which of them the choice has to name */
    const driver *other = yes->when == SOMETIMES ? yes : no;
    if (is_no) choice = negate(design, choice);
    if (other->when != SOMETIMES) return choice;
    const bool is_always = yes->when == ALWAYS || no->when == ALWAYS;
    return weir_rtl_binary(design, is_always ? WEIR_RTL_LOGICAL_OR : WEIR_RTL_LOGICAL_AND, choice, other->condition);
}

/* Recursion is bounded by RTL_MAX_DEPTH. */
static driver driver_of(weir_rtl_design *design, uint32_t expr) {
    assert(expr < design->expr_count);
    const rtl_expr e = design->expr[expr]; /* the table grows */
    if (!e.floats) return (driver){.when = ALWAYS, .value = {expr}};
    if (e.kind == WEIR_RTL_EXPR_HIGH_Z) return (driver){.when = NEVER};
    assert(e.kind == WEIR_RTL_EXPR_CONDITIONAL);
    const driver yes = driver_of(design, e.b), no = driver_of(design, e.c);
    if (yes.when == NEVER && no.when == NEVER) return yes;
    driver both = {.when = SOMETIMES, .condition = join_conditions(design, (weir_rtl_expr){e.a}, &yes, &no)};
    if (yes.when == NEVER) both.value = no.value;
    else if (no.when == NEVER) both.value = yes.value;
    else both.value = weir_rtl_conditional(design, (weir_rtl_expr){e.a}, yes.value, no.value);
    return both;
}

/* Is it a choice between high impedance and a value, or none at all? */
static bool is_plain(const weir_rtl_design *design, const rtl_expr *e) {
    if (e->kind != WEIR_RTL_EXPR_CONDITIONAL) return true;
    const rtl_expr *yes = &design->expr[e->b], *no = &design->expr[e->c];
    const bool is_leaf = yes->kind == WEIR_RTL_EXPR_HIGH_Z || no->kind == WEIR_RTL_EXPR_HIGH_Z;
    return is_leaf && yes->floats != no->floats;
}

uint32_t rtl_driver_value(weir_rtl_design *design, uint32_t value) {
    assert(value < design->expr_count);
    const rtl_expr e = design->expr[value];
    if (!e.floats || is_plain(design, &e)) return value;
    const driver made = driver_of(design, value);
    const weir_rtl_expr off = rtl_high_z(design, (rtl_size){e.width, e.formula}, e.is_signed);
    if (made.when == NEVER) return off.id;
    return weir_rtl_conditional(design, made.condition, made.value, off).id;
}

/* ---- nets ---- */

static void mark_target(const weir_rtl_design *design, uint32_t expr, bool *nets) {
    assert(expr < design->expr_count);
    const rtl_expr *e = &design->expr[expr];
    while (rtl_is_part(e->kind)) e = &design->expr[e->a];
    for (uint32_t i = 0; e->kind == WEIR_RTL_EXPR_CONCAT && i < e->b; i++)
        mark_target(design, design->operand[e->a + i], nets);
    if (e->kind == WEIR_RTL_EXPR_VAR) nets[e->a] = true;
}

static void mark_instance(const weir_rtl_design *design, const rtl_instance *instance, bool *nets) {
    const rtl_ids *ports = &design->module[instance->module].ports;
    for (size_t i = 0; i < ports->count; i++) {
        const rtl_var *port = &design->var[ports->id[i]];
        const uint32_t expr = port->slot < instance->connection_count ? instance->connection[port->slot] : 0;
        if (port->direction == WEIR_RTL_INOUT && expr && expr != RTL_OPEN) mark_target(design, expr, nets);
    }
}

bool *rtl_shared_nets(const weir_rtl_design *design, uint32_t module) {
    assert(module < design->module_count);
    bool *nets = weir_calloc(design->var_count, sizeof *nets);
    for (uint32_t s = design->block[design->module[module].body].first; s; s = design->stmt[s].next)
        for (uint32_t i = s; i; i = rtl_walk_next(design, i, s)) {
            const rtl_stmt *stmt = &design->stmt[i];
            if (stmt->kind == WEIR_RTL_STMT_INSTANCE) mark_instance(design, &design->instance[stmt->a], nets);
            if (stmt->kind == WEIR_RTL_STMT_ASSIGN && design->expr[stmt->b].floats) mark_target(design, stmt->a, nets);
        }
    return nets;
}
