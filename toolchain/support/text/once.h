/* Texts that are said once, however often there is a reason to. */
#ifndef WEIR_ONCE_H
#define WEIR_ONCE_H

#include <stdbool.h>
#include <stddef.h>

/* Starts as zeros. */
typedef struct weir_once {
    char **text;
    size_t count, capacity;
} weir_once;

/* Is the text new? It is not the next time. O(texts). */
bool weir_once_add(weir_once *once, const char *text);
void weir_once_free(weir_once *once);

#endif
