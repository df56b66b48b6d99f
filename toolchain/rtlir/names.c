/* Names: what is legal, what is free, what is near. Tables are hashed by the address of the interned text and only
 * looked up, never walked, so that no output depends on addresses. */
#include <stdlib.h>
#include <string.h>

#include "rtlir/internal.h"
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

/* ---- tables of names ---- */

static size_t name_slot(const rtl_names *names, uint32_t scope, const char *name) {
    uint64_t h = ((uint64_t)(uintptr_t)name >> 3) * UINT64_C(0x9e3779b97f4a7c15) + scope * UINT64_C(0xc2b2ae3d27d4eb4f);
    h ^= h >> 29;
    size_t mask = names->capacity - 1;
    size_t slot = (size_t)h & mask;
    while (names->slot[slot].name && (names->slot[slot].name != name || names->slot[slot].scope != scope))
        slot = (slot + 1) & mask;
    return slot;
}

const rtl_name *rtl_names_find(const rtl_names *names, uint32_t scope, const char *name) {
    if (!names->capacity) return NULL;
    const rtl_name *entry = &names->slot[name_slot(names, scope, name)];
    return entry->name ? entry : NULL;
}

void rtl_names_set(rtl_names *names, const rtl_name *entry) {
    if (names->count * 2 >= names->capacity) {
        rtl_names bigger = {.capacity = names->capacity ? names->capacity * 2 : 64, .count = names->count};
        bigger.slot = weir_calloc(bigger.capacity, sizeof *bigger.slot);
        for (size_t i = 0; i < names->capacity; i++)
            if (names->slot[i].name)
                bigger.slot[name_slot(&bigger, names->slot[i].scope, names->slot[i].name)] = names->slot[i];
        free(names->slot);
        *names = bigger;
    }
    rtl_name *slot = &names->slot[name_slot(names, entry->scope, entry->name)];
    names->count += slot->name == NULL;
    *slot = *entry;
}

static const char *const name_kinds[] = {"module", "variable", "parameter", "instance", "counter", "path"};

const char *rtl_new_name(weir_rtl_design *design, uint32_t scope, const char *what, const char *name) {
    const char *own = weir_strings_intern(design->strings, name);
    const char *where = scope ? design->module[scope].name : "the design";
    if (!is_identifier(own)) {
        rtl_error(design, design->place, "%s name '%s' in '%s' is not a simple Verilog identifier", what, own, where);
        return NULL;
    }
    if (weir_is_keyword(own)) {
        rtl_error(design, design->place, "%s name '%s' in '%s' is a reserved word", what, own, where);
        return NULL;
    }
    const rtl_name *taken = rtl_names_find(&design->names, scope, own);
    if (taken) {
        rtl_error(design, design->place, "%s name '%s' in '%s' is already the name of a %s", what, own, where,
                  name_kinds[taken->kind]);
        return NULL;
    }
    return own;
}

/* ---- free names ---- */

static const char *free_name(weir_rtl_design *design, uint32_t scope, const char *wanted) {
    weir_text text = {0};
    if (!is_letter(wanted[0])) weir_text_add(&text, scope ? "n_" : "m_");
    for (const char *c = wanted; *c; c++) weir_text_char(&text, is_name_char(*c) ? *c : '_');
    if (weir_is_keyword(text.data)) weir_text_char(&text, '_');
    const char *base = weir_strings_intern(design->strings, text.data);
    const char *name = base;
    const rtl_name *counter = rtl_names_find(&design->counters, scope, base);
    uint32_t number = counter ? counter->id : 0;
    while (rtl_names_find(&design->names, scope, name)) {
        text.size = 0;
        weir_text_format(&text, "%s_%u", base, (unsigned)number++);
        name = weir_strings_intern(design->strings, text.data);
    }
    if (name != base) {
        rtl_name entry = {.name = base, .scope = scope, .id = number, .kind = RTL_NAME_COUNTER};
        rtl_names_set(&design->counters, &entry);
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
