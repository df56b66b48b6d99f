/* Diagnostics kept for inspection. */
#ifndef WEIR_TEST_FRONTEND_REPORTED_H
#define WEIR_TEST_FRONTEND_REPORTED_H

#include <string.h>

#include "common/messages.h"

static weir_text reported;

static inline int keep_diagnostics(void **state) {
    (void)state;
    weir_text_free(&reported);
    weir_diag_set_handler(keep_message, &reported);
    return 0;
}

static inline int drop_diagnostics(void **state) {
    (void)state;
    weir_text_free(&reported);
    weir_diag_set_handler(NULL, NULL);
    return 0;
}

static inline bool was_reported(const char *text) {
    return reported.data != NULL && strstr(reported.data, text) != NULL;
}

#endif
