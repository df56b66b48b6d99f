/* Values that no quantizer takes where hardware goes on with them, as files have it whose quantizers are at the inputs of products only: what moves,
 * adds, averages or compares them needs codes of one scale. What has them already is taken as it is, exactly. Else
 *   sums with a scale or an addition a channel, products with constants   one product a code, rounded: code * factor + term
 *   functions of few codes                                                a table
 *   functions in pieces that are straight, of any sums                    a sum of their parts: x, max(x, 0)
 * are fixed point numbers: whole numbers of a unit, a power of two, of which the largest number that can occur has 2^30, or 2^23 in a table, whose
 * entries are the model's own float32 numbers. What is rounded there is what float32 rounds of numbers of that size, or less; reference and hardware
 * do the same. How far a value may lie from the exact one is kept with it (weir_leaf). */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "passes/lower/lower.h"
#include "passes/quantize/function.h"
#include "support/memory/arena.h"
#include "support/text/unreachable.h"

enum { NUMBER_BITS = 30, TABLE_BITS = 23, MULTIPLIER_BITS = 31, ADD_BITS = 54, SLOPE_BITS = 24, SUM_BITS = 50 };

bool weir_lower_carries(const weir_lowering *l, weir_node node) {
    return l->carries && (weir_trait_of(weir_node_op(l->from, node))->task == WEIR_TASK_LAYER ||
                          weir_lower_leads_to_hardware(l, node));
}

/* The power of two of which numbers up to `reach` have 2^bits. */
static double unit_of(double reach, int bits) {
    int exponent;
    frexp(reach, &exponent);
    return ldexp(1, reach == 0 ? 0 : exponent - bits);
}

/* The node's value is no further from the model's than this, of each of its inputs. */
static void note_rounding(weir_lowering *l, double rounding) {
    if (rounding > l->rounding) l->rounding = rounding;
}

static void note_unit(weir_lowering *l, double unit) { note_rounding(l, 2 * unit); }

/* --- code * factor + term, by channel --- */

typedef struct affine {
    weir_value codes;
    const weir_index_map *map;
    uint32_t count; /* of factors and terms: 1, or one a channel */
    double *factor, *term;
    bool rounds; /* float32 rounds more than once in the model */
} affine;

static affine affine_of(weir_lowering *l, const weir_leaf *leaf) {
    weir_arena *arena = weir_graph_arena(l->to);
    const weir_quant *quant = &weir_value_type(l->to, leaf->codes)->quant;
    affine a = {.codes = leaf->codes, .map = leaf->map, .count = quant->count > 1 ? quant->count : 1};
    a.factor = weir_arena_array(arena, a.count, sizeof *a.factor);
    a.term = weir_arena_array(arena, a.count, sizeof *a.term);
    for (uint32_t c = 0; c < a.count; c++) {
        a.factor[c] = weir_quant_scale(quant, c);
        a.term[c] = -(double)weir_quant_zero(quant, c) * a.factor[c];
    }
    return a;
}

static void spread(weir_lowering *l, affine *a, uint32_t count) {
    weir_arena *arena = weir_graph_arena(l->to);
    if (count <= 1 || a->count > 1) return;
    double *factor = weir_arena_array(arena, count, sizeof *factor),
           *term = weir_arena_array(arena, count, sizeof *term);
    for (uint32_t c = 0; c < count; c++) {
        factor[c] = a->factor[0];
        term[c] = a->term[0];
    }
    a->count = count;
    a->factor = factor;
    a->term = term;
}

static void apply(weir_lowering *l, affine *a, weir_op kind, const double *number, uint32_t count) {
    spread(l, a, count);
    a->rounds |= number != NULL;
    for (uint32_t c = 0; c < a->count; c++) {
        const double n = number == NULL ? 0 : number[count == 1 ? 0 : c];
        if (kind == WEIR_OP_ADD) a->term[c] += n;
        if (kind == WEIR_OP_SUB) a->term[c] -= n;
        const double by = kind == WEIR_OP_MUL ? n : kind == WEIR_OP_DIV ? 1 / n : kind == WEIR_OP_NEG ? -1 : 1;
        a->factor[c] *= by;
        a->term[c] *= by;
    }
}

/* The other sign, of what others may have, too. */
static void turn(weir_lowering *l, affine *a) {
    weir_arena *arena = weir_graph_arena(l->to);
    double *factor = weir_arena_array(arena, a->count, sizeof *factor),
           *term = weir_arena_array(arena, a->count, sizeof *term);
    for (uint32_t c = 0; c < a->count; c++) {
        factor[c] = -a->factor[c];
        term[c] = -a->term[c];
    }
    a->factor = factor;
    a->term = term;
}

/* What float32 makes of additions: of numbers of their size, before they cancel. */
static void note_additions(weir_lowering *l, const affine *a) {
    for (uint32_t c = 0; a->rounds && c < a->count; c++) note_rounding(l, 0x1p-20 * fabs(a->term[c]));
}

static double reach_of(const weir_lowering *l, const affine *a) {
    const weir_type *type = weir_value_type(l->to, a->codes);
    double reach = 0;
    for (uint32_t c = 0; c < a->count; c++) {
        reach = fmax(reach, fabs((double)type->low * a->factor[c] + a->term[c]));
        reach = fmax(reach, fabs((double)type->high * a->factor[c] + a->term[c]));
    }
    return reach;
}

/* The parameters of a Scale, by channel, and what it gives. */
typedef struct scaling {
    weir_array *multiplier, *add;
    int shift;
    int64_t low, high;
} scaling;

static bool are_even(const scaling *s) {
    bool even = true;
    for (size_t c = 0; even && c < s->add->count; c++)
        even = weir_array_get_int(s->multiplier, c) % 2 == 0 && weir_array_get_int(s->add, c) % 2 == 0;
    return even;
}

static int64_t floor_shift(double x, int shift) { return (int64_t)floor(ldexp(x, -shift)); }

/* Numbers of the unit, rounded half up; no factor is negative. */
static scaling scaling_of(weir_lowering *l, const affine *a, double unit) {
    weir_arena *arena = weir_graph_arena(l->to);
    const weir_type *type = weir_value_type(l->to, a->codes);
    const weir_shape shape = {1, {a->count}};
    scaling s = {.multiplier = weir_array_in(arena, WEIR_INT64, &shape),
                 .add = weir_array_in(arena, WEIR_INT64, &shape),
                 .low = INT64_MAX,
                 .high = INT64_MIN};
    double factor = 0, term = 1;
    int exponent;
    for (uint32_t c = 0; c < a->count; c++) {
        factor = fmax(factor, a->factor[c] / unit);
        term = fmax(term, fabs(a->term[c]) / unit);
    }
    frexp(factor, &exponent);
    s.shift = factor == 0 || exponent > MULTIPLIER_BITS ? 0 : MULTIPLIER_BITS - exponent;
    frexp(term, &exponent);
    if (s.shift > ADD_BITS - exponent) s.shift = ADD_BITS - exponent;
    for (uint32_t c = 0; c < a->count; c++) {
        const double half = s.shift == 0 ? 0 : 0.5, multiplier = nearbyint(ldexp(a->factor[c] / unit, s.shift)),
                     add = nearbyint(ldexp(a->term[c] / unit + half, s.shift));
        weir_array_set_int(s.multiplier, c, (int64_t)multiplier);
        weir_array_set_int(s.add, c, (int64_t)add);
        const int64_t low = floor_shift((double)type->low * multiplier + add, s.shift),
                      high = floor_shift((double)type->high * multiplier + add, s.shift);
        s.low = low < s.low ? low : s.low;
        s.high = high > s.high ? high : s.high;
    }
    while (s.shift > 0 && are_even(&s)) {
        for (size_t c = 0; c < s.add->count; c++) {
            weir_array_set_int(s.multiplier, c, weir_array_get_int(s.multiplier, c) / 2);
            weir_array_set_int(s.add, c, weir_array_get_int(s.add, c) / 2);
        }
        s.shift--;
    }
    return s;
}

static weir_quant quant_of(weir_lowering *l, double unit, int64_t low, int64_t high) {
    double *scale = weir_arena_array(weir_graph_arena(l->to), 1, sizeof *scale);
    *scale = unit;
    return (weir_quant){.format = WEIR_FORMAT_INTEGER,
                        .is_signed = low < 0,
                        .width = weir_bits_for(low, high),
                        .rounding = WEIR_ROUND_HALF_UP,
                        .axis = -1,
                        .count = 1,
                        .scale = scale};
}

static weir_value add_constant(weir_lowering *l, weir_node node, const char *what, const weir_array *data) {
    char *name = weir_format("%s_%s", weir_node_name(l->from, node), what);
    const weir_value value = weir_graph_add_constant(l->to, name, data);
    free(name);
    return value;
}

/* Which sign have the factors? 0: both. */
static int sign_of(const affine *a) {
    bool positive = true, negative = true;
    for (uint32_t c = 0; c < a->count; c++) {
        positive &= a->factor[c] >= 0;
        negative &= a->factor[c] <= 0;
    }
    return positive ? 1 : negative ? -1 : 0;
}

/* As whole numbers of the unit, or, where it is 0, of that for numbers of their size; no value after a reported error. */
static weir_value emit(weir_lowering *l, weir_node node, const affine *given, double unit) {
    affine a = *given;
    const weir_type *type = weir_value_type(l->to, a.codes);
    const int sign = sign_of(&a);
    if (!type->has_range || sign == 0) {
        weir_lower_fail(l, node,
                        sign == 0 ? "what it reads has factors of both signs, and no quantizer before it"
                                  : "its input has no proven range");
        return WEIR_NO_VALUE;
    }
    if (unit == 0) unit = unit_of(reach_of(l, &a), NUMBER_BITS);
    note_unit(l, unit);
    if (sign < 0) turn(l, &a);
    const scaling s = scaling_of(l, &a, unit);
    const weir_value inputs[3] = {a.codes, add_constant(l, node, "factor", s.multiplier),
                                  add_constant(l, node, "term", s.add)};
    const weir_quant quant = quant_of(l, unit, s.low, s.high);
    const weir_type to = weir_lower_codes_type(&quant, &type->shape, s.low, s.high);
    const weir_node made = weir_lower_add_node(l, node, WEIR_OP_SCALE, "_number", inputs, 3, &to);
    weir_node_set_int(l->to, made, "shift", s.shift);
    weir_node_set_int(l->to, made, "low", s.low);
    weir_node_set_int(l->to, made, "high", s.high);
    if (!weir_infer_node(l->to, made)) return WEIR_NO_VALUE;
    const weir_value value = weir_node_output(l->to, made, 0);
    return sign < 0 ? weir_lower_negated(l, node, value) : value;
}

/* --- one scale --- */

static bool has_one_scale(const affine *a) {
    bool one = true;
    for (uint32_t c = 1; c < a->count; c++) one &= a->factor[c] == a->factor[0];
    for (uint32_t c = 0; one && c < a->count; c++) {
        const double zero = nearbyint(a->term[c] / a->factor[c]);
        one = a->factor[c] > 0 && fabs(zero) < 0x1p31 && zero * a->factor[c] == a->term[c];
    }
    return one;
}

static bool is_as_it_was(const weir_lowering *l, const affine *a) {
    const weir_quant *quant = &weir_value_type(l->to, a->codes)->quant;
    bool same = a->count == (quant->count > 1 ? quant->count : 1);
    for (uint32_t c = 0; same && c < a->count; c++)
        same = a->factor[c] == weir_quant_scale(quant, c) &&
               a->term[c] == -(double)weir_quant_zero(quant, c) * a->factor[c];
    return same;
}

/* The codes with the factors as their scales and the terms as zero points. */
static weir_value relabel(weir_lowering *l, weir_node node, const affine *a) {
    weir_type type = *weir_value_type(l->to, a->codes);
    if (is_as_it_was(l, a)) return a->codes;
    int64_t *zero = weir_arena_array(weir_graph_arena(l->to), a->count, sizeof *zero);
    for (uint32_t c = 0; c < a->count; c++) zero[c] = (int64_t)nearbyint(-a->term[c] / a->factor[c]);
    type.quant.format = WEIR_FORMAT_INTEGER;
    type.quant.count = a->count;
    type.quant.axis = a->count > 1 ? type.shape.rank - 1 : -1;
    type.quant.scale = a->factor;
    type.quant.zero_point = zero;
    return weir_node_output(l->to, weir_lower_add_node(l, node, WEIR_OP_RELABEL, "_input", &a->codes, 1, &type), 0);
}

/* Codes of one scale, exact where they can be, also of the other sign; no value after a reported error. */
static weir_value settle(weir_lowering *l, weir_node node, const affine *given) {
    affine a = *given;
    note_additions(l, &a);
    if (has_one_scale(&a)) return weir_lower_one_scale(l, node, relabel(l, node, &a));
    turn(l, &a);
    if (!has_one_scale(&a)) return emit(l, node, given, 0);
    const weir_value codes = weir_lower_one_scale(l, node, relabel(l, node, &a));
    return codes.id == 0 ? codes : weir_lower_negated(l, node, codes);
}

/* Fixed point numbers with digits behind those of what they are made of. */
static weir_value as_numbers(weir_lowering *l, weir_node node, weir_value codes) {
    const weir_type *type = weir_value_type(l->to, codes);
    if (weir_bits_for(type->low, type->high) >= NUMBER_BITS && weir_quant_zero(&type->quant, 0) == 0) return codes;
    const affine a = affine_of(l, &(weir_leaf){.codes = codes});
    return emit(l, node, &a, 0);
}

/* max or min with a number, of what becomes codes of one scale; false after a reported error. */
static bool clip(weir_lowering *l, weir_node node, affine *a, weir_op kind, const weir_array *constant) {
    const double number = constant == NULL ? 0 : weir_array_get(constant, 0);
    for (size_t c = 1; constant != NULL && c < constant->count; c++) {
        if (weir_array_get(constant, c) != number)
            return weir_lower_fail(l, node, "what it reads has bounds by channel, and no quantizer before it");
    }
    weir_value codes = settle(l, node, a);
    if (codes.id != 0 && number != 0) codes = as_numbers(l, node, codes);
    if (codes.id == 0) return false;
    const weir_type *type = weir_value_type(l->to, codes);
    const double bound = number / weir_quant_scale(&type->quant, 0) + (double)weir_quant_zero(&type->quant, 0);
    const int64_t at = (int64_t)nearbyint(fmax(-0x1p31, fmin(0x1p31 - 1, bound)));
    if (kind == WEIR_OP_MIN && at < type->high) {
        weir_quant quant = type->quant;
        const int64_t low = at < type->low ? at : type->low;
        quant.is_signed = low < 0;
        quant.width = weir_bits_for(low, type->high);
        const weir_type to = weir_lower_codes_type(&quant, &type->shape, low, at);
        codes = weir_lower_clip(l, node, "_input_bound", codes, &to);
    } else if (kind != WEIR_OP_MIN) {
        codes = weir_lower_at_least(l, node, codes, at);
    }
    if (codes.id == 0) return false;
    *a = affine_of(l, &(weir_leaf){.codes = codes, .map = a->map});
    return true;
}

static weir_value add_pair(weir_lowering *l, weir_node node, const char *suffix, const weir_value *pair, bool minus) {
    const weir_type *a = weir_value_type(l->to, pair[0]), *b = weir_value_type(l->to, pair[1]);
    int64_t *zero = weir_arena_array(weir_graph_arena(l->to), 1, sizeof *zero);
    *zero = weir_quant_zero(&a->quant, 0) + (minus ? -1 : 1) * weir_quant_zero(&b->quant, 0);
    weir_type type = {
        .dtype = WEIR_INT64, .shape = a->shape, .quant = quant_of(l, weir_quant_scale(&a->quant, 0), -1, 0)};
    type.quant.zero_point = zero;
    const weir_node made = weir_lower_add_node(l, node, WEIR_OP_SUM, suffix, pair, 2, &type);
    if (minus) weir_node_set_int(l->to, made, "cb", -1);
    return weir_infer_node(l->to, made) ? weir_node_output(l->to, made, 0) : WEIR_NO_VALUE;
}

/* Without a SUM below its operators; NULL after a reported error. */
static const weir_expression *without_sum(weir_lowering *l, weir_node node, const weir_expression *x) {
    if (weir_expression_source(x) != WEIR_EXPRESSION_SUM) return x;
    const weir_expression *exact = weir_lower_sum_exact(l, node, "_input", x);
    if (exact != NULL) return exact;
    const weir_leaf_sum *sum = weir_expression_sum_of(x);
    weir_value pair[2] = {sum->left.codes, sum->right.codes};
    if (!weir_lower_align(l, node, pair, 2)) return NULL;
    const weir_leaf leaf = {.codes = add_pair(l, node, "_input", pair, sum->minus), .map = sum->left.map};
    return leaf.codes.id == 0 ? NULL : weir_expression_with_leaf(weir_graph_arena(l->to), x, &leaf);
}

static double *numbers_of(weir_lowering *l, const weir_array *constant) {
    double *number = weir_arena_array(weir_graph_arena(l->to), constant->count, sizeof *number);
    for (size_t c = 0; c < constant->count; c++) number[c] = weir_array_get(constant, c);
    return number;
}

/* Of a leaf; false after a reported error. */
static bool read_affine(weir_lowering *l, weir_node node, const weir_expression *x, affine *a) {
    const weir_expression_kind kind = weir_expression_kind_of(x);
    if (kind == WEIR_EXPRESSION_CODES) {
        *a = affine_of(l, weir_expression_leaf(x));
        return true;
    }
    if (!read_affine(l, node, weir_expression_operand(x), a)) return false;
    if (kind == WEIR_EXPRESSION_RELU) return clip(l, node, a, WEIR_OP_MAX, NULL);
    if (kind == WEIR_EXPRESSION_OFFSET) {
        uint32_t count;
        const double *number = weir_expression_numbers(x, &count);
        apply(l, a, WEIR_OP_ADD, number, count);
        return true;
    }
    const weir_step *step = weir_expression_step_of(x);
    if (step->op == WEIR_OP_ROUND || step->op == WEIR_OP_MULTI_THRESHOLD)
        return weir_lower_fail(l, node, "its input is rounded by operations that no quantizer takes");
    switch (step->op) {
    case WEIR_OP_MAX:
    case WEIR_OP_MIN:
    case WEIR_OP_RELU: return clip(l, node, a, step->op, step->constant);
    case WEIR_OP_MUL:
    case WEIR_OP_DIV:
    case WEIR_OP_ADD:
    case WEIR_OP_SUB:
        apply(l, a, step->op, numbers_of(l, step->constant), (uint32_t)step->constant->count);
        return true;
    case WEIR_OP_NEG:
    case WEIR_OP_IDENTITY: apply(l, a, step->op, NULL, 1); return true;
    default: weir_unreachable("an operator that is no step (weir_op_step)");
    }
}

/* --- functions --- */

/* What a function has for codes. */
typedef struct results {
    bool finite; /* are all of them numbers? */
    double least, most;
    bool are_codes; /* ... and whole multiples of the step that was asked for, as float32 has them? */
} results;

static bool is_multiple(double number, double step) {
    return (float)(nearbyint(number / step) * step) == (float)number;
}

/* `step`: 0 for none. */
static results results_of(weir_function *f, const weir_type *codes, double step) {
    const size_t rows = weir_function_rows(f), channels = weir_function_channels(f);
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (size_t c = 0; c < channels; c++) {
        const int64_t zero = weir_function_zero(f, c);
        low = codes->low - zero < low ? codes->low - zero : low;
        high = codes->high - zero > high ? codes->high - zero : high;
    }
    const size_t count = (size_t)(high - low + 1);
    int64_t *point = weir_malloc(rows * count * sizeof *point);
    double *result = weir_malloc(rows * count * sizeof *result);
    results r = {.finite = true, .are_codes = step > 0};
    for (size_t i = 0; i < rows * count; i++) point[i] = low + (int64_t)(i % count);
    weir_function_run(f, point, count, result);
    for (size_t i = 0; i < rows * count && r.finite; i++) {
        r.finite = isfinite(result[i]);
        r.least = fmin(r.least, result[i]);
        r.most = fmax(r.most, result[i]);
        r.are_codes = r.are_codes && is_multiple(result[i], step);
    }
    free(point);
    free(result);
    return r;
}

/* In codes of the scale of what it reads, where all results are such (magnitudes, what is cut off, ...), else in fixed point. */
static weir_value tabulate(weir_lowering *l, weir_node node, weir_value value, weir_value root) {
    const weir_type *codes = weir_value_type(l->to, weir_expression_codes_of(weir_lower_expression(l, root)));
    const double scale = codes->quant.count <= 1 ? weir_quant_scale(&codes->quant, 0) : 0;
    weir_function *f = weir_function_new(l, value, root);
    if (f == NULL) return WEIR_NO_VALUE;
    const results r = results_of(f, codes, scale);
    const double largest = fmax(r.most, -r.least);
    weir_function_free(f);
    if (!r.finite) {
        weir_lower_fail(l, node, "its input is a function whose results are not all numbers");
        return WEIR_NO_VALUE;
    }
    const bool exact = r.are_codes && largest / scale < 1 << TABLE_BITS;
    const double unit = exact ? scale : unit_of(largest, TABLE_BITS), low = floor(r.least / unit),
                 high = ceil(r.most / unit);
    const weir_quant quant = quant_of(l, unit, (int64_t)low, (int64_t)high);
    if (!exact) note_unit(l, unit);
    if (!weir_lower_tabulate(l, node, value, &quant)) return WEIR_NO_VALUE;
    return weir_expression_codes_of(weir_lower_expression(l, weir_node_output(l->from, node, 0)));
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
    weir_type type = {
        .dtype = WEIR_INT64, .shape = a->shape, .quant = quant_of(l, ldexp(weir_quant_scale(&a->quant, 0), -n), -1, 0)};
    *zero = weir_quant_zero(&a->quant, 0) * ((int64_t)1 << n);
    type.quant.zero_point = zero;
    const weir_node made = weir_lower_add_node(l, node, WEIR_OP_SUM, "_bent", pair, 2, &type);
    weir_node_set_int(l->to, made, "ca", (int64_t)1 << n);
    weir_node_set_int(l->to, made, "cb", (int64_t)nearbyint(ldexp(slope, n)));
    if (nearbyint(ldexp(slope, n)) != ldexp(slope, n))
        note_unit(l, ldexp(fmax(fabs((double)b->low), fabs((double)b->high)) * weir_quant_scale(&a->quant, 0), -n));
    return weir_infer_node(l->to, made) ? weir_node_output(l->to, made, 0) : WEIR_NO_VALUE;
}

/* x where it is above 0, else slope * x: max(x, 0) + slope * (x - max(x, 0)). No value after a reported error. */
static weir_value bend(weir_lowering *l, weir_node node, weir_value codes, const double *slope, uint32_t count) {
    if (count > 1) codes = as_numbers(l, node, codes);
    if (codes.id == 0) return codes;
    const weir_value above =
                         weir_lower_at_least(l, node, codes, weir_quant_zero(&weir_value_type(l->to, codes)->quant, 0)),
                     below = above.id == 0 ? above : add_pair(l, node, "_below", (weir_value[]){codes, above}, true);
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
        affine a = affine_of(l, &(weir_leaf){.codes = below});
        if (part == 0) apply(l, &a, WEIR_OP_MUL, &least, 1);
        else apply(l, &a, WEIR_OP_MUL, above_least(l, slope, count, most > 0 ? least : 0), count);
        weir_value pair[2] = {sum, emit(l, node, &a, fmax(most, -least) <= 1 ? unit : 0)};
        const bool fine = pair[1].id != 0 && weir_lower_align(l, node, pair, 2);
        sum = fine ? add_pair(l, node, "_bent", pair, false) : WEIR_NO_VALUE;
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
    slopes = weir_lower_by_channel(l, maker, codes, slopes, shape);
    return slopes == NULL ? WEIR_NO_VALUE : bend(l, node, codes, numbers_of(l, slopes), (uint32_t)slopes->count);
}

static weir_value carry_function(weir_lowering *l, weir_node node, weir_value value) {
    const weir_value root = weir_function_root(l, value);
    if (root.id != 0 && weir_lower_is_narrow(l, root)) return tabulate(l, node, value, root);
    const weir_node maker = weir_value_producer(l->from, value);
    const weir_op op = weir_node_op(l->from, maker), kind = weir_trait_of(op)->kind;
    if (kind == WEIR_OP_LEAKY_RELU || kind == WEIR_OP_PRELU || kind == WEIR_OP_ABS) return carry_bend(l, node, maker);
    if (kind == WEIR_OP_RELU || weir_index_map_reshapes(op)) {
        const weir_value codes = weir_lower_carry(l, node, weir_node_input(l->from, maker, 0));
        if (codes.id == 0) return codes;
        const weir_type *type = weir_value_type(l->to, codes);
        if (kind == WEIR_OP_RELU) return weir_lower_at_least(l, node, codes, weir_quant_zero(&type->quant, 0));
        return weir_lower_reshape_as(l, node, "_input", codes, &weir_value_type(l->from, value)->shape);
    }
    weir_lower_fail(
        l, node, "its input is a function of sums of %d bits, which no quantizer takes",
        root.id == 0 ? 0
                     : weir_value_type(l->to, weir_expression_codes_of(weir_lower_expression(l, root)))->quant.width);
    weir_note("put a quantizer of up to 12 bits between the sums and the function, before '%s'",
              weir_node_name(l->from, maker));
    return WEIR_NO_VALUE;
}

/* --- the value --- */

weir_value weir_lower_carry_expression(weir_lowering *l, weir_node node, const weir_expression *x) {
    affine a;
    x = without_sum(l, node, x);
    if (x == NULL || !read_affine(l, node, x, &a)) return WEIR_NO_VALUE;
    const weir_value codes = settle(l, node, &a);
    return codes.id == 0 ? codes : weir_lower_mapped(l, node, codes, a.map);
}

weir_value weir_lower_carry(weir_lowering *l, weir_node node, weir_value value) {
    weir_lowering_value *known = &l->of[value.id];
    const weir_expression *x = known->expression;
    if (known->carried.id != 0) {
        note_rounding(l, known->rounding);
        return known->carried;
    }
    const double before = l->rounding;
    l->rounding = 0;
    const bool function = weir_expression_kind_of(x) == WEIR_EXPRESSION_FUNCTION;
    const weir_value codes = function ? carry_function(l, node, value) : weir_lower_carry_expression(l, node, x);
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
    if (codes.id != 0 && has_one(l, codes, by_channel)) return codes;
    return is_input ? weir_lower_carried(l, node, index) : weir_lower_carry_expression(l, node, x);
}

weir_value weir_lower_by_factors(weir_lowering *l, weir_node node, weir_value codes, const double *factor,
                                 uint32_t count) {
    affine a = affine_of(l, &(weir_leaf){.codes = codes});
    apply(l, &a, WEIR_OP_MUL, factor, count);
    a.rounds = false; /* no additions of the model */
    return settle(l, node, &a);
}

bool weir_lower_joins_carried(const weir_lowering *l, weir_node node) {
    return weir_lower_carries(l, node) && weir_function_root(l, weir_node_output(l->from, node, 0)).id == 0;
}

/* The largest number of which all scales are whole multiples; what remains of numbers that have none is far smaller than they are. */
static double exact_unit(const weir_lowering *l, const weir_value *codes, size_t count) {
    double unit = 0;
    for (size_t i = 0; i < count; i++) {
        double next = weir_quant_scale(&weir_value_type(l->to, codes[i])->quant, 0);
        while (next > 0) {
            const double rest = fmod(unit, next);
            unit = next;
            next = rest;
        }
    }
    return unit;
}

bool weir_lower_align(weir_lowering *l, weir_node node, weir_value *codes, size_t count) {
    double unit = 0, reach = 0;
    bool same = true;
    for (size_t i = 0; i < count; i++) {
        const affine a = affine_of(l, &(weir_leaf){.codes = codes[i]});
        const weir_quant *quant = &weir_value_type(l->to, codes[i])->quant,
                         *first = &weir_value_type(l->to, codes[0])->quant;
        assert(a.count == 1);
        reach = fmax(reach, reach_of(l, &a));
        same &= weir_quant_scale(quant, 0) == weir_quant_scale(first, 0) &&
                weir_quant_zero(quant, 0) == weir_quant_zero(first, 0);
    }
    if (same) return true;
    const double exact = exact_unit(l, codes, count);
    unit = reach / exact < 0x1p31 ? exact : unit_of(reach, NUMBER_BITS);
    for (size_t i = 0; i < count; i++) {
        const affine a = affine_of(l, &(weir_leaf){.codes = codes[i]});
        codes[i] = emit(l, node, &a, unit);
        if (codes[i].id == 0) return false;
    }
    return true;
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
    if (!weir_lower_align(l, node, pair, 2)) return false;
    return weir_lower_set_codes(l, node, add_pair(l, node, "", pair, sum->minus));
}
