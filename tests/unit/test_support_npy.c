/* .npy files that are too large to be copied. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/messages.h"
#include "support/file/file.h"
#include "support/memory/array.h"
#include "support/text/diag.h"
#include "support/text/text.h"
#include "test_support_scratch.h"

static void expect(const weir_text *text, const char *expected) {
    if (text->data == NULL || strstr(text->data, expected) == NULL) fail_msg("expected '%s'", expected);
}

/* A file with a hole: a header, then `size` bytes of which only the last four are there, the number 2.5. */
static void make_large(const char *path, const char *header, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    const float last = 2.5F;
    const unsigned char prefix[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 118, 0};
    fwrite(prefix, 1, sizeof prefix, file);
    fprintf(file, "%-117s\n", header);
    assert_int_equal(fseek(file, (long)(128 + size - sizeof last), SEEK_SET), 0);
    fwrite(&last, 1, sizeof last, file);
    assert_int_equal(fclose(file), 0);
}

/* Numbers of large files stay in them: 80 MB are read where 40 MB of memory are left. What has to be put in order is
 * copied, and a damaged one is an error, once. */
static void large_files_stay_where_they_are(void **state) {
    (void)state;
    enum { COUNT = 20 << 20, MEMORY = 40 << 20 };
    char *path = weir_path_join(folder, "large.npy");
    static const char order[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (20, 1048576), }";
    make_large(path, order, COUNT * sizeof(float));
    fflush(stdout);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit limit = {MEMORY, MEMORY};
        weir_array *array = setrlimit(RLIMIT_DATA, &limit) == 0 ? weir_npy_read(path) : NULL;
        const bool fine = array != NULL && array->count == COUNT && weir_array_get(array, COUNT - 1) == 2.5 &&
                          weir_array_get(array, 0) == 0 && array->shape.dim[1] == 1048576;
        weir_array_free(array);
        _exit(fine ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    make_large(path, "{'descr': '<f4', 'fortran_order': True, 'shape': (20, 1048576), }", COUNT * sizeof(float));
    weir_array *turned = weir_npy_read(path);
    assert_non_null(turned);
    assert_true(weir_array_get(turned, COUNT - 1) == 2.5);
    weir_array_set(turned, 0, 1); /* its own memory */
    weir_array_free(turned);
    make_large(path, order, COUNT * sizeof(float) + 4);
    weir_text messages = {0};
    weir_diag_set_handler(keep_line, &messages);
    assert_null(weir_npy_read(path));
    weir_diag_set_handler(NULL, NULL);
    expect(&messages, "expected 83886080 bytes of data");
    assert_null(strstr(strstr(messages.data, "expected") + 8, "expected"));
    weir_text_free(&messages);
    assert_int_equal(remove(path), 0);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(large_files_stay_where_they_are)};
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
