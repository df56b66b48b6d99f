/* Test cases that are text files: `name: value` lines, then sections `--- name`. What tests of passes over graphs and
 * over hardware designs share. */
#ifndef WEIR_TEST_TEXT_CASE_H
#define WEIR_TEST_TEXT_CASE_H

#include <stdbool.h>
#include <stddef.h>

#include "pass/core/context.h"
#include "support/text/diag.h"
#include "support/text/text.h"

/* A line in front or a section, and where its text goes. */
typedef struct case_field {
    const char *name;
    char **to;
} case_field;

/* Cuts the text up; values point into it and end with zero. False after saying what is unknown. */
bool read_case_text(char *text, const case_field *header, size_t headers, const case_field *sections, size_t count);

/* Runs the pipeline in the context at the level, without the passes that are disabled (NULL: as they are); false when
 * it cannot be set up or fails. */
bool run_case_pipeline(weir_pass_context *context, const char *level, const char *disable, const char *pipeline,
                       weir_module *module);

/* The first check that failed: "text", "values", "results", ...; NULL while all is well. */
const char *failed_check(void);
void complain(const char *what, const char *text);
/* Complains with a diff unless the texts are equal. */
void check_equal(const char *what, const char *expected, const char *found);

/* Exit status: 0 when nothing failed, or when exactly `planted` did; else 1. The next case starts clean. */
int case_status(const char *planted);

#endif
