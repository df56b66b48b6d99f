/* Softmax of rows that are made innermost: QLinearSoftmax as weir.Softmax, in float32; Softmax between quantizers as
 * weir.IntegerSoftmax, the exact real one rounded once. It is hardware where a node that only hardware computes needs
 * its result; at the end of a network it stays the host's. */
#include <float.h>
#include <stdlib.h>

#include "exec/kernel_common.h"
#include "exec/softmax.h"
#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "passes/lower/scaled.h"
#include "passes/quantize/mask.h"
#include "passes/quantize/remedy.h"
#include "support/memory/arena.h"

/* Only hardware computes it, not the host behind hardware: of layers behind a Softmax the large ones. */
static bool is_hardware(const weir_graph *model, weir_node node, bool large) {
    const weir_trait *trait = weir_trait_of(weir_node_op(model, node));
    if (trait->task == WEIR_TASK_LAYER) return !large || !weir_lower_is_small(model, node);
    return !trait->is_for_host;
}

/* Does such a node depend on the node's result? */
static bool is_needed(const weir_graph *model, weir_node node, bool large) {
    bool *depends = weir_calloc(weir_graph_value_limit(model), sizeof *depends), needed = false;
    depends[weir_node_output(model, node, 0).id] = true;
    for (weir_node user = weir_node_next(model, node); user.id != 0 && !needed; user = weir_node_next(model, user)) {
        bool any = false;
        for (size_t i = 0; i < weir_node_input_count(model, user); i++)
            any |= depends[weir_node_input(model, user, i).id];
        for (size_t i = 0; any && i < weir_node_output_count(model, user); i++)
            depends[weir_node_output(model, user, i).id] = true;
        needed = any && is_hardware(model, user, large);
    }
    free(depends);
    return needed;
}

/* The powers of the codes' distances in rows of `length`; no value after a reported error. */
static weir_value add_powers(weir_lowering *l, weir_node node, const weir_type *codes, double scale, int64_t length,
                             float steps) {
    const int64_t count = codes->high - codes->low + 1;
    weir_array *power = weir_array_in(weir_graph_arena(l->to), WEIR_FLOAT32, &(weir_shape){1, {count}});
    weir_softmax_powers((float)scale, (size_t)length, (float *)power->data, (size_t)count);
    const double most = weir_array_get(power, 0) * (double)steps;
    if (most > FLT_MAX) {
        weir_lower_fail(l, node, "its scale allows %g steps, but ONNX Runtime's arithmetic at most %g in rows of %lld",
                        (double)steps, (double)FLT_MAX / weir_array_get(power, 0), (long long)length);
        weir_note("its codes would be meaningless; a softmax is at most 1, so 256 steps, a scale of 1/256, are enough");
        return WEIR_NO_VALUE;
    }
    char *name = weir_format("%s_powers", weir_node_name(l->from, node));
    const weir_value constant = weir_graph_add_constant(l->to, name, power);
    free(name);
    return constant;
}

bool weir_lower_needs_softmax(const weir_graph *model, weir_node softmax) { return is_needed(model, softmax, true); }

static bool check_needed(weir_lowering *l, weir_node node, bool large) {
    return is_needed(l->from, node, large) ||
           weir_lower_fail(l, node, "no node that only hardware computes needs it: the host computes it");
}

bool weir_lower_qlinear_softmax(weir_lowering *l, weir_node node) {
    const weir_type *from = weir_value_type(l->from, weir_node_output(l->from, node, 0));
    weir_quant x, y;
    if (!check_needed(l, node, false)) return false;
    if (!weir_lower_read_quant(l, node, 1, 2, from->dtype, 0, &x) ||
        !weir_lower_read_quant(l, node, 3, 4, from->dtype, 0, &y))
        return false;
    weir_value codes = weir_lower_one_scale(l, node, weir_lower_read_codes(l, node, 0, NULL));
    if (codes.id == 0) return false;
    const weir_shape shape = weir_value_type(l->to, codes)->shape;
    const int64_t given = weir_node_int(l->from, node, "axis", -1);
    const int axis = (int)(given < 0 ? given + shape.rank : given);
    const bool innermost = axis == shape.rank - 1;
    const float steps = weir_softmax_steps((float)weir_quant_scale(&y, 0));
    if (!innermost) codes = weir_lower_rows(l, node, codes, axis);
    if (codes.id == 0) return false;
    const weir_type *type = weir_value_type(l->to, codes);
    const weir_value powers = add_powers(l, node, type, weir_quant_scale(&x, 0), shape.dim[axis], steps);
    if (powers.id == 0) return false;
    int64_t low, high;
    weir_quant_limits(&y, &low, &high);
    const weir_type made_type = weir_lower_codes_type(&y, &type->shape, low, high);
    const weir_value inputs[2] = {codes, powers};
    const weir_node made =
        weir_lower_add_node(l, node, WEIR_OP_SOFTMAX_CODES, innermost ? "" : "_softmax", inputs, 2, &made_type);
    weir_node_set_int(l->to, made, "steps", (int64_t)steps);
    weir_node_set_int(l->to, made, "zero", weir_quant_zero(&y, 0));
    if (!weir_infer_node(l->to, made)) return false;
    const weir_value result = weir_node_output(l->to, made, 0);
    return weir_lower_set_codes(l, node, innermost ? result : weir_lower_from_rows(l, node, result, &shape, axis));
}

/* --- the real one between quantizers --- */

enum { MOST_ENTRIES = 1 << 16, MOST_STEPS = 1 << 20 };

/* A tie is the half of one step only, of a row of equal codes: with the zero point it goes to an even code, so up to an
 * odd zero point. How shares are rounded: as the tables have it, up, or down. False after a reported error. */
static bool read_rounding(weir_lowering *l, weir_node node, const weir_quant *quant, int64_t *half, bool *up) {
    const bool even = weir_quant_zero(quant, 0) % 2 == 0;
    *half = 1;
    *up = false;
    switch (quant->rounding) {
    case WEIR_ROUND_HALF_EVEN: *up = l->contract == WEIR_CONTRACT_REAL && !even; return true;
    case WEIR_ROUND_HALF_DOWN:
    case WEIR_ROUND_HALF_TO_ZERO: return true;
    case WEIR_ROUND_HALF_UP:
    case WEIR_ROUND_HALF_AWAY: *up = true; return true;
    case WEIR_ROUND_FLOOR:
    case WEIR_ROUND_TRUNCATE: *half = 0; return true;
    case WEIR_ROUND_CEIL:
    case WEIR_ROUND_AWAY:
    case WEIR_ROUND_COUNT: break;
    }
    return weir_lower_fail(l, node, "the quantizer behind it rounds up, but shares are rounded to the nearest or down");
}

/* Numerators of shares that are rounded down, or halves of which are rounded up. */
static void set_rounding(weir_array *numerator, int64_t half, bool up) {
    for (size_t d = 0; d < numerator->count; d++) {
        const int64_t twice = weir_array_get_int(numerator, d), nearest = (twice + 1) / 2;
        if (half == 0 || up) weir_array_set_int(numerator, d, half == 0 ? nearest : 2 * nearest);
    }
}

static weir_value add_table(weir_lowering *l, weir_node node, const char *suffix, const weir_array *table) {
    char *name = weir_format("%s_%s", weir_node_name(l->from, node), suffix);
    const weir_value constant = weir_graph_add_constant(l->to, name, table);
    free(name);
    return constant;
}

/* Entries of both tables until they are 0, at most so many distances. */
static size_t count_entries(const weir_type *codes, const weir_quant *y, int64_t distances) {
    return weir_softmax_entries(weir_quant_scale(&codes->quant, 0), weir_quant_scale(y, 0),
                                distances < MOST_ENTRIES ? (size_t)distances : MOST_ENTRIES);
}

/* Both tables for codes of that type; false after a reported error. */
static bool add_tables(weir_lowering *l, weir_node node, const weir_type *codes, const weir_quant *y, int64_t half,
                       bool up, weir_value *inputs) {
    const double scale = weir_quant_scale(&codes->quant, 0), step = weir_quant_scale(y, 0);
    const int64_t distances = codes->high - codes->low + 1;
    const size_t count = count_entries(codes, y, distances);
    const weir_shape shape = {1, {(int64_t)count}};
    weir_array *term = weir_array_in(weir_graph_arena(l->to), WEIR_INT64, &shape),
               *numerator = weir_array_in(weir_graph_arena(l->to), WEIR_INT64, &shape);
    weir_softmax_tables(scale, step, (int64_t *)term->data, (int64_t *)numerator->data, count);
    if ((int64_t)count < distances && weir_array_get_int(term, count - 1) != 0) {
        weir_lower_fail(l, node,
                        "its input has %lld codes of %g each: a table of exponentials would have over %d entries",
                        (long long)distances, scale, MOST_ENTRIES);
        weir_note("put a quantizer of up to 16 bits before it%s",
                  weir_remedy_completes(l->from) ? WEIR_REMEDY_COMPLETE : "");
        return false;
    }
    set_rounding(numerator, half, up);
    inputs[1] = add_table(l, node, "terms", term);
    inputs[2] = add_table(l, node, "numerators", numerator);
    return true;
}

/* --- masks --- */

/* Is the value seen as masked by `x`? */
static bool keep_mask(weir_lowering *l, weir_node node, const weir_expression *x, const weir_mask *mask,
                      weir_value masking) {
    weir_lower_set(l, node, x);
    weir_lowering_value *known = &l->of[weir_node_output(l->from, node, 0).id];
    known->mask = mask;
    known->masking = masking;
    known->is_inside = true;
    return true;
}

static bool is_masked(const weir_expression *x) {
    return weir_expression_is_hardware(x) && weir_expression_kind_of(x) != WEIR_EXPRESSION_FUNCTION;
}

/* Codes of which each step is beyond all differences of scores. */
static bool masks(const weir_lowering *l, const weir_expression *x) {
    enum { FAR = 64 };
    if (weir_expression_kind_of(x) != WEIR_EXPRESSION_CODES || weir_expression_leaf(x)->map != NULL) return false;
    const weir_quant *quant = &weir_value_type(l->to, weir_expression_codes_of(x))->quant;
    return quant->count <= 1 && weir_quant_scale(quant, 0) >= FAR;
}

bool weir_lower_mask(weir_lowering *l, weir_node node) {
    weir_mask *mask = weir_arena_alloc(weir_graph_arena(l->to), sizeof *mask);
    if (weir_mask_of(l->from, node, mask)) {
        const weir_expression *x = weir_lower_input(l, node, mask->data);
        return is_masked(x) && keep_mask(l, node, x, mask, WEIR_NO_VALUE);
    }
    for (uint32_t i = 0; i < 2; i++) {
        weir_computed_mask computed;
        if (!weir_mask_may_be(l->from, node, i, &computed) || !computed.sum) continue;
        const weir_expression *x = weir_lower_input(l, node, i), *other = weir_lower_input(l, node, 1 - i);
        if (!is_masked(x) || !masks(l, other)) continue;
        return keep_mask(l, node, x, NULL, weir_expression_codes_of(other));
    }
    return false;
}

/* Has each row along the axis an element that is not left out? */
static bool leaves_some(const weir_mask *mask, const weir_shape *shape, int axis) {
    const weir_broadcast from = weir_broadcast_of(&mask->pattern->shape, shape);
    size_t inner = 1, elements = 1;
    for (int d = axis + 1; d < shape->rank; d++) inner *= (size_t)shape->dim[d];
    weir_shape_count(shape, &elements);
    const size_t length = (size_t)shape->dim[axis];
    bool some = true;
    for (size_t row = 0; some && row < elements / length; row++) {
        some = false;
        for (size_t k = 0; !some && k < length; k++) {
            const size_t at = row / inner * inner * length + k * inner + row % inner;
            some = !weir_mask_leaves_out(mask, weir_broadcast_index(&from, at));
        }
    }
    return some;
}

/* The elements over which a pattern repeats, from the first dimension along which it changes on. */
static int64_t period_of(const weir_mask *mask, const weir_shape *shape) {
    const weir_shape *own = &mask->pattern->shape;
    int64_t period = 1;
    bool varies = false;
    for (int d = 0; d < shape->rank; d++) {
        const int at = d - (shape->rank - own->rank);
        varies |= at >= 0 && own->dim[at] > 1;
        if (varies) period *= shape->dim[d];
    }
    return period;
}

/* The codes; those that are left out become one that is so far below the least that its share is 0: a weir.Cast with an
 * addend an element. No value after a reported error. */
static weir_value mask_codes(weir_lowering *l, weir_node node, weir_value codes, const weir_mask *mask, int axis,
                             const weir_quant *y) {
    const weir_type from = *weir_value_type(l->to, codes);
    const double scale = weir_quant_scale(&from.quant, 0);
    const int64_t range = from.high - from.low, period = period_of(mask, &from.shape);
    const int64_t away = (int64_t)count_entries(&from, y, MOST_ENTRIES) - 1;
    if (!leaves_some(mask, &from.shape, axis)) {
        weir_lower_fail(l, node, "its mask leaves out all elements of a row, whose shares would be no numbers");
        return WEIR_NO_VALUE;
    }
    if (mask->least / scale < (double)(range + away)) {
        weir_lower_fail(l, node, "its mask adds -%g, which leaves a share to scores of a range of %g", mask->least,
                        (double)range * scale);
        weir_note("masks of -infinity or -1e9 leave out what they are added to");
        return WEIR_NO_VALUE;
    }
    weir_array *add = weir_array_in(weir_graph_arena(l->to), WEIR_INT64, &(weir_shape){1, {period}});
    const weir_broadcast place = weir_broadcast_of(&mask->pattern->shape, &from.shape);
    for (int64_t i = 0; i < period; i++)
        weir_array_set_int(add, (size_t)i,
                           weir_mask_leaves_out(mask, weir_broadcast_index(&place, (size_t)i)) ? -range - away : 0);
    size_t elements = 1;
    weir_shape_count(&from.shape, &elements);
    const weir_shape rows = {2, {(int64_t)elements / period, period}};
    const weir_quant quant = weir_scaled_quant(l, scale, from.low - away, from.high);
    const weir_type to = weir_lower_codes_type(&quant, &rows, from.low - away, from.high);
    weir_value masked = weir_lower_reshape_as(l, node, "_scores", codes, &rows);
    masked = weir_lower_shift(l, node, "_mask", masked, add, &to);
    return masked.id == 0 ? masked : weir_lower_reshape_as(l, node, "_masked", masked, &from.shape);
}

/* The codes and those of a computed mask, a step of which is more than all distances that have a share: a row's shares
 * are those of its elements with the largest code of the mask. No value after a reported error. */
static weir_value mask_by_codes(weir_lowering *l, weir_node node, weir_value codes, weir_value masking,
                                const weir_quant *y) {
    const weir_type from = *weir_value_type(l->to, codes), *by = weir_value_type(l->to, masking);
    const double scale = weir_quant_scale(&from.quant, 0);
    const int64_t range = from.high - from.low, away = (int64_t)count_entries(&from, y, MOST_ENTRIES) - 1;
    if (weir_quant_scale(&by->quant, 0) / scale < (double)(range + away)) {
        weir_lower_fail(l, node, "its mask has a scale of %g, which leaves a share to scores of a range of %g",
                        weir_quant_scale(&by->quant, 0), (double)range * scale);
        return WEIR_NO_VALUE;
    }
    const weir_value addend = weir_lower_broadcast(l, node, "_mask", masking, &from.shape);
    if (addend.id == 0) return addend;
    weir_type sum = from;
    sum.dtype = WEIR_INT64;
    sum.has_range = false;
    sum.quant = weir_scaled_quant(l, scale, from.low, from.high);
    const weir_value pair[2] = {codes, addend};
    const weir_node masked = weir_lower_add_node(l, node, WEIR_OP_SUM, "_masked", pair, 2, &sum);
    weir_node_set_int(l->to, masked, "cb", range + away);
    return weir_infer_node(l->to, masked) ? weir_node_output(l->to, masked, 0) : WEIR_NO_VALUE;
}

bool weir_lower_softmax(weir_lowering *l, weir_node node, const weir_quant *quantizer) {
    int64_t half, low, high;
    bool up;
    if (!check_needed(l, node, true)) return false;
    if (quantizer == NULL) {
        weir_lower_fail(l, node, "hardware computes it as codes: a quantizer must be the only reader of its result");
        weir_note("put one behind it%s", weir_remedy_completes(l->from) ? WEIR_REMEDY_COMPLETE : "");
        return false;
    }
    weir_value codes = weir_lower_one_scale(l, node, weir_lower_operand(l, node, weir_lower_input(l, node, 0), false));
    if (codes.id == 0 || !read_rounding(l, node, quantizer, &half, &up)) return false;
    weir_quant_limits(quantizer, &low, &high);
    const int64_t zero = weir_quant_zero(quantizer, 0);
    const double steps = 1 / weir_quant_scale(quantizer, 0);
    if (steps > MOST_STEPS)
        return weir_lower_fail(l, node,
                               "the quantizer behind it has %g steps for a share of 1, at most %d are possible", steps,
                               MOST_STEPS);
    if (quantizer->format == WEIR_FORMAT_BINARY || zero < low || zero > high)
        return weir_lower_fail(l, node, "the quantizer behind it has no code for 0");
    const weir_shape shape = weir_value_type(l->to, codes)->shape;
    const int64_t given = weir_node_int(l->from, node, "axis", -1);
    const int axis = (int)(given < 0 ? given + shape.rank : given);
    const bool innermost = axis == shape.rank - 1;
    const weir_mask *mask = l->of[weir_node_input(l->from, node, 0).id].mask;
    const weir_value masking = l->of[weir_node_input(l->from, node, 0).id].masking;
    if (mask != NULL) codes = mask_codes(l, node, codes, mask, axis, quantizer);
    if (masking.id != 0) codes = mask_by_codes(l, node, codes, masking, quantizer);
    if (codes.id != 0 && !innermost) codes = weir_lower_rows(l, node, codes, axis);
    if (codes.id == 0) return false;
    const weir_type *type = weir_value_type(l->to, codes);
    weir_value inputs[3] = {codes};
    if (!add_tables(l, node, type, quantizer, half, up, inputs)) return false;
    weir_quant quant = *quantizer;
    if (l->contract == WEIR_CONTRACT_REAL) weir_lower_recognize_fixed(&quant); /* as Quant does */
    const weir_type made_type = weir_lower_codes_type(&quant, &type->shape, zero, high);
    const weir_node made =
        weir_lower_add_node(l, node, WEIR_OP_SOFTMAX_INTEGER, innermost ? "" : "_softmax", inputs, 3, &made_type);
    weir_node_set_int(l->to, made, "bits", WEIR_SOFTMAX_BITS);
    weir_node_set_int(l->to, made, "half", half);
    weir_node_set_int(l->to, made, "zero", zero);
    if (!weir_infer_node(l->to, made)) return false;
    const weir_value result = weir_node_output(l->to, made, 0);
    const weir_leaf leaf = {.codes = innermost ? result : weir_lower_from_rows(l, node, result, &shape, axis),
                            .ahead = true};
    return weir_lower_set_leaf(l, node, &leaf);
}
