/* Lowering of a quantized addition, y = clip(round((sa * (a - za) + sb * (b - zb)) / sy) + zy), and of a difference, with -sb in
 * place of sb
 * (the exact sum, then one rounding: what ONNX Runtime's QLinearAdd gives, spec: numerics rule 2).
 * The codes take few values, so the function is tabulated over all pairs (a, b), and the smallest integers ca, cb are
 * searched for which it is a staircase of ca * a + cb * b, with even steps if possible: Sum and Threshold then compute
 * it exactly, by exhaustion. */
#include <math.h>
#include <stdlib.h>

#include "exec/contract.h"
#include "ir/infer.h"
#include "passes/transform/view.h"
#include "support/arena.h"

/* Coefficients are tried up to this many fraction bits of the scale ratios; pairs of codes up to this many.
 * A sample of the pairs refutes most candidates before all pairs are looked at. */
enum { MAX_EVEN_FRACTION = 24, MAX_FRACTION = 24, MAX_PAIRS = 1 << 20, SAMPLE = 5 };

typedef struct sum_table {
    const weir_type *a, *b;
    double sign;       /* of b */
    int64_t low, high; /* of the result */
    int64_t *result;   /* [a - a.low][b - b.low] */
} sum_table;

static size_t span(const weir_type *type) { return (size_t)(type->high - type->low + 1); }

static void tabulate(sum_table *table, const weir_quant *quant, weir_contract contract) {
    double sa = weir_quant_scale(&table->a->quant, 0), sb = table->sign * weir_quant_scale(&table->b->quant, 0);
    int64_t za = weir_quant_zero(&table->a->quant, 0), zb = weir_quant_zero(&table->b->quant, 0);
    size_t i = 0;
    for (int64_t a = table->a->low; a <= table->a->high; a++) {
        for (int64_t b = table->b->low; b <= table->b->high; b++) {
            int64_t code = weir_encode_sum(sa * (double)(a - za) + sb * (double)(b - zb), quant, 0, contract);
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

/* Any steps: step[k] is a sum that parts the results up to low + k from those above, as near to the real-valued step
 * `wanted + k * stride` as the table allows. */
static bool any_steps(const sum_bounds *bounds, double wanted, double stride, int64_t *step) {
    for (size_t k = 0; k + 1 < bounds->codes; k++) {
        int64_t most = bounds->most[k], least = bounds->least[k + 1];
        if (most != INT64_MIN && least != INT64_MAX && most >= least) return false;
        double at = ceil(wanted + (double)k * stride);
        if (least != INT64_MAX) at = fmin(at, (double)least);
        if (most != INT64_MIN) at = fmax(at, (double)most + 1);
        step[k] = (int64_t)at;
    }
    return true;
}

/* Fewest fraction bits of the scale ratios for which even steps do; where ties forbid those, for which any steps do. */
static bool search(const sum_table *table, const weir_quant *quant, sum_bounds *bounds, int64_t *ca, int64_t *cb,
                   int64_t *step) {
    double sy = weir_quant_scale(quant, 0);
    double ra = weir_quant_scale(&table->a->quant, 0) / sy;
    double rb = table->sign * weir_quant_scale(&table->b->quant, 0) / sy;
    double constant = (double)weir_quant_zero(quant, 0) - ra * (double)weir_quant_zero(&table->a->quant, 0) -
                      rb * (double)weir_quant_zero(&table->b->quant, 0);
    double first = (double)table->low + 0.5 - constant;
    for (int even = 1; even >= 0; even--) {
        if (!even && ra == fabs(rb)) {
            *ca = 1;
            *cb = rb < 0 ? -1 : 1;
            bound(table, *ca, *cb, 1, bounds);
            if (any_steps(bounds, first / ra, 1 / ra, step)) return true;
        }
        for (int bits = 0; bits <= (even ? MAX_EVEN_FRACTION : MAX_FRACTION); bits++) {
            double unit = ldexp(1, bits);
            *ca = (int64_t)nearbyint(ra * unit);
            *cb = (int64_t)nearbyint(rb * unit);
            if (*ca == 0 || *cb == 0 || *ca > INT32_MAX || llabs(*cb) > INT32_MAX) continue;
            bound(table, *ca, *cb, SAMPLE, bounds);
            if (!(even ? even_steps(bounds, bits, first * unit, step) : any_steps(bounds, first * unit, unit, step)))
                continue;
            bound(table, *ca, *cb, 1, bounds);
            if (even ? even_steps(bounds, bits, first * unit, step) : any_steps(bounds, first * unit, unit, step))
                return true;
        }
    }
    return false;
}

static bool emit_sum(weir_lowering *l, weir_node node, const weir_view *sum, const weir_quant *quant,
                     const sum_table *table, int64_t ca, int64_t cb, const int64_t *step) {
    weir_value inputs[2] = {sum->value, sum->other};
    bool both = weir_node_op(l->from, node) == WEIR_OP_QLINEAR_ADD; /* adds and quantizes */
    weir_node source = both ? node : weir_value_producer(l->from, weir_node_input(l->from, node, 0));
    weir_type type = {
        .dtype = WEIR_INT64, .shape = table->a->shape, .quant = {.format = WEIR_FORMAT_INTEGER, .axis = -1}};
    weir_node added = weir_lower_add_node(l, source.id == 0 ? node : source, WEIR_OP_SUM, "", inputs, 2, &type);
    weir_node_set_int(l->to, added, "ca", ca);
    weir_node_set_int(l->to, added, "cb", cb);
    if (!weir_infer_node(l->to, added)) return false;
    int64_t count = table->high - table->low;
    weir_array *steps = weir_array_new(WEIR_INT64, &(weir_shape){2, {1, count}});
    for (int64_t k = 0; k < count; k++) weir_array_set_int(steps, (size_t)k, step[k]);
    char *name = weir_format("%s_thresholds", weir_node_name(l->to, added));
    weir_value operands[2] = {weir_node_output(l->to, added, 0), weir_graph_add_constant(l->to, name, steps)};
    free(name);
    weir_array_free(steps);
    int64_t least, most;
    weir_quant_limits(quant, &least, &most);
    weir_type codes = {.dtype = weir_dtype_for(least, most), .shape = type.shape, .quant = *quant};
    weir_node threshold = weir_lower_add_node(l, node, WEIR_OP_THRESHOLD, "", operands, 2, &codes);
    weir_node_rename(l->to, threshold, weir_node_name(l->to, added), "_requantize");
    weir_node_set_int(l->to, threshold, "base", table->low);
    weir_node_set_int(l->to, threshold, "step", 1);
    weir_view view = {.kind = WEIR_VIEW_CODES, .value = weir_node_output(l->to, threshold, 0)};
    if (!weir_infer_node(l->to, threshold)) return false;
    if (sum->reshaped) view.value = weir_lower_reshape(l, node, view.value, &sum->shape);
    weir_lower_set(l, node, &view);
    return true;
}

bool weir_lower_sum_exact(weir_lowering *l, weir_node node, weir_view *sum) {
    enum { MOST = 1 << 15 };
    const weir_type *a = weir_value_type(l->to, sum->value), *b = weir_value_type(l->to, sum->other);
    if (a->quant.count > 1 || b->quant.count > 1) return false;
    const double sa = weir_quant_scale(&a->quant, 0), sb = weir_quant_scale(&b->quant, 0), unit = fmin(sa, sb);
    int exponent;
    if (frexp(sa / sb, &exponent) != 0.5 || sa / unit > MOST || sb / unit > MOST) return false;
    const int64_t ca = (int64_t)(sa / unit), cb = (int64_t)(sb / unit) * (sum->minus ? -1 : 1);
    double *scale = weir_arena_array(weir_graph_arena(l->to), 1, sizeof *scale);
    int64_t *zero = weir_arena_array(weir_graph_arena(l->to), 1, sizeof *zero);
    *scale = unit;
    *zero = ca * weir_quant_zero(&a->quant, 0) + cb * weir_quant_zero(&b->quant, 0);
    const weir_quant quant = {
        .format = WEIR_FORMAT_INTEGER, .axis = -1, .count = 1, .scale = scale, .zero_point = zero};
    const weir_type type = {.dtype = WEIR_INT64, .shape = a->shape, .quant = quant};
    const weir_value inputs[2] = {sum->value, sum->other};
    weir_node added = weir_lower_add_node(l, node, WEIR_OP_SUM, "_input", inputs, 2, &type);
    weir_node_set_int(l->to, added, "ca", ca);
    weir_node_set_int(l->to, added, "cb", cb);
    if (!weir_infer_node(l->to, added)) return false;
    *sum = (weir_view){.kind = WEIR_VIEW_CODES,
                       .value = weir_node_output(l->to, added, 0),
                       .relu = sum->relu,
                       .reshaped = sum->reshaped,
                       .shape = sum->shape};
    return true;
}

bool weir_lower_sum(weir_lowering *l, weir_node node, const weir_view *sum, const weir_quant *quant) {
    sum_table table = {
        .a = weir_value_type(l->to, sum->value), .b = weir_value_type(l->to, sum->other), .sign = sum->minus ? -1 : 1};
    weir_lower_bounds(quant, sum->relu, l->contract, &table.low, &table.high);
    if (table.a->quant.count > 1 || table.b->quant.count > 1 || !table.a->has_range || !table.b->has_range ||
        span(table.a) > MAX_PAIRS || span(table.b) > MAX_PAIRS || span(table.a) * span(table.b) > MAX_PAIRS ||
        table.high - table.low > 65535) {
        weir_lower_fail(l, node, "hardware adds tensors of up to 10 bits with one scale each");
        weir_note("quantize what is added, products and convolutions too, with codes of up to 10 bits");
        return false;
    }
    table.result = weir_malloc(span(table.a) * span(table.b) * sizeof *table.result);
    tabulate(&table, quant, l->contract);
    int64_t ca = 0, cb = 0;
    size_t codes = (size_t)(table.high - table.low + 1);
    int64_t *step = weir_malloc(codes * sizeof *step);
    sum_bounds bounds = {codes, weir_malloc(codes * sizeof(int64_t)), weir_malloc(codes * sizeof(int64_t))};
    bool fine = search(&table, quant, &bounds, &ca, &cb, step);
    if (fine) fine = emit_sum(l, node, sum, quant, &table, ca, cb, step);
    else weir_lower_fail(l, node, "no integer coefficients reproduce the quantized addition");
    free(step);
    free(bounds.least);
    free(bounds.most);
    free(table.result);
    return fine;
}
