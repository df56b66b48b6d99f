/* What variables, types, members of enums and interfaces are called in the text of a module: their own names, unless a
 * package or an interface of SystemVerilog gives them others. */
#include <stdlib.h>

#include "rtlir/core/print_private.h"

void rtl_add_scopes(const weir_rtl_design *design, uint32_t module, rtl_ids *scopes) {
    assert(module < design->module_count);
    rtl_ids_add(scopes, module);
    for (uint32_t i = design->block[design->module[module].body].first; i; i = design->stmt[i].next)
        if (design->stmt[i].kind == WEIR_RTL_STMT_FUNCTION) rtl_ids_add(scopes, RTL_FUNCTION_SCOPE | design->stmt[i].a);
}

/* ---- types and members ---- */

bool rtl_is_taken(const rtl_labels *taken, const char *name) { return rtl_labels_find(taken, 0, name) != NULL; }

bool rtl_is_in_scopes(const weir_rtl_design *design, const rtl_ids *s, const char *name) {
    if (rtl_names_find(design, 0, name).id) return true;
    for (size_t i = 0; i < s->count; i++)
        if (rtl_names_find(design, s->id[i], name).id) return true;
    return false;
}

bool rtl_has_name(const weir_rtl_design *design, const rtl_labels *taken, const char *name) {
    return rtl_is_taken(taken, name) || rtl_labels_find(&design->types, 0, name) ||
           rtl_labels_find(&design->fields, 0, name);
}

void rtl_print_member(rtl_writer *w, uint32_t field) {
    assert(field < w->design->field_count);
    rtl_put(w, w->names ? w->names->member[field] : w->design->field[field].name);
}

void rtl_put_type_name(rtl_writer *w, uint32_t type) {
    assert(type < w->design->type_count);
    rtl_put(w, w->names ? w->names->type[type] : w->design->type[type].name);
}

/* The named type at the end of dimensions, 0: none. */
uint32_t rtl_named_type(const weir_rtl_design *design, uint32_t type) {
    assert(type < design->type_count);
    while (design->type[type].kind >= WEIR_RTL_TYPE_ARRAY) type = design->type[type].element.type.id;
    return design->type[type].name ? type : 0;
}

const rtl_interfaces *rtl_interfaces_of(const rtl_writer *w) { return w->package ? w->package->interfaces : NULL; }

bool rtl_is_planned(const rtl_interfaces *own, uint32_t group) { return own && group && !own->plan[group].flat; }

uint32_t rtl_interface_of(const rtl_writer *w, uint32_t var) {
    assert(var < w->design->var_count);
    const uint32_t id = w->design->var[var].group;
    const rtl_interfaces *own = rtl_interfaces_of(w);
    if (!rtl_is_planned(own, id)) return 0;
    const rtl_group *group = &w->design->group[id];
    return group->modport && group->module == own->top ? 0 : id;
}

bool rtl_leads_interface(const weir_rtl_design *design, uint32_t var) {
    assert(var < design->var_count);
    const rtl_group *group = &design->group[design->var[var].group];
    bool leads = true;
    for (uint32_t f = 0; f < design->interface[group->interface].count; f++)
        leads = leads && (!group->var[f] || design->var[group->var[f]].port >= design->var[var].port);
    return leads;
}

void rtl_put_group_member(rtl_writer *w, const rtl_group *group, uint32_t field) {
    rtl_put(w, group->name);
    rtl_put_char(w, '.');
    rtl_put(w, w->design->interface[group->interface].field[field].name);
}

void rtl_put_var(rtl_writer *w, uint32_t var) {
    assert(var < w->design->var_count);
    const rtl_group *group = &w->design->group[rtl_interface_of(w, var)];
    uint32_t f = 0;
    if (group == w->design->group) {
        rtl_put(w, w->design->var[var].name);
        return;
    }
    while (group->var[f] != var) f++;
    rtl_put_group_member(w, group, f);
}

/* ---- names that the text needs besides those of the design ---- */

enum { GIVEN, WANTED }; /* scopes of the writer's labels */

static bool is_free(rtl_writer *w, const char *name) {
    if (w->module && !w->scopes.count) rtl_add_scopes(w->design, w->module, &w->scopes);
    return !rtl_is_in_scopes(w->design, &w->scopes, name) && !(w->names && rtl_is_taken(&w->names->given, name)) &&
           !rtl_labels_find(&w->spares, GIVEN, name);
}

void rtl_put_spare(rtl_writer *w, const char *wanted, const char *ending) {
    weir_text text = {0};
    weir_text_format(&text, "%s%s", wanted, ending);
    const char *first = weir_strings_intern(w->design->strings, text.data), *name = first;
    const rtl_label *known = rtl_labels_find(&w->spares, WANTED, first);
    rtl_label label = {.name = first, .scope = WANTED, .number = 0}; /* number: of characters that were added */
    for (uint32_t i = known ? known->number : 0; i > 0; i--) weir_text_char(&text, '_');
    for (; !known && !is_free(w, name = weir_strings_intern(w->design->strings, text.data)); label.number++)
        weir_text_char(&text, '_');
    if (!known) {
        rtl_labels_set(&w->spares, &label);
        rtl_labels_set(&w->spares, &(rtl_label){.name = name, .scope = GIVEN});
    }
    rtl_put(w, text.data);
    weir_text_free(&text);
}
