/* Lowering of matrix products and additions (lower_integer.c has the table of rules). */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/shape/infer.h"
#include "passes/lower/lower.h"
#include "passes/quantize/remedy.h"
#include "quant/contract.h"
#include "support/memory/arena.h"

/* A constant operand of an addition as numbers in units of the accumulator: bias[c] = real / scale[c]. Integers when
 * the operand is given in accumulator codes (quant.count 0) or in codes of the same scale. */
typedef struct bias_terms {
    double *real;  /* real number added to channel c */
    int64_t *code; /* the same as accumulator codes, valid when exact */
    bool exact;
    uint32_t count; /* 1 or the number of channels */
} bias_terms;

static bool same_scale(double a, double b) { return a == b || (float)a == (float)b; }

/* Is real / scale a whole number, up to the rounding of a product of two float32? */
static bool whole(double real, double scale, int64_t *code) {
    double ratio = real / scale, nearest = nearbyint(ratio);
    *code = (int64_t)nearest;
    return fabs(nearest) < 1e15 && nearest * scale == real;
}

/* Are these rows of so many numbers, all the same? */
static bool repeats(const weir_array *data, int64_t channels) {
    bool same = data->shape.rank > 0 && data->shape.dim[data->shape.rank - 1] == channels;
    for (size_t i = (size_t)channels; same && i < data->count; i++)
        same = weir_array_get(data, i) == weir_array_get(data, i - (size_t)channels);
    return same;
}

/* One number everywhere, such as the 0 that a normalization adds? */
static bool is_one_number(const weir_expression *given) {
    const weir_array *data = weir_expression_data(given);
    bool same = data->count > 0 && (weir_expression_kind_of(given) == WEIR_EXPRESSION_CONSTANT ||
                                    weir_expression_quant(given)->count <= 1);
    for (size_t i = 1; same && i < data->count; i++) same = weir_array_get(data, i) == weir_array_get(data, 0);
    return same;
}

static bool read_bias(weir_lowering *l, weir_node node, const weir_expression *given, const weir_quant *quant,
                      int64_t channels, bias_terms *bias) {
    if (!weir_expression_has_data(given)) return weir_lower_fail(l, node, "its bias must be constant");
    const weir_array *data = weir_expression_data(given);
    const size_t count = is_one_number(given) ? 1 : repeats(data, channels) ? (size_t)channels : data->count;
    if (count != 1 && (int64_t)count != channels)
        return weir_lower_fail(l, node, "the added constant has %zu elements, expected 1 or %lld", count,
                               (long long)channels);
    weir_arena *arena = weir_graph_arena(l->to);
    bias->count = quant->count > count ? quant->count : (uint32_t)count;
    bias->real = weir_arena_array(arena, bias->count, sizeof *bias->real);
    bias->code = weir_arena_array(arena, bias->count, sizeof *bias->code);
    bias->exact = true;
    for (uint32_t c = 0; c < bias->count; c++) {
        size_t element = count == 1 ? 0 : c;
        double scale = weir_quant_scale(quant, c);
        if (weir_expression_kind_of(given) == WEIR_EXPRESSION_CONSTANT) {
            bias->real[c] = weir_array_get(data, element);
            if (!isfinite(bias->real[c]))
                return weir_lower_fail(l, node, "its bias is %g, expected finite numbers", bias->real[c]);
            bias->exact &= whole(bias->real[c], scale, &bias->code[c]);
            continue;
        }
        const weir_quant *own = weir_expression_quant(given);
        bool codes = own->format != WEIR_FORMAT_FIXED && own->count == 0;
        int64_t code = weir_array_get_int(data, element) - weir_quant_zero(own, (int64_t)element);
        double step = codes ? scale : weir_quant_scale(own, (int64_t)element);
        bias->real[c] = (double)code * step;
        bias->code[c] = code;
        if (!codes && !same_scale(step, scale)) bias->exact &= whole(bias->real[c], scale, &bias->code[c]);
    }
    return true;
}

/* Moves a whole bias into zero points; quant's arrays are replaced by new ones with one entry a bias. */
static void fold_bias(weir_lowering *l, weir_quant *quant, const bias_terms *bias) {
    uint32_t count = quant->count > bias->count ? quant->count : bias->count;
    double *scale = weir_arena_array(weir_graph_arena(l->to), count, sizeof *scale);
    int64_t *zero = weir_arena_array(weir_graph_arena(l->to), count, sizeof *zero);
    for (uint32_t c = 0; c < count; c++) {
        scale[c] = weir_quant_scale(quant, c);
        zero[c] = weir_quant_zero(quant, c) - bias->code[bias->count == 1 ? 0 : c];
    }
    quant->scale = scale;
    quant->zero_point = zero;
    quant->count = count;
}

/* --- Linear --- */

const weir_array *weir_lower_matrix(weir_lowering *l, const weir_expression *weights, const weir_shape *shape,
                                    weir_lower_element *element, const void *user) {
    const weir_array *codes = weir_expression_data(weights);
    const weir_quant *quant = weir_expression_quant(weights);
    const int64_t n = shape->dim[0], k = shape->dim[1];
    weir_array *wide = weir_array_new(WEIR_INT64, shape);
    int64_t low = 0, high = 0;
    for (int64_t row = 0; row < n; row++) {
        for (int64_t column = 0; column < k; column++) {
            const size_t from = element(user, row, column);
            const int64_t code = weir_array_get_int(codes, from) - weir_quant_zero(quant, row);
            weir_array_set_int(wide, (size_t)(row * k + column), code);
            low = code < low ? code : low;
            high = code > high ? code : high;
        }
    }
    weir_array *narrow = weir_array_convert(wide, weir_dtype_for(low < 0 ? low : -1, high));
    weir_array_free(wide);
    weir_array *result = weir_array_copy_in(weir_graph_arena(l->to), narrow);
    weir_array_free(narrow);
    return result;
}

static size_t by_output(const void *user, int64_t row, int64_t column) {
    const weir_shape *matrix = user;
    return (size_t)(row * matrix->dim[1] + column);
}

static size_t by_input(const void *user, int64_t row, int64_t column) {
    const weir_shape *matrix = user;
    return (size_t)(column * matrix->dim[0] + row);
}

/* real = (acc - zero[n]) * scale[n] with zero[n] = zx * (sum of w[n]). */
static weir_quant accumulator_quant(weir_lowering *l, const weir_quant *x, const weir_quant *w,
                                    const weir_array *arranged, int axis) {
    uint32_t n = (uint32_t)arranged->shape.dim[0];
    int64_t k = arranged->shape.dim[1];
    double *scale = weir_arena_array(weir_graph_arena(l->to), n, sizeof *scale);
    int64_t *zero = weir_arena_array(weir_graph_arena(l->to), n, sizeof *zero);
    for (uint32_t row = 0; row < n; row++) {
        scale[row] = weir_contract_product(l->contract, weir_quant_scale(x, 0), weir_quant_scale(w, row));
        int64_t sum = 0;
        for (int64_t column = 0; column < k; column++) sum += weir_array_get_int(arranged, (size_t)(row * k + column));
        zero[row] = sum * weir_quant_zero(x, 0);
    }
    weir_quant quant = {
        .format = WEIR_FORMAT_INTEGER, .axis = n > 1 ? axis : -1, .count = n, .scale = scale, .zero_point = zero};
    return quant;
}

/* Does the value depend on constants only? Gives up behind `budget` values. */
static bool is_fixed(const weir_graph *graph, weir_value value, int *budget) {
    const weir_node maker = weir_value_producer(graph, value);
    if (maker.id == 0) return weir_value_constant(graph, value) != NULL;
    bool all = (*budget)-- > 0;
    for (size_t i = 0; all && i < weir_node_input_count(graph, maker); i++) {
        const weir_value input = weir_node_input(graph, maker, i);
        all = input.id == 0 || is_fixed(graph, input, budget);
    }
    return all;
}

/* What weights are that are no codes. */
static bool fail_weights(const weir_lowering *l, weir_node node) {
    int budget = 1000;
    if (!is_fixed(l->from, weir_node_input(l->from, node, 1), &budget))
        return weir_lower_fail(l, node, "its weights are not constant");
    weir_lower_fail(l, node, "its weights are computed from quantized ones and are not whole multiples of a scale");
    weir_note("put their quantizer after the nodes that compute them%s",
              weir_remedy_completes(l->from) ? WEIR_REMEDY_COMPLETE : "");
    return false;
}

bool weir_lower_check_operands(weir_lowering *l, weir_node node, const weir_expression *x,
                               const weir_expression *weights) {
    const weir_expression_kind kind = weir_expression_kind_of(weights);
    if (weir_expression_kind_of(x) == WEIR_EXPRESSION_REAL)
        return weir_lower_fail_unquantized(l, node, 0, "its input is real and has no quantizer");
    if (kind == WEIR_EXPRESSION_CONSTANT)
        return weir_lower_fail_unquantized(l, node, 1, "its weights are real numbers without a quantizer");
    return kind == WEIR_EXPRESSION_WEIGHTS || fail_weights(l, node);
}

static bool has_scales_along(const weir_expression *weights, int axis) {
    const weir_quant *quant = weir_expression_quant(weights);
    return quant->axis == axis && (int64_t)quant->count == weir_expression_data(weights)->shape.dim[axis];
}

/* The weights less the zero points along their axis, as whole numbers. */
static const weir_expression *without_scales(weir_lowering *l, const weir_expression *weights) {
    static const double one = 1;
    weir_arena *arena = weir_graph_arena(l->to);
    const weir_array *codes = weir_expression_data(weights);
    const weir_quant *quant = weir_expression_quant(weights);
    weir_array *whole = weir_array_in(arena, WEIR_INT64, &codes->shape);
    size_t inner = 1;
    for (int d = quant->axis + 1; d < codes->shape.rank; d++) inner *= (size_t)codes->shape.dim[d];
    for (size_t i = 0; i < codes->count; i++)
        weir_array_set_int(whole, i,
                           weir_array_get_int(codes, i) - weir_quant_zero(quant, (int64_t)(i / inner % quant->count)));
    weir_quant plain = {.format = WEIR_FORMAT_INTEGER, .is_signed = true, .axis = -1, .count = 1, .scale = &one};
    plain.width = quant->width + 1;
    return weir_expression_weights(arena, whole, &plain);
}

const weir_expression *weir_lower_scale_inputs(weir_lowering *l, weir_node node, weir_value *codes,
                                               const weir_expression *weights, int outputs, int inputs) {
    const weir_quant *quant = weir_expression_quant(weights);
    const weir_shape *shape = &weir_value_type(l->to, *codes)->shape;
    if (quant->count <= 1 || has_scales_along(weights, outputs)) return weights;
    if (!has_scales_along(weights, inputs)) {
        weir_lower_fail(l, node, "the weights must have one scale, or one per output or input");
        return NULL;
    }
    if (!weir_lower_carries(l, node)) {
        weir_lower_fail(l, node, "the weights have a scale per input");
        return NULL;
    }
    const int64_t channels = shape->dim[shape->rank - 1];
    double *factor = weir_arena_array(weir_graph_arena(l->to), (size_t)channels, sizeof *factor);
    for (int64_t c = 0; c < channels; c++) factor[c] = weir_quant_scale(quant, c % quant->count);
    *codes = weir_lower_by_factors(l, node, *codes, factor, (uint32_t)channels);
    return codes->id == 0 ? NULL : without_scales(l, weights);
}

bool weir_lower_linear(weir_lowering *l, weir_node node, const weir_expression *x, const weir_expression *weights,
                       bool output_major, const weir_expression *bias) {
    if (!weir_lower_check_operands(l, node, x, weights)) return false;
    const weir_shape *given = &weir_expression_data(weights)->shape;
    if (given->rank != 2) return weir_lower_fail(l, node, "the weights have rank %d, expected 2", given->rank);
    weir_value codes = weir_lower_operand(l, node, x, false);
    if (codes.id == 0) return false;
    weights = weir_lower_scale_inputs(l, node, &codes, weights, output_major ? 0 : 1, output_major ? 1 : 0);
    if (weights == NULL) return false;
    const weir_shape shape = {2, {given->dim[output_major ? 0 : 1], given->dim[output_major ? 1 : 0]}};
    const weir_array *matrix = weir_lower_matrix(l, weights, &shape, output_major ? by_output : by_input, &shape);
    return weir_lower_product(l, node, codes, matrix, weir_expression_quant(weights), 1, bias);
}

static bool is_empty_row(const weir_array *matrix, const weir_quant *quant, int64_t row) {
    bool empty = weir_quant_zero(quant, row) == 0;
    for (int64_t k = 0; empty && k < matrix->shape.dim[1]; k++)
        empty = weir_array_get_int(matrix, (size_t)(row * matrix->shape.dim[1] + k)) == 0;
    return empty;
}

/* Rows without weights, nor whole biases, are 0 at any scale: the least of the others, so that no number among those
 * that are carried seems larger. */
static void scale_empty_rows(weir_lowering *l, const weir_array *matrix, weir_quant *quant) {
    const int64_t rows = matrix->shape.dim[0];
    if ((int64_t)quant->count != rows) return;
    double least = HUGE_VAL, *scale = weir_arena_array(weir_graph_arena(l->to), (size_t)rows, sizeof *scale);
    for (int64_t row = 0; row < rows; row++)
        if (!is_empty_row(matrix, quant, row)) least = fmin(least, weir_quant_scale(quant, row));
    for (int64_t row = 0; row < rows; row++)
        scale[row] = is_empty_row(matrix, quant, row) && least < HUGE_VAL ? least : weir_quant_scale(quant, row);
    quant->scale = scale;
}

/* Sums of numbers that are no further off than this: by the largest sum of weights' magnitudes more. */
static double rounding_of_sums(double rounding, const weir_array *matrix, const weir_quant *weights) {
    double most = 0;
    for (int64_t row = 0; rounding > 0 && row < matrix->shape.dim[0]; row++) {
        double sum = 0;
        for (int64_t k = 0; k < matrix->shape.dim[1]; k++)
            sum += fabs((double)weir_array_get_int(matrix, (size_t)(row * matrix->shape.dim[1] + k)));
        most = fmax(most, sum * weir_quant_scale(weights, row));
    }
    return rounding * most;
}

bool weir_lower_product(weir_lowering *l, weir_node node, weir_value codes, const weir_array *matrix,
                        const weir_quant *weights, int64_t group, const weir_expression *bias) {
    const weir_type *x_type = weir_value_type(l->to, codes);
    l->rounding = rounding_of_sums(l->rounding, matrix, weights);
    if (x_type->quant.count > 1) return weir_lower_fail(l, node, "its input has a scale per channel");
    weir_type type = *x_type;
    type.shape.dim[type.shape.rank - 1] = matrix->shape.dim[0];
    type.layout[0] = '\0';
    type.quant = accumulator_quant(l, &x_type->quant, weights, matrix, type.shape.rank - 1);
    bias_terms terms = {.exact = true};
    if (bias != NULL && !read_bias(l, node, bias, &type.quant, matrix->shape.dim[0], &terms)) return false;
    if (bias != NULL && terms.exact) fold_bias(l, &type.quant, &terms);
    if (l->carries) scale_empty_rows(l, matrix, &type.quant);
    char *name = weir_format("%s_weights", weir_node_name(l->from, node));
    weir_value inputs[2] = {codes, weir_graph_add_constant(l->to, name, matrix)};
    free(name);
    weir_node linear = weir_lower_add_node(l, node, WEIR_OP_LINEAR, "", inputs, 2, &type);
    if (group > 1) weir_node_set_int(l->to, linear, "group", group);
    weir_arena *arena = weir_graph_arena(l->to);
    const weir_expression *sums = weir_expression_codes(arena, weir_node_output(l->to, linear, 0));
    weir_lower_set(l, node, terms.exact ? sums : weir_expression_offset(arena, sums, terms.real, terms.count));
    return weir_infer_node(l->to, linear);
}

/* --- additions --- */

bool weir_lower_add_constant(weir_lowering *l, weir_node node, const weir_expression *x,
                             const weir_expression *constant) {
    assert(weir_expression_kind_of(x) == WEIR_EXPRESSION_CODES);
    weir_arena *arena = weir_graph_arena(l->to);
    weir_leaf leaf = *weir_expression_leaf(x);
    if (leaf.map != NULL && weir_expression_data(constant)->count > 1)
        return weir_lower_fail(l, node, "a reshape splits its per-channel scales: only a single number can be added");
    weir_type type = *weir_value_type(l->to, leaf.codes);
    bias_terms terms;
    if (!read_bias(l, node, constant, &type.quant, type.shape.dim[type.shape.rank - 1], &terms)) return false;
    if (!terms.exact) {
        weir_lower_set(l, node, weir_expression_offset(arena, x, terms.real, terms.count));
        return true;
    }
    fold_bias(l, &type.quant, &terms);
    type.quant.axis = type.quant.count > 1 ? type.shape.rank - 1 : -1;
    if (type.quant.format == WEIR_FORMAT_FIXED) type.quant.format = WEIR_FORMAT_INTEGER;
    const weir_node relabel = weir_lower_add_node(l, node, WEIR_OP_RELABEL, "", &leaf.codes, 1, &type);
    leaf.codes = weir_node_output(l->to, relabel, 0);
    return weir_lower_set_leaf(l, node, &leaf);
}

/* `index`: of x among the node's inputs, where it is one; else the node has made it. */
static weir_value read_operand(weir_lowering *l, weir_node node, const char *suffix, size_t index,
                               const weir_expression *x) {
    const weir_value codes = weir_lower_input(l, node, index) == x ? weir_lower_read_codes(l, node, index, NULL)
                             : weir_lower_carries(l, node) ? weir_lower_carry_expression(l, node, x, weir_lower_any)
                                                           : weir_lower_codes(l, node, x);
    const weir_shape *result = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    return codes.id == 0 ? codes : weir_lower_broadcast(l, node, suffix, codes, result);
}

static bool add(weir_lowering *l, weir_node node, const weir_expression *a, const weir_expression *b, bool minus) {
    const bool carries = weir_lower_carries(l, node);
    if (!carries && (!weir_expression_has_codes(a) || !weir_expression_has_codes(b)))
        return weir_lower_fail_unquantized(l, node, weir_expression_has_codes(a) ? 1 : 0,
                                           "its inputs are not quantized");
    weir_leaf_sum sum = {.left = {.codes = read_operand(l, node, "_left", 0, a)}, .minus = minus};
    if (sum.left.codes.id == 0) return false;
    sum.right.codes = read_operand(l, node, "_right", 1, b);
    if (sum.right.codes.id == 0) return false;
    if (carries && !weir_lower_sum_is_narrow(l, &sum)) return weir_lower_add_carried(l, node, &sum);
    weir_lower_set(l, node, weir_expression_sum(weir_graph_arena(l->to), &sum));
    return true;
}

bool weir_lower_add(weir_lowering *l, weir_node node, const weir_expression *a, const weir_expression *b) {
    return add(l, node, a, b, false);
}

bool weir_lower_subtract(weir_lowering *l, weir_node node, const weir_expression *a, const weir_expression *b) {
    return add(l, node, a, b, true);
}
