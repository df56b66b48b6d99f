/* Quantization noise of each value of a model: the model against its quantized form, both as ONNX defines them. */
#ifndef WEIR_COSIM_NOISE_H
#define WEIR_COSIM_NOISE_H

#include <jansson.h>

#include "ir/graph/graph.h"

enum { WEIR_NOISE_FRAMES = 32 }; /* that are run at most */

/* For each node of the model, in its order, whose output 0 the quantized graph has as real numbers under the same name:
 * {"node", "operator", "sqnr_db": power of the value over that of the difference in dB, null when there is no
 * difference or no power, "max_absolute": the largest difference, "mean_absolute", "largest": the largest absolute
 * value}. The first frames of `data`, an array for each input of both. A new array; NULL after a reported error. */
json_t *weir_noise_json(const weir_graph *model, const weir_graph *quantized, const weir_array *const *data,
                        int64_t frames);

#endif
