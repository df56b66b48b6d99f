#include "passes/quantize/quantizer.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/number/number.h"
#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "support/memory/arena.h"

bool weir_quantizer_is_float(const weir_quantizer *q, weir_value value) {
    return value.id != 0 && weir_side_has(&q->values, value.id);
}

weir_quantized_value *weir_quantizer_value(const weir_quantizer *q, weir_value value) {
    return weir_side_at(&q->values, value.id);
}

bool weir_quantizer_is_constant(const weir_quantizer *q, weir_value value) {
    return value.id != 0 && weir_value_constant(q->graph, value) != NULL;
}

bool weir_quantizer_is_computed(const weir_quantizer *q, weir_value value) {
    return weir_quantizer_is_float(q, value) && !weir_quantizer_is_constant(q, value);
}

bool weir_quantizer_is_between(const weir_quantizer *q, weir_value value) {
    const weir_quantized_value *own = weir_quantizer_value(q, value);
    return own->before && own->after;
}

bool weir_quantizer_is_pool(weir_op op) {
    return weir_trait_of(op)->task == WEIR_TASK_EXTREME || weir_trait_of(op)->task == WEIR_TASK_MEAN;
}

static weir_value constant_of(weir_quantizer *q, const char *base, const char *suffix, weir_dtype dtype, size_t count,
                              bool vector, const double *values) {
    weir_shape shape = {vector ? 1 : 0, {(int64_t)count}};
    weir_array *array = weir_array_new(dtype, &shape);
    for (size_t i = 0; i < count; i++) weir_array_set(array, i, values[i]);
    char *name = weir_format("%s_%s", base, suffix);
    weir_value value = weir_graph_add_constant(q->graph, name, array);
    free(name);
    weir_array_free(array);
    return value;
}

static weir_value add_node(weir_quantizer *q, weir_op op, const char *base, const char *suffix,
                           const weir_value *inputs, size_t count, weir_node before, int64_t axis) {
    char *name = weir_format("%s_%s", base, suffix);
    weir_node node = weir_graph_add_node(q->graph, op, name, inputs, count, 1, before);
    free(name);
    if (axis >= 0) weir_node_set_int(q->graph, node, "axis", axis);
    weir_node source = before.id != 0 ? before : weir_value_producer(q->graph, inputs[0]);
    weir_node_set_location(q->graph, node, weir_node_location(q->graph, source));
    return weir_infer_node(q->graph, node) ? weir_node_output(q->graph, node, 0) : WEIR_NO_VALUE;
}

/* The wanted fraction bits, or those that hold the range by the rule of the pass. */
static int fraction_bits(const weir_quantizer *q, const weir_range *r, int64_t width, int64_t wanted) {
    if (wanted >= 0) return (int)wanted;
    weir_number number = weir_number_new(WEIR_NUMBER_FIXED);
    weir_number_set(&number, WEIR_KEY_WIDTH, (int)width);
    weir_number_choose(&number, fmax(fabs(r->min), fabs(r->max)), weir_pass_choice(q->pass, "fraction_rule") == 1);
    return weir_number_get(&number, WEIR_KEY_FRAC_WIDTH);
}

/* QONNX Quant: value on the grid of 2^-frac, rounded by the mode, saturated. */
static weir_value add_fixed(weir_quantizer *q, const char *base, weir_value value, const weir_range *r, int64_t width,
                            int64_t frac, const char *rounding, weir_node before) {
    double parameters[3] = {ldexp(1, -fraction_bits(q, r, width, frac)), 0, (double)width};
    static const char *const names[3] = {"scale", "zero_point", "width"};
    weir_value inputs[4] = {value};
    for (size_t i = 0; i < 3; i++)
        inputs[i + 1] = constant_of(q, base, names[i], WEIR_FLOAT32, 1, false, &parameters[i]);
    weir_value result = add_node(q, WEIR_OP_QUANT, base, "quant", inputs, 4, before, -1);
    if (result.id == 0) return result;
    weir_node node = weir_value_producer(q->graph, result);
    weir_node_set_int(q->graph, node, "signed", 1);
    weir_node_set_int(q->graph, node, "narrow", 0);
    weir_node_set_string(q->graph, node, "rounding_mode", rounding);
    return result;
}

/* Numbers whose codes would stand for less than this are zero: products of such scales are no normal float32 numbers,
 * and of dead channels nothing else is left after training. */
static const double LEAST_SCALE = 0x1p-60;

static weir_value add_affine(weir_quantizer *q, const char *base, weir_value value, double scale, double zero,
                             weir_dtype dtype, weir_node before) {
    weir_value inputs[3] = {value, constant_of(q, base, "scale", WEIR_FLOAT32, 1, false, &scale),
                            constant_of(q, base, "zero_point", dtype, 1, false, &zero)};
    weir_value codes = add_node(q, WEIR_OP_QUANTIZE_LINEAR, base, "quantize", inputs, 3, before, -1);
    if (codes.id == 0) return codes;
    inputs[0] = codes;
    return add_node(q, WEIR_OP_DEQUANTIZE_LINEAR, base, "dequantize", inputs, 3, before, -1);
}

static weir_value add_int8(weir_quantizer *q, const char *base, weir_value value, const weir_range *r,
                           weir_node before) {
    const double low = fmin(r->min, 0), high = fmax(r->max, 0),
                 scale = high - low > 255 * LEAST_SCALE ? (double)(float)((high - low) / 255) : 1;
    return add_affine(q, base, value, scale, nearbyint(-low / scale), WEIR_UINT8, before);
}

/* Symmetric, so that sums need no zero points. */
static weir_value add_int16(weir_quantizer *q, const char *base, weir_value value, const weir_range *r,
                            weir_node before) {
    const double most = fmax(fabs(r->min), fabs(r->max)),
                 scale = most > INT16_MAX * LEAST_SCALE ? (double)(float)(most / INT16_MAX) : 1;
    return add_affine(q, base, value, scale, 0, WEIR_INT16, before);
}

/* The part of the value's range that codes of the scheme are to hold. */
static weir_range calibrated(const weir_quantizer *q, const weir_quantized_value *own) {
    weir_number n = weir_number_new(q->fixed ? WEIR_NUMBER_FIXED : WEIR_NUMBER_AFFINE);
    if (q->fixed) weir_number_set(&n, WEIR_KEY_WIDTH, (int)weir_pass_int(q->pass, "data_in_width"));
    else weir_number_set(&n, WEIR_KEY_SYMMETRIC, 0);
    return weir_calibrator_range(&q->calibrator, &n, &own->range, own->histogram);
}

/* Of 16 bits: what is added up over time (quantize_recurrence.c), and an input of the sequence that 8 bits are too few
 * for. */
static bool is_wide(const weir_quantized_value *own) {
    /* Weights of 8 bits leave about 40 dB; what is 6 dB better than that costs 1 dB more: 46 dB, as a ratio. */
    static const double ENOUGH = 39811;
    const double step = (own->range.max - own->range.min) / 255, noise = step * step / 12;
    return own->wide || (own->is_sequence && own->seen > 0 && own->squares < ENOUGH * noise * own->seen);
}

weir_value weir_quantizer_of_range(weir_quantizer *q, weir_value value, const weir_range *range, weir_node before) {
    const weir_node producer = weir_value_producer(q->graph, value);
    const char *base = producer.id != 0 ? weir_node_name(q->graph, producer) : weir_value_name(q->graph, value);
    return add_int8(q, base, value, range, before);
}

/* The value in codes as the record says. */
static weir_value quantized(weir_quantizer *q, weir_value value, const weir_quantized_value *as, weir_node before) {
    weir_node producer = weir_value_producer(q->graph, value);
    const char *base = producer.id != 0 ? weir_node_name(q->graph, producer) : weir_value_name(q->graph, value);
    const weir_range range = calibrated(q, as);
    if (q->fixed)
        return add_fixed(q, base, value, &range, weir_pass_int(q->pass, "data_in_width"),
                         weir_pass_int(q->pass, "data_in_frac_width"), "FLOOR", before);
    return is_wide(as) ? add_int16(q, base, value, &as->range, before) : add_int8(q, base, value, &range, before);
}

weir_value weir_quantizer_activation(weir_quantizer *q, weir_value value, weir_node before) {
    const bool is_real = weir_dtype_is_float(weir_value_type(q->graph, value)->dtype);
    if (!is_real || !weir_quantizer_is_float(q, value)) return value; /* truth values, indices; a quantizer gives it */
    weir_quantized_value *own = weir_quantizer_value(q, value);
    if (own->quantized.id == 0) own->quantized = quantized(q, value, own, before);
    return own->quantized;
}

weir_value weir_quantizer_like(weir_quantizer *q, weir_value value, weir_value other, weir_node before) {
    return quantized(q, value, weir_quantizer_value(q, other), before);
}

static weir_range range_of(const weir_array *data) {
    weir_range r = {false, 0, 0};
    for (size_t i = 0; i < data->count; i++) weir_range_see(&r, weir_array_get(data, i));
    return r;
}

/* The constant of a node that its codes stand for, with a scale an output. */
typedef struct codes_of {
    weir_node node;
    weir_value value;
    const char *what;
    int64_t axis;
    size_t outputs;
    const double *scale;
} codes_of;

/* A DequantizeLinear of the codes, which it takes over, without zero points. */
static weir_value add_codes(weir_quantizer *q, const codes_of *of, weir_array *codes) {
    const char *base = weir_value_name(q->graph, of->value);
    char *name = weir_format("%s_quantized", base);
    double *zero = weir_calloc(of->outputs, sizeof *zero);
    const weir_value inputs[3] = {weir_graph_add_constant(q->graph, name, codes),
                                  constant_of(q, base, "scale", WEIR_FLOAT32, of->outputs, of->axis >= 0, of->scale),
                                  constant_of(q, base, "zero_point", codes->dtype, of->outputs, of->axis >= 0, zero)};
    free(name);
    free(zero);
    weir_array_free(codes);
    return add_node(q, WEIR_OP_DEQUANTIZE_LINEAR, weir_node_name(q->graph, of->node), of->what, inputs, 3, of->node,
                    of->axis);
}

int weir_quantizer_axis(const weir_quantizer *q, weir_node node, size_t index) {
    const weir_op kind = weir_trait_kind(q->graph, node);
    const int rank = weir_value_type(q->graph, weir_node_input(q->graph, node, index))->shape.rank;
    if (kind == WEIR_OP_CONV) return 0;
    if (kind == WEIR_OP_CONV_TRANSPOSE) return 1;
    if (kind == WEIR_OP_GEMM) return index == 0 || weir_node_int(q->graph, node, "transB", 0) != 0 ? 0 : 1;
    return rank != 2 ? -1 : index == 0 ? 0 : 1;
}

size_t weir_quantizer_scales(const weir_quantizer *q, weir_value weights, int axis) {
    return axis < 0 ? 1 : (size_t)weir_value_type(q->graph, weights)->shape.dim[axis];
}

weir_value weir_quantizer_weights(weir_quantizer *q, weir_node node, weir_value value, int axis, const double *least,
                                  double *scale) {
    const weir_array *data = weir_value_constant(q->graph, value);
    size_t outputs = weir_quantizer_scales(q, value, axis), inner = 1;
    for (int d = axis + 1; d < data->shape.rank; d++) inner *= (size_t)data->shape.dim[d];
    weir_array *codes = weir_array_new(WEIR_INT8, &data->shape);
    double *peak = weir_calloc(outputs, sizeof *peak);
    for (size_t i = 0; i < data->count; i++) {
        size_t channel = i / inner % outputs;
        peak[channel] = fmax(peak[channel], fabs(weir_array_get(data, i)));
    }
    double largest = 0;
    for (size_t c = 0; c < outputs; c++) {
        scale[c] = peak[c] > 127 * LEAST_SCALE || least[c] > 0 ? (double)(float)fmax(peak[c] / 127, least[c]) : 0;
        largest = fmax(largest, scale[c]);
    }
    for (size_t c = 0; c < outputs; c++) scale[c] = scale[c] > 0 ? scale[c] : largest > 0 ? largest : 1;
    for (size_t i = 0; i < data->count; i++) {
        double code = nearbyint(weir_array_get(data, i) / scale[i / inner % outputs]);
        weir_array_set(codes, i, fmax(-127, fmin(127, code)));
    }
    free(peak);
    return add_codes(q, &(codes_of){node, value, "weights", axis, outputs, scale}, codes);
}

/* Codes of a bias go up to here, where each still is a float32 number: of a channel that gives its bias and little
 * else, weights with more digits are of no use, and its requantizer would have other exponents than those of its
 * neighbours. */
static const double LARGEST_BIAS = 0x1p23;

double *weir_quantizer_least_scales(const weir_array *bias, double input_scale, size_t outputs, size_t results) {
    double *least = weir_calloc(outputs, sizeof *least);
    for (size_t c = 0; bias != NULL && c < results; c++) {
        const double size = fabs(weir_array_get(bias, bias->count == 1 ? 0 : c)) / LARGEST_BIAS;
        if (size > LEAST_SCALE) least[c % outputs] = fmax(least[c % outputs], size / input_scale);
    }
    return least;
}

weir_value weir_quantizer_bias(weir_quantizer *q, weir_node node, weir_value value, double input_scale,
                               const double *weight_scale, size_t outputs) {
    const weir_array *data = weir_value_constant(q->graph, value);
    weir_array *codes = weir_array_new(WEIR_INT32, &(weir_shape){1, {(int64_t)outputs}});
    double *scale = weir_calloc(outputs, sizeof *scale);
    for (size_t c = 0; c < outputs; c++) {
        scale[c] = (double)((float)input_scale * (float)weight_scale[c]);
        double code = nearbyint(weir_array_get(data, data->count == 1 ? 0 : c) / scale[c]);
        weir_array_set(codes, c, fmax(-2147483648.0, fmin(2147483647.0, code)));
    }
    const weir_value bias = add_codes(q, &(codes_of){node, value, "bias", 0, outputs, scale}, codes);
    free(scale);
    return bias;
}

weir_value weir_quantizer_fixed(weir_quantizer *q, weir_node node, weir_value value, const char *kind) {
    const bool nearest = weir_pass_choice(q->pass, "constant_rounding") == 0;
    weir_range r = range_of(weir_value_constant(q->graph, value));
    char *width = weir_format("%s_width", kind), *frac = weir_format("%s_frac_width", kind);
    weir_value result = add_fixed(q, weir_value_name(q->graph, value), value, &r, weir_pass_int(q->pass, width),
                                  weir_pass_int(q->pass, frac), nearest ? "ROUND" : "FLOOR", node);
    free(width);
    free(frac);
    return result;
}

double weir_quantizer_scale(const weir_quantizer *q, weir_value dequantized) {
    weir_node node = weir_value_producer(q->graph, dequantized);
    while (weir_node_op(q->graph, node) == WEIR_OP_UPDATE)
        node = weir_value_producer(q->graph, weir_node_input(q->graph, node, 0));
    return weir_array_get(weir_value_constant(q->graph, weir_node_input(q->graph, node, 1)), 0);
}
