/* MASE's configuration of onnx_runtime_interface, in YAML:
 *   by: type
 *   num_calibration_batches: 200     frames are batches of one; 0: all
 *   default:
 *     config:
 *       quantize: true
 *       quantize_types: [static, dynamic, auto]     static alone where it is left out
 *       precision: int8                             or uint8: element type of codes
 *       per_channel: false                          dynamic, auto: weights have a scale an output channel
 *       rtol: 0.1, atol: 0.01                       auto: how far results may be from those in float
 *       keep_io_types: true
 *   runtime_analysis: {...}          of another pass of MASE's
 * num_calibration_batches may also be in `config`. */
#ifndef WEIR_PASSES_ONNX_RUNTIME_CONFIG_H
#define WEIR_PASSES_ONNX_RUNTIME_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

typedef enum weir_onnx_runtime_mode {
    WEIR_ONNX_RUNTIME_STATIC,
    WEIR_ONNX_RUNTIME_DYNAMIC,
    WEIR_ONNX_RUNTIME_AUTO,
    WEIR_ONNX_RUNTIME_MODES
} weir_onnx_runtime_mode;

typedef struct weir_onnx_runtime_config {
    bool has[WEIR_ONNX_RUNTIME_MODES];
    bool is_unsigned, by_channel;
    double rtol, atol;
    int64_t batches;
} weir_onnx_runtime_config;

/* "static", "dynamic", "auto", and NULL behind the last. */
extern const char *const weir_onnx_runtime_mode_names[WEIR_ONNX_RUNTIME_MODES + 1];

/* From the file (empty: no modes, the defaults above), then modes that are words of the list (empty: the file's). False
 * after a reported error. */
bool weir_onnx_runtime_config_read(const char *path, const char *modes, weir_onnx_runtime_config *config);

#endif
