/* Shared objects of users (passes, stages): opened, and checked against this program's headers before any code of
 * theirs is called. */
#ifndef WEIR_SUPPORT_OBJECT_H
#define WEIR_SUPPORT_OBJECT_H

#include <stdbool.h>

#include "support/abi.h"

/* What the program looks for in an object begins with it: WEIR_ABI of the headers that it was compiled with. */
typedef struct weir_object_record {
    char abi[WEIR_ABI_SIZE];
} weir_object_record;

/* Opens the object, which stays loaded. A name without a folder is of this one. NULL after a reported error. */
void *weir_object_open(const char *path);

/* The object's record of that name; `maker` is the macro that makes it, and its header: "WEIR_PASS_PLUGIN of
 * pass/core/plugin.h". NULL after a reported error: there is none, or it was compiled with other headers. */
const void *weir_object_record_of(void *object, const char *path, const char *name, const char *maker);

#endif
