/* The hardware group: component, interface and parameters of a node. What a folding has chosen (lanes, SIMD, PE) comes
 * before what add_hardware_metadata has. */
#include <stdio.h>
#include <string.h>

#include "dataflow/component.h"
#include "dataflow/library.h"
#include "dataflow/schedule/stream.h"
#include "ir/trait/mase.h"
#include "passes/mase/metadata/node_meta.h"

bool weir_node_meta_is_implicit(const weir_graph *graph, weir_node node) {
    if (node.id == 0) return true;
    const weir_metadata *metadata = weir_node_metadata_of(graph, node);
    if (metadata->hardware.assigned) return weir_stream_role(graph, node) != WEIR_ROLE_COMPONENT;
    return weir_mase_type_of(graph, node) == WEIR_MASE_IMPLICIT_FUNC && weir_component_module(graph, node) == NULL;
}

int64_t weir_node_meta_parallelism(int64_t size, int64_t limit) {
    int64_t best = 1;
    for (int64_t i = 1; i * i <= size; i++) {
        if (size % i != 0) continue;
        if (i <= limit && i > best) best = i;
        if (size / i <= limit && size / i > best) best = size / i;
    }
    return best;
}

/* How many elements a cycle along the two innermost dimensions of an argument. */
typedef struct folding {
    const json_t *limits; /* max_parallelism, outermost first; NULL: not chosen */
    int64_t inner, next;  /* in a folded graph; 0: not folded */
} folding;

/* Sets PREFIX SUFFIX [_index] (none when negative), in upper case. */
static void set(json_t *parameters, const char *name, const char *suffix, int index, int64_t value) {
    char key[2 * WEIR_MASE_NAME_SIZE];
    snprintf(key, sizeof key, index < 0 ? "%s%s" : "%s%s_%d", name, suffix, index);
    for (char *c = key; *c != '\0'; c++)
        if (*c >= 'a' && *c <= 'z') *c = (char)(*c - 'a' + 'A');
    json_object_set_new(parameters, key, json_integer(value));
}

/* Parallelism along dimension `index`, counted from the innermost one; 0: not chosen. */
static int64_t parallelism(const folding *f, int index, int64_t size) {
    if (f->inner > 0) return index == 0 ? f->inner : index == 1 ? f->next : 1;
    if (f->limits == NULL) return 0;
    size_t count = json_array_size(f->limits);
    json_int_t limit =
        (size_t)index < count ? json_integer_value(json_array_get(f->limits, count - 1 - (size_t)index)) : 1;
    return weir_node_meta_parallelism(size, limit);
}

static void set_tensor(json_t *parameters, const weir_graph *graph, weir_value value, const char *name,
                       bool is_parameter, const folding *f) {
    weir_mase_precision precision = weir_mase_precision_of(graph, value);
    weir_shape shape = weir_value_type(graph, value)->shape;
    if (is_parameter && shape.rank == 1) shape = (weir_shape){2, {1, shape.dim[0]}};
    for (size_t i = 0; i < precision.count; i++) set(parameters, name, "_precision", (int)i, precision.bits[i]);
    for (int i = 0; i < shape.rank; i++) set(parameters, name, "_tensor_size_dim", i, shape.dim[shape.rank - 1 - i]);
    for (int i = 0; i < shape.rank; i++) {
        int64_t chosen = parallelism(f, i, shape.dim[shape.rank - 1 - i]);
        if (chosen > 0) set(parameters, name, "_parallelism_dim", i, chosen);
    }
}

static void set_settings(json_t *parameters, const weir_graph *graph, weir_node node) {
    json_t *settings = weir_mase_settings(graph, node), *value, *item;
    const char *name;
    size_t index;
    json_object_foreach(settings, name, value) {
        if (json_is_boolean(value)) set(parameters, name, "", -1, json_is_true(value));
        if (json_is_integer(value)) set(parameters, name, "", -1, json_integer_value(value));
        json_array_foreach(value, index, item) {
            if (json_is_integer(item)) set(parameters, name, "", (int)index, json_integer_value(item));
        }
    }
    json_decref(settings);
}

/* Of a folded node: its operations side by side along the innermost dimension of the weights, or the next one. */
static int64_t unit_of(const weir_component *component, const weir_meta_hardware *hardware, size_t index) {
    const weir_component_setting *unit =
        component == NULL ? NULL : weir_component_setting_as(component->rules, WEIR_SETTING_UNITS, index);
    return unit == NULL ? 0 : weir_component_setting_of(hardware, unit);
}

static json_t *verilog_parameters(const weir_graph *graph, weir_node node, const json_t *limits) {
    const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
    folding in = {limits, hardware->in_lanes, 1}, out = {limits, hardware->out_lanes, 1};
    const weir_component *component = weir_component_of(graph, node);
    folding weight = {limits, unit_of(component, hardware, 0), unit_of(component, hardware, 1)};
    json_t *parameters = json_object();
    char name[WEIR_MASE_NAME_SIZE];
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
        weir_value value = weir_node_input(graph, node, i);
        weir_mase_role role = weir_mase_input(graph, node, i, name);
        if (role == WEIR_MASE_DATA) set_tensor(parameters, graph, value, name, false, &in);
        if (role == WEIR_MASE_PARAMETER)
            set_tensor(parameters, graph, value, name, true, weight.inner > 0 ? &weight : &out);
    }
    if (!weir_mase_is_module(graph, node)) set_settings(parameters, graph, node);
    for (size_t i = 0; i < weir_node_output_count(graph, node); i++) {
        weir_mase_output(i, name);
        set_tensor(parameters, graph, weir_node_output(graph, node, i), name, false, &out);
    }
    return parameters;
}

/* {"weight": {"storage": "BRAM", "transpose": False}}: parameters that are tensors; scalars have an empty record. */
static json_t *interface_of(const weir_graph *graph, weir_node node) {
    weir_storage storage = weir_node_metadata_of(graph, node)->hardware.storage;
    json_t *interface = json_object();
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
        char name[WEIR_MASE_NAME_SIZE];
        if (weir_mase_input(graph, node, i, name) != WEIR_MASE_PARAMETER) continue;
        json_t *record = json_object();
        if (weir_value_type(graph, weir_node_input(graph, node, i))->shape.rank > 0) {
            json_object_set_new(record, "storage", json_string(storage == WEIR_STORAGE_LOGIC ? "LOGIC" : "BRAM"));
            json_object_set_new(record, "transpose", json_false());
        }
        json_object_set_new(interface, name, record);
    }
    return interface;
}

/* The files of modules and those below them; takes the list. */
static json_t *paths_of(weir_library_files *files) {
    json_t *list = json_array();
    if (files->count > 0 && weir_library_close(files, NULL)) {
        for (size_t i = 0; i < files->count; i++) json_array_append_new(list, json_string(files->file[i].path));
    }
    weir_library_free(files);
    return list;
}

static json_t *sources_of(const char *module) {
    weir_library_files files = {NULL, 0, 0};
    if (module != NULL) weir_library_add(&files, module);
    return paths_of(&files);
}

json_t *weir_node_meta_sources(const weir_fx_view *view) {
    const weir_graph *graph = weir_fx_view_graph(view);
    weir_library_files files = {NULL, 0, 0};
    for (size_t i = 0; i < weir_fx_view_count(view); i++) {
        const weir_fx_node *node = weir_fx_view_at(view, i);
        const char *module =
            weir_node_meta_is_implicit(graph, node->node) ? NULL : weir_component_module(graph, node->node);
        if (module != NULL) weir_library_add(&files, module);
    }
    return paths_of(&files);
}

static json_t *text_or_null(const char *text) { return text == NULL ? json_null() : json_string(text); }

json_t *weir_node_meta_hardware(const weir_graph *graph, const weir_fx_node *node, const json_t *limits) {
    json_t *record = json_object();
    bool is_implicit = weir_node_meta_is_implicit(graph, node->node);
    json_object_set_new(record, "is_implicit", json_boolean(is_implicit));
    json_object_set_new(record, "device_id", json_integer(is_implicit ? 0 : -1));
    if (is_implicit) return record;
    const char *module = weir_component_module(graph, node->node);
    json_object_set_new(record, "toolchain", text_or_null(module == NULL ? NULL : "INTERNAL_RTL"));
    json_object_set_new(record, "module", text_or_null(module));
    json_object_set_new(record, "dependence_files", sources_of(module));
    json_object_set_new(record, "interface", interface_of(graph, node->node));
    if (limits != NULL) json_object_set_new(record, WEIR_NODE_META_LIMITS, json_deep_copy(limits));
    json_object_set_new(record, "verilog_param", verilog_parameters(graph, node->node, limits));
    return record;
}
