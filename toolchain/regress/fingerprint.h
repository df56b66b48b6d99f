/* Hashes of files' contents, remembered by path, size and times between runs: a file whose state is unchanged is not
 * read again. Cost: one stat a file and run. */
#ifndef WEIR_REGRESS_FINGERPRINT_H
#define WEIR_REGRESS_FINGERPRINT_H

#include <stdbool.h>

#include "support/memory/hash.h"

typedef struct weir_fingerprints weir_fingerprints;

/* What the file `memory` remembers; one that is missing or damaged remembers nothing. */
weir_fingerprints *weir_fingerprints_open(const char *memory);
/* Writes it, when something is new, and frees. */
void weir_fingerprints_close(weir_fingerprints *fingerprints);
/* Adds the content of a file, or of all files below a folder with their names; false: there is none, or it cannot be
 * read. */
bool weir_fingerprints_add(weir_fingerprints *fingerprints, const char *path, weir_hash *hash);
/* Adds this program and the data that it uses (rtl/, sim/, device profiles). */
bool weir_fingerprints_add_program(weir_fingerprints *fingerprints, weir_hash *hash);

#endif
