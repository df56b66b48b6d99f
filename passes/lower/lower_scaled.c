#include "passes/lower/scaled.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ir/shape/index_map.h"
#include "ir/shape/infer.h"
#include "support/memory/arena.h"

enum { MULTIPLIER_BITS = 31, PRODUCT_BITS = 60, ADD_BITS = 54, FACTOR_BITS = 24, NUMBER_BITS = 31 };

double weir_scaled_unit(double reach, int bits) {
    int exponent;
    frexp(reach, &exponent);
    return ldexp(1, reach == 0 ? 0 : exponent - bits);
}

void weir_scaled_note(weir_lowering *l, double rounding) {
    if (rounding > l->rounding) l->rounding = rounding;
}

void weir_scaled_note_unit(weir_lowering *l, double unit) { weir_scaled_note(l, 2 * unit); }

/* --- code * factor + term, by channel --- */

weir_scaled weir_scaled_of(weir_lowering *l, const weir_leaf *leaf) {
    weir_arena *arena = weir_graph_arena(l->to);
    const weir_quant *quant = &weir_value_type(l->to, leaf->codes)->quant;
    weir_scaled a = {
        .codes = leaf->codes, .map = leaf->map, .count = quant->count > 1 ? quant->count : 1, .needed = weir_lower_any};
    a.factor = weir_arena_array(arena, a.count, sizeof *a.factor);
    a.term = weir_arena_array(arena, a.count, sizeof *a.term);
    for (uint32_t c = 0; c < a.count; c++) {
        a.factor[c] = weir_quant_scale(quant, c);
        a.term[c] = -(double)weir_quant_zero(quant, c) * a.factor[c];
    }
    return a;
}

static void spread(weir_lowering *l, weir_scaled *a, uint32_t count) {
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

/* What is needed of x is, of x * by + plus, this. */
static weir_interval image_of(weir_interval x, double by, double plus) {
    const double one = x.low * by + plus, other = x.high * by + plus;
    return isnan(one) || isnan(other) ? weir_lower_any : (weir_interval){fmin(one, other), fmax(one, other)};
}

void weir_scaled_apply(weir_lowering *l, weir_scaled *a, weir_op kind, const double *number, uint32_t count) {
    weir_interval needed = {HUGE_VAL, -HUGE_VAL};
    spread(l, a, count);
    a->rounds |= number != NULL;
    for (uint32_t c = 0; c < a->count; c++) {
        const double n = number == NULL ? 0 : number[count == 1 ? 0 : c];
        double plus = 0;
        if (kind == WEIR_OP_ADD) plus = n;
        if (kind == WEIR_OP_SUB) plus = -n;
        const double by = kind == WEIR_OP_MUL ? n : kind == WEIR_OP_DIV ? 1 / n : kind == WEIR_OP_NEG ? -1 : 1;
        a->factor[c] *= by;
        a->term[c] = (a->term[c] + plus) * by;
        const weir_interval image = image_of(a->needed, by, plus);
        needed = (weir_interval){fmin(needed.low, image.low), fmax(needed.high, image.high)};
    }
    a->needed = needed;
}

/* The other sign, of what others may have, too. */
static void turn(weir_lowering *l, weir_scaled *a) {
    weir_arena *arena = weir_graph_arena(l->to);
    double *factor = weir_arena_array(arena, a->count, sizeof *factor),
           *term = weir_arena_array(arena, a->count, sizeof *term);
    for (uint32_t c = 0; c < a->count; c++) {
        factor[c] = -a->factor[c];
        term[c] = -a->term[c];
    }
    a->factor = factor;
    a->term = term;
    a->needed = (weir_interval){-a->needed.high, -a->needed.low};
}

/* What float32 makes of additions: of numbers of their size, before they cancel. */
static void note_additions(weir_lowering *l, const weir_scaled *a) {
    for (uint32_t c = 0; a->rounds && c < a->count; c++) weir_scaled_note(l, 0x1p-20 * fabs(a->term[c]));
}

weir_interval weir_scaled_range(const weir_lowering *l, const weir_scaled *a) {
    const weir_type *type = weir_value_type(l->to, a->codes);
    weir_interval all = {HUGE_VAL, -HUGE_VAL};
    for (uint32_t c = 0; c < a->count; c++) {
        const double low = (double)type->low * a->factor[c] + a->term[c],
                     high = (double)type->high * a->factor[c] + a->term[c];
        all.low = fmin(all.low, fmin(low, high));
        all.high = fmax(all.high, fmax(low, high));
    }
    return all;
}

static double reach_of(weir_interval range) { return fmax(fabs(range.low), fabs(range.high)); }

/* The numbers that are left: some beyond those that are needed, which have been rounded on the way to these ends; of
 * operands of which none is needed, as their sum is always beyond, the nearest. */
static weir_interval left_of(const weir_lowering *l, const weir_scaled *a) {
    const weir_interval range = weir_scaled_range(l, a);
    const double margin = 0x1p-16 * fmin(reach_of(range), reach_of(a->needed));
    return (weir_interval){fmax(range.low, fmin(a->needed.low - margin, range.high)),
                           fmin(range.high, fmax(a->needed.high + margin, range.low))};
}

/* The largest number that is left, of which Scale must hold the factors and the terms, too. */
static double reach_left(const weir_lowering *l, const weir_scaled *a) {
    const weir_interval range = weir_scaled_range(l, a), left = left_of(l, a);
    double reach = reach_of(left);
    for (uint32_t c = 0; (left.low > range.low || left.high < range.high) && c < a->count; c++)
        reach = fmax(reach, fmax(fabs(a->factor[c]), 0x1p-20 * fabs(a->term[c])));
    return reach;
}

/* The parameters of a Scale, by channel, and what it gives, no further from the numbers than `rounding`. */
typedef struct scaling {
    weir_array *multiplier, *add;
    int shift;
    int64_t low, high;
    double rounding;
} scaling;

static bool are_even(const scaling *s) {
    bool even = true;
    for (size_t c = 0; even && c < s->add->count; c++)
        even = weir_array_get_int(s->multiplier, c) % 2 == 0 && weir_array_get_int(s->add, c) % 2 == 0;
    return even;
}

/* Of x, in numbers between these. */
static int64_t floor_shift(double x, int shift, double low, double high) {
    return (int64_t)fmax(low, fmin(high, floor(ldexp(x, -shift))));
}

/* The bits before the point of the largest factor and of the largest term, in units. */
static void exponents_of(const weir_scaled *a, double unit, int *of_factor, int *of_term) {
    double factor = 0, term = 1;
    for (uint32_t c = 0; c < a->count; c++) {
        factor = fmax(factor, a->factor[c] / unit);
        term = fmax(term, fabs(a->term[c]) / unit);
    }
    frexp(factor, of_factor);
    frexp(term, of_term);
    if (factor == 0) *of_factor = MULTIPLIER_BITS + 1;
}

/* So many that a factor has MULTIPLIER_BITS, or more where others are that much smaller that codes of so many bits
 * would be off by a unit. */
static int shift_of(int factor, int term, int bits) {
    int shift = factor > MULTIPLIER_BITS ? 0 : MULTIPLIER_BITS - factor;
    while (factor <= MULTIPLIER_BITS && shift < bits - 1 && factor + shift + bits < PRODUCT_BITS) shift++;
    return shift > ADD_BITS - term ? ADD_BITS - term : shift;
}

/* Numbers of the unit, rounded half up; no factor is negative. */
static scaling scaling_of(weir_lowering *l, const weir_scaled *a, double unit) {
    weir_arena *arena = weir_graph_arena(l->to);
    const weir_type *type = weir_value_type(l->to, a->codes);
    const weir_shape shape = {1, {a->count}};
    scaling s = {.multiplier = weir_array_in(arena, WEIR_INT64, &shape),
                 .add = weir_array_in(arena, WEIR_INT64, &shape),
                 .low = INT64_MAX,
                 .high = INT64_MIN};
    int factor, term;
    exponents_of(a, unit, &factor, &term);
    s.shift = shift_of(factor, term, weir_bits_for(type->low, type->high));
    const weir_interval left = left_of(l, a);
    const double least = floor(left.low / unit), most = ceil(left.high / unit);
    s.rounding = 2 * unit + ldexp(unit, -s.shift - 1) * fmax(fabs((double)type->low), fabs((double)type->high));
    for (uint32_t c = 0; c < a->count; c++) {
        const double half = s.shift == 0 ? 0 : 0.5, multiplier = nearbyint(ldexp(a->factor[c] / unit, s.shift)),
                     add = nearbyint(ldexp(a->term[c] / unit + half, s.shift));
        weir_array_set_int(s.multiplier, c, (int64_t)multiplier);
        weir_array_set_int(s.add, c, (int64_t)add);
        const int64_t low = floor_shift((double)type->low * multiplier + add, s.shift, least, most),
                      high = floor_shift((double)type->high * multiplier + add, s.shift, least, most);
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

weir_quant weir_scaled_quant(weir_lowering *l, double unit, int64_t low, int64_t high) {
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

weir_value weir_scaled_constant(weir_lowering *l, weir_node node, const char *suffix, const weir_array *data) {
    char *name = weir_format("%s%s", weir_node_name(l->from, node), suffix);
    const weir_value value = weir_graph_add_constant(l->to, name, data);
    free(name);
    return value;
}

/* Which sign have the factors? 0: both. */
static int sign_of(const weir_scaled *a) {
    bool positive = true, negative = true;
    for (uint32_t c = 0; c < a->count; c++) {
        positive &= a->factor[c] >= 0;
        negative &= a->factor[c] <= 0;
    }
    return positive ? 1 : negative ? -1 : 0;
}

/* Sums of so many more bits than numbers have that no factor of FACTOR_BITS bits fits beside the terms: without the
 * digits that are less than half a unit, or than a number of 32 bits has. False after a reported error. */
static bool drop_digits(weir_lowering *l, weir_node node, weir_scaled *a, double unit) {
    int factor, term;
    exponents_of(a, unit, &factor, &term);
    const weir_type *type = weir_value_type(l->to, a->codes);
    const int bits = weir_bits_for(type->low, type->high), beyond = bits - NUMBER_BITS;
    if (factor >= 0 || shift_of(factor, term, bits) + factor >= FACTOR_BITS) return true;
    const int digits = beyond > -factor ? beyond : -factor;
    const int64_t half = (int64_t)1 << (digits - 1), low = (type->low + half) >> digits,
                  high = (type->high + half) >> digits;
    double *larger = weir_arena_array(weir_graph_arena(l->to), a->count, sizeof *larger);
    for (uint32_t c = 0; c < a->count; c++) {
        larger[c] = ldexp(a->factor[c], digits);
        weir_scaled_note(l, 2 * unit + larger[c]);
    }
    a->factor = larger;
    weir_quant quant = weir_scaled_quant(l, unit, low, high);
    quant.count = a->count;
    quant.axis = a->count > 1 ? type->shape.rank - 1 : -1;
    quant.scale = a->factor;
    const weir_type to = weir_lower_codes_type(&quant, &type->shape, low, high);
    const weir_node made = weir_lower_add_node(l, node, WEIR_OP_CAST_CODES, "_digits", &a->codes, 1, &to);
    weir_node_set_int(l->to, made, "shift", digits);
    weir_node_set_string(l->to, made, "rounding", weir_rounding_name(WEIR_ROUND_HALF_UP));
    weir_node_set_int(l->to, made, "low", low);
    weir_node_set_int(l->to, made, "high", high);
    a->codes = weir_node_output(l->to, made, 0);
    return weir_infer_node(l->to, made);
}

/* What has factors of one sign less what has those of the other; no value after a reported error. */
static weir_value emit_both_signs(weir_lowering *l, weir_node node, const weir_scaled *given, double unit) {
    weir_arena *arena = weir_graph_arena(l->to);
    weir_value part[2];
    for (int i = 0; i < 2; i++) {
        weir_scaled a = *given;
        a.needed = weir_lower_any;
        a.factor = weir_arena_array(arena, a.count, sizeof *a.factor);
        a.term = weir_arena_array(arena, a.count, sizeof *a.term);
        for (uint32_t c = 0; c < a.count; c++) {
            a.factor[c] = fmax(0, i == 0 ? given->factor[c] : -given->factor[c]);
            a.term[c] = i == 0 ? given->term[c] : 0;
        }
        part[i] = weir_scaled_emit(l, node, &a, unit);
        if (part[i].id == 0) return part[i];
    }
    const double rounding = 2 * l->rounding;
    weir_scaled_note(l, rounding);
    return weir_scaled_add(l, node, "_both", part, true);
}

/* As whole numbers of the unit, or, where it is 0, of that for numbers of their size; no value after a reported
 * error. */
weir_value weir_scaled_emit(weir_lowering *l, weir_node node, const weir_scaled *given, double unit) {
    weir_scaled a = *given;
    const weir_type *type = weir_value_type(l->to, a.codes);
    const int sign = sign_of(&a);
    if (!type->has_range) {
        weir_lower_fail(l, node, "its input has no proven range");
        return WEIR_NO_VALUE;
    }
    if (unit == 0) unit = weir_scaled_unit(reach_left(l, &a), WEIR_LOWER_NUMBER_BITS);
    if (sign == 0) return emit_both_signs(l, node, &a, unit);
    if (sign < 0) turn(l, &a);
    if (!drop_digits(l, node, &a, unit)) return WEIR_NO_VALUE;
    type = weir_value_type(l->to, a.codes);
    const scaling s = scaling_of(l, &a, unit);
    weir_scaled_note(l, s.rounding);
    const weir_interval range = weir_scaled_range(l, &a), left = left_of(l, &a);
    l->cuts |= left.low > range.low || left.high < range.high;
    const weir_value inputs[3] = {a.codes, weir_scaled_constant(l, node, "_factor", s.multiplier),
                                  weir_scaled_constant(l, node, "_term", s.add)};
    const weir_quant quant = weir_scaled_quant(l, unit, s.low, s.high);
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

static bool has_one_scale(const weir_scaled *a) {
    bool one = true;
    for (uint32_t c = 1; c < a->count; c++) one &= a->factor[c] == a->factor[0];
    for (uint32_t c = 0; one && c < a->count; c++) {
        const double zero = nearbyint(a->term[c] / a->factor[c]);
        one = a->factor[c] > 0 && fabs(zero) < 0x1p31 && zero * a->factor[c] == a->term[c];
    }
    return one;
}

static bool is_as_it_was(const weir_lowering *l, const weir_scaled *a) {
    const weir_quant *quant = &weir_value_type(l->to, a->codes)->quant;
    bool same = a->count == (quant->count > 1 ? quant->count : 1);
    for (uint32_t c = 0; same && c < a->count; c++)
        same = a->factor[c] == weir_quant_scale(quant, c) &&
               a->term[c] == -(double)weir_quant_zero(quant, c) * a->factor[c];
    return same;
}

/* The codes with the factors as their scales and the terms as zero points. */
static weir_value relabel(weir_lowering *l, weir_node node, const weir_scaled *a) {
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

/* Are codes less zero points a channel as narrow as hardware makes them? */
static bool fits(const weir_lowering *l, const weir_scaled *a) {
    return a->count == 1 || reach_of(weir_scaled_range(l, a)) / a->factor[0] < 0x1p31;
}

weir_value weir_scaled_settle(weir_lowering *l, weir_node node, const weir_scaled *given) {
    weir_scaled a = *given;
    note_additions(l, &a);
    if (has_one_scale(&a) && fits(l, &a)) return weir_lower_one_scale(l, node, relabel(l, node, &a));
    turn(l, &a);
    if (!has_one_scale(&a) || !fits(l, &a)) return weir_scaled_emit(l, node, given, 0);
    const weir_value codes = weir_lower_one_scale(l, node, relabel(l, node, &a));
    return codes.id == 0 ? codes : weir_lower_negated(l, node, codes);
}

/* Fixed point numbers with digits behind those of what they are made of. */
weir_value weir_scaled_wide(weir_lowering *l, weir_node node, weir_value codes) {
    const weir_type *type = weir_value_type(l->to, codes);
    if (weir_bits_for(type->low, type->high) >= WEIR_LOWER_NUMBER_BITS && weir_quant_zero(&type->quant, 0) == 0)
        return codes;
    const weir_scaled a = weir_scaled_of(l, &(weir_leaf){.codes = codes});
    return weir_scaled_emit(l, node, &a, 0);
}

/* b + max(x - b, 0), or b - max(b - x, 0), with a number a channel; false after a reported error. */
static bool clip_by_channel(weir_lowering *l, weir_node node, weir_scaled *a, weir_op kind,
                            const weir_array *constant) {
    const uint32_t count = (uint32_t)constant->count;
    const bool least = kind == WEIR_OP_MIN;
    double *number = weir_arena_array(weir_graph_arena(l->to), count, sizeof *number);
    for (uint32_t c = 0; c < count; c++) number[c] = weir_array_get(constant, c);
    if (least) weir_scaled_apply(l, a, WEIR_OP_NEG, NULL, 1);
    weir_scaled_apply(l, a, least ? WEIR_OP_ADD : WEIR_OP_SUB, number, count);
    weir_value codes = weir_scaled_settle(l, node, a);
    if (codes.id != 0) codes = weir_scaled_narrow(l, node, codes);
    if (codes.id == 0) return false;
    codes = weir_lower_at_least(l, node, codes, weir_quant_zero(&weir_value_type(l->to, codes)->quant, 0));
    if (codes.id == 0) return false;
    *a = weir_scaled_of(l, &(weir_leaf){.codes = codes, .map = a->map});
    if (least) weir_scaled_apply(l, a, WEIR_OP_NEG, NULL, 1);
    weir_scaled_apply(l, a, WEIR_OP_ADD, number, count);
    return true;
}

/* max or min with a number, of what becomes codes of one scale; false after a reported error. */
bool weir_scaled_clip(weir_lowering *l, weir_node node, weir_scaled *a, weir_op kind, const weir_array *constant) {
    const double number = constant == NULL ? 0 : weir_array_get(constant, 0);
    for (size_t c = 1; constant != NULL && c < constant->count; c++)
        if (weir_array_get(constant, c) != number) return clip_by_channel(l, node, a, kind, constant);
    weir_value codes = weir_scaled_settle(l, node, a);
    if (codes.id != 0 && number != 0) codes = weir_scaled_wide(l, node, codes);
    if (codes.id != 0) codes = weir_scaled_narrow(l, node, codes); /* bounds have 32 bits */
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
    *a = weir_scaled_of(l, &(weir_leaf){.codes = codes, .map = a->map});
    return true;
}

weir_value weir_scaled_add(weir_lowering *l, weir_node node, const char *suffix, const weir_value *pair, bool minus) {
    const weir_type *a = weir_value_type(l->to, pair[0]), *b = weir_value_type(l->to, pair[1]);
    int64_t *zero = weir_arena_array(weir_graph_arena(l->to), 1, sizeof *zero);
    *zero = weir_quant_zero(&a->quant, 0) + (minus ? -1 : 1) * weir_quant_zero(&b->quant, 0);
    weir_type type = {
        .dtype = WEIR_INT64, .shape = a->shape, .quant = weir_scaled_quant(l, weir_quant_scale(&a->quant, 0), -1, 0)};
    type.quant.zero_point = zero;
    const weir_node made = weir_lower_add_node(l, node, WEIR_OP_SUM, suffix, pair, 2, &type);
    if (minus) weir_node_set_int(l->to, made, "cb", -1);
    return weir_infer_node(l->to, made) ? weir_node_output(l->to, made, 0) : WEIR_NO_VALUE;
}

/* In as many bits as fixed point numbers have; no value after a reported error. */
static weir_value narrow(weir_lowering *l, weir_node node, weir_value codes, weir_interval needed) {
    const weir_type *type = weir_value_type(l->to, codes);
    if (weir_bits_for(type->low, type->high) <= WEIR_LOWER_NUMBER_BITS + 1) return codes;
    weir_scaled a = weir_scaled_of(l, &(weir_leaf){.codes = codes});
    a.needed = needed;
    return weir_scaled_emit(l, node, &a, 0);
}

weir_value weir_scaled_narrow(weir_lowering *l, weir_node node, weir_value codes) {
    return narrow(l, node, codes, weir_lower_any);
}

bool weir_lower_narrow_pair(weir_lowering *l, weir_node node, weir_value *pair) {
    for (int i = 0; i < 2 && pair[i].id != 0; i++) pair[i] = weir_scaled_narrow(l, node, pair[i]);
    return pair[0].id != 0 && pair[1].id != 0;
}

/* The largest number that the codes of one scale stand for. */
static double largest(const weir_type *type) {
    const double zero = (double)weir_quant_zero(&type->quant, 0);
    return weir_quant_scale(&type->quant, 0) * fmax(fabs((double)type->low - zero), fabs((double)type->high - zero));
}

weir_quant weir_lower_product_quant(weir_lowering *l, const weir_type *a, const weir_type *b) {
    double *scale = weir_arena_array(weir_graph_arena(l->to), 1, sizeof *scale);
    *scale = weir_contract_product(l->contract, weir_quant_scale(&a->quant, 0), weir_quant_scale(&b->quant, 0));
    l->rounding *= largest(a) + largest(b);
    return (weir_quant){.format = WEIR_FORMAT_INTEGER, .axis = -1, .count = 1, .scale = scale};
}

/* --- infinite factors --- */

/* An even one: half of it is beyond what is needed, too. */
double weir_scaled_infinite(double most, double needed) { return 2 * ceil(fmax(needed, most / 2 + 1)); }

void weir_scaled_note_infinite(weir_lowering *l, weir_value codes, int64_t code) {
    l->infinite = weir_grow(l->infinite, &l->infinite_capacity, l->infinite_count + 1, sizeof *l->infinite);
    l->infinite[l->infinite_count++] = (weir_lowering_infinite){codes, code};
    l->cuts = true;
}

enum { MOST_COEFFICIENT = 1 << 30 }; /* of a sum, in hardware */

/* The code that stands for infinite, also in another order or shape; 0: none does. */
static int64_t infinite_of(const weir_lowering *l, weir_value codes) {
    int64_t code = 0;
    for (weir_node maker = weir_value_producer(l->to, codes);
         l->infinite_count > 0 && maker.id != 0 && weir_index_map_exists(weir_node_op(l->to, maker));
         maker = weir_value_producer(l->to, codes))
        codes = weir_node_input(l->to, maker, 0);
    for (size_t i = 0; i < l->infinite_count; i++)
        if (l->infinite[i].codes.id == codes.id) code = l->infinite[i].code;
    return code;
}

/* Zero times infinite is no number, of which quantizers make their least code: all products with infinite become less
 * by what is needed, of which they are twice as much. */
static weir_value without_zero(weir_lowering *l, weir_node node, weir_value products, weir_value factor,
                               int64_t infinite, weir_interval needed) {
    const double reach = fmax(fabs(needed.low), fabs(needed.high));
    if (reach >= weir_quant_scale(&weir_value_type(l->to, products)->quant, 0) * MOST_COEFFICIENT) {
        weir_scaled a = weir_scaled_of(l, &(weir_leaf){.codes = products});
        a.needed = (weir_interval){-3 * reach, 3 * reach};
        products = weir_scaled_emit(l, node, &a, 0);
        if (products.id == 0) return products;
    }
    const weir_type *type = weir_value_type(l->to, products);
    const double most = ceil(reach / weir_quant_scale(&type->quant, 0));
    const weir_quant truth = weir_scaled_quant(l, 1, 0, 1);
    const weir_type is = weir_lower_codes_type(&truth, &weir_value_type(l->to, factor)->shape, 0, 1);
    weir_array *add = weir_array_in(weir_graph_arena(l->to), WEIR_INT64, &(weir_shape){1, {1}});
    weir_array_set_int(add, 0, 1 - infinite);
    weir_value pair[2] = {products, weir_lower_shift(l, node, "_is_infinite", factor, add, &is)};
    if (pair[1].id != 0) pair[1] = weir_lower_broadcast(l, node, "_are_infinite", pair[1], &type->shape);
    if (pair[1].id == 0) return pair[1];
    const weir_type to = {.dtype = WEIR_INT64, .shape = type->shape, .quant = type->quant};
    const weir_node made = weir_lower_add_node(l, node, WEIR_OP_SUM, "_defined", pair, 2, &to);
    weir_node_set_int(l->to, made, "cb", -(int64_t)most);
    return weir_infer_node(l->to, made) ? weir_node_output(l->to, made, 0) : WEIR_NO_VALUE;
}

weir_value weir_lower_products(weir_lowering *l, weir_node node, const char *suffix, const weir_value *pair,
                               weir_interval needed) {
    const weir_type *a = weir_value_type(l->to, pair[0]), *b = weir_value_type(l->to, pair[1]);
    const weir_type type = {.dtype = WEIR_INT64, .shape = b->shape, .quant = weir_lower_product_quant(l, a, b)};
    const weir_node made = weir_lower_add_node(l, node, WEIR_OP_MULTIPLY, suffix, pair, 2, &type);
    weir_node_set_int(l->to, made, "za", weir_quant_zero(&a->quant, 0));
    weir_node_set_int(l->to, made, "zb", weir_quant_zero(&b->quant, 0));
    weir_value products = weir_infer_node(l->to, made) ? weir_node_output(l->to, made, 0) : WEIR_NO_VALUE;
    for (int i = 0; i < 2 && products.id != 0; i++) {
        const int64_t infinite = infinite_of(l, pair[i]);
        if (infinite != 0) products = without_zero(l, node, products, pair[i], infinite, needed);
    }
    return products;
}

/* Of two tensors of one shape, in fixed point; no value after a reported error. */
weir_value weir_scaled_multiply(weir_lowering *l, weir_node node, weir_value a, weir_value b, weir_interval needed) {
    weir_value pair[2] = {a, b};
    if (a.id == 0 || b.id == 0 || !weir_lower_narrow_pair(l, node, pair)) return WEIR_NO_VALUE;
    const weir_value products = weir_lower_products(l, node, "_gated", pair, needed);
    return products.id == 0 ? products : narrow(l, node, products, needed);
}

/* Without a SUM below its operators; NULL after a reported error. */

/* --- one unit for several --- */

/* The largest number of which all scales are whole multiples; what remains of numbers that have none is far smaller
 * than they are. */
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

/* `needed`: of each. */
static bool align(weir_lowering *l, weir_node node, weir_value *codes, size_t count, const weir_interval *needed) {
    double unit = 0, reach = 0;
    bool same = true;
    for (size_t i = 0; i < count; i++) {
        weir_scaled a = weir_scaled_of(l, &(weir_leaf){.codes = codes[i]});
        const weir_quant *quant = &weir_value_type(l->to, codes[i])->quant,
                         *first = &weir_value_type(l->to, codes[0])->quant;
        assert(a.count == 1);
        a.needed = needed[i];
        reach = fmax(reach, reach_left(l, &a));
        same &= weir_quant_scale(quant, 0) == weir_quant_scale(first, 0) &&
                weir_quant_zero(quant, 0) == weir_quant_zero(first, 0);
    }
    if (same) return true;
    const double exact = exact_unit(l, codes, count);
    unit = reach / exact < 0x1p31 ? exact : weir_scaled_unit(reach, WEIR_LOWER_NUMBER_BITS);
    for (size_t i = 0; i < count; i++) {
        weir_scaled a = weir_scaled_of(l, &(weir_leaf){.codes = codes[i]});
        if (a.factor[0] == unit && a.term[0] == 0) continue;
        a.needed = needed[i];
        codes[i] = weir_scaled_emit(l, node, &a, unit);
        if (codes[i].id == 0) return false;
    }
    return true;
}

bool weir_lower_align(weir_lowering *l, weir_node node, weir_value *codes, size_t count, weir_interval needed) {
    weir_interval *all = weir_arena_array(weir_graph_arena(l->to), count, sizeof *all);
    for (size_t i = 0; i < count; i++) all[i] = needed;
    return align(l, node, codes, count, all);
}

bool weir_lower_align_terms(weir_lowering *l, weir_node node, weir_value *pair, bool minus, weir_interval needed) {
    const weir_scaled a = weir_scaled_of(l, &(weir_leaf){.codes = pair[0]}),
                      b = weir_scaled_of(l, &(weir_leaf){.codes = pair[1]});
    const weir_interval of[2] = {weir_lower_needed_term(minus, 0, weir_scaled_range(l, &b), needed),
                                 weir_lower_needed_term(minus, 1, weir_scaled_range(l, &a), needed)};
    return align(l, node, pair, 2, of);
}

weir_value weir_lower_with_zero(weir_lowering *l, weir_node node, weir_value codes) {
    const weir_type type = *weir_value_type(l->to, codes);
    const int64_t zero = weir_quant_zero(&type.quant, 0);
    int64_t least, most;
    weir_quant_limits(&type.quant, &least, &most);
    if (type.quant.count > 1 || (zero >= least && zero <= most)) return codes;
    const bool fits = !type.has_range || weir_bits_for(type.low - zero, type.high - zero) <= 32;
    return fits ? weir_lower_less_zeros(l, node, codes) : weir_scaled_wide(l, node, codes);
}
