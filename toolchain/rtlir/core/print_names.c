/* What variables, types, members of enums and interfaces are called in the text of a module: their own names, unless a
 * package or an interface of SystemVerilog gives them others. */
#include "rtlir/core/print_private.h"

void rtl_add_scopes(const weir_rtl_design *design, uint32_t module, rtl_ids *scopes) {
    rtl_ids_add(scopes, module);
    for (uint32_t i = design->block[design->module[module].body].first; i; i = design->stmt[i].next)
        if (design->stmt[i].kind == WEIR_RTL_STMT_FUNCTION) rtl_ids_add(scopes, RTL_FUNCTION_SCOPE | design->stmt[i].a);
}

static bool is_taken(const weir_rtl_design *design, const rtl_ids *s, const char *name) {
    for (size_t i = 0; i < s->count; i++)
        if (rtl_names_find(design, s->id[i], name).id) return true;
    return false;
}

/* Do several enums have a member of the name, or is there a type of it? */
static bool is_shared(const weir_rtl_design *design, uint32_t type, const char *name) {
    return rtl_labels_find(&design->fields, 0, name)->number != type ||
           rtl_labels_find(&design->types, 0, name) != NULL;
}

/* MEMBER, or where that is taken or shared TYPE_MEMBER, or near that. */
const char *rtl_member_name(const weir_rtl_design *design, uint32_t type, uint32_t field, const rtl_ids *s) {
    const char *own = design->field[field].name, *name = own;
    if (!is_shared(design, type, own) && !is_taken(design, s, own)) return own;
    weir_text text = {0};
    weir_text_format(&text, "%s_%s", design->type[type].name, own);
    while (is_taken(design, s, name = weir_strings_intern(design->strings, text.data))) weir_text_char(&text, '_');
    weir_text_free(&text);
    return name;
}

const char *rtl_type_name(const weir_rtl_design *design, uint32_t type, const rtl_ids *s) {
    const char *own = design->type[type].name, *name = own;
    if (!is_taken(design, s, own)) return own;
    weir_text text = {0};
    weir_text_format(&text, "%s_t", own);
    while (is_taken(design, s, name = weir_strings_intern(design->strings, text.data)) ||
           rtl_labels_find(&design->types, 0, name))
        weir_text_char(&text, '_');
    weir_text_free(&text);
    return name;
}

static const rtl_ids *own_scopes(rtl_writer *w) {
    if (w->module && !w->scopes.count) rtl_add_scopes(w->design, w->module, &w->scopes);
    return &w->scopes;
}

bool rtl_is_taken(rtl_writer *w, const char *name) { return is_taken(w->design, own_scopes(w), name); }

void rtl_print_member(rtl_writer *w, uint32_t type, uint32_t field) {
    if (rtl_is_system(w) && w->package) {
        rtl_put(w, w->package->member[field]);
        return;
    }
    rtl_put(w, rtl_member_name(w->design, type, field, own_scopes(w)));
}

void rtl_put_type_name(rtl_writer *w, uint32_t type) {
    rtl_put(w, w->package ? w->package->type[type] : w->design->type[type].name);
}

/* The named type at the end of dimensions, 0: none. */
uint32_t rtl_named_type(const weir_rtl_design *design, uint32_t type) {
    while (design->type[type].kind >= WEIR_RTL_TYPE_ARRAY) type = design->type[type].element.type.id;
    return design->type[type].name ? type : 0;
}

const rtl_interfaces *rtl_interfaces_of(const rtl_writer *w) { return w->package ? w->package->interfaces : NULL; }

bool rtl_is_planned(const rtl_interfaces *own, uint32_t group) { return own && group && !own->plan[group].flat; }

uint32_t rtl_interface_of(const rtl_writer *w, uint32_t var) {
    const uint32_t id = w->design->var[var].group;
    const rtl_interfaces *own = rtl_interfaces_of(w);
    if (!rtl_is_planned(own, id)) return 0;
    const rtl_group *group = &w->design->group[id];
    return group->modport && group->module == own->top ? 0 : id;
}

bool rtl_leads_interface(const weir_rtl_design *design, uint32_t var) {
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
    const rtl_group *group = &w->design->group[rtl_interface_of(w, var)];
    uint32_t f = 0;
    if (group == w->design->group) {
        rtl_put(w, w->design->var[var].name);
        return;
    }
    while (group->var[f] != var) f++;
    rtl_put_group_member(w, group, f);
}

void rtl_put_spare(rtl_writer *w, const char *wanted, const char *ending) {
    weir_text name = {0};
    weir_text_format(&name, "%s%s", wanted, ending);
    while (rtl_is_taken(w, weir_strings_intern(w->design->strings, name.data))) weir_text_char(&name, '_');
    rtl_put(w, name.data);
    weir_text_free(&name);
}
