/* Running other programs: argument vectors (no shell), captured output, working directory, time limit; or beside this
 * one. */
#ifndef WEIR_PROCESS_H
#define WEIR_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "support/text/text.h"

typedef struct weir_process {
    const char *const *arguments;   /* NULL-terminated; arguments[0] is looked up on PATH */
    const char *folder;             /* working directory, NULL: this one */
    double seconds;                 /* time limit, 0: none */
    const char *const *environment; /* NULL-terminated NAME=VALUE additions, or NULL */
    const sigset_t *mask;           /* of weir_process_start: its signal mask, NULL: this thread's */
    const char *progress;           /* what the progress line says with the seconds that have passed, or NULL */
} weir_process;

typedef enum weir_process_end {
    WEIR_PROCESS_EXITED,  /* status holds the exit code */
    WEIR_PROCESS_SIGNAL,  /* status holds the signal */
    WEIR_PROCESS_TIMEOUT, /* killed with its children */
    WEIR_PROCESS_MISSING  /* no such program */
} weir_process_end;

/* Runs to the end; stdout and stderr go to `output` in the order written (NULL: thrown away). */
weir_process_end weir_process_run(const weir_process *process, weir_text *output, int *status);
/* Starts a program that runs beside this one, in a process group of its own; what it writes goes to the file `log`. Its
 * number, to be ended by weir_process_stop; or -1 and `why`. `seconds` and `progress` do not count. */
pid_t weir_process_start(const weir_process *process, const char *log, weir_text *why);
/* Has it ended by itself? */
bool weir_process_has_ended(pid_t started);
/* Ends it with its children; the status as of weir_process_run. */
weir_process_end weir_process_stop(pid_t started, int *status);
/* Holds SIGINT, SIGTERM and SIGHUP back, in this thread and in those that it starts; returns the signal mask from
 * before, which pthread_sigmask restores. While threads run programs at the same time, the signals must be held until
 * all have ended. */
sigset_t weir_process_hold(void);
/* Has one of them arrived? Programs that run, and those that are started, end at once then. */
bool weir_process_interrupted(void);
/* The program's path, looked up on PATH when the name has no slash; NULL when there is none. Heap memory. */
char *weir_process_find(const char *program);
/* Is the program on PATH? */
bool weir_process_found(const char *program);
/* Who this process is: "process 12 on 'host' (weir compile ...)". Heap memory. */
char *weir_process_describe(void);
/* A pipe that exec closes, with both ends above the standard streams. */
bool weir_process_pipe(int ends[2]);

#endif
