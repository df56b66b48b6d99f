/* load_node_meta_param: metadata from YAML. A value that follows from the graph is compared with it, any other one is
 * stored with its node. */
#include <stdlib.h>
#include <string.h>

#include "passes/interface/interface.h"
#include "passes/mase/metadata/node_meta.h"
#include "passes/mase/metadata/node_meta_param.h"
#include "support/memory/arena.h"
#include "support/text/suggest.h"
#include "support/text/yaml.h"

enum { DEPTH = 64 };

/* The position of the reader: which metadata of which node. */
typedef struct target {
    const char *node;
    const char *key[DEPTH]; /* the group first */
    size_t depth;
    json_t *facts; /* of the node: what the file adds */
    bool fine;
} target;

static void complain(target *p, weir_location location, const json_t *expected, const json_t *found) {
    weir_text path = {NULL, 0, 0};
    for (size_t i = 0; i < p->depth; i++) weir_text_format(&path, "%s%s", i == 0 ? "" : ".", p->key[i]);
    char *wanted = json_dumps(expected, JSON_COMPACT | JSON_ENCODE_ANY);
    char *given = json_dumps(found, JSON_COMPACT | JSON_ENCODE_ANY);
    weir_error(location, "'%s': %s is %s in the graph, found %s", p->node, path.data, wanted, given);
    free(wanted);
    free(given);
    weir_text_free(&path);
    p->fine = false;
}

static void read_mapping(target *p, const weir_yaml *mapping, const json_t *derived) {
    for (size_t i = 0; i < mapping->count; i++) {
        const weir_yaml *item = mapping->item[i];
        json_t *expected = json_object_get(derived, mapping->key[i]);
        p->key[p->depth++] = mapping->key[i];
        if (json_is_object(expected) && item->kind == WEIR_YAML_MAPPING) {
            read_mapping(p, item, expected);
        } else {
            json_t *found = weir_yaml_json(item);
            if (expected == NULL) {
                json_t *to = weir_node_meta_at(p->facts, p->key, p->depth - 1);
                json_object_set(to, mapping->key[i], found);
            } else if (!json_equal(expected, found)) {
                complain(p, mapping->key_location[i], expected, found);
            }
            json_decref(found);
        }
        p->depth--;
    }
}

/* The stored value that others follow from; false after a reported error. */
static bool read_limits(const weir_yaml *groups, json_t **limits) {
    const weir_yaml *hardware = weir_yaml_find(groups, weir_meta_group_name(WEIR_META_HARDWARE));
    bool there = hardware != NULL && hardware->kind == WEIR_YAML_MAPPING;
    const weir_yaml *list = there ? weir_yaml_find(hardware, WEIR_NODE_META_LIMITS) : NULL;
    *limits = NULL;
    if (list == NULL) return true;
    json_t *numbers = weir_yaml_json(list), *number;
    size_t index;
    bool fine = json_is_array(numbers) && json_array_size(numbers) > 0;
    json_array_foreach(numbers, index, number) { fine = fine && json_integer_value(number) >= 1; }
    if (fine) {
        *limits = numbers;
        return true;
    }
    weir_error(list->location, "%s: expected a list of numbers of at least 1", WEIR_NODE_META_LIMITS);
    json_decref(numbers);
    return false;
}

static bool read_node(const weir_fx_view *view, const weir_fx_node *node, const weir_yaml *groups, json_t *facts) {
    target p = {.node = node->name, .facts = facts, .fine = true};
    if (groups->kind != WEIR_YAML_MAPPING) {
        weir_error(groups->location, "'%s': expected the groups common, software and hardware", node->name);
        return false;
    }
    json_t *limits, *derived = json_object();
    p.fine = read_limits(groups, &limits);
    for (int i = 0; i < WEIR_META_GROUPS; i++) {
        weir_meta_group group = (weir_meta_group)i;
        json_object_set_new(derived, weir_meta_group_name(group), weir_node_meta_derived(view, node, group, limits));
    }
    for (size_t i = 0; i < groups->count; i++) {
        if (json_object_get(derived, groups->key[i]) != NULL && groups->item[i]->kind == WEIR_YAML_MAPPING) continue;
        weir_error(groups->key_location[i], "'%s': expected the groups common, software and hardware, found '%s'",
                   node->name, groups->key[i]);
        p.fine = false;
    }
    if (p.fine) read_mapping(&p, groups, derived);
    if (limits != NULL && p.fine) {
        static const char *const path[] = {"hardware"};
        json_object_set(weir_node_meta_at(facts, path, 1), WEIR_NODE_META_LIMITS, limits);
    }
    json_decref(limits);
    json_decref(derived);
    return p.fine;
}

static void report_unknown(const weir_fx_view *view, weir_location location, const char *name) {
    size_t count = weir_fx_view_count(view);
    const char **names = weir_calloc(count, sizeof *names);
    for (size_t i = 0; i < count; i++) names[i] = weir_fx_view_at(view, i)->name;
    const char *near = weir_suggest(name, names, count);
    weir_error(location, "no node '%s' in the graph", name);
    if (near != NULL) weir_note("did you mean '%s'?", near);
    free(names);
}

/* Facts by node name for all nodes of the file; NULL after reported errors. */
static json_t *read_nodes(const weir_fx_view *view, const weir_yaml *root) {
    json_t *positions = json_object(), *all = json_object();
    bool fine = true;
    for (size_t i = 0; i < weir_fx_view_count(view); i++)
        json_object_set_new(positions, weir_fx_view_at(view, i)->name, json_integer((json_int_t)i));
    for (size_t i = 0; i < root->count; i++) {
        const json_t *position = json_object_get(positions, root->key[i]);
        json_t *facts = json_object();
        json_object_set_new(all, root->key[i], facts);
        if (position == NULL) {
            report_unknown(view, root->key_location[i], root->key[i]);
            fine = false;
            continue;
        }
        const weir_fx_node *node = weir_fx_view_at(view, (size_t)json_integer_value(position));
        fine &= read_node(view, node, root->item[i], facts);
        if (fine && node->node.id == 0 && json_object_size(facts) > 0) {
            weir_error(root->key_location[i], "'%s' is not an operator: metadata can only be stored with operators",
                       node->name);
            fine = false;
        }
    }
    json_decref(positions);
    if (fine) return all;
    json_decref(all);
    return NULL;
}

static void store(weir_graph *graph, json_t *all) {
    const char *name;
    json_t *facts;
    json_object_foreach(all, name, facts) {
        weir_node node = weir_graph_find_node(graph, name);
        if (node.id == 0) continue;
        weir_metadata *metadata = weir_node_metadata(graph, node);
        weir_metadata_clear_facts(metadata);
        for (int i = 0; i < WEIR_META_GROUPS; i++) {
            json_t *group = json_object_get(facts, weir_meta_group_name((weir_meta_group)i));
            if (group != NULL) json_object_update(weir_metadata_facts(metadata, (weir_meta_group)i), group);
        }
    }
}

bool weir_node_meta_param_load(weir_graph *graph, const char *path) {
    weir_yaml *root = weir_yaml_read(path);
    if (root == NULL) return false;
    json_t *all = NULL;
    if (root->kind == WEIR_YAML_MAPPING) {
        weir_fx_view *view = weir_fx_view_new(graph);
        all = read_nodes(view, root);
        weir_fx_view_free(view);
    } else {
        weir_error(root->location, "expected a mapping of nodes");
    }
    if (all != NULL) store(graph, all);
    json_decref(all);
    weir_yaml_free(root);
    return all != NULL;
}

bool weir_pass_load_node_meta_param(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    weir_graph *graph = weir_interface_graph(module, pass);
    char *path = graph == NULL ? NULL : weir_interface_path(module, pass, "path", WEIR_NODE_META_PARAM_ENDING);
    (void)context;
    bool fine = path != NULL && weir_node_meta_param_load(graph, path);
    free(path);
    return fine;
}
