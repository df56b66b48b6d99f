/* What a file looks like by its content, for messages about files that are not what was expected. */
#ifndef WEIR_KIND_H
#define WEIR_KIND_H

#include <stddef.h>

typedef struct weir_file_kind {
    const char *what; /* "a NumPy array (.npy)" */
    const char *hint; /* what makes a model of it, or which command takes it; NULL: nothing to say */
} weir_file_kind;

/* By magic numbers and first words; NULL: nothing known. The result is static. */
const weir_file_kind *weir_file_kind_of(const void *data, size_t size);

#endif
