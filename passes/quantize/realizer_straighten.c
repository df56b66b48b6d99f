#include <stdlib.h>

#include "ir/shape/infer.h"
#include "passes/quantize/realizer.h"
#include "support/memory/arena.h"

/* The dense layer that computes the node's input, possibly through Relabels; none: another operator computes it. */
static weir_node layer_of(const weir_realizer *r) {
    weir_node maker = weir_value_producer(r->graph, weir_node_input(r->graph, r->node, 0));
    while (maker.id != 0 && weir_node_op(r->graph, maker) == WEIR_OP_RELABEL)
        maker = weir_value_producer(r->graph, weir_node_input(r->graph, maker, 0));
    return maker.id != 0 && weir_node_op(r->graph, maker) == WEIR_OP_LINEAR ? maker : WEIR_NO_NODE;
}

/* Computed before the graph changes, because it owns the requantizer's records. */
static size_t count_falling(weir_realizer *r) {
    size_t count = 0;
    r->falling = weir_calloc(r->channels, sizeof *r->falling);
    for (size_t c = 0; r->thresholds == NULL && c < r->channels; c++) {
        r->falling[c] = weir_requantizer_slope(&r->requantizer, (int64_t)c) < 0;
        count += r->falling[c];
    }
    return count;
}

static bool falls(const weir_realizer *r, size_t row) { return r->falling[r->channels == 1 ? 0 : row]; }

/* The weights with the rows of such channels negated, and as wide as that needs. */
static weir_value mirror_weights(const weir_realizer *r, weir_node layer) {
    weir_value weights = weir_node_input(r->graph, layer, 1);
    const weir_array *old = weir_value_constant(r->graph, weights);
    const size_t columns = (size_t)old->shape.dim[1];
    int64_t low = -1, high = 0;
    weir_array *wide = weir_array_new(WEIR_INT64, &old->shape);
    for (size_t i = 0; i < old->count; i++) {
        const int64_t w = (falls(r, i / columns) ? -1 : 1) * weir_array_get_int(old, i);
        weir_array_set_int(wide, i, w);
        low = w < low ? w : low;
        high = w > high ? w : high;
    }
    weir_array *narrow = weir_array_convert(wide, weir_dtype_for(low, high));
    char *name = weir_format("%s_mirrored", weir_value_name(r->graph, weights));
    weir_value value = weir_graph_add_constant(r->graph, name, narrow);
    free(name);
    weir_array_free(wide);
    weir_array_free(narrow);
    return value;
}

/* Zero points with the sums' signs: one a channel, where one for all is not enough. */
static void mirror_zeros(const weir_realizer *r, weir_type *type) {
    const bool spread = type->quant.count == 1 && r->channels > 1 && weir_quant_zero(&type->quant, 0) != 0;
    const uint32_t count = spread ? (uint32_t)r->channels : type->quant.count;
    double *scale = weir_arena_array(weir_graph_arena(r->graph), count + 1, sizeof *scale);
    int64_t *zero = weir_arena_array(weir_graph_arena(r->graph), count + 1, sizeof *zero);
    for (uint32_t c = 0; c < count; c++) {
        scale[c] = weir_quant_scale(&type->quant, (int64_t)c);
        zero[c] = (falls(r, c) ? -1 : 1) * weir_quant_zero(&type->quant, (int64_t)c);
    }
    if (count == 0) return;
    if (spread) type->quant.axis = type->shape.rank - 1;
    type->quant.scale = scale;
    type->quant.zero_point = zero;
    type->quant.count = count;
}

/* A dense layer of its own for the node, whose sums have the other sign in these channels. */
static weir_value mirror_layer(const weir_realizer *r, weir_node layer) {
    weir_graph *graph = r->graph;
    weir_type type = *weir_value_type(graph, weir_node_input(graph, r->node, 0));
    weir_value inputs[2] = {weir_node_input(graph, layer, 0), mirror_weights(r, layer)};
    char *name = weir_format("%s_mirrored", weir_node_name(graph, layer));
    weir_node made = weir_graph_add_node(graph, WEIR_OP_LINEAR, name, inputs, 2, 1, r->node);
    free(name);
    weir_node_set_location(graph, made, weir_node_location(graph, layer));
    weir_node_copy_attributes(graph, made, graph, layer);
    mirror_zeros(r, &type);
    weir_value_set_type(graph, weir_node_output(graph, made, 0), &type);
    return weir_infer_node(graph, made) ? weir_node_output(graph, made, 0) : WEIR_NO_VALUE;
}

/* The floor of a quotient has factors with the other sign instead. */
static bool mirror_floor(weir_realizer *r, weir_node layer) {
    int64_t *factor = weir_malloc(r->channels * sizeof *factor);
    for (size_t c = 0; c < r->channels; c++)
        factor[c] = (falls(r, c) ? -1 : 1) *
                    weir_array_get_int(r->requantizer.factor, r->requantizer.factor->count == 1 ? 0 : c);
    const weir_value sums = mirror_layer(r, layer);
    weir_node_set_input(r->graph, r->node, 2, weir_realizer_parameter(r, "factor", factor, r->channels, 0));
    free(factor);
    if (sums.id == 0) return false;
    weir_node_set_input(r->graph, r->node, 0, sums);
    return weir_infer_node(r->graph, r->node) && weir_realizer_read(r);
}

/* The node reads such sums, and its first step gives the numbers their sign back: all channels' functions rise. */
static bool mirror(weir_realizer *r, weir_node layer) {
    weir_graph *graph = r->graph;
    weir_array *sign = weir_array_new(WEIR_FLOAT32, &(weir_shape){1, {(int64_t)r->channels}});
    for (size_t c = 0; c < r->channels; c++) weir_array_set(sign, c, falls(r, c) ? -1 : 1);
    char *name = weir_format("%s_sign", weir_node_name(graph, r->node));
    const size_t given = weir_node_input_count(graph, r->node), count = given < 2 ? 2 : given;
    weir_value *inputs = weir_calloc(count + 2, sizeof *inputs);
    inputs[0] = mirror_layer(r, layer);
    inputs[1] = weir_node_input(graph, r->node, 1);
    inputs[2] = weir_graph_add_constant(graph, name, sign);
    for (size_t i = 2; i < count; i++) inputs[i + 1] = weir_node_input(graph, r->node, i);
    const char *before = weir_node_string(graph, r->node, "steps", "");
    char *steps = weir_format("Mul%s%s", *before == '\0' ? "" : " ", before);
    bool fine = inputs[0].id != 0;
    if (fine) {
        r->node = weir_realizer_replace(r, WEIR_OP_REQUANTIZE, inputs, count + 1);
        weir_node_set_string(graph, r->node, "steps", steps);
        fine = weir_infer_node(graph, r->node) && weir_realizer_read(r);
    }
    free(inputs);
    free(steps);
    free(name);
    weir_array_free(sign);
    return fine;
}

/* Signs that differ by channel need weights: a dense layer before the node that passes its input on. */
static weir_node add_layer(weir_realizer *r) {
    weir_graph *graph = r->graph;
    const int64_t channels = (int64_t)r->channels;
    weir_array *ones = weir_array_new(WEIR_INT8, &(weir_shape){2, {channels, 1}});
    for (size_t c = 0; c < r->channels; c++) weir_array_set_int(ones, c, 1);
    weir_value x = weir_node_input(graph, r->node, 0);
    char *name = weir_format("%s_signs", weir_node_name(graph, r->node));
    weir_value inputs[2] = {x, weir_graph_add_constant(graph, name, ones)};
    weir_node made = weir_graph_add_node(graph, WEIR_OP_LINEAR, name, inputs, 2, 1, r->node);
    free(name);
    weir_array_free(ones);
    weir_node_set_int(graph, made, "group", channels);
    weir_node_set_location(graph, made, weir_node_location(graph, r->node));
    weir_value_set_type(graph, weir_node_output(graph, made, 0), weir_value_type(graph, x));
    weir_node_set_input(graph, r->node, 0, weir_node_output(graph, made, 0));
    return weir_infer_node(graph, made) ? made : WEIR_NO_NODE;
}

bool weir_realizer_straighten(weir_realizer *r) {
    const size_t count = count_falling(r);
    if (count == 0) return true;
    weir_node layer = layer_of(r);
    if (layer.id == 0 && count < r->channels) layer = add_layer(r);
    if (layer.id != 0) return weir_requantizer_is_floor(&r->requantizer) ? mirror_floor(r, layer) : mirror(r, layer);
    bool binary = r->stride == 2;
    const int64_t codes = r->high - r->low;
    r->base = binary ? 1 : r->high;
    r->stride = binary ? -2 : -1;
    r->low = 0;
    r->high = codes;
    return true;
}
