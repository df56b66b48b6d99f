/* Operators that gather many elements into one, and normalizations. Sums are taken in float64. */
#include "exec/kernel_common.h"

#include <math.h>

void weir_kernel_BATCH_NORMALIZATION(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                     weir_array *const *outputs) {
    const weir_array *x = inputs[0], *scale = inputs[1], *shift = inputs[2], *mean = inputs[3], *variance = inputs[4];
    const double epsilon = weir_node_float(graph, node, "epsilon", 1e-5);
    const weir_channels channels = weir_channels_of(&x->shape, 1, scale->count);
    for (size_t i = 0; i < x->count; i++) {
        const size_t c = weir_channel(&channels, i);
        const double centred = weir_array_get(x, i) - weir_array_get(mean, c);
        const double deviation = sqrt(weir_array_get(variance, c) + epsilon);
        weir_array_set(outputs[0], i, centred / deviation * weir_array_get(scale, c) + weir_array_get(shift, c));
    }
}
