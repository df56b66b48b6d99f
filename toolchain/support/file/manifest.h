/* weir.manifest: which files of a folder Weir wrote, and what it wrote into them.
 *     weir manifest 1
 *     HASH SIZE PATH
 *     ...
 *     end
 * HASH: 32 hexadecimal digits (weir_manifest_hash); SIZE in bytes; PATH below the folder, with \n for a line end and
 * \\ for a backslash. Lines are in the byte order of paths. */
#ifndef WEIR_MANIFEST_H
#define WEIR_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/memory/hash.h"

#define WEIR_MANIFEST "weir.manifest"

typedef struct weir_manifest_entry {
    char *path;
    uint64_t size;
    weir_hash hash;
} weir_manifest_entry;

typedef struct weir_manifest {
    weir_manifest_entry *entry;
    size_t count, capacity;
} weir_manifest;

/* The manifest of a folder; *found: is there one? False after a reported error: it cannot be read, is cut
 * off, or names something outside the folder. Free it in any case. */
bool weir_manifest_read(const char *folder, weir_manifest *manifest, bool *found);
/* Replaces the folder's manifest. False after a reported error. */
bool weir_manifest_write(const char *folder, weir_manifest *manifest);
void weir_manifest_free(weir_manifest *manifest);

/* NULL when absent. */
const weir_manifest_entry *weir_manifest_find(const weir_manifest *manifest, const char *path);
/* Adds or replaces an entry; the path is copied. */
void weir_manifest_set(weir_manifest *manifest, const char *path, uint64_t size, weir_hash hash);
/* Removes the entry at an index; the last one takes its place. */
void weir_manifest_drop(weir_manifest *manifest, size_t index);
/* Adds every file below the folder. False after a reported error: one cannot be read or is not a regular file. */
bool weir_manifest_add_tree(weir_manifest *manifest, const char *folder);

/* Of a file's content: its 64-bit words (little-endian), the bytes after them, its size. */
weir_hash weir_manifest_hash(const void *data, size_t size);
/* Of the file itself; false when it cannot be read. */
bool weir_manifest_hash_file(const char *path, uint64_t *size, weir_hash *hash);

#endif
