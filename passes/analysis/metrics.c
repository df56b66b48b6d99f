#include "passes/analysis/metrics.h"

#include <math.h>
#include <stdlib.h>

#include "exec/elementary.h"
#include "support/arena.h"

int64_t weir_metrics_class(const weir_array *outputs, int64_t frame, int64_t classes) {
    int64_t best = 0;
    for (int64_t i = 1; i < classes; i++) {
        if (weir_array_get(outputs, (size_t)(frame * classes + i)) >
            weir_array_get(outputs, (size_t)(frame * classes + best)))
            best = i;
    }
    return best;
}

/* log(sum(exp(x))) - x[label], the largest x taken out so that nothing overflows. */
static double cross_entropy(const weir_array *outputs, int64_t frame, int64_t classes, int64_t label) {
    if (label < 0 || label >= classes) return NAN;
    const int64_t first = frame * classes, best = weir_metrics_class(outputs, frame, classes);
    const double largest = weir_array_get(outputs, (size_t)(first + best));
    double others = 0;
    for (int64_t i = 0; i < classes; i++) {
        if (i != best) others += weir_elementary_exp(weir_array_get(outputs, (size_t)(first + i)) - largest);
    }
    return weir_elementary_log1p(others) - (weir_array_get(outputs, (size_t)(first + label)) - largest);
}

/* Frames of a class: labelled so, named so, both. */
typedef struct tally {
    int64_t labelled, named, right;
} tally;

weir_metrics weir_metrics_of(const weir_array *outputs, const weir_array *labels, int64_t frames) {
    const int64_t classes = (int64_t)outputs->count / outputs->shape.dim[0];
    tally *of = weir_calloc((size_t)classes, sizeof *of);
    weir_metrics m = {0};
    for (int64_t frame = 0; frame < frames; frame++) {
        int64_t label = weir_array_get_int(labels, (size_t)frame);
        int64_t found = weir_metrics_class(outputs, frame, classes);
        m.loss += cross_entropy(outputs, frame, classes, label) / (double)frames;
        of[found].named++;
        if (label >= 0 && label < classes) of[label].labelled++;
        if (label == found) of[found].right++;
    }
    for (int64_t c = 0; c < classes; c++) {
        double share = (double)of[c].labelled / (double)frames;
        m.accuracy += (double)of[c].right / (double)frames;
        if (of[c].right == 0) continue;
        m.precision += share * (double)of[c].right / (double)of[c].named;
        m.recall += share * (double)of[c].right / (double)of[c].labelled;
        m.f1 += share * 2 * (double)of[c].right / (double)(of[c].named + of[c].labelled);
    }
    free(of);
    return m;
}

json_t *weir_metrics_json(const weir_metrics *m) {
    return json_pack("{s:f, s:f, s:f, s:f, s:o}", "accuracy", m->accuracy, "precision", m->precision, "recall",
                     m->recall, "f1", m->f1, "loss", isfinite(m->loss) ? json_real(m->loss) : json_null());
}
