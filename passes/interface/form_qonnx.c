/* Between QDQ and QONNX. ONNX computes round(x / s) + z, QONNX round(x / s + z), both half to even: at a tie they
 * differ when z is odd. Codes around an odd zero point of QDQ become codes around 0 with one bit more, clipped before;
 * those of QONNX have no form in QDQ. Codes that are fewer than an element type has are clipped to their range. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/trait/trait.h"
#include "passes/interface/form.h"
#include "quant/arithmetic.h"
#include "support/memory/array.h"

/* A quantizer's grid: real = (code - zero) * scale, codes in [low, high]; one scale, or one for each index of axis. */
typedef struct grid {
    const weir_array *scale, *zero; /* zero NULL: 0 */
    int64_t axis;
    int64_t low, high;
} grid;

static double scale_at(const grid *g, size_t channel) {
    return weir_array_get(g->scale, g->scale->count == 1 ? 0 : channel);
}

static double zero_at(const grid *g, size_t channel) {
    return g->zero == NULL ? 0 : weir_array_get(g->zero, g->zero->count == 1 ? 0 : channel);
}

static bool has_zero(const grid *g) {
    for (size_t i = 0; g->zero != NULL && i < g->zero->count; i++) {
        if (weir_array_get(g->zero, i) != 0) return true;
    }
    return false;
}

static bool has_odd_zero(const grid *g) {
    for (size_t i = 0; g->zero != NULL && i < g->zero->count; i++) {
        if (fmod(weir_array_get(g->zero, i), 2) != 0) return true;
    }
    return false;
}

/* Channel of element i of an array of that shape. */
static size_t channel_of(const grid *g, const weir_shape *shape, size_t i) {
    size_t inner = 1;
    if (g->scale->count == 1) return 0;
    for (int j = (int)g->axis + 1; j < shape->rank; j++) inner *= (size_t)shape->dim[j];
    return i / inner % g->scale->count;
}

/* float32 of (code - zero) * scale: Quant's result, in float64 until the end. */
static float real_of(const grid *g, size_t channel, int64_t code) {
    return (float)(((double)code - zero_at(g, channel)) * scale_at(g, channel));
}

/* --- QDQ to QONNX --- */

static bool has_one_zero(const grid *g) {
    for (size_t i = 0; g->zero != NULL && i < g->zero->count; i++) {
        if (weir_array_get(g->zero, i) != weir_array_get(g->zero, 0)) return false;
    }
    return true;
}

/* A parameter that broadcasts along the grid's axis of a value of that rank; zero points that are all the same are
 * one. */
static weir_value broadcast_value(weir_graph *graph, weir_node node, const char *suffix, const grid *g, int rank,
                                  bool zeros) {
    if (zeros && has_one_zero(g)) return weir_form_number(graph, node, suffix, zero_at(g, 0));
    weir_array *array = weir_form_along(zeros ? g->zero : g->scale, g->axis, rank);
    weir_value value = weir_form_constant(graph, node, suffix, array);
    weir_array_free(array);
    return value;
}

/* Quant of x instead of the node. */
static bool put_quant(weir_graph *graph, weir_node node, weir_value x, const grid *g, int bits) {
    const int rank = weir_value_type(graph, weir_node_output(graph, node, 0))->shape.rank;
    const weir_value inputs[] = {x, broadcast_value(graph, node, "scale", g, rank, false),
                                 broadcast_value(graph, node, "zero_point", g, rank, true),
                                 weir_form_number(graph, node, "bits", bits)};
    weir_value value = weir_form_add(graph, node, WEIR_OP_QUANT, "quant", inputs, 4);
    weir_node quant = weir_value_producer(graph, value);
    weir_node_set_int(graph, quant, "signed", g->low < 0);
    weir_node_set_int(graph, quant, "narrow", 0);
    weir_node_set_string(graph, quant, "rounding_mode", "ROUND");
    return weir_form_replace(graph, node, value, quant);
}

/* Scale, zero point, axis and range of QuantizeLinear or DequantizeLinear on codes of that type. */
static bool read_linear(const weir_graph *graph, weir_node node, const weir_type *codes, grid *g) {
    *g = (grid){.axis = weir_node_int(graph, node, "axis", 1)};
    if (g->axis < 0) g->axis += codes->shape.rank;
    weir_dtype_limits(codes->dtype, &g->low, &g->high);
    return weir_form_parameter(graph, node, 1, "scale", &g->scale) &&
           weir_form_parameter(graph, node, 2, "zero point", &g->zero);
}

static bool same_array(const weir_array *a, const weir_array *b) {
    return a == b || (a != NULL && b != NULL && weir_array_equal(a, b));
}

/* Constant codes: Quant of the real numbers that they stand for, if it gives those back. */
static bool join_constant(weir_graph *graph, weir_node node, const grid *g, const weir_array *codes) {
    weir_array *reals = weir_array_new(WEIR_FLOAT32, &codes->shape);
    bool same = true;
    for (size_t i = 0; i < codes->count; i++) {
        const size_t channel = channel_of(g, &codes->shape, i);
        const int64_t code = weir_array_get_int(codes, i);
        const int64_t centered = code - (int64_t)zero_at(g, channel);
        const float real = (float)centered * (float)scale_at(g, channel);
        ((float *)reals->data)[i] = real;
        const int64_t back = weir_encode_qonnx(real, (float)scale_at(g, channel), (float)zero_at(g, channel),
                                               WEIR_ROUND_HALF_EVEN, g->low, g->high);
        same = same && real_of(g, channel, back) == real;
    }
    weir_value value = weir_form_constant(graph, node, "real", reals);
    weir_array_free(reals);
    if (!same)
        return weir_node_fail(graph, node, "its constant codes change on the way through float32 numbers and Quant");
    return put_quant(graph, node, value, g, weir_dtype_bits(codes->dtype));
}

/* Codes around an odd zero point: clipped as real numbers, then one bit more around zero. */
static bool join_odd(weir_graph *graph, weir_node node, weir_value x, const grid *g, int bits) {
    if (g->scale->count > 1)
        return weir_node_fail(graph, node,
                              "it has odd zero points per channel; at ties QONNX rounds to the other side");
    const int64_t zero = (int64_t)zero_at(g, 0);
    const grid centered = {.scale = g->scale, .low = -1};
    const weir_value inputs[] = {x, weir_form_number(graph, node, "low", real_of(&centered, 0, g->low - zero)),
                                 weir_form_number(graph, node, "high", real_of(&centered, 0, g->high - zero))};
    return put_quant(graph, node, weir_form_add(graph, node, WEIR_OP_CLIP, "clip", inputs, 3), &centered, bits + 1);
}

bool weir_form_join_dequantize(weir_graph *graph, weir_node node) {
    weir_value codes = weir_node_input(graph, node, 0);
    const weir_type *type = weir_value_type(graph, codes);
    const weir_array *constant = weir_value_constant(graph, codes);
    weir_node source = weir_value_producer(graph, codes);
    const int bits = weir_dtype_bits(type->dtype);
    grid out, in;
    if (weir_node_int(graph, node, "block_size", 0) != 0)
        return weir_node_fail(graph, node, "QONNX has no scales of blocks");
    if (weir_dtype_is_float(type->dtype)) return weir_form_join_float(graph, node);
    if (!read_linear(graph, node, type, &out)) return false;
    if (constant != NULL) return join_constant(graph, node, &out, constant);
    if (source.id == 0)
        return weir_node_fail(graph, node, "its codes '%s' are an input of the graph, but QONNX has only float values",
                              weir_value_name(graph, codes));
    if (weir_trait_kind(graph, source) != WEIR_OP_QUANTIZE_LINEAR)
        return weir_node_fail(graph, node, "its codes come from node '%s' (%s), but QONNX has only float values",
                              weir_node_name(graph, source), weir_node_info(graph, source)->full_name);
    if (!read_linear(graph, source, type, &in)) return false;
    const bool axis = in.axis == out.axis || in.scale->count == 1;
    if (!axis || !same_array(in.scale, out.scale) || !same_array(in.zero, out.zero))
        return weir_node_fail(graph, node, "it reads the codes of node '%s' with another scale or zero point",
                              weir_node_name(graph, source));
    weir_value x = weir_node_input(graph, source, 0);
    return has_odd_zero(&out) ? join_odd(graph, node, x, &out, bits) : put_quant(graph, node, x, &out, bits);
}

/* --- QONNX to QDQ --- */

static bool is_whole(const weir_array *array) {
    for (size_t i = 0; i < array->count; i++) {
        if (weir_array_get(array, i) != floor(weir_array_get(array, i))) return false;
    }
    return true;
}

/* Scale, zero point, axis and range of a Quant. */
static bool read_quant(const weir_graph *graph, weir_node node, grid *g) {
    const weir_shape *shape = &weir_value_type(graph, weir_node_output(graph, node, 0))->shape;
    const weir_array *bits;
    *g = (grid){.axis = -1};
    if (!weir_form_parameter(graph, node, 1, "scale", &g->scale) ||
        !weir_form_parameter(graph, node, 2, "zero point", &g->zero) ||
        !weir_form_parameter(graph, node, 3, "bit width", &bits))
        return false;
    const double width = weir_array_get(bits, 0);
    const int64_t zero_axis = weir_form_axis(g->zero, shape);
    g->axis = weir_form_axis(g->scale, shape);
    if (g->axis == WEIR_FORM_NO_AXIS || (zero_axis != WEIR_FORM_ONE && zero_axis != g->axis))
        return weir_node_fail(graph, node, "its scales change along more than one axis");
    if (!is_whole(g->zero) || width != floor(width) || width < 1 || width > 32)
        return weir_node_fail(graph, node, "its bit width is %g, its zero point %g: QuantizeLinear needs whole numbers",
                              width, weir_array_get(g->zero, 0));
    const bool is_signed = weir_node_int(graph, node, "signed", 1) != 0;
    const int64_t codes = (int64_t)1 << (int)width, narrow = weir_node_int(graph, node, "narrow", 0) != 0;
    g->low = is_signed ? -codes / 2 + narrow : 0;
    g->high = is_signed ? codes / 2 - 1 : codes - 1 - narrow;
    return true;
}

/* The grid as parameters of the QDQ operators; int32 has no zero points. */
static void linear_parameters(weir_graph *graph, weir_node node, const grid *g, weir_dtype dtype, weir_value *scale,
                              weir_value *zero) {
    weir_shape shape = {.rank = g->scale->count > 1, .dim = {(int64_t)g->scale->count}};
    weir_array *scales = weir_array_new(WEIR_FLOAT32, &shape), *zeros = weir_array_new(dtype, &shape);
    for (size_t i = 0; i < scales->count; i++) {
        weir_array_set(scales, i, scale_at(g, i));
        weir_array_set_int(zeros, i, (int64_t)zero_at(g, i));
    }
    *scale = weir_form_constant(graph, node, "scale", scales);
    *zero = dtype == WEIR_INT32 ? WEIR_NO_VALUE : weir_form_constant(graph, node, "zero_point", zeros);
    weir_array_free(scales);
    weir_array_free(zeros);
}

static weir_value add_linear(weir_graph *graph, weir_node node, weir_op op, const char *suffix, weir_value x,
                             weir_value scale, weir_value zero, const grid *g) {
    const weir_value inputs[] = {x, scale, zero};
    weir_value value = weir_form_add(graph, node, op, suffix, inputs, zero.id == 0 ? 2 : 3);
    if (g->scale->count > 1) weir_node_set_int(graph, weir_value_producer(graph, value), "axis", g->axis);
    return value;
}

/* A constant through Quant: its codes, dequantized. */
static bool split_constant(weir_graph *graph, weir_node node, const grid *g, const weir_array *x,
                           weir_rounding rounding) {
    const bool bytes = g->low >= -128 && g->high <= 255 && g->high - g->low <= 255;
    const weir_dtype dtype = !bytes ? WEIR_INT32 : g->high > 127 ? WEIR_UINT8 : WEIR_INT8;
    if (dtype == WEIR_INT32 && has_zero(g))
        return weir_node_fail(graph, node, "codes of more than 8 bits cannot have a zero point in QDQ");
    weir_array *codes = weir_array_new(dtype, &x->shape);
    bool same = true;
    for (size_t i = 0; i < x->count; i++) {
        const size_t channel = channel_of(g, &x->shape, i);
        const int64_t code = weir_encode_qonnx((float)weir_array_get(x, i), (float)scale_at(g, channel),
                                               (float)zero_at(g, channel), rounding, g->low, g->high);
        const float real = (float)(code - (int64_t)zero_at(g, channel)) * (float)scale_at(g, channel);
        weir_array_set_int(codes, i, code);
        same = same && real == real_of(g, channel, code) && weir_array_get_int(codes, i) == code;
    }
    weir_value scale, zero, value = weir_form_constant(graph, node, "codes", codes);
    weir_array_free(codes);
    if (!same) return weir_node_fail(graph, node, "its codes of more than 24 bits change on the way through float32");
    linear_parameters(graph, node, g, dtype, &scale, &zero);
    value = add_linear(graph, node, WEIR_OP_DEQUANTIZE_LINEAR, "dequantize", value, scale, zero, g);
    return weir_form_replace(graph, node, value, weir_value_producer(graph, value));
}

/* The first element type of QuantizeLinear that has all codes and zero points. */
static bool find_dtype(const grid *g, weir_dtype *dtype) {
    static const weir_dtype types[] = {WEIR_UINT8, WEIR_INT8, WEIR_UINT16, WEIR_INT16};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        int64_t low, high;
        weir_dtype_limits(types[i], &low, &high);
        bool fits = g->low >= low && g->high <= high;
        for (size_t j = 0; j < g->zero->count; j++)
            fits = fits && zero_at(g, j) >= (double)low && zero_at(g, j) <= (double)high;
        *dtype = types[i];
        if (fits) return true;
    }
    return false;
}

/* Quantized, clipped where the codes are fewer than the type has, dequantized. */
static bool split_activation(weir_graph *graph, weir_node node, const grid *g) {
    weir_dtype dtype;
    int64_t low, high;
    if (has_odd_zero(g))
        return weir_node_fail(graph, node, "its zero point is odd; at ties QuantizeLinear rounds to the other side");
    if (!find_dtype(g, &dtype)) return weir_node_fail(graph, node, "its codes fit no element type of QuantizeLinear");
    weir_dtype_limits(dtype, &low, &high);
    const bool clipped = g->low != low || g->high != high;
    weir_value x = weir_node_input(graph, node, 0), scale, zero;
    if (clipped && weir_dtype_size(dtype) > 1) {
        if (g->scale->count > 1)
            return weir_node_fail(graph, node,
                                  "its codes need bounds per channel, but Clip has one pair for all channels");
        const weir_value inputs[] = {x, weir_form_number(graph, node, "low", real_of(g, 0, g->low)),
                                     weir_form_number(graph, node, "high", real_of(g, 0, g->high))};
        x = weir_form_add(graph, node, WEIR_OP_CLIP, "clip", inputs, 3);
    }
    linear_parameters(graph, node, g, dtype, &scale, &zero);
    weir_value codes = add_linear(graph, node, WEIR_OP_QUANTIZE_LINEAR, "quantize", x, scale, zero, g);
    if (clipped && weir_dtype_size(dtype) == 1) {
        weir_array *bound = weir_array_new(dtype, &(weir_shape){.rank = 0});
        weir_value inputs[3] = {codes};
        weir_array_set_int(bound, 0, g->low);
        inputs[1] = weir_form_constant(graph, node, "low", bound);
        weir_array_set_int(bound, 0, g->high);
        inputs[2] = weir_form_constant(graph, node, "high", bound);
        weir_array_free(bound);
        codes = weir_form_add(graph, node, WEIR_OP_CLIP, "clip", inputs, 3);
    }
    weir_value value = add_linear(graph, node, WEIR_OP_DEQUANTIZE_LINEAR, "dequantize", codes, scale, zero, g);
    return weir_form_replace(graph, node, value, weir_value_producer(graph, value));
}

/* QONNX's special case: one signed bit means -1 and +1. */
static bool is_sign(const weir_graph *graph, weir_node node) {
    const weir_array *bits = weir_value_constant(graph, weir_node_input(graph, node, 3));
    return bits != NULL && weir_array_get(bits, 0) == 1 && weir_node_int(graph, node, "signed", 1) != 0;
}

bool weir_form_split_quant(weir_graph *graph, weir_node node) {
    const char *mode = weir_node_string(graph, node, "rounding_mode", "ROUND");
    const weir_array *constant = weir_value_constant(graph, weir_node_input(graph, node, 0));
    grid g;
    if (is_sign(graph, node)) {
        const weir_array *zero = weir_value_constant(graph, weir_node_input(graph, node, 2));
        for (size_t i = 0; zero != NULL && i < zero->count; i++) {
            if (weir_array_get(zero, i) != 0)
                return weir_node_fail(graph, node, "codes of -1 and +1 with a zero point cannot be expressed in QDQ");
        }
        return weir_form_split_bipolar(graph, node);
    }
    if (strcmp(mode, "ROUND") != 0)
        return weir_node_fail(graph, node, "its rounding mode is %s, but QuantizeLinear only rounds half to even",
                              mode);
    if (!read_quant(graph, node, &g)) return false;
    return constant != NULL ? split_constant(graph, node, &g, constant, WEIR_ROUND_HALF_EVEN)
                            : split_activation(graph, node, &g);
}

bool weir_form_split_bipolar(weir_graph *graph, weir_node node) {
    const weir_shape *shape = &weir_value_type(graph, weir_node_output(graph, node, 0))->shape;
    const weir_array *x = weir_value_constant(graph, weir_node_input(graph, node, 0));
    grid g = {.low = -1, .high = 1};
    if (!weir_form_parameter(graph, node, 1, "scale", &g.scale)) return false;
    g.axis = weir_form_axis(g.scale, shape);
    if (x == NULL || g.axis == WEIR_FORM_NO_AXIS)
        return weir_node_fail(graph, node, "QuantizeLinear cannot produce only -1 and +1, which %s",
                              x == NULL ? "activations need" : "scales along several axes need");
    weir_array *codes = weir_array_new(WEIR_INT8, shape);
    for (size_t i = 0; i < codes->count; i++) weir_array_set_int(codes, i, weir_array_get(x, i) >= 0 ? 1 : -1);
    weir_value scale, zero, value = weir_form_constant(graph, node, "codes", codes);
    weir_array_free(codes);
    linear_parameters(graph, node, &g, WEIR_INT8, &scale, &zero);
    value = add_linear(graph, node, WEIR_OP_DEQUANTIZE_LINEAR, "dequantize", value, scale, zero, &g);
    return weir_form_replace(graph, node, value, weir_value_producer(graph, value));
}
