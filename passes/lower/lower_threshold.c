/* What FINN makes of QONNX, and QONNX's quantizers that are not defined by a scale alone. A MultiThreshold becomes
 * operations on a real number, as those of lower_affine.c: the count of reached thresholds, a factor, a term. Its
 * results are multiples of one scale, so codes of it say the same, and the realization of the requantizer finds the
 * thresholds on accumulators. Trunc divides codes by a power of two; its codes are the same integers under the scale of
 * the result. */
#include <math.h>

#include "ir/shape/infer.h"
#include "ir/shape/layout.h"
#include "ir/trait/trait.h"
#include "passes/graph/rewrite.h"
#include "passes/lower/lower.h"
#include "quant/arithmetic.h"
#include "support/memory/arena.h"

static const weir_shape *result_shape(const weir_lowering *l, weir_node node) {
    return &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
}

static const weir_expression *add_number(weir_lowering *l, const weir_expression *x, weir_op op, double number) {
    weir_array *array = weir_array_in(weir_graph_arena(l->to), WEIR_FLOAT32, &(weir_shape){1, {1}});
    weir_array_set(array, 0, number);
    return weir_lower_step(l, x, op, array);
}

static double *one_scale(weir_lowering *l, double value) {
    double *scale = weir_arena_array(weir_graph_arena(l->to), 1, sizeof *scale);
    *scale = value;
    return scale;
}

/* --- weights --- */

static bool are_weights(const weir_lowering *l, weir_value value) {
    for (size_t i = 0; i < weir_value_use_count(l->from, value); i++) {
        const weir_use use = weir_value_use(l->from, value, i);
        if (use.index == 1 && weir_trait_of(weir_node_op(l->from, use.node))->task == WEIR_TASK_LAYER) return true;
    }
    return false;
}

void weir_lower_whole_weights(weir_lowering *l, weir_value value) {
    enum { LARGEST = 1 << 15 };
    static const double one = 1;
    if (l->contract != WEIR_CONTRACT_REAL || !are_weights(l, value)) return;
    const weir_array *data = weir_expression_data(weir_lower_expression(l, value));
    int64_t low = 0, high = 0;
    bool is_binary = true;
    for (size_t i = 0; i < data->count; i++) {
        const double v = weir_array_get(data, i);
        if (v != floor(v) || v < -LARGEST || v >= LARGEST) return;
        low = (int64_t)v < low ? (int64_t)v : low;
        high = (int64_t)v > high ? (int64_t)v : high;
        is_binary = is_binary && fabs(v) == 1;
    }
    weir_quant quant = weir_lower_quant_of(weir_dtype_for(low, high), &one, NULL, 1, -1);
    quant.width = weir_bits_for(low, high);
    if (is_binary) quant.format = WEIR_FORMAT_BINARY;
    weir_array *codes = weir_array_in(weir_graph_arena(l->to), weir_dtype_for(low, high), &data->shape);
    for (size_t i = 0; i < data->count; i++) weir_array_set_int(codes, i, (int64_t)weir_array_get(data, i));
    weir_lower_become(l, value, weir_expression_weights(weir_graph_arena(l->to), codes, &quant));
}

/* --- MultiThreshold --- */

/* Codes of what is scale * count + bias, for counts from 0 to `steps`: signs, or whole numbers of the scale, or of
 * half. */
static bool threshold_codes(weir_lowering *l, weir_node node, int64_t steps, weir_quant *quant) {
    const float scale = (float)weir_node_float(l->from, node, "out_scale", 1);
    const float bias = (float)weir_node_float(l->from, node, "out_bias", 0);
    const double tolerance = 0x1p-20 * (double)(steps + 1);
    if (!(scale > 0)) return weir_lower_fail(l, node, "'out_scale' is %g, expected a number above 0", (double)scale);
    const double halves = 2 * (double)bias / (double)scale, first = nearbyint(halves);
    if (fabs(halves - first) > tolerance || fabs(first) > 0x1p30)
        return weir_lower_fail(l, node, "'out_bias', %g, is not a multiple of half of 'out_scale', %g", (double)bias,
                               (double)scale);
    const int64_t step = fmod(first, 2) == 0 ? 1 : 2, low = (int64_t)first * step / 2, high = low + steps * step;
    *quant = weir_lower_quant_of(WEIR_INT8, one_scale(l, (double)scale / (double)step), NULL, 1, -1);
    quant->is_signed = low < 0;
    quant->width = weir_bits_for(low, high);
    if (low == -high) quant->saturation = WEIR_SATURATE_SYMMETRIC;
    if (low == -1 && step == 2 && steps == 1) quant->format = WEIR_FORMAT_BINARY;
    weir_lower_recognize_fixed(quant);
    return quant->width <= 32 || weir_lower_fail(l, node, "its results need more than 32 bits");
}

/* Thresholds by channel of x's codes. No number reaches one of infinity, and all reach one of -infinity. */
static const weir_array *thresholds_of(weir_lowering *l, weir_node node, const weir_expression *x) {
    const weir_array *given = weir_lower_constant(l, weir_node_input(l->from, node, 1));
    if (given == NULL) {
        weir_lower_fail(l, node, "the thresholds must be constants");
        return NULL;
    }
    const weir_shape *shape = result_shape(l, node);
    weir_shape by_channel = {.rank = shape->rank};
    for (int d = 0; d < shape->rank; d++) by_channel.dim[d] = 1;
    by_channel.dim[weir_layout_channel_axis(l->from, node)] = given->shape.dim[0];
    weir_array *row = weir_array_in(weir_graph_arena(l->to), WEIR_FLOAT32, &by_channel);
    for (size_t i = 0; i < row->count; i++) weir_array_set(row, i, (double)i);
    const weir_array *rows = weir_lower_by_channel(l, node, weir_expression_codes_of(x), row, shape);
    if (rows == NULL) return NULL;
    const size_t steps = (size_t)given->shape.dim[1];
    const weir_shape matrix = {2, {(int64_t)rows->count, (int64_t)steps}};
    weir_array *result = weir_array_in(weir_graph_arena(l->to), WEIR_FLOAT32, &matrix);
    for (size_t i = 0; i < result->count; i++) {
        const double threshold = weir_array_get(given, (size_t)weir_array_get(rows, i / steps) * steps + i % steps);
        weir_array_set(result, i, threshold);
        if (!isnan(threshold)) continue;
        weir_lower_fail(l, node, "a threshold is %g, expected a number", threshold);
        return NULL;
    }
    return result;
}

bool weir_lower_multi_threshold(weir_lowering *l, weir_node node) {
    const int64_t steps = weir_value_type(l->from, weir_node_input(l->from, node, 1))->shape.dim[1];
    weir_quant quant;
    if (!threshold_codes(l, node, steps, &quant)) return false;
    if (weir_expression_kind_of(weir_lower_input(l, node, 0)) == WEIR_EXPRESSION_REAL) {
        weir_diag_log *nothing = weir_diag_capture();
        weir_diag_release(nothing);
        if (!weir_lower_on_host(l, node, nothing)) return false;
        return weir_lower_quantize(l, node, weir_lower_expression(l, weir_node_output(l->from, node, 0)), &quant);
    }
    if (!weir_lower_as_codes(l, node, 0)) return false;
    const weir_expression *x = weir_lower_input(l, node, 0);
    const weir_array *thresholds = thresholds_of(l, node, x);
    if (thresholds == NULL) return false;
    x = weir_lower_step(l, x, WEIR_OP_MULTI_THRESHOLD, thresholds);
    const double scale = weir_node_float(l->from, node, "out_scale", 1);
    const double bias = weir_node_float(l->from, node, "out_bias", 0);
    if (scale != 1) x = add_number(l, x, WEIR_OP_MUL, scale);
    if (bias != 0) x = add_number(l, x, WEIR_OP_ADD, bias);
    return weir_lower_quantize(l, node, x, &quant);
}

/* --- Trunc --- */

/* A parameter that must be one number. */
static bool read_number(weir_lowering *l, weir_node node, size_t index, double *number) {
    const weir_array *array = weir_lower_constant(l, weir_node_input(l->from, node, index));
    if (array == NULL || array->count != 1)
        return weir_lower_fail(l, node, "input %zu must be one constant number", index);
    *number = weir_array_get(array, 0);
    return true;
}

/* Whole bit widths, and what they and the scales say: the divisor's exponent, and how codes of the result are
 * numbers. */
typedef struct truncation {
    double scale, zero, to_scale, to_zero;
    int exponent, width; /* width 0: as many bits as the results need */
} truncation;

static bool read_truncation(weir_lowering *l, weir_node node, truncation *t) {
    const bool to_scale = weir_node_input_count(l->from, node) == 6;
    double from_bits, bits;
    if (!read_number(l, node, 1, &t->scale) || !read_number(l, node, 2, &t->zero) ||
        !read_number(l, node, 3, &from_bits) || !read_number(l, node, to_scale ? 5 : 4, &bits) ||
        (to_scale && !read_number(l, node, 4, &t->to_scale)))
        return false;
    const double exponent = to_scale ? weir_trunc_exponent((float)t->scale, (float)t->to_scale) : from_bits - bits;
    if (bits != floor(bits) || bits < 1 || bits > 32 || from_bits != floor(from_bits))
        return weir_lower_fail(l, node, "the bit widths are %g and %g, expected whole numbers up to 32", from_bits,
                               bits);
    if (exponent < 0 || exponent > 30) return weir_lower_fail(l, node, "hardware can only remove bits");
    t->exponent = (int)exponent;
    t->width = to_scale ? (int)bits : 0;
    t->to_zero = to_scale ? ldexp(t->zero, -t->exponent) : t->zero;
    if (!to_scale) t->to_scale = t->scale;
    if (t->to_zero != floor(t->to_zero) || fabs(t->to_zero) > 0x1p31)
        return weir_lower_fail(l, node, "the zero point of its result is %g, hardware needs an integer", t->to_zero);
    return true;
}

/* Whole numbers, which the result's scale then makes others of. */
static weir_quant whole_numbers(const weir_lowering *l, weir_node node, const truncation *t) {
    static const double one = 1;
    weir_quant quant = weir_lower_quant_of(WEIR_INT32, &one, NULL, 1, -1);
    weir_rounding_parse_qonnx(weir_node_string(l->from, node, "rounding_mode", "FLOOR"), &quant.rounding);
    if (t->width == 0) return quant;
    quant.is_signed = weir_node_int(l->from, node, "signed", 1) != 0;
    quant.width = t->width;
    if (weir_node_int(l->from, node, "narrow", 0) != 0) quant.saturation = WEIR_SATURATE_SYMMETRIC;
    return quant;
}

bool weir_lower_trunc(weir_lowering *l, weir_node node) {
    const weir_value output = weir_node_output(l->from, node, 0);
    truncation t;
    if (!weir_lower_as_codes(l, node, 0) || !read_truncation(l, node, &t)) return false;
    const weir_expression *x = add_number(l, weir_lower_input(l, node, 0), WEIR_OP_DIV, t.scale);
    if (t.zero != 0) x = add_number(l, x, WEIR_OP_ADD, t.zero);
    x = weir_lower_step(l, x, WEIR_OP_ROUND, NULL);
    x = add_number(l, x, WEIR_OP_MUL, ldexp(1, -t.exponent));
    const weir_quant quant = whole_numbers(l, node, &t);
    if (!weir_lower_quantize(l, node, x, &quant)) return false;
    const weir_value codes = weir_expression_codes_of(weir_lower_expression(l, output));
    weir_type type = *weir_value_type(l->to, codes);
    int64_t *zero = weir_arena_array(weir_graph_arena(l->to), 1, sizeof *zero);
    *zero = (int64_t)t.to_zero;
    if (t.width == 0) {
        type.quant.is_signed = type.low < 0;
        type.quant.width = weir_bits_for(type.low, type.high);
        type.dtype = weir_dtype_for(type.low, type.high);
        weir_value_set_type(l->to, codes, &type);
    }
    type.quant.scale = one_scale(l, t.to_scale);
    type.quant.zero_point = zero;
    weir_lower_recognize_fixed(&type.quant);
    const weir_node relabel = weir_lower_add_node(l, node, WEIR_OP_RELABEL, "", &codes, 1, &type);
    return weir_lower_set_codes(l, node, weir_node_output(l->to, relabel, 0));
}
