/* Invariant: an entry is complete when it holds a manifest, which is written last, and what the manifest lists. It is
 * made in a scratch folder new-XXXXXX, which goes with its process, and renamed. Whoever uses an entry holds a shared
 * lock on it, so that it is not removed meanwhile. */
#define _DEFAULT_SOURCE /* flock */
#include "sim/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/file/file.h"
#include "support/file/manifest.h"
#include "support/file/scratch.h"
#include "support/file/tree.h"
#include "support/memory/arena.h"
#include "support/process/process.h"
#include "support/text/diag.h"

#define UNFINISHED "new-"
#define LOCK ".lock"

enum { YOUNG_SECONDS = 600, HASHED_BYTES = 8 << 20, HASH_DIGITS = 32, WAIT_NANOSECONDS = 5000000 };

static bool is_folder(const char *path) {
    struct stat state;
    return stat(path, &state) == 0 && S_ISDIR(state.st_mode);
}

static void touch(const char *path) { utimensat(AT_FDCWD, path, NULL, 0); }

/* --- complete or not --- */

static bool is_same(const char *path, const weir_manifest_entry *entry, bool thorough) {
    struct stat state;
    uint64_t size;
    weir_hash hash;
    if (lstat(path, &state) != 0 || !S_ISREG(state.st_mode) || (uint64_t)state.st_size != entry->size) return false;
    if (!thorough && entry->size > HASHED_BYTES) return true;
    return weir_manifest_hash_file(path, &size, &hash) && weir_hash_equal(hash, entry->hash);
}

/* Ends a walk at the first file. */
static bool stop(void *user, const char *path) {
    (void)user;
    (void)path;
    return false;
}

/* Of files above 8 MiB only the size is compared, unless `thorough`. */
static weir_cache_state state_of(const char *path, bool thorough) {
    weir_manifest manifest;
    bool found;
    weir_diag_log *log = weir_diag_capture();
    bool fine = weir_manifest_read(path, &manifest, &found) && found && manifest.count > 0;
    weir_diag_release(log);
    weir_diag_log_free(log);
    const bool is_earlier = !found && !weir_tree_walk(path, stop, NULL);
    for (size_t i = 0; fine && i < manifest.count; i++) {
        char *file = weir_path_join(path, manifest.entry[i].path);
        fine = is_same(file, &manifest.entry[i], thorough);
        free(file);
    }
    weir_manifest_free(&manifest);
    return fine ? WEIR_CACHE_COMPLETE : is_earlier ? WEIR_CACHE_EARLIER : WEIR_CACHE_DAMAGED;
}

static bool is_complete(const char *path) { return state_of(path, false) == WEIR_CACHE_COMPLETE; }

/* --- locks --- */

/* Waits for the lock; -1 when the file system has none, which costs work but no correctness, and after a signal that
 * ends the process when all of its threads have noticed it. */
static int lock(const char *cache, const char *name) {
    char *path = weir_format("%s/%s" LOCK, cache, name);
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    while (file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK && !weir_process_interrupted()) {
            nanosleep(&(struct timespec){0, WAIT_NANOSECONDS}, NULL);
        } else if (errno != EINTR) {
            close(file);
            file = -1;
        }
    }
    free(path);
    return file;
}

/* A lock that says that the entry is in use, -1: there are none here. */
static int hold(const char *path) {
    int file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file >= 0 && flock(file, LOCK_SH | LOCK_NB) != 0) {
        close(file);
        file = -1;
    }
    return file;
}

static void unlock(int file) {
    if (file < 0) return;
    flock(file, LOCK_UN);
    close(file);
}

static bool is_in_use(const char *path) {
    int file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool used = file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    unlock(file);
    return used;
}

/* --- making --- */

/* Takes an entry out of sight before removing it, so that no process finds half of it. */
static bool remove_entry(const char *cache, const char *path) {
    weir_scratch *grave = weir_scratch_new(cache, UNFINISHED);
    if (grave == NULL) return false;
    char *trash = weir_path_join(weir_scratch_path(grave), "entry");
    bool fine = rename(path, trash) == 0 || errno == ENOENT;
    if (!fine) weir_error(weir_at(path, 0), "cannot remove: %s", strerror(errno));
    weir_scratch_free(grave);
    free(trash);
    return fine;
}

static bool write_manifest(const char *folder) {
    weir_manifest manifest = {NULL, 0, 0};
    bool fine = weir_manifest_add_tree(&manifest, folder) && weir_manifest_write(folder, &manifest);
    weir_manifest_free(&manifest);
    return fine;
}

static bool make_entry(const char *cache, const char *path, weir_cache_make *make, void *user) {
    weir_scratch *scratch = weir_scratch_new(cache, UNFINISHED);
    if (scratch == NULL) return false;
    char *fresh = weir_path_join(weir_scratch_path(scratch), "entry");
    bool fine = weir_make_folder(fresh) && make(user, fresh) && write_manifest(fresh);
    if (fine && rename(fresh, path) != 0 && !is_complete(path)) {
        weir_error(weir_at(path, 0), "cannot store a result in the cache: %s", strerror(errno));
        fine = false;
    }
    weir_scratch_free(scratch);
    free(fresh);
    return fine;
}

/* The entry's lock when it is there and complete. One that is not is removed. */
static bool find_entry(const char *cache, const char *path, int *held) {
    *held = -1;
    if (!is_folder(path)) return false;
    *held = hold(path);
    if (is_complete(path)) return true;
    unlock(*held);
    *held = -1;
    if (is_folder(path)) {
        const bool is_earlier = state_of(path, false) == WEIR_CACHE_EARLIER;
        weir_warning(weir_at(path, 0), "cache entry is %s; rebuilding it",
                     is_earlier ? "of an earlier version" : "damaged");
        remove_entry(cache, path);
    }
    return false;
}

char *weir_cache_entry(const char *cache, const char *name, bool serial, weir_cache_make *make, void *user, int *held,
                       bool *made) {
    char *path = weir_path_join(cache, name);
    bool fine = find_entry(cache, path, held);
    *made = false;
    if (!fine && make) {
        int file = serial ? lock(cache, name) : -1;
        fine = serial && find_entry(cache, path, held);
        if (!fine) {
            fine = make_entry(cache, path, make, user);
            *made = fine;
            if (fine) *held = hold(path);
        }
        unlock(file);
    }
    if (fine) {
        touch(path);
        return path;
    }
    free(path);
    return NULL;
}

void weir_cache_release(int held) { unlock(held); }

/* --- all entries --- */

typedef struct measuring {
    const char *folder;
    uint64_t size;
} measuring;

static bool add_size(void *user, const char *path) {
    measuring *m = user;
    char *name = weir_path_join(m->folder, path);
    struct stat state;
    if (lstat(name, &state) == 0 && S_ISREG(state.st_mode)) m->size += (uint64_t)state.st_size;
    free(name);
    return true;
}

static int older(const void *a, const void *b) {
    const weir_cache_item *x = a, *y = b;
    if (x->used != y->used) return x->used < y->used ? -1 : 1;
    return strcmp(x->path, y->path);
}

/* SIMULATOR-KIND-HASH: nothing else in the folder is ours. */
static bool is_entry_name(const char *name) {
    const char *dash = strrchr(name, '-');
    return dash != NULL && strspn(dash + 1, "0123456789abcdef") == HASH_DIGITS && dash[1 + HASH_DIGITS] == '\0';
}

static void add_item(weir_cache_list *list, char *path) {
    struct stat state;
    measuring m = {path, 0};
    if (stat(path, &state) != 0 || !S_ISDIR(state.st_mode)) {
        free(path);
        return;
    }
    weir_tree_walk(path, add_size, &m);
    list->item = weir_grow(list->item, &list->capacity, list->count + 1, sizeof *list->item);
    list->item[list->count++] =
        (weir_cache_item){path, weir_path_name(path), state.st_mtime, m.size, WEIR_CACHE_COMPLETE, false};
    list->size += m.size;
}

weir_cache_list weir_cache_read(const char *cache) {
    weir_cache_list list = {NULL, 0, 0, 0};
    weir_scratch_sweep(cache, UNFINISHED);
    DIR *folder = opendir(cache);
    for (struct dirent *item; folder && (item = readdir(folder));) {
        if (is_entry_name(item->d_name)) add_item(&list, weir_path_join(cache, item->d_name));
    }
    if (folder) closedir(folder);
    if (list.count) qsort(list.item, list.count, sizeof *list.item, older);
    return list;
}

void weir_cache_inspect(weir_cache_list *list, bool thorough) {
    for (size_t i = 0; i < list->count; i++) {
        weir_cache_item *item = &list->item[i];
        item->in_use = is_in_use(item->path);
        item->state = state_of(item->path, thorough);
    }
}

void weir_cache_list_free(weir_cache_list *list) {
    for (size_t i = 0; i < list->count; i++) free(list->item[i].path);
    free(list->item);
    *list = (weir_cache_list){NULL, 0, 0, 0};
}

bool weir_cache_remove(const char *cache, const weir_cache_item *item) {
    char *name = weir_format("%s" LOCK, item->path);
    bool fine = remove_entry(cache, item->path);
    unlink(name);
    free(name);
    return fine;
}

void weir_cache_trim(const char *cache, uint64_t limit) {
    time_t now = time(NULL);
    weir_cache_list list = weir_cache_read(cache);
    for (size_t i = 0; i < list.count && list.size > limit; i++) {
        if (now - list.item[i].used <= YOUNG_SECONDS || is_in_use(list.item[i].path)) continue;
        if (weir_cache_remove(cache, &list.item[i])) list.size -= list.item[i].size;
    }
    weir_cache_list_free(&list);
}
