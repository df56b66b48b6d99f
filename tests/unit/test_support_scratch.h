/* A folder for the tests of a group: made before the first, removed behind the last. */
#ifndef WEIR_TEST_SUPPORT_SCRATCH_H
#define WEIR_TEST_SUPPORT_SCRATCH_H

#include "common/folder.h"

static char *folder;

static inline int make_scratch(void **state) {
    (void)state;
    folder = make_test_folder();
    return 0;
}

static inline int remove_scratch(void **state) {
    (void)state;
    return remove_test_folder(folder);
}

#endif
