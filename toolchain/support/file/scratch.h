/* Temporary folders that clean up after themselves. A scratch folder is removed when it is freed; when its process ends
 * in any other way, killed included, a small process that waits for that, the janitor, removes it; and should that be
 * killed too, the next scratch folder that is made in the same place does. Its file .alive is locked as long as its
 * process lives. */
#ifndef WEIR_SCRATCH_H
#define WEIR_SCRATCH_H

#include <stdbool.h>

typedef struct weir_scratch weir_scratch;

/* Makes PARENT/PREFIXxxxxxx (PARENT NULL: $TMPDIR, else /tmp), after removing what dead processes left there under the
 * prefix, in $TMPDIR under any that begins with WEIR_SCRATCH_PREFIX. NULL after a reported error. */
weir_scratch *weir_scratch_new(const char *parent, const char *prefix);
/* The same; should the process be killed, the parent and the folders above it up to `made` (NULL: none) go too, when
 * they are empty. `lock` (-1: none): a file or folder that the process holds with flock, and then the janitor until it
 * is done. */
weir_scratch *weir_scratch_new_in(const char *parent, const char *prefix, const char *made, int lock);
const char *weir_scratch_path(const weir_scratch *scratch);
/* Removes the folder; NULL is fine. */
void weir_scratch_free(weir_scratch *scratch);
/* Frees the object and leaves the folder to the user. */
void weir_scratch_keep(weir_scratch *scratch);

/* Removes what dead processes left. */
void weir_scratch_sweep(const char *parent, const char *prefix);
/* Is there a scratch folder with the prefix whose process lives? */
bool weir_scratch_lives(const char *parent, const char *prefix);
/* Is this a scratch folder, or a folder in one? */
bool weir_scratch_contains(const char *path);
/* Who owns the first scratch folder with the prefix in the folder, "process 12 on 'host' (weir compile ...)"; NULL when
 * there is none. Heap memory. */
char *weir_scratch_owner(const char *parent, const char *prefix);

/* Of the temporary folders in $TMPDIR. */
#define WEIR_SCRATCH_PREFIX "weir-"

#endif
