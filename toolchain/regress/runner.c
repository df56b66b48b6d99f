/* SIGCHLD is held back and waited for, with a tick for limits and interrupts. What a point leaves of processes is
 * killed with it. Every point has a folder of its own for its files and their temporary ones, which goes with it. */
#define _DEFAULT_SOURCE /* wait4 */
#include "regress/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "regress/cause.h"
#include "regress/family.h"
#include "regress/jobserver.h"
#include "regress/kept.h"
#include "support/file/file.h"
#include "support/file/scratch.h"
#include "support/memory/arena.h"
#include "support/process/process.h"
#include "support/process/seconds.h"
#include "support/text/text.h"

enum {
    TICK_MILLISECONDS = 100,
    GRACE_SECONDS = 2,
    LOOK_SECONDS = 1,
    MOST_JOBS = 4096,
    LOG_HEAD = 16 << 20,
    LOG_TAIL = 64 << 10
};

/* Weir's own in the folder of a point, whose other names are the commands'. */
#define LOG ".weir-log"
#define TEMPORARY ".weir-tmp"

/* A point that runs. */
typedef struct slot {
    size_t point, step;
    pid_t pid; /* -1: the slot is free */
    double begun;
    double asked;          /* when it was asked to end, 0: not */
    weir_point_limit over; /* the limit that it passed */
    char *work;
    weir_record record;
} slot;

typedef struct run {
    const weir_runner *runner;
    const sigset_t *mask;
    slot *slot;
    size_t slots, busy, next;
    weir_jobserver server;
    weir_scratch *scratch;
    double look; /* when is_cancelled is asked again */
    bool is_stopped;
} run;

/* --- ends --- */

/* The beginning of what a step printed, and its end. */
static char *read_log(const char *work, size_t *size) {
    char *path = weir_path_join(work, LOG), *text = weir_malloc(LOG_HEAD + LOG_TAIL + 1);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat state;
    *size = 0;
    if (file >= 0 && fstat(file, &state) == 0) {
        const ssize_t head = pread(file, text, LOG_HEAD, 0);
        if (head > 0) *size = (size_t)head;
        const off_t rest = state.st_size - (off_t)*size, tail = rest < LOG_TAIL ? rest : LOG_TAIL;
        const ssize_t got = tail > 0 ? pread(file, text + *size, (size_t)tail, state.st_size - tail) : 0;
        if (got > 0) *size += (size_t)got;
    }
    if (file >= 0) close(file);
    text[*size] = '\0';
    free(path);
    return text;
}

static json_t *read_report(const run *r, const slot *s) {
    char *path = weir_commands_report(r->runner->commands, s->step, s->work);
    size_t size;
    char *text = path == NULL ? NULL : weir_file_read_quietly(path, &size);
    json_t *report = text == NULL ? NULL : json_loadb(text, size, 0, NULL);
    free(text);
    free(path);
    return report;
}

static bool is_from_outside(int signal_number) {
    return signal_number == SIGKILL || signal_number == SIGTERM || signal_number == SIGHUP || signal_number == SIGINT;
}

static void judge_signal(weir_record *record, int signal_number) {
    record->state = is_from_outside(signal_number) ? WEIR_POINT_LOST : WEIR_POINT_FAILED;
    record->message = weir_format("%s: %s", record->state == WEIR_POINT_LOST ? "killed from outside" : "crashed",
                                  strsignal(signal_number));
}

/* A shell tells a signal as 128 more than its number. */
static void judge(weir_record *record, weir_step_kind kind, weir_point_limit over, int status) {
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    if (over != WEIR_LIMIT_NONE) {
        record->state = WEIR_POINT_FAILED;
        record->limit = over;
        record->message = over == WEIR_LIMIT_SECONDS
                              ? weir_format("took longer than %g s", record->allowed)
                              : weir_format("its processes held more than %.0f MB", record->allowed);
    } else if (WIFSIGNALED(status)) {
        judge_signal(record, WTERMSIG(status));
    } else if (kind == WEIR_STEP_run && code > 128 && code <= 128 + 31) {
        judge_signal(record, code - 128);
    } else {
        record->state = code == 0   ? WEIR_POINT_RIGHT
                        : code == 3 ? WEIR_POINT_WRONG
                        : code == 4 ? WEIR_POINT_LOST
                                    : WEIR_POINT_FAILED;
    }
}

static void begin_point(run *r, slot *s);

/* Writes the point down, or begins it again. */
static void end_point(run *r, slot *s) {
    const int64_t tries = s->record.tries;
    s->record.seconds = weir_seconds() - s->begun;
    s->record.finished = weir_record_now();
    if (!weir_kept_take(r->runner->folder, &r->runner->key[s->point], s->work)) r->is_stopped = true;
    weir_remove_tree(s->work);
    if (s->record.state == WEIR_POINT_LOST && tries <= r->runner->suite->retries && !r->is_stopped) {
        weir_record_clear(&s->record);
        s->record.tries = tries;
        begin_point(r, s);
        return;
    }
    if (!r->runner->ended(r->runner->user, s->point, &s->record)) r->is_stopped = true;
    weir_record_clear(&s->record);
    s->pid = -1;
    r->busy--;
    if (r->server.count > 0 && r->server.count >= r->busy) weir_jobserver_give(&r->server);
}

/* --- beginnings --- */
static bool start_step(run *r, slot *s) {
    weir_arguments arguments = {NULL, 0, 0};
    weir_text why = {NULL, 0, 0};
    char *log = weir_path_join(s->work, LOG), *temporary = weir_format("TMPDIR=%s/" TEMPORARY, s->work);
    weir_commands_arguments(r->runner->commands, &r->runner->point[s->point], s->step, s->work, &arguments);
    const char *environment[] = {temporary, NULL};
    const weir_process process = {.arguments = (const char *const *)arguments.list,
                                  .folder = r->runner->suite->folder,
                                  .environment = environment,
                                  .mask = r->mask};
    s->pid = weir_process_start(&process, log, &why);
    free(s->record.step);
    s->record.step = weir_copy_string(weir_step_name(r->runner->suite->step[s->step].kind));
    if (s->pid < 0) {
        s->record.state = WEIR_POINT_LOST;
        weir_cause_find(&s->record, why.data == NULL ? "" : why.data, why.size, NULL);
    }
    weir_text_free(&why);
    weir_arguments_free(&arguments);
    free(temporary);
    free(log);
    return s->pid >= 0;
}

static void begin_point(run *r, slot *s) {
    char *temporary = weir_path_join(s->work, TEMPORARY);
    s->step = 0;
    s->begun = weir_seconds();
    s->asked = 0;
    s->over = WEIR_LIMIT_NONE;
    s->record.key = r->runner->key[s->point];
    s->record.metrics = json_object();
    s->record.tries++;
    const bool fine = weir_make_folder(temporary) && start_step(r, s);
    free(temporary);
    if (fine) return;
    s->record.state = WEIR_POINT_LOST;
    if (s->record.step == NULL) s->record.step = weir_copy_string("");
    if (s->record.message == NULL) weir_cause_find(&s->record, "no folder can be made", 21, NULL);
    end_point(r, s);
}

/* The first job needs no token. */
static void fill(run *r) {
    for (size_t i = 0; i < r->slots && r->next < r->runner->count && !r->is_stopped; i++) {
        slot *s = &r->slot[i];
        if (s->pid >= 0) continue;
        if (weir_jobserver_is_there(&r->server) && r->busy > r->server.count && !weir_jobserver_take(&r->server))
            return;
        if (s->work == NULL) s->work = weir_format("%s/%zu", weir_scratch_path(r->scratch), i);
        s->point = r->runner->todo[r->next++];
        r->busy++;
        begin_point(r, s);
    }
}

/* --- steps that end --- */
static void end_step(run *r, slot *s, int status, const struct rusage *usage) {
    weir_record *record = &s->record;
    const weir_step_kind kind = r->runner->suite->step[s->step].kind;
    const double processor = (double)usage->ru_utime.tv_sec + (double)usage->ru_stime.tv_sec +
                             1e-6 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
    json_t *report = read_report(r, s);
    record->processor_seconds += processor;
    if (usage->ru_maxrss >> 10 > record->megabytes) record->megabytes = usage->ru_maxrss >> 10;
    if (kind == WEIR_STEP_compile) json_object_set_new(record->metrics, "compile_seconds", json_real(processor));
    record->allowed = s->over == WEIR_LIMIT_SECONDS ? r->runner->suite->seconds : (double)r->runner->suite->megabytes;
    judge(record, kind, s->over, status);
    if (report != NULL) weir_cause_metrics(record, kind, report);
    const bool is_last = record->state != WEIR_POINT_RIGHT || s->step + 1 == r->runner->suite->steps;
    if (record->state != WEIR_POINT_RIGHT) {
        size_t size;
        char *log = read_log(s->work, &size);
        if (record->state == WEIR_POINT_FAILED && record->limit == WEIR_LIMIT_NONE && weir_cause_is_machine(log, size))
            record->state = WEIR_POINT_LOST;
        weir_cause_find(record, log, size, report);
        if (*record->message == '\0') {
            free(record->message);
            record->message = weir_format("exit status %d without a message", WEXITSTATUS(status));
        }
        free(log);
    }
    json_decref(report);
    if (!is_last) {
        s->step++;
        if (start_step(r, s)) return;
    }
    end_point(r, s);
}

/* Orphans of points end here too (family.h) and are nobody's. */
static void reap(run *r) {
    int status;
    struct rusage usage;
    for (pid_t pid; (pid = wait4(-1, &status, WNOHANG, &usage)) > 0;) {
        for (size_t i = 0; i < r->slots; i++) {
            if (r->slot[i].pid != pid) continue;
            kill(-pid, SIGKILL);
            end_step(r, &r->slot[i], status, &usage);
            break;
        }
    }
}

/* --- limits --- */
static void ask_to_end(slot *s) {
    s->asked = weir_seconds();
    kill(-s->pid, SIGTERM);
}

static void watch_memory(run *r) {
    pid_t *head = weir_calloc(r->slots, sizeof *head);
    int64_t *held = weir_calloc(r->slots, sizeof *held);
    for (size_t i = 0; i < r->slots; i++) head[i] = r->slot[i].pid;
    weir_family_memory(head, r->slots, held);
    for (size_t i = 0; i < r->slots; i++) {
        slot *s = &r->slot[i];
        if (s->pid < 0) continue;
        if (held[i] > s->record.megabytes) s->record.megabytes = held[i];
        if (held[i] <= r->runner->suite->megabytes || s->over != WEIR_LIMIT_NONE) continue;
        s->over = WEIR_LIMIT_MEMORY;
        s->asked = weir_seconds();
        weir_family_kill(s->pid); /* at once: it may take more each moment */
    }
    free(held);
    free(head);
}

static void watch(run *r) {
    const double now = weir_seconds();
    for (size_t i = 0; i < r->slots; i++) {
        slot *s = &r->slot[i];
        if (s->pid < 0) continue;
        if (s->asked > 0 && now - s->asked > GRACE_SECONDS) weir_family_kill(s->pid);
        if (s->asked > 0 || r->runner->suite->seconds <= 0 || now - s->begun < r->runner->suite->seconds) continue;
        s->over = WEIR_LIMIT_SECONDS;
        ask_to_end(s);
    }
    if (r->runner->suite->megabytes > 0) watch_memory(r);
    if (r->runner->is_cancelled != NULL && now >= r->look) {
        r->is_stopped = r->is_stopped || r->runner->is_cancelled(r->runner->user);
        r->look = now + LOOK_SECONDS;
    }
}

/* All at once, without a record: the next run does these points. */
static void end_all(run *r) {
    const double begun = weir_seconds();
    for (size_t i = 0; i < r->slots; i++)
        if (r->slot[i].pid >= 0) kill(-r->slot[i].pid, SIGTERM);
    for (size_t i = 0; i < r->slots; i++) {
        slot *s = &r->slot[i];
        if (s->pid < 0) continue;
        /* A shell ends at once, its commands end what they have begun. */
        while ((!weir_process_has_ended(s->pid) || weir_family_runs(s->pid)) && weir_seconds() - begun < GRACE_SECONDS)
            nanosleep(&(struct timespec){0, 10000000}, NULL);
        weir_family_kill(s->pid);
        while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR) continue;
        weir_record_clear(&s->record);
        s->pid = -1;
    }
    weir_family_end();
    r->busy = 0;
}

/* --- the loop --- */
static size_t slots_of(const weir_runner *runner, const weir_jobserver *server) {
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t most = runner->jobs;
    if (most == 0) most = weir_jobserver_is_there(server) ? MOST_JOBS : processors < 1 ? 1 : (size_t)processors;
    if (most > MOST_JOBS) most = MOST_JOBS;
    return most < runner->count ? most : runner->count;
}

static weir_runner_end loop(run *r) {
    const struct timespec tick = {0, TICK_MILLISECONDS * 1000000L};
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    for (double due = 0; r->next < r->runner->count || r->busy > 0;) {
        fill(r);
        if (r->busy > 0) sigtimedwait(&child, NULL, &tick);
        /* First: a scheduler that ends this process ends the points' as well, which are not lost then. */
        if (r->is_stopped || weir_process_interrupted()) {
            end_all(r);
            return r->is_stopped ? WEIR_RUNNER_STOPPED : WEIR_RUNNER_INTERRUPTED;
        }
        reap(r);
        if (weir_seconds() < due) continue;
        watch(r);
        due = weir_seconds() + 1e-3 * TICK_MILLISECONDS;
    }
    return r->is_stopped ? WEIR_RUNNER_STOPPED : WEIR_RUNNER_DONE;
}

weir_runner_end weir_runner_run(const weir_runner *runner, const sigset_t *mask) {
    if (runner->count == 0) return WEIR_RUNNER_DONE;
    run r = {.runner = runner, .mask = mask, .server = weir_jobserver_open()};
    sigset_t child, before;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    r.scratch = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "regress-");
    if (r.scratch == NULL) {
        weir_jobserver_close(&r.server);
        return WEIR_RUNNER_STOPPED;
    }
    pthread_sigmask(SIG_BLOCK, &child, &before);
    weir_family_adopt();
    r.slots = slots_of(runner, &r.server);
    r.slot = weir_calloc(r.slots, sizeof *r.slot);
    for (size_t i = 0; i < r.slots; i++) r.slot[i].pid = -1;
    const weir_runner_end end = loop(&r);
    for (size_t i = 0; i < r.slots; i++) free(r.slot[i].work);
    free(r.slot);
    weir_jobserver_close(&r.server);
    weir_scratch_free(r.scratch);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return end;
}
