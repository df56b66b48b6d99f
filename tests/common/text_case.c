#include "common/text_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pass/run/instrument.h"

static const char *failed;

bool run_case_pipeline(weir_pass_context *context, const char *level, const char *disable, const char *pipeline,
                       weir_module *module) {
    bool fine = level == NULL || weir_pass_context_set_level(context, atoi(level));
    if (disable != NULL) fine = fine && weir_pass_context_disable(context, disable);
    weir_pass *pass =
        fine ? weir_pass_parse(weir_pass_context_registry(context), pipeline, weir_at("pipeline", 1)) : NULL;
    fine = pass != NULL && weir_pass_run(context, pass, module);
    weir_pass_free(pass);
    return fine;
}

const char *failed_check(void) { return failed; }

void complain(const char *what, const char *text) {
    if (failed == NULL) failed = what;
    fprintf(stderr, "%s: %s\n", what, text);
}

void check_equal(const char *what, const char *expected, const char *found) {
    if (strcmp(expected, found) == 0) return;
    weir_text diff = {0};
    weir_pass_diff(expected, found, 2, &diff);
    complain(what, diff.data);
    weir_text_free(&diff);
}

int case_status(const char *planted) {
    const char *first = failed;
    failed = NULL;
    if (planted == NULL) return first == NULL ? 0 : 1;
    if (first != NULL && strcmp(first, planted) == 0) return 0;
    fprintf(stderr, "planted: expected '%s' to fail first\n", planted);
    return 1;
}

static char *trim(char *text) {
    while (*text == ' ' || *text == '\t') text++;
    size_t size = strlen(text);
    while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t')) text[--size] = '\0';
    return text;
}

/* "name: value" lines before the first section. */
static bool read_header(char *text, const case_field *fields, size_t count) {
    for (char *line, *rest = text; (line = strtok_r(rest, "\n", &rest)) != NULL;) {
        char *colon = strchr(line, ':');
        size_t i = 0;
        if (*line == '#') continue;
        if (colon != NULL) *colon = '\0';
        while (colon != NULL && i < count && strcmp(fields[i].name, line) != 0) i++;
        if (colon == NULL || i == count) {
            fprintf(stderr, "unknown line '%s'\n", line);
            return false;
        }
        *fields[i].to = trim(colon + 1);
    }
    return true;
}

bool read_case_text(char *text, const case_field *header, size_t headers, const case_field *sections, size_t count) {
    for (char *next = strstr(text, "\n--- "); next != NULL;) {
        char *name = next + 5, *end = strchr(name, '\n');
        size_t i = 0;
        next[1] = '\0';
        next = strstr(name, "\n--- ");
        if (end != NULL) *end = '\0';
        while (i < count && strcmp(sections[i].name, name) != 0) i++;
        if (end == NULL || i == count) {
            fprintf(stderr, "unknown section '%.20s'\n", name);
            return false;
        }
        *sections[i].to = end + 1;
    }
    return read_header(text, header, headers);
}
