/* How well outputs predict the classes of labelled frames: the metrics of runtime_analysis, for software and hardware
 * alike. Precision, recall and F1 are averages over the classes, weighted by their shares of the frames; a class that
 * is never predicted has precision and F1 0. */
#ifndef WEIR_COSIM_METRICS_H
#define WEIR_COSIM_METRICS_H

#include <jansson.h>
#include <stdint.h>

#include "cosim/frames.h"

typedef enum weir_scoring_kind {
    WEIR_SCORING_LARGEST,     /* the class is the first of the largest values */
    WEIR_SCORING_LOGIT,       /* one value: class 1 above 0 */
    WEIR_SCORING_PROBABILITY, /* one value: class 1 above 0.5 */
    WEIR_SCORING_INDEX,       /* one value: the class itself */
    WEIR_SCORING_NUMBER,      /* numbers that approximate the labels: a regression */
    WEIR_SCORING_ANOMALY,     /* a reconstruction of the input: the mean squared error ranks the entries */
    WEIR_SCORING_NONE         /* not comparable with labels: detection, segmentation */
} weir_scoring_kind;

/* How an output of a graph names classes. */
typedef struct weir_scoring {
    weir_scoring_kind kind;
    bool is_chosen;  /* by the user: labels do not change it */
    size_t output;   /* which one */
    bool is_map;     /* several of its dimensions have more than one element */
    int64_t inputs;  /* values that an entry of input 0 has */
    int64_t entries; /* a frame has: the model's own batch */
    int64_t values;  /* an entry has; the number of classes for WEIR_SCORING_LARGEST */
    bool is_share;   /* several values behind Softmax: shares of classes, no numbers of their own */
    double scale;    /* a value v stands for scale * (v - zero); 1 and 0 where it is real */
    int64_t zero;
} weir_scoring;

/* From the graph: a single value is an index after ArgMax, also if it selects one of constant labels; a probability
 * after Sigmoid or HardSigmoid, or if its quantization is limited to [0, 1]; else a logit. */
weir_scoring weir_scoring_of(const weir_graph *graph);
/* The same for another output, by name, and for another task than the graph and the labels suggest: a name below; NULL:
 * as weir_scoring_of. False after a reported error: an unknown name, or an output that is not for the task. */
#define WEIR_SCORING_TASKS "largest, logit, probability, index, regression, anomaly or none"
bool weir_scoring_choose(const weir_graph *graph, const char *task, const char *output, weir_scoring *scoring);
const char *weir_scoring_task(const weir_scoring *scoring); /* one of these names */
bool weir_scoring_has_classes(const weir_scoring *scoring);
/* For WEIR_SCORING_ANOMALY: the mean squared difference of each entry's output from its input, as float64 [entries]. */
weir_array *weir_scoring_errors(const weir_scoring *scoring, const weir_array *outputs, const weir_array *inputs,
                                int64_t entries);
/* "largest of 10", "class 1 above 0.5", ... */
char *weir_scoring_print(const weir_scoring *scoring, char *text, size_t size);
/* "98.77 %", or of a regression "R2 0.5177, RMSE 53.47". */
struct weir_metrics;
char *weir_metrics_print(const weir_scoring *scoring, const struct weir_metrics *metrics, char *text, size_t size);
/* The class that the outputs predict for entry `index`. */
int64_t weir_scoring_class(const weir_scoring *scoring, const weir_array *outputs, int64_t index);

/* The labels of all entries as int64 classes: a heap array, or NULL when the data has none or, after a warning that
 * says why, none that can be used. Whole numbers of any element type count, in any shape with one an entry, and rows
 * with a single 1 where there is one a class; of two classes also -1 and 1. A class that the outputs cannot predict
 * gives a warning and stays. Labels that are not classes, where the outputs can be numbers, make the scoring
 * WEIR_SCORING_NUMBER, and the array float64 with the shape of the outputs: with one a value that are not all 0 and 1,
 * or for one value, fractions or more than two different ones. Labels 0 and 1, one an entry, of outputs in the form of
 * the inputs make it WEIR_SCORING_ANOMALY; of outputs in several dimensions nothing but a label a value can be used:
 * WEIR_SCORING_NONE. */
weir_array *weir_labels_read(const weir_frames *frames, weir_scoring *scoring);

typedef struct weir_metrics {
    double accuracy, precision, recall, f1;
    /* Mean cross-entropy in nats with the outputs as logits or probabilities, whose logarithm is at least -100;
     * NaN when a label names no output or the outputs are indices; of a regression the mean squared error. */
    double loss;
    /* Share of entries whose label is among the five largest values; NaN with fewer than six values. */
    double top5;
    /* Of one value that names two classes, the area under the ROC curve: the chance that it is larger for a random
     * entry of class 1 than for one of class 0, ties counting half; NaN otherwise, or with one class only. */
    double auc;
    /* Of a regression, whose accuracy and so on are NaN: the coefficient of determination and the root of the mean
     * squared error, of several values the mean of each one's; the largest absolute difference. */
    double r2, rmse, max_error;
} weir_metrics;

/* All NaN. */
weir_metrics weir_metrics_none(void);
/* Of the first `entries` (at least one) entries. A label that names no output is a class that is never named. */
weir_metrics weir_metrics_of(const weir_scoring *scoring, const weir_array *outputs, const weir_array *labels,
                             int64_t entries);
/* {"accuracy", "precision", "recall", "f1", "loss", "top5", "auc"}, of a regression {"r2", "rmse", "max_error",
 * "loss"}; null where one is NaN or infinite. */
json_t *weir_metrics_json(const weir_scoring *scoring, const weir_metrics *metrics);

enum { WEIR_CONFUSION_CLASSES = 128 };
/* How often entries of each label are predicted as each class: {"classes": numbers in ascending order, "counts": a row
 * a label, of a column a class}. NULL of a regression, and of more classes than WEIR_CONFUSION_CLASSES. A new
 * object. */
json_t *weir_metrics_confusion(const weir_scoring *scoring, const weir_array *outputs, const weir_array *labels,
                               int64_t entries);

#endif
