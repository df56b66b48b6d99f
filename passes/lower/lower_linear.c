/* Lowering of matrix products, quantizers and additions (lower_integer.c has the table of rules). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/shape/infer.h"
#include "passes/lower/view.h"
#include "passes/quantize/remedy.h"
#include "quant/contract.h"
#include "quant/staircase.h"
#include "support/memory/arena.h"
#include "support/text/text.h"

/* A constant operand of an addition as numbers in units of the accumulator: bias[c] = real / scale[c]. Integers when the
 * operand is given in accumulator codes (quant.count 0) or in codes of the same scale. */
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

static bool read_bias(weir_lowering *l, weir_node node, const weir_view *view, const weir_quant *quant,
                      int64_t channels, bias_terms *bias) {
    if (view->kind != WEIR_VIEW_WEIGHTS && view->kind != WEIR_VIEW_CONSTANT)
        return weir_lower_fail(l, node, "its bias must be constant");
    const size_t count = view->codes->count;
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
        if (view->kind == WEIR_VIEW_CONSTANT) {
            bias->real[c] = weir_array_get(view->codes, element);
            if (!isfinite(bias->real[c]))
                return weir_lower_fail(l, node, "its bias is %g, expected finite numbers", bias->real[c]);
            bias->exact &= whole(bias->real[c], scale, &bias->code[c]);
            continue;
        }
        const weir_quant *own = &view->quant;
        bool codes = own->format != WEIR_FORMAT_FIXED && own->count == 0;
        int64_t code = weir_array_get_int(view->codes, element) - weir_quant_zero(own, (int64_t)element);
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

const weir_array *weir_lower_matrix(weir_lowering *l, const weir_view *weights, const weir_shape *shape,
                                    weir_lower_element *element, const void *user) {
    const int64_t n = shape->dim[0], k = shape->dim[1];
    weir_array *wide = weir_array_new(WEIR_INT64, shape);
    int64_t low = 0, high = 0;
    for (int64_t row = 0; row < n; row++) {
        for (int64_t column = 0; column < k; column++) {
            const size_t from = element(user, row, column);
            const int64_t code = weir_array_get_int(weights->codes, from) - weir_quant_zero(&weights->quant, row);
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

bool weir_lower_check_operands(weir_lowering *l, weir_node node, const weir_view *x, const weir_view *weights) {
    if (x->kind == WEIR_VIEW_REAL)
        return weir_lower_fail_unquantized(l, node, 0, "its input is real and has no quantizer");
    if (weights->kind == WEIR_VIEW_CONSTANT)
        return weir_lower_fail_unquantized(l, node, 1, "its weights are real numbers without a quantizer");
    return weights->kind == WEIR_VIEW_WEIGHTS || weir_lower_fail(l, node, "its weights are not constant");
}

bool weir_lower_check_scales(weir_lowering *l, weir_node node, const weir_view *weights, int axis) {
    return weights->quant.count <= 1 ||
           (weights->quant.axis == axis && (int64_t)weights->quant.count == weights->codes->shape.dim[axis]) ||
           weir_lower_fail(l, node, "the weights must have one scale, or one per output");
}

bool weir_lower_linear(weir_lowering *l, weir_node node, const weir_view *x, const weir_view *weights,
                       bool output_major, const weir_view *bias) {
    if (!weir_lower_check_operands(l, node, x, weights)) return false;
    if (weights->codes->shape.rank != 2)
        return weir_lower_fail(l, node, "the weights have rank %d, expected 2", weights->codes->shape.rank);
    if (!weir_lower_check_scales(l, node, weights, output_major ? 0 : 1)) return false;
    weir_value codes = weir_lower_codes(l, node, x);
    if (codes.id == 0) return false;
    const int64_t *dim = weights->codes->shape.dim;
    const weir_shape shape = {2, {dim[output_major ? 0 : 1], dim[output_major ? 1 : 0]}};
    const weir_array *matrix = weir_lower_matrix(l, weights, &shape, output_major ? by_output : by_input, &shape);
    return weir_lower_product(l, node, codes, matrix, &weights->quant, 1, bias);
}

bool weir_lower_product(weir_lowering *l, weir_node node, weir_value codes, const weir_array *matrix,
                        const weir_quant *weights, int64_t group, const weir_view *bias) {
    const weir_type *x_type = weir_value_type(l->to, codes);
    if (x_type->quant.count > 1) return weir_lower_fail(l, node, "its input has a scale per channel");
    weir_type type = *x_type;
    type.shape.dim[type.shape.rank - 1] = matrix->shape.dim[0];
    type.layout[0] = '\0';
    type.quant = accumulator_quant(l, &x_type->quant, weights, matrix, type.shape.rank - 1);
    weir_view view = {.kind = WEIR_VIEW_CODES};
    bias_terms terms = {.exact = true};
    if (bias != NULL && !read_bias(l, node, bias, &type.quant, matrix->shape.dim[0], &terms)) return false;
    if (bias != NULL && terms.exact) fold_bias(l, &type.quant, &terms);
    if (!terms.exact) {
        view.offset = terms.real;
        view.offset_count = terms.count;
    }
    char *name = weir_format("%s_weights", weir_node_name(l->from, node));
    weir_value inputs[2] = {codes, weir_graph_add_constant(l->to, name, matrix)};
    free(name);
    weir_node linear = weir_lower_add_node(l, node, WEIR_OP_LINEAR, "", inputs, 2, &type);
    if (group > 1) weir_node_set_int(l->to, linear, "group", group);
    view.value = weir_node_output(l->to, linear, 0);
    weir_lower_set(l, node, &view);
    return weir_infer_node(l->to, linear);
}

/* --- quantizers --- */

static bool same_codes(const weir_type *type, const weir_quant *quant) {
    weir_quant other = type->quant;
    other.rounding = quant->rounding;
    return weir_quant_equal(&other, quant);
}

/* An addition of the model's own, which float32 rounds, before the other operations. */
static weir_view offset_as_step(weir_lowering *l, const weir_view *x) {
    weir_view view = *x;
    view.offset = NULL;
    view.relu = false;
    view.step_count = 0;
    weir_array *numbers = weir_array_in(weir_graph_arena(l->to), WEIR_FLOAT32, &(weir_shape){1, {x->offset_count}});
    for (size_t c = 0; c < numbers->count; c++) weir_array_set(numbers, c, x->offset[c]);
    view = weir_lower_add_step(l, &view, WEIR_OP_ADD, numbers);
    if (x->relu) view = weir_lower_add_step(l, &view, WEIR_OP_RELU, NULL);
    for (size_t i = 0; i < x->step_count; i++) view = weir_lower_add_step(l, &view, x->step[i].op, x->step[i].constant);
    return view;
}

static size_t add_steps(weir_lowering *l, weir_node node, const weir_view *x, weir_value *inputs, weir_text *steps) {
    size_t count = 2;
    for (size_t i = 0; i < x->step_count; i++) {
        weir_text_format(steps, "%s%s", i == 0 ? "" : " ", weir_op_get(x->step[i].op)->name);
        if (x->step[i].constant == NULL) continue;
        char *name = weir_format("%s_step_%zu", weir_node_name(l->from, node), i);
        inputs[count++] = weir_graph_add_constant(l->to, name, x->step[i].constant);
        free(name);
    }
    return count;
}

/* The quantizer gives the codes that its function gives at the ends of the input, over all channels. */
static bool tighten(weir_lowering *l, weir_node made) {
    weir_requantizer r;
    const weir_type *x = weir_value_type(l->to, weir_node_input(l->to, made, 0));
    if (!weir_requantizer_of(l->to, made, &r) || !x->has_range || r.to->format == WEIR_FORMAT_BINARY) return true;
    int64_t low = r.high, high = r.low, channels = x->shape.rank == 0 ? 1 : x->shape.dim[x->shape.rank - 1];
    for (int64_t c = 0; c < channels; c++) {
        for (int end = 0; end < 2; end++) {
            const int64_t code = weir_requantizer_apply(&r, c, end == 0 ? x->low : x->high);
            low = code < low ? code : low;
            high = code > high ? code : high;
        }
    }
    weir_node_set_int(l->to, made, "low", low);
    weir_node_set_int(l->to, made, "high", high);
    return weir_infer_node(l->to, made);
}

/* Exact numbers have no component where codes are many. */
static weir_contract contract_of(const weir_lowering *l, const weir_view *x, const weir_type *to) {
    const bool wide = to->high - to->low >= WEIR_STAIRCASE_CODES;
    if (l->contract == WEIR_CONTRACT_REAL || x->step_count > 0 || !x->exact || wide) return l->contract;
    return x->windows ? WEIR_CONTRACT_REAL : WEIR_CONTRACT_EXACT;
}

static weir_node add_requantize(weir_lowering *l, weir_node node, const weir_view *x, const weir_type *type) {
    weir_value inputs[2 + WEIR_STEPS] = {x->value, WEIR_NO_VALUE};
    weir_text steps = {NULL, 0, 0};
    size_t count = add_steps(l, node, x, inputs, &steps);
    if (count == 2) count = 1;
    weir_node producer = weir_value_producer(l->to, x->value);
    weir_node added = weir_lower_add_node(l, node, WEIR_OP_REQUANTIZE, "", inputs, count, type);
    if (producer.id != 0) weir_node_rename(l->to, added, weir_node_name(l->to, producer), "_requantize");
    if (steps.size > 0) weir_node_set_string(l->to, added, "steps", steps.data);
    if (x->count > 1) weir_node_set_int(l->to, added, "count", x->count);
    weir_node_set_int(l->to, added, "low", type->low);
    weir_node_set_int(l->to, added, "high", type->high);
    weir_node_set_string(l->to, added, "contract", weir_contract_name(contract_of(l, x, type)));
    weir_text_free(&steps);
    return added;
}

static bool has_powers(const weir_quant *quant) {
    bool all = true;
    int exponent;
    for (uint32_t c = 0; c < quant->count; c++) all &= frexp(weir_quant_scale(quant, c), &exponent) == 0.5;
    return all;
}

/* Codes that are quantized again go through float32 in the model, a product and a quotient, under any contract; sums do not, whose order
 * nobody knows. Nothing is rounded where all scales are powers of two. Codes of more than 12 bits have no table. */
static bool goes_through_float(const weir_lowering *l, const weir_view *x, const weir_quant *to, int64_t span) {
    const weir_type *from = weir_value_type(l->to, x->value);
    return x->kind == WEIR_VIEW_CODES && x->step_count == 0 && x->count <= 1 && span < WEIR_STAIRCASE_CODES &&
           !(has_powers(&from->quant) && has_powers(to)) && weir_lower_is_one_code(l->to, x->value);
}

bool weir_lower_quantize(weir_lowering *l, weir_node node, const weir_view *given, const weir_quant *quant) {
    if (given->kind == WEIR_VIEW_HOST)
        return weir_lower_fail(l, node, "its input is computed on the host, after the hardware");
    if (given->kind != WEIR_VIEW_REAL && given->kind != WEIR_VIEW_CODES)
        return weir_lower_fail(l, node, "its input is neither real nor quantized");
    const weir_view absorbed = given->offset != NULL ? offset_as_step(l, given) : *given, *x = &absorbed;
    const weir_type *from = weir_value_type(l->to, x->value);
    int64_t low, high;
    weir_lower_bounds(quant, x->relu, l->contract, &low, &high);
    weir_type type = weir_lower_codes_type(quant, &from->shape, low, high);
    weir_view view = {.kind = WEIR_VIEW_CODES};
    weir_node added;
    if (x->kind == WEIR_VIEW_REAL) {
        added = weir_lower_add_node(l, node, WEIR_OP_ENCODE, "", &x->value, 1, &type);
        weir_node_set_string(l->to, added, "contract", weir_contract_name(weir_lower_contract_of(l, node)));
    } else if (x->step_count == 0 && same_codes(from, quant)) {
        /* Quantizing what already has these codes: nothing but the relu is left to do, whose zero may be no code. */
        weir_view without = *x;
        without.relu = false;
        view.value = weir_lower_codes(l, node, &without);
        if (view.value.id != 0 && x->relu) view.value = weir_lower_at_least(l, node, view.value, low);
        weir_lower_set(l, node, &view);
        return view.value.id != 0;
    } else if (goes_through_float(l, x, quant, high - low)) {
        static const weir_step through = {WEIR_OP_IDENTITY, NULL};
        weir_view real = *x;
        real.step = &through;
        real.step_count = 1;
        added = add_requantize(l, node, &real, &type);
    } else {
        added = add_requantize(l, node, x, &type);
    }
    view.value = weir_node_output(l->to, added, 0);
    if (!weir_infer_node(l->to, added) || (x->step_count > 0 && !tighten(l, added))) return false;
    if (x->reshaped) view.value = weir_lower_reshape(l, node, view.value, &x->shape);
    weir_lower_set(l, node, &view);
    return true;
}

/* --- additions --- */

/* A constant added to codes: whole numbers of codes move the zero point, others become an offset. */
static bool add_constant(weir_lowering *l, weir_node node, const weir_view *x, const weir_view *constant) {
    if (x->kind != WEIR_VIEW_CODES || x->relu || x->offset != NULL)
        return weir_lower_fail_unquantized(l, node, x == &l->view[weir_node_input(l->from, node, 0).id] ? 0 : 1,
                                           "a constant can be added to quantized values or accumulators only");
    if (x->reshaped && constant->codes->count > 1)
        return weir_lower_fail(l, node, "per-channel scales split up by a reshape: only a single number can be added");
    weir_type type = *weir_value_type(l->to, x->value);
    bias_terms terms;
    if (!read_bias(l, node, constant, &type.quant, type.shape.dim[type.shape.rank - 1], &terms)) return false;
    weir_view view = *x;
    if (!terms.exact) {
        view.offset = terms.real;
        view.offset_count = terms.count;
    } else {
        fold_bias(l, &type.quant, &terms);
        type.quant.axis = type.quant.count > 1 ? type.shape.rank - 1 : -1;
        if (type.quant.format == WEIR_FORMAT_FIXED) type.quant.format = WEIR_FORMAT_INTEGER;
        weir_node relabel = weir_lower_add_node(l, node, WEIR_OP_RELABEL, "", &x->value, 1, &type);
        view.value = weir_node_output(l->to, relabel, 0);
    }
    weir_lower_set(l, node, &view);
    return true;
}

static weir_value read_operand(weir_lowering *l, weir_node node, const char *suffix, const weir_view *view) {
    const weir_value codes = weir_lower_codes(l, node, view);
    const weir_shape *result = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    return codes.id == 0 ? codes : weir_lower_broadcast(l, node, suffix, codes, result);
}

static bool add_computed(weir_lowering *l, weir_node node, const weir_view *a, const weir_view *b, bool minus) {
    if (!weir_lower_has_codes(a) || !weir_lower_has_codes(b))
        return weir_lower_fail_unquantized(l, node, weir_lower_has_codes(a) ? 1 : 0, "its inputs are not quantized");
    weir_view view = {.kind = WEIR_VIEW_SUM, .minus = minus};
    view.value = read_operand(l, node, "_left", a);
    view.other = view.value.id == 0 ? WEIR_NO_VALUE : read_operand(l, node, "_right", b);
    weir_lower_set(l, node, &view);
    return view.other.id != 0;
}

bool weir_lower_add(weir_lowering *l, weir_node node, const weir_view *a, const weir_view *b) {
    bool a_constant = weir_lower_is_given(a);
    bool b_constant = weir_lower_is_given(b);
    if (b_constant && !a_constant) return add_constant(l, node, a, b);
    if (a_constant && !b_constant) return add_constant(l, node, b, a);
    return add_computed(l, node, a, b, false);
}

bool weir_lower_subtract(weir_lowering *l, weir_node node, const weir_view *a, const weir_view *b) {
    return add_computed(l, node, a, b, true);
}
