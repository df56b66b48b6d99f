/* onnx_runtime: a folder with a graph as an ONNX file, inputs, the outputs of this toolchain's reference, and a script
 * that runs the file with ONNX Runtime and compares; for each mode that MASE's configuration names, a folder inside
 * with the graph that it quantizes. Nothing here runs Python. */
#include <stdlib.h>
#include <string.h>

#include "cosim/frames.h"
#include "frontend/export/onnx_export.h"
#include "passes/interface/form.h"
#include "passes/interface/interface.h"
#include "passes/interface/onnx_runtime_modes.h"
#include "support/file/file.h"
#include "support/file/folder.h"
#include "support/memory/arena.h"
#include "support/memory/array.h"
#include "support/memory/random.h"
#include "support/text/table.h"

enum { RANDOM_FRAMES = 16 };

/* A set of frames: an array [frames, ...] for each input or output of a graph. */
typedef struct batch {
    weir_array **array;
    size_t count;
    int64_t frames;
} batch;

static void free_batch(batch *b) {
    for (size_t i = 0; i < b->count; i++) weir_array_free(b->array[i]);
    free(b->array);
}

/* [frames, ...] of the type; NULL after a reported error. */
static weir_array *new_frames(const weir_type *type, int64_t frames) {
    weir_shape shape = {.rank = type->shape.rank + 1, .dim = {frames}};
    size_t count;
    for (int i = 0; i < type->shape.rank && i + 1 < WEIR_MAX_RANK; i++) shape.dim[i + 1] = type->shape.dim[i];
    if (shape.rank <= WEIR_MAX_RANK && weir_shape_count(&shape, &count)) return weir_array_new(type->dtype, &shape);
    weir_error(WEIR_NOWHERE, "onnx_runtime: %lld frames are too large for one array", (long long)frames);
    return NULL;
}

/* --- inputs --- */

/* Element i of frame `frame` of the batch is element i of the frame; one way or the other. */
static void copy_frame(weir_array *all, int64_t frame, weir_array *one, bool store) {
    size_t size = one->count * weir_dtype_size(one->dtype);
    char *slot = (char *)all->data + (size_t)frame * size;
    if (store) memcpy(slot, one->data, size);
    else memcpy(one->data, slot, size);
}

/* Real numbers in steps of 1/256 from -1 to 2, codes anywhere in their range. */
static weir_array *random_frames(const weir_type *type, int64_t frames, uint64_t *state) {
    weir_array *array = new_frames(type, frames);
    for (size_t i = 0; array != NULL && i < array->count; i++) {
        uint64_t bits = weir_random_next(state);
        if (weir_dtype_is_float(type->dtype)) weir_array_set(array, i, (double)(bits % 769) / 256 - 1);
        else
            weir_array_set_int(array, i,
                               type->low + (int64_t)(bits % ((uint64_t)type->high - (uint64_t)type->low + 1)));
    }
    return array;
}

/* The first `limit` frames (0: all) of the data, each of the input's shape and type. False after a reported error. */
static bool read_frames(const weir_graph *graph, const char *source, int64_t limit, batch *inputs) {
    weir_frames *data = weir_frames_read(graph, source);
    if (data == NULL) return false;
    int64_t found = weir_frames_count(data);
    bool fine = true;
    inputs->frames = limit > 0 && limit < found ? limit : found;
    for (size_t i = 0; fine && i < inputs->count; i++) {
        inputs->array[i] = new_frames(weir_value_type(graph, weir_graph_input(graph, i)), inputs->frames);
        fine = inputs->array[i] != NULL;
    }
    for (int64_t index = 0; fine && index < inputs->frames; index++) {
        weir_array **frame = weir_frames_frame(data, graph, index);
        fine = frame != NULL;
        for (size_t i = 0; fine && i < inputs->count; i++) copy_frame(inputs->array[i], index, frame[i], true);
        weir_frames_free_frame(graph, frame);
    }
    weir_frames_free(data);
    return fine;
}

static bool read_inputs(const weir_graph *graph, const weir_pass *pass, batch *inputs) {
    const char *source = weir_pass_string(pass, "data");
    const int64_t limit = weir_pass_int(pass, "frames");
    if (*source != '\0') return read_frames(graph, source, limit, inputs);
    uint64_t state = (uint64_t)weir_pass_int(pass, "seed");
    inputs->frames = limit > 0 ? limit : RANDOM_FRAMES;
    for (size_t i = 0; i < inputs->count; i++) {
        inputs->array[i] = random_frames(weir_value_type(graph, weir_graph_input(graph, i)), inputs->frames, &state);
        if (inputs->array[i] == NULL) return false;
    }
    return true;
}

/* --- outputs --- */

static bool run_frames(const weir_graph *graph, const batch *inputs, batch *outputs) {
    weir_executor *executor = weir_executor_new(graph);
    batch one = {weir_calloc(inputs->count, sizeof *one.array), inputs->count, 1};
    for (size_t i = 0; i < one.count; i++) {
        const weir_type *type = weir_value_type(graph, weir_graph_input(graph, i));
        one.array[i] = weir_array_new(type->dtype, &type->shape);
    }
    bool fine = executor != NULL;
    for (int64_t frame = 0; fine && frame < inputs->frames; frame++) {
        for (size_t i = 0; i < one.count; i++) copy_frame(inputs->array[i], frame, one.array[i], false);
        fine = weir_executor_run(executor, (const weir_array *const *)one.array);
        for (size_t i = 0; fine && i < outputs->count; i++) {
            weir_array *found = weir_array_copy(weir_executor_value(executor, weir_graph_output(graph, i)));
            if (frame == 0)
                outputs->array[i] = new_frames(weir_value_type(graph, weir_graph_output(graph, i)), inputs->frames);
            fine = outputs->array[i] != NULL;
            if (fine) copy_frame(outputs->array[i], frame, found, true);
            weir_array_free(found);
        }
    }
    free_batch(&one);
    weir_executor_free(executor);
    return fine;
}

/* The graph whose outputs are expected: another one must have the same inputs and outputs. */
static const weir_graph *reference_graph(const weir_module *module, const weir_pass *pass, const weir_graph *graph) {
    const char *name = weir_pass_string(pass, "reference");
    if (*name == '\0') return graph;
    const weir_graph *other = weir_module_find_graph(module, name);
    bool same = other != NULL && weir_graph_input_count(other) == weir_graph_input_count(graph) &&
                weir_graph_output_count(other) == weir_graph_output_count(graph);
    for (size_t i = 0; same && i < weir_graph_input_count(graph); i++)
        same = strcmp(weir_value_name(graph, weir_graph_input(graph, i)),
                      weir_value_name(other, weir_graph_input(other, i))) == 0;
    for (size_t i = 0; same && i < weir_graph_output_count(graph); i++)
        same = strcmp(weir_graph_output_name(graph, i), weir_graph_output_name(other, i)) == 0;
    if (same) return other;
    weir_error(WEIR_NOWHERE, "onnx_runtime: the module has no graph '%s' with the inputs and outputs of '%s'", name,
               weir_graph_name(graph));
    return NULL;
}

/* --- files --- */

/* The batch as KIND_0.npy, KIND_1.npy, ...; adds their names to the list. */
static bool write_batch(const batch *b, const char *folder, const char *kind, json_t *list) {
    bool fine = true;
    for (size_t i = 0; fine && i < b->count; i++) {
        char *file = weir_format("%s_%zu.npy", kind, i), *path = weir_path_join(folder, file);
        fine = weir_npy_write(path, b->array[i]);
        json_object_set_new(json_array_get(list, i), "file", json_string(file));
        free(path);
        free(file);
    }
    return fine;
}

static json_t *describe(const weir_graph *graph, const weir_pass *pass) {
    json_t *inputs = json_array(), *outputs = json_array();
    for (size_t i = 0; i < weir_graph_input_count(graph); i++)
        json_array_append_new(inputs, json_pack("{s:s}", "name", weir_value_name(graph, weir_graph_input(graph, i))));
    for (size_t i = 0; i < weir_graph_output_count(graph); i++)
        json_array_append_new(outputs, json_pack("{s:s}", "name", weir_graph_output_name(graph, i)));
    return json_pack("{s:s s:o s:o s:f s:f}", "model", "model.onnx", "inputs", inputs, "outputs", outputs, "rtol",
                     weir_pass_real(pass, "rtol"), "atol", weir_pass_real(pass, "atol"));
}

static bool write_json(const char *folder, const json_t *what) {
    char *path = weir_path_join(folder, "compare.json"), *text = json_dumps(what, JSON_INDENT(2));
    bool fine = weir_file_write(path, text, strlen(text));
    free(text);
    free(path);
    return fine;
}

static bool write_script(const char *folder) {
    char *data = weir_data_folder();
    if (data == NULL) return false;
    char *from = weir_path_join(data, "passes/interface/onnx_runtime.py"), *to = weir_path_join(folder, "compare.py");
    bool fine = weir_file_copy(from, to);
    free(to);
    free(from);
    free(data);
    return fine;
}

static bool write_model(const weir_module *module, weir_form form, const weir_graph *graph, const char *folder) {
    char *path = weir_path_join(folder, "model.onnx");
    weir_graph *formed = weir_form_convert(graph, form, 0);
    bool fine = formed != NULL &&
                weir_onnx_export(formed, path,
                                 &(weir_onnx_export_options){.name = weir_module_name(module), .one_frame = true});
    weir_graph_free(formed);
    free(path);
    return fine;
}

/* What a folder holds. */
typedef struct comparison {
    const weir_module *module;
    const weir_pass *pass;
    const weir_graph *graph, *reference;
    weir_form form;
} comparison;

static bool write_comparison(const comparison *c, const batch *inputs, const char *folder) {
    const size_t count = weir_graph_output_count(c->graph);
    batch outputs = {weir_calloc(count, sizeof(weir_array *)), count, 0};
    json_t *what = describe(c->graph, c->pass);
    const bool fine = run_frames(c->reference, inputs, &outputs) && write_model(c->module, c->form, c->graph, folder) &&
                      write_batch(inputs, folder, "input", json_object_get(what, "inputs")) &&
                      write_batch(&outputs, folder, "output", json_object_get(what, "outputs")) &&
                      write_json(folder, what) && write_script(folder);
    json_decref(what);
    free_batch(&outputs);
    return fine;
}

/* --- the table of nodes --- */

static void add_names(weir_table *table, const weir_graph *graph, weir_node node, bool inputs) {
    const size_t count = inputs ? weir_node_input_count(graph, node) : weir_node_output_count(graph, node);
    weir_text text = {NULL, 0, 0};
    for (size_t i = 0; i < count; i++) {
        const weir_value value = inputs ? weir_node_input(graph, node, i) : weir_node_output(graph, node, i);
        weir_text_format(&text, "%s%s", i == 0 ? "" : ", ", value.id == 0 ? "" : weir_value_name(graph, value));
    }
    weir_table_take(table, &text);
}

static void show_nodes(const weir_graph *graph, weir_text *output) {
    static const char *const headers[] = {"Index", "Name", "Type", "Inputs", "Outputs", "Attributes"};
    weir_table *table = weir_table_new(headers, 6);
    int index = 0;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        weir_table_format(table, "%d", index++);
        weir_table_add(table, weir_node_name(graph, node));
        weir_table_add(table, weir_node_info(graph, node)->name);
        add_names(table, graph, node, true);
        add_names(table, graph, node, false);
        weir_text text = {NULL, 0, 0};
        for (size_t i = 0; i < weir_node_attribute_count(graph, node); i++)
            weir_text_format(&text, "%s%s", i == 0 ? "" : ", ", weir_node_attribute_at(graph, node, i)->name);
        weir_table_take(table, &text);
    }
    weir_table_print(table, WEIR_TABLE_PIPE, output);
    weir_table_free(table);
}

/* --- modes --- */

/* MASE's names of the folder and of the entry. */
static const struct {
    const char *folder, *key;
} modes[WEIR_ONNX_RUNTIME_MODES] = {
    [WEIR_ONNX_RUNTIME_STATIC] = {"static_quantized", "onnx_static_quantized_path"},
    [WEIR_ONNX_RUNTIME_DYNAMIC] = {"dynamic_quantized", "onnx_dynamic_quantized_path"},
    [WEIR_ONNX_RUNTIME_AUTO] = {"auto_quantized", "onnx_auto_mixed_precision_path"},
};

static bool write_mode(const comparison *c, weir_onnx_runtime_mode mode, const weir_onnx_runtime_config *config,
                       const batch *inputs, const char *folder, weir_pass_context *context) {
    weir_graph *made =
        weir_onnx_runtime_quantize(mode, c->graph, config, weir_pass_string(c->pass, "calibration"), context);
    if (made == NULL) return false;
    char *inside = weir_path_join(folder, modes[mode].folder);
    const comparison own = {c->module, c->pass, made, made, WEIR_FORM_QDQ};
    const bool fine = weir_make_folder(inside) && write_comparison(&own, inputs, inside);
    free(inside);
    weir_graph_free(made);
    return fine;
}

static void record_path(json_t *info, const char *key, const char *folder, const char *inside, const char *file) {
    char *within = weir_path_join(folder, inside), *path = weir_path_join(*inside == '\0' ? folder : within, file);
    json_object_set_new(info, key, json_string(path));
    free(path);
    free(within);
}

static void record(weir_pass_context *context, const char *folder, int64_t frames,
                   const weir_onnx_runtime_config *config) {
    json_t *info = weir_pass_record(context);
    record_path(info, "onnx_path", folder, "", "model.onnx");
    record_path(info, "script_path", folder, "", "compare.py");
    for (int i = 0; i < WEIR_ONNX_RUNTIME_MODES; i++)
        if (config->has[i]) record_path(info, modes[i].key, folder, modes[i].folder, "model.onnx");
    json_object_set_new(info, "frames", json_integer(frames));
}

static bool write_all(const comparison *c, const weir_onnx_runtime_config *config, const char *folder,
                      weir_pass_context *context) {
    const size_t count = weir_graph_input_count(c->graph);
    batch inputs = {weir_calloc(count, sizeof(weir_array *)), count, 0};
    weir_folder *output = weir_folder_open(folder, WEIR_FOLDER_SHARED);
    const char *to = output == NULL ? NULL : weir_folder_staging(output);
    bool fine = output != NULL && read_inputs(c->graph, c->pass, &inputs) && write_comparison(c, &inputs, to);
    if (fine) show_nodes(c->graph, weir_pass_output(context));
    for (int i = 0; fine && i < WEIR_ONNX_RUNTIME_MODES; i++)
        if (config->has[i]) fine = write_mode(c, (weir_onnx_runtime_mode)i, config, &inputs, to, context);
    if (fine) fine = weir_folder_commit(output);
    else weir_folder_abandon(output);
    if (fine) record(context, folder, inputs.frames, config);
    free_batch(&inputs);
    return fine;
}

bool weir_pass_onnx_runtime(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    const weir_graph *graph = weir_interface_graph(module, pass);
    const weir_graph *reference = graph == NULL ? NULL : reference_graph(module, pass, graph);
    weir_onnx_runtime_config config;
    if (reference == NULL || !weir_onnx_runtime_config_read(weir_pass_string(pass, "config"),
                                                            weir_pass_string(pass, "quantize_types"), &config))
        return false;
    const char *option = weir_pass_string(pass, "dir");
    char *folder =
        *option != '\0' ? weir_copy_string(option) : weir_path_join(weir_module_folder(module), "onnx_runtime");
    const comparison all = {module, pass, graph, reference, (weir_form)weir_pass_choice(pass, "form")};
    const bool fine = write_all(&all, &config, folder, context);
    free(folder);
    return fine;
}
