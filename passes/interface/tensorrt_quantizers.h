/* Symmetric int8 as TensorRT has it: zero points 0, codes from -127 on, scale amax / 127, one a tensor for data and one
 * an output channel (or one) for weights, as pairs of QuantizeLinear and DequantizeLinear. */
#ifndef WEIR_PASSES_TENSORRT_QUANTIZERS_H
#define WEIR_PASSES_TENSORRT_QUANTIZERS_H

#include "passes/interface/layer_quantizers.h"

/* The largest magnitude that codes are to hold. */
double weir_tensorrt_amax(const weir_layer_seen *seen, const weir_calibrator *calibrator);
double weir_tensorrt_scale(double amax);

/* The value behind a pair of its own before the node; WEIR_NO_VALUE after a reported error. */
weir_value weir_tensorrt_put_data(weir_graph *graph, weir_value value, weir_node before, double amax);
/* The layer's weights get a pair. False after a reported error. */
bool weir_tensorrt_put_weights(weir_graph *graph, weir_node layer, const weir_calibrator *calibrator, bool by_channel);

#endif
