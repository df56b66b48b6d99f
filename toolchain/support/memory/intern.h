/* Interned strings: equal text, equal pointer, as long as both come from the same table. */
#ifndef WEIR_INTERN_H
#define WEIR_INTERN_H

#include <stddef.h>

#include "support/memory/types.h"

weir_strings *weir_strings_new(weir_arena *arena);
/* The one copy of the text; it lives as long as the arena. */
const char *weir_strings_intern(weir_strings *strings, const char *text);
const char *weir_strings_intern_n(weir_strings *strings, const char *text, size_t length);
/* Release the table itself (the text belongs to the arena). */
void weir_strings_free(weir_strings *strings);

#endif
