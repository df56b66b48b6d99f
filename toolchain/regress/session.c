#define _DEFAULT_SOURCE /* flock */
#include "regress/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/memory/map.h"
#include "support/process/process.h"
#include "support/process/progress.h"
#include "support/process/seconds.h"
#include "support/text/diag.h"

/* Whoever holds the lock says who that is in the file. */
static bool lock_folder(weir_session *s) {
    char *path = weir_path_join(s->folder, "lock");
    s->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    const bool fine = s->lock >= 0 && flock(s->lock, LOCK_EX | LOCK_NB) == 0;
    if (fine) {
        char *who = weir_process_describe();
        if (ftruncate(s->lock, 0) != 0 || write(s->lock, who, strlen(who)) < 0) errno = 0; /* for messages only */
        free(who);
    } else if (s->lock < 0) {
        weir_error(weir_at(path, 0), "cannot be written: %s", strerror(errno));
    } else {
        size_t size;
        char *who = weir_file_read_quietly(path, &size);
        weir_error(weir_at(s->folder, 0), "another run holds the folder: %s", who == NULL ? "" : who);
        weir_note("wait for it, or choose another folder with -o");
        free(who);
    }
    free(path);
    return fine;
}

static bool make_keys(weir_session *s) {
    char *memory = weir_path_join(s->folder, "files.txt");
    weir_fingerprints *fingerprints = weir_fingerprints_open(memory);
    bool fine = true;
    for (size_t i = 0; i < s->suite->points && weir_diag_errors() < WEIR_DIAG_LIMIT; i++)
        fine = weir_commands_key(s->commands, &s->suite->point[i], fingerprints, &s->key[i]) && fine;
    weir_fingerprints_close(fingerprints);
    free(memory);
    return fine;
}

/* A point that passed a limit is run again when it is allowed more. */
static bool is_allowed_more(const weir_suite *suite, const weir_record *record) {
    if (record->limit == WEIR_LIMIT_SECONDS) return suite->seconds <= 0 || suite->seconds > record->allowed;
    if (record->limit == WEIR_LIMIT_MEMORY) return suite->megabytes <= 0 || (double)suite->megabytes > record->allowed;
    return false;
}

/* What a right point has left for the run may have been removed. */
static bool has_result(const weir_session *s, size_t point) {
    if (!weir_commands_leave(s->commands, WEIR_KEPT_RESULT)) return true;
    char *path = weir_kept_path(WEIR_KEPT_RESULT, s->folder, &s->key[point]);
    const bool is_there = weir_file_exists(path);
    free(path);
    return is_there;
}

static bool is_done(const weir_session *s, size_t point, weir_again again) {
    const weir_record *record = again == WEIR_AGAIN_ALL ? NULL : weir_records_find(s->records, s->key[point]);
    if (record == NULL || record->state == WEIR_POINT_LOST || is_allowed_more(s->suite, record)) return false;
    if (record->state == WEIR_POINT_RIGHT && !has_result(s, point)) return false;
    return again != WEIR_AGAIN_FAILED || record->state == WEIR_POINT_RIGHT;
}

typedef struct wanted {
    const weir_session *session;
    size_t point;
} wanted;

static bool is_wanted(const void *user, uint64_t key, uint64_t value) {
    const wanted *w = user;
    (void)key;
    return weir_hash_equal(w->session->key[value], w->session->key[w->point]);
}

static void find_todo(weir_session *s, weir_again again) {
    weir_map seen = {0};
    for (size_t i = 0; i < s->suite->points; i++) {
        bool is_new;
        const wanted w = {s, i};
        s->is_kept[i] = is_done(s, i, again);
        if (s->is_kept[i]) continue;
        weir_map_entry *e = weir_map_put_as(&seen, weir_map_hash(s->key[i].low), is_wanted, &w, &is_new);
        if (!is_new) continue;
        e->value = i;
        s->todo[s->count++] = i;
    }
    weir_map_free(&seen);
}

bool weir_session_open(weir_session *s, const weir_suite *suite, const weir_commands *commands, const char *folder,
                       weir_again again) {
    *s = (weir_session){.suite = suite, .commands = commands, .lock = -1, .file = -1, .begun = weir_seconds()};
    s->folder = weir_copy_string(folder);
    s->log = weir_path_join(folder, "results.jsonl");
    s->key = weir_calloc(suite->points, sizeof *s->key);
    s->todo = weir_calloc(suite->points, sizeof *s->todo);
    s->is_kept = weir_calloc(suite->points, sizeof *s->is_kept);
    if (!weir_make_folder(folder) || !lock_folder(s) || !make_keys(s)) return false;
    s->records = weir_records_read(folder);
    find_todo(s, again);
    s->file = weir_records_open(s->log);
    return s->file >= 0;
}

void weir_session_progress(const weir_session *s) {
    if (s->ended == 0) return;
    char *what = weir_format("%zu not right, points", s->bad);
    weir_progress(what, (double)s->ended, (double)s->count, s->begun);
    free(what);
}

static void tell(const weir_session *s, size_t point, const weir_record *record) {
    if (record->state != WEIR_POINT_RIGHT && s->bad <= WEIR_DIAG_LIMIT) {
        char *name = weir_suite_point_text(s->suite, &s->suite->point[point]);
        weir_progress_end();
        fprintf(stderr, "%s: %s: %s\n", weir_point_state_name(record->state), name, record->message);
        free(name);
    }
    weir_session_progress(s);
}

bool weir_session_take(weir_session *s, size_t point, weir_record *record) {
    json_t *values = weir_suite_point_json(s->suite, &s->suite->point[point]);
    const bool fine = weir_records_append(s->file, s->log, record, values);
    json_decref(values);
    s->ended++;
    s->bad += record->state != WEIR_POINT_RIGHT;
    if (fine) tell(s, point, record);
    weir_record copy = weir_record_copy(record);
    copy.is_new = true;
    weir_records_put(s->records, &copy);
    return fine;
}

weir_tally weir_session_tally(const weir_session *s) {
    weir_tally results = {.suite = s->suite, .commands = s->commands, .seconds = weir_seconds() - s->begun};
    results.record = weir_calloc(s->suite->points, sizeof *results.record);
    results.is_kept = weir_calloc(s->suite->points, sizeof *results.is_kept);
    /* What this run was to do, and did not, is open, whatever an earlier run said of it. */
    for (size_t i = 0; i < s->suite->points; i++) {
        const weir_record *record = weir_records_find(s->records, s->key[i]);
        results.is_kept[i] = s->is_kept[i];
        const bool is_known = record != NULL && (s->is_kept[i] || record->is_new);
        results.record[i] = is_known ? weir_record_copy(record) : (weir_record){.key = s->key[i]};
    }
    return results;
}

void weir_session_close(weir_session *s) {
    weir_progress_end();
    if (s->file >= 0) close(s->file);
    if (s->lock >= 0) close(s->lock);
    weir_records_free(s->records);
    free(s->key);
    free(s->todo);
    free(s->is_kept);
    free(s->log);
    free(s->folder);
}
