/* The progress line: rewritten in place with a carriage return and the terminal's clear-to-end-of-line. */
#include "support/process/progress.h"

#include <stdio.h>
#include <unistd.h>

void weir_progress(const char *what, double done, double total) {
    if (!isatty(STDERR_FILENO)) {
        return;
    }
    fprintf(stderr, "\r\x1b[K%s: %.0f of %.0f", what, done, total > done ? total : done);
    fflush(stderr);
}

void weir_progress_end(void) {
    if (isatty(STDERR_FILENO)) {
        fputs("\r\x1b[K", stderr);
        fflush(stderr);
    }
}
