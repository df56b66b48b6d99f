#include "common/folder.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/file/file.h"
#include "support/file/scratch.h"
#include "support/memory/arena.h"

static weir_scratch *scratch; /* of the process */
static int made;

static void clear(void) { weir_scratch_free(scratch); }

char *make_test_folder(void) {
    if (scratch == NULL) {
        scratch = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "test-");
        if (scratch == NULL || atexit(clear) != 0) exit(1);
    }
    char *folder = weir_format("%s/%d", weir_scratch_path(scratch), made++);
    if (!weir_make_folder(folder)) exit(1);
    return folder;
}

int remove_test_folder(char *folder) {
    const bool fine = weir_remove_tree(folder) && !weir_file_exists(folder);
    free(folder);
    return fine ? 0 : -1;
}
