#include "regress/task.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "regress/runner.h"
#include "regress/suite_read.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/process/process.h"
#include "support/text/diag.h"
#include "support/text/text.h"

enum { OFFSET_SIZE = 17 }; /* 16 hexadecimal digits and a line end */

char *weir_task_results(const char *folder, int64_t id, size_t task) {
    return weir_format("%s/results-%" PRId64 "-%zu.jsonl", folder, id, task);
}

static char *absolute(const char *path) {
    char here[4096];
    if (*path == '/' || getcwd(here, sizeof here) == NULL) return weir_copy_string(path);
    return strcmp(path, ".") == 0 ? weir_copy_string(here) : weir_path_join(here, path);
}

/* --- the plan --- */
static bool write_text(const char *folder, const char *name, const weir_text *text) {
    char *path = weir_format("%s/task/%s", folder, name);
    const bool fine = weir_file_write(path, text->data == NULL ? "" : text->data, text->size);
    free(path);
    return fine;
}

static bool write_points(const weir_session *s, const weir_task_plan *plan, const size_t *todo, size_t count) {
    weir_text points = {NULL, 0, 0}, offsets = {NULL, 0, 0};
    for (size_t i = 0; i < count; i++) {
        char key[33];
        weir_hash_print(&s->key[todo[i]], key);
        json_t *line =
            json_pack("{s:s, s:o}", "key", key, "point", weir_suite_point_json(s->suite, &s->suite->point[todo[i]]));
        char *dump = json_dumps(line, JSON_COMPACT | JSON_PRESERVE_ORDER);
        if (i % plan->each == 0) weir_text_format(&offsets, "%016zx\n", points.size);
        weir_text_format(&points, "%s\n", dump);
        free(dump);
        json_decref(line);
    }
    weir_text_format(&offsets, "%016zx\n", points.size);
    const bool fine = write_text(s->folder, "points.jsonl", &points) && write_text(s->folder, "offsets", &offsets);
    weir_text_free(&points);
    weir_text_free(&offsets);
    return fine;
}

static bool write_plan(const weir_session *s, const weir_task_plan *plan) {
    char *suite = absolute(s->suite->folder);
    json_t *names = json_array();
    for (size_t i = 0; i < s->suite->names.count; i++)
        json_array_append_new(names, json_string_nocheck(s->suite->names.item[i]));
    json_t *root = json_pack("{s:I, s:s, s:I, s:o}", "id", (json_int_t)plan->id, "folder", suite, "jobs",
                             (json_int_t)plan->jobs, "names", names);
    weir_text text = {NULL, 0, 0};
    char *dump = json_dumps(root, JSON_INDENT(2));
    weir_text_format(&text, "%s\n", dump);
    const bool fine = write_text(s->folder, "plan.json", &text);
    weir_text_free(&text);
    free(dump);
    json_decref(root);
    free(suite);
    return fine;
}

static bool write_script(const weir_session *s, const weir_task_plan *plan, const char *program) {
    char *folder = absolute(s->folder);
    weir_text text = {NULL, 0, 0};
    weir_text_add(&text, "#!/bin/sh\nexec ");
    weir_commands_quote(&text, program);
    weir_text_add(&text, " regress --task ");
    weir_text_format(&text, "\"$((${%s} - %" PRId64 "))\" ", plan->index == NULL ? "1" : plan->index, plan->first);
    weir_commands_quote(&text, folder);
    weir_text_char(&text, '\n');
    const bool fine = write_text(s->folder, "run.sh", &text);
    weir_text_free(&text);
    free(folder);
    return fine;
}

bool weir_task_write(const weir_session *s, const weir_task_plan *plan, const size_t *todo, size_t count,
                     const char *program) {
    char *folder = weir_path_join(s->folder, "task"), *copy = weir_path_join(folder, "suite.yaml");
    const bool fine = weir_make_folder(folder) && weir_file_copy(s->suite->path, copy) && write_plan(s, plan) &&
                      write_points(s, plan, todo, count) && write_script(s, plan, program);
    free(copy);
    free(folder);
    return fine;
}

static char *stop_path(const char *folder, int64_t id) { return weir_format("%s/task/stop-%" PRId64, folder, id); }

void weir_task_stop(const char *folder, int64_t id) {
    char *path = stop_path(folder, id);
    weir_file_write(path, "", 0);
    free(path);
}

/* --- a task --- */
typedef struct task {
    weir_suite *suite;
    const char *folder; /* of the run */
    char *results, *stop;
    int file;
    weir_records *records; /* that this task, begun before, has written */
    weir_suite_point *point;
    weir_hash *key;
    size_t *todo;
    size_t count, capacity, key_capacity, points;
} task;

/* The lines of the task's range; NULL after a reported error. */
static char *read_range(const char *folder, size_t number) {
    char *path = weir_format("%s/task/offsets", folder), text[2 * OFFSET_SIZE + 1] = "";
    size_t begin, end;
    FILE *file = fopen(path, "rb");
    const bool fine = file != NULL && fseek(file, (long)(number * OFFSET_SIZE), SEEK_SET) == 0 &&
                      fread(text, 1, 2 * OFFSET_SIZE, file) == 2 * OFFSET_SIZE &&
                      sscanf(text, "%zx %zx", &begin, &end) == 2 && begin <= end;
    if (file != NULL) fclose(file);
    if (!fine) weir_error(weir_at(path, 0), "has no task %zu", number);
    free(path);
    if (!fine) return NULL;
    path = weir_format("%s/task/points.jsonl", folder);
    file = fopen(path, "rb");
    char *lines = weir_calloc(end - begin + 1, 1);
    if (file == NULL || fseek(file, (long)begin, SEEK_SET) != 0 || fread(lines, 1, end - begin, file) != end - begin) {
        weir_error(weir_at(path, 0), "cannot be read");
        free(lines);
        lines = NULL;
    }
    if (file != NULL) fclose(file);
    free(path);
    return lines;
}

static bool read_key(const char *text, weir_hash *key) {
    return text != NULL && sscanf(text, "%16" SCNx64 "%16" SCNx64, &key->high, &key->low) == 2;
}

/* A task that was begun before has done some already. */
static void add_line(task *t, const char *line, size_t size) {
    json_t *object = json_loadb(line, size, 0, NULL);
    weir_hash key;
    if (read_key(json_string_value(json_object_get(object, "key")), &key)) {
        t->point = weir_grow(t->point, &t->capacity, t->points + 1, sizeof *t->point);
        t->key = weir_grow(t->key, &t->key_capacity, t->points + 1, sizeof *t->key);
        t->point[t->points] = weir_suite_point_of(t->suite, json_object_get(object, "point"));
        t->key[t->points++] = key;
    }
    json_decref(object);
}

static bool ended(void *user, size_t point, weir_record *record) {
    const task *t = user;
    json_t *values = weir_suite_point_json(t->suite, &t->point[point]);
    const bool fine = weir_records_append(t->file, t->results, record, values);
    json_decref(values);
    return fine;
}

static bool is_cancelled(void *user) { return weir_file_exists(((const task *)user)->stop); }

static int run_points(task *t, size_t jobs, const char *program, const sigset_t *mask) {
    t->suite->point = t->point;
    t->suite->points = t->points;
    t->suite->retries = 0; /* what is lost goes to another task */
    t->todo = weir_calloc(t->points + 1, sizeof *t->todo);
    for (size_t i = 0; i < t->points; i++) {
        const weir_record *record = weir_records_find(t->records, t->key[i]);
        if (record == NULL || record->state == WEIR_POINT_LOST) t->todo[t->count++] = i;
    }
    weir_commands *commands = weir_commands_new(t->suite, program);
    const weir_runner runner = {.suite = t->suite,
                                .commands = commands,
                                .point = t->point,
                                .key = t->key,
                                .todo = t->todo,
                                .count = t->count,
                                .folder = t->folder,
                                .jobs = jobs,
                                .ended = ended,
                                .is_cancelled = is_cancelled,
                                .user = t};
    const bool fine = commands != NULL && weir_runner_run(&runner, mask) == WEIR_RUNNER_DONE;
    weir_commands_free(commands);
    return fine ? WEIR_EXIT_FINE : WEIR_EXIT_TOOL;
}

static json_t *read_plan(const char *folder) {
    char *path = weir_format("%s/task/plan.json", folder);
    json_t *plan = json_load_file(path, 0, NULL);
    if (plan == NULL) weir_error(weir_at(path, 0), "cannot be read: expected the plan of a run with --on");
    free(path);
    return plan;
}

int weir_task_run(const char *folder, size_t number, const char *program) {
    const sigset_t mask = weir_process_hold();
    json_t *plan = read_plan(folder);
    char *lines = plan == NULL ? NULL : read_range(folder, number), *suite = weir_format("%s/task/suite.yaml", folder);
    task t = {.folder = folder, .file = -1};
    int status = WEIR_EXIT_INPUT;
    if (lines != NULL) t.suite = weir_suite_read_steps(suite, json_string_value(json_object_get(plan, "folder")));
    if (t.suite != NULL) {
        weir_suite_add_names(t.suite, json_object_get(plan, "names"));
        for (char *line = lines, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
            add_line(&t, line, (size_t)(end - line));
        const int64_t id = json_integer_value(json_object_get(plan, "id"));
        t.results = weir_task_results(folder, id, number);
        t.stop = stop_path(folder, id);
        t.records = weir_records_read_one(t.results);
        t.file = weir_records_open(t.results);
        if (t.file >= 0)
            status = run_points(&t, (size_t)json_integer_value(json_object_get(plan, "jobs")), program, &mask);
    }
    if (t.file >= 0) close(t.file);
    weir_records_free(t.records);
    weir_suite_free(t.suite);
    free(t.results);
    free(t.stop);
    free(t.point);
    free(t.key);
    free(t.todo);
    free(suite);
    free(lines);
    json_decref(plan);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    return status;
}
