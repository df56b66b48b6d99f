/* Matrices into points: the values of each name (lists, ranges, globs), their product, and what is left out. */
#include "regress/expand.h"

#include <fnmatch.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "regress/suite_private.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/suggest.h"
#include "support/text/text.h"

enum { MOST_POINTS = 10000000, MOST_VALUES = 1000000 };

typedef struct axis {
    size_t name;
    weir_suite_texts value; /* NULL: not given */
} axis;

typedef struct matrix {
    axis *axis;
    size_t axes;
} matrix;

/* A name and the patterns one of which its value must fit. */
typedef struct condition {
    size_t name;
    weir_suite_texts pattern;
} condition;

typedef struct filter {
    condition *condition;
    size_t conditions;
} filter;

typedef struct filters {
    filter *filter;
    size_t count;
} filters;

/* --- values --- */
static bool is_pattern(const char *text) { return strpbrk(text, "*?[") != NULL; }

/* The files that fit, relative to the suite's folder, sorted; false: none. */
static bool add_files(weir_suite *suite, const char *pattern, weir_suite_texts *values) {
    const bool is_here = strcmp(suite->folder, ".") == 0 || *pattern == '/';
    char *whole = is_here ? weir_copy_string(pattern) : weir_path_join(suite->folder, pattern);
    const size_t cut = is_here ? 0 : strlen(suite->folder) + 1;
    glob_t found;
    const bool fine = glob(whole, 0, NULL, &found) == 0;
    for (size_t i = 0; fine && i < found.gl_pathc; i++)
        weir_suite_texts_add(suite, values, weir_arena_copy_string(suite->arena, found.gl_pathv[i] + cut));
    if (fine) globfree(&found);
    free(whole);
    return fine;
}

static bool read_scalar(weir_suite *suite, const weir_yaml *yaml, const char *name, weir_suite_texts *values) {
    const bool is_null =
        !yaml->quoted && (strcmp(yaml->text, "~") == 0 || strcmp(yaml->text, "null") == 0 || *yaml->text == '\0');
    if (is_null) {
        weir_suite_texts_add(suite, values, NULL);
        return true;
    }
    if (is_pattern(yaml->text) && add_files(suite, yaml->text, values)) return true;
    if (is_pattern(yaml->text) && weir_suite_is_file(name)) {
        weir_error(yaml->location, "%s: no file fits '%.60s'", name, yaml->text);
        weir_note("paths count from the suite's folder, '%s'", suite->folder);
        return false;
    }
    weir_suite_texts_add(suite, values, weir_arena_copy_string(suite->arena, yaml->text));
    return true;
}

typedef struct range {
    double from, to, step, times;
} range;

static bool read_range(const weir_yaml *yaml, range *r) {
    static const char *const keys[] = {"from", "to", "step", "times", NULL};
    double *const into[] = {&r->from, &r->to, &r->step, &r->times};
    bool seen[4] = {false};
    for (size_t i = 0; i < yaml->count; i++) {
        size_t at = 0;
        while (keys[at] != NULL && strcmp(keys[at], yaml->key[i]) != 0) at++;
        if (keys[at] == NULL) {
            weir_error(yaml->key_location[i], "range: unknown key '%s'", yaml->key[i]);
            weir_suggest_note(yaml->key[i], keys);
            return false;
        }
        seen[at] = true;
        if (!weir_yaml_double(yaml->item[i], into[at])) return false;
    }
    if (!seen[0] || !seen[1] || (seen[2] && seen[3])) {
        weir_error(yaml->location, "a range has 'from', 'to', and 'step' or 'times'");
        weir_note("{from: 1, to: 9, step: 2} or {from: 16, to: 256, times: 2}");
        return false;
    }
    return true;
}

static const char *number_text(weir_suite *suite, double number) {
    weir_text text = {NULL, 0, 0};
    if (number == rint(number) && fabs(number) < 1e15) weir_text_format(&text, "%.0f", number);
    else weir_text_double(&text, number);
    const char *copy = weir_arena_copy_string(suite->arena, text.data);
    weir_text_free(&text);
    return copy;
}

/* Value i; `power`: r->times to that power. A sum is computed from the first value, so that no rounding adds up. */
static double value_at(const range *r, double power, int64_t i) {
    return r->times != 0 ? r->from * power : r->from + (double)i * r->step;
}

/* Is the value beyond the end, which counts when it is met to a billionth of a step? */
static bool is_beyond(const range *r, double value) {
    if (r->times != 0) return value > r->to * (1 + 1e-9);
    return (value - r->to) / r->step > 1e-9;
}

static bool add_range(weir_suite *suite, const weir_yaml *yaml, weir_suite_texts *values) {
    range r = {.step = 1};
    if (!read_range(yaml, &r)) return false;
    const bool grows =
        r.times != 0 ? r.from > 0 && r.to >= r.from && r.times > 1 : r.step != 0 && (r.to - r.from) / r.step >= 0;
    if (!grows) {
        weir_error(yaml->location, "the range never reaches its end");
        return false;
    }
    double power = 1;
    for (int64_t i = 0; !is_beyond(&r, value_at(&r, power, i)); i++, power *= r.times) {
        if (i >= MOST_VALUES) {
            weir_error(yaml->location, "the range has more than a million values");
            return false;
        }
        weir_suite_texts_add(suite, values, number_text(suite, value_at(&r, power, i)));
    }
    return true;
}

static bool read_values(weir_suite *suite, const weir_yaml *yaml, const char *name, weir_suite_texts *values) {
    bool fine = true;
    if (yaml->kind == WEIR_YAML_SCALAR) return read_scalar(suite, yaml, name, values);
    if (yaml->kind == WEIR_YAML_MAPPING) return add_range(suite, yaml, values);
    for (size_t i = 0; i < yaml->count; i++) {
        if (yaml->item[i]->kind == WEIR_YAML_SEQUENCE) {
            weir_error(yaml->item[i]->location, "%s: expected a value or a range, found a sequence", name);
            fine = false;
        } else {
            fine = read_values(suite, yaml->item[i], name, values) && fine;
        }
    }
    if (yaml->count > 0) return fine;
    weir_error(yaml->location, "%s: expected at least one value, or ~ for none", name);
    return false;
}

/* --- the command line: "NAME=A,B" or "NAME=A,NAME=B" --- */

/* The values of a list as YAML has them; NULL after a reported error. */
static weir_yaml *parse_list(const char *option, const char *text) {
    char *list = weir_format("[%s]", text);
    weir_yaml *yaml = weir_yaml_parse(list, strlen(list), option);
    free(list);
    return yaml;
}

static bool misuse(const char *option, const char *text, const char *form) {
    weir_error(WEIR_NOWHERE, "%s %s: expected %s", option, text, form);
    return false;
}

static bool define(weir_suite *suite, const char *text, matrix *m) {
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text) return misuse("-D", text, "NAME=VALUE,...");
    char *name = weir_arena_format(suite->arena, "%.*s", (int)(equals - text), text);
    weir_yaml *yaml = parse_list("-D", equals + 1);
    axis a = {weir_suite_add_name(suite, name), {NULL, 0}};
    const bool fine = yaml != NULL && read_values(suite, yaml, name, &a.value);
    weir_yaml_free(yaml);
    size_t at = 0;
    while (at < m->axes && m->axis[at].name != a.name) at++;
    m->axis[at] = a; /* there is room for all definitions */
    m->axes += at == m->axes;
    return fine;
}

static bool read_matrix(weir_suite *suite, const weir_yaml *yaml, const weir_suite_texts *defined, matrix *m) {
    const size_t own = yaml == NULL ? 0 : yaml->count;
    if (yaml != NULL && yaml->kind != WEIR_YAML_MAPPING) {
        weir_error(yaml->location, "expected names with their values, as {model: [a.onnx, b.onnx]}");
        return false;
    }
    m->axis = weir_arena_array(suite->arena, own + (defined == NULL ? 0 : defined->count), sizeof *m->axis);
    m->axes = own;
    bool fine = true;
    for (size_t i = 0; i < own; i++) {
        m->axis[i].name = weir_suite_add_name(suite, yaml->key[i]);
        fine = read_values(suite, yaml->item[i], yaml->key[i], &m->axis[i].value) && fine;
    }
    for (size_t i = 0; defined != NULL && i < defined->count; i++) fine = define(suite, defined->item[i], m) && fine;
    return fine;
}

/* --- filters --- */
static bool fits(const char *pattern, const char *value) {
    if (value == NULL) return *pattern == '\0';
    return fnmatch(pattern, value, 0) == 0 || fnmatch(pattern, weir_path_name(value), 0) == 0;
}

static bool filter_fits(const filter *f, const weir_suite_point *point) {
    for (size_t i = 0; i < f->conditions; i++) {
        const condition *c = &f->condition[i];
        bool one = false;
        for (size_t k = 0; k < c->pattern.count && !one; k++) one = fits(c->pattern.item[k], point->value[c->name]);
        if (!one) return false;
    }
    return true;
}

static bool any_fits(const filters *list, const weir_suite_point *point) {
    for (size_t i = 0; i < list->count; i++)
        if (filter_fits(&list->filter[i], point)) return true;
    return false;
}

/* The index of a name that some matrix has; false after a reported error. */
static bool find_name(const weir_suite *suite, const char *name, weir_location at, const char *option, size_t *index) {
    const int found = weir_suite_name(suite, name);
    *index = (size_t)found;
    if (found >= 0) return true;
    if (option != NULL) weir_error(WEIR_NOWHERE, "%s: no matrix has the name '%s'", option, name);
    else weir_error(at, "no matrix has the name '%s'", name);
    const char *near = weir_suggest(name, suite->names.item, suite->names.count);
    if (near != NULL) weir_note("did you mean '%s'?", near);
    return false;
}

static bool read_exclude(weir_suite *suite, const weir_yaml *yaml, filters *list) {
    if (yaml == NULL) return true;
    if (yaml->kind != WEIR_YAML_SEQUENCE) {
        weir_error(yaml->location, "exclude: expected a sequence of mappings, as [{model: \"*big*\", seed: 2}]");
        return false;
    }
    list->filter = weir_arena_array(suite->arena, yaml->count, sizeof *list->filter);
    bool fine = true;
    for (; list->count < yaml->count; list->count++) {
        const weir_yaml *item = yaml->item[list->count];
        filter *f = &list->filter[list->count];
        if (item->kind != WEIR_YAML_MAPPING || item->count == 0) {
            weir_error(item->location, "exclude: expected names with patterns, as {model: \"*big*\", seed: 2}");
            return false;
        }
        f->condition = weir_arena_array(suite->arena, item->count, sizeof *f->condition);
        for (; f->conditions < item->count; f->conditions++) {
            condition *c = &f->condition[f->conditions];
            const weir_yaml *value = item->item[f->conditions];
            fine =
                find_name(suite, item->key[f->conditions], item->key_location[f->conditions], NULL, &c->name) && fine;
            for (size_t i = 0; i < (value->kind == WEIR_YAML_SCALAR ? 1 : value->count); i++) {
                const weir_yaml *pattern = value->kind == WEIR_YAML_SCALAR ? value : value->item[i];
                if (value->kind == WEIR_YAML_MAPPING || pattern->kind != WEIR_YAML_SCALAR) {
                    weir_error(value->location, "exclude: expected patterns of values");
                    return false;
                }
                weir_suite_texts_add(suite, &c->pattern, weir_arena_copy_string(suite->arena, pattern->text));
            }
        }
    }
    return fine;
}

static bool read_only(weir_suite *suite, const char *text, filter *f) {
    char *copy = weir_arena_copy_string(suite->arena, text);
    size_t commas = 1;
    for (const char *c = copy; *c != '\0'; c++) commas += *c == ',';
    f->condition = weir_arena_array(suite->arena, commas, sizeof *f->condition);
    for (char *at = copy, *next; at != NULL; at = next) {
        next = strchr(at, ',');
        if (next != NULL) *next++ = '\0';
        char *equals = strchr(at, '=');
        if (equals == NULL || equals == at) return misuse("--only", text, "NAME=PATTERN,...");
        *equals = '\0';
        condition *c = &f->condition[f->conditions++];
        if (!find_name(suite, at, WEIR_NOWHERE, "--only", &c->name)) return false;
        weir_suite_texts_add(suite, &c->pattern, equals + 1);
    }
    return true;
}

/* --- points --- */
typedef struct expansion {
    weir_suite *suite;
    filters exclude, only;
    size_t capacity;
} expansion;

static void add_point(expansion *e, const weir_suite_point *point) {
    weir_suite *suite = e->suite;
    if (any_fits(&e->exclude, point) || (e->only.count > 0 && !any_fits(&e->only, point))) return;
    if (suite->points == e->capacity) {
        weir_suite_point *wider = weir_arena_array(suite->arena, e->capacity = 2 * e->capacity + 16, sizeof *wider);
        if (suite->points > 0) memcpy(wider, suite->point, suite->points * sizeof *wider);
        suite->point = wider;
    }
    weir_suite_point *into = &suite->point[suite->points++];
    into->value = weir_arena_array(suite->arena, suite->names.count, sizeof *into->value);
    memcpy(into->value, point->value, suite->names.count * sizeof *into->value);
}

static bool count_fits(const weir_suite *suite, const matrix *m) {
    double count = 1;
    for (size_t i = 0; i < m->axes; i++) count *= (double)m->axis[i].value.count;
    count += (double)suite->points;
    if (count <= MOST_POINTS) return true;
    weir_error(weir_at(suite->path, 0), "the matrix has %.0f points: expected at most %d", count, (int)MOST_POINTS);
    return false;
}

/* All combinations, the last axis fastest. */
static bool add_product(expansion *e, const matrix *m) {
    if (!count_fits(e->suite, m)) return false;
    size_t *at = weir_calloc(m->axes + 1, sizeof *at);
    weir_suite_point point = {weir_calloc(e->suite->names.count + 1, sizeof *point.value)};
    for (bool more = true; more;) {
        for (size_t i = 0; i < m->axes; i++) point.value[m->axis[i].name] = m->axis[i].value.item[at[i]];
        add_point(e, &point);
        size_t turn = m->axes;
        while (turn > 0 && ++at[turn - 1] == m->axis[turn - 1].value.count) at[--turn] = 0;
        more = turn > 0;
    }
    free(point.value);
    free(at);
    return true;
}

static bool read_includes(weir_suite *suite, const weir_yaml *yaml, matrix **list, size_t *count) {
    *count = 0;
    if (yaml == NULL) return true;
    if (yaml->kind != WEIR_YAML_SEQUENCE) {
        weir_error(yaml->location, "include: expected a sequence of matrices, as [{model: big.onnx, seed: 1}]");
        return false;
    }
    *list = weir_arena_array(suite->arena, yaml->count, sizeof **list);
    bool fine = true;
    for (; *count < yaml->count; ++*count)
        fine = read_matrix(suite, yaml->item[*count], NULL, &(*list)[*count]) && fine;
    return fine;
}

bool weir_suite_expand(weir_suite *suite, const weir_yaml *root, const weir_suite_choice *choice) {
    expansion e = {.suite = suite};
    matrix own = {NULL, 0}, *include = NULL;
    size_t includes;
    const weir_yaml *yaml = weir_yaml_find(root, "matrix");
    /* All names are known before the first point is made or left out. */
    bool fine = read_matrix(suite, yaml, &choice->define, &own);
    fine = read_includes(suite, weir_yaml_find(root, "include"), &include, &includes) && fine;
    fine = fine && read_exclude(suite, weir_yaml_find(root, "exclude"), &e.exclude);
    e.only.filter = weir_arena_array(suite->arena, choice->only.count, sizeof *e.only.filter);
    for (size_t i = 0; fine && i < choice->only.count; i++)
        fine = read_only(suite, choice->only.item[i], &e.only.filter[e.only.count++]);
    if (fine && (own.axes > 0 || includes == 0)) fine = add_product(&e, &own);
    for (size_t i = 0; fine && i < includes; i++) fine = add_product(&e, &include[i]);
    if (fine && suite->points == 0) {
        weir_error(weir_at(suite->path, 0), "no point is left");
        weir_note("'exclude' or --only leaves all of them out");
        fine = false;
    }
    return fine;
}
