/* What an output says about classes, read off the graph, and what labels say. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cosim/metrics.h"
#include "ir/trait/trait.h"
#include "support/memory/arena.h"

/* --- outputs --- */

/* Do the codes stand for numbers from 0 to 1 only? */
static bool is_unit(const weir_type *type) {
    int64_t low = type->low, high = type->high;
    if (type->quant.format == WEIR_FORMAT_FLOAT || type->quant.count > 1) return false;
    if (!type->has_range) weir_quant_limits(&type->quant, &low, &high);
    const double scale = weir_quant_scale(&type->quant, 0), zero = (double)weir_quant_zero(&type->quant, 0);
    return ((double)low - zero) * scale >= 0 && ((double)high - zero) * scale <= 1 + 1e-6;
}

/* Is it the number of a class, or a label that is picked by one? */
static bool is_index(const weir_graph *graph, weir_value value) {
    for (weir_node node = weir_value_producer(graph, value); node.id != 0; node = weir_value_producer(graph, value)) {
        const weir_trait_meaning meaning = weir_trait_of(weir_node_op(graph, node))->meaning;
        if (meaning == WEIR_MEANING_POSITION) return true;
        if (meaning == WEIR_MEANING_POSITION_1) return weir_value_producer_output(graph, value) == 1;
        const bool picks = meaning == WEIR_MEANING_PICK;
        if (picks && weir_value_constant(graph, weir_node_input(graph, node, 0)) == NULL) return false;
        if (!picks && meaning != WEIR_MEANING_SAME) return false;
        value = weir_node_input(graph, node, picks);
    }
    return false;
}

static weir_scoring_kind kind_of(const weir_graph *graph, weir_value value) {
    if (is_index(graph, value)) return WEIR_SCORING_INDEX;
    while (true) {
        if (is_unit(weir_value_type(graph, value))) return WEIR_SCORING_PROBABILITY;
        const weir_node node = weir_value_producer(graph, value);
        if (node.id == 0) return WEIR_SCORING_LOGIT;
        const weir_trait_meaning meaning = weir_trait_of(weir_node_op(graph, node))->meaning;
        if (meaning == WEIR_MEANING_SHARE) return WEIR_SCORING_PROBABILITY;
        if (meaning != WEIR_MEANING_SAME) return WEIR_SCORING_LOGIT;
        value = weir_node_input(graph, node, 0);
    }
}

static bool is_share(const weir_graph *graph, weir_value value) {
    for (weir_node node = weir_value_producer(graph, value); node.id != 0; node = weir_value_producer(graph, value)) {
        const weir_op op = weir_node_op(graph, node);
        if (weir_trait_of(op)->task == WEIR_TASK_SOFTMAX) return true;
        if (weir_trait_of(op)->meaning != WEIR_MEANING_SAME) return false;
        value = weir_node_input(graph, node, 0);
    }
    return false;
}

static weir_scoring scoring_of(const weir_graph *graph, size_t index) {
    const weir_value output = weir_graph_output(graph, index);
    const weir_type *type = weir_value_type(graph, output);
    const weir_shape *in = &weir_value_type(graph, weir_graph_input(graph, 0))->shape, *out = &type->shape;
    weir_scoring s = {.output = index, .entries = 1, .scale = 1};
    if (in->rank > 1 && out->rank > 0 && in->dim[0] == out->dim[0] && (out->rank > 1 || in->dim[0] > 1))
        s.entries = in->dim[0];
    size_t count = 1;
    weir_shape_count(out, &count);
    s.values = (int64_t)count / s.entries;
    weir_shape_count(in, &count);
    s.inputs = (int64_t)count / s.entries;
    int wide = 0;
    for (int i = s.entries > 1; i < out->rank; i++) wide += out->dim[i] > 1;
    s.is_map = wide > 1;
    s.kind = s.values > 1 ? WEIR_SCORING_LARGEST : kind_of(graph, output);
    s.is_share = s.values > 1 && is_share(graph, output);
    if (type->quant.format != WEIR_FORMAT_FLOAT && type->quant.count <= 1) {
        s.scale = weir_quant_scale(&type->quant, 0);
        s.zero = weir_quant_zero(&type->quant, 0);
    }
    return s;
}

weir_scoring weir_scoring_of(const weir_graph *graph) { return scoring_of(graph, 0); }

bool weir_scoring_has_classes(const weir_scoring *s) { return s->kind <= WEIR_SCORING_INDEX; }

static bool choose_output(const weir_graph *graph, const char *name, size_t *index) {
    const size_t count = weir_graph_output_count(graph);
    *index = 0;
    while (name != NULL && *index < count && strcmp(weir_graph_output_name(graph, *index), name) != 0) (*index)++;
    if (*index < count) return true;
    weir_error(WEIR_NOWHERE, "the model has no output '%s'", name);
    for (size_t i = 0; i < count; i++) weir_note("it has '%s'", weir_graph_output_name(graph, i));
    return false;
}

/* Names of kinds, in their order. */
static const char *const tasks[] = {"largest", "logit", "probability", "index", "regression", "anomaly", "none"};
enum { TASKS = sizeof tasks / sizeof *tasks };

const char *weir_scoring_task(const weir_scoring *s) {
    assert((unsigned)s->kind < TASKS);
    return tasks[s->kind];
}

/* Can the task be scored of as many values? */
static bool fits(const weir_scoring *s) {
    switch (s->kind) {
    case WEIR_SCORING_LARGEST: return s->values > 1;
    case WEIR_SCORING_LOGIT:
    case WEIR_SCORING_PROBABILITY:
    case WEIR_SCORING_INDEX: return s->values == 1;
    case WEIR_SCORING_ANOMALY: return s->values == s->inputs;
    case WEIR_SCORING_NUMBER:
    case WEIR_SCORING_NONE: break;
    }
    return true;
}

bool weir_scoring_choose(const weir_graph *graph, const char *task, const char *output, weir_scoring *s) {
    size_t index, t = 0;
    if (!choose_output(graph, output, &index)) return false;
    *s = scoring_of(graph, index);
    if (task == NULL) return true;
    while (t < TASKS && strcmp(tasks[t], task) != 0) t++;
    if (t == TASKS) {
        weir_error(WEIR_NOWHERE, "unknown task '%s', expected " WEIR_SCORING_TASKS, task);
        return false;
    }
    s->kind = (weir_scoring_kind)t;
    s->is_chosen = true;
    if (fits(s)) return true;
    weir_error(WEIR_NOWHERE, "output '%s' has %" PRId64 " values, which task '%s' cannot score",
               weir_graph_output_name(graph, index), s->values, task);
    return false;
}

char *weir_scoring_print(const weir_scoring *s, char *text, size_t size) {
    if (s->kind == WEIR_SCORING_LARGEST) snprintf(text, size, "largest of %" PRId64, s->values);
    else if (s->kind == WEIR_SCORING_INDEX) snprintf(text, size, "index");
    else if (s->kind == WEIR_SCORING_NUMBER) snprintf(text, size, "regression");
    else if (s->kind == WEIR_SCORING_ANOMALY) snprintf(text, size, "anomaly: the error of the input's copy");
    else if (s->kind == WEIR_SCORING_NONE) snprintf(text, size, "none: the output names no class");
    else snprintf(text, size, "class 1 above %s", s->kind == WEIR_SCORING_LOGIT ? "0" : "0.5");
    return text;
}

/* --- labels --- */

typedef struct labels {
    const weir_array *found;
    const char *name, *file;
    int64_t entries, classes; /* classes 0: any number */
} labels;

/* The class of one entry: its number, or the position of the only 1 in its row. False where the row has another
 * form. */
static bool class_of(const labels *l, size_t entry, bool rows, int64_t *class) {
    assert(entry < (size_t)l->entries);
    if (!rows) {
        const double v = weir_array_get(l->found, entry);
        *class = weir_array_get_int(l->found, entry);
        return !weir_dtype_is_float(l->found->dtype) || v == trunc(v);
    }
    *class = -1;
    for (size_t c = 0; c < (size_t)l->classes; c++) {
        const double v = weir_array_get(l->found, entry * (size_t)l->classes + c);
        if (v == 0) continue;
        if (v != 1 || *class >= 0) return false;
        *class = (int64_t)c;
    }
    return *class >= 0;
}

/* -1 and 1 name the classes 0 and 1 where 0 is not a label. */
static void convert_bipolar(weir_array *classes) {
    for (size_t i = 0; i < classes->count; i++) {
        const int64_t class = weir_array_get_int(classes, i);
        if (class != -1 && class != 1) return;
    }
    for (size_t i = 0; i < classes->count; i++) {
        if (weir_array_get_int(classes, i) < 0) weir_array_set_int(classes, i, 0);
    }
}

/* One warning for all labels that no output can name. */
static void warn_of_range(const labels *l, const weir_array *classes) {
    size_t wrong = 0, first = 0;
    bool from_one = true;
    for (size_t i = classes->count; i-- > 0;) {
        const int64_t class = weir_array_get_int(classes, i);
        from_one &= class >= 1 && class <= l->classes;
        if ((class >= 0 && class < l->classes) || class == WEIR_NO_WORD)
            continue; /* text is warned of when it is read */
        first = i;
        wrong++;
    }
    if (wrong == 0) return;
    weir_warning(weir_at(l->file, 0),
                 "labels '%s': %zu of %zu name no class, the first at frame %zu: %" PRId64 ", expected 0 to %" PRId64
                 "; these count as wrong",
                 l->name, wrong, classes->count, first, weir_array_get_int(classes, first), l->classes - 1);
    if (from_one) weir_note("all labels are from 1 to %" PRId64 ": are the classes counted from 1?", l->classes);
}

/* NULL after a warning. */
static weir_array *convert(const labels *l, bool rows) {
    weir_array *classes = weir_array_new(WEIR_INT64, &(weir_shape){1, {l->entries}});
    for (size_t i = 0; i < classes->count; i++) {
        int64_t class;
        if (class_of(l, i, rows, &class)) {
            weir_array_set_int(classes, i, class);
            continue;
        }
        if (rows)
            weir_warning(weir_at(l->file, 0),
                         "labels '%s' are not used: frame %zu has a row other than one 1 among zeros", l->name, i);
        else
            weir_warning(weir_at(l->file, 0), "labels '%s' are not used: frame %zu has %g, expected a whole number",
                         l->name, i, weir_array_get(l->found, i));
        weir_array_free(classes);
        return NULL;
    }
    return classes;
}

/* Fractions, or more different whole numbers than one value can name. */
static bool are_numbers(const labels *l) {
    double known[2];
    size_t count = 0;
    for (size_t i = 0; i < l->found->count; i++) {
        const double v = weir_array_get(l->found, i);
        if (v != trunc(v)) return true;
        if ((count > 0 && known[0] == v) || (count > 1 && known[1] == v)) continue;
        if (count == 2) return true;
        known[count++] = v;
    }
    return false;
}

/* Rows that mark classes have zeros and ones only, whatever else may be wrong with them. */
static bool are_marks(const labels *l) {
    for (size_t i = 0; i < l->found->count; i++) {
        const double v = weir_array_get(l->found, i);
        if (v != 0 && v != 1) return false;
    }
    return true;
}

/* Are the labels what a regression is to come near? */
static bool is_regression(const labels *l, const weir_scoring *s, bool rows) {
    switch (s->kind) {
    case WEIR_SCORING_LARGEST: return rows && !s->is_share && !are_marks(l);
    case WEIR_SCORING_LOGIT:
    case WEIR_SCORING_NUMBER: return l->found->count == (size_t)l->entries && are_numbers(l);
    case WEIR_SCORING_PROBABILITY:
    case WEIR_SCORING_INDEX:
    case WEIR_SCORING_ANOMALY:
    case WEIR_SCORING_NONE: break;
    }
    return false;
}

/* Does the output have the form of the input, and the labels say of each entry whether it is one of the usual? */
static bool is_anomaly(const labels *l, const weir_scoring *s) {
    return s->kind == WEIR_SCORING_LARGEST && s->values == s->inputs && s->values > 2 && !s->is_share &&
           l->found->count == (size_t)l->entries && are_marks(l);
}

static weir_array *read_numbers(const labels *l, weir_scoring *scoring) {
    weir_array *numbers = weir_array_new(WEIR_FLOAT64, &(weir_shape){2, {l->entries, scoring->values}});
    for (size_t i = 0; i < numbers->count; i++) weir_array_set(numbers, i, weir_array_get(l->found, i));
    scoring->kind = WEIR_SCORING_NUMBER;
    return numbers;
}

weir_array *weir_labels_read(const weir_frames *frames, weir_scoring *scoring) {
    labels l = {.file = weir_frames_file(frames), .entries = weir_frames_count(frames) * scoring->entries};
    l.found = weir_frames_labels(frames, &l.name);
    const size_t count = l.found == NULL ? 0 : l.found->count, entries = (size_t)l.entries;
    const bool one_a_value = count == entries * (size_t)scoring->values;
    if (!scoring->is_chosen && scoring->is_map && scoring->kind == WEIR_SCORING_LARGEST && count != entries &&
        !one_a_value)
        scoring->kind = WEIR_SCORING_NONE;
    if (l.found == NULL || scoring->kind == WEIR_SCORING_NONE) return NULL;
    if (!scoring->is_chosen && is_anomaly(&l, scoring)) scoring->kind = WEIR_SCORING_ANOMALY;
    const bool is_number = scoring->kind == WEIR_SCORING_NUMBER;
    l.classes = scoring->kind == WEIR_SCORING_LARGEST || is_number ? scoring->values
                : scoring->kind == WEIR_SCORING_INDEX              ? 0
                                                                   : 2;
    const bool rows = count != entries && l.classes > 1 && count == entries * (size_t)l.classes;
    if (is_number && one_a_value) return read_numbers(&l, scoring);
    if (count != entries && !rows) {
        char shape[96];
        weir_warning(weir_at(l.file, 0),
                     "labels '%s' of shape %s are not used: expected one for each of %" PRId64 " frames", l.name,
                     weir_shape_print(&l.found->shape, shape, sizeof shape), l.entries);
        return NULL;
    }
    if (!scoring->is_chosen && is_regression(&l, scoring, rows)) return read_numbers(&l, scoring);
    weir_array *classes = convert(&l, rows);
    if (classes != NULL && l.classes == 2) convert_bipolar(classes);
    if (classes != NULL && l.classes > 0) warn_of_range(&l, classes);
    return classes;
}
