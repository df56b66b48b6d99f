/* Files, folders, paths, and running programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/process/process.h"
#include "support/process/seconds.h"
#include "support/text/diag.h"
#include "support/text/text.h"
#include "test_support_scratch.h"

static void ignore(void *user, const weir_diagnostic *diagnostic) {
    (void)user;
    (void)diagnostic;
}

static void check_content(const char *path, const char *expected) {
    size_t size = 0;
    char *data = weir_file_read(path, &size);
    assert_non_null(data);
    assert_int_equal(size, strlen(expected));
    assert_string_equal(data, expected);
    free(data);
}

static void files_are_replaced_whole(void **state) {
    (void)state;
    char *path = weir_path_join(folder, "f");
    assert_true(weir_file_write(path, "one", 3));
    assert_true(weir_file_write(path, "", 0));
    check_content(path, "");
    assert_true(weir_file_write(path, "two", 3));
    check_content(path, "two");
    struct stat before, after;
    assert_int_equal(stat(path, &before), 0);
    assert_true(weir_file_write_changed(path, "two", 3));
    assert_int_equal(stat(path, &after), 0);
    assert_true(before.st_ino == after.st_ino);
    assert_true(weir_file_write_changed(path, "six", 3));
    check_content(path, "six");
    char *copy = weir_path_join(folder, "g");
    assert_int_equal(chmod(path, 0755), 0);
    assert_true(weir_file_copy(path, copy));
    check_content(copy, "six");
    assert_int_equal(access(copy, X_OK), 0);
    assert_true(weir_file_write("/dev/null", "x", 1));
    assert_int_equal(stat("/dev/null", &after), 0);
    assert_false(S_ISREG(after.st_mode));
    free(path);
    free(copy);
}

/* Processes that all make the same new file: each succeeds, the file is one of theirs, and nothing else is left.
 * Without room for a second name, a new file appears at once and whole. */
static void new_files_may_come_meanwhile(void **state) {
    (void)state;
    enum { PROCESSES = 8, ROUNDS = 40, SIZE = 20000 };
    char *inner = weir_path_join(folder, "meanwhile"), *text = weir_malloc(SIZE + 1);
    assert_true(weir_make_folder(inner));
    for (int p = 0; p < PROCESSES; p++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child > 0) continue;
        memset(text, 'a' + p, SIZE);
        bool fine = true;
        for (int i = 0; i < ROUNDS; i++) {
            char *name = weir_format("%s/%d", inner, i);
            fine &= weir_file_write(name, text, SIZE);
            free(name);
        }
        _exit(fine ? 0 : 1);
    }
    for (int p = 0; p < PROCESSES; p++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    for (int i = 0; i < ROUNDS; i++) {
        size_t size;
        char *name = weir_format("%s/%d", inner, i), *read = weir_file_read(name, &size);
        assert_non_null(read);
        assert_int_equal(size, SIZE);
        memset(text, *read, SIZE);
        assert_memory_equal(read, text, SIZE);
        assert_int_equal(unlink(name), 0);
        free(name);
        free(read);
    }
    assert_int_equal(rmdir(inner), 0);
    /* a link to nothing stays a link, and what it points to is made */
    char *link = weir_path_join(folder, "link"), *to = weir_path_join(folder, "pointed to");
    struct stat seen;
    assert_int_equal(symlink("pointed to", link), 0);
    assert_true(weir_file_write(link, "x", 1));
    check_content(to, "x");
    assert_int_equal(lstat(link, &seen), 0);
    assert_true(S_ISLNK(seen.st_mode));
    free(link);
    free(to);
    free(text);
    free(inner);
}

static void failures_are_reported_and_leave_nothing(void **state) {
    (void)state;
    size_t size;
    char *inside = weir_path_join(folder, "absent/f"), *blocked = weir_path_join(folder, "f/g");
    weir_diag_set_handler(ignore, NULL);
    assert_null(weir_file_read(inside, &size));
    assert_null(weir_file_read(folder, &size));
    assert_false(weir_file_write(inside, "x", 1));
    assert_false(weir_file_copy(inside, blocked));
    assert_false(weir_make_folder(blocked));
    assert_false(weir_make_folder(""));
    assert_false(weir_remove_tree(""));
    assert_false(weir_remove_tree("/"));
    assert_false(weir_remove_tree(".."));
    assert_int_equal(weir_diag_errors(), 9);
    weir_diag_set_handler(NULL, NULL);
    free(inside);
    free(blocked);
}

static void folders_come_and_go(void **state) {
    (void)state;
    char *tree = weir_path_join(folder, "tree"), *deep = weir_path_join(tree, "a//b/c/");
    char *file = weir_path_join(deep, "f"), *link = weir_path_join(tree, "link");
    assert_true(weir_make_folder(deep));
    assert_true(weir_make_folder(deep));
    assert_true(weir_file_write(file, "x", 1));
    assert_int_equal(symlink("/usr", link), 0);
    assert_true(weir_remove_tree(tree));
    assert_false(weir_file_exists(tree));
    assert_true(weir_file_exists("/usr/bin"));
    assert_true(weir_remove_tree(tree));
    free(tree);
    free(deep);
    free(file);
    free(link);
}

static void check_folder(const char *path, const char *expected, const char *name) {
    char *part = weir_path_folder(path);
    assert_string_equal(part, expected);
    assert_string_equal(weir_path_name(path), name);
    free(part);
}

static void paths_are_taken_apart(void **state) {
    (void)state;
    check_folder("a/b", "a", "b");
    check_folder("a", ".", "a");
    check_folder("/a", "/", "a");
    check_folder("a//b", "a", "b");
    static const char *const joined[][3] = {{"a", "b", "a/b"}, {"a/", "b", "a/b"}, {"", "b", "b"}, {"a", "/b", "/b"}};
    for (size_t i = 0; i < sizeof joined / sizeof *joined; i++) {
        char *path = weir_path_join(joined[i][0], joined[i][1]);
        assert_string_equal(path, joined[i][2]);
        free(path);
    }
}

static void special_folders_follow_the_environment(void **state) {
    (void)state;
    char *cache = weir_path_join(folder, "cache/weir"), *base = weir_path_join(folder, "cache");
    setenv("XDG_CACHE_HOME", base, 1);
    unsetenv("WEIR_CACHE");
    char *found = weir_cache_folder();
    assert_string_equal(found, cache);
    assert_true(weir_file_exists(cache));
    free(found);
    setenv("WEIR_CACHE", base, 1);
    found = weir_cache_folder();
    assert_string_equal(found, base);
    free(found);
    setenv("WEIR_DATA", "/somewhere", 1);
    found = weir_data_folder();
    assert_string_equal(found, "/somewhere");
    free(found);
    free(cache);
    free(base);
}

static weir_process_end run(const char *script, double seconds, weir_text *output, int *status) {
    const char *const arguments[] = {"sh", "-c", script, NULL};
    const char *const environment[] = {"WEIR_TEST=added", "HOME=/nowhere", NULL};
    weir_process process = {.arguments = arguments, .folder = folder, .seconds = seconds, .environment = environment};
    return weir_process_run(&process, output, status);
}

static void programs_run_where_and_how_they_should(void **state) {
    (void)state;
    weir_text output = {0};
    int status;
    assert_int_equal(run("echo $WEIR_TEST $HOME; echo two >&2; pwd; cat; exit 3", 0, &output, &status),
                     WEIR_PROCESS_EXITED);
    assert_int_equal(status, 3);
    char *expected = weir_format("added /nowhere\ntwo\n%s\n", folder);
    assert_string_equal(output.data, expected);
    free(expected);
    weir_text_free(&output);
    assert_int_equal(run("i=0; while [ $i -lt 20000 ]; do echo 0123456789; i=$((i+1)); done", 0, &output, &status),
                     WEIR_PROCESS_EXITED);
    assert_int_equal(output.size, 220000);
    weir_text_free(&output);
    assert_int_equal(run("kill -ABRT $$", 0, NULL, &status), WEIR_PROCESS_SIGNAL);
    assert_int_equal(status, SIGABRT);
}

static void late_programs_die_with_their_children(void **state) {
    (void)state;
    weir_text output = {0};
    int status;
    double before = weir_seconds();
    assert_int_equal(run("(sleep 1; touch survived) & echo started; sleep 60", 0.2, &output, &status),
                     WEIR_PROCESS_TIMEOUT);
    assert_string_equal(output.data, "started\n");
    assert_int_equal(run("(sleep 1; touch survived) & exit 0", 0, NULL, &status), WEIR_PROCESS_EXITED);
    assert_true(weir_seconds() - before < 30);
    sleep(2);
    char *survived = weir_path_join(folder, "survived");
    assert_false(weir_file_exists(survived));
    free(survived);
    weir_text_free(&output);
}

static void missing_programs_are_told_apart(void **state) {
    (void)state;
    int status;
    weir_text output = {0};
    const char *const names[] = {"weir-no-such-program", "/no/such/program", folder};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *const arguments[] = {names[i], NULL};
        weir_process process = {.arguments = arguments};
        assert_int_equal(weir_process_run(&process, &output, &status), WEIR_PROCESS_MISSING);
        assert_false(weir_process_found(names[i]));
    }
    const char *const arguments[] = {"true", NULL};
    weir_process elsewhere = {.arguments = arguments, .folder = "/no/such/folder"};
    assert_int_equal(weir_process_run(&elsewhere, &output, &status), WEIR_PROCESS_EXITED);
    assert_int_equal(status, 127);
    assert_non_null(strstr(output.data, "cannot enter '/no/such/folder'"));
    assert_true(weir_process_found("sh"));
    weir_text_free(&output);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_replaced_whole),
        cmocka_unit_test(new_files_may_come_meanwhile),
        cmocka_unit_test(failures_are_reported_and_leave_nothing),
        cmocka_unit_test(folders_come_and_go),
        cmocka_unit_test(paths_are_taken_apart),
        cmocka_unit_test(special_folders_follow_the_environment),
        cmocka_unit_test(programs_run_where_and_how_they_should),
        cmocka_unit_test(late_programs_die_with_their_children),
        cmocka_unit_test(missing_programs_are_told_apart),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
