/* Which groups can be interfaces of SystemVerilog: a group of ports when each instance of its module connects all of
 * its fields to one group of the parent that is an interface too, a group of variables when an instance is connected to
 * it. The top's ports stay what they are; a group of them is connected to an interface. Parents come first, so a group
 * that stays flat is known before what is connected to it. O(modules + instances * fields). */
#include <stdlib.h>

#include "rtlir/analysis/group_plan_private.h"
#include "rtlir/core/interface.h"
#include "rtlir/core/private.h"
#include "rtlir/core/visitor.h"

typedef struct planner {
    weir_rtl_design *design;
    uint32_t top;
    weir_rtl_group_plan *plan;
} planner;

/* Why, as a text of the design. */
static const char *because(const planner *p, char *text) {
    const char *own = weir_strings_intern(p->design->strings, text);
    free(text);
    return own;
}

/* ---- groups by themselves ---- */

static bool has_attributes(const weir_rtl_design *design, uint32_t var) {
    return weir_rtl_get_item(design, (weir_rtl_item){WEIR_RTL_ITEM_VAR, var}).attribute_count > 0;
}

/* A local of a function would hide the name of the module, which tools warn of. */
static const char *hiding_function(const weir_rtl_design *design, const rtl_group *group) {
    for (uint32_t s = design->block[design->module[group->module].body].first; s; s = design->stmt[s].next)
        if (design->stmt[s].kind == WEIR_RTL_STMT_FUNCTION &&
            rtl_names_find(design, RTL_FUNCTION_SCOPE | design->stmt[s].a, group->name).id)
            return rtl_function_of(design, &design->stmt[s])->name;
    return NULL;
}

static const char *own_reason(const planner *p, const rtl_group *group) {
    const weir_rtl_design *design = p->design;
    const rtl_interface *interface = &design->interface[group->interface];
    uint32_t fields = 0;
    for (uint32_t f = 0; f < interface->count; f++) {
        if (!rtl_group_has(design, group, f)) continue;
        const char *name = interface->field[f].name;
        if (!group->var[f]) return because(p, weir_format("it has no '%s'", name));
        if (rtl_group_direction(design, group, f) == WEIR_RTL_INOUT)
            return because(p, weir_format("'%s' is an inout", name));
        if (has_attributes(design, group->var[f])) return because(p, weir_format("'%s' has attributes", name));
        fields++;
    }
    const char *function = hiding_function(design, group);
    if (function) return because(p, weir_format("function '%s' has a variable of its name", function));
    return fields ? NULL : because(p, weir_format("it has no fields"));
}

static bool has_path(const weir_rtl_design *design, uint32_t module) {
    assert(module < design->module_count);
    uint32_t v = design->module[module].first_var;
    while (v && !design->var[v].is_path) v = design->var[v].next;
    return v != 0;
}

/* ---- connections ---- */

static uint32_t connected_var(const weir_rtl_design *design, const rtl_instance *instance, uint32_t port) {
    const uint32_t slot = design->var[port].slot;
    const uint32_t expr = slot < instance->connection_count ? instance->connection[slot] : 0;
    return expr && expr != RTL_OPEN && design->expr[expr].kind == WEIR_RTL_EXPR_VAR ? design->expr[expr].a : 0;
}

uint32_t rtl_group_connected(const weir_rtl_design *design, const rtl_instance *instance, const rtl_group *group) {
    uint32_t own = 0;
    for (uint32_t f = 0; f < design->interface[group->interface].count; f++) {
        if (!group->var[f]) continue;
        const uint32_t var = connected_var(design, instance, group->var[f]);
        const uint32_t found = design->var[var].group;
        if (!var || !found || (own && found != own)) return 0;
        if (design->group[found].interface != group->interface || design->group[found].var[f] != var) return 0;
        own = found;
    }
    return own;
}

/* Why the instance does not connect the group of its module as an interface; NULL: it does. */
static const char *instance_reason(const planner *p, const rtl_instance *instance, const rtl_group *group) {
    const weir_rtl_design *design = p->design;
    const uint32_t own = rtl_group_connected(design, instance, group);
    const char *parent = design->module[instance->parent].name;
    if (!own)
        return because(p, weir_format("instance '%s' in module '%s' does not connect it to one whole group",
                                      instance->name, parent));
    const rtl_group *outside = &design->group[own];
    if (p->plan[own].flat)
        return because(p,
                       weir_format("instance '%s' in module '%s' connects it to group '%s', which is not an interface",
                                   instance->name, parent, outside->name));
    const bool is_handed_on = outside->modport && instance->parent != p->top;
    if (is_handed_on && (outside->modport != group->modport || outside->is_flipped != group->is_flipped))
        return because(p, weir_format("instance '%s' in module '%s' connects it to group '%s' of another modport",
                                      instance->name, parent, outside->name));
    return NULL;
}

/* For the groups of its module, once those of the parent are decided. */
static void plan_instance(planner *p, uint32_t id) {
    assert(id < p->design->instance_count);
    const rtl_instance *instance = &p->design->instance[id];
    const rtl_ids *groups = &p->design->module[instance->module].groups;
    for (size_t i = 0; i < groups->count; i++) {
        const rtl_group *group = &p->design->group[groups->id[i]];
        weir_rtl_group_plan *plan = &p->plan[groups->id[i]];
        if (group->modport && !plan->flat) plan->flat = instance_reason(p, instance, group);
    }
}

/* Says which groups of the parent are connected to an interface. */
static void link_instance(planner *p, uint32_t id) {
    assert(id < p->design->instance_count);
    const rtl_instance *instance = &p->design->instance[id];
    const rtl_ids *groups = &p->design->module[instance->module].groups;
    for (size_t i = 0; i < groups->count; i++) {
        const rtl_group *group = &p->design->group[groups->id[i]];
        if (group->modport && !p->plan[groups->id[i]].flat)
            p->plan[rtl_group_connected(p->design, instance, group)].is_connected = true;
    }
}

/* ---- all of them ---- */

static void begin_module(planner *p, uint32_t module, bool has_paths, bool marked) {
    assert(module < p->design->module_count);
    const rtl_module *record = &p->design->module[module];
    for (size_t i = 0; i < record->groups.count; i++) {
        const rtl_group *group = &p->design->group[record->groups.id[i]];
        weir_rtl_group_plan *plan = &p->plan[record->groups.id[i]];
        plan->is_below = true;
        plan->flat = marked && !group->is_interface ? "it is not marked as an interface"
                     : record->is_external          ? "its module is external"
                     : has_paths                    ? "hierarchical paths refer to the design"
                                                    : own_reason(p, group);
    }
}

weir_rtl_group_plan *weir_rtl_plan_groups(weir_rtl_design *design, weir_rtl_module top, bool marked) {
    size_t count = 0;
    planner p = {design, top.id, weir_calloc(design->group_count + 1, sizeof *p.plan)};
    weir_rtl_module *modules =
        design->group_count > 1 ? weir_rtl_modules_below(design, top, WEIR_RTL_PARENTS_FIRST, &count) : NULL;
    bool has_paths = false;
    for (uint32_t g = 0; g < design->group_count; g++) p.plan[g].flat = "it is not below the top";
    for (size_t i = 0; i < count; i++) has_paths = has_paths || has_path(design, modules[i].id);
    for (size_t i = 0; i < count; i++) begin_module(&p, modules[i].id, has_paths, marked);
    for (size_t i = 0; i < count; i++) {
        const rtl_ids *instances = &design->module[modules[i].id].instances;
        for (size_t k = 0; k < instances->count; k++) plan_instance(&p, instances->id[k]);
    }
    for (size_t i = 0; i < count; i++) {
        const rtl_ids *instances = &design->module[modules[i].id].instances;
        for (size_t k = 0; k < instances->count; k++) link_instance(&p, instances->id[k]);
    }
    for (uint32_t g = 1; g < design->group_count; g++) {
        const bool is_port = design->group[g].modport && design->group[g].module != top.id;
        p.plan[g].is_idle = !p.plan[g].flat && !is_port && !p.plan[g].is_connected;
        if (p.plan[g].is_idle) p.plan[g].flat = "no instance is connected to it as a whole";
    }
    free(modules);
    return p.plan;
}
