/* Interfaces and groups. A variable knows its group, and the group its variables by the index of the field. */
#include "rtlir/core/interface.h"

#include <stdlib.h>

#include "rtlir/core/private.h"

/* ---- interfaces ---- */

weir_rtl_interface weir_rtl_add_interface(weir_rtl_design *design, const char *name) {
    weir_rtl_interface interface = {0};
    const char *own = rtl_legal_name(design, 0, "interface", name);
    if (!own) return interface;
    if (weir_rtl_find_interface(design, own).id) {
        rtl_error(design, design->location, "interface name '%s' is already the name of an interface", own);
        return interface;
    }
    interface.id = RTL_APPEND(design, interface);
    rtl_interface_at(design, interface.id)->name = own;
    rtl_label label = {.name = own, .scope = RTL_INTERFACE_SCOPE, .number = interface.id};
    rtl_labels_set(&design->types, &label);
    return interface;
}

/* The field's index; the count when there is none. */
static uint32_t find_field(const weir_rtl_design *design, uint32_t interface, const char *name) {
    assert(interface < design->interface_count);
    const rtl_interface *record = &design->interface[interface];
    const char *own = weir_strings_intern(design->strings, name);
    uint32_t i = 0;
    while (i < record->count && record->field[i].name != own) i++;
    return i;
}

void weir_rtl_add_interface_field(weir_rtl_design *design, weir_rtl_interface interface, const char *name,
                                  weir_rtl_shape shape, weir_rtl_kind kind) {
    if (!interface.id) return;
    rtl_interface *record = rtl_interface_at(design, interface.id);
    const char *own = rtl_legal_name(design, 0, "field", name);
    if (!own) return;
    bool is_memory = design->type[shape.type.id].kind == WEIR_RTL_TYPE_MEMORY;
    uint32_t width = shape.type.id ? design->type[shape.type.id].width : shape.width;
    bool fits = width >= 1 && width <= WEIR_RTL_MAX_WIDTH && !is_memory && !shape.formula.id &&
                !rtl_type_has_formula(design, shape.type.id);
    if (kind != WEIR_RTL_DATA) fits = fits && width == 1 && !shape.type.id && !shape.is_signed;
    if (!fits || record->modports.count || record->is_used || find_field(design, interface.id, own) < record->count) {
        rtl_error(design, design->location, "'%s' cannot be a field of interface '%s'%s", own, record->name,
                  !fits                                       ? ": its type does not fit"
                  : record->modports.count || record->is_used ? ", which is complete"
                                                              : ", which has it");
        return;
    }
    shape.width = width;
    design->type[shape.type.id].is_used = true;
    record->field = weir_grow(record->field, &record->capacity, record->count + 1, sizeof *record->field);
    record->field[record->count++] = (rtl_signal){own, shape, kind};
}

weir_rtl_modport weir_rtl_add_modport(weir_rtl_design *design, weir_rtl_interface interface, const char *name) {
    weir_rtl_modport modport = {0};
    if (!interface.id) return modport;
    const char *own = rtl_legal_name(design, 0, "modport", name);
    if (!own) return modport;
    if (weir_rtl_find_modport(design, interface, own).id) {
        rtl_error(design, design->location, "interface '%s' has two modports '%s'",
                  rtl_interface_at(design, interface.id)->name, own);
        return modport;
    }
    modport.id = RTL_APPEND(design, modport);
    rtl_interface *record = rtl_interface_at(design, interface.id);
    rtl_modport_at(design, modport.id)->name = own;
    rtl_modport_at(design, modport.id)->interface = interface.id;
    rtl_modport_at(design, modport.id)->direction = weir_arena_array(design->arena, record->count + 1, 1);
    rtl_ids_add(&record->modports, modport.id);
    return modport;
}

void weir_rtl_set_modport(weir_rtl_design *design, weir_rtl_modport modport, const char *field,
                          weir_rtl_direction direction) {
    if (!modport.id) return;
    const rtl_modport *record = rtl_modport_at(design, modport.id);
    const rtl_interface *interface = &design->interface[record->interface];
    uint32_t index = find_field(design, record->interface, field);
    if (index == interface->count || interface->is_used || record->direction[index] != WEIR_RTL_INTERNAL)
        rtl_error(design, design->location, "modport '%s' of interface '%s' cannot give a direction to '%s'%s",
                  record->name, interface->name, field,
                  index == interface->count ? ": there is no such field"
                  : interface->is_used      ? ": groups of it were made"
                                            : " twice");
    else record->direction[index] = (unsigned char)direction;
}

/* ---- groups ---- */

uint32_t rtl_new_group(weir_rtl_design *design, const rtl_group *model) {
    const char *own = rtl_new_name(design, model->module, "group", model->name);
    if (!own) return 0;
    uint32_t id = RTL_APPEND(design, group);
    rtl_interface *interface = &design->interface[model->interface];
    interface->is_used = true;
    design->group[id] = *model;
    design->group[id].name = own;
    design->group[id].var = weir_arena_array(design->arena, interface->count, sizeof *design->group[id].var);
    rtl_ids_add(&design->module[model->module].groups, id);
    rtl_names_add(design, (rtl_name){RTL_NAME_GROUP, id});
    return id;
}

weir_rtl_direction rtl_group_direction(const weir_rtl_design *design, const rtl_group *group, uint32_t field) {
    if (!group->modport) return WEIR_RTL_INTERNAL;
    weir_rtl_direction direction = (weir_rtl_direction)design->modport[group->modport].direction[field];
    if (!group->is_flipped || direction == WEIR_RTL_INTERNAL || direction == WEIR_RTL_INOUT) return direction;
    return direction == WEIR_RTL_INPUT ? WEIR_RTL_OUTPUT : WEIR_RTL_INPUT;
}

bool rtl_group_has(const weir_rtl_design *design, const rtl_group *group, uint32_t field) {
    return !group->modport || design->modport[group->modport].direction[field] != WEIR_RTL_INTERNAL;
}

bool rtl_join_group(weir_rtl_design *design, uint32_t group, uint32_t field, uint32_t var) {
    assert(var < design->var_count);
    assert(group > 0 && field < rtl_interface_at(design, rtl_group_at(design, group)->interface)->count);
    const rtl_group *record = &design->group[group];
    const rtl_signal *signal = &design->interface[record->interface].field[field];
    const rtl_var *own = &design->var[var];
    weir_rtl_type type = {own->type};
    bool fits = own->module == record->module && !own->group && !own->function && !record->var[field] &&
                rtl_group_has(design, record, field) && own->width == signal->shape.width &&
                own->is_signed == signal->shape.is_signed && own->kind == signal->kind && !own->range &&
                !own->formula && weir_rtl_same_type(design, type, signal->shape.type) &&
                own->direction == rtl_group_direction(design, record, field);
    if (!fits) {
        rtl_error(design, design->location, "'%s' cannot be field '%s' of group '%s' of interface '%s'", own->name,
                  signal->name, record->name, design->interface[record->interface].name);
        return false;
    }
    record->var[field] = var;
    design->var[var].group = group;
    return true;
}

bool rtl_make_field(weir_rtl_design *design, uint32_t group, uint32_t field) {
    assert(group < design->group_count);
    const rtl_group *record = &design->group[group];
    const rtl_signal *signal = &design->interface[record->interface].field[field];
    weir_rtl_direction direction = rtl_group_direction(design, record, field);
    char *name = weir_format("%s_%s", record->name, signal->name);
    rtl_var model = {.name = name,
                     .width = signal->shape.width,
                     .is_signed = signal->shape.is_signed,
                     .type = signal->shape.type.id,
                     .kind = signal->kind,
                     .direction = direction,
                     .is_undecided = direction == WEIR_RTL_INTERNAL};
    uint32_t var = rtl_new_var(design, record->module, &model);
    free(name);
    return var && rtl_join_group(design, group, field, var);
}

static weir_rtl_group add_group(weir_rtl_design *design, const rtl_group *model) {
    weir_rtl_group group = {rtl_new_group(design, model)};
    if (!group.id) return group;
    for (uint32_t i = 0; i < design->interface[model->interface].count; i++)
        if (rtl_group_has(design, model, i) && !rtl_make_field(design, group.id, i)) return (weir_rtl_group){0};
    return group;
}

weir_rtl_group weir_rtl_add_port_group(weir_rtl_design *design, weir_rtl_module module, const char *name,
                                       weir_rtl_modport modport, bool is_flipped) {
    if (!module.id || !modport.id) return (weir_rtl_group){0};
    rtl_group model = {.name = name,
                       .module = module.id,
                       .interface = rtl_modport_at(design, modport.id)->interface,
                       .modport = modport.id,
                       .is_flipped = is_flipped};
    return add_group(design, &model);
}

weir_rtl_group weir_rtl_add_variable_group(weir_rtl_design *design, weir_rtl_module module, const char *name,
                                           weir_rtl_interface interface) {
    if (!module.id || !interface.id) return (weir_rtl_group){0};
    rtl_group model = {.name = name, .module = module.id, .interface = interface.id};
    return add_group(design, &model);
}

void weir_rtl_remove_group(weir_rtl_design *design, weir_rtl_group group) {
    if (!group.id || rtl_group_at(design, group.id)->is_removed) return;
    rtl_group *record = rtl_group_at(design, group.id);
    for (uint32_t i = 0; i < design->interface[record->interface].count; i++)
        if (record->var[i]) design->var[record->var[i]].group = 0;
    rtl_names_remove(design, (rtl_name){RTL_NAME_GROUP, group.id});
    rtl_ids_remove(&design->module[record->module].groups, group.id);
    record->is_removed = true;
}

void rtl_leave_group(weir_rtl_design *design, uint32_t var) {
    assert(var < design->var_count);
    weir_rtl_group group = {design->var[var].group};
    const rtl_group *record = rtl_group_at(design, group.id);
    bool is_empty = true;
    for (uint32_t i = 0; group.id && i < design->interface[record->interface].count; i++) {
        if (record->var[i] == var) record->var[i] = 0;
        is_empty = is_empty && !record->var[i];
    }
    if (group.id && is_empty) weir_rtl_remove_group(design, group);
    design->var[var].group = 0;
}

void rtl_copy_groups(weir_rtl_design *design, uint32_t from, uint32_t to) {
    assert(from < design->module_count);
    for (size_t i = 0; i < design->module[from].groups.count; i++) {
        uint32_t old = design->module[from].groups.id[i];
        rtl_group model = design->group[old];
        model.module = to;
        uint32_t copy = rtl_new_group(design, &model);
        for (uint32_t f = 0; copy && f < design->interface[model.interface].count; f++) {
            if (!model.var[f]) continue;
            rtl_name own = rtl_names_find(design, to, design->var[model.var[f]].name);
            if (own.kind == RTL_NAME_VAR) rtl_join_group(design, copy, f, own.id);
        }
    }
}

/* ---- connections ---- */

/* Can the field of the instance's group be connected to that of the parent's? */
static bool is_connectable(weir_rtl_design *design, weir_rtl_instance instance, uint32_t port, uint32_t var,
                           const rtl_group *own, uint32_t field) {
    assert(port < design->var_count);
    assert(var < design->var_count);
    const char *name = design->interface[own->interface].field[field].name;
    const rtl_instance *record = rtl_instance_at(design, instance.id);
    if (!var) {
        rtl_error(design, design->location, "group '%s' of module '%s' has no '%s' for port '%s' of instance '%s'",
                  own->name, design->module[own->module].name, name, design->var[port].name, record->name);
        return false;
    }
    weir_rtl_direction inside = design->var[port].direction;
    weir_rtl_direction outside = design->var[var].direction;
    if (outside == WEIR_RTL_INTERNAL || outside == inside) return true;
    rtl_error(design, design->location, "%s '%s' of instance '%s' cannot be connected to '%s', which is an %s of '%s'",
              inside == WEIR_RTL_INPUT    ? "input"
              : inside == WEIR_RTL_OUTPUT ? "output"
                                          : "inout",
              design->var[port].name, record->name, design->var[var].name,
              outside == WEIR_RTL_INPUT    ? "input"
              : outside == WEIR_RTL_OUTPUT ? "output"
                                           : "inout",
              design->module[own->module].name);
    return false;
}

bool weir_rtl_connect_group(weir_rtl_design *design, weir_rtl_instance instance, const char *name, weir_rtl_group own) {
    if (!instance.id || !own.id) return false;
    const rtl_instance *record = rtl_instance_at(design, instance.id);
    const rtl_group *outside = rtl_group_at(design, own.id);
    weir_rtl_group group = weir_rtl_find_group(design, (weir_rtl_module){record->module}, name);
    const rtl_group *inside = rtl_group_at(design, group.id);
    if (!group.id || !inside->modport || inside->interface != outside->interface || outside->module != record->parent) {
        rtl_error(design, design->location,
                  "instance '%s' (module '%s') has no group '%s' of interface '%s' to connect to '%s'", record->name,
                  design->module[record->module].name, name, design->interface[outside->interface].name, outside->name);
        return false;
    }
    size_t errors = design->errors;
    for (uint32_t i = 0; i < design->interface[outside->interface].count; i++) {
        uint32_t port = rtl_group_at(design, group.id)->var[i];
        uint32_t var = rtl_group_at(design, own.id)->var[i];
        if (port && is_connectable(design, instance, port, var, rtl_group_at(design, own.id), i))
            weir_rtl_connect(design, instance, design->var[port].name, weir_rtl_read(design, (weir_rtl_var){var}));
    }
    return design->errors == errors;
}

/* ---- reading back ---- */

weir_rtl_var weir_rtl_group_var(weir_rtl_design *design, weir_rtl_group group, const char *field) {
    weir_rtl_var none = {0};
    if (!group.id) return none;
    const rtl_group *record = rtl_group_at(design, group.id);
    uint32_t index = find_field(design, record->interface, field);
    if (index < design->interface[record->interface].count && record->var[index])
        return (weir_rtl_var){record->var[index]};
    rtl_error(design, design->location, "group '%s' of module '%s' has no field '%s'", record->name,
              design->module[record->module].name, field);
    return none;
}

weir_rtl_interface_info weir_rtl_get_interface(const weir_rtl_design *design, weir_rtl_interface interface) {
    const rtl_interface *record = rtl_interface_at(design, interface.id);
    return (weir_rtl_interface_info){record->name, record->count, (uint32_t)record->modports.count};
}

weir_rtl_interface weir_rtl_find_interface(const weir_rtl_design *design, const char *name) {
    const rtl_label *label =
        rtl_labels_find(&design->types, RTL_INTERFACE_SCOPE, weir_strings_intern(design->strings, name));
    return (weir_rtl_interface){label ? label->number : 0};
}

weir_rtl_interface weir_rtl_next_interface(const weir_rtl_design *design, weir_rtl_interface interface) {
    return (weir_rtl_interface){interface.id + 1 < design->interface_count ? interface.id + 1 : 0};
}

weir_rtl_interface weir_rtl_first_interface(const weir_rtl_design *design) {
    return weir_rtl_next_interface(design, (weir_rtl_interface){0});
}

weir_rtl_interface_field_info weir_rtl_interface_field_at(const weir_rtl_design *design, weir_rtl_interface interface,
                                                          uint32_t index) {
    assert(index < rtl_interface_at(design, interface.id)->count);
    const rtl_signal *signal = &rtl_interface_at(design, interface.id)->field[index];
    return (weir_rtl_interface_field_info){signal->name, signal->shape, signal->kind};
}

weir_rtl_modport weir_rtl_modport_at(const weir_rtl_design *design, weir_rtl_interface interface, uint32_t index) {
    assert(index < rtl_interface_at(design, interface.id)->modports.count);
    return (weir_rtl_modport){rtl_interface_at(design, interface.id)->modports.id[index]};
}

weir_rtl_modport weir_rtl_find_modport(const weir_rtl_design *design, weir_rtl_interface interface, const char *name) {
    weir_rtl_modport none = {0};
    const rtl_ids *modports = &rtl_interface_at(design, interface.id)->modports;
    const char *own = weir_strings_intern(design->strings, name);
    for (size_t i = 0; interface.id && i < modports->count; i++)
        if (design->modport[modports->id[i]].name == own) return (weir_rtl_modport){modports->id[i]};
    return none;
}

const char *weir_rtl_modport_name(const weir_rtl_design *design, weir_rtl_modport modport) {
    return rtl_modport_at(design, modport.id)->name;
}

weir_rtl_direction weir_rtl_modport_direction(const weir_rtl_design *design, weir_rtl_modport modport, uint32_t field) {
    assert(field < rtl_interface_at(design, rtl_modport_at(design, modport.id)->interface)->count);
    return (weir_rtl_direction)rtl_modport_at(design, modport.id)->direction[field];
}

weir_rtl_group_info weir_rtl_get_group(const weir_rtl_design *design, weir_rtl_group group) {
    const rtl_group *record = rtl_group_at(design, group.id);
    return (weir_rtl_group_info){record->name,      {record->module},   {record->interface},
                                 {record->modport}, record->is_flipped, record->is_interface};
}

void weir_rtl_mark_group(weir_rtl_design *design, weir_rtl_group group, bool is_interface) {
    if (group.id) rtl_group_at(design, group.id)->is_interface = is_interface;
}

weir_rtl_group weir_rtl_find_group(const weir_rtl_design *design, weir_rtl_module module, const char *name) {
    rtl_name entry = rtl_names_find(design, module.id, weir_strings_intern(design->strings, name));
    return (weir_rtl_group){entry.kind == RTL_NAME_GROUP ? entry.id : 0};
}

size_t weir_rtl_group_count(const weir_rtl_design *design, weir_rtl_module module) {
    return rtl_module_at(design, module.id)->groups.count;
}

weir_rtl_group weir_rtl_group_at(const weir_rtl_design *design, weir_rtl_module module, size_t index) {
    assert(index < rtl_module_at(design, module.id)->groups.count);
    return (weir_rtl_group){rtl_module_at(design, module.id)->groups.id[index]};
}

weir_rtl_var weir_rtl_group_var_at(const weir_rtl_design *design, weir_rtl_group group, uint32_t field) {
    assert(field < rtl_interface_at(design, rtl_group_at(design, group.id)->interface)->count);
    return (weir_rtl_var){rtl_group_at(design, group.id)->var[field]};
}
