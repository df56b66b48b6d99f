/* Handlers of diagnostics that keep them as text; `user` is the weir_text that gets one line each. */
#ifndef WEIR_TEST_MESSAGES_H
#define WEIR_TEST_MESSAGES_H

#include "support/text/diag.h"
#include "support/text/text.h"

/* "file:line: error: text", without the place when there is none. */
void keep_message(void *user, const weir_diagnostic *diagnostic);
/* "line: text". */
void keep_line(void *user, const weir_diagnostic *diagnostic);

/* The text of diagnostic i that was captured. After <cmocka.h>. */
#define ASSERT_SAID(log, i, expected) assert_string_equal(weir_diag_log_at(log, i)->text, expected)

#endif
