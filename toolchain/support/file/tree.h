/* Folder trees: walking and copying. */
#ifndef WEIR_TREE_H
#define WEIR_TREE_H

#include <stdbool.h>

#include "support/memory/hash.h"

/* What a walk meets: the path below the root, "rtl/top.v". False ends the walk. */
typedef bool weir_tree_visit(void *user, const char *path);

/* Visits everything below the folder that is not a folder itself, links unfollowed, in the byte order of names, a
 * folder's content at the place of the folder; what was removed during the visit may be visited still. False when a
 * visit ended it, or after a reported error. */
bool weir_tree_walk(const char *folder, weir_tree_visit *visit, void *user);
/* Adds the path, size and content of each file below the folder, in the order of the walk; false after a reported
 * error. */
bool weir_tree_hash(const char *folder, weir_hash *hash);
/* Copies the files below `from` into `to`, which is made; false after a reported error. */
bool weir_tree_copy(const char *from, const char *to);
/* One file, by its path below FROM, to the same path below TO, whose folders are made. False after a reported error. */
bool weir_tree_copy_file(const char *from, const char *to, const char *path);
/* Makes the folder of the file `path` below `root`. False after a reported error. */
bool weir_tree_make_parent(const char *root, const char *path);

#endif
