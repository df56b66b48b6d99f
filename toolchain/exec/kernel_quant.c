/* Conversions between real numbers and codes: ONNX's, QONNX's and the ones at the edge of the hardware. */
#include "exec/kernel_common.h"
#include "quant/arithmetic.h"
#include "quant/contract.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "exec/elementary.h"
#include "ir/number/number.h"
#include "ir/shape/layout.h"
#include "support/text/unreachable.h"

/* The parameters (scale, zero point) of Quantize- and DequantizeLinear: one, one for each index of an axis, or one a
 * block of elements along it. */
typedef struct parameters {
    weir_channels channels; /* along the axis, or one */
    size_t block, blocks;   /* elements of a block, blocks along the axis; 0: there are none */
} parameters;

static parameters parameters_of(const weir_graph *graph, weir_node node, const weir_array *x, const weir_array *scale) {
    const int64_t axis = weir_node_int(graph, node, "axis", 1), size = weir_node_int(graph, node, "block_size", 0);
    const int own = (int)(axis < 0 ? axis + x->shape.rank : axis);
    if (size == 0) return (parameters){weir_channels_of(&x->shape, own, scale->count), 0, 0};
    return (parameters){weir_channels_of(&x->shape, own, (size_t)x->shape.dim[own]), (size_t)size,
                        (size_t)scale->shape.dim[own]};
}

/* Which of the parameters element i has. */
static size_t parameter(const parameters *p, size_t i) {
    if (p->block == 0) return weir_channel(&p->channels, i);
    const size_t inner = p->channels.inner, line = i / inner;
    const size_t outer = line / p->channels.count, place = line % p->channels.count;
    return (outer * p->blocks + place / p->block) * inner + i % inner;
}

static int64_t zero_of(const weir_array *zero, size_t c) { return zero == NULL ? 0 : weir_array_get_int(zero, c); }

/* Elements converted at once. */
enum { BLOCK = 512 };

/* With one scale, in blocks. */
static void encode_narrow(const weir_array *x, float scale, weir_narrow to, weir_array *y) {
    assert(x->dtype == WEIR_FLOAT32 && x->count == y->count);
    int32_t code[BLOCK];
    for (size_t first = 0, count; first < y->count; first += count) {
        count = y->count - first < BLOCK ? y->count - first : BLOCK;
        weir_encode_onnx_all((const float *)x->data + first, count, scale, to, code);
        weir_kernel_store_narrow(y, first, count, code);
    }
}

/* Codes that are floats; a zero point, which should be 0, leaves the sign of 0 alone if it is. */
static void encode_floats(const weir_array *const *inputs, const parameters *p, bool saturates, weir_array *y) {
    const weir_small_float *format = weir_dtype_small_float(y->dtype);
    for (size_t i = 0; i < y->count; i++) {
        const size_t c = parameter(p, i);
        const float quotient = (float)weir_array_get(inputs[0], i) / ((const float *)inputs[1]->data)[c];
        const float zero = inputs[2] == NULL ? 0 : (float)weir_array_get(inputs[2], c);
        const float code = fabsf(zero) > 0 ? quotient + zero : quotient;
        ((uint8_t *)y->data)[i] = weir_small_float_encode(format, (double)code, saturates);
    }
}

/* Element by element: codes that are floats, or have blocks. */
static void decode_each(const weir_array *const *inputs, const parameters *p, float *y) {
    for (size_t i = 0; i < inputs[0]->count; i++) {
        const size_t c = parameter(p, i);
        const double zero = inputs[2] == NULL ? 0 : weir_array_get(inputs[2], c);
        y[i] = (float)(weir_array_get(inputs[0], i) - zero) * ((const float *)inputs[1]->data)[c];
    }
}

void weir_kernel_QUANTIZE_LINEAR(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                 weir_array *const *outputs) {
    const weir_array *x = inputs[0], *zero = inputs[2];
    const float *scale = inputs[1]->data;
    weir_array *y = outputs[0];
    const parameters p = parameters_of(graph, node, x, inputs[1]);
    weir_narrow narrow;
    int64_t low, high;
    if (weir_dtype_is_float(y->dtype)) {
        encode_floats(inputs, &p, weir_node_int(graph, node, "saturate", 1) != 0, y);
        return;
    }
    weir_dtype_limits(y->dtype, &low, &high);
    if (x->dtype == WEIR_FLOAT32 && inputs[1]->count == 1 && weir_narrow_of(zero_of(zero, 0), low, high, &narrow)) {
        encode_narrow(x, scale[0], narrow, y);
        return;
    }
    for (size_t i = 0; i < y->count; i++) {
        const size_t c = parameter(&p, i);
        weir_array_set_int(y, i, weir_encode_onnx((float)weir_array_get(x, i), scale[c], zero_of(zero, c), low, high));
    }
}

/* Integers in runs of one parameter. */
void weir_kernel_DEQUANTIZE_LINEAR(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                   weir_array *const *outputs) {
    const weir_array *x = inputs[0], *zero = inputs[2];
    assert(inputs[1]->dtype == WEIR_FLOAT32 && outputs[0]->dtype == WEIR_FLOAT32);
    const float *scale = inputs[1]->data;
    float *y = outputs[0]->data;
    const parameters p = parameters_of(graph, node, x, inputs[1]);
    const size_t run = inputs[1]->count == 1 ? x->count : p.channels.inner, size = weir_dtype_size(x->dtype);
    if (p.block > 0 || weir_dtype_is_float(x->dtype)) {
        decode_each(inputs, &p, y);
        return;
    }
    for (size_t first = 0, count; first < x->count; first += count) {
        const size_t c = parameter(&p, first);
        const int64_t shift = zero_of(zero, c);
        count = run - first % run < BLOCK ? run - first % run : BLOCK;
        if (size == 1) {
            int32_t code[BLOCK];
            weir_kernel_load_narrow(x, first, count, code);
            for (size_t i = 0; i < count; i++) y[first + i] = (float)(code[i] - (int32_t)shift) * scale[c];
        } else {
            for (size_t i = first; i < first + count; i++) y[i] = (float)(weir_array_get_int(x, i) - shift) * scale[c];
        }
    }
}

/* ONNX Runtime's order: of zeros alone the scale is 1, the zero point the nearest code to where 0 is. */
void weir_kernel_DYNAMIC_QUANTIZE_LINEAR(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                         weir_array *const *outputs) {
    (void)graph;
    (void)node;
    const weir_array *x = inputs[0];
    const float *v = x->data;
    float low = 0, high = 0;
    for (size_t i = 0; i < x->count; i++) {
        low = v[i] < low ? v[i] : low;
        high = v[i] > high ? v[i] : high;
    }
    const float scale = high > low ? (high - low) / UINT8_MAX : 1, zero = fminf(fmaxf(-low / scale, 0), UINT8_MAX);
    const int64_t zero_point = (int64_t)weir_round((double)zero, WEIR_ROUND_HALF_EVEN);
    weir_narrow narrow;
    if (!weir_narrow_of(zero_point, 0, UINT8_MAX, &narrow)) weir_unreachable("a zero point of 8 bits");
    encode_narrow(x, scale, narrow, outputs[0]);
    weir_array_set(outputs[1], 0, (double)scale);
    weir_array_set_int(outputs[2], 0, zero_point);
}

/* qonnx executes it in float32, one operation after the other; one signed bit means -1 and +1. */
static float rounded(float code, float low, float high, weir_rounding rounding) {
    code = code > high ? high : code;
    code = code < low ? low : code;
    return (float)weir_round((double)code, rounding);
}

/* The codes of a width, by the attributes signed and narrow. */
static void limits(const weir_graph *graph, weir_node node, double bits, float *low, float *high) {
    const bool is_signed = weir_node_int(graph, node, "signed", 1) != 0;
    const float narrow = weir_node_int(graph, node, "narrow", 0) != 0;
    const float half = (float)weir_elementary_exp2(bits - 1), all = (float)weir_elementary_exp2(bits);
    *low = is_signed ? -half + narrow : 0;
    *high = is_signed ? half - 1 : all - 1 - narrow;
}

void weir_kernel_QUANT(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                       weir_array *const *outputs) {
    const weir_array *x = inputs[0], *scale = inputs[1], *zero = inputs[2];
    weir_rounding rounding = WEIR_ROUND_HALF_EVEN;
    weir_rounding_parse_qonnx(weir_node_string(graph, node, "rounding_mode", "ROUND"), &rounding);
    const double bits = weir_array_get(inputs[3], 0);
    const bool is_sign = bits == 1 && weir_node_int(graph, node, "signed", 1) != 0;
    float low, high;
    limits(graph, node, bits, &low, &high);
    const weir_broadcast from_scale = weir_broadcast_of(&scale->shape, &x->shape);
    const weir_broadcast from_zero = weir_broadcast_of(&zero->shape, &x->shape);
    float *y = outputs[0]->data;
    for (size_t i = 0; i < x->count; i++) {
        const float s = (float)weir_array_get(scale, weir_broadcast_index(&from_scale, i));
        const float z = (float)weir_array_get(zero, weir_broadcast_index(&from_zero, i));
        const float quotient = (float)weir_array_get(x, i) / s;
        const float shifted = quotient + z, sign = shifted >= 0 ? 1 : -1;
        const float code = is_sign ? sign : rounded(shifted, low, high, rounding);
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

/* Settings of FloatQuant. */
typedef struct float_format {
    int mantissa, least; /* bits; the exponent of the smallest step */
    double low, high;
    double below, above; /* what is out of range becomes */
    weir_rounding rounding;
} float_format;

static float_format float_format_of(const weir_graph *graph, weir_node node, const weir_array *const *inputs) {
    const int exponent = (int)weir_array_get_int(inputs[2], 0), bias = (int)weir_array_get_int(inputs[4], 0);
    float_format f = {.mantissa = (int)weir_array_get_int(inputs[3], 0)};
    f.least = 1 - bias - f.mantissa;
    const double top = (double)ldexpf(1, (1 << exponent) - 1 - bias); /* infinite where float32 is */
    f.high = fmin((2 - ldexp(1, -f.mantissa)) * top, weir_array_get(inputs[5], 0));
    f.low = weir_node_int(graph, node, "signed", 1) != 0 ? -f.high : 0;
    const bool saturates = weir_node_int(graph, node, "saturation", 1) != 0;
    const double beyond = weir_node_int(graph, node, "has_inf", 0) != 0 ? (double)INFINITY : (double)NAN;
    f.above = saturates ? f.high : beyond;
    f.below = saturates ? f.low : -beyond;
    weir_rounding_parse_qonnx(weir_node_string(graph, node, "rounding_mode", "ROUND"), &f.rounding);
    return f;
}

/* floor(log2(v)) as float32 has it: next below a power of two that is the power's. */
static int floor_log2(float v) {
    static const double PER_LOG = 1.4426950408889634;
    int exponent;
    const double part = frexp((double)v, &exponent);
    return (int)floorf((float)(exponent + (part > 0.5 ? weir_elementary_log(part) * PER_LOG : -1)));
}

/* qonnx executes it in float32, its bounds in float64. */
static float float_quantize(const float_format *f, float x, float scale) {
    const float quotient = x / scale;
    if (!isfinite(quotient)) return NAN; /* the step of an infinite number is infinite */
    const int own = floor_log2(fabsf(quotient) + FLT_MIN) - f->mantissa;
    const float step = ldexpf(1, own > f->least ? own : f->least);
    const float places = (float)weir_round((double)(quotient / step), f->rounding), value = step * places;
    const double kept = (double)value > f->high ? f->above : (double)value < f->low ? f->below : (double)value;
    return (float)(kept * (double)scale);
}

void weir_kernel_FLOAT_QUANT(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                             weir_array *const *outputs) {
    const weir_array *x = inputs[0], *scale = inputs[1];
    const float_format format = float_format_of(graph, node, inputs);
    const weir_broadcast from = weir_broadcast_of(&scale->shape, &x->shape);
    float *y = outputs[0]->data;
    for (size_t i = 0; i < x->count; i++)
        y[i] = float_quantize(&format, ((const float *)x->data)[i],
                              ((const float *)scale->data)[weir_broadcast_index(&from, i)]);
}

void weir_kernel_FAKE_QUANTIZE(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                               weir_array *const *outputs) {
    const int rank = inputs[0]->shape.rank;
    const int64_t axis = weir_node_int(graph, node, "axis", 0);
    weir_number number;
    if (!weir_number_parse(weir_node_string(graph, node, "format", ""), &number))
        weir_unreachable("a format that inference refuses");
    const weir_number_layout layout = {(int)(axis < 0 ? axis + rank : axis), -1,
                                       weir_node_int(graph, node, "flattens", 0) != 0};
    weir_number_quantize(&number, layout, inputs[0], outputs[0]);
}

/* Both forms of Trunc divide codes by a power of two. The first one's width says by which, its scale stays; the second
 * one's scales do, and it clips. */
typedef struct truncation {
    bool clips;
    float divisor, low, high; /* of one element */
    weir_rounding rounding;
} truncation;

static float truncate(const truncation *t, float x, float scale, float zero, float to_scale) {
    const float quotient = x / scale, shifted = quotient + zero;
    const float code = (float)weir_round((double)shifted, WEIR_ROUND_HALF_EVEN) / t->divisor;
    const float result =
        t->clips ? rounded(code, t->low, t->high, t->rounding) : (float)weir_round((double)code, t->rounding);
    const float to_zero = t->clips ? zero / t->divisor : zero, centered = result - to_zero;
    return centered * to_scale;
}

void weir_kernel_TRUNC(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                       weir_array *const *outputs) {
    const weir_array *x = inputs[0], *scale = inputs[1], *zero = inputs[2];
    truncation t = {.clips = weir_node_input_count(graph, node) == 6};
    const weir_array *to_scale = t.clips ? inputs[4] : scale;
    weir_rounding_parse_qonnx(weir_node_string(graph, node, "rounding_mode", "FLOOR"), &t.rounding);
    const double bits = weir_array_get(inputs[t.clips ? 5 : 4], 0);
    limits(graph, node, bits, &t.low, &t.high);
    t.divisor = (float)weir_elementary_exp2(weir_array_get(inputs[3], 0) - bits);
    const weir_broadcast from_scale = weir_broadcast_of(&scale->shape, &x->shape);
    const weir_broadcast from_zero = weir_broadcast_of(&zero->shape, &x->shape);
    const weir_broadcast from_to_scale = weir_broadcast_of(&to_scale->shape, &x->shape);
    float *y = outputs[0]->data;
    for (size_t i = 0; i < x->count; i++) {
        const float s = (float)weir_array_get(scale, weir_broadcast_index(&from_scale, i));
        const float z = (float)weir_array_get(zero, weir_broadcast_index(&from_zero, i));
        const float to = (float)weir_array_get(to_scale, weir_broadcast_index(&from_to_scale, i));
        if (t.clips) t.divisor = (float)ldexp(1, weir_trunc_exponent(s, to));
        y[i] = truncate(&t, (float)weir_array_get(x, i), s, z, to);
    }
}

void weir_kernel_MULTI_THRESHOLD(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                 weir_array *const *outputs) {
    const weir_array *x = inputs[0], *thresholds = inputs[1];
    assert(thresholds->shape.rank == 2);
    const size_t steps = (size_t)thresholds->shape.dim[1];
    const float scale = (float)weir_node_float(graph, node, "out_scale", 1);
    const float bias = (float)weir_node_float(graph, node, "out_bias", 0);
    const weir_channels channels =
        weir_channels_of(&x->shape, weir_layout_channel_axis(graph, node), (size_t)thresholds->shape.dim[0]);
    float *y = outputs[0]->data;
    for (size_t i = 0; i < x->count; i++) {
        const float *threshold = (const float *)thresholds->data + weir_channel(&channels, i) * steps;
        const float v = ((const float *)x->data)[i];
        const float scaled = scale * (float)weir_count_reached(threshold, steps, v);
        y[i] = scaled + bias;
    }
}

static weir_contract contract_of(const weir_graph *graph, weir_node node) {
    weir_contract contract = WEIR_CONTRACT_ONNXRUNTIME;
    weir_contract_parse(weir_node_string(graph, node, "arithmetic", "qlinear"), &contract);
    return contract;
}

void weir_kernel_ENCODE(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                        weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    const weir_quant *quant = &weir_kernel_output_type(graph, node)->quant;
    assert(quant->format != WEIR_FORMAT_FLOAT && x->count == outputs[0]->count);
    const weir_contract contract = contract_of(graph, node);
    const weir_channels channels = weir_channels_of(&x->shape, quant->axis, quant->count == 0 ? 1 : quant->count);
    weir_narrow narrow;
    int64_t low, high;
    if (x->dtype == WEIR_FLOAT32 && channels.count == 1 && quant->format != WEIR_FORMAT_BINARY &&
        contract != WEIR_CONTRACT_REAL && (weir_quant_limits(quant, &low, &high), true) &&
        weir_narrow_of(weir_quant_zero(quant, 0), low, high, &narrow)) {
        encode_narrow(x, (float)weir_quant_scale(quant, 0), narrow, outputs[0]);
        return;
    }
    for (size_t i = 0; i < x->count; i++) {
        const int64_t channel = (int64_t)weir_channel(&channels, i);
        weir_array_set_int(outputs[0], i, weir_encode(weir_array_get(x, i), quant, channel, contract));
    }
}

void weir_kernel_DECODE(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                        weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    const weir_quant *quant = &weir_kernel_input_type(graph, node, 0)->quant;
    assert(quant->format != WEIR_FORMAT_FLOAT && x->count == outputs[0]->count);
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
