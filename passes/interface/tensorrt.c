/* tensorrt: what TensorRT takes in, and nothing more: nothing here runs it. A folder with
 *   model.onnx         the graph in QDQ form: symmetric int8, zero points 0, a scale a tensor for activations and a
 *                      scale an output channel for weights (NVIDIA's "Working with Quantized Types"); scales are amax /
 *                      127
 *   calibration.cache  the same scales of activations for a graph without quantizers: a line with the version and the
 *                      calibrator, then "NAME: SCALE" with the bits of the float32 in hexadecimal
 *   trtexec.sh         the command line
 * A graph that carries quantizers keeps them, and they must be of that kind. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cosim/frames.h"
#include "frontend/export/onnx_export.h"
#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "passes/interface/interface.h"
#include "support/file/file.h"
#include "support/file/folder.h"
#include "support/memory/arena.h"
#include "support/text/unreachable.h"

enum { LARGEST_CODE = 127 };

/* --- what is to be quantized --- */

/* Products of a tensor with constant weights. */
static bool is_layer(const weir_graph *graph, weir_node node) {
    const weir_op kind = weir_trait_kind(graph, node);
    if (kind != WEIR_OP_GEMM && kind != WEIR_OP_MATMUL && kind != WEIR_OP_CONV) return false;
    weir_value weight = weir_node_input(graph, node, 1);
    return weir_value_constant(graph, weight) != NULL && weir_value_type(graph, weight)->dtype == WEIR_FLOAT32;
}

/* The axis of output channels in the weights. */
static int channel_axis(const weir_graph *graph, weir_node node) {
    int rank = weir_value_type(graph, weir_node_input(graph, node, 1))->shape.rank;
    switch (weir_trait_kind(graph, node)) {
    case WEIR_OP_CONV: return 0;
    case WEIR_OP_GEMM: return weir_node_int(graph, node, "transB", 0) != 0 ? 0 : 1;
    case WEIR_OP_MATMUL: return rank - 1;
    default: weir_unreachable("no layer of is_layer");
    }
}

static bool is_quantizer(weir_op op) {
    const weir_op kind = weir_trait_of(op)->kind;
    return kind == WEIR_OP_QUANTIZE_LINEAR || kind == WEIR_OP_DEQUANTIZE_LINEAR;
}

static bool has_quantizers(const weir_graph *graph) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (is_quantizer(weir_node_op(graph, node))) return true;
    }
    return false;
}

/* int8 with zero points 0; biases in int32 may be dequantized. */
static bool is_symmetric(const weir_graph *graph, weir_node node) {
    weir_value zero = weir_node_input(graph, node, 2);
    const weir_array *zeros = zero.id == 0 ? NULL : weir_value_constant(graph, zero);
    if (zeros == NULL) return false;
    bool wide = weir_trait_kind(graph, node) == WEIR_OP_DEQUANTIZE_LINEAR && zeros->dtype == WEIR_INT32;
    bool fine = zeros->dtype == WEIR_INT8 || wide;
    for (size_t i = 0; fine && i < zeros->count; i++) fine = weir_array_get_int(zeros, i) == 0;
    return fine;
}

static bool check_quantizers(const weir_graph *graph) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (!is_quantizer(weir_node_op(graph, node)) || is_symmetric(graph, node)) continue;
        weir_error(weir_node_location(graph, node), "node '%s' (%s): TensorRT reads int8 codes with zero point 0 only",
                   weir_node_name(graph, node), weir_node_info(graph, node)->full_name);
        weir_note("quantize the float model with this pass instead");
        return false;
    }
    return true;
}

/* --- ranges --- */

typedef struct ranges {
    const weir_graph *graph;
    double *largest; /* of each value, by handle; negative: not wanted */
} ranges;

static void widen(ranges *r, weir_value value, const weir_array *array) {
    for (size_t i = 0; i < array->count; i++)
        r->largest[value.id] = fmax(r->largest[value.id], fabs(weir_array_get(array, i)));
}

static bool see_frame(void *user, const weir_executor *executor) {
    ranges *r = user;
    for (uint32_t id = 1; id < weir_graph_value_limit(r->graph); id++) {
        if (r->largest[id] >= 0) widen(r, (weir_value){id}, weir_executor_value(executor, (weir_value){id}));
    }
    return true;
}

/* Largest magnitudes of what flows into layers. Heap memory; NULL after a reported error. */
static double *measure(const weir_graph *graph, const char *data) {
    uint32_t limit = weir_graph_value_limit(graph);
    ranges r = {graph, weir_malloc(limit * sizeof *r.largest)};
    for (uint32_t id = 0; id < limit; id++) r.largest[id] = -1;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        weir_value input = weir_node_input(graph, node, 0);
        if (is_layer(graph, node) && weir_value_constant(graph, input) == NULL) r.largest[input.id] = 0;
    }
    if (weir_frames_run(graph, data, 0, see_frame, &r) > 0) return r.largest;
    free(r.largest);
    return NULL;
}

static double scale_of(double largest) { return (double)(float)(largest > 0 ? largest / LARGEST_CODE : 1); }

/* --- quantizers --- */

typedef struct inserter {
    weir_graph *graph;
    const char *base; /* for names */
    weir_node before;
    int axis;
    bool fine;
} inserter;

static weir_value put_constant(inserter *to, const char *suffix, weir_dtype dtype, const double *values, size_t count) {
    weir_shape shape = {to->axis < 0 ? 0 : 1, {(int64_t)count}};
    weir_array *array = weir_array_new(dtype, &shape);
    for (size_t i = 0; i < array->count; i++) weir_array_set(array, i, values == NULL ? 0 : values[i]);
    char *name = weir_format("%s_%s", to->base, suffix);
    weir_value value = weir_graph_add_constant(to->graph, name, array);
    free(name);
    weir_array_free(array);
    return value;
}

static weir_value put_node(inserter *to, weir_op op, weir_value x, weir_value scale, weir_value zero) {
    char *name = weir_format("%s_%s", to->base, weir_op_get(op)->name);
    weir_value inputs[3] = {x, scale, zero};
    weir_node node = weir_graph_add_node(to->graph, op, name, inputs, 3, 1, to->before);
    free(name);
    if (to->axis >= 0) weir_node_set_int(to->graph, node, "axis", to->axis);
    to->fine = to->fine && weir_infer_node(to->graph, node);
    return weir_node_output(to->graph, node, 0);
}

/* QuantizeLinear and DequantizeLinear after the value; per tensor when the axis is -1. */
static weir_value put_pair(inserter *to, weir_value x, const double *scales, size_t count) {
    weir_value scale = put_constant(to, "scale", WEIR_FLOAT32, scales, count);
    weir_value zero = put_constant(to, "zero_point", WEIR_INT8, NULL, count);
    weir_value codes = put_node(to, WEIR_OP_QUANTIZE_LINEAR, x, scale, zero);
    return put_node(to, WEIR_OP_DEQUANTIZE_LINEAR, codes, scale, zero);
}

static weir_value quantize_weight(inserter *to, weir_value weight) {
    const weir_array *array = weir_value_constant(to->graph, weight);
    size_t channels = (size_t)array->shape.dim[to->axis], inner = 1;
    for (int i = to->axis + 1; i < array->shape.rank; i++) inner *= (size_t)array->shape.dim[i];
    double *scales = weir_calloc(channels, sizeof *scales);
    for (size_t i = 0; i < array->count; i++) {
        double *largest = &scales[i / inner % channels];
        *largest = fmax(*largest, fabs(weir_array_get(array, i)));
    }
    for (size_t i = 0; i < channels; i++) scales[i] = scale_of(scales[i]);
    weir_value result = put_pair(to, weight, scales, channels);
    free(scales);
    return result;
}

/* A copy with quantizers around every layer. */
static weir_graph *quantized(const weir_graph *graph, const double *largest) {
    weir_graph *copy = weir_graph_copy(graph);
    weir_value *done = weir_calloc(weir_graph_value_limit(graph), sizeof *done);
    inserter to = {.graph = copy, .fine = true};
    for (weir_node node = weir_graph_first(copy), next; node.id != 0; node = next) {
        next = weir_node_next(copy, node);
        if (!is_layer(copy, node)) continue;
        weir_value x = weir_node_input(copy, node, 0), weight = weir_node_input(copy, node, 1);
        to.before = node;
        to.axis = channel_axis(copy, node);
        to.base = weir_value_name(copy, weight);
        weir_node_set_input(copy, node, 1, quantize_weight(&to, weight));
        if (largest[x.id] < 0) continue;
        to.axis = -1;
        to.base = weir_value_name(copy, x);
        if (done[x.id].id == 0) done[x.id] = put_pair(&to, x, (double[]){scale_of(largest[x.id])}, 1);
        weir_node_set_input(copy, node, 0, done[x.id]);
    }
    free(done);
    if (to.fine) return copy;
    weir_graph_free(copy);
    return NULL;
}

/* --- files --- */

/* The scales are those of a min-max calibrator, and TensorRT ignores a cache that another calibrator has written, by
 * its header; trtexec's own is the second entropy calibrator. */
static bool is_for_trtexec(const weir_pass *pass) { return weir_pass_choice(pass, "calibrator") == 1; }

static bool write_text(const char *folder, const char *file, const weir_text *text) {
    char *path = weir_path_join(folder, file);
    bool fine = weir_file_write(path, text->data, text->size);
    free(path);
    return fine;
}

static bool write_cache(const weir_graph *graph, const double *largest, const weir_pass *pass, const char *folder) {
    weir_text text = {NULL, 0, 0};
    weir_text_format(&text, "TRT-%lld-%s\n", (long long)weir_pass_int(pass, "version"),
                     is_for_trtexec(pass) ? "EntropyCalibration2" : "MinMaxCalibration");
    for (uint32_t id = 1; id < weir_graph_value_limit(graph); id++) {
        if (largest[id] < 0) continue;
        float scale = (float)scale_of(largest[id]);
        uint32_t bits;
        memcpy(&bits, &scale, sizeof bits);
        weir_text_format(&text, "%s: %08x\n", weir_value_name(graph, (weir_value){id}), (unsigned)bits);
    }
    bool fine = write_text(folder, "calibration.cache", &text);
    weir_text_free(&text);
    return fine;
}

static bool write_command(bool cache, const char *folder) {
    static const char command[] = "#!/bin/sh\n"
                                  "# Needs NVIDIA TensorRT; written, never run, by weir.\n"
                                  "cd \"$(dirname \"$0\")\" || exit\n"
                                  "exec trtexec --onnx=model.onnx --int8 --saveEngine=model.engine \"$@\"\n";
    static const char alternative[] =
        "# Without quantizers in the file: trtexec --onnx=FLOAT.onnx --int8 --calib=calibration.cache\n";
    weir_text text = {NULL, 0, 0};
    weir_text_add(&text, command);
    if (cache) weir_text_add(&text, alternative);
    bool fine = write_text(folder, "trtexec.sh", &text);
    weir_text_free(&text);
    return fine;
}

static bool write_model(const weir_module *module, const weir_graph *graph, const char *folder) {
    char *path = weir_path_join(folder, "model.onnx");
    bool fine =
        weir_onnx_export(graph, path, &(weir_onnx_export_options){.name = weir_module_name(module), .one_frame = true});
    free(path);
    return fine;
}

/* A float graph: measured, quantized. */
static bool write_quantized(const weir_pass *pass, const weir_module *module, const weir_graph *graph,
                            const char *folder) {
    double *largest = measure(graph, weir_pass_string(pass, "calibration"));
    weir_graph *copy = largest == NULL ? NULL : quantized(graph, largest);
    bool fine = copy != NULL && write_model(module, copy, folder) && write_cache(graph, largest, pass, folder) &&
                write_command(is_for_trtexec(pass), folder);
    weir_graph_free(copy);
    free(largest);
    return fine;
}

bool weir_pass_tensorrt(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    const weir_graph *graph = weir_interface_graph(module, pass);
    if (graph == NULL) return false;
    const char *option = weir_pass_string(pass, "dir");
    char *folder = *option != '\0' ? weir_copy_string(option) : weir_path_join(weir_module_folder(module), "tensorrt");
    bool kept = has_quantizers(graph), fine = !kept || check_quantizers(graph);
    weir_folder *output = fine ? weir_folder_open(folder, WEIR_FOLDER_SHARED) : NULL;
    const char *to = output == NULL ? NULL : weir_folder_staging(output);
    if (output == NULL) fine = false;
    else if (kept) fine = write_model(module, graph, to) && write_command(false, to);
    else fine = write_quantized(pass, module, graph, to);
    if (fine) fine = weir_folder_commit(output);
    else weir_folder_abandon(output);
    if (fine) {
        char *path = weir_path_join(folder, "model.onnx");
        json_object_set_new(weir_pass_record(context), "onnx_path", json_string(path));
        free(path);
    }
    free(folder);
    return fine;
}
