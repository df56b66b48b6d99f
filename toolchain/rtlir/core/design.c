/* The design: its tables, and what every item carries: comment, attributes, location, passes. */
#include "rtlir/core/rtl.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "rtlir/core/private.h"
#include "support/text/unreachable.h"

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
    RTL_APPEND(design, range);
    RTL_APPEND(design, type);
    RTL_APPEND(design, field);
    RTL_APPEND(design, function);
    RTL_APPEND(design, interface);
    RTL_APPEND(design, modport);
    RTL_APPEND(design, group);
    RTL_APPEND(design, fsm);
    RTL_APPEND(design, state);
    RTL_APPEND(design, loop);
    RTL_APPEND(design, assertion);
    RTL_APPEND(design, origin_entry);
    RTL_APPEND(design, extra);
    RTL_APPEND(design, attribute);
    RTL_APPEND(design, trail_entry);
    return design;
}

const char *weir_rtl_library(const weir_rtl_design *design) { return design->library; }

void weir_rtl_set_library(weir_rtl_design *design, const char *folder) {
    design->library = weir_strings_intern(design->strings, folder);
}

void weir_rtl_design_free(weir_rtl_design *design) {
    if (!design) return;
    for (size_t i = 1; i < design->module_count; i++) {
        free(design->module[i].ports.id);
        free(design->module[i].parameters.id);
        free(design->module[i].instances.id);
        free(design->module[i].groups.id);
    }
    for (size_t i = 1; i < design->function_count; i++) {
        free(design->function[i].arguments.id);
        free(design->function[i].locals.id);
    }
    for (size_t i = 1; i < design->interface_count; i++) {
        free(design->interface[i].field);
        free(design->interface[i].modports.id);
    }
#define FREE_TABLE(type, name) free(design->name);
    RTL_TABLES(FREE_TABLE)
#undef FREE_TABLE
#define FREE_LABELS(name) rtl_labels_free(&design->name);
    RTL_LABELS(FREE_LABELS)
#undef FREE_LABELS
    weir_map_free(&design->names);
    weir_map_free(&design->constants);
    if (!design->borrows_strings) weir_strings_free(design->strings);
    weir_arena_free(design->arena);
    free(design);
}

size_t weir_rtl_errors(const weir_rtl_design *design) { return design->errors; }

void rtl_append_number(weir_text *text, uint64_t value) {
    char digits[20];
    size_t at = sizeof digits;
    do digits[--at] = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    rtl_append(text, digits + at, sizeof digits - at);
}

void rtl_ids_add(rtl_ids *ids, uint32_t id) {
    ids->id = weir_grow(ids->id, &ids->capacity, ids->count + 1, sizeof *ids->id);
    ids->id[ids->count++] = id;
}

void rtl_ids_remove(rtl_ids *ids, uint32_t id) {
    size_t at = ids->count;
    while (at > 0 && ids->id[at - 1] != id) at--;
    if (at == 0) return;
    memmove(ids->id + at - 1, ids->id + at, (ids->count - at) * sizeof *ids->id);
    ids->count--;
}

/* ---- provenance, comments, attributes ---- */

void weir_rtl_set_location(weir_rtl_design *design, weir_location location) {
    design->origin = 0;
    design->location = location;
    design->subject = NULL;
    if (location.file) design->location.file = weir_strings_intern(design->strings, location.file);
}

void weir_rtl_set_subject(weir_rtl_design *design, const char *subject) {
    design->origin = 0;
    design->subject = subject ? weir_strings_intern(design->strings, subject) : NULL;
}

void weir_rtl_set_pass(weir_rtl_design *design, const char *pass) {
    design->origin = 0;
    design->pass = pass ? weir_strings_intern(design->strings, pass) : NULL;
}

uint32_t rtl_add_trail(weir_rtl_design *design, const char *pass, uint32_t previous) {
    const rtl_label *known = rtl_labels_find(&design->trails, previous, pass);
    if (known) return known->number;
    uint32_t trail = RTL_APPEND(design, trail_entry);
    design->trail_entry[trail].pass = pass;
    design->trail_entry[trail].previous = previous;
    rtl_label label = {.name = pass, .scope = previous, .number = trail};
    rtl_labels_set(&design->trails, &label);
    return trail;
}

rtl_common rtl_common_now(weir_rtl_design *design) {
    bool known = design->pass || design->location.file || design->subject;
    if (!design->origin && known && !design->keeps_origin) {
        uint32_t trail = design->pass ? rtl_add_trail(design, design->pass, 0) : 0;
        design->origin = RTL_APPEND(design, origin_entry);
        design->origin_entry[design->origin] = (rtl_origin){
            .file = design->location.file, .line = design->location.line, .subject = design->subject, .trail = trail};
    }
    return (rtl_common){.origin = design->origin};
}

weir_location rtl_location_of(const weir_rtl_design *design, const rtl_common *common) {
    const rtl_origin *origin = &design->origin_entry[common->origin];
    return weir_at(origin->file, origin->line);
}

const char *rtl_subject_of(const weir_rtl_design *design, const rtl_common *common) {
    return design->origin_entry[common->origin].subject;
}

const char *rtl_comment_of(const weir_rtl_design *design, const rtl_common *common) {
    return design->extra[common->extra].comment;
}

uint32_t rtl_attributes_of(const weir_rtl_design *design, const rtl_common *common) {
    return design->extra[common->extra].attributes;
}

rtl_common *rtl_common_of(const weir_rtl_design *design, weir_rtl_item item) {
    switch (item.kind) {
    case WEIR_RTL_ITEM_MODULE: return &rtl_module_at(design, item.id)->common;
    case WEIR_RTL_ITEM_VAR: return &rtl_var_at(design, item.id)->common;
    case WEIR_RTL_ITEM_PARAMETER: return &rtl_parameter_at(design, item.id)->common;
    case WEIR_RTL_ITEM_INSTANCE: return &rtl_instance_at(design, item.id)->common;
    case WEIR_RTL_ITEM_STMT: return &rtl_stmt_at(design, item.id)->common;
    }
    weir_unreachable("a kind of items");
}

void weir_rtl_touch(weir_rtl_design *design, weir_rtl_item item) {
    if (!item.id || !design->pass) return;
    rtl_common *common = rtl_common_of(design, item);
    const rtl_label *known = rtl_labels_find(&design->touched, common->origin, design->pass);
    if (known) {
        common->origin = known->number;
        return;
    }
    rtl_origin origin = design->origin_entry[common->origin];
    uint32_t next = common->origin;
    uint32_t t = origin.trail;
    while (t && design->trail_entry[t].pass != design->pass) t = design->trail_entry[t].previous;
    if (!t) {
        origin.trail = rtl_add_trail(design, design->pass, origin.trail);
        next = RTL_APPEND(design, origin_entry);
        design->origin_entry[next] = origin;
    }
    rtl_label label = {.name = design->pass, .scope = common->origin, .number = next};
    rtl_labels_set(&design->touched, &label);
    common->origin = next;
}

weir_rtl_item_info weir_rtl_get_item(const weir_rtl_design *design, weir_rtl_item item) {
    const rtl_common *common = rtl_common_of(design, item);
    weir_rtl_item_info info = {.comment = rtl_comment_of(design, common), .location = rtl_location_of(design, common)};
    for (uint32_t t = design->origin_entry[common->origin].trail; t; t = design->trail_entry[t].previous)
        info.pass_count++;
    for (uint32_t a = rtl_attributes_of(design, common); a; a = design->attribute[a].next) info.attribute_count++;
    return info;
}

const char *weir_rtl_item_pass(const weir_rtl_design *design, weir_rtl_item item, size_t index) {
    size_t skip = weir_rtl_get_item(design, item).pass_count - 1 - index;
    uint32_t t = design->origin_entry[rtl_common_of(design, item)->origin].trail;
    while (skip-- > 0) t = design->trail_entry[t].previous;
    return design->trail_entry[t].pass;
}

/* The item's entry for what few items have. */
static rtl_extra *extra_of(weir_rtl_design *design, weir_rtl_item item) {
    if (!rtl_common_of(design, item)->extra) {
        uint32_t id = RTL_APPEND(design, extra);
        rtl_common_of(design, item)->extra = id;
    }
    return &design->extra[rtl_common_of(design, item)->extra];
}

void weir_rtl_set_comment(weir_rtl_design *design, weir_rtl_item item, const char *text) {
    bool any = text && *text;
    if (item.id && (any || rtl_common_of(design, item)->extra))
        extra_of(design, item)->comment = any ? weir_strings_intern(design->strings, text) : NULL;
}

static void set_attribute(weir_rtl_design *design, weir_rtl_item item, const rtl_attribute *model) {
    if (!item.id) return;
    const char *name = weir_strings_intern(design->strings, model->name);
    if (!weir_rtl_name_is_legal(name)) {
        rtl_error(design, design->location, "attribute name '%s' is not a legal identifier", name);
        return;
    }
    uint32_t *link = &extra_of(design, item)->attributes;
    while (*link && design->attribute[*link].name != name) link = &design->attribute[*link].next;
    uint32_t id = *link;
    if (!id) {
        /* Growing the table moves what `link` may point into, so find the end again afterwards. */
        id = RTL_APPEND(design, attribute);
        link = &extra_of(design, item)->attributes;
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
    rtl_attribute attribute = {.name = name, .kind = WEIR_RTL_ATTRIBUTE_FLAG};
    set_attribute(design, item, &attribute);
}

void weir_rtl_set_attribute_string(weir_rtl_design *design, weir_rtl_item item, const char *name, const char *value) {
    rtl_attribute attribute = {.name = name, .text = value, .kind = WEIR_RTL_ATTRIBUTE_TEXT};
    set_attribute(design, item, &attribute);
}

void weir_rtl_set_attribute_integer(weir_rtl_design *design, weir_rtl_item item, const char *name, int64_t value) {
    rtl_attribute attribute = {.name = name, .integer = value, .kind = WEIR_RTL_ATTRIBUTE_INTEGER};
    set_attribute(design, item, &attribute);
}

void weir_rtl_remove_attribute(weir_rtl_design *design, weir_rtl_item item, const char *name) {
    if (!item.id || !rtl_common_of(design, item)->extra) return;
    uint32_t *link = &extra_of(design, item)->attributes;
    while (*link && strcmp(design->attribute[*link].name, name) != 0) link = &design->attribute[*link].next;
    if (*link) *link = design->attribute[*link].next;
}

void weir_rtl_copy_item(weir_rtl_design *design, weir_rtl_item from, weir_rtl_item to) {
    if (!from.id || !to.id) return;
    weir_rtl_set_comment(design, to, rtl_comment_of(design, rtl_common_of(design, from)));
    for (uint32_t a = rtl_attributes_of(design, rtl_common_of(design, from)); a; a = design->attribute[a].next) {
        rtl_attribute attribute = design->attribute[a];
        set_attribute(design, to, &attribute);
    }
    weir_rtl_copy_location(design, from, to);
}

void weir_rtl_copy_location(weir_rtl_design *design, weir_rtl_item from, weir_rtl_item to) {
    if (!from.id || !to.id) return;
    rtl_common_of(design, to)->origin = rtl_common_of(design, from)->origin;
    weir_rtl_touch(design, to);
}

/* ---- reading attributes ---- */

static const rtl_attribute *find_attribute(const weir_rtl_design *design, weir_rtl_item item, const char *name) {
    uint32_t a = item.id ? rtl_attributes_of(design, rtl_common_of(design, item)) : 0;
    while (a && strcmp(design->attribute[a].name, name) != 0) a = design->attribute[a].next;
    return a ? &design->attribute[a] : NULL;
}

bool weir_rtl_has_attributes(const weir_rtl_design *design, weir_rtl_item item) {
    return item.id && rtl_attributes_of(design, rtl_common_of(design, item)) != 0;
}

bool weir_rtl_has_attribute(const weir_rtl_design *design, weir_rtl_item item, const char *name) {
    return find_attribute(design, item, name) != NULL;
}

const char *weir_rtl_attribute_string(const weir_rtl_design *design, weir_rtl_item item, const char *name) {
    const rtl_attribute *attribute = find_attribute(design, item, name);
    return attribute ? attribute->text : NULL;
}

int64_t weir_rtl_attribute_integer(const weir_rtl_design *design, weir_rtl_item item, const char *name,
                                   int64_t otherwise) {
    const rtl_attribute *attribute = find_attribute(design, item, name);
    return attribute && attribute->kind == WEIR_RTL_ATTRIBUTE_INTEGER ? attribute->integer : otherwise;
}

size_t weir_rtl_id_limit(const weir_rtl_design *design, enum weir_rtl_item_kind kind) {
    switch (kind) {
    case WEIR_RTL_ITEM_MODULE: return design->module_count;
    case WEIR_RTL_ITEM_VAR: return design->var_count;
    case WEIR_RTL_ITEM_PARAMETER: return design->parameter_count;
    case WEIR_RTL_ITEM_INSTANCE: return design->instance_count;
    case WEIR_RTL_ITEM_STMT: return design->stmt_count;
    }
    weir_unreachable("a kind of items");
}

bool weir_rtl_attribute_flag(const weir_rtl_design *design, weir_rtl_item item, const char *name, bool otherwise) {
    const rtl_attribute *attribute = find_attribute(design, item, name);
    if (!attribute) return otherwise;
    if (attribute->kind == WEIR_RTL_ATTRIBUTE_TEXT) return strcmp(attribute->text, "false") != 0;
    return attribute->kind == WEIR_RTL_ATTRIBUTE_FLAG || attribute->integer != 0;
}

weir_rtl_attribute_info weir_rtl_attribute_at(const weir_rtl_design *design, weir_rtl_item item, size_t index) {
    uint32_t a = rtl_attributes_of(design, rtl_common_of(design, item));
    while (index-- > 0) a = design->attribute[a].next;
    const rtl_attribute *attribute = &design->attribute[a];
    return (weir_rtl_attribute_info){attribute->name, attribute->kind, attribute->text, attribute->integer};
}
