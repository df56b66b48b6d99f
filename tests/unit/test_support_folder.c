/* Manifests, scratch folders, folders that are written whole or shared, files that belong together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/assert_file.h"
#include "common/folder.h"
#include "common/text_pair.h"
#include "support/file/file.h"
#include "support/file/folder.h"
#include "support/file/manifest.h"
#include "support/file/scratch.h"
#include "support/file/tree.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

static char *place;

static int make_place(void **state) {
    (void)state;
    place = make_test_folder();
    return chdir(place) != 0;
}

static int remove_place(void **state) {
    (void)state;
    return chdir("/") != 0 || remove_test_folder(place) != 0;
}

static void put(const char *path, const char *text) {
    assert_true(weir_tree_make_parent(".", path));
    assert_true(weir_file_write(path, text, strlen(text)));
}

/* What was reported; the log ends. */
static void check_error(weir_diag_log *log, const char *part) {
    weir_diag_release(log);
    assert_non_null(strstr(weir_diag_log_error(log), part));
    weir_diag_log_free(log);
}

static void hashes_tell_contents_apart(void **state) {
    (void)state;
    static const char *const texts[] = {"", "a", "b", "aa", "a\n", "12345678", "123456789", "12345678\n", "87654321"};
    enum { TEXTS = sizeof texts / sizeof *texts };
    for (size_t i = 0; i < TEXTS; i++) {
        for (size_t k = 0; k < TEXTS; k++) {
            const weir_hash a = weir_manifest_hash(texts[i], strlen(texts[i]));
            const weir_hash b = weir_manifest_hash(texts[k], strlen(texts[k]));
            assert_int_equal(weir_hash_equal(a, b), i == k);
        }
    }
}

static void manifests_come_back(void **state) {
    (void)state;
    static const char *const names[] = {"plain", "with blanks", "deep/er/f", "two\nlines", "back\\slash", "\\n", "..f"};
    weir_manifest written = {NULL, 0, 0}, read;
    bool found;
    assert_true(weir_make_folder("round"));
    assert_true(weir_manifest_read("round", &read, &found));
    assert_false(found);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        weir_manifest_set(&written, names[i], i << 33, weir_manifest_hash(names[i], strlen(names[i])));
    assert_true(weir_manifest_write("round", &written));
    assert_true(weir_manifest_read("round", &read, &found));
    assert_true(found);
    assert_int_equal(read.count, written.count);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const weir_manifest_entry *entry = weir_manifest_find(&read, names[i]);
        assert_non_null(entry);
        assert_int_equal(entry->size, i << 33);
        assert_true(weir_hash_equal(entry->hash, weir_manifest_hash(names[i], strlen(names[i]))));
    }
    weir_manifest_free(&written);
    weir_manifest_free(&read);
}

static void bad_manifests_are_refused(void **state) {
    (void)state;
#define HASH "0123456789abcdef0123456789abcdef"
    static const struct {
        const char *text;
        bool fine;
    } cases[] = {
        {"weir manifest 1\nend\n", true},
        {"weir manifest 1\n" HASH " 3 a/b\nend\n", true},
        {"", false},
        {"weir manifest 2\nend\n", false},
        {"weir manifest 1\n", false},
        {"weir manifest 1\nend", false},
        {"weir manifest 1\nend\nend\n", false},
        {"weir manifest 1\n" HASH " 3 a\n", false},
        {"weir manifest 1\n" HASH " 3 a", false},
        {"weir manifest 1\n" HASH " 3 \nend\n", false},
        {"weir manifest 1\n" HASH " x a\nend\n", false},
        {"weir manifest 1\n" HASH " 3\nend\n", false},
        {"weir manifest 1\n0123 3 a\nend\n", false},
        {"weir manifest 1\n" HASH " 3 /etc/passwd\nend\n", false},
        {"weir manifest 1\n" HASH " 3 ../a\nend\n", false},
        {"weir manifest 1\n" HASH " 3 a/../../b\nend\n", false},
        {"weir manifest 1\n" HASH " 3 a//b\nend\n", false},
        {"weir manifest 1\n" HASH " 3 a/\nend\n", false},
        {"weir manifest 1\n" HASH " 3 a/.\nend\n", false},
    };
#undef HASH
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_manifest manifest;
        bool found;
        put("bad/" WEIR_MANIFEST, cases[i].text);
        weir_diag_log *log = weir_diag_capture();
        const bool fine = weir_manifest_read("bad", &manifest, &found);
        weir_diag_release(log);
        weir_diag_log_free(log);
        if (fine != cases[i].fine) fail_msg("'%s'", cases[i].text);
        weir_manifest_free(&manifest);
    }
}

static void put_in(weir_folder *folder, const char *name, const char *text) {
    char *path = weir_path_join(weir_folder_staging(folder), name);
    put(path, text);
    free(path);
}

static void shared_folders_keep_what_others_have(void **state) {
    (void)state;
    put("shared/same", "same");
    put("shared/mine", "mine");
    weir_folder *folder = weir_folder_open("shared", WEIR_FOLDER_SHARED);
    assert_non_null(folder);
    put_in(folder, "same", "same");
    put_in(folder, "sub/new", "one");
    assert_false(weir_file_exists("shared/sub"));
    assert_true(weir_folder_commit(folder));
    assert_file("shared/sub/new", "one");
    assert_true(weir_folder_write("shared", "sub/new", "two", 3)); /* it is Weir's */
    assert_file("shared/sub/new", "two");
    static const char *const names[] = {"mine", "same"}; /* "same" was there before, so it stays the user's */
    for (size_t i = 0; i < 2; i++) {
        weir_diag_log *log = weir_diag_capture();
        assert_false(weir_folder_write("shared", names[i], "else", 4));
        check_error(log, names[i]);
    }
    weir_diag_log *log = weir_diag_capture();
    assert_false(weir_folder_write("shared", "mine/below", "else", 4)); /* a file where a folder would be */
    check_error(log, "no folder");
    assert_file("shared/same", "same");
    assert_file("shared/mine", "mine");
}

static void whole_folders_are_replaced(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        weir_folder *folder = weir_folder_open("whole//", WEIR_FOLDER_WHOLE);
        assert_non_null(folder);
        put_in(folder, i == 0 ? "a/old" : "b/new", "x");
        assert_true(weir_folder_commit(folder));
    }
    assert_false(weir_file_exists("whole/a"));
    assert_file("whole/b/new", "x");
    weir_folder *folder = weir_folder_open("whole", WEIR_FOLDER_WHOLE);
    put_in(folder, "c", "y");
    weir_folder_abandon(folder);
    assert_false(weir_file_exists("whole/c"));
    folder = weir_folder_open("not/there/yet", WEIR_FOLDER_WHOLE);
    assert_true(weir_file_exists("not/there/yet"));
    weir_folder_abandon(folder);
    assert_false(weir_file_exists("not"));
    put("whole/mine", "mine");
    weir_diag_log *log = weir_diag_capture();
    assert_null(weir_folder_open("whole", WEIR_FOLDER_WHOLE));
    check_error(log, "holds 'mine', which weir did not write");
}

static struct stat state_of(const char *path) {
    struct stat state;
    assert_int_equal(lstat(path, &state), 0);
    return state;
}

static bool is_one_file(weir_folder *folder, const char *name, const char *path) {
    char *staged = weir_path_join(weir_folder_staging(folder), name);
    const struct stat a = state_of(staged), b = state_of(path);
    free(staged);
    return a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

/* What is written again as it is in place takes no file; and what comes after it changes nothing there before the
 * end. */
static void files_stay_that_are_the_same(void **state) {
    (void)state;
    weir_folder *folder = weir_folder_open("again", WEIR_FOLDER_WHOLE);
    put_in(folder, "rtl/same", "x");
    put_in(folder, "rtl/other", "y");
    put_in(folder, "late", "z");
    assert_true(weir_folder_commit(folder));
    const struct stat same = state_of("again/rtl/same"), manifest = state_of("again/" WEIR_MANIFEST);
    folder = weir_folder_open("again", WEIR_FOLDER_WHOLE);
    put_in(folder, "rtl/same", "x");
    assert_true(is_one_file(folder, "rtl/same", "again/rtl/same"));
    put_in(folder, "rtl/other", "w"); /* of the same size */
    assert_false(is_one_file(folder, "rtl/other", "again/rtl/other"));
    put_in(folder, "late", "z");
    put_in(folder, "late", "changed"); /* a second name that is replaced */
    assert_false(is_one_file(folder, "late", "again/late"));
    assert_file("again/late", "z");
    assert_file("again/rtl/other", "y");
    assert_true(weir_folder_commit(folder));
    assert_file("again/rtl/other", "w");
    assert_file("again/late", "changed");
    const struct stat after = state_of("again/rtl/same"), renewed = state_of("again/" WEIR_MANIFEST);
    assert_true(after.st_ino == same.st_ino && after.st_nlink == 1 && after.st_mtim.tv_sec == same.st_mtim.tv_sec &&
                after.st_mtim.tv_nsec == same.st_mtim.tv_nsec);
    assert_true(renewed.st_ino != manifest.st_ino);
}

/* Readers see by the manifest that something was put in place, the same or not. */
static void manifests_are_always_new(void **state) {
    (void)state;
    struct stat manifest[2];
    for (int i = 0; i < 2; i++) {
        weir_folder *folder = weir_folder_open("renewed", WEIR_FOLDER_WHOLE);
        put_in(folder, "a", "x");
        assert_true(weir_folder_commit(folder));
        manifest[i] = state_of("renewed/" WEIR_MANIFEST);
        assert_int_equal(manifest[i].st_nlink, 1);
        const int held = open("renewed/" WEIR_MANIFEST, O_RDONLY | O_CLOEXEC); /* its number is not given again */
        assert_true(held >= 0);
    }
    assert_true(manifest[0].st_ino != manifest[1].st_ino);
}

/* A link or a changed file in the place of a staged one is refused or replaced as before. */
static void what_is_in_place_is_not_trusted(void **state) {
    (void)state;
    weir_folder *folder = weir_folder_open("linked", WEIR_FOLDER_WHOLE);
    put_in(folder, "a", "x");
    assert_true(weir_folder_commit(folder));
    put("elsewhere", "x");
    assert_int_equal(unlink("linked/a"), 0);
    folder = weir_folder_open("linked", WEIR_FOLDER_WHOLE);
    assert_int_equal(symlink("../elsewhere", "linked/a"), 0);
    put_in(folder, "a", "x");
    assert_false(is_one_file(folder, "a", "linked/a"));
    assert_int_equal(state_of("elsewhere").st_nlink, 1);
    weir_diag_log *log = weir_diag_capture();
    assert_false(weir_folder_commit(folder));
    check_error(log, "holds 'a', which weir did not write");
    assert_int_equal(unlink("linked/a"), 0);
    put("linked/a", "mine");
    log = weir_diag_capture();
    folder = weir_folder_open("linked", WEIR_FOLDER_WHOLE);
    put_in(folder, "a", "x");
    assert_true(weir_folder_commit(folder));
    weir_diag_release(log);
    weir_diag_log_free(log);
    assert_file("linked/a", "x");
}

static int count_files(const char *folder) {
    int count = 0;
    weir_scratch_sweep(folder, "t-");
    for (char name[] = "s/t-a"; name[4] <= 'c'; name[4]++) count += weir_file_exists(name);
    return count;
}

static void scratch_folders_go(void **state) {
    (void)state;
    assert_true(weir_make_folder("s/t-a") && weir_make_folder("s/t-b") && weir_make_folder("s/t-c"));
    put("s/t-a/.alive", "");      /* of a dead process */
    put("s/t-b/f", "the user's"); /* has no such file */
    assert_int_equal(count_files("s"), 2);
    weir_scratch *scratch = weir_scratch_new("s", "t-");
    assert_non_null(scratch);
    char *path = weir_copy_string(weir_scratch_path(scratch));
    assert_true(weir_scratch_contains(path));
    assert_false(weir_scratch_contains("s/t-b"));
    char *owner = weir_scratch_owner("s", "t-");
    free(owner);
    weir_scratch_sweep("s", "t-");
    assert_true(weir_file_exists(path)); /* in use */
    weir_scratch_free(scratch);
    assert_false(weir_file_exists(path));
    free(path);
    scratch = weir_scratch_new("s", "t-");
    path = weir_copy_string(weir_scratch_path(scratch));
    weir_scratch_keep(scratch);
    weir_scratch_sweep("s", "t-");
    assert_true(weir_file_exists(path));
    free(path);
}

/* A process that ends without a word, as one that is killed. */
static void scratch_folders_go_with_their_process(void **state) {
    (void)state;
    assert_true(weir_make_folder("k"));
    const pid_t child = fork();
    if (child == 0) {
        weir_scratch *scratch = weir_make_folder("k/new") ? weir_scratch_new_in("k/new", "t-", "k/new", -1) : NULL;
        _exit(scratch == NULL);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    for (int i = 0; i < 500 && weir_file_exists("k/new"); i++) nanosleep(&(struct timespec){0, 10000000}, NULL);
    assert_false(weir_file_exists("k/new"));
    assert_true(weir_file_exists("k"));
}

/* What a killed writer made is gone when weir_folder_clean returns, however much it is. */
static void what_is_cleaned_is_gone(void **state) {
    (void)state;
    for (int round = 0; round < 3; round++) {
        const pid_t child = fork();
        if (child == 0) {
            weir_folder *folder = weir_folder_open("cut/off/here", WEIR_FOLDER_WHOLE);
            for (int i = 0; folder != NULL && i < 100; i++) {
                char *path = weir_format("%s/%d", weir_folder_staging(folder), i);
                close(creat(path, 0666));
                free(path);
            }
            char *scratch = folder == NULL ? NULL : weir_path_folder(weir_folder_staging(folder));
            char *alive = scratch == NULL ? NULL : weir_path_join(scratch, ".alive");
            _exit(alive == NULL || unlink(alive) != 0); /* as if the janitor had begun with it */
        }
        int status = 1;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        weir_folder_clean("cut/off/here", "cut");
        assert_false(weir_file_exists("cut"));
    }
}

/* A living writer is not waited for, and loses nothing. */
static void what_lives_is_not_cleaned(void **state) {
    (void)state;
    int ready[2], done[2];
    assert_true(pipe(ready) == 0 && pipe(done) == 0);
    const pid_t child = fork();
    if (child == 0) {
        char byte;
        weir_folder *folder = weir_folder_open("held", WEIR_FOLDER_WHOLE);
        char *path = folder == NULL ? NULL : weir_path_join(weir_folder_staging(folder), "a");
        const bool fine = path != NULL && weir_file_write(path, "x", 1) && write(ready[1], "", 1) == 1;
        close(done[1]);
        _exit(!fine || read(done[0], &byte, 1) != 1 || !weir_folder_commit(folder));
    }
    char byte;
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    weir_folder_clean("held", "held");
    assert_int_equal(write(done[1], "", 1), 1);
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_file("held/a", "x");
    close(ready[0]);
    close(done[0]);
    close(done[1]);
}

static void files_that_belong_together_change_together(void **state) {
    (void)state;
    put("pair/a", "old a");
    assert_true(weir_make_folder("pair/b")); /* cannot be replaced by a file */
    const weir_file_content files[] = {{"pair/a", "new a", 5}, {"pair/b", "new b", 5}};
    weir_diag_log *log = weir_diag_capture();
    assert_false(weir_files_write(files, 2));
    check_error(log, "cannot write");
    assert_file("pair/a", "old a");
    assert_true(weir_remove_tree("pair/b"));
    assert_true(weir_files_write(files, 2));
    assert_file("pair/a", "new a");
    assert_file("pair/b", "new b");
}

static void paths_that_are_missing(void **state) {
    (void)state;
    assert_true(weir_make_folder("there"));
    static const text_pair cases[] = {{"there", NULL}, {"there/a", "there/a"}, {"there/a/b/", "there/a"}, {"x/y", "x"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *missing = weir_path_missing(cases[i].text);
        if (cases[i].expected == NULL) assert_null(missing);
        else assert_string_equal(missing, cases[i].expected);
        free(missing);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_tell_contents_apart),
        cmocka_unit_test(manifests_come_back),
        cmocka_unit_test(bad_manifests_are_refused),
        cmocka_unit_test(shared_folders_keep_what_others_have),
        cmocka_unit_test(whole_folders_are_replaced),
        cmocka_unit_test(files_stay_that_are_the_same),
        cmocka_unit_test(manifests_are_always_new),
        cmocka_unit_test(what_is_in_place_is_not_trusted),
        cmocka_unit_test(scratch_folders_go),
        cmocka_unit_test(scratch_folders_go_with_their_process),
        cmocka_unit_test(what_is_cleaned_is_gone),
        cmocka_unit_test(what_lives_is_not_cleaned),
        cmocka_unit_test(files_that_belong_together_change_together),
        cmocka_unit_test(paths_that_are_missing),
    };
    return cmocka_run_group_tests(tests, make_place, remove_place);
}
