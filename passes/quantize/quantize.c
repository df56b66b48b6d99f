/* quantize: a float model ("model") gets a quantized twin ("quantized") by inserting quantizers, from the ranges that calibration data shows.
 *   int8   as ONNX Runtime's static quantization does it: uint8 activations with a zero point (range of the calibration,
 *          zero included), int8 weights, symmetric with a scale an output channel, int32 biases at scale input * weight;
 *          QuantizeLinear and DequantizeLinear nodes
 *   fixed  MASE's fixed point: code = floor(x * 2^frac), saturated, and of constants, where it costs nothing, the nearest
 *          code (half to even) unless asked otherwise; QONNX Quant nodes with a power of two as scale
 * Quantized are the inputs of every Gemm, MatMul and Conv with constant weights, those weights (of a MatMul on either side), constant
 * addends after them, inputs of pools, both operands of additions and subtractions, and between what must be hardware what a function
 * starts from, what moves, and sums that meet a constant. Results of the last layer stay accumulators, but sums are quantized. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cosim/frames.h"
#include "ir/graph/side.h"
#include "ir/shape/index_map.h"
#include "ir/shape/infer.h"
#include "ir/trait/mase.h"
#include "ir/trait/trait.h"
#include "passes/graph/fold_affine.h"
#include "passes/graph/scale_axis.h"
#include "passes/lower/lower.h"
#include "passes/passes.h"
#include "passes/quantize/function.h"
#include "passes/quantize/remedy.h"
#include "support/memory/arena.h"

typedef struct range {
    bool seen;
    double min, max;
} range;

typedef struct about {
    range range;
    weir_value quantized; /* none: not made yet */
    bool before, after;   /* does hardware compute from it, is it computed by hardware */
    uint32_t root;        /* of functions of one quantized value, the id of that; 0: of all others */
} about;

typedef struct quantizer {
    weir_graph *graph;
    const weir_pass *pass;
    bool fixed;
    bool everywhere;  /* nothing of the model has to be hardware: all of it is to be */
    int64_t frame;    /* of the calibration */
    weir_side values; /* of the float graph: about */
    uint32_t node_limit;
} quantizer;

/* Values of the float graph have records; those that the pass makes have none, for quantizers give them. */
static bool is_float(const quantizer *q, weir_value value) {
    return value.id != 0 && weir_side_has(&q->values, value.id);
}

static about *about_of(const quantizer *q, weir_value value) { return weir_side_at(&q->values, value.id); }

/* --- calibration --- */

static void see(range *r, double v) {
    if (!r->seen || v < r->min) r->min = v;
    if (!r->seen || v > r->max) r->max = v;
    r->seen = true;
}

static bool see_frame(void *user, const weir_executor *executor) {
    quantizer *q = user;
    for (uint32_t id = 1; weir_side_has(&q->values, id); id++) {
        weir_value value = {id};
        if (!weir_value_exists(q->graph, value) || weir_value_constant(q->graph, value) != NULL) continue;
        const weir_array *array = weir_executor_value(executor, value);
        if (array == NULL) continue;
        for (size_t i = 0; i < array->count; i++) {
            double v = weir_array_get(array, i);
            see(&about_of(q, value)->range, v);
            if (isfinite(v)) continue;
            weir_error(weir_at(weir_graph_source(q->graph), 0),
                       "calibration: frame %lld makes element %zu of '%s' %g, expected finite numbers",
                       (long long)q->frame, i, weir_value_name(q->graph, value), v);
            return false;
        }
    }
    q->frame++;
    return true;
}

static void keep_statistics(quantizer *q, int64_t frames) {
    for (weir_node node = weir_graph_first(q->graph); node.id != 0; node = weir_node_next(q->graph, node)) {
        weir_value value = weir_node_output(q->graph, node, 0);
        const range *r = &about_of(q, value)->range;
        size_t count = 1;
        weir_shape_count(&weir_value_type(q->graph, value)->shape, &count);
        if (r->seen)
            weir_node_metadata(q->graph, node)->software =
                (weir_meta_software){(uint64_t)frames * count, r->min, r->max};
    }
}

static bool calibrate(quantizer *q, const char *path) {
    if (*path == '\0') {
        weir_error(weir_at(weir_graph_source(q->graph), 0), "quantizing a float model needs calibration data");
        weir_note("give some typical inputs with --calibration FILE");
        return false;
    }
    int64_t frames = weir_frames_run(q->graph, path, 0, see_frame, q);
    if (frames > 0) keep_statistics(q, frames);
    return frames > 0;
}

/* --- building quantizers --- */

static weir_value constant_of(quantizer *q, const char *base, const char *suffix, weir_dtype dtype, size_t count,
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

static weir_value add_node(quantizer *q, weir_op op, const char *base, const char *suffix, const weir_value *inputs,
                           size_t count, weir_node before, int64_t axis) {
    char *name = weir_format("%s_%s", base, suffix);
    weir_node node = weir_graph_add_node(q->graph, op, name, inputs, count, 1, before);
    free(name);
    if (axis >= 0) weir_node_set_int(q->graph, node, "axis", axis);
    weir_node source = before.id != 0 ? before : weir_value_producer(q->graph, inputs[0]);
    weir_node_set_location(q->graph, node, weir_node_location(q->graph, source));
    return weir_infer_node(q->graph, node) ? weir_node_output(q->graph, node, 0) : WEIR_NO_VALUE;
}

/* MASE's rule for the fraction bits of a range: what the integer part and the sign leave of the width. */
static int64_t fraction_bits(const range *r, int64_t width, int64_t wanted) {
    if (wanted >= 0) return wanted;
    double largest = fmax(0.5, fmax(fabs(r->min), fabs(r->max)));
    int exponent; /* floor(log2(largest)) + 1 */
    frexp(largest, &exponent);
    return width > exponent + 1 ? width - exponent - 1 : 0;
}

/* QONNX Quant: value on the grid of 2^-frac, rounded by the mode, saturated. */
static weir_value add_fixed(quantizer *q, const char *base, weir_value value, const range *r, int64_t width,
                            int64_t frac, const char *rounding, weir_node before) {
    double parameters[3] = {ldexp(1, -(int)fraction_bits(r, width, frac)), 0, (double)width};
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

/* Numbers whose codes would stand for less than this are zero: products of such scales are no normal float32 numbers, and of dead
 * channels nothing else is left after training. */
static const double LEAST_SCALE = 0x1p-60;

static weir_value add_int8(quantizer *q, const char *base, weir_value value, const range *r, weir_node before) {
    double low = fmin(r->min, 0), high = fmax(r->max, 0);
    double scale = high - low > 255 * LEAST_SCALE ? (double)(float)((high - low) / 255) : 1;
    double zero = nearbyint(-low / scale);
    weir_value inputs[3] = {value, constant_of(q, base, "scale", WEIR_FLOAT32, 1, false, &scale),
                            constant_of(q, base, "zero_point", WEIR_UINT8, 1, false, &zero)};
    weir_value codes = add_node(q, WEIR_OP_QUANTIZE_LINEAR, base, "quantize", inputs, 3, before, -1);
    if (codes.id == 0) return codes;
    inputs[0] = codes;
    return add_node(q, WEIR_OP_DEQUANTIZE_LINEAR, base, "dequantize", inputs, 3, before, -1);
}

/* The quantized value; its quantizer is made at the first use. */
static weir_value quantize_activation(quantizer *q, weir_value value, weir_node before) {
    if (!is_float(q, value)) return value; /* a quantizer gives it */
    about *own = about_of(q, value);
    if (own->quantized.id != 0) return own->quantized;
    weir_node producer = weir_value_producer(q->graph, value);
    const char *base = producer.id != 0 ? weir_node_name(q->graph, producer) : weir_value_name(q->graph, value);
    weir_value result = q->fixed ? add_fixed(q, base, value, &own->range, weir_pass_int(q->pass, "data_in_width"),
                                             weir_pass_int(q->pass, "data_in_frac_width"), "FLOOR", before)
                                 : add_int8(q, base, value, &own->range, before);
    own->quantized = result;
    return result;
}

static range range_of(const weir_array *data) {
    range r = {false, 0, 0};
    for (size_t i = 0; i < data->count; i++) see(&r, weir_array_get(data, i));
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
static weir_value add_codes(quantizer *q, const codes_of *of, weir_array *codes) {
    const char *base = weir_value_name(q->graph, of->value);
    char *name = weir_format("%s_quantized", base);
    double *zero = weir_calloc(of->outputs, sizeof *zero);
    const weir_value inputs[3] = {weir_graph_add_constant(q->graph, name, codes),
                                  constant_of(q, base, "scale", WEIR_FLOAT32, of->outputs, true, of->scale),
                                  constant_of(q, base, "zero_point", codes->dtype, of->outputs, true, zero)};
    free(name);
    free(zero);
    weir_array_free(codes);
    return add_node(q, WEIR_OP_DEQUANTIZE_LINEAR, weir_node_name(q->graph, of->node), of->what, inputs, 3, of->node,
                    of->axis);
}

/* int8 weights with a scale an output, which is returned for the bias, and no smaller than `least` of the output. An output without
 * weights has the largest one of the others: any is right, and that is not far from them. */
static weir_value quantize_weights_int8(quantizer *q, weir_node node, weir_value value, int64_t axis,
                                        const double *least, double *scale) {
    const weir_array *data = weir_value_constant(q->graph, value);
    size_t outputs = (size_t)data->shape.dim[axis], inner = 1;
    for (int d = (int)axis + 1; d < data->shape.rank; d++) inner *= (size_t)data->shape.dim[d];
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

/* Codes of a bias go up to here, where each still is a float32 number: of a channel that gives its bias and little else, weights with
 * more digits are of no use, and its requantizer would have other exponents than those of its neighbours. */
static const double LARGEST_BIAS = 0x1p23;

/* The least scales of weights for that. Results of groups share those of the weights. */
static double *least_scales(const weir_array *bias, double input_scale, size_t outputs, size_t results) {
    double *least = weir_calloc(outputs, sizeof *least);
    for (size_t c = 0; bias != NULL && c < results; c++) {
        const double size = fabs(weir_array_get(bias, bias->count == 1 ? 0 : c)) / LARGEST_BIAS;
        if (size > LEAST_SCALE) least[c % outputs] = fmax(least[c % outputs], size / input_scale);
    }
    return least;
}

static weir_value quantize_bias_int8(quantizer *q, weir_node node, weir_value value, double input_scale,
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

static weir_value quantize_constant_fixed(quantizer *q, weir_node node, weir_value value, const char *kind) {
    const bool nearest = weir_pass_choice(q->pass, "constant_rounding") == 0;
    range r = range_of(weir_value_constant(q->graph, value));
    char *width = weir_format("%s_width", kind), *frac = weir_format("%s_frac_width", kind);
    weir_value result = add_fixed(q, weir_value_name(q->graph, value), value, &r, weir_pass_int(q->pass, width),
                                  weir_pass_int(q->pass, frac), nearest ? "ROUND" : "FLOOR", node);
    free(width);
    free(frac);
    return result;
}

/* --- nodes --- */

static bool is_constant(const quantizer *q, weir_value value) {
    return value.id != 0 && weir_value_constant(q->graph, value) != NULL;
}

/* Scale of an activation that add_int8 quantized. */
static double scale_of(const quantizer *q, weir_value dequantized) {
    weir_node node = weir_value_producer(q->graph, dequantized);
    return weir_array_get(weir_value_constant(q->graph, weir_node_input(q->graph, node, 1)), 0);
}

/* The constant addend of the only user of a MatMul, where frameworks put the bias: node and input index. */
static bool bias_behind(const quantizer *q, weir_node node, weir_use *use) {
    weir_value result = weir_node_output(q->graph, node, 0);
    if (weir_node_op(q->graph, node) != WEIR_OP_MATMUL || weir_value_use_count(q->graph, result) != 1) return false;
    *use = weir_value_use(q->graph, result, 0);
    if (weir_node_op(q->graph, use->node) != WEIR_OP_ADD) return false;
    use->index = 1 - use->index;
    const weir_value addend = weir_node_input(q->graph, use->node, use->index);
    const int last = weir_value_type(q->graph, result)->shape.rank - 1;
    return is_constant(q, addend) && weir_scale_fits(q->graph, result, addend, last);
}

static bool set_input(quantizer *q, weir_node node, size_t index, weir_value value) {
    if (value.id == 0) return false;
    weir_node_set_input(q->graph, node, index, value);
    return true;
}

/* Is input 2 a constant of the results' channels? A Gemm may also have one of its rows, which stays a real number. */
static bool is_bias(const quantizer *q, weir_node node) {
    const weir_value bias = weir_node_input(q->graph, node, 2);
    return is_constant(q, bias) && (weir_node_op(q->graph, node) != WEIR_OP_GEMM ||
                                    weir_scale_fits(q->graph, weir_node_output(q->graph, node, 0), bias, 1));
}

static bool is_convolution(weir_op op) { return op == WEIR_OP_CONV || op == WEIR_OP_CONV_TRANSPOSE; }

static bool quantize_layer(quantizer *q, weir_node node) {
    weir_value weights = weir_node_input(q->graph, node, 1);
    const weir_op op = weir_node_op(q->graph, node);
    const bool by_rows = op == WEIR_OP_GEMM && weir_node_int(q->graph, node, "transB", 0) != 0;
    const int64_t axis = op == WEIR_OP_CONV || by_rows ? 0 : 1;
    if (!is_convolution(op) && weir_value_type(q->graph, weights)->shape.rank != 2) {
        weir_error(weir_node_location(q->graph, node), "node '%s': weights of rank %d, expected 2",
                   weir_node_name(q->graph, node), weir_value_type(q->graph, weights)->shape.rank);
        return false;
    }
    size_t outputs = (size_t)weir_value_type(q->graph, weights)->shape.dim[axis];
    weir_value x = quantize_activation(q, weir_node_input(q->graph, node, 0), node);
    if (!set_input(q, node, 0, x)) return false;
    weir_use bias = {node, 2};
    bool has_bias = op != WEIR_OP_MATMUL ? is_bias(q, node) : bias_behind(q, node, &bias);
    weir_value addend = has_bias ? weir_node_input(q->graph, bias.node, bias.index) : WEIR_NO_VALUE;
    if (q->fixed) {
        return set_input(q, node, 1, quantize_constant_fixed(q, node, weights, "weight")) &&
               (!has_bias ||
                set_input(q, bias.node, bias.index, quantize_constant_fixed(q, bias.node, addend, "bias")));
    }
    const size_t groups = op == WEIR_OP_CONV_TRANSPOSE ? (size_t)weir_node_int(q->graph, node, "group", 1) : 1;
    double *scale = weir_calloc(outputs * groups, sizeof *scale);
    const weir_array *numbers = has_bias ? weir_value_constant(q->graph, addend) : NULL;
    double *least = least_scales(numbers, scale_of(q, x), outputs, outputs * groups);
    bool fine = set_input(q, node, 1, quantize_weights_int8(q, node, weights, axis, least, scale));
    free(least);
    for (size_t c = outputs; c < outputs * groups; c++) scale[c] = scale[c - outputs]; /* all groups have the first's */
    if (fine && has_bias)
        fine = set_input(q, bias.node, bias.index,
                         quantize_bias_int8(q, bias.node, addend, scale_of(q, x), scale, outputs * groups));
    free(scale);
    return fine;
}

/* A constant matrix on the left, with a scale a row, which gives the results of one. */
static bool quantize_left(quantizer *q, weir_node node) {
    const weir_value matrix = weir_node_input(q->graph, node, 0);
    const weir_shape *shape = &weir_value_type(q->graph, matrix)->shape;
    if (shape->rank != 2) return true;
    if (!set_input(q, node, 1, quantize_activation(q, weir_node_input(q->graph, node, 1), node))) return false;
    if (q->fixed) return set_input(q, node, 0, quantize_constant_fixed(q, node, matrix, "weight"));
    const size_t rows = (size_t)shape->dim[0];
    double *scale = weir_calloc(rows, sizeof *scale), *least = weir_calloc(rows, sizeof *least);
    const bool fine = set_input(q, node, 0, quantize_weights_int8(q, node, matrix, 0, least, scale));
    free(least);
    free(scale);
    return fine;
}

static bool is_pool(weir_op op) {
    return weir_trait_of(op)->task == WEIR_TASK_EXTREME || weir_trait_of(op)->task == WEIR_TASK_MEAN;
}

/* --- functions between layers --- */

/* Does the next quantizer absorb the operation on its one computed operand, or does it only move elements? */
static bool is_absorbed(const quantizer *q, weir_node node) {
    const weir_op op = weir_node_op(q->graph, node);
    const bool divides = op == WEIR_OP_DIV && is_constant(q, weir_node_input(q->graph, node, 0));
    return weir_index_map_reshapes(op) || (weir_trait_of(op)->element == WEIR_ELEMENT_STEP && !divides);
}

static bool is_computed(const quantizer *q, weir_value value) { return is_float(q, value) && !is_constant(q, value); }

/* The one computed operand of an operation that is absorbed; false: the value is made otherwise. */
static bool operand_of(const quantizer *q, weir_value value, weir_use *use) {
    const weir_node maker = weir_value_producer(q->graph, value);
    size_t computed = 0;
    for (uint32_t i = 0; maker.id != 0 && i < weir_node_input_count(q->graph, maker); i++) {
        if (!is_computed(q, weir_node_input(q->graph, maker, i))) continue;
        computed++;
        *use = (weir_use){maker, i};
    }
    return computed == 1 && is_absorbed(q, maker);
}

static weir_value read_by(const quantizer *q, weir_use use) { return weir_node_input(q->graph, use.node, use.index); }

/* The operand at which a function starts: itself, or one before absorbed operations that other nodes read as well. */
static weir_use start_of(const quantizer *q, weir_use use) {
    weir_use start = use;
    while (operand_of(q, read_by(q, use), &use)) {
        if (weir_value_use_count(q->graph, read_by(q, use)) > 1) start = use;
    }
    return start;
}

static uint32_t root_of(const quantizer *q, weir_use use) {
    const uint32_t root = about_of(q, read_by(q, use))->root;
    return root != 0 ? root : read_by(q, start_of(q, use)).id;
}

/* The value's quantizer moves to the node that makes the value, before all that may read it. */
static void advance(quantizer *q, weir_value value, weir_value quantized) {
    const weir_node maker = weir_value_producer(q->graph, value);
    weir_node next = maker.id != 0 ? weir_node_next(q->graph, maker) : weir_graph_first(q->graph);
    while (quantized.id != 0 && quantized.id != value.id) {
        const weir_node node = weir_value_producer(q->graph, quantized);
        assert(node.id != 0 && next.id != 0);
        if (node.id != next.id) weir_graph_move_before(q->graph, node, next);
        next = node;
        quantized = weir_node_input(q->graph, node, 0);
    }
}

/* Quantizes where the operand starts, which is the root of what lies between. */
static bool quantize_start(quantizer *q, weir_use operand) {
    const weir_use start = start_of(q, operand);
    const weir_value root = read_by(q, start);
    for (weir_use use = operand; read_by(q, use).id != root.id;) {
        about_of(q, read_by(q, use))->root = root.id;
        operand_of(q, read_by(q, use), &use);
    }
    const weir_value quantized = quantize_activation(q, root, start.node);
    advance(q, root, quantized);
    return set_input(q, start.node, start.index, quantized);
}

/* Is the value a sum or a difference of two computed ones, as such or in another shape? */
static bool is_sum(const quantizer *q, weir_value value) {
    weir_node node = weir_value_producer(q->graph, value);
    while (node.id != 0 &&
           (weir_node_op(q->graph, node) == WEIR_OP_RELU || weir_index_map_reshapes(weir_node_op(q->graph, node))))
        node = weir_value_producer(q->graph, weir_node_input(q->graph, node, 0));
    const weir_op op = node.id == 0 ? WEIR_OP_NONE : weir_node_op(q->graph, node);
    return (op == WEIR_OP_ADD || op == WEIR_OP_SUB) && !is_constant(q, weir_node_input(q->graph, node, 0)) &&
           !is_constant(q, weir_node_input(q->graph, node, 1));
}

/* Is the value computed by hardware, and hardware computes from it? */
static bool is_between(const quantizer *q, weir_value value) {
    const about *own = about_of(q, value);
    return own->before && own->after;
}

/* The quantizer of a result right after it, for all that read it. */
static bool quantize_result(quantizer *q, weir_value result) {
    const size_t count = weir_value_use_count(q->graph, result);
    if (count == 0) return true; /* it leaves the model */
    const weir_value quantized = quantize_activation(q, result, weir_value_use(q->graph, result, 0).node);
    advance(q, result, quantized);
    for (size_t i = count; i-- > 0;) {
        const weir_use use = weir_value_use(q->graph, result, i);
        if (!set_input(q, use.node, use.index, quantized)) return false;
    }
    return quantized.id != 0;
}

/* A Concat has the codes of the quantizer right after it, which quantizes what layers give and constants; the rest is quantized
 * before it. */
static bool quantize_concat(quantizer *q, weir_node node) {
    const weir_value result = weir_node_output(q->graph, node, 0);
    if (weir_value_use_count(q->graph, result) == 0 || !is_between(q, result)) return true;
    for (size_t i = 0; i < weir_node_input_count(q->graph, node); i++) {
        const weir_value value = weir_node_input(q->graph, node, i);
        if (!is_computed(q, value) || about_of(q, value)->after) continue;
        if (!set_input(q, node, i, quantize_activation(q, value, node))) return false;
    }
    return quantize_result(q, result);
}

/* A table has few entries where its input is quantized: what functions start from gets a quantizer, and none lies between two of
 * them. Operands that start from several values are quantized each. */
static bool quantize_function(quantizer *q, weir_node node) {
    const weir_value result = weir_node_output(q->graph, node, 0);
    if (!is_between(q, result)) return true;
    weir_use use;
    if (operand_of(q, result, &use)) {
        const weir_value value = read_by(q, use);
        if (is_sum(q, value) && !is_sum(q, result)) /* a sum has no scale of its own */
            return set_input(q, node, use.index, quantize_activation(q, value, node));
        about_of(q, result)->root = about_of(q, read_by(q, use))->root;
        return true;
    }
    uint32_t root = 0;
    bool several = false;
    const uint32_t count = (uint32_t)weir_node_input_count(q->graph, node);
    for (use = (weir_use){node, 0}; use.index < count; use.index++) {
        if (!is_computed(q, read_by(q, use))) continue;
        several |= root != 0 && root != root_of(q, use);
        root = root_of(q, use);
    }
    bool fine = true;
    for (use = (weir_use){node, 0}; fine && use.index < count; use.index++) {
        const weir_value value = read_by(q, use);
        if (!is_computed(q, value)) continue;
        if (several) fine = set_input(q, node, use.index, quantize_activation(q, value, node));
        else if (about_of(q, value)->root == 0) fine = quantize_start(q, use);
    }
    about_of(q, result)->root = several ? 0 : root;
    const weir_op op = weir_node_op(q->graph, node);
    if (several && (op == WEIR_OP_MAX || op == WEIR_OP_MIN)) /* their scales differ */
        fine = fine && quantize_result(q, result);
    return fine;
}

/* Codes move between layers, and sums with a scale a channel do not. */
static bool quantize_moved(quantizer *q, weir_node node) {
    const weir_value value = weir_node_input(q->graph, node, 0), result = weir_node_output(q->graph, node, 0);
    const bool between = is_float(q, value) && about_of(q, value)->before && about_of(q, result)->after;
    return !between || set_input(q, node, 0, quantize_activation(q, value, node));
}

static bool quantize_both(quantizer *q, weir_node node) {
    for (size_t i = 0; i < 2; i++) {
        if (!set_input(q, node, i, quantize_activation(q, weir_node_input(q->graph, node, i), node))) return false;
    }
    return true;
}

static bool quantize_node(quantizer *q, weir_node node) {
    weir_op op = weir_node_op(q->graph, node);
    if (weir_trait_of(op)->task == WEIR_TASK_LAYER && is_constant(q, weir_node_input(q->graph, node, 1)))
        return quantize_layer(q, node);
    if (is_pool(op)) return set_input(q, node, 0, quantize_activation(q, weir_node_input(q->graph, node, 0), node));
    if (op == WEIR_OP_CONCAT) return quantize_concat(q, node);
    if (op == WEIR_OP_MATMUL)
        return is_constant(q, weir_node_input(q->graph, node, 0)) ? quantize_left(q, node) : quantize_both(q, node);
    if (weir_index_map_exists(op) && !weir_index_map_reshapes(op)) return quantize_moved(q, node);
    if (op != WEIR_OP_ADD && op != WEIR_OP_SUB) return !weir_function_takes(op) || quantize_function(q, node);
    for (size_t i = 0; i < 2; i++) {
        weir_value other = weir_node_input(q->graph, node, 1 - i), value = weir_node_input(q->graph, node, i);
        if (is_constant(q, value) || is_constant(q, other)) return quantize_function(q, node);
        if (!is_float(q, value) || !is_float(q, other)) return true;
    }
    return quantize_both(q, node);
}

/* Does a function of a model without layers give it? */
static bool is_function(const quantizer *q, weir_value value) {
    const weir_node node = weir_value_producer(q->graph, value);
    return q->everywhere && node.id != 0 && weir_function_takes(weir_node_op(q->graph, node)) &&
           weir_dtype_is_float(weir_value_type(q->graph, value)->dtype);
}

/* A sum that leaves the model has codes of its own, since those of its terms do not add up, and so has a function where there are no layers. */
static bool quantize_outputs(quantizer *q) {
    for (size_t i = 0; i < weir_graph_output_count(q->graph); i++) {
        weir_value output = weir_graph_output(q->graph, i);
        if (!is_float(q, output) || !(is_sum(q, output) || is_function(q, output))) continue;
        weir_value result = quantize_activation(q, output, WEIR_NO_NODE);
        if (result.id == 0) return false;
        weir_graph_set_output(q->graph, i, result);
    }
    return true;
}

/* A model with quantizers of its own: is it complete? */
static bool refuse_quantized(const weir_graph *model) {
    const weir_location whole = weir_at(weir_graph_source(model), 0);
    weir_use use;
    if (weir_remedy_unquantized(model, &use)) {
        weir_error(whole, "the model is quantized in part: tensor '%s', an input of node '%s' (%s), has no quantizer",
                   weir_value_name(model, weir_node_input(model, use.node, use.index)), weir_node_name(model, use.node),
                   weir_node_info(model, use.node)->full_name);
        weir_note("quantize it where the model was quantized; --quantize takes models without quantizers");
    } else {
        weir_error(whole, "the model is quantized already, by quantizers of its own");
        weir_note("drop --quantize");
    }
    return false;
}

/* Reports the node that cannot be quantized; returns false. */
static bool refuse(const weir_graph *model, weir_node node) {
    const weir_op op = weir_node_op(model, node);
    if (weir_trait_is_quantizer(op)) return refuse_quantized(model);
    weir_error(weir_node_location(model, node), "node '%s' (%s): quantize does not support this operator",
               weir_node_name(model, node), weir_node_info(model, node)->full_name);
    weir_remedy_operator(op);
    return false;
}

/* Is the node hardware wherever it stands: a layer, what is quantized always, or what the host does not compute? */
static bool is_hardware(const quantizer *q, weir_node node) {
    const weir_op op = weir_node_op(q->graph, node);
    if (q->everywhere || weir_trait_of(op)->task == WEIR_TASK_LAYER || is_pool(op) || !weir_trait_of(op)->is_for_host)
        return true;
    return (op == WEIR_OP_ADD || op == WEIR_OP_SUB) && is_computed(q, weir_node_input(q->graph, node, 0)) &&
           is_computed(q, weir_node_input(q->graph, node, 1));
}

/* Values that hardware depends on (`before`) or that depend on it (`after`). */
static void mark_hardware(quantizer *q) {
    const weir_graph *model = q->graph;
    bool any = false;
    for (weir_node node = weir_graph_first(model); node.id != 0; node = weir_node_next(model, node))
        any |= is_hardware(q, node);
    q->everywhere = !any;
    for (weir_node node = weir_graph_first(model); node.id != 0; node = weir_node_next(model, node)) {
        bool is = is_hardware(q, node);
        for (size_t i = 0; i < weir_node_input_count(model, node); i++) {
            const weir_value input = weir_node_input(model, node, i);
            is |= input.id != 0 && about_of(q, input)->after;
        }
        for (size_t i = 0; i < weir_node_output_count(model, node); i++)
            about_of(q, weir_node_output(model, node, i))->after = is;
    }
    for (size_t i = 0; q->everywhere && i < weir_graph_output_count(model); i++)
        about_of(q, weir_graph_output(model, i))->before = true;
    for (weir_node node = weir_graph_last(model); node.id != 0; node = weir_node_previous(model, node)) {
        bool is = is_hardware(q, node);
        for (size_t i = 0; i < weir_node_output_count(model, node); i++)
            is |= about_of(q, weir_node_output(model, node, i))->before;
        for (size_t i = 0; i < weir_node_input_count(model, node); i++) {
            const weir_value input = weir_node_input(model, node, i);
            if (input.id != 0) about_of(q, input)->before |= is;
        }
    }
}

/* Before the first layer and after the last the host computes what it can; between layers there is hardware. */
static bool can_quantize(const quantizer *q) {
    const weir_graph *model = q->graph;
    bool fine = true;
    for (weir_node node = weir_graph_first(model); fine && node.id != 0; node = weir_node_next(model, node)) {
        const weir_op op = weir_node_op(model, node);
        const weir_value result = weir_node_output(model, node, 0);
        const bool host = weir_trait_of(op)->is_for_host && !is_between(q, result);
        fine = !weir_trait_is_quantizer(op) && op != WEIR_OP_MASK && /* lower_integer says what else it asks */
               (weir_lower_integer_takes(op) == WEIR_LOWERED_HARDWARE || host ||
                weir_trait_of(op)->task == WEIR_TASK_SOFTMAX);
        if (!fine) refuse(model, node);
    }
    return fine;
}

/* Options that the scheme would ignore are not taken. */
static bool check_options(const weir_pass *pass) {
    static const char *const of_fixed[] = {"data_in_width",     "data_in_frac_width", "weight_width",
                                           "weight_frac_width", "bias_width",         "bias_frac_width",
                                           "constant_rounding"};
    if (weir_pass_choice(pass, "scheme") == 1) return true;
    bool fine = true;
    for (size_t i = 0; i < sizeof of_fixed / sizeof *of_fixed; i++) {
        if (!weir_pass_is_set(pass, of_fixed[i])) continue;
        weir_error(WEIR_NOWHERE, "quantize: '%s' requires scheme=fixed, found scheme=%s", of_fixed[i],
                   weir_pass_string(pass, "scheme"));
        fine = false;
    }
    return fine;
}

static bool quantize_graph(quantizer *q, weir_pass_context *context) {
    bool fine = calibrate(q, weir_pass_string(q->pass, "calibration"));
    for (weir_node node = weir_graph_first(q->graph), next; fine && node.id != 0; node = next) {
        next = weir_node_next(q->graph, node);
        if (node.id >= q->node_limit) continue; /* a quantizer that was put before a later node */
        fine = quantize_node(q, node);
        weir_pass_count(context, "nodes seen", 1);
    }
    fine = fine && quantize_outputs(q);
    weir_eliminate_dead_code(q->graph);
    return fine;
}

/* Multiplies a constant input of the Gemm by its attribute, which becomes 1. */
static void fold_factor(weir_graph *graph, weir_node node, const char *attribute, uint32_t index) {
    const double factor = weir_node_float(graph, node, attribute, 1);
    const bool is_given = index < weir_node_input_count(graph, node);
    const weir_value value = is_given ? weir_node_input(graph, node, index) : WEIR_NO_VALUE;
    const weir_array *old = value.id == 0 ? NULL : weir_value_constant(graph, value);
    if (factor == 1 || (value.id != 0 && old == NULL)) return;
    if (old != NULL) {
        weir_array *scaled = weir_array_copy(old);
        for (size_t i = 0; i < scaled->count; i++) weir_array_set(scaled, i, factor * weir_array_get(old, i));
        weir_node_set_input(graph, node, index, weir_graph_add_constant(graph, weir_value_name(graph, value), scaled));
        weir_array_free(scaled);
    }
    weir_node_set_float(graph, node, attribute, 1);
}

/* A layer has no factors besides its scales. */
static void fold_factors(weir_graph *graph) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_node_op(graph, node) != WEIR_OP_GEMM) continue;
        fold_factor(graph, node, "alpha", 1);
        fold_factor(graph, node, "beta", 2);
    }
}

/* A quantizer then absorbs what follows a layer in one scale and one bias a channel. */
static bool fold(weir_graph *graph) {
    weir_rewrite rewrite = {.graph = graph};
    fold_factors(graph);
    weir_fold_affine(&rewrite);
    weir_eliminate_dead_code(graph);
    if (weir_rewrite_finish(&rewrite)) return true;
    weir_graph_free(graph);
    return false;
}

bool weir_pass_quantize(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    if (!check_options(pass)) return false;
    weir_graph *graph = weir_tidy(weir_module_find_graph(module, "model"));
    if (graph == NULL || !fold(graph)) return false;
    quantizer q = {.graph = graph, .pass = pass, .fixed = weir_pass_choice(pass, "scheme") == 1};
    q.node_limit = weir_graph_node_limit(graph);
    q.values = weir_side_new(sizeof(about), weir_graph_value_limit(graph));
    mark_hardware(&q);
    bool fine = can_quantize(&q);
    if (fine) {
        weir_graph_set_name(graph, "quantized");
        weir_module_add_graph(module, graph);
        fine = quantize_graph(&q, context);
    } else {
        weir_graph_free(graph);
    }
    weir_side_free(&q.values);
    return fine;
}
