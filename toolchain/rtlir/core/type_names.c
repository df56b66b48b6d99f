/* Names for the types and members of enums of a text, which mean nothing else where it is read. */
#include <stdlib.h>

#include "rtlir/core/print_private.h"

/* ---- names that are taken ---- */

static void take(rtl_labels *taken, const char *name) {
    if (name) rtl_labels_set(taken, &(rtl_label){.name = name});
}

static void take_function(const weir_rtl_design *design, uint32_t stmt, rtl_labels *taken) {
    assert(stmt < design->stmt_count);
    const rtl_function *function = rtl_function_of(design, &design->stmt[stmt]);
    take(taken, function->name);
    for (size_t i = 0; i < function->arguments.count; i++) take(taken, design->var[function->arguments.id[i]].name);
    for (size_t i = 0; i < function->locals.count; i++) take(taken, design->var[function->locals.id[i]].name);
}

void rtl_take_names(const weir_rtl_design *design, uint32_t id, rtl_labels *taken) {
    assert(id < design->module_count);
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

/* ---- names that are given ---- */

/* TYPE, TYPE_t or near that. */
static const char *name_type(weir_rtl_design *design, uint32_t type, const rtl_labels *taken, const rtl_labels *given) {
    assert(type < design->type_count);
    const char *own = design->type[type].name, *name = own;
    if (!rtl_is_taken(taken, own)) return own;
    weir_text text = {0};
    weir_text_format(&text, "%s_t", own);
    while (rtl_has_name(design, taken, name = weir_strings_intern(design->strings, text.data)) ||
           rtl_is_taken(given, name))
        weir_text_char(&text, '_');
    weir_text_free(&text);
    return name;
}

/* MEMBER, or where that means something else, or a type or several enums have it, TYPE_MEMBER, or near that. */
static const char *name_member(weir_rtl_design *design, uint32_t type, uint32_t field, const rtl_ids *scopes,
                               const rtl_labels *given) {
    assert(type < design->type_count);
    assert(field < design->field_count);
    const char *own = design->field[field].name, *name = own;
    const bool is_shared = rtl_labels_find(&design->fields, 0, own)->number != type ||
                           rtl_labels_find(&design->types, 0, own) || rtl_is_taken(given, own);
    if (!is_shared && !rtl_is_in_scopes(design, scopes, own)) return own;
    weir_text text = {0};
    weir_text_format(&text, "%s_%s", design->type[type].name, own);
    while (rtl_is_in_scopes(design, scopes, name = weir_strings_intern(design->strings, text.data)) ||
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
