/* What became of a point, and the file that keeps it: a line of JSON a point, appended with one write, so that an
 * interrupted run leaves whole lines; a last one that is cut off is ignored. */
#ifndef WEIR_REGRESS_RECORD_H
#define WEIR_REGRESS_RECORD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/memory/hash.h"

typedef enum weir_point_state {
    WEIR_POINT_OPEN,   /* not done yet */
    WEIR_POINT_RIGHT,  /* every step ended with status 0 */
    WEIR_POINT_WRONG,  /* status 3: the hardware disagrees with the reference */
    WEIR_POINT_FAILED, /* another status, a crash, a limit */
    WEIR_POINT_LOST    /* to the machine: status 4, killed from outside */
} weir_point_state;

const char *weir_point_state_name(weir_point_state state);

typedef enum weir_point_limit { WEIR_LIMIT_NONE, WEIR_LIMIT_SECONDS, WEIR_LIMIT_MEMORY } weir_point_limit;

/* Texts are heap memory, "" where there is nothing. */
typedef struct weir_record {
    weir_hash key;
    weir_point_state state;
    char *step;             /* that decided */
    char *node, *message;   /* the first cause */
    char *log;              /* the end of what the step printed */
    weir_point_limit limit; /* that was passed */
    double allowed;         /* what it was: seconds or MB */
    double seconds, processor_seconds;
    int64_t megabytes; /* the most that its processes held at once */
    int64_t tries;
    int64_t finished; /* milliseconds since 1970: of several records of a key the last counts */
    json_t *metrics;  /* numbers by name */
    bool is_new;      /* of this run, not read from its folder */
} weir_record;

/* Milliseconds since 1970. */
int64_t weir_record_now(void);
void weir_record_clear(weir_record *record);
/* `point`: its values, for readers of the file. */
json_t *weir_record_json(const weir_record *record, const json_t *point);

typedef struct weir_records weir_records;
/* All records in the folder's results*.jsonl, of a key the last one. Lines that are cut off are left out, and a folder
 * that is not there has none. */
weir_records *weir_records_read(const char *folder);
void weir_records_free(weir_records *records);
/* NULL: there is none. */
const weir_record *weir_records_find(const weir_records *records, weir_hash key);
/* Adds it, or replaces the one of its key; takes it over. */
void weir_records_put(weir_records *records, const weir_record *record);
/* A copy of the caller's. */
weir_record weir_record_copy(const weir_record *record);
/* Reads what was appended to the file since it was read last, as new records; how many. Adds to *bad those that are not
 * right. */
size_t weir_records_follow(weir_records *records, const char *path, size_t *bad);
/* Adds up the seconds of all records, and counts them. */
void weir_records_seconds(const weir_records *records, double *sum, size_t *count);
/* Those of one file, which need not be there. */
weir_records *weir_records_read_one(const char *path);
/* Appends the whole lines of a file to another, and removes it; false after a reported error. */
bool weir_records_merge(const char *from, int into, const char *path);

/* A file that records are appended to, made if need be; -1 after a reported error. */
int weir_records_open(const char *path);
/* False after a reported error (a full disk). */
bool weir_records_append(int file, const char *path, const weir_record *record, const json_t *point);

#endif
