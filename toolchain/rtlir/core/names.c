/* Names: what is legal, what is free, what is near. Tables are hashed by the address of the interned text and only
 * looked up, never walked, so that no output depends on addresses. */
#include <stdlib.h>
#include <string.h>

#include "rtlir/core/private.h"
#include "support/keyword.h"
#include "support/suggest.h"

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
    case RTL_NAME_MODULE: return design->module[entry.id].name;
    case RTL_NAME_VAR:
        *scope = design->var[entry.id].module;
        if (design->var[entry.id].function) *scope = RTL_FUNCTION_SCOPE | design->var[entry.id].function;
        return design->var[entry.id].name;
    case RTL_NAME_FUNCTION: *scope = design->function[entry.id].module; return design->function[entry.id].name;
    case RTL_NAME_PARAMETER: *scope = design->parameter[entry.id].module; return design->parameter[entry.id].name;
    case RTL_NAME_INSTANCE: *scope = design->instance[entry.id].parent; return design->instance[entry.id].name;
    case RTL_NAME_FSM:
        *scope = design->fsm[entry.id].module;
        if (design->fsm[entry.id].parent) *scope = RTL_FSM_SCOPE | design->fsm[entry.id].parent;
        return design->fsm[entry.id].name;
    case RTL_NAME_GROUP: *scope = design->group[entry.id].module; return design->group[entry.id].name;
    case RTL_NAME_STATE: *scope = RTL_FSM_SCOPE | design->state[entry.id].fsm; return design->state[entry.id].name;
    case RTL_NAME_NONE: break;
    }
    return NULL;
}

/* The slot of the name, or the free one where it belongs. */
static size_t find_slot(const weir_rtl_design *design, uint32_t hash, uint32_t scope, const char *name) {
    const rtl_names *names = &design->names;
    size_t mask = names->capacity - 1;
    for (size_t at = hash & mask;; at = (at + 1) & mask) {
        const rtl_name_slot *slot = &names->slot[at];
        uint32_t found = 0;
        if (!slot->packed) return at;
        if (slot->hash == hash && name_of(design, unpack(slot->packed), &found) == name && found == scope) return at;
    }
}

rtl_name rtl_names_find(const weir_rtl_design *design, uint32_t scope, const char *name) {
    if (!design->names.capacity) return (rtl_name){RTL_NAME_NONE, 0};
    return unpack(design->names.slot[find_slot(design, hash_name(scope, name), scope, name)].packed);
}

static void grow_names(rtl_names *names) {
    rtl_names bigger = {.capacity = names->capacity ? names->capacity * 2 : 64, .count = names->count};
    bigger.slot = weir_calloc(bigger.capacity, sizeof *bigger.slot);
    for (size_t i = 0; i < names->capacity; i++) {
        if (!names->slot[i].packed) continue;
        size_t at = names->slot[i].hash & (bigger.capacity - 1);
        while (bigger.slot[at].packed) at = (at + 1) & (bigger.capacity - 1);
        bigger.slot[at] = names->slot[i];
    }
    free(names->slot);
    *names = bigger;
}

void rtl_names_add(weir_rtl_design *design, rtl_name entry) {
    rtl_names *names = &design->names;
    if (names->count * 4 >= names->capacity * 3) grow_names(names);
    uint32_t scope = 0;
    const char *name = name_of(design, entry, &scope);
    uint32_t hash = hash_name(scope, name);
    rtl_name_slot *slot = &names->slot[find_slot(design, hash, scope, name)];
    names->count += slot->packed == 0;
    *slot = (rtl_name_slot){.hash = hash, .packed = (uint32_t)entry.kind << 28 | entry.id};
}

/* Entries behind the freed slot move up when that brings them nearer to where they belong. */
void rtl_names_remove(weir_rtl_design *design, rtl_name entry) {
    rtl_names *names = &design->names;
    size_t mask = names->capacity - 1;
    uint32_t scope = 0;
    const char *name = name_of(design, entry, &scope);
    size_t hole = find_slot(design, hash_name(scope, name), scope, name);
    if (names->slot[hole].packed != ((uint32_t)entry.kind << 28 | entry.id)) return;
    for (size_t at = (hole + 1) & mask; names->slot[at].packed; at = (at + 1) & mask) {
        size_t home = names->slot[at].hash & mask;
        if (((at - home) & mask) < ((at - hole) & mask)) continue;
        names->slot[hole] = names->slot[at];
        hole = at;
    }
    names->slot[hole].packed = 0;
    names->count--;
}

static const char *const name_kinds[] = {"nothing",  "module",        "variable", "parameter", "instance",
                                         "function", "state machine", "state",    "group"};

static const char *scope_name(const weir_rtl_design *design, uint32_t scope) {
    if (scope & RTL_FUNCTION_SCOPE) return design->function[scope & ~RTL_FUNCTION_SCOPE].name;
    if (scope & RTL_FSM_SCOPE) return design->fsm[scope & ~RTL_FSM_SCOPE].name;
    return scope ? design->module[scope].name : "the design";
}

const char *rtl_legal_name(weir_rtl_design *design, uint32_t scope, const char *what, const char *name) {
    const char *own = weir_strings_intern(design->strings, name);
    const char *where = scope_name(design, scope);
    if (!is_identifier(own)) {
        rtl_error(design, design->place, "%s name '%s' in '%s' is not a simple Verilog identifier", what, own, where);
        return NULL;
    }
    if (weir_is_keyword(own)) {
        rtl_error(design, design->place, "%s name '%s' in '%s' is a reserved word", what, own, where);
        return NULL;
    }
    return own;
}

const char *rtl_new_name(weir_rtl_design *design, uint32_t scope, const char *what, const char *name) {
    const char *own = rtl_legal_name(design, scope, what, name);
    rtl_name taken = own ? rtl_names_find(design, scope, own) : (rtl_name){RTL_NAME_NONE, 0};
    if (!taken.id) return own;
    rtl_error(design, design->place, "%s name '%s' in '%s' is already the name of a %s", what, own,
              scope_name(design, scope), name_kinds[taken.kind]);
    return NULL;
}

/* ---- numbers by scope and text ---- */

static size_t label_slot(const rtl_labels *labels, uint32_t scope, const char *name) {
    size_t mask = labels->capacity - 1;
    size_t at = hash_name(scope, name) & mask;
    while (labels->slot[at].name && (labels->slot[at].name != name || labels->slot[at].scope != scope))
        at = (at + 1) & mask;
    return at;
}

const rtl_label *rtl_labels_find(const rtl_labels *labels, uint32_t scope, const char *name) {
    if (!labels->capacity) return NULL;
    const rtl_label *label = &labels->slot[label_slot(labels, scope, name)];
    return label->name ? label : NULL;
}

void rtl_labels_set(rtl_labels *labels, const rtl_label *label) {
    if (labels->count * 2 >= labels->capacity) {
        rtl_labels bigger = {.capacity = labels->capacity ? labels->capacity * 2 : 64, .count = labels->count};
        bigger.slot = weir_calloc(bigger.capacity, sizeof *bigger.slot);
        for (size_t i = 0; i < labels->capacity; i++)
            if (labels->slot[i].name)
                bigger.slot[label_slot(&bigger, labels->slot[i].scope, labels->slot[i].name)] = labels->slot[i];
        free(labels->slot);
        *labels = bigger;
    }
    rtl_label *slot = &labels->slot[label_slot(labels, label->scope, label->name)];
    labels->count += slot->name == NULL;
    *slot = *label;
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
    const rtl_ids *ports = &design->module[module].ports;
    const char **candidates = weir_malloc((ports->count + 1) * sizeof *candidates);
    for (size_t i = 0; i < ports->count; i++) candidates[i] = design->var[ports->id[i]].name;
    const char *nearest = weir_suggest(name, candidates, ports->count);
    free(candidates);
    return nearest;
}

const char *rtl_nearest_parameter(const weir_rtl_design *design, uint32_t module, const char *name) {
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
