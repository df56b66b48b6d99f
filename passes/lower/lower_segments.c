/* Functions of wide sums that no quantizer takes, in fixed point: segments of equal width, on each of which a parabola
 * stands for the function. With x in whole numbers of a unit, c, and segments of 2^k of them
 *   i = clip(c >> k)                      which one; what lies beyond the last ones goes on straight
 *   t = c - (i << k)                      how far from its start
 *   q = slope[i] + (bend[i] * clip(t) >> k)
 *   y = start[i] + (t * q >> shift)
 * of tables with an entry a segment. A parabola goes through the function at both ends and in the middle, where c has
 * few digits, so that float32 has them all. How wide segments may be and how many there are follows from comparing this
 * arithmetic with the function at points between. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ir/shape/index_map.h"
#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "passes/lower/scaled.h"
#include "passes/quantize/function.h"
#include "support/memory/arena.h"

enum { PRODUCT_BITS = 60, LEAST_SEGMENTS = 16, MOST_SEGMENTS = 2048, CHECKS = 8, TAIL_CHECKS = 64 };
/* Results of what is straight nowhere, most of which may be far less than the largest, whose digits they have. */
static const double MOST_BENT = 256;
/* What float32 may make of a few operations, of the size of the numbers. */
static const double ROUNDINGS = 0x1p-22;

typedef struct segments {
    weir_function *function;
    int64_t low, high;   /* of c */
    int64_t first, last; /* of i */
    int width, shift;
    bool bends;                    /* nowhere straight: segments are all of c */
    double unit, least_off;        /* of y; what may be off anywhere, as float32 adds numbers of about 1 on the way */
    int64_t *start, *slope, *bend; /* [last - first + 1] */
    int64_t least_result, most_result; /* of y */
    double off;                        /* the furthest that y was from the function there */
    double *at;    /* the function where segments begin and in their middles: [2 * (last - first + 1) + 1] */
    double far[2]; /* at both ends of c */
} segments;

static size_t count_of(const segments *s) { return (size_t)(s->last - s->first + 1); }

static int64_t clipped(int64_t x, int64_t low, int64_t high) { return x < low ? low : x > high ? high : x; }

/* Where segment i begins. */
static int64_t begin_of(const segments *s, int64_t i) { return i * ((int64_t)1 << s->width); }

/* That of c, among those that there are. */
static int64_t segment_of(const segments *s, int64_t c) { return clipped(c >> s->width, s->first, s->last); }

/* y, as hardware has it. */
static int64_t apply(const segments *s, int64_t c) {
    const int64_t i = segment_of(s, c), n = i - s->first;
    const int64_t t = c - begin_of(s, i), inside = clipped(t, 0, begin_of(s, 1) - 1);
    const int64_t half = (int64_t)1 << (s->width - 1), q = s->slope[n] + ((s->bend[n] * inside + half) >> s->width),
                  more = s->shift == 0 ? 0 : (int64_t)1 << (s->shift - 1);
    return s->start[n] + ((t * q + more) >> s->shift);
}

/* What it rises by along segment i, where it goes on straight: over all that it stands for, of which float32 rounds the
 * ends alone. */
static double rise_of_tail(const segments *s, size_t i) {
    const double *f = s->at + 2 * i;
    const double width = ldexp(1, s->width), below = (double)(begin_of(s, s->first) - s->low),
                 above = (double)(s->high - begin_of(s, s->last));
    if (i == 0 && below > width && isfinite(s->far[0])) return (f[0] - s->far[0]) / below * width;
    return i + 1 == count_of(s) && above > width && isfinite(s->far[1]) ? (s->far[1] - f[0]) / above * width
                                                                        : f[2] - f[0];
}

/* Fits the tables to the function; false: one is not finite, or the arithmetic has no room for it. */
static bool fit(segments *s) {
    const size_t n = count_of(s);
    const double width = ldexp(1, s->width);
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        const double *f = s->at + 2 * i;
        most = fmax(most, fmax(fabs(f[1] - f[0]), fabs(f[2] - f[1])) * 2 / width / s->unit);
        if (!isfinite(f[0]) || !isfinite(f[1]) || !isfinite(f[2])) return false;
    }
    int exponent;
    frexp(most * 2, &exponent);
    const int reach = weir_bits_for(s->low - begin_of(s, s->last), s->high - begin_of(s, s->first));
    s->shift = PRODUCT_BITS - 2 - reach - exponent;
    if (s->shift > WEIR_LOWER_NUMBER_BITS) s->shift = WEIR_LOWER_NUMBER_BITS;
    if (s->shift < 0 || exponent + s->shift > WEIR_LOWER_NUMBER_BITS || s->width > WEIR_LOWER_NUMBER_BITS) return false;
    for (size_t i = 0; i < n; i++) {
        const double *f = s->at + 2 * i;
        const bool tail = (i == 0 && s->low < begin_of(s, s->first)) ||
                          (i + 1 == n && s->high >= begin_of(s, s->last + 1)); /* straight */
        const double bend = tail ? 0 : 2 * (f[2] - 2 * f[1] + f[0]),
                     slope = tail ? rise_of_tail(s, i) : f[2] - f[0] - bend;
        s->start[i] = llrint(f[0] / s->unit);
        s->slope[i] = llrint(ldexp(slope / width / s->unit, s->shift));
        s->bend[i] = llrint(ldexp(bend / width / s->unit, s->shift));
    }
    return true;
}

static void run(const segments *s, const int64_t *point, size_t count, double *result) {
    assert(weir_function_rows(s->function) == 1);
    weir_function_run(s->function, point, count, result);
}

/* Is y as near to the function as float32 is, at these points? */
static bool agrees(segments *s, const int64_t *point, size_t count) {
    double *result = weir_malloc(count * sizeof *result);
    bool fine = true;
    run(s, point, count, result);
    for (size_t i = 0; i < count && fine; i++) {
        const int64_t y = apply(s, point[i]), n = segment_of(s, point[i]) - s->first;
        const double off = fabs((double)y * s->unit - result[i]),
                     moved = fabs((double)point[i] * ldexp((double)s->slope[n], -s->shift) * s->unit);
        fine = off <= 4 * s->unit + ROUNDINGS * (fabs(result[i]) + moved) + s->least_off;
        s->off = fmax(s->off, off);
    }
    free(result);
    return fine;
}

/* Between what the parabolas go through. */
static bool agrees_inside(segments *s) {
    const size_t n = count_of(s), count = n * CHECKS;
    int64_t *point = weir_malloc(count * sizeof *point);
    for (size_t i = 0; i < count; i++) {
        const int64_t begin = begin_of(s, s->first + (int64_t)(i / CHECKS));
        point[i] = clipped(begin + (int64_t)ldexp((double)(2 * (i % CHECKS) + 1), s->width - 4), s->low, s->high);
    }
    const bool fine = agrees(s, point, count);
    free(point);
    return fine;
}

/* Beyond the last segments, near them and far. */
static bool agrees_beyond(segments *s) {
    int64_t point[2 * TAIL_CHECKS];
    const int64_t end[2] = {begin_of(s, s->first), begin_of(s, s->last + 1)};
    double share = 1;
    for (int i = 0; i < TAIL_CHECKS; i++, share *= 0.77) { /* three octaves in eight steps */
        point[2 * i] = s->low < end[0] ? end[0] + (int64_t)((double)(s->low - end[0]) * share) : end[0];
        point[2 * i + 1] = s->high > end[1] ? end[1] + (int64_t)((double)(s->high - end[1]) * share) : end[1] - 1;
    }
    for (int i = 0; i < 2 * TAIL_CHECKS; i++) point[i] = clipped(point[i], s->low, s->high);
    return agrees(s, point, 2 * TAIL_CHECKS);
}

/* Segments of that width, so many around 0, as far as there are numbers; false: they do not do. */
static bool try_segments(segments *s, int width, int64_t count, bool *inside) {
    s->width = width;
    s->first = clipped(s->low >> width, -count / 2, count / 2 - 1);
    s->last = clipped(s->high >> width, s->first, count / 2 - 1);
    s->off = 0;
    const size_t points = 2 * count_of(s) + 1;
    int64_t *point = weir_malloc(points * sizeof *point);
    for (size_t i = 0; i < points; i++) point[i] = begin_of(s, s->first) + (int64_t)i * ((int64_t)1 << (width - 1));
    run(s, point, points, s->at);
    free(point);
    const bool all = s->low >= begin_of(s, s->first) && s->high < begin_of(s, s->last + 1);
    *inside = (all || !s->bends) && fit(s) && agrees_inside(s);
    return *inside && agrees_beyond(s);
}

static void see(segments *s, int64_t c, int64_t around) {
    const int64_t y = apply(s, clipped(c, s->low, s->high));
    s->least_result = y - around < s->least_result ? y - around : s->least_result;
    s->most_result = y + around > s->most_result ? y + around : s->most_result;
}

/* The least and the most y: at the ends of segments, and where a parabola turns. */
static void find_extremes(segments *s) {
    s->least_result = INT64_MAX;
    s->most_result = INT64_MIN;
    see(s, s->low, 0);
    see(s, s->high, 0);
    for (size_t n = 0; n < count_of(s); n++) {
        const int64_t begin = begin_of(s, s->first + (int64_t)n);
        const double turn = s->bend[n] == 0 ? 0 : -ldexp((double)s->slope[n] / (double)s->bend[n], s->width - 1);
        see(s, begin, 0);
        see(s, begin + begin_of(s, 1) - 1, 0);
        if (turn > 0 && turn < ldexp(1, s->width)) see(s, begin + (int64_t)turn, 1);
    }
}

/* As few as do, and as wide as these may be. */
static bool find_segments(segments *s) {
    const int64_t reach = (s->high > 0 ? s->high : 0) - (s->low < 0 ? s->low : 0); /* segments lie around 0 */
    for (int64_t count = LEAST_SEGMENTS; count <= MOST_SEGMENTS; count *= 2) {
        int width = WEIR_LOWER_NUMBER_BITS - 1;
        while (width > 2 && (reach >> width) < count / 4) width--; /* one end may be nearer to 0 */
        for (bool inside = false; width > 1 && !inside; width--)
            if (try_segments(s, width, count, &inside)) return true;
    }
    return false;
}

/* --- nodes --- */

static weir_value constant(weir_lowering *l, weir_node node, const char *suffix, const int64_t *data,
                           const weir_shape *shape) {
    weir_array *array = weir_array_in(weir_graph_arena(l->to), WEIR_INT64, shape);
    for (size_t i = 0; i < array->count; i++) weir_array_set_int(array, i, data[i]);
    return weir_scaled_constant(l, node, suffix, array);
}

static weir_value finish(weir_lowering *l, weir_node made) {
    return weir_infer_node(l->to, made) ? weir_node_output(l->to, made, 0) : WEIR_NO_VALUE;
}

/* clip((x + half) >> shift), half up or down. */
static weir_value shifted(weir_lowering *l, weir_node node, const char *suffix, weir_value x, int shift, bool rounds,
                          int64_t low, int64_t high) {
    if (x.id == 0) return x;
    const int64_t one = 1, half = rounds && shift > 0 ? (int64_t)1 << (shift - 1) : 0;
    char name[32];
    snprintf(name, sizeof name, "%s_by", suffix);
    const weir_value by = constant(l, node, name, &one, &(weir_shape){1, {1}});
    snprintf(name, sizeof name, "%s_half", suffix);
    const weir_value inputs[3] = {x, by, constant(l, node, name, &half, &(weir_shape){1, {1}})};
    const weir_quant quant = weir_scaled_quant(l, 1, low, high);
    const weir_type type = weir_lower_codes_type(&quant, &weir_value_type(l->to, x)->shape, low, high);
    const weir_node made = weir_lower_add_node(l, node, WEIR_OP_SCALE, suffix, inputs, 3, &type);
    weir_node_set_int(l->to, made, "shift", shift);
    weir_node_set_int(l->to, made, "low", low);
    weir_node_set_int(l->to, made, "high", high);
    return finish(l, made);
}

static weir_value looked_up(weir_lowering *l, weir_node node, const char *suffix, weir_value index, const segments *s,
                            const int64_t *table) {
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (size_t i = 0; i < count_of(s); i++) {
        low = table[i] < low ? table[i] : low;
        high = table[i] > high ? table[i] : high;
    }
    char name[32];
    snprintf(name, sizeof name, "%s_table", suffix);
    const weir_value inputs[2] = {index, constant(l, node, name, table, &(weir_shape){2, {1, (int64_t)count_of(s)}})};
    const weir_quant quant = weir_scaled_quant(l, 1, low, high);
    const weir_type type = weir_lower_codes_type(&quant, &weir_value_type(l->to, index)->shape, low, high);
    const weir_node made = weir_lower_add_node(l, node, WEIR_OP_LOOKUP, suffix, inputs, 2, &type);
    weir_node_set_int(l->to, made, "low", s->first);
    return finish(l, made);
}

static weir_value combined(weir_lowering *l, weir_node node, weir_op op, const char *suffix, weir_value a, weir_value b,
                           int64_t cb) {
    if (a.id == 0 || b.id == 0) return WEIR_NO_VALUE;
    const weir_value pair[2] = {a, b};
    const weir_type type = {.dtype = WEIR_INT64,
                            .shape = weir_value_type(l->to, a)->shape,
                            .quant = {.format = WEIR_FORMAT_INTEGER, .axis = -1}};
    const weir_node made = weir_lower_add_node(l, node, op, suffix, pair, 2, &type);
    if (op == WEIR_OP_SUM) weir_node_set_int(l->to, made, "cb", cb);
    return finish(l, made);
}

static weir_value clip_to(weir_lowering *l, weir_node node, const char *suffix, weir_value x, double scale, int64_t low,
                          int64_t high) {
    if (x.id == 0) return x;
    const weir_quant quant = weir_scaled_quant(l, scale, low, high);
    const weir_type type = weir_lower_codes_type(&quant, &weir_value_type(l->to, x)->shape, low, high);
    return weir_lower_clip(l, node, suffix, x, &type);
}

/* The largest number in a table without its sign. */
static int64_t reach_of(const segments *s, const int64_t *table) {
    int64_t most = 0;
    for (size_t i = 0; i < count_of(s); i++) most = llabs(table[i]) > most ? llabs(table[i]) : most;
    return most;
}

/* How far c may be from where its segment starts, which is less than c and i alone tell: where sums are wide products
 * have no room for more. */
static weir_value within_reach(weir_lowering *l, weir_node node, weir_value t, const segments *s) {
    enum { MOST_BITS = 30 };
    const int64_t below = s->low - begin_of(s, s->first), above = s->high - begin_of(s, s->last),
                  most = begin_of(s, 1) - 1;
    const weir_type *type = t.id == 0 ? NULL : weir_value_type(l->to, t);
    if (type == NULL || weir_bits_for(type->low, type->high) <= MOST_BITS) return t;
    return clip_to(l, node, "_reach", t, 1, below < 0 ? below : 0, above > most ? above : most);
}

static weir_value emit(weir_lowering *l, weir_node node, weir_value c, const segments *s) {
    const int64_t all = INT32_MAX, most = begin_of(s, 1) - 1, bend = reach_of(s, s->bend);
    const weir_value i = shifted(l, node, "_segment", c, s->width, false, s->first, s->last),
                     t = within_reach(l, node, combined(l, node, WEIR_OP_SUM, "_along", c, i, -begin_of(s, 1)), s),
                     inside = clip_to(l, node, "_inside", t, 1, 0, most);
    if (inside.id == 0) return inside;
    const weir_value bent = shifted(l, node, "_bent",
                                    combined(l, node, WEIR_OP_MULTIPLY, "_bending",
                                             looked_up(l, node, "_bend", i, s, s->bend), inside, 0),
                                    s->width, true, -bend, bend),
                     q = combined(l, node, WEIR_OP_SUM, "_rise", looked_up(l, node, "_slope", i, s, s->slope), bent, 1),
                     along = combined(l, node, WEIR_OP_MULTIPLY, "_rising", t, q, 0),
                     risen = shifted(l, node, "_risen", along, s->shift, true, -all, all);
    const weir_value y =
        combined(l, node, WEIR_OP_SUM, "_result", looked_up(l, node, "_start", i, s, s->start), risen, 1);
    return clip_to(l, node, "_function", y, s->unit, s->least_result, s->most_result);
}

/* --- the function --- */

/* The most that y changes for a step of c. */
static double steepest(const segments *s) {
    double most = 0;
    for (size_t i = 0; i < count_of(s); i++) {
        const double *f = s->at + 2 * i;
        most = fmax(most, 2 * fmax(fabs(f[1] - f[0]), fabs(f[2] - f[1])));
    }
    return ldexp(most, -s->width);
}

/* The largest result, about. */
static double largest_of(const segments *s) {
    int64_t point[4 * TAIL_CHECKS];
    double result[4 * TAIL_CHECKS], largest = 0;
    for (int i = 0; i < 4 * TAIL_CHECKS; i++)
        point[i] = s->low + (int64_t)((double)(s->high - s->low) * i / (4 * TAIL_CHECKS - 1));
    run(s, point, 4 * TAIL_CHECKS, result);
    for (int i = 0; i < 4 * TAIL_CHECKS; i++) largest = fmax(largest, isfinite(result[i]) ? fabs(result[i]) : 0);
    return largest;
}

/* Are there no corners on the way from the root to the value? `bends`: but what is straight nowhere. */
static bool has_no_corners(weir_lowering *l, weir_value value, weir_value root, bool *bends) {
    if (value.id == root.id || weir_value_producer(l->from, value).id == 0) return true;
    const weir_node node = weir_value_producer(l->from, value);
    const weir_op op = weir_node_op(l->from, node);
    const weir_trait *trait = weir_trait_of(op);
    const bool divides =
        trait->kind == WEIR_OP_DIV && weir_lower_constant(l, weir_node_input(l->from, node, 1)) != NULL;
    const bool at_zero = trait->curve == WEIR_CURVE_CORNER && weir_node_input(l->from, node, 0).id == root.id;
    const bool straight = weir_index_map_reshapes(op) || divides || trait->curve == WEIR_CURVE_SMOOTH || at_zero ||
                          weir_expression_has_data(weir_lower_expression(l, value));
    bool fine = straight || trait->curve == WEIR_CURVE_BENT;
    *bends |= !straight;
    for (size_t i = 0; fine && i < weir_node_input_count(l->from, node); i++) {
        const weir_value input = weir_node_input(l->from, node, i);
        fine = input.id == 0 || has_no_corners(l, input, root, bends);
    }
    return fine;
}

weir_value weir_lower_segments(weir_lowering *l, weir_node node, weir_value value, weir_value root, weir_value codes) {
    const weir_lowering_value known = l->of[root.id];
    const weir_type *type = weir_value_type(l->to, codes);
    assert(type->has_range && type->quant.count == 1 && weir_quant_zero(&type->quant, 0) == 0);
    bool bends = false;
    if (!has_no_corners(l, value, root, &bends)) return WEIR_NO_VALUE;
    l->of[root.id].expression = weir_expression_codes(weir_graph_arena(l->to), codes);
    segments s = {.function = weir_function_new(l, value, root), .low = type->low, .high = type->high, .bends = bends};
    weir_value result = WEIR_NO_VALUE;
    if (s.function != NULL && weir_function_rows(s.function) == 1) {
        s.start = weir_malloc(3 * MOST_SEGMENTS * sizeof *s.start);
        s.slope = s.start + MOST_SEGMENTS;
        s.bend = s.slope + MOST_SEGMENTS;
        s.at = weir_malloc((2 * MOST_SEGMENTS + 1) * sizeof *s.at);
        const double largest = largest_of(&s);
        s.unit = weir_scaled_unit(largest, WEIR_LOWER_NUMBER_BITS);
        s.least_off = 0x1p-23 * fmin(1, largest);
        run(&s, (const int64_t[2]){s.low, s.high}, 2, s.far);
        if ((!bends || largest < MOST_BENT) && find_segments(&s)) {
            find_extremes(&s);
            l->rounding *= fmax(1, steepest(&s) / weir_quant_scale(&type->quant, 0));
            result = emit(l, node, codes, &s);
            weir_scaled_note(l, 2 * s.off + 4 * s.unit);
        }
        free(s.start);
        free(s.at);
    }
    if (s.function != NULL) weir_function_free(s.function);
    l->of[root.id] = known;
    return result;
}
