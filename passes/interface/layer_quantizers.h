/* Quantizers of layers with constant weights: pairs before their data and their weights, and what calibration shows of
 * data. */
#ifndef WEIR_PASSES_LAYER_QUANTIZERS_H
#define WEIR_PASSES_LAYER_QUANTIZERS_H

#include "ir/graph/graph.h"
#include "passes/quantize/calibrator.h"

/* Conv, ConvTranspose without groups, Gemm or MatMul with constant float32 weights as input 1. */
bool weir_layer_has_weights(const weir_graph *graph, weir_node node);
/* The axis of output channels in the weights. */
int weir_layer_channel_axis(const weir_graph *graph, weir_node node);

/* What calibration shows of a value. */
typedef struct weir_layer_seen {
    bool wanted;
    weir_range range;
    weir_histogram *histogram;
} weir_layer_seen;

/* By handles of values, nothing wanted yet; heap memory. */
weir_layer_seen *weir_layer_seen_new(const weir_graph *graph);
void weir_layer_seen_free(weir_layer_seen *seen, const weir_graph *graph);
/* Runs the graph on the first `limit` frames (0: all). False after a reported error. */
bool weir_layer_measure(const weir_graph *graph, const char *data, int64_t limit, weir_layer_seen *seen);

/* What codes stand for: of a whole tensor, or by its index along an axis. */
typedef struct weir_layer_codes {
    weir_dtype dtype;
    int axis; /* -1: one scale */
    size_t count;
    const double *scale;
    const int64_t *zero; /* NULL: all 0 */
} weir_layer_codes;

/* The value behind QuantizeLinear and DequantizeLinear of its own before the node; WEIR_NO_VALUE after a reported
 * error. */
weir_value weir_layer_put_pair(weir_graph *graph, weir_value value, weir_node before, const weir_layer_codes *codes);
/* Of a float32 constant: a DequantizeLinear of its codes. */
weir_value weir_layer_put_codes(weir_graph *graph, weir_value value, weir_node before, const weir_layer_codes *codes);
/* The value behind DynamicQuantizeLinear and DequantizeLinear. */
weir_value weir_layer_put_dynamic(weir_graph *graph, weir_value value, weir_node before);

#endif
