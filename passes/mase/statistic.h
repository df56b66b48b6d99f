/* The statistics of profile_statistics under MASE's names: record, variance_online, variance_precise, range_n_sigma,
 * range_min_max, range_quantile and abs_mean of a tensor, gathered sample by sample. `dims` of all but record (which
 * keeps everything) says what a result spans: "all", every element of every sample; a list of axes, those axes and the
 * samples, so that the other axes remain; null (or None), the samples only, so that each element has results of its
 * own. `count` is the number of values of each result; below 2 the results are "NA". Sums are in float64; means and
 * variances by Chan's pairwise formula from two-pass samples (Chan, Golub and LeVeque, "Updating Formulae and a
 * Pairwise Algorithm for Computing Sample Variances", 1979). */
#ifndef WEIR_PASSES_STATISTIC_H
#define WEIR_PASSES_STATISTIC_H

#include <jansson.h>
#include <stdbool.h>

#include "support/memory/array.h"

typedef struct weir_statistic weir_statistic;

/* A statistic by its name with a JSON object of arguments (NULL or null: none); NULL after a reported error that starts
 * with `where`. Free it with weir_statistic_free. */
weir_statistic *weir_statistic_new(const char *name, const json_t *arguments, const char *where);
void weir_statistic_free(weir_statistic *statistic);
const char *weir_statistic_name(const weir_statistic *statistic);
/* Takes a sample in; false after a reported error: all samples have one shape, which has the axes of `dims`.
 * O(elements), and the elements are kept by record, variance_precise and range_quantile. */
bool weir_statistic_update(weir_statistic *statistic, const weir_array *sample);
/* MASE's record of results, numbers or nested lists over the axes that remain; what is not finite is "nan", "inf" or
 * "-inf". A new object. */
json_t *weir_statistic_result(const weir_statistic *statistic);

#endif
