/* How well outputs name the classes of labelled frames: the metrics of runtime_analysis, of software and hardware
 * alike. Precision, recall and F1 are weighted: averages over the classes, each by the share of frames that it has; a
 * class that is never named has precision and F1 0. */
#ifndef WEIR_PASSES_METRICS_H
#define WEIR_PASSES_METRICS_H

#include <jansson.h>
#include <stdint.h>

#include "support/array.h"

typedef struct weir_metrics {
    double accuracy, precision, recall, f1;
    double loss; /* mean cross-entropy in nats with the outputs as logits; NaN when a label names no output */
} weir_metrics;

/* The class of a frame: the first of its largest outputs. `outputs` are [frames, classes] in any shape. */
int64_t weir_metrics_class(const weir_array *outputs, int64_t frame, int64_t classes);
/* Of the first `frames` (at least one) frames. A label that names no output is a class that is never named. */
weir_metrics weir_metrics_of(const weir_array *outputs, const weir_array *labels, int64_t frames);
/* {"accuracy", "precision", "recall", "f1", "loss"}; loss null when it is NaN or infinite. */
json_t *weir_metrics_json(const weir_metrics *metrics);

#endif
