/* Invariant: a folder whose name does not start with "new-" is complete. Unfinished ones of dead processes are removed
 * by the trim after an hour. */
#include "sim/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support/arena.h"
#include "support/diag.h"
#include "support/file.h"

enum { YOUNG_SECONDS = 600, UNFINISHED_SECONDS = 3600 };

static bool is_folder(const char *path) {
    struct stat state;
    return stat(path, &state) == 0 && S_ISDIR(state.st_mode);
}

static void touch(const char *path) { utimensat(AT_FDCWD, path, NULL, 0); }

/* Waits for the lock; -1 when the file system has none, which costs work but no correctness. */
static int lock(const char *cache, const char *name) {
    char *path = weir_format("%s/%s.lock", cache, name);
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    while (file >= 0 && fcntl(file, F_SETLKW, &whole) != 0) {
        if (errno == EINTR) continue;
        close(file);
        file = -1;
    }
    free(path);
    return file;
}

static bool make_entry(const char *cache, const char *path, weir_cache_make *make, void *user) {
    char *fresh = weir_format("%s/new-XXXXXX", cache);
    bool fine = false;
    if (!mkdtemp(fresh)) {
        weir_error(weir_at(cache, 0), "cannot make a folder in the cache: %s", strerror(errno));
    } else {
        fine = make(user, fresh);
        if (fine && rename(fresh, path) != 0 && !is_folder(path)) {
            weir_error(weir_at(path, 0), "cannot put a result into the cache: %s", strerror(errno));
            fine = false;
        }
        if (is_folder(fresh)) weir_remove_tree(fresh);
    }
    free(fresh);
    return fine;
}

char *weir_cache_entry(const char *cache, const char *name, bool serial, weir_cache_make *make, void *user,
                       bool *made) {
    char *path = weir_path_join(cache, name);
    bool fine = true;
    *made = false;
    if (!is_folder(path)) {
        int file = serial ? lock(cache, name) : -1;
        if (!is_folder(path)) {
            fine = make_entry(cache, path, make, user);
            *made = fine;
        }
        if (file >= 0) close(file);
    }
    if (fine) {
        touch(path);
        return path;
    }
    free(path);
    return NULL;
}

typedef struct entry {
    char *path;
    time_t used;
    uint64_t size;
} entry;

static uint64_t folder_size(const char *path) {
    uint64_t size = 0;
    DIR *folder = opendir(path);
    for (struct dirent *item; folder && (item = readdir(folder));) {
        char *name = weir_path_join(path, item->d_name);
        struct stat state;
        if (stat(name, &state) == 0 && S_ISREG(state.st_mode)) size += (uint64_t)state.st_size;
        free(name);
    }
    if (folder) closedir(folder);
    return size;
}

static int older(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->used != y->used) return x->used < y->used ? -1 : 1;
    return strcmp(x->path, y->path);
}

/* Takes an entry out of sight before removing it, so that nobody finds half of it. */
static void remove_entry(const char *cache, const char *path) {
    char *grave = weir_format("%s/new-XXXXXX", cache);
    if (mkdtemp(grave) && rename(path, grave) == 0) weir_remove_tree(grave);
    free(grave);
}

/* Reads the entries and removes unfinished leftovers. */
static entry *list(const char *cache, time_t now, size_t *count, uint64_t *total) {
    entry *entries = NULL;
    size_t capacity = 0;
    DIR *folder = opendir(cache);
    for (struct dirent *item; folder && (item = readdir(folder));) {
        struct stat state;
        if (item->d_name[0] == '.') continue;
        char *path = weir_path_join(cache, item->d_name);
        bool keep = stat(path, &state) == 0 && S_ISDIR(state.st_mode);
        if (keep && !strncmp(item->d_name, "new-", 4)) {
            if (now - state.st_mtime > UNFINISHED_SECONDS) weir_remove_tree(path);
            keep = false;
        }
        if (!keep) {
            free(path);
            continue;
        }
        entries = weir_grow(entries, &capacity, *count + 1, sizeof *entries);
        entries[*count] = (entry){path, state.st_mtime, folder_size(path)};
        *total += entries[(*count)++].size;
    }
    if (folder) closedir(folder);
    return entries;
}

void weir_cache_trim(const char *cache, uint64_t limit) {
    time_t now = time(NULL);
    size_t count = 0;
    uint64_t total = 0;
    entry *entries = list(cache, now, &count, &total);
    if (count) qsort(entries, count, sizeof *entries, older);
    for (size_t i = 0; i < count; i++) {
        if (total > limit && now - entries[i].used > YOUNG_SECONDS) {
            remove_entry(cache, entries[i].path);
            total -= entries[i].size;
        }
        free(entries[i].path);
    }
    free(entries);
}
