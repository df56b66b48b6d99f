/* Tasks: the points of a run, cut into ranges, in files that other machines read.
 *     RUN/task/plan.json     suite's folder, its names, jobs of a task
 *     RUN/task/suite.yaml    the suite as it was
 *     RUN/task/points.jsonl  {"key", "point"} a line
 *     RUN/task/stop-ID       the submission is cancelled
 *     RUN/task/offsets       17 characters a task: where its points begin; and where the last ends
 * A task reads its own range only, and appends to RUN/results-ID-N.jsonl. */
#ifndef WEIR_REGRESS_TASK_H
#define WEIR_REGRESS_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "regress/session.h"

typedef struct weir_task_plan {
    int64_t id;        /* of the submission */
    size_t each;       /* points a task */
    size_t jobs;       /* of one task at a time */
    const char *index; /* the variable of the task's number, or NULL */
    int64_t first;     /* that of task 0 */
} weir_task_plan;

/* Writes the files for the session's points `todo`, and the script RUN/task/run.sh; false after a reported error. */
bool weir_task_write(const weir_session *session, const weir_task_plan *plan, const size_t *todo, size_t count,
                     const char *program);
/* "RUN/results-ID-N.jsonl"; heap memory. */
char *weir_task_results(const char *folder, int64_t id, size_t task);
/* Has the submission's tasks end within a second, wherever they run. */
void weir_task_stop(const char *folder, int64_t id);
/* Runs the points of a task that it has not done; the exit status. */
int weir_task_run(const char *folder, size_t task, const char *program);

#endif
