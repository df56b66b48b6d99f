/* The diagnostic sink: one a thread, the only mutable state of the toolchain that outlives a call.
 * The default handler writes each diagnostic with one call, so that threads do not mix within a line, and replaces
 * control characters, because names from hostile files appear in the text. */
#include "support/text/diag.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"
#include "support/text/color.h"
#include "support/text/text.h"

typedef struct sink {
    weir_diag_handler *handler; /* NULL: print */
    void *user;
    size_t errors;
    char last[256]; /* text of the last error, cut */
    bool muted;     /* the last error was over the limit, and so are its notes */
} sink;

static _Thread_local sink thread_sink;

void weir_diag_set_handler(weir_diag_handler *handler, void *user) {
    thread_sink = (sink){.handler = handler, .user = user};
}

size_t weir_diag_errors(void) { return thread_sink.errors; }

const char *weir_diag_last_error(void) { return thread_sink.last; }

void weir_diag_reset(void) {
    thread_sink.last[0] = 0;
    thread_sink.errors = 0;
    thread_sink.muted = false;
}

static void print(const weir_diagnostic *diagnostic) {
    assert(diagnostic->severity >= WEIR_SEVERITY_NOTE && diagnostic->severity <= WEIR_SEVERITY_ERROR);
    static const char *const severities[] = {"note", "warning", "error"};
    static const weir_color colors[] = {WEIR_COLOR_NOTE, WEIR_COLOR_WARNING, WEIR_COLOR_BAD};
    const weir_color color = colors[diagnostic->severity];
    weir_text line = {0}, shown = {0};
    if (diagnostic->severity != WEIR_SEVERITY_NOTE || diagnostic->location.file) { /* most notes have no location */
        weir_text_add(&line, diagnostic->location.file ? diagnostic->location.file : "weir");
        if (diagnostic->location.file && diagnostic->location.line > 0) {
            weir_text_format(&line, ":%d", diagnostic->location.line);
        }
        weir_text_add(&line, ": ");
    }
    const size_t located = line.size;
    weir_text_format(&line, " %s\n", diagnostic->text);
    for (char *c = line.data; *c; c++) {
        if (((unsigned char)*c < ' ' && *c != '\n' && *c != '\t') || *c == 0x7f) {
            *c = '?';
        }
    }
    weir_text_format(&shown, "%s%.*s%s%s%s:%s%s", weir_color_begin(WEIR_COLOR_HEAD, stderr), (int)located, line.data,
                     weir_color_end(WEIR_COLOR_HEAD, stderr), weir_color_begin(color, stderr),
                     severities[diagnostic->severity], weir_color_end(color, stderr), line.data + located);
    fputs(shown.data, stderr);
    weir_text_free(&line);
    weir_text_free(&shown);
}

/* Counts the diagnostic and says whether the default handler shows it. */
static bool admit(weir_severity severity) {
    sink *s = &thread_sink;
    if (severity == WEIR_SEVERITY_ERROR) {
        s->errors++;
        s->muted = s->errors > WEIR_DIAG_LIMIT;
    } else if (severity == WEIR_SEVERITY_WARNING) {
        s->muted = s->errors > WEIR_DIAG_LIMIT;
    }
    return !s->muted;
}

static void __attribute__((format(printf, 3, 0)))
emit(weir_severity severity, weir_location location, const char *format, va_list arguments) {
    bool shown = admit(severity);
    if (severity == WEIR_SEVERITY_ERROR) {
        va_list copy;
        va_copy(copy, arguments);
        vsnprintf(thread_sink.last, sizeof thread_sink.last, format, copy);
        va_end(copy);
    }
    if (!shown && !thread_sink.handler) {
        if (severity == WEIR_SEVERITY_ERROR && thread_sink.errors == WEIR_DIAG_LIMIT + 1) {
            fprintf(stderr, "note: more than %d errors: further ones are not shown\n", (int)WEIR_DIAG_LIMIT);
        }
        return;
    }
    weir_text text = {0};
    weir_text_vformat(&text, format, arguments);
    weir_diagnostic diagnostic = {severity, location, text.data ? text.data : ""};
    if (thread_sink.handler) {
        thread_sink.handler(thread_sink.user, &diagnostic);
    } else {
        print(&diagnostic);
    }
    weir_text_free(&text);
}

/* --- logs --- */
struct weir_diag_log {
    sink before;
    weir_diagnostic *item; /* heap copies of their texts */
    size_t count, capacity;
};

static void keep(void *user, const weir_diagnostic *diagnostic) {
    weir_diag_log *log = user;
    const char *file = diagnostic->location.file;
    log->item = weir_grow(log->item, &log->capacity, log->count + 1, sizeof *log->item);
    log->item[log->count++] = (weir_diagnostic){diagnostic->severity,
                                                {file ? weir_copy_string(file) : NULL, diagnostic->location.line},
                                                weir_copy_string(diagnostic->text)};
}

weir_diag_log *weir_diag_capture(void) {
    weir_diag_log *log = weir_calloc(1, sizeof *log);
    log->before = thread_sink;
    weir_diag_set_handler(keep, log);
    return log;
}

void weir_diag_release(weir_diag_log *log) { thread_sink = log->before; }

size_t weir_diag_log_count(const weir_diag_log *log) { return log->count; }

const weir_diagnostic *weir_diag_log_at(const weir_diag_log *log, size_t index) {
    assert(index < log->count);
    return &log->item[index];
}

const char *weir_diag_log_error(const weir_diag_log *log) {
    size_t i = 0;
    while (i < log->count && log->item[i].severity != WEIR_SEVERITY_ERROR) {
        i++;
    }
    return i < log->count ? log->item[i].text : "";
}

void weir_diag_replay(const weir_diag_log *log) {
    for (size_t i = 0; i < log->count; i++) {
        const weir_diagnostic *d = &log->item[i];
        switch (d->severity) {
        case WEIR_SEVERITY_ERROR: weir_error(d->location, "%s", d->text); break;
        case WEIR_SEVERITY_WARNING: weir_warning(d->location, "%s", d->text); break;
        case WEIR_SEVERITY_NOTE: weir_note_at(d->location, "%s", d->text); break;
        }
    }
}

void weir_diag_log_free(weir_diag_log *log) {
    for (size_t i = 0; log && i < log->count; i++) {
        free((char *)(uintptr_t)log->item[i].location.file);
        free((char *)(uintptr_t)log->item[i].text);
    }
    if (log) {
        free(log->item);
    }
    free(log);
}

void weir_error(weir_location location, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    emit(WEIR_SEVERITY_ERROR, location, format, arguments);
    va_end(arguments);
}

void weir_warning(weir_location location, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    emit(WEIR_SEVERITY_WARNING, location, format, arguments);
    va_end(arguments);
}

void weir_note(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    emit(WEIR_SEVERITY_NOTE, WEIR_NOWHERE, format, arguments);
    va_end(arguments);
}

void weir_note_at(weir_location location, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    emit(WEIR_SEVERITY_NOTE, location, format, arguments);
    va_end(arguments);
}

int weir_exit_status(int status) {
    bool lost = ferror(stdout) != 0;
    errno = 0;
    if (fflush(stdout) == 0 && !lost) return status;
    weir_error(weir_at("standard output", 0), "cannot be written%s%s", errno == 0 ? "" : ": ",
               errno == 0 ? "" : strerror(errno));
    return status == WEIR_EXIT_FINE ? WEIR_EXIT_INPUT : status;
}
