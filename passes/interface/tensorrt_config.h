/* MASE's configuration of tensorrt_fake_quantize and tensorrt_calibrate, in YAML:
 *   by: type                         or name
 *   num_calibration_batches: 200     frames are batches of one
 *   post_calibration_analysis: true
 *   default:
 *     config: {quantize: true, precision: int8, calibrators: [percentile, mse, entropy], percentiles: [99, 99.9]}
 *     input: {calibrator: histogram, quantize_axis: false}      or max
 *     weight: {calibrator: max, quantize_axis: true}            a scale an output channel
 *   conv2d: {config: {quantize: false}}                         an operator of MASE, or a node's name
 *   fine_tune, runtime_analysis: {...}     of other passes of MASE's
 * Entries have what the default has where they say nothing else. */
#ifndef WEIR_PASSES_TENSORRT_CONFIG_H
#define WEIR_PASSES_TENSORRT_CONFIG_H

#include "ir/graph/graph.h"
#include "passes/quantize/calibrator.h"

typedef struct weir_tensorrt_entry {
    const char *selector;
    weir_location location;
    bool quantizes;
    bool input_histogram, weight_histogram; /* else max */
    bool by_channel;                        /* weights */
    bool is_used;
} weir_tensorrt_entry;

enum { WEIR_TENSORRT_CANDIDATES = 16 };

typedef struct weir_tensorrt_config {
    struct weir_yaml *root; /* its text lives here */
    bool by_name;
    weir_tensorrt_entry preset;
    weir_tensorrt_entry *entry;
    size_t count;
    int64_t batches; /* of the calibration; 0: all */
    bool analyses;
    weir_calibrator candidate[WEIR_TENSORRT_CANDIDATES]; /* of histograms */
    size_t candidates;
} weir_tensorrt_config;

/* An empty path: the defaults above with all calibrators. NULL after a reported error. */
weir_tensorrt_config *weir_tensorrt_config_read(const char *path);
void weir_tensorrt_config_free(weir_tensorrt_config *config);
const weir_tensorrt_entry *weir_tensorrt_config_find(weir_tensorrt_config *config, const weir_graph *graph,
                                                     weir_node node);
/* Reports entries that no node was given; false then. */
bool weir_tensorrt_config_check(const weir_tensorrt_config *config, const weir_graph *graph);

#endif
