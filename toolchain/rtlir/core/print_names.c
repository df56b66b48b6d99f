/* What variables, types, members of enums and interfaces are called in the text of a module: their own names, unless a
 * package or an interface of SystemVerilog gives them others. */
#include <stdlib.h>

#include "rtlir/core/print_private.h"

void rtl_add_scopes(const weir_rtl_design *design, uint32_t module, rtl_ids *scopes) {
    rtl_ids_add(scopes, module);
    for (uint32_t i = design->block[design->module[module].body].first; i; i = design->stmt[i].next)
        if (design->stmt[i].kind == WEIR_RTL_STMT_FUNCTION) rtl_ids_add(scopes, RTL_FUNCTION_SCOPE | design->stmt[i].a);
}

/* ---- types and members ---- */

static void take(rtl_labels *taken, const char *name) {
    if (name) rtl_labels_set(taken, &(rtl_label){.name = name});
}

static bool is_taken(const rtl_labels *taken, const char *name) { return rtl_labels_find(taken, 0, name) != NULL; }

static void take_function(const weir_rtl_design *design, uint32_t stmt, rtl_labels *taken) {
    const rtl_function *function = rtl_function_of(design, &design->stmt[stmt]);
    take(taken, function->name);
    for (size_t i = 0; i < function->arguments.count; i++) take(taken, design->var[function->arguments.id[i]].name);
    for (size_t i = 0; i < function->locals.count; i++) take(taken, design->var[function->locals.id[i]].name);
}

void rtl_take_names(const weir_rtl_design *design, uint32_t id, rtl_labels *taken) {
    const rtl_module *module = &design->module[id];
    take(taken, module->name);
    for (size_t i = 0; i < module->parameters.count; i++) take(taken, design->parameter[module->parameters.id[i]].name);
    for (size_t i = 0; i < module->instances.count; i++) take(taken, design->instance[module->instances.id[i]].name);
    for (size_t i = 0; i < module->groups.count; i++) take(taken, design->group[module->groups.id[i]].name);
    for (uint32_t v = module->first_var; v; v = design->var[v].next)
        if (!design->var[v].is_path) take(taken, design->var[v].name);
    for (uint32_t s = design->block[module->body].first; s; s = design->stmt[s].next) {
        if (design->stmt[s].kind == WEIR_RTL_STMT_FUNCTION) take_function(design, s, taken);
        for (uint32_t i = s; i; i = rtl_walk_next(design, i, s))
            if (design->stmt[i].kind == WEIR_RTL_STMT_ASSERT)
                take(taken, rtl_assertion_of(design, &design->stmt[i])->call);
    }
}

void rtl_take_all(weir_rtl_design *design, rtl_labels *taken) {
    for (uint32_t i = 1; i < design->module_count; i++)
        if (!design->module[i].is_removed) rtl_take_names(design, i, taken);
    for (uint32_t i = 1; i < design->modport_count; i++) take(taken, design->modport[i].name);
    for (uint32_t i = 1; i < design->interface_count; i++)
        for (uint32_t f = 0; f < design->interface[i].count; f++) take(taken, design->interface[i].field[f].name);
    for (uint32_t t = 1; t < design->type_count; t++)
        for (uint32_t f = design->type[t].kind == WEIR_RTL_TYPE_ENUM ? 0 : design->type[t].first; f;
             f = design->field[f].next)
            take(taken, design->field[f].name);
    take(taken, weir_strings_intern(design->strings, "scope")); /* arguments of functions of the simulation */
    take(taken, weir_strings_intern(design->strings, "message"));
}

/* Modules count: one that is the top is an instance around what is in it. */
static bool is_in_scopes(const weir_rtl_design *design, const rtl_ids *s, const char *name) {
    if (rtl_names_find(design, 0, name).id) return true;
    for (size_t i = 0; i < s->count; i++)
        if (rtl_names_find(design, s->id[i], name).id) return true;
    return false;
}

bool rtl_has_name(const weir_rtl_design *design, const rtl_labels *taken, const char *name) {
    return is_taken(taken, name) || rtl_labels_find(&design->types, 0, name) ||
           rtl_labels_find(&design->fields, 0, name);
}

/* TYPE, TYPE_t or near that. */
static const char *name_type(weir_rtl_design *design, uint32_t type, const rtl_labels *taken, const rtl_labels *given) {
    const char *own = design->type[type].name, *name = own;
    if (!is_taken(taken, own)) return own;
    weir_text text = {0};
    weir_text_format(&text, "%s_t", own);
    while (rtl_has_name(design, taken, name = weir_strings_intern(design->strings, text.data)) || is_taken(given, name))
        weir_text_char(&text, '_');
    weir_text_free(&text);
    return name;
}

/* MEMBER, or where that means something else, or a type or several enums have it, TYPE_MEMBER, or near that. */
static const char *name_member(weir_rtl_design *design, uint32_t type, uint32_t field, const rtl_ids *scopes,
                               const rtl_labels *given) {
    const char *own = design->field[field].name, *name = own;
    const bool is_shared = rtl_labels_find(&design->fields, 0, own)->number != type ||
                           rtl_labels_find(&design->types, 0, own) || is_taken(given, own);
    if (!is_shared && !is_in_scopes(design, scopes, own)) return own;
    weir_text text = {0};
    weir_text_format(&text, "%s_%s", design->type[type].name, own);
    while (is_in_scopes(design, scopes, name = weir_strings_intern(design->strings, text.data)) ||
           rtl_has_name(design, given, name))
        weir_text_char(&text, '_');
    weir_text_free(&text);
    return name;
}

/* A word that is a type is one everywhere to the tools, even as the name of a field, of a port of an instance or of an
 * argument. */
rtl_type_names rtl_name_types(weir_rtl_design *design, const bool *used, const rtl_ids *scopes, const char *package) {
    rtl_type_names names = {.type = weir_calloc(design->type_count, sizeof *names.type),
                            .member = weir_calloc(design->field_count, sizeof *names.member)};
    rtl_labels taken = {0};
    if (package) rtl_take_all(design, &taken);
    if (package) take(&names.given, weir_strings_intern(design->strings, package));
    for (uint32_t t = 1; package && t < design->type_count; t++)
        if (used[t] && design->type[t].name)
            take(&names.given, names.type[t] = name_type(design, t, &taken, &names.given));
    for (uint32_t t = 1; t < design->type_count; t++) {
        if (!used[t] || design->type[t].kind != WEIR_RTL_TYPE_ENUM) continue;
        for (uint32_t f = design->type[t].first; f; f = design->field[f].next)
            take(&names.given, names.member[f] = name_member(design, t, f, scopes, &names.given));
    }
    rtl_labels_free(&taken);
    return names;
}

void rtl_free_type_names(rtl_type_names *names) {
    free(names->type);
    free(names->member);
    rtl_labels_free(&names->given);
    *names = (rtl_type_names){.type = NULL};
}

void rtl_print_member(rtl_writer *w, uint32_t field) {
    rtl_put(w, w->names ? w->names->member[field] : w->design->field[field].name);
}

void rtl_put_type_name(rtl_writer *w, uint32_t type) {
    rtl_put(w, w->names ? w->names->type[type] : w->design->type[type].name);
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

/* ---- names that the text needs besides those of the design ---- */

enum { GIVEN, WANTED }; /* scopes of the writer's labels */

static bool is_free(rtl_writer *w, const char *name) {
    if (w->module && !w->scopes.count) rtl_add_scopes(w->design, w->module, &w->scopes);
    return !is_in_scopes(w->design, &w->scopes, name) && !(w->names && is_taken(&w->names->given, name)) &&
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
