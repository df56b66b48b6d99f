/* What a quantizer absorbs of the expression before it, decided in one place (absorption_of):
 *   real numbers before the hardware                  Encode, at its edge
 *   one leaf whose codes are those of the quantizer   nothing, but for a Relu: the codes, no smaller than that of zero
 *   one leaf and one map of its elements              Requantize, affine; with the steps of the model, or through
 *                                                     float32, where the model computes so. An offset is an addition of
 *                                                     the model then, the first of its steps
 *   two leaves                                        Sum and Threshold where a table has all pairs of codes; else the
 *                                                     exact sum, which is one leaf
 *   any other function of codes                       Lookup or Threshold (lower_function.c)
 * Anything else is refused. The map of a leaf comes behind the quantizer, whose codes have one scale. */
#include <math.h>
#include <stdlib.h>

#include "ir/shape/infer.h"
#include "passes/lower/lower.h"
#include "passes/quantize/realizer.h"
#include "quant/staircase.h"
#include "support/memory/arena.h"
#include "support/text/text.h"
#include "support/text/unreachable.h"

/* The numbers of the offset in x, in an array of the new graph. */
static weir_array *offset_of(weir_lowering *l, const weir_expression *x, weir_dtype dtype) {
    uint32_t count;
    const double *number = weir_expression_numbers(x, &count);
    weir_array *numbers = weir_array_in(weir_graph_arena(l->to), dtype, &(weir_shape){1, {count}});
    for (size_t c = 0; c < numbers->count; c++) weir_array_set(numbers, c, number[c]);
    return numbers;
}

/* An addition of the model's own, which float32 rounds, before the other operations. */
static const weir_expression *offset_as_step(weir_lowering *l, const weir_expression *x) {
    const weir_expression *operand = weir_expression_operand(x);
    if (weir_expression_kind_of(x) == WEIR_EXPRESSION_RELU)
        return weir_lower_step(l, offset_as_step(l, operand), WEIR_OP_RELU, NULL);
    if (weir_expression_kind_of(x) == WEIR_EXPRESSION_STEP) {
        const weir_step *step = weir_expression_step_of(x);
        return weir_lower_step(l, offset_as_step(l, operand), step->op, step->constant);
    }
    return weir_lower_step(l, operand, WEIR_OP_ADD, offset_of(l, x, WEIR_FLOAT32));
}

/* --- the requantizer --- */

/* The steps' names, the innermost first, and their constants behind the `count` inputs, of which as many are
 * returned. */
static size_t add_steps(weir_lowering *l, weir_node node, const weir_expression *x, weir_value *inputs, size_t count,
                        weir_text *steps) {
    if (weir_expression_kind_of(x) != WEIR_EXPRESSION_STEP) return count;
    const weir_expression *operand = weir_expression_operand(x);
    const weir_step *step = weir_expression_step_of(x);
    count = add_steps(l, node, operand, inputs, count, steps);
    weir_text_format(steps, "%s%s", steps->size == 0 ? "" : " ", weir_op_get(step->op)->name);
    if (step->constant == NULL) return count;
    char *name = weir_format("%s_step_%zu", weir_node_name(l->from, node), weir_expression_count_steps(operand));
    inputs[count] = weir_graph_add_constant(l->to, name, step->constant);
    free(name);
    return count + 1;
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

/* Exact numbers have no component where codes are many, but for those to which the model adds others: float32 sums have
 * none. */
static weir_contract contract_of(const weir_lowering *l, const weir_expression *x, const weir_type *to) {
    const weir_sums sums = weir_expression_leaf(x)->sums;
    const bool wide = to->high - to->low >= WEIR_STAIRCASE_CODES;
    const bool steps = weir_expression_kind_of(x) == WEIR_EXPRESSION_STEP;
    if (l->contract != WEIR_CONTRACT_REAL && weir_expression_kind_of(x) == WEIR_EXPRESSION_OFFSET)
        return WEIR_CONTRACT_EXACT;
    if (l->contract == WEIR_CONTRACT_REAL || steps || sums == WEIR_SUMS_PRODUCT || wide) return l->contract;
    return sums == WEIR_SUMS_WINDOWS ? WEIR_CONTRACT_REAL : WEIR_CONTRACT_EXACT;
}

/* Are there steps of the model, whose results may not reach the ends of the quantizer? */
static bool is_of_model(const weir_expression *x) {
    return weir_expression_kind_of(x) == WEIR_EXPRESSION_STEP && weir_expression_step_of(x)->op != WEIR_OP_IDENTITY;
}

/* The codes of x, whose RELU the type's range has. */
static bool requantize(weir_lowering *l, weir_node node, const weir_expression *x, const weir_type *type) {
    const weir_leaf *leaf = weir_expression_leaf(x);
    weir_value inputs[2 + WEIR_STEPS] = {leaf->codes, WEIR_NO_VALUE};
    weir_text steps = {NULL, 0, 0};
    size_t count = add_steps(l, node, x, inputs, 2, &steps);
    if (weir_expression_kind_of(x) == WEIR_EXPRESSION_OFFSET)
        inputs[1] = weir_graph_add_constant(l->to, "offset", offset_of(l, x, WEIR_FLOAT64));
    else if (count == 2) count = 1;
    const weir_node producer = weir_value_producer(l->to, leaf->codes);
    const weir_node added = weir_lower_add_node(l, node, WEIR_OP_REQUANTIZE, "", inputs, count, type);
    if (producer.id != 0) weir_node_rename(l->to, added, weir_node_name(l->to, producer), "_requantize");
    if (steps.size > 0) weir_node_set_string(l->to, added, "steps", steps.data);
    weir_text_free(&steps);
    if (leaf->count > 1) weir_node_set_int(l->to, added, "count", leaf->count);
    weir_node_set_int(l->to, added, "low", type->low);
    weir_node_set_int(l->to, added, "high", type->high);
    weir_node_set_string(l->to, added, "arithmetic", weir_contract_name(contract_of(l, x, type)));
    if (!weir_infer_node(l->to, added) || (is_of_model(x) && !tighten(l, added))) return false;
    return weir_lower_set_codes(l, node, weir_lower_mapped(l, node, weir_node_output(l->to, added, 0), leaf->map));
}

/* --- what is absorbed --- */

typedef enum absorption {
    ABSORB_NUMBERS,  /* Encode */
    ABSORB_NOTHING,  /* they are its codes already */
    ABSORB_AFFINE,   /* Requantize, also of steps */
    ABSORB_THROUGH,  /* Requantize of codes as float32 numbers */
    ABSORB_PAIRS,    /* Sum and Threshold */
    ABSORB_SUM,      /* the exact sum first */
    ABSORB_FUNCTION, /* a table */
    REFUSE_HOST,
    REFUSE
} absorption;

static bool same_codes(const weir_type *type, const weir_quant *quant) {
    weir_quant other = type->quant;
    other.rounding = quant->rounding;
    return weir_quant_equal(&other, quant);
}

static bool has_powers(const weir_quant *quant) {
    bool all = true;
    int exponent;
    for (uint32_t c = 0; c < quant->count; c++) all &= frexp(weir_quant_scale(quant, c), &exponent) == 0.5;
    return all;
}

/* Codes that are quantized again go through float32 in the model, a product and a quotient, under any contract; sums do
 * not, whose order nobody knows. Nothing is rounded where all scales are powers of two. */
static bool goes_through_float(const weir_lowering *l, const weir_leaf *x, const weir_quant *to) {
    const weir_type *from = weir_value_type(l->to, x->codes);
    return x->count <= 1 && !(has_powers(&from->quant) && has_powers(to)) && weir_lower_is_one_code(l->to, x->codes);
}

/* What a quantizer absorbs of x. */
static absorption absorption_of(const weir_lowering *l, const weir_expression *x, const weir_quant *quant) {
    switch (weir_expression_source(x)) {
    case WEIR_EXPRESSION_REAL: return ABSORB_NUMBERS;
    case WEIR_EXPRESSION_FUNCTION: return ABSORB_FUNCTION;
    case WEIR_EXPRESSION_SUM: return weir_lower_sum_has_table(l, x, quant) ? ABSORB_PAIRS : ABSORB_SUM;
    case WEIR_EXPRESSION_HOST: return REFUSE_HOST;
    case WEIR_EXPRESSION_NONE:
    case WEIR_EXPRESSION_CONSTANT:
    case WEIR_EXPRESSION_WEIGHTS: return REFUSE;
    case WEIR_EXPRESSION_OFFSET:
    case WEIR_EXPRESSION_RELU:
    case WEIR_EXPRESSION_STEP: weir_unreachable("an operator below all operators");
    case WEIR_EXPRESSION_CODES: break;
    }
    const weir_leaf *leaf = weir_expression_leaf(x);
    uint32_t offsets;
    if (weir_expression_kind_of(x) == WEIR_EXPRESSION_STEP || weir_expression_numbers(x, &offsets) != NULL)
        return ABSORB_AFFINE;
    if (same_codes(weir_value_type(l->to, leaf->codes), quant)) return ABSORB_NOTHING;
    return goes_through_float(l, leaf, quant) ? ABSORB_THROUGH : ABSORB_AFFINE;
}

static bool encode(weir_lowering *l, weir_node node, weir_value numbers, const weir_quant *quant, int64_t low,
                   int64_t high) {
    const weir_type type = weir_lower_codes_type(quant, &weir_value_type(l->to, numbers)->shape, low, high);
    const weir_node added = weir_lower_add_node(l, node, WEIR_OP_ENCODE, "", &numbers, 1, &type);
    weir_node_set_string(l->to, added, "arithmetic", weir_contract_name(weir_lower_contract_of(l, node)));
    return weir_infer_node(l->to, added) && weir_lower_set_codes(l, node, weir_node_output(l->to, added, 0));
}

/* In a table, or, where it has none and values are carried, as numbers; why it has no table is what is told. */
static bool absorb_function(weir_lowering *l, weir_node node, weir_value value, const weir_quant *quant) {
    if (!l->carries) return weir_lower_tabulate(l, node, value, quant);
    weir_diag_log *table = weir_diag_capture();
    const bool fine = weir_lower_tabulate(l, node, value, quant);
    weir_diag_release(table);
    weir_diag_log *numbers = weir_diag_capture();
    const weir_value codes = fine ? WEIR_NO_VALUE : weir_lower_carry(l, node, value);
    weir_diag_release(numbers);
    weir_diag_replay(codes.id == 0 ? table : numbers);
    weir_diag_log_free(table);
    weir_diag_log_free(numbers);
    return fine || (codes.id != 0 &&
                    weir_lower_quantize(l, node, weir_expression_codes(weir_graph_arena(l->to), codes), quant));
}

/* A step that bounds numbers: where, else NAN. */
static double bound_of(const weir_step *step) {
    if (step->op == WEIR_OP_RELU) return 0;
    const bool bounds = (step->op == WEIR_OP_MAX || step->op == WEIR_OP_MIN) && step->constant->count == 1;
    return bounds ? weir_array_get(step->constant, 0) : NAN;
}

/* Is x of codes that the model rounds to float32, with few enough numbers for a table of each channel? */
static bool has_tables(const weir_lowering *l, const weir_expression *x) {
    enum { MOST_TABLES = 16 }; /* of 16 bits: realizer_wide.c */
    uint32_t count = 0;
    weir_expression_numbers(x, &count);
    return count <= MOST_TABLES && weir_lower_is_one_code(l->to, weir_expression_codes_of(x));
}

/* Float32 steps before more codes than tables have, and their sums with an offset, have no component. But a quantizer
 * keeps the order of numbers, so that bounds of x are bounds of its codes; the offset then is part of the requantizer,
 * exact, as sums of products are. What is left of x, a leaf or an OFFSET; NULL: codes are few, or tables have them, or
 * there are other steps. */
static const weir_expression *unbounded(const weir_lowering *l, const weir_expression *x, const weir_quant *quant,
                                        int64_t *low, int64_t *high) {
    weir_lower_bounds(quant, false, l->contract, low, high);
    if (*high - *low < WEIR_STAIRCASE_CODES || quant->count > 1 || weir_expression_source(x) != WEIR_EXPRESSION_CODES ||
        has_tables(l, x))
        return NULL;
    for (weir_expression_kind kind = weir_expression_kind_of(x);
         kind == WEIR_EXPRESSION_STEP || kind == WEIR_EXPRESSION_RELU; kind = weir_expression_kind_of(x)) {
        const weir_step relu = {WEIR_OP_RELU, NULL},
                        *step = kind == WEIR_EXPRESSION_RELU ? &relu : weir_expression_step_of(x);
        const double bound = bound_of(step);
        if (isnan(bound)) return NULL;
        int64_t code = weir_encode(bound, quant, 0, l->contract);
        code = code < *low ? *low : code > *high ? *high : code;
        *(step->op == WEIR_OP_MIN ? high : low) = code;
        x = weir_expression_operand(x);
    }
    return x;
}

/* The values whose steps bound the codes of the quantizer. */
static void tell_bounded(weir_lowering *l, weir_node node) {
    for (weir_node next = WEIR_NO_NODE; node.id != 0; node = next, next = WEIR_NO_NODE) {
        for (size_t i = 0; i < weir_node_input_count(l->from, node); i++) {
            const weir_value value = weir_node_input(l->from, node, i);
            if (value.id == 0 || weir_expression_kind_of(l->of[value.id].expression) != WEIR_EXPRESSION_STEP) continue;
            l->of[value.id].is_bounded = true;
            next = weir_value_producer(l->from, value);
        }
    }
}

/* Quantizers of so many codes that they have no steps one by one take a change of the sign as one of the codes, in
 * front of the others; NULL after a reported error. */
static const weir_expression *turned(weir_lowering *l, weir_node node, const weir_expression *x) {
    if (weir_expression_kind_of(x) != WEIR_EXPRESSION_STEP) return x;
    const weir_expression *operand = turned(l, node, weir_expression_operand(x));
    if (operand == NULL) return NULL;
    const weir_step *step = weir_expression_step_of(x);
    if (step->op != WEIR_OP_NEG || weir_expression_kind_of(operand) != WEIR_EXPRESSION_CODES)
        return weir_lower_step(l, operand, step->op, step->constant);
    const weir_value codes = weir_lower_negated(l, node, weir_expression_codes_of(operand));
    return codes.id == 0 ? NULL : weir_expression_with_codes(weir_graph_arena(l->to), operand, codes);
}

/* What is quantized to so many codes: a Relu alone is the quantizer's lower bound. NULL after a reported error. */
static const weir_expression *for_many_codes(weir_lowering *l, weir_node node, const weir_expression *x) {
    if (weir_expression_source(x) != WEIR_EXPRESSION_CODES) return x;
    x = turned(l, node, x);
    const bool relu = x != NULL && weir_expression_kind_of(x) == WEIR_EXPRESSION_STEP &&
                      weir_expression_step_of(x)->op == WEIR_OP_RELU &&
                      weir_expression_kind_of(weir_expression_operand(x)) == WEIR_EXPRESSION_CODES;
    return relu ? weir_expression_relu(weir_graph_arena(l->to), weir_expression_operand(x)) : x;
}

/* Is no number of x below 0, as far as the ranges of its codes tell, and what is added to them? */
static bool is_positive(const weir_lowering *l, const weir_expression *x) {
    double added = 0;
    for (weir_expression_kind kind = weir_expression_kind_of(x); kind != WEIR_EXPRESSION_CODES;
         kind = weir_expression_kind_of(x)) {
        const weir_step *step = kind == WEIR_EXPRESSION_STEP ? weir_expression_step_of(x) : NULL;
        if (kind == WEIR_EXPRESSION_RELU) return added >= 0;
        if (step == NULL || step->op != WEIR_OP_ADD || step->constant->count != 1) return false;
        added += weir_array_get(step->constant, 0);
        x = weir_expression_operand(x);
    }
    const weir_type *type = weir_value_type(l->to, weir_expression_codes_of(x));
    bool positive = type->has_range && added >= 0;
    for (uint32_t c = 0; c < (type->quant.count > 1 ? type->quant.count : 1); c++)
        positive = positive && type->low >= weir_quant_zero(&type->quant, c);
    return positive;
}

bool weir_lower_quantize(weir_lowering *l, weir_node node, const weir_expression *x, const weir_quant *quant) {
    uint32_t offsets;
    int64_t least, most;
    weir_quant_limits(quant, &least, &most);
    if (most - least >= WEIR_STAIRCASE_CODES) x = for_many_codes(l, node, x);
    if (x == NULL) return false;
    int64_t low, high;
    const weir_expression *bare = unbounded(l, x, quant, &low, &high);
    if (bare == NULL && weir_expression_numbers(x, &offsets) != NULL) x = offset_as_step(l, x);
    const bool relu = bare == NULL && weir_expression_kind_of(x) == WEIR_EXPRESSION_RELU;
    if (bare == NULL) {
        weir_lower_bounds(quant, relu || is_positive(l, x), l->contract, &low, &high);
        bare = relu ? weir_expression_operand(x) : x;
    } else {
        tell_bounded(l, node);
        x = bare;
    }
    switch (absorption_of(l, x, quant)) {
    case ABSORB_NUMBERS: return encode(l, node, weir_expression_value(x), quant, low, high);
    case ABSORB_NOTHING: { /* but the relu, whose zero may be no code */
        const weir_value codes = weir_lower_codes(l, node, bare);
        return weir_lower_set_codes(l, node, codes.id == 0 || !relu ? codes : weir_lower_at_least(l, node, codes, low));
    }
    case ABSORB_THROUGH: bare = weir_lower_step(l, bare, WEIR_OP_IDENTITY, NULL); /* fallthrough */
    case ABSORB_AFFINE: {
        const weir_shape *shape = &weir_value_type(l->to, weir_expression_codes_of(bare))->shape;
        const weir_type type = weir_lower_codes_type(quant, shape, low, high);
        return requantize(l, node, bare, &type);
    }
    case ABSORB_PAIRS: return weir_lower_sum(l, node, x, quant);
    case ABSORB_SUM: {
        const weir_expression *exact =
            weir_lower_sum_single(l, node, "", x, weir_lower_needed_at_source(x, weir_lower_needed_by(quant)));
        return exact != NULL ? weir_lower_quantize(l, node, exact, quant) : weir_lower_fail_sum(l, node, x);
    }
    case ABSORB_FUNCTION: return absorb_function(l, node, weir_expression_value(x), quant);
    case REFUSE_HOST: return weir_lower_fail(l, node, "its input is computed on the host, after the hardware");
    case REFUSE: return weir_lower_fail(l, node, "its input is neither real nor quantized");
    }
    weir_unreachable("an absorption without a rule");
}
