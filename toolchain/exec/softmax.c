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
