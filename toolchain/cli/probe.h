/* One question of a bisection: is the graph still right after the first executions of passes? */
#ifndef WEIR_CLI_PROBE_H
#define WEIR_CLI_PROBE_H

#include "cli/pipeline.h"
#include "cosim/outcome.h"
#include "pass/core/module.h"

typedef struct weir_probe {
    weir_pipeline *pipeline;
    weir_module *module;           /* as read; never changed here */
    const char *check;             /* shell command with {} for the graph's file; NULL: results are compared */
    const weir_outcome *reference; /* what the graph as read computes; NULL with `check` */
    double tolerance;
    size_t samples; /* random inputs for a graph whose inputs a pass changed */
    uint64_t seed;
    const char *folder; /* for files of this module and of passes */
} weir_probe;

typedef struct weir_probe_result {
    bool good;
    char *why;      /* of a bad one; heap */
    char *log;      /* "BISECT: running pass (1) NAME on UNIT" lines; heap */
    char *executed; /* the last execution and what it changed, as a diff; heap */
} weir_probe_result;

/* Runs the pipeline in a child process, up to execution `limit` (-1: all), and checks the last graph. Results are
 * compared with those of the graph that the last pass left which promises other results, or that was read. A run that
 * fails or crashes is bad. False after a reported error; free the result in any case. */
bool weir_probe_run(const weir_probe *probe, int64_t limit, weir_probe_result *result);
void weir_probe_free(weir_probe_result *result);

#endif
