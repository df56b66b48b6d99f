/* Reading reproducers. The file is hostile input. */
#include <stdlib.h>
#include <string.h>

#include "ir/graph/graph.h"
#include "ir/graph/print.h"
#include "pass/core/private.h"
#include "pass/run/reproducer.h"
#include "rtlir/text/text.h"
#include "support/file/npy.h"
#include "support/memory/arena.h"
#include "support/text/base64.h"
#include "support/text/yaml.h"

bool weir_pass_reproducer_is(const char *path) {
    char start[sizeof WEIR_PASS_REPRODUCER_START] = "";
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(start, 1, sizeof start - 1, file) : 0;
    if (file) {
        fclose(file);
    }
    return size == sizeof start - 1 && strcmp(start, WEIR_PASS_REPRODUCER_START) == 0;
}

/* The member, when it is of the kind; else reports it. */
static const json_t *member(const json_t *object, const char *name, bool fits, const char *kind, const char *path) {
    if (!fits) {
        weir_error(weir_at(path, 0), "not a reproducer: expected %s '%s'", kind, name);
        return NULL;
    }
    return json_object_get(object, name);
}

static const char *string_of(const json_t *object, const char *name, const char *path) {
    bool fits = json_is_string(json_object_get(object, name));
    return json_string_value(member(object, name, fits, "a string", path));
}

static const json_t *array_of(const json_t *object, const char *name, const char *path) {
    return member(object, name, json_is_array(json_object_get(object, name)), "a list", path);
}

static const json_t *object_of(const json_t *object, const char *name, const char *path) {
    return member(object, name, json_is_object(json_object_get(object, name)), "a mapping", path);
}

static weir_graph *read_graph(const json_t *json, const char *path) {
    const char *text = string_of(json, "text", path), *constants = string_of(json, "constants", path);
    weir_text packed = {0};
    weir_archive archive;
    weir_graph *graph = NULL;
    if (!text || !constants) {
        return NULL;
    }
    if (!weir_base64_decode(constants, &packed) || packed.size == 0) {
        weir_error(weir_at(path, 0), "not a reproducer: 'constants' is not base64");
    } else if (weir_npz_parse(packed.data, packed.size, weir_at(path, 0), &archive)) {
        graph = weir_graph_parse(text, strlen(text), &archive, path);
        weir_archive_free(&archive);
    }
    weir_text_free(&packed);
    return graph;
}

/* False after a reported error; fine when there is none. */
static bool read_design(const json_t *root, weir_module *module, const char *path) {
    if (!json_object_get(root, "design")) {
        return true;
    }
    const char *text = string_of(root, "design", path);
    weir_rtl_design *design = text ? weir_rtl_parse_text(text, strlen(text), path) : NULL;
    if (design) {
        char *top = weir_copy_string(weir_module_string(module, "hardware.top", ""));
        weir_module_set_rtl(module, design, top);
        free(top);
    }
    return design != NULL;
}

static weir_module *read_module(const json_t *root, const char *path) {
    const char *name = string_of(root, "module", path);
    const json_t *graphs = array_of(root, "graphs", path), *properties = object_of(root, "properties", path);
    if (!name || !graphs || !properties) {
        return NULL;
    }
    weir_module *module = weir_module_new(name);
    weir_module_set_properties(module, properties);
    for (size_t i = 0; i < json_array_size(graphs); i++) {
        weir_graph *graph = read_graph(json_array_get(graphs, i), path);
        if (!graph) {
            weir_module_free(module);
            return NULL;
        }
        weir_module_add_graph(module, graph);
    }
    if (!read_design(root, module, path)) {
        weir_module_free(module);
        return NULL;
    }
    return module;
}

static bool take_names(const json_t *root, const char *list, weir_pass_context *context, const char *path,
                       bool (*take)(weir_pass_context *context, const char *names)) {
    const json_t *names = array_of(root, list, path);
    bool ok = names != NULL;
    for (size_t i = 0; ok && i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (!name) {
            weir_error(weir_at(path, 0), "not a reproducer: expected names in '%s'", list);
        }
        ok = name && take(context, name);
    }
    return ok;
}

static bool take_settings(const json_t *root, weir_pass_context *context, const char *path) {
    const json_t *level = json_object_get(root, "level"), *config = object_of(root, "config", path);
    if (!config || !member(root, "level", json_is_integer(level), "a number", path)) {
        return false;
    }
    json_int_t number = json_integer_value(level);
    bool ok = weir_pass_context_set_level(context, number < 0 || number > WEIR_PASS_LEVEL_MAX ? -1 : (int)number) &&
              take_names(root, "required", context, path, weir_pass_context_require) &&
              take_names(root, "disabled", context, path, weir_pass_context_disable) &&
              take_names(root, "holds", context, path, weir_pass_context_assume);
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)config, key, value) {
        const char *text = json_string_value(value);
        if (ok && !text) {
            weir_error(weir_at(path, 0), "not a reproducer: expected a string as 'config' '%s'", key);
        }
        ok = ok && text && weir_pass_config_set(context, key, text);
    }
    return ok;
}

bool weir_pass_reproducer_read(const char *path, weir_pass_context *context, weir_pass_reproducer *r) {
    *r = (weir_pass_reproducer){.module = NULL};
    weir_yaml *yaml = weir_yaml_read(path);
    if (!yaml) {
        return false;
    }
    json_t *root = weir_yaml_json(yaml);
    weir_yaml_free(yaml);
    const char *pipeline = string_of(root, "pipeline", path), *failure = string_of(root, "failure", path);
    if (pipeline && failure && take_settings(root, context, path)) {
        r->pipeline = weir_copy_string(pipeline);
        r->failure = weir_copy_string(failure);
        r->verified = json_is_true(json_object_get(root, "verified"));
        r->module = read_module(root, path);
    }
    json_decref(root);
    return r->module != NULL;
}

void weir_pass_reproducer_free(weir_pass_reproducer *r) {
    if (r->module) {
        weir_module_free(r->module);
    }
    free(r->pipeline);
    free(r->failure);
}
