/* Runs passes that may crash, as users' passes may, in a child process, and names the one that does. */
#ifndef WEIR_PASS_GUARD_H
#define WEIR_PASS_GUARD_H

#include "pass/core/types.h"

/* Adds the witness to the contexts that it runs passes in; returns an exit status. */
typedef int weir_pass_guarded(weir_pass_instrument *witness, void *user);

/* Runs `body` in a child process and returns its result. If the child ends before that, reports the running pass and
 * how it ended, and returns WEIR_EXIT_INPUT. Changes that the body makes in memory are lost. Signals that ask to stop
 * (INT, TERM, HUP) are passed on. */
int weir_pass_guard(weir_pass_guarded *body, void *user);

#endif
