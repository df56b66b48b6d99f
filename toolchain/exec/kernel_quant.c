/* Conversions between real numbers and codes: ONNX's, QONNX's and the ones at the edge of the hardware. */
#include "exec/arithmetic.h"
#include "exec/contract.h"
#include "exec/kernel_common.h"

#include <math.h>
#include <string.h>

#include "exec/elementary.h"

/* The scalar or per-axis parameters (scale, zero point) of Quantize- and DequantizeLinear. */
static weir_channels axis_channels(const weir_graph *graph, weir_node node, const weir_array *x,
                                   const weir_array *scale) {
    const int64_t axis = weir_node_int(graph, node, "axis", 1);
    return weir_channels_of(&x->shape, (int)(axis < 0 ? axis + x->shape.rank : axis), scale->count);
}

void weir_kernel_QUANTIZE_LINEAR(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                 weir_array *const *outputs) {
    const weir_array *x = inputs[0], *zero = inputs[2];
    const float *scale = inputs[1]->data;
    weir_array *y = outputs[0];
    const weir_channels channels = axis_channels(graph, node, x, inputs[1]);
    int64_t low, high;
    weir_dtype_limits(y->dtype, &low, &high);
    for (size_t i = 0; i < y->count; i++) {
        const size_t c = weir_channel(&channels, i);
        const int64_t shift = zero == NULL ? 0 : weir_array_get_int(zero, c);
        weir_array_set_int(y, i, weir_encode_onnx((float)weir_array_get(x, i), scale[c], shift, low, high));
    }
}

void weir_kernel_DEQUANTIZE_LINEAR(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                   weir_array *const *outputs) {
    const weir_array *x = inputs[0], *zero = inputs[2];
    const float *scale = inputs[1]->data;
    float *y = outputs[0]->data;
    const weir_channels channels = axis_channels(graph, node, x, inputs[1]);
    for (size_t i = 0; i < x->count; i++) {
        const size_t c = weir_channel(&channels, i);
        const int64_t shift = zero == NULL ? 0 : weir_array_get_int(zero, c);
        y[i] = (float)(weir_array_get_int(x, i) - shift) * scale[c];
    }
}

/* QONNX's names. Its HALF_UP and HALF_DOWN break ties away from and toward zero, whatever the names suggest. */
static weir_rounding qonnx_rounding(const char *mode) {
    static const struct {
        const char *name;
        weir_rounding rounding;
    } modes[] = {{"CEIL", WEIR_ROUND_CEIL},         {"FLOOR", WEIR_ROUND_FLOOR},
                 {"UP", WEIR_ROUND_AWAY},           {"DOWN", WEIR_ROUND_TRUNCATE},
                 {"HALF_UP", WEIR_ROUND_HALF_AWAY}, {"HALF_DOWN", WEIR_ROUND_HALF_TO_ZERO}};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(mode, modes[i].name) == 0) return modes[i].rounding;
    return WEIR_ROUND_HALF_EVEN;
}

void weir_kernel_QUANT(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                       weir_array *const *outputs) {
    const weir_array *x = inputs[0], *scale = inputs[1], *zero = inputs[2];
    const weir_rounding rounding = qonnx_rounding(weir_node_string(graph, node, "rounding_mode", "ROUND"));
    const bool is_signed = weir_node_int(graph, node, "signed", 1) != 0;
    const double narrow = weir_node_int(graph, node, "narrow", 0) != 0;
    const double codes = weir_elementary_exp2(weir_array_get(inputs[3], 0));
    const double low = is_signed ? -codes / 2 + narrow : 0;
    const double high = is_signed ? codes / 2 - 1 : codes - 1 - narrow;
    const weir_broadcast from_scale = weir_broadcast_of(&scale->shape, &x->shape);
    const weir_broadcast from_zero = weir_broadcast_of(&zero->shape, &x->shape);
    float *y = outputs[0]->data;
    for (size_t i = 0; i < x->count; i++) {
        const double s = weir_array_get(scale, weir_broadcast_index(&from_scale, i));
        const double z = weir_array_get(zero, weir_broadcast_index(&from_zero, i));
        double code = weir_array_get(x, i) / s + z;
        code = code < low ? low : code > high ? high : code;
        y[i] = (float)((weir_round(code, rounding) - z) * s);
    }
}

void weir_kernel_BIPOLAR_QUANT(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                               weir_array *const *outputs) {
    (void)graph;
    (void)node;
    const weir_array *x = inputs[0], *scale = inputs[1];
    const weir_broadcast from = weir_broadcast_of(&scale->shape, &x->shape);
    float *y = outputs[0]->data;
    for (size_t i = 0; i < x->count; i++) {
        const float s = ((const float *)scale->data)[weir_broadcast_index(&from, i)];
        y[i] = ((const float *)x->data)[i] >= 0 ? s : -s;
    }
}

static weir_contract contract_of(const weir_graph *graph, weir_node node) {
    weir_contract contract = WEIR_CONTRACT_ONNXRUNTIME;
    weir_contract_parse(weir_node_string(graph, node, "contract", "onnxruntime"), &contract);
    return contract;
}

void weir_kernel_ENCODE(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                        weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    const weir_quant *quant = &weir_kernel_output_type(graph, node)->quant;
    const weir_contract contract = contract_of(graph, node);
    const weir_channels channels = weir_channels_of(&x->shape, quant->axis, quant->count == 0 ? 1 : quant->count);
    for (size_t i = 0; i < x->count; i++) {
        const int64_t channel = (int64_t)weir_channel(&channels, i);
        weir_array_set_int(outputs[0], i, weir_encode(weir_array_get(x, i), quant, channel, contract));
    }
}

void weir_kernel_DECODE(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                        weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    const weir_quant *quant = &weir_kernel_input_type(graph, node, 0)->quant;
    const bool onnx = contract_of(graph, node) == WEIR_CONTRACT_ONNXRUNTIME;
    const weir_attribute *offset = weir_node_attribute(graph, node, "offset");
    const weir_channels channels = weir_channels_of(&x->shape, quant->axis, quant->count == 0 ? 1 : quant->count);
    float *y = outputs[0]->data;
    for (size_t i = 0; i < x->count; i++) {
        const int64_t c = (int64_t)weir_channel(&channels, i);
        const int64_t code = weir_array_get_int(x, i) - weir_quant_zero(quant, c);
        if (onnx) {
            y[i] = (float)code * (float)weir_quant_scale(quant, c);
        } else {
            const double add = offset == NULL ? 0 : offset->as.floats[weir_last(i, offset->count)];
            y[i] = (float)((double)code * weir_quant_scale(quant, c) + add);
        }
    }
}
