/* A file's text. After <cmocka.h>. */
#ifndef WEIR_TEST_ASSERT_FILE_H
#define WEIR_TEST_ASSERT_FILE_H

#include <stdlib.h>

#include "support/file/file.h"

static inline void assert_file(const char *path, const char *expected) {
    size_t size;
    char *text = weir_file_read(path, &size);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

#endif
