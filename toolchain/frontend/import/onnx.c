/* The importer, in this order: decode, check the model as a whole, put branches of Ifs into one graph with the rest,
 * collect definitions, check every node against the schema (in a branch once it is chosen), sort, then build the graph
 * node by node with type inference. A stage with errors is the last one; after a node that fails while building, what
 * depends on it is skipped silently. */
#include "frontend/import/onnx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/import/onnx_finn.h"
#include "frontend/import/onnx_float.h"
#include "frontend/import/onnx_importer_private.h"
#include "frontend/import/onnx_label.h"
#include "frontend/import/onnx_name.h"
#include "frontend/import/onnx_parameter.h"
#include "frontend/wire/onnx_wire.h"
#include "ir/graph/graph.h"
#include "onnx.pb-c.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/memory/kind.h"
#include "support/text/diag.h"

enum { IR_VERSION_LOW = 3 };

static const char *text_of(const char *text) { return text == NULL ? "" : text; }

/* --- the model as a whole --- */

static void check_model(weir_onnx_importer *im, const Onnx__ModelProto *model) {
    if (!model->has_ir_version) weir_error(weir_onnx_importer_whole(im), "not an ONNX model: it has no IR version");
    else if (model->ir_version < IR_VERSION_LOW)
        weir_error(weir_onnx_importer_whole(im), "IR version %lld is not supported, expected %d or later",
                   (long long)model->ir_version, (int)IR_VERSION_LOW);
    weir_onnx_schema_import(model, im->file, &im->opsets);
    for (size_t i = 0; i < model->n_functions && !weir_onnx_importer_full(im); i++)
        weir_error(weir_onnx_importer_whole(im),
                   "function '%.80s' of domain '%.80s': model functions are not supported",
                   text_of(model->functions[i]->name), text_of(model->functions[i]->domain));
    if (model->n_training_info > 0) weir_error(weir_onnx_importer_whole(im), "training information is not supported");
    if (model->graph == NULL) {
        weir_error(weir_onnx_importer_whole(im), "not an ONNX model: it has no graph");
        return;
    }
    for (size_t i = 0; i < model->graph->n_sparse_initializer && !weir_onnx_importer_full(im); i++) {
        const Onnx__TensorProto *values = model->graph->sparse_initializer[i]->values;
        weir_error(weir_onnx_importer_whole(im), "sparse initializer '%.100s' is not supported",
                   values == NULL ? "" : text_of(values->name));
    }
    if (model->graph->n_output == 0) weir_error(weir_onnx_importer_whole(im), "the graph has no outputs");
}
static void choose_float(weir_onnx_importer *im, bool wanted) {
    weir_dtype dtype;
    if (!wanted || !weir_onnx_float_find(im->proto, &im->scope, &dtype)) return;
    im->source.to_float32 = true;
    weir_note("%s: the model computes in %s; it is converted to float32", im->file, weir_dtype_name(dtype));
}

/* --- graph inputs --- */

static void bind_input(weir_onnx_importer *im, weir_onnx_definition *d, const weir_onnx_declared *declared,
                       const char *what, const weir_array *array) {
    const weir_dtype dtype = weir_onnx_importer_dtype(im, array->dtype);
    d->failed = !weir_onnx_type_agrees(declared, what, weir_onnx_importer_whole(im), dtype, &array->shape);
    if (!d->failed) weir_onnx_importer_define(im, d, weir_array_convert(array, dtype), weir_onnx_importer_whole(im));
}

static size_t count_inputs(const weir_onnx_importer *im) {
    size_t count = 0;
    for (size_t i = 0; i < im->proto->n_input; i++)
        count += weir_onnx_scope_find(&im->scope, im->proto->input[i]->name)->source == WEIR_ONNX_INPUT;
    return count;
}

/* NULL: no shape is given for the input. */
static const weir_shape *given_shape(const weir_onnx_importer *im, const char *input) {
    for (size_t i = im->sizes.shape_count; i-- > 0;)
        if (im->sizes.shape[i].input == NULL || strcmp(im->sizes.shape[i].input, input) == 0)
            return &im->sizes.shape[i].shape;
    return NULL;
}

/* Is each shape that of an input? */
static void check_shapes(weir_onnx_importer *im) {
    const size_t inputs = count_inputs(im);
    for (size_t i = 0; i < im->sizes.shape_count && !weir_onnx_importer_full(im); i++) {
        const char *name = im->sizes.shape[i].input;
        const weir_onnx_definition *d = name == NULL ? NULL : weir_onnx_scope_find(&im->scope, name);
        if (name == NULL && inputs != 1)
            weir_error(weir_onnx_importer_whole(im),
                       "the model has %zu inputs: expected INPUT=SIZES, to say which one has the shape", inputs);
        if (name != NULL && (d == NULL || d->source != WEIR_ONNX_INPUT))
            weir_error(weir_onnx_importer_whole(im), "a shape is given for '%.100s': the model has no such input",
                       name);
    }
}

/* Every input's first dimension is open, and nobody gives it a size: the name that the first has for it. */
static void note_batch(weir_onnx_importer *im, const weir_onnx_declared *declared, bool given, bool *closed) {
    const bool open = im->sizes.batch <= 1 && !given && declared->rank > 0 && declared->dim[0] == -1;
    const char *known = weir_graph_batch(im->graph);
    *closed = *closed || !open;
    if (*closed) weir_graph_set_batch(im->graph, NULL);
    else if (known == NULL || *known == '\0')
        weir_graph_set_batch(im->graph, declared->symbol[0] != NULL ? declared->symbol[0] : "");
}

static void build_inputs(weir_onnx_importer *im) {
    bool closed = im->outline != NULL;
    check_shapes(im);
    for (size_t i = 0; i < im->proto->n_input && !weir_onnx_importer_full(im); i++) {
        const Onnx__ValueInfoProto *info = im->proto->input[i];
        weir_onnx_definition *d = weir_onnx_scope_find(&im->scope, info->name);
        weir_onnx_declared declared;
        weir_type type;
        char what[160];
        if (d->source != WEIR_ONNX_INPUT) continue;
        snprintf(what, sizeof what, "graph input '%.100s'", info->name);
        const weir_array *bound = im->bindings == NULL ? NULL : weir_archive_find(im->bindings, info->name);
        d->failed = !weir_onnx_importer_read_declared(im, info, what, weir_onnx_importer_whole(im), &declared);
        if (d->failed) continue;
        if (bound != NULL) {
            bind_input(im, d, &declared, what, bound);
            continue;
        }
        d->failed =
            !weir_onnx_type_input(&declared, what, weir_onnx_importer_whole(im),
                                  im->sizes.batch < 1 ? 1 : im->sizes.batch, given_shape(im, info->name), &type);
        if (d->failed) continue;
        note_batch(im, &declared, given_shape(im, info->name) != NULL, &closed);
        d->value = weir_graph_add_input(im->graph, info->name, &type);
        d->value = weir_onnx_finn_input(im->graph, im->proto, &im->scope, d->value, weir_onnx_importer_whole(im));
    }
    for (size_t i = 0; im->bindings != NULL && i < im->bindings->count && !weir_onnx_importer_full(im); i++) {
        const weir_onnx_definition *d = weir_onnx_scope_find(&im->scope, im->bindings->name[i]);
        if (d != NULL && d->source == WEIR_ONNX_INPUT) continue;
        weir_error(weir_onnx_importer_whole(im), "'%.100s' cannot be bound: the model has no such input",
                   im->bindings->name[i]);
    }
}

/* --- outputs and declared types --- */

static void check_declared(weir_onnx_importer *im, const Onnx__ValueInfoProto *info, const weir_onnx_definition *d,
                           const char *kind, size_t *others) {
    weir_onnx_declared declared;
    char what[160];
    snprintf(what, sizeof what, "%s '%.100s'", kind, d->name);
    weir_location location =
        d->source == WEIR_ONNX_OUTPUT ? weir_onnx_importer_location(im, d->index) : weir_onnx_importer_whole(im);
    const weir_type *type = weir_value_type(im->graph, d->value);
    if (info->type == NULL || weir_onnx_label_differs(im->proto, info, d, type->dtype) ||
        !weir_onnx_importer_read_declared(im, info, what, location, &declared))
        return;
    weir_onnx_type_remark(&declared, what, location, type->dtype, &type->shape, others);
}

static int compare_names(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void check_output_names(weir_onnx_importer *im) {
    size_t count = im->proto->n_output;
    const char **names = weir_calloc(count, sizeof *names);
    for (size_t i = 0; i < count; i++) names[i] = text_of(im->proto->output[i]->name);
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 1; i < count && !weir_onnx_importer_full(im); i++) {
        if (strcmp(names[i], names[i - 1]) == 0)
            weir_error(weir_onnx_importer_whole(im), "graph output '%.100s' is listed twice", names[i]);
    }
    free(names);
}

static void check_outputs(weir_onnx_importer *im) {
    for (size_t i = 0; i < im->proto->n_output && !weir_onnx_importer_full(im); i++) {
        const char *name = text_of(im->proto->output[i]->name);
        weir_onnx_definition *d = weir_onnx_scope_find(&im->scope, name);
        if (d != NULL) d->is_used = true;
        if (d != NULL) continue;
        weir_error(weir_onnx_importer_whole(im), "graph output '%.100s' is not defined", name);
        weir_onnx_importer_suggest(im, name);
    }
    check_output_names(im);
}

static void build_outputs(weir_onnx_importer *im) {
    size_t others = 0;
    for (size_t i = 0; i < im->proto->n_output && !weir_onnx_importer_full(im); i++) {
        weir_onnx_definition *d = weir_onnx_scope_find(&im->scope, im->proto->output[i]->name);
        weir_value value = weir_onnx_importer_resolve(im, d);
        if (value.id == 0) continue;
        value = d->value = weir_onnx_node_passed_on(im, d, value);
        weir_graph_add_output(im->graph, d->name, value);
        check_declared(im, im->proto->output[i], d, "graph output", &others);
    }
    for (size_t i = 0; i < im->proto->n_value_info && !weir_onnx_importer_full(im); i++) {
        const Onnx__ValueInfoProto *info = im->proto->value_info[i];
        const weir_onnx_definition *d = info->name == NULL ? NULL : weir_onnx_scope_find(&im->scope, info->name);
        if (d != NULL && d->value.id != 0) check_declared(im, info, d, "value", &others);
    }
    if (others > 1) weir_note("%zu more values are declared with another shape than the inferred one", others - 1);
}

/* --- the whole --- */

static void build(weir_onnx_importer *im) {
    char name[WEIR_ONNX_NAME_SIZE];
    weir_onnx_name_graph(im->file, name);
    im->graph = weir_graph_new(name);
    weir_graph_set_source(im->graph, im->file);
    build_inputs(im);
    if (im->outline != NULL) im->outline->data_inputs = weir_graph_input_count(im->graph);
    for (size_t i = 0; i < im->proto->n_node && !weir_onnx_importer_full(im); i++) {
        if (im->outline != NULL) weir_onnx_outline_build(im, im->order[i]);
        else weir_onnx_node_build(im, im->order[i]);
    }
    build_outputs(im);
}

static void import_model(weir_onnx_importer *im, const Onnx__ModelProto *model, bool to_float32, weir_arena *arena) {
    check_model(im, model);
    if (weir_onnx_importer_errors(im) > 0) return;
    im->flat.graph = model->graph;
    if (im->outline == NULL && !weir_onnx_branch_flatten(&im->flat, model->graph, &im->opsets, im->file, arena)) return;
    im->proto = im->flat.graph;
    if (!weir_onnx_scope_build(&im->scope, im->proto, im->file)) return;
    choose_float(im, to_float32);
    weir_onnx_check_all(im);
    check_outputs(im);
    for (size_t i = 0; i < im->proto->n_node && !weir_onnx_importer_full(im) && im->outline == NULL; i++)
        weir_onnx_check_spare(im, i);
    if (weir_onnx_importer_full(im)) return;
    im->order = weir_onnx_scope_order(&im->scope, &im->flat, im->file);
    if (weir_onnx_importer_errors(im) == 0) build(im);
}

static const ProtobufCMessage *decode_as(weir_arena *arena, const ProtobufCMessageDescriptor *type, const void *data,
                                         size_t size, const char *file, weir_diag_log **log) {
    *log = weir_diag_capture();
    const ProtobufCMessage *message = weir_onnx_wire_decode(arena, type, data, size, file);
    weir_diag_release(*log);
    return message;
}

/* Tensors of conformance data are files of their own. */
static bool is_tensor(weir_arena *arena, const void *data, size_t size) {
    weir_diag_log *log;
    const Onnx__TensorProto *tensor =
        (const Onnx__TensorProto *)decode_as(arena, &onnx__tensor_proto__descriptor, data, size, "", &log);
    weir_diag_log_free(log);
    return tensor != NULL && tensor->has_data_type && (tensor->has_raw_data || tensor->n_float_data > 0);
}

/* The model, or NULL after an error that says, where that is known, what the file is instead. */
static const Onnx__ModelProto *decode(weir_arena *arena, const void *data, size_t size, const char *file) {
    static const weir_file_kind tensor = {"an ONNX tensor (TensorProto)", "pass the model; data goes to --data"};
    weir_diag_log *log;
    const Onnx__ModelProto *model =
        (const Onnx__ModelProto *)decode_as(arena, &onnx__model_proto__descriptor, data, size, file, &log);
    const weir_file_kind *kind = NULL;
    if (model == NULL || model->graph == NULL)
        kind = is_tensor(arena, data, size) ? &tensor : weir_file_kind_of(data, size);
    if (kind == NULL) weir_diag_replay(log);
    weir_diag_log_free(log);
    if (kind == NULL) return model;
    weir_error(weir_at(file, 0), "not an ONNX model: it looks like %s", kind->what);
    if (kind->hint != NULL) weir_note("%s", kind->hint);
    return NULL;
}

weir_graph *weir_onnx_import_bytes(const void *data, size_t size, const char *name, const char *folder,
                                   const weir_onnx_options *options) {
    weir_onnx_importer im = {.file = weir_path_name(name),
                             .bindings = options == NULL ? NULL : options->bindings,
                             .sizes = options == NULL ? (weir_onnx_sizes){.batch = 1} : options->sizes,
                             .source = {folder, WEIR_ONNX_TENSOR_BYTES, false},
                             .scales_left = WEIR_ONNX_PARAMETER_SCALES,
                             .errors_before = weir_diag_errors(),
                             .known = {.evaluate = options == NULL ? NULL : options->evaluate},
                             .outline = options == NULL ? NULL : options->outline,
                             .build = weir_onnx_node_build};
    weir_arena *arena = weir_arena_new();
    const Onnx__ModelProto *model = decode(arena, data, size, im.file);
    if (model != NULL) import_model(&im, model, options != NULL && options->to_float32, arena);
    if (weir_onnx_importer_full(&im)) weir_note("stopped after %d errors", (int)WEIR_DIAG_LIMIT);
    weir_onnx_known_free(&im.known);
    free(im.rule);
    free(im.own);
    free(im.choice);
    free(im.order);
    weir_onnx_scope_free(&im.scope);
    weir_arena_free(arena);
    if (weir_onnx_importer_errors(&im) == 0) return im.graph;
    weir_graph_free(im.graph);
    return NULL;
}

weir_graph *weir_onnx_import(const char *path, const weir_onnx_options *options) {
    size_t size;
    char *data = weir_file_read(path, &size);
    if (data == NULL) return NULL;
    char *folder = weir_path_folder(path);
    weir_graph *graph = weir_onnx_import_bytes(data, size, path, folder, options);
    free(folder);
    free(data);
    return graph;
}

weir_array *weir_onnx_read_tensor(const char *path) {
    size_t size;
    char *data = weir_file_read(path, &size);
    if (data == NULL) return NULL;
    const char *file = weir_path_name(path);
    weir_arena *arena = weir_arena_new();
    const Onnx__TensorProto *tensor =
        (const Onnx__TensorProto *)weir_onnx_wire_decode(arena, &onnx__tensor_proto__descriptor, data, size, file);
    weir_onnx_tensor_source source = {NULL, WEIR_ONNX_TENSOR_BYTES, false};
    weir_array *array =
        tensor == NULL ? NULL : weir_onnx_tensor_read(tensor, text_of(tensor->name), weir_at(file, 0), &source);
    weir_arena_free(arena);
    free(data);
    return array;
}
