/* What `opt` and `rtl` share: options that watch a pipeline run (verification, printing, timing, ...) and its
 * reports. */
#ifndef WEIR_CLI_WATCH_H
#define WEIR_CLI_WATCH_H

#include "cli/cli.h"
#include "cli/pipeline.h"
#include "pass/run/reproducer.h"

enum { WEIR_WATCH_NO_LIMIT = -2 };

typedef struct weir_watch {
    const char *before, *after, *style, *dump, *timing_json, *info, *reproducer;
    int64_t limit;
    bool verify, no_verify, unchanged, change, failure, timing, statistics, explain;
    const weir_pass_instrument *timer; /* from weir_watch_add */
} weir_watch;

#define WEIR_WATCH_DEFAULTS                                                                                            \
    { .limit = WEIR_WATCH_NO_LIMIT, .style = "diff" }
/* Rows of an option table. */
#define WEIR_WATCH_OPTIONS(w)                                                                                          \
    {"verify-each", 0, WEIR_CLI_FLAG, &(w).verify, NULL, "verify the IR after each pass (the default)"},               \
        {"no-verify-each", 0, WEIR_CLI_FLAG, &(w).no_verify, NULL, "do not verify the IR after each pass"},            \
        {"check-unchanged", 0,    WEIR_CLI_FLAG,                                                                       \
         &(w).unchanged,    NULL, "check that passes that report no change made none"},                                \
        {"explain", 'e', WEIR_CLI_FLAG, &(w).explain, NULL, "first print which passes will run, and why"},             \
        {"print-before", 0, WEIR_CLI_STRING, &(w).before, "NAMES", "print the IR before these passes, or 'all'"},      \
        {"print-after", 0, WEIR_CLI_STRING, &(w).after, "NAMES", "print the IR after these passes, or 'all'"},         \
        {"print-after-change", 0, WEIR_CLI_FLAG, &(w).change, NULL, "print what each pass changed"},                   \
        {"change-style", 0, WEIR_CLI_STRING, &(w).style, "NAME", "how: diff, or text for the whole IR (diff)"},        \
        {"print-after-failure", 0, WEIR_CLI_FLAG, &(w).failure, NULL, "print the IR as a failing pass left it"},       \
        {"dump", 0, WEIR_CLI_STRING, &(w).dump, "DIR", "write the IR after each pass, one file per pass"},             \
        {"timing", 0, WEIR_CLI_FLAG, &(w).timing, NULL, "print the time of each pass"},                                \
        {"timing-json", 0, WEIR_CLI_STRING, &(w).timing_json, "FILE", "write the times as JSON"},                      \
        {"info", 'i', WEIR_CLI_STRING, &(w).info, "FORM", "print the passes' records, as json or text (YAML)"},        \
        {"statistics", 0, WEIR_CLI_FLAG, &(w).statistics, NULL, "print the passes' counts"},                           \
        {"reproducer",    0,      WEIR_CLI_STRING,                                                                     \
         &(w).reproducer, "FILE", "when a pass fails or crashes, write a file that runs it again"},                    \
    {                                                                                                                  \
        "bisect-limit", 0, WEIR_CLI_LIMIT, &(w).limit, "N", "run only the first N executions of passes; -1: all"       \
    }

/* Are the options' values names that exist, once the pipeline is open? Exit status. */
int weir_watch_check(const weir_watch *watch, const weir_pipeline *pipeline);
/* Adds the instruments: those that may fail, then `also` (NULL: none), then those that watch for failures. */
void weir_watch_add(weir_watch *watch, weir_pipeline *pipeline, weir_pass_instrument *also);
/* Runs `work`, guarded against crashes when a reproducer must be written; returns its exit status. */
int weir_watch_guard(const weir_watch *watch, weir_pipeline *pipeline, int (*work)(void *user), void *user);
/* Reads the reproducer of a failing run, says which, and parses its pipeline under its settings, over which those that
 * were given go. Exit status; free it in any case. */
int weir_watch_read(weir_watch *watch, weir_pipeline *pipeline, const char *path, weir_pass_reproducer *reproducer);
/* Parses the pipeline that was given, else `otherwise`, and explains it with --explain. Exit status. */
int weir_watch_parse(const weir_watch *watch, weir_pipeline *pipeline, const char *otherwise);
/* After the run: timing and statistics to stderr, reports of passes or their records to stdout. False after a reported
 * error. */
bool weir_watch_report(const weir_watch *watch, const weir_pipeline *pipeline);
/* Did the report replace the result on stdout? */
bool weir_watch_has_output(const weir_watch *watch, const weir_pipeline *pipeline);

#endif
