/* port_legality_fix: Verilog cannot read an input of an instance, nor an output that is connected. Where a parent does,
 * it reads the variable that the port is connected or wired to, or a variable named INSTANCE_PORT between the port and
 * whatever else that is. Linear; modules without instances are not looked at. */
#include <stdlib.h>

#include "passes/rtl/hierarchy/wiring.h"
#include "rtlir/core/type.h"
#include "rtlir/edit/rewrite.h"
#include "support/memory/arena.h"

/* An input of a wired instance and the variable that drives it from now on. */
typedef struct driven {
    weir_rtl_instance instance;
    weir_rtl_var port;
    weir_rtl_expr var;
} driven;

typedef struct fixer {
    weir_rtl_design *design;
    weir_rtl_uses *uses;
    weir_rtl_rewriter *reads, *all; /* readers only, and assignments to the input too */
    driven *driven;                 /* wired inputs with a new variable */
    size_t count, capacity;
    int64_t fixed;
} fixer;

/* What the port is connected to, or what gives all of an input its value by its only assignment; none when there is no
 * such one. */
static weir_rtl_expr find_other(const fixer *f, weir_rtl_instance instance, weir_rtl_var port) {
    const weir_rtl_expr none = {0}, value = weir_rtl_connection_of(f->design, instance, port).value;
    const weir_rtl_net net = {port, instance};
    if (value.id != 0 || weir_rtl_driver_count(f->uses, net) != 1) return value;
    const weir_rtl_use use = weir_rtl_driver_at(f->uses, net, 0);
    const weir_rtl_stmt_info stmt = weir_rtl_get_stmt(f->design, use.stmt);
    const weir_rtl_module parent = weir_rtl_get_instance(f->design, instance).parent;
    const bool fits = stmt.kind == WEIR_RTL_STMT_ASSIGN &&
                      weir_rtl_get_expr(f->design, stmt.target).kind == WEIR_RTL_EXPR_PORT &&
                      stmt.block.id == weir_rtl_get_module(f->design, parent).body.id;
    return fits ? stmt.value : none;
}

/* Can the expression be read in place of the port, parts of it too? */
static bool is_like(const weir_rtl_design *design, weir_rtl_expr value, weir_rtl_expr port) {
    const weir_rtl_expr_info a = weir_rtl_get_expr(design, value), b = weir_rtl_get_expr(design, port);
    return a.kind == WEIR_RTL_EXPR_VAR && a.is_signed == b.is_signed && a.carries == b.carries &&
           weir_rtl_type_of(design, value).id == weir_rtl_type_of(design, port).id;
}

/* A variable between the port and what is on its other side. */
static bool separate(fixer *f, weir_rtl_instance instance, weir_rtl_var port, weir_rtl_expr other) {
    if (weir_wiring_in_loop(f->design, instance))
        return weir_wiring_refuse_in_loop(f->design, instance, port,
                                          "read and connected to something else than a variable");
    const driven made = {instance, port, weir_wiring_add_var(f->design, instance, port)};
    const bool is_connected = weir_rtl_connection_of(f->design, instance, port).value.id != 0;
    if (is_connected) {
        const weir_rtl_module parent = weir_rtl_get_instance(f->design, instance).parent;
        const bool drives = weir_rtl_get_var(f->design, port).direction == WEIR_RTL_OUTPUT;
        const weir_rtl_expr target = drives ? other : made.var, value = drives ? made.var : other;
        const weir_rtl_stmt stmt =
            weir_rtl_assign(f->design, parent, target, weir_wiring_fit(f->design, value, target));
        weir_rtl_copy_location(f->design, WEIR_RTL_ITEM(instance), WEIR_RTL_ITEM(stmt));
        weir_rtl_disconnect(f->design, instance, port);
        weir_rtl_connect(f->design, instance, weir_rtl_get_var(f->design, port).name, made.var);
        weir_rtl_touch(f->design, WEIR_RTL_ITEM(instance));
    } else {
        f->driven = weir_grow(f->driven, &f->capacity, f->count + 1, sizeof *f->driven);
        f->driven[f->count++] = made;
    }
    return weir_rtl_map_port(f->all, instance, port, made.var);
}

static bool fix_port(fixer *f, weir_rtl_instance instance, weir_rtl_var port) {
    const weir_rtl_net net = {port, instance};
    const weir_rtl_direction direction = weir_rtl_get_var(f->design, port).direction;
    if (direction == WEIR_RTL_INOUT || weir_rtl_reader_count(f->uses, net) == 0) return true;
    const weir_rtl_expr other = find_other(f, instance, port);
    if (other.id == 0 && (direction == WEIR_RTL_OUTPUT || weir_rtl_driver_count(f->uses, net) == 0)) return true;
    weir_wiring_touch(f->design, f->uses, instance, port);
    f->fixed++;
    if (other.id != 0 && is_like(f->design, other, weir_rtl_port_of(f->design, instance, port)))
        return weir_rtl_map_port(f->reads, instance, port, other);
    return separate(f, instance, port, other);
}

static bool fix_module(fixer *f, weir_rtl_module module) {
    const size_t count = weir_rtl_get_module(f->design, module).instance_count;
    const int64_t before = f->fixed;
    if (count == 0) return true;
    weir_rtl_uses_build(f->uses, module);
    f->count = 0;
    for (size_t i = 0; i < count; i++) {
        const weir_rtl_instance instance = weir_rtl_instance_at(f->design, module, i);
        const weir_rtl_module child = weir_rtl_get_instance(f->design, instance).module;
        const size_t ports = weir_rtl_get_module(f->design, child).port_count;
        for (size_t p = 0; p < ports; p++)
            if (!fix_port(f, instance, weir_rtl_port_at(f->design, child, p))) return false;
    }
    if (f->fixed == before) return true;
    if (!weir_rtl_rewrite_module(f->reads, module) || !weir_rtl_rewrite_module(f->all, module)) return false;
    for (size_t i = 0; i < f->count; i++) {
        const driven *d = &f->driven[i];
        const weir_rtl_stmt stmt =
            weir_rtl_add_assign(f->design, weir_rtl_get_module(f->design, module).body,
                                weir_rtl_port_of(f->design, d->instance, d->port), d->var, WEIR_RTL_UNDECIDED);
        weir_rtl_copy_location(f->design, WEIR_RTL_ITEM(d->instance), WEIR_RTL_ITEM(stmt));
    }
    weir_rtl_rewriter_clear(f->reads);
    weir_rtl_rewriter_clear(f->all);
    return true;
}

bool weir_pass_port_legality_fix(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    size_t count = 0;
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    fixer f = {.design = design,
               .uses = weir_rtl_uses_new(design),
               .reads = weir_rtl_rewriter_new(design),
               .all = weir_rtl_rewriter_new(design)};
    bool fine = modules != NULL;
    weir_rtl_rewrite_reads_only(f.reads, true);
    for (size_t i = 0; fine && i < count; i++) fine = fix_module(&f, modules[i]);
    if (fine && f.fixed == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "inputs read through their drivers", f.fixed);
    weir_rtl_uses_free(f.uses);
    weir_rtl_rewriter_free(f.reads);
    weir_rtl_rewriter_free(f.all);
    free(f.driven);
    free(modules);
    return fine && weir_rtl_errors(design) == 0;
}
