/* Folders of files whose names Weir chooses. What Weir wrote is listed in the folder's manifest; nothing else is ever
 * replaced or removed. Files are made in a folder of their own and put in place all together or not at all, by one
 * process at a time; readers wait for it. */
#ifndef WEIR_FOLDER_H
#define WEIR_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct weir_folder weir_folder;

typedef enum weir_folder_kind {
    /* it holds Weir's files only, and those of an earlier run are removed; in waves/ others are left alone */
    WEIR_FOLDER_WHOLE,
    WEIR_FOLDER_SHARED /* files are added among those of others */
} weir_folder_kind;

/* Opens a folder for writing; it is made when it is absent. Another process that writes there is waited for, ten
 * seconds. In a scratch folder files are written straight. NULL after a reported error. */
weir_folder *weir_folder_open(const char *path, weir_folder_kind kind);
/* Where the files are to be written. */
const char *weir_folder_staging(const weir_folder *folder);
/* Puts them in place and frees the object. Files that have the content already stay untouched; those that were changed
 * since Weir wrote them are named in a warning. False after a reported error: nothing has changed. */
bool weir_folder_commit(weir_folder *folder);
/* Frees the object: as if it had not been opened. NULL is fine. */
void weir_folder_abandon(weir_folder *folder);

/* Writes one file into a shared folder at once. False after a reported error. */
bool weir_folder_write(const char *path, const char *name, const void *data, size_t size);

/* After a process that wrote here has been killed: what it left is gone, and so are the empty folders that it made,
 * which weir_path_missing named before (NULL: none). */
void weir_folder_clean(const char *path, const char *missing);

/* Calls `body`, which reads files of the folder, until no file was replaced while it ran. Its diagnostics are shown of
 * the last time. Returns what it returned, or WEIR_EXIT_INPUT after a reported error. */
int weir_folder_read(const char *path, int (*body)(void *user), void *user);

#endif
