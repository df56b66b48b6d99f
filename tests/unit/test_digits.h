/* The trained networks of tests/models/digits, and what they compute. */
#ifndef WEIR_TEST_DIGITS_H
#define WEIR_TEST_DIGITS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/model_path.h"
#include "exec/exec.h"

/* The file tests/models/digits/FILE; heap memory. */
static inline char *digits_path(const char *file) {
    char *name = weir_format("digits/%s", file), *path = model_path(name);
    free(name);
    return path;
}

/* The outputs for all rows of the data; the caller frees them. */
static inline weir_array *run_all(const weir_graph *graph, const weir_array *data) {
    weir_executor *executor = weir_executor_new(graph);
    assert_non_null(executor);
    weir_array *result = weir_executor_run_all(executor, data, 0, 0);
    assert_non_null(result);
    weir_executor_free(executor);
    return result;
}

#endif
