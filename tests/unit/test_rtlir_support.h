/* What the tests of the hardware IR share: diagnostics kept as text, paths of the source tree. */
#ifndef WEIR_TEST_RTLIR_SUPPORT_H
#define WEIR_TEST_RTLIR_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rtlir/core/stmt.h"
#include "rtlir/core/visitor.h"
#include "rtlir/reader/read.h"
#include "rtlir/verify/verify.h"
#include "rtlir/verilog/print.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "support/text/text.h"

static weir_text messages;

static inline void keep_message(void *user, const weir_diagnostic *diagnostic) {
    (void)user;
    static const char *const severity[] = {"note", "warning", "error"};
    if (diagnostic->location.file)
        weir_text_format(&messages, "%s:%d: ", weir_path_name(diagnostic->location.file), diagnostic->location.line);
    weir_text_format(&messages, "%s: %s\n", severity[diagnostic->severity], diagnostic->text);
}

static inline int start(void **state) {
    weir_diag_set_handler(keep_message, NULL);
    weir_text_free(&messages);
    messages = (weir_text){0};
    *state = weir_rtl_design_new();
    return 0;
}

static inline int stop(void **state) {
    weir_rtl_design_free(*state);
    weir_diag_set_handler(NULL, NULL);
    weir_text_free(&messages);
    messages = (weir_text){0};
    return 0;
}

#define DESIGN_TEST(function) cmocka_unit_test_setup_teardown(function, start, stop)

/* Compares with everything that was reported since the last call. */
#define ASSERT_MESSAGES(expected)                                                                                      \
    do {                                                                                                               \
        assert_string_equal(messages.data ? messages.data : "", expected);                                             \
        weir_text_free(&messages);                                                                                     \
        messages = (weir_text){0};                                                                                     \
    } while (0)

/* `index` of the `count` modules that are met from `top` on. */
static inline void assert_module_at(weir_rtl_design *design, weir_rtl_module top, weir_rtl_order order, size_t count,
                                    size_t index, weir_rtl_module expected) {
    size_t found = 0;
    weir_rtl_module *modules = weir_rtl_modules_below(design, top, order, &found);
    assert_int_equal(found, count);
    assert_int_equal(modules[index].id, expected.id);
    free(modules);
}

/* A path below the source tree; heap memory. */
static inline char *source_path(const char *name) {
    const char *root = getenv("WEIR_SOURCE");
    return weir_path_join(root ? root : "../../..", name);
}

static inline char *data_path(const char *name) {
    char *folder = source_path("tests/unit/data/rtlir");
    char *path = weir_path_join(folder, name);
    free(folder);
    return path;
}

/* The text of such a file; heap memory. */
static inline char *read_data(const char *name, size_t *size) {
    char *path = data_path(name), *text = weir_file_read(path, size);
    assert_non_null(text);
    free(path);
    return text;
}

#endif
