/* The progress line: rewritten in place with a carriage return and the terminal's clear-to-end-of-line. */
#include "support/process/progress.h"
#include "support/process/seconds.h"

#include <stdio.h>
#include <unistd.h>

void weir_progress(const char *what, double done, double total, double begun) {
    if (!isatty(STDERR_FILENO)) {
        return;
    }
    fprintf(stderr, "\r\x1b[K%s: %.0f of %.0f", what, done, total > done ? total : done);
    const double passed = begun > 0 ? weir_seconds() - begun : 0;
    if (passed >= 0.2 && done > 0 && done < total) {
        const double left = passed / done * (total - done);
        fprintf(stderr, left < 90 ? ", about %.0f s left" : ", about %.0f min left", left < 90 ? left : left / 60);
    }
    fflush(stderr);
}

void weir_progress_end(void) {
    if (isatty(STDERR_FILENO)) {
        fputs("\r\x1b[K", stderr);
        fflush(stderr);
    }
}
