/* The design: its tables, and what every item carries: comment, attributes, place, passes. */
#include "rtlir/rtl.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "rtlir/internal.h"

weir_rtl_design *weir_rtl_design_new(void) {
    weir_rtl_design *design = weir_calloc(1, sizeof *design);
    design->arena = weir_arena_new();
    design->strings = weir_strings_new(design->arena);
    RTL_APPEND(design, module);
    RTL_APPEND(design, var);
    RTL_APPEND(design, parameter);
    RTL_APPEND(design, formula);
    RTL_APPEND(design, expr);
    RTL_APPEND(design, instance);
    RTL_APPEND(design, stmt);
    RTL_APPEND(design, block);
    RTL_APPEND(design, event);
    RTL_APPEND(design, attribute);
    RTL_APPEND(design, trail_entry);
    return design;
}

void weir_rtl_design_free(weir_rtl_design *design) {
    if (!design) return;
    for (size_t i = 1; i < design->module_count; i++) {
        free(design->module[i].ports.id);
        free(design->module[i].vars.id);
        free(design->module[i].parameters.id);
        free(design->module[i].instances.id);
    }
    free(design->module);
    free(design->var);
    free(design->parameter);
    free(design->formula);
    free(design->expr);
    free(design->instance);
    free(design->stmt);
    free(design->block);
    free(design->event);
    free(design->attribute);
    free(design->trail_entry);
    free(design->operand);
    free(design->word);
    free(design->names.slot);
    free(design->counters.slot);
    free(design->paths.slot);
    weir_strings_free(design->strings);
    weir_arena_free(design->arena);
    free(design);
}

size_t weir_rtl_errors(const weir_rtl_design *design) { return design->errors; }

void rtl_error(weir_rtl_design *design, weir_location place, const char *format, ...) {
    weir_text text = {0};
    va_list arguments;
    va_start(arguments, format);
    weir_text_vformat(&text, format, arguments);
    va_end(arguments);
    weir_error(place, "%s", text.data ? text.data : "");
    weir_text_free(&text);
    design->errors++;
}

void rtl_ids_add(rtl_ids *ids, uint32_t id) {
    ids->id = weir_grow(ids->id, &ids->capacity, ids->count + 1, sizeof *ids->id);
    ids->id[ids->count++] = id;
}

/* ---- provenance, comments, attributes ---- */

void weir_rtl_set_place(weir_rtl_design *design, weir_location place) {
    design->place = place;
    if (place.file) design->place.file = weir_strings_intern(design->strings, place.file);
}

void weir_rtl_set_pass(weir_rtl_design *design, const char *pass) {
    design->pass = pass ? weir_strings_intern(design->strings, pass) : NULL;
    design->trail = 0;
    if (!pass) return;
    design->trail = RTL_APPEND(design, trail_entry);
    design->trail_entry[design->trail].pass = design->pass;
}

rtl_common rtl_common_now(const weir_rtl_design *design) {
    rtl_common common = {.trail = design->trail, .place = design->place};
    return common;
}

rtl_common *rtl_common_of(const weir_rtl_design *design, weir_rtl_item item) {
    switch (item.kind) {
    case WEIR_RTL_ITEM_MODULE: return &design->module[item.id].common;
    case WEIR_RTL_ITEM_VAR: return &design->var[item.id].common;
    case WEIR_RTL_ITEM_PARAMETER: return &design->parameter[item.id].common;
    case WEIR_RTL_ITEM_INSTANCE: return &design->instance[item.id].common;
    case WEIR_RTL_ITEM_STMT: return &design->stmt[item.id].common;
    }
    return NULL;
}

void weir_rtl_touch(weir_rtl_design *design, weir_rtl_item item) {
    if (!item.id || !design->pass) return;
    rtl_common *common = rtl_common_of(design, item);
    for (uint32_t t = common->trail; t; t = design->trail_entry[t].previous)
        if (design->trail_entry[t].pass == design->pass) return;
    uint32_t trail = RTL_APPEND(design, trail_entry);
    design->trail_entry[trail].pass = design->pass;
    design->trail_entry[trail].previous = common->trail;
    common->trail = trail;
}

weir_rtl_item_info weir_rtl_get_item(const weir_rtl_design *design, weir_rtl_item item) {
    const rtl_common *common = rtl_common_of(design, item);
    weir_rtl_item_info info = {.comment = common->comment, .place = common->place};
    for (uint32_t t = common->trail; t; t = design->trail_entry[t].previous) info.pass_count++;
    return info;
}

const char *weir_rtl_item_pass(const weir_rtl_design *design, weir_rtl_item item, size_t index) {
    size_t skip = weir_rtl_get_item(design, item).pass_count - 1 - index;
    uint32_t t = rtl_common_of(design, item)->trail;
    while (skip-- > 0) t = design->trail_entry[t].previous;
    return design->trail_entry[t].pass;
}

void weir_rtl_set_comment(weir_rtl_design *design, weir_rtl_item item, const char *text) {
    if (item.id)
        rtl_common_of(design, item)->comment = text && *text ? weir_strings_intern(design->strings, text) : NULL;
}

static void set_attribute(weir_rtl_design *design, weir_rtl_item item, const rtl_attribute *model) {
    if (!item.id) return;
    const char *name = weir_strings_intern(design->strings, model->name);
    if (!weir_rtl_name_is_legal(name)) {
        rtl_error(design, design->place, "attribute name '%s' is not a legal identifier", name);
        return;
    }
    uint32_t *link = &rtl_common_of(design, item)->attributes;
    while (*link && design->attribute[*link].name != name) link = &design->attribute[*link].next;
    uint32_t id = *link;
    if (!id) {
        /* Growing the table moves what `link` may point into, so find the end again afterwards. */
        id = RTL_APPEND(design, attribute);
        link = &rtl_common_of(design, item)->attributes;
        while (*link) link = &design->attribute[*link].next;
        *link = id;
    }
    rtl_attribute *attribute = &design->attribute[id];
    uint32_t next = attribute->next;
    *attribute = *model;
    attribute->name = name;
    attribute->text = model->text ? weir_strings_intern(design->strings, model->text) : NULL;
    attribute->next = next;
}

void weir_rtl_set_attribute(weir_rtl_design *design, weir_rtl_item item, const char *name) {
    rtl_attribute attribute = {.name = name, .kind = RTL_ATTRIBUTE_FLAG};
    set_attribute(design, item, &attribute);
}

void weir_rtl_set_attribute_string(weir_rtl_design *design, weir_rtl_item item, const char *name, const char *value) {
    rtl_attribute attribute = {.name = name, .text = value, .kind = RTL_ATTRIBUTE_TEXT};
    set_attribute(design, item, &attribute);
}

void weir_rtl_set_attribute_integer(weir_rtl_design *design, weir_rtl_item item, const char *name, int64_t value) {
    rtl_attribute attribute = {.name = name, .integer = value, .kind = RTL_ATTRIBUTE_INTEGER};
    set_attribute(design, item, &attribute);
}

bool weir_rtl_has_attribute(const weir_rtl_design *design, weir_rtl_item item, const char *name) {
    if (!item.id) return false;
    for (uint32_t a = rtl_common_of(design, item)->attributes; a; a = design->attribute[a].next)
        if (strcmp(design->attribute[a].name, name) == 0) return true;
    return false;
}
