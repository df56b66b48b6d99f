#include "passes/interface/tensorrt_quantizers.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "cosim/frames.h"
#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "support/memory/arena.h"
#include "support/text/unreachable.h"

enum { LARGEST_CODE = 127 };

bool weir_tensorrt_is_layer(const weir_graph *graph, weir_node node) {
    const weir_op kind = weir_trait_kind(graph, node);
    const bool turns = kind == WEIR_OP_CONV_TRANSPOSE && weir_node_int(graph, node, "group", 1) == 1;
    if (kind != WEIR_OP_GEMM && kind != WEIR_OP_MATMUL && kind != WEIR_OP_CONV && !turns) return false;
    const weir_value weights = weir_node_input(graph, node, 1);
    return weir_value_constant(graph, weights) != NULL && weir_value_type(graph, weights)->dtype == WEIR_FLOAT32;
}

/* The axis of output channels in the weights. */
static int channel_axis(const weir_graph *graph, weir_node node) {
    const int rank = weir_value_type(graph, weir_node_input(graph, node, 1))->shape.rank;
    switch (weir_trait_kind(graph, node)) {
    case WEIR_OP_CONV: return 0;
    case WEIR_OP_CONV_TRANSPOSE: return 1;
    case WEIR_OP_GEMM: return weir_node_int(graph, node, "transB", 0) != 0 ? 0 : 1;
    case WEIR_OP_MATMUL: return rank - 1;
    default: weir_unreachable("no layer of weir_tensorrt_is_layer");
    }
}

/* --- what calibration shows --- */

weir_tensorrt_seen *weir_tensorrt_seen_new(const weir_graph *graph) {
    return weir_calloc(weir_graph_value_limit(graph) + 1, sizeof(weir_tensorrt_seen));
}

void weir_tensorrt_seen_free(weir_tensorrt_seen *seen, const weir_graph *graph) {
    for (uint32_t id = 0; seen != NULL && id < weir_graph_value_limit(graph); id++) free(seen[id].histogram);
    free(seen);
}

typedef struct measurement {
    const weir_graph *graph;
    weir_tensorrt_seen *seen;
} measurement;

static bool see_frame(void *user, const weir_executor *executor) {
    const measurement *m = user;
    for (uint32_t id = 1; id < weir_graph_value_limit(m->graph); id++) {
        weir_tensorrt_seen *own = &m->seen[id];
        if (!own->wanted) continue;
        const weir_array *array = weir_executor_value(executor, (weir_value){id});
        if (own->histogram == NULL) own->histogram = weir_histogram_new();
        size_t bad;
        if (weir_calibration_see(&own->range, own->histogram, array, &bad)) continue;
        weir_error(weir_at(weir_graph_source(m->graph), 0),
                   "calibration: element %zu of '%s' is %g, expected finite numbers", bad,
                   weir_value_name(m->graph, (weir_value){id}), weir_array_get(array, bad));
        return false;
    }
    return true;
}

bool weir_tensorrt_measure(const weir_graph *graph, const char *data, int64_t limit, weir_tensorrt_seen *seen) {
    return weir_frames_run(graph, data, limit, see_frame, &(measurement){graph, seen}) > 0;
}

static weir_number int8(void) {
    weir_number n = weir_number_new(WEIR_NUMBER_AFFINE);
    weir_number_set(&n, WEIR_KEY_SYMMETRIC, 1);
    return n;
}

static double largest_of(const weir_range *r) { return r->seen ? fmax(fabs(r->min), fabs(r->max)) : 0; }

double weir_tensorrt_amax(const weir_tensorrt_seen *seen, const weir_calibrator *calibrator) {
    const weir_number n = int8();
    const weir_range range = weir_calibrator_range(calibrator, &n, &seen->range, seen->histogram);
    return largest_of(&range);
}

double weir_tensorrt_scale(double amax) { return (double)(float)(amax > 0 ? amax / LARGEST_CODE : 1); }

/* --- pairs --- */

typedef struct inserter {
    weir_graph *graph;
    const char *base; /* for names */
    weir_node before;
    int axis; /* of the scales; -1: one scale */
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
    weir_node_set_location(to->graph, node, weir_node_location(to->graph, to->before));
    to->fine = to->fine && weir_infer_node(to->graph, node);
    return weir_node_output(to->graph, node, 0);
}

static weir_value put_pair(inserter *to, weir_value x, const double *scales, size_t count) {
    weir_value scale = put_constant(to, "scale", WEIR_FLOAT32, scales, count);
    weir_value zero = put_constant(to, "zero_point", WEIR_INT8, NULL, count);
    weir_value codes = put_node(to, WEIR_OP_QUANTIZE_LINEAR, x, scale, zero);
    return put_node(to, WEIR_OP_DEQUANTIZE_LINEAR, codes, scale, zero);
}

weir_value weir_tensorrt_put_data(weir_graph *graph, weir_value value, weir_node before, double amax) {
    inserter to = {graph, weir_value_name(graph, value), before, -1, true};
    const double scale = weir_tensorrt_scale(amax);
    const weir_value result = put_pair(&to, value, &scale, 1);
    return to.fine ? result : WEIR_NO_VALUE;
}

bool weir_tensorrt_put_weights(weir_graph *graph, weir_node layer, const weir_calibrator *calibrator, bool by_channel) {
    assert(weir_tensorrt_is_layer(graph, layer));
    const weir_value weights = weir_node_input(graph, layer, 1);
    inserter to = {graph, weir_value_name(graph, weights), layer, channel_axis(graph, layer), true};
    if (!by_channel) to.axis = -1;
    const weir_array *array = weir_value_constant(graph, weights);
    const weir_by_output all = weir_by_output_of(&array->shape, to.axis);
    const weir_number n = int8();
    double *scales = weir_calloc(all.count, sizeof *scales);
    for (size_t c = 0; c < all.count; c++) {
        float *own = weir_by_output_elements(&all, c, array);
        const weir_range range = weir_calibrator_elements(calibrator, &n, own, all.size);
        scales[c] = weir_tensorrt_scale(largest_of(&range));
        free(own);
    }
    weir_node_set_input(graph, layer, 1, put_pair(&to, weights, scales, all.count));
    free(scales);
    return to.fine;
}
