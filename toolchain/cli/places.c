#include "cli/places.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "support/text/text.h"

/* Less is a full disk: a small design's program for Icarus takes half of it. */
enum { LEAST_FREE = 4 << 20 };

static bool is_command(const char *command) {
    static const char *const names[] = {"sim", "check", "synth", "board",  "bringup",
                                        "run", "rtl",   "opt",   "bisect", "regress"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], command) == 0) return true;
    return false;
}

/* Why nothing can be written there, NULL: something can. A folder that is not there can be made where the next one
 * above is writable. */
static const char *trouble_of(const char *path) {
    char *at = weir_copy_string(path);
    struct stat state;
    struct statvfs disk;
    while (stat(at, &state) != 0 && strcmp(at, "/") != 0 && strcmp(at, ".") != 0) {
        char *above = weir_path_folder(at);
        free(at);
        at = above;
    }
    const char *trouble = NULL;
    if (stat(at, &state) != 0 || !S_ISDIR(state.st_mode)) trouble = "is not a folder";
    else if (access(at, W_OK | X_OK) != 0) trouble = "cannot be written to";
    else if (statvfs(at, &disk) == 0 && (uint64_t)disk.f_bavail * disk.f_frsize < LEAST_FREE) trouble = "is full";
    free(at);
    return trouble;
}

static void prepare_temporary(void) {
    static const char *const others[] = {"/tmp", "/var/tmp", "/dev/shm"};
    const char *given = getenv("TMPDIR"), *named = given != NULL && given[0] != '\0' ? given : others[0];
    struct stat state;
    const char *trouble = stat(named, &state) == 0 ? trouble_of(named) : "is not a folder";
    for (size_t i = 0; trouble != NULL && i < sizeof others / sizeof *others; i++) {
        if (stat(others[i], &state) != 0 || trouble_of(others[i]) != NULL) continue;
        weir_note("temporary files are in '%s': '%s' %s", others[i], named, trouble);
        setenv("TMPDIR", others[i], 1);
        return;
    }
}

weir_scratch *weir_cli_places_prepare(const char *command) {
    if (!is_command(command)) return NULL;
    prepare_temporary();
    char *cache = weir_cache_path(), *inner = cache == NULL ? NULL : weir_path_join(cache, "sim");
    const char *trouble =
        inner == NULL ? "has no folder: neither WEIR_CACHE nor XDG_CACHE_HOME nor HOME is set" : trouble_of(inner);
    weir_scratch *own = trouble == NULL ? NULL : weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "cache-");
    if (own != NULL) {
        const bool is_shown =
            strcmp(command, "opt") != 0 && strcmp(command, "rtl") != 0 && strcmp(command, "bisect") != 0;
        if (is_shown && cache == NULL) weir_note("nothing is kept for the next run: the cache %s", trouble);
        else if (is_shown) weir_note("nothing is kept for the next run: the cache '%s' %s", cache, trouble);
        setenv("WEIR_CACHE", weir_scratch_path(own), 1);
    }
    free(inner);
    free(cache);
    return own;
}
