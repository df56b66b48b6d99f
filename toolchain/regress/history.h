/* The first commit of a repository at which a suite's point is no longer right: git bisect in a clone of its own. */
#ifndef WEIR_REGRESS_HISTORY_H
#define WEIR_REGRESS_HISTORY_H

#include "regress/suite_read.h"

typedef struct weir_history {
    const char *suite;     /* its path in the user's working tree */
    const char *range;     /* "GOOD..BAD", or "GOOD": up to HEAD */
    const char *build;     /* shell command that a commit needs first, or NULL; where it fails is skipped */
    weir_suite_texts only; /* as in weir_suite_choice */
    const char *program;   /* this one */
} weir_history;

/* Prints each commit's result and the first bad one; the user's repository is only read. Exit status: 3 when there is
 * one, else that of the trouble. */
int weir_history_search(const weir_history *history);

#endif
