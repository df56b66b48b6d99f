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

/* qonnx executes it in float32, one operation after the other; one signed bit means -1 and +1. */
static float rounded(float code, float low, float high, weir_rounding rounding) {
    code = code > high ? high : code;
    code = code < low ? low : code;
    return (float)weir_round((double)code, rounding);
}

void weir_kernel_QUANT(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                       weir_array *const *outputs) {
    const weir_array *x = inputs[0], *scale = inputs[1], *zero = inputs[2];
    weir_rounding rounding = WEIR_ROUND_HALF_EVEN;
    weir_rounding_parse_qonnx(weir_node_string(graph, node, "rounding_mode", "ROUND"), &rounding);
    const bool is_signed = weir_node_int(graph, node, "signed", 1) != 0;
    const float narrow = weir_node_int(graph, node, "narrow", 0) != 0;
    const float bits = (float)weir_array_get(inputs[3], 0), half = (float)weir_elementary_exp2(bits - 1);
    const float all = (float)weir_elementary_exp2(bits);
    const float low = is_signed ? -half + narrow : 0, high = is_signed ? half - 1 : all - 1 - narrow;
    const weir_broadcast from_scale = weir_broadcast_of(&scale->shape, &x->shape);
    const weir_broadcast from_zero = weir_broadcast_of(&zero->shape, &x->shape);
    float *y = outputs[0]->data;
    for (size_t i = 0; i < x->count; i++) {
        const float s = (float)weir_array_get(scale, weir_broadcast_index(&from_scale, i));
        const float z = (float)weir_array_get(zero, weir_broadcast_index(&from_zero, i));
        const float quotient = (float)weir_array_get(x, i) / s;
        const float shifted = quotient + z, sign = shifted >= 0 ? 1 : -1;
        const float code = is_signed && bits == 1 ? sign : rounded(shifted, low, high, rounding);
        const float centered = code - z;
        y[i] = centered * s;
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
