/* Lowering of a quantized addition or difference, y = clip(round((sa * (a - za) +- sb * (b - zb)) / sy) + zy), in the
 * arithmetic of the model where that is a function of both codes: float32, or that of QLinearAdd (quant/contract.h);
 * else exactly, rounded once. The codes take few values, so the function is tabulated over all pairs (a, b), and
 * integers ca, cb are found for which it is a staircase of ca * a + cb * b, with even steps if possible: Sum and
 * Threshold then compute it, proved by exhaustion. For exact sums there always are such integers: the function rises
 * with sa * a + sb * b, and two ratios ca / cb order n * n pairs alike where no fraction of terms up to n lies between
 * them, so that terms up to 2n can stand for any scales. Where the errors of float32 leave none, the exact sum stands
 * for it, with QLinearAdd's zero point added before it is rounded. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "passes/graph/rewrite.h"
#include "passes/lower/lower.h"
#include "quant/contract.h"
#include "quant/staircase.h"
#include "support/memory/arena.h"

/* Coefficients are tried up to this many fraction bits of the scale ratios, then up to this number; pairs of codes up
 * to these many. A sample of the pairs refutes most candidates before all pairs are looked at. */
enum { MAX_FRACTION = 24, MAX_TERM = 1 << 21, MAX_PAIRS = 1 << 20, SAMPLE = 5 };

typedef struct sum_table {
    const weir_type *a, *b;
    double sign;       /* of b */
    int64_t low, high; /* of the result */
    int64_t *result;   /* [a - a.low][b - b.low] */
} sum_table;

static size_t span(const weir_type *type) { return (size_t)(type->high - type->low + 1); }

/* Whose sum of two codes it is: the exact one, rounded once; of two dequantized float32 numbers; QLinearAdd's. */
typedef enum sum_arithmetic { EXACT_SUM, FLOAT_SUM, QLINEAR_SUM } sum_arithmetic;

typedef struct pair_sum {
    sum_arithmetic arithmetic;
    const weir_quant *quant;
    weir_contract contract;
    double sa, sb;
    int64_t za, zb;
    weir_qlinear_sum qlinear;
} pair_sum;

static int64_t sum_of_pair(const pair_sum *s, int64_t a, int64_t b) {
    if (s->arithmetic == QLINEAR_SUM) return weir_qlinear_sum_apply(&s->qlinear, a, b);
    a -= s->za;
    b -= s->zb;
    if (s->arithmetic == EXACT_SUM)
        return weir_encode_sum(s->sa * (double)a + s->sb * (double)b, s->quant, 0, s->contract);
    const float x = (float)a * (float)s->sa, y = (float)b * (float)s->sb;
    return weir_encode((double)(x + y), s->quant, 0, s->contract);
}

static void tabulate(sum_table *table, sum_arithmetic arithmetic, const weir_quant *quant, weir_contract contract) {
    const weir_quant *of_a = &table->a->quant, *of_b = &table->b->quant;
    const pair_sum sum = {.arithmetic = arithmetic,
                          .quant = quant,
                          .contract = contract,
                          .sa = weir_quant_scale(of_a, 0),
                          .sb = table->sign * weir_quant_scale(of_b, 0),
                          .za = weir_quant_zero(of_a, 0),
                          .zb = weir_quant_zero(of_b, 0),
                          .qlinear = weir_qlinear_sum_of(of_a, of_b, quant, table->low, table->high)};
    size_t i = 0;
    for (int64_t a = table->a->low; a <= table->a->high; a++) {
        for (int64_t b = table->b->low; b <= table->b->high; b++) {
            const int64_t code = sum_of_pair(&sum, a, b);
            table->result[i++] = code < table->low ? table->low : code > table->high ? table->high : code;
        }
    }
}

/* For sums ca * a + cb * b: least[k] is the smallest that gives low + k or more, most[k] the largest that gives low + k
 * or less; INT64_MAX and INT64_MIN when none does. */
typedef struct sum_bounds {
    size_t codes;
    int64_t *least, *most;
} sum_bounds;

/* Over every `stride`-th code of each operand. */
static void bound(const sum_table *table, int64_t ca, int64_t cb, int64_t stride, sum_bounds *bounds) {
    int64_t *least = bounds->least, *most = bounds->most;
    for (size_t k = 0; k < bounds->codes; k++) {
        least[k] = INT64_MAX;
        most[k] = INT64_MIN;
    }
    for (int64_t a = table->a->low; a <= table->a->high; a += stride) {
        const int64_t *row = table->result + (size_t)(a - table->a->low) * span(table->b);
        for (int64_t b = table->b->low; b <= table->b->high; b += stride) {
            size_t k = (size_t)(row[b - table->b->low] - table->low);
            int64_t sum = ca * a + cb * b;
            if (sum < least[k]) least[k] = sum;
            if (sum > most[k]) most[k] = sum;
        }
    }
    for (size_t k = bounds->codes - 1; k > 0; k--) least[k - 1] = least[k] < least[k - 1] ? least[k] : least[k - 1];
    for (size_t k = 1; k < bounds->codes; k++) most[k] = most[k - 1] > most[k] ? most[k - 1] : most[k];
}

/* Steps exactly 2^bits apart: then an addition and a shift after the sum are enough. `wanted` is the real-valued first
 * step. */
static bool even_steps(const sum_bounds *bounds, int bits, double wanted, int64_t *step) {
    double low = -9e15, high = 9e15, unit = ldexp(1, bits);
    for (size_t k = 0; k + 1 < bounds->codes; k++) {
        if (bounds->most[k] != INT64_MIN) low = fmax(low, (double)bounds->most[k] + 1 - (double)k * unit);
        if (bounds->least[k + 1] != INT64_MAX) high = fmin(high, (double)bounds->least[k + 1] - (double)k * unit);
    }
    if (low > high) return false;
    double first = fmax(low, fmin(high, ceil(wanted)));
    for (size_t k = 0; k + 1 < bounds->codes; k++) step[k] = (int64_t)first + ((int64_t)k << bits);
    return true;
}

/* How much room steps `stride` apart have, less than 0 for none; the first of them in the middle of it. */
static double room(const sum_bounds *bounds, double stride, double *first) {
    double low = -HUGE_VAL, high = HUGE_VAL;
    for (size_t k = 0; k + 1 < bounds->codes; k++) {
        const double at = (double)k * stride;
        if (bounds->most[k] != INT64_MIN) low = fmax(low, (double)bounds->most[k] - at);
        if (bounds->least[k + 1] != INT64_MAX) high = fmin(high, (double)bounds->least[k + 1] - at);
    }
    *first = (low + high) / 2;
    return high - low;
}

/* Of the steps evenly spaced near `stride` those with the most room, which is concave in it; false: none fit. */
static bool spread(const sum_bounds *bounds, double *first, double *stride) {
    enum { ROUNDS = 100 };
    double low = *stride * 0.75, high = *stride * 1.25, at;
    for (int i = 0; i < ROUNDS; i++) {
        const double left = low + (high - low) / 3, right = high - (high - low) / 3;
        if (room(bounds, left, &at) < room(bounds, right, &at)) low = left;
        else high = right;
    }
    if (!(room(bounds, low, &at) > 0)) return false;
    if (isfinite(at)) *first = at;
    *stride = low;
    return true;
}

/* Do steps[k] part the results up to low + k from those above? Then those nearest to `first + k * stride`, and no
 * further than where it makes no difference. */
static bool any_steps(const sum_bounds *bounds, double first, double stride, int64_t *step) {
    const double least_sum = (double)bounds->least[0], end = (double)bounds->most[bounds->codes - 1] + 1;
    for (size_t k = 0; k + 1 < bounds->codes; k++) {
        int64_t most = bounds->most[k], least = bounds->least[k + 1];
        if (most != INT64_MIN && least != INT64_MAX && most >= least) return false;
        double at = fmax(least_sum, fmin(end, ceil(first + (double)k * stride)));
        if (least != INT64_MAX) at = fmin(at, (double)least);
        if (most != INT64_MIN) at = fmax(at, (double)most + 1);
        step[k] = (int64_t)at;
    }
    return true;
}

typedef struct sum_search {
    const sum_table *table;
    double ra, rb; /* codes of the result, a code of each operand */
    double first;  /* the real-valued first step */
    sum_bounds bounds;
    int64_t ca, cb;
    int64_t *step;
} sum_search;

/* The sums a code of the result, as the operand that changes it more has it. */
static double stride_of(const sum_search *s) {
    const double a = s->ra * (double)span(s->table->a), b = fabs(s->rb) * (double)span(s->table->b);
    return a > b ? (double)s->ca / s->ra : (double)s->cb / s->rb;
}

/* How far steps are apart: 2^bits, which a shift undoes; by one real number, which a multiplier undoes; anyhow, for
 * thresholds. */
typedef enum sum_spacing { SHIFTED, SCALED, FREE } sum_spacing;

static bool have_steps(sum_search *s, sum_spacing spacing, int bits) {
    if (spacing == SHIFTED) return even_steps(&s->bounds, bits, ldexp(s->first, bits), s->step);
    double stride = stride_of(s), first = s->first * stride;
    return (spacing == FREE || spread(&s->bounds, &first, &stride)) && any_steps(&s->bounds, first, stride, s->step);
}

/* Are the results a staircase of ca * a + cb * b? */
static bool holds(sum_search *s, int64_t ca, int64_t cb, sum_spacing spacing, int bits) {
    bool fine = true;
    s->ca = ca;
    s->cb = cb;
    for (int64_t stride = SAMPLE; fine && stride > 0; stride = stride == 1 ? 0 : 1) {
        bound(s->table, ca, cb, stride, &s->bounds);
        fine = have_steps(s, spacing, bits);
    }
    return fine;
}

static bool find_shifted(sum_search *s) {
    for (int bits = 0; bits <= MAX_FRACTION; bits++) {
        const double ca = nearbyint(ldexp(s->ra, bits)), cb = nearbyint(ldexp(s->rb, bits));
        if (ca == 0 || cb == 0 || ca > INT32_MAX || fabs(cb) > INT32_MAX) continue;
        if (holds(s, (int64_t)ca, (int64_t)cb, SHIFTED, bits)) return true;
    }
    return false;
}

/* A path in the tree of Stern and Brocot goes from `before` by so many times `last`, then on from there. */
typedef struct fraction {
    int64_t a, b;
} fraction;

static fraction along(fraction before, fraction last, int64_t times) {
    return (fraction){before.a + times * last.a, before.b + times * last.b};
}

static bool fits(sum_search *s, fraction ratio, sum_spacing spacing) {
    return holds(s, ratio.a, s->rb < 0 ? -ratio.b : ratio.b, spacing, 0);
}

/* The simplest fraction ca / cb that does, of terms up to MAX_TERM: those that do are an interval around the ratio of
 * the scales, so it is the first one on the path to that ratio. */
static bool find_simplest(sum_search *s, sum_spacing spacing) {
    fraction before = {0, 1}, last = {1, 0};
    double x = weir_quant_scale(&s->table->a->quant, 0), y = weir_quant_scale(&s->table->b->quant, 0);
    while (y > 0 && last.a <= MAX_TERM && last.b <= MAX_TERM) {
        const double rest = fmod(x, y), whole = (x - rest) / y;
        const int64_t times = whole > MAX_TERM ? MAX_TERM : (int64_t)whole;
        int64_t low = 0, high = times;
        const bool found = times > 0 && fits(s, along(before, last, times), spacing);
        while (found && high - low > 1) {
            const int64_t middle = low + (high - low) / 2;
            if (fits(s, along(before, last, middle), spacing)) high = middle;
            else low = middle;
        }
        if (found) return fits(s, along(before, last, high), spacing);
        const fraction next = along(before, last, times);
        before = last;
        last = next;
        x = y;
        y = rest;
    }
    return false;
}

/* False: no integers do, which takes another arithmetic than the exact one. */
static bool search(sum_search *s, const weir_quant *quant) {
    const weir_quant *a = &s->table->a->quant, *b = &s->table->b->quant;
    const double sy = weir_quant_scale(quant, 0);
    s->ra = weir_quant_scale(a, 0) / sy;
    s->rb = s->table->sign * weir_quant_scale(b, 0) / sy;
    s->first = (double)s->table->low + 0.5 -
               ((double)weir_quant_zero(quant, 0) - s->ra * (double)weir_quant_zero(a, 0) -
                s->rb * (double)weir_quant_zero(b, 0));
    return find_shifted(s) || find_simplest(s, SCALED) || find_simplest(s, FREE);
}

/* The node that adds, with the quantizer `node` or by itself, as `type`; no value after a reported error. */
static weir_value add_sum(weir_lowering *l, weir_node node, const char *suffix, const weir_leaf_sum *sum, int64_t ca,
                          int64_t cb, const weir_quant *quant) {
    const weir_value inputs[2] = {sum->left.codes, sum->right.codes};
    const weir_type type = {.dtype = WEIR_INT64, .shape = weir_value_type(l->to, inputs[0])->shape, .quant = *quant};
    const weir_node added = weir_lower_add_node(l, node, WEIR_OP_SUM, suffix, inputs, 2, &type);
    weir_node_set_int(l->to, added, "ca", ca);
    weir_node_set_int(l->to, added, "cb", cb);
    return weir_infer_node(l->to, added) ? weir_node_output(l->to, added, 0) : WEIR_NO_VALUE;
}

/* What the sum is called after: the node, or what a quantizer quantizes. */
static weir_node source_of(const weir_lowering *l, weir_node node) {
    const weir_node source = weir_value_producer(l->from, weir_node_input(l->from, node, 0));
    return !weir_trait_is_quantizer(weir_node_op(l->from, node)) || source.id == 0 ? node : source;
}

static bool emit_sum(weir_lowering *l, weir_node node, const weir_leaf_sum *sum, const weir_quant *quant,
                     const sum_search *s) {
    const weir_quant plain = {.format = WEIR_FORMAT_INTEGER, .axis = -1};
    const weir_value added = add_sum(l, source_of(l, node), "", sum, s->ca, s->cb, &plain);
    if (added.id == 0) return false;
    const char *name = weir_node_name(l->to, weir_value_producer(l->to, added));
    const int64_t count = s->table->high - s->table->low;
    weir_array *steps = weir_array_new(WEIR_INT64, &(weir_shape){2, {1, count}});
    for (int64_t k = 0; k < count; k++) weir_array_set_int(steps, (size_t)k, s->step[k]);
    char *thresholds = weir_format("%s_thresholds", name);
    weir_value operands[2] = {added, weir_graph_add_constant(l->to, thresholds, steps)};
    free(thresholds);
    weir_array_free(steps);
    int64_t least, most;
    weir_quant_limits(quant, &least, &most);
    weir_type codes = {
        .dtype = weir_dtype_for(least, most), .shape = weir_value_type(l->to, added)->shape, .quant = *quant};
    weir_node threshold = weir_lower_add_node(l, node, WEIR_OP_THRESHOLD, "", operands, 2, &codes);
    weir_node_rename(l->to, threshold, name, "_requantize");
    weir_node_set_int(l->to, threshold, "base", s->table->low);
    weir_node_set_int(l->to, threshold, "step", 1);
    if (!weir_infer_node(l->to, threshold)) return false;
    return weir_lower_set_codes(l, node,
                                weir_lower_mapped(l, node, weir_node_output(l->to, threshold, 0), sum->left.map));
}

/* The largest number of which both are whole multiples, in the bits that both have. */
static double common_unit(double a, double b) {
    while (b > 0) {
        const double rest = fmod(a, b);
        a = b;
        b = rest;
    }
    return a;
}

/* The largest sum, as a float64 must hold it exactly. */
static double reach(const weir_type *type, double factor) {
    return factor *
           (fmax(fabs((double)type->low), fabs((double)type->high)) + fabs((double)weir_quant_zero(&type->quant, 0)));
}

const weir_expression *weir_lower_sum_exact(weir_lowering *l, weir_node node, const char *suffix,
                                            const weir_expression *x) {
    const weir_leaf_sum *sum = weir_expression_sum_of(x);
    const weir_type *a = weir_value_type(l->to, sum->left.codes), *b = weir_value_type(l->to, sum->right.codes);
    if (a->quant.count > 1 || b->quant.count > 1 || !a->has_range || !b->has_range) return NULL;
    const double sa = weir_quant_scale(&a->quant, 0), sb = weir_quant_scale(&b->quant, 0), unit = common_unit(sa, sb);
    if (sa / unit > INT32_MAX || sb / unit > INT32_MAX || reach(a, sa / unit) + reach(b, sb / unit) > 0x1p52)
        return NULL;
    const int64_t ca = (int64_t)(sa / unit), cb = (int64_t)(sb / unit) * (sum->minus ? -1 : 1);
    double *scale = weir_arena_array(weir_graph_arena(l->to), 1, sizeof *scale);
    int64_t *zero = weir_arena_array(weir_graph_arena(l->to), 1, sizeof *zero);
    *scale = unit;
    *zero = ca * weir_quant_zero(&a->quant, 0) + cb * weir_quant_zero(&b->quant, 0);
    const weir_quant quant = {
        .format = WEIR_FORMAT_INTEGER, .axis = -1, .count = 1, .scale = scale, .zero_point = zero};
    const weir_value added = add_sum(l, source_of(l, node), suffix, sum, ca, cb, &quant);
    if (added.id == 0) return NULL;
    return weir_expression_with_leaf(weir_graph_arena(l->to), x, &(weir_leaf){.codes = added, .map = sum->left.map});
}

/* Different ones. */
static uint32_t count_scales(const weir_quant *quant) {
    uint32_t count = 1;
    for (uint32_t c = 1; c < quant->count; c++) {
        bool is_new = true;
        for (uint32_t k = 0; k < c; k++) is_new &= weir_quant_scale(quant, k) != weir_quant_scale(quant, c);
        count += is_new;
    }
    return count;
}

bool weir_lower_fail_sum(const weir_lowering *l, weir_node node, const weir_expression *x) {
    const weir_leaf_sum *sum = weir_expression_sum_of(x);
    const weir_quant *a = &weir_value_type(l->to, sum->left.codes)->quant,
                     *b = &weir_value_type(l->to, sum->right.codes)->quant;
    const uint32_t of_a = count_scales(a), of_b = count_scales(b);
    if (of_a > 1 || of_b > 1) {
        weir_lower_fail(l, node, "hardware adds tensors with one scale each, found %u", of_a > 1 ? of_a : of_b);
        weir_note("quantize all operands, products and convolutions too, with one scale per tensor");
        return false;
    }
    if (a->count > 1 || b->count > 1) {
        weir_lower_fail(l, node,
                        "hardware adds tensors with one zero point each, but one of these has one per channel");
        weir_note("quantize all operands, products and convolutions too");
        return false;
    }
    weir_lower_fail(l, node, "the scales of its operands, %g and %g, are too far apart for an exact sum",
                    weir_quant_scale(a, 0), weir_quant_scale(b, 0));
    weir_note("quantize both with scales within a factor of 100 of each other, or with codes of up to 10 bits");
    return false;
}

bool weir_lower_sum_is_narrow(const weir_lowering *l, const weir_leaf_sum *sum) {
    const weir_type *a = weir_value_type(l->to, sum->left.codes), *b = weir_value_type(l->to, sum->right.codes);
    return a->quant.count <= 1 && b->quant.count <= 1 && a->has_range && b->has_range && span(a) <= MAX_PAIRS &&
           span(b) <= MAX_PAIRS && span(a) * span(b) <= MAX_PAIRS;
}

bool weir_lower_sum_has_table(const weir_lowering *l, const weir_expression *x, const weir_quant *quant) {
    int64_t low, high;
    weir_quant_limits(quant, &low, &high);
    return weir_lower_sum_is_narrow(l, weir_expression_sum_of(x)) && high - low < WEIR_STAIRCASE_CODES;
}

/* The model's own where that is a function of the two codes. */
static sum_arithmetic arithmetic_of(const weir_lowering *l, weir_node node, const weir_leaf_sum *sum) {
    if (weir_trait_kind(l->from, node) == WEIR_OP_QLINEAR_ADD) return QLINEAR_SUM;
    const bool are_codes =
        weir_lower_is_one_code(l->to, sum->left.codes) && weir_lower_is_one_code(l->to, sum->right.codes);
    return l->contract == WEIR_CONTRACT_REAL || !are_codes ? EXACT_SUM : FLOAT_SUM;
}

bool weir_lower_sum(weir_lowering *l, weir_node node, const weir_expression *x, const weir_quant *quant) {
    const weir_leaf_sum *sum = weir_expression_sum_of(x);
    const bool relu = weir_expression_kind_of(x) == WEIR_EXPRESSION_RELU;
    sum_table table = {.a = weir_value_type(l->to, sum->left.codes),
                       .b = weir_value_type(l->to, sum->right.codes),
                       .sign = sum->minus ? -1 : 1};
    weir_lower_bounds(quant, relu, l->contract, &table.low, &table.high);
    table.result = weir_malloc(span(table.a) * span(table.b) * sizeof *table.result);
    size_t codes = (size_t)(table.high - table.low + 1);
    sum_search found = {.table = &table, .step = weir_malloc(codes * sizeof *found.step)};
    found.bounds = (sum_bounds){codes, weir_malloc(codes * sizeof(int64_t)), weir_malloc(codes * sizeof(int64_t))};
    sum_arithmetic arithmetic = arithmetic_of(l, node, sum);
    tabulate(&table, arithmetic, quant, l->contract);
    bool is_found = search(&found, quant);
    if (!is_found && arithmetic != EXACT_SUM) {
        tabulate(&table, EXACT_SUM, quant, arithmetic == QLINEAR_SUM ? WEIR_CONTRACT_REAL : l->contract);
        is_found = search(&found, quant);
    }
    assert(is_found);
    const bool fine = emit_sum(l, node, sum, quant, &found);
    free(found.step);
    free(found.bounds.least);
    free(found.bounds.most);
    free(table.result);
    return fine;
}
