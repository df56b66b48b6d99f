/* tensorrt: what TensorRT takes in, and nothing more: nothing here runs it. A folder with
 *   model.onnx         the graph in QDQ form: symmetric int8, zero points 0, a scale a tensor for activations and a
 *                      scale an output channel for weights (NVIDIA's "Working with Quantized Types"); scales are amax /
 *                      127, amax of weights their largest magnitude, of activations that of a calibrator
 *   calibration.cache  the same scales of activations for a graph without quantizers: a line with the version and the
 *                      calibrator, then "NAME: SCALE" with the bits of the float32 in hexadecimal
 *   trtexec.sh         the command line
 * A graph that carries quantizers keeps them, and they must be of that kind. */
#include <stdlib.h>
#include <string.h>

#include "frontend/export/onnx_export.h"
#include "ir/trait/trait.h"
#include "passes/interface/interface.h"
#include "passes/interface/tensorrt_quantizers.h"
#include "support/file/file.h"
#include "support/file/folder.h"
#include "support/memory/arena.h"

/* --- what is there --- */

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

/* --- a graph without quantizers --- */

/* What the calibration shows of what flows into layers; NULL after a reported error. */
static weir_layer_seen *measure(const weir_graph *graph, const char *data) {
    weir_layer_seen *seen = weir_layer_seen_new(graph);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        const weir_value input = weir_node_input(graph, node, 0);
        if (weir_layer_has_weights(graph, node) && weir_value_constant(graph, input) == NULL)
            seen[input.id].wanted = true;
    }
    if (weir_layer_measure(graph, data, 0, seen)) return seen;
    weir_layer_seen_free(seen, graph);
    return NULL;
}

/* A copy with quantizers around every layer; NULL after a reported error. */
static weir_graph *quantized(const weir_graph *graph, const weir_layer_seen *seen, const weir_calibrator *calibrator) {
    static const weir_calibrator all = {WEIR_CALIBRATOR_MAX, 100};
    weir_graph *copy = weir_graph_copy(graph);
    weir_value *done = weir_calloc(weir_graph_value_limit(graph), sizeof *done);
    bool fine = true;
    for (weir_node node = weir_graph_first(copy), next; fine && node.id != 0; node = next) {
        next = weir_node_next(copy, node);
        if (!weir_layer_has_weights(copy, node)) continue;
        const weir_value x = weir_node_input(copy, node, 0);
        fine = weir_tensorrt_put_weights(copy, node, &all, true);
        if (!fine || !seen[x.id].wanted) continue;
        if (done[x.id].id == 0)
            done[x.id] = weir_tensorrt_put_data(copy, x, node, weir_tensorrt_amax(&seen[x.id], calibrator));
        fine = done[x.id].id != 0;
        if (fine) weir_node_set_input(copy, node, 0, done[x.id]);
    }
    free(done);
    if (fine) return copy;
    weir_graph_free(copy);
    return NULL;
}

/* --- files --- */

/* The calibrator's name in the cache's first line, by which TensorRT knows whose it is; trtexec's own is that of the
 * entropy. None of TensorRT's calibrators looks at squared errors: those scales pass for those of a range. */
static const char *header_of(weir_calibrator_id id) {
    static const char *const words[WEIR_CALIBRATOR_COUNT] = {
        [WEIR_CALIBRATOR_MAX] = "MinMaxCalibration",
        [WEIR_CALIBRATOR_PERCENTILE] = "LegacyCalibration",
        [WEIR_CALIBRATOR_ENTROPY] = "EntropyCalibration2",
        [WEIR_CALIBRATOR_MSE] = "MinMaxCalibration",
    };
    return words[id];
}

static bool write_text(const char *folder, const char *file, const weir_text *text) {
    char *path = weir_path_join(folder, file);
    bool fine = weir_file_write(path, text->data, text->size);
    free(path);
    return fine;
}

static bool write_cache(const weir_graph *graph, const weir_layer_seen *seen, const weir_calibrator *calibrator,
                        const weir_pass *pass, const char *folder) {
    weir_text text = {NULL, 0, 0};
    weir_text_format(&text, "TRT-%lld-%s\n", (long long)weir_pass_int(pass, "version"), header_of(calibrator->id));
    for (uint32_t id = 1; id < weir_graph_value_limit(graph); id++) {
        if (!seen[id].wanted) continue;
        float scale = (float)weir_tensorrt_scale(weir_tensorrt_amax(&seen[id], calibrator));
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
    weir_calibrator calibrator;
    weir_layer_seen *seen =
        !weir_calibrator_of_pass(pass, &calibrator) ? NULL : measure(graph, weir_pass_string(pass, "calibration"));
    weir_graph *copy = seen == NULL ? NULL : quantized(graph, seen, &calibrator);
    const bool fine = copy != NULL && write_model(module, copy, folder) &&
                      write_cache(graph, seen, &calibrator, pass, folder) &&
                      write_command(calibrator.id == WEIR_CALIBRATOR_ENTROPY, folder);
    weir_graph_free(copy);
    weir_layer_seen_free(seen, graph);
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
