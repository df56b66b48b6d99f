/* The exporter, in this order: names of all values, the nodes, the opset that all of them agree with, every node
 * against the schema as the importer would check it, constants, types, bytes. */
#include "frontend/export/onnx_export.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/export/onnx_build.h"
#include "frontend/export/onnx_standard.h"
#include "frontend/import/onnx_name.h"
#include "frontend/wire/onnx_schema.h"
#include "frontend/wire/onnx_tensor.h"
#include "ir/graph/graph.h"
#include "ir/shape/layout.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "support/text/text.h"

enum { OPSET_LOW = 13, OPSET_DEFAULT = 17 };

typedef struct exporter {
    const weir_graph *graph;
    weir_onnx_builder builder;
    const char **name;      /* of each value, by handle */
    bool *carried;          /* the value has the name of an output of the graph */
    Onnx__NodeProto **node; /* of each node, by handle; NULL: became several */
    bool used[WEIR_ONNX_DOMAIN_COUNT];
    weir_onnx_opsets opsets;
} exporter;

/* --- names --- */

/* The output's name goes to its value where the value has no name that counts: it is no input and no other output. */
static bool name_output(exporter *ex, size_t index) {
    const char *wanted = weir_graph_output_name(ex->graph, index);
    weir_value value = weir_graph_output(ex->graph, index), other = weir_graph_find_value(ex->graph, wanted);
    if (other.id != 0 && other.id != value.id && !ex->carried[other.id]) {
        if (weir_value_producer(ex->graph, other).id == 0 && weir_value_constant(ex->graph, other) == NULL) {
            weir_error(WEIR_NOWHERE, "output '%s' has the name of an input, which ONNX would identify with the input",
                       wanted);
            return false;
        }
        ex->name[other.id] = weir_onnx_build_name(&ex->builder, wanted);
    }
    if (weir_value_producer(ex->graph, value).id != 0 && !ex->carried[value.id]) {
        ex->name[value.id] = wanted;
        ex->carried[value.id] = true;
    }
    return true;
}

static bool name_values(exporter *ex) {
    uint32_t limit = weir_graph_value_limit(ex->graph);
    ex->name = weir_arena_array(ex->builder.arena, limit, sizeof *ex->name);
    ex->carried = weir_arena_array(ex->builder.arena, limit, sizeof *ex->carried);
    for (uint32_t id = 1; id < limit; id++) {
        if (weir_value_exists(ex->graph, (weir_value){id})) ex->name[id] = weir_value_name(ex->graph, (weir_value){id});
    }
    for (size_t i = 0; i < weir_graph_output_count(ex->graph); i++) {
        weir_value value = weir_graph_output(ex->graph, i);
        if (strcmp(ex->name[value.id], weir_graph_output_name(ex->graph, i)) == 0) ex->carried[value.id] = true;
    }
    for (size_t i = 0; i < weir_graph_output_count(ex->graph); i++) {
        weir_value value = weir_graph_output(ex->graph, i);
        if (strcmp(ex->name[value.id], weir_graph_output_name(ex->graph, i)) != 0 && !name_output(ex, i)) return false;
    }
    return true;
}

/* A node name that the importer reads as this one: an operator's name before the last '/' stays. */
static const char *node_name(exporter *ex, weir_node node) {
    char read[WEIR_ONNX_NAME_SIZE];
    const char *name = weir_node_name(ex->graph, node), *type = weir_node_info(ex->graph, node)->name;
    weir_onnx_name_node(name, type, read);
    return strcmp(read, name) == 0 ? name : weir_arena_format(ex->builder.arena, "%s/%s", name, type);
}

/* --- nodes --- */

static void add_attribute(exporter *ex, weir_op op, const weir_attribute *from, Onnx__NodeProto *to) {
    weir_onnx_builder *b = &ex->builder;
    weir_dtype dtype;
    switch (from->kind) {
    case WEIR_ATTRIBUTE_INT: weir_onnx_build_int(b, to, from->name, from->as.i); break;
    case WEIR_ATTRIBUTE_FLOAT: weir_onnx_build_float(b, to, from->name, from->as.f); break;
    case WEIR_ATTRIBUTE_STRING:
        if (weir_onnx_schema_is_dtype(op, from->name, from->as.s, &dtype))
            weir_onnx_build_int(b, to, from->name, weir_onnx_tensor_number(dtype));
        else weir_onnx_build_string(b, to, from->name, weir_onnx_schema_word(op, from->name, from->as.s));
        break;
    case WEIR_ATTRIBUTE_INTS: weir_onnx_build_ints(b, to, from->name, from->as.ints, from->count); break;
    case WEIR_ATTRIBUTE_FLOATS: weir_onnx_build_floats(b, to, from->name, from->as.floats, from->count); break;
    }
}

static const char **value_names(exporter *ex, weir_node node, bool outputs, size_t *count) {
    *count = outputs ? weir_node_output_count(ex->graph, node) : weir_node_input_count(ex->graph, node);
    const weir_op op = weir_node_op(ex->graph, node);
    while (!outputs && *count > 0 && weir_onnx_schema_attribute_of_input(op, *count - 1) != NULL) --*count;
    const char **names = weir_arena_array(ex->builder.arena, *count, sizeof *names);
    for (size_t i = 0; i < *count; i++) {
        weir_value value = outputs ? weir_node_output(ex->graph, node, i) : weir_node_input(ex->graph, node, i);
        names[i] = value.id == 0 ? NULL : ex->name[value.id];
    }
    return names;
}

/* An input that files have as an attribute. */
static void add_constant_attribute(exporter *ex, weir_op op, const char *name, const weir_array *array,
                                   Onnx__NodeProto *to) {
    if (!weir_onnx_schema_is_ints(op, name)) {
        weir_onnx_build_array(&ex->builder, to, name, array);
        return;
    }
    int64_t *values = weir_calloc(array->count + 1, sizeof *values);
    for (size_t i = 0; i < array->count; i++) values[i] = weir_array_get_int(array, i);
    weir_onnx_build_ints(&ex->builder, to, name, values, array->count);
    free(values);
}

/* An ONNX-level operator as it is. */
static void add_plain(exporter *ex, weir_node node) {
    size_t input_count, output_count;
    const char **inputs = value_names(ex, node, false, &input_count);
    const char **outputs = value_names(ex, node, true, &output_count);
    Onnx__NodeProto *proto = weir_onnx_build_node(&ex->builder, weir_node_op(ex->graph, node), node_name(ex, node),
                                                  inputs, input_count, outputs, output_count);
    for (size_t i = 0; i < weir_node_input_count(ex->graph, node); i++) {
        const char *attribute = weir_onnx_schema_attribute_of_input(weir_node_op(ex->graph, node), i);
        const weir_value value = weir_node_input(ex->graph, node, i);
        if (attribute != NULL && value.id != 0)
            add_constant_attribute(ex, weir_node_op(ex->graph, node), attribute, weir_value_constant(ex->graph, value),
                                   proto);
    }
    for (size_t i = 0; i < weir_node_attribute_count(ex->graph, node); i++)
        add_attribute(ex, weir_node_op(ex->graph, node), weir_node_attribute_at(ex->graph, node, i), proto);
    ex->node[node.id] = proto;
    ex->used[weir_onnx_schema_domain(weir_node_op(ex->graph, node))] = true;
}

/* An output whose value goes by another name is a copy. */
static void add_outputs(exporter *ex) {
    for (size_t i = 0; i < weir_graph_output_count(ex->graph); i++) {
        const char *name = weir_graph_output_name(ex->graph, i);
        weir_value value = weir_graph_output(ex->graph, i);
        if (strcmp(name, ex->name[value.id]) != 0)
            weir_onnx_build_node(&ex->builder, WEIR_OP_IDENTITY, name, &ex->name[value.id], 1, &name, 1);
        weir_onnx_build_output(&ex->builder, name, value);
    }
}

static bool refuse_layout(const exporter *ex, weir_node node) {
    weir_error(weir_node_location(ex->graph, node), "node '%s' (%s) expects its data as %s, which ONNX cannot express",
               weir_node_name(ex->graph, node), weir_node_info(ex->graph, node)->full_name,
               weir_node_string(ex->graph, node, "layout", ""));
    weir_note("export the graph as it is before convert_layout");
    return false;
}

static bool add_nodes(exporter *ex) {
    ex->node = weir_arena_array(ex->builder.arena, weir_graph_node_limit(ex->graph), sizeof *ex->node);
    for (weir_node node = weir_graph_first(ex->graph); node.id != 0; node = weir_node_next(ex->graph, node)) {
        const bool plain = strcmp(weir_node_info(ex->graph, node)->domain, "weir") != 0;
        if (plain && weir_layout_has_channels(weir_node_op(ex->graph, node)) &&
            weir_node_attribute(ex->graph, node, "layout") != NULL)
            return refuse_layout(ex, node);
        if (plain) add_plain(ex, node);
        else if (!weir_onnx_standard_add(&ex->builder, ex->name, node)) return false;
    }
    add_outputs(ex);
    return true;
}

/* --- annotations --- */

/* The plain value as text, in the arena. */
static char *value_text(exporter *ex, const json_t *value) {
    if (json_is_string(value)) return weir_arena_copy_string(ex->builder.arena, json_string_value(value));
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT),
         *kept = weir_arena_copy_string(ex->builder.arena, text);
    free(text);
    return kept;
}

static void add_property(exporter *ex, Onnx__ModelProto *model, char *key, char *value) {
    Onnx__StringStringEntryProto *entry = weir_arena_alloc(ex->builder.arena, sizeof *entry);
    onnx__string_string_entry_proto__init(entry);
    entry->key = key;
    entry->value = value;
    model->metadata_props[model->n_metadata_props++] = entry;
}

static void annotate_node(exporter *ex, const json_t *values, weir_node node, Onnx__ModelProto *model) {
    weir_text lines = {NULL, 0, 0};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)values, key, value) {
        char *text = value_text(ex, value);
        weir_text_format(&lines, "%s%s: %s", lines.size > 0 ? "\n" : "", key, text);
        add_property(ex, model, weir_arena_format(ex->builder.arena, "%s.%s", weir_node_name(ex->graph, node), key),
                     text);
    }
    if (lines.size > 0 && ex->node[node.id] != NULL)
        ex->node[node.id]->doc_string = weir_arena_copy_string(ex->builder.arena, lines.data);
    weir_text_free(&lines);
}

static void annotate(exporter *ex, const json_t *annotations, Onnx__ModelProto *model) {
    size_t count = 0;
    const char *name;
    json_t *values;
    json_object_foreach((json_t *)(uintptr_t)annotations, name, values) { count += json_object_size(values); }
    model->metadata_props = weir_arena_array(ex->builder.arena, count, sizeof *model->metadata_props);
    for (weir_node node = weir_graph_first(ex->graph); node.id != 0; node = weir_node_next(ex->graph, node))
        annotate_node(ex, json_object_get(annotations, weir_node_name(ex->graph, node)), node, model);
}

/* --- opsets --- */

/* The first node that this version of ONNX's own domain does not have as it is. */
static weir_node refused_by(const exporter *ex, int64_t version) {
    for (weir_node node = weir_graph_first(ex->graph); node.id != 0; node = weir_node_next(ex->graph, node)) {
        if (ex->node[node.id] == NULL) continue;
        weir_onnx_domain domain = weir_onnx_schema_domain(weir_node_op(ex->graph, node));
        int64_t has = domain == WEIR_ONNX_DOMAIN_ONNX ? version : ex->opsets.version[domain];
        if (!weir_onnx_schema_allows(ex->graph, node, has)) return node;
    }
    return WEIR_NO_NODE;
}

static bool choose_opsets(exporter *ex, int64_t wanted) {
    int low, high;
    for (int domain = 0; domain < WEIR_ONNX_DOMAIN_COUNT; domain++) {
        weir_onnx_schema_versions((weir_onnx_domain)domain, &low, &high);
        ex->opsets.version[domain] = low;
    }
    weir_onnx_schema_versions(WEIR_ONNX_DOMAIN_ONNX, &low, &high);
    if (wanted != 0 && (wanted < OPSET_LOW || wanted > high)) {
        weir_error(WEIR_NOWHERE, "opset %lld cannot be written, expected %d to %d", (long long)wanted, (int)OPSET_LOW,
                   high);
        return false;
    }
    int64_t version = wanted == 0 ? OPSET_DEFAULT : wanted;
    weir_node refused = refused_by(ex, version);
    while (wanted == 0 && refused.id != 0 && version < high) refused = refused_by(ex, ++version);
    ex->opsets.version[WEIR_ONNX_DOMAIN_ONNX] = version;
    if (refused.id == 0) return true;
    weir_error(weir_node_location(ex->graph, refused), "node '%s' (%s) cannot be expressed in opset %lld",
               weir_node_name(ex->graph, refused), weir_node_info(ex->graph, refused)->full_name, (long long)version);
    return false;
}

/* What the importer would say to every node of the file: whatever is written can be read. */
static bool check_nodes(const exporter *ex) {
    const weir_location location = weir_at(weir_graph_source(ex->graph), 0);
    bool listed = false;
    for (size_t i = 0; i < ex->builder.proto->n_node; i++) {
        const Onnx__NodeProto *proto = ex->builder.proto->node[i];
        weir_onnx_rule own;
        const weir_onnx_rule *rule = weir_onnx_schema_find(proto, &ex->opsets, location, &listed, &own);
        if (rule == NULL || !weir_onnx_schema_check(rule, proto, &ex->opsets, location)) return false;
    }
    return true;
}

/* --- the rest of the graph --- */

/* By name: not only as what the file holds in attributes. */
static bool is_used(const weir_graph *graph, weir_value value) {
    for (size_t i = 0; i < weir_value_use_count(graph, value); i++) {
        const weir_use use = weir_value_use(graph, value, i);
        if (weir_onnx_schema_attribute_of_input(weir_node_op(graph, use.node), use.index) == NULL) return true;
    }
    return weir_value_is_output(graph, value);
}

/* Of a file with an open batch, what no output depends on may have any. */
static bool has_known_shape(const exporter *ex, weir_value value) {
    return ex->builder.open == NULL || ex->builder.open->is_live[value.id];
}

static void add_values(exporter *ex) {
    weir_onnx_builder *b = &ex->builder;
    for (size_t i = 0; i < weir_graph_input_count(ex->graph); i++) {
        weir_value value = weir_graph_input(ex->graph, i);
        weir_onnx_build_input(b, ex->name[value.id], value);
    }
    for (uint32_t id = 1; id < weir_graph_value_limit(ex->graph); id++) {
        weir_value value = {id};
        if (!weir_value_exists(ex->graph, value)) continue;
        const weir_array *constant = weir_value_constant(ex->graph, value);
        if (constant != NULL && is_used(ex->graph, value)) weir_onnx_build_tensor(b, ex->name[id], constant);
        else if (weir_value_producer(ex->graph, value).id != 0 && !ex->carried[id] && has_known_shape(ex, value))
            weir_onnx_build_value(b, ex->name[id], value);
    }
}

/* --- the model --- */

/* The IR version that came with an opset of ai.onnx. */
static int64_t ir_version(int64_t opset) {
    static const struct {
        int64_t opset, version;
    } rows[] = {{28, 14}, {25, 13}, {24, 12}, {23, 11}, {21, 10}, {19, 9}, {15, 8}, {0, 7}};
    size_t i = 0;
    while (rows[i].opset > opset) i++;
    return rows[i].version;
}

static void add_import(exporter *ex, Onnx__ModelProto *model, const char *domain, int64_t version) {
    for (size_t i = 0; i < model->n_opset_import; i++) {
        if (strcmp(model->opset_import[i]->domain, domain) == 0) return;
    }
    Onnx__OperatorSetIdProto *import = weir_arena_alloc(ex->builder.arena, sizeof *import);
    onnx__operator_set_id_proto__init(import);
    import->domain = weir_arena_copy_string(ex->builder.arena, domain);
    import->has_version = 1;
    import->version = version;
    model->opset_import[model->n_opset_import++] = import;
}

static void add_imports(exporter *ex, Onnx__ModelProto *model) {
    ex->used[WEIR_ONNX_DOMAIN_ONNX] = true;
    model->opset_import =
        weir_arena_array(ex->builder.arena, WEIR_ONNX_DOMAIN_COUNT + weir_op_limit() - WEIR_OP_COUNT, sizeof(void *));
    for (int domain = 0; domain < WEIR_ONNX_DOMAIN_OWN; domain++) {
        if (ex->used[domain])
            add_import(ex, model, weir_onnx_schema_spelling((weir_onnx_domain)domain), ex->opsets.version[domain]);
    }
    for (weir_node node = weir_graph_first(ex->graph); node.id != 0; node = weir_node_next(ex->graph, node)) {
        if (ex->node[node.id] != NULL && weir_node_op(ex->graph, node) >= WEIR_OP_COUNT)
            add_import(ex, model, weir_node_info(ex->graph, node)->domain, 1);
    }
}

static void *pack(exporter *ex, const char *name, const json_t *annotations, size_t *size) {
    Onnx__ModelProto model;
    onnx__model_proto__init(&model);
    model.has_ir_version = 1;
    model.ir_version = ir_version(ex->opsets.version[WEIR_ONNX_DOMAIN_ONNX]);
    model.producer_name = (char *)(uintptr_t) "weir";
    model.graph = ex->builder.proto;
    model.graph->name = weir_arena_copy_string(ex->builder.arena, name);
    add_imports(ex, &model);
    annotate(ex, annotations, &model);
    *size = onnx__model_proto__get_packed_size(&model);
    if (*size > INT_MAX) {
        weir_error(WEIR_NOWHERE, "the model takes %zu bytes, but an ONNX file holds at most %d", *size, INT_MAX);
        return NULL;
    }
    uint8_t *bytes = weir_malloc(*size);
    onnx__model_proto__pack(&model, bytes);
    return bytes;
}

/* The graph for any number of rows; without one, with a warning, where it mixes them. */
static weir_batch_open open_batch(const weir_graph *graph) {
    const weir_batch_open open = weir_batch_open_of(graph);
    if (open.graph != NULL) return open;
    const weir_location location = weir_at(weir_graph_source(graph), 0);
    if (open.mixed.mixed.id != 0)
        weir_warning(location, "the file is for one frame, because node '%s' (%s) mixes frames: %s",
                     weir_node_name(graph, open.mixed.mixed), weir_node_info(graph, open.mixed.mixed)->full_name,
                     open.mixed.why);
    else weir_warning(location, "the file is for one frame: %s", open.mixed.why);
    return open;
}

void *weir_onnx_export_bytes(const weir_graph *graph, const weir_onnx_export_options *options, size_t *size) {
    const bool opens = weir_graph_batch(graph) != NULL && (options == NULL || !options->one_frame);
    weir_batch_open open = opens ? open_batch(graph) : (weir_batch_open){.graph = NULL};
    exporter ex = {.graph = open.graph != NULL ? open.graph : graph};
    const char *name = options == NULL || options->name == NULL ? weir_graph_name(graph) : options->name;
    void *bytes = NULL;
    weir_onnx_build_start(&ex.builder, ex.graph);
    ex.builder.open = open.graph != NULL ? &open : NULL;
    ex.builder.batch = weir_graph_batch(graph);
    if (name_values(&ex) && add_nodes(&ex) && choose_opsets(&ex, options == NULL ? 0 : options->opset) &&
        check_nodes(&ex)) {
        add_values(&ex);
        bytes = pack(&ex, name, options == NULL ? NULL : options->annotations, size);
    }
    weir_onnx_build_free(&ex.builder);
    weir_batch_open_free(&open);
    return bytes;
}

bool weir_onnx_export(const weir_graph *graph, const char *path, const weir_onnx_export_options *options) {
    size_t size = 0;
    void *bytes = weir_onnx_export_bytes(graph, options, &size);
    bool fine = bytes != NULL && weir_file_write(path, bytes, size);
    free(bytes);
    return fine;
}
