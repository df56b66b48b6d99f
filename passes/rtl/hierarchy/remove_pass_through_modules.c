/* remove_pass_through_modules: instances of modules that only hand inputs on to outputs become wires. Such a module has
 * ports and nothing else but an assignment for each output, from an input of its own; one without ports has another
 * purpose and stays, and so does one that is marked to stay (children.h). Children are looked at before their parents,
 * so a module that only contains such ones goes too. What drives the input takes the place of the output where it is a
 * variable, else a variable named INSTANCE_PORT does. Linear. */
#include <stdlib.h>

#include "passes/rtl/hierarchy/children.h"
#include "passes/rtl/hierarchy/wiring.h"
#include "rtlir/core/type.h"
#include "support/memory/arena.h"

typedef struct remover {
    weir_uprooting *u;
    weir_rtl_var *source; /* by the index of an output of the child: the input that it shows */
    size_t capacity;
    bool has_uses; /* the table is that of the module that is worked on */
} remover;

/* ---- which modules ---- */

/* Takes in an assignment of an input to an output, each for the first time. */
static bool take_assign(remover *r, const weir_rtl_stmt_info *stmt) {
    if (stmt->kind != WEIR_RTL_STMT_ASSIGN) return false;
    const weir_rtl_expr_info target = weir_rtl_get_expr(r->u->design, stmt->target);
    const weir_rtl_expr_info value = weir_rtl_get_expr(r->u->design, stmt->value);
    if (target.kind != WEIR_RTL_EXPR_VAR || value.kind != WEIR_RTL_EXPR_VAR) return false;
    const weir_rtl_var_info to = weir_rtl_get_var(r->u->design, target.var);
    const weir_rtl_var_info from = weir_rtl_get_var(r->u->design, value.var);
    if (to.direction != WEIR_RTL_OUTPUT || from.direction != WEIR_RTL_INPUT || to.type.id != from.type.id ||
        r->source[to.port].id != 0 || r->source[from.port].id != 0)
        return false;
    r->source[to.port] = value.var;
    r->source[from.port] = value.var;
    return true;
}

static bool is_pass_through(remover *r, weir_rtl_module module) {
    const weir_rtl_module_info info = weir_rtl_get_module(r->u->design, module);
    size_t left = info.port_count / 2;
    if (info.is_external || info.is_stub || info.port_count == 0 || info.port_count % 2 != 0 ||
        info.var_count != info.port_count || info.parameter_count > 0 || info.instance_count > 0)
        return false;
    r->source = weir_grow(r->source, &r->capacity, info.port_count, sizeof *r->source);
    for (size_t i = 0; i < info.port_count; i++) r->source[i].id = 0;
    for (weir_rtl_stmt s = weir_rtl_first(r->u->design, info.body); s.id != 0; s = weir_rtl_next(r->u->design, s)) {
        const weir_rtl_stmt_info stmt = weir_rtl_get_stmt(r->u->design, s);
        if (stmt.kind == WEIR_RTL_STMT_COMMENT) continue;
        if (left-- == 0 || !take_assign(r, &stmt) ||
            weir_rtl_get_item(r->u->design, WEIR_RTL_ITEM(s)).attribute_count > 0)
            return false;
    }
    return left == 0;
}

/* ---- one pair of ports ---- */

/* The variable, or what does as well, takes the place of the port. */
static bool map_port(remover *r, weir_rtl_instance instance, weir_rtl_var port, weir_rtl_expr value) {
    weir_wiring_touch(r->u->design, r->u->uses, instance, port);
    return weir_rtl_map_port(r->u->rewriter, instance, port, value);
}

/* What drives the input: what it is connected or directly wired to, else a variable that takes its place. */
static weir_rtl_expr find_driver(remover *r, weir_rtl_instance instance, weir_rtl_var input) {
    const weir_rtl_connection connection = weir_rtl_connection_of(r->u->design, instance, input);
    if (connection.value.id != 0) return connection.value;
    const weir_wiring wiring = weir_wiring_of(r->u->design, r->u->uses, instance, input);
    if (wiring.kind == WEIR_WIRING_DIRECT) {
        weir_children_add_wiring(&r->u->children, wiring.stmt);
        return wiring.other;
    }
    const weir_rtl_expr var = weir_wiring_add_var(r->u->design, instance, input);
    return map_port(r, instance, input, var) ? var : (weir_rtl_expr){0};
}

static bool assign(remover *r, weir_rtl_instance instance, weir_rtl_expr target, weir_rtl_expr value) {
    const weir_rtl_stmt before = weir_rtl_get_instance(r->u->design, instance).stmt;
    const weir_rtl_block block = weir_rtl_get_stmt(r->u->design, before).block;
    const weir_rtl_stmt stmt = weir_rtl_add_assign(r->u->design, block, target,
                                                   weir_wiring_fit(r->u->design, value, target), WEIR_RTL_CONTINUOUS);
    weir_rtl_copy_location(r->u->design, WEIR_RTL_ITEM(instance), WEIR_RTL_ITEM(stmt));
    weir_rtl_set_comment(r->u->design, WEIR_RTL_ITEM(stmt),
                         weir_rtl_get_item(r->u->design, WEIR_RTL_ITEM(instance)).comment);
    weir_rtl_set_comment(r->u->design, WEIR_RTL_ITEM(instance), NULL); /* once */
    return stmt.id != 0 && weir_rtl_move_stmt(r->u->design, stmt, block, before);
}

static bool join(remover *r, weir_rtl_instance instance, weir_rtl_var input, weir_rtl_var output) {
    const weir_rtl_expr driver = find_driver(r, instance, input);
    const weir_rtl_connection connection = weir_rtl_connection_of(r->u->design, instance, output);
    if (driver.id == 0) return false;
    if (connection.is_open) return true;
    if (connection.value.id != 0) return assign(r, instance, connection.value, driver);
    const weir_rtl_expr_info info = weir_rtl_get_expr(r->u->design, driver);
    const weir_rtl_expr port = weir_rtl_port_of(r->u->design, instance, output);
    const weir_rtl_expr_info shown = weir_rtl_get_expr(r->u->design, port);
    if (info.kind == WEIR_RTL_EXPR_VAR && info.formula.id == shown.formula.id && info.is_signed == shown.is_signed &&
        info.carries == shown.carries &&
        weir_rtl_type_of(r->u->design, driver).id == weir_rtl_type_of(r->u->design, port).id)
        return map_port(r, instance, output, driver);
    const weir_rtl_expr var = weir_wiring_add_var(r->u->design, instance, output);
    return map_port(r, instance, output, var) && assign(r, instance, var, driver);
}

/* ---- modules ---- */

static void build_uses(remover *r, weir_rtl_module parent) {
    if (!r->has_uses) weir_rtl_uses_build(r->u->uses, parent);
    r->has_uses = true;
}

/* Expressions may name ports of an instance that has connections, until port_legality_fix: then it stays. */
static bool is_named(remover *r, weir_rtl_instance instance, weir_rtl_module parent) {
    const weir_rtl_instance_info info = weir_rtl_get_instance(r->u->design, instance);
    const size_t ports = weir_rtl_get_module(r->u->design, info.module).port_count;
    if (info.is_wired) return false;
    build_uses(r, parent);
    for (size_t i = 0; i < ports; i++) {
        const weir_rtl_net net = {weir_rtl_port_at(r->u->design, info.module, i), instance};
        if (weir_rtl_reader_count(r->u->uses, net) > 0) return true;
    }
    return false;
}

static bool remove_child(remover *r, weir_rtl_instance instance, weir_rtl_module parent) {
    const weir_rtl_instance_info info = weir_rtl_get_instance(r->u->design, instance);
    const size_t ports = weir_rtl_get_module(r->u->design, info.module).port_count;
    build_uses(r, parent);
    for (size_t i = 0; i < ports; i++) {
        const weir_rtl_var port = weir_rtl_port_at(r->u->design, info.module, i);
        if (r->source[i].id != port.id && !join(r, instance, r->source[i], port)) return false;
    }
    weir_children_add(&r->u->children, r->u->design, instance);
    return true;
}

static bool remove_children(weir_uprooting *u, void *user, weir_rtl_module parent) {
    remover *r = user;
    r->u = u;
    const size_t count = weir_rtl_get_module(r->u->design, parent).instance_count, before = r->u->children.count;
    bool fine = true;
    r->has_uses = false;
    r->u->children.wirings = 0;
    for (size_t i = 0; fine && i < count; i++) {
        const weir_rtl_instance instance = weir_rtl_instance_at(r->u->design, parent, i);
        const weir_rtl_instance_info info = weir_rtl_get_instance(r->u->design, instance);
        if (is_pass_through(r, info.module) && !weir_child_is_kept(&r->u->keeper, instance) &&
            !is_named(r, instance, parent) && !(info.is_wired && weir_wiring_in_loop(r->u->design, instance)))
            fine = remove_child(r, instance, parent);
    }
    if (!fine || r->u->children.count == before) return fine;
    return weir_children_detach(&r->u->children, before, r->u->rewriter, r->u->design, parent);
}

bool weir_pass_remove_pass_through_modules(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    remover r = {.u = NULL};
    const bool fine = weir_uproot(context, design, remove_children, &r, "instances removed");
    free(r.source);
    return fine;
}
