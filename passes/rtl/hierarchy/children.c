#include "passes/rtl/hierarchy/children.h"

#include <stdlib.h>

#include "passes/rtl/inner.h"
#include "passes/rtl/numbers.h"
#include "support/memory/arena.h"

bool weir_child_is_kept(weir_keeper *keeper, weir_rtl_instance instance) {
    const weir_rtl_design *design = keeper->design;
    const weir_rtl_item child = WEIR_RTL_ITEM(instance);
    const weir_rtl_item module = WEIR_RTL_ITEM(weir_rtl_get_instance(design, instance).module);
    return weir_keeps_instance(keeper, instance) || weir_is_kept(design, module) ||
           weir_rtl_has_attribute(design, child, "keep_hierarchy") ||
           weir_rtl_has_attribute(design, module, "keep_hierarchy");
}

void weir_children_add(weir_children *children, const weir_rtl_design *design, weir_rtl_instance instance) {
    children->instance =
        weir_grow(children->instance, &children->instance_capacity, children->count + 1, sizeof *children->instance);
    children->module =
        weir_grow(children->module, &children->module_capacity, children->count + 1, sizeof *children->module);
    children->instance[children->count] = instance;
    children->module[children->count++] = weir_rtl_get_instance(design, instance).module;
}

void weir_children_add_wiring(weir_children *children, weir_rtl_stmt stmt) {
    children->wiring =
        weir_grow(children->wiring, &children->wiring_capacity, children->wirings + 1, sizeof *children->wiring);
    children->wiring[children->wirings++] = stmt;
}

bool weir_children_detach(weir_children *children, size_t first, weir_rtl_rewriter *rewriter, weir_rtl_design *design,
                          weir_rtl_module parent) {
    for (size_t i = 0; i < children->wirings; i++) weir_rtl_remove_stmt(design, children->wiring[i]);
    const bool fine = weir_rtl_rewrite_module(rewriter, parent);
    weir_rtl_rewriter_clear(rewriter);
    for (size_t i = children->count; i-- > first;) weir_rtl_remove_instance(design, children->instance[i]);
    return fine;
}

/* How often modules are named. */
static void count_uses(weir_numbers *uses, const weir_rtl_design *design) {
    for (weir_rtl_module m = weir_rtl_first_module(design); m.id != 0; m = weir_rtl_next_module(design, m)) {
        const size_t count = weir_rtl_get_module(design, m).instance_count;
        for (size_t i = 0; i < count; i++)
            ++*weir_numbers_at(uses, weir_rtl_get_instance(design, weir_rtl_instance_at(design, m, i)).module.id);
    }
}

/* The list grows by the children of what goes. It holds a module as often as instances of it went. */
static void remove_unused(weir_children *children, weir_rtl_design *design) {
    weir_numbers uses = {NULL, 0};
    count_uses(&uses, design);
    for (size_t i = 0; i < children->count; i++) {
        const weir_rtl_module module = children->module[i];
        if (*weir_numbers_at(&uses, module.id) != 0) continue;
        *weir_numbers_at(&uses, module.id) = UINT32_MAX; /* once */
        const size_t count = weir_rtl_get_module(design, module).instance_count;
        for (size_t k = 0; k < count; k++) {
            const weir_rtl_instance instance = weir_rtl_instance_at(design, module, k);
            --*weir_numbers_at(&uses, weir_rtl_get_instance(design, instance).module.id);
            weir_children_add(children, design, instance);
        }
        weir_rtl_remove_module(design, module);
    }
    weir_numbers_free(&uses);
}

/* The last one first: taking the last one of a list away costs least. */
void weir_children_remove(weir_children *children, weir_rtl_design *design) {
    for (size_t i = children->count; i-- > 0;) weir_rtl_remove_instance(design, children->instance[i]);
    if (children->count > 0) remove_unused(children, design);
    free(children->instance);
    free(children->module);
    free(children->wiring);
    *children = (weir_children){.count = 0};
}

bool weir_uproot(weir_pass_context *context, weir_rtl_design *design, weir_uproot_visit *visit, void *user,
                 const char *counted) {
    size_t count = 0;
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    weir_uprooting u = {.design = design,
                        .uses = weir_rtl_uses_new(design),
                        .rewriter = weir_rtl_rewriter_new(design),
                        .keeper = {.design = design}};
    bool fine = modules != NULL;
    for (size_t i = 0; modules != NULL && i < count; i++) fine = visit(&u, user, modules[i]) && fine;
    if (fine && u.children.count == 0) weir_pass_unchanged(context);
    weir_pass_count(context, counted, (int64_t)u.children.count);
    weir_children_remove(&u.children, design);
    weir_rtl_uses_free(u.uses);
    weir_rtl_rewriter_free(u.rewriter);
    weir_keeper_free(&u.keeper);
    free(modules);
    return fine;
}

void weir_children_clear(weir_children *children, weir_rtl_design *design, weir_rtl_module module) {
    const weir_rtl_module_info info = weir_rtl_get_module(design, module);
    for (size_t i = 0; children != NULL && i < info.instance_count; i++)
        weir_children_add(children, design, weir_rtl_instance_at(design, module, i));
    for (weir_rtl_stmt s = weir_rtl_last(design, info.body); s.id != 0; s = weir_rtl_last(design, info.body))
        weir_rtl_remove_stmt(design, s);
    for (weir_rtl_var v = weir_rtl_first_var(design, module), next; v.id != 0; v = next) {
        next = weir_rtl_next_var(design, v);
        if (weir_rtl_get_var(design, v).direction == WEIR_RTL_INTERNAL) weir_rtl_remove_var(design, v);
    }
}
