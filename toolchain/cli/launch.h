/* What runs on other machines: the points of `regress`, the seeds of `synth`, the points of `dse --sweep`. */
#ifndef WEIR_CLI_LAUNCH_H
#define WEIR_CLI_LAUNCH_H

#include "cli/cli.h"
#include "regress/remote.h"

typedef struct weir_launch {
    const char *on, *scheduler; /* NULL: here; NULL: without options */
    int64_t each;               /* points a task, 0: by their length */
} weir_launch;

/* Rows of an option table. */
#define WEIR_LAUNCH_OPTIONS(launch, each_)                                                                             \
    {"on",         0,          WEIR_CLI_STRING,                                                                        \
     &(launch).on, "LAUNCHER", "on other machines: parallel, slurm, or another scheduler's FILE.yaml"},                \
        {"scheduler",         0,         WEIR_CLI_STRING,                                                              \
         &(launch).scheduler, "OPTIONS", "with --on: its options (--partition=p --time=60)"},                          \
    {                                                                                                                  \
        "each", 0, WEIR_CLI_COUNT, &(launch).each, "N", "with --on: points per task (" each_ ")"                       \
    }

/* Exit status after a reported misuse, or -1 to continue. */
int weir_launch_check(const char *command, const weir_launch *launch);
/* Runs the session's points, `jobs` of a task at a time; `launch` has --on. */
weir_runner_end weir_launch_session(const weir_launch *launch, size_t jobs, weir_session *session);

/* Gets what a point has left in {result}, in the order of the points; false after a reported error. */
typedef bool weir_launch_taker(void *user, size_t point, const json_t *result);
/* Runs a suite, a point a task unless `launch` says otherwise, from this folder; `folder` keeps it and its results, so
 * that the next call continues. `suite` is what SUITE.yaml would say, taken over. Exit status: of points that are not
 * right after a reported error. */
int weir_launch_suite(const weir_launch *launch, const char *folder, json_t *suite, weir_launch_taker *take,
                      void *user);
/* "OUT.seeds" beside a command's output. Heap memory. */
char *weir_launch_folder(const char *output, const char *what);
/* Adds a word to a command for the shell. */
void weir_launch_word(weir_text *command, const char *word);

#endif
