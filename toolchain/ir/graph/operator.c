#include "ir/graph/operator.h"

#include <string.h>

#include "support/memory/arena.h"
#include "support/text/diag.h"

/* The only data here that is written to: see the header. */
static struct {
    const weir_operator **row;
    const struct weir_component **component;
    char **folder; /* of each component */
    size_t rows, row_capacity, components, component_capacity, folder_capacity;
} registered;

static bool fail(const weir_operator *row, const char *what) {
    weir_error(WEIR_NOWHERE, "operator '%s' cannot be registered: %s", row->info.full_name, what);
    return false;
}

static bool check(const weir_operator *row) {
    const weir_op_info *info = &row->info;
    const size_t domain = strlen(info->domain);
    if (domain == 0 || strcmp(info->domain, "weir") == 0) return fail(row, "expected a domain of your own");
    if (strncmp(info->full_name, info->domain, domain) != 0 || info->full_name[domain] != '.' ||
        strcmp(info->full_name + domain + 1, info->name) != 0)
        return fail(row, "expected the full name DOMAIN.NAME");
    if (info->class != WEIR_CLASS_TENSOR && info->class != WEIR_CLASS_INTEGER)
        return fail(row, "expected the class TENSOR or INTEGER");
    if (row->infer == NULL || row->kernel == NULL) return fail(row, "expected infer and kernel");
    if (weir_op_find_full(info->full_name) != WEIR_OP_NONE) return fail(row, "the name is in use");
    return true;
}

weir_op weir_operator_register(const weir_operator *row) {
    for (size_t i = 0; i < registered.rows; i++) {
        if (registered.row[i] == row) return (weir_op)(WEIR_OP_COUNT + i);
    }
    if (!check(row)) return WEIR_OP_NONE;
    registered.row = weir_grow(registered.row, &registered.row_capacity, registered.rows + 1, sizeof *registered.row);
    registered.row[registered.rows++] = row;
    return weir_op_add(&row->info);
}

const weir_operator *weir_operator_of(weir_op op) {
    return op < WEIR_OP_COUNT ? NULL : registered.row[op - WEIR_OP_COUNT];
}

bool weir_operator_add_component(const struct weir_component *component, const char *folder) {
    for (size_t i = 0; i < registered.components; i++) {
        if (registered.component[i] == component) return true;
    }
    registered.component = weir_grow(registered.component, &registered.component_capacity, registered.components + 1,
                                     sizeof *registered.component);
    registered.folder =
        weir_grow(registered.folder, &registered.folder_capacity, registered.components + 1, sizeof *registered.folder);
    registered.folder[registered.components] = weir_copy_string(folder);
    registered.component[registered.components++] = component;
    return true;
}

size_t weir_operator_component_count(void) { return registered.components; }

const struct weir_component *weir_operator_component(size_t index, const char **folder) {
    if (folder != NULL) *folder = registered.folder[index];
    return registered.component[index];
}
