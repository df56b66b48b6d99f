/* inline_instance: instances that are marked `inline`, they or their modules, become the content of their modules.
 * Parameters become their values, ports what they are connected or wired to where that is a variable (else a variable
 * named INSTANCE_PORT), variables keep their names or, where those are taken, are named INSTANCE_NAME. Comments,
 * attributes and locations of what is copied stay with it; the instance's comment precedes it. Children are looked at
 * before their parents, so inlining goes through levels, each of which copies what is below it. What is marked to stay
 * (children.h) does. Linear in what it makes. */
#include <stdlib.h>
#include <string.h>

#include "passes/rtl/hierarchy/children.h"
#include "passes/rtl/hierarchy/wiring.h"
#include "rtlir/core/formula.h"
#include "rtlir/core/type.h"
#include "support/memory/arena.h"

/* ---- which instances ---- */

static bool is_marked(weir_uprooting *n, weir_rtl_instance instance) {
    const weir_rtl_design *design = n->design;
    const weir_rtl_module module = weir_rtl_get_instance(design, instance).module;
    return (weir_rtl_has_attribute(design, WEIR_RTL_ITEM(instance), "inline") ||
            weir_rtl_has_attribute(design, WEIR_RTL_ITEM(module), "inline")) &&
           !weir_child_is_kept(&n->keeper, instance);
}

static bool refuse(const weir_rtl_design *design, weir_rtl_instance instance, const char *why) {
    const weir_rtl_instance_info info = weir_rtl_get_instance(design, instance);
    weir_error(weir_rtl_get_item(design, WEIR_RTL_ITEM(instance)).location,
               "instance '%s' in module '%s' cannot be inlined: %s", info.name,
               weir_rtl_get_module(design, info.parent).name, why);
    return false;
}

static bool can_inline(const weir_rtl_design *design, weir_rtl_instance instance) {
    const weir_rtl_instance_info info = weir_rtl_get_instance(design, instance);
    const weir_rtl_module_info module = weir_rtl_get_module(design, info.module);
    if (module.is_external) return refuse(design, instance, "its module is external");
    if (weir_rtl_is_parametrised(design, info.module))
        return refuse(design, instance,
                      "its module has widths that depend on parameters: run specialize_parameters first");
    if (module.is_stub) return refuse(design, instance, "its module is a stub");
    if (weir_rtl_owner(design, weir_rtl_get_stmt(design, info.stmt).block).id != 0)
        return refuse(design, instance, "it is inside a loop");
    return true;
}

/* ---- parameters ---- */

static bool has_alias(const weir_rtl_design *design, weir_rtl_instance instance, weir_rtl_module module) {
    const size_t count = weir_rtl_get_module(design, module).parameter_count;
    for (size_t i = 0; i < count; i++) {
        const weir_rtl_override value =
            weir_rtl_override_of(design, instance, weir_rtl_parameter_at(design, module, i));
        if (value.value.id != 0 && weir_rtl_get_expr(design, value.value).kind == WEIR_RTL_EXPR_PARAMETER) return true;
    }
    return false;
}

/* A parameter of the parent stands for itself, anything else for its value. Texts are not read in expressions. */
static bool map_parameter(weir_uprooting *n, weir_rtl_instance instance, weir_rtl_parameter parameter, bool alias) {
    const weir_rtl_parameter_info info = weir_rtl_get_parameter(n->design, parameter);
    const weir_rtl_override override = weir_rtl_override_of(n->design, instance, parameter);
    int64_t value = info.integer;
    if (info.text != NULL || override.text != NULL) return true;
    if (override.value.id != 0 && weir_rtl_get_expr(n->design, override.value).kind == WEIR_RTL_EXPR_PARAMETER)
        return weir_rtl_map_parameter(n->rewriter, parameter, override.value);
    if (!info.has_integer && alias)
        return refuse(n->design, instance,
                      "a local parameter depends on one that the parent sets by a parameter of its own");
    if ((override.is_set || !info.has_integer) && !weir_rtl_parameter_value(n->design, instance, info.name, &value))
        return false;
    return weir_rtl_map_parameter(n->rewriter, parameter, weir_rtl_constant_signed(n->design, 32, value));
}

static bool map_parameters(weir_uprooting *n, weir_rtl_instance instance, weir_rtl_module module) {
    const size_t count = weir_rtl_get_module(n->design, module).parameter_count;
    const bool alias = has_alias(n->design, instance, module);
    for (size_t i = 0; i < count; i++)
        if (!map_parameter(n, instance, weir_rtl_parameter_at(n->design, module, i), alias)) return false;
    return true;
}

/* ---- ports ---- */

/* Can the expression be read and assigned to in place of the port? */
static bool is_like(const weir_rtl_design *design, weir_rtl_expr value, weir_rtl_expr port) {
    const weir_rtl_expr_info a = weir_rtl_get_expr(design, value), b = weir_rtl_get_expr(design, port);
    if (a.kind != WEIR_RTL_EXPR_VAR || a.is_signed != b.is_signed || a.carries != b.carries ||
        weir_rtl_type_of(design, value).id != weir_rtl_type_of(design, port).id)
        return false;
    const weir_rtl_var_info var = weir_rtl_get_var(design, a.var), inner = weir_rtl_get_var(design, b.var);
    const bool is_wire = var.direction == WEIR_RTL_INTERNAL && !var.is_register && !var.is_undecided;
    return inner.direction != WEIR_RTL_OUTPUT || !inner.is_register || !is_wire;
}

/* A variable of the parent for a port that is connected to something else, and the assignment between both. */
static weir_rtl_expr join(weir_uprooting *n, weir_rtl_instance instance, weir_rtl_var port, weir_rtl_expr other) {
    const weir_rtl_expr var = weir_wiring_add_var(n->design, instance, port);
    const weir_rtl_module parent = weir_rtl_get_instance(n->design, instance).parent;
    const bool drives = weir_rtl_get_var(n->design, port).direction == WEIR_RTL_OUTPUT;
    const weir_rtl_expr target = drives ? other : var;
    const weir_rtl_stmt stmt =
        weir_rtl_assign(n->design, parent, target, weir_wiring_fit(n->design, drives ? var : other, target));
    weir_rtl_copy_location(n->design, WEIR_RTL_ITEM(instance), WEIR_RTL_ITEM(stmt));
    return stmt.id != 0 ? var : (weir_rtl_expr){0};
}

/* What stands for the port in the parent; none after a reported error. */
static weir_rtl_expr stand_in(weir_uprooting *n, weir_rtl_instance instance, weir_rtl_var port) {
    const weir_rtl_expr none = {0}, shown = weir_rtl_port_of(n->design, instance, port);
    const weir_wiring wiring = weir_wiring_of(n->design, n->uses, instance, port);
    const weir_rtl_connection connection = weir_rtl_connection_of(n->design, instance, port);
    const weir_rtl_expr connected = connection.value;
    const bool is_free = connection.is_open || wiring.kind == WEIR_WIRING_NONE;
    if (connected.id != 0 && is_like(n->design, connected, shown)) return connected;
    if (wiring.kind == WEIR_WIRING_DIRECT && is_like(n->design, wiring.other, shown)) {
        weir_children_add_wiring(&n->children, wiring.stmt);
        return wiring.other;
    }
    if (weir_rtl_get_var(n->design, port).direction == WEIR_RTL_INOUT && !is_free) {
        refuse(n->design, instance,
               "an inout port is connected to something other than a variable; connect it to one, or remove 'inline'");
        return none;
    }
    if (connected.id != 0) return join(n, instance, port, connected);
    const weir_rtl_expr var = weir_wiring_add_var(n->design, instance, port);
    weir_wiring_touch(n->design, n->uses, instance, port);
    return weir_rtl_map_port(n->rewriter, instance, port, var) ? var : none;
}

/* ---- variables ---- */

static const char *free_name(weir_uprooting *n, weir_rtl_instance instance, const char *wanted) {
    const weir_rtl_instance_info owner = weir_rtl_get_instance(n->design, instance);
    const char *name = weir_rtl_free_name(n->design, owner.parent, wanted);
    if (strcmp(name, wanted) == 0) return name;
    weir_text text = {NULL, 0, 0};
    weir_text_format(&text, "%s_%s", owner.name, wanted);
    name = weir_rtl_free_name(n->design, owner.parent, text.data);
    weir_text_free(&text);
    return name;
}

static bool map_var(weir_uprooting *n, weir_rtl_instance instance, weir_rtl_var var) {
    const weir_rtl_module parent = weir_rtl_get_instance(n->design, instance).parent;
    const weir_rtl_var_info info = weir_rtl_get_var(n->design, var);
    weir_rtl_var copy;
    if (info.is_path) copy = weir_rtl_add_path(n->design, parent, info.name, info.width);
    else if (info.is_iterator) copy = weir_rtl_add_iterator(n->design, parent, free_name(n, instance, info.name));
    else
        copy = weir_rtl_add_variable_like(n->design, parent, free_name(n, instance, info.name),
                                          weir_rtl_read(n->design, var));
    weir_rtl_copy_item(n->design, WEIR_RTL_ITEM(var), WEIR_RTL_ITEM(copy));
    return weir_rtl_map_var(n->rewriter, var, weir_rtl_read(n->design, copy));
}

/* Ports before variables, so that variables make way for them. */
static bool map_vars(weir_uprooting *n, weir_rtl_instance instance, weir_rtl_module module) {
    const size_t ports = weir_rtl_get_module(n->design, module).port_count;
    for (size_t i = 0; i < ports; i++) {
        const weir_rtl_var port = weir_rtl_port_at(n->design, module, i);
        const weir_rtl_expr value = stand_in(n, instance, port);
        const bool is_read = weir_rtl_reader_count(n->uses, (weir_rtl_net){port, instance}) > 0;
        if (!weir_rtl_map_var(n->rewriter, port, value)) return false;
        if (!is_read) continue;
        weir_wiring_touch(n->design, n->uses, instance, port);
        if (!weir_rtl_map_port(n->rewriter, instance, port, value)) return false;
    }
    for (weir_rtl_var v = weir_rtl_first_var(n->design, module); v.id != 0; v = weir_rtl_next_var(n->design, v))
        if (weir_rtl_get_var(n->design, v).direction == WEIR_RTL_INTERNAL && !map_var(n, instance, v)) return false;
    return true;
}

/* ---- instances ---- */

static bool inline_one(weir_uprooting *n, weir_rtl_instance instance) {
    const weir_rtl_instance_info info = weir_rtl_get_instance(n->design, instance);
    const weir_rtl_block block = weir_rtl_get_stmt(n->design, info.stmt).block;
    const weir_rtl_stmt tail = weir_rtl_last(n->design, block);
    const char *comment = weir_rtl_get_item(n->design, WEIR_RTL_ITEM(instance)).comment;
    if (comment != NULL) weir_rtl_add_comment(n->design, info.parent, comment);
    if (!map_parameters(n, instance, info.module) || !map_vars(n, instance, info.module) ||
        !weir_rtl_copy_stmts(n->rewriter, weir_rtl_get_module(n->design, info.module).body, block))
        return false;
    for (weir_rtl_stmt s = weir_rtl_next(n->design, tail); s.id != 0; s = weir_rtl_next(n->design, tail))
        if (!weir_rtl_move_stmt(n->design, s, block, info.stmt)) return false;
    weir_children_add(&n->children, n->design, instance);
    return true;
}

static bool inline_children(weir_uprooting *n, void *user, weir_rtl_module parent) {
    (void)user;
    const size_t count = weir_rtl_get_module(n->design, parent).instance_count, before = n->children.count;
    bool fine = true;
    n->children.wirings = 0;
    for (size_t i = 0; i < count; i++) {
        const weir_rtl_instance instance = weir_rtl_instance_at(n->design, parent, i);
        if (!is_marked(n, instance)) continue;
        if (n->children.count == before) weir_rtl_uses_build(n->uses, parent);
        fine = can_inline(n->design, instance) && inline_one(n, instance) && fine;
    }
    if (!fine || n->children.count == before) return fine;
    return weir_children_detach(&n->children, before, n->rewriter, n->design, parent);
}

bool weir_pass_inline_instance(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    return weir_uproot(context, design, inline_children, NULL, "instances inlined");
}
