#include "exec/softmax.h"

#include <assert.h>
#include <float.h>
#include <math.h>

#include "exec/elementary.h"

void weir_softmax_powers(float scale, size_t length, float *power, size_t count) {
    assert(scale > 0 && isfinite(scale) && length > 0);
    const float most = FLT_MAX / (float)length, logarithm = (float)weir_elementary_log((double)most);
    const double spare = (double)logarithm - 5, shift = (spare > 0 ? spare : 0) / (double)scale;
    for (size_t d = 0; d < count; d++) power[d] = (float)weir_elementary_exp((shift - (double)d) * (double)scale);
}

float weir_softmax_steps(float scale) {
    assert(scale > 0 && isfinite(scale));
    return floorf(1 / scale);
}

static int64_t code_of(const weir_softmax *s, float power, float sum) {
    const float product = power * s->steps, share = product / sum;
    const double exact = isfinite(product) ? (double)share : (double)power * (double)s->steps / (double)sum;
    const double code = nearbyint(exact) + (double)s->zero;
    return code < (double)s->high ? (int64_t)code : s->high;
}

void weir_softmax_row(const weir_softmax *softmax, const weir_array *x, weir_array *y, size_t first, size_t count,
                      size_t stride) {
    assert(count > 0 && stride > 0 && first + (count - 1) * stride < x->count && x->count == y->count);
    int64_t largest = INT64_MIN;
    float sum = 0;
    for (size_t k = 0; k < count; k++) {
        const int64_t code = weir_array_get_int(x, first + k * stride);
        if (code > largest) largest = code;
    }
    for (size_t k = 0; k < count; k++) sum += softmax->power[largest - weir_array_get_int(x, first + k * stride)];
    for (size_t k = 0; k < count; k++) {
        const size_t at = first + k * stride;
        const float power = softmax->power[largest - weir_array_get_int(x, at)];
        weir_array_set_int(y, at, code_of(softmax, power, sum));
    }
}

/* --- of integers --- */

static double power_at(double scale, size_t distance) { return weir_elementary_exp(-((double)distance * scale)); }

static int64_t term_at(double scale, size_t distance) {
    return (int64_t)nearbyint(ldexp(power_at(scale, distance), WEIR_SOFTMAX_BITS));
}

static int64_t numerator_at(double scale, double step, size_t distance) {
    const int64_t nearest = (int64_t)nearbyint(ldexp(power_at(scale, distance) / step, WEIR_SOFTMAX_BITS));
    return nearest == 0 ? 0 : 2 * nearest - 1;
}

void weir_softmax_tables(double scale, double step, int64_t *term, int64_t *numerator, size_t count) {
    assert(scale > 0 && isfinite(scale) && step > 0 && isfinite(step));
    for (size_t d = 0; d < count; d++) {
        term[d] = term_at(scale, d);
        numerator[d] = numerator_at(scale, step, d);
    }
}

size_t weir_softmax_entries(double scale, double step, size_t most) {
    size_t low = 0, high = most; /* entries fall: the first of zeros by bisection */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (term_at(scale, middle) == 0 && numerator_at(scale, step, middle) == 0) high = middle;
        else low = middle + 1;
    }
    return low < most ? low + 1 : most;
}

/* Products and sums stop at the ends of what 64 bits hold. */
__extension__ typedef __int128 wide;

static int64_t stop(wide x) { return x > INT64_MAX ? INT64_MAX / 2 : x < INT64_MIN ? INT64_MIN / 2 : (int64_t)x; }

int64_t weir_softmax_parabola_at(const weir_softmax_parabola *parabola, int64_t distance) {
    assert(distance >= 0 && parabola->halving > 0);
    const int64_t most = 31, all = distance / parabola->halving, z = all < most ? all : most;
    const int64_t p = stop((wide)stop((wide)stop((wide)z * parabola->halving) - distance) + parabola->b);
    return stop((wide)stop((wide)stop((wide)parabola->a * p) * p) + parabola->c) >> z;
}

int64_t weir_softmax_halvings(int64_t distance) {
    const int step = 5; /* a halving is 2^5 codes */
    return (distance + (1 << (step - 1))) >> step;
}

static int64_t entry_at(const int64_t *table, size_t count, int64_t distance) {
    assert(distance >= 0 && count > 0);
    return table[distance < (int64_t)count ? distance : (int64_t)count - 1];
}

void weir_softmax_integer_row(const weir_softmax_integer *softmax, const weir_array *x, weir_array *y, size_t first,
                              size_t count) {
    assert(count > 0 && first + count <= x->count && x->count == y->count);
    int64_t largest = INT64_MIN, sum = 0;
    for (size_t k = first; k < first + count; k++) {
        const int64_t code = weir_array_get_int(x, k);
        if (code > largest) largest = code;
    }
    for (size_t k = first; k < first + count; k++)
        sum += entry_at(softmax->term, softmax->terms, largest - weir_array_get_int(x, k));
    for (size_t k = first; k < first + count; k++) {
        const int64_t numerator = entry_at(softmax->numerator, softmax->numerators, largest - weir_array_get_int(x, k));
        const int64_t code = ((numerator / sum + softmax->half) >> softmax->half) + softmax->zero;
        weir_array_set_int(y, k, code < softmax->high ? code : softmax->high);
    }
}
