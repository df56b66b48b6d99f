#include "passes/quantize/calibrator.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/elementary.h"
#include "support/memory/arena.h"
#include "support/text/unreachable.h"

enum { BINS = WEIR_HISTOGRAM_BINS, HALF = BINS / 2 };

const char *const weir_calibrator_names[WEIR_CALIBRATOR_COUNT + 1] = {
    [WEIR_CALIBRATOR_MAX] = "max",
    [WEIR_CALIBRATOR_PERCENTILE] = "percentile",
    [WEIR_CALIBRATOR_ENTROPY] = "entropy",
    [WEIR_CALIBRATOR_MSE] = "mse",
};

bool weir_calibrator_find(const char *name, weir_calibrator_id *id) {
    for (int i = 0; i < WEIR_CALIBRATOR_COUNT; i++) {
        if (strcmp(weir_calibrator_names[i], name) != 0) continue;
        *id = (weir_calibrator_id)i;
        return true;
    }
    return false;
}

bool weir_calibrator_of_pass(const weir_pass *pass, weir_calibrator *c) {
    *c =
        (weir_calibrator){(weir_calibrator_id)weir_pass_choice(pass, "calibrator"), weir_pass_real(pass, "percentile")};
    if (c->percentile <= 0) {
        weir_error(WEIR_NOWHERE, "%s: percentile %g, expected above 0", weir_pass_name(pass), c->percentile);
        return false;
    }
    if (!weir_pass_is_set(pass, "percentile") || c->id == WEIR_CALIBRATOR_PERCENTILE) return true;
    weir_error(WEIR_NOWHERE, "%s: 'percentile' requires calibrator=percentile, found %s", weir_pass_name(pass),
               weir_calibrator_names[c->id]);
    return false;
}

void weir_range_see(weir_range *r, double v) {
    if (!r->seen || v < r->min) r->min = v;
    if (!r->seen || v > r->max) r->max = v;
    r->seen = true;
}

/* --- histograms --- */

static void set_exponent(weir_histogram *h, int exponent) {
    h->exponent = exponent;
    h->limit = ldexp(1, exponent);
    h->bins_of_one = HALF / h->limit;
}

weir_histogram *weir_histogram_new(void) {
    weir_histogram *h = weir_calloc(1, sizeof *h);
    set_exponent(h, -20); /* of the numbers that follow the least that matter */
    return h;
}

void weir_histogram_see(weir_histogram *h, double v) {
    assert(isfinite(v));
    while (!(v >= -h->limit && v < h->limit)) {
        uint64_t wider[BINS] = {0};
        for (size_t i = 0; i < BINS; i++) wider[BINS / 4 + i / 2] += h->bin[i];
        memcpy(h->bin, wider, sizeof wider);
        set_exponent(h, h->exponent + 1);
    }
    h->bin[(size_t)(v * h->bins_of_one + HALF)]++; /* at least 0, where a conversion rounds down */
    h->sum += fabs(v);
}

bool weir_calibration_see(weir_range *range, weir_histogram *h, const weir_array *array, size_t *bad) {
    const float *data = array->dtype == WEIR_FLOAT32 ? array->data : NULL;
    for (size_t i = 0; i < array->count; i++) {
        const double v = data != NULL ? (double)data[i] : weir_array_get(array, i);
        *bad = i;
        if (!isfinite(v)) return false;
        weir_range_see(range, v);
        if (h != NULL) weir_histogram_see(h, v);
    }
    return true;
}

/* The lower edge of a bin, and the upper one of the bin before. */
static double edge_of(const weir_histogram *h, size_t bin) { return ldexp(((double)bin - HALF) / HALF, h->exponent); }

double weir_histogram_middle(const weir_histogram *h, size_t bin) {
    assert(bin < BINS);
    return ldexp(((double)bin + 0.5 - HALF) / HALF, h->exponent);
}

/* How many magnitudes were in each bin from 0 up. */
static void count_magnitudes(const weir_histogram *h, double count[HALF]) {
    for (size_t i = 0; i < HALF; i++) count[i] = (double)h->bin[HALF + i] + (double)h->bin[HALF - 1 - i];
}

static weir_range clip(const weir_range *seen, double low, double high) {
    return (weir_range){true, fmax(seen->min, low), fmin(seen->max, high)};
}

/* --- percentile --- */

/* How many bins from the first on hold more than `share` of the total, or all of it. */
static size_t bins_of(const double *count, size_t bins, double share, double total) {
    double sum = 0;
    for (size_t i = 0; i < bins; i++)
        if ((sum += count[i]) >= share * total) return i + 1;
    return bins;
}

static weir_range percentile(double percent, bool is_symmetric, const weir_range *seen, const weir_histogram *h) {
    double up[BINS], down[BINS], total = 0;
    for (size_t i = 0; i < BINS; i++) {
        up[i] = down[BINS - 1 - i] = (double)h->bin[i];
        total += up[i];
    }
    if (is_symmetric) {
        count_magnitudes(h, up);
        const double threshold = edge_of(h, HALF + bins_of(up, HALF, percent / 100, total));
        return clip(seen, -threshold, threshold);
    }
    const double share = 1 - (100 - percent) / 200;
    return clip(seen, edge_of(h, BINS - bins_of(down, BINS, share, total)),
                edge_of(h, bins_of(up, BINS, share, total)));
}

/* --- entropy --- */

/* Sum of p * log(p / q) with both scaled to a sum of 1; infinite where q is 0 and p is not. */
static double divergence(const double *p, const double *q, size_t count) {
    double p_sum = 0, q_sum = 0, sum = 0;
    for (size_t i = 0; i < count; i++) {
        p_sum += p[i];
        q_sum += q[i];
    }
    if (!(p_sum > 0 && q_sum > 0)) return INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (!(p[i] > 0)) continue;
        if (!(q[i] > 0)) return INFINITY;
        sum += p[i] / p_sum * weir_elementary_log(p[i] / p_sum / (q[i] / q_sum));
    }
    return sum;
}

/* The counts of the first `bins`, each step's spread evenly over those of its bins that have any. */
static void in_steps(const double *count, size_t bins, size_t steps, double *q) {
    for (size_t first = 0, end; first < bins; first = end) {
        const size_t step = first * steps / bins;
        double sum = 0;
        size_t used = 0;
        for (end = first; end < bins && end * steps / bins == step; end++) {
            sum += count[end];
            used += count[end] > 0;
        }
        for (size_t i = first; i < end; i++) q[i] = count[i] > 0 ? sum / (double)used : 0;
    }
}

/* Zeros say nothing of a scale: their bin counts as its neighbour. Of equal thresholds the largest is taken. */
static weir_range entropy(size_t steps, const weir_range *seen, const weir_histogram *h) {
    double count[HALF], p[HALF], q[HALF], outside = 0, least = INFINITY;
    count_magnitudes(h, count);
    count[0] = count[1];
    size_t bins = HALF, best = HALF;
    while (bins > 0 && !(count[bins - 1] > 0)) bins--;
    best = bins;
    for (size_t end = bins; end >= steps && end > 0; end--) {
        memcpy(p, count, end * sizeof *p);
        p[end - 1] += outside;
        in_steps(count, end, steps, q);
        const double own = divergence(p, q, end);
        outside += count[end - 1];
        if (!(own < least)) continue;
        least = own;
        best = end;
    }
    const double threshold = edge_of(h, HALF + best);
    return best == 0 ? *seen : clip(seen, -threshold, threshold);
}

/* --- least squared error --- */

typedef double error_of(const void *user, const weir_number *n, const weir_number_shared *shared);

static double error_of_histogram(const void *user, const weir_number *n, const weir_number_shared *shared) {
    const weir_histogram *h = user;
    double error = 0;
    for (size_t i = 0; i < BINS; i++) {
        if (h->bin[i] == 0) continue;
        const double v = weir_histogram_middle(h, i);
        const double d = v - weir_number_decode(n, shared, weir_number_encode(n, shared, v));
        error += (double)h->bin[i] * d * d;
    }
    return error;
}

typedef struct elements {
    const float *x;
    size_t count;
} elements;

static double error_of_elements(const void *user, const weir_number *n, const weir_number_shared *shared) {
    const elements *all = user;
    double error = 0;
    for (size_t i = 0; i < all->count; i++) {
        const double v = (double)all->x[i];
        const double d = v - weir_number_decode(n, shared, weir_number_encode(n, shared, v));
        error += d * d;
    }
    return error;
}

static weir_range least_error(const weir_number *n, const weir_range *seen, error_of *error, const void *user) {
    enum { PARTS = 100, LEAST = 20 };
    weir_range best = *seen;
    double least = INFINITY;
    for (int part = PARTS; part >= LEAST; part--) {
        const weir_range range = {true, seen->min * part / PARTS, seen->max * part / PARTS};
        weir_number own = *n;
        weir_number_shared shared = {0};
        if (n->id == WEIR_NUMBER_AFFINE) shared = weir_number_affine(n, range.min, range.max);
        else weir_number_choose(&own, fmax(fabs(range.min), fabs(range.max)), false);
        const double sum = error(user, &own, &shared);
        if (!(sum < least)) continue;
        least = sum;
        best = range;
    }
    return clip(seen, best.min, best.max);
}

/* --- all --- */

static bool is_symmetric(const weir_number *n) {
    return n->id != WEIR_NUMBER_AFFINE || weir_number_get(n, WEIR_KEY_SYMMETRIC) != 0;
}

weir_range weir_calibrator_range(const weir_calibrator *c, const weir_number *n, const weir_range *seen,
                                 const weir_histogram *h) {
    if (h == NULL || !seen->seen) return *seen;
    switch (c->id) {
    case WEIR_CALIBRATOR_MAX: return *seen;
    case WEIR_CALIBRATOR_PERCENTILE: return percentile(c->percentile, is_symmetric(n), seen, h);
    case WEIR_CALIBRATOR_ENTROPY: return entropy((size_t)1 << (weir_number_width(n) - 1), seen, h);
    case WEIR_CALIBRATOR_MSE: return least_error(n, seen, error_of_histogram, h);
    case WEIR_CALIBRATOR_COUNT: break;
    }
    weir_unreachable("calibrator");
}

weir_range weir_calibrator_elements(const weir_calibrator *c, const weir_number *n, const float *x, size_t count) {
    weir_range seen = {.seen = false};
    for (size_t i = 0; i < count; i++) weir_range_see(&seen, (double)x[i]);
    if (c->id == WEIR_CALIBRATOR_MAX || !seen.seen) return seen;
    if (c->id == WEIR_CALIBRATOR_MSE) return least_error(n, &seen, error_of_elements, &(elements){x, count});
    weir_histogram *h = weir_histogram_new();
    for (size_t i = 0; i < count; i++) weir_histogram_see(h, (double)x[i]);
    const weir_range range = weir_calibrator_range(c, n, &seen, h);
    free(h);
    return range;
}

/* --- what elements share --- */

/* The middle of the bin in which the ascending magnitude of that place is, or of those on both sides of the middle. */
static double median_of(const weir_histogram *h, const double count[HALF], double total) {
    const size_t low = bins_of(count, HALF, 0.5, total) - 1;
    double below = 0;
    for (size_t i = 0; i <= low; i++) below += count[i];
    size_t high = low;
    while (below * 2 <= total && high < HALF - 1 && !(count[++high] > 0)) {
    }
    return (weir_histogram_middle(h, HALF + low) + weir_histogram_middle(h, HALF + high)) / 2;
}

static double mean_above(const weir_histogram *h, const double count[HALF], double threshold) {
    double sum = 0, above = 0;
    for (size_t i = 0; i < HALF; i++) {
        const double middle = weir_histogram_middle(h, HALF + i);
        if (!(middle > threshold)) continue;
        sum += count[i] * middle;
        above += count[i];
    }
    return above > 0 ? sum / above : 0;
}

weir_number_shared weir_calibrator_shared(const weir_number *n, const weir_range *seen, const weir_histogram *h) {
    double count[HALF], total = 0;
    count_magnitudes(h, count);
    for (size_t i = 0; i < HALF; i++) total += count[i];
    const double mean = total > 0 ? h->sum / total : 0;
    if (n->id == WEIR_NUMBER_BINARY) return (weir_number_shared){.scale = mean};
    assert(n->id == WEIR_NUMBER_TERNARY);
    const int kind = weir_number_get(n, WEIR_KEY_THRESHOLD);
    weir_number_shared shared = {.scale = 1};
    shared.threshold = kind == 0   ? 0.75 * mean
                       : kind == 1 ? 0.05 * fmax(fabs(seen->min), fabs(seen->max))
                                   : 0.75 * median_of(h, count, total);
    if (weir_number_get(n, WEIR_KEY_SCALING_FACTOR) != 0) shared.scale = mean_above(h, count, shared.threshold);
    return shared;
}

/* --- outputs --- */

weir_by_output weir_by_output_of(const weir_shape *shape, int axis) {
    weir_by_output all = {1, 1, 1};
    for (int d = 0; d < shape->rank; d++) {
        const size_t size = (size_t)shape->dim[d];
        if (d == axis) all.count = size;
        else all.size *= size;
        if (axis >= 0 && d > axis) all.inner *= size;
    }
    return all;
}

size_t weir_by_output_place(const weir_by_output *all, size_t output, size_t i) {
    return all->count == 1 ? i : (i / all->inner * all->count + output) * all->inner + i % all->inner;
}

float *weir_by_output_elements(const weir_by_output *all, size_t output, const weir_array *data) {
    assert(data->dtype == WEIR_FLOAT32 && output < all->count);
    float *own = weir_malloc((all->size + 1) * sizeof *own);
    for (size_t i = 0; i < all->size; i++) own[i] = ((const float *)data->data)[weir_by_output_place(all, output, i)];
    return own;
}
