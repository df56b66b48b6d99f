/* The nearest known name to a misspelled one. */
#ifndef WEIR_SUGGEST_H
#define WEIR_SUGGEST_H

#include <stddef.h>

/* The candidate with the smallest edit distance, or NULL when none is near (distance over a third of the length). */
const char *weir_suggest(const char *name, const char *const *candidates, size_t count);

/* A note: did you mean the nearest of the words (NULL ends them), or else all of them. */
void weir_suggest_note(const char *name, const char *const *words);

#endif
