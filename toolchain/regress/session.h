/* A run of a suite in its folder: what earlier runs did is kept, the rest is run and written down as it ends. Two runs
 * in one folder exclude each other. */
#ifndef WEIR_REGRESS_SESSION_H
#define WEIR_REGRESS_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "regress/command.h"
#include "regress/record.h"
#include "regress/suite.h"
#include "regress/tally.h"

typedef enum weir_again { WEIR_AGAIN_NOTHING, WEIR_AGAIN_FAILED, WEIR_AGAIN_ALL } weir_again;

typedef struct weir_session {
    const weir_suite *suite;
    const weir_commands *commands;
    char *folder, *log; /* its results.jsonl */
    int lock, file;
    weir_records *records;
    weir_hash *key;    /* by point */
    bool *is_kept;     /* by point */
    size_t *todo;      /* points to run: of those with one key the first */
    size_t count;      /* of them */
    size_t ended, bad; /* of this run */
    double begun;
} weir_session;

/* Opens the folder, makes the keys of all points and finds what is to be done. False after a reported error; close it
 * in any case. */
bool weir_session_open(weir_session *session, const weir_suite *suite, const weir_commands *commands,
                       const char *folder, weir_again again);
/* Takes a point's record: writes and reports it. False after a reported error. */
bool weir_session_take(weir_session *session, size_t point, weir_record *record);
/* The progress line: points, those that are not right, the time left. */
void weir_session_progress(const weir_session *session);
/* What is known of all points; seconds since the opening. */
weir_tally weir_session_tally(const weir_session *session);
void weir_session_close(weir_session *session);

#endif
