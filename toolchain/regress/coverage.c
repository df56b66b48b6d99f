/* A file of Verilator's: a line "# SystemC::Coverage-3", then C 'KEY' COUNT for each place, whose key has fields of a name
 * between the characters 1 and 2 and its value: page v_line/MODULE, v_branch, v_toggle, v_user. */
#include "regress/coverage.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "regress/kept.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "support/text/text.h"

static const char head[] = "# SystemC::Coverage-";
static const char *const kinds[WEIR_COVERAGE_KINDS] = {"line", "branch", "toggle", "user"};

const char *weir_coverage_kind(size_t kind) { return kinds[kind]; }

/* Adds the counts of a file's places to those before. */
static bool add_file(const char *path, char *text, json_t *places) {
    if (strncmp(text, head, sizeof head - 1) != 0) {
        weir_error(weir_at(path, 1), "expected '%s3', as Verilator's coverage begins", head);
        return false;
    }
    int line = 1;
    for (char *c = strchr(text, '\n'); c != NULL && c[1] != '\0'; c = strchr(c, '\n')) {
        c++;
        line++;
        if (strncmp(c, "C '", 3) != 0) continue;
        char *key = c + 3, *end = strstr(key, "' "), *next = strchr(key, '\n');
        if (end == NULL || (next != NULL && end > next)) {
            weir_error(weir_at(path, line), "expected C 'KEY' COUNT");
            return false;
        }
        const json_int_t count = strtoll(end + 2, NULL, 10);
        *end = '\0';
        json_object_set_new_nocheck(places, key,
                                    json_integer(count + json_integer_value(json_object_get(places, key))));
        c = end + 1;
    }
    return true;
}

/* WEIR_COVERAGE_KINDS: another one. */
static size_t kind_of(const char *key) {
    const char *page = strstr(key, "\001page\002v_");
    size_t kind = 0;
    while (page != NULL && kind < WEIR_COVERAGE_KINDS &&
           strncmp(page + strlen("\001page\002v_"), kinds[kind], strlen(kinds[kind])) != 0)
        kind++;
    return page == NULL ? WEIR_COVERAGE_KINDS : kind;
}

static bool write_merged(const char *run, json_t *places, weir_coverage *coverage) {
    weir_text text = {NULL, 0, 0};
    const char *key;
    json_t *count;
    weir_text_format(&text, "%s3\n", head);
    json_object_foreach(places, key, count) {
        const size_t kind = kind_of(key);
        weir_text_format(&text, "C '%s' %lld\n", key, (long long)json_integer_value(count));
        if (kind == WEIR_COVERAGE_KINDS) continue;
        coverage->found[kind]++;
        coverage->reached[kind] += json_integer_value(count) > 0;
    }
    char *path = weir_path_join(run, "coverage.dat");
    const bool fine = weir_file_write(path, text.data, text.size);
    free(path);
    weir_text_free(&text);
    return fine;
}

bool weir_coverage_merge(const char *run, const weir_hash *key, size_t count, weir_coverage *coverage) {
    json_t *places = json_object();
    bool fine = true;
    *coverage = (weir_coverage){0, {0}, {0}};
    for (size_t i = 0; fine && i < count; i++) {
        char *path = weir_kept_path(WEIR_KEPT_COVERAGE, run, &key[i]);
        if (weir_file_exists(path)) {
            size_t size = 0;
            char *text = weir_file_read(path, &size);
            fine = text != NULL && add_file(path, text, places);
            coverage->files += fine;
            free(text);
        }
        free(path);
    }
    if (fine && coverage->files > 0) fine = write_merged(run, places, coverage);
    json_decref(places);
    return fine;
}
