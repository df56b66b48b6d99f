/* Values that no quantizer takes where hardware goes on with them, as files have it whose quantizers are at the inputs
 * of products only: what moves, adds, averages or compares them needs codes of one scale. What has them already is
 * taken as it is, exactly. Else
 *   sums with a scale or an addition a channel, products with constants   one product a code, rounded: code * factor +
 *                                                                         term
 *   functions of few codes                                                a table; infinite results are as good as
 *                                                                         any that is beyond what is needed
 *   functions in pieces that are straight, of any sums                    a sum of their parts: x, max(x, 0)
 *   other functions of wide sums                                          parabolas (lower_segments.c), or what its
 *                                                                         operators are made of
 * are fixed point numbers: whole numbers of a unit, a power of two, of which the largest number that is needed
 * (lower_needed.c) has 2^30, or the largest 2^23 in a table of few codes, 2^20 if another one is infinite, whose
 * entries are the model's own float32 numbers. What is
 * rounded there is what float32 rounds of numbers of that size, or less; reference and hardware do the same. How far a
 * value may lie from the exact one is kept with it (weir_leaf). */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "passes/lower/scaled.h"
#include "passes/quantize/function.h"
#include "support/memory/arena.h"
#include "support/text/unreachable.h"

enum { TABLE_BITS = 23, LEAST_TABLE_BITS = 20, SLOPE_BITS = 24, SUM_BITS = 50 };

static const weir_expression *without_sum(weir_lowering *l, weir_node node, const weir_expression *x,
                                          weir_interval needed) {
    if (weir_expression_source(x) != WEIR_EXPRESSION_SUM) return x;
    const weir_expression *exact = weir_lower_sum_exact(l, node, "_input", x);
    return exact != NULL ? exact : weir_lower_sum_aligned(l, node, "_input", x, weir_lower_needed_at_source(x, needed));
}

static double *numbers_of(weir_lowering *l, const weir_array *constant) {
    double *number = weir_arena_array(weir_graph_arena(l->to), constant->count, sizeof *number);
    for (size_t c = 0; c < constant->count; c++) number[c] = weir_array_get(constant, c);
    return number;
}

/* The last operator of x; false after a reported error. */
static bool apply_last(weir_lowering *l, weir_node node, const weir_expression *x, weir_scaled *a) {
    const weir_expression_kind kind = weir_expression_kind_of(x);
    if (kind == WEIR_EXPRESSION_RELU) return weir_scaled_clip(l, node, a, WEIR_OP_MAX, NULL);
    if (kind == WEIR_EXPRESSION_OFFSET) {
        uint32_t count;
        const double *number = weir_expression_numbers(x, &count);
        weir_scaled_apply(l, a, WEIR_OP_ADD, number, count);
        return true;
    }
    const weir_step *step = weir_expression_step_of(x);
    if (step->op == WEIR_OP_ROUND || step->op == WEIR_OP_MULTI_THRESHOLD)
        return weir_lower_fail(l, node, "its input is rounded by operations that no quantizer absorbs");
    switch (step->op) {
    case WEIR_OP_MAX:
    case WEIR_OP_MIN:
    case WEIR_OP_RELU: return weir_scaled_clip(l, node, a, step->op, step->constant);
    case WEIR_OP_MUL:
    case WEIR_OP_DIV:
    case WEIR_OP_ADD:
    case WEIR_OP_SUB:
        weir_scaled_apply(l, a, step->op, numbers_of(l, step->constant), (uint32_t)step->constant->count);
        return true;
    case WEIR_OP_NEG:
    case WEIR_OP_IDENTITY: weir_scaled_apply(l, a, step->op, NULL, 1); return true;
    default: weir_unreachable("an operator that is not a step (weir_op_step)");
    }
}

/* Of a leaf, of which that is needed; false after a reported error. */
static bool read_affine(weir_lowering *l, weir_node node, const weir_expression *x, weir_interval needed,
                        weir_scaled *a) {
    bool fine = true;
    if (weir_expression_kind_of(x) == WEIR_EXPRESSION_CODES) *a = weir_scaled_of(l, weir_expression_leaf(x));
    else
        fine = read_affine(l, node, weir_expression_operand(x), weir_lower_needed_below(x, needed), a) &&
               apply_last(l, node, x, a);
    a->needed = needed;
    return fine;
}

/* --- functions --- */

/* What a function has for codes. */
typedef struct results {
    bool are_numbers;   /* or infinite, which is above all numbers */
    bool is_infinite;   /* is one? */
    double least, most; /* of the numbers */
    bool are_codes;     /* ... and whole multiples of the step that was asked for, as float32 has them? */
    bool are_whole;     /* ... and whole numbers? */
} results;

static bool is_multiple(double number, double step) {
    return (float)(nearbyint(number / step) * step) == (float)number;
}

/* The least and the most that the function takes: codes less their zero points. */
static void read_points(const weir_function *f, const weir_type *codes, int64_t *low, int64_t *high) {
    *low = INT64_MAX;
    *high = INT64_MIN;
    for (size_t c = 0; c < weir_function_channels(f); c++) {
        const int64_t zero = weir_function_zero(f, c);
        *low = codes->low - zero < *low ? codes->low - zero : *low;
        *high = codes->high - zero > *high ? codes->high - zero : *high;
    }
}

/* `step`: 0 for none. */
static results results_of(weir_function *f, const weir_type *codes, double step) {
    const size_t rows = weir_function_rows(f);
    int64_t low, high;
    read_points(f, codes, &low, &high);
    const size_t count = (size_t)(high - low + 1);
    int64_t *point = weir_malloc(rows * count * sizeof *point);
    double *result = weir_malloc(rows * count * sizeof *result);
    results r = {.are_numbers = true, .are_codes = step > 0, .are_whole = true};
    for (size_t i = 0; i < rows * count; i++) point[i] = low + (int64_t)(i % count);
    weir_function_run(f, point, count, result);
    for (size_t i = 0; i < rows * count; i++) {
        r.are_numbers &= isfinite(result[i]) || result[i] == HUGE_VAL;
        r.is_infinite |= result[i] == HUGE_VAL;
        if (!isfinite(result[i])) continue;
        r.least = fmin(r.least, result[i]);
        r.most = fmax(r.most, result[i]);
        r.are_codes = r.are_codes && is_multiple(result[i], step);
        r.are_whole = r.are_whole && result[i] == nearbyint(result[i]);
    }
    free(point);
    free(result);
    return r;
}

/* Is the value a function of sums with few results, which are whole numbers: a truth value, a sign, a number without
 * its fraction? */
static bool has_few_results(weir_lowering *l, weir_value value, weir_value root, int64_t *least, int64_t *most) {
    enum { POINTS = 1 << 10, MOST_RESULTS = 1 << 8 };
    const weir_type *codes = weir_value_type(l->to, weir_expression_codes_of(weir_lower_expression(l, root)));
    *least = 0;
    *most = 1;
    if (weir_value_type(l->from, value)->dtype == WEIR_BOOL) return true;
    weir_function *f = weir_function_new(l, value, root);
    if (f == NULL) return false;
    const size_t count = weir_function_rows(f) * POINTS;
    int64_t low, high, *point = weir_malloc(count * sizeof *point);
    double *result = weir_malloc(count * sizeof *result);
    read_points(f, codes, &low, &high);
    for (size_t i = 0; i < count; i++)
        point[i] = low + (int64_t)((double)(high - low) * (double)(i % POINTS) / (POINTS - 1));
    bool few = weir_function_is_monotone(f) && codes->has_range;
    if (few) weir_function_run(f, point, POINTS, result);
    for (size_t i = 0; few && i < count; i++) {
        few = result[i] == nearbyint(result[i]) && fabs(result[i]) < MOST_RESULTS;
        if (few && result[i] < (double)*least) *least = (int64_t)result[i];
        if (few && result[i] > (double)*most) *most = (int64_t)result[i];
    }
    free(point);
    free(result);
    weir_function_free(f);
    return few;
}

static weir_value tabulate_few(weir_lowering *l, weir_node node, weir_value value, int64_t low, int64_t high) {
    const weir_quant quant = weir_scaled_quant(l, 1, low, high);
    if (!weir_lower_tabulate(l, node, value, &quant)) return WEIR_NO_VALUE;
    return weir_expression_codes_of(weir_lower_expression(l, weir_node_output(l->from, node, 0)));
}

/* As whole numbers (signs, comparisons as numbers, ...) or in codes of the scale of what it reads (magnitudes, what is
 * cut off, ...), where all results are such, else in fixed point. */
static weir_value tabulate(weir_lowering *l, weir_node node, weir_value value, weir_value root) {
    weir_function *f = weir_function_new(l, value, root);
    if (f == NULL) return WEIR_NO_VALUE;
    const weir_type *codes = weir_value_type(l->to, weir_expression_codes_of(weir_lower_expression(l, root)));
    const double scale = codes->quant.count <= 1 ? weir_quant_scale(&codes->quant, 0) : 0;
    const results r = results_of(f, codes, scale);
    const double largest = fmax(r.most, -r.least);
    const double needed = r.is_infinite ? weir_lower_needed(l, value).high : 0;
    weir_function_free(f);
    if (!r.are_numbers || !isfinite(needed)) {
        weir_lower_fail(l, node, "its input is a function with results that are not numbers");
        return WEIR_NO_VALUE;
    }
    const bool whole = r.are_whole && largest < 1 << TABLE_BITS,
               exact = r.are_codes && largest / scale < 1 << TABLE_BITS;
    const bool few = weir_lower_is_narrow(l, root);
    double unit = whole ? 1 : exact ? scale : weir_scaled_unit(largest, few ? TABLE_BITS : WEIR_LOWER_NUMBER_BITS - 1);
    while (!whole && !exact && needed / unit >= ldexp(1, WEIR_LOWER_NUMBER_BITS - 1) &&
           unit < weir_scaled_unit(largest, LEAST_TABLE_BITS))
        unit *= 2;
    const double low = floor(r.least / unit), most = ceil(r.most / unit),
                 high = r.is_infinite ? weir_scaled_infinite(most, needed / unit) : most;
    if (r.is_infinite && (!few || high >= ldexp(1, WEIR_LOWER_NUMBER_BITS))) { /* too few digits are left for them */
        weir_lower_fail(l, node, "its input is a function with infinite results next to far smaller ones");
        return WEIR_NO_VALUE;
    }
    const weir_quant quant = weir_scaled_quant(l, unit, (int64_t)low, (int64_t)high);
    if (!exact && !whole) weir_scaled_note_unit(l, unit);
    if (!weir_lower_tabulate(l, node, value, &quant)) return WEIR_NO_VALUE;
    const weir_value made = weir_expression_codes_of(weir_lower_expression(l, weir_node_output(l->from, node, 0)));
    if (r.is_infinite) weir_scaled_note_infinite(l, made, (int64_t)high);
    return made;
}

static const double *above_least(weir_lowering *l, const double *slope, uint32_t count, double least) {
    double *above = weir_arena_array(weir_graph_arena(l->to), count, sizeof *above);
    for (uint32_t c = 0; c < count; c++) above[c] = slope[c] - least;
    return above;
}

/* 2^n * above + (slope * 2^n) * below: all digits of the slope that sums have room for. */
static weir_value bend_all(weir_lowering *l, weir_node node, weir_value above, weir_value below, double slope) {
    const weir_value pair[2] = {above, below};
    const weir_type *a = weir_value_type(l->to, above), *b = weir_value_type(l->to, below);
    const int room = SUM_BITS - weir_bits_for(b->low, b->high);
    int n = room < SLOPE_BITS ? room : SLOPE_BITS;
    while (n > 0 && fmod(ldexp(slope, n), 2) == 0) n--;
    int64_t *zero = weir_arena_array(weir_graph_arena(l->to), 1, sizeof *zero);
    if (n < 0 || fabs(slope) > 1 << 6) {
        weir_lower_fail(l, node, "its input has sums of too many bits");
        return WEIR_NO_VALUE;
    }
    weir_type type = {.dtype = WEIR_INT64,
                      .shape = a->shape,
                      .quant = weir_scaled_quant(l, ldexp(weir_quant_scale(&a->quant, 0), -n), -1, 0)};
    *zero = weir_quant_zero(&a->quant, 0) * ((int64_t)1 << n);
    type.quant.zero_point = zero;
    const weir_node made = weir_lower_add_node(l, node, WEIR_OP_SUM, "_bent", pair, 2, &type);
    weir_node_set_int(l->to, made, "ca", (int64_t)1 << n);
    weir_node_set_int(l->to, made, "cb", (int64_t)nearbyint(ldexp(slope, n)));
    if (nearbyint(ldexp(slope, n)) != ldexp(slope, n))
        weir_scaled_note_unit(
            l, ldexp(fmax(fabs((double)b->low), fabs((double)b->high)) * weir_quant_scale(&a->quant, 0), -n));
    return weir_infer_node(l->to, made) ? weir_node_output(l->to, made, 0) : WEIR_NO_VALUE;
}

/* x - max(x, 0), which is not above 0: of wide sums, whose ranges say less than that, no more bits than x has. */
static weir_value below_zero(weir_lowering *l, weir_node node, weir_value codes, weir_value above) {
    enum { MOST_BITS = 32 };
    const weir_value below = weir_scaled_add(l, node, "_below", (weir_value[]){codes, above}, true);
    if (below.id == 0) return below;
    const weir_type *type = weir_value_type(l->to, below), *x = weir_value_type(l->to, codes);
    const int64_t low = x->low - weir_quant_zero(&x->quant, 0);
    if (weir_bits_for(type->low, type->high) <= MOST_BITS) return below;
    const weir_quant quant = weir_scaled_quant(l, weir_quant_scale(&type->quant, 0), low < 0 ? low : 0, 0);
    const weir_type to = weir_lower_codes_type(&quant, &type->shape, low < 0 ? low : 0, 0);
    return weir_lower_clip(l, node, "_below_zero", below, &to);
}

/* x where it is above 0, else slope * x: max(x, 0) + slope * (x - max(x, 0)). No value after a reported error. */
static weir_value bend(weir_lowering *l, weir_node node, weir_value codes, const double *slope, uint32_t count) {
    if (count > 1) codes = weir_scaled_wide(l, node, codes);
    if (codes.id == 0) return codes;
    const weir_value above =
                         weir_lower_at_least(l, node, codes, weir_quant_zero(&weir_value_type(l->to, codes)->quant, 0)),
                     below = above.id == 0 ? above : below_zero(l, node, codes, above);
    if (below.id == 0) return below;
    if (count == 1) return bend_all(l, node, above, below, *slope);
    const double unit = weir_quant_scale(&weir_value_type(l->to, codes)->quant, 0);
    double least = 0, most = 0;
    for (uint32_t c = 0; c < count; c++) {
        least = fmin(least, slope[c]);
        most = fmax(most, slope[c]);
    }
    weir_value sum = above; /* slopes of both signs: the least of them for all, and what is more for each */
    for (int part = least < 0 && most > 0 ? 0 : 1; part < 2 && sum.id != 0; part++) {
        weir_scaled a = weir_scaled_of(l, &(weir_leaf){.codes = below});
        if (part == 0) weir_scaled_apply(l, &a, WEIR_OP_MUL, &least, 1);
        else weir_scaled_apply(l, &a, WEIR_OP_MUL, above_least(l, slope, count, most > 0 ? least : 0), count);
        const double largest = part == 1 && most > 0 ? most - least : -least;
        weir_value pair[2] = {sum, weir_scaled_emit(l, node, &a, largest <= 1 ? unit : 0)};
        const bool fine = pair[1].id != 0 && weir_lower_align(l, node, pair, 2, weir_lower_any);
        sum = fine ? weir_scaled_add(l, node, "_bent", pair, false) : WEIR_NO_VALUE;
    }
    return sum;
}

static weir_value carry_bend(weir_lowering *l, weir_node node, weir_node maker) {
    const weir_value codes = weir_lower_carry(l, node, weir_node_input(l->from, maker, 0));
    if (codes.id == 0) return codes;
    const weir_op kind = weir_trait_kind(l->from, maker);
    if (kind == WEIR_OP_LEAKY_RELU || kind == WEIR_OP_ABS) {
        const double slope = kind == WEIR_OP_ABS ? -1 : weir_node_float(l->from, maker, "alpha", 0.01);
        return bend(l, node, codes, &slope, 1);
    }
    const weir_array *slopes = weir_lower_constant(l, weir_node_input(l->from, maker, 1));
    const weir_shape *shape = &weir_value_type(l->from, weir_node_output(l->from, maker, 0))->shape;
    if (slopes == NULL) {
        weir_lower_fail(l, maker, "its slopes must be constants");
        return WEIR_NO_VALUE;
    }
    const weir_expression *x = weir_expression_codes(weir_graph_arena(l->to), codes),
                          *rows = weir_lower_spread(l, maker, x, slopes, shape);
    slopes = weir_lower_by_channel(l, maker, weir_expression_codes_of(rows), slopes, shape);
    if (slopes == NULL || !weir_lower_check_finite(l, maker, slopes)) return WEIR_NO_VALUE;
    const weir_value bent =
        bend(l, node, weir_expression_codes_of(rows), numbers_of(l, slopes), (uint32_t)slopes->count);
    return rows == x || bent.id == 0 ? bent : weir_lower_reshape_as(l, node, "_shaped", bent, shape);
}

bool weir_lower_bent(weir_lowering *l, weir_node node) {
    const weir_expression *x = weir_lower_input(l, node, 0);
    if (!weir_expression_is_hardware(x)) return weir_lower_fail_unquantized(l, node, 0, "its input is not quantized");
    return weir_lower_set_codes(l, node, carry_bend(l, node, node));
}

/* max(0, min(1, alpha * x + beta)) of such; no value after a reported error. */
static weir_value hard_sigmoid(weir_lowering *l, weir_node node, weir_value codes, double alpha, double beta) {
    weir_array *one = weir_array_in(weir_graph_arena(l->to), WEIR_FLOAT32, &(weir_shape){1, {1}});
    weir_scaled a = weir_scaled_of(l, &(weir_leaf){.codes = codes});
    weir_array_set(one, 0, 1);
    weir_scaled_apply(l, &a, WEIR_OP_MUL, &alpha, 1);
    weir_scaled_apply(l, &a, WEIR_OP_ADD, &beta, 1);
    if (!weir_scaled_clip(l, node, &a, WEIR_OP_MAX, NULL) || !weir_scaled_clip(l, node, &a, WEIR_OP_MIN, one))
        return WEIR_NO_VALUE;
    return weir_scaled_settle(l, node, &a);
}

/* What operators with corners are made of. */
static weir_value carry_hard(weir_lowering *l, weir_node node, weir_node maker) {
    const weir_value codes = weir_lower_carry(l, node, weir_node_input(l->from, maker, 0));
    if (codes.id == 0) return codes;
    if (weir_trait_kind(l->from, maker) == WEIR_OP_HARD_SIGMOID)
        return hard_sigmoid(l, node, codes, weir_node_float(l->from, maker, "alpha", 0.2),
                            weir_node_float(l->from, maker, "beta", 0.5));
    return weir_scaled_multiply(l, node, codes, hard_sigmoid(l, node, codes, 1.0 / 6, 0.5), weir_lower_any);
}

/* In segments between corners, of what has these codes; no value without an error where it has none. */
static weir_value carry_segments(weir_lowering *l, weir_node node, weir_value value, weir_value root) {
    weir_value codes = weir_lower_carry(l, node, root);
    if (codes.id != 0) codes = weir_scaled_wide(l, node, codes);
    if (codes.id != 0) codes = weir_scaled_narrow(l, node, codes);
    return codes.id == 0 ? codes : weir_lower_segments(l, node, value, root, codes);
}

/* The operator with constants, of what is carried as if it had been quantized so. */
static weir_value carry_affine(weir_lowering *l, weir_node node, weir_node maker, weir_value input) {
    const weir_value value = weir_node_output(l->from, maker, 0), codes = weir_lower_carry(l, node, input);
    const weir_lowering_value before = l->of[input.id], after = l->of[value.id];
    if (codes.id == 0) return codes;
    l->of[input.id].expression = weir_expression_codes(weir_graph_arena(l->to), codes);
    const bool fine = l->affine(l, maker);
    const weir_expression *x = weir_lower_expression(l, value);
    l->of[input.id] = before;
    l->of[value.id] = after;
    return fine && weir_expression_has_codes(x) ? weir_lower_carry_expression(l, node, x, weir_lower_needed(l, value))
                                                : WEIR_NO_VALUE;
}

/* The sum, the difference, the product, the larger, the smaller of two that are carried. */
static weir_value carry_pair(weir_lowering *l, weir_node node, weir_op kind, const weir_value *input,
                             weir_interval needed) {
    weir_value pair[2] = {weir_lower_carry(l, node, input[0]), weir_lower_carry(l, node, input[1])};
    if (pair[0].id == 0 || pair[1].id == 0 ||
        !weir_shape_equal(&weir_value_type(l->to, pair[0])->shape, &weir_value_type(l->to, pair[1])->shape))
        return WEIR_NO_VALUE;
    if (kind == WEIR_OP_MUL) return weir_scaled_multiply(l, node, pair[0], pair[1], needed);
    if (kind == WEIR_OP_MAX || kind == WEIR_OP_MIN)
        return weir_lower_align(l, node, pair, 2, needed)
                   ? weir_lower_choose(l, node, "_extreme", pair[0], pair[1], kind == WEIR_OP_MAX)
                   : WEIR_NO_VALUE;
    const bool minus = kind == WEIR_OP_SUB;
    return (minus || kind == WEIR_OP_ADD) && weir_lower_align_terms(l, node, pair, minus, needed)
               ? weir_scaled_add(l, node, "_input", pair, minus)
               : WEIR_NO_VALUE;
}

/* The operator alone, of what it reads; no value where nothing is known of it. */
static weir_value carry_operator(weir_lowering *l, weir_node node, weir_node maker) {
    const weir_op op = weir_node_op(l->from, maker);
    weir_value input[2] = {{0}, {0}};
    size_t count = 0;
    for (size_t i = 0; i < weir_node_input_count(l->from, maker); i++) {
        const weir_value value = weir_node_input(l->from, maker, i);
        if (value.id == 0 || weir_expression_has_data(weir_lower_expression(l, value))) continue;
        if (count < 2) input[count] = value;
        count++;
    }
    if (count == 2)
        return carry_pair(l, node, weir_trait_of(op)->kind, input,
                          weir_lower_needed(l, weir_node_output(l->from, maker, 0)));
    if (count != 1) return WEIR_NO_VALUE;
    return weir_trait_of(op)->element == WEIR_ELEMENT_STEP
               ? carry_affine(l, node, maker, input[0])
               : carry_segments(l, node, weir_node_output(l->from, maker, 0), input[0]);
}

/* The number to whose power the node takes its input; 0: none of those that are a product or two. */
static int power_of(weir_lowering *l, weir_node maker) {
    const weir_array *constant = weir_lower_constant(l, weir_node_input(l->from, maker, 1));
    const double power = constant == NULL || constant->count != 1 ? 0 : weir_array_get(constant, 0);
    return power == 2 || power == 3 ? (int)power : 0;
}

static weir_value carry_power(weir_lowering *l, weir_node node, weir_node maker) {
    const int power = power_of(l, maker);
    const weir_value codes = power == 0 ? WEIR_NO_VALUE : weir_lower_carry(l, node, weir_node_input(l->from, maker, 0));
    weir_value made = codes;
    for (int i = 1; i < power && made.id != 0; i++) made = weir_scaled_multiply(l, node, made, codes, weir_lower_any);
    return made;
}

static weir_value carry_thresholded(weir_lowering *l, weir_node node, weir_node maker) {
    const weir_value codes = weir_lower_carry(l, node, weir_node_input(l->from, maker, 0));
    if (codes.id == 0) return codes;
    return weir_lower_thresholded(l, node, codes, weir_node_float(l->from, maker, "alpha", 1));
}

/* The operators whose pieces are straight, or such and a product; no value without an error: it is none of these. */
static weir_value carry_pieces(weir_lowering *l, weir_node node, weir_node maker) {
    const weir_op op = weir_node_op(l->from, maker), kind = weir_trait_of(op)->kind;
    if (kind == WEIR_OP_LEAKY_RELU || kind == WEIR_OP_PRELU || kind == WEIR_OP_ABS) return carry_bend(l, node, maker);
    if (kind == WEIR_OP_HARD_SIGMOID || kind == WEIR_OP_HARD_SWISH) return carry_hard(l, node, maker);
    if (kind == WEIR_OP_POW) return carry_power(l, node, maker);
    if (kind == WEIR_OP_THRESHOLDED_RELU) return carry_thresholded(l, node, maker);
    if (kind != WEIR_OP_RELU && !weir_index_map_reshapes(op)) return WEIR_NO_VALUE;
    const weir_value codes = weir_lower_carry(l, node, weir_node_input(l->from, maker, 0));
    if (codes.id == 0) return codes;
    if (kind == WEIR_OP_RELU)
        return weir_lower_at_least(l, node, codes, weir_quant_zero(&weir_value_type(l->to, codes)->quant, 0));
    return weir_lower_reshape_as(l, node, "_input", codes,
                                 &weir_value_type(l->from, weir_node_output(l->from, maker, 0))->shape);
}

/* The first that does: a table of few codes, thresholds of few whole numbers, pieces, segments of the whole function,
 * its last operator alone, a table of many codes. */
static weir_value carry_any(weir_lowering *l, weir_node node, weir_value value, weir_value root) {
    const weir_node maker = weir_value_producer(l->from, value);
    const bool narrow = root.id != 0 && weir_lower_is_narrow(l, root);
    int64_t low, high;
    weir_value made = narrow ? tabulate(l, node, value, root) : WEIR_NO_VALUE;
    if (made.id == 0 && root.id != 0 && has_few_results(l, value, root, &low, &high))
        made = tabulate_few(l, node, value, low, high);
    if (made.id == 0) made = carry_pieces(l, node, maker);
    if (made.id == 0 && root.id != 0) made = carry_segments(l, node, value, root);
    if (made.id == 0) made = carry_operator(l, node, maker);
    const bool wide = made.id == 0 && !narrow && root.id != 0 && weir_lower_has_table(l, root);
    return wide ? tabulate(l, node, value, root) : made;
}

static weir_value carry_function(weir_lowering *l, weir_node node, weir_value value) {
    const weir_value root = weir_function_root(l, value);
    weir_diag_log *log = weir_diag_capture();
    const weir_value made = carry_any(l, node, value, root);
    weir_diag_release(log);
    if (made.id != 0) {
        weir_diag_log_free(log);
        return made;
    }
    if (root.id != 0 && weir_lower_has_table(l, root)) {
        weir_diag_replay(log); /* why there is no table */
    } else {
        weir_lower_fail(
            l, node, "its input is a function of sums of %d bits, which no quantizer absorbs",
            root.id == 0
                ? 0
                : weir_value_type(l->to, weir_expression_codes_of(weir_lower_expression(l, root)))->quant.width);
        weir_note("put a quantizer of up to 16 bits between the sums and the function, before '%s'",
                  weir_node_name(l->from, weir_value_producer(l->from, value)));
    }
    weir_diag_log_free(log);
    return WEIR_NO_VALUE;
}

/* --- the value --- */

weir_value weir_lower_carry_expression(weir_lowering *l, weir_node node, const weir_expression *x,
                                       weir_interval needed) {
    weir_scaled a;
    x = without_sum(l, node, x, needed);
    if (x == NULL || !read_affine(l, node, x, needed, &a)) return WEIR_NO_VALUE;
    const weir_value codes = weir_scaled_settle(l, node, &a);
    return codes.id == 0 ? codes : weir_lower_mapped(l, node, codes, a.map);
}

weir_value weir_lower_carry(weir_lowering *l, weir_node node, weir_value value) {
    weir_lowering_value *known = &l->of[value.id];
    const weir_expression *x = known->expression;
    if (!weir_expression_is_hardware(x)) {
        weir_lower_fail(l, node, "its input is not quantized");
        return WEIR_NO_VALUE;
    }
    if (known->carried.id != 0) {
        weir_scaled_note(l, known->rounding);
        return known->carried;
    }
    const double before = l->rounding;
    l->rounding = 0;
    const bool function = weir_expression_kind_of(x) == WEIR_EXPRESSION_FUNCTION;
    const weir_value codes = function ? carry_function(l, node, value)
                                      : weir_lower_carry_expression(l, node, x, weir_lower_needed(l, value));
    known->carried = codes;
    known->rounding = l->rounding;
    l->rounding = fmax(l->rounding, before);
    return codes;
}

weir_value weir_lower_carried(weir_lowering *l, weir_node node, size_t index) {
    const weir_value value = weir_node_input(l->from, node, index);
    if (weir_expression_is_hardware(weir_lower_expression(l, value))) return weir_lower_carry(l, node, value);
    weir_lower_fail_unquantized(l, node, index, "its input is not quantized");
    return WEIR_NO_VALUE;
}

/* Have the codes one scale, or, `by_channel`, one zero point? */
static bool has_one(const weir_lowering *l, weir_value codes, bool by_channel) {
    const weir_quant *quant = &weir_value_type(l->to, codes)->quant;
    bool one = quant->count <= 1 || by_channel;
    for (uint32_t c = 1; one && c < quant->count; c++) one = weir_quant_zero(quant, c) == weir_quant_zero(quant, 0);
    return one;
}

weir_value weir_lower_fit(weir_lowering *l, weir_node node, weir_value codes) {
    const weir_type *type = codes.id == 0 ? NULL : weir_value_type(l->to, codes);
    return type == NULL || !type->has_range || (type->low >= INT32_MIN && type->high <= INT32_MAX)
               ? codes
               : weir_scaled_narrow(l, node, codes);
}

weir_value weir_lower_operand(weir_lowering *l, weir_node node, const weir_expression *x, bool by_channel) {
    size_t index = 0;
    while (index < weir_node_input_count(l->from, node) && weir_lower_input(l, node, index) != x) index++;
    const bool is_input = index < weir_node_input_count(l->from, node);
    if (!weir_lower_carries(l, node)) {
        if (weir_expression_has_codes(x)) return weir_lower_codes(l, node, x);
        weir_lower_fail_unquantized(l, node, is_input ? index : 0, "its input is not quantized");
        return WEIR_NO_VALUE;
    }
    weir_diag_log *log = weir_diag_capture();
    const weir_value codes = weir_expression_has_codes(x) ? weir_lower_codes(l, node, x) : WEIR_NO_VALUE;
    weir_diag_release(log);
    weir_diag_log_free(log);
    if (codes.id != 0 && has_one(l, codes, by_channel)) return weir_lower_fit(l, node, codes);
    return weir_lower_fit(l, node,
                          is_input ? weir_lower_carried(l, node, index)
                                   : weir_lower_carry_expression(l, node, x, weir_lower_any));
}

weir_value weir_lower_by_factors(weir_lowering *l, weir_node node, weir_value codes, const double *factor,
                                 uint32_t count) {
    weir_scaled a = weir_scaled_of(l, &(weir_leaf){.codes = codes});
    weir_scaled_apply(l, &a, WEIR_OP_MUL, factor, count);
    a.rounds = false; /* no additions of the model */
    return weir_scaled_settle(l, node, &a);
}

bool weir_lower_joins_carried(const weir_lowering *l, weir_node node) {
    return weir_lower_carries(l, node) && weir_function_root(l, weir_node_output(l->from, node, 0)).id == 0;
}

bool weir_lower_add_carried(weir_lowering *l, weir_node node, const weir_leaf_sum *sum) {
    const weir_expression *x = weir_expression_sum(weir_graph_arena(l->to), sum);
    const weir_expression *exact = weir_lower_sum_exact(l, node, "_exact", x);
    if (exact != NULL) {
        const weir_type *type = weir_value_type(l->to, weir_expression_codes_of(exact));
        if (weir_bits_for(type->low, type->high) <= 32) {
            weir_lower_set(l, node, exact);
            return true;
        }
    }
    weir_value pair[2] = {sum->left.codes, sum->right.codes};
    const weir_interval needed = weir_lower_needed(l, weir_node_output(l->from, node, 0));
    if (!weir_lower_align_terms(l, node, pair, sum->minus, needed)) return false;
    return weir_lower_set_codes(l, node, weir_scaled_add(l, node, "", pair, sum->minus));
}
