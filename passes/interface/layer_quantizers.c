#include "passes/interface/layer_quantizers.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "cosim/frames.h"
#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "quant/arithmetic.h"
#include "support/memory/arena.h"
#include "support/text/unreachable.h"

bool weir_layer_has_weights(const weir_graph *graph, weir_node node) {
    const weir_op kind = weir_trait_kind(graph, node);
    const bool turns = kind == WEIR_OP_CONV_TRANSPOSE && weir_node_int(graph, node, "group", 1) == 1;
    if (kind != WEIR_OP_GEMM && kind != WEIR_OP_MATMUL && kind != WEIR_OP_CONV && !turns) return false;
    const weir_value weights = weir_node_input(graph, node, 1);
    return weir_value_constant(graph, weights) != NULL && weir_value_type(graph, weights)->dtype == WEIR_FLOAT32;
}

int weir_layer_channel_axis(const weir_graph *graph, weir_node node) {
    const int rank = weir_value_type(graph, weir_node_input(graph, node, 1))->shape.rank;
    switch (weir_trait_kind(graph, node)) {
    case WEIR_OP_CONV: return 0;
    case WEIR_OP_CONV_TRANSPOSE: return 1;
    case WEIR_OP_GEMM: return weir_node_int(graph, node, "transB", 0) != 0 ? 0 : 1;
    case WEIR_OP_MATMUL: return rank - 1;
    default: weir_unreachable("no layer with weights");
    }
}

/* --- what calibration shows --- */

weir_layer_seen *weir_layer_seen_new(const weir_graph *graph) {
    return weir_calloc(weir_graph_value_limit(graph) + 1, sizeof(weir_layer_seen));
}

void weir_layer_seen_free(weir_layer_seen *seen, const weir_graph *graph) {
    for (uint32_t id = 0; seen != NULL && id < weir_graph_value_limit(graph); id++) free(seen[id].histogram);
    free(seen);
}

typedef struct measurement {
    const weir_graph *graph;
    weir_layer_seen *seen;
} measurement;

static bool see_frame(void *user, const weir_executor *executor) {
    const measurement *m = user;
    for (uint32_t id = 1; id < weir_graph_value_limit(m->graph); id++) {
        weir_layer_seen *own = &m->seen[id];
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

bool weir_layer_measure(const weir_graph *graph, const char *data, int64_t limit, weir_layer_seen *seen) {
    return weir_frames_run(graph, data, limit, see_frame, &(measurement){graph, seen}) > 0;
}

/* --- quantizers --- */

typedef struct inserter {
    weir_graph *graph;
    const char *base; /* for names */
    weir_node before;
    int axis; /* of the scales; -1: one scale */
    bool fine;
} inserter;

static inserter inserter_of(weir_graph *graph, weir_value value, weir_node before, int axis) {
    return (inserter){graph, weir_value_name(graph, value), before, axis, true};
}

static weir_value add_constant(const inserter *to, const char *suffix, const weir_array *array) {
    char *name = weir_format("%s_%s", to->base, suffix);
    const weir_value value = weir_graph_add_constant(to->graph, name, array);
    free(name);
    return value;
}

static weir_value put_node(inserter *to, weir_op op, const weir_value *inputs, size_t count, size_t outputs) {
    char *name = weir_format("%s_%s", to->base, weir_op_get(op)->name);
    const weir_node node = weir_graph_add_node(to->graph, op, name, inputs, count, outputs, to->before);
    free(name);
    if (to->axis >= 0) weir_node_set_int(to->graph, node, "axis", to->axis);
    weir_node_set_location(to->graph, node, weir_node_location(to->graph, to->before));
    to->fine = to->fine && weir_infer_node(to->graph, node);
    return weir_node_output(to->graph, node, 0);
}

/* Scale and zero point of the codes. */
static void put_parameters(const inserter *to, const weir_layer_codes *codes, weir_value inputs[3]) {
    const weir_shape shape = {to->axis < 0 ? 0 : 1, {(int64_t)codes->count}};
    weir_array *scale = weir_array_new(WEIR_FLOAT32, &shape), *zero = weir_array_new(codes->dtype, &shape);
    for (size_t i = 0; i < scale->count; i++) {
        weir_array_set(scale, i, codes->scale[i]);
        weir_array_set_int(zero, i, codes->zero == NULL ? 0 : codes->zero[i]);
    }
    inputs[1] = add_constant(to, "scale", scale);
    inputs[2] = add_constant(to, "zero_point", zero);
    weir_array_free(scale);
    weir_array_free(zero);
}

weir_value weir_layer_put_pair(weir_graph *graph, weir_value value, weir_node before, const weir_layer_codes *codes) {
    inserter to = inserter_of(graph, value, before, codes->axis);
    weir_value inputs[3] = {value};
    put_parameters(&to, codes, inputs);
    inputs[0] = put_node(&to, WEIR_OP_QUANTIZE_LINEAR, inputs, 3, 1);
    const weir_value result = put_node(&to, WEIR_OP_DEQUANTIZE_LINEAR, inputs, 3, 1);
    return to.fine ? result : WEIR_NO_VALUE;
}

weir_value weir_layer_put_codes(weir_graph *graph, weir_value value, weir_node before, const weir_layer_codes *codes) {
    inserter to = inserter_of(graph, value, before, codes->axis);
    const weir_array *data = weir_value_constant(graph, value);
    assert(data != NULL && data->dtype == WEIR_FLOAT32);
    const weir_by_output all = weir_by_output_of(&data->shape, codes->axis);
    weir_array *made = weir_array_new(codes->dtype, &data->shape);
    int64_t low, high;
    weir_dtype_limits(codes->dtype, &low, &high);
    for (size_t c = 0; c < all.count; c++) {
        const int64_t zero = codes->zero == NULL ? 0 : codes->zero[c];
        for (size_t i = 0; i < all.size; i++) {
            const size_t at = weir_by_output_place(&all, c, i);
            const float x = ((const float *)data->data)[at];
            weir_array_set_int(made, at, weir_encode_onnx(x, (float)codes->scale[c], zero, low, high));
        }
    }
    weir_value inputs[3] = {add_constant(&to, "codes", made)};
    weir_array_free(made);
    put_parameters(&to, codes, inputs);
    const weir_value result = put_node(&to, WEIR_OP_DEQUANTIZE_LINEAR, inputs, 3, 1);
    return to.fine ? result : WEIR_NO_VALUE;
}

weir_value weir_layer_put_dynamic(weir_graph *graph, weir_value value, weir_node before) {
    inserter to = inserter_of(graph, value, before, -1);
    const weir_value codes = put_node(&to, WEIR_OP_DYNAMIC_QUANTIZE_LINEAR, &value, 1, 3);
    const weir_node quantizer = weir_value_producer(graph, codes);
    const weir_value inputs[3] = {codes, weir_node_output(graph, quantizer, 1), weir_node_output(graph, quantizer, 2)};
    const weir_value result = put_node(&to, WEIR_OP_DEQUANTIZE_LINEAR, inputs, 3, 1);
    return to.fine ? result : WEIR_NO_VALUE;
}
