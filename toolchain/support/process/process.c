/* Running programs with fork and exec. The child leads a process group of its own, so that a time limit or an
 * interrupt ends its children too; whatever of the group outlives the program is killed. Everything the child needs is
 * made before the fork: between fork and exec it calls only async-signal-safe functions. SIGINT, SIGTERM and SIGHUP are
 * held back while the program runs and noticed within a tick, so that an interrupted run leaves no orphan. */
#include "support/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/process/progress.h"
#include "support/process/seconds.h"
#include "support/text/color.h"

enum { TICK_MILLISECONDS = 20 };

extern char **environ;

static bool is_program(const char *path) {
    struct stat state;
    return stat(path, &state) == 0 && S_ISREG(state.st_mode) && access(path, X_OK) == 0;
}

char *weir_process_find(const char *program) {
    if (strchr(program, '/')) {
        return weir_copy_string(program);
    }
    const char *path = getenv("PATH");
    while (path && program[0]) {
        size_t length = strcspn(path, ":");
        char *candidate = weir_format("%.*s/%s", length ? (int)length : 1, length ? path : ".", program);
        if (is_program(candidate)) {
            return candidate;
        }
        free(candidate);
        path = path[length] ? path + length + 1 : NULL;
    }
    return NULL;
}

bool weir_process_found(const char *program) {
    char *path = weir_process_find(program);
    bool found = path && is_program(path);
    free(path);
    return found;
}

/* The command line as Linux keeps it: arguments, each with a zero after it. */
static char *command_line(void) {
    size_t size = 0;
    char *line = weir_file_read_quietly("/proc/self/cmdline", &size);
    for (size_t i = 0; line && i + 1 < size; i++) {
        line[i] = (char)(line[i] == 0 || line[i] == '\n' ? ' ' : line[i]);
    }
    return line ? line : weir_copy_string("weir");
}

char *weir_process_describe(void) {
    char host[256] = "", *line = command_line();
    gethostname(host, sizeof host - 1);
    char *text = weir_format("process %ld on '%s' (%s)", (long)getpid(), host, line);
    free(line);
    return text;
}

/* Does some addition set the variable of this NAME=VALUE? */
static bool overridden(const char *variable, const char *const *additions) {
    size_t length = strcspn(variable, "=");
    for (; additions && *additions; additions++) {
        if (strncmp(*additions, variable, length) == 0 && (*additions)[length] == '=') {
            return true;
        }
    }
    return false;
}

/* This process's environment with the additions in their order; the vector is heap memory, its strings are not. */
static char **make_environment(const char *const *additions) {
    size_t count = 1;
    for (char **e = environ; e && *e; e++) {
        count++;
    }
    for (const char *const *a = additions; a && *a; a++) {
        count++;
    }
    char **vector = weir_calloc(count, sizeof *vector);
    size_t at = 0;
    for (char **e = environ; e && *e; e++) {
        if (!overridden(*e, additions) && strncmp(*e, WEIR_COLOR_VARIABLE "=", sizeof WEIR_COLOR_VARIABLE) != 0) {
            vector[at++] = *e;
        }
    }
    for (const char *const *a = additions; a && *a; a++) {
        vector[at++] = (char *)(uintptr_t)*a;
    }
    return vector;
}

/* What went wrong between fork and exec, sent through the status pipe. */
typedef struct failure {
    int step; /* 0: nothing */
    int error;
} failure;

enum { STEP_NONE, STEP_FOLDER, STEP_EXEC };

static _Noreturn void fail_child(int report, int step) {
    failure f = {step, errno};
    ssize_t sent = write(report, &f, sizeof f);
    _exit(sent == (ssize_t)sizeof f ? 127 : 126);
}

static _Noreturn void child(const weir_process *process, const char *path, char **environment, int output, int report,
                            const sigset_t *mask) {
    setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL);
    pthread_sigmask(SIG_SETMASK, mask, NULL);
    int input = open("/dev/null", O_RDONLY);
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    if (input > STDERR_FILENO) {
        close(input);
    }
    if (process->folder && chdir(process->folder) != 0) {
        fail_child(report, STEP_FOLDER);
    }
    execve(path, (char *const *)(uintptr_t)process->arguments, environment);
    fail_child(report, STEP_EXEC);
}

bool weir_process_pipe(int ends[2]) {
    if (pipe(ends) != 0) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        int moved = fcntl(ends[i], F_DUPFD_CLOEXEC, 3);
        close(ends[i]);
        ends[i] = moved;
    }
    return ends[0] >= 0 && ends[1] >= 0;
}

bool weir_process_has_ended(pid_t pid) {
    siginfo_t info;
    memset(&info, 0, sizeof info);
    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
        return errno != EINTR; /* ECHILD: our own caller ignores SIGCHLD */
    }
    return info.si_pid == pid;
}

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
enum { ENDING = sizeof ending / sizeof *ending };

/* As nohup and shells have it for what runs in the background; it stays pending while it is blocked all the same. */
static bool is_ignored(int signal_number) {
    struct sigaction action;
    return sigaction(signal_number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

bool weir_process_interrupted(void) {
    sigset_t pending;
    sigpending(&pending);
    for (size_t i = 0; i < ENDING; i++) {
        if (sigismember(&pending, ending[i]) == 1 && !is_ignored(ending[i])) {
            return true;
        }
    }
    return false;
}

/* Takes what the pipe holds within the time; false at its end. */
static bool take_output(int from, weir_text *output, int milliseconds) {
    struct pollfd wait = {from, POLLIN, 0};
    if (poll(&wait, 1, milliseconds) <= 0) {
        return true;
    }
    char buffer[65536];
    ssize_t got = read(from, buffer, sizeof buffer);
    if (got < 0) {
        return errno == EINTR || errno == EAGAIN;
    }
    if (got > 0 && output) {
        weir_text_add_n(output, buffer, (size_t)got);
    }
    return got > 0;
}

/* Once a second; returns when it is due again. */
static double tell(const weir_process *process, double passed, double due) {
    if (!process->progress || passed < due) {
        return due;
    }
    weir_progress(process->progress, passed, process->seconds, 0);
    return due + 1;
}

/* Until the program has ended, its time is over or a signal interrupts us; true when it must be killed for the time. */
static bool follow(const weir_process *process, pid_t pid, int from, weir_text *output) {
    double begin = weir_seconds(), due = 0;
    bool open = true;
    while (!weir_process_has_ended(pid)) {
        double passed = weir_seconds() - begin;
        if (weir_process_interrupted()) {
            return false;
        }
        if (process->seconds > 0 && passed >= process->seconds) {
            return true;
        }
        due = tell(process, passed, due);
        if (open) {
            open = take_output(from, output, TICK_MILLISECONDS);
        } else {
            nanosleep(&(struct timespec){0, 1000000}, NULL);
        }
    }
    return false;
}

/* What is left in the pipe after the end; children that still hold it are gone by now. */
static void drain(int from, weir_text *output) {
    size_t before;
    fcntl(from, F_SETFL, O_NONBLOCK);
    do {
        before = output ? output->size : 0;
    } while (take_output(from, output, 0) && output && output->size > before);
}

static weir_process_end explain(const weir_process *process, const failure *f, weir_text *output, int *status) {
    bool missing = f->step == STEP_EXEC && (f->error == ENOENT || f->error == ENOTDIR || f->error == EACCES);
    if (output) {
        weir_text_format(output, "cannot %s '%s': %s\n", f->step == STEP_EXEC ? "run" : "enter",
                         f->step == STEP_EXEC ? process->arguments[0] : process->folder, strerror(f->error));
    }
    *status = 127;
    return missing ? WEIR_PROCESS_MISSING : WEIR_PROCESS_EXITED;
}

typedef struct running {
    pid_t pid;
    int output; /* read end of what it prints */
    int report; /* read end of the status pipe: a failure, or nothing once exec has worked */
} running;

static void close_open(const int *files, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (files[i] >= 0) {
            close(files[i]);
        }
    }
}

/* The program's number; -1 and errno. The ends that are its own are closed. */
static pid_t spawn(const weir_process *process, const char *path, const sigset_t *mask, int output, int report) {
    char **environment = make_environment(process->environment);
    const pid_t pid = fork();
    if (pid == 0) {
        child(process, path, environment, output, report, mask);
    }
    const int saved = errno;
    free(environment);
    if (pid > 0) {
        setpgid(pid, pid);
    }
    close_open((const int[]){output, report}, 2);
    errno = saved;
    return pid;
}

static bool start(const weir_process *process, const char *path, const sigset_t *mask, running *run) {
    int output[2] = {-1, -1}, report[2] = {-1, -1};
    if (!weir_process_pipe(output) || !weir_process_pipe(report)) {
        const int saved = errno;
        close_open(output, 2);
        close_open(report, 2);
        errno = saved;
        return false;
    }
    *run = (running){spawn(process, path, mask, output[1], report[1]), output[0], report[0]};
    if (run->pid < 0) {
        const int saved = errno;
        close_open((const int[]){run->output, run->report}, 2);
        errno = saved;
    }
    return run->pid > 0;
}

/* Waits for what was killed, or has ended; the signal or exit code, 127 when nobody knows it. */
static weir_process_end reap(pid_t pid, int *status) {
    int ended = 0;
    pid_t reaped;
    do {
        reaped = waitpid(pid, &ended, 0);
    } while (reaped < 0 && errno == EINTR);
    *status = reaped < 0 ? 127 : WIFSIGNALED(ended) ? WTERMSIG(ended) : WEXITSTATUS(ended);
    return reaped >= 0 && WIFSIGNALED(ended) ? WEIR_PROCESS_SIGNAL : WEIR_PROCESS_EXITED;
}

static weir_process_end finish(const weir_process *process, const running *run, weir_text *output, int *status) {
    bool late = follow(process, run->pid, run->output, output);
    kill(-run->pid, SIGKILL);
    const weir_process_end end = reap(run->pid, status);
    drain(run->output, output);
    close(run->output);
    failure f = {STEP_NONE, 0};
    fcntl(run->report, F_SETFL, O_NONBLOCK);
    ssize_t got = read(run->report, &f, sizeof f);
    close(run->report);
    if (got == (ssize_t)sizeof f && f.step != STEP_NONE) {
        return explain(process, &f, output, status);
    }
    return late ? WEIR_PROCESS_TIMEOUT : end;
}

sigset_t weir_process_hold(void) {
    sigset_t held, before;
    sigemptyset(&held);
    for (size_t i = 0; i < ENDING; i++) {
        sigaddset(&held, ending[i]);
    }
    pthread_sigmask(SIG_BLOCK, &held, &before);
    return before;
}

weir_process_end weir_process_run(const weir_process *process, weir_text *output, int *status) {
    int ignored;
    status = status ? status : &ignored;
    *status = 127;
    char *path = weir_process_find(process->arguments[0]);
    if (!path) {
        return WEIR_PROCESS_MISSING;
    }
    sigset_t before = weir_process_hold();
    running run;
    weir_process_end end = WEIR_PROCESS_EXITED;
    if (start(process, path, &before, &run)) {
        end = finish(process, &run, output, status);
    } else if (output) {
        weir_text_format(output, "cannot start '%s': %s\n", process->arguments[0], strerror(errno));
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(path);
    return end;
}

/* Until exec has worked, or what went wrong. */
static bool has_begun(const weir_process *process, int report, weir_text *why) {
    failure f = {STEP_NONE, 0};
    ssize_t got;
    int status;
    do {
        got = read(report, &f, sizeof f);
    } while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof f) {
        return true;
    }
    explain(process, &f, why, &status);
    return false;
}

pid_t weir_process_start(const weir_process *process, const char *log, weir_text *why) {
    int report[2] = {-1, -1}, status;
    sigset_t mask;
    char *path = weir_process_find(process->arguments[0]);
    const int output = path ? open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
    pid_t pid = -1;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    if (output >= 0 && weir_process_pipe(report)) {
        pid = spawn(process, path, process->mask ? process->mask : &mask, output, report[1]);
    }
    if (!path) {
        weir_text_format(why, "program '%s' is missing\n", process->arguments[0]);
    } else if (pid < 0) {
        weir_text_format(why, "cannot start '%s': %s\n", process->arguments[0], strerror(errno));
    } else if (!has_begun(process, report[0], why)) {
        weir_process_stop(pid, &status);
        pid = -1;
    }
    close_open(report, 1);
    free(path);
    return pid;
}

weir_process_end weir_process_stop(pid_t started, int *status) {
    kill(-started, SIGKILL);
    return reap(started, status);
}
