/* Files of descriptions (boards, devices), damaged in one place each, and what their readers say. */
#ifndef WEIR_TEST_YAML_DAMAGE_H
#define WEIR_TEST_YAML_DAMAGE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/messages.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "support/text/text.h"

/* `from` of the whole file is replaced by `to`. */
typedef struct yaml_damage {
    const char *from, *to, *expected;
} yaml_damage;

/* Reads what has this name or path and frees it: 0, or the exit status with which it is refused. */
typedef int yaml_reader(const char *name);

/* A file mine.yaml with this text is refused unless nothing is said. */
static inline void expect_messages(yaml_reader *reads, const char *text, const char *expected) {
    assert_true(weir_file_write("mine.yaml", text, strlen(text)));
    weir_diag_log *log = weir_diag_capture();
    const int status = reads("mine.yaml");
    weir_diag_release(log);
    weir_text found = {NULL, 0, 0};
    weir_text_add(&found, "");
    for (size_t i = 0; i < weir_diag_log_count(log); i++) {
        const weir_diagnostic *d = weir_diag_log_at(log, i);
        if (d->location.line > 0) weir_text_format(&found, "%s:%d: ", d->location.file, d->location.line);
        weir_text_format(&found, "%s\n", d->text);
    }
    assert_string_equal(found.data, expected);
    assert_int_equal(status == 0, *expected == '\0');
    weir_text_free(&found);
    weir_diag_log_free(log);
    unlink("mine.yaml");
}

static inline void expect_damage(yaml_reader *reads, const char *whole, const yaml_damage *cases, size_t count) {
    expect_messages(reads, whole, "");
    for (size_t i = 0; i < count; i++) {
        const char *at = strstr(whole, cases[i].from);
        assert_non_null(at);
        char *text = weir_format("%.*s%s%s", (int)(at - whole), whole, cases[i].to, at + strlen(cases[i].from));
        expect_messages(reads, text, cases[i].expected);
        free(text);
    }
}

/* A name and a path that are not there, and what is said of the name and of the nearest one. */
typedef struct yaml_unknown {
    const char *name, *path, *said, *hint;
} yaml_unknown;

static inline void expect_unknown(yaml_reader *reads, const yaml_unknown *u) {
    weir_diag_log *log = weir_diag_capture();
    assert_int_equal(reads(u->name), WEIR_EXIT_USAGE);
    assert_int_equal(reads(u->path), WEIR_EXIT_INPUT);
    weir_diag_release(log);
    ASSERT_SAID(log, 0, u->said);
    ASSERT_SAID(log, 1, u->hint);
    weir_diag_log_free(log);
}

#endif
