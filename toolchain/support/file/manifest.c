#include "support/file/manifest.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/file/file.h"
#include "support/file/tree.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "support/text/text.h"

static const char head[] = "weir manifest 1\n", tail[] = "end\n";
enum { HASH_DIGITS = 32 };

/* --- hashes --- */
static uint64_t word_at(const unsigned char *bytes) {
    uint64_t word = 0;
    for (int i = 7; i >= 0; i--) {
        word = word << 8 | bytes[i];
    }
    return word;
}

weir_hash weir_manifest_hash(const void *data, size_t size) {
    weir_hash hash = weir_hash_start();
    const unsigned char *bytes = data;
    size_t at = 0;
    for (; at + 8 <= size; at += 8) {
        weir_hash_add_number(&hash, word_at(bytes + at));
    }
    weir_hash_add(&hash, bytes + at, size - at);
    weir_hash_add_number(&hash, size);
    return hash;
}

bool weir_manifest_hash_file(const char *path, uint64_t *size, weir_hash *hash) {
    size_t bytes;
    char *data = weir_file_read_quietly(path, &bytes);
    if (!data) {
        return false;
    }
    *size = bytes;
    *hash = weir_manifest_hash(data, bytes);
    free(data);
    return true;
}

/* --- entries --- */
static weir_manifest_entry *find(const weir_manifest *manifest, const char *path) {
    for (size_t i = 0; i < manifest->count; i++) {
        if (strcmp(manifest->entry[i].path, path) == 0) {
            return &manifest->entry[i];
        }
    }
    return NULL;
}

const weir_manifest_entry *weir_manifest_find(const weir_manifest *manifest, const char *path) {
    return find(manifest, path);
}

void weir_manifest_set(weir_manifest *manifest, const char *path, uint64_t size, weir_hash hash) {
    weir_manifest_entry *entry = find(manifest, path);
    if (!entry) {
        manifest->entry = weir_grow(manifest->entry, &manifest->capacity, manifest->count + 1, sizeof *manifest->entry);
        entry = &manifest->entry[manifest->count++];
        entry->path = weir_copy_string(path);
    }
    entry->size = size;
    entry->hash = hash;
}

void weir_manifest_drop(weir_manifest *manifest, size_t index) {
    assert(index < manifest->count);
    free(manifest->entry[index].path);
    manifest->entry[index] = manifest->entry[--manifest->count];
}

void weir_manifest_free(weir_manifest *manifest) {
    for (size_t i = 0; i < manifest->count; i++) {
        free(manifest->entry[i].path);
    }
    free(manifest->entry);
    *manifest = (weir_manifest){NULL, 0, 0};
}

typedef struct adding {
    weir_manifest *manifest;
    const char *folder;
} adding;

static bool add_file(void *user, const char *path) {
    const adding *a = user;
    char *full = weir_path_join(a->folder, path);
    struct stat state;
    uint64_t size = 0;
    weir_hash hash = {0, 0};
    bool fine = lstat(full, &state) == 0 && S_ISREG(state.st_mode) && weir_manifest_hash_file(full, &size, &hash);
    if (fine) {
        weir_manifest_set(a->manifest, path, size, hash);
    } else {
        weir_error(weir_at(full, 0), "cannot be read, or is not a regular file");
    }
    free(full);
    return fine;
}

bool weir_manifest_add_tree(weir_manifest *manifest, const char *folder) {
    adding a = {manifest, folder};
    return weir_tree_walk(folder, add_file, &a);
}

/* --- text --- */
static void print_path(const char *path, weir_text *text) {
    for (; *path; path++) {
        if (*path == '\n' || *path == '\\') {
            weir_text_add(text, *path == '\n' ? "\\n" : "\\\\");
        } else {
            weir_text_char(text, *path);
        }
    }
}

static int compare(const void *a, const void *b) {
    return strcmp(((const weir_manifest_entry *)a)->path, ((const weir_manifest_entry *)b)->path);
}

bool weir_manifest_write(const char *folder, weir_manifest *manifest) {
    weir_text text = {NULL, 0, 0};
    weir_text_add(&text, head);
    if (manifest->count) {
        qsort(manifest->entry, manifest->count, sizeof *manifest->entry, compare);
    }
    for (size_t i = 0; i < manifest->count; i++) {
        char digits[HASH_DIGITS + 1];
        weir_hash_print(&manifest->entry[i].hash, digits);
        weir_text_format(&text, "%s %" PRIu64 " ", digits, manifest->entry[i].size);
        print_path(manifest->entry[i].path, &text);
        weir_text_char(&text, '\n');
    }
    weir_text_add(&text, tail);
    char *path = weir_path_join(folder, WEIR_MANIFEST);
    bool fine =
        weir_file_write_anew(path, text.data, text.size); /* a new one tells readers that something was put in place */
    free(path);
    weir_text_free(&text);
    return fine;
}

static bool parse_hash(const char *text, weir_hash *hash) {
    static const char digits[] = "0123456789abcdef";
    *hash = (weir_hash){0, 0};
    for (int i = 0; i < HASH_DIGITS; i++) {
        const char *digit = text[i] ? strchr(digits, text[i]) : NULL;
        if (!digit) {
            return false;
        }
        hash->high = hash->high << 4 | hash->low >> 60;
        hash->low = hash->low << 4 | (uint64_t)(digit - digits);
    }
    return true;
}

/* In place. */
static void unescape(char *path) {
    char *to = path;
    for (const char *from = path; *from; from++) {
        bool escaped = *from == '\\' && (from[1] == 'n' || from[1] == '\\');
        from += escaped;
        *to++ = escaped && *from == 'n' ? '\n' : *from;
    }
    *to = 0;
}

/* What is removed and replaced by these names must be in the folder. */
static bool is_inside(const char *path) {
    for (const char *part = path; *part;) {
        size_t length = strcspn(part, "/");
        if (length == 0 || (length == 1 && part[0] == '.') || (length == 2 && part[0] == '.' && part[1] == '.')) {
            return false;
        }
        part += length;
        part += *part == '/' && part[1];
        if (*part == '/') {
            return false;
        }
    }
    return *path != 0;
}

static bool parse_line(char *line, weir_manifest *manifest) {
    weir_hash hash;
    char *end;
    if (!parse_hash(line, &hash) || line[HASH_DIGITS] != ' ' || line[HASH_DIGITS + 1] < '0' ||
        line[HASH_DIGITS + 1] > '9') {
        return false;
    }
    uint64_t size = strtoull(line + HASH_DIGITS + 1, &end, 10);
    if (*end != ' ') {
        return false;
    }
    unescape(end + 1);
    if (!is_inside(end + 1)) {
        return false;
    }
    manifest->entry = weir_grow(manifest->entry, &manifest->capacity, manifest->count + 1, sizeof *manifest->entry);
    manifest->entry[manifest->count++] = (weir_manifest_entry){weir_copy_string(end + 1), size, hash};
    return true;
}

/* The number of the line that is wrong, 0: none. */
static int parse(char *text, size_t size, weir_manifest *manifest) {
    size_t start = sizeof head - 1, last = sizeof tail - 1;
    if (strlen(text) != size || strncmp(text, head, start) != 0) {
        return 1;
    }
    int line = 2;
    for (char *at = text + start;; line++) {
        char *end = strchr(at, '\n');
        if (strcmp(at, tail) == 0) {
            return 0;
        }
        if (!end || (size_t)(text + size - at) <= last) {
            return line;
        }
        *end = 0;
        if (!parse_line(at, manifest)) {
            return line;
        }
        at = end + 1;
    }
}

bool weir_manifest_read(const char *folder, weir_manifest *manifest, bool *found) {
    *manifest = (weir_manifest){NULL, 0, 0};
    char *path = weir_path_join(folder, WEIR_MANIFEST);
    size_t size = 0;
    *found = weir_file_exists(path);
    char *text = *found ? weir_file_read(path, &size) : NULL;
    int wrong = text ? parse(text, size, manifest) : 0;
    if (wrong) {
        weir_error(weir_at(path, wrong), "expected a line of a manifest: HASH SIZE PATH, the last one 'end'");
        weir_note("the file lists what weir wrote here; remove the folder to start afresh");
    }
    bool fine = !wrong && (text || !*found);
    free(text);
    free(path);
    return fine;
}
