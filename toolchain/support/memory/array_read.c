/* Reading an array from a file of any known kind, by the file's ending. */
#include <stdlib.h>
#include <string.h>

#include "support/file/npy.h"
#include "support/memory/arena.h"
#include "support/memory/array.h"
#include "support/text/diag.h"
#include "support/text/suggest.h"

static bool ends_with(const char *text, const char *ending) {
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

weir_array *weir_archive_take(weir_archive *archive, const char *path, const char *key) {
    for (size_t i = 0; i < archive->count; i++) {
        if (strcmp(archive->name[i], key) == 0) {
            weir_array *array = archive->array[i];
            archive->array[i] = NULL;
            return array;
        }
    }
    weir_error(weir_at(path, 0), "no array '%s' among the archive's %zu", key, archive->count);
    const char *nearest = weir_suggest(key, (const char *const *)archive->name, archive->count);
    if (nearest || archive->count > 0) {
        weir_note(nearest ? "did you mean '%s'?" : "the first one is '%s'", nearest ? nearest : archive->name[0]);
    }
    return NULL;
}

static weir_array *read_from_archive(const char *path, const char *key) {
    weir_archive archive;
    if (!weir_npz_read(path, &archive)) {
        return NULL;
    }
    weir_array *result = NULL;
    if (!key && archive.count == 0) {
        weir_error(weir_at(path, 0), "expected at least one array, found an empty archive");
    } else {
        result = weir_archive_take(&archive, path, key ? key : archive.name[0]);
    }
    weir_archive_free(&archive);
    return result;
}

char *weir_array_split_path(const char *path, char **key) {
    *key = NULL;
    if (ends_with(path, ".npz")) {
        return weir_copy_string(path);
    }
    const char *colon = strrchr(path, ':');
    if (!colon || colon - path <= 4 || strncmp(colon - 4, ".npz", 4) != 0) {
        return NULL;
    }
    *key = weir_copy_string(colon + 1);
    return weir_format("%.*s", (int)(colon - path), path);
}

weir_array *weir_array_read_text(const char *path, weir_text_reader *text) {
    if (ends_with(path, ".npy")) return weir_npy_read_text(path, text);
    return weir_array_read(path, NULL);
}

weir_array *weir_array_read(const char *path, const char *key) {
    if (ends_with(path, ".npy")) {
        return weir_npy_read(path);
    }
    if (ends_with(path, ".csv") || ends_with(path, ".csv.gz")) {
        return weir_csv_read(path);
    }
    char *named, *archive = weir_array_split_path(path, &named);
    if (archive) {
        weir_array *array = read_from_archive(archive, named ? named : key);
        free(archive);
        free(named);
        return array;
    }
    weir_error(weir_at(path, 0), "unknown kind of data file: expected a name that ends in .npy, .npz, .csv or .csv.gz");
    return NULL;
}
