#include "op/subject.h"

#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"
#include "support/text/text.h"

char *subject_folder(weir_op op) {
    const weir_op_info *info = weir_op_get(op);
    return weir_copy_string(strcmp(info->domain, "weir") == 0 ? info->full_name : info->name);
}

/* Cases that are wrong on purpose are named FOLDER/planted/OPERATOR/CASE.txt: the last folder counts. */
weir_op subject_of_path(const char *path) {
    const char *end = path + strlen(path);
    const char *file = strrchr(path, '/');
    if (end - path > 4 && strcmp(end - 4, ".txt") == 0) end = file == NULL ? path : file;
    while (end > path && end[-1] == '/') end--;
    const char *start = end;
    while (start > path && start[-1] != '/') start--;
    for (int op = 1; op < WEIR_OP_COUNT; op++) {
        char *name = subject_folder((weir_op)op);
        const bool same = strlen(name) == (size_t)(end - start) && strncmp(name, start, strlen(name)) == 0;
        free(name);
        if (same) return (weir_op)op;
    }
    return WEIR_OP_NONE;
}
