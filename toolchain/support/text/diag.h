/* Diagnostics as objects: errors, warnings and notes with a location, collected by a sink that prints or keeps them.
 * Text is lower case, puts names in 'quotes', says what was expected and what was found. */
#ifndef WEIR_DIAG_H
#define WEIR_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum weir_severity { WEIR_SEVERITY_NOTE, WEIR_SEVERITY_WARNING, WEIR_SEVERITY_ERROR } weir_severity;

/* A source location: for an ONNX file the line is the 1-based node position; line 0 means the file as a whole,
 * a NULL file no location at all. */
typedef struct weir_location {
    const char *file;
    int line;
} weir_location;

typedef struct weir_diagnostic {
    weir_severity severity;
    weir_location location;
    const char *text;
} weir_diagnostic;

/* Called for every diagnostic; the object is valid during the call. */
typedef void weir_diag_handler(void *user, const weir_diagnostic *diagnostic);

/* What a command exits with (STYLE): the kind of trouble that was reported last. */
enum {
    WEIR_EXIT_FINE = 0,
    WEIR_EXIT_INPUT = 1,
    WEIR_EXIT_USAGE = 2,
    WEIR_EXIT_MISMATCH = 3,
    WEIR_EXIT_TOOL = 4,
    WEIR_EXIT_BOARD = 5
};

/* To end a process with: writes out what stdout still holds. `status`, or WEIR_EXIT_INPUT after an error when it was
 * fine but stdout did not take everything. */
int weir_exit_status(int status);

/* After this many errors further ones are counted but not printed. */
enum { WEIR_DIAG_LIMIT = 20 };

/* Install a handler for this thread (NULL: print to stderr) and return nothing; error counts start at zero. */
void weir_diag_set_handler(weir_diag_handler *handler, void *user);
size_t weir_diag_errors(void);
void weir_diag_reset(void);
/* The text of this thread's last error, "" when there was none; lives until the next one. */
const char *weir_diag_last_error(void);

/* --- keeping diagnostics for later, or for another thread --- */
typedef struct weir_diag_log weir_diag_log;
/* From here on this thread's diagnostics go into the log, all of them, and error counts start at zero. Captures
 * nest. */
weir_diag_log *weir_diag_capture(void);
/* Ends the capture that began last, which must be this one: the sink is as before, its counts included. */
void weir_diag_release(weir_diag_log *log);
size_t weir_diag_log_count(const weir_diag_log *log);
const weir_diagnostic *weir_diag_log_at(const weir_diag_log *log, size_t index); /* lives with the log */
/* Text of the first error, "" when there is none. */
const char *weir_diag_log_error(const weir_diag_log *log);
/* Reports what is in the log to this thread's sink. */
void weir_diag_replay(const weir_diag_log *log);
void weir_diag_log_free(weir_diag_log *log);

void weir_error(weir_location location, const char *format, ...) __attribute__((format(printf, 2, 3)));
void weir_warning(weir_location location, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The hint that belongs to the diagnostic before it. */
void weir_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same with a second, related location. */
void weir_note_at(weir_location location, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A location made of a file only. The file name is not copied. */
static inline weir_location weir_at(const char *file, int line) {
    weir_location location = {file, line};
    return location;
}
#define WEIR_NOWHERE (weir_at(NULL, 0))

#endif
