/* A copy of a design under the same handles: tables and what belongs to one record alone are copied, names and texts,
 * which never change, are those of the original. */
#include <stdlib.h>

#include "rtlir/core/formula.h"
#include "rtlir/core/private.h"
#include "rtlir/edit/snapshot.h"

static void *copy_of(const void *data, size_t count, size_t size) {
    void *copy = weir_malloc((count ? count : 1) * size);
    if (count) memcpy(copy, data, count * size);
    return copy;
}

static void copy_ids(rtl_ids *ids) {
    ids->id = copy_of(ids->id, ids->count, sizeof *ids->id);
    ids->capacity = ids->count ? ids->count : 1;
}

static void copy_labels(rtl_labels *labels) {
    labels->map = weir_map_copy(&labels->map);
    labels->label = copy_of(labels->label, labels->count, sizeof *labels->label);
    labels->capacity = labels->count ? labels->count : 1;
}

/* What records have outside of their tables and may change. */
static void copy_payloads(weir_rtl_design *d) {
    for (size_t i = 1; i < d->module_count; i++) {
        copy_ids(&d->module[i].ports);
        copy_ids(&d->module[i].parameters);
        copy_ids(&d->module[i].instances);
        copy_ids(&d->module[i].groups);
    }
    for (size_t i = 1; i < d->function_count; i++) {
        copy_ids(&d->function[i].arguments);
        copy_ids(&d->function[i].locals);
    }
    for (size_t i = 1; i < d->interface_count; i++) {
        rtl_interface *interface = &d->interface[i];
        interface->field = copy_of(interface->field, interface->count, sizeof *interface->field);
        interface->capacity = interface->count ? interface->count : 1;
        copy_ids(&interface->modports);
    }
    for (size_t i = 1; i < d->group_count; i++) {
        const size_t count = d->interface[d->group[i].interface].count;
        uint32_t *var = weir_arena_array(d->arena, count + 1, sizeof *var);
        if (count) memcpy(var, d->group[i].var, count * sizeof *var);
        d->group[i].var = var;
    }
    for (size_t i = 1; i < d->instance_count; i++) {
        rtl_instance *instance = &d->instance[i];
        uint32_t *connection = weir_arena_array(d->arena, instance->connection_count + 1, sizeof *connection);
        rtl_value *override = weir_arena_array(d->arena, instance->override_count + 1, sizeof *override);
        if (instance->connection_count)
            memcpy(connection, instance->connection, instance->connection_count * sizeof *connection);
        if (instance->override_count) memcpy(override, instance->override, instance->override_count * sizeof *override);
        instance->connection = connection;
        instance->override = override;
    }
}

weir_rtl_design *weir_rtl_snapshot(const weir_rtl_design *design) {
    weir_rtl_design *d = copy_of(design, 1, sizeof *design);
    d->arena = weir_arena_new();
    d->borrows_strings = true;
    d->cursor = NULL;
#define COPY_TABLE(type, name)                                                                                         \
    d->name = copy_of(design->name, design->name##_count, sizeof *design->name);                                       \
    d->name##_capacity = design->name##_count ? design->name##_count : 1;
    RTL_TABLES(COPY_TABLE)
#undef COPY_TABLE
    copy_payloads(d);
    d->names = weir_map_copy(&design->names);
    d->constants = weir_map_copy(&design->constants);
#define COPY_LABELS(name) copy_labels(&d->name);
    RTL_LABELS(COPY_LABELS)
#undef COPY_LABELS
    return d;
}
