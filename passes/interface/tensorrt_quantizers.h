/* Symmetric int8 as TensorRT has it: zero points 0, codes from -127 on, scale amax / 127, one a tensor for data and one
 * an output channel (or one) for weights, as pairs of QuantizeLinear and DequantizeLinear. */
#ifndef WEIR_PASSES_TENSORRT_QUANTIZERS_H
#define WEIR_PASSES_TENSORRT_QUANTIZERS_H

#include "ir/graph/graph.h"
#include "passes/quantize/calibrator.h"

/* Conv, ConvTranspose without groups, Gemm or MatMul with constant float32 weights as input 1. */
bool weir_tensorrt_is_layer(const weir_graph *graph, weir_node node);

/* What calibration shows of a value. */
typedef struct weir_tensorrt_seen {
    bool wanted;
    weir_range range;
    weir_histogram *histogram;
} weir_tensorrt_seen;

/* By handles of values, nothing wanted yet; heap memory. */
weir_tensorrt_seen *weir_tensorrt_seen_new(const weir_graph *graph);
void weir_tensorrt_seen_free(weir_tensorrt_seen *seen, const weir_graph *graph);
/* Runs the graph on the first `limit` frames (0: all). False after a reported error. */
bool weir_tensorrt_measure(const weir_graph *graph, const char *data, int64_t limit, weir_tensorrt_seen *seen);
/* The largest magnitude that codes are to hold. */
double weir_tensorrt_amax(const weir_tensorrt_seen *seen, const weir_calibrator *calibrator);
double weir_tensorrt_scale(double amax);

/* The value behind a pair of its own before the node; WEIR_NO_VALUE after a reported error. */
weir_value weir_tensorrt_put_data(weir_graph *graph, weir_value value, weir_node before, double amax);
/* The layer's weights get a pair. False after a reported error. */
bool weir_tensorrt_put_weights(weir_graph *graph, weir_node layer, const weir_calibrator *calibrator, bool by_channel);

#endif
