/* Data files that users call by name: device profiles, boards. A name is a file of the data folder, as
 * boards/devices/NAME.yaml or boards/NAME/board.yaml; what has a '/' or ends with ".yaml" is the path of a file of the
 * user's own, or of the folder that holds it. */
#ifndef WEIR_NAMED_H
#define WEIR_NAMED_H

#include <stdbool.h>
#include <stddef.h>

#include "support/text/diag.h"

typedef struct weir_named {
    const char *what;    /* in messages: "device" */
    const char *folder;  /* below the data folder: "boards/devices" */
    const char *ending;  /* of a path after the name: ".yaml", "/board.yaml" */
    const char *command; /* `weir` COMMAND lists the names */
} weir_named;

/* The names, sorted: heap memory, one allocation. NULL after a reported error. */
char **weir_named_names(const weir_named *kind, size_t *count);
bool weir_named_is_path(const char *name_or_path);
/* The path of the file, heap memory. NULL after an error reported at `asker`, with the nearest name for one that is
 * unknown: WEIR_EXIT_USAGE is then what the command exits with. */
char *weir_named_path(const weir_named *kind, weir_location asker, const char *name_or_path);

#endif
