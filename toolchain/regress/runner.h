/* Runs points on this machine, several at a time, each step as a child process of its own, so that a crash or a limit
 * costs one point. One thread waits for all of them. */
#ifndef WEIR_REGRESS_RUNNER_H
#define WEIR_REGRESS_RUNNER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "regress/command.h"
#include "regress/record.h"
#include "regress/suite.h"

typedef struct weir_runner {
    const weir_suite *suite;
    const weir_commands *commands;
    const weir_suite_point *point;
    const weir_hash *key; /* by point */
    const size_t *todo;   /* points to run, in this order */
    size_t count;
    const char *folder; /* of the run, for what points leave in it */
    size_t jobs;        /* 0: as many as make's jobserver allows, else as there are processors */
    /* Called for each point that has ended, in the order in which they end; false ends the run. The record is the
     * callee's. */
    bool (*ended)(void *user, size_t point, weir_record *record);
    /* Asked once a second: true ends the run as a false of `ended` does. NULL: never. */
    bool (*is_cancelled)(void *user);
    void *user;
} weir_runner;

typedef enum weir_runner_end { WEIR_RUNNER_DONE, WEIR_RUNNER_INTERRUPTED, WEIR_RUNNER_STOPPED } weir_runner_end;

/* After a signal all children are ended, and the signal stays pending: the caller, which holds it back
 * (weir_process_hold), lets it go when its own work is done. */
weir_runner_end weir_runner_run(const weir_runner *runner, const sigset_t *mask);

#endif
