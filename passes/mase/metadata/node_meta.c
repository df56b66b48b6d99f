#include "passes/mase/metadata/node_meta.h"

#include <string.h>

#include "dataflow/schedule/stream.h"
#include "ir/trait/mase.h"
#include "passes/mase/python.h"

/* ---- common ---- */

static json_t *shape_of(const weir_shape *shape, bool is_parameter) {
    json_t *list = json_array();
    if (is_parameter && shape->rank == 1) json_array_append_new(list, json_integer(1));
    for (int i = 0; i < shape->rank; i++) json_array_append_new(list, json_integer(shape->dim[i]));
    return list;
}

static void set_precision(json_t *record, const weir_graph *graph, weir_value value) {
    weir_mase_precision precision = weir_mase_precision_of(graph, value);
    json_t *bits = json_array();
    for (size_t i = 0; i < precision.count; i++) json_array_append_new(bits, json_integer(precision.bits[i]));
    json_object_set_new(record, "type", json_string(precision.type));
    json_object_set_new(record, "precision", bits);
}

static void set_value(json_t *record, weir_value value, const weir_executor *values) {
    if (values != NULL) json_object_set_new(record, "value", weir_python_tensor(weir_executor_value(values, value)));
}

/* A tensor that flows: {shape, torch_dtype, type, precision, (value)}. */
static json_t *tensor_of(const weir_graph *graph, weir_value value, const weir_executor *values) {
    const weir_type *type = weir_value_type(graph, value);
    json_t *record = json_object();
    json_object_set_new(record, "shape", shape_of(&type->shape, false));
    json_object_set_new(record, "torch_dtype", json_string(weir_mase_dtype(type->dtype)));
    set_precision(record, graph, value);
    set_value(record, value, values);
    return record;
}

/* What a node gives: the same in MASE's order, {type, precision, shape, torch_dtype, (value)}. */
static json_t *result_of(const weir_graph *graph, weir_value value, const weir_executor *values) {
    const weir_type *type = weir_value_type(graph, value);
    json_t *record = json_object();
    set_precision(record, graph, value);
    json_object_set_new(record, "shape", shape_of(&type->shape, false));
    json_object_set_new(record, "torch_dtype", json_string(weir_mase_dtype(type->dtype)));
    set_value(record, value, values);
    return record;
}

/* A parameter: {type, precision, shape, from, (value)}; "from" is the quantizer that gives it. */
static json_t *parameter_of(const weir_graph *graph, weir_value value, const weir_executor *values) {
    json_t *record = json_object();
    weir_node producer = weir_value_producer(graph, value);
    set_precision(record, graph, value);
    json_object_set_new(record, "shape", shape_of(&weir_value_type(graph, value)->shape, true));
    json_object_set_new(record, "from", producer.id == 0 ? json_null() : json_string(weir_node_name(graph, producer)));
    set_value(record, value, values);
    return record;
}

/* A setting that is an attribute: bools are plain, others as {type, precision, shape, torch_dtype, value}. */
static json_t *setting_of(json_t *value) {
    if (json_is_boolean(value)) return json_incref(value);
    const char *type = json_is_integer(value) ? "int" : json_is_real(value) ? "float" : "str";
    if (json_is_array(value)) type = "tuple";
    json_t *record = json_object(), *shape = json_array();
    json_array_append_new(shape, json_integer(json_is_array(value) ? (json_int_t)json_array_size(value) : 1));
    json_object_set_new(record, "type", json_string(type));
    json_object_set_new(record, "precision", json_null());
    json_object_set_new(record, "shape", shape);
    json_object_set_new(record, "torch_dtype", json_null());
    json_object_set(record, "value", value);
    return record;
}

static json_t *call_args(const weir_graph *graph, weir_node node, const weir_executor *values) {
    json_t *args = json_object();
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
        char name[WEIR_MASE_NAME_SIZE];
        weir_value value = weir_node_input(graph, node, i);
        weir_mase_role role = weir_mase_input(graph, node, i, name);
        if (role == WEIR_MASE_NOTHING) continue;
        const weir_array *constant = weir_mase_constant(graph, value);
        bool is_parameter = role == WEIR_MASE_PARAMETER && constant != NULL;
        json_t *record = is_parameter ? parameter_of(graph, value, values) : tensor_of(graph, value, values);
        if (role == WEIR_MASE_SETTING && constant != NULL)
            json_object_set_new(record, "value", weir_python_tensor(constant));
        json_object_set_new(args, name, record);
    }
    const weir_value bias = weir_mase_bias(graph, node);
    if (bias.id != 0) json_object_set_new(args, "bias", parameter_of(graph, bias, values));
    if (weir_mase_is_module(graph, node)) return args;
    json_t *settings = weir_mase_settings(graph, node), *value;
    const char *name;
    json_object_foreach(settings, name, value) { json_object_set_new(args, name, setting_of(value)); }
    json_decref(settings);
    return args;
}

static json_t *results_of(const weir_graph *graph, const weir_fx_node *node, const weir_executor *values) {
    json_t *results = json_object();
    if (node->value.id != 0) json_object_set_new(results, "data_out_0", result_of(graph, node->value, values));
    if (node->node.id == 0) return results;
    for (size_t i = 0; i < weir_node_output_count(graph, node->node); i++) {
        char name[WEIR_MASE_NAME_SIZE];
        weir_mase_output(i, name);
        json_object_set_new(results, name, result_of(graph, weir_node_output(graph, node->node, i), values));
    }
    return results;
}

static json_t *common_of(const weir_fx_view *view, const weir_fx_node *node, const weir_executor *values) {
    const weir_graph *graph = weir_fx_view_graph(view);
    json_t *record = json_object();
    json_object_set_new(record, "mase_type", json_string(weir_mase_type_name(node->mase_type)));
    json_object_set_new(record, "mase_op", json_string(node->mase_op));
    json_object_set_new(record, "args", node->node.id == 0 ? json_object() : call_args(graph, node->node, values));
    json_object_set_new(record, "results", results_of(graph, node, values));
    return record;
}

/* ---- software ---- */

/* Adds what `from` has and `to` has not, objects within objects included. */
static void merge(json_t *to, const json_t *from) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)from, key, value) {
        json_t *own = json_object_get(to, key);
        if (own == NULL) json_object_set_new(to, key, json_deep_copy(value));
        else if (json_is_object(own) && json_is_object(value)) merge(own, value);
    }
}

json_t *weir_node_meta_at(json_t *root, const char *const *path, size_t depth) {
    for (size_t i = 0; i < depth; i++) {
        json_t *next = json_object_get(root, path[i]);
        if (next == NULL) {
            next = json_object();
            json_object_set_new(root, path[i], next);
        }
        root = next;
    }
    return root;
}

/* What calibration has seen, as MASE's statistic of that name. */
static void set_calibration(json_t *record, const weir_meta_software *software) {
    static const char *const path[] = {"results", "data_out_0", "stat", "range_min_max"};
    if (software->count == 0) return;
    json_t *range = weir_node_meta_at(record, path, 4);
    json_object_set_new(range, "min", json_real(software->min));
    json_object_set_new(range, "max", json_real(software->max));
    json_object_set_new(range, "range", json_real(software->max - software->min));
    json_object_set_new(range, "count", json_integer((json_int_t)software->count));
}

static json_t *software_of(const weir_graph *graph, const weir_fx_node *node) {
    json_t *record = json_object();
    json_object_set_new(record, "args", json_object());
    json_object_set_new(record, "results", json_object());
    if (node->value.id != 0) weir_node_meta_at(record, (const char *[]){"results", "data_out_0", "stat"}, 3);
    if (node->node.id == 0) return record;
    set_calibration(record, &weir_node_metadata_of(graph, node->node)->software);
    return record;
}

/* ---- all groups ---- */

json_t *weir_node_meta_limits(const weir_graph *graph, weir_node node) {
    const json_t *facts = weir_metadata_facts_of(weir_node_metadata_of(graph, node), WEIR_META_HARDWARE);
    return json_object_get(facts, WEIR_NODE_META_LIMITS);
}

static json_t *record_of(const weir_fx_view *view, const weir_fx_node *node, weir_meta_group group,
                         const json_t *limits, const weir_executor *values) {
    const weir_graph *graph = weir_fx_view_graph(view);
    if (group == WEIR_META_COMMON) return common_of(view, node, values);
    return group == WEIR_META_SOFTWARE ? software_of(graph, node) : weir_node_meta_hardware(graph, node, limits);
}

json_t *weir_node_meta_derived(const weir_fx_view *view, const weir_fx_node *node, weir_meta_group group,
                               const json_t *limits) {
    return record_of(view, node, group, limits, NULL);
}

json_t *weir_node_meta(const weir_fx_view *view, const weir_fx_node *node, weir_meta_group group,
                       const weir_executor *values) {
    const weir_graph *graph = weir_fx_view_graph(view);
    if (node->node.id == 0) return record_of(view, node, group, NULL, values);
    json_t *record = record_of(view, node, group, weir_node_meta_limits(graph, node->node), values);
    merge(record, weir_metadata_facts_of(weir_node_metadata_of(graph, node->node), group));
    return record;
}
