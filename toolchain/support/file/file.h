/* Files and folders: whole-file reads, atomic writes, paths. Failures are reported through diag.h. */
#ifndef WEIR_FILE_H
#define WEIR_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "support/memory/hash.h"

/* The content and its size; a zero byte follows it. Heap memory, free() it. NULL after a reported error. */
char *weir_file_read(const char *path, size_t *size);
/* The same without a report; errno says why. */
char *weir_file_read_quietly(const char *path, size_t *size);
/* Adds size and content; false after a reported error. */
bool weir_file_hash(const char *path, weir_hash *hash);
/* Written under a temporary name in its folder, then renamed: the old file stays whole until the new one is. A new file
 * in FOLDER/.weir-new-XXXXXX/files (folder.h) that FOLDER has already is a second name of that one: nothing writes into
 * it. */
bool weir_file_write(const char *path, const void *data, size_t size);
#define WEIR_FILE_STAGING ".weir-new-"
#define WEIR_FILE_STAGED "files"
/* The same, but always a file of its own. */
bool weir_file_write_anew(const char *path, const void *data, size_t size);
typedef struct weir_file_content {
    const char *path;
    const void *data;
    size_t size;
} weir_file_content;
/* The same for files that belong together: unless all can be written, none is touched. */
bool weir_files_write(const weir_file_content *files, size_t count);
/* Can the file be written? Leaves it untouched. False after a reported error. */
bool weir_file_is_writable(const char *path);
/* As weir_file_write, but leaves the file untouched when its content is already this. */
bool weir_file_write_changed(const char *path, const void *data, size_t size);
bool weir_file_copy(const char *from, const char *to);
bool weir_file_exists(const char *path);
/* Makes the folder and its parents; fine when it is there. */
bool weir_make_folder(const char *path);
/* Removes a folder tree; fine when it is absent. */
bool weir_remove_tree(const char *path);

/* Of a path and the folders above it the topmost that does not exist; NULL when it is there. Heap memory. */
char *weir_path_missing(const char *path);
/* Removes the folder and those above it up to `top`, as far as they are empty. */
void weir_remove_empty(const char *path, const char *top);

/* "a/b" from its parts; heap memory. */
char *weir_path_join(const char *folder, const char *name);
/* The folder part ("." when there is none) and the name part; heap memory. */
char *weir_path_folder(const char *path);
const char *weir_path_name(const char *path);
/* Folder of the running program's data (rtl/, sim/): $WEIR_DATA, else found beside the executable: share/weir of an
 * installation, the source tree around a build folder, or the one that the build folder's weir-data names. NULL after a
 * reported error. Heap memory. */
char *weir_data_folder(void);
/* $WEIR_CACHE, else $XDG_CACHE_HOME/weir, else ~/.cache/weir; made when absent. Heap memory. */
char *weir_cache_folder(void);
/* Its path, made or not; NULL: none of these is set. Heap memory. */
char *weir_cache_path(void);

#endif
