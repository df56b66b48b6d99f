/* The progress line, on a pseudo-terminal: how much of how much. */
#define _XOPEN_SOURCE 700 /* posix_openpt */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/process/progress.h"
#include "support/process/seconds.h"

/* What the call leaves on the terminal that stderr is during it. */
static void capture(char *found, size_t size, const char *what, double done, double total, double begun) {
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) skip();
    int end = open(ptsname(terminal), O_RDWR | O_NOCTTY), kept = dup(STDERR_FILENO);
    if (end < 0) skip();
    fflush(stderr);
    dup2(end, STDERR_FILENO);
    weir_progress(what, done, total, begun);
    dup2(kept, STDERR_FILENO);
    ssize_t count = read(terminal, found, size - 1);
    found[count < 0 ? 0 : count] = '\0';
    close(end);
    close(kept);
    close(terminal);
}

static void done_of_total(void **state) {
    (void)state;
    char found[128];
    capture(found, sizeof found, "reference", 256, 10000, 0);
    assert_non_null(strstr(found, "reference: 256 of 10000"));
    assert_null(strstr(found, "left"));
    capture(found, sizeof found, "icarus, always", 5, 4, weir_seconds() - 10);
    assert_non_null(strstr(found, "icarus, always: 5 of 5"));
}

/* After 20 seconds a fifth is done: 80 are left; after 20 minutes, 80 minutes. Before a second there is no pace. */
static void time_left(void **state) {
    (void)state;
    char found[128];
    capture(found, sizeof found, "frames", 200, 1000, weir_seconds() - 20);
    assert_non_null(strstr(found, "frames: 200 of 1000, about 80 s left"));
    capture(found, sizeof found, "frames", 200, 1000, weir_seconds() - 1200);
    assert_non_null(strstr(found, "frames: 200 of 1000, about 80 min left"));
    capture(found, sizeof found, "frames", 0, 1000, weir_seconds() - 20);
    assert_null(strstr(found, "left"));
    capture(found, sizeof found, "frames", 200, 1000, weir_seconds());
    assert_null(strstr(found, "left"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(done_of_total), cmocka_unit_test(time_left)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
