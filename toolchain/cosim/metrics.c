#include "cosim/metrics.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "exec/elementary.h"
#include "support/memory/arena.h"

static double real_of(const weir_scoring *s, double value) { return s->scale * (value - (double)s->zero); }

int64_t weir_scoring_class(const weir_scoring *s, const weir_array *outputs, int64_t index) {
    assert(index >= 0 && s->values > 0 && (size_t)((index + 1) * s->values) <= outputs->count);
    const size_t first = (size_t)(index * s->values);
    if (s->kind == WEIR_SCORING_INDEX) return weir_array_get_int(outputs, first);
    if (s->kind != WEIR_SCORING_LARGEST)
        return real_of(s, weir_array_get(outputs, first)) > (s->kind == WEIR_SCORING_LOGIT ? 0 : 0.5);
    size_t best = 0;
    for (size_t i = 1; i < (size_t)s->values; i++) {
        if (weir_array_get(outputs, first + i) > weir_array_get(outputs, first + best)) best = i;
    }
    return (int64_t)best;
}

/* log(sum(exp(x))) - x[label], the largest x taken out so that nothing overflows. */
static double cross_entropy(const weir_scoring *s, const weir_array *outputs, int64_t index, int64_t label) {
    assert(label >= 0 && label < s->values);
    const int64_t first = index * s->values, best = weir_scoring_class(s, outputs, index);
    const double largest = weir_array_get(outputs, (size_t)(first + best));
    double others = 0;
    for (int64_t i = 0; i < s->values; i++) {
        if (i != best) others += weir_elementary_exp(weir_array_get(outputs, (size_t)(first + i)) - largest);
    }
    return weir_elementary_log1p(others) - (weir_array_get(outputs, (size_t)(first + label)) - largest);
}

static double loss_of(const weir_scoring *s, const weir_array *outputs, int64_t index, int64_t label) {
    const int64_t classes = s->kind == WEIR_SCORING_LARGEST ? s->values : 2;
    if (s->kind == WEIR_SCORING_INDEX || label < 0 || label >= classes) return NAN;
    if (s->kind == WEIR_SCORING_LARGEST) return cross_entropy(s, outputs, index, label);
    const double value = real_of(s, weir_array_get(outputs, (size_t)index));
    if (s->kind == WEIR_SCORING_PROBABILITY) return -fmax(-100, weir_elementary_log(label == 1 ? value : 1 - value));
    const double wrong = label == 1 ? -value : value;
    return fmax(wrong, 0) + weir_elementary_log1p(weir_elementary_exp(-fabs(wrong)));
}

/* Entries of a class: labelled so, named so, both. */
typedef struct tally {
    int64_t class, labelled, named, right;
} tally;

static int by_class(const void *a, const void *b) {
    const int64_t one = ((const tally *)a)->class, other = ((const tally *)b)->class;
    return (one > other) - (one < other);
}

/* Makes one tally a class out of those of single entries, in ascending order; returns how many. Sorted, not indexed by
 * class, because labels may be any numbers. O(count log count). */
static size_t merge(tally *t, size_t count) {
    size_t classes = 0;
    qsort(t, count, sizeof *t, by_class);
    for (size_t i = 0; i < count; i++) {
        if (classes == 0 || t[classes - 1].class != t[i].class) {
            t[classes++] = t[i];
            continue;
        }
        t[classes - 1].labelled += t[i].labelled;
        t[classes - 1].named += t[i].named;
        t[classes - 1].right += t[i].right;
    }
    return classes;
}

/* Is the label among the five largest? Of equal values the first counts as the larger, as in weir_scoring_class. */
static bool is_in_top5(const weir_scoring *s, const weir_array *outputs, int64_t index, int64_t label) {
    if (label < 0 || label >= s->values) return false;
    const size_t first = (size_t)(index * s->values);
    const double own = weir_array_get(outputs, first + (size_t)label);
    int above = 0;
    for (int64_t v = 0; v < s->values; v++) {
        const double other = weir_array_get(outputs, first + (size_t)v);
        above += other > own || (other == own && v < label);
    }
    return above < 5;
}

typedef struct ranked {
    double value;
    int64_t label;
} ranked;

static int by_value(const void *a, const void *b) {
    const double one = ((const ranked *)a)->value, other = ((const ranked *)b)->value;
    return (one > other) - (one < other);
}

/* By ranks (Mann and Whitney 1947): of class 1's entries the mean of those of class 0 below, equal ones half. O(n log
 * n). */
static double auc_of(const weir_scoring *s, const weir_array *outputs, const weir_array *labels, int64_t entries) {
    if (s->kind != WEIR_SCORING_LOGIT && s->kind != WEIR_SCORING_PROBABILITY && s->kind != WEIR_SCORING_ANOMALY)
        return NAN;
    ranked *r = weir_calloc((size_t)entries + 1, sizeof *r);
    for (int64_t i = 0; i < entries; i++)
        r[i] = (ranked){weir_array_get(outputs, (size_t)i), weir_array_get_int(labels, (size_t)i)};
    qsort(r, (size_t)entries, sizeof *r, by_value);
    double below = 0, above = 0, wins = 0;
    for (int64_t from = 0, to; from < entries; from = to) {
        double zeros = 0, ones = 0;
        for (to = from; to < entries && r[to].value == r[from].value; to++) {
            zeros += r[to].label == 0;
            ones += r[to].label == 1;
        }
        wins += ones * (below + zeros / 2);
        below += zeros;
        above += ones;
    }
    free(r);
    return below * above > 0 ? wins / (below * above) : NAN;
}

/* R2 is 1 where both the labels and what is left of them are constant, 0 where only the labels are, as scikit-learn has
 * it. */
static weir_metrics regression(const weir_scoring *s, const weir_array *outputs, const weir_array *labels,
                               int64_t entries) {
    assert(entries >= 0 && s->kind == WEIR_SCORING_NUMBER);
    weir_metrics m = {.accuracy = NAN, .precision = NAN, .recall = NAN, .f1 = NAN, .top5 = NAN, .auc = NAN};
    for (int64_t v = 0; v < s->values; v++) {
        double mean = 0, left = 0, all = 0;
        for (int64_t i = 0; i < entries; i++)
            mean += weir_array_get(labels, (size_t)(i * s->values + v)) / (double)entries;
        for (int64_t i = 0; i < entries; i++) {
            const size_t at = (size_t)(i * s->values + v);
            const double label = weir_array_get(labels, at), error = real_of(s, weir_array_get(outputs, at)) - label;
            left += error * error;
            m.max_error = fmax(m.max_error, fabs(error));
            all += (label - mean) * (label - mean);
        }
        m.r2 += (all > 0 ? 1 - left / all : left == 0) / (double)s->values;
        m.rmse += sqrt(left / (double)entries) / (double)s->values;
        m.loss += left / (double)entries / (double)s->values;
    }
    return m;
}

weir_array *weir_scoring_errors(const weir_scoring *s, const weir_array *outputs, const weir_array *inputs,
                                int64_t entries) {
    weir_array *errors = weir_array_new(WEIR_FLOAT64, &(weir_shape){1, {entries}});
    for (int64_t i = 0; i < entries; i++) {
        double sum = 0;
        for (int64_t v = 0; v < s->values; v++) {
            const size_t at = (size_t)(i * s->values + v);
            const double difference = real_of(s, weir_array_get(outputs, at)) - weir_array_get(inputs, at);
            sum += difference * difference;
        }
        weir_array_set(errors, (size_t)i, sum / (double)s->values);
    }
    return errors;
}

weir_metrics weir_metrics_none(void) {
    return (weir_metrics){.accuracy = NAN,
                          .precision = NAN,
                          .recall = NAN,
                          .f1 = NAN,
                          .loss = NAN,
                          .top5 = NAN,
                          .auc = NAN,
                          .r2 = NAN,
                          .rmse = NAN,
                          .max_error = NAN};
}

weir_metrics weir_metrics_of(const weir_scoring *s, const weir_array *outputs, const weir_array *labels,
                             int64_t entries) {
    assert(entries >= 0);
    if (s->kind == WEIR_SCORING_NUMBER) return regression(s, outputs, labels, entries);
    if (s->kind == WEIR_SCORING_ANOMALY) {
        weir_metrics metrics = weir_metrics_none();
        metrics.auc = auc_of(s, outputs, labels, entries);
        return metrics;
    }
    tally *t = weir_calloc(2 * (size_t)entries + 1, sizeof *t);
    const bool has_top5 = s->kind == WEIR_SCORING_LARGEST && s->values > 5;
    weir_metrics m = {.top5 = has_top5 ? 0 : NAN, .auc = auc_of(s, outputs, labels, entries)};
    for (int64_t index = 0; index < entries; index++) {
        const int64_t label = weir_array_get_int(labels, (size_t)index), found = weir_scoring_class(s, outputs, index);
        m.loss += loss_of(s, outputs, index, label) / (double)entries;
        if (has_top5) m.top5 += is_in_top5(s, outputs, index, label);
        t[2 * index] = (tally){.class = found, .named = 1};
        t[2 * index + 1] = (tally){.class = label, .labelled = 1, .right = label == found};
    }
    const size_t classes = merge(t, 2 * (size_t)entries);
    for (size_t c = 0; c < classes; c++) {
        const tally *of = &t[c];
        const double labelled = (double)of->labelled, right = (double)of->right;
        if (of->right == 0) continue;
        m.accuracy += right;
        m.precision += labelled * right / (double)of->named;
        m.recall += right;
        m.f1 += labelled * 2 * right / (double)(of->named + of->labelled);
    }
    free(t);
    /* Sums of counts are exact, and so is a share of 1; sums of shares are not. */
    double *const shares[] = {&m.accuracy, &m.precision, &m.recall, &m.f1, &m.top5};
    for (size_t i = 0; entries > 0 && i < sizeof shares / sizeof *shares; i++) *shares[i] /= (double)entries;
    return m;
}

static json_t *finite(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *weir_metrics_json(const weir_scoring *s, const weir_metrics *m) {
    if (s->kind == WEIR_SCORING_NUMBER)
        return json_pack("{s:o, s:o, s:o, s:o}", "r2", finite(m->r2), "rmse", finite(m->rmse), "max_error",
                         finite(m->max_error), "loss", finite(m->loss));
    if (s->kind == WEIR_SCORING_ANOMALY) return json_pack("{s:o}", "auc", finite(m->auc));
    return json_pack("{s:f, s:f, s:f, s:f, s:o, s:o, s:o}", "accuracy", m->accuracy, "precision", m->precision,
                     "recall", m->recall, "f1", m->f1, "loss", finite(m->loss), "top5", finite(m->top5), "auc",
                     finite(m->auc));
}

/* The position of the class among those of the tallies. */
static size_t position_of(const tally *t, size_t classes, int64_t class) {
    const tally key = {.class = class};
    const tally *found = bsearch(&key, t, classes, sizeof *t, by_class);
    assert(found != NULL);
    return (size_t)(found - t);
}

json_t *weir_metrics_confusion(const weir_scoring *s, const weir_array *outputs, const weir_array *labels,
                               int64_t entries) {
    if (!weir_scoring_has_classes(s)) return NULL;
    tally *t = weir_calloc(2 * (size_t)entries + 1, sizeof *t);
    for (int64_t i = 0; i < entries; i++) {
        t[2 * i] = (tally){.class = weir_scoring_class(s, outputs, i)};
        t[2 * i + 1] = (tally){.class = weir_array_get_int(labels, (size_t)i)};
    }
    const size_t classes = merge(t, 2 * (size_t)entries);
    json_t *root = NULL;
    if (classes <= WEIR_CONFUSION_CLASSES) {
        int64_t *count = weir_calloc(classes * classes + 1, sizeof *count);
        for (int64_t i = 0; i < entries; i++)
            count[position_of(t, classes, weir_array_get_int(labels, (size_t)i)) * classes +
                  position_of(t, classes, weir_scoring_class(s, outputs, i))]++;
        json_t *names = json_array(), *rows = json_array();
        for (size_t label = 0; label < classes; label++) {
            json_t *row = json_array();
            for (size_t named = 0; named < classes; named++)
                json_array_append_new(row, json_integer((json_int_t)count[label * classes + named]));
            json_array_append_new(names, json_integer((json_int_t)t[label].class));
            json_array_append_new(rows, row);
        }
        free(count);
        root = json_pack("{s:o, s:o}", "classes", names, "counts", rows);
    }
    free(t);
    return root;
}

char *weir_metrics_print(const weir_scoring *s, const weir_metrics *m, char *text, size_t size) {
    if (s->kind == WEIR_SCORING_NUMBER) snprintf(text, size, "R2 %.4f, RMSE %.4g", m->r2, m->rmse);
    else if (s->kind == WEIR_SCORING_ANOMALY) snprintf(text, size, "AUC %.4f", m->auc);
    else snprintf(text, size, "%.2f %%", 100 * m->accuracy);
    return text;
}
