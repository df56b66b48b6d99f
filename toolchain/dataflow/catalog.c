#include "dataflow/catalog.h"

#include <stdlib.h>
#include <string.h>

#include "dataflow/component.h"
#include "dataflow/cost/cost.h"
#include "dataflow/header.h"
#include "rtlir/reader/read.h"
#include "support/file/file.h"
#include "support/file/tree.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "support/text/suggest.h"
#include "support/text/table.h"

static const char *folding_of(const weir_component_rules *rules) {
    if (rules->foldings != NULL) return "sets the pace";
    return rules->pieces != NULL ? "keeps up, in pieces" : "keeps up";
}

/* "BEATS cycles a result" */
static void add_interval(const weir_header *header, weir_text *text) {
    weir_text_format(text, "%s cycle%s a %s", header->interval, strcmp(header->interval, "1") == 0 ? "" : "s",
                     header->unit);
}

/* Four cells: what the defaults take, "-" where nothing is known. */
static bool add_cost(const weir_component *component, const weir_device *device, weir_table *table) {
    weir_cost cost;
    bool known = false;
    weir_text parameters = {NULL, 0, 0};
    const bool fine = weir_cost_of_defaults(device, component->module, &cost, &known, &parameters);
    known &= component->rules->cost != NULL; /* else another component's instance */
    weir_text_free(&parameters);
    if (!fine) return false;
    const int64_t amounts[] = {cost.luts, cost.flip_flops, cost.multipliers, cost.memory_blocks};
    for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++) {
        if (known) weir_table_format(table, "%lld", (long long)amounts[i]);
        else weir_table_add(table, "-");
    }
    return true;
}

bool weir_catalog_print(const weir_device *device, weir_text *text) {
    static const char *const headers[] = {"component", "operator", "module",     "folding",     "does",  "interval",
                                          "latency",   "LUTs",     "flip-flops", "multipliers", "blocks"};
    weir_table *table = weir_table_new(headers, sizeof headers / sizeof *headers - (device == NULL ? 4 : 0));
    bool fine = true;
    for (size_t i = 0; fine && i < weir_component_count(); i++) {
        const weir_component *component = weir_component_at(i);
        weir_header header;
        weir_text interval = {NULL, 0, 0};
        if (!(fine = weir_header_read(component->module, &header))) break;
        add_interval(&header, &interval);
        weir_table_add(table, component->name);
        weir_table_add(table, weir_op_get(component->op)->full_name);
        weir_table_add(table, component->module);
        weir_table_add(table, folding_of(component->rules));
        weir_table_add(table, component->summary);
        weir_table_take(table, &interval);
        weir_table_add(table, header.latency);
        weir_header_free(&header);
        fine = device == NULL || add_cost(component, device, table);
    }
    if (fine) weir_table_print(table, WEIR_TABLE_PLAIN, text);
    weir_table_free(table);
    return fine;
}

static const weir_component *find(const char *name) {
    const char **names = weir_calloc(weir_component_count(), sizeof *names);
    const weir_component *found = NULL;
    for (size_t i = 0; i < weir_component_count(); i++) {
        const weir_component *component = weir_component_at(i);
        names[i] = component->name;
        bool named = strcmp(component->name, name) == 0 || strcmp(component->module, name) == 0 ||
                     strcmp(weir_op_get(component->op)->full_name, name) == 0;
        if (found == NULL && named) found = component;
    }
    if (found == NULL) {
        weir_error(WEIR_NOWHERE, "there is no component '%s'", name);
        const char *near = weir_suggest(name, names, weir_component_count());
        if (near != NULL) weir_note("did you mean '%s'?", near);
    }
    free(names);
    return found;
}

static bool print_cost(const weir_component *component, const weir_device *device, weir_text *text) {
    weir_cost cost;
    bool known = false;
    weir_text parameters = {NULL, 0, 0};
    weir_text_add(&parameters, "");
    const bool fine = weir_cost_of_defaults(device, component->module, &cost, &known, &parameters);
    known &= component->rules->cost != NULL;
    if (fine && known)
        weir_text_format(text,
                         "  cost      %lld LUTs, %lld flip-flops, %lld multipliers, %lld memory blocks of %s (%s)\n",
                         (long long)cost.luts, (long long)cost.flip_flops, (long long)cost.multipliers,
                         (long long)cost.memory_blocks, device->name, parameters.data);
    else if (fine) weir_text_add(text, "  cost      not known\n");
    weir_text_free(&parameters);
    return fine;
}

static size_t streams_of(const weir_component_rules *rules) {
    if (rules->streams == WEIR_COMPONENT_SOURCE) return 0;
    return rules->streams == 0 ? 1 : rules->streams;
}

bool weir_catalog_print_one(const char *name, const weir_device *device, weir_text *text) {
    const weir_component *component = find(name);
    weir_header header;
    if (component == NULL || !weir_header_read(component->module, &header)) return false;
    const weir_component_rules *rules = component->rules;
    weir_text settings = {NULL, 0, 0}, interval = {NULL, 0, 0};
    weir_component_setting_add_open(rules, &settings);
    add_interval(&header, &interval);
    weir_text_format(text, "%s: %s\n", component->name, component->summary);
    weir_text_format(text, "  operator  %s, %zu stream%s in\n", weir_op_get(component->op)->full_name,
                     streams_of(rules), streams_of(rules) == 1 ? "" : "s");
    weir_text_format(text, "  fits      %s\n", rules->asks == NULL ? "every such node" : rules->asks);
    weir_text_format(text, "  folding   %s\n", folding_of(rules));
    weir_text_format(text, "  settings  %s\n", settings.size == 0 ? "none" : settings.data);
    weir_text_format(text, "  module    %s\n", component->module);
    weir_text_format(text, "  latency   %s\n", header.latency);
    weir_text_format(text, "  interval  %s\n", interval.data);
    if (header.mapping != NULL) weir_text_format(text, "  mapping   %s\n", header.mapping);
    weir_text_free(&settings);
    weir_text_free(&interval);
    weir_header_free(&header);
    return device == NULL || print_cost(component, device, text);
}

/* --- JSON --- */

static json_t *text_or_null(const char *text) { return text == NULL ? json_null() : json_string(text); }

/* What the defaults take; null: not known. NULL after a reported error. */
static json_t *describe_cost(const weir_component *component, const weir_device *device) {
    weir_cost cost;
    bool known = false;
    weir_text parameters = {NULL, 0, 0};
    weir_text_add(&parameters, "");
    json_t *object = NULL;
    if (weir_cost_of_defaults(device, component->module, &cost, &known, &parameters))
        object =
            !known || component->rules->cost == NULL
                ? json_null()
                : json_pack("{s:s, s:s, s:I, s:I, s:I, s:I}", "device", device->name, "parameters", parameters.data,
                            "luts", (json_int_t)cost.luts, "flip_flops", (json_int_t)cost.flip_flops, "multipliers",
                            (json_int_t)cost.multipliers, "memory_blocks", (json_int_t)cost.memory_blocks);
    weir_text_free(&parameters);
    return object;
}

static json_t *describe(const weir_component *component, const weir_device *device) {
    const weir_component_rules *rules = component->rules;
    weir_header header;
    if (!weir_header_read(component->module, &header)) return NULL;
    json_t *settings = json_array();
    const char *name[WEIR_COMPONENT_SETTING_OPEN_MOST];
    const size_t count = weir_component_setting_open_names(rules, name);
    for (size_t i = 0; i < count; i++) json_array_append_new(settings, json_string(name[i]));
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:s, s:I, s:o, s:s, s:o, s:s, s:s, s:s, s:o}", "name", component->name, "operator",
                  weir_op_get(component->op)->full_name, "module", component->module, "does", component->summary,
                  "streams", (json_int_t)streams_of(rules), "fits", text_or_null(rules->asks), "folding",
                  folding_of(rules), "settings", settings, "latency", header.latency, "interval", header.interval,
                  "unit", header.unit, "mapping", text_or_null(header.mapping));
    weir_header_free(&header);
    if (device == NULL) return object;
    json_t *cost = describe_cost(component, device);
    if (cost != NULL) {
        json_object_set_new(object, "cost", cost);
        return object;
    }
    json_decref(object);
    return NULL;
}

json_t *weir_catalog_json(const weir_device *device) {
    json_t *list = json_array();
    for (size_t i = 0; list != NULL && i < weir_component_count(); i++) {
        json_t *object = describe(weir_component_at(i), device);
        if (object != NULL) json_array_append_new(list, object);
        else json_decref(list), list = NULL;
    }
    return list;
}

json_t *weir_catalog_json_one(const char *name, const weir_device *device) {
    const weir_component *component = find(name);
    return component == NULL ? NULL : describe(component, device);
}

/* --- pages --- */

static void print_components(weir_text *text) {
    static const char *const headers[] = {"component", "operator", "module", "does", "fits", "folding", "settings"};
    weir_table *table = weir_table_new(headers, sizeof headers / sizeof *headers);
    for (size_t i = 0; i < weir_component_count(); i++) {
        const weir_component *component = weir_component_at(i);
        weir_text settings = {NULL, 0, 0};
        weir_component_setting_add_open(component->rules, &settings);
        weir_table_add(table, component->name);
        weir_table_add(table, weir_op_get(component->op)->full_name);
        weir_table_add(table, component->module);
        weir_table_add(table, component->summary);
        weir_table_add(table, component->rules->asks == NULL ? "every node" : component->rules->asks);
        weir_table_add(table, folding_of(component->rules));
        weir_table_take(table, &settings);
    }
    weir_table_print(table, WEIR_TABLE_PIPE, text);
    weir_table_free(table);
}

typedef struct modules {
    const char *root;
    weir_table *table;
    bool fine;
} modules;

/* "WIDTH DEPTH" */
static bool add_parameters(const char *path, weir_table *table) {
    weir_rtl_design *design = weir_rtl_design_new();
    weir_rtl_module module = weir_rtl_read_module(design, path);
    weir_text text = {NULL, 0, 0};
    for (size_t i = 0; module.id != 0 && i < weir_rtl_get_module(design, module).parameter_count; i++) {
        weir_rtl_parameter_info info = weir_rtl_get_parameter(design, weir_rtl_parameter_at(design, module, i));
        if (!info.is_local) weir_text_format(&text, "%s%s", text.size == 0 ? "" : " ", info.name);
    }
    weir_table_take(table, &text);
    weir_rtl_design_free(design);
    return module.id != 0;
}

/* What is in check/ is no hardware: assertions of a simulation. */
static bool add_module(void *user, const char *path) {
    modules *m = user;
    const char *file = weir_path_name(path);
    const size_t size = strlen(file);
    if (size < 3 || strcmp(file + size - 2, ".v") != 0 || strncmp(path, "check/", 6) == 0) return true;
    char *name = weir_format("%.*s", (int)(size - 2), file), *full = weir_path_join(m->root, path);
    weir_header header = {NULL, NULL, NULL, NULL};
    weir_text interval = {NULL, 0, 0};
    m->fine = weir_header_read(name, &header);
    if (m->fine) {
        weir_table_format(m->table, "[%s](%s)", name, path);
        m->fine = add_parameters(full, m->table);
        weir_table_add(m->table, header.latency);
        add_interval(&header, &interval);
        weir_table_take(m->table, &interval);
        weir_table_add(m->table, header.mapping == NULL ? "" : header.mapping);
    }
    weir_header_free(&header);
    free(full);
    free(name);
    return m->fine;
}

bool weir_catalog_markdown(weir_text *text) {
    static const char *const headers[] = {"module", "parameters", "latency, cycles", "interval", "mapping"};
    char *data = weir_data_folder(), *root = data == NULL ? NULL : weir_path_join(data, "rtl");
    modules m = {root, weir_table_new(headers, sizeof headers / sizeof *headers), root != NULL};
    print_components(text);
    weir_text_char(text, '\n');
    if (m.fine) m.fine = weir_tree_walk(root, add_module, &m) && m.fine;
    if (m.fine) weir_table_print(m.table, WEIR_TABLE_PIPE, text);
    weir_table_free(m.table);
    free(root);
    free(data);
    return m.fine;
}
