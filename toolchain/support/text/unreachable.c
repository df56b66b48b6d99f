#include "support/text/unreachable.h"

#include <stdio.h>
#include <stdlib.h>

void weir_unreachable_at(const char *file, int line, const char *why) {
    fprintf(stderr, "%s:%d: internal error: %s\n", file, line, why);
    abort();
}
