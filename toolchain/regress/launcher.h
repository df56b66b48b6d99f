/* How tasks get to other machines: a table of commands for GNU parallel, Slurm, or any scheduler with job arrays, from
 * a small YAML file. Weir makes the list, the tasks' script and the collection; the distribution is theirs. */
#ifndef WEIR_REGRESS_LAUNCHER_H
#define WEIR_REGRESS_LAUNCHER_H

#include <stdbool.h>
#include <stdint.h>

#include "support/memory/types.h"

/* Commands are for the shell, with {first} and {last} task, {script}, {folder}, {name}, {options} and {job}. */
typedef struct weir_launcher {
    const char *submit; /* starts the tasks; with `ask` it prints the job's name, else it lasts until they have ended */
    const char *index;  /* the variable that holds a task's number; NULL: it is the script's argument */
    const char *ask;    /* prints a line for each task that has not ended */
    const char *gone;   /* what `ask` prints when the job is no longer known */
    const char *cancel;
    int64_t first; /* number of the first task: PBS and LSF count from 1 */
    int64_t most;  /* tasks that one submission may have */
} weir_launcher;

/* "parallel", "slurm", or the path of a file; its texts are in the arena. False after a reported error. */
bool weir_launcher_read(weir_arena *arena, const char *name, weir_launcher *launcher);

#endif
