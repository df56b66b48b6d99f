/* Softmax of rows that are made innermost: QLinearSoftmax as weir.Softmax, in float32; Softmax between quantizers as
 * weir.IntegerSoftmax, the exact real one rounded once. It is hardware where a node that only hardware computes needs
 * its result; at the end of a network it stays the host's. */
#include <float.h>
#include <stdlib.h>

#include "exec/softmax.h"
#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "passes/lower/lower.h"
#include "support/memory/arena.h"

/* Only hardware computes it, not the host behind hardware. */
static bool is_hardware(weir_op op) {
    return !weir_trait_of(op)->is_for_host || weir_trait_of(op)->task == WEIR_TASK_LAYER;
}

/* Does such a node depend on the node's result? */
static bool is_needed(const weir_graph *model, weir_node node) {
    bool *depends = weir_calloc(weir_graph_value_limit(model), sizeof *depends), needed = false;
    depends[weir_node_output(model, node, 0).id] = true;
    for (weir_node user = weir_node_next(model, node); user.id != 0 && !needed; user = weir_node_next(model, user)) {
        bool any = false;
        for (size_t i = 0; i < weir_node_input_count(model, user); i++)
            any |= depends[weir_node_input(model, user, i).id];
        for (size_t i = 0; any && i < weir_node_output_count(model, user); i++)
            depends[weir_node_output(model, user, i).id] = true;
        needed = any && is_hardware(weir_node_op(model, user));
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

static bool check_needed(weir_lowering *l, weir_node node) {
    return is_needed(l->from, node) ||
           weir_lower_fail(l, node, "no node that only hardware computes needs it: the host computes it");
}

bool weir_lower_qlinear_softmax(weir_lowering *l, weir_node node) {
    const weir_type *from = weir_value_type(l->from, weir_node_output(l->from, node, 0));
    weir_quant x, y;
    if (!check_needed(l, node)) return false;
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

/* Both tables for codes of that type; false after a reported error. */
static bool add_tables(weir_lowering *l, weir_node node, const weir_type *codes, const weir_quant *y, int64_t half,
                       bool up, weir_value *inputs) {
    const double scale = weir_quant_scale(&codes->quant, 0), step = weir_quant_scale(y, 0);
    const int64_t distances = codes->high - codes->low + 1;
    if (1 / step > MOST_STEPS)
        return weir_lower_fail(l, node, "the quantizer behind it has %g steps for a share of 1, at most %d are possible",
                               1 / step, MOST_STEPS);
    const size_t count = weir_softmax_entries(scale, step, distances < MOST_ENTRIES ? (size_t)distances : MOST_ENTRIES);
    const weir_shape shape = {1, {(int64_t)count}};
    weir_array *term = weir_array_in(weir_graph_arena(l->to), WEIR_INT64, &shape),
               *numerator = weir_array_in(weir_graph_arena(l->to), WEIR_INT64, &shape);
    weir_softmax_tables(scale, step, (int64_t *)term->data, (int64_t *)numerator->data, count);
    if ((int64_t)count < distances && weir_array_get_int(term, count - 1) != 0) {
        weir_lower_fail(l, node, "its input has %lld codes of %g each: a table of exponentials would have over %d entries",
                        (long long)distances, scale, MOST_ENTRIES);
        weir_note("put a quantizer of up to 16 bits before it");
        return false;
    }
    set_rounding(numerator, half, up);
    inputs[1] = add_table(l, node, "terms", term);
    inputs[2] = add_table(l, node, "numerators", numerator);
    return true;
}

bool weir_lower_softmax(weir_lowering *l, weir_node node, const weir_quant *quantizer) {
    int64_t half, low, high;
    bool up;
    if (!check_needed(l, node)) return false;
    if (quantizer == NULL)
        return weir_lower_fail(l, node, "hardware computes it as codes: a quantizer must be the only reader of its result");
    weir_value codes = weir_lower_one_scale(l, node, weir_lower_operand(l, node, weir_lower_input(l, node, 0), false));
    if (codes.id == 0 || !read_rounding(l, node, quantizer, &half, &up)) return false;
    weir_quant_limits(quantizer, &low, &high);
    const int64_t zero = weir_quant_zero(quantizer, 0);
    if (quantizer->format == WEIR_FORMAT_BINARY || zero < low || zero > high)
        return weir_lower_fail(l, node, "the quantizer behind it has no code for 0");
    const weir_shape shape = weir_value_type(l->to, codes)->shape;
    const int64_t given = weir_node_int(l->from, node, "axis", -1);
    const int axis = (int)(given < 0 ? given + shape.rank : given);
    const bool innermost = axis == shape.rank - 1;
    if (!innermost) codes = weir_lower_rows(l, node, codes, axis);
    if (codes.id == 0) return false;
    const weir_type *type = weir_value_type(l->to, codes);
    weir_value inputs[3] = {codes};
    if (!add_tables(l, node, type, quantizer, half, up, inputs)) return false;
    const weir_type made_type = weir_lower_codes_type(quantizer, &type->shape, zero, high);
    const weir_node made =
        weir_lower_add_node(l, node, WEIR_OP_SOFTMAX_INTEGER, innermost ? "" : "_softmax", inputs, 3, &made_type);
    weir_node_set_int(l->to, made, "half", half);
    weir_node_set_int(l->to, made, "zero", zero);
    if (!weir_infer_node(l->to, made)) return false;
    const weir_value result = weir_node_output(l->to, made, 0);
    const weir_leaf leaf = {.codes = innermost ? result : weir_lower_from_rows(l, node, result, &shape, axis),
                            .ahead = true};
    return weir_lower_set_leaf(l, node, &leaf);
}
