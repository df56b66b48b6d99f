#include "support/file/named.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "support/text/suggest.h"

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static char *folder_of(const weir_named *kind) {
    char *data = weir_data_folder(), *folder = data == NULL ? NULL : weir_path_join(data, kind->folder);
    free(data);
    return folder;
}

/* The name of an entry of the folder; NULL: it is none of these files. Heap memory. */
static char *name_of(const weir_named *kind, const char *folder, const char *entry) {
    const size_t size = strlen(entry), ending = strlen(kind->ending);
    if (*entry == '.') return NULL;
    if (*kind->ending == '/') {
        char *path = weir_format("%s/%s%s", folder, entry, kind->ending);
        const bool found = weir_file_exists(path);
        free(path);
        return found ? weir_copy_string(entry) : NULL;
    }
    if (size <= ending || strcmp(entry + size - ending, kind->ending) != 0) return NULL;
    return weir_format("%.*s", (int)(size - ending), entry);
}

char **weir_named_names(const weir_named *kind, size_t *count) {
    char *path = folder_of(kind);
    DIR *folder = path == NULL ? NULL : opendir(path);
    if (path != NULL && folder == NULL) weir_error(weir_at(path, 0), "cannot read the folder of %ss", kind->what);
    char **found = NULL;
    size_t bytes = 0, capacity = 0;
    *count = 0;
    for (const struct dirent *e = folder == NULL ? NULL : readdir(folder); e != NULL; e = readdir(folder)) {
        char *name = name_of(kind, path, e->d_name);
        if (name == NULL) continue;
        found = weir_grow(found, &capacity, *count + 1, sizeof *found);
        found[(*count)++] = name;
        bytes += strlen(name) + 1;
    }
    if (folder != NULL) closedir(folder);
    free(path);
    if (folder == NULL) return NULL;
    if (*count > 0) qsort(found, *count, sizeof *found, by_name);
    char **names = weir_malloc(*count * sizeof *names + bytes + 1), *at = (char *)(names + *count);
    for (size_t i = 0; i < *count; i++) {
        names[i] = strcpy(at, found[i]);
        at += strlen(at) + 1;
        free(found[i]);
    }
    free(found);
    return names;
}

static char *own_path(const weir_named *kind, const char *path) {
    if (*kind->ending != '/') return weir_copy_string(path);
    char *inside = weir_format("%s%s", path, kind->ending);
    if (weir_file_exists(inside)) return inside;
    free(inside);
    return weir_copy_string(path);
}

bool weir_named_is_path(const char *name) {
    const size_t size = strlen(name);
    return strchr(name, '/') != NULL || (size > 5 && strcmp(name + size - 5, ".yaml") == 0);
}

char *weir_named_path(const weir_named *kind, weir_location asker, const char *name) {
    if (weir_named_is_path(name)) return own_path(kind, name);
    size_t count;
    char **names = weir_named_names(kind, &count), *path = NULL;
    if (names == NULL) return NULL;
    if (count > 0 && bsearch(&name, names, count, sizeof *names, by_name) != NULL) {
        char *folder = folder_of(kind);
        path = weir_format("%s/%s%s", folder, name, kind->ending);
        free(folder);
    } else {
        const char *near = weir_suggest(name, (const char *const *)names, count);
        weir_error(asker, "unknown %s '%s'", kind->what, name);
        if (near != NULL) weir_note("did you mean '%s'?", near);
        else weir_note("'weir %s' lists the known ones; the path of your own works, too", kind->command);
    }
    free(names);
    return path;
}
