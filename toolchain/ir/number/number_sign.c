/* Formats of one and two bits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/number/number_private.h"
#include "support/memory/arena.h"

static double mean_magnitude(const float *x, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += fabs((double)x[i]);
    return count > 0 ? sum / (double)count : 0;
}

/* Bipolar: -1 and 1, and 0 is positive; else 0 and the mean magnitude. */
weir_number_shared weir_number_BINARY_measure(const weir_number *n, const float *x, size_t count, double whole) {
    (void)whole;
    return (weir_number_shared){.scale = weir_number_get(n, WEIR_KEY_BIPOLAR) != 0 ? 1 : mean_magnitude(x, count)};
}

number_limits weir_number_BINARY_limits(const weir_number *n) {
    (void)n;
    return (number_limits){0, 1};
}

int64_t weir_number_BINARY_encode(const weir_number *n, const weir_number_shared *shared, double x) {
    (void)shared;
    return weir_number_get(n, WEIR_KEY_BIPOLAR) != 0 ? x >= 0 : x > 0;
}

double weir_number_BINARY_decode(const weir_number *n, const weir_number_shared *shared, int64_t code) {
    if (code != 0) return shared->scale;
    return weir_number_get(n, WEIR_KEY_BIPOLAR) != 0 ? -shared->scale : 0;
}

/* Before training the levels' magnitudes are L, L - 1, ..., 1 divided by their sum; each level is the sign of what the
 * ones before leave. A rest of 0 is positive, as in hardware. */
weir_number_shared weir_number_BINARY_RESIDUAL_measure(const weir_number *n, const float *x, size_t count,
                                                       double whole) {
    (void)x;
    (void)count;
    (void)whole;
    const int levels = weir_number_get(n, WEIR_KEY_LEVELS);
    return (weir_number_shared){.scale = 2.0 / (levels * (levels + 1))};
}

number_limits weir_number_BINARY_RESIDUAL_limits(const weir_number *n) {
    return (number_limits){0, ((int64_t)1 << weir_number_get(n, WEIR_KEY_LEVELS)) - 1};
}

int64_t weir_number_BINARY_RESIDUAL_encode(const weir_number *n, const weir_number_shared *shared, double x) {
    int64_t code = 0;
    for (int level = weir_number_get(n, WEIR_KEY_LEVELS); level > 0; level--) {
        const double size = level * shared->scale;
        code = 2 * code + (x >= 0);
        x -= x >= 0 ? size : -size;
    }
    return code;
}

double weir_number_BINARY_RESIDUAL_decode(const weir_number *n, const weir_number_shared *shared, int64_t code) {
    double sum = 0;
    for (int level = weir_number_get(n, WEIR_KEY_LEVELS), bit = level - 1; level > 0; level--, bit--)
        sum += (code >> bit & 1) != 0 ? level : -level;
    return sum * shared->scale;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_magnitude(const float *x, size_t count) {
    double *magnitude = weir_calloc(count + 1, sizeof *magnitude);
    for (size_t i = 0; i < count; i++) magnitude[i] = fabs((double)x[i]);
    qsort(magnitude, count, sizeof *magnitude, ascending);
    const double median = count == 0 ? 0 : (magnitude[(count - 1) / 2] + magnitude[count / 2]) / 2;
    free(magnitude);
    return median;
}

/* The scale is 1, or the mean of the magnitudes above the threshold. */
weir_number_shared weir_number_TERNARY_measure(const weir_number *n, const float *x, size_t count, double whole) {
    (void)whole;
    const int kind = weir_number_get(n, WEIR_KEY_THRESHOLD);
    weir_number_shared shared = {.scale = 1};
    shared.threshold = kind == 0   ? 0.75 * mean_magnitude(x, count)
                       : kind == 1 ? 0.05 * number_largest(x, count)
                                   : 0.75 * median_magnitude(x, count);
    if (weir_number_get(n, WEIR_KEY_SCALING_FACTOR) == 0) return shared;
    double sum = 0;
    size_t above = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(fabs((double)x[i]) > shared.threshold)) continue;
        sum += fabs((double)x[i]);
        above++;
    }
    shared.scale = above > 0 ? sum / (double)above : 0;
    return shared;
}

number_limits weir_number_TERNARY_limits(const weir_number *n) {
    (void)n;
    return (number_limits){-1, 1};
}

int64_t weir_number_TERNARY_encode(const weir_number *n, const weir_number_shared *shared, double x) {
    (void)n;
    return (x > shared->threshold) - (x < -shared->threshold);
}

double weir_number_TERNARY_decode(const weir_number *n, const weir_number_shared *shared, int64_t code) {
    (void)n;
    return (double)code * shared->scale;
}
