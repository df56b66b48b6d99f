#include "regress/suite.h"

#include <stdlib.h>
#include <string.h>

#include "regress/suite_private.h"
#include "support/memory/arena.h"
#include "support/text/text.h"

size_t weir_suite_add_name(weir_suite *suite, const char *name) {
    const int known = weir_suite_name(suite, name);
    if (known >= 0) return (size_t)known;
    weir_suite_texts_add(suite, &suite->names, weir_arena_copy_string(suite->arena, name));
    return suite->names.count - 1;
}

void weir_suite_texts_add(weir_suite *suite, weir_suite_texts *texts, const char *text) {
    if ((texts->count & (texts->count - 1)) == 0) { /* a power of two, or none: full */
        const char **wider = weir_arena_array(suite->arena, texts->count == 0 ? 1 : 2 * texts->count, sizeof *wider);
        if (texts->count > 0) memcpy(wider, texts->item, texts->count * sizeof *wider);
        texts->item = wider;
    }
    texts->item[texts->count++] = text;
}

int weir_suite_name(const weir_suite *suite, const char *name) {
    for (size_t i = 0; i < suite->names.count; i++)
        if (strcmp(suite->names.item[i], name) == 0) return (int)i;
    return -1;
}

void weir_suite_free(weir_suite *suite) {
    if (suite != NULL) weir_arena_free(suite->arena);
}

/* --- points --- */
typedef struct named {
    const char *name, *value;
} named;

static int compare_named(const void *a, const void *b) {
    return strcmp(((const named *)a)->name, ((const named *)b)->name);
}

char *weir_suite_point_text(const weir_suite *suite, const weir_suite_point *point) {
    named *list = weir_calloc(suite->names.count + 1, sizeof *list);
    size_t count = 0;
    weir_text text = {NULL, 0, 0};
    for (size_t i = 0; i < suite->names.count; i++)
        if (point->value[i] != NULL) list[count++] = (named){suite->names.item[i], point->value[i]};
    qsort(list, count, sizeof *list, compare_named);
    for (size_t i = 0; i < count; i++)
        weir_text_format(&text, "%s%s=%s", i == 0 ? "" : ",", list[i].name, list[i].value);
    free(list);
    return text.data == NULL ? weir_copy_string("the only point") : text.data;
}

json_t *weir_suite_point_json(const weir_suite *suite, const weir_suite_point *point) {
    json_t *object = json_object();
    for (size_t i = 0; i < suite->names.count; i++)
        if (point->value[i] != NULL)
            json_object_set_new(object, suite->names.item[i], json_string_nocheck(point->value[i]));
    return object;
}

void weir_suite_add_names(weir_suite *suite, const json_t *names) {
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (name != NULL) weir_suite_add_name(suite, name);
    }
}

weir_suite_point weir_suite_point_of(const weir_suite *suite, const json_t *values) {
    weir_suite_point point = {weir_arena_array(suite->arena, suite->names.count + 1, sizeof *point.value)};
    for (size_t i = 0; i < suite->names.count; i++) {
        const char *value = json_string_value(json_object_get(values, suite->names.item[i]));
        if (value != NULL) point.value[i] = weir_arena_copy_string(suite->arena, value);
    }
    return point;
}

bool weir_suite_is_file(const char *name) {
    enum { FILE_, TEXT_ };
    static const struct {
        const char *name;
        int kind;
    } parameters[] = {
#define WEIR_PARAMETER(name, kind, steps) {name, kind##_},
#include "regress/parameter.def"
#undef WEIR_PARAMETER
    };
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
        if (strcmp(parameters[i].name, name) == 0) return parameters[i].kind == FILE_;
    return false;
}
