/* create_module_instantiation: instances that are wired by assignments get connections; the assignments go. An output
 * that is never read is left open. A comment of an assignment becomes one of the instance. Linear. */
#include <stdlib.h>

#include "passes/rtl/hierarchy/wiring.h"

typedef struct connector {
    weir_rtl_design *design;
    weir_rtl_uses *uses;
    int64_t instances, assignments;
    bool fine;
} connector;

static const char *direction_name(weir_rtl_direction direction) {
    return direction == WEIR_RTL_INPUT ? "input" : direction == WEIR_RTL_OUTPUT ? "output" : "inout";
}

static void complain(connector *c, weir_rtl_instance instance, weir_rtl_var port, const char *what) {
    const weir_rtl_instance_info info = weir_rtl_get_instance(c->design, instance);
    const weir_rtl_var_info var = weir_rtl_get_var(c->design, port);
    weir_error(weir_rtl_get_item(c->design, WEIR_RTL_ITEM(instance)).location,
               "%s '%s' of instance '%s' in module '%s' %s", direction_name(var.direction), var.name, info.name,
               weir_rtl_get_module(c->design, info.parent).name, what);
    c->fine = false;
}

static void take_comment(connector *c, weir_rtl_stmt from, weir_rtl_instance to) {
    const char *comment = weir_rtl_get_item(c->design, WEIR_RTL_ITEM(from)).comment;
    const char *own = weir_rtl_get_item(c->design, WEIR_RTL_ITEM(to)).comment;
    weir_text text = {NULL, 0, 0};
    if (comment == NULL) return;
    weir_text_format(&text, "%s%s%s", own != NULL ? own : "", own != NULL ? "\n" : "", comment);
    weir_rtl_set_comment(c->design, WEIR_RTL_ITEM(to), text.data);
    weir_text_free(&text);
}

static void connect_port(connector *c, weir_rtl_instance instance, weir_rtl_var port) {
    const weir_rtl_var_info info = weir_rtl_get_var(c->design, port);
    const weir_wiring wiring = weir_wiring_of(c->design, c->uses, instance, port);
    switch (wiring.kind) {
    case WEIR_WIRING_CONNECTED: break;
    case WEIR_WIRING_NONE:
        if (info.direction == WEIR_RTL_INPUT) complain(c, instance, port, "has no driver");
        else weir_rtl_leave_open(c->design, instance, info.name);
        break;
    case WEIR_WIRING_DIRECT:
        take_comment(c, wiring.stmt, instance);
        weir_rtl_connect(c->design, instance, info.name, wiring.other);
        weir_rtl_remove_stmt(c->design, wiring.stmt);
        c->assignments++;
        break;
    case WEIR_WIRING_OTHER: complain(c, instance, port, "is not wired by one assignment in the module's body"); break;
    }
}

static void connect_instances(connector *c, weir_rtl_module module) {
    if (!weir_wiring_any(c->design, module)) return;
    const size_t count = weir_rtl_get_module(c->design, module).instance_count;
    weir_rtl_uses_build(c->uses, module);
    for (size_t i = 0; i < count; i++) {
        const weir_rtl_instance instance = weir_rtl_instance_at(c->design, module, i);
        const weir_rtl_instance_info info = weir_rtl_get_instance(c->design, instance);
        if (!info.is_wired) continue;
        const size_t ports = weir_rtl_get_module(c->design, info.module).port_count;
        for (size_t p = 0; p < ports; p++) connect_port(c, instance, weir_rtl_port_at(c->design, info.module, p));
        weir_rtl_set_wired(c->design, instance, false);
        weir_rtl_touch(c->design, WEIR_RTL_ITEM(instance));
        c->instances++;
    }
}

bool weir_pass_create_module_instantiation(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    size_t count = 0;
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    connector c = {.design = design, .uses = weir_rtl_uses_new(design), .fine = modules != NULL};
    for (size_t i = 0; modules != NULL && i < count; i++) connect_instances(&c, modules[i]);
    if (c.instances == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "instances connected", c.instances);
    weir_pass_count(context, "assignments folded", c.assignments);
    weir_rtl_uses_free(c.uses);
    free(modules);
    return c.fine && weir_rtl_errors(design) == 0;
}
