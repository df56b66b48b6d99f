#include "regress/remote.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "regress/family.h"
#include "regress/task.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/process/process.h"
#include "support/process/seconds.h"
#include "support/text/diag.h"
#include "support/text/text.h"

/* A task of less than TASK_SECONDS costs a scheduler more than it does. */
enum {
    TASK_SECONDS = 60,
    UNKNOWN_SECONDS = 10,
    ASK_SECONDS = 5,
    ASK_LIMIT = 60,
    SUBMIT_LIMIT = 600,
    CANCEL_LIMIT = 10
};
/* Looking at the files takes at most this part of the time. */
enum { LOOK_SHARE = 20 };

typedef struct round {
    const weir_remote *remote;
    weir_session *session;
    int64_t id;
    size_t *todo;
    size_t count, each, tasks;
    size_t done; /* records that came */
    char *job;
    pid_t pid; /* of a submission that lasts; -1: none */
} round;

/* --- commands --- */
static char *fill(const round *r, const char *command) {
    const weir_session *s = r->session;
    weir_text text = {NULL, 0, 0}, script = {NULL, 0, 0}, folder = {NULL, 0, 0};
    char *path = weir_path_join(s->folder, "task/run.sh");
    weir_commands_quote(&script, path);
    weir_commands_quote(&folder, s->folder);
    const size_t least = (size_t)r->remote->launcher->first;
    char *first = weir_format("%zu", least), *last = weir_format("%zu", least + r->tasks - 1);
    const char *const values[][2] = {{"{first}", first},
                                     {"{last}", last},
                                     {"{script}", script.data},
                                     {"{folder}", folder.data},
                                     {"{name}", "weir-regress"},
                                     {"{options}", r->remote->options},
                                     {"{job}", r->job == NULL ? "" : r->job}};
    while (*command != '\0') {
        size_t i = 0;
        while (i < sizeof values / sizeof *values && strncmp(command, values[i][0], strlen(values[i][0])) != 0) i++;
        if (i < sizeof values / sizeof *values) {
            weir_text_add(&text, values[i][1]);
            command += strlen(values[i][0]);
        } else {
            weir_text_char(&text, *command++);
        }
    }
    weir_text_free(&script);
    weir_text_free(&folder);
    free(path);
    free(last);
    free(first);
    return text.data == NULL ? weir_copy_string("") : text.data;
}

/* Its exit status, 127 when it did not end by itself. */
static int run_command(const round *r, const char *pattern, double seconds, weir_text *output) {
    char *command = fill(r, pattern);
    const char *arguments[] = {"/bin/sh", "-c", command, NULL};
    int status = 127;
    const weir_process_end end =
        weir_process_run(&(weir_process){.arguments = arguments, .seconds = seconds}, output, &status);
    free(command);
    return end == WEIR_PROCESS_EXITED ? status : 127;
}

/* The last word of what the command prints, up to a ';' as of sbatch --parsable: "Submitted batch job 12" too. */
static char *job_of(const weir_text *output) {
    size_t end = output->size, begin;
    while (end > 0 && isspace((unsigned char)output->data[end - 1])) end--;
    for (begin = end; begin > 0 && !isspace((unsigned char)output->data[begin - 1]);) begin--;
    char *job = weir_format("%.*s", (int)(end - begin), output->data == NULL ? "" : output->data + begin);
    job[strspn(job, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-[]@")] = '\0';
    return job;
}

static bool submit(round *r) {
    const weir_launcher *l = r->remote->launcher;
    weir_text output = {NULL, 0, 0};
    bool fine;
    if (l->ask != NULL) {
        fine = run_command(r, l->submit, SUBMIT_LIMIT, &output) == 0;
        r->job = fine ? job_of(&output) : NULL;
        fine = fine && *r->job != '\0';
    } else {
        char *command = fill(r, l->submit), *log = weir_path_join(r->session->folder, "tasks.log");
        const char *arguments[] = {"/bin/sh", "-c", command, NULL};
        sigset_t none;
        sigemptyset(&none);
        r->pid = weir_process_start(&(weir_process){.arguments = arguments, .mask = &none}, log, &output);
        fine = r->pid >= 0;
        free(log);
        free(command);
    }
    if (!fine) {
        weir_error(WEIR_NOWHERE, "the tasks cannot be submitted: %s", output.data == NULL ? "" : output.data);
        weir_note("the command is: %s", l->submit);
    }
    weir_text_free(&output);
    return fine;
}

/* Does no task run or wait any more? False also when the scheduler does not answer. */
static bool has_ended(round *r) {
    const weir_launcher *l = r->remote->launcher;
    if (l->ask == NULL) return weir_process_has_ended(r->pid);
    weir_text output = {NULL, 0, 0};
    const int status = run_command(r, l->ask, ASK_LIMIT, &output);
    bool is_empty = true;
    for (size_t i = 0; i < output.size; i++) is_empty = is_empty && isspace((unsigned char)output.data[i]);
    const bool ended = status == 0 ? is_empty : l->gone != NULL && !is_empty && strstr(output.data, l->gone) != NULL;
    weir_text_free(&output);
    return ended;
}

/* The signal that interrupted us is held back: weir_process_run would end the command at once, so it runs beside. */
static void cancel(round *r) {
    const weir_launcher *l = r->remote->launcher;
    weir_text why = {NULL, 0, 0};
    int status;
    weir_task_stop(r->session->folder, r->id);
    if (r->pid >= 0) {
        kill(-r->pid, SIGTERM); /* GNU parallel starts no further task, and ends those that run at the second */
        nanosleep(&(struct timespec){0, 200000000}, NULL);
        kill(-r->pid, SIGTERM);
        /* A shell ends at once, and leaves tasks that still end their points. */
        for (int i = 0; i < CANCEL_LIMIT * 10 && weir_family_runs(r->pid); i++)
            nanosleep(&(struct timespec){0, 100000000}, NULL);
    }
    if (l->cancel == NULL || r->job == NULL) return;
    char *command = fill(r, l->cancel);
    const char *arguments[] = {"/bin/sh", "-c", command, NULL};
    const pid_t pid = weir_process_start(&(weir_process){.arguments = arguments}, "/dev/null", &why);
    for (int i = 0; pid >= 0 && i < ASK_LIMIT * 10 && !weir_process_has_ended(pid); i++)
        nanosleep(&(struct timespec){0, 100000000}, NULL);
    if (pid >= 0) weir_process_stop(pid, &status);
    weir_text_free(&why);
    free(command);
}

/* --- collecting --- */
static void look(round *r) {
    for (size_t i = 0; i < r->tasks; i++) {
        char *path = weir_task_results(r->session->folder, r->id, i);
        const size_t met = weir_records_follow(r->session->records, path, &r->session->bad);
        r->done += met;
        r->session->ended += met;
        free(path);
    }
    if (r->session->ended > r->session->count) r->session->ended = r->session->count;
    weir_session_progress(r->session);
}

static bool merge(const round *r) {
    bool fine = true;
    for (size_t i = 0; fine && i < r->tasks; i++) {
        char *path = weir_task_results(r->session->folder, r->id, i);
        fine = weir_records_merge(path, r->session->file, r->session->log);
        free(path);
    }
    return fine;
}

static weir_runner_end follow(round *r) {
    double next_ask = weir_seconds() + 1;
    for (bool is_over = false; !is_over;) {
        const double begun = weir_seconds();
        look(r);
        const double took = weir_seconds() - begun;
        const double pause = took * LOOK_SHARE > 0.2 ? took * LOOK_SHARE : 0.2;
        is_over = r->done >= r->count;
        for (double until = weir_seconds() + pause; !is_over && weir_seconds() < until;) {
            if (weir_process_interrupted()) {
                cancel(r);
                look(r);
                return WEIR_RUNNER_INTERRUPTED;
            }
            nanosleep(&(struct timespec){0, 50000000}, NULL);
        }
        if (is_over || weir_seconds() < next_ask) continue;
        is_over = has_ended(r);
        next_ask = weir_seconds() + ASK_SECONDS;
        if (is_over) look(r);
    }
    return WEIR_RUNNER_DONE;
}

/* --- rounds --- */

/* The mean of what is known of this run and those before; of a suite whose points are new, a guess. */
static double point_seconds(const weir_session *s) {
    double sum = 0;
    size_t count = 0;
    weir_records_seconds(s->records, &sum, &count);
    return count == 0 ? UNKNOWN_SECONDS : sum / (double)count;
}

static void cut(round *r) {
    const size_t most = (size_t)r->remote->launcher->most, least = (r->count + most - 1) / most;
    const double seconds = point_seconds(r->session);
    r->each = r->remote->each;
    if (r->each == 0) r->each = seconds < 1e-3 ? TASK_SECONDS * 1000 : (size_t)(TASK_SECONDS / seconds);
    if (r->each < 1) r->each = 1;
    if (r->each < least) r->each = least;
    r->tasks = (r->count + r->each - 1) / r->each;
}

/* Points of which this run has no result, or lost them. */
static size_t find_rest(const weir_session *s, size_t *todo) {
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++) {
        const weir_record *record = weir_records_find(s->records, s->key[s->todo[i]]);
        if (record == NULL || !record->is_new || record->state == WEIR_POINT_LOST) todo[count++] = s->todo[i];
    }
    return count;
}

/* Points whose result no task brought are lost. */
static void give_up(weir_session *s, size_t *todo) {
    const size_t count = find_rest(s, todo);
    for (size_t i = 0; i < count; i++) {
        const weir_record *known = weir_records_find(s->records, s->key[todo[i]]);
        if (known != NULL && known->is_new) continue;
        weir_record record = {.key = s->key[todo[i]], .state = WEIR_POINT_LOST, .metrics = json_object()};
        record.step = weir_copy_string("");
        record.message = weir_format("no task brought its result; '%s/tasks.log' has what they printed", s->folder);
        weir_session_take(s, todo[i], &record);
        weir_record_clear(&record);
    }
}

static weir_runner_end run_round(round *r) {
    const weir_task_plan plan = {r->id, r->each, r->remote->jobs, r->remote->launcher->index,
                                 r->remote->launcher->first};
    int status;
    if (!weir_task_write(r->session, &plan, r->todo, r->count, r->remote->program) || !submit(r))
        return WEIR_RUNNER_STOPPED;
    weir_runner_end end = follow(r);
    if (r->pid >= 0) weir_process_stop(r->pid, &status);
    if (end == WEIR_RUNNER_DONE && !merge(r)) end = WEIR_RUNNER_STOPPED;
    return end;
}

weir_runner_end weir_remote_run(const weir_remote *remote, weir_session *s) {
    round r = {.remote = remote, .session = s, .id = weir_record_now(), .pid = -1};
    weir_runner_end end = WEIR_RUNNER_DONE;
    r.todo = weir_calloc(s->count + 1, sizeof *r.todo);
    for (int64_t i = 0; end == WEIR_RUNNER_DONE && i <= s->suite->retries; i++, r.id++) {
        r.count = find_rest(s, r.todo);
        s->ended = s->count - r.count;
        if (r.count == 0) break;
        cut(&r);
        r.done = 0;
        r.pid = -1;
        end = run_round(&r);
        free(r.job);
        r.job = NULL;
    }
    if (end == WEIR_RUNNER_DONE) give_up(s, r.todo);
    free(r.todo);
    return end;
}
