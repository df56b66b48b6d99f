#include "regress/record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/memory/map.h"
#include "support/text/diag.h"
#include "support/text/text.h"

static const char *const state_names[] = {"open", "right", "wrong", "failed", "lost"};
enum { STATES = sizeof state_names / sizeof *state_names };
static const char *const limit_names[] = {"none", "seconds", "memory"};

const char *weir_point_state_name(weir_point_state state) { return state_names[state]; }

int64_t weir_record_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void weir_record_clear(weir_record *record) {
    free(record->step);
    free(record->node);
    free(record->message);
    free(record->log);
    json_decref(record->metrics);
    *record = (weir_record){.state = WEIR_POINT_OPEN};
}

weir_record weir_record_copy(const weir_record *record) {
    weir_record copy = *record;
    copy.step = weir_copy_string(record->step);
    copy.node = weir_copy_string(record->node == NULL ? "" : record->node);
    copy.message = weir_copy_string(record->message == NULL ? "" : record->message);
    copy.log = weir_copy_string(record->log == NULL ? "" : record->log);
    json_incref(copy.metrics);
    return copy;
}

/* What a program printed need not be UTF-8. */
static json_t *text_json(const char *text) {
    json_t *value = json_string(text == NULL ? "" : text);
    if (value != NULL) return value;
    char *copy = weir_copy_string(text);
    for (char *c = copy; *c != '\0'; c++)
        if ((unsigned char)*c >= 0x80) *c = '?';
    value = json_string(copy);
    free(copy);
    return value;
}

json_t *weir_record_json(const weir_record *r, const json_t *point) {
    char key[33];
    weir_hash_print(&r->key, key);
    json_t *object = json_pack("{s:s, s:O, s:s, s:o}", "key", key, "point", point, "state", state_names[r->state],
                               "step", text_json(r->step));
    if (r->state != WEIR_POINT_RIGHT) {
        json_object_set_new(object, "node", text_json(r->node));
        json_object_set_new(object, "message", text_json(r->message));
        json_object_set_new(object, "log", text_json(r->log));
    }
    if (r->limit != WEIR_LIMIT_NONE) {
        json_object_set_new(object, "limit", json_string(limit_names[r->limit]));
        json_object_set_new(object, "allowed", json_real(r->allowed));
    }
    json_object_set_new(object, "seconds", json_real(r->seconds));
    json_object_set_new(object, "processor_seconds", json_real(r->processor_seconds));
    json_object_set_new(object, "megabytes", json_integer(r->megabytes));
    json_object_set_new(object, "tries", json_integer(r->tries));
    json_object_set_new(object, "finished", json_integer(r->finished));
    json_object_set(object, "metrics", r->metrics);
    return object;
}

/* --- reading --- */
typedef struct source {
    char *path;
    size_t read; /* bytes of whole lines */
} source;

struct weir_records {
    weir_record *record;
    size_t count, capacity;
    weir_map of; /* key to index + 1 */
    source *source;
    size_t sources, source_capacity;
    weir_map source_of; /* path to index + 1 */
};

typedef struct wanted {
    const weir_records *records;
    weir_hash key;
} wanted;

static bool is_wanted(const void *user, uint64_t key, uint64_t value) {
    const wanted *w = user;
    (void)key;
    return weir_hash_equal(w->records->record[value - 1].key, w->key);
}

const weir_record *weir_records_find(const weir_records *records, weir_hash key) {
    const wanted w = {records, key};
    const weir_map_entry *e = weir_map_find_as(&records->of, weir_map_hash(key.low), is_wanted, &w);
    return e == NULL ? NULL : &records->record[e->value - 1];
}

void weir_records_put(weir_records *records, const weir_record *record) {
    bool is_new;
    const wanted w = {records, record->key};
    weir_map_entry *e = weir_map_put_as(&records->of, weir_map_hash(record->key.low), is_wanted, &w, &is_new);
    if (!is_new) {
        weir_record *known = &records->record[e->value - 1], old = *known;
        if (record->is_new || record->finished >= old.finished) *known = *record;
        else old = *record;
        weir_record_clear(&old);
        return;
    }
    records->record = weir_grow(records->record, &records->capacity, records->count + 1, sizeof *records->record);
    records->record[records->count++] = *record;
    e->value = records->count;
}

static int word_of(const json_t *object, const char *name, const char *const *words, int count) {
    const char *word = json_string_value(json_object_get(object, name));
    for (int i = 0; word != NULL && i < count; i++)
        if (strcmp(words[i], word) == 0) return i;
    return 0;
}

static char *text_of(const json_t *object, const char *name) {
    const char *text = json_string_value(json_object_get(object, name));
    return weir_copy_string(text == NULL ? "" : text);
}

static bool read_record(const char *line, size_t size, weir_record *r) {
    json_t *object = json_loadb(line, size, 0, NULL);
    const char *key = json_string_value(json_object_get(object, "key"));
    const int state = word_of(object, "state", state_names, STATES);
    const bool fine = key != NULL && state != WEIR_POINT_OPEN &&
                      sscanf(key, "%16" SCNx64 "%16" SCNx64, &r->key.high, &r->key.low) == 2;
    if (fine) {
        r->state = (weir_point_state)state;
        r->step = text_of(object, "step");
        r->node = text_of(object, "node");
        r->message = text_of(object, "message");
        r->log = text_of(object, "log");
        r->limit = (weir_point_limit)word_of(object, "limit", limit_names, 3);
        r->allowed = json_number_value(json_object_get(object, "allowed"));
        r->seconds = json_number_value(json_object_get(object, "seconds"));
        r->processor_seconds = json_number_value(json_object_get(object, "processor_seconds"));
        r->megabytes = json_integer_value(json_object_get(object, "megabytes"));
        r->tries = json_integer_value(json_object_get(object, "tries"));
        r->finished = json_integer_value(json_object_get(object, "finished"));
        r->metrics = json_incref(json_object_get(object, "metrics"));
        if (!json_is_object(r->metrics)) {
            json_decref(r->metrics);
            r->metrics = json_object();
        }
    }
    json_decref(object);
    return fine;
}

typedef struct wanted_source {
    const weir_records *records;
    const char *path;
} wanted_source;

static bool is_wanted_source(const void *user, uint64_t key, uint64_t value) {
    const wanted_source *w = user;
    (void)key;
    return strcmp(w->records->source[value - 1].path, w->path) == 0;
}

static source *source_of(weir_records *records, const char *path) {
    bool is_new;
    const wanted_source w = {records, path};
    weir_map_entry *e =
        weir_map_put_as(&records->source_of, weir_map_hash_text(path, strlen(path)), is_wanted_source, &w, &is_new);
    if (is_new) {
        records->source =
            weir_grow(records->source, &records->source_capacity, records->sources + 1, sizeof *records->source);
        records->source[records->sources++] = (source){weir_copy_string(path), 0};
        e->value = records->sources;
    }
    return &records->source[e->value - 1];
}

/* From that byte on; heap memory. */
static char *read_from(const char *path, size_t from, size_t *size) {
    struct stat state;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    char *text = NULL;
    *size = 0;
    if (file >= 0 && fstat(file, &state) == 0 && (size_t)state.st_size > from) {
        const size_t most = (size_t)state.st_size - from;
        text = weir_malloc(most);
        ssize_t got;
        while (*size < most && (got = pread(file, text + *size, most - *size, (off_t)(from + *size))) > 0)
            *size += (size_t)got;
    }
    if (file >= 0) close(file);
    return text;
}

static size_t follow(weir_records *records, const char *path, bool is_new, size_t *bad) {
    source *s = source_of(records, path);
    size_t size, count = 0, at = 0;
    char *text = read_from(path, s->read, &size);
    for (char *end; at < size && (end = memchr(text + at, '\n', size - at)) != NULL; at = (size_t)(end - text) + 1) {
        weir_record record = {.state = WEIR_POINT_OPEN};
        if (!read_record(text + at, (size_t)(end - text) - at, &record)) continue;
        record.is_new = is_new;
        *bad += record.state != WEIR_POINT_RIGHT;
        weir_records_put(records, &record);
        count++;
    }
    s->read += at;
    free(text);
    return count;
}

size_t weir_records_follow(weir_records *records, const char *path, size_t *bad) {
    return follow(records, path, true, bad);
}

weir_records *weir_records_read_one(const char *path) {
    weir_records *records = weir_calloc(1, sizeof *records);
    size_t bad = 0;
    follow(records, path, false, &bad);
    return records;
}

weir_records *weir_records_read(const char *folder) {
    weir_records *records = weir_calloc(1, sizeof *records);
    size_t bad = 0;
    DIR *listing = opendir(folder);
    if (listing == NULL) return records;
    for (const struct dirent *item; (item = readdir(listing)) != NULL;) {
        if (fnmatch("results*.jsonl", item->d_name, 0) != 0) continue;
        char *path = weir_path_join(folder, item->d_name);
        follow(records, path, false, &bad);
        free(path);
    }
    closedir(listing);
    return records;
}

void weir_records_seconds(const weir_records *records, double *sum, size_t *count) {
    for (size_t i = 0; i < records->count; i++) *sum += records->record[i].seconds;
    *count += records->count;
}

void weir_records_free(weir_records *records) {
    if (records == NULL) return;
    for (size_t i = 0; i < records->count; i++) weir_record_clear(&records->record[i]);
    for (size_t i = 0; i < records->sources; i++) free(records->source[i].path);
    free(records->record);
    free(records->source);
    weir_map_free(&records->of);
    weir_map_free(&records->source_of);
    free(records);
}

/* --- appending --- */
int weir_records_open(const char *path) {
    const int file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    struct stat state;
    char last = '\n';
    if (file < 0) {
        weir_error(weir_at(path, 0), "cannot be written: %s", strerror(errno));
        return -1;
    }
    /* A line that was cut off is ended, so that it spoils no other. */
    if (fstat(file, &state) == 0 && state.st_size > 0 && pread(file, &last, 1, state.st_size - 1) == 1 &&
        last != '\n' && write(file, "\n", 1) != 1)
        weir_warning(weir_at(path, 0), "ends with an incomplete line, which cannot be terminated: %s", strerror(errno));
    return file;
}

bool weir_records_append(int file, const char *path, const weir_record *record, const json_t *point) {
    json_t *object = weir_record_json(record, point);
    char *dump = json_dumps(object, JSON_COMPACT | JSON_PRESERVE_ORDER), *line = weir_format("%s\n", dump);
    const size_t size = strlen(line);
    errno = ENOSPC; /* of a write that takes a part */
    const bool fine = write(file, line, size) == (ssize_t)size;
    if (!fine) weir_error(weir_at(path, 0), "cannot be written: %s", strerror(errno));
    free(line);
    free(dump);
    json_decref(object);
    return fine;
}

bool weir_records_merge(const char *from, int into, const char *path) {
    size_t size;
    char *text = weir_file_read_quietly(from, &size);
    if (text == NULL) return true;
    while (size > 0 && text[size - 1] != '\n') size--;
    errno = ENOSPC;
    const bool fine = write(into, text, size) == (ssize_t)size;
    if (fine) unlink(from);
    else weir_error(weir_at(path, 0), "cannot be written: %s", strerror(errno));
    free(text);
    return fine;
}
