/* Calibrators: which part of the range that was seen codes are to hold. What lies outside of it is clipped.
 *   max         all of it
 *   percentile  as little as holds that share of the values: of their magnitudes for symmetric codes, else half of the
 *               rest is cut on each side
 *   entropy     the magnitudes up to the threshold at which codes tell most: least Kullback-Leibler divergence of the
 *               clipped distribution from the same one in 2^(width - 1) steps (TensorRT's rule)
 *   mse         the part, from all of it down to a fifth in steps of a hundredth, with the least squared error
 * Of the weights of a layer whose inputs are known the error of the layer's results counts (round_weights.h).
 * The first three know only the histogram: their thresholds are edges of its bins. */
#ifndef WEIR_PASSES_CALIBRATOR_H
#define WEIR_PASSES_CALIBRATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ir/number/number.h"
#include "pass/core/pass.h"

typedef struct weir_range {
    bool seen;
    double min, max;
} weir_range;

void weir_range_see(weir_range *r, double v);

/* How often a value was where: bins of equal width over [-2^exponent, 2^exponent). */
enum { WEIR_HISTOGRAM_BINS = 2048 };
typedef struct weir_histogram {
    int exponent;
    double limit, bins_of_one; /* 2^exponent, and how many bins 1 is wide */
    double sum;                /* of the magnitudes */
    uint64_t bin[WEIR_HISTOGRAM_BINS];
} weir_histogram;

/* Empty; heap memory. */
weir_histogram *weir_histogram_new(void);
/* Counts a finite number; bins double in width until they hold it. */
void weir_histogram_see(weir_histogram *h, double v);
/* Counts all elements of an array, and widens the range; false at a number that is not finite, whose index is put. `h`
 * may be NULL. */
bool weir_calibration_see(weir_range *range, weir_histogram *h, const weir_array *array, size_t *bad);
/* The number in the middle of a bin. */
double weir_histogram_middle(const weir_histogram *h, size_t bin);

typedef enum weir_calibrator_id {
    WEIR_CALIBRATOR_MAX,
    WEIR_CALIBRATOR_PERCENTILE,
    WEIR_CALIBRATOR_ENTROPY,
    WEIR_CALIBRATOR_MSE,
    WEIR_CALIBRATOR_COUNT
} weir_calibrator_id;

/* Plain data. */
typedef struct weir_calibrator {
    weir_calibrator_id id;
    double percentile; /* above 0, at most 100 */
} weir_calibrator;

/* Where no percentile is said. */
#define WEIR_CALIBRATOR_PERCENT 99.99

/* "max", "percentile", ..., and NULL behind the last. */
extern const char *const weir_calibrator_names[WEIR_CALIBRATOR_COUNT + 1];
bool weir_calibrator_find(const char *name, weir_calibrator_id *id);

/* From a pass's options `calibrator` and `percentile`. False after a reported error. */
bool weir_calibrator_of_pass(const weir_pass *pass, weir_calibrator *c);

/* The part of the range that codes of the format are to hold. `h` counted the values of the range; NULL: all of it. */
weir_range weir_calibrator_range(const weir_calibrator *c, const weir_number *n, const weir_range *seen,
                                 const weir_histogram *h);
/* The same for numbers that are all known; the errors of mse are theirs. */
weir_range weir_calibrator_elements(const weir_calibrator *c, const weir_number *n, const float *x, size_t count);

/* The elements of an array by their index along an axis, an output each; axis -1: one output has all. */
typedef struct weir_by_output {
    size_t count, inner, size; /* outputs, elements behind the axis, elements of one output */
} weir_by_output;
weir_by_output weir_by_output_of(const weir_shape *shape, int axis);
/* Where element i of an output is. */
size_t weir_by_output_place(const weir_by_output *all, size_t output, size_t i);
/* Those of a float32 array; heap memory. */
float *weir_by_output_elements(const weir_by_output *all, size_t output, const weir_array *data);

/* What elements share of binary that is not bipolar and of ternary, where `h` counted the values of the range. The mean
 * is exact; the median and the mean of what is above a threshold are those of the bins' middles. */
weir_number_shared weir_calibrator_shared(const weir_number *n, const weir_range *seen, const weir_histogram *h);

#endif
