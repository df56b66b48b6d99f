/* A session's points on other machines: submitted in rounds as tasks of many points, collected from the tasks' files
 * while they grow. What a round loses goes into the next one, as often as the suite's `retries` allow. */
#ifndef WEIR_REGRESS_REMOTE_H
#define WEIR_REGRESS_REMOTE_H

#include "regress/launcher.h"
#include "regress/runner.h"
#include "regress/session.h"

typedef struct weir_remote {
    const weir_launcher *launcher;
    const char *options; /* for the scheduler, "" without any */
    size_t each;         /* points a task, 0: by their length */
    size_t jobs;         /* of a task at a time */
    const char *program; /* this one, at the same path on every machine */
} weir_remote;

weir_runner_end weir_remote_run(const weir_remote *remote, weir_session *session);

#endif
