/* decouple_generator_ports: between the ports of instances and all else of their parent come variables named
 * INSTANCE_PORT, unless one assignment wires the port as a whole to something that a connection can name (wiring.h).
 * Afterwards every wired port is direct; an instance in a loop is an error where it is not so already. Linear. */
#include <stdlib.h>

#include "passes/rtl/hierarchy/wiring.h"
#include "rtlir/edit/rewrite.h"
#include "support/memory/arena.h"

/* A port and the variable between it and its parent. */
typedef struct joint {
    weir_rtl_instance instance;
    weir_rtl_var port;
    weir_rtl_expr var;
} joint;

typedef struct decoupler {
    weir_rtl_design *design;
    weir_rtl_uses *uses;
    weir_rtl_rewriter *rewriter;
    joint *joint; /* of the module that is worked on */
    size_t count, capacity;
} decoupler;

/* In a loop there is a port for each iteration, but the module's variables are there once. */
/* Does the assignment copy the port to a variable, or one to the port, and so join both? */
static bool joins(const decoupler *d, weir_rtl_use use, bool drives) {
    const weir_rtl_stmt_info stmt = weir_rtl_get_stmt(d->design, use.stmt);
    const bool is_copy = stmt.kind == WEIR_RTL_STMT_ASSIGN && use.is_whole;
    return is_copy && weir_rtl_is_target(d->design, drives ? stmt.value : stmt.target);
}

/* One assignment of an inout port stands for a connection; with other uses of the port beside it, only one direction of
 * it would be left. */
static bool is_joined(const decoupler *d, weir_rtl_instance instance, weir_rtl_var port) {
    const weir_rtl_net net = {port, instance};
    const size_t drivers = weir_rtl_driver_count(d->uses, net), readers = weir_rtl_reader_count(d->uses, net);
    if (weir_rtl_get_var(d->design, port).direction != WEIR_RTL_INOUT || drivers + readers < 2) return false;
    bool found = false;
    for (size_t i = 0; i < drivers; i++) found = found || joins(d, weir_rtl_driver_at(d->uses, net, i), true);
    for (size_t i = 0; drivers > 0 && i < readers; i++)
        found = found || joins(d, weir_rtl_reader_at(d->uses, net, i), false);
    if (!found) return false;
    const weir_rtl_instance_info info = weir_rtl_get_instance(d->design, instance);
    const char *name = weir_rtl_get_var(d->design, port).name;
    weir_error(
        weir_rtl_get_item(d->design, WEIR_RTL_ITEM(instance)).location,
        "inout '%s' of instance '%s' in module '%s' is joined to a variable by an assignment and named elsewhere: "
        "connect it ('connect %s = VARIABLE') and name the variable instead",
        name, info.name, weir_rtl_get_module(d->design, info.parent).name, name);
    return true;
}

static bool separate(decoupler *d, weir_rtl_instance instance, weir_rtl_var port) {
    if (weir_wiring_in_loop(d->design, instance))
        return weir_wiring_refuse_in_loop(d->design, instance, port,
                                          "not wired by one assignment of a variable or a part of one in that loop");
    const joint made = {instance, port, weir_wiring_add_var(d->design, instance, port)};
    if (!weir_rtl_map_port(d->rewriter, instance, port, made.var)) return false;
    weir_wiring_touch(d->design, d->uses, instance, port);
    d->joint = weir_grow(d->joint, &d->capacity, d->count + 1, sizeof *d->joint);
    d->joint[d->count++] = made;
    return true;
}

static bool separate_ports(decoupler *d, weir_rtl_instance instance) {
    const weir_rtl_module module = weir_rtl_get_instance(d->design, instance).module;
    const size_t count = weir_rtl_get_module(d->design, module).port_count;
    bool fine = true;
    for (size_t i = 0; i < count; i++) {
        const weir_rtl_var port = weir_rtl_port_at(d->design, module, i);
        const weir_wiring wiring = weir_wiring_of(d->design, d->uses, instance, port);
        if (wiring.kind != WEIR_WIRING_OTHER) continue;
        if (is_joined(d, instance, port)) fine = false;
        else fine = separate(d, instance, port) && fine;
    }
    return fine;
}

/* The assignment between a port and its variable. */
static bool join(decoupler *d, weir_rtl_module module, const joint *j) {
    const weir_rtl_expr port = weir_rtl_port_of(d->design, j->instance, j->port);
    const bool reads = weir_rtl_get_var(d->design, j->port).direction == WEIR_RTL_OUTPUT;
    const weir_rtl_stmt stmt = weir_rtl_add_assign(d->design, weir_rtl_get_module(d->design, module).body,
                                                   reads ? j->var : port, reads ? port : j->var, WEIR_RTL_UNDECIDED);
    weir_rtl_copy_location(d->design, WEIR_RTL_ITEM(j->instance), WEIR_RTL_ITEM(stmt));
    return stmt.id != 0;
}

static bool decouple(decoupler *d, weir_rtl_module module) {
    if (!weir_wiring_any(d->design, module)) return true;
    const size_t count = weir_rtl_get_module(d->design, module).instance_count;
    bool fine = true;
    weir_rtl_uses_build(d->uses, module);
    d->count = 0;
    for (size_t i = 0; i < count; i++) {
        const weir_rtl_instance instance = weir_rtl_instance_at(d->design, module, i);
        if (weir_rtl_get_instance(d->design, instance).is_wired) fine = separate_ports(d, instance) && fine;
    }
    if (!fine || d->count == 0) return fine;
    if (!weir_rtl_rewrite_module(d->rewriter, module)) return false;
    for (size_t i = 0; i < d->count; i++)
        if (!join(d, module, &d->joint[i])) return false;
    weir_rtl_rewriter_clear(d->rewriter);
    return true;
}

bool weir_pass_decouple_generator_ports(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    size_t count = 0;
    int64_t made = 0;
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    decoupler d = {.design = design, .uses = weir_rtl_uses_new(design), .rewriter = weir_rtl_rewriter_new(design)};
    bool fine = modules != NULL;
    for (size_t i = 0; modules != NULL && i < count; i++) {
        d.count = 0;
        fine = decouple(&d, modules[i]) && fine;
        made += (int64_t)d.count;
    }
    if (fine && made == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "ports with a variable of their own", made);
    weir_rtl_uses_free(d.uses);
    weir_rtl_rewriter_free(d.rewriter);
    free(d.joint);
    free(modules);
    return fine;
}
