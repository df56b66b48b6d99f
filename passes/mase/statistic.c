#include "passes/mase/statistic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "support/text/suggest.h"

typedef enum span { SPAN_ALL, SPAN_NONE, SPAN_LIST } span;

/* Arguments; a method takes some of them. */
typedef struct settings {
    span span;
    int axis_count;
    int64_t axis[WEIR_MAX_RANK];
    bool absolute, new_axis, precise;
    double sigmas, quantile;
} settings;

/* Moments and extremes of the values of one result. */
typedef struct cell {
    double count, mean, squares; /* squares: sum of (x - mean)^2 */
    double min, max;
} cell;

typedef struct method {
    const char *name;
    const char *arguments; /* " device dims ... ": names between blanks */
    bool keeps;            /* needs all the data */
    json_t *(*result)(const weir_statistic *statistic);
} method;

struct weir_statistic {
    const method *method;
    char *where; /* for messages */
    settings settings;
    weir_dtype dtype;
    weir_shape shape, remaining; /* of a sample, of the results */
    size_t elements, cells, samples;
    size_t *cell_of; /* by element of a sample */
    cell *cell;
    double *data; /* samples * elements, when the method keeps them */
    size_t capacity;
};

/* --- results as JSON --- */

static json_t *number(double value) {
    if (isnan(value)) return json_string("nan");
    if (isinf(value)) return json_string(value > 0 ? "inf" : "-inf");
    return json_real(value);
}

/* Values in row-major order as nested lists over axes `axis`.. of the shape; advances *at. */
static json_t *nested(const weir_shape *shape, int axis, bool whole, const double *values, size_t *at) {
    if (axis == shape->rank) {
        double value = values[(*at)++];
        return whole ? json_integer((json_int_t)value) : number(value);
    }
    json_t *list = json_array();
    for (int64_t i = 0; i < shape->dim[axis]; i++)
        json_array_append_new(list, nested(shape, axis + 1, whole, values, at));
    return list;
}

static uint64_t count_of(const weir_statistic *s) { return s->cells == 0 ? 0 : s->samples * (s->elements / s->cells); }

/* A result for each cell under a key; "NA" when there are too few values. */
static void set_results(const weir_statistic *s, json_t *object, const char *key, const double *values) {
    size_t at = 0;
    json_t *result = count_of(s) < 2 ? json_string("NA") : nested(&s->remaining, 0, false, values, &at);
    json_object_set_new(object, key, result);
}

static json_t *finish(const weir_statistic *s, json_t *object) {
    json_object_set_new(object, "count", json_integer((json_int_t)count_of(s)));
    return object;
}

/* --- moments --- */

static cell *new_cells(size_t count) {
    cell *cells = weir_calloc(count + 1, sizeof *cells);
    for (size_t c = 0; c < count; c++) cells[c] = (cell){.min = INFINITY, .max = -INFINITY};
    return cells;
}

/* NaN stays. */
static void extend(cell *c, double x) {
    if (isnan(x)) c->min = c->max = x;
    if (x < c->min) c->min = x;
    if (x > c->max) c->max = x;
}

/* The moments of a batch of samples: mean, then deviations from it, whose own sum corrects the mean's rounding. */
static cell *batch_moments(const weir_statistic *s, const double *values, size_t samples) {
    cell *batch = new_cells(s->cells);
    const double count = (double)(samples * (s->elements / s->cells));
    double *rest = weir_calloc(s->cells, sizeof *rest);
    for (size_t i = 0; i < samples * s->elements; i++) {
        cell *c = &batch[s->cell_of[i % s->elements]];
        c->mean += values[i] / count;
        extend(c, values[i]);
    }
    for (size_t i = 0; i < samples * s->elements; i++) {
        size_t at = s->cell_of[i % s->elements];
        double deviation = values[i] - batch[at].mean;
        batch[at].squares += deviation * deviation;
        rest[at] += deviation;
    }
    for (size_t c = 0; c < s->cells; c++) {
        batch[c].count = count;
        batch[c].mean += rest[c] / count;
        batch[c].squares -= rest[c] * rest[c] / count;
        if (batch[c].squares < 0) batch[c].squares = 0;
    }
    free(rest);
    return batch;
}

static void merge(cell *into, const cell *batch) {
    double count = into->count + batch->count, delta = batch->mean - into->mean;
    into->squares += batch->squares + delta * delta * into->count * batch->count / count;
    into->mean += delta * batch->count / count;
    into->count = count;
    extend(into, batch->min);
    extend(into, batch->max);
}

/* By cell: `offset` to the number of values in the divisor (0: the population's variance, -1: unbiased). */
static void moments(const weir_statistic *s, double offset, double *mean, double *variance) {
    cell *precise = s->method->keeps && s->elements > 0 ? batch_moments(s, s->data, s->samples) : NULL;
    for (size_t c = 0; c < s->cells; c++) {
        const cell *from = precise == NULL ? &s->cell[c] : &precise[c];
        mean[c] = from->mean;
        variance[c] = from->squares / (from->count + offset);
    }
    free(precise);
}

/* --- the seven --- */

static json_t *result_record(const weir_statistic *s) {
    weir_shape shape = s->shape;
    if (s->settings.new_axis || shape.rank == 0) {
        memmove(&shape.dim[1], &shape.dim[0], (size_t)shape.rank * sizeof shape.dim[0]);
        shape.rank++;
        shape.dim[0] = 1;
    }
    shape.dim[0] *= (int64_t)s->samples;
    size_t at = 0;
    json_t *object = json_object();
    json_object_set_new(object, "data", nested(&shape, 0, !weir_dtype_is_float(s->dtype), s->data, &at));
    json_object_set_new(object, "count", json_integer((json_int_t)s->samples));
    json_object_set_new(object, "size_in_bytes",
                        json_integer((json_int_t)(s->samples * s->elements * weir_dtype_size(s->dtype))));
    return object;
}

static json_t *variance(const weir_statistic *s, double offset) {
    double *mean = weir_calloc(s->cells + 1, sizeof *mean), *spread = weir_calloc(s->cells + 1, sizeof *spread);
    moments(s, offset, mean, spread);
    json_t *object = json_object();
    set_results(s, object, "mean", mean);
    set_results(s, object, "variance", spread);
    free(mean);
    free(spread);
    return finish(s, object);
}

static json_t *result_variance_online(const weir_statistic *s) { return variance(s, 0); }

static json_t *result_variance_precise(const weir_statistic *s) { return variance(s, -1); }

static json_t *range(const weir_statistic *s, const double *min, double *max) {
    json_t *object = json_object();
    set_results(s, object, "min", min);
    set_results(s, object, "max", max);
    for (size_t c = 0; c < s->cells; c++) max[c] -= min[c];
    set_results(s, object, "range", max);
    return finish(s, object);
}

static json_t *result_range_n_sigma(const weir_statistic *s) {
    double *min = weir_calloc(s->cells + 1, sizeof *min), *max = weir_calloc(s->cells + 1, sizeof *max);
    moments(s, s->settings.precise ? -1 : 0, min, max);
    for (size_t c = 0; c < s->cells; c++) {
        double mean = min[c], reach = s->settings.sigmas * sqrt(max[c]);
        min[c] = mean - reach;
        max[c] = mean + reach;
    }
    json_t *object = range(s, min, max);
    free(min);
    free(max);
    return object;
}

static json_t *result_range_min_max(const weir_statistic *s) {
    double *min = weir_calloc(s->cells + 1, sizeof *min), *max = weir_calloc(s->cells + 1, sizeof *max);
    for (size_t c = 0; c < s->cells; c++) {
        min[c] = s->cell[c].min;
        max[c] = s->cell[c].max;
    }
    json_t *object = range(s, min, max);
    free(min);
    free(max);
    return object;
}

/* In ascending order, NaN last. */
static int compare(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    if (isnan(a) || isnan(b)) return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

/* Between the neighbours of position q * (count - 1), linearly. */
static double quantile(const double *sorted, size_t count, double q) {
    if (isnan(sorted[count - 1])) return NAN;
    double position = q * (double)(count - 1);
    size_t below = (size_t)position, above = below + 1 < count ? below + 1 : below;
    if (sorted[below] == sorted[above]) return sorted[below];
    return sorted[below] + (sorted[above] - sorted[below]) * (position - (double)below);
}

static json_t *result_range_quantile(const weir_statistic *s) {
    double *min = weir_calloc(s->cells + 1, sizeof *min), *max = weir_calloc(s->cells + 1, sizeof *max);
    const size_t count = (size_t)count_of(s);
    double *values = weir_calloc(s->cells * count + 1, sizeof *values);
    size_t *filled = weir_calloc(s->cells + 1, sizeof *filled);
    for (size_t i = 0; i < s->samples * s->elements; i++) {
        size_t c = s->cell_of[i % s->elements];
        values[c * count + filled[c]++] = s->data[i];
    }
    for (size_t c = 0; count > 0 && c < s->cells; c++) {
        qsort(values + c * count, count, sizeof *values, compare);
        min[c] = quantile(values + c * count, count, 1 - s->settings.quantile);
        max[c] = quantile(values + c * count, count, s->settings.quantile);
    }
    json_t *object = range(s, min, max);
    free(min);
    free(max);
    free(values);
    free(filled);
    return object;
}

static json_t *result_abs_mean(const weir_statistic *s) {
    double *mean = weir_calloc(s->cells + 1, sizeof *mean), *spread = weir_calloc(s->cells + 1, sizeof *spread);
    moments(s, 0, mean, spread);
    json_t *object = json_object();
    set_results(s, object, "abs_mean", mean);
    free(mean);
    free(spread);
    return finish(s, object);
}

static const method methods[] = {
    {"record", " device add_new_dim_before_concat ", true, result_record},
    {"variance_online", " device dims ", false, result_variance_online},
    {"variance_precise", " device dims ", true, result_variance_precise},
    {"range_n_sigma", " device dims abs var_mode num_sigma ", false, result_range_n_sigma},
    {"range_min_max", " device dims abs ", false, result_range_min_max},
    {"range_quantile", " device dims abs quantile ", true, result_range_quantile},
    {"abs_mean", " device dims ", false, result_abs_mean},
};
enum { METHODS = sizeof methods / sizeof *methods };

/* --- arguments --- */

static bool is_text(const json_t *value, const char *text) {
    return json_is_string(value) && strcmp(json_string_value(value), text) == 0;
}

static bool is_none(const json_t *value) { return json_is_null(value) || is_text(value, "None"); }

static bool read_device(settings *s, const json_t *value) {
    (void)s;
    return is_none(value) || is_text(value, "cpu");
}

static bool read_dims(settings *s, const json_t *value) {
    if (is_text(value, "all")) s->span = SPAN_ALL;
    else if (is_none(value)) s->span = SPAN_NONE;
    else if (json_is_array(value) && json_array_size(value) <= WEIR_MAX_RANK) s->span = SPAN_LIST;
    else return false;
    s->axis_count = (int)json_array_size(value);
    for (int i = 0; i < s->axis_count; i++) {
        if (!json_is_integer(json_array_get(value, (size_t)i))) return false;
        s->axis[i] = json_integer_value(json_array_get(value, (size_t)i));
    }
    return true;
}

static bool read_flag(bool *flag, const json_t *value) {
    *flag = json_is_true(value);
    return json_is_boolean(value);
}

static bool read_absolute(settings *s, const json_t *value) { return read_flag(&s->absolute, value); }

static bool read_new_axis(settings *s, const json_t *value) { return read_flag(&s->new_axis, value); }

static bool read_mode(settings *s, const json_t *value) {
    s->precise = is_text(value, "precise");
    return s->precise || is_text(value, "online");
}

static bool read_sigmas(settings *s, const json_t *value) {
    s->sigmas = json_number_value(value);
    return json_is_number(value) && s->sigmas >= 0;
}

static bool read_quantile(settings *s, const json_t *value) {
    s->quantile = json_number_value(value);
    return json_is_number(value) && s->quantile >= 0.5 && s->quantile <= 1;
}

typedef struct argument {
    const char *name, *expected;
    bool (*read)(settings *settings, const json_t *value);
} argument;

static const argument arguments[] = {
    {"device", "null or cpu", read_device},
    {"dims", "all, null or a list of axes", read_dims},
    {"abs", "true or false", read_absolute},
    {"add_new_dim_before_concat", "true or false", read_new_axis},
    {"var_mode", "online or precise", read_mode},
    {"num_sigma", "a number of at least 0", read_sigmas},
    {"quantile", "a number from 0.5 to 1", read_quantile},
};
enum { ARGUMENTS = sizeof arguments / sizeof *arguments };

static bool takes(const method *m, const char *name) {
    char *word = weir_format(" %s ", name);
    bool found = strstr(m->arguments, word) != NULL;
    free(word);
    return found;
}

static bool unknown_argument(const method *m, const char *name, const char *where) {
    const char *names[ARGUMENTS];
    size_t count = 0;
    for (size_t i = 0; i < ARGUMENTS; i++) {
        if (takes(m, arguments[i].name)) names[count++] = arguments[i].name;
    }
    const char *near = weir_suggest(name, names, count);
    weir_error(WEIR_NOWHERE, "%s: '%s' has no argument '%s'", where, m->name, name);
    if (near != NULL) weir_note("did you mean '%s'?", near);
    else weir_note("it has:%s", m->arguments);
    return false;
}

static bool read_arguments(const method *m, settings *s, const json_t *object, const char *where) {
    const char *key;
    json_t *value;
    if (object != NULL && !json_is_null(object) && !json_is_object(object)) {
        weir_error(WEIR_NOWHERE, "%s: expected a mapping of arguments after '%s'", where, m->name);
        return false;
    }
    json_object_foreach((json_t *)object, key, value) {
        const argument *found = NULL;
        for (size_t i = 0; i < ARGUMENTS && takes(m, key); i++) {
            if (strcmp(arguments[i].name, key) == 0) found = &arguments[i];
        }
        if (found == NULL) return unknown_argument(m, key, where);
        if (found->read(s, value)) continue;
        weir_error(WEIR_NOWHERE, "%s: '%s' of '%s' must be %s", where, key, m->name, found->expected);
        return false;
    }
    return true;
}

weir_statistic *weir_statistic_new(const char *name, const json_t *object, const char *where) {
    const char *names[METHODS];
    const method *found = NULL;
    for (size_t i = 0; i < METHODS; i++) {
        names[i] = methods[i].name;
        if (strcmp(name, methods[i].name) == 0) found = &methods[i];
    }
    if (found == NULL) {
        const char *near = weir_suggest(name, names, METHODS);
        weir_error(WEIR_NOWHERE, "%s: unknown statistic '%s'", where, name);
        if (near != NULL) weir_note("did you mean '%s'?", near);
        return NULL;
    }
    settings s = {.sigmas = 3, .quantile = 0.975};
    if (!read_arguments(found, &s, object, where)) return NULL;
    if (found->result == result_abs_mean) s.absolute = true;
    weir_statistic *statistic = weir_calloc(1, sizeof *statistic);
    statistic->method = found;
    statistic->where = weir_copy_string(where);
    statistic->settings = s;
    return statistic;
}

void weir_statistic_free(weir_statistic *s) {
    if (s == NULL) return;
    free(s->where);
    free(s->cell_of);
    free(s->cell);
    free(s->data);
    free(s);
}

const char *weir_statistic_name(const weir_statistic *s) { return s->method->name; }

/* --- samples --- */

/* Which axes the results span; false after a reported error. */
static bool spanned(const weir_statistic *s, const weir_shape *shape, bool over[WEIR_MAX_RANK]) {
    for (int i = 0; i < WEIR_MAX_RANK; i++) over[i] = s->settings.span == SPAN_ALL;
    for (int i = 0; i < s->settings.axis_count; i++) {
        int64_t axis = s->settings.axis[i] < 0 ? s->settings.axis[i] + shape->rank : s->settings.axis[i];
        if (axis < 0 || axis >= shape->rank) {
            weir_error(WEIR_NOWHERE, "%s: '%s' over axis %lld of a tensor with %d", s->where, s->method->name,
                       (long long)s->settings.axis[i], shape->rank);
            return false;
        }
        over[axis] = true;
    }
    return true;
}

/* Lays out the cells for samples of this shape. */
static bool begin(weir_statistic *s, const weir_array *sample) {
    bool over[WEIR_MAX_RANK];
    if (!spanned(s, &sample->shape, over)) return false;
    s->dtype = sample->dtype;
    s->shape = sample->shape;
    s->elements = sample->count;
    size_t stride[WEIR_MAX_RANK] = {0};
    s->cells = 1;
    for (int i = s->shape.rank - 1; i >= 0; i--) {
        stride[i] = over[i] ? 0 : s->cells;
        if (!over[i]) s->cells *= (size_t)s->shape.dim[i];
    }
    for (int i = 0; i < s->shape.rank; i++) {
        if (!over[i]) s->remaining.dim[s->remaining.rank++] = s->shape.dim[i];
    }
    s->cell_of = weir_calloc(s->elements + 1, sizeof *s->cell_of);
    for (size_t e = 0; e < s->elements; e++) {
        size_t rest = e;
        for (int i = s->shape.rank - 1; i >= 0; i--) {
            s->cell_of[e] += rest % (size_t)s->shape.dim[i] * stride[i];
            rest /= (size_t)s->shape.dim[i];
        }
    }
    s->cell = new_cells(s->cells);
    return true;
}

static bool same_shape(const weir_statistic *s, const weir_array *sample) {
    if (weir_shape_equal(&s->shape, &sample->shape) && s->dtype == sample->dtype) return true;
    char expected[96], found[96];
    weir_error(WEIR_NOWHERE, "%s: '%s' needs samples of one type, found first %s %s, then %s %s", s->where,
               s->method->name, weir_dtype_name(s->dtype), weir_shape_print(&s->shape, expected, sizeof expected),
               weir_dtype_name(sample->dtype), weir_shape_print(&sample->shape, found, sizeof found));
    return false;
}

bool weir_statistic_update(weir_statistic *s, const weir_array *sample) {
    if (s->samples == 0 ? !begin(s, sample) : !same_shape(s, sample)) return false;
    s->samples++;
    if (s->elements == 0) return true;
    size_t first = s->method->keeps ? (s->samples - 1) * s->elements : 0;
    s->data = weir_grow(s->data, &s->capacity, first + s->elements, sizeof *s->data);
    for (size_t i = 0; i < s->elements; i++) {
        double x = weir_array_get(sample, i);
        s->data[first + i] = s->settings.absolute ? fabs(x) : x;
    }
    if (s->method->keeps) return true;
    cell *batch = batch_moments(s, s->data, 1);
    for (size_t c = 0; c < s->cells; c++) merge(&s->cell[c], &batch[c]);
    free(batch);
    return true;
}

json_t *weir_statistic_result(const weir_statistic *s) { return s->method->result(s); }
