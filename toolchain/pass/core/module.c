/* Modules: plain arrays; properties and side data are sorted by name and found by bisection. */
#include "pass/core/module.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ir/graph/graph.h"
#include "pass/core/private.h"
#include "support/memory/arena.h"

typedef enum property_kind { PROPERTY_BOOL, PROPERTY_INT, PROPERTY_REAL, PROPERTY_STRING, PROPERTY_DATA } property_kind;

typedef struct property {
    char *name;
    property_kind kind;
    union {
        bool b;
        int64_t i;
        double r;
        char *s;
        struct {
            void *pointer;
            void (*release)(void *data);
        } data;
    } as;
} property;

typedef struct table {
    property *item;
    size_t count, capacity;
} table;

struct weir_module {
    char *name, *folder;
    weir_graph **graph;
    uint32_t *id;
    size_t graph_count, graph_capacity, id_capacity;
    uint32_t next_id;
    weir_rtl_design *design;
    weir_rtl_design *lent; /* in its place, or NULL */
    const weir_module_design_calls *calls;
    table properties, data;
};

static const weir_module_design_calls no_calls = {.release = NULL};

weir_module *weir_module_new(const char *name) {
    weir_module *module = weir_calloc(1, sizeof *module);
    module->name = weir_copy_string(name);
    module->folder = weir_copy_string(".");
    module->next_id = 1;
    module->calls = &no_calls;
    return module;
}

static void release_property(property *p) {
    if (p->kind == PROPERTY_STRING) {
        free(p->as.s);
    } else if (p->kind == PROPERTY_DATA && p->as.data.release) {
        p->as.data.release(p->as.data.pointer);
    }
}

static void free_table(table *t) {
    for (size_t i = 0; i < t->count; i++) {
        release_property(&t->item[i]);
        free(t->item[i].name);
    }
    free(t->item);
}

void weir_module_free(weir_module *module) {
    if (!module) {
        return;
    }
    free_table(&module->data);
    free_table(&module->properties);
    weir_module_set_design(module, NULL, NULL);
    for (size_t i = 0; i < module->graph_count; i++) {
        weir_graph_free(module->graph[i]);
    }
    free(module->graph);
    free(module->id);
    free(module->folder);
    free(module->name);
    free(module);
}

const char *weir_module_name(const weir_module *module) { return module->name; }

const char *weir_module_folder(const weir_module *module) { return module->folder; }

void weir_module_set_folder(weir_module *module, const char *folder) {
    char *copy = weir_copy_string(folder);
    free(module->folder);
    module->folder = copy;
}

/* --- graphs --- */
size_t weir_module_graph_count(const weir_module *module) { return module->graph_count; }

weir_graph *weir_module_graph(const weir_module *module, size_t index) {
    assert(index < module->graph_count);
    return module->graph[index];
}

weir_graph *weir_module_find_graph(const weir_module *module, const char *name) {
    for (size_t i = 0; i < module->graph_count; i++) {
        if (strcmp(weir_graph_name(module->graph[i]), name) == 0) {
            return module->graph[i];
        }
    }
    return NULL;
}

uint32_t weir_module_graph_id(const weir_module *module, size_t index) {
    assert(index < module->graph_count);
    return module->id[index];
}

void weir_module_add_graph(weir_module *module, weir_graph *graph) {
    assert(graph != NULL);
    size_t need = module->graph_count + 1;
    module->graph = weir_grow(module->graph, &module->graph_capacity, need, sizeof *module->graph);
    module->id = weir_grow(module->id, &module->id_capacity, need, sizeof *module->id);
    module->graph[module->graph_count] = graph;
    module->id[module->graph_count] = module->next_id++;
    module->graph_count = need;
}

void weir_module_replace_graph(weir_module *module, size_t index, weir_graph *graph) {
    assert(index < module->graph_count && graph != NULL);
    if (module->graph[index] != graph) {
        weir_graph_free(module->graph[index]);
        module->graph[index] = graph;
        module->id[index] = module->next_id++;
    }
}

weir_graph *weir_module_remove_graph(weir_module *module, size_t index) {
    assert(index < module->graph_count);
    weir_graph *graph = module->graph[index];
    size_t after = module->graph_count - index - 1;
    memmove(module->graph + index, module->graph + index + 1, after * sizeof *module->graph);
    memmove(module->id + index, module->id + index + 1, after * sizeof *module->id);
    module->graph_count--;
    return graph;
}

/* --- design --- */
weir_rtl_design *weir_module_design(const weir_module *module) { return module->lent ? module->lent : module->design; }

void weir_module_lend_design(weir_module *module, weir_rtl_design *design) { module->lent = design; }

const weir_module_design_calls *weir_module_design_functions(const weir_module *module) { return module->calls; }

void weir_module_set_design(weir_module *module, weir_rtl_design *design, const weir_module_design_calls *calls) {
    if (module->design && module->design != design && module->calls->release) {
        module->calls->release(module->design);
    }
    module->design = design;
    module->calls = calls ? calls : &no_calls;
}

/* --- tables --- */
/* Position of the name, or where it belongs. */
static size_t position(const table *t, const char *name, bool *found) {
    size_t low = 0, high = t->count;
    *found = false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(t->item[middle].name, name);
        if (order == 0) {
            *found = true;
            return middle;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static const property *find(const table *t, const char *name) {
    bool found;
    size_t at = position(t, name, &found);
    return found ? &t->item[at] : NULL;
}

/* Takes over what the value owns; the old value is released last, as the new one may be made from it. */
static void put(table *t, const char *name, property value) {
    bool found;
    size_t at = position(t, name, &found);
    if (found) {
        property old = t->item[at];
        value.name = old.name;
        t->item[at] = value;
        release_property(&old);
        return;
    }
    t->item = weir_grow(t->item, &t->capacity, t->count + 1, sizeof *t->item);
    memmove(t->item + at + 1, t->item + at, (t->count - at) * sizeof *t->item);
    value.name = weir_copy_string(name);
    t->item[at] = value;
    t->count++;
}

static void take_out(table *t, const char *name) {
    bool found;
    size_t at = position(t, name, &found);
    if (!found) {
        return;
    }
    property old = t->item[at];
    memmove(t->item + at, t->item + at + 1, (t->count - at - 1) * sizeof *t->item);
    t->count--;
    release_property(&old);
    free(old.name);
}

void weir_module_set_bool(weir_module *module, const char *name, bool value) {
    put(&module->properties, name, (property){.kind = PROPERTY_BOOL, .as.b = value});
}

void weir_module_set_int(weir_module *module, const char *name, int64_t value) {
    put(&module->properties, name, (property){.kind = PROPERTY_INT, .as.i = value});
}

void weir_module_set_real(weir_module *module, const char *name, double value) {
    put(&module->properties, name, (property){.kind = PROPERTY_REAL, .as.r = value});
}

void weir_module_set_string(weir_module *module, const char *name, const char *value) {
    put(&module->properties, name, (property){.kind = PROPERTY_STRING, .as.s = weir_copy_string(value)});
}

bool weir_module_bool(const weir_module *module, const char *name, bool otherwise) {
    const property *p = find(&module->properties, name);
    return p && p->kind == PROPERTY_BOOL ? p->as.b : otherwise;
}

int64_t weir_module_int(const weir_module *module, const char *name, int64_t otherwise) {
    const property *p = find(&module->properties, name);
    return p && p->kind == PROPERTY_INT ? p->as.i : otherwise;
}

double weir_module_real(const weir_module *module, const char *name, double otherwise) {
    const property *p = find(&module->properties, name);
    if (p && p->kind == PROPERTY_INT) {
        return (double)p->as.i;
    }
    return p && p->kind == PROPERTY_REAL ? p->as.r : otherwise;
}

const char *weir_module_string(const weir_module *module, const char *name, const char *otherwise) {
    const property *p = find(&module->properties, name);
    return p && p->kind == PROPERTY_STRING ? p->as.s : otherwise;
}

json_t *weir_module_properties(const weir_module *module) {
    json_t *all = json_object();
    for (size_t i = 0; i < module->properties.count; i++) {
        const property *p = &module->properties.item[i];
        json_t *value = p->kind == PROPERTY_BOOL   ? json_boolean(p->as.b)
                        : p->kind == PROPERTY_INT  ? json_integer(p->as.i)
                        : p->kind == PROPERTY_REAL ? json_real(p->as.r)
                                                   : json_string(p->as.s);
        json_object_set_new(all, p->name, value);
    }
    return all;
}

void weir_module_set_properties(weir_module *module, const json_t *properties) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)properties, name, value) {
        if (json_is_boolean(value)) {
            weir_module_set_bool(module, name, json_is_true(value));
        } else if (json_is_integer(value)) {
            weir_module_set_int(module, name, json_integer_value(value));
        } else if (json_is_real(value)) {
            weir_module_set_real(module, name, json_real_value(value));
        } else if (json_is_string(value)) {
            weir_module_set_string(module, name, json_string_value(value));
        }
    }
}

void weir_module_print_properties(const weir_module *module, weir_text *text) {
    for (size_t i = 0; i < module->properties.count; i++) {
        const property *p = &module->properties.item[i];
        weir_text_format(text, "%s = ", p->name);
        switch (p->kind) {
        case PROPERTY_BOOL: weir_text_add(text, p->as.b ? "true" : "false"); break;
        case PROPERTY_INT: weir_text_format(text, "%lld", (long long)p->as.i); break;
        case PROPERTY_REAL: weir_text_double(text, p->as.r); break;
        case PROPERTY_STRING: weir_text_quoted(text, p->as.s); break;
        case PROPERTY_DATA: break;
        }
        weir_text_char(text, '\n');
    }
}

void weir_module_set_data(weir_module *module, const char *name, void *data, void (*release)(void *data)) {
    assert(data != NULL || release == NULL);
    bool found;
    size_t at = position(&module->data, name, &found);
    if (!data) {
        take_out(&module->data, name);
    } else if (found && module->data.item[at].as.data.pointer == data) {
        module->data.item[at].as.data.release = release;
    } else {
        put(&module->data, name, (property){.kind = PROPERTY_DATA, .as.data = {.pointer = data, .release = release}});
    }
}

void *weir_module_data(const weir_module *module, const char *name) {
    const property *p = find(&module->data, name);
    return p ? p->as.data.pointer : NULL;
}

bool weir_module_is_plain(const weir_module *module) {
    return (!module->design || module->calls->print) && module->data.count == 0;
}
