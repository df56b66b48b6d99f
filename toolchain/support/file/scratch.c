/* The file .alive is locked before it gets its name, so what has a name and no lock is abandoned. A folder without that
 * file is left alone. Locks are those of flock: they go with the process, and on NFS they hold between machines. */
#define _GNU_SOURCE /* closefrom, flock */
#include "support/file/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/process/process.h"
#include "support/text/diag.h"

static const char alive_name[] = ".alive";

struct weir_scratch {
    char *path;
    char *parent, *made; /* folders above that go too when they are empty; NULL: none */
    int alive;           /* the locked file, -1: the file system has no locks */
    pid_t janitor;       /* -1: none */
    int line;            /* to the janitor: a byte ends it, the end of the pipe means that this process has died */
    int lock;            /* that the janitor holds too; -1: none */
};

/* --- the janitor --- */
static _Noreturn void wait_and_remove(const weir_scratch *scratch, int line) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    setsid();
    if (scratch->lock >= 0) {
        dup2(scratch->lock, 1);
    }
    dup2(line, 0);
    closefrom(scratch->lock >= 0 ? 2 : 1);
    char byte;
    ssize_t got;
    do {
        got = read(0, &byte, 1);
    } while (got < 0 && errno == EINTR);
    if (got == 0) {
        weir_diag_log *log = weir_diag_capture(); /* nobody reads it */
        weir_remove_tree(scratch->path);
        weir_diag_release(log);
        if (scratch->made) {
            weir_remove_empty(scratch->parent, scratch->made);
        }
    }
    _exit(0);
}

static void start_janitor(weir_scratch *scratch) {
    int ends[2];
    scratch->janitor = scratch->line = -1;
    if (!weir_process_pipe(ends)) {
        return;
    }
    scratch->janitor = fork();
    if (scratch->janitor == 0) {
        wait_and_remove(scratch, ends[0]);
    }
    close(ends[0]);
    if (scratch->janitor < 0) {
        close(ends[1]);
    } else {
        scratch->line = ends[1];
    }
}

static void send_janitor_home(const weir_scratch *scratch) {
    if (scratch->janitor < 0) {
        return;
    }
    ssize_t sent;
    do {
        sent = write(scratch->line, "", 1);
    } while (sent < 0 && errno == EINTR);
    close(scratch->line);
    while (waitpid(scratch->janitor, NULL, 0) < 0 && errno == EINTR) {
    }
}

/* --- making and freeing --- */
static bool mark_alive(weir_scratch *scratch) {
    char *name = weir_path_join(scratch->path, alive_name), *fresh = weir_format("%s.new", name);
    char *owner = weir_process_describe();
    scratch->alive = open(fresh, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    bool fine = scratch->alive >= 0;
    if (fine && flock(scratch->alive, LOCK_EX | LOCK_NB) != 0) {
        close(scratch->alive);
        scratch->alive = -1;
        unlink(fresh);
    } else if (fine) {
        ssize_t size = (ssize_t)strlen(owner);
        fine = write(scratch->alive, owner, (size_t)size) == size && rename(fresh, name) == 0;
    }
    free(owner);
    free(fresh);
    free(name);
    return fine;
}

static char *parent_of(const char *parent) {
    const char *given = getenv("TMPDIR");
    return weir_copy_string(parent ? parent : given && given[0] ? given : "/tmp");
}

static void release(weir_scratch *scratch) {
    send_janitor_home(scratch);
    if (scratch->alive >= 0) {
        close(scratch->alive);
    }
    free(scratch->parent);
    free(scratch->made);
    free(scratch->path);
    free(scratch);
}

weir_scratch *weir_scratch_new(const char *parent, const char *prefix) {
    return weir_scratch_new_in(parent, prefix, NULL, -1);
}

weir_scratch *weir_scratch_new_in(const char *parent, const char *prefix, const char *made, int lock) {
    weir_scratch_sweep(parent, parent ? prefix : WEIR_SCRATCH_PREFIX);
    char *folder = parent_of(parent), *start = weir_path_join(folder, prefix);
    weir_scratch *scratch = weir_calloc(1, sizeof *scratch);
    scratch->path = weir_format("%sXXXXXX", start);
    scratch->parent = folder;
    scratch->made = made ? weir_copy_string(made) : NULL;
    scratch->alive = scratch->janitor = -1;
    scratch->lock = lock;
    free(start);
    if (!mkdtemp(scratch->path)) {
        weir_error(weir_at(scratch->path, 0), "cannot make a temporary folder: %s", strerror(errno));
        if (parent == NULL)
            weir_note("TMPDIR names the folder for temporary files: expected one that can be written to");
        release(scratch);
        return NULL;
    }
    start_janitor(scratch);
    if (!mark_alive(scratch)) {
        weir_error(weir_at(scratch->path, 0), "cannot write into the temporary folder: %s", strerror(errno));
        weir_scratch_free(scratch);
        return NULL;
    }
    return scratch;
}

const char *weir_scratch_path(const weir_scratch *scratch) { return scratch->path; }

void weir_scratch_free(weir_scratch *scratch) {
    if (scratch) {
        weir_remove_tree(scratch->path);
        release(scratch);
    }
}

void weir_scratch_keep(weir_scratch *scratch) {
    char *name = weir_path_join(scratch->path, alive_name);
    unlink(name);
    free(name);
    release(scratch);
}

/* --- what others left --- */

typedef enum condition { UNKNOWN, ALIVE, DEAD } condition;

/* Of the process of a scratch folder; not known: it is not ours by owner, or being made or removed. */
static condition condition_of(const char *path) {
    struct stat state;
    if (lstat(path, &state) != 0 || !S_ISDIR(state.st_mode) || state.st_uid != geteuid()) {
        return UNKNOWN;
    }
    char *name = weir_path_join(path, alive_name);
    int alive = open(name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    condition found = alive < 0 ? UNKNOWN : flock(alive, LOCK_EX | LOCK_NB) == 0 ? DEAD : ALIVE;
    if (alive >= 0) {
        close(alive);
    }
    free(name);
    return found;
}

/* The next entry of the folder with the prefix; heap memory. */
static char *next_named(DIR *entries, const char *folder, const char *prefix) {
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0) {
            return weir_path_join(folder, entry->d_name);
        }
    }
    return NULL;
}

void weir_scratch_sweep(const char *parent, const char *prefix) {
    char *folder = parent_of(parent);
    DIR *entries = opendir(folder);
    for (char *path; (path = next_named(entries, folder, prefix)); free(path)) {
        if (condition_of(path) == DEAD) {
            weir_diag_log *log = weir_diag_capture(); /* another process may be removing it too */
            weir_remove_tree(path);
            weir_diag_release(log);
            weir_diag_log_free(log);
        }
    }
    if (entries) {
        closedir(entries);
    }
    free(folder);
}

bool weir_scratch_lives(const char *parent, const char *prefix) {
    char *folder = parent_of(parent);
    DIR *entries = opendir(folder);
    bool lives = false;
    for (char *path; !lives && (path = next_named(entries, folder, prefix)); free(path)) {
        lives = condition_of(path) == ALIVE;
    }
    if (entries) {
        closedir(entries);
    }
    free(folder);
    return lives;
}

bool weir_scratch_contains(const char *path) {
    char *at = weir_copy_string(path);
    bool found = false;
    for (bool more = true; more && !found;) {
        char *name = weir_path_join(at, alive_name), *up = weir_path_folder(at);
        found = weir_file_exists(name);
        more = strcmp(up, at) != 0 && strcmp(up, ".") != 0;
        free(name);
        free(at);
        at = up;
    }
    free(at);
    return found;
}

char *weir_scratch_owner(const char *parent, const char *prefix) {
    DIR *entries = opendir(parent);
    char *owner = NULL;
    for (char *path; !owner && (path = next_named(entries, parent, prefix)); free(path)) {
        char *name = weir_path_join(path, alive_name);
        size_t size;
        owner = weir_file_read_quietly(name, &size);
        free(name);
    }
    if (entries) {
        closedir(entries);
    }
    return owner;
}
