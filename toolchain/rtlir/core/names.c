/* Names: what is legal, what is free, what is near. Tables are hashed by the address of the interned text and only
 * looked up, never walked, so that no output depends on addresses. */
#include <stdlib.h>
#include <string.h>

#include "rtlir/core/private.h"
#include "support/text/keyword.h"
#include "support/text/suggest.h"

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static bool is_name_char(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

static bool is_identifier(const char *name) {
    if (!is_letter(name[0])) return false;
    while (is_name_char(*name) || *name == '$') name++;
    return *name == 0;
}

bool weir_rtl_name_is_legal(const char *name) { return is_identifier(name) && !weir_is_keyword(name); }

/* ---- what names mean ---- */

static uint32_t hash_name(uint32_t scope, const char *name) {
    uint64_t h = ((uint64_t)(uintptr_t)name >> 3) * UINT64_C(0x9e3779b97f4a7c15) + scope * UINT64_C(0xc2b2ae3d27d4eb4f);
    return (uint32_t)(h ^ h >> 29);
}

static rtl_name unpack(uint32_t packed) {
    return (rtl_name){.kind = (rtl_name_kind)(packed >> 28), .id = packed & UINT32_C(0xfffffff)};
}

/* The name and the scope of what an entry stands for. */
static const char *name_of(const weir_rtl_design *design, rtl_name entry, uint32_t *scope) {
    *scope = 0;
    switch (entry.kind) {
    case RTL_NAME_MODULE: return rtl_module_at(design, entry.id)->name;
    case RTL_NAME_VAR:
        *scope = rtl_var_at(design, entry.id)->module;
        if (rtl_var_at(design, entry.id)->function)
            *scope = RTL_FUNCTION_SCOPE | rtl_var_at(design, entry.id)->function;
        return rtl_var_at(design, entry.id)->name;
    case RTL_NAME_FUNCTION:
        *scope = rtl_function_at(design, entry.id)->module;
        return rtl_function_at(design, entry.id)->name;
    case RTL_NAME_PARAMETER:
        *scope = rtl_parameter_at(design, entry.id)->module;
        return rtl_parameter_at(design, entry.id)->name;
    case RTL_NAME_INSTANCE:
        *scope = rtl_instance_at(design, entry.id)->parent;
        return rtl_instance_at(design, entry.id)->name;
    case RTL_NAME_FSM:
        *scope = rtl_fsm_at(design, entry.id)->module;
        if (rtl_fsm_at(design, entry.id)->parent) *scope = RTL_FSM_SCOPE | rtl_fsm_at(design, entry.id)->parent;
        return rtl_fsm_at(design, entry.id)->name;
    case RTL_NAME_GROUP: *scope = rtl_group_at(design, entry.id)->module; return rtl_group_at(design, entry.id)->name;
    case RTL_NAME_STATE:
        *scope = RTL_FSM_SCOPE | rtl_state_at(design, entry.id)->fsm;
        return rtl_state_at(design, entry.id)->name;
    case RTL_NAME_NONE: break;
    }
    return NULL;
}

typedef struct name_wanted {
    const weir_rtl_design *design;
    const char *name;
    uint32_t scope;
} name_wanted;

static bool is_name(const void *user, uint64_t key, uint64_t packed) {
    (void)key;
    const name_wanted *w = user;
    uint32_t scope = 0;
    return name_of(w->design, unpack((uint32_t)packed), &scope) == w->name && scope == w->scope;
}

rtl_name rtl_names_find(const weir_rtl_design *design, uint32_t scope, const char *name) {
    const weir_map_entry *entry =
        weir_map_find_as(&design->names, hash_name(scope, name), is_name, &(name_wanted){design, name, scope});
    return entry == NULL ? (rtl_name){RTL_NAME_NONE, 0} : unpack((uint32_t)entry->value);
}

void rtl_names_add(weir_rtl_design *design, rtl_name entry) {
    bool is_new;
    name_wanted wanted = {.design = design};
    wanted.name = name_of(design, entry, &wanted.scope);
    weir_map_put_as(&design->names, hash_name(wanted.scope, wanted.name), is_name, &wanted, &is_new)->value =
        (uint32_t)entry.kind << 28 | entry.id;
}

/* Unless the name stands for something else by now. */
void rtl_names_remove(weir_rtl_design *design, rtl_name entry) {
    name_wanted wanted = {.design = design};
    wanted.name = name_of(design, entry, &wanted.scope);
    const uint32_t hash = hash_name(wanted.scope, wanted.name);
    const weir_map_entry *known = weir_map_find_as(&design->names, hash, is_name, &wanted);
    if (known != NULL && known->value == ((uint32_t)entry.kind << 28 | entry.id))
        weir_map_remove_as(&design->names, hash, is_name, &wanted);
}

static const char *const name_kinds[] = {"nothing",  "module",        "variable", "parameter", "instance",
                                         "function", "state machine", "state",    "group"};

static const char *scope_name(const weir_rtl_design *design, uint32_t scope) {
    if (scope & RTL_FUNCTION_SCOPE) return rtl_function_at(design, scope & ~RTL_FUNCTION_SCOPE)->name;
    if (scope & RTL_FSM_SCOPE) return rtl_fsm_at(design, scope & ~RTL_FSM_SCOPE)->name;
    assert(scope < design->module_count);
    return scope ? design->module[scope].name : "the design";
}

const char *rtl_legal_name(weir_rtl_design *design, uint32_t scope, const char *what, const char *name) {
    const char *own = weir_strings_intern(design->strings, name);
    const char *where = scope_name(design, scope);
    if (!is_identifier(own)) {
        rtl_error(design, design->location, "%s name '%s' in '%s' is not a simple Verilog identifier", what, own,
                  where);
        return NULL;
    }
    if (weir_is_keyword(own)) {
        rtl_error(design, design->location, "%s name '%s' in '%s' is a reserved word", what, own, where);
        return NULL;
    }
    return own;
}

const char *rtl_new_name(weir_rtl_design *design, uint32_t scope, const char *what, const char *name) {
    const char *own = rtl_legal_name(design, scope, what, name);
    rtl_name taken = own ? rtl_names_find(design, scope, own) : (rtl_name){RTL_NAME_NONE, 0};
    if (!taken.id) return own;
    rtl_error(design, design->location, "%s name '%s' in '%s' is already the name of a %s", what, own,
              scope_name(design, scope), name_kinds[taken.kind]);
    return NULL;
}

/* ---- numbers by scope and text ---- */

typedef struct label_wanted {
    const rtl_labels *labels;
    const char *name;
    uint32_t scope;
} label_wanted;

static bool is_label(const void *user, uint64_t index, uint64_t value) {
    (void)value;
    const label_wanted *w = user;
    const rtl_label *label = &w->labels->label[index];
    return label->name == w->name && label->scope == w->scope;
}

const rtl_label *rtl_labels_find(const rtl_labels *labels, uint32_t scope, const char *name) {
    const weir_map_entry *known =
        weir_map_find_as(&labels->map, hash_name(scope, name), is_label, &(label_wanted){labels, name, scope});
    return known == NULL ? NULL : &labels->label[known->key];
}

void rtl_labels_set(rtl_labels *labels, const rtl_label *label) {
    const label_wanted wanted = {labels, label->name, label->scope};
    bool is_new;
    weir_map_entry *entry =
        weir_map_put_as(&labels->map, hash_name(label->scope, label->name), is_label, &wanted, &is_new);
    if (is_new) {
        labels->label = weir_grow(labels->label, &labels->capacity, labels->count + 1, sizeof *labels->label);
        entry->key = labels->count++;
    }
    labels->label[entry->key] = *label;
}

void rtl_labels_free(rtl_labels *labels) {
    weir_map_free(&labels->map);
    free(labels->label);
    *labels = (rtl_labels){.label = NULL};
}

/* ---- free names ---- */

static const char *free_name(weir_rtl_design *design, uint32_t scope, const char *wanted) {
    weir_text text = {0};
    if (!is_letter(wanted[0])) weir_text_add(&text, scope ? "n_" : "m_");
    for (const char *c = wanted; *c; c++) weir_text_char(&text, is_name_char(*c) ? *c : '_');
    if (weir_is_keyword(text.data)) weir_text_char(&text, '_');
    const char *base = weir_strings_intern(design->strings, text.data);
    const char *name = base;
    const rtl_label *counter = rtl_labels_find(&design->counters, scope, base);
    uint32_t number = counter ? counter->number : 0;
    while (rtl_names_find(design, scope, name).id) {
        text.size = 0;
        weir_text_format(&text, "%s_%u", base, (unsigned)number++);
        name = weir_strings_intern(design->strings, text.data);
    }
    if (name != base) {
        rtl_label label = {.name = base, .scope = scope, .number = number};
        rtl_labels_set(&design->counters, &label);
    }
    weir_text_free(&text);
    return name;
}

const char *weir_rtl_free_name(weir_rtl_design *design, weir_rtl_module module, const char *wanted) {
    return free_name(design, module.id, wanted);
}

const char *weir_rtl_free_module_name(weir_rtl_design *design, const char *wanted) {
    return free_name(design, 0, wanted);
}

/* ---- suggestions ---- */

const char *rtl_nearest_port(const weir_rtl_design *design, uint32_t module, const char *name) {
    assert(module < design->module_count);
    const rtl_ids *ports = &design->module[module].ports;
    const char **candidates = weir_malloc((ports->count + 1) * sizeof *candidates);
    for (size_t i = 0; i < ports->count; i++) candidates[i] = design->var[ports->id[i]].name;
    const char *nearest = weir_suggest(name, candidates, ports->count);
    free(candidates);
    return nearest;
}

const char *rtl_nearest_parameter(const weir_rtl_design *design, uint32_t module, const char *name) {
    assert(module < design->module_count);
    const rtl_ids *parameters = &design->module[module].parameters;
    const char **candidates = weir_malloc((parameters->count + 1) * sizeof *candidates);
    size_t count = 0;
    for (size_t i = 0; i < parameters->count; i++)
        if (!design->parameter[parameters->id[i]].is_local)
            candidates[count++] = design->parameter[parameters->id[i]].name;
    const char *nearest = weir_suggest(name, candidates, count);
    free(candidates);
    return nearest;
}
