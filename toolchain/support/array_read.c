/* Reading an array from a file of any known kind, by the file's ending. */
#include <stdlib.h>
#include <string.h>

#include "support/arena.h"
#include "support/array.h"
#include "support/diag.h"
#include "support/suggest.h"

static bool ends_with(const char *text, const char *ending) {
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

static weir_array *read_from_archive(const char *path, const char *key) {
    weir_archive archive;
    if (!weir_npz_read(path, &archive)) {
        return NULL;
    }
    weir_array *result = NULL;
    for (size_t i = 0; i < archive.count && !result; i++) {
        if (!key || strcmp(archive.name[i], key) == 0) {
            result = archive.array[i];
            archive.array[i] = NULL;
        }
    }
    if (!result && !key) {
        weir_error(weir_at(path, 0), "expected at least one array, found an empty archive");
    } else if (!result) {
        weir_error(weir_at(path, 0), "no array '%s' among the archive's %zu", key, archive.count);
        const char *nearest = weir_suggest(key, (const char *const *)archive.name, archive.count);
        if (nearest || archive.count > 0) {
            weir_note(nearest ? "did you mean '%s'?" : "the first one is '%s'", nearest ? nearest : archive.name[0]);
        }
    }
    weir_archive_free(&archive);
    return result;
}

weir_array *weir_array_read(const char *path, const char *key) {
    if (ends_with(path, ".npy")) {
        return weir_npy_read(path);
    }
    if (ends_with(path, ".npz")) {
        return read_from_archive(path, key);
    }
    if (ends_with(path, ".csv") || ends_with(path, ".csv.gz")) {
        return weir_csv_read(path);
    }
    const char *colon = strrchr(path, ':');
    size_t length = colon ? (size_t)(colon - path) : 0;
    if (length > 4 && strncmp(colon - 4, ".npz", 4) == 0) {
        char *file = weir_format("%s", path);
        file[length] = 0;
        weir_array *array = read_from_archive(file, colon + 1);
        free(file);
        return array;
    }
    weir_error(weir_at(path, 0), "unknown kind of data file: expected a name that ends in .npy, .npz, .csv or .csv.gz");
    return NULL;
}
