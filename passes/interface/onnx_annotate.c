/* onnx_annotate: a graph as an ONNX file whose nodes show in a viewer what matters for hardware: widths of data,
 * weights and accumulators, sparsity where an analysis has found it, and whatever a YAML file adds. Standard operators
 * take no other attributes than their own, so they are in doc_string and metadata_props. */
#include <stdlib.h>
#include <string.h>

#include "frontend/export/onnx_export.h"
#include "ir/trait/mase.h"
#include "passes/interface/interface.h"
#include "passes/mase/fact.h"
#include "passes/mase/metadata/sparsity.h"
#include "support/text/yaml.h"

enum { FLOAT_ACCUMULATOR = 32 };

/* Bits that hold a sum of `count` products of these widths. */
static int64_t accumulator(int64_t data, int64_t weight, int64_t count) {
    int64_t bits = data + weight;
    for (int64_t terms = 1; terms < count; terms *= 2) bits++;
    return bits;
}

/* Width of the argument's elements, 0 when the node has no such argument or its width is computed while it runs. */
static int64_t width_of(const weir_graph *graph, weir_node node, const char *name) {
    weir_value value = weir_mase_find(graph, node, name);
    if (value.id == 0) return 0;
    weir_mase_precision precision = weir_mase_precision_of(graph, value);
    return precision.count == 0 ? 0 : precision.bits[0];
}

static bool is_real(const weir_graph *graph, weir_node node, const char *name) {
    weir_value value = weir_mase_find(graph, node, name);
    return value.id != 0 && strcmp(weir_mase_precision_of(graph, value).type, "float") == 0;
}

/* Products that one element of the result adds up: elements of the weight over elements on the output's channels. */
static int64_t terms_of(const weir_graph *graph, weir_node node) {
    const weir_type *weight = weir_value_type(graph, weir_mase_find(graph, node, "weight"));
    const weir_type *result = weir_value_type(graph, weir_node_output(graph, node, 0));
    const weir_shape *out = &result->shape;
    bool convolution = weight->shape.rank > 2;
    size_t count = 0;
    if (!weir_shape_count(&weight->shape, &count) || out->rank == 0) return 1;
    int64_t channels = convolution ? weight->shape.dim[0] : out->dim[out->rank - 1];
    return channels > 0 ? (int64_t)count / channels : 1;
}

static void add_fact(json_t *to, const weir_graph *graph, weir_node node, const char *argument, const char *fact,
                     const char *key) {
    const json_t *value = weir_fact_get(graph, node, argument, fact);
    if (json_is_number(value)) json_object_set_new(to, key, json_real(json_number_value(value)));
}

static json_t *describe(const weir_graph *graph, weir_node node) {
    json_t *says = json_object();
    int64_t data = width_of(graph, node, "data_in_0"), weight = width_of(graph, node, "weight");
    if (data > 0) json_object_set_new(says, "data_width", json_integer(data));
    if (!weir_sparsity_applies(graph, node) || weight == 0) return says;
    bool real = is_real(graph, node, "data_in_0") || is_real(graph, node, "weight");
    json_object_set_new(says, "weight_width", json_integer(weight));
    json_object_set_new(says, "acc_width",
                        json_integer(real ? FLOAT_ACCUMULATOR : accumulator(data, weight, terms_of(graph, node))));
    json_object_set_new(says, "block_floating_point", json_false());
    add_fact(says, graph, node, "data_in_0", "natural_sparsity", "input sparsity");
    add_fact(says, graph, node, "weight", "natural_sparsity", "weight sparsity");
    return says;
}

/* The file's mappings go on top of what is there; a name that no node has is an error. */
static bool add_file(const weir_graph *graph, const char *path, json_t *all) {
    weir_yaml *root = weir_yaml_read(path);
    bool fine = root != NULL && root->kind == WEIR_YAML_MAPPING;
    if (root != NULL && !fine) weir_error(root->location, "expected a mapping with a mapping for each node");
    for (size_t i = 0; fine && i < root->count; i++) {
        fine = weir_graph_find_node(graph, root->key[i]).id != 0 && root->item[i]->kind == WEIR_YAML_MAPPING;
        if (!fine) {
            weir_error(root->key_location[i], "expected a node of graph '%s' and a mapping, found '%s'",
                       weir_graph_name(graph), root->key[i]);
            break;
        }
        json_t *more = weir_yaml_json(root->item[i]);
        json_object_update(json_object_get(all, root->key[i]), more);
        json_decref(more);
    }
    weir_yaml_free(root);
    return fine;
}

bool weir_pass_onnx_annotate(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    const weir_graph *graph = weir_interface_graph(module, pass);
    weir_interface_file file;
    if (graph == NULL || !weir_interface_open(module, pass, "save_path", ".onnx", &file)) return false;
    json_t *all = json_object();
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        json_object_set_new(all, weir_node_name(graph, node), describe(graph, node));
    const char *data = weir_pass_string(pass, "data_path");
    bool fine = *data == '\0' || add_file(graph, data, all);
    fine = fine && weir_onnx_export(graph, file.path,
                                    &(weir_onnx_export_options){.name = weir_module_name(module), .annotations = all});
    if (fine) {
        json_object_set_new(weir_pass_record(context), "onnx_path", json_string(file.name));
        json_object_set(weir_pass_record(context), "annotations", all);
    }
    json_decref(all);
    return weir_interface_close(&file, fine);
}
