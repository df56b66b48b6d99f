/* Workloads as lists of layers in YAML. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "dse/mapping/schema.h"
#include "dse/mapping/workload.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

typedef struct reader {
    weir_arena *arena;
    const weir_dse_mapping *mapping;
    weir_dse_workload *workload;
} reader;

static const char *const types[] = {"Max",  "Conv", "Pooling", "Add",         "Conv_downsample",
                                    "Gemm", "Pool", "MaxPool", "AveragePool", "GlobalAveragePool",
                                    NULL};

/* --- texts --- */

typedef struct cursor {
    const char *at;
    const weir_yaml *node;
    weir_arena *arena;
} cursor;

static void skip(cursor *c) { c->at += strspn(c->at, " \t"); }

static bool take(cursor *c, const char *token) {
    skip(c);
    const size_t length = strlen(token);
    if (strncmp(c->at, token, length) != 0) return false;
    c->at += length;
    return true;
}

/* A name in capitals; NULL: none here. */
static const char *take_name(cursor *c) {
    skip(c);
    size_t length = 0;
    while (isalnum((unsigned char)c->at[length]) || c->at[length] == '_') length++;
    if (length == 0 || isdigit((unsigned char)*c->at)) return NULL;
    char *name = weir_arena_format(c->arena, "%.*s", (int)length, c->at);
    for (char *p = name; *p != '\0'; p++) *p = (char)toupper((unsigned char)*p);
    c->at += length;
    return name;
}

/* "2*" or nothing, which is 1. */
static bool take_factor(cursor *c, int64_t *factor) {
    skip(c);
    *factor = 1;
    if (!isdigit((unsigned char)*c->at)) return true;
    char *end;
    *factor = strtoll(c->at, &end, 10);
    c->at = end;
    return *factor >= 1 && *factor <= INT32_MAX && take(c, "*");
}

/* Index of a loop, from dim_count on of a relation's name; -1: neither. */
static int find_index(const weir_dse_layer *layer, const char *name) {
    const int dim = weir_dse_layer_dim(layer, name);
    for (int i = 0; dim < 0 && i < layer->relation_count; i++)
        if (strcmp(layer->relation[i].name, name) == 0) return layer->dim_count + i;
    return dim;
}

/* "O[b][k]" */
static bool take_operand(cursor *c, weir_dse_layer *layer) {
    const char *name = take_name(c);
    if (name == NULL || strlen(name) != 1 || strchr("OWI", *name) == NULL || layer->operand_count == 3)
        return weir_dse_schema_expected(c->node, "an equation of O, W and I, such as O[d][k]+=I[d][c]*W[c][k]");
    weir_dse_operand *o = &layer->operand[layer->operand_count++];
    o->name = *name;
    for (int i = 0; i + 1 < layer->operand_count; i++)
        if (layer->operand[i].name == *name) return weir_dse_schema_expected(c->node, "each operand once");
    while (take(c, "[")) {
        const char *index = take_name(c);
        const int dim = index == NULL ? -1 : find_index(layer, index);
        if (dim < 0 || !take(c, "]") || o->relevant_count == WEIR_DSE_DIMS) {
            weir_error(c->node->location, "equation: '%s' is neither a loop nor the name of a relation",
                       index == NULL ? "" : index);
            return false;
        }
        o->relevant[o->relevant_count++] = (uint8_t)dim;
    }
    return true;
}

static bool read_equation(const reader *r, const weir_yaml *node, weir_dse_layer *layer) {
    if (!weir_dse_schema_text(node, "an equation", r->arena, &layer->equation)) return false;
    cursor c = {layer->equation, node, r->arena};
    if (!take_operand(&c, layer)) return false;
    if (layer->operand[0].name != 'O' || !(take(&c, "+=") || take(&c, "=")))
        return weir_dse_schema_expected(node, "an equation that begins with O[...]+= or O[...]=");
    do {
        if (!take_operand(&c, layer)) return false;
    } while (take(&c, "*") || take(&c, "++") || take(&c, "+"));
    skip(&c);
    return *c.at == '\0' || weir_dse_schema_expected(node, "an equation with one or two inputs");
}

/* "ix=2*ox+1*fx" */
static bool read_relation(const reader *r, const weir_yaml *node, weir_dse_layer *layer) {
    static const char expected[] = "a relation of two loops, such as ix=2*ox+1*fx";
    const char *text;
    if (!weir_dse_schema_text(node, expected, r->arena, &text)) return false;
    if (layer->relation_count == WEIR_DSE_RELATIONS) return weir_dse_schema_expected(node, "at most 4 relations");
    weir_dse_relation *relation = &layer->relation[layer->relation_count];
    cursor c = {text, node, r->arena};
    relation->name = take_name(&c);
    bool fine = relation->name != NULL && find_index(layer, relation->name) < 0 && take(&c, "=");
    for (int i = 0; fine && i < 2; i++) {
        const char *name = NULL;
        fine = (i == 0 || take(&c, "+")) && take_factor(&c, &relation->factor[i]) && (name = take_name(&c)) != NULL;
        const int dim = fine ? weir_dse_layer_dim(layer, name) : -1;
        fine = dim >= 0;
        relation->dim[i] = (uint8_t)dim;
    }
    skip(&c);
    if (!fine || *c.at != '\0' || relation->dim[0] == relation->dim[1]) return weir_dse_schema_expected(node, expected);
    layer->relation_count++;
    return true;
}

/* --- fields --- */

static bool read_loops(const reader *r, const weir_yaml *map, weir_dse_layer *layer) {
    const weir_yaml *dims = weir_dse_schema_need(map, "layer", "loop_dims");
    const weir_yaml *sizes = weir_dse_schema_need(map, "layer", "loop_sizes");
    if (dims == NULL || sizes == NULL || !weir_dse_schema_kind(dims, WEIR_YAML_SEQUENCE, "a list of loops") ||
        !weir_dse_schema_kind(sizes, WEIR_YAML_SEQUENCE, "a list of sizes"))
        return false;
    if (dims->count == 0 || dims->count != sizes->count || dims->count > WEIR_DSE_DIMS - WEIR_DSE_RELATIONS)
        return weir_dse_schema_expected(sizes, "1 to 12 loops with a size each");
    for (size_t i = 0; i < dims->count; i++) {
        const char *name;
        if (!weir_dse_schema_name(dims->item[i], "the name of a loop", r->arena, &name) ||
            !weir_yaml_int(sizes->item[i], 1, INT32_MAX, &layer->size[i]))
            return false;
        if (weir_dse_layer_dim(layer, name) >= 0) return weir_dse_schema_expected(dims->item[i], "each loop once");
        layer->dim[layer->dim_count++] = name;
    }
    return true;
}

static bool read_precision(const weir_yaml *map, weir_dse_layer *layer) {
    const weir_yaml *node = weir_dse_schema_need(map, "layer", "operand_precision");
    if (node == NULL || !weir_dse_schema_kind(node, WEIR_YAML_MAPPING, "a mapping of operands to bits")) return false;
    int64_t bits;
    for (int i = 0; i < layer->operand_count; i++) {
        const char name[] = {layer->operand[i].name, '\0'};
        if (!weir_dse_schema_count(node, "operand_precision", name, 0, &bits)) return false;
        layer->operand[i].precision = (double)bits;
    }
    if (!weir_dse_schema_count(node, "operand_precision", "O_final", 0, &bits)) return false;
    layer->final_precision = (double)bits;
    return true;
}

static bool read_sources(const weir_yaml *map, weir_dse_layer *layer) {
    const weir_yaml *node = weir_dse_schema_need(map, "layer", "operand_source");
    if (node == NULL || !weir_dse_schema_kind(node, WEIR_YAML_MAPPING, "a mapping of operands to ids of layers"))
        return false;
    for (int i = 1; i < layer->operand_count; i++) {
        weir_dse_operand *o = &layer->operand[i];
        const char name[] = {o->name, '\0'};
        if (!weir_dse_schema_count(node, "operand_source", name, 0, &o->source)) return false;
        o->is_constant = o->source == layer->id;
    }
    return true;
}

static int find_relation(const weir_dse_layer *layer, const char *name) {
    const int index = find_index(layer, name);
    return index < layer->dim_count ? -1 : index - layer->dim_count;
}

/* pr_loop_dims, pr_loop_sizes and padding: the sizes of the relations' indices. */
static bool read_totals(const reader *r, const weir_yaml *map, weir_dse_layer *layer, bool *has_totals,
                        int64_t *padding) {
    const weir_yaml *dims = weir_yaml_find(map, "pr_loop_dims"), *sizes = weir_yaml_find(map, "pr_loop_sizes");
    const weir_yaml *pads = weir_yaml_find(map, "padding");
    if (dims == NULL) return true;
    if (!weir_dse_schema_kind(dims, WEIR_YAML_SEQUENCE, "a list of relations") ||
        (sizes != NULL && !weir_dse_schema_kind(sizes, WEIR_YAML_SEQUENCE, "a list of sizes")) ||
        (pads != NULL && !weir_dse_schema_kind(pads, WEIR_YAML_SEQUENCE, "a list of pairs")))
        return false;
    if ((sizes != NULL && sizes->count != dims->count) || (pads != NULL && pads->count != dims->count))
        return weir_dse_schema_expected(dims, "as many relations as sizes and paddings");
    *has_totals = sizes != NULL && sizes->count > 0 && (int)sizes->count == layer->relation_count;
    for (size_t i = 0; i < dims->count; i++) {
        const char *name;
        int64_t size = 0, before = 0, after = 0;
        if (!weir_dse_schema_name(dims->item[i], "the name of a relation", r->arena, &name)) return false;
        const int relation = find_relation(layer, name);
        if (relation < 0) return weir_dse_schema_expected(dims->item[i], "the name of a relation");
        if (sizes != NULL && !weir_yaml_int(sizes->item[i], 1, INT32_MAX, &size)) return false;
        layer->relation[relation].total = (double)size;
        if (pads == NULL) continue;
        const weir_yaml *pair = pads->item[i];
        if (pair->kind != WEIR_YAML_SEQUENCE || pair->count != 2)
            return weir_dse_schema_expected(pair, "a pair of numbers");
        if (!weir_yaml_int(pair->item[0], 0, INT32_MAX, &before) || !weir_yaml_int(pair->item[1], 0, INT32_MAX, &after))
            return false;
        padding[relation] = before + after;
    }
    return true;
}

static bool read_head(const reader *r, const weir_yaml *map, weir_dse_layer *layer) {
    const weir_yaml *type = weir_dse_schema_need(map, "layer", "operator_type"), *name = weir_yaml_find(map, "name");
    layer->location = weir_at(r->workload->path, map->location.line);
    if (type == NULL || !weir_dse_schema_count(map, "layer", "id", 0, &layer->id)) return false;
    const int known = weir_dse_schema_word(type, "a type of operator", types);
    if (known < 0) return false;
    layer->type = types[known];
    layer->name = weir_arena_format(r->arena, "Layer%lld", (long long)layer->id);
    return name == NULL || weir_dse_schema_text(name, "the name of a layer", r->arena, &layer->name);
}

static bool read_layer(const reader *r, const weir_yaml *map, weir_dse_layer *layer) {
    static const char *const keys[] = {"id",
                                       "name",
                                       "operator_type",
                                       "equation",
                                       "dimension_relations",
                                       "loop_dims",
                                       "loop_sizes",
                                       "operand_precision",
                                       "operand_source",
                                       "pr_loop_dims",
                                       "pr_loop_sizes",
                                       "padding",
                                       NULL};
    int64_t padding[WEIR_DSE_RELATIONS] = {0};
    bool has_totals = false;
    if (!weir_dse_schema_keys(map, "layer", keys) || !read_head(r, map, layer) || !read_loops(r, map, layer))
        return false;
    const weir_yaml *relations = weir_yaml_find(map, "dimension_relations");
    const weir_yaml *equation = weir_dse_schema_need(map, "layer", "equation");
    if (relations != NULL && !weir_dse_schema_kind(relations, WEIR_YAML_SEQUENCE, "a list of relations")) return false;
    for (size_t i = 0; relations != NULL && i < relations->count; i++)
        if (!read_relation(r, relations->item[i], layer)) return false;
    if (equation == NULL || !read_equation(r, equation, layer) || !read_precision(map, layer) ||
        !read_sources(map, layer) || !read_totals(r, map, layer, &has_totals, padding))
        return false;
    if (!weir_dse_layer_derive(layer, has_totals, padding))
        return weir_dse_schema_expected(map, "a layer of at most 2^53 operations");
    return weir_dse_workload_map(layer, r->mapping);
}

/* --- the network --- */

static int find_layer(const weir_dse_workload *w, int64_t id) {
    for (int i = 0; i < w->count; i++)
        if (w->node[i].layer->id == id) return i;
    return -1;
}

static bool connect(const reader *r, const weir_yaml *root) {
    weir_dse_workload *w = r->workload;
    for (int i = 0; i < w->count; i++) {
        weir_dse_node *node = &w->node[i];
        node->source = weir_arena_array(r->arena, 2, sizeof *node->source);
        for (int o = 1; o < node->layer->operand_count; o++) {
            if (node->layer->operand[o].is_constant) continue;
            const int source = find_layer(w, node->layer->operand[o].source);
            if (source < 0) {
                weir_error(root->item[i]->location, "operand '%c' comes from layer %lld, which does not exist",
                           node->layer->operand[o].name, (long long)node->layer->operand[o].source);
                return false;
            }
            if (node->source_count == 0 || node->source[0] != source) node->source[node->source_count++] = source;
        }
    }
    return weir_dse_workload_sort(w, r->arena) ||
           weir_dse_schema_expected(root, "layers that do not depend on each other in a cycle");
}

static bool read_root(const reader *r, const weir_yaml *root) {
    if (root->kind != WEIR_YAML_SEQUENCE || root->count == 0 || root->count > 10000)
        return weir_dse_schema_expected(root, "a list of layers");
    r->workload->node = weir_arena_array(r->arena, root->count, sizeof *r->workload->node);
    for (size_t i = 0; i < root->count; i++) {
        weir_dse_layer *layer = weir_arena_alloc(r->arena, sizeof *layer);
        if (!read_layer(r, root->item[i], layer)) return false;
        if (find_layer(r->workload, layer->id) >= 0)
            return weir_dse_schema_expected(weir_yaml_find(root->item[i], "id"), "each id once");
        r->workload->node[r->workload->count++].layer = layer;
    }
    return connect(r, root);
}

weir_dse_workload *weir_dse_workload_read(const char *path, const weir_dse_mapping *mapping, weir_arena *arena) {
    const reader r = {arena, mapping, weir_arena_alloc(arena, sizeof(weir_dse_workload))};
    r.workload->path = weir_arena_copy_string(arena, path);
    weir_yaml *root = weir_yaml_read_lenient(path);
    const bool fine = root != NULL && read_root(&r, root);
    weir_yaml_free(root);
    return fine ? r.workload : NULL;
}
