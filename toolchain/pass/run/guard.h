/* Passes that may crash, as those of users may: run in a child process, and named when they do. */
#ifndef WEIR_PASS_GUARD_H
#define WEIR_PASS_GUARD_H

#include "pass/core/types.h"

/* Adds the witness to the contexts that it runs passes in; returns an exit status. */
typedef int weir_pass_guarded(weir_pass_instrument *witness, void *user);

/* Runs `body` in a child process and returns what it returns. When the child ended before that, reports the pass that
 * ran and how it ended, and returns WEIR_EXIT_INPUT. What the body changes in memory is lost. Signals that ask to stop
 * (INT, TERM, HUP) are passed on. */
int weir_pass_guard(weir_pass_guarded *body, void *user);

#endif
