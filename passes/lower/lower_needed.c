/* Which numbers of a value its readers tell apart: what lies beyond is as good as the nearer end, so that fixed point
 * numbers (lower_carry.c) need not reach further, and are as fine as what is left allows. Quantizers say so, bounds,
 * and what keeps the order of numbers before these. */
#include <math.h>

#include "ir/trait/trait.h"
#include "passes/lower/lower.h"
#include "support/memory/arena.h"

enum { MOST_READERS = 1 << 10 };

const weir_interval weir_lower_any = {-HUGE_VAL, HUGE_VAL};

static weir_interval hull(weir_interval a, weir_interval b) {
    return (weir_interval){fmin(a.low, b.low), fmax(a.high, b.high)};
}

/* --- before an operator with constants --- */

/* With one number; an end that float64 cannot tell is none. */
static weir_interval before(weir_op kind, double n, weir_interval of) {
    weir_interval x = of;
    if (kind == WEIR_OP_RELU || kind == WEIR_OP_MAX) x = (weir_interval){fmax(of.low, n), fmax(of.high, n)};
    if (kind == WEIR_OP_MIN) x = (weir_interval){fmin(of.low, n), fmin(of.high, n)};
    if (kind == WEIR_OP_ADD) x = (weir_interval){of.low - n, of.high - n};
    if (kind == WEIR_OP_SUB) x = (weir_interval){of.low + n, of.high + n};
    if (kind == WEIR_OP_MUL) x = (weir_interval){of.low / n, of.high / n};
    if (kind == WEIR_OP_DIV) x = (weir_interval){of.low * n, of.high * n};
    if (kind == WEIR_OP_NEG) x = (weir_interval){-of.high, -of.low};
    if ((kind == WEIR_OP_MUL || kind == WEIR_OP_DIV) && n < 0) x = (weir_interval){x.high, x.low};
    return isnan(x.low) || isnan(x.high) || x.low > x.high ? weir_lower_any : x;
}

weir_interval weir_lower_needed_before(weir_op kind, const weir_array *constant, weir_interval of) {
    weir_interval all = before(kind, constant == NULL ? 0 : weir_array_get(constant, 0), of);
    for (size_t c = 1; constant != NULL && c < constant->count; c++)
        all = hull(all, before(kind, weir_array_get(constant, c), of));
    return all;
}

weir_interval weir_lower_needed_below(const weir_expression *x, weir_interval of) {
    const weir_expression_kind kind = weir_expression_kind_of(x);
    if (kind == WEIR_EXPRESSION_RELU) return weir_lower_needed_before(WEIR_OP_RELU, NULL, of);
    if (kind == WEIR_EXPRESSION_STEP)
        return weir_lower_needed_before(weir_expression_step_of(x)->op, weir_expression_step_of(x)->constant, of);
    uint32_t count = 0;
    const double *number = kind == WEIR_EXPRESSION_OFFSET ? weir_expression_numbers(x, &count) : NULL;
    weir_interval all = count == 0 ? of : before(WEIR_OP_ADD, number[0], of);
    for (uint32_t c = 1; c < count; c++) all = hull(all, before(WEIR_OP_ADD, number[c], of));
    return all;
}

weir_interval weir_lower_needed_at_source(const weir_expression *x, weir_interval of) {
    for (weir_expression_kind kind = weir_expression_kind_of(x); kind != weir_expression_source(x);
         kind = weir_expression_kind_of(x)) {
        of = weir_lower_needed_below(x, of);
        x = weir_expression_operand(x);
    }
    return of;
}

weir_interval weir_lower_needed_by(const weir_quant *quant) {
    weir_interval all = {HUGE_VAL, -HUGE_VAL};
    int64_t least, most;
    weir_quant_limits(quant, &least, &most);
    for (uint32_t c = 0; c < quant->count; c++) { /* a code more at either end, however it rounds */
        const double scale = weir_quant_scale(quant, c), zero = (double)weir_quant_zero(quant, c);
        all = hull(all, (weir_interval){((double)least - 1 - zero) * scale, ((double)most + 1 - zero) * scale});
    }
    return quant->count == 0 ? weir_lower_any : all;
}

weir_interval weir_lower_needed_term(bool minus, size_t index, weir_interval other, weir_interval of) {
    if (!minus) return (weir_interval){of.low - other.high, of.high - other.low};
    if (index == 0) return (weir_interval){of.low + other.low, of.high + other.high};
    return (weir_interval){other.low - of.high, other.high - of.low};
}

/* --- by readers --- */

static weir_interval numbers_of(const weir_type *type) {
    weir_interval all = {HUGE_VAL, -HUGE_VAL};
    if (!type->has_range) return weir_lower_any;
    for (uint32_t c = 0; c < (type->quant.count > 1 ? type->quant.count : 1); c++) {
        const double scale = weir_quant_scale(&type->quant, c), zero = (double)weir_quant_zero(&type->quant, c);
        all = hull(all, (weir_interval){((double)type->low - zero) * scale, ((double)type->high - zero) * scale});
    }
    return all;
}

/* The numbers that a value can have, as far as it is known as codes or constants. */
static weir_interval range_of(weir_lowering *l, weir_value value) {
    const weir_lowering_value *known = &l->of[value.id];
    const weir_expression *x = known->expression;
    if (known->carried.id != 0 && weir_value_exists(l->to, known->carried)) /* nobody read it: it is gone at the end */
        return numbers_of(weir_value_type(l->to, known->carried));
    const weir_array *constant = weir_expression_has_data(x) ? weir_lower_constant(l, value) : NULL;
    if (constant != NULL && constant->count > 0) {
        weir_interval all = {HUGE_VAL, -HUGE_VAL};
        for (size_t i = 0; i < constant->count; i++)
            all = hull(all, (weir_interval){weir_array_get(constant, i), weir_array_get(constant, i)});
        return all;
    }
    const bool is_leaf = weir_expression_kind_of(x) == WEIR_EXPRESSION_CODES;
    return is_leaf && weir_value_exists(l->to, weir_expression_codes_of(x))
               ? numbers_of(weir_value_type(l->to, weir_expression_codes_of(x)))
               : weir_lower_any;
}

static weir_interval by_all(weir_lowering *l, weir_value value, int *budget);

static weir_interval by_clip(weir_lowering *l, weir_node node, weir_interval of) {
    const weir_array *most = weir_lower_clip_bound(l, node, 2), *least = weir_lower_clip_bound(l, node, 1);
    if (most != NULL) of = weir_lower_needed_before(WEIR_OP_MIN, most, of);
    return least == NULL ? of : weir_lower_needed_before(WEIR_OP_MAX, least, of);
}

/* What all of the value's exact numbers are whole multiples of, however it is carried; 0: not known. */
static double step_of(weir_lowering *l, weir_value value, int depth) {
    enum { MOST_NODES = 8 }; /* between codes and the value */
    const weir_expression *x = l->of[value.id].expression;
    const weir_leaf *leaf = weir_expression_kind_of(x) == WEIR_EXPRESSION_CODES ? weir_expression_leaf(x) : NULL;
    if (leaf != NULL && leaf->rounding == 0 && weir_value_exists(l->to, leaf->codes)) {
        const weir_quant *quant = &weir_value_type(l->to, leaf->codes)->quant;
        return quant->count > 1 ? 0 : weir_quant_scale(quant, 0);
    }
    const weir_node maker = weir_value_producer(l->from, value);
    if (maker.id == 0 || depth == MOST_NODES) return 0;
    const weir_trait *trait = weir_trait_of(weir_node_op(l->from, maker));
    const weir_op kind = trait->kind;
    const weir_value input = weir_node_input(l->from, maker, 0);
    if (trait->task == WEIR_TASK_MEAN && trait->order == WEIR_ORDER_REDUCE) { /* a sum is a multiple of more */
        size_t before = 0, after = 0;
        weir_shape_count(&weir_value_type(l->from, input)->shape, &before);
        weir_shape_count(&weir_value_type(l->from, value)->shape, &after);
        return step_of(l, input, depth + 1) * (double)after / (double)before;
    }
    if (weir_lower_moves(l, maker) && weir_node_input_count(l->from, maker) == 1) return step_of(l, input, depth + 1);
    if (kind != WEIR_OP_ADD && kind != WEIR_OP_SUB) return 0;
    const double a = step_of(l, input, depth + 1), b = step_of(l, weir_node_input(l->from, maker, 1), depth + 1),
                 ratio = fmin(a, b) == 0 ? 0 : fmax(a, b) / fmin(a, b);
    return fabs(ratio - nearbyint(ratio)) <= 0x1p-20 * ratio ? fmin(a, b) : 0;
}

/* Of one factor, where the other one is 0 or at least a step: from there on each product is beyond what is needed. */
static weir_interval by_factor(weir_lowering *l, weir_value other, weir_interval of) {
    const double step = step_of(l, other, 0), most = fmax(fabs(of.low), fabs(of.high)) / step;
    return step > 0 && isfinite(most) ? (weir_interval){-most, most} : weir_lower_any;
}

/* Of a node with other operands, of which the last counts that is constant. */
static weir_interval by_operator(weir_lowering *l, weir_use use, weir_op kind, weir_interval of) {
    const weir_array *constant = NULL;
    for (size_t i = 0; i < weir_node_input_count(l->from, use.node); i++) {
        const weir_array *next = i == use.index ? NULL : weir_lower_constant(l, weir_node_input(l->from, use.node, i));
        constant = next != NULL ? next : constant;
    }
    if (kind == WEIR_OP_MUL && constant == NULL && weir_node_input_count(l->from, use.node) == 2)
        return by_factor(l, weir_node_input(l->from, use.node, 1 - use.index), of);
    if (kind == WEIR_OP_MAX || kind == WEIR_OP_MIN)
        return constant == NULL ? of : weir_lower_needed_before(kind, constant, of);
    if (kind == WEIR_OP_MUL || (kind == WEIR_OP_DIV && use.index == 0))
        return constant == NULL ? weir_lower_any : weir_lower_needed_before(kind, constant, of);
    return weir_lower_any;
}

static weir_interval by_reader(weir_lowering *l, weir_use use, int *budget) {
    const weir_op op = weir_node_op(l->from, use.node), kind = weir_trait_of(op)->kind;
    weir_quant quant;
    if (use.index == 0 && weir_lower_read_quantizer(l, use.node, &quant) && quant.count > 0)
        return weir_lower_needed_by(&quant);
    const bool moves = weir_lower_moves(l, use.node) && (use.index == 0 || kind == WEIR_OP_CONCAT),
               sums = kind == WEIR_OP_ADD || kind == WEIR_OP_SUB;
    if (!moves && weir_trait_of(op)->element != WEIR_ELEMENT_STEP && kind != WEIR_OP_RELU && kind != WEIR_OP_CLIP)
        return weir_lower_any;
    weir_interval of = {HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < weir_node_output_count(l->from, use.node); i++)
        of = hull(of, by_all(l, weir_node_output(l->from, use.node, i), budget));
    if (moves) return of;
    if (sums)
        return weir_lower_needed_term(kind == WEIR_OP_SUB, use.index,
                                      range_of(l, weir_node_input(l->from, use.node, 1 - use.index)), of);
    if (kind == WEIR_OP_CLIP) return by_clip(l, use.node, of);
    if (kind == WEIR_OP_RELU || kind == WEIR_OP_NEG) return weir_lower_needed_before(kind, NULL, of);
    return by_operator(l, use, kind, of);
}

static weir_interval by_all(weir_lowering *l, weir_value value, int *budget) {
    weir_interval all = {HUGE_VAL, -HUGE_VAL};
    const size_t uses = weir_value_use_count(l->from, value);
    if (uses == 0 || weir_value_is_output(l->from, value) ||
        !weir_dtype_is_float(weir_value_type(l->from, value)->dtype))
        return weir_lower_any;
    for (size_t i = 0; i < uses; i++) {
        if ((*budget)-- <= 0) return weir_lower_any;
        all = hull(all, by_reader(l, weir_value_use(l->from, value, i), budget));
    }
    return isnan(all.low) || isnan(all.high) || all.low > all.high ? weir_lower_any : all;
}

weir_interval weir_lower_needed(weir_lowering *l, weir_value value) {
    int budget = MOST_READERS;
    weir_diag_log *log = weir_diag_capture(); /* who reads it says so itself */
    const weir_interval all = by_all(l, value, &budget);
    weir_diag_release(log);
    weir_diag_log_free(log);
    return all;
}
