/* Files, folders and paths. A file is replaced by writing a new one without a name in its folder, which the system
 * removes with the process, naming it (path.tmp<process>.<n>) and renaming it to its place, or, where nothing is there,
 * by giving it its name at once; where the file system has no such files the new one has the other name from the start
 * (O_EXCL, so that neither threads nor processes share one). A link stays one: what it points to is replaced. A new
 * file that is staged (folder.h) has its name from the start, and is only a second name of the one in its place where
 * that has the content: no file is made and removed again, which some file systems take long for. What is not a regular
 * file (/dev/null, a pipe) is written in place. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "support/file/file.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/memory/arena.h"
#include "support/text/diag.h"

static void report(const char *path, const char *what) {
    weir_error(weir_at(path, 0), "cannot %s: %s", what, strerror(errno));
}

/* The content of an open file, which ends after `expected` bytes where that is more than 0; NULL with errno set. */
static char *read_all(int file, size_t expected, size_t *size) {
    size_t capacity = 0, used = 0;
    char *data = weir_grow(NULL, &capacity, expected + 2, 1);
    for (;;) {
        data = weir_grow(data, &capacity, used + 2, 1);
        ssize_t got = read(file, data + used, capacity - used - 1);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            free(data);
            return NULL;
        }
        if (got == 0) {
            break;
        }
        used += (size_t)got;
        if (used == expected) {
            break;
        }
    }
    data[used] = 0;
    *size = used;
    return data;
}

static char *read_with_mode(const char *path, size_t *size, mode_t *mode) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return NULL;
    }
    struct stat state;
    char *data = NULL;
    if (fstat(file, &state) == 0) {
        bool sized = S_ISREG(state.st_mode) && state.st_size > 0 && (uintmax_t)state.st_size < SIZE_MAX / 2;
        data = read_all(file, sized ? (size_t)state.st_size : 0, size);
        *mode = state.st_mode & 0777;
    }
    int saved = errno;
    close(file);
    errno = saved;
    return data;
}

char *weir_file_read_quietly(const char *path, size_t *size) {
    mode_t mode;
    return read_with_mode(path, size, &mode);
}

char *weir_file_read(const char *path, size_t *size) {
    char *data = weir_file_read_quietly(path, size);
    if (!data) {
        report(path, "read");
    }
    return data;
}

bool weir_file_hash(const char *path, weir_hash *hash) {
    size_t size = 0;
    char *text = weir_file_read(path, &size);
    if (text == NULL) return false;
    weir_hash_add_number(hash, size);
    weir_hash_add(hash, text, size);
    free(text);
    return true;
}

static bool write_all(int file, const void *data, size_t size) {
    const char *from = data;
    while (size > 0) {
        ssize_t done = write(file, from, size);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done < 0) {
            return false;
        }
        from += done;
        size -= (size_t)done;
    }
    return true;
}

/* Writes and closes; keeps the first errno. */
static bool write_and_close(int file, const void *data, size_t size) {
    bool fine = write_all(file, data, size);
    int saved = errno;
    if (close(file) != 0 && fine) {
        return false;
    }
    errno = saved;
    return fine;
}

/* A new file in the folder that has no name yet; -1 where there are none such. */
static int open_unnamed(const char *path, mode_t mode) {
    char *folder = weir_path_folder(path);
    int file = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    free(folder);
    return file;
}

/* Gives the file that has none a name, which must be free. False with errno set. */
static bool give_name(int unnamed, const char *name) {
    char self[32];
    snprintf(self, sizeof self, "/proc/self/fd/%d", unnamed);
    return linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

/* Gives the file a name that is free, or without one makes a new file; *name is heap memory. -1 with errno set. */
static int name_temporary(const char *path, int unnamed, mode_t mode, char **name) {
    enum { TRIES = 1000 };
    int file = -1;
    *name = NULL;
    for (int i = 0; i < TRIES && file < 0; i++) {
        free(*name);
        *name = weir_format("%s.tmp%ld.%d", path, (long)getpid(), i);
        if (unnamed < 0) {
            file = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        } else if (give_name(unnamed, *name)) {
            file = unnamed;
        }
        if (file < 0 && errno != EEXIST) {
            break;
        }
    }
    return file;
}

/* The new content under a temporary name in the same folder. `exact`: the mode is an old file's, which the umask does
 * not concern. False with errno set; then there is no such file. */
static bool stage(const char *path, const void *data, size_t size, mode_t mode, bool exact, char **temporary) {
    *temporary = NULL;
    int file = open_unnamed(path, mode), named = -1;
    bool unnamed = file >= 0;
    if (!unnamed || write_all(file, data, size)) {
        named = name_temporary(path, file, mode, temporary);
    }
    if (unnamed && named < 0) {
        int saved = errno;
        close(file);
        errno = saved;
        if (*temporary && errno != ENOSPC && errno != EDQUOT) { /* no /proc, or no links */
            free(*temporary);
            unnamed = false;
            named = name_temporary(path, -1, mode, temporary);
        }
    }
    if (named >= 0 && exact && fchmod(named, mode) != 0) {
        errno = 0; /* a file system without modes */
    }
    bool fine = named >= 0 && write_and_close(named, data, unnamed ? 0 : size);
    int saved = errno;
    if (!fine && named >= 0) {
        unlink(*temporary);
    }
    if (!fine) {
        free(*temporary);
        *temporary = NULL;
    }
    errno = saved;
    return fine;
}

/* What a link points to in the end, also when that is absent; NULL for no link. Heap memory. */
static char *link_target(const char *path) {
    enum { LINKS = 40 };
    char *at = weir_copy_string(path);
    int followed = 0;
    struct stat state;
    while (followed < LINKS && lstat(at, &state) == 0 && S_ISLNK(state.st_mode)) {
        size_t capacity = (size_t)state.st_size + 2;
        char *to = weir_calloc(capacity + 1, 1);
        ssize_t length = readlink(at, to, capacity);
        char *folder = weir_path_folder(at), *next = weir_path_join(folder, to);
        free(folder);
        free(to);
        free(at);
        at = next;
        followed = length < 0 ? LINKS : followed + 1;
    }
    if (followed > 0) {
        return at;
    }
    free(at);
    return NULL;
}

/* A file being written: what is not a regular file has no temporary, nor has a new one without a name. */
typedef struct change {
    char *target, *temporary;
    char *same;  /* holds the content already, and may have a second name; NULL: none */
    bool made;   /* the target is the new file */
    int unnamed; /* -1: none */
    mode_t mode;
} change;

/* Where a file goes from the folder in which it is staged; NULL: it is in none. Heap memory. */
static char *place_of(const char *path) {
    static const char before[] = "/" WEIR_FILE_STAGING, after[] = "/" WEIR_FILE_STAGED "/";
    enum { RANDOM = 6 }; /* characters between them (scratch.h) */
    const size_t named = sizeof before - 1 + RANDOM;
    for (const char *at = strstr(path, before); at; at = strstr(at + 1, before)) {
        if (strlen(at) > named && strncmp(at + named, after, sizeof after - 1) == 0) {
            return weir_format("%.*s/%s", (int)(at - path), path, at + named + sizeof after - 1);
        }
    }
    return NULL;
}

/* Has the file of this state the content? */
static bool holds(const char *path, const struct stat *state, const void *data, size_t size) {
    if (!S_ISREG(state->st_mode) || (uintmax_t)state->st_size != size) {
        return false;
    }
    size_t found;
    char *old = weir_file_read_quietly(path, &found);
    bool same = old && found == size && (size == 0 || memcmp(old, data, size) == 0);
    free(old);
    return same;
}

/* Of what is not there and staged, so that nobody sees it before it is whole. False: it is not staged, or with errno
 * set, and as before. */
static bool begin_staged(const weir_file_content *content, change *c) {
    struct stat state;
    char *place = place_of(content->path);
    if (!place) {
        return false;
    }
    if (lstat(place, &state) == 0 && holds(place, &state, content->data, content->size)) {
        c->same = place;
        return true;
    }
    free(place);
    int file = open(content->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, c->mode);
    c->made = file >= 0 && write_and_close(file, content->data, content->size);
    if (file >= 0 && !c->made) {
        unlink(content->path);
    }
    return c->made;
}

/* Of what is not there, not even as a link. False with errno set: it must have a temporary name. */
static bool begin_new(const weir_file_content *content, change *c) {
    c->unnamed = open_unnamed(content->path, c->mode);
    if (c->unnamed >= 0 && !write_all(c->unnamed, content->data, content->size)) {
        close(c->unnamed);
        c->unnamed = -1;
    }
    return c->unnamed >= 0;
}

/* A mode of 0: the file's own, or that of a new file. `anew`: as if it were not staged. False with errno set. */
static bool begin_change(const weir_file_content *content, mode_t mode, bool anew, change *c) {
    enum { NEW_FILE = 0666 };
    struct stat state;
    *c = (change){.unnamed = -1, .mode = mode ? mode : NEW_FILE};
    if (lstat(content->path, &state) != 0 && errno == ENOENT &&
        ((!anew && begin_staged(content, c)) || begin_new(content, c))) {
        c->target = weir_copy_string(content->path);
        return true;
    }
    bool there = stat(content->path, &state) == 0, keep = there && !mode;
    c->target = link_target(content->path);
    if (!c->target) {
        c->target = weir_copy_string(content->path);
    }
    if (there && !S_ISREG(state.st_mode)) {
        errno = EISDIR;
        return !S_ISDIR(state.st_mode);
    }
    c->mode = keep ? state.st_mode & 0777 : c->mode;
    return stage(c->target, content->data, content->size, c->mode, keep, &c->temporary);
}

/* Where another process was faster, or the system has no /proc or no links, by a temporary name after all. */
static bool end_new(const weir_file_content *content, change *c) {
    bool named = c->same ? link(c->same, c->target) == 0 : give_name(c->unnamed, c->target);
    bool closed = c->same || close(c->unnamed) == 0;
    c->unnamed = -1;
    if (named && closed) {
        return true;
    }
    return stage(c->target, content->data, content->size, c->mode, false, &c->temporary) &&
           rename(c->temporary, c->target) == 0;
}

static bool end_change(const weir_file_content *content, change *c) {
    if (c->made) {
        return true;
    }
    if (c->unnamed >= 0 || c->same) {
        return end_new(content, c);
    }
    if (c->temporary) {
        return rename(c->temporary, c->target) == 0;
    }
    int file = open(content->path, O_WRONLY | O_CLOEXEC);
    return file >= 0 && write_and_close(file, content->data, content->size);
}

static void forget_change(change *c, bool done) {
    int saved = errno;
    if (c->unnamed >= 0) {
        close(c->unnamed);
    }
    if (c->temporary && !done) {
        unlink(c->temporary);
    }
    if (c->made && !done) {
        unlink(c->target);
    }
    free(c->temporary);
    free(c->target);
    free(c->same);
    errno = saved;
}

static bool write_files(const weir_file_content *files, size_t count, mode_t mode, bool anew) {
    assert(count > 0);
    change *changes = weir_calloc(count, sizeof *changes);
    size_t begun = 0, done = 0;
    bool fine = true;
    while (fine && begun < count) {
        fine = begin_change(&files[begun], mode, anew, &changes[begun]);
        begun++;
    }
    size_t wrong = begun - 1;
    while (fine && done < count) {
        wrong = done;
        fine = end_change(&files[done], &changes[done]);
        done += fine;
    }
    if (!fine) {
        report(files[wrong].path, "write");
    }
    for (size_t i = 0; i < begun; i++) {
        forget_change(&changes[i], i < done);
    }
    free(changes);
    return fine;
}

bool weir_files_write(const weir_file_content *files, size_t count) { return write_files(files, count, 0, false); }

bool weir_file_write(const char *path, const void *data, size_t size) {
    return weir_files_write(&(weir_file_content){path, data, size}, 1);
}

bool weir_file_write_anew(const char *path, const void *data, size_t size) {
    return write_files(&(weir_file_content){path, data, size}, 1, 0, true);
}

bool weir_file_is_writable(const char *path) {
    change c;
    const bool fine = begin_change(&(weir_file_content){path, "", 0}, 0, true, &c);
    if (!fine) {
        report(path, "write");
    }
    forget_change(&c, false);
    return fine;
}

bool weir_file_write_changed(const char *path, const void *data, size_t size) {
    struct stat state;
    return (stat(path, &state) == 0 && holds(path, &state, data, size)) || weir_file_write(path, data, size);
}

/* The copy has the permissions of the original, less the umask. */
bool weir_file_copy(const char *from, const char *to) {
    size_t size;
    mode_t mode;
    char *data = read_with_mode(from, &size, &mode);
    if (!data) {
        report(from, "read");
        return false;
    }
    bool fine = write_files(&(weir_file_content){to, data, size}, 1, mode | 0200, true);
    free(data);
    return fine;
}

bool weir_file_exists(const char *path) {
    struct stat state;
    return stat(path, &state) == 0;
}

static bool is_folder(const char *path) {
    struct stat state;
    return stat(path, &state) == 0 && S_ISDIR(state.st_mode);
}

/* mkdir that accepts a folder that is there already; sets errno. */
static bool make_one(const char *path) { return mkdir(path, 0777) == 0 || (errno == EEXIST && is_folder(path)); }

bool weir_make_folder(const char *path) {
    if (is_folder(path)) {
        return true;
    }
    char *part = weir_copy_string(path);
    bool fine = true;
    for (char *c = part; *c && fine; c++) {
        if (*c == '/' && c > part) {
            *c = 0;
            fine = make_one(part);
            *c = '/';
        }
    }
    fine = fine && make_one(part);
    if (!fine) {
        report(path, "make the folder");
    }
    free(part);
    return fine;
}

/* Removes what the folder holds, without following links; closes it. Sets errno. */
static bool empty_folder(int folder) {
    DIR *stream = fdopendir(folder);
    if (!stream) {
        close(folder);
        return false;
    }
    bool fine = true;
    struct dirent *entry;
    while (fine && (errno = 0, entry = readdir(stream)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        int inner = openat(folder, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (inner >= 0) {
            fine = empty_folder(inner) && unlinkat(folder, entry->d_name, AT_REMOVEDIR) == 0;
        } else {
            fine = unlinkat(folder, entry->d_name, 0) == 0;
        }
        fine = fine || errno == ENOENT; /* another process removes it too */
    }
    int saved = errno;
    closedir(stream);
    errno = saved;
    return fine && saved == 0;
}

bool weir_remove_tree(const char *path) {
    bool fine;
    if (path[0] == 0 || path[strspn(path, "/.")] == 0) {
        errno = EINVAL; /* "", "/", ".", "..", "../..": never meant */
        fine = false;
    } else {
        int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (folder >= 0) {
            fine = empty_folder(folder) && (rmdir(path) == 0 || errno == ENOENT);
        } else {
            fine = errno == ENOENT || unlink(path) == 0;
        }
    }
    if (!fine) {
        report(path, "remove");
    }
    return fine;
}

char *weir_path_missing(const char *path) {
    char *at = weir_copy_string(path), *missing = NULL;
    while (!weir_file_exists(at)) {
        char *up = weir_path_folder(at);
        free(missing);
        missing = at;
        at = up;
    }
    free(at);
    return missing;
}

void weir_remove_empty(const char *path, const char *top) {
    char *at = weir_copy_string(path);
    for (bool more = true; more && (rmdir(at) == 0 || errno == ENOENT);) { /* ENOENT: somebody else removes them too */
        more = strcmp(at, top) != 0;
        char *up = weir_path_folder(at);
        free(at);
        at = up;
    }
    free(at);
}

/* An absolute name stands for itself. */
char *weir_path_join(const char *folder, const char *name) {
    size_t length = strlen(folder);
    if (length == 0 || name[0] == '/') {
        return weir_copy_string(name);
    }
    const size_t size = strlen(name) + 1, slash = folder[length - 1] != '/';
    char *path = weir_malloc(length + slash + size);
    memcpy(path, folder, length);
    if (slash) {
        path[length] = '/';
    }
    memcpy(path + length + slash, name, size);
    return path;
}

const char *weir_path_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *weir_path_folder(const char *path) {
    size_t length = (size_t)(weir_path_name(path) - path);
    if (length == 0) {
        return weir_copy_string(".");
    }
    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    char *folder = weir_calloc(length + 1, 1);
    return memcpy(folder, path, length);
}

/* The path of the running program, or NULL. */
static char *program_path(void) {
    size_t capacity = 256;
    for (;;) {
        char *path = weir_malloc(capacity);
        ssize_t length = readlink("/proc/self/exe", path, capacity);
        if (length >= 0 && (size_t)length < capacity) {
            path[length] = 0;
            return path;
        }
        free(path);
        if (length < 0 || capacity > 65536) {
            return NULL;
        }
        capacity *= 2;
    }
}

static bool has_folder(const char *folder, const char *name) {
    char *path = weir_path_join(folder, name);
    bool found = is_folder(path);
    free(path);
    return found;
}

static bool is_data(const char *folder) { return has_folder(folder, "rtl") && has_folder(folder, "sim/bench"); }

/* What a build folder's weir-data says of where its sources are (CMakeLists.txt); NULL for another folder. */
static char *sources_of(const char *folder) {
    size_t size;
    char *path = weir_path_join(folder, "weir-data"), *sources = weir_file_read_quietly(path, &size);
    if (sources) {
        sources[strcspn(sources, "\n")] = 0;
    }
    free(path);
    return sources;
}

static void report_no_data(const char *moved) {
    if (moved) {
        weir_error(WEIR_NOWHERE, "cannot find the data folder: the sources of this build are no longer in '%s'", moved);
        weir_note("configure the build folder again, or set WEIR_DATA to the folder that holds 'rtl'");
        return;
    }
    weir_error(WEIR_NOWHERE,
               "cannot find the data folder: expected one with 'rtl' and 'sim/bench' above the program, a "
               "build folder's 'weir-data' there, or '../share/weir' beside it");
    weir_note("set WEIR_DATA to the folder that holds 'rtl'");
}

char *weir_data_folder(void) {
    const char *given = getenv("WEIR_DATA");
    if (given && given[0]) {
        return weir_copy_string(given);
    }
    char *at = program_path(), *found = NULL, *moved = NULL;
    for (bool beside = true; !found && at && at[0] == '/' && at[1]; beside = false) {
        char *folder = weir_path_folder(at), *sources = sources_of(folder);
        free(at);
        at = folder;
        if (beside && has_folder(at, "../share/weir/rtl")) {
            found = weir_path_join(at, "../share/weir");
        } else if (is_data(at)) {
            found = weir_copy_string(at);
        } else if (sources && is_data(sources)) {
            found = weir_copy_string(sources);
        } else if (sources && !moved) {
            moved = weir_copy_string(sources);
        }
        free(sources);
    }
    if (!found) {
        report_no_data(moved);
    }
    free(moved);
    free(at);
    return found;
}

char *weir_cache_path(void) {
    const char *given = getenv("WEIR_CACHE"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (given && given[0]) {
        return weir_copy_string(given);
    }
    if (cache && cache[0] == '/') { /* the XDG specification ignores relative ones */
        return weir_path_join(cache, "weir");
    }
    return home && home[0] ? weir_path_join(home, ".cache/weir") : NULL;
}

char *weir_cache_folder(void) {
    char *folder = weir_cache_path();
    if (!folder) {
        weir_error(WEIR_NOWHERE, "no cache folder: neither WEIR_CACHE nor XDG_CACHE_HOME nor HOME is set");
        return NULL;
    }
    if (!weir_make_folder(folder)) {
        free(folder);
        return NULL;
    }
    return folder;
}
