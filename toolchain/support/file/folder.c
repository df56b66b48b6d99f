/* A folder while files are put in place:
 *   .weir-new-XXXXXX/files   being made (a scratch folder, so it is removed with its process)
 *   .weir-ready              complete: from the moment of its renaming, everything in it is moved to its place, file by
 *                            file, or with a folder that is new, the manifest last. A process that finds it, and not
 *                            its owner, completes the move.
 * The lock is on the folder itself, or on .weir-lock where a file system locks files only (NFS). Readers take no lock,
 * so they can read what they may not write: without .weir-ready before and after, and with the same manifest (inode and
 * time), they have read one state. */
#define _DEFAULT_SOURCE /* flock */
#include "support/file/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support/file/file.h"
#include "support/file/manifest.h"
#include "support/file/scratch.h"
#include "support/file/tree.h"
#include "support/memory/arena.h"
#include "support/process/process.h"
#include "support/process/seconds.h"
#include "support/text/diag.h"

#define READY ".weir-ready"
#define LOCK ".weir-lock"
#define WAVES "waves/"

enum { PATIENCE_SECONDS = 10, TICK_NANOSECONDS = 20000000, NO_LOCK = -1 };

struct weir_folder {
    char *path, *staging;
    char *made; /* the first of the folders that had to be made, NULL: none */
    weir_folder_kind kind;
    weir_scratch *scratch; /* NULL: files are written straight */
    int lock;
};

static char *in(const char *folder, const char *name) { return weir_path_join(folder, name); }

static bool starts_with(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

static void tick(void) { nanosleep(&(struct timespec){0, TICK_NANOSECONDS}, NULL); }

static bool has(const char *folder, const char *name) {
    char *path = in(folder, name);
    struct stat state;
    bool found = lstat(path, &state) == 0;
    free(path);
    return found;
}

static void remove_quietly(const char *path) {
    weir_diag_log *log = weir_diag_capture();
    weir_remove_tree(path);
    weir_diag_release(log);
    weir_diag_log_free(log);
}

/* --- the lock --- */

/* Tries the folder, then the file in it: 1 locked, 0 held by another process, -1 there are no locks here. */
static int try_lock(const char *path, int *lock) {
    for (int i = 0; i < 2; i++) {
        char *name = i ? in(path, LOCK) : weir_copy_string(path);
        *lock = i ? open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        free(name);
        if (*lock < 0 && errno == ENOENT) {
            *lock = NO_LOCK; /* its last writer has just removed the folder again */
            return 0;
        }
        if (*lock < 0) {
            continue;
        }
        if (flock(*lock, LOCK_EX | LOCK_NB) == 0) {
            return 1;
        }
        bool held = errno == EWOULDBLOCK || errno == EINTR;
        close(*lock);
        if (held) {
            *lock = NO_LOCK;
            return 0;
        }
    }
    *lock = NO_LOCK;
    return -1;
}

/* Processes that were forked meanwhile may have the file open too, so it is unlocked and not only closed. */
static void unlock(int lock) {
    if (lock != NO_LOCK) {
        flock(lock, LOCK_UN);
        close(lock);
    }
}

/* A folder that its last writer removed again is locked in vain. */
static bool is_there(const char *path, int lock) {
    struct stat locked, named;
    return lock == NO_LOCK || fstat(lock, &locked) != 0 || !S_ISDIR(locked.st_mode) ||
           (stat(path, &named) == 0 && named.st_ino == locked.st_ino && named.st_dev == locked.st_dev);
}

static void report_holder(const char *path) {
    char *owner = weir_scratch_owner(path, WEIR_FILE_STAGING);
    weir_error(weir_at(path, 0), "being written by %s", owner ? owner : "another process");
    weir_note("wait for it to end, or use another folder");
    free(owner);
}

/* Makes the folder and locks it. False after a reported error. */
static bool lock_folder(weir_folder *folder) {
    double deadline = weir_seconds() + PATIENCE_SECONDS;
    for (;;) {
        char *missing = weir_path_missing(folder->path);
        if (missing && !folder->made) {
            folder->made = missing;
        } else {
            free(missing);
        }
        if (!weir_make_folder(folder->path)) {
            return false;
        }
        int locked = try_lock(folder->path, &folder->lock);
        if (locked < 0) {
            weir_warning(weir_at(folder->path, 0),
                         "the file system has no locks: make sure that nothing else writes here");
            return true;
        }
        if (locked && is_there(folder->path, folder->lock)) {
            return true;
        }
        if (locked) {
            unlock(folder->lock);
        } else if (weir_seconds() >= deadline) {
            report_holder(folder->path);
            return false;
        } else {
            tick();
        }
    }
}

/* --- putting in place --- */

/* Removes the file and the folders that get empty by that. */
static bool remove_file(const char *folder, const char *path) {
    char *full = in(folder, path);
    bool fine = unlink(full) == 0 || errno == ENOENT || errno == ENOTDIR;
    if (!fine) {
        weir_error(weir_at(full, 0), "cannot remove: %s", strerror(errno));
    }
    size_t root = strlen(folder);
    for (char *slash; fine && (slash = strrchr(full, '/')) && (size_t)(slash - full) > root;) {
        *slash = 0;
        fine = rmdir(full) == 0 || errno == ENOTEMPTY || errno == EEXIST || errno == ENOENT || errno == EBUSY;
    }
    free(full);
    return fine;
}

typedef struct moving {
    const char *from, *to;
    char *top;     /* "rtl/": of the last file that was in one */
    bool is_moved; /* as it is, with all that is in it */
} moving;

/* Has it moved with its folder? One at the top that is not there yet does. */
static bool moves_with_folder(moving *m, const char *path) {
    const char *slash = strchr(path, '/');
    if (!slash || (m->top && starts_with(path, m->top))) {
        return slash && m->is_moved;
    }
    free(m->top);
    m->top = weir_format("%.*s/", (int)(slash - path), path);
    char *name = weir_format("%.*s", (int)(slash - path), path), *from = in(m->from, name), *to = in(m->to, name);
    m->is_moved = !has(m->to, name) && rename(from, to) == 0;
    free(to);
    free(from);
    free(name);
    return m->is_moved;
}

static bool move_file(void *user, const char *path) {
    moving *m = user;
    if (strcmp(path, WEIR_MANIFEST) == 0 || moves_with_folder(m, path)) {
        return true;
    }
    char *from = in(m->from, path), *to = in(m->to, path);
    bool fine = weir_tree_make_parent(m->to, path);
    if (fine && rename(from, to) != 0) {
        weir_error(weir_at(to, 0), "cannot be moved into place: %s", strerror(errno));
        fine = false;
    }
    free(to);
    free(from);
    return fine;
}

/* Ends what a renaming to .weir-ready began; may be done again after a failure. */
static bool put_in_place(const char *path) {
    char *ready = in(path, READY), *from = in(ready, WEIR_MANIFEST), *to = in(path, WEIR_MANIFEST);
    weir_manifest before, after;
    bool was_there, whole, fine = weir_manifest_read(path, &before, &was_there);
    fine = weir_manifest_read(ready, &after, &whole) && fine;
    for (size_t i = 0; fine && whole && i < before.count; i++) {
        if (!weir_manifest_find(&after, before.entry[i].path)) {
            fine = remove_file(path, before.entry[i].path);
        }
    }
    moving m = {ready, path, NULL, false};
    if (fine && whole) {
        fine = weir_tree_walk(ready, move_file, &m);
        if (fine && rename(from, to) != 0) {
            weir_error(weir_at(to, 0), "cannot be moved into place: %s", strerror(errno));
            fine = false;
        }
    }
    if (fine) {
        remove_quietly(ready);
    }
    free(m.top);
    weir_manifest_free(&before);
    weir_manifest_free(&after);
    free(to);
    free(from);
    free(ready);
    return fine;
}

/* --- what is not ours --- */

typedef struct ownership {
    const weir_folder *folder;
    const weir_manifest *manifest; /* of what is there */
    weir_manifest *fresh;          /* of what comes */
    char *parent;                  /* of the last file, a folder that can be written to; NULL: none yet */
} ownership;

static bool refuse(const char *folder, const char *path) {
    weir_error(weir_at(folder, 0), "holds '%s', which weir did not write", path);
    weir_note("use a new or empty folder, or move the file away");
    return false;
}

static bool is_ours(void *user, const char *path) {
    const ownership *c = user;
    if (strcmp(path, WEIR_MANIFEST) == 0 || strcmp(path, LOCK) == 0 || starts_with(path, WEIR_FILE_STAGING) ||
        starts_with(path, READY "/") || starts_with(path, WAVES)) {
        return true;
    }
    char *full = in(c->folder->path, path);
    struct stat state;
    bool there = lstat(full, &state) == 0;
    bool listed = there && S_ISREG(state.st_mode) && weir_manifest_find(c->manifest, path);
    free(full);
    return !there || listed || refuse(c->folder->path, path);
}

/* Reads the manifest and checks that a folder that is to be Weir's holds nothing else. */
static bool survey(const weir_folder *folder, weir_manifest *manifest) {
    bool found;
    ownership c = {folder, manifest, NULL, NULL};
    return weir_manifest_read(folder->path, manifest, &found) &&
           (folder->kind == WEIR_FOLDER_SHARED || weir_tree_walk(folder->path, is_ours, &c));
}

/* Can something be put below these folders? Those that are absent will be made. Files of one folder come one after the
 * other. */
static bool check_parents(ownership *c, const char *path) {
    const char *folder = c->folder->path;
    char *full = in(folder, path), *parent = weir_path_folder(full);
    if (c->parent && strcmp(c->parent, parent) == 0) {
        free(parent);
        free(full);
        return true;
    }
    free(c->parent);
    c->parent = parent;
    bool fine = true;
    for (char *slash = full + strlen(folder); fine && (slash = strchr(slash + 1, '/'));) {
        struct stat state;
        *slash = 0;
        if (stat(full, &state) == 0 && (!S_ISDIR(state.st_mode) || access(full, W_OK | X_OK) != 0)) {
            weir_error(weir_at(full, 0), "cannot write here: %s",
                       S_ISDIR(state.st_mode) ? strerror(errno) : "no folder");
            fine = false;
        }
        *slash = '/';
    }
    free(full);
    return fine;
}

static bool is_same(const weir_manifest_entry *entry, uint64_t size, weir_hash hash) {
    return entry->size == size && weir_hash_equal(entry->hash, hash);
}

/* Both names are of one file, where that was there with the content already (file.h). */
static bool is_one_file(const char *staged, const struct stat *there) {
    struct stat state;
    return lstat(staged, &state) == 0 && state.st_ino == there->st_ino && state.st_dev == there->st_dev;
}

/* May the new file be moved into place? One that is there already with the same content is left alone, and stays the
 * user's (*theirs) if it was. */
static bool may_replace(ownership *c, const weir_manifest_entry *entry, bool *theirs) {
    char *full = in(c->folder->path, entry->path), *staged = in(c->folder->staging, entry->path);
    const weir_manifest_entry *old = weir_manifest_find(c->manifest, entry->path);
    struct stat state;
    uint64_t size = 0;
    weir_hash hash = {0, 0};
    bool fine = check_parents(c, entry->path);
    if (fine && lstat(full, &state) == 0) {
        const bool one = is_one_file(staged, &state);
        bool readable = !one && S_ISREG(state.st_mode) && weir_manifest_hash_file(full, &size, &hash);
        if (one || (readable && is_same(entry, size, hash))) {
            fine = unlink(staged) == 0;
            *theirs = !old;
        } else if (!old || !S_ISREG(state.st_mode)) {
            fine = refuse(c->folder->path, entry->path);
        } else if (!readable || !is_same(old, size, hash)) {
            weir_warning(weir_at(full, 0), "was changed since weir wrote it; replacing it");
        }
    }
    free(staged);
    free(full);
    return fine;
}

static void name_removed(const ownership *c) {
    for (size_t i = 0; i < c->manifest->count; i++) {
        const weir_manifest_entry *old = &c->manifest->entry[i];
        uint64_t size;
        weir_hash hash;
        char *full = in(c->folder->path, old->path);
        if (!weir_manifest_find(c->fresh, old->path) && weir_manifest_hash_file(full, &size, &hash) &&
            !is_same(old, size, hash)) {
            weir_warning(weir_at(full, 0), "was changed since weir wrote it; removing it");
        }
        free(full);
    }
}

/* Makes the new manifest in the staging folder, from which files that are in place already go. */
static bool prepare(const weir_folder *folder) {
    weir_manifest before, after = {NULL, 0, 0};
    ownership c = {folder, &before, &after, NULL};
    bool fine = survey(folder, &before) && weir_manifest_add_tree(&after, folder->staging);
    for (size_t i = 0; fine && i < after.count;) {
        bool theirs = false;
        fine = may_replace(&c, &after.entry[i], &theirs);
        if (theirs) {
            weir_manifest_drop(&after, i);
        } else {
            i++;
        }
    }
    for (size_t i = 0; fine && folder->kind == WEIR_FOLDER_SHARED && i < before.count; i++) {
        if (!weir_manifest_find(&after, before.entry[i].path)) {
            weir_manifest_set(&after, before.entry[i].path, before.entry[i].size, before.entry[i].hash);
        }
    }
    if (fine) {
        name_removed(&c);
    }
    fine = fine && weir_manifest_write(folder->staging, &after);
    free(c.parent);
    weir_manifest_free(&before);
    weir_manifest_free(&after);
    return fine;
}

/* --- writing --- */

static void release(weir_folder *folder) {
    weir_scratch_free(folder->scratch);
    if (folder->made) {
        weir_remove_empty(folder->path, folder->made);
    }
    unlock(folder->lock);
    free(folder->path);
    free(folder->staging);
    free(folder->made);
    free(folder);
}

/* A path without slashes at its end, which would name the folder inside instead of itself. */
static char *trimmed(const char *path) {
    char *copy = weir_copy_string(path);
    for (size_t size = strlen(copy); size > 1 && copy[size - 1] == '/'; size--) {
        copy[size - 1] = 0;
    }
    return copy;
}

/* Locked, with what a dead writer began completed or removed. NULL after a reported error. */
static weir_folder *lock_and_finish(const char *path, weir_folder_kind kind) {
    weir_folder *folder = weir_calloc(1, sizeof *folder);
    folder->path = trimmed(path);
    folder->kind = kind;
    folder->lock = NO_LOCK;
    bool fine = lock_folder(folder) && (!has(folder->path, READY) || put_in_place(folder->path));
    if (fine) {
        return folder;
    }
    release(folder);
    return NULL;
}

weir_folder *weir_folder_open(const char *path, weir_folder_kind kind) {
    if (weir_scratch_contains(path)) {
        weir_folder *straight = weir_calloc(1, sizeof *straight);
        straight->path = trimmed(path);
        straight->staging = weir_copy_string(straight->path);
        straight->lock = NO_LOCK;
        if (weir_make_folder(path)) {
            return straight;
        }
        release(straight);
        return NULL;
    }
    weir_folder *folder = lock_and_finish(path, kind);
    weir_manifest manifest = {NULL, 0, 0};
    bool fine = folder && survey(folder, &manifest);
    weir_manifest_free(&manifest);
    if (fine) {
        folder->scratch = weir_scratch_new_in(folder->path, WEIR_FILE_STAGING, folder->made, folder->lock);
    }
    if (fine && folder->scratch) {
        folder->staging = in(weir_scratch_path(folder->scratch), WEIR_FILE_STAGED);
        if (weir_make_folder(folder->staging)) {
            return folder;
        }
    }
    weir_folder_abandon(folder);
    return NULL;
}

const char *weir_folder_staging(const weir_folder *folder) { return folder->staging; }

bool weir_folder_commit(weir_folder *folder) {
    bool fine = true;
    if (folder->scratch) {
        char *ready = in(folder->path, READY);
        fine = prepare(folder);
        if (fine && rename(folder->staging, ready) != 0) {
            weir_error(weir_at(ready, 0), "cannot be moved into place: %s", strerror(errno));
            fine = false;
        }
        fine = fine && put_in_place(folder->path);
        free(ready);
    }
    release(folder);
    return fine;
}

void weir_folder_abandon(weir_folder *folder) {
    if (folder) {
        release(folder);
    }
}

bool weir_folder_write(const char *path, const char *name, const void *data, size_t size) {
    weir_folder *folder = weir_folder_open(path, WEIR_FOLDER_SHARED);
    if (!folder) {
        return false;
    }
    char *staged = in(folder->staging, name);
    bool fine = weir_tree_make_parent(folder->staging, name) && weir_file_write(staged, data, size);
    free(staged);
    if (fine) {
        return weir_folder_commit(folder);
    }
    weir_folder_abandon(folder);
    return false;
}

/* A dead writer's janitor holds the lock until it is done. */
void weir_folder_clean(const char *path, const char *missing) {
    char *folder = trimmed(path);
    double deadline = weir_seconds() + PATIENCE_SECONDS;
    int lock = NO_LOCK;
    while (weir_file_exists(folder) && try_lock(folder, &lock) == 0 && !weir_scratch_lives(folder, WEIR_FILE_STAGING) &&
           weir_seconds() < deadline) {
        tick();
    }
    weir_scratch_sweep(folder, WEIR_FILE_STAGING);
    if (missing) {
        weir_remove_empty(folder, missing);
    }
    unlock(lock);
    free(folder);
}

/* --- reading --- */

/* Waits while another process moves files into place; finishes the move when that process is dead. False after a
 * reported error. */
static bool finish_cut_off(const char *path) {
    double deadline = weir_seconds() + PATIENCE_SECONDS;
    while (has(path, READY)) {
        int lock, locked = try_lock(path, &lock);
        bool fine = locked != 1 || !has(path, READY) || put_in_place(path);
        unlock(lock);
        if (!fine) {
            weir_note(
                "the run that wrote this folder was interrupted, and what it left cannot be moved into place from here");
            return false;
        }
        if (locked != 1 && weir_seconds() >= deadline) {
            report_holder(path);
            return false;
        }
        if (locked != 1) {
            tick();
        }
    }
    return true;
}

/* The state that a manifest stands for; zeros without one. */
static struct stat generation(const char *path) {
    char *manifest = in(path, WEIR_MANIFEST);
    struct stat state;
    if (stat(manifest, &state) != 0) {
        memset(&state, 0, sizeof state);
    }
    free(manifest);
    return state;
}

static bool is_one(const struct stat *a, const struct stat *b) {
    return a->st_ino == b->st_ino && a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

int weir_folder_read(const char *path, int (*body)(void *user), void *user) {
    double deadline = weir_seconds() + PATIENCE_SECONDS;
    for (;;) {
        if (!finish_cut_off(path)) {
            return WEIR_EXIT_INPUT;
        }
        const struct stat before = generation(path);
        weir_diag_log *log = weir_diag_capture();
        int status = body(user);
        weir_diag_release(log);
        const struct stat after = generation(path);
        bool steady = is_one(&before, &after) && !has(path, READY);
        if (steady) {
            weir_diag_replay(log);
        }
        weir_diag_log_free(log);
        if (steady) {
            return status;
        }
        if (weir_seconds() >= deadline) {
            weir_error(weir_at(path, 0), "other processes keep writing here");
            return WEIR_EXIT_INPUT;
        }
    }
}
