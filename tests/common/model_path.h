/* Where models of the tests are. */
#ifndef WEIR_TEST_MODEL_PATH_H
#define WEIR_TEST_MODEL_PATH_H

#include <stdlib.h>

#include "support/memory/arena.h"

/* The file tests/models/NAME; heap memory. */
static inline char *model_path(const char *name) {
    const char *source = getenv("WEIR_SOURCE");
    return weir_format("%s/tests/models/%s", source != NULL ? source : ".", name);
}

#endif
