/* Interfaces in SystemVerilog: each marked group is an instance of one, or a port of its module through a modport. An
 * interface is `TOP_NAME`, so that those of several designs can be read together, and is printed, guarded, before each
 * module that names it. In the top the ports stay as they are, and assignments lead to the members. */
#include <stdlib.h>

#include "rtlir/analysis/group_plan_private.h"
#include "rtlir/core/interface.h"
#include "rtlir/verilog/printer_private.h"

/* ---- names ---- */

static const char *interface_name(weir_rtl_design *design, uint32_t top, uint32_t interface, rtl_labels *taken) {
    assert(top < design->module_count);
    assert(interface < design->interface_count);
    const char *name = NULL;
    weir_text text = {0};
    weir_text_format(&text, "%s_%s", design->module[top].name, design->interface[interface].name);
    while (rtl_has_name(design, taken, name = weir_strings_intern(design->strings, text.data)))
        weir_text_char(&text, '_');
    rtl_labels_set(taken, &(rtl_label){.name = name});
    weir_text_free(&text);
    return name;
}

static bool any_marked(const weir_rtl_design *design) {
    uint32_t g = 1;
    while (g < design->group_count && (!design->group[g].is_interface || design->group[g].is_removed)) g++;
    return g < design->group_count;
}

rtl_interfaces *rtl_interfaces_new(weir_rtl_design *design, uint32_t top, const char *package,
                                   const rtl_labels *given) {
    if (!any_marked(design)) return NULL;
    rtl_interfaces *own = weir_calloc(1, sizeof *own);
    own->top = top;
    own->package = weir_copy_string(package);
    own->plan = weir_rtl_plan_groups(design, (weir_rtl_module){top}, true);
    own->name = weir_calloc(design->interface_count, sizeof *own->name);
    rtl_labels taken = {0};
    rtl_take_all(design, &taken);
    for (size_t i = 0; i < given->count; i++) rtl_labels_set(&taken, &given->label[i]);
    for (uint32_t i = 1; i < design->interface_count; i++) own->name[i] = interface_name(design, top, i, &taken);
    rtl_labels_free(&taken);
    return own;
}

void rtl_interfaces_free(rtl_interfaces *interfaces) {
    if (!interfaces) return;
    free(interfaces->package);
    free(interfaces->plan);
    free(interfaces->name);
    free(interfaces);
}

/* A name that no field and no other modport has; the two kinds of names that are made up end in different letters. */
static void put_modport(rtl_writer *w, uint32_t id, bool is_flipped) {
    assert(id < w->design->modport_count);
    const rtl_modport *modport = &w->design->modport[id];
    const rtl_interface *interface = &w->design->interface[modport->interface];
    weir_text text = {0};
    weir_text_format(&text, "%s%s", modport->name, is_flipped ? "_flipped" : "");
    for (bool taken = true; taken;) {
        const char *name = weir_strings_intern(w->design->strings, text.data);
        taken = false;
        for (uint32_t f = 0; f < interface->count; f++) taken = taken || interface->field[f].name == name;
        for (size_t i = 0; i < interface->modports.count; i++)
            taken = taken || ((interface->modports.id[i] != id || is_flipped) &&
                              w->design->modport[interface->modports.id[i]].name == name);
        if (taken) weir_text_char(&text, is_flipped ? 'f' : '_');
    }
    rtl_put(w, text.data);
    weir_text_free(&text);
}

/* ---- what is one ---- */

/* ---- definitions ---- */

void rtl_mark_interfaces(const weir_rtl_design *design, uint32_t module, bool *used) {
    assert(module < design->module_count);
    const rtl_ids *groups = &design->module[module].groups;
    for (size_t i = 0; i < groups->count; i++) {
        const rtl_interface *interface = &design->interface[design->group[groups->id[i]].interface];
        if (!design->group[groups->id[i]].is_interface) continue;
        for (uint32_t f = 0; f < interface->count; f++) rtl_mark_type(design, interface->field[f].shape.type.id, used);
    }
}

static void print_fields(rtl_writer *w, const rtl_interface *interface, const char *package) {
    for (uint32_t f = 0; f < interface->count; f++) {
        const weir_rtl_shape shape = interface->field[f].shape;
        const uint32_t type = rtl_named_type(w->design, shape.type.id);
        rtl_put(w, "  ");
        if (type) weir_text_format(w->text, "%s::", package);
        if (type) rtl_put_type_name(w, type);
        else rtl_put(w, "logic");
        rtl_print_type(w, shape.type.id, (rtl_size){.number = shape.width}, shape.is_signed);
        weir_text_format(w->text, " %s;\n", interface->field[f].name);
    }
}

static void print_modport(rtl_writer *w, uint32_t id, bool is_flipped) {
    assert(id < w->design->modport_count);
    const rtl_modport *modport = &w->design->modport[id];
    const rtl_interface *interface = &w->design->interface[modport->interface];
    const rtl_group like = {.modport = id, .is_flipped = is_flipped};
    static const char *const words[] = {
        [WEIR_RTL_INPUT] = "input", [WEIR_RTL_OUTPUT] = "output", [WEIR_RTL_INOUT] = "inout"};
    bool any = false;
    for (uint32_t f = 0; f < interface->count; f++) {
        if (!rtl_group_has(w->design, &like, f)) continue;
        if (!any) {
            rtl_put(w, "  modport ");
            put_modport(w, id, is_flipped);
            rtl_put(w, " (\n");
        }
        weir_text_format(w->text, "%s    %s %s", any ? ",\n" : "", words[rtl_group_direction(w->design, &like, f)],
                         interface->field[f].name);
        any = true;
    }
    if (any) rtl_put(w, "\n  );\n");
}

/* Has a port of the design the modport? Those of the top have none. */
static bool is_used(const rtl_writer *w, const rtl_interfaces *own, uint32_t modport, bool is_flipped) {
    for (uint32_t g = 1; g < w->design->group_count; g++) {
        const rtl_group *group = &w->design->group[g];
        if (rtl_is_planned(own, g) && group->module != own->top && group->modport == modport &&
            group->is_flipped == is_flipped)
            return true;
    }
    return false;
}

/* What one module leaves unused or undriven, another one may use or drive. */
static void print_definition(rtl_writer *w, const rtl_interfaces *own, uint32_t id) {
    assert(id < w->design->interface_count);
    const rtl_interface *interface = &w->design->interface[id];
    const char *name = own->name[id];
    weir_text_format(w->text, "`ifndef INTERFACE_%s\n`define INTERFACE_%s\n", name, name);
    weir_text_format(w->text, "/* verilator lint_off UNUSEDSIGNAL */\n/* verilator lint_off UNDRIVEN */\n");
    weir_text_format(w->text, "interface %s;\n", name);
    print_fields(w, interface, own->package);
    for (size_t i = 0; i < interface->modports.count; i++)
        for (int flipped = 0; flipped < 2; flipped++)
            if (is_used(w, own, interface->modports.id[i], flipped))
                print_modport(w, interface->modports.id[i], flipped);
    rtl_put(w, "endinterface\n/* verilator lint_on UNDRIVEN */\n/* verilator lint_on UNUSEDSIGNAL */\n`endif\n\n");
}

void rtl_print_interfaces(rtl_writer *w) {
    const rtl_interfaces *own = rtl_interfaces_of(w);
    const rtl_ids *groups = &w->design->module[w->module].groups;
    bool *used = own ? weir_calloc(w->design->interface_count, sizeof *used) : NULL;
    for (size_t i = 0; own && i < groups->count; i++) {
        const rtl_group *group = &w->design->group[groups->id[i]];
        const weir_rtl_group_plan *plan = &own->plan[groups->id[i]];
        used[group->interface] = used[group->interface] || !plan->flat;
        if (group->is_interface && plan->flat && !plan->is_idle)
            rtl_error(
                w->design, rtl_location_of(w->design, &w->design->module[w->module].common),
                "group '%s' of module '%s' can no longer be an interface: %s; run create_interface_instantiation last",
                group->name, w->design->module[w->module].name, plan->flat);
    }
    for (uint32_t i = 1; own && i < w->design->interface_count; i++)
        if (used[i]) print_definition(w, own, i);
    free(used);
}

void rtl_put_interface_type(rtl_writer *w, uint32_t id) {
    assert(id < w->design->group_count);
    const rtl_group *group = &w->design->group[id];
    rtl_put(w, rtl_interfaces_of(w)->name[group->interface]);
    rtl_put_char(w, '.');
    put_modport(w, group->modport, group->is_flipped);
}

/* ---- instances ---- */

void rtl_print_member_comments(rtl_writer *w, uint32_t id) {
    assert(id < w->design->group_count);
    const rtl_group *group = &w->design->group[id];
    for (uint32_t f = 0; f < w->design->interface[group->interface].count; f++) {
        const rtl_var *var = &w->design->var[group->var[f]];
        if (!group->var[f]) continue;
        rtl_print_comment(w, rtl_comment_of(w->design, &var->common), RTL_INDENT);
        rtl_print_above(w, (weir_rtl_item){WEIR_RTL_ITEM_VAR, group->var[f]}, &var->common, RTL_INDENT);
    }
}

/* Does an instance drive the field of the group of its parent? */
static bool is_driven(const rtl_writer *w, uint32_t id, uint32_t field) {
    const weir_rtl_design *design = w->design;
    const rtl_ids *instances = &design->module[design->group[id].module].instances;
    for (size_t i = 0; i < instances->count; i++) {
        const rtl_instance *instance = &design->instance[instances->id[i]];
        const rtl_ids *groups = &design->module[instance->module].groups;
        for (size_t k = 0; k < groups->count; k++) {
            const rtl_group *group = &design->group[groups->id[k]];
            if (rtl_is_planned(rtl_interfaces_of(w), groups->id[k]) && group->modport &&
                rtl_group_direction(design, group, field) == WEIR_RTL_OUTPUT &&
                rtl_group_connected(design, instance, group) == id)
                return true;
        }
    }
    return false;
}

static void print_ends(rtl_writer *w, uint32_t id) {
    assert(id < w->design->group_count);
    const rtl_group *group = &w->design->group[id];
    for (uint32_t f = 0; f < w->design->interface[group->interface].count; f++) {
        if (!group->var[f]) continue;
        const bool is_out = is_driven(w, id, f);
        rtl_put(w, "  assign ");
        if (is_out) rtl_put_var(w, group->var[f]);
        else rtl_put_group_member(w, group, f);
        rtl_put(w, " = ");
        if (is_out) rtl_put_group_member(w, group, f);
        else rtl_put_var(w, group->var[f]);
        rtl_put(w, ";\n");
    }
}

void rtl_print_links(rtl_writer *w) {
    const rtl_interfaces *own = rtl_interfaces_of(w);
    const rtl_ids *groups = &w->design->module[w->module].groups;
    for (size_t i = 0; own && i < groups->count; i++) {
        const rtl_group *group = &w->design->group[groups->id[i]];
        if (!rtl_is_planned(own, groups->id[i]) || (group->modport && group->module != own->top)) continue;
        rtl_put_char(w, '\n');
        if (!group->modport) rtl_print_member_comments(w, groups->id[i]);
        weir_text_format(w->text, "  %s %s ();\n", own->name[group->interface], group->name);
        if (group->modport) print_ends(w, groups->id[i]);
    }
}
