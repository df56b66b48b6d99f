#include "passes/interface/tensorrt_quantizers.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "support/memory/arena.h"

enum { LARGEST_CODE = 127 };

static weir_number int8(void) {
    weir_number n = weir_number_new(WEIR_NUMBER_AFFINE);
    weir_number_set(&n, WEIR_KEY_SYMMETRIC, 1);
    return n;
}

static double largest_of(const weir_range *r) { return r->seen ? fmax(fabs(r->min), fabs(r->max)) : 0; }

double weir_tensorrt_amax(const weir_layer_seen *seen, const weir_calibrator *calibrator) {
    const weir_number n = int8();
    const weir_range range = weir_calibrator_range(calibrator, &n, &seen->range, seen->histogram);
    return largest_of(&range);
}

double weir_tensorrt_scale(double amax) { return (double)(float)(amax > 0 ? amax / LARGEST_CODE : 1); }

weir_value weir_tensorrt_put_data(weir_graph *graph, weir_value value, weir_node before, double amax) {
    const double scale = weir_tensorrt_scale(amax);
    return weir_layer_put_pair(graph, value, before, &(weir_layer_codes){WEIR_INT8, -1, 1, &scale, NULL});
}

bool weir_tensorrt_put_weights(weir_graph *graph, weir_node layer, const weir_calibrator *calibrator, bool by_channel) {
    assert(weir_layer_has_weights(graph, layer));
    const weir_value weights = weir_node_input(graph, layer, 1);
    const weir_array *array = weir_value_constant(graph, weights);
    const int axis = by_channel ? weir_layer_channel_axis(graph, layer) : -1;
    const weir_by_output all = weir_by_output_of(&array->shape, axis);
    const weir_number n = int8();
    double *scales = weir_calloc(all.count, sizeof *scales);
    for (size_t c = 0; c < all.count; c++) {
        float *own = weir_by_output_elements(&all, c, array);
        const weir_range range = weir_calibrator_elements(calibrator, &n, own, all.size);
        scales[c] = weir_tensorrt_scale(largest_of(&range));
        free(own);
    }
    const weir_layer_codes codes = {WEIR_INT8, axis, all.count, scales, NULL};
    const weir_value made = weir_layer_put_pair(graph, weights, layer, &codes);
    if (made.id != 0) weir_node_set_input(graph, layer, 1, made);
    free(scales);
    return made.id != 0;
}
